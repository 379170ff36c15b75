/* SPDX-License-Identifier: MIT */
/* The plain cases of Lemke's method for a few unknowns: every pivot well off 0, no ties, z0 falling
 * all the way. The rest is left to lemke_path.h. */
#ifndef PERP_SOLVER_LEMKE_SMALL_H
#define PERP_SOLVER_LEMKE_SMALL_H

#include "perp/solver.h"

enum { LEMKE_SMALL = 16 };

/* Solve a problem of n <= LEMKE_SMALL unknowns with a dense M. The number of pivots; -1: not such a
 * case, or not in so many pivots, and z is undefined. */
int32_t perp_lemke_small(const perp_problem *problem, const double *d, int32_t limit, double *z);

#endif
