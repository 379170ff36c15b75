/* SPDX-License-Identifier: MIT */
/* Time-stepping for a stretch where impacts crowd: Moreau-Jean takes over at the state of an event,
 * steps until nothing new has closed for a while, and gives back a state whose closed contacts are
 * closed exactly. */
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"
#include "heap/heap.h"
#include "perp/heap.h"

enum { CROWD = 8, QUIET_STEPS = 10 };

int perp_handover_is_due(const engine *e) {
  if (e->options.zeno != PERP_ZENO_STEP || e->n_times < CROWD) return 0;
  const int32_t most = e->options.storm_events, last = e->n_times - 1;
  const int32_t depth = CROWD < most ? CROWD : most - 1;
  const double then = e->times[(last - depth + 1) % most];
  return e->t - then < 0.5 * depth * e->options.stepping->h;
}

/* Of a stepper that begins at t. */
static perp_simulation_options options_at(const perp_event_options *o, double t) {
  perp_simulation_options options = *o->stepping;
  options.t0 = t;
  options.steps = 0;
  options.grid = NULL;
  options.min_gap = fmin(options.min_gap, fmin(o->min_gap, -o->contact_tol));
  return options;
}

perp_status perp_handover_check(const perp_model *model, const perp_event_options *o,
                                perp_info *info) {
  if (o->zeno != PERP_ZENO_STEP) return PERP_OK;
  perp_simulation *trial = NULL;
  const perp_simulation_options options = options_at(o, o->t0);
  const perp_status status = perp_heap_create(&trial, model, &options, info);
  perp_simulation_destroy(trial);
  return status;
}

/* What is said of systems of the whole, of those of the component. */
static void gather(engine *e, perp_simulation_options *o) {
  const component *c = e->component;
  for (int32_t i = 0; i < c->model.n_systems; i++) {
    if (o->thetas != NULL) e->thetas[i] = o->thetas[c->systems[i]];
    if (o->integrators != NULL) e->integrators[i] = o->integrators[c->systems[i]];
  }
  if (o->thetas != NULL) o->thetas = e->thetas;
  if (o->integrators != NULL) o->integrators = e->integrators;
}

/* Numbers of a component's systems and interactions mean nothing outside. */
static perp_status of_component(const engine *e, perp_status status, perp_info *info) {
  const component *c = e->component;
  int same = 1;
  for (int32_t i = 0; i < c->model.n_systems; i++) same = same && c->systems[i] == i;
  for (int32_t i = 0; i < c->model.n_interactions; i++) same = same && c->interactions[i] == i;
  if (!same && info_ready(info)) info->index = -1;
  return status;
}

/* The stepper, from the state of now. */
static perp_status open_stepper(engine *e, perp_info *info) {
  perp_model model = e->component->model;
  perp_simulation_options options = options_at(&e->options, e->t);
  gather(e, &options);
  model.q0 = e->Y;
  model.v0 = e->Y + e->p.n_q;
  model.x0 = e->Y + e->p.n_q + e->p.n_v;
  /* the simulation keeps the model as long as it lives, its initial values are read now */
  e->stepped = model;
  return of_component(e, perp_heap_create(&e->stepper, &e->stepped, &options, info), info);
}

perp_status perp_handover_begin(engine *e, perp_info *info) {
  const perp_status status = open_stepper(e, info);
  if (status != PERP_OK) return perp_engine_fail(e, status, "time-stepping cannot take over");
  e->quiet = 0;
  e->seen_impacts = 0;
  e->n_times = 0;
  e->report.handovers++;
  return PERP_OK;
}

perp_status perp_handover_again(engine *e, perp_info *info) {
  perp_handover_end(e);
  e->seen_impacts = 0;
  const perp_status status = open_stepper(e, info);
  return status == PERP_OK ? PERP_OK : perp_engine_fail(e, status, "time-stepping cannot go on");
}

void perp_handover_end(engine *e) {
  perp_simulation_destroy(e->stepper);
  e->stepper = NULL;
}

/* The state of the stepper. */
static void adopt(engine *e) {
  for (int32_t i = 0; i < e->p.n_systems; i++) {
    const plant_system *s = &e->p.systems[i];
    double *w = e->Y + e->p.n_q + s->w0;
    if (s->order == 2) {
      memcpy(e->Y + s->q0, perp_simulation_q(e->stepper, i), (size_t)s->n_q * sizeof(double));
      memcpy(w, perp_simulation_v(e->stepper, i), (size_t)s->n * sizeof(double));
    } else {
      memcpy(w, perp_simulation_x(e->stepper, i), (size_t)s->n * sizeof(double));
    }
  }
  e->t = perp_simulation_time(e->stepper);
}

/* Contacts that carried in the last step, or have sunk in, are closed: y = 0 and ẏ = 0. */
perp_status perp_handover_return(engine *e, perp_info *info) {
  double drift;
  perp_status status = perp_engine_values(e, info);
  for (int32_t k = 0; k < e->n_elements && status == PERP_OK; k++) {
    element *x = &e->elements[k];
    if (!is_contact(x)) continue;
    const double *lambda = perp_simulation_lambda(e->stepper, x->interaction);
    const int carries = lambda != NULL && lambda[x->row] > 0;
    x->state = carries || perp_element_gap(e, x) < 0 ? PERP_CONTACT_CLOSED : PERP_CONTACT_OPEN;
  }
  if (status != PERP_OK) return status;
  perp_element_hold(e);
  if (perp_correct(e, e->t, e->Y, &drift) != 0) return perp_engine_plant_fail(e, info);
  memcpy(e->save, e->Y, e->p.n * sizeof *e->save); /* what is given back is the state before */
  return PERP_OK;
}

perp_status perp_handover_step(engine *e, double stop, double scheduled, int *returns,
                               perp_info *info) {
  const double h = fmin(e->options.stepping->h, stop - e->t);
  *returns = 0;
  memcpy(e->save, e->Y, e->p.n * sizeof *e->save);
  const perp_status status = of_component(e, perp_simulation_advance(e->stepper, h, info), info);
  if (status != PERP_OK) return perp_engine_fail(e, status, "time-stepping failed");
  adopt(e);
  if (e->t < stop && stop - e->t < 1e-6 * h) e->t = stop; /* the sum of steps, rounded */
  perp_report report = PERP_REPORT_INIT;
  const perp_status told = perp_simulation_report(e->stepper, &report);
  const double impacts = (double)report.impacts;
  e->quiet = told == PERP_OK && impacts == e->seen_impacts ? e->quiet + 1 : 0;
  e->seen_impacts = impacts;
  /* a scheduled time is an event, which only this strategy knows */
  *returns = e->quiet >= QUIET_STEPS || e->t >= scheduled;
  return PERP_OK;
}
