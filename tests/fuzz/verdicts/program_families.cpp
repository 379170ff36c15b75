// SPDX-License-Identifier: MIT
// Families of quadratic programs: with a minimum that is planted, without a feasible point, or
// without a least value, the last two by whole numbers that prove it and by gaps of any size.
#include <algorithm>

#include "program.hpp"

namespace verdicts {

void program::resize(std::int32_t unknowns, std::int32_t rows) {
  n = unknowns;
  m = rows;
  P.assign(at(n) * at(n), 0);
  A.assign(at(m) * at(n), 0);
  c.assign(at(n), 0);
  row_lower.assign(at(m), -kInf);
  row_upper.assign(at(m), kInf);
  lower.assign(at(n), -kInf);
  upper.assign(at(n), kInf);
}

namespace {

void add_hessian(program &p, const table &B) {
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++)
      for (std::int32_t k = 0; k < B.cols; k++) p.P[at(i) + at(p.n) * at(j)] += B(i, k) * B(j, k);
}

void any_rows(source &s, program &p, grain g) {
  for (double &a : p.A) a = number(s, g);
}

grain coarse_grain(source &s) { return s.chance(0.5) ? grain::whole : grain::coarse; }

void any_shape(source &s, program &p) {
  const std::int32_t n = s.integer(1, s.integer(1, 9));
  p.resize(n, s.chance(0.15) ? 0 : s.integer(0, s.integer(1, 8)));
}

// Sides about a value, and the multiplier of a side on which it stands.
double plant_sides(source &s, double value, double &low, double &high) {
  const double room = s.integer(1, 8) / 4.0;
  const double force = s.chance(0.3) ? 0 : s.integer(1, 8) / 8.0;
  switch (s.integer(0, 6)) {
    case 0:
      low = high = value;
      return s.chance(0.5) ? force : -force;
    case 1:
      low = value;
      return force;
    case 2:
      high = value;
      return -force;
    case 3:
      low = value, high = value + room;
      return force;
    case 4:
      low = value - room, high = value;
      return -force;
    case 5:
      low = value - room, high = s.chance(0.5) ? value + room : kInf;
      return 0;
    default:
      return 0;
  }
}

// c such that x is a minimum: Aᵀν + ζ − P x.
void plant(source &s, program &p, double reach) {
  p.x.assign(at(p.n), 0);
  p.nu.assign(at(p.m), 0);
  p.zeta.assign(at(p.n), 0);
  p.row_lower.assign(at(p.m), -kInf);
  p.row_upper.assign(at(p.m), kInf);
  p.lower.assign(at(p.n), -kInf);
  p.upper.assign(at(p.n), kInf);
  for (double &x : p.x) x = reach * s.integer(-8, 8) / 8;
  for (std::int32_t k = 0; k < p.m; k++) {
    double value = 0;
    for (std::int32_t j = 0; j < p.n; j++) value += p.row(k, j) * p.x[at(j)];
    p.nu[at(k)] = plant_sides(s, value, p.row_lower[at(k)], p.row_upper[at(k)]);
  }
  for (std::int32_t i = 0; i < p.n; i++) {
    p.zeta[at(i)] = plant_sides(s, p.x[at(i)], p.lower[at(i)], p.upper[at(i)]);
    double sum = p.zeta[at(i)];
    for (std::int32_t k = 0; k < p.m; k++) sum += p.row(k, i) * p.nu[at(k)];
    for (std::int32_t j = 0; j < p.n; j++) sum -= p.hess(i, j) * p.x[at(j)];
    p.c[at(i)] = sum;
  }
  p.known = truth::solvable;
}

void definite(source &s, program &p) {
  any_shape(s, p);
  const grain g = coarse_grain(s);
  add_hessian(p, random_table(s, p.n, p.n, g));
  for (std::int32_t i = 0; i < p.n; i++) p.P[at(i) + at(p.n) * at(i)] += 0.5;
  any_rows(s, p, g);
  plant(s, p, 1);
  p.definite = true;
}

void semidefinite(source &s, program &p) {
  any_shape(s, p);
  const grain g = coarse_grain(s);
  add_hessian(p, random_table(s, p.n, s.integer(0, p.n), g));
  any_rows(s, p, g);
  plant(s, p, 1);
}

void linear(source &s, program &p) {
  any_shape(s, p);
  any_rows(s, p, coarse_grain(s));
  plant(s, p, 1);
}

void far(source &s, program &p) {  // the minimum is far away
  semidefinite(s, p);
  plant(s, p, std::ldexp(1.0, s.integer(0, 24)));
}

// One row is a sum of others, and its side lies beyond what theirs allow by gap (< 0: within).
void with_gap(source &s, program &p, double gap) {
  const std::int32_t n = s.integer(1, 7), m = s.integer(2, 6);
  p.resize(n, m);
  add_hessian(p, random_table(s, n, s.integer(0, n), grain::whole));
  any_rows(s, p, grain::whole);
  for (double &c : p.c) c = s.integer(-3, 3);
  for (std::int32_t i = 0; i < n; i++)
    if (s.chance(0.3)) p.lower[at(i)] = -s.integer(0, 3), p.upper[at(i)] = s.integer(4, 9);
  double least = 0; /* of the last row, by the others and the bounds */
  for (std::int32_t j = 0; j < n; j++) p.A[at(m - 1) + at(m) * at(j)] = 0;
  for (std::int32_t k = 0; k + 1 < m; k++) {
    const std::int32_t weight = s.integer(0, 2);
    p.row_lower[at(k)] = s.integer(-4, 4);
    if (s.chance(0.3)) p.row_upper[at(k)] = p.row_lower[at(k)] + s.integer(0, 4);
    least += weight * p.row_lower[at(k)];
    for (std::int32_t j = 0; j < n; j++) p.A[at(m - 1) + at(m) * at(j)] += weight * p.row(k, j);
  }
  p.row_upper[at(m - 1)] = least - gap;
  if (p.row_upper[at(m - 1)] == least) p.row_upper[at(m - 1)] = std::nextafter(least, -gap * kInf);
}

void infeasible(source &s, program &p) {
  with_gap(s, p, s.power(-15, 0));
  p.known = truth::infeasible;
}

void barely_feasible(source &s, program &p) { with_gap(s, p, -s.power(-15, 0)); }

// A direction d of whole numbers with P d = 0, along which nothing ends, and cᵀd = −gap.
void with_direction(source &s, program &p, double gap) {
  const std::int32_t n = s.integer(1, 7), m = s.chance(0.2) ? 0 : s.integer(1, 5);
  p.resize(n, m);
  vec d(at(n));
  for (double &x : d) x = s.integer(-2, 2);
  const std::int32_t pivot = s.integer(0, n - 1);
  d[at(pivot)] = 1;
  const auto complete = [&](auto get, double right) { /* Σ get(j) d_j = right by that of pivot */
                                                      double sum = 0;
                                                      for (std::int32_t j = 0; j < n; j++)
                                                        if (j != pivot) sum += get(j) * d[at(j)];
                                                      return right - sum;
  };
  table B = random_table(s, n, s.integer(0, n), grain::whole);
  for (std::int32_t k = 0; k < B.cols; k++)
    B(pivot, k) = complete([&](std::int32_t j) { return B(j, k); }, 0);
  add_hessian(p, B);
  any_rows(s, p, grain::whole);
  for (std::int32_t k = 0; k < m; k++) { /* 0 is feasible */
    const double rate = s.chance(0.4) ? 0 : s.integer(0, 3);
    p.A[at(k) + at(m) * at(pivot)] = complete([&](std::int32_t j) { return p.row(k, j); }, rate);
    p.row_lower[at(k)] = -s.integer(0, 4);
    if (rate == 0 && s.chance(0.5)) p.row_upper[at(k)] = s.integer(0, 4);
  }
  for (std::int32_t i = 0; i < n; i++) {
    p.c[at(i)] = s.integer(-3, 3);
    if (d[at(i)] >= 0 && s.chance(0.4)) p.lower[at(i)] = -s.integer(0, 3);
    if (d[at(i)] <= 0 && s.chance(0.4)) p.upper[at(i)] = s.integer(0, 3);
  }
  const double level = complete([&](std::int32_t j) { return p.c[at(j)]; }, 0);
  p.c[at(pivot)] = level - gap;
  if (p.c[at(pivot)] == level) p.c[at(pivot)] = std::nextafter(level, -gap * kInf);
}

void unbounded(source &s, program &p) {
  with_direction(s, p, s.power(-15, 0));
  p.known = truth::unbounded;
}

void barely_bounded(source &s, program &p) { with_direction(s, p, -s.power(-15, 0)); }

}  // namespace

const std::vector<program_family> &program_families() {
  static const std::vector<program_family> list = {
      {"QP, definite", definite},
      {"QP, semidefinite", semidefinite},
      {"QP, linear", linear},
      {"QP, far", far},
      {"QP, infeasible by a hair", infeasible},
      {"QP, feasible by a hair", barely_feasible},
      {"QP, unbounded by a hair", unbounded},
      {"QP, bounded by a hair", barely_bounded},
  };
  return list;
}

}  // namespace verdicts
