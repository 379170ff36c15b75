/* SPDX-License-Identifier: MIT */
/* What surrounds the one-step problem of interactions beside a swept pool (pool_joined.h). */
#include "stepping/pool_joined.h"

#include <math.h>
#include <string.h>

#include "stepping/layout_parts.h"
#include "stepping/stages.h"

/* ---- memory ---- */

static void carve(arena *a, const perp_model *model, const perp_simulation_options *o,
                  const layout_sizes *sizes, perp_simulation *sim) {
  const size_t rows = (size_t)sizes->graph.rows + 1, n = (size_t)sizes->largest_n;
  joined_pool local, *placed = arena_take(a, 1, sizeof *placed);
  joined_pool *j = placed != NULL ? placed : &local;
  memset(j, 0, sizeof *j);
  j->bodies = arena_take(a, (size_t)model->n_systems, sizeof *j->bodies);
  j->from = layout_doubles(a, rows);
  j->total = layout_doubles(a, rows);
  j->rows = layout_doubles(a, rows);
  j->load = layout_doubles(a, n);
  j->size = layout_doubles(a, n);
  perp_mixing_carve(&j->mix, a, rows);
  sim->iterate.lambda = layout_doubles(a, rows);
  sim->iterate.from_lambda = layout_doubles(a, rows);
  sim->iterate.from_v = layout_doubles(a, sizes->n_v);
  sim->iterate.base_v = layout_doubles(a, sizes->n_v);
  sim->iterate.gather_v = layout_doubles(a, sizes->joined_v);
  sim->active.acts = arena_take(a, (size_t)sizes->graph.units + 1, 1);
  if (o->projection != PERP_PROJECT_NONE) {
    perp_projection_carve(a, model, sizes, sim);
    j->weight = layout_doubles(a, rows);
  }
  if (placed != NULL) sim->pool->swept->joined = placed;
}

/* ---- begin and end of a simulation ---- */

static perp_status begin(perp_simulation *sim, double t, double h, perp_info *info) {
  if (!sim->iterate.given) perp_initial_values(sim, sim->iterate.q, sim->iterate.v);
  sim->iterate.starting = 1;
  memset(sim->iterate.lambda, 0, sim->state.rows * sizeof *sim->iterate.lambda);
  memset(sim->active.acts, 0, (size_t)sim->runs.units);
  const perp_status status = perp_live_relations(sim, t, h, 1, info);
  sim->iterate.starting = 0;
  return status;
}

static void outputs(perp_simulation *sim) { perp_stage_live.outputs(sim); }

static perp_status resume(perp_simulation *sim, perp_info *info) {
  (void)sim;
  (void)info;
  return PERP_OK; /* masses are those of the pool's recall */
}

/* ---- a step ---- */

void perp_pool_joined_share(perp_simulation *sim) {
  joined_pool *j = sim->pool->swept->joined;
  const swept_set *set = &sim->pool->swept->set;
  j->n_bodies = 0;
  for (int32_t b = 0; b < set->n_bodies; b++) {
    const int32_t *start = sim->runs.incidence_start + set->number[b];
    if (start[1] > start[0]) j->bodies[j->n_bodies++] = b;
  }
}

perp_status perp_pool_joined_begin(perp_simulation *sim, double t_next, double h, perp_info *info) {
  joined_pool *j = sim->pool->swept->joined;
  perp_status status = PERP_OK;
  if (sim->runs.h != h) status = perp_discretise(sim, h, info);
  if (status == PERP_OK && sim->runs.have_parameters) status = perp_motion_offsets(sim, info);
  if (status != PERP_OK) return status;
  j->changed = perp_contact_predict(sim, h);
  j->changed |= !sim->active.assembled;
  sim->active.assembled = 0; /* until the step is accepted */
  sim->counts.relaxed = 0;
  memset(sim->active.acts, 0, (size_t)sim->runs.units);
  for (int32_t u = 0; u < sim->active.n; u++) sim->active.acts[sim->active.acting[u]] = 1;
  perp_pool_joined_share(sim);
  memcpy(sim->iterate.lambda, sim->state.lambda, sim->state.rows * sizeof *sim->iterate.lambda);
  status = perp_live_relations(sim, t_next, h, 0, info);
  perp_live_hold(sim);
  return status;
}

perp_status perp_pool_joined_gain(perp_simulation *sim, const system_run *window, perp_info *info) {
  const int32_t *start = sim->runs.incidence_start + window->first;
  for (int32_t i = start[0]; i < start[1]; i++) {
    const struct incidence *in = &sim->runs.incidence[i];
    const interaction_run *run = &sim->runs.interactions[in->run];
    const slot *at = &run->slots[in->slot];
    const size_t m = (size_t)run->m, k = (size_t)in->k, ld = (size_t)run->n_gain;
    if (!sim->pool->swept->joined->all && !live_acts(sim, run, k)) continue;
    const double *H = run->at.H + k * m * (size_t)run->n + m * (size_t)at->column;
    double *G = run->G + k * run->G_step + (size_t)at->gain;
    for (size_t c = 0; c < (size_t)at->n; c++)
      for (size_t r = 0; r < m; r++) G[c + ld * r] = H[r + m * c];
    const perp_status status = perp_discretise_solve(sim, window, 0, run->m, G, run->n_gain);
    if (status != PERP_OK)
      return fail_interaction(info, status, "H W^-1 B", run->first + in->k, sim->runs.h);
  }
  return PERP_OK;
}

void perp_pool_joined_leave(perp_simulation *sim) {
  memcpy(sim->iterate.from_v, sim->iterate.v, sim->state.n_v * sizeof *sim->iterate.v);
  memcpy(sim->iterate.from_lambda, sim->iterate.lambda,
         sim->state.rows * sizeof *sim->iterate.lambda);
}

void perp_pool_joined_keep(perp_simulation *sim) {
  memset(sim->iterate.lambda, 0, sim->state.rows * sizeof *sim->iterate.lambda);
  for (int32_t i = 0; sim->active.n > 0 && i < sim->problem.rows; i++)
    sim->iterate.lambda[sim->problem.row_id[i]] =
        sim->problem.lambda[i] + (sim->problem.preload != NULL ? sim->problem.preload[i] : 0);
  perp_live_keep(sim);
}

/* ---- defects ---- */

int perp_pool_joined_load(const perp_simulation *sim, int32_t j, int32_t n) {
  const joined_pool *joined = sim->pool->swept->joined;
  const int32_t *start = sim->runs.incidence_start + j;
  int any = 0;
  memset(joined->load, 0, (size_t)n * sizeof *joined->load);
  memset(joined->size, 0, (size_t)n * sizeof *joined->size);
  for (int32_t i = start[0]; i < start[1]; i++) {
    const struct incidence *in = &sim->runs.incidence[i];
    const interaction_run *run = &sim->runs.interactions[in->run];
    const size_t m = (size_t)run->m, k = (size_t)in->k;
    if (!live_acts(sim, run, k)) continue;
    const double *lambda = sim->iterate.lambda + run->row0 + k * m;
    const double *H = run->at.H + k * m * (size_t)run->n + m * (size_t)run->slots[in->slot].column;
    for (int32_t c = 0; c < n; c++) {
      double sum = 0;
      for (size_t r = 0; r < m; r++) sum += H[m * (size_t)c + r] * lambda[r];
      joined->load[c] += sum;
      joined->size[c] += fabs(sum);
    }
    any = 1;
  }
  return any;
}

double perp_pool_joined_defect(const perp_simulation *sim, double slack, int32_t *worst) {
  double largest = 0;
  for (int32_t r = 0; sim->active.n > 0 && r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (int32_t k = 0; k < run->count; k++) {
      if (!live_acts(sim, run, (size_t)k)) continue;
      const double own = perp_live_relation_defect(sim, run, (size_t)k, 1, slack);
      if (own <= largest) continue;
      largest = live_worse(largest, own);
      *worst = run->first + k;
    }
  }
  return largest;
}

/* ---- commit ---- */

int32_t perp_pool_joined_commit(perp_simulation *sim, int64_t *impacts) {
  const perp_report before = sim->counts.report;
  const joined_pool *j = sim->pool->swept->joined;
  if (sim->runs.have_gates && j->changed) perp_reaction_penetration(sim);
  const double deepest = sim->counts.report.penetration;
  if (sim->active.n > 0)
    memcpy(sim->step.ydot_before, sim->state.ydot, sim->state.rows * sizeof(double));
  if (sim->active.n > 0 || j->changed) perp_reaction_commit(sim);
  *impacts = (int64_t)(sim->counts.report.impacts - before.impacts);
  sim->counts.report = before; /* with the contacts, all at once */
  sim->counts.report.penetration = deepest;
  outputs(sim);
  sim->active.assembled = ASSEMBLED;
  return sim->active.n > 0 ? sim->problem.rows : 0;
}

void perp_pool_joined_finish(perp_simulation *sim) {
  if (sim->runs.have_states) perp_reaction_commit_laws(sim);
  if (sim->active.n > 0 && sim->runs.have_gates) perp_reaction_penetration(sim);
  sim->counts.report.relaxed += sim->counts.relaxed;
}

const struct live_stage perp_stage_joined = {.carve = carve,
                                             .begin = begin,
                                             .outputs = outputs,
                                             .resume = resume,
                                             .rhs = perp_live_rhs,
                                             .apply = perp_live_apply};
