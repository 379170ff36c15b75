/* SPDX-License-Identifier: MIT */
/* Anderson acceleration of a fixed point w = T(w) of n unknowns. */
#ifndef PERP_SOLVER_ANDERSON_H
#define PERP_SOLVER_ANDERSON_H

#include "base/arena.h"

/* Most differences that may be remembered. */
enum { ANDERSON_MOST = 30 };

typedef struct anderson {
  int32_t n, memory;
  int32_t count;   /* differences in store                                        */
  int32_t oldest;  /* the one that goes next, once all places are taken           */
  int known;       /* whether there is a step before                              */
  double *f, *g;   /* n each: T(w) − w and T(w) of the step before                */
  double *df, *dg; /* n x memory: their differences                              */
  double *gram;    /* memory x memory: dfᵀ df                                    */
  double *chol;    /* memory x memory: its factor                                */
  double *right;   /* memory: dfᵀ f, then the weights                            */
} anderson;

void perp_anderson_carve(anderson *a, arena *memory, int32_t n, int32_t differences);

/* Forget all steps. */
static inline void anderson_reset(anderson *a) { a->count = a->oldest = a->known = 0; }

/* w := the next point from w and f = T(w) − w. Returns 1 if it is accelerated, 0 if it is T(w). */
int perp_anderson_step(anderson *a, const double *f, double *w);

#endif
