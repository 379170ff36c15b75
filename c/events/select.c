/* SPDX-License-Identifier: MIT */
/* The next mode of order 2: the laws' own problem between accelerations and forces over the
 * contacts that are closed and at rest (I2),  ÿ = H M⁻¹Hᵀ λ + H ẇ + γ.  A contact at rest in its
 * tangent plane obeys Coulomb's law between ÿ and λ; one that slips has the force −μ λ_n d along
 * its velocity. Where the solution does not tell which of two modes follows (a force that has just
 * come to its bound), the problem is solved once more, a little later along the motion. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"

static const double kDegenerate = 1e-9;

enum { MEMBER_FREE, MEMBER_REST, MEMBER_SLIP };

/* ‖ẏ_t‖ at the point. */
static double tangential_speed(engine *e, const element *x) {
  const double *ydot = e->p.interactions[x->interaction].ydot + x->row;
  return x->size == 2 ? fabs(ydot[1]) : sqrt(ydot[1] * ydot[1] + ydot[2] * ydot[2]);
}

/* States that need no problem: open contacts, boxes with a velocity. Returns how the element enters
 * the problem. */
static int member(engine *e, element *x) {
  const double tol = x->rest;
  const double speed = perp_element_speed(e, x);
  switch (x->kind) {
    case ELEMENT_EQUALITY:
      return MEMBER_REST;
    case ELEMENT_BOX:
      if (fabs(speed) <= tol) return MEMBER_REST;
      x->state = speed > 0 ? PERP_CONTACT_LOWER : PERP_CONTACT_UPPER;
      return MEMBER_FREE;
    default:
      if ((perp_element_gap(e, x) > e->options.contact_tol &&
           !perp_element_has_fired(e, (int32_t)(x - e->elements))) ||
          speed > tol) {
        x->state = PERP_CONTACT_OPEN;
        return MEMBER_FREE;
      }
      if (x->kind == ELEMENT_CONTACT || x->mu == 0) return MEMBER_REST;
      return tangential_speed(e, x) > tol ? MEMBER_SLIP : MEMBER_REST;
  }
}

static void set_direction(engine *e, element *x) {
  const double *ydot = e->p.interactions[x->interaction].ydot + x->row;
  const double length = tangential_speed(e, x);
  x->d[0] = ydot[1] / length;
  x->d[1] = x->size == 3 ? ydot[2] / length : 0;
}

static void add_member(engine *e, int32_t k) {
  const element *x = &e->elements[k];
  event_problem *p = &e->problem;
  if (x->asked == MEMBER_SLIP) {
    perp_event_problem_add(p, k, x->row, 1, &p->complementarity.law);
    p->direction[2 * (p->n - 1)] = x->d[0];
    p->direction[2 * (p->n - 1) + 1] = x->d[1];
  } else if (x->kind == ELEMENT_FRICTION && x->mu > 0) {
    perp_event_problem_add(p, k, x->row, x->size, x->law);
  } else if (x->kind == ELEMENT_CONTACT || x->kind == ELEMENT_FRICTION) {
    perp_event_problem_add(p, k, x->row, 1, &p->complementarity.law);
  } else {
    perp_event_problem_add_box(p, k, x->row, x->lower, x->upper);
  }
}

/* The members of the problem, from velocities at (t, Y). */
static perp_status collect(engine *e, perp_info *info) {
  perp_status status = perp_event_problem_begin(&e->problem, (int32_t)e->p.rows);
  int32_t n = 0;
  if (status != PERP_OK) return perp_engine_no_memory(e, info);
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    x->asked = x->kind == ELEMENT_OUTPUT ? MEMBER_FREE : member(e, x);
    if (x->asked == MEMBER_SLIP) set_direction(e, x);
    if (x->asked == MEMBER_FREE) continue;
    e->members[n++] = k;
  }
  if (n > 0) status = perp_engine_gains(e, info);
  if (status != PERP_OK) return status;
  const int32_t parts = perp_element_parts(e, n);
  for (int32_t part = 0; part < parts; part++) {
    perp_event_problem_part(&e->problem);
    for (int32_t k = e->part[part]; k < e->part[part + 1]; k++) add_member(e, e->members[k]);
  }
  perp_event_problem_end(&e->problem);
  return PERP_OK;
}

/* dw += a times the column of row k of e->problem, with what follows it in its direction. */
static void add_column(engine *e, int32_t k, double a, double *dw) {
  const event_problem *p = &e->problem;
  const plant_interaction *at = problem_home(e, k);
  const element *x = &e->elements[p->element[k]];
  const double *d = &p->direction[2 * k];
  perp_plant_add_gain(at, p->row[k], a, dw);
  for (int32_t r = 1; r < x->size && r <= 2; r++)
    if (d[r - 1] != 0) perp_plant_add_gain(at, p->row[k] + r, -x->mu * d[r - 1] * a, dw);
}

event_part perp_problem_matrix(engine *e, int32_t k, double **M) {
  const event_problem *p = &e->problem;
  const event_part part = perp_event_problem_take(p, k, M);
  double *entry = part.M;
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  for (int32_t c = part.first; c < part.first + part.n; c++) {
    add_column(e, c, 1, e->dw);
    for (int32_t r = part.first; r < part.first + part.n; r++)
      *entry++ = perp_plant_row(problem_home(e, r), p->row[r], e->dw);
    perp_plant_clear(problem_home(e, c), e->dw);
  }
  return part;
}

/* M and q of part k. */
static void assemble_part(engine *e, int32_t k, double **M) {
  event_problem *p = &e->problem;
  const event_part part = perp_problem_matrix(e, k, M);
  for (int32_t c = part.first; c < part.first + part.n; c++) {
    const plant_interaction *at = problem_home(e, c);
    p->q[c] = perp_plant_row(at, p->row[c], e->wdot) + at->gamma[p->row[c]];
    p->diagonal[c] = part.M[(size_t)(c - part.first) * ((size_t)part.n + 1)];
  }
}

/* wdot := free + forces of boxes at their bounds; M, q of the problem at the plant's point. */
static int32_t assemble(engine *e) {
  event_problem *p = &e->problem;
  int32_t code = 0;
  memcpy(e->wdot, e->p.free, e->p.n_w * sizeof *e->wdot);
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    if (e->p.interactions[i].order == 2)
      code = perp_plant_need(&e->p, i, PLANT_VALUES | PLANT_GAIN | PLANT_BIAS);
  for (int32_t k = 0; k < e->n_elements && code == 0; k++) {
    const element *x = &e->elements[k];
    if (x->kind != ELEMENT_BOX) continue;
    const double force = x->state == PERP_CONTACT_LOWER   ? x->lower
                         : x->state == PERP_CONTACT_UPPER ? x->upper
                                                          : 0;
    if (x->asked == 0 && !isinf(force) && force != 0)
      perp_plant_add_gain(&e->p.interactions[x->interaction], x->row, force, e->wdot);
  }
  double *M = p->M;
  for (int32_t k = 0; k < p->parts && code == 0; k++) assemble_part(e, k, &M);
  return code;
}

/* Whether the force of row k, of a contact that slips, pushes it in by more than it holds: then
 * with a free acceleration away from 0 there are two modes, and towards 0 there is none (Painlevé).
 */
static int pushes_in(const event_problem *p, int32_t k) {
  const int slips = p->direction[2 * k] != 0 || p->direction[2 * k + 1] != 0;
  return slips && p->diagonal[k] < 0;
}

/* The part that was not solved, by its first contact that is pushed in, or its first row. */
static perp_status unsolved(engine *e, perp_status status, perp_info *info) {
  const event_problem *p = &e->problem;
  int32_t row = p->part[p->solved];
  while (row < p->part[p->solved + 1] && !pushes_in(p, row)) row++;
  const int paradox = row < p->part[p->solved + 1];
  const element *x = &e->elements[p->element[paradox ? row : p->part[p->solved]]];
  char what[160];
  (void)snprintf(what, sizeof what, "the next mode of copy %d of interaction %d was not found%s",
                 x->copy, perp_element_number(e, x),
                 paradox ? ", which slips while its friction pushes it in (Painlevé)" : "");
  (void)fail_interaction(info, status, "mode", perp_element_number(e, x), e->t);
  return perp_engine_fail(e, status, what);
}

static perp_status solve(engine *e, perp_info *info) {
  if (assemble(e) != 0) return perp_engine_plant_fail(e, info);
  e->report.problems++;
  const perp_status status =
      perp_event_problem_solve(&e->problem, e->options.solver, e->options.solver_options, info);
  return status == PERP_OK ? PERP_OK : unsolved(e, status, info);
}

/* -1: the first is larger, 1: the second, 0: neither is more than tiny. */
static int compare(double first, double second, double tiny) {
  if (!(fmax(first, second) > tiny)) return 0;
  return first >= second ? -1 : 1;
}

/* Friction at rest with a force: stick, or slip against it. */
static int tangent_state(element *x, const double *lambda, const double *y, double weight,
                         double tiny) {
  const double l1 = lambda[1], l2 = x->size == 3 ? lambda[2] : 0;
  const double y1 = y[1], y2 = x->size == 3 ? y[2] : 0;
  const double force = sqrt(l1 * l1 + l2 * l2), speed = sqrt(y1 * y1 + y2 * y2);
  const int which = compare(weight * (x->mu * lambda[0] - force), speed, tiny);
  x->state = which <= 0 ? PERP_CONTACT_STICK : PERP_CONTACT_SLIP;
  if (which > 0) {
    x->d[0] = force > 0 ? -l1 / force : y1 / speed;
    x->d[1] = force > 0 ? -l2 / force : y2 / speed;
    if (x->size == 2) x->d[0] = x->d[0] > 0 ? 1 : -1;
  }
  return which == 0;
}

/* States from the solution; returns how many it does not decide. */
static int classify(engine *e, double threshold) {
  event_problem *p = &e->problem;
  const size_t n = (size_t)p->n;
  const double tiny = threshold * largest_of(n, p->q);
  int open = 0;
  for (size_t k = 0; k < n;) {
    element *x = &e->elements[p->element[k]];
    const double weight = fabs(p->diagonal[k]), y = p->y[k], lambda = p->lambda[k];
    const size_t rows = k + 1 < n && p->element[k + 1] == p->element[k] ? (size_t)x->size : 1;
    if (x->kind == ELEMENT_BOX) {
      const int low = compare(weight * (lambda - x->lower), y, tiny);
      const int high = compare(weight * (x->upper - lambda), -y, tiny);
      x->state = low > 0    ? PERP_CONTACT_LOWER
                 : high > 0 ? PERP_CONTACT_UPPER
                            : PERP_CONTACT_BETWEEN;
      open += low == 0 || high == 0;
    } else if (x->kind != ELEMENT_EQUALITY) {
      const int which = compare(weight * lambda, y, tiny);
      open += which == 0;
      if (which >= 0)
        x->state = PERP_CONTACT_TOUCH;
      else if (rows > 1)
        open += tangent_state(x, &p->lambda[k], &p->y[k], fabs(p->diagonal[k + 1]), tiny);
      else
        x->state =
            x->kind == ELEMENT_FRICTION && x->mu > 0 ? PERP_CONTACT_SLIP : PERP_CONTACT_CLOSED;
    } else {
      x->state = PERP_CONTACT_BETWEEN;
    }
    k += rows;
  }
  return open;
}

/* trial := Y a time delta later, with the forces found. */
static void move_on(engine *e, double delta) {
  for (int32_t k = 0; k < e->problem.n; k++) add_column(e, k, e->problem.lambda[k], e->wdot);
  perp_plant_rate(&e->p, e->wdot, e->Ydot);
  for (size_t k = 0; k < e->p.n; k++) e->trial[k] = e->Y[k] + delta * e->Ydot[k];
}

/* A time in which the motion changes by little. */
static double little(const engine *e) {
  const double size = largest_of(e->p.n, e->Y), speed = largest_of(e->p.n_w, e->p.free);
  const double own = speed > 0 ? 1e-4 * fmax(size, 1e-3) / speed : 1e-4;
  const double step = e->last_h > 0 ? 1e-3 * e->last_h : own;
  return fmax(fmin(step, own), 1e5 * DBL_EPSILON * fabs(e->t));
}

perp_status perp_select(engine *e, perp_info *info) {
  perp_status status = perp_engine_values(e, info);
  if (status != PERP_OK) return status;
  status = collect(e, info);
  if (status != PERP_OK) return status;
  if (e->problem.n == 0) return PERP_OK;
  status = solve(e, info);
  if (status != PERP_OK) return status;
  int pushed = 0;
  for (int32_t k = 0; k < e->problem.n; k++) pushed = pushed || pushes_in(&e->problem, k);
  e->report.indeterminate += pushed;
  if (classify(e, kDegenerate) == 0) return PERP_OK;
  const double delta = little(e);
  move_on(e, delta);
  if (perp_plant_at(&e->p, e->t + delta, e->trial) != 0) return perp_engine_plant_fail(e, info);
  status = solve(e, info);
  if (status != PERP_OK) return status;
  (void)classify(e, 1e-3 * kDegenerate);
  return perp_plant_at(&e->p, e->t, e->Y) == 0 ? PERP_OK : perp_engine_plant_fail(e, info);
}
