// SPDX-License-Identifier: MIT
// Event-driven motion with impacts against closed solutions in long double (event_exact.hpp), by
// every integrator. Friction, relays and diodes have files of their own.
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
using tools::vec;
using tools::World;

constexpr double kG = 9.81;

class EventExact : public ::testing::TestWithParam<Method> {
 protected:
  double slack() const { return GetParam().slack; }
  void report(const std::string &what, double value) const {
    tools::figure(what + ", " + GetParam().name, value);
  }
};

/** A ball of 1 kg above the ground. */
void ball(World &w, double height, double speed, double e) {
  w.mass({1}, {-kG}, {height}, {speed});
  w.connect(w.gap({1}, {0}), w.newton(e));
}

void expect_impacts(const std::vector<tools::Seen> &seen, const exact::ball &b, int count,
                    double tolerance) {
  ASSERT_GE(seen.size(), static_cast<std::size_t>(count));
  double t = 0, v = 0, p = 0;
  for (int n = 1; n <= count; n++) {
    const tools::Seen &s = seen[static_cast<std::size_t>(n - 1)];
    raise(t, off(s.t, b.impact(n)));
    raise(v, off(s.v[0], -b.speed_before(n)));
    raise(v, off(s.v_after[0], b.e * b.speed_before(n)));
    raise(p, off(s.impulse[0], (1 + b.e) * b.speed_before(n)));
    EXPECT_DOUBLE_EQ(s.v_after[0], -static_cast<double>(b.e) * s.v[0]) << "impact " << n;
  }
  EXPECT_LE(t, tolerance);
  EXPECT_LE(v, 10 * tolerance);
  EXPECT_LE(p, 10 * tolerance);
}

TEST_P(EventExact, ABallBouncesThroughTheAccumulationOfItsImpactsToRest) {
  const exact::ball b;
  World w;
  ball(w, 1, 0, 0.9);
  Motion run(w, GetParam());
  vec times;
  for (int k = 1; k <= 1900; k++) times.push_back(0.005 * k);
  run.observer.times = times.data();
  run.observer.n_times = 1700;
  run.expect_until(8.5);
  ASSERT_EQ(run.samples.size(), 1700u);
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  ASSERT_EQ(impacts.size(), 44u);
  expect_impacts(impacts, b, 44, 1e-10 * slack());
  double height = 0, speed = 0, worst = 0;
  for (std::size_t k = 0; k < 1700; k++) {
    EXPECT_EQ(run.samples[k].t, times[k]);
    const real t = run.samples[k].t;
    raise(height, off(run.samples[k].q[0], b.height(t)));
    raise(speed, off(run.samples[k].v[0], b.velocity(t)));
  }
  for (std::size_t n = 0; n < 44; n++)
    raise(worst, off(impacts[n].t, b.impact(static_cast<int>(n) + 1)));
  report("ball, largest error of an impact time (s)", worst);
  report("ball, largest error of a height (m)", height);
  EXPECT_LE(height, 1e-11 * slack());
  EXPECT_LE(speed, 1e-9 * slack());

  run.samples.clear();
  run.observer.times = &times[1700];
  run.observer.n_times = 200;
  run.expect_until(9.5);
  ASSERT_EQ(run.samples.size(), 200u);
  const auto jumps = run.of(PERP_EVENT_ACCUMULATION);
  ASSERT_EQ(jumps.size(), 1u);
  EXPECT_NEAR(jumps[0].until, static_cast<double>(b.accumulation()), 1e-6 + 1e-8 * slack());
  EXPECT_GT(jumps[0].error, 0);
  EXPECT_LE(jumps[0].error, run.options.zeno_tol);
  EXPECT_EQ(run.report().jumps, 1);
  for (const tools::Sample &s : run.samples) {
    EXPECT_LE(off(s.q[0], b.height(s.t)), 1e-11 * slack()) << s.t;
    EXPECT_GE(s.q[0], -1e-12 * slack()) << s.t;
  }
  EXPECT_NEAR(run.lambda()[0], kG, 1e-13);
  EXPECT_EQ(run.v()[0], 0);
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
  const auto events = run.events.size();
  run.expect_until(20);
  EXPECT_EQ(run.events.size(), events) << "nothing happens at rest";
  EXPECT_NEAR(run.q()[0], 0, 1e-12 * slack());
}

TEST_P(EventExact, APlasticBallStopsAtItsFirstImpact) {
  World w;
  ball(w, 1, 0, 0);
  Motion run(w, GetParam());
  run.expect_until(3);
  const exact::ball b;
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kinds, std::uint32_t{PERP_EVENT_IMPACT | PERP_EVENT_CLOSE});
  EXPECT_LE(off(run.events[0].t, b.first()), 1e-11 * slack());
  EXPECT_LE(off(run.events[0].impulse[0], b.speed()), 1e-10 * slack());
  EXPECT_NEAR(run.q()[0], 0, 1e-12);
  EXPECT_EQ(run.v()[0], 0);
  EXPECT_NEAR(run.lambda()[0], kG, 1e-13);
}

TEST_P(EventExact, AnElasticBallKeepsItsEnergyOverManyImpacts) {
  exact::ball b;
  b.e = 1;
  World w;
  ball(w, 1, 0, 1);
  Motion run(w, GetParam());
  const double start = (run.create(), run.energy());
  run.expect_until(static_cast<double>(b.impact(200) + b.first()));
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  ASSERT_EQ(impacts.size(), 200u);
  double t = 0, energy = 0;
  for (int n = 1; n <= 200; n++) {
    const double v = impacts[static_cast<std::size_t>(n - 1)].v_after[0];
    raise(t, off(impacts[static_cast<std::size_t>(n - 1)].t, b.impact(n)));
    raise(energy, std::abs(v * v / 2 - start));
  }
  EXPECT_LE(t, 5e-10 * slack());
  EXPECT_LE(energy, 1e-10 * slack());
  EXPECT_NEAR(run.energy(), start, 1e-10 * slack());
  EXPECT_NEAR(run.q()[0], 1, 1e-9 * slack());
}

TEST_P(EventExact, ABallAtRestOnTheGroundHasNoEvents) {
  for (const double e : {0.0, 0.5, 1.0}) {
    World w;
    w.mass({2}, {-2 * kG}, {0}, {0});
    w.connect(w.gap({1}, {0}), w.newton(e));
    Motion run(w, GetParam());
    run.observer.every = 0.1;
    run.observer.first = 0.1;
    run.keep_lambda = true;
    run.expect_until(10);
    EXPECT_TRUE(run.events.empty()) << e;
    ASSERT_EQ(run.samples.size(), 100u);
    for (const tools::Sample &s : run.samples) {
      EXPECT_EQ(s.q[0], 0);
      EXPECT_EQ(s.v[0], 0);
      EXPECT_NEAR(s.lambda[0], 2 * kG, 1e-13);
    }
    EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
    EXPECT_LE(run.report().drift, 1e-15);
    EXPECT_LE(run.report().restarts, 2);
  }
}

TEST_P(EventExact, AContactAtTheStartTakesOffOrStrikes) {
  World up;
  ball(up, 0, 2, 0.5);
  Motion rising(up, GetParam());
  ASSERT_EQ(rising.create(), PERP_OK);
  EXPECT_EQ(rising.mode(), PERP_CONTACT_OPEN);
  rising.expect_until(0.3);
  EXPECT_TRUE(rising.events.empty());
  EXPECT_LE(off(rising.q()[0], 0.6L - 0.045L * 9.81L), 1e-11 * slack());
  ASSERT_EQ(perp_event_driven_next(rising.sim, 2, nullptr), PERP_OK);
  EXPECT_LE(off(rising.t(), 4 / 9.81L), 1e-11 * slack());

  World down;
  ball(down, 0, -2, 0.5);
  Motion falling(down, GetParam());
  ASSERT_EQ(falling.create(), PERP_OK);
  const perp_event *first = perp_event_driven_event(falling.sim);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->kinds, std::uint32_t{PERP_EVENT_START | PERP_EVENT_IMPACT});
  EXPECT_EQ(first->v[0], -2);
  EXPECT_EQ(first->impulse[0], 3);
  EXPECT_EQ(falling.v()[0], 1);
  ASSERT_EQ(perp_event_driven_next(falling.sim, 2, nullptr), PERP_OK);
  EXPECT_LE(off(falling.t(), 2 / 9.81L), 1e-11 * slack());
}

/** Position between two walls, without forces: the n-th impact after flights at v, e v, e² v ... */
TEST_P(EventExact, ABallFliesBetweenTwoWalls) {
  const double e = 0.9, L = 1, v = 2, x0 = 0.25;
  World w;
  w.mass({1}, {0}, {x0}, {v});
  const tools::vec floor{1}, ceiling{-1};
  w.connect(w.gap(floor, {0}), w.newton(e));
  w.connect(w.gap(ceiling, {L}), w.newton(e));
  Motion run(w, GetParam());
  run.expect_until(50);
  real t = (L - real{x0}) / v, speed = v;
  std::size_t n = 0;
  for (; t < 50; n++) {
    ASSERT_LT(n, run.events.size());
    const tools::Seen &s = run.events[n];
    EXPECT_LE(off(s.t, t), 1e-10 * slack() * static_cast<double>(t));
    ASSERT_EQ(s.changes.size(), 1u);
    EXPECT_EQ(s.changes[0].index, n % 2 == 0 ? 1 : 0);
    EXPECT_LE(off(s.impulse[n % 2 == 0 ? 1 : 0], (1 + real{e}) * speed), 1e-11 * slack());
    EXPECT_EQ(s.impulse[n % 2 == 0 ? 0 : 1], 0);
    speed *= real{e};
    t += L / speed;
  }
  EXPECT_EQ(run.events.size(), n);
}

/** A floor and a ceiling with weight: parabolas between them. */
TEST_P(EventExact, ABallWithWeightBouncesBetweenFloorAndCeiling) {
  const real e = 0.8L, g = 9.81L, L = 0.5L;
  World w;
  ball(w, 0.1, 6, 0.8);
  w.connect(w.gap({-1}, {0.5}), w.newton(0.8));
  Motion run(w, GetParam());
  run.expect_until(1.2);
  real t = 0, x = 0.1L, v = 6;
  std::size_t n = 0;
  while (true) {
    const bool up = v > 0 && v * v / (2 * g) > L - x;
    /* x + v s - g s²/2 = L or 0 */
    const real s =
        up ? (v - std::sqrt(v * v - 2 * g * (L - x))) / g : (v + std::sqrt(v * v + 2 * g * x)) / g;
    t += s;
    if (t > 1.2L) break;
    v = -e * (v - g * s);
    x = up ? L : 0;
    ASSERT_LT(n, run.events.size());
    EXPECT_LE(off(run.events[n].t, t), 1e-11 * slack());
    EXPECT_LE(off(run.events[n].v_after[0], v), 1e-10 * slack());
    n++;
  }
  EXPECT_EQ(run.events.size(), n);
  EXPECT_GT(n, 4u);
}

TEST_P(EventExact, TwoContactsOfOneBallAreIndependent) {
  exact::ball b, c;
  b.e = 0.6L;
  c.e = 0.7L;
  c.h = 0.3L;
  World w;
  w.mass({1, 2}, {-kG, -2 * kG}, {1, 0.3}, {0, 0});
  w.connect(w.gap({1, 0, 0, 1}, {0, 0}), w.newton(0.6)); /* one law, two copies, then another law */
  World other;
  other.mass({1, 2}, {-kG, -2 * kG}, {1, 0.3}, {0, 0});
  other.connect(other.gap({1, 0}, {0}), other.newton(0.6));
  other.connect(other.gap({0, 1}, {0}), other.newton(0.7));
  for (const bool same : {true, false}) {
    if (same) c.e = 0.6L;
    if (!same) c.e = 0.7L;
    Motion run(same ? w : other, GetParam());
    run.observer.first = run.observer.every = 0.01;
    run.expect_until(3);
    for (const tools::Sample &s : run.samples) {
      EXPECT_LE(off(s.q[0], b.height(s.t)), 1e-11 * slack()) << s.t;
      EXPECT_LE(off(s.q[1], c.height(s.t)), 1e-11 * slack()) << s.t;
    }
    EXPECT_EQ(run.report().jumps, 2);
    EXPECT_NEAR(run.lambda()[0], kG, 1e-12);
    EXPECT_NEAR(run.lambda()[1], 2 * kG, 1e-12);
  }
}

TEST_P(EventExact, SimultaneousImpactsAreOneEvent) {
  exact::ball b;
  World w;
  w.mass({1}, {-kG}, {1}, {0});
  w.mass({3}, {-3 * kG}, {1}, {0});
  for (std::int32_t i = 0; i < 2; i++) w.connect(w.gap({1}, {0}), w.newton(0.9), {i});
  Motion run(w, GetParam());
  run.expect_until(4);
  const int impacts = b.impacts(4);
  ASSERT_EQ(run.events.size(), static_cast<std::size_t>(impacts));
  for (const tools::Seen &s : run.events) {
    EXPECT_EQ(s.changes.size(), 2u);
    EXPECT_NEAR(s.impulse[1], 3 * s.impulse[0], 1e-12);
  }
  EXPECT_EQ(run.report().impacts, 2 * impacts);
}

TEST_P(EventExact, ASpringDrivesItsMassThroughAnAccumulationAgainstTheWall) {
  const exact::wall_oscillator o;
  ASSERT_NEAR(static_cast<double>(o.accumulation), 0.8702796077, 1e-10);
  World w;
  w.mass({1e-3, 1e-3}, {-1e-3 * kG, 0}, {1, 1e-3}, {0, 0}, {100, 100});
  w.connect(w.gap({1, 0}, {0}), w.newton(0.9));
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.001;
  run.keep_lambda = true;
  run.expect_until(2);
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  /* a time is as exact as the position over the speed */
  double time = 0, moved = 0, position = 0, free = 0;
  std::size_t n = 0;
  for (; n < impacts.size() && n < o.times.size(); n++) {
    const double late = off(impacts[n].t, o.times[n]);
    if (o.speeds[n] > 1e-4L) raise(time, late);
    raise(moved, late * static_cast<double>(o.speeds[n]));
  }
  ASSERT_GT(n, 150u);
  for (const tools::Sample &s : run.samples) {
    raise(position, off(s.q[0], o.position(s.t)));
    raise(free, off(s.q[1], 1e-3L * std::cos(o.w() * s.t)));
    if (s.t > 0.8703) {
      EXPECT_NEAR(s.lambda[0], 1e-3 * kG, 1e-12);
    }
  }
  report("wall oscillator, largest error of an impact time (s)", time);
  report("wall oscillator, largest error of a position (m)", position);
  EXPECT_LE(time, 1e-10 * slack());
  EXPECT_LE(moved, 1e-11 * slack());
  EXPECT_LE(position, 1e-10 * slack());
  EXPECT_LE(free, 1e-10 * slack());
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
  ASSERT_EQ(run.of(PERP_EVENT_ACCUMULATION).size(), 1u);
  EXPECT_NEAR(run.of(PERP_EVENT_ACCUMULATION)[0].until, static_cast<double>(o.accumulation), 1e-6);
}

std::int32_t excitation(double t, double *f, void *) {
  f[0] = 3 * std::cos(2 * t);
  return 0;
}

TEST_P(EventExact, AnExcitedOscillatorStrikesAWall) {
  const exact::forced motion{1, 3, 2};
  const auto expected = exact::forced_impacts(motion, 0.5L, 0.5L, 1, 0, 20);
  World w;
  w.mass({1}, {0}, {1}, {0}, {1}).force = excitation;
  w.connect(w.gap({1}, {0.5}), w.newton(0.5));
  Motion run(w, GetParam());
  run.expect_until(static_cast<double>(expected.back().t) + 1e-3);
  ASSERT_EQ(run.events.size(), expected.size());
  double t = 0, v = 0;
  for (std::size_t n = 0; n < expected.size(); n++) {
    raise(t, off(run.events[n].t, expected[n].t));
    raise(v, off(run.events[n].v_after[0], expected[n].v));
  }
  report("excited oscillator, largest error of an impact time (s)", t);
  EXPECT_LE(t, 1e-10 * slack());
  EXPECT_LE(v, 1e-9 * slack());
}

/** A contact that opens: y'' = λ - 1 + 2 sin t at rest until sin t = 1/2. */
std::int32_t lift(double t, double *f, void *) {
  f[0] = -1 + 2 * std::sin(t);
  return 0;
}

TEST_P(EventExact, AContactOpensWhereItsForceReachesZero) {
  World w;
  w.mass({1}, {0}, {0}, {0}).force = lift;
  w.connect(w.gap({1}, {0}), w.newton(0.5));
  Motion run(w, GetParam());
  run.keep_lambda = true;
  run.observer.first = run.observer.every = 0.05;
  run.expect_until(2.5);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kinds, std::uint32_t{PERP_EVENT_OPEN});
  EXPECT_LE(off(run.events[0].t, exact::pi / 6), 1e-11 * slack());
  const real a = exact::pi / 6, c = std::cos(a);
  for (const tools::Sample &s : run.samples) {
    const real t = s.t, d = t - a;
    if (t < a) {
      EXPECT_NEAR(s.q[0], 0, 1e-20);
      EXPECT_LE(off(s.lambda[0], 1 - 2 * std::sin(t)), 1e-13);
      continue;
    } /* y' = -d + 2 (c - cos t), y = -d²/2 + 2 c d - 2 (sin t - 1/2) */
    EXPECT_LE(off(s.q[0], -d * d / 2 + 2 * c * d - 2 * (std::sin(t) - 0.5L)), 1e-11 * slack());
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventExact, ::testing::ValuesIn(tools::kMethods), tools::method_name);

}  // namespace
