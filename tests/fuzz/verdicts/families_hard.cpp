// SPDX-License-Identifier: MIT
// Families of hard problems with intervals: scales, hairs, cycles, and dependence.
#include "families.hpp"

#include <algorithm>

namespace verdicts {
namespace {

constexpr unsigned kPsd = kSymmetric | kSemidefinite | kCopositive;
constexpr unsigned kPd = kPsd | kDefinite | kPMatrix | kSolvable;

// A matrix of whole numbers, semidefinite or not, with a complementary pair.
void base(source &s, instance &p, bool any_bounds) {
  const grain g = s.chance(0.5) ? grain::whole : grain::coarse;
  p.resize(any_size(s, 9));
  const std::int32_t kind = s.integer(0, 3);
  if (kind < 2) {
    add_gram(p, random_table(s, p.n, kind == 0 ? p.n : s.integer(0, p.n), g));
    add_diagonal(p, kind == 0 ? 0.5 : 0);
    p.properties |= kind == 0 ? kPd : kPsd;
  } else if (kind == 2) { /* positive on the diagonal of a triangle */
    for (std::int32_t j = 0; j < p.n; j++)
      for (std::int32_t i = 0; i <= j; i++) p(i, j) = i == j ? s.integer(1, 4) : number(s, g);
    p.properties |= kPMatrix | kSolvable;
  } else {
    add_gram(p, random_table(s, p.n, p.n, g));
    add_skew(p, s, g, 2);
    p.properties |= kSemidefinite | kCopositive;
  }
  if (any_bounds) random_bounds(p, s, g);
  plant(p, s, g, 0.2, 1);
}

// 10^±decades, or the power of two next to it, which scales without rounding.
double unit_of(source &s, double decades, bool exact) {
  const double x = s.power(-decades, decades);
  return exact ? std::ldexp(1.0, std::ilogb(x)) : x;
}

void mixed_units(source &s, instance &p) {
  base(s, p, s.chance(0.4));
  const double decades = s.chance(0.5) ? 150 : s.chance(0.5) ? 20 : 6;
  const bool symmetric = s.chance(0.5), exact = s.chance(0.6);
  vec row(at(p.n)), col(at(p.n));
  for (std::int32_t i = 0; i < p.n; i++) {
    row[at(i)] = unit_of(s, decades, exact);
    col[at(i)] = symmetric ? row[at(i)] : unit_of(s, decades, exact);
  }
  scale(p, row, col);
  if (!symmetric) p.properties &= kPMatrix | kSolvable;
  if (!exact) p.properties &= ~static_cast<unsigned>(kSolvable); /* rounding may take it away */
  if (decades > 100) p.properties &= ~static_cast<unsigned>(kUnitScale);
}

void row_scales(source &s, instance &p) {
  base(s, p, s.chance(0.4));
  const bool exact = s.chance(0.6);
  const vec one(at(p.n), 1);
  vec row(at(p.n));
  for (double &x : row) x = unit_of(s, 8, exact);
  scale(p, row, one);
  p.properties &= kPMatrix | kSolvable | kUnitScale;
  if (!exact) p.properties &= ~static_cast<unsigned>(kSolvable);
}

void hilbert(source &s, instance &p) {
  p.resize(any_size(s, 12));
  const std::int32_t from = s.integer(1, 3);
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++) p(i, j) = 1.0 / (i + j + from);
  if (s.chance(0.3)) random_bounds(p, s, grain::coarse);
  if (s.chance(0.5))
    random_q(p, s, grain::whole);
  else
    plant(p, s, grain::coarse, 0.1, 1);
  p.properties |= p.n <= 6 ? kPd : static_cast<unsigned>(kSymmetric);
}

// Fathi's and Murty's: exponential for pivoting methods, and grown in powers of two.
void cycling(source &s, instance &p) {
  p.resize(any_size(s, 12));
  const std::int32_t kind = s.integer(0, 3);
  const bool graded = s.chance(0.3) && p.n <= 12;
  table L(p.n, p.n);
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = j; i < p.n; i++)
      L(i, j) = (i == j ? 1 : 2) * (graded ? std::ldexp(1.0, s.integer(0, 2) * i) : 1);
  if (kind == 0) {
    add_gram(p, L);
    p.properties |= kPd;
  } else {
    for (std::int32_t j = 0; j < p.n; j++)
      for (std::int32_t i = 0; i < p.n; i++) p(i, j) = kind == 1 ? L(i, j) : L(j, i);
    p.properties |= kPMatrix | kSolvable;
  }
  for (std::int32_t i = 0; i < p.n; i++)
    p.q[at(i)] = kind == 3 ? -std::ldexp(1.0, p.n - i) : s.chance(0.1) ? -2 : -1;
}

// B Bᵀ + ε I or + ε on some of the diagonal, with a null vector of B Bᵀ that λ has a share of: then
// λ is about 1/ε as large as what it does.
void raised(source &s, instance &p, double epsilon, double reach) {
  p.resize(std::min(std::max(any_size(s, 10), 1), 50));
  table B = random_table(s, p.n, s.integer(0, p.n), grain::whole);
  vec v(at(p.n));
  for (double &x : v) x = s.integer(0, 2);
  const std::int32_t last = s.integer(0, p.n - 1);
  v[at(last)] = 1;
  for (std::int32_t k = 0; k < B.cols; k++) { /* Bᵀv = 0 */
    B(last, k) = 0;
    for (std::int32_t i = 0; i < p.n; i++)
      if (i != last) B(last, k) -= B(i, k) * v[at(i)];
  }
  add_gram(p, B);
  add_diagonal(p, epsilon);
  p.planted.assign(at(p.n), 0);
  vec y(at(p.n), 0);
  const double share = std::ldexp(1.0, std::ilogb(reach));
  for (std::int32_t i = 0; i < p.n; i++) {
    p.planted[at(i)] = share * v[at(i)] + (s.chance(0.3) ? s.integer(0, 2) : 0);
    if (p.planted[at(i)] == 0) y[at(i)] = s.integer(0, 2);
  }
  load(p, y);
  p.properties |= epsilon >= 1e-8 ? kPd : kPsd;
}

void amplified(source &s, instance &p) {
  const double reach = s.power(0, 8), epsilon = std::ldexp(1.0, -std::ilogb(reach));
  raised(s, p, epsilon, reach);
}

void raised_diagonal(source &s, instance &p) {
  const double epsilon = s.power(-16, -12);
  raised(s, p, epsilon, s.chance(0.5) ? 1 / epsilon : s.power(0, 8));
}

void nearly_dependent(source &s, instance &p) {
  p.resize(std::max(any_size(s, 10), 1));
  table B = random_table(s, p.n, p.n, grain::coarse);
  const double apart = std::ldexp(1.0, -s.integer(3, 26));
  for (std::int32_t i = 1; i < p.n; i++)
    if (s.chance(0.5))
      for (std::int32_t k = 0; k < p.n; k++) B(i, k) = B(i - 1, k) + apart * s.integer(-1, 1);
  add_gram(p, B);
  if (s.chance(0.3)) add_skew(p, s, grain::coarse, apart);
  if (s.chance(0.3)) random_bounds(p, s, grain::coarse);
  plant(p, s, grain::coarse, 0.2, s.chance(0.5) ? 1 : std::ldexp(1.0, s.integer(0, 20)));
}

void repeated_rows(source &s, instance &p) {
  base(s, p, s.chance(0.4));
  const instance from = p;
  p.planted.clear();
  for (std::int32_t i = 0; i < p.n; i++) {
    const std::int32_t a = s.integer(0, p.n - 1);
    p.lower[at(i)] = from.lower[at(a)];
    p.upper[at(i)] = from.upper[at(a)];
    p.q[at(i)] = a; /* for now: which row it is */
  }
  const vec which = p.q;
  const auto row = [&](std::int32_t i) { return static_cast<std::int32_t>(which[at(i)]); };
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++) p(i, j) = from(row(i), row(j));
  plant(p, s, grain::coarse, 0.2, 1);
  p.properties &= kUnitScale | kPsd;
  if (!from.has(kSemidefinite)) p.properties &= ~static_cast<unsigned>(kCopositive);
}

void denormals(source &s, instance &p) {
  base(s, p, s.chance(0.3));
  const std::int32_t low = s.integer(-1074, -960), load = s.chance(0.5) ? low : s.integer(-1074, 0);
  for (double &x : p.M) x = std::ldexp(x, low);
  for (double &x : p.q) x = std::ldexp(x, load);
  for (std::int32_t i = 0; i < p.n; i++) {
    const double factor = std::ldexp(1.0, std::min(load - low, 1000));
    p.planted[at(i)] *= factor;
    p.lower[at(i)] *= factor;
    p.upper[at(i)] *= factor;
  }
  p.properties = 0; /* what rounds to denormals has no property left */
}

}  // namespace

// In families_infeasible.cpp.
void infeasible_by_a_hair(source &s, instance &p);
void feasible_by_a_hair(source &s, instance &p);
void infeasible_monotone(source &s, instance &p);
void inconsistent_equalities(source &s, instance &p);

const std::vector<family> &hard_families() {
  static const std::vector<family> list = {
      {"mixed units", mixed_units},
      {"row scales", row_scales},
      {"Hilbert", hilbert},
      {"cycling", cycling},
      {"amplified", amplified},
      {"raised diagonal", raised_diagonal},
      {"nearly dependent", nearly_dependent},
      {"repeated rows", repeated_rows},
      {"denormals", denormals},
      {"infeasible by a hair", infeasible_by_a_hair},
      {"feasible by a hair", feasible_by_a_hair},
      {"infeasible, monotone", infeasible_monotone},
      {"inconsistent equalities", inconsistent_equalities},
  };
  return list;
}

}  // namespace verdicts
