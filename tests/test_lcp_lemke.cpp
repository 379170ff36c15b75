// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/pivoting.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "problem_tools.hpp"

extern "C" {
#include "solver/small.h"
#include "solver/verified.h"
}

namespace {

using tools::at;
using tools::dense;
using tools::from_rows;
using tools::kInf;
using tools::kNaN;
using tools::lcp_error;
using tools::same_bits;
using tools::stored;
using tools::uniform;
using tools::vec;
using modes = std::vector<unsigned char>;

struct answer {
  perp_status status = 999;
  vec z, w;
  perp_info info = PERP_INFO_INIT;
};

// Problems in plain arrays: perp_lcp_lemke(), or the descriptor if the environment says so.
perp_status plain_lemke(const perp_lcp *problem, const perp_lemke_options *o, double *z, double *w,
                        void *work, std::size_t bytes, perp_info *info) {
  static const bool by_descriptor = std::getenv("PERP_TEST_DESCRIPTOR") != nullptr;
  return by_descriptor ? perp_lcp_solve(perp_solver_lemke(), problem, o, z, w, work, bytes, info)
                       : perp_lcp_lemke(problem, o, z, w, work, bytes, info);
}

perp_lemke_options many_pivots() {
  perp_lemke_options o = perp_lemke_options_default();
  o.max_iter = 1 << 20;
  return o;
}

// The plain entry, in exactly the memory it asks for.
answer lemke(const dense &M, const vec &q, const perp_lemke_options *o = nullptr) {
  const std::int32_t n = M.rows;
  const perp_lcp problem = {n, M.ld, M.data(), q.data()};
  answer a;
  a.z.assign(at(n), 999);
  a.w.assign(at(n), 999);
  std::vector<unsigned char> work(perp_lcp_lemke_workspace(n));
  a.status = plain_lemke(&problem, o, a.z.data(), a.w.data(), work.data(), work.size(), &a.info);
  return a;
}

// Warm data of a sequence of problems.
struct warm_block {
  std::vector<double> bytes;
  perp_warm warm = {nullptr, 0, 0, 0};
  explicit warm_block(std::int32_t n, std::uint32_t stamp = 0) {
    const dense M(n, n);
    const vec q(at(n));
    with(M, q, [&](const perp_problem &p) {
      warm.bytes = perp_solver_warm_bytes(perp_solver_lemke(), &p);
    });
    bytes.assign(warm.bytes / 8 + 1, 0.0);
    warm.data = bytes.data();
    warm.stamp = stamp;
  }
  template <class F>
  static void with(const dense &M, const vec &q, F f) {
    perp_complementarity law;
    perp_complementarity_init(&law, sizeof law);
    const perp_law *laws[1] = {&law.law};
    const std::int32_t offset[2] = {0, M.rows};
    perp_problem p =
        perp_problem_of(perp_dense(M.rows, M.rows, M.data()), q.data(), 1, laws, offset);
    p.M.ld = M.ld;
    f(p);
  }
};

// The descriptor, with warm data.
answer solve(const perp_problem &p, perp_warm *warm, const perp_lemke_options *o = nullptr) {
  answer a;
  a.z.assign(at(p.n), 999);
  a.w.assign(at(p.n), 999);
  std::vector<unsigned char> work(perp_solver_workspace(perp_solver_lemke(), &p, o));
  a.status = perp_solver_solve(perp_solver_lemke(), &p, o, a.z.data(), a.w.data(), warm,
                               work.data(), work.size(), &a.info);
  return a;
}

answer solve(const dense &M, const vec &q, perp_warm *warm, const perp_lemke_options *o = nullptr) {
  answer a;
  warm_block::with(M, q, [&](const perp_problem &p) { a = solve(p, warm, o); });
  return a;
}

modes modes_of(const perp_warm &warm, std::int32_t n) {
  modes m(at(n), 77);
  EXPECT_EQ(perp_warm_get_modes(&warm, n, m.data()), PERP_OK);
  return m;
}

double power(std::int32_t n) { return std::ldexp(1.0, n); }

dense murty_lower(std::int32_t n) {
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j <= i; j++) M(i, j) = i == j ? 1 : 2;
  return M;
}

dense murty_upper(std::int32_t n) {
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = i; j < n; j++) M(i, j) = i == j ? 1 : 2;
  return M;
}

dense fathi(std::int32_t n) {
  dense M(n, n);
  for (std::int32_t i = 1; i <= n; i++)
    for (std::int32_t j = 1; j <= n; j++)
      M(i - 1, j - 1) = i == j ? 4 * i - 3 : 4 * std::min(i, j) - 2;
  return M;
}

void expect_solution(const answer &a, const vec &z, int pivots) {
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.info.iterations, pivots);
  for (std::size_t i = 0; i < z.size(); i++) EXPECT_NEAR(a.z[i], z[i], 1e-12) << "z " << i;
  EXPECT_LE(a.info.relative_residual, 1e-14);
}

// ---- problems with known pivot counts ----

TEST(LcpLemke, TakesExactlyTwoToTheNPivotsOnMurtysLowerMatrix) {
  const perp_lemke_options o = many_pivots();
  for (std::int32_t n = 2; n <= 12; n++) {
    vec z(at(n), 0.0);
    z[0] = 1;
    expect_solution(lemke(murty_lower(n), vec(at(n), -1.0), &o), z, 1 << n);
  }
}

TEST(LcpLemke, TakesTwoPivotsOnMurtysUpperMatrixUnlessQIsGraded) {
  const perp_lemke_options o = many_pivots();
  for (std::int32_t n = 2; n <= 12; n++) {
    vec z(at(n), 0.0), q(at(n));
    z.back() = 1;
    expect_solution(lemke(murty_upper(n), vec(at(n), -1.0), &o), z, 2);
    for (std::int32_t j = 1; j <= n; j++) q[at(j - 1)] = -(power(n + 1) - power(j));
    z.back() = power(n);
    expect_solution(lemke(murty_upper(n), q, &o), z, 1 << n);
  }
}

TEST(LcpLemke, TheCoveringVectorDecidesOnFathisMatrix) {
  for (std::int32_t n = 2; n <= 12; n++) {
    perp_lemke_options o = many_pivots();
    vec z(at(n), 0.0), d(at(n));
    z[0] = 1;
    expect_solution(lemke(fathi(n), vec(at(n), -1.0), &o), z, 1 << n);
    for (std::int32_t i = 1; i <= n; i++) d[at(i - 1)] = power(i);
    o.covering = d.data();
    expect_solution(lemke(fathi(n), vec(at(n), -1.0), &o), z, 2);
  }
}

TEST(LcpLemke, BreaksTiesAsIfQHadPowersOfASmallNumber) {
  const dense M = from_rows(3, {0, -1, 3, 3, 0, 3, -1, 3, 1});
  expect_solution(lemke(M, {-1, -1, -1}), {0, 0, 1}, 2);  // first-index rules cycle here
}

TEST(LcpLemke, SolvesIndefiniteProblemsItCanReach) {
  expect_solution(lemke(from_rows(3, {0, -1, 2, 2, 0, -2, -1, 1, 0}), {-3, 6, -1}), {0, 1, 3}, 5);
  const dense path = from_rows(4, {0, 0, -1, -1, 0, 0, 1, -2, 1, -1, 2, -2, 1, 2, -2, 4});
  expect_solution(lemke(path, {2, 2, -2, -6}), {2.8, 0, 0.8, 1.2}, 4);
  const dense ortiz = from_rows(4, {3, 1, 0, -1, -1, 2, 1, 1, 0, 1, 3, -1, 0, 0, 1, 2});
  const answer a = lemke(ortiz, {-2, 1, -1, 1});
  EXPECT_EQ(a.status, PERP_OK);
  const vec z = {2. / 3, 0, 1. / 3, 0};
  for (std::size_t i = 0; i < 4; i++) EXPECT_NEAR(a.z[i], z[i], 1e-14);
  const answer b = lemke(from_rows(2, {2, 1, 1, 2}), {-5, -6});
  EXPECT_NEAR(b.z[0], 4. / 3, 1e-14);
  EXPECT_NEAR(b.z[1], 7. / 3, 1e-14);
}

TEST(LcpLemke, StopsWhereTheArtificialVariableIsAmongTheTies) {
  // Going on with the perturbed q would end on a ray behind the solution.
  expect_solution(lemke(from_rows(2, {2, 1, 1, 0}), {-2, -1}), {1, 0}, 2);
}

TEST(LcpLemke, EndsOnSingularProblems) {
  const dense ones = from_rows(2, {1, 1, 1, 1});
  const answer a = lemke(ones, {-1, -1});
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_NEAR(a.z[0] + a.z[1], 1, 1e-15);
  const answer b = lemke(from_rows(2, {1, -1, -1, 1}), {1, -1});
  EXPECT_EQ(b.status, PERP_OK);
  EXPECT_EQ(b.z, (vec{0, 1}));
}

TEST(LcpLemke, EndsOnARayAfterOnePivotOnTheBimatrixGame) {
  const dense M = from_rows(4, {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0});
  const answer a = lemke(M, vec(4, -1.0));
  EXPECT_EQ(a.status, PERP_RAY);
  EXPECT_EQ(a.info.iterations, 1);
  EXPECT_GT(a.info.residual, 0);  // told on failure too
  EXPECT_GE(a.info.worst, 0);
}

TEST(LcpLemke, NeverSolvesTheInfeasible) {
  EXPECT_EQ(lemke(from_rows(1, {-1}), {-1}).status, PERP_INFEASIBLE);
  EXPECT_EQ(lemke(from_rows(1, {0}), {-1}).status, PERP_INFEASIBLE);
  EXPECT_EQ(lemke(from_rows(2, {1, -1, -1, 1}), {-1, -1}).status, PERP_INFEASIBLE);
  const dense M = from_rows(3, {0, -1, -1, 1, 0, 0, -1, 0, 0});
  EXPECT_GT(lemke(M, {-1e-4, -1, 1}).status, 0);
  for (double tol : {1e-10, 1e-6, 1e-4}) {  // a loose tolerance does not make it feasible
    perp_lemke_options o = many_pivots();
    o.tol = tol;
    EXPECT_GT(lemke(from_rows(1, {-1}), {-1}, &o).status, 0);
    EXPECT_GT(lemke(from_rows(2, {1, -1, -1, 1}), {-1, -1}, &o).status, 0);
  }
}

TEST(LcpLemke, FindsTheIsolatedSolutionOrSaysRay) {
  const dense M = from_rows(3, {0, -1, -1, 1, 0, 0, -1, 0, 0});
  const vec q = {0, -1, 1};
  const answer a = lemke(M, q);
  if (a.status == PERP_OK) {
    EXPECT_LE(lcp_error(M, q, a.z), 1e-14);
  } else {
    EXPECT_EQ(a.status, PERP_RAY);
  }
}

TEST(LcpLemke, NewtonMinsCycleIsNoneHere) {
  for (double a : {1.5, 3.0, 10.0})
    expect_solution(lemke(from_rows(3, {1, 0, a, a, 1, 0, 0, a, 1}), {1, 1, 1}), {0, 0, 0}, 0);
}

// ---- random problems ----

// The solution by trying all bases; empty if none is regular and feasible.
vec enumerate(const dense &M, const vec &q) {
  const std::int32_t n = M.rows;
  for (std::uint32_t mask = 0; mask < (1u << n); mask++) {
    std::vector<std::int32_t> B;
    for (std::int32_t i = 0; i < n; i++)
      if (mask >> i & 1u) B.push_back(i);
    const std::size_t k = B.size();
    std::vector<std::vector<long double>> A(k, std::vector<long double>(k + 1));
    for (std::size_t i = 0; i < k; i++) {
      for (std::size_t j = 0; j < k; j++) A[i][j] = M(B[i], B[j]);
      A[i][k] = -q[at(B[i])];
    }
    bool regular = true;
    for (std::size_t c = 0; c < k && regular; c++) {
      std::size_t p = c;
      for (std::size_t i = c; i < k; i++)
        if (std::fabs(A[i][c]) > std::fabs(A[p][c])) p = i;
      std::swap(A[c], A[p]);
      regular = std::fabs(A[c][c]) > 1e-12L;
      for (std::size_t i = 0; i < k && regular; i++) {
        if (i == c) continue;
        const long double f = A[i][c] / A[c][c];
        for (std::size_t j = c; j <= k; j++) A[i][j] -= f * A[c][j];
      }
    }
    if (!regular) continue;
    vec z(at(n), 0.0);
    bool feasible = true;
    for (std::size_t i = 0; i < k; i++) {
      z[at(B[i])] = static_cast<double>(A[i][k] / A[i][i]);
      feasible = feasible && z[at(B[i])] >= 0;
    }
    if (feasible && lcp_error(M, q, z) < 1e-12) return z;
  }
  return {};
}

// Positive definite, not symmetric.
dense definite(uniform &random, std::int32_t n) {
  dense M = random.definite(n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < i; j++) {
      const double s = 2 * random();
      M(i, j) += s;
      M(j, i) -= s;
    }
  return M;
}

TEST(LcpLemke, FindsTheOneSolutionOfDefiniteProblems) {
  uniform random(11);
  for (int trial = 0; trial < 5000; trial++) {
    const std::int32_t n = 1 + trial % 12;
    const dense M = definite(random, n);
    const vec q = random.vector(n);
    const answer a = lemke(M, q);
    ASSERT_EQ(a.status, PERP_OK) << trial;
    ASSERT_LE(lcp_error(M, q, a.z), 1e-14) << trial;
    if (n > 6) continue;
    const vec z = enumerate(M, q);
    ASSERT_EQ(z.size(), q.size());
    for (std::int32_t i = 0; i < n; i++) ASSERT_NEAR(a.z[at(i)], z[at(i)], 1e-10) << trial;
  }
}

// R Rᵀ of a rank below n with integer entries, plus a skew part: semidefinite, full of ties.
dense semidefinite(uniform &random, std::int32_t n, bool symmetric) {
  const std::int32_t rank = (n + 1) / 2;
  dense R(n, rank), M(n, n);
  for (std::int32_t k = 0; k < rank; k++)
    for (std::int32_t i = 0; i < n; i++) R(i, k) = std::floor(1.5 * (random() + 1)) - 1;
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      for (std::int32_t k = 0; k < rank; k++) M(i, j) += R(i, k) * R(j, k);
      if (j >= i || symmetric) continue;
      const double s = std::floor(1.5 * (random() + 1)) - 1;
      M(i, j) += s;
    }
  if (!symmetric)
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < i; j++) {
        double sum = 0;
        for (std::int32_t k = 0; k < rank; k++) sum += R(i, k) * R(j, k);
        M(j, i) = sum - (M(i, j) - sum);
      }
  return M;
}

TEST(LcpLemke, SolvesSolvableSemidefiniteProblemsFullOfTies) {
  uniform random(12);
  for (int trial = 0; trial < 5000; trial++) {
    const std::int32_t n = 1 + trial % 12;
    const dense M = semidefinite(random, n, trial % 2 == 0);
    vec z(at(n)), q(at(n));
    for (double &x : z) x = std::max(0.0, std::floor(3 * random()));
    const std::vector<long double> Mz = tools::affine(M, q, z);
    for (std::int32_t i = 0; i < n; i++) {
      const double w = z[at(i)] > 0 ? 0 : std::max(0.0, std::floor(3 * random()));
      q[at(i)] = w - static_cast<double>(Mz[at(i)]);
    }
    const answer a = lemke(M, q);
    ASSERT_EQ(a.status, PERP_OK) << trial;
    ASSERT_LE(lcp_error(M, q, a.z), 1e-12) << trial;
  }
}

// Of more unknowns than the rank every basis is singular: paths break off amid their pivots, and a
// dictionary that went on in a basis next to a singular one would have no digits.
TEST(LcpLemke, SolvesProblemsOfLowRank) {
  uniform random(13);
  int unsolved = 0;
  for (int trial = 0; trial < 6000; trial++) {
    const std::int32_t n = 26 + trial % 34, rank = 5 + trial % 7;
    dense R(n, rank), M(n, n);
    for (std::int32_t k = 0; k < rank; k++)
      for (std::int32_t i = 0; i < n; i++) R(i, k) = std::floor(1.5 * (random() + 1)) - 1;
    for (std::int32_t k = 0; k < rank; k++)
      for (std::int32_t j = 0; j < n; j++)
        for (std::int32_t i = 0; i < n; i++) M(i, j) += R(i, k) * R(j, k);
    vec z(at(n)), q(at(n));
    for (double &x : z) x = std::max(0.0, std::floor(3 * random()));
    const std::vector<long double> Mz = tools::affine(M, q, z);
    for (std::int32_t i = 0; i < n; i++) q[at(i)] = -static_cast<double>(Mz[at(i)]);
    const answer a = solve(M, q, nullptr);
    unsolved += a.status != PERP_OK;
    if (a.status == PERP_OK) {
      ASSERT_LE(lcp_error(M, q, a.z), 1e-9) << trial;
    }
  }
  EXPECT_LE(unsolved, 1);
}

// ---- rays ----

// R Rᵀ whose columns are orthogonal to ones, plus a skew part that is so too: u = ones proves that
// q with a negative sum has no solution.
dense orthogonal_to_ones(uniform &random, std::int32_t n, bool symmetric) {
  dense R = random.matrix(n, n - 1), S = random.matrix(n, n), M(n, n);
  vec rows(at(n), 0.0);
  for (std::int32_t k = 0; k < n - 1; k++) {
    double mean = 0;
    for (std::int32_t i = 0; i < n; i++) mean += R(i, k) / n;
    for (std::int32_t i = 0; i < n; i++) R(i, k) -= mean;
  }
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) rows[at(i)] += (S(i, j) - S(j, i)) / n;
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      for (std::int32_t k = 0; k < n - 1; k++) M(i, j) += R(i, k) * R(j, k);
      if (!symmetric) M(i, j) += S(i, j) - S(j, i) - rows[at(i)] + rows[at(j)];
    }
  return M;
}

// What u says by definition: the largest of -u, Mᵀu relative to its terms; infinity if qᵀu >= 0.
double certificate_error(const dense &M, const vec &q, const vec &u) {
  long double worst = 0, qu = 0, scale = 0;
  for (std::int32_t j = 0; j < M.cols; j++) {
    long double sum = 0, terms = 0;
    for (std::int32_t i = 0; i < M.rows; i++) {
      sum += static_cast<long double>(M(i, j)) * u[at(i)];
      terms += std::fabs(static_cast<long double>(M(i, j)) * u[at(i)]);
    }
    if (!(u[at(j)] >= 0)) return kInf;
    qu += static_cast<long double>(q[at(j)]) * u[at(j)];
    worst = std::max(worst, sum);
    scale = std::max(scale, terms);
  }
  if (!(qu < 0)) return kInf;
  return worst == 0 ? 0 : static_cast<double>(worst / scale);
}

TEST(LcpLemkeRay, ProvesThatMonotoneProblemsAreInfeasible) {
  uniform random(13);
  for (int trial = 0; trial < 2000; trial++) {
    const std::int32_t n = trial % 100 == 99 ? 70 : 2 + trial % 11;
    const dense M = orthogonal_to_ones(random, n, trial % 2 == 0);
    vec q = random.vector(n), u(at(n), 999.0);
    double sum = 0;
    for (double x : q) sum += x;
    for (double &x : q) x -= (sum + 1) / n;
    answer a;
    perp_lcp problem = {n, M.ld, M.data(), q.data()};
    a.z = a.w = vec(at(n), 999.0);
    a.info.ray = u.data();
    a.info.ray_size = n;
    std::vector<unsigned char> work(perp_lcp_lemke_workspace(n));
    a.status =
        plain_lemke(&problem, nullptr, a.z.data(), a.w.data(), work.data(), work.size(), &a.info);
    ASSERT_EQ(a.status, PERP_INFEASIBLE) << trial;
    ASSERT_EQ(a.info.ray_kind, PERP_RAY_CERTIFICATE) << trial;
    ASSERT_LE(certificate_error(M, q, u), 1e-12) << trial;
    ASSERT_NE(a.z[0], 999);  // a point is there too
    if (n > 12) continue;
    warm_block::with(M, q, [&](const perp_problem &p) {  // the public judge agrees
      std::vector<unsigned char> bytes(perp_problem_residual_workspace(&p));
      double bound = 0;
      EXPECT_EQ(perp_problem_certificate(&p, u.data(), &bound, bytes.data(), bytes.size()),
                PERP_OK);
      EXPECT_GT(bound, 1e9);
    });
  }
}

TEST(LcpLemkeRay, IsWrittenWhereThereIsRoomAndProvesNothingOnTheBimatrixGame) {
  const dense M = from_rows(4, {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0});
  const vec q(4, -1.0);
  const perp_lcp problem = {4, M.ld, M.data(), q.data()};
  for (const std::int32_t room : {0, 3, 4, 7}) {
    vec z(4, 999.0), w(4, 999.0), u(7, 999.0);
    perp_info info = PERP_INFO_INIT;
    info.ray = room == 0 ? nullptr : u.data();
    info.ray_size = room;
    std::vector<unsigned char> work(perp_lcp_lemke_workspace(4));
    EXPECT_EQ(plain_lemke(&problem, nullptr, z.data(), w.data(), work.data(), work.size(), &info),
              PERP_RAY);
    EXPECT_EQ(info.ray_kind, room >= 4 ? PERP_RAY_SECONDARY : PERP_RAY_NONE);
    for (std::size_t i = 0; i < 7; i++) EXPECT_EQ(u[i] == 999, room < 4 || i >= 4) << i;
    double length = 0;
    for (std::size_t i = 0; i < 4; i++) {
      EXPECT_GE(u[i], 0);
      length += u[i];
    }
    EXPECT_GT(length, 0);
  }
}

// Along a secondary ray (z, z0) + t (u, u0) all conditions of the augmented problem hold.
TEST(LcpLemkeRay, IsADirectionOfTheAugmentedProblem) {
  uniform random(14);
  int rays = 0;
  for (int trial = 0; trial < 3000; trial++) {
    const std::int32_t n = 1 + trial % 7;
    const dense M = random.matrix(n, n);
    const vec q = random.vector(n);
    vec u(at(n), 999.0), z(at(n)), w(at(n));
    perp_info info = PERP_INFO_INIT;
    info.ray = u.data();
    info.ray_size = n;
    const perp_lcp problem = {n, M.ld, M.data(), q.data()};
    std::vector<unsigned char> work(perp_lcp_lemke_workspace(n));
    const perp_status status =
        plain_lemke(&problem, nullptr, z.data(), w.data(), work.data(), work.size(), &info);
    if (status == PERP_INFEASIBLE) {
      ASSERT_LE(certificate_error(M, q, u), 1e-12) << trial;
    }
    if (status != PERP_RAY) continue;
    rays++;
    ASSERT_EQ(info.ray_kind, PERP_RAY_SECONDARY);
    // Mu + u0 >= 0, zero where u > 0: so u0 is the largest of -(Mu)_i over u > 0
    const std::vector<long double> Mu = tools::affine(M, vec(at(n), 0.0), u);
    long double u0 = 0, size = 0;
    for (std::int32_t i = 0; i < n; i++) size = std::max(size, std::fabs(Mu[at(i)]));
    for (std::int32_t i = 0; i < n; i++) {
      ASSERT_GE(u[at(i)], 0);
      if (u[at(i)] > 0) u0 = std::max(u0, -Mu[at(i)]);
    }
    for (std::int32_t i = 0; i < n; i++) {
      ASSERT_GE(Mu[at(i)] + u0, -1e-9L * size) << trial;
      if (u[at(i)] > 1e-9) {
        ASSERT_LE(std::fabs(Mu[at(i)] + u0), 1e-9L * size) << trial;
      }
    }
  }
  EXPECT_GT(rays, 300);
}

TEST(LcpLemke, DoesNotDependOnUnits) {
  uniform random(14);
  for (int trial = 0; trial < 300; trial++) {
    const std::int32_t n = 1 + trial % 9;
    const dense M = definite(random, n);
    const vec q = random.vector(n);
    const answer unit = lemke(M, q);
    dense Ms = M;
    vec qs = q, C(at(n));
    for (std::int32_t i = 0; i < n; i++) C[at(i)] = power((i * 37) % 61 - 30);
    for (std::int32_t i = 0; i < n; i++) {
      qs[at(i)] *= C[at(i)];
      for (std::int32_t j = 0; j < n; j++) Ms(i, j) *= C[at(i)] * C[at(j)];
    }
    perp_lemke_options o = many_pivots();
    o.covering = C.data();
    const answer scaled = lemke(Ms, qs, &o);
    ASSERT_EQ(scaled.status, PERP_OK);
    EXPECT_EQ(scaled.info.iterations, unit.info.iterations) << trial;
    for (std::int32_t i = 0; i < n; i++)
      EXPECT_NEAR(scaled.z[at(i)] * C[at(i)], unit.z[at(i)], 1e-9 * (1 + unit.z[at(i)]));
  }
}

TEST(LcpLemke, RefinesTheAnswerOnNearlySingularMatrices) {
  for (std::int32_t n = 2; n <= 9; n++) {  // condition numbers up to 5e11
    const dense H = tools::hilbert(n);
    vec q(at(n), 0.0);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) q[at(i)] -= H(i, j);  // z is about ones
    const answer a = lemke(H, q);
    EXPECT_EQ(a.status, PERP_OK) << n;
    EXPECT_LE(a.info.relative_residual, 4 * tools::kEps) << n;
  }
}

TEST(LcpLemke, EveryKindOfStorageGivesTheSameBits) {
  uniform random(15);
  for (int trial = 0; trial < 100; trial++) {
    const std::int32_t n = 1 + trial % 8;
    const dense M = definite(random, n);
    dense D(n, n);
    for (std::int32_t i = 0; i < n; i++) D(i, i) = M(i, i);
    const vec q = random.vector(n);
    perp_complementarity law;
    perp_complementarity_init(&law, sizeof law);
    const std::vector<const perp_law *> laws(at(n), &law.law);
    const auto solve_as = [&](const dense &A, std::int32_t kind, tools::ints cuts = {}) {
      const stored s(A, kind, std::move(cuts), true);
      const perp_problem p = perp_problem_of(s.view, q.data(), n, laws.data(), nullptr);
      return solve(p, nullptr);
    };
    const answer a = solve_as(M, PERP_DENSE), b = solve_as(M, PERP_BLOCKS);
    const answer c = solve_as(M, PERP_BLOCKS, n > 1 ? tools::ints{0, 1, n} : tools::ints{0, 1});
    EXPECT_EQ(a.status, PERP_OK);
    EXPECT_EQ(b.status, PERP_OK);
    EXPECT_EQ(c.status, PERP_OK);
    EXPECT_EQ(a.info.iterations, b.info.iterations);
    EXPECT_EQ(a.info.iterations, c.info.iterations);
    for (std::size_t i = 0; i < q.size(); i++) {
      EXPECT_NEAR(a.z[i], b.z[i], 1e-13);
      EXPECT_NEAR(a.z[i], c.z[i], 1e-13);
    }
    const answer d = solve_as(D, PERP_DENSE), e = solve_as(D, PERP_DIAGONAL);
    for (std::size_t i = 0; i < q.size(); i++) EXPECT_NEAR(d.z[i], e.z[i], 2e-15 * (1 + d.z[i]));
  }
  EXPECT_EQ(solve(dense(2, 2), {1, 2}, nullptr).status, PERP_OK);
  perp_complementarity law;
  perp_complementarity_init(&law, sizeof law);
  const perp_law *laws[2] = {&law.law, &law.law};
  const vec q = {1, 0};
  perp_matrix zero{}; /* of kind PERP_ZERO */
  zero.rows = zero.cols = 2;
  perp_problem p = perp_problem_of(zero, q.data(), 2, laws, nullptr);
  EXPECT_EQ(solve(p, nullptr).status, PERP_OK);
}

// ---- the pivots of the factor, of the table for a few unknowns, and of the dictionary ----

using pivot_list = std::vector<std::pair<std::int32_t, std::int32_t>>;

std::int32_t note_pivot(const perp_iterate *it, void *user) {
  static_cast<pivot_list *>(user)->emplace_back(it->entering, it->leaving);
  return 0;
}

struct pivot_run {
  answer a;
  pivot_list pivots;
};

// A dense M takes the factor, block rows take the dictionary.
pivot_run pivots_of(const dense &M, const vec &q, std::int32_t kind) {
  pivot_run run;
  perp_lemke_options o = many_pivots();
  o.observe = note_pivot;
  o.user = &run.pivots;
  perp_complementarity law;
  perp_complementarity_init(&law, sizeof law);
  const std::vector<const perp_law *> laws(q.size(), &law.law);
  const stored s(M, kind);
  const perp_problem p = perp_problem_of(s.view, q.data(), M.rows, laws.data(), nullptr);
  run.a = solve(p, nullptr, &o);
  return run;
}

void expect_same_pivots(const dense &M, const vec &q, const std::string &what) {
  const pivot_run factor = pivots_of(M, q, PERP_DENSE);
  const pivot_run dictionary = pivots_of(M, q, PERP_BLOCKS);
  EXPECT_EQ(factor.a.status, dictionary.a.status) << what;
  EXPECT_EQ(factor.pivots, dictionary.pivots) << what;
  EXPECT_EQ(factor.a.info.iterations, static_cast<std::int32_t>(factor.pivots.size())) << what;
  perp_lemke_options o = many_pivots();  // nobody looks on: the table for a few unknowns
  const answer table = lemke(M, q, &o);
  // in plain arrays a ray is told as it is, the descriptor looks for a proof beside it
  const bool ray = table.status == PERP_RAY && dictionary.a.status == PERP_INFEASIBLE;
  EXPECT_TRUE(ray || table.status == dictionary.a.status) << what;
  EXPECT_EQ(table.info.iterations, dictionary.a.info.iterations) << what;
  if (table.status == PERP_OK) {
    EXPECT_LE(lcp_error(M, q, table.z), 1e-11) << what;
    EXPECT_LE(lcp_error(M, q, factor.a.z), 1e-11) << what;
  }
}

TEST(LcpLemkePivots, AreTheSameOnRandomProblems) {
  uniform random(41);
  for (int trial = 0; trial < 600; trial++) {
    const std::int32_t n = trial % 50 == 49 ? 90 : 1 + trial % 23;
    const std::string what = "trial " + std::to_string(trial);
    const vec q = random.vector(n);
    expect_same_pivots(random.definite(n), q, what + " symmetric");
    expect_same_pivots(definite(random, n), q, what + " definite");
    dense any = random.matrix(n, n);
    if (n <= 12) expect_same_pivots(any, q, what + " any");
    for (std::int32_t i = 0; i < n; i++) any(i, i) += 2 * n;
    expect_same_pivots(any, q, what + " dominant");
  }
}

// Wrong numbers in these kernels would go to the factor and only cost time, so they are asked here.
TEST(LcpLemkePivots, OfTheKernelsForAFewUnknownsNeedNoOther) {
  uniform random(43);
  for (int trial = 0; trial < 1600; trial++) {
    const std::int32_t n = 1 + trial % SMALL_MOST;
    const dense M = trial % 2 == 0 ? random.definite(n) : definite(random, n);
    vec q = random.vector(n);
    q[at(trial % n)] = -1.5;
    const pivot_run run = pivots_of(M, q, PERP_BLOCKS);
    warm_block::with(M, q, [&](const perp_problem &p) {
      vec z(at(n), 999.0);
      const std::int32_t pivots = perp_lemke_small(&p, nullptr, 1000, z.data());
      ASSERT_EQ(pivots, run.a.info.iterations) << trial;
      ASSERT_LE(lcp_error(M, q, z), 1e-14) << trial;
    });
  }
}

TEST(LcpLemkePivots, AreTheSameOnDegenerateProblems) {
  uniform random(42);
  for (int trial = 0; trial < 2000; trial++) {
    const std::int32_t n = 1 + trial % 14;
    const dense M = semidefinite(random, n, trial % 2 == 0);
    vec z(at(n)), q(at(n));
    for (double &x : z) x = std::max(0.0, std::floor(3 * random()));
    const std::vector<long double> Mz = tools::affine(M, q, z);
    for (std::int32_t i = 0; i < n; i++) q[at(i)] = -static_cast<double>(Mz[at(i)]);
    expect_same_pivots(M, q, "trial " + std::to_string(trial));
  }
}

// M in the middle of a larger problem whose other pairs are w = z + 1.
TEST(LcpLemkePivots, DoNotDependOnPairsThatNeverMove) {
  const std::int32_t n = 100, before = 37;
  struct problem {
    dense M;
    vec q;
    int pivots;
  };
  std::vector<problem> problems = {
      {from_rows(3, {0, -1, 3, 3, 0, 3, -1, 3, 1}), {-1, -1, -1}, 2},
      {from_rows(3, {0, -1, 2, 2, 0, -2, -1, 1, 0}), {-3, 6, -1}, 5},
      {from_rows(4, {0, 0, -1, -1, 0, 0, 1, -2, 1, -1, 2, -2, 1, 2, -2, 4}), {2, 2, -2, -6}, 4}};
  for (std::int32_t k = 2; k <= 10; k++) {
    vec graded(at(k));
    for (std::int32_t j = 1; j <= k; j++) graded[at(j - 1)] = -(power(k + 1) - power(j));
    problems.push_back({murty_lower(k), vec(at(k), -1.0), 1 << k});
    problems.push_back({murty_upper(k), vec(at(k), -1.0), 2});
    problems.push_back({murty_upper(k), graded, 1 << k});
    problems.push_back({fathi(k), vec(at(k), -1.0), 1 << k});
  }
  for (const problem &small : problems) {
    dense M(n, n);
    vec q(at(n), 1.0);
    for (std::int32_t i = 0; i < n; i++) M(i, i) = 1;
    for (std::int32_t i = 0; i < small.M.rows; i++) {
      q[at(before + i)] = small.q[at(i)];
      for (std::int32_t j = 0; j < small.M.rows; j++) M(before + i, before + j) = small.M(i, j);
    }
    const pivot_run run = pivots_of(M, q, PERP_DENSE);
    EXPECT_EQ(run.a.status, PERP_OK);
    EXPECT_EQ(run.a.info.iterations, small.pivots) << small.M.rows;
    EXPECT_LE(lcp_error(M, q, run.a.z), 1e-12);
  }
}

// ---- warm starts ----

TEST(LcpLemkeWarm, TheRightModesNeedNoPivotAndGiveTheSameBits) {
  uniform random(21);
  for (int trial = 0; trial < 500; trial++) {
    const std::int32_t n = 1 + trial % 10;
    const dense M = definite(random, n);
    const vec q = random.vector(n);
    warm_block block(n, trial % 2 == 0 ? 5u : 0u);
    const answer cold = solve(M, q, &block.warm);
    ASSERT_EQ(cold.status, PERP_OK);
    const modes m = modes_of(block.warm, n);
    for (std::int32_t i = 0; i < n; i++)
      EXPECT_EQ(m[at(i)], cold.z[at(i)] > 0 ? PERP_MODE_FREE : PERP_MODE_LOWER);
    const answer warm = solve(M, q, &block.warm);
    EXPECT_EQ(warm.status, PERP_OK);
    EXPECT_EQ(warm.info.iterations, 0);
    EXPECT_TRUE(same_bits(warm.z, cold.z));
    warm_block other(n);  // the modes alone, without the factor
    ASSERT_EQ(perp_warm_set_modes(&other.warm, n, m.data()), PERP_OK);
    const answer again = solve(M, q, &other.warm);
    EXPECT_EQ(again.info.iterations, 0);
    EXPECT_TRUE(same_bits(again.z, cold.z));
  }
}

TEST(LcpLemkeWarm, AKeptFactorIsUsedAndChangesNoBit) {
  uniform random(22);
  const std::int32_t n = 5;
  const dense M = definite(random, n);
  vec q = random.vector(n);
  warm_block kept(n, 9), fresh(n, 0);
  for (int step = 0; step < 200; step++) {
    for (double &x : q) x += 0.02 * random();
    const answer a = solve(M, q, &kept.warm), b = solve(M, q, &fresh.warm);
    ASSERT_EQ(a.status, PERP_OK);
    ASSERT_TRUE(same_bits(a.z, b.z)) << step;
    ASSERT_EQ(a.info.iterations, b.info.iterations);
  }
}

TEST(LcpLemkeWarm, NoModesMakeASolvableProblemUnsolved) {
  uniform random(23);
  int solved = 0, saved = 0;
  for (int trial = 0; trial < 4000; trial++) {
    const std::int32_t n = 1 + trial % 7;
    const dense M = trial % 3 == 0 ? random.matrix(n, n) : semidefinite(random, n, trial % 2 == 0);
    const vec q = random.vector(n);
    const answer cold = lemke(M, q);
    warm_block block(n, 3);
    modes m(at(n));
    for (unsigned char &x : m) x = random() > 0 ? PERP_MODE_FREE : PERP_MODE_LOWER;
    ASSERT_EQ(perp_warm_set_modes(&block.warm, n, m.data()), PERP_OK);
    const answer warm = solve(M, q, &block.warm);
    if (cold.status == PERP_OK) {
      ASSERT_EQ(warm.status, PERP_OK) << trial;
      solved++;
    }
    if (warm.status == PERP_OK) {
      ASSERT_LE(lcp_error(M, q, warm.z), 1e-10) << trial;
      saved += cold.status != PERP_OK;
    }
  }
  EXPECT_GT(solved, 1000);
  EXPECT_GT(saved, 0);  // and some rays are avoided
}

TEST(LcpLemkeWarm, GarbageIsSurvived) {
  uniform random(24);
  std::mt19937 bits(1);
  for (int trial = 0; trial < 2000; trial++) {
    const std::int32_t n = 1 + trial % 6;
    const dense M = definite(random, n);
    const vec q = random.vector(n);
    warm_block block(n, 3);
    auto *bytes = static_cast<unsigned char *>(block.warm.data);
    for (std::size_t i = 0; i < block.warm.bytes; i++)
      bytes[i] = static_cast<unsigned char>(trial % 4 == 3 ? 0xFF : bits());
    if (trial % 2 == 0) {  // a head and an owner that pass for genuine
      const std::uint32_t head[2] = {static_cast<std::uint32_t>(n), 3}, owner = 1;
      std::memcpy(bytes, head, sizeof head);
      std::memcpy(bytes + 8 + (n + 7) / 8 * 8, &owner, sizeof owner);
    }
    const answer a = solve(M, q, &block.warm);
    ASSERT_EQ(a.status, PERP_OK) << trial;
    ASSERT_LE(lcp_error(M, q, a.z), 1e-14);
    const answer next = solve(M, q, &block.warm);
    ASSERT_EQ(next.status, PERP_OK);
    ASSERT_EQ(next.info.iterations, 0);
    ASSERT_TRUE(same_bits(a.z, next.z));
  }
}

TEST(LcpLemkeWarm, AStampThatLiesIsFoundOut) {
  uniform random(25);
  for (int trial = 0; trial < 500; trial++) {
    const std::int32_t n = 1 + trial % 6;
    warm_block block(n, 3);
    const vec q = random.vector(n);
    ASSERT_EQ(solve(definite(random, n), q, &block.warm).status, PERP_OK);
    const dense other = definite(random, n);
    const answer a = solve(other, q, &block.warm);  // same stamp, another M
    ASSERT_EQ(a.status, PERP_OK) << trial;
    ASSERT_LE(lcp_error(other, q, a.z), 1e-10);
  }
}

// What a time step calls asks for the basis of the step before, first of all.
answer known(const stored &M, const vec &q, perp_warm *warm,
             const perp_lemke_options *o = nullptr) {
  answer a;
  a.z.assign(q.size(), 999);
  a.w.assign(q.size(), 999);
  warm_block::with(dense(M.view.rows, M.view.rows), q, [&](perp_problem p) {
    p.M = M.view;
    std::vector<double> work(perp_solver_workspace(perp_solver_lemke(), &p, nullptr) / 8 + 1);
    perp_residual r = PERP_RESIDUAL_INIT;
    a.info.iterations = 77;
    a.status = perp_solver_run(perp_solver_lemke(), &p, o, a.z.data(), a.w.data(), warm,
                               work.data(), work.size() * 8, &r, &a.info);
    EXPECT_TRUE(a.status < 0 || r.relative <= PERP_DEFAULT_TOL);
  });
  return a;
}

TEST(LcpLemkeWarm, AKnownBasisAnswersAsASolveDoesAndIsJudgedAndRefusedAlike) {
  uniform random(27);
  for (int trial = 0; trial < 600; trial++) {
    const std::int32_t n = 2 + 2 * (trial % 3), kind = trial % 2 == 0 ? PERP_DENSE : PERP_BLOCKS;
    const dense M = definite(random, n), other = definite(random, n);
    const stored s(M, kind), t(other, kind);
    vec q = random.vector(n);
    warm_block block(n, 5), cold(n, 5);
    ASSERT_EQ(known(s, q, &block.warm).status, PERP_OK);
    for (double &x : q) x *= 1.7;  // the same basis
    const answer again = known(s, q, &block.warm), fresh = known(s, q, &cold.warm);
    ASSERT_EQ(again.status, PERP_OK);
    ASSERT_EQ(again.info.iterations, 0);
    ASSERT_STREQ(again.info.solver, "lemke");
    ASSERT_TRUE(same_bits(again.z, fresh.z)) << trial;
    ASSERT_TRUE(same_bits(again.w, fresh.w)) << trial;

    perp_lemke_options o = perp_lemke_options_default();
    const vec covering(at(n), -1.0);
    o.covering = covering.data();
    ASSERT_EQ(known(s, q, &block.warm, &o).status, PERP_EINVAL);
    o = perp_lemke_options_default();
    o.tol = -1;
    ASSERT_EQ(known(s, q, &block.warm, &o).status, PERP_EINVAL);
    o.tol = 0;
    const answer strict = known(s, q, &block.warm, &o);
    ASSERT_EQ(strict.status == PERP_OK, strict.info.relative_residual == 0);

    const answer lied = known(t, q, &block.warm);  // the same stamp, another M
    ASSERT_EQ(lied.status, PERP_OK);
    ASSERT_LE(lcp_error(other, q, lied.z), 1e-10);
  }
}

TEST(LcpLemkeWarm, ShortBlocksAreUsedAsFarAsTheyGo) {
  uniform random(26);
  const std::int32_t n = 3;
  const dense M = definite(random, n);
  const vec q = {-1, -1, -1};
  warm_block full(n, 4);
  const std::size_t need = full.warm.bytes;
  for (std::size_t bytes = 0; bytes <= need; bytes++) {
    std::vector<double> memory(need / 8 + 2, 0.0);
    std::vector<unsigned char> canary(memory.size() * 8, 0xA5);
    std::memcpy(memory.data(), canary.data(), canary.size());
    std::memset(memory.data(), 0, bytes);
    perp_warm warm = {memory.data(), bytes, 4, 0};
    const answer first = solve(M, q, &warm), second = solve(M, q, &warm);
    EXPECT_EQ(first.status, PERP_OK);
    EXPECT_EQ(second.status, PERP_OK);
    EXPECT_EQ(second.info.iterations == 0, bytes >= 16) << bytes;
    EXPECT_TRUE(same_bits(first.z, second.z));
    const auto *after = reinterpret_cast<unsigned char *>(memory.data());
    for (std::size_t i = bytes; i < canary.size(); i++) ASSERT_EQ(after[i], 0xA5);
  }
  perp_warm none = {nullptr, 1000, 4, 0};
  EXPECT_EQ(solve(M, q, &none).status, PERP_OK);
  perp_warm odd = {reinterpret_cast<unsigned char *>(full.bytes.data()) + 1, need - 1, 4, 0};
  EXPECT_EQ(solve(M, q, &odd).status, PERP_OK);
}

// ---- options ----

TEST(LcpLemke, MaxIterIsTheNumberOfPivotsAllowed) {
  const dense M = murty_lower(4);
  const vec q(4, -1.0);
  perp_lemke_options o = perp_lemke_options_default();
  for (std::int32_t limit = 1; limit <= 17; limit++) {
    o.max_iter = limit;
    const answer a = lemke(M, q, &o);
    EXPECT_EQ(a.status, limit < 16 ? PERP_MAX_ITER : PERP_OK) << limit;
    EXPECT_EQ(a.info.iterations, std::min(limit, 16));
    EXPECT_LT(std::fabs(a.w[0]), 998);  // the outputs hold a point on failure too
  }
  o.max_iter = 0;  // 1000 + 50 n: not enough for 2^12
  EXPECT_EQ(lemke(murty_lower(12), vec(12, -1.0), &o).status, PERP_MAX_ITER);
  EXPECT_EQ(lemke(murty_lower(12), vec(12, -1.0), &o).info.iterations, 1600);
}

struct log {
  std::vector<perp_iterate> seen;
  std::int32_t stop_at = -1;
};

std::int32_t observe(const perp_iterate *it, void *user) {
  log &l = *static_cast<log *>(user);
  l.seen.push_back(*it);
  return it->iteration == l.stop_at ? 1 : 0;
}

TEST(LcpLemke, TheObserverSeesEveryPivotAndMayStop) {
  const dense M = murty_lower(4);
  const vec q(4, -1.0);
  log l;
  perp_lemke_options o = perp_lemke_options_default();
  o.observe = observe;
  o.user = &l;
  EXPECT_EQ(lemke(M, q, &o).status, PERP_OK);
  ASSERT_EQ(l.seen.size(), 16u);
  EXPECT_EQ(l.seen.front().entering, 8);  // z0
  EXPECT_EQ(l.seen.front().merit, 1.0);
  EXPECT_EQ(l.seen.back().leaving, 8);
  EXPECT_EQ(l.seen.back().merit, 0.0);
  for (std::size_t i = 0; i < l.seen.size(); i++) {
    EXPECT_EQ(l.seen[i].iteration, static_cast<std::int32_t>(i));
    if (i > 0) {  // the complement of what left enters
      EXPECT_EQ(l.seen[i].entering, (l.seen[i - 1].leaving + 4) % 8);
    }
  }
  l.seen.clear();
  l.stop_at = 5;
  const answer a = lemke(M, q, &o);
  EXPECT_EQ(a.status, PERP_STOPPED);
  EXPECT_EQ(a.info.iterations, 6);
  EXPECT_EQ(l.seen.size(), 6u);
}

TEST(LcpLemke, ATightToleranceIsInaccurateRatherThanALie) {
  const dense M = from_rows(2, {2, 1, 1, 2});
  perp_lemke_options o = perp_lemke_options_default();
  o.tol = 0;
  const answer a = lemke(M, {-0.1, -0.7}, &o);
  EXPECT_EQ(a.status, a.info.residual == 0 ? PERP_OK : PERP_INACCURATE);
  uniform random(31);
  int inaccurate = 0;
  for (int trial = 0; trial < 200; trial++) {
    const answer b = lemke(definite(random, 6), random.vector(6), &o);
    EXPECT_EQ(b.status, b.info.residual == 0 ? PERP_OK : PERP_INACCURATE);
    inaccurate += b.status == PERP_INACCURATE;
  }
  EXPECT_GT(inaccurate, 0);
}

TEST(LcpLemke, OptionsAreChecked) {
  const dense M = from_rows(2, {2, 1, 1, 2});
  const vec q = {-5, -6};
  const auto refused = [&](perp_lemke_options o, const char *field) {
    const answer a = lemke(M, q, &o);
    EXPECT_EQ(a.z, vec(2, 999.0)) << field;
    return a.status == PERP_EINVAL && a.info.field != nullptr && std::string(a.info.field) == field;
  };
  perp_lemke_options o = perp_lemke_options_default();
  EXPECT_EQ(o.struct_size, sizeof o);
  EXPECT_EQ(o.tol, PERP_DEFAULT_TOL);
  for (double tol : {-1.0, -kInf, kNaN}) {
    o.tol = tol;
    EXPECT_TRUE(refused(o, "tol"));
  }
  o = perp_lemke_options_default();
  o.max_iter = -1;
  EXPECT_TRUE(refused(o, "max_iter"));
  o = perp_lemke_options_default();
  o.struct_size = 0;
  EXPECT_TRUE(refused(o, "struct_size"));
  perp_lemke_options_init(nullptr, sizeof o);
  perp_lemke_options_init(&o, 0);
  EXPECT_TRUE(refused(o, "struct_size"));
  o = perp_lemke_options_default();
  for (double d : {0.0, -1.0}) {
    const double covering[2] = {1, d};
    o.covering = covering;
    EXPECT_TRUE(refused(o, "covering"));
  }
  for (double d : {kNaN, kInf}) {
    const double covering[2] = {1, d};
    o.covering = covering;
    const answer a = lemke(M, q, &o);
    EXPECT_EQ(a.status, PERP_ENOTFINITE);
    EXPECT_STREQ(a.info.field, "covering");
    EXPECT_EQ(a.info.index, 1);
  }
  struct longer {
    perp_lemke_options o;
    double unknown;
  } next = {perp_lemke_options_default(), 0};
  next.o.struct_size = sizeof next;
  EXPECT_EQ(lemke(M, q, &next.o).status, PERP_OK);  // a newer caller who uses nothing new
  next.unknown = 1;
  EXPECT_EQ(lemke(M, q, &next.o).status, PERP_EINVAL);
  // The common fields alone, as a caller knows them who has only the descriptor.
  perp_solver_options common = {sizeof common, 0, 1e-10, nullptr, nullptr, 0};
  warm_block::with(M, q, [&](const perp_problem &p) {
    std::vector<unsigned char> work(perp_solver_workspace(perp_solver_lemke(), &p, &common));
    double z[2], w[2];
    EXPECT_EQ(perp_solver_solve(perp_solver_lemke(), &p, &common, z, w, nullptr, work.data(),
                                work.size(), nullptr),
              PERP_OK);
  });
}

// The two implementations of the path, on problems of every size of the descriptor's kernels.
TEST(LcpLemke, TheDescriptorTakesTheSamePivotsToTheSamePoint) {
  uniform random(77);
  for (int trial = 0; trial < 400; trial++) {
    const std::int32_t n = 1 + trial % 40;
    const dense M = definite(random, n);
    const vec q = random.vector(n);
    const perp_lcp problem = {n, M.ld, M.data(), q.data()};
    std::vector<unsigned char> work(perp_lcp_lemke_workspace(n));
    answer a[2];
    for (answer &x : a) {
      x.z = x.w = vec(at(n), 999.0);
      x.status = &x == a ? perp_lcp_lemke(&problem, nullptr, x.z.data(), x.w.data(), work.data(),
                                          work.size(), &x.info)
                         : perp_lcp_solve(perp_solver_lemke(), &problem, nullptr, x.z.data(),
                                          x.w.data(), work.data(), work.size(), &x.info);
      ASSERT_EQ(x.status, PERP_OK) << trial;
      ASSERT_LE(lcp_error(M, q, x.z), 1e-12) << trial;
    }
    ASSERT_EQ(a[0].info.iterations, a[1].info.iterations) << trial;
    for (std::size_t i = 0; i < at(n); i++) ASSERT_NEAR(a[0].z[i], a[1].z[i], 1e-9) << trial;
  }
}

// ---- memory and arguments ----

TEST(LcpLemke, TheMacroBoundsTheWorkspaceForEveryN) {
  for (std::int32_t n = 0; n < 3000; n++) {
    ASSERT_GT(perp_lcp_lemke_workspace(n), 0u);
    ASSERT_LE(perp_lcp_lemke_workspace(n), PERP_LCP_LEMKE_WORKSPACE(n)) << n;
  }
  EXPECT_EQ(perp_lcp_lemke_workspace(-1), 0u);
  EXPECT_EQ(perp_lcp_lemke_workspace(INT32_MIN), 0u);
  EXPECT_EQ(perp_lcp_lemke_workspace(INT32_MAX), 0u);
}

TEST(LcpLemke, StaysInItsBlockAtEveryAlignment) {
  uniform random(41);
  for (std::int32_t n : {1, 2, 3, 5, 8}) {
    const dense M = definite(random, n);
    const vec q(at(n), -1.0);
    const perp_lcp problem = {n, M.ld, M.data(), q.data()};
    const std::size_t need = perp_lcp_lemke_workspace(n);
    std::vector<unsigned char> block(need + 256);
    vec first;
    for (std::size_t shift = 0; shift < 64; shift++) {
      std::memset(block.data(), 0xA5, block.size());
      vec z(at(n), 999.0), w(at(n), 999.0);
      ASSERT_EQ(plain_lemke(&problem, nullptr, z.data(), w.data(), block.data() + 64 + shift, need,
                            nullptr),
                PERP_OK);
      for (std::size_t i = 0; i < block.size(); i++) {
        const bool outside = i < 64 + shift || i >= 64 + shift + need;
        ASSERT_TRUE(!outside || block[i] == 0xA5);
      }
      if (first.empty()) first = z;
      ASSERT_TRUE(same_bits(first, z));
      perp_info info = PERP_INFO_INIT;
      z.assign(at(n), 999.0);
      EXPECT_EQ(plain_lemke(&problem, nullptr, z.data(), w.data(), block.data() + 64 + shift,
                            need - 1, &info),
                PERP_EWORKSPACE);
      EXPECT_STREQ(info.field, "work_bytes");
      EXPECT_EQ(z[0], 999.0);
    }
  }
}

TEST(LcpLemke, NotANumberInAnyEntryIsNamed) {
  const std::int32_t n = 3;
  uniform random(42);
  for (double bad : {kNaN, kInf, -kInf}) {
    for (std::int32_t i = 0; i < n; i++) {
      dense M = random.definite(n, 2);
      vec q(at(n), -1.0);
      q[at(i)] = bad;
      const answer a = lemke(M, q);
      EXPECT_EQ(a.status, PERP_ENOTFINITE);
      EXPECT_STREQ(a.info.field, "q");
      EXPECT_EQ(a.info.index, i);
      for (std::int32_t j = 0; j < n; j++) {
        dense B = M;
        B(i, j) = bad;
        const answer b = lemke(B, vec(at(n), j == 0 ? 1.0 : -1.0));
        EXPECT_EQ(b.status, PERP_ENOTFINITE);
        EXPECT_STREQ(b.info.field, "M");
        EXPECT_EQ(b.info.index, i + B.ld * j);
        const answer c = solve(B, vec(at(n), j == 0 ? 1.0 : -1.0), nullptr);
        EXPECT_EQ(c.status, PERP_ENOTFINITE);
        EXPECT_STREQ(c.info.field, "M");
      }
      const answer d = solve(M, q, nullptr);
      EXPECT_EQ(d.status, PERP_ENOTFINITE);
      EXPECT_STREQ(d.info.field, "q");
    }
  }
}

TEST(LcpLemke, HugeAndTinyNumbersEndHonestly) {
  for (double a : {1e-320, 1e-300, 1e-160, 1e160, 1e300, 1.7e308}) {
    for (double b : {1e-320, 1e-160, 1.0, 1e160, 1.7e308}) {
      const answer x = lemke(from_rows(2, {a, 0, a / 2, b}), {-b, -a});
      EXPECT_GE(x.status, 0) << a << " " << b;
      if (x.status == PERP_OK) {
        EXPECT_LE(x.info.relative_residual, 1e-10);
      }
    }
  }
}

// In units of 1e155 and z_0 in units of 1e310, that is w = (-1, -1/2) + (1, 4; -1, 1) z: on the way
// to z = (0, 1/2) z_0 is basic.
TEST(LcpLemke, FindsSolutionsBehindAPointThatLeavesTheRangeOfDoubles) {
  const answer a = lemke(from_rows(2, {1e-155, 4, -1e-155, 1}), {-1e155, -5e154});
  EXPECT_EQ(a.status, PERP_OK);
  EXPECT_EQ(a.z[0], 0);
  EXPECT_NEAR(a.z[1], 5e154, 1e140);
}

TEST(LcpLemke, EndsWhereARatioIsInfinite) {
  const answer a = lemke(from_rows(2, {0, -3, 1e-150, 2}), {1, -1e300});
  EXPECT_GT(a.status, 0); /* w >= 0 asks for z_0 = 1e450 */
}

TEST(LcpLemke, EndsWhereTheCoveringVectorVanishesBesideM) {
  const vec values = {1e300, 1e300}, q = {-1, -1}, covering = {1e-300, 1e-300};
  perp_lemke_options o = perp_lemke_options_default();
  o.covering = covering.data();
  warm_block::with(dense(2, 2), q, [&](perp_problem p) {
    p.M = perp_diagonal(2, values.data());
    vec z(2, 999), w(2, 999);
    std::vector<unsigned char> work(perp_solver_workspace(perp_solver_lemke(), &p, &o), 0x5A);
    EXPECT_GE(perp_solver_solve(perp_solver_lemke(), &p, &o, z.data(), w.data(), nullptr,
                                work.data(), work.size(), nullptr),
              0);
  });
}

TEST(LcpLemke, RefusesMissingAndWrongArguments) {
  const dense M = from_rows(2, {2, 1, 1, 2});
  const vec q = {-5, -6};
  std::vector<unsigned char> work(perp_lcp_lemke_workspace(2));
  double z[4] = {999, 999, 999, 999}, w[2];
  perp_info info = PERP_INFO_INIT;
  const auto call = [&](perp_lcp p, double *zz, double *ww, void *m, std::size_t bytes) {
    return plain_lemke(&p, nullptr, zz, ww, m, bytes, &info);
  };
  const auto named = [&](const char *field) { return std::string(info.field) == field; };
  const perp_lcp good = {2, 2, M.data(), q.data()};
  EXPECT_EQ(plain_lemke(nullptr, nullptr, z, w, work.data(), work.size(), &info), PERP_EINVAL);
  EXPECT_TRUE(named("problem"));
  EXPECT_EQ(call({-1, 2, M.data(), q.data()}, z, w, work.data(), work.size()), PERP_EINVAL);
  EXPECT_TRUE(named("n"));
  EXPECT_EQ(call({2, 1, M.data(), q.data()}, z, w, work.data(), work.size()), PERP_EINVAL);
  EXPECT_TRUE(named("ld"));
  EXPECT_EQ(call({2, 2, nullptr, q.data()}, z, w, work.data(), work.size()), PERP_EINVAL);
  EXPECT_TRUE(named("M"));
  EXPECT_EQ(call({2, 2, M.data(), nullptr}, z, w, work.data(), work.size()), PERP_EINVAL);
  EXPECT_TRUE(named("q"));
  EXPECT_EQ(call(good, nullptr, w, work.data(), work.size()), PERP_EINVAL);
  EXPECT_TRUE(named("z"));
  EXPECT_EQ(call(good, z, nullptr, work.data(), work.size()), PERP_EINVAL);
  EXPECT_TRUE(named("w"));
  EXPECT_EQ(call(good, z, z + 1, work.data(), work.size()), PERP_EINVAL);  // they overlap
  EXPECT_EQ(call(good, z, w, nullptr, work.size()), PERP_EINVAL);
  EXPECT_TRUE(named("work"));
  EXPECT_EQ(call(good, z, w, work.data(), 0), PERP_EWORKSPACE);
  EXPECT_EQ(z[0], 999);
  EXPECT_EQ(call(good, z, w, work.data(), work.size()), PERP_OK);
  EXPECT_EQ(info.field, nullptr);
  EXPECT_EQ(plain_lemke(&good, nullptr, z, w, work.data(), work.size(), nullptr), PERP_OK);
}

TEST(LcpLemke, NoUnknownsAreSolved) {
  const perp_lcp empty = {0, 0, nullptr, nullptr};
  unsigned char work[64];
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(plain_lemke(&empty, nullptr, nullptr, nullptr, work, sizeof work, &info), PERP_OK);
  EXPECT_EQ(info.worst, -1);
}

TEST(LcpLemke, TakesComplementarityOnly) {
  const dense M = from_rows(1, {1});
  const vec q = {-1};
  perp_equality law;
  perp_equality_init(&law, sizeof law);
  const perp_law *laws[1] = {&law.law};
  const perp_problem p = perp_problem_of(perp_dense(1, 1, M.data()), q.data(), 1, laws, nullptr);
  EXPECT_EQ(perp_solver_workspace(perp_solver_lemke(), &p, nullptr), 0u);
  double z, w, work[64];
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(perp_solver_solve(perp_solver_lemke(), &p, nullptr, &z, &w, nullptr, work, sizeof work,
                              &info),
            PERP_EUNSUPPORTED);
  EXPECT_STREQ(info.field, "laws");
  EXPECT_EQ(info.index, 0);
}

// ---- files of the community ----

class tokens {
 public:
  explicit tokens(const std::filesystem::path &path) : in_(path) {}
  double next() {
    std::string word;
    in_ >> word;
    return std::strtod(word.c_str(), nullptr);
  }
  std::int32_t integer() { return static_cast<std::int32_t>(next()); }

 private:
  std::ifstream in_;
};

// n, a dense or block matrix, q.
void read_lcp(const std::filesystem::path &path, dense *M, vec *q) {
  tokens t(path);
  const std::int32_t n = t.integer(), storage = t.integer();
  *M = dense(n, n);
  t.integer();
  t.integer();
  if (storage == 0) {
    t.integer();
    t.integer();
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++) (*M)(i, j) = t.next();
  } else {
    ASSERT_EQ(storage, 1) << path;
    const std::int32_t blocks = t.integer(), rows = t.integer(), cols = t.integer();
    tools::ints row_cut = {0}, col_cut = {0}, start, index;
    for (std::int32_t i = 0; i < rows; i++) row_cut.push_back(t.integer());
    for (std::int32_t i = 0; i < cols; i++) col_cut.push_back(t.integer());
    t.integer();
    t.integer();
    for (std::int32_t i = 0; i <= rows; i++) start.push_back(t.integer());
    for (std::int32_t i = 0; i < blocks; i++) index.push_back(t.integer());
    for (std::int32_t r = 0; r < rows; r++)
      for (std::int32_t b = start[at(r)]; b < start[at(r + 1)]; b++) {
        t.integer();
        const std::int32_t c = index[at(b)];
        for (std::int32_t j = col_cut[at(c)]; j < col_cut[at(c + 1)]; j++)
          for (std::int32_t i = row_cut[at(r)]; i < row_cut[at(r + 1)]; i++) (*M)(i, j) = t.next();
      }
  }
  for (std::int32_t i = 0; i < n; i++) q->push_back(t.next());
}

TEST(LcpLemke, SolvesTheProblemsOfTheCommunity) {
  const char *env = std::getenv("PERP_DATA");
  const std::filesystem::path data =
      env != nullptr ? env : std::filesystem::path(PERP_SOURCE_DIR) / "../shared/data";
  const std::filesystem::path folder = data / "problems" / "lcp";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no problems in " << folder << "; set PERP_DATA to the folder that has them";
  int count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".dat") continue;
    dense M(0, 0);
    vec q;
    read_lcp(entry.path(), &M, &q);
    count++;
    answer a = lemke(M, q);
    if (entry.path().stem() == "lcp_CPS_3") {  // a bimatrix game: a ray for every covering vector,
      EXPECT_EQ(a.status, PERP_RAY);           // so it needs another start
      warm_block block(M.rows);
      const modes start = {PERP_MODE_FREE, PERP_MODE_LOWER, PERP_MODE_FREE, PERP_MODE_LOWER};
      ASSERT_EQ(perp_warm_set_modes(&block.warm, M.rows, start.data()), PERP_OK);
      a = solve(M, q, &block.warm);
    }
    EXPECT_EQ(a.status, PERP_OK) << entry.path();
    EXPECT_LE(lcp_error(M, q, a.z), 1e-13) << entry.path();
  }
  EXPECT_GT(count, 0);
}

}  // namespace
