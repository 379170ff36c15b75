// SPDX-License-Identifier: MIT
// Lagrangian systems, nonlinear and with control: values, derivatives, energies.
#include <perp/lagrangian.h>

#include "system_tools.hpp"

using tools::check;
using tools::evaluated;
using tools::expect_near;
using tools::expect_refused;
using tools::vec;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Double pendulum of unit lengths, angles from the downward vertical, masses z0 and z1, g = 10:
//   M = [z0 + z1, z1 c; z1 c, z1], N = (z1 s v1², −z1 s v0²), c, s of q0 − q1,
//   F_int = (10 (z0 + z1) sin q0 + d v0, 10 z1 sin q1 + t), V = −10((z0 + z1) cos q0 + z1 cos q1).
std::int32_t mass(double t, const double *q, const double *v, const double *z, double *M, void *) {
  EXPECT_EQ(t, 0);
  EXPECT_EQ(v, nullptr);
  M[0] = z[0] + z[1];
  M[1] = M[2] = z[1] * std::cos(q[0] - q[1]);
  M[3] = z[1];
  return 0;
}
std::int32_t gyroscopic(double t, const double *q, const double *v, const double *z, double *N,
                        void *) {
  EXPECT_EQ(t, 0);
  const double s = std::sin(q[0] - q[1]);
  N[0] = z[1] * s * v[1] * v[1];
  N[1] = -z[1] * s * v[0] * v[0];
  return 0;
}
std::int32_t gyroscopic_dq(double, const double *q, const double *v, const double *z, double *J,
                           void *) {
  const double c = std::cos(q[0] - q[1]);
  J[0] = z[1] * c * v[1] * v[1];
  J[1] = -z[1] * c * v[0] * v[0];
  J[2] = -J[0];
  J[3] = -J[1];
  return 0;
}
std::int32_t gyroscopic_dv(double, const double *q, const double *v, const double *z, double *J,
                           void *) {
  const double s = std::sin(q[0] - q[1]);
  J[1] = -2 * z[1] * s * v[0];
  J[2] = 2 * z[1] * s * v[1];
  return 0;
}
constexpr double d = 0.5;
std::int32_t internal(double t, const double *q, const double *v, const double *z, double *F,
                      void *) {
  F[0] = 10 * (z[0] + z[1]) * std::sin(q[0]) + d * v[0];
  F[1] = 10 * z[1] * std::sin(q[1]) + t;
  return 0;
}
std::int32_t internal_dq(double, const double *q, const double *, const double *z, double *J,
                         void *) {
  J[0] = 10 * (z[0] + z[1]) * std::cos(q[0]);
  J[3] = 10 * z[1] * std::cos(q[1]);
  return 0;
}
std::int32_t internal_dv(double, const double *, const double *, const double *, double *J,
                         void *) {
  J[0] = d;
  return 0;
}
std::int32_t potential(double, const double *q, const double *v, const double *z, double *V,
                       void *) {
  EXPECT_EQ(v, nullptr);
  *V = -10 * ((z[0] + z[1]) * std::cos(q[0]) + z[1] * std::cos(q[1]));
  return 0;
}
std::int32_t external(double t, const double *q, const double *v, const double *z, double *F,
                      void *) {
  EXPECT_EQ(q, nullptr);
  EXPECT_EQ(v, nullptr);
  F[1] = z[0] * t;
  return 0;
}

struct pendulum {
  perp_lagrangian s;
  double z[2] = {2, 3}, f[2] = {0.25, -1};
  pendulum() {
    EXPECT_EQ(perp_lagrangian_init(&s, sizeof s, 2), PERP_OK);
    s.mass = mass;
    s.gyroscopic = gyroscopic;
    s.gyroscopic_dq = gyroscopic_dq;
    s.gyroscopic_dv = gyroscopic_dv;
    s.internal = internal;
    s.internal_dq = internal_dq;
    s.internal_dv = internal_dv;
    s.external = external;
    s.potential = potential;
    s.f = f;
    s.z = z;
    s.n_z = 2;
  }
};

const vec q = {0.3, -1.1}, v = {2, -0.7};
constexpr double t = 0.75;

TEST(Lagrangian, MassIsOfTheCallbackOrConstant) {
  pendulum p;
  evaluated e(p.s.system);
  expect_near(e.mass(t, q), {5, 3 * std::cos(1.4), 3 * std::cos(1.4), 3}, 1e-15);
  p.z[1] = 7;  // parameters are read as they are
  EXPECT_EQ(e.mass(t, q)[3], 7);
  const double M[] = {4, 5};
  p.s.mass = nullptr;
  p.s.M = perp_diagonal(2, M);
  EXPECT_EQ(e.mass(t, q), (vec{4, 0, 0, 5}));
}

TEST(Lagrangian, ForceIsTheRightHandSide) {
  pendulum p;
  evaluated e(p.s.system);
  const double s = std::sin(1.4);
  expect_near(e.force(t, q, v),
              {0.25 - 3 * s * 0.49 - 50 * std::sin(0.3) - d * 2,
               -1 + 2 * t + 3 * s * 4 - 30 * std::sin(-1.1) - t},
              1e-13);
  EXPECT_EQ(e.code, 0);
}

TEST(Lagrangian, EveryTermMayBeAbsent) {
  perp_lagrangian s;
  perp_lagrangian_init(&s, sizeof s, 2);
  const double M[] = {4, 5};
  s.M = perp_diagonal(2, M);
  evaluated e(s.system);
  EXPECT_EQ(check(s.system).status, PERP_OK);
  EXPECT_EQ(e.force(t, q, v), (vec{0, 0}));
  const auto J = e.jacobians(t, q, v);
  EXPECT_EQ(J.code, 0);
  EXPECT_EQ(J.dq, vec(4, 0.0));
  EXPECT_EQ(J.dv, vec(4, 0.0));
  e.energy(t, q, v);
  EXPECT_EQ(e.kinetic, 0.5 * (4 * 4 + 5 * 0.7 * 0.7));
  EXPECT_EQ(e.potential, 0);
}

TEST(Lagrangian, JacobiansAreThoseOfForceWhicheverAreGiven) {
  const pendulum full;
  pendulum p;
  evaluated e(p.s.system);
  const vec dq = e.reference(t, q, v, true), dv = e.reference(t, q, v, false);
  for (unsigned given = 0; given < 16; given++) {
    p.s.gyroscopic_dq = given & 1 ? full.s.gyroscopic_dq : nullptr;
    p.s.gyroscopic_dv = given & 2 ? full.s.gyroscopic_dv : nullptr;
    p.s.internal_dq = given & 4 ? full.s.internal_dq : nullptr;
    p.s.internal_dv = given & 8 ? full.s.internal_dv : nullptr;
    const auto J = e.jacobians(t, q, v);
    EXPECT_EQ(J.code, 0);
    expect_near(J.dq, dq, given == 15 ? 1e-8 : 3e-6);
    expect_near(J.dv, dv, given == 15 ? 1e-8 : 3e-6);
  }
}

TEST(Lagrangian, EnergyIsKineticAndThatOfPotentialAndConstantForce) {
  pendulum p;
  evaluated e(p.s.system);
  e.energy(t, q, v);
  EXPECT_NEAR(e.kinetic, 0.5 * (5 * 4 + 2 * 3 * std::cos(1.4) * 2 * -0.7 + 3 * 0.49), 1e-13);
  EXPECT_NEAR(e.potential, -10 * (5 * std::cos(0.3) + 3 * std::cos(1.1)) - (0.25 * 0.3 + 1.1),
              1e-13);
  p.s.potential = [](double, const double *, const double *, const double *, double *,
                     void *) -> std::int32_t { return -1; };
  e.energy(t, q, v);
  EXPECT_TRUE(std::isnan(e.potential));
  EXPECT_FALSE(std::isnan(e.kinetic));
  p.s.mass = p.s.potential;
  e.energy(t, q, v);
  EXPECT_TRUE(std::isnan(e.kinetic));
}

TEST(Lagrangian, AnswersOfEveryCallbackAreHandedOn) {
  const auto bad = [](double, const double *, const double *, const double *, double *,
                      void *user) -> std::int32_t { return *static_cast<std::int32_t *>(user); };
  std::int32_t answer;
  for (const std::int32_t code : {-4, 2}) {
    answer = code;
    for (perp_state_fn perp_lagrangian::*force :
         {&perp_lagrangian::gyroscopic, &perp_lagrangian::internal, &perp_lagrangian::external}) {
      pendulum p;
      p.s.user = &answer;
      p.s.*force = bad;
      evaluated e(p.s.system);
      e.force(t, q, v);
      EXPECT_EQ(e.code, code);
    }
    for (perp_state_fn perp_lagrangian::*derivative :
         {&perp_lagrangian::gyroscopic_dq, &perp_lagrangian::gyroscopic_dv,
          &perp_lagrangian::internal_dq, &perp_lagrangian::internal_dv}) {
      pendulum p;
      p.s.user = &answer;
      p.s.*derivative = bad;
      EXPECT_EQ(evaluated(p.s.system).jacobians(t, q, v).code, code);
    }
    pendulum p;
    p.s.user = &answer;
    p.s.mass = bad;
    evaluated e(p.s.system);
    e.mass(t, q);
    EXPECT_EQ(e.code, code);
  }
}

// A motor between the links: T = (1, −1) or (cos q0, −q1), u = −z0 (q0 − q1) − v0 v1 + t.
std::int32_t motor(double time, const double *p, const double *w, const double *z, double *u,
                   void *) {
  u[0] = -z[0] * (p[0] - p[1]) - w[0] * w[1] + time;
  return 0;
}
std::int32_t motor_dq(double, const double *, const double *, const double *z, double *u, void *) {
  u[0] = -z[0];
  u[1] = z[0];
  return 0;
}
std::int32_t motor_dv(double, const double *, const double *w, const double *, double *u, void *) {
  u[0] = -w[1];
  u[1] = -w[0];
  return 0;
}
std::int32_t lever(double, const double *p, const double *w, const double *, double *T, void *) {
  EXPECT_EQ(w, nullptr);
  T[0] = std::cos(p[0]);
  T[1] = -p[1];
  return 0;
}

template <class System>
void expect_control(System &s, evaluated &e) {
  const double T[] = {1, -1};
  const vec alone = e.force(t, q, v);
  const double u = -2 * 1.4 + 1.4 + t;
  s.control.n_u = 1;
  s.control.u = motor;
  for (unsigned given = 0; given < 8; given++) {
    s.control.u_dq = given & 1 ? motor_dq : nullptr;
    s.control.u_dv = given & 2 ? motor_dv : nullptr;
    s.control.T = given & 4 ? T : nullptr;
    s.control.effect = given & 4 ? nullptr : lever;
    EXPECT_EQ(check(s.system).status, PERP_OK);
    const vec f = e.force(t, q, v);
    EXPECT_EQ(e.code, 0);
    expect_near(f,
                given & 4 ? vec{alone[0] + u, alone[1] - u}
                          : vec{alone[0] + std::cos(0.3) * u, alone[1] + 1.1 * u},
                1e-13);
    const auto J = e.jacobians(t, q, v);
    EXPECT_EQ(J.code, 0);
    expect_near(J.dq, e.reference(t, q, v, true), 1e-6);
    expect_near(J.dv, e.reference(t, q, v, false), 1e-6);
  }
}

TEST(Lagrangian, ControlIsAddedWithItsDerivatives) {
  pendulum p;
  evaluated e(p.s.system);
  expect_control(p.s, e);
}

TEST(LagrangianLinear, ControlMakesItVaryingAndIsAdded) {
  perp_lagrangian_linear s;
  perp_lagrangian_linear_init(&s, sizeof s, 2);
  const double M[] = {4, 5}, C[] = {1, 2, 3, 4}, K[] = {7, 8, 9, 10}, f[] = {1, -1}, z[] = {2};
  s.M = perp_diagonal(2, M);
  s.C = perp_dense(2, 2, C);
  s.K = perp_dense(2, 2, K);
  s.f = f;
  s.z = z;
  s.n_z = 1;
  s.force = [](double time, double *F, void *) -> std::int32_t {
    F[0] = time;
    F[1] = 0;
    return 0;
  };
  EXPECT_EQ(s.system.ops->varying(&s.system), 0);
  evaluated e(s.system);
  EXPECT_EQ(e.mass(t, q), (vec{4, 0, 0, 5}));
  expect_near(
      e.force(t, q, v),
      {1 + t - (2 - 3 * 0.7) - (7 * 0.3 - 9 * 1.1), -1 - (4 - 4 * 0.7) - (8 * 0.3 - 10 * 1.1)},
      1e-13);
  EXPECT_EQ(e.jacobians(t, q, v).dq, (vec{-7, -8, -9, -10}));
  EXPECT_EQ(e.jacobians(t, q, v).dv, (vec{-1, -2, -3, -4}));
  expect_control(s, e);
  EXPECT_NE(s.system.ops->varying(&s.system), 0);
  e.energy(t, q, v);
  EXPECT_NEAR(e.kinetic, 0.5 * (16 + 5 * 0.49), 1e-13);
  EXPECT_NEAR(e.potential, 0.5 * (7 * 0.09 - 17 * 0.33 + 10 * 1.21) - (0.3 + 1.1), 1e-13);
  s.force = [](double, double *, void *) -> std::int32_t { return 6; };
  e.force(t, q, v);
  EXPECT_EQ(e.code, 6);
}

TEST(LagrangianLinear, FieldsOfControlAreChecked) {
  perp_lagrangian_linear s;
  perp_lagrangian_linear_init(&s, sizeof s, 2);
  double M[] = {4, 5};
  s.M = perp_diagonal(2, M);
  EXPECT_EQ(check(s.system).status, PERP_OK);
  s.n_z = 1;
  expect_refused(s.system, "z");
  s.n_z = 0;
  const double typical[] = {1, -1};
  s.typical_q = typical;
  expect_refused(s.system, "typical_q");
  s.typical_q = nullptr;
  s.typical_v = typical;
  expect_refused(s.system, "typical_v");
  s.typical_v = nullptr;
  s.control.n_u = 1;
  s.control.u = motor;
  expect_refused(s.system, "control.T");
  s.control.effect = lever;
  EXPECT_EQ(check(s.system).status, PERP_OK);
  M[1] = NAN;
  expect_refused(s.system, "M", PERP_ENOTFINITE);
}

TEST(Lagrangian, WhatIsMissingOrWrongIsNamed) {
  pendulum p;
  EXPECT_EQ(check(p.s.system).status, PERP_OK);
  p.s.mass = nullptr;
  expect_refused(p.s.system, "M");
  p.s.mass = mass;
  double M[] = {1, inf};
  p.s.M = perp_diagonal(2, M);
  expect_refused(p.s.system, "mass");
  p.s.mass = nullptr;
  expect_refused(p.s.system, "M", PERP_ENOTFINITE);
  M[1] = 1;
  p.s.gyroscopic = nullptr;
  expect_refused(p.s.system, "gyroscopic");
  p.s.gyroscopic = gyroscopic;
  p.s.internal = nullptr;
  expect_refused(p.s.system, "internal");
  p.s.internal = internal;
  p.f[0] = NAN;
  expect_refused(p.s.system, "f", PERP_ENOTFINITE);
  p.f[0] = 0;
  p.z[1] = NAN;
  expect_refused(p.s.system, "z", PERP_ENOTFINITE);
  p.z[1] = 1;
  const double typical[] = {0, 1};
  p.s.typical_v = typical;
  expect_refused(p.s.system, "typical_v");
  p.s.typical_v = nullptr;
  p.s.typical_q = typical;
  expect_refused(p.s.system, "typical_q");
  p.s.typical_q = nullptr;
  p.s.control.n_u = 1;
  expect_refused(p.s.system, "control.u");
  perp_lagrangian x;
  EXPECT_EQ(perp_lagrangian_init(nullptr, sizeof x, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_init(&x, sizeof x, 0), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_init(&x, sizeof x + 8, 1), PERP_EINVAL);
}

}  // namespace
