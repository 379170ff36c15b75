/* SPDX-License-Identifier: MIT */
/* Interval problems of a few unknowns, without memory of the caller. */
#ifndef PERP_PORTFOLIO_TINY_H
#define PERP_PORTFOLIO_TINY_H

#include "solver/small.h"

enum { TINY_MOST = SMALL_MOST };

/* λ := solution for dense M of at most TINY_MOST unknowns; λ is as before if there is none. Of the
 * options max_iter (0: no limit), observe and user count; iterations += pivots. */
int perp_tiny_solve(const perp_matrix *M, const double *q, const double *lower, const double *upper,
                    double *lambda, const perp_solver_options *options, int32_t *iterations);

#endif
