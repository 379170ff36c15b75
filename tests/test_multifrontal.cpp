// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "perp/sparse.h"
#include "problem_tools.hpp"

namespace {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::kNaN;
using tools::uniform;
using tools::vec;

const perp_sparse &fronts() { return *perp_sparse_multifrontal(); }

// A factor that ends with its scope.
struct handle {
  void *factor = nullptr;
  handle() = default;
  handle(const handle &) = delete;
  handle &operator=(const handle &) = delete;
  ~handle() { fronts().release(factor); }
  perp_status of(const perp_matrix &A) {
    return fronts().factor(A.rows, A.start, A.index, A.values, &factor);
  }
};

// Random, about a quarter of the entries, regular, not symmetric, with rows that need exchanges.
dense random_sparse(std::int32_t n, std::uint64_t seed) {
  uniform u(seed);
  dense A(n, n);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < n; i++)
      if (u() > 0.5) A(i, j) = u();
  for (std::int32_t i = 0; i < n; i++) A(i, (i + 1) % n) += 4;
  return A;
}

TEST(Multifrontal, TheTableIsCompleteAndAlwaysTheSame) {
  const perp_sparse *s = perp_sparse_multifrontal();
  EXPECT_EQ(s, perp_sparse_multifrontal());
  EXPECT_EQ(s->struct_size, sizeof(perp_sparse));
  EXPECT_STREQ(s->name, "multifrontal");
}

TEST(Multifrontal, SolvesToRounding) {
  uniform u(7);
  for (const std::int32_t n : {1, 2, 3, 10, 60}) {
    const dense A = random_sparse(n, 100 + static_cast<std::uint64_t>(n));
    const tools::stored M(A, PERP_BLOCKS);
    handle f;
    ASSERT_EQ(f.of(M.view), PERP_OK);
    for (int right = 0; right < 3; right++) {
      const vec b = u.vector(n);
      vec x = b;
      ASSERT_EQ(fronts().solve(f.factor, x.data()), PERP_OK);
      EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-12) << n;
    }
  }
}

TEST(Multifrontal, AFactorTakesNewNumbersAndNewPatterns) {
  handle f;
  uniform u(9);
  for (int k = 0; k < 30; k++) {
    const std::int32_t n = k % 3 == 2 ? 12 : 20; /* the pattern is that of before, or is not */
    dense A = random_sparse(n, 5 + static_cast<std::uint64_t>(k / 5));
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t i = 0; i < n; i++) A(i, j) *= std::pow(10.0, 4 * u());
    const tools::stored M(A, PERP_BLOCKS);
    ASSERT_EQ(f.of(M.view), PERP_OK) << k;
    const vec b = u.vector(n);
    vec x = b;
    ASSERT_EQ(fronts().solve(f.factor, x.data()), PERP_OK);
    EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-11) << k;
  }
}

TEST(Multifrontal, TheSamePatternWithPivotsThatVanishIsFactorisedAnew) {
  handle f;
  const std::int32_t start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
  const double first[] = {1, 1e-3, 1e-3, 1}, second[] = {1e-20, 1, 1, 1e-20};
  ASSERT_EQ(fronts().factor(2, start, index, first, &f.factor), PERP_OK);
  ASSERT_EQ(fronts().factor(2, start, index, second, &f.factor), PERP_OK);
  double b[] = {3, 5};
  ASSERT_EQ(fronts().solve(f.factor, b), PERP_OK);
  EXPECT_DOUBLE_EQ(b[0], 5);
  EXPECT_DOUBLE_EQ(b[1], 3);
}

TEST(Multifrontal, SingularMatricesAreSaidToBe) {
  handle f;
  const std::int32_t start[] = {0, 2, 4}, index[] = {0, 1, 0, 1}, gap[] = {0, 2, 2};
  const double equal[] = {1, 2, 2, 4}, zero[] = {0, 0, 0, 0}, good[] = {1, 0, 0, 1};
  EXPECT_EQ(fronts().factor(2, start, index, equal, &f.factor), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(2, start, index, zero, &f.factor), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(2, gap, index, equal, &f.factor), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(2, start, index, good, &f.factor),
            PERP_OK);  // and it goes on from there
}

// Blocks of one to five unknowns on a grid in the plane with some far ties; a full diagonal block,
// the pattern symmetric unless a block is left out.
dense blocks_on_a_grid(std::int32_t side, std::uint64_t seed, bool symmetric, ints *cuts) {
  uniform u(seed);
  const std::int32_t count = side * side;
  cuts->assign(1, 0);
  for (std::int32_t k = 0; k < count; k++) cuts->push_back(cuts->back() + 1 + k % 5);
  dense A(cuts->back(), cuts->back());
  const auto tie = [&](std::int32_t a, std::int32_t b) {
    for (std::int32_t j = (*cuts)[at(b)]; j < (*cuts)[at(b) + 1]; j++)
      for (std::int32_t i = (*cuts)[at(a)]; i < (*cuts)[at(a) + 1]; i++)
        A(i, j) = u() + (i == j ? 6 : 0);
  };
  for (std::int32_t k = 0; k < count; k++) {
    tie(k, k);
    for (std::int32_t other :
         {k % side > 0 ? k - 1 : k, k >= side ? k - side : k, (7 * k) % count}) {
      if (other == k) continue;
      tie(k, other);
      if (symmetric || u() > 0) tie(other, k);
    }
  }
  return A;
}

TEST(Multifrontal, BlocksOnAGridAreSolvedToRounding) {
  uniform u(3);
  for (const bool symmetric : {true, false})
    for (const std::int32_t side : {1, 2, 5, 9, 12}) {
      ints cuts;
      const dense A =
          blocks_on_a_grid(side, 40 + static_cast<std::uint64_t>(side), symmetric, &cuts);
      const tools::stored M(A, PERP_BLOCKS);
      handle f;
      for (int twice = 0; twice < 2; twice++) {
        ASSERT_EQ(f.of(M.view), PERP_OK);
        const vec b = u.vector(A.rows);
        vec x = b;
        ASSERT_EQ(fronts().solve(f.factor, x.data()), PERP_OK);
        EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-13) << side;
      }
    }
}

// Parts that are not tied to one another, and a row with a single entry.
TEST(Multifrontal, IslandsAreSolved) {
  dense A(9, 9);
  for (std::int32_t i = 0; i < 9; i++) A(i, i) = 2 + i;
  for (std::int32_t i : {0, 1, 2})
    for (std::int32_t j : {0, 1, 2}) A(i, j) += 1;
  A(5, 8) = 1;
  const tools::stored M(A, PERP_BLOCKS);
  handle f;
  ASSERT_EQ(f.of(M.view), PERP_OK);
  const vec b = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  vec x = b;
  ASSERT_EQ(fronts().solve(f.factor, x.data()), PERP_OK);
  EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-15);
}

// No pivot stands in any diagonal block: rows must be exchanged between blocks, and KLU does it.
TEST(Multifrontal, ZeroBlocksOnTheDiagonalGoAnotherWay) {
  uniform u(4);
  const std::int32_t n = 40;
  dense A(2 * n, 2 * n);
  for (std::int32_t i = 0; i < n; i++) A(i, i + n) = A(i + n, i) = 1 + 0.5 * u();
  for (std::int32_t i = 0; i + 1 < n; i++) A(i, i + 1) = A(i + 1, i) = u();
  const tools::stored M(A, PERP_BLOCKS);
  handle f;
  for (int twice = 0; twice < 2; twice++) {
    ASSERT_EQ(f.of(M.view), PERP_OK);
    const vec b = u.vector(2 * n);
    vec x = b;
    ASSERT_EQ(fronts().solve(f.factor, x.data()), PERP_OK);
    EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-12);
  }
}

TEST(Multifrontal, WrongArgumentsAndNumbersGetAStatus) {
  handle f;
  const std::int32_t start[] = {0, 1}, index[] = {0};
  const double one[] = {1}, nan[] = {kNaN}, inf[] = {kInf};
  double b[] = {2};
  EXPECT_EQ(fronts().factor(-1, start, index, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(1, nullptr, index, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(1, start, nullptr, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(1, start, index, nullptr, &f.factor), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(1, start, index, one, nullptr), PERP_EINVAL);
  EXPECT_EQ(fronts().factor(1, start, index, nan, &f.factor), PERP_ENOTFINITE);
  EXPECT_EQ(fronts().factor(1, start, index, inf, &f.factor), PERP_ENOTFINITE);
  EXPECT_EQ(fronts().factor(0, nullptr, nullptr, nullptr, &f.factor), PERP_OK);
  EXPECT_EQ(fronts().solve(nullptr, b), PERP_OK);
  EXPECT_EQ(fronts().factor(1, start, index, one, &f.factor), PERP_OK);
  EXPECT_EQ(fronts().solve(f.factor, nullptr), PERP_EINVAL);
  fronts().release(nullptr);
}

}  // namespace
