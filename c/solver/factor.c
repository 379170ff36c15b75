/* SPDX-License-Identifier: MIT */
#include "solver/factor.h"

#include <math.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"

static perp_status make_envelope(any_factor *f, double shift) {
  const perp_matrix rows = perp_compressed_rows(f->n, f->start, f->index, f->values);
  const row_reader reader = {.M = &rows};
  f->env.valid = 0;
  const int done = perp_envelope_factor(&f->env, &reader, shift);
  if (done == ENVELOPE_FULL) return PERP_EUNSUPPORTED;
  return done == ENVELOPE_DONE ? PERP_OK : PERP_EINVAL;
}

static perp_status make_sparse(any_factor *f) {
  const perp_status status = f->table->factor(f->n, f->start, f->index, f->values, &f->handle);
  if (status == PERP_EBACKEND) f->failure = status;
  return status;
}

perp_status perp_factor_make(any_factor *f, double shift) {
  if (f->way == FACTOR_CHOLESKY) return perp_dense_cholesky(f->n, f->dense, f->n);
  if (f->way == FACTOR_LU) return perp_dense_lu_factor(f->n, f->dense, f->n, f->pivots);
  return f->way == FACTOR_ENVELOPE ? make_envelope(f, shift) : make_sparse(f);
}

perp_status perp_factor_solve(any_factor *f, double *x) {
  if (f->way == FACTOR_CHOLESKY)
    perp_dense_cholesky_solve(f->n, f->dense, f->n, x);
  else if (f->way == FACTOR_LU)
    perp_dense_lu_solve(f->n, 1, f->dense, f->n, f->pivots, x, f->n);
  else if (f->way == FACTOR_ENVELOPE)
    perp_envelope_solve(&f->env, x);
  else if (f->table->solve(f->handle, x) != PERP_OK)
    f->failure = PERP_EBACKEND;
  return f->failure;
}

void perp_factor_release(any_factor *f) {
  if (f->table != NULL) f->table->release(f->handle);
  f->handle = NULL;
}

void perp_factor_product(const perp_matrix *M, const double *d, const double *x, double *scratch,
                         double *out) {
  for (int32_t i = 0; i < M->rows; i++) {
    scratch[i] = d[i] * x[i];
    out[i] = 0;
  }
  perp_matrix_multiply_add(M, scratch, out);
  for (int32_t i = 0; i < M->rows; i++) out[i] *= d[i];
}

void perp_factor_row_sums(const perp_matrix *M, double *ones, double *sums) {
  for (int32_t i = 0; i < M->rows; i++) {
    ones[i] = 1;
    sums[i] = 0;
  }
  perp_matrix_absolute_multiply_add(M, ones, sums);
}

int32_t perp_factor_skew_row(const perp_matrix *M, const double *d, double part, double *four) {
  const size_t n = (size_t)M->rows;
  double *x = four, *right = four + n, *left = four + 2 * n, *size = four + 3 * n;
  for (size_t i = 0; i < n; i++) {
    x[i] = (d == NULL ? 1 : d[i]) * (1 + (double)(i * UINT64_C(7919) % 104729) / 104729);
    left[i] = right[i] = size[i] = 0;
  }
  perp_matrix_multiply_add(M, x, right);
  perp_matrix_transpose_multiply_add(M, 1, x, left, size);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(right[i] - left[i]) <= part * size[i])) return (int32_t)i;
  return -1;
}
