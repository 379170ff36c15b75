// SPDX-License-Identifier: MIT
// Steps of varying systems and relations, from the definition of the discrete equations.
#include <gtest/gtest.h>
#include <perp/experimental.h>

#include <cmath>
#include <random>

#include "model_tools.hpp"

namespace {

using tools::ids;
using tools::run;
using tools::vec;
using tools::world;

// A Lagrangian linear system that is described by values and derivatives instead of terms.
struct varying_body {
  perp_system head{};
  vec M, C, K, f;
  int masses = 0;
  mutable std::int32_t reply = 0;
};

const varying_body &body_of(const perp_system *s) {
  return *reinterpret_cast<const varying_body *>(s);
}

vec times(const vec &A, const double *x, std::size_t n) {
  vec y(n, 0.0);
  for (std::size_t j = 0; j < n; j++)
    for (std::size_t i = 0; i < n; i++) y[i] += A[i + n * j] * x[j];
  return y;
}

std::int32_t linear_mass(const perp_system *s, double, const double *, double *M, double *) {
  const auto &b = body_of(s);
  std::copy(b.M.begin(), b.M.end(), M);
  return 0;
}

std::int32_t linear_force(const perp_system *s, double, const double *q, const double *v, double *f,
                          double *) {
  const auto &b = body_of(s);
  const auto n = static_cast<std::size_t>(s->n);
  const vec Cv = times(b.C, v, n), Kq = times(b.K, q, n);
  for (std::size_t i = 0; i < n; i++) f[i] = b.f[i] - Cv[i] - Kq[i];
  return b.reply;
}

std::int32_t linear_jacobians(const perp_system *s, double, const double *, const double *,
                              double *dq, double *dv, double *) {
  const auto &b = body_of(s);
  for (std::size_t i = 0; i < b.C.size(); i++) {
    dq[i] = -b.K[i];
    dv[i] = -b.C[i];
  }
  return 0;
}

perp_system_ops linear_ops() {
  perp_system_ops ops{};
  ops.struct_size = sizeof ops;
  ops.order = 2;
  ops.name = "test";
  ops.bytes = sizeof(perp_system);
  ops.mass = linear_mass;
  ops.force = linear_force;
  ops.jacobians = linear_jacobians;
  return ops;
}

const perp_system_ops kLinear = linear_ops();

varying_body make_varying(std::int32_t n) {
  varying_body b;
  const auto size = static_cast<std::size_t>(n * n);
  b.head.ops = &kLinear;
  b.head.struct_size = sizeof b;
  b.head.n = n;
  b.M.assign(size, 0.0);
  b.C.assign(size, 0.0);
  b.K.assign(size, 0.0);
  b.f.assign(static_cast<std::size_t>(n), 0.0);
  return b;
}

TEST(Live, VaryingLinearSystemMovesAsTheConstantOne) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const std::int32_t n = 3;
  varying_body varying = make_varying(n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const auto at = static_cast<std::size_t>(i + n * j);
      varying.M[at] = (i == j ? 3 : 0) + 0.2 * std::cos(i + j);
      varying.C[at] = uniform(random);
      varying.K[at] = (i == j ? 20 : 0) + uniform(random);
    }
  varying.f = {-9.81, 1, 0.5};
  world a, b;
  auto &constant = a.body(n);
  constant.M = perp_dense(n, n, a.keep(varying.M));
  constant.C = perp_dense(n, n, a.keep(varying.C));
  constant.K = perp_dense(n, n, a.keep(varying.K));
  constant.f = a.keep(varying.f);
  for (world *w : {&a, &b}) {
    const auto system = w == &a ? w->add(constant.system) : w->add(varying.head);
    auto &floor = w->contact(2, n, {1, 0, 0, 1, 0.5, 0.5});
    floor.b = w->keep({0.1, 0.2});
    w->join(floor.relation, w->impact(0.6), {system});
    w->q0 = {0.5, 0.3, -0.1};
    w->v0 = {0, -1, 0.4};
    w->options.theta = 0.55;
    w->options.h = 5e-3;
  }
  run x(a), y(b);
  double impulses = 0;
  for (int k = 0; k < 400; k++) {
    ASSERT_EQ(perp_simulation_step(x.sim, nullptr), PERP_OK);
    ASSERT_EQ(perp_simulation_step(y.sim, nullptr), PERP_OK);
    for (std::size_t i = 0; i < 3; i++) {
      ASSERT_NEAR(perp_simulation_q(x.sim, 0)[i], perp_simulation_q(y.sim, 0)[i], 1e-10) << k;
      ASSERT_NEAR(perp_simulation_v(x.sim, 0)[i], perp_simulation_v(y.sim, 0)[i], 1e-9) << k;
    }
    for (std::size_t i = 0; i < 2; i++) {
      ASSERT_NEAR(perp_simulation_lambda(x.sim, 0)[i], perp_simulation_lambda(y.sim, 0)[i], 1e-9);
      ASSERT_NEAR(perp_simulation_y(x.sim, 0)[i], perp_simulation_y(y.sim, 0)[i], 1e-10);
      impulses += perp_simulation_lambda(x.sim, 0)[i];
    }
  }
  EXPECT_GT(impulses, 1);
  perp_report report = PERP_REPORT_INIT;
  ASSERT_EQ(perp_simulation_report(y.sim, &report), PERP_OK);
  EXPECT_EQ(perp_count(report.newton), 400) << "linear: one pass each";
}

}  // namespace
