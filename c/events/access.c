/* SPDX-License-Identifier: MIT */
/* What a simulation shows of its state, and of what it cost. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/engine.h"

double perp_event_driven_time(const perp_event_driven *e) { return e == NULL ? 0 : e->view_t; }

const perp_event *perp_event_driven_event(const perp_event_driven *e) {
  return e == NULL ? NULL : &e->event;
}

const char *perp_event_driven_message(const perp_event_driven *e) {
  return e == NULL ? "" : e->message;
}

static const plant_system *system_of(const perp_event_driven *e, int32_t i, int32_t order) {
  if (e == NULL || i < 0 || i >= e->p.n_systems) return NULL;
  return e->p.systems[i].order == order ? &e->p.systems[i] : NULL;
}

const double *perp_event_driven_q(const perp_event_driven *e, int32_t i) {
  const plant_system *s = system_of(e, i, 2);
  return s == NULL ? NULL : e->view + s->q0;
}

const double *perp_event_driven_v(const perp_event_driven *e, int32_t i) {
  const plant_system *s = system_of(e, i, 2);
  return s == NULL ? NULL : e->view + e->p.n_q + s->w0;
}

const double *perp_event_driven_x(const perp_event_driven *e, int32_t i) {
  const plant_system *s = system_of(e, i, 1);
  return s == NULL ? NULL : e->view + e->p.n_q + s->w0;
}

/* The plant at the view, with forces. */
static int look(perp_event_driven *e) {
  if (e->viewed) return 1;
  const int was_busy =
      e->busy; /* callbacks neither go on nor end it, within a run and between two */
  e->busy = 1;
  int32_t code = perp_plant_at(&e->p, e->view_t, e->view);
  if (code == 0) code = perp_force(e);
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    code = perp_plant_need(&e->p, i, PLANT_VALUES);
  e->viewed = code == 0;
  e->busy = was_busy;
  return e->viewed;
}

static const plant_interaction *interaction_of(perp_event_driven *e, int32_t i) {
  if (e == NULL || i < 0 || i >= e->p.n_interactions || !look(e)) return NULL;
  return &e->p.interactions[i];
}

const double *perp_event_driven_y(perp_event_driven *e, int32_t i) {
  const plant_interaction *at = interaction_of(e, i);
  return at == NULL ? NULL : at->y;
}

const double *perp_event_driven_ydot(perp_event_driven *e, int32_t i) {
  const plant_interaction *at = interaction_of(e, i);
  return at == NULL || at->order == 1 ? NULL : at->ydot;
}

const double *perp_event_driven_lambda(perp_event_driven *e, int32_t i) {
  const plant_interaction *at = interaction_of(e, i);
  return at == NULL ? NULL : e->lambda + at->row0;
}

const double *perp_event_driven_rate(perp_event_driven *e, int32_t i) {
  if (e == NULL || i < 0 || i >= e->p.n_systems || !look(e)) return NULL;
  return e->wdot + e->p.systems[i].w0;
}

int32_t perp_event_driven_mode(const perp_event_driven *e, int32_t interaction, int32_t copy) {
  if (e == NULL || copy < 0) return -1;
  for (int32_t k = 0; k < e->n_elements; k++)
    if (e->elements[k].interaction == interaction && e->elements[k].copy == copy)
      return e->elements[k].state;
  return -1;
}

perp_status perp_event_driven_energy(perp_event_driven *e, double *kinetic, double *potential) {
  if (e == NULL || kinetic == NULL || potential == NULL) return PERP_EINVAL;
  const int was_busy = e->busy;
  e->busy = 1;
  *kinetic = *potential = 0;
  for (int32_t i = 0; i < e->p.n_systems; i++) {
    const plant_system *s = &e->p.systems[i];
    double k = 0, p = 0;
    if (s->order != 2 || s->system->ops->energy == NULL) continue;
    s->system->ops->energy(s->system, e->view_t, e->view + s->q0, e->view + e->p.n_q + s->w0, &k,
                           &p, e->p.scratch);
    *kinetic += k;
    *potential += p;
  }
  e->busy = was_busy;
  return is_finite(*kinetic + *potential) ? PERP_OK : PERP_ECALLBACK;
}

perp_status perp_event_driven_report(const perp_event_driven *e, perp_event_report *report) {
  if (e == NULL || report == NULL) return PERP_EINVAL;
  smooth_counts counts;
  memset(&counts, 0, sizeof counts);
  e->smooth->counts(e->integrator, &counts);
  perp_event_report all = e->report;
  all.steps = counts.steps;
  all.rejected = counts.rejected;
  all.evaluations = counts.evaluations;
  all.jacobians = counts.jacobians;
  return perp_options_answer(report, &all, sizeof all, PERP_THROUGH(perp_event_report, drift));
}
