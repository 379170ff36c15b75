/* SPDX-License-Identifier: MIT */
/* The pieces of the interior-point method for friction, on scaled unknowns: friction_interior.c is
 * the solver that callers see, with its start and its finish by nonsmooth Newton,
 * friction_interior_step.c scales, solves systems and takes a step.
 *
 * λ = f d r and y = f u / d with d > 0, one number on each contact, so that the blocks of
 * A = d M d at the contacts have trace size, and max |q| = 1 after the same scaling. Each law is
 * one or two Lorentz cones L = {x : ‖(x_2, x_3)‖ <= x_1} of dimension 1, 2 or 3:
 *
 *   x_k = C_k r + h_k ∈ L,  z_k ∈ L,  x_k ∘ z_k = 0,   A r + q = Σ C_kᵀ g(z_k)
 *
 * with g the identity on associated laws, and on friction g(z) = (z_1 − ‖z_t‖, z_t) or one that
 * agrees with it where x ∘ z = 0. */
#ifndef PERP_SOLVER_FRICTION_INTERIOR_H
#define PERP_SOLVER_FRICTION_INTERIOR_H

#include "perp/interior_point.h"
#include "problem/contacts.h"
#include "solver/factor.h"
#include "solver/shell.h"

/* Two g that agree where x ∘ z = 0. */
enum {
  SOC_RATIO = 0, /* z_1 − ‖z_t‖²/z_1: smooth in the cone */
  SOC_NORM = 1   /* z_1 − ‖z_t‖                          */
};

/* One way to begin, and to go on. A bold one goes its way by the book of linear programs: in every
 * corrector all of F and the whole second order. The others take both by the part 1 − σ or by what
 * the predictor got ahead, and after a short step only the part theta of the gradient of g. */
typedef struct soc_plan {
  int32_t shift; /* SOC_RATIO or SOC_NORM    */
  int32_t bold;  /* 0 or 1                   */
  double start;  /* r_n and û_n of the start */
  double theta;
  double shift_size; /* on the diagonal of contacts */
} soc_plan;

/* One cone: x = (a r[normal] + h, b r[tangent], b r[tangent + 1]) as far as size goes. */
typedef struct soc {
  int32_t size, normal, tangent;
  int32_t contact; /* which it belongs to   */
  int32_t shifted; /* g is not the identity */
  double a, b, h;
  double x[3], z[3];               /* the iterate                               */
  double dx[3], dz[3], c[3];       /* of a step; dz = c − H² dx                 */
  double eta, w[3], half[3], v[3]; /* scaling: H x = H⁻¹ z = v, H² = eta² (2 w wᵀ − J) */
} soc;

typedef struct friction_interior {
  session *session;
  const perp_matrix *M;
  const perp_friction_interior_options *options;
  int32_t n, n_contacts, n_cones;
  contact *contacts;
  soc *cones;
  soc_plan plan;
  unsigned char *fixed; /* n: r_i keeps its value */
  double *d, *q;        /* n; u = A r + q         */
  double f;
  double *r; /* n: the iterate, with x and z of the cones */
  double mu;
  double theta; /* what part of the gradient of g this step takes */
  int caution;  /* steps to go with the plan's theta              */
  /* of a step */
  double *u, *F;        /* A r + q, and what is left of the equation          */
  double *blocks;       /* 5 n: what cones add to A, size x size at 5 begin   */
  double *left;         /* what multiplies A from the left there, 5 n; NULL: nothing */
  double *left_blocks;  /* the memory for it                                  */
  double *rhs, *dr;     /* n                                                  */
  double *a, *b, *rest; /* n: scratch, in that of the judge                   */
  double boost;         /* by what the shifts of the diagonal have grown      */
  /* the factor */
  row_reader rows;
  any_factor K;
  int32_t *place; /* n, sparse: where a column stands in the row under way, -1 */
  size_t entries; /* of K, about                                               */
  /* what the judge said, and the endings */
  double relative;
  double *saved, *ray;
  int rays;  /* plans that left along a ray, the last one in ray */
  int spent; /* no further step is allowed                       */
} friction_interior;

/* --- the scaled problem ---------------------------------------------------------------------- */

/* Scale. 0: not finite. */
int perp_friction_interior_scale(friction_interior *w);

/* out := A x. out is not x; scratch a. */
void perp_friction_interior_product(friction_interior *w, const double *x, double *out);

/* u := A r + q */
void perp_friction_interior_velocity(friction_interior *w);

/* Factorise K = left A + blocks, the diagonal moved further away from a singular one where that
 * must be. 0: it cannot be. */
int perp_friction_interior_factor(friction_interior *w);

/* x := K⁻¹ rhs with refinement; scratch a, b, rest. */
void perp_friction_interior_solve(friction_interior *w, const double *rhs, double *x);

/* --- cones ----------------------------------------------------------------------------------- */

/* List the cones and set the start of the plan. */
void perp_friction_interior_start(friction_interior *w);

/* One step. 0: none can be computed. */
int perp_friction_interior_step(friction_interior *w);

#endif
