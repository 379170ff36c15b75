/* SPDX-License-Identifier: MIT */
/* The pieces of the interior-point method, on scaled unknowns: interior_step.c makes them,
 * solves systems with their matrix and takes a step, interior_point.c is the solver that callers
 * see, with its start and its endings.
 *
 * λ = p + c d x with the point p of the box nearest to 0, a diagonal d > 0 and a factor c; then
 * y' = d y / c = A x + q with A = d M d, which is monotone as M is. */
#ifndef PERP_SOLVER_INTERIOR_H
#define PERP_SOLVER_INTERIOR_H

#include "perp/interior_point.h"
#include "solver/factor.h"
#include "solver/shell.h"

enum { INTERIOR_FIXED = 0, INTERIOR_FREE = 1, INTERIOR_BELOW = 2, INTERIOR_ABOVE = 4 };

/* The lower or the upper bounds, and all that belongs to them; n each. */
typedef struct interior_side {
  double *bound;  /* l, u: 0 where there is no such bound                                */
  double *slack;  /* s = x − l τ, t = u τ − x                                            */
  double *dual;   /* z, v                                                                */
  double *reach;  /* b − l, u − b for a point b between the bounds, 0 where one is infinite */
  double *target; /* c_z, c_v: changes of the products that a step aims at               */
  double *change; /* dz, dv                                                              */
} interior_side;

typedef struct interior {
  session *session;
  const perp_matrix *M;
  const perp_interior_point_options *options;
  int32_t n;
  /* the scaled problem */
  double *d, *p, *q;   /* q: of x = 0                                  */
  double factor;       /* c                                            */
  unsigned char *kind; /* INTERIOR_FIXED, or bits of the bounds it has */
  interior_side side[2];
  /* the iterate */
  double *x;
  double tau, kappa, mu;
  int plain;         /* 1: tau = 1, kappa = 0 for good */
  double earlier[2]; /* mu before the last step, and before the one before */
  /* of a step */
  double *Ax, *r1, *D;
  double r2;
  double *B, *AB; /* b, A b */
  double *W, *AW; /* K W = q + A b         */
  double *P, *AP; /* K P = right-hand side */
  double *dx;     /* dx − b dtau, and dz, dv behind it */
  double dtau, dkappa, curvature;
  double *saved; /* 3 n: dx, dz, dv of a step kept in reserve */
  double *a, *b; /* n: scratch, in that of the judge */
  /* the factor */
  any_factor K;       /* A_FF + diag; dense without gaps, sparse with unit rows outside F */
  size_t entries;     /* of M, if it is sparse, and n */
  int narrow;         /* the envelope is not too long for a factor */
  double rho;         /* what is added to the diagonal of A        */
  int32_t *member, k; /* F                                         */
  row_reader rows;    /* of M                                      */
  /* the endings */
  unsigned char *guess, *tried;
  int32_t proofs, next_proof; /* attempts so far, and when the next may be */
} interior;

/* Whether x_i has the lower (0) or upper (1) bound. */
static inline int interior_has(const interior *w, int side, int32_t i) {
  return (w->kind[i] & INTERIOR_BELOW << side) != 0;
}

/* d, p, q, the bounds, kind, factor. 0: not finite. */
int perp_interior_scale(interior *w);

/* out := A x. */
void perp_interior_product(interior *w, const double *x, double *out);

/* Choose the method of factorising: 0 if there is no memory for one that takes M. */
int perp_interior_choose(interior *w);

/* Factorise A_FF + diag(D) + rho for the members F (D may be NULL). 0: it breaks down. */
int perp_interior_factor(interior *w, const double *D, double rho);

/* x := (A_FF + ...)^-1 x on F, 0 elsewhere. */
void perp_interior_solve(interior *w, double *x);

/* One step. 0: none can be computed. */
int perp_interior_step(interior *w);

#endif
