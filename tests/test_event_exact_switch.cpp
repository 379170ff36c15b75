// SPDX-License-Identifier: MIT
// Relays, ideal diodes and complementarity systems of first order in event-driven motion, against
// closed solutions in long double (event_exact.hpp) and those of Filippov.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "event_exact.hpp"
#include "event_tools.hpp"
#include "figure.hpp"

namespace {

using exact::off;
using exact::raise;
using exact::real;
using tools::Method;
using tools::Motion;
using tools::World;

class EventSwitch : public ::testing::TestWithParam<Method> {
 protected:
  double slack() const { return GetParam().slack; }
};

TEST_P(EventSwitch, RelaysReachZeroInFiniteTimeAndStay) {
  World w;
  w.state({1, -0.5}, {});
  w.connect(w.output(2, 2, {1, 0, 0, 1}, {}, {2, 0, 0, 2}), w.relay());
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.01;
  run.expect_until(1);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_LE(off(run.events[0].t, 0.25L), 1e-12 * slack());
  EXPECT_LE(off(run.events[1].t, 0.5L), 1e-12 * slack());
  EXPECT_EQ(run.events[0].kinds, std::uint32_t{PERP_EVENT_SWITCH});
  ASSERT_EQ(run.events[0].changes.size(), 1u);
  EXPECT_EQ(run.events[0].changes[0].copy, 1);
  EXPECT_EQ(run.events[0].changes[0].before, PERP_CONTACT_UPPER);
  EXPECT_EQ(run.events[0].changes[0].after, PERP_CONTACT_BETWEEN);
  for (const tools::Sample &s : run.samples) {
    EXPECT_LE(off(s.x[0], std::max(0.0L, 1 - 2 * real{s.t})), 1e-12 * slack());
    EXPECT_LE(off(s.x[1], std::min(0.0L, -0.5L + 2 * real{s.t})), 1e-12 * slack());
  }
  EXPECT_NEAR(run.lambda()[0], 0, 1e-14);
}

/** x' = -2 if x > y else 2; y' = -3 if y > x else 1.5: event-driven tools chatter on x = y, where
 * the solution slides with x' = y' = -6/17. */
TEST_P(EventSwitch, AChatteringRelaySlides) {
  World w;
  w.state({1.5, 1}, {}, {0, -0.75});
  w.connect(w.output(1, 2, {1, -1}, {}, {2, -2.25}), w.relay());
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.1;
  run.expect_until(100);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_LE(off(run.events[0].t, 1 / 7.0L), 1e-12 * slack());
  EXPECT_EQ(run.mode(), PERP_CONTACT_BETWEEN);
  EXPECT_NEAR(run.lambda()[0], -3.0 / 17, 1e-14);
  for (const tools::Sample &s : run.samples) {
    const real t = s.t, h = 1 / 7.0L, meet = 1.5L - 2 * h;
    EXPECT_LE(off(s.x[0], t < h ? 1.5L - 2 * t : meet - 6 * (t - h) / 17), 1e-11 * slack());
    EXPECT_LE(off(s.x[1], t < h ? 1 + 1.5L * t : meet - 6 * (t - h) / 17), 1e-11 * slack());
  }
  EXPECT_LE(run.report().drift, 1e-10 * slack());
}

/** x' = 2 sin t + λ slides with λ = -2 sin t, as long as that is within [-1, 1]. */
TEST_P(EventSwitch, ASlidingModeEndsWhereTheRelayIsExhausted) {
  World w;
  w.state({0}, {}).input = [](double t, double *f, void *) -> std::int32_t {
    f[0] = 2 * std::sin(t);
    return 0;
  };
  w.connect(w.output(1, 1, {1}, {}, {1}), w.relay());
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.05;
  run.keep_lambda = true;
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_EQ(run.mode(), PERP_CONTACT_BETWEEN);
  const real leave = exact::pi / 6;
  /* x = 2 (cos leave - cos t) - (t - leave) after it, until x = 0 */
  const auto after = [&](real t) { return 2 * (std::cos(leave) - std::cos(t)) - (t - leave); };
  const real back = exact::next_zero(after, leave, 0.01L);
  run.expect_until(static_cast<double>(back) + 0.1);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_LE(off(run.events[0].t, leave), 1e-11 * slack());
  EXPECT_LE(off(run.events[1].t, back), 1e-11 * slack());
  for (const tools::Sample &s : run.samples) {
    const bool slides = s.t < leave;
    EXPECT_LE(off(s.x[0], slides ? 0 : s.t < back ? after(s.t) : real{s.x[0]}), 1e-11 * slack());
    if (s.t < back) {
      EXPECT_LE(off(s.lambda[0], slides ? -2 * std::sin(real{s.t}) : -1), 1e-12 * slack());
    }
  }
}

/** Twisting: x'' = -3 sgn x - sgn x'. Turns shrink by (3-1)/(3+1) and crowd in finite time. */
TEST_P(EventSwitch, TwistingEndsInFiniteTime) {
  World w;
  w.state({1, 0}, {0, 0, 1, 0});
  w.connect(w.output(1, 2, {1, 0}, {}, {0, 3}), w.relay());
  w.connect(w.output(1, 2, {0, 1}, {}, {0, 1}), w.relay());
  Motion run(w, GetParam());
  const real fall = 1, brake = 2 / 4.0L; /* from X = 1: sqrt(2 X / 2), then |x'| = 2 over 4 */
  const real ratio = std::sqrt(0.5L), end = (fall + brake) / (1 - ratio);
  real t = 0, scale = 1;
  std::vector<real> expected;
  for (int turn = 0; turn < 20; turn++) {
    expected.push_back(t + scale * fall);
    t += scale * (fall + brake);
    expected.push_back(t);
    scale *= ratio;
  }
  run.expect_until(static_cast<double>(end) + 1);
  ASSERT_GE(run.events.size(), expected.size());
  double worst = 0;
  for (std::size_t n = 0; n < expected.size(); n++) raise(worst, off(run.events[n].t, expected[n]));
  EXPECT_LE(worst, 1e-10 * slack());
  /* held where a turn is below contact_tol, 1e-10: at a scale of 1e-5 */
  EXPECT_NEAR(run.x()[0], 0, 1e-14);
  EXPECT_NEAR(run.x()[1], 0, 1e-14);
  EXPECT_LE(off(run.events.back().t, end), 1e-4);
}

/** An oscillator with a diode and a resistor beside it: C v' = -i - λ, 0 <= R λ - v ⟂ λ >= 0. */
TEST_P(EventSwitch, ADiodeDampsHalfOfTheOscillationOfACoilAndACapacitor) {
  const double L = 1e-2, C = 1e-6, R = 1e3;
  World w;
  w.state({10, 0}, {0, 1 / L, -1 / C, 0});
  w.connect(w.output(1, 2, {-1, 0}, {R}, {-1 / C, 0}), w.diode());
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 1e-5;
  run.keep_lambda = true;
  run.expect_until(5e-3);
  exact::tank tank{L, C, 1 / real{R}, {0, 10, 0}};
  std::size_t k = 0, n = 0;
  double worst = 0, times = 0, current = 0;
  while (k < run.samples.size()) {
    const real end = tank.zero();
    for (; k < run.samples.size() && run.samples[k].t < end; k++) {
      const exact::point p = tank.at(run.samples[k].t);
      raise(worst, off(run.samples[k].x[0], p.x));
      raise(worst, 1e2 * off(run.samples[k].x[1], p.v));
      raise(current, 1e3 * off(run.samples[k].lambda[0], std::max(0.0L, p.x * tank.G)));
    }
    if (end > 5e-3L) break;
    ASSERT_LT(n, run.events.size());
    raise(times, off(run.events[n++].t, end));
    tank.state = tank.at(end);
    tank.state.x = 0;
    tank.G = tank.G > 0 ? 0 : 1 / real{R};
  }
  EXPECT_EQ(n, run.events.size());
  EXPECT_GE(n, 14u);
  EXPECT_LE(times, 1e-13 * slack());
  EXPECT_LE(worst, 1e-9 * slack());
  EXPECT_LE(current, 1e-9 * slack());
}

/** A bridge of four diodes makes its load a plain resistor for the oscillator. */
TEST_P(EventSwitch, ABridgeOfDiodesIsAResistor) {
  const double L = 1e-2, C = 1e-6, R = 1e3;
  World w;
  w.state({10, 0}, {0, 1 / L, -1 / C, 0});
  w.connect(w.output(4, 2, {0, 0, -1, 1, 0, 0, 0, 0},
                     {1 / R, 1 / R, 1, 0, 1 / R, 1 / R, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0},
                     {0, 0, 0, 0, -1 / C, 0, 1 / C, 0}),
            w.diode());
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 1e-5;
  run.keep_lambda = true;
  run.expect_until(5e-3);
  const exact::tank tank{L, C, 1 / real{R}, {0, 10, 0}};
  double worst = 0, currents = 0;
  ASSERT_EQ(run.samples.size(), 500u);
  for (const tools::Sample &s : run.samples) {
    const exact::point p = tank.at(s.t);
    raise(worst, off(s.x[0], p.x));
    raise(worst, 1e2 * off(s.x[1], p.v));
    raise(currents, 1e3 * off(s.lambda[2], std::max(0.0L, p.x / R)));
    raise(currents, 1e3 * off(s.lambda[3], std::max(0.0L, -p.x / R)));
  }
  EXPECT_LE(worst, 1e-9 * slack());
  EXPECT_LE(currents, 1e-9 * slack());
  EXPECT_GE(run.events.size(), 15u);
}

/** The source of a rectifier as two states of its own beside the voltage. */
void expect_rectifier(const Method &method, double r, double tolerance) {
  const double E = 10, W = 314, C = 1e-3, R = 50;
  const exact::rectifier expected{E, W, C, R, r};
  World w;
  w.state({0, 0, 1}, {-1 / (R * C), 0, 0, 0, 0, -W, 0, W, 0});
  w.connect(w.output(1, 3, {1, -E, 0}, r > 0 ? tools::vec{r} : tools::vec{}, {1 / C, 0, 0}),
            w.diode());
  Motion run(w, method);
  run.observer.first = run.observer.every = 1e-3;
  run.expect_until(0.2);
  const auto changes = expected.run(0.2L);
  ASSERT_EQ(run.events.size(), changes.size());
  double t = 0, v = 0;
  for (std::size_t n = 0; n < changes.size(); n++) {
    raise(t, W * off(run.events[n].t, changes[n].t));
    raise(v, off(run.events[n].x[0], changes[n].x));
  }
  for (const tools::Sample &s : run.samples) {
    exact::rectifier::change last{{0, 0, 0}, 1};
    for (const auto &c : changes)
      if (c.t <= s.t) last = c;
    raise(v, off(s.x[0], last.conducts != 0
                             ? expected.conducting(s.t, last.t, last.x)
                             : last.x * std::exp(-(real{s.t} - last.t) / (real{R} * C))));
  }
  EXPECT_LE(t, tolerance);
  EXPECT_LE(v, 10 * tolerance);
}

TEST_P(EventSwitch, ARectifierWithAResistanceHasDegreeZero) {
  expect_rectifier(GetParam(), 2, 1e-10 * slack());
}
TEST_P(EventSwitch, ARectifierWithoutOneHasDegreeOne) {
  expect_rectifier(GetParam(), 0, 1e-10 * slack());
}

/** A rectifier with the source as a function of time in the relation, whose rate is not given. */
TEST_P(EventSwitch, AnOutputMayDependOnTime) {
  perp_linear_varying_relation varying;
  ASSERT_EQ(perp_linear_varying_relation_init(&varying, sizeof varying, 1, 1), PERP_OK);
  const double c = 1, b = 1e3;
  varying.linear.C = &c;
  varying.linear.B = &b;
  varying.e = [](double t, double *e, void *) -> std::int32_t {
    e[0] = -10 * std::sin(314 * t);
    return 0;
  };
  World w;
  w.state({0}, {-20});
  w.connect(&varying.linear.relation, w.diode());
  Motion run(w, GetParam()); /* differences are noise that no tolerance may be below */
  run.options.rtol = std::max(run.options.rtol, 1e-9);
  run.options.atol = std::max(run.options.atol, 1e-9);
  run.expect_until(0.1);
  const auto changes = exact::rectifier{10, 314, 1e-3L, 50, 0}.run(0.1L);
  ASSERT_EQ(run.events.size(), changes.size());
  for (std::size_t n = 0; n < changes.size(); n++) {
    EXPECT_LE(314 * off(run.events[n].t, changes[n].t), 1e-7 * slack());
    EXPECT_LE(off(run.events[n].x[0], changes[n].x), 1e-7 * slack());
  }
}

/** Skorokhod's reflection: x' = u(t) + λ, 0 <= x ⟂ λ >= 0 is x = U + max(0, -min U). */
TEST_P(EventSwitch, AReflectedPathIsThatOfSkorokhod) {
  World w;
  w.state({0.5}, {}).input = [](double t, double *f, void *) -> std::int32_t {
    f[0] = -2 * std::sin(t) - 0.1;
    return 0;
  };
  w.connect(w.output(1, 1, {1}, {}, {1}), w.diode());
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.02;
  run.keep_lambda = true;
  run.expect_until(20);
  const auto U = [](real t) { return 0.5L + 2 * (std::cos(t) - 1) - 0.1L * t; };
  std::vector<real> expected;
  const real open = exact::pi + std::asin(0.05L);
  real low = 0;
  for (int turn = 0; turn < 3; turn++) {
    const real begin = turn == 0 ? 0 : open + 2 * exact::pi * (turn - 1);
    expected.push_back(exact::next_zero([&](real t) { return U(t) - low; }, begin, 0.01L));
    expected.push_back(open + 2 * exact::pi * turn);
    low = U(expected.back());
  }
  ASSERT_EQ(run.events.size(), 6u);
  for (std::size_t n = 0; n < 6; n++) EXPECT_LE(off(run.events[n].t, expected[n]), 1e-10 * slack());
  real least = 0;
  std::size_t n = 0;
  for (const tools::Sample &s : run.samples) {
    for (; n < 6 && expected[n] < s.t; n++) least = std::min(least, U(expected[n]));
    const bool held = n % 2 == 1;
    EXPECT_LE(off(s.x[0], held ? 0 : U(s.t) - least), 1e-10 * slack()) << s.t;
    EXPECT_LE(off(s.lambda[0], held ? 2 * std::sin(real{s.t}) + 0.1L : 0), 1e-11 * slack()) << s.t;
  }
}

/** The ball as a system of first order: y = x_0 has relative degree two, impacts are plastic. */
TEST_P(EventSwitch, ABallOfFirstOrderHasDegreeTwo) {
  World w;
  w.state({1, 0}, {0, 0, 1, 0}).input = [](double t, double *f, void *) -> std::int32_t {
    f[0] = 0;
    f[1] = -9.81 + 2 * t * t;
    return 0;
  };
  w.connect(w.output(1, 2, {1, 0}, {}, {0, 1}), w.diode());
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.01;
  run.keep_lambda = true;
  run.expect_until(3);
  const auto height = [](real t) { return 1 - 9.81L * t * t / 2 + t * t * t * t / 6; };
  const real touch = exact::next_zero(height, 0, 0.01L), lift = std::sqrt(9.81L / 2);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_TRUE(run.events[0].is(PERP_EVENT_IMPACT));
  EXPECT_LE(off(run.events[0].t, touch), 1e-11 * slack());
  EXPECT_LE(off(run.events[0].impulse[0], 9.81L * touch - 2 * touch * touch * touch / 3),
            1e-9 * slack()); /* by differences along the motion */
  EXPECT_LE(off(run.events[1].t, lift), 1e-11 * slack());
  for (const tools::Sample &s : run.samples) {
    const real t = s.t, d = t - lift;
    /* from lift on: h'' = 2 (t² - lift²) = 2 d² + 4 lift d */
    const real h = t < touch ? height(t) : d < 0 ? 0 : d * d * d * d / 6 + 2 * lift * d * d * d / 3;
    EXPECT_LE(off(s.x[0], h), 1e-11 * slack());
    EXPECT_LE(off(s.lambda[0], t > touch && d < 0 ? 9.81L - 2 * t * t : 0), 1e-11 * slack());
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventSwitch, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);
/* with the others the mode of two relays of different degree is not found where turns are short */
}  // namespace
