// SPDX-License-Identifier: MIT
// Contacts of bodies: local frames, rows of H against the motion of points, geometry.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/newton_euler.h>

#include <cmath>
#include <limits>

#include "body_relation_tools.hpp"
#include "body_tools.hpp"

extern "C" {
#include "model/contact_frame.h"
}

namespace {

using tools::evaluate;
using tools::evaluated;
using tools::operator+;
using tools::operator-;
using tools::real;
using tools::vec3;
using vec = std::vector<double>;

void expect_frame(const double *frame) {
  const vec3 n = tools::v3(frame), s = tools::v3(frame + 3), t = tools::v3(frame + 6);
  EXPECT_NEAR(static_cast<double>(tools::dot(n, n)), 1, 2e-14);
  EXPECT_NEAR(static_cast<double>(tools::dot(s, s)), 1, 2e-14);
  EXPECT_NEAR(static_cast<double>(tools::dot(n, s)), 0, 2e-14);
  EXPECT_NEAR(static_cast<double>(tools::dot(tools::cross(n, s), t)), 1, 2e-14);
}

TEST(ContactFrame, IsOrthonormalAndRightHandedForEveryNormal) {
  std::mt19937 random(1);
  double frame[9];
  for (int trial = 0; trial < 20000; trial++) {
    const auto n = tools::random_direction(random);
    frame_of_normal(n.data(), frame);
    expect_frame(frame);
    const auto t = tools::random_direction(random);
    frame_of_tangent(n.data(), t.data(), frame);
    expect_frame(frame);
    EXPECT_GE(static_cast<double>(tools::dot(tools::v3(frame + 3), tools::v3(t.data()))), 0);
  }
}

TEST(ContactFrame, ATangentNearlyAlongTheNormalIsStillMadeOrthogonal) {
  std::mt19937 random(9);
  double frame[9];
  for (double angle : {1e-3, 1e-6, 1e-9}) {
    const auto n = tools::random_direction(random), d = tools::random_direction(random);
    const double t[3] = {n[0] + angle * d[0], n[1] + angle * d[1], n[2] + angle * d[2]};
    frame_of_tangent(n.data(), t, frame);
    expect_frame(frame);
  }
}

TEST(ContactFrame, NoiseOnAnAxisDoesNotFlipTheTangents) {
  for (int axis = 0; axis < 3; axis++) {
    for (double sign : {1.0, -1.0}) {
      double n[3] = {0, 0, 0}, exact[9], noisy[9];
      n[axis] = sign;
      frame_of_normal(n, exact);
      expect_frame(exact);
      for (double noise : {1e-12, -1e-12}) {
        double m[3] = {noise, -noise, noise};
        m[axis] = sign;
        frame_of_normal(m, noisy);
        for (int i = 0; i < 9; i++) EXPECT_NEAR(noisy[i], exact[i], 1e-11);
      }
    }
  }
}

TEST(ContactFrame, ATangentAlongTheNormalIsReplaced) {
  const double n[3] = {0, 0.6, 0.8}, t[3] = {0, 3, 4}, none[3] = {0, 0, 0};
  double a[9], b[9];
  frame_of_tangent(n, t, a);
  expect_frame(a);
  frame_of_tangent(n, none, b);
  EXPECT_TRUE(std::equal(a, a + 9, b));
}

// Material points of the bodies, wherever the place says they touch, and their motion.
struct material {
  vec local;  // in the frame of each body, 3 each
  vec world(const vec &q) const {
    vec out(local.size());
    for (std::size_t b = 0; 3 * b < local.size(); b++) {
      const vec3 p = tools::turn(tools::quaternion(&q[7 * b]), tools::v3(&local[3 * b]));
      for (std::size_t i = 0; i < 3; i++) out[3 * b + i] = q[7 * b + i] + static_cast<double>(p[i]);
    }
    return out;
  }
};

struct fixed_place {
  perp_contact_place place;
};
std::int32_t locate_fixed(double, const double *, perp_contact_place *place, void *user) {
  *place = static_cast<fixed_place *>(user)->place;
  return 0;
}

// Rows of velocity against the differences of material points.
TEST(BodyContact, RowsAreTheRelativeVelocityOfTheTouchingPoints) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 40; trial++) {
    const std::size_t bodies = 1 + static_cast<std::size_t>(trial) % 2;
    const vec q = tools::random_bodies(random, bodies),
              v = tools::random_vector(random, 6 * bodies, 2);
    fixed_place f = {};
    const auto n = tools::random_direction(random), t = tools::random_direction(random);
    const vec p = tools::random_vector(random, 3);
    std::copy(n.begin(), n.end(), f.place.normal);
    std::copy(t.begin(), t.end(), f.place.tangent);
    std::copy(p.begin(), p.end(), f.place.a);
    std::copy(p.begin(), p.end(), f.place.b);
    f.place.gap = 0.25;
    perp_body_contact contact;
    ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 5, static_cast<int>(bodies)),
              PERP_OK);
    contact.locate = locate_fixed;
    contact.user = &f;
    const evaluated e = evaluate(contact.relation, q, v);
    ASSERT_EQ(e.answer, 0);
    EXPECT_EQ(e.y, (vec{0.25, 0, 0, 0, 0}));

    material points;
    for (std::size_t b = 0; b < bodies; b++) {
      const vec3 local = tools::turn_back(tools::quaternion(&q[7 * b]),
                                          tools::v3(p.data()) - tools::v3(&q[7 * b]));
      for (real x : local) points.local.push_back(static_cast<double>(x));
    }
    const vec speed = tools::along([&](const vec &at) { return points.world(at); }, q, v);
    vec3 u = tools::v3(speed.data());
    vec3 w = tools::turn(tools::quaternion(q.data()), tools::v3(&v[3]));
    if (bodies == 2) {
      u = u - tools::v3(&speed[3]);
      w = w - tools::turn(tools::quaternion(&q[7]), tools::v3(&v[9]));
    }
    double frame[9];
    frame_of_tangent(f.place.normal, f.place.tangent, frame);
    const vec rate = tools::times(e.H, v);
    for (std::size_t i = 0; i < 5; i++) {
      const vec3 direction = tools::v3(&frame[3 * (i < 3 ? i : i - 2)]);
      EXPECT_NEAR(rate[i], static_cast<double>(tools::dot(direction, i < 3 ? u : w)), 1e-9)
          << "row " << i;
      EXPECT_NEAR(rate[i], e.ydot[i], 1e-14);
    }
  }
}

TEST(BodyContact, FewerRowsAreTheFirstOnes) {
  std::mt19937 random(3);
  const vec q = tools::random_bodies(random, 2), v = tools::random_vector(random, 12);
  perp_sphere_sphere spheres = {{0.3, 0.4}};
  perp_body_contact five;
  ASSERT_EQ(perp_body_contact_init(&five, sizeof five, 5, 2), PERP_OK);
  five.locate = perp_locate_sphere_sphere;
  five.user = &spheres;
  const evaluated all = evaluate(five.relation, q, v);
  for (std::int32_t m = 1; m <= 3; m++) {
    perp_body_contact contact;
    ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, m, 2), PERP_OK);
    contact.locate = perp_locate_sphere_sphere;
    contact.user = &spheres;
    const evaluated e = evaluate(contact.relation, q, v);
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); i++) {
      EXPECT_EQ(e.ydot[i], all.ydot[i]);
      for (std::size_t j = 0; j < 12; j++)
        EXPECT_EQ(e.H[i + static_cast<std::size_t>(m) * j], all.H[i + 5 * j]);
    }
  }
}

// The first row of H is the gradient of the gap along q ⊕ d, for every ready geometry.
void expect_gradient(const perp_body_contact &contact, std::size_t bodies, std::mt19937 &random) {
  for (int trial = 0; trial < 20; trial++) {
    const vec q = tools::random_bodies(random, bodies),
              d = tools::random_vector(random, 6 * bodies);
    const evaluated e = evaluate(contact.relation, q, d);
    ASSERT_EQ(e.answer, 0);
    const vec rate = tools::along(
        [&](const vec &at) { return vec{evaluate(contact.relation, at, d).y[0]}; }, q, d);
    EXPECT_NEAR(e.ydot[0], rate[0], 2e-8);
  }
}

TEST(BodyContact, NormalRowIsTheGradientOfTheGap) {
  std::mt19937 random(4);
  perp_body_contact contact;
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 1, 1), PERP_OK);
  perp_sphere_plane plane = {0.2, {0.6, 0, 0.8}, -1.5};
  contact.locate = perp_locate_sphere_plane;
  contact.user = &plane;
  expect_gradient(contact, 1, random);
  perp_point_plane corner = {{0.5, -0.25, 1}, {0, 0.6, 0.8}, 0.5};
  contact.locate = perp_locate_point_plane;
  contact.user = &corner;
  expect_gradient(contact, 1, random);
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 1, 2), PERP_OK);
  perp_sphere_sphere spheres = {{0.2, 0.7}};
  contact.locate = perp_locate_sphere_sphere;
  contact.user = &spheres;
  expect_gradient(contact, 2, random);
}

TEST(BodyContact, ImpulsesOfTwoBodiesKeepMomentumAndAngularMomentum) {
  std::mt19937 random(5);
  perp_body_contact contact;
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 5, 2), PERP_OK);
  perp_sphere_sphere spheres = {{0.2, 0.7}};
  contact.locate = perp_locate_sphere_sphere;
  contact.user = &spheres;
  for (int trial = 0; trial < 20; trial++) {
    const vec q = tools::random_bodies(random, 2), lambda = tools::random_vector(random, 5);
    const evaluated e = evaluate(contact.relation, q, vec(12, 0));
    vec r(12, 0);
    for (std::size_t j = 0; j < 12; j++)
      for (std::size_t i = 0; i < 5; i++) r[j] += e.H[i + 5 * j] * lambda[i];
    vec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    for (std::size_t b = 0; b < 2; b++) {
      const vec3 p = tools::v3(&r[6 * b]);
      linear = linear + p;
      angular = angular + tools::cross(tools::v3(&q[7 * b]), p) +
                tools::turn(tools::quaternion(&q[7 * b]), tools::v3(&r[6 * b + 3]));
    }
    for (std::size_t i = 0; i < 3; i++) {
      EXPECT_NEAR(static_cast<double>(linear[i]), 0, 1e-15);
      EXPECT_NEAR(static_cast<double>(angular[i]), 0, 1e-14);
    }
  }
}

TEST(BodyContact, ASphereThatRollsDoesNotSlip) {
  perp_body_contact contact;
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 3, 1), PERP_OK);
  perp_sphere_plane floor = {0.5, {0, 0, 1}, 0};
  contact.locate = perp_locate_sphere_plane;
  contact.user = &floor;
  const vec q = {3, 4, 0.5, 1, 0, 0, 0}, v = {2, 0, 0, 0, 4, 0}; /* v = ω r about y */
  const evaluated e = evaluate(contact.relation, q, v);
  EXPECT_EQ(e.y[0], 0);
  for (double rate : e.ydot) EXPECT_NEAR(rate, 0, 1e-15);
}

TEST(BodyContact, TheGroundMayMove) {
  perp_body_contact contact;
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 3, 1), PERP_OK);
  fixed_place belt = {};
  belt.place.normal[2] = 1;
  belt.place.tangent[0] = 1;
  belt.place.velocity[0] = 1.5;
  belt.place.velocity[2] = 0.25;
  contact.locate = locate_fixed;
  contact.user = &belt;
  const evaluated e = evaluate(contact.relation, {0, 0, 1, 1, 0, 0, 0}, {1.5, 0, 0, 0, 0, 0});
  EXPECT_EQ(e.ydot, (vec{-0.25, 0, 0}));
}

std::int32_t locate_fails(double, const double *, perp_contact_place *, void *) { return -7; }

TEST(BodyContact, AnswersOfLocateAreHandedOn) {
  perp_body_contact contact;
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 1, 1), PERP_OK);
  contact.locate = locate_fails;
  EXPECT_EQ(evaluate(contact.relation, {0, 0, 0, 1, 0, 0, 0}, vec(6, 0)).answer, -7);
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 1, 2), PERP_OK);
  perp_sphere_sphere spheres = {{1, 1}};
  contact.locate = perp_locate_sphere_sphere;
  contact.user = &spheres;
  const vec q = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_GT(evaluate(contact.relation, q, vec(12, 0)).answer, 0) << "no normal";
}

TEST(BodyContact, InitAndCheckRefuseWhatIsNot) {
  perp_body_contact contact;
  for (std::int32_t m : {0, 4, 6, -1})
    EXPECT_EQ(perp_body_contact_init(&contact, sizeof contact, m, 1), PERP_EINVAL);
  for (std::int32_t bodies : {0, 3})
    EXPECT_EQ(perp_body_contact_init(&contact, sizeof contact, 1, bodies), PERP_EINVAL);
  EXPECT_EQ(perp_body_contact_init(nullptr, sizeof contact, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_body_contact_init(&contact, 8, 1, 1), PERP_EINVAL);
  ASSERT_EQ(perp_body_contact_init(&contact, sizeof contact, 1, 1), PERP_OK);
  const perp_relation *relation = &contact.relation;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "locate");
  contact.locate = locate_fails;
  EXPECT_EQ(relation->ops->check(relation, nullptr), PERP_OK);
  contact.locate = perp_locate_sphere_plane;
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "user");
  perp_sphere_plane floor = {0.5, {0, 0, 1}, 0};
  contact.user = &floor;
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_OK);
  for (const double length : {2.0, 0.0, 1.001}) {
    floor.normal[2] = length;
    EXPECT_EQ(relation->ops->check(relation, &info), PERP_EINVAL) << length;
    EXPECT_STREQ(info.field, "normal");
    EXPECT_EQ(info.value, length);
  }
  floor = {std::numeric_limits<double>::quiet_NaN(), {0, 0, 1}, 0};
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_ENOTFINITE);
  perp_point_plane corner = {{1, 1, 1}, {0.6, 0, 0.8}, 0};
  contact.locate = perp_locate_point_plane;
  contact.user = &corner;
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_OK);
  corner.normal[0] = 0.8;
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_EINVAL);
  perp_sphere_sphere spheres = {{1, std::numeric_limits<double>::infinity()}};
  contact.locate = perp_locate_sphere_sphere;
  contact.user = &spheres;
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_ENOTFINITE);
  EXPECT_EQ(info.index, 1);
  spheres.radius[1] = 2;
  EXPECT_EQ(relation->ops->check(relation, &info), PERP_OK);
  contact.relation.m = 4;
  EXPECT_EQ(relation->ops->check(relation, nullptr), PERP_EINVAL);
  contact.relation.m = 3;
  contact.relation.n = 7;
  EXPECT_EQ(relation->ops->check(relation, nullptr), PERP_EINVAL);
}

}  // namespace
