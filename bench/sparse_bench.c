/* SPDX-License-Identifier: MIT */
/* Steps of a sparse system against the two triangular solves that each of them needs: the impacting
 * bar, n nodes, in contact with the wall. One JSON line a case:
 *   step:      perp_simulation_step();
 *   solve:     a solve with the factor of the same W by perp's back end (order, L, D, transposed
 * L); triangles: ldl_lsolve() and ldl_ltsolve() of SuiteSparse with that factor, nothing else.
 *
 *   sparse_bench [--once] [N...] */
#define _POSIX_C_SOURCE 199309L
#include <amd.h>
#include <ldl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perp/heap.h"
#include "perp/perp.h"

#define BAR_YOUNG   2.1e11
#define BAR_SECTION 3.14e-4
#define BAR_DENSITY 7800.0
#define BAR_SPEED   0.1

/* A tridiagonal matrix in compressed rows, halved at its ends: a sum of elements. */
typedef struct tridiagonal {
  int32_t n, *start, *index;
  double *values;
} tridiagonal;

static int reserve(tridiagonal *a, int32_t n) {
  const size_t rows = (size_t)n;
  a->n = n;
  a->start = (int32_t *)calloc(rows + 1, sizeof *a->start);
  a->index = (int32_t *)calloc(3 * rows, sizeof *a->index);
  a->values = (double *)calloc(3 * rows, sizeof *a->values);
  return a->start != NULL && a->index != NULL && a->values != NULL;
}

static void fill(tridiagonal *a, double diagonal, double beside) {
  int32_t p = 0;
  for (int32_t i = 0; i < a->n; i++) {
    a->start[i] = p;
    for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < a->n; j++) {
      a->index[p] = j;
      a->values[p++] = j != i ? beside : i == 0 || i == a->n - 1 ? diagonal / 2 : diagonal;
    }
  }
  a->start[a->n] = p;
}

static void drop(tridiagonal *a) {
  free(a->start);
  free(a->index);
  free(a->values);
}

/* The bar with all that its model points to. */
typedef struct bar {
  tridiagonal M, K, W;
  perp_lagrangian_linear system;
  perp_lagrangian_linear_relation gap;
  perp_newton_impact law;
  perp_interaction contact;
  const perp_system *systems[1];
  const perp_interaction *contacts[1];
  double *v0, *b;
  perp_model model;
  perp_simulation_options options;
  perp_simulation *simulation;
} bar;

static int make(bar *r, int32_t n) {
  static const int32_t start[] = {0, 1}, index[] = {0}, joined[] = {0};
  static const double one[] = {1};
  const double l = 1.0 / n, m = BAR_DENSITY * BAR_SECTION * l, k = BAR_YOUNG * BAR_SECTION / l;
  const double h = 2e-4 / n, part = h * h / 4;
  const perp_model empty = PERP_MODEL_INIT;
  memset(r, 0, sizeof *r);
  r->v0 = (double *)malloc((size_t)n * sizeof *r->v0);
  r->b = (double *)malloc((size_t)n * sizeof *r->b);
  if (!reserve(&r->M, n) || !reserve(&r->K, n) || !reserve(&r->W, n) || r->v0 == NULL ||
      r->b == NULL)
    return 0;
  fill(&r->M, 2 * m / 3, m / 6);
  fill(&r->K, 2 * k, -k);
  fill(&r->W, 2 * m / 3 + part * 2 * k, m / 6 - part * k);
  for (int32_t i = 0; i < n; i++) r->v0[i] = -BAR_SPEED;
  perp_lagrangian_linear_init(&r->system, sizeof r->system, n);
  r->system.M = perp_compressed_rows(n, r->M.start, r->M.index, r->M.values);
  r->system.K = perp_compressed_rows(n, r->K.start, r->K.index, r->K.values);
  perp_lagrangian_linear_relation_init(&r->gap, sizeof r->gap, 1, n);
  r->gap.H_rows = perp_sparse_rows(1, n, start, index, one);
  perp_newton_impact_init(&r->law, sizeof r->law);
  r->contact.relation = &r->gap.relation;
  r->contact.law = &r->law.law;
  r->contact.systems = joined;
  r->contact.n_systems = 1;
  r->systems[0] = &r->system.system;
  r->contacts[0] = &r->contact;
  r->model = empty;
  r->model.n_systems = r->model.n_interactions = 1;
  r->model.systems = r->systems;
  r->model.interactions = r->contacts;
  r->model.v0 = r->v0;
  r->options = perp_simulation_options_default();
  r->options.h = h;
  r->options.gamma = 0;
  r->options.integrator = perp_integrator_moreau_jean();
  r->options.solver = perp_solver_active_set();
  r->options.sparse = perp_sparse_ldl();
  return perp_simulation_create(&r->simulation, &r->model, &r->options, NULL) == PERP_OK;
}

static void destroy(bar *r) {
  perp_simulation_destroy(r->simulation);
  drop(&r->M);
  drop(&r->K);
  drop(&r->W);
  free(r->v0);
  free(r->b);
}

/* Seconds of this thread. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void load(bar *r) {
  for (int32_t i = 0; i < r->M.n; i++) r->b[i] = 1 + i % 7;
}

/* Seconds of a step; < 0 if one fails or is not in contact. */
static double time_steps(bar *r, int count) {
  const double start = now();
  for (int k = 0; k < count; k++)
    if (perp_simulation_step(r->simulation, NULL) != PERP_OK) return -1;
  const double seconds = (now() - start) / count;
  return *perp_simulation_lambda(r->simulation, 0) > 0 ? seconds : -1;
}

static double time_solves(bar *r, void *factor, int count) {
  double seconds = 0;
  for (int k = 0; k < count; k++) { /* a solution that is solved for again would vanish */
    load(r);
    const double start = now();
    if (r->options.sparse->solve(factor, r->b) != PERP_OK) return -1;
    seconds += now() - start;
  }
  return seconds / count;
}

/* The factor of SuiteSparse itself. */
typedef struct factor {
  int *order, *place, *column, *parent, *count, *flag, *pattern, *row;
  double *L, *D, *y;
} factor;

static int factorise(factor *f, const tridiagonal *W) {
  const size_t n = (size_t)W->n;
  int *all = (int *)malloc((7 * n + 1) * sizeof *all);
  f->order = all;
  f->D = (double *)malloc(2 * n * sizeof *f->D);
  if (all == NULL || f->D == NULL) return 0;
  f->place = all + n;
  f->parent = all + 2 * n;
  f->count = all + 3 * n;
  f->flag = all + 4 * n;
  f->pattern = all + 5 * n;
  f->column = all + 6 * n;
  f->y = f->D + n;
  if (amd_order(W->n, W->start, W->index, f->order, NULL, NULL) < AMD_OK) return 0;
  ldl_symbolic(W->n, W->start, W->index, f->column, f->parent, f->count, f->flag, f->order,
               f->place);
  f->row = (int *)malloc(((size_t)f->column[W->n] + 1) * sizeof *f->row);
  f->L = (double *)malloc(((size_t)f->column[W->n] + 1) * sizeof *f->L);
  return f->row != NULL && f->L != NULL &&
         ldl_numeric(W->n, W->start, W->index, W->values, f->column, f->parent, f->count, f->row,
                     f->L, f->D, f->y, f->pattern, f->flag, f->order, f->place) == W->n;
}

static double time_triangles(bar *r, const factor *f, int count) {
  double seconds = 0;
  for (int k = 0; k < count; k++) {
    load(r);
    const double start = now();
    ldl_lsolve(r->W.n, r->b, f->column, f->row, f->L);
    ldl_ltsolve(r->W.n, r->b, f->column, f->row, f->L);
    seconds += now() - start;
  }
  return seconds / count;
}

/* Best of some windows each; 0 if something fails. */
static int measure(int32_t n, int windows) {
  bar r;
  factor own = {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  void *theirs = NULL;
  const int count = n >= 10000 ? 2000000 / n + 1 : n / 10 + 1; /* all in contact */
  double best[3] = {1e9, 1e9, 1e9};
  int good = make(&r, n) && factorise(&own, &r.W) &&
             r.options.sparse->factor(n, r.W.start, r.W.index, r.W.values, &theirs) == PERP_OK;
  for (int k = 0; good && k < windows; k++) {
    const double seconds[3] = {time_steps(&r, count), time_solves(&r, theirs, count),
                               time_triangles(&r, &own, count)};
    for (int i = 0; i < 3; i++) {
      if (seconds[i] < best[i]) best[i] = seconds[i];
      good = good && seconds[i] >= 0;
    }
  }
  if (good)
    printf(
        "{\"case\": \"bar-%d\", \"step\": %.9g, \"solve\": %.9g, \"triangles\": %.9g, "
        "\"step/solve\": %.3f, \"step/triangles\": %.3f}\n",
        (int)n, best[0], best[1], best[2], best[0] / best[1], best[0] / best[2]);
  r.options.sparse->release(theirs);
  free(own.order);
  free(own.D);
  free(own.row);
  free(own.L);
  destroy(&r);
  return good;
}

int main(int argc, char **argv) {
  int windows = 10, first = 1, good = 1;
  if (argc > 1 && strcmp(argv[1], "--once") == 0) {
    windows = 1;
    first = 2;
  }
  for (int i = first; i < argc; i++) good = measure(atoi(argv[i]), windows) && good;
  for (int32_t n = 1000; argc <= first && n <= 100000; n *= 10) good = measure(n, windows) && good;
  return good ? 0 : 1;
}
