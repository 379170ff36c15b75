// SPDX-License-Identifier: MIT
// Problems with friction, rolling and laws by component in one row, and their judge: the residual
// of the one-step problem in long double, with projections found by bisection of the definition.
#ifndef PERP_TESTS_CONTACT_SYSTEM_HPP
#define PERP_TESTS_CONTACT_SYSTEM_HPP

#include <gtest/gtest.h>
#include <perp/law.h>
#include <perp/problem.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "problem_tools.hpp"

namespace contacts {

using tools::at;
using tools::dense;
using tools::ints;
using tools::kInf;
using tools::vec;
using real = long double;

// The law of the next unknowns: an interval (size 1), or a contact whose parts ‖λ_k‖ <= c_k λ_n
// follow the normal entry.
struct unit {
  std::int32_t size = 1;
  vec c;  // friction: {μ}, rolling: {μ, μ_r}, interval: none
  double lower = 0, upper = kInf;

  std::int32_t width() const { return (size - 1) / static_cast<std::int32_t>(c.size()); }
};

inline unit free_row() { return {1, {}, -kInf, kInf}; }
inline unit orthant() { return {1, {}, 0, kInf}; }
inline unit box(double l, double u) { return {1, {}, l, u}; }
inline unit plane(double mu) { return {2, {mu}}; }
inline unit space(double mu) { return {3, {mu}}; }
inline unit plane_rolling(double mu, double mu_rolling) { return {3, {mu, mu_rolling}}; }
inline unit space_rolling(double mu, double mu_rolling) { return {5, {mu, mu_rolling}}; }

// y = M λ + q with a row of units; owns what its view points to, and so does not move.
class system {
 public:
  dense M;
  vec q;
  std::vector<unit> units;
  perp_problem problem = PERP_PROBLEM_INIT;

  system(dense matrix, vec rhs, std::vector<unit> row, std::int32_t kind = PERP_DENSE,
         ints cuts = {})
      : M(std::move(matrix)), q(std::move(rhs)), units(std::move(row)), view_(M, kind, cuts) {
    for (const unit &u : units) add(u);
    problem = perp_problem_of(view_.view, q.data(), static_cast<std::int32_t>(laws_.size()),
                              laws_.data(), nullptr);
  }
  system(const system &) = delete;
  system &operator=(const system &) = delete;

 private:
  union any {
    perp_law law;
    perp_equality equality;
    perp_complementarity complementarity;
    perp_box box;
    perp_friction friction;
    perp_rolling rolling;
  };
  tools::stored view_;
  std::vector<std::unique_ptr<any>> owned_;
  std::vector<const perp_law *> laws_;

  void add(const unit &u) {
    owned_.push_back(std::make_unique<any>());
    any &a = *owned_.back();
    if (u.c.size() == 2) {
      perp_rolling_init(&a.rolling, sizeof a.rolling);
      a.rolling.mu = u.c[0];
      a.rolling.mu_rolling = u.c[1];
    } else if (u.c.size() == 1) {
      perp_friction_init(&a.friction, sizeof a.friction);
      a.friction.mu = u.c[0];
    } else if (u.lower == -kInf && u.upper == kInf) {
      perp_equality_init(&a.equality, sizeof a.equality);
    } else if (u.lower == 0 && u.upper == kInf) {
      perp_complementarity_init(&a.complementarity, sizeof a.complementarity);
    } else {
      perp_box_init(&a.box, sizeof a.box);
      a.box.lower = &u.lower;
      a.box.upper = &u.upper;
    }
    a.law.size = u.size;
    laws_.push_back(&a.law);
  }
};

inline real length(const std::vector<real> &x, std::size_t begin, std::int32_t width) {
  real sum = 0;
  for (std::size_t i = begin; i < begin + at(width); i++) sum += x[i] * x[i];
  return std::sqrt(sum);
}

// The nearest point of the unit's set. Of a cone: with normal entry z the parts are shortened to
// c_k z, and the distance has its least value where  z − x_n − Σ c_k max(0, ‖x_k‖ − c_k z) = 0.
inline std::vector<real> projected(const unit &u, std::vector<real> x) {
  if (u.c.empty()) {
    x[0] = x[0] < u.lower ? u.lower : x[0] > u.upper ? u.upper : x[0];
    return x;
  }
  const auto part = [&](std::size_t k) { return 1 + k * at(u.width()); };
  const auto slope = [&](real z) {
    real value = z - x[0];
    for (std::size_t k = 0; k < u.c.size(); k++)
      value -= u.c[k] * std::max<real>(0, length(x, part(k), u.width()) - u.c[k] * z);
    return value;
  };
  real low = 0, high = std::fabs(x[0]);
  for (std::size_t k = 0; k < u.c.size(); k++) high += u.c[k] * length(x, part(k), u.width());
  if (slope(0) >= 0) high = 0;
  while (high > 0) { /* down to neighbours: a large c leaves z far below the first bound */
    const real middle = (low + high) / 2;
    if (!(low < middle && middle < high)) break;
    (slope(middle) < 0 ? low : high) = middle;
  }
  for (std::size_t k = 0; k < u.c.size(); k++) {
    const real norm = length(x, part(k), u.width());
    for (std::int32_t i = 0; i < u.width(); i++)
      if (norm > u.c[k] * high) x[part(k) + at(i)] *= u.c[k] * high / norm;
  }
  x[0] = high;
  return x;
}

// ‖c λ_t − P(c λ_t − y_t)‖ on the ball of radius c r, for the width entries at begin.
inline real ball(const std::vector<real> &y, const vec &lambda, std::size_t begin,
                 std::int32_t width, real c, real r) {
  std::vector<real> moved, rest;
  for (std::size_t i = begin; i < begin + at(width); i++) {
    rest.push_back(c * lambda[i]);
    moved.push_back(rest.back() - y[i]);
  }
  const real size = length(moved, 0, width);
  for (std::size_t i = 0; i < at(width); i++)
    rest[i] -= size > c * r ? moved[i] * (c * r / size) : moved[i];
  return length(rest, 0, width);
}

// The largest part of the residual of docs/verification.md of the unit at begin.
inline real parts(const unit &u, std::int32_t begin, const std::vector<real> &y, const vec &lambda,
                  real c) {
  const real x = lambda[at(begin)], v = y[at(begin)];
  if (u.c.empty()) {
    const real down = c * (x - u.upper), up = c * (x - u.lower); /* median(down, v, up) */
    return std::fabs(v < down ? down : v > up ? up : v);
  }
  real most = std::fabs(std::min(v, c * x));
  for (std::size_t k = 0; k < u.c.size(); k++)
    most = std::max(most, ball(y, lambda, at(begin) + 1 + k * at(u.width()), u.width(), c,
                               u.c[k] * std::max<real>(0, x)));
  return most;
}

// The relative residual of docs/verification.md. Numbers below the least double are 0 to whom
// it judges, in each product of y and, times c, in λ. So is rounding up to a part of λ, which no
// double on a cone's boundary is without, and of the terms of y.
inline double error(const dense &M, const vec &q, const std::vector<unit> &units, const vec &lambda,
                    real rounding = 0) {
  const std::vector<real> y = tools::affine(M, q, lambda);
  real worst = 0, scale = 0;
  for (std::int32_t i = 0; i < M.rows; i++) {
    real row = std::fabs(static_cast<real>(q[at(i)]));
    for (std::int32_t j = 0; j < M.cols; j++)
      row += std::fabs(static_cast<real>(M(i, j)) * lambda[at(j)]);
    scale = std::max(scale, row);
    if (!std::isfinite(lambda[at(i)]) || !(row == row)) return kInf;
  }
  std::int32_t begin = 0;
  for (const unit &u : units) {
    real square = 0, size = 0;
    for (std::int32_t j = begin; j < begin + u.size; j++) {
      for (std::int32_t i = 0; i < M.rows; i++) square += static_cast<real>(M(i, j)) * M(i, j);
      size += std::fabs(static_cast<real>(lambda[at(j)]));
    }
    const real c = square > 0 ? std::sqrt(square) : 1;
    real lost = (static_cast<real>(M.rows) + c) * u.size *
                static_cast<real>(std::numeric_limits<double>::denorm_min());
    if (!u.c.empty()) lost += rounding * (c * size + scale);
    worst = std::max(worst, parts(u, begin, y, lambda, c) - lost);
    begin += u.size;
  }
  return worst == 0 ? 0 : static_cast<double>(worst / scale);
}

inline double error(const system &s, const vec &lambda, real rounding = 0) {
  return error(s.M, s.q, s.units, lambda, rounding);
}

}  // namespace contacts

#endif
