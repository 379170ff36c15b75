// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "dense_tools.hpp"

extern "C" {
#include "linalg/dense.h"
}

namespace {

using tools::dense;
using tools::same_bits;
using tools::uniform;

// Lane k sums the products of the indices k mod 4, one after the other.
double dot_by_lanes(const std::vector<double> &x, const std::vector<double> &y) {
  double lane[4];
  for (std::size_t k = 0; k < 4; k++) {
    lane[k] = 0;
    for (std::size_t i = k; i < x.size(); i += 4) {
      const volatile double product = x[i] * y[i];
      lane[k] = lane[k] + product;
    }
  }
  const volatile double even = lane[0] + lane[2], odd = lane[1] + lane[3];
  return even + odd;
}

TEST(DenseDot, HasTheBitsOfFourLanes) {
  uniform random(1);
  for (std::int32_t n = 0; n < 70; n++)
    for (int repeat = 0; repeat < 20; repeat++) {
      const auto x = random.vector(n), y = random.vector(n);
      EXPECT_TRUE(same_bits(perp_dense_dot(n, x.data(), y.data()), dot_by_lanes(x, y))) << n;
    }
}

TEST(DenseDot, TheOrderMattersInThisTest) {  // else the law above would say nothing
  uniform random(1);
  const auto x = random.vector(64), y = random.vector(64);
  double plain = 0;
  for (std::size_t i = 0; i < 64; i++) plain += x[i] * y[i];
  EXPECT_NE(plain, dot_by_lanes(x, y));
}

TEST(DenseDot, CarriesNaNAndInfinityFromEveryPlace) {
  for (std::int32_t n = 1; n < 12; n++)
    for (std::int32_t k = 0; k < n; k++) {
      std::vector<double> x(static_cast<std::size_t>(n), 1.0), y = x;
      x[static_cast<std::size_t>(k)] = tools::kNaN;
      EXPECT_TRUE(std::isnan(perp_dense_dot(n, x.data(), y.data())));
      EXPECT_TRUE(std::isnan(perp_dense_dot(n, y.data(), x.data())));
      x[static_cast<std::size_t>(k)] = tools::kInf;
      EXPECT_EQ(perp_dense_dot(n, x.data(), y.data()), tools::kInf);
    }
}

TEST(Dense, NothingHappensForNoEntries) {
  EXPECT_EQ(perp_dense_dot(0, nullptr, nullptr), 0.0);
  EXPECT_EQ(perp_dense_dot(-3, nullptr, nullptr), 0.0);
  perp_dense_axpy(0, 1.0, nullptr, nullptr);
  perp_dense_axpy(-3, 1.0, nullptr, nullptr);
  double one = 1, y = 7;
  perp_dense_multiply_add(0, 3, &one, 1, &one, &y);
  perp_dense_multiply_add(-1, 3, &one, 1, &one, &y);
  perp_dense_multiply_add(1, 0, &one, 1, &one, &y);
  perp_dense_multiply_add(1, -5, &one, 1, &one, &y);
  EXPECT_EQ(y, 7.0);
}

TEST(DenseAxpy, AddsEntryByEntry) {
  uniform random(2);
  for (std::int32_t n = 1; n < 20; n++) {
    const auto x = random.vector(n);
    auto y = random.vector(n + 1), expected = y;
    const double a = random();
    for (std::size_t i = 0; i < x.size(); i++) {
      const volatile double product = a * x[i];
      expected[i] = expected[i] + product;
    }
    perp_dense_axpy(n, a, x.data(), y.data());
    EXPECT_TRUE(same_bits(y, expected)) << n;
  }
}

TEST(DenseMultiplyAdd, TakesTheColumnsInTheirOrder) {
  uniform random(3);
  for (std::int32_t rows = 1; rows < 12; rows++)
    for (std::int32_t cols = 0; cols < 12; cols++) {
      const dense A = random.matrix(rows, cols, rows % 3);
      const auto x = random.vector(cols);
      auto y = random.vector(rows + 1), expected = y;
      for (std::int32_t i = 0; i < rows; i++)
        for (std::int32_t j = 0; j < cols; j++) {
          const volatile double product = A(i, j) * x[static_cast<std::size_t>(j)];
          expected[static_cast<std::size_t>(i)] += product;
        }
      perp_dense_multiply_add(rows, cols, A.data(), A.ld, x.data(), y.data());
      EXPECT_TRUE(same_bits(y, expected)) << rows << " x " << cols;
    }
}

TEST(DenseMultiplyAdd, SeesNaNThatMeetsZero) {
  for (std::int32_t k = 0; k < 6; k++) {
    dense A(2, 6);
    A(1, k) = tools::kNaN;
    const std::vector<double> x(6, 0.0);
    double y[2] = {1, 1};
    perp_dense_multiply_add(2, 6, A.data(), A.ld, x.data(), y);
    EXPECT_EQ(y[0], 1.0);
    EXPECT_TRUE(std::isnan(y[1]));
  }
}

TEST(DenseSubtractProduct, SubtractsInTheOrderOfTheProducts) {
  uniform random(5);
  for (std::int32_t m = 0; m < 6; m++)
    for (std::int32_t n = 0; n < 5; n++)
      for (std::int32_t p = 0; p < 10; p++)
        for (bool transposed : {false, true}) {
          const dense A = random.matrix(m, p, 1);
          const dense B = transposed ? random.matrix(n, p, 2) : random.matrix(p, n, 2);
          dense C = random.matrix(m, n, 3), expected = C;
          for (std::int32_t i = 0; i < m; i++)
            for (std::int32_t j = 0; j < n; j++)
              for (std::int32_t k = 0; k < p; k++) {
                const volatile double product = A(i, k) * (transposed ? B(j, k) : B(k, j));
                expected(i, j) -= product;
              }
          const auto ld = static_cast<std::size_t>(B.ld);
          perp_dense_subtract_product(
              static_cast<std::size_t>(m), static_cast<std::size_t>(n), static_cast<std::size_t>(p),
              A.data(), static_cast<std::size_t>(A.ld), B.data(), transposed ? ld : 1,
              transposed ? 1 : ld, C.data(), static_cast<std::size_t>(C.ld));
          EXPECT_TRUE(same_bits(C.a, expected.a)) << m << " " << n << " " << p << " " << transposed;
        }
}

}  // namespace
