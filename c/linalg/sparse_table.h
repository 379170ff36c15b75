/* SPDX-License-Identifier: MIT */
/* The check of a sparse back end that a caller hands over, and what those of this library share. */
#ifndef PERP_LINALG_SPARSE_TABLE_H
#define PERP_LINALG_SPARSE_TABLE_H

#include <string.h>

#include "base/finite.h"
#include "base/options.h"
#include "perp/sparse.h"

/* Whether a table is complete, and for any matrix unless allow_symmetric. NULL, no back end, is
 * fine. */
static inline int sparse_table_ok(const perp_sparse *t, int allow_symmetric) {
  if (t == NULL) return 1;
  if (t->struct_size < PERP_THROUGH(perp_sparse, solve_product) ||
      (t->symmetric != 0 && !allow_symmetric))
    return 0;
  return t->factor != NULL && t->solve != NULL && t->release != NULL;
}

/* The arguments of factor(), whose work is done where n is 0. */
static inline perp_status sparse_arguments(int32_t n, const int32_t *start, const int32_t *index,
                                           const double *values, void **factor) {
  if (n < 0 || factor == NULL || (n > 0 && (start == NULL || index == NULL || values == NULL)))
    return PERP_EINVAL;
  return n == 0 || all_finite((size_t)start[n], values) ? PERP_OK : PERP_ENOTFINITE;
}

/* Whether two matrices of n rows have their entries in the same places. */
static inline int sparse_pattern_same(int32_t n, const int32_t *start, const int32_t *index,
                                      const int32_t *other_start, const int32_t *other_index) {
  return memcmp(start, other_start, ((size_t)n + 1) * sizeof *start) == 0 &&
         memcmp(index, other_index, (size_t)start[n] * sizeof *index) == 0;
}

#endif
