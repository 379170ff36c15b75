// SPDX-License-Identifier: MIT
// Random models: few descriptions, systems in any order, interactions over any of them.
#ifndef PERP_TESTS_RANDOM_GRAPH_HPP
#define PERP_TESTS_RANDOM_GRAPH_HPP

#include <perp/experimental.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dense_tools.hpp"
#include "model_tools.hpp"

namespace tools {

inline vec flat(const dense &A) {  // without the gaps between columns
  vec x;
  for (std::int32_t j = 0; j < A.cols; j++)
    for (std::int32_t i = 0; i < A.rows; i++) x.push_back(A(i, j));
  return x;
}

struct dice {
  uniform random;
  explicit dice(std::uint64_t seed) : random(seed) {}
  std::int32_t operator()(std::int32_t low, std::int32_t high) {
    const double u = 0.5 * (random() + 1);
    return std::min(high, low + static_cast<std::int32_t>(u * (high - low + 1)));
  }
};

inline void wave(double t, double *f, std::int32_t n, double scale) {
  for (std::int32_t i = 0; i < n; i++) f[i] = scale * std::sin(3 * t + i);
}

inline std::int32_t wave_of_two(double t, double *f, void *user) {
  wave(t, f, 2, *static_cast<double *>(user));
  return 0;
}

inline perp_matrix random_operator(world &w, dice &d, std::int32_t n, double size, bool definite) {
  const std::int32_t kind = d(definite ? 1 : 0, 2);
  if (kind == 0) return perp_matrix{};
  if (kind == 1) {
    vec x = d.random.vector(n);
    for (double &a : x) a = size * (definite ? 1 + 0.8 * a : a);
    return perp_diagonal(n, w.keep(x));
  }
  const std::int32_t gap = d(0, 2);
  dense A = d.random.definite(n, gap);
  for (double &a : A.a) a *= size;
  perp_matrix view = perp_dense(n, n, w.keep(A.a));
  view.ld = A.ld;
  return view;
}

inline const perp_law *random_law(world &w, dice &d, bool boxes, std::int32_t size) {
  switch (d(0, boxes ? 3 : 1)) {
    case 0:
      return w.impact(0.25 * d(0, 4), size);
    case 1:
      return w.complementarity(size);
    case 2:
      return w.equality(size);
    default:
      return w.box(vec(at(size), -0.1), vec(at(size), 0.05 * d(0, 3)));
  }
}

// Descriptions to draw from, systems in any order, interactions over any of them. One order if
// order is not 0.
inline void random_graph(world &w, std::uint64_t seed, bool boxes, int order) {
  dice d(seed);
  std::vector<const perp_system *> kinds;
  double *strength = w.keep({2.0});
  for (std::int32_t k = 0; k < 4; k++) {
    const std::int32_t n = d(1, 4);
    const int kind_order = order != 0 ? order : 1 + k % 2;
    if (kind_order == 2) {
      perp_lagrangian_linear &s = w.body(n);
      s.M = random_operator(w, d, n, 1, true);
      s.C = random_operator(w, d, n, 0.3, false);
      s.K = random_operator(w, d, n, 5, false);
      if (d(0, 1)) s.f = w.keep(d.random.vector(n));
      if (n == 2) {
        s.force = wave_of_two;
        s.user = strength;
      }
      kinds.push_back(&s.system);
    } else {
      perp_first_order_linear &s = w.circuit(n);
      if (d(0, 1)) s.M = random_operator(w, d, n, 1, true);
      s.A = random_operator(w, d, n, -1, false);
      if (d(0, 1)) s.b = w.keep(d.random.vector(n));
      if (n == 2) {
        s.input = wave_of_two;
        s.user = strength;
      }
      kinds.push_back(&s.system);
    }
  }
  const std::int32_t systems = d(1, 10);
  vec thetas;
  std::vector<const perp_integrator *> integrators;
  for (std::int32_t i = 0; i < systems; i++) {
    const perp_system *s = kinds[at(d(0, 3))];
    if (i > 0 && d(0, 2) == 0) s = w.system_list.back();
    w.system_list.push_back(s);
  }
  // A relation takes part in several interactions where the sizes fit.
  const std::int32_t interactions = d(1, 12);
  for (std::int32_t i = 0; i < interactions; i++) {
    ids joined(at(systems));
    std::iota(joined.begin(), joined.end(), 0);
    for (std::int32_t k = systems - 1; k > 0; k--) std::swap(joined[at(k)], joined[at(d(0, k))]);
    const int first = w.system_list[at(joined[0])]->ops->order;
    std::int32_t n = 0;
    ids chosen;
    for (std::int32_t j : joined)
      if (w.system_list[at(j)]->ops->order == first && count(chosen.size()) < d(1, 3)) {
        chosen.push_back(j);
        n += w.system_list[at(j)]->n;
      }
    const std::int32_t size = d(0, 3) == 0 ? 2 : 1, m = size * d(1, 2);
    const dense H = d.random.matrix(m, n);
    dense D = d.random.definite(m);
    const perp_law *law = random_law(w, d, boxes, size);
    if (first == 2) {
      perp_lagrangian_linear_relation &r = w.contact(m, n, flat(H));
      r.D = w.keep(flat(D));
      if (d(0, 1)) r.b = w.keep(d.random.vector(m));
      if (d(0, 1)) {
        r.F = w.keep(d.random.vector(2 * m));
        r.z = w.keep({0.5, -0.25});
        r.n_z = 2;
      }
      w.join(r.relation, law, chosen);
    } else {
      perp_linear_relation &r = w.port(m, n, flat(H));
      vec B;  // Hᵀ, column-major
      for (std::int32_t k = 0; k < m; k++)
        for (std::int32_t c = 0; c < n; c++) B.push_back(H(k, c));
      r.B = w.keep(B);
      r.D = w.keep(flat(D));
      if (d(0, 1)) r.e = w.keep(d.random.vector(m));
      if (d(0, 1)) r.a = w.keep(d.random.vector(n));
      if (d(0, 1)) {
        r.F = w.keep(d.random.vector(m));
        r.z = w.keep({0.5});
        r.n_z = 1;
      }
      w.join(r.relation, law, chosen);
    }
  }
  for (const perp_system *s : w.system_list) {
    thetas.push_back(0.25 * d(2, 4));
    integrators.push_back(s->ops->order == 2 ? perp_integrator_moreau_jean()
                                             : perp_integrator_theta());
    vec &to = s->ops->order == 2 ? w.q0 : w.x0;
    for (std::int32_t k = 0; k < s->n; k++) to.push_back(d.random());
    if (s->ops->order == 2)
      for (std::int32_t k = 0; k < s->n; k++) w.v0.push_back(3 * d.random());
  }
  w.options.min_gap = -1e3;
  const double gamma = 0.25 * d(0, 4);
  if (!w.q0.empty()) w.options.gamma = gamma;  // of the prediction, which circuits have none of
  w.options.h = 0.02;
  if (d(0, 1))
    w.options.thetas = w.keep(thetas);
  else
    w.options.theta = thetas[0];
  w.options.solver = boxes ? perp_solver_active_set() : perp_solver_lemke();
  w.integrators = std::move(integrators);
  w.options.integrators = w.integrators.data();
  w.options.integrator = nullptr;
}

}  // namespace tools

#endif
