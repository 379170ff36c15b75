// SPDX-License-Identifier: MIT
// Poincaré sections of both strategies against exact solutions; sweeps that give the same whatever
// the number of workers; tables and their CSV form.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "facade_tools.hpp"
#include "perp/perp.hpp"
#include "perp/poincare.hpp"

namespace {

using perp::section_point;
using perp::span;
using tools::expect_refusal;

constexpr double g = 9.81, kHeight = 1, kE = 0.8;
constexpr perp::system_id kBall{0};
constexpr perp::interaction_id kFloor{0};

perp::model ball_model(double e = kE, double height = kHeight) {
  perp::model m;
  const auto b = m.add(perp::lagrangian_linear(1, 1.0, -g), {height});
  m.connect(perp::lagrangian_linear_relation(1.0), perp::newton_impact(e), b);
  return m;
}

/** Time of impact n = 0, 1, ... and speed with which the ball leaves it. */
double exact_impact(int n) {
  const double first = std::sqrt(2 * kHeight / g);
  double t = first, flight = 2 * first;
  for (int k = 0; k < n; k++) t += flight *= kE;
  return t;
}
double exact_speed(int n) { return std::sqrt(2 * g * kHeight) * std::pow(kE, n + 1); }

const std::vector<perp::column> kImpactColumns = {
    {"time", "s"}, {"before", "m/s"}, {"after", "m/s"}, {"impulse", "N s"}};
void impact_row(const section_point &p, span row) {
  row[0] = p.time();
  row[1] = p.v_before(kBall)[0];
  row[2] = p.v(kBall)[0];
  row[3] = p.impulse()[0];
}

TEST(Poincare, ImpactsOfABallAreThoseOfTheExactSolution) {
  const perp::model m = ball_model();
  perp::event_driven sim(m);
  const perp::table map = perp::impact_map(sim, kFloor, 10, kImpactColumns, impact_row, 20);
  EXPECT_EQ(sim.status(), PERP_STOPPED);
  ASSERT_EQ(map.rows(), 20u);
  for (int n = 0; n < 20; n++) {
    const auto i = static_cast<std::size_t>(n);
    EXPECT_NEAR(map(i, 0), exact_impact(n), 1e-10) << n;
    EXPECT_NEAR(map(i, 1), -exact_speed(n - 1), 1e-9) << n;
    EXPECT_NEAR(map(i, 2), exact_speed(n), 1e-9) << n;
    EXPECT_NEAR(map(i, 3), exact_speed(n) + exact_speed(n - 1), 1e-9) << n;
  }
  EXPECT_NEAR(sim.time(), exact_impact(19), 1e-10) << "ends at the last point";
}

TEST(Poincare, TimeSteppingFeedsTheSameMapWithinItsStep) {
  const double h = 1e-5;
  perp::simulation sim(ball_model(), h);
  const perp::table map = perp::impact_map(sim, kFloor, 4, kImpactColumns, impact_row, 8);
  ASSERT_EQ(map.rows(), 8u);
  for (int n = 0; n < 8; n++) {
    const auto i = static_cast<std::size_t>(n);
    EXPECT_NEAR(map(i, 0), exact_impact(n), 30 * h) << n;
    EXPECT_NEAR(map(i, 1), -exact_speed(n - 1), 100 * h) << n;
    EXPECT_NEAR(map(i, 2), exact_speed(n), 100 * h) << n;
    EXPECT_NEAR(map(i, 3), exact_speed(n) + exact_speed(n - 1), 200 * h) << n;
  }
}

TEST(Poincare, ARestingContactIsOneImpact) {
  perp::simulation stepping(ball_model(0.0), 1e-3);
  const perp::table a = perp::impact_map(stepping, kFloor, 2, kImpactColumns, impact_row);
  EXPECT_EQ(a.rows(), 1u);
  perp::event_driven events(ball_model(0.0));
  const perp::table b = perp::impact_map(events, kFloor, 2, kImpactColumns, impact_row);
  ASSERT_EQ(b.rows(), 1u);
  EXPECT_NEAR(b(0, 0), exact_impact(0), 1e-10);
  EXPECT_EQ(b(0, 2), 0);
  EXPECT_EQ(events.status(), PERP_OK);
}

TEST(Poincare, CopiesAreToldApart) {  // two balls under one interaction with two copies
  perp::model m;
  const auto balls = m.add(perp::lagrangian_linear(2, {1, 1}, {-g, -g}), {1.0, 2.0});
  const auto floor = m.connect(perp::lagrangian_linear_relation(perp::rows({{1, 0}, {0, 1}})),
                               perp::newton_impact(0.5), balls);
  const std::vector<perp::column> columns = {{"time", "s"}, {"copy", ""}, {"impulse", "N s"}};
  const auto row = [](const section_point &p, span r) {
    r[0] = p.time(), r[1] = p.copy(), r[2] = p.impulse()[0];
  };
  perp::event_driven events(m);
  perp::simulation stepping(m, 1e-4);
  const perp::table a = perp::impact_map(events, floor, 0.8, columns, row);
  const perp::table b = perp::impact_map(stepping, floor, 0.8, columns, row);
  ASSERT_EQ(a.rows(), 2u);
  ASSERT_EQ(b.rows(), 2u);
  for (std::size_t i = 0; i < 2; i++) {
    const double height = 1.0 + static_cast<double>(i);
    EXPECT_NEAR(a(i, 0), std::sqrt(2 * height / g), 1e-10);
    EXPECT_EQ(a(i, 1), static_cast<double>(i));
    EXPECT_NEAR(a(i, 2), 1.5 * std::sqrt(2 * g * height), 1e-9);
    EXPECT_EQ(b(i, 1), static_cast<double>(i));
    EXPECT_NEAR(b(i, 2), a(i, 2), 1e-2);
  }
  perp::event_driven again(m);
  perp::table only({{"time", "s"}});
  EXPECT_EQ(perp::record(again, perp::section::impacts(floor, 1), 0.8, only,
                         [](const section_point &p, span r) { r[0] = p.time(); }),
            PERP_OK);
  ASSERT_EQ(only.rows(), 1u);
  EXPECT_NEAR(only(0, 0), std::sqrt(2 * 2 / g), 1e-10);
}

/** M x'' + C x' + K x = F cos(w t), from rest. */
struct oscillator {
  double M = 2, C = 0.7, K = 30, F = 5, w = 3;
  perp::model model() const {
    perp::lagrangian_linear s(1, M);
    s.C = C, s.K = K;
    s.force = [F = F, w = w](double t, span f) { f[0] = F * std::cos(w * t); };
    perp::model m;
    m.add(s, {0.0});
    return m;
  }
  double period() const { return 2 * std::acos(-1.0) / w; }
  /** Periodic motion at phase 0: x = a cos w t + b sin w t. */
  double x() const { return F * (K - M * w * w) / size(); }
  double v() const { return F * C * w / size() * w; }
  double size() const { return (K - M * w * w) * (K - M * w * w) + C * w * C * w; }
};

TEST(Poincare, TheStroboscopicMapOfALinearOscillatorTendsToItsFixedPoint) {
  const oscillator o;
  const double T = o.period();
  perp::event_driven sim(o.model());
  const perp::table map = perp::stroboscopic_map(sim, T, 60.5 * T);
  EXPECT_EQ(sim.status(), PERP_OK);
  ASSERT_EQ(map.rows(), 60u);
  EXPECT_EQ(map.columns()[1].title(), "q0");
  // Distance to the fixed point: free motion from (-x, -v), damped by exp(-C t / 2 M).
  const double a = o.C / (2 * o.M), w0 = std::sqrt(o.K / o.M - a * a);
  for (std::size_t n = 1; n <= 60; n++) {
    const double t = static_cast<double>(n) * T;
    EXPECT_NEAR(map(n - 1, 0), t, 1e-12 * t);
    const double c = -o.x(), s = (-o.v() + a * c) / w0;
    const double x = o.x() + std::exp(-a * t) * (c * std::cos(w0 * t) + s * std::sin(w0 * t));
    EXPECT_NEAR(map(n - 1, 1), x, 1e-9) << n;
  }
  EXPECT_NEAR(map(59, 1), o.x(), 1e-8);
  EXPECT_NEAR(map(59, 2), o.v(), 1e-8);
}

TEST(Poincare, StroboscopicTimesBetweenGridPointsAreInterpolated) {
  const oscillator o;
  const double T = o.period();  // no multiple of h
  perp::simulation sim(o.model(), 1e-3);
  const perp::table map = perp::stroboscopic_map(sim, T, 40.5 * T);
  ASSERT_EQ(map.rows(), 40u);
  EXPECT_NEAR(map(39, 0), 40 * T, 1e-11);
  EXPECT_NEAR(map(39, 1), o.x(), 1e-4);
  EXPECT_NEAR(map(39, 2), o.v(), 1e-4);
  perp::simulation grid(o.model(), 0.125);
  const perp::table on_grid = perp::stroboscopic_map(grid, 0.5, 5);
  ASSERT_EQ(on_grid.rows(), 10u) << "every fourth point, the last one too";
  EXPECT_EQ(on_grid(9, 0), 5);
  EXPECT_EQ(on_grid(9, 1), grid.q(perp::system_id{0})[0]);
}

TEST(Poincare, MapsGoOnWhereTheLastOneEnded) {
  const oscillator o;
  perp::event_driven whole(o.model()), parts(o.model());
  const perp::table all = perp::stroboscopic_map(whole, 0.5, 4);
  perp::table pieces = perp::stroboscopic_map(parts, 0.5, 2);
  pieces.append(perp::stroboscopic_map(parts, 0.5, 4));
  ASSERT_EQ(all.rows(), 8u);
  ASSERT_EQ(pieces.rows(), 8u);
  for (std::size_t i = 0; i < 8; i++) {
    EXPECT_EQ(pieces(i, 0), all(i, 0));
    EXPECT_NEAR(pieces(i, 1), all(i, 1), 1e-9);
  }
}

TEST(Poincare, CrossingsOfAGuardAreThoseOfTheExactSolution) {
  // x = cos t; v = -sin t falls through zero at 0 (start), 2 pi, ..., rises at pi, 3 pi, ...
  perp::lagrangian_linear s(1, 1.0);
  s.K = 1.0;
  perp::model m;
  const auto mass = m.add(s, {1.0});
  const perp::guard turn{[mass](const perp::event_state &at) { return at.v(mass)[0]; }, 1, {}};
  perp::event_options options;
  options.guards = {turn};
  perp::event_driven events(m, options);
  perp::simulation stepping(m, 1e-3);
  const auto row = [&](const section_point &p, span r) { r[0] = p.time(), r[1] = p.q(mass)[0]; };
  perp::table a({{"time", "s"}, {"x", "m"}}), b = a;
  const perp::section turns = perp::section::crossings(turn);
  EXPECT_EQ(perp::record(events, turns, 20, a, row), PERP_OK);
  EXPECT_EQ(perp::record(stepping, turns, 20, b, row), PERP_OK);
  ASSERT_EQ(a.rows(), 3u);
  ASSERT_EQ(b.rows(), 3u);
  const double pi = std::acos(-1.0);
  for (std::size_t i = 0; i < 3; i++) {
    const double t = pi * static_cast<double>(2 * i + 1);
    EXPECT_NEAR(a(i, 0), t, 1e-9);
    EXPECT_NEAR(a(i, 1), -1, 1e-9);
    EXPECT_NEAR(b(i, 0), t, 1e-5);
    EXPECT_NEAR(b(i, 1), -1, 1e-5);
  }
}

TEST(Poincare, WrongSectionsAreRefused) {
  perp::event_driven events(ball_model());
  perp::simulation stepping(ball_model(), 1e-3);
  perp::table t({{"time", "s"}});
  const auto row = [](const section_point &p, span r) { r[0] = p.time(); };
  const perp::guard other{[](const perp::event_state &at) { return at.q(kBall)[0]; }, 0,
                          [](perp::reset_state &) {}};
  expect_refusal([&] { (void)perp::record(events, perp::section::crossings(other), 1, t, row); },
                 {"guard", "event_options"});
  expect_refusal([&] { (void)perp::record(stepping, perp::section::crossings(other), 1, t, row); },
                 {"reset"});
  expect_refusal([] { (void)perp::section::stroboscopic(0); }, {"period"});
  const auto none = perp::section::impacts(perp::interaction_id{3});
  expect_refusal([&] { (void)perp::record(events, none, 1, t, row); }, {"interaction"});
  expect_refusal([&] { (void)perp::record(stepping, none, 1, t, row); }, {"interaction"});
  EXPECT_EQ(events.time(), 0);
  EXPECT_EQ(stepping.time(), 0);
  EXPECT_TRUE(t.empty());
}

TEST(Poincare, WhatARowThrowsComesOutAndLeavesNoRow) {
  const auto row = [](const section_point &p, span r) {
    r[0] = p.time();
    if (p.number() == 2) throw std::runtime_error("enough");
  };
  perp::table a({{"time", "s"}}), b = a;
  perp::event_driven events(ball_model());
  perp::simulation stepping(ball_model(), 1e-3);
  const auto impacts = perp::section::impacts(kFloor);
  EXPECT_THROW((void)perp::record(events, impacts, 5, a, row), std::runtime_error);
  EXPECT_THROW((void)perp::record(stepping, impacts, 5, b, row), std::runtime_error);
  EXPECT_EQ(a.rows(), 2u);
  EXPECT_EQ(b.rows(), 2u);
  EXPECT_NEAR(events.time(), exact_impact(2), 1e-10) << "the state of the third impact";
  EXPECT_EQ(events.run_until(5), PERP_OK) << "goes on";
}

// ------------------------------------------------------------------------------- sweeps ----

perp::table bounces(double e) {
  perp::event_driven sim(ball_model(e));
  return perp::impact_map(sim, kFloor, 10, kImpactColumns, impact_row, 12);
}

TEST(Poincare, ASweepDoesNotDependOnTheNumberOfWorkers) {
  const std::vector<double> es = perp::evenly(0.5, 0.9, 33);
  std::string first;
  for (const std::int32_t workers : {1, 2, 3, 7, 0}) {
    perp::sweep_options o;
    o.workers = workers;
    const perp::table t = perp::bifurcation_diagram({"e", ""}, es, bounces, o);
    ASSERT_EQ(t.rows(), 33u * 12u);
    const std::string csv = perp::to_csv(t);
    if (first.empty()) first = csv;
    EXPECT_EQ(csv, first) << workers;
  }
  const perp::table t = perp::bifurcation_diagram({"e", ""}, es, bounces);
  EXPECT_EQ(t.columns()[0].title(), "e");
  EXPECT_EQ(t.columns()[1].title(), "time (s)");
  for (std::size_t i = 0; i < t.rows(); i++) {
    EXPECT_EQ(t(i, 0), es[i / 12]);
    EXPECT_NEAR(t(i, 3) / t(i, 2), -t(i, 0), 1e-9);
  }
}

TEST(Poincare, ASweepHandsOutItsRunsOneByOne) {
  std::vector<int> all(1000);
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::atomic<int>> calls(1000);
  std::size_t seen = 0;
  bool in_order = true;
  perp::sweep_options o;
  o.workers = 4;
  o.progress = [&](std::size_t done, std::size_t of) {
    in_order = in_order && done == ++seen && of == 1000;
  };
  const std::vector<std::string> texts = perp::sweep(
      all,
      [&](int i) {
        calls[static_cast<std::size_t>(i)]++;
        return std::to_string(i);
      },
      o);
  ASSERT_EQ(texts.size(), 1000u);
  for (int i = 0; i < 1000; i++) {
    EXPECT_EQ(texts[static_cast<std::size_t>(i)], std::to_string(i));
    EXPECT_EQ(calls[static_cast<std::size_t>(i)], 1);
  }
  EXPECT_EQ(seen, 1000u);
  EXPECT_TRUE(in_order);
  EXPECT_TRUE(perp::sweep(std::vector<int>{}, [](int i) { return i; }).empty());
}

TEST(Poincare, TheFirstExceptionOfASweepComesOut) {
  std::vector<int> all(200);
  std::iota(all.begin(), all.end(), 0);
  for (const std::int32_t workers : {1, 2, 5}) {
    for (const int late : {20, 21}) { /* it throws after the others */
      perp::sweep_options o;
      o.workers = workers;
      std::atomic<int> calls{0};
      std::atomic<bool> both{workers == 1};
      const auto run = [&](int i) {
        calls++;
        if (i == 21) both = true;
        while (i == 20 && !both) std::this_thread::yield();
        if (i == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (i >= 20) throw std::runtime_error(std::to_string(i));
        return i;
      };
      try {
        (void)perp::sweep(all, run, o);
        FAIL() << "went through";
      } catch (const std::runtime_error &e) {
        EXPECT_STREQ(e.what(), "20") << workers << " " << late;
      }
      EXPECT_LT(calls, 40) << "no further run began";
    }
  }
  perp::sweep_options o;
  o.progress = [](std::size_t done, std::size_t) {
    if (done == 3) throw std::runtime_error("stop");
  };
  EXPECT_THROW((void)perp::sweep(
                   all, [](int i) { return i; }, o),
               std::runtime_error);
}

// ------------------------------------------------------------------------------- tables ----

TEST(Poincare, TablesKnowTheirColumns) {
  perp::table t({{"time", "s"}, {"x", ""}});
  t.add({1, 2});
  const span row = t.add();
  row[0] = 1.0 / 3;
  row[1] = -1e300;
  EXPECT_EQ(t.rows(), 2u);
  EXPECT_EQ(t["x"], (std::vector<double>{2, -1e300}));
  EXPECT_EQ(t.row(0)[1], 2);
  expect_refusal([&] { (void)t["speed"]; }, {"no column speed"});
  expect_refusal([&] { t.add({1, 2, 3}); }, {"columns"});
  perp::table wide({{"p", ""}, {"time", "s"}, {"x", ""}});
  wide.append(t, {7});
  EXPECT_EQ(wide.rows(), 2u);
  EXPECT_EQ(wide(1, 0), 7);
  EXPECT_EQ(wide(1, 2), -1e300);
  expect_refusal([&] { wide.append(t); }, {"columns"});
  t.drop();
  EXPECT_EQ(t.rows(), 1u);
  EXPECT_EQ(perp::evenly(1, 2, 3), (std::vector<double>{1, 1.5, 2}));
  EXPECT_EQ(perp::evenly(1, 2, 1), (std::vector<double>{1}));
}

TEST(Poincare, CsvGivesBackEveryBit) {
  perp::table t({{"time", "s"}, {"angle", "rad"}});
  t.add({1.0 / 3, -std::acos(-1.0)});
  t.add({1e-300, 0});
  const std::string path = testing::TempDir() + "perp_poincare.csv";
  perp::write_csv(t, path);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "time (s),angle (rad)");
  for (std::size_t i = 0; i < 2; i++) {
    double a = 0, b = 0;
    char comma = 0;
    std::getline(file, line);
    std::istringstream(line) >> a >> comma >> b;
    EXPECT_EQ(a, t(i, 0));
    EXPECT_EQ(b, t(i, 1));
  }
  (void)std::remove(path.c_str());
  expect_refusal([&] { perp::write_csv(t, "/no/such/folder/x.csv"); }, {"/no/such/folder/x.csv"});
}

}  // namespace
