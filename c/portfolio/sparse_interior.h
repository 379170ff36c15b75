/* SPDX-License-Identifier: MIT */
/* "interior-point" with options.sparse set: the candidate for large sparse M that is not symmetric,
 * or whose envelope is long. */
#ifndef PERP_PORTFOLIO_SPARSE_INTERIOR_H
#define PERP_PORTFOLIO_SPARSE_INTERIOR_H

#include "perp/solver.h"

/* Options: the fields of perp_solver_options. */
const perp_solver *perp_solver_sparse_interior(void);

#endif
