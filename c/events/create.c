/* SPDX-License-Identifier: MIT */
/* Creation and end of an event-driven simulation, and its starts. */
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "events/driven.h"
#include "heap/heap.h"
#include "perp/auto.h"

/* ------------------------------------------------------------------------ options ---- */

void perp_event_options_init(perp_event_options *opts, size_t size) {
  perp_event_options o;
  memset(&o, 0, sizeof o);
  o.struct_size = (uint32_t)sizeof o;
  o.rtol = 1e-10;
  o.atol = 1e-12;
  o.max_steps = 100000;
  o.contact_tol = 1e-10;
  o.velocity_tol = 1e-10;
  o.min_gap = -1e-6;
  o.zeno_tol = 1e-13;
  o.storm_events = 1000;
  o.storm_time = 1e-6;
  o.samples = 4;
  perp_options_fill(opts, size, &o, sizeof o);
}

static int positive(double x) { return x > 0 && is_finite(x); }

/* An option with what it has to be. */
typedef struct option {
  const char *field;
  double value;
  int fits;
} option;

static int within(int32_t x, int32_t least, int32_t most) { return x >= least && x <= most; }

static perp_status check_numbers(const perp_event_options *o, perp_info *info) {
  const option all[] = {
      {"rtol", o->rtol, positive(o->rtol)},
      {"atol", o->atol, positive(o->atol)},
      {"contact_tol", o->contact_tol, positive(o->contact_tol)},
      {"velocity_tol", o->velocity_tol, positive(o->velocity_tol)},
      {"min_gap", o->min_gap, o->min_gap <= 0},
      {"zeno_tol", o->zeno_tol, positive(o->zeno_tol)},
      {"storm_time", o->storm_time, o->storm_time >= 0},
      {"h_first", o->h_first, o->h_first >= 0 && is_finite(o->h_first)},
      {"h_max", o->h_max, o->h_max >= 0 && is_finite(o->h_max)},
      {"order", o->order, o->order >= 0},
      {"max_steps", o->max_steps, o->max_steps >= 1},
      {"samples", o->samples, within(o->samples, 0, 1000)},
      {"storm_events", o->storm_events, within(o->storm_events, 2, 1000000)},
      {"linear", o->linear, within(o->linear, PERP_LINEAR_AUTO, PERP_LINEAR_SPARSE)},
      {"impact", o->impact, within(o->impact, PERP_IMPACT_LAW, PERP_IMPACT_LZB)},
      {"zeno", o->zeno, within(o->zeno, PERP_ZENO_JUMP, PERP_ZENO_STOP)},
      {"stepping", 0, o->zeno != PERP_ZENO_STEP || o->stepping != NULL},
      {"n_guards", o->n_guards, within(o->n_guards, 0, o->guards != NULL ? 100000 : 0)},
      {"n_schedules", o->n_schedules,
       within(o->n_schedules, 0, o->schedules != NULL ? INT32_MAX : 0)}};
  if (!is_finite(o->t0)) return fail(info, PERP_ENOTFINITE, "t0", -1, o->t0);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (!all[k].fits) return fail(info, PERP_EINVAL, all[k].field, -1, all[k].value);
  return PERP_OK;
}

static perp_status check_schedule(const perp_schedule *s, int32_t k, perp_info *info) {
  if (s->n_times < 0 || (s->n_times > 0 && s->times == NULL))
    return fail(info, PERP_EINVAL, "schedules.n_times", k, s->n_times);
  for (int32_t i = 0; i < s->n_times; i++)
    if (!is_finite(s->times[i]) || (i > 0 && !(s->times[i] > s->times[i - 1])))
      return fail(info, PERP_EINVAL, "schedules.times", k, s->times[i]);
  if (!(s->period >= 0) || !is_finite(s->period) || !is_finite(s->first))
    return fail(info, PERP_EINVAL, "schedules.period", k, s->period);
  return PERP_OK;
}

/* o := what the caller set, and the defaults of what it does not know. */
static perp_status read_options(perp_event_options *o, const perp_event_options *in,
                                perp_info *info) {
  perp_event_options_init(o, sizeof *o);
  if (in == NULL ||
      perp_options_read(o, sizeof *o, in, PERP_THROUGH(perp_event_options, n_schedules)) != PERP_OK)
    return fail_field(info, "options", -1);
  perp_status status = check_numbers(o, info);
  for (int32_t k = 0; k < o->n_guards && status == PERP_OK; k++) {
    if (o->guards[k].value == NULL) return fail_field(info, "guards.value", k);
    if (o->guards[k].direction < -1 || o->guards[k].direction > 1)
      return fail(info, PERP_EINVAL, "guards.direction", k, o->guards[k].direction);
  }
  for (int32_t k = 0; k < o->n_schedules && status == PERP_OK; k++)
    status = check_schedule(&o->schedules[k], k, info);
  return status;
}

/* ---------------------------------------------------------------------- schedules ---- */

void perp_schedule_next(perp_event_driven *sim, int32_t k) {
  const perp_schedule *s = &sim->options.schedules[k];
  const int64_t next = ++sim->schedule_index[k];
  if (s->n_times > 0)
    sim->next_scheduled[k] = next < s->n_times ? s->times[next] : HUGE_VAL;
  else
    sim->next_scheduled[k] =
        next == 0 || s->period > 0 ? s->first + (double)next * s->period : HUGE_VAL;
}

/* Times of schedules from t on, but for one at which the last event was. */
static void start_schedules(perp_event_driven *sim) {
  const double from = sim->t;
  const int done = sim->scheduled_until == from;
  for (int32_t k = 0; k < sim->options.n_schedules; k++) {
    const perp_schedule *s = &sim->options.schedules[k];
    const double gone = s->n_times == 0 && s->period > 0 ? (sim->t - s->first) / s->period - 2 : 0;
    sim->schedule_index[k] = gone > 0 ? (int64_t)fmin(gone, 0x1p62) : -1;
    do {
      perp_schedule_next(sim, k);
    } while (sim->next_scheduled[k] < from || (sim->next_scheduled[k] == from && done));
  }
}

/* ---------------------------------------------------------------------- the whole ---- */

void perp_whole_put(const perp_event_driven *sim, int32_t k, const double *part, double *whole) {
  const engine *e = sim->engines[k];
  for (int32_t i = 0; i < e->p.n_systems; i++) {
    const plant_system *s = &e->p.systems[i];
    const size_t q = sim->q0[s->number], w = sim->n_q + sim->w0[s->number];
    memcpy(whole + q, part + s->q0, (size_t)s->n_q * sizeof *part);
    memcpy(whole + w, part + e->p.n_q + s->w0, (size_t)s->n * sizeof *part);
  }
}

void perp_whole_get(const perp_event_driven *sim, int32_t k, const double *whole, double *part) {
  const engine *e = sim->engines[k];
  for (int32_t i = 0; i < e->p.n_systems; i++) {
    const plant_system *s = &e->p.systems[i];
    const size_t q = sim->q0[s->number], w = sim->n_q + sim->w0[s->number];
    memcpy(part + s->q0, whole + q, (size_t)s->n_q * sizeof *part);
    memcpy(part + e->p.n_q + s->w0, whole + w, (size_t)s->n * sizeof *part);
  }
}

/* Where everything is; carves what has the size of the whole. */
static void carve(arena *a, perp_event_driven *sim, const perp_model *model) {
  const size_t engines = (size_t)sim->parts.n, schedules = (size_t)sim->options.n_schedules;
  sim->engines = (engine **)arena_take(a, engines, sizeof(engine *));
  sim->q0 = (size_t *)arena_take(a, (size_t)model->n_systems, sizeof(size_t));
  sim->w0 = (size_t *)arena_take(a, (size_t)model->n_systems, sizeof(size_t));
  sim->due = room_ints(a, engines);
  sim->queue = room_ints(a, engines);
  sim->hit = room_ints(a, engines);
  sim->recorded = room_ints(a, engines);
  sim->next_scheduled = room_doubles(a, schedules);
  sim->schedule_index = (int64_t *)arena_take(a, schedules, sizeof(int64_t));
  /* one more: a model of nothing has a place too */
  sim->before = room_doubles(a, sim->n + 1);
  sim->whole = room_doubles(a, sim->n + 1);
  sim->impulse = room_doubles(a, sim->rows);
}

static void measure_state(perp_event_driven *sim, const perp_model *model) {
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *s = model->systems[i];
    const int second = s->ops->order == 2;
    sim->n_q += second ? (size_t)(s->n + s->ops->extra_q) : 0;
    sim->n_v += second ? (size_t)s->n : 0;
    sim->n += second ? (size_t)(2 * s->n + s->ops->extra_q) : (size_t)s->n;
  }
  for (int32_t i = 0; i < model->n_interactions; i++)
    sim->rows += (size_t)model->interactions[i]->relation->m;
}

static void find_places(perp_event_driven *sim, const perp_model *model) {
  size_t q = 0, v = 0, x = sim->n_v;
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *s = model->systems[i];
    size_t *w = s->ops->order == 2 ? &v : &x;
    sim->q0[i] = q, sim->w0[i] = *w;
    q += s->ops->order == 2 ? (size_t)(s->n + s->ops->extra_q) : 0;
    *w += (size_t)s->n;
  }
}

/* ------------------------------------------------------------------------- create ---- */

static void set_tolerances(perp_event_driven *sim, int32_t k) {
  engine *e = sim->engines[k];
  for (size_t i = 0; i < e->p.n; i++) e->atol[i] = sim->options.atol;
  if (sim->options.atols != NULL) perp_whole_get(sim, k, sim->options.atols, e->atol);
}

static void set_initial(perp_event_driven *sim, const perp_model *m) {
  const size_t n_w = sim->n - sim->n_q;
  memset(sim->whole, 0, sim->n * sizeof *sim->whole);
  double *v = sim->whole + sim->n_q, *x = v + sim->n_v;
  if (m->q0 != NULL) memcpy(sim->whole, m->q0, sim->n_q * sizeof *v);
  if (m->v0 != NULL) memcpy(v, m->v0, sim->n_v * sizeof *v);
  if (m->x0 != NULL) memcpy(x, m->x0, (n_w - sim->n_v) * sizeof *v);
}

/* From the state in whole, at t. */
static perp_status start(perp_event_driven *sim, double t, perp_info *info) {
  perp_status status = PERP_OK;
  sim->message[0] = 0;
  sim->t = t;
  sim->n_due = sim->parts.n;
  sim->n_queue = 0;
  sim->stopped = 0;
  for (int32_t k = 0; k < sim->parts.n; k++) {
    engine *e = sim->engines[k];
    sim->due[k] = k;
    e->t = t;
    perp_whole_get(sim, k, sim->whole, e->Y);
    const perp_status mine = perp_engine_start(e, status == PERP_OK ? info : NULL);
    if (status == PERP_OK && mine != PERP_OK) status = perp_event_told(sim, e, mine);
  }
  start_schedules(sim);
  int happened;
  if (status == PERP_OK) status = perp_event_happen(sim, PERP_EVENT_START, &happened, info);
  perp_view_at(sim, t);
  return status;
}

static perp_status make_engines(perp_event_driven *sim, perp_info *info) {
  for (size_t i = 0; sim->options.atols != NULL && i < sim->n; i++)
    if (!positive(sim->options.atols[i]))
      return fail(info, PERP_EINVAL, "atols", (int32_t)i, sim->options.atols[i]);
  size_t changes = (size_t)sim->options.n_guards + (size_t)sim->options.n_schedules;
  for (int32_t k = 0; k < sim->parts.n; k++) {
    perp_status status =
        perp_engine_create(&sim->engines[k], &sim->parts.at[k], &sim->options, info);
    if (status != PERP_OK) return status;
    changes += 2 * (size_t)sim->engines[k]->n_elements;
    set_tolerances(sim, k);
    perp_whole_get(sim, k, sim->whole, sim->engines[k]->Y);
    sim->engines[k]->t = sim->options.t0;
    status = perp_engine_open(sim->engines[k], info);
    if (status != PERP_OK) return status;
  }
  sim->changes = (perp_event_change *)calloc(changes + 1, sizeof *sim->changes);
  return sim->changes != NULL
             ? PERP_OK
             : fail(info, PERP_EBACKEND, "memory", -1, (double)changes * sizeof *sim->changes);
}

static perp_status build(perp_event_driven *sim, const perp_model *model, perp_info *info) {
  measure_state(sim, model);
  if (sim->n > INT32_MAX / 4 || sim->rows > INT32_MAX / 4)
    return fail(info, PERP_EUNSUPPORTED, "model", -1, (double)sim->n);
  perp_status status = perp_heap_check_callbacks(model, sim->options.t0, info);
  if (status != PERP_OK) return status;
  status = perp_components_make(&sim->parts, model, sim->options.n_guards > 0, info);
  if (status != PERP_OK) return status;
  arena room = arena_measure();
  carve(&room, sim, model);
  sim->block = room_for(&room);
  if (sim->block == NULL) return no_room(&room, info);
  carve(&room, sim, model);
  sim->n_systems = model->n_systems, sim->n_interactions = model->n_interactions;
  find_places(sim, model);
  set_initial(sim, model);
  sim->scheduled_until = NAN;
  status = make_engines(sim, info);
  if (status == PERP_OK) status = perp_handover_check(model, &sim->options, info);
  return status == PERP_OK ? start(sim, sim->options.t0, info) : status;
}

perp_status perp_event_driven_create(perp_event_driven **out, const perp_model *model,
                                     const perp_event_options *options, perp_info *info) {
  info_clear(info);
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  perp_status status = perp_model_check(model, info);
  perp_event_options read;
  if (status == PERP_OK) status = read_options(&read, options, info);
  if (status == PERP_OK && read.solver == NULL) read.solver = perp_solver_auto();
  if (status == PERP_OK) status = perp_solver_check(read.solver, read.solver_options, info);
  if (status == PERP_OK && model->pool != NULL)
    status = fail(info, PERP_EUNSUPPORTED, "pool", -1, 0);
  if (status == PERP_OK && model->n_systems == 0 && read.n_guards > 0)
    status = fail(info, PERP_EINVAL, "n_guards", -1, read.n_guards); /* no state to be of */
  if (status != PERP_OK) return status;
  perp_event_driven *sim = (perp_event_driven *)calloc(1, sizeof *sim);
  if (sim == NULL) return fail(info, PERP_EBACKEND, "memory", -1, (double)sizeof *sim);
  sim->model = model;
  sim->options = read;
  sim->until = NAN;
  status = build(sim, model, info);
  if (status != PERP_OK && status != PERP_STOPPED) {
    perp_event_driven_destroy(sim);
    return status;
  }
  *out = sim;
  return PERP_OK;
}

void perp_event_driven_destroy(perp_event_driven *sim) {
  if (sim == NULL || sim->busy) return;
  for (int32_t k = 0; sim->block != NULL && k < sim->parts.n; k++)
    perp_engine_destroy(sim->engines[k]);
  perp_components_free(&sim->parts);
  free(sim->changes);
  free(sim->block);
  free(sim);
}

/* Whether the n numbers that a row is replaced by are; NULL: it stays. */
static perp_status check_row(size_t n, const double *row, const char *name, perp_info *info) {
  const size_t bad = row == NULL ? n : first_not_finite(n, row);
  return bad == n ? PERP_OK : fail(info, PERP_ENOTFINITE, name, (int32_t)bad, row[bad]);
}

perp_status perp_event_driven_restart(perp_event_driven *sim, double t, const double *q,
                                      const double *v, const double *x, perp_info *info) {
  info_clear(info);
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (sim->busy) return fail_field(info, "run within a run", -1);
  sim->message[0] = 0;
  if (!is_finite(t)) return fail(info, PERP_ENOTFINITE, "t", -1, t);
  const size_t n_x = sim->n - sim->n_q - sim->n_v;
  perp_status status = check_row(sim->n_q, q, "q", info);
  if (status == PERP_OK) status = check_row(sim->n_v, v, "v", info);
  if (status == PERP_OK) status = check_row(n_x, x, "x", info);
  if (status != PERP_OK) return status;
  const double before = sim->t;
  sim->busy = IN_CALLBACKS;
  sim->info = info;
  perp_view_at(sim, sim->t);
  for (int32_t k = 0; k < sim->parts.n && status == PERP_OK; k++) {
    const engine *e = perp_view_of(sim, k);
    if (e != NULL)
      perp_whole_put(sim, k, e->view, sim->before);
    else if (q == NULL || v == NULL || x == NULL)
      status = sim->hidden; /* what is to stay is not known */
  }
  if (status == PERP_OK) {
    memcpy(sim->whole, sim->before, sim->n * sizeof *sim->whole);
    if (q != NULL) memcpy(sim->whole, q, sim->n_q * sizeof *q);
    if (v != NULL) memcpy(sim->whole + sim->n_q, v, sim->n_v * sizeof *v);
    if (x != NULL) memcpy(sim->whole + sim->n_q + sim->n_v, x, n_x * sizeof *x);
    status = start(sim, t, info);
    if (status == PERP_STOPPED) status = PERP_OK;
    if (status != PERP_OK) {
      memcpy(sim->whole, sim->before, sim->n * sizeof *sim->whole);
      (void)start(sim, before, NULL);
    }
  }
  sim->busy = 0;
  sim->info = NULL;
  return status;
}
