// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "dense_tools.hpp"

extern "C" {
#include "linalg/dense.h"
}

namespace {

using tools::dense;
using tools::kInf;
using tools::kNaN;
using tools::same_bits;
using tools::uniform;

constexpr std::int32_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 36, 63, 64, 65, 97, 130};

// The algorithm as a first course writes it: no panels, three loops.
std::vector<std::int32_t> textbook_lu(dense &A) {
  const std::int32_t n = A.rows;
  std::vector<std::int32_t> pivots(static_cast<std::size_t>(n));
  for (std::int32_t k = 0; k < n; k++) {
    std::int32_t p = k;
    for (std::int32_t i = k + 1; i < n; i++)
      if (std::fabs(A(i, k)) > std::fabs(A(p, k))) p = i;
    pivots[static_cast<std::size_t>(k)] = p;
    for (std::int32_t j = 0; j < n; j++) std::swap(A(k, j), A(p, j));
    for (std::int32_t i = k + 1; i < n; i++) A(i, k) /= A(k, k);
    for (std::int32_t j = k + 1; j < n; j++)
      for (std::int32_t i = k + 1; i < n; i++) {
        const volatile double product = A(i, k) * A(k, j);
        A(i, j) -= product;
      }
  }
  return pivots;
}

struct factored {
  perp_status status;
  dense LU;
  std::vector<std::int32_t> pivots;
};

factored factor(const dense &A) {
  factored f = {999, A, std::vector<std::int32_t>(static_cast<std::size_t>(A.rows) + 1, 999)};
  f.status = perp_dense_lu_factor(A.rows, f.LU.data(), f.LU.ld, f.pivots.data());
  return f;
}

// Largest entry of |P A - L U| over the largest of |A|, sums in long double.
double factor_error(const dense &A, const factored &f) {
  const std::int32_t n = A.rows;
  dense P = A;
  for (std::int32_t k = 0; k < n; k++)
    for (std::int32_t j = 0; j < n; j++)
      std::swap(P(k, j), P(f.pivots[static_cast<std::size_t>(k)], j));
  double worst = 0, scale = 0;
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++) {
      long double sum = P(i, j);
      for (std::int32_t k = 0; k <= std::min(i, j); k++)
        sum -= (k == i ? 1.0L : static_cast<long double>(f.LU(i, k))) * f.LU(k, j);
      const auto e = static_cast<double>(std::fabs(sum));
      if (!(e <= worst)) worst = e;
      scale = std::max(scale, std::fabs(A(i, j)));
    }
  return worst / scale;
}

TEST(DenseLu, ProductOfTheFactorsIsThePermutedMatrix) {
  uniform random(11);
  for (std::int32_t n : kSizes) {
    const dense A = random.matrix(n, n, n % 4);
    const factored f = factor(A);
    ASSERT_EQ(f.status, PERP_OK) << n;
    EXPECT_LE(factor_error(A, f), 4 * n * tools::kEps) << n;
    EXPECT_TRUE(f.LU.gaps_untouched());
    EXPECT_EQ(f.pivots.back(), 999);
    for (std::int32_t k = 0; k < n; k++) {
      EXPECT_GE(f.pivots[static_cast<std::size_t>(k)], k);
      EXPECT_LT(f.pivots[static_cast<std::size_t>(k)], n);
      for (std::int32_t i = k + 1; i < n; i++) ASSERT_LE(std::fabs(f.LU(i, k)), 1.0);
    }
  }
}

TEST(DenseLu, HasTheBitsOfTheTextbookLoops) {
  uniform random(12);
  for (std::int32_t n : kSizes) {
    dense A = random.matrix(n, n, 1);
    factored f = factor(A);
    f.pivots.pop_back();
    EXPECT_EQ(f.pivots, textbook_lu(A)) << n;
    EXPECT_TRUE(same_bits(f.LU.a, A.a)) << n;
  }
}

TEST(DenseLu, SolvesWithASmallBackwardError) {
  uniform random(13);
  for (std::int32_t n : kSizes)
    for (std::int32_t m : {1, 2, 3, 5, 33, 40}) {
      const dense A = random.matrix(n, n, 2), B = random.matrix(n, m, 3);
      const factored f = factor(A);
      dense X = B;
      perp_dense_lu_solve(n, m, f.LU.data(), f.LU.ld, f.pivots.data(), X.data(), X.ld);
      for (std::int32_t j = 0; j < m; j++)
        EXPECT_LE(tools::backward_error(A, &X(0, j), &B(0, j)), 4 * n * tools::kEps) << n;
      EXPECT_TRUE(X.gaps_untouched());
    }
}

TEST(DenseLu, TheTransposedSolveHasASmallBackwardError) {
  uniform u(12);
  for (const std::int32_t n : kSizes) {
    const dense A = u.matrix(n, n, 3);
    dense LU = A;
    std::vector<std::int32_t> pivots(static_cast<std::size_t>(n));
    ASSERT_EQ(perp_dense_lu_factor(n, LU.data(), LU.ld, pivots.data()), PERP_OK);
    const std::vector<double> b = u.vector(n);
    std::vector<double> x = b;
    perp_dense_lu_solve_transposed(n, LU.data(), LU.ld, pivots.data(), x.data());
    for (std::int32_t j = 0; j < n; j++) {
      long double rest = -b[static_cast<std::size_t>(j)], size = std::fabs(rest);
      for (std::int32_t i = 0; i < n; i++) {
        const long double term = static_cast<long double>(A(i, j)) * x[static_cast<std::size_t>(i)];
        rest += term;
        size += std::fabs(term);
      }
      EXPECT_LE(std::fabs(rest), 100 * n * tools::kEps * size) << n;
    }
  }
}

TEST(DenseLu, EachRightHandSideIsSolvedAsIfAlone) {
  uniform random(14);
  for (std::int32_t n : {3, 8, 37, 70}) {
    const factored f = factor(random.matrix(n, n));
    dense X = random.matrix(n, 35);
    dense alone = X;
    perp_dense_lu_solve(n, 35, f.LU.data(), f.LU.ld, f.pivots.data(), X.data(), X.ld);
    for (std::int32_t j = 0; j < 35; j++)
      perp_dense_lu_solve(n, 1, f.LU.data(), f.LU.ld, f.pivots.data(), &alone(0, j), n);
    EXPECT_TRUE(same_bits(X.a, alone.a)) << n;
  }
}

// A small matrix, and the same above an identity that makes it a large one.
TEST(DenseLu, SmallAndLargeAreSolvedInOneOrder) {
  uniform random(15);
  for (std::int32_t n = 1; n <= 9; n++) {
    const dense A = random.matrix(n, n);
    dense wide(n + 20, n + 20), b = random.matrix(n, 1), c(n + 20, 1);
    for (std::int32_t j = 0; j < n + 20; j++) wide(j, j) = 1;
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++) wide(i, j) = A(i, j);
    for (std::int32_t i = 0; i < n; i++) c(i, 0) = b(i, 0);
    const factored f = factor(A), g = factor(wide);
    perp_dense_lu_solve(n, 1, f.LU.data(), f.LU.ld, f.pivots.data(), b.data(), b.ld);
    perp_dense_lu_solve(n + 20, 1, g.LU.data(), g.LU.ld, g.pivots.data(), c.data(), c.ld);
    for (std::int32_t i = 0; i < n; i++) EXPECT_EQ(b(i, 0), c(i, 0)) << n;
  }
}

TEST(DenseLu, HilbertMatricesKeepASmallResidual) {
  for (std::int32_t n = 2; n <= 12; n++) {  // condition up to 1e16
    const dense H = tools::hilbert(n);
    const factored f = factor(H);
    ASSERT_EQ(f.status, PERP_OK);
    EXPECT_LE(factor_error(H, f), 4 * n * tools::kEps);
    std::vector<double> x(static_cast<std::size_t>(n), 1.0);
    const auto b = x;
    perp_dense_lu_solve(n, 1, f.LU.data(), n, f.pivots.data(), x.data(), n);
    EXPECT_LE(tools::backward_error(H, x.data(), b.data()), 4 * n * tools::kEps) << n;
  }
}

TEST(DenseLu, SurvivesScalesAtTheEndsOfTheRange) {
  uniform random(15);
  for (double scale : {1e-320, 1e-300, 1e300}) {
    dense A = random.matrix(6, 6);
    for (std::int32_t j = 0; j < 6; j++)
      for (std::int32_t i = 0; i < 6; i++) A(i, j) *= scale;
    const factored f = factor(A);
    ASSERT_EQ(f.status, PERP_OK) << scale;
    EXPECT_LE(factor_error(A, f), 1e-2);  // subnormal entries have few digits
  }
}

TEST(DenseLu, SingularIsInvalid) {
  for (std::int32_t n : {1, 2, 5, 40}) {
    EXPECT_EQ(factor(dense(n, n)).status, PERP_EINVAL) << "zero";
    for (std::int32_t k = 0; k < n; k++) {
      dense A(n, n);  // a permutation without its k-th row
      for (std::int32_t i = 0; i < n; i++) A(i, n - 1 - i) = i == k ? 0 : 2;
      EXPECT_EQ(factor(A).status, PERP_EINVAL) << n << " " << k;
      A(k, n - 1 - k) = 2;
      EXPECT_EQ(factor(A).status, PERP_OK);
    }
  }
}

TEST(DenseLu, NaNAndInfinityAnywhereAreInvalid) {
  uniform random(16);
  for (std::int32_t n : {1, 2, 3, 6, 37})
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++)
        for (double bad : {kNaN, kInf, -kInf}) {
          dense A = random.matrix(n, n);
          A(i, j) = bad;
          ASSERT_EQ(factor(A).status, PERP_EINVAL) << n << ": " << i << ", " << j << " " << bad;
          dense I(n, n);  // nothing but the one entry couples the rows
          for (std::int32_t k = 0; k < n; k++) I(k, k) = 1;
          I(i, j) = bad;
          ASSERT_EQ(factor(I).status, PERP_EINVAL) << n << ": " << i << ", " << j << " " << bad;
        }
}

TEST(DenseLu, OverflowDuringEliminationIsInvalid) {
  const double big = std::numeric_limits<double>::max();
  dense A(2, 2);
  A(0, 0) = big;
  A(0, 1) = big;
  A(1, 0) = -big;
  A(1, 1) = big;
  EXPECT_EQ(factor(A).status, PERP_EINVAL);
}

TEST(DenseLu, NoUnknownsAreSolvedAtOnce) {
  EXPECT_EQ(perp_dense_lu_factor(0, nullptr, 0, nullptr), PERP_OK);
  perp_dense_lu_solve(0, 3, nullptr, 0, nullptr, nullptr, 0);
  double a = 2, b = 7;
  std::int32_t pivot = 999;
  ASSERT_EQ(perp_dense_lu_factor(1, &a, 1, &pivot), PERP_OK);
  perp_dense_lu_solve(1, 0, &a, 1, &pivot, nullptr, 1);
  perp_dense_lu_solve(1, 1, &a, 1, &pivot, &b, 1);
  EXPECT_EQ(b, 3.5);
}

TEST(DenseLu, NaNInARightHandSideStaysInItsColumn) {
  uniform random(17);
  const factored f = factor(random.matrix(6, 6));
  dense B = random.matrix(6, 3);
  B(2, 1) = kNaN;
  perp_dense_lu_solve(6, 3, f.LU.data(), 6, f.pivots.data(), B.data(), 6);
  for (std::int32_t i = 0; i < 6; i++) {
    EXPECT_TRUE(std::isfinite(B(i, 0)) && std::isfinite(B(i, 2)));
  }
  EXPECT_TRUE(std::isnan(B(0, 1)));
}

}  // namespace
