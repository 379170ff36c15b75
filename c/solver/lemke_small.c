/* SPDX-License-Identifier: MIT */
/* With z0 as a parameter and principal pivots, as in lemke_path.c, on the table
 *
 *   x = qb + z0 db + T (nonbasic of each pair),   T = M in the beginning,
 *
 * of which only qb, db and the exchanges are kept. The pairs behind n are w = 1 and never block. */
#include "solver/lemke_small.h"

#include <math.h>

#include "base/finite.h"
#include "solver/small_table.h"

enum { EXCHANGES = LEMKE_SMALL + 8, FOUR = 4 };

typedef struct table {
  small_exchange done[EXCHANGES];
  int32_t count; /* exchanges so far */
  double qb[LEMKE_SMALL], db[LEMKE_SMALL];
  double tiny[LEMKE_SMALL];  /* size up to which an entry of db is rounding */
  double basic[LEMKE_SMALL]; /* 1 where z is basic, else 0                */
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
  double ratio[LEMKE_SMALL];
  const int64_t name = LEMKE_SMALL - 1;
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
  double x[LEMKE_SMALL], w[LEMKE_SMALL], other[LEMKE_SMALL];
  double largest = 0, least_w = 0, least_z = 0, changes = 0;
  pair sum[LEMKE_SMALL / 2], total = pair_twice(0);
  const double *m = p->M.values;
  /* Part of z0's first value, of the size of q, up to which the w of basic z are 0 for all that
   * rounding lets us see. */
  const double rounding = N > FOUR ? 0x1p-49 : 0x1p-50;
  small_copy(N, p->n, p->q, 1, w);
  for (int32_t i = 0; i < N; i += 2) {
    pair_store(x + i, pair_multiply(pair_load(t->qb + i), pair_load(t->basic + i)));
    sum[i / 2] = pair_load(w + i);
  }
  for (int32_t j = 0; j < N && j < p->n; j++, m += p->M.ld) {
    double a[LEMKE_SMALL];
    pair by = pair_twice(x[j]);
    const double *column = m;
    if (p->n != N) {
      small_copy(N, p->n, m, 0, a);
      column = a;
    }
    for (int32_t i = 0; i < N; i += 2)
      sum[i / 2] = pair_add(sum[i / 2], pair_multiply(pair_load(column + i), by));
  }
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
  return solve(LEMKE_SMALL, problem, d, limit, z);
}
