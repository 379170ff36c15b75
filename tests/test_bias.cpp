// SPDX-License-Identifier: MIT
// γ of every kind against d/ds of ẏ along a motion with accelerations: with q̇ = T(q) v, v̇ = a the
// rate of ẏ is H a + γ. The motion is integrated here, in long double, and ẏ differentiated by
// Richardson's extrapolation.
#include <gtest/gtest.h>
#include <perp/perp.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "relation_tools.hpp"

extern "C" {
#include "model/bias.h"
#include "model/curve.h"
}

namespace {

using vec = std::vector<double>;
using real = long double;
using rvec = std::vector<real>;

const double nan = std::numeric_limits<double>::quiet_NaN();

// ---------------------------------------------------------------------------- motions ----

// Systems side by side: bodies (7 positions), or one with as many positions as velocities.
struct world {
  std::vector<perp_body> bodies;
  perp_lagrangian_linear plain{};
  std::vector<const perp_system *> systems;
  double t = 0.3;
  vec q, v, a;

  static world of_bodies(int count, std::mt19937 &random) {
    world w;
    std::uniform_real_distribution<double> some(-1, 1);
    w.bodies.resize(static_cast<std::size_t>(count));
    for (auto &body : w.bodies) {
      EXPECT_EQ(perp_body_init(&body, sizeof body), PERP_OK);
      for (int i = 0; i < 3; i++) w.q.push_back(2 * some(random));
      double Q[4];
      const double axis[3] = {some(random), some(random), some(random)};
      perp_rotation_quaternion(axis, 3 * some(random), Q);
      w.q.insert(w.q.end(), Q, Q + 4);
      for (int i = 0; i < 6; i++) w.v.push_back(some(random)), w.a.push_back(some(random));
    }
    for (auto &body : w.bodies) w.systems.push_back(&body.system);
    return w;
  }
  world() = default;
  world(world &&) = default;
  world(const world &) = delete;
  world &operator=(const world &) = delete;
  world &operator=(world &&) = delete;
  ~world() = default;

  bool has_bodies() const { return !bodies.empty(); }
};

// A plain system has to stay where it is, so it is set up in place.
void set_plain(world &w, const vec &q, const vec &v, const vec &a) {
  ASSERT_EQ(
      perp_lagrangian_linear_init(&w.plain, sizeof w.plain, static_cast<std::int32_t>(v.size())),
      PERP_OK);
  w.systems = {&w.plain.system};
  w.q = q;
  w.v = v;
  w.a = a;
}

// q̇ = T(q) v of all systems: Q̇ = Q * (0, Ω)/2.
rvec rates(const world &w, const rvec &q, const rvec &v) {
  if (!w.has_bodies()) return v;
  rvec out;
  for (std::size_t b = 0; b < w.bodies.size(); b++) {
    const real *Q = &q[7 * b + 3], *u = &v[6 * b], *W = &v[6 * b + 3];
    out.insert(out.end(), u, u + 3);
    out.push_back(-(Q[1] * W[0] + Q[2] * W[1] + Q[3] * W[2]) / 2);
    out.push_back((Q[0] * W[0] + Q[2] * W[2] - Q[3] * W[1]) / 2);
    out.push_back((Q[0] * W[1] + Q[3] * W[0] - Q[1] * W[2]) / 2);
    out.push_back((Q[0] * W[2] + Q[1] * W[1] - Q[2] * W[0]) / 2);
  }
  return out;
}

// Positions and velocities at s by Runge and Kutta's method.
void travel(const world &w, real s, vec &q, vec &v) {
  const int steps = 200;
  const real h = s / steps;
  rvec at(w.q.begin(), w.q.end());
  const auto velocity = [&](real time) {
    rvec u(w.v.size());
    for (std::size_t i = 0; i < u.size(); i++)
      u[i] = static_cast<real>(w.v[i]) + time * static_cast<real>(w.a[i]);
    return u;
  };
  const auto plus = [](rvec x, real f, const rvec &y) {
    for (std::size_t i = 0; i < x.size(); i++) x[i] += f * y[i];
    return x;
  };
  for (int k = 0; k < steps; k++) {
    const real t = k * h;
    const rvec k1 = rates(w, at, velocity(t));
    const rvec k2 = rates(w, plus(at, h / 2, k1), velocity(t + h / 2));
    const rvec k3 = rates(w, plus(at, h / 2, k2), velocity(t + h / 2));
    const rvec k4 = rates(w, plus(at, h, k3), velocity(t + h));
    at = plus(plus(plus(plus(at, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  q.assign(at.begin(), at.end());
  const rvec u = velocity(s);
  v.assign(u.begin(), u.end());
}

struct values {
  vec y, ydot, H;
};

values evaluate(const perp_relation &r, double t, const vec &q, const vec &v) {
  tools::relation_at at;
  const auto m = static_cast<std::size_t>(r.m);
  at.t = t;
  at.h = 1;
  at.q = q;
  at.v = v;
  at.lambda = vec(m, 0.0);
  at.before = vec(m, 0.0);
  const auto e = tools::evaluate(r, at);
  EXPECT_EQ(e.code, 0);
  return {e.y, e.ydot, e.H};
}

// d/ds ẏ along the motion, by extrapolation of central differences in four steps.
vec rate_of(const perp_relation &r, const world &w) {
  const auto m = static_cast<std::size_t>(r.m);
  std::array<std::array<rvec, 4>, 4> T;
  for (std::size_t k = 0; k < 4; k++) {
    const real s = 0.04L / static_cast<real>(1u << k);
    vec q, v;
    travel(w, s, q, v);
    const vec up = evaluate(r, w.t + static_cast<double>(s), q, v).ydot;
    travel(w, -s, q, v);
    const vec down = evaluate(r, w.t - static_cast<double>(s), q, v).ydot;
    const real width = static_cast<real>(w.t + static_cast<double>(s)) -
                       static_cast<real>(w.t - static_cast<double>(s));
    T[k][0].resize(m);
    for (std::size_t i = 0; i < m; i++)
      T[k][0][i] = (static_cast<real>(up[i]) - static_cast<real>(down[i])) / width;
    for (std::size_t j = 1; j <= k; j++) {
      T[k][j].resize(m);
      const real f = static_cast<real>(1u << (2 * j));
      for (std::size_t i = 0; i < m; i++)
        T[k][j][i] = (f * T[k][j - 1][i] - T[k - 1][j - 1][i]) / (f - 1);
    }
  }
  return vec(T[3][3].begin(), T[3][3].end());
}

struct answer {
  std::int32_t code = 999;
  vec gamma;
};

// γ with λ not there at all, and guards about what is written.
answer bias(const perp_relation &r, const world &w) {
  const auto m = static_cast<std::size_t>(r.m);
  const auto count = static_cast<std::int32_t>(w.systems.size());
  const std::size_t doubles = perp_relation_bias_doubles(&r, w.systems.data(), count);
  tools::guarded_array gamma(m), scratch(doubles);
  for (std::size_t i = 0; i < m; i++) gamma.data()[i] = 999;
  for (std::size_t i = 0; i < doubles; i++) scratch.data()[i] = nan;
  const perp_relation_point at = {
      w.t, 1, r.ops->order == 2 ? w.q.data() : nullptr, w.v.data(), nullptr, nullptr, 0};
  answer out;
  out.code = perp_relation_bias(&r, w.systems.data(), count, &at, gamma.data(), scratch.data());
  out.gamma = gamma.take();
  (void)scratch.take();
  return out;
}

void expect_bias(const perp_relation &r, const world &w, double tol = 2e-10,
                 const std::string &what = "") {
  const auto m = static_cast<std::size_t>(r.m), n = static_cast<std::size_t>(r.n);
  ASSERT_EQ(w.v.size(), n);
  const answer got = bias(r, w);
  ASSERT_EQ(got.code, 0) << what;
  const vec H = evaluate(r, w.t, w.q, w.v).H;
  const vec expected = rate_of(r, w);
  for (std::size_t i = 0; i < m; i++) {
    double sum = got.gamma[i];
    for (std::size_t j = 0; j < n; j++) sum += H[i + m * j] * w.a[j];
    EXPECT_NEAR(sum, expected[i], tol * (1 + std::fabs(expected[i]))) << what << " row " << i;
  }
}

// ----------------------------------------------------------------------------- curves ----

struct wave {
  double omega = 1, phase = 0.4;
  double refuse_below = -1e300;
  mutable int calls = 0;
};
std::int32_t wave_at(double s, double *out, const void *context) {
  const wave &w = *static_cast<const wave *>(context);
  w.calls++;
  if (s < w.refuse_below) return 7;
  out[0] = std::sin(w.omega * s + w.phase);
  out[1] = 3;
  return 0;
}

double curve_error(const wave &w, std::int32_t which, double scale) {
  vec scratch(perp_curve_doubles(2), nan);
  double out[2] = {999, 999};
  EXPECT_EQ(perp_curve_derivative(2, wave_at, &w, which, scale, nullptr, out, scratch.data()), 0);
  EXPECT_EQ(out[1], 0);
  const double exact =
      which == CURVE_RATE ? w.omega * std::cos(w.phase) : -w.omega * w.omega * std::sin(w.phase);
  return std::fabs(out[0] - exact) / std::fabs(exact);
}

TEST(Curve, RateIsGoodToThirteenDigitsWhereTheScaleIsRight) {
  for (double omega : {0.5, 1.0, 2.0, 5.0}) {
    const wave w = {omega};
    EXPECT_LT(curve_error(w, CURVE_RATE, 1), 2e-13) << omega;
    EXPECT_EQ(w.calls, 8);
  }
}

TEST(Curve, StepAdaptsToWhatIsFasterThanTheScale) {
  for (double omega : {10.0, 50.0, 300.0, 2500.0, 20000.0}) {
    const wave w = {omega};
    EXPECT_LT(curve_error(w, CURVE_RATE, 1), 2e-12) << omega;
    EXPECT_LE(w.calls, 8 * 8);
    const wave again = {omega};
    EXPECT_LT(curve_error(again, CURVE_ACCELERATION, 1), 5e-11) << omega;
  }
}

TEST(Curve, AccelerationIsGoodToTwelveDigitsWhereTheScaleIsRight) {
  for (double omega : {0.5, 1.0, 2.0}) {
    const wave w = {omega};
    EXPECT_LT(curve_error(w, CURVE_ACCELERATION, 1), 2e-12) << omega;
    EXPECT_EQ(w.calls, 9);
  }
}

TEST(Curve, OneSideIsEnough) {
  for (double sign : {1.0, -1.0}) {
    wave w = {2};
    w.refuse_below = 0;
    const auto f = [](double s, double *out, const void *context) {
      const auto &pair = *static_cast<const std::pair<double, wave> *>(context);
      const std::int32_t code = wave_at(pair.first * s, out, &pair.second);
      out[0] *= pair.first;
      return code;
    };
    const std::pair<double, wave> context = {sign, w};
    double out[2];
    vec scratch(perp_curve_doubles(2), nan);
    ASSERT_EQ(perp_curve_derivative(2, f, &context, CURVE_RATE, 1, nullptr, out, scratch.data()),
              0);
    EXPECT_NEAR(out[0], 2 * std::cos(0.4), 1e-10);
    ASSERT_EQ(
        perp_curve_derivative(2, f, &context, CURVE_ACCELERATION, 1, nullptr, out, scratch.data()),
        0);
    EXPECT_NEAR(out[0], -4 * sign * std::sin(0.4), 1e-6);
  }
}

TEST(Curve, ARefusalAndGivingUpAreTold) {
  const auto refuse = [](double s, double *out, const void *) -> std::int32_t {
    out[0] = s;
    return s == 0 ? 0 : 5;
  };
  const auto give_up = [](double, double *, const void *) -> std::int32_t { return -3; };
  const auto not_finite = [](double, double *out, const void *) -> std::int32_t {
    out[0] = nan;
    return 0;
  };
  double out[1];
  vec s(perp_curve_doubles(1));
  for (std::int32_t which : {CURVE_RATE, CURVE_ACCELERATION}) {
    EXPECT_EQ(perp_curve_derivative(1, refuse, nullptr, which, 1, nullptr, out, s.data()), 5);
    EXPECT_EQ(perp_curve_derivative(1, give_up, nullptr, which, 1, nullptr, out, s.data()), -3);
    EXPECT_GT(perp_curve_derivative(1, not_finite, nullptr, which, 1, nullptr, out, s.data()), 0);
  }
}

// A velocity that is 0 by cancellation leaves rounding, and no reason for ever smaller steps.
TEST(Curve, RoundingOfTermsEndsTheSweeps) {
  struct counter {
    mutable int calls = 0;
  } c;
  const auto f = [](double s, double *out, const void *context) -> std::int32_t {
    static_cast<const counter *>(context)->calls++;
    const double big = 1e3 * std::exp(s);
    out[0] = (big + std::sin(s)) - big - std::sin(s);
    return 0;
  };
  double out[1];
  const double terms[1] = {1e3};
  vec s(perp_curve_doubles(1));
  ASSERT_EQ(perp_curve_derivative(1, f, &c, CURVE_RATE, 1, terms, out, s.data()), 0);
  EXPECT_EQ(c.calls, 8);
  EXPECT_LT(std::fabs(out[0]), 1e-10);
}

// ------------------------------------------------------------------------------ kinds ----

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

TEST(Bias, OfJoints) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> some(-1, 1);
  for (std::int32_t kind = PERP_JOINT_SPHERICAL; kind <= PERP_JOINT_SCREW; kind++)
    for (int count = 1; count <= 2; count++)
      for (int trial = 0; trial < 10; trial++) {
        world w = world::of_bodies(count, random);
        perp_joint joint;
        ASSERT_EQ(perp_joint_init(&joint, sizeof joint, kind, count), PERP_OK);
        const double point[3] = {some(random), some(random), some(random)};
        const double axis[3] = {some(random), some(random), some(random)};
        ASSERT_EQ(perp_joint_place(&joint, point, axis, w.q.data(),
                                   count == 2 ? w.q.data() + 7 : nullptr),
                  PERP_OK);
        joint.lead = 0.7;
        joint.point_a[0] += 0.3;  // nor need the joint be closed where it is looked at
        vec v0;
        travel(w, 0.4L, w.q, v0);
        expect_bias(joint.relation, w, 2e-10,
                    "kind " + std::to_string(kind) + ", bodies " + std::to_string(count));
      }
}

}  // namespace
