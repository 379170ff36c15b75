// SPDX-License-Identifier: MIT
// What is told of an event: the last one to whoever asks, one that failed not before it has
// happened, several at one time as one.
#include <gtest/gtest.h>

#include <string>

#include "event_tools.hpp"

namespace {

using tools::Motion;
using tools::Seen;
using tools::vec;
using tools::World;

const double kG = 10;

// Balls dropped from heights, the last body left alone with velocity 1.
struct Balls : World {
  Balls(const vec &heights, double e) {
    for (const double h : heights) {
      mass({1}, {-kG}, {h}, {0});
      connect(gap({1}, {0}), newton(e), {static_cast<std::int32_t>(interactions++)});
    }
    mass({1}, {0}, {0}, {1});
  }
  int interactions = 0;
};

Seen last(const Motion &run, std::size_t n) {
  const perp_event *e = perp_event_driven_event(run.sim);
  return {e->t,
          e->error,
          e->until,
          e->kinds,
          e->number,
          vec(e->q, e->q + n),
          vec(e->v, e->v + n),
          {},
          {},
          {},
          {},
          {},
          {e->changes, e->changes + e->n_changes}};
}

void expect_same(const Seen &a, const Seen &b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.kinds, b.kinds);
  EXPECT_EQ(a.number, b.number);
  ASSERT_EQ(a.changes.size(), b.changes.size());
  for (std::size_t k = 0; k < a.changes.size(); k++) {
    EXPECT_EQ(a.changes[k].kind, b.changes[k].kind);
    EXPECT_EQ(a.changes[k].index, b.changes[k].index);
    EXPECT_EQ(a.changes[k].before, b.changes[k].before);
    EXPECT_EQ(a.changes[k].after, b.changes[k].after);
  }
}

TEST(EventTold, ARunWithoutAnObserverKeepsItsLastEvent) {
  Balls w({0.2, 0.45, 0.9}, 0.5);
  Motion seen(w), bare(w);
  seen.expect_until(0.54);
  ASSERT_EQ(bare.create(), PERP_OK);
  EXPECT_EQ(last(bare, 4).kinds, std::uint32_t(PERP_EVENT_START));
  ASSERT_EQ(seen.events.size(), 5u);
  for (std::size_t n = 0; n < 5; n++) {
    const Seen &e = seen.events[n];
    const double until = n < 4 ? 0.5 * (e.t + seen.events[n + 1].t) : 0.54;
    ASSERT_EQ(perp_event_driven_run(bare.sim, until, nullptr, &bare.info), PERP_OK);
    const Seen mine = last(bare, 4);
    EXPECT_NEAR(mine.t, e.t, 1e-12);
    EXPECT_EQ(mine.kinds, e.kinds);
    EXPECT_EQ(mine.number, e.number);
    const double *impulse = perp_event_driven_event(bare.sim)->impulse;
    for (std::size_t k = 0; k < 3; k++) EXPECT_NEAR(impulse[k], e.impulse[k], 1e-9);
    const auto ball = static_cast<std::size_t>(e.changes[0].index);
    EXPECT_NEAR(mine.v[ball], e.v[ball], 1e-9);
  }
  EXPECT_EQ(bare.report().events, seen.report().events);
}

// Impacts of bodies that do not meet, up to 60 spacings of the numbers apart, with the end of a
// step of another body between them.
TEST(EventTold, ImpactsWithinTheResolutionOfTimeAreOneEvent) {
  const double eps = 2.220446049250313e-16;
  for (const int apart : {0, 1, 2, 4, 8, 30, 60}) {
    for (const int between : {-1, 0, 1, 2, 5, 20}) {
      World w;
      w.mass({1, 1}, {0, 0}, {1, 1}, {-1, 0}, {0, 900});  // what swings takes steps of its own
      w.mass({1, 1}, {0, 0}, {1 + apart * eps, 1}, {-1, 0}, {0, 400});
      w.mass({1}, {0}, {0}, {1});
      w.connect(w.gap({1, 0}, {0}), w.newton(0.5), {0});
      w.connect(w.gap({1, 0}, {0}), w.newton(0.5), {1});
      Motion run(w);
      run.options.t0 = 0;
      run.options.h_first = run.options.h_max = 0.25 + 0.25 * between * eps;
      run.expect_until(1.5);
      ASSERT_EQ(run.events.size(), 1u) << apart << " " << between;
      EXPECT_EQ(run.events[0].changes.size(), 2u);
      EXPECT_NEAR(run.events[0].t, 1, 70 * eps);
      EXPECT_NEAR(run.q()[0], 0.25, 1e-13);
      EXPECT_NEAR(run.q()[2], 0.25, 1e-13);
      EXPECT_NEAR(run.q()[4], 1.5, 1e-14);
    }
  }
}

TEST(EventTold, AStormEndsNextWithAnEventOfAllBodies) {
  Balls w({0.2}, 0.3);
  Motion run(w);
  run.options.zeno = PERP_ZENO_STOP;
  run.options.storm_events = 5;
  run.options.storm_time = 1e-2;
  ASSERT_EQ(run.create(), PERP_OK);
  perp_status status = PERP_OK;
  int events = 1;  // the start
  for (; status == PERP_OK; events++) status = perp_event_driven_next(run.sim, 1, &run.info);
  EXPECT_EQ(status, PERP_STORM);
  EXPECT_STREQ(run.info.field, "events");
  EXPECT_EQ(run.report().events, events);
  const Seen storm = last(run, 2);
  EXPECT_EQ(storm.number, events - 1);
  EXPECT_EQ(storm.t, run.t());
  EXPECT_TRUE(storm.is(PERP_EVENT_IMPACT));
  EXPECT_NEAR(storm.q[1], run.t(), 1e-14);
  EXPECT_EQ(storm.v[1], 1);
  EXPECT_LT(storm.v[0], 0);
  EXPECT_GT(run.v()[0], 0);
  ASSERT_EQ(perp_event_driven_next(run.sim, 1, &run.info), PERP_OK);  // and on
  EXPECT_GT(last(run, 2).t, storm.t);
  EXPECT_EQ(last(run, 2).number, events);
}

TEST(EventTold, TheEventThatMakesAStormIsSeenByTheObserver) {
  Balls w({0.2}, 0.3);
  Motion run(w);
  run.options.zeno = PERP_ZENO_STOP;
  run.options.storm_events = 5;
  run.options.storm_time = 1e-2;
  EXPECT_EQ(run.until(1), PERP_STORM);
  EXPECT_EQ(run.report().events, static_cast<std::int32_t>(run.events.size()) + 1);
  ASSERT_FALSE(run.events.empty());
  expect_same(last(run, 2), run.events.back());
}

// A guard at q = 0.5 whose reset gives up at first.
TEST(EventTold, AnEventThatFailedIsStillToCome) {
  World w;
  w.mass({1}, {0}, {0}, {1});
  int failures = 1;
  perp_guard guard{};
  guard.value = [](const perp_event_state *at, double *g, void *) {
    return *g = at->q[0] - 0.5, std::int32_t{0};
  };
  guard.reset = [](perp_event_state *at, void *user) {
    return at->v[0] = -1, std::int32_t{(*static_cast<int *>(user))-- > 0 ? -1 : 0};
  };
  guard.user = &failures;
  Motion run(w);
  run.options.guards = &guard;
  run.options.n_guards = 1;
  EXPECT_EQ(run.until(1), PERP_ECALLBACK);
  const double t = run.t();
  EXPECT_EQ(run.v()[0], 1);
  EXPECT_TRUE(run.events.empty());
  EXPECT_EQ(last(run, 1).kinds, std::uint32_t(PERP_EVENT_START)) << "the last that has happened";
  run.expect_until(1);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].t, t);
  EXPECT_NEAR(run.q()[0], 0, 1e-13);
}

// Each call of a guard gives up once, those about its reset too.
TEST(EventTold, NoCallOfAGuardThatGivesUpIsLost) {
  struct Calls {
    long made = 0, bad = -1;
  };
  long n = 1;
  for (long k = -1; k < n; k++) {
    World w;
    w.mass({1}, {0}, {0}, {1});
    Calls calls;
    perp_guard guard{};
    guard.value = [](const perp_event_state *at, double *g, void *user) {
      Calls *c = static_cast<Calls *>(user);
      *g = at->q[0] - 0.5;
      return std::int32_t{c->made++ == c->bad ? -1 : 0};
    };
    guard.reset = [](perp_event_state *at, void *) { return at->v[0] = -1, std::int32_t{0}; };
    guard.user = &calls;
    Motion run(w);
    run.options.guards = &guard;
    run.options.n_guards = 1;
    ASSERT_EQ(run.create(), PERP_OK);
    calls.made = 0, calls.bad = k;
    EXPECT_EQ(run.until(1), k < 0 ? PERP_OK : PERP_ECALLBACK) << k;
    if (k < 0) n = calls.made;
    EXPECT_NEAR(run.q()[0], run.t() < 0.5 || run.events.empty() ? run.t() : 1 - run.t(), 1e-13)
        << k;
    run.expect_until(1);
    EXPECT_NEAR(run.q()[0], 0, 1e-13) << k;
    EXPECT_EQ(run.events.size(), 1u) << k;
  }
}

// A ball over a table that is taken away after the law of its impact has given up; a second ball
// hits another table at the same time.
struct Table {
  double height = 0;
  int failures = 1;
};
TEST(EventTold, WhatAFailedEventFoundIsLookedAtOnceMore) {
  for (const bool moves : {false, true}) {
    Table table;
    World w;
    for (int k = 0; k < 2; k++) w.mass({1}, {-kG}, {0.45}, {0});
    perp_lagrangian_relation r;
    ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1), PERP_OK);
    r.user = &table;
    r.h = [](double, const double *q, const double *, const double *, double *y, void *user) {
      return y[0] = q[0] - static_cast<const Table *>(user)->height, std::int32_t{0};
    };
    r.H = [](double, const double *, const double *, const double *, double *H, void *) {
      return H[0] = 1, std::int32_t{0};
    };
    perp_user_impact law;
    ASSERT_EQ(perp_user_impact_init(&law, sizeof law, 1), PERP_OK);
    law.user = &table;
    law.restitute = [](std::int32_t, const perp_law_step *begin, double *q, void *user) {
      q[0] = 0.5 * begin->ydot[0];
      return std::int32_t{static_cast<Table *>(user)->failures-- > 0 ? -1 : 0};
    };
    w.connect(&r.relation, &law.friction.law, {0});
    w.connect(w.gap({1}, {0}), w.newton(0.5), {1});
    Motion run(w);
    EXPECT_EQ(run.until(0.5), PERP_ECALLBACK);
    EXPECT_NEAR(run.t(), 0.3, 1e-12);
    EXPECT_EQ(run.report().impacts, 0);
    EXPECT_EQ(run.report().problems, 0);
    EXPECT_NEAR(run.v()[1], -3, 1e-11) << "hit by nothing yet";
    if (moves) table.height = -0.35;
    run.expect_until(0.5);
    EXPECT_NEAR(run.v()[1], 1.5 - kG * 0.2, 1e-10);
    const double t = moves ? 0.4 : 0.3;
    EXPECT_NEAR(run.v()[0], 0.5 * kG * t - kG * (0.5 - t), 1e-10);
    ASSERT_EQ(run.events.size(), moves ? 2u : 1u);
    EXPECT_EQ(run.report().impacts, 2);
  }
}

}  // namespace
