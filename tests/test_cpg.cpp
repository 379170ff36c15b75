// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/problem.h>
#include <perp/sweeps.h>

#include <algorithm>
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
using options = perp_cpg_options;

const perp_solver *cpg() { return perp_solver_cpg(); }

options with(std::int32_t max_iter, double tol = PERP_DEFAULT_TOL) {
  options o = perp_cpg_options_default();
  o.max_iter = max_iter;
  o.tol = tol;
  return o;
}

long double energy(const instance &p, const vec &x) {
  long double f = 0;
  for (std::int32_t i = 0; i < p.n(); i++) {
    f += static_cast<long double>(p.q[at(i)]) * x[at(i)];
    for (std::int32_t j = 0; j < p.n(); j++)
      f += 0.5L * p.M(i, j) * x[at(i)] * static_cast<long double>(x[at(j)]);
  }
  return f;
}

TEST(ConjugateGradient, WithoutBoundsItTakesAsManyStepsAsThereAreEigenvalues) {
  instance p(12);
  tools::uniform u(4);
  p.lower = vec(12, -kInf);
  p.q = u.vector(12);
  vec v = u.vector(12);
  for (std::int32_t j = 0; j < 12; j++) /* 1 and 1 + |v|^2, in constant-diagonal form or nearly */
    for (std::int32_t i = 0; i < 12; i++) {
      v[at(i)] = v[at(i)] < 0 ? -0.5 : 0.5;
      v[at(j)] = v[at(j)] < 0 ? -0.5 : 0.5;
      p.M(i, j) = (i == j ? 1.0 : 0.0) + v[at(i)] * v[at(j)];
    }
  const trial t(cpg(), p);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_LE(t.info.iterations, 3);
  EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
}

TEST(ConjugateGradient, SolvesDefiniteProblemsInEveryStorage) {
  for (std::uint64_t seed = 1; seed <= 20; seed++) {
    const instance p = mixed(seed, 3 + static_cast<std::int32_t>(seed));
    const tools::stored full(p.M, PERP_DENSE), rows(p.M, PERP_BLOCKS, {}, true);
    const tools::stored blocks(p.M, PERP_BLOCKS, {0, 1, 3, p.n()}, true);
    for (const perp_matrix *M : {&full.view, &rows.view, &blocks.view}) {
      const trial t(cpg(), p, *M);
      ASSERT_EQ(t.status, PERP_OK) << seed;
      EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
      EXPECT_TRUE(t.intact);
      EXPECT_LE(t.info.iterations, 20 * p.n());
      EXPECT_STREQ(t.info.solver, "cpg");
    }
  }
}

TEST(ConjugateGradient, DiagonalMatricesTakeOneStep) {
  instance p(4);
  p.q = {-2, 3, -1, -8e6};
  p.upper[2] = 0.5;
  p.M(0, 0) = p.M(1, 1) = p.M(2, 2) = 2;
  p.M(3, 3) = 8e6;
  const tools::stored diagonal(p.M, PERP_DIAGONAL);
  const trial t(cpg(), p, diagonal.view);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_EQ(t.lambda, vec({1, 0, 0.5, 1}));
  EXPECT_EQ(t.info.iterations, 1);
}

TEST(ConjugateGradient, ZeroRowsGoToTheBoundTheyAreSentTo) {
  instance p(2);
  p.q = {3, -1};
  p.upper[1] = 7e6;
  const tools::stored zero(p.M, PERP_ZERO);
  const trial t(cpg(), p, zero.view);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_EQ(t.lambda, vec({0, 7e6}));
  EXPECT_EQ(t.info.iterations, 0);
}

TEST(ConjugateGradient, TheEnergyNeverGrowsAndThePointStaysInTheBox) {
  for (std::uint64_t seed = 1; seed <= 5; seed++) {
    const instance p = mixed(seed, 40);
    long double last = 0;
    for (std::int32_t k = 1; k < 40; k++) {
      const options o = with(k, 0);
      const trial t(cpg(), p, &o);
      const long double f = energy(p, t.lambda);
      EXPECT_LE(f, last + 1e-15) << k;
      last = f;
      for (std::int32_t i = 0; i < p.n(); i++) {
        EXPECT_GE(t.lambda[at(i)], p.lower[at(i)]);
        EXPECT_LE(t.lambda[at(i)], p.upper[at(i)]);
      }
    }
  }
}

// The path t -> P(t p) from 0 with p = -w q, bend by bend, in long double.
vec first_minimum(const instance &p) {
  const auto n = static_cast<std::size_t>(p.n());
  std::vector<long double> direction(n), x(n, 0), g(p.q.begin(), p.q.end()), meets(n, kInf);
  for (std::size_t i = 0; i < n; i++) {
    const auto k = static_cast<std::int32_t>(i);
    direction[i] = -p.q[i] / p.M(k, k);
    const long double end = direction[i] < 0 ? p.lower[i] : p.upper[i];
    meets[i] = end / direction[i];
    if (meets[i] == 0) direction[i] = 0;
  }
  for (long double t = 0;;) {
    long double slope = 0, curved = 0, next = kInf;
    std::vector<long double> product(n, 0);
    for (std::size_t i = 0; i < n; i++) {
      for (std::size_t j = 0; j < n; j++)
        product[i] +=
            p.M(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)) * direction[j];
      slope += g[i] * direction[i];
      if (direction[i] != 0) next = std::min(next, meets[i]);
    }
    for (std::size_t i = 0; i < n; i++) curved += direction[i] * product[i];
    const long double least = slope < 0 ? t - slope / curved : t, end = std::min(least, next);
    for (std::size_t i = 0; i < n; i++) {
      x[i] += (end - t) * direction[i];
      g[i] += (end - t) * product[i];
      if (meets[i] == end && direction[i] != 0) {
        x[i] = direction[i] < 0 ? p.lower[i] : p.upper[i];
        direction[i] = 0;
      }
    }
    t = end;
    if (least <= next) break;
  }
  return vec(x.begin(), x.end());
}

TEST(ConjugateGradient, AnIterationEndsAtTheFirstMinimumOfTheBentPath) {
  int bends = 0;
  for (std::uint64_t seed = 1; seed <= 30; seed++) {
    instance p(30);
    tools::uniform u(seed);
    p.M = u.definite(p.n());
    p.q = u.vector(p.n());
    for (std::int32_t i = 0; i < p.n(); i++) {
      p.lower[at(i)] = -1e-3 * (1 + u());
      p.upper[at(i)] = 1e-2 * (1.01 + u());
    }
    const vec x = first_minimum(p);
    const tools::stored full(p.M, PERP_DENSE), rows(p.M, PERP_BLOCKS, {}, true);
    const tools::stored blocks(p.M, PERP_BLOCKS, {0, 4, 9, 30});
    for (const perp_matrix *M : {&full.view, &rows.view, &blocks.view}) {
      const options o = with(1, 0);
      const trial t(cpg(), p, *M, &o);
      for (std::size_t i = 0; i < x.size(); i++) {
        EXPECT_NEAR(t.lambda[i], x[i], 1e-13) << seed;
        bends += x[i] == p.lower[i] || x[i] == p.upper[i];
      }
    }
  }
  EXPECT_GT(bends, 300);
}

TEST(ConjugateGradient, ScalingOfTheUnknownsDoesNotCostIterations) {
  instance p = mixed(6, 30);
  const trial plain(cpg(), p);
  for (std::int32_t k = 0; k < p.n(); k++) {
    const double d = std::ldexp(1.0, (k * 7) % 40 - 20);
    for (std::int32_t j = 0; j < p.n(); j++) p.M(k, j) *= d;
    for (std::int32_t i = 0; i < p.n(); i++) p.M(i, k) *= d;
    p.q[at(k)] *= d;
    p.lower[at(k)] /= d;
    p.upper[at(k)] /= d;
  }
  const trial scaled(cpg(), p);
  EXPECT_EQ(plain.status, PERP_OK);
  EXPECT_EQ(scaled.status, PERP_OK);
  EXPECT_LE(scaled.info.iterations, 3 * plain.info.iterations);
}

TEST(ConjugateGradient, SemidefiniteProblemsThatHaveASolutionAreSolved) {
  tools::uniform u(9);
  for (std::int32_t n = 2; n < 30; n++) { /* rank n / 2 */
    instance p(n);
    const dense B = u.matrix(n, n / 2);
    families::add_product(p.M, B, 1);
    families::source s(static_cast<std::uint64_t>(n));
    families::planted_q(p, s, false, 0.3);
    const trial t(cpg(), p);
    EXPECT_EQ(t.status, PERP_OK) << n;
    EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
  }
}

TEST(ConjugateGradient, InfeasibleProblemsEndWithADirectionThatProvesIt) {
  const instance simple = lcp({1, -1, -1, 1}, {-1, -1});
  const trial t(cpg(), simple);
  EXPECT_EQ(t.status, PERP_INFEASIBLE);
  EXPECT_EQ(t.info.ray_kind, PERP_RAY_CERTIFICATE);
  EXPECT_TRUE(families::proves_infeasible(simple, t.ray));
  int proved = 0;
  for (std::uint64_t seed = 1; seed <= 200; seed++) {
    families::source s(seed);
    const instance p = families::infeasible(s);
    const trial r(cpg(), p);
    EXPECT_GT(r.status, 0);
    if (r.status != PERP_INFEASIBLE) continue;
    proved++;
    EXPECT_EQ(r.info.ray_kind, PERP_RAY_CERTIFICATE);
    EXPECT_TRUE(families::proves_infeasible(p, r.ray)) << seed;
  }
  EXPECT_GE(proved, 150);
}

TEST(ConjugateGradient, NegativeCurvatureEndsAtABoundOrOnARay) {
  const instance box = boxed({-1}, {0.25}, {-1}, {1});
  const trial t(cpg(), box);
  EXPECT_EQ(t.status, PERP_OK);  // a minimum along the way is a solution, whatever M is
  EXPECT_EQ(t.lambda, vec({-1}));
  const instance open = boxed({-1}, {0.25}, {-kInf}, {kInf});
  const trial r(cpg(), open);
  EXPECT_EQ(r.status, PERP_RAY);
  EXPECT_EQ(r.info.ray_kind, PERP_RAY_SECONDARY);
  EXPECT_LT(r.ray[0], 0);
  const instance saddle = boxed({1, 2, 2, 1}, {-1, 1}, {-kInf, -kInf}, {kInf, kInf});
  const trial s(cpg(), saddle);
  EXPECT_EQ(s.status, PERP_RAY);
}

TEST(ConjugateGradient, TheLiteraturesProblemsAreSolvedOrHonestlyNot) {
  for (const auto &k : tools::known_problems()) {
    const trial t(cpg(), k.problem);
    EXPECT_GE(t.status, 0) << k.name;
    EXPECT_NE(t.status, PERP_INFEASIBLE) << k.name;
    EXPECT_EQ(t.status == PERP_OK, families::solves(k.problem, t.lambda, 1e-10)) << k.name;
    bool symmetric = true;
    for (std::int32_t j = 0; j < k.problem.n(); j++)
      for (std::int32_t i = 0; i < j; i++)
        symmetric = symmetric && k.problem.M(i, j) == k.problem.M(j, i);
    if (symmetric && std::string(k.name) != "bimatrix game") {
      EXPECT_TRUE(t.status == PERP_OK || std::string(k.name) == "degenerate") << k.name;
    }
  }
}

TEST(ConjugateGradient, ASolutionAsStartTakesNoIteration) {
  const instance p = mixed(3, 9);
  const trial first(cpg(), p);
  ASSERT_EQ(first.status, PERP_OK);
  EXPECT_GT(first.info.iterations, 0);
  const trial again(cpg(), p, nullptr, first.lambda);
  EXPECT_EQ(again.status, PERP_OK);
  EXPECT_EQ(again.info.iterations, 0);
}

TEST(ConjugateGradient, AStartThatIsNoNumberOrFarAwayIsNoHarm) {
  const instance p = mixed(3, 9);
  for (const double bad : {kNaN, kInf, -kInf, 1e9, -1e9, 1e308, -1e308}) {
    const trial t(cpg(), p, nullptr, vec(p.q.size(), bad));
    EXPECT_EQ(t.status, PERP_OK) << bad;
    EXPECT_TRUE(families::solves(p, t.lambda, 1e-10));
  }
}

TEST(ConjugateGradient, TheObserverSeesEveryIterationAndMayStop) {
  tools::is_watched_and_stopped(cpg(), with(0), mixed(5, 20));
}

TEST(ConjugateGradient, TheLimitIsKeptExactly) {
  const instance p = mixed(5, 20);
  for (const std::int32_t limit : {1, 2, 7}) {
    const options o = with(limit);
    const trial t(cpg(), p, &o);
    EXPECT_EQ(t.status, PERP_MAX_ITER);
    EXPECT_EQ(t.info.iterations, limit);
  }
}

TEST(ConjugateGradient, MoreThanDoublesHoldIsNotClaimed) {
  const instance p = mixed(5, 20);
  const options o = with(0, 0);
  const trial t(cpg(), p, &o);
  EXPECT_TRUE(t.status == PERP_INACCURATE || t.status == PERP_MAX_ITER) << t.status;
  EXPECT_LT(t.info.relative_residual, 1e-14);
}

TEST(ConjugateGradient, NotANumberInTheDataIsNamed) { tools::names_what_is_no_number(cpg()); }

TEST(ConjugateGradient, NothingLeftIsSolvedAndEmpty) {
  const instance p(0);
  const trial t(cpg(), p);
  EXPECT_EQ(t.status, PERP_OK);
  EXPECT_EQ(t.info.iterations, 0);
}

TEST(ConjugateGradient, RefusesOptionsOutOfRange) {
  const instance p = mixed(2, 3);
  const auto refused = [&](const options &o, const char *field) {
    const trial t(cpg(), p, &o);
    return t.status == PERP_EINVAL && std::string(t.info.field) == field;
  };
  options o = with(0);
  for (const double proportion : {0.0, -1.0, kNaN, kInf}) {
    o.proportion = proportion;
    EXPECT_TRUE(refused(o, "proportion"));
  }
  EXPECT_TRUE(refused(with(-1), "max_iter"));
  EXPECT_TRUE(refused(with(0, kNaN), "tol"));
  o = with(0);
  o.struct_size = 4;
  EXPECT_TRUE(refused(o, "struct_size"));
  perp_cpg_options_init(nullptr, sizeof o);
}

TEST(ConjugateGradient, PlainArraysReachTheSameSolver) { tools::takes_plain_arrays(cpg()); }

TEST(ConjugateGradient, TheBoundOfTheWorkspaceHolds) {
  for (const std::int32_t n : {0, 1, 2, 3, 17, 1000}) {
    EXPECT_LE(perp_mlcp_workspace(cpg(), n, nullptr), PERP_CPG_WORKSPACE(n));
    const perp_shape shape = {
        n, n > 0 ? 1 : 0, 1u << PERP_SET_BOX, PERP_BLOCKS, at(n) * at(n), at(n) * at(n), 0, 0, n,
        1};
    EXPECT_LE(perp_solver_shape_workspace(cpg(), &shape, nullptr), PERP_CPG_WORKSPACE(n));
  }
}

}  // namespace
