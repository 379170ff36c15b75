/* SPDX-License-Identifier: MIT */
#include "problem/residual_few.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "problem/residual_lcp.h"

enum { PAIRS = RESIDUAL_FEW / 2 };

/* What one pass over M gives, two rows or columns at a time, in registers where n is a constant:
 * as in judge, and the squares of the norms. */
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

static inline void small_dense(int32_t n, const perp_problem *p, const double *lambda,
                               small_sums *out) {
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

/* The same of compressed rows. */
static inline void small_sparse(int32_t n, const perp_problem *p, const double *lambda,
                                small_sums *out) {
  const int32_t *start = p->M.start, *index = p->M.index;
  const double *values = p->M.values;
  double y[RESIDUAL_FEW] = {0}, rows[RESIDUAL_FEW] = {0}, squares[RESIDUAL_FEW] = {0};
  for (int32_t i = 0, k = start[0]; i < n; i++) {
    y[i] = p->q[i];
    rows[i] = fabs(y[i]);
    for (; k < start[i + 1]; k++) {
      const double v = values[k], u = v * lambda[index[k]];
      y[i] += u;
      rows[i] += fabs(u);
      squares[index[k]] += v * v;
    }
  }
  for (int32_t i = 0; i < n; i += 2) {
    out->y[i / 2] = pair_load(y + i);
    out->rows[i / 2] = pair_load(rows + i);
    out->q[i / 2] = pair_absolute(two_of(n, p->q, i));
    out->squares[i / 2] = i + 1 < n ? pair_load(squares + i) : pair_twice(squares[i]);
  }
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

/* Judge a problem of orthants alone. 0: it is in some way special, and nothing is said. Comparisons
 * may drop a NaN; a sum of the rows does not, which every entry of M, q and lambda is part of. */
static inline int small_orthant(int32_t n, const perp_problem *p, const double *lambda, double *y,
                                perp_residual *out) {
  small_sums sums;
  pair r[PAIRS];
  if (p->M.kind == PERP_DENSE)
    small_dense(n, p, lambda, &sums);
  else
    small_sparse(n, p, lambda, &sums);
  pair least = sums.squares[0], most = least, all = sums.rows[0], rows = all, q = sums.q[0];
  for (int32_t i = 0, k = 0; i < n; i += 2, k++) {
    const pair scaled = pair_multiply(pair_root(sums.squares[k]), two_of(n, lambda, i));
    r[k] = pair_absolute(pair_minimum(scaled, sums.y[k]));
    if (i + 1 < n)
      pair_store(y + i, sums.y[k]);
    else
      y[i] = pair_first(sums.y[k]);
    if (k == 0) continue;
    least = pair_minimum(sums.squares[k], least);
    most = pair_maximum(sums.squares[k], most);
    rows = pair_maximum(sums.rows[k], rows);
    all = pair_add(all, sums.rows[k]);
    q = pair_maximum(sums.q[k], q);
  }
  const double largest = pair_most(n > 2 ? pair_maximum(r[PAIRS - 1], r[0]) : r[0]);
  const double scale = pair_most(rows), size = pair_most(q);
  int32_t worst = 0, before = 1; /* the first of equal ones */
  for (int32_t i = 0; i + 1 < n; i++) {
    before &= (i % 2 == 0 ? pair_first(r[i / 2]) : pair_second(r[i / 2])) != largest;
    worst += before;
  }
  out->struct_size = (uint32_t)sizeof *out;
  out->worst = worst;
  out->worst_block = block_of(p, worst);
  out->reserved = 0;
  out->residual = largest;
  out->relative = residual_ratio(largest, scale);
  out->scale = scale;
  out->hat = size;
  out->rounding = residual_rounding(n, scale);
  out->natural_error = out->componentwise = 0;
  memset(out->violation, 0, sizeof out->violation);
  out->violation[PERP_SET_ORTHANT] = largest;
  out->creep = 0;
  const int sound = pair_least(least) >= 0x1p-970 && pair_most(most) <= 0x1p1000 &&
                    pair_first(all) + pair_second(all) <= DBL_MAX && largest <= DBL_MAX;
  return sound && !(scale > 0 && scale < RESIDUAL_TINY) && !residual_is_coarse(n, scale, size);
}

static inline int takes(const perp_problem *p) {
  if (p->M.kind != PERP_DENSE && (p->M.kind != PERP_BLOCKS || p->M.offset != NULL)) return 0;
  if (p->weight != NULL || p->floor != NULL) return 0;
  for (int32_t b = 0; b < p->n_blocks; b++)
    if (p->laws[b]->ops->set != PERP_SET_ORTHANT) return 0;
  return 1;
}

static inline int judge_few(const perp_problem *p, const double *lambda, double *y,
                            perp_residual *out) {
#if defined(__OPTIMIZE_SIZE__)
  return p->n > 0 && small_orthant(p->n, p, lambda, y, out);
#else
  if (p->n == 1) return small_orthant(1, p, lambda, y, out);
  if (p->n == 2) return small_orthant(2, p, lambda, y, out);
  if (p->n == 3) return small_orthant(3, p, lambda, y, out);
  return p->n == 4 && small_orthant(4, p, lambda, y, out);
#endif
}

void perp_residual_few(const perp_problem *p, const double *lambda, double *y, perp_residual *out,
                       double *scratch) {
  if (!takes(p) || !judge_few(p, lambda, y, out)) perp_residual_of_any(p, lambda, y, out, scratch);
}
