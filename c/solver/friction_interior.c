/* SPDX-License-Identifier: MIT */
/* The interior-point method for friction as a solver: options, memory, and when to end. */
#include "perp/interior_point.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/sparse_table.h"
#include "problem/allowance.h"
#include "problem/bounds.h"
#include "problem/certificate.h"
#include "problem/residual.h"
#include "solver/friction_interior.h"
#include "solver/options.h"

/* Up to so many unknowns any sparse matrix is factorised dense if it must be. */
enum { DENSE_MOST = 2000 };
/* A sparse matrix with one entry in so many places, or more, is factorised dense. */
enum { FULL = 5 };
/* Steps of one plan; steps in all where the caller sets no limit, and the least of them. */
enum { PLAN_STEPS = 80, STEPS = 600, LEAST_STEPS = 40 };
/* With dense factors n times the steps is at most this, so that the work is some 75 000 n². */
enum { STEPS_BY_SIZE = 225000 };
/* No status of the library. */
enum { GO_ON = -99 };
/* Relative residual from which the finish is tried, by what part it must fall until the next try,
 * and how many of its steps may not halve the residual. */
#define FINISH_FROM  1e-3
#define FINISH_AGAIN 0.03
enum { PATIENCE = 3 };
/* An iterate beyond FAR on whose direction d |A d| <= FLAT has left along a ray, and beyond
 * FARTHEST will not come back. */
#define FAR      1e6
#define FARTHEST 1e10
#define FLAT     1e-4

/* ---- options ---- */

static const perp_friction_interior_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_friction_interior_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_friction_interior_options",
    .crossover = 1};

void perp_friction_interior_options_init(perp_friction_interior_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check(const void *options, perp_info *info) {
  const perp_friction_interior_options *o = options;
  if (o->coupling < 0 || o->coupling > PERP_FRICTION_INTERIOR_LAGGED)
    return fail(info, PERP_EINVAL, "coupling", -1, o->coupling);
  if (o->crossover != 0 && o->crossover != 1)
    return fail(info, PERP_EINVAL, "crossover", -1, o->crossover);
  if (!sparse_table_ok(o->sparse, 0)) return fail_field(info, "sparse", -1);
  return PERP_OK;
}

/* ---- memory ---- */

static void carve_vectors(friction_interior *w, arena *a, size_t n, size_t cones) {
  double **one[] = {&w->d, &w->q, &w->r,    &w->u,    &w->F,     &w->rhs, &w->dr,
                    &w->a, &w->b, &w->rest, &w->best, &w->saved, &w->ray, &w->rows.value};
  double **three[] = {&w->x, &w->z, &w->dx, &w->dz, &w->rc};
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) *one[i] = arena_take(a, n, sizeof(double));
  for (size_t i = 0; i < sizeof three / sizeof *three; i++)
    *three[i] = arena_take(a, cones, 3 * sizeof(double));
  w->blocks = arena_take(a, n, 5 * sizeof(double));
  w->left_blocks = arena_take(a, n, 5 * sizeof(double));
  w->residual = arena_take(a, residual_scratch_doubles((int32_t)n), sizeof(double));
}

/* Doubles for the dense factor of a sparse matrix that is nearly full, never fewer for a larger
 * shape. */
static size_t full_doubles(const perp_shape *shape) {
  const size_t n = (size_t)shape->n;
  size_t most = n < DENSE_MOST ? n * n : (size_t)DENSE_MOST * DENSE_MOST;
  return shape->nonzeros < most / FULL ? FULL * shape->nonzeros : most;
}

static void carve(friction_interior *w, arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n, contacts = (size_t)shape->contacts, cones = 2 * contacts;
  const int sparse = shape->matrix == PERP_BLOCKS && w->o.sparse != NULL;
  const size_t full = full_doubles(shape);
  carve_vectors(w, a, n, cones);
  w->contacts = arena_take(a, contacts, sizeof *w->contacts);
  w->cones = arena_take(a, cones, sizeof *w->cones);
  w->nt = arena_take(a, cones, sizeof *w->nt);
  w->fixed = arena_take(a, n, 1);
  w->rows.column = arena_take(a, n, sizeof(int32_t));
  w->rows.block = arena_take(a, n, sizeof(int32_t));
  w->rows.at = arena_take(a, n, sizeof(size_t));
  w->pivots = arena_take(a, n, sizeof(int32_t));
  w->K = arena_take(a, sparse ? full : n * n, sizeof(double));
  if (sparse && full < n * n) w->K = NULL;
  if (!sparse) return;
  const size_t entries = (size_t)shape->largest * shape->nonzeros + 5 * n;
  w->place = arena_take(a, n, sizeof(int32_t));
  w->start = arena_take(a, n + 1, sizeof(int32_t));
  w->index = arena_take(a, entries, sizeof(int32_t));
  w->values = arena_take(a, entries, sizeof(double));
}

static size_t workspace(const perp_shape *shape, const void *options) {
  friction_interior w;
  w.o = *(const perp_friction_interior_options *)options;
  if (shape->n < 0) return 0;
  const size_t n = (size_t)shape->n, most = INT32_MAX / 8;
  if (n > 0 && n > SIZE_MAX / sizeof(double) / n) return 0;
  if (shape->matrix == PERP_BLOCKS) {
    if (w.o.sparse == NULL && n > DENSE_MOST) return 0;
    if (w.o.sparse != NULL && (n > most || shape->nonzeros > most)) return 0;
  }
  arena a = arena_measure();
  carve(&w, &a, shape);
  return arena_bytes(&a);
}

/* ---- the iteration ---- */

/* What is tried one after another. */
static const soc_plan plans[] = {{SOC_NORM, 0, 1, 0.5, 1e-6},  {SOC_RATIO, 0, 10, 0.5, 1e-10},
                                 {SOC_RATIO, 1, 1, 1, 1e-6},   {SOC_NORM, 1, 1, 1, 1e-12},
                                 {SOC_RATIO, 1, 30, 1, 1e-12}, {SOC_RATIO, 0, 1, 0, 1e-6},
                                 {SOC_NORM, 1, 0.1, 1, 1e-12}};

static void unscaled(const friction_interior *w, double *lambda) {
  for (int32_t i = 0; i < w->n; i++) lambda[i] = w->f * (w->d[i] * w->r[i]);
}

/* Judge the iterate; the best so far is kept. */
static int solved(friction_interior *w, double *lambda, double *y) {
  perp_residual r;
  unscaled(w, lambda);
  perp_residual_compute(w->problem, lambda, y, &r, w->residual);
  w->relative = r.relative;
  const double score = residual_merit(&r, w->o.tol);
  if (score < w->best_score) {
    w->best_score = score;
    memcpy(w->best, lambda, (size_t)w->n * sizeof *lambda);
  }
  if (!perp_residual_solved(&r, w->o.tol)) return 0;
  if (!w->o.crossover) return 1;
  memcpy(w->rest, lambda, (size_t)w->n * sizeof *lambda);
  perp_friction_interior_project(w, y, lambda);
  perp_residual_compute(w->problem, lambda, y, &r, w->residual);
  if (!perp_residual_solved(&r, w->o.tol)) memcpy(lambda, w->rest, (size_t)w->n * sizeof *lambda);
  return 1;
}

static int observed_stop(friction_interior *w) {
  const perp_iterate it = {w->iterations, -1, -1, w->relative};
  w->iterations++;
  return w->o.observe != NULL && w->o.observe(&it, w->o.user) != 0;
}

/* One step of the finish, with a shift where the system is singular. 0: none can be computed. */
static int finish_step(friction_interior *w) {
  while (!perp_friction_interior_finish_step(w)) {
    if (w->failure != PERP_OK || !(w->boost < MOST_BOOST)) return 0;
    w->boost *= 100;
  }
  return 1;
}

/* Steps of the finish as long as they help; otherwise the iterate stays where it was. PERP_OK,
 * PERP_STOPPED, PERP_EBACKEND, GO_ON. */
static perp_status finish(friction_interior *w, double *lambda, double *y) {
  const size_t bytes = (size_t)w->n * sizeof *w->r;
  const double boost = w->boost, relative = w->relative;
  double before = relative;
  perp_status status = GO_ON;
  memcpy(w->saved, w->r, bytes);
  for (int bad = 0; bad < PATIENCE && w->iterations < w->o.max_iter;) {
    if (!finish_step(w)) break;
    const int end = solved(w, lambda, y), stop = observed_stop(w);
    if (stop) return PERP_STOPPED;
    if (end) return PERP_OK;
    if (!(w->relative < 1)) break;
    if (!(w->relative < 0.5 * before)) bad++;
    before = w->relative;
  }
  if (w->failure != PERP_OK) status = w->failure;
  memcpy(w->r, w->saved, bytes);
  w->boost = boost;
  w->relative = relative;
  return status;
}

/* Whether the iterate is far away, in a direction d on which A vanishes; then ray := d. */
static int left(friction_interior *w, double far) {
  double most = 0, image = 0;
  for (int32_t i = 0; i < w->n; i++)
    if (fabs(w->r[i]) > most) most = fabs(w->r[i]);
  if (!(most > far)) return 0;
  for (int32_t i = 0; i < w->n; i++) w->rhs[i] = w->r[i] / most;
  perp_friction_interior_product(w, w->rhs, w->dr);
  for (int32_t i = 0; i < w->n; i++)
    if (!(fabs(w->dr[i]) <= image)) image = fabs(w->dr[i]);
  if (image <= FLAT) memcpy(w->ray, w->rhs, (size_t)w->n * sizeof *w->ray);
  return image <= FLAT;
}

static int all_intervals(const perp_problem *p) {
  return perp_problem_sets(p) >> (PERP_SET_BOX + 1) == 0;
}

/* How it ends where no solution was found: an iterate may have left along a ray. */
static perp_status given_up(friction_interior *w, perp_status otherwise, perp_info *info) {
  if (w->rays == 0) return otherwise;
  double largest = 0, *ray = w->ray;
  for (int32_t i = 0; i < w->n; i++) {
    ray[i] *= w->d[i];
    if (fabs(ray[i]) > largest) largest = fabs(ray[i]);
  }
  for (int32_t i = 0; i < w->n; i++) ray[i] /= largest;
  if (!all_intervals(w->problem)) {
    info_ray(info, PERP_RAY_SECONDARY, w->n, ray);
    return PERP_RAY;
  }
  perp_certificate_project(w->problem, ray, w->residual);
  const double bound = perp_certificate_proves(w->problem, ray, w->residual);
  info_ray(info, PERP_RAY_SECONDARY, w->n, ray);
  if (!(bound > 0)) return PERP_RAY;
  info_proof(info, bound, w->n, ray);
  return PERP_INFEASIBLE;
}

/* One plan for at most so many steps. GO_ON: another may do better. */
static perp_status follow(friction_interior *w, int32_t most, double *lambda, double *y) {
  const int32_t end = w->iterations < w->o.max_iter - most ? w->iterations + most : w->o.max_iter;
  w->boost = 1;
  w->caution = 0;
  perp_friction_interior_start(w);
  for (double next = FINISH_FROM;;) {
    if (solved(w, lambda, y)) return PERP_OK;
    if (w->o.crossover && w->relative <= next) {
      next = w->relative * FINISH_AGAIN;
      const perp_status status = finish(w, lambda, y);
      if (status != GO_ON) return status;
    }
    if (w->iterations >= end || left(w, FARTHEST)) break;
    perp_friction_interior_evaluate(w);
    if (!perp_friction_interior_step(w)) break;
    if (observed_stop(w)) return PERP_STOPPED;
  }
  if (w->failure != PERP_OK) return w->failure;
  if (left(w, FAR)) {
    w->rays++;
  } else if (w->o.crossover) {
    const perp_status status = finish(w, lambda, y);
    if (status != GO_ON) return status;
  }
  return w->iterations >= w->o.max_iter ? PERP_MAX_ITER : GO_ON;
}

/* Four plans that leave along a ray are enough. */
static perp_status run(friction_interior *w, double *lambda, double *y) {
  for (size_t k = 0; k < sizeof plans / sizeof *plans && w->rays < 4; k++) {
    w->plan = plans[k];
    const perp_status status = follow(w, PLAN_STEPS, lambda, y);
    if (status != GO_ON) return status;
  }
  return PERP_INACCURATE;
}

/* A sparse factor costs little beside the dense one. */
static int32_t default_steps(const friction_interior *w, int32_t n) {
  if (w->K == NULL || n <= STEPS_BY_SIZE / STEPS) return STEPS;
  return n < STEPS_BY_SIZE / LEAST_STEPS ? STEPS_BY_SIZE / n : LEAST_STEPS;
}

static void prepare(friction_interior *w, const perp_problem *problem, int32_t contacts) {
  if (w->o.max_iter == 0) w->o.max_iter = default_steps(w, problem->n);
  w->problem = problem;
  w->n = problem->n;
  w->n_contacts = contacts;
  w->rows.M = &problem->M;
  w->boost = 1;
  w->best_score = (double)INFINITY;
  memset(w->best, 0, (size_t)w->n * sizeof *w->best); /* the first point may be no number */
  perp_row_reader_prepare(&w->rows);
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  friction_interior w;
  perp_shape shape;
  (void)warm;
  memset(&w, 0, sizeof w);
  w.o = *(const perp_friction_interior_options *)options;
  perp_problem_shape(problem, &shape);
  arena a = arena_open(work, work_bytes);
  carve(&w, &a, &shape);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  prepare(&w, problem, shape.contacts);
  if (!perp_friction_interior_setup(&w)) {
    memset(lambda, 0, (size_t)w.n * sizeof *lambda);
    return PERP_INACCURATE;
  }
  perp_status status = run(&w, lambda, y);
  if (status == PERP_MAX_ITER || status == PERP_INACCURATE) status = given_up(&w, status, info);
  if (status != PERP_OK) memcpy(lambda, w.best, (size_t)w.n * sizeof *lambda);
  perp_friction_interior_release(&w);
  if (status < 0) (void)fail(info, status, "sparse", -1, 0);
  if (info_ready(info)) info->iterations = w.iterations;
  return status;
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX |
            1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = PERP_ASSUMES_SEMIDEFINITE,
    .name = "friction-interior",
    .defaults = &defaults,
    .check = check,
    .workspace = workspace,
    .solve = solve};

const perp_solver *perp_solver_friction_interior(void) { return &descriptor; }
