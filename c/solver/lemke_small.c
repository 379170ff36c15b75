/* SPDX-License-Identifier: MIT */
/* With z0 as a parameter and principal pivots, as in lemke_path.c, on the whole table
 *
 *   x = qb + z0 db + A (nonbasic of each pair),
 *
 * which for a few unknowns is less work than a factor that grows. n is rounded up to a constant N
 * so that loops unroll; the pairs behind n are w = z + 1 and never block. Once z0 is 0, the entries
 * of A on the basic z are M_BB^-1, which gives the step of refinement. */
#include "solver/lemke_small.h"

#include <math.h>

#include "base/finite.h"
#include "base/pair.h"

/* Columns 0 ... N - 1 of T are A, then qb, then db. */
typedef struct table {
  double T[LEMKE_SMALL * (LEMKE_SMALL + 2)];
  double tiny[LEMKE_SMALL]; /* size up to which an entry of db is rounding */
  double d[LEMKE_SMALL];
  double basic[LEMKE_SMALL]; /* 1 where z is basic, else 0 */
} table;

/* Read from LEMKE_SMALL - 1 - r on, these are the r-th unit vector, and ones but for entry r. Sums
 * with them instead of stores to single entries: a vector that was stored in parts is slow to read
 * again. */
static const double unit_vector[2 * LEMKE_SMALL - 1] = {[LEMKE_SMALL - 1] = 1};
static const double all_but_one[2 * LEMKE_SMALL - 1] = {1, 1, 1, 1, 1, 1, 1, 0,
                                                        1, 1, 1, 1, 1, 1, 1};

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
  const double *unit = unit_vector + LEMKE_SMALL - 1 - r;
  const double *keep = all_but_one + LEMKE_SMALL - 1 - r;
  double *pivots = t->T + N * r, column[LEMKE_SMALL], pivot = pivots[r], inverse = 1 / pivot;
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
 * are compared by their bits, of which the last three are used to name the pair. */
static inline int32_t blocking(const table *t, int32_t N, double *z0) {
  const double *qb = t->T + N * N, *db = qb + N;
  double ratio[LEMKE_SMALL];
  int64_t best = 0, second = 0;
  for (int32_t i = 0; i < N; i += 2) {
    pair slope = pair_load(db + i), minus = pair_subtract(pair_twice(-0.0), pair_load(qb + i));
    pair value = pair_divide(minus, slope);
    pair_store(ratio + i, pair_where_greater(slope, pair_load(t->tiny + i), value));
  }
  for (int32_t i = 0; i < N; i++) {
    int64_t key = ((int64_t)bits_of(ratio[i]) & -8) | i;
    int64_t low = key < best ? key : best;
    best = key > best ? key : best;
    second = low > second ? low : second;
  }
  *z0 = double_of((uint64_t)best & ~UINT64_C(7));
  return double_of((uint64_t)second & ~UINT64_C(7)) >= (1 - 0x1p-35) * *z0 ? -1
                                                                           : (int32_t)(best & 7);
}

/* x += A b of columns with stride ld. */
static inline void multiply_add(int32_t N, const double *A, size_t ld, const double *b, pair *x) {
  for (int32_t j = 0; j < N; j++, A += ld)
    for (int32_t i = 0; i < N; i += 2)
      x[i / 2] = pair_add(x[i / 2], pair_multiply(pair_load(A + i), pair_twice(b[j])));
}

/* w := M z + q of the first n, 1 behind them. */
static inline void image(int32_t N, const perp_problem *p, const double *z, pair *w) {
  double v[LEMKE_SMALL];
  int32_t n = p->n;
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

/* z := qb of the basic z after a step of refinement; whether that is a solution beyond doubt. */
static inline int refine(const table *t, int32_t N, const perp_problem *p, double size, double *z) {
  double x[LEMKE_SMALL], rest[LEMKE_SMALL], other[LEMKE_SMALL];
  double changes = 0, largest = 0, least_w = 0, least_z = 0;
  pair w[LEMKE_SMALL / 2], change[LEMKE_SMALL / 2];
  for (int32_t i = 0; i < N; i += 2)
    pair_store(x + i, pair_multiply(pair_load(t->T + i + N * N), pair_load(t->basic + i)));
  image(N, p, x, w);
  for (int32_t i = 0; i < N; i += 2) {
    pair in = pair_multiply(w[i / 2], pair_load(t->basic + i));
    pair_store(rest + i, in);
    pair_store(other + i, pair_subtract(w[i / 2], in));
    change[i / 2] = pair_twice(0);
  }
  multiply_add(N, t->T, (size_t)N, rest, change);
  for (int32_t i = 0; i < N; i += 2) {
    pair step = pair_multiply(change[i / 2], pair_load(t->basic + i));
    pair_store(x + i, pair_subtract(pair_load(x + i), step));
    step = pair_absolute(step);
    changes += pair_first(step) + pair_second(step); /* a sum keeps a NaN */
  }
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
  if (p->n == N && d == NULL)
    load_full(&t, N, p);
  else
    load(&t, N, p, d);
  int32_t r = blocking(&t, N, &first);
  if (!(first > 0)) return -1;
  for (z0 = first; z0 > 0x1p-40 * first; pivots++) {
    if (r < 0 || pivots >= limit) return -1;
    if (!exchange(&t, N, r, p->M.values[(size_t)r + (size_t)p->M.ld * (size_t)r])) return -1;
    r = blocking(&t, N, &z0);
  }
  return refine(&t, N, p, first, z) ? pivots : -1;
}

int32_t perp_lemke_small(const perp_problem *problem, const double *d, int32_t limit, double *z) {
  if (problem->n <= 4) return solve(4, problem, d, limit, z);
  return solve(LEMKE_SMALL, problem, d, limit, z);
}
