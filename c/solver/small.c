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

/* ---- Lemke's method ----
 *
 * With z0 as a parameter and principal pivots, as in lemke_path.c, on the table
 *
 *   x = qb + z0 db + T (nonbasic of each pair),   T = M in the beginning,
 *
 * of which only qb, db and the exchanges are kept. The pairs behind n are w = 1 and never block. */

enum { EXCHANGES = SMALL_MOST + 8, FOUR = 4 };

typedef struct table {
  small_exchange done[EXCHANGES];
  int32_t count; /* exchanges so far */
  double qb[SMALL_MOST], db[SMALL_MOST];
  double tiny[SMALL_MOST];  /* size up to which an entry of db is rounding */
  double basic[SMALL_MOST]; /* 1 where z is basic, else 0                */
} table;

static inline void open_table(table *t, int32_t N, const perp_problem *p, const double *d) {
  t->count = 0;
  small_copy(N, p->n, p->q, 1, t->qb);
  for (int32_t i = 0; i < N; i += 2) {
    pair_store(t->db + i, pair_twice(1));
    pair_store(t->basic + i, pair_twice(0));
  }
  if (d != NULL || p->n < N)
    for (int32_t i = 0; i < N; i++) t->db[i] = i >= p->n ? 0 : d == NULL ? 1 : d[i];
  for (int32_t i = 0; i < N; i += 2)
    pair_store(t->tiny + i, pair_multiply(pair_load(t->db + i), pair_twice(0x1p-44)));
}

/* a := column r of T, anew from M where z_r has left again; up to FOUR unknowns from that exchange,
 * to the bits that these have had so far. */
static inline void load_column(const table *t, int32_t N, const perp_problem *p, int32_t r,
                               double *a) {
  int32_t last = N <= FOUR || t->basic[r] > 0 ? small_last(t->done, t->count, r) : -1;
  const double *start = p->M.values + (size_t)p->M.ld * (size_t)r;
  small_column(N, p->n, start, t->done, last, t->count, a);
}

/* Exchange pair r; 0 if the pivot is not well off 0. */
static inline int exchange(table *t, int32_t N, const perp_problem *p, int32_t r, double d) {
  if (t->count == EXCHANGES) return 0;
  small_exchange *x = t->done + t->count;
  load_column(t, N, p, r, x->c);
  /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): all N are written, pair by pair */
  double pivot = x->c[r], inverse = 1 / pivot, leaves = t->basic[r];
  double diagonal = p->M.values[(size_t)r + (size_t)p->M.ld * (size_t)r];
  if (!((leaves > 0 ? inverse : pivot) > 0x1p-20 * fabs(diagonal))) return 0;
  t->tiny[r] = 0x1p-44 * (leaves > 0 ? d : fabs(t->db[r] * inverse));
  t->basic[r] = 1 - leaves;
  small_make(N, r, r, inverse, x);
  t->count++;
  small_apply(N, x, t->qb);
  small_apply(N, x, t->db);
  return 1;
}

/* The pair that blocks first as z0 falls, and that z0 (0: none does); -1 if there are two. Ratios
 * are compared by their bits, the last of which name the pair. */
static inline int32_t blocking(const table *t, int32_t N, double *z0) {
  double ratio[SMALL_MOST];
  const int64_t name = SMALL_MOST - 1;
  int64_t best = 0, second = 0;
  for (int32_t i = 0; i < N; i += 2) {
    pair slope = pair_load(t->db + i);
    pair value = pair_divide(pair_subtract(pair_twice(-0.0), pair_load(t->qb + i)), slope);
    pair_store(ratio + i, pair_where_greater(slope, pair_load(t->tiny + i), value));
  }
  for (int32_t i = 0; i < N; i++) {
    int64_t key = ((int64_t)bits_of(ratio[i]) & ~name) | i;
    int64_t low = key < best ? key : best;
    best = key > best ? key : best;
    second = low > second ? low : second;
  }
  *z0 = double_of((uint64_t)(best & ~name));
  double next = double_of((uint64_t)(second & ~name));
  return next >= (1 - 0x1p-35) * *z0 ? -1 : (int32_t)(best & name);
}

/* x -= M_BB^-1 w_B, with 0 in w elsewhere; the sum of the changes, which keeps a NaN. By the
 * exchanges, but by columns of T up to FOUR unknowns: the bits that these have had so far. */
static inline double correct(const table *t, int32_t N, const perp_problem *p, double *w,
                             double *x) {
  pair changes = pair_twice(0);
  double sum[FOUR] = {0}, *minus = N > FOUR ? w : sum;
  for (int32_t e = 0; N > FOUR && e < t->count; e++) small_apply(N, t->done + e, w);
  for (int32_t j = 0; N <= FOUR && j < N; j++) {
    double a[FOUR];
    if (!(t->basic[j] > 0)) continue;
    load_column(t, N, p, j, a);
    for (int32_t i = 0; i < N; i++) sum[i] -= a[i] * w[j];
  }
  for (int32_t i = 0; i < N; i += 2) {
    pair step = pair_multiply(pair_load(minus + i), pair_load(t->basic + i));
    pair_store(x + i, pair_add(pair_load(x + i), step));
    changes = pair_add(changes, pair_absolute(step));
  }
  return pair_first(changes) + pair_second(changes);
}

/* z := qb of the basic z after a step of refinement; whether that is a solution beyond doubt. */
static inline int refine(const table *t, int32_t N, const perp_problem *p, double size, double *z) {
  double x[SMALL_MOST], w[SMALL_MOST], other[SMALL_MOST];
  double largest = 0, least_w = 0, least_z = 0, changes = 0;
  pair sum[SMALL_MOST / 2], total = pair_twice(0);
  /* Part of z0's first value, of the size of q, up to which the w of basic z are 0 for all that
   * rounding lets us see. */
  const double rounding = N > FOUR ? 0x1p-49 : 0x1p-50;
  small_copy(N, p->n, p->q, 1, w);
  for (int32_t i = 0; i < N; i += 2) {
    pair_store(x + i, pair_multiply(pair_load(t->qb + i), pair_load(t->basic + i)));
    sum[i / 2] = pair_load(w + i);
  }
  add_product(N, p->n, p->M.values, (size_t)p->M.ld, x, sum);
  for (int32_t i = 0; i < N; i += 2) {
    pair in = pair_multiply(sum[i / 2], pair_load(t->basic + i));
    pair_store(other + i, pair_subtract(sum[i / 2], in));
    pair_store(w + i, in);
    total = pair_add(total, pair_absolute(in));
  }
  if (!(pair_first(total) + pair_second(total) <= rounding * size))
    changes = correct(t, N, p, w, x);
  for (int32_t i = 0; i < N; i++) {
    least_w = other[i] < least_w ? other[i] : least_w;
    least_z = x[i] < least_z ? x[i] : least_z;
    largest = x[i] > largest ? x[i] : largest;
    x[i] = x[i] > 0 ? x[i] : 0;
  }
  for (int32_t i = 0; i < p->n; i++) z[i] = x[i];
  return least_w >= -0x1p-40 * size && least_z >= -0x1p-40 * largest &&
         changes <= 0x1p-30 * largest;
}

static inline int32_t solve(int32_t N, const perp_problem *p, const double *d, int32_t limit,
                            double *z) {
  table t;
  double z0, first;
  int32_t pivots = 1;
  open_table(&t, N, p, d);
  int32_t r = blocking(&t, N, &first);
  if (!(first > 0)) return -1;
  for (z0 = first; z0 > 0x1p-40 * first; pivots++) {
    if (r < 0 || pivots >= limit) return -1;
    if (!exchange(&t, N, p, r, d == NULL ? 1 : d[r])) return -1;
    r = blocking(&t, N, &z0);
  }
  return refine(&t, N, p, first, z) ? pivots : -1;
}

int32_t perp_lemke_small(const perp_problem *problem, const double *d, int32_t limit, double *z) {
  if (problem->n <= 2) return solve(2, problem, d, limit, z);
  if (problem->n <= 4) return solve(4, problem, d, limit, z);
  if (problem->n <= 8) return solve(8, problem, d, limit, z);
  return solve(SMALL_MOST, problem, d, limit, z);
}

/* ---- the point of a basis ---- */

#if defined(__OPTIMIZE_SIZE__)
enum { BY_ROWS = 0 };
#else
enum { BY_ROWS = 1 }; /* M by rows is multiplied in registers */
#endif

/* sum (n) += A x, A by rows. */
static inline void add_rows(int32_t n, const double *A, const double *x, pair *sum) {
  for (int32_t i = 0; i < n; i += 2, A += 2 * n)
    for (int32_t j = 0; j < n; j += 2) {
      const pair a = pair_load(A + j), b = pair_load(A + n + j);
      const pair one = pair_of(pair_first(a), pair_first(b));
      const pair next = pair_of(pair_second(a), pair_second(b));
      sum[i / 2] = pair_add(sum[i / 2], pair_multiply(one, pair_twice(x[j])));
      sum[i / 2] = pair_add(sum[i / 2], pair_multiply(next, pair_twice(x[j + 1])));
    }
}

static inline void store(int32_t n, const pair *from, double *to) {
  for (int32_t i = 0; i < n; i += 2) pair_store(to + i, from[i / 2]);
}

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
  const int by_rows = BY_ROWS && matrix_is_by_rows(n, &p->M);
  if (p->M.kind == PERP_DENSE) add_product(n, n, p->M.values, (size_t)p->M.ld, v, image);
  if (by_rows) add_rows(n, p->M.values, v, image);
  store(n, image, w);
  if (p->M.kind != PERP_DENSE && !by_rows) perp_matrix_multiply_add(&p->M, v, w);
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
 * If that does not end within n pivots, Lemke's path from z0 = max(-q) with the same pivot on an
 * n x (n + 1) table. Ties are left to chance, so the number of pivots is limited. The pairs behind
 * n are zeros. */

/* x[count].c := column c of the table, which is M and the one of z0, after so many exchanges. */
static inline void load(int32_t m, const perp_matrix *M, int32_t c, small_exchange *x,
                        int32_t count) {
  static const double ones[SMALL_MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
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
    load(m, M, i, x, pivots);
    if (!(x[pivots].c[i] > DBL_EPSILON * fabs(M->values[(size_t)i * ((size_t)M->ld + 1)])))
      return -pivots - 1;
    pivot(m, i, i, x + pivots, v);
    in[i] = !in[i];
  }
  return -n - 2;
}

/* λ and pivots by Lemke's path. Basic in row i: row[i]; nonbasic in column k: col[k]; z_i is i, w_i
 * is ~i, z0 is n. */
static inline int32_t follow(int32_t m, const perp_matrix *M, const double *q, double *lambda) {
  small_exchange x[3 * SMALL_MOST + 5];
  double v[SMALL_MOST] = {0};
  int32_t row[SMALL_MOST], col[SMALL_MOST + 1];
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
  pivots = follow(m, M, q, lambda);
  *iterations += pivots < 0 ? -pivots : pivots;
  return pivots >= 0 && solved(m, M, q, accepted, borne, lambda) ? PERP_OK : TINY_FAILED;
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
