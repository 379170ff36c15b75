/* SPDX-License-Identifier: MIT */
/* An event-driven simulation: an engine for each component of the model. Each takes steps of its
 * own; its next step, up to what is found in it, is taken ahead, and waits in a queue until the
 * simulation has come to its end. What is seen of an engine meanwhile is interpolated, so that an
 * event costs what its own component costs.
 *
 * create.c makes it, record.c goes through an event of all engines that have one at the same time,
 * run.c through time, access.c shows it. Guards and resets of the user's see the whole state: with
 * guards all is one component, at the time of a schedule all engines end their steps. */
#ifndef PERP_EVENTS_DRIVEN_H
#define PERP_EVENTS_DRIVEN_H

#include "events/engine.h"

/* Within a call. Observers may look, but not go on or start anew; callbacks of the model may not
 * even look: what is shown is evaluated where they are being asked. */
enum { IN_OBSERVER = 1, IN_CALLBACKS = 2 };

struct perp_event_driven {
  const perp_model *model;
  perp_event_options options;
  components parts;
  engine **engines; /* parts.n */
  size_t *q0, *w0;  /* n_systems: first entries of the whole q and w */
  int32_t n_systems, n_interactions;
  size_t n_q, n_v, n, rows; /* of the whole state (q, v, x); rows of all interactions */
  void *block;

  double t, until;         /* until: of the last run; NaN before the first             */
  int32_t *due, n_due;     /* engines at t                                             */
  int32_t *queue, n_queue; /* the others: a heap by the ends of the steps they have taken */
  int32_t busy;            /* IN_CALLBACKS, IN_OBSERVER, 0: at rest                    */
  int32_t stopped;         /* a run ended early: what lies ahead is taken anew         */

  double view_t;      /* what is shown: t, or an output              */
  int64_t shown;      /* views so far                                */
  perp_status hidden; /* why a view could not be shown since the run began */

  double *next_scheduled; /* next time of each schedule              */
  double scheduled_until; /* those of this time have had their turn  */
  int64_t *schedule_index;

  perp_event event; /* the last one */
  perp_event_change *changes;
  int64_t records;               /* so far                                                  */
  int32_t *recorded, n_recorded; /* its engines                                        */
  int32_t *hit, n_hit;           /* those of the one that is tried                          */
  double *before, *impulse;      /* n; rows: of the event, those of other engines 0          */
  double *whole;                 /* n: scratch                                              */
  int64_t events;
  int64_t outputs;
  char message[2 * SMOOTH_MESSAGE];
  perp_info *info; /* of the call that goes on, or NULL */
};

/* create.c: between the state of engine k (n) and that of all. */
void perp_whole_put(const perp_event_driven *sim, int32_t k, const double *part, double *whole);
void perp_whole_get(const perp_event_driven *sim, int32_t k, const double *whole, double *part);
/* Scheduled time k to its next. */
void perp_schedule_next(perp_event_driven *sim, int32_t k);

/* record.c: all that happens at t, to the engines that are due and have found something, or, if
 * kinds (PERP_EVENT_START, _SCHEDULE) is not 0, to all. *happened: there is a new event, whatever
 * the answer; else it is still to come. */
perp_status perp_event_happen(perp_event_driven *sim, uint32_t kinds, int *happened,
                              perp_info *info);
/* The state before the last event, of all, which were shown when it came. */
void perp_event_complete(perp_event_driven *sim);

/* access.c: from now on the state at t is shown. */
void perp_view_at(perp_event_driven *sim, double t);
/* Engine k with its view, NULL where it cannot be shown. */
engine *perp_view_of(perp_event_driven *sim, int32_t k);
/* What engine e says went wrong is what the simulation says; returns status. */
perp_status perp_event_told(perp_event_driven *sim, const engine *e, perp_status status);

#endif
