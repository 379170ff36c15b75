/* SPDX-License-Identifier: MIT */
/* Systems whose W = M + w_A A + w_C C + w_K K is sparse, factorised by the caller's back end:
 *   v_free = v + W⁻¹ (p_A A v + p_C C v + K (p_K v + r_K q) + s F_{k+θ}),
 *   v⁺ = v_free + gain W⁻¹ B λ.
 * Neither W⁻¹ times an operator nor, where it is large, W⁻¹ B is formed. Of W⁻¹ B the one-step
 * matrix needs H W⁻¹ B alone; the reactions are applied by the columns where they are kept and few
 * act, and otherwise by one more solve. */
#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "linalg/sparse_table.h"
#include "model/check.h"
#include "stepping/layout_parts.h"
#include "stepping/sparse_pattern.h"
#include "stepping/stages.h"

/* A solve costs as much as this many columns, at least. */
enum { FEW_COLUMNS = 16 };

static perp_status refuse(const perp_model *model, const perp_simulation_options *o,
                          const layout_sizes *sizes, perp_info *info) {
  static const char *const names[] = {"M", "A", "C", "K"};
  for (int32_t i = 0; i < model->n_systems; i++) {
    perp_system_terms t;
    if (layout_storage(model, o, sizes, i, &t) != PERP_BLOCKS) continue;
    const int32_t kinds[] = {t.M.kind, t.A.kind, t.C.kind, t.K.kind};
    for (int k = 0; k < 4; k++)
      if (kinds[k] == PERP_BLOCKS)
        return fail_system(info, PERP_EUNSUPPORTED, names[k], i, kinds[k]);
  }
  return PERP_OK;
}

/* ---------------------------------------------------------------------------- memory ---- */

/* An operator in compressed rows, on the pattern of W. */
static void keep_on_pattern(arena *a, const layout_sizes *sizes, const system_run *run,
                            size_t entries, perp_matrix *A) {
  if (A->kind != PERP_BLOCKS) {
    perp_layout_keep_matrix(a, sizes, A);
    return;
  }
  double *values = layout_doubles(a, entries);
  if (values != NULL) perp_pattern_spread(run, A, values);
  *A = perp_compressed_rows(run->n, run->start, run->index, values);
}

static void carve(arena *a, const layout_sizes *sizes, system_run *run) {
  perp_matrix *operators[] = {&run->M, &run->A, &run->C, &run->K};
  const size_t n = (size_t)run->n, entries = perp_pattern_count(run);
  if (entries > INT32_MAX) a->failed = 1;
  run->start = arena_take(a, n + 1, sizeof(int32_t));
  run->index = arena_take(a, entries, sizeof(int32_t));
  run->W = layout_doubles(a, entries);
  if (run->W != NULL) perp_pattern_fill(run);
  for (int i = 0; i < 4; i++) keep_on_pattern(a, sizes, run, entries, operators[i]);
}

static size_t count_terms(const perp_matrix *H, int32_t column, int32_t n) {
  size_t terms = 0;
  for (int32_t p = 0; p < H->start[H->block_rows]; p++)
    terms += H->values[p] != 0 && H->index[p] >= column && H->index[p] - column < n;
  return terms;
}

static int32_t list_terms(interaction_run *run, const perp_matrix *H, int32_t r, int32_t s,
                          int32_t count) {
  const slot *at = &run->slots[s];
  for (int32_t p = H->start[r]; p < H->start[r + 1]; p++)
    if (H->index[p] >= at->column && H->index[p] - at->column < at->n)
      count = perp_layout_term(run, count, s, H->index[p] - at->column, H->values[p]);
  return count;
}

/* ------------------------------------------------------------------------- factorise ---- */

/* A factor of an unsymmetric matrix may keep the pivots of the numbers before; what a step gives
 * must not depend on them. */
static perp_status factorise(const perp_simulation *sim, system_run *run) {
  const perp_sparse *table = sim->options.sparse;
  if (table->symmetric == 0) {
    table->release(run->factor);
    run->factor = NULL;
  }
  return table->factor(run->n, run->start, run->index, run->W, &run->factor);
}

/* W := M, the identity where it is absent. */
static void set_mass(system_run *run) {
  memset(run->W, 0, (size_t)run->start[run->n] * sizeof *run->W);
  perp_pattern_add(run, 1, run->M.kind == PERP_ZERO ? NULL : &run->M, run->W);
}

static perp_status check_mass(const perp_simulation *sim, system_run *run, perp_info *info) {
  const perp_matrix *operators[] = {&run->M, &run->A, &run->C, &run->K};
  static const char *const names[] = {"M", "A", "C", "K"};
  for (int i = 0; i < 4 && sim->options.sparse->symmetric != 0; i++)
    if (!perp_pattern_symmetric(run, operators[i]))
      return fail_system(info, PERP_EUNSUPPORTED, names[i], run->first, PERP_BLOCKS);
  set_mass(run);
  perp_status status = factorise(sim, run);
  return status == PERP_OK ? PERP_OK : fail_system(info, status, "M", run->first, 0);
}

static perp_status discretise(const perp_simulation *sim, system_run *run, const perp_weights *w) {
  set_mass(run);
  perp_pattern_add(run, w->w_A, &run->A, run->W);
  perp_pattern_add(run, w->w_C, &run->C, run->W);
  perp_pattern_add(run, w->w_K, &run->K, run->W);
  return factorise(sim, run);
}

static perp_status solve(const perp_simulation *sim, const system_run *run, int32_t columns,
                         double *X, int32_t ld) {
  perp_status status = PERP_OK;
  for (int32_t j = 0; j < columns && status == PERP_OK; j++, X += ld)
    status = sim->options.sparse->solve(run->factor, X);
  return status;
}

static void release(perp_simulation *sim) {
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    system_run *run = &sim->runs.systems[r];
    if (run->factor == NULL) continue;
    sim->options.sparse->release(run->factor);
    run->factor = NULL;
    sim->runs.h = 0;
  }
}

/* ----------------------------------------------------------------------- free motion ---- */

/* out += A x for values on the pattern. */
static void multiply_add(const system_run *run, const double *restrict values,
                         const double *restrict x, double *restrict out) {
  const int32_t *start = run->start, *index = run->index;
  for (int32_t i = 0, p = 0; i < run->n; i++) {
    double sum = out[i];
    for (const int32_t end = start[i + 1]; p < end; p++) sum += values[p] * x[index[p]];
    out[i] = sum;
  }
}

/* x := p v + r q; q is not read where r is 0. */
static void combine(size_t n, double p, double r, const double *restrict v,
                    const double *restrict q, double *restrict x) {
  if (r == 0)
    for (size_t i = 0; i < n; i++) x[i] = p * v[i];
  else
    for (size_t i = 0; i < n; i++) x[i] = p * v[i] + r * q[i];
}

/* out += A (p v + r q). x holds n doubles. */
static void add_operator(const system_run *run, const perp_matrix *A, double p, double r,
                         const double *restrict v, const double *restrict q, double *restrict x,
                         double *restrict out) {
  if (A->kind == PERP_ZERO) return;
  combine((size_t)run->n, p, r, v, q, x);
  if (A->kind == PERP_BLOCKS)
    multiply_add(run, A->values, x, out);
  else
    for (int32_t i = 0; i < run->n; i++) out[i] += A->values[i] * x[i];
}

/* One system. The back end takes the product with K (with A at order 1) together with the solve if
 * it can and nothing else is multiplied. */
static perp_status free_system(const perp_simulation *sim, const system_run *run,
                               const perp_weights *w, const double *v, const double *q,
                               double *out) {
  const perp_sparse *table = sim->options.sparse;
  const size_t n = (size_t)run->n;
  const perp_matrix *last = run->order == 2 ? &run->K : &run->A;
  const double p = run->order == 2 ? w->p_K : w->p_A, r = run->order == 2 ? w->r_K : 0;
  double *x = sim->step.increment;
  if (table->solve_product != NULL && last->kind == PERP_BLOCKS && run->C.kind == PERP_ZERO) {
    combine(n, p, r, v, q, x);
    return table->solve_product(run->factor, run->start, run->index, last->values, x, run->drift, v,
                                out);
  }
  memcpy(out, run->drift, n * sizeof *out);
  add_operator(run, &run->C, w->p_C, 0, v, q, x, out);
  add_operator(run, last, p, r, v, q, x, out);
  perp_status status = table->solve(run->factor, out);
  for (size_t i = 0; i < n; i++) out[i] += v[i];
  return status;
}

static perp_status free_motion(const perp_simulation *sim, const system_run *run, double h,
                               const double *v, const double *q, double *out) {
  size_t n = (size_t)run->n;
  perp_status status = PERP_OK;
  perp_weights w;
  run->integrator->weights(h, run->theta, &w);
  for (int32_t s = 0; s < run->count && status == PERP_OK; s++, v += n, out += n) {
    status = free_system(sim, run, &w, v, q, out);
    if (run->order == 2) q += n;
  }
  return status;
}

/* --------------------------------------------------------------------- one-step matrix ---- */

/* out (n of the slot) += a times column r of B on a slot, v the offsets of interaction 0. */
static void add_B(const interaction_run *run, int32_t s, int32_t r, double a, double *out) {
  const slot *at = &run->slots[s];
  if (run->order == 1) {
    if (run->B != NULL)
      perp_dense_axpy(at->n, a, run->B + (size_t)r * (size_t)run->n + at->column, out);
    return;
  }
  const int32_t *start = &run->H_start[r * run->n_slots + s];
  for (const term *t = run->H + start[0]; t < run->H + start[1]; t++)
    out[t->column] += a * t->value;
}

/* γ H of row r of interaction k on a slot, times x. */
static double times_H(const interaction_run *run, int32_t k, int32_t s, int32_t r,
                      const double *x) {
  const int32_t *start = &run->H_start[r * run->n_slots + s];
  double sum = 0;
  if (run->live) {
    const size_t m = (size_t)run->m, column = (size_t)run->slots[s].column;
    const double *H = run->at.H + (size_t)k * m * (size_t)run->n + column * m + (size_t)r;
    for (size_t c = 0; c < (size_t)run->slots[s].n; c++) sum += H[c * m] * x[c];
    return sum;
  }
  for (const term *t = run->H + start[0]; t < run->H + start[1]; t++)
    sum += t->value * x[t->column];
  return run->gamma * sum;
}

/* A column of gain W⁻¹ B on a slot: of row r of the interactions of a run. */
typedef struct gain_column {
  const interaction_run *run;
  int32_t slot, r;
  double *x;
} gain_column;

static perp_status solve_column(const perp_simulation *sim, const gain_column *c) {
  const slot *at = &c->run->slots[c->slot];
  memset(c->x, 0, (size_t)at->n * sizeof *c->x);
  add_B(c->run, c->slot, c->r, 1, c->x);
  perp_status status = sim->options.sparse->solve(at->run->factor, c->x);
  for (int32_t i = 0; i < at->n; i++) c->x[i] *= at->run->gain;
  return status;
}

/* Values of the block (unit, column) of the one-step matrix, which is there. Units of one system
 * only stand in the order of its list, where hint says. */
static double *find_block(const perp_simulation *sim, int32_t unit, int32_t height, int32_t column,
                          int32_t hint) {
  const int32_t *index = sim->whole.index;
  int32_t begin = sim->whole.start[unit], b = begin + hint;
  if (!(b < sim->whole.start[unit + 1] && index[b] == column))
    for (b = begin; index[b] != column;) b++;
  size_t offset = 0;
  if (sim->whole.width == NULL)
    offset = (size_t)(b - begin);
  else if (sim->whole.same_width)
    offset = (size_t)(b - begin) * (size_t)height * (size_t)height;
  else
    for (int32_t p = begin; p < b; p++)
      offset += (size_t)height * (size_t)sim->whole.width[index[p]];
  return sim->whole.value + sim->whole.entry[unit] + offset;
}

/* Add H x for every row that acts on system j, x the column of interaction k. */
static void couple_system(perp_simulation *sim, const gain_column *c, int32_t k, int32_t j) {
  const struct incidence *in = sim->runs.incidence + sim->runs.incidence_start[j];
  const int32_t count = sim->runs.incidence_start[j + 1] - sim->runs.incidence_start[j];
  int32_t column = c->run->unit0 + k * c->run->copies + c->r / c->run->size, hint = 0;
  for (int32_t i = 0; &sim->runs.interactions[in[i].run] != c->run || in[i].k != k; i++)
    hint += sim->runs.interactions[in[i].run].copies;
  hint += c->r / c->run->size;
  for (int32_t i = 0; i < count; i++) {
    const interaction_run *row = &sim->runs.interactions[in[i].run];
    for (int32_t copy = 0; copy < row->copies; copy++) {
      const int32_t unit = row->unit0 + in[i].k * row->copies + copy;
      if (sim->active.acts != NULL && !sim->active.acts[unit]) continue;
      double *block = find_block(sim, unit, row->size, column, hint);
      block += (size_t)row->size * (size_t)(c->r % c->run->size);
      for (int32_t d = 0; d < row->size; d++)
        block[d] += times_H(row, in[i].k, in[i].slot, copy * row->size + d, c->x);
    }
  }
}

/* Add the column to the blocks of the interactions that it belongs to. */
static void couple_column(perp_simulation *sim, const gain_column *c) {
  const slot *at = &c->run->slots[c->slot];
  for (int32_t k = 0; k < c->run->count; k++) {
    const int32_t unit = c->run->unit0 + k * c->run->copies + c->r / c->run->size;
    if (sim->active.acts != NULL && !sim->active.acts[unit]) continue;
    couple_system(sim, c, k, at->system0 + at->stride * k);
  }
}

static int widths_agree(const perp_simulation *sim) {
  for (int32_t u = 1; sim->whole.width != NULL && u < sim->runs.units; u++)
    if (sim->whole.width[u] != sim->whole.width[0]) return 0;
  return 1;
}

/* All columns of the constant interactions on sparse systems, solved for if they are new or not
 * kept. */
static perp_status walk_columns(perp_simulation *sim, int fresh, int couple, perp_info *info) {
  for (int32_t i = 0; i < sim->runs.n_interaction_runs; i++) {
    interaction_run *run = &sim->runs.interactions[i];
    for (int32_t s = 0; !run->live && s < run->n_slots; s++) {
      const slot *at = &run->slots[s];
      for (int32_t r = 0; at->run->sparse && r < run->m; r++) {
        gain_column c = {run, s, r, at->columns};
        c.x = at->columns == NULL ? sim->step.increment : at->columns + (size_t)r * (size_t)at->n;
        perp_status status = fresh || at->columns == NULL ? solve_column(sim, &c) : PERP_OK;
        for (int32_t d = 0; status == PERP_OK && fresh && d < run->m; d++)
          if (!is_finite(times_H(run, 0, s, d, c.x))) status = PERP_ENOTFINITE;
        if (status != PERP_OK)
          return fail_interaction(info, status, "H W^-1 B", run->first, sim->runs.h);
        if (couple) couple_column(sim, &c);
      }
    }
  }
  return PERP_OK;
}

static perp_status make_columns(perp_simulation *sim, perp_info *info) {
  sim->whole.same_width = widths_agree(sim);
  return walk_columns(sim, 1, !sim->live, info);
}

static perp_status couple(perp_simulation *sim, perp_info *info) {
  sim->whole.same_width = widths_agree(sim);
  return walk_columns(sim, 0, 1, info);
}

/* --------------------------------------------------------------------------- reactions ---- */

/* λ of row r of interaction k acts on a slot: on the velocities by a column that is kept, or as a
 * load that is solved for. */
static void push(perp_simulation *sim, const interaction_run *run, int32_t s, int32_t k, int32_t r,
                 double lambda, int few) {
  const slot *at = &run->slots[s];
  size_t v = at->v0 + at->step * (size_t)k;
  if (few && at->columns != NULL) {
    perp_dense_axpy(at->n, lambda, at->columns + (size_t)r * (size_t)at->n, sim->step.free_v + v);
  } else {
    add_B(run, s, r, lambda, sim->step.load + v);
    sim->step.loaded[at->system0 + at->stride * k] = 1;
  }
}

static void push_segment(perp_simulation *sim, const segment *at, const double *lambda, int few) {
  const interaction_run *run = &sim->runs.interactions[at->run];
  for (int32_t s = 0; s < run->n_slots && !run->live; s++) {
    if (!run->slots[s].run->sparse) continue;
    for (int32_t i = 0; i < at->count * run->size; i++) {
      int32_t k = at->k + (run->m == 1 ? i : 0);
      int32_t r = run->m == 1 ? 0 : at->copy * run->size + i;
      if (lambda[i] != 0) push(sim, run, s, k, r, lambda[i], few);
    }
  }
}

/* free_v += gain W⁻¹ load of the systems that have one; begin: gain_begin. */
static perp_status solve_loads(perp_simulation *sim, int begin) {
  perp_status status = PERP_OK;
  for (int32_t r = 0; r < sim->runs.n_system_runs; r++) {
    const system_run *run = &sim->runs.systems[r];
    for (int32_t s = 0; run->sparse && s < run->count; s++) {
      if (!sim->step.loaded[run->first + s]) continue;
      size_t n = (size_t)run->n, v = run->v0 + n * (size_t)s;
      if (status == PERP_OK) status = sim->options.sparse->solve(run->factor, sim->step.load + v);
      perp_dense_axpy(run->n, begin ? run->gain_begin : run->gain, sim->step.load + v,
                      sim->step.free_v + v);
      memset(sim->step.load + v, 0, n * sizeof(double));
      sim->step.loaded[run->first + s] = 0;
    }
  }
  return status;
}

static perp_status apply(perp_simulation *sim, const double *lambda) {
  int few = sim->problem.rows <= FEW_COLUMNS;
  if (sim->global.chosen != NULL) few = 0; /* columns may not be there, and bits must not tell */
  for (int32_t s = 0; s < sim->active.n_segments; s++)
    push_segment(sim, &sim->active.segments[s], lambda + sim->active.segments[s].row, few);
  return solve_loads(sim, 0);
}

static perp_status reactions_begin(perp_simulation *sim) {
  for (int32_t i = 0; i < sim->runs.n_interaction_runs; i++) {
    const interaction_run *run = &sim->runs.interactions[i];
    for (int32_t k = 0; run->G_begin != NULL && k < run->count; k++) {
      const double *lambda = sim->state.lambda + run->row0 + (size_t)k * (size_t)run->m;
      if (layout_rests(sim, run, k)) continue;
      for (int32_t s = 0; s < run->n_slots; s++)
        for (int32_t r = 0; run->slots[s].run->sparse && r < run->m; r++)
          if (lambda[r] != 0) push(sim, run, s, k, r, lambda[r], 0);
    }
  }
  return solve_loads(sim, 1);
}

const struct sparse_stage perp_stage_sparse = {.check_rows = perp_check_rows,
                                               .refuse = refuse,
                                               .carve = carve,
                                               .to_dense = perp_matrix_to_dense,
                                               .count_terms = count_terms,
                                               .list_terms = list_terms,
                                               .check_mass = check_mass,
                                               .factorise = discretise,
                                               .solve = solve,
                                               .columns = make_columns,
                                               .couple = couple,
                                               .free_motion = free_motion,
                                               .apply = apply,
                                               .reactions_begin = reactions_begin,
                                               .release = release};
