/* SPDX-License-Identifier: MIT */
/* Complementarity problems of a few unknowns by pivots on a table that is not stored: to exchange
 * row r with column c, each other column a of it becomes
 *
 *   a := a + c w off row r,   a_r := w,   w = -a_r / c_r,
 *
 * and column c itself (c off row r, 1 in it) / c_r. So a column is found from the exchanges so far
 * and what it was in the beginning; for a few unknowns that is less work than a factor, and than to
 * keep all columns up to date. The number of rows is rounded up to an even N, a constant where
 * loops shall unroll, so that no loop over rows has a rest.
 * Source: Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, sections 2.3, 4.2, 4.4. */
#include "solver/small.h"

#include <float.h>
#include <math.h>

#include "base/finite.h"
#include "base/pair.h"
#include "linalg/matrix.h"
#include "solver/interval.h"
#include "solver/lemke.h"

typedef struct small_exchange {
  double c[SMALL_MOST]; /* 1 in row r */
  double minus;         /* -1 / c_r   */
  int32_t row, column;
} small_exchange;

/* Read from SMALL_MOST - 1 - r on, these are the r-th unit vector, and ones but for entry r. Sums
 * with them instead of stores to single entries: a vector that was stored in parts is slow to read
 * again. */
static const double small_unit[2 * SMALL_MOST - 1] = {[SMALL_MOST - 1] = 1};
static const double small_others[2 * SMALL_MOST - 1] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* a (N) := x (n), and fill behind it. */
static inline void small_copy(int32_t N, int32_t n, const double *x, double fill, double *a) {
  if (n == N)
    for (int32_t i = 0; i < N; i += 2) pair_store(a + i, pair_load(x + i));
  else
    for (int32_t i = 0; i < N; i++) a[i] = i < n ? x[i] : fill;
}

/* x := the exchange of row r and column c, which is in x->c; inverse: of its entry r. */
static inline void small_make(int32_t N, int32_t r, int32_t c, double inverse, small_exchange *x) {
  const double *one = small_unit + SMALL_MOST - 1 - r, *others = small_others + SMALL_MOST - 1 - r;
  x->minus = -inverse;
  x->row = r;
  x->column = c;
  for (int32_t i = 0; i < N; i += 2) {
    pair kept = pair_multiply(pair_load(x->c + i), pair_load(others + i));
    pair_store(x->c + i, pair_add(kept, pair_load(one + i)));
  }
}

/* a := a + c w off row r, w in it. */
static inline void small_move(int32_t N, const small_exchange *x, double w, double *a) {
  const double *others = small_others + SMALL_MOST - 1 - x->row;
  for (int32_t i = 0; i < N; i += 2) {
    pair kept = pair_multiply(pair_load(a + i), pair_load(others + i));
    pair_store(a + i, pair_add(kept, pair_multiply(pair_load(x->c + i), pair_twice(w))));
  }
}

/* a := the same column of the table after the exchange. */
static inline void small_apply(int32_t N, const small_exchange *x, double *a) {
  small_move(N, x, a[x->row] * x->minus, a);
}

/* The last of so many exchanges that made column c; -1: none did. */
static inline int32_t small_last(const small_exchange *x, int32_t count, int32_t c) {
  while (count-- > 0 && x[count].column != c) {
  }
  return count;
}

/* a := a column after so many exchanges, made by the last, or start (n) if that is -1. */
static inline void small_column(int32_t N, int32_t n, const double *start, const small_exchange *x,
                                int32_t last, int32_t count, double *a) {
  if (last < 0)
    small_copy(N, n, start, 0, a);
  else
    for (int32_t i = 0; i < N; i += 2)
      pair_store(a + i, pair_multiply(pair_load(x[last].c + i), pair_twice(-x[last].minus)));
  for (int32_t e = last + 1; e < count; e++) small_apply(N, x + e, a);
}

/* sum (N) += A x, A n x n, column by column; the rows behind n are zeros. */
static inline void add_product(int32_t N, int32_t n, const double *A, size_t ld, const double *x,
                               pair *sum) {
  for (int32_t j = 0; j < N && j < n; j++, A += ld) {
    double filled[SMALL_MOST];
    const double *a = n == N ? A : filled;
    if (n != N) small_copy(N, n, A, 0, filled);
    for (int32_t i = 0; i < N; i += 2)
      sum[i / 2] = pair_add(sum[i / 2], pair_multiply(pair_load(a + i), pair_twice(x[j])));
  }
}

static inline void store(int32_t n, const pair *from, double *to) {
  for (int32_t i = 0; i < n; i += 2) pair_store(to + i, from[i / 2]);
}

/* ---- pivots on the table of M and, its last column, d of z0 ---- */

static const double ones[SMALL_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* x[count].c := column c of the table after so many exchanges. */
static inline void load(int32_t m, const perp_matrix *M, const double *d, int32_t c,
                        small_exchange *x, int32_t count) {
  const double *start = c == M->rows ? d : M->values + (size_t)M->ld * (size_t)c;
  small_column(m, M->rows, start, x, small_last(x, count, c), count, x[count].c);
}

/* v := v moved along the column in x to where v_r is 0; x := the exchange of that column. */
static inline void pivot(int32_t m, int32_t r, int32_t c, small_exchange *x, double *v) {
  const double delta = -v[r] / x->c[r];
  small_make(m, r, c, 1 / x->c[r], x);
  small_move(m, x, delta, v);
}

/* ---- Lemke's path ----
 *
 * Ties are left to chance, so the number of pivots is limited. */

typedef struct walk {
  small_exchange x[3 * SMALL_MOST + 5];
  int32_t count;           /* of them                                         */
  int32_t row[SMALL_MOST]; /* basic variables: z_i is i, w_i is ~i, z0 is n    */
  int32_t at;              /* row of z0                                       */
  double v[SMALL_MOST];    /* of the basic variables                          */
  double first;            /* z0 in the beginning                             */
} walk;

/* The row that blocks column a first as its variable grows, that of z0 if it is one of them up to
 * rounding; -1: none does. */
static inline int32_t blocking(int32_t m, const walk *l, const double *a) {
  const double noise = 0x1p-40 * l->first, z0 = l->v[l->at] > noise ? l->v[l->at] : 0;
  double best = INFINITY;
  int32_t r = -1;
  for (int32_t i = 0; i < m; i++) {
    if (!(a[i] < -1e-12)) continue;
    const double ratio = (l->v[i] > noise ? l->v[i] : 0) / -a[i];
    if (!(ratio < best)) continue;
    best = ratio;
    r = i;
  }
  return a[l->at] < -1e-12 && z0 <= (1 + 0x1p-35) * best * -a[l->at] ? l->at : r;
}

/* Until z0 has left; 0 if it does not, or not in so many pivots. */
static inline int follow(int32_t m, const perp_matrix *M, const double *q, const double *d,
                         int32_t limit, walk *l) {
  const int32_t n = M->rows, most = 3 * n + 4 < limit ? 3 * n + 4 : limit;
  int32_t column[SMALL_MOST]; /* of what is nonbasic of a pair */
  int32_t r = 0, c = n, enters = n;
  double first = 0;
  small_copy(m, n, q, 0, l->v);
  for (int32_t i = 0; i < m; i++) l->row[i] = ~i;
  for (int32_t i = 0; i < m && i < n; i++) {
    column[i] = i;
    const double ratio = -l->v[i] / d[i];
    r = ratio > first ? i : r;
    first = ratio > first ? ratio : first;
  }
  l->at = r;
  l->first = first;
  l->count = 0;
  load(m, M, d, n, l->x, 0);
  while (l->first > 0 && r >= 0 && l->count < most) {
    pivot(m, r, c, l->x + l->count++, l->v);
    const int32_t leaves = l->row[r], owner = leaves < 0 ? ~leaves : leaves;
    l->row[r] = enters;
    if (leaves == n) return 1;
    const int32_t next = column[owner];
    column[owner] = c;
    c = next;
    enters = ~leaves;
    load(m, M, d, c, l->x, l->count);
    r = blocking(m, l, l->x[l->count].c);
  }
  return 0;
}

/* x += the step that makes the w of its basis 0, which are rest; how large that is beside x. */
static inline double correct(int32_t m, const walk *l, double *rest, double *x) {
  double changes = 0, largest = 0;
  for (int32_t e = 0; e < l->count; e++) small_apply(m, l->x + e, rest);
  for (int32_t i = 0; i < m; i++) {
    if (l->row[i] < 0) continue;
    const double now = x[l->row[i]] += rest[i];
    changes += fabs(rest[i]); /* a sum keeps a NaN */
    largest = now > largest ? now : largest;
  }
  return changes / largest;
}

/* rest := the w of its basis at z = x; the sum of their sizes, and the least of the others. */
static inline double remainder_at(int32_t m, const perp_problem *p, const walk *l, const double *x,
                                  double *rest, double *least) {
  double w[SMALL_MOST], total = 0;
  pair sum[SMALL_MOST / 2];
  small_copy(m, p->n, p->q, 0, w);
  for (int32_t i = 0; i < m; i += 2) {
    sum[i / 2] = pair_load(w + i);
    pair_store(rest + i, pair_twice(0));
  }
  add_product(m, p->n, p->M.values, (size_t)p->M.ld, x, sum);
  store(m, sum, w);
  *least = 0;
  for (int32_t i = 0; i < m; i++) {
    const int32_t j = l->row[i];
    if (j >= 0) total += fabs(rest[j] = w[j]);
    if (j < 0) *least = w[~j] < *least ? w[~j] : *least;
  }
  return total;
}

/* z := the end after refinement; whether that is a solution beyond doubt. */
static inline int refine(int32_t m, const perp_problem *p, const walk *l, double *z) {
  double x[SMALL_MOST], rest[SMALL_MOST], largest = 0, least_z = 0, least_w, change = 1;
  for (int32_t i = 0; i < m; i++) x[i] = 0;
  for (int32_t i = 0; i < m; i++)
    if (l->row[i] >= 0) x[l->row[i]] = l->v[i];
  for (int32_t left = 3; !(change <= 0x1p-30); left--) {
    const double total = remainder_at(m, p, l, x, rest, &least_w);
    if (left == 0 || !(total <= DBL_MAX)) return 0;
    change = total <= 0x1p-50 * l->first ? 0 : correct(m, l, rest, x);
  }
  for (int32_t i = 0; i < p->n; i++) {
    least_z = x[i] < least_z ? x[i] : least_z;
    largest = x[i] > largest ? x[i] : largest;
    z[i] = x[i] > 0 ? x[i] : 0;
  }
  return least_w >= -0x1p-40 * l->first && least_z >= -0x1p-40 * largest;
}

static inline int32_t solve(int32_t m, const perp_problem *p, const double *d, int32_t limit,
                            double *z) {
  walk l;
  if (!follow(m, &p->M, p->q, d == NULL ? ones : d, limit, &l)) return -1;
  return refine(m, p, &l, z) ? l.count : -1;
}

int32_t perp_lemke_small(const perp_problem *problem, const double *d, int32_t limit, double *z) {
  if (problem->n <= 2) return solve(2, problem, d, limit, z);
  if (problem->n <= 4) return solve(4, problem, d, limit, z);
  if (problem->n <= 8) return solve(8, problem, d, limit, z);
  return solve(SMALL_MOST, problem, d, limit, z);
}

/* ---- the point of a basis ---- */

/* What lcp_basis.c does, to the bit: with zeros in the inverse nothing is gathered. */
static inline int point(int32_t n, const perp_problem *p, const unsigned char *modes,
                        const double *inverse, double *z, double *w) {
  double minus[POINT_MOST], v[POINT_MOST], step[POINT_MOST];
  double largest = 0, least = 0, changes = 0;
  pair at[POINT_MOST / 2], image[POINT_MOST / 2], change[POINT_MOST / 2];
  int doubt = 0;
  for (int32_t i = 0; i < n; i += 2) {
    at[i / 2] = change[i / 2] = pair_twice(0);
    image[i / 2] = pair_load(p->q + i);
    pair_store(minus + i, pair_subtract(pair_twice(-0.0), image[i / 2]));
  }
  add_product(n, n, inverse, (size_t)n, minus, at);
  store(n, at, v);
  if (p->M.kind == PERP_DENSE) add_product(n, n, p->M.values, (size_t)p->M.ld, v, image);
  store(n, image, w);
  if (p->M.kind != PERP_DENSE) perp_matrix_multiply_add(&p->M, v, w);
  add_product(n, n, inverse, (size_t)n, w, change);
  store(n, change, step);
  for (int32_t i = 0; i < n; i++) {
    const double value = v[i] - step[i], size = fabs(value);
    changes += fabs(step[i]); /* a sum keeps a NaN */
    largest = size > largest ? size : largest;
    least = value < least ? value : least;
    z[i] = value < 0 ? 0 : value;
    doubt |= !(w[i] >= 0) & (modes[i] != PERP_MODE_FREE);
  }
  if (!(changes <= 0x1p-20 * largest && least >= -0x1p-40 * largest)) return 0;
  for (int32_t i = 0; doubt && i < n; i++)
    if (!(w[i] >= 0) && modes[i] != PERP_MODE_FREE && !perp_lcp_row_holds(p, i, z, w[i])) return 0;
  return 1;
}

int perp_small_point(const perp_problem *problem, const unsigned char *modes, const double *inverse,
                     double *z, double *w) {
  if (problem->n == 2) return point(2, problem, modes, inverse, z, w);
  if (problem->n == 4) return point(4, problem, modes, inverse, z, w);
  if (problem->n == 6) return point(6, problem, modes, inverse, z, w);
  return point(POINT_MOST, problem, modes, inverse, z, w);
}

/* ---- principal pivots ----
 *
 * v holds z_i on F and w_i elsewhere, T the principal transform of M. Both signs of i are wrong
 * where v_i < 0, so the rule is one minimum, and a pivot is
 *
 *   delta = -v_i / T_ii,   v := v + T_.i delta,   v_i := delta,   T := T pivoted on (i, i).
 *
 * If that does not end within n pivots, Lemke's path. */

/* Last place of the least entry. */
static int32_t least(int32_t n, const double *v) {
  int32_t at = 0;
  for (int32_t i = 1; i < n; i++) at = v[i] <= v[at] ? i : at;
  return at;
}

/* λ by principal pivots; the number of them, negative if they did not find it. */
static inline int32_t principal(int32_t m, const perp_matrix *M, const double *q, double accepted,
                                double *lambda) {
  small_exchange x[SMALL_MOST + 1];
  double v[SMALL_MOST] = {0};
  unsigned char in[SMALL_MOST] = {0};
  const int32_t n = M->rows;
  small_copy(m, n, q, 0, v);
  for (int32_t pivots = 0; pivots <= n; pivots++) {
    const int32_t i = least(n, v);
    if (!(v[i] < -accepted)) {
      for (int32_t j = 0; j < n; j++) lambda[j] = in[j] && v[j] > 0 ? v[j] : 0;
      return pivots;
    }
    load(m, M, ones, i, x, pivots);
    if (!(x[pivots].c[i] > DBL_EPSILON * fabs(M->values[(size_t)i * ((size_t)M->ld + 1)])))
      return -pivots - 1;
    pivot(m, i, i, x + pivots, v);
    in[i] = !in[i];
  }
  return -n - 2;
}

/* Whether λ >= 0 is a solution with an error of at most accepted, and y at most borne. */
static inline int solved(int32_t m, const perp_matrix *M, const double *q, double accepted,
                         double borne, const double *lambda) {
  double y[SMALL_MOST];
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
  const double largest = largest_size(M->rows, q);
  if (tiny_is_denormal(largest)) return TINY_FAILED;
  const double accepted = tol * largest, borne = tiny_borne(M->rows, largest);
  int32_t pivots = principal(m, M, q, 0.25 * accepted, lambda);
  *iterations += pivots < 0 ? -pivots - 1 : pivots;
  if (pivots >= 0 && solved(m, M, q, accepted, borne, lambda)) return PERP_OK;
  walk l;
  const int done = follow(m, M, q, ones, INT32_MAX, &l);
  *iterations += l.count;
  for (int32_t i = 0; i < M->rows; i++) lambda[i] = 0;
  for (int32_t i = 0; done && i < M->rows; i++)
    if (l.row[i] >= 0 && l.v[i] > 0) lambda[l.row[i]] = l.v[i];
  return done && solved(m, M, q, accepted, borne, lambda) ? PERP_OK : TINY_FAILED;
}

int perp_tiny_orthant(const perp_matrix *M, const double *q, double tol, double *lambda,
                      int32_t *iterations) {
  if (M->rows < 1) return PERP_OK;
  if (M->rows <= 2) return run(2, M, q, tol, lambda, iterations);
  if (M->rows <= 4) return run(4, M, q, tol, lambda, iterations);
  if (M->rows <= 8) return run(8, M, q, tol, lambda, iterations);
  if (M->rows <= 12) return run(12, M, q, tol, lambda, iterations);
  return run(16, M, q, tol, lambda, iterations);
}
