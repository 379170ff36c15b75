/* SPDX-License-Identifier: MIT */
/* The iteration of ADMM, whatever the linear system is made of: scaled by contact, in the order of
 * that system. Both forms of a problem use it, with other ways to r. */
#ifndef PERP_SOLVER_ADMM_LOOP_H
#define PERP_SOLVER_ADMM_LOOP_H

#include "perp/admm.h"
#include "problem/contacts.h"
#include "solver/anderson.h"

typedef struct admm_loop {
  void *self; /* handed to the five below */
  /* Factorise for this ρ. PERP_OK, PERP_EINVAL (a larger ρ may do), PERP_ENOTFINITE, or what ends
   * the run. */
  perp_status (*factorise)(void *self, double rho);
  int (*dear)(const void *self); /* whether that costs many solutions */
  /* step := r from the right side ρ (z − ξ) − q − s. PERP_OK, or what ends the run. */
  perp_status (*solve)(void *self, double *step);
  void (*keep)(void *self); /* the point is the best one met */
  /* The verdict on the point, with the relative residual and its scale. */
  int (*judge)(void *self, double *relative, double *scale);

  perp_admm_options options;
  anderson past;
  contact *contacts; /* begin is where they stand in the order of the system             */
  int32_t n, count;
  double rho, least_rho; /* below the second there is no factor                              */
  int32_t updates;       /* done                                                             */
  int32_t window, seen;  /* iterations over which the balance is taken, and that are in it   */
  double balance; /* product of ‖Δξ‖² / ‖Δz‖² over them                               */
  int accelerated; /* the present w was                                                */
  double before;   /* ‖r − z‖ of the step before, infinity if there is none            */
  double merit, best_merit, inner_merit;
  double halved;         /* merit from which the next half counts as progress                */
  int32_t patience;      /* iterations left for that                                         */
  int32_t rest, resting; /* plain ones left, and how many the next time                      */
  double scale;          /* of y, as far as it is known                                      */
  double factor;         /* by how much the own merit must be below tol, learned             */
  double *unit;          /* n: D                                                             */
  double *w, *z, *q;     /* n each                                                           */
  double *step, *shift;  /* n each; step: right side, r, r − z                               */
  double *lower, *upper; /* n each                                                           */
} admm_loop;

void perp_admm_loop_carve(admm_loop *s, arena *a, const perp_shape *shape, int32_t memory);
void perp_admm_loop_open(admm_loop *s, const perp_admm_options *o, const perp_shape *shape);

/* q and bounds scaled by d and brought to their places, contacts as they come from
 * perp_problem_contacts() too. */
void perp_admm_loop_fill(admm_loop *s, const perp_problem *laws, const double *d,
                         const int32_t *place);

/* x := P_K(x) */
void perp_admm_loop_project(const admm_loop *s, double *x);

/* From z in K and the velocity u in w to the first w. 0 if that is not finite. */
int perp_admm_loop_start(admm_loop *s);

/* PERP_OK, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE, or what factorise or solve said. */
perp_status perp_admm_loop_run(admm_loop *s, perp_info *info);

/* The options of ADMM as they are, or PERP_EINVAL. */
perp_status perp_admm_read_options(perp_admm_options *out, const void *in, perp_info *info);

#endif
