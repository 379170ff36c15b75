/* SPDX-License-Identifier: MIT */
/* KLU for callers who cannot know whether a factor is affordable. */
#ifndef PERP_LINALG_KLU_H
#define PERP_LINALG_KLU_H

#include "perp/sparse.h"

/* perp_sparse_klu(), but with PERP_EBACKEND where the analysis expects a factor of more than 10^10
 * operations: some random graphs and grids in space fill in. */
const perp_sparse *perp_klu_affordable(void);

#endif
