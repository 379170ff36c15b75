/* SPDX-License-Identifier: MIT */
#include "events/component.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/info.h"

static int32_t *take(arena *a, size_t count) {
  return (int32_t *)arena_take(a, count, sizeof(int32_t));
}

/* Arrays of all components, one behind the other. */
typedef struct layout {
  component *at;
  const perp_system **systems;
  const perp_interaction **joins;
  perp_interaction *interactions; /* with the numbers of systems within their components */
  int32_t *joined;                /* those numbers                                       */
  int32_t *system, *interaction;  /* numbers in the whole model, by component            */
  size_t *row;
  int32_t *home, *index; /* of each system: its component, its number there     */
  int32_t *parent;       /* a tree for each component, its first system the root */
} layout;

static layout carve(arena *a, const perp_model *model) {
  const size_t n = (size_t)model->n_systems, m = (size_t)model->n_interactions;
  size_t joined = 0;
  for (size_t i = 0; i < m; i++) joined += (size_t)model->interactions[i]->n_systems;
  layout l;
  l.at = (component *)arena_take(a, n, sizeof *l.at);
  l.systems = (const perp_system **)arena_take(a, n, sizeof *l.systems);
  l.joins = (const perp_interaction **)arena_take(a, m, sizeof *l.joins);
  l.interactions = (perp_interaction *)arena_take(a, m, sizeof *l.interactions);
  l.joined = take(a, joined);
  l.system = take(a, n);
  l.interaction = take(a, m);
  l.row = (size_t *)arena_take(a, m, sizeof *l.row);
  l.home = take(a, n);
  l.index = take(a, n);
  l.parent = take(a, n);
  return l;
}

static int32_t root(int32_t *parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static void join(int32_t *parent, int32_t first, int32_t second) {
  const int32_t a = root(parent, first), b = root(parent, second);
  parent[a > b ? a : b] = a < b ? a : b;
}

/* home := the component of each system; returns how many there are. */
static int32_t sort(layout *l, const perp_model *model, int whole) {
  int32_t n = 0;
  for (int32_t i = 0; i < model->n_systems; i++) l->parent[i] = whole ? 0 : i;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *x = model->interactions[i];
    for (int32_t s = 1; s < x->n_systems; s++) join(l->parent, x->systems[0], x->systems[s]);
  }
  for (int32_t i = 0; i < model->n_systems; i++) {
    const int32_t first = root(l->parent, i);
    l->home[i] = first == i ? n++ : l->home[first];
  }
  return n;
}

/* The pieces of all components behind one another, each as long as it will be. */
static void part(layout *l, const perp_model *model, int32_t n) {
  size_t systems = 0, interactions = 0;
  for (int32_t i = 0; i < model->n_systems; i++) l->at[l->home[i]].model.n_systems++;
  for (int32_t i = 0; i < model->n_interactions; i++)
    l->at[l->home[model->interactions[i]->systems[0]]].model.n_interactions++;
  for (int32_t k = 0; k < n; k++) {
    component *c = &l->at[k];
    c->systems = l->system + systems, c->interactions = l->interaction + interactions;
    c->rows = l->row + interactions;
    c->model.struct_size = (uint32_t)sizeof c->model;
    c->model.systems = l->systems + systems, c->model.interactions = l->joins + interactions;
    systems += (size_t)c->model.n_systems, interactions += (size_t)c->model.n_interactions;
    c->model.n_systems = c->model.n_interactions = 0;
  }
}

static void fill(layout *l, const perp_model *model) {
  int32_t *joined = l->joined;
  size_t row = 0;
  for (int32_t i = 0; i < model->n_systems; i++) {
    component *c = &l->at[l->home[i]];
    const ptrdiff_t place = c->systems - l->system + c->model.n_systems;
    l->index[i] = c->model.n_systems++;
    l->system[place] = i;
    l->systems[place] = model->systems[i];
  }
  for (int32_t i = 0; i < model->n_interactions; i++) {
    perp_interaction *x = &l->interactions[i];
    *x = *model->interactions[i];
    component *c = &l->at[l->home[x->systems[0]]];
    const ptrdiff_t place = c->interactions - l->interaction + c->model.n_interactions++;
    for (int32_t s = 0; s < x->n_systems; s++) joined[s] = l->index[x->systems[s]];
    x->systems = joined;
    joined += x->n_systems;
    l->interaction[place] = i;
    l->row[place] = row;
    row += (size_t)x->relation->m;
    l->joins[place] = x;
  }
}

perp_status perp_components_make(components *c, const perp_model *model, int whole,
                                 perp_info *info) {
  memset(c, 0, sizeof *c);
  arena measure = arena_measure();
  (void)carve(&measure, model);
  const size_t bytes = arena_bytes(&measure);
  c->block = bytes > 0 ? calloc(1, bytes) : NULL;
  if (c->block == NULL) return fail(info, PERP_EBACKEND, "memory", -1, (double)bytes);
  arena place = arena_open(c->block, bytes);
  layout l = carve(&place, model);
  c->at = l.at;
  c->n = sort(&l, model, whole);
  part(&l, model, c->n);
  fill(&l, model);
  return PERP_OK;
}

void perp_components_free(components *c) {
  free(c->block);
  c->block = NULL;
}
