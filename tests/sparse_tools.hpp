// SPDX-License-Identifier: MIT
// Large sparse problems, and a judge of their answers that shares nothing with the library.
#ifndef PERP_TESTS_SPARSE_TOOLS_HPP
#define PERP_TESTS_SPARSE_TOOLS_HPP

#include <perp/problem.h>

#include <map>
#include <utility>

#include "families.hpp"

namespace sparse_tools {

using tools::at;
using tools::ints;
using tools::kInf;
using tools::vec;

// A sparse problem whose bounds are all in one box, in compressed rows.
struct sparse_problem {
  std::vector<std::map<std::int32_t, double>> rows;
  vec q, lower, upper, values;
  ints start, index, offset;
  perp_box box{};
  const perp_law *laws[1] = {&box.law};
  perp_problem p = PERP_PROBLEM_INIT;
  explicit sparse_problem(std::int32_t n)
      : rows(at(n)), q(at(n), 0.0), lower(at(n), 0.0), upper(at(n), kInf), offset{0, n} {}
  sparse_problem(const sparse_problem &) = delete;
  sparse_problem &operator=(const sparse_problem &) = delete;
  std::int32_t n() const { return static_cast<std::int32_t>(rows.size()); }
  void add(std::int32_t i, std::int32_t j, double v) { rows[at(i)][j] += v; }
  void pair(std::int32_t i, std::int32_t j, double v) {  // v and -v on both sides of the diagonal
    add(i, j, v);
    add(j, i, -v);
  }
  const perp_problem &pose() {
    start = {0};
    index.clear();
    values.clear();
    for (const auto &row : rows) {
      for (const auto &[j, v] : row) {
        index.push_back(j);
        values.push_back(v);
      }
      start.push_back(static_cast<std::int32_t>(index.size()));
    }
    perp_box_init(&box, sizeof box);
    box.law.size = n();
    box.lower = lower.data();
    box.upper = upper.data();
    p = perp_problem_of(perp_compressed_rows(n(), start.data(), index.data(), values.data()),
                        q.data(), 1, laws, offset.data());
    return p;
  }
  // largest |x - P(x - y / |M_j|)| |M_j| against the largest row sum, columns of M as |M_j|, from
  // the definition in long double
  long double error(const vec &x) const {
    std::vector<long double> y(q.begin(), q.end()), square(q.size(), 0);
    long double worst = 0, scale = 0;
    for (std::size_t i = 0; i < rows.size(); i++) {
      long double sum = std::fabs(q[i]);
      for (const auto &[j, v] : rows[i]) {
        y[i] += static_cast<long double>(v) * x[at(j)];
        sum += std::fabs(v * x[at(j)]);
        square[at(j)] += static_cast<long double>(v) * v;
      }
      if (!(sum <= scale)) scale = sum;
    }
    for (std::size_t i = 0; i < rows.size(); i++) {
      const long double rho = square[i] > 0 ? 1 / std::sqrt(square[i]) : 1;
      const long double e =
          std::fabs(x[i] - families::clip(x[i] - rho * y[i], lower[i], upper[i])) / rho;
      if (!(e <= worst)) worst = e;
    }
    return worst / scale;
  }
  // x proves that there is no solution: it may be added to every point of the box, Mᵀx pushes no
  // unknown away from its bound, and qᵀx < -sum of what the bounds can give back.
  bool proves_infeasible(const vec &x) const {
    std::vector<long double> g(q.size(), 0), size(q.size(), 0);
    long double value = 0;
    for (std::size_t i = 0; i < rows.size(); i++) {
      if (x[i] < 0 && lower[i] > -kInf) return false;
      if (x[i] > 0 && upper[i] < kInf) return false;
      value += static_cast<long double>(q[i]) * x[i];
      for (const auto &[j, v] : rows[i]) {
        g[at(j)] += static_cast<long double>(v) * x[i];
        size[at(j)] += std::fabs(v * x[i]);
      }
    }
    // xᵀy = xᵀq + gᵀλ >= 0 for every solution, while gᵀλ is at most its largest over the box
    for (std::size_t j = 0; j < q.size(); j++) {
      if (std::fabs(g[j]) <= 1e-12L * size[j]) continue;
      const double far = g[j] > 0 ? upper[j] : lower[j];
      if (!std::isfinite(far)) return false;
      value += g[j] * far;
    }
    return value < 0;
  }
};

// tridiag(-1, 2, -1) and a strong skew part: convection in a chain.
inline void band(sparse_problem *s, double skew) {
  const std::int32_t n = s->n();
  for (std::int32_t i = 0; i < n; i++) {
    s->add(i, i, 2.01);
    s->q[at(i)] = std::sin(20.0 * i / n) + 0.3;
    if (i + 1 < n) {
      s->add(i, i + 1, -1);
      s->add(i + 1, i, -1);
      s->pair(i, i + 1, skew);
    }
    if (i + 3 < n) s->pair(i, i + 3, skew / 2);
  }
}

// The Laplacian of a square grid whose neighbours are numbered far apart.
inline void shuffled_grid(sparse_problem *s, std::int32_t side) {
  const std::int32_t n = side * side;
  const auto number = [=](std::int32_t i, std::int32_t j) {
    return static_cast<std::int32_t>((i * side + j) * INT64_C(7919) % n);
  };
  for (std::int32_t i = 0; i < side; i++)
    for (std::int32_t j = 0; j < side; j++) {
      const std::int32_t a = number(i, j);
      s->add(a, a, 4);
      s->q[at(a)] = std::sin(7.0 * i / side) * std::cos(5.0 * j / side);
      for (const auto &[k, l] : {std::pair(i + 1, j), std::pair(i, j + 1)})
        if (k < side && l < side) {
          s->add(a, number(k, l), -1);
          s->add(number(k, l), a, -1);
        }
    }
}

// min ½xᵀHx + cᵀx, Ax = b, x >= 0 as a mixed problem (x, λ), λ free: M = [H −Aᵀ; A 0], H >= 0.
inline void optimality_conditions(sparse_problem *s, std::int32_t m, families::source &random) {
  const std::int32_t n = s->n() - m, stride = n / m;
  vec feasible(at(n));
  for (std::int32_t i = 0; i < n; i++) {
    if (random.chance(0.7)) s->add(i, i, random.unit());
    s->q[at(i)] = random.unit();
    feasible[at(i)] = random.unit();
  }
  for (std::int32_t r = 0; r < m; r++) {
    s->lower[at(n + r)] = -kInf;
    for (std::int32_t k = 0; k < stride + 2; k++) {
      const std::int32_t i = std::min(n - 1, stride * r + k);
      const double v = 0.2 + random.unit();
      s->pair(n + r, i, v);
      s->q[at(n + r)] -= v * feasible[at(i)];
    }
  }
}

}  // namespace sparse_tools

#endif
