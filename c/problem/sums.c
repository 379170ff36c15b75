/* SPDX-License-Identifier: MIT */
#include "problem/sums.h"

#include <math.h>
#include <string.h>

#include "problem/residual_lcp.h"

/* What a walk over blocks works on. */
typedef struct sums {
  const perp_matrix *M;
  const double *x;
  double *y, *rows, *norm;
  const double *weight;
  double *largest; /* weighted entry of each column */
} sums;

typedef void (*block_visit)(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                            int32_t row, int32_t col);

/* Every stored block of M, at (row, col). */
static void visit_blocks(sums *s, block_visit visit) {
  const perp_matrix *M = s->M;
  const double *v = M->values;
  if (M->kind == PERP_DENSE) visit(s, M->rows, M->cols, v, M->ld, 0, 0);
  if (M->kind == PERP_DIAGONAL)
    for (int32_t i = 0; i < M->rows; i++) visit(s, 1, 1, v + i, 1, i, i);
  if (M->kind != PERP_BLOCKS) return;
  for (int32_t r = 0; r < M->block_rows; r++)
    for (int32_t k = M->start[r]; k < M->start[r + 1]; k++) {
      int32_t c = M->index[k], row = r, col = c, rows = 1, cols = 1;
      if (M->offset != NULL) {
        row = M->offset[r];
        col = M->offset[c];
        rows = M->offset[r + 1] - row;
        cols = M->offset[c + 1] - col;
      }
      visit(s, rows, cols, v, rows, row, col);
      v += (size_t)rows * (size_t)cols;
    }
}

static void visit_pass(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                       int32_t row, int32_t col) {
  perp_sums_dense(rows, cols, A, ld, s->x + col, s->y + row, s->rows + row, s->norm + col);
}

void perp_sums_blocks(const perp_matrix *M, const double *x, double *y, double *rows,
                      double *norm) {
  sums s = {M, x, y, rows, norm, NULL, NULL};
  visit_blocks(&s, visit_pass);
}

/* ---- norms of weighted columns, whatever their squares are ---- */

static double weighted(const sums *s, int32_t row, double a) {
  return s->weight == NULL ? a : s->weight[row] * a;
}

static void visit_largest(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                          int32_t row, int32_t col) {
  for (int32_t c = 0; c < cols; c++, A += ld)
    for (int32_t i = 0; i < rows; i++) {
      const double a = fabs(weighted(s, row + i, A[i]));
      if (a > s->largest[col + c]) s->largest[col + c] = a;
    }
}

static void visit_scaled_squares(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                                 int32_t row, int32_t col) {
  for (int32_t c = 0; c < cols; c++, A += ld)
    for (int32_t i = 0; i < rows; i++) {
      const double a = weighted(s, row + i, A[i]), most = s->largest[col + c];
      const double v = most > 0 ? a / most : a;
      s->norm[col + c] += v * v;
    }
}

static void visit_squares(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                          int32_t row, int32_t col) {
  for (int32_t c = 0; c < cols; c++, A += ld)
    for (int32_t i = 0; i < rows; i++) {
      const double a = weighted(s, row + i, A[i]);
      s->norm[col + c] += a * a;
    }
}

#if !defined(__OPTIMIZE_SIZE__)
/* Of compressed rows, without a call for each entry. */
static void row_squares(sums *s) {
  const perp_matrix *M = s->M;
  for (int32_t i = 0; i < M->rows; i++) {
    const double w = s->weight == NULL ? 1 : s->weight[i];
    for (int32_t k = M->start[i]; k < M->start[i + 1]; k++) {
      const double a = w * M->values[k];
      s->norm[M->index[k]] += a * a;
    }
  }
}

#endif

void perp_sums_norms(const perp_matrix *M, const double *weight, double *norm, double *scratch) {
  sums s = {M, NULL, NULL, NULL, norm, weight, scratch};
  const size_t n = (size_t)M->cols;
  if (n == 0) return;
  memset(norm, 0, n * sizeof *norm);
#if !defined(__OPTIMIZE_SIZE__)
  if (M->kind == PERP_BLOCKS && M->offset == NULL)
    row_squares(&s);
  else
#endif
    visit_blocks(&s, visit_squares);
  if (!perp_residual_norms(M->cols, norm)) return;
  memset(scratch, 0, n * sizeof *scratch);
  memset(norm, 0, n * sizeof *norm);
  visit_blocks(&s, visit_largest);
  visit_blocks(&s, visit_scaled_squares);
  for (size_t i = 0; i < n; i++) norm[i] = sqrt(norm[i]) * scratch[i];
}

/* ---- twice the precision ---- */

static void visit_twofold(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                          int32_t row, int32_t col) {
  perp_sums_twofold_dense(rows, cols, A, ld, s->x + col, s->y + row, s->rows + row);
}

void perp_sums_twofold(const perp_matrix *M, const double *x, const double *q, double *y,
                       double *low) {
  sums s = {M, x, y, low, NULL, NULL, NULL};
  const size_t n = (size_t)M->rows;
  if (n == 0) return;
  memcpy(y, q, n * sizeof *y);
  memset(low, 0, n * sizeof *low);
  visit_blocks(&s, visit_twofold);
  for (size_t i = 0; i < n; i++) y[i] += low[i];
}
