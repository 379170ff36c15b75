// SPDX-License-Identifier: MIT
// The one-step matrix against dense arithmetic: Σ_j H_α^j W_j⁻¹ B_β^j over the common systems j.
#include <gtest/gtest.h>

#include <algorithm>

#include "each.hpp"
#include "random_graph.hpp"
#include "scheme_oracle.hpp"

namespace {

using tools::at;
using tools::count;
using tools::dense;
using tools::flat;
using tools::ids;
using tools::inverse;
using tools::matrix;
using tools::oracle;
using tools::random_graph;
using tools::run;
using tools::uniform;
using tools::vec;
using tools::world;

matrix wide(const dense &A) {
  matrix X(A.rows, A.cols);
  for (std::int32_t j = 0; j < A.cols; j++)
    for (std::int32_t i = 0; i < A.rows; i++) X(i, j) = A(i, j);
  return X;
}

dense beside(const dense &A, const dense &B) {
  dense C(A.rows, A.cols + B.cols);
  for (std::int32_t i = 0; i < A.rows; i++) {
    for (std::int32_t j = 0; j < A.cols; j++) C(i, j) = A(i, j);
    for (std::int32_t j = 0; j < B.cols; j++) C(i, A.cols + j) = B(i, j);
  }
  return C;
}

dense above(const dense &A, const dense &B) {
  dense C(A.rows + B.rows, A.cols);
  for (std::int32_t j = 0; j < A.cols; j++) {
    for (std::int32_t i = 0; i < A.rows; i++) C(i, j) = A(i, j);
    for (std::int32_t i = 0; i < B.rows; i++) C(A.rows + i, j) = B(i, j);
  }
  return C;
}

dense plus_diagonal(dense A, double d) {
  for (std::int32_t i = 0; i < A.rows; i++) A(i, i) += d;
  return A;
}

// Entries of the only island, in the order of the model's rows.
matrix only_island(const run &r, std::int32_t rows) {
  matrix M(rows, rows);
  EXPECT_EQ(perp_simulation_islands(r.sim), 1);
  perp_problem p = PERP_PROBLEM_INIT;
  const std::int32_t *id = nullptr;
  EXPECT_EQ(perp_simulation_problem(r.sim, 0, &p, &id), PERP_OK);
  EXPECT_EQ(p.n, rows);
  for (std::int32_t i = 0; i < p.n; i++)
    for (std::int32_t j = 0; j < p.n; j++) M(id[i], id[j]) = perp_matrix_entry(&p.M, i, j);
  return M;
}

void expect_equal(const matrix &A, const matrix &B, double tol) {
  ASSERT_EQ(A.rows, B.rows);
  ASSERT_EQ(A.cols, B.cols);
  for (std::int32_t i = 0; i < A.rows; i++)
    for (std::int32_t j = 0; j < A.cols; j++)
      EXPECT_NEAR(double(A(i, j)), double(B(i, j)), tol) << i << ", " << j;
}

// Three systems and two interactions: the first, of three rows, joins systems 1 and 3; the second,
// of one row, joins 2 and 3; first order, every matrix full.
TEST(Delassus, OfTwoInteractionsOverThreeSystemsIsTheSumOverCommonSystems) {
  uniform random(1);
  const std::int32_t n1 = 2, n2 = 4, n3 = 3;
  const double h = 0.03, theta = 0.7;
  world w;
  std::vector<matrix> W;
  for (std::int32_t n : {n1, n2, n3}) {
    const dense M = plus_diagonal(random.matrix(n, n), 3), A = random.matrix(n, n);
    perp_first_order_linear &s = w.circuit(n);
    s.M = perp_dense(n, n, w.keep(flat(M)));
    s.A = perp_dense(n, n, w.keep(flat(A)));
    w.add(s.system);
    W.push_back(inverse(wide(M) + tools::real(-h * theta) * wide(A)));
  }
  const dense C11 = random.matrix(3, n1), C13 = random.matrix(3, n3), C22 = random.matrix(1, n2),
              C23 = random.matrix(1, n3), B11 = random.matrix(n1, 3), B13 = random.matrix(n3, 3),
              B22 = random.matrix(n2, 1), B23 = random.matrix(n3, 1),
              D1 = plus_diagonal(random.matrix(3, 3), 3),
              D2 = plus_diagonal(random.matrix(1, 1), 3);
  perp_linear_relation &mu = w.port(3, n1 + n3, flat(beside(C11, C13)));
  mu.B = w.keep(flat(above(B11, B13)));
  mu.D = w.keep(flat(D1));
  perp_linear_relation &nu = w.port(1, n2 + n3, flat(beside(C22, C23)));
  nu.B = w.keep(flat(above(B22, B23)));
  nu.D = w.keep(flat(D2));
  w.join(mu.relation, w.complementarity(), {0, 2});
  w.join(nu.relation, w.complementarity(), {1, 2});
  w.options.integrator = perp_integrator_theta();
  w.options.h = h;
  w.options.theta = theta;
  w.x0 = random.vector(n1 + n2 + n3);
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.step(), PERP_OK);

  const matrix M11 = wide(D1) + tools::real(h) * (wide(C11) * W[0] * wide(B11)) +
                     tools::real(h) * (wide(C13) * W[2] * wide(B13));
  const matrix M12 = tools::real(h) * (wide(C13) * W[2] * wide(B23));
  const matrix M21 = tools::real(h) * (wide(C23) * W[2] * wide(B13));
  const matrix M22 = wide(D2) + tools::real(h) * (wide(C22) * W[1] * wide(B22)) +
                     tools::real(h) * (wide(C23) * W[2] * wide(B23));
  matrix M(4, 4);
  for (std::int32_t i = 0; i < 3; i++) {
    for (std::int32_t j = 0; j < 3; j++) M(i, j) = M11(i, j);
    M(i, 3) = M12(i, 0);
    M(3, i) = M21(0, i);
  }
  M(3, 3) = M22(0, 0);
  expect_equal(only_island(r, 4), M, 1e-14);
}

TEST(Delassus, OfMechanicsIsHWinvHtWithDenseAndDiagonalSystems) {
  uniform random(2);
  const std::int32_t n1 = 2, n2 = 4, n3 = 3;
  const double h = 0.05, theta = 0.6;
  world w;
  const dense M1 = random.definite(n1), K3 = random.definite(n3), C3 = random.definite(n3);
  const vec M2 = {1, 2, 3, 4}, C2 = {0.5, 0, 1, 2}, M3 = {2, 1, 3};
  perp_lagrangian_linear &s1 = w.body(n1), &s2 = w.body(M2), &s3 = w.body(M3);
  s1.M = perp_dense(n1, n1, w.keep(flat(M1)));
  s2.C = perp_diagonal(n2, w.keep(C2));
  s3.C = perp_dense(n3, n3, w.keep(flat(C3)));
  s3.K = perp_dense(n3, n3, w.keep(flat(K3)));
  w.add(s1.system);
  w.add(s2.system);
  w.add(s3.system);
  const dense H11 = random.matrix(3, n1), H13 = random.matrix(3, n3), H22 = random.matrix(1, n2),
              H23 = random.matrix(1, n3), D2 = plus_diagonal(random.matrix(1, 1), 2);
  const perp_relation &mu = w.contact(3, n1 + n3, flat(beside(H11, H13))).relation;
  perp_lagrangian_linear_relation &nu = w.contact(1, n2 + n3, flat(beside(H22, H23)));
  nu.D = w.keep(flat(D2));
  w.join(mu, w.equality(), {0, 2});
  w.join(nu.relation, w.box({-1}, {0.5}), {1, 2});
  w.options.solver = perp_solver_active_set();
  w.options.h = h;
  w.options.theta = theta;
  w.v0 = random.vector(n1 + n2 + n3);
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  ASSERT_EQ(r.step(), PERP_OK);

  matrix W2(n2, n2), W3(n3, n3);
  for (std::int32_t i = 0; i < n2; i++) W2(i, i) = M2[at(i)] + h * theta * C2[at(i)];
  for (std::int32_t i = 0; i < n3; i++) {
    W3(i, i) = M3[at(i)];
    for (std::int32_t j = 0; j < n3; j++)
      W3(i, j) += h * theta * C3(i, j) + h * h * theta * theta * K3(i, j);
  }
  const matrix V1 = inverse(wide(M1)), V2 = inverse(W2), V3 = inverse(W3);
  const matrix M11 = wide(H11) * V1 * transpose(wide(H11)) + wide(H13) * V3 * transpose(wide(H13));
  const matrix M12 = wide(H13) * V3 * transpose(wide(H23));
  const matrix M22 =
      wide(D2) + wide(H22) * V2 * transpose(wide(H22)) + wide(H23) * V3 * transpose(wide(H23));
  matrix M(4, 4);
  for (std::int32_t i = 0; i < 3; i++) {
    for (std::int32_t j = 0; j < 3; j++) M(i, j) = M11(i, j);
    M(i, 3) = M(3, i) = M12(i, 0);
  }
  M(3, 3) = M22(0, 0);
  expect_equal(only_island(r, 4), M, 1e-13);
}

TEST(Delassus, StoresOnlyCoupledBlocksAndSeparatesIslands) {
  world w;  // chain 0-1-2 and chain 3-4, equality everywhere
  perp_lagrangian_linear &s = w.body(vec{2});
  for (int i = 0; i < 5; i++) w.add(s.system);
  const perp_relation &pair = w.contact(1, 2, {-1, 1}).relation;
  const perp_relation &one = w.contact(1, 1, {1}).relation;
  const perp_law *law = w.equality();
  w.join(one, law, {0});
  w.join(pair, law, {3, 4});
  w.join(pair, law, {0, 1});
  w.join(pair, law, {1, 2});
  w.options.solver = perp_solver_active_set();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  EXPECT_EQ(perp_simulation_islands(r.sim), 0);
  ASSERT_EQ(r.step(), PERP_OK);
  ASSERT_EQ(perp_simulation_islands(r.sim), 2);
  perp_problem p = PERP_PROBLEM_INIT;
  const std::int32_t *id = nullptr;
  ASSERT_EQ(perp_simulation_problem(r.sim, 0, &p, &id), PERP_OK);
  EXPECT_EQ(ids(id, id + p.n), (ids{0, 2, 3}));
  EXPECT_EQ(p.M.start[3], 7);  // 3 x 3 without the corners
  EXPECT_EQ(perp_matrix_entry(&p.M, 0, 2), 0);
  EXPECT_EQ(perp_matrix_entry(&p.M, 0, 1), -0.5);
  EXPECT_EQ(perp_matrix_entry(&p.M, 1, 1), 1);
  ASSERT_EQ(perp_simulation_problem(r.sim, 1, &p, &id), PERP_OK);
  EXPECT_EQ(ids(id, id + p.n), (ids{1}));
  EXPECT_EQ(perp_simulation_problem(r.sim, 2, &p, &id), PERP_EINVAL);
  EXPECT_EQ(perp_simulation_problem(r.sim, -1, &p, &id), PERP_EINVAL);
}

// Four feet of one plate in one relation; each comes down by itself.
TEST(Delassus, CopiesOfALawAreSwitchedOneByOne) {
  world w;
  perp_lagrangian_linear &s = w.body(vec{1, 1, 1, 1});
  s.f = w.keep({-10, -10, -10, -10});
  w.add(s.system);
  w.join(w.contact(4, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}).relation, w.impact(0),
         {0});
  w.q0 = {0.4, 0.1, 0.3, 0.2};
  w.options.h = 1e-3;
  w.options.theta = 1;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  const ids order = {1, 3, 2, 0};
  for (std::size_t landed = 1; landed <= 4; landed++) {
    while (r.lambda(0, at(order[landed - 1])) == 0) ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_EQ(perp_simulation_islands(r.sim), 1);  // all stand on one system
    for (std::size_t i = 0; i < 4; i++) {
      EXPECT_EQ(r.lambda(0, at(order[i])) > 0, i < landed);
      if (i + 1 < landed) {
        EXPECT_NEAR(r.lambda(0, at(order[i])), 1e-2, 1e-14);
      }
    }
    EXPECT_EQ(r.report().max_active, count(landed));
  }
}

// ------------------------------------------------------------------------ random graphs ----

// One relation and one law for all: stretches of interactions whose systems advance by 0, 1 or
// other strides, over systems that are alike or not.
void repeated_graph(world &w, std::uint64_t seed) {
  tools::dice d(seed);
  perp_lagrangian_linear &a = w.body(vec{1}), &b = w.body(vec{2.5});
  a.f = w.keep({-1});
  b.K = perp_diagonal(1, w.keep({3}));
  const std::int32_t systems = 12;
  vec thetas;
  for (std::int32_t i = 0; i < systems; i++) {
    const bool again = i > 0 && d(0, 3) > 0;
    const perp_system &s = again ? *w.system_list.back() : d(0, 1) ? a.system : b.system;
    w.add(s);
    thetas.push_back(again && d(0, 5) > 0 ? thetas.back() : 0.25 * d(2, 4));
    w.q0.push_back(0.2 * d.random());
    w.v0.push_back(2 * d.random());
  }
  perp_lagrangian_linear_relation &pair = w.contact(1, 2, {-1, 1});
  pair.b = w.keep({0.1});
  perp_lagrangian_linear_relation &twin = w.contact(2, 2, {-1, 0.5, 1, 0.25});
  twin.D = w.keep({0.5, 0, 0, 0.5});
  const perp_law *law = w.impact(0.5);
  for (std::int32_t stretches = d(1, 6); stretches > 0; stretches--) {
    const perp_relation &relation = d(0, 2) > 0 ? pair.relation : twin.relation;
    ids at_now = {d(0, 5), d(6, 11)};
    if (d(0, 1)) std::swap(at_now[0], at_now[1]);
    const ids stride = {d(-1, 2), d(-1, 2)};
    for (std::int32_t k = d(1, 6); k > 0; k--) {
      w.join(relation, law, at_now);
      for (std::size_t s : {0u, 1u}) at_now[s] += stride[s];
      const bool inside = at_now[0] >= 0 && at_now[1] >= 0 && at_now[0] < systems &&
                          at_now[1] < systems && at_now[0] != at_now[1];
      if (!inside) break;
    }
  }
  w.options.thetas = w.keep(thetas);
  w.options.min_gap = -1e3;
  w.options.h = 0.02;
  w.options.solver = perp_solver_active_set();
}

void expect_steps_of_the_scheme(world &w, int steps) {
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field << r.info.index;
  const oracle o(w.model, w.options, w.options.h);
  oracle::snapshot before = o.look(r.sim);
  o.expect_outputs(before, 1e-13);
  for (int k = 0; k < steps && !testing::Test::HasFailure(); k++) {
    ASSERT_EQ(r.step(), PERP_OK) << r.info.field << ", step " << k;
    const oracle::snapshot after = o.look(r.sim);
    o.expect_step(before, after, r.sim);
    before = after;
  }
}

void expect_scheme(std::uint64_t seed, bool boxes, int order) {
  SCOPED_TRACE(seed);
  world w;
  random_graph(w, seed, boxes, order);
  expect_steps_of_the_scheme(w, 25);
}

const auto skip = static_cast<std::uint64_t>(tools::each());

TEST(Delassus, RepeatedInteractionsTakeStepsOfTheScheme) {
  for (std::uint64_t seed = 400; seed < 480 && !HasFailure(); seed += skip) {
    SCOPED_TRACE(seed);
    world w;
    repeated_graph(w, seed);
    expect_steps_of_the_scheme(w, 25);
  }
}

TEST(Delassus, FallingColumnsTakeStepsOfTheScheme) {
  for (const perp_solver *solver : {perp_solver_lemke(), perp_solver_active_set()}) {
    world w;
    vec gap;
    for (int i = 0; i < 14; i++) gap.push_back(0.005 * (1 + i * 5 % 7));
    tools::make_column(w, gap, 0.4, 9.81, 0.6);
    w.options.h = 2e-3;
    w.options.solver = solver;
    expect_steps_of_the_scheme(w, 300);
  }
}

TEST(Delassus, RandomMechanicsTakesStepsOfTheScheme) {
  for (std::uint64_t seed = 100; seed < 160 && !HasFailure(); seed += skip)
    expect_scheme(seed, seed % 2 == 0, 2);
}

TEST(Delassus, RandomCircuitsTakeStepsOfTheScheme) {
  for (std::uint64_t seed = 200; seed < 260 && !HasFailure(); seed += skip)
    expect_scheme(seed, seed % 2 == 0, 1);
}

TEST(Delassus, SystemsOfBothOrdersStandInOneModel) {
  for (std::uint64_t seed = 300; seed < 360 && !HasFailure(); seed += skip)
    expect_scheme(seed, seed % 2 == 0, 0);
}

}  // namespace
