// SPDX-License-Identifier: MIT
// γ against d/ds of ẏ along a motion with accelerations: with q̇ = T(q) v, v̇ = a the rate of ẏ is
// H a + γ. The motion is integrated here, in long double, and ẏ differentiated by Richardson's
// extrapolation.
#ifndef PERP_TESTS_BIAS_TOOLS_HPP
#define PERP_TESTS_BIAS_TOOLS_HPP

#include <gtest/gtest.h>
#include <perp/perp.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "relation_tools.hpp"

extern "C" {
#include "model/bias.h"
}

namespace bias_tools {

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
inline void set_plain(world &w, const vec &q, const vec &v, const vec &a) {
  ASSERT_EQ(
      perp_lagrangian_linear_init(&w.plain, sizeof w.plain, static_cast<std::int32_t>(v.size())),
      PERP_OK);
  w.systems = {&w.plain.system};
  w.q = q;
  w.v = v;
  w.a = a;
}

// q̇ = T(q) v of all systems: Q̇ = Q * (0, Ω)/2.
inline rvec rates(const world &w, const rvec &q, const rvec &v) {
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
inline void travel(const world &w, real s, vec &q, vec &v) {
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
  vec rate, H;  // ẏ, at order 1 y
};

inline values evaluate(const perp_relation &r, double t, const vec &q, const vec &v) {
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
  return {r.ops->order == 1 ? e.y : e.ydot, e.H};
}

// d/ds of ẏ (order 1: y) along the motion, by extrapolation of central differences in four steps.
inline vec rate_of(const perp_relation &r, const world &w) {
  const auto m = static_cast<std::size_t>(r.m);
  std::array<std::array<rvec, 4>, 4> T;
  for (std::size_t k = 0; k < 4; k++) {
    const real s = 0.04L / static_cast<real>(1u << k);
    vec q, v;
    travel(w, s, q, v);
    const vec up = evaluate(r, w.t + static_cast<double>(s), q, v).rate;
    travel(w, -s, q, v);
    const vec down = evaluate(r, w.t - static_cast<double>(s), q, v).rate;
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
inline answer bias(const perp_relation &r, const world &w) {
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

inline void expect_bias(const perp_relation &r, const world &w, double tol = 2e-10,
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

// Differences alone, as for a table of the user's own.
inline answer by_differences(const perp_relation &r, const world &w) {
  perp_relation_ops plain = *r.ops;
  plain.bias = nullptr;
  std::vector<std::max_align_t> copy(r.struct_size / sizeof(std::max_align_t) + 1);
  std::memcpy(copy.data(), &r, r.struct_size);
  auto *head = reinterpret_cast<perp_relation *>(copy.data());
  head->ops = &plain;
  return bias(*head, w);
}

inline double largest(const vec &x) {
  double most = 0;
  for (double each : x) most = std::fmax(most, std::fabs(each));
  return most;
}

// Formulas and differences, which share nothing, to rounding.
inline void expect_same(const perp_relation &r, const world &w, double tol = 3e-12) {
  const answer exact = bias(r, w), approximate = by_differences(r, w);
  ASSERT_EQ(approximate.code, 0);
  for (std::size_t i = 0; i < exact.gamma.size(); i++)
    EXPECT_NEAR(exact.gamma[i], approximate.gamma[i], tol * (1 + largest(exact.gamma)));
}

// What the check of derivatives says of a model with one relation.
struct checked {
  perp_status status;
  perp_derivative_report report;
};

inline checked check_model(const world &w, const perp_relation &r, const vec &q, const vec &v) {
  perp_equality law;
  EXPECT_EQ(perp_equality_init(&law, sizeof law), PERP_OK);
  std::vector<std::int32_t> joined(w.systems.size());
  for (std::size_t i = 0; i < joined.size(); i++) joined[i] = static_cast<std::int32_t>(i);
  const perp_interaction inter = {&r, &law.law, joined.data(),
                                  static_cast<std::int32_t>(joined.size()), 0};
  const perp_interaction *inters[] = {&inter};
  perp_model model = PERP_MODEL_INIT;
  model.systems = w.systems.data();
  model.n_systems = static_cast<std::int32_t>(w.systems.size());
  model.interactions = inters;
  model.n_interactions = 1;
  model.q0 = q.data();
  model.v0 = v.data();
  std::vector<unsigned char> work(perp_model_check_derivatives_workspace(&model));
  checked out = {999, PERP_DERIVATIVE_REPORT_INIT};
  out.status = perp_model_check_derivatives(&model, w.t, q.data(), v.data(), nullptr, nullptr, 1e-6,
                                            work.data(), work.size(), &out.report);
  return out;
}

}  // namespace bias_tools

#endif
