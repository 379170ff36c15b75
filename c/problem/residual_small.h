/* SPDX-License-Identifier: MIT */
/* What the judges of a few unknowns share: one pass over M and what both tests are measured by, two
 * rows or columns at a time, in registers where n is a constant. */
#ifndef PERP_PROBLEM_RESIDUAL_SMALL_H
#define PERP_PROBLEM_RESIDUAL_SMALL_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "problem/residual_few.h"
#include "problem/residual_lcp.h"

/* Where n is a constant all of it is to stay in registers, whatever the compiler thinks of size. */
#if defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define UNROLLED static inline __attribute__((always_inline))
#else
#define UNROLLED static inline
#endif

enum { PAIRS = RESIDUAL_FEW / 2 };

/* What one pass over M gives, as in judge, and the squares of the norms. */
typedef struct small_sums {
  pair y[PAIRS], rows[PAIRS], squares[PAIRS], q[PAIRS];
} small_sums;

/* Entries i and i + 1 of n, 0 behind the end. */
static inline pair two_of(int32_t n, const double *x, int32_t i) {
  return i + 1 < n ? pair_load(x + i) : pair_of(x[i], 0);
}

/* The sum of the squares of each of two columns, the even rows first. */
static inline pair sum_each(pair a, pair b) {
  return pair_add(pair_of(pair_first(a), pair_first(b)), pair_of(pair_second(a), pair_second(b)));
}

UNROLLED void small_dense(int32_t n, const perp_problem *p, const double *lambda, small_sums *out) {
  const double *A = p->M.values;
  pair square[RESIDUAL_FEW];
  for (int32_t i = 0; i < n; i += 2) {
    out->y[i / 2] = two_of(n, p->q, i);
    out->rows[i / 2] = out->q[i / 2] = pair_absolute(out->y[i / 2]);
  }
  for (int32_t j = 0; j < n; j++, A += p->M.ld) {
    const pair x = pair_twice(lambda[j]);
    for (int32_t i = 0; i < n; i += 2) {
      const pair a = two_of(n, A, i), u = pair_multiply(a, x), aa = pair_multiply(a, a);
      out->y[i / 2] = pair_add(out->y[i / 2], u);
      out->rows[i / 2] = pair_add(out->rows[i / 2], pair_absolute(u));
      square[j] = i == 0 ? aa : pair_add(square[j], aa);
    }
  }
  for (int32_t j = 0; j < n; j += 2)
    out->squares[j / 2] = sum_each(square[j], square[j + 1 < n ? j + 1 : j]);
}

/* The law block of unknown i. */
static inline int32_t block_of(const perp_problem *p, int32_t i) {
  int32_t b = 0;
  for (int32_t end = 0; b < p->n_blocks; b++) {
    end = problem_block_end(p, b, end);
    if (i < end) return b;
  }
  return -1;
}

/* What both tests are measured by. Comparisons may drop a NaN; the sum of all rows does not, which
 * every entry of M, q and lambda is part of. sound: nothing is special about the numbers. */
typedef struct small_size {
  double scale, hat;
  int sound;
} small_size;

/* all: the sum of the rows. */
static inline int numbers_are_sound(int32_t n, const small_size *s, double all) {
  return all <= DBL_MAX && !(s->scale > 0 && s->scale < RESIDUAL_TINY) &&
         !residual_is_coarse(n, s->scale, s->hat);
}

UNROLLED small_size size_of(int32_t n, const small_sums *sums) {
  const pair *square = sums->squares;
  pair least = square[0], most = least, all = sums->rows[0], rows = all, q = sums->q[0];
  for (int32_t k = 1; 2 * k < n; k++) {
    least = pair_minimum(square[k], least);
    most = pair_maximum(square[k], most);
    rows = pair_maximum(sums->rows[k], rows);
    all = pair_add(all, sums->rows[k]);
    q = pair_maximum(sums->q[k], q);
  }
  small_size s = {pair_most(rows), pair_most(q), 0};
  s.sound = pair_least(least) >= 0x1p-970 && pair_most(most) <= 0x1p1000 &&
            numbers_are_sound(n, &s, pair_first(all) + pair_second(all));
  return s;
}

UNROLLED void write_y(int32_t n, const small_sums *sums, double *y) {
  for (int32_t i = 0; i + 1 < n; i += 2) pair_store(y + i, sums->y[i / 2]);
  if (n % 2 == 1) y[n - 1] = pair_first(sums->y[n / 2]);
}

/* For laws of one set. */
UNROLLED void write_answer(const perp_problem *p, const small_size *size, int32_t set,
                           residual_maximum most, double rounding, perp_residual *out) {
  out->struct_size = (uint32_t)sizeof *out;
  out->worst = most.at;
  out->worst_block = block_of(p, most.at);
  out->reserved = 0;
  out->residual = most.r;
  out->relative = residual_ratio(most.r, size->scale);
  out->scale = size->scale;
  out->hat = size->hat;
  out->rounding = rounding;
  out->natural_error = out->componentwise = out->creep = 0;
  memset(out->violation, 0, sizeof out->violation);
  out->violation[set] = most.r;
}

#endif
