/* SPDX-License-Identifier: MIT */
/* Whether a matrix view is well formed. An array is read only where the fields checked before say
 * that it must be there, so any numbers in the struct are safe; lengths of arrays are believed. */
#include "base/info.h"
#include "perp/matrix.h"

/* Doubles that one object can have at most. */
static const uint64_t max_doubles = PTRDIFF_MAX / sizeof(double);

static perp_status invalid(perp_info *info, const char *field, int32_t index, int32_t value) {
  return fail(info, PERP_EINVAL, field, index, value);
}

static perp_status check_dense(const perp_matrix *A, perp_info *info) {
  if (A->ld < A->rows) return invalid(info, "ld", -1, A->ld);
  if (A->rows == 0 || A->cols == 0) return PERP_OK;
  if (A->values == NULL) return fail_field(info, "values", -1);
  const uint64_t doubles = (uint64_t)A->ld * (uint64_t)(A->cols - 1) + (uint64_t)A->rows;
  return doubles <= max_doubles ? PERP_OK : invalid(info, "ld", -1, A->ld);
}

static perp_status check_diagonal(const perp_matrix *A, perp_info *info) {
  if (A->cols != A->rows) return invalid(info, "cols", -1, A->cols);
  return A->values == NULL && A->rows > 0 ? fail_field(info, "values", -1) : PERP_OK;
}

/* 0 = offset[0] < ... < offset[block_rows] = rows. */
static perp_status check_cuts(const perp_matrix *A, perp_info *info) {
  const int32_t *offset = A->offset;
  if (offset[0] != 0) return invalid(info, "offset", 0, offset[0]);
  for (int32_t r = 0; r < A->block_rows; r++)
    if (offset[r + 1] <= offset[r]) return invalid(info, "offset", r + 1, offset[r + 1]);
  const int32_t last = offset[A->block_rows];
  return last == A->rows ? PERP_OK : invalid(info, "offset", A->block_rows, last);
}

/* 0 = start[0] <= ... <= start[block_rows]. */
static perp_status check_start(const perp_matrix *A, perp_info *info) {
  const int32_t *start = A->start;
  if (start[0] != 0) return invalid(info, "start", 0, start[0]);
  for (int32_t r = 0; r < A->block_rows; r++)
    if (start[r + 1] < start[r]) return invalid(info, "start", r + 1, start[r + 1]);
  return PERP_OK;
}

static int contains(const int32_t *index, int32_t begin, int32_t end, int32_t column) {
  for (int32_t b = begin; b < end; b++)
    if (index[b] == column) return 1;
  return 0;
}

/* Block columns in range, none twice in a row. Only a column that does not exceed all before it
 * is searched for, so ordered rows cost one pass. */
static perp_status check_columns(const perp_matrix *A, perp_info *info) {
  const int32_t columns = A->offset == NULL ? A->cols : A->block_rows;
  for (int32_t r = 0; r < A->block_rows; r++) {
    int32_t largest = -1;
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      const int32_t c = A->index[b];
      if (c < 0 || c >= columns) return invalid(info, "index", b, c);
      if (c <= largest && contains(A->index, A->start[r], b, c))
        return invalid(info, "index", b, c);
      if (c > largest) largest = c;
    }
  }
  return PERP_OK;
}

/* The entries of all blocks fit into one object. */
static perp_status check_extent(const perp_matrix *A, perp_info *info) {
  uint64_t room = max_doubles;
  for (int32_t r = 0; r < A->block_rows; r++) {
    const int32_t rows = A->offset == NULL ? 1 : A->offset[r + 1] - A->offset[r];
    for (int32_t b = A->start[r]; b < A->start[r + 1]; b++) {
      const int32_t c = A->index[b], cols = A->offset == NULL ? 1 : A->offset[c + 1] - A->offset[c];
      const uint64_t entries = (uint64_t)rows * (uint64_t)cols;
      if (entries > room) return invalid(info, "values", b, 0);
      room -= entries;
    }
  }
  return PERP_OK;
}

static perp_status check_blocks(const perp_matrix *A, perp_info *info) {
  if (A->offset != NULL && A->cols != A->rows) return invalid(info, "cols", -1, A->cols);
  const int narrow = A->offset == NULL ? A->block_rows != A->rows : A->block_rows > A->rows;
  if (A->block_rows < 0 || narrow || (A->block_rows == 0 && A->rows > 0))
    return invalid(info, "block_rows", -1, A->block_rows);
  if (A->block_rows == 0) return PERP_OK;
  if (A->start == NULL) return fail_field(info, "start", -1);
  perp_status status = A->offset != NULL ? check_cuts(A, info) : PERP_OK;
  if (status == PERP_OK) status = check_start(A, info);
  if (status != PERP_OK || A->start[A->block_rows] == 0) return status;
  if (A->index == NULL) return fail_field(info, "index", -1);
  if (A->values == NULL) return fail_field(info, "values", -1);
  status = check_columns(A, info);
  return status == PERP_OK && A->offset != NULL ? check_extent(A, info) : status;
}

perp_status perp_matrix_check(const perp_matrix *A, perp_info *info) {
  info_clear(info);
  if (A == NULL) return fail_field(info, "matrix", -1);
  if (A->rows < 0) return invalid(info, "rows", -1, A->rows);
  if (A->cols < 0) return invalid(info, "cols", -1, A->cols);
  if (A->reserved != 0) return invalid(info, "reserved", -1, A->reserved);
  switch (A->kind) {
    case PERP_ZERO:
      return PERP_OK;
    case PERP_DIAGONAL:
      return check_diagonal(A, info);
    case PERP_DENSE:
      return check_dense(A, info);
    case PERP_BLOCKS:
      return check_blocks(A, info);
    default:
      return invalid(info, "kind", -1, A->kind);
  }
}
