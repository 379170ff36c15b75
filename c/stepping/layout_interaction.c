/* SPDX-License-Identifier: MIT */
/* Memory of the interaction runs: terms of H, room for G, slots, what live ones keep. */
#include "linalg/matrix.h"
#include "stepping/layout_parts.h"
#include "stepping/stages.h"

/* Doubles that the columns of W⁻¹ B on sparse systems may take: 32 MiB. */
static const size_t most_columns = (size_t)1 << 22;

static size_t count_nonzeros(const double *x, size_t n) {
  size_t nonzeros = 0;
  for (size_t i = 0; x != NULL && i < n; i++) nonzeros += x[i] != 0;
  return nonzeros;
}

/* Nonzeros of H on n columns from column on. */
static size_t count_H(const layout_sizes *sizes, const perp_relation_terms *t, size_t m,
                      size_t column, size_t n) {
  if (t->H_rows.kind != PERP_ZERO)
    return sizes->stages->sparse->count_terms(&t->H_rows, (int32_t)column, (int32_t)n);
  return t->H == NULL ? 0 : count_nonzeros(t->H + m * column, m * n);
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
      bound += count_H(sizes, t, m, column, width);
    } else if (storage == PERP_DIAGONAL && t->B != NULL) {
      for (size_t r = 0; r < m; r++) bound += count_nonzeros(t->B + r * n + column, width);
    }
    column += width;
  }
  return bound;
}

void perp_layout_slot(const system_run *run, int32_t j, int32_t column, slot *at) {
  const size_t within = (size_t)(j - run->first);
  memset(at, 0, sizeof *at);
  at->run = run;
  at->system0 = j;
  at->n = run->n;
  at->column = at->gain = column;
  at->q0 = run->q0 + within * (size_t)run->n_q;
  at->v0 = run->v0 + within * (size_t)run->n;
}

/* Rows of G belong to all columns of a live run, and to those on no sparse system of a constant
 * one.
 */
static void fill_slots(const perp_interaction *inter, const perp_interaction *second,
                       const system_run *runs, const int32_t *run_of, int live, slot *slots) {
  int32_t column = 0, gain = 0;
  for (int32_t s = 0; s < inter->n_systems; s++) {
    int32_t j = inter->systems[s];
    const system_run *run = &runs[run_of[j]];
    perp_layout_slot(run, j, column, &slots[s]);
    slots[s].stride = second != NULL ? second->systems[s] - j : 0;
    slots[s].gain = gain;
    slots[s].step = (size_t)slots[s].stride * (size_t)run->n;
    slots[s].step_q = (size_t)slots[s].stride * (size_t)run->n_q;
    column += slots[s].n;
    if (live || !run->sparse) gain += slots[s].n;
  }
}

int32_t perp_layout_term(interaction_run *run, int32_t count, int32_t s, int32_t c, double value) {
  const slot *at = &run->slots[s];
  term t = {value, s, c, at->q0 + (size_t)c, at->v0 + (size_t)c};
  if (value != 0) run->H[count++] = t;
  return count;
}

/* Terms of the rows of H, slot by slot. */
static void fill_H(const layout_sizes *sizes, interaction_run *run,
                   const perp_relation_terms *terms) {
  int32_t count = 0;
  for (int32_t r = 0; r < run->m; r++)
    for (int32_t s = 0; s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      run->H_start[r * run->n_slots + s] = count;
      if (terms->H_rows.kind != PERP_ZERO)
        count = sizes->stages->sparse->list_terms(run, &terms->H_rows, r, s, count);
      for (int32_t c = 0; terms->H_rows.kind == PERP_ZERO && c < at->n; c++)
        count = perp_layout_term(run, count, s, c,
                                 terms->H[(size_t)r + (size_t)run->m * (size_t)(at->column + c)]);
    }
  run->H_start[run->m * run->n_slots] = count;
}

/* Whether there is a gap that may open; a relation of velocities has none and always acts. */
static int has_position(const perp_relation *r) {
  return r->ops->features == NULL || (r->ops->features(r) & PERP_RELATION_HOLONOMIC) != 0;
}

/* Whether an interaction is evaluated in a step. */
static int interaction_is_live(const perp_model *model, const perp_simulation_options *o,
                               const layout_sizes *sizes, const perp_interaction *inter) {
  if (inter->relation->ops->terms == NULL) return 1;
  for (int32_t s = 0; s < inter->n_systems; s++)
    if (layout_is_live(model, o, sizes, inter->systems[s])) return 1;
  return 0;
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
      double *columns = layout_doubles(a, (size_t)model->systems[j]->n * m);
      if (placed) run->slots[s].columns = columns;
    }
  }
  run->G = layout_doubles(a, (size_t)run->n_gain * m);
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
    run->n_q += (int32_t)layout_positions(model->systems[inter->systems[s]]);
  run->law = inter->law;
  run->first = first;
  run->count = count;
  run->m = relation->m;
  run->n = relation->n;
  run->n_slots = inter->n_systems;
  run->order = relation->ops->order;
  run->size = inter->law->size;
  run->copies = run->m / run->size;
  run->two_step = perp_layout_integrator(o, inter->systems[0])->two_step;
  run->gated = run->order == 2 && !run->two_step && inter->law->ops->unilateral != 0 &&
               has_position(inter->relation);
  run->local =
      inter->law->ops->local != NULL && (run->size == 1 || inter->law->ops->set > PERP_SET_BOX);
  run->state_bytes = layout_law_bytes(inter->law);
  size_t m = (size_t)run->m, n = (size_t)run->n, slots = (size_t)run->n_slots;
  run->slots = arena_take(a, slots, sizeof *run->slots);
  run->wide = run->slots;
  run->n_wide = run->n_slots;
  if (sizes->components && run->order == 1)
    run->wide = arena_take(a, slots + (size_t)sizes->first_systems, sizeof *run->wide);
  if (runs != NULL)
    fill_slots(inter, count > 1 ? model->interactions[first + 1] : NULL, runs, run_of, run->live,
               run->slots);
  const int32_t reaction = perp_layout_integrator(o, inter->systems[0])->reaction;
  if (run->order == 1 && reaction == PERP_REACTION_MIDDLE) run->gamma = o->reaction_gamma;
  if (run->live) {
    sizes->stages->live->carve_interaction(a, sizes, run, &t, reaction);
  } else {
    run->G_start = arena_take(a, m + 1, sizeof *run->G_start);
    run->G_terms = arena_take(a, bound_G(model, o, sizes, inter, &t) + 1, sizeof *run->G_terms);
    carve_gains(a, model, o, sizes, inter, runs != NULL, run);
    run->D = layout_keep(a, t.D, m * m);
  }
  run->H_start = arena_take(a, m * slots + 1, sizeof *run->H_start);
  run->H = arena_take(a, count_H(sizes, &t, m, 0, n) + 1, sizeof *run->H);
  run->B = run->order == 1 ? layout_keep(a, t.B, n * m) : NULL;
  if (!run->live && run->order == 1 && t.B != NULL && reaction == PERP_REACTION_WEIGHTED &&
      o->reaction_gamma != 1)
    run->G_begin = layout_doubles(a, n * m);
  run->b = layout_doubles(a, m);
  if (t.F != NULL && t.n_z > 0) {
    run->F = layout_keep(a, t.F, m * (size_t)t.n_z);
    run->z = t.z;
    run->n_z = t.n_z;
  }
  if (inter->law->ops->compliance != NULL)
    run->compliance = layout_doubles(a, (size_t)run->size * (size_t)run->size);
  run->offset = layout_doubles(a, m);
  if (t.a != NULL) {
    run->a = layout_keep(a, t.a, n);
    run->Ga = layout_doubles(a, n);
  }
  if (runs == NULL) return;
  for (size_t r = 0; r < m; r++) run->b[r] = t.b != NULL ? t.b[r] : 0;
  memcpy(run->offset, run->b, m * sizeof(double));
  if (t.H != NULL || t.H_rows.kind != PERP_ZERO) fill_H(sizes, run, &t);
}

void perp_layout_interactions(arena *a, const perp_model *model, const perp_simulation_options *o,
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
