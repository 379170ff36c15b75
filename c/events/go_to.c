/* SPDX-License-Identifier: MIT */
/* From the end of a step to what was found in it. */
#include <float.h>
#include <math.h>

#include "events/guard.h"

enum { MAX_RETREATS = 3 }; /* see go_to() */

/* The step ends at t, by the integrator where it can take its step again. */
static perp_status end_at(engine *e, double t) {
  const perp_smooth *by = e->smooth;
  e->t = t;
  return (by->shorten != NULL ? by->shorten : by->interpolate)(e->integrator, t, e->Y);
}

/* Go to the event at t, found on the interpolated motion; more exactly where the integrator can
 * take its step again: to where the guard that fired first is zero at the end of that. Each time it
 * must come to less than half of what it was, or that is as near as it gets. */
static perp_status go_to(engine *e, double begin, double end, double t) {
  if (e->smooth->shorten == NULL) return end_at(e, t);
  double nearest = t, least = HUGE_VAL;
  for (int32_t retreats = 0;;) {
    const perp_status status = end_at(e, t);
    if (status != PERP_OK) return status;
    const int32_t code = perp_guard_of(e, t, e->Y, e->g);
    if (code > 0 && e->fired_slope < 0 && retreats++ < MAX_RETREATS) {
      /* the step ends where the gap has no value: a little above */
      t += 0.25 * e->options.contact_tol / e->fired_slope;
      continue;
    }
    if (code != 0) return perp_engine_plant_fail(e, NULL);
    if (retreats > 0) return PERP_OK;
    const double miss = fabs(e->g[e->first_fired] - e->fired_at);
    if (!(miss < 0.5 * least)) break;
    nearest = t, least = miss;
    const double change = -(e->g[e->first_fired] - e->fired_at) / e->fired_slope;
    if (!(fabs(change) > 2 * DBL_EPSILON * fabs(t)) || !(fabs(change) < 0.1 * (t - begin)) ||
        t + change > end)
      return PERP_OK;
    t += change;
  }
  return t == nearest ? PERP_OK : end_at(e, nearest);
}

/* To the end of the part of the step up to t that the model does not refuse. */
static perp_status end_step(engine *e, double begin, double t) {
  if (!(t - begin > 4 * DBL_EPSILON * fabs(t))) return perp_engine_plant_fail(e, NULL);
  e->running = 0;
  return end_at(e, t);
}

/* A guard that fires at the time of a schedule, to the resolution of a root, does so at that time.
 */
static int meets(double begin, double end, double scheduled, double t) {
  return scheduled <= end && end - t <= 100 * DBL_EPSILON * (fabs(end) + (end - begin));
}

perp_status perp_go_to(engine *e, double begin, double end, double scheduled, int32_t found,
                       double t) {
  e->t = end;
  if (found == LOCATE_NOTHING || (found == LOCATE_EVENT && meets(begin, end, scheduled, t)))
    return PERP_OK;
  return found == LOCATE_EVENT ? go_to(e, begin, end, t) : end_step(e, begin, t);
}
