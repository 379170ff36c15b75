// SPDX-License-Identifier: MIT
// Pendulums in Cartesian and in minimal coordinates, the exact motion of the simple one, and runs
// of event-driven simulation that keep what their observer saw.
#pragma once

#include <gtest/gtest.h>
#include <perp/event_driven.h>
#include <perp/lagrangian.h>
#include <perp/lagrangian_relation.h>
#include <perp/perp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tools {

using vec = std::vector<double>;
inline constexpr double kG = 9.81;

// -------------------------------------------------------------------------- exact solution

struct jacobi {
  long double sn, cn, dn;
};

// Jacobi's elliptic functions of u with modulus k by the arithmetic-geometric mean (Abramowitz and
// Stegun 16.4).
inline jacobi elliptic(long double u, long double k) {
  std::array<long double, 20> a{}, c{};
  a[0] = 1;
  c[0] = k;
  long double b = std::sqrt(1 - k * k);
  std::size_t n = 0;
  while (std::fabs(c[n]) > 1e-19L && n + 1 < a.size()) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    n++;
  }
  long double phi = std::ldexp(a[n] * u, static_cast<int>(n)), before = phi;
  for (; n > 0; n--) {
    before = phi;
    phi = (phi + std::asin(c[n] / a[n] * std::sin(phi))) / 2;
  }
  const long double sn = std::sin(phi), cn = std::cos(phi);
  (void)before;
  return {sn, cn, std::sqrt(1 - k * k * sn * sn)};
}

// A pendulum of length L let go at rest at the angle a from the vertical, mass 1: position and
// velocity of the mass, and the tension of its string.
struct swing {
  double q[2], v[2], tension, angle, rate;
};

inline swing simple_pendulum(double time, double L, double a) {
  const long double w = std::sqrt(kG / static_cast<long double>(L)), k = std::sin(a / 2.0L);
  const jacobi e = elliptic(w * time, k);
  const long double sine = k * e.cn / e.dn;  // sin(θ/2) = k cd
  const long double angle = 2 * std::asin(sine);
  const long double rate = -2 * k * w * std::sqrt(1 - k * k) * e.sn / e.dn;
  const long double s = std::sin(angle), c = std::cos(angle);
  return {{double(L * s), double(-L * c)},
          {double(L * rate * c), double(L * rate * s)},
          double(L * rate * rate + kG * c),
          double(angle),
          double(rate)};
}

// ------------------------------------------------------------------------------- the model

using gap_fn = std::function<void(double, const double *q, double *out)>;
using motion_fn = std::function<void(double, const double *q, const double *v, double *out)>;

// A model with everything it points to.
class Mechanism {
 public:
  Mechanism() {
    EXPECT_EQ(perp_equality_init(&equality_, sizeof equality_), PERP_OK);
    EXPECT_EQ(perp_newton_impact_init(&impact_, sizeof impact_), PERP_OK);
  }
  Mechanism(const Mechanism &) = delete;
  Mechanism &operator=(const Mechanism &) = delete;

  // A point of that mass in the plane (or more coordinates) under a constant force.
  std::int32_t point(double mass, const vec &force, const vec &q, const vec &v) {
    perp_lagrangian_linear &s = points_.emplace_back();
    const auto n = static_cast<std::int32_t>(q.size());
    EXPECT_EQ(perp_lagrangian_linear_init(&s, sizeof s, n), PERP_OK);
    s.M = perp_diagonal(n, keep(vec(q.size(), mass)));
    s.f = keep(force);
    return add(&s.system, q, v);
  }
  std::int32_t weight(double mass, const vec &q, const vec &v) {
    return point(mass, {0, -mass * kG}, q, v);
  }
  // M(q) v' + internal(q, v) = 0.
  std::int32_t general(const vec &q, const vec &v, const gap_fn &mass, const motion_fn &internal) {
    functions_.push_back({mass, internal});
    perp_lagrangian &s = generals_.emplace_back();
    EXPECT_EQ(perp_lagrangian_init(&s, sizeof s, static_cast<std::int32_t>(q.size())), PERP_OK);
    s.mass = [](double t, const double *a, const double *, const double *, double *out, void *u) {
      static_cast<function *>(u)->h(t, a, out);
      return 0;
    };
    s.internal = [](double t, const double *a, const double *b, const double *, double *out,
                    void *u) {
      static_cast<function *>(u)->H(t, a, b, out);
      return 0;
    };
    s.user = &functions_.back();
    return add(&s.system, q, v);
  }
  std::int32_t add(const perp_system *system, const vec &q, const vec &v) {
    systems_.push_back(system);
    q0_.insert(q0_.end(), q.begin(), q.end());
    v0_.insert(v0_.end(), v.begin(), v.end());
    return static_cast<std::int32_t>(systems_.size()) - 1;
  }
  std::int32_t state(const perp_system *system, const vec &x) {
    systems_.push_back(system);
    x0_.insert(x0_.end(), x.begin(), x.end());
    return static_cast<std::int32_t>(systems_.size()) - 1;
  }

  // y = h(t, q), m rows over n columns, H by columns; biases are left to the library.
  const perp_relation *gap(std::int32_t m, std::int32_t n, const gap_fn &h, const gap_fn &H,
                           bool timed = false) {
    functions_.push_back(
        {h, [H](double t, const double *q, const double *, double *out) { H(t, q, out); }});
    perp_lagrangian_relation &r = gaps_.emplace_back();
    EXPECT_EQ((timed ? perp_lagrangian_rheonomous_init : perp_lagrangian_scleronomous_init)(
                  &r, sizeof r, m, n),
              PERP_OK);
    r.h = [](double t, const double *q, const double *, const double *, double *out, void *u) {
      static_cast<function *>(u)->h(t, q, out);
      return 0;
    };
    r.H = [](double t, const double *q, const double *, const double *, double *out, void *u) {
      static_cast<function *>(u)->H(t, q, nullptr, out);
      return 0;
    };
    r.user = &functions_.back();
    return &r.relation;
  }
  // y = H q + b.
  const perp_relation *linear(const vec &H, const vec &b) {
    perp_lagrangian_linear_relation &r = linears_.emplace_back();
    const auto m = static_cast<std::int32_t>(b.size());
    EXPECT_EQ(perp_lagrangian_linear_relation_init(&r, sizeof r, m,
                                                   static_cast<std::int32_t>(H.size()) / m),
              PERP_OK);
    r.H = keep(H);
    r.b = keep(b);
    return &r.relation;
  }
  // A rod of length L between a point and the ground at (x, y): (|q - p|² - L²)/(2 L).
  const perp_relation *rod(double L, double x = 0, double y = 0, double sign = 1) {
    return gap(
        1, 2,
        [=](double, const double *q, double *out) {
          const double a = q[0] - x, b = q[1] - y;
          out[0] = sign * (a * a + b * b - L * L) / (2 * L);
        },
        [=](double, const double *q, double *out) {
          out[0] = sign * (q[0] - x) / L;
          out[1] = sign * (q[1] - y) / L;
        });
  }
  // A rod between two points.
  const perp_relation *rod_between(double L) {
    return gap(
        1, 4,
        [L](double, const double *q, double *out) {
          const double a = q[2] - q[0], b = q[3] - q[1];
          out[0] = (a * a + b * b - L * L) / (2 * L);
        },
        [L](double, const double *q, double *out) {
          out[2] = (q[2] - q[0]) / L;
          out[3] = (q[3] - q[1]) / L;
          out[0] = -out[2];
          out[1] = -out[3];
        });
  }
  const perp_law *equality() const { return &equality_.law; }
  const perp_law *impact(double e) {
    impact_.e = e;
    return &impact_.law;
  }
  std::int32_t join(const perp_relation *relation, const perp_law *law,
                    const std::vector<std::int32_t> &systems) {
    joined_.push_back(systems);
    interactions_.push_back(
        {relation, law, joined_.back().data(), static_cast<std::int32_t>(systems.size()), 0});
    list_.push_back(&interactions_.back());
    return static_cast<std::int32_t>(list_.size()) - 1;
  }

  const perp_model *model() {
    const perp_model empty = PERP_MODEL_INIT;
    model_ = empty;
    model_.n_systems = static_cast<std::int32_t>(systems_.size());
    model_.n_interactions = static_cast<std::int32_t>(list_.size());
    model_.systems = systems_.data();
    model_.interactions = list_.data();
    model_.q0 = q0_.empty() ? nullptr : q0_.data();
    model_.v0 = v0_.empty() ? nullptr : v0_.data();
    model_.x0 = x0_.empty() ? nullptr : x0_.data();
    return &model_;
  }
  const double *keep(const vec &values) { return kept_.emplace_back(values).data(); }

 private:
  struct function {
    gap_fn h;
    motion_fn H;
  };
  perp_model model_ = PERP_MODEL_INIT;
  perp_equality equality_{};
  perp_newton_impact impact_{};
  std::deque<vec> kept_;
  std::deque<function> functions_;
  std::deque<perp_lagrangian_linear> points_;
  std::deque<perp_lagrangian> generals_;
  std::deque<perp_lagrangian_relation> gaps_;
  std::deque<perp_lagrangian_linear_relation> linears_;
  std::deque<std::vector<std::int32_t>> joined_;
  std::deque<perp_interaction> interactions_;
  std::vector<const perp_system *> systems_;
  std::vector<const perp_interaction *> list_;
  vec q0_, v0_, x0_;
};

// -------------------------------------------------------------------------------- the runs

// A simulation with its observer.
class Motion {
 public:
  Motion(Mechanism &mechanism, const perp_smooth *smooth, double tol,
         const std::function<void(perp_event_options &)> &change = {}) {
    perp_event_options o = perp_event_options_default();
    o.smooth = smooth;
    o.rtol = o.atol = tol;
    o.max_steps = 10000000;
    if (change) change(o);
    perp_info info = PERP_INFO_INIT;
    created = perp_event_driven_create(&sim_, mechanism.model(), &o, &info);
    field = info.field == nullptr ? "" : info.field;
  }
  Motion(const Motion &) = delete;
  Motion &operator=(const Motion &) = delete;
  ~Motion() { perp_event_driven_destroy(sim_); }

  // Until then, with look() every `every` seconds.
  perp_status to(double until, double every = 0, const std::function<void(Motion &)> &look = {}) {
    perp_event_observer o = PERP_EVENT_OBSERVER_INIT;
    look_ = look;
    o.first = time() + every;
    o.every = every;
    o.user = this;
    o.output = [](perp_event_driven *, void *self) {
      Motion *run = static_cast<Motion *>(self);
      if (run->look_) run->look_(*run);
      return 0;
    };
    o.event = [](perp_event_driven *sim, const perp_event *event, void *self) {
      Motion *run = static_cast<Motion *>(self);
      run->times.push_back(perp_event_driven_time(sim));
      run->kinds.push_back(event->kinds);
      return 0;
    };
    perp_info info = PERP_INFO_INIT;
    return perp_event_driven_run(sim_, until, &o, &info);
  }
  double time() const { return perp_event_driven_time(sim_); }
  const double *q(std::int32_t i = 0) const { return perp_event_driven_q(sim_, i); }
  const double *v(std::int32_t i = 0) const { return perp_event_driven_v(sim_, i); }
  const double *x(std::int32_t i = 0) const { return perp_event_driven_x(sim_, i); }
  const double *lambda(std::int32_t i = 0) { return perp_event_driven_lambda(sim_, i); }
  const double *y(std::int32_t i = 0) { return perp_event_driven_y(sim_, i); }
  const double *ydot(std::int32_t i = 0) { return perp_event_driven_ydot(sim_, i); }
  std::int32_t mode(std::int32_t i = 0) { return perp_event_driven_mode(sim_, i, 0); }
  std::string message() const { return perp_event_driven_message(sim_); }
  perp_event_report report() const {
    perp_event_report r = PERP_EVENT_REPORT_INIT;
    EXPECT_EQ(perp_event_driven_report(sim_, &r), PERP_OK);
    return r;
  }
  perp_status created;
  std::string field;
  vec times;
  std::vector<std::uint32_t> kinds;

 private:
  perp_event_driven *sim_ = nullptr;
  std::function<void(Motion &)> look_;
};

// ------------------------------------------------------------------------------ the systems

inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1]; }

// Let go at rest at an angle, on a rod of length L.
inline void hang(Mechanism &m, double L, double angle) {
  m.weight(1, {L * std::sin(angle), -L * std::cos(angle)}, {0, 0});
  m.join(m.rod(L), m.equality(), {0});
}

// Its angle alone.
inline void hang_minimal(Mechanism &m, double L, double angle) {
  m.general(
      {angle}, {0}, [L](double, const double *, double *M) { M[0] = L * L; },
      [L](double, const double *q, const double *, double *f) { f[0] = kG * L * std::sin(q[0]); });
}

// Two masses 1 on two rods of length 1, at rest at the angles a, b.
inline void hang_two(Mechanism &m, double a, double b) {
  const double x = std::sin(a), y = -std::cos(a);
  m.weight(1, {x, y}, {0, 0});
  m.weight(1, {x + std::sin(b), y - std::cos(b)}, {0, 0});
  m.join(m.rod(1), m.equality(), {0});
  m.join(m.rod_between(1), m.equality(), {0, 1});
}

inline void hang_two_minimal(Mechanism &m, double a, double b) {
  m.general(
      {a, b}, {0, 0},
      [](double, const double *q, double *M) {
        M[0] = 2;
        M[3] = 1;
        M[1] = M[2] = std::cos(q[0] - q[1]);
      },
      [](double, const double *q, const double *v, double *f) {
        const double s = std::sin(q[0] - q[1]);
        f[0] = s * v[1] * v[1] + 2 * kG * std::sin(q[0]);
        f[1] = -s * v[0] * v[0] + kG * std::sin(q[1]);
      });
}

inline double two_energy(const Motion &run) {
  return 0.5 * (dot(run.v(0), run.v(0)) + dot(run.v(1), run.v(1))) +
         kG * (run.q(0)[1] + run.q(1)[1]);
}

}  // namespace tools
