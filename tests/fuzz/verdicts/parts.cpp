// SPDX-License-Identifier: MIT
// What families are made of.
#include "families.hpp"

#include <algorithm>

namespace verdicts {

grain any_grain(source &s) {
  const std::int32_t k = s.integer(0, 2);
  return k == 0 ? grain::whole : k == 1 ? grain::coarse : grain::fine;
}

double number(source &s, grain g) {
  if (g == grain::whole) return s.integer(-3, 3);
  return g == grain::coarse ? s.integer(-64, 64) / 64.0 : s.signed_unit();
}

// Where most cases are: small. Large ones are rare, so that many problems are tried.
std::int32_t any_size(source &s, std::int32_t most) {
  const double u = s.unit();
  if (u < 5e-6) return 500;
  if (u < 1e-3) return 50;
  if (u < 0.01) return 0;
  return std::min(s.integer(1, most), s.integer(1, most));
}

table random_table(source &s, std::int32_t m, std::int32_t n, grain g) {
  table B(m, n);
  for (double &x : B.values) x = number(s, g);
  return B;
}

void add_gram(instance &p, const table &B) {
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t k = 0; k < B.cols; k++) {
      const double b = B(j, k);
      if (b == 0) continue;
      for (std::int32_t i = 0; i < p.n; i++) p(i, j) += B(i, k) * b;
    }
}

void add_diagonal(instance &p, double d) {
  for (std::int32_t i = 0; i < p.n; i++) p(i, i) += d;
}

void add_skew(instance &p, source &s, grain g, double weight) {
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < j; i++) {
      const double x = weight * number(s, g);
      p(i, j) += x;
      p(j, i) -= x;
    }
}

void random_q(instance &p, source &s, grain g) {
  for (double &x : p.q) x = number(s, g);
}

static void random_interval(source &s, grain g, double &l, double &u) {
  const double a = number(s, g), b = number(s, g);
  switch (s.integer(0, 7)) {
    case 0:
      l = -kInf, u = kInf;
      break;
    case 1:
      l = a, u = kInf;
      break;
    case 2:
      l = -kInf, u = a;
      break;
    case 3:
      l = u = a;
      break;
    case 4:
      l = 0, u = kInf;
      break;
    case 5:
      l = 0, u = b < 0 ? -b : b;
      break;
    default:
      l = std::min(a, b), u = std::max(a, b);
  }
}

void random_bounds(instance &p, source &s, grain g) {
  for (std::int32_t i = 0; i < p.n; i++) random_interval(s, g, p.lower[at(i)], p.upper[at(i)]);
}

// One complementary pair of the interval [l, u].
static void plant_pair(source &s, grain g, double degenerate, double reach, double l, double u,
                       double &x, double &y) {
  const double size = g == grain::whole    ? s.integer(1, 4)
                      : g == grain::coarse ? s.integer(1, 64) / 64.0
                                           : s.unit() + 0.01;
  const bool tie = s.chance(degenerate);
  const std::int32_t side = s.integer(0, 2);
  y = 0;
  if (side == 0 && l > -kInf) {
    x = l;
    y = tie ? 0 : size;
  } else if (side == 1 && u < kInf) {
    x = u;
    y = tie ? 0 : -size;
  } else if (l > -kInf && u < kInf) {
    x = tie ? l : l + (u - l) * s.integer(0, 4) / 4;
  } else if (l > -kInf) {
    x = tie ? l : l + reach * size;
  } else if (u < kInf) {
    x = tie ? u : u - reach * size;
  } else {
    x = s.chance(0.5) ? reach * size : -reach * size;
  }
}

void plant(instance &p, source &s, grain g, double degenerate, double reach) {
  p.planted.assign(at(p.n), 0);
  vec y(at(p.n), 0);
  for (std::int32_t i = 0; i < p.n; i++)
    plant_pair(s, g, degenerate, reach, p.lower[at(i)], p.upper[at(i)], p.planted[at(i)], y[at(i)]);
  load(p, y);
}

// q := y − M λ of the planted λ, rounded once.
void load(instance &p, const vec &y) {
  std::vector<quad> sum(y.begin(), y.end());
  for (std::int32_t j = 0; j < p.n; j++) {
    const quad x = p.planted[at(j)];
    if (p.planted[at(j)] == 0) continue;
    for (std::int32_t i = 0; i < p.n; i++) sum[at(i)] -= p(i, j) * x;
  }
  for (std::int32_t i = 0; i < p.n; i++) p.q[at(i)] = static_cast<double>(sum[at(i)]);
}

void scale(instance &p, const vec &row, const vec &col) {
  for (std::int32_t j = 0; j < p.n; j++)
    for (std::int32_t i = 0; i < p.n; i++) p(i, j) *= row[at(i)] * col[at(j)];
  for (std::int32_t i = 0; i < p.n; i++) {
    p.q[at(i)] *= row[at(i)];
    p.lower[at(i)] /= col[at(i)];
    p.upper[at(i)] /= col[at(i)];
    if (!p.planted.empty()) p.planted[at(i)] /= col[at(i)];
  }
}

}  // namespace verdicts
