/* SPDX-License-Identifier: MIT */
/* All that happens at one time, to whichever engines: resets, what each makes of them, the record.
 */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/driven.h"

static const uint32_t of_guard = PERP_EVENT_GUARD, of_return = PERP_EVENT_RETURN;

/* ------------------------------------------------------------------------- record ---- */

/* Whether guard k of the user's has fired; with guards there is one engine. */
static int user_fired(const perp_event_driven *sim, int32_t k) {
  const engine *e = sim->engines[0];
  return e->fired_before[GUARDS_PER_ELEMENT * e->n_elements + k] != 0;
}

/* Guards may have come to zero without anything that changes. */
static int is_event(const perp_event_driven *sim, uint32_t kinds) {
  uint32_t all = kinds;
  for (int32_t h = 0; h < sim->n_hit; h++) all |= sim->engines[sim->hit[h]]->event.kinds;
  for (int32_t k = 0; k < sim->options.n_guards; k++) all |= user_fired(sim, k) ? of_guard : 0;
  return all != 0;
}

static void begin_record(perp_event_driven *sim, uint32_t kinds) {
  perp_event *event = &sim->event;
  for (int32_t k = 0; k < sim->n_recorded; k++) { /* of the last one */
    const plant *p = &sim->engines[sim->recorded[k]]->p;
    for (int32_t i = 0; i < p->n_interactions; i++) {
      const plant_interaction *at = &p->interactions[i];
      memset(sim->impulse + at->whole_row, 0, (size_t)at->m * sizeof(double));
    }
  }
  sim->records++;
  memset(event, 0, sizeof *event);
  event->struct_size = (uint32_t)sizeof *event;
  event->kinds = kinds;
  event->t = event->until = sim->t;
  event->q = sim->before;
  event->v = sim->before + sim->n_q;
  event->x = event->v + sim->n_v;
  event->impulse = sim->impulse;
  event->changes = sim->changes;
  event->n_q = (int32_t)sim->n_q;
  event->n_v = (int32_t)sim->n_v;
  event->n_x = (int32_t)(sim->n - sim->n_q - sim->n_v);
  event->n_rows = (int32_t)sim->rows;
  event->number = sim->events++;
}

static void record_user(perp_event_driven *sim, uint32_t kind, int32_t index) {
  const perp_event_change change = {(int32_t)kind, index, -1, -1, -1};
  sim->event.kinds |= kind;
  sim->changes[sim->event.n_changes++] = change;
}

/* What has happened to an engine. */
static void record_engine(perp_event_driven *sim, int32_t k) {
  engine *e = sim->engines[k];
  perp_event *event = &sim->event;
  e->record = sim->records;
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

/* The event of what has been hit, before schedules go on. */
static void record(perp_event_driven *sim, uint32_t kinds) {
  begin_record(sim, kinds);
  for (int32_t k = 0; k < sim->options.n_guards; k++)
    if (user_fired(sim, k)) record_user(sim, of_guard, k);
  for (int32_t k = 0; k < sim->options.n_schedules; k++)
    if (sim->next_scheduled[k] <= sim->t) record_user(sim, PERP_EVENT_SCHEDULE, k);
  for (int32_t h = 0; h < sim->n_hit; h++) record_engine(sim, sim->hit[h]);
  int32_t *last = sim->recorded;
  sim->recorded = sim->hit, sim->n_recorded = sim->n_hit;
  sim->hit = last, sim->n_hit = 0;
}

void perp_event_complete(perp_event_driven *sim) {
  for (int32_t k = 0; k < sim->parts.n; k++)
    if (sim->engines[k]->record != sim->records)
      perp_whole_put(sim, k, sim->engines[k]->view, sim->before);
}

/* ------------------------------------------------------------------------- resets ---- */

/* All engines are due: the user's guards make them one, schedules end all their steps. */
static perp_status reset(perp_event_driven *sim, perp_reset_fn change, void *user, const char *who,
                         int32_t index, int *stops, perp_info *info) {
  if (change == NULL) return PERP_OK;
  double *whole = sim->whole;
  for (int32_t k = 0; k < sim->parts.n; k++) perp_whole_put(sim, k, sim->engines[k]->Y, whole);
  perp_event_state at = {.t = sim->t,
                         .q = whole,
                         .v = whole + sim->n_q,
                         .x = whole + sim->n_q + sim->n_v,
                         .n_q = (int32_t)sim->n_q,
                         .n_v = (int32_t)sim->n_v,
                         .n_x = (int32_t)(sim->n - sim->n_q - sim->n_v)};
  const int was_busy = sim->busy;
  sim->busy = IN_OBSERVER;
  const int32_t code = change(&at, user);
  sim->busy = was_busy;
  const size_t bad = first_not_finite(sim->n, whole);
  if (code < 0 || bad < sim->n) {
    const perp_status status = code < 0 ? PERP_ECALLBACK : PERP_ENOTFINITE;
    (void)snprintf(sim->message, sizeof sim->message, "%s %d at t = %.17g: %s", who, index, sim->t,
                   perp_status_string(status));
    return fail(info, status, who, index, code < 0 ? code : whole[bad]);
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

/* Guards of the user's at the present state. */
static perp_status guards_now(perp_event_driven *sim, double *g, perp_info *info) {
  engine *e = sim->engines[0];
  perp_plant_place(&e->p, e->t, e->Y);
  if (perp_element_user_guards(e, g) == 0) return PERP_OK;
  return perp_event_told(sim, e, perp_engine_plant_fail(e, info));
}

/* Resets of the guards that fired. One that is not near its zero any more because of them has a
 * side again, and may fire anew. */
static perp_status guarded(perp_event_driven *sim, int *stops, perp_info *info) {
  engine *e = sim->engines[0];
  const int32_t n = e->options.n_guards, first = GUARDS_PER_ELEMENT * e->n_elements;
  unsigned char *fired = e->fired + first;
  double *before = e->g + first, *after = before + e->n_guards; /* free between steps */
  if (memchr(fired, 1, (size_t)n) == NULL) return PERP_OK;
  perp_status status = guards_now(sim, before, info);
  for (int32_t k = 0; k < n && status == PERP_OK; k++) {
    const perp_guard *guard = &e->options.guards[k];
    if (fired[k]) status = reset(sim, guard->reset, guard->user, "guard", k, stops, info);
  }
  if (status != PERP_OK || memcmp(e->Y, e->save, e->p.n * sizeof *e->Y) == 0) return status;
  status = guards_now(sim, after, info);
  const double noise = 16 * DBL_EPSILON * fmax(e->guard_scale, 1);
  for (int32_t k = 0; k < n && status == PERP_OK; k++)
    if (fired[k] && fabs(after[k]) > 4 * fabs(before[k]) + noise) fired[k] = 0;
  return status;
}

/* Resets of schedules whose times have come. */
static perp_status scheduled(perp_event_driven *sim, int *stops, perp_info *info) {
  for (int32_t k = 0; k < sim->options.n_schedules; k++) {
    const perp_schedule *s = &sim->options.schedules[k];
    if (sim->next_scheduled[k] > sim->t) continue;
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
}

static perp_status tell_storm(perp_event_driven *sim, double span, int happened, perp_info *info) {
  const int32_t most = sim->options.storm_events;
  char who[160] = "guards that change nothing";
  if (happened) name_guards(sim, who, sizeof who);
  (void)snprintf(sim->message, sizeof sim->message,
                 "%d events within %.3g s before t = %.17g (%.3g per second), the last of %s", most,
                 span, sim->t, span > 0 ? most / span : HUGE_VAL, who);
  return fail(info, PERP_STORM, "events", -1, sim->t);
}

/* ---------------------------------------------------------------------------- all ---- */

/* Those that are due and have found something, or all. */
static void find_hit(perp_event_driven *sim, uint32_t kinds) {
  sim->n_hit = 0;
  for (int32_t k = 0; k < sim->n_due; k++)
    if (kinds != 0 || sim->engines[sim->due[k]]->ahead != 0) sim->hit[sim->n_hit++] = sim->due[k];
}

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

static perp_status close_all(perp_event_driven *sim, uint32_t kinds, perp_info *info) {
  for (int32_t h = 0; h < sim->n_hit; h++) {
    engine *e = sim->engines[sim->hit[h]];
    const perp_status status = perp_event_close(e, e->ahead | kinds, info);
    if (status != PERP_OK) return perp_event_told(sim, e, status);
  }
  return PERP_OK;
}

/* After an event: does time-stepping take over? */
static perp_status hand_over(perp_event_driven *sim, perp_info *info) {
  for (int32_t k = 0; k < sim->n_recorded; k++) {
    engine *e = sim->engines[sim->recorded[k]];
    if ((e->event.kinds & of_return) != 0 || !perp_handover_is_due(e)) continue;
    const perp_status status = perp_handover_begin(e, info);
    if (status != PERP_OK) return perp_event_told(sim, e, status);
    sim->event.kinds |= (uint32_t)PERP_EVENT_HANDOVER;
  }
  return PERP_OK;
}

static perp_status try_all(perp_event_driven *sim, uint32_t kinds, int *stops, perp_info *info) {
  find_hit(sim, kinds);
  perp_status status = open_all(sim, kinds, info);
  if (status == PERP_OK && sim->options.n_guards > 0) status = guarded(sim, stops, info);
  if (status == PERP_OK) status = scheduled(sim, stops, info);
  if (status == PERP_OK) status = close_all(sim, kinds, info);
  for (int32_t h = 0; h < sim->n_hit; h++) {
    engine *e = sim->engines[sim->hit[h]];
    e->shown = 0;
    if (status != PERP_OK) perp_event_undo(e, kinds);
  }
  return status;
}

perp_status perp_event_happen(perp_event_driven *sim, uint32_t kinds, int *happened,
                              perp_info *info) {
  int stops = 0;
  double storm = HUGE_VAL;
  *happened = 0;
  const perp_status status = try_all(sim, kinds, &stops, info);
  if (status != PERP_OK) return status;
  for (int32_t h = 0; h < sim->n_hit; h++)
    storm = fmin(storm, perp_event_keep(sim->engines[sim->hit[h]]));
  *happened = is_event(sim, kinds);
  if (*happened) record(sim, kinds);
  pass_schedules(sim);
  if (storm < HUGE_VAL) return tell_storm(sim, storm, *happened, info);
  if (stops) return PERP_STOPPED;
  return *happened && (kinds & (uint32_t)PERP_EVENT_START) == 0 ? hand_over(sim, info) : PERP_OK;
}
