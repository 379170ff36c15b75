/* SPDX-License-Identifier: MIT */
/* From one point of the grid to the next, in parts where a step is not solved; and many steps. */
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "stepping/grid.h"
#include "stepping/pool_places.h"
#include "stepping/stages.h"

/* An honest ending that a shorter step may change. */
static int may_retry(perp_status status) { return status > 0 && status != PERP_STOPPED; }

/* Between the state and its backup. */
static void copy_state(perp_simulation *sim, int back) {
  if (sim->pool != NULL)
    sim->pool->stage->backup(sim, back);
  else
    memcpy(back ? (void *)sim->state.head : sim->state.backup,
           back ? sim->state.backup : (void *)sim->state.head, sim->state.bytes);
}

/* Back to the state in backup; the report forgets what was undone, but not that it failed. */
static void undo(perp_simulation *sim, const perp_report *before) {
  const perp_report failed = sim->counts.report;
  copy_state(sim, 1);
  sim->counts.report = *before;
  sim->counts.report.failures = failed.failures;
  sim->counts.report.retries = failed.retries;
  sim->counts.report.left_out = failed.left_out;
  sim->state.moderate = 0;
  sim->active.assembled = 0; /* for what acted in a part that was undone */
  if (sim->pool != NULL)     /* it was believed before */
    (void)sim->pool->stage->recall(sim, sim->pool->backup_count, NULL);
  perp_contact_recall(sim);
}

/* The way from t to t_next in 2^level equal parts, for growing level, from the state in backup. */
static perp_status halve(perp_simulation *sim, double t_next, double h, perp_status status,
                         perp_info *info) {
  double t = sim->state.head->t;
  perp_report before = sim->counts.report;
  for (int32_t level = 1; level <= sim->options.max_halvings && may_retry(status); level++) {
    int32_t parts = 1 << level;
    double part = h / parts;
    sim->counts.report.retries++;
    status = PERP_OK;
    for (int32_t i = 1; i <= parts && status == PERP_OK; i++)
      status = perp_pass(sim, i == parts ? t_next : t + i * part, part, info);
    if (status == PERP_OK) break;
    undo(sim, &before);
  }
  return status;
}

static perp_status attempt_and_halve(perp_simulation *sim, double t_next, double h,
                                     perp_info *info) {
  copy_state(sim, 0);
  const perp_status status = perp_pass(sim, t_next, h, info);
  return may_retry(status) ? halve(sim, t_next, h, status, info) : status;
}

static perp_status move_to(perp_simulation *sim, double t_next, double h, perp_info *info) {
  const int retry = sim->options.on_failure == PERP_FAILURE_RETRY;
  sim->stepping = 1;
  const perp_status status =
      retry ? attempt_and_halve(sim, t_next, h, info) : perp_pass(sim, t_next, h, info);
  sim->stepping = 0;
  return status;
}

double perp_grid_index(const perp_simulation_options *o, double k, double t) {
  if (o->grid == NULL) { /* the division leads there but for rounding */
    double guess = (t - o->t0) / o->h - 2;
    if (guess > k) k = guess < 0x1p53 ? (double)(int64_t)guess : 0x1p53;
  }
  while (k < 0x1p53 && !grid_ends(o, k) && grid_time(o, k + 1) <= t) k++;
  return k;
}

perp_status perp_simulation_step(perp_simulation *sim, perp_info *info) {
  info_clear(info);
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (sim->stepping) return fail_field(info, "step within a step", -1);
  const perp_simulation_options *o = &sim->options;
  double k = sim->state.head->step, t = sim->state.head->t;
  if (grid_ends(o, k)) return PERP_END;
  const int on_grid = t == grid_time(o, k);
  if (!on_grid) k = perp_grid_index(o, k, t);
  if (!on_grid && grid_ends(o, k)) return PERP_END;
  double t_next = grid_time(o, k + 1);
  double h = on_grid && o->grid == NULL ? o->h : t_next - t;
  if (!(h > 0 && t_next > t)) return fail(info, PERP_EINVAL, "t", -1, t); /* t + h rounds to t */
  perp_status status = move_to(sim, t_next, h, info);
  if (status == PERP_OK) sim->state.head->step = k + 1;
  return status;
}

perp_status perp_simulation_advance(perp_simulation *sim, double h, perp_info *info) {
  info_clear(info);
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (sim->stepping) return fail_field(info, "step within a step", -1);
  if (!is_finite(h)) return fail(info, PERP_ENOTFINITE, "h", -1, h);
  if (!(h > 0)) return fail(info, PERP_EINVAL, "h", -1, h);
  double t = sim->state.head->t;
  if (!(t + h > t)) return fail(info, PERP_EINVAL, "h", -1, h); /* too short to be seen */
  return move_to(sim, t + h, h, info);
}

/* ----------------------------------------------------------------------- many steps ---- */

static perp_status run(perp_simulation *sim, int32_t steps, double until, perp_step_fn observe,
                       void *user, perp_info *info) {
  for (int32_t k = 0; (steps == 0 || k < steps) && sim->state.head->t < until; k += steps != 0) {
    const perp_status status = perp_simulation_step(sim, info);
    if (status != PERP_OK) return status;
    const int32_t answer = observe != NULL ? observe(sim, user) : 0;
    if (answer < 0) return fail(info, PERP_ECALLBACK, "observe", -1, answer);
    if (answer > 0) return PERP_STOPPED;
  }
  return PERP_OK;
}

perp_status perp_simulation_run(perp_simulation *sim, int32_t steps, double until,
                                perp_step_fn observe, void *user, perp_info *info) {
  info_clear(info);
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (steps < 0) return fail(info, PERP_EINVAL, "steps", -1, steps);
  if (until != until) return fail(info, PERP_ENOTFINITE, "until", -1, until);
  const int endless = sim->options.grid == NULL && sim->options.steps == 0;
  if (steps == 0 && observe == NULL && endless && until - until != 0)
    return fail(info, PERP_EINVAL, "steps", -1, 0); /* nothing would end it */
  sim->running++;
  const perp_status status = run(sim, steps, until, observe, user, info);
  sim->running--;
  return status;
}
