// SPDX-License-Identifier: MIT
#include "tool/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tool/condense.hpp"

namespace perp::tool {

namespace {

using real = long double;
constexpr double infinity = std::numeric_limits<double>::infinity();

real clamp(real x, real lower, real upper) { return x < lower ? lower : x > upper ? upper : x; }

real length(const std::vector<real> &x, std::size_t begin, std::size_t width) {
  real sum = 0;
  for (std::size_t i = begin; i < begin + width; i++) sum += x[i] * x[i];
  return std::sqrt(sum);
}

}  // namespace

void judge::add_intervals(std::int32_t count, double lower, double upper) {
  for (std::int32_t i = 0; i < count; i++) {
    const std::size_t begin = copies_.empty() ? 0 : copies_.back().begin + copies_.back().size;
    copies_.push_back({begin, 1, lower, upper, {}});
  }
}

void judge::add_equations(std::size_t count) {
  add_intervals(static_cast<std::int32_t>(count), -infinity, infinity);
}

void judge::add_contact(std::size_t size, std::vector<double> friction) {
  const std::size_t begin = copies_.empty() ? 0 : copies_.back().begin + copies_.back().size;
  copies_.push_back({begin, size, 0, 0, std::move(friction)});
}

void judge::add_laws(const io::any_problem &problem) {
  if (const auto *relay = std::get_if<io::relay>(&problem)) {
    for (std::size_t i = 0; i < relay->lower.size(); i++)
      add_intervals(1, relay->lower[i], relay->upper[i]);
  } else if (const auto *mlcp = std::get_if<io::mlcp>(&problem)) {
    for (std::size_t b = 0; b < mlcp->complementary.size(); b++)
      add_intervals(mlcp->cuts[b + 1] - mlcp->cuts[b], mlcp->complementary[b] ? 0 : -infinity,
                    infinity);
  } else if (const auto *mixed = std::get_if<io::mixed>(&problem)) {
    for (std::size_t b = 0; b < mixed->types.size(); b++) {
      const std::int32_t type = mixed->types[b], rows = mixed->cuts[b + 1] - mixed->cuts[b];
      if (type == io::mixed::friction_3d_type)
        for (std::int32_t c = 0; c < rows; c += 3) add_contact(3, {mixed->mu[b]});
      else if (type == io::mixed::lcp_type || type == io::mixed::equality_type)
        add_intervals(rows, type == io::mixed::lcp_type ? 0 : -infinity, infinity);
      else
        throw io::no_law("type " + std::to_string(type));
    }
  } else if (const auto *lcp = std::get_if<io::lcp>(&problem)) {
    add_intervals(lcp->M.rows, 0, infinity);
  } else if (const auto *friction = std::get_if<io::friction>(&problem)) {
    for (const double mu : friction->mu) add_contact(io::at(friction->dim), {mu});
    if (friction->equations) add_equations(friction->equations->s.size());
  } else if (const auto *global = std::get_if<io::global_friction>(&problem)) {
    for (const double mu : global->mu) add_contact(io::at(global->dim), {mu});
    if (global->equations) add_equations(global->equations->b.size());
  } else if (const auto *rolling = std::get_if<io::rolling>(&problem)) {
    for (std::size_t c = 0; c < rolling->mu.size(); c++)
      add_contact(io::at(rolling->dim), {rolling->mu[c], rolling->mu_rolling[c]});
  }
}

namespace {

one_step rows_of(const io::any_problem &problem) {
  if (const auto *global = std::get_if<io::global_friction>(&problem)) return condense(*global);
  if (const auto *friction = std::get_if<io::friction>(&problem)) return join(*friction);
  one_step out{io::entries_of(io::matrix_of(problem)), {}};
  std::visit([&](const auto &p) { out.q = p.q; }, problem);
  return out;
}

}  // namespace

judge::judge(const io::any_problem &problem) {
  one_step rows = rows_of(problem);
  entries_ = std::move(rows.entries);
  q_ = std::move(rows.q);
  add_laws(problem);
  square_.assign(q_.size(), 0);
  for (const io::triplet &e : entries_)
    square_[io::at(e.col)] += static_cast<real>(e.value) * e.value;
}

judge::real judge::column_norm(const copy &c) const {
  real square = 0;
  for (std::size_t i = c.begin; i < c.begin + c.size; i++) square += square_[i];
  return square > 0 ? std::sqrt(square) : 1;
}

// |median(c (λ − u), y, c (λ − l))| of an interval; of a contact the largest of |min(y_n, c λ_n)|
// and ‖c λ_t − P(c λ_t − y_t)‖, P on the ball of radius μ c λ_n⁺, of each tangential group.
judge::real judge::miss(const copy &c, const io::reals &lambda, const std::vector<real> &y) const {
  const real norm = column_norm(c), z = norm * lambda[c.begin];
  if (c.friction.empty())
    return std::fabs(clamp(y[c.begin], z - norm * c.upper, z - norm * c.lower));
  const std::size_t width = (c.size - 1) / c.friction.size();
  real most = std::fabs(std::min(y[c.begin], z));
  for (std::size_t k = 0; k < c.friction.size(); k++) {
    std::vector<real> moved(width), rest(width);
    for (std::size_t i = 0; i < width; i++) {
      const std::size_t row = c.begin + 1 + k * width + i;
      rest[i] = norm * lambda[row];
      moved[i] = rest[i] - y[row];
    }
    const real radius = c.friction[k] * std::max<real>(z, 0), size = length(moved, 0, width);
    for (std::size_t i = 0; i < width; i++)
      rest[i] -= moved[i] * (size > radius ? radius / size : 1);
    most = std::max(most, length(rest, 0, width));
  }
  return most;
}

judge::measures judge::measure(const io::reals &lambda) const {
  const std::size_t n = q_.size();
  std::vector<real> y(q_.begin(), q_.end()), size(n), cap(n), kept(n);
  for (std::size_t i = 0; i < n; i++) size[i] = cap[i] = std::fabs(q_[i]);
  for (const copy &c : copies_) {  // |P(0)|, which is 0 for contacts, or |λ| between bounds
    if (!c.friction.empty()) continue;
    const bool bounded = c.lower > -infinity && c.upper < infinity;
    kept[c.begin] = std::fabs(bounded ? lambda[c.begin] : clamp(0, c.lower, c.upper));
  }
  for (const io::triplet &e : entries_) {
    const std::size_t i = io::at(e.row), j = io::at(e.col);
    const real value = e.value;
    y[i] += value * lambda[j];
    size[i] += std::fabs(value * lambda[j]);
    cap[i] += std::fabs(value) * kept[j];
  }
  measures m;
  for (std::size_t i = 0; i < n; i++) {
    m.scale = std::max(m.scale, size[i]);
    m.hat = std::max(m.hat, cap[i]);
  }
  for (const copy &c : copies_) {
    const real r = miss(c, lambda, y);
    if (!(r <= m.residual)) m.residual = r; /* a NaN stays */
  }
  for (const double z : lambda)
    if (!std::isfinite(z)) m.residual = std::numeric_limits<real>::quiet_NaN();
  return m;
}

bool judge::is_solution(const io::reals &lambda, double tol) const {
  if (lambda.size() != q_.size()) return false;
  const measures m = measure(lambda);
  /* what rounding in double may hide from the library */
  const real rounding =
      std::numeric_limits<double>::epsilon() * static_cast<real>(q_.size() + 4) * m.scale;
  const real allowance = std::min(1e-2, std::max(1e-6, 10 * tol));
  return m.residual <= tol * m.scale + rounding && m.residual <= allowance * m.hat + rounding;
}

}  // namespace perp::tool
