/* SPDX-License-Identifier: MIT */
/* An explicit inverse instead of a triangular factor: it needs no pivots from the warm bytes of a
 * caller, it has no division, and the step of refinement gives back what it loses. */
#include "solver/lcp_basis.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"

/* Negative entries down to this part of their scale are taken for rounding. */
static const double rounding = 0x1p-40;

void lcp_basis_read(lcp_basis *basis, int32_t n, const unsigned char *modes) {
  basis->k = 0;
  for (int32_t i = 0; i < n; i++) {
    int basic = modes[i] == PERP_MODE_FREE;
    basis->place[i] = basic ? basis->k : -1;
    if (basic) basis->set[basis->k++] = i;
  }
}

static void gather_blocks(const lcp_basis *basis, const perp_matrix *M, double *A) {
  const double *v = M->values;
  for (int32_t r = 0; r < M->block_rows; r++)
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      int32_t c = M->index[b];
      int32_t row = M->offset == NULL ? r : M->offset[r];
      int32_t col = M->offset == NULL ? c : M->offset[c];
      int32_t rows = M->offset == NULL ? 1 : M->offset[r + 1] - row;
      int32_t cols = M->offset == NULL ? 1 : M->offset[c + 1] - col;
      for (int32_t j = 0; j < cols; j++)
        for (int32_t i = 0; i < rows; i++, v++) {
          int32_t pi = basis->place[row + i], pj = basis->place[col + j];
          if (pi >= 0 && pj >= 0) A[(size_t)pi + (size_t)basis->k * (size_t)pj] = *v;
        }
    }
}

/* A (k x k) := M_BB. */
static void gather(const lcp_basis *basis, const perp_matrix *M, double *A) {
  size_t k = (size_t)basis->k, ld = (size_t)M->ld;
  const int32_t *set = basis->set;
  memset(A, 0, k * k * sizeof *A);
  if (M->kind == PERP_DIAGONAL)
    for (size_t j = 0; j < k; j++) A[j + k * j] = M->values[set[j]];
  if (M->kind == PERP_DENSE)
    for (size_t j = 0; j < k; j++)
      for (size_t i = 0; i < k; i++) A[i + k * j] = M->values[(size_t)set[i] + ld * (size_t)set[j]];
  if (M->kind == PERP_BLOCKS) gather_blocks(basis, M, A);
}

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* Eliminate with the diagonal entry c, in place: column c takes the place of a unit vector. */
static void eliminate(size_t k, double *A, size_t c) {
  double *column = A + k * c, inverse = 1 / column[c];
  for (size_t j = 0; j < k; j++) {
    double *a = A + k * j, t = a[c] * inverse;
    if (j == c) continue;
    for (size_t i = 0; i < k; i++) a[i] -= column[i] * t;
    a[c] = t;
  }
  for (size_t i = 0; i < k; i++) column[i] *= -inverse;
  column[c] = inverse;
}

/* Gauss-Jordan in place with partial pivoting: rows are exchanged on the way, and the columns of
 * the inverse back in the end. */
int lcp_basis_invert(const lcp_basis *basis, const perp_matrix *M, double *inverse,
                     int32_t *pivots) {
  size_t k = (size_t)basis->k;
  double *A = inverse;
  gather(basis, M, A);
  for (size_t c = 0; c < k; c++) {
    size_t p = c;
    for (size_t i = c + 1; i < k; i++)
      if (fabs(A[i + k * c]) > fabs(A[p + k * c])) p = i;
    pivots[c] = (int32_t)p;
    if (A[p + k * c] == 0 || !is_finite(A[p + k * c])) return 0;
    for (size_t j = 0; p != c && j < k; j++) swap(A + c + k * j, A + p + k * j);
    eliminate(k, A, c);
  }
  for (size_t c = k; c-- > 0;)
    for (size_t i = 0, p = (size_t)pivots[c]; p != c && i < k; i++)
      swap(A + i + k * c, A + i + k * p);
  return 1;
}

/* y := A x, A k x k. */
static void apply(size_t k, const double *restrict A, const double *restrict x,
                  double *restrict y) {
  for (size_t i = 0; i < k; i++) y[i] = A[i] * x[0];
  for (size_t j = 1; j < k; j++)
    for (size_t i = 0; i < k; i++) y[i] += A[i + k * j] * x[j];
}

/* w += M z, of which only the columns of B count. */
static void add_columns(const lcp_basis *basis, const perp_matrix *M, const double *z,
                        double *restrict w) {
  if (M->kind != PERP_DENSE) {
    matrix_multiply_add(M, z, w);
    return;
  }
  for (int32_t a = 0; a < basis->k; a++) {
    const double *column = M->values + (size_t)M->ld * (size_t)basis->set[a];
    double f = z[basis->set[a]];
    for (int32_t i = 0; i < M->rows; i++) w[i] += column[i] * f;
  }
}

/* |M_i.| z + |q_i|, for rows that are in doubt. */
static double row_scale(const lcp_basis *basis, const perp_problem *problem, const double *z,
                        int32_t i) {
  double sum = fabs(problem->q[i]);
  for (int32_t a = 0; a < basis->k; a++)
    sum += fabs(perp_matrix_entry(&problem->M, i, basis->set[a]) * z[basis->set[a]]);
  return sum;
}

/* z_B -= M_BB^-1 w_B, where w should be 0. A large correction is the mark of a wrong or useless
 * inverse. */
static int refine(const lcp_basis *basis, const double *inverse, double *z, const double *w,
                  double *x) {
  size_t k = (size_t)basis->k;
  double *change = x + k, largest = 0, largest_change = 0;
  for (size_t a = 0; a < k; a++) x[a] = w[basis->set[a]];
  apply(k, inverse, x, change);
  for (size_t a = 0; a < k; a++) {
    double *value = z + basis->set[a];
    *value -= change[a];
    if (fabs(*value) > largest) largest = fabs(*value);
    if (!(fabs(change[a]) <= largest_change)) largest_change = fabs(change[a]);
  }
  if (!(largest_change <= 0x1p-20 * largest)) return 0;
  for (size_t a = 0; a < k; a++) {
    double *value = z + basis->set[a];
    if (!(*value >= -rounding * largest)) return 0;
    if (*value < 0) *value = 0;
  }
  return 1;
}

int lcp_basis_point(const lcp_basis *basis, const perp_problem *problem, const double *inverse,
                    double *z, double *w, double *x) {
  size_t k = (size_t)basis->k;
  double *solution = x + k;
  for (size_t a = 0; a < k; a++) x[a] = problem->q[basis->set[a]];
  apply(k, inverse, x, solution);
  for (int32_t i = 0; i < problem->n; i++) {
    int32_t place = basis->place[i];
    z[i] = place < 0 ? 0 : -solution[place];
    w[i] = problem->q[i];
  }
  if (k > 0) {
    add_columns(basis, &problem->M, z, w);
    if (!refine(basis, inverse, z, w, x)) return 0;
  }
  for (int32_t i = 0; i < problem->n; i++)
    if (basis->place[i] < 0 && !(w[i] >= 0))
      if (!(w[i] >= -rounding * row_scale(basis, problem, z, i))) return 0;
  return 1;
}
