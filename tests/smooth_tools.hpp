// SPDX-License-Identifier: MIT
// Motions with known solutions, and an owner of an integrator that moves along them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "events/smooth.h"

namespace tools {

using state = std::vector<double>;

// ẏ = f(t, y) with its solution from t = 0 on.
struct motion {
  std::string name;
  std::function<std::int32_t(double, const double *, double *)> rhs;
  std::function<state(double)> exact;
};

inline motion oscillator() {
  return {"oscillator",
          [](double, const double *y, double *f) {
            f[0] = y[1];
            f[1] = -y[0];
            return 0;
          },
          [](double t) {
            return state{std::cos(t), -std::sin(t)};
          }};
}

// Kepler's ellipse, eccentricity 0.5, from the pericentre; Kepler's equation by Newton's iteration.
inline motion kepler() {
  return {
      "kepler",
      [](double, const double *y, double *f) {
        const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * std::sqrt(r2);
        f[0] = y[2];
        f[1] = y[3];
        f[2] = -y[0] / r3;
        f[3] = -y[1] / r3;
        return 0;
      },
      [](double t) {
        const double e = 0.5;
        double E = t;
        for (int i = 0; i < 50; i++) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
        const double rate = 1 / (1 - e * std::cos(E)), b = std::sqrt(1 - e * e);
        return state{std::cos(E) - e, b * std::sin(E), -std::sin(E) * rate, b * std::cos(E) * rate};
      }};
}

// One component follows cos t on a time scale of 1 ms, another on 1 s.
inline motion stiff() {
  return {"stiff",
          [](double t, const double *y, double *f) {
            f[0] = -1000 * (y[0] - std::cos(t)) - std::sin(t);
            f[1] = -y[1];
            return 0;
          },
          [](double t) {
            return state{std::cos(t), std::exp(-t)};
          }};
}

// Not autonomous: two bumps, of which the second follows the first.
inline motion forced() {
  return {"forced",
          [](double t, const double *y, double *f) {
            f[0] = y[0] * std::cos(t);
            f[1] = 2 * t * std::cos(t * t) + y[0] - std::exp(std::sin(t));
            return 0;
          },
          [](double t) {
            return state{std::exp(std::sin(t)), std::sin(t * t)};
          }};
}

// A thrown ball: a polynomial of degree 2.
inline motion ball() {
  return {"ball",
          [](double, const double *y, double *f) {
            f[0] = y[1];
            f[1] = -9.81;
            return 0;
          },
          [](double t) {
            return state{1 + 2 * t - 0.5 * 9.81 * t * t, 2 - 9.81 * t};
          }};
}

// Fails on demand beyond t = 1.
struct trouble {
  std::int32_t answer = 0;
  double value = 0;  // added to the slope
  motion law = oscillator();
  trouble() {
    const auto rhs = law.rhs;
    law.rhs = [this, rhs](double t, const double *y, double *f) {
      const std::int32_t ok = rhs(t, y, f);
      if (t <= 1) return ok;
      f[0] += value;
      return answer;
    };
  }
};

inline double distance(const state &a, const state &b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); i++) {
    const double e = std::abs(a[i] - b[i]);
    if (e > worst || std::isnan(e)) worst = e;
  }
  return worst;
}

struct settings {
  double rtol = 1e-10, atol = 1e-12, h_first = 0, h_max = 0;
  std::int32_t order = 0, max_steps = 100000, linear = PERP_LINEAR_AUTO;
};

// One step as it was taken.
struct taken {
  perp_status status;
  double begin, end;
  state y;
};

class integrator {
 public:
  integrator(const perp_smooth *method, motion m, const settings &s = {})
      : method_(method), motion_(std::move(m)), y_(motion_.exact(0)), atol_(y_.size(), s.atol) {
    problem_.n = static_cast<std::int32_t>(y_.size());
    problem_.linear = s.linear;
    problem_.context = this;
    problem_.rhs = [](void *self, double t, const double *y, double *f) {
      return static_cast<integrator *>(self)->motion_.rhs(t, y, f);
    };
    problem_.dae_begin = [](void *self, double t, const double *y, std::int32_t *n) {
      return static_cast<integrator *>(self)->begin_dae(t, y, n);
    };
    problem_.residual = [](void *self, double t, const double *z, const double *zdot, double *F) {
      return static_cast<integrator *>(self)->residual(t, z, zdot, F);
    };
    problem_.dae_consistent = [](void *self, double *z, double *zdot, double *atol) {
      const integrator *i = static_cast<integrator *>(self);
      const std::size_t n = i->y_.size();
      std::copy(i->z_.begin(), i->z_.end(), z);
      std::copy(i->zdot_.begin(), i->zdot_.end(), zdot);
      std::fill(atol, atol + n + 1, i->atol_[0]);
    };
    problem_.dae_structure = [](void *self, std::int32_t *start, std::int32_t *index) {
      const auto n = static_cast<integrator *>(self)->problem_.n + 1;
      for (std::int32_t j = 0; j <= n; j++) start[j] = j * n;
      for (std::int32_t k = 0; index != nullptr && k < n * n; k++) index[k] = k % n;
    };
    problem_.rtol = s.rtol;
    problem_.atol = atol_.data();
    problem_.h_first = s.h_first;
    problem_.h_max = s.h_max;
    problem_.order = s.order;
    problem_.max_steps = s.max_steps;
  }
  integrator(const integrator &) = delete;
  integrator &operator=(const integrator &) = delete;
  ~integrator() {
    if (self_ != nullptr) method_->destroy(self_);
  }

  // Entries of the Jacobian by columns.
  void structure(std::vector<std::int32_t> start, std::vector<std::int32_t> index) {
    start_ = std::move(start);
    index_ = std::move(index);
    problem_.start = start_.data();
    problem_.index = index_.data();
  }
  perp_status create(perp_info *info = nullptr) { return method_->create(&self_, &problem_, info); }
  perp_status restart(double t, const state &y, double h = 0) {
    const perp_status status = method_->restart(self_, t, y.data(), h);
    if (status == PERP_OK) t_ = t;
    return status;
  }
  // From the exact solution at t = 0.
  perp_status begin() {
    const perp_status status = create();
    return status == PERP_OK ? restart(0, y_) : status;
  }
  taken step(double stop) {
    taken s{PERP_OK, NAN, NAN, state(y_.size(), NAN)};
    s.status = method_->step(self_, stop, &s.begin, &s.end, s.y.data());
    if (s.status == PERP_OK) y_ = s.y, t_ = s.end;
    return s;
  }
  // Steps up to stop; how many, or -1 after a failure.
  int run(double stop) {
    for (int steps = 1; steps <= 1000000; steps++) {
      const taken s = step(stop);
      if (s.status != PERP_OK) return -1;
      if (!(s.end < stop)) return steps;
    }
    return -1;
  }
  perp_status at(double t, state *y) {
    y->assign(y_.size(), NAN);
    return method_->interpolate(self_, t, y->data());
  }
  perp_status shorten(double t, state *y) {
    y->assign(y_.size(), NAN);
    const perp_status status = method_->shorten(self_, t, y->data());
    if (status == PERP_OK) y_ = *y, t_ = t;
    return status;
  }
  smooth_counts counts() const {
    smooth_counts c{};
    method_->counts(self_, &c);
    return c;
  }
  std::string message() const { return method_->message(self_); }
  const state &y() const { return y_; }
  double time() const { return t_; }
  double error() const { return distance(y_, motion_.exact(t_)); }
  motion &law() { return motion_; }
  smooth_problem &problem() { return problem_; }

 private:
  // The motion as a DAE with a multiplier that is equal to the first component.
  std::int32_t begin_dae(double t, const double *y, std::int32_t *n) {
    const std::size_t size = y_.size();
    z_.assign(y, y + size);
    z_.push_back(0);
    zdot_.assign(size + 1, y[0]);
    *n = problem_.n + 1;
    return motion_.rhs(t, y, zdot_.data());
  }
  std::int32_t residual(double t, const double *z, const double *zdot, double *F) {
    const std::size_t n = y_.size();
    const std::int32_t answer = motion_.rhs(t, z, F);
    for (std::size_t k = 0; k < n; k++) F[k] = zdot[k] - F[k];
    F[n] = zdot[n] - z[0];
    return answer;
  }

  const perp_smooth *method_;
  motion motion_;
  state y_, atol_, z_, zdot_;
  double t_ = 0;
  std::vector<std::int32_t> start_, index_;
  smooth_problem problem_{};
  void *self_ = nullptr;
};

}  // namespace tools
