/* SPDX-License-Identifier: MIT */
/* A = L L^T for symmetric positive definite A, of which only the lower triangle is read and
 * written. By panels of PANEL columns, each with two columns c, c+1 at a time, both from all
 * columns before them: L[c:, c] := (A[c:, c] - L[c:, :c] L[c, :c]^T) / sqrt(pivot). A finished
 * panel is subtracted from all columns behind it. Every entry subtracts its products in the order
 * of the columns, so the panels change no bit, and there are none where size counts. */
#include <float.h>
#include <math.h>

#include "linalg/dense.h"

enum { PANEL = 32 }; /* even */

/* Turn column c, from which all earlier columns are subtracted, into a column of L. */
static perp_status finish_column(size_t n, size_t c, double *a) {
  if (!(a[c] > 0 && a[c] <= DBL_MAX)) return PERP_EINVAL;
  const double root = sqrt(a[c]);
  a[c] = root;
  for (size_t i = c + 1; i < n; i++) a[i] /= root;
  return PERP_OK;
}

#if defined(__OPTIMIZE_SIZE__)
perp_status perp_dense_cholesky(int32_t order, double *A, int32_t stride) {
  const size_t n = (size_t)order, ld = (size_t)stride;
  for (size_t c = 0; c < n; c++) {
    double *a = A + ld * c;
    for (size_t k = 0; k < c; k++)
      for (size_t i = c; i < n; i++) a[i] -= A[i + ld * k] * A[c + ld * k];
    if (finish_column(n, c, a) != PERP_OK) return PERP_EINVAL;
  }
  return PERP_OK;
}
#else
/* Columns c and c + 1, of which there may be one, -= those of the panel from column k on, p of
 * them.
 */
static void subtract_panel(size_t n, size_t c, size_t k, size_t p, double *A, size_t ld) {
  double *a = A + ld * c;
  const double *L = A + ld * k, *row = L + c;
  /* entry (c, c) alone, then the rows that both columns have */
  perp_dense_subtract_product(1, 1, p, row, ld, row, ld, 1, a + c, ld);
  perp_dense_subtract_product(n - c - 1, c + 1 < n ? 2 : 1, p, L + c + 1, ld, row, ld, 1, a + c + 1,
                              ld);
}

/* Columns of a panel, from which those before it are subtracted. */
static perp_status factor_panel(size_t n, size_t begin, size_t end, double *A, size_t ld) {
  for (size_t c = begin; c < end; c += 2) {
    double *a = A + ld * c, *b = a + ld;
    subtract_panel(n, c, begin, c - begin, A, ld);
    if (finish_column(n, c, a) != PERP_OK) return PERP_EINVAL;
    if (c + 1 == n) break;
    perp_dense_subtract_product(n - c - 1, 1, 1, a + c + 1, ld, a + c + 1, ld, 1, b + c + 1, ld);
    if (finish_column(n, c + 1, b) != PERP_OK) return PERP_EINVAL;
  }
  return PERP_OK;
}

perp_status perp_dense_cholesky(int32_t order, double *A, int32_t stride) {
  const size_t n = (size_t)order, ld = (size_t)stride;
  for (size_t k = 0; k < n; k += PANEL) {
    const size_t end = n - k < PANEL ? n : k + PANEL;
    if (factor_panel(n, k, end, A, ld) != PERP_OK) return PERP_EINVAL;
    for (size_t j = end; j < n; j += PANEL) { /* a square on the diagonal, and what is below it */
      const size_t next = n - j < PANEL ? n : j + PANEL, rows = n - next;
      for (size_t c = j; c < next; c += 2) subtract_panel(next, c, k, end - k, A, ld);
      perp_dense_subtract_product(rows, next - j, end - k, A + next + ld * k, ld, A + j + ld * k,
                                  ld, 1, A + next + ld * j, ld);
    }
  }
  return PERP_OK;
}

#endif

/* b := L^-1 b in groups of four columns. */
static void solve_lower(size_t n, const double *L, size_t ld, double *b) {
  for (size_t k = 0; k < n; k += 4) {
    const size_t end = n - k < 4 ? n : k + 4;
    for (size_t i = k; i < end; i++) {
      for (size_t c = k; c < i; c++) b[i] -= L[i + ld * c] * b[c];
      b[i] /= L[i + ld * i];
    }
    perp_dense_subtract_product(n - end, 1, end - k, L + end + ld * k, ld, b + k, 1, ld, b + end,
                                ld);
  }
}

void perp_dense_cholesky_solve(int32_t n, const double *L, int32_t ld, double *b) {
  solve_lower((size_t)n, L, (size_t)ld, b);
  for (int32_t k = n; k-- > 0;) { /* L^T b, whose rows are columns of L */
    const double *l = L + (size_t)k + (size_t)ld * (size_t)k;
    b[k] = (b[k] - perp_dense_dot(n - k - 1, l + 1, b + k + 1)) / l[0];
  }
}
