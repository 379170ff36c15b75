/* SPDX-License-Identifier: MIT */
#include "solver/mode_basis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/residual.h"
#include "solver/factor.h"
#include "solver/mode.h"
#include "solver/sweeps.h"

/* Pivots below this part of what cancelled in them leave fewer than half the digits. */
#define WEAK 1e-8

void perp_mode_basis_carve(mode_basis *b, arena *a, int32_t n, int32_t kind) {
  const size_t m = (size_t)n;
  b->n = n;
  b->k = b->ld = b->weak = b->symmetric = b->cholesky = 0;
  b->shift = 0;
  b->M = NULL;
  if (m > SIZE_MAX / sizeof *b->factor) a->failed = 1;
  b->copy = kind == PERP_DENSE ? NULL : arena_take(a, m, m * sizeof *b->copy);
  b->factor = arena_take(a, m, m * sizeof *b->factor);
  b->x = arena_take(a, m, 2 * sizeof *b->x);           /* size behind */
  b->member = arena_take(a, m, 2 * sizeof *b->member); /* pivots behind */
}

void perp_mode_basis_open(mode_basis *b, const perp_matrix *M) {
  b->size = b->x + b->n;
  b->pivots = b->member + b->n;
  b->M = b->copy;
  b->ld = b->n;
  if (b->copy != NULL) {
    perp_matrix_to_dense(M, b->copy, b->n);
  } else {
    b->M = M->values;
    b->ld = M->ld;
  }
  for (int32_t j = 0; j < b->n; j++) {
    const double *m = mode_column(b, j);
    b->size[j] = largest_size(b->n, m);
  }
  b->symmetric = symmetric_bits(b->n, b->M, b->ld);
}

/* ---- factor ---- */

/* factor := M_FF + σI */
static void gather(mode_basis *b) {
  const size_t k = (size_t)b->k;
  for (size_t j = 0; j < k; j++) {
    const double *m = mode_column(b, b->member[j]);
    double *a = b->factor + k * j;
    if (b->k == b->n)
      memcpy(a, m, k * sizeof *a);
    else
      for (size_t i = 0; i < k; i++) a[i] = m[b->member[i]];
    a[j] += b->shift;
  }
}

/* The least of l_cc² / m_cc over c, what is left of a diagonal entry. */
static double least_root(const mode_basis *b) {
  const size_t k = (size_t)b->k;
  double least = 1;
  for (size_t c = 0; c < k; c++) {
    const int32_t i = b->member[c];
    const double l = b->factor[c + k * c], part = l * l / (mode_column(b, i)[i] + b->shift);
    if (!(part >= least)) least = part;
  }
  return least;
}

/* The least of |u_cc| / Σ_j |l_cj u_jc| over c: what is left of the terms of a pivot. NaN if the
 * factor holds one. Row by row through x, so that columns are read with unit stride. */
static double least_pivot(const mode_basis *b) {
  const size_t k = (size_t)b->k;
  double least = 1;
  for (size_t c = 0; c < k; c++) b->x[c] = 0;
  for (size_t j = 0; j < k; j++) { /* x_c += |l_cj| |u_jc|: column j of L against row j of U */
    const double *l = b->factor + k * j;
    for (size_t c = j + 1; c < k; c++) b->x[c] += fabs(l[c] * b->factor[j + k * c]);
  }
  for (size_t c = 0; c < k; c++) {
    const double u = fabs(b->factor[c + k * c]), part = u / (b->x[c] + u);
    if (!(part >= least)) least = part;
  }
  return least;
}

int perp_mode_basis_factor(mode_basis *b, const unsigned char *mode, double shift) {
  b->k = 0;
  b->weak = 0;
  b->shift = shift;
  for (int32_t i = 0; i < b->n; i++)
    if (mode[i] == PERP_MODE_FREE) b->member[b->k++] = i;
  gather(b);
  b->cholesky = b->symmetric && perp_dense_cholesky(b->k, b->factor, b->k) == PERP_OK;
  if (b->cholesky) {
    const double least = least_root(b);
    b->weak = !(least >= WEAK);
    if (least > (16 + b->k) * DBL_EPSILON) return 1;
  }
  if (b->symmetric) gather(b);
  b->cholesky = 0;
  if (perp_dense_lu_factor(b->k, b->factor, b->k, b->pivots) != PERP_OK) return 0;
  const double least = least_pivot(b);
  b->weak = !(least >= WEAK);
  return least > (16 + b->k) * DBL_EPSILON;
}

void perp_mode_basis_solve(const mode_basis *b, double *x) {
  if (b->cholesky)
    perp_dense_cholesky_solve(b->k, b->factor, b->k, x);
  else
    perp_dense_lu_solve(b->k, 1, b->factor, b->k, b->pivots, x, b->k);
}

void perp_mode_basis_solve_transposed(const mode_basis *b, double *x) {
  if (b->cholesky)
    perp_mode_basis_solve(b, x);
  else
    perp_dense_lu_solve_transposed(b->k, b->factor, b->k, b->pivots, x);
}

/* ---- point ---- */

/* y := (M + σI) λ + q */
static void image(const mode_basis *b, const double *q, const double *lambda, double *y) {
  perp_matrix M = perp_dense(b->n, b->n, b->M);
  M.ld = b->ld;
  for (int32_t i = 0; i < b->n; i++) y[i] = q[i] + b->shift * lambda[i];
  (void)perp_multiply_add_sparsely(&M, lambda, y);
}

void perp_mode_basis_point(const mode_basis *b, const unsigned char *mode, const double *lower,
                           const double *upper, const double *q, double *lambda, double *y) {
  memcpy(y, q, (size_t)b->n * sizeof *y);
  for (int32_t i = 0; i < b->n; i++) {
    lambda[i] = mode[i] == PERP_MODE_FREE ? 0 : mode_bound(mode[i], lower[i], upper[i]);
    if (lambda[i] == 0) continue;
    perp_dense_axpy(b->n, lambda[i], mode_column(b, i), y);
    y[i] += b->shift * lambda[i];
  }
  for (int32_t round = 0; round < 1 + b->weak; round++) {
    for (int32_t a = 0; a < b->k; a++) b->x[a] = -y[b->member[a]];
    perp_mode_basis_solve(b, b->x);
    for (int32_t a = 0; a < b->k; a++) lambda[b->member[a]] += b->x[a];
    image(b, q, lambda, y);
  }
}

/* ---- infeasible components ---- */

/* (|M||λ| + |q|)_i */
static double row_scale(const mode_basis *b, const double *q, const double *lambda, int32_t i) {
  const double *m = b->M + i;
  double sum = fabs(q[i]) + b->shift * fabs(lambda[i]);
  for (int32_t j = 0; j < b->n; j++, m += b->ld)
    if (lambda[j] != 0) sum += fabs(*m * lambda[j]);
  return sum;
}

int32_t perp_mode_basis_judge(const mode_basis *b, const unsigned char *mode, const double *lower,
                              const double *upper, const double *q, double slack,
                              const double *lambda, const double *y, unsigned char *next,
                              int32_t *first) {
  const double largest = largest_size(b->n, q);
  double far = 0; /* above the slack of any row, most need no sum of their own */
  int32_t count = 0;
  for (int32_t i = 0; i < b->n; i++) far += (b->size[i] + b->shift) * fabs(lambda[i]);
  const double floor = MODE_ROUNDING * largest;
  far = slack * (far + largest) + floor;
  memcpy(next, mode, (size_t)b->n);
  *first = -1;
  for (int32_t i = 0; i < b->n; i++) {
    unsigned char to;
    const double e =
        mode_excess(mode[i], lower[i], upper[i], lambda[i], y[i], b->size[i] + b->shift, &to);
    if (!(e > floor)) continue;
    if (!(e > far) && !(e > slack * row_scale(b, q, lambda, i) + floor)) continue;
    next[i] = to;
    if (count++ == 0) *first = i;
  }
  return count;
}
