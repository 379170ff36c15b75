// SPDX-License-Identifier: MIT
// Systems that no interaction joins move as if each were alone, to the bit, and what is seen of all
// at one time is one state.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "event_tools.hpp"

namespace {

using tools::indices;
using tools::Method;
using tools::Motion;
using tools::Sample;
using tools::Seen;
using tools::vec;
using tools::World;

const double kG = 10;

// Components of one world: a ball that bounces, a block on a spring that sticks and slips, two
// masses on a rod above the ground, a circuit with a relay. What belongs to each stands apart in
// the world of all.
enum Kind { BALL, BLOCK, ROD, RELAY, KINDS };

struct Village : World {
  explicit Village(const std::vector<int> &kinds) {
    const auto has = [&](int kind) {
      return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
    std::int32_t n = 0, ball = -1, block = -1, low = -1, high = -1, relay_ = -1;
    const auto note = [&](std::int32_t *system, int kind) {
      homes.push_back(kind);
      *system = n++;
    };
    if (has(ROD)) note(&low, ROD), mass({1}, {-kG}, {0.3}, {0});
    if (has(RELAY)) note(&relay_, RELAY), state({1, 0.3}, {-1, -0.5, 2, -0.3});
    if (has(BALL)) note(&ball, BALL), mass({2}, {-2 * kG}, {0.7}, {0.1});
    if (has(BLOCK)) note(&block, BLOCK), mass({1, 1}, {0, -kG}, {0, 0}, {2, 0}, {20, 0}, {0.1, 0});
    if (has(ROD)) note(&high, ROD), mass({3}, {-3 * kG}, {0.8}, {0});
    const auto tie = [&](const perp_relation *relation, const perp_law *law, const indices &systems,
                         int kind) {
      rows.insert(rows.end(), static_cast<std::size_t>(relation->m), kind);
      connections.push_back(kind);
      connect(relation, law, systems);
    };
    if (has(BLOCK)) tie(gap({0, 1, 1, 0}, {0, 0}), friction(2, 0.3), {block}, BLOCK);
    if (has(ROD)) tie(gap({1}, {0}), newton(0.6), {low}, ROD);
    if (has(BALL)) tie(gap({1}, {0}), newton(0.8), {ball}, BALL);
    if (has(RELAY)) tie(output(1, 2, {1, 0.5}, {}, {1, 1}), relay(), {relay_}, RELAY);
    if (has(ROD)) tie(gap({-1, 1}, {-0.5}), equality(), {low, high}, ROD);
  }
  std::vector<int> homes, connections, rows;  // of systems, interactions, rows
};

// Entries of a row that belong to a kind; sizes by system, of order 1 or 2.
vec part(const vec &all, const Village &w, int kind, int order) {
  vec mine;
  std::size_t at = 0;
  for (const int home : w.homes) {
    const std::size_t n = home == RELAY ? 2 : home == BLOCK ? 2 : 1;
    if ((home == RELAY) != (order == 1)) continue;
    if (home == kind)
      mine.insert(mine.end(), all.begin() + static_cast<long>(at),
                  all.begin() + static_cast<long>(at + n));
    at += n;
  }
  return mine;
}
vec rows_of(const vec &all, const Village &w, int kind) {
  vec mine;
  for (std::size_t r = 0; r < all.size(); r++)
    if (w.rows[r] == kind) mine.push_back(all[r]);
  return mine;
}

void set(Motion *run) {
  run->observer.every = 0.01;
  run->keep_lambda = true;
}

class EventComponents : public ::testing::TestWithParam<Method> {};

TEST_P(EventComponents, MoveAsEachAloneToTheBit) {
  Village all({BALL, BLOCK, ROD, RELAY});
  Motion together(all, GetParam());
  set(&together);
  together.expect_until(1.2);
  std::int64_t steps = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    Village one({kind});
    Motion alone(one, GetParam());
    set(&alone);
    alone.expect_until(1.2);
    steps += alone.report().steps;
    ASSERT_EQ(together.samples.size(), alone.samples.size());
    ASSERT_GE(alone.samples.size(), 120u);
    for (std::size_t k = 0; k < alone.samples.size(); k++) {
      const Sample &a = together.samples[k], &b = alone.samples[k];
      EXPECT_EQ(a.t, b.t);
      EXPECT_EQ(part(a.q, all, kind, 2), b.q) << kind << " at " << b.t;
      EXPECT_EQ(part(a.v, all, kind, 2), b.v) << kind << " at " << b.t;
      EXPECT_EQ(part(a.x, all, kind, 1), b.x) << kind << " at " << b.t;
      EXPECT_EQ(rows_of(a.lambda, all, kind), b.lambda) << kind << " at " << b.t;
    }
    EXPECT_EQ(part(together.q(), all, kind, 2), alone.q());
    EXPECT_EQ(part(together.v(), all, kind, 2), alone.v());
  }
  EXPECT_EQ(together.report().steps, steps);
}

// What belongs to other components is neither hit nor changed, and the numbers are those of all.
TEST_P(EventComponents, EventsOfAllComeInTheOrderOfTime) {
  Village all({BALL, BLOCK, ROD, RELAY});
  Motion together(all, GetParam());
  together.expect_until(1.2);
  for (std::size_t k = 1; k < together.events.size(); k++) {
    EXPECT_GT(together.events[k].t, together.events[k - 1].t);
    EXPECT_EQ(together.events[k].number, together.events[k - 1].number + 1);
  }
  std::size_t seen = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    Village one({kind});
    Motion alone(one, GetParam());
    alone.expect_until(1.2);
    std::vector<Seen> mine;
    for (const Seen &e : together.events) {
      if (e.changes.empty()) continue;
      const int home = all.connections[static_cast<std::size_t>(e.changes[0].index)];
      if (home == kind) mine.push_back(e);
    }
    ASSERT_EQ(mine.size(), alone.events.size()) << kind;
    seen += mine.size();
    for (std::size_t k = 0; k < mine.size(); k++) {
      const Seen &a = mine[k], &b = alone.events[k];
      EXPECT_EQ(a.t, b.t);
      EXPECT_EQ(a.kinds, b.kinds);
      EXPECT_EQ(part(a.q, all, kind, 2), b.q);
      EXPECT_EQ(part(a.v, all, kind, 2), b.v);
      EXPECT_EQ(part(a.v_after, all, kind, 2), b.v_after);
      EXPECT_EQ(part(a.x, all, kind, 1), b.x);
      EXPECT_EQ(rows_of(a.impulse, all, kind), b.impulse);
      for (int other = 0; other < KINDS; other++) {
        if (other == kind) continue;
        EXPECT_EQ(part(a.q, all, other, 2), part(a.q_after, all, other, 2));
        EXPECT_EQ(part(a.v, all, other, 2), part(a.v_after, all, other, 2));
        EXPECT_EQ(part(a.x, all, other, 1), part(a.x_after, all, other, 1));
        for (const double p : rows_of(a.impulse, all, other)) EXPECT_EQ(p, 0);
      }
    }
  }
  EXPECT_EQ(seen, together.events.size());
}
INSTANTIATE_TEST_SUITE_P(All, EventComponents, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

// A ball that falls from 1.8 m and hits at 0.6 s, and a mass that is left alone, whose first step
// would reach beyond.
struct BallAndMass : World {
  BallAndMass() {
    mass({1}, {0}, {0}, {3});
    mass({1}, {-kG}, {1.8}, {0});
    connect(gap({1}, {0}), newton(0.5), {1});
  }
};

TEST(EventComponentsNext, ShowsAllAtTheTimeOfTheEvent) {
  BallAndMass w;
  Motion run(w);
  ASSERT_EQ(run.create(), PERP_OK);
  ASSERT_EQ(perp_event_driven_next(run.sim, 2, &run.info), PERP_OK);
  EXPECT_NEAR(run.t(), 0.6, 1e-14);
  EXPECT_NEAR(run.q()[0], 3 * run.t(), 1e-14);
  EXPECT_NEAR(run.v()[1], 3, 1e-12);
  const perp_event *event = perp_event_driven_event(run.sim);
  EXPECT_NEAR(event->q[0], 3 * run.t(), 1e-14);
  EXPECT_NEAR(event->v[1], -6, 1e-12);
  EXPECT_NEAR(event->impulse[0], 9, 1e-12);
  ASSERT_EQ(event->n_changes, 1);
  EXPECT_EQ(event->changes[0].index, 0);
  ASSERT_EQ(perp_event_driven_next(run.sim, 0.9, &run.info), PERP_END);
  EXPECT_EQ(run.t(), 0.9);
  EXPECT_NEAR(run.q()[0], 2.7, 1e-14);
  run.expect_until(1.0);
  EXPECT_NEAR(run.q()[0], 3.0, 1e-14);
}

TEST(EventComponentsNext, StartsAnewFromWhatIsShown) {
  BallAndMass w;
  Motion run(w);
  ASSERT_EQ(run.create(), PERP_OK);
  ASSERT_EQ(perp_event_driven_next(run.sim, 2, &run.info), PERP_OK);
  const double v[2] = {-1, 0};
  const double t = run.t();
  ASSERT_EQ(perp_event_driven_restart(run.sim, t, nullptr, v, nullptr, &run.info), PERP_OK);
  run.expect_until(1);
  EXPECT_NEAR(run.q()[0], 3 * t - (1 - t), 1e-14);
  EXPECT_NEAR(run.q()[1], 0, 1e-14);
}

// A run that an observer has stopped goes on with what callbacks read by then, in all components.
TEST(EventComponentsStop, WhatLiesAheadIsTakenAnew) {
  double push = 0;
  World w;
  for (int k = 0; k < 2; k++) {
    perp_lagrangian_linear &s = w.mass({1}, {0}, {k == 0 ? 0.0 : 1.0}, {0});
    s.user = &push;
    s.force = [](double, double *f, void *user) {
      f[0] = *static_cast<double *>(user);
      return std::int32_t{0};
    };
  }
  w.connect(w.gap({1}, {0}), w.newton(0.5), {1});
  Motion run(w);
  const double at[] = {0.5};
  run.observer.times = at;
  run.observer.n_times = 1;
  run.observer.output = [](perp_event_driven *, void *) { return std::int32_t{1}; };
  ASSERT_EQ(run.until(1), PERP_STOPPED);
  EXPECT_EQ(run.t(), 0.5);
  push = -2;
  run.observer.times = nullptr;
  run.observer.output = nullptr;
  run.expect_until(1.5);
  EXPECT_NEAR(run.q()[0], -1, 1e-12);
  EXPECT_NEAR(run.v()[1], 1, 1e-10);  // has come down with -2 at this very time, hit at 1.5
}

struct Reset {
  int calls = 0;
  bool fails = false;
};

TEST(EventComponentsSchedule, ResetsSeeAndChangeTheStateOfAll) {
  BallAndMass w;
  Motion run(w);
  Reset seen;
  perp_schedule at{};
  at.first = 0.3;
  at.user = &seen;
  at.reset = [](perp_event_state *s, void *user) {
    Reset *r = static_cast<Reset *>(user);
    r->calls++;
    EXPECT_EQ(s->t, 0.3);
    EXPECT_NEAR(s->q[0], 0.9, 1e-14);
    EXPECT_NEAR(s->q[1], 1.35, 1e-13);
    s->v[0] = 0;
    s->v[1] = 1;
    return std::int32_t{r->fails ? -1 : 0};
  };
  run.options.schedules = &at;
  run.options.n_schedules = 1;
  seen.fails = true;
  EXPECT_EQ(run.until(0.5), PERP_ECALLBACK);
  EXPECT_EQ(std::string(run.info.field), "schedule");
  EXPECT_EQ(run.info.index, 0);
  EXPECT_EQ(run.t(), 0.3);
  EXPECT_NEAR(run.v()[0], 3, 1e-14);
  EXPECT_NEAR(run.v()[1], -3, 1e-13);
  seen.fails = false;
  run.expect_until(0.5);
  EXPECT_EQ(seen.calls, 2);
  EXPECT_NEAR(run.q()[0], 0.9, 1e-14);
  EXPECT_NEAR(run.v()[1], 1 - 2, 1e-13);
  ASSERT_EQ(run.of(PERP_EVENT_SCHEDULE).size(), 1u);
}

TEST(EventComponentsIndex, FailuresNameSystemsAndInteractionsOfTheWhole) {
  World w;
  w.mass({1}, {0}, {1}, {0});
  perp_lagrangian_linear &s = w.mass({1}, {0}, {1}, {0});
  s.force = [](double t, double *, void *) { return std::int32_t{t > 0.3 ? -1 : 0}; };
  w.mass({1}, {0}, {-1}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5), {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5), {1});
  {
    Motion run(w);
    EXPECT_EQ(run.until(1), PERP_ECALLBACK);
    EXPECT_EQ(std::string(run.info.field), "force");
    EXPECT_EQ(run.info.index, 1);
  }
  w.connect(w.gap({1}, {0}), w.newton(0.5), {2});
  Motion deep(w);
  EXPECT_EQ(deep.create(), PERP_EINVAL);
  EXPECT_EQ(std::string(deep.info.field), "initial gap");
  EXPECT_EQ(deep.info.index, 2);
  EXPECT_EQ(deep.info.value, -1);
}

TEST(EventComponentsIndex, AStormIsNamedByItsInteraction) {
  BallAndMass w;
  w.mass({1}, {-kG}, {0.2}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.3), {2});
  Motion run(w);
  run.options.zeno = PERP_ZENO_STOP;
  run.options.storm_events = 5;
  run.options.storm_time = 1e-2;
  EXPECT_EQ(run.until(0.55), PERP_STORM);
  EXPECT_NE(run.message().find("copy 0 of interaction 1"), std::string::npos) << run.message();
  EXPECT_NEAR(run.t(), 0.2 * (1 + 2 * 0.3 / 0.7), 1e-2);  // where the impacts accumulate
}

TEST(EventComponentsTolerance, EachHasItsOwn) {
  BallAndMass w;
  Motion run(w);
  const double atols[] = {1, 2, 3, -4};
  run.options.atols = atols;
  EXPECT_EQ(run.create(), PERP_EINVAL);
  EXPECT_EQ(std::string(run.info.field), "atols");
  EXPECT_EQ(run.info.index, 3);
}

TEST(EventComponentsNone, AModelOfNothingPassesItsTime) {
  World w;
  Motion run(w);
  perp_schedule tick{};
  tick.first = 0.25;
  tick.period = 0.5;
  run.options.schedules = &tick;
  run.options.n_schedules = 1;
  run.observer.every = 0.1;
  run.expect_until(1);
  EXPECT_EQ(run.of(PERP_EVENT_SCHEDULE).size(), 2u);
  EXPECT_EQ(run.samples.size(), 11u);
  Motion guarded(w);
  perp_guard g{};
  g.value = [](const perp_event_state *, double *, void *) { return std::int32_t{0}; };
  guarded.options.guards = &g;
  guarded.options.n_guards = 1;
  EXPECT_EQ(guarded.create(), PERP_EINVAL);
  EXPECT_EQ(std::string(guarded.info.field), "n_guards");
}

// A force that looks at the simulation which asks for it.
struct Looks {
  perp_event_driven *sim = nullptr;
  int seen = 0, asked = 0;
};

TEST(EventComponentsLook, CallbacksOfTheModelAreShownNothing) {
  const auto end = [](bool looks) {
    BallAndMass w;
    Looks at;
    perp_lagrangian_linear &s = w.mass({1}, {0}, {2}, {0}, {3});
    s.user = &at;
    s.force = [](double t, double *f, void *user) {
      Looks *l = static_cast<Looks *>(user);
      f[0] = -kG + std::sin(t);
      if (l->sim == nullptr) return std::int32_t{0};
      double kinetic = 0, potential = 0;
      l->asked++;
      l->seen += perp_event_driven_q(l->sim, 1) != nullptr;
      l->seen += perp_event_driven_rate(l->sim, 2) != nullptr;
      l->seen += perp_event_driven_lambda(l->sim, 0) != nullptr;
      l->seen += perp_event_driven_energy(l->sim, &kinetic, &potential) == PERP_OK;
      return std::int32_t{0};
    };
    w.connect(w.gap({1}, {0}), w.newton(0.5), {2});
    Motion run(w);
    EXPECT_EQ(run.create(), PERP_OK);
    if (looks) at.sim = run.sim;
    run.expect_until(1.5);
    EXPECT_EQ(at.seen, 0);
    EXPECT_EQ(at.asked > 0, looks);
    at.sim = nullptr;
    return run.q();
  };
  EXPECT_EQ(end(true), end(false));
}

// Forces that are asked for in one impact of one ball, among n.
double asked(int n) {
  double calls = 0;
  World w;
  for (int k = 0; k < n; k++) {
    const double height = 1 + std::fmod(0.6180339887498949 * (k + 1), 1);
    perp_lagrangian_linear &s = w.mass({1}, {0}, {height}, {0});
    s.user = &calls;
    s.force = [](double, double *f, void *user) {
      f[0] = -kG;
      ++*static_cast<double *>(user);
      return std::int32_t{0};
    };
    w.connect(w.gap({1}, {0}), w.newton(0.5), {k});
  }
  Motion run(w);
  run.observer.event = nullptr;
  run.expect_until(0.64);
  EXPECT_EQ(run.report().events, n + 1);
  return calls / n;
}

TEST(EventComponentsWork, AnEventAsksForTheForcesOfItsComponentAlone) {
  EXPECT_LE(asked(1000), 1.05 * asked(10));
}

}  // namespace
