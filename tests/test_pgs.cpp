// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/problem.h>
#include <perp/sweeps.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "solver_trial.hpp"

namespace {

using families::instance;
using tools::at;
using tools::boxed;
using tools::dense;
using tools::kInf;
using tools::kNaN;
using tools::lcp;
using tools::mixed;
using tools::trial;
using tools::vec;
using options = perp_pgs_options;

const perp_solver *pgs() { return perp_solver_pgs(); }

options with(std::int32_t max_iter, double omega = 1, double regularisation = 0,
             std::int32_t symmetric = 0) {
  options o = perp_pgs_options_default();
  o.max_iter = max_iter;
  o.omega = omega;
  o.regularisation = regularisation;
  o.symmetric = symmetric;
  return o;
}

// A sweep from its definition.
void sweep(const instance &p, double omega, bool backward, vec &x) {
  for (std::int32_t k = 0; k < p.n(); k++) {
    const std::int32_t i = backward ? p.n() - 1 - k : k;
    double w = p.q[at(i)];
    for (std::int32_t j = 0; j < p.n(); j++) w += p.M(i, j) * x[at(j)];
    x[at(i)] = std::min(std::max(x[at(i)] - omega * w / p.M(i, i), p.lower[at(i)]), p.upper[at(i)]);
  }
}

double distance(const vec &a, const vec &b) {
  double d = 0;
  for (std::size_t i = 0; i < a.size(); i++) d = std::max(d, std::fabs(a[i] - b[i]));
  return d;
}

TEST(GaussSeidel, ASweepIsTheOneOfTheDefinitionInEveryStorage) {
  for (const std::int32_t n : {1, 2, 3, 4, 5, 8, 11})
    for (const std::int32_t symmetric : {0, 1})
      for (const double omega : {0.7, 1.0, 1.6}) {
        const instance p = mixed(static_cast<std::uint64_t>(n), n);
        vec x(p.q.size(), 0);
        for (int k = 0; k < 3; k++) sweep(p, omega, symmetric != 0 && k == 1, x);
        options o = with(3, omega, 0, symmetric);
        o.tol = 0;
        tools::ints cuts = {0};
        while (cuts.back() < n) cuts.push_back(std::min(n, cuts.back() + 1 + cuts.back() % 3));
        const tools::stored full(p.M, PERP_DENSE), rows(p.M, PERP_BLOCKS, {}, true);
        const tools::stored blocks(p.M, PERP_BLOCKS, cuts, true);
        for (const perp_matrix *M : {&full.view, &rows.view, &blocks.view}) {
          const trial t(pgs(), p, *M, &o);
          EXPECT_EQ(t.status == PERP_MAX_ITER, t.info.iterations == 3); /* else it stood still */
          EXPECT_LT(distance(t.lambda, x), 1e-13) << n << " " << symmetric << " " << M->kind;
        }
      }
}

TEST(GaussSeidel, SolvesDefiniteProblemsInEveryStorage) {
  for (std::uint64_t seed = 1; seed <= 20; seed++) {
    const instance p = mixed(seed, 3 + static_cast<std::int32_t>(seed));
    tools::ints cuts = {0, 1, 3, p.n()};
    const tools::stored full(p.M, PERP_DENSE), rows(p.M, PERP_BLOCKS);
    const tools::stored blocks(p.M, PERP_BLOCKS, cuts);
    for (const perp_matrix *M : {&full.view, &rows.view, &blocks.view})
      for (const double omega : {0.8, 1.0, 1.4})
        for (const std::int32_t symmetric : {0, 1}) {
          const options o = with(0, omega, 0, symmetric);
          const trial t(pgs(), p, *M, &o);
          ASSERT_EQ(t.status, PERP_OK);
          EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
          EXPECT_TRUE(t.intact);
          EXPECT_STREQ(t.info.solver, "pgs");
        }
  }
}

TEST(GaussSeidel, DiagonalAndZeroMatricesTakeTwoLooks) {
  instance p(3);
  p.q = {-2, 3, -1};
  p.upper[2] = 0.5;
  for (std::int32_t i = 0; i < 3; i++) p.M(i, i) = 2;
  const tools::stored diagonal(p.M, PERP_DIAGONAL);
  const trial t(pgs(), p, diagonal.view);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_EQ(t.lambda, vec({1, 0, 0.5}));
  instance none(2);
  none.q = {3, -1};
  none.upper[1] = 7;
  const tools::stored zero(none.M, PERP_ZERO);
  const trial r(pgs(), none, zero.view);
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.lambda, vec({0, 7}));
}

TEST(GaussSeidel, AnUnknownOfAZeroRowThatNothingStopsProvesThatThereIsNoSolution) {
  for (const double rho : {0.0, 1.0}) {
    const options o = with(0, 1, rho);
    const instance p = lcp({1, 0, 0, 0}, {-1, -2});
    const trial t(pgs(), p, &o);
    EXPECT_EQ(t.status, PERP_INFEASIBLE);
    EXPECT_EQ(t.info.ray_kind, PERP_RAY_CERTIFICATE);
    EXPECT_EQ(t.ray, vec({0, 1}));
    EXPECT_TRUE(families::proves_infeasible(p, t.ray));
    const instance free = boxed({0}, {3}, {-kInf}, {kInf});
    const trial f(pgs(), free, &o);
    EXPECT_EQ(f.status, PERP_INFEASIBLE);
    EXPECT_EQ(f.ray, vec({-1}));
    EXPECT_TRUE(families::proves_infeasible(free, f.ray));
  }
}

TEST(GaussSeidel, RegularisationDoesNotChangeTheProblem) {
  for (const double rho : {1e-3, 0.1, 1.0, 100.0})
    for (std::uint64_t seed = 1; seed <= 5; seed++) {
      const instance p = mixed(seed, 7);
      const tools::stored full(p.M, PERP_DENSE), rows(p.M, PERP_BLOCKS);
      const tools::stored blocks(p.M, PERP_BLOCKS, {0, 2, 7});
      const trial plain(pgs(), p);
      ASSERT_EQ(plain.status, PERP_OK);
      for (const perp_matrix *M : {&full.view, &rows.view, &blocks.view}) {
        const options o = with(200000, 1, rho);
        const trial t(pgs(), p, *M, &o);
        ASSERT_EQ(t.status, PERP_OK) << rho;
        EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
        EXPECT_LT(distance(t.lambda, plain.lambda), 1e-7);
      }
    }
}

// [0 1; -1 0]: without ρ the diagonal is empty, with it the outer loop is that of a monotone
// problem.
TEST(GaussSeidel, RegularisationSolvesMonotoneProblemsWithAnEmptyDiagonal) {
  const instance p = lcp({0, 1, -1, 0}, {-1, 2});
  const options o = with(100000, 1, 2);
  const trial t(pgs(), p, &o);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
  EXPECT_NEAR(t.lambda[0], 2, 1e-8);
  EXPECT_NEAR(t.lambda[1], 1, 1e-8);
}

TEST(GaussSeidel, MultipliersOfConstraintsTakeTheDiagonalOfTheSchurComplement) {
  // K x = f + Gᵀ s, G x = g: two multipliers with M_ii = 0. K is small: a step of the size of M
  // would be a thousand times too long.
  const instance p = boxed({4e-3, 1e-3, -1, 0,  //
                            1e-3, 3e-3, 0, -1,  //
                            1, 0, 0, 0,         //
                            0, 1, 0, 0},        //
                           {-1e-3, 2e-3, -0.5, -0.25}, vec(4, -kInf), vec(4, kInf));
  const trial t(pgs(), p);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_NEAR(t.lambda[0], 0.5, 1e-9);
  EXPECT_NEAR(t.lambda[1], 0.25, 1e-9);
  EXPECT_NEAR(t.lambda[2], 1e-3 * (4 * 0.5 + 0.25 - 1), 1e-9);
  EXPECT_NEAR(t.lambda[3], 1e-3 * (0.5 + 3 * 0.25 + 2), 1e-9);
}

TEST(GaussSeidel, NegativeDiagonalsAreNeverDividedByAndNothingFalseIsClaimed) {
  const instance none = lcp({-1}, {-1});  // w = -z - 1
  const options o = with(500);
  const trial t(pgs(), none, &o);
  EXPECT_GT(t.status, 0);
  const instance box = boxed({-1}, {0.25}, {-1}, {1});  // -1, 0.25 and 1 solve
  const trial b(pgs(), box);
  EXPECT_EQ(b.status, PERP_OK);
  EXPECT_TRUE(families::solves(box, b.lambda, 1e-10));
}

TEST(GaussSeidel, DivergenceEndsWithTheBestPointMet) {
  const instance p = boxed({1, 3, -3, 1}, {-1, -1}, {-kInf, -kInf}, {kInf, kInf});
  const trial t(pgs(), p);
  EXPECT_EQ(t.status, PERP_INACCURATE);
  EXPECT_LE(t.info.residual, 1);  // what it was at 0
  EXPECT_LT(t.info.iterations, 50);
  for (const double x : t.lambda) EXPECT_LT(std::fabs(x), 1e3);
}

TEST(GaussSeidel, ACycleEndsAtTheLimitWithTheBestPointMet) {
  const instance p = lcp({1, 0, 9, 9, 1, 0, 0, 9, 1}, {-1, -1, -1});
  const trial t(pgs(), p);
  EXPECT_EQ(t.status, PERP_MAX_ITER);
  EXPECT_EQ(t.info.iterations, 2000 + 50 * 3);
  EXPECT_LE(t.info.residual, 1);
}

TEST(GaussSeidel, TheLiteraturesProblemsAreSolvedOrHonestlyNot) {
  int solved = 0;
  for (const auto &k : tools::known_problems())
    for (const double rho : {0.0, 1.0}) {
      const options o = with(3000, 1, rho);
      const trial t(pgs(), k.problem, &o);
      EXPECT_GE(t.status, 0) << k.name;
      EXPECT_NE(t.status, PERP_INFEASIBLE) << k.name;
      EXPECT_EQ(t.status == PERP_OK, families::solves(k.problem, t.lambda, 1e-10)) << k.name;
      solved += t.status == PERP_OK;
    }
  EXPECT_GE(solved, 15);
}

TEST(GaussSeidel, ASolutionAsStartTakesNoSweep) {
  const instance p = mixed(3, 9);
  const trial first(pgs(), p);
  ASSERT_EQ(first.status, PERP_OK);
  EXPECT_GT(first.info.iterations, 0);
  const trial again(pgs(), p, nullptr, first.lambda);
  EXPECT_EQ(again.status, PERP_OK);
  EXPECT_EQ(again.info.iterations, 0);
}

TEST(GaussSeidel, AStartThatIsNoNumberOrTooLargeIsReplaced) {
  const instance p = mixed(3, 9);
  for (const double bad : {kNaN, kInf, -kInf, 1e308, -1e308}) {
    const trial t(pgs(), p, nullptr, vec(p.q.size(), bad));
    EXPECT_EQ(t.status, PERP_OK) << bad;
    EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
  }
}

TEST(GaussSeidel, TheObserverSeesEverySweepAndMayStop) {
  tools::is_watched_and_stopped(pgs(), with(0), mixed(5, 8));
}

TEST(GaussSeidel, TheLimitIsKeptExactlyAndLooksComeWhenAskedFor) {
  const instance p = mixed(5, 8);
  for (const std::int32_t limit : {1, 2, 7}) {
    options o = with(limit);
    o.check = 1000;
    const trial t(pgs(), p, &o);
    EXPECT_EQ(t.status, PERP_MAX_ITER);
    EXPECT_EQ(t.info.iterations, limit);
  }
  options o = with(0);
  o.check = 1;
  const trial often(pgs(), p, &o);
  o.check = 64;
  const trial seldom(pgs(), p, &o);
  EXPECT_EQ(often.status, PERP_OK);
  EXPECT_EQ(seldom.status, PERP_OK);
  EXPECT_LE(often.info.iterations, seldom.info.iterations);
  EXPECT_GE(seldom.info.iterations, 30);
}

TEST(GaussSeidel, NotANumberInTheDataIsNamed) {
  for (const double rho : {0.0, 0.5}) {
    const options o = with(300, 1, rho);
    tools::names_what_is_no_number(pgs(), &o);
  }
}

TEST(GaussSeidel, NothingLeftIsSolvedAndEmpty) {
  const instance p(0);
  const trial t(pgs(), p);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_EQ(t.info.iterations, 0);
}

TEST(GaussSeidel, RefusesOptionsOutOfRange) {
  const instance p = mixed(2, 3);
  const auto refused = [&](const options &o, const char *field) {
    const trial t(pgs(), p, &o);
    return t.status == PERP_EINVAL && std::string(t.info.field) == field;
  };
  for (const double omega : {0.0, 2.0, -1.0, kNaN, kInf})
    EXPECT_TRUE(refused(with(0, omega), "omega"));
  for (const double rho : {-1e-300, kNaN, kInf})
    EXPECT_TRUE(refused(with(0, 1, rho), "regularisation"));
  options o = with(0);
  o.check = 0;
  EXPECT_TRUE(refused(o, "check"));
  o = with(-1);
  EXPECT_TRUE(refused(o, "max_iter"));
  o = with(0);
  o.tol = kNaN;
  EXPECT_TRUE(refused(o, "tol"));
  o = with(0);
  o.struct_size = 4;
  EXPECT_TRUE(refused(o, "struct_size"));
  perp_pgs_options_init(nullptr, sizeof o);
}

TEST(GaussSeidel, PlainArraysReachTheSameSolver) { tools::takes_plain_arrays(pgs()); }

TEST(GaussSeidel, TheBoundOfTheWorkspaceHolds) {
  for (const std::int32_t n : {0, 1, 2, 3, 17, 1000}) {
    EXPECT_LE(perp_lcp_workspace(perp_solver_pgs(), n, nullptr), PERP_PGS_WORKSPACE(n));
    const perp_shape shape = {
        n, n > 0 ? 1 : 0, 1u << PERP_SET_BOX, PERP_BLOCKS, at(n) * at(n), at(n) * at(n), 0, 0, n,
        1};
    EXPECT_LE(perp_solver_shape_workspace(pgs(), &shape, nullptr), PERP_PGS_WORKSPACE(n));
  }
}

}  // namespace
