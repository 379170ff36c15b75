// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

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

constexpr std::int32_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 31, 33, 64, 97};

// The upper triangle holds 999 before and must afterwards.
dense lower_of(const dense &A) {
  dense L = A;
  for (std::int32_t j = 0; j < A.cols; j++)
    for (std::int32_t i = 0; i < j; i++) L(i, j) = 999;
  return L;
}

bool upper_untouched(const dense &L) {
  for (std::int32_t j = 0; j < L.cols; j++)
    for (std::int32_t i = 0; i < j; i++)
      if (L(i, j) != 999) return false;
  return L.gaps_untouched();
}

double entry_of_product(const dense &L, std::int32_t i, std::int32_t j) {
  long double sum = 0;
  for (std::int32_t k = 0; k <= std::min(i, j); k++)
    sum += static_cast<long double>(L(i, k)) * L(j, k);
  return static_cast<double>(sum);
}

// Largest |A + s x x^T - L L^T| over the largest |A|.
double factor_error(const dense &A, const dense &L, double s = 0, const double *x = nullptr) {
  double worst = 0, scale = 0;
  for (std::int32_t j = 0; j < A.cols; j++)
    for (std::int32_t i = j; i < A.rows; i++) {
      const double target = A(i, j) + (x != nullptr ? s * x[i] * x[j] : 0.0);
      const double e = std::fabs(target - entry_of_product(L, i, j));
      if (!(e <= worst)) worst = e;
      scale = std::max(scale, std::fabs(A(i, j)));
    }
  return worst / scale;
}

dense factor(const dense &A) {
  dense L = lower_of(A);
  EXPECT_EQ(perp_dense_cholesky(L.rows, L.data(), L.ld), PERP_OK);
  return L;
}

perp_status status_of(const dense &A) {
  dense L = lower_of(A);
  return perp_dense_cholesky(L.rows, L.data(), L.ld);
}

TEST(DenseCholesky, ProductOfTheFactorIsTheMatrix) {
  uniform random(21);
  for (std::int32_t n : kSizes) {
    const dense A = random.definite(n, n % 3);
    const dense L = factor(A);
    EXPECT_LE(factor_error(A, L), 4 * n * tools::kEps) << n;
    EXPECT_TRUE(upper_untouched(L));
    for (std::int32_t k = 0; k < n; k++) EXPECT_GT(L(k, k), 0.0);
  }
}

TEST(DenseCholesky, HasTheBitsOfTheTextbookLoops) {
  uniform random(22);
  for (std::int32_t n : kSizes) {
    const dense A = random.definite(n);
    dense T = lower_of(A);
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = j; i < n; i++) {
        for (std::int32_t k = 0; k < j; k++) {
          const volatile double product = T(i, k) * T(j, k);
          T(i, j) -= product;
        }
        T(i, j) = i == j ? std::sqrt(T(j, j)) : T(i, j) / T(j, j);
      }
    EXPECT_TRUE(same_bits(factor(A).a, T.a)) << n;
  }
}

TEST(DenseCholesky, SolvesWithASmallBackwardError) {
  uniform random(23);
  for (std::int32_t n : kSizes) {
    const dense A = random.definite(n, 1);
    const dense L = factor(A);
    auto x = random.vector(n + 1);
    x.back() = 999;
    const auto b = x;
    perp_dense_cholesky_solve(n, L.data(), L.ld, x.data());
    EXPECT_LE(tools::backward_error(A, x.data(), b.data()), 4 * n * tools::kEps) << n;
    EXPECT_EQ(x.back(), 999.0);
  }
}

TEST(DenseCholesky, HilbertMatricesKeepASmallResidual) {
  for (std::int32_t n = 2; n <= 12; n++) {
    const dense H = tools::hilbert(n), L = factor(H);
    EXPECT_LE(factor_error(H, L), 4 * n * tools::kEps) << n;
    std::vector<double> x(static_cast<std::size_t>(n), 1.0);
    const auto b = x;
    perp_dense_cholesky_solve(n, L.data(), n, x.data());
    EXPECT_LE(tools::backward_error(H, x.data(), b.data()), 4 * n * tools::kEps) << n;
  }
}

TEST(DenseCholesky, NotPositiveDefiniteIsInvalid) {
  for (std::int32_t n : {1, 2, 3, 9})
    for (std::int32_t k = 0; k < n; k++)
      for (double d : {0.0, -0.0, -1.0}) {
        dense A(n, n);
        for (std::int32_t i = 0; i < n; i++) A(i, i) = i == k ? d : 3;
        EXPECT_EQ(status_of(A), PERP_EINVAL) << n << " " << k << " " << d;
      }
  dense A(2, 2);  // semidefinite
  A(0, 0) = A(0, 1) = A(1, 0) = A(1, 1) = 4;
  EXPECT_EQ(status_of(A), PERP_EINVAL);
}

TEST(DenseCholesky, NaNAndInfinityAnywhereAreInvalid) {
  uniform random(24);
  for (std::int32_t n : {1, 2, 3, 6, 21})
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = j; i < n; i++)
        for (double bad : {kNaN, kInf, -kInf}) {
          dense A = random.definite(n);
          A(i, j) = bad;
          ASSERT_EQ(status_of(A), PERP_EINVAL) << n << ": " << i << ", " << j << " " << bad;
        }
}

TEST(DenseCholesky, NoUnknownsAreSolvedAtOnce) {
  EXPECT_EQ(perp_dense_cholesky(0, nullptr, 0), PERP_OK);
  perp_dense_cholesky_solve(0, nullptr, 0, nullptr);
}

}  // namespace
