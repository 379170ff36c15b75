/* SPDX-License-Identifier: MIT */
/* The one-step problem of contacts and interactions,
 *   v = v_free + W⁻¹ Hᵀ λ + G ν,   (u, λ) in the laws of contacts,   (ẏ, ν) in those of
 * interactions, by turns: contacts are swept against velocities that ν is in, then the problem of
 * the interactions is solved for the velocities that λ is in, island by island as in a model
 * without a pool. Turns alone contract by M / (M + m) where a light link m carries M, so the ν that
 * contacts are swept against is mixed from the last few. A turn ends when ν is the answer to λ, and
 * the contacts are judged there: both hold at the same velocities. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "stepping/pool_joined.h"
#include "stepping/stages.h"

/* Contacts are swept to this part of the residual that the turn began with, and no further than so
 * many sweeps: what lies beyond depends on ν. */
#define PART 0.1
enum { SWEEPS = 64 };

static const double *of_body(const perp_simulation *sim, int32_t b, size_t *v0) {
  const int32_t j = sim->pool->swept->set.number[b];
  const system_run *run = &sim->runs.systems[sim->runs.of[j]];
  *v0 = run->v0 + (size_t)(j - run->first) * (size_t)run->n;
  return sim->step.free_v + *v0;
}

/* step.free_v := v_free + G ν, and so the free velocities of the bodies of contacts. */
static perp_status release(perp_simulation *sim, const double *nu, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  const joined_pool *j = sim->pool->swept->joined;
  double *own = sim->problem.lambda;
  for (int32_t i = 0; i < sim->problem.rows; i++)
    j->total[i] = nu[i] + (sim->problem.preload != NULL ? sim->problem.preload[i] : 0);
  for (int32_t i = 0; i < sim->problem.rows; i++) j->rows[sim->problem.row_id[i]] = j->total[i];
  memcpy(sim->step.free_v, sim->iterate.base_v, sim->state.n_v * sizeof *sim->step.free_v);
  sim->problem.lambda = j->total;
  const perp_status status = perp_reaction_apply(sim, info);
  sim->problem.lambda = own;
  for (int32_t i = 0; i < j->n_bodies; i++) {
    size_t v0;
    const double *v = of_body(sim, j->bodies[i], &v0);
    perp_pool_swept_look(sim, set->number[j->bodies[i]], v, set->free + 6 * (size_t)j->bodies[i]);
  }
  return status;
}

/* The largest of |G||ν| in the translations of a body of contacts: what its velocity is made of,
 * and so what the residual of contacts is relative to. */
static double size_of(const perp_simulation *sim) {
  const swept_set *set = &sim->pool->swept->set;
  const joined_pool *j = sim->pool->swept->joined;
  double largest = 0;
  for (int32_t i = 0; i < j->n_bodies; i++) {
    const int32_t *start = sim->runs.incidence_start + set->number[j->bodies[i]];
    double size[3] = {0};
    for (int32_t e = start[0]; e < start[1]; e++) {
      const struct incidence *in = &sim->runs.incidence[e];
      const interaction_run *run = &sim->runs.interactions[in->run];
      const slot *at = &run->slots[in->slot];
      const size_t k = (size_t)in->k, m = (size_t)run->m, ld = (size_t)run->n_gain;
      if (!live_acts(sim, run, k)) continue;
      const double *G = run->G + k * run->G_step + at->gain, *nu = j->rows + run->row0 + k * m;
      for (size_t r = 0; r < m; r++, G += ld)
        for (int32_t c = 0; c < 3 && c < at->n; c++) size[c] += fabs(G[c] * nu[r]);
    }
    for (int32_t c = 0; c < 3; c++) largest = live_worse(largest, size[c]);
  }
  return largest;
}

/* ν for the impulses of the contacts. */
static perp_status solve_interactions(perp_simulation *sim, double h, perp_info *info) {
  const swept_set *set = &sim->pool->swept->set;
  const joined_pool *j = sim->pool->swept->joined;
  memcpy(sim->step.free_v, sim->iterate.base_v, sim->state.n_v * sizeof *sim->step.free_v);
  for (int32_t i = 0; i < j->n_bodies; i++) {
    const int32_t b = j->bodies[i], number = set->number[b];
    const int32_t n = sim->runs.systems[sim->runs.of[number]].n;
    const double *v = set->bodies[b].v, *free = set->free + 6 * (size_t)b;
    double pushed[6], turned[6] = {0};
    size_t v0;
    (void)of_body(sim, b, &v0);
    for (int32_t c = 0; c < 6; c++) pushed[c] = v[c] - free[c];
    perp_pool_swept_turn(sim, number, pushed, turned);
    for (int32_t c = 0; c < n; c++) sim->step.free_v[v0 + (size_t)c] += turned[c];
  }
  sim->counts.accepted = 0; /* of the last turn, as are those that failed */
  perp_status status = perp_reaction_rhs(sim, h, info);
  if (status == PERP_OK) status = perp_reaction_solve(sim, info);
  return status;
}

static double wanted(const swept_options *o, const swept_outcome *out) {
  return o->speed_tol > o->tol * out->scale ? o->speed_tol : o->tol * out->scale;
}

static void judge(perp_simulation *sim, swept_outcome *out) {
  const double size = size_of(sim);
  perp_swept_judge(&sim->pool->swept->set, out);
  out->scale = live_worse(out->scale, size);
}

/* One turn, the residual of the one before in out. */
static perp_status turn(perp_simulation *sim, double h, const swept_options *o, swept_outcome *out,
                        perp_status *contacts, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  const int32_t before = out->sweeps;
  swept_options part = {o->max_sweeps - before, 0, wanted(o, out), 0};
  if (part.speed_tol < PART * out->residual) part.speed_tol = PART * out->residual;
  if (part.max_sweeps > SWEEPS) part.max_sweeps = SWEEPS;
  *contacts = perp_swept_solve(set, &part, out);
  const int32_t sweeps = before + out->sweeps;

  if (*contacts == PERP_ENOTFINITE) return PERP_OK;
  perp_status status = solve_interactions(sim, h, info);
  if (status == PERP_OK) status = release(sim, sim->problem.lambda, info);
  if (status != PERP_OK) return status;
  judge(sim, out);
  out->sweeps = sweeps;
  if (out->residual <= wanted(o, out))
    *contacts = PERP_OK;
  else
    *contacts = out->residual <= DBL_MAX ? PERP_MAX_ITER : PERP_ENOTFINITE;
  return PERP_OK;
}

static perp_status take_turns(perp_simulation *sim, double h, const swept_options *o,
                              swept_outcome *out, perp_status *contacts, perp_info *info) {
  joined_pool *j = sim->pool->swept->joined;
  const size_t bytes = (size_t)sim->problem.rows * sizeof(double);
  double best = DBL_MAX;
  perp_mixing_begin(&j->mix, sim->problem.rows);
  memcpy(j->from, sim->problem.lambda, bytes);
  for (;;) {
    sim->counts.report.failures = j->failures; /* of the last turn */
    const perp_status status = turn(sim, h, o, out, contacts, info);
    if (status != PERP_OK || *contacts != PERP_MAX_ITER || out->sweeps >= o->max_sweeps)
      return status;
    const int worse = out->residual > 2 * best;
    if (out->residual < best) best = out->residual;
    if (worse) { /* laws have switched */
      perp_mixing_begin(&j->mix, sim->problem.rows);
      best = out->residual;
      memcpy(j->from, sim->problem.lambda, bytes);
      continue; /* the contacts see ν as it is */
    }
    perp_mixing_next(&j->mix, sim->problem.weight, sim->problem.lambda, j->from);
    const perp_status released = release(sim, j->from, info);
    if (released != PERP_OK) return released;
  }
}

perp_status perp_pool_joined_solve(perp_simulation *sim, double h, int first,
                                   const swept_options *o, swept_outcome *out,
                                   perp_status *contacts, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  joined_pool *j = sim->pool->swept->joined;
  perp_status status = PERP_OK;
  j->failures = sim->counts.report.failures;
  *contacts = PERP_OK;
  memset(out, 0, sizeof *out);
  out->worst = -1;
  memcpy(sim->iterate.base_v, sim->step.free_v, sim->state.n_v * sizeof *sim->step.free_v);
  if (sim->active.n > 0 || (first && j->changed)) {
    perp_delassus_assemble(sim);
    perp_contact_assemble(sim);
  }
  if (sim->active.n > 0) {
    if (j->n_bodies > 0) perp_swept_judge(set, out); /* velocities that λ of before is in */
    status = solve_interactions(sim, h, info);
    if (status == PERP_OK) status = release(sim, sim->problem.lambda, info);
  }
  if (status != PERP_OK || set->n_contacts == 0) return status;
  if (sim->active.n == 0 || j->n_bodies == 0) {
    *contacts = perp_swept_solve(set, o, out);
    return PERP_OK;
  }
  judge(sim, out);
  return take_turns(sim, h, o, out, contacts, info);
}
