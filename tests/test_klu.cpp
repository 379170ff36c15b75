// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "perp/sparse.h"
#include "problem_tools.hpp"

namespace {

using tools::at;
using tools::dense;
using tools::kInf;
using tools::kNaN;
using tools::uniform;
using tools::vec;

const perp_sparse &klu() { return *perp_sparse_klu(); }

// A factor that ends with its scope.
struct handle {
  void *factor = nullptr;
  handle() = default;
  handle(const handle &) = delete;
  handle &operator=(const handle &) = delete;
  ~handle() { klu().release(factor); }
  perp_status of(const perp_matrix &A) {
    return klu().factor(A.rows, A.start, A.index, A.values, &factor);
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

TEST(Klu, TheTableIsCompleteAndAlwaysTheSame) {
  const perp_sparse *s = perp_sparse_klu();
  EXPECT_EQ(s, perp_sparse_klu());
  EXPECT_EQ(s->struct_size, sizeof(perp_sparse));
  EXPECT_STREQ(s->name, "klu");
}

TEST(Klu, SolvesToRounding) {
  uniform u(7);
  for (const std::int32_t n : {1, 2, 3, 10, 60}) {
    const dense A = random_sparse(n, 100 + static_cast<std::uint64_t>(n));
    const tools::stored M(A, PERP_BLOCKS);
    handle f;
    ASSERT_EQ(f.of(M.view), PERP_OK);
    for (int right = 0; right < 3; right++) {
      const vec b = u.vector(n);
      vec x = b;
      ASSERT_EQ(klu().solve(f.factor, x.data()), PERP_OK);
      EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-12) << n;
    }
  }
}

TEST(Klu, AFactorTakesNewNumbersAndNewPatterns) {
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
    ASSERT_EQ(klu().solve(f.factor, x.data()), PERP_OK);
    EXPECT_LT(tools::backward_error(A, x.data(), b.data()), 1e-11) << k;
  }
}

TEST(Klu, TheSamePatternWithPivotsThatVanishIsFactorisedAnew) {
  handle f;
  const std::int32_t start[] = {0, 2, 4}, index[] = {0, 1, 0, 1};
  const double first[] = {1, 1e-3, 1e-3, 1}, second[] = {1e-20, 1, 1, 1e-20};
  ASSERT_EQ(klu().factor(2, start, index, first, &f.factor), PERP_OK);
  ASSERT_EQ(klu().factor(2, start, index, second, &f.factor), PERP_OK);
  double b[] = {3, 5};
  ASSERT_EQ(klu().solve(f.factor, b), PERP_OK);
  EXPECT_DOUBLE_EQ(b[0], 5);
  EXPECT_DOUBLE_EQ(b[1], 3);
}

TEST(Klu, SingularMatricesAreSaidToBe) {
  handle f;
  const std::int32_t start[] = {0, 2, 4}, index[] = {0, 1, 0, 1}, gap[] = {0, 2, 2};
  const double equal[] = {1, 2, 2, 4}, zero[] = {0, 0, 0, 0}, good[] = {1, 0, 0, 1};
  EXPECT_EQ(klu().factor(2, start, index, equal, &f.factor), PERP_EINVAL);
  EXPECT_EQ(klu().factor(2, start, index, zero, &f.factor), PERP_EINVAL);
  EXPECT_EQ(klu().factor(2, gap, index, equal, &f.factor), PERP_EINVAL);
  EXPECT_EQ(klu().factor(2, start, index, good, &f.factor), PERP_OK);  // and it goes on from there
}

TEST(Klu, WrongArgumentsAndNumbersGetAStatus) {
  handle f;
  const std::int32_t start[] = {0, 1}, index[] = {0};
  const double one[] = {1}, nan[] = {kNaN}, inf[] = {kInf};
  double b[] = {2};
  EXPECT_EQ(klu().factor(-1, start, index, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(klu().factor(1, nullptr, index, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(klu().factor(1, start, nullptr, one, &f.factor), PERP_EINVAL);
  EXPECT_EQ(klu().factor(1, start, index, nullptr, &f.factor), PERP_EINVAL);
  EXPECT_EQ(klu().factor(1, start, index, one, nullptr), PERP_EINVAL);
  EXPECT_EQ(klu().factor(1, start, index, nan, &f.factor), PERP_ENOTFINITE);
  EXPECT_EQ(klu().factor(1, start, index, inf, &f.factor), PERP_ENOTFINITE);
  EXPECT_EQ(klu().factor(0, nullptr, nullptr, nullptr, &f.factor), PERP_OK);
  EXPECT_EQ(klu().solve(nullptr, b), PERP_OK);
  EXPECT_EQ(klu().factor(1, start, index, one, &f.factor), PERP_OK);
  EXPECT_EQ(klu().solve(f.factor, nullptr), PERP_EINVAL);
  klu().release(nullptr);
}

}  // namespace
