/* SPDX-License-Identifier: MIT */
/* Factors of A_FF + diag(D) + ρI: Cholesky where M is symmetric and dense, the envelope factor
 * where it is symmetric and sparse, the caller's sparse
 * back end for other sparse M and for envelopes that are much longer than M, dense LU otherwise. D
 * >= 0, and for monotone A all of them exist.
 *
 * Whether a sparse M is symmetric is asked by one product with M and one with its transpose; an M
 * that differs from its transpose by rounding passes. The factor only directs the way: answers are
 * judged by M itself. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/interior.h"

#define SAME 1e-13

static int dense_symmetric(const perp_matrix *M) {
  const size_t n = (size_t)M->rows, ld = (size_t)M->ld;
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++) {
      const double a = M->values[i + ld * j], b = M->values[j + ld * i];
      if (!(fabs(a - b) <= SAME * (fabs(a) + fabs(b)))) return 0;
    }
  return 1;
}

/* Mx against Mᵀx, each with the sum of its terms' magnitudes. */
static int sparse_symmetric(interior *w) {
  const int32_t n = w->n;
  double *x = w->a, *right = w->P, *left = w->AP, *size = w->W;
  for (int32_t i = 0; i < n; i++) {
    x[i] = w->d[i] * (1 + (double)(i * INT64_C(7919) % 104729) / 104729);
    left[i] = right[i] = size[i] = 0;
  }
  for (int32_t i = 0; i < n; i++) {
    const matrix_row row = row_read(&w->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const int32_t j = row.column[c];
      const double a = row.value[c] * x[j], b = row.value[c] * x[i];
      right[i] += a;
      left[j] += b;
      size[i] += fabs(a);
      size[j] += fabs(b);
    }
  }
  for (int32_t i = 0; i < n; i++)
    if (!(fabs(right[i] - left[i]) <= SAME * size[i])) return 0;
  return 1;
}

int perp_interior_choose(interior *w) {
  const perp_matrix *M = &w->problem->M;
  if (M->kind == PERP_DENSE) {
    w->method = dense_symmetric(M) ? INTERIOR_CHOLESKY : INTERIOR_LU;
    return 1;
  }
  w->method = w->o.sparse != NULL ? INTERIOR_SPARSE : INTERIOR_LU;
  if (w->narrow && sparse_symmetric(w)) w->method = INTERIOR_ENVELOPE;
  return w->method != INTERIOR_LU || w->K != NULL;
}

/* K := A_FF + diag, k x k without gaps, moved together within the n x n copy of M. */
static void gather_dense(interior *w, const double *D, double rho) {
  const size_t n = (size_t)w->n, k = (size_t)w->k;
  perp_matrix_to_dense(&w->problem->M, w->K, w->n);
  for (size_t b = 0; b < k; b++) {
    const size_t j = (size_t)w->member[b];
    for (size_t a = 0; a < k; a++) {
      const size_t i = (size_t)w->member[a];
      w->K[a + k * b] = w->K[i + n * j] * (w->d[i] * w->d[j]);
    }
    w->K[b + k * b] += rho + (D == NULL ? 0 : D[j]);
  }
}

static int32_t gather_lower_row(interior *w, int32_t i, int32_t at, double diagonal) {
  const matrix_row row = row_read(&w->rows, i);
  for (int32_t c = 0; c < row.count; c++) {
    const int32_t j = row.column[c];
    const double v = row.value[c] * (w->d[i] * w->d[j]);
    if (j == i) diagonal += v;
    if (j >= i) continue;
    w->index[at] = j;
    w->values[at++] = v;
  }
  w->index[at] = i;
  w->values[at++] = diagonal;
  return at;
}

static int factor_envelope(interior *w, const double *D, double rho) {
  int32_t at = 0;
  memset(w->env.position, 0xff, (size_t)w->n * sizeof *w->env.position); /* all -1 */
  for (int32_t b = 0; b < w->k; b++) w->env.position[w->member[b]] = b;
  for (int32_t i = 0; i < w->n; i++) {
    w->start[i] = at;
    at = gather_lower_row(w, i, at, rho + (D == NULL ? 0 : D[i]));
  }
  w->start[w->n] = at;
  w->lower = perp_compressed_rows(w->n, w->start, w->index, w->values);
  w->copy.M = &w->lower;
  w->env.rows = w->k;
  w->env.valid = 0;
  return perp_envelope_factor(&w->env, &w->copy, 0) == ENVELOPE_DONE;
}

int perp_interior_factor(interior *w, const double *D, double rho) {
  if (w->method == INTERIOR_ENVELOPE) return factor_envelope(w, D, rho);
  if (w->method == INTERIOR_SPARSE) return perp_interior_sparse_factor(w, D, rho);
  gather_dense(w, D, rho);
  if (w->method == INTERIOR_CHOLESKY) return perp_dense_cholesky(w->k, w->K, w->k) == PERP_OK;
  return perp_dense_lu_factor(w->k, w->K, w->k, w->pivots) == PERP_OK;
}

void perp_interior_solve(interior *w, double *x) {
  if (w->method == INTERIOR_SPARSE) {
    perp_interior_sparse_solve(w, x);
    return;
  }
  double *b = w->a;
  for (int32_t i = 0; i < w->k; i++) b[i] = x[w->member[i]];
  if (w->method == INTERIOR_ENVELOPE)
    perp_envelope_solve(&w->env, b);
  else if (w->method == INTERIOR_CHOLESKY)
    perp_dense_cholesky_solve(w->k, w->K, w->k, b);
  else
    perp_dense_lu_solve(w->k, 1, w->K, w->k, w->pivots, b, w->n);
  memset(x, 0, (size_t)w->n * sizeof *x);
  for (int32_t i = 0; i < w->k; i++) x[w->member[i]] = b[i];
}
