// SPDX-License-Identifier: MIT
// First-order steps against exact solutions and closed forms of a step.
#include <gtest/gtest.h>

#include <cmath>

#include "dense_tools.hpp"
#include "scheme_oracle.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

void first_order(world &w) { w.options.integrator = perp_integrator_theta(); }

double decay_error(double theta, double h, int steps, bool dense) {
  world w;
  first_order(w);
  perp_first_order_linear &s = w.circuit(1);  // 2 x' = -6 x + 3: x = 1/2 + e^(-3t)/2
  s.M = dense ? perp_dense(1, 1, w.keep({2})) : perp_diagonal(1, w.keep({2}));
  s.A = perp_diagonal(1, w.keep({-6}));
  s.b = w.keep({3});
  w.add(s.system);
  w.x0 = {1};
  w.options.h = h;
  w.options.theta = theta;
  w.options.solver = nullptr;
  run r(w);
  EXPECT_EQ(r.steps(steps), PERP_OK);
  return std::fabs(r.x() - 0.5 - 0.5 * std::exp(-3 * h * steps));
}

TEST(Theta, DecaysWithTheOrderOfTheta) {
  for (const bool dense : {false, true})
    for (const double theta : {0.0, 0.5, 0.7, 1.0}) {
      const double coarse = decay_error(theta, 1.0 / 256, 256, dense),
                   fine = decay_error(theta, 1.0 / 512, 512, dense);
      EXPECT_LT(fine, 1e-2);
      EXPECT_NEAR(std::log2(coarse / fine), theta == 0.5 ? 2 : 1, 0.05) << theta;
    }
}

double oscillation_error(double theta, double h, int steps) {
  world w;
  first_order(w);
  perp_first_order_linear &s = w.circuit(2);  // x' = 4 y, y' = -4 x, without a mass matrix
  s.A = perp_dense(2, 2, w.keep({0, -4, 4, 0}));
  w.add(s.system);
  w.x0 = {1, 0};
  w.options.h = h;
  w.options.theta = theta;
  w.options.solver = nullptr;
  run r(w);
  EXPECT_EQ(r.steps(steps), PERP_OK);
  const double t = 4 * h * steps;
  return std::hypot(r.x(0, 0) - std::cos(t), r.x(0, 1) + std::sin(t));
}

TEST(Theta, OscillatesWithTheOrderOfTheta) {
  for (const double theta : {0.5, 0.6, 1.0}) {
    const double coarse = oscillation_error(theta, 1.0 / 2048, 2048),
                 fine = oscillation_error(theta, 1.0 / 4096, 4096);
    EXPECT_NEAR(std::log2(coarse / fine), theta == 0.5 ? 2 : 1, 0.05) << theta;
  }
}

TEST(Theta, ThetaHalfKeepsTheNormOfARotation) {
  world w;
  first_order(w);
  perp_first_order_linear &s = w.circuit(2);
  s.A = perp_dense(2, 2, w.keep({0, -4, 4, 0}));
  w.add(s.system);
  w.x0 = {1, 0};
  w.options.h = 0.1;
  w.options.solver = nullptr;
  run r(w);
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    ASSERT_NEAR(std::hypot(r.x(0, 0), r.x(0, 1)), 1, 1e-12);
  }
}

// Capacitor and coil in parallel with a diode and a resistor in series: x = (voltage, current),
//   v' = -i/C + λ/C,  i' = v/L,   y = v + R λ,  0 <= y ⟂ λ >= 0.
TEST(Theta, CircuitWithADiodeHasTheClosedFormOfEachStep) {
  const double L = 1e-2, C = 1e-6, R = 1e3, h = 1e-5;
  for (const double theta : {0.5, 0.8, 1.0}) {
    world w;
    first_order(w);
    perp_first_order_linear &s = w.circuit(2);
    s.A = perp_dense(2, 2, w.keep({0, 1 / L, -1 / C, 0}));
    w.add(s.system);
    perp_linear_relation &diode = w.port(1, 2, {1, 0});
    diode.B = w.keep({1 / C, 0});
    diode.D = w.keep({R});
    w.join(diode.relation, w.complementarity(), {0});
    w.x0 = {10, 0};
    w.options.h = h;
    w.options.theta = theta;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    double v = 10, i = 0;
    int conducting = 0;
    for (int k = 0; k < 500; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      // W = [1, hθ/C; -hθ/L, 1], det = 1 + h²θ²/(LC); W⁻¹ = [1, -hθ/C; hθ/L, 1] / det
      const double a = h * theta / C, b = h * theta / L, det = 1 + a * b;
      const double rv = v - h * (1 - theta) * i / C, ri = i + h * (1 - theta) * v / L;
      const double free_v = (rv - a * ri) / det, free_i = (b * rv + ri) / det;
      const double M = h / C / det + R, lambda = free_v < 0 ? -free_v / M : 0;
      v = free_v + h / C / det * lambda;
      i = free_i + h / C * b / det * lambda;
      conducting += lambda > 0;
      double force = 999;
      ASSERT_EQ(perp_simulation_force(r.sim, 0, &force), PERP_OK);
      ASSERT_EQ(force, r.lambda());  // it has force level already
      ASSERT_NEAR(r.x(0, 0), v, 1e-11);
      ASSERT_NEAR(r.x(0, 1), i, 1e-13);
      ASSERT_NEAR(r.lambda(), lambda, 1e-13);
      ASSERT_NEAR(r.y(), v + R * lambda, 1e-11);
      // the next step of the closed form starts from what was found
      v = r.x(0, 0);
      i = r.x(0, 1);
    }
    EXPECT_GT(conducting, 10);
    EXPECT_LT(conducting, 490);
  }
}

// x' = 2 λ, y = x, λ ∈ -Sgn(y): both components reach 0 at t = 1/2 and stay there.
void expect_relay(bool one_law) {
  world w;
  first_order(w);
  w.add(w.circuit(2).system);
  perp_linear_relation &relay = w.port(2, 2, {1, 0, 0, 1});
  relay.B = w.keep({2, 0, 0, 2});
  w.join(relay.relation, one_law ? w.box({-1, -1}, {1, 1}) : w.box({-1}, {1}), {0});
  w.x0 = {1, -1};
  w.options.h = 1e-3;
  w.options.solver = perp_solver_active_set();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.lambda(0, 0), 0);
  EXPECT_EQ(r.y(0, 0), 1);
  for (int k = 1; k <= 800; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k;
    const double left = k < 500 ? 1 - 2e-3 * k : 0;
    for (std::size_t c : {0u, 1u}) {
      const double sign = c == 0 ? 1 : -1;
      ASSERT_NEAR(r.x(0, c), sign * left, 1e-13);
      ASSERT_NEAR(r.y(0, c), sign * left, 1e-13);
      if (k != 500) {
        ASSERT_NEAR(r.lambda(0, c), k < 500 ? -sign : 0, 1e-10);
      }
    }
  }
}

TEST(Theta, RelayReachesZeroInFiniteTime) { expect_relay(false); }
TEST(Theta, RelayOfOneLawWithTwoComponentsDoesTheSame) { expect_relay(true); }

// x' = -x + b + B λ + a,  y = x + D λ + F z + e.
TEST(Theta, EveryTermOfTheRelationActs) {
  const double h = 0.01, theta = 0.5, B = 2, D = 0.5, F = -1.5, e = 0.25, a = -3, b = 0.5;
  world w;
  first_order(w);
  double z[1] = {0.5};
  perp_first_order_linear &s = w.circuit(1);
  s.A = perp_diagonal(1, w.keep({-1}));
  s.b = w.keep({b});
  w.add(s.system);
  perp_linear_relation &port = w.port(1, 1, {1});
  port.B = w.keep({B});
  port.D = w.keep({D});
  port.F = w.keep({F});
  port.e = w.keep({e});
  port.a = w.keep({a});
  port.z = z;
  port.n_z = 1;
  w.join(port.relation, w.complementarity(), {0});
  w.x0 = {1};
  w.options.h = h;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_DOUBLE_EQ(r.y(), 1 + F * 0.5 + e);
  double x = 1;
  int acting = 0;
  for (int k = 0; k < 400; k++) {
    z[0] = 0.5 + std::sin(0.05 * k);  // takes effect in this step
    ASSERT_EQ(r.step(), PERP_OK);
    const double W = 1 + h * theta;
    const double free = x + h * (-x + b + a) / W;
    const double q = free + F * z[0] + e, M = h * B / W + D;
    const double lambda = q < 0 ? -q / M : 0;
    x = free + h * B / W * lambda;
    acting += lambda > 0;
    ASSERT_NEAR(r.x(), x, 1e-13) << k;
    ASSERT_NEAR(r.lambda(), lambda, 1e-13);
    ASSERT_NEAR(r.y(), x + D * lambda + F * z[0] + e, 1e-13);
  }
  EXPECT_GT(acting, 20);
  EXPECT_LT(acting, 380);
}

TEST(Theta, WithoutBTheMultiplierOnlyAnswers) {
  world w;
  first_order(w);
  perp_first_order_linear &s = w.circuit(1);
  s.A = perp_diagonal(1, w.keep({-1}));
  w.add(s.system);
  perp_linear_relation &port = w.port(1, 1, {1});
  port.D = w.keep({4});
  port.e = w.keep({-0.5});
  w.join(port.relation, w.complementarity(), {0});
  w.x0 = {1};
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  double x = 1;
  for (int k = 0; k < 200; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    x *= (1 - 0.5e-2) / (1 + 0.5e-2);
    ASSERT_NEAR(r.x(), x, 1e-14);
    ASSERT_NEAR(r.lambda(), x < 0.5 ? (0.5 - x) / 4 : 0, 1e-14);
    ASSERT_NEAR(r.y(), x < 0.5 ? 0 : x - 0.5, 1e-14);
  }
}

TEST(Theta, AnOutputThatNothingCanHoldIsARayAndLeavesTheState) {
  for (const perp_solver *solver : {perp_solver_lemke(), perp_solver_active_set()}) {
    world w;
    first_order(w);
    perp_first_order_linear &s = w.circuit(1);
    s.b = w.keep({-1});
    w.add(s.system);
    w.join(w.port(1, 1, {1}).relation, w.complementarity(), {0});
    w.x0 = {0.035};
    w.options.solver = solver;
    run r(w);
    ASSERT_EQ(r.steps(3), PERP_OK);
    const auto before = r.bytes();
    for (int k = 0; k < 2; k++) {
      EXPECT_EQ(r.step(), PERP_INFEASIBLE);
      EXPECT_STREQ(r.info.field, "one-step problem at interaction");
      EXPECT_EQ(r.bytes(), before);
    }
    EXPECT_EQ(r.report().failures, 2);
  }
}

std::int32_t ramp(double t, double *b, void *user) {
  (*static_cast<int *>(user))++;
  b[0] = t;
  return 0;
}

TEST(Theta, InputsOfTimeAreWeighedAndAskedOncePerTime) {
  for (const double theta : {0.0, 0.5, 1.0}) {
    world w;
    first_order(w);
    int calls = 0;
    perp_first_order_linear &s = w.circuit(1);
    s.input = ramp;
    s.user = &calls;
    w.add(s.system);
    w.options.theta = theta;
    w.options.solver = nullptr;
    run r(w);
    ASSERT_EQ(r.steps(100), PERP_OK);
    EXPECT_NEAR(r.x(), 0.5 + (theta - 0.5) * 1e-2, 1e-13);
    EXPECT_EQ(calls, 101);
  }
}

}  // namespace
