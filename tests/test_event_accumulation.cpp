// SPDX-License-Identifier: MIT
// Sequences of impacts, and what may be cut off: those that forces end, with no more energy than
// they do along the excursion. Judged by energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "event_tools.hpp"

namespace {

using tools::Motion;
using tools::Seen;
using tools::vec;
using tools::World;

double kinetic(const vec &v) {
  double T = 0;
  for (const double a : v) T += a * a / 2;
  return T;
}

// Equal balls of 1 kg in a row on springs, that touch at rest; the first is thrown at the others.
struct Cradle : World {
  Cradle(std::size_t balls, double e, double omega, double speed = 1) {
    for (std::size_t i = 0; i < balls; i++)
      mass({1}, {0}, {0}, {i == 0 ? speed : 0}, {omega * omega});
    for (std::size_t k = 0; k + 1 < balls; k++)
      connect(gap({-1, 1}, {0}), newton(e), {std::int32_t(k), std::int32_t(k + 1)});
  }
};

TEST(EventAccumulation, ACradleWithoutLossesKeepsItsEnergy) {
  for (const std::size_t balls : {4u, 5u, 7u})
    for (const double omega : {2.0, 3.0, 3.1321})
      for (const double exponent : {1.0, 1.5}) {
        Cradle w(balls, 1, omega);
        Motion run(w);
        perp_multiple_impact_options springs = perp_multiple_impact_options_default();
        springs.exponent = exponent;
        run.options.impact = PERP_IMPACT_LZB;
        run.options.lzb = &springs;
        run.options.rtol = 1e-10, run.options.atol = 1e-12;
        run.expect_until(10);
        EXPECT_NEAR(run.energy(), 0.5, 1e-9) << balls << " balls, " << omega << ", " << exponent;
        EXPECT_GE(run.of(PERP_EVENT_IMPACT).size(), 6u);
        for (const Seen &s : run.of(PERP_EVENT_IMPACT))
          EXPECT_NEAR(kinetic(s.v_after), kinetic(s.v), 1e-11) << s.t;
      }
}

TEST(EventAccumulation, ACutTakesNoMoreEnergyThanForcesDoAlongTheExcursion) {
  const double g = 9.81;
  for (const double e : {0.1, 0.5, 0.95})
    for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_LZB}) {
      World w;
      w.mass({1}, {-g}, {1}, {0});
      w.connect(w.gap({1}, {0}), w.newton(e));
      Motion run(w);
      run.options.impact = law;
      run.expect_until(20);
      const auto cuts = run.of(PERP_EVENT_ACCUMULATION);
      ASSERT_EQ(cuts.size(), 1u) << e;
      EXPECT_GT(cuts[0].error, 0);
      EXPECT_LE(e * e * kinetic(cuts[0].v) - kinetic(cuts[0].v_after), 2 * g * cuts[0].error);
    }
}

// Fast balls come to a row that a spring presses against a wall. The impulse goes through it, and
// leaves velocities of rounding behind: with e = 1 they would bounce for ever.
TEST(EventAccumulation, RoundingOfAnImpactDoesNotBounceOn) {
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB})
    for (const double speed : {1.0, 1e6, 1e7}) {
      World w;
      for (std::int32_t i = 0; i < 5; i++) w.mass({1}, {1}, {0}, {i == 0 ? speed : 0}, {9});
      for (std::int32_t k = 0; k < 4; k++) w.connect(w.gap({-1, 1}, {0}), w.newton(1), {k, k + 1});
      w.connect(w.gap({-1}, {0}), w.newton(1), {4});
      Motion run(w);
      run.options.impact = law;
      run.options.rtol = 1e-10, run.options.atol = 1e-12 * speed;
      run.expect_until(0.5);
      EXPECT_LE(run.events.size(), 50u) << law << " " << speed;
      if (law == PERP_IMPACT_LAW) {  // the first ball is thrown back, the others stay
        EXPECT_NEAR(run.v()[0], std::sin(1.5) / 3 - speed * std::cos(1.5), 1e-8 * speed);
        for (std::int32_t k = 1; k < 5; k++) EXPECT_EQ(run.mode(k), PERP_CONTACT_CLOSED) << speed;
      }
    }
}

// Energy of balls in a column.
double energy(const vec &M, const vec &q, const vec &v) {
  double E = 0;
  for (std::size_t i = 0; i < M.size(); i++) E += M[i] * (v[i] * v[i] / 2 + 9.81 * q[i]);
  return E;
}

// A column dropped on a floor comes to rest after tens of impacts, by each law: flights of 1e-8 s
// end where they come down, though the step that they are found in is 0.1 s long.
TEST(EventAccumulation, ADroppedColumnComesToRest) {
  const double g = 9.81;
  for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB})
    for (const double e : {0.1, 0.29, 0.5, 0.65})
      for (const double M : {0.4, 1.0, 3.0}) {
        World w;
        w.mass({1}, {-g}, {0.2}, {0});
        w.mass({M}, {-g * M}, {0.3}, {0});
        w.connect(w.gap({1}, {0}), w.newton(e));
        w.connect(w.gap({-1, 1}, {0}), w.newton(e), {0, 1});
        Motion run(w);
        run.options = perp_event_options_default();
        run.options.impact = law;
        run.options.storm_events = 300, run.options.storm_time = 4;
        SCOPED_TRACE(::testing::Message() << "law " << law << ", e " << e << ", M " << M);
        run.expect_until(4);
        EXPECT_EQ(run.mode(0), PERP_CONTACT_CLOSED);
        EXPECT_EQ(run.mode(1), PERP_CONTACT_CLOSED);
        EXPECT_NEAR(run.energy(), 0, 1e-12);
        double left = energy({1, M}, {0.2, 0.3}, {0, 0});
        for (const Seen &s : run.events) {
          EXPECT_LE(energy({1, M}, s.q, s.v), left * (1 + 1e-9) + 1e-14) << s.t;
          left = energy({1, M}, s.q_after, s.v_after);
          EXPECT_GE(s.q_after[0], -1e-15) << s.t;
          EXPECT_GE(s.q_after[1] - s.q_after[0], -1e-15) << s.t;
        }
      }
}

// Three balls, of which the lowest rests on the floor and is kicked off it by the next in flights
// below the error of the motion.
TEST(EventAccumulation, WhatItsNeighbourKicksOffClosesByAllMethods) {
  const vec M{0.999378, 3.13209, 2.20334}, v{0.63262710236287423, -0.74530144167343582, 0.138};
  const vec q{0.2478630058248748, 0.25887493734416457, 0.48490634307367936};
  for (const auto smooth :
       {perp_smooth_runge_kutta, perp_smooth_adams, perp_smooth_bdf, perp_smooth_ida})
    for (const std::int32_t law : {PERP_IMPACT_LAW, PERP_IMPACT_POISSON, PERP_IMPACT_LZB}) {
      World w;
      for (std::size_t i = 0; i < 3; i++) w.mass({M[i]}, {-9.81 * M[i]}, {q[i]}, {v[i]});
      w.connect(w.gap({1}, {0}), w.newton(0.29));
      for (std::int32_t k = 0; k < 2; k++)
        w.connect(w.gap({-1, 1}, {0}), w.newton(0.29), {k, k + 1});
      Motion run(w);
      run.options = perp_event_options_default();
      run.options.smooth = smooth();
      run.options.impact = law;
      run.options.storm_events = 200, run.options.storm_time = 2;
      SCOPED_TRACE(::testing::Message() << (smooth == perp_smooth_adams ? "adams"
                                            : smooth == perp_smooth_bdf ? "bdf"
                                                                        : "other")
                                        << ", law " << law);
      run.expect_until(2);
      for (std::int32_t k = 0; k < 3; k++) EXPECT_EQ(run.mode(k), PERP_CONTACT_CLOSED) << k;
      EXPECT_NEAR(run.energy(), 0, 1e-9);
      double left = energy(M, q, v);
      for (const Seen &s : run.events) {
        EXPECT_LE(energy(M, s.q_after, s.v_after), left * (1 + 1e-6) + 1e-9) << s.t;
        left = energy(M, s.q_after, s.v_after);
      }
    }
}

// Balls that touch in free fall press each other with the rounding of their weights, whose sign
// means nothing.
TEST(EventAccumulation, BodiesThatTouchInFreeFallHaveNoEvents) {
  const vec M{2.0677253550255297, 0.70946505890319589, 2.795576870494155};
  const vec v{0.17132807097185099, -0.93869450619784545, -0.30550989538820128};
  for (const auto smooth : {perp_smooth_runge_kutta, perp_smooth_adams, perp_smooth_bdf,
                            perp_smooth_arkode, perp_smooth_ida}) {
    World w;
    for (std::size_t i = 0; i < 3; i++) w.mass({M[i]}, {-9.81 * M[i]}, {0.1246}, {v[i]});
    for (std::int32_t k = 0; k < 2; k++)
      w.connect(w.gap({-1, 1}, {0}), w.newton(0.83568998518231019), {k, k + 1});
    Motion run(w);
    run.options = perp_event_options_default();
    run.options.smooth = smooth();
    run.expect_until(0.8);
    EXPECT_TRUE(run.events.empty());
    double p0 = 0, p1 = 0, m = 0;
    for (std::size_t i = 0; i < 3; i++) p0 += M[i] * v[i], p1 += M[i] * run.v()[i], m += M[i];
    EXPECT_NEAR(p1, p0 - 9.81 * 0.8 * m, 1e-6);
    EXPECT_NEAR(run.q()[1], run.q()[2], 1e-9);
  }
}

// A ball on a spring that is let go below what the absolute tolerance tells from the floor: a gap
// of that size is no length by which the motion is slow or fast.
TEST(EventAccumulation, ABallSetDownWithinTheToleranceComesToRestByAllMethods) {
  for (const auto smooth : {perp_smooth_runge_kutta, perp_smooth_adams, perp_smooth_bdf,
                            perp_smooth_arkode, perp_smooth_ida})
    for (const double height : {6.0396448334117267e-12, 9.7533383874220047e-12, 1e-13, 0.0}) {
      const double M = 0.32268591597913865, g = 3.0659475235023508, k = 381.65917778963939;
      World w;
      w.mass({M}, {-M * g}, {height}, {0}, {M * k});
      w.connect(w.gap({1}, {0}), w.newton(0));
      Motion run(w);
      run.options = perp_event_options_default();
      run.options.smooth = smooth();
      run.expect_until(0.01);
      EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
      EXPECT_NEAR(run.q()[0], 0, 1e-11);
      EXPECT_NEAR(run.lambda()[0], M * g, 1e-8);
      EXPECT_LE(run.events.size(), 2u) << "an impact, at the most";
    }
}

// A block 0.2 wide and 0.8 high, whose two corners kick each other; one may do so in flights that
// do not shrink, millions of them a second.
TEST(EventAccumulation, ARockingBlockComesToRestByPoissonsLaw) {
  World w;
  const double b = 0.2, c = 0.8, g = 9.81, tilt = 0.15;
  w.mass({1, (b * b + c * c) / 12}, {-g, 0},
         {c / 2 * std::cos(tilt) + b / 2 * std::sin(tilt), tilt}, {0, 0});
  perp_lagrangian_relation corners;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&corners, sizeof corners, 2, 2), PERP_OK);
  corners.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    for (int k = 0; k < 2; k++)
      y[k] = q[0] - 0.4 * std::cos(q[1]) + (k == 0 ? -0.1 : 0.1) * std::sin(q[1]);
    return 0;
  };
  corners.H = [](double, const double *q, const double *, const double *, double *H, void *) {
    for (int k = 0; k < 2; k++) {
      H[k] = 1;
      H[2 + k] = 0.4 * std::sin(q[1]) + (k == 0 ? -0.1 : 0.1) * std::cos(q[1]);
    }
    return 0;
  };
  perp_newton_impact law;
  ASSERT_EQ(perp_newton_impact_init(&law, sizeof law), PERP_OK);
  w.connect(&corners.relation, &law.law);
  for (int n = 1; n <= 18; n++) {
    law.e = 0.05 * n;
    Motion run(w);
    run.options = perp_event_options_default();
    run.options.impact = PERP_IMPACT_POISSON;
    run.observer.event = [](perp_event_driven *, const perp_event *event, void *) {
      return event->number > 5000 ? 1 : 0;
    };
    run.expect_until(3);
    EXPECT_EQ(run.mode(0, 0), PERP_CONTACT_CLOSED) << law.e;
    EXPECT_EQ(run.mode(0, 1), PERP_CONTACT_CLOSED) << law.e;
    EXPECT_NEAR(run.energy(), g * c / 2, 1e-9) << law.e;
  }
}

// A ball on the ground, and two above each other, without losses: they sink into nothing, but for
// what the spacing of times leaves of a gap.
TEST(EventAccumulation, ElasticImpactsDoNotSink) {
  for (const bool two : {false, true}) {
    World w;
    const double g = 9.81;
    if (two) {
      w.mass({1, 2}, {-g, -2 * g}, {0.1, 0.25}, {0, 0});
      w.connect(w.gap({-1, 1}, {0}), w.newton(1));
      w.connect(w.gap({1, 0}, {0}), w.newton(1));
    } else {
      w.mass({1}, {-g}, {0.1}, {0});
      w.connect(w.gap({1}, {0}), w.newton(1));
    }
    Motion run(w);
    run.options = perp_event_options_default();
    struct Deepest {
      double least, impacts;
    } deepest{0, 0};
    run.observer.event = [](perp_event_driven *sim, const perp_event *, void *user) {
      auto *s = static_cast<Deepest *>(user);
      const double *q = perp_event_driven_q(sim, 0);
      s->least = std::min(s->least, q[0]);
      return s->impacts++, 0;
    };
    run.observer.user = &deepest;
    ASSERT_EQ(run.create(), PERP_OK);
    const double before = run.energy(), end = two ? 7600 : 29000;
    run.expect_until(end);
    EXPECT_GE(deepest.impacts, 1e5);
    EXPECT_GE(deepest.least, -4 * std::numeric_limits<double>::epsilon() * end * 3);
    EXPECT_NEAR(run.energy(), before, 1e-8);
    EXPECT_EQ(run.report().missed, 0);
  }
}

}  // namespace
