/* SPDX-License-Identifier: MIT */
/* Work of the reactions over the last step,
 *   Σ λᵀ(θ ẏ_{k+1} + (1−θ) ẏ_k)  of impulses,   Σ λᵀ(y_{k+1} − y_k)/h²  of a scheme on positions,
 * from ẏ_k that the step has kept. */
#include "stepping/layout.h"

/* Work by row `row` of a run. */
static double work_of(const perp_simulation *sim, const interaction_run *run, size_t row) {
  const double h = sim->state.head->h;
  if (sim->state.lambda[row] == 0) return 0; /* what did not act has kept nothing */
  if (run->two_step)
    return sim->state.lambda[row] * (sim->state.y[row] - sim->state.y_before[row]) / (h * h);
  const double theta = run->slots[0].run->theta;
  return sim->state.lambda[row] *
         (theta * sim->state.ydot[row] + (1 - theta) * sim->step.ydot_before[row]);
}

/* Whether row r of an interaction is one along which its law slides or rolls. */
static int is_tangential(const interaction_run *run, int32_t r) {
  const int32_t set = run->law->ops->set;
  return (set == PERP_SET_CONE || set == PERP_SET_ROLLING) && r % run->size != 0;
}

static void add(const perp_simulation *sim, const interaction_run *run, int32_t k, double *work,
                double *tangential) {
  const size_t row = run->row0 + (size_t)k * (size_t)run->m;
  for (int32_t r = 0; r < run->m; r++) {
    const double one = work_of(sim, run, row + (size_t)r);
    *work += one;
    if (is_tangential(run, r)) *tangential += one;
  }
}

perp_status perp_simulation_work_done(const perp_simulation *sim, int32_t interaction, double *work,
                                      double *tangential) {
  if (sim == NULL || interaction < -1 || interaction >= sim->n_interactions) return PERP_EINVAL;
  const int stepped = sim->counts.report.steps != 0;
  double all = 0, part = 0;
  for (int32_t i = 0; stepped && i < sim->runs.n_interaction_runs; i++) {
    const interaction_run *run = &sim->runs.interactions[i];
    if (run->order != 2) continue;
    for (int32_t k = 0; k < run->count; k++)
      if (interaction == -1 || interaction == run->first + k) add(sim, run, k, &all, &part);
  }
  if (work != NULL) *work = all;
  if (tangential != NULL) *tangential = part;
  return PERP_OK;
}
