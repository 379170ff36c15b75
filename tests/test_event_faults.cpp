// SPDX-License-Identifier: MIT
// Each call of a callback of a model of several components fails once. What is seen then is the
// state at one time of the undisturbed run; other components have not noticed; what goes on from
// there comes to the same end.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>

#include "each.hpp"
#include "event_tools.hpp"

namespace {

using tools::Method;
using tools::Motion;
using tools::Seen;
using tools::vec;
using tools::World;

const double kG = 10, kEnd = 0.75;

// What is left of the velocity of a rod at a reset is taken by an impulse, or is too little for
// one.
const std::uint32_t kRounded = PERP_EVENT_IMPACT;

// A pendulum on a rod that swings against a bumper, two balls that hit their tables at one time, a
// block that comes to stick, a circuit with a relay; a schedule belongs to all of them.
enum Part { PENDULUM, BALL, TWIN, BLOCK, CIRCUIT, ALL };

// The call that fails, and how: -1 gives up, 1 asks for a smaller step, 0 writes a NaN.
struct Gate {
  long calls = 0, bad = -1;
  int how = -1, owner = -1;
};
struct User {
  Gate *gate;
  Part part;
};

std::int32_t pass(const void *user, double *out) {
  const User *u = static_cast<const User *>(user);
  Gate *gate = u->gate;
  if (gate->calls++ != gate->bad) return 0;
  gate->owner = u->part;
  if (gate->how == 0) *out = NAN;
  return gate->how;
}

class Town : public World {
 public:
  explicit Town(Gate *gate) : gate_(gate) {
    pull(mass({1, 1}, {0, -kG}, {1, 0}, {0, 0}), PENDULUM);
    pull(mass({1}, {-kG}, {0.45}, {0}), BALL);
    pull(mass({2}, {-2 * kG}, {0.45}, {0}), TWIN);
    pull(mass({1, 1}, {0, -kG}, {0, 0}, {2, 0}, {20, 0}), BLOCK);
    connect(rod(), equality(), {0});
    connect(gap({0, 1}, {0.55}), newton(0.5), {0});
    connect(table(BALL), newton(0.5), {1});
    connect(table(TWIN), newton(0.6), {2});
    connect(gap({0, 1, 1, 0}, {0, 0}), friction(2, 0.3), {3});
    circuit();
    tick.first = 0.4;
    tick.user = user(ALL);
    tick.reset = [](perp_event_state *at, void *u) {
      at->v[2] += 0.25;  // of the first ball
      return pass(u, at->v);
    };
  }
  perp_schedule tick{};

 private:
  void *user(Part part) { return &users_.emplace_back(User{gate_, part}); }
  void pull(perp_lagrangian_linear &s, Part part) {
    s.user = user(part);
    s.force = [](double t, double *f, void *u) {
      f[0] = 0.1 * std::sin(t);
      return pass(u, f);
    };
  }
  perp_lagrangian_relation &relation(int n, Part part) {
    auto &r = relations_.emplace_back();
    EXPECT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, n), PERP_OK);
    r.user = user(part);
    return r;
  }
  const perp_relation *rod() {
    auto &r = relation(2, PENDULUM);
    r.h = [](double, const double *q, const double *, const double *, double *y, void *u) {
      y[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1);
      return pass(u, y);
    };
    r.H = [](double, const double *q, const double *, const double *, double *H, void *u) {
      H[0] = q[0], H[1] = q[1];
      return pass(u, H);
    };
    return &r.relation;
  }
  const perp_relation *table(Part part) {
    auto &r = relation(1, part);
    r.h = [](double, const double *q, const double *, const double *, double *y, void *u) {
      y[0] = q[0];
      return pass(u, y);
    };
    r.H = [](double, const double *, const double *, const double *, double *H, void *u) {
      H[0] = 1;
      return pass(u, H);
    };
    return &r.relation;
  }
  void circuit() {
    static const double A[] = {-1, -0.5, 2, -0.3};
    EXPECT_EQ(perp_first_order_init(&state_, sizeof state_, 2), PERP_OK);
    state_.user = user(CIRCUIT);
    state_.f = [](double, const double *x, const double *, double *f, void *u) {
      for (int i = 0; i < 2; i++) f[i] = A[i] * x[0] + A[2 + i] * x[1];
      return pass(u, f);
    };
    first(&state_.system, {1, 0.3});
    EXPECT_EQ(perp_first_order_type1_init(&output_, sizeof output_, 1, 2), PERP_OK);
    output_.user = user(CIRCUIT);
    output_.h = [](double, const double *x, const double *, const double *, double *y, void *u) {
      y[0] = x[0] + 0.5 * x[1];
      return pass(u, y);
    };
    output_.C = [](double, const double *, const double *, const double *, double *C, void *u) {
      C[0] = 1, C[1] = 0.5;
      return pass(u, C);
    };
    output_.g = [](double, const double *, const double *l, const double *, double *r, void *u) {
      r[0] = r[1] = l[0];
      return pass(u, r);
    };
    output_.B = [](double, const double *, const double *, const double *, double *B, void *u) {
      B[0] = B[1] = 1;
      return pass(u, B);
    };
    connect(&output_.relation, relay(), {4});
  }
  Gate *gate_;
  std::deque<User> users_;
  std::deque<perp_lagrangian_relation> relations_;
  perp_first_order state_{};
  perp_first_order_relation output_{};
};

// What is seen at a time.
struct State {
  double t;
  vec q, v, x;
};
// The entries of one part.
vec of(const State &s, int part) {
  static const std::size_t at[] = {0, 2, 3, 4, 6};
  if (part == CIRCUIT) return s.x;
  vec mine(s.q.begin() + long(at[part]), s.q.begin() + long(at[part + 1]));
  mine.insert(mine.end(), s.v.begin() + long(at[part]), s.v.begin() + long(at[part + 1]));
  return mine;
}

struct Trial {
  Trial(const Method &method, bool outputs) : town(&gate), run(town, method) {
    run.options.rtol = 1e-7, run.options.atol = 1e-9;
    run.options.schedules = &town.tick;
    run.options.n_schedules = 1;
    if (outputs) run.observer.every = 0.05;
    EXPECT_EQ(run.create(), PERP_OK) << run.message();
    gate.calls = 0;
  }
  State now() const { return {run.t(), run.q(), run.v(), run.x()}; }
  Gate gate;
  Town town;
  Motion run;
};

// The undisturbed run as seen at t, where nothing has happened yet.
State seen_at(const Method &method, const Motion &whole, double t) {
  for (const Seen &e : whole.events)
    if (e.t == t) return {t, e.q, e.v, e.x};
  Trial trial(method, false);
  trial.run.observer.times = &t;
  trial.run.observer.n_times = 1;
  trial.run.observer.output = [](perp_event_driven *, void *) { return 1; };
  EXPECT_EQ(trial.run.until(kEnd), PERP_STOPPED);
  return trial.now();
}

void expect_near(const vec &a, const vec &b, double tol, const std::string &what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); k++)
    EXPECT_NEAR(a[k], b[k], tol) << what << ", entry " << k;
}

// Events and outputs of a run that a component that shortens its steps has not disturbed otherwise.
void expect_others_alike(const Motion &run, const Motion &whole, int part,
                         const std::string &what) {
  ASSERT_EQ(run.events.size(), whole.events.size()) << what;
  ASSERT_EQ(run.samples.size(), whole.samples.size()) << what;
  for (std::size_t k = 0; k < run.samples.size(); k++) {
    const tools::Sample &a = run.samples[k], &b = whole.samples[k];
    for (int other = 0; other < ALL; other++) {
      if (other == part) continue;
      EXPECT_EQ(of({a.t, a.q, a.v, a.x}, other), of({b.t, b.q, b.v, b.x}, other)) << what << a.t;
    }
  }
}

void expect_last_good(Trial *trial, const Method &method, const Motion &whole, perp_status status,
                      const std::string &what) {
  const Motion &run = trial->run;
  if (status != PERP_STOPPED) { /* which a schedule may ask for */
    EXPECT_NE(run.message(), "") << what;
    EXPECT_NE(run.info.field, nullptr) << what;
  }
  const std::size_t n = run.events.size();
  ASSERT_LE(n, whole.events.size());
  std::int32_t impacts = 0, switches = 0;
  for (std::size_t k = 0; k < n; k++) {
    EXPECT_EQ(run.events[k].t, whole.events[k].t) << what;
    for (const perp_event_change &c : run.events[k].changes)
      (c.kind == PERP_EVENT_IMPACT ? impacts : switches) += c.kind != PERP_EVENT_SCHEDULE;
  }
  const perp_event_report report = run.report();
  EXPECT_EQ(report.events, std::int32_t(n) + 1) << what;
  EXPECT_EQ(report.impacts, impacts) << what;
  EXPECT_EQ(report.switches, switches + 2) << what;  // the start: a contact closes, a relay
  const perp_event *last = perp_event_driven_event(run.sim);
  if (n > 0) {
    const Seen &e = run.events[n - 1];
    EXPECT_EQ(last->t, e.t) << what;
    EXPECT_EQ(last->kinds, e.kinds) << what;
    EXPECT_EQ(vec(last->v, last->v + e.v.size()), e.v) << what;
    EXPECT_EQ(vec(last->impulse, last->impulse + e.impulse.size()), e.impulse) << what;
  } else {
    EXPECT_EQ(last->t, 0) << what;
  }
  const State here = trial->now();
  State there;
  if (n > 0 && run.events[n - 1].t == here.t) {
    const Seen &e = run.events[n - 1];
    there = {e.t, e.q_after, e.v_after, e.x_after};
  } else {
    there = seen_at(method, whole, here.t);
  }
  for (int part = 0; part < ALL; part++) {
    /* a rod is held to the tolerance until the end of its step is put out */
    if (part == trial->gate.owner || part == PENDULUM)
      expect_near(of(here, part), of(there, part), 1e-6, what);
    else
      EXPECT_EQ(of(here, part), of(there, part)) << what << ", part " << part;
  }
}

class EventFaults : public ::testing::TestWithParam<Method> {
 protected:
  void fail_each(int how, bool outputs) {
    Trial whole(GetParam(), outputs);
    whole.run.expect_until(kEnd);
    const State end = whole.now();
    const long calls = whole.gate.calls;
    ASSERT_GE(whole.run.events.size(), 6u);
    const bool quick = GetParam().smooth == perp_smooth_runge_kutta;
    const long stride = ((quick ? 7 : calls / 40) | 1) * tools::each();
    long told = 0;
    for (long k = 0; k < calls && !HasFailure(); k += stride) {
      Trial trial(GetParam(), outputs);
      trial.gate.bad = k;
      trial.gate.how = how;
      const perp_status status = trial.run.until(kEnd);
      const std::string what = "call " + std::to_string(k) + " of part " +
                               std::to_string(trial.gate.owner) + ": " + trial.run.message() +
                               " at t = " + std::to_string(trial.run.t());
      told += status != PERP_OK;
      if (how < 0) {
        EXPECT_EQ(status, PERP_ECALLBACK) << what;
      }
      if (status == PERP_OK) {
        expect_others_alike(trial.run, whole.run, trial.gate.owner, what);
      } else {
        expect_last_good(&trial, GetParam(), whole.run, status, what);
        ASSERT_EQ(trial.run.until(kEnd), PERP_OK) << what;
      }
      ASSERT_EQ(trial.run.events.size(), whole.run.events.size()) << what;
      for (std::size_t e = 0; e < trial.run.events.size(); e++) {
        EXPECT_EQ(trial.run.events[e].kinds | kRounded, whole.run.events[e].kinds | kRounded)
            << what;
        EXPECT_NEAR(trial.run.events[e].t, whole.run.events[e].t, 1e-5) << what;
      }
      const State now = trial.now();
      for (int part = 0; part < ALL; part++) expect_near(of(now, part), of(end, part), 1e-4, what);
    }
    EXPECT_TRUE(how >= 0 || told > 0);
  }
};

TEST_P(EventFaults, ACallThatGivesUpIsToldAndTheRunGoesOn) { fail_each(-1, false); }
TEST_P(EventFaults, ACallThatGivesUpBetweenOutputsIsToldToo) { fail_each(-1, true); }
TEST_P(EventFaults, ACallThatWritesNoNumberDisturbsItsComponentAlone) { fail_each(0, true); }
TEST_P(EventFaults, ACallThatAsksForASmallerStepDisturbsItsComponentAlone) { fail_each(1, true); }

// Every call of one force, in each way: m v' = cos t from rest, beside something that swings fast.
TEST_P(EventFaults, NoCallOfAForceThatFailsLeavesAWrongState) {
  for (const int how : {-1, 0, 1}) {
    long calls = 1;
    for (long k = -1; k < calls; k++) {
      Gate gate;
      User user{&gate, BALL};
      World w;
      perp_lagrangian_linear &s = w.mass({2}, {0}, {0}, {0});
      s.user = &user;
      s.force = [](double t, double *f, void *u) {
        f[0] = 2 * std::cos(t);
        return pass(u, f);
      };
      w.mass({1}, {0}, {1e-3}, {0}, {1e3});
      Motion run(w, GetParam());
      run.options.rtol = 1e-7, run.options.atol = 1e-8;
      run.observer.every = 0.3;
      ASSERT_EQ(run.create(), PERP_OK);
      gate.calls = 0, gate.bad = k, gate.how = how;
      const perp_status status = run.until(1);
      const std::string what = "call " + std::to_string(k) + ": " + run.message();
      if (k < 0) calls = gate.calls;
      if (how < 0 && k >= 0) {
        EXPECT_EQ(status, PERP_ECALLBACK) << what;
      }
      EXPECT_NEAR(run.q()[0], 1 - std::cos(run.t()), 1e-5) << what;
      EXPECT_NEAR(run.v()[0], std::sin(run.t()), 1e-5) << what;
      if (status != PERP_OK) {
        EXPECT_NE(run.info.field, nullptr) << what;
        run.expect_until(1);
      }
      EXPECT_EQ(run.t(), 1);
      EXPECT_NEAR(run.q()[0], 1 - std::cos(1.0), 1e-5) << what;
      for (const tools::Sample &at : run.samples)
        EXPECT_NEAR(at.q[0], 1 - std::cos(at.t), 1e-5) << what;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EventFaults, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

}  // namespace
