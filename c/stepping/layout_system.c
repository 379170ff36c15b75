/* SPDX-License-Identifier: MIT */
/* Memory of the system runs: copies of their operators, W, what live ones keep. */
#include "linalg/matrix.h"
#include "stepping/layout_parts.h"
#include "stepping/stages.h"

/* A tight copy of an operator, dense if it is in compressed rows; the view is made to point to it.
 */
static void keep_matrix(arena *a, perp_matrix *A) {
  if (A->kind == PERP_ZERO) return;
  if (A->kind == PERP_BLOCKS) {
    double *full = layout_doubles(a, (size_t)A->rows * (size_t)A->rows);
    if (full != NULL) perp_matrix_to_dense(A, full, A->rows);
    *A = perp_dense(A->rows, A->rows, full);
    return;
  }
  size_t n = (size_t)A->rows, columns = A->kind == PERP_DENSE ? n : 1;
  double *copy = layout_doubles(a, n * columns);
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
  double *values = layout_doubles(a, entries);
  if (values != NULL) perp_pattern_spread(run, A, values);
  *A = perp_compressed_rows(run->n, run->start, run->index, values);
}

/* W and the operators of a run, as it stores them. */
static void carve_operators(arena *a, system_run *run) {
  size_t n = (size_t)run->n;
  perp_matrix *operators[] = {&run->M, &run->A, &run->C, &run->K};
  if (!run->sparse) {
    for (int i = 0; i < 4; i++) keep_matrix(a, operators[i]);
    run->W = layout_doubles(a, run->dense ? n * n : n);
    if (run->dense) run->pivots = arena_take(a, n, sizeof(int32_t));
    return;
  }
  size_t entries = perp_pattern_count(run);
  if (entries > INT32_MAX) a->failed = 1;
  run->start = arena_take(a, n + 1, sizeof(int32_t));
  run->index = arena_take(a, entries, sizeof(int32_t));
  run->W = layout_doubles(a, entries);
  if (run->W != NULL) perp_pattern_fill(run);
  for (int i = 0; i < 4; i++) keep_on_pattern(a, run, entries, operators[i]);
}

/* Entries of the drift that repeat: enough for the inner loop to be worth vectorising. */
static int32_t tile_of(int32_t n, int32_t count, int once) {
  enum { TILE = 48 };
  int32_t repeat = once || n >= TILE ? 1 : TILE / n;
  return n * (repeat < count ? repeat : count);
}

/* Memory of a live run; its contents are made in every step. */
static void carve_live_system(arena *a, system_run *run) {
  live_system *at = &run->at;
  const perp_system_ops *ops = run->system->ops;
  size_t n = (size_t)run->n, all = (size_t)run->count;
  int constant = ops->constant_mass != 0 || ops->terms != NULL;
  run->dense = 1;
  run->W = layout_doubles(a, n * n * all);
  run->pivots = arena_take(a, n * all, sizeof(int32_t));
  at->mass = layout_doubles(a, constant ? n * n : n * n * all);
  at->now = layout_doubles(a, n * all);
  at->end = layout_doubles(a, n * all);
  at->defect = layout_doubles(a, n * all);
  at->plain = layout_doubles(a, n * n * all);
  at->factored = layout_doubles(a, n * n * all);
  at->has_factor = arena_take(a, all, 1);
  if (at->has_factor != NULL) memset(at->has_factor, 0, all);
  at->dq = run->order == 2 ? layout_doubles(a, n * n) : NULL;
  at->dv = layout_doubles(a, n * n);
}

/* Compile the run of count systems that begins at first. */
static void carve_system_run(arena *a, const perp_model *model, const perp_simulation_options *o,
                             const layout_sizes *sizes, int32_t first, int32_t count,
                             system_run *run) {
  const perp_system *s = model->systems[first];
  memset(run, 0, sizeof *run);
  run->system = s;
  run->n_q = (int32_t)layout_positions(s);
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
    run->P = layout_doubles(a, square);
  if (!run->sparse && terms.K.kind != PERP_ZERO) run->R = layout_doubles(a, square);
  run->constant = layout_doubles(a, n);
  if (run->constant != NULL) {
    if (terms.f != NULL)
      memcpy(run->constant, terms.f, n * sizeof(double));
    else
      memset(run->constant, 0, n * sizeof(double));
  }
  if (run->force != NULL) {
    run->now = layout_doubles(a, n);
    run->next = layout_doubles(a, n);
  }
  run->drift = layout_doubles(a, tile);
}

void perp_layout_systems(arena *a, const perp_model *model, const perp_simulation_options *o,
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
