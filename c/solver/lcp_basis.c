/* SPDX-License-Identifier: MIT */
/* An explicit inverse instead of a triangular factor: it needs no pivots from the warm bytes of a
 * caller, it has no division, and the step of refinement gives back what it loses. */
#include "solver/lemke.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/mode.h"
#include "solver/sweeps.h"

/* Negative entries down to this part of their scale are taken for rounding. */
static const double rounding = 0x1p-40;

void perp_lcp_basis_read(lcp_basis *basis, int32_t n, const unsigned char *modes) {
  basis->k = 0;
  basis->modes = modes;
  for (int32_t i = 0; i < n; i++)
    if (modes[i] == PERP_MODE_FREE) basis->set[basis->k++] = i;
}

/* A (n x n, k x k of it in the end) := M_BB. */
static void gather(const lcp_basis *basis, const perp_matrix *M, double *A) {
  const size_t k = (size_t)basis->k;
  const int32_t *set = basis->set;
  const double *from = M->values;
  size_t ld = (size_t)M->ld;
  if (M->kind != PERP_DENSE) { /* entries move forward only */
    perp_matrix_to_dense(M, A, M->rows);
    from = A;
    ld = (size_t)M->rows;
  }
  for (size_t j = 0; j < k; j++)
    for (size_t i = 0; i < k; i++) A[i + k * j] = from[(size_t)set[i] + ld * (size_t)set[j]];
}

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* By exchanges of x_c and y_c in y = A x, with partial pivoting: rows change places on the way, and
 * the columns of the inverse back in the end. */
int perp_lcp_basis_invert(const lcp_basis *basis, const perp_matrix *M, double *inverse,
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
    exchange_variables(k, k, A, c, c);
  }
  for (size_t c = k; c-- > 0;)
    for (size_t i = 0, p = (size_t)pivots[c]; p != c && i < k; i++)
      swap(A + i + k * c, A + i + k * p);
  return 1;
}

void perp_lcp_basis_spread(const lcp_basis *basis, int32_t n, double *inverse) {
  const size_t k = (size_t)basis->k, m = (size_t)n;
  for (size_t j = k; j-- > 0;) /* entries move backward only */
    for (size_t i = k; i-- > 0;)
      inverse[(size_t)basis->set[i] + m * (size_t)basis->set[j]] = inverse[i + k * j];
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++)
      if (basis->modes[i] != PERP_MODE_FREE || basis->modes[j] != PERP_MODE_FREE)
        inverse[i + m * j] = 0;
}

/* y := A x, A k x k. */
static void apply(size_t k, const double *A, const double *x, double *y) {
  const int32_t n = (int32_t)k;
  for (size_t i = 0; i < k; i++) y[i] = 0;
  perp_dense_multiply_add(n, n, A, n, x, y);
}

/* z := v on B, 0 elsewhere. */
static void scatter(const lcp_basis *basis, int32_t n, const double *v, double *z) {
  for (int32_t i = 0; i < n; i++) z[i] = 0;
  for (int32_t a = 0; a < basis->k; a++) z[basis->set[a]] = v[a];
}

/* w := M z + q, where z_B = v and z is 0 elsewhere. */
static void image(const lcp_basis *basis, const perp_problem *problem, const double *v, double *z,
                  double *w) {
  memcpy(w, problem->q, (size_t)problem->n * sizeof *w);
  scatter(basis, problem->n, v, z);
  (void)perp_multiply_add_sparsely(&problem->M, z, w);
}

int perp_lcp_row_holds(const perp_problem *problem, int32_t i, const double *z, double w) {
  double sum = fabs(problem->q[i]);
  for (int32_t j = 0; j < problem->n; j++)
    if (z[j] != 0) sum += fabs(perp_matrix_entry(&problem->M, i, j) * z[j]);
  return w >= -rounding * sum;
}

/* v -= M_BB^-1 w_B, where w_B should be 0; negative entries that are rounding become 0, others are
 * refused. So is a large correction, the mark of a wrong or useless inverse. change: k. */
static int refine(const lcp_basis *basis, const double *inverse, double *v, const double *w,
                  double *change) {
  size_t k = (size_t)basis->k;
  double largest = 0, smallest = 0, changes = 0;
  double *rest = change + k; /* the inverse is applied from here */
  for (size_t a = 0; a < k; a++) rest[a] = w[basis->set[a]];
  apply(k, inverse, rest, change);
  for (size_t a = 0; a < k; a++) {
    double value = v[a] - change[a], size = fabs(value);
    changes += fabs(change[a]); /* a sum keeps a NaN */
    largest = size > largest ? size : largest;
    smallest = value < smallest ? value : smallest;
    v[a] = value < 0 ? 0 : value;
  }
  return changes <= 0x1p-20 * largest && smallest >= -rounding * largest;
}

int perp_lcp_basis_point(const lcp_basis *basis, const perp_problem *problem, const double *inverse,
                         double *z, double *w, double *x) {
  size_t k = (size_t)basis->k;
  double *v = x, *change = x + k;
  for (size_t a = 0; a < k; a++) change[a] = -problem->q[basis->set[a]];
  apply(k, inverse, change, v);
  image(basis, problem, v, z, w);
  if (!refine(basis, inverse, v, w, change)) return 0;
  scatter(basis, problem->n, v, z);
  for (int32_t i = 0; i < problem->n; i++)
    if (!(w[i] >= 0) && basis->modes[i] != PERP_MODE_FREE &&
        !perp_lcp_row_holds(problem, i, z, w[i]))
      return 0;
  return 1;
}
