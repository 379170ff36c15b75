/* SPDX-License-Identifier: MIT */
/* Elements: how the laws of a model are cut, what is held in their states, and their guards. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/engine.h"

/* ------------------------------------------------------------------------ cutting ---- */

static int is_friction(const perp_law *law) {
  return law->ops->set == PERP_SET_CONE && law->size > 1;
}

/* Elements of one copy of a law. */
static int32_t per_copy(const perp_law *law) { return is_friction(law) ? 1 : law->size; }

int32_t perp_element_count(const perp_model *model) {
  int32_t count = 0; /* at most one for a row */
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *at = model->interactions[i];
    count += at->relation->m / at->law->size * per_copy(at->law);
  }
  return count;
}

/* Bounds of component k of a law by component. */
static void bounds_of(const perp_law *law, int32_t k, double *scratch, double *lower,
                      double *upper) {
  *lower = law->ops->set == PERP_SET_FREE ? -INFINITY : 0;
  *upper = INFINITY;
  if (law->ops->bounds == NULL) return;
  law->ops->bounds(law, scratch, scratch + law->size);
  *lower = scratch[k];
  *upper = scratch[law->size + k];
}

static int is_holonomic(const perp_relation *relation) {
  if (relation->ops->order != 2) return 0;
  if (relation->ops->terms != NULL) return 1;
  return relation->ops->features != NULL &&
         (relation->ops->features(relation) & (uint32_t)PERP_RELATION_HOLONOMIC) != 0;
}

static int has_compliance(const perp_relation *relation) {
  if (relation->ops->order != 2) return 0;
  if (relation->ops->terms != NULL) {
    perp_relation_terms terms;
    relation->ops->terms(relation, &terms);
    return terms.D != NULL;
  }
  return relation->ops->features != NULL &&
         (relation->ops->features(relation) & (uint32_t)PERP_RELATION_D) != 0;
}

/* Whether an interaction has an event-driven form. */
static perp_status accept(const engine *e, int32_t i, perp_info *info) {
  const plant_interaction *at = &e->p.interactions[i];
  const perp_law_ops *ops = at->law->ops;
  const int friction = is_friction(at->law), multiple = e->options.impact != PERP_IMPACT_LAW;
  const int no_coefficient =
      at->order == 2 && ops->restitute == NULL && ops->restitute_step != NULL;
  if (ops->state_bytes != NULL || ops->preload != NULL || ops->compliance != NULL ||
      ops->set > PERP_SET_CONE || (!friction && ops->set > PERP_SET_BOX && at->law->size > 1) ||
      (friction && (at->order != 2 || at->law->size > 3)))
    return fail_interaction(info, PERP_EUNSUPPORTED, "law", at->number, LAW_WITHOUT_EVENTS);
  if (at->order == 2 && has_compliance(at->relation))
    return fail_interaction(info, PERP_EUNSUPPORTED, "relation", at->number, RELATION_COMPLIANT);
  if (multiple && (friction || no_coefficient))
    return fail_interaction(info, PERP_EUNSUPPORTED, "impact", at->number, e->options.impact);
  return PERP_OK;
}

static int32_t kind_of(const plant_interaction *at, const element *x) {
  const perp_law_ops *ops = at->law->ops;
  if (at->order == 1) return ELEMENT_OUTPUT;
  if (is_friction(at->law)) return ELEMENT_FRICTION;
  if (isinf(x->lower) && isinf(x->upper)) return ELEMENT_EQUALITY;
  if (ops->unilateral != 0 && x->holonomic) return ELEMENT_CONTACT;
  return ELEMENT_BOX;
}

perp_status perp_element_make(engine *e, perp_info *info) {
  element *x = e->elements;
  for (int32_t i = 0; i < e->p.n_interactions; i++) {
    const plant_interaction *at = &e->p.interactions[i];
    const perp_status status = accept(e, i, info);
    if (status != PERP_OK) return status;
    for (int32_t k = 0; k < at->copies * per_copy(at->law); k++, x++) {
      memset(x, 0, sizeof *x);
      x->size = is_friction(at->law) ? at->law->size : 1;
      x->row = k * x->size;
      x->interaction = i;
      x->copy = x->row / at->law->size;
      x->law = at->law;
      x->holonomic = is_holonomic(at->relation);
      x->held = -1;
      if (is_friction(at->law))
        x->mu = ((const perp_friction *)(const void *)at->law)->mu;
      else
        bounds_of(at->law, x->row % at->law->size, e->problem_bounds, &x->lower, &x->upper);
      x->kind = kind_of(at, x);
      if (e->options.impact != PERP_IMPACT_LAW && x->kind == ELEMENT_BOX &&
          (isinf(x->lower) || isinf(x->upper))) /* an impulse that is no contact's */
        return fail_interaction(info, PERP_EUNSUPPORTED, "impact", at->number, e->options.impact);
      x->state = x->kind == ELEMENT_EQUALITY ? PERP_CONTACT_BETWEEN : PERP_CONTACT_OPEN;
      if (x->kind != ELEMENT_EQUALITY) e->watches = 1;
    }
  }
  return PERP_OK;
}

/* ------------------------------------------------------------------------ holding ---- */

static int32_t held_rows(const element *x) {
  switch (x->state) {
    case PERP_CONTACT_CLOSED:
    case PERP_CONTACT_SLIP:
    case PERP_CONTACT_BETWEEN:
      return 1;
    case PERP_CONTACT_STICK:
      return x->size;
    default:
      return 0;
  }
}

void perp_element_hold(engine *e) {
  e->n_held = 0;
  e->S_fixed = 1;
  e->has_held_positions = 0;
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    const plant_interaction *at = &e->p.interactions[x->interaction];
    if (x->kind == ELEMENT_OUTPUT) continue; /* first_order_mode.c */
    const int32_t rows = held_rows(x);
    x->held = rows > 0 ? e->n_held : -1;
    for (int32_t r = 0; r < rows; r++) {
      e->held[e->n_held].element = k;
      e->held[e->n_held++].row = x->row + r;
    }
    if (rows == 0) continue;
    if (!at->fixed || (x->state == PERP_CONTACT_SLIP && x->size == 3)) e->S_fixed = 0;
    if (x->holonomic && x->kind != ELEMENT_BOX) e->has_held_positions = 1;
  }
  e->S_ready = 0;
  e->S1_ready = 0;
}

/* ----------------------------------------------------------------------- coupling ---- */

static int32_t reach_of(engine *e, int32_t k) {
  const element *x = &e->elements[k];
  return perp_coupling_add(&e->coupled, &e->p.interactions[x->interaction], x->row, x->size);
}

int32_t perp_element_parts(engine *e, int32_t n) {
  perp_coupling_begin(&e->coupled);
  for (int32_t k = 0; k < n; k++) e->reach[k] = reach_of(e, e->members[k]);
  const int32_t parts = perp_coupling_sort(&e->coupled, n, e->reach, e->gathered, e->part);
  for (int32_t k = 0; k < n; k++) e->gathered[k] = e->members[e->gathered[k]];
  memcpy(e->members, e->gathered, (size_t)n * sizeof *e->members);
  return parts;
}

void perp_element_held_parts(engine *e, rank_factor *f) {
  const int32_t last = e->n_held - 1;
  if (last < 0 || e->held[last].element == e->held[0].element) { /* one contact is one part */
    perp_rank_whole(f, e->n_held);
    return;
  }
  perp_coupling_begin(&e->coupled);
  for (int32_t k = 0; k < e->n_held; k++) {
    const int same = k > 0 && e->held[k].element == e->held[k - 1].element;
    e->reach[k] = same ? e->reach[k - 1] : reach_of(e, e->held[k].element);
  }
  f->n = e->n_held;
  f->parts = perp_coupling_sort(&e->coupled, f->n, e->reach, f->order, f->first);
}

/* ------------------------------------------------------------------------- guards ---- */

double perp_element_gap(engine *e, const element *x) {
  return e->p.interactions[x->interaction].y[x->row];
}

double perp_element_speed(engine *e, const element *x) {
  return e->p.interactions[x->interaction].ydot[x->row];
}

double perp_element_size(const engine *e, const element *x) {
  const plant_interaction *at = &e->p.interactions[x->interaction];
  double size = fabs(at->y[x->row]);
  int32_t column = 0;
  for (int32_t s = 0; s < at->n_systems; s++) {
    const plant_system *system = &e->p.systems[at->systems[s]];
    const double *q = at->order == 2 ? e->p.q + system->q0 : e->p.w + system->w0;
    double largest = 0; /* of a body: its coordinates of place */
    for (int32_t j = 0; j < 3 && at->order == 2 && system->n_q != system->n; j++)
      largest = fmax(largest, fabs(q[j]));
    for (int32_t j = 0; j < system->n; j++, column++)
      size = fmax(size, fabs(at->H[x->row + at->m * column]) *
                            (largest > 0 || system->n_q != system->n ? largest : fabs(q[j])));
  }
  /* where the gap moves with time, ∂h/∂t: as far as in all the time until now */
  if (at->order == 2)
    size = fmax(size, fabs(e->p.t * (at->ydot[x->row] - perp_plant_row(at, x->row, e->p.w))));
  return size;
}

double perp_element_error(const engine *e, const element *x) {
  const plant_interaction *at = &e->p.interactions[x->interaction];
  const double size = perp_element_size(e, x);
  double off = 0;
  for (int32_t s = 0, column = 0; s < at->n_systems && !e->smooth->one_step; s++) {
    const plant_system *system = &e->p.systems[at->systems[s]];
    const double *atol = e->atol + (at->order == 2 ? system->q0 : e->p.n_q + system->w0);
    for (int32_t j = 0; j < system->n; j++, column++)
      off = fmax(off, fabs(at->H[x->row + at->m * column]) * atol[j]);
  }
  return fmax(32 * DBL_EPSILON * size, e->smooth->one_step ? 0 : off + e->options.rtol * size);
}

int perp_element_has_fired(const engine *e, int32_t k) {
  const element *x = &e->elements[k];
  return e->fired[GUARDS_PER_ELEMENT * k] != 0 && !is_closed(x) && x->state != PERP_CONTACT_BETWEEN;
}

perp_status perp_element_rest(engine *e, perp_info *info) {
  int any = 0;
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    const unsigned char *fired = &e->fired[GUARDS_PER_ELEMENT * k];
    x->rest = e->options.velocity_tol;
    if (!(x->state == PERP_CONTACT_SLIP && fired[1]) && !(x->kind == ELEMENT_BOX && fired[0]))
      continue;
    const perp_status status = any ? PERP_OK : perp_engine_values(e, info);
    if (status != PERP_OK) return status;
    any = 1;
    const double *ydot = e->p.interactions[x->interaction].ydot + x->row;
    const double along = x->kind == ELEMENT_BOX ? ydot[0]
                         : x->size == 2         ? ydot[1]
                                                : x->d[0] * ydot[1] + x->d[1] * ydot[2];
    x->rest = fmax(x->rest, 2 * fabs(along));
  }
  return PERP_OK;
}

void perp_element_round(engine *e) {
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    const plant_interaction *at = &e->p.interactions[x->interaction];
    for (int32_t r = x->row; r < x->row + x->size && at->order == 2; r++) {
      double size = 0;
      for (int32_t j = 0; j < at->n; j++)
        size += fabs(at->H[r + at->m * j] * e->p.w[at->column[j]]);
      x->rest = fmax(x->rest, 16 * DBL_EPSILON * size);
    }
  }
}

static int needs_force(const element *x) {
  if (x->state == PERP_CONTACT_BETWEEN) return !(isinf(x->lower) && isinf(x->upper));
  /* the output of a first-order relation may depend on λ of others */
  return is_closed(x) || x->kind == ELEMENT_OUTPUT;
}

int perp_element_needs_force(const engine *e) {
  for (int32_t k = 0; k < e->n_elements; k++)
    if (needs_force(&e->elements[k])) return 1;
  return 0;
}

/* The guards of one element; those that it has not are 1. */
static void guards_of(const engine *e, const element *x, double *g) {
  const plant_interaction *at = &e->p.interactions[x->interaction];
  const double *lambda = e->lambda + at->row0 + x->row;
  const double *y = at->y + x->row, *ydot = at->ydot + x->row;
  const double level = x->kind == ELEMENT_OUTPUT ? y[0] : ydot[0];
  g[0] = g[1] = 1;
  if (x->kind == ELEMENT_EQUALITY) return;
  switch (x->state) {
    case PERP_CONTACT_OPEN: /* of velocities alone: y is 0 at all times */
      g[0] = x->holonomic ? y[0] : ydot[0];
      break;
    case PERP_CONTACT_TOUCH:
      g[0] = x->holonomic ? y[0] + e->slack : ydot[0] + e->options.velocity_tol;
      break;
    case PERP_CONTACT_CLOSED:
      g[0] = lambda[0];
      break;
    case PERP_CONTACT_STICK:
      g[0] = lambda[0];
      g[1] = x->mu * lambda[0] -
             (x->size == 2 ? fabs(lambda[1]) : sqrt(lambda[1] * lambda[1] + lambda[2] * lambda[2]));
      break;
    case PERP_CONTACT_SLIP:
      g[0] = lambda[0];
      g[1] = x->d[0] * ydot[1] + (x->size == 3 ? x->d[1] * ydot[2] : 0);
      break;
    case PERP_CONTACT_LOWER:
      g[0] = level;
      break;
    case PERP_CONTACT_UPPER:
      g[0] = -level;
      break;
    default:
      if (!isinf(x->lower)) g[0] = lambda[0] - x->lower;
      if (!isinf(x->upper)) g[1] = x->upper - lambda[0];
      break;
  }
}

int32_t perp_element_user_guards(engine *e, double *g) {
  perp_event_state at = {.t = e->p.t,
                         .q = e->p.q,
                         .v = e->p.w,
                         .x = e->p.w + e->p.n_v,
                         .n_q = (int32_t)e->p.n_q,
                         .n_v = (int32_t)e->p.n_v,
                         .n_x = (int32_t)e->p.n_x};
  for (int32_t k = 0; k < e->options.n_guards; k++) {
    const perp_guard *guard = &e->options.guards[k];
    g[k] = 0;
    const int32_t code = guard->value(&at, &g[k], guard->user);
    if (code != 0)
      return perp_plant_refuse(&e->p, PERP_OF_ENTRY, code < 0 ? PERP_ECALLBACK : PERP_RETRY,
                               "guard", k, code);
    if (is_finite(g[k])) continue;
    (void)perp_plant_refuse(&e->p, PERP_OF_ENTRY, PERP_ENOTFINITE, "guard", k, -1);
    e->p.value = g[k];
    return -1;
  }
  return 0;
}

/* How far a contact that others carry may lie below 0: as far as those are off, and a little. */
static double slack(const engine *e) {
  double worst = 0;
  for (int32_t k = 0; k < e->n_held; k++) {
    const held_row *at = &e->held[k];
    const plant_interaction *in = &e->p.interactions[e->elements[at->element].interaction];
    if (perp_has_position(e, k)) worst = fmax(worst, fabs(in->y[at->row]));
  }
  return e->options.contact_tol + 4 * worst;
}

int32_t perp_element_guards(engine *e, double *g) {
  int32_t code = 0;
  e->report.guards++;
  if (perp_element_needs_force(e)) code = perp_force(e);
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    code = perp_plant_need(&e->p, i, PLANT_VALUES);
  if (code == 0) e->slack = slack(e);
  for (int32_t k = 0; k < e->n_elements && code == 0; k++)
    guards_of(e, &e->elements[k], g + GUARDS_PER_ELEMENT * k);
  return code != 0 ? code : perp_element_user_guards(e, g + GUARDS_PER_ELEMENT * e->n_elements);
}
