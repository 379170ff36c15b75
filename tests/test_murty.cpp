// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include <set>

#include "trial.hpp"

namespace {

using namespace trial;

const perp_solver *const kSolver = perp_solver_murty();

perp_solver_options watched() { return watch(perp_solver_options_default()); }

// ---- the number of pivots ----

TEST(Murty, TakesExactlyTwoToTheNMinusOnePivotsOnTheUpperMatrix) {
  for (std::int32_t n = 1; n <= 12; n++) {
    perp_solver_options o = watched();
    o.max_iter = 1 << n;
    const answer a = run(kSolver, murty_upper(n), &o);
    vec last(at(n), 0);
    last[at(n - 1)] = 1;
    EXPECT_TRUE(solved(murty_upper(n), a));
    EXPECT_TRUE(near(a.lambda, last));
    EXPECT_EQ(a.info.iterations, (1 << n) - 1) << n;
    EXPECT_EQ(seen.size(), static_cast<std::size_t>((1 << n) - 1));
  }
}

// Every pivot changes the side of one unknown, the least infeasible one, and no basis comes twice.
TEST(Murty, TheObserverSeesEveryPivotOfTheLeastIndexRule) {
  const std::int32_t n = 6;
  const instance p = murty_upper(n);
  const perp_solver_options o = watched();
  run(kSolver, p, &o);
  std::set<unsigned> visited = {0};
  unsigned basis = 0;
  for (const perp_iterate &it : seen) {
    /* by hand, for the basis before the pivot: U_FF z_F = 1, and w = U z - 1 */
    vec z(at(n), 0);
    std::int32_t least = -1;
    for (std::int32_t i = n - 1; i >= 0; i--) {
      double w = -1;
      for (std::int32_t j = i + 1; j < n; j++) w += 2 * z[at(j)];
      const bool basic = basis >> i & 1u;
      if (basic) z[at(i)] = -w;
      if (basic ? z[at(i)] < 0 : w < 0) least = i;
    }
    EXPECT_EQ(it.entering >= 0 ? it.entering : it.leaving, least);
    EXPECT_EQ(it.entering >= 0, (basis >> least & 1u) == 0);
    EXPECT_EQ(it.entering < 0, it.leaving >= 0);
    basis ^= 1u << least;
    EXPECT_TRUE(visited.insert(basis).second);
  }
  EXPECT_EQ(seen.back().merit, 0);
}

TEST(Murty, SolvesTheKnownProblemsWithPMatrices) {
  for (std::int32_t n = 1; n <= 12; n++) {
    vec first(at(n), 0);
    first[0] = 1;
    EXPECT_TRUE(near(run(kSolver, murty_lower(n)).lambda, first));
    EXPECT_TRUE(near(run(kSolver, fathi(n)).lambda, first));
  }
  EXPECT_TRUE(near(run(kSolver, ortiz()).lambda, {2.0 / 3, 0, 1.0 / 3, 0}));
  EXPECT_TRUE(near(run(kSolver, deudeu()).lambda, {4.0 / 3, 7.0 / 3}));
  for (const double a : {1.25, 2.0, 10.0}) EXPECT_TRUE(solved(cycle(a), run(kSolver, cycle(a))));
}

TEST(Murty, SolvesEveryPMatrixThatIsNotSymmetric) {
  families::source s(21);
  for (int k = 0; k < 3000; k++) {
    const instance p = families::p_matrix(s);
    const auto a = run(kSolver, p); /* λ of 1e10 in one of them, where pivots are not refined */
    EXPECT_TRUE(solved(p, a) || a.info.amplification > 1e8) << k;
  }
}

TEST(Murty, SolvesRelaysWithPointsFreeAndHalfBoundedUnknowns) {
  families::source s(22);
  for (int k = 0; k < 3000; k++) {
    instance p = families::relays(s);
    for (std::int32_t i = 0; i < p.n(); i++) {
      if (s.chance(0.2)) p.lower[at(i)] = -kInf;
      if (s.chance(0.2)) p.upper[at(i)] = kInf;
    }
    const auto a = run(kSolver, p); /* λ of 1e10 in one of them, where pivots are not refined */
    EXPECT_TRUE(solved(p, a) || a.info.amplification > 1e8) << k;
  }
}

// Hundreds of pivots between two factors, thousands in all: rounding must not pile up.
TEST(Murty, LongPathsStayAccurate) {
  families::source s(23);
  for (int k = 0; k < 3; k++) {
    instance p(90);
    families::add_product(p.M, families::random_matrix(s, 90, 90, false), 1);
    families::add_diagonal(p.M, 0.05);
    families::add_skew(p.M, s, 2);
    families::random_q(p, s);
    perp_solver_options o = watched();
    o.max_iter = 1000000;
    const answer a = run(kSolver, p, &o);
    EXPECT_TRUE(solved(p, a));
    EXPECT_LE(a.info.relative_residual, 1e-14);
  }
}

// ---- other matrices ----

TEST(Murty, AZeroPivotIsARayAndProvesNothing) {
  const answer a = run(kSolver, semidefinite()), b = run(kSolver, bimatrix());
  EXPECT_TRUE(a.status == PERP_RAY || solved(semidefinite(), a));
  EXPECT_EQ(b.status, PERP_RAY);
  EXPECT_EQ(b.info.ray_kind, PERP_RAY_NONE);
  EXPECT_EQ(b.lambda, vec(4, 0.0));
  EXPECT_GT(run(kSolver, no_solution()).status, 0);
  const instance free_zero = box(1, {0}, {-1}, {-kInf}, {kInf});
  EXPECT_EQ(run(kSolver, free_zero).status, PERP_RAY);
}

// ---- warm starts ----

TEST(MurtyWarm, TheModesOfTheSolutionNeedNoPivot) { starts_from_modes(kSolver, 24, 0); }
TEST(MurtyWarm, GarbageIsSurvived) { survives_garbage(kSolver, 25); }

// ---- options, endings ----

TEST(Murty, MaxIterIsTheNumberOfPivotsAllowed) {
  const instance p = murty_upper(5);
  perp_solver_options o = watched();
  for (o.max_iter = 1; o.max_iter < 31; o.max_iter++) {
    seen.clear();
    const answer a = run(kSolver, p, &o);
    /* the last point, moved into the box, may happen to be the solution */
    EXPECT_TRUE(a.status == PERP_MAX_ITER || solved(p, a));
    EXPECT_EQ(a.info.iterations, o.max_iter);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(o.max_iter));
    for (const double x : a.lambda) EXPECT_GE(x, 0);
  }
  seen.clear();
  EXPECT_TRUE(solved(p, run(kSolver, p, &o)));
}

TEST(Murty, TheObserverStopsIt) {
  for (std::int32_t k = 0; k < 15; k++) {
    const perp_solver_options o = watched();
    stop_at = k;
    const answer a = run(kSolver, murty_upper(4), &o);
    EXPECT_EQ(a.status, PERP_STOPPED);
    EXPECT_EQ(a.info.iterations, k + 1);
  }
}

TEST(Murty, ATightToleranceIsInaccurateRatherThanALie) {
  claims_nothing_beyond_rounding(kSolver, 26);
}

TEST(Murty, OptionsAreChecked) {
  const perp_solver_options o = perp_solver_options_default();
  EXPECT_EQ(o.struct_size, sizeof o);
  EXPECT_EQ(o.tol, PERP_DEFAULT_TOL);
  refuses_common_fields(kSolver, o);
  perp_solver_options_init(nullptr, 8);
}

TEST(Murty, HugeAndTinyNumbersEndHonestly) { ends_honestly_at_the_limits(kSolver); }
TEST(Murty, StaysInItsBlockAtEveryAlignment) { keeps_to_its_block(kSolver); }
TEST(Murty, NotANumberInAnyEntryIsNamed) { names_what_is_not_finite(kSolver); }
TEST(Murty, EveryKindOfStorageGivesTheSameBits) { same_bits_in_every_storage(kSolver); }

TEST(Murty, TakesPlainArrays) {
  takes_plain_arrays(kSolver);
  takes_plain_boxes(kSolver);
}

}  // namespace
