// SPDX-License-Identifier: MIT
// Newton's iteration of joints under load: reactions that turn with the positions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "model_tools.hpp"

namespace {

using tools::kRod;
using tools::run;
using tools::vec;
using tools::world;

constexpr double kMass = 2, kStep = 5e-3, kGravity = 9.81;

// A bob on a rod from the origin, drawn to the anchor on the first axis by a spring of stiffness
// k = stiffness m/h² and length 0. Anchors beyond the origin press on the rod.
struct bob {
  world w;
  perp_lagrangian_relation relation{};
  perp_lagrangian varying{};
  std::array<double, 2> spring;  // k, anchor

  bob(double stiffness, double anchor, std::int32_t projection, bool constant = false)
      : spring{stiffness * kMass / (kStep * kStep), anchor} {
    w.join(tools::make_rod(relation), w.equality(), {w.add(constant ? linear() : nonlinear())});
    w.q0 = {kRod * std::cos(0.4), kRod * std::sin(0.4)};
    w.v0 = {0, 0};
    w.options.h = kStep;
    w.options.theta = 1;
    w.options.solver = perp_solver_active_set();
    w.options.projection = projection;
  }

  const perp_system &linear() {
    auto &s = w.body(vec{kMass, kMass});
    s.K = perp_diagonal(2, w.keep({spring[0], spring[0]}));
    s.f = w.keep({spring[0] * spring[1], -kMass * kGravity});
    return s.system;
  }

  const perp_system &nonlinear() {
    perp_lagrangian_init(&varying, sizeof varying, 2);
    varying.M = perp_diagonal(2, w.keep({kMass, kMass}));
    varying.f = w.keep({0, -kMass * kGravity});
    varying.user = spring.data();
    varying.internal = [](double, const double *q, const double *, const double *, double *F,
                          void *user) -> std::int32_t {
      const double *s = static_cast<double *>(user);
      F[0] = s[0] * (q[0] - s[1]);
      F[1] = s[0] * q[1];
      return 0;
    };
    varying.internal_dq = [](double, const double *, const double *, const double *, double *out,
                             void *user) -> std::int32_t {
      out[0] = out[3] = static_cast<double *>(user)[0];
      return 0;
    };
    return varying.system;
  }
};

struct state {
  std::array<double, 2> q, v;
};

state state_of(const run &r) { return {{r.q(0, 0), r.q(0, 1)}, {r.v(0, 0), r.v(0, 1)}}; }

// What a step owes the equations of motion, relative to the terms, and the velocity along the rod
// relative to the velocity, from the definition.
void expect_equations(const bob &b, const run &r, const state &before, double tol) {
  const double theta = b.w.options.theta;
  const state now = state_of(r);
  const auto force = [&](const state &s, std::size_t i) {
    return i == 0 ? b.spring[0] * (b.spring[1] - s.q[0]) : -b.spring[0] * s.q[1] - kMass * kGravity;
  };
  double off = 0, size = 0;
  for (std::size_t i = 0; i < 2; i++) {
    const double ends[] = {kStep * theta * force(now, i), kStep * (1 - theta) * force(before, i)};
    const double reaction = now.q[i] / kRod * r.lambda();
    const double lack = kMass * (now.v[i] - before.v[i]) - ends[0] - ends[1] - reaction;
    off = std::fmax(off, std::fabs(lack));
    size += kMass * (std::fabs(now.v[i]) + std::fabs(before.v[i])) + std::fabs(ends[0]) +
            std::fabs(ends[1]) + std::fabs(reaction);
  }
  EXPECT_LE(off, tol * size);
  const double along = (now.q[0] * now.v[0] + now.q[1] * now.v[1]) / kRod;
  const double speed = std::hypot(now.v[0], now.v[1]) + std::hypot(before.v[0], before.v[1]);
  EXPECT_LE(std::fabs(along), tol * speed + 1e-15 * size / kMass);
}

perp_report report(const run &r) {
  perp_report out = PERP_REPORT_INIT;
  EXPECT_EQ(perp_simulation_report(r.sim, &out), PERP_OK);
  return out;
}

TEST(GeometricStiffness, ABobOnARodWithAStiffSpringIsSteppedInFewPasses) {
  for (double stiffness : {25.0, 2500.0})
    for (double anchor : {0.0, 2.6})
      for (std::int32_t projection : {PERP_PROJECT_NONE, PERP_PROJECT_COMBINED}) {
        SCOPED_TRACE(testing::Message() << stiffness << " " << anchor << " " << projection);
        bob b(stiffness, anchor, projection);
        run r(b.w);
        ASSERT_EQ(r.status, PERP_OK);
        const int steps = 200;
        for (int k = 0; k < steps; k++) {
          const state before = state_of(r);
          ASSERT_EQ(r.step(), PERP_OK) << k << " " << r.info.field << " " << r.info.value;
          expect_equations(b, r, before, 1e-8);
          if (projection != PERP_PROJECT_NONE) {
            ASSERT_LE(std::fabs(std::hypot(r.q(0, 0), r.q(0, 1)) - kRod), 2e-8);
          }
        }
        const perp_report all = report(r);
        EXPECT_LE(static_cast<double>(all.newton), 6.5 * steps);
        EXPECT_EQ(static_cast<double>(all.left_out), 0);
      }
}

// The defect after each pass of one step that turns the rod by 0.4.
TEST(GeometricStiffness, PassesConvergeQuadratically) {
  for (double stiffness : {25.0, 2500.0}) {
    double before = 1, last = 1;
    for (std::int32_t passes = 1; passes < 12; passes++) {
      bob b(stiffness, 2.6, PERP_PROJECT_NONE);
      b.w.options.newton_max = passes;
      b.w.options.newton_tol = 1e-14;
      run r(b.w);
      if (r.step() == PERP_OK) break;
      before = last;
      last = r.info.value;
      if (before < 1e-2) {
        EXPECT_LE(last, 100 * before * before + 1e-13) << passes;
      }
    }
    EXPECT_LT(before, 1e-2) << "some passes were in the range of the test";
    EXPECT_LT(last, 1e-8) << stiffness;
  }
}

// A mass that is light along a rod under pressure: W would be indefinite, but only along the rod,
// and passes converge without.
TEST(GeometricStiffness, WhatIsNotPositiveDefiniteIsLeftOutAndCounted) {
  bob b(0, 0, PERP_PROJECT_COMBINED, true);
  b.w.bodies.back().M = perp_diagonal(2, b.w.keep({0.1, 10}));
  const double press = -0.2 * 10 * kRod / (kStep * kStep);
  b.w.bodies.back().f = b.w.keep({press, 3});
  b.w.q0 = {kRod, 0};
  run r(b.w);
  for (int k = 0; k < 10; k++) {
    const state before = state_of(r);
    ASSERT_EQ(r.step(), PERP_OK) << k;
    const state now = state_of(r);
    const double lack[] = {
        0.1 * (now.v[0] - before.v[0]) - kStep * press - now.q[0] / kRod * r.lambda(),
        10 * (now.v[1] - before.v[1]) - kStep * 3 - now.q[1] / kRod * r.lambda()};
    EXPECT_LE(std::fabs(lack[0]), 1e-8 * kStep * std::fabs(press));
    EXPECT_LE(std::fabs(lack[1]), 1e-9 * kStep * std::fabs(press));
  }
  EXPECT_GT(static_cast<double>(report(r).left_out), 0);
}

// A failed step tells that something was left out, too.
TEST(GeometricStiffness, IsCountedInStepsThatFail) {
  bob b(25, -2.6, PERP_PROJECT_NONE);
  b.w.options.newton_max = 10;
  run r(b.w);
  ASSERT_EQ(r.step(), PERP_MAX_ITER);
  const double once = static_cast<double>(report(r).left_out);
  EXPECT_GT(once, 0);
  bob again(25, -2.6, PERP_PROJECT_NONE);
  again.w.options.newton_max = 10;
  again.w.options.on_failure = PERP_FAILURE_RETRY;
  run s(again.w);
  (void)s.step();
  EXPECT_GE(static_cast<double>(report(s).left_out), once);
}

// Two bobs on a rod: what couples them has no place in W, which has one block for each system.
TEST(GeometricStiffness, WhatCouplesSystemsIsLeftOutAndCounted) {
  world w;
  perp_lagrangian_relation relation{};
  perp_lagrangian_scleronomous_init(&relation, sizeof relation, 1, 4);
  relation.h = [](double, const double *q, const double *, const double *, double *y,
                  void *) -> std::int32_t {
    const double d[] = {q[0] - q[2], q[1] - q[3]};
    y[0] = (d[0] * d[0] + d[1] * d[1] - kRod * kRod) / (2 * kRod);
    return 0;
  };
  const double k = kMass / (kStep * kStep);
  for (double side : {1.0, -1.0}) {
    auto &s = w.body(vec{kMass, kMass});
    s.K = perp_diagonal(2, w.keep({k, k}));
    s.f = w.keep({side * k * kRod, -kMass * kGravity});
    w.add(s.system);
    w.q0.push_back(side * kRod / 2 * std::cos(0.4));
    w.q0.push_back(side * kRod / 2 * std::sin(0.4));
  }
  w.join(relation.relation, w.equality(), {0, 1});
  w.v0 = {0, 0, 0, 0};
  w.options.h = kStep;
  w.options.theta = 1;
  w.options.solver = perp_solver_active_set();
  w.options.projection = PERP_PROJECT_COMBINED;
  run r(w);
  for (int i = 0; i < 100; i++) {
    ASSERT_EQ(r.step(), PERP_OK) << i;
    ASSERT_NEAR(std::hypot(r.q(0, 0) - r.q(1, 0), r.q(0, 1) - r.q(1, 1)), kRod, 2e-8);
  }
  EXPECT_GT(static_cast<double>(report(r).left_out), 0);
}

// Two planar bodies (x, y, φ) of length s: A turns about a point, B slides on an axis of its own on
// A's end without turning against it, or is welded to it, and is drawn to an anchor by a spring.
struct planar {
  world w;
  perp_lagrangian near{}, far{};
  perp_lagrangian_relation pin{}, joint{};
  double s, where, k;
  bool weld;

  planar(bool weld_, double stiffness, double s_ = 1, double where_ = 0)
      : s(s_), where(where_), k(stiffness * kMass / (kStep * kStep)), weld(weld_) {
    const double t = 1e-3, u[] = {std::sin(t), -std::cos(t)};
    for (auto *body : {&near, &far}) {
      perp_lagrangian_init(body, sizeof *body, 3);
      body->M = perp_diagonal(3, w.keep({kMass, kMass, kMass * s * s}));
      w.add(body->system);
    }
    far.user = this;
    far.internal = [](double, const double *q, const double *, const double *, double *F,
                      void *user) -> std::int32_t {
      const auto *p = static_cast<planar *>(user);
      F[0] = p->k * (q[0] - p->where - 1e-3 * p->s);
      F[1] = p->k * (q[1] - p->where + 2.6 * p->s);
      return 0;
    };
    far.internal_dq = [](double, const double *, const double *, const double *, double *out,
                         void *user) -> std::int32_t {
      out[0] = out[4] = static_cast<planar *>(user)->k;
      return 0;
    };
    for (double r : {0.5, 1.5})
      for (double x : {where + r * s * u[0], where + r * s * u[1], t}) w.q0.push_back(x);
    w.v0 = vec(6, 0.0);
    perp_lagrangian_scleronomous_init(&pin, sizeof pin, 2, 3);
    pin.user = joint.user = this;
    pin.h = [](double, const double *q, const double *, const double *, double *y,
               void *user) -> std::int32_t {
      const auto *p = static_cast<planar *>(user);
      y[0] = q[0] - p->where - 0.5 * p->s * std::sin(q[2]);
      y[1] = q[1] - p->where + 0.5 * p->s * std::cos(q[2]);
      return 0;
    };
    pin.H = [](double, const double *q, const double *, const double *, double *H,
               void *user) -> std::int32_t {
      const double r = 0.5 * static_cast<planar *>(user)->s;
      const double rows[] = {1, 0, 0, 1, -r * std::cos(q[2]), -r * std::sin(q[2])};
      std::copy(rows, rows + 6, H);
      return 0;
    };
    w.join(pin.relation, w.equality(2), {0});
    const std::int32_t m = weld ? 3 : 2;
    perp_lagrangian_scleronomous_init(&joint, sizeof joint, m, 6);
    joint.user = this;
    joint.h = [](double, const double *q, const double *, const double *, double *y,
                 void *user) -> std::int32_t {
      const auto *p = static_cast<planar *>(user);
      const double r = 0.5 * p->s, c = std::cos(q[5]), n = std::sin(q[5]);
      const double d[] = {q[0] + r * std::sin(q[2]) - q[3], q[1] - r * std::cos(q[2]) - q[4]};
      y[0] = -n * d[0] + c * d[1] - r;
      y[1] = p->s * (q[2] - q[5]);
      if (p->weld) y[2] = c * d[0] + n * d[1];
      return 0;
    };
    joint.H = [](double, const double *q, const double *, const double *, double *H,
                 void *user) -> std::int32_t {
      const auto *p = static_cast<planar *>(user);
      const double r = 0.5 * p->s, c = std::cos(q[5]), n = std::sin(q[5]);
      const double d[] = {q[0] + r * std::sin(q[2]) - q[3], q[1] - r * std::cos(q[2]) - q[4]};
      const double e[] = {r * std::cos(q[2]), r * std::sin(q[2])}; /* of A's end by its angle */
      const double rows[3][6] = {{-n, c, -n * e[0] + c * e[1], n, -c, -c * d[0] - n * d[1]},
                                 {0, 0, p->s, 0, 0, -p->s},
                                 {c, n, c * e[0] + n * e[1], -c, -n, -n * d[0] + c * d[1]}};
      const std::size_t n_rows = p->weld ? 3 : 2;
      for (std::size_t j = 0; j < 6; j++)
        for (std::size_t i = 0; i < n_rows; i++) H[i + n_rows * j] = rows[i][j];
      return 0;
    };
    w.join(joint.relation, w.equality(m), {0, 1});
    w.options.h = kStep;
    w.options.theta = 1;
    w.options.solver = perp_solver_active_set();
  }
};

// What the first step of a model made by make() lacks after each pass.
template <class Make>
vec defects(Make make) {
  vec out;
  for (std::int32_t passes = 1; passes < 16; passes++) {
    auto b = make();
    b->w.options.newton_max = passes;
    b->w.options.newton_tol = 1e-14;
    run r(b->w);
    if (r.step() == PERP_OK) break;
    out.push_back(r.info.value);
  }
  return out;
}

// Of two bodies: what couples them goes into λ. How ẏ turns with the positions is left out, which
// leaves errors of the angle that the step turns by.
TEST(GeometricStiffness, PassesOfAJointBetweenTwoBodiesConvergeQuadratically) {
  for (bool weld : {false, true})
    for (double stiffness : {0.5, 5.0, 500.0}) {
      if (!weld && stiffness > 1) continue; /* under load across it a slider slips: not definite */
      SCOPED_TRACE(testing::Message() << weld << " " << stiffness);
      const vec d = defects([&] { return std::make_unique<planar>(weld, stiffness); });
      planar b(weld, stiffness);
      run r(b.w);
      ASSERT_EQ(r.step(), PERP_OK);
      const double angle = std::fabs(r.q(0, 2) - b.w.q0[2]);
      EXPECT_LE(angle, 1e-3);
      std::size_t passes = 0;
      while (passes < d.size() && d[passes] > 1e-10) passes++;
      EXPECT_LE(passes, 5u);
      for (std::size_t i = 2; i < d.size() && d[i - 1] > 1e-12; i++) {
        EXPECT_LE(d[i], 100 * d[i - 1] * d[i - 1] + 10 * angle * (d[i - 1] + d[i - 2])) << i;
      }
      for (int k = 0; k < 100; k++) ASSERT_EQ(r.step(), PERP_OK) << k;
      EXPECT_EQ(static_cast<double>(report(r).left_out), 0);
    }
}

// Two rigid bodies of a pendulum, the second drawn far down by a spring, and every joint between
// them; s is a length. Inertia is large enough that a slide across the load keeps W definite.
struct pair_of_bodies {
  world w;
  perp_body near{}, far{};
  perp_joint ball{}, joint{};
  double k, anchor[3];

  pair_of_bodies(std::int32_t kind, double stiffness, double inertia, double s = 1,
                 double where = 0)
      : k(stiffness / (kStep * kStep)), anchor{where + 0.1 * s, where + 0.05 * s, where - 2.6 * s} {
    for (auto *body : {&near, &far}) {
      perp_body_init(body, sizeof *body);
      for (int i = 0; i < 3; i++) body->inertia[4 * i] = inertia * s * s;
      w.add(body->system);
    }
    far.user = this;
    far.force = [](double, const double *q, const double *, double *out,
                   void *user) -> std::int32_t {
      const auto *p = static_cast<pair_of_bodies *>(user);
      for (int i = 0; i < 3; i++) out[i] = p->k * (p->anchor[i] - q[i]);
      return 0;
    };
    far.force_jacobian = [](double, const double *, const double *, double *by_d, double *,
                            void *user) -> std::int32_t {
      for (int i = 0; i < 3; i++) by_d[4 * i] = -static_cast<pair_of_bodies *>(user)->k;
      return 0;
    };
    const double t[] = {0.02, 0.05};
    const double u[] = {std::sin(t[0]), -std::cos(t[0])}, v[] = {std::sin(t[1]), -std::cos(t[1])};
    const double o[] = {where, where, where};
    const double point[] = {where + s * u[0], where, where + s * u[1]};
    w.q0 = {where + 0.5 * s * u[0],    where, where + 0.5 * s * u[1],    1, 0, 0, 0,
            point[0] + 0.5 * s * v[0], where, point[2] + 0.5 * s * v[1], 1, 0, 0, 0};
    w.v0 = vec(12, 0.0);
    perp_joint_init(&ball, sizeof ball, PERP_JOINT_SPHERICAL, 1);
    perp_joint_place(&ball, o, nullptr, w.q0.data(), nullptr);
    w.join(ball.relation, w.equality(3), {0});
    perp_joint_init(&joint, sizeof joint, kind, 2);
    joint.lead = 0.05 * s;
    const double axis[] = {0, 1, 0};
    perp_joint_place(&joint, point, axis, w.q0.data(), w.q0.data() + 7);
    w.join(joint.relation, w.equality(joint.relation.m), {0, 1});
    w.options.h = kStep;
    w.options.theta = 1;
    w.options.solver = perp_solver_box_pivoting();
  }
};

// Mean passes of the first steps.
double passes_of(std::int32_t kind, double stiffness, double inertia, double s, double where) {
  pair_of_bodies b(kind, stiffness, inertia, s, where);
  run r(b.w);
  const int steps = 100;
  for (int k = 0; k < steps; k++) {
    if (r.step() == PERP_OK) continue;
    ADD_FAILURE() << k << " " << r.info.field << " " << r.info.value;
    return HUGE_VAL;
  }
  EXPECT_EQ(static_cast<double>(report(r).left_out), 0);
  return static_cast<double>(report(r).newton) / steps;
}

TEST(GeometricStiffness, EveryJointOfTwoBodiesIsSteppedUnderLoadInFewPasses) {
  for (std::int32_t kind = PERP_JOINT_SPHERICAL; kind <= PERP_JOINT_SCREW; kind++) {
    SCOPED_TRACE(kind);
    EXPECT_LE(passes_of(kind, 0.5, 2, 1, 0), 6);
    if (kind == PERP_JOINT_PRISMATIC || kind == PERP_JOINT_CYLINDRICAL) continue;
    EXPECT_LE(passes_of(kind, 2.5, 0.1, 1, 0), 4);
  }
}

// Passes of a bob on a rod of length s whose gap is the distance, which differences of a step of
// another length miss, drawn aside by a spring.
double passes_of_rod(double s) {
  world w;
  perp_lagrangian_relation relation{};
  perp_lagrangian far{};
  std::array<double, 3> spring{100 * kMass / (kStep * kStep), 1.5 * s, s};
  perp_lagrangian_init(&far, sizeof far, 2);
  far.M = perp_diagonal(2, w.keep({kMass, kMass}));
  far.user = relation.user = spring.data();
  far.internal = [](double, const double *q, const double *, const double *, double *F,
                    void *user) -> std::int32_t {
    const double *k = static_cast<double *>(user);
    F[0] = k[0] * (q[0] - k[1]);
    F[1] = k[0] * q[1];
    return 0;
  };
  far.internal_dq = [](double, const double *, const double *, const double *, double *out,
                       void *user) -> std::int32_t {
    out[0] = out[3] = static_cast<double *>(user)[0];
    return 0;
  };
  perp_lagrangian_scleronomous_init(&relation, sizeof relation, 1, 2);
  relation.user = spring.data();
  relation.h = [](double, const double *q, const double *, const double *, double *y,
                  void *user) -> std::int32_t {
    y[0] = std::hypot(q[0], q[1]) - static_cast<double *>(user)[2];
    return 0;
  };
  relation.H = [](double, const double *q, const double *, const double *, double *H,
                  void *) -> std::int32_t {
    for (std::size_t i = 0; i < 2; i++) H[i] = q[i] / std::hypot(q[0], q[1]);
    return 0;
  };
  w.join(relation.relation, w.equality(), {w.add(far.system)});
  w.q0 = {s * std::cos(0.1), s * std::sin(0.1)};
  w.v0 = {0, 0};
  w.options.h = kStep;
  w.options.theta = 1;
  w.options.solver = perp_solver_active_set();
  run r(w);
  EXPECT_EQ(r.steps(50), PERP_OK) << s << " " << r.info.field << " " << r.info.value;
  return static_cast<double>(report(r).newton);
}

// Steps of differences are those of the model's lengths.
TEST(GeometricStiffness, PassesAreAsManyInModelsOfMicrometres) {
  const double many = passes_of_rod(1);
  for (double s : {1e-9, 1e-6, 1e6}) {
    SCOPED_TRACE(s);
    EXPECT_LE(passes_of_rod(s), 1.1 * many);
    for (bool weld : {false, true}) {
      const auto passes = [&](double length) {
        planar b(weld, 0.5, length);
        run r(b.w);
        EXPECT_EQ(r.steps(50), PERP_OK) << r.info.field << " " << r.info.value;
        return static_cast<double>(report(r).newton);
      };
      EXPECT_LE(passes(s), 1.1 * passes(1));
    }
    for (std::int32_t kind = PERP_JOINT_SPHERICAL; kind <= PERP_JOINT_SCREW; kind++)
      for (double where : {0.0, 5 * s}) EXPECT_LE(passes_of(kind, 0.5, 2, s, where), 7) << kind;
  }
}

// A body that hangs on a ball joint, with its centre at 1, under loads far above its inertia.
void hang(double load, double tilt, std::int32_t projection) {
  world w;
  perp_body body;
  ASSERT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
  body.mass = 1;
  for (int i = 0; i < 3; i++) body.inertia[4 * i] = 0.1;
  body.f[2] = -load / (kStep * kStep);
  w.add(body.system);
  w.q0 = {std::sin(tilt), 0, -std::cos(tilt), 1, 0, 0, 0};
  w.v0 = vec(6, 0.0);
  perp_joint joint;
  ASSERT_EQ(perp_joint_init(&joint, sizeof joint, PERP_JOINT_SPHERICAL, 1), PERP_OK);
  const double point[] = {0, 0, 0};
  ASSERT_EQ(perp_joint_place(&joint, point, nullptr, w.q0.data(), nullptr), PERP_OK);
  w.join(joint.relation, w.equality(3), {0});
  w.options.h = kStep;
  w.options.theta = 1;
  w.options.solver = perp_solver_box_pivoting();
  w.options.projection = projection;
  run r(w);
  for (int k = 0; k < 200; k++) {
    const vec v = {r.v(0, 0), r.v(0, 1), r.v(0, 2)};
    ASSERT_EQ(r.step(), PERP_OK) << k << " " << r.info.field << " " << r.info.value;
    for (std::size_t i = 0; i < 3; i++) {
      const double lack = r.v(0, i) - v[i] - kStep * body.f[i] - r.lambda(0, i);
      EXPECT_LE(std::fabs(lack), 1e-8 * kStep * std::fabs(body.f[2]));
    }
    if (projection == PERP_PROJECT_NONE) continue;
    ASSERT_NEAR(std::hypot(std::hypot(r.q(0, 0), r.q(0, 1)), r.q(0, 2)), 1, 2e-8) << k;
  }
  EXPECT_LE(static_cast<double>(report(r).newton), 4 * 200);
  EXPECT_EQ(static_cast<double>(report(r).left_out), 0);
}

TEST(GeometricStiffness, ABodyHangsOnABallJointUnderLoad) {
  for (std::int32_t projection : {PERP_PROJECT_NONE, PERP_PROJECT_COMBINED}) {
    SCOPED_TRACE(projection);
    hang(0.25, 0.1, projection);
    hang(2.5, 0.1, projection);
    hang(25, 2e-3, projection);
  }
}

// A constant system has one W for all, and passes of a stiff one are shortened to the end: between
// two solutions of an equality there are only solutions, so the defect decides.
TEST(GeometricStiffness, AShortenedStepMayEndTheIterationOfEqualities) {
  bob b(100, 6, PERP_PROJECT_NONE, true);
  b.w.options.theta = 0.75;
  run r(b.w);
  const state before = state_of(r);
  ASSERT_EQ(r.step(), PERP_OK) << r.info.field << " " << r.info.value;
  expect_equations(b, r, before, 1e-9);
}

// A bob on a rod, held on a parabolic sheet whose function can give up, at a call that is counted.
struct sheet {
  world w;
  perp_lagrangian bob{};
  perp_lagrangian_relation rod{}, parabola{};
  struct counter {
    int calls = 0, fails_at = 0;
    std::int32_t answer() { return ++calls == fails_at ? -1 : 0; }
  } count;

  explicit sheet(int fails_at) {
    count.fails_at = fails_at;
    perp_lagrangian_init(&bob, sizeof bob, 3);
    bob.M = perp_diagonal(3, w.keep({1, 1, 1}));
    bob.f = w.keep({0, 0, -kGravity});
    bob.internal = [](double, const double *, const double *, const double *, double *,
                      void *) -> std::int32_t { return 0; };
    bob.internal_dq = bob.internal_dv = bob.internal;
    perp_lagrangian_scleronomous_init(&rod, sizeof rod, 1, 3);
    rod.h = [](double, const double *q, const double *, const double *, double *y, void *) {
      y[0] = std::hypot(q[0], q[1], q[2]) - 1;
      return std::int32_t{0};
    };
    rod.H = [](double, const double *q, const double *, const double *, double *H, void *) {
      for (int i = 0; i < 3; i++) H[i] = q[i] / std::hypot(q[0], q[1], q[2]);
      return std::int32_t{0};
    };
    perp_lagrangian_scleronomous_init(&parabola, sizeof parabola, 1, 3);
    parabola.user = &count;
    parabola.h = [](double, const double *q, const double *, const double *, double *y,
                    void *user) {
      y[0] = q[1] - 0.3 * q[0] * q[0];
      return static_cast<counter *>(user)->answer();
    };
    parabola.H = [](double, const double *q, const double *, const double *, double *H,
                    void *user) {
      H[0] = -0.6 * q[0], H[1] = 1, H[2] = 0;
      return static_cast<counter *>(user)->answer();
    };
    w.join(rod.relation, w.equality(), {w.add(bob.system)});
    w.join(parabola.relation, w.equality(), {0});
    w.q0 = {0, 0, -1};
    w.v0 = {3, 0, 0};
    w.options.h = 0.15;
    w.options.steps = 20;
    w.options.solver = perp_solver_active_set();
  }
};

// A call that gives up amid a pass costs a step, which is taken when asked for again.
TEST(GeometricStiffness, AFunctionThatGivesUpOnceCostsNoMoreThanItsStep) {
  const auto go = [](int fails_at, int *calls) {
    sheet s(fails_at);
    run r(s.w);
    int failed = 0;
    for (int steps = 0; r.status == PERP_OK && steps < 20 && failed < 3;)
      r.step() == PERP_OK ? ++steps : ++failed;
    *calls = s.count.calls;
    return std::make_pair(failed, r.bytes());
  };
  int calls, others;
  const auto plain = go(0, &calls);
  ASSERT_EQ(plain.first, 0);
  ASSERT_GT(calls, 200);
  int seen = 0;
  for (int i = 1; i <= calls; i++) {
    const auto once = go(i, &others);
    if (once.first == 0) continue;  // at the initial values, or where the call did not matter
    seen++;
    ASSERT_EQ(once.first, 1) << i;
    ASSERT_TRUE(once.second == plain.second) << i;
  }
  EXPECT_GT(seen, calls / 2);
}

}  // namespace
