// SPDX-License-Identifier: MIT
// Rotations, random configurations and derivatives by differences, in long double and by other
// formulas than the library's.
#ifndef PERP_TESTS_BODY_TOOLS_HPP
#define PERP_TESTS_BODY_TOOLS_HPP

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace tools {

using real = long double;
using vec3 = std::array<real, 3>;
using quat = std::array<real, 4>;

inline vec3 cross(const vec3 &a, const vec3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline real dot(const vec3 &a, const vec3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline vec3 operator+(const vec3 &a, const vec3 &b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline vec3 operator-(const vec3 &a, const vec3 &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline vec3 operator*(real s, const vec3 &a) { return {s * a[0], s * a[1], s * a[2]}; }
template <typename T>
vec3 v3(const T *p) {
  return {p[0], p[1], p[2]};
}

inline quat multiply(const quat &a, const quat &b) {
  const vec3 u = {a[1], a[2], a[3]}, w = {b[1], b[2], b[3]};
  const vec3 v = (a[0] * w + b[0] * u) + cross(u, w);
  return {a[0] * b[0] - dot(u, w), v[0], v[1], v[2]};
}

// x turned by Q: Q * (0, x) * conjugate Q.
inline vec3 turn(const quat &Q, const vec3 &x) {
  const quat p = multiply(multiply(Q, {0, x[0], x[1], x[2]}), {Q[0], -Q[1], -Q[2], -Q[3]});
  return {p[1], p[2], p[3]};
}
inline vec3 turn_back(const quat &Q, const vec3 &x) { return turn({Q[0], -Q[1], -Q[2], -Q[3]}, x); }
inline quat quaternion(const double *q) { return {q[3], q[4], q[5], q[6]}; }

// One body moved by d: q ⊕ d.
inline std::array<real, 7> oplus(const std::array<real, 7> &q, const std::array<real, 6> &d) {
  const real a = std::sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
  const real f = a < 1e-30L ? 0.5L : std::sin(a / 2) / a;
  const quat Q =
      multiply({q[3], q[4], q[5], q[6]}, {std::cos(a / 2), f * d[3], f * d[4], f * d[5]});
  return {q[0] + d[0], q[1] + d[1], q[2] + d[2], Q[0], Q[1], Q[2], Q[3]};
}

// All bodies of q (7 each) moved by s d (6 each), as doubles.
inline std::vector<double> moved(const std::vector<double> &q, const std::vector<double> &d,
                                 double s) {
  std::vector<double> out(q.size());
  for (std::size_t b = 0; 7 * b < q.size(); b++) {
    std::array<real, 7> x;
    std::array<real, 6> e;
    for (std::size_t i = 0; i < 7; i++) x[i] = q[7 * b + i];
    for (std::size_t i = 0; i < 6; i++) e[i] = static_cast<real>(s) * d[6 * b + i];
    const auto y = oplus(x, e);
    for (std::size_t i = 0; i < 7; i++) out[7 * b + i] = static_cast<double>(y[i]);
  }
  return out;
}

// Derivative of f along the motion q ⊕ s d at s = 0, central differences extrapolated once.
inline std::vector<double> along(
    const std::function<std::vector<double>(const std::vector<double> &)> &f,
    const std::vector<double> &q, const std::vector<double> &d, double s = 1e-3) {
  const auto difference = [&](double step) {
    auto plus = f(moved(q, d, step)), minus = f(moved(q, d, -step));
    for (std::size_t i = 0; i < plus.size(); i++) plus[i] = (plus[i] - minus[i]) / (2 * step);
    return plus;
  };
  auto coarse = difference(s), fine = difference(s / 2);
  for (std::size_t i = 0; i < fine.size(); i++) fine[i] = (4 * fine[i] - coarse[i]) / 3;
  return fine;
}

inline std::vector<double> random_vector(std::mt19937 &random, std::size_t n, double size = 1) {
  std::uniform_real_distribution<double> x(-size, size);
  std::vector<double> out(n);
  for (double &value : out) value = x(random);
  return out;
}

// Positions and unit quaternions of n bodies.
inline std::vector<double> random_bodies(std::mt19937 &random, std::size_t n) {
  std::normal_distribution<double> x;
  std::vector<double> q(7 * n);
  for (double &value : q) value = x(random);
  for (std::size_t b = 0; b < n; b++) {
    double *Q = &q[7 * b + 3];
    const double length = std::sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
    for (int i = 0; i < 4; i++) Q[i] /= length;
  }
  return q;
}

inline std::array<double, 3> random_direction(std::mt19937 &random) {
  std::normal_distribution<double> x;
  std::array<double, 3> n = {x(random), x(random), x(random)};
  const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (double &value : n) value /= length;
  return n;
}

}  // namespace tools

#endif
