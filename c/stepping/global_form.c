/* SPDX-License-Identifier: MIT */
/* One-step problems in global form, island by island:
 *   W v = W v_free + Hᵀ λ,   y = H v + (q − H v_free),   (y, λ) ∈ law,
 * q the right-hand side of the reduced form, W and v of the systems that the island touches. W
 * v_free stays on the right, as the scale of what is left of the equation where λ is 0. From λ the
 * step goes on as from the reduced form. */
#include <string.h>

#include "base/info.h"
#include "linalg/matrix.h"
#include "problem/residual.h"
#include "stepping/stages.h"

/* ---- what can be ---- */

/* One interaction: constant, of order 2, y = H v without D and compliance. */
static int fits(const perp_interaction *inter) {
  perp_relation_terms t;
  const perp_relation *relation = inter->relation;
  if (relation->ops->order != 2 || relation->ops->terms == NULL) return 0;
  if (inter->law->ops->compliance != NULL) return 0;
  relation->ops->terms(relation, &t);
  return t.D == NULL;
}

static perp_status model_fits(const perp_model *model, const perp_simulation_options *o,
                              const layout_sizes *sizes, perp_info *info) {
  if (sizes->live) return fail(info, PERP_EUNSUPPORTED, "formulation", -1, o->formulation);
  if (model->pool != NULL) return fail(info, PERP_EUNSUPPORTED, "pool", -1, o->formulation);
  for (int32_t i = 0; i < model->n_interactions; i++)
    if (!fits(model->interactions[i]))
      return fail_interaction(info, PERP_EUNSUPPORTED, "interactions", i, o->formulation);
  return PERP_OK;
}

/* ---- memory ---- */

static size_t nonzeros_of_H(const perp_relation *relation) {
  const size_t m = (size_t)relation->m, n = (size_t)relation->n;
  perp_relation_terms t;
  relation->ops->terms(relation, &t);
  if (t.H_rows.kind == PERP_BLOCKS) return (size_t)t.H_rows.start[m];
  return t.H == NULL ? 0 : m * n;
}

static size_t entries_of_W(const perp_model *model, const perp_simulation_options *o,
                           const layout_sizes *sizes, int32_t i) {
  perp_system_terms t;
  const size_t n = (size_t)model->systems[i]->n;
  const int32_t storage = layout_storage(model, o, sizes, i, &t);
  if (storage == PERP_DENSE) return n * n;
  if (storage == PERP_DIAGONAL) return n;
  const perp_matrix *operators[] = {&t.M, &t.A, &t.C, &t.K};
  size_t entries = n;
  for (int k = 0; k < 4; k++)
    if (operators[k]->kind == PERP_BLOCKS) entries += (size_t)operators[k]->start[n];
  return entries;
}

static size_t judge_bytes(const layout_sizes *sizes, size_t doubles) {
  return sizeof(double) * (5 * sizes->n_v + residual_scratch_doubles(sizes->graph.rows) + doubles) +
         1024;
}

static void carve(arena *a, const perp_model *model, const perp_simulation_options *o,
                  const layout_sizes *sizes, size_t doubles, perp_simulation *sim) {
  global_form *g = &sim->global;
  const size_t i = sizeof(int32_t), d = sizeof(double), rows = (size_t)sizes->graph.rows;
  size_t entries = 0, H = 0, largest = 0;
  for (int32_t s = 0; s < model->n_systems; s++) {
    const size_t one = entries_of_W(model, o, sizes, s);
    entries += one;
    if (one > largest) largest = one;
  }
  for (int32_t k = 0; k < model->n_interactions; k++)
    H += nonzeros_of_H(model->interactions[k]->relation);
  if (entries > INT32_MAX || H > INT32_MAX) a->failed = 1;
  g->chosen = arena_take(a, (size_t)sizes->graph.units + 1, 1);
  g->base = arena_take(a, (size_t)model->n_systems, i);
  g->start = arena_take(a, sizes->n_v + 1, i);
  g->index = arena_take(a, entries, i);
  g->value = arena_take(a, entries, d);
  g->H_start = arena_take(a, rows + 1, i);
  g->H_index = arena_take(a, H, i);
  g->H_value = arena_take(a, H, d);
  g->q = arena_take(a, sizes->n_v, d);
  g->v = arena_take(a, sizes->n_v, d);
  g->b = arena_take(a, rows, d);
  g->dense = arena_take(a, largest, d);
  g->judge_bytes = judge_bytes(sizes, doubles);
  g->judge = arena_take(a, g->judge_bytes, 1);
}

/* ---- assembly ---- */

/* Rows of W of one system behind the m that are there. */
static int32_t append_system(perp_simulation *sim, const system_run *run, int32_t m) {
  global_form *g = &sim->global;
  const int32_t n = run->n;
  int32_t e = g->start[m];
  if (run->dense) perp_discretise_dense(sim, run, g->dense);
  for (int32_t r = 0; r < n; r++) {
    if (run->sparse) {
      for (int32_t p = run->start[r]; p < run->start[r + 1]; p++, e++) {
        g->index[e] = m + run->index[p];
        g->value[e] = run->W[p];
      }
    } else if (run->dense) {
      for (int32_t c = 0; c < n; c++, e++) {
        g->index[e] = m + c;
        g->value[e] = g->dense[(size_t)r + (size_t)n * (size_t)c];
      }
    } else {
      g->index[e] = m + r;
      g->value[e++] = 1 / run->W[r];
    }
    g->start[m + r + 1] = e;
  }
  return m + n;
}

/* v_free of system j. */
static void append_free(perp_simulation *sim, const system_run *run, int32_t j, int32_t m) {
  const size_t n = (size_t)run->n;
  memcpy(sim->global.v + m, sim->step.free_v + run->v0 + n * (size_t)(j - run->first),
         n * sizeof(double));
}

static int32_t system_of(const slot *at, int32_t k) { return at->system0 + at->stride * k; }

/* Rows of H of a unit behind the first `row`. */
static void append_unit(perp_simulation *sim, const active_unit *a, int32_t row) {
  global_form *g = &sim->global;
  const interaction_run *run = &sim->runs.interactions[a->run];
  int32_t e = g->H_start[row];
  for (int32_t i = 0; i < run->size; i++) {
    const int32_t *start = run->H_start + (a->copy * run->size + i) * run->n_slots;
    for (const term *t = run->H + start[0]; t < run->H + start[run->n_slots]; t++) {
      g->H_index[e] = g->base[system_of(&run->slots[t->slot], a->k)] + t->column;
      g->H_value[e++] = t->value;
    }
    g->H_start[row + i + 1] = e;
  }
}

static void assemble(perp_simulation *sim, int32_t i, perp_global_problem *p) {
  global_form *g = &sim->global;
  const island *at = &sim->active.islands[i];
  int32_t m = 0, row = 0;
  for (int32_t s = 0; s < sim->n_systems; s++) g->base[s] = -1;
  g->start[0] = 0;
  g->H_start[0] = 0;
  for (int32_t u = at->first; u < at->first + at->count; u++) {
    const active_unit *a = &sim->active.units[u];
    const interaction_run *run = &sim->runs.interactions[a->run];
    for (int32_t s = 0; s < run->n_slots; s++) {
      const int32_t j = system_of(&run->slots[s], a->k);
      if (g->base[j] >= 0) continue;
      g->base[j] = m;
      append_free(sim, run->slots[s].run, j, m);
      m = append_system(sim, run->slots[s].run, m);
    }
    append_unit(sim, a, row);
    row += run->size;
  }
  perp_problem laws;
  perp_layout_island_problem(sim, i, &laws);
  const perp_global_problem none = PERP_GLOBAL_PROBLEM_INIT;
  *p = none;
  p->M = perp_compressed_rows(m, g->start, g->index, g->value);
  p->H = perp_sparse_rows(row, m, g->H_start, g->H_index, g->H_value);
  p->q = g->q;
  p->b = g->b;
  p->m = m;
  p->n = row;
  p->n_blocks = laws.n_blocks;
  p->laws = laws.laws;
  p->offset = laws.offset;
  p->states = laws.states;
  memset(g->q, 0, (size_t)m * sizeof *g->q);
  memset(g->b, 0, (size_t)row * sizeof *g->b);
  perp_matrix_multiply_add(&p->M, g->v, g->q);
  perp_matrix_multiply_add(&p->H, g->v, g->b);
  for (int32_t r = 0; r < row; r++) g->b[r] = laws.q[r] - g->b[r];
}

/* ---- choice ---- */

static perp_status suits(perp_simulation *sim, int32_t i, int32_t *yes) {
  perp_global_problem p;
  *yes = sim->options.formulation == PERP_FORMULATION_GLOBAL;
  if (*yes) return PERP_OK;
  assemble(sim, i, &p);
  return sim->options.global->suits(&sim->global.memory, &p, yes);
}

static perp_status choose(perp_simulation *sim, perp_info *info) {
  int32_t reduced = 0;
  for (int32_t r = 0; r < sim->problem.rows; r++) sim->problem.rhs[r] = 0; /* not known yet */
  for (int32_t i = 0; i < sim->active.n_islands; i++) {
    int32_t yes;
    const perp_status answer = suits(sim, i, &yes);
    if (answer != PERP_OK) return fail(info, PERP_EBACKEND, "global", i, 0);
    sim->global.chosen[i] = yes != 0;
    reduced |= yes == 0;
  }
  if (!reduced || sim->sparse == NULL || sim->global.columns) return PERP_OK;
  perp_status status = sim->sparse->columns(sim, info);
  if (status != PERP_OK) return status;
  sim->global.columns = 1;
  perp_contact_assemble(sim); /* now with all values */
  return PERP_OK;
}

/* ---- solution ---- */

static perp_status solve(perp_simulation *sim, int32_t i, perp_residual *residual,
                         perp_info *info) {
  global_form *g = &sim->global;
  const island *at = &sim->active.islands[i];
  double *lambda = sim->problem.lambda + at->row, *y = sim->problem.y + at->row;
  const perp_solver_options *own = (const perp_solver_options *)sim->options.solver_options;
  perp_solver_options options = perp_solver_options_default();
  perp_global_problem p;
  perp_global_parts parts = PERP_GLOBAL_PARTS_INIT;
  if (own != NULL) options.tol = own->tol;
  assemble(sim, i, &p);
  perp_status status = sim->options.global->solve(&g->memory, &p, &options, sim->options.sparse,
                                                  g->v, lambda, y, info);
  if (status < 0) return status;
  const perp_status judged =
      perp_global_residual(&p, g->v, lambda, y, &parts, g->judge, g->judge_bytes);
  if (judged != PERP_OK) return judged;
  *residual = parts.contact;
  residual->relative = parts.relative;
  if (status == PERP_OK && !perp_global_solved(&parts, options.tol)) status = PERP_INACCURATE;
  return status;
}

static void release(perp_simulation *sim) {
  if (sim->global.memory != NULL) sim->options.global->release(sim->global.memory);
  sim->global.memory = NULL;
}

const struct global_stage perp_stage_global = {
    .fits = model_fits, .carve = carve, .choose = choose, .solve = solve, .release = release};
