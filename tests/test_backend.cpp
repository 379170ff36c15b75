// SPDX-License-Identifier: MIT
// A simulation hands matrices of at least PERP_BACKEND_MIN rows to the back end, and no smaller
// ones; the motion is the same up to rounding.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "perp/perp.h"

namespace {

int calls = 0;  // of any operation of the counting back end

perp_status counting_factor(int32_t n, double *A, int32_t ld, int32_t *pivots) {
  calls++;
  for (int32_t k = 0; k < n; k++) {  // elimination with partial pivoting, as the table asks
    int32_t p = k;
    for (int32_t i = k + 1; i < n; i++)
      if (std::fabs(A[i + ld * k]) > std::fabs(A[p + ld * k])) p = i;
    pivots[k] = p;
    if (A[p + ld * k] == 0) return PERP_EINVAL;
    for (int32_t j = 0; j < n; j++) std::swap(A[k + ld * j], A[p + ld * j]);
    for (int32_t i = k + 1; i < n; i++) {
      A[i + ld * k] /= A[k + ld * k];
      for (int32_t j = k + 1; j < n; j++) A[i + ld * j] -= A[i + ld * k] * A[k + ld * j];
    }
  }
  return PERP_OK;
}

perp_status counting_solve(int32_t n, int32_t m, const double *LU, int32_t ld,
                           const int32_t *pivots, double *B, int32_t ldb) {
  calls++;
  for (int32_t c = 0; c < m; c++) {
    double *b = B + ldb * c;
    for (int32_t k = 0; k < n; k++) std::swap(b[k], b[pivots[k]]);
    for (int32_t k = 0; k < n; k++)
      for (int32_t i = k + 1; i < n; i++) b[i] -= LU[i + ld * k] * b[k];
    for (int32_t k = n - 1; k >= 0; k--) {
      b[k] /= LU[k + ld * k];
      for (int32_t i = 0; i < k; i++) b[i] -= LU[i + ld * k] * b[k];
    }
  }
  return PERP_OK;
}

void counting_multiply(int32_t rows, int32_t cols, const double *A, int32_t ld, const double *x,
                       double *y) {
  calls++;
  for (int32_t j = 0; j < cols; j++)
    for (int32_t i = 0; i < rows; i++) y[i] += A[i + ld * j] * x[j];
}

const perp_backend counting = {sizeof(perp_backend), 0, "counting", counting_factor, counting_solve,
                               counting_multiply};

// A chain of n masses on springs, stored dense, whose first mass hits a wall; the state after some
// steps, and how often the back end was called in init and in the steps.
struct chain_run {
  std::vector<double> q;
  int in_init = 0, in_steps = 0;
};

chain_run run_chain(int32_t n, const perp_backend *backend) {
  const std::size_t size = static_cast<std::size_t>(n);
  std::vector<double> M(size * size), K(size * size), H(size), q0(size), v0(size, -1.0);
  for (std::size_t i = 0; i < size; i++) {
    M[i * (size + 1)] = 1.0 + 0.1 * static_cast<double>(i % 3);
    K[i * (size + 1)] = 200;
    if (i > 0) K[i * (size + 1) - 1] = K[i * (size + 1) - size] = -100;
    q0[i] = 0.01;
  }
  H[0] = 1;
  perp_lagrangian_linear chain;
  perp_lagrangian_linear_init(&chain, sizeof chain, n);
  chain.M = perp_dense(n, n, M.data());
  chain.K = perp_dense(n, n, K.data());
  perp_lagrangian_linear_relation wall;
  perp_lagrangian_linear_relation_init(&wall, sizeof wall, 1, n);
  wall.H = H.data();
  perp_newton_impact law;
  perp_newton_impact_init(&law, sizeof law);
  law.e = 0.5;
  const int32_t which[] = {0};
  const perp_interaction contact = {&wall.relation, &law.law, which, 1, 0};
  const perp_system *systems[] = {&chain.system};
  const perp_interaction *interactions[] = {&contact};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = q0.data();
  model.v0 = v0.data();
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 1e-3;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_lemke();
  options.backend = backend;
  std::vector<double> state(perp_simulation_state_size(&model, &options) / 8 + 1);
  std::vector<unsigned char> work(perp_simulation_work_size(&model, &options));
  chain_run run;
  perp_simulation *sim = nullptr;
  calls = 0;
  EXPECT_EQ(perp_simulation_init(&sim, &model, &options, state.data(), 8 * state.size(),
                                 work.data(), work.size(), nullptr),
            PERP_OK);
  if (sim == nullptr) return run;
  run.in_init = calls;
  calls = 0;
  for (int k = 0; k < 100; k++) EXPECT_EQ(perp_simulation_step(sim, nullptr), PERP_OK);
  run.in_steps = calls;
  run.q.assign(perp_simulation_q(sim, 0), perp_simulation_q(sim, 0) + n);
  return run;
}

TEST(Backend, IsNotCalledBelowItsSmallestSize) {
  chain_run run = run_chain(PERP_BACKEND_MIN - 1, &counting);
  EXPECT_EQ(run.in_init, 0);
  EXPECT_EQ(run.in_steps, 0);
}

TEST(Backend, FactorisesAndMultipliesFromItsSmallestSizeOn) {
  chain_run run = run_chain(PERP_BACKEND_MIN, &counting);
  EXPECT_GT(run.in_init, 0);
  EXPECT_GT(run.in_steps, 0);
}

TEST(Backend, LeavesTheMotionAsItIs) {
  for (int32_t n : {PERP_BACKEND_MIN, 50}) {
    chain_run own = run_chain(n, nullptr), theirs = run_chain(n, &counting);
    for (std::size_t i = 0; i < own.q.size(); i++) EXPECT_NEAR(own.q[i], theirs.q[i], 1e-13);
  }
}

int solves_left = 0;  // before solves fail

perp_status failing_solve(int32_t n, int32_t m, const double *LU, int32_t ld, const int32_t *pivots,
                          double *B, int32_t ldb) {
  if (solves_left-- <= 0) return PERP_EBACKEND;
  return counting_solve(n, m, LU, ld, pivots, B, ldb);
}

TEST(Backend, ASolveThatFailsEndsInitOrTheStepAndLeavesTheStateAsItWas) {
  const int32_t n = PERP_BACKEND_MIN;
  std::vector<double> M(static_cast<std::size_t>(n * n)), v0(static_cast<std::size_t>(n), 1.0);
  for (int32_t i = 0; i < n; i++) M[static_cast<std::size_t>(i * (n + 1))] = 2;
  perp_lagrangian_linear body;
  perp_lagrangian_linear_init(&body, sizeof body, n);
  body.M = perp_dense(n, n, M.data());
  body.force = [](double, double *f, void *) -> int32_t {
    for (int32_t i = 0; i < PERP_BACKEND_MIN; i++) f[i] = 1;
    return 0;
  };
  const perp_system *systems[] = {&body.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.systems = systems;
  model.v0 = v0.data();
  perp_backend failing = counting;
  failing.lu_solve = failing_solve;
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 0.1;
  options.integrator = perp_integrator_moreau_jean();
  options.backend = &failing;
  std::vector<double> state(perp_simulation_state_size(&model, &options) / 8);
  std::vector<unsigned char> work(perp_simulation_work_size(&model, &options));
  const auto init = [&](perp_simulation **sim) {
    return perp_simulation_init(sim, &model, &options, state.data(), 8 * state.size(), work.data(),
                                work.size(), nullptr);
  };
  perp_simulation *sim = nullptr;
  solves_left = 1;  // a force of time is solved for in each step, and only there
  ASSERT_EQ(init(&sim), PERP_OK);
  ASSERT_EQ(perp_simulation_step(sim, nullptr), PERP_OK);
  const auto before = state;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_simulation_step(sim, &info), PERP_EBACKEND);
  EXPECT_STREQ(info.field, "backend");
  EXPECT_EQ(state, before);
  body.force = nullptr;  // now the constant force is solved for by init
  solves_left = 0;
  EXPECT_EQ(init(&sim), PERP_EBACKEND);
  EXPECT_EQ(sim, nullptr);
  EXPECT_EQ(state, before);
}

TEST(Backend, AnIncompleteTableIsRefused) {
  perp_backend broken = counting;
  broken.lu_solve = nullptr;
  perp_model model = PERP_MODEL_INIT;
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 1;
  options.backend = &broken;
  EXPECT_EQ(perp_simulation_work_size(&model, &options), 0u);
  options.backend = &counting;
  EXPECT_NE(perp_simulation_work_size(&model, &options), 0u);
}

}  // namespace
