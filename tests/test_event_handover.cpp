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

// Two balls and a mass that is left alone, or one of the balls.
struct Crowd : World {
  explicit Crowd(int which) {
    if (which != 1) ball(0.2, 0.6);
    if (which != 0) ball(0.5, 0.7);
    if (which == 2) mass({1}, {0}, {0}, {1});
  }
  void ball(double height, double e) {
    mass({1}, {-10}, {height}, {0});
    connect(gap({1}, {0}), newton(e), {balls++});
  }
  std::int32_t balls = 0;
};

TEST(EventHandover, EachComponentIsHandedOverAsIfItWereAlone) {
  for (const bool scheduled : {false, true}) {
    perp_schedule tick{};
    tick.first = 0.61, tick.period = 0.3;
    const auto prepare = [&](Stepped *run) {
      run->observer.every = 7e-4;
      run->options.schedules = &tick;
      run->options.n_schedules = scheduled ? 1 : 0;
    };
    Crowd all(2);
    Stepped together(all, 2e-3), by_events(all, 2e-3);
    prepare(&together), prepare(&by_events);
    together.expect_until(3);
    EXPECT_GE(together.report().handovers, 2);
    std::size_t events = scheduled ? 8 : 0;
    for (const std::size_t k : {0u, 1u}) {
      Crowd one(static_cast<int>(k));
      Stepped alone(one, 2e-3);
      prepare(&alone);
      alone.expect_until(3);
      ASSERT_EQ(alone.samples.size(), together.samples.size());
      for (std::size_t i = 0; i < alone.samples.size(); i++) {
        EXPECT_EQ(alone.samples[i].q[0], together.samples[i].q[k]) << alone.samples[i].t;
        EXPECT_EQ(alone.samples[i].v[0], together.samples[i].v[k]) << alone.samples[i].t;
      }
      for (const Seen &e : alone.events) events += !e.is(PERP_EVENT_SCHEDULE);
    }
    EXPECT_EQ(together.events.size(), events);
    ASSERT_EQ(by_events.create(), PERP_OK);
    std::size_t n = 0;
    while (perp_event_driven_next(by_events.sim, 3, &by_events.info) == PERP_OK) {
      const perp_event *e = perp_event_driven_event(by_events.sim);
      ASSERT_LT(n, together.events.size());
      EXPECT_EQ(e->t, together.events[n].t);
      EXPECT_EQ(e->kinds, together.events[n].kinds);
      EXPECT_EQ(vec(e->q, e->q + 3), together.events[n].q);
      EXPECT_EQ(vec(e->v, e->v + 3), together.events[n].v);
      EXPECT_NEAR(e->q[2], e->t, 1e-12);
      n++;
    }
    EXPECT_EQ(n, together.events.size());
  }
}

TEST(EventHandover, WhatIsGivenBackClosesInTheEventThatSaysSo) {
  Ball w;
  Stepped run(w, 1e-3);
  run.expect_until(2);
  const auto back = run.of(PERP_EVENT_RETURN);
  ASSERT_EQ(back.size(), 1u);
  ASSERT_EQ(back[0].changes.size(), 1u);
  EXPECT_EQ(back[0].changes[0].kind, PERP_EVENT_CLOSE);
  EXPECT_EQ(back[0].changes[0].before, PERP_CONTACT_OPEN);
  EXPECT_EQ(back[0].changes[0].after, PERP_CONTACT_CLOSED);
  Stepped until(w, 1e-3);
  const double shortly = back[0].t - 5e-4;
  std::int32_t mode = -1;
  until.observer.times = &shortly;
  until.observer.n_times = 1;
  until.observer.event = nullptr;
  until.observer.user = &mode;
  until.observer.output = [](perp_event_driven *sim, void *to) {
    *static_cast<std::int32_t *>(to) = perp_event_driven_mode(sim, 0, 0);
    return 0;
  };
  until.expect_until(2);
  EXPECT_EQ(mode, PERP_CONTACT_OPEN);
}

// Each call of the gap's functions gives up once: in flight, in the crowd, where it is given back.
TEST(EventHandover, CallsThatGiveUpInTheCrowdAreToldAndTheRunGoesOn) {
  struct Calls {
    long made = 0, bad = -1;
    std::int32_t next() { return made++ == bad ? -1 : 0; }
  } calls;
  World w;
  w.mass({1}, {-10}, {0.05}, {0});
  w.mass({1}, {0}, {0}, {1});
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1), PERP_OK);
  r.user = &calls;
  r.h = [](double, const double *q, const double *, const double *, double *y, void *user) {
    return y[0] = q[0], static_cast<Calls *>(user)->next();
  };
  r.H = [](double, const double *, const double *, const double *, double *H, void *user) {
    return H[0] = 1, static_cast<Calls *>(user)->next();
  };
  w.connect(&r.relation, w.newton(0.5), {0});
  long n = 1;
  for (long k = -1; k < n; k += k < 0 ? 1 : 7) {
    Stepped run(w, 1e-3);
    run.options.rtol = 1e-8, run.options.atol = 1e-10;
    run.observer.every = 0.013;
    ASSERT_EQ(run.create(), PERP_OK);
    calls.made = 0, calls.bad = k;
    const perp_status status = run.until(0.4);
    if (k < 0) n = calls.made;
    EXPECT_EQ(status, k < 0 ? PERP_OK : PERP_ECALLBACK) << k;
    EXPECT_NEAR(run.q()[1], run.t(), 1e-12) << k;
    EXPECT_LE(run.q()[0], 0.05 + 1e-9) << k;
    run.expect_until(0.4);
    EXPECT_EQ(run.of(PERP_EVENT_RETURN).size(), run.of(PERP_EVENT_HANDOVER).size()) << k;
    EXPECT_GE(run.report().handovers, 1) << k;
    EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED) << k;
    EXPECT_NEAR(run.q()[0], 0, 1e-15) << k;
    EXPECT_EQ(run.v()[0], 0) << k;
  }
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
