/* SPDX-License-Identifier: MIT */
/* The problem of an impact, over the contacts that are closed (I1), the equalities, and one-sided
 * velocities:  ẏ⁺ = ẏ⁻ + H M⁻¹Hᵀ p,  each law between ẏ⁺ + what it adds (restitution) and p. */
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"

static const double kAtRest = 1e-12; /* of what an impact has moved a velocity by */

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

/* Whether a gap has come to 0 though its velocity opens it: the motion's error is more than its
 * flight, which would end so again and again. */
static int is_lost(engine *e, int32_t k) {
  const element *x = &e->elements[k];
  return x->holonomic && x->kind != ELEMENT_BOX && perp_element_has_fired(e, k) &&
         perp_element_speed(e, x) > x->rest;
}

static void add_hit(engine *e, int32_t k) {
  const element *x = &e->elements[k];
  event_problem *p = &e->problem;
  if (x->kind == ELEMENT_EQUALITY)
    perp_event_problem_add(p, k, x->row, 1, &p->equality.law);
  else if (x->kind == ELEMENT_FRICTION)
    perp_event_problem_add(p, k, x->row, x->size, x->law);
  else if (x->kind == ELEMENT_CONTACT)
    perp_event_problem_add(p, k, x->row, 1, &p->complementarity.law);
  else /* finite bounds are no impulses */
    perp_event_problem_add_box(p, k, x->row, isinf(x->lower) ? -INFINITY : 0,
                               isinf(x->upper) ? INFINITY : 0);
}

/* The parts of what takes part in which something is hit, or lost: no impulse reaches the others.
 */
static perp_status collect(engine *e, int lost) {
  const perp_status status = perp_event_problem_begin(&e->problem, (int32_t)e->p.rows);
  int32_t n = 0;
  if (status != PERP_OK) return status;
  for (int32_t k = 0; k < e->n_elements; k++)
    if (takes_part(e, &e->elements[k])) e->members[n++] = k;
  const int32_t parts = perp_element_parts(e, n);
  for (int32_t part = 0; part < parts; part++) {
    int hit = 0;
    for (int32_t k = e->part[part]; k < e->part[part + 1]; k++) {
      const int32_t member = e->members[k];
      hit = hit || is_hit(e, &e->elements[member]) || (lost && is_lost(e, member));
    }
    if (!hit) continue;
    perp_event_problem_part(&e->problem);
    for (int32_t k = e->part[part]; k < e->part[part + 1]; k++) add_hit(e, e->members[k]);
  }
  perp_event_problem_end(&e->problem);
  return PERP_OK;
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
    if (x->kind != ELEMENT_EQUALITY && at->ydot[x->row] > 0) continue;
    memset(added, 0, (size_t)law->size * sizeof *added);
    if (law->ops->restitute_step != NULL) {
      memset(added + law->size, 0, (size_t)law->size * sizeof *added);
      const perp_law_step step = {e->t, 0, y, ydot, added + law->size};
      const int32_t code = law->ops->restitute_step(law, NULL, &step, added);
      if (code != 0)
        return fail_interaction(info, code < 0 ? PERP_ECALLBACK : PERP_RETRY, "law",
                                perp_element_number(e, x), code);
    } else if (law->ops->restitute != NULL) {
      law->ops->restitute(law, NULL, ydot, added);
    }
    p->q[k] += added[p->row[k] - first];
  }
  return PERP_OK;
}

static perp_status solve(engine *e, perp_info *info) {
  if (e->options.impact != PERP_IMPACT_LAW) return perp_impact_multiple(e, info);
  perp_status status = restitution(e, info);
  if (status != PERP_OK) return perp_engine_fail(e, status, "an impact law gave up");
  e->report.problems++;
  status =
      perp_event_problem_solve(&e->problem, e->options.solver, e->options.solver_options, info);
  if (status == PERP_OK) return PERP_OK;
  perp_engine_unsolved(e, status, "impact", info);
  return perp_engine_fail(e, status, "the problem of an impact was not solved");
}

/* v⁺, impulses, values at the new velocities. */
static perp_status apply(engine *e, perp_info *info) {
  const event_problem *p = &e->problem;
  double *w = e->Y + e->p.n_q;
  for (int32_t k = 0; k < p->n; k++) {
    if (p->lambda[k] == 0) continue;
    perp_plant_add_gain(problem_home(e, k), p->row[k], p->lambda[k], w);
    e->impulse[problem_home(e, k)->row0 + (size_t)p->row[k]] += p->lambda[k];
  }
  return perp_engine_values(e, info);
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

/* Who was hit, and how fast. */
static void remember(engine *e) {
  for (int32_t k = 0; k < e->problem.n; k++) {
    element *x = &e->elements[e->problem.element[k]];
    if (e->problem.row[k] != x->row || x->kind == ELEMENT_EQUALITY) continue;
    x->hit = -perp_element_speed(e, x);
    e->report.impacts += e->problem.lambda[k] > 0;
  }
}

/* The impulses at the plant's point. */
static perp_status strike(engine *e, perp_info *info) {
  perp_status status = solve(e, info);
  if (status != PERP_OK) return status;
  remember(e);
  status = apply(e, info);
  rest_after(e);
  return status;
}

perp_status perp_impact(engine *e, int first, int *jumped, perp_info *info) {
  int hit = 0, lost = 0, rests = 0;
  perp_status status = perp_engine_values(e, info);
  if (status != PERP_OK) return status;
  perp_element_round(e);
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    hit = hit || (x->kind != ELEMENT_OUTPUT && takes_part(e, x) && is_hit(e, x));
    lost = lost || (first && is_lost(e, k));
  }
  if (!hit && !lost) return PERP_OK;
  status = perp_engine_gains(e, info);
  if (status != PERP_OK) return status;
  if (collect(e, lost) != PERP_OK) return perp_engine_no_memory(e, info);
  double *M = e->problem.M;
  for (int32_t k = 0; k < e->problem.parts; k++) (void)perp_problem_matrix(e, k, &M);
  if (hit) status = strike(e, info);
  if (status == PERP_OK && perp_accumulation(e, &rests) != 0)
    return perp_engine_plant_fail(e, info);
  *jumped = *jumped || hit || rests;
  return status == PERP_OK && rests ? perp_engine_values(e, info) : status;
}
