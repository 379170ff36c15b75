/* SPDX-License-Identifier: MIT */
/* The scaled problem of the interior-point method, and factors of A_FF + diag(D) + ρI.
 *
 * Scaling: d by powers of two so that the largest entry of every row and column of d M d, taken
 * together, is near 1 [Ruiz 2001]. As both sides have the same d, the matrix stays monotone, and
 * symmetric if it was. The origin is moved to P(0), which makes one of two bounds 0 wherever 0 is
 * outside, and the data are scaled to size 1.
 *
 * Factors: Cholesky where M is symmetric and dense, the envelope factor where it is symmetric and
 * sparse, the caller's sparse back end for other sparse M and for envelopes that are much longer
 * than M, dense LU otherwise. D >= 0, and for monotone A all of them exist. The back end is given
 * all n unknowns, those outside F with a unit row and column, so that the pattern is that of M and
 * its diagonal at every step and it is analysed once:
 *
 *   K_ij = A_ij for i, j in F,   K_ii += D_i + ρ for i in F,   K_ii = 1 outside F,   0 elsewhere.
 *
 * Whether M is symmetric is asked by one product with M and one with its transpose; an M
 * that differs from its transpose by rounding passes. The factor only directs the way: answers are
 * judged by M itself. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "solver/interior.h"
#include "solver/interval.h"

#define SAME 1e-13

enum { PASSES = 4 };

/* --- scaling --------------------------------------------------------------------------------- */

static void raise_to(double *m, double v) {
  if (v > *m) *m = v;
}

/* m_i := the largest of |d_i M_ij d_j| and |d_j M_ji d_i| over j. */
static void largest_entries(interior *w, double *m) {
  memset(m, 0, (size_t)w->n * sizeof *m);
  for (int32_t i = 0; i < w->n; i++) {
    const matrix_row row = row_read(&w->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const double e = fabs(row.value[c]) * w->d[i] * w->d[row.column[c]];
      raise_to(&m[i], e);
      raise_to(&m[row.column[c]], e);
    }
  }
}

static void equilibrate(interior *w) {
  for (int32_t i = 0; i < w->n; i++) w->d[i] = 1;
  for (int pass = 0; pass < PASSES; pass++) {
    largest_entries(w, w->a);
    for (int32_t i = 0; i < w->n; i++)
      if (w->a[i] >= DBL_MIN && w->a[i] <= DBL_MAX) w->d[i] /= sqrt(w->a[i]);
  }
  for (int32_t i = 0; i < w->n; i++) w->d[i] = power_of_two(w->d[i]);
}

static void scale_bounds(interior *w, int32_t i) {
  const double l = w->session->lower[i], u = w->session->upper[i], unit = w->d[i] * w->factor;
  const int below = l >= -DBL_MAX, above = u <= DBL_MAX;
  int kind = INTERIOR_FREE | (below ? INTERIOR_BELOW : 0) | (above ? INTERIOR_ABOVE : 0);
  if (below && above && !(l < u)) kind = INTERIOR_FIXED;
  w->kind[i] = (unsigned char)kind;
  w->side[0].bound[i] = below ? (l - w->p[i]) / unit : 0;
  w->side[1].bound[i] = above ? (u - w->p[i]) / unit : 0;
}

int perp_interior_scale(interior *w) {
  const size_t n = (size_t)w->n;
  double size = 0;
  equilibrate(w);
  for (size_t i = 0; i < n; i++)
    w->p[i] = nearest_to_zero(w->session->lower[i], w->session->upper[i]);
  memcpy(w->q, w->session->problem->q, n * sizeof *w->q);
  perp_matrix_multiply_add(w->M, w->p, w->q);
  for (size_t i = 0; i < n; i++) {
    w->q[i] *= w->d[i];
    raise_to(&size, fabs(w->q[i]));
  }
  w->factor = power_of_two(size);
  for (size_t i = 0; i < n; i++) w->q[i] /= w->factor;
  for (int32_t i = 0; i < w->n; i++) scale_bounds(w, i);
  return all_finite(n, w->q) && all_finite(n, w->d) && all_finite(n, w->side[0].bound) &&
         all_finite(n, w->side[1].bound);
}

void perp_interior_product(interior *w, const double *x, double *out) {
  for (int32_t i = 0; i < w->n; i++) {
    w->b[i] = w->d[i] * x[i];
    out[i] = 0;
  }
  perp_matrix_multiply_add(w->M, w->b, out);
  for (int32_t i = 0; i < w->n; i++) out[i] *= w->d[i];
}

/* --- which factor ---------------------------------------------------------------------------- */

int perp_interior_choose(interior *w) {
  const int dense = w->M->kind == PERP_DENSE;
  w->K.way = w->options->sparse != NULL && !dense ? FACTOR_SPARSE : FACTOR_LU;
  if ((dense || w->narrow) && perp_factor_symmetric(w->M, w->d, 2 * SAME, w->session->scratch))
    w->K.way = dense ? FACTOR_CHOLESKY : FACTOR_ENVELOPE;
  return w->K.way != FACTOR_LU || w->K.dense != NULL;
}

/* --- factor ---------------------------------------------------------------------------------- */

/* K := A_FF + diag, k x k without gaps, moved together within the n x n copy of M. */
static void gather_dense(interior *w, const double *D, double rho) {
  const size_t n = (size_t)w->n, k = (size_t)w->k;
  double *K = w->K.dense;
  perp_matrix_to_dense(w->M, K, w->n);
  for (size_t b = 0; b < k; b++) {
    const size_t j = (size_t)w->member[b];
    for (size_t a = 0; a < k; a++) {
      const size_t i = (size_t)w->member[a];
      K[a + k * b] = K[i + n * j] * (w->d[i] * w->d[j]);
    }
    K[b + k * b] += rho + (D == NULL ? 0 : D[j]);
  }
}

/* Row i from place at on, its diagonal first; returns the place behind it. The envelope factor
 * wants the lower triangle only, and no rows outside F. */
static int32_t gather_row(interior *w, int32_t i, int32_t at, double diagonal) {
  const int32_t *position = w->K.env.position, pivot = at;
  const int lower = w->K.way == FACTOR_ENVELOPE;
  const matrix_row row = row_read(&w->rows, i);
  w->K.index[at] = i;
  w->K.values[at++] = position[i] < 0 ? 1 : diagonal;
  for (int32_t c = 0; c < row.count; c++) {
    const int32_t j = row.column[c];
    const int inside = position[i] >= 0 && position[j] >= 0;
    const double v = inside ? row.value[c] * (w->d[i] * w->d[j]) : 0;
    if (j == i) {
      w->K.values[pivot] += v;
    } else if (j < i || !lower) {
      w->K.index[at] = j;
      w->K.values[at++] = v;
    }
  }
  return at;
}

static void gather_sparse(interior *w, const double *D, double rho) {
  int32_t at = 0;
  memset(w->K.env.position, 0xff, (size_t)w->n * sizeof *w->K.env.position); /* all -1 */
  for (int32_t b = 0; b < w->k; b++) w->K.env.position[w->member[b]] = b;
  for (int32_t i = 0; i < w->n; i++) {
    w->K.start[i] = at;
    at = gather_row(w, i, at, rho + (D == NULL ? 0 : D[i]));
  }
  w->K.start[w->n] = at;
}

int perp_interior_factor(interior *w, const double *D, double rho) {
  const int dense = w->K.way <= FACTOR_LU;
  w->K.n = dense ? w->k : w->n;
  w->K.env.rows = w->k;
  if (dense)
    gather_dense(w, D, rho);
  else
    gather_sparse(w, D, rho);
  return perp_factor_make(&w->K, 0) == PERP_OK;
}

void perp_interior_solve(interior *w, double *x) {
  const int whole = w->K.way == FACTOR_SPARSE;
  double *b = w->a;
  if (whole) memset(b, 0, (size_t)w->n * sizeof *b);
  for (int32_t i = 0; i < w->k; i++) b[whole ? w->member[i] : i] = x[w->member[i]];
  (void)perp_factor_solve(&w->K, b);
  memset(x, 0, (size_t)w->n * sizeof *x);
  for (int32_t i = 0; i < w->k; i++) x[w->member[i]] = b[whole ? w->member[i] : i];
}
