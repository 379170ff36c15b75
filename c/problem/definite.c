/* SPDX-License-Identifier: MIT */
#include "problem/definite.h"

#include <math.h>
#include <string.h>

/* Part of the norm by which an eigenvalue may be negative: files carry six digits. */
static const double allowed = 1e-5;

enum { MOST = 5 };

/* Add what row i (of row block r of height rows, at down within it) has in columns begin ... */
static void add_blocks(const perp_matrix *M, const block_reader *at, int32_t begin, int32_t size,
                       double *B) {
  const double *v = at->next;
  const int32_t r = at->row;
  const int32_t top = M->offset == NULL ? r : M->offset[r];
  const int32_t rows = M->offset == NULL ? 1 : M->offset[r + 1] - top;
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
    const int32_t c = M->index[b], left = M->offset == NULL ? c : M->offset[c];
    const int32_t cols = M->offset == NULL ? 1 : M->offset[c + 1] - left;
    for (int32_t j = 0; j < cols; j++, v += rows) {
      const int32_t column = left + j - begin;
      if (column < 0 || column >= size) continue;
      for (int32_t i = 0; i < rows; i++)
        if (top + i >= begin && top + i < begin + size) B[top + i - begin + size * column] += v[i];
    }
  }
}

static void next_row(const perp_matrix *M, block_reader *reader) {
  const int32_t r = reader->row++;
  const int32_t rows = M->offset == NULL ? 1 : M->offset[r + 1] - M->offset[r];
  for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
    const int32_t c = M->index[b];
    reader->next +=
        (size_t)rows * (size_t)(M->offset == NULL ? 1 : M->offset[c + 1] - M->offset[c]);
  }
}

void perp_block_read(const perp_matrix *M, block_reader *reader, int32_t begin, int32_t size,
                     double *B) {
  memset(B, 0, (size_t)(size * size) * sizeof *B);
  for (int32_t j = 0; j < size && M->kind == PERP_DENSE; j++)
    memcpy(B + size * j, M->values + (size_t)begin + (size_t)M->ld * (size_t)(begin + j),
           (size_t)size * sizeof *B);
  for (int32_t j = 0; j < size && M->kind == PERP_DIAGONAL; j++)
    B[j + size * j] = M->values[begin + j];
  if (M->kind != PERP_BLOCKS) return;
  while (reader->row < M->block_rows &&
         (M->offset == NULL ? reader->row + 1 : M->offset[reader->row + 1]) <= begin)
    next_row(M, reader);
  for (block_reader at = *reader; at.row < M->block_rows; next_row(M, &at)) {
    if ((M->offset == NULL ? at.row : M->offset[at.row]) >= begin + size) break;
    add_blocks(M, &at, begin, size, B);
  }
}

/* Cholesky of the symmetric part, lifted: it ends early where that is not positive definite. */
static int indefinite(int32_t size, double *B) {
  double norm = 0;
  for (int32_t k = 0; k < size * size; k++) norm += B[k] * B[k];
  const double lift = allowed * sqrt(norm);
  for (int32_t j = 0; j < size; j++)
    for (int32_t i = j; i < size; i++)
      B[i + size * j] = 0.5 * (B[i + size * j] + B[j + size * i]) + (i == j ? lift : 0);
  for (int32_t j = 0; j < size; j++) {
    for (int32_t k = 0; k < j; k++)
      for (int32_t i = j; i < size; i++) B[i + size * j] -= B[i + size * k] * B[j + size * k];
    if (B[j + size * j] < 0) return 1;
    const double root = sqrt(B[j + size * j]);
    for (int32_t i = j; i < size; i++) B[i + size * j] = root > 0 ? B[i + size * j] / root : 0;
  }
  return 0;
}

int32_t perp_problem_indefinite(const perp_problem *problem) {
  block_reader reader = block_reader_open(&problem->M);
  double B[MOST * MOST];
  for (int32_t b = 0, begin = 0, end; b < problem->n_blocks; b++, begin = end) {
    const perp_law *law = problem->laws[b];
    const int32_t set = law->ops->set;
    end = problem->offset == NULL ? begin + law->size : problem->offset[b + 1];
    if (set != PERP_SET_CONE && set != PERP_SET_ROLLING) continue;
    for (int32_t i = begin; i < end; i += law->size) {
      perp_block_read(&problem->M, &reader, i, law->size, B);
      if (indefinite(law->size, B)) return b;
    }
  }
  return -1;
}
