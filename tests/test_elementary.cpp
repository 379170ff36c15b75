// SPDX-License-Identifier: MIT
// Judged by the long double functions of the platform, where those have more bits than a double.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

extern "C" {
#include "base/elementary.h"
}

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Error of value in units of the last place of what it should be.
double units(double value, long double exact) {
  const double nearest = static_cast<double>(exact);
  double ulp = std::nextafter(std::fabs(nearest), inf) - std::fabs(nearest);
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact)) / ulp;
}

double worst_of(double x) {
  double s = 999, c = 999;
  perp_sincos(x, &s, &c);
  return std::fmax(units(s, sinl(static_cast<long double>(x))),
                   units(c, cosl(static_cast<long double>(x))));
}

double any_double(std::mt19937_64 &random) {
  for (;;) {
    const std::uint64_t bits = random();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) return x;
  }
}

class Elementary : public testing::Test {
 protected:
  void SetUp() override {
    if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double is a double";
  }
  std::mt19937_64 random_{7};
};

TEST_F(Elementary, SineAndCosineAreWithinOneUnitBelowTwoToTheTwenty) {
  for (double range : {1.0, 10.0, 1000.0, 1048576.0}) {
    std::uniform_real_distribution<double> x(-range, range);
    double worst = 0;
    for (int i = 0; i < 200000; i++) worst = std::fmax(worst, worst_of(x(random_)));
    EXPECT_LT(worst, 1.0) << "|x| < " << range;
  }
}

TEST_F(Elementary, NeighboursOfMultiplesOfAQuarterTurnKeepTheirDigits) {
  double worst = 0;
  for (int n = 1; n < 600000; n += 7) {
    const double x = static_cast<double>(n * 1.57079632679489661923132169163975144L);
    worst = std::fmax(worst, worst_of(x));
    worst = std::fmax(worst, worst_of(std::nextafter(x, 0.0)));
  }
  EXPECT_LT(worst, 1.0);
}

TEST_F(Elementary, EveryFiniteArgumentIsReducedExactly) {
  double worst = 0;
  for (int i = 0; i < 200000; i++) worst = std::fmax(worst, worst_of(any_double(random_)));
  // 6381956970095103·2^797 is the double nearest to a multiple of π/2, relative to its size.
  worst = std::fmax(worst, worst_of(std::ldexp(6381956970095103.0, 797)));
  worst = std::fmax(worst, worst_of(std::numeric_limits<double>::max()));
  for (double x = 1048575; x < 1048578; x += 0.25) worst = std::fmax(worst, worst_of(x));
  EXPECT_LT(worst, 1.0);
}

TEST_F(Elementary, ArcTangentsAreWithinTwoUnits) {
  double worst = 0;
  std::uniform_real_distribution<double> near(-1, 1);
  for (int i = 0; i < 200000; i++) {
    const double y = i % 2 ? near(random_) : any_double(random_);
    const double x = i % 2 ? near(random_) : any_double(random_);
    const long double exact = atan2l(static_cast<long double>(y), static_cast<long double>(x));
    if (std::fabs(exact) < 1e-300L) continue;
    worst = std::fmax(worst, units(perp_atan2(y, x), exact));
  }
  EXPECT_LT(worst, 2.0);
}

TEST_F(Elementary, ArcCosineInvertsCosine) {
  std::uniform_real_distribution<double> x(-1, 1);
  for (int i = 0; i < 20000; i++) {
    const double a = x(random_);
    EXPECT_LT(units(perp_acos(a), acosl(static_cast<long double>(a))), 4.0) << a;
  }
  EXPECT_EQ(perp_acos(1), 0);
  EXPECT_EQ(perp_acos(-1), std::acos(-1.0));
  EXPECT_TRUE(std::isnan(perp_acos(1.0000001)));
  EXPECT_TRUE(std::isnan(perp_acos(std::nan(""))));
}

TEST_F(Elementary, ExponentialsAreWithinOneUnit) {
  double worst = 0;
  for (double range : {0.3, 1.0, 30.0, 708.0}) {
    std::uniform_real_distribution<double> x(-range, range);
    for (int i = 0; i < 100000; i++) {
      const double a = x(random_);
      worst = std::fmax(worst, units(perp_exp(a), expl(static_cast<long double>(a))));
    }
  }
  EXPECT_LT(worst, 1.0);
}

TEST_F(Elementary, LogarithmsAreWithinOneUnitAlsoNextToOneAndBelowTheNormalNumbers) {
  double worst = 0;
  std::uniform_real_distribution<double> near(0.5, 2);
  for (int i = 0; i < 200000; i++) {
    const double x = i % 2 ? near(random_) : std::fabs(any_double(random_));
    if (x > 0) worst = std::fmax(worst, units(perp_log(x), logl(static_cast<long double>(x))));
  }
  for (double x : {5e-324, 1e-310, 1 + 1e-15, 1 - 1e-16, 1 + 1e-8, 1 - 1e-8, 1.7e308}) {
    worst = std::fmax(worst, units(perp_log(x), logl(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1.0);
}

TEST_F(Elementary, PowersAreWithinOneUnitAndFarAwayWithinFour) {
  double near = 0, far = 0;
  std::uniform_real_distribution<double> exponent(-5, 5), size(-700, 700);
  for (int i = 0; i < 200000; i++) {
    const double y = exponent(random_), x = std::exp(size(random_) / (i % 2 ? 55 : 6));
    const long double exact = powl(static_cast<long double>(x), static_cast<long double>(y));
    if (!(exact > 1e-300L && exact < 1e300L)) continue;
    double &worst = exact > 1e-30L && exact < 1e30L ? near : far;
    worst = std::fmax(worst, units(perp_power(x, y), exact));
  }
  EXPECT_LT(near, 1.0);
  EXPECT_LT(far, 4.0);
}

TEST(ElementaryEnds, ExponentialsAndPowersEndAsInC99) {
  EXPECT_EQ(perp_exp(0), 1);
  EXPECT_EQ(perp_exp(800), inf);
  EXPECT_EQ(perp_exp(-800), 0);
  EXPECT_EQ(perp_exp(inf), inf);
  EXPECT_EQ(perp_exp(-inf), 0);
  EXPECT_NEAR(perp_exp(-740), std::exp(-740.0), 1e-323);
  EXPECT_EQ(perp_log(1), 0);
  EXPECT_EQ(perp_log(0), -inf);
  EXPECT_EQ(perp_log(inf), inf);
  EXPECT_TRUE(std::isnan(perp_log(-1)));
  for (double x : {0.0, 0.3, 1.0, 4.0, inf}) {
    for (double y : {-2.0, -0.5, 0.0, 0.5, 1.0, 3.0}) {
      EXPECT_DOUBLE_EQ(perp_power(x, y), std::pow(x, y)) << x << " " << y;
    }
  }
  EXPECT_EQ(perp_power(1e300, 2), inf);
  EXPECT_EQ(perp_power(1e300, -2), 0);
  EXPECT_TRUE(std::isnan(perp_power(-1, 2)));
  for (double x : {inf, std::nan("")}) EXPECT_TRUE(std::isnan(perp_power(2, x)));
  EXPECT_TRUE(std::isnan(perp_power(std::nan(""), 1)));
  EXPECT_TRUE(std::isnan(perp_exp(std::nan(""))));
  EXPECT_TRUE(std::isnan(perp_log(std::nan(""))));
}

TEST(ElementaryEnds, NotFiniteGivesNaN) {
  for (double x : {inf, -inf, std::nan("")}) {
    double s = 999, c = 999;
    perp_sincos(x, &s, &c);
    EXPECT_TRUE(std::isnan(s) && std::isnan(c));
  }
}

TEST(ElementaryEnds, ZeroAndTinyAnglesAreExact) {
  for (double x : {0.0, 1e-300, -5e-324, 1e-9}) {
    double s = 999, c = 999;
    perp_sincos(x, &s, &c);
    EXPECT_EQ(s, x);
    EXPECT_EQ(c, 1);
  }
}

TEST(ElementaryEnds, ArcTangentOfTheAxesIsThatOfC99) {
  const std::vector<double> special = {0.0, -0.0, 1.0, -1.0, inf, -inf};
  for (double y : special) {
    for (double x : special) {
      EXPECT_EQ(perp_atan2(y, x), std::atan2(y, x)) << y << " " << x;
      EXPECT_EQ(std::signbit(perp_atan2(y, x)), std::signbit(std::atan2(y, x))) << y << " " << x;
    }
  }
  EXPECT_TRUE(std::isnan(perp_atan2(std::nan(""), 1)));
  EXPECT_TRUE(std::isnan(perp_atan2(1, std::nan(""))));
}

}  // namespace
