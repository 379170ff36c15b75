// SPDX-License-Identifier: MIT
// First-order systems, nonlinear and with coefficients that depend on time: values and derivatives.
#include <perp/first_order.h>

#include "system_tools.hpp"

using tools::check;
using tools::evaluated;
using tools::expect_near;
using tools::expect_refused;
using tools::vec;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

// Van der Pol with parameter z: x0' = x1, x1' = z (1 − x0²) x1 − x0 + t.
std::int32_t van_der_pol(double t, const double *x, const double *z, double *f, void *user) {
  if (user != nullptr) ++*static_cast<int *>(user);
  f[0] = x[1];
  f[1] = z[0] * (1 - x[0] * x[0]) * x[1] - x[0] + t;
  return 0;
}
std::int32_t van_der_pol_dx(double, const double *x, const double *z, double *J, void *) {
  J[1] = -2 * z[0] * x[0] * x[1] - 1;
  J[2] = 1;
  J[3] = z[0] * (1 - x[0] * x[0]);
  return 0;
}

struct oscillator {
  perp_first_order s;
  double z = 3;
  oscillator() {
    EXPECT_EQ(perp_first_order_init(&s, sizeof s, 2), PERP_OK);
    s.f = van_der_pol;
    s.f_dx = van_der_pol_dx;
    s.z = &z;
    s.n_z = 1;
  }
};

TEST(FirstOrder, ForceIsFOfTheStateAndOfParametersAsTheyAre) {
  oscillator o;
  evaluated e(o.s.system);
  EXPECT_EQ(e.force(0.5, {}, {2, 7}), (vec{7, 3 * -3 * 7 - 2 + 0.5}));
  EXPECT_EQ(e.code, 0);
  o.z = -1;
  EXPECT_EQ(e.force(0.5, {}, {2, 7}), (vec{7, 21 - 2 + 0.5}));
  EXPECT_EQ(o.s.system.ops->order, 1);
}

TEST(FirstOrder, MassIsTheIdentityUnlessGiven) {
  oscillator o;
  evaluated e(o.s.system);
  EXPECT_EQ(e.mass(0, {}), (vec{1, 0, 0, 1}));
  const double d[] = {2, 3}, full[] = {1, 2, 3, 4};
  o.s.M = perp_diagonal(2, d);
  EXPECT_EQ(e.mass(0, {}), (vec{2, 0, 0, 3}));
  o.s.M = perp_dense(2, 2, full);
  EXPECT_EQ(e.mass(0, {}), (vec{1, 2, 3, 4}));
  EXPECT_EQ(e.code, 0);
}

TEST(FirstOrder, DerivativeByDifferencesIsTheGivenOne) {
  oscillator o;
  evaluated e(o.s.system);
  const vec x = {0.4, -1.3};
  const auto given = e.jacobians(2, {}, x);
  o.s.f_dx = nullptr;
  const auto taken = e.jacobians(2, {}, x);
  EXPECT_EQ(given.code, 0);
  EXPECT_EQ(taken.code, 0);
  EXPECT_EQ(given.dv, (vec{0, -2 * 3 * 0.4 * -1.3 - 1, 1, 3 * (1 - 0.16)}));
  expect_near(taken.dv, given.dv, 1e-6);
}

TEST(FirstOrder, TypicalSizesScaleTheDifferences) {
  perp_first_order s;
  perp_first_order_init(&s, sizeof s, 1);
  s.f = [](double, const double *x, const double *, double *f, void *) -> std::int32_t {
    f[0] = x[0] * x[0] * 1e9;  // of a state of some 1e-9
    return 0;
  };
  const double typical = 1e-9;
  s.typical = &typical;
  evaluated e(s.system);
  EXPECT_NEAR(e.jacobians(0, {}, {2e-9}).dv[0], 4, 1e-6);
  s.typical = nullptr;
  EXPECT_GT(std::fabs(e.jacobians(0, {}, {2e-9}).dv[0] - 4), 1e-2);
}

// u = (x0 x1, t), T(x) = [1 x0; x1 0].
std::int32_t feedback(double t, const double *q, const double *x, const double *z, double *u,
                      void *) {
  EXPECT_EQ(q, nullptr);
  u[0] = (z == nullptr ? 1 : z[0]) * x[0] * x[1];
  u[1] = t;
  return 0;
}
std::int32_t feedback_dv(double, const double *, const double *x, const double *z, double *du,
                         void *) {
  const double w = z == nullptr ? 1 : z[0];
  du[0] = w * x[1];
  du[2] = w * x[0];
  return 0;
}
std::int32_t effect(double, const double *q, const double *x, const double *, double *T, void *) {
  EXPECT_EQ(q, nullptr);
  T[0] = 1;
  T[1] = x[1];
  T[2] = x[0];
  return 0;
}

TEST(FirstOrder, ControlIsAddedWithItsDerivatives) {
  oscillator o;
  evaluated e(o.s.system);
  const vec x = {0.4, -1.3};
  const vec alone = e.force(2, {}, x);
  o.s.control.n_u = 2;
  o.s.control.u = feedback;
  o.s.control.effect = effect;
  const double w = 3 * 0.4 * -1.3;  // u0
  const vec with = e.force(2, {}, x);
  EXPECT_EQ(e.code, 0);
  expect_near(with, {alone[0] + w + 0.4 * 2, alone[1] - 1.3 * w}, 1e-14);
  const vec reference = e.reference(2, {0, 0}, x, false);
  expect_near(e.jacobians(2, {}, x).dv, reference, 1e-6);
  o.s.control.u_dv = feedback_dv;
  expect_near(e.jacobians(2, {}, x).dv, reference, 1e-6);
  const double T[] = {1, 2, 3, 4};
  o.s.control.effect = nullptr;
  o.s.control.T = T;
  expect_near(e.force(2, {}, x), {alone[0] + w + 6, alone[1] + 2 * w + 8}, 1e-14);
  expect_near(e.jacobians(2, {}, x).dv, e.reference(2, {0, 0}, x, false), 1e-8);
}

TEST(FirstOrder, ControlMayBeSampled) {
  oscillator o;
  evaluated e(o.s.system);
  const vec x = {0.4, -1.3};
  const vec alone = e.force(2, {}, x), slope = e.jacobians(2, {}, x).dv;
  const double T[] = {1, 2};
  std::int32_t n_u = 1;
  o.s.control.n_u = n_u;
  o.s.control.T = T;
  o.s.control.u = perp_control_sampled;
  e.force(2, {}, x);
  EXPECT_EQ(e.code, -1);  // how many is not told
  o.s.control.user = &n_u;
  expect_near(e.force(2, {}, x), {alone[0] + 3, alone[1] + 6}, 1e-14);
  EXPECT_EQ(e.jacobians(2, {}, x).dv, slope);  // that of f; it is not tried
  EXPECT_EQ(e.jacobians(2, {}, x).code, 0);
  o.s.control.T = nullptr;
  o.s.control.effect = [](double, const double *, const double *y, const double *, double *out,
                          void *) -> std::int32_t {
    out[0] = y[1];
    return 0;
  };
  expect_near(e.jacobians(2, {}, x).dv, {slope[0], slope[1], slope[2] + 3, slope[3]}, 1e-7);
  o.s.z = nullptr;
  double u = 7;
  EXPECT_EQ(perp_control_sampled(0, nullptr, nullptr, nullptr, &u, &n_u), -1);
  EXPECT_EQ(u, 7);
}

TEST(FirstOrder, AnswersOfCallbacksAreHandedOn) {
  oscillator o;
  evaluated e(o.s.system);
  o.s.f_dx = nullptr;
  for (const std::int32_t code : {-3, 5}) {
    int answer = code;
    o.s.user = &answer;
    o.s.f = [](double, const double *, const double *, double *f, void *user) -> std::int32_t {
      f[0] = f[1] = 0;
      return *static_cast<int *>(user);
    };
    e.force(0, {}, {0, 0});
    EXPECT_EQ(e.code, code);
    EXPECT_EQ(e.jacobians(0, {}, {0, 0}).code, code);
  }
  o.s.user = nullptr;
  o.s.f = van_der_pol;
  o.s.control.n_u = 1;
  o.s.control.u = [](double, const double *, const double *, const double *, double *,
                     void *) -> std::int32_t { return -9; };
  const double T[] = {1, 1};
  o.s.control.T = T;
  e.force(0, {}, {0, 0});
  EXPECT_EQ(e.code, -9);
  EXPECT_EQ(e.jacobians(0, {}, {0, 0}).code, -9);
}

TEST(FirstOrder, WhatIsMissingOrWrongIsNamed) {
  oscillator o;
  EXPECT_EQ(check(o.s.system).status, PERP_OK);
  o.s.f = nullptr;
  expect_refused(o.s.system, "f");
  o.s.f = van_der_pol;
  o.s.n_z = -1;
  expect_refused(o.s.system, "n_z");
  o.s.n_z = 1;
  o.s.z = nullptr;
  expect_refused(o.s.system, "z");
  o.s.z = &o.z;
  o.z = inf;
  expect_refused(o.s.system, "z", PERP_ENOTFINITE);
  o.z = 1;
  double typical[] = {1, 0};
  o.s.typical = typical;
  expect_refused(o.s.system, "typical");
  typical[1] = NAN;
  expect_refused(o.s.system, "typical", PERP_ENOTFINITE);
  o.s.typical = nullptr;
  double M[] = {1, NAN};
  o.s.M = perp_diagonal(2, M);
  expect_refused(o.s.system, "M", PERP_ENOTFINITE);
  o.s.M = perp_diagonal(1, M);
  expect_refused(o.s.system, "M");
  o.s.M = perp_matrix{};
  perp_first_order x;
  EXPECT_EQ(perp_first_order_init(nullptr, sizeof x, 1), PERP_EINVAL);
  EXPECT_EQ(perp_first_order_init(&x, sizeof x, 0), PERP_EINVAL);
  EXPECT_EQ(perp_first_order_init(&x, sizeof x - 8, 1), PERP_EINVAL);
}

TEST(FirstOrder, ControlThatIsIncompleteIsNamed) {
  oscillator o;
  perp_control &c = o.s.control;
  double T[] = {1, 2};
  c.u = feedback;
  expect_refused(o.s.system, "control.n_u");  // a callback without inputs
  c.n_u = -1;
  expect_refused(o.s.system, "control.n_u");
  c.n_u = INT32_MAX;
  expect_refused(o.s.system, "control.n_u");
  c.n_u = 1;
  expect_refused(o.s.system, "control.T");
  c.T = T;
  EXPECT_EQ(check(o.s.system).status, PERP_OK);
  c.effect = effect;
  expect_refused(o.s.system, "control.effect");
  c.effect = nullptr;
  c.u_dq = feedback_dv;
  expect_refused(o.s.system, "control.u_dq");
  c.u_dq = nullptr;
  T[1] = inf;
  expect_refused(o.s.system, "control.T", PERP_ENOTFINITE);
  T[1] = 2;
  c.u = nullptr;
  expect_refused(o.s.system, "control.u");
}

// ------------------------------------------------------------------------------ linear ----

std::int32_t rotation(double t, double *A, void *) {
  A[1] = t;
  A[2] = -t;
  return 0;
}
std::int32_t ramp(double t, double *b, void *) {
  b[0] = t;
  b[1] = 2 * t;
  return 0;
}

struct linear {
  perp_first_order_linear s;
  double A[4] = {1, 2, 3, 4}, b[2] = {5, 6};
  linear() {
    perp_first_order_linear_init(&s, sizeof s, 2);
    s.A = perp_dense(2, 2, A);
    s.b = b;
    s.input = ramp;
  }
};

TEST(FirstOrderLinear, IsVaryingOnlyWithATimeDependentMatrixOrControl) {
  linear l;
  const perp_system_ops *ops = l.s.system.ops;
  EXPECT_EQ(ops->varying(&l.s.system), 0);
  l.s.state_matrix = rotation;
  EXPECT_NE(ops->varying(&l.s.system), 0);
  l.s.state_matrix = nullptr;
  l.s.control.n_u = 1;
  EXPECT_NE(ops->varying(&l.s.system), 0);
}

TEST(FirstOrderLinear, ForceAddsEveryTerm) {
  linear l;
  l.s.state_matrix = rotation;
  const double T[] = {1, 0, 0, 1};
  l.s.control.n_u = 2;
  l.s.control.T = T;
  l.s.control.u = feedback;
  evaluated e(l.s.system);
  const vec x = {2, -3};
  // A x = (2 − 9, 4 − 12), A(t) x = t (3, 2), b + B(t) = (5 + t, 6 + 2t), u = (−6, t)
  const double t = 0.25;
  expect_near(e.force(t, {}, x), {-7 + 3 * t + 5 + t - 6, -8 + 2 * t + 6 + 2 * t + t}, 1e-14);
  EXPECT_EQ(e.code, 0);
  EXPECT_EQ(e.mass(t, {}), (vec{1, 0, 0, 1}));
  expect_near(e.jacobians(t, {}, x).dv, {1 - 3, 2 + t, 3 - t + 2, 4}, 1e-7);
  l.s.control.u_dv = feedback_dv;
  EXPECT_EQ(e.jacobians(t, {}, x).dv, (vec{1 - 3, 2 + t, 3 - t + 2, 4}));
}

TEST(FirstOrderLinear, AnswersOfCallbacksAreHandedOn) {
  linear l;
  l.s.state_matrix = [](double, double *, void *) -> std::int32_t { return 3; };
  evaluated e(l.s.system);
  e.force(0, {}, {0, 0});
  EXPECT_EQ(e.code, 3);
  EXPECT_EQ(e.jacobians(0, {}, {0, 0}).code, 3);
  l.s.input = [](double, double *, void *) -> std::int32_t { return -3; };
  e.force(0, {}, {0, 0});
  EXPECT_EQ(e.code, -3);
}

TEST(FirstOrderLinear, TermsOfAVaryingOneAreCheckedToo) {
  linear l;
  l.s.state_matrix = rotation;
  EXPECT_EQ(check(l.s.system).status, PERP_OK);
  l.A[2] = NAN;
  expect_refused(l.s.system, "A", PERP_ENOTFINITE);
  l.A[2] = 0;
  l.b[1] = inf;
  expect_refused(l.s.system, "b", PERP_ENOTFINITE);
  l.b[1] = 0;
  l.s.n_z = 2;
  expect_refused(l.s.system, "z");
  l.s.n_z = 0;
  l.s.control.n_u = 1;
  expect_refused(l.s.system, "control.u");
}

}  // namespace
