/* SPDX-License-Identifier: MIT */
/* The pieces of the interior-point method, on scaled unknowns: interior_scale.c makes them,
 * interior_factor.c and interior_sparse.c factorise, interior_step.c takes a step,
 * interior_finish.c ends with an exact solution or a proof that there is none, interior_point.c is
 * the solver that callers see.
 *
 * λ = p + c d x with the point p of the box nearest to 0, a diagonal d > 0 and a factor c; then
 * y' = d y / c = A x + q with A = d M d, which is monotone as M is. */
#ifndef PERP_SOLVER_INTERIOR_H
#define PERP_SOLVER_INTERIOR_H

#include "linalg/envelope.h"
#include "perp/interior_point.h"

enum { INTERIOR_FIXED = 0, INTERIOR_FREE = 1, INTERIOR_BELOW = 2, INTERIOR_ABOVE = 4 };

enum { INTERIOR_WAYS = 6 };

/* How A_FF + diag is factorised. */
enum { INTERIOR_CHOLESKY, INTERIOR_LU, INTERIOR_ENVELOPE, INTERIOR_SPARSE };

typedef struct interior {
  const perp_problem *problem;
  perp_interior_point_options o; /* max_iter > 0 */
  int32_t n;
  int32_t iterations;
  /* the scaled problem */
  double *d, *p, *q, *l, *u; /* l, u: 0 where there is no such bound; q: of x = 0 */
  double factor;             /* c                                                  */
  unsigned char *kind;       /* INTERIOR_FIXED, or bits of the bounds it has       */
  /* the iterate: s = x - l tau, t = u tau - x where there are such bounds */
  double *x, *s, *t, *z, *v;
  double tau, kappa, mu;
  int plain;         /* 1: tau = 1, kappa = 0 for good */
  double earlier[2]; /* mu before the last step, and before the one before */
  /* of a step */
  double *Ax, *r1, *D;
  double r2;
  double *B, *AB;     /* b: a point between the bounds                     */
  double *low, *high; /* b - l, u - b where both are finite, 0 elsewhere   */
  double *W, *AW;     /* K W = q + A b                                     */
  double *P, *AP;     /* K P = right-hand side              */
  double *cz, *cv;    /* targets of the products            */
  double *dx, *dz, *dv;
  double dtau, dkappa, curvature;
  double *saved;    /* 3 n: dx, dz, dv of a step kept in reserve */
  double *a, *b;    /* scratch                                   */
  double *residual; /* residual_scratch_doubles(n)               */
  /* the factor */
  int method;
  int narrow; /* the envelope is not too long for a factor*/
  double rho; /* what is added to the diagonal of A        */
  double *K;  /* n x n, NULL: none                         */
  int32_t *pivots, *member;
  int32_t k;         /* members                                   */
  row_reader rows;   /* of M                                      */
  row_reader copy;   /* of lower                                  */
  perp_matrix lower; /* lower triangle of A + diag, compressed rows, diagonal last */
  double *values;
  int32_t *start, *index;
  envelope env;
  void *sparse_factor; /* of o.sparse, released at the end    */
  perp_status failure; /* PERP_EBACKEND once o.sparse said so */
  /* the finish */
  unsigned char *guess, *tried;
  int32_t proofs, next_proof; /* attempts so far, and when the next may be */
} interior;

/* d, p, q, l, u, kind, factor. 0: not finite. */
int perp_interior_scale(interior *w);

/* out := A x. */
void perp_interior_product(interior *w, const double *x, double *out);

/* Choose the method of factorising: 0 if there is no memory for one that takes M. */
int perp_interior_choose(interior *w);

/* Factorise A_FF + diag(D) + rho for the members F (D may be NULL). 0: it breaks down. */
int perp_interior_factor(interior *w, const double *D, double rho);

/* x := (A_FF + ...)^-1 x on F, 0 elsewhere. */
void perp_interior_solve(interior *w, double *x);

/* The same by o.sparse, and the end of its factor. */
int perp_interior_sparse_factor(interior *w, const double *D, double rho);
void perp_interior_sparse_solve(interior *w, double *x);
void perp_interior_sparse_release(interior *w);

/* One step. 0: none can be computed. */
int perp_interior_step(interior *w);

/* What the iterate says about the active set, as PERP_MODE_... in guess: at a bound where the slack
 * is below the multiplier times a margin. */
void perp_interior_guess(interior *w, double margin);

/* Try the active set in guess, from x / tau: 1 if lambda now holds a solution. */
int perp_interior_crossover(interior *w, double *lambda, double *y);

/* lambda := p + c d x / tau, in its box. */
void perp_interior_point(const interior *w, double *lambda);

/* Whether lambda solves the problem. */
int perp_interior_judge(interior *w, const double *lambda, double *y);

/* Look for a proof that there is no solution in the directions of x and −W: 1 if u (n) holds one.
 * way: one of INTERIOR_WAYS to sharpen a direction, at the cost of two factors; -1: all of them. */
double perp_interior_certificate(interior *w, int way, double *u);

#endif
