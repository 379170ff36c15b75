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

real clamp(real x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

real length(const std::vector<real> &x, std::size_t begin, std::size_t width) {
  real sum = 0;
  for (std::size_t i = begin; i < begin + width; i++) sum += x[i] * x[i];
  return std::sqrt(sum);
}

// The nearest point of {‖x_k‖ <= c_k x_n}: its normal entry z is the zero of the increasing
// function z − x_n − Σ c_k max(0, ‖x_k‖ − c_k z), here found between its kinks.
void project(const std::vector<double> &c, std::vector<real> *x) {
  const std::size_t width = (x->size() - 1) / c.size();
  std::vector<real> norm;
  for (std::size_t k = 0; k < c.size(); k++) norm.push_back(length(*x, 1 + k * width, width));
  const auto slope = [&](real z) {
    real value = z - (*x)[0];
    for (std::size_t k = 0; k < c.size(); k++)
      value -= c[k] * std::max<real>(0, norm[k] - c[k] * z);
    return value;
  };
  real z = 0;
  if (!(slope(0) >= 0)) {
    real below = 0, above = infinity;  // kinks around the zero
    for (std::size_t k = 0; k < c.size(); k++) {
      if (!(c[k] > 0)) continue;
      const real kink = norm[k] / c[k];
      if (slope(kink) < 0) below = std::max(below, kink);
      if (slope(kink) >= 0) above = std::min(above, kink);
    }
    real sum = (*x)[0], weight = 1;
    for (std::size_t k = 0; k < c.size(); k++) {
      if (!(c[k] > 0) || norm[k] / c[k] <= below) continue;
      sum += c[k] * norm[k];
      weight += static_cast<real>(c[k]) * c[k];
    }
    z = std::min(std::max(sum / weight, below), above);
  }
  (*x)[0] = z;
  for (std::size_t k = 0; k < c.size(); k++)
    for (std::size_t i = 1 + k * width; i < 1 + (k + 1) * width; i++)
      if (norm[k] > c[k] * z) (*x)[i] *= c[k] * z / norm[k];
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

judge::real judge::rho_of(const copy &c) const {
  real square = 0;
  for (std::size_t i = c.begin; i < c.begin + c.size; i++) square += square_[i];
  return square > 0 ? 1 / std::sqrt(square) : 1;
}

// ‖λ − P(λ − ρ ŷ)‖ / ρ of one copy.
judge::real judge::miss(const copy &c, const io::reals &lambda, const std::vector<real> &y) const {
  const real rho = rho_of(c);
  if (c.friction.empty()) {
    const real z = lambda[c.begin];
    return std::fabs(z - clamp(z - rho * y[c.begin], c.lower, c.upper)) / rho;
  }
  std::vector<real> shifted(y.begin() + static_cast<std::ptrdiff_t>(c.begin),
                            y.begin() + static_cast<std::ptrdiff_t>(c.begin + c.size));
  const std::size_t width = (c.size - 1) / c.friction.size();
  real slip = 0;
  for (std::size_t k = 0; k < c.friction.size(); k++)
    slip += c.friction[k] * length(shifted, 1 + k * width, width);
  shifted[0] += slip;
  for (std::size_t i = 0; i < c.size; i++) shifted[i] = lambda[c.begin + i] - rho * shifted[i];
  project(c.friction, &shifted);
  for (std::size_t i = 0; i < c.size; i++) shifted[i] = lambda[c.begin + i] - shifted[i];
  return length(shifted, 0, c.size) / rho;
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
    m.ceiling = std::max(m.ceiling, cap[i] / 100);
  }
  for (const copy &c : copies_) {
    const real r = miss(c, lambda, y);
    if (!(r <= m.residual)) m.residual = r; /* a NaN stays */
    if (c.friction.empty()) continue;
    m.normal = std::max(m.normal, std::fabs(std::min(y[c.begin], lambda[c.begin] / rho_of(c))));
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
  return m.residual <= tol * m.scale + rounding && m.residual <= m.ceiling + rounding &&
         m.normal <= 10 * tol * m.scale + rounding;
}

}  // namespace perp::tool
