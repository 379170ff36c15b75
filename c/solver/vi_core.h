/* SPDX-License-Identifier: MIT */
/* What the projection methods for −F(x) ∈ N_K(x) share: the step length, the loop, the endings. */
#ifndef PERP_SOLVER_VI_CORE_H
#define PERP_SOLVER_VI_CORE_H

#include "base/arena.h"
#include "perp/vi.h"

typedef struct vi_core vi_core;

/* Beside the statuses, for judge, method and what they call. */
enum { VI_GO_ON = 100, VI_SHORTER = 101 };

struct vi_core {
  /* set by the caller */
  int32_t n;
  perp_vi_function function;
  perp_vi_project project;
  void *user;
  const double *weight; /* n: units of x per unit of F by unknown; NULL: ones            */
  /* Whether s->x, with F in s->F, is a solution; may overwrite F with its value anew. VI_GO_ON,
   * with *miss := tol / (relative residual), if it is not. */
  perp_status (*judge)(vi_core *s, double *miss);
  /* From x, F, x̄, F̄ to the next x and F: VI_GO_ON, VI_SHORTER, or an error. */
  perp_status (*method)(vi_core *s);
  int shy;                /* 1: where the residual grows, the rule becomes stricter      */
  perp_status not_finite; /* what NaN from F is called                                   */
  perp_vi_options options;
  perp_info *info;
  double reference; /* size of F that residuals are compared with at least              */
  double rho;       /* > 0                                                               */
  /* memory, n each, and what has been learned */
  double *x, *F, *ahead, *F_ahead, *trial, *best;
  double lipschitz; /* largest ‖F(a) − F(b)‖ / ‖a − b‖ met, 0 if none               */
  double nearby;    /* the same with those of the past halved at each step           */
  double best_merit;
  double factor; /* by how much the own residual must be below tol                       */
  int32_t iterations;
};

extern const perp_vi_options perp_vi_defaults;

perp_status perp_vi_check_options(const void *options, perp_info *info);

/* The arrays from x to best. */
void perp_vi_carve(vi_core *s, arena *a, int32_t n);

/* F := F(x): VI_GO_ON, VI_SHORTER (no value there), or an error. */
perp_status perp_vi_evaluate(vi_core *s, const double *x, double *F);

/* p := P(x − ρ w F): VI_GO_ON or an error; overwrites trial. */
perp_status perp_vi_project_step(vi_core *s, double rho, const double *F, double *p);

/* √Σ (a − b)² / w, and with F for x √Σ (a − b)² w; b NULL: 0. */
double perp_vi_distance(const vi_core *s, const double *a, const double *b);
double perp_vi_difference(const vi_core *s, const double *a, const double *b);

/* Iterate from s->x, F(s->x) in s->F. At the end s->x is the solution, the last, or the best. */
perp_status perp_vi_run(vi_core *s);

/* The methods. */
perp_status perp_vi_fixed_point_step(vi_core *s);
perp_status perp_vi_extragradient_step(vi_core *s);

#endif
