// SPDX-License-Identifier: MIT
// γ of relations made of the user's functions, and of first order.
#include "bias_tools.hpp"

namespace {

using namespace bias_tools;

TEST(Bias, OfConstantTermsIsZero) {
  const double H[] = {1, 2, 3};
  perp_lagrangian_linear_relation r;
  ASSERT_EQ(perp_lagrangian_linear_relation_init(&r, sizeof r, 1, 3), PERP_OK);
  r.H = H;
  world w;
  set_plain(w, {1, 2, 3}, {4, 5, 6}, {0, 0, 0});
  const answer got = bias(r.relation, w);
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.gamma, vec{0});
}

// ------------------------------------------------------- functions of the user's: a mechanism
//
// h = (|q|² z − sin(ω t) q_0, cos(q_0 q_1)), ω = 0 where time does not enter.

const double z2[] = {2};

std::int32_t gap(double t, const double *q, const double *, const double *z, double *y,
                 void *user) {
  const double omega = *static_cast<const double *>(user);
  y[0] = (q[0] * q[0] + q[1] * q[1]) * z[0] - std::sin(omega * t) * q[0];
  y[1] = std::cos(q[0] * q[1]);
  return 0;
}
std::int32_t gap_dq(double t, const double *q, const double *, const double *z, double *H,
                    void *user) {
  const double omega = *static_cast<const double *>(user), s = -std::sin(q[0] * q[1]);
  H[0] = 2 * q[0] * z[0] - std::sin(omega * t);
  H[1] = s * q[1];
  H[2] = 2 * q[1] * z[0];
  H[3] = s * q[0];
  return 0;
}
std::int32_t gap_dt(double t, const double *q, const double *, const double *, double *y,
                    void *user) {
  const double omega = *static_cast<const double *>(user);
  y[0] = -omega * std::cos(omega * t) * q[0];
  return 0;
}
// vᵀ h_qq v + 2 h_qt v + h_tt.
std::int32_t gap_bias(double t, const double *q, const double *v, const double *z, double *out,
                      void *user) {
  const double omega = *static_cast<const double *>(user), a = q[0] * q[1];
  const double rate = v[0] * q[1] + q[0] * v[1];
  out[0] = 2 * z[0] * (v[0] * v[0] + v[1] * v[1]) - 2 * omega * std::cos(omega * t) * v[0] +
           omega * omega * std::sin(omega * t) * q[0];
  out[1] = -std::cos(a) * rate * rate - std::sin(a) * 2 * v[0] * v[1];
  return 0;
}
std::int32_t wrong_bias(double t, const double *q, const double *v, const double *z, double *out,
                        void *user) {
  (void)gap_bias(t, q, v, z, out, user);
  out[1] *= 1.001;
  return 0;
}

struct mechanism {
  double omega;
  perp_lagrangian_relation r;
  world w;
  explicit mechanism(double frequency) : omega(frequency) {
    const auto init =
        frequency == 0 ? perp_lagrangian_scleronomous_init : perp_lagrangian_rheonomous_init;
    EXPECT_EQ(init(&r, sizeof r, 2, 2), PERP_OK);
    r.h = gap;
    r.user = &omega;
    r.z = z2;
    r.n_z = 1;
    set_plain(w, {0.8, -1.3}, {0.6, 1.1}, {-0.4, 0.9});
  }
  vec exact() {
    vec out(2, 0.0);
    (void)gap_bias(w.t, w.q.data(), w.v.data(), z2, out.data(), &omega);
    return out;
  }
};

TEST(Bias, OfRelationsOfPositions) {
  for (double omega : {0.0, 3.0})
    for (perp_gap_fn H : {static_cast<perp_gap_fn>(gap_dq), static_cast<perp_gap_fn>(nullptr)})
      for (perp_velocity_fn given :
           {static_cast<perp_velocity_fn>(gap_bias), static_cast<perp_velocity_fn>(nullptr)}) {
        mechanism s(omega);
        s.r.H = H;
        s.r.h_dt = omega != 0 && H != nullptr ? gap_dt : nullptr;
        s.r.bias = given;
        expect_bias(s.r.relation, s.w, H != nullptr ? 1e-9 : 1e-7); /* ẏ of the judge */
        const vec gamma = bias(s.r.relation, s.w).gamma;
        const double tol = given != nullptr ? 1e-14 : H != nullptr ? 2e-12 : 5e-11;
        for (std::size_t i = 0; i < 2; i++) EXPECT_NEAR(gamma[i], s.exact()[i], tol);
      }
}

// Compliant relations are refused by whoever solves for λ; γ is that of λ = 0.
TEST(Bias, OfCompliantRelationsIsThatWithoutReaction) {
  for (perp_gap_fn H : {static_cast<perp_gap_fn>(gap_dq), static_cast<perp_gap_fn>(nullptr)}) {
    mechanism s(0);
    s.r.reads |= PERP_GAP_READS_LAMBDA;
    s.r.H = H;
    const answer got = bias(s.r.relation, s.w);
    ASSERT_EQ(got.code, 0);
    for (std::size_t i = 0; i < 2; i++) EXPECT_NEAR(got.gamma[i], s.exact()[i], 5e-11);
  }
}

// Small, fast, slow, large: what the size of a step is taken from.
TEST(Bias, IsRelativeToTheSizeOfTheMotion) {
  for (double speed : {1e-3, 1.0, 1e3, 1e5}) {
    mechanism s(0);
    s.r.H = gap_dq;
    for (double &v : s.w.v) v *= speed;
    const vec gamma = bias(s.r.relation, s.w).gamma;
    for (std::size_t i = 0; i < 2; i++)
      EXPECT_NEAR(gamma[i], s.exact()[i], 2e-12 * (speed + speed * speed)) << speed;
  }
}

TEST(Bias, OfTheUserTakesNoSizesAndNoCalls) {
  mechanism s(0);
  s.r.bias = gap_bias;
  s.r.h = nullptr; /* not called */
  EXPECT_EQ(bias(s.r.relation, s.w).gamma, s.exact());
}

TEST(Bias, ThatGivesUpOrAsksForASmallerStepSaysSo) {
  mechanism s(0);
  s.r.bias = [](double, const double *, const double *, const double *, double *, void *) {
    return std::int32_t{-4};
  };
  EXPECT_EQ(bias(s.r.relation, s.w).code, -4);
  s.r.bias = nullptr;
  s.r.h = [](double, const double *, const double *, const double *, double *, void *) {
    return std::int32_t{6};
  };
  EXPECT_EQ(bias(s.r.relation, s.w).code, 6);
  s.r.H = gap_dq;
  EXPECT_EQ(bias(s.r.relation, s.w).code, 6);
}

TEST(Bias, OfCompliantRelationsIsRefused) {
  mechanism s(0);
  s.r.reads |= PERP_GAP_READS_LAMBDA;
  s.r.bias = gap_bias;
  perp_info info = PERP_INFO_INIT;
  EXPECT_EQ(s.r.relation.ops->check(&s.r.relation, &info), PERP_EINVAL);
  EXPECT_STREQ(info.field, "bias");
}

// ẏ = (sin(q_1) v_0 − cos(q_1) v_1 + t², v_0² q_0).
std::int32_t skate(double t, const double *q, const double *v, const double *, double *out,
                   void *) {
  out[0] = std::sin(q[1]) * v[0] - std::cos(q[1]) * v[1] + t * t;
  out[1] = v[0] * v[0] * q[0];
  return 0;
}
std::int32_t skate_bias(double t, const double *q, const double *v, const double *, double *out,
                        void *) {
  out[0] = (std::cos(q[1]) * v[0] + std::sin(q[1]) * v[1]) * v[1] + 2 * t;
  out[1] = v[0] * v[0] * v[0];
  return 0;
}

TEST(Bias, OfRelationsOfVelocities) {
  for (perp_velocity_fn given :
       {static_cast<perp_velocity_fn>(skate_bias), static_cast<perp_velocity_fn>(nullptr)}) {
    perp_lagrangian_velocity_relation r;
    ASSERT_EQ(perp_lagrangian_velocity_relation_init(&r, sizeof r, 2, 2), PERP_OK);
    r.g = skate;
    r.bias = given;
    world w;
    set_plain(w, {0.8, -1.3}, {0.6, 1.1}, {-0.4, 0.9});
    expect_bias(r.relation, w, 1e-9);
    vec exact(2);
    (void)skate_bias(w.t, w.q.data(), w.v.data(), nullptr, exact.data(), nullptr);
    const vec gamma = bias(r.relation, w).gamma;
    for (std::size_t i = 0; i < 2; i++) EXPECT_NEAR(gamma[i], exact[i], 1e-12);
  }
}

// Two gaps with one tangent each on (q_0, q_1): h = (q_1 − sin q_0, q_1 + q_0² − t²).
std::int32_t floors(double t, const double *q, const double *, const double *, double *y, void *) {
  y[0] = q[1] - std::sin(q[0]);
  y[1] = q[1] + q[0] * q[0] - t * t;
  return 0;
}
std::int32_t floors_dq(double, const double *q, const double *, const double *, double *G, void *) {
  G[0] = -std::cos(q[0]);
  G[1] = 2 * q[0];
  G[2] = G[3] = 1;
  return 0;
}
std::int32_t floors_dt(double t, const double *, const double *, const double *, double *y,
                       void *) {
  y[1] = -2 * t;
  return 0;
}
std::int32_t along(double, const double *q, const double *, const double *, double *T, void *) {
  T[0] = std::cos(q[0]);
  T[1] = 1;
  T[2] = std::sin(q[0]);
  T[3] = -2 * q[0] * q[1];
  return 0;
}
std::int32_t belt(double t, const double *q, const double *, const double *, double *s, void *) {
  s[0] = std::exp(-t);
  s[1] = q[0] * t;
  return 0;
}
std::int32_t floors_bias(double t, const double *q, const double *v, const double *, double *out,
                         void *) {
  out[0] = std::sin(q[0]) * v[0] * v[0];
  out[1] = -std::sin(q[0]) * v[0] * v[0] + std::cos(q[0]) * v[0] * v[1] - std::exp(-t);
  out[2] = 2 * v[0] * v[0] - 2;
  out[3] = -2 * (v[0] * q[1] + q[0] * v[1]) * v[1] + v[0] * t + q[0];
  return 0;
}

TEST(Bias, OfContactsWithTangents) {
  for (perp_gap_fn G : {static_cast<perp_gap_fn>(floors_dq), static_cast<perp_gap_fn>(nullptr)})
    for (perp_velocity_fn given :
         {static_cast<perp_velocity_fn>(floors_bias), static_cast<perp_velocity_fn>(nullptr)}) {
      perp_lagrangian_contact_relation r;
      ASSERT_EQ(perp_lagrangian_contact_relation_init(&r, sizeof r, 2, 2, 2), PERP_OK);
      r.h = floors;
      r.G = G;
      r.T = along;
      r.h_dt = floors_dt;
      r.s = belt;
      r.bias = given;
      world w;
      set_plain(w, {0.8, -1.3}, {0.6, 1.1}, {-0.4, 0.9});
      expect_bias(r.relation, w, 1e-9);
      vec exact(4);
      (void)floors_bias(w.t, w.q.data(), w.v.data(), nullptr, exact.data(), nullptr);
      const vec gamma = bias(r.relation, w).gamma;
      for (std::size_t i = 0; i < 4; i++) EXPECT_NEAR(gamma[i], exact[i], 3e-11);
    }
}

// ------------------------------------------------------------------------- first order ----

std::int32_t output(double t, const double *x, const double *lambda, const double *z, double *y,
                    void *) {
  EXPECT_EQ(lambda[0], 0);
  y[0] = std::sin(3 * t) * x[0] + x[1] * x[1];
  y[1] = z[0] * t * t;
  return 0;
}
std::int32_t output_dt(double t, const double *x, const double *, const double *z, double *y,
                       void *) {
  y[0] = 3 * std::cos(3 * t) * x[0];
  y[1] = 2 * z[0] * t;
  return 0;
}

TEST(Bias, OfFirstOrderIsTheDerivativeByTime) {
  for (perp_relation_fn given :
       {static_cast<perp_relation_fn>(output_dt), static_cast<perp_relation_fn>(nullptr)}) {
    perp_first_order_relation r;
    ASSERT_EQ(perp_first_order_type1_init(&r, sizeof r, 2, 2), PERP_OK);
    r.h = output;
    r.z = z2;
    r.n_z = 1;
    r.h_dt = given;
    world w;
    set_plain(w, {0.8, -1.3}, {0.6, 1.1}, {-0.4, 0.9});
    expect_bias(r.relation, w, 1e-6); /* C by one-sided differences */
    const vec gamma = bias(r.relation, w).gamma;
    EXPECT_NEAR(gamma[0], 3 * std::cos(0.9) * 0.6, 1e-12);
    EXPECT_NEAR(gamma[1], 1.2, 1e-12);
  }
}

// All that a general relation writes has its place, also where a table has no bias of its own.
TEST(Bias, OfAGeneralTableOfFirstOrder) {
  perp_first_order_relation r;
  ASSERT_EQ(perp_first_order_relation_init(&r, sizeof r, 2, 2), PERP_OK);
  r.h = output;
  r.z = z2;
  r.n_z = 1;
  r.g = [](double, const double *x, const double *lambda, const double *, double *out,
           void *) -> std::int32_t {
    out[0] = x[0] * lambda[0];
    return 0;
  };
  r.D = [](double, const double *, const double *, const double *, double *, void *) {
    return std::int32_t{0};
  };
  world w;
  set_plain(w, {0.8, -1.3}, {0.6, 1.1}, {-0.4, 0.9});
  const answer got = by_differences(r.relation, w);
  ASSERT_EQ(got.code, 0);
  EXPECT_NEAR(got.gamma[0], 3 * std::cos(0.9) * 0.6, 1e-12);
  EXPECT_NEAR(got.gamma[1], 1.2, 1e-12);
}

TEST(Bias, OfCoefficientsOfTime) {
  perp_linear_varying_relation r;
  ASSERT_EQ(perp_linear_varying_relation_init(&r, sizeof r, 2, 2), PERP_OK);
  const double C[] = {1, 2, 3, 4}, F[] = {5, 6}, e[] = {7, 8};
  r.linear.C = C;
  r.linear.F = F;
  r.linear.e = e;
  r.linear.z = z2;
  r.linear.n_z = 1;
  world w;
  set_plain(w, {0.8, -1.3}, {0.6, 1.1}, {-0.4, 0.9});
  EXPECT_EQ(bias(r.linear.relation, w).gamma, (vec{0, 0}));
  expect_bias(r.linear.relation, w);
  r.C = [](double t, double *out, void *) -> std::int32_t {
    out[0] = std::cos(2 * t);
    out[3] = t * t * t;
    return 0;
  };
  r.F = [](double t, double *out, void *) -> std::int32_t {
    out[1] = t * t;
    return 0;
  };
  r.e = [](double t, double *out, void *) -> std::int32_t {
    out[0] = std::exp(t);
    return 0;
  };
  expect_bias(r.linear.relation, w);
  const vec gamma = bias(r.linear.relation, w).gamma;
  EXPECT_NEAR(gamma[0], -2 * std::sin(0.6) * 0.6 + std::exp(0.3), 1e-12);
  EXPECT_NEAR(gamma[1], 3 * 0.09 * 1.1 + 2 * 0.3 * 2, 1e-12);
}

// ------------------------------------------------------------------------------- check ----

TEST(Bias, OfTheUserIsComparedByTheCheckOfDerivatives) {
  for (double omega : {0.0, 3.0})
    for (perp_velocity_fn given :
         {static_cast<perp_velocity_fn>(gap_bias), static_cast<perp_velocity_fn>(wrong_bias)}) {
      mechanism s(omega);
      const double mass[] = {1, 1};
      s.w.plain.M = perp_diagonal(2, mass);
      s.r.H = gap_dq;
      s.r.h_dt = omega != 0 ? gap_dt : nullptr;
      s.r.bias = given;
      const checked c = check_model(s.w, s.r.relation, s.w.q, s.w.v);
      EXPECT_EQ(c.status, given == gap_bias ? PERP_OK : PERP_INACCURATE);
      if (given == gap_bias) continue;
      EXPECT_STREQ(c.report.jacobian, "bias");
      EXPECT_EQ(c.report.found, PERP_FOUND_RELATION);
      EXPECT_EQ(c.report.row, 1);
      EXPECT_EQ(c.report.column, 0);
      EXPECT_NEAR(c.report.given, 1.001 * s.exact()[1], 1e-12);
      EXPECT_NEAR(c.report.expected, s.exact()[1], 1e-8);
    }
}

}  // namespace
