/* SPDX-License-Identifier: MIT */
/* Memory of a model that varies: what live runs keep of their members, the iterate, the projection.
 */
#include "perp/pool.h"
#include "stepping/layout_parts.h"
#include "stepping/live.h"
#include "stepping/state_component.h"

void perp_live_carve_system(arena *a, system_run *run) {
  live_system *at = &run->at;
  const perp_system_ops *ops = run->system->ops;
  size_t n = (size_t)run->n, all = (size_t)run->count;
  at->constant_mass = ops->constant_mass != 0 || ops->terms != NULL;
  run->dense = 1;
  at->mass_band = run->n;
  run->W = layout_doubles(a, n * n * all);
  run->pivots = arena_take(a, n * all, sizeof(int32_t));
  at->mass = layout_doubles(a, at->constant_mass ? n * n : n * n * all);
  at->f_begin = layout_doubles(a, n * all);
  at->f_end = layout_doubles(a, n * all);
  at->defect = layout_doubles(a, n * all);
  at->unfactored = layout_doubles(a, n * n * all);
  at->factored = layout_doubles(a, n * n * all);
  at->factor_band = arena_take(a, all, sizeof(int32_t));
  at->turned = run->order == 2 ? arena_take(a, all, 1) : NULL;
  for (size_t s = 0; at->factor_band != NULL && s < all; s++) at->factor_band[s] = -1;
  at->dv = layout_doubles(a, run->order == 2 ? 2 * n * n : n * n);
  at->dq = at->dv != NULL && run->order == 2 ? at->dv + n * n : NULL;
  at->clear = 0;
}

static uint32_t features_of(const perp_relation *r, const perp_relation_terms *t) {
  if (r->ops->features != NULL) return r->ops->features(r);
  return t->D != NULL ? PERP_RELATION_D : 0;
}

void perp_live_carve_interaction(arena *a, const layout_sizes *sizes, interaction_run *run,
                                 const perp_relation_terms *terms, int32_t reaction) {
  live_interaction *at = &run->at;
  size_t m = (size_t)run->m, n = (size_t)run->n, all = (size_t)run->count;
  uint32_t features = features_of(run->relation, terms);
  at->y = layout_doubles(a, m * all);
  at->ydot = layout_doubles(a, m * all);
  at->base = layout_doubles(a, m * all);
  at->predicted = layout_doubles(a, m * all);
  at->H = layout_doubles(a, m * n * all);
  at->H_before = layout_doubles(a, m * n * all);
  run->D_step = m * m;
  if ((features & PERP_RELATION_D) != 0) run->D = layout_doubles(a, m * m * all);
  run->n_gain = run->n;
  if (sizes->components && run->order == 1) run->n_gain += (int32_t)sizes->first_n; /* at most */
  run->G_step = (size_t)run->n_gain * m;
  run->G = layout_doubles(a, run->G_step * all);
  if (run->order != 1) return;
  at->r = layout_doubles(a, n * all);
  at->B = layout_doubles(a, n * m * all);
  if (reaction == PERP_REACTION_WEIGHTED) at->r_begin = layout_doubles(a, n * all);
  if ((features & PERP_RELATION_K) != 0) at->K = layout_doubles(a, n * n * all);
}

static void carve_iterate(arena *a, const layout_sizes *sizes, perp_simulation *sim) {
  /* one more than needed: none of them is NULL where a model has no positions or rows */
  size_t rows = (size_t)sizes->graph.rows + 1, n_q = sizes->n_q + 1;
  sim->iterate.q = layout_doubles(a, n_q);
  sim->iterate.v = layout_doubles(a, sizes->n_v);
  sim->iterate.lambda = layout_doubles(a, rows);
  if (sizes->two_step) {
    sim->iterate.last_q = layout_doubles(a, n_q);
    sim->iterate.last_y = layout_doubles(a, rows);
  }
  sim->iterate.base_v = layout_doubles(a, sizes->n_v);
  sim->iterate.from_v = layout_doubles(a, sizes->n_v);
  sim->iterate.from_lambda = layout_doubles(a, rows);
  sim->iterate.defect = layout_doubles(a, sizes->n_v);
  sim->iterate.defect_size = layout_doubles(a, sizes->n_v);
  sim->iterate.owed = layout_doubles(a, sizes->n_v);
  sim->iterate.gather_q = layout_doubles(a, sizes->joined_q);
  sim->iterate.gather_v = layout_doubles(a, sizes->joined_v);
  sim->iterate.scratch_doubles = sizes->scratch + (size_t)sizes->largest_n + sizes->joined_v + 1;
  sim->iterate.scratch = layout_doubles(a, sim->iterate.scratch_doubles);
  sim->iterate.probe = layout_doubles(a, sizes->probe);
  sim->active.acts = arena_take(a, (size_t)sizes->graph.units + 1, 1);
}

void perp_projection_carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                           perp_simulation *sim) {
  projection *p = &sim->projection;
  size_t rows = (size_t)sizes->graph.rows;
  (void)perp_equality_init(&p->bilateral, sizeof p->bilateral);
  (void)perp_complementarity_init(&p->unilateral, sizeof p->unilateral);
  p->rows = arena_take(a, rows, sizeof *p->rows);
  p->first =
      arena_take(a,
                 (size_t)model->n_interactions +
                     (size_t)(model->pool != NULL && !sizes->swept ? model->pool->capacity : 0) + 1,
                 sizeof(int32_t));
  p->start = arena_take(a, rows + 1, sizeof(int32_t));
  p->index = arena_take(a, sizes->graph.entries, sizeof(int32_t));
  p->mark = arena_take(a, rows, sizeof(int32_t));
  p->offset = arena_take(a, rows + 1, sizeof(int32_t));
  p->value = layout_doubles(a, sizes->graph.entries);
  p->rhs = layout_doubles(a, rows);
  p->floor = layout_doubles(a, rows);
  p->mu = layout_doubles(a, rows);
  p->y = layout_doubles(a, rows);
  p->d = layout_doubles(a, sizes->n_v);
  p->listed = arena_take(a, (size_t)sizes->graph.units + 1, 1);
  p->laws = arena_take(a, rows, sizeof *p->laws);
}

void perp_live_carve(arena *a, const perp_model *model, const perp_simulation_options *o,
                     const layout_sizes *sizes, perp_simulation *sim) {
  carve_iterate(a, sizes, sim);
  if (o->projection != PERP_PROJECT_NONE) {
    perp_projection_carve(a, model, sizes, sim);
    sim->projection.shift = layout_doubles(a, sizes->n_v);
  }
  if (!sizes->components) return;
  perp_component_carve(a, model, sizes, sim);
  if (sim->components.x != NULL) perp_component_connect(sim);
}
