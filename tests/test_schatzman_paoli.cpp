// SPDX-License-Identifier: MIT
// Position-level steps against their discrete equations and a published trajectory.
#include <gtest/gtest.h>

#include <cmath>

#include "model_tools.hpp"

namespace {

using tools::make_ball;
using tools::make_column;
using tools::run;
using tools::vec;
using tools::world;

world &on_positions(world &w, double h) {
  w.options.integrator = perp_integrator_schatzman_paoli();
  w.options.h = h;
  return w;
}

TEST(SchatzmanPaoli, BallStepsAsTheTwoStepRecursionDoes) {
  for (double theta : {0.5, 1.0, 0.0})
    for (double v0 : {0.0, 2.0}) {
      world w;
      make_ball(w, 2, 9.81, 1, v0, 0.9);
      on_positions(w, 5e-3).options.theta = theta;
      run r(w);
      ASSERT_EQ(r.status, PERP_OK);
      const double h = 5e-3, m = 2, e = 0.9;
      double last = 1 - h * v0, q = 1;
      int pushes = 0;
      for (int k = 0; k < 1200; k++) {
        ASSERT_EQ(r.step(), PERP_OK);
        const double free = 2 * q - last - h * h * 9.81;
        const double lambda = std::fmax(0, -m * (free + e * last));
        const double next = free + lambda / m;
        ASSERT_NEAR(r.q(), next, 1e-9) << k;
        ASSERT_NEAR(r.lambda(), lambda, 1e-8) << k;
        ASSERT_NEAR(r.v(), (next - last) / (2 * h), 1e-6) << k;
        last = q;
        q = next;
        pushes += lambda > 0;
      }
      EXPECT_GT(pushes, 5);
    }
}

TEST(SchatzmanPaoli, ABallAtRestCarriesItsWeight) {
  world w;
  make_ball(w, 2, 9.81, 0, 0, 0.5);
  run r(on_positions(w, 1e-3));
  ASSERT_EQ(r.steps(500), PERP_OK);
  double force = 0;
  ASSERT_EQ(perp_simulation_force(r.sim, 0, &force), PERP_OK);
  EXPECT_NEAR(force, 2 * 9.81, 1e-7);
  EXPECT_NEAR(r.q(), 0, 1e-14);
  EXPECT_NEAR(r.v(), 0, 1e-11);
}

TEST(SchatzmanPaoli, ConstraintsNeverPenetrateWithPlasticImpact) {
  world w;
  make_column(w, {0.1, 0.2, 0.05, 0.3}, 1, 9.81, 0);
  run r(on_positions(w, 1e-3));
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    for (int i = 0; i < 4; i++) ASSERT_GE(r.y(i), -1e-9) << k;
  }
  EXPECT_NEAR(r.lambda(0), 4 * 9.81 * 1e-6, 1e-12);
}

// y = q - 0.1 is the rounding of its terms at rest.
TEST(SchatzmanPaoli, RestsWhereTheGapIsADifferenceOfLargeNumbers) {
  world w;
  auto &s = w.body(vec{1.7});
  s.f = w.keep({-1.7 * 9.81});
  auto &floor = w.contact(1, 1, {1});
  floor.b = w.keep({-123.4567});
  w.join(floor.relation, w.impact(0.4), {w.add(s.system)});
  w.q0 = {123.5};
  run r(on_positions(w, 1e-3));
  ASSERT_EQ(r.steps(2000), PERP_OK) << r.info.field << r.info.value;
  EXPECT_NEAR(r.q(), 123.4567, 1e-10);
}

// m q̈ + c q̇ + k q = 0 without contact.
TEST(SchatzmanPaoli, SmoothMotionConverges) {
  const double m = 1.5, c = 0.3, k = 40, T = 1;
  const double decay = c / (2 * m), omega = std::sqrt(k / m - decay * decay);
  const auto exact = [&](double t) {
    return std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  };
  double before = 0;
  for (int steps : {400, 800, 1600}) {
    world w;
    auto &s = w.body(1);
    s.M = perp_dense(1, 1, w.keep({m}));
    s.C = perp_dense(1, 1, w.keep({c}));
    s.K = perp_dense(1, 1, w.keep({k}));
    w.add(s.system);
    const double h = T / steps;
    w.q0 = {1};
    w.v0 = {0};
    on_positions(w, h).options.theta = 0.5;
    run r(w);
    ASSERT_EQ(r.steps(steps), PERP_OK);
    // starting with q_{-1} = q_0 is an error of first order in the velocity: h/2 of a step
    const double error = std::fabs(r.q() - exact(T));
    if (before > 0) {
      EXPECT_GT(before / error, 1.9) << steps;
    }
    before = error;
  }
}

TEST(SchatzmanPaoli, AChangedStepLengthGoesOnAlongTheSameLine) {
  world w;
  auto &s = w.body(vec{1});
  w.add(s.system);
  w.q0 = {0};
  w.v0 = {3};
  run r(on_positions(w, 1e-2));
  ASSERT_EQ(r.steps(10), PERP_OK);
  ASSERT_EQ(perp_simulation_advance(r.sim, 4e-3, nullptr), PERP_OK);
  ASSERT_EQ(perp_simulation_advance(r.sim, 7e-3, nullptr), PERP_OK);
  EXPECT_NEAR(r.q(), 3 * (0.1 + 0.011), 1e-13);
  EXPECT_NEAR(r.v(), 3, 1e-11);
}

TEST(SchatzmanPaoli, AResumedRunHasTheBitsOfTheUninterruptedOne) {
  world w;
  make_column(w, {0.1, 0.2}, 1, 9.81, 0.7);
  on_positions(w, 1e-3);
  run a(w);
  ASSERT_EQ(a.steps(300), PERP_OK);
  const auto checkpoint = a.bytes();
  ASSERT_EQ(a.steps(300), PERP_OK);
  run b(w.model, w.options, 0, checkpoint.data());
  ASSERT_EQ(b.status, PERP_OK);
  ASSERT_EQ(b.steps(300), PERP_OK);
  EXPECT_EQ(a.bytes(), b.bytes());
}

TEST(SchatzmanPaoli, RefusesWhatHasNoPositionLaw) {
  world w;
  auto &s = w.body(vec{1, 1});
  const auto i = w.add(s.system);
  w.join(w.contact(2, 2, {1, 0, 0, 1}).relation, w.friction(2, 0.3), {i});
  run r(on_positions(w, 1e-3));
  EXPECT_EQ(r.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(r.info.field, "law");
  world soft;
  auto &body = soft.body(vec{1});
  auto &floor = soft.contact(1, 1, {1});
  floor.D = soft.keep({5});
  soft.join(floor.relation, soft.impact(0.5), {soft.add(body.system)});
  run refused(on_positions(soft, 1e-3));
  EXPECT_EQ(refused.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(refused.info.field, "relation");
}

}  // namespace
