/* SPDX-License-Identifier: MIT */
/* The problem of an impact, over the contacts that are closed (I1), the equalities, and one-sided
 * velocities:  ẏ⁺ = ẏ⁻ + H M⁻¹Hᵀ p,  each law between ẏ⁺ + what it adds (restitution) and p. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"

enum { MAX_FLAT = 32 };              /* see accumulates() */
static const double kAtRest = 1e-12; /* of what an impact has moved a velocity by */
static const double kLost = 10;      /* errors of a step, which add up               */

/* Whether an element takes part in impacts at the plant's point, and of which sort. */
static int takes_part(engine *e, const element *x) {
  switch (x->kind) {
    case ELEMENT_CONTACT:
    case ELEMENT_FRICTION:

      return perp_element_gap(e, x) <= e->options.contact_tol ||
             perp_element_has_fired(e, (int32_t)(x - e->elements));
    case ELEMENT_EQUALITY:
      return 1;
    case ELEMENT_BOX:
      return isinf(x->lower) || isinf(x->upper);
    default:
      return 0;
  }
}

/* Whether its velocity calls for an impulse. */
static int is_hit(engine *e, const element *x) {
  const double speed = perp_element_speed(e, x), tol = x->rest;
  switch (x->kind) {
    case ELEMENT_EQUALITY:
      return fabs(speed) > tol;
    case ELEMENT_BOX:
      return (isinf(x->upper) && speed < -tol) || (isinf(x->lower) && speed > tol);
    default:
      return speed < -tol;
  }
}

int perp_impact_holds(const element *x) {
  return x->kind == ELEMENT_EQUALITY || (x->inelastic && x->kicked);
}

/* Excursions that may be cut off: below them there is rounding, or the motion's own error. */
static double negligible(const engine *e, const element *x) {
  return fmax(e->options.zeno_tol, perp_element_error(e, x));
}

/* ẇ at the end of the flights, in the mode in which they were. */
static int32_t find_accelerations(engine *e) {
  int32_t code = 0;
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    if (e->p.interactions[i].order == 2) code = perp_plant_need(&e->p, i, PLANT_BIAS);
  return code == 0 ? perp_force_mechanics(e) : code;
}

/* Acceleration towards 0 that find_accelerations() found. */
static double fall_of(const engine *e, const element *x) {
  const plant_interaction *at = &e->p.interactions[x->interaction];
  return -(perp_plant_row(at, x->row, e->wdot) + at->gamma[x->row]);
}

/* Whether a gap has come to 0 though its velocity opens it. */
static int opens_at_zero(engine *e, int32_t k) {
  const element *x = &e->elements[k];
  return e->options.zeno != PERP_ZENO_STOP && x->holonomic && perp_element_has_fired(e, k) &&
         perp_element_speed(e, x) > x->rest;
}

/* Whether it does so in a flight so low that the integrator's error in the position is more: it
 * would do so again and again. The flight is that of the present mode: what was kicked open by a
 * neighbour had none before its last impact. */
static int is_lost(engine *e, const element *x) {
  const double speed = perp_element_speed(e, x), fall = fall_of(e, x);
  return fall > 0 && speed * speed <= 2 * fall * kLost * negligible(e, x);
}

static void cut_off(engine *e, const element *x) {
  const double speed = perp_element_speed(e, x);
  e->event.kinds |= PERP_EVENT_ACCUMULATION;
  e->event.error = fmax(e->event.error, 0.5 * speed * speed / fall_of(e, x));
  e->report.jumps++;
}

/* Those that are lost are at rest from now on. */
static perp_status find_lost(engine *e, int first, perp_info *info) {
  int known = 0;
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    x->inelastic = x->kicked = 0;
    if (!first || !opens_at_zero(e, k)) continue;
    if (!known && find_accelerations(e) != 0) return perp_engine_plant_fail(e, info);
    known = 1;
    x->inelastic = x->kicked = is_lost(e, x);
    if (x->kicked) cut_off(e, x);
  }
  return PERP_OK;
}

static void add(engine *e, int32_t k) {
  const element *x = &e->elements[k];
  event_problem *p = &e->problem;
  if (perp_impact_holds(x))
    perp_event_problem_add(p, k, x->row, 1, &p->equality.law);
  else if (x->kind == ELEMENT_FRICTION)
    perp_event_problem_add(p, k, x->row, x->size, x->law);
  else if (x->kind == ELEMENT_CONTACT)
    perp_event_problem_add(p, k, x->row, 1, &p->complementarity.law);
  else /* finite bounds are no impulses */
    perp_event_problem_add_box(p, k, x->row, isinf(x->lower) ? -INFINITY : 0,
                               isinf(x->upper) ? INFINITY : 0);
}

/* The parts of what takes part in which something is hit: no impulse reaches the others. */
static perp_status collect(engine *e) {
  const perp_status status = perp_event_problem_begin(&e->problem, (int32_t)e->p.rows);
  int32_t n = 0;
  if (status != PERP_OK) return status;
  for (int32_t k = 0; k < e->n_elements; k++)
    if (takes_part(e, &e->elements[k])) e->members[n++] = k;
  const int32_t parts = perp_element_parts(e, n);
  for (int32_t part = 0; part < parts; part++) {
    int hit = 0;
    for (int32_t k = e->part[part]; k < e->part[part + 1]; k++) {
      const element *x = &e->elements[e->members[k]];
      hit = hit || x->kicked || is_hit(e, x);
    }
    if (!hit) continue;
    perp_event_problem_part(&e->problem);
    for (int32_t k = e->part[part]; k < e->part[part + 1]; k++) add(e, e->members[k]);
  }
  perp_event_problem_end(&e->problem);
  return PERP_OK;
}

/* M := H M⁻¹Hᵀ over the rows of each part. */
static void assemble(engine *e) {
  event_problem *p = &e->problem;
  double *M = p->M;
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  for (int32_t k = 0; k < p->parts; k++) {
    const event_part x = perp_event_problem_take(p, k, &M);
    double *entry = x.M;
    for (int32_t c = x.first; c < x.first + x.n; c++) {
      const plant_interaction *at = problem_home(e, c);
      perp_plant_add_gain(at, p->row[c], 1, e->dw);
      for (int32_t r = x.first; r < x.first + x.n; r++)
        *entry++ = perp_plant_row(problem_home(e, r), p->row[r], e->dw);
      for (int32_t j = 0; j < at->n; j++) e->dw[at->column[j]] = 0;
    }
  }
}

/* q := ẏ⁻ + what the laws add. */
static perp_status restitution(engine *e, perp_info *info) {
  event_problem *p = &e->problem;
  for (int32_t k = 0; k < p->n; k++) {
    const element *x = &e->elements[p->element[k]];
    const plant_interaction *at = problem_home(e, k);
    const perp_law *law = at->law;
    const int32_t first = p->row[k] / law->size * law->size;
    const double *ydot = at->ydot + first, *y = at->y + first;
    double *added = e->problem_bounds;
    p->q[k] = at->ydot[p->row[k]];
    /* a contact that opens already is not asked to come back */
    if (x->inelastic || (x->kind != ELEMENT_EQUALITY && at->ydot[x->row] > 0)) continue;
    memset(added, 0, (size_t)law->size * sizeof *added);
    if (law->ops->map_step != NULL) {
      memset(added + law->size, 0, (size_t)law->size * sizeof *added);
      const perp_law_step step = {e->t, 0, y, ydot, added + law->size};
      if (law->ops->map_step(law, NULL, &step, added) != 0)
        return fail(info, PERP_ECALLBACK, "law", perp_element_number(e, x), 0);
    } else if (law->ops->map != NULL) {
      law->ops->map(law, NULL, ydot, added);
    }
    p->q[k] += added[p->row[k] - first];
  }
  return PERP_OK;
}

static perp_status solve(engine *e, perp_info *info) {
  if (e->options.impact != PERP_IMPACT_LAW) return perp_impact_multiple(e, info);
  perp_status status = restitution(e, info);
  if (status != PERP_OK) return perp_engine_fail(e, status, "an impact law gave up", info);
  e->report.problems++;
  status =
      perp_event_problem_solve(&e->problem, e->options.solver, e->options.solver_options, info);
  return status == PERP_OK
             ? PERP_OK
             : perp_engine_fail(e, status, "the problem of an impact was not solved", info);
}

/* v⁺, impulses, values at the new velocities. */
static perp_status apply(engine *e, perp_info *info) {
  const event_problem *p = &e->problem;
  double *w = e->Y + e->p.n_q;
  for (int32_t k = 0; k < p->n; k++) {
    const plant_interaction *at = problem_home(e, k);
    const double impulse = p->lambda[k];
    const double *G = at->G + (size_t)p->row[k] * (size_t)at->n;
    if (impulse == 0) continue;
    for (int32_t j = 0; j < at->n; j++) w[at->column[j]] += impulse * G[j];
    e->impulse[at->row0 + (size_t)p->row[k]] += impulse;
  }
  return perp_engine_values(e, info);
}

/* A contact whose impacts follow each other faster and faster, and whose next flight stays below
 * what may be cut off: it closes. Intervals shrink as the speeds do, each to ratio times the one
 * before, so the rest takes interval ratio/(1 − ratio), and the next flight rises to ẏ⁺ times a
 * quarter of its length. So it is with one that rocks: it lands, then it is kicked off by the
 * landing of its neighbour. What brings it back must be the forces: neighbours in a row that throw
 * each other to and fro also follow each other fast, with all of their energy. One of two corners
 * may be kicked for ever by the other, in flights that do not shrink: as many of them as MAX_FLAT,
 * each so slow that forces would end it below what may be cut off, end the sequence, too. */
static int accumulates(engine *e, int32_t k) {
  element *x = &e->elements[k];
  const double speed = perp_element_speed(e, x);
  if (x->inelastic || speed <= x->rest) return 0;
  if (e->options.zeno == PERP_ZENO_STOP) return 0;
  const double ratio = speed / x->last_speed; /* that of the next interval to this one */
  const double next = ratio * x->last_interval, rise = 0.25 * speed * next;
  const double limit = negligible(e, x);
  x->flat = speed * speed <= 2 * x->fall * limit ? x->flat + 1 : 0;
  const int shrinks = x->streak >= 3 && x->falls && ratio < 1 && rise <= limit;
  if (!shrinks && x->flat < MAX_FLAT) return 0;
  x->inelastic = 1;
  e->event.kinds |= PERP_EVENT_ACCUMULATION;
  e->event.error = fmax(e->event.error, rise);
  if (ratio < 1) e->event.until = fmax(e->event.until, e->t + next / (1 - ratio));
  return 1;
}

/* Note the impact of an element, once per event; ẇ as it was before. A flight that forces have
 * ended takes 2 ẏ⁻/|ÿ|: with at most twice that acceleration the energy that a cut takes away is
 * what they do along twice the excursion, and no more. */
static void remember(engine *e, element *x) {
  x->last_speed = -perp_element_speed(e, x);
  const double interval = e->t - x->last_impact;
  const double fall = fall_of(e, x);
  x->fall = fall;
  if (!(interval > 0)) {
    if (isnan(x->last_impact)) x->last_impact = e->t;
    return;
  }
  x->streak = interval < x->last_interval ? x->streak + 1 : 0;
  x->falls = x->last_speed > 0 && x->last_speed <= fall * interval;
  x->last_interval = interval;
  x->last_impact = e->t;
}

/* What is left of a velocity that the impact has moved by so much more is the rounding of that, or
 * what its problem was solved to: the contact is at rest, or it would bounce on in these. */
static void rest_after(engine *e) {
  const event_problem *p = &e->problem;
  double *M = p->M;
  for (int32_t k = 0; k < p->parts; k++) {
    const event_part x = perp_event_problem_take(p, k, &M);
    for (int32_t r = 0; r < x.n; r++) {
      double moved = 0;
      for (int32_t c = 0; c < x.n; c++)
        moved += fabs(x.M[(size_t)r + (size_t)c * (size_t)x.n] * p->lambda[x.first + c]);
      element *at = &e->elements[p->element[x.first + r]];
      at->rest = fmax(at->rest, kAtRest * moved);
    }
  }
}

perp_status perp_impact(engine *e, int first, int *jumped, perp_info *info) {
  int any = 0;
  perp_status status = perp_engine_values(e, info);
  if (status == PERP_OK) perp_element_round(e);
  if (status == PERP_OK) status = find_lost(e, first, info);
  for (int32_t k = 0; k < e->n_elements && status == PERP_OK; k++) {
    const element *x = &e->elements[k];
    any = any || (x->kind != ELEMENT_OUTPUT && takes_part(e, x) && (x->kicked || is_hit(e, x)));
  }
  if (status != PERP_OK || !any) return status;
  status = perp_engine_gains(e, info);
  if (status != PERP_OK) return status;
  if (collect(e) != PERP_OK) return perp_engine_fail(e, PERP_EBACKEND, "no memory", info);
  assemble(e);
  memcpy(e->save_w, e->Y + e->p.n_q, e->p.n_w * sizeof *e->save_w);
  if (find_accelerations(e) != 0) return perp_engine_plant_fail(e, info);
  status = solve(e, info);
  if (status != PERP_OK) return status;
  for (int32_t k = 0; k < e->problem.n; k++) {
    element *x = &e->elements[e->problem.element[k]];
    if (e->problem.row[k] != x->row || x->kind == ELEMENT_EQUALITY) continue;
    x->kicked = perp_impact_holds(x) || /* lost: it is so when the impact is done once more, too */
                (e->problem.lambda[k] == 0 && perp_element_speed(e, x) <= e->options.velocity_tol);
    if (e->problem.lambda[k] > 0) remember(e, x), e->report.impacts++;
  }
  status = apply(e, info);
  rest_after(e);
  *jumped = 1;
  int cut = 0;
  for (int32_t k = 0; k < e->problem.n && status == PERP_OK; k++)
    if (e->problem.lambda[k] > 0 || e->elements[e->problem.element[k]].kicked)
      cut = accumulates(e, e->problem.element[k]) || cut;
  if (!cut) return status;
  /* once more, without restitution and kicks where the sequence ends */
  memcpy(e->Y + e->p.n_q, e->save_w, e->p.n_w * sizeof *e->save_w);
  memset(e->impulse, 0, e->p.rows * sizeof *e->impulse);
  status = perp_engine_values(e, info);
  if (status == PERP_OK) status = perp_engine_gains(e, info);
  if (status == PERP_OK) status = collect(e);
  if (status == PERP_OK) assemble(e);
  if (status == PERP_OK) status = solve(e, info);
  if (status == PERP_OK) status = apply(e, info);
  e->report.jumps++;
  return status;
}
