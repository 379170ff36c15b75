/* SPDX-License-Identifier: MIT */
/* What solvers of interval problems read of a checked problem's laws: the sets, and the bounds of
 * each unknown. */
#ifndef PERP_PROBLEM_BOUNDS_H
#define PERP_PROBLEM_BOUNDS_H

#include "perp/problem.h"

/* Bits 1u << PERP_SET_... that occur. */
uint32_t perp_problem_sets(const perp_problem *problem);

/* lower, upper (n each) := the interval of each unknown: (-inf, inf) for free, [0, inf) for the
 * orthant, the law's own for a box; (-inf, inf) too where the set is no interval. */
void perp_problem_bounds(const perp_problem *problem, double *lower, double *upper);

#endif
