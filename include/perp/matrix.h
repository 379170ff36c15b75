/* SPDX-License-Identifier: MIT */
/** @file matrix.h
 * Const views of matrices in the caller's memory: zero, diagonal, dense, block-sparse. */
#ifndef PERP_MATRIX_H
#define PERP_MATRIX_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the entries of a ::perp_matrix are stored. */
enum {
  PERP_ZERO = 0,     /**< all entries 0; what a zeroed perp_matrix says         */
  PERP_DIAGONAL = 1, /**< values[i]                                             */
  PERP_DENSE = 2,    /**< values[i + ld*j], column-major                        */
  PERP_BLOCKS = 3 /**< block rows, each block dense and column-major; square, or of 1 x 1 blocks */
};

/**
 * A const view of a matrix; owns nothing.
 *
 * Block rows (PERP_BLOCKS): the rows and the columns are cut at offset[0] = 0 < offset[1] < ... <
 * offset[block_rows] = rows; offset NULL means blocks of 1 x 1, which is the usual compressed
 * sparse row format. Block row r holds the blocks start[r] ... start[r+1]-1; block b stands in
 * block column index[b]; the blocks follow one another in values without a gap, each
 * column-major. A pair (r, c) appears at most once; the order within a row is free.
 * A matrix of 1 x 1 blocks may have any number of columns, others are square.
 */
typedef struct perp_matrix {
  int32_t kind;          /**< PERP_ZERO ... PERP_BLOCKS                          */
  int32_t rows;          /**< >= 0                                               */
  int32_t cols;          /**< >= 0; = rows for diagonal, and for blocks with offset */
  int32_t ld;            /**< dense: column stride in doubles, >= rows           */
  int32_t block_rows;    /**< blocks: number of block rows                       */
  int32_t reserved;      /**< 0                                                  */
  const double *values;  /**< the entries                                        */
  const int32_t *start;  /**< blocks: block_rows + 1, start[0] = 0, never decreasing */
  const int32_t *index;  /**< blocks: start[block_rows] block columns            */
  const int32_t *offset; /**< blocks: block_rows + 1 cuts; NULL: 1 x 1 blocks    */
} perp_matrix;

/** View of a dense column-major rows x cols array without gaps between columns. */
static inline perp_matrix perp_dense(int32_t rows, int32_t cols, const double *values) {
  perp_matrix m = {PERP_DENSE, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL};
  m.rows = rows;
  m.cols = cols;
  m.ld = rows;
  m.values = values;
  return m;
}

/** View of a diagonal n x n matrix given by its n diagonal entries. */
static inline perp_matrix perp_diagonal(int32_t n, const double *values) {
  perp_matrix m = {PERP_DIAGONAL, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL};
  m.rows = n;
  m.cols = n;
  m.values = values;
  return m;
}

/** View of a sparse n x n matrix in compressed rows (blocks of 1 x 1): start n + 1, index and
 * values start[n] entries. */
static inline perp_matrix perp_compressed_rows(int32_t n, const int32_t *start,
                                               const int32_t *index, const double *values) {
  perp_matrix m = {PERP_BLOCKS, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL};
  m.rows = n;
  m.cols = n;
  m.block_rows = n;
  m.values = values;
  m.start = start;
  m.index = index;
  return m;
}

/** View of a sparse rows x cols matrix in compressed rows. */
static inline perp_matrix perp_sparse_rows(int32_t rows, int32_t cols, const int32_t *start,
                                           const int32_t *index, const double *values) {
  perp_matrix m = perp_compressed_rows(rows, start, index, values);
  m.cols = cols;
  return m;
}

/** View of a block-sparse matrix with block_rows rows of blocks, cut at offset (block_rows + 1). */
static inline perp_matrix perp_block_rows(int32_t block_rows, const int32_t *offset,
                                          const int32_t *start, const int32_t *index,
                                          const double *values) {
  perp_matrix m = {PERP_BLOCKS, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL};
  m.rows = offset == NULL || block_rows < 0 ? block_rows : offset[block_rows];
  m.cols = m.rows;
  m.block_rows = block_rows;
  m.values = values;
  m.start = start;
  m.index = index;
  m.offset = offset;
  return m;
}

/**
 * Check that a view is well formed: kind known, sizes >= 0, arrays present, cuts and starts
 * ordered, block columns in range. Entries are not read; NaN shows in the residual.
 * @param matrix  the view
 * @param[out] info  may be NULL; names the field
 * @return PERP_OK or PERP_EINVAL
 * Since 0.1. */
PERP_API perp_status perp_matrix_check(const perp_matrix *matrix, perp_info *info);

/**
 * y := A x.
 * @param A  well-formed view, rows x cols
 * @param x  cols entries
 * @param[out] y  rows entries, may not overlap x
 * @return PERP_OK or PERP_EINVAL
 * Allocates nothing; safe from any thread. Since 0.1. */
PERP_API perp_status perp_matrix_multiply(const perp_matrix *A, const double *x, double *y);

/**
 * Entry (i, j), 0 where nothing is stored or an argument is out of range. Linear search in a
 * block row: for tests and small work. Since 0.1. */
PERP_API double perp_matrix_entry(const perp_matrix *A, int32_t i, int32_t j);

#ifdef __cplusplus
}
#endif
#endif
