// SPDX-License-Identifier: MIT
// Pendulums on rods and strings: against exact solutions, energies, and one another.
#include "pendulum_tools.hpp"

namespace {

using tools::kG;
using tools::Mechanism;
using tools::Motion;
using tools::simple_pendulum;
using tools::swing;
using tools::vec;

const double kPi = std::acos(-1.0);

TEST(Elliptic, TheExactSolutionSolvesTheEquationOfThePendulum) {
  for (const double t : {0.1, 0.9, 2.3}) {
    const double h = 1e-4, a = 2.0, L = 1.7;
    const swing left = simple_pendulum(t - h, L, a), at = simple_pendulum(t, L, a),
                right = simple_pendulum(t + h, L, a);
    EXPECT_NEAR((right.angle - left.angle) / (2 * h), at.rate, 1e-6);
    EXPECT_NEAR((right.rate - left.rate) / (2 * h), -kG / L * std::sin(at.angle), 1e-6);
  }
  EXPECT_NEAR(simple_pendulum(0, 1, 1).angle, 1, 1e-16);
}

struct errors {
  double q = 0, v = 0, lambda = 0, drift = 0, energy = 0;
};

// A pendulum let go at the angle a, in Cartesian coordinates.
errors follow(const perp_smooth *smooth, double tol, double until, double a, double L = 1) {
  Mechanism m;
  tools::hang(m, L, a);
  Motion run(m, smooth, tol);
  EXPECT_EQ(run.created, PERP_OK);
  errors e;
  const double start = -kG * L * std::cos(a);
  EXPECT_EQ(run.to(until, 0.0371,
                   [&](Motion &r) {
                     const swing s = simple_pendulum(r.time(), L, a);
                     for (int i = 0; i < 2; i++) {
                       e.q = std::max(e.q, std::abs(r.q()[i] - s.q[i]));
                       e.v = std::max(e.v, std::abs(r.v()[i] - s.v[i]));
                     }
                     e.lambda = std::max(e.lambda, std::abs(-r.lambda()[0] - s.tension));
                     const double length = tools::dot(r.q(), r.q()),
                                  rate = tools::dot(r.q(), r.v());
                     e.drift = std::max({e.drift, std::abs(length - L * L), std::abs(rate)});
                     const double energy = 0.5 * tools::dot(r.v(), r.v()) + kG * r.q()[1];
                     e.energy = std::max(e.energy, std::abs(energy - start));
                   }),
            PERP_OK)
      << run.message();
  return e;
}

TEST(EventPendulum, ByIdaItFollowsTheExactMotionAndForce) {
  for (const double tol : {1e-5, 1e-7, 1e-9, 1e-11}) {
    const errors e = follow(perp_smooth_ida(), tol, 10, 1.9, 1.3);
    EXPECT_LT(e.q, 2e3 * tol);
    EXPECT_LT(e.v, 1e4 * tol);
    EXPECT_LT(e.lambda, 3e4 * tol);
    EXPECT_LT(e.drift, 5e-15);  // at every tolerance
    RecordProperty("q" + std::to_string(tol), std::to_string(e.q / tol));
  }
}

TEST(EventPendulum, ByRungeKuttaWithProjectionItFollowsTheExactMotionAndForce) {
  for (const double tol : {1e-5, 1e-7, 1e-9, 1e-11}) {
    const errors e = follow(perp_smooth_runge_kutta(), tol, 10, 1.9, 1.3);
    EXPECT_LT(e.q, 1e3 * tol);
    EXPECT_LT(e.v, 3e3 * tol);
    EXPECT_LT(e.lambda, 3e3 * tol);
    EXPECT_LT(e.drift, 5e-15);
  }
}

TEST(EventPendulum, EnergyDriftsLittleAndInProportionToTheTolerance) {
  const double coarse = follow(perp_smooth_ida(), 1e-8, 20, 1.5).energy;
  const double fine = follow(perp_smooth_ida(), 1e-11, 20, 1.5).energy;
  EXPECT_LT(fine, coarse / 300);
  EXPECT_LT(follow(perp_smooth_ida(), 1e-12, 100, 1.5).energy, 1e-6);
  EXPECT_LT(follow(perp_smooth_runge_kutta(), 1e-12, 100, 1.5).energy, 1e-8);
}

TEST(EventPendulum, TheErrorOfIdaFallsWithTheStepsAtTheOrderOfTheMethod) {
  for (const std::int32_t order : {2, 3, 4, 5}) {
    double error[2], steps[2];
    for (int k = 0; k < 2; k++) {
      Mechanism m;
      tools::hang(m, 1, 1.5);
      Motion run(m, perp_smooth_ida(), k == 0 ? 1e-7 : 1e-9,
                 [order](perp_event_options &o) { o.order = order; });
      ASSERT_EQ(run.to(10), PERP_OK);
      error[k] = std::abs(run.q()[0] - simple_pendulum(10, 1, 1.5).q[0]);
      steps[k] = static_cast<double>(run.report().steps);
    }
    const double slope = std::log(error[0] / error[1]) / std::log(steps[1] / steps[0]);
    EXPECT_GT(slope, order - 0.5) << order;
    EXPECT_LT(slope, order + 1.5) << order;
  }
}

TEST(EventPendulum, InMinimalCoordinatesCvodeAndRungeKuttaAgreeWithIt) {
  for (const perp_smooth *smooth :
       {perp_smooth_runge_kutta(), perp_smooth_adams(), perp_smooth_bdf(), perp_smooth_ida()}) {
    Mechanism m;
    tools::hang_minimal(m, 1, 1.5);
    Motion run(m, smooth, 1e-12);
    ASSERT_EQ(run.created, PERP_OK);
    double worst = 0;
    ASSERT_EQ(run.to(100, 0.1,
                     [&](Motion &r) {
                       const double energy = 0.5 * r.v()[0] * r.v()[0] - kG * std::cos(r.q()[0]);
                       worst = std::max(worst, std::abs(energy + kG * std::cos(1.5)));
                     }),
              PERP_OK);
    EXPECT_LT(worst, 1e-6);
    const swing s = simple_pendulum(100, 1, 1.5);
    EXPECT_NEAR(run.q()[0], s.angle, 1e-6);
    EXPECT_NEAR(run.v()[0], s.rate, 1e-6);
  }
}

// ----------------------------------------------------------------------------- two masses

double drift_of_two(double tol, double until, double a = 2, double b = 1) {
  Mechanism m;
  tools::hang_two(m, a, b);
  Motion run(m, perp_smooth_ida(), tol);
  EXPECT_EQ(run.created, PERP_OK);
  const double start = tools::two_energy(run);
  double worst = 0;
  EXPECT_EQ(
      run.to(until, 0.0531,
             [&](Motion &r) {
               const double *p = r.q(0), *q = r.q(1), *v = r.v(0), *w = r.v(1);
               const double d[2] = {q[0] - p[0], q[1] - p[1]}, u[2] = {w[0] - v[0], w[1] - v[1]};
               EXPECT_LT(std::abs(tools::dot(p, p) - 1), 5e-15);
               EXPECT_LT(std::abs(tools::dot(d, d) - 1), 5e-15);
               EXPECT_LT(std::abs(tools::dot(p, v)), 2e-14);
               EXPECT_LT(std::abs(tools::dot(d, u)), 2e-14);
               worst = std::max(worst, std::abs(tools::two_energy(r) - start));
             }),
      PERP_OK)
      << run.message();
  return worst;
}

TEST(EventDoublePendulum, EnergyDriftsLittleAndInProportionToTheTolerance) {
  EXPECT_LT(drift_of_two(1e-12, 100), 1e-6);
  const double coarse = drift_of_two(1e-7, 5), middle = drift_of_two(1e-9, 5),
               fine = drift_of_two(1e-11, 5);
  EXPECT_LT(middle, coarse / 30);
  EXPECT_LT(fine, middle / 30);
}

TEST(EventDoublePendulum, AllMethodsAndCoordinatesAgree) {
  Mechanism minimal;
  tools::hang_two_minimal(minimal, 2, 1);
  Motion reference(minimal, perp_smooth_runge_kutta(), 1e-13);
  ASSERT_EQ(reference.to(5), PERP_OK);
  const double a = reference.q()[0], b = reference.q()[1];
  for (const perp_smooth *smooth : {perp_smooth_adams(), perp_smooth_bdf(), perp_smooth_ida()}) {
    Motion run(minimal, smooth, 1e-12);
    ASSERT_EQ(run.to(5), PERP_OK);
    EXPECT_NEAR(run.q()[0], a, 1e-7);
    EXPECT_NEAR(run.q()[1], b, 1e-7);
  }
  for (const perp_smooth *smooth : {perp_smooth_runge_kutta(), perp_smooth_ida()}) {
    Mechanism m;
    tools::hang_two(m, 2, 1);
    Motion run(m, smooth, 1e-12);
    ASSERT_EQ(run.to(5), PERP_OK);
    EXPECT_NEAR(run.q(0)[0], std::sin(a), 1e-7);
    EXPECT_NEAR(run.q(0)[1], -std::cos(a), 1e-7);
    EXPECT_NEAR(run.q(1)[0], std::sin(a) + std::sin(b), 1e-7);
    EXPECT_NEAR(run.q(1)[1], -std::cos(a) - std::cos(b), 1e-7);
  }
}

// --------------------------------------------------------------------------------- strings

class EventString : public testing::TestWithParam<bool> {
 protected:
  static const perp_smooth *smooth() {
    return GetParam() ? perp_smooth_ida() : perp_smooth_runge_kutta();
  }
};

TEST_P(EventString, StaysTautInALowSwing) {
  Mechanism m;
  m.weight(1, {std::sin(1.2), -std::cos(1.2)}, {0, 0});
  m.join(m.rod(1, 0, 0, -1), m.impact(0.5), {0});
  Motion run(m, smooth(), 1e-11);
  ASSERT_EQ(run.created, PERP_OK);
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
  ASSERT_EQ(run.to(10, 0.1,
                   [&](Motion &r) {
                     const swing s = simple_pendulum(r.time(), 1, 1.2);
                     EXPECT_NEAR(r.lambda()[0], s.tension, 1e-7);
                     EXPECT_NEAR(r.q()[0], s.q[0], 1e-8);
                     EXPECT_NEAR(r.q()[1], s.q[1], 1e-8);
                     EXPECT_LT(std::abs(r.y()[0]), 2e-15);
                   }),
            PERP_OK)
      << run.message();
  EXPECT_EQ(run.mode(), PERP_CONTACT_CLOSED);
  EXPECT_TRUE(run.times.empty());
}

// From below with a speed between √(2 g L) and √(5 g L): the string goes slack above the pivot,
// the mass flies along a parabola for 4 v_y / g and is caught.
TEST_P(EventString, GoesSlackInAHighSwingAndIsCaughtWithAnImpact) {
  const double v0 = std::sqrt(3.7 * kG), e = 0.3;
  Mechanism m;
  m.weight(1, {0, -1}, {v0, 0});
  m.join(m.rod(1, 0, 0, -1), m.impact(e), {0});
  Motion run(m, smooth(), 1e-12);
  ASSERT_EQ(run.created, PERP_OK);
  const double height = (v0 * v0 - 2 * kG) / (3 * kG);  // of the mass where λ is 0
  const double speed = std::sqrt(kG * height), wide = std::sqrt(1 - height * height);
  vec at, before;
  double slack = 0;
  ASSERT_EQ(run.to(3, 1e-3,
                   [&](Motion &r) {
                     if (r.times.empty()) {
                       EXPECT_GT(r.lambda()[0], 0);
                       EXPECT_LT(std::abs(r.y()[0]), 2e-15);
                     } else if (r.times.size() == 1) {
                       slack = r.times[0];
                       EXPECT_EQ(r.lambda()[0], 0);
                       const double t = r.time() - slack;
                       EXPECT_NEAR(r.q()[0], wide - speed * height * t, 1e-9);
                       EXPECT_NEAR(r.q()[1], height + speed * wide * t - 0.5 * kG * t * t, 1e-9);
                     }
                   }),
            PERP_OK)
      << run.message();
  ASSERT_GE(run.times.size(), 2u);
  EXPECT_EQ(run.kinds[0] & PERP_EVENT_OPEN, std::uint32_t(PERP_EVENT_OPEN));
  EXPECT_NEAR(run.times[1] - run.times[0], 4 * speed * wide / kG, 1e-9);
  EXPECT_EQ(run.kinds[1] & PERP_EVENT_IMPACT, std::uint32_t(PERP_EVENT_IMPACT));
  // The time at which it goes slack, by Simpson's rule on dθ/√(v0² − 2g(1 − cos θ)).
  const double end = kPi - std::acos(height);
  const int n = 20000;
  double sum = 0;
  for (int k = 0; k <= n; k++) {
    const double angle = end * k / n, weight = k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2;
    sum += weight / std::sqrt(v0 * v0 - 2 * kG * (1 - std::cos(angle)));
  }
  EXPECT_NEAR(run.times[0], sum * end / n / 3, 1e-9);
}

TEST_P(EventString, KeepsItsAngularMomentumAtTheCatchAndLosesWhatTheLawSays) {
  const double v0 = std::sqrt(3.7 * kG), e = 0.3;
  Mechanism m;
  m.weight(1, {0, -1}, {v0, 0});
  m.join(m.rod(1, 0, 0, -1), m.impact(e), {0});
  perp_event_options o = perp_event_options_default();
  o.smooth = smooth();
  perp_event_driven *sim = nullptr;
  ASSERT_EQ(perp_event_driven_create(&sim, m.model(), &o, nullptr), PERP_OK);
  ASSERT_EQ(perp_event_driven_next(sim, 5, nullptr), PERP_OK);  // slack
  ASSERT_EQ(perp_event_driven_next(sim, 5, nullptr), PERP_OK);  // caught
  const perp_event *event = perp_event_driven_event(sim);
  const double *q = perp_event_driven_q(sim, 0), *v = perp_event_driven_v(sim, 0);
  const double *u = event->v;
  EXPECT_NEAR(tools::dot(q, q), 1, 1e-9);
  EXPECT_NEAR(q[0] * u[1] - q[1] * u[0], q[0] * v[1] - q[1] * v[0], 1e-12);
  const double radial = tools::dot(q, u);
  EXPECT_GT(radial, 1);
  EXPECT_NEAR(tools::dot(q, v), -e * radial, 1e-9);
  EXPECT_NEAR(0.5 * (tools::dot(u, u) - tools::dot(v, v)), 0.5 * (1 - e * e) * radial * radial,
              1e-9);
  EXPECT_NEAR(0.5 * tools::dot(u, u) + kG * q[1], 0.5 * v0 * v0 - kG, 1e-7);
  perp_event_driven_destroy(sim);
}

INSTANTIATE_TEST_SUITE_P(Methods, EventString, testing::Bool());

}  // namespace
