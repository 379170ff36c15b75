/* SPDX-License-Identifier: MIT */
/* What a step of swept contacts has come to: of each contact found its force, whether it acted and
 * its gap at the end, then the state as it is next. */
#include <string.h>

#include "model/rotation.h"
#include "stepping/pool_joined.h"
#include "stepping/pool_swept.h"
#include "stepping/pool_swept_sleep.h"

/* ---- what a contact has come to ---- */

enum { ACTED = 1, BEGAN = 2 }; /* before, of those that act; BEGAN: pushes, and did not before */

/* free_v := θ v_{k+1} + (1−θ) v_k, with which gaps change: 0 of what sleeps. */
static void average(perp_simulation *sim) {
  const swept_pool *p = sim->pool->swept;
  if (p->sleep.n_awake < sim->n_systems)
    memset(sim->step.free_v, 0, sim->state.n_v * sizeof *sim->step.free_v);
  for (int32_t a = 0; a < p->sleep.n_awake; a++) {
    const swept_member at = swept_member_of(sim, swept_awake(p, a));
    for (size_t i = at.v; i < at.v + (size_t)at.run->n; i++)
      sim->step.free_v[i] =
          at.run->theta * sim->iterate.v[i] + (1 - at.run->theta) * sim->state.v[i];
  }
}

/* y_{k+1}, in place of y_k. */
static void end_gap(const perp_simulation *sim, double h, perp_pool_contact *c) {
  double mean[3];
  perp_pool_swept_approach(sim, c, c->place.a, mean);
  c->place.gap += h * dot3(c->place.normal, mean);
}

/* Of what was found only frame, point and the ground's velocity are still wanted: the tangent is
 * that of the frame, a the point, and b becomes λ, that of before for those that do not act, since
 * its place in the state may be that of another soon. */
static void digest_place(const perp_simulation *sim, const kept_contact *before,
                         const double *lambda, perp_pool_contact *c) {
  double frame[9], point[3];
  perp_pool_frame(sim->pool->pool, c, frame);
  perp_pool_point(c, point);
  memcpy(c->place.normal, frame, sizeof c->place.normal);
  memcpy(c->place.tangent, frame + 3, sizeof c->place.tangent);
  memcpy(c->place.a, point, sizeof point);
  memset(c->place.b, 0, sizeof c->place.b);
  if (lambda == NULL && before != NULL) lambda = before->lambda;
  if (lambda != NULL) memcpy(c->place.b, lambda, sizeof c->place.b);
}

/* 0: it does not act. */
static int32_t begins(const kept_contact *before, const double *lambda) {
  const int pushed = before != NULL && (before->stands & KEPT_ACTED) != 0 && before->lambda[0] > 0;
  return lambda == NULL ? 0 : lambda[0] > 0 && !pushed ? BEGAN : ACTED;
}

/* before := whether it acted. The gaps of those that did, or of all if positions are corrected. */
static void digest_contacts(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const swept_loop *loop = ctx;
  const perp_simulation *sim = loop->sim;
  swept_pool *p = sim->pool->swept;
  const int all = sim->options.projection != PERP_PROJECT_NONE;
  (void)worker;
  for (int32_t b = begin; b < end; b++) {
    swept_tally t = {0};
    for (int32_t f = b * POOL_BLOCK; f < pool_end(loop->n, b + 1); f++) {
      perp_pool_contact *c = swept_found(sim, f);
      const int32_t k = sim->pool->order[f];
      const kept_contact *before = p->before[f] >= 0 ? &p->kept[p->before[f]] : NULL;
      const double *lambda = k >= 0 ? p->set.contacts[k].lambda : NULL;
      digest_place(sim, before, lambda, c);
      p->before[f] = begins(before, lambda);
      if (k >= 0 && -c->place.gap > t.deepest) t.deepest = -c->place.gap;
      t.began += p->before[f] == BEGAN;
      if (all || k >= 0) end_gap(sim, loop->h, c);
    }
    p->tally[b] = t;
  }
}

/* All blocks of n contacts. */
static swept_tally add_up(const swept_pool *p, int32_t n) {
  swept_tally sum = {0};
  for (int32_t b = 0; b < pool_blocks(n); b++) {
    sum.began += p->tally[b].began;
    sum.rows += p->tally[b].rows;
    if (p->tally[b].deepest > sum.deepest) sum.deepest = p->tally[b].deepest;
  }
  return sum;
}

void perp_pool_swept_digest(perp_simulation *sim, double h) {
  swept_pool *p = sim->pool->swept;
  swept_loop loop = {sim, h, sim->pool->writer.count};
  average(sim);
  perp_pool_swept_see(sim, sim->step.free_v);
  pool_each(sim, loop.n, digest_contacts, &loop);
  const swept_tally sum = add_up(p, loop.n);
  p->impacts = sum.began;
  p->deepest = sum.deepest;
}

/* ---- commit ---- */

static void commit_report(perp_simulation *sim, int32_t rows) {
  const swept_pool *p = sim->pool->swept;
  perp_report *report = &sim->counts.report;
  report->active += rows;
  report->impacts += p->impacts;
  report->relaxed += p->left;
  report->solver_iterations += sim->counts.iterations;
  report->newton += sim->counts.passes;
  report->accepted += sim->counts.accepted;
  report->dropped += sim->pool->writer.dropped;
  report->residual = live_worse(report->residual, sim->counts.residual);
  report->speed_residual = live_worse(report->speed_residual, sim->counts.speed_residual);
  if (p->deepest > report->penetration) report->penetration = p->deepest;
  if (rows > report->max_active) report->max_active = rows;
  report->steps++;
}

static void keep(const perp_simulation *sim, const perp_pool_contact *c, int acted,
                 kept_contact *out) {
  double second[3], u[3];
  memset(out, 0, sizeof *out);
  memcpy(out->systems, c->systems, sizeof out->systems);
  memcpy(out->identity, c->identity, sizeof out->identity);
  memcpy(out->normal, c->place.normal, sizeof out->normal);
  memcpy(out->tangent, c->place.tangent, sizeof out->tangent);
  memcpy(out->point, c->place.a, sizeof out->point);
  memcpy(out->lambda, c->place.b, sizeof out->lambda);
  out->law = c->law;
  out->stands = acted ? KEPT_STANDS | KEPT_ACTED : KEPT_STANDS;
  out->gap = c->place.gap;
  if (!acted) return;
  perp_pool_swept_approach(sim, c, out->point, u);
  cross3(out->normal, out->tangent, second);
  out->ydot[0] = dot3(out->normal, u);
  out->ydot[1] = dot3(out->tangent, u);
  out->ydot[2] = dot3(second, u);
}

static void keep_contacts(int32_t begin, int32_t end, int32_t worker, void *ctx) {
  const swept_loop *loop = ctx;
  const perp_simulation *sim = loop->sim;
  swept_pool *p = sim->pool->swept;
  (void)worker;
  for (int32_t b = begin; b < end; b++) {
    swept_tally t = {0};
    for (int32_t f = b * POOL_BLOCK; f < pool_end(loop->n, b + 1); f++) {
      const perp_pool_contact *c = swept_found(sim, f);
      const int acted = p->before[f] != 0;
      keep(sim, c, acted, &p->kept[f]);
      if (!acted) continue;
      if (-c->place.gap > t.deepest) t.deepest = -c->place.gap;
      t.rows += sim->pool->pool->laws[c->law]->size;
    }
    p->tally[b] = t;
  }
}

/* Positions and velocities of the iterate. */
static void move(perp_simulation *sim) {
  const swept_pool *p = sim->pool->swept;
  for (int32_t a = 0; a < p->sleep.n_awake; a++) {
    const swept_member at = swept_member_of(sim, swept_awake(p, a));
    const size_t n = (size_t)at.run->n, n_q = (size_t)at.run->n_q;
    memcpy(sim->state.q + at.q, sim->iterate.q + at.q, n_q * sizeof *sim->state.q);
    memcpy(sim->state.v + at.v, sim->iterate.v + at.v, n * sizeof *sim->state.v);
  }
}

void perp_pool_swept_commit(perp_simulation *sim, double t_next, double h) {
  swept_pool *p = sim->pool->swept;
  const perp_pool_writer *w = &sim->pool->writer;
  int64_t joined = 0, rows = 0;
  if (p->joined != NULL) rows = perp_pool_joined_commit(sim, &joined);
  p->impacts += joined;
  perp_pool_sleep_leave(sim, h);
  perp_pool_swept_see(sim, sim->iterate.v);
  swept_loop loop = {sim, h, w->count};
  pool_each(sim, loop.n, keep_contacts, &loop);
  const swept_tally sum = add_up(p, loop.n);
  rows += sum.rows;
  if (sum.deepest > p->deepest) p->deepest = sum.deepest;
  if (p->count > w->count)
    memset(p->kept + w->count, 0, (size_t)(p->count - w->count) * sizeof *p->kept);
  p->count = w->count;
  move(sim);
  sim->state.head->t = t_next;
  sim->state.head->h = h;
  if (p->joined != NULL) perp_pool_joined_finish(sim);
  perp_pool_sleep_commit(sim);
  commit_report(sim, (int32_t)rows);
}
