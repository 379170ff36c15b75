// SPDX-License-Identifier: MIT
// θ–γ schemes of order 1 against their discrete equations, written out for two states.
#include <gtest/gtest.h>

#include <cmath>

#include "model_tools.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

// Coil and capacitor with a branch of resistor and diode: v' = -i/C - λ/C, i' = v/L,
// y = Rλ - v, 0 <= y ⟂ λ >= 0.
constexpr double kL = 1e-2, kC = 1e-6, kR = 1e3;

void make_circuit(world &w) {
  auto &circuit = w.circuit(2);
  circuit.A = perp_dense(2, 2, w.keep({0, 1 / kL, -1 / kC, 0}));
  circuit.b = w.keep({30, -2});
  auto &diode = w.port(1, 2, {-1, 0});
  diode.D = w.keep({kR});
  diode.B = w.keep({-1 / kC, 0});
  diode.e = w.keep({0.01});
  diode.a = w.keep({100, 3});
  w.join(diode.relation, w.complementarity(), {w.add(circuit.system)});
  w.x0 = {10, 0};
  w.options.h = 1e-5;
  w.options.theta = 0.6;
}

vec f(const vec &x) { return {-x[1] / kC + 30, x[0] / kL - 2}; }
vec g(double lambda) { return {-lambda / kC + 100, 3}; }

struct scheme {
  const perp_integrator *integrator;
  double gamma;
  bool middle;
};

void PrintTo(const scheme &s, std::ostream *os) { *os << s.gamma << (s.middle ? " full" : ""); }

class ThetaGamma : public testing::TestWithParam<scheme> {};

TEST_P(ThetaGamma, StepsSatisfyTheDiscreteEquations) {
  const scheme s = GetParam();
  world w;
  make_circuit(w);
  w.options.integrator = s.integrator;
  w.options.reaction_gamma = s.gamma;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  const double h = w.options.h, theta = w.options.theta;
  vec x = w.x0;
  double before = 0, conducting = 0, blocking = 0;
  for (int k = 0; k < 500; k++) {
    ASSERT_EQ(r.step(), PERP_OK) << k;
    const vec next = {r.x(0, 0), r.x(0, 1)};
    const double lambda = r.lambda(), y = r.y();
    const vec f0 = f(x), f1 = f(next), r0 = g(before), r1 = g(lambda);
    const double at = s.middle ? s.gamma * next[0] + (1 - s.gamma) * x[0] : next[0];
    for (std::size_t i = 0; i < 2; i++) {
      const double reaction = s.middle ? r1[i] : s.gamma * r1[i] + (1 - s.gamma) * r0[i];
      const double size = std::fabs(h * f0[i]) + std::fabs(h * f1[i]) + std::fabs(h * reaction);
      ASSERT_NEAR(next[i] - x[i], h * (theta * f1[i] + (1 - theta) * f0[i]) + h * reaction,
                  1e-9 * size)
          << k;
    }
    ASSERT_NEAR(y, kR * lambda - at + 0.01, 1e-9);
    ASSERT_GE(lambda, 0);
    ASSERT_GE(y, -1e-9);
    ASSERT_LE(std::min(std::fabs(y), lambda * kR), 1e-8);
    conducting += lambda > 1e-6;
    blocking += y > 1e-6;
    x = next;
    before = lambda;
  }
  EXPECT_GT(conducting, 50);
  EXPECT_GT(blocking, 50);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ThetaGamma,
                         testing::Values(scheme{perp_integrator_theta(), 1, false},
                                         scheme{perp_integrator_theta_gamma(), 1, false},
                                         scheme{perp_integrator_theta_gamma(), 0.7, false},
                                         scheme{perp_integrator_theta_gamma(), 0.5, false},
                                         scheme{perp_integrator_theta_gamma_full(), 1, true},
                                         scheme{perp_integrator_theta_gamma_full(), 0.75, true},
                                         scheme{perp_integrator_theta_gamma_full(), 0.5, true}));

TEST(ThetaGamma, MidpointKeepsTheEnergyOfALosslessCircuit) {
  world w;
  auto &circuit = w.circuit(2);
  circuit.A = perp_dense(2, 2, w.keep({0, 1 / kL, 0, 0}));
  auto &wire = w.port(1, 2, {0, -1});  // y = λC' - i: the current of the capacitor by a relation
  wire.D = w.keep({1});
  wire.B = w.keep({-1 / kC, 0});
  w.join(wire.relation, w.equality(), {w.add(circuit.system)});
  w.x0 = {10, 0.01};
  w.options.h = 2e-5;
  w.options.integrator = perp_integrator_theta_gamma_full();
  w.options.reaction_gamma = 0.5;
  w.options.solver = perp_solver_active_set();
  run r(w);
  const double energy = 0.5 * kC * 100 + 0.5 * kL * 1e-4;
  ASSERT_EQ(r.steps(2000), PERP_OK);
  EXPECT_NEAR(0.5 * kC * r.x(0, 0) * r.x(0, 0) + 0.5 * kL * r.x(0, 1) * r.x(0, 1), energy,
              1e-11 * energy);
}

TEST(ThetaGamma, RefusesWeightsOutOfRangeAndMixedSchemes) {
  world w;
  make_circuit(w);
  w.options.integrator = perp_integrator_theta_gamma();
  for (double bad : {-0.1, 1.5, std::nan("")}) {
    w.options.reaction_gamma = bad;
    run r(w);
    EXPECT_LT(r.status, 0);
    EXPECT_STREQ(r.info.field, "reaction_gamma");
  }
  world two;
  auto &circuit = two.circuit(1);
  const auto a = two.add(circuit.system), b = two.add(circuit.system);
  two.join(two.port(1, 2, {1, 1}).relation, two.complementarity(), {a, b});
  two.integrators = {perp_integrator_theta(), perp_integrator_theta_gamma()};
  two.options.integrators = two.integrators.data();
  run r(two);
  EXPECT_EQ(r.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(r.info.field, "integrators");
}

}  // namespace
