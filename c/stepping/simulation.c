/* SPDX-License-Identifier: MIT */
/* The begin and the end of a simulation in the caller's memory: its sizes, its state from initial
 * values or from an earlier run. */
#include "perp/simulation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/finite.h"
#include "base/info.h"
#include "base/overlap.h"
#include "stepping/grid.h"
#include "stepping/pool_places.h"
#include "stepping/stages.h"

enum { STATE_MAGIC = 0x70726570, STATE_VERSION = 1 };

size_t perp_simulation_state_size(const perp_model *model, const perp_simulation_options *options) {
  perp_simulation_options o;
  layout_sizes sizes;
  return perp_prepare(model, options, &o, &sizes, NULL) == PERP_OK ? sizes.state_bytes : 0;
}

size_t perp_simulation_work_size(const perp_model *model, const perp_simulation_options *options) {
  perp_simulation_options o;
  layout_sizes sizes;
  if (perp_prepare(model, options, &o, &sizes, NULL) != PERP_OK) return 0;
  arena a = arena_measure();
  (void)perp_layout_work(&a, model, &o, &sizes);
  return arena_bytes(&a);
}

/* ----------------------------------------------------------------------------- init ---- */

/* Over orders, sizes and connections: what decides the meaning of a state's bytes. */
static uint64_t fingerprint(const perp_model *model) {
  uint64_t hash = FINGERPRINT_BEGIN;
  fingerprint_mix(&hash, (uint64_t)model->n_systems);
  for (int32_t i = 0; i < model->n_systems; i++) {
    fingerprint_mix(&hash, (uint64_t)model->systems[i]->ops->order);
    fingerprint_mix(&hash, (uint64_t)model->systems[i]->n);
    fingerprint_mix(&hash, (uint64_t)model->systems[i]->ops->extra_q);
  }
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    fingerprint_mix(&hash, (uint64_t)inter->relation->m);
    fingerprint_mix(&hash, (uint64_t)inter->law->ops->set);
    fingerprint_mix(&hash, (uint64_t)inter->law->size);
    for (int32_t s = 0; s < inter->n_systems; s++)
      fingerprint_mix(&hash, (uint64_t)inter->systems[s]);
  }
  if (model->pool == NULL) return hash;
  fingerprint_mix(&hash, (uint64_t)model->pool->capacity);
  for (int32_t i = 0; i < model->pool->n_laws; i++) {
    fingerprint_mix(&hash, (uint64_t)model->pool->laws[i]->ops->set);
    fingerprint_mix(&hash, (uint64_t)model->pool->laws[i]->size);
  }
  return hash;
}

static void set(double *to, const double *from, size_t n) {
  if (from != NULL)
    memcpy(to, from, n * sizeof *to);
  else
    memset(to, 0, n * sizeof *to);
}

void perp_initial_values(const perp_simulation *sim, double *q, double *v) {
  const perp_model *model = sim->model;
  size_t taken[2] = {0, 0}; /* of x0, of v0 */
  set(q, model->q0, sim->state.n_q);
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    const int second = run->order == 2;
    const double *from = second ? model->v0 : model->x0;
    set(v + run->v0, from == NULL ? NULL : from + taken[second], run->size);
    taken[second] += run->size;
  }
}

static void write_initial(perp_simulation *sim) {
  const perp_model *model = sim->model;
  state_header *head = sim->state.head;
  memset(head, 0, sim->state.bytes);
  uint64_t hash = fingerprint(model), bytes = sim->state.bytes;
  head->magic = STATE_MAGIC;
  head->version = STATE_VERSION;
  head->fingerprint[0] = (uint32_t)hash;
  head->fingerprint[1] = (uint32_t)(hash >> 32);
  head->bytes[0] = (uint32_t)bytes;
  head->bytes[1] = (uint32_t)(bytes >> 32);
  head->t = grid_time(&sim->options, 0);
  head->h = grid_first_h(&sim->options);
  perp_initial_values(sim, sim->state.q, sim->state.v);
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    for (int32_t u = 0; run->law->ops->state_init != NULL && u < run->units; u++)
      run->law->ops->state_init(run->law,
                                sim->state.laws + run->state0 + run->state_bytes * (size_t)u);
  }
}

/* A joint that is open by more than a contact may be closed. */
static perp_status check_joint(const perp_simulation *sim, const interaction_run *run,
                               perp_info *info) {
  const perp_relation_ops *ops = run->relation->ops;
  if (!run->live || ops->features == NULL) return PERP_OK;
  if ((ops->features(run->relation) & PERP_RELATION_BILATERAL) == 0) return PERP_OK;
  for (int32_t k = 0; k < run->m * run->count; k++) {
    const double y = run->at.y[k];
    if (fabs(y) > fabs(sim->options.min_gap))
      return fail_interaction(info, PERP_EINVAL, "initial gap", run->first + k / run->m, y);
  }
  return PERP_OK;
}

/* Refuse penetration from the beginning, before anything is written into the state. */
static perp_status check_gaps(const perp_simulation *sim, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const perp_status open = check_joint(sim, run, info);
    if (open != PERP_OK) return open;
    for (int32_t u = 0; run->gated && u < run->units; u++) {
      double y = perp_contact_gap(run, u, sim->model->q0); /* in the order of the state's q */
      if (!(y >= sim->options.min_gap))
        return fail_interaction(info, PERP_EINVAL, "initial gap", run->first + u / run->copies, y);
    }
  }
  return PERP_OK;
}

/* Carve and compile; everything but the state's contents. */
static perp_status build(perp_simulation **out, const perp_model *model,
                         const perp_simulation_options *options, void *state, size_t state_bytes,
                         void *work, size_t work_bytes, perp_info *info) {
  perp_simulation_options o;
  layout_sizes sizes;
  if (out == NULL) return fail_field(info, "out", -1);
  *out = NULL;
  perp_status status = perp_prepare(model, options, &o, &sizes, info);
  if (status != PERP_OK) return status;
  arena a = arena_measure();
  (void)perp_layout_work(&a, model, &o, &sizes);
  const size_t need = arena_bytes(&a);
  const int32_t rows = need == 0 ? perp_layout_too_many(model, &o, &sizes) : 0;
  if (rows > 0) return fail_solver(info, o.solver->name, "solver", PERP_OF_ENTRY, -1, rows);
  if (state == NULL || (uintptr_t)state % sizeof(double) != 0) return fail_field(info, "state", -1);
  if (work == NULL) return fail_field(info, "work", -1);
  if (state_bytes < sizes.state_bytes)
    return fail(info, PERP_EWORKSPACE, "state_bytes", -1, (double)sizes.state_bytes);
  if (need == 0 || work_bytes < need)
    return fail(info, PERP_EWORKSPACE, "work_bytes", -1,
                need == 0 ? (double)INFINITY : (double)need);
  if (overlap_blocks(state, sizes.state_bytes, work, need))
    return fail_field(info, "work overlaps state", -1);
  a = arena_open(work, work_bytes);
  perp_simulation *sim = perp_layout_work(&a, model, &o, &sizes);
  assert(arena_fits(&a) && arena_bytes(&a) == need); /* one carve measures and places */
  perp_layout_state(sim, &sizes, state);
  status = perp_discretise_check_mass(sim, info);
  if (status == PERP_OK) status = perp_discretise(sim, grid_first_h(&o), info);
  if (status == PERP_OK)
    *out = sim;
  else
    perp_simulation_release(sim);
  return status;
}

/* The caller's, or gone. */
static perp_status handed(perp_simulation **out, perp_status status) {
  if (status == PERP_OK) return PERP_OK;
  perp_simulation_release(*out);
  *out = NULL;
  return status;
}

perp_status perp_simulation_init(perp_simulation **out, const perp_model *model,
                                 const perp_simulation_options *options, void *state,
                                 size_t state_bytes, void *work, size_t work_bytes,
                                 perp_info *info) {
  perp_status status = build(out, model, options, state, state_bytes, work, work_bytes, info);
  if (status != PERP_OK) return status;
  perp_simulation *sim = *out;
  status = perp_motion_offsets(sim, info);
  if (status == PERP_OK && sim->live != NULL)
    status = sim->live->begin(sim, grid_time(&sim->options, 0), grid_first_h(&sim->options), info);
  if (status == PERP_OK) status = check_gaps(sim, info);
  if (status != PERP_OK) return handed(out, status);
  write_initial(sim);
  perp_motion_outputs(sim);
  perp_motion_outputs_first(sim, 0);
  if (sim->live != NULL) sim->live->outputs(sim);
  if (sim->pool != NULL) status = sim->pool->stage->begin(sim, grid_first_h(&sim->options), info);
  return handed(out, status);
}

/* Whether the state block belongs to the model and to this version. */
static perp_status check_state(const perp_simulation *sim, perp_info *info) {
  const state_header *head = sim->state.head;
  uint64_t hash = fingerprint(sim->model), bytes = sim->state.bytes;
  if (head->magic != STATE_MAGIC) return fail(info, PERP_EINVAL, "state.magic", -1, head->magic);
  if (head->version != STATE_VERSION)
    return fail(info, PERP_EINVAL, "state.version", -1, head->version);
  if (head->fingerprint[0] != (uint32_t)hash || head->fingerprint[1] != (uint32_t)(hash >> 32) ||
      head->bytes[0] != (uint32_t)bytes || head->bytes[1] != (uint32_t)(bytes >> 32))
    return fail_field(info, "state.fingerprint", -1);
  if (!is_finite(head->h) || !(head->h > 0)) return fail(info, PERP_EINVAL, "state.h", -1, head->h);
  if (!is_finite(head->t) || !(head->step >= 0 && head->step <= 0x1p53) ||
      (sim->options.grid != NULL && head->step > sim->options.steps))
    return fail(info, PERP_EINVAL, "state.step", -1, head->step);
  return PERP_OK;
}

perp_status perp_simulation_resume(perp_simulation **out, const perp_model *model,
                                   const perp_simulation_options *options, void *state,
                                   size_t state_bytes, void *work, size_t work_bytes,
                                   perp_info *info) {
  perp_status status = build(out, model, options, state, state_bytes, work, work_bytes, info);
  if (status != PERP_OK) return status;
  perp_simulation *sim = *out;
  status = check_state(sim, info);
  if (status == PERP_OK && sim->state.off != NULL) perp_switch_recall(sim);
  if (status == PERP_OK && sim->pool != NULL)
    status = sim->pool->stage->recall(sim, sim->pool->capacity, info);
  if (status == PERP_OK && sim->live != NULL) status = sim->live->resume(sim, info);
  if (status == PERP_OK) perp_contact_recall(sim);
  return handed(out, status);
}

void perp_simulation_release(perp_simulation *sim) {
  if (sim == NULL) return;
  if (sim->sparse != NULL) sim->sparse->release(sim);
  if (sim->global.stage != NULL) sim->global.stage->release(sim);
  if (sim->pool != NULL && sim->pool->stage->release != NULL) sim->pool->stage->release(sim);
}
