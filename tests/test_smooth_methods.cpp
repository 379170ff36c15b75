// SPDX-License-Identifier: MIT
// What each integrator of the smooth motion promises beyond the others: orders, matrices, words.
#include <gtest/gtest.h>

#include <algorithm>

#include "smooth_tools.hpp"

namespace {

using tools::integrator;
using tools::motion;
using tools::settings;
using tools::state;
using tools::taken;
using tools::trouble;

// ẏ = y'' on (0, 1) by central differences, ends held at 0; an eigenvector decays.
motion heat(std::int32_t n) {
  const double w = 1.0 / (n + 1), pi = std::acos(-1.0);
  const double rate = 4 / (w * w) * std::pow(std::sin(0.5 * pi * w), 2);
  return {"heat",
          [n, w](double, const double *y, double *f) {
            for (std::int32_t i = 0; i < n; i++) {
              const double left = i > 0 ? y[i - 1] : 0, right = i + 1 < n ? y[i + 1] : 0;
              f[i] = (left - 2 * y[i] + right) / (w * w);
            }
            return 0;
          },
          [n, w, rate, pi](double t) {
            state y(static_cast<std::size_t>(n));
            for (std::int32_t i = 0; i < n; i++)
              y[static_cast<std::size_t>(i)] = std::sin(pi * w * (i + 1)) * std::exp(-rate * t);
            return y;
          }};
}

void tridiagonal(integrator *i, std::int32_t n) {
  std::vector<std::int32_t> start = {0}, index;
  for (std::int32_t j = 0; j < n; j++) {
    for (std::int32_t k = std::max(j - 1, 0); k <= std::min(j + 1, n - 1); k++)
      if (k != j) index.push_back(k);  // the diagonal is understood
    start.push_back(static_cast<std::int32_t>(index.size()));
  }
  i->structure(start, index);
}

TEST(SmoothLinear, DenseBandedAndSparseMatricesGiveTheSameMotion) {
  const std::int32_t n = 80;
  settings s;
  s.rtol = 1e-8;
  s.atol = 1e-10;
  std::vector<state> ends;
  std::vector<smooth_counts> counts;
  for (const std::int32_t kind :
       {PERP_LINEAR_DENSE, PERP_LINEAR_BANDED, PERP_LINEAR_SPARSE, PERP_LINEAR_AUTO}) {
    s.linear = kind;
    integrator i(perp_smooth_bdf(), heat(n), s);
    tridiagonal(&i, n);
    ASSERT_EQ(i.begin(), PERP_OK);
    ASSERT_GT(i.run(0.1), 0) << i.message();
    EXPECT_LT(i.error(), 1e-6) << kind;
    ends.push_back(i.y());
    counts.push_back(i.counts());
  }
  for (const state &y : ends) EXPECT_LT(tools::distance(y, ends[0]), 1e-7);
  // A dense Jacobian costs n evaluations, those of three colours 3.
  EXPECT_GT(counts[0].evaluations, counts[0].jacobians * n);
  EXPECT_LT(counts[1].evaluations, counts[0].evaluations - 60 * counts[0].jacobians);
  EXPECT_LT(counts[2].evaluations, counts[0].evaluations - 60 * counts[0].jacobians);
  EXPECT_LT(counts[3].evaluations, counts[0].evaluations - 60 * counts[0].jacobians);
}

TEST(SmoothLinear, AnUnknownMatrixIsRefusedAndNoStructureMeansAll) {
  perp_info info = PERP_INFO_INIT;
  settings s;
  for (const std::int32_t kind : {-1, 4}) {
    s.linear = kind;
    integrator i(perp_smooth_bdf(), tools::oscillator(), s);
    EXPECT_EQ(i.create(&info), PERP_EINVAL);
    EXPECT_STREQ(info.field, "linear");
  }
  for (const std::int32_t kind : {PERP_LINEAR_BANDED, PERP_LINEAR_SPARSE}) {
    s.linear = kind;
    integrator i(perp_smooth_bdf(), tools::kepler(), s);
    ASSERT_EQ(i.begin(), PERP_OK);
    ASSERT_GT(i.run(1), 0) << i.message();
    EXPECT_LT(i.error(), 5e-7);
  }
}

// An arrow: a full row and column, colours as many as columns, and a band as wide as the matrix.
TEST(SmoothLinear, AStructureWithoutBandIsSparse) {
  const std::int32_t n = 120;
  const motion arrow = {"arrow",
                        [](double, const double *y, double *f) {
                          f[0] = 0;
                          for (std::int32_t i = 1; i < n; i++) {
                            f[0] += (y[i] - y[0]) / n;
                            f[i] = -50.0 * i * (y[i] - y[0]);
                          }
                          return 0;
                        },
                        [](double) { return state(static_cast<std::size_t>(n), 1); }};
  std::vector<std::int32_t> start = {0}, index;
  for (std::int32_t j = 0; j < n; j++) {
    for (std::int32_t i = 0; i < n; i++)
      if (i == j || j == 0 || i == 0) index.push_back(i);
    start.push_back(static_cast<std::int32_t>(index.size()));
  }
  std::vector<state> ends;
  for (const std::int32_t kind : {PERP_LINEAR_AUTO, PERP_LINEAR_SPARSE, PERP_LINEAR_DENSE}) {
    settings s;
    s.linear = kind;
    s.rtol = 1e-8;
    integrator i(perp_smooth_bdf(), arrow, s);
    i.structure(start, index);
    state y(static_cast<std::size_t>(n), 1);
    y[0] = 2;
    ASSERT_EQ(i.create(), PERP_OK);
    ASSERT_EQ(i.restart(0, y), PERP_OK);
    ASSERT_GT(i.run(1), 0) << i.message();
    ends.push_back(i.y());
  }
  EXPECT_EQ(tools::distance(ends[0], ends[1]), 0);
  EXPECT_LT(tools::distance(ends[0], ends[2]), 1e-6);
}

// Steps of one length: a tolerance that accepts all, and a longest step.
double error_of_fixed_steps(const perp_smooth *method, const motion &m, std::int32_t order,
                            int steps, double *between) {
  settings s;
  s.order = order;
  s.rtol = s.atol = 1e6;
  s.h_max = s.h_first = 1.0 / steps;
  integrator i(method, m, s);
  EXPECT_EQ(i.begin(), PERP_OK);
  double t = 0, worst = 0;
  for (int k = 0; k < steps; k++) {
    state y;
    const taken step = i.step(10);
    EXPECT_EQ(step.status, PERP_OK);
    t = step.end;
    EXPECT_NEAR(t, (k + 1.0) / steps, 1e-12);
    const double u = 0.5 * (step.begin + step.end);
    EXPECT_EQ(i.at(u, &y), PERP_OK);
    worst = std::max(worst, tools::distance(y, m.exact(u)));
  }
  *between = worst;
  return i.error();
}

double observed_order(const perp_smooth *method, const motion &m, std::int32_t order, int steps,
                      double *inside) {
  double coarse = 0, fine = 0;
  const double a = error_of_fixed_steps(method, m, order, steps, &coarse);
  const double b = error_of_fixed_steps(method, m, order, 2 * steps, &fine);
  *inside = std::log2(coarse / fine);
  return std::log2(a / b);
}

TEST(SmoothOrder, RungeKuttaHasOrder8AndInterpolatesAtOrder7) {
  for (const motion &m : {tools::kepler(), tools::forced()}) {
    double inside = 0;
    const double order =
        observed_order(perp_smooth_runge_kutta(), m, 0, m.name == "forced" ? 4 : 16, &inside);
    EXPECT_NEAR(order, 8, 0.8) << m.name;
    EXPECT_GT(inside, 6.7) << m.name;
    RecordProperty("inside", std::to_string(inside));
  }
}

TEST(SmoothOrder, ArkodeHasTheOrderThatIsAskedForAndInterpolatesAtFive) {
  for (const std::int32_t order : {0, 2, 3, 4, 5, 6, 7, 8}) {
    double inside = 0;
    const std::int32_t expected = order == 0 ? 5 : order == 7 ? 8 : order;
    const double observed = observed_order(perp_smooth_arkode(), tools::kepler(), order,
                                           expected > 6 ? 16 : 40, &inside);
    EXPECT_NEAR(observed, expected, expected > 6 ? 0.9 : 0.6) << order;
    EXPECT_GT(inside, std::min(expected, 5) - 0.5) << order;
    RecordProperty("inside" + std::to_string(order), std::to_string(inside));
  }
}

// The number of steps of a method of order p grows as tol^(-1/(p + 1)), here with order 7 of the
// error estimate.
TEST(SmoothOrder, TheErrorEstimateOfRungeKuttaHasOrder7) {
  int steps[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    settings s;
    s.rtol = s.atol = k == 0 ? 1e-5 : 1e-11;
    integrator i(perp_smooth_runge_kutta(), tools::oscillator(), s);
    ASSERT_EQ(i.begin(), PERP_OK);
    steps[k] = i.run(100);
    ASSERT_GT(steps[k], 0);
  }
  EXPECT_NEAR(std::log(static_cast<double>(steps[1]) / steps[0]) / std::log(1e6), 1.0 / 8, 0.01);
  EXPECT_LT(steps[1], 450);
}

// As above.
TEST(SmoothOrder, CvodeStaysBelowTheOrderThatIsAskedFor) {
  struct {
    const perp_smooth *method;
    std::int32_t order;
  } const cases[] = {{perp_smooth_adams(), 2},
                     {perp_smooth_adams(), 4},
                     {perp_smooth_bdf(), 2},
                     {perp_smooth_bdf(), 4}};
  for (const auto &c : cases) {
    settings s;
    s.order = c.order;
    int steps[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      s.rtol = k == 0 ? 1e-6 : 1e-9;
      s.atol = s.rtol;
      integrator i(c.method, tools::oscillator(), s);
      ASSERT_EQ(i.begin(), PERP_OK);
      steps[k] = i.run(30);
      ASSERT_GT(steps[k], 0);
    }
    const double growth = std::log(static_cast<double>(steps[1]) / steps[0]) / std::log(1e3);
    EXPECT_NEAR(growth, 1.0 / (c.order + 1), 0.04) << c.order;
  }
}

TEST(SmoothRungeKutta, AThrownBallIsOneStepAndItsInterpolationIsExact) {
  integrator i(perp_smooth_runge_kutta(), tools::ball());
  ASSERT_EQ(i.create(), PERP_OK);
  const motion m = tools::ball();
  ASSERT_EQ(i.restart(0, m.exact(0), 0.4), PERP_OK);
  const taken s = i.step(0.4);
  EXPECT_EQ(s.end, 0.4);
  EXPECT_EQ(i.counts().evaluations, 13);
  state y;
  ASSERT_EQ(i.at(0.123, &y), PERP_OK);
  EXPECT_EQ(i.counts().evaluations, 16);
  EXPECT_LT(tools::distance(y, m.exact(0.123)), 1e-14);
  ASSERT_EQ(i.at(0.2, &y), PERP_OK);
  EXPECT_EQ(i.counts().evaluations, 16);  // once a step
  // The next flight: the first step is as long as it is told.
  ASSERT_EQ(i.restart(0.4, {0, 3}, 0.4), PERP_OK);
  EXPECT_EQ(i.step(10).end, 0.8);
}

TEST(SmoothSundials, TheMessageHasItsOwnWords) {
  for (const perp_smooth *method : {perp_smooth_arkode(), perp_smooth_adams(), perp_smooth_bdf()}) {
    trouble law;
    integrator i(method, law.law);
    ASSERT_EQ(i.begin(), PERP_OK);
    law.answer = -1;
    EXPECT_EQ(i.run(2), -1);
    EXPECT_NE(i.message().find("right-hand side"), std::string::npos) << i.message();
  }
}

}  // namespace
