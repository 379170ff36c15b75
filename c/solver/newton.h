/* SPDX-License-Identifier: MIT */
/* The pieces of the Newton methods, on scaled unknowns x and scaled y = A x + q + σ (x − a):
 * newton_scale.c makes them, newton_merit.c evaluates Φ and its merit, newton_step.c finds a step
 * that lowers it, newton.c is the solver that callers see: starts and ends. */
#ifndef PERP_SOLVER_NEWTON_H
#define PERP_SOLVER_NEWTON_H

#include "perp/newton.h"
#include "solver/interval.h"

enum { NEWTON_HISTORY = 16 };

typedef struct newton {
  const perp_problem *problem;
  perp_newton_options o; /* max_iter > 0                                             */
  int32_t n;
  int natural; /* direction: 1 of the min function, 0 of Fischer and Burmeister      */
  int32_t iterations;
  double *A;             /* n x n: M with scaled rows and columns                    */
  double *F;             /* n x n: factor of a step                                  */
  double *q, *l, *u;     /* scaled                                                   */
  double *row, *col;     /* y_i = scaled y_i / row_i, λ_j = col_j x_j: powers of two */
  double *x, *y;         /* the iterate                                              */
  double *tx, *ty;       /* the trial                                                */
  double *phi, *da, *db; /* Φ(x), and V = diag(da) + diag(db) (A + σI) ∈ ∂Φ(x)       */
  double *d, *g;         /* step, gradient of the merit                              */
  double *anchor;        /* a                                                        */
  double *best;          /* x of least merit for σ = 0                               */
  double *t;             /* scratch                                                  */
  double *scratch;       /* residual_scratch_doubles(n)                              */
  int32_t *pivots, *member;
  unsigned char *mode;     /* of the last step on the min function                   */
  unsigned char *factored; /* modes for which F holds the factor of A_FF + σI        */
  int32_t k;               /* how many are free in it; -1: F holds something else    */
  double sigma;
  double theta; /* ½ ‖Φ(x)‖²                                                         */
  double best_theta;
  double history[NEWTON_HISTORY]; /* the last merits, a ring                         */
  int32_t remembered;
} newton;

/* Set A, q, l, u, row, col from the problem, and t to P(0) scaled. 0: they are not finite. */
int perp_newton_scale(newton *s);

/* y := A x + q + σ (x − a). */
void perp_newton_map(const newton *s, const double *x, double *y);

/* ½ ‖Φ‖² at (x, y); infinity where it is not finite. */
double perp_newton_merit(const newton *s, const double *x, const double *y);

/* phi, da, db, theta at (x, y) of s. */
void perp_newton_linearise(newton *s);

/* largest |x − P(x − y)| at (x, y) of s, where y is that of σ = 0. */
double perp_newton_natural(const newton *s);

/* The modes that (x, y) suggest: free where l < x − y < u. */
void perp_newton_modes(const newton *s, unsigned char *mode);

/* d := x_basis − x for the modes in s->mode, factorising A_FF + σI if need be. 0: it has no use. */
int perp_newton_basis_step(newton *s);

/* Move x, y to a better point. 0: there is none to be found. */
int perp_newton_advance(newton *s);

#endif
