// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/interior_point.h>

#include <cstring>
#include <string>

#include "families.hpp"
#include "watch.hpp"

namespace {

using families::instance;
using families::lcp;
using families::posed;
using tools::at;
using tools::dense;
using tools::from_rows;
using tools::ints;
using tools::kEps;
using tools::kInf;
using tools::kNaN;
using tools::seen;
using tools::stop_at;
using tools::vec;

perp_interior_point_options watched() {
  return tools::watch(perp_interior_point_options_default());
}

struct answer {
  perp_status status = 999;
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
};

answer solve(const perp_problem &p, const perp_interior_point_options *o = nullptr,
             perp_warm *warm = nullptr) {
  answer a;
  a.lambda.assign(at(p.n), 999.0);
  a.y = a.ray = a.lambda;
  a.info.ray = a.ray.data();
  a.info.ray_size = p.n;
  const perp_solver *solver = perp_solver_interior_point();
  std::vector<unsigned char> work(perp_solver_workspace(solver, &p, o), 0xA5);
  EXPECT_FALSE(work.empty());
  a.status = perp_solver_solve(solver, &p, o, a.lambda.data(), a.y.data(), warm, work.data(),
                               work.size(), &a.info);
  return a;
}

TEST(InteriorPoint, SolvesTheKnownMonotoneProblems) {
  std::vector<instance> known;
  for (std::int32_t n : {1, 2, 5, 12, 40}) {
    dense F(n, n);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) F(i, j) = i == j ? 4 * i + 1 : 4 * std::min(i, j) + 2;
    known.push_back(lcp(F, vec(at(n), -1.0)));  // Fathi: 2^n pivots of Lemke's method
  }
  known.push_back(lcp({1, 1, 1, 1}, {-1, -1}));
  known.push_back(lcp({1, -1, -1, 1}, {1, -1}));
  known.push_back(lcp({3, 1, 0, -1, -1, 2, 1, 1, 0, 1, 3, -1, 0, 0, 1, 2}, {-2, 1, -1, 1}));
  known.push_back(lcp({2, 1, 1, 2}, {-5, -6}));
  known.push_back(lcp({0, 0, -1, -1, 0, 0, 1, -2, 1, -1, 2, -2, 1, 2, -2, 4}, {2, 2, -2, -6}));
  for (const instance &i : known) {
    const posed t(i);
    const answer a = solve(t.p());
    EXPECT_EQ(a.status, PERP_OK) << i.n();
    EXPECT_LE(tools::lcp_error(i.M, i.q, a.lambda), 1e-10);
    EXPECT_LE(a.info.iterations, 20);
  }
}

TEST(InteriorPoint, ProvesThatAMonotoneProblemHasNoSolution) {
  instance equation(2), clash(3), box(2);
  equation.M = from_rows(2, {1, 1, 1, 1});  // x + y = 1 and x + y = 2
  equation.q = {-1, -2};
  equation.lower = {-kInf, -kInf};
  clash.M = from_rows(3, {0, 0, -1, 0, 0, 0, 1, 0, 0});  // the second row reads 0 = 1
  clash.q = {1, -1, 0};
  clash.lower = {0, -kInf, 0};
  box.M = from_rows(2, {1, 0, 0, 0});
  box.q = {-5, 0.5};  // the second has y = 1/2 > 0 without a lower bound
  box.lower = {-1, -kInf};
  box.upper = {1, 7};
  for (const instance &i : {lcp(vec{0}, {-1}), lcp({1, -1, -1, 1}, {-1, -1}),
                            lcp({0, -1, 1, 0}, {-1, -1}), equation, clash, box}) {
    const posed t(i);
    const answer a = solve(t.p());
    EXPECT_EQ(a.status, PERP_INFEASIBLE) << i.n() << " " << i.q[0];
    EXPECT_EQ(a.info.ray_kind, PERP_RAY_CERTIFICATE);
    EXPECT_TRUE(families::proves_infeasible(i, a.ray));
    double largest = 0;
    for (double x : a.ray) largest = std::max(largest, std::fabs(x));
    EXPECT_EQ(largest, 1);
  }
}

// Singular M, any q, bounds of all kinds: half of them have no solution.
TEST(InteriorPoint, EveryMonotoneProblemIsSolvedOrProvedInfeasible) {
  families::source random(4711);
  int solved = 0, proved = 0;
  for (int k = 0; k < 4000; k++) {
    const bool whole = k % 2 == 1;
    instance i(random.integer(1, 8));
    const std::int32_t n = i.n(), rank = std::max(1, random.integer(0, n - 1));
    families::add_product(i.M, families::random_matrix(random, n, rank, whole), 1);
    if (random.chance(0.5)) {
      for (std::int32_t c = 0; c < n; c++)
        for (std::int32_t r = 0; r < c; r++) {
          const double x = whole ? random.integer(-2, 2) : random.signed_unit();
          i.M(r, c) += x;
          i.M(c, r) -= x;
        }
    }
    for (std::int32_t j = 0; j < n; j++) {
      i.q[at(j)] = whole ? random.integer(-3, 3) : random.signed_unit();
      const double kind = random.unit();
      if (kind < 0.4) i.lower[at(j)] = -kInf;
      if (kind > 0.3 && kind < 0.4) i.upper[at(j)] = random.integer(-2, 2);
      if (kind > 0.8) {
        i.lower[at(j)] = random.integer(-2, 1);
        i.upper[at(j)] = i.lower[at(j)] + random.integer(0, 2);
      }
    }
    const posed t(i);
    const answer a = solve(t.p());
    ASSERT_TRUE(a.status == PERP_OK || a.status == PERP_INFEASIBLE) << k << " " << a.status;
    if (a.status == PERP_OK) {
      solved++;
      ASSERT_TRUE(families::solves(i, a.lambda, 1e-10, kEps)) << k;
    } else {
      proved++;
      ASSERT_TRUE(families::proves_infeasible(i, a.ray)) << k;
    }
  }
  EXPECT_GT(solved, 500);
  EXPECT_GT(proved, 500);
}

// Rows and columns scaled by up to 1e6, free unknowns, boxes: still proofs.
TEST(InteriorPoint, ProofsSurviveBadScaling) {
  families::source random(77);
  int proved = 0;
  const int count = 300;
  for (int k = 0; k < count; k++) {
    instance i = families::infeasible(random);
    for (std::int32_t r = 0; r < i.n(); r++) {
      const double d = std::ldexp(1, random.integer(-20, 20));
      for (std::int32_t c = 0; c < i.n(); c++) i.M(r, c) *= d;
      for (std::int32_t c = 0; c < i.n(); c++) i.M(c, r) *= d;
      i.q[at(r)] *= d;
    }
    const posed t(i);
    const answer a = solve(t.p());
    /* what a unit 1e6 times larger hides may be solved, as a backward error tells */
    EXPECT_TRUE(a.status != PERP_OK || families::solves(i, a.lambda, 1e-10, kEps)) << k;
    proved += a.status == PERP_INFEASIBLE && a.info.ray_kind == PERP_RAY_CERTIFICATE;
  }
  EXPECT_GE(proved, count - 10);
}

TEST(InteriorPoint, SaysNothingFalseOfProblemsThatAreNotMonotone) {
  tools::uniform random(4);
  int solved = 0;
  for (int trial = 0; trial < 1000; trial++) {
    const std::int32_t n = 1 + trial % 6;
    const posed t(lcp(random.matrix(n, n), random.vector(n)));
    const answer a = solve(t.p());
    EXPECT_GE(a.status, 0);
    if (a.status == PERP_OK) {
      solved++;
      EXPECT_TRUE(families::solves(t.i, a.lambda, 1e-10, kEps));
    }
    EXPECT_TRUE(a.status != PERP_INFEASIBLE || families::proves_infeasible(t.i, a.ray));
  }
  EXPECT_GT(solved, 100);
  const posed minus(lcp(vec{-1}, {-1}));
  EXPECT_NE(solve(minus.p()).status, PERP_OK);
}

// Circuits come with their equations in any order and sign, which is not monotone any more.
TEST(InteriorPoint, EquationsMayBeMixed) {
  families::source random(55);
  int tried = 0;
  for (int k = 0; k < 500; k++) {
    instance i = families::free_unknowns(random);
    ints free;
    for (std::int32_t j = 0; j < i.n(); j++)
      if (i.lower[at(j)] == -kInf && i.upper[at(j)] == kInf) free.push_back(j);
    const auto count = static_cast<std::int32_t>(free.size());
    for (std::int32_t a = 0; a < count; a++) { /* row_a := ±row_a + some other one */
      const std::int32_t b = random.integer(0, count - 1), ra = free[at(a)], rb = free[at(b)];
      const double sign = random.chance(0.5) ? 1 : -1, w = a == b ? 0 : random.signed_unit();
      for (std::int32_t c = 0; c < i.n(); c++) i.M(ra, c) = sign * i.M(ra, c) + w * i.M(rb, c);
      i.q[at(ra)] = sign * i.q[at(ra)] + w * i.q[at(rb)];
    }
    tried += count > 0;
    const posed t(i);
    const answer a = solve(t.p());
    EXPECT_EQ(a.status, PERP_OK) << k;
    EXPECT_TRUE(a.status != PERP_OK || families::solves(i, a.lambda, 1e-10, kEps)) << k;
  }
  EXPECT_GT(tried, 300);
}

TEST(InteriorPoint, SolvesNearlyEveryPMatrix) {
  families::source random(56);
  int failed = 0;
  for (int k = 0; k < 500; k++) {
    const posed t(families::p_matrix(random));
    const answer a = solve(t.p());
    EXPECT_TRUE(a.status == PERP_OK || a.status == PERP_INACCURATE || a.status == PERP_MAX_ITER);
    EXPECT_TRUE(a.status != PERP_OK || families::solves(t.i, a.lambda, 1e-10, kEps)) << k;
    failed += a.status != PERP_OK;
  }
  EXPECT_LE(failed, 10);
}

TEST(InteriorPoint, SolvesEveryMonotoneFamilyInEveryStorage) {
  for (const families::family &f : families::all()) {
    if (!(f.properties & families::kSemidefinite)) continue;
    families::source random(families::seed(f) + 2);
    const perp_status expected = f.properties & families::kInfeasible ? PERP_INFEASIBLE : PERP_OK;
    for (int k = 0; k < 600; k++) {
      posed t(f.make(random));
      const std::int32_t n = t.i.n(), kind = k % 3;
      const ints cuts = n > 2 ? ints{0, 1, n / 2 + 1, n} : ints{0, n};
      const tools::stored M(t.i.M, kind == 0 ? PERP_DENSE : PERP_BLOCKS, kind == 1 ? cuts : ints{},
                            k % 2 == 1);
      t.laws.problem.M = M.view;
      const answer a = solve(t.p());
      ASSERT_EQ(a.status, expected) << f.name << " " << k;
      if (a.status == PERP_OK) {
        ASSERT_TRUE(families::solves(t.i, a.lambda, 1e-10, kEps)) << f.name << " " << k;
      } else {
        ASSERT_TRUE(families::proves_infeasible(t.i, a.ray)) << f.name << " " << k;
      }
      for (std::int32_t i = 0; i < n && a.status == PERP_OK; i++) {
        EXPECT_GE(a.lambda[at(i)], t.i.lower[at(i)]);
        EXPECT_LE(a.lambda[at(i)], t.i.upper[at(i)]);
      }
    }
  }
}

TEST(InteriorPoint, TakesZeroAndDiagonalMatrices) {
  instance i(3);
  i.lower = {0, -kInf, -1};
  i.upper = {kInf, 2, 1};
  i.q = {1, -2, 0.5};
  posed t(i);
  const tools::stored zero(i.M, PERP_ZERO);
  t.laws.problem.M = zero.view;
  answer a = solve(t.p());
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.lambda, (vec{0, 2, -1}));
  i.M(0, 0) = 2, i.M(1, 1) = 4, i.M(2, 2) = 1e-9;
  i.q = {-3, -2, 1};
  posed d(i);
  const tools::stored diagonal(i.M, PERP_DIAGONAL);
  d.laws.problem.M = diagonal.view;
  a = solve(d.p());
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.lambda[0], 1.5, 1e-9);
  EXPECT_NEAR(a.lambda[1], 0.5, 1e-9);
  EXPECT_EQ(a.lambda[2], -1);
}

TEST(InteriorPoint, TheNumberOfStepsHardlyDependsOnTheSize) {
  tools::uniform random(12);
  for (std::int32_t n : {5, 20, 80, 320}) {
    instance i = lcp(random.definite(n), random.vector(n));
    const posed symmetric(i);
    answer a = solve(symmetric.p());
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_LE(a.info.iterations, 16) << n;
    for (std::int32_t c = 0; c < n; c++)
      for (std::int32_t r = 0; r < c; r++) {
        const double skew = random();
        i.M(r, c) += skew;
        i.M(c, r) -= skew;
        i.upper[at(c)] = c % 3 == 0 ? 0.01 : kInf;
      }
    const posed other(i);
    a = solve(other.p());
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_LE(a.info.iterations, 16) << n;
  }
}

// tridiag(-1, 2, -1), as compressed rows: an obstacle problem whose contact is a third of it.
struct chain {
  ints start{0}, index;
  vec values, q;
  perp_complementarity law;
  const perp_law *laws[1] = {&law.law};
  ints offset;
  perp_problem p = PERP_PROBLEM_INIT;
  explicit chain(std::int32_t n, double skew = 0) {
    perp_complementarity_init(&law, sizeof law);
    for (std::int32_t i = 0; i < n; i++) {
      for (std::int32_t j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); j++) {
        index.push_back(j);
        values.push_back(i == j ? 2 : j < i ? -1 : -1 + skew);
      }
      start.push_back(static_cast<std::int32_t>(index.size()));
      q.push_back(std::sin(20.0 * i / n) + 0.3);
    }
    offset = {0, n};
    p = perp_problem_of(perp_compressed_rows(n, start.data(), index.data(), values.data()),
                        q.data(), 1, laws, offset.data());
  }
};

TEST(InteriorPoint, OnABandedMatrixMemoryIsLinearAndStepsAreFew) {
  std::size_t before = 0;
  for (std::int32_t n : {2000, 20000, 100000}) {
    const chain c(n);
    const std::size_t bytes = perp_solver_workspace(perp_solver_interior_point(), &c.p, nullptr);
    EXPECT_LE(bytes, 450U * static_cast<std::size_t>(n));
    EXPECT_GT(bytes, before);
    before = bytes;
    const answer a = solve(c.p);
    EXPECT_EQ(a.status, PERP_OK) << n;
    EXPECT_LE(a.info.iterations, 30) << n;
    EXPECT_LE(a.info.relative_residual, 1e-10);
    std::size_t contact = 0;
    for (double x : a.lambda) contact += x == 0;
    EXPECT_GT(contact, at(n) / 5);
    EXPECT_LT(contact, 4 * at(n) / 5);
  }
}

TEST(InteriorPoint, ALargeSparseMatrixThatIsNotSymmetricIsRefused) {
  const chain small(900, 0.5), large(1001, 0.5);
  EXPECT_EQ(solve(small.p).status, PERP_OK);
  const answer a = solve(large.p);
  EXPECT_EQ(a.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(a.info.field, "M");
}

TEST(InteriorPoint, SolvesWithoutCrossoverAndWithoutCorrectors) {
  families::source random(31);
  for (int k = 0; k < 300; k++) {
    const posed t(k % 2 == 0 ? families::monotone(random) : families::relays(random));
    perp_interior_point_options o = perp_interior_point_options_default();
    o.tol = 1e-8;
    o.crossover = 0;
    o.correctors = k % 3 == 0 ? 0 : 4;
    const answer a = solve(t.p(), &o);
    EXPECT_EQ(a.status, PERP_OK) << k;
    EXPECT_TRUE(families::solves(t.i, a.lambda, 1e-8, kEps)) << k;
    EXPECT_LE(a.info.iterations, 40);
  }
}

// The steps of an exact linearisation; one with a term missing still converges, but later.
TEST(InteriorPoint, FewStepsAreNeededWithBoundsOnBothSides) {
  families::source random(33);
  int steps = 0;
  for (int k = 0; k < 200; k++) {
    instance i = families::relays(random);
    for (std::int32_t j = 0; j < i.n(); j++) {
      i.lower[at(j)] -= 3;
      i.upper[at(j)] += 2;
      i.q[at(j)] *= 4;
    }
    const posed t(i);
    perp_interior_point_options o = perp_interior_point_options_default();
    o.crossover = 0;
    o.correctors = 0;
    const answer a = solve(t.p(), &o);
    EXPECT_EQ(a.status, PERP_OK);
    steps += a.info.iterations;
  }
  EXPECT_LE(steps, 200 * 10) << steps;
}

TEST(InteriorPoint, UnknownsThatTendToZeroWithTheirYDoNotHoldUpTheEnd) {
  families::source random(families::seed(families::all()[1]));
  int longest = 0;
  for (int k = 0; k < 2000; k++) {
    const posed t(families::semidefinite(random));
    const answer a = solve(t.p());
    EXPECT_EQ(a.status, PERP_OK);
    longest = std::max(longest, a.info.iterations);
  }
  EXPECT_LE(longest, 22);
}

TEST(InteriorPoint, BoundsFarAwayAndCloseTogetherAreNoTrouble) {
  families::source random(32);
  for (int k = 0; k < 300; k++) {
    instance i = families::relays(random);
    for (std::int32_t j = 0; j < i.n(); j++) {
      const double centre = random.signed_unit() * random.power(6), width = random.power(9);
      i.lower[at(j)] = centre - width * random.unit();
      i.upper[at(j)] = centre + width * random.unit();
      if (random.chance(0.2)) i.lower[at(j)] = -1e30;
      if (random.chance(0.2)) i.upper[at(j)] = 1e30;
    }
    const posed t(i);
    const answer a = solve(t.p());
    EXPECT_EQ(a.status, PERP_OK) << k;
    EXPECT_TRUE(families::solves(i, a.lambda, 1e-10, kEps)) << k;
  }
}

TEST(InteriorPoint, EndsAtTheLimitExactly) {
  tools::uniform random(6);
  const posed t(lcp(random.definite(30), random.vector(30)));
  for (std::int32_t limit : {1, 2, 3}) {
    perp_interior_point_options o = watched();
    o.max_iter = limit;
    o.crossover = 0;
    const answer a = solve(t.p(), &o);
    EXPECT_EQ(a.status, PERP_MAX_ITER);
    EXPECT_EQ(a.info.iterations, limit);
    EXPECT_EQ(seen.size(), at(limit));
    for (double x : a.lambda) EXPECT_GE(x, 0);
  }
}

TEST(InteriorPoint, EndsWhereTheBudgetIsSpent) {
  tools::uniform random(6);
  const posed t(lcp(random.definite(30), random.vector(30)));
  perp_interior_point_options o = watched();
  o.budget = 1;
  o.crossover = 0;
  const answer a = solve(t.p(), &o);
  EXPECT_EQ(a.status, PERP_MAX_ITER);
  EXPECT_EQ(a.info.iterations, 1);
}

TEST(InteriorPoint, TheMeritFallsAndTheObserverMayStop) {
  tools::uniform random(7);
  const posed t(lcp(random.definite(30), random.vector(30)));
  perp_interior_point_options o = watched();
  o.crossover = 0;
  EXPECT_EQ(solve(t.p(), &o).status, PERP_OK);
  ASSERT_GT(seen.size(), 3U);
  EXPECT_TRUE(tools::no_pivots_seen());
  EXPECT_LT(seen.back().merit, 1e-2 * seen.front().merit);
  o = watched();
  o.crossover = 0;
  stop_at = 2;
  const answer a = solve(t.p(), &o);
  EXPECT_EQ(a.status, PERP_STOPPED);
  EXPECT_EQ(a.info.iterations, 3);
}

TEST(InteriorPoint, AWarmStartWithTheRightModesNeedsNoStep) {
  families::source random(5);
  for (int trial = 0; trial < 100; trial++) {
    const posed t(families::relays(random));
    const std::size_t need = perp_solver_warm_bytes(perp_solver_interior_point(), &t.p());
    vec bytes(need / 8 + 1, 0.0);
    perp_warm warm = {bytes.data(), need, 0, 0};
    EXPECT_EQ(solve(t.p(), nullptr, &warm).status, PERP_OK);
    const answer again = solve(t.p(), nullptr, &warm);
    EXPECT_EQ(again.status, PERP_OK);
    EXPECT_EQ(again.info.iterations, 0);
    std::vector<unsigned char> modes(at(t.i.n()));
    for (unsigned char &m : modes) m = static_cast<unsigned char>(random.integer(0, 3));
    ASSERT_EQ(perp_warm_set_modes(&warm, t.i.n(), modes.data()), PERP_OK);
    EXPECT_EQ(solve(t.p(), nullptr, &warm).status, PERP_OK);
    std::memset(bytes.data() + 1, 0xE7, need - 8);
    EXPECT_EQ(solve(t.p(), nullptr, &warm).status, PERP_OK);
  }
}

TEST(InteriorPoint, NotANumberInTheDataIsNamed) {
  for (double bad : {kNaN, kInf, -kInf})
    for (std::size_t k = 0; k < 6; k++)
      for (std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
        instance i = lcp({2, 1, 1, 2}, {-5, -6});
        if (k < 4) i.M.a[k] = bad;
        if (k >= 4) i.q[k - 4] = bad;
        posed t(i);
        const tools::stored M(i.M, kind);
        t.laws.problem.M = M.view;
        const answer a = solve(t.p());
        EXPECT_EQ(a.status, PERP_ENOTFINITE);
        EXPECT_STREQ(a.info.field, k < 4 ? "M" : "q");
      }
}

TEST(InteriorPoint, SurvivesExtremeNumbers) {
  families::source random(9);
  for (int trial = 0; trial < 2000; trial++) {
    instance i(random.integer(1, 4));
    for (double &x : i.M.a) x = random.chance(0.2) ? 0 : random.signed_unit() * random.power(300);
    for (double &x : i.q) x = random.chance(0.2) ? 0 : random.signed_unit() * random.power(300);
    if (random.chance(0.5)) i.upper[0] = random.power(300);
    if (random.chance(0.5)) i.lower[0] = -random.power(300);
    const posed t(i);
    const answer a = solve(t.p());
    EXPECT_GE(a.status, 0);
    EXPECT_TRUE(a.status != PERP_OK || families::solves(i, a.lambda, 1e-10, kEps)) << trial;
  }
}

TEST(InteriorPoint, AnEmptyProblemIsSolved) {
  const perp_lcp p = {0, 0, nullptr, nullptr};
  unsigned char work[8192];
  EXPECT_EQ(perp_lcp_solve(perp_solver_interior_point(), &p, nullptr, nullptr, nullptr, work,
                           sizeof work, nullptr),
            PERP_OK);
}

// All fixed, and a problem that P(0) solves: no step is needed.
TEST(InteriorPoint, NothingToDoTakesNoStep) {
  instance i = lcp({2, 1, 1, 2}, {5, -6});
  i.lower = {3, -4};
  i.upper = {3, -4};
  posed fixed(i);
  answer a = solve(fixed.p());
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.lambda, (vec{3, -4}));
  const posed trivial(lcp({0, 0, 0, 0}, {0, 1}));
  a = solve(trivial.p());
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, 0);
}

TEST(InteriorPoint, TakesMixedProblemsInPlainArrays) {
  const double M[] = {2, 0, 1, 0, 3, 0, -1, 0, 0}, q[] = {1, -9, -2};
  const double lower[] = {-kInf, -1, 0}, upper[] = {kInf, 1, kInf};
  const perp_mlcp p = {3, 3, M, q, lower, upper};
  std::vector<unsigned char> work(perp_mlcp_workspace(perp_solver_interior_point(), 3, nullptr));
  double z[3] = {999, 999, 999}, w[3] = {999, 999, 999};
  EXPECT_EQ(perp_mlcp_solve(perp_solver_interior_point(), &p, nullptr, z, w, work.data(),
                            work.size(), nullptr),
            PERP_OK);
  EXPECT_NEAR(z[0], 2, 1e-9); /* rows: 2 z0 - z2 + 1, 3 z1 - 9, z0 - 2 */
  EXPECT_NEAR(z[2], 5, 1e-9);
  EXPECT_EQ(z[1], 1);
  EXPECT_EQ(perp_mlcp_solve(perp_solver_interior_point(), nullptr, nullptr, z, w, work.data(),
                            work.size(), nullptr),
            PERP_EINVAL);
}

TEST(InteriorPoint, RefusesOptionsOutOfRange) {
  const posed t(lcp(vec{1}, {-1}));
  const auto refused = [&](const perp_interior_point_options &o, const char *field) {
    double x = 999, y = 999;
    perp_info info = PERP_INFO_INIT;
    unsigned char work[8192];
    const perp_solver *s = perp_solver_interior_point();
    EXPECT_EQ(perp_solver_workspace(s, &t.p(), &o), 0U);
    EXPECT_EQ(perp_solver_solve(s, &t.p(), &o, &x, &y, nullptr, work, sizeof work, &info),
              PERP_EINVAL);
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(x, 999);
  };
  const auto with = [](auto change) {
    perp_interior_point_options o = perp_interior_point_options_default();
    change(o);
    return o;
  };
  for (std::int32_t bad : {-1, 5}) {
    refused(with([&](auto &o) { o.correctors = bad; }), "correctors");
    refused(with([&](auto &o) { o.crossover = bad; }), "crossover");
  }
  refused(with([](auto &o) { o.tol = kNaN; }), "tol");
  refused(with([](auto &o) { o.max_iter = -1; }), "max_iter");
  refused(with([](auto &o) { o.struct_size = 8; }), "struct_size");
  perp_interior_point_options_init(nullptr, 40);
}

TEST(InteriorPoint, TheWorkspaceIsExactAtEveryAlignmentAndBounded) {
  EXPECT_EQ(perp_lcp_workspace(perp_solver_interior_point(), -1, nullptr), 0U);
  EXPECT_EQ(perp_mlcp_workspace(perp_solver_interior_point(), -1, nullptr), 0U);
  perp_shape negative = {};
  negative.n = -1;
  negative.matrix = PERP_DENSE;
  EXPECT_EQ(perp_solver_shape_workspace(perp_solver_interior_point(), &negative, nullptr), 0U);
  EXPECT_EQ(perp_solver_interior_point()->warm_bytes(&negative), 0U);
  for (std::int32_t n : {1, 2, 3, 7, 8, 9, 100})
    EXPECT_LE(perp_lcp_workspace(perp_solver_interior_point(), n, nullptr),
              PERP_INTERIOR_POINT_WORKSPACE(n));
  for (std::int32_t kind : {PERP_DENSE, PERP_BLOCKS, PERP_DIAGONAL}) {
    instance i = lcp({2, 1, 1, 2}, {-5, -6});
    if (kind == PERP_DIAGONAL) i.M(0, 1) = i.M(1, 0) = 0;
    posed t(i);
    const tools::stored M(i.M, kind);
    t.laws.problem.M = M.view;
    const perp_solver *s = perp_solver_interior_point();
    const std::size_t need = perp_solver_workspace(s, &t.p(), nullptr);
    for (std::size_t shift = 0; shift < 16; shift++) {
      std::vector<unsigned char> work(need + 32, 0xA5);
      double z[2] = {0, 0}, w[2];
      EXPECT_EQ(
          perp_solver_solve(s, &t.p(), nullptr, z, w, nullptr, work.data() + shift, need, nullptr),
          PERP_OK);
      EXPECT_EQ(work[shift + need], 0xA5);
      EXPECT_TRUE(shift == 0 || work[shift - 1] == 0xA5);
      EXPECT_EQ(perp_solver_solve(s, &t.p(), nullptr, z, w, nullptr, work.data() + shift, need - 1,
                                  nullptr),
                PERP_EWORKSPACE);
    }
  }
}

TEST(InteriorPoint, RefusesMissingArrays) {
  unsigned char work[8192];
  double z[1] = {0}, w[1];
  const double one[] = {1};
  const perp_lcp p = {1, 1, one, one}, no_m = {1, 1, nullptr, one}, negative = {-1, 1, one, one};
  const auto call = [&](const perp_lcp *problem, double *x, void *block) {
    return perp_lcp_solve(perp_solver_interior_point(), problem, nullptr, x, w, block, sizeof work,
                          nullptr);
  };
  EXPECT_EQ(call(nullptr, z, work), PERP_EINVAL);
  EXPECT_EQ(call(&no_m, z, work), PERP_EINVAL);
  EXPECT_EQ(call(&negative, z, work), PERP_EINVAL);
  EXPECT_EQ(call(&p, nullptr, work), PERP_EINVAL);
  EXPECT_EQ(call(&p, z, nullptr), PERP_EINVAL);
}

}  // namespace
