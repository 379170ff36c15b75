// SPDX-License-Identifier: MIT
// Problems of contacts with friction and of components with bounds, with a solution that is known,
// and their judgement from the definition of Coulomb's law in long double.
#ifndef PERP_TESTS_FRICTION_TOOLS_HPP
#define PERP_TESTS_FRICTION_TOOLS_HPP

#include <perp/problem.h>

#include <memory>

#include "problem_tools.hpp"

namespace tools {

// One contact, or one component with the bounds [lower, upper].
struct piece {
  std::int32_t size = 3;
  double mu = 0.5, mu_rolling = -1;  // negative: none
  double lower = 0, upper = kInf;    // of size 1

  std::int32_t parts() const { return size == 1 ? 0 : mu_rolling < 0 ? 1 : 2; }
  std::int32_t width() const { return (size - 1) / parts(); }
  double coefficient(std::int32_t part) const { return part == 0 ? mu : mu_rolling; }
};

inline piece contact(std::int32_t size, double mu) { return {size, mu, -1, 0, 0}; }
inline piece rolling_contact(std::int32_t size, double mu, double mu_rolling) {
  return {size, mu, mu_rolling, 0, 0};
}
inline piece interval(double lower, double upper) { return {1, 0, -1, lower, upper}; }

// Owns the laws; does not move.
class scene {
 public:
  std::vector<piece> pieces;
  dense M;
  vec q;
  perp_problem problem = PERP_PROBLEM_INIT;

  scene(std::vector<piece> list, dense A, vec b)
      : pieces(std::move(list)), M(std::move(A)), q(std::move(b)) {
    for (const piece &p : pieces) add(p);
    problem.M = perp_dense(M.rows, M.cols, M.data());
    problem.M.ld = M.ld;
    problem.q = q.data();
    problem.n = M.rows;
    problem.n_blocks = static_cast<std::int32_t>(laws_.size());
    problem.laws = laws_.data();
  }
  scene(const scene &) = delete;
  scene &operator=(const scene &) = delete;

  // The largest violation of a law, relative to the largest row of |M||λ| + |q|.
  double error(const vec &lambda) const {
    const std::vector<long double> y = affine(M, q, lambda);
    long double worst = 0, scale = 0;
    std::int32_t i = 0;
    for (const piece &p : pieces) {
      for (std::int32_t k = i; k < i + p.size; k++) scale = std::max(scale, row_size(lambda, k));
      const long double e =
          p.size == 1 ? of_interval(p, lambda, y, i) : of_contact(p, lambda, y, i);
      if (!(e <= worst)) worst = e == e ? e : static_cast<long double>(kInf);
      i += p.size;
    }
    return worst == 0 ? 0 : static_cast<double>(worst / scale);
  }

 private:
  std::vector<std::unique_ptr<perp_friction>> frictions_;
  std::vector<std::unique_ptr<perp_rolling>> rollings_;
  std::vector<std::unique_ptr<perp_box>> boxes_;
  std::vector<const perp_law *> laws_;

  void add(const piece &p) {
    if (p.parts() == 0) {
      boxes_.push_back(std::make_unique<perp_box>());
      perp_box_init(boxes_.back().get(), sizeof(perp_box));
      boxes_.back()->lower = &p.lower;
      boxes_.back()->upper = &p.upper;
      laws_.push_back(&boxes_.back()->law);
    } else if (p.parts() == 1) {
      frictions_.push_back(std::make_unique<perp_friction>());
      perp_friction_init(frictions_.back().get(), sizeof(perp_friction));
      frictions_.back()->law.size = p.size;
      frictions_.back()->mu = p.mu;
      laws_.push_back(&frictions_.back()->law);
    } else {
      rollings_.push_back(std::make_unique<perp_rolling>());
      perp_rolling_init(rollings_.back().get(), sizeof(perp_rolling));
      rollings_.back()->law.size = p.size;
      rollings_.back()->mu = p.mu;
      rollings_.back()->mu_rolling = p.mu_rolling;
      laws_.push_back(&rollings_.back()->law);
    }
  }

  long double row_size(const vec &lambda, std::int32_t i) const {
    long double sum = std::fabs(q[at(i)]);
    for (std::int32_t j = 0; j < M.cols; j++) sum += std::fabs(1.0L * M(i, j) * lambda[at(j)]);
    return sum;
  }
  // What turns a force at rows i ... into a velocity.
  long double compliance(std::int32_t i, std::int32_t size) const {
    long double sum = 0;
    for (std::int32_t j = i; j < i + size; j++)
      for (std::int32_t k = 0; k < M.rows; k++) sum += 1.0L * M(k, j) * M(k, j);
    return sum > 0 ? std::sqrt(sum) : 1;
  }
  static long double norm(std::int32_t size, const long double *x) {
    return size == 1 ? std::fabs(x[0]) : std::sqrt(x[0] * x[0] + x[1] * x[1]);
  }

  long double of_interval(const piece &p, const vec &lambda, const std::vector<long double> &y,
                          std::int32_t i) const {
    const long double c = compliance(i, 1), x = lambda[at(i)], v = y[at(i)];
    const long double above = c * (x - p.lower), below = c * (p.upper - x);
    long double e = std::max(-above, -below);
    if (v > 0) e = std::max(e, std::min(v, std::fabs(above)));
    if (v < 0) e = std::max(e, std::min(-v, std::fabs(below)));
    return v == v && x == x ? e : static_cast<long double>(kNaN);
  }

  long double of_contact(const piece &p, const vec &lambda, const std::vector<long double> &y,
                         std::int32_t i) const {
    const long double c = compliance(i, p.size), rn = c * lambda[at(i)], un = y[at(i)];
    long double e = std::max({-rn, -un, std::min(std::fabs(rn), un)});
    for (std::int32_t part = 0; part < p.parts(); part++) {
      const std::int32_t begin = i + 1 + part * p.width();
      const long double mu = p.coefficient(part);
      long double r[2], u[2], sum[2];
      for (std::int32_t k = 0; k < p.width(); k++) {
        r[k] = c * lambda[at(begin + k)];
        u[k] = y[at(begin + k)];
      }
      const long double threshold = std::max(mu * rn, 0.0L), slip = norm(p.width(), u);
      const long double steep = std::sqrt(1 + mu * mu);  // distances, not values of functions
      e = std::max(e, (norm(p.width(), r) - mu * rn) / steep);
      for (std::int32_t k = 0; k < p.width(); k++) sum[k] = slip * r[k] + threshold * u[k];
      if (slip + threshold > 0) e = std::max(e, norm(p.width(), sum) / (slip + threshold) / steep);
      if (!(slip == slip && norm(p.width(), r) == norm(p.width(), r))) return kNaN;
    }
    return rn == rn && un == un ? e : static_cast<long double>(kNaN);
  }
};

// A pair (r, u) that fulfils the law, in a mode that next() chooses.
template <class Random>
void plant(const piece &p, Random &next, double *r, double *u) {
  const double mode = next();
  for (std::int32_t k = 0; k < p.size; k++) r[k] = u[k] = 0;
  if (p.size == 1) {
    const double middle = p.lower > -kInf
                              ? (p.upper < kInf ? 0.5 * (p.lower + p.upper) : p.lower + 1)
                              : (p.upper < kInf ? p.upper - 1 : next());
    const bool low = mode < -0.3 && p.lower > -kInf, high = mode > 0.3 && p.upper < kInf;
    r[0] = low ? p.lower : high ? p.upper : middle;
    u[0] = low ? 1 + next() : high ? -1 - next() : 0;
    return;
  }
  if (mode < -0.5) {  // take-off
    u[0] = 1.1 + next();
    for (std::int32_t k = 1; k < p.size; k++) u[k] = next();
    return;
  }
  r[0] = 1.1 + next();
  for (std::int32_t part = 0; part < p.parts(); part++) {
    const bool slips = next() > 0;
    double direction[2] = {next() + 0.01, p.width() == 2 ? next() : 0};
    const double size = std::sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    const double force = p.coefficient(part) * r[0] * (slips ? 1 : 0.45 * (1 + next()));
    const double speed = slips || p.coefficient(part) == 0 ? 1.1 + next() : 0;
    for (std::int32_t k = 0; k < p.width(); k++) {
      const std::int32_t i = 1 + part * p.width() + k;
      r[i] = -force * direction[k] / size;
      u[i] = speed * direction[k] / size;
    }
  }
}

// A scene with M = H Hᵀ, H of the given number of columns, and a solution.
inline std::unique_ptr<scene> planted(const std::vector<piece> &pieces, std::int32_t columns,
                                      std::uint64_t seed) {
  uniform next(seed);
  std::int32_t n = 0;
  for (const piece &p : pieces) n += p.size;
  const dense H = next.matrix(n, columns);
  dense M(n, n);
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j < n; j++)
      for (std::int32_t k = 0; k < columns; k++) M(i, j) += H(i, k) * H(j, k) / columns;
  vec r(at(n)), u(at(n));
  std::int32_t i = 0;
  for (const piece &p : pieces) {
    plant(p, next, r.data() + i, u.data() + i);
    i += p.size;
  }
  for (std::int32_t a = 0; a < n; a++)
    for (std::int32_t b = 0; b < n; b++) u[at(a)] -= M(a, b) * r[at(b)];
  return std::make_unique<scene>(pieces, M, u);
}

}  // namespace tools

#endif
