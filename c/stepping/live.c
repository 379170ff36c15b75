/* SPDX-License-Identifier: MIT */
/* The stages of a live step as newton_passes.c calls them (live.h): linearisation, initial values,
 * commit; and the table of them. */
#include <string.h>

#include "stepping/live.h"
#include "stepping/state_component.h"

perp_status perp_live_linearise(perp_simulation *sim, double t_next, double h, int again,
                                perp_info *info) {
  perp_status status = PERP_OK;
  if (live_keeps_free(sim))
    memcpy(sim->step.free_v, sim->iterate.base_v, sim->state.n_v * sizeof *sim->step.free_v);
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    for (size_t s = 0; status == PERP_OK && run->live && s < (size_t)run->count; s++)
      if (!layout_is_off(sim, run->first + (int32_t)s))
        status = perp_live_system_linearise(sim, run, s, t_next, h, info);
  }
  if (status == PERP_OK && again) status = perp_live_geometric(sim, t_next, h, info);
  if (status == PERP_OK && sim->components.of != NULL) perp_component_begin(sim);
  for (int32_t r = 0; status == PERP_OK && r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; status == PERP_OK && run->live && run->order == 1 && k < (size_t)run->count;
         k++)
      if (!layout_rests(sim, run, (int32_t)k)) status = perp_live_relation_load(sim, run, k);
    if (status != PERP_OK) return fail_system(info, status, "W^-1 a", run->first, h);
  }
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    for (int32_t s = 0; status == PERP_OK && run->live && s < run->count; s++)
      if (!layout_is_off(sim, run->first + s) && live_is_alone(sim, run->first + s))
        status = perp_live_system_solve(sim, run, (size_t)s, h, info);
  }
  if (status == PERP_OK && sim->components.of != NULL) status = perp_component_solve(sim, h, info);
  const int32_t runs = sim->active.n > 0 ? sim->runs.n_interaction_runs : 0;
  for (int32_t r = 0; status == PERP_OK && r < runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (size_t k = 0; status == PERP_OK && run->live && k < (size_t)run->count; k++) {
      if (live_acts(sim, run, k)) status = perp_live_relation_gain(sim, run, k);
      if (status != PERP_OK) fail_interaction(info, status, "H W^-1 B", run->first + (int32_t)k, h);
    }
  }
  return status;
}

/* y and ẏ of the state from what was evaluated. */
static void store_outputs(perp_simulation *sim) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const size_t bytes = (size_t)run->m * (size_t)run->count * sizeof(double);
    if (!run->live) continue;
    memcpy(sim->state.y + run->row0, run->order == 2 ? run->at.y : run->at.ydot, bytes);
    if (run->order == 2) memcpy(sim->state.ydot + run->row0, run->at.ydot, bytes);
  }
}

static void commit(perp_simulation *sim) {
  if (sim->state.q_before != NULL) {
    memcpy(sim->state.q_before, sim->state.q, sim->state.n_q * sizeof *sim->state.q);
    memcpy(sim->state.y_before, sim->state.y, sim->state.rows * sizeof *sim->state.y);
  }
  memcpy(sim->state.q, sim->iterate.q, sim->state.n_q * sizeof *sim->state.q);
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    if (!run->live) continue;
    memcpy(sim->state.v + run->v0, sim->iterate.v + run->v0, run->size * sizeof *sim->state.v);
  }
  store_outputs(sim);
}

/* The positions before the initial ones, q_0 − h v_0, and the y there. */
static perp_status begin_positions(perp_simulation *sim, double t, double h, perp_info *info) {
  double *first = sim->iterate.q;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    const size_t positions = (size_t)run->n_q * (size_t)run->count;
    if (sim->iterate.given) break;
    memcpy(sim->iterate.last_q + run->q0, first + run->q0, positions * sizeof *first);
    for (size_t i = 0; run->two_step && i < positions; i++)
      sim->iterate.last_q[run->q0 + i] -= h * sim->iterate.v[run->v0 + i];
  }
  sim->iterate.q = sim->iterate.last_q;
  const perp_status status = perp_live_relations(sim, t - h, h, 1, info);
  sim->iterate.q = first;
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const size_t rows = (size_t)run->m * (size_t)run->count;
    if (run->two_step) memcpy(sim->iterate.last_y + run->row0, run->at.y, rows * sizeof(double));
  }
  return status;
}

static perp_status begin(perp_simulation *sim, double t, double h, perp_info *info) {
  if (!sim->iterate.given) perp_initial_values(sim, sim->iterate.q, sim->iterate.v);
  sim->iterate.starting = 1;
  memset(sim->iterate.lambda, 0, sim->state.rows * sizeof *sim->iterate.lambda);
  memset(sim->active.acts, 0, (size_t)sim->runs.units);
  perp_status status = perp_live_masses(sim, sim->iterate.q, t, info);
  if (status == PERP_OK && sim->iterate.last_q != NULL) status = begin_positions(sim, t, h, info);
  if (status == PERP_OK) status = perp_live_relations(sim, t, h, 1, info);
  sim->iterate.starting = 0;
  return status;
}

static void outputs(perp_simulation *sim) {
  store_outputs(sim);
  if (sim->state.q_before == NULL) return;
  memcpy(sim->state.q_before, sim->iterate.last_q, sim->state.n_q * sizeof *sim->state.q_before);
  for (size_t i = 0; i < sim->state.rows; i++) sim->state.y_before[i] = sim->state.y[i];
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const size_t rows = (size_t)run->m * (size_t)run->count;
    if (run->two_step)
      memcpy(sim->state.y_before + run->row0, sim->iterate.last_y + run->row0,
             rows * sizeof(double));
  }
}

static perp_status resume(perp_simulation *sim, perp_info *info) {
  return perp_live_masses(sim, sim->state.q, sim->state.head->t, info);
}

const struct live_stage perp_stage_live = {.check_positions = perp_live_check_positions,
                                           .check_projection = perp_projection_check,
                                           .carve = perp_live_carve,
                                           .carve_system = perp_live_carve_system,
                                           .carve_interaction = perp_live_carve_interaction,
                                           .begin = begin,
                                           .outputs = outputs,
                                           .resume = resume,
                                           .step = perp_newton,
                                           .commit = commit,
                                           .rhs = perp_live_rhs,
                                           .apply = perp_live_apply};
