/* SPDX-License-Identifier: MIT */
/* What a guard counts as in the course of a step. A guard that is zero at a restart (a contact that
 * has just been left) is *fresh*: it counts from where it was, if that is beyond zero, and by more
 * than rounding, so that what was handled is not found again, until it has left zero. */
#ifndef PERP_EVENTS_GUARD_H
#define PERP_EVENTS_GUARD_H

#include "events/engine.h"

/* How zeros of a guard are searched for. */
enum {
  SEARCH_NOT,   /* there is none                                                        */
  SEARCH_EXACT, /* linear in the state, with constant coefficients: locate_exact.c      */
  SEARCH_RATE,  /* a gap with its rate: locate_rate.c                                   */
  SEARCH_FORCE, /* made of what the integrator integrates: at some points, more where it
                   bends, locate_points.c                                               */
  SEARCH_VALUE  /* of the user's, of which nothing is known: at many points, same file */
};

static inline double *guard_row(engine *e, int32_t i) {
  return e->g + (size_t)i * (size_t)e->n_guards;
}
static inline int guard_is_user(const engine *e, int32_t k) {
  return k >= GUARDS_PER_ELEMENT * e->n_elements;
}
static inline const element *guard_home(const engine *e, int32_t k) {
  return &e->elements[k / GUARDS_PER_ELEMENT];
}

/* trial := the state at t within the last step; < 0 if it is not known. */
int32_t perp_guard_come(engine *e, double t);
/* Guards at time t of the last step, state from the interpolation into trial. Answers as callbacks.
 */
int32_t perp_guard_at(engine *e, double t, double *g);
/* The user's alone. */
int32_t perp_guard_users(engine *e, double t, double *g);
/* Guards of a state. */
int32_t perp_guard_of(engine *e, double t, const double *Y, double *g);
/* Below what the change of a guard since the restart is rounding. */
double perp_guard_noise(const engine *e, int32_t k, double g);
/* Where guard k has its zero. */
double perp_guard_zero(const engine *e, int32_t k);
/* Guard k as positive until it fires: by sign for the user's; if it is fresh, beyond rounding, and
 * after an idle event beyond the error of the motion. */
double perp_guard_value(const engine *e, int32_t k, double g);
/* Up to what it counts as zero at a restart. */
double perp_guard_tolerance(const engine *e, int32_t k);
/* Whether a crossing of guard k counts. */
int perp_guard_counts(const engine *e, int32_t k);
/* Whether guard k has fired at g; any of first ... last - 1. */
int perp_guard_has_fired(const engine *e, int32_t k, double g);
int perp_guard_any_fired(const engine *e, const double *g, int32_t first, int32_t last);
/* At g, later than what was seen before: signs that are known now, guards that have left zero. */
void perp_guard_learn(engine *e, const double *g);
void perp_guard_leave(engine *e, int32_t k, double g);

#endif
