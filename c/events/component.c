/* SPDX-License-Identifier: MIT */
#include "events/component.h"

#include <string.h>

#include "base/forest.h"
#include "events/room.h"

/* Arrays of all components, one behind the other. */
typedef struct layout {
  component *at;
  const perp_system **systems;
  const perp_interaction **joins;
  perp_interaction *interactions; /* with the numbers of systems within their components */
  int32_t *joined;                /* those numbers                                       */
  int32_t *system, *interaction;  /* numbers in the whole model, by component            */
  size_t *row;
  place *system_at, *interaction_at; /* of each its component, its number there     */
  int32_t *parent;                   /* a tree for each component, its first system the root */
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
  l.joined = room_ints(a, joined);
  l.system = room_ints(a, n);
  l.interaction = room_ints(a, m);
  l.row = (size_t *)arena_take(a, m, sizeof *l.row);
  l.system_at = (place *)arena_take(a, n, sizeof *l.system_at);
  l.interaction_at = (place *)arena_take(a, m, sizeof *l.interaction_at);
  l.parent = room_ints(a, n);
  return l;
}

/* The component of each system; returns how many there are. */
static int32_t sort(layout *l, const perp_model *model, int whole) {
  int32_t n = 0;
  for (int32_t i = 0; i < model->n_systems; i++) l->parent[i] = whole ? 0 : i;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_interaction *x = model->interactions[i];
    for (int32_t s = 1; s < x->n_systems; s++)
      (void)forest_join(l->parent, x->systems[0], x->systems[s]);
  }
  for (int32_t i = 0; i < model->n_systems; i++) {
    const int32_t first = forest_root(l->parent, i);
    l->system_at[i].component = first == i ? n++ : l->system_at[first].component;
  }
  return n;
}

/* The pieces of all components behind one another, each as long as it will be. */
static void part(layout *l, const perp_model *model, int32_t n) {
  size_t systems = 0, interactions = 0;
  for (int32_t i = 0; i < model->n_systems; i++) l->at[l->system_at[i].component].model.n_systems++;
  for (int32_t i = 0; i < model->n_interactions; i++)
    l->at[l->system_at[model->interactions[i]->systems[0]].component].model.n_interactions++;
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
    component *c = &l->at[l->system_at[i].component];
    const ptrdiff_t at = c->systems - l->system + c->model.n_systems;
    l->system_at[i].index = c->model.n_systems++;
    l->system[at] = i;
    l->systems[at] = model->systems[i];
  }
  for (int32_t i = 0; i < model->n_interactions; i++) {
    perp_interaction *x = &l->interactions[i];
    *x = *model->interactions[i];
    place *to = &l->interaction_at[i];
    to->component = l->system_at[x->systems[0]].component;
    component *c = &l->at[to->component];
    to->index = c->model.n_interactions++;
    const ptrdiff_t at = c->interactions - l->interaction + to->index;
    for (int32_t s = 0; s < x->n_systems; s++) joined[s] = l->system_at[x->systems[s]].index;
    x->systems = joined;
    joined += x->n_systems;
    l->interaction[at] = i;
    l->row[at] = row;
    row += (size_t)x->relation->m;
    l->joins[at] = x;
  }
}

perp_status perp_components_make(components *c, const perp_model *model, int whole,
                                 perp_info *info) {
  memset(c, 0, sizeof *c);
  arena room = arena_measure();
  (void)carve(&room, model);
  c->block = room_for(&room);
  if (c->block == NULL) return no_room(&room, info);
  layout l = carve(&room, model);
  c->at = l.at;
  c->systems = l.system_at, c->interactions = l.interaction_at;
  c->n = sort(&l, model, whole);
  part(&l, model, c->n);
  fill(&l, model);
  return PERP_OK;
}

void perp_components_free(components *c) {
  free(c->block);
  c->block = NULL;
}
