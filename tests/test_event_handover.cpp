// SPDX-License-Identifier: MIT
// Where impacts crowd: handed over to time-stepping and taken back, cut off, or ended with a storm.
// Judged by the closed form of the bouncing ball, and by each other.
#include <gtest/gtest.h>

#include <algorithm>

#include "event_exact.hpp"
#include "event_tools.hpp"

namespace {

using tools::Motion;
using tools::Seen;
using tools::vec;
using tools::World;

perp_simulation_options stepping(double h) {
  perp_simulation_options o = perp_simulation_options_default();
  o.h = h;
  o.integrator = perp_integrator_moreau_jean();
  o.solver = perp_solver_auto();
  return o;
}

struct Ball : World {
  exact::ball closed;
  explicit Ball(double e = 0.5) {
    closed.e = e;
    closed.h = 1;
    mass({1}, {-9.81}, {1}, {0});
    connect(gap({1}, {0}), newton(e));
  }
};

struct Stepped : Motion {
  perp_simulation_options by;
  explicit Stepped(World &w, double h) : Motion(w), by(stepping(h)) {
    options.zeno = PERP_ZENO_STEP;
    options.stepping = &by;
  }
};

double height(const Ball &w, double t) {
  return static_cast<double>(w.closed.height(static_cast<exact::real>(t)));
}

TEST(EventHandover, ABallIsHandedOverAndGivenBackAtRest) {
  Ball w;
  const double accumulation = static_cast<double>(w.closed.accumulation());
  Stepped run(w, 1e-4);
  run.observer.every = 0.01;
  run.expect_until(2);
  const auto over = run.of(PERP_EVENT_HANDOVER), back = run.of(PERP_EVENT_RETURN);
  ASSERT_EQ(over.size(), 1u);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_LT(over[0].t, accumulation);
  EXPECT_GT(back[0].t, over[0].t);
  EXPECT_LT(back[0].t, accumulation + 0.01);
  EXPECT_TRUE(over[0].is(PERP_EVENT_IMPACT));
  EXPECT_EQ(run.report().handovers, 1);
  EXPECT_EQ(run.of(PERP_EVENT_ACCUMULATION).size(), 0u);
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
  EXPECT_EQ(run.q()[0], 0);
  EXPECT_EQ(run.v()[0], 0);
  EXPECT_NEAR(run.lambda()[0], 9.81, 1e-12);
  ASSERT_EQ(run.samples.size(), 201u);
  for (const auto &s : run.samples)
    EXPECT_NEAR(s.q[0], height(w, s.t), s.t < over[0].t ? 1e-10 : 1e-4) << s.t;
}

TEST(EventHandover, TheErrorFallsWithTheStep) {
  Ball w(0.9);
  double last = INFINITY;
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    Stepped run(w, h);
    run.observer.every = 1e-3;
    run.expect_until(9);
    double worst = 0;
    for (const auto &s : run.samples) worst = std::max(worst, std::fabs(s.q[0] - height(w, s.t)));
    EXPECT_EQ(run.of(PERP_EVENT_HANDOVER).size(), 1u);
    EXPECT_LT(worst, 0.3 * last) << h;
    last = worst;
  }
  EXPECT_LT(last, 1e-4);
}

TEST(EventHandover, JumpAndStepEndAlike) {
  for (const double e : {0.3, 0.7}) {
    Ball w(e);
    Motion jump(w);
    Stepped step(w, 1e-5);
    jump.expect_until(4);
    step.expect_until(4);
    EXPECT_EQ(jump.of(PERP_EVENT_ACCUMULATION).size(), 1u);
    EXPECT_EQ(jump.mode(), step.mode());
    EXPECT_NEAR(jump.q()[0], step.q()[0], 1e-12);
    EXPECT_NEAR(jump.lambda()[0], step.lambda()[0], 1e-10);
  }
}

// A column of five beads that falls on the ground and comes to rest there.
TEST(EventHandover, AColumnOfBeadsComesToRest) {
  for (const bool by_steps : {false, true}) {
    World w;
    const int n = 5;
    for (int i = 0; i < n; i++) w.mass({1}, {-10}, {0.1 + 0.15 * i}, {0});
    w.connect(w.gap({1}, {0}), w.newton(0.4), {0});
    for (int i = 0; i + 1 < n; i++) w.connect(w.gap({-1, 1}, {-0.1}), w.newton(0.4), {i, i + 1});
    Motion run(w);
    const perp_simulation_options by = stepping(1e-4);
    if (by_steps) run.options.zeno = PERP_ZENO_STEP, run.options.stepping = &by;
    run.options.rtol = 1e-10, run.options.atol = 1e-12;
    run.expect_until(3);
    EXPECT_EQ(run.report().handovers > 0, by_steps);
    for (int i = 0; i < n; i++) {
      EXPECT_NEAR(run.q()[std::size_t(i)], 0.1 * i, 1e-9) << i;
      EXPECT_NEAR(run.v()[std::size_t(i)], 0, 1e-9) << i;
      EXPECT_NEAR(run.lambda()[std::size_t(i)], 10 * (n - i), 1e-7) << i;
      EXPECT_EQ(run.mode(i), PERP_CONTACT_CLOSED);
    }
  }
}

TEST(EventHandover, RunsEndAndGoOnInsideTheCrowd) {
  Ball w(0.9);
  Stepped whole(w, 1e-3), parts(w, 1e-3);
  whole.expect_until(9);
  const auto over = whole.of(PERP_EVENT_HANDOVER), back = whole.of(PERP_EVENT_RETURN);
  ASSERT_EQ(over.size(), 1u);
  ASSERT_EQ(back.size(), 1u);
  const double inside = over[0].t + 0.4 * (back[0].t - over[0].t);
  parts.expect_until(inside);
  EXPECT_NEAR(parts.q()[0], height(w, inside), 1e-3);
  EXPECT_EQ(parts.of(PERP_EVENT_RETURN).size(), 0u);
  parts.expect_until(inside);  // nothing to do
  parts.expect_until(inside + 0.0004);
  parts.expect_until(9);
  EXPECT_EQ(parts.of(PERP_EVENT_RETURN).size(), 1u);
  EXPECT_EQ(parts.mode(), PERP_CONTACT_CLOSED);
  EXPECT_EQ(parts.q()[0], 0);
}

TEST(EventHandover, OutputsInsideTheCrowdMayStop) {
  Ball w(0.9);
  Stepped run(w, 5e-3);
  run.expect_until(8.565);
  ASSERT_EQ(run.of(PERP_EVENT_HANDOVER).size(), 1u);
  ASSERT_EQ(run.of(PERP_EVENT_RETURN).size(), 0u);
  const double at = 8.5663, inside[] = {at, at + 2e-4};
  perp_event_observer stops = PERP_EVENT_OBSERVER_INIT;
  stops.times = inside;
  stops.n_times = 2;
  stops.output = [](perp_event_driven *, void *) { return 1; };
  ASSERT_EQ(perp_event_driven_run(run.sim, 9, &stops, nullptr), PERP_STOPPED);
  EXPECT_EQ(run.t(), inside[0]);
  EXPECT_NEAR(run.q()[0], height(w, run.t()), 5e-3);
  stops.times = inside + 1, stops.n_times = 1;
  ASSERT_EQ(perp_event_driven_run(run.sim, 9, &stops, nullptr), PERP_STOPPED);
  EXPECT_EQ(run.t(), inside[1]);
  run.expect_until(inside[1] + 1e-5);
  EXPECT_NEAR(run.q()[0], height(w, run.t()), 5e-3);
  run.expect_until(9);
  EXPECT_EQ(run.of(PERP_EVENT_RETURN).size(), 1u);
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
}

TEST(EventHandover, ScheduledTimesInsideTheCrowdAreKept) {
  Ball w(0.9);
  Stepped probe(w, 1e-3);
  probe.expect_until(9);
  const double inside = (probe.of(PERP_EVENT_HANDOVER)[0].t + probe.of(PERP_EVENT_RETURN)[0].t) / 2;
  Stepped run(w, 1e-3);
  perp_schedule throws{};
  throws.first = inside;
  throws.reset = [](perp_event_state *at, void *) {
    at->v[0] = 3;
    return 0;
  };
  run.options.schedules = &throws;
  run.options.n_schedules = 1;
  run.observer.every = 0.01;
  run.expect_until(inside + 0.5);
  const auto seen = run.of(PERP_EVENT_SCHEDULE);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].t, inside);
  EXPECT_EQ(seen[0].v_after[0], 3);
  const double q0 = seen[0].q_after[0];
  for (const auto &s : run.samples) {
    const double t = s.t - inside;
    if (t > 0) {
      EXPECT_NEAR(s.q[0], q0 + 3 * t - 9.81 * t * t / 2, 1e-10);
    }
  }
}

TEST(EventHandover, RestartAndDestroyInsideTheCrowd) {
  Ball w(0.9);
  Stepped probe(w, 1e-3);
  probe.expect_until(9);
  const double inside = (probe.of(PERP_EVENT_HANDOVER)[0].t + probe.of(PERP_EVENT_RETURN)[0].t) / 2;
  {
    Stepped run(w, 1e-3);
    run.expect_until(inside);
    const double q = 1, v = 0;
    ASSERT_EQ(perp_event_driven_restart(run.sim, 0, &q, &v, nullptr, nullptr), PERP_OK);
    run.expect_until(0.3);
    EXPECT_NEAR(run.q()[0], 1 - 9.81 * 0.09 / 2, 1e-11);
  }
  Stepped run(w, 1e-3);
  run.expect_until(inside);  // and ends
}

// What is said of each system is found by its number in the whole model.
TEST(EventHandover, WeightsOfSystemsAreThoseOfTheWhole) {
  const auto fall = [](double theta, bool beside) {
    World w;
    if (beside) w.mass({1}, {0}, {0}, {1});
    w.mass({1, 1}, {-9.81, 0}, {0.05, 0.1}, {0, 0}, {0, 400});  // the second swings
    w.connect(w.gap({1, 0}, {0}), w.newton(0.6), {beside ? 1 : 0});
    Stepped run(w, 1e-3);
    const double thetas[2] = {beside ? 1 : theta, theta};
    run.by.thetas = thetas;
    run.expect_until(0.41);
    EXPECT_GT(run.report().handovers, 0);
    return run.q().back();
  };
  const double half = fall(0.5, false), whole = fall(1, false);
  EXPECT_NE(half, whole);
  EXPECT_EQ(fall(0.5, true), half);
  EXPECT_EQ(fall(1, true), whole);
  World w;
  w.mass({1}, {0}, {0}, {1});
  w.mass({1}, {-9.81}, {0.05}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.6), {1});
  Stepped run(w, 1e-3);
  const double wrong[2] = {0.5, 2};
  run.by.thetas = wrong;
  EXPECT_EQ(run.create(), PERP_EINVAL);
  EXPECT_EQ(run.info.index, 1);
}

TEST(EventHandover, BadSteppingIsRefused) {
  Ball w;
  {
    Motion run(w);
    run.options.zeno = PERP_ZENO_STEP;
    EXPECT_EQ(run.create(), PERP_EINVAL);
    EXPECT_STREQ(run.info.field, "stepping");
  }
  for (const double h : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    Stepped run(w, h);
    const perp_status status = run.create();
    EXPECT_LT(status, 0) << h;
  }
  Stepped run(w, 1e-3);
  run.by.solver = nullptr;
  EXPECT_LT(run.create(), 0);
}

TEST(EventHandover, WithStopNothingIsCutOff) {
  Ball w(0.5);
  Motion run(w);
  run.options.zeno = PERP_ZENO_STOP;
  run.options.storm_events = 10;
  run.options.storm_time = 1e-3;
  const perp_status status = run.until(3);
  EXPECT_EQ(status, PERP_STORM);
  EXPECT_FALSE(run.message().empty());
  EXPECT_LT(run.t(), static_cast<double>(w.closed.accumulation()));
  EXPECT_GT(run.t(), static_cast<double>(w.closed.accumulation()) - 2e-3);
  EXPECT_EQ(run.of(PERP_EVENT_ACCUMULATION).size(), 0u);
}

}  // namespace
