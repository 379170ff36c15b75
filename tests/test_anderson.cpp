// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

extern "C" {
#include "solver/anderson.h"
}

#include "problem_tools.hpp"

namespace {

using tools::at;
using tools::dense;
using tools::kNaN;
using tools::vec;

struct accelerated {
  std::vector<unsigned char> bytes;
  anderson a{};

  accelerated(std::int32_t n, std::int32_t memory) {
    arena measure = arena_measure();
    perp_anderson_carve(&a, &measure, n, memory);
    bytes.assign(arena_bytes(&measure), 0xA5);
    arena place = arena_open(bytes.data(), bytes.size());
    perp_anderson_carve(&a, &place, n, memory);
    EXPECT_TRUE(arena_fits(&place));
  }
};

// T(w) = w + b − A w with spectrum of I − A in (−1, 1).
struct linear {
  dense A;
  vec b;
  explicit linear(std::int32_t n) : A(n, n) {
    tools::uniform random(21);
    b = random.vector(n);
    for (std::int32_t i = 0; i < n; i++)
      for (std::int32_t j = 0; j < n; j++) A(i, j) = i == j ? 1.0 / (i + 1) : 0.01 * random();
  }
  vec residual(const vec &w) const {
    vec f = b;
    for (std::int32_t i = 0; i < A.rows; i++)
      for (std::int32_t j = 0; j < A.rows; j++) f[at(i)] -= A(i, j) * w[at(j)];
    return f;
  }
};

double norm(const vec &x) {
  double sum = 0;
  for (double e : x) sum += e * e;
  return std::sqrt(sum);
}

double after(const linear &T, std::int32_t memory, int steps) {
  const std::int32_t n = T.A.rows;
  accelerated s(n, memory);
  vec w(at(n), 0.0);
  for (int k = 0; k < steps; k++) {
    const vec f = T.residual(w);
    perp_anderson_step(&s.a, f.data(), w.data());
  }
  return norm(T.residual(w)) / norm(T.b);
}

TEST(Anderson, ALinearFixedPointIsReachedAfterAsManyStepsAsUnknowns) {
  for (const std::int32_t n : {1, 2, 6}) EXPECT_LT(after(linear(n), n, n + 2), 1e-6) << n;
}

TEST(Anderson, FewDifferencesAreEnoughForManyUnknownsWhereThePlainIterationCrawls) {
  const linear T(40);
  EXPECT_GT(after(T, 0, 60), 1e-2);
  EXPECT_LT(after(T, 10, 60), 1e-3);
  EXPECT_LT(after(T, 30, 60), 1e-5);
}

TEST(Anderson, TheFirstStepIsPlainAndAResetForgets) {
  const linear T(5);
  accelerated s(5, 3);
  vec w(5, 1.0), f = T.residual(w), expected = w;
  for (int round = 0; round < 2; round++) {
    f = T.residual(w);
    for (std::size_t i = 0; i < 5; i++) expected[i] = w[i] + f[i];
    EXPECT_EQ(perp_anderson_step(&s.a, f.data(), w.data()), 0);
    EXPECT_EQ(w, expected);
    f = T.residual(w);
    EXPECT_EQ(perp_anderson_step(&s.a, f.data(), w.data()), 1);
    anderson_reset(&s.a);
  }
}

TEST(Anderson, ParallelStepsAndNaNGiveThePlainStep) {
  accelerated s(2, 3);
  vec w = {0, 0};
  const vec f = {1, 1};
  for (int k = 0; k < 3; k++) EXPECT_EQ(perp_anderson_step(&s.a, f.data(), w.data()), 0);
  EXPECT_EQ(w[0], 3); /* no difference between the steps: no weights */
  const vec nan = {kNaN, 1};
  EXPECT_EQ(perp_anderson_step(&s.a, nan.data(), w.data()), 0);
  EXPECT_TRUE(std::isnan(w[0]));
}

}  // namespace
