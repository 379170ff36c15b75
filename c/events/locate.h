/* SPDX-License-Identifier: MIT */
/* The search for the first event in a step, one way of searching after the other: each narrows what
 * those before have left. */
#ifndef PERP_EVENTS_LOCATE_H
#define PERP_EVENTS_LOCATE_H

#include "events/guard.h"

typedef struct search {
  double begin, end; /* the step                                                         */
  double a, b;       /* found: no guard of those searched fires before a, one has at b, or the
                        model refuses its point; else b is the end                       */
  int32_t found;
  int32_t at_end; /* guards at the end are known: guard_row(max_points + 1) */
} search;

/* A guard fires in (a, b], none of its kind before. */
static inline void search_take(search *s, double a, double b) {
  if (s->found && a >= s->b) return;
  s->a = s->found && s->a < a ? s->a : a;
  s->b = s->found && s->b < b ? s->b : b;
  s->found = 1;
}

/* Each answers 0, or < 0: give up, as callbacks. */
int32_t perp_locate_exact(engine *e, search *s);
int32_t perp_locate_rate(engine *e, search *s);
/* Those of the elements that are made of forces, or those of the user. */
int32_t perp_locate_points(engine *e, search *s, int32_t way);

#endif
