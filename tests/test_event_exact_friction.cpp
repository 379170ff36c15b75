// SPDX-License-Identifier: MIT
// Friction in event-driven motion against closed solutions in long double (event_exact.hpp): stick,
// slip, reversal and stop in the plane and in space, and impacts with friction.
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
using tools::World;

constexpr double kG = 9.81;

class EventFriction : public ::testing::TestWithParam<Method> {
 protected:
  double slack() const { return GetParam().slack; }
};

/** A mass in the plane, q = (x, height), that rests on the ground; tangent along x. */
perp_lagrangian_linear &slider(World &w, double m, double x, double v, double k, double mu,
                               double push = 0) {
  perp_lagrangian_linear &s = w.mass({m, m}, {push, -m * kG}, {x, 0}, {v, 0}, {k, 0});
  w.connect(w.gap({0, 1, 1, 0}, {0, 0}), w.friction(2, mu));
  return s;
}

/** The law of Coulomb at the present state, of a contact that is closed. */
void expect_coulomb(const Motion &run, double mu, double tolerance) {
  const double *l = perp_event_driven_lambda(run.sim, 0), *u = perp_event_driven_ydot(run.sim, 0);
  EXPECT_LE(std::abs(l[1]), mu * l[0] + tolerance);
  EXPECT_NEAR(l[1] * u[1], -mu * l[0] * std::abs(u[1]), tolerance);
}

TEST_P(EventFriction, AnOscillatorThatRubsTurnsAtHalfPeriodsAndStops) {
  const double k = 4, mu = 0.6 / kG; /* w = 2, friction 0.6, dead zone |x| <= 0.15 */
  World w;
  slider(w, 1, 1, 0, k, mu);
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.01;
  ASSERT_EQ(run.create(), PERP_OK);
  EXPECT_EQ(run.mode(), PERP_CONTACT_SLIP);
  run.expect_until(6);
  ASSERT_EQ(run.events.size(), 3u);
  for (std::size_t n = 0; n < 3; n++) {
    EXPECT_LE(off(run.events[n].t, exact::pi / 2 * static_cast<real>(n + 1)), 1e-10 * slack());
    EXPECT_EQ(run.events[n].kinds, std::uint32_t{n < 2 ? PERP_EVENT_REVERSE : PERP_EVENT_STICK});
  }
  for (const tools::Sample &s : run.samples) {
    const real half = std::floor(static_cast<real>(s.t) / (exact::pi / 2));
    const int n = std::min(static_cast<int>(half), 3);
    const real sign = n % 2 == 0 ? 1 : -1, amplitude = 0.85L - 0.3L * n;
    const real x = n < 3 ? sign * 0.15L + amplitude * std::cos(2 * real{s.t}) : -0.1L;
    EXPECT_LE(off(s.q[0], x), 1e-11 * slack()) << s.t;
    EXPECT_NEAR(s.q[1], 0, 1e-13);
  }
  EXPECT_EQ(run.mode(), PERP_CONTACT_STICK);
  EXPECT_NEAR(run.v()[0], 0, 1e-20);
  EXPECT_NEAR(run.lambda()[1], k * run.q()[0], 1e-12);
}

TEST_P(EventFriction, AnExcitedOscillatorSticksAndSlips) {
  const exact::rubbing motion{1, 1, 0.5L, 0.6L};
  const auto expected = motion.run(2, 60);
  ASSERT_GT(std::count_if(expected.begin(), expected.end(), [](auto &c) { return c.to == 0; }), 4);
  World w;
  slider(w, 1, 2, 0, 1, 0.6 / kG).force = [](double t, double *f, void *) -> std::int32_t {
    f[0] = std::cos(0.5 * t);
    f[1] = 0;
    return 0;
  };
  Motion run(w, GetParam());
  run.expect_until(60);
  ASSERT_EQ(run.events.size(), expected.size());
  double t = 0, x = 0;
  for (std::size_t n = 0; n < expected.size(); n++) {
    raise(t, off(run.events[n].t, expected[n].t));
    raise(x, off(run.events[n].q_after[0], expected[n].x));
    const bool from_stick = n > 0 && expected[n - 1].to == 0;
    EXPECT_EQ(run.events[n].kinds, std::uint32_t{expected[n].to == 0 ? PERP_EVENT_STICK
                                                 : from_stick        ? PERP_EVENT_SLIP
                                                                     : PERP_EVENT_REVERSE})
        << n;
  }
  tools::figure(
      std::string("stick-slip, largest error of a switching time (s), ") + GetParam().name, t);
  EXPECT_LE(t, 1e-10 * slack());
  EXPECT_LE(x, 1e-10 * slack());
}

/** A belt that moves with 1 m/s under the mass. */
struct belt {
  perp_lagrangian_contact_relation relation;
  belt() {
    EXPECT_EQ(perp_lagrangian_contact_relation_init(&relation, sizeof relation, 1, 2, 2), PERP_OK);
    relation.h = [](double, const double *q, const double *, const double *, double *y, void *) {
      return *y = q[1], 0;
    };
    relation.G = [](double, const double *, const double *, const double *, double *G, void *) {
      return G[1] = 1, 0;
    };
    relation.T = [](double, const double *, const double *, const double *, double *T, void *) {
      return T[0] = 1, 0;
    };
    relation.s = [](double, const double *, const double *, const double *, double *s, void *) {
      return s[0] = -1, 0;
    };
  }
};

TEST_P(EventFriction, AMassOnABeltIsTakenAlongAndSlipsBack) {
  const real W = 2, xs = 1.5L; /* x'' = -4 x + 6: slips around 1.5, where friction is 6 */
  const belt moving;
  World w;
  w.mass({1, 1}, {0, -kG}, {0, 0}, {0, 0}, {4, 0});
  w.connect(&moving.relation.relation, w.friction(2, 6 / kG));
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.01;
  const real stick = std::asin(1 / (W * xs)) / W, x1 = xs * (1 - std::cos(W * stick)),
             slip = stick + (xs - x1);
  run.expect_until(12); /* it grazes the velocity of the belt three times */
  const auto sticks = run.of(PERP_EVENT_STICK), slips = run.of(PERP_EVENT_SLIP);
  ASSERT_GE(sticks.size(), 1u);
  ASSERT_GE(slips.size(), 1u);
  EXPECT_LE(off(sticks[0].t, stick), 1e-10 * slack());
  EXPECT_LE(off(sticks[0].q_after[0], x1), 1e-10 * slack());
  EXPECT_LE(off(slips[0].t, slip), 1e-10 * slack());
  EXPECT_LE(off(slips[0].q_after[0], xs), 1e-10 * slack());
  double worst = 0;
  for (const tools::Sample &s : run.samples) {
    const real t = s.t;
    const real x = t < stick  ? xs * (1 - std::cos(W * t))
                   : t < slip ? x1 + t - stick
                              : xs + std::sin(W * (t - slip)) / W;
    raise(worst, off(s.q[0], x));
  }
  EXPECT_LE(worst, 1e-9 * slack());
}

TEST_P(EventFriction, ABlockOnAnInclineSticksSlidesAndStops) {
  const double angle = 0.4, along = kG * std::sin(angle), across = kG * std::cos(angle);
  const auto block = [&](World &w, double v, double mu) {
    w.mass({2, 2}, {-2 * along, -2 * across}, {0, 0}, {v, 0});
    w.connect(w.gap({0, 1, 1, 0}, {0, 0}), w.friction(2, mu));
  };
  { /* at rest, steep friction: nothing happens */
    World w;
    block(w, 0, 0.5);
    Motion run(w, GetParam());
    run.expect_until(5);
    EXPECT_TRUE(run.events.empty());
    EXPECT_EQ(run.mode(), PERP_CONTACT_STICK);
    EXPECT_EQ(run.q()[0], 0);
    EXPECT_NEAR(run.lambda()[0], 2 * across, 1e-12);
    EXPECT_NEAR(run.lambda()[1], 2 * along, 1e-12);
  }
  { /* it slides down */
    World w;
    block(w, 0, 0.3);
    Motion run(w, GetParam());
    run.expect_until(2);
    EXPECT_TRUE(run.events.empty());
    EXPECT_EQ(run.mode(), PERP_CONTACT_SLIP);
    EXPECT_LE(off(run.q()[0], -2 * (real{along} - 0.3L * across)), 1e-11 * slack());
    expect_coulomb(run, 0.3, 1e-12);
  }
  for (const double mu : {0.5, 0.3}) { /* thrown upwards: it stops, or slides back */
    World w;
    block(w, 3, mu);
    Motion run(w, GetParam());
    run.expect_until(2);
    const real down = real{along} + real{mu} * across, back = real{along} - real{mu} * across;
    const real stop = 3 / down, top = 4.5L / down;
    ASSERT_EQ(run.events.size(), 1u);
    EXPECT_LE(off(run.events[0].t, stop), 1e-11 * slack());
    EXPECT_EQ(run.events[0].kinds,
              std::uint32_t{mu > 0.45 ? PERP_EVENT_STICK : PERP_EVENT_REVERSE});
    const real s = 2 - stop;
    EXPECT_LE(off(run.q()[0], mu > 0.45 ? top : top - back * s * s / 2), 1e-11 * slack());
    expect_coulomb(run, mu, 1e-12);
  }
}

/** Contact in space with the normal along the third coordinate. */
void puck(World &w, const tools::vec &v, double push, double mu) {
  w.mass({1, 1, 1}, {push, 0, -kG}, {0, 0, 0}, {v[0], v[1], 0});
  w.connect(w.gap({0, 1, 0, 0, 0, 1, 1, 0, 0}, {0, 0, 0}), w.friction(3, mu));
}

TEST_P(EventFriction, APuckSlidesStraightAndStops) {
  World w;
  puck(w, {3, 4}, 0, 0.2);
  Motion run(w, GetParam());
  run.expect_until(1);
  const real a = 0.2L * 9.81L;
  EXPECT_LE(off(run.q()[0], 0.6L * (5 - a / 2)), 1e-11 * slack());
  EXPECT_LE(off(run.q()[1], 0.8L * (5 - a / 2)), 1e-11 * slack());
  run.expect_until(5);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kinds, std::uint32_t{PERP_EVENT_STICK});
  EXPECT_LE(off(run.events[0].t, 5 / a), 1e-10 * slack());
  EXPECT_LE(off(run.q()[0], 0.6L * 12.5L / a), 1e-10 * slack());
  EXPECT_LE(off(run.q()[1], 0.8L * 12.5L / a), 1e-10 * slack());
  EXPECT_EQ(run.v()[0], 0);
  EXPECT_EQ(run.v()[1], 0);
  EXPECT_NEAR(std::hypot(run.lambda()[1], run.lambda()[2]), 0, 1e-12);
}

TEST_P(EventFriction, APuckCurvesUnderALateralForceAndStops) {
  const double mu = 0.3, push = 1.2;
  const exact::puck path(real{mu} * 9.81L, push, 2, 2.0L);
  World w;
  puck(w, {static_cast<double>(2 * std::cos(2.0L)), static_cast<double>(2 * std::sin(2.0L))}, push,
       mu);
  Motion run(w, GetParam());
  run.observer.first = run.observer.every = 0.01;
  run.expect_until(3);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].kinds, std::uint32_t{PERP_EVENT_STICK});
  EXPECT_LE(off(run.events[0].t, path.stop()), 1e-9 * slack());
  double worst = 0, speed = 0;
  for (const tools::Sample &s : run.samples) {
    raise(worst, off(s.q[0], path.x(s.t)));
    raise(worst, off(s.q[1], path.y(s.t)));
    if (s.t < path.stop()) raise(speed, off(std::hypot(s.v[0], s.v[1]), path.speed(s.t)));
  }
  tools::figure(std::string("puck, largest error of a position (m), ") + GetParam().name, worst);
  EXPECT_LE(worst, 1e-10 * slack());
  EXPECT_LE(speed, 1e-9 * slack());
  EXPECT_EQ(run.mode(), PERP_CONTACT_STICK);
  EXPECT_NEAR(run.lambda()[1], -push, 1e-12);
}

/** A disk thrown on the ground: each impact slips or sticks in closed form. */
TEST_P(EventFriction, ADiskThatSpinsBouncesWithFriction) {
  const double m = 2, R = 0.1, J = 0.5 * m * R * R, mu = 0.2, e = 0.7;
  World w;
  w.mass({m, m, J}, {0, -m * kG, 0}, {0, 1, 0}, {8, 0, 5});
  w.connect(w.gap({0, 1, 1, 0, 0, R}, {-R, 0}), w.friction(2, mu, e));
  Motion run(w, GetParam());
  const exact::ball b{real{e}, 0.9L, 9.81L};
  const double end = 0.999 * static_cast<double>(b.impact(12));
  run.expect_until(end);
  ASSERT_EQ(run.events.size(), 11u);
  real vx = 8, omega = 5, x = 0, t = 0;
  int slips = 0;
  for (int n = 1; n <= 11; n++) {
    const tools::Seen &s = run.events[static_cast<std::size_t>(n - 1)];
    x += vx * (b.impact(n) - t);
    t = b.impact(n);
    const real normal = m * (1 + real{e}) * b.speed_before(n), slide = vx + R * omega,
               effective = 1 / (1 / real{m} + real{R} * R / J);
    real P = -effective * slide;
    if (std::abs(P) > mu * normal) {
      P = -(slide > 0 ? 1 : -1) * mu * normal;
      slips++;
    }
    vx += P / m;
    omega += R * P / J;
    EXPECT_LE(off(s.t, t), 1e-10 * slack());
    EXPECT_LE(off(s.q[0], x), 1e-10 * slack());
    EXPECT_LE(off(s.impulse[0], normal), 1e-9 * slack());
    EXPECT_LE(off(s.impulse[1], P), 1e-9 * slack());
    EXPECT_LE(off(s.v_after[0], vx), 1e-9 * slack());
    EXPECT_LE(off(s.v_after[2], omega), 1e-8 * slack());
  }
  EXPECT_GE(slips, 1);
  EXPECT_LT(slips, 11);
  run.expect_until(10); /* through the accumulation: it rolls */
  EXPECT_EQ(run.report().jumps, 1);
  EXPECT_EQ(run.mode(), PERP_CONTACT_STICK);
  EXPECT_LE(off(run.v()[0], vx), 1e-9 * slack());
  EXPECT_LE(off(run.q()[0], x + vx * (10 - t)), 1e-8 * slack());
}

INSTANTIATE_TEST_SUITE_P(All, EventFriction, ::testing::ValuesIn(tools::kMethods),
                         tools::method_name);

}  // namespace
