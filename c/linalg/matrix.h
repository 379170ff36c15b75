/* SPDX-License-Identifier: MIT */
/* Products and copies of matrix views for the layers above, on views that were checked before.
 * A pair (r, c) of blocks that appears twice counts twice. Entries that are not stored meet no
 * entry of x, so a NaN there is not seen. */
#ifndef PERP_LINALG_MATRIX_H
#define PERP_LINALG_MATRIX_H

#include "perp/matrix.h"

/* Those of a square A in blocks, see perp_matrix_entries(). */
uint64_t perp_matrix_block_entries(const perp_matrix *A, uint64_t *enveloped);

/* Stored entries of a square A, multiply-adds of a product; enveloped := those of each row from the
 * first stored column, or the diagonal, to the diagonal. */
static inline uint64_t perp_matrix_entries(const perp_matrix *A, uint64_t *enveloped) {
  const uint64_t n = (uint64_t)A->rows;
  if (A->kind == PERP_BLOCKS) return perp_matrix_block_entries(A, enveloped);
  *enveloped = A->kind == PERP_DENSE ? n * (n + 1) / 2 : n;
  return A->kind == PERP_DENSE ? n * n : A->kind == PERP_DIAGONAL ? n : 0;
}

/* Multiply-adds of a product or a sweep. */
static inline double perp_matrix_work(const perp_matrix *A) {
  uint64_t enveloped;
  return (double)perp_matrix_entries(A, &enveloped);
}

/* Whether compressed rows of a square A, n of them, have all their entries in order: those of a
 * dense matrix by rows. For a small n known to the compiler. */
static inline int matrix_is_by_rows(int32_t n, const perp_matrix *A) {
  int32_t other = 0;
  if (A->kind != PERP_BLOCKS || A->offset != NULL) return 0;
  for (int32_t i = 0; i <= n; i++) other |= A->start[i] ^ n * i;
  if (other != 0) return 0;
  for (int32_t i = 0; i < n * n; i += n)
    for (int32_t j = 0; j < n; j++) other |= A->index[i + j] ^ j;
  return other == 0;
}

/* y (rows) += A x, every y[i] in the order in which the entries of its row are stored. */
void perp_matrix_multiply_add(const perp_matrix *A, const double *x, double *y);

/* y (rows) += |A| x, entry by entry. */
void perp_matrix_absolute_multiply_add(const perp_matrix *A, const double *x, double *y);

/* out (rows) := A_ii of a square A. */
void perp_matrix_diagonal(const perp_matrix *A, double *out);

/* y (cols) += w A'x, size (cols; NULL: not wanted) += |A|'|w x|. */
void perp_matrix_transpose_multiply_add(const perp_matrix *A, double w, const double *x, double *y,
                                        double *size);

/* out (rows x cols, stride ld) += w A. */
void perp_matrix_add_to_dense(const perp_matrix *A, double w, double *out, int32_t ld);

/* out (rows x cols, stride ld) := A. */
void perp_matrix_to_dense(const perp_matrix *A, double *out, int32_t ld);

/* Entries of a matrix that its values hold, gaps between columns not counted. */
size_t perp_matrix_stored(const perp_matrix *A);

#endif
