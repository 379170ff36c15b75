// SPDX-License-Identifier: MIT
// Affine variational inequalities over polyhedra, alone or after intervals; all numbers are whole,
// or of few bits.
#include <algorithm>

#include "exact.hpp"
#include "families.hpp"

namespace verdicts {
namespace {

// Whether only 0 fulfils H d >= 0: no d has d_i = ±1.
bool is_bounded(const polyhedron &d, std::int32_t size) {
  for (std::int32_t i = 0; i < 2 * size; i++) {
    const std::size_t n = at(size), m = at(d.rows), cols = 2 * n + m;
    std::vector<rational_row> A;
    rational_row b(m);
    for (std::size_t k = 0; k < m; k++) {
      rational_row row(cols);
      for (std::size_t j = 0; j < n; j++) {
        row[j] = d.H[k + m * j];
        row[n + j] = -row[j];
      }
      row[2 * n + k] = -1;
      A.push_back(std::move(row));
    }
    rational_row one(cols);
    one[at(i / 2)] = i % 2 == 0 ? 1 : -1;
    one[n + at(i / 2)] = -one[at(i / 2)];
    A.push_back(std::move(one));
    b.emplace_back(1);
    if (feasible_point(std::move(A), std::move(b))) return false;
  }
  return true;
}

// Intervals, then a polyhedron of rows that are whole, the last ones a box at times.
void lay_out(source &s, instance &p) {
  const std::int32_t size = s.integer(1, 4), before = s.chance(0.3) ? s.integer(1, 3) : 0;
  p.resize(before + size);
  polyhedron d;
  d.begin = before;
  const bool boxed = s.chance(0.3) && size <= 3;
  const std::int32_t free = s.integer(boxed ? 0 : 1, 4);
  d.rows = free + (boxed ? 2 * size : 0);
  d.H.assign(at(d.rows) * at(size), 0);
  d.K.assign(at(d.rows), 0);
  for (std::int32_t j = 0; j < size; j++) {
    for (std::int32_t k = 0; k < free; k++) { /* seldom a row of zeros */
      double &h = d.H[at(k) + at(d.rows) * at(j)];
      h = s.integer(-2, 2);
      if (h == 0 && j == k % size && s.chance(0.9)) h = 1;
    }
    if (boxed) {
      d.H[at(free + 2 * j) + at(d.rows) * at(j)] = 1;
      d.H[at(free + 2 * j + 1) + at(d.rows) * at(j)] = -1;
    }
  }
  p.polyhedra.push_back(d);
}

double product(const polyhedron &d, std::int32_t k, const double *x, std::int32_t size) {
  double sum = 0;
  for (std::int32_t j = 0; j < size; j++) sum += d.H[at(k) + at(d.rows) * at(j)] * x[j];
  return sum;
}

// λ, and rows that are active there, with multipliers.
void plant_polyhedron(source &s, instance &p, double reach) {
  polyhedron &d = p.polyhedra[0];
  const std::int32_t size = p.n - d.begin;
  p.planted.assign(at(p.n), 0);
  vec y(at(p.n), 0);
  for (std::int32_t i = 0; i < d.begin; i++) {
    const bool open = s.chance(0.5);
    (open ? y : p.planted)[at(i)] = s.integer(0, 4) / 2.0;
  }
  double *x = p.planted.data() + d.begin;
  for (std::int32_t j = 0; j < size; j++) x[j] = reach * s.integer(-4, 4) / 2;
  for (std::int32_t k = 0; k < d.rows; k++) {
    const bool active = s.chance(0.4);
    const double mu = active ? s.integer(0, 4) / 2.0 : 0;
    d.K[at(k)] = product(d, k, x, size) - (active ? 0 : s.integer(1, 4) / 2.0);
    for (std::int32_t j = 0; j < size; j++)
      y[at(d.begin + j)] += mu * d.H[at(k) + at(d.rows) * at(j)];
  }
  load(p, y);
  d.bounded = is_bounded(d, size);
}

// M = 0 is a case of its own, and seldom.
std::int32_t any_rank(source &s, std::int32_t n) { return s.integer(s.chance(0.05) ? 0 : 1, n); }

void definite(source &s, instance &p) {
  lay_out(s, p);
  const grain g = s.chance(0.5) ? grain::whole : grain::coarse;
  add_gram(p, random_table(s, p.n, p.n, g));
  add_diagonal(p, 0.5);
  const bool skew = s.chance(0.4);
  if (skew) add_skew(p, s, g, 1);
  plant_polyhedron(s, p, 1);
  p.properties |= kSemidefinite | kDefinite | (skew ? 0U : static_cast<unsigned>(kSymmetric));
}

void deficient(source &s, instance &p) {
  lay_out(s, p);
  add_gram(p, random_table(s, p.n, any_rank(s, p.n), s.chance(0.5) ? grain::whole : grain::coarse));
  plant_polyhedron(s, p, s.chance(0.8) ? 1 : std::ldexp(1.0, s.integer(0, 20)));
  p.properties |= kSymmetric | kSemidefinite;
}

void monotone(source &s, instance &p) {
  lay_out(s, p);
  add_gram(p, random_table(s, p.n, any_rank(s, p.n), grain::whole));
  add_skew(p, s, grain::whole, 1);
  plant_polyhedron(s, p, 1);
  p.properties |= kSemidefinite;
}

// d with H d >= 0, M d = 0 and qᵀd = −gap: at a solution yᵀd = qᵀd >= 0.
void infeasible(source &s, instance &p) {
  lay_out(s, p);
  polyhedron &h = p.polyhedra[0];
  const std::int32_t size = p.n - h.begin, pivot = s.integer(0, size - 1);
  h.rows = std::min(h.rows, 4);
  h.H.assign(at(h.rows) * at(size), 0);
  h.K.assign(at(h.rows), 0);
  vec d(at(p.n), 0);
  for (std::int32_t j = 0; j < size; j++) d[at(h.begin + j)] = j == pivot ? 1 : s.integer(-2, 2);
  for (std::int32_t k = 0; k < h.rows; k++) {
    for (std::int32_t j = 0; j < size; j++) h.H[at(k) + at(h.rows) * at(j)] = s.integer(-2, 2);
    const double along = product(h, k, d.data() + h.begin, size);
    for (std::int32_t j = 0; along < 0 && j < size; j++) h.H[at(k) + at(h.rows) * at(j)] *= -1;
    h.K[at(k)] = -s.integer(0, 3);
  }
  table B = random_table(s, p.n, s.integer(0, p.n), grain::whole);
  for (std::int32_t c = 0; c < B.cols; c++) {
    B(h.begin + pivot, c) = 0;
    double sum = 0;
    for (std::int32_t i = 0; i < p.n; i++) sum += B(i, c) * d[at(i)];
    B(h.begin + pivot, c) = -sum;
  }
  add_gram(p, B);
  double sum = 0;
  for (std::int32_t i = 0; i < p.n; i++) {
    p.q[at(i)] = s.integer(-3, 3);
    if (i != h.begin + pivot) sum += p.q[at(i)] * d[at(i)];
  }
  const double gap = s.power(-15, 0);
  p.q[at(h.begin + pivot)] = std::min(-sum - gap, std::nextafter(-sum, -kInf));
  h.bounded = false;
  p.properties |= kSymmetric | kSemidefinite | kInfeasible;
}

}  // namespace

const std::vector<family> &polyhedron_families() {
  static const std::vector<family> list = {
      {"AVI, definite", definite},
      {"AVI, rank-deficient", deficient},
      {"AVI, monotone", monotone},
      {"AVI, infeasible by a hair", infeasible},
  };
  return list;
}

}  // namespace verdicts
