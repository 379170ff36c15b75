/* SPDX-License-Identifier: MIT */
/* Complementarity problems of a few unknowns, without memory of the caller. */
#ifndef PERP_SOLVER_SMALL_H
#define PERP_SOLVER_SMALL_H

#include "perp/solver.h"
#include "problem/residual.h"

enum { SMALL_MOST = 16, POINT_MOST = 8 };

/* The plain cases of Lemke's method for n <= SMALL_MOST and a dense M: every pivot well off 0, no
 * ties, z0 falling all the way. The number of pivots; -1: not such a case, or not in so many
 * pivots, and z is undefined. */
int32_t perp_lemke_small(const perp_problem *problem, const double *d, int32_t limit, double *z);

/* Whether n unknowns are so few, and pairs. */
static inline int small_pairs(int32_t n) { return n <= POINT_MOST && n % 2 == 0; }

/* perp_lcp_basis_point() where small_pairs(n), with the inverse n x n, zero off the basis, as
 * perp_lcp_basis_spread() makes it. */
int perp_small_point(const perp_problem *problem, const unsigned char *modes, const double *inverse,
                     double *z, double *w);

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

/* λ := solution of a complementarity problem with dense M of at most SMALL_MOST unknowns, by
 * largest violation or else by Lemke's path without a rule for ties. PERP_OK only if all |y_i| that
 * no bound answers for are at most tol max |q|. iterations += pivots. */
int perp_tiny_orthant(const perp_matrix *M, const double *q, double tol, double *lambda,
                      int32_t *iterations);

#endif
