/* SPDX-License-Identifier: MIT */
/* A step in which the same contacts act as in the step before, each an island that its law solves,
 * of a model in which nothing but them needs an optional stage: the stages up to the commit in one
 * walk over runs and islands, with the bits they have one after another. What turns out to be
 * another step is left to them, the state untouched. */
#include "base/finite.h"
#include "base/info.h"
#include "stepping/flat.h"
#include "stepping/stages.h"

/* A contact that acts by its gap alone, and is solved from v_free and ẏ alone. */
static int is_simple(const interaction_run *run) {
  const perp_law_ops *law = run->law->ops;
  return run->order == 2 && run->gated && run->F == NULL && run->D == NULL && run->Ga == NULL &&
         law->acts == NULL && law->preload == NULL && law->restitute_step == NULL;
}

static int fits(const perp_simulation *sim) {
  if (sim->live != NULL || sim->sparse != NULL || sim->pool != NULL || sim->global.stage != NULL)
    return 0;
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++)
    if (!is_simple(&sim->runs.interactions[r])) return 0;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++)
    if (sim->runs.systems[r].dense && sim->runs.systems[r].n >= FLAT_SMALL) return 0;
  return 1;
}

/* How many units are about to close; where each has one row all rows follow one another. */
static int32_t count_closing(const perp_simulation *sim, double gamma_h, double tol) {
  const interaction_run *run = sim->runs.interactions;
  const double *y = sim->state.y, *ydot = sim->state.ydot;
  int32_t closing = 0;
  if ((size_t)sim->runs.units == sim->state.rows) {
    for (size_t i = sim->state.rows; i > 0; i--)
      closing += flat_closes(*y++, *ydot++, gamma_h, tol);
    return closing;
  }
  for (int32_t r = sim->runs.n_interaction_runs; r > 0; r--, run++)
    for (int32_t u = run->units; u > 0; u--, y += run->size, ydot += run->size)
      closing += flat_closes(*y, *ydot, gamma_h, tol);
  return closing;
}

/* Whether the units whose gaps close are those before. */
static int same_act(const perp_simulation *sim, double h) {
  const double gamma_h = sim->options.gamma * h, tol = sim->options.gap_tol;
  const active_unit *a = sim->active.units;
  if (count_closing(sim, gamma_h, tol) != sim->active.n) return 0;
  for (int32_t i = sim->active.n; i > 0; i--, a++) {
    const size_t row = layout_unit_row(&sim->runs.interactions[a->run], a->k, a->copy);
    if (!flat_closes(sim->state.y[row], sim->state.ydot[row], gamma_h, tol)) return 0;
  }
  return 1;
}

/* free_v without reactions. */
static void move(perp_simulation *sim) {
  const system_run *run = sim->runs.systems;
  for (int32_t r = sim->runs.n_system_runs; r > 0; r--, run++) {
    const double *v = sim->state.v + run->v0, *q = sim->state.q + run->q0;
    double *out = sim->step.free_v + run->v0;
    if (run->dense)
      perp_motion_free_small(run, v, q, out);
    else
      flat_free_diagonal(run, v, q, out);
  }
}

/* Nothing acts, and v is moderate however long that lasts: v, q := v + drift, q + h (θ v⁺ + (1−θ)
 * v) at once. */
static void glide(perp_simulation *sim, double h) {
  const system_run *run = sim->runs.systems;
  for (int32_t r = sim->runs.n_system_runs; r > 0; r--, run++) {
    flat_glide(run, h * run->theta, h * (1 - run->theta), sim->state.v + run->v0,
               sim->state.q + run->q0);
  }
}

/* free_v at the end of the step; 0 where that is not for a steady step to find. */
static int react(perp_simulation *sim, perp_info *info) {
  sim->counts.residual = 0;
  for (int32_t i = 0; i < sim->active.n_islands; i++)
    if (!perp_reaction_unit(sim, &sim->active.islands[i], info)) {
      sim->active.single = 0; /* and may not be for as long as it acts */
      return 0;
    }
  return all_moderate(sim->state.n_v, sim->step.free_v);
}

static int step(perp_simulation *sim, double t_next, double h, perp_info *info) {
  if (sim->active.assembled < ASSEMBLED_STEADY || !same_act(sim, h)) return 0;
  if (sim->active.n == 0 && sim->runs.calm) {
    glide(sim, h);
  } else {
    move(sim);
    if (!react(sim, info)) return 0;
    if (sim->active.n > 0) {
      memcpy(sim->step.ydot_before, sim->state.ydot, sim->state.rows * sizeof(double));
      perp_reaction_commit_units(sim);
      if (info_ready(info)) info->iterations = 0;
    }
    for (int32_t r = 0; r < sim->runs.n_system_runs; r++)
      flat_commit_run(sim, &sim->runs.systems[r], t_next, h);
  }
  const interaction_run *run = sim->runs.interactions;
  for (int32_t r = sim->runs.n_interaction_runs; r > 0; r--, run++) flat_outputs(sim, run);
  return 1;
}

const struct steady_stage perp_stage_steady = {.fits = fits, .step = step};
