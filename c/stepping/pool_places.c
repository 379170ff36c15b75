/* SPDX-License-Identifier: MIT */
/* Contacts take their places at the begin of a step, the first ones, in the order of their ranks:
 * one that stood before, told by systems and identity, keeps its rank, λ, mode and law state; new
 * ones take the least ranks that are free, in the order of their keys. What is behind them is 0,
 * and no part of a step looks there. */
#include "stepping/pool_places.h"

#include <assert.h>
#include <string.h>

#include "base/info.h"
#include "stepping/layout_parts.h"
#include "stepping/stages.h"

static size_t largest_law_bytes(const perp_contact_pool *pool) {
  size_t largest = 0;
  for (int32_t i = 0; i < pool->n_laws; i++)
    if (layout_law_bytes(pool->laws[i]) > largest) largest = layout_law_bytes(pool->laws[i]);
  return largest;
}

/* --------------------------------------------------------------------------- memory ---- */

static void measure(const perp_model *model, layout_sizes *sizes) {
  const perp_contact_pool *pool = model->pool;
  const int32_t rows = perp_pool_rows(pool);
  sizes->live = 1;
  sizes->pool_bytes = (size_t)pool->capacity * sizeof(perp_pool_contact);
  sizes->law_state_bytes += (size_t)pool->capacity * largest_law_bytes(pool);
  sizes->n_interaction_runs += pool->capacity;
  if (rows > 1) sizes->scalar = 0;
  if (rows > sizes->largest_law) sizes->largest_law = rows;
  for (int32_t i = 0; i < pool->n_laws; i++)
    if (pool->laws[i]->ops->preload != NULL) sizes->preloads = 1;
  if (sizes->joined_q < POOL_MAX_Q) sizes->joined_q = POOL_MAX_Q;
  if (sizes->joined_v < POOL_MAX_N) sizes->joined_v = POOL_MAX_N;
  const size_t probe = layout_stiffness_doubles(rows, POOL_MAX_N);
  if (sizes->probe < probe) sizes->probe = probe;
}

/* ----------------------------------------------------------------- what stands there ---- */

static void set_law(const pool_memory *memory, int32_t i, const perp_law *law,
                    interaction_run *run) {
  const size_t square = (size_t)memory->rows * (size_t)memory->rows;
  run->law = law;
  run->m = run->size = law->size;
  run->gated = law->ops->unilateral != 0;
  run->local = law->ops->local != NULL && (law->size == 1 || law->ops->set > PERP_SET_BOX);
  run->state_bytes = layout_law_bytes(law);
  run->compliance = law->ops->compliance != NULL ? memory->compliance + (size_t)i * square : NULL;
}

static void set_empty(const pool_memory *memory, int32_t i, interaction_run *run) {
  run->n = run->n_q = run->n_slots = 0;
  run->n_wide = run->n_gain = 0;
  set_law(memory, i, memory->pool->laws[0], run);
  perp_pool_relation_clear(&memory->relations[i]);
  memory->relations[i].relation.m = run->m;
}

/* Runs, units and rows end with the place of the last contact. */
static void set_count(perp_simulation *sim, int32_t count) {
  pool_memory *memory = sim->pool;
  memory->count = count;
  sim->runs.n_interaction_runs = memory->run0 + count;
  sim->runs.units = memory->unit0 + count;
  sim->state.rows = memory->row0 + (size_t)count * (size_t)memory->rows;
}

/* ---------------------------------------------------------------------------- carve ---- */

/* What a run is whatever stands there. */
static void set_run(const pool_memory *memory, int32_t i, interaction_run *run) {
  const size_t place = (size_t)i;
  run->relation = &memory->relations[i].relation;
  run->live = 1;
  run->gamma = 1;
  run->copies = run->units = 1;
  run->row0 = memory->row0 + place * (size_t)memory->rows;
  run->state0 = memory->state0 + place * memory->state_bytes;
}

static void carve_old(arena *a, pool_memory *memory) {
  const size_t capacity = (size_t)memory->capacity, rows = capacity * (size_t)memory->rows;
  memory->old_acted = arena_take(a, (size_t)memory->unit0 + capacity, sizeof *memory->old_acted);
  memory->old_places = arena_take(a, capacity, sizeof *memory->old_places);
  memory->old_lambda = layout_doubles(a, rows);
  memory->old_y = layout_doubles(a, rows);
  memory->old_ydot = layout_doubles(a, rows);
  memory->old_modes = arena_take(a, rows, 1);
  memory->old_law_states = arena_take(a, capacity, memory->state_bytes);
}

static void carve(arena *a, const perp_model *model, const layout_sizes *sizes,
                  perp_simulation *sim) {
  const perp_contact_pool *pool = model->pool;
  pool_memory local, *placed = arena_take(a, 1, sizeof *placed);
  pool_memory *memory = placed != NULL ? placed : &local;
  const size_t capacity = (size_t)pool->capacity;
  memset(memory, 0, sizeof *memory);
  memory->stage = &perp_stage_pool;
  memory->pool = pool;
  memory->capacity = memory->writer.capacity = pool->capacity;
  memory->rows = perp_pool_rows(pool);
  memory->run0 = sizes->n_interaction_runs - pool->capacity;
  memory->unit0 = sizes->graph.units - pool->capacity;
  memory->row0 = (size_t)sizes->graph.rows - capacity * (size_t)memory->rows;
  memory->state_bytes = largest_law_bytes(pool);
  memory->state0 = sizes->law_state_bytes - capacity * memory->state_bytes;
  memory->relations = arena_take(a, capacity, sizeof *memory->relations);
  memory->writer.found = arena_take(a, capacity, sizeof *memory->writer.found);
  memory->writer.number = arena_take(a, capacity, sizeof(int32_t));
  memory->writer.heap = arena_take(a, capacity, sizeof(int32_t));
  memory->order = arena_take(a, capacity, sizeof(int32_t));
  memory->standing = arena_take(a, capacity, sizeof(int32_t));
  memory->target = arena_take(a, capacity, sizeof(int32_t));
  memory->from = arena_take(a, capacity, sizeof(int32_t));
  memory->rank = arena_take(a, capacity, sizeof(int32_t));
  if (perp_pool_per_system(pool) < pool->capacity)
    memory->on_system = arena_take(a, (size_t)model->n_systems, sizeof(int32_t));
  const size_t rows = (size_t)memory->rows;
  pool_relation blank;
  perp_relation_terms none;
  memset(&none, 0, sizeof none);
  perp_pool_relation_clear(&blank);
  for (int32_t i = 0; i < pool->n_laws; i++)
    if (pool->laws[i]->ops->compliance != NULL && memory->compliance == NULL)
      memory->compliance = layout_doubles(a, capacity * rows * rows);
  carve_old(a, memory);
  for (int32_t i = 0; i < pool->capacity; i++) {
    const size_t used = a->used;
    interaction_run measured,
        *run = placed != NULL ? &sim->runs.interactions[memory->run0 + i] : &measured;
    memset(run, 0, sizeof *run);
    run->slots = arena_take(a, 2, sizeof *run->slots);
    run->relation = &blank.relation;
    run->order = 2;
    run->count = 1;
    run->m = memory->rows;
    run->n = POOL_MAX_N;
    sizes->stages->live->carve_interaction(a, sizes, run, &none, PERP_REACTION_END);
    if (placed == NULL) { /* all the others take as much */
      (void)arena_take(a, capacity - 1, a->used - used);
      break;
    }
    set_run(memory, i, run);
    run->first = model->n_interactions + i;
    run->unit0 = memory->unit0 + i;
    set_empty(memory, i, run);
  }
  sim->runs.have_gates = 1;
  sim->pool = placed;
  if (placed != NULL) set_count(sim, 0);
}

/* --------------------------------------------------------------------------- places ---- */

/* The run of place i as its contact is, at the positions of the state. */
static void set_place(const perp_simulation *sim, int32_t i) {
  const pool_memory *memory = sim->pool;
  const perp_pool_contact *contact = &memory->places[i];
  interaction_run *run = &sim->runs.interactions[memory->run0 + i];
  set_empty(memory, i, run);
  int32_t kind[2] = {POOL_NONE, POOL_NONE};
  const double *q[2] = {NULL, NULL};
  for (int32_t s = 0; s < 2 && contact->systems[s] >= 0; s++) {
    slot *at = &run->slots[s];
    const int32_t j = contact->systems[s];
    perp_layout_slot(&sim->runs.systems[sim->runs.of[j]], j, run->n, at);
    kind[s] = perp_pool_kind(memory->pool, at->run->system);
    q[s] = sim->state.q + at->q0;
    run->n += at->n;
    run->n_q += at->run->n_q;
    run->n_slots++;
  }
  run->wide = run->slots;
  run->n_wide = run->n_slots;
  run->n_gain = run->n;
  set_law(memory, i, memory->pool->laws[contact->law], run);
  perp_pool_relation_set(&memory->relations[i], memory->pool, contact, run->m, kind, q);
}

/* y and ẏ of the state where a contact was found. */
static void set_outputs(perp_simulation *sim, int32_t i) {
  const pool_memory *memory = sim->pool;
  const interaction_run *run = &sim->runs.interactions[memory->run0 + i];
  const pool_relation *relation = &memory->relations[i];
  const size_t m = (size_t)run->m;
  double *y = sim->state.y + run->row0, *ydot = sim->state.ydot + run->row0;
  y[0] = relation->gap;
  for (size_t r = 0; r < m; r++) ydot[r] = relation->rate[r];
  for (int32_t s = 0; s < run->n_slots; s++) {
    const slot *at = &run->slots[s];
    for (size_t c = 0; c < (size_t)at->n; c++)
      for (size_t r = 0; r < m; r++)
        ydot[r] += relation->H[r + m * ((size_t)at->column + c)] * sim->state.v[at->v0 + c];
  }
}

/* ----------------------------------------------------------------------- keep, undo ---- */

/* Between the pool's parts of the state block, as far as contacts stood, and their copies. */
static void keep(perp_simulation *sim, int back) {
  const pool_memory *memory = sim->pool;
  const size_t count = (size_t)memory->old_count, rows = count * (size_t)memory->rows;
  struct {
    void *state, *copy;
    size_t bytes;
  } part[] = {
      {memory->places, memory->old_places, count * sizeof *memory->places},
      {sim->state.lambda + memory->row0, memory->old_lambda, rows * sizeof(double)},
      {sim->state.y + memory->row0, memory->old_y, rows * sizeof(double)},
      {sim->state.ydot + memory->row0, memory->old_ydot, rows * sizeof(double)},
      {sim->state.modes + memory->row0, memory->old_modes, rows},
      {sim->state.laws + memory->state0, memory->old_law_states, count * memory->state_bytes},
      {sim->active.acted, memory->old_acted,
       (size_t)memory->old_n_acted * sizeof *memory->old_acted},
  };
  for (size_t i = 0; i < sizeof part / sizeof *part; i++)
    if (part[i].bytes > 0)
      memcpy(back ? part[i].state : part[i].copy, back ? part[i].copy : part[i].state,
             part[i].bytes);
}

static void undo(perp_simulation *sim) {
  pool_memory *memory = sim->pool;
  perp_pool_clear(sim, memory->old_count, memory->count);
  keep(sim, 1);
  sim->active.n_acted = memory->old_n_acted;
  set_count(sim, memory->old_count);
  for (int32_t i = 0; i < memory->count; i++) set_place(sim, i);
  perp_delassus_graph(sim);
}

/* ------------------------------------------------------------------------- matching ---- */

/* target of each place where a contact stood := which of those found it is, or -1; the others
 * gather at the front of order. Returns how many these are. */
static int32_t find_standing(const pool_memory *memory) {
  const perp_pool_writer *w = &memory->writer;
  int32_t s = 0, left = 0, *const standing = memory->standing;
  for (int32_t i = 0; i < memory->count; i++) {
    standing[i] = i;
    memory->target[i] = -1;
  }
  perp_pool_sort(memory->places, memory->count, standing);
  for (int32_t f = 0; f < w->count; f++) {
    int order = 1;
    while (s < memory->count &&
           (order = perp_pool_compare(&memory->places[standing[s]], &w->found[f])) < 0)
      s++;
    if (s < memory->count && order == 0)
      memory->target[standing[s++]] = f;
    else
      memory->order[left++] = f;
  }
  return left;
}

/* Which contact found goes to each place, where it stood or -1, and its rank: those that stood keep
 * theirs, new ones take the least that are free. */
static void match(const pool_memory *memory) {
  const int32_t left = find_standing(memory), now = memory->writer.count;
  int32_t *const found = memory->standing; /* of each new place */
  int32_t s = 0, f = 0, rank = 1;
  for (int32_t i = 0; i < now; i++, rank++) {
    while (s < memory->count && memory->target[s] < 0) s++;
    const int32_t next = s < memory->count ? memory->places[s].reserved : 0;
    if (next == rank || f == left) {
      rank = next;
      memory->from[i] = s;
      found[i] = memory->target[s++];
    } else {
      memory->from[i] = -1;
      found[i] = memory->order[f++];
    }
    memory->rank[i] = rank;
  }
  for (int32_t i = 0; i < now; i++) memory->target[i] = found[i];
}

/* λ, mode and law state of place i := those kept of a place before. */
static void bring(perp_simulation *sim, int32_t i, int32_t before) {
  const pool_memory *memory = sim->pool;
  const size_t rows = (size_t)memory->rows, to = memory->row0 + (size_t)i * rows;
  const size_t from = (size_t)before * rows, bytes = memory->state_bytes;
  memcpy(sim->state.lambda + to, memory->old_lambda + from, rows * sizeof(double));
  memcpy(sim->state.y + to, memory->old_y + from, rows * sizeof(double));
  memcpy(sim->state.ydot + to, memory->old_ydot + from, rows * sizeof(double));
  memcpy(sim->state.modes + to, memory->old_modes + from, rows);
  if (bytes > 0)
    memcpy(sim->state.laws + memory->state0 + (size_t)i * bytes,
           memory->old_law_states + (size_t)before * bytes, bytes);
}

static void occupy(perp_simulation *sim, int32_t i, const perp_pool_contact *contact, double h) {
  const pool_memory *memory = sim->pool;
  const int32_t from = memory->from[i];
  const perp_law *law = memory->pool->laws[contact->law];
  if (from < 0 || memory->old_places[from].law != contact->law) {
    perp_pool_clear(sim, i, i + 1);
    if (law->ops->state_init != NULL)
      law->ops->state_init(law, sim->state.laws + memory->state0 + (size_t)i * memory->state_bytes);
  } else if (from != i) {
    bring(sim, i, from);
  }
  memory->places[i] = *contact;
  memory->places[i].reserved = memory->rank[i];
  set_place(sim, i);
  set_outputs(sim, i);
  const interaction_run *run = &sim->runs.interactions[memory->run0 + i];
  if (run->compliance == NULL) return;
  memset(run->compliance, 0, (size_t)run->size * (size_t)run->size * sizeof(double));
  law->ops->compliance(law, h, run->compliance);
}

/* The units that acted, as they are numbered now. */
static void renumber_acted(perp_simulation *sim) {
  const pool_memory *memory = sim->pool;
  int32_t *acted = memory->standing, n = 0; /* of each place before */
  for (int32_t i = 0; i < memory->old_count; i++) acted[i] = 0;
  for (int32_t u = 0; u < memory->old_n_acted; u++) {
    const int32_t place = memory->old_acted[u] - memory->unit0;
    if (place < 0)
      n++;
    else
      acted[place] = 1;
  }
  for (int32_t i = 0; i < memory->count; i++)
    if (memory->from[i] >= 0 && acted[memory->from[i]]) sim->active.acted[n++] = memory->unit0 + i;
  sim->active.n_acted = n;
}

static perp_status update(perp_simulation *sim, double h, perp_info *info) {
  pool_memory *memory = sim->pool;
  memory->old_count = memory->count;
  memory->old_n_acted = sim->active.n_acted;
  keep(sim, 0);
  const perp_status status = perp_pool_find(sim, info);
  if (status != PERP_OK) return status;
  match(memory);
  set_count(sim, memory->writer.count);
  for (int32_t i = 0; i < memory->count; i++)
    occupy(sim, i, &memory->writer.found[memory->target[i]], h);
  perp_pool_clear(sim, memory->count, memory->old_count);
  renumber_acted(sim);
  sim->active.assembled = 0; /* for units that may be others by now */
  perp_delassus_graph(sim);
  return PERP_OK;
}

/* Refuse penetration from the beginning; the state is written by then. */
static perp_status begin(perp_simulation *sim, double h, perp_info *info) {
  const perp_status status = update(sim, h, info);
  if (status != PERP_OK) return status;
  for (int32_t i = 0; i < sim->pool->count; i++) {
    const double gap = sim->pool->places[i].place.gap;
    if (sim->runs.interactions[sim->pool->run0 + i].gated && !(gap >= sim->options.min_gap))
      return perp_pool_overlaps(sim, sim->pool->target[i], info);
  }
  return PERP_OK;
}

/* --------------------------------------------------------------------------- recall ---- */

/* Whether a place of a state block may be believed; before: the rank of the one before it, 0 where
 * none stands there, -1 of the first. */
static int is_sound(const perp_simulation *sim, const perp_pool_contact *c, int32_t before) {
  if (c->reserved == 0) return 1;
  if (before == 0 || c->reserved <= before || c->reserved > sim->pool->capacity || c->law < 0 ||
      c->law >= sim->model->pool->n_laws)
    return 0;
  for (int32_t s = 0; s < 2; s++) {
    const int32_t j = c->systems[s];
    if (s == 1 && j == PERP_GROUND) continue;
    if (j < 0 || j >= sim->n_systems || (s == 1 && j == c->systems[0]) ||
        perp_pool_kind(sim->model->pool, sim->model->systems[j]) == POOL_NONE)
      return 0;
  }
  return 1;
}

static perp_status recall(perp_simulation *sim, int32_t most, perp_info *info) {
  const pool_memory *memory = sim->pool;
  int32_t count = 0;
  for (int32_t i = 0; i < most; i++) {
    if (!is_sound(sim, &memory->places[i], i > 0 ? memory->places[i - 1].reserved : -1))
      return fail_of(info, PERP_OF_PLACE, PERP_EINVAL, "state.pool", i, 0);
    count += memory->places[i].reserved != 0;
  }
  set_count(sim, count);
  for (int32_t i = 0; i < count; i++) set_place(sim, i);
  perp_delassus_graph(sim);
  return PERP_OK;
}

/* ---------------------------------------------------------------------- a state is set ---- */

static void forget(perp_simulation *sim, const state_values *given) {
  pool_memory *memory = sim->pool;
  int32_t n = 0;
  (void)given; /* places are marked as interactions are */
  memory->old_count = memory->count;
  memory->old_n_acted = sim->active.n_acted;
  keep(sim, 0);
  for (int32_t i = 0; i < memory->old_count; i++) {
    if (memory->old_modes[(size_t)i * (size_t)memory->rows] & MODE_BEGINS) continue;
    memory->places[n] = memory->old_places[i];
    bring(sim, n++, i);
  }
  perp_pool_clear(sim, n, memory->old_count);
  (void)recall(sim, n, NULL); /* they were sound before */
}

const struct pool_stage perp_stage_pool = {.check = perp_pool_check,
                                           .measure = measure,
                                           .carve = carve,
                                           .begin = begin,
                                           .update = update,
                                           .undo = undo,
                                           .backup = perp_pool_backup,
                                           .recall = recall,
                                           .forget = forget};
