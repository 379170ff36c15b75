/* SPDX-License-Identifier: MIT */
/* The residual of a few unknowns of complementarity, in registers: small time steps solve nothing
 * else. It has the bits of the judge of all laws. */
#ifndef PERP_PROBLEM_RESIDUAL_FEW_H
#define PERP_PROBLEM_RESIDUAL_FEW_H

#include "perp/problem.h"

enum { RESIDUAL_FEW = 4 };

/* As perp_residual_compute(), which it is for at most RESIDUAL_FEW unknowns; problems that are in
 * some way special are handed on to the judge of all laws. */
void perp_residual_few(const perp_problem *problem, const double *lambda, double *y,
                       perp_residual *residual, double *scratch);
void perp_residual_of_any(const perp_problem *problem, const double *lambda, double *y,
                          perp_residual *residual, double *scratch);

#endif
