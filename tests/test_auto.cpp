// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/auto.h>
#include <perp/heap.h>
#include <perp/perp.h>

#include <cstring>
#include <set>
#include <string>

#include "families.hpp"

namespace {

using families::instance;
using families::laws;
using families::source;
using tools::at;
using tools::dense;
using tools::from_rows;
using tools::kInf;
using tools::kNaN;
using tools::stored;
using tools::vec;

struct outcome {
  perp_status status = PERP_EINVAL;
  vec lambda, y, ray;
  perp_info info = PERP_INFO_INIT;
  std::string solver;
};

outcome solve(const instance &p, const perp_auto_options *options = nullptr,
              std::int32_t kind = PERP_DENSE, perp_warm *warm = nullptr,
              const vec *start = nullptr) {
  laws l(p);
  const stored M(p.M, kind);
  l.problem.M = M.view;
  outcome o;
  o.lambda = start != nullptr ? *start : vec(p.q.size(), 999);
  o.y.assign(p.q.size(), 999);
  o.ray.assign(p.q.size(), 999);
  o.info.ray = o.ray.data();
  o.info.ray_size = p.n();
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_auto(), &l.problem, options));
  o.status = perp_solver_solve(perp_solver_auto(), &l.problem, options, o.lambda.data(), o.y.data(),
                               warm, work.data(), work.size(), &o.info);
  if (o.info.solver != nullptr) o.solver = o.info.solver;
  return o;
}

instance lcp(const dense &M, vec q) {
  instance p(M.rows);
  p.M = M;
  p.q = std::move(q);
  return p;
}

// Symmetric positive definite, of any condition, with laws mixed as asked for.
instance definite(source &s, std::int32_t n, double shift, bool boxes) {
  instance p(n);
  families::add_product(p.M, families::random_matrix(s, n, n, false), 3.0 / n);
  families::add_diagonal(p.M, shift);
  families::random_q(p, s);
  for (std::int32_t i = 0; boxes && i < n; i++) {
    if (s.chance(0.3)) p.upper[at(i)] = 0.2 * s.unit();
    if (s.chance(0.3)) p.lower[at(i)] = s.chance(0.5) ? -kInf : -0.2 * s.unit();
    if (s.chance(0.05)) p.upper[at(i)] = p.lower[at(i)] = 0.1;
  }
  return p;
}

TEST(Auto, NothingIsSolvedByNobody) {
  const outcome o = solve(instance(0));
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_EQ(o.info.iterations, 0);
}

TEST(Auto, AProblemWhoseStartIsTheSolutionTakesNoIteration) {
  const outcome o = solve(lcp(from_rows(2, {2, 1, 1, 2}), {1, 0}));
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_EQ(o.lambda, (vec{0, 0}));
  EXPECT_EQ(o.info.iterations, 0);
  EXPECT_EQ(o.solver, "auto");
}

TEST(Auto, OneUnknownIsSolvedInClosedFormForEverySignOfMAndEveryInterval) {
  const vec numbers = {-2, -1, 0, 0.5, 3}, bounds = {-kInf, -1, 0, 0.25, 2, kInf};
  for (const double m : numbers)
    for (const double q : numbers)
      for (const double l : bounds)
        for (const double u : bounds) {
          if (l > u || l == kInf || u == -kInf) continue;
          instance p = lcp(from_rows(1, {m}), {q});
          p.lower[0] = l;
          p.upper[0] = u;
          bool solvable = m != 0 ? (-q / m >= l && -q / m <= u) : q == 0;
          solvable = solvable || (l > -kInf && m * l + q >= 0) || (u < kInf && m * u + q <= 0);
          const outcome o = solve(p);
          EXPECT_EQ(o.status == PERP_OK, solvable) << m << " " << q << " " << l << " " << u;
          if (solvable) {
            EXPECT_TRUE(families::solves(p, o.lambda, 1e-12));
          }
        }
}

TEST(Auto, DiagonalAndZeroMatricesAreSolvedComponentByComponent) {
  source s(5);
  for (int k = 0; k < 200; k++) {
    instance p(s.integer(1, 60));
    const bool zero = k % 2 == 0;
    for (std::int32_t i = 0; i < p.n(); i++) p.M(i, i) = zero ? 0 : 0.1 + s.unit();
    for (std::int32_t i = 0; i < p.n(); i++) {
      p.upper[at(i)] = zero || s.chance(0.5) ? s.unit() : kInf;
      p.q[at(i)] = s.signed_unit();
    }
    const outcome o = solve(p, nullptr, zero ? PERP_ZERO : PERP_DIAGONAL);
    EXPECT_EQ(o.status, PERP_OK);
    EXPECT_EQ(o.solver, "auto");
    EXPECT_TRUE(families::solves(p, o.lambda, 1e-12));
  }
}

TEST(Auto, AFewUnknownsWithoutADiagonalAreSolvedOnTheTable) {
  const outcome o = solve(lcp(from_rows(3, {0, -1, 2, 2, 0, -2, -1, 1, 0}), {-3, 6, -1}));
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_EQ(o.solver, "auto");
  EXPECT_EQ(o.info.iterations, 5);
  EXPECT_EQ(o.lambda, (vec{0, 1, 3}));
  /* free λ0, λ1 with [0 2; -4 0], then λ2 >= 0: y2 = λ2 + λ0 - 5/2 */
  instance mixed = lcp(from_rows(3, {0, 2, 0, -4, 0, 0, 1, 0, 1}), {2, 2, -2.5});
  mixed.lower[0] = mixed.lower[1] = -kInf;
  const outcome m = solve(mixed);
  EXPECT_EQ(m.status, PERP_OK);
  EXPECT_EQ(m.solver, "auto");
  EXPECT_EQ(m.lambda, (vec{0.5, -1, 2}));
}

TEST(Auto, LargestViolationSolvesTheExampleThatIsHardForTheLeastIndex) {
  dense U(6, 6);
  for (std::int32_t j = 0; j < 6; j++)
    for (std::int32_t i = 0; i <= j; i++) U(i, j) = i == j ? 1 : 2;
  const outcome o = solve(lcp(U, vec(6, -1)));
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_EQ(o.info.iterations, 1);
  EXPECT_EQ(o.lambda, (vec{0, 0, 0, 0, 0, 1}));
}

TEST(Auto, ALargeDefiniteProblemIsSolvedInASubspaceWithoutAnyFactor) {
  source s(6);
  for (const std::int32_t n : {33, 64, 130, 257}) {
    const instance p = definite(s, n, 1, false);
    const outcome o = solve(p);
    EXPECT_EQ(o.status, PERP_OK);
    EXPECT_EQ(o.solver, "subspace");
    EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
  }
}

TEST(Auto, SoIsOneThatIsNotSymmetricWhereSweepsConverge) {
  source s(17);
  for (const std::int32_t n : {33, 64, 130, 257}) {
    instance p = definite(s, n, 1, n > 64);
    families::add_skew(p.M, s, 1 / std::sqrt(n));
    const outcome o = solve(p);
    EXPECT_EQ(o.status, PERP_OK);
    EXPECT_EQ(o.solver, "subspace");
    EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
  }
}

TEST(Auto, DefiniteProblemsOfAnyConditionWithMixedBoundsAreSolved) {
  source s(7);
  std::set<std::string> who;
  for (int k = 0; k < 150; k++) {
    const double shift = std::pow(10.0, -(k % 10));
    const instance p = definite(s, s.integer(2, 90), shift, k % 2 == 1);
    const outcome o = solve(p, nullptr, k % 3 == 0 ? PERP_BLOCKS : PERP_DENSE);
    ASSERT_EQ(o.status, PERP_OK) << k << " " << o.solver;
    ASSERT_TRUE(families::solves(p, o.lambda, 1e-10)) << k << " " << o.solver;
    who.insert(o.solver);
  }
  EXPECT_GT(who.size(), 2u);
}

TEST(Auto, SizesAroundTheChoicesAreSolvedForNonsymmetricMatrices) {
  source s(8);
  for (int k = 0; k < 100; k++) {
    instance p(s.integer(10, 45));
    families::add_product(p.M, families::random_matrix(s, p.n(), p.n(), false), 1);
    families::add_skew(p.M, s, 3);
    families::random_q(p, s);
    const outcome o = solve(p);
    ASSERT_EQ(o.status, PERP_OK) << k;
    ASSERT_TRUE(families::solves(p, o.lambda, 1e-10)) << k << " " << o.solver;
  }
}

TEST(Auto, ABimatrixGameOnWhichLemkeEndsOnARayIsSolvedByTheNext) {
  const instance p =
      lcp(from_rows(4, {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}), {-1, -1, -1, -1});
  const outcome o = solve(p);
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_NE(o.solver, "lemke");
  EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
}

TEST(Auto, AnInfeasibleProblemEndsWithAProof) {
  const outcome o = solve(lcp(from_rows(2, {1, -1, -1, 1}), {-1, -1}));
  EXPECT_EQ(o.status, PERP_INFEASIBLE);
  if (o.info.ray_kind == PERP_RAY_CERTIFICATE) {
    EXPECT_EQ(o.ray[0], o.ray[1]);
  }
}

// M and q of any signs with M'x < 0 and q'x < 0 for some x >= 0. Lemke's method, which comes first,
// ends such a problem: no other method is tried, so that it takes a few pivots more than a solved
// one.
TEST(Auto, AFewUnknownsThatAreInfeasibleTakeAFewPivots) {
  source s(77);
  for (int trial = 0; trial < 1400; trial++) {
    const std::int32_t n = 2 + trial % 7;
    dense M(n, n);
    vec q(at(n)), x(at(n));
    double length = 0;
    for (double &v : x) {
      v = s.chance(0.5) ? s.unit() + 0.1 : 0;
      length += v * v;
    }
    if (length == 0) x[0] = length = 1;
    const auto tilt = [&](double *column) {  // to x'column < 0
      double sum = 0.01 + 0.2 * s.unit();
      for (std::int32_t i = 0; i < n; i++) sum += x[at(i)] * (column[i] = s.signed_unit());
      for (std::int32_t i = 0; i < n && sum > 0; i++) column[i] -= sum / length * x[at(i)];
    };
    for (std::int32_t j = 0; j < n; j++) tilt(&M(0, j));
    tilt(q.data());
    const instance p = lcp(M, q);
    const outcome o = solve(p);
    ASSERT_EQ(o.status, PERP_INFEASIBLE) << trial;
    ASSERT_EQ(o.info.ray_kind, PERP_RAY_CERTIFICATE) << trial;
    ASSERT_TRUE(families::proves_infeasible(p, o.ray)) << trial;
    EXPECT_EQ(o.solver, "lemke") << trial;
    EXPECT_LE(o.info.iterations, 20 * n) << trial;
  }
}

TEST(Auto, NoCertificateComesWithAProblemThatHasPoints) {
  source s(78);
  for (int trial = 0; trial < 1000; trial++) {
    const std::int32_t n = 2 + trial % 5;
    dense M(n, n);
    vec q(at(n));
    for (double &v : q) v = s.chance(0.5) ? 0 : s.unit();  // w at z >= 0
    for (std::int32_t j = 0; j < n; j++) {
      const double z = s.chance(0.5) ? 0 : s.unit();
      for (std::int32_t i = 0; i < n; i++) q[at(i)] -= (M(i, j) = s.signed_unit()) * z;
    }
    const outcome o = solve(lcp(M, q));
    ASSERT_NE(o.info.ray_kind, PERP_RAY_CERTIFICATE) << trial;
  }
}

// y_1 >= 0 is missed by 2^-54 whatever λ_2 is, by a proof to the last bit: no more than the
// rounding of the planted point, which is a solution to every judge.
TEST(Auto, WhatIsInfeasibleByItsLastBitsIsSolved) {
  instance p = lcp(from_rows(2, {-0x1.d189e621f9b9p-1, 0x1.4e4b418d164f6p-1, 0x1.ff0d075d94606p-1,
                                 -0x1.4f4bef7d169e8p-3}),
                   {-0x1.2dba1ad4fbfc1p+0, 0x1.b1a6f1192e0b6p-1});
  p.lower = {-0x1.f07dc37ef74f2p-1, -0x1.c6d5967b91fcp-3};
  p.upper = {kInf, 0x1.d1a73bc376de8p-2};
  const vec point = {p.lower[0], p.upper[1]};
  ASSERT_TRUE(families::solves(p, point, 1e-10));
  const outcome o = solve(p);
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
  EXPECT_EQ(o.info.ray_kind, PERP_RAY_NONE);
  EXPECT_EQ(o.info.bound, 0);
}

// The rows add up to a gap, and no point has a residual below a third of it.
TEST(Auto, AProofWithRoomForASolutionStandsWhereNoneIsFound) {
  for (std::int32_t e = -50; e < 0; e++) {
    const double gap = std::ldexp(1.0, e);
    const instance p = lcp(from_rows(2, {1, -1, -1, 1}), {-1, 1 - gap});
    const outcome o = solve(p);
    if (o.status == PERP_OK) {
      EXPECT_TRUE(families::solves(p, o.lambda, 1e-10)) << e;
      EXPECT_LT(gap, 1e-5);
    } else {
      ASSERT_EQ(o.status, PERP_INFEASIBLE) << e;
      EXPECT_EQ(o.info.ray_kind, PERP_RAY_CERTIFICATE);
      EXPECT_TRUE(families::proves_infeasible(p, o.ray)) << e;
      EXPECT_GT(o.info.bound, 0);
    }
  }
}

// A candidate ends at 1e200 here, where the residual overflows: that says nothing of M.
TEST(Auto, APointThatRanAwayEndsNothing) {
  const instance p = lcp(from_rows(5, {1, 2, -3, -1, 0, 2, 2,  -1, 1, 2, -3, -1, 2,
                                       1, 3, -1, 1,  1, 3, -2, 0,  2, 3, -2, -3}),
                         {-3, -13, -7, 0, 5});
  ASSERT_TRUE(families::solves(p, {0, 3, 0, 1, 3}, 1e-10));
  const outcome o = solve(p);
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
}

TEST(Auto, WithoutASolutionTheBestPointStaysAndTheLimitIsKept) {
  const instance p = lcp(from_rows(3, {0, -1, -1, 1, 0, 0, -1, 0, 0}), {-1e-4, -1, 1});
  perp_auto_options options = perp_auto_options_default();
  for (const std::int32_t most : {1, 2, 7, 100, 0}) {
    options.max_iter = most;
    const outcome o = solve(p, &options);
    EXPECT_GT(o.status, 0);
    EXPECT_TRUE(most == 0 || o.info.iterations <= most) << most;
    for (const double x : o.lambda) EXPECT_TRUE(std::isfinite(x));
    EXPECT_TRUE(std::isfinite(o.info.relative_residual));
  }
}

TEST(Auto, TheSameProblemGivesTheSameBits) {
  source s(9);
  for (int k = 0; k < 20; k++) {
    const instance p = definite(s, s.integer(2, 80), 0.1, true);
    const outcome a = solve(p), b = solve(p);
    EXPECT_EQ(std::memcmp(a.lambda.data(), b.lambda.data(), a.lambda.size() * sizeof(double)), 0);
    EXPECT_EQ(a.info.iterations, b.info.iterations);
    EXPECT_EQ(a.solver, b.solver);
  }
}

TEST(Auto, TheBudgetEndsTheWork) {
  source s(10);
  const instance p = definite(s, 60, 1e-9, true);
  perp_auto_options options = perp_auto_options_default();
  const outcome rich = solve(p, &options);
  options.budget = 1;
  const outcome poor = solve(p, &options);
  EXPECT_EQ(rich.status, PERP_OK);
  EXPECT_LE(poor.info.iterations, 1000);
  EXPECT_GE(poor.status, 0);
}

// A solution would be 3e324: methods that approach it must not go on for seconds.
TEST(Auto, AScalarOutOfReachIsGivenUpSoon) {
  const outcome o = solve(lcp(from_rows(1, {5e-324}), {-16}));
  EXPECT_GT(o.status, 0);
  EXPECT_LE(o.info.iterations, 20000);
}

// M of denormal numbers, λ of 1e278: the same as M, q and λ of size 1.
TEST(Auto, NumbersAtTheEndsOfTheirRangeAreSolvedInOtherUnits) {
  const dense M = from_rows(2, {0x1.964p+0, 0x1.1a8p-1, 0x1.1a8p-1, 0x1.dbap-1});
  instance unit = lcp(M, {0x1.36168p+0, 0x1.5798p-3});
  unit.lower = {-kInf, -kInf};
  const outcome ordinary = solve(unit);
  ASSERT_EQ(ordinary.status, PERP_OK);
  for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS})
    for (const auto &[low, load] : {std::pair{-1050, -127}, {-1050, -1000}, {900, 300}}) {
      instance p = unit;
      for (double &m : p.M.a) m = std::ldexp(m, low);
      for (double &q : p.q) q = std::ldexp(q, load);
      const outcome o = solve(p, nullptr, kind);
      EXPECT_EQ(o.status, PERP_OK) << low << " " << load;
      for (std::size_t i = 0; i < 2; i++)
        EXPECT_NEAR(std::ldexp(o.lambda[i], low - load), ordinary.lambda[i], 1e-9);
    }
}

// A λ2 of 10^-93 where 0 is right costs a row of 10^88, whose rounding the residual does not bear.
TEST(Auto, APointOfHugeRowsIsNotBelievedWithoutTheResidual) {
  const dense M = from_rows(
      3, {0x1.ap-379, 0, 0x1.8p+26, 0, 0x1.ap+180, 0x1.4p+600, 0x1.8p-41, 0x1.4p-58, 0x1.ap+364});
  const instance p = lcp(M, {-0x1.ap-281, 0, -0x1.8p+57});
  ASSERT_TRUE(families::solves(p, {0x1p+98, 0, 0}, 1e-12));
  for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
    const outcome o = solve(p, nullptr, kind);
    EXPECT_EQ(o.status, PERP_OK);
    EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
    EXPECT_LE(o.info.amplification, 1e8);
  }
}

// λ solves to the last bit of doubles, yet its products are denormal.
TEST(Auto, WhatIsRoundedInDenormalProductsIsSolved) {
  instance p =
      lcp(from_rows(6, {34, 4,  10, 18, 8, 12, 4, 26, 16, -2, 22, 30, 10, 16, 12, 2,  14, 22,
                        18, -2, 2,  12, 2, -2, 8, 22, 14, 2,  20, 24, 12, 30, 22, -2, 24, 44}),
          {-85, 49, 13, -60, 31, 49});
  p.lower = {0, 0, 0, 0, -2, -2};
  p.upper = {3, 1, kInf, 1, kInf, 1};
  for (double &m : p.M.a) m = std::ldexp(m, -1050);
  for (double &q : p.q) q = std::ldexp(q, -1050);
  ASSERT_TRUE(families::solves(p, {3, 1, 1, 0.5, -2, -2}, 1e-12));
  for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
    const outcome o = solve(p, nullptr, kind);
    EXPECT_EQ(o.status, PERP_OK);
    EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
  }
}

// Rows and columns that lie up to 2^1900 apart, about a matrix of whole numbers. Somebody
// looks on, so that the methods are asked and not the table for a few unknowns.
TEST(Auto, RowsAndColumnsInUnitsOfTheirOwnAreSolvedInOthers) {
  instance p(6);
  p.M.a = {0x1.18p+63, 0x1.8p+19,   -0x1p-663,   0,           0x1.4p-17,   0x1.cp-233,
           0x1.8p+28,  0x1.b8p-14,  -0x1p-697,   0x1.8p-784,  -0x1.8p-51,  0x1.ep-266,
           -0x1p+914,  -0x1p+871,   0x1.38p+194, -0x1.8p+103, 0,           0x1p+623,
           0,          0x1.8p+5,    -0x1.8p-676, 0x1.4cp-762, 0x1.ep-30,   -0x1.8p-247,
           0x1.4p+775, -0x1.8p+732, 0,           0x1.ep-36,   0x1.98p+699, -0x1.ap+482,
           0x1.cp+210, 0x1.ep+168,  0x1p-511,    -0x1.8p-602, -0x1.ap+133, 0x1.04p-81};
  p.q = {-0x1.0ep+488, -0x1.ep+442, 0x1p-238, -0x1.5p-325, -0x1.6ep+410, 0x1.2p+192};
  const vec planted = {0x1.8p+424, 0, 0, 0, 0x1.8p-290, 0};
  ASSERT_TRUE(families::solves(p, planted, 1e-10));
  perp_auto_options options = perp_auto_options_default();
  options.observe = [](const perp_iterate *, void *) -> std::int32_t { return 0; };
  for (const std::int32_t kind : {PERP_DENSE, PERP_BLOCKS}) {
    const outcome o = solve(p, &options, kind);
    EXPECT_EQ(o.status, PERP_OK);
    EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
  }
}

TEST(Auto, AWarmStartUnderTheSameStampBeginsWithTheLastWinner) {
  source s(11);
  for (const std::int32_t n : {20, 40, 100}) {
    instance p = definite(s, n, 1e-6, true);
    laws l(p);
    const stored M(p.M, PERP_DENSE);
    l.problem.M = M.view;
    std::vector<double> bytes(perp_solver_warm_bytes(perp_solver_auto(), &l.problem) / 8 + 1, 0.0);
    perp_warm warm = {bytes.data(), bytes.size() * 8, 7, 0};
    const outcome cold = solve(p, nullptr, PERP_DENSE, &warm);
    ASSERT_EQ(cold.status, PERP_OK);
    for (double &q : p.q) q += 1e-4 * s.signed_unit();
    const outcome next = solve(p, nullptr, PERP_DENSE, &warm, &cold.lambda);
    EXPECT_EQ(next.status, PERP_OK);
    EXPECT_TRUE(families::solves(p, next.lambda, 1e-10));
    EXPECT_LE(next.info.iterations, cold.info.iterations);
  }
}

TEST(Auto, ASubspaceThatWasSolvedLeavesItsModesAndTheNextOneStartsThere) {
  source s(18);
  instance p = definite(s, 120, 1, false);
  std::vector<double> bytes(400, 0.0);
  perp_warm warm = {bytes.data(), bytes.size() * 8, 0, 0};
  const outcome cold = solve(p, nullptr, PERP_DENSE, &warm);
  ASSERT_EQ(cold.solver, "subspace");
  std::vector<unsigned char> modes(120, 99);
  ASSERT_EQ(perp_warm_get_modes(&warm, 120, modes.data()), PERP_OK);
  for (std::size_t i = 0; i < modes.size(); i++)
    EXPECT_EQ(modes[i], cold.lambda[i] > 0 ? PERP_MODE_FREE : PERP_MODE_LOWER);
  for (double &q : p.q) q += 1e-6 * s.signed_unit();
  const outcome next = solve(p, nullptr, PERP_DENSE, &warm, &cold.lambda);
  EXPECT_EQ(next.status, PERP_OK);
  EXPECT_EQ(next.solver, "subspace");
  EXPECT_LT(next.info.iterations, cold.info.iterations);
}

TEST(Auto, AStartThatOverflowsCostsNoSolution) {
  source s(19);
  const instance p = definite(s, 60, 1, false);
  std::vector<double> bytes(400, 0.0);
  perp_warm warm = {bytes.data(), bytes.size() * 8, 0, 0};
  ASSERT_EQ(perp_warm_set_modes(&warm, 60, std::vector<unsigned char>(60, PERP_MODE_FREE).data()),
            PERP_OK);
  const vec start(60, 1e308);
  const outcome o = solve(p, nullptr, PERP_DENSE, &warm, &start);
  EXPECT_EQ(o.status, PERP_OK);
  EXPECT_TRUE(families::solves(p, o.lambda, 1e-10));
}

TEST(Auto, ATolOfZeroEnds) {
  source s(20);
  const instance p = definite(s, 60, 1e-2, true);
  perp_auto_options options = perp_auto_options_default();
  options.tol = 0;
  const outcome o = solve(p, &options);
  EXPECT_GE(o.status, 0);
  EXPECT_TRUE(families::solves(p, o.lambda, 1e-12));
}

TEST(Auto, AnyBytesInTheWarmDataAreSurvivedAndCostNoSolution) {
  source s(12);
  for (int k = 0; k < 300; k++) {
    const instance p = definite(s, s.integer(1, 50), 0.5, k % 2 == 0);
    std::vector<std::uint64_t> bytes(at(s.integer(0, 2000)));
    for (std::uint64_t &b : bytes)
      b = k % 3 == 0 ? static_cast<std::uint64_t>(s.integer(0, 60)) |
                           static_cast<std::uint64_t>(s.integer(0, 3)) << 32
                     : static_cast<std::uint64_t>(s.unit() * 1.8e19);
    if (!bytes.empty()) bytes[0] = static_cast<std::uint64_t>(p.n()) | std::uint64_t{3} << 32;
    perp_warm warm = {bytes.data(), bytes.size() * 8, 3, 0};
    vec start(p.q.size());
    for (double &x : start) x = k % 5 == 0 ? kNaN : 10 * s.signed_unit();
    const outcome o = solve(p, nullptr, k % 4 == 0 ? PERP_BLOCKS : PERP_DENSE, &warm, &start);
    ASSERT_EQ(o.status, PERP_OK) << k;
    ASSERT_TRUE(families::solves(p, o.lambda, 1e-10)) << k;
  }
}

TEST(Auto, EveryNumberThatIsNotFiniteIsNamed) {
  for (const std::int32_t n : {1, 3, 20, 40})
    for (const double bad : {kNaN, kInf, -kInf}) {
      source s(13);
      instance p = definite(s, n, 1, false);
      p.q[at(n - 1)] = -1;
      p.q[0] = bad;
      EXPECT_LT(solve(p).status, 0) << n << " " << bad;
      p.q[0] = -1;
      p.M(n - 1, n / 2) = bad;
      EXPECT_EQ(solve(p).status, PERP_ENOTFINITE) << n << " " << bad;
    }
}

int32_t count_calls(const perp_iterate *it, void *user) {
  auto &seen = *static_cast<std::vector<perp_iterate> *>(user);
  seen.push_back(*it);
  return seen.size() >= 5 ? 1 : 0;
}

TEST(Auto, TheObserverSeesIterationsCountedOnAndMayStop) {
  source s(14);
  for (const std::int32_t n : {25, 60}) {
    instance p = definite(s, n, 1e-3, true);
    std::vector<perp_iterate> seen;
    perp_auto_options options = perp_auto_options_default();
    options.observe = count_calls;
    options.user = &seen;
    const outcome o = solve(p, &options);
    EXPECT_EQ(o.status, seen.size() >= 5 ? PERP_STOPPED : PERP_OK);
    for (std::size_t k = 0; k + 1 < seen.size(); k++)
      EXPECT_LE(seen[k].iteration, seen[k + 1].iteration);
  }
}

TEST(Auto, WrongOptionsAreNamed) {
  const instance p = lcp(from_rows(1, {1}), {-1});
  perp_auto_options options = perp_auto_options_default();
  options.budget = -1;
  EXPECT_EQ(solve(p, &options).status, PERP_EINVAL);
  EXPECT_STREQ(solve(p, &options).info.field, "budget");
  options.budget = kNaN;
  EXPECT_EQ(solve(p, &options).status, PERP_EINVAL);
  options = perp_auto_options_default();
  options.allocate = 2;
  EXPECT_EQ(solve(p, &options).status, PERP_EINVAL);
  EXPECT_STREQ(solve(p, &options).info.field, "allocate");
  options = perp_auto_options_default();
  options.tol = kNaN;
  EXPECT_EQ(solve(p, &options).status, PERP_EINVAL);
  options = perp_auto_options_default();
  options.max_iter = -1;
  EXPECT_EQ(solve(p, &options).status, PERP_EINVAL);
  options = perp_auto_options_default();
  options.struct_size = 3;
  EXPECT_EQ(solve(p, &options).status, PERP_EINVAL);
}

TEST(Auto, TheWorkspaceIsExactAtEveryAlignmentAndEnoughForEveryCandidate) {
  source s(15);
  for (const std::int32_t n : {1, 2, 12, 20, 50}) {
    const instance p = definite(s, n, 1, true);
    laws l(p);
    const stored M(p.M, PERP_DENSE);
    l.problem.M = M.view;
    const std::size_t need = perp_solver_workspace(perp_solver_auto(), &l.problem, nullptr);
    std::vector<unsigned char> work(need + 80);
    vec lambda(p.q.size()), y(p.q.size());
    for (const std::size_t shift : {1U, 3U, 8U, 13U, 63U}) {
      std::memset(work.data(), 0xA5, work.size());
      EXPECT_EQ(perp_solver_solve(perp_solver_auto(), &l.problem, nullptr, lambda.data(), y.data(),
                                  nullptr, work.data() + shift, need, nullptr),
                PERP_OK);
      EXPECT_EQ(work[shift - 1], 0xA5);
      EXPECT_EQ(work[shift + need], 0xA5);
    }
    EXPECT_EQ(perp_solver_solve(perp_solver_auto(), &l.problem, nullptr, lambda.data(), y.data(),
                                nullptr, work.data(), need - 1, nullptr),
              PERP_EWORKSPACE);
    for (const char *name : {"lemke", "active-set", "newton-min", "newton-fb", "box-pivoting"})
      EXPECT_TRUE(n > 32 ||
                  perp_solver_workspace(perp_solver_find(name), &l.problem, nullptr) <= need);
    EXPECT_TRUE(n > 15 ||
                perp_solver_workspace(perp_solver_enumeration(), &l.problem, nullptr) <= need);
  }
}

TEST(Auto, LawsThatAreNoIntervalsGoToTheMethodsForThem) {
  // min ½|x|² − 2 x0 − x1 over the triangle x >= 0, x0 + x1 <= 1: (1, 0)
  const double M[] = {1, 0, 0, 1}, q[] = {-2, -1}, H[] = {1, 0, -1, 0, 1, -1}, K[] = {0, 0, -1};
  perp_polyhedron triangle;
  ASSERT_EQ(perp_polyhedron_init(&triangle, sizeof triangle), PERP_OK);
  triangle.law.size = 2;
  triangle.H = perp_dense(3, 2, H);
  triangle.K = K;
  const perp_law *law = &triangle.law;
  const std::int32_t offset[] = {0, 2};
  perp_problem p = PERP_PROBLEM_INIT;
  p.M = perp_dense(2, 2, M);
  p.q = q;
  p.n = 2;
  p.n_blocks = 1;
  p.laws = &law;
  p.offset = offset;
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_auto(), &p, nullptr));
  ASSERT_FALSE(work.empty());
  vec x(2, 999), y(2, 999);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_solver_solve(perp_solver_auto(), &p, nullptr, x.data(), y.data(), nullptr,
                              work.data(), work.size(), &info),
            PERP_OK);
  EXPECT_NEAR(x[0], 1, 1e-9);
  EXPECT_NEAR(x[1], 0, 1e-9);
  EXPECT_STRNE(info.solver, "auto");
}

TEST(Auto, ALongBandThatIsNotSymmetricIsSolved) {
  source s(16);
  const std::int32_t n = 3000;
  std::vector<std::int32_t> start{0}, index;
  vec values, q(at(n));
  for (std::int32_t i = 0; i < n; i++) {
    for (std::int32_t j = std::max(0, i - 2); j <= std::min(n - 1, i + 2); j++) {
      index.push_back(j);
      values.push_back(i == j ? 3 : s.signed_unit());
    }
    start.push_back(static_cast<std::int32_t>(index.size()));
    q[at(i)] = s.signed_unit();
  }
  perp_complementarity orthant;
  perp_complementarity_init(&orthant, sizeof orthant);
  const perp_law *law = &orthant.law;
  const std::int32_t offset[] = {0, n};
  perp_problem p = PERP_PROBLEM_INIT;
  p.M = perp_compressed_rows(n, start.data(), index.data(), values.data());
  p.q = q.data();
  p.n = n;
  p.n_blocks = 1;
  p.laws = &law;
  p.offset = offset;
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_auto(), &p, nullptr));
  vec x(at(n), 999), y(at(n), 999);
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_solver_solve(perp_solver_auto(), &p, nullptr, x.data(), y.data(), nullptr,
                              work.data(), work.size(), &info),
            PERP_OK)
      << info.solver;
}

// Many complementary cones, few of which hold q: every method alone solves fewer than half of them.
instance zeros_and_ones(source &s, std::int32_t n) {
  dense M(n, n);
  vec q(at(n));
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++) M(i, j) = s.chance(0.5) ? 1 : 0;
  for (double &x : q) x = -s.unit();
  return lcp(M, q);
}

double violation(const instance &p, const vec &lambda) {
  const std::vector<long double> y = tools::affine(p.M, p.q, lambda);
  long double worst = 0;
  for (std::int32_t i = 0; i < p.n(); i++)
    worst = std::max(worst, std::fabs(std::min(y[at(i)], static_cast<long double>(lambda[at(i)]))));
  return static_cast<double>(worst);
}

// newton-fb alone takes 500 steps: ten times that is what the others may cost.
TEST(Auto, MatricesOfZerosAndOnesAreSolvedFromManyStarts) {
  const int count = 20;
  source s(0x01);
  int solved = 0, iterations = 0;
  for (int k = 0; k < count; k++) {
    const instance p = zeros_and_ones(s, 60);
    const outcome o = solve(p);
    iterations += o.info.iterations;
    if (o.status != PERP_OK) continue;
    solved++;
    EXPECT_LE(violation(p, o.lambda), 1e-8) << k;
  }
  EXPECT_GE(solved, 15);
  EXPECT_LE(iterations, count * 10 * 500);
}

TEST(Auto, ABudgetThatIsGivenLimitsTheStartsToo) {
  source s(0x01);
  perp_auto_options options = perp_auto_options_default();
  options.budget = 1e7;
  for (int k = 0; k < 5; k++) {
    const instance p = zeros_and_ones(s, 60);
    EXPECT_LE(solve(p, &options).info.iterations, 2000) << k; /* sweeps for the most part */
  }
}

TEST(Auto, PlainArraysAreTakenAsLcpAndAsBoxes) {
  const double M[] = {2, 1, 1, 2}, q[] = {-5, -6}, lower[] = {0, -kInf}, upper[] = {1, kInf};
  double z[2] = {999, 999}, w[2] = {999, 999};
  std::vector<unsigned char> work(perp_lcp_workspace(perp_solver_auto(), 2, nullptr) +
                                  perp_mlcp_workspace(perp_solver_auto(), 2, nullptr));
  const perp_lcp p = {2, 2, M, q};
  const perp_mlcp mixed = {2, 2, M, q, lower, upper};
  EXPECT_EQ(
      perp_lcp_solve(perp_solver_auto(), &p, nullptr, z, w, work.data(), work.size(), nullptr),
      PERP_OK);
  EXPECT_NEAR(z[0], 4.0 / 3, 1e-15);
  EXPECT_NEAR(z[1], 7.0 / 3, 1e-15);
  EXPECT_EQ(
      perp_mlcp_solve(perp_solver_auto(), &mixed, nullptr, z, w, work.data(), work.size(), nullptr),
      PERP_OK);
  EXPECT_EQ(z[0], 1);
  EXPECT_EQ(z[1], 2.5);
  EXPECT_EQ(
      perp_lcp_solve(perp_solver_auto(), nullptr, nullptr, z, w, work.data(), work.size(), nullptr),
      PERP_EINVAL);
  EXPECT_EQ(perp_mlcp_solve(perp_solver_auto(), nullptr, nullptr, z, w, work.data(), 0, nullptr),
            PERP_EINVAL);
  EXPECT_EQ(perp_lcp_workspace(perp_solver_auto(), -1, nullptr), 0u);
  EXPECT_EQ(perp_mlcp_workspace(perp_solver_auto(), -1, nullptr), 0u);
}

// λ = 0 looks solved beside max |q|, and is not where the second row counts a million times.
TEST(Auto, SolvesWhatWeightsMakeLarge) {
  const double M[] = {1, 0, 0, 1}, weight[] = {1e-3, 1e3};
  perp_complementarity law;
  ASSERT_EQ(perp_complementarity_init(&law, sizeof law), PERP_OK);
  const perp_law *laws[] = {&law.law};
  const std::int32_t offset[] = {0, 2};
  for (const double small : {-4e-11, -1e-9, 4e-11}) {
    const double q[] = {1, small};
    perp_problem p = perp_problem_of(perp_dense(2, 2, M), q, 1, laws, offset);
    p.weight = weight;
    std::vector<unsigned char> work(perp_solver_workspace(perp_solver_auto(), &p, nullptr));
    double lambda[] = {0, 0}, y[2];
    EXPECT_EQ(perp_solver_solve(perp_solver_auto(), &p, nullptr, lambda, y, nullptr, work.data(),
                                work.size(), nullptr),
              PERP_OK)
        << small;
    EXPECT_NEAR(lambda[1], std::max(0.0, -small), 1e-15);
  }
}

}  // namespace
