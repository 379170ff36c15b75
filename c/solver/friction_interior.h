/* SPDX-License-Identifier: MIT */
/* The pieces of the interior-point method for friction, on scaled unknowns: friction_interior.c is
 * the solver that callers see, friction_interior_setup.c scales and lists the cones,
 * friction_interior_cone.c is the algebra of one cone, friction_interior_step.c takes a step,
 * friction_interior_factor.c factorises, friction_interior_finish.c ends by nonsmooth Newton.
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

#include "linalg/envelope.h"
#include "perp/interior_point.h"
#include "problem/contacts.h"
#include "problem/residual.h"

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
  int32_t contact; /* which it belongs to */
  int32_t shifted; /* g is not the identity   */
  double a, b, h;
} soc;

/* Nesterov-Todd scaling of one pair: H symmetric with H x = H⁻¹ z = v, H² = eta² (2 w wᵀ − J). */
typedef struct soc_scaling {
  double eta, w[3], half[3], v[3];
} soc_scaling;

typedef struct friction_interior {
  const perp_problem *problem;
  perp_friction_interior_options o; /* max_iter > 0 */
  int32_t n, n_contacts, n_cones;
  int32_t iterations, factors;
  contact *contacts;
  soc *cones;
  soc_scaling *nt;
  soc_plan plan;
  unsigned char *fixed; /* n: r_i keeps its value */
  double *d, *q;        /* n; u = A r + q         */
  double f;
  /* the iterate: x, z (3 n_cones) */
  double *r, *x, *z;
  double mu;
  double theta; /* what part of the gradient of g this step takes */
  int caution;  /* steps to go with the plan's theta               */
  /* of a step */
  double *u, *F;        /* A r + q, and what is left of the equation  */
  double *blocks;       /* 5 n: what cones add to A, size x size at 5 begin */
  double *left;         /* what multiplies A from the left there, 5 n; NULL: nothing */
  double *left_blocks;  /* the memory for it */
  double *rhs, *dr;     /* n */
  double *dx, *dz, *rc; /* 3 n_cones */
  double *a, *b, *rest; /* n: scratch */
  double boost;         /* by what the shifts of the diagonal have grown */
  /* the factor */
  row_reader rows;
  double *K; /* n x n dense, or NULL */
  int32_t *pivots;
  int32_t *start, *index, *place; /* compressed rows of K; place: n, -1 */
  double *values;
  void *sparse_factor;
  perp_status failure; /* PERP_EBACKEND once o.sparse said so */
  /* the judge */
  double *residual, *best, *saved, *ray;
  int rays; /* plans that left along a ray, the last one in ray */
  double best_score, relative;
} friction_interior;

/* ---- setup ---- */

/* Scale. 0: not finite. */
int perp_friction_interior_setup(friction_interior *w);

/* List the cones and set the start of the plan. */
void perp_friction_interior_start(friction_interior *w);

/* out := A x. out is not x; scratch a. */
void perp_friction_interior_product(friction_interior *w, const double *x, double *out);

/* x := C r + h. */
void perp_friction_interior_slacks(friction_interior *w);

/* ---- one cone ---- */

/* x0² − ‖x_t‖² without cancellation in squares. */
double perp_soc_det(int32_t size, const double *x);

/* 0: x or z is not inside. */
int perp_soc_scale(int32_t size, const double *x, const double *z, soc_scaling *s);

/* out := H x, H⁻¹ x. out may not be x. */
void perp_soc_apply(int32_t size, const soc_scaling *s, const double *x, double *out);
void perp_soc_apply_inverse(int32_t size, const soc_scaling *s, const double *x, double *out);

/* out := H² x. */
void perp_soc_square(int32_t size, const soc_scaling *s, const double *x, double *out);

/* out := u with v ∘ u = b. */
void perp_soc_divide(int32_t size, const double *v, const double *b, double *out);

/* The largest step that stays in the cone, infinity if it never leaves. */
double perp_soc_step(int32_t size, const double *x, const double *dx);

/* z_1 − g_1(z) for a g of friction; grad := its gradient. */
double perp_soc_shift(int32_t size, int32_t shift, const double *z, double *grad);

/* ---- linear systems ---- */

/* Shifts grow up to this. */
#define MOST_BOOST 1e10

/* Factorise K = left A + blocks. 0: it cannot be. */
int perp_friction_interior_factor(friction_interior *w);

/* x := K⁻¹ b with refinement; scratch a, b. */
void perp_friction_interior_solve(friction_interior *w, const double *rhs, double *x);

void perp_friction_interior_release(friction_interior *w);

/* ---- steps ---- */

/* F and mu at the iterate. */
void perp_friction_interior_evaluate(friction_interior *w);

/* One step. 0: none can be computed. */
int perp_friction_interior_step(friction_interior *w);

/* One step of nonsmooth Newton on r. 0: none can be computed. */
int perp_friction_interior_finish_step(friction_interior *w);

/* λ := P_K(λ − d² ŷ), which lies on its bounds exactly. */
void perp_friction_interior_project(friction_interior *w, const double *y, double *lambda);

#endif
