/* SPDX-License-Identifier: MIT */
/* The dual active-set method of Goldfarb and Idnani for strictly convex quadratic programs
 *
 *     min 1/2 x'Px + c'x,   row_lower <= A x <= row_upper,   lower <= x <= upper,
 *
 * with dense factors, in memory of the caller. Constraint k < m is row k, constraint m + i the
 * bounds of x_i. The caller makes x minimal without constraints and J with J'PJ = 1. */
#ifndef PERP_LINALG_DUAL_SET_H
#define PERP_LINALG_DUAL_SET_H

#include "base/arena.h"
#include "perp/base.h"

/* Where a constraint stands. */
enum {
  DUAL_INACTIVE = 0,
  DUAL_LOWER = 1,
  DUAL_UPPER = 2,
  DUAL_IGNORED = 3 /* depends on others up to rounding; the caller took it out */
};

typedef struct dual_set {
  int32_t n, m;
  const double *P;                     /* n x n, stride ldP; NULL: the unit matrix */
  const double *c;                     /* n                                        */
  const double *A;                     /* m x n, column-major                      */
  int32_t ldP, ldA;                    /* column strides                           */
  const double *row_lower, *row_upper; /* m; NULL: infinite                        */
  const double *lower, *upper;         /* n; NULL: infinite                        */
  perp_observer observe;               /* once per iteration, NULL: nobody         */
  void *user;
  int32_t limit; /* of iterations */

  double *x;           /* n: minimal on the active constraints                     */
  double *J;           /* n x n: J'PJ = 1, J'N = [R; 0], N the active normals      */
  double *R;           /* n x n: upper triangle, count columns                     */
  double *u;           /* n + 1: multipliers >= 0 of the active ones, and of the one that enters */
  double *d, *z, *r;   /* n: J'normal, primal step, dual step                      */
  double *normal;      /* n: of the constraint that enters                         */
  double *value;       /* m: A x                                                   */
  double *size;        /* m: |A||x|                                                */
  double *norm;        /* m: ||A_k||                                               */
  int32_t *active;     /* n + 1: their constraints                                 */
  unsigned char *side; /* m + n: DUAL_INACTIVE ...                                 */
  int32_t count;       /* active ones                                              */
  int32_t iterations;
  double reach;     /* largest |x_i| so far: what rounding is measured by        */
  int32_t entering; /* constraint that could not be met, after PERP_INFEASIBLE  */
  double violation; /* by how much                                              */
  double entering_size;
  double entering_noise; /* what the rounding of x may violate it by            */
} dual_set;

/* Whether the constraint that could not be met is missed by no more than a part hair of its terms,
 * or by the noise of an x that is 0 there: it depends on others, then. */
static inline int dual_set_missed_by(const dual_set *s, double hair) {
  return s->violation <= hair * s->entering_size || s->violation <= s->entering_noise;
}

/* Take the arrays for n unknowns and m rows. */
void perp_dual_set_carve(dual_set *s, arena *a, int32_t n, int32_t m);

/* What rounding may leave in an entry of x. */
double perp_dual_set_noise(const dual_set *s);

/* Begin with no active constraint. */
void perp_dual_set_begin(dual_set *s);

/* Run until no constraint is violated beyond rounding: PERP_OK; PERP_INFEASIBLE where constraint
 * entering cannot be met (perp_dual_set_ray() says why), PERP_MAX_ITER, PERP_STOPPED. May be called
 * again after a constraint was set to DUAL_IGNORED. Numbers that are not finite end it early. */
perp_status perp_dual_set_run(dual_set *s);

/* The multipliers with the sign of their side: rows (m), bounds (n; may be NULL). */
void perp_dual_set_multipliers(const dual_set *s, double *rows, double *bounds);

/* After PERP_INFEASIBLE: rows (m) such that with bounds multipliers they show that no x satisfies
 * all constraints: rows_k > 0 uses the lower side, < 0 the upper. */
void perp_dual_set_ray(const dual_set *s, double *rows);

#endif
