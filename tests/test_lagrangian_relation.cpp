// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <cmath>
#include <limits>

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
const double s = std::sin(0.5), c = std::cos(0.5);

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
    expect_near(v.y, {0.25 + 4 - 9, -2 * s}, 1e-15);
    expect_near(v.H, {1, -2 * c, -4, s}, tol);
    expect_near(v.ydot, {3 - 16, -6 * c + 4 * s}, 10 * tol);
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
      r.h_t = [](double time, const double *q, const double *, const double *, double *y, void *) {
        y[0] = -q[0] * std::sin(time) + q[1] * 2 * time;
        return 0;
      };
    else
      r.h_t = nullptr;
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
    expect_near(v.ydot, {-3 * s + 4 * c + 25 + 0.75}, 1e-14);
    expect_near(v.H, {-s, c, 10}, given ? 1e-15 : 1e-8);
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
  r.h_t = [](double, const double *, const double *, const double *, double *y, void *) {
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
            static_cast<std::uint32_t>(PERP_RELATION_HOLONOMIC | PERP_RELATION_BODIES));
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
      perp_gap_fn *fields[] = {&r.h, &r.H, &r.h_t, &r.D};
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
      perp_gap_fn *fields[] = {&r.h, &r.G, &r.T, &r.h_t, &r.s};
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
  r.h_t = fine;
  expect(r.relation, PERP_EINVAL, "h_t");
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

}  // namespace
