// SPDX-License-Identifier: MIT
// The laws of a step under Newton's iteration: a body whose mass is a callback moves as the same
// body with a matrix does, step by step, and laws with state keep it through rejected steps.
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "model_tools.hpp"

namespace {

using tools::run;
using tools::vec;
using tools::world;

constexpr double kMass[2] = {2, 3};

struct body_data {
  std::function<void(double, double *)> pull;  // of time
  double stiffness = 0;
};

std::int32_t mass(double, const double *, const double *, const double *, double *M, void *) {
  M[0] = kMass[0];
  M[3] = kMass[1];
  return 0;
}
std::int32_t spring(double, const double *q, const double *, const double *, double *F,
                    void *user) {
  F[1] = static_cast<body_data *>(user)->stiffness * q[1];
  return 0;
}
std::int32_t pull_of_time(double t, double *F, void *user) {
  F[0] = F[1] = 0;
  const auto &f = static_cast<body_data *>(user)->pull;
  if (f) f(t, F);
  return 0;
}
std::int32_t pull(double t, const double *, const double *, const double *, double *F, void *user) {
  return pull_of_time(t, F, user);
}

// A body and a contact twice: by matrices, and by callbacks.
struct twins {
  body_data data;
  world by_matrix, by_callback;
  perp_lagrangian varying;
  std::vector<std::unique_ptr<vec>> memory;

  twins(const vec &q0, const vec &v0, double stiffness = 0) {
    data.stiffness = stiffness;
    perp_lagrangian_linear &s = by_matrix.body(vec{kMass[0], kMass[1]});
    s.K = perp_diagonal(2, by_matrix.keep({0, stiffness}));
    s.force = pull_of_time;
    s.user = &data;
    by_matrix.add(s.system);
    perp_lagrangian_init(&varying, sizeof varying, 2);
    varying.mass = mass;
    varying.internal = spring;
    varying.external = pull;
    varying.user = &data;
    by_callback.add(varying.system);
    for (world *w : {&by_matrix, &by_callback}) {
      w->q0 = q0;
      w->v0 = v0;
      w->options.h = 1e-3;
      w->options.solver = perp_solver_nsgs();
      w->options.min_gap = -1;
    }
  }
  twins(const twins &) = delete;

  void join(std::int32_t m, const vec &H, const perp_law *law, const vec &D = {}) {
    for (world *w : {&by_matrix, &by_callback}) {
      perp_lagrangian_linear_relation &r = w->contact(m, 2, H);
      if (!D.empty()) r.D = w->keep(D);
      w->join(r.relation, law, {0});
    }
  }

  // Step both under a force of time; every value agrees.
  void compare(int steps, const std::function<void(double, double *)> &force, double tol) {
    data.pull = force;
    run a(by_matrix), b(by_callback);
    ASSERT_EQ(a.status, PERP_OK);
    ASSERT_EQ(b.status, PERP_OK);
    double moved = 0, pushed = 0;
    for (int k = 0; k < steps; k++) {
      ASSERT_EQ(a.step(), PERP_OK) << k;
      ASSERT_EQ(b.step(), PERP_OK) << k << " " << b.info.field;
      for (std::size_t i = 0; i < 2; i++) {
        ASSERT_NEAR(a.q(0, i), b.q(0, i), tol) << k;
        ASSERT_NEAR(a.v(0, i), b.v(0, i), tol) << k;
        moved = std::max(moved, std::fabs(b.v(0, i)));
      }
      const std::int32_t m = by_matrix.interactions[0].relation->m;
      for (std::size_t i = 0; i < tools::at(m); i++) {
        ASSERT_NEAR(a.lambda(0, i), b.lambda(0, i), tol) << k;
        ASSERT_NEAR(a.y(0, i), b.y(0, i), tol) << k;
        pushed = std::max(pushed, std::fabs(b.lambda(0, i)));
      }
      std::size_t bytes = 0;
      const auto *s = static_cast<const double *>(perp_simulation_law_state(a.sim, 0, 0, &bytes));
      const auto *z = static_cast<const double *>(perp_simulation_law_state(b.sim, 0, 0, nullptr));
      for (std::size_t i = 0; i < bytes / 8; i++) ASSERT_NEAR(s[i], z[i], 1e-5) << k;
    }
    EXPECT_GT(moved, 0.01);
    EXPECT_GT(pushed, 1e-4);
  }
};

const vec kPlane = {1, 0, 0, 1};

TEST(LawLive, Compliant) {
  perp_compliant law;
  perp_compliant_init(&law, sizeof law);
  law.k = 3000;
  law.c = 5;
  twins t({0.05, 0}, {-1, 0.5}, 20);
  t.join(1, {1, 0.2}, &law.law);
  t.compare(
      800, [](double, double *f) { f[0] = -20; }, 1e-7);
}

TEST(LawLive, Fremond) {
  perp_fremond law;
  perp_fremond_init(&law, sizeof law);
  law.friction.law.size = 2;
  law.friction.mu = 0.3;
  law.friction.e_n = 0.6;
  twins t({0.05, 0}, {-1, 0.5});
  t.join(2, {1, 0.1, 0.2, 1}, &law.friction.law);
  t.compare(
      800, [](double, double *f) { f[0] = -20; }, 1e-6);
}

TEST(LawLive, Cohesive) {
  perp_cohesive law;
  perp_cohesive_init(&law, sizeof law);
  law.friction.law.size = 2;
  law.friction.mu = 0.4;
  law.sigma_c = 30;
  law.G_c = 0.1;
  const auto change = [](double t, double *f) {
    f[0] = t < 0.05 ? 20 : t < 0.07 ? 40 : t < 0.2 ? -30 : 60;
    f[1] = t < 0.15 ? 1 : 4;
  };
  twins t({0, 0}, {0, 0}, 5);
  t.join(2, kPlane, &law.friction.law);
  t.compare(600, change, 1e-6);
  twins compliant({0, 0}, {0, 0}, 5);
  compliant.join(2, kPlane, &law.friction.law, {1e-3, 2e-4, 2e-4, 2e-3});
  compliant.compare(600, change, 1e-6);
}

TEST(LawLive, MixedHoldsAndBounds) {
  perp_mixed law;
  perp_mixed_init(&law, sizeof law);
  law.law.size = 2;
  law.equalities = 1;
  twins pair({0, 0}, {0, 1}, 5);
  pair.join(2, kPlane, &law.law);
  pair.compare(
      300, [](double t, double *f) { f[0] = 3, f[1] = t < 0.1 ? -9 : 9; }, 1e-7);
}

TEST(LawLive, UserImpact) {
  perp_user_impact law;
  perp_user_impact_init(&law, sizeof law, 2);
  law.friction.mu = 0.2;
  law.restitute = [](std::int32_t, const perp_law_step *begin, double *q, void *) -> std::int32_t {
    q[0] += begin->ydot[0] / (1 + std::fabs(begin->ydot[0]));
    return 0;
  };
  twins t({0.02, 0}, {-2, 0.5});
  t.join(2, kPlane, &law.friction.law);
  t.compare(
      800, [](double, double *f) { f[0] = -20; }, 1e-6);
}

// A brake by a graph between the second velocity and its impulse.
TEST(LawLive, PiecewiseLinear) {
  const double y[] = {-0.1, -0.1, 0.2, 0.2}, lambda[] = {0.004, 0.001, -0.001, -0.003};
  perp_piecewise_linear graph = PERP_PIECEWISE_LINEAR_INIT;
  graph.points = 4;
  graph.y = y;
  graph.lambda = lambda;
  graph.slope_after = 0.002;
  twins t({0, 0}, {0, 1}, 30);
  perp_piecewise_relation relation[2];
  vec memory[2];
  int i = 0;
  for (world *w : {&t.by_matrix, &t.by_callback}) {
    const perp_relation &inner = w->contact(1, 2, {0.1, 1}).relation;
    memory[i].resize(perp_piecewise_relation_memory(&inner, &graph) / 8 + 1);
    ASSERT_EQ(perp_piecewise_relation_init(&relation[i], sizeof relation[i], &inner, &graph,
                                           memory[i].data(), 8 * memory[i].size(), nullptr),
              PERP_OK);
    w->join(relation[i].relation, &relation[i].pieces.box.law, {0});
    w->options.solver = perp_solver_box_pivoting();
    i++;
  }
  // pieces of one row may share λ in more ways than one: their sum is what counts
  run a(t.by_matrix), b(t.by_callback);
  for (int k = 0; k < 1000; k++) {
    ASSERT_EQ(a.step(), PERP_OK);
    ASSERT_EQ(b.step(), PERP_OK);
    ASSERT_NEAR(a.v(0, 1), b.v(0, 1), 1e-7);
    double v = 999, impulse = 999;
    ASSERT_EQ(perp_piecewise_relation_values(&relation[1], perp_simulation_ydot(b.sim, 0),
                                             perp_simulation_lambda(b.sim, 0), &v, &impulse),
              PERP_OK);
    EXPECT_NEAR(v, 0.1 * b.v(0, 0) + b.v(0, 1), 1e-9);
    EXPECT_LT(perp_piecewise_linear_distance(&graph, v, impulse), 1e-8);
  }
}

}  // namespace
