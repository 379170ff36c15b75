/* SPDX-License-Identifier: MIT */
/* Principal pivoting on the whole table. F holds the unknowns with y_i = 0, all others stand at a
 * bound. With v_i = λ_i on F, y_i elsewhere, and T the principal transform of M about F, exchanging
 * the role of i moves its nonbasic value by δ:
 *
 *   δ = (t − v_i) / T_ii,   v_j := v_j + T_ji δ,   T := T pivoted on (i, i)
 *
 * with t = 0 where i enters F (then λ_i = bound + δ) and t the bound where it leaves (then y_i =
 * δ). Unknowns without bounds enter first, by the largest pivots of their block wherever those
 * stand; then the largest violation rules for 2 n pivots and the least index for as many again
 * (Murty's rule, finite for P-matrices).
 * Source: Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, sections 2.3 and 4.2. */
#include <float.h>
#include <math.h>

#include "portfolio/portfolio.h"
#include "solver/mode.h"
#include "solver/mode_basis.h"
#include "solver/small.h"

typedef struct table {
  int32_t n;
  int32_t pivots;
  const perp_solver_options *options;
  double T[SMALL_MOST * SMALL_MOST]; /* by columns */
  double v[SMALL_MOST], bound[SMALL_MOST];
  int32_t row[SMALL_MOST];                           /* where λ_i is, in F: i but for free ones */
  unsigned char in[SMALL_MOST], is_free[SMALL_MOST]; /* whether in F; whether without bounds    */
} table;

/* Pivots smaller than this part of the largest (diagonal) entry are taken for 0. */
static const double least_pivot = 1e-9;

/* Exchange row r with the column of unknown i, which goes to target where it leaves F. */
static int pivot(table *t, int32_t r, int32_t i, double target, double merit) {
  const perp_solver_options *o = t->options;
  if (o->max_iter > 0 && t->pivots >= o->max_iter) return TINY_FAILED;
  const perp_iterate it = {t->pivots, t->in[i] ? -1 : i, t->in[i] ? i : -1, merit};
  if (o->observe != NULL && o->observe(&it, o->user) != 0) return PERP_STOPPED;
  t->pivots++;
  const double *column = t->T + t->n * i, delta = (target - t->v[r]) / column[r];
  for (int32_t j = 0; j < t->n; j++) t->v[j] += column[j] * delta;
  t->v[r] = t->in[i] ? delta : t->bound[i] + delta;
  t->bound[i] = target;
  t->in[i] = !t->in[i];
  t->row[i] = r;
  exchange_variables((size_t)t->n, (size_t)t->n, t->T, (size_t)r, (size_t)i);
  return PERP_OK;
}

/* Unknowns without bounds into F, by largest pivots of their block, which may have zeros on its
 * diagonal. It fails if the block is singular. */
static int enter_free(table *t, int32_t count, double least) {
  unsigned char used[SMALL_MOST] = {0};
  for (int32_t left = count; left > 0; left--) {
    int32_t r = 0, c = 0;
    double best = least;
    for (int32_t k = 0; k < t->n; k++)
      for (int32_t j = 0; t->is_free[k] && !t->in[k] && j < t->n; j++) {
        const double size = fabs(t->T[j + t->n * k]);
        if (!t->is_free[j] || used[j] || !(size > best)) continue;
        best = size;
        r = j;
        c = k;
      }
    if (!(best > least)) return TINY_FAILED;
    const int status = pivot(t, r, c, 0, best);
    if (status != PERP_OK) return status;
    used[r] = 1;
  }
  return PERP_OK;
}

/* How far i is from where it belongs, <= 0 if it is there; target: the bound it goes to. */
static double violation(const table *t, int32_t i, const double *lower, const double *upper,
                        double *target) {
  const unsigned char at = t->bound[i] == lower[i] ? PERP_MODE_LOWER : PERP_MODE_UPPER;
  unsigned char to;
  const double e =
      mode_excess(t->in[i] ? PERP_MODE_FREE : at, lower[i], upper[i], t->v[i], t->v[i], 1, &to);
  *target = to == PERP_MODE_FREE ? 0 : mode_bound(to, lower[i], upper[i]);
  return e;
}

static int run(table *t, const double *lower, const double *upper, double least, double rounding) {
  int status = PERP_OK;
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
    status = pivot(t, at, at, target, worst);
  }
  return status == PERP_OK ? TINY_FAILED : status;
}

/* What is left when the free unknowns are in F, if that is a complementarity problem: by the faster
 * way for those, which also follows a path where a pivot on the diagonal is 0. */
static int solve_rest(const table *t, double *lambda, int32_t *iterations) {
  double T[SMALL_MOST * SMALL_MOST], v[SMALL_MOST], x[SMALL_MOST];
  int32_t place[SMALL_MOST], m = 0;
  for (int32_t i = 0; i < t->n; i++)
    if (!t->is_free[i]) place[m++] = i;
  for (int32_t k = 0; k < m; k++) {
    v[k] = t->v[place[k]];
    for (int32_t j = 0; j < m; j++) T[j + m * k] = t->T[place[j] + t->n * place[k]];
  }
  const perp_matrix rest = perp_dense(m, m, T);
  if (perp_tiny_orthant(&rest, v, 1e-10, x, iterations) != PERP_OK) return TINY_FAILED;
  for (int32_t k = 0; k < m; k++) lambda[place[k]] = x[k];
  for (int32_t i = 0; i < t->n; i++) {
    if (!t->is_free[i]) continue;
    lambda[i] = t->v[t->row[i]];
    for (int32_t k = 0; k < m; k++) lambda[i] += t->T[t->row[i] + t->n * place[k]] * x[k];
  }
  return PERP_OK;
}

/* Whether all unknowns are free or complementary, and nobody counts or looks on. */
static int plain(int32_t n, const double *lower, const double *upper,
                 const perp_solver_options *o) {
  int other = o->observe != NULL || o->max_iter < INT32_MAX;
  for (int32_t i = 0; i < n; i++)
    other |= upper[i] <= DBL_MAX || (lower[i] != 0 && lower[i] >= -DBL_MAX);
  return !other;
}

int perp_tiny_solve(const perp_matrix *M, const double *q, const double *lower, const double *upper,
                    double *lambda, const perp_solver_options *options, int32_t *iterations) {
  table t;
  const int32_t n = M->rows;
  double size = 0, largest = 0;
  int32_t count = 0;
  t.n = n;
  t.pivots = 0;
  t.options = options;
  for (int32_t i = 0; i < n; i++) {
    t.v[i] = q[i];
    t.in[i] = 0;
    t.row[i] = i;
    t.is_free[i] = lower[i] < -DBL_MAX && upper[i] > DBL_MAX;
    count += t.is_free[i];
    t.bound[i] = lower[i] >= -DBL_MAX ? lower[i] : upper[i] <= DBL_MAX ? upper[i] : 0;
  }
  for (int32_t j = 0; j < n; j++) {
    const double *column = M->values + (size_t)M->ld * (size_t)j, b = t.bound[j];
    for (int32_t i = 0; i < n; i++) {
      t.T[i + n * j] = column[i];
      largest = fabs(column[i]) > largest ? fabs(column[i]) : largest;
    }
    size = fabs(column[j]) > size ? fabs(column[j]) : size;
    for (int32_t i = 0; i < n && b != 0; i++) t.v[i] += column[i] * b;
  }
  int status = enter_free(&t, count, least_pivot * largest);
  const int rest = status == PERP_OK && count < n && plain(n, lower, upper, options);
  if (rest && solve_rest(&t, lambda, iterations) == PERP_OK) {
    *iterations += t.pivots;
    return PERP_OK;
  }
  if (status == PERP_OK)
    status = run(&t, lower, upper, least_pivot * size, 16 * DBL_EPSILON * largest_size(n, q));
  *iterations += t.pivots;
  for (int32_t i = 0; status == PERP_OK && i < n; i++)
    lambda[i] = clip(t.in[i] ? t.v[t.row[i]] : t.bound[i], lower[i], upper[i]);
  return status;
}
