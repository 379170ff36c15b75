/* SPDX-License-Identifier: MIT */
/* Interval problems of a few unknowns, without memory of the caller. */
#ifndef PERP_PORTFOLIO_TINY_H
#define PERP_PORTFOLIO_TINY_H

#include "perp/solver.h"
#include "problem/residual.h"

enum { TINY_MOST = 16 };

/* Beside PERP_OK and PERP_STOPPED: principal pivots do not find a solution soon. They do where M
 * has positive principal minors. */
enum { TINY_FAILED = 1000 };

/* Whether max |q| is where products lose their digits: then y has too few of them to be believed
 * without the residual, which has more. */
static inline int tiny_is_denormal(double size) { return size > 0 && size < RESIDUAL_TINY; }

/* The largest |y_i| beside max |q| = size: a y in twice the precision may still be wrong by 2 γ² of
 * it, which the residual bears up to 10⁻⁶ of the size; less of that to be sure. */
static inline double tiny_borne(int32_t n, double size) {
  const double gamma = (n + 1.0) * 0x1p-52;
  return size * (1e-8 / (gamma * gamma));
}

/* λ := solution of a complementarity problem with dense M of at most TINY_MOST unknowns, by largest
 * violation or else by Lemke's path without a rule for ties. PERP_OK only if all |y_i| that no
 * bound answers for are at most tol max |q|. iterations += pivots. */
int perp_tiny_orthant(const perp_matrix *M, const double *q, double tol, double *lambda,
                      int32_t *iterations);

/* λ := solution for dense M of at most TINY_MOST unknowns; λ is as before if there is none. Of the
 * options max_iter (0: no limit), observe and user count; iterations += pivots. */
int perp_tiny_solve(const perp_matrix *M, const double *q, const double *lower, const double *upper,
                    double *lambda, const perp_solver_options *options, int32_t *iterations);

#endif
