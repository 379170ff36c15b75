/* SPDX-License-Identifier: MIT */
/* Principal pivoting on the whole table. F holds the unknowns with y_i = 0, all others stand at a
 * bound. With v_i = λ_i on F, y_i elsewhere, and T the principal transform of M about F, exchanging
 * the role of i moves its nonbasic value by δ:
 *
 *   δ = (t − v_i) / T_ii,   v_j := v_j + T_ji δ,   T := T pivoted on (i, i)
 *
 * with t = 0 where i enters F (then λ_i = bound + δ) and t the bound where it leaves (then y_i =
 * δ). Unknowns without bounds enter first, by largest pivot; then the largest violation rules for
 * 2 n pivots and the least index for as many again (Murty's rule, finite for P-matrices).
 * Source: Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, sections 2.3 and 4.2. */
#include "portfolio/tiny.h"

#include <float.h>
#include <math.h>

typedef struct table {
  int32_t n;
  int32_t pivots;
  const perp_solver_options *options;
  double T[TINY_MOST * TINY_MOST]; /* by columns */
  double v[TINY_MOST], bound[TINY_MOST];
  unsigned char in[TINY_MOST]; /* whether in F */
} table;

/* Pivots smaller than this part of the diagonal of M are taken for 0. */
static const double least_pivot = 1e-9;

static void pivot(table *t, int32_t i, double target) {
  const int32_t n = t->n;
  double *column = t->T + n * i;
  const double inverse = 1 / column[i], delta = (target - t->v[i]) * inverse;
  for (int32_t j = 0; j < n; j++) t->v[j] += column[j] * delta;
  t->v[i] = t->in[i] ? delta : t->bound[i] + delta;
  t->bound[i] = target;
  t->in[i] = !t->in[i];
  /* T_jk −= T_ji T_ik / T_ii;  row i: −T_ik / T_ii;  column i: T_ji / T_ii;  1 / T_ii */
  for (int32_t k = 0; k < n; k++) {
    if (k == i) continue;
    double *other = t->T + n * k;
    const double w = other[i] * inverse;
    for (int32_t j = 0; j < n; j++) other[j] -= column[j] * w;
    other[i] = -w;
  }
  for (int32_t j = 0; j < n; j++) column[j] *= inverse;
  column[i] = inverse;
}

/* Pivot, count and tell. */
static int exchange(table *t, int32_t i, double target, double merit) {
  const perp_solver_options *o = t->options;
  if (o->max_iter > 0 && t->pivots >= o->max_iter) return TINY_FAILED;
  if (o->observe != NULL) {
    const perp_iterate it = {t->pivots, t->in[i] ? -1 : i, t->in[i] ? i : -1, merit};
    if (o->observe(&it, o->user) != 0) return PERP_STOPPED;
  }
  pivot(t, i, target);
  t->pivots++;
  return PERP_OK;
}

/* Free unknowns into F. It fails if the block of them has no pivot that is large enough. */
static int enter_free(table *t, const double *lower, const double *upper, double least) {
  for (;;) {
    double best = least;
    int32_t at = -1, left = 0;
    for (int32_t i = 0; i < t->n; i++) {
      if (t->in[i] || lower[i] >= -DBL_MAX || upper[i] <= DBL_MAX) continue;
      const double size = fabs(t->T[i + t->n * i]);
      left = 1;
      at = size > best ? i : at;
      best = size > best ? size : best;
    }
    if (!left) return PERP_OK;
    if (at < 0) return TINY_FAILED;
    const int status = exchange(t, at, 0, fabs(t->v[at]));
    if (status != PERP_OK) return status;
  }
}

/* How far i is from where it belongs, 0 if it is there; target: the bound it goes to. */
static double violation(const table *t, int32_t i, const double *lower, const double *upper,
                        double *target) {
  const double v = t->v[i];
  *target = 0;
  if (!t->in[i]) {
    if (lower[i] == upper[i]) return 0;
    return t->bound[i] == lower[i] ? (v < 0 ? -v : 0) : (v > 0 ? v : 0);
  }
  if (v < lower[i]) return *target = lower[i], lower[i] - v;
  if (v > upper[i]) return *target = upper[i], v - upper[i];
  return 0;
}

static int run(table *t, const double *lower, const double *upper, double least, double rounding) {
  int status = enter_free(t, lower, upper, least);
  const int32_t n = t->n;
  for (int32_t k = 0; status == PERP_OK && k < 4 * n; k++) {
    double worst = rounding, target = 0;
    int32_t at = -1;
    for (int32_t i = 0; i < n; i++) {
      double to;
      const double e = violation(t, i, lower, upper, &to);
      if (!(e > worst)) continue;
      worst = e;
      target = to;
      at = i;
      if (k >= 2 * n) break;
    }
    if (at < 0) return PERP_OK;
    if (!(t->T[at + n * at] > least)) return TINY_FAILED;
    status = exchange(t, at, target, worst);
  }
  return status == PERP_OK ? TINY_FAILED : status;
}

int perp_tiny_solve(const perp_matrix *M, const double *q, const double *lower, const double *upper,
                    double *lambda, const perp_solver_options *options, int32_t *iterations) {
  table t;
  const int32_t n = M->rows;
  double size = 0, rows = 0;
  t.n = n;
  t.pivots = 0;
  t.options = options;
  for (int32_t i = 0; i < n; i++) {
    t.v[i] = q[i];
    t.in[i] = 0;
    t.bound[i] = lower[i] >= -DBL_MAX ? lower[i] : upper[i] <= DBL_MAX ? upper[i] : 0;
    rows = fabs(q[i]) > rows ? fabs(q[i]) : rows;
  }
  for (int32_t j = 0; j < n; j++) {
    const double *column = M->values + (size_t)M->ld * (size_t)j, b = t.bound[j];
    for (int32_t i = 0; i < n; i++) t.T[i + n * j] = column[i];
    size = fabs(column[j]) > size ? fabs(column[j]) : size;
    if (b == 0) continue;
    for (int32_t i = 0; i < n; i++) t.v[i] += column[i] * b;
  }
  const int status = run(&t, lower, upper, least_pivot * size, 16 * DBL_EPSILON * rows);
  *iterations += t.pivots;
  for (int32_t i = 0; status == PERP_OK && i < n; i++) {
    const double x = t.in[i] ? t.v[i] : t.bound[i];
    lambda[i] = x < lower[i] ? lower[i] : x > upper[i] ? upper[i] : x;
  }
  return status;
}
