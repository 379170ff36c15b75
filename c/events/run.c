/* SPDX-License-Identifier: MIT */
/* Through time: the engine whose step ends first has its turn, with outputs on the way. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "events/driven.h"

/* ---------------------------------------------------------------------- the queue ---- */

static int before(const perp_event_driven *sim, int32_t a, int32_t b) {
  const double ta = sim->engines[a]->t, tb = sim->engines[b]->t;
  return ta != tb ? ta < tb : a < b;
}

static void enqueue(perp_event_driven *sim, int32_t k) {
  int32_t *queue = sim->queue, at = sim->n_queue++;
  for (; at > 0 && before(sim, k, queue[(at - 1) / 2]); at = (at - 1) / 2)
    queue[at] = queue[(at - 1) / 2];
  queue[at] = k;
}

/* The first becomes due. */
static void dequeue(perp_event_driven *sim) {
  int32_t *queue = sim->queue, at = 0;
  assert(sim->n_queue > 0);
  sim->due[sim->n_due++] = queue[0];
  const int32_t n = --sim->n_queue, last = queue[n];
  for (int32_t child = 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && before(sim, queue[child + 1], queue[child])) child++;
    if (!before(sim, queue[child], last)) break;
    queue[at] = queue[child];
    at = child;
  }
  queue[at] = last;
}

static double first_end(const perp_event_driven *sim) {
  return sim->n_queue > 0 ? sim->engines[sim->queue[0]]->t : HUGE_VAL;
}

/* ------------------------------------------------------------------------ outputs ---- */

static perp_status answer(perp_event_driven *sim, const char *name, int32_t code) {
  if (code >= 0) return code == 0 ? PERP_OK : PERP_STOPPED;
  (void)snprintf(sim->message, sizeof sim->message, "%s at t = %.17g gave up", name, sim->view_t);
  return fail(sim->info, PERP_ECALLBACK, name, -1, code);
}

/* What an observer says, or PERP_OK where there is none. */
static perp_status ask(perp_event_driven *sim, int32_t (*observer)(perp_event_driven *, void *),
                       const char *name, void *user) {
  if (observer == NULL) return PERP_OK;
  sim->busy = IN_OBSERVER;
  const int32_t code = observer(sim, user);
  sim->busy = IN_CALLBACKS;
  return answer(sim, name, code);
}

/* What is due is about to be seen. */
static perp_status settle(perp_event_driven *sim, perp_info *info) {
  for (int32_t k = 0; k < sim->n_due; k++) {
    engine *e = sim->engines[sim->due[k]];
    const perp_status status = perp_engine_settle(e, info);
    if (status != PERP_OK) return perp_event_told(sim, e, status);
  }
  return PERP_OK;
}

/* The state at t, of all. */
static perp_status show(perp_event_driven *sim, double t) {
  perp_view_at(sim, t);
  for (int32_t k = 0; k < sim->parts.n; k++) {
    if (perp_view_of(sim, k) != NULL) continue;
    perp_view_at(sim, sim->t);
    return sim->hidden;
  }
  return PERP_OK;
}

/* Times of output from the present one on. */
static output_times outputs_from_now(const perp_event_driven *sim, const perp_event_observer *w) {
  output_times o = {w, 0};
  if (w != NULL && w->times == NULL && w->every > 0) {
    const double gone = (sim->t - w->first) / w->every - 2;
    o.next = gone > 0 ? (int64_t)fmin(gone, 0x1p62) : 0;
  }
  while (next_output(&o) < sim->t) o.next++;
  return o;
}

/* One output, of the state at t. Where it stops the run, what was found later is yet to come. */
static perp_status put_out(perp_event_driven *sim, output_times *o, double t) {
  perp_status status = show(sim, t);
  if (status != PERP_OK) return status;
  o->next++;
  sim->outputs++;
  status = ask(sim, o->observer->output, "observer.output", o->observer->user);
  if (status != PERP_OK) sim->t = t;
  return status;
}

static perp_status put_out_before(perp_event_driven *sim, output_times *o, double until) {
  perp_status status = PERP_OK;
  while (status == PERP_OK && next_output(o) < until) status = put_out(sim, o, next_output(o));
  return status;
}

/* Those of now: up to a time that may be later by rounding. */
static perp_status put_out_now(perp_event_driven *sim, output_times *o, double until,
                               perp_info *info) {
  perp_status status = PERP_OK;
  while (status == PERP_OK && next_output(o) <= until) {
    status = settle(sim, info);
    if (status == PERP_OK) status = put_out(sim, o, sim->t);
  }
  return status;
}

/* -------------------------------------------------------------------------- steps ---- */

static double next_scheduled(const perp_event_driven *sim) {
  double next = HUGE_VAL;
  for (int32_t k = 0; k < sim->options.n_schedules; k++) next = fmin(next, sim->next_scheduled[k]);
  return next;
}

/* All that are due take a step ahead. */
static perp_status step(perp_event_driven *sim, double stop, double scheduled,
                        const output_times *o, perp_info *info) {
  while (sim->n_due > 0) {
    const int32_t k = sim->due[sim->n_due - 1];
    engine *e = sim->engines[k];
    e->message[0] = 0;
    e->shown = 0;
    const perp_status status = perp_engine_step(e, stop, scheduled, o, info);
    if (status != PERP_OK) return perp_event_told(sim, e, status);
    sim->n_due--;
    enqueue(sim, k);
  }
  return PERP_OK;
}

/* All whose steps end at t become due. Engines that have found something there, to the resolution
 * of a root, have found it at one time, the last of theirs. */
static void gather(perp_event_driven *sim, double t) {
  double near = t;
  sim->t = fmax(sim->t, t);
  while (first_end(sim) <= near) {
    const engine *e = sim->engines[sim->queue[0]];
    if (e->ahead != 0) {
      near = fmax(near, t + 100 * DBL_EPSILON * (fabs(t) + (e->t - e->begin)));
      sim->t = fmax(sim->t, e->t);
    }
    dequeue(sim);
  }
  const int32_t n = sim->n_due;
  sim->n_due = 0;
  for (int32_t k = 0; k < n; k++) {
    const int32_t of = sim->due[k];
    engine *e = sim->engines[of];
    if (e->ahead != 0) e->t = sim->t;
    if (e->t > sim->t)
      enqueue(sim, of);
    else
      sim->due[sim->n_due++] = of;
  }
}

/* The engines whose steps end at t are due; those that have found nothing go on from there. */
static perp_status arrive(perp_event_driven *sim, double t, int at_schedule, perp_info *info) {
  perp_status status = PERP_OK;
  gather(sim, t);
  perp_view_at(sim, sim->t);
  for (int32_t k = 0; k < sim->n_due && !at_schedule; k++) {
    engine *e = sim->engines[sim->due[k]];
    if (e->ahead != 0) continue;
    const perp_status mine = perp_engine_arrive(e, sim->outputs, status == PERP_OK ? info : NULL);
    if (status == PERP_OK && mine != PERP_OK) status = perp_event_told(sim, e, mine);
  }
  return status;
}

static int any_waits(const perp_event_driven *sim) {
  int any = 0;
  for (int32_t k = 0; k < sim->n_due; k++) any = any || sim->engines[sim->due[k]]->ahead != 0;
  return any;
}

/* To the end of the first step, which all that are due have taken. */
static perp_status go_ahead(perp_event_driven *sim, double stop, double scheduled, output_times *o,
                            perp_info *info) {
  perp_status status = step(sim, stop, scheduled, o, info);
  if (status != PERP_OK) return status;
  const double t = fmin(first_end(sim), stop);
  status = put_out_before(sim, o, t);
  return status == PERP_OK ? arrive(sim, t, scheduled <= t, info) : status;
}

/* Go ahead, unless something is due now, and what happens there; whole: all bodies are of its
 * record. */
static perp_status advance(perp_event_driven *sim, double until, output_times *o, int whole,
                           int *happened, perp_info *info) {
  const double scheduled = next_scheduled(sim);
  perp_status status = PERP_OK;
  if (scheduled > sim->t && !any_waits(sim))
    status = go_ahead(sim, fmin(until, scheduled), scheduled, o, info);
  const int is_scheduled = scheduled <= sim->t;
  if (status != PERP_OK || !(is_scheduled || any_waits(sim))) return status;
  if (whole) status = show(sim, sim->t);
  if (status != PERP_OK) return status;
  status = perp_event_happen(sim, is_scheduled ? PERP_EVENT_SCHEDULE : 0, happened, info);
  if (whole && *happened) perp_event_complete(sim);
  return status;
}

/* Numbers that callbacks read may have changed since the last run ended: what was found ahead is
 * taken anew. */
static perp_status forget_ahead(perp_event_driven *sim, perp_info *info) {
  sim->stopped = 1;
  while (sim->n_queue > 0) dequeue(sim);
  for (int32_t k = 0; k < sim->n_due; k++) {
    engine *e = sim->engines[sim->due[k]];
    const perp_status status = perp_engine_cut(e, sim->t, info);
    if (status != PERP_OK) return perp_event_told(sim, e, status);
  }
  sim->stopped = 0;
  return PERP_OK;
}

/* After a step, and the event at its end. */
static perp_status tell(perp_event_driven *sim, const perp_event_observer *w, int happened,
                        perp_info *info) {
  perp_status status = PERP_OK;
  if (happened && w->event != NULL) {
    sim->busy = IN_OBSERVER;
    status = answer(sim, "observer.event", w->event(sim, &sim->event, w->user));
    sim->busy = IN_CALLBACKS;
  }
  if (status == PERP_OK && w->step != NULL) status = settle(sim, info);
  if (status == PERP_OK) status = ask(sim, w->step, "observer.step", w->user);
  return status == PERP_OK ? sim->hidden : status;
}

/* ---------------------------------------------------------------------------- run ---- */

/* Until an event if once, else until the time. */
static perp_status go(perp_event_driven *sim, double until, const perp_event_observer *observer,
                      int once, perp_info *info) {
  const int whole = once || (observer != NULL && observer->event != NULL);
  output_times o = outputs_from_now(sim, observer);
  perp_status status = once && !sim->stopped ? PERP_OK : forget_ahead(sim, info);
  while (status == PERP_OK && sim->t < until) {
    int happened = 0;
    status = put_out_now(sim, &o, sim->t, info);
    if (status == PERP_OK) status = advance(sim, until, &o, whole, &happened, info);
    if (observer != NULL && (status == PERP_OK || happened)) {
      const perp_status told = tell(sim, observer, happened, info);
      if (status == PERP_OK || told < 0) status = told;
    }
    if (once && happened) return status;
  }
  if (status != PERP_OK) return status;
  status = settle(sim, info);
  perp_view_at(sim, sim->t);
  /* the last output may miss the end by rounding */
  if (status == PERP_OK)
    status = put_out_now(sim, &o, sim->t + 8 * DBL_EPSILON * fabs(sim->t), info);
  return status == PERP_OK && once ? PERP_END : status;
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
static perp_status go_alone(perp_event_driven *sim, double until,
                            const perp_event_observer *observer, int once, perp_info *info) {
  if (sim->busy) return fail_field(info, "run within a run", -1);
  info_clear(info);
  sim->message[0] = 0;
  sim->until = until;
  sim->hidden = PERP_OK;
  sim->outputs++;
  sim->info = info;
  sim->busy = IN_CALLBACKS;
  const perp_status status = go(sim, until, observer, once, info);
  if (status != PERP_OK && status != PERP_END) sim->stopped = 1;
  sim->busy = 0;
  sim->info = NULL;
  return status;
}

static perp_status check_until(perp_event_driven *sim, double until, perp_info *info) {
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (!sim->busy) sim->message[0] = 0;
  if (!is_finite(until)) return fail(info, PERP_ENOTFINITE, "until", -1, until);
  if (until < sim->t) return fail(info, PERP_EINVAL, "until", -1, until);
  return PERP_OK;
}

perp_status perp_event_driven_run(perp_event_driven *sim, double until,
                                  const perp_event_observer *observer, perp_info *info) {
  perp_status status = check_until(sim, until, info);
  if (status != PERP_OK) return status;
  perp_event_observer read;
  memset(&read, 0, sizeof read);
  if (perp_options_read(&read, sizeof read, observer, PERP_THROUGH(perp_event_observer, user)) !=
      PERP_OK)
    return fail_field(info, "observer", -1);
  if (!(read.every >= 0) || !is_finite(read.first))
    return fail(info, PERP_EINVAL, "observer.every", -1, read.every);
  if (read.times == NULL && read.every > 0 && !(until + read.every > until)) /* without end */
    return fail(info, PERP_EINVAL, "observer.every", -1, read.every);
  status = check_times(&read, info);
  if (status != PERP_OK) return status;
  return go_alone(sim, until, observer == NULL ? NULL : &read, 0, info);
}

perp_status perp_event_driven_next(perp_event_driven *sim, double until, perp_info *info) {
  const perp_status status = check_until(sim, until, info);
  return status == PERP_OK ? go_alone(sim, until, NULL, 1, info) : status;
}
