/* SPDX-License-Identifier: MIT */
/* With z0 as a parameter and principal pivots, as in lemke_path.c, on the whole table
 *
 *   x = qb + z0 db + A (nonbasic of each pair),
 *
 * which for up to four unknowns is little work, and soonest ready for the next pivot. The pairs
 * behind n are w = z + 1 and never block. Once z0 is 0, the entries of A on the basic z are
 * M_BB^-1, which gives the step of refinement. */
#include "solver/lemke_table.h"

#include <math.h>

#include "base/finite.h"
#include "base/pair.h"

/* Part of z0's first value up to which the w of basic z are 0 for all that rounding lets us see. */
static const double rounding = 0x1p-50;

typedef struct table {
  double T[LEMKE_TABLE * (LEMKE_TABLE + 2)]; /* columns of A, then qb, then db */
  double tiny[LEMKE_TABLE];                  /* size up to which an entry of db is rounding */
  double d[LEMKE_TABLE];
  double basic[LEMKE_TABLE];   /* 1 where z is basic, else 0 */
  double inverse[LEMKE_TABLE]; /* of the diagonal of A, ready before it is known which counts */
} table;

/* Read from LEMKE_TABLE - 1 - r on, these are the r-th unit vector, and ones but for entry r. Sums
 * with them instead of stores to single entries: a vector that was stored in parts is slow to read
 * again. */
static const double unit_vector[2 * LEMKE_TABLE - 1] = {[LEMKE_TABLE - 1] = 1};
static const double all_but_one[2 * LEMKE_TABLE - 1] = {1, 1, 1, 0, 1, 1, 1};

/* Problems of N unknowns and covering vector of ones: without stores of single entries. */
static inline void load_full(table *t, int32_t N, const perp_problem *p) {
  const double *m = p->M.values;
  for (int32_t j = 0; j < N; j++, m += p->M.ld)
    for (int32_t i = 0; i < N; i += 2) pair_store(t->T + i + N * j, pair_load(m + i));
  for (int32_t i = 0; i < N; i += 2) {
    pair_store(t->T + i + N * N, pair_load(p->q + i));
    pair_store(t->T + i + N * (N + 1), pair_twice(1));
    pair_store(t->tiny + i, pair_twice(0x1p-44));
    pair_store(t->d + i, pair_twice(1));
    pair_store(t->basic + i, pair_twice(0));
  }
}

static inline void load(table *t, int32_t N, const perp_problem *p, const double *d) {
  int32_t n = p->n;
  const double *m = p->M.values;
  for (int32_t j = 0; j < N; j++) {
    double *a = t->T + N * j;
    for (int32_t i = 0; i < N; i++) a[i] = i < n && j < n ? m[i] : i == j ? 1 : 0;
    if (j + 1 < n) m += p->M.ld;
  }
  for (int32_t i = 0; i < N; i++) {
    t->T[i + N * N] = i < n ? p->q[i] : 1;
    t->d[i] = i >= n ? 0 : d == NULL ? 1 : d[i];
    t->T[i + N * (N + 1)] = t->d[i];
    t->tiny[i] = 0x1p-44 * t->d[i];
    t->basic[i] = 0;
  }
}

/* Exchange pair r; 0 if the pivot is not well off 0. */
static inline int exchange(table *t, int32_t N, int32_t r, double diagonal) {
  const double *unit = unit_vector + LEMKE_TABLE - 1 - r;
  const double *keep = all_but_one + LEMKE_TABLE - 1 - r;
  double *pivots = t->T + N * r, column[LEMKE_TABLE], pivot = pivots[r];
  double inverse = t->inverse[r];
  double leaves = t->basic[r], size = leaves > 0 ? inverse : pivot;
  if (!(size > 0x1p-20 * fabs(diagonal))) return 0;
  double slope = fabs(t->T[r + N * (N + 1)] * inverse);
  double tiny = 0x1p-44 * (leaves > 0 ? t->d[r] : slope);
  for (int32_t i = 0; i < N; i += 2) {
    pair one = pair_load(unit + i), others = pair_load(keep + i);
    pair c = pair_add(pair_multiply(pair_load(pivots + i), others), one);
    pair floor = pair_multiply(pair_load(t->tiny + i), others);
    pair_store(column + i, c);
    pair_store(t->tiny + i, pair_add(floor, pair_multiply(one, pair_twice(tiny))));
    pair_store(t->basic + i, pair_absolute(pair_subtract(pair_load(t->basic + i), one)));
  }
  for (int32_t j = 0; j < N + 2; j++) {
    double *a = t->T + N * j;
    pair w = pair_twice(-a[r] * inverse);
    for (int32_t i = 0; i < N; i += 2) {
      pair kept = pair_multiply(pair_load(a + i), pair_load(keep + i));
      pair_store(a + i, pair_add(kept, pair_multiply(pair_load(column + i), w)));
    }
  }
  for (int32_t i = 0; i < N; i += 2)
    pair_store(pivots + i, pair_multiply(pair_load(column + i), pair_twice(inverse)));
  return 1;
}

/* The pair that blocks first as z0 falls, and that z0 (0: none does); -1 if there are two. Ratios
 * are compared by their bits, of which the last two are used to name the pair. */
static inline int32_t blocking(table *t, int32_t N, double *z0) {
  const double *qb = t->T + N * N, *db = qb + N;
  double ratio[LEMKE_TABLE];
  int64_t best = 0, second = 0;
  for (int32_t i = 0; i < N; i += 2) {
    pair slope = pair_load(db + i), minus = pair_subtract(pair_twice(-0.0), pair_load(qb + i));
    pair value = pair_divide(minus, slope);
    pair diagonal = pair_of(t->T[i + N * i], t->T[i + 1 + N * (i + 1)]);
    pair_store(ratio + i, pair_where_greater(slope, pair_load(t->tiny + i), value));
    pair_store(t->inverse + i, pair_divide(pair_twice(1), diagonal));
  }
  for (int32_t i = 0; i < N; i++) {
    int64_t key = ((int64_t)bits_of(ratio[i]) & -4) | i;
    int64_t low = key < best ? key : best;
    best = key > best ? key : best;
    second = low > second ? low : second;
  }
  *z0 = double_of((uint64_t)best & ~UINT64_C(3));
  return double_of((uint64_t)second & ~UINT64_C(3)) >= (1 - 0x1p-35) * *z0 ? -1
                                                                           : (int32_t)(best & 3);
}

/* x += A b of columns with stride ld. */
static inline void multiply_add(int32_t N, const double *A, size_t ld, const double *b, pair *x) {
  for (int32_t j = 0; j < N; j++, A += ld)
    for (int32_t i = 0; i < N; i += 2)
      x[i / 2] = pair_add(x[i / 2], pair_multiply(pair_load(A + i), pair_twice(b[j])));
}

/* w := M z + q of the first n, 1 behind them. */
static inline void image(int32_t N, const perp_problem *p, const double *z, pair *w) {
  double v[LEMKE_TABLE] = {0};
  const int32_t n = p->n < N ? p->n : N;
  const double *m = p->M.values, *q = p->q;
  if (n == N) {
    for (int32_t i = 0; i < N; i += 2) w[i / 2] = pair_load(q + i);
    multiply_add(N, m, (size_t)p->M.ld, z, w);
    return;
  }
  for (int32_t i = 0; i < N; i++) v[i] = i < n ? q[i] : 1;
  for (int32_t j = 0; j < n; j++, m += p->M.ld)
    for (int32_t i = 0; i < n; i++) v[i] += m[i] * z[j];
  for (int32_t i = 0; i < N; i += 2) w[i / 2] = pair_load(v + i);
}

/* x -= A rest in the basic z; the sum of the changes, which keeps a NaN. */
static inline double correct(const table *t, int32_t N, const double *rest, double *x) {
  pair change[LEMKE_TABLE / 2], changes = pair_twice(0);
  for (int32_t i = 0; i < N; i += 2) change[i / 2] = pair_twice(0);
  multiply_add(N, t->T, (size_t)N, rest, change);
  for (int32_t i = 0; i < N; i += 2) {
    pair step = pair_multiply(change[i / 2], pair_load(t->basic + i));
    pair_store(x + i, pair_subtract(pair_load(x + i), step));
    changes = pair_add(changes, pair_absolute(step));
  }
  return pair_first(changes) + pair_second(changes);
}

/* z := qb of the basic z after a step of refinement; whether that is a solution beyond doubt. */
static inline int refine(const table *t, int32_t N, const perp_problem *p, double size, double *z) {
  double x[LEMKE_TABLE] = {0}, rest[LEMKE_TABLE] = {0}, other[LEMKE_TABLE] = {0};
  double changes = 0, largest = 0, least_w = 0, least_z = 0;
  pair w[LEMKE_TABLE / 2], total = pair_twice(0);
  for (int32_t i = 0; i < N; i += 2)
    pair_store(x + i, pair_multiply(pair_load(t->T + i + N * N), pair_load(t->basic + i)));
  image(N, p, x, w);
  for (int32_t i = 0; i < N; i += 2) {
    pair in = pair_multiply(w[i / 2], pair_load(t->basic + i));
    pair_store(rest + i, in);
    pair_store(other + i, pair_subtract(w[i / 2], in));
    total = pair_add(total, pair_absolute(in));
  }
  if (!(pair_first(total) + pair_second(total) <= rounding * size))
    changes = correct(t, N, rest, x);
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
  int32_t pivots = 0;
  if (p->n == N && d == NULL)
    load_full(&t, N, p);
  else
    load(&t, N, p, d);
  int32_t r = blocking(&t, N, &first);
  if (!(first > 0)) return -1;
  for (z0 = first; z0 > 0x1p-40 * first; pivots++) {
    if (r < 0 || pivots + 1 >= limit) return -1;
    if (!exchange(&t, N, r, p->M.values[(size_t)r + (size_t)p->M.ld * (size_t)r])) return -1;
    r = blocking(&t, N, &z0);
  }
  return refine(&t, N, p, first, z) ? pivots + 1 : -1; /* z0 enters, too */
}

int32_t perp_lemke_table(const perp_problem *problem, const double *d, int32_t limit, double *z) {
  return solve(LEMKE_TABLE, problem, d, limit, z);
}
