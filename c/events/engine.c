/* SPDX-License-Identifier: MIT */
/* Creation and end of an engine, and what its integrator integrates. */
#include "events/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/dae.h"
#include "model/curve.h"

enum { MAX_POINTS = 161 }; /* of a step at which guards are looked at: 5 · 2⁵ + 1 */

/* ----------------------------------------------------------------------- failures ---- */

perp_status perp_engine_fail(engine *e, perp_status status, const char *what) {
  (void)snprintf(e->message, sizeof e->message, "%s at t = %.17g: %s", what, e->t,
                 perp_status_string(status));
  return status;
}

perp_status perp_engine_no_memory(engine *e, perp_info *info) {
  return perp_engine_fail(e, fail(info, PERP_EBACKEND, "memory", -1, e->t), "no memory");
}

void perp_engine_unsolved(engine *e, perp_status status, const char *field, perp_info *info) {
  const event_problem *p = &e->problem;
  if (status < 0 || !info_ready(info) || info->field != NULL) return;
  const element *x = &e->elements[p->element[p->part[p->solved]]];
  (void)fail_interaction(info, status, field, perp_element_number(e, x), e->t);
}

perp_status perp_engine_plant_fail(engine *e, perp_info *info) {
  const perp_status status = e->p.status != PERP_OK ? e->p.status : PERP_ECALLBACK;
  const char *field = e->p.field != NULL ? e->p.field : "model";
  (void)snprintf(e->message, sizeof e->message, "%s %d at t = %.17g: %s", field, e->p.index, e->p.t,
                 perp_status_string(status));
  return fail_of(info, e->p.of, status, field, e->p.index, e->p.value);
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
  e->refused_of = e->p.of;
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

/* α: the rate of the motion itself, so that nothing becomes stiffer. */
static double natural_rate(engine *e) {
  const double v = largest_of(e->p.n_v, e->Y + e->p.n_q), a = largest_of(e->p.n_v, e->p.free);
  e->largest_q = fmax(e->largest_q, largest_of(e->p.n_q, e->Y));
  double q = e->largest_q; /* what lies at rest may be at 0 but for rounding */
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

/* Arrays of nothing have a place, too. */
static size_t at_least_one(size_t n) { return n > 0 ? n : 1; }

static void carve(arena *a, engine *e) {
  const plant *p = &e->p;
  const size_t n = p->n, n_w = p->n_w, rows = at_least_one(p->rows);
  const size_t elements = at_least_one((size_t)e->n_elements);
  const size_t guards = at_least_one((size_t)e->n_guards), points = (size_t)e->max_points + 2;
  const size_t outputs = (size_t)e->n_outputs;
  double **const of_n[] = {&e->Y, &e->output, &e->Ydot, &e->trial, &e->save, &e->atol, NULL};
  double **const of_rows[] = {&e->lambda, &e->impulse, &e->S_rhs, NULL};
  double **const of_w[] = {&e->wdot, &e->dw, &e->dw2, &e->dw3, NULL};
  double **const of_outputs[] = {&e->first.yddot, &e->S1_rhs, NULL};
  double **const of_guards[] = {&e->g_size, &e->g_loose, &e->g_start, NULL};
  size_t law = 1;
  for (int32_t i = 0; i < p->n_interactions; i++)
    if ((size_t)p->interactions[i].law->size > law) law = (size_t)p->interactions[i].law->size;
  arena_take_doubles(a, n, of_n);
  arena_take_doubles(a, rows, of_rows);
  arena_take_doubles(a, n_w, of_w);
  arena_take_doubles(a, outputs, of_outputs);
  arena_take_doubles(a, guards, of_guards);
  e->elements = (element *)arena_take(a, elements, sizeof(element));
  e->held = (held_row *)arena_take(a, rows, sizeof(held_row));
  perp_rank_carve(a, &e->S, (int32_t)rows);
  perp_rank_carve(a, &e->R, (int32_t)rows);
  perp_coupling_carve(a, &e->coupled, n_w);
  e->reach = room_ints(a, rows);
  e->members = room_ints(a, elements);
  e->gathered = room_ints(a, elements);
  e->part = room_ints(a, elements + 1);
  e->first.element = room_ints(a, outputs);
  e->first.U = room_doubles(a, outputs * outputs);
  e->first.level = room_ints(a, outputs);
  e->first.Y = room_doubles(a, outputs > 0 ? n : 0);
  e->first.scratch = room_doubles(a, outputs + perp_curve_doubles((int32_t)outputs));
  e->first.done = room_bytes(a, outputs);
  perp_rank_carve(a, &e->S1, (int32_t)outputs);
  e->problem_bounds = room_doubles(a, 2 * law);
  e->scale = room_doubles(a, 3 * elements);
  e->way = room_bytes(a, guards);
  e->bezier = room_doubles(a, (SMOOTH_DEGREE + 1) * n);
  e->g = room_doubles(a, points * guards);
  e->g_times = room_doubles(a, points);
  e->fresh = room_bytes(a, guards);
  e->sign = (signed char *)arena_take(a, guards, 1);
  e->fired = room_bytes(a, guards);
  e->was_fresh = room_bytes(a, guards);
  e->known = room_bytes(a, 2 * guards);
  e->changes = (perp_event_change *)arena_take(a, 2 * elements, sizeof(perp_event_change));
  e->state_before = room_ints(a, elements);
  e->d_before = room_doubles(a, 2 * elements);
  e->fired_before = room_bytes(a, guards);
  e->thetas = room_doubles(a, (size_t)p->n_systems);
  e->integrators =
      (const perp_integrator **)arena_take(a, (size_t)p->n_systems, sizeof *e->integrators);
}

/* ------------------------------------------------------------------------- create ---- */

perp_status perp_engine_open(engine *e, perp_info *info) {
  const perp_event_options *o = &e->options;
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
  perp_status status = e->smooth->dae ? perp_dae_open(e, info) : PERP_OK;
  if (status == PERP_OK) status = e->smooth->create(&e->integrator, s, info);
  return status;
}

perp_status perp_engine_check_gaps(engine *e, const char *field, perp_info *info) {
  const perp_status status = perp_engine_values(e, info);
  for (int32_t k = 0; k < e->n_elements && status == PERP_OK; k++) {
    const element *x = &e->elements[k];
    if (!is_contact(x)) continue;
    const double gap = perp_element_gap(e, x);
    if (gap < e->options.min_gap)
      return fail_interaction(info, PERP_EINVAL, field, perp_element_number(e, x), gap);
  }
  return status;
}

perp_status perp_engine_start(engine *e, perp_info *info) {
  perp_handover_end(e);
  e->last_h = e->options.h_first;
  e->n_times = 0;
  e->largest_q = 0;
  e->ahead = 0;
  e->straight = 0;
  e->message[0] = 0;
  memset(e->sign, 0, (size_t)e->n_guards);
  return perp_engine_check_gaps(e, "initial gap", info);
}

static perp_status build(engine *e, perp_info *info) {
  perp_status status = perp_plant_create(&e->p, e->component, info);
  if (status != PERP_OK) return status;
  e->n_elements = perp_element_count(&e->component->model);
  e->n_guards = GUARDS_PER_ELEMENT * e->n_elements + e->options.n_guards;
  e->max_points = e->options.samples + 2 > MAX_POINTS ? e->options.samples + 2 : MAX_POINTS;
  for (int32_t i = 0; i < e->p.n_interactions; i++)
    if (e->p.interactions[i].order == 1) e->n_outputs += e->p.interactions[i].m;
  arena room = arena_measure();
  carve(&room, e);
  e->block = room_for(&room);
  if (e->block == NULL) return no_room(&room, info);
  carve(&room, e);
  e->view = e->Y;
  e->watches = e->options.n_guards > 0;
  status = perp_element_make(e, info);
  return status == PERP_OK ? perp_event_problem_open(&e->problem) : status;
}

perp_status perp_engine_create(engine **out, const component *part,
                               const perp_event_options *options, perp_info *info) {
  engine *e = *out = (engine *)calloc(1, sizeof *e);
  if (e == NULL) return fail(info, PERP_EBACKEND, "memory", -1, (double)sizeof *e);
  e->component = part;
  e->options = *options;
  return build(e, info);
}

void perp_engine_destroy(engine *e) {
  if (e == NULL) return;
  if (e->integrator != NULL) e->smooth->destroy(e->integrator);
  perp_handover_end(e);
  perp_dae_close(e);
  perp_event_problem_close(&e->problem);
  perp_plant_destroy(&e->p);
  free(e->pattern);
  free(e->times);
  free(e->block);
  free(e);
}
