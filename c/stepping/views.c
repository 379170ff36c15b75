/* SPDX-License-Identifier: MIT */
/* Looking at a simulation from outside: views into its state, energy, report. */
#include <assert.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "stepping/layout.h"

const void *perp_simulation_state(const perp_simulation *sim, size_t *bytes) {
  if (bytes != NULL) *bytes = sim == NULL ? 0 : sim->state.bytes;
  return sim == NULL ? NULL : sim->state.head;
}

double perp_simulation_time(const perp_simulation *sim) {
  return sim == NULL ? 0 : sim->state.head->t;
}

int64_t perp_simulation_step_index(const perp_simulation *sim) {
  return sim == NULL ? 0 : (int64_t)sim->state.head->step;
}

/* The run of a system, NULL for a bad index. */
static const system_run *system_of(const perp_simulation *sim, int32_t i) {
  if (sim == NULL || i < 0 || i >= sim->n_systems) return NULL;
  const system_run *run = &sim->runs.systems[sim->runs.of[i]];
  assert(run->first <= i && i < run->first + run->count);
  return run;
}

static const interaction_run *interaction_of(const perp_simulation *sim, int32_t i) {
  if (sim == NULL || i < 0 || i >= sim->n_interactions) return NULL;
  return perp_layout_run_of(sim, i, 0);
}

const interaction_run *perp_layout_run_of(const perp_simulation *sim, int32_t number, int unit) {
  int32_t low = 0, high = sim->runs.n_interaction_runs - 1;
  while (low < high) {
    const int32_t middle = low + (high - low + 1) / 2;
    const interaction_run *run = &sim->runs.interactions[middle];
    if ((unit ? run->unit0 : run->first) <= number)
      low = middle;
    else
      high = middle - 1;
  }
  return &sim->runs.interactions[low];
}

static const double *state_of(const perp_simulation *sim, int32_t i, int32_t order, int position) {
  const system_run *run = system_of(sim, i);
  if (run == NULL || run->order != order) return NULL;
  size_t within = (size_t)(i - run->first);
  return position ? sim->state.q + run->q0 + within * (size_t)run->n_q
                  : sim->state.v + run->v0 + within * (size_t)run->n;
}

const double *perp_simulation_q(const perp_simulation *sim, int32_t system) {
  return state_of(sim, system, 2, 1);
}

const double *perp_simulation_v(const perp_simulation *sim, int32_t system) {
  return state_of(sim, system, 2, 0);
}

const double *perp_simulation_x(const perp_simulation *sim, int32_t system) {
  return state_of(sim, system, 1, 0);
}

int32_t perp_simulation_n_q(const perp_simulation *sim, int32_t system) {
  const system_run *run = system_of(sim, system);
  return run == NULL ? 0 : run->n_q;
}

static int32_t rates_of(const perp_simulation *sim, int32_t i, int32_t order) {
  const system_run *run = system_of(sim, i);
  return run == NULL || run->order != order ? 0 : run->n;
}

int32_t perp_simulation_n_v(const perp_simulation *sim, int32_t system) {
  return rates_of(sim, system, 2);
}

int32_t perp_simulation_n_x(const perp_simulation *sim, int32_t system) {
  return rates_of(sim, system, 1);
}

int32_t perp_simulation_n_rows(const perp_simulation *sim, int32_t interaction) {
  const interaction_run *run = interaction_of(sim, interaction);
  return run == NULL ? 0 : run->m;
}

static size_t row_of(const interaction_run *run, int32_t i) {
  return run->row0 + (size_t)(i - run->first) * (size_t)run->m;
}

const double *perp_simulation_y(const perp_simulation *sim, int32_t interaction) {
  const interaction_run *run = interaction_of(sim, interaction);
  return run == NULL ? NULL : sim->state.y + row_of(run, interaction);
}

const double *perp_simulation_ydot(const perp_simulation *sim, int32_t interaction) {
  const interaction_run *run = interaction_of(sim, interaction);
  return run == NULL || run->order != 2 ? NULL : sim->state.ydot + row_of(run, interaction);
}

const double *perp_simulation_lambda(const perp_simulation *sim, int32_t interaction) {
  const interaction_run *run = interaction_of(sim, interaction);
  return run == NULL ? NULL : sim->state.lambda + row_of(run, interaction);
}

const void *perp_simulation_law_state(const perp_simulation *sim, int32_t interaction, int32_t copy,
                                      size_t *bytes) {
  const interaction_run *run = interaction_of(sim, interaction);
  if (bytes != NULL) *bytes = 0;
  if (run == NULL || copy < 0 || copy >= run->copies || run->state_bytes == 0) return NULL;
  if (bytes != NULL) *bytes = run->law->ops->state_bytes(run->law);
  int32_t unit = (interaction - run->first) * run->copies + copy;
  return sim->state.laws + run->state0 + run->state_bytes * (size_t)unit;
}

int32_t perp_simulation_level(const perp_simulation *sim, int32_t interaction) {
  const interaction_run *run = interaction_of(sim, interaction);
  if (run == NULL) return -1;
  if (run->order == 1) return PERP_LEVEL_FORCE;
  return run->two_step ? PERP_LEVEL_POSITION : PERP_LEVEL_IMPULSE;
}

perp_status perp_simulation_force(const perp_simulation *sim, int32_t interaction, double *force) {
  const interaction_run *run = interaction_of(sim, interaction);
  if (run == NULL || force == NULL) return PERP_EINVAL;
  const double *lambda = sim->state.lambda + row_of(run, interaction);
  double unit = 1;
  for (int32_t k = perp_simulation_level(sim, interaction); k > 0; k--) unit *= sim->state.head->h;
  for (int32_t r = 0; r < run->m; r++) force[r] = lambda[r] / unit;
  return PERP_OK;
}

int32_t perp_simulation_islands(const perp_simulation *sim) {
  return sim == NULL ? 0 : sim->active.n_islands;
}

perp_status perp_simulation_problem(const perp_simulation *sim, int32_t i, perp_problem *problem,
                                    const int32_t **rows) {
  if (sim == NULL || problem == NULL || i < 0 || i >= sim->active.n_islands) return PERP_EINVAL;
  if (sim->global.chosen != NULL && sim->global.chosen[i]) return PERP_EUNSUPPORTED; /* no M */
  perp_problem whole;
  perp_layout_island_problem(sim, i, &whole);
  if (perp_options_answer(problem, &whole, sizeof whole, PERP_THROUGH(perp_problem, floor)) != 0)
    return PERP_EINVAL;
  if (rows != NULL) *rows = sim->problem.row_id + sim->active.islands[i].row;
  return PERP_OK;
}

/* x . A x of an operator of a run. */
static double quadratic(const perp_simulation *sim, const perp_matrix *A, int32_t n,
                        const double *x) {
  double *Ax = sim->step.increment;
  memset(Ax, 0, (size_t)n * sizeof *Ax);
  perp_matrix_multiply_add(A, x, Ax);
  return perp_dense_dot(n, x, Ax);
}

/* Energies of a live run, of kinds that know theirs. */
static void add_energy(const perp_simulation *sim, const system_run *run, double *T, double *V) {
  const perp_system_ops *ops = run->system->ops;
  const double *q = sim->state.q + run->q0, *v = sim->state.v + run->v0;
  for (int32_t s = 0; ops->energy != NULL && s < run->count; s++, q += run->n_q, v += run->n) {
    double kinetic = 0, potential = 0;
    if (layout_is_off(sim, run->first + s)) continue;
    ops->energy(run->system, sim->state.head->t, q, v, &kinetic, &potential, sim->iterate.scratch);
    *T += kinetic;
    *V += potential;
  }
}

perp_status perp_simulation_energy(perp_simulation *sim, double *kinetic, double *potential) {
  if (sim == NULL || sim->stepping) return PERP_EINVAL; /* the scratch is in use */
  double T = 0, V = 0;
  sim->stepping = 1;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    if (run->order != 2) continue;
    const double *q = sim->state.q + run->q0, *v = sim->state.v + run->v0;
    if (run->live) {
      add_energy(sim, run, &T, &V);
      continue;
    }
    for (int32_t s = 0; s < run->count; s++, q += run->n, v += run->n) {
      if (layout_is_off(sim, run->first + s)) continue;
      T += 0.5 * quadratic(sim, &run->M, run->n, v);
      V += 0.5 * quadratic(sim, &run->K, run->n, q) - perp_dense_dot(run->n, run->constant, q);
    }
  }
  sim->stepping = 0;
  if (kinetic != NULL) *kinetic = T;
  if (potential != NULL) *potential = V;
  return is_finite(T + V) ? PERP_OK : PERP_ECALLBACK;
}

perp_status perp_simulation_report(const perp_simulation *sim, perp_report *report) {
  if (sim == NULL || report == NULL) return PERP_EINVAL;
  return perp_options_answer(report, &sim->counts.report, sizeof sim->counts.report,
                             PERP_THROUGH(perp_report, dropped));
}
