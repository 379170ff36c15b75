// SPDX-License-Identifier: MIT
// Scenes of pools that several tests look at: spheres between walls, stacks of boxes, mechanisms
// among both; and where their points are, from the definition of rotations.
#ifndef PERP_TESTS_POOL_SCENES_HPP
#define PERP_TESTS_POOL_SCENES_HPP

#include <perp/auto.h>
#include <perp/joint.h>
#include <perp/parallel.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "pool_tools.hpp"

namespace tools {

// Chunks in two threads.
inline void in_threads(std::int32_t chunks, perp_parallel_body work, void *ctx, void *) {
  std::thread other([=] { work(0, chunks / 2, 0, ctx); });
  work(chunks / 2, chunks, 1, ctx);
  other.join();
}

using triple = std::array<double, 3>;

inline triple operator+(const triple &a, const triple &b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline triple operator-(const triple &a, const triple &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline triple operator*(double s, const triple &a) { return {s * a[0], s * a[1], s * a[2]}; }
inline triple cross(const triple &a, const triple &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double dot(const triple &a, const triple &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline double norm(const triple &a) { return std::sqrt(dot(a, a)); }

// Rotation by a quaternion, from its definition x' = x + 2w (u × x) + 2 u × (u × x).
inline triple rotate(const double *q, const triple &x) {
  const triple u = {q[4], q[5], q[6]};
  const triple t = 2 * cross(u, x);
  return x + q[3] * t + cross(u, t);
}
inline triple unrotate(const double *q, const triple &x) {
  const double back[7] = {0, 0, 0, q[3], -q[4], -q[5], -q[6]};
  return rotate(back, x);
}
inline triple place(const double *q, const triple &x = {}) {
  return triple{q[0], q[1], q[2]} + rotate(q, x);
}

// A contact of the first body at a point, the second at its foot.
inline perp_pool_contact contact_at(std::int32_t first, std::int32_t second, double gap,
                                    const triple &normal, const triple &point) {
  perp_pool_contact c = contact_of(first, second, gap, normal);
  for (std::size_t k = 0; k < 3; k++) {
    c.place.a[k] = point[k];
    c.place.b[k] = point[k] - gap * normal[k];
  }
  return c;
}

// ---- spheres and boxes ----

constexpr double kSlop = 1e-5;

// A plane that holds bodies on the side of its normal.
struct wall {
  triple point, normal;
};

inline double over(const wall &w, const double *x) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; i++) sum += (x[i] - w.point[i]) * w.normal[i];
  return sum;
}

// Spheres of unequal masses between walls; contacts are told up to a margin.
struct spheres : pooled {
  double radius = 0.05, margin = 0.02;
  std::deque<perp_body> kinds;
  std::vector<wall> walls;
  explicit spheres(std::int32_t places) : pooled(places) {
    options.formulation = PERP_FORMULATION_GLOBAL;
    options.projection = PERP_PROJECT_POSITIONS;
    options.theta = 1;
    options.h = 2e-3;
    options.gap_tol = kSlop;
    options.min_gap = -1;
    options.solver_options = &sweeps;
    sweeps.max_iter = 100000;
    sweeps.tol = 1e-12;
    find = [this](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      each(perp_simulation_q(sim, 0),
           [&](std::int32_t i, std::int32_t j, double gap, const std::array<double, 3> &n) {
             out.push_back(contact_at(i, j < 0 ? PERP_GROUND : j, gap, n,
                                      place(perp_simulation_q(sim, i)) - radius * n));
             out.back().identity[0] = j < 0 ? static_cast<std::uint32_t>(-j) : 0;
           });
      return 0;
    };
  }
  // Every pair up to the margin; walls are -1, -2, ...
  template <class Visit>
  void each(const double *q, Visit &&visit) const {
    for (std::int32_t i = 0; i < count(kinds.size()); i++) {
      const double *a = q + 7 * i;
      for (std::size_t w = 0; w < walls.size(); w++)
        if (over(walls[w], a) - radius < margin)
          visit(i, -1 - count(w), over(walls[w], a) - radius, walls[w].normal);
      for (std::int32_t j = 0; j < i; j++) {
        const double *b = q + 7 * j;
        const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        const double l = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (l - 2 * radius < margin)
          visit(i, j, l - 2 * radius, std::array{d[0] / l, d[1] / l, d[2] / l});
      }
    }
  }
  void put(double m, double gravity, const std::array<double, 3> &x) {
    perp_body b = tools::sphere(m, radius);
    b.f[2] = -m * gravity;
    kinds.push_back(b);
    add(kinds.back().system);
    q0.insert(q0.end(), {x[0], x[1], x[2], 1, 0, 0, 0});
  }
  void floor() { walls.push_back({{0, 0, 0}, {0, 0, 1}}); }
  double deepest(const run &r) const {
    double worst = 0;
    each(perp_simulation_q(r.sim, 0), [&](std::int32_t, std::int32_t, double gap, const auto &) {
      worst = std::max(worst, -gap);
    });
    return worst;
  }
  double kinetic(const run &r) const {
    double sum = 0;
    for (std::int32_t i = 0; i < count(kinds.size()); i++)
      for (std::size_t k = 0; k < 6; k++)
        sum += 0.5 * (k < 3 ? kinds[at(i)].mass : kinds[at(i)].inertia[0]) * r.v(i, k) * r.v(i, k);
    return sum;
  }
  double potential(const double *q) const {
    double sum = 0;
    for (std::size_t i = 0; i < kinds.size(); i++) sum -= kinds[i].f[2] * q[7 * i + 2];
    return sum;
  }
  perp_nsgs_options sweeps = perp_nsgs_options_default();
};

// Boxes of half edges (a, a, b) on one another, and the lowest on a floor that may slope: all four
// lower corners against the upper face below.
struct boxes : spheres {
  double a = 0.5, b = 0.25, slope = 0;
  std::deque<perp_body> bodies;
  boxes(std::int32_t n, double overlap, double angle = 0) : spheres(8 * n), slope(angle) {
    const std::array<double, 3> up = {-std::sin(slope), 0, std::cos(slope)};
    for (std::int32_t i = 0; i < n; i++) {
      perp_body body;
      perp_body_init(&body, sizeof body);
      body.mass = 2;
      body.inertia[0] = body.inertia[4] = 2.0 / 3 * (a * a + b * b);
      body.inertia[8] = 2.0 / 3 * 2 * a * a;
      body.f[2] = -2 * kGravity;
      bodies.push_back(body);
      add(bodies.back().system);
      const double height = b - overlap + (2 * b - overlap) * i;
      q0.insert(q0.end(), {up[0] * height, 0, up[2] * height, std::cos(slope / 2), 0,
                           -std::sin(slope / 2), 0});
    }
    margin = 0.05;
    find = [this](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      corners(perp_simulation_q(sim, 0), [&](const perp_pool_contact &c) { out.push_back(c); });
      return 0;
    };
  }
  template <class Visit>
  void corners(const double *q, Visit &&visit) const {
    for (std::int32_t i = 0; i < count(bodies.size()); i++) {
      const double *under = q + 7 * (i - 1);
      const wall ground = {{0, 0, 0}, {-std::sin(slope), 0, std::cos(slope)}};
      for (std::uint32_t corner = 0; corner < 4; corner++) {
        const triple p = place(q + 7 * i, {(corner & 1 ? a : -a), (corner & 2 ? a : -a), -b});
        wall below = ground;
        if (i > 0) below = {place(under, {0, 0, b}), rotate(under, {0, 0, 1})};
        const double gap = over(below, p.data());
        if (gap > margin) continue;
        perp_pool_contact c = contact_at(i, i > 0 ? i - 1 : PERP_GROUND, gap, below.normal, p);
        c.identity[0] = corner;
        visit(c);
      }
    }
  }
  double lowest(const run &r) const {
    double gap = 1;
    corners(perp_simulation_q(r.sim, 0),
            [&](const perp_pool_contact &c) { gap = std::min(gap, c.place.gap); });
    return gap;
  }
  double speed(const run &r) const {
    double worst = 0;
    for (std::int32_t i = 0; i < count(bodies.size()); i++)
      for (std::size_t k = 0; k < 6; k++) worst = std::max(worst, std::abs(r.v(i, k)));
    return worst;
  }
};

// ---- mechanisms ----

// A mechanism among boxes and balls. Corners of boxes touch the floor and the tops of plates; balls
// touch the floor and balls.
struct mechanism : pooled {
  struct shape {
    triple half;    // of a box
    double radius;  // of a ball, 0: a box
    bool plank;     // does not stand on others
  };
  struct hinge {
    std::int32_t a, b;  // b −1: the ground
    triple at_a, at_b, axis_a, axis_b;
    bool free_turn;  // a spherical joint
  };
  std::deque<perp_body> kinds;
  std::deque<perp_joint> joints;
  std::deque<perp_joint_coordinate> coordinates;
  std::vector<shape> shapes;
  std::vector<hinge> hinges;
  bool floor = true;

  explicit mechanism(std::int32_t capacity) : pooled(capacity) {
    options.h = 2e-3;
    options.solver = perp_solver_auto();
    options.gap_tol = 1e-7;
    options.min_gap = -1e-2;
    law(friction(3, 0.4));
    find = [this](double, const perp_simulation *sim, std::vector<perp_pool_contact> &out) {
      add_contacts(sim, out);
      return 0;
    };
  }

  std::int32_t body(double mass, const triple &half, double radius, const triple &x, bool plank) {
    perp_body &b = kinds.emplace_back();
    perp_body_init(&b, sizeof b);
    b.mass = mass;
    for (std::size_t i = 0; i < 3; i++) {
      const double y = half[(i + 1) % 3], z = half[(i + 2) % 3];
      b.inertia[4 * i] = radius > 0 ? 0.4 * mass * radius * radius : mass * (y * y + z * z) / 3;
    }
    b.f[2] = -mass * kGravity;
    shapes.push_back({half, radius, plank});
    q0.insert(q0.end(), {x[0], x[1], x[2], 1, 0, 0, 0});
    v0.insert(v0.end(), 6, 0.0);
    return add(b.system);
  }
  // Turns body i about y.
  void tilt(std::int32_t i, double angle) {
    const double axis[3] = {0, 1, 0};
    perp_rotation_quaternion(axis, angle, q0.data() + 7 * at(i) + 3);
  }
  const double *q_of(std::int32_t i) const { return q0.data() + 7 * at(i); }

  const perp_joint &pivot(std::int32_t a, std::int32_t b, const triple &x, const triple &axis,
                          std::int32_t kind = PERP_JOINT_PIVOT) {
    perp_joint &j = joints.emplace_back();
    EXPECT_EQ(perp_joint_init(&j, sizeof j, kind, b < 0 ? 1 : 2), PERP_OK);
    EXPECT_EQ(perp_joint_place(&j, x.data(), axis.data(), q_of(a), b < 0 ? nullptr : q_of(b)),
              PERP_OK);
    if (b < 0)
      join(j.relation, equality(j.relation.m), {a});
    else
      join(j.relation, equality(j.relation.m), {a, b});
    const auto seen = [&](std::int32_t i, const triple &p) {
      return i < 0 ? p : unrotate(q_of(i), p - place(q_of(i)));
    };
    const auto turned = [&](std::int32_t i, const triple &d) {
      return i < 0 ? d : unrotate(q_of(i), d);
    };
    hinges.push_back({a, b, seen(a, x), seen(b, x), turned(a, axis), turned(b, axis),
                      kind == PERP_JOINT_SPHERICAL});
    return j;
  }
  perp_joint_coordinate &coordinate(const perp_joint &j, std::int32_t use) {
    perp_joint_coordinate &c = coordinates.emplace_back();
    EXPECT_EQ(perp_joint_coordinate_init(&c, sizeof c, &j, PERP_COORDINATE_ANGLE, use), PERP_OK);
    return c;
  }

  void corner(std::int32_t i, std::uint32_t c, const triple &p, std::int32_t j,
              const perp_simulation *sim, std::vector<perp_pool_contact> &out) const {
    const double margin = 0.02;
    perp_pool_contact made{};
    if (j < 0) {
      if (p[2] > margin) return;
      made = contact_at(i, PERP_GROUND, p[2], {0, 0, 1}, p);
    } else {
      const double *r = perp_simulation_q(sim, j);
      const triple local = unrotate(r, p - place(r)), half = shapes[at(j)].half;
      const double gap = local[2] - half[2];
      if (gap > margin || gap < -half[2] || std::fabs(local[0]) > half[0] + 1e-9 ||
          std::fabs(local[1]) > half[1] + 1e-9)
        return;
      made = contact_at(i, j, gap, rotate(r, {0, 0, 1}), p);
    }
    made.identity[0] = c;
    out.push_back(made);
  }
  void add_contacts(const perp_simulation *sim, std::vector<perp_pool_contact> &out) const {
    for (std::int32_t i = 0; i < count(shapes.size()); i++) {
      const shape &s = shapes[at(i)];
      const double *q = perp_simulation_q(sim, i);
      if (s.radius > 0) {
        if (floor) corner(i, 0, triple{q[0], q[1], q[2] - s.radius}, -1, sim, out);
        for (std::int32_t j = 0; j < i; j++) {
          if (!(shapes[at(j)].radius > 0)) continue;
          const double *r = perp_simulation_q(sim, j);
          const triple d = place(q) - place(r);
          const double l = norm(d), gap = l - s.radius - shapes[at(j)].radius;
          if (gap > 0.02) continue;
          const triple n = (1 / l) * d;
          out.push_back(contact_at(i, j, gap, n, place(q) - s.radius * n));
        }
        continue;
      }
      for (std::uint32_t c = 0; c < 4; c++) { /* corners of the lower face */
        const triple p = place(
            q, {(c % 2 == 0 ? -1 : 1) * s.half[0], (c / 2 == 0 ? -1 : 1) * s.half[1], -s.half[2]});
        if (floor) corner(i, c, p, -1, sim, out);
        for (std::int32_t j = 0; j < count(shapes.size()); j++)
          if (j != i && !s.plank && !(shapes[at(j)].radius > 0)) corner(i, c, p, j, sim, out);
      }
    }
  }
};

// A plate that a hinge holds at one edge lies on the floor at the other and carries a pile.
inline std::shared_ptr<mechanism> plate(std::int32_t boxes, double mass) {
  auto w = std::make_shared<mechanism>(400);
  const double angle = std::asin(0.2 / 1.0);
  const std::int32_t p = w->body(2, {0.5, 0.4, 0.02}, 0, {0, 0, 0}, true);
  // the far lower edge on the floor, the near one 0.2 above it
  w->tilt(p, angle);
  const triple low = rotate(w->q_of(p), {0.5, 0, -0.02});
  w->q0[2] = -low[2];
  const triple edge = place(w->q_of(p), {-0.5, 0, 0});
  w->pivot(p, -1, edge, {0, 1, 0});
  for (std::int32_t i = 0; i < boxes; i++) {
    const double side = 0.1 - 0.01 * i;
    const triple x = place(w->q_of(p), {0, 0, 0.02 + 0.1 + 0.2 * i});
    w->tilt(w->body(mass, {side, side, 0.1}, 0, x, false), angle);
  }
  return w;
}

// Planks hinged to one another between two banks, hanging a little, every second with a box.
inline std::shared_ptr<mechanism> bridge(std::int32_t planks, double load) {
  auto w = std::make_shared<mechanism>(40 * planks);
  w->floor = false;
  const double half = 0.15, sag = 0.25;
  triple end = {0, 0, 0};
  std::vector<triple> ends = {end};
  for (std::int32_t i = 0; i < planks; i++) {
    const double slope = sag * (1 - 2.0 * (i + 0.5) / planks); /* down, then up */
    const triple to = end + triple{2 * half * std::cos(slope), 0, -2 * half * std::sin(slope)};
    const std::int32_t p = w->body(1, {half, 0.3, 0.02}, 0, 0.5 * (end + to), true);
    w->tilt(p, slope);
    end = to;
    ends.push_back(end);
  }
  w->pivot(0, -1, ends[0], {0, 1, 0});
  for (std::int32_t i = 1; i < planks; i++) w->pivot(i, i - 1, ends[at(i)], {0, 1, 0});
  w->pivot(planks - 1, -1, ends.back(), {0, 1, 0}, PERP_JOINT_SPHERICAL);
  for (std::int32_t i = 0; i < planks && load > 0; i += 2) {
    const triple x = place(w->q_of(i), {0, 0, 0.02 + 0.08});
    const double slope = sag * (1 - 2.0 * (i + 0.5) / planks);
    w->tilt(w->body(load, {0.08, 0.08, 0.08}, 0, x, false), slope);
  }
  return w;
}

// Two links, driven with limited torque and with stops, push a ball over the floor; their end is a
// ball.
inline std::shared_ptr<mechanism> arm() {
  auto w = std::make_shared<mechanism>(100);
  const std::int32_t upper = w->body(3, {0.25, 0.04, 0.04}, 0, {0.25, 0, 0.5}, false);
  const std::int32_t lower = w->body(2, {0.25, 0.04, 0.04}, 0, {0.75, 0, 0.5}, false);
  const std::int32_t hand = w->body(0.3, {}, 0.05, {1.0, 0, 0.5}, false);
  w->body(1.5, {}, 0.1, {0.9, 0.17, 0.1}, false);
  w->body(1.5, {}, 0.1, {0.9, 0.38, 0.1}, false);
  const perp_joint &shoulder = w->pivot(upper, -1, {0, 0, 0.5}, {0, 0, 1});
  const perp_joint &elbow = w->pivot(lower, upper, {0.5, 0, 0.5}, {0, 1, 0});
  w->pivot(hand, lower, {1.0, 0, 0.5}, {0, 0, 1}, PERP_JOINT_FIXED);
  perp_joint_coordinate &turn = w->coordinate(shoulder, PERP_COORDINATE_EFFORT);
  turn.rate = [](double, double *rate, void *) {
    rate[0] = 0.8;
    return 0;
  };
  w->join(turn.relation, w->box({-40}, {40}), {upper});
  perp_joint_coordinate &bend = w->coordinate(elbow, PERP_COORDINATE_STOPS);
  bend.lower = -0.3;
  bend.upper = 0.85;
  w->join(bend.relation, w->impact(0.1), {lower, upper});
  return w;
}

inline triple velocity_at(const run &r, std::int32_t i, const triple &local) {
  if (i < 0) return {0, 0, 0};
  const double *q = perp_simulation_q(r.sim, i), *v = perp_simulation_v(r.sim, i);
  return triple{v[0], v[1], v[2]} + rotate(q, cross({v[3], v[4], v[5]}, local));
}
inline triple spin(const run &r, std::int32_t i) {
  if (i < 0) return {0, 0, 0};
  const double *v = perp_simulation_v(r.sim, i);
  return rotate(perp_simulation_q(r.sim, i), {v[3], v[4], v[5]});
}
inline triple point_at(const run &r, std::int32_t i, const triple &local) {
  return i < 0 ? local : place(perp_simulation_q(r.sim, i), local);
}

}  // namespace tools

#endif
