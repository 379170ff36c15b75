/* SPDX-License-Identifier: MIT */
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
#ifndef PERP_SOLVER_NSGS_ACCELERATE_H
#define PERP_SOLVER_NSGS_ACCELERATE_H

#include "base/arena.h"
#include "perp/sweeps.h"

typedef struct accelerator {
  size_t n;
  int32_t kind, depth;   /* PERP_NSGS_...; of Anderson                         */
  int32_t now, stalled;  /* whose turn it is, and steps without progress       */
  double milestone;      /* ‖f‖² at the last progress                          */
  int32_t steps, newest; /* differences kept, and the place of the newest      */
  int32_t smooth;        /* sweeps before a leap is judged                     */
  int32_t bold;          /* x is no g                                          */
  double merit;          /* ‖f‖² at the last x that was kept                   */
  double t;              /* momentum                                           */
  double leap;           /* Anderson: how far to go along f where it stays the same */
  double *weight;        /* n                                                  */
  double *x, *f, *g;     /* n: where the sweep began; f and g of the last step */
  double *df[PERP_NSGS_MOST_DEPTH], *dg[PERP_NSGS_MOST_DEPTH];
  double gram[PERP_NSGS_MOST_DEPTH][PERP_NSGS_MOST_DEPTH]; /* of df              */
} accelerator;

void perp_accelerator_carve(accelerator *s, arena *a, size_t n, const perp_nsgs_options *o);

/* Forget all steps. */
void perp_accelerator_reset(accelerator *s);

/* Keep the point where the next step begins. */
void perp_accelerator_begin(accelerator *s, const double *x);

/* After the step: x, which holds g, becomes the point for the next one to begin from. */
void perp_accelerator_end(accelerator *s, double *x);

#endif
