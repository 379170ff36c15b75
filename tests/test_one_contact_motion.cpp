// SPDX-License-Identifier: MIT
// Blocks with friction under Moreau-Jean, each contact alone in its island and so solved by its
// law: what Coulomb says of distances, angles and directions.
#include <gtest/gtest.h>
#include <perp/vi.h>

#include <cmath>

#include "model_tools.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

constexpr double kGravity = 9.81;

// Coordinates (along, above); rows of the relation: normal first.
void make_block(world &w, double m, const perp_law *law, const vec &force, const vec &v0) {
  perp_lagrangian_linear &s = w.body(vec{m, m});
  s.f = w.keep(force);
  w.join(w.contact(2, 2, {0, 1, 1, 0}).relation, law, {w.add(s.system)});
  w.q0.insert(w.q0.end(), {0, 0});
  w.v0.insert(w.v0.end(), v0.begin(), v0.end());
  w.options.solver = perp_solver_fixed_point();
}

TEST(OneContactMotion, ABlockStopsAfterCoulombsDistance) {
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    world w;
    const double m = 3, mu = 0.4, v = 2;
    make_block(w, m, w.friction(2, mu), {0, -m * kGravity}, {v, 0});
    w.options.h = h;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK) << r.info.field;
    ASSERT_EQ(r.steps(static_cast<int>(0.7 / h)), PERP_OK);
    EXPECT_NEAR(r.q(), v * v / (2 * mu * kGravity), v * h);
    EXPECT_NEAR(r.v(), 0, 1e-14);
    EXPECT_NEAR(r.q(0, 1), 0, 1e-14);
    EXPECT_NEAR(r.lambda(0, 0), m * kGravity * h, 1e-13 * m);
    EXPECT_NEAR(r.lambda(0, 1), 0, 1e-13 * m);
    EXPECT_EQ(static_cast<double>(r.report().solver_iterations), 0);  // the law did it all
  }
}

TEST(OneContactMotion, ABlockOnAnInclineSticksBelowTheAngleOfFriction) {
  const double m = 2, mu = 0.5, angle = std::atan(mu);
  for (const double tilt : {0.3, 0.9, 0.999, 1.001, 1.1, 1.5}) {
    world w;
    const double a = tilt * angle, h = 1e-3;
    make_block(w, m, w.friction(2, mu), {m * kGravity * std::sin(a), -m * kGravity * std::cos(a)},
               {0, 0});
    w.options.h = h;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.steps(1000), PERP_OK);
    const double rate = kGravity * (std::sin(a) - mu * std::cos(a));
    EXPECT_NEAR(r.v(), tilt < 1 ? 0 : rate, 1e-12) << tilt;
    EXPECT_NEAR(r.q(), tilt < 1 ? 0 : rate / 2, tilt < 1 ? 1e-12 : rate * h) << tilt;
  }
}

// In space the friction opposes the velocity, whatever its direction, so the path is straight.
TEST(OneContactMotion, ABlockOnATableSlidesStraightAhead) {
  for (int k = 0; k < 12; k++) {
    world w;
    const double m = 0.7, mu = 0.3, v = 1.5, h = 1e-3, t = 0.5 + k * 0.55;
    perp_lagrangian_linear &s = w.body(vec{m, m, m});
    s.f = w.keep({0, 0, -m * kGravity});
    // rows: normal z, then x, y
    w.join(w.contact(3, 3, {0, 1, 0, 0, 0, 1, 1, 0, 0}).relation, w.friction(3, mu),
           {w.add(s.system)});
    w.v0 = {v * std::cos(t), v * std::sin(t), 0};
    w.options.h = h;
    w.options.solver = perp_solver_fixed_point();
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.steps(700), PERP_OK);
    const double stop = v * v / (2 * mu * kGravity);
    EXPECT_NEAR(std::hypot(r.q(0, 0), r.q(0, 1)), stop, v * h);
    EXPECT_NEAR(r.q(0, 0) * std::sin(t) - r.q(0, 1) * std::cos(t), 0, 1e-13);
    EXPECT_NEAR(r.v(0, 0), 0, 1e-14);
    EXPECT_NEAR(r.v(0, 1), 0, 1e-14);
  }
}

// A ball thrown at the floor: the impulse of friction is mu times the normal one, or what stops it.
TEST(OneContactMotion, AnImpactWithFrictionAndRestitution) {
  for (const double mu : {0.0, 0.1, 0.3, 2.0}) {
    world w;
    const double m = 1, e = 0.5;
    make_block(w, m, w.friction(2, mu, e), {0, 0}, {1, -2});
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.v(0, 1), 1, 1e-14);
    EXPECT_NEAR(r.lambda(0, 0), 3, 1e-14);
    EXPECT_NEAR(r.v(0, 0), mu * 3 < 1 ? 1 - mu * 3 : 0, 1e-14);
    ASSERT_EQ(r.steps(10), PERP_OK);
    EXPECT_EQ(r.lambda(0, 0), 0);
    EXPECT_GT(r.q(0, 1), 0);
  }
}

// A wheel of mass m and radius R, coordinates (x, z, angle), that rolls without slipping: the
// resistance mu_r N makes it stop after v²/(2a), a = mu_r g R / (R² + J/m).
TEST(OneContactMotion, AWheelStopsByItsResistanceToRolling) {
  world w;
  const double m = 2, R = 0.3, J = 0.5 * m * R * R, mu_r = 0.01, v = 1, h = 1e-3;
  perp_lagrangian_linear &s = w.body(vec{m, m, J});
  s.f = w.keep({0, -m * kGravity, 0});
  // rows: z; x - R angle; angle
  w.join(w.contact(3, 3, {0, 1, 0, 1, 0, 0, 0, -R, 1}).relation, w.rolling(3, 0.8, mu_r),
         {w.add(s.system)});
  w.v0 = {v, 0, v / R};
  w.options.h = h;
  w.options.solver = perp_solver_fixed_point();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  const double rate = mu_r * kGravity * R / (R * R + J / m);
  ASSERT_EQ(r.steps(static_cast<int>(1.2 * v / rate / h)), PERP_OK);
  EXPECT_NEAR(r.q(0, 0), v * v / (2 * rate), v * h);
  EXPECT_NEAR(r.q(0, 0), R * r.q(0, 2), 1e-11);
  EXPECT_NEAR(r.v(0, 0), 0, 1e-13);
  EXPECT_NEAR(r.v(0, 2), 0, 1e-13);
}

// A block on a block is one island of two contacts, which is a solver's work.
TEST(OneContactMotion, BlocksOnOneAnotherGoToTheSolver) {
  world w;
  const double m = 1, mu = 0.5, h = 1e-2;
  perp_lagrangian_linear &s = w.body(vec{m, m});
  s.f = w.keep({0, -m * kGravity});
  const std::int32_t low = w.add(s.system), high = w.add(s.system);
  w.join(w.contact(2, 2, {0, 1, 1, 0}).relation, w.friction(2, mu), {low});
  w.join(w.contact(2, 4, {0, -1, -1, 0, 0, 1, 1, 0}).relation, w.friction(2, mu), {low, high});
  w.q0 = {0, 0, 0, 0};
  w.v0 = {0, 0, 1, 0};
  w.options.h = h;
  w.options.solver = perp_solver_fixed_point();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(60), PERP_OK) << r.info.relative_residual;
  // the lower one is held by 2 mu m g against mu m g
  EXPECT_NEAR(r.q(low), 0, 1e-7);
  EXPECT_NEAR(r.q(high), 1 / (2 * mu * kGravity), h);
  EXPECT_NEAR(r.v(high), 0, 1e-7);
  EXPECT_GT(static_cast<double>(r.report().solver_iterations), 0);
}

}  // namespace
