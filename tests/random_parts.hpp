// SPDX-License-Identifier: MIT
// Random models whose parts are known twice: as descriptions for the library, and as functions in
// long double by which a step is judged (step_judge.hpp).
#ifndef PERP_TESTS_RANDOM_PARTS_HPP
#define PERP_TESTS_RANDOM_PARTS_HPP

#include <perp/experimental.h>
#include <perp/perp.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <random>

#include "model_tools.hpp"

namespace tools {

using wide = long double;
using wides = std::vector<wide>;

struct dice {
  std::mt19937_64 engine;
  explicit dice(std::uint64_t seed) : engine(seed) {}
  double in(double a, double b) {
    return a + (b - a) * double(engine() >> 11) / 9007199254740992.0;
  }
  std::int32_t pick(std::int32_t n) { return std::int32_t(engine() % std::uint64_t(n)); }
  bool chance(double p) { return in(0, 1) < p; }
  vec many(std::size_t n, double a, double b) {
    vec x(n);
    for (double &value : x) value = in(a, b);
    return x;
  }
};

// m functions  c + e sin(w t) + A x + B sin(x + p)  with their derivatives.
struct smooth {
  std::int32_t m = 0, n = 0;
  vec c, e, A, B, p;
  double w = 2;
  smooth() = default;
  smooth(dice &d, std::int32_t rows, std::int32_t cols, double linear, double bend, double swing)
      : m(rows),
        n(cols),
        c(d.many(at(rows), -1, 1)),
        e(d.many(at(rows), -swing, swing)),
        A(d.many(at(rows) * at(cols), -linear, linear)),
        B(d.many(at(rows) * at(cols), -bend, bend)),
        p(d.many(at(cols), 0, 6)) {}
  std::size_t of(std::int32_t i, std::int32_t j) const { return at(i) + at(m) * at(j); }
  template <class T>
  wide value(std::int32_t i, wide t, const T *x) const {
    wide sum = c[at(i)] + e[at(i)] * std::sin(w * t);
    for (std::int32_t j = 0; j < n; j++)
      sum += A[of(i, j)] * wide(x[j]) + B[of(i, j)] * std::sin(wide(x[j]) + p[at(j)]);
    return sum;
  }
  template <class T>
  wide by(std::int32_t i, std::int32_t j, const T *x) const {
    return A[of(i, j)] + B[of(i, j)] * std::cos(wide(x[j]) + p[at(j)]);
  }
  wide by_time(std::int32_t i, wide t) const { return e[at(i)] * w * std::cos(w * t); }
};

// Callbacks of a description: functions(t, first vector, second vector, out).
using function = std::function<void(wide, const double *, const double *, double *)>;
struct functions {
  function f[8];
};
template <int k>
std::int32_t call(double t, const double *q, const double *v, const double *, double *out,
                  void *user) {
  static_cast<functions *>(user)->f[k](t, q, v, out);
  return 0;
}
template <int k>
std::int32_t call_first(double t, const double *x, const double *, double *out, void *user) {
  static_cast<functions *>(user)->f[k](t, x, nullptr, out);
  return 0;
}
template <int k>
std::int32_t call_time(double t, double *out, void *user) {
  static_cast<functions *>(user)->f[k](t, nullptr, nullptr, out);
  return 0;
}
template <int k>
std::int32_t call_body(double t, const double *q, const double *v, double *out, void *user) {
  static_cast<functions *>(user)->f[k](t, q, v, out);
  return 0;
}

// A system as its judge sees it: M(q) (column-major) and the force of M v̇ = f (M ẋ = f). Where the
// balance of energy is exact, force = −K q + f0 + other and T = ½vᵀM v, V = ½qᵀK q − f0ᵀq.
struct judged_system {
  std::int32_t order = 2, n = 0, n_q = 0;
  bool body = false, exact = false;
  std::function<wides(const wide *)> mass;
  std::function<wides(wide, const wide *, const wide *)> force, other;
  wides K, f0;
};

struct judged_point {
  wide t = 0, h = 0, h_before = 0;
  wides q, v, lambda, lambda_before;
};
struct judged_values {
  wides y, ydot, H, r;  // H m x n at order 2, r at order 1
};
struct judged_relation {
  std::int32_t order = 2, m = 0, n = 0;
  bool gated = true;    // has a position by which a law may be switched
  bool yields = false;  // what pushes goes on
  std::function<judged_values(const judged_point &)> evaluate;
};

enum class law_kind {
  equality,
  complementarity,
  impact,
  box,
  mixed,
  polyhedron,
  friction,
  rolling,
  compliant,
  fremond,
  cohesive,
  user
};
struct judged_law {
  law_kind kind = law_kind::equality;
  std::int32_t size = 1, equalities = 0;
  double e = 0, e_t = 0, mu = 0, mu_r = 0, k = 0, c = 0, theta = 0.5, radius = 0, angle = 0;
  double N = 0, delta = 0, weight = 0;
  vec lower, upper;
};

// Everything of one model, and the same for its judge.
struct random_model : world {
  dice d;
  std::deque<functions> calls;
  std::deque<perp_lagrangian> lagrangians;
  std::deque<perp_body> rigid;
  std::deque<perp_first_order> nonlinear;
  std::deque<perp_lagrangian_relation> gaps;
  std::deque<perp_lagrangian_velocity_relation> wheels;
  std::deque<perp_lagrangian_contact_relation> rubs;
  std::deque<perp_prescribed_velocity> drives;
  std::deque<perp_linear_varying_relation> varying;
  std::deque<perp_first_order_relation> diodes;
  std::deque<perp_body_contact> touches;
  std::deque<perp_sphere_plane> planes;
  std::deque<perp_sphere_sphere> pairs;
  std::deque<perp_joint> joints;
  std::deque<perp_mixed> mixeds;
  std::deque<perp_polyhedron> polyhedra;
  std::deque<perp_compliant> springs;
  std::deque<perp_fremond> fremonds;
  std::deque<perp_cohesive> glues;
  std::deque<perp_user_impact> users;
  std::vector<judged_system> systems;
  std::vector<judged_relation> relations;
  std::vector<judged_law> laws;
  std::vector<vec> initial_q, initial_v;  // by system; x at order 1
  ids budget;                             // rows a system may still bear
  vec grid, thetas;
  bool positions = false;  // Schatzman–Paoli
  double gamma_first = 1;  // of reactions at order 1
  bool middle = false;     // full θ–γ
  bool only_intervals = true;

  explicit random_model(std::uint64_t seed);

 private:
  functions &more() { return calls.emplace_back(); }
  vec symmetric(std::int32_t n, double low, double high);
  void place(judged_system s, const perp_system &description, vec q, vec v);
  void linear_system(bool controlled);
  void nonlinear_system();
  void body_system();
  void first_linear(bool controlled);
  void first_nonlinear();
  void order_two();
  void order_one();
  ids choose(std::int32_t order, std::int32_t rows, bool heavy, std::int32_t most);
  const perp_law *law(law_kind kind, std::int32_t size);
  void attach(std::int32_t order);
  bool attach_bodies(const ids &on, law_kind kind, std::int32_t size);
  bool attach_second(const ids &on, law_kind kind, std::int32_t size, std::int32_t copies);
  void attach_first(const ids &on, law_kind kind, std::int32_t size, std::int32_t copies);
  void close(judged_relation r, const perp_relation &relation, const perp_law *law, const ids &on);
  vec gathered(const ids &on) const;
};

inline vec random_model::symmetric(std::int32_t n, double low, double high) {
  vec A(at(n) * at(n));
  for (std::int32_t i = 0; i < n; i++)
    for (std::int32_t j = 0; j <= i; j++) {
      const double x = i == j ? d.in(low, high) : d.in(-0.3, 0.3) * low / n;
      A[at(i) + at(n) * at(j)] = A[at(j) + at(n) * at(i)] = x;
    }
  return A;
}

inline wides widened(const vec &x) { return wides(x.begin(), x.end()); }

inline wides product(std::int32_t m, std::int32_t n, const double *A, const wide *x) {
  wides y(at(m), 0);
  for (std::int32_t j = 0; j < n; j++)
    for (std::int32_t i = 0; i < m; i++) y[at(i)] += A[at(i) + at(m) * at(j)] * x[j];
  return y;
}

inline void random_model::place(judged_system s, const perp_system &description, vec q, vec v) {
  add(description);
  if (s.order == 2) {
    q0.insert(q0.end(), q.begin(), q.end());
    v0.insert(v0.end(), v.begin(), v.end());
  } else {
    x0.insert(x0.end(), v.begin(), v.end());
  }
  budget.push_back(s.n);
  initial_q.push_back(std::move(q));
  initial_v.push_back(std::move(v));
  systems.push_back(std::move(s));
}

}  // namespace tools

#endif
