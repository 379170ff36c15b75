/* SPDX-License-Identifier: MIT */
/* The residual of a few unknowns of complementarity, or of one contact with friction, in registers:
 * small time steps solve nothing else. It has the bits of the judge of all laws. */
#ifndef PERP_PROBLEM_RESIDUAL_FEW_H
#define PERP_PROBLEM_RESIDUAL_FEW_H

#include "perp/problem.h"

enum { RESIDUAL_FEW = 4 };

/* As perp_residual_compute(), which they are for 1 to RESIDUAL_FEW unknowns, contact where the
 * first law is friction, few also for any more in compressed rows. What is not of their kind, or in
 * some way special, goes to the last one. */
void perp_residual_few(const perp_problem *problem, const double *lambda, double *y,
                       perp_residual *residual, double *scratch);
void perp_residual_contact(const perp_problem *problem, const double *lambda, double *y,
                           perp_residual *residual, double *scratch);
void perp_residual_of_any(const perp_problem *problem, const double *lambda, double *y,
                          perp_residual *residual, double *scratch);

#endif
