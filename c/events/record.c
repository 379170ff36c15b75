/* SPDX-License-Identifier: MIT */
/* All that happens at one time, to whichever engines: resets, what each makes of them, the record.
 */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/simulation.h"

static const uint32_t of_guard = PERP_EVENT_GUARD, of_return = PERP_EVENT_RETURN;

/* ------------------------------------------------------------------------- record ---- */

/* The engines of the event, and an empty record. */
static void open_record(perp_event_driven *sim, uint32_t kinds) {
  for (int32_t h = 0; h < sim->n_hit; h++) { /* of the last one */
    const plant *p = &sim->engines[sim->hit[h]]->p;
    for (int32_t i = 0; i < p->n_interactions; i++) {
      const plant_interaction *at = &p->interactions[i];
      memset(sim->impulse + at->whole_row, 0, (size_t)at->m * sizeof(double));
    }
  }
  sim->n_hit = 0;
  sim->records++;
  for (int32_t k = 0; k < sim->n_due; k++) {
    engine *e = sim->engines[sim->due[k]];
    if (kinds == 0 && e->ahead == 0) continue;
    sim->hit[sim->n_hit++] = sim->due[k];
    e->record = sim->records;
  }
  perp_event *event = &sim->event;
  memset(event, 0, sizeof *event);
  event->struct_size = (uint32_t)sizeof *event;
  event->t = event->until = sim->t;
  event->q = sim->before;
  event->v = sim->before + sim->n_q;
  event->x = event->v + sim->n_v;
  event->impulse = sim->impulse;
  event->changes = sim->changes;
  event->number = sim->events;
}

static void note(perp_event_driven *sim, uint32_t kind, int32_t index) {
  const perp_event_change change = {(int32_t)kind, index, -1, -1, -1};
  sim->event.kinds |= kind;
  sim->changes[sim->event.n_changes++] = change;
}

/* What has happened to an engine. */
static void add(perp_event_driven *sim, int32_t k) {
  const engine *e = sim->engines[k];
  perp_event *event = &sim->event;
  perp_whole_put(sim, k, e->save, sim->before);
  for (int32_t i = 0; i < e->p.n_interactions; i++) {
    const plant_interaction *at = &e->p.interactions[i];
    memcpy(sim->impulse + at->whole_row, e->impulse + at->row0, (size_t)at->m * sizeof(double));
  }
  memcpy(sim->changes + event->n_changes, e->changes,
         (size_t)e->event.n_changes * sizeof *e->changes);
  event->n_changes += e->event.n_changes;
  event->kinds |= e->event.kinds;
  event->error = fmax(event->error, e->event.error);
  event->until = fmax(event->until, e->event.until);
}

perp_status perp_event_complete(perp_event_driven *sim) {
  for (int32_t k = 0; k < sim->parts.n; k++) {
    if (sim->engines[k]->record == sim->records) continue;
    const engine *e = perp_view_of(sim, k);
    if (e == NULL) return sim->hidden;
    perp_whole_put(sim, k, e->view, sim->before);
  }
  return PERP_OK;
}

/* ------------------------------------------------------------------------- resets ---- */

/* All engines are due: the user's guards make them one, schedules end all their steps. */
static perp_status reset(perp_event_driven *sim, perp_reset_fn change, void *user, const char *who,
                         int32_t index, int *stops, perp_info *info) {
  if (change == NULL) return PERP_OK;
  double *whole = sim->whole;
  for (int32_t k = 0; k < sim->parts.n; k++) perp_whole_put(sim, k, sim->engines[k]->Y, whole);
  perp_event_state at = {sim->t, whole, whole + sim->n_q, whole + sim->n_q + sim->n_v};
  const int was_busy = sim->busy;
  sim->busy = IN_OBSERVER;
  const int32_t code = change(&at, user);
  sim->busy = was_busy;
  const size_t bad = first_not_finite(sim->n, whole);
  if (code < 0 || bad < sim->n) {
    const perp_status status = code < 0 ? PERP_ECALLBACK : PERP_ENOTFINITE;
    (void)snprintf(sim->message, sizeof sim->message, "%s %d at t = %.17g: %s", who, index, sim->t,
                   perp_status_string(status));
    return fail(info, status, who, index, code < 0 ? sim->t : whole[bad]);
  }
  if (code > 0) *stops = 1;
  for (int32_t k = 0; k < sim->parts.n; k++) {
    engine *e = sim->engines[k];
    perp_whole_get(sim, k, whole, e->Y);
    /* it may have moved what was at zero */
    memset(e->fired, 0, GUARDS_PER_ELEMENT * (size_t)e->n_elements);
  }
  return PERP_OK;
}

/* Guard k of the user at the present state. */
static double guard_now(engine *e, int32_t k) {
  const perp_event_state at = {e->t, e->Y, e->Y + e->p.n_q, e->Y + e->p.n_q + e->p.n_v};
  double g = NAN;
  return e->options.guards[k].value(&at, &g, e->options.guards[k].user) == 0 ? g : NAN;
}

/* Resets of the guards that fired. One that is not near its zero any more because of them has a
 * side again, and may fire anew. */
static perp_status guarded(perp_event_driven *sim, int *stops, perp_info *info) {
  engine *e = sim->engines[0];
  unsigned char *fired = e->fired + GUARDS_PER_ELEMENT * e->n_elements;
  double *before = e->g + GUARDS_PER_ELEMENT * e->n_elements; /* free between steps */
  for (int32_t k = 0; k < e->options.n_guards; k++)
    if (fired[k]) before[k] = guard_now(e, k);
  for (int32_t k = 0; k < e->options.n_guards; k++) {
    const perp_guard *guard = &e->options.guards[k];
    if (!fired[k]) continue;
    note(sim, PERP_EVENT_GUARD, k);
    const perp_status status = reset(sim, guard->reset, guard->user, "guard", k, stops, info);
    if (status != PERP_OK) return status;
  }
  if (memcmp(e->Y, e->save, e->p.n * sizeof *e->Y) == 0) return PERP_OK;
  for (int32_t k = 0; k < e->options.n_guards; k++) {
    const double noise = 16 * DBL_EPSILON * fmax(e->guard_scale, 1);
    if (fired[k] && fabs(guard_now(e, k)) > 4 * fabs(before[k]) + noise) fired[k] = 0;
  }
  return PERP_OK;
}

/* Resets of schedules whose times have come. */
static perp_status scheduled(perp_event_driven *sim, int *stops, perp_info *info) {
  for (int32_t k = 0; k < sim->options.n_schedules; k++) {
    const perp_schedule *s = &sim->options.schedules[k];
    if (sim->next_scheduled[k] > sim->t) continue;
    note(sim, PERP_EVENT_SCHEDULE, k);
    const perp_status status = reset(sim, s->reset, s->user, "schedule", k, stops, info);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

/* Schedules whose times have come: each to its next. */
static void pass_schedules(perp_event_driven *sim) {
  for (int32_t k = 0; k < sim->options.n_schedules; k++)
    if (sim->next_scheduled[k] <= sim->t) perp_schedule_next(sim, k);
  sim->scheduled_until = sim->t;
}

/* ------------------------------------------------------------------------- storms ---- */

/* Which guards have fired, as text. */
static void name_guards(const perp_event_driven *sim, char *text, size_t room) {
  size_t used = 0;
  text[0] = 0;
  for (int32_t i = 0; i < sim->event.n_changes && used + 40 < room; i++) {
    const perp_event_change *c = &sim->changes[i];
    const char *comma = i > 0 ? ", " : "";
    const int written = c->kind == PERP_EVENT_GUARD || c->kind == PERP_EVENT_SCHEDULE
                            ? snprintf(text + used, room - used, "%s%s %d", comma,
                                       c->kind == PERP_EVENT_GUARD ? "guard" : "schedule", c->index)
                            : snprintf(text + used, room - used, "%scopy %d of interaction %d",
                                       comma, c->copy, c->index);
    used += written > 0 ? (size_t)written : 0;
  }
  if (used == 0) (void)snprintf(text, room, "guards that change nothing");
}

static perp_status tell_storm(perp_event_driven *sim, double span, perp_info *info) {
  const int32_t most = sim->options.storm_events;
  char who[160];
  name_guards(sim, who, sizeof who);
  (void)snprintf(sim->message, sizeof sim->message,
                 "%d events within %.3g s before t = %.17g (%.3g per second), the last of %s", most,
                 span, sim->t, span > 0 ? most / span : HUGE_VAL, who);
  if (info != NULL) info->field = "events", info->value = sim->t;
  return PERP_STORM;
}

/* ---------------------------------------------------------------------------- all ---- */

static perp_status open_all(perp_event_driven *sim, uint32_t kinds, perp_info *info) {
  for (int32_t h = 0; h < sim->n_hit; h++) {
    engine *e = sim->engines[sim->hit[h]];
    const perp_status status = perp_event_open(e, e->ahead | kinds, info);
    if (status == PERP_OK) continue;
    sim->n_hit = h + 1; /* those behind it still wait */
    return perp_event_told(sim, e, status);
  }
  return PERP_OK;
}

/* *storm: the shortest of those that events crowd in, HUGE_VAL: none. */
static perp_status close_all(perp_event_driven *sim, uint32_t kinds, double *storm,
                             perp_info *info) {
  *storm = HUGE_VAL;
  for (int32_t h = 0; h < sim->n_hit; h++) {
    engine *e = sim->engines[sim->hit[h]];
    const perp_status status = perp_event_close(e, e->ahead | kinds, info);
    if (status == PERP_STORM) *storm = fmin(*storm, e->storm);
    if (status != PERP_OK && status != PERP_STORM) return perp_event_told(sim, e, status);
  }
  return PERP_OK;
}

/* After an event: does time-stepping take over? */
static perp_status hand_over(perp_event_driven *sim, perp_info *info) {
  for (int32_t h = 0; h < sim->n_hit; h++) {
    engine *e = sim->engines[sim->hit[h]];
    if ((e->event.kinds & of_return) != 0 || !perp_handover_is_due(e)) continue;
    const perp_status status = perp_handover_begin(e, info);
    if (status != PERP_OK) return perp_event_told(sim, e, status);
    sim->event.kinds |= (uint32_t)PERP_EVENT_HANDOVER;
  }
  return PERP_OK;
}

perp_status perp_event_happen(perp_event_driven *sim, uint32_t kinds, perp_info *info) {
  int stops = 0;
  double storm = HUGE_VAL;
  open_record(sim, kinds);
  if (sim->n_hit == 0 && kinds == 0) return PERP_OK;
  perp_status status = open_all(sim, kinds, info);
  const int fired = sim->options.n_guards > 0 && (sim->engines[0]->ahead & of_guard) != 0;
  if (status == PERP_OK && fired) status = guarded(sim, &stops, info);
  if (status == PERP_OK) status = scheduled(sim, &stops, info);
  if (status == PERP_OK) status = close_all(sim, kinds, &storm, info);
  if (status != PERP_OK) {
    for (int32_t h = 0; h < sim->n_hit; h++) perp_event_undo(sim->engines[sim->hit[h]]);
    return status;
  }
  pass_schedules(sim);
  for (int32_t h = 0; h < sim->n_hit; h++) add(sim, sim->hit[h]);
  if (sim->event.kinds != 0) sim->events++;
  if (storm < HUGE_VAL) return tell_storm(sim, storm, info);
  if (stops) return PERP_STOPPED;
  return (kinds & (uint32_t)PERP_EVENT_START) != 0 ? PERP_OK : hand_over(sim, info);
}
