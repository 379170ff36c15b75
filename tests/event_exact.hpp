// SPDX-License-Identifier: MIT
// Closed solutions of nonsmooth motions with events, in long double and from the equations alone:
// they share nothing with the library. Where an event is a root of a transcendental equation, the
// equation is that of a closed form and is bisected to the last bit.
#ifndef PERP_TESTS_EVENT_EXACT_HPP
#define PERP_TESTS_EVENT_EXACT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace exact {

using real = long double;
constexpr real pi = 3.14159265358979323846264338327950288L;

inline double off(double a, real b) {
  return static_cast<double>(std::abs(static_cast<real>(a) - b));
}
/** The larger one; a NaN stays. */
inline void raise(double &largest, double value) {
  if (!(value <= largest)) largest = value;
}

/** The first zero of f after t that f reaches from f(t + dt) > 0, looked for in steps of dt. */
template <class F>
real next_zero(const F &f, real t, real dt) {
  real a = t + dt * 1e-6L;
  while (!(f(a) > 0)) a += dt * 1e-6L;
  while (f(a + dt) > 0) a += dt;
  real b = a + dt;
  for (int i = 0; i < 200; i++) {
    const real c = (a + b) / 2;
    (f(c) > 0 ? a : b) = c;
  }
  return (a + b) / 2;
}

/** A ball dropped from height h on the ground, Newton's restitution e: parabolas. */
struct ball {
  real e = 0.9L, h = 1, g = 9.81L;
  real first() const { return std::sqrt(2 * h / g); }
  real speed() const { return std::sqrt(2 * g * h); } /**< before the first impact */
  /** Time of impact n = 1, 2, ... */
  real impact(int n) const {
    if (e == 1) return first() * static_cast<real>(2 * n - 1);
    return first() * (1 + 2 * e * (1 - std::pow(e, static_cast<real>(n - 1))) / (1 - e));
  }
  real speed_before(int n) const { return speed() * std::pow(e, static_cast<real>(n - 1)); }
  real accumulation() const { return first() * (1 + e) / (1 - e); }
  int impacts(real t) const {
    int n = 0;
    if (e < 1 && t >= accumulation()) return -1;
    while (impact(n + 1) <= t) n++;
    return n;
  }
  real height(real t) const {
    const int n = impacts(t);
    if (n < 0) return 0;
    if (n == 0) return h - g * t * t / 2;
    const real s = t - impact(n), u = e * speed_before(n);
    return u * s - g * s * s / 2;
  }
  real velocity(real t) const {
    const int n = impacts(t);
    if (n < 0) return 0;
    return n == 0 ? -g * t : e * speed_before(n) - g * (t - impact(n));
  }
};

/** A mass on a spring with weight, dropped from x = 1 on a wall at x = 0 (reference data, A.7). */
struct wall_oscillator {
  real e = 0.9L, m = 1e-3L, k = 100, g = 9.81L, x0 = 1;
  real w() const { return std::sqrt(k / m); }
  real d() const { return m * g / k; }
  std::vector<real> times, speeds; /**< of impacts, and after them */
  real accumulation = 0;

  wall_oscillator() {
    const real first = std::acos(d() / (x0 + d())) / w();
    real t = first, u = e * w() * std::sqrt((x0 + d()) * (x0 + d()) - d() * d());
    while (u > 1e-17L) {
      times.push_back(t);
      speeds.push_back(u);
      t += 2 / w() * std::atan2(u / w(), d());
      u *= e;
    }
    accumulation = t;
  }
  std::size_t impacts(real t) const {
    return static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) -
                                    times.begin());
  }
  real position(real t) const {
    const std::size_t n = impacts(t);
    if (t >= accumulation) return 0;
    if (n == 0) return -d() + (x0 + d()) * std::cos(w() * t);
    const real s = w() * (t - times[n - 1]);
    const real half = std::sin(s / 2);
    return -2 * d() * half * half + speeds[n - 1] / w() * std::sin(s);
  }
  real velocity(real t) const {
    const std::size_t n = impacts(t);
    if (t >= accumulation) return 0;
    if (n == 0) return -(x0 + d()) * w() * std::sin(w() * t);
    const real s = w() * (t - times[n - 1]);
    return -d() * w() * std::sin(s) + speeds[n - 1] * std::cos(s);
  }
};

/** x'' + w² x = F cos(W t) + c between times at which the state is set anew. */
struct forced {
  real w, F, W, c = 0;
  real t0 = 0, A = 0, B = 0; /**< x = A cos w(t-t0) + B sin w(t-t0) + particular */
  real particular(real t) const { return F / (w * w - W * W) * std::cos(W * t) + c / (w * w); }
  real particular_rate(real t) const { return -F * W / (w * w - W * W) * std::sin(W * t); }
  void set(real t, real x, real v) {
    t0 = t;
    A = x - particular(t);
    B = (v - particular_rate(t)) / w;
  }
  real x(real t) const {
    const real s = w * (t - t0);
    return A * std::cos(s) + B * std::sin(s) + particular(t);
  }
  real v(real t) const {
    const real s = w * (t - t0);
    return w * (B * std::cos(s) - A * std::sin(s)) + particular_rate(t);
  }
};

/** A state of two numbers at a time. */
struct point {
  real t, x, v;
};

/** x'' + w² x = F cos(W t), x >= -gap, restitution e: the first impacts, states after them. */
inline std::vector<point> forced_impacts(forced motion, real gap, real e, real x0, real v0,
                                         int count) {
  std::vector<point> found;
  motion.set(0, x0, v0);
  real t = 0;
  for (int i = 0; i < count; i++) {
    t = next_zero([&](real s) { return motion.x(s) + gap; }, t, 2 * pi / motion.W / 400);
    const real after = -e * motion.v(t);
    motion.set(t, -gap, after);
    found.push_back({t, -gap, after});
  }
  return found;
}

/** A mass on a spring that rubs on a ground at rest, excited: x'' + w² x = F cos(W t) - a sgn(x').
 * Switches between slipping and sticking, with the state there. */
struct rubbing {
  real w, F, W, a;
  struct change : point {
    int to; /**< -1, 1: slips that way, 0: sticks */
  };
  /** Force without friction at rest. */
  real load(real t, real x) const { return F * std::cos(W * t) - w * w * x; }
  int slip_from_rest(real t, real x) const {
    const real f = load(t, x);
    return f > a ? 1 : f < -a ? -1 : 0;
  }
  std::vector<change> run(real x0, real end) const {
    std::vector<change> found;
    real t = 0, x = x0;
    int way = slip_from_rest(t, x);
    const real dt = 2 * pi / std::max(W, w) / 400;
    while (t < end) {
      if (way != 0) {
        forced motion{w, F, W, -a * way};
        motion.set(t, x, 0);
        t = next_zero([&](real s) { return way * motion.v(s); }, t, dt);
        x = motion.x(t);
        way = slip_from_rest(t, x);
      } else {
        t = next_zero([&](real s) { return a - std::abs(load(s, x)); }, t, dt);
        way = load(t, x) > 0 ? 1 : -1;
      }
      if (t < end) found.push_back({{t, x, 0}, way});
    }
    return found;
  }
};

/** A puck that slides on a plane with deceleration a under a constant lateral acceleration f < a:
 * with φ the angle from f to the velocity v and u = tan(φ/2), v sin φ = C u^κ, κ = a/f; times and
 * paths are polynomials in u. Coordinate 0 is along f. */
struct puck {
  real a, f, kappa, C, u0;
  puck(real deceleration, real lateral, real speed, real angle)
      : a(deceleration), f(lateral), kappa(a / f), C(0), u0(std::tan(angle / 2)) {
    C = speed * std::sin(angle) * std::pow(u0, -kappa);
  }
  real power(real u, real n) const { return std::pow(u, n) / n; }
  /** Until it stops, from the point where tan(φ/2) = u. */
  real time_left(real u) const { return C / (2 * f) * (power(u, kappa - 1) + power(u, kappa + 1)); }
  real along(real u) const {
    return C * C / (4 * f) * (power(u, 2 * kappa - 2) - power(u, 2 * kappa + 2));
  }
  real across(real u) const {
    return C * C / (2 * f) * (power(u, 2 * kappa - 1) + power(u, 2 * kappa + 1));
  }
  real stop() const { return time_left(u0); }
  real u(real t) const {
    real low = 0, high = u0;
    for (int i = 0; i < 200; i++) {
      const real middle = (low + high) / 2;
      (time_left(middle) < stop() - t ? low : high) = middle;
    }
    return (low + high) / 2;
  }
  real speed(real t) const {
    const real s = u(t);
    return C * std::pow(s, kappa) * (1 + s * s) / (2 * s);
  }
  real x(real t) const { return along(u0) - along(t < stop() ? u(t) : 0); }
  real y(real t) const { return across(u0) - across(t < stop() ? u(t) : 0); }
};

/** Voltage and current of a coil and a capacitor with a conductance G in parallel that conducts
 * where G > 0: C v' = -i - G v, L i' = v. */
struct tank {
  real L, C, G;
  point state{0, 0, 0}; /**< t, v, i */
  point at(real t) const {
    const real s = t - state.t, a = G / (2 * C), w = std::sqrt(1 / (L * C) - a * a);
    const real v0 = state.x, i0 = state.v, decay = std::exp(-a * s);
    const real rate = -i0 / C - 2 * a * v0; /* v' at the begin */
    const real v = decay * (v0 * std::cos(w * s) + (rate + a * v0) / w * std::sin(w * s));
    const real irate = v0 / L;
    const real i = decay * (i0 * std::cos(w * s) + (irate + a * i0) / w * std::sin(w * s));
    return {t, v, i};
  }
  /** The next zero of v, not the one at the begin. */
  real zero() const {
    const real a = G / (2 * C), w = std::sqrt(1 / (L * C) - a * a);
    const real b = (-state.v / C - a * state.x) / w; /* v ~ v0 cos + b sin */
    real s = std::atan2(-state.x, b) / w;
    while (s <= 1e-12L / w) s += pi / w;
    return state.t + s;
  }
};

/** Half-wave rectifier: a source E sin(Wt), a diode of resistance r >= 0 in series, C and R in
 * parallel. C v' = λ - v/R, 0 <= r λ + v - E sin Wt ⟂ λ >= 0. States at the changes of the diode.
 */
struct rectifier {
  real E, W, C, R, r;
  struct change : point {
    int conducts;
  };
  real source(real t) const { return E * std::sin(W * t); }
  /** v while it conducts, r > 0, from v0 at t0. */
  real conducting(real t, real t0, real v0) const {
    if (r == 0) return source(t);
    const real p = (1 / r + 1 / R) / C, q = E / (r * C); /* v' = -p v + q sin Wt */
    const auto particular = [&](real s) {
      return q / (p * p + W * W) * (p * std::sin(W * s) - W * std::cos(W * s));
    };
    return particular(t) + (v0 - particular(t0)) * std::exp(-p * (t - t0));
  }
  real current(real t, real t0, real v0) const {
    if (r == 0) return C * E * W * std::cos(W * t) + source(t) / R;
    return (source(t) - conducting(t, t0, v0)) / r;
  }
  /** From v = 0 at t = 0, where it begins to conduct. */
  std::vector<change> run(real end) const {
    std::vector<change> found;
    real t = 0, v = 0;
    const real dt = 2 * pi / W / 1000;
    for (int conducts = 1;; conducts = 1 - conducts) {
      const real t0 = t, v0 = v;
      if (conducts != 0) {
        t = next_zero([&](real s) { return current(s, t0, v0); }, t0, dt);
        v = conducting(t, t0, v0);
      } else {
        const auto blocked = [&](real s) { return v0 * std::exp(-(s - t0) / (R * C)); };
        t = next_zero([&](real s) { return blocked(s) - source(s); }, t0, dt);
        v = blocked(t);
      }
      if (t >= end) return found;
      found.push_back({{t, v, 0}, 1 - conducts});
    }
  }
};

}  // namespace exact

#endif
