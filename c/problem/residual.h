/* SPDX-License-Identifier: MIT */
/* The residual of problem.h for a checked problem, in memory that was carved before. */
#ifndef PERP_PROBLEM_RESIDUAL_H
#define PERP_PROBLEM_RESIDUAL_H

#include <float.h>

#include "perp/problem.h"

/* A scale below which products lose their digits as denormal numbers do. */
#define RESIDUAL_TINY 0x1p-960

/* Doubles of scratch for n unknowns; serves every problem of at most n whose laws project without
 * memory. The others need as much as the greediest of them (perp_shape.projection) right behind. */
static inline size_t residual_scratch_doubles(int32_t n) { return 6 * (size_t)n; }

/* The rounding of y. */
static inline double residual_rounding(int32_t n, double scale) {
  return (n + 1.0) * DBL_EPSILON * scale;
}

/* Whether it may matter beside the least allowance of the second test, 10^-6 hat: then y is to be
 * summed in twice the precision. */
static inline int residual_is_coarse(int32_t n, double scale, double hat) {
  return residual_rounding(n, scale) > 0x1p-5 * 1e-6 * hat;
}

/* What rounding is left in such a y, but for that of its last bit. */
static inline double residual_fine_rounding(int32_t n, double scale) {
  const double gamma = (n + 1.0) * DBL_EPSILON;
  return 2 * gamma * gamma * scale;
}

/* What rounding in laws that are no intervals may do to r, which reach c ||lambda_a|| at most; and
 * whether that may matter beside the least allowances of both tests. */
static inline double residual_laws_rounding(double reach) { return 4 * DBL_EPSILON * reach; }

static inline int residual_laws_are_coarse(double reach, double scale, double hat) {
  const double r = residual_laws_rounding(reach);
  return r > 0x1p-5 * 1e-6 * hat || r > 0x1p-8 * 1e-10 * scale;
}

/* y := M lambda + q and the residual. problem has passed perp_problem_check(); scratch is 8-byte
 * aligned and holds residual_scratch_doubles(n) and the projection's. natural_error and
 * componentwise are left at 0. */
void perp_residual_compute(const perp_problem *problem, const double *lambda, double *y,
                           perp_residual *residual, double *scratch);

/* The laws alone: y is given, and the caller has written into scratch what takes the place of the
 * row sums |M||lambda| + |q|, not weighted, and of the norms of the columns of M, of weighted rows,
 * n each. The answer but for hat (0) and natural_error, and λ̂ at scratch + 4 n. problem->M is
 * not read. */
void perp_residual_of_laws(const perp_problem *problem, const double *lambda, double *y,
                           perp_residual *residual, double *scratch);

/* ‖diag(weight) x‖∞, NaN if there is one; weight NULL: all 1. */
double perp_residual_weighted_largest(int32_t n, const double *weight, const double *x);

/* ‖x‖₂ of size entries, whatever its square is. */
double perp_residual_norm(const double *x, int32_t size);

/* ‖λ − P(λ − ŷ)‖₂ for a given y; scratch as above, its content is lost. */
double perp_residual_natural(const perp_problem *problem, const double *lambda, double *y,
                             double *scratch);

#endif
