// SPDX-License-Identifier: MIT
// What event-driven simulation answers to bad input, storms of events and integrators that give up:
// a status, words, and the last good state.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "event_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::vec;
using tools::World;

class EventFailures : public ::testing::TestWithParam<Method> {
 protected:
  double slack() const { return GetParam().slack; }
};

void ball(World &w, double e) {
  w.mass({1}, {-8}, {4}, {0});
  w.connect(w.gap({1}, {0}), w.newton(e));
}

TEST_P(EventFailures, OptionsOutOfRangeAreRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  struct Bad {
    const char *field;
    double perp_event_options::*member;
  };
  const Bad positive[] = {{"rtol", &perp_event_options::rtol},
                          {"atol", &perp_event_options::atol},
                          {"contact_tol", &perp_event_options::contact_tol},
                          {"velocity_tol", &perp_event_options::velocity_tol},
                          {"zeno_tol", &perp_event_options::zeno_tol}};
  World w;
  ball(w, 0.5);
  const auto refused = [&](const char *field, auto &&spoil) {
    Motion run(w, GetParam());
    spoil(run.options);
    const perp_status status = run.create();
    EXPECT_TRUE(status == PERP_EINVAL || status == PERP_ENOTFINITE) << field << ": " << status;
    EXPECT_STREQ(run.info.field, field);
  };
  for (const Bad &bad : positive)
    for (const double value : {0.0, -1.0, nan, inf, -inf})
      refused(bad.field, [&](perp_event_options &o) { o.*bad.member = value; });
  for (const double value : {-1.0, nan}) {
    refused("h_first", [&](perp_event_options &o) { o.h_first = value; });
    refused("h_max", [&](perp_event_options &o) { o.h_max = value; });
    refused("storm_time", [&](perp_event_options &o) { o.storm_time = value; });
  }
  for (const double value : {nan, inf}) refused("t0", [&](perp_event_options &o) { o.t0 = value; });
  refused("max_steps", [](perp_event_options &o) { o.max_steps = 0; });
  refused("order", [](perp_event_options &o) { o.order = -1; });
  refused("order", [](perp_event_options &o) { o.order = 99; });
  refused("linear", [](perp_event_options &o) { o.linear = 9; });
  refused("impact", [](perp_event_options &o) { o.impact = -1; });
  refused("zeno", [](perp_event_options &o) { o.zeno = 7; });
  refused("samples", [](perp_event_options &o) { o.samples = -1; });
  refused("storm_events", [](perp_event_options &o) { o.storm_events = 1; });
  refused("n_guards", [](perp_event_options &o) { o.n_guards = -1; });
  refused("n_guards", [](perp_event_options &o) { o.n_guards = 1; });
  refused("n_schedules", [](perp_event_options &o) { o.n_schedules = -1; });
  refused("n_schedules", [](perp_event_options &o) { o.n_schedules = 1; });
  const vec zero{1e-9, 0};
  refused("atols", [&](perp_event_options &o) { o.atols = zero.data(); });
}

TEST(EventFailure, NullIsAnsweredWithAStatus) {
  perp_info info = PERP_INFO_INIT;
  perp_event_driven *sim = nullptr;
  const perp_event_options options = perp_event_options_default();
  World w;
  ball(w, 0.5);
  EXPECT_EQ(perp_event_driven_create(nullptr, w.model(), &options, &info), PERP_EINVAL);
  EXPECT_EQ(perp_event_driven_create(&sim, nullptr, &options, &info), PERP_EINVAL);
  EXPECT_EQ(perp_event_driven_create(&sim, w.model(), nullptr, &info), PERP_EINVAL);
  EXPECT_EQ(sim, nullptr);
  perp_event_driven_destroy(nullptr);
  EXPECT_EQ(perp_event_driven_run(nullptr, 1, nullptr, &info), PERP_EINVAL);
  EXPECT_EQ(perp_event_driven_next(nullptr, 1, &info), PERP_EINVAL);
  EXPECT_EQ(perp_event_driven_restart(nullptr, 0, nullptr, nullptr, nullptr, &info), PERP_EINVAL);
  EXPECT_EQ(perp_event_driven_event(nullptr), nullptr);
  EXPECT_NE(perp_event_driven_message(nullptr), nullptr);
  EXPECT_EQ(perp_event_driven_q(nullptr, 0), nullptr);
  EXPECT_EQ(perp_event_driven_v(nullptr, 0), nullptr);
  EXPECT_EQ(perp_event_driven_x(nullptr, 0), nullptr);
  EXPECT_EQ(perp_event_driven_y(nullptr, 0), nullptr);
  EXPECT_EQ(perp_event_driven_ydot(nullptr, 0), nullptr);
  EXPECT_EQ(perp_event_driven_lambda(nullptr, 0), nullptr);
  EXPECT_EQ(perp_event_driven_rate(nullptr, 0), nullptr);
  EXPECT_EQ(perp_event_driven_mode(nullptr, 0, 0), -1);
  EXPECT_EQ(perp_event_driven_energy(nullptr, nullptr, nullptr), PERP_EINVAL);
  perp_event_report report = PERP_EVENT_REPORT_INIT;
  EXPECT_EQ(perp_event_driven_report(nullptr, &report), PERP_EINVAL);
  ASSERT_EQ(perp_event_driven_create(&sim, w.model(), &options, &info), PERP_OK);
  EXPECT_EQ(perp_event_driven_q(sim, -1), nullptr);
  EXPECT_EQ(perp_event_driven_q(sim, 1), nullptr);
  EXPECT_EQ(perp_event_driven_x(sim, 0), nullptr);
  EXPECT_EQ(perp_event_driven_lambda(sim, 1), nullptr);
  EXPECT_EQ(perp_event_driven_mode(sim, 0, 1), -1);
  EXPECT_EQ(perp_event_driven_mode(sim, 1, 0), -1);
  for (const double until : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_LT(perp_event_driven_run(sim, until, nullptr, &info), 0) << until;
    EXPECT_LT(perp_event_driven_next(sim, until, &info), 0) << until;
  }
  EXPECT_EQ(perp_event_driven_run(sim, 0.5, nullptr, &info), PERP_OK);
  perp_event_driven_destroy(sim);
}

TEST_P(EventFailures, AGuardThatIsNotANumberEndsTheRun) {
  World w;
  w.mass({1}, {0}, {0}, {1});
  perp_guard guard{};
  guard.value = [](const perp_event_state *at, double *g, void *) -> std::int32_t {
    *g = std::sqrt(0.5 - at->q[0]) + 1;
    return 0;
  };
  Motion run(w, GetParam());
  run.options.guards = &guard;
  run.options.n_guards = 1;
  run.options.h_max = 0.1;
  EXPECT_EQ(run.until(1), PERP_ENOTFINITE);
  EXPECT_GE(run.t(), 0.35);
  EXPECT_LE(run.t(), 0.5);
  EXPECT_NEAR(run.q()[0], run.t(), 1e-12 * slack());
  EXPECT_NE(run.message(), "");
}

TEST_P(EventFailures, AGuardMayGiveUp) {
  World w;
  w.mass({1}, {0}, {0}, {1});
  perp_guard guard{};
  guard.value = [](const perp_event_state *at, double *g, void *) -> std::int32_t {
    *g = 1;
    return at->t > 0.5 ? -1 : 0;
  };
  Motion run(w, GetParam());
  run.options.guards = &guard;
  run.options.n_guards = 1;
  run.options.h_max = 0.1;
  EXPECT_EQ(run.until(1), PERP_ECALLBACK);
  EXPECT_LE(run.t(), 0.5);
  EXPECT_NEAR(run.q()[0], run.t(), 1e-12 * slack());
}

TEST_P(EventFailures, AResetMayEndTheRunOrGiveUp) {
  for (const std::int32_t answer : {1, -1}) {
    World w;
    w.mass({1}, {0}, {0}, {1});
    perp_guard guard{};
    std::int32_t say = answer;
    guard.value = [](const perp_event_state *at, double *g, void *) -> std::int32_t {
      return *g = at->q[0] - 0.5, 0;
    };
    guard.reset = [](perp_event_state *at, void *user) -> std::int32_t {
      at->v[0] = -1;
      return *static_cast<std::int32_t *>(user);
    };
    guard.user = &say;
    Motion run(w, GetParam());
    run.options.guards = &guard;
    run.options.n_guards = 1;
    EXPECT_EQ(run.until(1), answer > 0 ? PERP_STOPPED : PERP_ECALLBACK);
    EXPECT_NEAR(run.t(), 0.5, 1e-12 * slack());
    EXPECT_EQ(run.v()[0]<0, answer> 0) << "given up, the state is that before the event";
  }
}

TEST_P(EventFailures, AStormOfEventsEndsAndIsDescribed) {
  World w;
  w.mass({1}, {0}, {0.25}, {-1});
  perp_guard guard{};
  guard.value = [](const perp_event_state *at, double *g, void *) -> std::int32_t {
    return *g = at->q[0], 0;
  };
  guard.reset = [](perp_event_state *at, void *) -> std::int32_t { return at->q[0] = 1e-10, 0; };
  guard.direction = -1;
  Motion run(w, GetParam());
  run.options.guards = &guard;
  run.options.n_guards = 1;
  EXPECT_EQ(run.until(1), PERP_STORM);
  EXPECT_NEAR(run.t(), 0.25, 1e-6);
  EXPECT_NEAR(static_cast<double>(run.events.size()), 1000, 1);
  const std::string words = run.message();
  EXPECT_NE(words.find("0.25"), std::string::npos) << words;
  EXPECT_NE(words.find("guard"), std::string::npos) << words;
  EXPECT_NE(words.find("per second"), std::string::npos) << words;
}

TEST_P(EventFailures, ImpactsThatAccumulateAreAStormWhereNothingIsCutOff) {
  World w;
  ball(w, 0.9); /* accumulates at t = 19 */
  Motion run(w, GetParam());
  run.options.zeno = PERP_ZENO_STOP;
  run.options.storm_events = 30;
  run.options.storm_time = 1e-3;
  EXPECT_EQ(run.until(20), PERP_STORM);
  EXPECT_NEAR(run.t(), 19, 2e-3);
  EXPECT_TRUE(run.of(PERP_EVENT_ACCUMULATION).empty());
  EXPECT_NE(run.message(), "");
}

/** x'' = -1000² x, which needs many steps. */
TEST_P(EventFailures, TooMuchWorkIsToldAndTheStateIsTheLastGoodOne) {
  World w;
  w.mass({1}, {0}, {1}, {0}, {1e6});
  Motion run(w, GetParam());
  run.options.max_steps = 50;
  EXPECT_EQ(run.until(10), PERP_MAX_ITER);
  EXPECT_GT(run.t(), 0);
  EXPECT_LT(run.t(), 10);
  EXPECT_NEAR(run.q()[0], std::cos(1e3 * run.t()), 1e-9 * slack());
  EXPECT_NE(run.message().find("step"), std::string::npos) << run.message();
}

/** A force that works until t = 0.5. */
void fails(World &w, perp_lagrangian &system, const std::int32_t *answer) {
  static const double M = 1;
  ASSERT_EQ(perp_lagrangian_init(&system, sizeof system, 1), PERP_OK);
  system.M = perp_dense(1, 1, &M);
  system.user = const_cast<std::int32_t *>(answer);
  system.internal = [](double t, const double *q, const double *, const double *, double *f,
                       void *user) -> std::int32_t {
    f[0] = *static_cast<std::int32_t *>(user) == 2 && t > 0.5
               ? std::numeric_limits<double>::quiet_NaN()
               : q[0];
    return t > 0.5 && *static_cast<std::int32_t *>(user) != 2 ? *static_cast<std::int32_t *>(user)
                                                              : 0;
  };
  w.add(&system.system, {1}, {0});
}

TEST_P(EventFailures, AForceMayGiveUp) {
  const struct {
    std::int32_t answer;
    perp_status expected;
  } cases[] = {{-1, PERP_ECALLBACK}, {1, PERP_RETRY}, {2, PERP_ENOTFINITE}};
  for (const auto &c : cases) {
    World w;
    perp_lagrangian system;
    fails(w, system, &c.answer);
    Motion run(w, GetParam());
    const perp_status status = run.until(1);
    EXPECT_EQ(status, c.expected) << c.answer << ": " << run.message();
    EXPECT_LE(run.t(), 0.5 + 1e-12);
    EXPECT_NEAR(run.q()[0], std::cos(run.t()), 1e-10 * slack());
    EXPECT_NEAR(run.v()[0], -std::sin(run.t()), 1e-10 * slack());
    const std::string words = run.message(), name = GetParam().name;
    EXPECT_NE(words, "");
    if (c.answer < 0 && name != "runge_kutta") { /* in the words of SUNDIALS */
      const char *package = name == "ida" ? "IDA" : name == "arkode" ? "ARKODE" : "CVODE";
      EXPECT_NE(words.find(package), std::string::npos) << words;
    }
  }
}

/** Forces that are not finite, or ask for smaller steps, beyond a place, for motions of some speeds
 * and with a stiff spring beside. */
TEST_P(EventFailures, AForceMayNotReachBeyondAPlace) {
  const struct {
    double answer;
    perp_status expected;
  } cases[] = {{1, PERP_RETRY}, {0, PERP_ENOTFINITE}};
  for (const auto &c : cases) {
    for (const double speed : {1e-2, 1.0, 30.0}) {
      World w;
      static const double M[] = {1, 0, 0, 1};
      perp_lagrangian system;
      ASSERT_EQ(perp_lagrangian_init(&system, sizeof system, 2), PERP_OK);
      system.M = perp_dense(2, 2, M);
      double answer = c.answer;
      system.user = &answer;
      system.internal = [](double, const double *q, const double *, const double *, double *f,
                           void *user) -> std::int32_t {
        f[0] = -0.1 * std::sqrt(0.5 - q[0]), f[1] = 400 * q[1];
        return q[0] > 0.5 && *static_cast<double *>(user) > 0 ? 1 : 0;
      };
      w.add(&system.system, {0, 1e-3}, {speed, 0});
      Motion run(w, GetParam());
      run.options.rtol = 1e-8, run.options.atol = 1e-10;
      EXPECT_EQ(run.until(100), c.expected) << speed << ": " << run.message();
      EXPECT_LE(run.q()[0], 0.5);
      EXPECT_GE(run.q()[0], 0.4);
    }
  }
}

TEST_P(EventFailures, ObserversMayStopAndGoOnOrGiveUp) {
  World w;
  ball(w, 0.5);
  Motion run(w, GetParam());
  run.observer.every = 0.25;
  run.observer.first = 0.25;
  int calls = 0;
  run.observer.user = &calls;
  run.observer.event = nullptr;
  run.observer.output = [](perp_event_driven *, void *user) -> std::int32_t {
    return ++*static_cast<int *>(user) == 2 ? 1 : *static_cast<int *>(user) == 4 ? -1 : 0;
  };
  EXPECT_EQ(run.until(3), PERP_STOPPED);
  EXPECT_EQ(run.t(), 0.5);
  EXPECT_NEAR(run.q()[0], 3, 1e-11 * slack());
  EXPECT_EQ(run.until(3), PERP_ECALLBACK);
  EXPECT_EQ(calls, 4);
  EXPECT_NEAR(run.q()[0], 4 - 4 * run.t() * run.t(), 1e-11 * slack());
}

TEST_P(EventFailures, TwoSimulationsOfOneModelShareNothing) {
  World w;
  ball(w, 0.8);
  Motion alone(w, GetParam()), one(w, GetParam()), two(w, GetParam());
  alone.expect_until(5);
  for (int k = 1; k <= 50; k++) {
    one.expect_until(0.1 * k);
    two.expect_until(0.07 * k);
  }
  two.expect_until(5);
  ASSERT_EQ(one.events.size(), alone.events.size());
  ASSERT_EQ(two.events.size(), alone.events.size());
  for (std::size_t n = 0; n < alone.events.size(); n++) {
    EXPECT_NEAR(one.events[n].t, alone.events[n].t, 1e-10 * slack());
    EXPECT_NEAR(two.events[n].t, alone.events[n].t, 1e-10 * slack());
  }
  Motion again(w, GetParam());
  again.expect_until(5);
  ASSERT_EQ(again.events.size(), alone.events.size());
  for (std::size_t n = 0; n < alone.events.size(); n++)
    EXPECT_EQ(again.events[n].t, alone.events[n].t) << "the same bits";
  EXPECT_EQ(again.q(), alone.q());
}

TEST_P(EventFailures, CreateAndDestroyLeaveNothing) {
  World w;
  ball(w, 0.8);
  for (int k = 0; k < 20; k++) {
    Motion run(w, GetParam());
    ASSERT_EQ(run.create(), PERP_OK);
    if (k % 2 == 0) run.expect_until(2);
  }
}

TEST_P(EventFailures, ARestartBeginsAnewAndABadOneChangesNothing) {
  World w;
  ball(w, 0.5);
  Motion run(w, GetParam());
  run.expect_until(1.2);
  const double high = 1, rest = 0, bad = std::numeric_limits<double>::quiet_NaN();
  const vec q = run.q(), v = run.v();
  EXPECT_LT(perp_event_driven_restart(run.sim, 2, &bad, nullptr, nullptr, &run.info), 0);
  EXPECT_LT(perp_event_driven_restart(run.sim, bad, &high, nullptr, nullptr, &run.info), 0);
  EXPECT_EQ(run.t(), 1.2);
  EXPECT_EQ(run.q(), q);
  EXPECT_EQ(run.v(), v);
  ASSERT_EQ(perp_event_driven_restart(run.sim, 10, &high, &rest, nullptr, &run.info), PERP_OK);
  EXPECT_EQ(run.t(), 10);
  run.events.clear();
  run.expect_until(10.6);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].t, 10.5, 1e-11 * slack());
}

INSTANTIATE_TEST_SUITE_P(All, EventFailures, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

}  // namespace
