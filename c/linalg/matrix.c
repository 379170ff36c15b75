/* SPDX-License-Identifier: MIT */
/* Matrix views: products, entries, copies of
 *     zero, diagonal, dense, and block rows.
 * Block b of block row r covers the rows cut(r) ... cut(r + 1) - 1 and the columns cut(index[b])
 * ...; the blocks lie in values one after another, so every walk over them starts at the top. */
#include "linalg/matrix.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

static int32_t cut(const perp_matrix *A, int32_t block) {
  return A->offset == NULL ? block : A->offset[block];
}

static int32_t width(const perp_matrix *A, int32_t block) {
  return cut(A, block + 1) - cut(A, block);
}

/* first: the first stored column of block row r. */
static uint64_t row_entries(const perp_matrix *A, int32_t r, int32_t *first) {
  uint64_t cols = 0;
  *first = r;
  for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
    const int32_t c = A->index[b];
    if (c < *first) *first = c;
    cols += (uint64_t)width(A, c);
  }
  return (uint64_t)width(A, r) * cols;
}

uint64_t perp_matrix_block_entries(const perp_matrix *A, uint64_t *enveloped) {
  uint64_t entries = 0;
  *enveloped = 0;
  for (int32_t r = 0, first; r < A->block_rows; r++) {
    const uint64_t rows = (uint64_t)width(A, r);
    entries += row_entries(A, r, &first);
    *enveloped += rows * (uint64_t)(cut(A, r) - cut(A, first)) + rows * (rows + 1) / 2;
  }
  return entries;
}

static void multiply_add_rows(const perp_matrix *A, const double *restrict x, double *restrict y) {
  const int32_t *start = A->start, *index = A->index;
  const double *values = A->values;
  for (int32_t i = 0; i < A->rows; i++) {
    double sum = y[i];
    for (int32_t b = start[i]; b < start[i + 1]; b++) sum += values[b] * x[index[b]];
    y[i] = sum;
  }
}

static void absolute_multiply_add_rows(const perp_matrix *A, const double *restrict x,
                                       double *restrict y) {
  const int32_t *start = A->start, *index = A->index;
  const double *values = A->values;
  for (int32_t i = 0; i < A->rows; i++) {
    double sum = y[i];
    for (int32_t b = start[i]; b < start[i + 1]; b++) sum += fabs(values[b]) * x[index[b]];
    y[i] = sum;
  }
}

static void multiply_add_blocks(const perp_matrix *A, const double *x, double *y) {
  const double *v = A->values;
  for (int32_t r = 0; r < A->block_rows; r++) {
    const int32_t rows = width(A, r);
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      const int32_t c = A->index[b], cols = width(A, c);
      perp_dense_multiply_add(rows, cols, v, rows, x + cut(A, c), y + cut(A, r));
      v += (size_t)rows * (size_t)cols;
    }
  }
}

void perp_matrix_multiply_add(const perp_matrix *A, const double *x, double *y) {
  switch (A->kind) {
    case PERP_DIAGONAL:
      for (int32_t i = 0; i < A->rows; i++) y[i] += A->values[i] * x[i];
      break;
    case PERP_DENSE:
      perp_dense_multiply_add(A->rows, A->cols, A->values, A->ld, x, y);
      break;
    case PERP_BLOCKS:
      if (A->offset == NULL)
        multiply_add_rows(A, x, y);
      else
        multiply_add_blocks(A, x, y);
      break;
    default:
      break; /* PERP_ZERO */
  }
}

/* y += |A| x for a dense block. */
static void absolute_multiply_add(int32_t rows, int32_t cols, const double *A, int32_t ld,
                                  const double *x, double *y) {
  for (int32_t j = 0; j < cols; j++) {
    const double *a = A + (size_t)ld * (size_t)j;
    for (int32_t i = 0; i < rows; i++) y[i] += fabs(a[i]) * x[j];
  }
}

static void absolute_multiply_add_blocks(const perp_matrix *A, const double *x, double *y) {
  const double *v = A->values;
  for (int32_t r = 0; r < A->block_rows; r++) {
    const int32_t rows = width(A, r);
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      const int32_t c = A->index[b], cols = width(A, c);
      absolute_multiply_add(rows, cols, v, rows, x + cut(A, c), y + cut(A, r));
      v += (size_t)rows * (size_t)cols;
    }
  }
}

void perp_matrix_absolute_multiply_add(const perp_matrix *A, const double *x, double *y) {
  switch (A->kind) {
    case PERP_DIAGONAL:
      for (int32_t i = 0; i < A->rows; i++) y[i] += fabs(A->values[i]) * x[i];
      break;
    case PERP_DENSE:
      absolute_multiply_add(A->rows, A->cols, A->values, A->ld, x, y);
      break;
    case PERP_BLOCKS:
      if (A->offset == NULL)
        absolute_multiply_add_rows(A, x, y);
      else
        absolute_multiply_add_blocks(A, x, y);
      break;
    default:
      break; /* PERP_ZERO */
  }
}

static void diagonal_of_blocks(const perp_matrix *A, double *out) {
  const double *v = A->values;
  for (int32_t r = 0; r < A->block_rows; r++) {
    const size_t rows = (size_t)width(A, r);
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      for (size_t i = 0; i < rows && A->index[b] == r; i++)
        out[cut(A, r) + (int32_t)i] += v[i + rows * i];
      v += rows * (size_t)width(A, A->index[b]);
    }
  }
}

void perp_matrix_diagonal(const perp_matrix *A, double *out) {
  for (int32_t i = 0; i < A->rows; i++) {
    out[i] = 0;
    if (A->kind == PERP_DIAGONAL) out[i] = A->values[i];
    if (A->kind == PERP_DENSE) out[i] = A->values[(size_t)i + (size_t)A->ld * (size_t)i];
  }
  if (A->kind == PERP_BLOCKS) diagonal_of_blocks(A, out);
}

/* out += w V for a dense block V. */
static void add_block(int32_t rows, int32_t cols, const double *V, int32_t ldv, double w,
                      double *out, int32_t ld) {
  for (int32_t j = 0; j < cols; j++)
    perp_dense_axpy(rows, w, V + (size_t)ldv * (size_t)j, out + (size_t)ld * (size_t)j);
}

void perp_matrix_add_to_dense(const perp_matrix *A, double w, double *out, int32_t ld) {
  const double *v = A->values;
  if (A->kind == PERP_DIAGONAL)
    for (int32_t i = 0; i < A->rows; i++) out[(size_t)i + (size_t)ld * (size_t)i] += w * v[i];
  if (A->kind == PERP_DENSE) add_block(A->rows, A->cols, v, A->ld, w, out, ld);
  if (A->kind != PERP_BLOCKS) return;
  for (int32_t r = 0; r < A->block_rows; r++) {
    const int32_t rows = width(A, r);
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      const int32_t c = A->index[b], cols = width(A, c);
      add_block(rows, cols, v, rows, w, out + cut(A, r) + (size_t)ld * (size_t)cut(A, c), ld);
      v += (size_t)rows * (size_t)cols;
    }
  }
}

void perp_matrix_to_dense(const perp_matrix *A, double *out, int32_t ld) {
  const size_t bytes = (size_t)A->rows * sizeof *out;
  for (size_t j = 0; j < (size_t)A->cols; j++) {
    if (A->kind == PERP_DENSE)
      memcpy(out + (size_t)ld * j, A->values + (size_t)A->ld * j, bytes);
    else
      memset(out + (size_t)ld * j, 0, bytes);
  }
  if (A->kind != PERP_DENSE) perp_matrix_add_to_dense(A, 1, out, ld);
}

size_t perp_matrix_stored(const perp_matrix *A) {
  size_t values = 0;
  if (A->kind == PERP_DIAGONAL) return (size_t)A->rows;
  if (A->kind == PERP_DENSE) return (size_t)A->rows * (size_t)A->cols;
  if (A->kind != PERP_BLOCKS) return 0;
  for (int32_t r = 0; r < A->block_rows; r++)
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++)
      values += (size_t)width(A, r) * (size_t)(A->offset == NULL ? 1 : width(A, A->index[b]));
  return values;
}

perp_status perp_matrix_multiply(const perp_matrix *A, const double *x, double *y) {
  const perp_status status = perp_matrix_check(A, NULL);
  if (status != PERP_OK) return status;
  if ((x == NULL && A->cols > 0) || (y == NULL && A->rows > 0)) return PERP_EINVAL;
  for (int32_t i = 0; i < A->rows; i++) y[i] = 0;
  perp_matrix_multiply_add(A, x, y);
  return PERP_OK;
}

static double entry_in_row(const perp_matrix *A, int32_t i, int32_t j) {
  double sum = 0;
  for (int32_t b = A->start[i]; b < A->start[i + 1]; b++)
    if (A->index[b] == j) sum += A->values[b];
  return sum;
}

static double entry_in_blocks(const perp_matrix *A, int32_t i, int32_t j) {
  const double *v = A->values;
  double sum = 0;
  for (int32_t r = 0; cut(A, r) <= i; r++) {
    const int32_t rows = width(A, r), down = i - cut(A, r);
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      const int32_t cols = width(A, A->index[b]), right = j - cut(A, A->index[b]);
      if (down < rows && right >= 0 && right < cols)
        sum += v[(size_t)down + (size_t)rows * (size_t)right];
      v += (size_t)rows * (size_t)cols;
    }
  }
  return sum;
}

/* What an entry of compressed rows reads; checking all rows would cost a pass per entry. */
static int row_readable(const perp_matrix *A, int32_t i) {
  return A->block_rows == A->rows && A->start != NULL && A->index != NULL && A->values != NULL &&
         A->start[i] >= 0;
}

double perp_matrix_entry(const perp_matrix *A, int32_t i, int32_t j) {
  if (A == NULL || i < 0 || j < 0 || i >= A->rows || j >= A->cols) return 0;
  if (A->kind == PERP_BLOCKS && A->offset == NULL)
    return row_readable(A, i) ? entry_in_row(A, i, j) : 0;
  if (perp_matrix_check(A, NULL) != PERP_OK) return 0;
  switch (A->kind) {
    case PERP_DIAGONAL:
      return i == j ? A->values[i] : 0;
    case PERP_DENSE:
      return A->values[(size_t)i + (size_t)A->ld * (size_t)j];
    case PERP_BLOCKS:
      return entry_in_blocks(A, i, j);
    default:
      return 0;
  }
}
