/* SPDX-License-Identifier: MIT */
/* Systems that are switched off: they keep q and v, no force is asked for, and no interaction of
 * theirs acts. Their positions and velocities are those of the moment they were switched off,
 * whatever a step has written meanwhile. */
#include <string.h>

#include "base/info.h"
#include "stepping/pool_places.h"
#include "stepping/stages.h"

static const system_run *run_of(const perp_simulation *sim, int32_t i) {
  return &sim->runs.systems[sim->runs.of[i]];
}

/* Between the state and the frozen copies of system i. */
static void copy(perp_simulation *sim, int32_t i, int back) {
  const system_run *run = run_of(sim, i);
  const size_t within = (size_t)(i - run->first), n = (size_t)run->n, n_q = (size_t)run->n_q;
  const size_t q = run->q0 + within * n_q, v = run->v0 + within * n;
  if (n_q > 0)
    memcpy((back ? sim->state.q : sim->state.frozen_q) + q,
           (back ? sim->state.frozen_q : sim->state.q) + q, n_q * sizeof(double));
  memcpy((back ? sim->state.v : sim->state.frozen_v) + v,
         (back ? sim->state.frozen_v : sim->state.v) + v, n * sizeof(double));
}

void perp_switch_free(perp_simulation *sim) {
  for (int32_t i = 0; i < sim->n_systems; i++) {
    if (!sim->state.off[i]) continue;
    const system_run *run = run_of(sim, i);
    const size_t n = (size_t)run->n, v = run->v0 + (size_t)(i - run->first) * n;
    memcpy(sim->step.free_v + v, sim->state.v + v, n * sizeof(double));
  }
}

void perp_switch_freeze(perp_simulation *sim) {
  for (int32_t i = 0; i < sim->n_systems; i++)
    if (sim->state.off[i]) copy(sim, i, 1);
}

void perp_switch_recall(perp_simulation *sim) {
  sim->state.n_off = 0;
  for (int32_t i = 0; i < sim->n_systems; i++) {
    if (!sim->state.off[i]) continue;
    sim->state.n_off++;
    copy(sim, i, 0);
  }
}

perp_status perp_simulation_set_active(perp_simulation *sim, int32_t system, int32_t active) {
  if (sim == NULL || system < 0 || system >= sim->n_systems) return PERP_EINVAL;
  if ((active != 0 && active != 1) || sim->stepping) return PERP_EINVAL;
  if (sim->state.off == NULL) return PERP_EUNSUPPORTED;
  if (sim->state.off[system] == !active) return PERP_OK;
  if (sim->pool != NULL && sim->pool->stage->wake != NULL) sim->pool->stage->wake(sim, system);
  sim->state.off[system] = !active;
  sim->active.assembled = 0; /* other units act */
  perp_switch_recall(sim);
  return PERP_OK;
}

int32_t perp_simulation_is_active(const perp_simulation *sim, int32_t system) {
  if (sim == NULL || system < 0 || system >= sim->n_systems) return 0;
  return !layout_is_off(sim, system);
}
