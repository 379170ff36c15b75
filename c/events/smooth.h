/* SPDX-License-Identifier: MIT */
/* Integrators of the smooth motion between events, behind one table.
 *
 * An integrator takes steps of its own choice and interpolates within the last one; the driver
 * looks for events there (locate.c) and starts it anew after each. It never steps beyond stop. */
#ifndef PERP_EVENTS_SMOOTH_H
#define PERP_EVENTS_SMOOTH_H

#include "perp/event_driven.h"

/* What is integrated: n components Y = (q, v, x). As equations of motion solved for Ẏ, or as a DAE
 * with algebraic unknowns behind Y. Functions answer as callbacks do: 0 done, > 0 retry with a
 * smaller step, < 0 give up. */
typedef struct smooth_problem {
  int32_t n;
  int32_t linear; /* PERP_LINEAR_... as the options have it */
  void *context;
  int32_t (*rhs)(void *context, double t, const double *y, double *ydot);

  /* Which entries of ∂Ẏ/∂Y may be other than 0: compressed columns, n + 1 and start[n]; NULL: all.
   * A superset over all modes. Jacobians are taken by differences over this structure. */
  const int32_t *start, *index;

  /* The DAE in the present mode, z = (Y, Λ): F(t, z, ż) = 0 with as many entries as z. Its Λ are
   * integrals of multipliers, which F reads as Λ̇ alone. dae_begin chooses them for a motion from
   * (t, y) on and tells how many entries z has, n at least; the others are of that motion:
   * consistent values of z and ż at its begin, tolerances of Λ, which start at 0, and the entries
   * of ∂F/∂z + c ∂F/∂ż that may be other than 0, in any order and more than once (index NULL: only
   * start). */
  int32_t (*dae_begin)(void *context, double t, const double *y, int32_t *n_dae);
  int32_t (*residual)(void *context, double t, const double *z, const double *zdot, double *F);
  void (*dae_consistent)(void *context, double *z, double *zdot, double *atol);
  void (*dae_structure)(void *context, int32_t *start, int32_t *index);

  double rtol;
  const double *atol; /* n */
  double h_first, h_max;
  int32_t order, max_steps;
} smooth_problem;

/* Counts since creation. */
typedef struct smooth_counts {
  int64_t steps, rejected, evaluations, jacobians;
} smooth_counts;

enum { SMOOTH_MESSAGE = 256, SMOOTH_DEGREE = 12 };

struct perp_smooth {
  uint32_t struct_size;
  int32_t dae; /* integrates residual, not rhs */
  const char *name;
  int32_t one_step; /* a step depends on its begin alone, so that shorten() is exact */
  double border;    /* h ρ at which steps are short for stability (stiff.c); 0: never */
  /* problem lives as long as *self. PERP_EBACKEND if memory is short, PERP_EINVAL for an order. */
  perp_status (*create)(void **self, const smooth_problem *problem, perp_info *info);
  void (*destroy)(void *self);
  /* Begin at (t, y), which is copied; h: guess of the step, 0: none. */
  perp_status (*restart)(void *self, double t, const double *y, double h);
  /* Take one step, not beyond stop (> t). The interval of the step is (*begin, *end]; y (n) is
   * written at *end. PERP_OK, PERP_MAX_ITER (the step cannot be made small enough, too much work),
   * PERP_RETRY, PERP_ECALLBACK, PERP_EINVAL, PERP_EBACKEND; then the state is as it was and message
   * says why. */
  perp_status (*step)(void *self, double stop, double *begin, double *end, double *y);
  /* y (n) at t within the last step. */
  perp_status (*interpolate)(void *self, double t, double *y);
  /* The last step as polynomials of at most SMOOTH_DEGREE: coefficient k of component i in
   * Bernstein's basis over it is out[k n + i], k = 0 ... *degree. They are what interpolate()
   * gives, but for rounding and, of several steps, for begin itself. */
  perp_status (*bezier)(void *self, int32_t *degree, double *out);
  /* One-step methods: the last step taken again with the length t - begin, so that y at t has the
   * accuracy of a step; interpolate() then covers [begin, t] alone. NULL: not a one-step method. */
  perp_status (*shorten)(void *self, double t, double *y);
  void (*counts)(const void *self, smooth_counts *counts);
  /* What went wrong last, "" if nothing did. */
  const char *(*message)(const void *self);
};

/* Root mean square of x in units of the tolerance at y. */
double perp_smooth_norm(const smooth_problem *p, const double *y, const double *x);
/* Words for a time that is not where it should be, and PERP_EINVAL. */
perp_status perp_smooth_outside(char *message, double t, double begin, double end);
perp_status perp_smooth_stopped(char *message, double stop, double t);

#endif
