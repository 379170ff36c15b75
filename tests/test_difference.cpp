// SPDX-License-Identifier: MIT
// Derivatives by differences against those on paper.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "system_tools.hpp"

extern "C" {
#include "model/difference.h"
}

using tools::guarded;
using tools::vec;

namespace {

// f = (x0 x1, exp x0, 3) and a count of what was asked.
struct curve {
  mutable int calls = 0;
  mutable vec farthest = {0, 0};
};
std::int32_t curve_at(const double *x, double *out, const void *context) {
  const curve &c = *static_cast<const curve *>(context);
  c.calls++;
  out[0] = x[0] * x[1];
  out[1] = std::exp(x[0]);
  out[2] = 3;
  return 0;
}

TEST(Difference, IsTheDerivativeToHalfTheDigits) {
  const curve c;
  const vec x = {0.7, -2};
  vec J(6, 0.0);
  guarded s(perp_difference_doubles(3, 2));
  ASSERT_EQ(perp_difference(3, 2, curve_at, &c, x.data(), nullptr, 1, J.data(), s.get()), 0);
  tools::expect_near(J, {-2, std::exp(0.7), 0, 0.7, 0, 0}, 1e-7);
  EXPECT_EQ(c.calls, 3);  // once at x, once for each unknown
}

TEST(Difference, IsAddedWithItsWeight) {
  const curve c;
  const vec x = {0.7, -2};
  vec J(6, 10.0);
  guarded s(perp_difference_doubles(3, 2));
  ASSERT_EQ(perp_difference(3, 2, curve_at, &c, x.data(), nullptr, -0.5, J.data(), s.get()), 0);
  tools::expect_near(J, {11, 10 - std::exp(0.7) / 2, 10, 10 - 0.35, 10, 10}, 1e-7);
}

std::int32_t square(const double *x, double *out, const void *) {
  out[0] = x[0] * x[0];
  return 0;
}

TEST(Difference, StepsHaveTheSizeOfTheUnknown) {
  vec J(1, 0.0);
  guarded s(perp_difference_doubles(1, 1));
  for (const double scale : {1e-12, 1e-3, 1.0, 1e9}) {
    const vec x = {0.5 * scale}, typical = {scale};
    J[0] = 0;
    ASSERT_EQ(
        perp_difference(1, 1, square, nullptr, x.data(), typical.data(), 1, J.data(), s.get()), 0);
    EXPECT_NEAR(J[0], scale, 1e-7 * scale);
  }
  const vec large = {3e8};  // larger than what is typical
  J[0] = 0;
  ASSERT_EQ(perp_difference(1, 1, square, nullptr, large.data(), nullptr, 1, J.data(), s.get()), 0);
  EXPECT_NEAR(J[0], 6e8, 60);
}

TEST(Difference, OfALinearFunctionInPowersOfTwoIsExact) {
  const auto f = [](const double *x, double *out, const void *) -> std::int32_t {
    out[0] = 4 * x[0] - x[1];
    return 0;
  };
  const vec x = {1, -2};
  vec J(2, 0.0);
  guarded s(perp_difference_doubles(1, 2));
  ASSERT_EQ(perp_difference(1, 2, f, nullptr, x.data(), nullptr, 1, J.data(), s.get()), 0);
  EXPECT_EQ(J, (vec{4, -1}));
}

TEST(Difference, LooksToTheOtherSideWhereTheFunctionEnds) {
  // √(1 − x) at x = 1 − tiny: above 1 it is not a number; a refusal says the same
  const auto root = [](const double *x, double *out, const void *) -> std::int32_t {
    out[0] = std::sqrt(1 - x[0]) * (1 - x[0]);
    return 0;
  };
  const auto refuses = [](const double *x, double *out, const void *) -> std::int32_t {
    out[0] = 2 * x[0];
    return x[0] > 1 ? 1 : 0;
  };
  const vec x = {1};
  vec J(1, 0.0);
  guarded s(perp_difference_doubles(1, 1));
  ASSERT_EQ(perp_difference(1, 1, root, nullptr, x.data(), nullptr, 1, J.data(), s.get()), 0);
  EXPECT_NEAR(J[0], 0, 1e-3);
  J[0] = 0;
  ASSERT_EQ(perp_difference(1, 1, refuses, nullptr, x.data(), nullptr, 1, J.data(), s.get()), 0);
  EXPECT_EQ(J[0], 2);
}

TEST(Difference, LooksAwayFromZeroFirst) {
  static int calls;  // of a function that refuses to come nearer to 0
  const auto outside = [](const double *x, double *out, const void *) -> std::int32_t {
    calls++;
    out[0] = x[0];
    return std::fabs(x[0]) < 1 ? 1 : 0;
  };
  guarded s(perp_difference_doubles(1, 1));
  for (const double x : {1.0, -1.0}) {
    vec J(1, 0.0);
    calls = 0;
    ASSERT_EQ(perp_difference(1, 1, outside, nullptr, &x, nullptr, 1, J.data(), s.get()), 0);
    EXPECT_EQ(J[0], 1);
    EXPECT_EQ(calls, 2);
  }
}

TEST(Difference, HandsOnWhatTheFunctionAnswers) {
  const vec x = {1};
  vec J(1, 0.0);
  guarded s(perp_difference_doubles(1, 1));
  const auto gives_up = [](const double *, double *out, const void *) -> std::int32_t {
    out[0] = 0;
    return -7;
  };
  const auto alone = [](const double *p, double *out, const void *) -> std::int32_t {
    out[0] = 0;
    return p[0] == 1 ? 0 : 4;
  };
  const auto nan = [](const double *p, double *out, const void *) -> std::int32_t {
    out[0] = p[0] == 1 ? 0 : std::numeric_limits<double>::quiet_NaN();
    return 0;
  };
  EXPECT_EQ(perp_difference(1, 1, gives_up, nullptr, x.data(), nullptr, 1, J.data(), s.get()), -7);
  EXPECT_EQ(perp_difference(1, 1, alone, nullptr, x.data(), nullptr, 1, J.data(), s.get()), 4);
  EXPECT_GT(perp_difference(1, 1, nan, nullptr, x.data(), nullptr, 1, J.data(), s.get()), 0);
  EXPECT_EQ(J[0], 0);
}

}  // namespace
