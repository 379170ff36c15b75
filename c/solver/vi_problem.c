/* SPDX-License-Identifier: MIT */
/* The projection methods as solvers of one-step problems: F(λ) = ŷ, the change of variable of each
 * law applied to M λ + q, and P by the laws' projections. The weights are 1 / M_ii by component of
 * an interval, and one number, size / Σ M_ii, on a copy of any other law. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/matrix.h"
#include "perp/vi.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/interval.h"
#include "solver/vi_core.h"

/* Diagonal entries below this are none: 1 / M_ii would overflow. */
#define LEAST_DIAGONAL 1e-290

typedef struct session {
  vi_core core; /* first, so that one is the other's address */
  const perp_problem *problem;
  double *lower, *upper, *weight; /* n each                                         */
  double *y;                      /* n: the caller's                                */
  double *scratch;                /* of the residual                                */
  double *spare;                  /* of projections that need memory, behind it     */
} session;

static void carve(session *v, arena *a, int32_t n, size_t projection) {
  perp_vi_carve(&v->core, a, n);
  v->lower = arena_take(a, (size_t)n, sizeof(double));
  v->upper = arena_take(a, (size_t)n, sizeof(double));
  v->weight = arena_take(a, (size_t)n, sizeof(double));
  v->scratch = arena_take(a, residual_scratch_doubles(n), sizeof(double));
  v->spare = arena_take(a, projection, sizeof(double));
}

static size_t workspace(const perp_shape *shape, const void *options) {
  session v;
  (void)options;
  if (shape->n < 0) return 0;
  arena a = arena_measure();
  carve(&v, &a, shape->n, shape->projection);
  return arena_bytes(&a);
}

/* --- copies of laws that are no intervals ---------------------------------------------------- */

typedef void (*copy_fn)(const session *v, const perp_law *law, const void *state, int32_t i,
                        double *x);

static void for_copies(const session *v, copy_fn body, double *x) {
  const perp_problem *p = v->problem;
  for (int32_t b = 0, begin = 0, end; b < p->n_blocks; b++, begin = end) {
    const perp_law *law = p->laws[b];
    end = p->offset == NULL ? begin + law->size : p->offset[b + 1];
    if (law->ops->set <= PERP_SET_BOX) continue;
    const size_t bytes = law->ops->state_bytes == NULL ? 0 : law->ops->state_bytes(law);
    const unsigned char *state = bytes == 0 || p->states == NULL ? NULL : p->states[b];
    for (int32_t i = begin; i < end; i += law->size) {
      body(v, law, state, i, x);
      if (state != NULL) state += bytes;
    }
  }
}

static void shift_copy(const session *v, const perp_law *law, const void *state, int32_t i,
                       double *F) {
  (void)v;
  if (law->ops->shift != NULL) law->ops->shift(law, state, v->y + i, F + i);
}

static void project_copy(const session *v, const perp_law *law, const void *state, int32_t i,
                         double *p) {
  law_project(law, state, p + i, p + i, v->spare);
}

/* One weight for the copy: of the mean diagonal entry. */
static void weigh_copy(const session *v, const perp_law *law, const void *state, int32_t i,
                       double *diagonal) {
  (void)v;
  (void)state;
  double sum = 0;
  for (int32_t k = 0; k < law->size; k++) sum += diagonal[i + k];
  for (int32_t k = 0; k < law->size; k++) diagonal[i + k] = sum / law->size;
}

/* --- F and P --------------------------------------------------------------------------------- */

static int32_t function(const double *x, double *F, void *user) {
  const session *v = user;
  const size_t bytes = (size_t)v->core.n * sizeof *F;
  memcpy(v->y, v->problem->q, bytes);
  perp_matrix_multiply_add(&v->problem->M, x, v->y);
  memcpy(F, v->y, bytes);
  for_copies(v, shift_copy, F);
  return 0;
}

static int32_t project(const double *x, double *p, void *user) {
  const session *v = user;
  for (int32_t i = 0; i < v->core.n; i++) p[i] = clip(x[i], v->lower[i], v->upper[i]);
  for_copies(v, project_copy, p);
  return 0;
}

/* The judge of the one-step problem. */
static perp_status judge(vi_core *s, double *miss) {
  session *v = (session *)s;
  perp_residual r;
  perp_residual_compute(v->problem, s->x, v->y, &r, v->scratch);
  if (perp_residual_solved(&r, s->options.tol)) return PERP_OK;
  *miss = r.relative > 0 ? s->options.tol / r.relative : 0;
  return VI_GO_ON;
}

/* --- the solvers ----------------------------------------------------------------------------- */

/* w = 1 / M_ii; where M_ii is not positive, the sum of the row's magnitudes stands for it. */
static void weigh(session *v) {
  const perp_matrix *M = &v->problem->M;
  double *w = v->weight, *ones = v->core.trial, *sums = v->core.ahead;
  for (int32_t i = 0; i < v->core.n; i++) {
    ones[i] = 1;
    sums[i] = 0;
  }
  perp_matrix_absolute_multiply_add(M, ones, sums);
  perp_matrix_diagonal(M, w);
  for (int32_t i = 0; i < v->core.n; i++) {
    if (!(w[i] >= LEAST_DIAGONAL)) w[i] = sums[i];
    if (!(w[i] >= LEAST_DIAGONAL && w[i] <= DBL_MAX)) w[i] = 1;
  }
  for_copies(v, weigh_copy, w);
  for (int32_t i = 0; i < v->core.n; i++) w[i] = 1 / w[i];
}

/* The start, moved into K; what is not a number becomes 0. */
static perp_status begin(session *v, const double *lambda) {
  vi_core *s = &v->core;
  for (int32_t i = 0; i < s->n; i++) s->trial[i] = is_finite(lambda[i]) ? lambda[i] : 0;
  (void)project(s->trial, s->x, v);
  perp_status status = perp_vi_evaluate(s, s->x, s->F);
  if (status == VI_GO_ON) return VI_GO_ON;
  for (int32_t i = 0; i < s->n; i++) s->trial[i] = 0; /* the start was too large */
  (void)project(s->trial, s->x, v);
  return perp_vi_evaluate(s, s->x, s->F);
}

static perp_status solve(session *v, const perp_problem *problem, const void *options,
                         double *lambda, double *y, void *work, size_t work_bytes,
                         perp_info *info) {
  vi_core *s = &v->core;
  s->options = *(const perp_vi_options *)options;
  arena a = arena_open(work, work_bytes);
  carve(v, &a, problem->n, perp_problem_projection_doubles(problem));
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  v->problem = problem;
  v->y = y;
  s->n = problem->n;
  s->function = function;
  s->project = project;
  s->user = v;
  s->weight = v->weight;
  s->judge = judge;
  s->not_finite = PERP_INACCURATE; /* who looks at the residual afterwards finds the culprit */
  s->info = info;
  s->rho = s->options.step > 0 ? s->options.step : 1;
  perp_problem_bounds(problem, v->lower, v->upper);
  weigh(v);
  perp_status status = begin(v, lambda);
  double miss;
  if (status == VI_GO_ON) status = judge(s, &miss); /* the last step's solution often is one */
  if (status == VI_GO_ON) {
    s->reference = perp_vi_difference(s, problem->q, NULL);
    status = perp_vi_run(s);
  }
  memcpy(lambda, s->x, (size_t)s->n * sizeof *lambda);
  if (info_ready(info)) info->iterations = s->iterations;
  return status;
}

static perp_status solve_fixed_point(const perp_problem *problem, const void *options,
                                     double *lambda, double *y, perp_warm *warm, void *work,
                                     size_t work_bytes, perp_info *info) {
  session v = {.core = {.method = perp_vi_fixed_point_step, .shy = 1}};
  (void)warm;
  return solve(&v, problem, options, lambda, y, work, work_bytes, info);
}

static perp_status solve_extragradient(const perp_problem *problem, const void *options,
                                       double *lambda, double *y, perp_warm *warm, void *work,
                                       size_t work_bytes, perp_info *info) {
  session v = {.core = {.method = perp_vi_extragradient_step}};
  (void)warm;
  return solve(&v, problem, options, lambda, y, work, work_bytes, info);
}

#define PROJECTED_SETS                                                                       \
  (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX | 1u << PERP_SET_CONE | \
   1u << PERP_SET_ROLLING | 1u << PERP_SET_POLYHEDRON | 1u << PERP_SET_OTHER)
#define ALL_MATRICES (1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS)

const perp_solver *perp_solver_fixed_point(void) {
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = PROJECTED_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "fixed-point",
                                     .defaults = &perp_vi_defaults,
                                     .check = perp_vi_check_options,
                                     .workspace = workspace,
                                     .solve = solve_fixed_point};
  return &solver;
}

const perp_solver *perp_solver_extragradient(void) {
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = PROJECTED_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "extragradient",
                                     .defaults = &perp_vi_defaults,
                                     .check = perp_vi_check_options,
                                     .workspace = workspace,
                                     .solve = solve_extragradient};
  return &solver;
}
