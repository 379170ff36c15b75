/* SPDX-License-Identifier: MIT */
/* The interior-point method for friction as a solver: memory, when to end, and the finish.
 *
 * One plan after the other: steps from its start until the judge is satisfied, the iterate leaves
 * along a ray, or no step helps any more. The last digits, where iterates are as near to the
 * boundary as rounding lets them, are those of Newton on the natural map
 *
 *   r − P_K(r − û) = 0,   û = u + (μ‖u_t‖ + μ_r‖u_m‖) n,   u = A r + q,
 *
 * with a generalised Jacobian D of the projection and T = dû/du: (I − D + D T A) dr = −(r − P_K).
 */
#include "perp/interior_point.h"

#include <math.h>
#include <string.h>

#include "base/info.h"
#include "problem/bounds.h"
#include "problem/certificate.h"
#include "problem/residual.h"
#include "solver/contact_map.h"
#include "solver/friction_interior.h"

/* Up to so many unknowns any sparse matrix is factorised dense if it must be. */
enum { DENSE_MOST = 2000 };
/* A sparse matrix with one entry in so many places, or more, is factorised dense. */
enum { FULL = 5 };
/* Steps of one plan; steps in all where the caller sets no limit, and the least of them. */
enum { PLAN_STEPS = 80, STEPS = 600, LEAST_STEPS = 40 };
/* With dense factors n times the steps is at most this, so that the work is some 75 000 n². */
enum { STEPS_BY_SIZE = 225000 };
/* Relative residual from which the finish is tried, by what part it must fall until the next try,
 * and how many of its steps may not halve the residual. */
#define FINISH_FROM  1e-3
#define FINISH_AGAIN 0.03
enum { PATIENCE = 3 };
/* Plans that leave along a ray, and are enough. */
enum { RAYS = 4 };
/* An iterate beyond FAR on whose direction d |A d| <= FLAT has left along a ray, and beyond
 * FARTHEST will not come back. */
#define FAR      1e6
#define FARTHEST 1e10
#define FLAT     1e-4

/* --- options --------------------------------------------------------------------------------- */

static const perp_friction_interior_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_friction_interior_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_friction_interior_options",
    .crossover = 1};

void perp_friction_interior_options_init(perp_friction_interior_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_friction_interior_options, coupling), OPTION_INT, 0, PERP_FRICTION_INTERIOR_LAGGED},
    {FIELD(perp_friction_interior_options, crossover), OPTION_INT, 0, 1},
    {FIELD(perp_friction_interior_options, sparse), OPTION_SPARSE, 0, 0},
    {0}};

/* --- memory ---------------------------------------------------------------------------------- */

/* Doubles for the dense factor of a sparse matrix that is nearly full, never fewer for a larger
 * shape. */
static size_t full_doubles(const perp_shape *shape) {
  const size_t n = (size_t)shape->n;
  size_t most = n < DENSE_MOST ? n * n : (size_t)DENSE_MOST * DENSE_MOST;
  return shape->nonzeros < most / FULL ? FULL * shape->nonzeros : most;
}

/* Whether the sizes can be counted, and the matrix be factorised. */
static int too_large(const perp_shape *shape, const perp_sparse *sparse) {
  const size_t n = (size_t)shape->n, most = INT32_MAX / 8;
  if (n > 0 && n > SIZE_MAX / sizeof(double) / n) return 1;
  if (shape->matrix != PERP_BLOCKS) return 0;
  return sparse == NULL ? n > DENSE_MOST : n > most || shape->nonzeros > most;
}

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  friction_interior *w = state;
  double **const one[] = {&w->d,   &w->q,  &w->r,     &w->u,   &w->F,
                          &w->rhs, &w->dr, &w->saved, &w->ray, NULL};
  const perp_sparse *table = ((const perp_friction_interior_options *)options)->sparse;
  const size_t n = (size_t)shape->n, contacts = (size_t)shape->contacts;
  const int sparse = shape->matrix == PERP_BLOCKS && table != NULL;
  const size_t full = full_doubles(shape);
  if (too_large(shape, table)) a->failed = 1;
  arena_take_doubles(a, n, one);
  w->blocks = arena_take(a, n, 5 * sizeof(double));
  w->left_blocks = arena_take(a, n, 5 * sizeof(double));
  w->n_contacts = shape->contacts;
  w->entries = shape->nonzeros + 5 * n;
  w->contacts = arena_take(a, contacts, sizeof *w->contacts);
  w->cones = arena_take(a, 2 * contacts, sizeof *w->cones);
  w->fixed = arena_take(a, n, 1);
  row_reader_carve(&w->rows, a, n, 1);
  w->K.table = table;
  w->K.pivots = arena_take(a, n, sizeof(int32_t));
  w->K.dense = arena_take(a, sparse ? full : n * n, sizeof(double));
  w->K.way = sparse && full < n * n ? FACTOR_SPARSE : FACTOR_LU;
  if (!sparse) return;
  const size_t entries = (size_t)shape->largest * shape->nonzeros + 5 * n;
  w->place = arena_take(a, n, sizeof(int32_t));
  factor_carve_rows(&w->K, a, n, entries);
}

/* --- Newton on the natural map --------------------------------------------------------------- */

/* left := D T, block := I − D, rhs := P_K(r − û) − r of all contacts. T is I and, in the row of the
 * normal, the gradient of what û adds to u. */
static void linearise(friction_interior *w) {
  const session *s = w->session;
  perp_friction_interior_velocity(w);
  for (const contact *c = w->contacts; c < w->contacts + w->n_contacts; c++) {
    const size_t i = (size_t)c->begin;
    const double unit = w->f * w->d[i];
    double *left = w->left_blocks + 5 * i, *block = w->blocks + 5 * i;
    if (contact_is_interval(c))
      interval_natural(1, s->lower[i] / unit, s->upper[i] / unit, w->r[i], w->u[i], w->rhs + i,
                       block, left);
    else
      contact_natural(c, 1, w->r + i, w->u + i, w->rhs + i, block, left);
  }
  for (int32_t i = 0; i < w->n; i++) w->rhs[i] = 0 - w->rhs[i];
}

/* One step of nonsmooth Newton on r. 0: none can be computed. */
static int newton_step(friction_interior *w) {
  linearise(w);
  w->left = w->left_blocks;
  const int regular = perp_friction_interior_factor(w);
  if (regular) perp_friction_interior_solve(w, w->rhs, w->dr);
  w->left = NULL;
  if (!regular) return 0;
  for (int32_t i = 0; i < w->n; i++) w->r[i] += w->dr[i];
  return 1;
}

/* --- judging --------------------------------------------------------------------------------- */

/* λ := P_K(λ − d² ŷ), which lies on its bounds exactly. */
static void project(const friction_interior *w) {
  const session *s = w->session;
  for (const contact *c = w->contacts; c < w->contacts + w->n_contacts; c++) {
    const double weight = w->d[c->begin] * w->d[c->begin], *y = s->y + c->begin;
    double x[CONTACT_MOST] = {0}, *lambda = s->lambda + c->begin;
    const double slide = contact_shift(c, y);
    for (int32_t k = 0; k < c->size; k++) x[k] = lambda[k] - weight * (y[k] + (k == 0 ? slide : 0));
    contact_project(c, s->lower, s->upper, x, lambda);
  }
}

/* Judge the iterate; the best so far is kept. */
static int solved(friction_interior *w) {
  session *s = w->session;
  const size_t bytes = (size_t)w->n * sizeof *s->lambda;
  perp_residual r;
  for (int32_t i = 0; i < w->n; i++) s->lambda[i] = w->f * (w->d[i] * w->r[i]);
  const int solves = perp_session_judge(s, &r);
  w->relative = r.relative;
  if (!solves) return 0;
  if (!w->options->crossover) return 1;
  memcpy(w->dr, s->lambda, bytes);
  project(w);
  if (!perp_session_confirmed(s)) memcpy(s->lambda, w->dr, bytes);
  return 1;
}

/* A step is done: whether the observer ends the method, and whether it was the last one. */
static int stopped(friction_interior *w) {
  const perp_status status = perp_session_step(w->session, -1, -1, w->relative);
  w->spent = status != GO_ON;
  return status == PERP_STOPPED;
}

/* --- endings --------------------------------------------------------------------------------- */

/* Steps of the finish as long as they help; otherwise the iterate stays where it was. PERP_OK,
 * PERP_STOPPED, PERP_EBACKEND, GO_ON. */
static perp_status finish(friction_interior *w) {
  const size_t bytes = (size_t)w->n * sizeof *w->r;
  const double boost = w->boost, relative = w->relative;
  double before = relative;
  memcpy(w->saved, w->r, bytes);
  for (int bad = 0; bad < PATIENCE && !w->spent;) {
    if (!newton_step(w)) break;
    const int end = solved(w);
    if (stopped(w)) return PERP_STOPPED;
    if (end) return PERP_OK;
    if (!(w->relative < 1)) break;
    if (!(w->relative < 0.5 * before)) bad++;
    before = w->relative;
  }
  memcpy(w->r, w->saved, bytes);
  w->boost = boost;
  w->relative = relative;
  return w->K.failure != PERP_OK ? w->K.failure : GO_ON;
}

/* Whether the iterate is far away, in a direction d on which A vanishes; then ray := d. */
static int left(friction_interior *w, double far) {
  const double most = perp_residual_weighted_largest(w->n, NULL, w->r);
  if (!(most > far)) return 0;
  for (int32_t i = 0; i < w->n; i++) w->rhs[i] = w->r[i] / most;
  perp_friction_interior_product(w, w->rhs, w->dr);
  if (!(perp_residual_weighted_largest(w->n, NULL, w->dr) <= FLAT)) return 0;
  memcpy(w->ray, w->rhs, (size_t)w->n * sizeof *w->ray);
  return 1;
}

/* How it ends where no solution was found: an iterate may have left along a ray. */
static perp_status given_up(friction_interior *w, perp_status otherwise) {
  const session *s = w->session;
  double *ray = w->ray;
  if (w->rays == 0) return otherwise;
  for (int32_t i = 0; i < w->n; i++) ray[i] *= w->d[i];
  const double largest = perp_residual_weighted_largest(w->n, NULL, ray);
  for (int32_t i = 0; i < w->n; i++) ray[i] /= largest;
  const int intervals = perp_problem_sets(s->problem) >> (PERP_SET_BOX + 1) == 0;
  if (intervals) perp_certificate_project(s->problem, ray, s->scratch);
  const double bound = intervals ? perp_certificate_proves(s->problem, ray, s->scratch) : 0;
  info_ray(s->info, PERP_RAY_SECONDARY, w->n, ray);
  if (!(bound > 0)) return PERP_RAY;
  info_proof(s->info, bound, w->n, ray);
  return PERP_INFEASIBLE;
}

/* --- the method ------------------------------------------------------------------------------ */

/* What is tried one after another. */
static const soc_plan plans[] = {{SOC_NORM, 0, 1, 0.5, 1e-6},  {SOC_RATIO, 0, 10, 0.5, 1e-10},
                                 {SOC_RATIO, 1, 1, 1, 1e-6},   {SOC_NORM, 1, 1, 1, 1e-12},
                                 {SOC_RATIO, 1, 30, 1, 1e-12}, {SOC_RATIO, 0, 1, 0, 1e-6},
                                 {SOC_NORM, 1, 0.1, 1, 1e-12}};

/* One plan for some steps. GO_ON: another may do better. */
static perp_status follow(friction_interior *w, const soc_plan *plan) {
  const int32_t end = w->session->iterations + PLAN_STEPS;
  w->plan = *plan;
  w->boost = 1;
  w->caution = 0;
  perp_friction_interior_start(w);
  for (double next = FINISH_FROM;;) {
    if (solved(w)) return PERP_OK;
    if (w->options->crossover && w->relative <= next) {
      next = w->relative * FINISH_AGAIN;
      const perp_status status = finish(w);
      if (status != GO_ON) return status;
    }
    if (w->spent || w->session->iterations >= end || left(w, FARTHEST)) break;
    if (!perp_friction_interior_step(w)) break;
    if (stopped(w)) return PERP_STOPPED;
  }
  if (w->K.failure != PERP_OK) return w->K.failure;
  perp_status status = GO_ON;
  if (left(w, FAR))
    w->rays++;
  else if (w->options->crossover)
    status = finish(w);
  return status == GO_ON && w->spent ? PERP_MAX_ITER : status;
}

static perp_status run(friction_interior *w) {
  perp_status status = GO_ON;
  for (size_t k = 0; k < sizeof plans / sizeof *plans && w->rays < RAYS && status == GO_ON; k++)
    status = follow(w, &plans[k]);
  return status == GO_ON || status == PERP_MAX_ITER
             ? given_up(w, status == GO_ON ? PERP_INACCURATE : status)
             : status;
}

/* A sparse factor costs little beside the dense one. */
static int32_t default_steps(const friction_interior *w, int32_t n) {
  if (w->K.way == FACTOR_SPARSE || n <= STEPS_BY_SIZE / STEPS) return STEPS;
  return n < STEPS_BY_SIZE / LEAST_STEPS ? STEPS_BY_SIZE / n : LEAST_STEPS;
}

/* A factor, two solutions refined twice, and the judge. */
static double price(const friction_interior *w) {
  const double n = w->n, entries = w->K.way == FACTOR_LU ? n * n : (double)w->entries;
  return (w->K.way == FACTOR_LU ? n * n * n / 3 : entries * entries / n) + 12 * entries;
}

static void prepare(friction_interior *w, session *s) {
  const size_t n = (size_t)s->n;
  if (s->common->max_iter == 0) s->max_iter = default_steps(w, s->n);
  w->session = s;
  w->options = s->options;
  w->n = w->K.n = s->n;
  w->M = &s->problem->M;
  w->a = s->scratch;
  w->b = s->scratch + n;
  w->rest = s->scratch + 2 * n;
  w->rows.value = s->scratch + 3 * n;
  w->boost = 1;
  s->price = price(w);
  memset(s->best, 0, n * sizeof *s->best); /* the first point may be no number */
  perp_row_reader_prepare(&w->rows, w->M);
  perp_problem_contacts(s->problem, w->contacts);
}

static perp_status start(void *state, session *s) {
  friction_interior *w = state;
  prepare(w, s);
  const perp_status status = perp_friction_interior_scale(w) ? run(w) : PERP_INACCURATE;
  if (status != PERP_OK) memcpy(s->lambda, s->best, (size_t)w->n * sizeof *s->lambda);
  perp_factor_release(&w->K);
  return status < 0 ? fail(s->info, status, "sparse", -1, 0) : status;
}

const perp_solver *perp_solver_friction_interior(void) {
  static const perp_method method = {.state = METHOD_STATE(friction_interior),
                                     .ranges = ranges,
                                     .needs = NEEDS_SHAPE | NEEDS_BOUNDS | NEEDS_BEST | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = CONTACT_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "friction-interior",
                                     .defaults = &defaults,
                                     .method = &method};
  return &solver;
}
