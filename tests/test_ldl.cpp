// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>

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

const perp_sparse &ldl() { return *perp_sparse_ldl(); }

// A factor that ends with its scope.
struct handle {
  void *factor = nullptr;
  handle() = default;
  handle(const handle &) = delete;
  handle &operator=(const handle &) = delete;
  ~handle() { ldl().release(factor); }
  perp_status of(const perp_matrix &A) {
    return ldl().factor(A.rows, A.start, A.index, A.values, &factor);
  }
};

// B Bᵀ + I of bodies of `body` rows that touch some others.
dense mechanical(std::int32_t bodies, std::int32_t body, double touching, std::uint64_t seed) {
  uniform u(seed);
  const std::int32_t n = bodies * body;
  dense A(n, n);
  for (std::int32_t i = 0; i < n; i++) A(i, i) = 1e-3;
  const auto join = [&](std::int32_t p, std::int32_t q) {
    vec v = u.vector(2 * body);
    const auto row = [&](std::int32_t k) { return k < body ? p * body + k : q * body + k - body; };
    for (std::int32_t i = 0; i < 2 * body; i++)
      for (std::int32_t j = 0; j < 2 * body; j++) A(row(i), row(j)) += v[at(i)] * v[at(j)];
  };
  for (std::int32_t p = 0; p < bodies; p++)
    for (std::int32_t q = 0; q < p; q++)
      if (u() > 1 - 2 * touching) join(p, q);
  return A;
}

void expect_solves(const dense &A, handle *f, std::uint64_t seed) {
  uniform u(seed);
  for (int right = 0; right < 2; right++) {
    const vec b = u.vector(A.rows);
    vec x = b;
    ASSERT_EQ(ldl().solve(f->factor, x.data()), PERP_OK);
    EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-12) << A.rows;
  }
}

TEST(Ldl, TheTableIsCompleteAndForSymmetricMatrices) {
  const perp_sparse *s = perp_sparse_ldl();
  EXPECT_EQ(s, perp_sparse_ldl());
  EXPECT_EQ(s->struct_size, sizeof(perp_sparse));
  EXPECT_EQ(s->symmetric, 1U);
  EXPECT_STREQ(s->name, "ldl");
}

TEST(Ldl, SolvesToRoundingWhateverThePattern) {
  std::uint64_t seed = 1;
  for (const std::int32_t bodies : {1, 2, 3, 7, 20, 60})
    for (const std::int32_t body : {1, 2, 3, 6})
      for (const double touching : {0.0, 0.03, 0.15, 0.6, 1.0}) {
        const dense A = mechanical(bodies, body, touching, seed++);
        const tools::stored M(A, PERP_BLOCKS);
        handle f;
        ASSERT_EQ(f.of(M.view), PERP_OK);
        expect_solves(A, &f, seed);
      }
}

// base + A⁻¹ (b + R x) with an R that is not symmetric, and rows of every length.
TEST(Ldl, AProductTogetherWithASolveIsWhatItIsApart) {
  for (const std::int32_t n : {1, 2, 5, 40, 200}) {
    uniform u(static_cast<std::uint64_t>(n));
    const dense A = mechanical(n, 1, 3.0 / n, static_cast<std::uint64_t>(n) + 7);
    dense R(n, n);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t e = 0; e < i % 9; e++) R(i, (i * 3 + e * 7) % n) = u();
    const tools::stored M(A, PERP_BLOCKS), right(R, PERP_BLOCKS);
    handle f;
    ASSERT_EQ(f.of(M.view), PERP_OK);
    const vec x = u.vector(n), b = u.vector(n), base = u.vector(n);
    vec whole = b, together(at(n), 999);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) whole[at(i)] += R(i, j) * x[at(j)];
    const vec rhs = whole;
    for (int twice = 0; twice < 2; twice++) {
      ASSERT_EQ(ldl().solve_product(f.factor, right.view.start, right.view.index, right.view.values,
                                    x.data(), b.data(), base.data(), together.data()),
                PERP_OK);
      vec alone = together;
      for (std::int32_t i = 0; i < n; i++) alone[at(i)] -= base[at(i)];
      EXPECT_LT(tools::backward_error(A, alone.data(), rhs.data()), 1e-11) << n;
    }
    EXPECT_EQ(ldl().solve_product(f.factor, right.view.start, right.view.index, right.view.values,
                                  x.data(), b.data(), nullptr, together.data()),
              PERP_EINVAL);
    EXPECT_EQ(ldl().solve_product(f.factor, nullptr, right.view.index, right.view.values, x.data(),
                                  b.data(), base.data(), together.data()),
              PERP_EINVAL);
  }
  EXPECT_EQ(
      ldl().solve_product(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
      PERP_OK);
}

// Trees, paths, grids, arrows: elimination trees of all shapes.
TEST(Ldl, SolvesOnGraphsOfAllShapes) {
  const std::int32_t n = 90;
  for (int shape = 0; shape < 6; shape++) {
    dense A(n, n);
    const auto join = [&](std::int32_t i, std::int32_t j) {
      A(i, j) = A(j, i) = -1;
      A(i, i) += 1.25;
      A(j, j) += 1.25;
    };
    for (std::int32_t i = 0; i < n; i++) A(i, i) = 0.5;
    for (std::int32_t i = 1; i < n; i++) {
      if (shape == 0) join(i, i - 1);
      if (shape == 1) join(i, (i - 1) / 2);
      if (shape == 2) join(i, 0);
      if (shape == 3 && i % 9 != 0) join(i, i - 1);
      if (shape == 3 && i >= 9) join(i, i - 9);
      if (shape == 4) join(i, i % 10 == 0 ? 0 : i - i % 10);
      if (shape == 5 && i % 3 != 0) join(i, i - 1);
    }
    for (const bool reverse : {false, true}) {
      const tools::stored M(A, PERP_BLOCKS, {}, reverse);
      handle f;
      ASSERT_EQ(f.of(M.view), PERP_OK) << shape;
      expect_solves(A, &f, 70 + static_cast<std::uint64_t>(shape));
    }
  }
}

TEST(Ldl, TheLowerTriangleAloneCounts) {
  dense A = mechanical(12, 3, 0.3, 5), lower = A, odd = A;
  for (std::int32_t j = 0; j < A.rows; j++)
    for (std::int32_t i = 0; i < j; i++) {
      lower(i, j) = 0;
      odd(i, j) = 7;
    }
  vec first;
  for (const dense &B : {A, lower, odd}) {
    const tools::stored M(B, PERP_BLOCKS);
    handle f;
    ASSERT_EQ(f.of(M.view), PERP_OK);
    vec x(at(A.rows), 1.0);
    ASSERT_EQ(ldl().solve(f.factor, x.data()), PERP_OK);
    if (first.empty()) first = x;
    EXPECT_TRUE(tools::same_bits(first, x));
  }
}

TEST(Ldl, AFactorTakesNewNumbersAndNewPatterns) {
  handle f;
  for (int k = 0; k < 30; k++) {
    dense A = mechanical(k % 3 == 2 ? 5 : 9, 3, 0.3, 5 + static_cast<std::uint64_t>(k / 5));
    for (std::int32_t i = 0; i < A.rows; i++) A(i, i) += std::pow(10.0, k % 5 - 2);
    const tools::stored M(A, PERP_BLOCKS);
    ASSERT_EQ(f.of(M.view), PERP_OK) << k;
    expect_solves(A, &f, static_cast<std::uint64_t>(k));
  }
}

TEST(Ldl, WhatIsNotDefiniteIsSaidToBe) {
  handle f;
  const std::int32_t start[] = {0, 1, 3}, index[] = {0, 0, 1}, gap[] = {0, 1, 2};
  const double equal[] = {1, 2, 4}, saddle[] = {1, 2, 1}, zero[] = {0, 0, 0}, good[] = {1, 0, 1};
  EXPECT_EQ(ldl().factor(2, start, index, equal, &f.factor), PERP_EINVAL);
  double b[] = {1, 1};
  EXPECT_EQ(ldl().solve(f.factor, b), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(2, start, index, saddle, &f.factor), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(2, start, index, zero, &f.factor), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(2, gap, index, good, &f.factor), PERP_EINVAL);  // no diagonal
  EXPECT_EQ(ldl().factor(2, start, index, good, &f.factor), PERP_OK);
}

TEST(Ldl, WrongArgumentsAndNumbersGetAStatus) {
  handle f;
  const std::int32_t start[] = {0, 1}, index[] = {0};
  const double one[] = {1}, nan[] = {kNaN}, inf[] = {kInf};
  double b[] = {2};
  EXPECT_EQ(ldl().factor(-1, start, index, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(1, nullptr, index, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(1, start, nullptr, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(1, start, index, nullptr, &f.factor), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(1, start, index, one, nullptr), PERP_EINVAL);
  EXPECT_EQ(ldl().factor(1, start, index, nan, &f.factor), PERP_ENOTFINITE);
  EXPECT_EQ(ldl().factor(1, start, index, inf, &f.factor), PERP_ENOTFINITE);
  EXPECT_EQ(ldl().factor(0, nullptr, nullptr, nullptr, &f.factor), PERP_OK);
  EXPECT_EQ(ldl().solve(nullptr, b), PERP_OK);
  EXPECT_EQ(ldl().factor(1, start, index, one, &f.factor), PERP_OK);
  EXPECT_EQ(ldl().solve(f.factor, nullptr), PERP_EINVAL);
  ldl().release(nullptr);
}

TEST(Ldl, TellsWhatAFactorCostsAndGivesRoom) {
  const dense A = mechanical(20, 3, 0.15, 5);
  const tools::stored M(A, PERP_BLOCKS);
  const std::int32_t n = M.view.rows;
  handle f;
  void *block = nullptr;
  ASSERT_EQ(ldl().room(&f.factor, 100, &block), PERP_OK);
  ASSERT_NE(block, nullptr);
  std::memset(block, 7, 100);
  double work = -1, bytes = -1, again = -1;
  ASSERT_EQ(ldl().analyse(n, M.view.start, M.view.index, &f.factor, &work, &bytes), PERP_OK);
  EXPECT_GT(work, n);
  EXPECT_LT(work, 1.0 * n * n * n);
  EXPECT_GT(bytes, 0);
  EXPECT_LE(bytes, 6.0 * n * n);
  ASSERT_EQ(f.of(M.view), PERP_OK);
  expect_solves(A, &f, 9);
  EXPECT_EQ(static_cast<unsigned char *>(block)[99], 7);  // it outlives analysis and factor
  ASSERT_EQ(ldl().analyse(n, M.view.start, M.view.index, &f.factor, &again, &bytes), PERP_OK);
  EXPECT_EQ(again, work);
  ASSERT_EQ(ldl().room(&f.factor, 100000, &block), PERP_OK);
  std::memset(block, 8, 100000);
  expect_solves(A, &f, 10);
  EXPECT_EQ(ldl().analyse(-1, M.view.start, M.view.index, &f.factor, &work, &bytes), PERP_EINVAL);
  EXPECT_EQ(ldl().analyse(n, nullptr, M.view.index, &f.factor, &work, &bytes), PERP_EINVAL);
  EXPECT_EQ(ldl().analyse(n, M.view.start, M.view.index, nullptr, &work, &bytes), PERP_EINVAL);
  EXPECT_EQ(ldl().analyse(n, M.view.start, M.view.index, &f.factor, nullptr, &bytes), PERP_EINVAL);
  EXPECT_EQ(ldl().room(nullptr, 1, &block), PERP_EINVAL);
  EXPECT_EQ(ldl().room(&f.factor, SIZE_MAX, &block), PERP_EINVAL);
}

}  // namespace
