/* SPDX-License-Identifier: MIT */
/* The point of a basis of a box problem: what a warm start tries, and what a path ends with. */
#ifndef PERP_SOLVER_BOX_BASIS_H
#define PERP_SOLVER_BOX_BASIS_H

#include "solver/box_path.h"

/* λ := the point of the modes, by a factorisation of their own; y (n): M λ + q (with the shift of
 * the data) up to the last correction. The path is gone afterwards. 0 if the basis is singular or
 * its equations cannot be met. */
int perp_box_basis_point(box_path *p, const box_data *data, const unsigned char *modes,
                         double *lambda, double *y);

/* Correct λ, the end of a path in the basis of the modes, until its equations are met: mostly once.
 */
int perp_box_basis_refine(box_path *p, const unsigned char *modes, double *lambda, double *y);

/* Whether λ and y (from one of the above) violate no bound beyond rounding; λ is moved into its
 * bounds. */
int perp_box_basis_feasible(const box_path *p, const unsigned char *modes, double *lambda,
                            const double *y);

#endif
