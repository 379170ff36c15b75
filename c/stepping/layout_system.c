/* SPDX-License-Identifier: MIT */
/* Memory of the system runs: copies of their operators, W, what live ones keep. */
#include "stepping/layout_parts.h"
#include "stepping/stages.h"

void perp_layout_keep_matrix(arena *a, const layout_sizes *sizes, perp_matrix *A) {
  if (A->kind == PERP_ZERO) return;
  if (A->kind == PERP_BLOCKS) {
    double *full = layout_doubles(a, (size_t)A->rows * (size_t)A->rows);
    if (full != NULL) sizes->stages->sparse->to_dense(A, full, A->rows);
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

/* W and the operators of a run, as it stores them. */
static void carve_operators(arena *a, const layout_sizes *sizes, system_run *run) {
  size_t n = (size_t)run->n;
  perp_matrix *operators[] = {&run->M, &run->A, &run->C, &run->K};
  for (int i = 0; i < 4; i++) perp_layout_keep_matrix(a, sizes, operators[i]);
  run->W = layout_doubles(a, run->dense ? n * n : n);
  if (run->dense) run->pivots = arena_take(a, n, sizeof(int32_t));
}

/* Entries of the drift that repeat: enough for the inner loop to be worth vectorising. */
static int32_t tile_of(int32_t n, int32_t count, int once) {
  enum { TILE = 48 };
  int32_t repeat = once || n >= TILE ? 1 : TILE / n;
  return n * (repeat < count ? repeat : count);
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
  run->two_step = run->integrator->two_step;
  run->live = layout_is_live(model, o, sizes, first);
  if (run->live) {
    if (!sizes->swept) sizes->stages->live->carve_system(a, run);
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
  if (run->sparse)
    sizes->stages->sparse->carve(a, sizes, run);
  else
    carve_operators(a, sizes, run);
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
    run->force_begin = layout_doubles(a, n);
    run->force_end = layout_doubles(a, n);
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
