// SPDX-License-Identifier: MIT
// Prescribed velocities: what they evaluate to, what they take, what is refused.
#include <perp/boundary.h>

#include "model_tools.hpp"
#include "system_tools.hpp"

using tools::guarded;
using tools::run;
using tools::vec;
using tools::world;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double pi = std::acos(-1.0);

struct condition {
  perp_prescribed_velocity r;
  std::vector<std::int32_t> index;
  condition(const std::vector<std::int32_t> &which, std::int32_t n) : index(which) {
    EXPECT_EQ(perp_prescribed_velocity_init(&r, sizeof r, tools::count(which.size()), n), PERP_OK);
    r.index = index.data();
  }
  condition(const condition &) = delete;

  struct values {
    std::int32_t code;
    vec y, ydot, H;
  };
  values at(double t, const vec &v) const {
    const auto m = static_cast<std::size_t>(r.relation.m),
               n = static_cast<std::size_t>(r.relation.n);
    values x{999, vec(m, 0.0), vec(m, 0.0), vec(m * n, 0.0)};
    guarded scratch(r.relation.ops->scratch_doubles(&r.relation));
    perp_relation_point point{};
    point.t = t;
    point.h = 0.1;
    point.v = v.data();
    const perp_relation_values out = {x.y.data(), x.ydot.data(), x.H.data(), nullptr,
                                      nullptr,    nullptr,       nullptr};
    x.code = r.relation.ops->evaluate(&r.relation, &point, &out, scratch.get());
    return x;
  }
};

std::int32_t ramp(double t, double *v, void *user) {
  v[1] = t * *static_cast<double *>(user);  // v[0] was set to 0
  return 0;
}

TEST(PrescribedVelocity, IsTheVelocityMinusWhatIsPrescribed) {
  condition c({2, 0}, 3);
  auto x = c.at(0.5, {1, 2, 3});
  EXPECT_EQ(x.code, 0);
  EXPECT_EQ(x.y, (vec{0, 0}));
  EXPECT_EQ(x.ydot, (vec{3, 1}));
  EXPECT_EQ(x.H, (vec{0, 1, 0, 0, 1, 0}));
  const double constant[] = {10, 20};
  c.r.constant = constant;
  EXPECT_EQ(c.at(0.5, {1, 2, 3}).ydot, (vec{-7, -19}));
  double slope = 4;
  c.r.velocity = ramp;
  c.r.user = &slope;
  EXPECT_EQ(c.at(0.5, {1, 2, 3}).ydot, (vec{-7, -21}));
}

TEST(PrescribedVelocity, SumsTheHarmonicsOfEachCondition) {
  condition c({0, 1}, 2);
  const perp_harmonic parts[] = {{2, 3, 0.5}, {1, 0, 0}, {-1, 5, -pi / 2}, {0.5, 1e3, 1}};
  const double constant[] = {0.25, -1};
  c.r.harmonics = parts;
  c.r.n_harmonics = 2;
  c.r.constant = constant;
  for (const double t : {0.0, 0.7, -2.0, 1e3}) {
    const auto x = c.at(t, {1, 2});
    EXPECT_EQ(x.code, 0);
    EXPECT_NEAR(x.ydot[0], 1 - (0.25 + 2 * std::cos(3 * t + 0.5) + 1), 1e-13);
    EXPECT_NEAR(x.ydot[1], 2 - (-1 - std::cos(5 * t - pi / 2) + 0.5 * std::cos(1e3 * t + 1)),
                1e-13);
  }
}

TEST(PrescribedVelocity, HandsOnWhatTheCallbackAnswers) {
  condition c({0}, 1);
  c.r.velocity = [](double, double *, void *) -> std::int32_t { return -5; };
  EXPECT_EQ(c.at(0, {0}).code, -5);
  c.r.velocity = [](double, double *, void *) -> std::int32_t { return 5; };
  EXPECT_EQ(c.at(0, {0}).code, 5);
}

// A mass on a spring and a damper whose end is moved; returns the simulation.
struct driven : world {
  perp_prescribed_velocity r;
  std::int32_t index[1] = {0};
  double K = 30, C = 2, M = 1.5;
  perp_lagrangian_linear &s;
  explicit driven(double v_start) : s(body(vec{M})) {
    s.K = perp_diagonal(1, &K);
    s.C = perp_diagonal(1, &C);
    perp_prescribed_velocity_init(&r, sizeof r, 1, 1);
    r.index = index;
    add(s.system);
    join(r.relation, equality(), {0});
    q0 = {0};
    v0 = {v_start};
    options.solver = perp_solver_box_pivoting();
  }
};

TEST(PrescribedVelocity, AConstantOneIsKeptByTheForceItTakes) {
  driven w(0.5);
  const double constant = 0.5;
  w.r.constant = &constant;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  for (int k = 1; k <= 100; k++) {
    const double before = r.q();
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.v(), 0.5, 1e-13);
    EXPECT_NEAR(r.q(), 0.5 * 1e-2 * k, 1e-12);
    EXPECT_EQ(r.y(), 0);
    // no inertia: what spring and damper take, exactly
    EXPECT_NEAR(r.lambda(), 1e-2 * (w.K * 0.5 * (before + r.q()) + w.C * 0.5), 1e-13);
  }
}

// Largest error of the reaction force at mid-steps for v̄ = a cos ω t.
double force_error(double h) {
  driven w(0.2);
  const double a = 0.2, omega = 7;
  const perp_harmonic part = {a, omega, 0};
  w.r.harmonics = &part;
  w.r.n_harmonics = 1;
  w.options.h = h;
  run r(w);
  EXPECT_EQ(r.status, PERP_OK);
  double worst = 0;
  for (int k = 0; k * h < 2; k++) {
    EXPECT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.v(), a * std::cos(omega * r.time()), 1e-13);
    const double t = r.time() - h / 2, q = a / omega * std::sin(omega * t);
    const double force =
        -w.M * a * omega * std::sin(omega * t) + w.C * a * std::cos(omega * t) + w.K * q;
    worst = std::max(worst, std::fabs(r.lambda() / h - force));
  }
  return worst;
}

TEST(PrescribedVelocity, TheReactionOfAHarmonicOneIsThatOnPaperOfSecondOrder) {
  const double coarse = force_error(4e-3), fine = force_error(2e-3);
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.2);
}

TEST(PrescribedVelocity, DrivesOneDegreeAndLeavesTheOthersFree) {
  // two masses and a spring between; the first is driven, the second follows as if it saw a wall
  world w, moved;
  const vec K = {8, -8, -8, 8};
  perp_lagrangian_linear &two = w.body(vec{1, 2});
  two.K = perp_dense(2, 2, K.data());
  w.add(two.system);
  perp_prescribed_velocity drive;
  perp_prescribed_velocity_init(&drive, sizeof drive, 1, 2);
  const std::int32_t index[] = {0};
  drive.index = index;
  w.join(drive.relation, w.equality(), {0});
  w.q0 = {0, 0.1};
  w.options.solver = perp_solver_box_pivoting();
  perp_lagrangian_linear &one = moved.body(vec{2});
  const double k = 8;
  one.K = perp_diagonal(1, &k);
  moved.add(one.system);
  moved.q0 = {0.1};
  run r(w), s(moved);
  ASSERT_EQ(r.status, PERP_OK);
  for (int i = 0; i < 200; i++) {
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_EQ(s.step(), PERP_OK);
    EXPECT_NEAR(r.q(0, 0), 0, 1e-14);
    EXPECT_NEAR(r.q(0, 1), s.q(), 1e-12);
  }
}

TEST(PrescribedVelocity, HoldsAndTurnsABodyBesideASystemWithoutQuaternion) {
  // the body neither falls nor stops turning about its middle axis; the other mass just falls
  world w;
  perp_body body;
  perp_body_init(&body, sizeof body);
  body.mass = 3;
  body.inertia[0] = 1;
  body.inertia[4] = 2;
  body.inertia[8] = 2.5;
  body.f[2] = -3 * 9.81;
  perp_lagrangian_linear &mass = w.body(vec{1});
  mass.f = w.keep({-9.81});
  condition c({0 + 1, 1 + 2, 1 + 3, 1 + 4, 1 + 5}, 7);  // v_x of the mass is entry 0
  const double constant[] = {0, 0, 0, 4, 0};
  c.r.constant = constant;
  w.add(mass.system);
  w.add(body.system);
  w.join(c.r.relation, w.equality(), {0, 1});
  w.q0 = {10, 0, 0, 1, 1, 0, 0, 0};
  w.v0 = {0, 0, 0, 0, 0, 4, 0};
  w.options.solver = perp_solver_box_pivoting();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.steps(50), PERP_OK) << r.info.field;
  EXPECT_NEAR(r.v(0), -9.81 * 0.5, 1e-12);
  EXPECT_NEAR(r.q(1, 2), 1, 1e-12);
  EXPECT_NEAR(std::fabs(r.q(1, 3)), std::fabs(std::cos(4 * 0.5 / 2)), 1e-12);
  EXPECT_NEAR(std::fabs(r.q(1, 5)), std::fabs(std::sin(4 * 0.5 / 2)), 1e-12);
  EXPECT_NEAR(r.lambda(0, 1), 3 * 9.81 * 1e-2, 1e-12);  // its weight
  EXPECT_NEAR(r.lambda(0, 3), 0, 1e-12);                // a principal axis: no torque
}

TEST(PrescribedVelocity, WhatIsMissingOrWrongIsNamed) {
  driven w(0);
  const auto refused = [&w](const char *field, perp_status status) {
    perp_info info = PERP_INFO_INIT;
    EXPECT_EQ(perp_model_check(w.finish(), &info), status) << field;
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(info.index, 0);
  };
  EXPECT_EQ(perp_model_check(w.finish(), nullptr), PERP_OK);
  w.r.index = nullptr;
  refused("index", PERP_EINVAL);
  w.r.index = w.index;
  for (const std::int32_t bad : {-1, 1}) {
    w.index[0] = bad;
    refused("index", PERP_EINVAL);
  }
  w.index[0] = 0;
  w.r.n_harmonics = -1;
  refused("n_harmonics", PERP_EINVAL);
  w.r.n_harmonics = 1;
  refused("harmonics", PERP_EINVAL);
  for (int k = 0; k < 3; k++) {
    const perp_harmonic part = {k == 0 ? inf : 1, k == 1 ? inf : 1, k == 2 ? inf : 1};
    w.r.harmonics = &part;
    refused("harmonics", PERP_ENOTFINITE);
  }
  w.r.n_harmonics = 0;
  const double constant = NAN;
  w.r.constant = &constant;
  refused("constant", PERP_ENOTFINITE);
  condition twice({1, 1}, 2);
  EXPECT_EQ(twice.r.relation.ops->check(&twice.r.relation, nullptr), PERP_EINVAL);
  perp_prescribed_velocity x;
  EXPECT_EQ(perp_prescribed_velocity_init(nullptr, sizeof x, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_prescribed_velocity_init(&x, sizeof x, 0, 1), PERP_EINVAL);
  EXPECT_EQ(perp_prescribed_velocity_init(&x, sizeof x, 1, 0), PERP_EINVAL);
  EXPECT_EQ(perp_prescribed_velocity_init(&x, sizeof x + 8, 1, 1), PERP_EINVAL);
}

}  // namespace
