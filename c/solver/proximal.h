/* SPDX-License-Identifier: MIT */
/* The proximal loop for monotone problems, around any method that solves  M + σI, q. */
#ifndef PERP_SOLVER_PROXIMAL_H
#define PERP_SOLVER_PROXIMAL_H

#include "solver/shell.h"

/* Beside the statuses, from an inner method: it cannot solve for this σ, a larger one may help. */
enum { PROXIMAL_RAISE = 1000 };

typedef struct proximal {
  session *run; /* sets FREE, ORTHANT, BOX; with bounds and the judge's room                   */
  void *self;   /* handed to solve                                                             */
  /* λ := solution of M + shift I, q, started from where the last call ended. PERP_OK,
   * PROXIMAL_RAISE, or what ends the loop. */
  perp_status (*solve)(void *self, double shift, const double *q);
  double shift;     /* first σ                                                              */
  double least;     /* least σ                                                              */
  int32_t steps;    /* most steps of the loop                                               */
  double *previous; /* n: λ^k                                                               */
  double *moved;    /* n: q − σ λ^k; NULL: not wanted. It may lie in run->scratch, as it is
                       made for each solve                                                  */
} proximal;

/* PERP_OK, PERP_INFEASIBLE, PERP_INACCURATE (no σ helps: M is not monotone), PERP_MAX_ITER (of
 * steps), or what solve ended with; λ is the last point, the best if there was one within the
 * tolerance. */
perp_status perp_proximal_run(proximal *p);

#endif
