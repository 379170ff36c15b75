// SPDX-License-Identifier: MIT
// Relations of the façade: every field reaches C, callables are called with views of the right
// length, and the run has the bits of the same relation written in C.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "facade_tools.hpp"
#include "perp/perp.hpp"

namespace {

using perp::span;
using perp::view;
using tools::c_world;
using tools::deep_steps;
using tools::expect_refusal;

const double kZ[] = {0.5};

/** The laws in C that the tests below join with. */
struct c_laws {
  perp_complementarity complementarity;
  perp_equality equality;
  perp_newton_impact impact;
  perp_friction friction;
  c_laws() {
    EXPECT_EQ(perp_complementarity_init(&complementarity, sizeof complementarity), PERP_OK);
    EXPECT_EQ(perp_equality_init(&equality, sizeof equality), PERP_OK);
    EXPECT_EQ(perp_newton_impact_init(&impact, sizeof impact), PERP_OK);
    EXPECT_EQ(perp_friction_init(&friction, sizeof friction), PERP_OK);
    impact.e = 0.5;
    friction.law.size = 2;
    friction.mu = 0.4;
  }
};

/** Two states that decay, in C and here. */
struct two_states {
  perp_first_order_linear c;
  double A[4] = {-1, 0, 0.25, -2};
  c_world world;
  perp::model model;
  perp::system_id x;
  two_states() : x(model.add(perp::first_order_linear(2, A), {0.5, -1.0})) {
    EXPECT_EQ(perp_first_order_linear_init(&c, sizeof c, 2), PERP_OK);
    c.A = perp_dense(2, 2, A);
    world.add(c.system);
    world.x0 = {0.5, -1.0};
  }
};

std::int32_t output(double t, const double *x, const double *l, const double *z, double *y,
                    void *) {
  y[0] = x[0] + x[1] * x[1] * 0.1 + 2 * l[0] + z[0] * std::sin(t) - 1;
  return 0;
}
std::int32_t output_dx(double, const double *x, const double *, const double *, double *C, void *) {
  C[0] = 1, C[1] = 0.2 * x[1];
  return 0;
}
std::int32_t output_dl(double, const double *, const double *, const double *, double *D, void *) {
  D[0] = 2;
  return 0;
}
std::int32_t reaction(double, const double *x, const double *l, const double *z, double *r,
                      void *) {
  r[0] = l[0] * (1 + 0.1 * x[0]), r[1] = z[0] * l[0];
  return 0;
}
std::int32_t reaction_dl(double, const double *x, const double *, const double *z, double *B,
                         void *) {
  B[0] = 1 + 0.1 * x[0], B[1] = z[0];
  return 0;
}
std::int32_t reaction_dx(double, const double *, const double *l, const double *, double *K,
                         void *) {
  K[0] = 0.1 * l[0];
  return 0;
}
/** y and r of the restricted types. */
std::int32_t plain_output(double t, const double *x, const double *, const double *z, double *y,
                          void *) {
  y[0] = x[0] + x[1] * x[1] * 0.1 + z[0] * std::sin(t) - 1;
  return 0;
}
std::int32_t plain_reaction(double, const double *, const double *l, const double *z, double *r,
                            void *) {
  r[0] = l[0] + 0.1 * l[0] * l[0], r[1] = z[0] * l[0];
  return 0;
}

TEST(CppRelation, FirstOrderHasTheBitsOfC) {
  const c_laws laws;
  two_states s;
  perp_first_order_relation c;
  ASSERT_EQ(perp_first_order_relation_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = output, c.g = reaction, c.C = output_dx, c.D = output_dl, c.B = reaction_dl;
  c.K = reaction_dx, c.z = kZ, c.n_z = 1;
  s.world.connect(c.relation, laws.complementarity.law, {0});
  perp::first_order_relation r;
  r.z = kZ;
  r.h = [](double t, view x, view l, view z, span y) {
    EXPECT_EQ(x.size(), 2u);
    EXPECT_EQ(l.size(), 1u);
    EXPECT_EQ(z.size(), 1u);
    EXPECT_EQ(y.size(), 1u);
    output(t, x.data(), l.data(), z.data(), y.data(), nullptr);
  };
  r.g = [](view x, view l, view z, span out) {
    EXPECT_EQ(out.size(), 2u);
    reaction(0, x.data(), l.data(), z.data(), out.data(), nullptr);
  };
  r.C = [](view x, view, span C) {
    EXPECT_EQ(C.size(), 2u);
    C[0] = 1, C[1] = 0.2 * x[1];
  };
  r.D = 2.0;
  r.B = [](view x, view, view z, span B) { B[0] = 1 + 0.1 * x[0], B[1] = z[0]; };
  r.K = [](view, view l, span K) {
    EXPECT_EQ(K.size(), 4u);
    K[0] = 0.1 * l[0];
  };
  perp::model m = s.model;
  m.connect(r, perp::complementarity(), s.x);
  tools::expect_same_bits(m, s.world, deep_steps(0.01));
  // and by differences
  const double typical_x[] = {0.5, 2}, typical_lambda[] = {0.1};
  c.C = c.D = c.B = c.K = nullptr;
  c.typical_x = typical_x, c.typical_lambda = typical_lambda;
  r.C = r.D = r.B = r.K = nullptr;
  r.typical_x = typical_x, r.typical_lambda = typical_lambda;
  s.model.connect(r, perp::complementarity(), s.x);
  tools::expect_same_bits(s.model, s.world, deep_steps(0.01));
}

TEST(CppRelation, FirstOrderType1HasTheBitsOfC) {
  const c_laws laws;
  two_states s;
  perp_first_order_relation c;
  ASSERT_EQ(perp_first_order_type1_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = plain_output, c.g = plain_reaction, c.C = output_dx, c.z = kZ, c.n_z = 1;
  s.world.connect(c.relation, laws.complementarity.law, {0});
  perp::first_order_type1 r;
  r.z = kZ;
  r.h = [](double t, view x, view z, span y) {
    plain_output(t, x.data(), nullptr, z.data(), y.data(), nullptr);
  };
  r.g = [](view l, view z, span out) {
    EXPECT_EQ(l.size(), 1u);
    plain_reaction(0, nullptr, l.data(), z.data(), out.data(), nullptr);
  };
  r.C = [](view x, span C) { C[0] = 1, C[1] = 0.2 * x[1]; };
  s.model.connect(r, perp::complementarity(), s.x);
  tools::expect_same_bits(s.model, s.world, deep_steps(0.01));
}

TEST(CppRelation, FirstOrderType2HasTheBitsOfC) {
  const c_laws laws;
  two_states s;
  perp_first_order_relation c;
  ASSERT_EQ(perp_first_order_type2_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = output, c.g = plain_reaction, c.D = output_dl, c.z = kZ, c.n_z = 1;
  s.world.connect(c.relation, laws.complementarity.law, {0});
  perp::first_order_type2 r;
  r.z = kZ;
  r.h = [](double t, view x, view l, view z, span y) {
    output(t, x.data(), l.data(), z.data(), y.data(), nullptr);
  };
  r.g = [](double, view l, view z, span out) {
    plain_reaction(0, nullptr, l.data(), z.data(), out.data(), nullptr);
  };
  r.D = {2.0};
  s.model.connect(r, perp::complementarity(), s.x);
  tools::expect_same_bits(s.model, s.world, deep_steps(0.01));
}

std::int32_t c_of_t(double t, double *C, void *) {
  C[0] = 1 + t, C[1] = -t;
  return 0;
}
std::int32_t e_of_t(double t, double *e, void *) {
  e[0] = std::sin(3 * t);
  return 0;
}
std::int32_t f_of_t(double t, double *F, void *) {
  F[0] = t;
  return 0;
}

TEST(CppRelation, LinearOfTimeHasTheBitsOfC) {
  const c_laws laws;
  two_states s;
  const double D[] = {0.5}, B[] = {1, 0.5};
  perp_linear_varying_relation c;
  ASSERT_EQ(perp_linear_varying_relation_init(&c, sizeof c, 1, 2), PERP_OK);
  c.C = c_of_t, c.e = e_of_t, c.F = f_of_t;
  c.linear.D = D, c.linear.B = B, c.linear.z = kZ, c.linear.n_z = 1;
  s.world.connect(c.linear.relation, laws.complementarity.law, {0});
  perp::linear_varying_relation r;
  r.C = [](double t, span C) {
    EXPECT_EQ(C.size(), 2u);
    C[0] = 1 + t, C[1] = -t;
  };
  r.e = [](double t, span e) {
    EXPECT_EQ(e.size(), 1u);
    e[0] = std::sin(3 * t);
  };
  r.F = [](double t, span F) { F[0] = t; };
  r.linear.D = D, r.linear.B = B, r.linear.z = kZ;
  s.model.connect(r, perp::complementarity(), s.x);
  tools::expect_same_bits(s.model, s.world, deep_steps(0.01));
}

/** A point mass in the plane under gravity, in C and here. */
struct point_mass {
  perp_lagrangian_linear c;
  double M[2] = {2, 2}, f[2] = {0, -20};
  c_world world;
  perp::model model;
  perp::system_id q;
  point_mass(double x, double y, double vx = 0, double vy = 0)
      : q(model.add(perp::lagrangian_linear(2, M, f), {x, y}, {vx, vy})) {
    EXPECT_EQ(perp_lagrangian_linear_init(&c, sizeof c, 2), PERP_OK);
    c.M = perp_diagonal(2, M);
    c.f = f;
    world.add(c.system);
    world.q0 = {x, y}, world.v0 = {vx, vy};
  }
};

std::int32_t ring(double, const double *q, const double *, const double *z, double *y, void *) {
  y[0] = z[0] * (1 - q[0] * q[0] - q[1] * q[1]);
  return 0;
}
std::int32_t ring_q(double, const double *q, const double *, const double *z, double *H, void *) {
  H[0] = -2 * z[0] * q[0], H[1] = -2 * z[0] * q[1];
  return 0;
}

TEST(CppRelation, ScleronomousHasTheBitsOfC) {
  const c_laws laws;
  point_mass p(0.6, -0.8, 0.4, 0.3);
  perp_lagrangian_relation c;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = ring, c.H = ring_q, c.z = kZ, c.n_z = 1;
  p.world.connect(c.relation, laws.equality.law, {0});
  perp::lagrangian_scleronomous r;
  r.z = kZ;
  r.h = [](view q, view z, span y) {
    EXPECT_EQ(q.size(), 2u);
    EXPECT_EQ(y.size(), 1u);
    ring(0, q.data(), nullptr, z.data(), y.data(), nullptr);
  };
  r.H = [](view q, view z, span H) {
    EXPECT_EQ(H.size(), 2u);
    ring_q(0, q.data(), nullptr, z.data(), H.data(), nullptr);
  };
  perp::model m = p.model;
  m.connect(r, perp::equality(), p.q);
  tools::expect_same_bits(m, p.world, deep_steps(0.01));
  const double typical[] = {1, 2};
  c.H = nullptr, c.typical_q = typical;
  r.H = nullptr, r.typical_q = typical;
  p.model.connect(r, perp::equality(), p.q);
  tools::expect_same_bits(p.model, p.world, deep_steps(0.01));
}

// γ reaches C with the shapes and names of the others: the check of derivatives says so. factor 1
// is right.
template <class Relation>
perp::derivative_report checked_bias(const Relation &r, const perp::law &law) {
  perp::model m;
  const auto a = m.add(perp::lagrangian_linear(2, {1, 1}), {0.7, -0.4}, {0.6, 1.1});
  m.connect(r, law, a);
  perp::derivative_point at;
  at.t = 0.3;
  return perp::check_derivatives(m, at);
}

void expect_only_right(const perp::derivative_report &right, const perp::derivative_report &wrong) {
  EXPECT_TRUE(right) << right.worst.jacobian;
  EXPECT_FALSE(wrong);
  ASSERT_NE(wrong.worst.jacobian, nullptr);
  EXPECT_STREQ(wrong.worst.jacobian, "bias");
}

TEST(CppRelation, BiasOfRelationsOfPositionsReachesC) {
  const auto steady = [](double factor) {
    perp::lagrangian_scleronomous r;
    r.z = {2};
    r.h = [](view q, view z, span y) { y[0] = z[0] * q[0] * q[1]; };
    r.H = [](view q, view z, span H) { H[0] = z[0] * q[1], H[1] = z[0] * q[0]; };
    r.bias = [factor](view q, view v, view z, span out) {
      EXPECT_EQ(q.size() + v.size() + out.size(), 5u);
      out[0] = factor * 2 * z[0] * v[0] * v[1];
    };
    return checked_bias(r, perp::equality());
  };
  expect_only_right(steady(1), steady(1.01));
  const auto driven = [](double factor) {
    perp::lagrangian_rheonomous r;
    r.h = [](double t, view q, span y) { y[0] = q[0] * q[0] + t * t * q[1]; };
    r.H = [](double t, view q, span H) { H[0] = 2 * q[0], H[1] = t * t; };
    r.h_dt = [](double t, view q, span y) { y[0] = 2 * t * q[1]; };
    r.bias = [factor](double t, view q, view v, span out) {
      EXPECT_EQ(v.size(), 2u);
      out[0] = factor * (2 * v[0] * v[0] + 4 * t * v[1] + 2 * q[1]);
    };
    return checked_bias(r, perp::equality());
  };
  expect_only_right(driven(1), driven(1.01));
}

TEST(CppRelation, BiasOfVelocitiesAndContactsReachesC) {
  const auto skate = [](double factor) {
    perp::lagrangian_velocity_relation r;
    r.g = [](double t, view q, view v, span y) { y[0] = q[1] * v[0] + t * v[1]; };
    r.H = [](double t, view q, view, span H) { H[0] = q[1], H[1] = t; };
    r.bias = [factor](double, view, view v, span out) { out[0] = factor * (v[1] * v[0] + v[1]); };
    return checked_bias(r, perp::equality());
  };
  expect_only_right(skate(1), skate(1.01));
  const auto contact = [](double factor) {
    perp::lagrangian_contact_relation r;
    r.h = [](double, view q, span y) { y[0] = q[0] * q[1]; };
    r.G = [](double, view q, span G) { G[0] = q[1], G[1] = q[0]; };
    r.T = [](double, view q, span T) { T[0] = q[0]; };
    r.bias = [factor](double, view, view v, span out) {
      EXPECT_EQ(v.size(), 2u);
      out[0] = 2 * v[0] * v[1];
      out[1] = factor * v[0] * v[0];
    };
    return checked_bias(r, perp::friction_2d(0.3));
  };
  expect_only_right(contact(1), contact(1.01));
}

TEST(CppRelation, DerivativeByTimeOfFirstOrderReachesC) {
  for (double factor : {1.0, 1.01}) {
    perp::first_order_type1 r;
    r.h = [](double t, view x, span y) { y[0] = t * t * x[0]; };
    r.h_dt = [factor](double t, view x, span y) { y[0] = factor * 2 * t * x[0]; };
    perp::model m;
    const auto a = m.add(perp::first_order_linear(1), {0.7});
    m.connect(r, perp::equality(), a);
    perp::derivative_point at;
    at.t = 0.3;
    const auto report = perp::check_derivatives(m, at);
    EXPECT_EQ(static_cast<bool>(report), factor == 1.0);
    if (factor != 1.0) {
      EXPECT_STREQ(report.worst.jacobian, "h_dt");
    }
  }
}

TEST(CppRelation, ProjectionOptionsReachC) {
  const c_laws laws;
  point_mass p(0.6, -0.8, 4, 3);
  perp_lagrangian_relation c;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = ring, c.H = ring_q, c.z = kZ, c.n_z = 1;
  p.world.connect(c.relation, laws.equality.law, {0});
  perp::lagrangian_scleronomous r;
  r.z = kZ;
  r.h = [](view q, view z, span y) { y[0] = z[0] * (1 - q[0] * q[0] - q[1] * q[1]); };
  r.H = [](view q, view z, span H) { H[0] = -2 * z[0] * q[0], H[1] = -2 * z[0] * q[1]; };
  const auto circle = p.model.connect(r, perp::equality(), p.q);
  const auto drift = [&](const perp::simulation_options &o) {
    perp::simulation sim(p.model, o);
    for (int k = 0; k < 20; k++) EXPECT_EQ(sim.step(), PERP_OK);
    return std::fabs(sim.y(circle)[0]);
  };
  perp::simulation_options o = deep_steps(0.02);
  EXPECT_GT(drift(o), 1e-6);
  for (const auto how : {perp::projection::positions, perp::projection::combined}) {
    o.projection = how;
    o.projection_tol = 1e-10;
    EXPECT_LE(drift(o), 1e-10);
    tools::expect_same_bits(p.model, p.world, o);
  }
}

TEST(CppRelation, ReactionGammaReachesC) {
  const c_laws laws;
  two_states s;
  perp_first_order_relation c;
  ASSERT_EQ(perp_first_order_type2_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = output, c.g = plain_reaction, c.D = output_dl, c.z = kZ, c.n_z = 1;
  s.world.connect(c.relation, laws.complementarity.law, {0});
  perp::first_order_type2 r;
  r.z = kZ;
  r.h = [](double t, view x, view l, view z, span y) {
    output(t, x.data(), l.data(), z.data(), y.data(), nullptr);
  };
  r.g = [](view l, view z, span out) {
    plain_reaction(0, nullptr, l.data(), z.data(), out.data(), nullptr);
  };
  r.D = 2.0;
  s.model.connect(r, perp::complementarity(), s.x);
  for (const perp_integrator *scheme : {perp::theta_gamma(), perp::theta_gamma_full()}) {
    perp::simulation_options o = deep_steps(0.01);
    o.integrator = scheme;
    o.reaction_gamma = 0.5;
    tools::expect_same_bits(s.model, s.world, o);
    perp::simulation half(s.model, o);
    o.reaction_gamma = 0.75;
    perp::simulation more(s.model, o);
    ASSERT_EQ(half.step(), PERP_OK);
    ASSERT_EQ(more.step(), PERP_OK);
    EXPECT_NE(half.x(s.x)[0], more.x(s.x)[0]);
  }
}

std::int32_t lift(double t, const double *q, const double *, const double *, double *y, void *) {
  y[0] = q[1] - 0.1 * std::sin(20 * t);
  return 0;
}
std::int32_t lift_q(double, const double *, const double *, const double *, double *H, void *) {
  H[1] = 1;
  return 0;
}
std::int32_t lift_t(double t, const double *, const double *, const double *, double *y, void *) {
  y[0] = -2 * std::cos(20 * t);
  return 0;
}

TEST(CppRelation, RheonomousHasTheBitsOfC) {
  const c_laws laws;
  point_mass p(0, 0.05);
  perp_lagrangian_relation c;
  ASSERT_EQ(perp_lagrangian_rheonomous_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = lift, c.H = lift_q, c.h_dt = lift_t;
  p.world.connect(c.relation, laws.impact.law, {0});
  perp::lagrangian_rheonomous r;
  r.h = [](double t, view q, span y) { y[0] = q[1] - 0.1 * std::sin(20 * t); };
  r.H = {0, 1};
  r.h_dt = [](double t, view, span y) {
    EXPECT_EQ(y.size(), 1u);
    y[0] = -2 * std::cos(20 * t);
  };
  p.model.connect(r, perp::newton_impact(0.5), p.q);
  tools::expect_same_bits(p.model, p.world, deep_steps(0.005), 200);
}

std::int32_t soft(double, const double *q, const double *l, const double *, double *y, void *) {
  y[0] = q[1] + 0.001 * l[0];
  return 0;
}

TEST(CppRelation, CompliantHasTheBitsOfC) {
  const c_laws laws;
  point_mass p(0, 0.05);
  const double typical_q[] = {1, 0.5}, typical_lambda[] = {30};
  perp_lagrangian_relation c;
  ASSERT_EQ(perp_lagrangian_compliant_init(&c, sizeof c, 1, 2), PERP_OK);
  c.h = soft, c.H = lift_q, c.typical_q = typical_q, c.typical_lambda = typical_lambda;
  p.world.connect(c.relation, laws.complementarity.law, {0});
  perp::lagrangian_compliant r;
  r.h = [](view q, view l, span y) {
    EXPECT_EQ(l.size(), 1u);
    y[0] = q[1] + 0.001 * l[0];
  };
  r.H = {0, 1};
  r.typical_q = typical_q, r.typical_lambda = typical_lambda;
  p.model.connect(r, perp::complementarity(), p.q);
  tools::expect_same_bits(p.model, p.world, deep_steps(0.005), 100);
}

std::int32_t skate(double, const double *q, const double *v, const double *, double *y, void *) {
  y[0] = std::sin(q[0]) * v[0] - std::cos(q[0]) * v[1];
  return 0;
}

TEST(CppRelation, VelocityHasTheBitsOfC) {
  const c_laws laws;
  point_mass p(0.3, 0.1, 1, 0.5);
  const double typical[] = {2, 1};
  perp_lagrangian_velocity_relation c;
  ASSERT_EQ(perp_lagrangian_velocity_relation_init(&c, sizeof c, 1, 2), PERP_OK);
  c.g = skate, c.typical_v = typical;
  p.world.connect(c.relation, laws.equality.law, {0});
  perp::lagrangian_velocity_relation r;
  r.g = [](view q, view v, span y) {
    EXPECT_EQ(v.size(), 2u);
    y[0] = std::sin(q[0]) * v[0] - std::cos(q[0]) * v[1];
  };
  r.typical_v = typical;
  perp::model m = p.model;
  m.connect(r, perp::equality(), p.q);
  tools::expect_same_bits(m, p.world, deep_steps(0.01));
}

std::int32_t ground(double, const double *q, const double *, const double *, double *y, void *) {
  y[0] = q[1] - 0.1 * q[0] * q[0];
  return 0;
}
std::int32_t ground_q(double, const double *q, const double *, const double *, double *G, void *) {
  G[0] = -0.2 * q[0], G[1] = 1;
  return 0;
}
std::int32_t along(double, const double *q, const double *, const double *, double *T, void *) {
  T[0] = 1, T[1] = 0.2 * q[0];
  return 0;
}
std::int32_t belt(double t, const double *, const double *, const double *, double *s, void *) {
  s[0] = -t;
  return 0;
}

TEST(CppRelation, ContactWithFrictionHasTheBitsOfC) {
  const c_laws laws;
  point_mass p(-0.5, 0.1, 2);
  perp_lagrangian_contact_relation c;
  ASSERT_EQ(perp_lagrangian_contact_relation_init(&c, sizeof c, 1, 2, 2), PERP_OK);
  c.h = ground, c.G = ground_q, c.T = along, c.s = belt;
  p.world.connect(c.relation, laws.friction.law, {0});
  perp::lagrangian_contact_relation r;
  r.h = [](view q, span y) {
    EXPECT_EQ(y.size(), 1u);
    y[0] = q[1] - 0.1 * q[0] * q[0];
  };
  r.G = [](view q, span G) {
    EXPECT_EQ(G.size(), 2u);
    G[0] = -0.2 * q[0], G[1] = 1;
  };
  r.T = [](view q, span T) {
    EXPECT_EQ(T.size(), 2u);
    T[0] = 1, T[1] = 0.2 * q[0];
  };
  r.s = [](double t, view, span s) {
    EXPECT_EQ(s.size(), 1u);
    s[0] = -t;
  };
  p.model.connect(r, perp::friction_2d(0.4), p.q);
  tools::expect_same_bits(p.model, p.world, deep_steps(0.01), 100);
}

std::int32_t drive(double t, double *v, void *) {
  v[1] = 0.5 * t;
  return 0;
}

TEST(CppRelation, PrescribedVelocityHasTheBitsOfC) {
  const c_laws laws;
  point_mass p(0, 0);
  const std::int32_t index[] = {1, 0};
  const double constant[] = {0.1, 0.2};
  const perp_harmonic harmonics[] = {{1, 2, 3}, {0.5, 4, 0}};
  perp_prescribed_velocity c;
  ASSERT_EQ(perp_prescribed_velocity_init(&c, sizeof c, 2, 2), PERP_OK);
  c.index = index, c.constant = constant, c.harmonics = harmonics, c.n_harmonics = 1;
  c.velocity = drive;
  p.world.connect(c.relation, laws.equality.law, {0});
  perp::prescribed_velocity r({1, 0}, {0.1, 0.2});
  r.harmonics = {{1, 2, 3}, {0.5, 4, 0}};
  r.velocity = [](double t, span v) {
    EXPECT_EQ(v.size(), 2u);
    v[1] = 0.5 * t;
  };
  p.model.connect(r, perp::equality(), p.q);
  tools::expect_same_bits(p.model, p.world, deep_steps(0.01));
}

TEST(CppRelation, TwoSystemsComeOneAfterTheOther) {
  perp::model m;
  const auto a = m.add(perp::lagrangian_linear(1, 1.0), {0.0}, {1.0});
  const auto b = m.add(perp::lagrangian_linear(2, {1, 1}), {5.0, 7.0});
  perp::lagrangian_scleronomous r;
  r.h = [](view q, span y) {
    ASSERT_EQ(q.size(), 3u);
    EXPECT_EQ(q[1], 7.0) << "b first";
    EXPECT_NEAR(q[2], 0, 0.2);
    y[0] = q[0] - q[2];
  };
  r.H = {1, 0, -1};
  m.connect(r, perp::newton_impact(1), {b, a});
  perp::simulation sim(m, 0.01);
  ASSERT_EQ(sim.step(), PERP_OK);
}

TEST(CppRelation, WrongShapesAreRefusedInWords) {
  const auto nothing = [](view, view, span) {};
  perp::model m;
  const auto q = m.add(perp::lagrangian_linear(2, {1, 1}));
  const auto x = m.add(perp::first_order_linear(2));
  const auto law = perp::complementarity();
  perp::lagrangian_scleronomous s;
  expect_refusal([&] { m.connect(s, law, q); }, {"lagrangian_scleronomous", "h is needed"});
  s.h = nothing;
  s.H = {1, 2, 3};
  expect_refusal([&] { m.connect(s, law, q); }, {"H has 3 entries", "2 are needed"});
  s.H = {};
  s.m = 0;
  expect_refusal([&] { m.connect(s, law, q); }, {"m = 0"});
  s.m = 1;
  s.typical_q = 1.0;
  expect_refusal([&] { m.connect(s, law, q); }, {"typical_q has 1 entries"});
  s.typical_q = {};
  expect_refusal([&] { m.connect(s, law, x); }, {"other order"});
  expect_refusal([&] { m.connect(s, perp::friction_2d(0.1), q); }, {"does not divide"});
  perp::first_order_relation r;
  r.h = [](view, view, span) {};
  r.K = {1, 2};
  expect_refusal([&] { m.connect(r, law, x); }, {"first_order_relation", "K has 2 entries"});
  r.K = {};
  r.D = {1, 2};
  expect_refusal([&] { m.connect(r, law, x); }, {"D has 2 entries"});
  perp::lagrangian_contact_relation c;
  c.h = [](view, span) {};
  expect_refusal([&] { m.connect(c, law, q); }, {"tangential"});
  expect_refusal([&] { m.connect(c, perp::friction_2d(0.1), q); }, {"T has 0 entries"});
  c.T = {1, 0};
  c.gaps = 0;
  expect_refusal([&] { m.connect(c, perp::friction_2d(0.1), q); }, {"gaps"});
  perp::prescribed_velocity p({0, 1}, {1.0});
  expect_refusal([&] { m.connect(p, perp::equality(), q); }, {"constant has 1 entries"});
  p.constant = {};
  p.harmonics = {{1, 1, 1}};
  expect_refusal([&] { m.connect(p, perp::equality(), q); }, {"harmonics has 1 entries"});
  expect_refusal(
      [&] {
        m.connect(perp::prescribed_velocity(std::vector<std::int32_t>()), perp::equality(), q);
      },
      {"m"});
  perp::linear_varying_relation v;
  expect_refusal([&] { m.connect(v, law, x); }, {"linear_varying_relation", "C has 0"});
  v.C = [](double, span) {};
  v.linear.B = {1, 2, 3};
  expect_refusal([&] { m.connect(v, law, x); }, {"B has 3 entries"});
  EXPECT_EQ(m.interactions(), 0u);
  EXPECT_EQ(m.descriptions(), 2u);
}

TEST(CppRelation, EqualOnesAreStoredOnceAndMakeOneRun) {
  perp::lagrangian_scleronomous r;
  r.h = [](view q, span y) { y[0] = q[0]; };
  r.H = 1.0;
  perp::model m;
  for (int i = 0; i < 100; i++) {
    const auto q = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {1.0});
    const perp::lagrangian_scleronomous copy = r;
    m.connect(copy, perp::newton_impact(0.5), q);
  }
  EXPECT_EQ(m.descriptions(), 3u);
  const perp::c_model c(m);
  for (int i = 1; i < 100; i++) {
    EXPECT_EQ(c.get()->interactions[i]->relation, c.get()->interactions[0]->relation);
  }
}

TEST(CppRelation, WhatACallableThrowsComesOutOfTheStep) {
  perp::model m;
  const auto q = m.add(perp::lagrangian_linear(1, 1.0, -9.81), {0.01});
  perp::lagrangian_rheonomous r;
  r.h = [](double t, view x, span y) {
    if (t > 0.055) throw std::runtime_error("no floor");
    y[0] = x[0];
  };
  r.H = 1.0;
  r.h_dt = 0.0;
  m.connect(r, perp::newton_impact(0.5), q);
  perp::simulation sim(m, 0.01);
  for (int k = 0; k < 5; k++) ASSERT_EQ(sim.step(), PERP_OK);
  const double before = sim.q(q)[0];
  EXPECT_THROW((void)sim.step(), std::runtime_error);
  EXPECT_EQ(sim.q(q)[0], before);
}

}  // namespace
