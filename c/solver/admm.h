/* SPDX-License-Identifier: MIT */
/* The iteration of ADMM, whatever the linear system is made of: scaled by contact, in the order of
 * that system. Both forms of a problem use it, with other ways to r and other judges. */
#ifndef PERP_SOLVER_ADMM_H
#define PERP_SOLVER_ADMM_H

#include <float.h>
#include <math.h>

#include "perp/admm.h"
#include "problem/contacts.h"
#include "solver/sweeps.h"

typedef struct admm admm;

/* What a form of the problem brings. Its state begins with the admm. */
typedef struct admm_form {
  /* Factorise for s->rho. PERP_OK, PERP_EINVAL (a larger ρ may do), PERP_ENOTFINITE, or what ends
   * the run. */
  perp_status (*factorise)(admm *s);
  /* step := r from the right side ρ (z − ξ) − q − s. PERP_OK, or what ends the run. */
  perp_status (*solve)(admm *s);
  /* w := D u at the caller's point. */
  void (*velocity)(admm *s);
  /* The caller's point as the best one met, or the verdict on it with the relative residual and its
   * scale. */
  void (*keep)(admm *s);
  int (*judge)(admm *s, double *relative, double *scale);
} admm_form;

struct admm {
  const admm_form *form;
  session *run; /* its merit is (1 + ρ) ‖r − z‖, in units of y */
  const perp_admm_options *options;
  anderson past;
  contact *contacts; /* begin is where they stand in the order of the system             */
  int32_t n, count;
  double rho, least_rho; /* below the second there is no factor                              */
  int dear;              /* a factor costs many solutions                                    */
  double price;          /* multiply-adds of one                                             */
  int32_t updates;       /* done                                                             */
  int32_t window, seen;  /* iterations over which the balance is taken, and that are in it   */
  double balance; /* product of ‖Δξ‖² / ‖Δz‖² over them                               */
  int accelerated;    /* the present w was                                                */
  double before;      /* ‖r − z‖ of the step before, infinity if there is none            */
  double inner_merit; /* of the outer fixed point, at its begin                           */
  double halved;      /* merit from which the next half counts as progress                */
  int32_t patience;   /* iterations left for that                                         */
  int32_t rest, resting; /* plain ones left, and how many the next time                      */
  double scale;          /* of y, as far as it is known                                      */
  const int32_t *place;  /* n: where unknown i stands; NULL: as they do                      */
  double *unit;          /* n: D                                                             */
  double *w, *z, *q;     /* n each                                                           */
  double *step, *shift;  /* n each; step: right side, r, r − z                               */
  double *lower, *upper; /* n each                                                           */
};

extern const perp_admm_options perp_admm_defaults;
extern const option_range perp_admm_ranges[];

void perp_admm_carve(admm *s, arena *a, const perp_shape *shape, const perp_admm_options *o);

/* The session, contacts left to the caller. */
void perp_admm_reset(admm *s, session *run, const admm_form *form);

/* The session, and the contacts of its problem. */
void perp_admm_open(admm *s, session *run, const admm_form *form);

/* q and bounds scaled by d and brought to their places, contacts too. */
void perp_admm_fill(admm *s, const double *d);

/* The first w: z − û / ρ at z = P_K(λ). 0 if that is not finite. */
int perp_admm_begin(admm *s);

/* The first factor: GO_ON, or what ends the run. */
perp_status perp_admm_first_factor(admm *s);

perp_status perp_admm_iterate(void *state, session *run);

#endif
