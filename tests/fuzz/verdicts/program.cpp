// SPDX-License-Identifier: MIT
// The judge of quadratic programs, and what rationals say of them.
#include "program.hpp"

#include <algorithm>

#include "exact.hpp"

namespace verdicts {
namespace {

// What is on one side of one row or bound: its value, its multiplier, and the two sides.
struct constraint {
  long double value, weight;  // weight: of the terms of the value
  double multiplier, low, high;
};

long double side_beyond(const constraint &c) {
  return c.value <= c.low ? c.low : c.value >= c.high ? c.high : 0;
}

struct totals {
  long double violation = 0, violation_scale = 0, outside = 0, gap = 0, gap_scale = 0;
  long double hat = 0;     // of the point nearest to 0, but |x| where x is bounded
  bool origin_is = false;  // feasible: then there is no ceiling
};

void add(totals &t, const constraint &c, long double hat_weight) {
  const long double b = std::fabs(side_beyond(c));
  const double nearest = c.low > 0 ? c.low : c.high < 0 ? c.high : 0.0;
  t.violation = std::max({t.violation, c.low - c.value, c.value - c.high});
  t.violation_scale = std::max(t.violation_scale, c.weight + b);
  t.hat = std::max(t.hat, hat_weight + std::fabs(nearest));
  t.origin_is = t.origin_is && nearest == 0;
  const double side = c.multiplier > 0 ? c.low : c.high;
  const long double size = std::fabs(c.multiplier);
  if (size == 0) return;
  if (!std::isfinite(side)) {
    t.outside = std::max(t.outside, size);
    return;
  }
  t.gap += size * std::fabs(c.value - side);
  t.gap_scale += size * (c.weight + std::max(b, std::fabs(static_cast<long double>(side))));
}

double nearest_to_zero(const program &p, std::int32_t i, double x) {
  const double l = p.lower[at(i)], u = p.upper[at(i)];
  const double clipped = std::fabs(l > 0 ? l : u < 0 ? u : 0.0);
  return l > -kInf && u < kInf ? std::max(clipped, std::fabs(x)) : clipped;
}

totals primal_side(const program &p, const vec &x, const vec &nu, const vec &zeta) {
  totals t;
  t.origin_is = true;
  for (std::int32_t k = 0; k < p.m; k++) {
    constraint c{0, 0, nu[at(k)], p.row_lower[at(k)], p.row_upper[at(k)]};
    long double hat = 0;
    for (std::int32_t j = 0; j < p.n; j++) {
      const long double a = p.row(k, j);
      c.value += a * x[at(j)];
      c.weight += std::fabs(a * x[at(j)]);
      hat += std::fabs(a) * nearest_to_zero(p, j, x[at(j)]);
    }
    add(t, c, hat);
  }
  for (std::int32_t i = 0; i < p.n; i++) {
    const long double xi = x[at(i)];
    add(t, {xi, std::fabs(xi), zeta[at(i)], p.lower[at(i)], p.upper[at(i)]},
        nearest_to_zero(p, i, x[at(i)]));
  }
  return t;
}

struct dual_totals {
  long double residual = 0, scale = 0, hat = 0, energy = 0;
};

dual_totals dual_side(const program &p, const vec &x, const vec &nu, const vec &zeta) {
  dual_totals t;
  for (std::int32_t i = 0; i < p.n; i++) {
    const long double ci = p.c[at(i)], zi = zeta[at(i)], load = std::fabs(ci);
    long double sum = ci - zi, weight = load + std::fabs(zi), hat = load, curve = 0;
    for (std::int32_t j = 0; j < p.n; j++) {
      const long double h = p.hess(i, j);
      sum += h * x[at(j)];
      curve += std::fabs(h * x[at(j)]);
      hat += std::fabs(h) * nearest_to_zero(p, j, x[at(j)]);
    }
    weight += curve;
    for (std::int32_t k = 0; k < p.m; k++) {
      const long double term = static_cast<long double>(p.row(k, i)) * nu[at(k)];
      sum -= term;
      weight += std::fabs(term);
    }
    t.residual = std::max(t.residual, std::fabs(sum));
    t.scale = std::max(t.scale, weight);
    t.hat = std::max(t.hat, hat);
    t.energy += std::fabs(static_cast<long double>(x[at(i)])) * (curve + load);
  }
  return t;
}

long double ratio(long double a, long double b) { return a == 0 ? 0 : a / b; }

bool all_finite(const vec &x) {
  return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

program_judgement judge(const program &p, const vec &x, const vec &nu, const vec &zeta) {
  program_judgement j;
  if (!all_finite(x) || !all_finite(nu) || !all_finite(zeta)) return j;
  const totals t = primal_side(p, x, nu, zeta);
  const dual_totals d = dual_side(p, x, nu, zeta);
  constexpr long double slack = 1 + 1e-6L;
  const long double lost = (p.n + p.m + 4) * 0x1p-52L;
  j.finite = true;
  j.primal = t.violation;
  j.dual = std::max(d.residual, t.outside);
  j.gap = t.gap;
  j.primal_hat = t.hat;
  j.dual_hat = d.hat;
  j.relative = std::max({ratio(j.primal, t.violation_scale), ratio(j.dual, d.scale),
                         ratio(j.gap, d.energy + t.gap_scale)});
  /* on which side a value counts as standing its rounding decides, and with it the scale */
  j.within_tol = j.relative <= 2 * kTol * slack + 2 * lost;
  j.primal_passes = t.origin_is || j.primal <= kFloor * slack * t.hat;
  j.dual_passes = d.hat == 0 || j.dual <= kFloor * slack * d.hat;
  j.amplification =
      std::max(t.origin_is ? 1 : t.violation_scale / t.hat, d.hat == 0 ? 1 : d.scale / d.hat);
  return j;
}

// ---- in rationals ----

namespace {

// Equations in unknowns that are split by their bounds: x = x⁺ − x⁻, and one slack for each side.
class equations {
 public:
  explicit equations(std::int32_t n) : n_(at(n)) {}
  void add(const rational_row &row, const rational &right, int slack) {
    rows_.push_back({row, right, slack});
  }
  // lower <= row x <= upper.
  void between(const rational_row &row, double lower, double upper) {
    if (lower == upper) return add(row, lower, 0);
    if (lower > -kInf) add(row, lower, -1);
    if (upper < kInf) add(row, upper, 1);
  }
  bool solvable() const {
    std::vector<rational_row> A;
    rational_row b;
    for (std::size_t i = 0; i < rows_.size(); i++) {
      rational_row full(2 * n_ + rows_.size());
      for (std::size_t j = 0; j < n_; j++) {
        full[j] = rows_[i].row[j];
        full[n_ + j] = -rows_[i].row[j];
      }
      full[2 * n_ + i] = rows_[i].slack;
      A.push_back(std::move(full));
      b.push_back(rows_[i].right);
    }
    return feasible_point(std::move(A), std::move(b)).has_value();
  }

 private:
  struct equation {
    rational_row row;
    rational right;
    int slack;
  };
  std::size_t n_;
  std::vector<equation> rows_;
};

rational_row unit(const program &p, std::int32_t i) {
  rational_row e(at(p.n));
  e[at(i)] = 1;
  return e;
}

rational_row row_of(const program &p, std::int32_t k) {
  rational_row r;
  for (std::int32_t j = 0; j < p.n; j++) r.emplace_back(p.row(k, j));
  return r;
}

double cone(double bound) { return std::isfinite(bound) ? 0 : bound; }

}  // namespace

bool is_feasible(const program &p) {
  equations e(p.n);
  for (std::int32_t k = 0; k < p.m; k++)
    e.between(row_of(p, k), p.row_lower[at(k)], p.row_upper[at(k)]);
  for (std::int32_t i = 0; i < p.n; i++) e.between(unit(p, i), p.lower[at(i)], p.upper[at(i)]);
  return e.solvable();
}

bool has_descent(const program &p) {
  equations e(p.n);
  rational_row load;
  for (std::int32_t i = 0; i < p.n; i++) {
    rational_row curve;
    for (std::int32_t j = 0; j < p.n; j++) curve.emplace_back(p.hess(i, j));
    e.add(curve, 0, 0);
    load.emplace_back(p.c[at(i)]);
    e.between(unit(p, i), cone(p.lower[at(i)]), cone(p.upper[at(i)]));
  }
  for (std::int32_t k = 0; k < p.m; k++)
    e.between(row_of(p, k), cone(p.row_lower[at(k)]), cone(p.row_upper[at(k)]));
  e.add(load, -1, 0);
  return e.solvable();
}

}  // namespace verdicts
