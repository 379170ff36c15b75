// SPDX-License-Identifier: MIT
// Rigid bodies in motion: published trajectories, analytic results, and what joints keep.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/perp.h>

#include <cmath>

#include "body_world.hpp"
#include "reference_tools.hpp"

namespace {

using tools::at;
using tools::body_world;
using tools::ids;
using tools::run;
using tools::vec;
using tools::vec3;
using tools::operator+;
using tools::operator-;

constexpr double kPi = 3.14159265358979323846;
const vec kRest = {0, 0, 0, 1, 0, 0, 0};

double norm(const double *x, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return std::sqrt(sum);
}

TEST(BodyReference, BallWithFrictionOnTheGround) {
  OPEN_OR_SKIP(ref, "BouncingBallNETS.ref");
  body_world w;
  perp_body &ball = w.add_body(1, {1, 1, 1}, 0, {1, 0, 0, 1, 0, 0, 0}, {2, 0, 0, 0, 0, 0});
  ball.f[0] = -9.81;
  perp_sphere_plane floor = {0.1, {1, 0, 0}, 0};
  w.add_contact(3, perp_locate_sphere_plane, &floor, w.friction(3, 0.6, 0.9, 0.9), {0});
  w.options.h = 0.005;
  w.options.solver = perp_solver_nsgs();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  for (std::size_t k = 0; k < ref.size(); k++) {
    if (k > 0) {
      ASSERT_EQ(r.step(), PERP_OK) << "step " << k;
    }
    const double *q = perp_simulation_q(r.sim, 0);
    const double *v = perp_simulation_v(r.sim, 0);
    const double *p = perp_simulation_lambda(r.sim, 0);
    ref.expect(k,
               {r.time(), q[0], v[0], p[0], p[0], 2 * std::acos(std::fmin(1.0, q[3])), norm(p, 3),
                q[0], q[1], q[2], q[3], q[4], q[5], q[6], v[1], v[2]},
               {1e-11});
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(BodyReference, BeamOnAKnee) {
  OPEN_OR_SKIP(ref, "NE_1DS_1Knee_MLCP.ref");
  body_world w;
  const double s = 0.5 / std::sqrt(2.0);
  perp_body &beam =
      w.add_body(1, {0.1, 1, 1}, 9.81, {s, 0, -s, std::cos(kPi / 8), 0, std::sin(kPi / 8), 0},
                 {100, 0, 0, 0, 0, 0});
  beam.inertia[1] = beam.inertia[3] = 0.1;
  w.add_joint(PERP_JOINT_SPHERICAL, {0, 0, 0}, {1, 0, 0}, {0});
  w.options.h = 0.01;
  w.options.theta = 1;
  w.options.newton_stop = PERP_NEWTON_DYNAMICS;
  w.options.newton_tol = 1e-6;
  w.options.min_gap = -1;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK) << r.info.field;
  for (std::size_t k = 0; k < ref.size(); k++) {
    ASSERT_EQ(r.step(), PERP_OK) << "step " << k;
    const double *q = perp_simulation_q(r.sim, 0);
    ref.expect(
        k,
        {r.time(), q[0], q[1], q[2], q[3], q[4], q[5], q[6], norm(perp_simulation_y(r.sim, 0), 3)},
        {1e-10});
    ASSERT_FALSE(HasFatalFailure());
  }
}

// Deviations of energy and angular momentum of a body that spins freely for a second.
struct drift {
  double energy, momentum, length;
};
drift spin_freely(double h, std::int32_t gyroscopic) {
  body_world w;
  perp_body &b = w.add_body(2, {1, 2, 3.5}, 0, kRest, {0.5, -1, 2, 1, 2, 0.3});
  b.inertia[1] = b.inertia[3] = 0.2;
  b.gyroscopic = gyroscopic;
  w.options.h = h;
  run r(w);
  EXPECT_EQ(r.status, PERP_OK);
  double before = 0, after = 0;
  perp_simulation_energy(r.sim, &before, nullptr);
  const vec3 L = tools::spin_of(b, w.q0.data(), w.v0.data());
  EXPECT_EQ(r.steps(static_cast<int>(std::lround(1 / h))), PERP_OK);
  perp_simulation_energy(r.sim, &after, nullptr);
  const double *q = perp_simulation_q(r.sim, 0);
  const vec3 M = tools::spin_of(b, q, perp_simulation_v(r.sim, 0)) - L;
  EXPECT_NEAR(q[2], 2, 1e-13) << "the centre moves evenly";
  return {std::fabs(after - before), static_cast<double>(std::sqrt(tools::dot(M, M))),
          std::fabs(norm(q + 3, 4) - 1)};
}

TEST(BodyMotion, FreeRotationKeepsEnergyAndAngularMomentumToSecondOrder) {
  const drift coarse = spin_freely(0.01, PERP_GYROSCOPIC_IMPLICIT);
  const drift fine = spin_freely(0.005, PERP_GYROSCOPIC_IMPLICIT);
  EXPECT_LT(coarse.energy, 1e-3);
  EXPECT_LT(coarse.momentum, 1e-2);
  EXPECT_NEAR(coarse.energy / fine.energy, 4, 0.3);
  EXPECT_NEAR(coarse.momentum / fine.momentum, 4, 0.3);
  EXPECT_LT(fine.length, 1e-13);
}

TEST(BodyMotion, AJacobianLeftOutGivesTheSameSteps) {
  const drift newton = spin_freely(0.01, PERP_GYROSCOPIC_IMPLICIT);
  const drift lagged = spin_freely(0.01, PERP_GYROSCOPIC_EXPLICIT);
  EXPECT_NEAR(newton.energy, lagged.energy, 1e-8);
  EXPECT_NEAR(newton.momentum, lagged.momentum, 1e-8);
}

// Angle to the vertical and azimuth after a second of a top in steady precession.
struct top {
  double tilt, azimuth, rate;
};
top precess(double h) {
  const double m = 1.5, l = 0.2, g = 9.81, across = 0.04, along = 0.06, theta = 0.5, spin = 50;
  const double about_foot = across + m * l * l;
  // about_foot Ω² cos θ − along·spin·Ω + m g l = 0, the slow solution
  const double a = about_foot * std::cos(theta), b = along * spin, c = m * g * l;
  const double rate = 2 * c / (b + std::sqrt(b * b - 4 * a * c));
  const double s = std::sin(theta), k = std::cos(theta);
  body_world w;
  w.add_body(m, {across, across, along}, g,
             {l * s, 0, l * k, std::cos(theta / 2), 0, std::sin(theta / 2), 0},
             {0, rate * l * s, 0, -rate * s, 0, spin});
  w.add_joint(PERP_JOINT_SPHERICAL, {0, 0, 0}, {1, 0, 0}, {0});
  w.options.h = h;
  run r(w);
  EXPECT_EQ(r.status, PERP_OK);
  EXPECT_EQ(r.steps(static_cast<int>(std::lround(1 / h))), PERP_OK);
  const vec3 axis = tools::turn(tools::quaternion(perp_simulation_q(r.sim, 0)), {0, 0, 1});
  return {static_cast<double>(std::acos(axis[2])) - theta,
          static_cast<double>(std::atan2(axis[1], axis[0])), rate};
}

TEST(BodyMotion, ATopPrecessesAtTheRateOfTheory) {
  const top coarse = precess(1e-3), fine = precess(5e-4);
  EXPECT_NEAR(fine.azimuth, fine.rate, 2e-3 * fine.rate);
  EXPECT_NEAR(fine.tilt, 0, 0.01);
  // first order: the impulse of the joint has the direction of the end of the step
  EXPECT_NEAR(coarse.tilt / fine.tilt, 2, 0.1);
  EXPECT_LT(std::fabs(fine.azimuth - fine.rate), 0.6 * std::fabs(coarse.azimuth - coarse.rate));
}

TEST(BodyMotion, ASphereRollsDownWithFiveSeventhsOfTheSlope) {
  const double alpha = 0.4, g = 9.81, R = 0.3, m = 2, I = 0.4 * m * R * R;
  body_world w;
  perp_body &ball = w.add_body(m, {I, I, I}, 0, {0, 0, R, 1, 0, 0, 0});
  ball.f[0] = m * g * std::sin(alpha);
  ball.f[2] = -m * g * std::cos(alpha);
  perp_sphere_plane floor = {R, {0, 0, 1}, 0};
  w.add_contact(3, perp_locate_sphere_plane, &floor, w.friction(3, 0.5), {0});
  w.options.h = 0.01;
  w.options.solver = perp_solver_nsgs();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  for (int k = 1; k <= 100; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    EXPECT_NEAR(r.v(0, 0), 5.0 / 7 * g * std::sin(alpha) * r.time(), 1e-9) << k;
    EXPECT_NEAR(r.v(0, 4) * R, r.v(0, 0), 1e-9) << "no slip";
  }
}

TEST(BodyMotion, OnASlipperySlopeTheSphereSlides) {
  const double alpha = 0.4, g = 9.81, R = 0.3, m = 2, I = 0.4 * m * R * R, mu = 0.05;
  body_world w;
  perp_body &ball = w.add_body(m, {I, I, I}, 0, {0, 0, R, 1, 0, 0, 0});
  ball.f[0] = m * g * std::sin(alpha);
  ball.f[2] = -m * g * std::cos(alpha);
  perp_sphere_plane floor = {R, {0, 0, 1}, 0};
  w.add_contact(3, perp_locate_sphere_plane, &floor, w.friction(3, mu), {0});
  w.options.h = 0.01;
  w.options.solver = perp_solver_nsgs();
  run r(w);
  ASSERT_EQ(r.steps(100), PERP_OK);
  EXPECT_NEAR(r.v(0, 0), g * (std::sin(alpha) - mu * std::cos(alpha)), 1e-8);
  EXPECT_NEAR(r.v(0, 4), mu * m * g * std::cos(alpha) * R / I, 1e-7);
}

TEST(BodyMotion, RollingResistanceStopsASphereOnTheFlat) {
  // (m + I/R²) dv/dt = −μ_r m g/R
  const double g = 9.81, R = 0.3, m = 2, I = 0.4 * m * R * R, mu_r = 0.01, v0 = 1;
  body_world w;
  w.add_body(m, {I, I, I}, g, {0, 0, R, 1, 0, 0, 0}, {v0, 0, 0, 0, v0 / R, 0});
  perp_sphere_plane floor = {R, {0, 0, 1}, 0};
  w.add_contact(5, perp_locate_sphere_plane, &floor, w.rolling(5, 0.5, mu_r), {0});
  w.options.h = 0.01;
  w.options.solver = perp_solver_nsgs();
  run r(w);
  const double rate = mu_r * g / R / 1.4;
  ASSERT_EQ(r.steps(100), PERP_OK);
  EXPECT_NEAR(r.v(0, 0), v0 - rate, 1e-7);
  ASSERT_EQ(r.steps(500), PERP_OK) << "v0/rate = 4.3 s";
  EXPECT_NEAR(r.v(0, 0), 0, 1e-9);
  EXPECT_NEAR(r.v(0, 4), 0, 1e-9);
}

TEST(BodyMotion, CollidingSpheresKeepTheirMomentum) {
  body_world w;
  const double I = 0.4 * 0.25;
  w.add_body(1, {I, I, I}, 0, {0, 0, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 0, 3});
  w.add_body(2, {I, I, I}, 0, {1.2, 0.4, 0.1, 1, 0, 0, 0}, {-1, 0, 0, 1, 0, 0});
  perp_sphere_sphere spheres = {{0.5, 0.5}};
  w.add_contact(3, perp_locate_sphere_sphere, &spheres, w.friction(3, 0.3, 0.5), {0, 1});
  w.options.h = 0.01;
  w.options.solver = perp_solver_nsgs();
  run r(w);
  const auto angular = [&](const double *q, const double *v) {
    vec3 L = {0, 0, 0};
    for (std::size_t b = 0; b < 2; b++) {
      vec3 p = tools::v3(&v[6 * b]);
      for (auto &x : p) x *= b == 0 ? 1 : 2;
      L = L + tools::cross(tools::v3(&q[7 * b]), p) +
          tools::spin_of(w.rigid[b], &q[7 * b], &v[6 * b]);
    }
    return L;
  };
  const vec3 L0 = angular(w.q0.data(), w.v0.data());
  double impulse = 0;
  for (int k = 0; k < 50; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    impulse += r.lambda(0, 0);
  }
  EXPECT_GT(impulse, 0.5);
  for (std::size_t i = 0; i < 3; i++)
    EXPECT_NEAR(r.v(0, i) + 2 * r.v(1, i), i == 0 ? -1 : 0, 1e-12);
  const vec3 L = angular(perp_simulation_q(r.sim, 0), perp_simulation_v(r.sim, 0));
  for (std::size_t i = 0; i < 3; i++) EXPECT_NEAR(static_cast<double>(L[i] - L0[i]), 0, 2e-2);
}

TEST(BodyMotion, ABoxOnItsCornersStopsWhereTheoryDoes) {
  const double m = 3, g = 9.81, mu = 0.4, v0 = 2;
  body_world w;
  w.add_body(m, {0.1, 0.12, 0.2}, g, {0, 0, 0.05, 1, 0, 0, 0}, {v0, 0, 0, 0, 0, 0});
  std::array<perp_point_plane, 4> corners;
  for (std::size_t i = 0; i < 4; i++) {
    corners[i] = {{i % 2 ? 0.3 : -0.3, i < 2 ? 0.2 : -0.2, -0.05}, {0, 0, 1}, 0};
    w.add_contact(3, perp_locate_point_plane, &corners[i], w.friction(3, mu), {0});
  }
  w.options.h = 0.005;
  w.options.solver = perp_solver_nsgs();
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  ASSERT_EQ(r.steps(60), PERP_OK);
  EXPECT_NEAR(r.v(0, 0), v0 - mu * g * 0.3, 1e-6);
  ASSERT_EQ(r.steps(140), PERP_OK);
  EXPECT_NEAR(r.v(0, 0), 0, 1e-6);
  EXPECT_NEAR(r.q(0, 0), v0 * v0 / (2 * mu * g), 0.01);
  EXPECT_NEAR(r.q(0, 2), 0.05, w.options.h * w.options.h * g) << "positions are not corrected";
  EXPECT_NEAR(r.q(0, 3), 1, 1e-6) << "it does not tip";
  double weight = 0;
  for (std::int32_t i = 0; i < 4; i++) weight += r.lambda(i, 0) / w.options.h;
  EXPECT_NEAR(weight, m * g, 1e-5);
}

// Largest error of a joint's rows over half a second of a body that is thrown while it is held.
double joint_drift(std::int32_t kind, int bodies, double h, double *rate,
                   std::int32_t projection = PERP_PROJECT_NONE) {
  body_world w;
  w.add_body(1, {0.1, 0.2, 0.25}, 9.81, {0.3, 0.1, 0, 1, 0, 0, 0});
  if (bodies == 2)
    w.add_body(2, {0.3, 0.2, 0.25}, 9.81, {-0.3, 0, 0.1, 1, 0, 0, 0}, {0.5, 0, 2, 1, -2, 0.5});
  w.add_joint(kind, {0, 0, 0}, {0.6, 0, 0.8}, bodies == 2 ? ids{0, 1} : ids{0}, 0.3);
  w.options.h = h;
  w.options.projection = projection;
  run r(w);
  EXPECT_EQ(r.status, PERP_OK) << r.info.field;
  double worst = 0;
  const auto m = static_cast<std::size_t>(w.joints[0].relation.m);
  for (int k = 0; k < static_cast<int>(std::lround(0.5 / h)); k++) {
    EXPECT_EQ(r.step(), PERP_OK) << kind << " step " << k;
    for (std::size_t i = 0; i < m; i++) {
      worst = std::fmax(worst, std::fabs(r.y(0, i)));
      *rate = std::fmax(*rate, std::fabs(perp_simulation_ydot(r.sim, 0)[i]));
    }
  }
  return worst;
}

TEST(JointMotion, ErrorsOfJointsShrinkWithTheStepAndTheirRatesAreNone) {
  for (std::int32_t kind = PERP_JOINT_SPHERICAL; kind <= PERP_JOINT_SCREW; kind++) {
    for (int bodies = 1; bodies <= 2; bodies++) {
      double rate = 0;
      const double coarse = joint_drift(kind, bodies, 0.01, &rate);
      const double fine = joint_drift(kind, bodies, 0.005, &rate);
      EXPECT_LT(rate, 1e-8) << kind;
      EXPECT_LT(coarse, 0.1) << kind;
      EXPECT_LT(fine, 0.65 * coarse + 1e-12) << kind << " with " << bodies;
    }
  }
}

TEST(JointMotion, ProjectedJointsStayClosed) {
  for (std::int32_t kind = PERP_JOINT_SPHERICAL; kind <= PERP_JOINT_SCREW; kind++) {
    for (int bodies = 1; bodies <= 2; bodies++) {
      double rate = 0;
      EXPECT_LT(joint_drift(kind, bodies, 0.01, &rate, PERP_PROJECT_POSITIONS), 1e-8)
          << kind << " with " << bodies;
    }
  }
}

// Error of a pendulum's angle after a second.
double swing(double h) {
  const double m = 1.2, l = 0.5, g = 9.81, I = 0.1;
  body_world w;
  w.add_body(m, {I, I, 0.01}, g, {l, 0, 0, 1, 0, 0, 0});
  perp_joint &pivot = w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0}, {0, 1, 0}, {0});
  w.options.h = h;
  run r(w);
  EXPECT_EQ(r.steps(static_cast<int>(std::lround(1 / h))), PERP_OK);
  double angle = 0, rate = 0; /* of the equation of the pendulum, by small steps */
  const double k = m * g * l / (I + m * l * l), f = 1e-5;
  for (int i = 0; i < 100000; i++) {
    angle += f / 2 * rate;
    rate += f * k * std::cos(angle);
    angle += f / 2 * rate;
  }
  double got = 999, speed = 999;
  perp_joint_coordinate_value(&pivot, PERP_COORDINATE_ANGLE, perp_simulation_q(r.sim, 0),
                              perp_simulation_v(r.sim, 0), &got, &speed);
  EXPECT_NEAR(got, angle, 20 * h);
  EXPECT_NEAR(speed, rate, 50 * h);
  return got - angle;
}

TEST(JointMotion, APivotedRodSwingsAsAPendulum) { EXPECT_NEAR(swing(1e-3) / swing(5e-4), 2, 0.1); }

TEST(JointMotion, AStopReflectsAtItsAngle) {
  const double h = 1e-3, e = 0.5;
  body_world w;
  w.add_body(1, {0.1, 0.1, 0.1}, 0, kRest, {0, 0, 0, 0, 0, 2});
  perp_joint &pivot = w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0}, {0, 0, 1}, {0});
  perp_joint_coordinate &stops =
      w.add_coordinate(pivot, PERP_COORDINATE_ANGLE, PERP_COORDINATE_STOPS, w.impact(e), {0});
  stops.lower = -0.3;
  stops.upper = 0.5;
  w.options.h = h;
  run r(w);
  ASSERT_EQ(r.status, PERP_OK);
  double largest = 0, lowest = 0;
  ASSERT_EQ(r.steps(249), PERP_OK);
  EXPECT_NEAR(r.v(0, 5), 2, 1e-12);
  ASSERT_EQ(r.steps(5), PERP_OK);
  EXPECT_NEAR(r.v(0, 5), -1, 1e-12) << "0.5 rad at 2 rad/s: hit after 0.25 s";
  for (int k = 0; k < 2000; k++) {
    ASSERT_EQ(r.step(), PERP_OK);
    double angle = 0;
    perp_joint_coordinate_value(&pivot, PERP_COORDINATE_ANGLE, perp_simulation_q(r.sim, 0), nullptr,
                                &angle, nullptr);
    largest = std::fmax(largest, angle);
    lowest = std::fmin(lowest, angle);
  }
  EXPECT_LT(largest, 0.502);
  EXPECT_GT(lowest, -0.302);
  EXPECT_NEAR(r.v(0, 5), 0.25 * 1, 0.26) << "the lower stop, too";
}

TEST(JointMotion, DryFrictionStopsAWheelWhenTheoryDoesWhateverTheStep) {
  const double I = 0.2, omega = 3, torque = 0.5; /* stops at I ω/τ = 1.2 s */
  for (double h : {0.01, 0.003}) {
    body_world w;
    w.add_body(1, {I, I, I}, 0, kRest, {0, 0, 0, 0, 0, omega});
    perp_joint &pivot = w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0}, {0, 0, 1}, {0});
    w.add_coordinate(pivot, PERP_COORDINATE_ANGLE, PERP_COORDINATE_EFFORT,
                     w.box({-torque}, {torque}), {0});
    w.options.h = h;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    const int half = static_cast<int>(0.6 / h);
    ASSERT_EQ(r.steps(half), PERP_OK);
    EXPECT_NEAR(r.v(0, 5), omega - torque / I * r.time(), 1e-10);
    EXPECT_NEAR(r.lambda(1, 0), -torque, 1e-10) << "a torque, not an impulse";
    ASSERT_EQ(r.steps(half + 5), PERP_OK);
    EXPECT_NEAR(r.v(0, 5), 0, 1e-12);
    EXPECT_NEAR(r.lambda(1, 0), 0, 1e-10);
  }
}

std::int32_t sine_rate(double t, double *f, void *) {
  f[0] = std::sin(3 * t);
  return 0;
}

TEST(JointMotion, ADriveTurnsAtItsRateAndALimitedOneAsFarAsItCan) {
  const double I = 0.2, h = 0.01;
  for (double limit : {10.0, 0.1}) {
    body_world w;
    w.add_body(1, {I, I, I}, 0, kRest);
    perp_joint &pivot = w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0}, {0, 0, 1}, {0});
    perp_joint_coordinate &drive = w.add_coordinate(
        pivot, PERP_COORDINATE_ANGLE, PERP_COORDINATE_EFFORT, w.box({-limit}, {limit}), {0});
    drive.rate = sine_rate;
    w.options.h = h;
    run r(w);
    double last = 0;
    for (int k = 0; k < 100; k++) {
      ASSERT_EQ(r.step(), PERP_OK);
      const double wanted = std::sin(3 * r.time());
      if (limit > 1) {
        EXPECT_NEAR(r.v(0, 5), wanted, 1e-10);
        EXPECT_NEAR(r.lambda(1, 0), I * (r.v(0, 5) - last) / h, 1e-8);
      }
      EXPECT_LE(std::fabs(r.v(0, 5) - last), limit * h / I + 1e-12);
      last = r.v(0, 5);
    }
  }
  body_world w;
  w.add_body(1, {I, I, I}, 0, kRest);
  perp_joint &pivot = w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0}, {0, 0, 1}, {0});
  w.add_coordinate(pivot, PERP_COORDINATE_ANGLE, PERP_COORDINATE_RATE, w.equality(), {0}).rate =
      sine_rate;
  run r(w);
  ASSERT_EQ(r.steps(30), PERP_OK);
  EXPECT_NEAR(r.v(0, 5), std::sin(0.9), 1e-10);
}

TEST(JointMotion, AScrewedNutFallsAsItsInertiaAllows) {
  const double m = 2, I = 0.01, lead = 0.2, g = 9.81, p = lead / (2 * kPi);
  body_world w;
  w.add_body(m, {0.02, 0.02, I}, g, kRest);
  w.add_joint(PERP_JOINT_SCREW, {0, 0, 0}, {0, 0, 1}, {0}, lead);
  w.options.h = 0.01;
  run r(w);
  ASSERT_EQ(r.steps(100), PERP_OK);
  const double a = -g * m / (m + I / (p * p));
  EXPECT_NEAR(r.v(0, 2), a, 1e-9);
  EXPECT_NEAR(r.v(0, 5), a / p, 1e-7);
  for (std::size_t i = 0; i < 5; i++) EXPECT_NEAR(r.y(0, i), 0, 1e-9);
}

TEST(JointMotion, GearsShareATorqueByTheirTeeth) {
  const double IA = 0.3, IB = 0.5;
  body_world w;
  perp_body &a = w.add_body(1, {1, 1, IA}, 0, kRest);
  w.add_body(1, {1, 1, IB}, 0, {1, 0, 0, 1, 0, 0, 0});
  a.torque = [](double, const double *, const double *, double *out, void *) -> std::int32_t {
    out[2] = 2;
    return 0;
  };
  w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0}, {0, 0, 1}, {0});
  w.add_joint(PERP_JOINT_PIVOT, {1, 0, 0}, {0, 0, 1}, {1});
  perp_gear &gear = w.gears.emplace_back();
  ASSERT_EQ(perp_gear_init(&gear, sizeof gear, 2), PERP_OK);
  gear.teeth_a = 10;
  gear.teeth_b = 25;
  const double z[3] = {0, 0, 1};
  ASSERT_EQ(perp_gear_place(&gear, z, z, &w.q0[0], &w.q0[7], nullptr), PERP_OK);
  w.join(gear.relation, w.equality(), {0, 1});
  w.options.h = 0.01;
  run r(w);
  ASSERT_EQ(r.steps(100), PERP_OK);
  const double acceleration = 2 / (IA + 0.16 * IB);
  EXPECT_NEAR(r.v(0, 5), acceleration, 1e-8);
  EXPECT_NEAR(r.v(1, 5), -0.4 * acceleration, 1e-8);
  EXPECT_NEAR(r.y(2, 0), 0, 1e-8);
}

TEST(JointMotion, ADoorOnTwoHingesSwingsAsOnOne) {
  // two pivots on one axis: ten rows that hold five directions
  double angle[2] = {0, 0};
  for (int hinges = 1; hinges <= 2; hinges++) {
    body_world w;
    w.add_body(20, {2, 3, 1}, 9.81, {0.4, 0, 0, 1, 0, 0, 0}, {0, 0.8, 0, 0, 0, 2});
    perp_joint &lower = w.add_joint(PERP_JOINT_PIVOT, {0, 0, -0.5}, {0, 0, 1}, {0});
    if (hinges == 2) w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0.5}, {0, 0, 1}, {0});
    w.options.h = 0.005;
    run r(w);
    ASSERT_EQ(r.status, PERP_OK);
    ASSERT_EQ(r.steps(100), PERP_OK) << hinges;
    perp_joint_coordinate_value(&lower, PERP_COORDINATE_ANGLE, perp_simulation_q(r.sim, 0), nullptr,
                                &angle[hinges - 1], nullptr);
  }
  EXPECT_NEAR(angle[0], 1, 5e-3);
  EXPECT_NEAR(angle[1], angle[0], 1e-3);
}

TEST(JointMotion, JoinedBodiesInFlightKeepTheirMomentum) {
  body_world w;
  w.add_body(1, {0.1, 0.2, 0.25}, 0, {0.3, 0.1, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 0, 0});
  w.add_body(2, {0.3, 0.2, 0.25}, 0, {-0.3, 0, 0.1, 1, 0, 0, 0}, {0.5, 0, 2, 1, -2, 0.5});
  w.add_joint(PERP_JOINT_PIVOT, {0, 0, 0}, {0.6, 0, 0.8}, {0, 1});
  w.options.h = 1e-3;
  run r(w);
  ASSERT_EQ(r.steps(1000), PERP_OK);
  for (std::size_t i = 0; i < 3; i++)
    EXPECT_NEAR(r.v(0, i) + 2 * r.v(1, i), w.v0[i] + 2 * w.v0[6 + i], 1e-11);
}

}  // namespace
