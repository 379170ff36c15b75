// SPDX-License-Identifier: MIT
// No obstacle is passed: gaps that move faster than the steps of the smooth motion, gaps without a
// value within the obstacle, and times that coincide. Flights are judged from the states at events:
// exact parabolas in long double, their gaps looked at in 400 points of a period.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "each.hpp"
#include "event_exact.hpp"
#include "event_tools.hpp"
#include "figure.hpp"

namespace {

using exact::real;
using tools::Method;
using tools::Motion;
using tools::World;

constexpr double kG = 9.81;

/** A ball on the table A sin wt. */
struct Table : World {
  double A, w;
  perp_lagrangian_relation height;
  Table(double amplitude, double rate, double e) : A(amplitude), w(rate) {
    mass({1}, {-kG}, {0}, {0});
    EXPECT_EQ(perp_lagrangian_rheonomous_init(&height, sizeof height, 1, 1), PERP_OK);
    height.h = [](double t, const double *q, const double *, const double *, double *y, void *s) {
      const Table *at = static_cast<const Table *>(s);
      return y[0] = q[0] - at->A * std::sin(at->w * t), 0;
    };
    height.H = [](double, const double *, const double *, const double *, double *H, void *) {
      return H[0] = 1, 0;
    };
    height.h_dt = [](double t, const double *, const double *, const double *, double *y, void *s) {
      const Table *at = static_cast<const Table *>(s);
      return y[0] = -at->A * at->w * std::cos(at->w * t), 0;
    };
    height.user = this;
    connect(&height.relation, newton(e));
  }
};

/** How deep the flight from an event to a time lies within the table. */
real depth(const Table &table, double t, double q, double v, double until) {
  const real length = real{until} - real{t};
  const long points = 50 + static_cast<long>(length * table.w / (2 * exact::pi) * 400);
  real worst = 0;
  for (long k = 1; k < points; k++) {
    const real s = length * k / points, top = q + v * s - kG / real{2} * s * s;
    if (top < table.A) worst = std::max(worst, table.A * std::sin(table.w * (t + s)) - top);
  }
  return worst;
}

/** The deepest of a run with default options that ends well, or says how it does not. */
double deepest(Table &table, const Method &method, double until) {
  Motion run(table);
  run.options = perp_event_options_default();
  run.options.smooth = method.smooth();
  struct Flight {
    Table *table;
    Motion *run;
    double t, q, v;
    bool open;
    real worst;
    void end(double now) {
      if (open) worst = std::max(worst, depth(*table, t, q, v, now));
    }
    void begin() {
      t = run->t(), q = run->q()[0], v = run->v()[0];
      open = run->mode() == PERP_CONTACT_OPEN || run->mode() == PERP_CONTACT_TOUCH;
    }
  } flight{&table, &run, 0, 0, 0, false, 0};
  run.observer.event = [](perp_event_driven *, const perp_event *event, void *self) {
    Flight *f = static_cast<Flight *>(self);
    f->end(event->t);
    return f->begin(), 0;
  };
  run.observer.user = &flight;
  EXPECT_EQ(run.create(), PERP_OK);
  flight.begin();
  const perp_status status = run.until(until);
  EXPECT_TRUE(status == PERP_OK || status == PERP_STORM) << run.message();
  flight.end(run.t());
  EXPECT_EQ(run.report().missed, 0) << "A = " << table.A << ", w = " << table.w;
  return static_cast<double>(flight.worst);
}

class EventMissed : public ::testing::TestWithParam<Method> {};

TEST_P(EventMissed, NoTableOfTheUsersIsPassed) {
  Table table(0.01, 60, 0.5);
  EXPECT_LE(deepest(table, GetParam(), 3), 1e-9);
}

// Tables that fall barely faster than the ball, so that it leaves them with next to no velocity.
TEST_P(EventMissed, NoStormWhereATableLetsGo) {
  for (int i = 0; i < 40; i += tools::each()) {
    const double w = 5 + 0.6 * i, over = 1.01 + 0.37 * std::fmod(0.618 * i, 1);
    Table table(over * kG / (w * w), w, 0.21 + 0.4 * std::fmod(0.414 * i, 1));
    Motion run(table);
    run.options = perp_event_options_default();
    run.options.smooth = GetParam().smooth();
    run.expect_until(2);
    EXPECT_LE(run.report().restarts, 3000) << w;
  }
}

TEST_P(EventMissed, NoneOf132TablesIsPassed) {
  double worst = 0;
  for (int i = 0; i < 12; i++)
    for (int j = i % tools::each(); j < 11; j += tools::each()) {
      const double w = 10 * std::pow(1.45, i);
      Table table(2 * kG / (w * w), w, 0.1 + 0.08 * j);
      const double deep = deepest(table, GetParam(), 120 / w);
      EXPECT_LE(deep, 1e-9) << "w = " << w << ", e = " << 0.1 + 0.08 * j;
      worst = std::max(worst, deep);
    }
  tools::figure(std::string("132 tables, deepest (m), ") + GetParam().name, worst);
}

// Rebounds so low that an integrator of several steps is wrong by more: the gap comes to 0 while
// the ball rises, again and again.
TEST_P(EventMissed, ReboundsBelowTheErrorOfTheMotionEnd) {
  const double w = std::sqrt(2 * kG / 0.01);
  for (const double e : {0.95 * 6 / 131, 0.95 * 10 / 131}) {
    Table table(0.01, w, e);
    Motion run(table);
    run.options = perp_event_options_default();
    run.options.smooth = GetParam().smooth();
    EXPECT_EQ(run.until(120 / w), PERP_OK) << "e = " << e << ": " << run.message();
  }
}

TEST(EventMissedBy, NoneOfRandomTablesIsPassed) {
  std::mt19937_64 random(20240501);
  std::uniform_real_distribution<double> part(0, 1);
  for (int k = 0; k < 600; k += tools::each()) {
    const double w = std::pow(1000, part(random)), strength = 0.1 * std::pow(1000, part(random));
    const double e = 0.95 * part(random), A = strength * kG / (w * w);
    Table table(A, w, e);
    const double until = (20 * 2 * M_PI + 10 * strength) / w;
    EXPECT_LE(deepest(table, tools::kRungeKutta, until), 1e-9 * std::max(1.0, A))
        << "A = " << A << ", w = " << w << ", e = " << e;
  }
}

// A ball that is thrown over a bump of a width far below its steps, in space: y = q1 − bump(q0).
TEST_P(EventMissed, ANarrowBumpIsHit) {
  World w;
  w.mass({1, 1}, {0, 0}, {0, 0.05}, {1, 0});
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 2), PERP_OK);
  r.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    const double x = (q[0] - 0.5123) / 0.02;
    return y[0] = q[1] - 0.1 * std::exp(-x * x), 0;
  };
  r.H = [](double, const double *q, const double *, const double *, double *H, void *) {
    const double x = (q[0] - 0.5123) / 0.02;
    H[0] = 0.1 * std::exp(-x * x) * 2 * x / 0.02;
    return H[1] = 1, 0;
  };
  w.connect(&r.relation, w.newton(1));
  Motion run(w, GetParam());
  run.expect_until(1);
  ASSERT_GE(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].t, 0.5123 - 0.02 * std::sqrt(std::log(2.0)), 1e-8);
}

// One below all points that the search looks at is seen at an output, and is gone back to.
TEST(EventMissedBy, AnOutputWithinAnObstacleIsAnEventBeforeIt) {
  World w;
  w.mass({1, 1}, {0, 0}, {0, 1e-3}, {1, 0});
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 2), PERP_OK);
  r.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    const double x = (q[0] - 0.5) / 1e-5;
    return y[0] = q[1] - 0.1 * std::exp(-x * x), 0;
  };
  r.H = [](double, const double *q, const double *, const double *, double *H, void *) {
    const double x = (q[0] - 0.5) / 1e-5;
    H[0] = 0.1 * std::exp(-x * x) * 2 * x / 1e-5;
    return H[1] = 1, 0;
  };
  w.connect(&r.relation, w.newton(1));
  for (const bool output : {false, true}) {
    Motion run(w);
    run.observer.first = run.observer.every = output ? 0.5 : 0;
    run.expect_until(0.9);
    EXPECT_EQ(run.report().missed, output ? 1 : 0);
    EXPECT_EQ(run.of(PERP_EVENT_IMPACT).size(), output ? 1u : 0u);
    for (const tools::Sample &s : run.samples) EXPECT_LE(s.q[0], 0.5);
  }
}

// A gap that has no value between two depths, the first of which may be 0: not a number, or a
// smaller step asked for.
struct Blind {
  double from, to;
  bool asks;
  bool sees(double q) const { return q >= -from || q < -to; }
};

void expect_hit(const Method &method, double t, const Blind &blind) {
  World w;
  w.mass({1}, {-8}, {4 * t * t}, {0});
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 1), PERP_OK);
  r.h = [](double, const double *q, const double *, const double *, double *y, void *s) {
    const Blind *at = static_cast<const Blind *>(s);
    y[0] = at->sees(q[0]) ? q[0] : NAN;
    return !at->sees(q[0]) && at->asks ? 1 : 0;
  };
  r.H = [](double, const double *, const double *, const double *, double *H, void *) {
    return H[0] = 1, 0;
  };
  Blind user = blind;
  r.user = &user;
  w.connect(&r.relation, w.newton(0.5));
  Motion run(w, method);
  run.expect_until(1.8 * t);
  ASSERT_EQ(run.events.size(), 1u) << blind.from << " to " << blind.to;
  EXPECT_NEAR(run.events[0].t, t, 1e-9) << blind.from << " to " << blind.to;
  EXPECT_NEAR(run.q()[0], (4 * 0.8 - 4 * 0.64) * t * t, 1e-7);
  EXPECT_EQ(run.report().missed, 0);
}

TEST_P(EventMissed, AGapWithoutValuesWithinTheObstacleIsHit) {
  for (const bool asks : {false, true}) {
    for (const double from : {0.0, 1e-9, 1e-4, 0.01, 0.1})
      expect_hit(GetParam(), 0.5, {from, 10, asks});
    for (double t = 0.3; t < 0.7; t += 0.037)
      for (double from = 0.01; from < 1; from *= 1.4)
        expect_hit(GetParam(), t, {from, 1.5 * from, asks});
  }
}

std::int32_t count(perp_event_state *, void *counter) { return ++*static_cast<int *>(counter), 0; }

TEST_P(EventMissed, AScheduleAtTheTimeOfARestartHappensOnce) {
  World w;
  w.mass({1}, {0}, {1}, {0});
  int happened = 0;
  const double at = 1;
  const perp_schedule schedule = {&at, 1, 0, 0, 0, count, &happened};
  Motion run(w, GetParam());
  run.options.schedules = &schedule;
  run.options.n_schedules = 1;
  run.expect_until(1);
  EXPECT_EQ(happened, 1);
  const double v = 3;
  ASSERT_EQ(perp_event_driven_restart(run.sim, 1, nullptr, &v, nullptr, nullptr), PERP_OK);
  EXPECT_EQ(happened, 1);
  run.expect_until(2);
  EXPECT_EQ(happened, 1);
  ASSERT_EQ(perp_event_driven_restart(run.sim, 0, nullptr, &v, nullptr, nullptr), PERP_OK);
  run.expect_until(2);
  EXPECT_EQ(happened, 2);
}

// The ball lands at 1 − 4.4e-16, where rounding puts it: with the schedule at 1.
TEST_P(EventMissed, AScheduleWithinTheRoundingOfAnImpactIsOneEventWithIt) {
  World w;
  w.mass({1}, {0}, {1}, {-1 - 4.4e-16});
  w.connect(w.gap({1}, {0}), w.newton(0.5));
  int happened = 0;
  const double at = 1;
  const perp_schedule schedule = {&at, 1, 0, 0, 0, count, &happened};
  Motion run(w, GetParam());
  run.options.schedules = &schedule;
  run.options.n_schedules = 1;
  run.expect_until(1.5);
  EXPECT_EQ(happened, 1);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_TRUE(run.events[0].is(PERP_EVENT_SCHEDULE));
  EXPECT_TRUE(run.events[0].is(PERP_EVENT_IMPACT));
  EXPECT_EQ(run.events[0].t, 1);
}

TEST(EventMissedBy, OutputsThatNeverComeToTheEndAreRefused) {
  World w;
  w.mass({1}, {0}, {1}, {0});
  Motion run(w);
  run.observer.every = 1e-300;
  EXPECT_EQ(run.until(1), PERP_EINVAL);
  ASSERT_NE(run.info.field, nullptr);
  EXPECT_STREQ(run.info.field, "observer.every");
}

// An elastic ball that comes back within one step of the method, 1e5 times.
TEST(EventMissedBy, AnElasticBallDoesNotSink) {
  World w;
  w.mass({1}, {-kG}, {1}, {0});
  w.connect(w.gap({1}, {0}), w.newton(1));
  Motion run(w);
  double lowest = 0;
  run.observer.event = [](perp_event_driven *sim, const perp_event *, void *low) {
    double *l = static_cast<double *>(low);
    return *l = std::fmin(*l, *perp_event_driven_q(sim, 0)), 0;
  };
  run.observer.user = &lowest;
  run.expect_until(2 * std::sqrt(2 / kG) * 1e5);
  EXPECT_GE(lowest, -1e-10);
  EXPECT_EQ(run.report().missed, 0);
}

INSTANTIATE_TEST_SUITE_P(All, EventMissed, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

}  // namespace
