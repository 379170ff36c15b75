/* SPDX-License-Identifier: MIT */
/* A call first checks, orders copies and reserves room, all of which may fail; then it puts, which
 * cannot. */
#include "heap/builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/options.h"
#include "model/check.h"
#include "model/pool.h"

static const size_t entry_of[LISTS] = {[LIST_SYSTEMS] = sizeof(perp_system *),
                                       [LIST_STARTS] = sizeof(start),
                                       [LIST_Q] = sizeof(double),
                                       [LIST_V] = sizeof(double),
                                       [LIST_X] = sizeof(double),
                                       [LIST_INTERACTIONS] = sizeof(perp_interaction),
                                       [LIST_JOINED] = sizeof(int32_t),
                                       [LIST_POINTERS] = sizeof(perp_interaction *),
                                       [LIST_POOL_LAWS] = sizeof(perp_law *),
                                       [LIST_INTEGRATORS] = sizeof(perp_integrator *)};

perp_status perp_builder_reserve(perp_builder *b, int which, size_t entries, perp_info *info) {
  growing *l = &b->list[which];
  if (l->data != NULL && entries <= l->room) return PERP_OK;
  const size_t room = entries + entries / 2 + 8, bytes = room * entry_of[which];
  void *data = realloc(l->data, bytes);
  if (data == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)bytes);
  l->data = data;
  l->room = room;
  return PERP_OK;
}

static double *numbers(const perp_builder *b, int which) { return b->list[which].data; }
static const perp_system **systems(const perp_builder *b) { return b->list[LIST_SYSTEMS].data; }
static start *starts(const perp_builder *b) { return b->list[LIST_STARTS].data; }
static perp_interaction *interactions(const perp_builder *b) {
  return b->list[LIST_INTERACTIONS].data;
}

/* ----------------------------------------------------------------------- beginning ---- */

perp_status perp_builder_create(perp_builder **out, perp_info *info) {
  info_clear(info);
  if (out == NULL) return fail_field(info, "out", -1);
  const perp_model empty = PERP_MODEL_INIT;
  perp_builder *b = *out = calloc(1, sizeof **out);
  if (b == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)sizeof *b);
  b->model = empty;
  perp_simulation_options_init(&b->options, sizeof b->options);
  return PERP_OK;
}

void perp_builder_destroy(perp_builder *builder) {
  if (builder == NULL) return;
  perp_shelf_clear(&builder->shelf);
  for (int i = 0; i < LISTS; i++) free(builder->list[i].data);
  free(builder);
}

perp_status perp_builder_copy(perp_builder **out, const perp_builder *from, perp_info *info) {
  perp_status status = perp_builder_create(out, info);
  if (status == PERP_OK && from == NULL) status = fail_field(info, "from", -1);
  if (status == PERP_OK) {
    perp_builder *b = *out;
    const perp_model empty = b->model;
    *b = *from;
    b->model = empty;
    b->model.n_systems = from->model.n_systems;
    b->model.n_interactions = from->model.n_interactions;
    b->taken = 0;
    for (int i = 0; i < LISTS; i++) b->list[i].data = NULL;
    status = perp_shelf_copy(&b->shelf, &from->shelf, info);
    for (int i = 0; i < LISTS && status == PERP_OK; i++) {
      if (from->list[i].data == NULL) continue;
      status = perp_builder_reserve(b, i, from->list[i].room, info);
      if (status == PERP_OK)
        memcpy(b->list[i].data, from->list[i].data, from->list[i].room * entry_of[i]);
    }
  }
  if (status != PERP_OK && out != NULL) {
    perp_builder_destroy(*out);
    *out = NULL;
  }
  return status;
}

static perp_status check_builder(const perp_builder *b, perp_info *info) {
  info_clear(info);
  return b == NULL || b->taken ? fail_field(info, "builder", -1) : PERP_OK;
}

static perp_status check_owner(const perp_owner *owner, perp_info *info) {
  if (owner == NULL) return PERP_OK;
  if (!perp_options_known(owner, sizeof *owner, PERP_THROUGH(perp_owner, n_kept)))
    return fail(info, PERP_EINVAL, "owner.struct_size", -1, owner->struct_size);
  if ((owner->flags & ~(uint32_t)PERP_COPY_PARAMETERS) != 0)
    return fail(info, PERP_EINVAL, "owner.flags", -1, owner->flags);
  if (owner->key == NULL && owner->key_bytes > 0) return fail_field(info, "owner.key", -1);
  if (owner->kept == NULL && owner->n_kept > 0) return fail_field(info, "owner.kept", -1);
  return PERP_OK;
}

/* ------------------------------------------------------------------------- systems ---- */

/* Where a body starts: the quaternion of no rotation. */
static const double unrotated[7] = {0, 0, 0, 1, 0, 0, 0};

/* Room for a system at the end of the lists of its order. */
static perp_status reserve_system(perp_builder *b, const perp_system *s, perp_info *info) {
  const size_t n = (size_t)s->n, n_q = n + (size_t)s->ops->extra_q;
  const size_t count = (size_t)b->model.n_systems + 1;
  const size_t all = b->n_v + b->n_x + n;
  if (count > INT32_MAX / 2 || b->n_q + n_q > INT32_MAX / 2 || all > INT32_MAX / 2)
    return fail(info, PERP_EINVAL, "n_systems", -1, (double)all);
  perp_status status = perp_builder_reserve(b, LIST_SYSTEMS, count, info);
  if (status == PERP_OK) status = perp_builder_reserve(b, LIST_STARTS, count, info);
  if (status == PERP_OK && s->ops->order == 1)
    return perp_builder_reserve(b, LIST_X, b->n_x + n, info);
  if (status == PERP_OK) status = perp_builder_reserve(b, LIST_Q, b->n_q + n_q, info);
  return status == PERP_OK ? perp_builder_reserve(b, LIST_V, b->n_v + n, info) : status;
}

static void append_system(perp_builder *b, const perp_system *s) {
  const size_t n = (size_t)s->n, n_q = n + (size_t)s->ops->extra_q;
  const int first_order = s->ops->order == 1;
  double *q = numbers(b, LIST_Q), *v = numbers(b, first_order ? LIST_X : LIST_V);
  size_t *used = first_order ? &b->n_x : &b->n_v;
  const start at = {(int32_t)b->n_q, (int32_t)*used};
  systems(b)[b->model.n_systems] = s;
  starts(b)[b->model.n_systems++] = at;
  memset(v + *used, 0, n * sizeof *v);
  *used += n;
  if (first_order) return;
  memset(q + b->n_q, 0, n_q * sizeof *q);
  if (s->ops->extra_q > 0) memcpy(q + b->n_q, unrotated, sizeof unrotated);
  b->n_q += n_q;
}

perp_status perp_builder_add(perp_builder *builder, const perp_system *system,
                             const perp_owner *owner, int32_t *id, perp_info *info) {
  delivery d = {NULL, NULL, NULL, NULL};
  if (id != NULL) *id = -1;
  perp_status status = check_builder(builder, info);
  if (status != PERP_OK) return status;
  const int32_t where = builder->model.n_systems;
  status = perp_check_system(system, perp_check_rows, where, info);
  if (status == PERP_OK && system->ops->check != NULL) {
    status = system->ops->check(system, system->ops->extra_q > 0 ? unrotated : NULL, NULL, info);
    status = fail_within(status, PERP_OF_SYSTEM, where, info);
  }
  if (status == PERP_OK) status = check_owner(owner, info);
  if (status == PERP_OK) status = reserve_system(builder, system, info);
  if (status == PERP_OK) status = perp_shelf_reserve(&builder->shelf, 1, info);
  if (status == PERP_OK)
    status = perp_shelf_order(&builder->shelf, A_SYSTEM, system, owner, &d, info);
  if (status != PERP_OK) return status;
  perp_shelf_put(&builder->shelf, &d);
  append_system(builder, (const perp_system *)(void *)d.data);
  perp_shelf_settle(&builder->shelf, &d);
  if (id != NULL) *id = where;
  return PERP_OK;
}

/* Values of a system that start at `first` of a list. */
static perp_status set_values(perp_builder *b, int which, int32_t id, int32_t n, const double *x,
                              const char *field, perp_info *info) {
  perp_status status = check_builder(b, info);
  if (status != PERP_OK) return status;
  if (id < 0 || id >= b->model.n_systems) return fail(info, PERP_EINVAL, "id", -1, id);
  const perp_system *s = systems(b)[id];
  const start *at = &starts(b)[id];
  if ((which == LIST_X) != (s->ops->order == 1))
    return fail_system(info, PERP_EINVAL, "order", id, s->ops->order);
  if (n != s->n + (which == LIST_Q ? s->ops->extra_q : 0))
    return fail_system(info, PERP_EINVAL, "n", id, n);
  if (x == NULL) return fail_field(info, field, -1);
  const size_t bad = first_not_finite((size_t)n, x);
  if (bad < (size_t)n) return fail(info, PERP_ENOTFINITE, field, (int32_t)bad, x[bad]);
  memcpy(numbers(b, which) + (which == LIST_Q ? at->first_q : at->first_v), x,
         (size_t)n * sizeof *x);
  return PERP_OK;
}

perp_status perp_builder_set_q(perp_builder *builder, int32_t id, int32_t n, const double *q0,
                               perp_info *info) {
  return set_values(builder, LIST_Q, id, n, q0, "q0", info);
}

perp_status perp_builder_set_v(perp_builder *builder, int32_t id, int32_t n, const double *v0,
                               perp_info *info) {
  return set_values(builder, LIST_V, id, n, v0, "v0", info);
}

perp_status perp_builder_set_x(perp_builder *builder, int32_t id, int32_t n, const double *x0,
                               perp_info *info) {
  return set_values(builder, LIST_X, id, n, x0, "x0", info);
}

/* -------------------------------------------------------------------- interactions ---- */

static perp_status reserve_interaction(perp_builder *b, const perp_interaction *i,
                                       perp_info *info) {
  const size_t count = (size_t)b->model.n_interactions + 1;
  if (count > INT32_MAX / 2) return fail(info, PERP_EINVAL, "n_interactions", -1, (double)count);
  perp_status status = perp_builder_reserve(b, LIST_INTERACTIONS, count, info);
  if (status == PERP_OK) status = perp_builder_reserve(b, LIST_POINTERS, count, info);
  if (status == PERP_OK)
    status = perp_builder_reserve(b, LIST_JOINED, b->n_joined + (size_t)i->n_systems, info);
  return status == PERP_OK ? perp_shelf_reserve(&b->shelf, 2, info) : status;
}

static int32_t append_interaction(perp_builder *b, const perp_interaction *from,
                                  const perp_relation *relation, const perp_law *law) {
  const perp_interaction i = {relation, law, NULL, from->n_systems, 0};
  int32_t *joined = b->list[LIST_JOINED].data;
  memcpy(joined + b->n_joined, from->systems, (size_t)from->n_systems * sizeof *joined);
  b->n_joined += (size_t)from->n_systems;
  interactions(b)[b->model.n_interactions] = i;
  return b->model.n_interactions++;
}

/* The model as far as it is built, for checks. */
static perp_model so_far(const perp_builder *b) {
  perp_model m = b->model;
  m.systems = systems(b);
  return m;
}

static perp_status check_interaction(const perp_builder *b, const perp_interaction *i,
                                     perp_info *info) {
  const perp_model model = so_far(b);
  if (i == NULL) return fail_field(info, "interaction", -1);
  return perp_check_interaction(&model, i, perp_check_rows, model.n_interactions, info);
}

perp_status perp_builder_connect(perp_builder *builder, const perp_interaction *interaction,
                                 const perp_owner *of_relation, const perp_owner *of_law,
                                 int32_t *id, perp_info *info) {
  delivery relation = {NULL, NULL, NULL, NULL}, law = relation;
  if (id != NULL) *id = -1;
  perp_status status = check_builder(builder, info);
  if (status == PERP_OK) status = check_interaction(builder, interaction, info);
  if (status == PERP_OK && perp_piecewise_relation_of(interaction->relation) != NULL)
    status = fail(info, PERP_EUNSUPPORTED, "relation", -1, RELATION_OF_PIECES);
  if (status == PERP_OK) status = check_owner(of_relation, info);
  if (status == PERP_OK) status = check_owner(of_law, info);
  if (status == PERP_OK) status = reserve_interaction(builder, interaction, info);
  if (status != PERP_OK) return status;
  shelf *s = &builder->shelf;
  status = perp_shelf_order(s, A_RELATION, interaction->relation, of_relation, &relation, info);
  if (status == PERP_OK) status = perp_shelf_order(s, A_LAW, interaction->law, of_law, &law, info);
  if (status != PERP_OK) {
    perp_shelf_cancel(&relation);
    return status;
  }
  perp_shelf_put(s, &relation);
  perp_shelf_put(s, &law);
  const int32_t where =
      append_interaction(builder, interaction, (const perp_relation *)(void *)relation.data,
                         (const perp_law *)(void *)law.data);
  perp_shelf_settle(s, &relation);
  perp_shelf_settle(s, &law);
  if (id != NULL) *id = where;
  return PERP_OK;
}

/* -------------------------------------------------------------------------- graphs ---- */

/* The block of a graph over a relation: the relation of the pieces, the graph with its arrays, and
 * what perp_piecewise_relation_init() needs. */
typedef struct expansion {
  perp_piecewise_relation relation;
  perp_piecewise_linear graph;
  double numbers[]; /* y and λ of the graph, memory */
} expansion;

/* A relation, and the numbers of a graph: what the block is known by. */
static unsigned char *graph_key(const unsigned char *relation, const perp_piecewise_linear *g,
                                size_t *bytes) {
  const size_t n = (size_t)g->points * sizeof *g->y;
  unsigned char *key = malloc(*bytes = sizeof relation + 2 * sizeof(double) + 2 * n);
  if (key == NULL) return NULL;
  unsigned char *at = key;
  memcpy(at, &relation, sizeof relation);
  memcpy(at += sizeof relation, &g->slope_before, sizeof(double));
  memcpy(at += sizeof(double), &g->slope_after, sizeof(double));
  memcpy(at += sizeof(double), g->y, n);
  memcpy(at + n, g->lambda, n);
  return key;
}

static perp_status order_graph(const shelf *s, const unsigned char *relation,
                               const perp_piecewise_linear *g, delivery *out, perp_info *info) {
  const perp_relation *inner = (const perp_relation *)(const void *)relation;
  const size_t n = (size_t)g->points, memory = perp_piecewise_relation_memory(inner, g);
  if (memory == 0) return fail_field(info, "relation", -1);
  size_t key_bytes;
  unsigned char *key = graph_key(relation, g, &key_bytes);
  if (key == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)key_bytes);
  const size_t bytes = sizeof(expansion) + 2 * n * sizeof(double) + memory;
  perp_status status = perp_shelf_order_key(s, key_bytes, key, bytes, out, info);
  free(key);
  if (status != PERP_OK || out->fresh == NULL) return status;
  expansion *e = (expansion *)(void *)out->data;
  memcpy(e->numbers, g->y, n * sizeof *g->y);
  memcpy(e->numbers + n, g->lambda, n * sizeof *g->lambda);
  e->graph = *g;
  e->graph.y = e->numbers;
  e->graph.lambda = e->numbers + n;
  status = perp_piecewise_relation_init(&e->relation, sizeof e->relation, inner, &e->graph,
                                        e->numbers + 2 * n, memory, info);
  if (status != PERP_OK) perp_shelf_cancel(out);
  return status;
}

static perp_status check_graph(const perp_builder *b, const perp_interaction *i,
                               const perp_piecewise_linear *graph, perp_info *info) {
  if (i == NULL) return fail_field(info, "interaction", -1);
  if (i->law != NULL) return fail_field(info, "law", -1);
  if (i->n_systems < 1 || i->systems == NULL)
    return fail(info, PERP_EINVAL, "n_systems", -1, i->n_systems);
  const perp_status status =
      perp_check_relation(i->relation, perp_check_rows, b->model.n_interactions, info);
  return status == PERP_OK ? perp_piecewise_linear_check(graph, info) : status;
}

/* The interaction of the pieces that were ordered. */
static perp_interaction expanded(const perp_interaction *from, const delivery *pieces) {
  const expansion *e = (const expansion *)(const void *)pieces->data;
  perp_interaction i = *from;
  i.relation = &e->relation.relation;
  i.law = &e->relation.pieces.box.law;
  return i;
}

perp_status perp_builder_connect_graph(perp_builder *builder, const perp_interaction *interaction,
                                       const perp_piecewise_linear *graph,
                                       const perp_owner *of_relation, int32_t *id,
                                       perp_info *info) {
  delivery inner = {NULL, NULL, NULL, NULL}, pieces = inner;
  perp_interaction i;
  if (id != NULL) *id = -1;
  perp_status status = check_builder(builder, info);
  if (status == PERP_OK) status = check_graph(builder, interaction, graph, info);
  if (status == PERP_OK) status = check_owner(of_relation, info);
  if (status == PERP_OK) status = reserve_interaction(builder, interaction, info);
  if (status != PERP_OK) return status;
  shelf *s = &builder->shelf;
  status = perp_shelf_order(s, A_RELATION, interaction->relation, of_relation, &inner, info);
  if (status == PERP_OK) status = order_graph(s, inner.data, graph, &pieces, info);
  if (status == PERP_OK) {
    i = expanded(interaction, &pieces);
    status = check_interaction(builder, &i, info);
  }
  if (status != PERP_OK) {
    perp_shelf_cancel(&pieces);
    perp_shelf_cancel(&inner);
    return status;
  }
  perp_shelf_put(s, &inner);
  perp_shelf_put(s, &pieces);
  i = expanded(interaction, &pieces);
  const int32_t where = append_interaction(builder, interaction, i.relation, i.law);
  perp_shelf_settle(s, &inner);
  if (id != NULL) *id = where;
  return PERP_OK;
}

const perp_piecewise_relation *perp_builder_pieces(const perp_builder *builder, int32_t id) {
  if (builder == NULL || id < 0 || id >= builder->model.n_interactions) return NULL;
  return perp_piecewise_relation_of(interactions(builder)[id].relation);
}

/* ---------------------------------------------------------------------------- pool ---- */

static perp_status check_pool(const perp_contact_pool *pool, const perp_owner *owner,
                              const perp_owner *const *of_laws, perp_info *info) {
  perp_model model = PERP_MODEL_INIT;
  if (pool == NULL) return fail_field(info, "pool", -1);
  model.pool = pool;
  perp_status status = perp_pool_check(&model, 0, info);
  if (status == PERP_OK) status = check_owner(owner, info);
  for (int32_t i = 0; i < pool->n_laws && status == PERP_OK && of_laws != NULL; i++)
    status = check_owner(of_laws[i], info);
  return status;
}

/* Laws and, last, the owner of a pool, on their way. */
static perp_status order_pool(const shelf *s, const perp_contact_pool *pool,
                              const perp_owner *owner, const perp_owner *const *of_laws,
                              delivery *d, perp_info *info) {
  const int32_t n = pool->n_laws;
  perp_status status = perp_shelf_order_owner(s, owner, &d[n], info);
  for (int32_t i = 0; i < n && status == PERP_OK; i++)
    status =
        perp_shelf_order(s, A_LAW, pool->laws[i], of_laws == NULL ? NULL : of_laws[i], &d[i], info);
  return status;
}

static void put_pool(perp_builder *b, const perp_contact_pool *pool, delivery *d) {
  const perp_law **laws = b->list[LIST_POOL_LAWS].data;
  const int32_t n = pool->n_laws;
  b->pool = *pool;
  b->pool.struct_size = (uint32_t)sizeof *pool;
  for (int32_t i = 0; i <= n; i++) perp_shelf_put(&b->shelf, &d[i]);
  for (int32_t i = 0; i < n; i++) laws[i] = (const perp_law *)(void *)d[i].data;
  for (int32_t i = 0; i < n; i++) perp_shelf_settle(&b->shelf, &d[i]);
}

perp_status perp_builder_pool(perp_builder *builder, const perp_contact_pool *pool,
                              const perp_owner *owner, const perp_owner *const *of_laws,
                              perp_info *info) {
  perp_status status = check_builder(builder, info);
  if (status == PERP_OK) status = check_pool(pool, owner, of_laws, info);
  if (status != PERP_OK) return status;
  const size_t n = (size_t)pool->n_laws;
  delivery *d = calloc(n + 1, sizeof *d);
  if (d == NULL) return fail(info, PERP_EBACKEND, "malloc", -1, (double)((n + 1) * sizeof *d));
  status = perp_builder_reserve(builder, LIST_POOL_LAWS, n, info);
  if (status == PERP_OK) status = perp_shelf_reserve(&builder->shelf, n + 1, info);
  if (status == PERP_OK) status = order_pool(&builder->shelf, pool, owner, of_laws, d, info);
  if (status == PERP_OK) put_pool(builder, pool, d);
  for (size_t i = 0; i <= n; i++) perp_shelf_cancel(&d[i]);
  free(d);
  return status;
}

/* --------------------------------------------------------------------------- model ---- */

size_t perp_builder_descriptions(const perp_builder *builder) {
  return builder == NULL ? 0 : perp_shelf_descriptions(&builder->shelf);
}

const perp_model *perp_builder_model(perp_builder *builder) {
  if (builder == NULL) return NULL;
  if (builder->taken) return &builder->model;
  perp_model *m = &builder->model;
  const int32_t *joined = builder->list[LIST_JOINED].data;
  const perp_interaction **pointers = builder->list[LIST_POINTERS].data;
  for (int32_t i = 0; i < m->n_interactions; i++) {
    perp_interaction *one = &interactions(builder)[i];
    one->systems = joined;
    joined += one->n_systems;
    pointers[i] = one;
  }
  m->systems = systems(builder);
  m->interactions = pointers;
  m->q0 = numbers(builder, LIST_Q);
  m->v0 = numbers(builder, LIST_V);
  m->x0 = numbers(builder, LIST_X);
  builder->pool.laws = builder->list[LIST_POOL_LAWS].data;
  m->pool = builder->pool.capacity > 0 ? &builder->pool : NULL;
  builder->taken = 1;
  return m;
}
