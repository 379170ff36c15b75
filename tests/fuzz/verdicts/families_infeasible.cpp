// SPDX-License-Identifier: MIT
// Problems without a solution, by whole numbers u that prove it (Farkas): u in the recession cone
// of the bounds K gives uᵀy >= 0 at a solution, but uᵀ(M λ + q) <= −gap for every λ in K.
#include "families.hpp"

#include <algorithm>
#include <cmath>

namespace verdicts {
namespace {

enum kind { orthant, unbounded, from_below, from_above, box };

struct plan {
  std::vector<kind> kinds;
  vec u;
  std::int32_t pivot = -1;  // u_pivot = ±1
};

void choose_bounds(source &s, instance &p, std::int32_t i, kind k) {
  const double a = s.integer(-3, 3);
  p.lower[at(i)] = k == orthant ? 0 : k == unbounded || k == from_above ? -kInf : a;
  p.upper[at(i)] = k == from_above ? a : k == box ? a + s.integer(0, 3) : kInf;
}

double choose_weight(source &s, kind k) {
  if (k == box) return 0;
  if (k == unbounded) return s.integer(-2, 2);
  return k == from_above ? -s.integer(0, 2) : s.integer(0, 2);
}

plan choose(source &s, instance &p) {
  const bool plain = s.chance(0.4); /* a complementarity problem */
  plan c{std::vector<kind>(at(p.n)), vec(at(p.n), 0)};
  const std::int32_t pivot = s.integer(0, p.n - 1);
  for (std::int32_t i = 0; i < p.n; i++) {
    kind k = plain ? orthant : static_cast<kind>(s.integer(orthant, box));
    if (i == pivot && k == box) k = unbounded;
    c.kinds[at(i)] = k;
    choose_bounds(s, p, i, k);
    c.u[at(i)] = choose_weight(s, k);
  }
  c.pivot = pivot;
  c.u[at(pivot)] = c.kinds[at(pivot)] == from_above ? -1 : 1;
  return c;
}

// The sign that (Mᵀu)_j must have so that uᵀMλ stays bounded above on K.
double choose_slope(source &s, kind k) {
  if (k == unbounded) return 0;
  if (k == box) return s.integer(-3, 3);
  const double size = s.chance(0.5) ? 0 : s.integer(0, 3);
  return k == from_above ? size : -size;
}

// q_pivot such that sup uᵀ(Mλ + q) = −gap, rounded away from 0. All else is whole.
void choose_load(source &s, instance &p, const plan &c, const vec &slope, double gap) {
  double sum = 0;
  for (std::int32_t j = 0; j < p.n; j++) {
    p.q[at(j)] = s.integer(-3, 3);
    if (j != c.pivot) sum += c.u[at(j)] * p.q[at(j)];
    if (slope[at(j)] > 0) sum += slope[at(j)] * p.upper[at(j)];
    if (slope[at(j)] < 0) sum += slope[at(j)] * p.lower[at(j)];
  }
  const double target = -sum * c.u[at(c.pivot)], side = c.u[at(c.pivot)];
  double q = target - side * gap;
  if (gap != 0 && q == target) q = std::nextafter(target, gap > 0 ? -side * kInf : side * kInf);
  p.q[at(c.pivot)] = q;
}

void hair(source &s, instance &p, double gap) {
  p.resize(std::min(std::max(any_size(s, 9), 1), 50));
  const plan c = choose(s, p);
  vec slope(at(p.n));
  for (std::int32_t j = 0; j < p.n; j++) {
    double sum = 0;
    for (std::int32_t i = 0; i < p.n; i++) {
      p(i, j) = s.integer(-3, 3);
      if (i != c.pivot) sum += c.u[at(i)] * p(i, j);
    }
    slope[at(j)] = choose_slope(s, c.kinds[at(j)]);
    p(c.pivot, j) = (slope[at(j)] - sum) * c.u[at(c.pivot)];
  }
  choose_load(s, p, c, slope, gap);
}

// By a power of two the proof stays exact.
void any_units(source &s, instance &p) {
  if (s.chance(0.6)) return;
  vec row(at(p.n)), col(at(p.n));
  const std::int32_t most = s.chance(0.3) ? 200 : 20;
  for (double &x : row) x = std::ldexp(1.0, s.integer(-most, most));
  for (double &x : col) x = std::ldexp(1.0, s.integer(-most, most));
  scale(p, row, col);
}

}  // namespace

void infeasible_by_a_hair(source &s, instance &p) {
  hair(s, p, s.power(-15, 0));
  any_units(s, p);
  p.properties |= kInfeasible;
}

void feasible_by_a_hair(source &s, instance &p) {
  hair(s, p, -s.power(-15, 0));
  any_units(s, p);
}

// M = B Bᵀ with Bᵀu = 0, u >= 0 whole, and uᵀq < 0; with or without a skew part that keeps uᵀM.
void infeasible_monotone(source &s, instance &p) {
  p.resize(std::min(std::max(any_size(s, 9), 1), 50));
  vec u(at(p.n));
  for (double &x : u) x = s.integer(0, 2);
  const std::int32_t pivot = s.integer(0, p.n - 1);
  u[at(pivot)] = 1;
  table B = random_table(s, p.n, s.integer(0, p.n), grain::whole);
  double sum = 0;
  for (std::int32_t k = 0; k < B.cols; k++) {
    B(pivot, k) = 0;
    for (std::int32_t i = 0; i < p.n; i++)
      if (i != pivot) B(pivot, k) -= u[at(i)] * B(i, k);
  }
  add_gram(p, B);
  for (std::int32_t i = 0; i < p.n; i++) {
    p.q[at(i)] = s.integer(-3, 3);
    if (i != pivot) sum += u[at(i)] * p.q[at(i)];
    if (u[at(i)] == 0 && s.chance(0.3)) p.upper[at(i)] = s.integer(0, 3); /* where u_i = 0 it may */
  }
  const double gap = s.power(-15, 1);
  p.q[at(pivot)] = std::min(-sum - gap, std::nextafter(-sum, -kInf));
  p.properties |= kSymmetric | kSemidefinite | kCopositive | kInfeasible;
}

// [A −Gᵀ; G 0], multipliers free: a row of G that is the sum of two others, with another load.
void inconsistent_equalities(source &s, instance &p) {
  const std::int32_t k = s.integer(1, 7), m = s.integer(2, 5);
  p.resize(k + m);
  table G = random_table(s, m, k, grain::whole);
  for (std::int32_t j = 0; j < k; j++) G(m - 1, j) = G(0, j) + (m > 2 ? G(1, j) : 0);
  const table B = random_table(s, k, s.integer(0, k), grain::whole);
  for (std::int32_t j = 0; j < k; j++) {
    for (std::int32_t i = 0; i < k; i++)
      for (std::int32_t c = 0; c < B.cols; c++) p(i, j) += B(i, c) * B(j, c);
    for (std::int32_t i = 0; i < m; i++) p(k + i, j) = G(i, j), p(j, k + i) = -G(i, j);
  }
  for (std::int32_t i = 0; i < p.n; i++)
    if (i >= k || s.chance(0.3)) p.lower[at(i)] = -kInf;
  random_q(p, s, grain::whole);
  const double sum = p.q[at(k)] + (m > 2 ? p.q[at(k + 1)] : 0), gap = s.power(-15, 0);
  const double side = s.chance(0.5) ? 1 : -1;
  p.q[at(p.n - 1)] = sum + side * gap;
  if (p.q[at(p.n - 1)] == sum) p.q[at(p.n - 1)] = std::nextafter(sum, side * kInf);
  p.properties |= kSemidefinite | kCopositive | kInfeasible;
}

}  // namespace verdicts
