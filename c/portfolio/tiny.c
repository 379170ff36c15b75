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
#include <string.h>

#include "portfolio/portfolio.h"
#include "solver/mode.h"
#include "solver/small.h"

typedef struct table {
  int32_t n;
  int32_t pivots;
  const perp_solver_options *options;
  double T[SMALL_MOST * SMALL_MOST]; /* by columns */
  double v[SMALL_MOST], bound[SMALL_MOST];
  unsigned char in[SMALL_MOST]; /* whether in F */
} table;

/* Pivots smaller than this part of the largest (diagonal) entry are taken for 0. */
static const double least_pivot = 1e-9;

static void exchange(table *t, int32_t r, int32_t c) {
  exchange_variables((size_t)t->n, (size_t)t->n, t->T, (size_t)r, (size_t)c);
}

static void pivot(table *t, int32_t i, double target) {
  const double *column = t->T + t->n * i;
  const double delta = (target - t->v[i]) / column[i];
  for (int32_t j = 0; j < t->n; j++) t->v[j] += column[j] * delta;
  t->v[i] = t->in[i] ? delta : t->bound[i] + delta;
  t->bound[i] = target;
  t->in[i] = !t->in[i];
  exchange(t, i, i);
}

/* Before a pivot: count, and tell. */
static int note(table *t, int32_t entering, int32_t leaving, double merit) {
  const perp_solver_options *o = t->options;
  if (o->max_iter > 0 && t->pivots >= o->max_iter) return TINY_FAILED;
  const perp_iterate it = {t->pivots, entering, leaving, merit};
  if (o->observe != NULL && o->observe(&it, o->user) != 0) return PERP_STOPPED;
  t->pivots++;
  return PERP_OK;
}

static int pivot_on(table *t, int32_t i, double target, double merit) {
  const int status = note(t, t->in[i] ? -1 : i, t->in[i] ? i : -1, merit);
  if (status == PERP_OK) pivot(t, i, target);
  return status;
}

/* Where y_i and λ_i of the free unknowns stand while they are exchanged off the diagonal. */
typedef struct places {
  int32_t row[SMALL_MOST], column[SMALL_MOST]; /* of λ_i, of y_i; -1: not exchanged */
  unsigned char row_done[SMALL_MOST], column_done[SMALL_MOST];
} places;

/* The largest entry in a row of a free y and the column of a free λ that are left; 0: none is. */
static double largest_entry(const table *t, const unsigned char *is_free, const places *p,
                            int32_t *r, int32_t *c) {
  double best = 0;
  for (int32_t k = 0; k < t->n; k++) {
    if (!is_free[k] || p->column_done[k]) continue;
    for (int32_t j = 0; j < t->n; j++) {
      const double size = fabs(t->T[j + t->n * k]);
      if (!is_free[j] || p->row_done[j] || !(size > best)) continue;
      best = size;
      *r = j;
      *c = k;
    }
  }
  return best;
}

/* Rows and columns of T, and v, in the order of the unknowns again. */
static void put_in_order(table *t, const unsigned char *is_free, const places *p) {
  const table old = *t;
  for (int32_t k = 0; k < t->n; k++) {
    const int32_t from = is_free[k] ? p->column[k] : k;
    for (int32_t j = 0; j < t->n; j++)
      t->T[j + t->n * k] = old.T[(is_free[j] ? p->row[j] : j) + t->n * from];
    t->v[k] = old.v[is_free[k] ? p->row[k] : k];
    t->in[k] = is_free[k];
  }
}

/* Unknowns without bounds into F, by largest pivots of their block, which may have zeros on its
 * diagonal. It fails if the block is singular. */
static int enter_free(table *t, const unsigned char *is_free, int32_t count, double least) {
  places p;
  memset(&p, 0, sizeof p);
  for (int32_t k = 0; k < count; k++) {
    int32_t r = 0, c = 0;
    const double size = largest_entry(t, is_free, &p, &r, &c);
    if (!(size > least)) return TINY_FAILED;
    const int status = note(t, c, -1, size);
    if (status != PERP_OK) return status;
    const double *column = t->T + t->n * c, delta = -t->v[r] / column[r];
    for (int32_t j = 0; j < t->n; j++) t->v[j] += column[j] * delta;
    t->v[r] = delta;
    exchange(t, r, c);
    p.row[c] = r;
    p.column[r] = c;
    p.row_done[r] = p.column_done[c] = 1;
  }
  if (count > 0) put_in_order(t, is_free, &p);
  return PERP_OK;
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
    status = pivot_on(t, at, target, worst);
  }
  return status == PERP_OK ? TINY_FAILED : status;
}

/* What is left when the free unknowns are in F, if that is a complementarity problem: by the faster
 * way for those, which also follows a path where a pivot on the diagonal is 0. */
static int solve_rest(const table *t, const unsigned char *is_free, double *lambda,
                      int32_t *iterations) {
  double T[SMALL_MOST * SMALL_MOST], v[SMALL_MOST], x[SMALL_MOST];
  int32_t place[SMALL_MOST], m = 0;
  for (int32_t i = 0; i < t->n; i++)
    if (!is_free[i]) place[m++] = i;
  for (int32_t k = 0; k < m; k++) {
    v[k] = t->v[place[k]];
    for (int32_t j = 0; j < m; j++) T[j + m * k] = t->T[place[j] + t->n * place[k]];
  }
  const perp_matrix rest = perp_dense(m, m, T);
  if (perp_tiny_orthant(&rest, v, 1e-10, x, iterations) != PERP_OK) return TINY_FAILED;
  for (int32_t i = 0; i < t->n; i++) lambda[i] = is_free[i] ? t->v[i] : 0;
  for (int32_t k = 0; k < m; k++) {
    for (int32_t i = 0; i < t->n; i++)
      if (is_free[i]) lambda[i] += t->T[i + t->n * place[k]] * x[k];
    lambda[place[k]] = x[k];
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
  unsigned char is_free[SMALL_MOST];
  double size = 0, largest = 0, rows = 0;
  int32_t count = 0;
  t.n = n;
  t.pivots = 0;
  t.options = options;
  for (int32_t i = 0; i < n; i++) {
    t.v[i] = q[i];
    t.in[i] = 0;
    is_free[i] = lower[i] < -DBL_MAX && upper[i] > DBL_MAX;
    count += is_free[i];
    t.bound[i] = lower[i] >= -DBL_MAX ? lower[i] : upper[i] <= DBL_MAX ? upper[i] : 0;
    rows = fabs(q[i]) > rows ? fabs(q[i]) : rows;
  }
  for (int32_t j = 0; j < n; j++) {
    const double *column = M->values + (size_t)M->ld * (size_t)j, b = t.bound[j];
    for (int32_t i = 0; i < n; i++) {
      t.T[i + n * j] = column[i];
      largest = fabs(column[i]) > largest ? fabs(column[i]) : largest;
    }
    size = fabs(column[j]) > size ? fabs(column[j]) : size;
    if (b == 0) continue;
    for (int32_t i = 0; i < n; i++) t.v[i] += column[i] * b;
  }
  int status = enter_free(&t, is_free, count, least_pivot * largest);
  if (status == PERP_OK && count < n && plain(n, lower, upper, options) &&
      solve_rest(&t, is_free, lambda, iterations) == PERP_OK) {
    *iterations += t.pivots;
    return PERP_OK;
  }
  if (status == PERP_OK)
    status = run(&t, lower, upper, least_pivot * size, 16 * DBL_EPSILON * rows);
  *iterations += t.pivots;
  for (int32_t i = 0; status == PERP_OK && i < n; i++) {
    const double x = t.in[i] ? t.v[i] : t.bound[i];
    lambda[i] = x < lower[i] ? lower[i] : x > upper[i] ? upper[i] : x;
  }
  return status;
}
