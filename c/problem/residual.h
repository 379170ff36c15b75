/* SPDX-License-Identifier: MIT */
/* The residual of problem.h for a checked problem, in memory that was carved before. */
#ifndef PERP_PROBLEM_RESIDUAL_H
#define PERP_PROBLEM_RESIDUAL_H

#include "perp/problem.h"

/* Doubles of scratch for n unknowns; serves every problem of at most n whose laws project without
 * memory. The others need as much as the greediest of them (perp_shape.projection) right behind. */
static inline size_t residual_scratch_doubles(int32_t n) { return 6 * (size_t)n; }

/* y := M lambda + q and the residual. problem has passed perp_problem_check(); scratch is 8-byte
 * aligned and holds residual_scratch_doubles(n) and the projection's. natural_error is left at 0.
 */
void perp_residual_compute(const perp_problem *problem, const double *lambda, double *y,
                           perp_residual *residual, double *scratch);

#endif
