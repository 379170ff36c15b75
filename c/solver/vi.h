/* SPDX-License-Identifier: MIT */
/* What the projection methods for −F(x) ∈ N_K(x) are told of F and K, by callbacks or by a one-step
 * problem. */
#ifndef PERP_SOLVER_VI_H
#define PERP_SOLVER_VI_H

#include "perp/vi.h"
#include "solver/shell.h"

/* Beside the statuses: F has no value there. */
enum { SHORTER = 101 };

typedef struct vi vi;

struct vi {
  /* set before the run */
  session *run;
  const perp_vi_options *options;
  perp_vi_function function;
  perp_vi_project project;
  void *user;
  const double *weight; /* n: units of x per unit of F by unknown; NULL: ones            */
  const double *root;   /* n: √w; NULL: ones                                                    */
  /* Whether x, with F there, is a solution: PERP_OK, or GO_ON with run->factor made smaller, or an
   * error; may overwrite F with its value anew, and ahead must stay x̄. */
  perp_status (*judge)(vi *s);
  int extra;              /* extragradient; else the fixed point                              */
  perp_status not_finite; /* what NaN from F is called                                        */
  double price;           /* multiply-adds of a value of F                                    */
  double reference;       /* size of F that residuals are compared with at least              */
  double rho;             /* > 0                                                              */
  /* memory, n each; x is run->lambda */
  int32_t n;
  double *x, *F, *ahead, *F_ahead, *trial;
  /* of the iteration, and learned */
  double size, merit; /* ‖x − x̄‖, and that by ρ                                             */
  double ratio, last; /* L of the rule, and the merit at the end of the window before        */
  double lipschitz; /* largest ‖F(a) − F(b)‖ / ‖a − b‖ met, 0 if none                     */
  double nearby; /* the same with those of the past halved at each step                 */
};

extern const perp_vi_options perp_vi_defaults;
extern const option_range perp_vi_ranges[];

/* Memory, and what the shell knows. */
void perp_vi_carve(vi *s, arena *a, int32_t n);
void perp_vi_open(vi *s, session *run);

/* F := F(x): GO_ON, SHORTER, or an error. */
perp_status perp_vi_evaluate(vi *s, const double *x, double *F);

/* p := P(x): GO_ON or an error. */
perp_status perp_vi_onto(const vi *s, const double *x, double *p);

/* p := P(x − ρ w F): the same; overwrites trial. */
perp_status perp_vi_project_step(vi *s, double rho, const double *F, double *p);

/* √Σ (a − b)² / w, and with F for x √Σ (a − b)² w; b NULL: 0. */
double perp_vi_distance(const vi *s, const double *a, const double *b);
double perp_vi_difference(const vi *s, const double *a, const double *b);

/* Iterate from x, F(x) in F. */
perp_status perp_vi_run(vi *s);

#endif
