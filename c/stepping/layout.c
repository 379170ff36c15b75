/* SPDX-License-Identifier: MIT */
#include "stepping/stages.h"

#include <string.h>

#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "stepping/component.h"
#include "stepping/pool.h"

/* Doubles that the columns of W⁻¹ B on sparse systems may take: 32 MiB. */
static const size_t most_columns = (size_t)1 << 22;

const perp_integrator *perp_layout_integrator(const perp_simulation_options *options, int32_t i) {
  return options->integrators != NULL ? options->integrators[i] : options->integrator;
}

double perp_layout_theta(const perp_simulation_options *options, int32_t i) {
  return options->thetas != NULL ? options->thetas[i] : options->theta;
}

/* Whether the reactions of a scheme depend on the begin of the step, or hold within it. */
static int weighs(const perp_integrator *integrator, const perp_simulation_options *o) {
  return integrator->reaction != PERP_REACTION_END && o->reaction_gamma != 1;
}

/* Whether systems i and j are described alike. */
static int alike(const perp_model *model, const perp_simulation_options *o, int32_t i, int32_t j) {
  return model->systems[i] == model->systems[j] &&
         perp_layout_integrator(o, i) == perp_layout_integrator(o, j) &&
         perp_layout_theta(o, i) == perp_layout_theta(o, j);
}

int perp_layout_joins_system(const perp_model *model, const perp_simulation_options *o, int32_t i) {
  return alike(model, o, i, i - 1);
}

int perp_layout_joins_interaction(const perp_model *model, const perp_simulation_options *o,
                                  const layout_sizes *sizes, int32_t i, int32_t run) {
  const perp_interaction *b = model->interactions[i], *a = model->interactions[i - 1];
  if (sizes->components && b->relation->ops->order == 1) return 0; /* components are not affine */
  if (a->relation != b->relation || a->law != b->law || a->n_systems != b->n_systems) return 0;
  const int32_t *before = run > 1 ? model->interactions[i - 2]->systems : NULL;
  for (int32_t s = 0; s < b->n_systems; s++) {
    int32_t stride = b->systems[s] - a->systems[s];
    if (stride != 0 && stride != 1) return 0;
    if (before != NULL && a->systems[s] - before[s] != stride) return 0;
    if (!alike(model, o, b->systems[s], a->systems[s])) return 0;
  }
  return 1;
}

static size_t law_state_bytes(const perp_law *law) {
  return law->ops->state_bytes == NULL ? 0 : (law->ops->state_bytes(law) + 7) / 8 * 8;
}

static void grow(size_t *largest, size_t x) {
  if (x > *largest) *largest = x;
}

static size_t positions_of(const perp_system *s) {
  return s->ops->order == 2 ? (size_t)s->n + (size_t)s->ops->extra_q : 0;
}

/* Components may couple every row of order 1 with every other. */
static void bound_components(const perp_model *model, layout_sizes *sizes) {
  graph_counts *c = &sizes->graph;
  const size_t units = (size_t)c->units, rows = (size_t)c->rows;
  c->blocks = units * units;
  c->entries = rows * rows;
  c->envelope = rows * (rows + 1) / 2;
  c->incidences += (size_t)sizes->first_systems * (size_t)model->n_interactions;
}

void perp_layout_measure(const perp_model *model, const perp_simulation_options *o,
                         layout_sizes *sizes) {
  int varying = 0, weighted = 0; /* systems of order 1, and schemes of theirs */
  memset(sizes, 0, sizeof *sizes);
  sizes->scalar = 1;
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *s = model->systems[i];
    sizes->n_v += (size_t)s->n;
    sizes->n_q += positions_of(s);
    if (s->ops->order == 1) {
      sizes->first_systems++;
      sizes->first_n += (size_t)s->n;
    }
    if (s->n > sizes->largest_n) sizes->largest_n = s->n;
    grow(&sizes->joined_q, positions_of(s)); /* also a place for q* */
    if (system_is_varying(s)) sizes->live = 1;
    varying |= s->ops->order == 1 && system_is_varying(s);
    weighted |= s->ops->order == 1 && weighs(perp_layout_integrator(o, i), o);
    if (o->projection != PERP_PROJECT_NONE && s->ops->order == 2) sizes->live = 1;
    if (perp_layout_integrator(o, i)->position != 0) sizes->live = sizes->position = 1;
    if (s->ops->scratch_doubles != NULL) grow(&sizes->scratch, s->ops->scratch_doubles(s));
    if (i == 0 || !perp_layout_joins_system(model, o, i)) sizes->n_system_runs++;
  }
  if (varying && weighted) sizes->varying_first = 1;
  for (int32_t i = 0; i < model->n_interactions; i++)
    sizes->components |= perp_component_joins(model->interactions[i]);
  for (int32_t i = 0, run = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    const perp_law *law = inter->law;
    sizes->law_state_bytes += law_state_bytes(law) * (size_t)(inter->relation->m / law->size);
    size_t joined_q = 0;
    for (int32_t j = 0; j < inter->n_systems; j++)
      joined_q += positions_of(model->systems[inter->systems[j]]);
    grow(&sizes->joined_q, joined_q);
    grow(&sizes->joined_v, (size_t)inter->relation->n);
    if (inter->relation->ops->terms == NULL) {
      sizes->live = 1;
      sizes->varying_first |= inter->relation->ops->order == 1;
    }
    if (inter->relation->ops->scratch_doubles != NULL)
      grow(&sizes->scratch, inter->relation->ops->scratch_doubles(inter->relation));
    if (law->size != 1) sizes->scalar = 0;
    if (law->size > sizes->largest_law) sizes->largest_law = law->size;
    if (law->ops->preload != NULL) sizes->preloads = 1;
    run = i > 0 && perp_layout_joins_interaction(model, o, sizes, i, run) ? run + 1 : 1;
    if (run == 1) sizes->n_interaction_runs++;
  }
  perp_pool_measure(model, sizes);
  for (int32_t i = 0; i < model->n_systems; i++) { /* once it is known what is live */
    perp_system_terms terms;
    if (i > 0 && perp_layout_joins_system(model, o, i)) continue;
    if (model->systems[i]->n > sizes->largest_sparse &&
        layout_storage(model, o, sizes, i, &terms) == PERP_BLOCKS)
      sizes->largest_sparse = model->systems[i]->n;
  }
  perp_graph_count(model, &sizes->graph);
  if (sizes->components) bound_components(model, sizes);
  size_t rows = (size_t)sizes->graph.rows;
  sizes->state_bytes = sizeof(state_header) +
                       (sizes->n_q + sizes->n_v + 3 * rows) * sizeof(double) +
                       (sizes->position ? (sizes->n_q + rows) * sizeof(double) : 0) +
                       sizes->law_state_bytes + (rows + 7) / 8 * 8 + perp_pool_state_bytes(model) +
                       (o->switchable ? ((size_t)model->n_systems + 7) / 8 * 8 : 0);
}

void perp_layout_state(perp_simulation *sim, const layout_sizes *sizes, void *state) {
  size_t rows = (size_t)sizes->graph.rows;
  sim->head = (state_header *)state;
  sim->state_bytes = sizes->state_bytes;
  sim->q = (double *)(void *)(sim->head + 1);
  sim->v = sim->q + sizes->n_q;
  sim->lambda = sim->v + sizes->n_v;
  sim->y = sim->lambda + rows;
  sim->ydot = sim->y + rows;
  double *end = sim->ydot + rows;
  if (sizes->position) {
    sim->q_before = end;
    sim->y_before = end + sizes->n_q;
    end = sim->y_before + rows;
  }
  sim->law_states = (unsigned char *)end;
  sim->modes = sim->law_states + sizes->law_state_bytes;
  if (sim->pool != NULL)
    sim->pool->places = (perp_pool_contact *)(void *)(sim->modes + (rows + 7) / 8 * 8);
  if (sim->options.switchable)
    sim->off = (unsigned char *)state + sim->state_bytes - ((size_t)sim->n_systems + 7) / 8 * 8;
}

/* ------------------------------------------------------------------------- system runs ---- */

static double *take_doubles(arena *a, size_t count) { return arena_take(a, count, sizeof(double)); }

/* A tight copy of an operator, dense if it is in compressed rows; the view is made to point to it.
 */
static void keep_matrix(arena *a, perp_matrix *A) {
  if (A->kind == PERP_ZERO) return;
  if (A->kind == PERP_BLOCKS) {
    double *full = take_doubles(a, (size_t)A->rows * (size_t)A->rows);
    if (full != NULL) perp_matrix_to_dense(A, full, A->rows);
    *A = perp_dense(A->rows, A->rows, full);
    return;
  }
  size_t n = (size_t)A->rows, columns = A->kind == PERP_DENSE ? n : 1;
  double *copy = take_doubles(a, n * columns);
  if (copy != NULL)
    for (size_t j = 0; j < columns; j++)
      memcpy(copy + j * n, A->values + j * (size_t)A->ld, n * sizeof(double));
  A->values = copy;
  A->ld = A->rows;
}

/* An operator in compressed rows, on the pattern of W. */
static void keep_on_pattern(arena *a, const system_run *run, size_t entries, perp_matrix *A) {
  if (A->kind != PERP_BLOCKS) {
    keep_matrix(a, A);
    return;
  }
  double *values = take_doubles(a, entries);
  if (values != NULL) perp_pattern_spread(run, A, values);
  *A = perp_compressed_rows(run->n, run->start, run->index, values);
}

/* W and the operators of a run, as it stores them. */
static void carve_operators(arena *a, system_run *run) {
  size_t n = (size_t)run->n;
  perp_matrix *operators[] = {&run->M, &run->A, &run->C, &run->K};
  if (!run->sparse) {
    for (int i = 0; i < 4; i++) keep_matrix(a, operators[i]);
    run->W = take_doubles(a, run->dense ? n * n : n);
    if (run->dense) run->pivots = arena_take(a, n, sizeof(int32_t));
    return;
  }
  size_t entries = perp_pattern_count(run);
  if (entries > INT32_MAX) a->failed = 1;
  run->start = arena_take(a, n + 1, sizeof(int32_t));
  run->index = arena_take(a, entries, sizeof(int32_t));
  run->W = take_doubles(a, entries);
  if (run->W != NULL) perp_pattern_fill(run);
  for (int i = 0; i < 4; i++) keep_on_pattern(a, run, entries, operators[i]);
}

static double *keep_doubles(arena *a, const double *x, size_t count) {
  if (x == NULL) return NULL;
  double *copy = take_doubles(a, count);
  if (copy != NULL) memcpy(copy, x, count * sizeof(double));
  return copy;
}

/* Entries of the drift that repeat: enough for the inner loop to be worth vectorising. */
static int32_t tile_of(int32_t n, int32_t count, int once) {
  enum { TILE = 48 };
  int32_t repeat = once || n >= TILE ? 1 : TILE / n;
  return n * (repeat < count ? repeat : count);
}

/* Whether there is a gap that may open; a relation of velocities has none and always acts. */
static int has_position(const perp_relation *r) {
  return r->ops->features == NULL || (r->ops->features(r) & PERP_RELATION_HOLONOMIC) != 0;
}

/* Memory of a live run; its contents are made in every step. */
static void carve_live_system(arena *a, system_run *run) {
  live_system *at = &run->at;
  const perp_system_ops *ops = run->system->ops;
  size_t n = (size_t)run->n, all = (size_t)run->count;
  int constant = ops->constant_mass != 0 || ops->terms != NULL;
  run->dense = 1;
  run->W = take_doubles(a, n * n * all);
  run->pivots = arena_take(a, n * all, sizeof(int32_t));
  at->mass = take_doubles(a, constant ? n * n : n * n * all);
  at->now = take_doubles(a, n * all);
  at->end = take_doubles(a, n * all);
  at->defect = take_doubles(a, n * all);
  at->plain = take_doubles(a, n * n * all);
  at->factored = take_doubles(a, n * n * all);
  at->has_factor = arena_take(a, all, 1);
  if (at->has_factor != NULL) memset(at->has_factor, 0, all);
  at->dq = run->order == 2 ? take_doubles(a, n * n) : NULL;
  at->dv = take_doubles(a, n * n);
}

/* Compile the run of count systems that begins at first. */
static void carve_system_run(arena *a, const perp_model *model, const perp_simulation_options *o,
                             const layout_sizes *sizes, int32_t first, int32_t count,
                             system_run *run) {
  const perp_system *s = model->systems[first];
  memset(run, 0, sizeof *run);
  run->system = s;
  run->n_q = (int32_t)positions_of(s);
  run->integrator = perp_layout_integrator(o, first);
  run->theta = perp_layout_theta(o, first);
  run->first = first;
  run->count = count;
  run->n = s->n;
  run->order = s->ops->order;
  run->position = run->integrator->position;
  run->live = layout_is_live(model, o, sizes, first);
  if (run->live) {
    carve_live_system(a, run);
    return;
  }
  perp_system_terms terms;
  s->ops->terms(s, &terms);
  run->force = terms.force;
  run->user = terms.user;
  run->M = terms.M;
  run->A = terms.A;
  run->C = terms.C;
  run->K = terms.K;
  run->dense = terms_storage(&terms) == PERP_DENSE;
  run->sparse = terms_storage(&terms) == PERP_BLOCKS;
  run->tile = tile_of(run->n, count, run->dense || run->sparse);
  size_t n = (size_t)run->n, tile = (size_t)run->tile;
  size_t square = run->dense ? n * n : tile;
  carve_operators(a, run);
  if (!run->sparse &&
      (terms.A.kind != PERP_ZERO || terms.C.kind != PERP_ZERO || terms.K.kind != PERP_ZERO))
    run->P = take_doubles(a, square);
  if (!run->sparse && terms.K.kind != PERP_ZERO) run->R = take_doubles(a, square);
  run->constant = take_doubles(a, n);
  if (run->constant != NULL) {
    if (terms.f != NULL)
      memcpy(run->constant, terms.f, n * sizeof(double));
    else
      memset(run->constant, 0, n * sizeof(double));
  }
  if (run->force != NULL) {
    run->now = take_doubles(a, n);
    run->next = take_doubles(a, n);
  }
  run->drift = take_doubles(a, tile);
}

/* Compile all system runs; run_of (NULL while measuring) gets the run of each system. */
static void carve_systems(arena *a, const perp_model *model, const perp_simulation_options *o,
                          const layout_sizes *sizes, system_run *runs, int32_t *run_of) {
  size_t q = 0, v = 0;
  int32_t r = 0;
  for (int32_t i = 0, next; i < model->n_systems; i = next, r++) {
    for (next = i + 1; next < model->n_systems && perp_layout_joins_system(model, o, next);) next++;
    system_run local, *run = runs != NULL ? &runs[r] : &local;
    carve_system_run(a, model, o, sizes, i, next - i, run);
    run->q0 = q;
    run->v0 = v;
    run->size = (size_t)run->n * (size_t)run->count;
    v += run->size;
    q += (size_t)run->n_q * (size_t)run->count;
    if (run_of != NULL)
      for (int32_t j = i; j < next; j++) run_of[j] = r;
  }
}

/* -------------------------------------------------------------------- interaction runs ---- */

static size_t count_nonzeros(const double *x, size_t n) {
  size_t nonzeros = 0;
  for (size_t i = 0; x != NULL && i < n; i++) nonzeros += x[i] != 0;
  return nonzeros;
}

/* Nonzeros of H on n columns from column on. */
static size_t count_H(const perp_relation_terms *t, size_t m, size_t column, size_t n) {
  const perp_matrix *rows = &t->H_rows;
  size_t nonzeros = 0;
  if (rows->kind == PERP_ZERO) return t->H == NULL ? 0 : count_nonzeros(t->H + m * column, m * n);
  for (int32_t p = 0; p < rows->start[m]; p++)
    nonzeros += rows->values[p] != 0 && (size_t)rows->index[p] >= column &&
                (size_t)rows->index[p] < column + n;
  return nonzeros;
}

/* Most terms G = gain W⁻¹ B can have: those of B where W is diagonal, all where it is dense, none
 * where it is sparse. */
static size_t bound_G(const perp_model *model, const perp_simulation_options *o,
                      const layout_sizes *sizes, const perp_interaction *inter,
                      const perp_relation_terms *t) {
  size_t m = (size_t)inter->relation->m, n = (size_t)inter->relation->n, column = 0, bound = 0;
  int transpose = inter->relation->ops->order == 2;
  for (int32_t s = 0; s < inter->n_systems; s++) {
    const perp_system *system = model->systems[inter->systems[s]];
    size_t width = (size_t)system->n;
    perp_system_terms terms;
    int32_t storage = layout_storage(model, o, sizes, inter->systems[s], &terms);
    if (storage == PERP_DENSE) {
      bound += m * width;
    } else if (storage == PERP_DIAGONAL && transpose) {
      bound += count_H(t, m, column, width);
    } else if (storage == PERP_DIAGONAL && t->B != NULL) {
      for (size_t r = 0; r < m; r++) bound += count_nonzeros(t->B + r * n + column, width);
    }
    column += width;
  }
  return bound;
}

/* Rows of G belong to all columns of a live run, and to those on no sparse system of a constant
 * one.
 */
static void fill_slots(const perp_model *model, const perp_interaction *inter,
                       const perp_interaction *second, const system_run *runs,
                       const int32_t *run_of, int live, slot *slots) {
  int32_t column = 0, gain = 0;
  for (int32_t s = 0; s < inter->n_systems; s++) {
    int32_t j = inter->systems[s];
    const system_run *run = &runs[run_of[j]];
    size_t within = (size_t)(j - run->first);
    slots[s].run = run;
    slots[s].system0 = j;
    slots[s].stride = second != NULL ? second->systems[s] - j : 0;
    slots[s].n = model->systems[j]->n;
    slots[s].column = column;
    slots[s].gain = gain;
    slots[s].columns = NULL;
    slots[s].q0 = run->q0 + within * (size_t)run->n_q;
    slots[s].v0 = run->v0 + within * (size_t)run->n;
    slots[s].step = (size_t)slots[s].stride * (size_t)run->n;
    slots[s].step_q = (size_t)slots[s].stride * (size_t)run->n_q;
    column += slots[s].n;
    if (live || !run->sparse) gain += slots[s].n;
  }
}

/* Append the term in column c of a slot, unless it is 0. */
static int32_t add_term(interaction_run *run, int32_t count, int32_t s, int32_t c, double value) {
  const slot *at = &run->slots[s];
  term t = {value, s, c, at->q0 + (size_t)c, at->v0 + (size_t)c};
  if (value != 0) run->H[count++] = t;
  return count;
}

/* Terms of the rows of H, slot by slot. */
static void fill_H(interaction_run *run, const perp_relation_terms *terms) {
  const perp_matrix *rows = &terms->H_rows;
  int32_t count = 0;
  for (int32_t r = 0; r < run->m; r++)
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      run->H_start[r * run->n_slots + s] = count;
      for (int32_t c = 0; rows->kind == PERP_ZERO && c < at->n; c++)
        count = add_term(run, count, s, c,
                         terms->H[(size_t)r + (size_t)run->m * (size_t)(at->column + c)]);
      if (rows->kind == PERP_ZERO) continue;
      for (int32_t p = rows->start[r]; p < rows->start[r + 1]; p++)
        if (rows->index[p] >= at->column && rows->index[p] - at->column < at->n)
          count = add_term(run, count, s, rows->index[p] - at->column, rows->values[p]);
    }
  run->H_start[run->m * run->n_slots] = count;
}

/* Whether an interaction is evaluated in a step. */
static int interaction_is_live(const perp_model *model, const perp_simulation_options *o,
                               const layout_sizes *sizes, const perp_interaction *inter) {
  if (inter->relation->ops->terms == NULL) return 1;
  for (int32_t s = 0; s < inter->n_systems; s++)
    if (layout_is_live(model, o, sizes, inter->systems[s])) return 1;
  return 0;
}

static uint32_t features_of(const perp_relation *r, const perp_relation_terms *t) {
  if (r->ops->features != NULL) return r->ops->features(r);
  return t->D != NULL ? PERP_RELATION_D : 0;
}

/* Memory of a live run; its contents are made in every step. */
static void carve_live_interaction(arena *a, const layout_sizes *sizes, interaction_run *run,
                                   const perp_relation_terms *t, int32_t reaction) {
  live_interaction *at = &run->at;
  size_t m = (size_t)run->m, n = (size_t)run->n, all = (size_t)run->count;
  uint32_t features = features_of(run->relation, t);
  at->y = take_doubles(a, m * all);
  at->ydot = take_doubles(a, m * all);
  at->base = take_doubles(a, m * all);
  at->predicted = take_doubles(a, m * all);
  at->H = take_doubles(a, m * n * all);
  at->H_before = take_doubles(a, m * n * all);
  if ((features & PERP_RELATION_D) != 0) at->D = take_doubles(a, m * m * all);
  run->n_gain = run->n;
  if (sizes->components && run->order == 1) run->n_gain += (int32_t)sizes->first_n; /* at most */
  run->G = take_doubles(a, (size_t)run->n_gain * m * all);
  if (run->order != 1) return;
  at->r = take_doubles(a, n * all);
  at->B = take_doubles(a, n * m * all);
  if (reaction == PERP_REACTION_WEIGHTED) at->r_now = take_doubles(a, n * all);
  if ((features & PERP_RELATION_K) != 0) at->K = take_doubles(a, n * n * all);
}

/* What a constant run keeps of G, by whether W of a system is sparse: its columns if there is room,
 * or its rows of G. */
static void carve_gains(arena *a, const perp_model *model, const perp_simulation_options *o,
                        const layout_sizes *sizes, const perp_interaction *inter, int placed,
                        interaction_run *run) {
  const size_t m = (size_t)run->m;
  const int keep = (size_t)sizes->graph.rows <=
                   most_columns / (size_t)(sizes->largest_sparse > 0 ? sizes->largest_sparse : 1);
  for (int32_t s = 0; s < inter->n_systems; s++) {
    perp_system_terms terms;
    const int32_t j = inter->systems[s];
    if (layout_storage(model, o, sizes, j, &terms) != PERP_BLOCKS) {
      run->n_gain += model->systems[j]->n;
    } else if (keep) {
      double *columns = take_doubles(a, (size_t)model->systems[j]->n * m);
      if (placed) run->slots[s].columns = columns;
    }
  }
  run->G = take_doubles(a, (size_t)run->n_gain * m);
}

/* Compile the run of count interactions that begins at first. */
static void carve_interaction_run(arena *a, const perp_model *model,
                                  const perp_simulation_options *o, const layout_sizes *sizes,
                                  int32_t first, int32_t count, const system_run *runs,
                                  const int32_t *run_of, interaction_run *run) {
  const perp_interaction *inter = model->interactions[first];
  const perp_relation *relation = inter->relation;
  perp_relation_terms t;
  memset(&t, 0, sizeof t);
  if (relation->ops->terms != NULL) relation->ops->terms(relation, &t);
  memset(run, 0, sizeof *run);
  run->relation = relation;
  run->gamma = 1;
  run->live = interaction_is_live(model, o, sizes, inter);
  for (int32_t s = 0; s < inter->n_systems; s++)
    run->n_q += (int32_t)positions_of(model->systems[inter->systems[s]]);
  run->law = inter->law;
  run->first = first;
  run->count = count;
  run->m = relation->m;
  run->n = relation->n;
  run->n_slots = inter->n_systems;
  run->order = relation->ops->order;
  run->size = inter->law->size;
  run->copies = run->m / run->size;
  run->position = perp_layout_integrator(o, inter->systems[0])->position;
  run->gated = run->order == 2 && !run->position && inter->law->ops->unilateral != 0 &&
               has_position(inter->relation);
  run->local =
      inter->law->ops->local != NULL && (run->size == 1 || inter->law->ops->set > PERP_SET_BOX);
  run->state_bytes = law_state_bytes(inter->law);
  size_t m = (size_t)run->m, n = (size_t)run->n, slots = (size_t)run->n_slots;
  run->slots = arena_take(a, slots, sizeof *run->slots);
  run->wide = run->slots;
  run->n_wide = run->n_slots;
  if (sizes->components && run->order == 1)
    run->wide = arena_take(a, slots + (size_t)sizes->first_systems, sizeof *run->wide);
  if (runs != NULL)
    fill_slots(model, inter, count > 1 ? model->interactions[first + 1] : NULL, runs, run_of,
               run->live, run->slots);
  const int32_t reaction = perp_layout_integrator(o, inter->systems[0])->reaction;
  if (run->order == 1 && reaction == PERP_REACTION_MIDDLE) run->gamma = o->reaction_gamma;
  if (run->live) {
    carve_live_interaction(a, sizes, run, &t, reaction);
  } else {
    run->G_start = arena_take(a, m + 1, sizeof *run->G_start);
    run->G_terms = arena_take(a, bound_G(model, o, sizes, inter, &t) + 1, sizeof *run->G_terms);
    carve_gains(a, model, o, sizes, inter, runs != NULL, run);
    run->diagonal = take_doubles(a, m * m);
  }
  run->H_start = arena_take(a, m * slots + 1, sizeof *run->H_start);
  run->H = arena_take(a, count_H(&t, m, 0, n) + 1, sizeof *run->H);
  run->B = run->order == 1 ? keep_doubles(a, t.B, n * m) : NULL;
  if (!run->live && run->order == 1 && t.B != NULL && reaction == PERP_REACTION_WEIGHTED &&
      o->reaction_gamma != 1)
    run->G_now = take_doubles(a, n * m);
  run->D = keep_doubles(a, t.D, m * m);
  run->b = take_doubles(a, m);
  if (t.F != NULL && t.n_z > 0) {
    run->F = keep_doubles(a, t.F, m * (size_t)t.n_z);
    run->z = t.z;
    run->n_z = t.n_z;
  }
  if (inter->law->ops->compliance != NULL)
    run->compliance = take_doubles(a, (size_t)run->size * (size_t)run->size);
  run->offset = take_doubles(a, m);
  if (t.a != NULL) {
    run->a = keep_doubles(a, t.a, n);
    run->Ga = take_doubles(a, n);
  }
  if (runs == NULL) return;
  for (size_t r = 0; r < m; r++) run->b[r] = t.b != NULL ? t.b[r] : 0;
  memcpy(run->offset, run->b, m * sizeof(double));
  if (t.H != NULL || t.H_rows.kind != PERP_ZERO) fill_H(run, &t);
}

static void carve_interactions(arena *a, const perp_model *model, const perp_simulation_options *o,
                               const layout_sizes *sizes, const system_run *systems,
                               const int32_t *run_of, interaction_run *runs) {
  size_t row = 0, state = 0;
  int32_t unit = 0, r = 0;
  for (int32_t i = 0, next; i < model->n_interactions; i = next, r++) {
    for (next = i + 1; next < model->n_interactions &&
                       perp_layout_joins_interaction(model, o, sizes, next, next - i);)
      next++;
    interaction_run local, *run = runs != NULL ? &runs[r] : &local;
    carve_interaction_run(a, model, o, sizes, i, next - i, systems, run_of, run);
    run->row0 = row;
    run->unit0 = unit;
    run->state0 = state;
    row += (size_t)run->m * (size_t)run->count;
    run->units = run->copies * run->count;
    unit += run->units;
    state += run->state_bytes * (size_t)run->units;
  }
}

/* ------------------------------------------------------------------------- the whole ---- */

static void add_law(const perp_law *law, size_t copies, perp_shape *shape) {
  const size_t doubles = law_projection_doubles(law);
  shape->sets |= 1u << law->ops->set;
  shape->constraints += (size_t)law_constraints(law) * copies;
  if (doubles > shape->projection) shape->projection = doubles;
  if (law->size > shape->largest) shape->largest = law->size;
}

/* Shape of the largest one-step problem there can be. */
static perp_shape largest_shape(const perp_model *model, const layout_sizes *sizes) {
  perp_shape shape = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  shape.n = sizes->graph.rows;
  shape.contacts = sizes->graph.rows;
  shape.n_blocks = sizes->graph.units;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_law *law = model->interactions[i]->law;
    add_law(law, (size_t)(model->interactions[i]->relation->m / law->size), &shape);
  }
  for (int32_t i = 0; model->pool != NULL && i < model->pool->n_laws; i++)
    add_law(model->pool->laws[i], (size_t)model->pool->capacity, &shape);
  shape.matrix = PERP_BLOCKS;
  shape.nonzeros = sizes->graph.entries;
  shape.envelope = sizes->graph.envelope;
  return shape;
}

static void carve_iterate(arena *a, const layout_sizes *sizes, perp_simulation *sim) {
  /* one more than needed: none of them is NULL where a model has no positions or rows */
  size_t rows = (size_t)sizes->graph.rows + 1, n_q = sizes->n_q + 1;
  sim->trial_q = take_doubles(a, n_q);
  sim->trial_v = take_doubles(a, sizes->n_v);
  sim->trial_lambda = take_doubles(a, rows);
  if (sizes->position) {
    sim->last_q = take_doubles(a, n_q);
    sim->last_y = take_doubles(a, rows);
  }
  sim->base_v = take_doubles(a, sizes->n_v);
  sim->from_v = take_doubles(a, sizes->n_v);
  sim->from_lambda = take_doubles(a, rows);
  sim->defect = take_doubles(a, sizes->n_v);
  sim->defect_size = take_doubles(a, sizes->n_v);
  sim->gather_q = take_doubles(a, sizes->joined_q);
  sim->gather_v = take_doubles(a, sizes->joined_v);
  sim->scratch = take_doubles(a, sizes->scratch + (size_t)sizes->largest_n + sizes->joined_v + 1);
  sim->acting = arena_take(a, (size_t)sizes->graph.units + 1, 1);
}

static void carve_projection(arena *a, const perp_model *model, const layout_sizes *sizes,
                             perp_simulation *sim) {
  projection *p = &sim->projection;
  size_t rows = (size_t)sizes->graph.rows;
  (void)perp_equality_init(&p->bilateral, sizeof p->bilateral);
  (void)perp_complementarity_init(&p->unilateral, sizeof p->unilateral);
  sim->shift = take_doubles(a, sizes->n_v);
  p->rows = arena_take(a, rows, sizeof *p->rows);
  p->first = arena_take(
      a,
      (size_t)model->n_interactions + (size_t)(model->pool != NULL ? model->pool->capacity : 0) + 1,
      sizeof(int32_t));
  p->start = arena_take(a, rows + 1, sizeof(int32_t));
  p->index = arena_take(a, sizes->graph.entries, sizeof(int32_t));
  p->mark = arena_take(a, rows, sizeof(int32_t));
  p->offset = arena_take(a, rows + 1, sizeof(int32_t));
  p->value = take_doubles(a, sizes->graph.entries);
  p->rhs = take_doubles(a, rows);
  p->mu = take_doubles(a, rows);
  p->y = take_doubles(a, rows);
  p->laws = arena_take(a, rows, sizeof *p->laws);
}

static void carve_scratch(arena *a, const perp_model *model, const perp_simulation_options *o,
                          const layout_sizes *sizes, perp_simulation *sim) {
  size_t units = (size_t)sizes->graph.units, rows = (size_t)sizes->graph.rows;
  sim->free_v = take_doubles(a, sizes->n_v);
  sim->increment = take_doubles(a, (size_t)sizes->largest_n);
  if (sim->has_sparse) {
    sim->load = take_doubles(a, sizes->n_v);
    sim->loaded = arena_take(a, (size_t)model->n_systems, sizeof *sim->loaded);
  }
  sim->now = arena_take(a, units, sizeof(int32_t));
  sim->before = arena_take(a, units, sizeof(int32_t));
  sim->active = arena_take(a, units, sizeof *sim->active);
  sim->unsorted = arena_take(a, units, sizeof *sim->unsorted);
  sim->position = arena_take(a, units, sizeof(int32_t));
  sim->parent = arena_take(a, units, sizeof(int32_t));
  sim->segments = arena_take(a, units, sizeof *sim->segments);
  sim->islands = arena_take(a, units, sizeof *sim->islands);
  sim->start = arena_take(a, 2 * units, sizeof(int32_t));
  sim->cut = sizes->scalar ? NULL : arena_take(a, 2 * units, sizeof(int32_t));
  sim->index = arena_take(a, sizes->graph.blocks, sizeof(int32_t));
  sim->value = take_doubles(a, sizes->graph.entries);
  sim->law_offset = arena_take(a, 2 * units, sizeof(int32_t));
  sim->laws = arena_take(a, units, sizeof *sim->laws);
  sim->states = sizes->law_state_bytes > 0 ? arena_take(a, units, sizeof *sim->states) : NULL;
  sim->row_id = arena_take(a, rows, sizeof(int32_t));
  sim->rhs = take_doubles(a, rows);
  sim->active_lambda = take_doubles(a, rows);
  sim->active_y = take_doubles(a, rows);
  sim->ydot_before = take_doubles(a, rows);
  sim->preload = sizes->preloads ? take_doubles(a, rows) : NULL;
  sim->active_modes = arena_take(a, rows, 1);
  perp_shape shape = largest_shape(model, sizes);
  if (o->projection != PERP_PROJECT_NONE) { /* laws of rows */
    shape.sets |= 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT;
    shape.n_blocks = shape.n;
  }
  if ((shape.sets & 1u << PERP_SET_FREE) != 0) sim->kept = take_doubles(a, rows);
  sim->residual_work = take_doubles(a, 8 * (size_t)sizes->largest_law + shape.projection);
  if (o->solver != NULL && units > 0) {
    sim->sets = shape.sets;
    sim->solver_bytes = perp_solver_shape_workspace(o->solver, &shape, o->solver_options);
    if (sim->solver_bytes == 0) a->failed = 1; /* the size overflows */
    sim->solver_work = arena_take(a, sim->solver_bytes, 1);
    sim->warm_bytes = o->solver->warm_bytes == NULL ? 0 : o->solver->warm_bytes(&shape);
    if (sim->warm_bytes > 0) sim->warm_bytes += 32 * units; /* headers and padding of islands */
    sim->warm = arena_take(a, sim->warm_bytes, 1);
  }
  if (o->formulation != PERP_FORMULATION_REDUCED &&
      perp_global_fits(model, o, sizes, NULL) == PERP_OK)
    perp_global_carve(a, model, o, sizes, shape.projection, sim);
  if (sizes->live) carve_iterate(a, sizes, sim);
  if (o->projection != PERP_PROJECT_NONE) carve_projection(a, model, sizes, sim);
  if (o->on_failure == PERP_FAILURE_RETRY) sim->backup = arena_take(a, sizes->state_bytes, 1);
}

perp_simulation *perp_layout_work(arena *a, const perp_model *model,
                                  const perp_simulation_options *o, const layout_sizes *sizes) {
  perp_simulation local, *placed = arena_take(a, 1, sizeof *placed);
  perp_simulation *sim = placed != NULL ? placed : &local;
  memset(sim, 0, sizeof *sim);
  sim->model = model;
  sim->options = *o;
  sim->n_q = sizes->n_q;
  sim->rows = (size_t)sizes->graph.rows;
  sim->n_v = sizes->n_v;
  sim->live = sizes->live;
  sim->units = sizes->graph.units;
  sim->n_systems = model->n_systems;
  sim->n_interactions = model->n_interactions;
  sim->n_system_runs = sizes->n_system_runs;
  sim->n_interaction_runs = sizes->n_interaction_runs;
  sim->has_law_states = sizes->law_state_bytes > 0;
  sim->has_sparse = sizes->largest_sparse > 0;
  sim->systems = arena_take(a, (size_t)sizes->n_system_runs, sizeof *sim->systems);
  sim->interactions = arena_take(a, (size_t)sizes->n_interaction_runs, sizeof *sim->interactions);
  sim->incidence_start = arena_take(a, (size_t)model->n_systems + 1, sizeof(int32_t));
  sim->incidence = arena_take(a, sizes->graph.incidences, sizeof *sim->incidence);
  sim->full_start = arena_take(a, (size_t)sim->units + 1, sizeof(int32_t));
  sim->full_entry = arena_take(a, (size_t)sim->units + 1, sizeof(size_t));
  sim->full_index = arena_take(a, sizes->graph.blocks, sizeof(int32_t));
  sim->full_value = take_doubles(a, sizes->graph.entries);
  sim->full_width =
      sizes->scalar ? NULL : arena_take(a, (size_t)sim->units, sizeof *sim->full_width);
  carve_scratch(a, model, o, sizes, sim);
  int32_t *run_of = arena_take(a, (size_t)model->n_systems, sizeof(int32_t));
  sim->run_of = run_of;
  carve_systems(a, model, o, sizes, sim->systems, run_of);
  carve_interactions(a, model, o, sizes, placed != NULL ? sim->systems : NULL, run_of,
                     placed != NULL ? sim->interactions : NULL);
  perp_pool_carve(a, model, sizes, sim);
  if (o->switchable) {
    sim->frozen_q = take_doubles(a, sizes->n_q);
    sim->frozen_v = take_doubles(a, sizes->n_v);
  }
  if (sizes->components) perp_component_carve(a, model, sizes, sim);
  if (placed == NULL) return NULL;
  if (sizes->components) perp_component_connect(sim);
  if (sim->load != NULL) {
    memset(sim->load, 0, sizes->n_v * sizeof *sim->load);
    memset(sim->loaded, 0, (size_t)model->n_systems * sizeof *sim->loaded);
  }
  perp_delassus_graph(sim);
  for (int32_t r = 0; r < sim->n_system_runs; r++) sim->has_forces |= sim->systems[r].force != NULL;
  for (int32_t r = 0; r < sim->n_interaction_runs; r++) {
    sim->has_gated |= sim->interactions[r].gated;
    sim->has_parameters |= sim->interactions[r].F != NULL;
    sim->has_reactions_now |= sim->interactions[r].G_now != NULL;
    sim->has_constant_reactions |= sim->interactions[r].Ga != NULL && !sim->interactions[r].live;
  }
  return placed;
}

void perp_layout_island_problem(const perp_simulation *sim, int32_t i, perp_problem *problem) {
  const island *at = &sim->islands[i];
  /* each island has one start and one law offset more than rows and laws */
  const int32_t *start = sim->start + at->first + i;
  const int32_t *cut = sim->cut != NULL ? sim->cut + at->first + i : NULL;
  problem->M =
      perp_block_rows(at->count, cut, start, sim->index + at->block, sim->value + at->entry);
  problem->q = sim->rhs + at->row;
  problem->n = at->rows;
  problem->n_blocks = at->laws;
  problem->laws = sim->laws + at->law;
  problem->offset = sim->law_offset + at->law + i;
  problem->states = sim->states != NULL ? sim->states + at->law : NULL;
}
