/* SPDX-License-Identifier: MIT */
/* A small problem of intervals with other units: with powers of two
 *
 *   M'_ij = 2^(r_i + c_j) M_ij,  q'_i = 2^(r_i + b) q_i,  λ'_j = 2^(b − c_j) λ_j,
 *
 * so that row i of M' λ' + q' is 2^(r_i + b) times that of M λ + q: signs and bounds stay what they
 * are. It is exact where numbers are denormal or huge, or rows and columns far apart, in which
 * methods lose their last bits or leave the range. */
#ifndef PERP_PORTFOLIO_RESCALE_H
#define PERP_PORTFOLIO_RESCALE_H

#include "base/arena.h"
#include "perp/problem.h"

typedef struct rescaled {
  perp_problem problem;
  perp_box box;
  perp_complementarity orthant;
  const perp_law *law;
  int32_t *row, *col, of_q; /* n, n: r, c, b */
  double *M;                /* n x n         */
  double *q, *lower, *upper, *lambda, *y;
} rescaled;

void perp_rescale_carve(rescaled *s, arena *a, int32_t n);

/* RESCALE_WHOLE: one unit for M and one for q, so that their largest entries are in [1, 2).
 * RESCALE_ROWS: one for each row and column, so that all entries are as equal as may be. */
enum { RESCALE_WHOLE, RESCALE_ROWS, RESCALES };

/* Whether numbers are so far from 1, or rows and columns so far apart, that it serves; the problem
 * then, from the bounds of every unknown. problem has neither weights nor floors. */
int perp_rescale(rescaled *s, const perp_problem *problem, const double *lower, const double *upper,
                 int how);

/* lambda := that of the given problem, within its bounds. */
void perp_rescale_back(const rescaled *s, const double *lower, const double *upper, double *lambda);

#endif
