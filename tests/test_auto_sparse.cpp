// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/auto.h>

#include <string>

#include "sparse_tools.hpp"

namespace {

using sparse_tools::band;
using sparse_tools::sparse_problem;
using tools::at;
using tools::kInf;
using tools::vec;

struct answer {
  perp_status status = 999;
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
  std::string solver;
  std::size_t bytes = 0;
};

answer solve(const perp_problem &p, const perp_auto_options *o = nullptr) {
  answer a;
  a.lambda.assign(at(p.n), 999.0);
  a.y = a.ray = a.lambda;
  a.info.ray = a.ray.data();
  a.info.ray_size = p.n;
  const perp_solver *solver = perp_solver_auto();
  a.bytes = perp_solver_workspace(solver, &p, o);
  std::vector<unsigned char> work(a.bytes, 0xA5);
  a.status = perp_solver_solve(solver, &p, o, a.lambda.data(), a.y.data(), nullptr, work.data(),
                               work.size(), &a.info);
  if (a.info.solver != nullptr) a.solver = a.info.solver;
  return a;
}

TEST(AutoSparse, ABandThatIsNotSymmetricIsSolvedInLinearMemory) {
  for (const double skew : {0.1, 2.0})
    for (const std::int32_t n : {1000, 30000}) {
      sparse_problem s(n);
      band(&s, skew);
      const answer a = solve(s.pose());
      ASSERT_EQ(a.status, PERP_OK) << skew << " " << n;
      EXPECT_LE(s.error(a.lambda), 1e-9L);
      EXPECT_LE(a.bytes, (std::size_t{64} << 20) + 2000U * at(n));
      EXPECT_LE(a.info.iterations, 600);
    }
}

TEST(AutoSparse, OptimalityConditionsGoToTheInteriorPointMethod) {
  families::source random(12);
  sparse_problem s(10000);
  sparse_tools::optimality_conditions(&s, 2000, random);
  const answer a = solve(s.pose());
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.solver, "interior-point");
  EXPECT_LE(s.error(a.lambda), 1e-9L);
}

TEST(AutoSparse, WhereNothingMayAllocateTheSparseFactorIsLeftOut) {
  families::source random(12);
  sparse_problem s(3000);  // more than the interior-point method takes without it
  sparse_tools::optimality_conditions(&s, 600, random);
  EXPECT_EQ(solve(s.pose()).solver, "interior-point");
  perp_auto_options o = perp_auto_options_default();
  o.allocate = 0;
  const answer a = solve(s.pose(), &o);
  EXPECT_GE(a.status, 0);
  EXPECT_NE(a.solver, "interior-point");
}

TEST(AutoSparse, AShuffledGridIsSolved) {
  sparse_problem s(60 * 60);
  sparse_tools::shuffled_grid(&s, 60);
  answer a = solve(s.pose());
  ASSERT_EQ(a.status, PERP_OK);
  EXPECT_LE(s.error(a.lambda), 1e-9L);
  for (std::int32_t i = 0; i < s.n(); i++) {  // units that differ: too slow for gradients alone
    const double d = std::pow(10.0, i % 4);
    for (auto &[j, v] : s.rows[at(i)]) v *= d * std::pow(10.0, j % 4);
    s.q[at(i)] *= d;
  }
  a = solve(s.pose());
  ASSERT_EQ(a.status, PERP_OK) << a.solver;
  EXPECT_LE(s.error(a.lambda), 1e-9L);
}

TEST(AutoSparse, ALargeProblemWithoutSolutionIsProvedToBeOne) {
  const std::int32_t n = 4000;
  sparse_problem s(n);
  for (std::int32_t i = 0; i + 1 < n; i += 2) s.pair(i, i + 1, 1 + i % 3);  // y = -x', 0 on [0, ∞)
  for (std::int32_t i = 0; i < n; i++) s.q[at(i)] = -1;
  const answer a = solve(s.pose());
  EXPECT_EQ(a.status, PERP_INFEASIBLE);
  EXPECT_TRUE(s.proves_infeasible(a.ray));
}

// Its factor would have some 10^8 entries: nobody waits for it, and the answer is honest.
TEST(AutoSparse, AGraphThatFillsInIsNotFactorised) {
  families::source random(3);
  const std::int32_t n = 20000;
  sparse_problem s(n);
  for (std::int32_t i = 0; i < n; i++) {
    s.add(i, i, 0.1);
    for (int k = 0; k < 3; k++) {
      const std::int32_t j = random.integer(0, n - 1);
      if (j != i) s.pair(i, j, random.signed_unit());
    }
    s.q[at(i)] = random.signed_unit();
  }
  const answer a = solve(s.pose());
  EXPECT_GE(a.status, 0);
  EXPECT_NE(a.status, PERP_INFEASIBLE);
  EXPECT_TRUE(a.status != PERP_OK || s.error(a.lambda) <= 1e-9L);
}

}  // namespace
