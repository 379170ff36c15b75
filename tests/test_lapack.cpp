// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>

#include "dense_tools.hpp"
#include "perp/backend.h"
#include "perp/matrix.h"

namespace {

using tools::dense;
using tools::kInf;
using tools::kNaN;
using tools::uniform;

constexpr std::int32_t kSizes[] = {1, 2, 3, 8, 31, 32, 33, 64, 100};

const perp_backend &lapack() { return *perp_backend_lapack(); }

perp_status factor(dense *A, std::vector<std::int32_t> *pivots) {
  pivots->assign(static_cast<std::size_t>(A->rows) + 1, 999);
  return lapack().lu_factor(A->rows, A->data(), A->ld, pivots->data());
}

perp_status status_of(dense A) {
  std::vector<std::int32_t> pivots;
  return factor(&A, &pivots);
}

TEST(Lapack, TheTableIsCompleteAndAlwaysTheSame) {
  const perp_backend *b = perp_backend_lapack();
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b, perp_backend_lapack());
  EXPECT_EQ(b->struct_size, sizeof(perp_backend));
  EXPECT_EQ(b->reserved, 0u);
  EXPECT_STREQ(b->name, "lapack");
  EXPECT_TRUE(b->lu_factor != nullptr && b->lu_solve != nullptr && b->multiply_add != nullptr);
}

// An independent solution: Gauss-Jordan with complete exchange of rows in long double.
std::vector<double> solve_in_long_double(const dense &A, const double *b) {
  const auto n = static_cast<std::size_t>(A.rows);
  std::vector<std::vector<long double>> T(n, std::vector<long double>(n + 1));
  for (std::size_t i = 0; i < n; i++) {
    for (std::size_t j = 0; j < n; j++)
      T[i][j] = A(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
    T[i][n] = b[i];
  }
  for (std::size_t k = 0; k < n; k++) {
    std::size_t p = k;
    for (std::size_t i = k; i < n; i++)
      if (std::fabs(T[i][k]) > std::fabs(T[p][k])) p = i;
    std::swap(T[k], T[p]);
    for (std::size_t i = 0; i < n; i++) {
      if (i == k) continue;
      const long double f = T[i][k] / T[k][k];
      for (std::size_t j = k; j <= n; j++) T[i][j] -= f * T[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; i++) x[i] = static_cast<double>(T[i][n] / T[i][i]);
  return x;
}

TEST(Lapack, SolutionsAgreeWithLongDoubleElimination) {
  uniform random(51);
  for (std::int32_t n : kSizes) {
    dense A = random.matrix(n, n, 2), B = random.matrix(n, 3, 1);
    for (std::int32_t i = 0; i < n; i++)
      A(i, (i + 1) % n) += n;  // well conditioned, needs exchanges
    dense LU = A, X = B;
    std::vector<std::int32_t> pivots;
    ASSERT_EQ(factor(&LU, &pivots), PERP_OK);
    EXPECT_EQ(pivots.back(), 999);
    ASSERT_EQ(lapack().lu_solve(n, 3, LU.data(), LU.ld, pivots.data(), X.data(), X.ld), PERP_OK);
    for (std::int32_t j = 0; j < 3; j++) {
      const auto x = solve_in_long_double(A, &B(0, j));
      for (std::int32_t i = 0; i < n; i++)
        EXPECT_NEAR(X(i, j), x[static_cast<std::size_t>(i)], 1e-12) << n;
    }
    EXPECT_TRUE(LU.gaps_untouched() && X.gaps_untouched());
  }
}

TEST(Lapack, ProductsAgreeWithOurOwn) {
  uniform random(52);
  for (std::int32_t rows : kSizes)
    for (std::int32_t cols : {1, 4, 33, 70}) {
      const dense A = random.matrix(rows, cols, 3);
      const auto x = random.vector(cols), start = random.vector(rows + 1);
      auto y = start;
      lapack().multiply_add(rows, cols, A.data(), A.ld, x.data(), y.data());
      perp_matrix view = perp_dense(rows, cols, A.data());
      view.ld = A.ld;
      std::vector<double> own(static_cast<std::size_t>(rows));
      ASSERT_EQ(perp_matrix_multiply(&view, x.data(), own.data()), PERP_OK);
      for (std::size_t i = 0; i < own.size(); i++) EXPECT_NEAR(y[i], start[i] + own[i], 1e-12);
      EXPECT_EQ(y.back(), start.back());
    }
}

TEST(Lapack, SingularIsInvalid) {
  for (std::int32_t n : {1, 2, 40})
    for (std::int32_t k = 0; k < n; k++) {
      dense A(n, n);
      for (std::int32_t i = 0; i < n; i++) A(i, n - 1 - i) = i == k ? 0 : 2;
      EXPECT_EQ(status_of(A), PERP_EINVAL) << n << " " << k;
    }
}

TEST(Lapack, NaNAndInfinityAnywhereAreInvalid) {
  uniform random(53);
  for (std::int32_t n : {1, 2, 33})
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++)
        for (double bad : {kNaN, kInf, -kInf}) {
          dense A = random.matrix(n, n, 1);
          A(i, j) = bad;
          ASSERT_EQ(status_of(A), PERP_EINVAL) << n << ": " << i << ", " << j << " " << bad;
        }
  dense A(2, 2);
  A(0, 0) = A(0, 1) = A(1, 1) = std::numeric_limits<double>::max();
  A(1, 0) = -A(0, 0);
  EXPECT_EQ(status_of(A), PERP_EINVAL) << "overflow during elimination";
}

TEST(Lapack, NaNInARightHandSideReachesTheSolution) {
  dense A = uniform(54).matrix(4, 4);
  std::vector<std::int32_t> pivots;
  ASSERT_EQ(factor(&A, &pivots), PERP_OK);
  std::vector<double> b(4, kNaN);
  EXPECT_EQ(lapack().lu_solve(4, 1, A.data(), 4, pivots.data(), b.data(), 4), PERP_OK);
  for (double x : b) EXPECT_TRUE(std::isnan(x));
}

TEST(Lapack, WrongArgumentsAreInvalid) {
  double a[4] = {1, 0, 0, 1}, b[2] = {1, 1};
  std::int32_t p[2] = {1, 2};
  const auto lu_factor = lapack().lu_factor;
  EXPECT_EQ(lu_factor(-1, a, 2, p), PERP_EINVAL);
  EXPECT_EQ(lu_factor(2, a, 1, p), PERP_EINVAL);
  EXPECT_EQ(lu_factor(2, nullptr, 2, p), PERP_EINVAL);
  EXPECT_EQ(lu_factor(2, a, 2, nullptr), PERP_EINVAL);
  EXPECT_EQ(lu_factor(0, nullptr, 0, nullptr), PERP_OK);
  const auto lu_solve = lapack().lu_solve;
  EXPECT_EQ(lu_solve(-1, 1, a, 2, p, b, 2), PERP_EINVAL);
  EXPECT_EQ(lu_solve(2, -1, a, 2, p, b, 2), PERP_EINVAL);
  EXPECT_EQ(lu_solve(2, 1, a, 1, p, b, 2), PERP_EINVAL);
  EXPECT_EQ(lu_solve(2, 1, a, 2, p, b, 1), PERP_EINVAL);
  EXPECT_EQ(lu_solve(2, 1, nullptr, 2, p, b, 2), PERP_EINVAL);
  EXPECT_EQ(lu_solve(2, 1, a, 2, nullptr, b, 2), PERP_EINVAL);
  EXPECT_EQ(lu_solve(2, 1, a, 2, p, nullptr, 2), PERP_EINVAL);
  EXPECT_EQ(lu_solve(0, 1, nullptr, 0, nullptr, nullptr, 0), PERP_OK);
  EXPECT_EQ(lu_solve(2, 0, a, 2, p, nullptr, 2), PERP_OK);
  const auto multiply_add = lapack().multiply_add;
  multiply_add(-1, 2, a, 2, b, b);
  multiply_add(2, -1, a, 2, b, b);
  multiply_add(0, 2, a, 0, b, b);
  multiply_add(2, 2, a, 1, b, b);
  multiply_add(2, 2, nullptr, 2, b, b);
  multiply_add(2, 2, a, 2, nullptr, b);
  multiply_add(2, 2, a, 2, b, nullptr);
  EXPECT_EQ(b[0] + b[1], 2.0);
}

}  // namespace
