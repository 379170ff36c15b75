/* SPDX-License-Identifier: MIT */
/* y += w A'x for matrix views: the columns of every stored block meet the x of its rows. */
#include <math.h>

#include "linalg/matrix.h"

typedef struct product {
  double w;
  const double *x;
  double *y, *size;
} product;

static void add_block(const product *p, int32_t rows, int32_t cols, const double *a, int32_t ld,
                      int32_t row, int32_t col) {
  if (rows == 0) return; /* nor need there be values */
  for (int32_t j = 0; j < cols; j++) {
    const double *v = a + (size_t)ld * (size_t)j, *x = p->x + row;
    double sum = 0, terms = 0;
    for (int32_t i = 0; i < rows; i++) {
      double t = p->w * x[i] * v[i];
      sum += t;
      terms += fabs(t);
    }
    p->y[col + j] += sum;
    if (p->size != NULL) p->size[col + j] += terms;
  }
}

static void add_blocks(const product *p, const perp_matrix *A) {
  const double *v = A->values;
  for (int32_t r = 0; r < A->block_rows; r++) {
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      int32_t c = A->index[b], row = r, col = c, rows = 1, cols = 1;
      if (A->offset != NULL) {
        row = A->offset[r];
        col = A->offset[c];
        rows = A->offset[r + 1] - row;
        cols = A->offset[c + 1] - col;
      }
      add_block(p, rows, cols, v, rows, row, col);
      v += (size_t)rows * (size_t)cols;
    }
  }
}

void perp_matrix_transpose_multiply_add(const perp_matrix *A, double w, const double *x, double *y,
                                        double *size) {
  const product p = {w, x, y, size};
  if (A->kind == PERP_DENSE) add_block(&p, A->rows, A->cols, A->values, A->ld, 0, 0);
  if (A->kind == PERP_BLOCKS) add_blocks(&p, A);
  if (A->kind != PERP_DIAGONAL) return;
  for (int32_t i = 0; i < A->rows; i++) add_block(&p, 1, 1, A->values + i, 1, i, i);
}
