/* SPDX-License-Identifier: MIT */
/* The driver of many steps. */
#include "base/info.h"
#include "stepping/layout.h"

static perp_status run(perp_simulation *sim, int32_t steps, double until, perp_step_fn observe,
                       void *user, perp_info *info) {
  for (int32_t k = 0; (steps == 0 || k < steps) && sim->head->t < until; k += steps != 0) {
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
