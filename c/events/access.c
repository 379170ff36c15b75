/* SPDX-License-Identifier: MIT */
/* What a simulation shows of its state, and of what it cost. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/driven.h"

/* ------------------------------------------------------------------------ the view ---- */

void perp_view_at(perp_event_driven *sim, double t) {
  sim->view_t = t;
  sim->shown++;
}

perp_status perp_event_told(perp_event_driven *sim, const engine *e, perp_status status) {
  const char *words = e->message[0] != 0 ? e->message : perp_status_string(status);
  (void)snprintf(sim->message, sizeof sim->message, "%s", words);
  return status;
}

engine *perp_view_of(perp_event_driven *sim, int32_t k) {
  engine *e = sim->engines[k];
  if (e->shown == sim->shown) return e;
  const int was_busy = sim->busy;
  sim->busy = IN_CALLBACKS;
  const perp_status status = perp_engine_show(e, sim->view_t, sim->info);
  sim->busy = was_busy;
  if (status != PERP_OK) {
    sim->hidden = perp_event_told(sim, e, status);
    return NULL;
  }
  e->shown = sim->shown;
  return e;
}

/* With forces, unless a callback asks. */
static engine *look(perp_event_driven *sim, int32_t k) {
  if (sim->busy == IN_CALLBACKS) return NULL;
  engine *e = perp_view_of(sim, k);
  const int was_busy = sim->busy;
  sim->busy = IN_CALLBACKS;
  const int seen = e != NULL && perp_engine_look(e);
  sim->busy = was_busy;
  return seen ? e : NULL;
}

double perp_event_driven_time(const perp_event_driven *sim) {
  return sim == NULL ? 0 : sim->view_t;
}

const perp_event *perp_event_driven_event(const perp_event_driven *sim) {
  return sim == NULL ? NULL : &sim->event;
}

const char *perp_event_driven_message(const perp_event_driven *sim) {
  return sim == NULL ? "" : sim->message;
}

/* ------------------------------------------------------------------------ systems ---- */

/* A system of this order in the plant of its engine; NULL if there is none. */
static const plant_system *system_of(const perp_event_driven *sim, int32_t i, int32_t order) {
  if (sim == NULL || i < 0 || i >= sim->n_systems) return NULL;
  const place *at = &sim->parts.systems[i];
  const plant_system *s = &sim->engines[at->component]->p.systems[at->index];
  return s->order == order ? s : NULL;
}

static const double *of_system(perp_event_driven *sim, int32_t i, int32_t order, int velocity) {
  const plant_system *s = system_of(sim, i, order);
  if (s == NULL || sim->busy == IN_CALLBACKS) return NULL;
  const engine *e = perp_view_of(sim, sim->parts.systems[i].component);
  return e == NULL ? NULL : e->view + (velocity ? e->p.n_q + s->w0 : s->q0);
}

const double *perp_event_driven_q(perp_event_driven *sim, int32_t i) {
  return of_system(sim, i, 2, 0);
}

const double *perp_event_driven_v(perp_event_driven *sim, int32_t i) {
  return of_system(sim, i, 2, 1);
}

const double *perp_event_driven_x(perp_event_driven *sim, int32_t i) {
  return of_system(sim, i, 1, 1);
}

int32_t perp_event_driven_n_q(const perp_event_driven *sim, int32_t i) {
  const plant_system *s = system_of(sim, i, 2);
  return s == NULL ? 0 : s->n_q;
}

int32_t perp_event_driven_n_v(const perp_event_driven *sim, int32_t i) {
  const plant_system *s = system_of(sim, i, 2);
  return s == NULL ? 0 : s->n;
}

int32_t perp_event_driven_n_x(const perp_event_driven *sim, int32_t i) {
  const plant_system *s = system_of(sim, i, 1);
  return s == NULL ? 0 : s->n;
}

const double *perp_event_driven_rate(perp_event_driven *sim, int32_t i) {
  if (sim == NULL || i < 0 || i >= sim->n_systems) return NULL;
  const engine *e = look(sim, sim->parts.systems[i].component);
  return e == NULL ? NULL : e->wdot + e->p.systems[sim->parts.systems[i].index].w0;
}

perp_status perp_event_driven_energy(perp_event_driven *sim, double *kinetic, double *potential) {
  if (sim == NULL || sim->busy == IN_CALLBACKS) return PERP_EINVAL;
  double T = 0, V = 0;
  const int was_busy = sim->busy;
  sim->busy = IN_CALLBACKS;
  for (int32_t i = 0; i < sim->n_systems; i++) {
    const engine *e = perp_view_of(sim, sim->parts.systems[i].component);
    const plant_system *s = e == NULL ? NULL : &e->p.systems[sim->parts.systems[i].index];
    double k = 0, p = 0;
    if (s == NULL) T = NAN;
    if (s == NULL || s->order != 2 || s->system->ops->energy == NULL) continue;
    s->system->ops->energy(s->system, e->view_t, e->view + s->q0, e->view + e->p.n_q + s->w0, &k,
                           &p, e->p.scratch);
    T += k;
    V += p;
  }
  sim->busy = was_busy;
  if (kinetic != NULL) *kinetic = T;
  if (potential != NULL) *potential = V;
  return is_finite(T + V) ? PERP_OK : PERP_ECALLBACK;
}

/* ------------------------------------------------------------------- interactions ---- */

static const plant_interaction *of_interaction(perp_event_driven *sim, int32_t i,
                                               const engine **e) {
  if (sim == NULL || i < 0 || i >= sim->n_interactions) return NULL;
  *e = look(sim, sim->parts.interactions[i].component);
  return *e == NULL ? NULL : &(*e)->p.interactions[sim->parts.interactions[i].index];
}

const double *perp_event_driven_y(perp_event_driven *sim, int32_t i) {
  const engine *e;
  const plant_interaction *at = of_interaction(sim, i, &e);
  return at == NULL ? NULL : at->y;
}

const double *perp_event_driven_ydot(perp_event_driven *sim, int32_t i) {
  const engine *e;
  const plant_interaction *at = of_interaction(sim, i, &e);
  return at == NULL || at->order == 1 ? NULL : at->ydot;
}

const double *perp_event_driven_lambda(perp_event_driven *sim, int32_t i) {
  const engine *e;
  const plant_interaction *at = of_interaction(sim, i, &e);
  return at == NULL ? NULL : e->lambda + at->row0;
}

perp_status perp_event_driven_force(perp_event_driven *sim, int32_t i, double *force) {
  const double *lambda = perp_event_driven_lambda(sim, i);
  if (lambda == NULL || force == NULL) return PERP_EINVAL;
  memcpy(force, lambda, (size_t)perp_event_driven_n_rows(sim, i) * sizeof *force);
  return PERP_OK;
}

int32_t perp_event_driven_n_rows(const perp_event_driven *sim, int32_t i) {
  if (sim == NULL || i < 0 || i >= sim->n_interactions) return 0;
  const place *at = &sim->parts.interactions[i];
  return sim->engines[at->component]->p.interactions[at->index].m;
}

int32_t perp_event_driven_mode(const perp_event_driven *sim, int32_t i, int32_t copy) {
  if (sim == NULL || i < 0 || i >= sim->n_interactions || copy < 0) return -1;
  const engine *e = sim->engines[sim->parts.interactions[i].component];
  for (int32_t k = 0; k < e->n_elements; k++)
    if (e->elements[k].interaction == sim->parts.interactions[i].index &&
        e->elements[k].copy == copy)
      return e->elements[k].state;
  return -1;
}

/* -------------------------------------------------------------------------- costs ---- */

int32_t perp_event_driven_components(const perp_event_driven *sim) {
  return sim == NULL ? 0 : sim->parts.n;
}

/* all += what one engine has cost. */
static void add_costs(perp_event_report *all, const engine *e) {
  const perp_event_report *r = &e->report;
  smooth_counts counts;
  memset(&counts, 0, sizeof counts);
  e->smooth->counts(e->integrator, &counts);
  all->impacts += r->impacts;
  all->switches += r->switches;
  all->jumps += r->jumps;
  all->handovers += r->handovers;
  all->restarts += r->restarts;
  all->problems += r->problems;
  all->corrections += r->corrections;
  all->unresolved += r->unresolved;
  all->steps += counts.steps;
  all->rejected += counts.rejected;
  all->evaluations += counts.evaluations;
  all->jacobians += counts.jacobians;
  all->guards += r->guards;
  all->drift = fmax(all->drift, r->drift);
  all->missed += r->missed;
  all->indeterminate += r->indeterminate;
}

perp_status perp_event_driven_report(const perp_event_driven *sim, perp_event_report *report) {
  if (sim == NULL || report == NULL) return PERP_EINVAL;
  perp_event_report all = PERP_EVENT_REPORT_INIT;
  all.events = sim->events;
  for (int32_t k = 0; k < sim->parts.n; k++) add_costs(&all, sim->engines[k]);
  return perp_options_answer(report, &all, sizeof all,
                             PERP_THROUGH(perp_event_report, indeterminate));
}
