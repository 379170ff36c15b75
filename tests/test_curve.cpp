// SPDX-License-Identifier: MIT
// Derivatives along a curve against those on paper.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

extern "C" {
#include "model/curve.h"
}

namespace {

using vec = std::vector<double>;

const double nan = std::numeric_limits<double>::quiet_NaN();

struct wave {
  double omega = 1, phase = 0.4;
  double refuse_below = -1e300;
  mutable int calls = 0;
};
std::int32_t wave_at(double s, double *out, const void *context) {
  const wave &w = *static_cast<const wave *>(context);
  w.calls++;
  if (s < w.refuse_below) return 7;
  out[0] = std::sin(w.omega * s + w.phase);
  out[1] = 3;
  return 0;
}

double curve_error(const wave &w, std::int32_t which, double scale) {
  vec scratch(perp_curve_doubles(2), nan);
  double out[2] = {999, 999};
  EXPECT_EQ(perp_curve_derivative(2, wave_at, &w, which, scale, nullptr, out, scratch.data()), 0);
  EXPECT_EQ(out[1], 0);
  const double exact =
      which == CURVE_RATE ? w.omega * std::cos(w.phase) : -w.omega * w.omega * std::sin(w.phase);
  return std::fabs(out[0] - exact) / std::fabs(exact);
}

TEST(Curve, RateIsGoodToThirteenDigitsWhereTheScaleIsRight) {
  for (double omega : {0.5, 1.0, 2.0, 5.0}) {
    const wave w = {omega};
    EXPECT_LT(curve_error(w, CURVE_RATE, 1), 2e-13) << omega;
    EXPECT_EQ(w.calls, 8);
  }
}

TEST(Curve, StepAdaptsToWhatIsFasterThanTheScale) {
  for (double omega : {10.0, 50.0, 300.0, 2500.0, 20000.0}) {
    const wave w = {omega};
    EXPECT_LT(curve_error(w, CURVE_RATE, 1), 2e-12) << omega;
    EXPECT_LE(w.calls, 8 * 8);
    const wave again = {omega};
    EXPECT_LT(curve_error(again, CURVE_ACCELERATION, 1), 5e-11) << omega;
  }
}

TEST(Curve, AccelerationIsGoodToTwelveDigitsWhereTheScaleIsRight) {
  for (double omega : {0.5, 1.0, 2.0}) {
    const wave w = {omega};
    EXPECT_LT(curve_error(w, CURVE_ACCELERATION, 1), 2e-12) << omega;
    EXPECT_EQ(w.calls, 9);
  }
}

TEST(Curve, OneSideIsEnough) {
  for (double sign : {1.0, -1.0}) {
    wave w = {2};
    w.refuse_below = 0;
    const auto f = [](double s, double *out, const void *context) {
      const auto &pair = *static_cast<const std::pair<double, wave> *>(context);
      const std::int32_t code = wave_at(pair.first * s, out, &pair.second);
      out[0] *= pair.first;
      return code;
    };
    const std::pair<double, wave> context = {sign, w};
    double out[2];
    vec scratch(perp_curve_doubles(2), nan);
    ASSERT_EQ(perp_curve_derivative(2, f, &context, CURVE_RATE, 1, nullptr, out, scratch.data()),
              0);
    EXPECT_NEAR(out[0], 2 * std::cos(0.4), 1e-10);
    ASSERT_EQ(
        perp_curve_derivative(2, f, &context, CURVE_ACCELERATION, 1, nullptr, out, scratch.data()),
        0);
    EXPECT_NEAR(out[0], -4 * sign * std::sin(0.4), 1e-6);
  }
}

TEST(Curve, ARefusalAndGivingUpAreTold) {
  const auto refuse = [](double s, double *out, const void *) -> std::int32_t {
    out[0] = s;
    return s == 0 ? 0 : 5;
  };
  const auto give_up = [](double, double *, const void *) -> std::int32_t { return -3; };
  const auto not_finite = [](double, double *out, const void *) -> std::int32_t {
    out[0] = nan;
    return 0;
  };
  double out[1];
  vec s(perp_curve_doubles(1));
  for (std::int32_t which : {CURVE_RATE, CURVE_ACCELERATION}) {
    EXPECT_EQ(perp_curve_derivative(1, refuse, nullptr, which, 1, nullptr, out, s.data()), 5);
    EXPECT_EQ(perp_curve_derivative(1, give_up, nullptr, which, 1, nullptr, out, s.data()), -3);
    EXPECT_GT(perp_curve_derivative(1, not_finite, nullptr, which, 1, nullptr, out, s.data()), 0);
  }
}

// A velocity that is 0 by cancellation leaves rounding, and no reason for ever smaller steps.
TEST(Curve, RoundingOfTermsEndsTheSweeps) {
  struct counter {
    mutable int calls = 0;
  } c;
  const auto f = [](double s, double *out, const void *context) -> std::int32_t {
    static_cast<const counter *>(context)->calls++;
    const double big = 1e3 * std::exp(s);
    out[0] = (big + std::sin(s)) - big - std::sin(s);
    return 0;
  };
  double out[1];
  const double terms[1] = {1e3};
  vec s(perp_curve_doubles(1));
  ASSERT_EQ(perp_curve_derivative(1, f, &c, CURVE_RATE, 1, terms, out, s.data()), 0);
  EXPECT_EQ(c.calls, 8);
  EXPECT_LT(std::fabs(out[0]), 1e-10);
}

}  // namespace
