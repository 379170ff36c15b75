// SPDX-License-Identifier: MIT
#include "tool/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp::tool {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Bounds of each λ, block by block: equations leave it free, complementarity keeps it >= 0.
void add_bounds(bool complementary, std::int32_t rows, io::reals *lower, io::reals *upper) {
  lower->insert(lower->end(), io::at(rows), complementary ? 0 : -infinity);
  upper->insert(upper->end(), io::at(rows), infinity);
}

void bounds_of(const io::any_problem &problem, io::reals *lower, io::reals *upper) {
  if (const auto *relay = std::get_if<io::relay>(&problem)) {
    *lower = relay->lower;
    *upper = relay->upper;
  } else if (const auto *mlcp = std::get_if<io::mlcp>(&problem)) {
    for (std::size_t b = 0; b < mlcp->complementary.size(); b++)
      add_bounds(mlcp->complementary[b], mlcp->cuts[b + 1] - mlcp->cuts[b], lower, upper);
  } else if (const auto *mixed = std::get_if<io::mixed>(&problem)) {
    for (std::size_t b = 0; b < mixed->types.size(); b++) {
      if (mixed->types[b] != io::mixed::lcp_type && mixed->types[b] != io::mixed::equality_type)
        throw io::no_law("type " + std::to_string(mixed->types[b]));
      add_bounds(mixed->types[b] == io::mixed::lcp_type, mixed->cuts[b + 1] - mixed->cuts[b], lower,
                 upper);
    }
  } else if (const auto *lcp = std::get_if<io::lcp>(&problem)) {
    add_bounds(true, lcp->M.rows, lower, upper);
  } else {
    throw io::no_law(io::class_name(problem));
  }
}

long double project(long double x, double lower, double upper) {
  return x < lower ? lower : x > upper ? upper : x;
}

}  // namespace

judge::judge(const io::any_problem &problem) : entries_(io::entries_of(io::matrix_of(problem))) {
  std::visit([&](const auto &p) { q_ = p.q; }, problem);
  bounds_of(problem, &lower_, &upper_);
  rho_.assign(q_.size(), 0);
  for (const io::triplet &e : entries_)
    rho_[io::at(e.col)] += static_cast<long double>(e.value) * e.value;
  for (long double &r : rho_) r = r > 0 ? 1 / std::sqrt(r) : 1;
}

judge::measures judge::measure(const io::reals &lambda) const {
  const std::size_t n = q_.size();
  std::vector<long double> y(q_.begin(), q_.end()), size(n), cap(n), kept(n);
  for (std::size_t i = 0; i < n; i++) {
    const bool bounded = lower_[i] > -infinity && upper_[i] < infinity;
    kept[i] = std::fabs(bounded ? lambda[i] : project(0, lower_[i], upper_[i]));
    size[i] = cap[i] = std::fabs(q_[i]);
  }
  for (const io::triplet &e : entries_) {
    const std::size_t i = io::at(e.row), j = io::at(e.col);
    const long double value = e.value;
    y[i] += value * lambda[j];
    size[i] += std::fabs(value * lambda[j]);
    cap[i] += std::fabs(value) * kept[j];
  }
  measures m;
  for (std::size_t i = 0; i < n; i++) {
    const long double z = lambda[i],
                      r = std::fabs(z - project(z - rho_[i] * y[i], lower_[i], upper_[i])) /
                          rho_[i];
    if (!(r <= m.residual)) m.residual = r; /* a NaN stays */
    m.scale = std::max(m.scale, size[i]);
    m.ceiling = std::max(m.ceiling, cap[i] / 100);
  }
  for (const double z : lambda)
    if (!std::isfinite(z)) m.residual = std::numeric_limits<long double>::quiet_NaN();
  return m;
}

bool judge::is_solution(const io::reals &lambda, double tol) const {
  if (lambda.size() != q_.size()) return false;
  const measures m = measure(lambda);
  /* what rounding in double may hide from the library */
  const long double rounding =
      std::numeric_limits<double>::epsilon() * static_cast<long double>(q_.size() + 4) * m.scale;
  return m.residual <= tol * m.scale + rounding && m.residual <= m.ceiling + rounding;
}

}  // namespace perp::tool
