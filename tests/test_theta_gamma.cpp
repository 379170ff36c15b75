// SPDX-License-Identifier: MIT
// θ–γ schemes of order 1 against their discrete equations, written out for two states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model_tools.hpp"

namespace {

using tools::at;
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
    const double x_at = s.middle ? s.gamma * next[0] + (1 - s.gamma) * x[0] : next[0];
    for (std::size_t i = 0; i < 2; i++) {
      const double reaction = s.middle ? r1[i] : s.gamma * r1[i] + (1 - s.gamma) * r0[i];
      const double size = std::fabs(h * f0[i]) + std::fabs(h * f1[i]) + std::fabs(h * reaction);
      ASSERT_NEAR(next[i] - x[i], h * (theta * f1[i] + (1 - theta) * f0[i]) + h * reaction,
                  1e-9 * size)
          << k;
    }
    ASSERT_NEAR(y, kR * lambda - x_at + 0.01, 1e-9);
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

// An idle state that varies makes all systems of order 1 be evaluated in every step.
void make_evaluated(world &w, perp_first_order &idle) {
  perp_first_order_init(&idle, sizeof idle, 1);
  idle.f = [](double, const double *, const double *, double *out, void *) -> std::int32_t {
    out[0] = 0;
    return 0;
  };
  w.add(idle.system);
  w.x0.push_back(0);
}

// A ladder of circuits: alike ones in a row, each with a diode and coupled to the next by two rows,
// with inputs of time, constant reactions and parameters. C = Bᵀ and dissipative, so always solved.
void make_ladder(world &w, std::int32_t count, vec &z, bool diagonal) {
  auto &circuit = w.circuit(2);
  circuit.M = perp_diagonal(2, w.keep({1.5, 0.7}));
  circuit.A = diagonal ? perp_diagonal(2, w.keep({-0.4, -2.5}))
                       : perp_dense(2, 2, w.keep({-0.4, -3, 3, -0.1}));
  circuit.b = w.keep({0.2, -0.1});
  circuit.input = [](double t, double *b, void *) -> std::int32_t {
    b[0] = 4 * std::sin(3 * t);
    b[1] = 2 * std::cos(5 * t);
    return 0;
  };
  auto &diode = w.port(1, 2, {1, -0.5});
  diode.B = w.keep({1, -0.5});
  diode.D = w.keep({0.3});
  diode.a = w.keep({0.05, -0.15});
  diode.e = w.keep({-0.1});
  diode.F = w.keep({0.5});
  diode.z = z.data();
  diode.n_z = 1;
  auto &wire = w.port(2, 4, {1, 0, 0, 0.5, -1, 0, 0.2, -0.5});
  wire.B = w.keep({1, 0, -1, 0.2, 0, 0.5, 0, -0.5});
  wire.D = w.keep({0.5, -0.2, 0.2, 0.4});
  const perp_law *law = w.complementarity(), *pair = w.complementarity(2);
  for (std::int32_t i = 0; i < count; i++) {
    w.add(circuit.system);
    w.x0.push_back(1 - 0.5 * i);
    w.x0.push_back(0.3 * i);
  }
  for (std::int32_t i = 0; i < count; i++) w.join(diode.relation, law, {i});
  for (std::int32_t i = 0; i + 1 < count; i++)
    w.join(wire.relation, i % 2 == 0 ? law : pair, {i, i + 1});
  w.options.h = 0.02;
  w.options.theta = 0.55;
}

void expect_alike(const run &a, const run &b, std::int32_t systems, std::int32_t interactions,
                  int k, double tol = 1e-10) {
  for (std::int32_t i = 0; i < systems; i++)
    for (std::size_t c = 0; c < 2; c++) ASSERT_NEAR(a.x(i, c), b.x(i, c), tol) << k << ' ' << i;
  for (std::int32_t i = 0; i < interactions; i++)
    for (std::size_t c = 0; c < (i < systems ? 1u : 2u); c++) {
      ASSERT_NEAR(a.y(i, c), b.y(i, c), tol) << k << ' ' << i;
      ASSERT_NEAR(a.lambda(i, c), b.lambda(i, c), tol) << k << ' ' << i;
    }
}

TEST_P(ThetaGamma, ConstantModelsAreSteppedAsIfTheyVaried) {
  const scheme s = GetParam();
  const std::int32_t systems = 4, interactions = 7;
  for (bool diagonal : {true, false}) {
    vec z = {0};
    world constant, varying;
    perp_first_order idle;
    for (world *w : {&constant, &varying}) {
      make_ladder(*w, systems, z, diagonal);
      w->options.integrator = s.integrator;
      w->options.reaction_gamma = s.gamma;
    }
    make_evaluated(varying, idle);
    run a(constant), b(varying);
    ASSERT_EQ(a.status, PERP_OK);
    ASSERT_EQ(b.status, PERP_OK);
    double most = 0;
    for (int k = 0; k < 400; k++) {
      z[0] = 0.2 * std::sin(0.1 * k);
      if (k % 100 == 50) { /* another length of step */
        ASSERT_EQ(perp_simulation_advance(a.sim, 0.013, nullptr), PERP_OK);
        ASSERT_EQ(perp_simulation_advance(b.sim, 0.013, nullptr), PERP_OK);
      }
      ASSERT_EQ(a.step(), PERP_OK) << k;
      ASSERT_EQ(b.step(), PERP_OK) << k;
      expect_alike(a, b, systems, interactions, k);
      for (std::int32_t i = 0; i < interactions; i++) most = std::max(most, a.lambda(i));
    }
    EXPECT_GT(most, 0.1);
    EXPECT_EQ(a.report().newton, 0u);
    EXPECT_GE(b.report().newton, 400u);
  }
}

TEST_P(ThetaGamma, ConstantSystemsMayStandBesideAVaryingOne) {
  vec z = {0.1};
  world constant, varying;
  perp_first_order same; /* the second of three */
  for (world *w : {&constant, &varying}) {
    make_ladder(*w, 3, z, false);
    w->options.integrator = GetParam().integrator;
    w->options.reaction_gamma = GetParam().gamma;
  }
  perp_first_order_init(&same, sizeof same, 2);
  same.M = varying.circuits[0].M;
  same.f = [](double t, const double *x, const double *, double *out, void *) -> std::int32_t {
    out[0] = 0.2 + 4 * std::sin(3 * t) - 0.4 * x[0] + 3 * x[1];
    out[1] = -0.1 + 2 * std::cos(5 * t) - 3 * x[0] - 0.1 * x[1];
    return 0;
  };
  varying.system_list[1] = &same.system;
  run a(constant), b(varying);
  ASSERT_EQ(b.status, PERP_OK);
  for (int k = 0; k < 300; k++) {
    ASSERT_EQ(a.step(), PERP_OK) << k;
    ASSERT_EQ(b.step(), PERP_OK) << k;
    expect_alike(a, b, 3, 5, k, 1e-6); /* its derivatives are differences */
  }
}

TEST_P(ThetaGamma, AResumedRunGoesOnBitByBit) {
  vec z = {0.1};
  world w;
  make_ladder(w, 3, z, false);
  w.options.integrator = GetParam().integrator;
  w.options.reaction_gamma = GetParam().gamma;
  run whole(w);
  ASSERT_EQ(whole.steps(100), PERP_OK);
  run second(w.model, w.options, 0, whole.state.data());
  ASSERT_EQ(second.status, PERP_OK);
  for (int k = 0; k < 100; k++) {
    ASSERT_EQ(whole.step(), PERP_OK);
    ASSERT_EQ(second.step(), PERP_OK);
    ASSERT_EQ(whole.bytes(), second.bytes()) << k;
  }
}

TEST_P(ThetaGamma, SystemsThatAreOffKeepStateAndOutput) {
  vec z = {0.1};
  world constant, varying;
  perp_first_order idle;
  for (world *w : {&constant, &varying}) {
    make_ladder(*w, 3, z, false);
    w->options.integrator = GetParam().integrator;
    w->options.reaction_gamma = GetParam().gamma;
    w->options.switchable = 1;
  }
  make_evaluated(varying, idle);
  run a(constant), b(varying);
  for (int k = 0; k < 120; k++) {
    if (k == 40 || k == 80) {
      ASSERT_EQ(perp_simulation_set_active(a.sim, 1, k == 80), PERP_OK);
      ASSERT_EQ(perp_simulation_set_active(b.sim, 1, k == 80), PERP_OK);
    }
    ASSERT_EQ(a.step(), PERP_OK) << k;
    ASSERT_EQ(b.step(), PERP_OK) << k;
    expect_alike(a, b, 3, 5, k);
  }
}

// W in compressed rows, against the same matrix full.
TEST_P(ThetaGamma, SparseSystemsAreSteppedLikeDenseOnes) {
  const scheme s = GetParam();
  const std::int32_t n = 30;
  std::vector<std::int32_t> start = {0}, index;
  vec value, full(at(n * n));
  for (std::int32_t i = 0; i < n; i++) {
    for (std::int32_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
      index.push_back(j);
      value.push_back(i == j ? -2.5 : j > i ? 1.5 : 0.7);
      full[at(i + n * j)] = value.back();
    }
    start.push_back(static_cast<std::int32_t>(index.size()));
  }
  for (const std::int32_t rows : {1, 20}) { /* columns kept, and loads solved for */
    world sparse, dense;
    for (world *w : {&sparse, &dense}) {
      auto &line = w->circuit(n);
      line.A = w == &dense ? perp_dense(n, n, full.data())
                           : perp_compressed_rows(n, start.data(), index.data(), value.data());
      vec C(at(rows * n)), B(at(rows * n)), D(at(rows * rows));
      for (std::int32_t r = 0; r < rows; r++) {
        C[at(r + rows * (r + 3))] = B[at(r + 3 + n * r)] = 1;
        D[at(r + rows * r)] = 0.1;
      }
      auto &port = w->port(rows, n, C);
      port.B = w->keep(B);
      port.D = w->keep(D);
      port.a = w->keep(vec(at(n), -0.4));
      w->add(line.system);
      w->join(port.relation, w->complementarity(), {0});
      for (std::int32_t i = 0; i < n; i++) w->x0.push_back(std::sin(i));
      w->options.integrator = s.integrator;
      w->options.reaction_gamma = s.gamma;
      w->options.h = 0.05;
      w->options.sparse = perp_sparse_klu();
    }
    run a(sparse), b(dense);
    ASSERT_EQ(a.status, PERP_OK);
    ASSERT_EQ(b.status, PERP_OK);
    for (int k = 0; k < 100; k++) {
      ASSERT_EQ(a.step(), PERP_OK);
      ASSERT_EQ(b.step(), PERP_OK);
      for (std::size_t i = 0; i < at(n); i++) ASSERT_NEAR(a.x(0, i), b.x(0, i), 1e-11) << k;
      for (std::size_t i = 0; i < at(rows); i++) ASSERT_NEAR(a.lambda(0, i), b.lambda(0, i), 1e-10);
    }
    EXPECT_GT(b.lambda(0, 0), 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ThetaGamma,
                         testing::Values(scheme{perp_integrator_theta(), 1, false},
                                         scheme{perp_integrator_theta_gamma(), 1, false},
                                         scheme{perp_integrator_theta_gamma(), 0.7, false},
                                         scheme{perp_integrator_theta_gamma(), 0.5, false},
                                         scheme{perp_integrator_theta_gamma(), 0, false},
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

// γ of the prediction and γ of reactions, each given to schemes that do not look at it.
TEST(ThetaGamma, AWeightThatNoSchemeLooksAtIsRefusedByName) {
  const auto refused = [](world &w, const char *field, double value) {
    run r(w);
    EXPECT_EQ(r.status, PERP_EINVAL);
    ASSERT_NE(r.info.field, nullptr);
    EXPECT_STREQ(r.info.field, field);
    EXPECT_EQ(r.info.value, value);
  };
  for (const perp_integrator *first :
       {perp_integrator_theta(), perp_integrator_theta_constant(), perp_integrator_theta_gamma()})
    for (const double gamma : {0.0, 0.5, 1.0}) {
      world w;
      make_circuit(w);
      w.options.integrator = first;
      w.options.gamma = gamma;
      refused(w, "gamma", gamma);
    }
  for (const perp_integrator *integrator :
       {perp_integrator_theta(), perp_integrator_theta_constant()}) {
    world w;
    make_circuit(w);
    w.options.integrator = integrator;
    w.options.reaction_gamma = 0.5;
    refused(w, "reaction_gamma", 0.5);
    w.options.reaction_gamma = 1;  // which it has
    EXPECT_EQ(run(w).status, PERP_OK);
  }
  world ball;
  ball.add(ball.body(tools::vec{1}).system);
  ball.options.reaction_gamma = 0.5;
  refused(ball, "reaction_gamma", 0.5);
  ball.options.reaction_gamma = 1;
  ball.options.gamma = 0.5;
  EXPECT_EQ(run(ball).status, PERP_OK);
  ball.options.integrator = perp_integrator_schatzman_paoli();
  refused(ball, "gamma", 0.5);
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
  w.options.integrator = perp_integrator_theta_gamma_full();
  w.options.reaction_gamma = 0;
  run never(w);
  EXPECT_EQ(never.status, PERP_EINVAL);
  EXPECT_STREQ(never.info.field, "reaction_gamma");
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
