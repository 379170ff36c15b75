/* SPDX-License-Identifier: MIT */
/* The proximal loop for monotone problems, around any method that solves  M + σI, q. */
#ifndef PERP_SOLVER_PROXIMAL_H
#define PERP_SOLVER_PROXIMAL_H

#include "perp/solver.h"

/* Beside the statuses, from an inner method: it cannot solve for this σ, a larger one may help. */
enum { PROXIMAL_RAISE = 1000 };

typedef struct proximal {
  const perp_problem *problem; /* sets FREE, ORTHANT, BOX                                     */
  void *self;                  /* handed to solve                                             */
  /* λ := solution of M + shift I, q, started from where the last call ended. PERP_OK,
   * PROXIMAL_RAISE, or what ends the loop. */
  perp_status (*solve)(void *self, double shift, const double *q);
  int32_t max_iter; /* steps of the loop                                           */
  double tol;       /* relative residual                                           */
  double shift;     /* first σ / unit                                              */
  double unit;      /* > 0: size of M                                              */
  const double *lower;
  const double *upper;
  double *lambda;   /* n: where solve leaves it                                    */
  double *y;        /* n                                                           */
  double *previous; /* n: λ^k                                                      */
  double *moved;    /* n: q − σ λ^k; may lie in residual, as it is made for each solve */
  double *residual; /* residual_scratch_doubles(n)                                 */
  perp_info *info;  /* takes the certificate; may be NULL                          */
} proximal;

/* PERP_OK, PERP_INFEASIBLE, PERP_INACCURATE (no σ helps: M is not monotone), PERP_MAX_ITER, or what
 * solve ended with; λ is the last point, the best if there was one within the tolerance. */
perp_status perp_proximal_run(proximal *p);

#endif
