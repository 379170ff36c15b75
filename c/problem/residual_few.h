/* SPDX-License-Identifier: MIT */
/* The residual of a few unknowns of complementarity, in registers: small time steps solve nothing
 * else. It has the bits of the judge of all laws. */
#ifndef PERP_PROBLEM_RESIDUAL_FEW_H
#define PERP_PROBLEM_RESIDUAL_FEW_H

#include "perp/problem.h"

enum { RESIDUAL_FEW = 4 };

/* As perp_residual_compute() for at most RESIDUAL_FEW unknowns, but for worst_block. 0: the problem
 * is in some way special, and nothing is said. */
int perp_residual_few(const perp_problem *problem, const double *lambda, double *y,
                      perp_residual *residual);

#endif
