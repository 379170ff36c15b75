/* SPDX-License-Identifier: MIT */
/* What happens to one component at one time: impacts, the next mode; and its record. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/info.h"
#include "events/engine.h"

enum { MAX_ROUNDS = 10 };

/* ------------------------------------------------------------------------- record ---- */

static void list_change(engine *e, uint32_t kind, int32_t k) {
  const element *x = &e->elements[k];
  const perp_event_change change = {(int32_t)kind, perp_element_number(e, x), x->copy,
                                    e->state_before[k], x->state};
  e->event.kinds |= kind;
  e->changes[e->event.n_changes++] = change; /* two of an element at most */
}

/* What a change of state is. */
static uint32_t kind_of(const element *x, int32_t before, const double *d_before) {
  const int32_t after = x->state;
  if (x->kind == ELEMENT_BOX || x->kind == ELEMENT_OUTPUT)
    return before != after ? PERP_EVENT_SWITCH : 0;
  const element old = {.state = before};
  if (is_closed(x) != is_closed(&old)) return is_closed(x) ? PERP_EVENT_CLOSE : PERP_EVENT_OPEN;
  if (after == PERP_CONTACT_STICK && before == PERP_CONTACT_SLIP) return PERP_EVENT_STICK;
  if (after == PERP_CONTACT_SLIP && before == PERP_CONTACT_STICK) return PERP_EVENT_SLIP;
  if (after == PERP_CONTACT_SLIP && before == PERP_CONTACT_SLIP &&
      x->d[0] * d_before[0] + x->d[1] * d_before[1] < 0)
    return PERP_EVENT_REVERSE;
  return 0;
}

/* What an event may have to be undone to. */
static void remember_before(engine *e, uint32_t kinds) {
  e->report_before = e->report;
  memcpy(e->fired_before, e->fired, (size_t)e->n_guards);
  memset(e->impulse, 0, e->p.rows * sizeof *e->impulse);
  memcpy(e->save, e->Y, e->p.n * sizeof *e->save);
  for (int32_t k = 0; k < e->n_elements; k++) {
    e->state_before[k] = e->elements[k].state;
    memcpy(&e->d_before[2 * k], e->elements[k].d, 2 * sizeof(double));
  }
  e->event.kinds = kinds & (uint32_t)(PERP_EVENT_START | PERP_EVENT_RETURN);
  e->event.until = e->t;
  e->event.error = 0;
  e->event.n_changes = 0;
}

static void list_changes(engine *e) {
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    const uint32_t kind = kind_of(x, e->state_before[k], &e->d_before[2 * k]);
    if (kind == 0) continue;
    list_change(e, kind, k);
    e->report.switches++;
  }
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    const double *p = e->impulse + e->p.interactions[x->interaction].row0 + x->row;
    if (p[0] != 0 && x->kind != ELEMENT_EQUALITY) list_change(e, PERP_EVENT_IMPACT, k);
  }
  if (largest_of(e->p.rows, e->impulse) > 0) e->event.kinds |= PERP_EVENT_IMPACT;
}

/* ------------------------------------------------------------------------- storms ---- */

/* Room for one time more, up to all. */
static perp_status grow(engine *e, perp_info *info) {
  const int32_t most = e->options.storm_events;
  if (e->n_times < e->room_times || e->room_times == most) return PERP_OK;
  const int32_t room = e->room_times < most / 2 ? 2 * e->room_times + 16 : most;
  const int32_t n = room < most ? room : most;
  double *more = (double *)realloc(e->times, (size_t)n * sizeof *more);
  if (more == NULL) return perp_engine_no_memory(e, info);
  e->times = more;
  e->room_times = n;
  return PERP_OK;
}

/* How long the last of them took, where that is too short. */
static double watch(engine *e) {
  const int32_t most = e->options.storm_events;
  double *oldest = &e->times[e->n_times % most];
  const double then = *oldest;
  *oldest = e->t;
  if (++e->n_times <= most) return HUGE_VAL;
  if (e->n_times >= 2 * most) e->n_times -= most;
  if (!(e->t - then < e->options.storm_time)) return HUGE_VAL;
  e->n_times = 0;
  return e->t - then;
}

/* ---------------------------------------------------------------------------- all ---- */

/* Impacts and modes until nothing jumps any more. */
static perp_status settle(engine *e, perp_info *info) {
  for (int32_t round = 0; round < MAX_ROUNDS; round++) {
    int jumped = 0;
    perp_status status =
        e->n_outputs < e->n_elements ? perp_impact(e, round == 0, &jumped, info) : PERP_OK;
    if (status == PERP_OK) status = perp_first_order_select(e, &jumped, info);
    if (status != PERP_OK || !jumped) return status;
  }
  perp_status status = fail(info, PERP_MAX_ITER, "rounds", -1, e->t);
  if (e->problem.n > 0)
    status = fail_interaction(info, status, "rounds",
                              perp_element_number(e, &e->elements[e->problem.element[0]]), e->t);
  return perp_engine_fail(e, status, "impact follows upon impact at one time");
}

/* What the force of held row k balances: the terms of H M⁻¹f + γ over its H M⁻¹Hᵀ. The forces of
 * bodies that touch in free fall are 0 but for the rounding of these. */
static double balanced(engine *e, int32_t k) {
  const plant_interaction *at = held_home(e, k);
  const int32_t row = e->held[k].row;
  double terms = fabs(at->gamma[row]);
  perp_plant_add_gain(at, row, 1, e->dw);
  const double diagonal = perp_plant_row(at, row, e->dw);
  for (int32_t j = 0; j < at->n; j++)
    terms += fabs(at->H[row + at->m * j] * e->p.free[at->column[j]]);
  perp_plant_clear(at, e->dw);
  return diagonal > 0 ? terms / diagonal : 0;
}

static void remember_forces(engine *e) {
  e->force_scale = fmax(e->force_scale, largest_of(e->p.rows, e->lambda));
  memset(e->dw, 0, e->p.n_w * sizeof *e->dw);
  for (int32_t k = 0; k < e->n_held; k++) e->force_scale = fmax(e->force_scale, balanced(e, k));
}

void perp_event_undo(engine *e, uint32_t kinds) {
  e->report = e->report_before;
  memcpy(e->fired, e->fired_before, (size_t)e->n_guards);
  memcpy(e->Y, e->save, e->p.n * sizeof *e->Y);
  for (int32_t k = 0; k < e->n_elements; k++) {
    e->elements[k].state = e->state_before[k];
    memcpy(e->elements[k].d, &e->d_before[2 * k], sizeof e->elements[k].d);
  }
  perp_element_hold(e);
  (void)perp_first_order_hold(e, NULL);
  e->running = 0;
  e->ahead |= kinds & (uint32_t)PERP_EVENT_START;
}

/* Resets must not put a contact inside another body. */
static perp_status check_resets(engine *e, perp_info *info) {
  if (memcmp(e->Y, e->save, e->p.n * sizeof *e->Y) == 0) return PERP_OK;
  const perp_status status = perp_engine_check_gaps(e, "gap", info);
  return status == PERP_EINVAL
             ? perp_engine_fail(e, status, "a reset put a contact deeper than min_gap")
             : status;
}

/* A state that was given may lie off the equalities: what touches is what does once it lies on
 * them. */
static perp_status join_up(engine *e, uint32_t kinds, perp_info *info) {
  const int starts = (kinds & (uint32_t)PERP_EVENT_START) != 0;
  if (e->p.n_q == 0 || (!starts && memcmp(e->Y, e->save, e->p.n_q * sizeof *e->Y) == 0))
    return PERP_OK;
  perp_plant_normalise(&e->p, e->Y);
  const perp_status status = perp_engine_values(e, info);
  if (status != PERP_OK) return status;
  if (perp_correct_equalities(e) != 0) return perp_engine_plant_fail(e, info);
  return perp_engine_check_gaps(e, starts ? "initial gap" : "gap", info);
}

/* The state onto what is held in the new mode, as nearly as tolerances ask. */
static perp_status put_on_constraints(engine *e, perp_info *info) {
  const perp_event_options *o = &e->options;
  double drift;
  perp_plant_normalise(&e->p, e->Y);
  if (perp_correct(e, e->t, e->Y, &drift) != 0 || perp_first_order_correct(e) != 0 ||
      perp_drift(e, &drift) != 0)
    return perp_engine_plant_fail(e, info);
  const double rounding = 64 * DBL_EPSILON * largest_of(e->p.n, e->Y);
  const double allowed = fmax(fmax(o->contact_tol, o->velocity_tol), rounding);
  if (drift > 1e3 * allowed)
    return perp_engine_fail(e, fail(info, PERP_INFEASIBLE, "constraints", -1, drift),
                            "no state satisfies all constraints");
  if (perp_plant_at(&e->p, e->t, e->Y) != 0 || perp_force(e) != 0)
    return perp_engine_plant_fail(e, info);
  return PERP_OK;
}

/* Open contacts that the smooth motion has put inside their obstacles: they are hit now. */
static perp_status count_missed(engine *e, uint32_t kinds, perp_info *info) {
  if ((kinds & (uint32_t)(PERP_EVENT_GUARD | PERP_EVENT_SCHEDULE)) == 0) return PERP_OK;
  const perp_status status = perp_engine_values(e, info);
  if (status == PERP_OK) e->report.missed += perp_locate_missed(e);
  return status;
}

perp_status perp_event_open(engine *e, uint32_t kinds, perp_info *info) {
  e->damping = 0;
  e->p.limit = HUGE_VAL;
  e->smooth_since = e->t;
  if ((e->ahead & (uint32_t)PERP_EVENT_GUARD) == 0) memset(e->fired, 0, (size_t)e->n_guards);
  remember_before(e, kinds);
  perp_status status = grow(e, info);
  if (status == PERP_OK && (kinds & (uint32_t)PERP_EVENT_RETURN) != 0)
    status = perp_handover_return(e, info);
  if (status == PERP_OK) status = count_missed(e, kinds, info);
  return status == PERP_OK ? perp_element_rest(e, info) : status;
}

perp_status perp_event_close(engine *e, uint32_t kinds, perp_info *info) {
  perp_status status = check_resets(e, info);
  if (status == PERP_OK) status = join_up(e, kinds, info);
  if (status == PERP_OK) status = settle(e, info);
  if (status == PERP_OK && e->n_outputs < e->n_elements) status = perp_select(e, info);
  if (status == PERP_OK) {
    perp_element_hold(e);
    status = put_on_constraints(e, info);
  }
  return status;
}

double perp_event_keep(engine *e) {
  remember_forces(e);
  list_changes(e);
  for (int32_t k = 0; k < e->n_elements; k++)
    e->elements[k].idle = e->event.kinds == 0 && e->fired[GUARDS_PER_ELEMENT * k] != 0;
  if ((e->event.kinds & (uint32_t)PERP_EVENT_RETURN) != 0) perp_handover_end(e);
  e->running = 0;
  e->ahead = 0;
  e->steps_alone = 0;
  return watch(e);
}
