/* SPDX-License-Identifier: MIT */
#include "portfolio/classify.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"

/* Entries that differ by less, in parts of their size or of the largest diagonal entry, are equal:
 * M = H W⁻¹ Hᵀ is symmetric up to rounding only. */
static const double rounding = 1e-13;

enum { TILE = 32 };

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

/* Rows and columns i0 ... and j0 ... of M against each other. */
static int tile_symmetric(const double *A, size_t ld, int32_t n, int32_t i0, int32_t j0,
                          double noise) {
  const int32_t i1 = smaller(i0 + TILE, n), j1 = smaller(j0 + TILE, n);
  int differ = 0;
  for (int32_t j = j0; j < j1; j++)
    for (int32_t i = i0; i < i1; i++) {
      const double a = A[(size_t)i + ld * (size_t)j], b = A[(size_t)j + ld * (size_t)i];
      differ |= !(fabs(a - b) <= rounding * (fabs(a) + fabs(b)) + noise);
    }
  return !differ;
}

/* What differences are noise whatever the entries are. */
static double noise_level(const perp_matrix *M) {
  double largest = 0;
  for (int32_t i = 0; i < M->rows; i++) {
    const double d = fabs(M->values[((size_t)M->ld + 1) * (size_t)i]);
    largest = d > largest ? d : largest;
  }
  return 0.01 * rounding * largest;
}

static int dense_symmetric(const perp_matrix *M) {
  const int32_t n = M->rows;
  const size_t ld = (size_t)M->ld;
  const double noise = noise_level(M);
  for (int32_t j = 0; j < n; j += TILE)
    for (int32_t i = j; i < n; i += TILE)
      if (!tile_symmetric(M->values, ld, n, i, j, noise)) return 0;
  return 1;
}

/* Numbers in [0.5, 1.5) without pattern. */
static void fill(int32_t n, uint32_t seed, double *x) {
  for (int32_t i = 0; i < n; i++) {
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    x[i] = 0.5 + (double)(seed >> 8) / 16777216.0;
  }
}

static int bilinear_symmetric(const perp_matrix *M, double *scratch) {
  const int32_t n = M->rows;
  double *u = scratch, *v = scratch + n, *y = scratch + 2 * (size_t)n;
  fill(n, 1, u);
  fill(n, 2, v);
  memset(y, 0, (size_t)n * sizeof *y);
  perp_matrix_multiply_add(M, v, y);
  const double uMv = perp_dense_dot(n, u, y);
  memset(y, 0, (size_t)n * sizeof *y);
  perp_matrix_multiply_add(M, u, y);
  const double vMu = perp_dense_dot(n, v, y);
  for (int32_t i = 0; i < n; i++) y[i] = fabs(y[i]);
  return fabs(uMv - vMu) <= 1e-12 * perp_dense_dot(n, v, y);
}

int perp_matrix_symmetric(const perp_matrix *M, double *scratch) {
  if (M->kind == PERP_DENSE) return dense_symmetric(M);
  return M->kind == PERP_BLOCKS ? bilinear_symmetric(M, scratch) : 1;
}

int perp_matrix_looks_symmetric(const perp_matrix *M) {
  if (M->kind != PERP_DENSE) return 1;
  const int32_t n = M->rows, apart[3] = {1, n / 3, n / 2};
  const size_t ld = (size_t)M->ld;
  const double noise = noise_level(M);
  int differ = 0;
  for (int32_t k = 0; k < 3; k++)
    for (int32_t i = 0, j = apart[k]; j < n; i++, j++) {
      const double a = M->values[(size_t)i + ld * (size_t)j];
      const double b = M->values[(size_t)j + ld * (size_t)i];
      differ |= !(fabs(a - b) <= rounding * (fabs(a) + fabs(b)) + noise);
    }
  return !differ;
}
