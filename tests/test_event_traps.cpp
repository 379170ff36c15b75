// SPDX-License-Identifier: MIT
// The known traps of rootfinding between events: each has a motion that falls into it, with a
// closed solution, for every integrator.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "event_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::vec;
using tools::World;

class EventTraps : public ::testing::TestWithParam<Method> {
 protected:
  double slack() const { return GetParam().slack; }
};

/** A guard made of two functions. */
struct Guard {
  std::function<double(const perp_event_state &)> value;
  std::function<void(perp_event_state &)> reset;
  std::int32_t direction = 0;
  perp_guard c() {
    perp_guard g{};
    g.value = [](const perp_event_state *at, double *out, void *self) -> std::int32_t {
      *out = static_cast<Guard *>(self)->value(*at);
      return 0;
    };
    if (reset)
      g.reset = [](perp_event_state *at, void *self) -> std::int32_t {
        static_cast<Guard *>(self)->reset(*at);
        return 0;
      };
    g.user = this;
    g.direction = direction;
    return g;
  }
};
void watch(Motion &run, std::vector<perp_guard> &guards) {
  run.options.guards = guards.data();
  run.options.n_guards = static_cast<std::int32_t>(guards.size());
}

/** x = t: a free mass of speed 1. */
void clock(World &w) { w.mass({1}, {0}, {0}, {1}); }
/** Impacts at 1, 1 + 2 e, 1 + 2 e + 2 e² ...: 4 m high, g = 8. */
void ball(World &w, double e, double height = 4) {
  w.mass({1}, {-8}, {height}, {0});
  w.connect(w.gap({1}, {0}), w.newton(e));
}

TEST_P(EventTraps, AGuardThatIsZeroAtTheStartSpeaksAtItsNextZero) {
  World w;
  clock(w);
  Guard sine{[](auto &s) { return std::sin(3 * s.q[0]); }, nullptr, 0};
  std::vector<perp_guard> guards{sine.c()};
  Motion run(w, GetParam());
  watch(run, guards);
  run.expect_until(4);
  ASSERT_EQ(run.events.size(), 3u);
  for (std::size_t n = 0; n < 3; n++) {
    EXPECT_EQ(run.events[n].kinds, std::uint32_t{PERP_EVENT_GUARD});
    EXPECT_NEAR(run.events[n].t, M_PI / 3 * static_cast<double>(n + 1), 1e-12 * slack());
  }
}

TEST_P(EventTraps, DirectionsChooseTheirCrossings) {
  for (const std::int32_t direction : {-1, 0, 1}) {
    World w;
    clock(w);
    Guard cosine{[](auto &s) { return std::cos(s.q[0]); }, nullptr, direction};
    std::vector<perp_guard> guards{cosine.c()};
    Motion run(w, GetParam());
    watch(run, guards);
    run.expect_until(10); /* falls at π/2 and 5π/2, rises at 3π/2 */
    ASSERT_EQ(run.events.size(), direction == 0 ? 3u : direction < 0 ? 2u : 1u);
    EXPECT_NEAR(run.events[0].t, direction > 0 ? 1.5 * M_PI : 0.5 * M_PI, 1e-12 * slack());
  }
}

TEST_P(EventTraps, ATouchDoesNotCross) {
  World w;
  clock(w);
  Guard even{[](auto &s) { return (s.q[0] - 1) * (s.q[0] - 1) + 1e-9; }, nullptr, 0};
  std::vector<perp_guard> guards{even.c()};
  Motion run(w, GetParam());
  watch(run, guards);
  run.expect_until(2);
  EXPECT_TRUE(run.events.empty());
}

TEST_P(EventTraps, AGrazingContactGivesNoImpulse) {
  World w;
  w.mass({1}, {-8}, {0}, {8}); /* apex at t = 1 in 4 */
  w.connect(w.gap({-1}, {4 + 1e-12}), w.newton(0.9));
  Motion run(w, GetParam());
  run.expect_until(1.5);
  for (const tools::Seen &s : run.events) EXPECT_LE(std::abs(s.impulse[0]), 1e-5 * slack());
  EXPECT_NEAR(run.q()[0], 3, 1e-5 * slack());
}

/** An apex that is a little above a ceiling: both crossings lie in one step, which may be long. */
TEST_P(EventTraps, TwoCrossingsOfAContactInOneStepAreSeen) {
  for (const double above : {1e-3, 1e-5, 1e-7}) {
    World w;
    w.mass({1}, {-8}, {0}, {8});
    w.connect(w.gap({-1}, {4 - above}), w.newton(0.5));
    Motion run(w, GetParam());
    run.expect_until(1.3);
    ASSERT_EQ(run.events.size(), 1u) << above;
    const double dt =
        std::sqrt(2 * above / 8); /* a time is as exact as the height over the speed */
    EXPECT_NEAR(run.events[0].t, 1 - dt, 1e-13 * slack() / dt) << above;
    EXPECT_NEAR(run.events[0].v_after[0], -4 * dt, 1e-12 * slack() / dt) << above;
  }
}

TEST_P(EventTraps, AThinBumpOfAGuardIsSeenWithSamplesOrAShortStep) {
  for (const bool by_samples : {true, false}) {
    World w;
    clock(w);
    Guard bump{[](auto &s) { return (s.q[0] - 1) * (s.q[0] - 1) - 1e-4; }, nullptr, 0};
    std::vector<perp_guard> guards{bump.c()};
    Motion run(w, GetParam());
    watch(run, guards);
    if (by_samples) run.options.samples = 400;
    if (!by_samples) run.options.h_max = 0.01;
    run.expect_until(2);
    ASSERT_EQ(run.events.size(), 2u) << by_samples;
    EXPECT_NEAR(run.events[0].t, 0.99, 1e-12 * slack());
    EXPECT_NEAR(run.events[1].t, 1.01, 1e-12 * slack());
  }
}

TEST_P(EventTraps, ARootIsNotSeenTwice) {
  World w;
  clock(w);
  int resets = 0;
  Guard one{[](auto &s) { return s.q[0] - 1; }, [&](perp_event_state &) { resets++; }, 0};
  std::vector<perp_guard> guards{one.c()};
  Motion run(w, GetParam());
  watch(run, guards);
  run.expect_until(3);
  EXPECT_EQ(run.events.size(), 1u);
  EXPECT_EQ(resets, 1);
  EXPECT_NEAR(run.q()[0], 3, 1e-12 * slack());
}

TEST_P(EventTraps, AGuardMayBeZeroAllTheTime) {
  World w;
  w.mass({1}, {-8}, {0}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5));
  Guard zero{[](auto &) { return 0.0; }, nullptr, 0};
  Guard gap{[](auto &s) { return s.q[0]; }, nullptr, 0};
  std::vector<perp_guard> guards{zero.c(), gap.c()};
  Motion run(w, GetParam());
  watch(run, guards);
  run.expect_until(3);
  EXPECT_TRUE(run.events.empty());
}

TEST_P(EventTraps, AnEventAtTheEndHappensOnce) {
  World w;
  ball(w, 0.5);
  Motion run(w, GetParam());
  run.expect_until(1);
  run.expect_until(1.5);
  ASSERT_EQ(run.of(PERP_EVENT_IMPACT).size(), 1u);
  EXPECT_NEAR(run.q()[0], 4 * 0.5 - 4 * 0.25, 1e-11 * slack());
  World other;
  clock(other);
  int resets = 0;
  Guard one{[](auto &s) { return s.q[0] - 1; }, [&](perp_event_state &) { resets++; }, 0};
  std::vector<perp_guard> guards{one.c()};
  Motion guarded(other, GetParam());
  watch(guarded, guards);
  guarded.expect_until(1);
  guarded.expect_until(2);
  EXPECT_EQ(resets, 1);
}

TEST_P(EventTraps, EventsCloserThanTheRootToleranceAllHappen) {
  for (const double apart : {0.0, 1e-16, 3e-15, 1e-14, 1e-13}) {
    World w;
    for (std::int32_t i = 0; i < 2; i++) {
      w.mass({1}, {-8}, {4 * (1 + i * apart)}, {0});
      w.connect(w.gap({1}, {0}), w.newton(0.5), {i});
    }
    Motion run(w, GetParam());
    run.expect_until(1.5);
    EXPECT_EQ(run.report().impacts, 2) << apart;
    EXPECT_NEAR(run.q()[0], 1, 1e-11 * slack()) << apart;
    EXPECT_NEAR(run.q()[1], 1, 1e-11 * slack()) << apart;
    World other;
    clock(other);
    int resets = 0;
    Guard first{[](auto &s) { return s.q[0] - 1; }, [&](perp_event_state &) { resets += 1; }, 0};
    Guard second{[&](auto &s) { return s.q[0] - 1 - apart; },
                 [&](perp_event_state &) { resets += 100; }, 0};
    std::vector<perp_guard> guards{first.c(), second.c()};
    Motion guarded(other, GetParam());
    watch(guarded, guards);
    guarded.expect_until(2);
    EXPECT_EQ(resets, 101) << apart;
  }
}

TEST_P(EventTraps, AScheduledTimeMayCoincideWithAnImpact) {
  for (const double shift : {0.0, 2.3e-16, -1.2e-16, 4e-15, -4e-15, 1e-12, -1e-12}) {
    World w;
    ball(w, 0.5);
    int calls = 0;
    perp_schedule schedule{};
    schedule.first = 1 + shift;
    schedule.reset = [](perp_event_state *, void *user) -> std::int32_t {
      return ++*static_cast<int *>(user), 0;
    };
    schedule.user = &calls;
    Motion run(w, GetParam());
    run.options.schedules = &schedule;
    run.options.n_schedules = 1;
    run.expect_until(1.5);
    EXPECT_EQ(run.of(PERP_EVENT_IMPACT).size(), 1u) << shift;
    EXPECT_EQ(run.of(PERP_EVENT_SCHEDULE).size(), 1u) << shift;
    EXPECT_EQ(calls, 1) << shift;
    EXPECT_NEAR(run.q()[0], 1, 1e-11 * slack()) << shift;
    EXPECT_NEAR(run.v()[0], 0, 1e-10 * slack()) << shift;
  }
}

TEST_P(EventTraps, NothingIsIntegratedAcrossAScheduledTime) {
  /* v' jumps at the times of a list, which the force tells by itself */
  World w;
  w.mass({1}, {0}, {0}, {0}).force = [](double t, double *f, void *) -> std::int32_t {
    f[0] = t < 0.3 ? 1 : t < 0.7 ? -2 : 0.5;
    return 0;
  };
  const double times[] = {0.3, 0.7};
  perp_schedule schedule{};
  schedule.times = times;
  schedule.n_times = 2;
  Motion run(w, GetParam());
  run.options.schedules = &schedule;
  run.options.n_schedules = 1;
  run.expect_until(1);
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_EQ(run.events[0].t, 0.3);
  EXPECT_EQ(run.events[1].t, 0.7);
  const double v3 = 0.3, q3 = 0.045, v7 = v3 - 0.8, q7 = q3 + 0.4 * v3 - 0.16;
  EXPECT_NEAR(run.v()[0], v7 + 0.15, 1e-12 * slack());
  EXPECT_NEAR(run.q()[0], q7 + 0.3 * v7 + 0.0225, 1e-12 * slack());
}

TEST_P(EventTraps, APeriodicScheduleDoesNotDrift) {
  World w;
  clock(w);
  perp_schedule schedule{};
  schedule.first = 0.1;
  schedule.period = 0.1;
  Motion run(w, GetParam());
  run.options.schedules = &schedule;
  run.options.n_schedules = 1;
  run.expect_until(100.05);
  ASSERT_EQ(run.events.size(), 1000u);
  for (std::size_t k = 0; k < 1000; k++)
    EXPECT_EQ(run.events[k].t, 0.1 + static_cast<double>(k) * 0.1) << k;
}

TEST_P(EventTraps, AResetThatJumpsOverAnotherGuardIsNoCrossing) {
  World w;
  clock(w);
  int others = 0;
  Guard jump{[](auto &s) { return s.q[0] - 1; }, [](perp_event_state &s) { s.q[0] = 3; }, 1};
  Guard other{[](auto &s) { return s.q[0] - 2; }, [&](perp_event_state &) { others++; }, 0};
  Guard later{[](auto &s) { return s.q[0] - 3.5; }, [](perp_event_state &s) { s.v[0] = -1; }, 0};
  std::vector<perp_guard> guards{jump.c(), other.c(), later.c()};
  Motion run(w, GetParam());
  watch(run, guards);
  run.expect_until(2.5); /* jumps at 1, turns in 3.5 at 1.5 */
  EXPECT_EQ(others, 0);
  EXPECT_EQ(run.events.size(), 2u);
  run.expect_until(4); /* comes down through 2 at t = 3, and through 1, which looks upwards */
  EXPECT_EQ(others, 1);
  EXPECT_EQ(run.events.size(), 3u);
  EXPECT_NEAR(run.q()[0], 1, 1e-11 * slack());
}

TEST_P(EventTraps, AResetMayPutABallOnTheGround) {
  World w;
  w.mass({1}, {-8}, {4}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5));
  Guard low{[](auto &s) { return s.q[0] - 3; }, [](perp_event_state &s) { s.q[0] = 0; }, -1};
  std::vector<perp_guard> guards{low.c()};
  Motion run(w, GetParam());
  watch(run, guards);
  run.expect_until(0.6); /* at t = 0.5 with v = -4 */
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kinds, std::uint32_t{PERP_EVENT_GUARD | PERP_EVENT_IMPACT});
  EXPECT_NEAR(run.events[0].impulse[0], 6, 1e-10 * slack());
  EXPECT_NEAR(run.v()[0], 2 - 0.8, 1e-10 * slack());
}

/** A force that is defined for y > -1 mm only, and asks for smaller steps beyond. */
TEST_P(EventTraps, AForceMayEndSoonBehindTheEvent) {
  World w;
  perp_lagrangian faller;
  ASSERT_EQ(perp_lagrangian_init(&faller, sizeof faller, 1), PERP_OK);
  const double M = 1;
  int refused = 0;
  faller.M = perp_dense(1, 1, &M);
  faller.user = &refused;
  faller.internal = [](double, const double *q, const double *, const double *, double *f,
                       void *user) -> std::int32_t {
    f[0] = 8;
    return q[0] < -1e-3 ? ++*static_cast<int *>(user), 1 : 0;
  };
  w.add(&faller.system, {4}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5));
  Motion run(w, GetParam());
  run.expect_until(2.2); /* impacts at 1 and 2 */
  ASSERT_EQ(run.events.size(), 2u);
  EXPECT_NEAR(run.events[0].t, 1, 1e-11 * slack());
  EXPECT_NEAR(run.events[1].t, 2, 1e-11 * slack());
}

TEST_P(EventTraps, ARestartCostsFewStepsAndAlwaysTheSame) {
  World w;
  ball(w, 0.9);
  Motion run(w, GetParam());
  std::vector<std::int64_t> steps;
  ASSERT_EQ(run.create(), PERP_OK);
  for (int flight = 0; flight < 40; flight++) {
    const std::int64_t before = run.report().steps;
    ASSERT_EQ(perp_event_driven_next(run.sim, 100, nullptr), PERP_OK);
    steps.push_back(run.report().steps - before);
  }
  const bool one_step = run.options.smooth == perp_smooth_runge_kutta();
  for (std::size_t n = 2; n < steps.size(); n++) {
    EXPECT_LE(steps[n], one_step ? 8 : 80) << "flight " << n;
    EXPECT_LE(std::abs(steps[n] - steps[2]), 2 + steps[2] / 2) << "flight " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventTraps, ::testing::ValuesIn(tools::kMethods), tools::method_name);

}  // namespace
