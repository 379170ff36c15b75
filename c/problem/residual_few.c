/* SPDX-License-Identifier: MIT */
#include "problem/residual_few.h"

#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "problem/residual.h"
#include "problem/residual_lcp.h"

/* Entries i and i + 1 of n, 0 behind the end. */
static inline pair two_of(int32_t n, const double *x, int32_t i) {
  return i + 1 < n ? pair_load(x + i) : pair_of(x[i], 0);
}

/* What one pass over M gives, in registers where n is a constant. */
typedef struct small_sums {
  double y[RESIDUAL_FEW], rows[RESIDUAL_FEW],
      squares[RESIDUAL_FEW]; /* as in judge; squares of the norms */
} small_sums;

static inline void small_dense(int32_t n, const perp_problem *p, const double *lambda,
                               small_sums *out) {
  pair y[RESIDUAL_FEW / 2], s[RESIDUAL_FEW / 2];
  const double *A = p->M.values;
  for (int32_t i = 0; i < n; i += 2) {
    y[i / 2] = two_of(n, p->q, i);
    s[i / 2] = pair_absolute(y[i / 2]);
  }
  for (int32_t j = 0; j < n; j++, A += p->M.ld) {
    pair x = pair_twice(lambda[j]), square = pair_twice(0);
    for (int32_t i = 0; i < n; i += 2) {
      pair a = two_of(n, A, i), u = pair_multiply(a, x);
      y[i / 2] = pair_add(y[i / 2], u);
      s[i / 2] = pair_add(s[i / 2], pair_absolute(u));
      square = pair_add(square, pair_multiply(a, a));
    }
    out->squares[j] = pair_first(square) + pair_second(square);
  }
  for (int32_t i = 0; i < n; i += 2) {
    pair_store(out->y + i, y[i / 2]);
    pair_store(out->rows + i, s[i / 2]);
  }
}

/* The same of compressed rows. */
static inline void small_sparse(int32_t n, const perp_problem *p, const double *lambda,
                                small_sums *out) {
  const int32_t *start = p->M.start, *index = p->M.index;
  const double *values = p->M.values;
  for (int32_t i = 0; i < n; i++) out->squares[i] = 0;
  for (int32_t i = 0, k = start[0]; i < n; i++) {
    double y = p->q[i], s = fabs(y);
    for (; k < start[i + 1]; k++) {
      double v = values[k], u = v * lambda[index[k]];
      y += u;
      s += fabs(u);
      out->squares[index[k]] += v * v;
    }
    out->y[i] = y;
    out->rows[i] = s;
  }
}

/* Judge a problem of orthants alone. 0: it is in some way special, and nothing is said. */
static inline int small_orthant(int32_t n, const perp_problem *p, const double *lambda, double *y,
                                perp_residual *out) {
  small_sums sums;
  uint64_t largest = 0, scale = 0, size = 0, wild = 0;
  int32_t worst = 0;
  if (p->M.kind == PERP_DENSE)
    small_dense(n, p, lambda, &sums);
  else
    small_sparse(n, p, lambda, &sums);
  for (int32_t i = 0; i < n; i++) {
    double scaled = sqrt(sums.squares[i]) * lambda[i];
    uint64_t r = bits_of(fabs(scaled < sums.y[i] ? scaled : sums.y[i]));
    uint64_t row = bits_of(sums.rows[i]), q = bits_of(fabs(p->q[i]));
    wild |= residual_out_of_range(sums.squares[i]) | not_finite_bits(lambda[i]);
    worst = r > largest ? i : worst;
    largest = r > largest ? r : largest;
    scale = row > scale ? row : scale;
    size = q > size ? q : size;
    y[i] = sums.y[i];
  }
  wild |= (scale - bits_of(RESIDUAL_TINY)) & (0 - scale); /* sign set: 0 < scale < tiny */
  wild |= not_finite_bits(double_of(scale)) | not_finite_bits(double_of(largest));
  out->struct_size = (uint32_t)sizeof *out;
  out->reserved = 0;
  out->residual = double_of(largest);
  out->relative = residual_ratio(out->residual, double_of(scale));
  out->scale = double_of(scale);
  out->hat = double_of(size);
  out->rounding = residual_rounding(n, out->scale);
  out->natural_error = out->componentwise = 0;
  out->worst = worst;
  memset(out->violation, 0, sizeof out->violation);
  out->violation[PERP_SET_ORTHANT] = out->residual;
  out->creep = 0;
  return wild >> 63 == 0 && !residual_is_coarse(n, out->scale, out->hat);
}

int perp_residual_few(const perp_problem *p, const double *lambda, double *y, perp_residual *out) {
  if (p->M.kind != PERP_DENSE && (p->M.kind != PERP_BLOCKS || p->M.offset != NULL)) return 0;
  if (p->weight != NULL || p->floor != NULL) return 0;
  for (int32_t b = 0; b < p->n_blocks; b++)
    if (p->laws[b]->ops->set != PERP_SET_ORTHANT) return 0;
  switch (p->n) {
    case 1:
      return small_orthant(1, p, lambda, y, out);
    case 2:
      return small_orthant(2, p, lambda, y, out);
    case 3:
      return small_orthant(3, p, lambda, y, out);
    case 4:
      return small_orthant(4, p, lambda, y, out);
    default:
      return 0;
  }
}
