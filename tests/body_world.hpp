// SPDX-License-Identifier: MIT
// Worlds of rigid bodies, their contacts and joints, which own all they point to.
#ifndef PERP_TESTS_BODY_WORLD_HPP
#define PERP_TESTS_BODY_WORLD_HPP

#include <perp/joint.h>

#include <array>
#include <deque>

#include "body_tools.hpp"
#include "model_tools.hpp"

namespace tools {

struct body_world : world {
  std::deque<perp_body> rigid;
  std::deque<perp_body_contact> touching;
  std::deque<perp_joint> joints;
  std::deque<perp_joint_coordinate> coordinates;
  std::deque<perp_gear> gears;

  body_world() { options.solver = perp_solver_box_pivoting(); }

  // A body with principal moments of inertia, weight along -z, at q (7) with velocity v (6).
  perp_body &add_body(double mass, const std::array<double, 3> &moments, double gravity,
                      const vec &q, const vec &v = vec(6, 0.0)) {
    perp_body &b = rigid.emplace_back();
    perp_body_init(&b, sizeof b);
    b.mass = mass;
    for (std::size_t i = 0; i < 3; i++) b.inertia[4 * i] = moments[i];
    b.f[2] = -mass * gravity;
    add(b.system);
    q0.insert(q0.end(), q.begin(), q.end());
    v0.insert(v0.end(), v.begin(), v.end());
    return b;
  }
  perp_body_contact &add_contact(std::int32_t m, perp_locate_fn locate, void *geometry,
                                 const perp_law *law, const ids &joined_bodies) {
    perp_body_contact &c = touching.emplace_back();
    perp_body_contact_init(&c, sizeof c, m, count(joined_bodies.size()));
    c.locate = locate;
    c.user = geometry;
    join(c.relation, law, joined_bodies);
    return c;
  }
  // A joint where the bodies are at q0.
  perp_joint &add_joint(std::int32_t kind, const std::array<double, 3> &point,
                        const std::array<double, 3> &axis, const ids &joined_bodies,
                        double lead = 0) {
    perp_joint &j = joints.emplace_back();
    perp_joint_init(&j, sizeof j, kind, count(joined_bodies.size()));
    j.lead = lead;
    EXPECT_EQ(perp_joint_place(&j, point.data(), axis.data(), &q0[7 * at(joined_bodies[0])],
                               joined_bodies.size() == 2 ? &q0[7 * at(joined_bodies[1])] : nullptr),
              PERP_OK);
    join(j.relation, equality(j.relation.m), joined_bodies);
    return j;
  }
  perp_joint_coordinate &add_coordinate(const perp_joint &joint, std::int32_t coordinate,
                                        std::int32_t use, const perp_law *law,
                                        const ids &joined_bodies) {
    perp_joint_coordinate &c = coordinates.emplace_back();
    EXPECT_EQ(perp_joint_coordinate_init(&c, sizeof c, &joint, coordinate, use), PERP_OK);
    join(c.relation, law, joined_bodies);
    return c;
  }
};

// R I Ω, the angular momentum about the centre of mass in the fixed frame.
inline vec3 spin_of(const perp_body &b, const double *q, const double *v) {
  vec3 L = {0, 0, 0};
  for (std::size_t i = 0; i < 3; i++)
    for (std::size_t j = 0; j < 3; j++) L[i] += b.inertia[i + 3 * j] * v[3 + j];
  return turn(quaternion(q), L);
}

}  // namespace tools

#endif
