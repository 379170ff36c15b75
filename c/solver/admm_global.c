/* SPDX-License-Identifier: MIT */
/* ADMM on problems in global form, M v = q + Hᵀ r, u = H v + b, without forming W = H M⁻¹ Hᵀ. The
 * linear system of the iteration, (W + ρI) r = c with c = ρ (z − ξ) − s − (H M⁻¹ q + b), is
 *
 *   (M + HᵀH / ρ) v = q + Hᵀ c' / ρ,   r = (c' − H v) / ρ,   c' = ρ (z − ξ) − s − b,
 *
 * so that the iterates are those of the condensed problem; the rows of H are scaled by contact. M
 * and HᵀH are added up once, row by row over the columns of H, in one pattern: a change of ρ is a
 * sum of two arrays and a factor. D is from the diagonal of H diag(M)⁻¹ Hᵀ, which has the size of
 * the blocks of W. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "problem/global_problem.h"
#include "solver/admm.h"
#include "solver/factor.h"
#include "solver/global.h"
#include "solver/verified.h"

/* M differs from its transpose by more than rounding. */
#define SAME 1e-12

/* A call as the shell sees it: its options, and what they are for. */
typedef struct call {
  perp_admm_options options;
  const perp_global_problem *problem;
  double *v; /* the caller's */
} call;

typedef struct full {
  admm loop; /* first, so that one is the other's address */
  const perp_global_problem *g;
  int32_t n, m;
  int32_t general;                    /* the table wants both triangles                   */
  int32_t begun;                      /* the problem is one that it can solve             */
  int32_t factorised;                 /* at least once                                    */
  double *v;                          /* m: the caller's                                  */
  double *x;                          /* 4 m, of which x is v                             */
  double *best_v;                     /* m, in there                                      */
  double *d;                          /* n: D                                             */
  int32_t *start, *index;             /* n + 1, entries of H                              */
  double *value;                      /* D H                                              */
  perp_matrix H;                      /* it                                               */
  int32_t *column_start, *column_row; /* m + 1, entries: the rows that have entries       */
  double *column_value;               /* theirs */
  row_reader rows;                    /* of M                                             */
  any_factor K;                       /* M + HᵀH / ρ, dense without a table               */
  size_t entries;                     /* of it, at most                                   */
  double *k_M, *k_H;                  /* they: of M, of HᵀH                               */
  int32_t *mark;                      /* m                                                */
  void *residual;
  size_t residual_bytes;
} full;

/* --- memory ---------------------------------------------------------------------------------- */

static size_t counted(uint64_t x) { return x < INT32_MAX ? (size_t)x : SIZE_MAX; }

static void carve_H(full *s, arena *a) {
  const size_t n = (size_t)s->n, m = (size_t)s->m, i = sizeof(int32_t);
  const size_t stored = counted(perp_global_stored(&s->g->H));
  s->start = arena_take(a, n + 1, i);
  s->index = arena_take(a, stored, i);
  s->value = arena_take(a, stored, sizeof(double));
  s->column_start = arena_take(a, m + 1, i);
  s->column_row = arena_take(a, stored, i);
  s->column_value = arena_take(a, stored, sizeof(double));
}

/* Entries of HᵀH, each as often as a row of H makes it. */
static uint64_t coupling(const perp_matrix *H) {
  uint64_t sum = 0;
  for (int32_t i = 0; i < H->rows; i++) {
    const uint64_t length = (uint64_t)perp_global_row_length(H, i);
    sum += length * length;
  }
  return sum;
}

static void carve_K(full *s, arena *a) {
  const size_t m = (size_t)s->m;
  if (s->K.table == NULL) {
    s->K.dense = arena_take(a, m, m * sizeof(double));
    return;
  }
  uint64_t enveloped;
  s->entries = counted(coupling(&s->g->H) + perp_matrix_entries(&s->g->M, &enveloped) + m);
  factor_carve_rows(&s->K, a, m, s->entries);
  s->k_M = arena_take(a, s->entries, sizeof(double));
  s->k_H = arena_take(a, s->entries, sizeof(double));
}

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  full *s = state;
  const call *c = options;
  s->g = c->problem;
  s->n = s->g->n;
  s->m = s->g->m;
  const size_t n = (size_t)s->n, m = (size_t)s->m;
  s->K.n = s->m;
  s->K.table = c->options.sparse;
  s->K.way = s->K.table == NULL ? FACTOR_CHOLESKY : FACTOR_SPARSE;
  s->x = arena_take(a, 4 * m, sizeof(double));
  s->best_v = s->x == NULL ? NULL : s->x + m;
  s->d = arena_take(a, n, sizeof(double));
  s->mark = arena_take(a, m, sizeof(int32_t));
  carve_H(s, a);
  carve_K(s, a);
  s->rows.value = arena_take(a, m, sizeof(double));
  row_reader_carve(&s->rows, a, m, 1);
  s->residual_bytes = perp_global_residual_workspace(s->g);
  s->residual = arena_take(a, s->residual_bytes, 1);
  perp_admm_carve(&s->loop, a, shape, &c->options);
}

/* --- H, its scale, and its columns ----------------------------------------------------------- */

/* D from the diagonal of H diag(M)⁻¹ Hᵀ; weight: 1 / |M_jj|, or 1. */
static void scale_H(full *s, double *weight) {
  perp_matrix_diagonal(&s->g->M, weight);
  for (int32_t j = 0; j < s->m; j++)
    weight[j] = fabs(weight[j]) >= LEAST_DIAGONAL ? 1 / fabs(weight[j]) : 1;
  for (int32_t c = 0; c < s->loop.count; c++) {
    const contact *at = s->loop.contacts + c;
    const int32_t end = at->begin + at->size;
    double sum = 0;
    for (int32_t k = s->start[at->begin]; k < s->start[end]; k++)
      sum += s->value[k] * s->value[k] * weight[s->index[k]];
    const double mean = sum / at->size;
    const double d = mean >= LEAST_DIAGONAL && mean <= DBL_MAX ? 1 / sqrt(mean) : 1;
    for (int32_t i = at->begin; i < end; i++) s->d[i] = d;
    for (int32_t k = s->start[at->begin]; k < s->start[end]; k++) s->value[k] *= d;
  }
}

static void find_columns(full *s) {
  int32_t *next = s->column_start;
  memset(next, 0, ((size_t)s->m + 1) * sizeof *next);
  for (int32_t k = 0; k < s->start[s->n]; k++) next[s->index[k]]++;
  for (int32_t j = 0, at = 0; j <= s->m; j++) next[j] = at += next[j];
  for (int32_t i = s->n; i-- > 0;)
    for (int32_t k = s->start[i]; k < s->start[i + 1]; k++) {
      const int32_t at = --next[s->index[k]];
      s->column_row[at] = i;
      s->column_value[at] = s->value[k];
    }
}

/* x += Hᵀ y / ρ */
static void add_transposed(const full *s, const double *y, double *x) {
  for (int32_t i = 0; i < s->n; i++) {
    const double w = y[i] / s->loop.rho;
    for (int32_t k = s->start[i]; k < s->start[i + 1]; k++) x[s->index[k]] += s->value[k] * w;
  }
}

/* --- M + HᵀH / ρ ----------------------------------------------------------------------------- */

/* Rows of M and of HᵀH, up to the diagonal unless both triangles are wanted. where: m. */
static void assemble(full *s, int32_t *where) {
  int32_t at = 0;
  for (int32_t j = 0; j < s->m; j++) where[j] = -1;
  memset(s->k_M, 0, s->entries * sizeof *s->k_M);
  memset(s->k_H, 0, s->entries * sizeof *s->k_H);
  for (int32_t j = 0; j < s->m; j++) {
    const int32_t begin = at, last = s->general ? s->m - 1 : j;
    s->K.start[j] = begin;
    (void)factor_place(&s->K, where, begin, &at, j);
    const matrix_row row = row_read(&s->rows, j);
    for (int32_t k = 0; k < row.count; k++)
      if (row.column[k] <= last)
        s->k_M[factor_place(&s->K, where, begin, &at, row.column[k])] += row.value[k];
    for (int32_t c = s->column_start[j]; c < s->column_start[j + 1]; c++) {
      const int32_t i = s->column_row[c];
      const double h = s->column_value[c];
      for (int32_t k = s->start[i]; k < s->start[i + 1]; k++)
        if (s->index[k] <= last)
          s->k_H[factor_place(&s->K, where, begin, &at, s->index[k])] += h * s->value[k];
    }
  }
  s->K.start[s->m] = at;
}

static void fill_dense(full *s) {
  const size_t m = (size_t)s->m;
  perp_matrix_to_dense(&s->g->M, s->K.dense, s->m);
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t a = s->start[i]; a < s->start[i + 1]; a++) {
      const double h = s->value[a] / s->loop.rho;
      for (int32_t b = s->start[i]; b < s->start[i + 1]; b++)
        s->K.dense[(size_t)s->index[b] + m * (size_t)s->index[a]] += h * s->value[b];
    }
}

static void fill_sparse(full *s) {
  for (int32_t k = 0; k < s->K.start[s->m]; k++)
    s->K.values[k] = s->k_M[k] + s->k_H[k] / s->loop.rho;
}

/* --- what the iteration asks for ------------------------------------------------------------- */

static perp_status factorise(admm *loop) {
  full *s = (full *)loop;
  const double m = s->m, entries = s->K.table == NULL ? m * m / 2 : 5.0 * s->K.start[s->m];
  if (s->K.way == FACTOR_CHOLESKY)
    fill_dense(s);
  else
    fill_sparse(s);
  const perp_status status = perp_factor_make(&s->K, 0);
  loop->dear = 1;
  loop->price = m > 0 ? entries * entries / m : 0;
  loop->run->price = 2 * (entries + s->start[s->n]);
  if (status == PERP_OK) s->factorised = 1;
  if (status != PERP_EINVAL) return status;
  return s->factorised ? PERP_INACCURATE : PERP_EUNSUPPORTED; /* no larger ρ helps */
}

/* x := v = (M + HᵀH / ρ)⁻¹ (q + Hᵀ c' / ρ), and c' := r. */
static perp_status to_reaction(admm *loop) {
  full *s = (full *)loop;
  double *c = loop->step, *v = s->x;
  if (s->m > 0) memcpy(v, s->g->q, (size_t)s->m * sizeof *v);
  add_transposed(s, c, v);
  if (perp_factor_solve(&s->K, v) != PERP_OK) return PERP_EBACKEND;
  for (int32_t i = 0; i < s->n; i++) {
    double sum = c[i];
    for (int32_t k = s->start[i]; k < s->start[i + 1]; k++) sum -= s->value[k] * v[s->index[k]];
    c[i] = sum / s->loop.rho;
  }
  return PERP_OK;
}

static void velocity(admm *loop) {
  const full *s = (const full *)loop;
  if (s->n > 0) memcpy(loop->w, loop->q, (size_t)s->n * sizeof *loop->w);
  perp_matrix_multiply_add(&s->H, s->v, loop->w);
}

static perp_global_parts measure(const full *s, const double *v) {
  const session *run = s->loop.run;
  perp_global_parts parts = PERP_GLOBAL_PARTS_INIT;
  (void)perp_global_residual(s->g, v, run->lambda, run->y, &parts, s->residual, s->residual_bytes);
  return parts;
}

static void keep(admm *loop) {
  const full *s = (const full *)loop;
  if (s->n > 0) (void)perp_session_keep(loop->run, loop->run->merit);
  loop->run->best_merit = loop->run->merit;
  if (s->m > 0) memcpy(s->best_v, s->x, (size_t)s->m * sizeof *s->best_v);
}

static int judge(admm *loop, double *relative, double *scale) {
  const full *s = (const full *)loop;
  const perp_global_parts parts = measure(s, s->x);
  *relative = parts.relative;
  *scale = parts.contact.scale;
  return perp_global_solved(&parts, loop->run->tol);
}

/* --- the solve ------------------------------------------------------------------------------- */

/* Everything up to the first factor. */
static perp_status prepare(full *s, perp_info *info) {
  perp_row_reader_prepare(&s->rows, &s->g->M);
  perp_global_copy_rows(&s->g->H, s->start, s->index, s->value);
  s->H = perp_sparse_rows(s->n, s->m, s->start, s->index, s->value);
  const perp_status status = perp_global_check_finite(s->g, &s->rows, &s->H, info);
  if (status != PERP_OK) return status;
  if (!perp_factor_symmetric(&s->g->M, NULL, SAME, s->x))
    return fail(info, PERP_EUNSUPPORTED, "M", -1, 0);
  scale_H(s, s->x);
  find_columns(s);
  s->general = s->K.table != NULL && !s->K.table->symmetric;
  if (s->K.table != NULL) assemble(s, s->mark);
  perp_admm_fill(&s->loop, s->d);
  return PERP_OK;
}

/* v, r := 0 */
static void clear(full *s) {
  if (s->m > 0) memset(s->v, 0, (size_t)s->m * sizeof *s->v);
  if (s->n > 0) memset(s->loop.run->lambda, 0, (size_t)s->n * sizeof(double));
}

static perp_status start(void *state, session *run) {
  static const admm_form form = {factorise, to_reaction, velocity, keep, judge};
  full *s = state;
  s->v = ((const call *)run->options)->v;
  perp_admm_open(&s->loop, run, &form);
  const perp_status status = prepare(s, run->info);
  if (status != PERP_OK) return status;
  s->begun = 1;
  if (!perp_admm_begin(&s->loop)) {
    clear(s);
    (void)perp_admm_begin(&s->loop);
  }
  return perp_admm_first_factor(&s->loop);
}

static perp_status finish(void *state, session *run, perp_status status) {
  full *s = state;
  if (!s->begun) return status;
  if (run->best_merit <= DBL_MAX) {
    if (status != PERP_OK && s->n > 0) perp_session_take_best(run);
    if (s->m > 0) memcpy(s->v, status == PERP_OK ? s->x : s->best_v, (size_t)s->m * sizeof *s->v);
  } else { /* no iteration was made */
    clear(s);
  }
  const perp_global_parts parts = measure(s, s->v);
  if (status == PERP_MAX_ITER && perp_global_solved(&parts, run->tol)) status = PERP_OK;
  if (info_ready(run->info)) run->info->solver = "admm";
  perp_global_tell(s->g, &parts, run->tol, run->info);
  perp_factor_release(&s->K);
  if (status == PERP_EUNSUPPORTED) return fail_field(run->info, "M", -1);
  return status == PERP_EBACKEND ? fail(run->info, status, "sparse", -1, 0) : status;
}

static const perp_method method = {.state = METHOD_STATE(full),
                                   .needs = NEEDS_SHAPE | NEEDS_BEST,
                                   .carve = carve,
                                   .start = start,
                                   .iterate = perp_admm_iterate,
                                   .finish = finish};

/* --- arguments ------------------------------------------------------------------------------- */

static perp_status open_call(call *c, const perp_global_problem *g,
                             const perp_admm_options *options, perp_info *info) {
  perp_status status = perp_global_check(g, info);
  if (status == PERP_OK)
    status = perp_solver_options_read(&perp_admm_defaults, options, &c->options, info);
  if (status == PERP_OK) status = perp_options_in_range(perp_admm_ranges, &c->options, info);
  return status == PERP_OK ? perp_global_check_laws(g, "admm", CONTACT_SETS, info) : status;
}

size_t perp_global_admm_workspace(const perp_global_problem *problem,
                                  const perp_admm_options *options) {
  call c = {.problem = problem};
  perp_shape shape;
  if (open_call(&c, problem, options, NULL) != PERP_OK) return 0;
  const perp_problem laws = perp_global_laws(problem);
  perp_problem_shape(&laws, &shape);
  return perp_method_workspace(&method, &shape, &c);
}

perp_status perp_global_admm(const perp_global_problem *problem, const perp_admm_options *options,
                             double *v, double *r, double *u, void *work, size_t work_bytes,
                             perp_info *info) {
  call c = {.problem = problem, .v = v};
  info_clear(info);
  perp_status status = open_call(&c, problem, options, info);
  if (status == PERP_OK) status = perp_global_check_arguments(problem, v, r, u, work, info);
  if (status != PERP_OK) return status;
  if (c.options.budget == 0)
    c.options.budget = perp_solver_budget(problem->m > problem->n ? problem->m : problem->n);
  const perp_problem laws = perp_global_laws(problem);
  return perp_method_run(&method, &laws, &c, r, u, NULL, work, work_bytes, NULL, info);
}
