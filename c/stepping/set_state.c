/* SPDX-License-Identifier: MIT */
/* Positions, velocities and states of some systems from outside, between two steps: the state block
 * becomes what that of a new simulation would be there, in all that stands on a system whose values
 * change: λ and modes 0, gaps of now, of a scheme on positions also those before; contacts of a
 * pool are found anew. What is refused is so before anything of it is written. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "stepping/flat.h"
#include "stepping/pool_places.h"
#include "stepping/stages.h"

/* A system of those given, and its values as they become. */
typedef struct member {
  const system_run *run;
  int32_t number;
  size_t at_q, at_v;   /* in the state */
  const double *q, *v; /* v: x at order 1; NULL: they stay */
  int changes;         /* some value is another one by its bits */
} member;

/* From one of those given to the next. */
typedef struct walk {
  const perp_simulation *sim;
  int32_t next, end;
  const double *q, *v, *x;
} walk;

static walk begin_walk(const perp_simulation *sim, const state_values *g) {
  const walk w = {sim, g->first, g->first + g->count, g->q, g->v, g->x};
  return w;
}

static const double *take(const double **from, size_t n) {
  const double *taken = *from;
  if (taken != NULL) *from = taken + n;
  return taken;
}

static int differs(const double *to, const double *from, size_t n) {
  return to != NULL && n > 0 && memcmp(to, from, n * sizeof *to) != 0;
}

/* 0: there is no other. */
static int step_walk(walk *w, member *m) {
  if (w->next >= w->end) return 0;
  const perp_simulation *sim = w->sim;
  m->number = w->next++;
  m->run = &sim->runs.systems[sim->runs.of[m->number]];
  const size_t s = (size_t)(m->number - m->run->first);
  const size_t n = (size_t)m->run->n, n_q = (size_t)m->run->n_q;
  m->at_q = m->run->q0 + s * n_q;
  m->at_v = m->run->v0 + s * n;
  m->q = m->run->order == 2 ? take(&w->q, n_q) : NULL;
  m->v = take(m->run->order == 2 ? &w->v : &w->x, n);
  m->changes =
      differs(m->q, sim->state.q + m->at_q, n_q) || differs(m->v, sim->state.v + m->at_v, n);
  return 1;
}

/* ---- what is refused ---- */

static perp_status check_values(const member *m, perp_info *info) {
  const size_t n = (size_t)m->run->n, n_q = (size_t)m->run->n_q;
  const size_t q = m->q == NULL ? n_q : first_not_finite(n_q, m->q);
  const size_t v = m->v == NULL ? n : first_not_finite(n, m->v);
  if (q < n_q) return fail_system(info, PERP_ENOTFINITE, "q", m->number, m->q[q]);
  if (v < n)
    return fail_system(info, PERP_ENOTFINITE, m->run->order == 2 ? "v" : "x", m->number, m->v[v]);
  const perp_system *system = m->run->system;
  if (m->q == NULL || system->ops->extra_q == 0 || system->ops->check == NULL) return PERP_OK;
  return fail_within(system->ops->check(system, m->q, m->v, info), PERP_OF_SYSTEM, m->number, info);
}

static perp_status check(const perp_simulation *sim, const state_values *g, perp_info *info) {
  walk w = begin_walk(sim, g);
  member m;
  while (step_walk(&w, &m)) {
    const perp_status status = check_values(&m, info);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

/* ---- which interactions ---- */

static unsigned char *mark_of(const perp_simulation *sim, const interaction_run *run, int32_t k) {
  return &sim->state.modes[run->row0 + (size_t)k * (size_t)run->m];
}

static int is_marked(const perp_simulation *sim, const interaction_run *run, int32_t k) {
  return (*mark_of(sim, run, k) & MODE_BEGINS) != 0;
}

/* Mark those of the systems that change, or take the marks away; how many systems do. */
static int32_t mark(const perp_simulation *sim, const state_values *g, int on) {
  walk w = begin_walk(sim, g);
  member m;
  int32_t n = 0;
  while (step_walk(&w, &m)) {
    if (!m.changes) continue;
    n++;
    const int32_t *start = sim->runs.incidence_start + m.number;
    for (int32_t i = start[0]; i < start[1]; i++) {
      const struct incidence *in = &sim->runs.incidence[i];
      unsigned char *mode = mark_of(sim, &sim->runs.interactions[in->run], in->k);
      *mode = (unsigned char)(on ? *mode | MODE_BEGINS : *mode & ~MODE_BEGINS);
    }
  }
  return n;
}

/* ---- what it leads to ---- */

/* q (all positions) and v (NULL: not wanted) := those that will be. */
static void look_ahead(const perp_simulation *sim, const state_values *g, double *q, double *v) {
  walk w = begin_walk(sim, g);
  member m;
  memcpy(q, sim->state.q, sim->state.n_q * sizeof *q);
  if (v != NULL) memcpy(v, sim->state.v, sim->state.n_v * sizeof *v);
  while (step_walk(&w, &m)) {
    if (m.q != NULL) memcpy(q + m.at_q, m.q, (size_t)m.run->n_q * sizeof *q);
    if (v != NULL && m.v != NULL) memcpy(v + m.at_v, m.v, (size_t)m.run->n * sizeof *v);
  }
}

/* Positions a step before: q − h v of those that change, by a scheme on positions. */
static void look_back(const perp_simulation *sim, const state_values *g) {
  const newton_iterate *it = &sim->iterate;
  walk w = begin_walk(sim, g);
  member m;
  memcpy(it->last_q, sim->state.q_before, sim->state.n_q * sizeof *it->last_q);
  while (step_walk(&w, &m)) {
    if (!m.changes) continue;
    const double h = m.run->two_step ? sim->state.head->h : 0;
    for (size_t i = 0; i < (size_t)m.run->n_q; i++)
      it->last_q[m.at_q + i] = it->q[m.at_q + i] - (h > 0 ? h * it->v[m.at_v + i] : 0);
  }
}

/* Masses and relations there. */
static perp_status evaluate(perp_simulation *sim, const state_values *g, perp_info *info) {
  look_ahead(sim, g, sim->iterate.q, sim->iterate.v);
  if (sim->iterate.last_q != NULL) look_back(sim, g);
  sim->iterate.given = 1;
  const perp_status status = sim->live->begin(sim, sim->state.head->t, sim->state.head->h, info);
  sim->iterate.given = 0;
  return status;
}

static int is_bilateral(const interaction_run *run) {
  const perp_relation_ops *ops = run->relation->ops;
  return run->live && ops->features != NULL &&
         (ops->features(run->relation) & PERP_RELATION_BILATERAL) != 0;
}

/* Contacts that come to overlap by more than a new simulation may have, and joints open by more. */
static perp_status check_gaps(const perp_simulation *sim, const double *q, perp_info *info) {
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    const interaction_run *run = &sim->runs.interactions[r];
    const double *before = sim->state.y + run->row0, least = sim->options.min_gap;
    const int bilateral = is_bilateral(run);
    for (int32_t i = 0; bilateral && i < run->m * run->count; i++) {
      const double y = run->at.y[i];
      if (is_marked(sim, run, i / run->m) && fabs(y) > fabs(least) && fabs(y) > fabs(before[i]))
        return fail_interaction(info, PERP_EINVAL, "gap", run->first + i / run->m, y);
    }
    for (int32_t u = 0; run->gated && u < run->units; u++) {
      if (run->first >= sim->n_interactions || !is_marked(sim, run, u / run->copies)) continue;
      const double y = perp_contact_gap(run, u, q);
      if (!(y >= least) && !(y >= before[(size_t)u * (size_t)run->size]))
        return fail_interaction(info, PERP_EINVAL, "gap", run->first + u / run->copies, y);
    }
  }
  return PERP_OK;
}

/* ---- the new state ---- */

static void write_values(perp_simulation *sim, const state_values *g) {
  walk w = begin_walk(sim, g);
  member m;
  while (step_walk(&w, &m)) {
    double *q = sim->state.q + m.at_q;
    const size_t bytes = (size_t)m.run->n_q * sizeof *q;
    const int changes = m.changes;
    if (m.q != NULL) memcpy(q, m.q, bytes);
    if (m.v != NULL) memcpy(sim->state.v + m.at_v, m.v, (size_t)m.run->n * sizeof *q);
    if (changes && sim->state.q_before != NULL)
      memcpy(sim->state.q_before + m.at_q, sim->iterate.last_q + m.at_q, bytes);
  }
}

/* y and ẏ of interaction k with λ = 0, as those of a new simulation. */
static void write_outputs(perp_simulation *sim, const interaction_run *run, int32_t k) {
  const size_t m = (size_t)run->m, row = run->row0 + (size_t)k * m, at = (size_t)k * m;
  double *y = sim->state.y + row;
  memset(sim->state.lambda + row, 0, m * sizeof *y);
  memset(sim->state.modes + row, PERP_MODE_UNKNOWN, m);
  if (run->live) {
    memcpy(y, (run->order == 2 ? run->at.y : run->at.ydot) + at, m * sizeof *y);
    if (run->order == 2) memcpy(sim->state.ydot + row, run->at.ydot + at, m * sizeof *y);
  } else if (run->order == 1) {
    flat_rows(run, (size_t)k, 0, run->m, sim->state.v, y);
    if (run->D != NULL)
      perp_dense_multiply_add(run->m, run->m, run->D, run->m, sim->state.lambda + row, y);
  }
  if (sim->state.y_before == NULL) return;
  memcpy(sim->state.y_before + row, run->two_step ? sim->iterate.last_y + row : y, m * sizeof *y);
}

static void commit(perp_simulation *sim, const state_values *g) {
  const struct pool_stage *pool = sim->pool != NULL ? sim->pool->stage : NULL;
  if (pool != NULL) pool->forget(sim, g);
  write_values(sim, g);
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++)
    for (int32_t k = 0; k < sim->runs.interactions[r].count; k++)
      if (is_marked(sim, &sim->runs.interactions[r], k))
        write_outputs(sim, &sim->runs.interactions[r], k);
  perp_motion_outputs(sim);
  if (sim->state.off != NULL) perp_switch_recall(sim);
  sim->state.moderate = 0;
  sim->active.assembled = 0;
  perp_contact_recall(sim);
}

static perp_status set_state(perp_simulation *sim, const state_values *g, perp_info *info) {
  perp_status status = check(sim, g, info);
  if (status != PERP_OK || mark(sim, g, 1) == 0) return status;
  double *q = sim->live != NULL ? sim->iterate.q : sim->step.free_v; /* n_q <= n_v of constants */
  if (sim->live != NULL)
    status = evaluate(sim, g, info);
  else if (sim->pool == NULL)
    look_ahead(sim, g, q, NULL);
  if (status == PERP_OK) status = check_gaps(sim, q, info);
  if (status == PERP_OK)
    commit(sim, g);
  else
    (void)mark(sim, g, 0);
  return status;
}

perp_status perp_simulation_set_state(perp_simulation *sim, int32_t first, int32_t count,
                                      const double *q, const double *v, const double *x,
                                      perp_info *info) {
  info_clear(info);
  if (sim == NULL) return fail_field(info, "sim", -1);
  if (sim->stepping) return fail_field(info, "step within a step", -1);
  if (first < 0 || first > sim->n_systems)
    return fail(info, PERP_EINVAL, "systems.first", -1, first);
  if (count < 0 || count > sim->n_systems - first)
    return fail(info, PERP_EINVAL, "systems.count", -1, count);
  const state_values given = {first, count, q, v, x};
  sim->stepping = 1; /* callbacks may look, not touch */
  const perp_status status = set_state(sim, &given, info);
  sim->stepping = 0;
  return status;
}
