/* SPDX-License-Identifier: MIT */
/* From event to event: steps of the smooth integrator, looked through for events, with outputs on
 * the way. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/dae.h"

/* Outputs of a run that are still to come. */
typedef struct outputs {
  const perp_event_observer *observer;
  int64_t next;
  double from;      /* begin of the last step of time-stepping */
  int32_t straight; /* the last step was one of it              */
} outputs;

static double next_output(const outputs *o) {
  const perp_event_observer *w = o->observer;
  if (w == NULL || w->output == NULL) return HUGE_VAL;
  if (w->times != NULL) return o->next < w->n_times ? w->times[o->next] : HUGE_VAL;
  return w->every > 0 ? w->first + (double)o->next * w->every : HUGE_VAL;
}

static void show(engine *e, double *Y, double t) {
  e->view = Y;
  e->view_t = t;
  e->viewed = 0;
}

static perp_status answer(int32_t code) {
  return code == 0 ? PERP_OK : code > 0 ? PERP_STOPPED : PERP_ECALLBACK;
}

/* Put the state that is about to be seen on what is held. An integrator of several steps goes on
 * from its own. */
static perp_status settle(engine *e) {
  double size = 0, seen;
  if (!e->has_held_positions || e->stepper != NULL) return PERP_OK;
  for (size_t k = 0; k < e->p.n; k++) size = fmax(size, fabs(e->Y[k]));
  if (perp_drift(e) <= 4 * DBL_EPSILON * size) return PERP_OK;
  e->viewed = 0;
  return perp_correct(e, e->t, e->Y, &seen) == 0 ? PERP_OK : perp_engine_plant_fail(e, NULL);
}

/* Outputs before the time until (at it too, if inclusive), within the last step. Y of an output
 * satisfies what is held. */
static perp_status put_out(engine *e, outputs *o, double until, int inclusive) {
  for (;;) {
    const double t = next_output(o);
    double drift;
    if (!(t < until || (inclusive && t == until))) return PERP_OK;
    if (t >= e->t) {
      const perp_status status = settle(e);
      if (status != PERP_OK) return status;
      show(e, e->Y, e->t);
    } else if (o->straight) { /* straight between steps; save is the state before */
      const double a = (t - o->from) / (e->t - o->from);
      for (size_t k = 0; k < e->p.n; k++) e->output[k] = (1 - a) * e->save[k] + a * e->Y[k];
      perp_plant_normalise(&e->p, e->output);
      show(e, e->output, t);
    } else {
      const perp_status status = e->smooth->interpolate(e->integrator, t, e->output, NULL);
      if (status != PERP_OK) return status;
      perp_plant_normalise(&e->p, e->output);
      if (e->has_held_positions && perp_correct(e, t, e->output, &drift) != 0)
        return perp_engine_plant_fail(e, NULL);
      show(e, e->output, t);
    }
    o->next++;
    const perp_status status = answer(o->observer->output(e, o->observer->user));
    if (status != PERP_OK &&
        t < e->t) { /* the run ends here: what was found later is yet to come */
      memcpy(e->Y, e->output, e->p.n * sizeof *e->Y);
      e->t = t;
      e->running = 0;
    }
    show(e, e->Y, e->t);
    if (status != PERP_OK) return status;
  }
}

/* Put the end of a step back on what is held once it has drifted off: a one-step method at once,
 * the others, for which it is a new start, where the drift comes to what they may be wrong by. */
static perp_status keep_on_constraints(engine *e, perp_info *info) {
  double size = 0, least = HUGE_VAL;
  if (e->n_held == 0 && e->first.n == 0) return PERP_OK;
  for (size_t k = 0; k < e->p.n; k++) {
    size = fmax(size, fabs(e->Y[k]));
    least = fmin(least, e->atol[k]);
  }
  const double allowed = e->smooth->one_step ? fmax(4 * DBL_EPSILON * size, 1e-2 * least)
                                             : 1e4 * (least + e->options.rtol * size);
  const double first = perp_dae_holds_outputs(e) ? 0 : perp_first_order_drift(e);
  const double drift = fmax(perp_drift(e), first);
  e->report.drift = fmax(e->report.drift, drift);
  if ((e->smooth->dae ? first : drift) <= allowed) return PERP_OK;
  double seen;
  if (perp_correct(e, e->t, e->Y, &seen) != 0 || perp_first_order_correct(e) != 0)
    return perp_engine_plant_fail(e, info);
  e->report.corrections++;
  e->running = 0;
  return PERP_OK;
}

/* Why the model refused the points that the motion has come up against: steps that only ask for
 * smaller ones, until there are none or too many, end for that reason, by whichever method. */
static perp_status reason(engine *e, perp_status status, perp_info *info) {
  const int by_model =
      e->refusal == PERP_ENOTFINITE || e->refusal == PERP_MAX_ITER || e->refusal == PERP_RETRY;
  const double gone = e->t - e->smooth_since, left = fabs(e->refused_at - e->t);
  if (!by_model || (status == PERP_MAX_ITER && !(left <= 1e-3 * gone))) return status;
  return fail(info, e->refusal, e->refused_field, e->refused_index, e->refused_value);
}

/* What the message adds where steps are short for stability, not for accuracy. */
static const char *stiff_words(engine *e) {
  const double border = e->smooth->border;
  return border > 0 && perp_stiffness(e, e->last_h) > border
             ? "; the motion is stiff there: perp_smooth_bdf() takes longer steps"
             : "";
}

static perp_status integrator_failed(engine *e, perp_status status, perp_info *info) {
  const char *words = e->smooth->message(e->integrator);
  if (status == PERP_ECALLBACK || status == PERP_RETRY || status == PERP_ENOTFINITE) {
    if (e->p.status != PERP_OK) (void)perp_engine_plant_fail(e, info);
    if (words[0] == 0) return status == PERP_ECALLBACK ? status : reason(e, status, info);
  }
  if (info_ready(info) && info->field == NULL) info->value = e->t;
  if (status == PERP_RETRY || status == PERP_ENOTFINITE || status == PERP_MAX_ITER)
    status = reason(e, status, info);
  (void)snprintf(e->message, sizeof e->message, "%s: %s%s", e->smooth->name, words,
                 status == PERP_MAX_ITER ? stiff_words(e) : "");
  return status;
}

static double next_scheduled(const engine *e) {
  double next = HUGE_VAL;
  for (int32_t k = 0; k < e->options.n_schedules; k++) next = fmin(next, e->next_scheduled[k]);
  return next;
}

/* Contacts at the end of a step: TOUCH becomes OPEN once it has left; the direction of slip in
 * space follows the velocity, as what it is measured against in the next step. */
static perp_status follow_contacts(engine *e, perp_info *info) {
  int any = 0;
  for (int32_t k = 0; k < e->n_elements; k++)
    any = any || e->elements[k].state == PERP_CONTACT_TOUCH ||
          (e->elements[k].state == PERP_CONTACT_SLIP && e->elements[k].size == 3);
  const perp_status status = any ? perp_engine_values(e, info) : PERP_OK;
  if (!any || status != PERP_OK) return status;
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    const double gap = x->holonomic ? perp_element_gap(e, x) : perp_element_speed(e, x);
    const double tol = x->holonomic ? e->slack : e->options.velocity_tol;
    if (x->state == PERP_CONTACT_TOUCH && gap > 4 * tol) {
      x->state = PERP_CONTACT_OPEN;
      const size_t guard = GUARDS_PER_ELEMENT * (size_t)k;
      e->g[guard] = gap;
      e->fresh[guard] = 0;
    }
    if (x->state == PERP_CONTACT_SLIP && x->size == 3) {
      const double *ydot = e->p.interactions[x->interaction].ydot + x->row;
      const double speed = sqrt(ydot[1] * ydot[1] + ydot[2] * ydot[2]);
      if (!(speed > e->options.velocity_tol)) continue;
      x->d[0] = ydot[1] / speed, x->d[1] = ydot[2] / speed;
      e->g[GUARDS_PER_ELEMENT * k + 1] = speed;
    }
  }
  return PERP_OK;
}

/* One step of time-stepping, which may give back: an event. */
static perp_status step_in_crowd(engine *e, double stop, double scheduled, outputs *o,
                                 int *happened, perp_info *info) {
  o->from = e->t;
  perp_status status = perp_handover_step(e, stop, scheduled, happened, info);
  if (status != PERP_OK) return status;
  const double reached = e->t;
  o->straight = 1;
  status = put_out(e, o, e->t, 0);
  o->straight = 0;
  if (status == PERP_STOPPED && !*happened && e->t < reached) {
    const perp_status again = perp_handover_again(e, info);
    if (again != PERP_OK) status = again;
  }
  if (*happened && (status == PERP_OK || status == PERP_STOPPED)) {
    memset(e->fired, 0, (size_t)e->n_guards);
    const perp_status returned = perp_event_happen(e, PERP_EVENT_RETURN, info);
    if (returned != PERP_OK) status = returned;
  }
  show(e, e->Y, e->t);
  return status;
}

/* After an event: does time-stepping take over? */
static perp_status hand_over(engine *e, perp_status status, perp_info *info) {
  if (status != PERP_OK || !perp_handover_is_due(e)) return status;
  e->event.kinds |= (uint32_t)PERP_EVENT_HANDOVER;
  return perp_handover_begin(e, info);
}

/* The state at the begin of the step that was tried. */
static void step_back(engine *e, double begin) {
  memcpy(e->Y, e->save, e->p.n * sizeof *e->save);
  e->t = begin;
  e->running = 0;
  show(e, e->Y, e->t);
}

/* Outputs of the step before the event at *t, if one was found: one that would show a gap inside an
 * obstacle is an event that was passed, and is come back to. */
static int32_t check_outputs(engine *e, outputs o, double begin, double end, int32_t found,
                             double *t) {
  if (found < 0) return found;
  for (;; o.next++) {
    const double at = next_output(&o);
    if (!(at < (found == LOCATE_NOTHING ? end : *t))) return found;
    if (!(at > begin)) continue;
    const int32_t passed = perp_locate_again(e, begin, end, at, t);
    if (passed != LOCATE_NOTHING) return passed;
  }
}

/* One step, or one event: *happened. */
static perp_status advance(engine *e, double until, outputs *o, int *happened, perp_info *info) {
  const double scheduled = next_scheduled(e), stop = fmin(until, scheduled);
  double begin = e->t, end = e->t, t;
  perp_status status = PERP_OK;
  *happened = 0;
  if (e->stepper != NULL) return step_in_crowd(e, stop, scheduled, o, happened, info);
  if (scheduled <= e->t) {
    memset(e->fired, 0, (size_t)e->n_guards);
    *happened = 1;
    status = perp_event_happen(e, PERP_EVENT_SCHEDULE, info);
    show(e, e->Y, e->t);
    return status;
  }
  e->p.limit = scheduled;
  if (!e->running) status = perp_engine_restart(e, info);
  if (status != PERP_OK) return status;
  memcpy(e->save, e->Y, e->p.n * sizeof *e->save);
  e->p.status = PERP_OK;
  status = e->smooth->step(e->integrator, stop, &begin, &end, e->Y);
  if (status != PERP_OK) {
    step_back(e, begin);
    return integrator_failed(e, status, info);
  }
  int32_t found = perp_locate(e, begin, end, e->Y, &t);
  found = check_outputs(e, *o, begin, end, found, &t);
  if (found < 0) {
    step_back(e, begin);
    return perp_engine_plant_fail(e, info);
  }
  if (end < stop || !(e->last_h > 0)) e->last_h = end - begin;
  status = perp_go_to(e, begin, end, scheduled, found, t);
  if (status != PERP_OK) {
    step_back(e, begin);
    return integrator_failed(e, status, info);
  }
  status = put_out(e, o, e->t, 0);
  if (status != PERP_OK) {
    e->running = 0; /* an event that was found here is found again */
    return status;
  }
  show(e, e->Y, e->t);
  if (found == LOCATE_EVENT || scheduled <= e->t) {
    *happened = 1;
    if (found != LOCATE_EVENT) memset(e->fired, 0, (size_t)e->n_guards);
    status = perp_event_happen(
        e, (uint32_t)PERP_EVENT_GUARD | (uint32_t)(scheduled <= e->t ? PERP_EVENT_SCHEDULE : 0),
        info);
    show(e, e->Y, e->t);
    return hand_over(e, status, info);
  }
  status = follow_contacts(e, info);
  if (status != PERP_OK) return status;
  perp_plant_normalise(&e->p, e->Y);
  return keep_on_constraints(e, info);
}

static perp_status tell(engine *e, const perp_event_observer *w, int happened) {
  if (w == NULL) return PERP_OK;
  perp_status status = PERP_OK;
  if (happened && e->event.kinds != 0 && w->event != NULL)
    status = answer(w->event(e, &e->event, w->user));
  if (status == PERP_OK && w->step != NULL) status = answer(w->step(e, w->user));
  return status;
}

/* Until an event if once, else until the time. */
static perp_status go(engine *e, double until, const perp_event_observer *observer, int once,
                      perp_info *info) {
  outputs o = {observer, 0, 0, 0};
  info_clear(info);
  e->message[0] = 0;
  if (observer != NULL && observer->times == NULL && observer->every > 0) {
    const double gone = (e->t - observer->first) / observer->every - 2;
    o.next = gone > 0 ? (int64_t)fmin(gone, 0x1p62) : 0;
  }
  while (next_output(&o) < e->t) o.next++;
  int64_t steps = 0;
  while (e->t < until) {
    int happened = 0;
    const int64_t before = o.next;
    perp_status status = put_out(e, &o, e->t, 1);
    if (status == PERP_OK) status = advance(e, until, &o, &happened, info);
    if (status == PERP_OK && observer != NULL && observer->step != NULL) status = settle(e);
    if (status == PERP_OK || (status == PERP_STOPPED && happened)) {
      const perp_status told = tell(e, observer, happened);
      if (told != PERP_OK) status = told;
    }
    if (status != PERP_OK) return status;
    if (once && happened && e->event.kinds != 0) return PERP_OK;
    steps = happened || o.next != before ? 0 : steps + 1;
    if (steps > e->options.max_steps) {
      (void)fail(info, PERP_MAX_ITER, "max_steps", -1, e->t);
      const perp_status why = reason(e, PERP_MAX_ITER, info);
      (void)snprintf(e->message, sizeof e->message,
                     "%d steps since the last event or output, at t = %.17g%s",
                     e->options.max_steps, e->t, why == PERP_MAX_ITER ? stiff_words(e) : "");
      return why;
    }
  }
  perp_status status = settle(e);
  /* the last output may miss the end by rounding */
  if (status == PERP_OK) status = put_out(e, &o, e->t + 8 * DBL_EPSILON * fabs(e->t), 1);
  return status != PERP_OK ? status : once ? PERP_END : PERP_OK;
}

static perp_status check_times(const perp_event_observer *o, perp_info *info) {
  if (o->times == NULL) return PERP_OK;
  for (int32_t k = 0; k < o->n_times; k++) {
    const double t = o->times[k];
    if (!is_finite(t)) return fail(info, PERP_ENOTFINITE, "observer.times", k, t);
    if (k > 0 && !(t > o->times[k - 1])) return fail(info, PERP_EINVAL, "observer.times", k, t);
  }
  return PERP_OK;
}

/* go(), from no callback of this simulation: it would change what is being integrated. */
static perp_status go_alone(engine *e, double until, const perp_event_observer *observer, int once,
                            perp_info *info) {
  if (e->busy) return fail_field(info, "run within a run", -1);
  e->busy = 1;
  const perp_status status = go(e, until, observer, once, info);
  e->busy = 0;
  return status;
}

perp_status perp_event_driven_run(perp_event_driven *e, double until,
                                  const perp_event_observer *observer, perp_info *info) {
  if (e == NULL) return fail_field(info, "sim", -1);
  if (!is_finite(until)) return fail(info, PERP_ENOTFINITE, "until", -1, until);
  if (until < e->t) return fail(info, PERP_EINVAL, "until", -1, until);
  perp_event_observer read;
  memset(&read, 0, sizeof read);
  if (perp_options_read(&read, sizeof read, observer, PERP_THROUGH(perp_event_observer, user)) !=
      PERP_OK)
    return fail_field(info, "observer", -1);
  if (!(read.every >= 0) || !is_finite(read.first))
    return fail(info, PERP_EINVAL, "observer.every", -1, read.every);
  if (read.times == NULL && read.every > 0 && !(until + read.every > until)) /* without end */
    return fail(info, PERP_EINVAL, "observer.every", -1, read.every);
  const perp_status status = check_times(&read, info);
  if (status != PERP_OK) return status;
  return go_alone(e, until, observer == NULL ? NULL : &read, 0, info);
}

perp_status perp_event_driven_next(perp_event_driven *e, double until, perp_info *info) {
  if (e == NULL) return fail_field(info, "sim", -1);
  if (!is_finite(until)) return fail(info, PERP_ENOTFINITE, "until", -1, until);
  if (until < e->t) return fail(info, PERP_EINVAL, "until", -1, until);
  return go_alone(e, until, NULL, 1, info);
}
