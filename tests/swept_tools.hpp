// SPDX-License-Identifier: MIT
// Scenes of bodies and contacts for the kernel that sweeps them, and their judge, by dense matrices
// and the law's own cases.
#ifndef PERP_TESTS_SWEPT_TOOLS_HPP
#define PERP_TESTS_SWEPT_TOOLS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

extern "C" {
#include "contacts/swept.h"
}
#include "model_tools.hpp"

namespace swept {

using tools::at;
using tools::count;

using big = long double;

struct body {
  std::array<double, 36> inverse{};  // W⁻¹, column-major
  std::array<double, 6> free{};
};

struct contact {
  std::int32_t a, b;  // b -1: the ground
  std::array<double, 3> n, t, arm_a, arm_b, c;
  double mu;
};

struct scene {
  std::vector<body> bodies;
  std::vector<contact> contacts;
};

inline std::array<double, 3> cross(const std::array<double, 3> &a, const std::array<double, 3> &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double dot(const std::array<double, 3> &a, const std::array<double, 3> &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// What the kernel makes of a scene.
struct solved {
  std::vector<unsigned char> memory;
  swept_set set{};
  swept_outcome outcome{};
  perp_status status = 999;

  explicit solved(const scene &s) {
    arena measure = arena_measure();
    perp_swept_carve(&set, &measure, s.bodies.size(), s.contacts.size());
    memory.assign(arena_bytes(&measure), 0xA5);
    arena a = arena_open(memory.data(), memory.size());
    perp_swept_carve(&set, &a, s.bodies.size(), s.contacts.size());
    std::vector<swept_pair> pairs;
    for (const contact &c : s.contacts) pairs.push_back({{c.a, c.b}});
    perp_swept_arrange(&set, count(pairs.size()), pairs.data());
    for (std::int32_t i = 0; i < set.n_bodies; i++) set_body(s.bodies[at(set.number[i])], i);
    for (std::int32_t k = 0; k < set.n_contacts; k++)
      set_contact(s.contacts[at(set.order[k])], &set.contacts[k]);
    perp_swept_prepare(&set);
  }
  void set_body(const body &b, std::int32_t i) {
    swept_body &to = set.bodies[i];
    std::copy(b.free.begin(), b.free.end(), set.free + 6 * i);
    bool compact = b.inverse[0] == b.inverse[7] && b.inverse[0] == b.inverse[14];
    for (std::size_t c = 0; c < 6; c++)
      for (std::size_t r = 0; r < 6; r++)
        if (r != c && (r < 3 || c < 3) && b.inverse[r + 6 * c] != 0) compact = false;
    to.inverse_mass = compact ? b.inverse[0] : -1;
    for (std::size_t c = 0; c < 3; c++)
      for (std::size_t r = 0; r < 3; r++) to.inverse_inertia[r + 3 * c] = b.inverse[21 + r + 6 * c];
    if (compact) return;
    wide_of.resize(at(set.n_bodies));
    wide_of[at(i)] = count(wide.size() / 36);
    wide.insert(wide.end(), b.inverse.begin(), b.inverse.end());
    set.wide = wide.data();
    set.wide_of = wide_of.data();
  }
  void set_contact(const contact &c, swept_contact *to) const {
    *to = {};
    std::copy(c.n.begin(), c.n.end(), to->normal);
    std::copy(c.t.begin(), c.t.end(), to->tangent);
    std::copy(c.arm_a.begin(), c.arm_a.end(), to->arm[0]);
    std::copy(c.arm_b.begin(), c.arm_b.end(), to->arm[1]);
    std::copy(c.c.begin(), c.c.end(), to->c);
    to->mu = c.mu;
    to->body[0] = set.rank[c.a];
    to->body[1] = c.b < 0 ? -1 : set.rank[c.b];
  }
  void solve(double tol, double speed_tol = 0, std::int32_t sweeps = 200000) {
    const swept_options o = {sweeps, tol, speed_tol, 0};
    status = perp_swept_solve(&set, &o, &outcome);
  }
  // λ in the order of the scene
  std::vector<std::array<double, 3>> lambda(const scene &s) const {
    std::vector<std::array<double, 3>> out(s.contacts.size());
    for (std::int32_t k = 0; k < set.n_contacts; k++)
      for (std::size_t i = 0; i < 3; i++) out[at(set.order[k])][i] = set.contacts[k].lambda[i];
    return out;
  }
  // goes on by one sparse factor where that pays
  void go_on_by(const perp_sparse *table) { set.sparse = table; }
  ~solved() {
    if (set.sparse != nullptr && set.sparse->release != nullptr) set.sparse->release(set.factor);
  }
  solved(const solved &) = delete;
  solved &operator=(const solved &) = delete;
  std::vector<double> wide;
  std::vector<std::int32_t> wide_of;
};

// How far (u, λ) of a contact are from Coulomb's law, in the unit of u or relative: take-off, stick
// or slip, whichever is nearest.
inline double miss(const std::array<big, 3> &u, const std::array<double, 3> &l, double mu,
                   big speed, big force) {
  const big ut = std::sqrt(u[1] * u[1] + u[2] * u[2]);
  const big lt = std::hypot(big{l[1]}, big{l[2]});
  const auto below = [](big x) { return std::max(-x, big{0}); };
  const big take_off = std::max(std::max(std::fabs(big{l[0]}), lt) / force, below(u[0]) / speed);
  const big inside = std::max(below(l[0]), below(mu * l[0] - lt)) / force;
  const big stick = std::max(std::max(std::fabs(u[0]), ut) / speed, inside);
  const big across = (u[1] * l[2] - u[2] * l[1]) / (speed * force);
  const big along = (u[1] * l[1] + u[2] * l[2]) / (speed * force);
  const big slip = std::max({std::fabs(u[0]) / speed, std::fabs(mu * l[0] - lt) / force,
                             below(l[0]) / force, std::fabs(across), below(-along)});
  return static_cast<double>(std::min({take_off, stick, slip}));
}

// The worst contact of a scene with these λ, all from the definition.
inline double judge(const scene &s, const std::vector<std::array<double, 3>> &lambda) {
  std::vector<std::array<big, 6>> push(s.bodies.size());
  const auto row = [](const contact &c, std::size_t i) {
    return i == 0 ? c.n : i == 1 ? c.t : cross(c.n, c.t);
  };
  big force = 0, speed = 0;
  for (std::size_t k = 0; k < s.contacts.size(); k++) {
    const contact &c = s.contacts[k];
    for (std::size_t i = 0; i < 3; i++) {
      const auto d = row(c, i), ta = cross(c.arm_a, d), tb = cross(c.arm_b, d);
      for (std::size_t x = 0; x < 3; x++) {
        push[at(c.a)][x] += big{d[x]} * lambda[k][i];
        push[at(c.a)][3 + x] += big{ta[x]} * lambda[k][i];
        if (c.b < 0) continue;
        push[at(c.b)][x] -= big{d[x]} * lambda[k][i];
        push[at(c.b)][3 + x] -= big{tb[x]} * lambda[k][i];
      }
      force = std::max(force, std::fabs(big{lambda[k][i]}));
    }
  }
  std::vector<std::array<big, 6>> v(s.bodies.size());
  for (std::size_t b = 0; b < s.bodies.size(); b++)
    for (std::size_t i = 0; i < 6; i++) {
      v[b][i] = s.bodies[b].free[i];
      speed = std::max(speed, std::fabs(v[b][i]));
      for (std::size_t j = 0; j < 6; j++) v[b][i] += s.bodies[b].inverse[i + 6 * j] * push[b][j];
    }
  double worst = 0;
  for (std::size_t k = 0; k < s.contacts.size(); k++) {
    const contact &c = s.contacts[k];
    std::array<big, 3> u{};
    for (std::size_t i = 0; i < 3; i++) {
      const auto d = row(c, i), ta = cross(c.arm_a, d), tb = cross(c.arm_b, d);
      u[i] = c.c[i];
      for (std::size_t x = 0; x < 3; x++) {
        u[i] += d[x] * v[at(c.a)][x] + ta[x] * v[at(c.a)][3 + x];
        if (c.b >= 0) u[i] -= d[x] * v[at(c.b)][x] + tb[x] * v[at(c.b)][3 + x];
      }
    }
    worst = std::max(worst, miss(u, lambda[k], c.mu, speed > 0 ? speed : 1, force > 0 ? force : 1));
  }
  return worst;
}

struct generator {
  std::mt19937_64 random;
  explicit generator(std::uint64_t seed) : random(seed) {}
  double operator()(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  }
  std::int32_t operator()(std::int32_t n) {
    return std::uniform_int_distribution<std::int32_t>(0, n - 1)(random);
  }
  std::array<double, 3> unit() {
    for (;;) {
      const std::array<double, 3> d = {(*this)(-1.0, 1.0), (*this)(-1.0, 1.0), (*this)(-1.0, 1.0)};
      const double l = std::sqrt(dot(d, d));
      if (l > 0.1 && l <= 1) return {d[0] / l, d[1] / l, d[2] / l};
    }
  }
  // W⁻¹ symmetric and positive definite, of that kind
  body any_body(int kind) {
    body b;
    const double m = std::exp((*this)(-1.0, 1.0));
    for (std::size_t i = 0; i < 3; i++) b.inverse[7 * i] = m;
    std::array<double, 36> A{};
    for (double &x : A) x = (*this)(-1.0, 1.0);
    const std::size_t first = kind == 2 ? 0 : 3;
    for (std::size_t i = first; i < 6; i++)
      for (std::size_t j = first; j < 6; j++) {
        double sum = i == j ? 0.5 : 0;
        for (std::size_t k = 0; k < 6; k++) sum += A[i + 6 * k] * A[j + 6 * k];
        b.inverse[i + 6 * j] = kind == 0 ? (i == j ? 2.5 * m : 0) : sum;
      }
    for (double &x : b.free) x = (*this)(-1.0, 1.0);
    return b;
  }
  contact any_contact(std::int32_t bodies) {
    contact c{};
    c.a = (*this)(bodies);
    do c.b = (*this)(bodies + 1) - 1;
    while (c.b == c.a);
    c.n = unit();
    std::array<double, 3> d = unit();
    while (std::fabs(dot(d, c.n)) > 0.9) d = unit();
    const double along = dot(d, c.n);
    for (std::size_t i = 0; i < 3; i++) d[i] -= along * c.n[i];
    const double l = std::sqrt(dot(d, d));
    for (std::size_t i = 0; i < 3; i++) c.t[i] = d[i] / l;
    c.arm_a = unit();
    c.arm_b = unit();
    c.c = {(*this)(-0.1, 0.1), (*this)(-0.1, 0.1), (*this)(-0.1, 0.1)};
    c.mu = (*this)(4) == 0 ? 0 : (*this)(0.05, 0.9);
    return c;
  }
};

}  // namespace swept

#endif
