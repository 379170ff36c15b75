/* SPDX-License-Identifier: MIT */
/* LDL for callers who cannot know whether a factor is affordable. */
#ifndef PERP_LINALG_LDL_H
#define PERP_LINALG_LDL_H

#include "perp/sparse.h"

/* perp_sparse_ldl(), but with PERP_EBACKEND where the analysis counts more than 10^10
 * multiply-adds: some random graphs and grids in space fill in. */
const perp_sparse *perp_ldl_affordable(void);

#endif
