/* SPDX-License-Identifier: MIT */
/* P A = L U with partial pivoting, L unit lower, U upper, both in place of A.
 * By panels of PANEL columns: factor the panel, exchange its rows in all other columns, then
 *     U12 := L11^-1 A12,   A22 := A22 - L21 U12.
 * Every entry subtracts its products in the order of the textbook's outermost loop, so the result
 * has the bits of the unblocked algorithm, which stands in its place where size counts. */
#include <float.h>
#include <math.h>

#include "linalg/dense.h"

enum { PANEL = 32, QUAD = 4, SMALL = 2 * QUAD };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void exchange(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

#if !defined(__OPTIMIZE_SIZE__)
/* B (n x m) := L^-1 B, L unit lower, in groups of four columns of L. */
static void solve_lower(size_t n, size_t m, const double *L, size_t ld, double *B, size_t ldb) {
  for (size_t k = 0; k < n; k += QUAD) {
    const size_t end = smaller(k + QUAD, n);
    for (size_t j = 0; j < m; j++) {
      double *b = B + ldb * j;
      for (size_t i = k + 1; i < end; i++)
        for (size_t c = k; c < i; c++) b[i] -= L[i + ld * c] * b[c];
    }
    perp_dense_subtract_product(n - end, m, end - k, L + end + ld * k, ld, B + k, 1, ldb, B + end,
                                ldb);
  }
}

/* B (n x m) := U^-1 B, U upper, from the last rows up in groups of four columns of U. */
static void solve_upper(size_t n, size_t m, const double *U, size_t ld, double *B, size_t ldb) {
  for (size_t end = n; end > 0;) {
    const size_t k = (end - 1) / QUAD * QUAD;
    for (size_t j = 0; j < m; j++) {
      double *b = B + ldb * j;
      for (size_t i = end; i-- > k;) {
        for (size_t c = end; --c > i;) b[i] -= U[i + ld * c] * b[c];
        b[i] /= U[i + ld * i];
      }
    }
    perp_dense_subtract_product(k, m, end - k, U + ld * k, ld, B + k, 1, ldb, B, ldb);
    end = k;
  }
}

#endif

/* b (n) := U^-1 L^-1 b of a matrix with entries up to band off the diagonal, a small one unless
 * size counts, with the bits of the two above. */
static void solve_small(size_t n, size_t band, const double *LU, size_t ld, double *b) {
  for (size_t c = 0; c + 1 < n; c++)
    for (size_t i = c + 1; i < smaller(n, c + 1 + band); i++) b[i] -= LU[i + ld * c] * b[c];
  for (size_t end = n; end > 0;) {
    const size_t k = (end - 1) / QUAD * QUAD;
    for (size_t c = end; c-- > k;) {
      b[c] /= LU[c + ld * c];
      for (size_t i = c > k + band ? c - band : k; i < c; i++) b[i] -= LU[i + ld * c] * b[c];
    }
    for (size_t c = k; c < end; c++)
      for (size_t i = c > band ? c - band : 0; i < k; i++) b[i] -= LU[i + ld * c] * b[c];
    end = k;
  }
}

/* Row of the largest entry of column a from row k on; n if that is 0 or not finite. A NaN is never
 * chosen; it makes its whole row NaN, and so ends as the last pivot at the latest. */
static size_t choose_pivot(size_t n, size_t k, const double *a) {
  size_t row = n;
  double best = 0;
  for (size_t i = k; i < n; i++) {
    if (fabs(a[i]) > best) {
      best = fabs(a[i]);
      row = i;
    }
  }
  return best <= DBL_MAX ? row : n;
}

/* Factor columns begin ... end-1; exchanges rows inside these columns only. */
static perp_status factor_panel(size_t n, size_t begin, size_t end, double *A, size_t ld,
                                int32_t *pivots) {
  for (size_t k = begin; k < end; k++) {
    double *a = A + ld * k;
#if defined(__OPTIMIZE_SIZE__)
    for (size_t c = begin; c < k; c++)
      for (size_t i = c + 1; i < n; i++) a[i] -= A[i + ld * c] * a[c];
#else
    solve_lower(k - begin, 1, A + begin + ld * begin, ld, a + begin, ld);
    perp_dense_subtract_product(n - k, 1, k - begin, A + k + ld * begin, ld, a + begin, 1, ld,
                                a + k, ld);
#endif
    const size_t p = choose_pivot(n, k, a);
    if (p == n) return PERP_EINVAL;
    pivots[k] = (int32_t)p;
    if (p != k)
      for (size_t j = begin; j < end; j++) exchange(A + k + ld * j, A + p + ld * j);
    const double pivot = a[k];
    for (size_t i = k + 1; i < n; i++) a[i] /= pivot;
  }
  return PERP_OK;
}

/* Exchange the rows begin ... end-1 with their pivots in m columns. */
static void exchange_rows(size_t begin, size_t end, const int32_t *pivots, size_t m, double *B,
                          size_t ldb) {
  for (size_t j = 0; j < m; j++) {
    double *b = B + ldb * j;
    for (size_t k = begin; k < end; k++) exchange(b + k, b + pivots[k]);
  }
}

perp_status perp_dense_lu_factor(int32_t order, double *A, int32_t stride, int32_t *pivots) {
  const size_t n = (size_t)order, ld = (size_t)stride;
#if defined(__OPTIMIZE_SIZE__)
  return factor_panel(n, 0, n, A, ld, pivots);
#else
  for (size_t k = 0; k < n; k += PANEL) {
    const size_t end = smaller(k + PANEL, n);
    const perp_status status = factor_panel(n, k, end, A, ld, pivots);
    if (status != PERP_OK) return status;
    exchange_rows(k, end, pivots, k, A, ld);
    if (end == n) break;
    double *right = A + ld * end;
    exchange_rows(k, end, pivots, n - end, right, ld);
    solve_lower(end - k, n - end, A + k + ld * k, ld, right + k, ld);
    perp_dense_subtract_product(n - end, n - end, end - k, A + end + ld * k, ld, right + k, 1, ld,
                                right + end, ld);
  }
  return PERP_OK;
#endif
}

void perp_dense_lu_solve(int32_t order, int32_t count, const double *LU, int32_t stride,
                         const int32_t *pivots, double *B, int32_t ldb) {
  const size_t n = (size_t)order, ld = (size_t)stride, right = (size_t)ldb;
  if (n == 0) return;
  for (int32_t j = 0; j < count; j += PANEL) { /* few columns at a time stay near the processor */
    const size_t m = smaller(PANEL, (size_t)(count - j));
    double *b = B + right * (size_t)j;
    exchange_rows(0, n, pivots, m, b, right);
#if !defined(__OPTIMIZE_SIZE__)
    if (n > SMALL) {
      solve_lower(n, m, LU, ld, b, right);
      solve_upper(n, m, LU, ld, b, right);
      continue;
    }
#endif
    for (size_t c = 0; c < m; c++) solve_small(n, n, LU, ld, b + right * c);
  }
}

int32_t perp_dense_band(int32_t n, const double *A) {
  int32_t band = 0;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) {
      const int32_t off = i > j ? i - j : j - i;
      if (off > band && A[(size_t)i + (size_t)n * (size_t)j] != 0) band = off;
    }
  return band;
}

int32_t perp_dense_lu_band(int32_t n, const double *LU, const int32_t *pivots) {
  for (int32_t i = 0; i < n; i++)
    if (n > SMALL || pivots[i] != i) return n;
  return perp_dense_band(n, LU);
}

#if !defined(__OPTIMIZE_SIZE__)
/* b := U^-1 b, U diagonal. */
static inline void divide(size_t n, const double *restrict U, double *restrict b) {
  for (size_t i = 0; i < n; i++) b[i] /= U[i * (n + 1)];
}
#endif

void perp_dense_lu_solve_band(int32_t n, int32_t band, int32_t m, const double *LU, double *B,
                              int32_t ldb) {
  for (int32_t c = 0; c < m; c++, B += ldb) {
#if !defined(__OPTIMIZE_SIZE__)
    if (band == 0) {
      if (n == 6)
        divide(6, LU, B); /* of a body, unrolled */
      else
        divide((size_t)n, LU, B);
      continue;
    }
#endif
    solve_small((size_t)n, (size_t)band, LU, (size_t)n, B);
  }
}

/* A^T = U^T L^T P: the columns of U, then those of L, then the exchanges backwards. */
void perp_dense_lu_solve_transposed(int32_t n, const double *LU, int32_t ld, const int32_t *pivots,
                                    double *b) {
  for (int32_t i = 0; i < n; i++) {
    const double *u = LU + (size_t)ld * (size_t)i;
    b[i] = (b[i] - perp_dense_dot(i, u, b)) / u[i];
  }
  for (int32_t i = n; i-- > 0;) {
    const double *l = LU + (size_t)ld * (size_t)i;
    b[i] -= perp_dense_dot(n - i - 1, l + i + 1, b + i + 1);
  }
  for (int32_t i = n; i-- > 0;) exchange(b + i, b + pivots[i]);
}
