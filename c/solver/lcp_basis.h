/* SPDX-License-Identifier: MIT */
/* The point that belongs to a set B of basic unknowns of  w = M z + q:  w_B = 0, z_N = 0,
 *   z_B = -M_BB^-1 q_B,   w = M z + q,
 * from the caller's M and q. It depends on (M, q, B) alone, so a point has the same bits whether
 * its inverse was kept from an earlier call or not. */
#ifndef PERP_SOLVER_LCP_BASIS_H
#define PERP_SOLVER_LCP_BASIS_H

#include "perp/solver.h"

typedef struct lcp_basis {
  int32_t k;      /* size of B                             */
  int32_t *set;   /* n: B in increasing order              */
  int32_t *place; /* n: place of an unknown in B, -1: none */
} lcp_basis;

/* Fill a basis from modes: PERP_MODE_FREE is basic, every other byte is not. */
void perp_lcp_basis_read(lcp_basis *basis, int32_t n, const unsigned char *modes);

/* inverse (k x k) := M_BB^-1; pivots: k. 0 if it is singular. */
int perp_lcp_basis_invert(const lcp_basis *basis, const perp_matrix *M, double *inverse,
                          int32_t *pivots);

/* z, w (n each) := the point of the basis, one step of refinement included. Whether it solves the
 * problem up to rounding; entries of z that are negative by rounding become 0. x: 3 k. */
int perp_lcp_basis_point(const lcp_basis *basis, const perp_problem *problem, const double *inverse,
                         double *z, double *w, double *x);

#endif
