/* SPDX-License-Identifier: MIT */
/* Pivots on tables of a few rows. To exchange row r with column c of a table, each other column a
 * of it becomes
 *
 *   a := a + c w off row r,   a_r := w,   w = -a_r / c_r,
 *
 * and column c itself (c off row r, 1 in it) / c_r. So a column of the table is found from the
 * exchanges so far and what it was in the beginning; for a few unknowns that is less work than a
 * factor, and than to keep all columns up to date. The number of rows is rounded up to an even N, a
 * constant where loops shall unroll. */
#ifndef PERP_SOLVER_SMALL_TABLE_H
#define PERP_SOLVER_SMALL_TABLE_H

#include <stdint.h>

#include "base/pair.h"

enum { SMALL_MOST = 16 };

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

#endif
