// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include "trial.hpp"

namespace {

using namespace trial;

const perp_solver *const kSolver = perp_solver_block_pivoting();

perp_block_pivoting_options watched() { return watch(perp_block_pivoting_options_default()); }

// ---- P-matrices ----

TEST(BlockPivoting, SolvesTheKnownProblemsWithPMatrices) {
  for (std::int32_t n = 1; n <= 12; n++) {
    vec first(at(n), 0), last(at(n), 0);
    first[0] = last[at(n - 1)] = 1;
    const answer lower = run(kSolver, murty_lower(n)), upper = run(kSolver, murty_upper(n)),
                 f = run(kSolver, fathi(n));
    EXPECT_TRUE(solved(murty_lower(n), lower));
    EXPECT_TRUE(near(lower.lambda, first));
    EXPECT_TRUE(solved(murty_upper(n), upper));
    EXPECT_TRUE(near(upper.lambda, last));
    EXPECT_TRUE(solved(fathi(n), f));
    EXPECT_TRUE(near(f.lambda, first));
  }
  EXPECT_TRUE(near(run(kSolver, ortiz()).lambda, {2.0 / 3, 0, 1.0 / 3, 0}));
  EXPECT_TRUE(near(run(kSolver, deudeu()).lambda, {4.0 / 3, 7.0 / 3}));
}

// Block exchanges alone go round in a circle of three from this start.
TEST(BlockPivoting, TheSafeguardLeavesNewtonMinsCycle) {
  for (const double a : {1.25, 2.0, 10.0})
    for (const std::int32_t patience : {0, 1, 5, 100}) {
      const instance p = cycle(a);
      perp_block_pivoting_options o = watched();
      o.patience = patience;
      std::vector<double> bytes(8, 0);
      perp_warm warm = {bytes.data(), 64, 0, 0};
      const unsigned char modes[] = {PERP_MODE_FREE, PERP_MODE_LOWER, PERP_MODE_LOWER};
      ASSERT_EQ(perp_warm_set_modes(&warm, 3, modes), PERP_OK);
      const answer s = run(kSolver, p, &o, &warm);
      EXPECT_TRUE(solved(p, s));
      EXPECT_EQ(s.lambda, vec(3, 0.0));
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(s.info.iterations));
      bool alone = false;
      for (const perp_iterate &it : seen) alone = alone || it.entering >= 0 || it.leaving >= 0;
      EXPECT_TRUE(alone) << "patience " << patience;
      EXPECT_GE(s.info.iterations, patience);
    }
}

// Least-index exchanges alone are Murty's method: 2^n - 1 exchanges on his matrix.
TEST(BlockPivoting, WithoutPatienceTheWorstCaseIsMurtys) {
  for (std::int32_t n = 1; n <= 8; n++) {
    perp_block_pivoting_options o = watched();
    o.patience = 0;
    o.max_iter = 100000;
    const answer a = run(kSolver, murty_upper(n), &o);
    EXPECT_TRUE(solved(murty_upper(n), a));
    EXPECT_LE(a.info.iterations, 1 << n);
  }
}

TEST(BlockPivoting, SolvesEveryPMatrixThatIsNotSymmetric) {
  families::source s(11);
  for (int k = 0; k < 3000; k++) {
    const instance p = families::p_matrix(s);
    perp_block_pivoting_options o = perp_block_pivoting_options_default();
    o.patience = k % 4 == 0 ? 0 : 5;
    EXPECT_TRUE(solved(p, run(kSolver, p, &o))) << k;
  }
}

TEST(BlockPivoting, SolvesRelaysWithPointsAndHalfBoundedUnknowns) {
  families::source s(12);
  for (int k = 0; k < 3000; k++) {
    instance p = families::relays(s);
    for (std::int32_t i = 0; i < p.n(); i++) {
      if (s.chance(0.15)) p.lower[at(i)] = -kInf;
      if (s.chance(0.15)) p.upper[at(i)] = kInf;
    }
    EXPECT_TRUE(solved(p, run(kSolver, p))) << k;
  }
}

// ---- monotone problems ----

TEST(BlockPivoting, EndsOnSingularProblemsWithAPointOfTheFace) {
  const answer a = run(kSolver, singular()), b = run(kSolver, semidefinite());
  EXPECT_TRUE(solved(singular(), a));
  EXPECT_NEAR(a.lambda[0] + a.lambda[1], 1, 1e-9);
  EXPECT_TRUE(solved(semidefinite(), b));
  EXPECT_NEAR(b.lambda[1] - b.lambda[0], 1, 1e-9);
}

TEST(BlockPivoting, SolvesSolvableMonotoneProblems) {
  families::source s(13);
  int missed = 0;
  for (int k = 0; k < 2000; k++) {
    const instance p = k % 2 == 0 ? families::monotone(s) : families::free_unknowns(s);
    const answer a = run(kSolver, p);
    if (a.status == PERP_OK) {
      EXPECT_TRUE(solved(p, a)) << k;
    } else {
      missed++;
      EXPECT_EQ(a.status, PERP_MAX_ITER) << k;
    }
  }
  EXPECT_LE(missed, 4);
}

// [0 -A'; A 0] has no definite part at all.
TEST(BlockPivoting, SolvesALinearProgramByItsConditions) {
  /* min -x1 - 2 x2, x1 + x2 <= 4, x2 <= 3: x = (1, 3), multipliers (1, 1) */
  const instance p = lcp(4, {0, 0, 1, 0, 0, 0, 1, 1, -1, -1, 0, 0, 0, -1, 0, 0}, {-1, -2, 4, 3});
  const answer a = run(kSolver, p);
  EXPECT_TRUE(solved(p, a));
  EXPECT_TRUE(near(a.lambda, {1, 3, 1, 1}, 1e-8));
}

TEST(BlockPivoting, ProvesThatAMonotoneProblemHasNoSolution) {
  /* the same with x2 >= 5: not feasible, and not symmetric */
  const instance p =
      lcp(5, {0, 0, 1, 0, 0, 0, 0, 1, 1, -1, -1, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0, 0, 0},
          {-1, -2, 4, 3, -5});
  const answer a = run(kSolver, p);
  ASSERT_EQ(a.status, PERP_INFEASIBLE);
  ASSERT_EQ(a.info.ray_kind, PERP_RAY_CERTIFICATE);
  EXPECT_TRUE(families::proves_infeasible(p, a.ray));
}

TEST(BlockPivoting, NeverSolvesTheInfeasible) {
  const answer a = run(kSolver, no_solution());
  EXPECT_GT(a.status, 0);
  EXPECT_EQ(a.info.ray_kind, PERP_RAY_NONE); /* M is not monotone: nothing is proven */
  EXPECT_TRUE(a.lambda[0] >= 0);
}

// ---- ill-behaved numbers ----

TEST(BlockPivoting, DoesNotDependOnUnits) {
  families::source s(14);
  for (int k = 0; k < 300; k++) {
    const instance p = families::p_matrix(s);
    instance scaled = p;
    vec powers(p.q.size());
    for (double &x : powers) x = std::ldexp(1.0, s.integer(-20, 20));
    for (std::int32_t j = 0; j < p.n(); j++)
      for (std::int32_t i = 0; i < p.n(); i++)
        scaled.M(i, j) = p.M(i, j) * powers[at(i)] * powers[at(j)];
    for (std::int32_t i = 0; i < p.n(); i++) scaled.q[at(i)] *= powers[at(i)];
    EXPECT_TRUE(solved(scaled, run(kSolver, scaled))) << k;
  }
}

TEST(BlockPivoting, HugeAndTinyNumbersEndHonestly) { ends_honestly_at_the_limits(kSolver); }

// ---- warm starts ----

TEST(BlockPivotingWarm, TheModesOfTheSolutionNeedOneBasis) { starts_from_modes(kSolver, 15, 1); }

TEST(BlockPivotingWarm, GarbageIsSurvived) {
  survives_garbage(kSolver, 16);
  const instance p = ortiz();
  perp_warm none = {nullptr, 100, 1, 0}, small = {&none, 1, 1, 0};
  EXPECT_TRUE(solved(p, run(kSolver, p, nullptr, &none)));
  EXPECT_TRUE(solved(p, run(kSolver, p, nullptr, &small)));
  families::laws laws(p);
  laws.problem.M = perp_dense(4, 4, p.M.data());
  EXPECT_EQ(perp_solver_warm_bytes(kSolver, &laws.problem), 16u);
}

// ---- options, endings ----

TEST(BlockPivoting, MaxIterIsTheNumberOfBasesAllowed) {
  const instance p = murty_upper(7);
  perp_block_pivoting_options o = watched();
  o.patience = 0;
  for (o.max_iter = 1; o.max_iter < 40; o.max_iter++) {
    seen.clear();
    const answer a = run(kSolver, p, &o);
    EXPECT_LE(a.info.iterations, o.max_iter);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(a.info.iterations));
    EXPECT_TRUE(a.status == PERP_OK || a.status == PERP_MAX_ITER);
    for (const double x : a.lambda) EXPECT_GE(x, 0);
  }
}

TEST(BlockPivoting, TheObserverStopsIt) {
  const instance p = murty_upper(6);
  const answer whole = run(kSolver, p);
  for (std::int32_t k = 0; k < whole.info.iterations; k++) {
    const perp_block_pivoting_options o = watched();
    stop_at = k;
    const answer a = run(kSolver, p, &o);
    EXPECT_EQ(a.status, PERP_STOPPED);
    EXPECT_EQ(a.info.iterations, k + 1);
  }
  const perp_block_pivoting_options o = watched(); /* also on a singular basis */
  stop_at = 0;
  EXPECT_EQ(run(kSolver, singular(), &o).status, PERP_STOPPED);
  EXPECT_EQ(seen[0].merit, kInf);
}

TEST(BlockPivoting, ATightToleranceIsInaccurateRatherThanALie) {
  claims_nothing_beyond_rounding(kSolver, 17);
}

TEST(BlockPivoting, OptionsAreChecked) {
  perp_block_pivoting_options o = perp_block_pivoting_options_default();
  EXPECT_EQ(o.struct_size, sizeof o);
  EXPECT_EQ(o.max_iter, 0);
  EXPECT_EQ(o.tol, PERP_DEFAULT_TOL);
  EXPECT_EQ(o.proximal, 1e-6);
  EXPECT_EQ(o.patience, 5);
  refuses_common_fields(kSolver, o);
  o.patience = -1;
  EXPECT_TRUE(refuses(kSolver, &o, "patience"));
  for (const double bad : {0.0, -1.0, kNaN, kInf}) {
    o = perp_block_pivoting_options_default();
    o.proximal = bad;
    EXPECT_TRUE(refuses(kSolver, &o, "proximal"));
  }
  perp_block_pivoting_options_init(nullptr, 8);
  const perp_solver_options common = {sizeof common, 5, 1e-8, nullptr, nullptr, 0};
  const instance d = deudeu();
  EXPECT_TRUE(solved(d, run(kSolver, d, &common), 1e-8));
}

TEST(BlockPivoting, StaysInItsBlockAtEveryAlignment) { keeps_to_its_block(kSolver); }
TEST(BlockPivoting, NotANumberInAnyEntryIsNamed) { names_what_is_not_finite(kSolver); }
TEST(BlockPivoting, EveryKindOfStorageGivesTheSameBits) { same_bits_in_every_storage(kSolver); }

TEST(BlockPivoting, TakesPlainArrays) {
  takes_plain_arrays(kSolver);
  takes_plain_boxes(kSolver);
}

}  // namespace
