/* SPDX-License-Identifier: MIT */
/* From event to event: steps of the smooth integrator, looked through for events. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/dae.h"

/* ----------------------------------------------------------------------- failures ---- */

/* Why the model refused the points that the motion has come up against: steps that only ask for
 * smaller ones, until there are none or too many, end for that reason, by whichever method. */
static perp_status reason(engine *e, perp_status status, perp_info *info) {
  const int by_model =
      e->refusal == PERP_ENOTFINITE || e->refusal == PERP_MAX_ITER || e->refusal == PERP_RETRY;
  const double gone = e->t - e->smooth_since, left = fabs(e->refused_at - e->t);
  if (!by_model || (status == PERP_MAX_ITER && !(left <= 1e-3 * gone))) return status;
  return fail_of(info, e->refused_of, e->refusal, e->refused_field, e->refused_index,
                 e->refused_value);
}

/* What the message adds where steps are short for stability, not for accuracy. */
static const char *stiff_words(engine *e) {
  const double border = e->smooth->border;
  return border > 0 && perp_stiffness(e, e->last_h) > border
             ? "; the motion is stiff there: perp_smooth_bdf() takes longer steps"
             : "";
}

static perp_status integrator_failed(engine *e, perp_status status, perp_info *info) {
  const char *words = e->smooth->message(e->integrator);
  if (status == PERP_ECALLBACK || status == PERP_RETRY || status == PERP_ENOTFINITE) {
    if (e->p.status != PERP_OK) (void)perp_engine_plant_fail(e, info);
    if (words[0] == 0) return status == PERP_ECALLBACK ? status : reason(e, status, info);
  }
  if (info_ready(info) && info->field == NULL) info->value = e->t;
  if (status == PERP_RETRY || status == PERP_ENOTFINITE || status == PERP_MAX_ITER)
    status = reason(e, status, info);
  (void)snprintf(e->message, sizeof e->message, "%s: %s%s", e->smooth->name, words,
                 status == PERP_MAX_ITER ? stiff_words(e) : "");
  return status;
}

/* ----------------------------------------------------------------------- the view ---- */

perp_status perp_engine_settle(engine *e, perp_info *info) {
  double drift;
  if (!e->has_held_positions || e->stepper != NULL) return PERP_OK;
  if (perp_drift(e, &drift) != 0) return perp_engine_plant_fail(e, info);
  if (drift <= 4 * DBL_EPSILON * largest_of(e->p.n, e->Y)) return PERP_OK;
  e->viewed = 0;
  return perp_correct(e, e->t, e->Y, &drift) == 0 ? PERP_OK : perp_engine_plant_fail(e, info);
}

/* output := the state at t within the last step. */
static perp_status between(engine *e, double t, perp_info *info) {
  double drift;
  if (e->straight) { /* save is the state at its begin */
    const double a = (t - e->begin) / (e->t - e->begin);
    for (size_t k = 0; k < e->p.n; k++) e->output[k] = (1 - a) * e->save[k] + a * e->Y[k];
    perp_plant_normalise(&e->p, e->output);
    return PERP_OK;
  }
  const perp_status status = e->smooth->interpolate(e->integrator, t, e->output);
  if (status != PERP_OK) return integrator_failed(e, status, info);
  perp_plant_normalise(&e->p, e->output);
  return !e->has_held_positions || perp_correct(e, t, e->output, &drift) == 0
             ? PERP_OK
             : perp_engine_plant_fail(e, info);
}

perp_status perp_engine_show(engine *e, double t, perp_info *info) {
  e->viewed = 0;
  const int within = t < e->t;
  const perp_status status = within ? between(e, t, info) : PERP_OK;
  e->view = within ? e->output : e->Y;
  e->view_t = within ? t : e->t;
  return status;
}

int perp_engine_look(engine *e) {
  if (e->viewed) return 1;
  int32_t code = perp_plant_at(&e->p, e->view_t, e->view);
  if (code == 0) code = perp_force(e);
  for (int32_t i = 0; i < e->p.n_interactions && code == 0; i++)
    code = perp_plant_need(&e->p, i, PLANT_VALUES);
  e->viewed = code == 0;
  return e->viewed;
}

perp_status perp_engine_cut(engine *e, double t, perp_info *info) {
  int any = 1;
  if (!(t < e->t)) {
    if ((e->ahead & (uint32_t)PERP_EVENT_GUARD) != 0 && perp_guard_again(e, &any) != 0)
      return perp_engine_plant_fail(e, info);
    if (!any) e->ahead = 0;
    return PERP_OK;
  }
  const perp_status status = perp_engine_show(e, t, info);
  if (status != PERP_OK) return status;
  e->ahead = 0;
  memcpy(e->Y, e->output, e->p.n * sizeof *e->Y);
  e->t = t;
  e->running = 0;
  return e->straight ? perp_handover_again(e, info) : PERP_OK;
}

/* -------------------------------------------------------------------- end of steps ---- */

/* Put the end of a step back on what is held once it has drifted off: a one-step method at once,
 * the others, for which it is a new start, where the drift comes to what they may be wrong by. */
static perp_status keep_on_constraints(engine *e, perp_info *info) {
  double size = 0, least = HUGE_VAL;
  if (e->n_held == 0 && e->first.n == 0) return PERP_OK;
  for (size_t k = 0; k < e->p.n; k++) {
    size = fmax(size, fabs(e->Y[k]));
    least = fmin(least, e->atol[k]);
  }
  const double allowed = e->smooth->one_step ? fmax(4 * DBL_EPSILON * size, 1e-2 * least)
                                             : 1e4 * (least + e->options.rtol * size);
  double first = 0, drift;
  if (!perp_dae_holds_outputs(e) && perp_first_order_drift(e, &first) != 0)
    return perp_engine_plant_fail(e, info);
  if (perp_drift(e, &drift) != 0) return perp_engine_plant_fail(e, info);
  drift = fmax(drift, first);
  e->report.drift = fmax(e->report.drift, drift);
  if ((e->smooth->dae ? first : drift) <= allowed) return PERP_OK;
  double seen;
  if (perp_correct(e, e->t, e->Y, &seen) != 0 || perp_first_order_correct(e) != 0)
    return perp_engine_plant_fail(e, info);
  e->report.corrections++;
  e->running = 0;
  return PERP_OK;
}

/* Contacts at the end of a step: TOUCH becomes OPEN once it has left; the direction of slip in
 * space follows the velocity, as what it is measured against in the next step. */
static perp_status follow_contacts(engine *e, perp_info *info) {
  int any = 0;
  for (int32_t k = 0; k < e->n_elements; k++)
    any = any || e->elements[k].state == PERP_CONTACT_TOUCH ||
          (e->elements[k].state == PERP_CONTACT_SLIP && e->elements[k].size == 3);
  const perp_status status = any ? perp_engine_values(e, info) : PERP_OK;
  if (!any || status != PERP_OK) return status;
  for (int32_t k = 0; k < e->n_elements; k++) {
    element *x = &e->elements[k];
    const double gap = x->holonomic ? perp_element_gap(e, x) : perp_element_speed(e, x);
    const double tol = x->holonomic ? e->slack : e->options.velocity_tol;
    if (x->state == PERP_CONTACT_TOUCH && gap > 4 * tol) {
      x->state = PERP_CONTACT_OPEN;
      const size_t guard = GUARDS_PER_ELEMENT * (size_t)k;
      e->g[guard] = gap;
      e->fresh[guard] = 0;
    }
    if (x->state == PERP_CONTACT_SLIP && x->size == 3) {
      const double *ydot = e->p.interactions[x->interaction].ydot + x->row;
      const double speed = sqrt(ydot[1] * ydot[1] + ydot[2] * ydot[2]);
      if (!(speed > e->options.velocity_tol)) continue;
      x->d[0] = ydot[1] / speed, x->d[1] = ydot[2] / speed;
      e->g[GUARDS_PER_ELEMENT * k + 1] = speed;
    }
  }
  return PERP_OK;
}

perp_status perp_engine_arrive(engine *e, int64_t outputs, perp_info *info) {
  perp_status status = PERP_OK;
  if (e->outputs != outputs) e->outputs = outputs, e->steps_alone = 0;
  if (e->stepper == NULL) {
    status = follow_contacts(e, info);
    if (status == PERP_OK) {
      perp_plant_normalise(&e->p, e->Y);
      status = keep_on_constraints(e, info);
    }
  }
  if (status != PERP_OK || ++e->steps_alone <= e->options.max_steps) return status;
  (void)fail(info, PERP_MAX_ITER, "max_steps", -1, e->t);
  status = reason(e, PERP_MAX_ITER, info);
  (void)snprintf(e->message, sizeof e->message,
                 "%d steps since the last event or output, at t = %.17g%s", e->options.max_steps,
                 e->t, status == PERP_MAX_ITER ? stiff_words(e) : "");
  return status;
}

/* ------------------------------------------------------------------------- a step ---- */

/* Back to the begin of the step that was tried. */
static perp_status step_back(engine *e, double begin, perp_status status) {
  memcpy(e->Y, e->save, e->p.n * sizeof *e->save);
  e->t = begin;
  e->running = 0;
  return status;
}

/* Outputs of the step before the event at *t, if one was found: one that would show a gap inside an
 * obstacle is an event that was passed, and is come back to. */
static int32_t check_outputs(engine *e, output_times o, double begin, double end, int32_t found,
                             double *t) {
  if (found < 0) return found;
  for (;; o.next++) {
    const double at = next_output(&o);
    if (!(at < (found == LOCATE_NOTHING ? end : *t))) return found;
    if (!(at > begin)) continue;
    const int32_t passed = perp_locate_again(e, begin, end, at, t);
    if (passed != LOCATE_NOTHING) return passed;
  }
}

/* One step of time-stepping, which may give back. */
static perp_status step_in_crowd(engine *e, double stop, double scheduled, perp_info *info) {
  int returns;
  const perp_status status = perp_handover_step(e, stop, scheduled, &returns, info);
  e->straight = 1;
  e->ahead = returns ? PERP_EVENT_RETURN : 0;
  return status;
}

perp_status perp_engine_step(engine *e, double stop, double scheduled, const output_times *o,
                             perp_info *info) {
  double begin = e->t, end = e->t, t;
  perp_status status = PERP_OK;
  e->begin = begin;
  if (e->stepper != NULL) return step_in_crowd(e, stop, scheduled, info);
  e->p.limit = scheduled;
  if (!e->running) status = perp_engine_restart(e, info);
  if (status != PERP_OK) return status;
  memcpy(e->save, e->Y, e->p.n * sizeof *e->save);
  e->p.status = PERP_OK;
  e->straight = 0;
  status = e->smooth->step(e->integrator, stop, &begin, &end, e->Y);
  if (status != PERP_OK) return integrator_failed(e, step_back(e, begin, status), info);
  int32_t found = perp_locate(e, begin, end, e->Y, &t);
  found = check_outputs(e, *o, begin, end, found, &t);
  if (found < 0) return step_back(e, begin, perp_engine_plant_fail(e, info));
  if (end < stop || !(e->last_h > 0)) e->last_h = end - begin;
  status = perp_go_to(e, begin, end, scheduled, found, t);
  if (status != PERP_OK) return integrator_failed(e, step_back(e, begin, status), info);
  e->ahead = found == LOCATE_EVENT ? PERP_EVENT_GUARD : 0;
  return PERP_OK;
}
