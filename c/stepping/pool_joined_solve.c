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
  memcpy(sim->step.free_v, sim->iterate.base_v, sim->state.n_v * sizeof *sim->step.free_v);
  const perp_status status = j->half.apply(sim, nu, info);
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

/* ν for the impulses of the contacts, and velocities it is in. */
static perp_status answer(perp_simulation *sim, double h, perp_info *info) {
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
  const perp_status status = j->half.answer(sim, h, info);
  return status == PERP_OK ? release(sim, j->half.lambda, info) : status;
}

static double wanted(const swept_options *o, const swept_outcome *out) {
  return o->speed_tol > o->tol * out->scale ? o->speed_tol : o->tol * out->scale;
}

static void judge(perp_simulation *sim, swept_outcome *out) {
  const double size = size_of(sim);
  perp_swept_judge(&sim->pool->swept->set, out);
  out->scale = live_worse(out->scale, size);
}

perp_status perp_pool_joined_turn(perp_simulation *sim, double h, const swept_options *o,
                                  swept_outcome *out, perp_status *contacts, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  const int32_t before = out->sweeps;
  swept_options part = {o->max_sweeps - before, 0, wanted(o, out), o->plain};
  if (part.speed_tol < PART * out->residual) part.speed_tol = PART * out->residual;
  if (part.max_sweeps > SWEEPS) part.max_sweeps = SWEEPS;
  *contacts = perp_swept_solve(set, &part, out);
  const int32_t sweeps = before + out->sweeps;

  if (*contacts == PERP_ENOTFINITE) return PERP_OK;
  const perp_status status = answer(sim, h, info);
  if (status != PERP_OK) return status;
  judge(sim, out);
  out->sweeps = sweeps;
  if (out->residual <= wanted(o, out))
    *contacts = PERP_OK;
  else
    *contacts = out->residual <= DBL_MAX ? PERP_MAX_ITER : PERP_ENOTFINITE;
  return PERP_OK;
}

/* Whether the answer is made of terms so large that their rounding is seen: those of contacts that
 * contradict interactions grow without end where they are mixed. */
static int is_blown(const joined_half *half, const swept_options *o, const swept_outcome *out) {
  const double fine = half->fine > 0 ? half->fine : wanted(o, out);
  return !(64 * DBL_EPSILON * out->scale <= fine);
}

/* Forget all λ and ν. */
static perp_status forget(perp_simulation *sim, swept_outcome *out, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  const joined_half *half = &sim->pool->swept->joined->half;
  for (int32_t k = 0; k < set->n_contacts; k++)
    memset(set->contacts[k].lambda, 0, sizeof set->contacts[k].lambda);
  memset(half->lambda, 0, (size_t)half->n * sizeof *half->lambda);
  const perp_status status = release(sim, half->lambda, info);
  const int32_t sweeps = out->sweeps;
  judge(sim, out);
  out->sweeps = sweeps;
  return status;
}

static perp_status take_turns(perp_simulation *sim, double h, const swept_options *o,
                              swept_outcome *out, perp_status *contacts, perp_info *info) {
  joined_pool *j = sim->pool->swept->joined;
  const joined_half *half = &j->half;
  const size_t bytes = (size_t)half->n * sizeof(double);
  enum { PATIENCE = 2 * MIXING_MOST }; /* turns without a better one */
  double best = DBL_MAX, ever = DBL_MAX;
  int32_t limit = MIXING_MOST, most = limit, waited = 0;
  perp_mixing_begin(&j->mix, half->n, most);
  memcpy(j->from, half->lambda, bytes);
  for (;;) {
    sim->counts.report.failures = j->failures; /* of the last turn */
    perp_status status = perp_pool_joined_turn(sim, h, o, out, contacts, info);
    if (status != PERP_OK || *contacts != PERP_MAX_ITER || out->sweeps >= o->max_sweeps)
      return status;
    const int better = out->residual < 0.99 * ever;
    waited = better ? 0 : waited + 1;
    const int lost = limit > 0 && (waited > PATIENCE || is_blown(half, o, out));
    const int worse = lost || out->residual > 2 * best; /* laws have switched */
    if (better && most < limit) most++;
    if (out->residual < best) best = out->residual;
    if (out->residual < ever) ever = out->residual;
    if (worse) {
      if (lost) limit = most = 0; /* from the begin, without mixing */
      most /= 2;                  /* or the same switches come again and again */
      perp_mixing_begin(&j->mix, half->n, most);
      if (lost) status = forget(sim, out, info);
      if (status != PERP_OK) return status;
      best = out->residual;
      memcpy(j->from, half->lambda, bytes);
      continue; /* the contacts see ν as it is */
    }
    perp_mixing_next(&j->mix, half->weight, half->lambda, j->from);
    status = release(sim, j->from, info);
    if (status != PERP_OK) return status;
  }
}

perp_status perp_pool_joined_turns(perp_simulation *sim, double h, const joined_half *half,
                                   const swept_options *o, swept_outcome *out,
                                   perp_status *contacts, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  joined_pool *j = sim->pool->swept->joined;
  j->half = *half;
  j->failures = sim->counts.report.failures;
  *contacts = PERP_OK;
  memset(out, 0, sizeof *out);
  out->worst = -1;
  if (j->n_bodies > 0) perp_swept_judge(set, out); /* velocities that λ of before is in */
  const perp_status status = answer(sim, h, info);
  if (status != PERP_OK || set->n_contacts == 0) return status;
  if (j->n_bodies == 0) {
    *contacts = perp_swept_solve(set, o, out);
    return PERP_OK;
  }
  judge(sim, out);
  return take_turns(sim, h, o, out, contacts, info);
}

/* ---- velocities ---- */

static perp_status answer_velocities(perp_simulation *sim, double h, perp_info *info) {
  sim->counts.accepted = 0; /* of the last turn, as are those that failed */
  const perp_status status = perp_reaction_rhs(sim, h, info);
  return status == PERP_OK ? perp_reaction_solve(sim, info) : status;
}

static perp_status apply_velocities(perp_simulation *sim, const double *nu, perp_info *info) {
  const joined_pool *j = sim->pool->swept->joined;
  double *own = sim->problem.lambda;
  for (int32_t i = 0; i < sim->problem.rows; i++)
    j->total[i] = nu[i] + (sim->problem.preload != NULL ? sim->problem.preload[i] : 0);
  for (int32_t i = 0; i < sim->problem.rows; i++) j->rows[sim->problem.row_id[i]] = j->total[i];
  sim->problem.lambda = j->total;
  const perp_status status = perp_reaction_apply(sim, info);
  sim->problem.lambda = own;
  return status;
}

perp_status perp_pool_joined_solve(perp_simulation *sim, double h, int first,
                                   const swept_options *o, swept_outcome *out,
                                   perp_status *contacts, perp_info *info) {
  swept_set *set = &sim->pool->swept->set;
  const joined_pool *j = sim->pool->swept->joined;
  memcpy(sim->iterate.base_v, sim->step.free_v, sim->state.n_v * sizeof *sim->step.free_v);
  if (sim->active.n > 0 || (first && j->changed)) {
    perp_delassus_assemble(sim);
    perp_contact_assemble(sim);
  }
  if (sim->active.n > 0) {
    const joined_half half = {sim->problem.rows, sim->problem.lambda, sim->problem.weight, 0,
                              answer_velocities, apply_velocities};
    return perp_pool_joined_turns(sim, h, &half, o, out, contacts, info);
  }
  memset(out, 0, sizeof *out);
  out->worst = -1;
  *contacts = set->n_contacts > 0 ? perp_swept_solve(set, o, out) : PERP_OK;
  return PERP_OK;
}
