/* SPDX-License-Identifier: MIT */
/* The check of a sparse back end that a caller hands over. */
#ifndef PERP_LINALG_SPARSE_TABLE_H
#define PERP_LINALG_SPARSE_TABLE_H

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

#endif
