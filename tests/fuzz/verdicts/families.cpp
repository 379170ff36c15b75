// SPDX-License-Identifier: MIT
// Families of ordinary problems with intervals: what is known of M names them.
#include "families.hpp"

#include <algorithm>

namespace verdicts {
namespace {

constexpr unsigned kPsd = kSymmetric | kSemidefinite | kCopositive;
constexpr unsigned kPd = kPsd | kDefinite | kPMatrix | kSolvable;

// Bounds of the usual kind in one problem of two.
void maybe_bounds(instance &p, source &s, grain g) {
  if (s.chance(0.4)) random_bounds(p, s, g);
}

void positive_definite(source &s, instance &p) {
  const grain g = any_grain(s);
  p.resize(any_size(s, 12));
  add_gram(p, random_table(s, p.n, p.n, g));
  add_diagonal(p, g == grain::fine ? 0.01 + s.unit() : s.integer(1, 4) / 4.0);
  maybe_bounds(p, s, g);
  random_q(p, s, g);
  if (s.chance(0.5)) plant(p, s, g, 0.2, 1);
  p.properties |= kPd;
}

void rank_deficient(source &s, instance &p) {
  const grain g = s.chance(0.5) ? grain::whole : grain::coarse;
  p.resize(any_size(s, 12));
  add_gram(p, random_table(s, p.n, s.integer(0, p.n), g));
  maybe_bounds(p, s, g);
  plant(p, s, g, 0.2, 1);
  p.properties |= kPsd;
}

void monotone(source &s, instance &p) {
  const grain g = s.chance(0.5) ? grain::whole : grain::coarse;
  p.resize(any_size(s, 12));
  add_gram(p, random_table(s, p.n, s.integer(0, p.n), g));
  add_skew(p, s, g, 1);
  maybe_bounds(p, s, g);
  plant(p, s, g, 0.2, 1);
  p.properties |= kSemidefinite | kCopositive;
}

void definite_unsymmetric(source &s, instance &p) {
  positive_definite(s, p);
  const grain g = any_grain(s);
  add_skew(p, s, g, 1);
  p.planted.clear();
  p.properties &= ~static_cast<unsigned>(kSymmetric);
}

// Rows and columns in one random order.
void shuffle(instance &p, source &s) {
  for (std::int32_t i = p.n - 1; i > 0; i--) {
    const std::int32_t k = s.integer(0, i);
    for (std::int32_t j = 0; j < p.n; j++) std::swap(p(i, j), p(k, j));
    for (std::int32_t j = 0; j < p.n; j++) std::swap(p(j, i), p(j, k));
  }
}

// Triangular in some order; the diagonal as it is given.
void triangular(source &s, instance &p, grain g, double diagonal) {
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = j; i < p.n; i++)
      p(i, j) = i > j ? number(s, g) : diagonal * s.integer(diagonal > 0 ? 1 : 0, 4);
  shuffle(p, s);
}

void p_matrix(source &s, instance &p) {
  const grain g = any_grain(s);
  p.resize(any_size(s, 10));
  if (s.chance(0.5)) {
    triangular(s, p, g, 0.25);
  } else {
    add_gram(p, random_table(s, p.n, p.n, g));
    add_diagonal(p, 0.25);
    add_skew(p, s, g, 1);
    vec row(at(p.n)), col(at(p.n));
    for (double &x : row) x = std::ldexp(1.0, s.integer(-3, 3));
    for (double &x : col) x = std::ldexp(1.0, s.integer(-3, 3));
    scale(p, row, col);
  }
  maybe_bounds(p, s, g);
  random_q(p, s, g);
  if (s.chance(0.5)) plant(p, s, g, 0.2, 1);
  p.properties |= kPMatrix | kSolvable;
}

void p0_matrix(source &s, instance &p) {
  const grain g = any_grain(s);
  p.resize(any_size(s, 10));
  triangular(s, p, g, 0);
  for (std::int32_t i = 0; i < p.n; i++) p(i, i) = s.integer(0, 2);
  maybe_bounds(p, s, g);
  plant(p, s, g, 0.2, 1);
}

void copositive(source &s, instance &p) {  // no negative entry, a positive diagonal: strictly so
  const grain g = any_grain(s);
  p.resize(any_size(s, 10));
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++)
      p(i, j) = i == j ? 0.25 * s.integer(1, 4) : s.chance(0.5) ? std::fabs(number(s, g)) : 0;
  random_q(p, s, g);
  if (s.chance(0.5)) plant(p, s, g, 0.2, 1);
  p.properties |= kCopositive | kSolvable;
}

void indefinite(source &s, instance &p) {
  const grain g = any_grain(s);
  const bool symmetric = s.chance(0.5);
  p.resize(any_size(s, 8));
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++) p(i, j) = symmetric && i < j ? p(j, i) : number(s, g);
  for (std::int32_t j = 0; symmetric && j < p.n; j++)
    for (std::int32_t i = 0; i < j; i++) p(i, j) = p(j, i);
  maybe_bounds(p, s, g);
  random_q(p, s, g);
  if (s.chance(0.7)) plant(p, s, g, 0.2, 1);
  if (symmetric) p.properties |= kSymmetric;
}

void degenerate(source &s, instance &p) {  // whole numbers, ties everywhere
  p.resize(any_size(s, 12));
  add_gram(p, random_table(s, p.n, s.integer(1, p.n + 1), grain::whole));
  if (s.chance(0.5)) add_skew(p, s, grain::whole, 1);
  if (s.chance(0.5)) random_bounds(p, s, grain::whole);
  plant(p, s, grain::whole, 0.7, 1);
  p.properties |= kSemidefinite | kCopositive;
}

void boxes(source &s, instance &p) {
  const grain g = any_grain(s);
  p.resize(any_size(s, 10));
  add_gram(p, random_table(s, p.n, s.integer(0, p.n), g == grain::fine ? grain::coarse : g));
  if (s.chance(0.5)) add_skew(p, s, grain::coarse, 1);
  random_bounds(p, s, g);
  plant(p, s, g, 0.3, 1);
  p.properties |= kSemidefinite | kCopositive;
}

void relays(source &s, instance &p) {  // bounded: there is a solution whatever M is
  const grain g = any_grain(s);
  p.resize(any_size(s, 9));
  const std::int32_t kind = s.integer(0, 3);
  if (kind > 0)
    add_gram(p, random_table(s, p.n, kind == 1 ? p.n : s.integer(0, p.n), grain::coarse));
  if (kind != 3) add_skew(p, s, g == grain::fine ? grain::coarse : g, 1);
  for (std::int32_t i = 0; i < p.n; i++) {
    if (kind == 0) p(i, i) = number(s, g);
    p.upper[at(i)] = s.chance(0.7) ? 1 : std::fabs(number(s, g));
    p.lower[at(i)] = s.chance(0.1) ? p.upper[at(i)] : -p.upper[at(i)];
  }
  random_q(p, s, g);
  for (double &x : p.q) x *= s.chance(0.3) ? 4 : 1;
  p.properties |= kSolvable | (kind > 0 ? static_cast<unsigned>(kSemidefinite | kCopositive) : 0U);
  if (kind == 3) p.properties |= kSymmetric;
}

// [A −Gᵀ; G 0] with A definite or not, free multipliers; rows of G may repeat one another.
void equalities(source &s, instance &p) {
  const grain g = s.chance(0.5) ? grain::whole : grain::coarse;
  const std::int32_t k = s.integer(1, 7), m = s.integer(0, k);
  p.resize(k + m);
  const table B = random_table(s, k, s.integer(0, k), g);
  table G = random_table(s, m, k, g);
  for (std::int32_t r = 1; r < m; r++)
    if (s.chance(0.4)) /* a sum of those before */
      for (std::int32_t j = 0; j < k; j++) G(r, j) = G(r - 1, j) + (r > 1 ? G(0, j) : 0);
  for (std::int32_t j = 0; j < k; j++) {
    for (std::int32_t i = 0; i < k; i++)
      for (std::int32_t c = 0; c < B.cols; c++) p(i, j) += B(i, c) * B(j, c);
    for (std::int32_t i = 0; i < m; i++) p(k + i, j) = G(i, j), p(j, k + i) = -G(i, j);
  }
  for (std::int32_t i = 0; i < p.n; i++)
    if (s.chance(i < k ? 0.3 : 0.8)) p.lower[at(i)] = -kInf;
  plant(p, s, g, 0.1, 1);
  p.properties |= kSemidefinite | kCopositive;
}

void diagonal(source &s, instance &p) {  // for the storage of that name; zeros, and nothing at all
  const grain g = any_grain(s);
  p.resize(any_size(s, 12));
  const bool nothing = s.chance(0.1);
  for (std::int32_t i = 0; i < p.n; i++) p(i, i) = nothing ? 0 : std::fabs(number(s, g));
  maybe_bounds(p, s, g);
  plant(p, s, g, 0.2, 1);
  p.properties |= kPsd;
}

}  // namespace

const std::vector<family> &ordinary_families() {
  static const std::vector<family> list = {
      {"positive definite", positive_definite},
      {"definite, not symmetric", definite_unsymmetric},
      {"rank-deficient", rank_deficient},
      {"monotone", monotone},
      {"P", p_matrix},
      {"P0", p0_matrix},
      {"copositive", copositive},
      {"indefinite", indefinite},
      {"degenerate", degenerate},
      {"boxes", boxes},
      {"relays", relays},
      {"equalities", equalities},
      {"diagonal", diagonal},
  };
  return list;
}

}  // namespace verdicts
