/* SPDX-License-Identifier: MIT */
/* The entry for users who have just arrays: M, q, and nothing else. */
#ifndef PERP_SOLVER_LCP_H
#define PERP_SOLVER_LCP_H

#include "perp/lemke.h"

/* Check an LCP in arrays, entries included, and solve it: what perp_lcp_lemke() and its likes do.
 * options have the type of the solver. */
perp_status perp_lcp_solve(const perp_solver *solver, const perp_lcp *problem, const void *options,
                           double *z, double *w, void *work, size_t work_bytes, perp_info *info);

#endif
