/* SPDX-License-Identifier: MIT */
/* What a simulation shows of its state, and of what it cost. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/event_driven.h"

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

/* What is shown is found out when it is asked for, so that a simulation that is only looked at
 * changes in that. */
static const double *of_system(const perp_event_driven *sim, int32_t i, int32_t order,
                               int velocity) {
  if (sim == NULL || i < 0 || i >= sim->n_systems) return NULL;
  const place *at = &sim->parts.systems[i];
  const plant *p = &sim->engines[at->component]->p;
  const plant_system *s = &p->systems[at->index];
  if (s->order != order || sim->busy == IN_CALLBACKS) return NULL;
  const engine *e = perp_view_of((perp_event_driven *)sim, at->component);
  return e == NULL ? NULL : e->view + (velocity ? p->n_q + s->w0 : s->q0);
}

const double *perp_event_driven_q(const perp_event_driven *sim, int32_t i) {
  return of_system(sim, i, 2, 0);
}

const double *perp_event_driven_v(const perp_event_driven *sim, int32_t i) {
  return of_system(sim, i, 2, 1);
}

const double *perp_event_driven_x(const perp_event_driven *sim, int32_t i) {
  return of_system(sim, i, 1, 1);
}

const double *perp_event_driven_rate(perp_event_driven *sim, int32_t i) {
  if (sim == NULL || i < 0 || i >= sim->n_systems) return NULL;
  const engine *e = look(sim, sim->parts.systems[i].component);
  return e == NULL ? NULL : e->wdot + e->p.systems[sim->parts.systems[i].index].w0;
}

perp_status perp_event_driven_energy(perp_event_driven *sim, double *kinetic, double *potential) {
  if (sim == NULL || kinetic == NULL || potential == NULL) return PERP_EINVAL;
  if (sim->busy == IN_CALLBACKS) return PERP_EINVAL;
  const int was_busy = sim->busy;
  sim->busy = IN_CALLBACKS;
  *kinetic = *potential = 0;
  for (int32_t i = 0; i < sim->n_systems; i++) {
    const engine *e = perp_view_of(sim, sim->parts.systems[i].component);
    const plant_system *s = e == NULL ? NULL : &e->p.systems[sim->parts.systems[i].index];
    double k = 0, p = 0;
    if (s == NULL) *kinetic = NAN;
    if (s == NULL || s->order != 2 || s->system->ops->energy == NULL) continue;
    s->system->ops->energy(s->system, e->view_t, e->view + s->q0, e->view + e->p.n_q + s->w0, &k,
                           &p, e->p.scratch);
    *kinetic += k;
    *potential += p;
  }
  sim->busy = was_busy;
  return is_finite(*kinetic + *potential) ? PERP_OK : PERP_ECALLBACK;
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
