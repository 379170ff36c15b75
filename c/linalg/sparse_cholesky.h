/* SPDX-License-Identifier: MIT */
/* Sparse Cholesky for callers who cannot know whether a factor is affordable. */
#ifndef PERP_LINALG_SPARSE_CHOLESKY_H
#define PERP_LINALG_SPARSE_CHOLESKY_H

#include "perp/sparse.h"

/* perp_sparse_cholesky(), but with PERP_EBACKEND where the analysis counts more than 10^10
 * multiply-adds. */
const perp_sparse *perp_cholesky_affordable(void);

#endif
