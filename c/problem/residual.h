/* SPDX-License-Identifier: MIT */
/* The residual of problem.h for a checked problem, in memory that was carved before. */
#ifndef PERP_PROBLEM_RESIDUAL_H
#define PERP_PROBLEM_RESIDUAL_H

#include <float.h>

#include "perp/problem.h"

/* Doubles of scratch for n unknowns; serves every problem of at most n whose laws project without
 * memory. The others need as much as the greediest of them (perp_shape.projection) right behind. */
static inline size_t residual_scratch_doubles(int32_t n) { return 6 * (size_t)n; }

/* The ceiling of a residual: 10^-2 hat. Where lambda is so large that the rounding of y, or of
 * lambda - rho yhat, alone exceeds it, a small residual says nothing: rounding may bring
 * y = M lambda + q to 0 where q is all that keeps it from there. rounded is the largest number that
 * is rounded; where hat is 0 its rounding has to be small beside scale, the terms of y. */
static inline double residual_ceiling(double rounded, double scale, double hat) {
  const double most = 1e-2 * hat, room = most > 0 ? most : 1e-2 * scale;
  return DBL_EPSILON * rounded > room ? -1 : most;
}

/* y := M lambda + q and the residual. problem has passed perp_problem_check(); scratch is 8-byte
 * aligned and holds residual_scratch_doubles(n) and the projection's. natural_error is left at 0.
 */
void perp_residual_compute(const perp_problem *problem, const double *lambda, double *y,
                           perp_residual *residual, double *scratch);

/* The laws alone: y is given, and the caller has written into scratch what takes the place of the
 * row sums |M||lambda| + |q| and of the norms of the columns of M, n each. The answer but for
 * ceiling (0) and natural_error, and λ̂ at scratch + 4 n. Returns the rounded that
 * residual_ceiling() asks for. problem->M is not read. */
double perp_residual_of_laws(const perp_problem *problem, const double *lambda, double *y,
                             perp_residual *residual, double *scratch);

/* ‖x‖₂ of size entries, whatever its square is. */
double perp_residual_norm(const double *x, int32_t size);

/* ‖λ − P(λ − ŷ)‖₂ for a given y; scratch as above, its content is lost. */
double perp_residual_natural(const perp_problem *problem, const double *lambda, double *y,
                             double *scratch);

#endif
