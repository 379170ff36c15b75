/* SPDX-License-Identifier: MIT */
/* Anderson acceleration of a fixed point w = T(w) of n unknowns, alone, and in turn with other ways
 * to make more of sweeps. */
#ifndef PERP_SOLVER_ANDERSON_H
#define PERP_SOLVER_ANDERSON_H

#include "base/arena.h"
#include "perp/sweeps.h"

/* Most differences that may be remembered. */
enum { ANDERSON_MOST = 30 };

typedef struct anderson {
  int32_t n, memory;
  int32_t count;        /* differences in store                                        */
  int32_t oldest;       /* the one that goes next, once all places are taken           */
  int known;            /* whether there is a step before                              */
  const double *weight; /* n: of the unknowns in norms; NULL: all 1               */
  double *f, *g;        /* n each: T(w) − w and T(w) of the step before                */
  double *df, *dg;      /* n x memory: their differences                              */
  double *gram;         /* memory x memory: dfᵀ df                                    */
  double *chol;         /* memory x memory: its factor                                */
  double *right;        /* memory: dfᵀ f, then the weights                            */
} anderson;

void perp_anderson_carve(anderson *a, arena *memory, int32_t n, int32_t differences);

/* Forget all steps. */
static inline void anderson_reset(anderson *a) { a->count = a->oldest = a->known = 0; }

/* w := the next point from w and f = T(w) − w. Returns 1 if it is accelerated, 0 if it is T(w). */
int perp_anderson_step(anderson *a, const double *f, double *w);

/* Acceleration of a fixed point iteration g = G(x) with f = g − x, by what its last steps tell.
 *
 *   Anderson   x := g − Σ γ_j Δg_j,  γ = argmin ‖f − Σ γ_j Δf_j‖,  j over the last depth steps
 *   leap       x := g + s f,  s = 1, 2, 4, ...,  in Anderson's place where f hardly changes
 *   momentum   x := g + β (g − g_before),  β = (t − 1) / t₊,  t₊ = (1 + √(1 + 4 t²)) / 2
 *
 * Norms weigh each unknown. A point x that was made so and from which ‖f‖ is more than twice the
 * least since the last x that was a g is thrown away: x := the g it was made of, and the memory is
 * empty again.
 * Sources: [Anderson 1965], [Walker and Ni 2011], [Nesterov 1983]. */
typedef struct accelerator {
  int32_t kind;         /* PERP_NSGS_...                                      */
  int32_t now, stalled; /* whose turn it is, and steps without progress       */
  double milestone;     /* ‖f‖² at the last progress                          */
  int32_t smooth;       /* sweeps before a leap is judged                     */
  int32_t bold;         /* x is no g                                          */
  double merit;         /* ‖f‖² at the last x that was kept                   */
  double t;             /* momentum                                           */
  double leap;          /* Anderson: how far to go along f where it stays the same */
  double *weight;       /* n                                                  */
  double *x, *g;        /* n: where the sweep began; g of the last step       */
  anderson past;        /* the steps                                          */
  double gram[PERP_NSGS_MOST_DEPTH * PERP_NSGS_MOST_DEPTH]; /* of past         */
} accelerator;

/* kind: PERP_NSGS_... */
void perp_accelerator_carve(accelerator *s, arena *a, int32_t n, int32_t kind, int32_t depth);

/* Forget all steps. */
void perp_accelerator_reset(accelerator *s);

/* Keep the point where the next step begins. */
void perp_accelerator_begin(accelerator *s, const double *x);

/* After the step: x, which holds g, becomes the point for the next one to begin from. */
void perp_accelerator_end(accelerator *s, double *x);

#endif
