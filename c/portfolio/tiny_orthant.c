/* SPDX-License-Identifier: MIT */
/* Complementarity problems of a few unknowns, by the exchanges of small_table.h.
 *
 * First by principal pivots: v holds λ_i on F and y_i elsewhere, T the principal transform of M.
 * Both signs of i are wrong where v_i < 0, so the rule is one minimum, and a pivot is
 *
 *   δ = −v_i / T_ii,   v := v + T_·i δ,   v_i := δ,   T := T pivoted on (i, i).
 *
 * If that does not end within n pivots, Lemke's path from z0 = max(−q) with the same pivot on an
 * n x (n + 1) table. Ties are left to chance, so the number of pivots is limited.
 * Source: Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, sections 2.3 and 4.4. */
#include <float.h>
#include <math.h>

#include "portfolio/tiny.h"
#include "solver/small_table.h"

/* Columns are padded with zeros to m = 2, 4, 8, 12 or 16 rows, constants for the compiler, so that
 * no loop over rows has a rest. */

/* x[count].c := column c of the table, which is M and the one of z0, after so many exchanges. */
static inline void load(int32_t m, const perp_matrix *M, int32_t c, small_exchange *x,
                        int32_t count) {
  static const double ones[TINY_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const double *start = c == M->rows ? ones : M->values + (size_t)M->ld * (size_t)c;
  small_column(m, M->rows, start, x, small_last(x, count, c), count, x[count].c);
}

/* v := v moved along the column in x to where v_r is 0; x := the exchange of that column. */
static inline void pivot(int32_t m, int32_t r, int32_t c, small_exchange *x, double *v) {
  const double delta = -v[r] / x->c[r];
  small_make(m, r, c, 1 / x->c[r], x);
  small_move(m, x, delta, v);
}

/* Last place of the least entry. */
static int32_t least(int32_t n, const double *v) {
  int32_t at = 0;
  for (int32_t i = 1; i < n; i++) at = v[i] <= v[at] ? i : at;
  return at;
}

/* λ by principal pivots; the number of them, negative if they did not find it. */
static inline int32_t exchange(int32_t m, const perp_matrix *M, const double *q, double accepted,
                               double *lambda) {
  small_exchange x[TINY_MOST + 1];
  double v[TINY_MOST] = {0};
  unsigned char in[TINY_MOST] = {0};
  const int32_t n = M->rows;
  small_copy(m, n, q, 0, v);
  for (int32_t pivots = 0; pivots <= n; pivots++) {
    const int32_t i = least(n, v);
    if (!(v[i] < -accepted)) {
      for (int32_t j = 0; j < n; j++) lambda[j] = in[j] && v[j] > 0 ? v[j] : 0;
      return pivots;
    }
    load(m, M, i, x, pivots);
    if (!(x[pivots].c[i] > DBL_EPSILON * fabs(M->values[(size_t)i * ((size_t)M->ld + 1)])))
      return -pivots - 1;
    pivot(m, i, i, x + pivots, v);
    in[i] = !in[i];
  }
  return -n - 2;
}

/* The same by Lemke's path. Basic in row i: row[i]; nonbasic in column k: col[k]; z_i is i, w_i is
 * ~i, z0 is n. */
static inline int32_t follow(int32_t m, const perp_matrix *M, const double *q, double *lambda) {
  small_exchange x[3 * TINY_MOST + 5];
  double v[TINY_MOST] = {0};
  int32_t row[TINY_MOST], col[TINY_MOST + 1];
  const int32_t n = M->rows;
  small_copy(m, n, q, 0, v);
  for (int32_t i = 0; i < n; i++) {
    row[i] = ~i;
    col[i] = i;
  }
  col[n] = n;
  int32_t r = least(n, v), c = n;
  load(m, M, c, x, 0);
  for (int32_t pivots = 1; pivots <= 3 * n + 4; pivots++) {
    pivot(m, r, c, x + pivots - 1, v);
    const int32_t left = row[r];
    row[r] = col[c];
    col[c] = left;
    if (left == n) {
      for (int32_t i = 0; i < n; i++) lambda[i] = 0;
      for (int32_t i = 0; i < n; i++)
        if (row[i] >= 0 && v[i] > 0) lambda[row[i]] = v[i];
      return pivots;
    }
    for (c = 0; col[c] != ~left;) c++;
    load(m, M, c, x, pivots);
    const double *a = x[pivots].c;
    double best = INFINITY;
    r = -1;
    for (int32_t i = 0; i < n; i++) {
      if (!(a[i] < -1e-12)) continue;
      const double ratio = (v[i] > 0 ? v[i] : 0) / -a[i];
      if (!(ratio < best || (ratio == best && row[i] == n))) continue;
      best = ratio;
      r = i;
    }
    if (r < 0) return -pivots;
  }
  return -3 * n - 4;
}

/* Whether λ >= 0 is a solution with an error of at most accepted, and y at most borne. */
static inline int solved(int32_t m, const perp_matrix *M, const double *q, double accepted,
                         double borne, const double *lambda) {
  double y[TINY_MOST];
  const int32_t n = M->rows;
  int wrong = 0;
  small_copy(m, n, q, 0, y);
  for (int32_t j = 0; j < n; j++) {
    const double *column = M->values + (size_t)M->ld * (size_t)j, x = lambda[j];
    if (x == 0) continue;
    for (int32_t i = 0; i < n; i++) y[i] += column[i] * x;
  }
  for (int32_t i = 0; i < n; i++)
    wrong |= !((y[i] >= -accepted) & (y[i] <= (lambda[i] == 0 ? borne : accepted)));
  return !wrong;
}

static inline int run(int32_t m, const perp_matrix *M, const double *q, double tol, double *lambda,
                      int32_t *iterations) {
  double largest = 0;
  for (int32_t i = 0; i < M->rows; i++) largest = fabs(q[i]) > largest ? fabs(q[i]) : largest;
  if (tiny_is_denormal(largest)) return TINY_FAILED;
  const double accepted = tol * largest, borne = tiny_borne(M->rows, largest);
  int32_t pivots = exchange(m, M, q, 0.25 * accepted, lambda);
  *iterations += pivots < 0 ? -pivots - 1 : pivots;
  if (pivots >= 0 && solved(m, M, q, accepted, borne, lambda)) return PERP_OK;
  pivots = follow(m, M, q, lambda);
  *iterations += pivots < 0 ? -pivots : pivots;
  return pivots >= 0 && solved(m, M, q, accepted, borne, lambda) ? PERP_OK : TINY_FAILED;
}

static int run_2(const perp_matrix *M, const double *q, double tol, double *lambda, int32_t *it) {
  return run(2, M, q, tol, lambda, it);
}

static int run_4(const perp_matrix *M, const double *q, double tol, double *lambda, int32_t *it) {
  return run(4, M, q, tol, lambda, it);
}

static int run_8(const perp_matrix *M, const double *q, double tol, double *lambda, int32_t *it) {
  return run(8, M, q, tol, lambda, it);
}

static int run_12(const perp_matrix *M, const double *q, double tol, double *lambda, int32_t *it) {
  return run(12, M, q, tol, lambda, it);
}

static int run_16(const perp_matrix *M, const double *q, double tol, double *lambda, int32_t *it) {
  return run(16, M, q, tol, lambda, it);
}

int perp_tiny_orthant(const perp_matrix *M, const double *q, double tol, double *lambda,
                      int32_t *iterations) {
  if (M->rows < 1) return PERP_OK;
  if (M->rows <= 2) return run_2(M, q, tol, lambda, iterations);
  if (M->rows <= 4) return run_4(M, q, tol, lambda, iterations);
  if (M->rows <= 8) return run_8(M, q, tol, lambda, iterations);
  return (M->rows <= 12 ? run_12 : run_16)(M, q, tol, lambda, iterations);
}
