// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/interior_point.h>

#include "sparse_tools.hpp"

namespace {

using sparse_tools::band;
using sparse_tools::sparse_problem;
using tools::at;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::vec;

// KLU that counts what is alive, and fails when it is told to.
int alive, factors, fails_at;
ints pattern;
bool pattern_kept;

perp_status counted_factor(std::int32_t n, const std::int32_t *start, const std::int32_t *index,
                           const double *values, void **factor) {
  ints now(start, start + n + 1);
  now.insert(now.end(), index, index + start[n]);
  if (pattern.empty()) pattern = now;
  pattern_kept = pattern_kept && pattern == now;
  if (++factors == fails_at) return PERP_EBACKEND;
  const bool had = *factor != nullptr;
  const perp_status status = perp_sparse_klu()->factor(n, start, index, values, factor);
  alive += !had && *factor != nullptr;
  return status;
}

perp_status counted_solve(void *factor, double *b) {
  return factors == -fails_at ? PERP_EBACKEND : perp_sparse_klu()->solve(factor, b);
}

void counted_release(void *factor) {
  alive -= factor != nullptr;
  perp_sparse_klu()->release(factor);
}

const perp_sparse counted = {sizeof counted,  0,       "counted", counted_factor, counted_solve,
                             counted_release, nullptr, nullptr,   nullptr};

perp_interior_point_options sparse_options() {
  perp_interior_point_options o = perp_interior_point_options_default();
  o.sparse = &counted;
  return o;
}

struct answer {
  perp_status status = 999;
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
  std::size_t bytes = 0;
};

answer solve(const perp_problem &p, const perp_interior_point_options &o = sparse_options(),
             perp_warm *warm = nullptr) {
  answer a;
  a.lambda.assign(at(p.n), 999.0);
  a.y = a.ray = a.lambda;
  a.info.ray = a.ray.data();
  a.info.ray_size = p.n;
  alive = factors = 0;
  pattern.clear();
  pattern_kept = true;
  const perp_solver *solver = perp_solver_interior_point();
  a.bytes = perp_solver_workspace(solver, &p, &o);
  EXPECT_GT(a.bytes, 0U);
  std::vector<unsigned char> work(a.bytes, 0xA5);
  a.status = perp_solver_solve(solver, &p, &o, a.lambda.data(), a.y.data(), warm, work.data(),
                               work.size(), &a.info);
  EXPECT_EQ(alive, 0);
  EXPECT_TRUE(pattern_kept);
  return a;
}

void expect_solved(const sparse_problem &s, const answer &a, std::int32_t steps) {
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_LE(s.error(a.lambda), 1e-9L);
  vec y(at(s.n()), 999.0), scratch(12 * at(s.n()) + 16);
  perp_residual r = PERP_RESIDUAL_INIT;
  EXPECT_EQ(perp_problem_residual(&s.p, a.lambda.data(), y.data(), &r, scratch.data(),
                                  scratch.size() * sizeof(double)),
            PERP_OK);
  EXPECT_LE(r.relative, 1e-9);
  EXPECT_LE(a.info.iterations, steps);
}

TEST(InteriorSparse, BandsThatAreNotSymmetricTakeFewStepsAndLinearMemory) {
  std::size_t before = 0;
  for (const std::int32_t n : {1000, 10000, 50000}) {
    sparse_problem s(n);
    band(&s, 0.7);
    const answer a = solve(s.pose());
    expect_solved(s, a, 30);
    EXPECT_LE(a.bytes, 1000U * at(n));
    EXPECT_TRUE(before == 0 || a.bytes <= 10 * before + 8192);
    EXPECT_LE(factors, 100);
    before = a.bytes;
    std::size_t contact = 0;
    for (const double x : a.lambda) contact += x == 0;
    EXPECT_GT(contact, at(n) / 10);
    EXPECT_LT(contact, 9 * at(n) / 10);
  }
}

// Diagonal >= 0, some of it 0; skew pairs, near ones and a few far ones; bounds of every kind.
TEST(InteriorSparse, RandomMonotoneProblemsWithBoundsOfEveryKind) {
  families::source random(2024);
  for (const std::int32_t n : {300, 10000}) {
    sparse_problem s(n);
    for (std::int32_t i = 0; i < n; i++) {
      s.add(i, i, random.chance(0.1) ? 1e-3 : 1 + random.unit());
      for (int k = 0; k < 2; k++) {
        const std::int32_t j = random.chance(0.01) ? random.integer(0, n - 1)
                                                   : std::min(n - 1, i + random.integer(1, 20));
        if (i != j) s.pair(i, j, random.signed_unit());
      }
      s.q[at(i)] = 3 * random.signed_unit();
      if (random.chance(0.3)) s.lower[at(i)] = -kInf;
      if (random.chance(0.3)) s.upper[at(i)] = 0.5;
    }
    const answer a = solve(s.pose());
    expect_solved(s, a, 40);
    const answer again = solve(s.p);
    EXPECT_EQ(a.lambda, again.lambda);
  }
}

TEST(InteriorSparse, OptimalityConditionsWithFreeMultipliers) {
  families::source random(88);
  const std::int32_t n = 8000, m = 2000;
  sparse_problem s(n + m);
  sparse_tools::optimality_conditions(&s, m, random);
  const answer a = solve(s.pose());
  expect_solved(s, a, 40);
  for (std::int32_t r = 0; r < m; r++) EXPECT_NEAR(a.y[at(n + r)], 0, 1e-8);
}

// Not monotone any more: equations of free unknowns in another order and with other signs.
TEST(InteriorSparse, EquationsOfFreeUnknownsMayBeMixed) {
  families::source random(6);
  const std::int32_t n = 5000, m = 1000;
  sparse_problem s(n);
  sparse_tools::optimality_conditions(&s, m, random);
  for (std::int32_t i = n - m; i + 1 < n; i += 2) {
    std::swap(s.rows[at(i)], s.rows[at(i + 1)]);
    std::swap(s.q[at(i)], s.q[at(i + 1)]);
    for (auto &entry : s.rows[at(i)]) entry.second *= -1;
    s.q[at(i)] *= -1;
  }
  expect_solved(s, solve(s.pose()), 60);
}

TEST(InteriorSparse, NoSolutionIsProved) {
  const std::int32_t n = 5000;
  sparse_problem s(n);
  band(&s, 0.7);
  for (const std::int32_t j : {n - 2, n - 1}) {  // x + y = 1 and x + y = 2 beside a sound problem
    s.rows[at(j)].clear();
    for (std::int32_t i = 0; i < n; i++) s.rows[at(i)].erase(j);
  }
  for (const std::int32_t i : {n - 2, n - 1})
    for (const std::int32_t j : {n - 2, n - 1}) s.add(i, j, 1);
  s.lower[at(n - 2)] = s.lower[at(n - 1)] = -kInf;
  s.q[at(n - 2)] = -1;
  s.q[at(n - 1)] = -2;
  const answer a = solve(s.pose());
  EXPECT_EQ(a.status, PERP_INFEASIBLE);
  EXPECT_EQ(a.info.ray_kind, PERP_RAY_CERTIFICATE);
  EXPECT_TRUE(s.proves_infeasible(a.ray));
}

// Equations that are there twice, and unknowns that do not appear at all.
TEST(InteriorSparse, SingularMatricesThatHaveSolutions) {
  const std::int32_t n = 3000;
  sparse_problem s(n);
  for (std::int32_t i = 0; i < n; i += 3) {
    for (const std::int32_t j : {i, i + 1}) {
      s.lower[at(j)] = -kInf;
      s.q[at(j)] = -1.5;
      s.add(j, i, 2);
      s.add(j, i + 1, 2);
    }
    if (i % 2 == 0) s.pair(i + 2, (i + 5) % n, 0.25);
    s.q[at(i + 2)] = 1;
  }
  expect_solved(s, solve(s.pose()), 30);
}

TEST(InteriorSparse, LongEnvelopesAreLeftToTheBackEnd) {
  const std::int32_t side = 40, n = side * side;
  sparse_problem s(n);
  sparse_tools::shuffled_grid(&s, side);
  const answer a = solve(s.pose());
  expect_solved(s, a, 30);
  EXPECT_GT(factors, 0);
  perp_interior_point_options o = perp_interior_point_options_default();
  EXPECT_LT(a.bytes, perp_solver_workspace(perp_solver_interior_point(), &s.p, &o));
  const answer other = solve(s.p, o);
  ASSERT_EQ(other.status, PERP_OK);
  for (std::int32_t i = 0; i < n; i++) EXPECT_NEAR(a.lambda[at(i)], other.lambda[at(i)], 1e-8);
  sparse_problem narrow(n);  // and a short one is not
  band(&narrow, 0);
  expect_solved(narrow, solve(narrow.pose()), 30);
  EXPECT_EQ(factors, 0);
}

TEST(InteriorSparse, EveryMonotoneFamilyAsWithoutABackEnd) {
  for (const families::family &f : families::all()) {
    if (!(f.properties & families::kSemidefinite)) continue;
    families::source random(families::seed(f) + 3);
    const perp_status expected = f.properties & families::kInfeasible ? PERP_INFEASIBLE : PERP_OK;
    for (int k = 0; k < 200; k++) {
      const families::instance i = f.make(random);
      families::laws laws(i);
      const std::int32_t n = i.n();
      const ints cuts = n > 2 ? ints{0, 1, n / 2 + 1, n} : ints{0, n};
      const tools::stored M(i.M, PERP_BLOCKS, k % 2 == 1 ? cuts : ints{}, k % 4 > 1);
      laws.problem.M = M.view;
      const answer a = solve(laws.problem);
      EXPECT_EQ(a.status, expected) << f.name << " " << k;
      if (a.status == PERP_OK) {
        EXPECT_TRUE(families::solves(i, a.lambda, 1e-10, tools::kEps)) << f.name << " " << k;
      }
      if (a.status == PERP_INFEASIBLE) {
        EXPECT_TRUE(families::proves_infeasible(i, a.ray)) << f.name << " " << k;
      }
    }
  }
}

std::int32_t stop(const perp_iterate *it, void *) { return it->iteration == 1; }

TEST(InteriorSparse, TheFactorIsReleasedOnEveryEnding) {
  sparse_problem s(1500);
  band(&s, 0.7);
  s.pose();
  perp_interior_point_options o = sparse_options();
  o.crossover = 0;
  o.max_iter = 2;
  answer a = solve(s.p, o);
  EXPECT_EQ(a.status, PERP_MAX_ITER);
  EXPECT_EQ(a.info.iterations, 2);
  o.observe = stop;
  o.max_iter = 0;
  a = solve(s.p, o);
  EXPECT_EQ(a.status, PERP_STOPPED);
  for (const double x : a.lambda) EXPECT_GE(x, 0);
  o = sparse_options();
  for (std::int32_t i = 0; i < s.n(); i++) s.rows[at(i)][i] = -1;  // not monotone, no solution
  s.q.assign(at(s.n()), -1.0);
  a = solve(s.pose(), o);
  EXPECT_GT(a.status, 0);
}

TEST(InteriorSparse, ABackEndThatFailsEndsTheSolve) {
  sparse_problem s(200);
  band(&s, 0.7);
  s.pose();
  const answer good = solve(s.p);
  const int count = factors;
  ASSERT_EQ(good.status, PERP_OK);
  for (int when = 1; when < count; when++)
    for (const int sign : {1, -1}) {
      fails_at = sign * when;
      const answer a = solve(s.p);
      EXPECT_TRUE(a.status == PERP_EBACKEND || a.status == PERP_OK) << fails_at;
      if (a.status == PERP_EBACKEND) {
        EXPECT_STREQ(a.info.field, "sparse");
      }
      for (const double x : a.lambda) EXPECT_GE(x, 0);
      EXPECT_TRUE(a.status != PERP_OK || s.error(a.lambda) <= 1e-9L);
      EXPECT_TRUE(when > 1 || a.status == PERP_EBACKEND);
    }
  fails_at = 0;
}

TEST(InteriorSparse, AWarmStartWithTheRightModesNeedsNoStep) {
  sparse_problem s(1500);
  band(&s, 0.7);
  s.pose();
  const std::size_t need = perp_solver_warm_bytes(perp_solver_interior_point(), &s.p);
  vec bytes(need / 8 + 1, 0.0);
  perp_warm warm = {bytes.data(), need, 0, 0};
  EXPECT_EQ(solve(s.p, sparse_options(), &warm).status, PERP_OK);
  const answer again = solve(s.p, sparse_options(), &warm);
  EXPECT_EQ(again.status, PERP_OK);
  EXPECT_EQ(again.info.iterations, 0);
  EXPECT_EQ(factors, 1);
}

TEST(InteriorSparse, NotANumberInTheDataIsNamed) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    sparse_problem s(1200);
    band(&s, 0.7);
    s.pose();
    s.values[1000] = bad;
    answer a = solve(s.p);
    EXPECT_EQ(a.status, PERP_ENOTFINITE);
    EXPECT_STREQ(a.info.field, "M");
    s.values[1000] = 1;
    s.q[7] = bad;
    a = solve(s.p);
    EXPECT_EQ(a.status, PERP_ENOTFINITE);
    EXPECT_STREQ(a.info.field, "q");
  }
}

TEST(InteriorSparse, AnIncompleteTableAndOneForSymmetricMatricesAreRefused) {
  sparse_problem s(3);
  band(&s, 0.7);
  s.pose();
  for (int k = 0; k < 5; k++) {
    perp_sparse table = counted;
    if (k == 0) table.struct_size = 8;
    if (k == 1) table.factor = nullptr;
    if (k == 2) table.solve = nullptr;
    if (k == 3) table.release = nullptr;
    if (k == 4) table.symmetric = 1;
    perp_interior_point_options o = perp_interior_point_options_default();
    o.sparse = &table;
    double x[3] = {999, 999, 999}, y[3];
    unsigned char work[8192];
    perp_info info = PERP_INFO_INIT;
    const perp_solver *solver = perp_solver_interior_point();
    EXPECT_EQ(perp_solver_workspace(solver, &s.p, &o), 0U);
    EXPECT_EQ(perp_solver_solve(solver, &s.p, &o, x, y, nullptr, work, sizeof work, &info),
              PERP_EINVAL);
    EXPECT_STREQ(info.field, "sparse");
    EXPECT_EQ(x[0], 999);
  }
}

// Whatever fits a shape fits its workspace: a larger shape never takes less.
TEST(InteriorSparse, TheWorkspaceGrowsWithTheShape) {
  const perp_interior_point_options o = sparse_options();
  perp_shape shape = {};
  shape.n = 1000;
  shape.matrix = PERP_BLOCKS;
  shape.sets = 1u << PERP_SET_ORTHANT;
  shape.nonzeros = 3000;
  std::size_t before = 0;
  for (shape.envelope = 1000; shape.envelope < 400000; shape.envelope += 1000) {
    const std::size_t bytes = perp_solver_shape_workspace(perp_solver_interior_point(), &shape, &o);
    EXPECT_GE(bytes, before);
    before = bytes;
  }
  EXPECT_LE(before, 8 * (16 * 4000U) + 600 * 1000U);
}

}  // namespace
