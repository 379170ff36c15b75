// SPDX-License-Identifier: MIT
// What event-driven simulation has to bear: units and masses far from 1, late times, contacts that
// depend on each other, constraints that contradict, resets that break what is held.
#include <gtest/gtest.h>
#include <perp/event_driven.h>
#include <perp/perp.h>

#include <cmath>
#include <cstdint>

#include "event_tools.hpp"

namespace {

using tools::Motion;
using tools::World;

TEST(EventReview, MassesFarApartRestOnOneFloor) {
  for (const double ratio : {1e-14, 1e-6, 1e6, 1e14}) {
    World w;
    w.mass({1}, {-10}, {0}, {0});
    w.mass({ratio}, {-10 * ratio}, {0}, {0});
    w.connect(w.gap({1}, {0}), w.newton(0.5), {0});
    w.connect(w.gap({1}, {0}), w.newton(0.5), {1});
    Motion m(w);
    m.expect_until(1);
    EXPECT_NEAR(m.q()[0], 0, 1e-12) << ratio;
    EXPECT_NEAR(m.q()[1], 0, 1e-12) << ratio;
    EXPECT_NEAR(m.lambda()[0], 10, 1e-9) << ratio;
    EXPECT_NEAR(m.lambda()[1] / ratio, 10, 1e-9) << ratio;
  }
}

/* A table on four legs, of which the floor (0.1 sin 3t) needs but three. */
int32_t gaps(double t, const double *q, const double *, const double *, double *y, void *) {
  for (int i = 0; i < 4; i++)
    y[i] = q[0] + (i < 2 ? q[1] : -q[1]) + (i % 2 == 0 ? q[2] : -q[2]) - 0.1 * std::sin(3 * t);
  return 0;
}
int32_t gaps_H(double, const double *, const double *, const double *, double *H, void *) {
  for (int i = 0; i < 4; i++) H[i] = 1, H[4 + i] = i < 2 ? 1 : -1, H[8 + i] = i % 2 == 0 ? 1 : -1;
  return 0;
}

class EventReviewOf : public ::testing::TestWithParam<tools::Method> {};
INSTANTIATE_TEST_SUITE_P(All, EventReviewOf, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

TEST_P(EventReviewOf, AFourLeggedTableStaysOnAFloorThatMoves) {
  World w;
  w.mass({2, 1, 1}, {-20, 0, 0}, {0, 0, 0}, {0.3, 0, 0});
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_rheonomous_init(&r, sizeof r, 4, 3), PERP_OK);
  r.h = gaps;
  r.H = gaps_H;
  w.connect(&r.relation, w.newton(0.5));
  Motion m(w, GetParam());
  m.options.rtol = 1e-9;
  m.options.atol = 1e-10;
  m.expect_until(2);
  EXPECT_NEAR(m.q()[0], 0.1 * std::sin(6), 1e-12);
  EXPECT_NEAR(m.v()[0], 0.3 * std::cos(6), 1e-12);
  double carried = 0;
  for (const double l : m.lambda()) carried += l;
  EXPECT_NEAR(carried, 2 * (10 - 0.9 * std::sin(6)), 1e-6);
  EXPECT_TRUE(m.events.empty());
}

/* A block that friction stops: q(τ) = v τ − a τ²/2 until τ = v/a, a = μ g. */
void expect_stop(const tools::Method &method, double t0, double metre) {
  World w;
  const double g = 10 * metre, v = 1.03 * metre, mu = 0.5;
  w.mass({1, 1}, {0, -g}, {0, 0}, {v, 0});
  w.connect(w.gap({0, 1, 1, 0}, {0, 0}), w.friction(2, mu));
  Motion m(w, method);
  m.options.t0 = t0;
  m.options.atol = 1e-13 * metre;
  m.expect_until(t0 + 1);
  EXPECT_NEAR(m.q()[0], v * v / (2 * mu * g), 1e-9 * metre) << t0 << " " << metre;
  EXPECT_EQ(m.v()[0], 0);
  EXPECT_EQ(m.mode(), PERP_CONTACT_STICK);
  ASSERT_EQ(m.events.size(), 1u) << t0 << " " << metre;
  EXPECT_TRUE(m.events[0].is(PERP_EVENT_STICK));
  EXPECT_NEAR(m.events[0].t - t0, v / (mu * g), 1e-9);
}

TEST_P(EventReviewOf, ASlidingBlockStopsOnceInAnyUnitAtAnyTime) {
  for (const double t0 : {0.0, 1e3, 1e6})
    for (const double metre : {1e-3, 1.0, 1e3, 1e6}) expect_stop(GetParam(), t0, metre);
}

TEST(EventReview, ConstraintsThatContradictAreRefused) {
  World w;
  w.mass({1}, {0}, {0}, {0});
  w.connect(w.gap({1}, {0}), w.equality());
  w.connect(w.gap({1}, {-1}), w.equality());
  Motion m(w);
  EXPECT_EQ(m.create(), PERP_INFEASIBLE);
  EXPECT_STREQ(m.info.field, "constraints");
}

/* A ball dropped from 3 m at 10 m/s², and a schedule at 0.3 s whose reset may fail. */
struct Drop {
  int failures = 1, calls = 0;
  double q = NAN;
};
int32_t reset_drop(perp_event_state *at, void *user) {
  Drop *d = static_cast<Drop *>(user);
  if (d->calls++ < d->failures) {
    at->q[0] = d->q;
    return std::isnan(d->q) ? -1 : 0;
  }
  at->v[0] = 0;
  return 0;
}

TEST(EventReview, AResetThatFailsIsTriedAgain) {
  for (const double q : {std::nan(""), -0.1}) {
    World w;
    w.mass({1}, {-10}, {3}, {0});
    w.connect(w.gap({1}, {0}), w.newton(0.5));
    Drop drop;
    drop.q = q;
    perp_schedule schedule{};
    schedule.first = 0.3;
    schedule.reset = reset_drop;
    schedule.user = &drop;
    Motion m(w);
    m.options.schedules = &schedule;
    m.options.n_schedules = 1;
    EXPECT_EQ(m.until(0.5), std::isnan(q) ? PERP_ECALLBACK : PERP_EINVAL);
    EXPECT_EQ(m.t(), 0.3);
    EXPECT_NEAR(m.q()[0], 3 - 0.45, 1e-12);
    EXPECT_NEAR(m.v()[0], -3, 1e-12);
    m.expect_until(0.5);
    EXPECT_EQ(drop.calls, 2);
    EXPECT_NEAR(m.v()[0], -2, 1e-12);
  }
}

/* A ball whose weight may be refused at one call: whatever call that is, the state stays one of the
 * exact motion, and the run goes on from it. */
struct Weight {
  int calls = 0, fails_at = 0, answer = -1;
};
int32_t weigh(double, double *f, void *user) {
  Weight *w = static_cast<Weight *>(user);
  f[0] = -10;
  return ++w->calls == w->fails_at ? w->answer : 0;
}

TEST_P(EventReviewOf, AForceThatGivesUpAtAnyCallLeavesTheLastGoodState) {
  int refused = 0;
  for (int call = 2; call < 400; call += 3) {  // the first one looks for overruns alone
    World w;
    Weight weight;
    weight.fails_at = call;
    perp_lagrangian_linear &ball = w.mass({1}, {0}, {5}, {0});
    ball.f = nullptr;
    ball.force = weigh;
    ball.user = &weight;
    w.connect(w.gap({1}, {0}), w.newton(0.5));
    Motion m(w, GetParam());
    perp_status status = m.create();
    if (status == PERP_OK) status = m.until(1.8);
    if (status == PERP_OK) break;
    ASSERT_EQ(status, PERP_ECALLBACK) << call;
    refused++;
    if (m.sim == nullptr) continue;
    const double t = m.t(), s = t - 1;
    const double q = m.q()[0], v = m.v()[0];
    const bool before = std::abs(v + 10 * t) < 1e-6;
    EXPECT_NEAR(v, before ? -10 * t : 5 - 10 * s, 1e-6) << call << " at " << t;
    EXPECT_NEAR(q, before ? 5 - 5 * t * t : 5 * s - 5 * s * s, 1e-6) << call << " at " << t;
    m.expect_until(1.8);
    EXPECT_NEAR(m.q()[0], 5 * 0.8 - 5 * 0.64, 1e-6) << call;
    EXPECT_NEAR(m.v()[0], 5 - 8, 1e-6) << call;
  }
  EXPECT_GT(refused, 10);
}

/* Outputs of degree 2 that depend on time and on place: x'' = λ on a path, and a point that λ keeps
 * on a circle. */
int32_t path(double t, const double *x, const double *, const double *, double *y, void *) {
  y[0] = x[0] - std::sin(t);
  return 0;
}
int32_t path_C(double, const double *, const double *, const double *, double *C, void *) {
  C[0] = 1;
  return 0;
}
int32_t push(double, const double *, const double *lambda, const double *, double *r, void *) {
  r[1] = lambda[0];
  return 0;
}
int32_t push_B(double, const double *, const double *, const double *, double *B, void *) {
  B[1] = 1;
  return 0;
}
int32_t circle(double, const double *x, const double *, const double *, double *y, void *) {
  y[0] = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1);
  return 0;
}
int32_t circle_C(double, const double *x, const double *, const double *, double *C, void *) {
  C[0] = x[0], C[1] = x[1];
  return 0;
}
int32_t pull(double, const double *x, const double *lambda, const double *, double *r, void *) {
  r[2] = x[0] * lambda[0], r[3] = x[1] * lambda[0];
  return 0;
}
int32_t pull_B(double, const double *x, const double *, const double *, double *B, void *) {
  B[2] = x[0], B[3] = x[1];
  return 0;
}

TEST_P(EventReviewOf, OutputsOfDegreeTwoMayDependOnTime) {
  World w;
  w.state({0, 1}, {0, 0, 1, 0});
  perp_first_order_relation r;
  ASSERT_EQ(perp_first_order_type1_init(&r, sizeof r, 1, 2), PERP_OK);
  r.h = path, r.C = path_C, r.g = push, r.B = push_B;
  w.connect(&r.relation, w.equality());
  Motion m(w, GetParam());
  m.expect_until(1);
  EXPECT_NEAR(m.x()[0], std::sin(1), 1e-10);
  EXPECT_NEAR(m.x()[1], std::cos(1), 1e-10);
  EXPECT_NEAR(m.lambda()[0], -std::sin(1), 1e-9);
}

TEST_P(EventReviewOf, OutputsOfDegreeTwoMayBeCurved) {
  World w;
  w.state({1, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
  perp_first_order_relation r;
  ASSERT_EQ(perp_first_order_relation_init(&r, sizeof r, 1, 4), PERP_OK);
  r.reads = PERP_REACTION_READS_X;
  r.h = circle, r.C = circle_C, r.g = pull, r.B = pull_B;
  w.connect(&r.relation, w.equality());
  Motion m(w, GetParam());
  m.expect_until(1);
  EXPECT_NEAR(m.x()[0], std::cos(1), 1e-7);
  EXPECT_NEAR(m.x()[1], std::sin(1), 1e-7);
  EXPECT_NEAR(m.lambda()[0], -1, 1e-7);
}

/* x1' = x2 + F(t), x2' = λ, x1 = 0: x2 = −F jumps with F, λ = −F'. */
int32_t jumps(double t, double *f, void *) {
  f[0] = std::sin(t) + (t < 0.5 ? 0 : 2);
  return 0;
}
TEST_P(EventReviewOf, NothingIsTakenFromBehindAScheduledTime) {
  World w;
  perp_first_order_linear &s = w.state({0, 0}, {0, 0, 1, 0});
  s.input = jumps;
  w.connect(w.output(1, 2, {1, 0}, {}, {0, 1}), w.equality());
  const perp_schedule schedule = {nullptr, 0, 0, 0.5, 0, nullptr, nullptr};
  Motion m(w, GetParam());
  m.options.schedules = &schedule;
  m.options.n_schedules = 1;
  m.expect_until(1);
  EXPECT_NEAR(m.x()[0], 0, 1e-8);
  EXPECT_NEAR(m.x()[1], -2 - std::sin(1), 1e-8);
  EXPECT_NEAR(m.lambda()[0], -std::cos(1), 1e-8);
  EXPECT_LT(m.report().rejected, 40);
}

TEST(EventReview, AnOutputOfDegreeTwoOutsideItsBoundsIsRefused) {
  World w;
  w.state({-1, 0}, {0, 0, 1, 0});
  w.connect(w.output(1, 2, {1, 0}, {}, {0, 1}), w.diode());
  Motion m(w);
  EXPECT_EQ(m.create(), PERP_INFEASIBLE);
}

/* y = x1 − t, so that ẏ = 0.5 at rate 1.5: the diode opens at once. x2 only tells how far δ goes.
 */
int32_t ahead(double t, const double *x, const double *, const double *, double *y, void *) {
  y[0] = x[0] - t;
  return 0;
}
int32_t first(double, const double *, const double *, const double *, double *J, void *) {
  J[0] = 1;
  return 0;
}
int32_t drive(double, const double *, const double *lambda, const double *, double *r, void *) {
  r[0] = lambda[0];
  return 0;
}

TEST_P(EventReviewOf, TheRateOfAnOutputInTimeCountsOnce) {
  for (const double rate : {0.5, 1.5}) {
    World w;
    w.state({0, 1e4}, {0, 0, 0, 0}, {rate, 0});
    perp_first_order_relation r;
    ASSERT_EQ(perp_first_order_type1_init(&r, sizeof r, 1, 2), PERP_OK);
    r.h = ahead, r.C = first, r.g = drive, r.B = first;
    w.connect(&r.relation, w.diode());
    Motion m(w, GetParam());
    m.expect_until(1);
    EXPECT_NEAR(m.lambda()[0], rate < 1 ? 1 - rate : 0, 1e-9);
    EXPECT_NEAR(m.x()[0], rate < 1 ? 1 : rate, 1e-9);
  }
}

int32_t count(perp_event_state *, void *user) {
  ++*static_cast<int *>(user);
  return 0;
}

TEST(EventReview, SchedulesAndOutputsBeginLongBeforeTheRun) {
  World w;
  w.mass({1}, {0}, {0}, {1});
  int calls = 0;
  const perp_schedule schedule = {nullptr, 0, 0, 0, 0x1p-14, count, &calls};
  Motion m(w);
  m.options.t0 = 1e6;
  m.options.schedules = &schedule;
  m.options.n_schedules = 1;
  m.observer.every = 0x1p-16;
  m.expect_until(1e6 + 0x1p-7);
  EXPECT_EQ(calls, 129); /* both ends */
  EXPECT_EQ(m.samples.size(), 513u);
}

int32_t past_one(const perp_event_state *at, double *g, void *) {
  *g = 1.3 * (at->q[0] - 1);
  return 0;
}

TEST_P(EventReviewOf, AGuardAtAScheduledTimeFiresOnce) {
  for (int k = 0; k < 40; k++) {
    const double v = 0.7 + 0.07 * k;
    World w;
    w.mass({1}, {0}, {1 - 0.7 * v}, {v});
    int calls = 0;
    const perp_guard guard = {past_one, count, &calls, 0, 0};
    const perp_schedule schedule = {nullptr, 0, 0, 0.7, 0, nullptr, nullptr};
    Motion m(w, GetParam());
    m.options.guards = &guard;
    m.options.n_guards = 1;
    m.options.schedules = &schedule;
    m.options.n_schedules = 1;
    m.expect_until(1);
    EXPECT_EQ(calls, 1) << v;
  }
}

int32_t meddle(perp_event_driven *sim, void *user) {
  perp_status *answers = static_cast<perp_status *>(user);
  answers[0] = perp_event_driven_run(sim, 2, nullptr, nullptr);
  answers[1] = perp_event_driven_next(sim, 2, nullptr);
  answers[2] = perp_event_driven_restart(sim, 0, nullptr, nullptr, nullptr, nullptr);
  return 0;
}

TEST(EventReview, ObserversMayNotGoOnByThemselves) {
  World w;
  w.mass({1}, {-10}, {5}, {0});
  Motion m(w);
  perp_status answers[3] = {0, 0, 0};
  m.observer.step = meddle;
  m.observer.output = nullptr;
  m.observer.event = nullptr;
  m.observer.user = answers;
  m.expect_until(1);
  for (const perp_status answer : answers) EXPECT_EQ(answer, PERP_EINVAL);
}

}  // namespace
