/* SPDX-License-Identifier: MIT */
/* Interval problems with definite M, or nearly so, on a subset of the unknowns at a time. */
#ifndef PERP_PORTFOLIO_SUBSPACE_H
#define PERP_PORTFOLIO_SUBSPACE_H

#include "base/arena.h"
#include "perp/solver.h"

typedef struct subspace {
  const perp_problem *problem;
  const double *lower, *upper;        /* n                                                      */
  double *lambda;                     /* n: start and end                                       */
  double *y;                          /* n: M λ + q                                             */
  const perp_solver_options *options; /* max_iter (0: no limit), observe, user           */
  double tol;                         /* accepted |y_i| where λ_i is inside, in parts of max |q| */
  int32_t symmetric;                  /* 0: Gauss–Seidel takes the place of conjugate gradients */
  double work;                        /* multiply-adds allowed, and afterwards left             */
  int32_t iterations;                 /* products done                                          */
  /* memory */
  double *block;  /* k x k of the scaled M on the subset, dense M only; room for n x n */
  double *vector; /* SUBSPACE_VECTORS n                                                */
  int32_t *list;  /* n: the subset                                                     */
  /* of the run */
  int32_t size;
  int32_t slow; /* sweeps were seen to be */
  double least; /* accepted |y_i| */
} subspace;

enum { SUBSPACE_VECTORS = 10 };

/* Beside PERP_OK: what ended it. */
enum {
  SUBSPACE_NOT_DEFINITE = 1, /* a diagonal entry or a curvature is not positive */
  SUBSPACE_SLOW = 2,         /* the work or the iterations were used up         */
  SUBSPACE_STOPPED = 3       /* the observer asked for it                       */
};

void perp_subspace_carve(subspace *s, arena *a, int32_t n, int32_t matrix);

/* λ := solution to s->tol, if it comes within s->work; the best so far otherwise. y is M λ + q in
 * the end in any case. */
int perp_subspace_run(subspace *s);

#endif
