// SPDX-License-Identifier: MIT
// Event-driven motion with many bodies, obstacles that move, and awkward places in time and space,
// against closed solutions in long double (event_exact.hpp).
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

class EventMoving : public ::testing::TestWithParam<Method> {
 protected:
  double slack() const { return GetParam().slack; }
};

/** Equal elastic masses on a line change velocities where they meet: as if they went through each
 * other, between the walls of a box. */
TEST_P(EventMoving, AGasOfEqualMassesIsOneOfGhosts) {
  const vec q0{0.07, 0.19, 0.33, 0.52, 0.71, 0.94},
      v0{0.9017, -0.31153, 0.17321, -0.77479, 0.55337, 0.12347};
  World w;
  for (std::size_t i = 0; i < 6; i++) w.mass({2}, {0}, {q0[i]}, {v0[i]});
  const tools::indices ends{0, 5};
  w.connect(w.gap({1}, {0}), w.newton(1), {0});
  w.connect(w.gap({-1}, {1}), w.newton(1), {5});
  for (std::int32_t i = 0; i < 5; i++) w.connect(w.gap({-1, 1}, {0}), w.newton(1), {i, i + 1});
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.1;
  run.expect_until(20);
  double worst = 0;
  for (const tools::Sample &s : run.samples) {
    std::vector<real> ghosts;
    for (std::size_t i = 0; i < 6; i++) {
      const real x = real{q0[i]} + real{v0[i]} * s.t, folded = x - 2 * std::floor(x / 2);
      ghosts.push_back(folded > 1 ? 2 - folded : folded);
    }
    std::sort(ghosts.begin(), ghosts.end());
    for (std::size_t i = 0; i < 6; i++) raise(worst, off(s.q[i], ghosts[i]));
  }
  tools::figure(std::string("gas, largest error of a position (m), ") + GetParam().name, worst);
  EXPECT_LE(worst, 1e-10 * slack());
  int meetings = 0; /* of ghosts, each with each and with the walls */
  for (std::size_t i = 0; i < 6; i++) {
    const double x = q0[i] + 20 * v0[i];
    meetings += std::abs(static_cast<int>(std::floor(x)));
    for (std::size_t j = 0; j < i; j++) {
      /* positions on a circle of length 2: i and j meet where x_i = ± x_j mod 2 */
      for (const double sign : {1.0, -1.0}) {
        const double begin = (q0[i] - sign * q0[j]) / 2, end = begin + 10 * (v0[i] - sign * v0[j]);
        meetings += std::abs(static_cast<int>(std::floor(end) - std::floor(begin)));
      }
    }
  }
  EXPECT_EQ(run.report().impacts, meetings);
}

/** A table that moves with A sin(W t) under a ball: y = q - A sin(W t). */
struct Table {
  double A, W;
  perp_lagrangian_relation relation;
  Table(double amplitude, double speed) : A(amplitude), W(speed) {
    EXPECT_EQ(perp_lagrangian_rheonomous_init(&relation, sizeof relation, 1, 1), PERP_OK);
    relation.user = this;
    relation.h = [](double t, const double *q, const double *, const double *, double *y,
                    void *self) -> std::int32_t {
      const Table *table = static_cast<Table *>(self);
      return *y = q[0] - table->A * std::sin(table->W * t), 0;
    };
    relation.H = [](double, const double *, const double *, const double *, double *H, void *) {
      return *H = 1, 0;
    };
    relation.h_dt = [](double t, const double *, const double *, const double *, double *rate,
                       void *self) -> std::int32_t {
      const Table *table = static_cast<Table *>(self);
      return *rate = -table->A * table->W * std::cos(table->W * t), 0;
    };
  }
  real height(real t) const { return real{A} * std::sin(real{W} * t); }
  real speed(real t) const { return real{A} * real{W} * std::cos(real{W} * t); }
};

TEST_P(EventMoving, ABallBouncesOnATableThatShakes) {
  const Table table(0.02, 20);
  World w;
  w.mass({1}, {-kG}, {0.3}, {0});
  w.connect(&table.relation.relation, w.newton(0.6));
  Motion run(w, GetParam());
  run.expect_until(2);
  real t = 0, x = 0.3L, v = 0;
  double times = 0, speeds = 0;
  std::size_t n = 0;
  for (; n < 6; n++) {
    const auto gap = [&](real s) {
      return x + v * (s - t) - 9.81L * (s - t) * (s - t) / 2 - table.height(s);
    };
    const real hit = exact::next_zero(gap, t, 1e-3L);
    const real fall = v - 9.81L * (hit - t), under = table.speed(hit);
    t = hit;
    x = table.height(t);
    v = under - 0.6L * (fall - under);
    ASSERT_LT(n, run.events.size());
    raise(times, off(run.events[n].t, t));
    raise(speeds, off(run.events[n].v_after[0], v));
    EXPECT_LE(off(run.events[n].impulse[0], v - fall), 1e-8 * slack());
  }
  EXPECT_LE(times, 1e-10 * slack());
  EXPECT_LE(speeds, 1e-9 * slack());
}

/** It lies on the table, is thrown off where that falls faster than g, and is caught again. */
TEST_P(EventMoving, ATableThrowsOffWhatLiesOnIt) {
  const Table table(0.05, 20); /* A W² = 20 > g */
  World w;
  w.mass({3}, {-3 * kG}, {0}, {1});
  w.connect(&table.relation.relation, w.newton(0));
  Motion run(w, GetParam());
  run.keep_lambda = true;
  run.observer.first = run.observer.every = 0.005;
  run.expect_until(0.6);
  const real leave = std::asin(9.81L / 20) / 20, x = table.height(leave), v = table.speed(leave);
  const auto gap = [&](real t) {
    const real s = t - leave;
    return x + v * s - 9.81L * s * s / 2 - table.height(t);
  };
  const real back = exact::next_zero(gap, leave, 1e-3L);
  ASSERT_GE(run.events.size(), 3u);
  EXPECT_EQ(run.events[0].kinds, std::uint32_t{PERP_EVENT_OPEN});
  EXPECT_LE(off(run.events[0].t, leave), 1e-10 * slack());
  EXPECT_TRUE(run.events[1].is(PERP_EVENT_IMPACT));
  EXPECT_LE(off(run.events[1].t, back), 1e-9 * slack());
  EXPECT_LE(off(run.events[1].v_after[0], table.speed(back)), 1e-9 * slack());
  for (const tools::Sample &s : run.samples) {
    if (s.t >= back) break;
    const bool lies = s.t < leave;
    EXPECT_LE(off(s.q[0], lies ? table.height(s.t) : gap(s.t) + table.height(s.t)), 1e-9 * slack());
    /* the bias of a relation that depends on time is taken by differences */
    EXPECT_LE(off(s.lambda[0], lies ? 3 * (9.81L - 20 * std::sin(20 * real{s.t})) : 0),
              1e-7 * slack());
  }
}

/** Friction at impacts in space: a sphere without rotation that is thrown along a plane. */
TEST_P(EventMoving, ABodyThrownAcrossAPlaneKeepsItsDirection) {
  const double mu = 0.1, e = 0.8;
  World w;
  w.mass({2, 2, 2}, {0, 0, -2 * kG}, {0, 0, 1}, {3, -4, 0});
  w.connect(w.gap({0, 1, 0, 0, 0, 1, 1, 0, 0}, {0, 0, 0}), w.friction(3, mu, e));
  Motion run(w, GetParam());
  const exact::ball b{real{e}, 1, 9.81L};
  run.expect_until(static_cast<double>(b.impact(6)) + 1e-3);
  ASSERT_EQ(run.events.size(), 6u);
  real speed = 5, way = 0, t = 0;
  for (int n = 1; n <= 6; n++) {
    const tools::Seen &s = run.events[static_cast<std::size_t>(n - 1)];
    way += speed * (b.impact(n) - t);
    t = b.impact(n);
    const real normal = 2 * (1 + real{e}) * b.speed_before(n),
               rub = std::min(real{mu} * normal, 2 * speed);
    speed -= rub / 2;
    EXPECT_LE(off(s.t, t), 1e-10 * slack());
    EXPECT_LE(off(s.q[0], 0.6L * way), 1e-10 * slack());
    EXPECT_LE(off(s.q[1], -0.8L * way), 1e-10 * slack());
    EXPECT_LE(off(s.impulse[0], normal), 1e-9 * slack());
    EXPECT_LE(off(s.impulse[1], -0.6L * rub), 1e-9 * slack());
    EXPECT_LE(off(s.impulse[2], 0.8L * rub), 1e-9 * slack());
    EXPECT_LE(off(s.v_after[0], 0.6L * speed), 1e-9 * slack());
  }
  EXPECT_GT(speed, 1);
}

TEST_P(EventMoving, FarAwayInTimeAndSpaceABallBouncesTheSame) {
  const double away = 6.4e6, late = 1e4; /* rounding of the gap 1e-9 m, of time 2e-12 s */
  const exact::ball b{0.5L, 4, 8};
  World w;
  w.mass({1}, {-8}, {away + 4}, {0});
  w.connect(w.gap({1}, {-away}), w.newton(0.5));
  Motion run(w, GetParam());
  run.options.t0 = late;
  run.options.contact_tol = 1e-7;
  run.options.velocity_tol = 1e-6;
  run.options.zeno_tol = 1e-7;
  run.options.atol = 1e-9;
  run.expect_until(late + 4);
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  ASSERT_GE(impacts.size(), 8u);
  for (int n = 1; n <= 8; n++)
    EXPECT_LE(off(impacts[static_cast<std::size_t>(n - 1)].t, real{late} + b.impact(n)),
              1e-6 * slack())
        << n;
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
  EXPECT_NEAR(run.q()[0], away, 2e-7);
  EXPECT_NEAR(run.lambda()[0], 8, 1e-12);
}

/** Small and fast: micrometres and microseconds. */
TEST_P(EventMoving, ASmallBallBouncesLikeALargeOne) {
  const exact::ball b{0.5L, 4e-6L, 8e6L}; /* first impact at 1 µs */
  World w;
  w.mass({1e-12}, {-8e-6}, {4e-6}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5));
  Motion run(w, GetParam());
  run.options.atol = 1e-6 * GetParam().atol;
  const vec atols{1e-6 * GetParam().atol, GetParam().atol};
  run.options.atols = atols.data();
  run.options.contact_tol = 1e-16;
  run.options.velocity_tol = 1e-10;
  run.options.zeno_tol = 1e-19;
  run.expect_until(4e-6);
  const auto impacts = run.of(PERP_EVENT_IMPACT);
  ASSERT_GE(impacts.size(), 15u);
  for (int n = 1; n <= 15; n++)
    EXPECT_LE(off(impacts[static_cast<std::size_t>(n - 1)].t, b.impact(n)), 1e-16 * slack()) << n;
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
  EXPECT_NEAR(run.lambda()[0], 8e-6, 1e-15);
}

TEST_P(EventMoving, AnOutputAtAnEventShowsTheStateAfterIt) {
  World w;
  w.mass({1}, {-8}, {4}, {0});
  w.connect(w.gap({1}, {0}), w.newton(0.5));
  Motion run(w, GetParam());
  run.expect_until(1.5);
  ASSERT_EQ(run.events.size(), 1u);
  const double times[] = {0.5, run.events[0].t, 1.25};
  Motion again(w, GetParam());
  again.observer.times = times;
  again.observer.n_times = 3;
  again.expect_until(1.5);
  ASSERT_EQ(again.samples.size(), 3u);
  EXPECT_EQ(again.samples[1].t, times[1]);
  EXPECT_NEAR(again.samples[1].v[0], 4, 1e-9 * slack());
}

INSTANTIATE_TEST_SUITE_P(All, EventMoving, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

}  // namespace
