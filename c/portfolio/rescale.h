/* SPDX-License-Identifier: MIT */
/* A small problem of intervals with other units: with powers of two
 *
 *   M' = 2^a M,  q' = 2^b q,  λ' = 2^(b−a) λ,   so that   M' λ' + q' = 2^b (M λ + q),
 *
 * and the largest entries of M' and q' in [1, 2). It is exact where M or q are denormal numbers or
 * huge, in which methods lose their last bits or leave the range. */
#ifndef PERP_PORTFOLIO_RESCALE_H
#define PERP_PORTFOLIO_RESCALE_H

#include "base/arena.h"
#include "perp/problem.h"

typedef struct rescaled {
  perp_problem problem;
  perp_box box;
  perp_complementarity orthant;
  const perp_law *law;
  int32_t of_M, of_q; /* a, b */
  double *M;          /* n x n */
  double *q, *lower, *upper, *lambda, *y;
} rescaled;

void perp_rescale_carve(rescaled *s, arena *a, int32_t n);

/* Whether the largest |M_ij| or |q_i| is so far from 1 that it serves; the problem then, from the
 * bounds of every unknown. problem has neither weights nor floors. */
int perp_rescale(rescaled *s, const perp_problem *problem, const double *lower,
                 const double *upper);

/* lambda := that of the given problem, within its bounds. */
void perp_rescale_back(const rescaled *s, const double *lower, const double *upper, double *lambda);

#endif
