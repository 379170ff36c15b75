// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cmath>
#include <limits>

#include "model_tools.hpp"
#include "relation_tools.hpp"

namespace {

using tools::evaluate;
using tools::expect_near;
using tools::relation_at;
using vec = std::vector<double>;

const double nan = std::numeric_limits<double>::quiet_NaN();

// h = (q0² + q1² − z², sin q0 q1); at q = (0.5, −2), z = 3.
const double z3[] = {3};

std::int32_t circle(double, const double *q, const double *, const double *z, double *y, void *) {
  y[0] = q[0] * q[0] + q[1] * q[1] - z[0] * z[0];
  y[1] = std::sin(q[0]) * q[1];
  return 0;
}
std::int32_t circle_dq(double, const double *q, const double *, const double *, double *H, void *) {
  H[0] = 2 * q[0];
  H[1] = std::cos(q[0]) * q[1];
  H[2] = 2 * q[1];
  H[3] = std::sin(q[0]);
  return 0;
}
const double sin_half = std::sin(0.5), cos_half = std::cos(0.5);

relation_at point() {
  relation_at at;
  at.t = 0.75;
  at.h = 0.01;
  at.q = {0.5, -2};
  at.v = {3, 4};
  at.lambda = {0.05, 0.02};
  at.before = {0.01, 0.04};
  return at;
}

TEST(LagrangianRelation, ScleronomousVelocityIsGradientTimesVelocity) {
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 2, 2), PERP_OK);
  r.h = circle;
  r.z = z3;
  r.n_z = 1;
  EXPECT_EQ(r.relation.ops->order, 2);
  EXPECT_EQ(r.relation.ops->features(&r.relation),
            static_cast<std::uint32_t>(PERP_RELATION_HOLONOMIC));
  for (perp_gap_fn H : {static_cast<perp_gap_fn>(circle_dq), static_cast<perp_gap_fn>(nullptr)}) {
    r.H = H;
    const auto v = evaluate(r.relation, point());
    const double tol = H != nullptr ? 1e-15 : 2e-9;
    EXPECT_EQ(v.code, 0);
    expect_near(v.y, {0.25 + 4 - 9, -2 * sin_half}, 1e-15);
    expect_near(v.H, {1, -2 * cos_half, -4, sin_half}, tol);
    expect_near(v.ydot, {3 - 16, -6 * cos_half + 4 * sin_half}, 10 * tol);
    expect_near(v.D, vec(4, 0.0), 0);
  }
}

TEST(LagrangianRelation, RheonomousVelocityHasTheRateOfTheConstraint) {
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_rheonomous_init(&r, sizeof r, 1, 2), PERP_OK);
  r.h = [](double t, const double *q, const double *, const double *, double *y, void *) {
    y[0] = q[0] * std::cos(t) + q[1] * t * t;
    return 0;
  };
  const double t = 0.75, expected = -0.5 * std::sin(t) - 2 * 2 * t;
  for (bool given : {true, false}) {
    if (given)
      r.h_dt = [](double time, const double *q, const double *, const double *, double *y, void *) {
        y[0] = -q[0] * std::sin(time) + q[1] * 2 * time;
        return 0;
      };
    else
      r.h_dt = nullptr;
    relation_at at = point();
    at.lambda = at.before = {0};
    const auto v = evaluate(r.relation, at);
    EXPECT_EQ(v.code, 0);
    expect_near(v.ydot, {3 * std::cos(t) + 4 * t * t + expected}, 1e-8);
    expect_near(v.H, {std::cos(t), t * t}, 1e-9);
  }
  // without the bit the same function is a constraint frozen in time
  r.reads = 0;
  relation_at at = point();
  at.lambda = at.before = {0};
  expect_near(evaluate(r.relation, at).ydot, {3 * std::cos(t) + 4 * t * t}, 1e-8);
}

// y = q + (λ/k)^(2/3): Hertz; λ is a force, the unknown an impulse over h = 0.01.
std::int32_t hertz(double, const double *q, const double *l, const double *, double *y, void *) {
  y[0] = q[0] + std::cbrt(l[0] * l[0]);
  return 0;
}

TEST(LagrangianRelation, CompliantVelocityIsTheRateOfTheGapOverTheStep) {
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_compliant_init(&r, sizeof r, 1, 1), PERP_OK);
  r.h = hertz;
  EXPECT_EQ(r.relation.ops->features(&r.relation),
            static_cast<std::uint32_t>(PERP_RELATION_HOLONOMIC | PERP_RELATION_D));
  relation_at at = point();
  at.q = {0.5};
  at.v = {3};
  at.lambda = {0.08};  // a force of 8
  at.before = {0.27};  // and of 27
  for (bool given : {true, false}) {
    if (given)
      r.D = [](double, const double *, const double *l, const double *, double *D, void *) {
        D[0] = 2.0 / 3 / std::cbrt(l[0]);
        return 0;
      };
    else
      r.D = nullptr;
    auto v = evaluate(r.relation, at);
    expect_near(v.y, {0.5 + 4}, 1e-13);
    expect_near(v.ydot, {3 + (4 - 9) / 0.01}, 1e-7);
    EXPECT_NEAR(v.D[0], 2.0 / 3 / 2 / 1e-4, given ? 1e-9 : 1e-2);
    // the derivative of ẏ by the impulse
    relation_at up = at, down = at;
    up.lambda[0] += 1e-6;
    down.lambda[0] -= 1e-6;
    const double slope =
        (evaluate(r.relation, up).ydot[0] - evaluate(r.relation, down).ydot[0]) / 2e-6;
    EXPECT_NEAR(v.D[0] / slope, 1, 1e-5);
    // a last step of another length
    at.h_before = 0.27;
    v = evaluate(r.relation, at);
    expect_near(v.ydot, {3 + (4 - 1) / 0.01}, 1e-7);
    at.h_before = 0;
  }
  // outside of a step there is no force yet
  at.h = 0;
  const auto v = evaluate(r.relation, at);
  EXPECT_EQ(v.code, 0);
  expect_near(v.y, {0.5}, 1e-15);
  expect_near(v.ydot, {3}, 1e-9);
}

TEST(LagrangianRelation, VelocityRelationHasNoPosition) {
  // skate: velocity across its direction q2
  perp_lagrangian_velocity_relation r;
  ASSERT_EQ(perp_lagrangian_velocity_relation_init(&r, sizeof r, 1, 3), PERP_OK);
  r.g = [](double t, const double *q, const double *v, const double *, double *y, void *) {
    y[0] = -std::sin(q[2]) * v[0] + std::cos(q[2]) * v[1] + v[2] * v[2] + t;
    return 0;
  };
  EXPECT_EQ(r.relation.ops->features(&r.relation), 0u);
  relation_at at = point();
  at.q = {1, 2, 0.5};
  at.v = {3, 4, 5};
  for (bool given : {true, false}) {
    if (given)
      r.H = [](double, const double *q, const double *v, const double *, double *H, void *) {
        H[0] = -std::sin(q[2]);
        H[1] = std::cos(q[2]);
        H[2] = 2 * v[2];
        return 0;
      };
    else
      r.H = nullptr;
    const auto v = evaluate(r.relation, at);
    EXPECT_EQ(v.code, 0);
    expect_near(v.y, {0}, 0);
    expect_near(v.ydot, {-3 * sin_half + 4 * cos_half + 25 + 0.75}, 1e-14);
    expect_near(v.H, {-sin_half, cos_half, 10}, given ? 1e-15 : 1e-8);
  }
}

// Two gaps with two tangential directions each on two coordinates.
TEST(LagrangianRelation, ContactsInterleaveNormalAndTangentialRows) {
  perp_lagrangian_contact_relation r;
  ASSERT_EQ(perp_lagrangian_contact_relation_init(&r, sizeof r, 2, 3, 2), PERP_OK);
  EXPECT_EQ(r.relation.m, 6);
  r.h = [](double t, const double *q, const double *l, const double *z, double *y, void *) {
    EXPECT_EQ(l, nullptr);
    y[0] = q[0] * q[1] + t;
    y[1] = q[1] - z[0];
    return 0;
  };
  r.T = [](double, const double *q, const double *, const double *, double *T, void *) {
    for (int i = 0; i < 8; i++) T[i] = i + 1 + q[0];
    return 0;
  };
  r.z = z3;
  r.n_z = 1;
  EXPECT_EQ(r.relation.ops->features(&r.relation),
            static_cast<std::uint32_t>(PERP_RELATION_HOLONOMIC));
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(r.relation.ops->check(&r.relation, &info), PERP_OK);
  relation_at at = point();
  at.lambda = at.before = vec(6, 0.0);
  for (bool given : {false, true}) {
    if (given)
      r.G = [](double, const double *q, const double *, const double *, double *G, void *) {
        G[0] = q[1];
        G[2] = q[0];
        G[3] = 1;
        return 0;
      };
    const auto v = evaluate(r.relation, at);
    EXPECT_EQ(v.code, 0);
    expect_near(v.y, {-1 + 0.75, 0, 0, -5, 0, 0}, 1e-15);
    expect_near(v.H, {-2, 1.5, 2.5, 0, 3.5, 4.5, 0.5, 5.5, 6.5, 1, 7.5, 8.5}, 1e-9);
    expect_near(v.ydot, {-6 + 2, 4.5 + 22, 7.5 + 26, 4, 10.5 + 30, 13.5 + 34}, 1e-8);
  }
  r.h_dt = [](double, const double *, const double *, const double *, double *y, void *) {
    y[0] = 1;
    return 0;
  };
  r.s = [](double, const double *, const double *, const double *, double *y, void *) {
    y[1] = -10;
    y[2] = -20;
    return 0;
  };
  expect_near(evaluate(r.relation, at).ydot, {-6 + 2 + 1, 26.5, 33.5 - 10, 4, 40.5 - 20, 47.5},
              1e-12);
}

TEST(LagrangianRelation, OnBodiesTheVelocityMapIsTheUsers) {
  // one body: height of its centre; q has 7 entries, H 6 columns
  perp_lagrangian_relation r;
  ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 1, 6), PERP_OK);
  r.bodies = 1;
  r.h = [](double, const double *q, const double *, const double *, double *y, void *) {
    y[0] = q[2] + q[6];
    return 0;
  };
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(r.relation.ops->check(&r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "H");
  r.H = [](double, const double *, const double *, const double *, double *H, void *) {
    H[2] = 1;
    return 0;
  };
  EXPECT_EQ(r.relation.ops->check(&r.relation, &info), PERP_OK);
  EXPECT_EQ(r.relation.ops->features(&r.relation),
            static_cast<std::uint32_t>(PERP_RELATION_HOLONOMIC | PERP_RELATION_BODIES |
                                       PERP_RELATION_NO_BIAS));
  relation_at at;
  at.q = {1, 2, 3, 1, 0, 0, 0.5};
  at.v = {1, 2, 3, 4, 5, 6};
  at.lambda = at.before = {0};
  const auto v = evaluate(r.relation, at);
  expect_near(v.y, {3.5}, 0);
  expect_near(v.ydot, {3}, 0);
}

TEST(LagrangianRelation, HandsOnWhatCallbacksAnswer) {
  const perp_gap_fn answers = [](double, const double *, const double *, const double *, double *,
                                 void *user) { return *static_cast<std::int32_t *>(user); };
  const perp_gap_fn fine = [](double, const double *, const double *, const double *, double *,
                              void *) { return 0; };
  relation_at at = point();
  for (std::int32_t code : {1, -1}) {
    for (int which = 0; which < 4; which++) {
      perp_lagrangian_relation r;
      ASSERT_EQ(perp_lagrangian_compliant_init(&r, sizeof r, 2, 2), PERP_OK);
      r.reads |= PERP_GAP_READS_TIME;
      r.h = fine;
      r.user = &code;
      perp_gap_fn *fields[] = {&r.h, &r.H, &r.h_dt, &r.D};
      *fields[which] = answers;
      EXPECT_EQ(evaluate(r.relation, at).code, code) << which;
    }
    for (int which = 0; which < 2; which++) {
      perp_lagrangian_velocity_relation r;
      ASSERT_EQ(perp_lagrangian_velocity_relation_init(&r, sizeof r, 2, 2), PERP_OK);
      r.g = fine;
      r.user = &code;
      *(which == 0 ? &r.g : &r.H) = answers;
      EXPECT_EQ(evaluate(r.relation, at).code, code) << which;
    }
    for (int which = 0; which < 5; which++) {
      perp_lagrangian_contact_relation r;
      ASSERT_EQ(perp_lagrangian_contact_relation_init(&r, sizeof r, 1, 2, 2), PERP_OK);
      r.h = r.T = fine;
      r.user = &code;
      perp_gap_fn *fields[] = {&r.h, &r.G, &r.T, &r.h_dt, &r.s};
      *fields[which] = answers;
      EXPECT_EQ(evaluate(r.relation, at).code, code) << which;
    }
  }
}

TEST(LagrangianRelation, ChecksNameTheField) {
  perp_info info = PERP_INFO_INIT;
  const auto expect = [&info](const perp_relation &r, perp_status status, const char *field) {
    EXPECT_EQ(r.ops->check(&r, &info), status) << field;
    EXPECT_STREQ(info.field, field);
    EXPECT_EQ(r.ops->check(&r, nullptr), status);
  };
  const perp_gap_fn fine = [](double, const double *, const double *, const double *, double *,
                              void *) { return 0; };
  perp_lagrangian_relation r;
  const auto fresh = [&] {
    ASSERT_EQ(perp_lagrangian_scleronomous_init(&r, sizeof r, 2, 2), PERP_OK);
    r.h = fine;
  };
  const double bad[] = {1, -1};
  fresh();
  EXPECT_EQ(r.relation.ops->check(&r.relation, &info), PERP_OK);
  r.h = nullptr;
  expect(r.relation, PERP_EINVAL, "h");
  fresh();
  r.h_dt = fine;
  expect(r.relation, PERP_EINVAL, "h_dt");
  fresh();
  r.D = fine;
  expect(r.relation, PERP_EINVAL, "D");
  fresh();
  r.reads = 8;
  expect(r.relation, PERP_EINVAL, "reads");
  fresh();
  r.bodies = 2;
  expect(r.relation, PERP_EINVAL, "bodies");
  fresh();
  r.n_z = 1;
  expect(r.relation, PERP_EINVAL, "z");
  r.z = &nan;
  expect(r.relation, PERP_ENOTFINITE, "z");
  fresh();
  r.typical_q = bad;
  expect(r.relation, PERP_EINVAL, "typical_q");
  fresh();
  r.typical_lambda = bad;
  expect(r.relation, PERP_EINVAL, "typical_lambda");
  fresh();
  r.relation.m = 70000;
  expect(r.relation, PERP_EUNSUPPORTED, "relation.m");

  perp_lagrangian_velocity_relation g;
  const auto fresh_g = [&] {
    ASSERT_EQ(perp_lagrangian_velocity_relation_init(&g, sizeof g, 2, 2), PERP_OK);
    g.g = fine;
  };
  fresh_g();
  EXPECT_EQ(g.relation.ops->check(&g.relation, &info), PERP_OK);
  g.g = nullptr;
  expect(g.relation, PERP_EINVAL, "g");
  fresh_g();
  g.bodies = -1;
  expect(g.relation, PERP_EINVAL, "bodies");
  fresh_g();
  g.typical_v = bad;
  expect(g.relation, PERP_EINVAL, "typical_v");
  fresh_g();
  g.n_z = -1;
  expect(g.relation, PERP_EINVAL, "n_z");

  perp_lagrangian_contact_relation k;
  const auto fresh_k = [&] {
    ASSERT_EQ(perp_lagrangian_contact_relation_init(&k, sizeof k, 2, 2, 2), PERP_OK);
    k.h = k.T = fine;
  };
  fresh_k();
  EXPECT_EQ(k.relation.ops->check(&k.relation, &info), PERP_OK);
  k.h = nullptr;
  expect(k.relation, PERP_EINVAL, "h");
  fresh_k();
  k.T = nullptr;
  expect(k.relation, PERP_EINVAL, "T");
  for (std::int32_t size : {1, 3, 0, -2}) {
    fresh_k();
    k.size = size;
    expect(k.relation, PERP_EINVAL, "size");
  }
  fresh_k();
  k.bodies = 1;
  expect(k.relation, PERP_EINVAL, "G");
  k.bodies = 3;
  expect(k.relation, PERP_EINVAL, "bodies");
  fresh_k();
  k.typical_q = bad;
  expect(k.relation, PERP_EINVAL, "typical_q");
  fresh_k();
  k.n_z = -1;
  expect(k.relation, PERP_EINVAL, "n_z");
}

TEST(LagrangianRelation, InitRefusesWrongSizes) {
  perp_lagrangian_relation r;
  for (auto init : {perp_lagrangian_scleronomous_init, perp_lagrangian_rheonomous_init,
                    perp_lagrangian_compliant_init}) {
    EXPECT_EQ(init(nullptr, sizeof r, 1, 1), PERP_EINVAL);
    EXPECT_EQ(init(&r, sizeof r - 1, 1, 1), PERP_EINVAL);
    EXPECT_EQ(init(&r, sizeof r, 0, 1), PERP_EINVAL);
    EXPECT_EQ(init(&r, sizeof r, 1, 0), PERP_EINVAL);
  }
  perp_lagrangian_velocity_relation g;
  EXPECT_EQ(perp_lagrangian_velocity_relation_init(nullptr, sizeof g, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_velocity_relation_init(&g, 0, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_velocity_relation_init(&g, sizeof g, -1, 1), PERP_EINVAL);
  perp_lagrangian_contact_relation k;
  EXPECT_EQ(perp_lagrangian_contact_relation_init(nullptr, sizeof k, 1, 2, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_contact_relation_init(&k, 1, 1, 2, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_contact_relation_init(&k, sizeof k, 0, 2, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_contact_relation_init(&k, sizeof k, 1, 1, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_contact_relation_init(&k, sizeof k, 1 << 30, 4, 1), PERP_EINVAL);
  EXPECT_EQ(perp_lagrangian_contact_relation_init(&k, sizeof k, 1, 2, 0), PERP_EINVAL);
}

// ------------------------------------------------------------------------ in simulations ----

using state = std::vector<long double>;

// Classical Runge-Kutta for what the tests compare with.
template <class F>
state runge_kutta(F f, state x, long double h, int steps) {
  for (int n = 0; n < steps; n++) {
    const auto shifted = [&x](const state &d, long double w) {
      state y = x;
      for (std::size_t i = 0; i < x.size(); i++) y[i] += w * d[i];
      return y;
    };
    const state a = f(x), b = f(shifted(a, h / 2)), d = f(shifted(b, h / 2)), e = f(shifted(d, h));
    for (std::size_t i = 0; i < x.size(); i++) x[i] += h / 6 * (a[i] + 2 * b[i] + 2 * d[i] + e[i]);
  }
  return x;
}

// Point of mass 2 on a circle of radius 1.5, gravity along −q1, released from rest beside the
// centre.
struct pendulum : tools::world {
  perp_lagrangian_relation rod;
  explicit pendulum(double h) {
    perp_lagrangian_linear &s = body({2, 2});
    s.f = keep({0, -2 * 9.81});
    add(s.system);
    perp_lagrangian_scleronomous_init(&rod, sizeof rod, 1, 2);
    rod.h = [](double, const double *q, const double *, const double *, double *y, void *) {
      y[0] = (q[0] * q[0] + q[1] * q[1] - 1.5 * 1.5) / 2;
      return 0;
    };
    rod.H = [](double, const double *q, const double *, const double *, double *H, void *) {
      H[0] = q[0];
      H[1] = q[1];
      return 0;
    };
    join(rod.relation, equality(), {0});
    q0 = {1.5, 0};
    v0 = {0, 0};
    options.h = h;
    options.solver = perp_solver_box_pivoting();
  }
};

TEST(LagrangianRelation, PendulumObeysTheDiscreteEquations) {
  pendulum w(1e-3);
  tools::run sim(w);
  ASSERT_EQ(sim.status, PERP_OK);
  for (int n = 0; n < 2000; n++) {
    const double q0 = sim.q(0, 0), q1 = sim.q(0, 1), v0 = sim.v(0, 0), v1 = sim.v(0, 1);
    ASSERT_EQ(sim.step(), PERP_OK);
    const double a = sim.q(0, 0), b = sim.q(0, 1), u = sim.v(0, 0), v = sim.v(0, 1);
    const double P = sim.lambda();
    ASSERT_NEAR(2 * (u - v0), a * P, 1e-9);
    ASSERT_NEAR(2 * (v - v1), -2 * 9.81e-3 + b * P, 1e-9);
    ASSERT_NEAR(a * u + b * v, 0, 1e-8);
    ASSERT_NEAR(a, q0 + 1e-3 * (u + v0) / 2, 1e-14);
    ASSERT_NEAR(b, q1 + 1e-3 * (v + v1) / 2, 1e-14);
    ASSERT_NEAR(sim.y(), (a * a + b * b - 2.25) / 2, 1e-12);
  }
}

TEST(LagrangianRelation, PendulumSwingsAsItsDifferentialEquation) {
  // φ from the downward vertical: φ'' = −g/l sin φ
  const auto swing = [](const state &x) { return state{x[1], -9.81L / 1.5L * std::sin(x[0])}; };
  const state exact = runge_kutta(swing, {std::acos(-1.0L) / 2, 0}, 1e-4L, 10000);
  double before = 0;
  for (double h : {2e-3, 1e-3, 5e-4}) {
    pendulum w(h);
    tools::run sim(w);
    ASSERT_EQ(sim.steps(static_cast<int>(std::lround(1 / h))), PERP_OK);
    const double angle = std::atan2(sim.q(0, 0), -sim.q(0, 1));
    const double error = std::fabs(angle - static_cast<double>(exact[0]));
    EXPECT_LT(error, 20 * h);
    if (before > 0) {
      EXPECT_LT(error, 0.6 * before);
    }
    before = error;
  }
}

TEST(LagrangianRelation, DifferencesStepAsGivenGradients) {
  pendulum a(1e-3), b(1e-3);
  b.rod.H = nullptr;
  tools::run given(a), formed(b);
  ASSERT_EQ(given.steps(500), PERP_OK);
  ASSERT_EQ(formed.steps(500), PERP_OK);
  EXPECT_NEAR(given.q(0, 0), formed.q(0, 0), 1e-7);
  EXPECT_NEAR(given.lambda(), formed.lambda(), 1e-7);
}

// The cam of di Bernardo, Osorio and Santini: its height c, rate and acceleration at a time.
struct cam {
  double rpm;
  void at(double t, double *c, double *rate, double *acceleration) const {
    const double pi = std::acos(-1.0), k1 = 0.45, rho1 = 0.85, k2 = 0.40393320723821, rho3 = 0.15;
    const double beta2 = 1.050328174371336, beta3 = 1.22173047639603;
    double w = 2 * pi * rpm / 60, beta = std::fmod(w * t + pi / 2, 2 * pi);
    if (beta > pi) {
      beta = 2 * pi - beta;
      w = -w;
    }
    const double s = std::sin(beta), k = std::cos(beta), a = beta + pi / 9;
    double C = 0.40, C1 = 0, C2 = 0;
    if (beta > pi / 2 && beta <= pi / 2 + beta2) {
      const double S = std::sqrt(rho1 * rho1 - k1 * k1 * k * k);
      C = -k1 * s + S;
      C1 = -k1 * k + k1 * k1 * s * k / S;
      C2 = k1 * s + k1 * k1 / S * (k * k - s * s - k1 * k1 * s * s * k * k / S / S);
    } else if (beta > pi / 2 && beta <= pi / 2 + beta3) {
      const double sa = std::sin(a), ca = std::cos(a),
                   S = std::sqrt(rho3 * rho3 - k2 * k2 * sa * sa);
      C = -k2 * ca + S;
      C1 = k2 * sa - k2 * k2 * sa * ca / S;
      C2 = k2 * ca - k2 * k2 / S * (ca * ca - sa * sa + k2 * k2 * sa * sa * ca * ca / S / S);
    } else if (beta > pi / 2) {
      C = 0.55393320723821;
    }
    *c = C - 0.3;
    *rate = C1 * w;
    *acceleration = C2 * w * w;
  }
};

const double follower = 1.221, spring = 1430.8;

// u'' μ + κ u = reaction, u ≥ c(t), restitution 0.8 of the velocity relative to the cam.
struct absolute_follower : tools::world {
  perp_lagrangian_relation contact_with_cam;
  cam profile;
  absolute_follower(double rpm, double h, double gap, double speed) : profile{rpm} {
    perp_lagrangian_linear &s = body(vec{follower});
    s.K = perp_diagonal(1, keep({spring}));
    add(s.system);
    perp_lagrangian_rheonomous_init(&contact_with_cam, sizeof contact_with_cam, 1, 1);
    contact_with_cam.user = &profile;
    contact_with_cam.h = [](double t, const double *q, const double *, const double *, double *y,
                            void *user) {
      double c, rate, acceleration;
      static_cast<const cam *>(user)->at(t, &c, &rate, &acceleration);
      y[0] = q[0] - c;
      return 0;
    };
    contact_with_cam.h_dt = [](double t, const double *, const double *, const double *, double *y,
                               void *user) {
      double c, rate, acceleration;
      static_cast<const cam *>(user)->at(t, &c, &rate, &acceleration);
      y[0] = -rate;
      return 0;
    };
    contact_with_cam.H = [](double, const double *, const double *, const double *, double *H,
                            void *) {
      H[0] = 1;
      return 0;
    };
    join(contact_with_cam.relation, impact(0.8), {0});
    double c, rate, acceleration;
    profile.at(0, &c, &rate, &acceleration);
    q0 = {c + gap};
    v0 = {rate + speed};
    options.h = h;
  }
};

TEST(LagrangianRelation, CamFollowerStepsAsTheSchemeSays) {
  // the scheme of one contact with a moving obstacle, written out
  const double h = 1e-4;
  absolute_follower w(358, h, 0.4, 0.4);
  tools::run sim(w);
  long double u = static_cast<long double>(sim.q()), v = static_cast<long double>(sim.v());
  double c, rate, acceleration;
  int impacts = 0;
  for (int n = 0; n < 10000; n++) {
    w.profile.at(n * h, &c, &rate, &acceleration);
    const long double y = u - c, ydot = v - rate;
    const long double W = follower + h * h / 4 * spring;
    const long double free_v = v - (h * h / 2 * spring * v + h * spring * u) / W;
    w.profile.at((n + 1) * h, &c, &rate, &acceleration);
    long double v1 = free_v;
    if (y + h / 2 * ydot <= 0 && free_v - rate + 0.8L * ydot < 0) {
      v1 = rate - 0.8L * ydot;
      impacts++;
    }
    u += h * (v + v1) / 2;
    v = v1;
    ASSERT_EQ(sim.step(), PERP_OK);
    ASSERT_NEAR(sim.q(), static_cast<double>(u), 1e-11) << n;
    ASSERT_NEAR(sim.v(), static_cast<double>(v), 1e-9) << n;
    u = static_cast<long double>(sim.q());
    v = static_cast<long double>(sim.v());
  }
  EXPECT_GT(impacts, 5);
}

TEST(LagrangianRelation, SlowCamIsFollowedWithTheForceOfItsMotion) {
  // below 114.98 rpm the follower stays: u = c(t), reaction μ c'' + κ c. A step leaves a gap of
  // order h², which the next ones close, so forces are compared over a while.
  const double h = 1e-4;
  const int window = 100;
  absolute_follower w(100, h, 0, 0);
  tools::run sim(w);
  double c, rate, acceleration, impulse = 0, expected = 0;
  for (int n = 1; n <= 6000; n++) {
    ASSERT_EQ(sim.step(), PERP_OK);
    w.profile.at(n * h, &c, &rate, &acceleration);
    ASSERT_NEAR(sim.q(), c, 1e-5) << n;
    impulse += sim.lambda();
    expected += h * (follower * acceleration + spring * c);
    if (n % window != 0) continue;
    ASSERT_NEAR(impulse, expected, 0.05 * expected + 1e-2) << n;
    impulse = expected = 0;
  }
}

TEST(LagrangianRelation, AbsoluteAndRelativeFormsOfTheCamAgree) {
  // q = u − c in a frame that moves with the cam: −(μ c'' + κ c) as force, q >= 0
  double before = 0;
  for (double h : {2e-4, 1e-4, 5e-5}) {
    absolute_follower w(150, h, 0, 0);
    tools::world moving;
    perp_lagrangian_linear &s = moving.body(vec{follower});
    s.K = perp_diagonal(1, moving.keep({spring}));
    s.force = [](double t, double *f, void *user) {
      double c, rate, acceleration;
      static_cast<const cam *>(user)->at(t, &c, &rate, &acceleration);
      f[0] = -(follower * acceleration + spring * c);
      return 0;
    };
    s.user = &w.profile;
    moving.add(s.system);
    moving.join(moving.contact(1, 1, {1}).relation, moving.impact(0.8), {0});
    moving.q0 = {0};
    moving.v0 = {0};
    moving.options.h = h;
    tools::run a(w), b(moving);
    double largest = 0;
    const int steps = static_cast<int>(std::lround(0.25 / h));
    for (int n = 1; n <= steps; n++) {
      ASSERT_EQ(a.step(), PERP_OK);
      ASSERT_EQ(b.step(), PERP_OK);
      double c, rate, acceleration;
      w.profile.at(n * h, &c, &rate, &acceleration);
      const double difference = std::fabs(a.q() - c - b.q());
      if (difference > largest) largest = difference;
    }
    EXPECT_LT(largest, 60 * h);
    if (before > 0) {
      EXPECT_LT(largest, before);
    }
    before = largest;
  }
}

// Mass 1 at speed −2 against a spring of stiffness k = 400 (+ b λ², softening) at q = 0.
struct bumper : tools::world {
  perp_lagrangian_relation pad;
  double curve;
  bumper(double h, double theta, double b) : curve(b) {
    perp_lagrangian_linear &s = body(vec{1});
    add(s.system);
    perp_lagrangian_compliant_init(&pad, sizeof pad, 1, 1);
    pad.h = [](double, const double *q, const double *l, const double *, double *y, void *user) {
      y[0] = q[0] + l[0] / 400 + *static_cast<const double *>(user) * l[0] * l[0];
      return 0;
    };
    pad.user = &curve;
    join(pad.relation, complementarity(), {0});
    q0 = {0};
    v0 = {-2};
    options.h = h;
    options.theta = theta;
  }
};

TEST(LagrangianRelation, CompliantContactIsASpringWhileItActs) {
  // q = −(2/20) sin 20 t, contact for π/20 = 0.157 s, then back at +2
  double before = 0;
  for (double h : {4e-4, 2e-4, 1e-4}) {
    bumper w(h, 0.5, 0);
    tools::run sim(w);
    double largest = 0;
    for (int n = 1; n * h < 0.25; n++) {
      ASSERT_EQ(sim.step(), PERP_OK) << n;
      const double t = n * h, end = std::acos(-1.0) / 20;
      const double q = t < end ? -0.1 * std::sin(20 * t) : 2 * (t - end);
      const double force = t < end ? 400 * 0.1 * std::sin(20 * t) : 0;
      EXPECT_NEAR(sim.q(), q, 30 * h) << t;
      if (t < end - 5 * h) {
        ASSERT_NEAR(sim.lambda() / h, force, 2500 * h) << t;
        ASSERT_GE(sim.lambda(), 0);
      }
      largest = std::fmax(largest, std::fabs(sim.q() - q));
    }
    EXPECT_EQ(sim.lambda(), 0);
    EXPECT_NEAR(sim.v(), 2, 100 * h);
    if (before > 0) {
      EXPECT_LT(largest, 0.7 * before);
    }
    before = largest;
  }
}

TEST(LagrangianRelation, GapOfACompliantContactDoesNotDrift) {
  // y = q + λ/k + b λ² stays where it closed, up to h times the change of velocity
  const double h = 1e-4;
  bumper w(h, 1, 1e-5);
  tools::run sim(w);
  ASSERT_EQ(sim.step(), PERP_OK);
  for (int n = 0; n < 1000; n++) {
    const double y = sim.q() + sim.lambda() / h / 400 + 1e-5 * std::pow(sim.lambda() / h, 2);
    ASSERT_NEAR(y, 0, 1e-9) << n;
    ASSERT_EQ(sim.step(), PERP_OK);
    ASSERT_GT(sim.lambda(), 0);
  }
}

TEST(LagrangianRelation, CurvedComplianceMovesAsItsDifferentialEquation) {
  // −q = λ/400 + b λ², so λ = (−1/400 + √(1/400² − 4 b q))/2b
  const long double b = 1e-4L;
  const auto move = [b](const state &x) {
    const long double c = 1.0L / 400;
    return state{x[1], x[0] < 0 ? (-c + std::sqrt(c * c - 4 * b * x[0])) / 2 / b : 0};
  };
  const state exact = runge_kutta(move, {0, -2}, 1e-5L, 10000);
  bumper w(1e-4, 0.5, 1e-4);
  tools::run sim(w);
  ASSERT_EQ(sim.steps(1000), PERP_OK);
  EXPECT_NEAR(sim.q(), static_cast<double>(exact[0]), 1e-3);
  EXPECT_NEAR(sim.v(), static_cast<double>(exact[1]), 1e-2);
}

TEST(LagrangianRelation, ChaplyginSleighKeepsItsConstraint) {
  // Centre of mass a ahead of the blade: u' = a ω², ω' = −m a u ω/(J + m a²) (u: speed of the
  // blade).
  const double m = 2, J = 0.3, a = 0.4;
  const auto sleigh = [=](const state &x) {
    return state{a * x[1] * x[1], -m * a * x[0] * x[1] / (J + m * a * a)};
  };
  const state exact = runge_kutta(sleigh, {1, 2}, 1e-4L, 10000);
  double before = 0;
  for (double h : {2e-3, 1e-3, 5e-4}) {
    tools::world w;
    perp_lagrangian_linear &s = w.body({m, m, J});
    w.add(s.system);
    perp_lagrangian_velocity_relation blade;
    ASSERT_EQ(perp_lagrangian_velocity_relation_init(&blade, sizeof blade, 1, 3), PERP_OK);
    const double length = a;
    blade.z = &length;
    blade.n_z = 1;
    blade.g = [](double, const double *q, const double *v, const double *z, double *y, void *) {
      y[0] = -std::sin(q[2]) * v[0] + std::cos(q[2]) * v[1] - z[0] * v[2];
      return 0;
    };
    w.join(blade.relation, w.equality(), {0});
    w.q0 = {0, 0, 0};
    w.v0 = {1, a * 2, 2};
    w.options.h = h;
    w.options.solver = perp_solver_box_pivoting();
    tools::run sim(w);
    ASSERT_EQ(sim.status, PERP_OK);
    const int steps = static_cast<int>(std::lround(1 / h));
    for (int n = 0; n < steps; n++) {
      ASSERT_EQ(sim.step(), PERP_OK);
      const double phi = sim.q(0, 2);
      ASSERT_NEAR(-std::sin(phi) * sim.v(0, 0) + std::cos(phi) * sim.v(0, 1) - a * sim.v(0, 2), 0,
                  1e-8);
    }
    const double phi = sim.q(0, 2);
    const double u = std::cos(phi) * sim.v(0, 0) + std::sin(phi) * sim.v(0, 1);
    const double error = std::fabs(u - static_cast<double>(exact[0])) +
                         std::fabs(sim.v(0, 2) - static_cast<double>(exact[1]));
    EXPECT_LT(error, 10 * h);
    if (before > 0) {
      EXPECT_LT(error, 0.6 * before);
    }
    before = error;
  }
}

TEST(LagrangianRelation, FrictionOnConstantDirectionsIsTheLinearRelation) {
  // a disc of radius R thrown on a floor: gap q1 − R, velocity of its lowest point v0 + R v2
  const double R = 0.3;
  for (double belt : {0.0, 0.5}) {
    tools::world w[2];
    perp_lagrangian_contact_relation floor;
    for (int i = 0; i < 2; i++) {
      perp_lagrangian_linear &s = w[i].body({1, 1, 0.045});
      s.f = w[i].keep({0, -9.81, 0});
      w[i].add(s.system);
      const perp_law *law = w[i].friction(2, 0.4, 0.5, 0);
      if (i == 0) {
        perp_lagrangian_linear_relation &r = w[i].contact(2, 3, {0, 1, 1, 0, 0, R});
        r.b = w[i].keep({-R, 0});
        w[i].join(r.relation, law, {0});
      } else {
        ASSERT_EQ(perp_lagrangian_contact_relation_init(&floor, sizeof floor, 1, 2, 3), PERP_OK);
        floor.h = [](double, const double *q, const double *, const double *, double *y, void *) {
          y[0] = q[1] - 0.3;
          return 0;
        };
        floor.T = [](double, const double *, const double *, const double *, double *T, void *) {
          T[0] = 1;
          T[2] = 0.3;
          return 0;
        };
        if (belt != 0)
          floor.s = [](double, const double *, const double *, const double *, double *y, void *) {
            y[0] = -0.5;
            return 0;
          };
        w[i].join(floor.relation, law, {0});
      }
      w[i].q0 = {0, 0.5, 0};
      // on a belt: the same motion seen from the belt
      w[i].v0 = {i == 1 ? 2 + belt : 2, 0, -1};
      w[i].options.solver = perp_solver_nsgs();
      w[i].options.h = 1e-3;
    }
    tools::run a(w[0]), b(w[1]);
    ASSERT_EQ(b.status, PERP_OK);
    for (int n = 1; n <= 1500; n++) {
      ASSERT_EQ(a.step(), PERP_OK);
      ASSERT_EQ(b.step(), PERP_OK) << n;
      ASSERT_NEAR(a.q(0, 0) + belt * n * 1e-3, b.q(0, 0), 1e-7) << n;
      ASSERT_NEAR(a.q(0, 1), b.q(0, 1), 1e-7) << n;
      ASSERT_NEAR(a.v(0, 2), b.v(0, 2), 1e-6) << n;
      ASSERT_NEAR(a.lambda(0, 1), b.lambda(0, 1), 1e-7) << n;
    }
    EXPECT_NEAR(a.v(0, 0) + R * a.v(0, 2), 0, 1e-8);  // rolls in the end
  }
}

TEST(LagrangianRelation, HertzianContactStoresTheEnergyOfTheBlow) {
  // −q = (λ/k)^(2/3): ½ m v² = ∫ k d^(3/2) = (2/5) k d^(5/2) at the deepest point
  const double depth = std::pow(2.0 / (0.4 * 1e5), 0.4);
  for (double h : {1e-4, 1e-5}) {
    bumper w(h, 0.5, 0);
    w.pad.h = [](double, const double *q, const double *l, const double *, double *y, void *) {
      y[0] = q[0] + std::cbrt(l[0] * l[0] * 1e-10);
      return 0;
    };
    w.pad.D = [](double, const double *, const double *l, const double *, double *D, void *) {
      D[0] = 2.0 / 3 * std::cbrt(1e-10 / std::fmax(l[0], 1e-12)); /* infinite at 0 */
      return 0;
    };
    w.q0 = {1e-3};
    tools::run sim(w);
    double deepest = 0;
    for (int n = 0; n * h < 0.2; n++) {
      ASSERT_EQ(sim.step(), PERP_OK) << n;
      deepest = std::fmin(deepest, sim.q());
    }
    EXPECT_NEAR(-deepest, depth, 2 * h);
    EXPECT_NEAR(sim.v(), 2, 500 * h);
  }
}

TEST(LagrangianRelation, SchemeOnPositionsTakesNoCompliance) {
  bumper w(1e-3, 0.5, 0);
  w.options.integrator = perp_integrator_schatzman_paoli();
  tools::run sim(w);
  EXPECT_EQ(sim.status, PERP_EUNSUPPORTED);
  EXPECT_STREQ(sim.info.field, "relation");
}

// Released at rest where a spring begins, a weight swings about mg/k and never falls through.
TEST(LagrangianRelation, WeightOnACompliantFloorSwings) {
  for (double theta : {0.5, 0.75, 1.0}) {
    bumper w(1e-3, theta, 0);
    w.bodies[0].f = w.keep({-9.81});
    w.v0 = {0};
    tools::run sim(w);
    const double deep = 2 * 9.81 / 400;
    double lowest = 0;
    for (int n = 0; n < 2000; n++) {
      ASSERT_EQ(sim.step(), PERP_OK);
      lowest = std::fmin(lowest, sim.q());
      ASSERT_GT(sim.q(), -1.05 * deep) << n;
      ASSERT_LT(sim.q(), 0.05 * deep) << n;
    }
    EXPECT_LT(lowest, -0.8 * deep);
  }
}

// A free wheel: v1 >= v0 driven by a motor that turns back half of the time.
TEST(LagrangianRelation, UnilateralLawOnVelocitiesActsAlways) {
  tools::world w;
  perp_lagrangian_linear &s = w.body({1, 1});
  s.force = [](double t, double *f, void *) {
    f[0] = std::sin(6 * t);
    f[1] = 0;
    return 0;
  };
  w.add(s.system);
  perp_lagrangian_velocity_relation r;
  ASSERT_EQ(perp_lagrangian_velocity_relation_init(&r, sizeof r, 1, 2), PERP_OK);
  r.g = [](double, const double *, const double *v, const double *, double *y, void *) {
    y[0] = v[1] - v[0];
    return 0;
  };
  w.join(r.relation, w.complementarity(), {0});
  w.q0 = {0, 0};
  w.v0 = {0, 0.1};
  w.options.h = 1e-3;
  tools::run sim(w);
  int acting = 0;
  for (int n = 0; n < 8000; n++) {
    const double before = sim.v(0, 1);
    ASSERT_EQ(sim.step(), PERP_OK);
    ASSERT_GE(sim.v(0, 1) - sim.v(0, 0), -1e-12) << n;
    ASSERT_GE(sim.v(0, 1), before - 1e-12);
    acting += sim.lambda() > 0;
  }
  EXPECT_GT(acting, 100);
}

// Every callback in turn refuses, gives up or writes NaN from a time on; the others are right.
struct saboteur {
  int which = -1;
  std::int32_t answer = 0;
  double from = 1e9;
};

template <int number>
std::int32_t sabotage(double t, const double *q, const double *v, const double *, double *out,
                      void *user) {
  const saboteur &s = *static_cast<const saboteur *>(user);
  if (number == s.which && t > s.from) {
    out[0] = s.answer == 0 ? nan : 0;
    return s.answer;
  }
  switch (number) {
    case 0:
      out[0] = q[0] + (v == nullptr ? 0 : v[0] / 400) - t / 100;
      break; /* h of λ */
    case 1:
      out[0] = 1;
      break; /* gradients */
    case 2:
      out[0] = -0.01;
      break; /* h_dt */
    case 3:
      out[0] = 1.0 / 400;
      break; /* D */
    default:
      break;
  }
  return 0;
}

TEST(LagrangianRelation, FailingCallbacksLeaveTheStateAsItWas) {
  const struct {
    std::int32_t answer;
    perp_status status;
  } endings[] = {{-1, PERP_ECALLBACK}, {2, PERP_RETRY}, {0, PERP_ENOTFINITE}};
  for (const auto &ending : endings)
    for (int kind = 0; kind < 2; kind++)
      for (int which = 0; which < 4; which++) {
        saboteur s;
        tools::world w;
        perp_lagrangian_linear &body = w.body(vec{1});
        body.f = w.keep({-9.81});
        w.add(body.system);
        perp_lagrangian_relation pad;
        perp_lagrangian_contact_relation floor;
        if (kind == 0) {
          ASSERT_EQ(perp_lagrangian_compliant_init(&pad, sizeof pad, 1, 1), PERP_OK);
          pad.reads |= PERP_GAP_READS_TIME;
          pad.h = sabotage<0>;
          pad.H = sabotage<1>;
          pad.h_dt = sabotage<2>;
          pad.D = sabotage<3>;
          pad.user = &s;
          w.join(pad.relation, w.complementarity(), {0});
        } else {
          ASSERT_EQ(perp_lagrangian_contact_relation_init(&floor, sizeof floor, 1, 2, 1), PERP_OK);
          floor.h = sabotage<0>;
          floor.G = sabotage<1>;
          floor.h_dt = sabotage<2>;
          floor.T = sabotage<3>;
          floor.user = &s;
          w.join(floor.relation, w.friction(2, 0.5), {0});
          w.options.solver = perp_solver_nsgs();
        }
        w.q0 = {0.05};
        w.v0 = {0};
        w.options.h = 1e-3;
        tools::run sim(w);
        ASSERT_EQ(sim.status, PERP_OK);
        ASSERT_EQ(sim.steps(150), PERP_OK);
        ASSERT_GT(sim.lambda(), 0);  // in contact, so that everything is read
        const auto before = sim.bytes();
        s = {which, ending.answer, 0.1};
        EXPECT_EQ(sim.step(), ending.status) << kind << which;
        EXPECT_EQ(sim.bytes(), before);
        s.which = -1;
        EXPECT_EQ(sim.step(), PERP_OK);
      }
}

// Slider-crank with clearance (parameters after Flores, Leine and Glocker 2010): angles t1, t2, t3
// of crank, rod and slider; four corners of the slider in a guide, with Coulomb friction.
struct slider_crank : tools::world {
  static constexpr double l1 = 0.153, l2 = 0.306, m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5,
                          J2 = 5.9e-4, J3 = 2.7e-6, half = 0.05, height = 0.025, clear = 0.001,
                          g = 9.81, mu = 0.01, e = 0.4;
  perp_lagrangian system;
  perp_lagrangian_contact_relation guide;

  static void mass(const double *q, double *M) {
    M[0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
    M[4] = J2 + (m2 / 4 + m3) * l2 * l2;
    M[8] = J3;
    M[1] = M[3] = (m2 / 2 + m3) * l1 * l2 * std::cos(q[0] - q[1]);
  }
  // what is on the left-hand side
  static void load(const double *q, const double *v, double *N) {
    const double S = (m2 / 2 + m3) * l1 * l2 * std::sin(q[0] - q[1]);
    N[0] = S * v[1] * v[1] + (m1 / 2 + m2 + m3) * g * l1 * std::cos(q[0]);
    N[1] = -S * v[0] * v[0] + (m2 / 2 + m3) * g * l2 * std::cos(q[1]);
    N[2] = 0;
  }
  // gap, its gradient and the tangential direction of corner k
  static void corner(const double *q, int k, double *gap, double *G, double *T) {
    const double sx = k % 2 == 0 ? -1 : 1, sy = k < 2 ? 1 : -1, s = std::sin(q[2]),
                 c = std::cos(q[2]);
    const double Y = l1 * std::sin(q[0]) + l2 * std::sin(q[1]);
    const double dx = sx * half * c - sy * height * s, dy = sx * half * s + sy * height * c;
    *gap = height + clear - sy * (Y + dy);
    G[0] = -sy * l1 * std::cos(q[0]);
    G[1] = -sy * l2 * std::cos(q[1]);
    G[2] = -sy * dx;
    T[0] = -l1 * std::sin(q[0]);
    T[1] = -l2 * std::sin(q[1]);
    T[2] = -dy;
  }

  slider_crank() {
    perp_lagrangian_init(&system, sizeof system, 3);
    system.mass = [](double, const double *q, const double *, const double *, double *M, void *) {
      mass(q, M);
      return 0;
    };
    system.gyroscopic = [](double, const double *q, const double *v, const double *, double *N,
                           void *) {
      load(q, v, N);
      return 0;
    };
    add(system.system);
    perp_lagrangian_contact_relation_init(&guide, sizeof guide, 4, 2, 3);
    guide.h = [](double, const double *q, const double *, const double *, double *y, void *) {
      double G[3], T[3];
      for (int k = 0; k < 4; k++) corner(q, k, &y[k], G, T);
      return 0;
    };
    guide.G = [](double, const double *q, const double *, const double *, double *out, void *) {
      for (int k = 0; k < 4; k++) {
        double gap, G[3], T[3];
        corner(q, k, &gap, G, T);
        for (int j = 0; j < 3; j++) out[k + 4 * j] = G[j];
      }
      return 0;
    };
    guide.T = [](double, const double *q, const double *, const double *, double *out, void *) {
      for (int k = 0; k < 4; k++) {
        double gap, G[3], T[3];
        corner(q, k, &gap, G, T);
        for (int j = 0; j < 3; j++) out[k + 4 * j] = T[j];
      }
      return 0;
    };
    join(guide.relation, friction(2, mu, e, 0), {0});
    q0 = {0, 0, 0};
    v0 = {150, -75, 0};
    options.h = 1e-5;
    options.solver = perp_solver_nsgs();
  }
};

TEST(LagrangianRelation, SliderCrankObeysMotionAndCoulombsLaw) {
  slider_crank w;
  tools::run sim(w);
  ASSERT_EQ(sim.status, PERP_OK);
  const double h = 1e-5;
  int contacts = 0;
  for (int n = 1; n <= 6000; n++) {
    double q[3], v[3], q1[3], v1[3], middle[3], M[9] = {0}, N[3], N1[3], R[3];
    for (std::size_t i = 0; i < 3; i++) q[i] = sim.q(0, i), v[i] = sim.v(0, i);
    ASSERT_EQ(sim.step(), PERP_OK) << n << " " << sim.info.field;
    for (std::size_t i = 0; i < 3; i++) {
      q1[i] = sim.q(0, i), v1[i] = sim.v(0, i);
      ASSERT_NEAR(q1[i], q[i] + h * (v[i] + v1[i]) / 2, 1e-13);
      middle[i] = q[i] + (q1[i] - q[i]) / 2;  // q* of θ = 1/2
    }
    slider_crank::mass(middle, M);
    slider_crank::load(q, v, N);
    slider_crank::load(q1, v1, N1);
    for (int i = 0; i < 3; i++) {
      R[i] = h * (N[i] + N1[i]) / 2;
      for (int j = 0; j < 3; j++) R[i] += M[i + 3 * j] * (v1[j] - v[j]);
    }
    int active = 0;
    for (int k = 0; k < 4; k++) {
      double gap, G[3], T[3], before = 0, after = 0, slip = 0;
      const double P = sim.lambda(0, static_cast<std::size_t>(2 * k)),
                   F = sim.lambda(0, static_cast<std::size_t>(2 * k + 1));
      slider_crank::corner(q, k, &gap, G, T);
      for (int j = 0; j < 3; j++) before += G[j] * v[j];
      const bool acts = gap + h / 2 * before <= 0;
      slider_crank::corner(q1, k, &gap, G, T);
      for (int j = 0; j < 3; j++) {
        after += G[j] * v1[j];
        slip += T[j] * v1[j];
        R[j] -= G[j] * P + T[j] * F;
      }
      if (std::fabs(gap) > 1e-12 && !acts) {
        ASSERT_EQ(P, 0) << n;
      }
      if (P > 0) {
        active++;
        ASSERT_NEAR(after, -0.4 * before, 1e-6) << n << " " << k;
        ASSERT_LE(std::fabs(F), 0.01 * P * (1 + 1e-8)) << n;
        if (std::fabs(slip) > 1e-6) {
          ASSERT_NEAR(F, slip > 0 ? -0.01 * P : 0.01 * P, 1e-8 * P + 1e-14) << n;
        }
      }
    }
    for (double defect : R) ASSERT_NEAR(defect, 0, 1e-9) << n;
    contacts += active > 0;
  }
  EXPECT_GT(contacts, 20);
}

}  // namespace
