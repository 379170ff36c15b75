// SPDX-License-Identifier: MIT
// Joints, stops and drives beside contacts that are swept: mechanisms that carry and push things,
// against the one-step problem that is assembled, and judged from the laws of motion.
#include <gtest/gtest.h>
#include <perp/auto.h>
#include <perp/contact_list.h>
#include <perp/joint.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

#include "pool_tools.hpp"

namespace {

using tools::at;
using tools::contact_of;
using tools::count;
using tools::kGravity;
using tools::pooled;
using tools::run;
using tools::vec;

using triple = std::array<double, 3>;

triple operator+(const triple &a, const triple &b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
triple operator-(const triple &a, const triple &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
triple operator*(double s, const triple &a) { return {s * a[0], s * a[1], s * a[2]}; }
triple cross(const triple &a, const triple &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const triple &a, const triple &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double norm(const triple &a) { return std::sqrt(dot(a, a)); }

// Rotation by a quaternion, from its definition x' = x + 2w (u × x) + 2 u × (u × x).
triple rotate(const double *q, const triple &x) {
  const triple u = {q[4], q[5], q[6]};
  const triple t = 2 * cross(u, x);
  return x + q[3] * t + cross(u, t);
}
triple unrotate(const double *q, const triple &x) {
  const double back[7] = {0, 0, 0, q[3], -q[4], -q[5], -q[6]};
  return rotate(back, x);
}
triple place(const double *q, const triple &x) { return triple{q[0], q[1], q[2]} + rotate(q, x); }

// A mechanism among boxes and balls. Corners of boxes touch the floor and the tops of plates; balls
// touch the floor and balls.
struct scene : pooled {
  struct shape {
    triple half;    // of a box
    double radius;  // of a ball, 0: a box
    bool plank;     // does not stand on others
  };
  struct hinge {
    std::int32_t a, b;  // b −1: the ground
    triple at_a, at_b, axis_a, axis_b;
  };
  std::deque<perp_body> kinds;
  std::deque<perp_joint> joints;
  std::deque<perp_joint_coordinate> coordinates;
  std::vector<shape> shapes;
  std::vector<hinge> hinges;
  bool floor = true;

  explicit scene(std::int32_t capacity) : pooled(capacity) {
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
      return i < 0 ? p : unrotate(q_of(i), p - triple{q_of(i)[0], q_of(i)[1], q_of(i)[2]});
    };
    const auto turned = [&](std::int32_t i, const triple &d) {
      return i < 0 ? d : unrotate(q_of(i), d);
    };
    hinges.push_back({a, b, seen(a, x), seen(b, x), turned(a, axis), turned(b, axis)});
    return j;
  }
  perp_joint_coordinate &coordinate(const perp_joint &j, std::int32_t use) {
    perp_joint_coordinate &c = coordinates.emplace_back();
    EXPECT_EQ(perp_joint_coordinate_init(&c, sizeof c, &j, PERP_COORDINATE_ANGLE, use), PERP_OK);
    return c;
  }

  void corner(std::int32_t i, std::uint32_t c, const triple &p, const double *q, std::int32_t j,
              const perp_simulation *sim, std::vector<perp_pool_contact> &out) const {
    (void)q;
    const double margin = 0.02;
    perp_pool_contact made{};
    if (j < 0) {
      if (p[2] > margin) return;
      made = contact_of(i, PERP_GROUND, p[2], {0, 0, 1});
      for (std::size_t k = 0; k < 3; k++) made.place.a[k] = made.place.b[k] = p[k];
    } else {
      const double *r = perp_simulation_q(sim, j);
      const triple local = unrotate(r, p - triple{r[0], r[1], r[2]}), half = shapes[at(j)].half;
      const double gap = local[2] - half[2];
      if (gap > margin || gap < -half[2] || std::fabs(local[0]) > half[0] + 1e-9 ||
          std::fabs(local[1]) > half[1] + 1e-9)
        return;
      const triple n = rotate(r, {0, 0, 1});
      made = contact_of(i, j, gap, n);
      for (std::size_t k = 0; k < 3; k++) {
        made.place.a[k] = p[k];
        made.place.b[k] = p[k] - gap * n[k];
      }
    }
    made.identity[0] = c;
    out.push_back(made);
  }
  void add_contacts(const perp_simulation *sim, std::vector<perp_pool_contact> &out) const {
    for (std::int32_t i = 0; i < count(shapes.size()); i++) {
      const shape &s = shapes[at(i)];
      const double *q = perp_simulation_q(sim, i);
      if (s.radius > 0) {
        if (floor) corner(i, 0, triple{q[0], q[1], q[2] - s.radius}, q, -1, sim, out);
        for (std::int32_t j = 0; j < i; j++) {
          if (!(shapes[at(j)].radius > 0)) continue;
          const double *r = perp_simulation_q(sim, j);
          const triple d = triple{q[0], q[1], q[2]} - triple{r[0], r[1], r[2]};
          const double l = norm(d), gap = l - s.radius - shapes[at(j)].radius;
          if (gap > 0.02) continue;
          perp_pool_contact c = contact_of(i, j, gap, (1 / l) * d);
          for (std::size_t k = 0; k < 3; k++) {
            c.place.a[k] = q[k] - s.radius * c.place.normal[k];
            c.place.b[k] = c.place.a[k] - gap * c.place.normal[k];
          }
          out.push_back(c);
        }
        continue;
      }
      for (std::uint32_t c = 0; c < 4; c++) { /* corners of the lower face */
        const triple p = place(
            q, {(c % 2 == 0 ? -1 : 1) * s.half[0], (c / 2 == 0 ? -1 : 1) * s.half[1], -s.half[2]});
        if (floor) corner(i, c, p, q, -1, sim, out);
        for (std::int32_t j = 0; j < count(shapes.size()); j++)
          if (j != i && !s.plank && !(shapes[at(j)].radius > 0)) corner(i, c, p, q, j, sim, out);
      }
    }
  }
};

// A plate that a hinge holds at one edge lies on the floor at the other and carries a pile.
std::shared_ptr<scene> plate(std::int32_t boxes, double mass) {
  auto w = std::make_shared<scene>(400);
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
std::shared_ptr<scene> bridge(std::int32_t planks, double load) {
  auto w = std::make_shared<scene>(40 * planks);
  w->floor = false;
  const double half = 0.15, sag = 0.4;
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
std::shared_ptr<scene> arm() {
  auto w = std::make_shared<scene>(100);
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

struct options_of {
  perp_auto_options o = perp_auto_options_default();
};

void report(const char *name, const run &r) {
  const perp_report p = r.report();
  std::printf(
      "%s: steps %ld passes %ld iterations %ld active %ld residual %g accepted %ld relaxed %ld\n",
      name, (long)p.steps, (long)p.newton, (long)p.solver_iterations, (long)p.active, p.residual,
      (long)p.accepted, (long)p.relaxed);
}

void compare(const std::function<std::shared_ptr<scene>()> &make, int steps, double near) {
  const auto a = make(), b = make();
  perp_auto_options o = perp_auto_options_default();
  o.tol = 1e-11;
  a->options.solver_options = b->options.solver_options = &o;
  b->options.formulation = PERP_FORMULATION_GLOBAL;
  run x(*a), y(*b);
  ASSERT_EQ(x.status, PERP_OK) << x.info.field;
  ASSERT_EQ(y.status, PERP_OK) << y.info.field;
  double worst = 0;
  for (int k = 0; k < steps; k++) {
    ASSERT_EQ(x.step(), PERP_OK) << k << x.info.field << x.info.value;
    ASSERT_EQ(y.step(), PERP_OK) << k << y.info.field << y.info.value;
    for (std::size_t i = 0; i < a->q0.size(); i++)
      worst = std::max(worst,
                       std::fabs(perp_simulation_q(x.sim, 0)[i] - perp_simulation_q(y.sim, 0)[i]));
    if (worst > near) {
      printf("step %d %g\n", k, worst);
      break;
    }
  }
  report("reduced", x);
  report("swept", y);
  std::printf("worst %g\n", worst);
}

TEST(PoolJoints, APlate) {
  compare([] { return plate(2, 1); }, 200, 1e-6);
}
TEST(PoolJoints, AnArm) {
  compare([] { return arm(); }, 400, 1e-6);
}
TEST(PoolJoints, ABridge) {
  compare([] { return bridge(20, 1); }, 100, 1e-6);
}
TEST(PoolJoints, AHeavyBridge) {
  compare([] { return bridge(20, 20); }, 100, 1e-6);
}

}  // namespace
