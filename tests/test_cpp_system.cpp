// SPDX-License-Identifier: MIT
// Systems of the façade: every field reaches C, callables are called with views of the right
// length, and the run has the bits of the same system written in C.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "facade_tools.hpp"
#include "perp/perp.hpp"

namespace {

using perp::span;
using perp::view;
using tools::c_world;
using tools::expect_refusal;

perp::simulation_options step(double h) {
  perp::simulation_options o;
  o.h = h;
  return o;
}

// A pendulum on a cart: q = (x, angle), M(q), N(q, v), a spring and a damper inside.
std::int32_t mass(double, const double *q, const double *, const double *z, double *M, void *) {
  M[0] = 3, M[1] = M[2] = z[0] * std::cos(q[1]), M[3] = 1.5;
  return 0;
}
std::int32_t gyroscopic(double, const double *q, const double *v, const double *z, double *N,
                        void *) {
  N[0] = -z[0] * std::sin(q[1]) * v[1] * v[1];
  return 0;
}
std::int32_t gyroscopic_dq(double, const double *q, const double *v, const double *z, double *J,
                           void *) {
  J[2] = -z[0] * std::cos(q[1]) * v[1] * v[1];
  return 0;
}
std::int32_t gyroscopic_dv(double, const double *q, const double *v, const double *z, double *J,
                           void *) {
  J[2] = -2 * z[0] * std::sin(q[1]) * v[1];
  return 0;
}
std::int32_t internal(double t, const double *q, const double *v, const double *z, double *F,
                      void *) {
  F[0] = 20 * q[0] + 0.5 * v[0] + std::sin(t), F[1] = 9.81 * z[0] * std::sin(q[1]);
  return 0;
}
std::int32_t internal_dq(double, const double *q, const double *, const double *z, double *J,
                         void *) {
  J[0] = 20, J[3] = 9.81 * z[0] * std::cos(q[1]);
  return 0;
}
std::int32_t internal_dv(double, const double *, const double *, const double *, double *J,
                         void *) {
  J[0] = 0.5;
  return 0;
}
std::int32_t external(double t, const double *, const double *, const double *z, double *F,
                      void *) {
  F[1] = z[1] * t;
  return 0;
}
std::int32_t potential(double, const double *q, const double *, const double *z, double *V,
                       void *) {
  V[0] = 10 * q[0] * q[0] - 9.81 * z[0] * std::cos(q[1]);
  return 0;
}
std::int32_t effect(double, const double *q, const double *, const double *, double *T, void *) {
  T[0] = 1, T[1] = q[0];
  return 0;
}
std::int32_t feedback(double t, const double *q, const double *v, const double *, double *u,
                      void *) {
  u[0] = -2 * q[1] - v[1] + 0.1 * t;
  return 0;
}
std::int32_t feedback_dq(double, const double *, const double *, const double *, double *J,
                         void *) {
  J[1] = -2;
  return 0;
}
std::int32_t feedback_dv(double, const double *, const double *, const double *, double *J,
                         void *) {
  J[1] = -1;
  return 0;
}

const std::vector<double> kLinks = {0.7, 0.3};  // z

perp_lagrangian pendulum_in_c() {
  static const double f[] = {0.25, -0.5};
  perp_lagrangian c;
  EXPECT_EQ(perp_lagrangian_init(&c, sizeof c, 2), PERP_OK);
  c.mass = mass, c.gyroscopic = gyroscopic, c.gyroscopic_dq = gyroscopic_dq;
  c.gyroscopic_dv = gyroscopic_dv, c.internal = internal, c.internal_dq = internal_dq;
  c.internal_dv = internal_dv, c.external = external, c.potential = potential, c.f = f;
  c.control.n_u = 1, c.control.effect = effect, c.control.u = feedback;
  c.control.u_dq = feedback_dq, c.control.u_dv = feedback_dv;
  c.z = kLinks.data(), c.n_z = 2;
  return c;
}

perp::lagrangian pendulum() {
  perp::lagrangian s(2, {}, {0.25, -0.5});
  s.z = perp::borrow(kLinks);
  s.mass = [](view q, view z, span M) {
    EXPECT_EQ(q.size(), 2u);
    EXPECT_EQ(z.size(), 2u);
    EXPECT_EQ(M.size(), 4u);
    mass(0, q.data(), nullptr, z.data(), M.data(), nullptr);
  };
  s.gyroscopic = [](view q, view v, view z, span N) {
    EXPECT_EQ(v.size(), 2u);
    EXPECT_EQ(N.size(), 2u);
    gyroscopic(0, q.data(), v.data(), z.data(), N.data(), nullptr);
  };
  s.gyroscopic_dq = [](view q, view v, view z, span J) {
    EXPECT_EQ(J.size(), 4u);
    gyroscopic_dq(0, q.data(), v.data(), z.data(), J.data(), nullptr);
  };
  s.gyroscopic_dv = [](view q, view v, view z, span J) {
    gyroscopic_dv(0, q.data(), v.data(), z.data(), J.data(), nullptr);
  };
  s.internal = [](double t, view q, view v, view z, span F) {
    return internal(t, q.data(), v.data(), z.data(), F.data(), nullptr);
  };
  s.internal_dq = [](view q, view, view z, span J) {  // the time is left out
    return internal_dq(0, q.data(), nullptr, z.data(), J.data(), nullptr);
  };
  s.internal_dv = {0.5, 0.0, 0.0, 0.0};
  s.external = [](double t, view z, span F) { F[1] = z[1] * t; };
  s.potential = [](view q, view z, span V) {
    EXPECT_EQ(V.size(), 1u);
    potential(0, q.data(), nullptr, z.data(), V.data(), nullptr);
  };
  s.control.n_u = 1;
  s.control.effect = [](view q, span T) {
    EXPECT_EQ(T.size(), 2u);
    T[0] = 1, T[1] = q[0];
  };
  s.control.u = [](double t, view q, view v, span u) {
    EXPECT_EQ(u.size(), 1u);
    feedback(t, q.data(), v.data(), nullptr, u.data(), nullptr);
  };
  s.control.u_dq = {0.0, -2.0};
  s.control.u_dv = [](double, view, view, span J) {
    EXPECT_EQ(J.size(), 2u);
    J[1] = -1;
  };
  return s;
}

TEST(CppSystem, LagrangianHasTheBitsOfC) {
  const perp_lagrangian c = pendulum_in_c();
  c_world w;
  w.add(c.system);
  w.q0 = {0.5, 1.0}, w.v0 = {0.0, -2.0};
  perp::model m;
  m.add(pendulum(), w.q0, w.v0);
  tools::expect_same_bits(m, w, step(0.01));
  // with differences in place of every derivative
  perp_lagrangian rough = c;
  rough.gyroscopic_dq = rough.gyroscopic_dv = rough.internal_dq = rough.internal_dv = nullptr;
  rough.control.u_dq = rough.control.u_dv = nullptr;
  const double typical_q[] = {0.5, 2}, typical_v[] = {3, 0.25};
  rough.typical_q = typical_q, rough.typical_v = typical_v;
  c_world other;
  other.add(rough.system);
  other.q0 = w.q0, other.v0 = w.v0;
  perp::lagrangian s = pendulum();
  s.gyroscopic_dq = s.gyroscopic_dv = nullptr;
  s.internal_dq = s.internal_dv = {};
  s.control.u_dq = s.control.u_dv = {};
  s.typical_q = typical_q, s.typical_v = typical_v;
  perp::model differences;
  differences.add(s, w.q0, w.v0);
  tools::expect_same_bits(differences, other, step(0.01));
}

TEST(CppSystem, LagrangianEnergyIsThatOfItsPotential) {
  perp::model m;
  const auto s = m.add(pendulum(), {0.5, 1.0});
  perp::simulation sim(m, 0.01);
  EXPECT_NEAR(sim.energy().potential, 2.5 - 9.81 * 0.7 * std::cos(1.0) - (0.25 * 0.5 - 0.5 * 1.0),
              1e-12);
  EXPECT_EQ(sim.q(s).size(), 2u);
}

TEST(CppSystem, ControlOfLinearSystemsHasTheBitsOfC) {
  const double M[] = {2, 1}, T[] = {1, -1};
  perp_lagrangian_linear c;
  ASSERT_EQ(perp_lagrangian_linear_init(&c, sizeof c, 2), PERP_OK);
  c.M = perp_diagonal(2, M);
  c.control.n_u = 1, c.control.T = T, c.control.u = feedback;
  c_world w;
  w.add(c.system);
  w.q0 = {0.5, 1.0}, w.v0 = {0.0, -2.0};
  perp::lagrangian_linear s(2, {2.0, 1.0});
  s.control.n_u = 1;
  s.control.T = {1, -1};
  s.control.u = [](double t, view q, view v, span u) { u[0] = -2 * q[1] - v[1] + 0.1 * t; };
  perp::model m;
  m.add(s, w.q0, w.v0);
  tools::expect_same_bits(m, w, step(0.01));
}

std::int32_t right(double t, const double *x, const double *z, double *f, void *) {
  f[0] = x[1], f[1] = z[0] * (1 - x[0] * x[0]) * x[1] - x[0] + 0.1 * std::sin(t);
  return 0;
}
std::int32_t right_dx(double, const double *x, const double *z, double *J, void *) {
  J[1] = -2 * z[0] * x[0] * x[1] - 1, J[2] = 1, J[3] = z[0] * (1 - x[0] * x[0]);
  return 0;
}
std::int32_t state_feedback(double t, const double *, const double *x, const double *, double *u,
                            void *) {
  u[0] = 0.2 * x[0] * x[1] - t, u[1] = x[0];
  return 0;
}
std::int32_t state_feedback_dx(double, const double *, const double *x, const double *, double *J,
                               void *) {
  J[0] = 0.2 * x[1], J[1] = 1, J[2] = 0.2 * x[0];
  return 0;
}
std::int32_t state_effect(double, const double *, const double *x, const double *, double *T,
                          void *) {
  T[0] = 0.1, T[3] = x[0];
  return 0;
}

TEST(CppSystem, FirstOrderHasTheBitsOfC) {
  const double M[] = {2, 3}, z[] = {1.25}, typical[] = {2, 0.5};
  perp_first_order c;
  ASSERT_EQ(perp_first_order_init(&c, sizeof c, 2), PERP_OK);
  c.M = perp_diagonal(2, M);
  c.f = right, c.f_dx = right_dx, c.z = z, c.n_z = 1;
  c.control.n_u = 2, c.control.effect = state_effect;
  c.control.u = state_feedback, c.control.u_dv = state_feedback_dx;
  c_world w;
  w.add(c.system);
  w.x0 = {0.5, 1.0};
  perp::first_order s(2, [](double t, view x, view p, span f) {
    EXPECT_EQ(x.size(), 2u);
    EXPECT_EQ(f.size(), 2u);
    return right(t, x.data(), p.data(), f.data(), nullptr);
  });
  s.M = {2, 3};
  s.z = z;
  s.f_dx = [](view x, view p, span J) {
    EXPECT_EQ(J.size(), 4u);
    right_dx(0, x.data(), p.data(), J.data(), nullptr);
  };
  s.control.n_u = 2;
  s.control.effect = [](view x, span T) {
    EXPECT_EQ(x.size(), 2u);
    EXPECT_EQ(T.size(), 4u);
    T[0] = 0.1, T[3] = x[0];
  };
  s.control.u = [](double t, view x, span u) {
    EXPECT_EQ(x.size(), 2u);
    EXPECT_EQ(u.size(), 2u);
    u[0] = 0.2 * x[0] * x[1] - t, u[1] = x[0];
  };
  s.control.u_dx = [](view x, span J) { J[0] = 0.2 * x[1], J[1] = 1, J[2] = 0.2 * x[0]; };
  perp::model m;
  m.add(s, w.x0);
  tools::expect_same_bits(m, w, step(0.01));
  c.f_dx = nullptr, c.typical = typical;
  s.f_dx = {}, s.typical = typical;
  perp::model differences;
  differences.add(s, w.x0);
  tools::expect_same_bits(differences, w, step(0.01));
}

std::int32_t matrix_of_time(double t, double *A, void *) {
  A[0] = std::sin(t), A[2] = 1, A[1] = -t;
  return 0;
}

TEST(CppSystem, TimeDependentLinearHasTheBitsOfC) {
  const double A[] = {-1, 0, 0, -2};
  perp_first_order_linear c;
  ASSERT_EQ(perp_first_order_linear_init(&c, sizeof c, 2), PERP_OK);
  c.A = perp_dense(2, 2, A);
  c.state_matrix = matrix_of_time;
  c.control.n_u = 2, c.control.effect = state_effect, c.control.u = state_feedback;
  c_world w;
  w.add(c.system);
  w.x0 = {0.5, 1.0};
  perp::first_order_linear s(2, A);
  s.state_matrix = [](double t, span out) {
    EXPECT_EQ(out.size(), 4u);
    matrix_of_time(t, out.data(), nullptr);
  };
  s.control.n_u = 2;
  s.control.effect = [](view x, span T) { T[0] = 0.1, T[3] = x[0]; };
  s.control.u = [](double t, view x, span u) { u[0] = 0.2 * x[0] * x[1] - t, u[1] = x[0]; };
  perp::model m;
  m.add(s, w.x0);
  tools::expect_same_bits(m, w, step(0.01));
}

TEST(CppSystem, NewtonOptionsReachC) {
  const perp_lagrangian c = pendulum_in_c();
  c_world w;
  w.add(c.system);
  w.q0 = {0.5, 1.0}, w.v0 = {0.0, -2.0};
  perp::model m;
  const auto id = m.add(pendulum(), w.q0, w.v0);
  perp::simulation_options o = step(0.05);
  perp::simulation converged(m, o);
  ASSERT_EQ(converged.step(), PERP_OK);
  o.newton_stop = perp::newton_stop::fixed;
  o.newton_max = 1;
  tools::expect_same_bits(m, w, o);
  perp::simulation once(m, o);
  ASSERT_EQ(once.step(), PERP_OK);
  EXPECT_NE(once.q(id)[0], converged.q(id)[0]);
  EXPECT_EQ(once.report().newton, 1u);
  EXPECT_GT(converged.report().newton, 1u);
  o.newton_start = perp::newton_start::position;
  tools::expect_same_bits(m, w, o);
  perp::simulation still(m, o);
  ASSERT_EQ(still.step(), PERP_OK);
  EXPECT_NE(still.q(id)[0], once.q(id)[0]);
  o = step(0.05);
  o.newton_stop = perp::newton_stop::dynamics;
  o.newton_tol = 1e-3;
  tools::expect_same_bits(m, w, o);
  o.newton_halvings = 0;
  tools::expect_same_bits(m, w, o);
}

TEST(CppSystem, WrongShapesAreRefusedInWords) {
  perp::model m;
  perp::lagrangian s = pendulum();
  s.internal_dq = {1, 2, 3};
  expect_refusal([&] { m.add(s); }, {"lagrangian", "internal_dq has 3 entries", "4 are needed"});
  s = pendulum();
  s.control.u_dq = 1.0;
  expect_refusal([&] { m.add(s); }, {"control.u_dq has 1 entries", "2 are needed"});
  s = pendulum();
  s.control.T = {1, 2, 3};
  expect_refusal([&] { m.add(s); }, {"control.T has 3 entries"});
  s = pendulum();
  s.control.n_u = -1;
  expect_refusal([&] { m.add(s); }, {"control.n_u"});
  s = pendulum();
  s.typical_q = {1};
  expect_refusal([&] { m.add(s); }, {"typical_q"});
  s = pendulum();
  s.mass = nullptr;
  expect_refusal([&] { m.add(s); }, {"M has 0 entries"});
  expect_refusal([&] { m.add(perp::first_order(2)); }, {"f is needed"});
  perp::first_order x(2, [](view, span) {});
  x.f_dx = {1, 2};
  expect_refusal([&] { m.add(x); }, {"f_dx has 2 entries", "4 are needed"});
  EXPECT_EQ(m.systems(), 0u);
  EXPECT_EQ(m.descriptions(), 0u);
}

TEST(CppSystem, EqualOnesAreStoredOnceAndEveryFieldCounts) {
  const auto different = [](auto &&change) {
    perp::model m;
    perp::lagrangian s = pendulum();
    m.add(s);
    change(s);
    m.add(s);
    return m.descriptions();
  };
  const auto other = [](view, view, span) {};
  EXPECT_EQ(different([](auto &) {}), 1u);
  EXPECT_EQ(different([&](auto &s) { s.mass = other; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.gyroscopic_dq = nullptr; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.internal_dv = {0.5, 0.0, 0.0, 1.0}; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.control.n_u = 0; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.control.u_dq = {}; }), 2u);
  EXPECT_EQ(different([](auto &s) { s.z = {0.7, 0.3}; }), 2u) << "no longer borrowed";
  EXPECT_EQ(different([](auto &s) { s.typical_v = {1, 1}; }), 2u);
}

TEST(CppSystem, WhatACallableThrowsComesOutOfTheStep) {
  perp::lagrangian s = pendulum();
  s.internal = [](double t, view, view, span) {
    if (t > 0.035) throw std::runtime_error("the spring broke");
  };
  perp::model m;
  const auto id = m.add(s, {0.5, 1.0});
  perp::simulation sim(m, 0.01);
  for (int k = 0; k < 3; k++) ASSERT_EQ(sim.step(), PERP_OK);
  const double before = sim.q(id)[0];
  try {
    (void)sim.step();
    FAIL();
  } catch (const std::runtime_error &e) {
    EXPECT_STREQ(e.what(), "the spring broke");
  }
  EXPECT_EQ(sim.q(id)[0], before);
}

TEST(CppSystem, ACallableMayAskForASmallerStepAndGiveUp) {
  perp::first_order s(1, [](double t, view x, span f) {
    f[0] = -x[0];
    return t > 0.15 ? 1 : 0;
  });
  perp::model m;
  m.add(s, {1.0});
  perp::simulation sim(m, 0.1);
  EXPECT_EQ(sim.step(), PERP_OK);
  EXPECT_EQ(sim.step(), PERP_RETRY);
  s.f = [](double, view, span) { return -1; };
  perp::model gives_up;
  gives_up.add(s, {1.0});
  const auto run = [&] {
    perp::simulation other(gives_up, 0.1);
    (void)other.step();
  };
  EXPECT_THROW(run(), perp::error);
}

TEST(CppSystem, SchemesByNameGoToSystemsOfTheirOrder) {
  perp::model m;
  const auto x = m.add(perp::first_order_linear(1, -2.0), {1.0});
  const auto q = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {1.0});
  perp::simulation_options o = step(0.1);
  o.integrator = perp::schatzman_paoli();
  perp::simulation sim(m, o);
  ASSERT_EQ(sim.step(), PERP_OK);
  EXPECT_NEAR(sim.x(x)[0], 0.9 / 1.1, 1e-15);
  EXPECT_NEAR(sim.q(q)[0], 1 - 9.81 * 0.01, 1e-14) << "from q_0 = q_{-1}";
  o.integrator = nullptr;
  o.integrators = {nullptr, perp::schatzman_paoli()};
  perp::simulation each(m, o);
  ASSERT_EQ(each.step(), PERP_OK);
  EXPECT_EQ(each.q(q)[0], sim.q(q)[0]);
  o.integrators = {perp::schatzman_paoli(), nullptr};
  expect_refusal([&] { perp::simulation wrong(m, o); }, {"integrator"});
  o.integrators = {nullptr};
  expect_refusal([&] { perp::simulation wrong(m, o); }, {"integrators has 1 entries"});
}

}  // namespace
