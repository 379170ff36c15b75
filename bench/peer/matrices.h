/* SPDX-License-Identifier: MIT */
/* Our matrices as the peer's. Nothing is ever freed: the process ends with the measurement. */
#ifndef BENCH_PEER_MATRICES_H
#define BENCH_PEER_MATRICES_H

#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SparseBlockMatrix.h>
#include <stdlib.h>
#include <string.h>

#include "perp/matrix.h"

/* The peer's block rows of ours. */
static NumericsMatrix *block_rows(const perp_matrix *M) {
  const int rows = M->block_rows, blocks = M->start[rows];
  SparseBlockStructuredMatrix *s = SBM_new();
  s->nbblocks = (unsigned)blocks;
  s->block = (double **)malloc((size_t)blocks * sizeof *s->block);
  s->blocknumber0 = s->blocknumber1 = (unsigned)rows;
  s->blocksize0 = (unsigned *)malloc((size_t)rows * sizeof *s->blocksize0);
  s->blocksize1 = (unsigned *)malloc((size_t)rows * sizeof *s->blocksize1);
  s->filled1 = (size_t)rows + 1;
  s->filled2 = (size_t)blocks;
  s->index1_data = (size_t *)malloc(s->filled1 * sizeof *s->index1_data);
  s->index2_data = (size_t *)malloc(s->filled2 * sizeof *s->index2_data);
  double *at = (double *)M->values; /* not written to */
  s->index1_data[0] = 0;
  for (int r = 0; r < rows; r++) {
    s->blocksize0[r] = s->blocksize1[r] = (unsigned)M->offset[r + 1];
    s->index1_data[r + 1] = (size_t)M->start[r + 1];
    for (int k = M->start[r]; k < M->start[r + 1]; k++) {
      const int c = M->index[k];
      s->index2_data[k] = (size_t)c;
      s->block[k] = at;
      at += (M->offset[r + 1] - M->offset[r]) * (M->offset[c + 1] - M->offset[c]);
    }
  }
  return NM_new_SBM(M->rows, M->cols, s);
}

/* Compressed rows as a dense array. */
static NumericsMatrix *dense_copy(const perp_matrix *M) {
  NumericsMatrix *A = NM_create(NM_DENSE, M->rows, M->cols);
  memset(A->matrix0, 0, (size_t)M->rows * (size_t)M->cols * sizeof *A->matrix0);
  for (int i = 0; i < M->rows; i++)
    for (int k = M->start[i]; k < M->start[i + 1]; k++)
      A->matrix0[(size_t)i + (size_t)M->rows * (size_t)M->index[k]] = M->values[k];
  return A;
}

static NumericsMatrix *matrix(const perp_matrix *M) {
  if (M->kind == PERP_BLOCKS && M->offset != NULL) return block_rows(M);
  if (M->kind == PERP_BLOCKS) return dense_copy(M);
  return NM_create_from_data(NM_DENSE, M->rows, M->cols, (double *)M->values);
}

static double *copy(const double *x, int n) {
  double *y = (double *)malloc((size_t)n * sizeof *y);
  return memcpy(y, x, (size_t)n * sizeof *y);
}

#endif
