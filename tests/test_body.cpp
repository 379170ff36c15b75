// SPDX-License-Identifier: MIT
// Rigid bodies: rotations, forces and their derivatives, checks.
#include <gtest/gtest.h>
#include <perp/experimental.h>
#include <perp/newton_euler.h>

#include <cmath>
#include <limits>

#include "body_relation_tools.hpp"
#include "body_tools.hpp"

namespace {

using tools::vec3;
using vec = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

perp_body tilted_body() {
  perp_body body;
  EXPECT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
  body.mass = 2.5;
  const double I[9] = {0.3, 0.05, -0.02, 0.05, 0.4, 0.01, -0.02, 0.01, 0.2};
  std::copy(I, I + 9, body.inertia);
  body.f[2] = -9.81 * 2.5;
  return body;
}

// A force and a torque that depend on all they may.
std::int32_t wild(double t, const double *q, const double *v, double *out, void *) {
  out[0] = std::sin(t) + q[0] * q[3] - v[1] * v[5];
  out[1] = q[1] * q[4] * q[5] + std::cos(v[3]);
  out[2] = v[0] * q[6] - 3 * q[2] + v[4] * v[2];
  return 0;
}

struct answer {
  vec f = vec(6, 999), df_dq = vec(36, 0), df_dv = vec(36, 0);
  std::int32_t force = 999, jacobians = 999;
};

answer at(const perp_body &body, const vec &q, const vec &v, double t = 0.3) {
  answer a;
  const perp_system *s = &body.system;
  vec scratch(s->ops->scratch_doubles(s), 999);
  a.force = s->ops->force(s, t, q.data(), v.data(), a.f.data(), scratch.data());
  a.jacobians =
      s->ops->jacobians(s, t, q.data(), v.data(), a.df_dq.data(), a.df_dv.data(), scratch.data());
  return a;
}

// Both derivatives against differences of force along q ⊕ d and v + d.
void expect_derivatives(const perp_body &body, std::mt19937 &random, double tol) {
  for (int trial = 0; trial < 20; trial++) {
    const vec q = tools::random_bodies(random, 1), v = tools::random_vector(random, 6, 3);
    const answer a = at(body, q, v);
    ASSERT_EQ(a.force, 0);
    ASSERT_EQ(a.jacobians, 0);
    const vec d = tools::random_vector(random, 6);
    const vec by_q = tools::along([&](const vec &p) { return at(body, p, v).f; }, q, d);
    const auto rate = [&](double s) {
      vec w = v;
      for (std::size_t i = 0; i < 6; i++) w[i] += s * d[i];
      return at(body, q, w).f;
    };
    const vec plus = rate(1e-4), minus = rate(-1e-4);
    const vec got_q = tools::times(a.df_dq, d), got_v = tools::times(a.df_dv, d);
    for (std::size_t i = 0; i < 6; i++) {
      EXPECT_NEAR(got_q[i], by_q[i], tol) << "row " << i;
      EXPECT_NEAR(got_v[i], (plus[i] - minus[i]) / 2e-4, tol) << "row " << i;
    }
  }
}

TEST(Rotation, MatrixOfAQuaternionTurnsAsTheProductDoes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; trial++) {
    const vec q = tools::random_bodies(random, 1);
    const vec x = tools::random_vector(random, 3);
    double R[9];
    perp_rotation_matrix(&q[3], R);
    const vec3 y = tools::turn(tools::quaternion(q.data()), tools::v3(x.data()));
    for (std::size_t i = 0; i < 3; i++)
      EXPECT_NEAR(R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2], static_cast<double>(y[i]),
                  1e-14);
  }
}

TEST(Rotation, QuaternionOfAxisAndAngle) {
  const double axis[3] = {0, 0, 7};
  double Q[4], R[9];
  perp_rotation_quaternion(axis, std::acos(-1.0) / 2, Q);
  perp_rotation_matrix(Q, R);
  EXPECT_NEAR(R[1], 1, 1e-15); /* e_x to e_y */
  EXPECT_NEAR(R[3], -1, 1e-15);
  EXPECT_NEAR(R[8], 1, 1e-15);
  const double none[3] = {0, 0, 0};
  perp_rotation_quaternion(none, 1, Q);
  EXPECT_TRUE(std::isnan(Q[1]));
}

TEST(Rotation, MovingTurnsAboutTheAxisOfTheBody) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 100; trial++) {
    const vec q = tools::random_bodies(random, 1), d = tools::random_vector(random, 6, 4);
    vec out(7, 999);
    perp_body_move(q.data(), d.data(), out.data());
    const vec exact = tools::moved(q, d, 1);
    for (std::size_t i = 0; i < 7; i++) EXPECT_NEAR(out[i], exact[i], 1e-14);
    vec same = q;
    perp_body_move(same.data(), d.data(), same.data());
    EXPECT_EQ(same, out) << "in place";
  }
}

TEST(Rotation, MovingByTinyAndByNoAngle) {
  const vec q = {1, 2, 3, 1, 0, 0, 0};
  for (double a : {0.0, 1e-200, 1e-120, 1e-20, 1e-8}) {
    const vec d = {0, 0, 0, a, -a, 2 * a};
    vec out(7, 999);
    perp_body_move(q.data(), d.data(), out.data());
    EXPECT_NEAR(out[3], 1, 2e-16);
    EXPECT_NEAR(out[4], a / 2, 1e-15 * a);
    EXPECT_NEAR(out[6], a, 1e-15 * a);
  }
}

TEST(Rotation, NotFiniteIncrementsStayVisible) {
  const vec q = {1, 2, 3, 1, 0, 0, 0}, d = {0, 0, 0, kInf, 0, 0};
  vec out(7, 999);
  perp_body_move(q.data(), d.data(), out.data());
  EXPECT_TRUE(std::isnan(out[3]));
}

TEST(Body, TorqueFreeSpinHasTheTorqueOfEuler) {
  const perp_body body = tilted_body();
  std::mt19937 random(3);
  const vec q = tools::random_bodies(random, 1), v = tools::random_vector(random, 6, 5);
  const answer a = at(body, q, v);
  vec3 spin = {0, 0, 0};
  for (std::size_t i = 0; i < 3; i++)
    for (std::size_t j = 0; j < 3; j++) spin[i] += body.inertia[i + 3 * j] * v[3 + j];
  const vec3 gyro = tools::cross(tools::v3(&v[3]), spin);
  for (std::size_t i = 0; i < 3; i++) EXPECT_NEAR(a.f[3 + i], -static_cast<double>(gyro[i]), 1e-13);
  EXPECT_EQ(a.f[2], body.f[2]);
}

TEST(Body, DerivativesAreThoseOfTheForce) {
  std::mt19937 random(4);
  perp_body body = tilted_body();
  expect_derivatives(body, random, 1e-8);
  body.force = wild;
  body.torque = wild;
  expect_derivatives(body, random, 1e-5);
  body.torque_frame = PERP_FRAME_FIXED;
  expect_derivatives(body, random, 1e-5);
}

// A torque of the fixed frame, linear, with its derivatives.
std::int32_t spring_torque(double, const double *q, const double *v, double *out, void *) {
  for (int i = 0; i < 3; i++) out[i] = -2 * q[i] + 3 * v[i] - v[3 + i] + 5;
  return 0;
}
std::int32_t spring_jacobian(double, const double *, const double *, double *by_d, double *by_v,
                             void *) {
  for (int i = 0; i < 3; i++) {
    by_d[i + 3 * i] = -2;
    by_v[i + 3 * i] = 3;
    by_v[i + 3 * (3 + i)] = -1;
  }
  return 0;
}

TEST(Body, DerivativesOfTheCallerAreUsed) {
  std::mt19937 random(5);
  perp_body body = tilted_body();
  for (std::int32_t frame : {PERP_FRAME_BODY, PERP_FRAME_FIXED}) {
    body.force = body.torque = spring_torque;
    body.force_jacobian = body.torque_jacobian = spring_jacobian;
    body.torque_frame = frame;
    expect_derivatives(body, random, 1e-7);
  }
}

// Two inputs of feedback, with their derivatives by increments; z holds a gain.
std::int32_t feedback(double t, const double *q, const double *v, const double *z, double *u,
                      void *) {
  u[0] = z[0] * q[0] - v[3] + t;
  u[1] = 2 * v[1];
  return 0;
}
std::int32_t feedback_by_d(double, const double *, const double *, const double *z, double *out,
                           void *) {
  out[0] = z[0];
  return 0;
}
std::int32_t feedback_by_v(double, const double *, const double *, const double *, double *out,
                           void *) {
  out[0 + 2 * 3] = -1;
  out[1 + 2 * 1] = 2;
  return 0;
}
// B: the first input pulls along an axis of the body, the second turns by what the place says.
std::int32_t thruster(double, const double *q, const double *v, const double *, double *B, void *) {
  EXPECT_EQ(v, nullptr);
  double R[9];
  perp_rotation_matrix(&q[3], R);
  for (int i = 0; i < 3; i++) B[i] = R[6 + i];
  B[6 + 3] = q[1], B[6 + 4] = q[2] * q[2], B[6 + 5] = 1;
  return 0;
}
const double kGain[1] = {-1.5};
const double kEffect[12] = {1, 0, 0, 0, 0.5, 0, 0, -1, 0, 0, 0, 2};

perp_body steered_body() {
  perp_body body = tilted_body();
  body.control.n_u = 2;
  body.control.T = kEffect;
  body.control.u = feedback;
  body.z = kGain;
  body.n_z = 1;
  return body;
}

TEST(Body, ControlIsAForceInTheFixedFrameAndATorqueInThatOfTheBody) {
  std::mt19937 random(6);
  perp_body body = steered_body(), plain = tilted_body();
  for (int trial = 0; trial < 5; trial++) {
    const vec q = tools::random_bodies(random, 1), v = tools::random_vector(random, 6, 3);
    const double u[2] = {-1.5 * q[0] - v[3] + 0.3, 2 * v[1]};
    const answer with = at(body, q, v), without = at(plain, q, v);
    for (std::size_t i = 0; i < 6; i++)
      EXPECT_NEAR(with.f[i] - without.f[i], kEffect[i] * u[0] + kEffect[6 + i] * u[1], 1e-13);
  }
}

TEST(Body, DerivativesOfControlAreByTheIncrement) {
  std::mt19937 random(7);
  perp_body body = steered_body();
  expect_derivatives(body, random, 1e-6);
  body.control.u_dq = feedback_by_d;
  body.control.u_dv = feedback_by_v;
  expect_derivatives(body, random, 1e-8);
  body.control.T = nullptr;
  body.control.effect = thruster;
  expect_derivatives(body, random, 1e-5);
  body.control.u_dq = body.control.u_dv = nullptr;
  body.force = body.torque = wild;
  expect_derivatives(body, random, 1e-5);
}

TEST(Body, DerivativesOfControlFarFromTheOriginAreAsGood) {
  perp_body body = steered_body();
  const vec q = {1e7, -2e7, 3, 1, 0, 0, 0}, v(6, 0.0);
  const answer a = at(body, q, v);
  EXPECT_NEAR(a.df_dq[0], kEffect[0] * kGain[0], 1e-6);
  EXPECT_NEAR(a.df_dq[4], kEffect[4] * kGain[0], 1e-6);
}

TEST(Body, ExplicitGyroscopicTorqueHasNoJacobianAndNoneHasNoTorque) {
  perp_body body = tilted_body();
  const vec q = {0, 0, 0, 1, 0, 0, 0}, v = {0, 0, 0, 1, 2, 3};
  const answer implicit = at(body, q, v);
  body.gyroscopic = PERP_GYROSCOPIC_EXPLICIT;
  const answer lagged = at(body, q, v);
  body.gyroscopic = PERP_GYROSCOPIC_NONE;
  const answer none = at(body, q, v);
  EXPECT_EQ(implicit.f, lagged.f);
  EXPECT_EQ(lagged.df_dv, vec(36, 0.0));
  EXPECT_NE(implicit.df_dv, lagged.df_dv);
  EXPECT_EQ(none.f, (vec{0, 0, body.f[2], 0, 0, 0}));
}

TEST(Body, MassAndEnergyAreThoseOfTheDescription) {
  const perp_body body = tilted_body();
  const perp_system *s = &body.system;
  const vec q = {1, 2, 3, 1, 0, 0, 0}, v = {1, 2, 3, 4, 5, 6};
  vec M(36, 0);
  ASSERT_EQ(s->ops->mass(s, 0, q.data(), M.data(), nullptr), 0);
  const vec p = tools::times(M, v);
  double twice = 0, kinetic = 999, potential = 999;
  for (std::size_t i = 0; i < 6; i++) twice += p[i] * v[i];
  s->ops->energy(s, 0, q.data(), v.data(), &kinetic, &potential, nullptr);
  EXPECT_NEAR(kinetic, twice / 2, 1e-13);
  EXPECT_NEAR(potential, 9.81 * 2.5 * 3, 1e-12);
  EXPECT_EQ(p[0], 2.5);
  EXPECT_NEAR(p[3], 0.3 * 4 + 0.05 * 5 - 0.02 * 6, 1e-14);
}

std::int32_t retry(double, const double *, const double *, double *, void *) { return 3; }
std::int32_t give_up(double, const double *, const double *, double *, void *) { return -2; }
std::int32_t jacobian_gives_up(double, const double *, const double *, double *, double *, void *) {
  return -5;
}

TEST(Body, AnswersOfCallbacksAreHandedOn) {
  perp_body body = tilted_body();
  const vec q = {0, 0, 0, 1, 0, 0, 0}, v(6, 1.0);
  body.force = retry;
  EXPECT_EQ(at(body, q, v).force, 3);
  EXPECT_EQ(at(body, q, v).jacobians, 3);
  body.force = nullptr;
  body.torque = give_up;
  EXPECT_EQ(at(body, q, v).force, -2);
  EXPECT_EQ(at(body, q, v).jacobians, -2);
  body.torque = wild;
  body.torque_jacobian = jacobian_gives_up;
  EXPECT_EQ(at(body, q, v).force, 0);
  EXPECT_EQ(at(body, q, v).jacobians, -5);
}

class BodyCheck : public testing::Test {
 protected:
  perp_status check() {
    const perp_system *system = &body_.system;
    const perp_system *const systems[1] = {system};
    perp_model model = PERP_MODEL_INIT;
    model.n_systems = 1;
    model.systems = systems;
    model.q0 = q0_.empty() ? nullptr : q0_.data();
    return perp_model_check(&model, &info_);
  }
  void expect(perp_status status, const char *field) {
    EXPECT_EQ(check(), status);
    ASSERT_NE(info_.field, nullptr);
    EXPECT_STREQ(info_.field, field);
    body_ = tilted_body();
    q0_ = {0, 0, 0, 1, 0, 0, 0};
  }
  perp_body body_ = tilted_body();
  vec q0_ = {0, 0, 0, 1, 0, 0, 0};
  perp_info info_ = PERP_INFO_INIT;
};

TEST_F(BodyCheck, AGoodBodyPasses) { EXPECT_EQ(check(), PERP_OK); }

TEST_F(BodyCheck, QuaternionsHaveLengthOne) {
  q0_[3] = 1 + 1e-8;
  expect(PERP_EINVAL, "q0");
  q0_[3] = 1 + 1e-10;
  EXPECT_EQ(check(), PERP_OK);
  q0_[3] = 0;
  expect(PERP_EINVAL, "q0");
  q0_.clear();
  expect(PERP_EINVAL, "q0");
  q0_[4] = kNaN;
  expect(PERP_ENOTFINITE, "q0");
}

TEST_F(BodyCheck, MassIsPositive) {
  body_.mass = 0;
  expect(PERP_EINVAL, "mass");
  body_.mass = -1;
  expect(PERP_EINVAL, "mass");
  body_.mass = kNaN;
  expect(PERP_ENOTFINITE, "mass");
  body_.mass = kInf;
  expect(PERP_ENOTFINITE, "mass");
}

TEST_F(BodyCheck, InertiaIsSymmetricAndPositiveDefinite) {
  body_.inertia[1] = 0.06;
  expect(PERP_EINVAL, "inertia");
  body_.inertia[8] = -0.2;
  expect(PERP_EINVAL, "inertia");
  body_.inertia[4] = 0;
  expect(PERP_EINVAL, "inertia");
  for (double &entry : body_.inertia) entry = 0;
  expect(PERP_EINVAL, "inertia");
  body_.inertia[1] = body_.inertia[3] = 0.4;
  expect(PERP_EINVAL, "inertia");
  body_.inertia[0] = kNaN;
  expect(PERP_ENOTFINITE, "inertia");
  for (double &entry : body_.inertia) entry *= 1e-120;
  EXPECT_EQ(check(), PERP_OK) << "in any units";
}

TEST_F(BodyCheck, OptionsAreKnown) {
  body_.gyroscopic = 3;
  expect(PERP_EINVAL, "gyroscopic");
  body_.torque_frame = -1;
  expect(PERP_EINVAL, "torque_frame");
  body_.f[1] = kInf;
  expect(PERP_ENOTFINITE, "f");
  body_.system.n = 7;
  expect(PERP_EINVAL, "systems.n");
}

TEST_F(BodyCheck, ControlIsComplete) {
  body_ = steered_body();
  EXPECT_EQ(check(), PERP_OK);
  body_.control.u = nullptr;
  expect(PERP_EINVAL, "control.u");
  body_ = steered_body();
  body_.control.T = nullptr;
  expect(PERP_EINVAL, "control.T");
  body_ = steered_body();
  body_.control.effect = thruster;
  expect(PERP_EINVAL, "control.effect");
  body_ = steered_body();
  body_.control.n_u = 0;
  expect(PERP_EINVAL, "control.n_u");
  body_ = steered_body();
  body_.z = nullptr;
  expect(PERP_EINVAL, "z");
}

TEST(BodyInit, RefusesWhatItDoesNotKnow) {
  perp_body body;
  EXPECT_EQ(perp_body_init(nullptr, sizeof body), PERP_EINVAL);
  EXPECT_EQ(perp_body_init(&body, sizeof body - 8), PERP_EINVAL);
  ASSERT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
  EXPECT_EQ(body.system.n, 6);
  EXPECT_EQ(body.mass, 1);
  EXPECT_EQ(body.inertia[4], 1);
  EXPECT_EQ(body.inertia[5], 0);
}

}  // namespace
