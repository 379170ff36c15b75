/* SPDX-License-Identifier: MIT */
#include "stepping/state_component.h"

#include <string.h>

#include "base/forest.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "stepping/layout_parts.h"
#include "stepping/stages.h"

/* of[j] := component of system j, -1 where it is alone. Returns their number. */
static int32_t number(const perp_model *model, int32_t *parent, int32_t *of) {
  int32_t count = 0;
  forest_begin(model->n_systems, parent);
  for (int32_t j = 0; j < model->n_systems; j++) of[j] = -1;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    for (int32_t s = 1; component_joins(inter) && s < inter->n_systems; s++)
      (void)forest_join(parent, inter->systems[0], inter->systems[s]);
  }
  for (int32_t j = 0; j < model->n_systems; j++) {
    const int32_t first = forest_root(parent, j);
    if (first == j) continue;
    if (of[first] < 0) of[first] = count++;
    of[j] = of[first];
  }
  return count;
}

void perp_component_carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                          perp_simulation *sim) {
  component_set *c = &sim->components;
  const size_t n = sizes->first_n, systems = (size_t)model->n_systems;
  c->of = arena_take(a, systems, sizeof(int32_t));
  c->column = arena_take(a, systems, sizeof(int32_t));
  c->parent = arena_take(a, systems, sizeof(int32_t));
  c->start = arena_take(a, systems + 1, sizeof(int32_t));
  c->at = arena_take(a, systems + 1, sizeof(size_t));
  c->W = arena_take(a, n * n, sizeof(double));
  c->pivots = arena_take(a, n, sizeof(int32_t));
  c->x = arena_take(a, n, sizeof(double));
  if (c->x == NULL) return;
  c->count = number(model, c->parent, c->of);
  memset(c->start, 0, (systems + 1) * sizeof *c->start);
  for (int32_t j = 0; j < model->n_systems; j++) { /* start[i + 1]: size of component i so far */
    if (c->of[j] < 0) continue;
    c->column[j] = c->start[c->of[j] + 1];
    c->start[c->of[j] + 1] += model->systems[j]->n;
  }
  c->at[0] = 0;
  for (int32_t i = 0; i < c->count; i++) {
    const size_t size = (size_t)c->start[i + 1];
    c->at[i + 1] = c->at[i] + size * size;
    c->start[i + 1] += c->start[i];
  }
}

static int has_slot(const interaction_run *run, int32_t count, int32_t system) {
  for (int32_t s = 0; s < count; s++)
    if (run->wide[s].system0 == system) return 1;
  return 0;
}

void perp_component_connect(perp_simulation *sim) {
  const component_set *c = &sim->components;
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    interaction_run *run = &sim->runs.interactions[r];
    if (run->order != 1 || run->wide == run->slots) continue;
    memcpy(run->wide, run->slots, (size_t)run->n_slots * sizeof *run->wide);
    run->n_wide = run->n_slots;
    run->n_gain = run->n;
    for (int32_t s = 0; s < run->n_slots; s++) {
      const int32_t component = c->of[run->slots[s].system0];
      for (int32_t j = 0; component >= 0 && j < sim->n_systems; j++) {
        if (c->of[j] != component || has_slot(run, run->n_wide, j)) continue;
        /* as if the interaction joined it too */
        perp_layout_slot(&sim->runs.systems[sim->runs.of[j]], j, run->n_gain,
                         &run->wide[run->n_wide]);
        run->n_gain += run->wide[run->n_wide++].n;
      }
    }
  }
}

/* ---------------------------------------------------------------------------- in a step ---- */

static int32_t size_of(const component_set *c, int32_t i) { return c->start[i + 1] - c->start[i]; }

double *perp_component_entry(const perp_simulation *sim, int32_t row_system, int32_t column_system,
                             int32_t *ld) {
  const component_set *c = &sim->components;
  const int32_t i = c->of[row_system];
  *ld = size_of(c, i);
  return c->W + c->at[i] + (size_t)c->column[row_system] +
         (size_t)*ld * (size_t)c->column[column_system];
}

/* Calls visit for every member. */
typedef void visitor(perp_simulation *sim, const system_run *run, size_t member, int32_t system);

static void each_member(perp_simulation *sim, visitor *visit) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (int32_t s = 0; run->order == 1 && s < run->count; s++)
      if (sim->components.of[run->first + s] >= 0) visit(sim, run, (size_t)s, run->first + s);
  }
}

static void copy_block(perp_simulation *sim, const system_run *run, size_t member, int32_t system) {
  const size_t n = (size_t)run->n;
  int32_t ld = 0;
  double *to = perp_component_entry(sim, system, system, &ld);
  for (size_t j = 0; layout_is_off(sim, system) && j < n; j++) to[j * (size_t)(ld + 1)] = 1;
  for (size_t j = 0; !layout_is_off(sim, system) && j < n; j++)
    memcpy(to + j * (size_t)ld, run->at.unfactored + member * n * n + j * n, n * sizeof *to);
}

static void gather(perp_simulation *sim, const system_run *run, size_t member, int32_t system) {
  component_set *c = &sim->components;
  const size_t bytes = (size_t)run->n * sizeof *c->x;
  double *x = c->x + c->start[c->of[system]] + c->column[system];
  if (layout_is_off(sim, system))
    memset(x, 0, bytes);
  else
    memcpy(x, sim->step.free_v + run->v0 + member * (size_t)run->n, bytes);
}

static void scatter(perp_simulation *sim, const system_run *run, size_t member, int32_t system) {
  const component_set *c = &sim->components;
  const double *x = c->x + c->start[c->of[system]] + c->column[system];
  const size_t at = run->v0 + member * (size_t)run->n;
  for (size_t i = 0; i < (size_t)run->n; i++)
    sim->step.free_v[at + i] = sim->iterate.v[at + i] + x[i];
}

void perp_component_begin(perp_simulation *sim) {
  const component_set *c = &sim->components;
  memset(c->W, 0, c->at[c->count] * sizeof *c->W);
  each_member(sim, copy_block);
}

perp_status perp_component_solve(perp_simulation *sim, double h, perp_info *info) {
  component_set *c = &sim->components;
  each_member(sim, gather);
  for (int32_t i = 0; i < c->count; i++) {
    const int32_t n = size_of(c, i);
    double *W = c->W + c->at[i];
    const perp_status status = perp_discretise_factor(sim, n, W, c->pivots + c->start[i]);
    if (status != PERP_OK) return fail(info, status, "W", i, h);
    perp_dense_lu_solve(n, 1, W, n, c->pivots + c->start[i], c->x + c->start[i], n);
  }
  each_member(sim, scatter);
  return PERP_OK;
}

perp_status perp_component_gain(const perp_simulation *sim, const interaction_run *run, double *G) {
  const component_set *c = &sim->components;
  for (int32_t s = 0; s < run->n_wide; s++) {
    const slot *first = &run->wide[s];
    const int32_t i = c->of[first->system0];
    if (i < 0) {
      const perp_status status =
          perp_discretise_solve(sim, first->run, first->system0 - first->run->first, run->m,
                                G + first->column, run->n_gain);
      if (status != PERP_OK) return status;
      continue;
    }
    int seen = 0; /* a component is solved with the first of its slots */
    for (int32_t p = 0; p < s; p++) seen |= c->of[run->wide[p].system0] == i;
    if (seen) continue;
    for (int32_t r = 0; r < run->m; r++) {
      double *column = G + (size_t)r * (size_t)run->n_gain, *x = c->x + c->start[i];
      const int32_t n = size_of(c, i);
      for (int32_t p = s; p < run->n_wide; p++) {
        const slot *at = &run->wide[p];
        if (c->of[at->system0] == i)
          memcpy(x + c->column[at->system0], column + at->column, (size_t)at->n * sizeof *x);
      }
      perp_dense_lu_solve(n, 1, c->W + c->at[i], n, c->pivots + c->start[i], x, n);
      for (int32_t p = s; p < run->n_wide; p++) {
        const slot *at = &run->wide[p];
        if (c->of[at->system0] == i)
          memcpy(column + at->column, x + c->column[at->system0], (size_t)at->n * sizeof *x);
      }
    }
  }
  return PERP_OK;
}
