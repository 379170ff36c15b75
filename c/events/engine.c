/* SPDX-License-Identifier: MIT */
/* Creation and end of an event-driven simulation, and what its integrator integrates. */
#include "events/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "events/dae.h"
#include "heap/check.h"
#include "model/curve.h"
#include "perp/auto.h"

enum { MAX_POINTS = 161 }; /* of a step at which guards are looked at: 5 · 2⁵ + 1 */

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

static perp_status check_numbers(const perp_event_options *o, perp_info *info) {
  if (!is_finite(o->t0)) return fail(info, PERP_ENOTFINITE, "t0", -1, o->t0);
  if (!positive(o->rtol)) return fail(info, PERP_EINVAL, "rtol", -1, o->rtol);
  if (!positive(o->atol)) return fail(info, PERP_EINVAL, "atol", -1, o->atol);
  if (!positive(o->contact_tol)) return fail(info, PERP_EINVAL, "contact_tol", -1, o->contact_tol);
  if (!positive(o->velocity_tol))
    return fail(info, PERP_EINVAL, "velocity_tol", -1, o->velocity_tol);
  if (!(o->min_gap <= 0)) return fail(info, PERP_EINVAL, "min_gap", -1, o->min_gap);
  if (!positive(o->zeno_tol)) return fail(info, PERP_EINVAL, "zeno_tol", -1, o->zeno_tol);
  if (!(o->storm_time >= 0)) return fail(info, PERP_EINVAL, "storm_time", -1, o->storm_time);
  if (!(o->h_first >= 0) || !is_finite(o->h_first))
    return fail(info, PERP_EINVAL, "h_first", -1, o->h_first);
  if (!(o->h_max >= 0) || !is_finite(o->h_max))
    return fail(info, PERP_EINVAL, "h_max", -1, o->h_max);
  if (o->order < 0) return fail(info, PERP_EINVAL, "order", -1, o->order);
  if (o->max_steps < 1) return fail(info, PERP_EINVAL, "max_steps", -1, o->max_steps);
  if (o->samples < 0 || o->samples > 1000)
    return fail(info, PERP_EINVAL, "samples", -1, o->samples);
  if (o->storm_events < 2 || o->storm_events > 1000000)
    return fail(info, PERP_EINVAL, "storm_events", -1, o->storm_events);
  if (o->linear < PERP_LINEAR_AUTO || o->linear > PERP_LINEAR_SPARSE)
    return fail(info, PERP_EINVAL, "linear", -1, o->linear);
  if (o->impact < PERP_IMPACT_LAW || o->impact > PERP_IMPACT_LZB)
    return fail(info, PERP_EINVAL, "impact", -1, o->impact);
  if (o->zeno < PERP_ZENO_JUMP || o->zeno > PERP_ZENO_STOP)
    return fail(info, PERP_EINVAL, "zeno", -1, o->zeno);
  if (o->zeno == PERP_ZENO_STEP && o->stepping == NULL) return fail_field(info, "stepping", -1);
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
  if (o->n_guards < 0 || o->n_guards > 100000 || (o->n_guards > 0 && o->guards == NULL))
    return fail(info, PERP_EINVAL, "n_guards", -1, o->n_guards);
  if (o->n_schedules < 0 || (o->n_schedules > 0 && o->schedules == NULL))
    return fail(info, PERP_EINVAL, "n_schedules", -1, o->n_schedules);
  for (int32_t k = 0; k < o->n_guards && status == PERP_OK; k++) {
    if (o->guards[k].value == NULL) return fail_field(info, "guards.value", k);
    if (o->guards[k].direction < -1 || o->guards[k].direction > 1)
      return fail(info, PERP_EINVAL, "guards.direction", k, o->guards[k].direction);
  }
  for (int32_t k = 0; k < o->n_schedules && status == PERP_OK; k++)
    status = check_schedule(&o->schedules[k], k, info);
  return status;
}

/* ----------------------------------------------------------------------- failures ---- */

perp_status perp_engine_fail(engine *e, perp_status status, const char *what, perp_info *info) {
  (void)info;
  (void)snprintf(e->message, sizeof e->message, "%s at t = %.17g: %s", what, e->t,
                 perp_status_string(status));
  return status;
}

perp_status perp_engine_plant_fail(engine *e, perp_info *info) {
  const perp_status status = e->p.status != PERP_OK ? e->p.status : PERP_ECALLBACK;
  const char *field = e->p.field != NULL ? e->p.field : "model";
  (void)snprintf(e->message, sizeof e->message, "%s %d at t = %.17g: %s", field, e->p.index, e->p.t,
                 perp_status_string(status));
  return fail(info, status, field, e->p.index, e->p.value);
}

perp_status perp_engine_values(engine *e, perp_info *info) {
  int32_t code = perp_plant_at(&e->p, e->t, e->Y);
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    code = perp_plant_need(&e->p, i, PLANT_VALUES);
  return code == 0 ? PERP_OK : perp_engine_plant_fail(e, info);
}

perp_status perp_engine_gains(engine *e, perp_info *info) {
  int32_t code = 0;
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    if (e->p.interactions[i].order == 2) code = perp_plant_need(&e->p, i, PLANT_GAIN);
  return code == 0 ? PERP_OK : perp_engine_plant_fail(e, info);
}

/* ------------------------------------------------------------------------- motion ---- */

int32_t perp_engine_refuses(engine *e, double t, int32_t code) {
  if (code == 0) return 0;
  e->refusal = e->p.status;
  e->refused_field = e->p.field, e->refused_index = e->p.index;
  e->refused_value = e->p.value;
  e->refused_at = t;
  return code;
}

static int32_t rhs(void *context, double t, const double *y, double *ydot) {
  engine *e = (engine *)context;
  int32_t code = perp_plant_at(&e->p, t, y);
  if (code == 0) code = perp_force(e);
  if (code == 0) perp_plant_rate(&e->p, e->wdot, ydot);
  return perp_engine_refuses(e, t, code);
}

void perp_engine_next_scheduled(engine *e, int32_t k) {
  const perp_schedule *s = &e->options.schedules[k];
  const int64_t next = ++e->schedule_index[k];
  if (s->n_times > 0)
    e->next_scheduled[k] = next < s->n_times ? s->times[next] : HUGE_VAL;
  else
    e->next_scheduled[k] =
        next == 0 || s->period > 0 ? s->first + (double)next * s->period : HUGE_VAL;
}

/* Times of schedules from t on, but for one at which the last event was. */
static void start_schedules(engine *e) {
  const double from = e->t;
  const int done = e->scheduled_until == from;
  for (int32_t k = 0; k < e->options.n_schedules; k++) {
    const perp_schedule *s = &e->options.schedules[k];
    const double gone = s->n_times == 0 && s->period > 0 ? (e->t - s->first) / s->period - 2 : 0;
    e->schedule_index[k] = gone > 0 ? (int64_t)fmin(gone, 0x1p62) : -1;
    do {
      perp_engine_next_scheduled(e, k);
    } while (e->next_scheduled[k] < from || (e->next_scheduled[k] == from && done));
  }
}

/* α: the rate of the motion itself, so that nothing becomes stiffer. */
static double natural_rate(engine *e) {
  double v = 0, a = 0;
  for (size_t k = 0; k < e->p.n_q; k++) e->largest_q = fmax(e->largest_q, fabs(e->Y[k]));
  double q = e->largest_q; /* what lies at rest may be at 0 but for rounding */
  for (size_t k = 0; k < e->p.n_v; k++) {
    v = fmax(v, fabs(e->Y[e->p.n_q + k]));
    a = fmax(a, fabs(e->p.free[k]));
  }
  /* below this the absolute tolerance rules: what a correction left of a gap is no length */
  if (q > 0) q = fmax(q, e->options.atol / fmax(e->options.rtol, 1e-12));
  return q > 0 ? fmax(v / q, sqrt(a / q)) : 0;
}

perp_status perp_engine_restart(engine *e, perp_info *info) {
  e->damping = 0;
  e->refusal = PERP_OK;
  if (perp_locate_start(e) != 0) return perp_engine_plant_fail(e, info);
  if (!e->smooth->one_step && !e->smooth->dae) e->damping = natural_rate(e);
  const perp_status status = e->smooth->restart(e->integrator, e->t, e->Y, e->last_h);
  if (status != PERP_OK) {
    (void)snprintf(e->message, sizeof e->message, "%s", e->smooth->message(e->integrator));
    return status;
  }
  e->report.restarts++;
  e->running = 1;
  return PERP_OK;
}

/* ------------------------------------------------------------------------- layout ---- */

static double *take(arena *a, size_t count) {
  return (double *)arena_take(a, count, sizeof(double));
}

static int32_t *take_int(arena *a, size_t count) {
  return (int32_t *)arena_take(a, count, sizeof(int32_t));
}

/* Arrays of nothing have a place, too. */
static size_t at_least_one(size_t n) { return n > 0 ? n : 1; }

static void carve(arena *a, engine *e) {
  const plant *p = &e->p;
  const size_t n = p->n, n_w = p->n_w, rows = at_least_one(p->rows);
  const size_t elements = at_least_one((size_t)e->n_elements);
  const size_t guards = at_least_one((size_t)e->n_guards), points = (size_t)e->max_points + 2;
  size_t law = 1;
  for (int32_t i = 0; i < p->n_interactions; i++)
    if ((size_t)p->interactions[i].law->size > law) law = (size_t)p->interactions[i].law->size;
  e->elements = (element *)arena_take(a, elements, sizeof(element));
  e->Y = take(a, n);
  e->output = take(a, n);
  e->lambda = take(a, rows);
  e->impulse = take(a, rows);
  e->wdot = take(a, n_w);
  e->Ydot = take(a, n);
  e->held = (held_row *)arena_take(a, rows, sizeof(held_row));
  perp_rank_carve(a, &e->S, (int32_t)rows);
  perp_rank_carve(a, &e->R, (int32_t)rows);
  e->S_rhs = take(a, rows);
  perp_coupling_carve(a, &e->coupled, n_w);
  e->reach = take_int(a, rows);
  e->members = take_int(a, elements);
  e->gathered = take_int(a, elements);
  e->part = take_int(a, elements + 1);
  const size_t outputs = (size_t)e->n_outputs;
  e->first.element = take_int(a, outputs);
  e->first.U = take(a, outputs * outputs);
  e->first.level = take_int(a, outputs);
  e->first.yddot = take(a, outputs);
  e->first.Y = take(a, outputs > 0 ? n : 0);
  e->first.scratch = take(a, outputs + perp_curve_doubles((int32_t)outputs));
  e->first.done = (unsigned char *)arena_take(a, outputs, 1);
  perp_rank_carve(a, &e->S1, (int32_t)outputs);
  e->S1_rhs = take(a, outputs);
  e->trial = take(a, n);
  e->dw = take(a, n_w);
  e->dw2 = take(a, n_w);
  e->dw3 = take(a, n_w);
  e->problem_bounds = take(a, 2 * law);
  e->scale = take(a, 3 * elements);
  e->save = take(a, n);
  e->save_w = take(a, n_w);
  e->atol = take(a, n);
  e->g_size = take(a, guards);
  e->g_start = take(a, guards);
  e->way = (unsigned char *)arena_take(a, guards, 1);
  e->bezier = take(a, (SMOOTH_DEGREE + 1) * n);
  e->g = take(a, points * guards);
  e->g_times = take(a, points);
  e->fresh = (unsigned char *)arena_take(a, guards, 1);
  e->sign = (signed char *)arena_take(a, guards, 1);
  e->fired = (unsigned char *)arena_take(a, guards, 1);
  e->was_fresh = (unsigned char *)arena_take(a, guards, 1);
  e->known = (unsigned char *)arena_take(a, 2 * guards, 1);
  e->next_scheduled = take(a, (size_t)e->options.n_schedules);
  e->schedule_index =
      (int64_t *)arena_take(a, (size_t)e->options.n_schedules, sizeof *e->schedule_index);
  e->max_changes = (int32_t)(2 * elements) + e->options.n_guards + e->options.n_schedules;
  e->changes =
      (perp_event_change *)arena_take(a, (size_t)e->max_changes, sizeof(perp_event_change));
  e->state_before = take_int(a, elements);
  e->d_before = take(a, 2 * elements);
  e->times = take(a, (size_t)e->options.storm_events);
}

/* ------------------------------------------------------------------------- create ---- */

static void set_initial(engine *e) {
  const perp_model *m = e->model;
  if (m->q0 != NULL) memcpy(e->Y, m->q0, e->p.n_q * sizeof *e->Y);
  if (m->v0 != NULL) memcpy(e->Y + e->p.n_q, m->v0, e->p.n_v * sizeof *e->Y);
  if (m->x0 != NULL) memcpy(e->Y + e->p.n_q + e->p.n_v, m->x0, e->p.n_x * sizeof *e->Y);
  e->t = e->options.t0;
  e->scheduled_until = NAN;
}

static perp_status open_integrator(engine *e, perp_info *info) {
  const perp_event_options *o = &e->options;
  for (size_t k = 0; k < e->p.n; k++) {
    e->atol[k] = o->atols != NULL ? o->atols[k] : o->atol;
    if (!positive(e->atol[k])) return fail(info, PERP_EINVAL, "atols", (int32_t)k, e->atol[k]);
  }
  e->smooth = o->smooth;
  if (e->smooth == NULL) e->smooth = perp_smooth_runge_kutta();
  smooth_problem *s = &e->equations;
  s->n = (int32_t)e->p.n;
  s->linear = o->linear;
  s->context = e;
  s->rhs = rhs;
  s->rtol = o->rtol;
  s->atol = e->atol;
  s->h_first = o->h_first;
  s->h_max = o->h_max;
  s->order = o->order;
  s->max_steps = o->max_steps;
  if (!e->smooth->dae && perp_pattern_make(e) != PERP_OK)
    return fail(info, PERP_EBACKEND, "memory", -1, s->n);
  const perp_status status = e->smooth->dae ? perp_dae_open(e, info) : PERP_OK;
  return status == PERP_OK ? e->smooth->create(&e->integrator, s, info) : status;
}

perp_status perp_engine_check_gaps(engine *e, const char *field, perp_info *info) {
  const perp_status status = perp_engine_values(e, info);
  for (int32_t k = 0; k < e->n_elements && status == PERP_OK; k++) {
    const element *x = &e->elements[k];
    if (x->kind != ELEMENT_CONTACT && x->kind != ELEMENT_FRICTION) continue;
    const double gap = perp_element_gap(e, x);
    if (gap < e->options.min_gap) return fail(info, PERP_EINVAL, field, x->interaction, gap);
  }
  return status;
}

/* The mode at (t, Y). */
static perp_status start(engine *e, perp_info *info) {
  const perp_status deep = perp_engine_check_gaps(e, "initial gap", info);
  if (deep != PERP_OK) return deep;
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    x->last_impact = x->last_interval = NAN;
    x->streak = x->flat = 0;
  }
  perp_handover_end(e);
  e->last_h = e->options.h_first;
  e->n_times = 0;
  e->largest_q = 0;
  memset(e->fired, 0, (size_t)e->n_guards);
  memset(e->sign, 0, (size_t)e->n_guards);
  start_schedules(e);
  const perp_status status = perp_event_happen(e, PERP_EVENT_START, info);
  e->view = e->Y;
  e->view_t = e->t;
  e->viewed = 0;
  return status;
}

static perp_status build(engine *e, perp_info *info) {
  perp_status status = perp_plant_create(&e->p, e->model, info);
  if (status != PERP_OK) return status;
  if (e->p.n == 0) return fail_field(info, "model", -1);
  if (e->p.n > INT32_MAX / 4 || e->p.rows > INT32_MAX / 4)
    return fail(info, PERP_EUNSUPPORTED, "model", -1, (double)e->p.n);
  e->n_elements = perp_element_count(e->model);
  if (e->n_elements < 0) return fail_field(info, "model", -1);
  e->n_guards = GUARDS_PER_ELEMENT * e->n_elements + e->options.n_guards;
  e->max_points = e->options.samples + 2 > MAX_POINTS ? e->options.samples + 2 : MAX_POINTS;
  for (int32_t i = 0; i < e->p.n_interactions; i++)
    if (e->p.interactions[i].order == 1) e->n_outputs += e->p.interactions[i].m;
  arena measure = arena_measure();
  carve(&measure, e);
  const size_t bytes = arena_bytes(&measure);
  e->block = bytes > 0 ? calloc(1, bytes) : NULL;
  if (e->block == NULL) return fail(info, PERP_EBACKEND, "memory", -1, (double)bytes);
  arena place = arena_open(e->block, bytes);
  carve(&place, e);
  e->watches = e->options.n_guards > 0;
  status = perp_element_make(e, info);
  if (status == PERP_OK) status = perp_event_problem_open(&e->problem);
  if (status != PERP_OK) return status;
  set_initial(e);
  status = open_integrator(e, info);
  if (status == PERP_OK) status = perp_handover_check(e, info);
  return status == PERP_OK ? start(e, info) : status;
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
  if (status == PERP_OK) status = perp_heap_check_callbacks(model, read.t0, info);
  if (status != PERP_OK) return status;
  engine *e = (engine *)calloc(1, sizeof *e);
  if (e == NULL) return fail(info, PERP_EBACKEND, "memory", -1, (double)sizeof *e);
  e->model = model;
  e->options = read;
  e->report.struct_size = (uint32_t)sizeof e->report;
  status = build(e, info);
  if (status != PERP_OK && status != PERP_STOPPED) {
    perp_event_driven_destroy(e);
    return status;
  }
  *out = e;
  return PERP_OK;
}

void perp_event_driven_destroy(perp_event_driven *e) {
  if (e == NULL || e->busy) return;
  if (e->integrator != NULL) e->smooth->destroy(e->integrator);
  perp_handover_end(e);
  perp_dae_close(e);
  perp_event_problem_close(&e->problem);
  perp_plant_destroy(&e->p);
  free(e->pattern);
  free(e->block);
  free(e);
}

/* Whether the n numbers that a row is replaced by are; NULL: it stays. */
static perp_status check_row(size_t n, const double *row, const char *name, perp_info *info) {
  const size_t bad = row == NULL ? n : first_not_finite(n, row);
  return bad == n ? PERP_OK : fail(info, PERP_ENOTFINITE, name, (int32_t)bad, row[bad]);
}

perp_status perp_event_driven_restart(perp_event_driven *e, double t, const double *q,
                                      const double *v, const double *x, perp_info *info) {
  info_clear(info);
  if (e == NULL) return fail_field(info, "sim", -1);
  if (e->busy) return fail_field(info, "run within a run", -1);
  if (!is_finite(t)) return fail(info, PERP_ENOTFINITE, "t", -1, t);
  perp_status status = check_row(e->p.n_q, q, "q", info);
  if (status == PERP_OK) status = check_row(e->p.n_v, v, "v", info);
  if (status == PERP_OK) status = check_row(e->p.n_x, x, "x", info);
  if (status != PERP_OK) return status;
  const double before = e->t;
  memcpy(e->output, e->Y, e->p.n * sizeof *e->Y);
  if (q != NULL) memcpy(e->Y, q, e->p.n_q * sizeof *q);
  if (v != NULL) memcpy(e->Y + e->p.n_q, v, e->p.n_v * sizeof *v);
  if (x != NULL) memcpy(e->Y + e->p.n_q + e->p.n_v, x, e->p.n_x * sizeof *x);
  e->t = t;
  e->busy = 1;
  status = start(e, info);
  if (status == PERP_STOPPED) status = PERP_OK;
  if (status != PERP_OK) {
    e->t = before;
    memcpy(e->Y, e->output, e->p.n * sizeof *e->Y);
    (void)start(e, NULL);
  }
  e->busy = 0;
  return status;
}
