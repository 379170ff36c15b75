// SPDX-License-Identifier: MIT
// The law of multiple impacts in two other forms: rows of balls with hysteretic springs between
// them, followed through time; and the published one, with a primary contact.
#ifndef PERP_TESTS_IMPACT_JUDGE_HPP
#define PERP_TESTS_IMPACT_JUDGE_HPP

#include <perp/multiple_impact.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace impact_judge {

using vec = std::vector<double>;
using options = perp_multiple_impact_options;

inline vec times(const vec &W, const vec &x) {
  vec y(x.size(), 0);
  for (std::size_t j = 0; j < x.size(); j++)
    for (std::size_t i = 0; i < x.size(); i++) y[i] += W[i + x.size() * j] * x[j];
  return y;
}

// ---- balls and springs through time, by the classical method of Runge and Kutta ----

struct spring {
  double kappa, eta, e;
  bool bi;
  // force = k (δ − offset)^η
  enum { open, loading, unloading } mode = open;
  double k = 0, offset = 0, taken = 0, given = 0, last_force = 0;

  double force(double d) const {
    return mode == open || d <= offset ? 0
           : eta == 1                  ? k * (d - offset)
                                       : k * std::pow(d - offset, eta);
  }
  // After a step in which δ has come to d with rate -rate, and the spring has done the work w.
  void follow(double d, double rate, double w) {
    if (w < 0) taken -= w;
    if (w > 0) given += w;
    const double f = force(d);
    if (mode == open && rate < 0) {
      mode = loading, k = kappa, offset = d, taken = given = 0;
    } else if (mode == loading && rate > 0) {
      mode = unloading;
      if (e == 0) {
        mode = open;
      } else if (bi) {
        k = kappa / std::pow(e, 2 * eta);
        offset = d - std::pow(f / k, 1 / eta);
      }
    } else if (mode == unloading && (f <= 0 || (!bi && e < 1 && given >= e * e * taken))) {
      mode = open;
    } else if (mode == unloading && rate < 0) {
      mode = loading;
      k = kappa;
      offset = d - std::pow(f / k, 1 / eta);
    }
  }
};

struct chain {
  vec mass, v, x;
  std::vector<spring> springs;

  chain(vec masses, vec velocities, const vec &e, const options &o)
      : mass(std::move(masses)), v(std::move(velocities)) {
    x.assign(v.size(), 0);
    for (std::size_t i = 0; i + 1 < v.size(); i++)
      springs.push_back({o.stiffness ? o.stiffness[i] : 1.0, o.exponent, e[i],
                         o.compliance == PERP_STIFFNESS_BI});
  }
  vec acceleration(const vec &at) const {
    vec a(v.size(), 0);
    for (std::size_t i = 0; i < springs.size(); i++) {
      const double f = springs[i].force(at[i] - at[i + 1]);
      a[i] -= f / mass[i];
      a[i + 1] += f / mass[i + 1];
    }
    return a;
  }
  static vec moved(const vec &x, double h, const vec &v) {
    vec y = x;
    for (std::size_t i = 0; i < x.size(); i++) y[i] += h * v[i];
    return y;
  }
  void step(double h) {
    const vec a1 = acceleration(x), v2 = moved(v, h / 2, a1);
    const vec a2 = acceleration(moved(x, h / 2, v)), v3 = moved(v, h / 2, a2);
    const vec a3 = acceleration(moved(x, h / 2, v2)), v4 = moved(v, h, a3);
    const vec a4 = acceleration(moved(x, h, v3));
    const vec x0 = x, f0 = forces();
    for (std::size_t i = 0; i < v.size(); i++) {
      x[i] += h / 6 * (v[i] + 2 * v2[i] + 2 * v3[i] + v4[i]);
      v[i] += h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
    }
    const vec f1 = forces();
    for (std::size_t i = 0; i < springs.size(); i++) {
      const double d0 = x0[i] - x0[i + 1], d1 = x[i] - x[i + 1];
      springs[i].follow(d1, v[i + 1] - v[i], -(f0[i] + f1[i]) / 2 * (d1 - d0));
    }
  }
  vec forces() const {
    vec f;
    for (std::size_t i = 0; i < springs.size(); i++) f.push_back(springs[i].force(x[i] - x[i + 1]));
    return f;
  }
  // Kinetic energy of the balls of finite mass, and what linear springs hold.
  double energy() const {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); i++)
      if (std::isfinite(mass[i])) sum += mass[i] * v[i] * v[i] / 2;
    for (std::size_t i = 0; i < springs.size(); i++) {
      const double f = springs[i].force(x[i] - x[i + 1]);
      if (f > 0) sum += f * f / springs[i].k / 2;
    }
    return sum;
  }
  bool over() const {
    for (std::size_t i = 0; i < springs.size(); i++)
      if (springs[i].mode != spring::open || v[i + 1] < v[i]) return false;
    return true;
  }
  // ẏ after the impact.
  vec run(double h) {
    for (std::size_t i = 0; i < springs.size(); i++) springs[i].follow(0, v[i + 1] - v[i], 0);
    for (int k = 0; k < 10000000 && !over(); k++) step(h);
    vec y;
    for (std::size_t i = 0; i + 1 < v.size(); i++) y.push_back(v[i + 1] - v[i]);
    return y;
  }
};

// ---- the published form: steps of the primary contact's impulse ----

inline vec published(const vec &W, vec y, const vec &e, const options &o, double step) {
  const std::size_t m = y.size();
  const double eta = o.exponent;
  const auto kappa = [&](std::size_t i) { return o.stiffness ? o.stiffness[i] : 1.0; };
  vec E(m, 0);
  for (int k = 0; k < 100000000; k++) {
    // E = 0 with ẏ < 0 is a fixed point of the form with E: leave it.
    for (std::size_t i = 0; i < m; i++)
      if (y[i] < 0 && E[i] <= 0) E[i] = 1e-18;
    const std::size_t j =
        static_cast<std::size_t>(std::max_element(E.begin(), E.end()) - E.begin());
    if (E[j] <= 0) break;
    vec dP(m, 0);
    for (std::size_t i = 0; i < m; i++)
      if (E[i] > 0)
        dP[i] = std::pow(kappa(i) / kappa(j), 1 / (eta + 1)) *
                std::pow(E[i] / E[j], eta / (eta + 1)) * step;
    const vec dy = times(W, dP);
    for (std::size_t i = 0; i < m; i++) {
      const double mean = y[i] + dy[i] / 2;
      E[i] = std::max(E[i] - mean * dP[i] / (mean > 0 ? e[i] * e[i] : 1), 0.0);
      y[i] += dy[i];
    }
  }
  return y;
}

}  // namespace impact_judge

#endif
