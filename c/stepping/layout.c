/* SPDX-License-Identifier: MIT */
#include "stepping/stages.h"

#include <string.h>

#include "problem/bounds.h"
#include "stepping/layout_parts.h"
#include "stepping/pool_places.h"
#include "stepping/state_component.h"

static const perp_stages *stages_of(const perp_integrator *integrator) {
  return integrator != NULL && integrator->struct_size >= sizeof *integrator ? integrator->stages
                                                                             : NULL;
}

const perp_stages *perp_layout_stages(const perp_model *model, const perp_simulation_options *o) {
  static const perp_stages none = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  const perp_stages *stages = model->n_systems == 0 ? stages_of(o->integrator) : NULL;
  for (int32_t i = 0; stages == NULL && i < model->n_systems; i++)
    stages = stages_of(perp_layout_integrator(o, i));
  return stages != NULL ? stages : &none;
}

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

static void grow(size_t *largest, size_t x) {
  if (x > *largest) *largest = x;
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

static void measure_pool(const perp_model *model, const perp_simulation_options *o,
                         layout_sizes *sizes) {
  const struct pool_stage *swept = sizes->stages->swept;
  sizes->swept = o->formulation != PERP_FORMULATION_REDUCED && swept != NULL &&
                 perp_pool_swept_fits(model, o, NULL) == PERP_OK;
  sizes->sleeps = sizes->swept && o->sleep_energy > 0;
  (sizes->swept ? swept : sizes->stages->pool)->measure(model, sizes);
  if (sizes->swept) sizes->live = model->n_interactions > 0;
}

void perp_layout_measure(const perp_model *model, const perp_simulation_options *o,
                         layout_sizes *sizes) {
  int varying = 0, weighted = 0; /* systems of order 1, and schemes of theirs */
  memset(sizes, 0, sizeof *sizes);
  sizes->scalar = 1;
  sizes->stages = perp_layout_stages(model, o);
  for (int32_t i = 0; i < model->n_systems; i++) {
    const perp_system *s = model->systems[i];
    sizes->n_v += (size_t)s->n;
    sizes->n_q += layout_positions(s);
    if (s->ops->order == 1) {
      sizes->first_systems++;
      sizes->first_n += (size_t)s->n;
    }
    if (s->n > sizes->largest_n) sizes->largest_n = s->n;
    grow(&sizes->joined_q, layout_positions(s)); /* also a place for q* */
    if (system_is_varying(s)) sizes->live = 1;
    varying |= s->ops->order == 1 && system_is_varying(s);
    weighted |= s->ops->order == 1 && weighs(perp_layout_integrator(o, i), o);
    if (o->projection != PERP_PROJECT_NONE && s->ops->order == 2) sizes->live = 1;
    if (perp_layout_integrator(o, i)->two_step != 0) sizes->live = sizes->two_step = 1;
    if (s->ops->scratch_doubles != NULL) grow(&sizes->scratch, s->ops->scratch_doubles(s));
    if (i == 0 || !perp_layout_joins_system(model, o, i)) sizes->n_system_runs++;
  }
  if (varying && weighted) sizes->varying_first = 1;
  for (int32_t i = 0; i < model->n_interactions; i++)
    sizes->components |= component_joins(model->interactions[i]);
  if (sizes->components) sizes->live = 1; /* K is evaluated */
  for (int32_t i = 0, run = 0; i < model->n_interactions; i++) {
    const perp_interaction *inter = model->interactions[i];
    const perp_law *law = inter->law;
    sizes->law_state_bytes += layout_law_bytes(law) * (size_t)(inter->relation->m / law->size);
    size_t joined_q = 0;
    for (int32_t j = 0; j < inter->n_systems; j++)
      joined_q += layout_positions(model->systems[inter->systems[j]]);
    grow(&sizes->joined_q, joined_q);
    grow(&sizes->joined_v, (size_t)inter->relation->n);
    if (inter->relation->ops->terms == NULL) {
      sizes->live = 1;
      sizes->varying_first |= inter->relation->ops->order == 1;
      if (inter->relation->ops->order == 2)
        grow(&sizes->probe, layout_stiffness_doubles(inter->relation->m, inter->relation->n));
    }
    if (inter->relation->ops->scratch_doubles != NULL)
      grow(&sizes->scratch, inter->relation->ops->scratch_doubles(inter->relation));
    if (law->size != 1) sizes->scalar = 0;
    if (law->size > sizes->largest_law) sizes->largest_law = law->size;
    if (law->ops->preload != NULL) sizes->preloads = 1;
    run = i > 0 && perp_layout_joins_interaction(model, o, sizes, i, run) ? run + 1 : 1;
    if (run == 1) sizes->n_interaction_runs++;
  }
  if (model->pool != NULL) measure_pool(model, o, sizes);
  for (int32_t i = 0; i < model->n_systems; i++) { /* once it is known what is live */
    perp_system_terms terms;
    if (i > 0 && perp_layout_joins_system(model, o, i)) continue;
    if (model->systems[i]->n > sizes->largest_sparse &&
        layout_storage(model, o, sizes, i, &terms) == PERP_BLOCKS)
      sizes->largest_sparse = model->systems[i]->n;
  }
  perp_model bare = *model;
  if (sizes->swept) bare.pool = NULL;
  perp_graph_count(&bare, &sizes->graph);
  if (sizes->components) bound_components(model, sizes);
  size_t rows = (size_t)sizes->graph.rows;
  sizes->state_bytes = sizeof(state_header) +
                       (sizes->n_q + sizes->n_v + 3 * rows) * sizeof(double) +
                       (sizes->two_step ? (sizes->n_q + rows) * sizeof(double) : 0) +
                       sizes->law_state_bytes + (rows + 7) / 8 * 8 + sizes->pool_bytes +
                       (o->switchable ? ((size_t)model->n_systems + 7) / 8 * 8 : 0);
}

void perp_layout_state(perp_simulation *sim, const layout_sizes *sizes, void *state) {
  size_t rows = (size_t)sizes->graph.rows;
  sim->state.head = (state_header *)state;
  sim->state.bytes = sizes->state_bytes;
  sim->state.q = (double *)(void *)(sim->state.head + 1);
  sim->state.v = sim->state.q + sizes->n_q;
  sim->state.lambda = sim->state.v + sizes->n_v;
  sim->state.y = sim->state.lambda + rows;
  sim->state.ydot = sim->state.y + rows;
  double *end = sim->state.ydot + rows;
  if (sizes->two_step) {
    sim->state.q_before = end;
    sim->state.y_before = end + sizes->n_q;
    end = sim->state.y_before + rows;
  }
  sim->state.laws = (unsigned char *)end;
  sim->state.modes = sim->state.laws + sizes->law_state_bytes;
  if (sim->pool != NULL)
    sim->pool->places = (perp_pool_contact *)(void *)(sim->state.modes + (rows + 7) / 8 * 8);
  if (sim->options.switchable)
    sim->state.off =
        (unsigned char *)state + sim->state.bytes - ((size_t)sim->n_systems + 7) / 8 * 8;
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
static perp_shape largest_shape(const perp_model *model, const perp_simulation_options *o,
                                const layout_sizes *sizes) {
  perp_shape shape = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  shape.n = sizes->graph.rows;
  shape.contacts = sizes->graph.rows;
  shape.n_blocks = sizes->graph.units;
  for (int32_t i = 0; i < model->n_interactions; i++) {
    const perp_law *law = model->interactions[i]->law;
    add_law(law, (size_t)(model->interactions[i]->relation->m / law->size), &shape);
  }
  for (int32_t i = 0; model->pool != NULL && !sizes->swept && i < model->pool->n_laws; i++)
    add_law(model->pool->laws[i], (size_t)model->pool->capacity, &shape);
  shape.matrix = PERP_BLOCKS;
  shape.nonzeros = sizes->graph.entries;
  shape.envelope = sizes->graph.envelope;
  if (o->projection != PERP_PROJECT_NONE) { /* laws of rows */
    shape.sets |= 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT;
    shape.n_blocks = shape.n;
  }
  return shape;
}

int32_t perp_layout_too_many(const perp_model *model, const perp_simulation_options *o,
                             const layout_sizes *sizes) {
  const perp_shape shape = largest_shape(model, o, sizes);
  if (o->solver == NULL || shape.n == 0) return 0;
  return perp_solver_shape_workspace(o->solver, &shape, o->solver_options) == 0 ? shape.n : 0;
}

static void carve_scratch(arena *a, const perp_model *model, const perp_simulation_options *o,
                          const layout_sizes *sizes, perp_simulation *sim) {
  size_t units = (size_t)sizes->graph.units, rows = (size_t)sizes->graph.rows;
  sim->step.free_v = layout_doubles(a, sizes->n_v);
  if (o->reaction_gamma != 1) sim->step.middle = layout_doubles(a, sizes->n_v);
  sim->step.increment = layout_doubles(a, (size_t)sizes->largest_n);
  if (sim->sparse != NULL) {
    sim->step.load = layout_doubles(a, sizes->n_v);
    sim->step.loaded = arena_take(a, (size_t)model->n_systems, sizeof *sim->step.loaded);
  }
  sim->active.acting = arena_take(a, units, sizeof(int32_t));
  sim->active.acted = arena_take(a, units, sizeof(int32_t));
  sim->active.units = arena_take(a, units, sizeof *sim->active.units);
  sim->active.unsorted = arena_take(a, units, sizeof *sim->active.unsorted);
  sim->active.place = arena_take(a, units, sizeof(int32_t));
  sim->active.parent = arena_take(a, units, sizeof(int32_t));
  sim->active.segments = arena_take(a, units, sizeof *sim->active.segments);
  sim->active.islands = arena_take(a, units, sizeof *sim->active.islands);
  sim->problem.start = arena_take(a, 2 * units, sizeof(int32_t));
  sim->problem.cut = sizes->scalar ? NULL : arena_take(a, 2 * units, sizeof(int32_t));
  sim->problem.index = arena_take(a, sizes->graph.blocks, sizeof(int32_t));
  sim->problem.value = layout_doubles(a, sizes->graph.entries);
  sim->problem.law_offset = arena_take(a, 2 * units, sizeof(int32_t));
  sim->problem.laws = arena_take(a, units, sizeof *sim->problem.laws);
  sim->problem.states =
      sizes->law_state_bytes > 0 ? arena_take(a, units, sizeof *sim->problem.states) : NULL;
  sim->problem.row_id = arena_take(a, rows, sizeof(int32_t));
  sim->problem.rhs = layout_doubles(a, rows);
  sim->problem.weight = layout_doubles(a, rows);
  sim->problem.lambda = layout_doubles(a, rows);
  sim->problem.y = layout_doubles(a, rows);
  sim->step.ydot_before = layout_doubles(a, rows);
  sim->problem.preload = sizes->preloads ? layout_doubles(a, rows) : NULL;
  sim->problem.modes = arena_take(a, rows, 1);
  const perp_shape shape = largest_shape(model, o, sizes);
  sim->relax = (shape.sets & 1u << PERP_SET_FREE) != 0 ? sizes->stages->relax : NULL;
  if (sim->relax != NULL) sim->problem.kept = layout_doubles(a, rows);
  sim->problem.residual_work = layout_doubles(a, 8 * (size_t)sizes->largest_law + shape.projection);
  if (o->solver != NULL && units > 0) {
    sim->problem.sets = shape.sets;
    sim->problem.work_bytes = perp_solver_shape_workspace(o->solver, &shape, o->solver_options);
    if (sim->problem.work_bytes == 0) a->failed = 1; /* the size overflows */
    sim->problem.work = arena_take(a, sim->problem.work_bytes, 1);
    sim->problem.warm_bytes = o->solver->warm_bytes == NULL ? 0 : o->solver->warm_bytes(&shape);
    if (sim->problem.warm_bytes > 0)
      sim->problem.warm_bytes += 32 * units; /* headers and padding of islands */
    sim->problem.warm = arena_take(a, sim->problem.warm_bytes, 1);
  }
  if (o->formulation != PERP_FORMULATION_REDUCED && model->pool == NULL &&
      sizes->stages->global->fits(model, o, sizes, NULL) == PERP_OK) {
    sim->global.stage = sizes->stages->global;
    sim->global.stage->carve(a, model, o, sizes, shape.projection, sim);
  }
  if (o->on_failure == PERP_FAILURE_RETRY) sim->state.backup = arena_take(a, sizes->state_bytes, 1);
}

perp_simulation *perp_layout_work(arena *a, const perp_model *model,
                                  const perp_simulation_options *o, const layout_sizes *sizes) {
  perp_simulation local, *placed = arena_take(a, 1, sizeof *placed);
  perp_simulation *sim = placed != NULL ? placed : &local;
  memset(sim, 0, sizeof *sim);
  sim->model = model;
  sim->options = *o;
  sim->state.n_q = sizes->n_q;
  sim->state.rows = (size_t)sizes->graph.rows;
  sim->state.n_v = sizes->n_v;
  if (sizes->live) sim->live = sizes->swept ? sizes->stages->swept->live : sizes->stages->live;
  sim->runs.units = sizes->graph.units;
  sim->n_systems = model->n_systems;
  sim->n_interactions = model->n_interactions;
  sim->runs.n_system_runs = sizes->n_system_runs;
  sim->runs.n_interaction_runs = sizes->n_interaction_runs;
  sim->runs.have_states = sizes->law_state_bytes > 0;
  sim->sparse = sizes->largest_sparse > 0 ? sizes->stages->sparse : NULL;
  sim->runs.systems = arena_take(a, (size_t)sizes->n_system_runs, sizeof *sim->runs.systems);
  sim->runs.interactions =
      arena_take(a, (size_t)sizes->n_interaction_runs, sizeof *sim->runs.interactions);
  sim->runs.incidence_start = arena_take(a, (size_t)model->n_systems + 1, sizeof(int32_t));
  sim->runs.incidence = arena_take(a, sizes->graph.incidences, sizeof *sim->runs.incidence);
  sim->whole.start = arena_take(a, (size_t)sim->runs.units + 1, sizeof(int32_t));
  sim->whole.entry = arena_take(a, (size_t)sim->runs.units + 1, sizeof(size_t));
  sim->whole.index = arena_take(a, sizes->graph.blocks, sizeof(int32_t));
  sim->whole.value = layout_doubles(a, sizes->graph.entries);
  sim->whole.width =
      sizes->scalar ? NULL : arena_take(a, (size_t)sim->runs.units, sizeof *sim->whole.width);
  carve_scratch(a, model, o, sizes, sim);
  int32_t *run_of = arena_take(a, (size_t)model->n_systems, sizeof(int32_t));
  sim->runs.of = run_of;
  perp_layout_systems(a, model, o, sizes, sim->runs.systems, run_of);
  perp_layout_interactions(a, model, o, sizes, placed != NULL ? sim->runs.systems : NULL, run_of,
                           placed != NULL ? sim->runs.interactions : NULL);
  if (model->pool != NULL)
    (sizes->swept ? sizes->stages->swept : sizes->stages->pool)->carve(a, model, sizes, sim);
  if (o->switchable) {
    sim->state.frozen_q = layout_doubles(a, sizes->n_q);
    sim->state.frozen_v = layout_doubles(a, sizes->n_v);
  }
  if (sim->live != NULL) sim->live->carve(a, model, o, sizes, sim);
  if (placed == NULL) return NULL;
  if (sim->step.load != NULL) {
    memset(sim->step.load, 0, sizes->n_v * sizeof *sim->step.load);
    memset(sim->step.loaded, 0, (size_t)model->n_systems * sizeof *sim->step.loaded);
  }
  perp_delassus_graph(sim);
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    sim->runs.have_forces |= sim->runs.systems[r].force != NULL;
    sim->runs.have_constant |= !sim->runs.systems[r].live;
  }
  for (int32_t r = 0; r < sim->runs.n_interaction_runs; r++) {
    sim->runs.have_gates |= sim->runs.interactions[r].gated;
    sim->runs.have_parameters |= sim->runs.interactions[r].F != NULL;
    sim->runs.have_reactions_begin |= sim->runs.interactions[r].G_begin != NULL;
    sim->runs.have_a |= sim->runs.interactions[r].Ga != NULL && !sim->runs.interactions[r].live;
  }
  const steady_stage *steady = sizes->stages->steady;
  sim->steady = steady != NULL && steady->fits(sim) ? steady : NULL;
  return placed;
}

void perp_layout_island_problem(const perp_simulation *sim, int32_t i, perp_problem *problem) {
  const island *at = &sim->active.islands[i];
  /* each island has one start and one law offset more than rows and laws */
  const int32_t *start = sim->problem.start + at->first + i;
  const int32_t *cut = sim->problem.cut != NULL ? sim->problem.cut + at->first + i : NULL;
  *problem = perp_problem_of(perp_block_rows(at->count, cut, start, sim->problem.index + at->block,
                                             sim->problem.value + at->entry),
                             sim->problem.rhs + at->row, at->laws, sim->problem.laws + at->law,
                             sim->problem.law_offset + at->law + i);
  problem->weight = at->weighted ? sim->problem.weight + at->row : NULL;
  problem->states = sim->problem.states != NULL ? sim->problem.states + at->law : NULL;
}
