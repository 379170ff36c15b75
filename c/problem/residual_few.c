/* SPDX-License-Identifier: MIT */
#include "problem/residual_few.h"

#include "linalg/matrix.h"
#include "problem/residual_small.h"

/* The sums over M by rows, n even. */
UNROLLED void small_rows(int32_t n, const perp_problem *p, const double *lambda, small_sums *out) {
  const double *A = p->M.values;
  for (int32_t i = 0; i < n; i += 2, A += 2 * n) {
    pair y = pair_load(p->q + i), rows = pair_absolute(y);
    out->q[i / 2] = rows;
    for (int32_t j = 0; j < n; j += 2) {
      const pair a = pair_load(A + j), b = pair_load(A + n + j);
      const pair u = pair_multiply(pair_of(pair_first(a), pair_first(b)), pair_twice(lambda[j]));
      const pair v =
          pair_multiply(pair_of(pair_second(a), pair_second(b)), pair_twice(lambda[j + 1]));
      pair square = pair_multiply(a, a);
      if (i > 0) square = pair_add(out->squares[j / 2], square);
      out->squares[j / 2] = pair_add(square, pair_multiply(b, b));
      y = pair_add(pair_add(y, u), v);
      rows = pair_add(pair_add(rows, pair_absolute(u)), pair_absolute(v));
    }
    out->y[i / 2] = y;
    out->rows[i / 2] = rows;
  }
}

/* The sums over M in compressed rows. */
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

/* Orthants alone. 0: the problem is in some way special, and nothing is said. */
UNROLLED int small_orthant(int32_t n, const perp_problem *p, const double *lambda, double *y,
                           perp_residual *out) {
  small_sums sums;
  pair r[PAIRS];
  if (p->M.kind == PERP_DENSE)
    small_dense(n, p, lambda, &sums);
  else if (n % 2 == 0 && matrix_is_by_rows(n, &p->M))
    small_rows(n, p, lambda, &sums);
  else
    small_sparse(n, p, lambda, &sums);
  write_y(n, &sums, y);
  const small_size size = size_of(n, &sums);
  for (int32_t i = 0; i < n; i += 2) {
    const pair scaled = pair_multiply(pair_root(sums.squares[i / 2]), two_of(n, lambda, i));
    r[i / 2] = pair_absolute(pair_minimum(scaled, sums.y[i / 2]));
  }
  residual_maximum most = {pair_most(n > 2 ? pair_maximum(r[PAIRS - 1], r[0]) : r[0]), 0};
  int32_t before = 1; /* the first of equal ones */
  for (int32_t i = 0; i + 1 < n; i++) {
    before &= (i % 2 == 0 ? pair_first(r[i / 2]) : pair_second(r[i / 2])) != most.r;
    most.at += before;
  }
  write_answer(p, &size, PERP_SET_ORTHANT, most, residual_rounding(n, size.scale), out);
  return size.sound && most.r <= DBL_MAX;
}

static inline int is_orthant(const perp_problem *p) {
  if (p->M.kind != PERP_DENSE && (p->M.kind != PERP_BLOCKS || p->M.offset != NULL)) return 0;
  if (p->weight != NULL || p->floor != NULL) return 0;
  for (int32_t b = 0; b < p->n_blocks; b++)
    if (p->laws[b]->ops->set != PERP_SET_ORTHANT) return 0;
  return 1;
}

/* The most terms of a row. */
static int32_t longest_row(int32_t n, const int32_t *start) {
  int32_t most = 0;
  for (int32_t i = 0; i < n; i++)
    if (start[i + 1] - start[i] > most) most = start[i + 1] - start[i];
  return most;
}

/* Orthants alone, any number of unknowns in compressed rows: two passes for the many of the judge
 * of all laws. 0 as above. */
static int judge_rows(const perp_problem *p, const double *restrict lambda, double *restrict y,
                      perp_residual *out, double *restrict square) {
  const int32_t n = p->n, *start = p->M.start, *index = p->M.index;
  const double *values = p->M.values;
  double *restrict parts = square + n, all = 0;
  pair least = pair_twice(1), most = least, largest = pair_twice(0);
  small_size size = {0, 0, 0};
  residual_maximum worst = {0, 0};
  memset(square, 0, (size_t)n * sizeof *square);
  for (int32_t i = 0, k = start[0]; i < n; i++) {
    double sum = p->q[i], row = fabs(sum);
    size.hat = row > size.hat ? row : size.hat;
    for (const int32_t end = start[i + 1]; k < end; k++) {
      const double v = values[k], u = v * lambda[index[k]];
      sum += u;
      row += fabs(u);
      square[index[k]] += v * v;
    }
    y[i] = sum;
    all += row;
    size.scale = row > size.scale ? row : size.scale;
  }
  for (int32_t i = 0; i < n; i += 2) {
    const pair s = i + 1 < n ? pair_load(square + i) : pair_twice(square[i]);
    const pair scaled = pair_multiply(pair_root(s), two_of(n, lambda, i));
    const pair part = pair_absolute(pair_minimum(scaled, two_of(n, y, i)));
    least = pair_minimum(s, least);
    most = pair_maximum(s, most);
    largest = pair_maximum(part, largest);
    pair_store(parts + i, part);
  }
  worst.r = pair_most(largest);
  if (worst.r > 0)
    while (parts[worst.at] != worst.r) worst.at++; /* the first of equal ones */
  const int32_t terms = residual_is_coarse(n, size.scale, size.hat) ? longest_row(n, start) : n;
  write_answer(p, &size, PERP_SET_ORTHANT, worst, residual_rounding(terms, size.scale), out);
  return pair_least(least) >= 0x1p-970 && pair_most(most) <= 0x1p1000 &&
         numbers_are_sound(terms, &size, all) && worst.r <= DBL_MAX;
}

UNROLLED int judge_few(const perp_problem *p, const double *lambda, double *y, perp_residual *out) {
  if (p->n == 1) return small_orthant(1, p, lambda, y, out);
  if (p->n == 2) return small_orthant(2, p, lambda, y, out);
  if (p->n == 3) return small_orthant(3, p, lambda, y, out);
  return p->n == 4 && small_orthant(4, p, lambda, y, out);
}

void perp_residual_few(const perp_problem *p, const double *lambda, double *y, perp_residual *out,
                       double *scratch) {
  if (!is_orthant(p) || !(p->n > RESIDUAL_FEW ? judge_rows(p, lambda, y, out, scratch)
                                              : judge_few(p, lambda, y, out)))
    perp_residual_of_any(p, lambda, y, out, scratch);
}
