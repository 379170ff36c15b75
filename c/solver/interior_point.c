/* SPDX-License-Identifier: MIT */
/* The interior-point method as a solver: options, memory, start, and when to end. The method itself
 * stands in interior_step.c.
 *
 * Start: x near 0, at least 1 or half the box away from its bounds, multipliers with all products
 * 1, tau = kappa = 1. Known modes of a warm start are tried first.
 *
 * Ends: the active set that the iterate suggests is solved once it came twice in a row, or mu is
 * small. Where tau falls behind kappa, a proof of infeasibility is looked for. */
#include "perp/interior_point.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/sparse_table.h"
#include "problem/residual.h"
#include "solver/interior.h"
#include "solver/options.h"
#include "solver/warm.h"

/* Up to so many unknowns any sparse matrix is factorised dense if it must be. */
enum { DENSE_MOST = 1000, CORRECTORS_MOST = 4 };
/* Envelopes up to so many times the entries and the diagonal are preferred to a back end. */
enum { ENVELOPE_MOST = 16 };

#define RHO 1e-10
/* mu / tau² from which every step is asked for a solution. */
#define MU_SMALL 1e-10
/* tau below this part of kappa, and from W of this size on it may belong to a problem without
 * solution. */
#define LEAVING 1e-2
#define FAR     1e5
/* A slack and a multiplier closer than this may both be on their way to 0. */
#define DEGENERATE 1e3

/* ---- options ---- */

static const perp_interior_point_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_interior_point_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_interior_point_options",
    .correctors = 2,
    .crossover = 1};

void perp_interior_point_options_init(perp_interior_point_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check(const void *options, perp_info *info) {
  const perp_interior_point_options *o = options;
  if (o->correctors < 0 || o->correctors > CORRECTORS_MOST)
    return fail(info, PERP_EINVAL, "correctors", -1, o->correctors);
  if (o->crossover != 0 && o->crossover != 1)
    return fail(info, PERP_EINVAL, "crossover", -1, o->crossover);
  if (!sparse_table_ok(o->sparse, 0)) return fail_field(info, "sparse", -1);
  return PERP_OK;
}

/* ---- memory ---- */

enum { VECTORS = 29 };

static void carve_vectors(interior *w, arena *a, size_t n) {
  double **vectors[VECTORS] = {
      &w->d,  &w->p,  &w->q, &w->l, &w->u,          &w->x, &w->s,  &w->t,   &w->z,   &w->v,
      &w->Ax, &w->r1, &w->D, &w->W, &w->AW,         &w->P, &w->AP, &w->cz,  &w->cv,  &w->dx,
      &w->dz, &w->dv, &w->a, &w->b, &w->rows.value, &w->B, &w->AB, &w->low, &w->high};
  for (int i = 0; i < VECTORS; i++) *vectors[i] = arena_take(a, n, sizeof(double));
  w->saved = arena_take(a, n, 3 * sizeof(double));
  w->residual = arena_take(a, residual_scratch_doubles((int32_t)n), sizeof(double));
}

/* What the factors of a sparse matrix take. With a back end, memory stays linear in the entries: an
 * envelope that is much longer than M is not used, but its limit is charged, so that a larger shape
 * never takes less. */
static void carve_sparse(interior *w, arena *a, size_t n, const perp_shape *shape) {
  const size_t entries = shape->nonzeros + n;
  w->narrow = w->o.sparse == NULL || shape->envelope / ENVELOPE_MOST <= entries;
  w->env.capacity = w->narrow ? shape->envelope : ENVELOPE_MOST * entries;
  w->values = arena_take(a, entries, sizeof(double));
  w->index = arena_take(a, entries, sizeof(int32_t));
  w->start = arena_take(a, n + 1, sizeof(int32_t));
  w->env.start = arena_take(a, n, sizeof(size_t));
  w->env.position = arena_take(a, n, sizeof(int32_t));
  w->env.first = arena_take(a, n, sizeof(int32_t));
  w->env.inverse = arena_take(a, n, sizeof(double));
  w->env.lower = arena_take(a, w->env.capacity, sizeof(double));
  w->rows.block = arena_take(a, n, sizeof(int32_t));
  w->rows.at = arena_take(a, n, sizeof(size_t));
}

static void carve(interior *w, arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n;
  const int dense = shape->matrix == PERP_DENSE;
  const int square = dense || (w->o.sparse == NULL && shape->n <= DENSE_MOST);
  w->K = square ? arena_take(a, n, n * sizeof(double)) : NULL;
  carve_vectors(w, a, n);
  w->pivots = arena_take(a, n, sizeof(int32_t));
  w->member = arena_take(a, n, sizeof(int32_t));
  w->rows.column = arena_take(a, n, sizeof(int32_t));
  w->kind = arena_take(a, n, 1);
  w->guess = arena_take(a, n, 1);
  w->tried = arena_take(a, n, 1);
  if (!dense) carve_sparse(w, a, n, shape);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  interior w;
  arena a = arena_measure();
  w.o = *(const perp_interior_point_options *)options;
  const size_t n = shape->n > 0 ? (size_t)shape->n : 0, most = INT32_MAX;
  if (shape->n < 0 || (n > 0 && n > SIZE_MAX / sizeof(double) / n)) return 0;
  if (shape->matrix != PERP_DENSE && shape->nonzeros > most - n - 1) return 0;
  carve(&w, &a, shape);
  return arena_bytes(&a);
}

static size_t warm_bytes(const perp_shape *shape) {
  return shape->n < 0 ? 0 : warm_modes_bytes(shape->n);
}

/* ---- start ---- */

static double smaller(double a, double b) { return a < b ? a : b; }

static void start_unknown(interior *w, int32_t i) {
  const int below = w->kind[i] & INTERIOR_BELOW, above = w->kind[i] & INTERIOR_ABOVE;
  double room = 1;
  w->x[i] = 0;
  if (below && above) room = smaller(1, 0.5 * (w->u[i] - w->l[i]));
  if (below && w->x[i] < w->l[i] + room) w->x[i] = w->l[i] + room;
  if (above && w->x[i] > w->u[i] - room) w->x[i] = w->u[i] - room;
  w->s[i] = below ? w->x[i] - w->l[i] : 0;
  w->t[i] = above ? w->u[i] - w->x[i] : 0;
  w->z[i] = below ? 1 / w->s[i] : 0;
  w->v[i] = above ? 1 / w->t[i] : 0;
}

static void start(interior *w, int plain) {
  for (int32_t i = 0; i < w->n; i++) start_unknown(w, i);
  w->plain = plain;
  w->tau = 1;
  w->kappa = plain ? 0 : 1;
  w->mu = 1;
  w->earlier[0] = w->earlier[1] = DBL_MAX;
}

/* M is not monotone as it stands: nothing promises a definite K any more. */
static void start_plain(interior *w) {
  start(w, 1);
  if (w->K != NULL)
    w->method = INTERIOR_LU;
  else if (w->o.sparse != NULL)
    w->method = INTERIOR_SPARSE;
}

/* Solve for the modes of a warm start. */
static int solved_by_modes(interior *w, const perp_warm *warm, double *lambda, double *y) {
  if (!warm_known(warm, w->n)) return 0;
  const unsigned char *known = warm_modes(warm, w->n);
  for (int32_t i = 0; i < w->n; i++) {
    w->guess[i] = PERP_MODE_FREE;
    if (known[i] == PERP_MODE_LOWER && (w->kind[i] & INTERIOR_BELOW)) w->guess[i] = PERP_MODE_LOWER;
    if (known[i] == PERP_MODE_UPPER && (w->kind[i] & INTERIOR_ABOVE)) w->guess[i] = PERP_MODE_UPPER;
    if (w->kind[i] == INTERIOR_FIXED) w->guess[i] = PERP_MODE_LOWER;
  }
  return perp_interior_crossover(w, lambda, y);
}

/* ---- the iteration ---- */

static int observed_stop(interior *w) {
  const perp_iterate it = {w->iterations, -1, -1, w->mu / (w->tau * w->tau)};
  w->iterations++;
  return w->o.observe != NULL && w->o.observe(&it, w->o.user) != 0;
}

/* Whether lambda is brought to a solution from the iterate; guess, z and tried carry over. */
static int finished(interior *w, double *lambda, double *y) {
  const double mu = w->mu / (w->tau * w->tau);
  const size_t n = (size_t)w->n;
  if (w->o.crossover) {
    unsigned char *before = (unsigned char *)w->saved;
    memcpy(before, w->guess, n);
    perp_interior_guess(w, 1);
    const int settled = memcmp(before, w->guess, n) == 0 || mu <= MU_SMALL;
    if (settled && memcmp(w->guess, w->tried, n) != 0 && perp_interior_crossover(w, lambda, y))
      return 1;
  }
  if (!(mu <= MU_SMALL)) return 0;
  if (w->o.crossover) { /* what tends to 0 together with its y may make A_FF singular */
    perp_interior_guess(w, DEGENERATE);
    if (perp_interior_crossover(w, lambda, y)) return 1;
    perp_interior_guess(w, 1);
  }
  perp_interior_point(w, lambda);
  return perp_interior_judge(w, lambda, y);
}

/* PERP_INFEASIBLE with the proof in info, or PERP_OK. */
static perp_status prove(interior *w, int way, double *lambda, double *y, perp_info *info) {
  const double bound = perp_interior_certificate(w, way, y);
  if (!(bound > 0)) return PERP_OK;
  info_proof(info, bound, w->n, y);
  perp_interior_point(w, lambda);
  return PERP_INFEASIBLE;
}

/* A proof is looked for where tau falls behind kappa, or a change of q by 1 moves the solution far
 * away: one way after the other and ever less often, as problems with solutions look so, too. */
static int looks_infeasible(interior *w, double *lambda, double *y, perp_info *info) {
  double largest = 0;
  for (int32_t i = 0; i < w->n; i++)
    if (fabs(w->W[i]) > largest) largest = fabs(w->W[i]);
  if (!(w->tau < LEAVING * w->kappa || largest > FAR)) return 0;
  if (w->iterations < w->next_proof) return 0;
  const int way = w->proofs++ % INTERIOR_WAYS;
  w->next_proof = w->iterations + 1 + w->proofs / 2;
  return prove(w, way, lambda, y, info) != PERP_OK;
}

static perp_status run(interior *w, double *lambda, double *y, perp_info *info) {
  for (;;) {
    if (w->iterations >= w->o.max_iter) {
      if (w->proofs > 0 && prove(w, -1, lambda, y, info) != PERP_OK) return PERP_INFEASIBLE;
      perp_interior_point(w, lambda);
      return PERP_MAX_ITER;
    }
    const int moved = perp_interior_step(w);
    if (w->failure != PERP_OK || (!moved && w->plain)) {
      perp_interior_point(w, lambda);
      return w->failure != PERP_OK ? w->failure : PERP_INACCURATE;
    }
    if (!moved) {
      if (prove(w, -1, lambda, y, info) != PERP_OK) return PERP_INFEASIBLE;
      start_plain(w);
      continue;
    }
    if (observed_stop(w)) {
      perp_interior_point(w, lambda);
      return PERP_STOPPED;
    }
    if (finished(w, lambda, y)) return PERP_OK;
    if (looks_infeasible(w, lambda, y, info)) return PERP_INFEASIBLE;
  }
}

static void keep_modes(const interior *w, const perp_warm *warm) {
  unsigned char *modes = warm_claim(warm, w->n);
  if (modes != NULL) memcpy(modes, w->guess, (size_t)w->n);
}

static void prepare(interior *w, const perp_problem *problem) {
  w->problem = problem;
  w->n = w->env.n = problem->n;
  w->env.member = w->member;
  w->rows.M = &problem->M;
  w->rho = 1e-15 * (16.0 + w->n) > RHO ? 1e-15 * (16.0 + w->n) : RHO;
  perp_row_reader_prepare(&w->rows);
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  interior w;
  perp_shape shape;
  memset(&w, 0, sizeof w);
  w.o = *(const perp_interior_point_options *)options;
  perp_problem_shape(problem, &shape);
  arena a = arena_open(work, work_bytes);
  carve(&w, &a, &shape);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  if (w.o.max_iter == 0) w.o.max_iter = 100;
  prepare(&w, problem);
  const int finite = perp_interior_scale(&w);
  start(&w, 0);
  if (!finite) {
    memcpy(lambda, w.p, (size_t)w.n * sizeof *lambda);
    return PERP_INACCURATE;
  }
  if (!perp_interior_choose(&w)) {
    memcpy(lambda, w.p, (size_t)w.n * sizeof *lambda);
    return fail(info, PERP_EUNSUPPORTED, "M", -1, 0);
  }
  memcpy(lambda, w.p, (size_t)w.n * sizeof *lambda);
  if (perp_interior_judge(&w, lambda, y)) return PERP_OK;
  memset(w.tried, PERP_MODE_UNKNOWN, (size_t)w.n);
  perp_interior_guess(&w, 1);
  perp_status status = solved_by_modes(&w, warm, lambda, y) ? PERP_OK : run(&w, lambda, y, info);
  perp_interior_sparse_release(&w);
  if (status < 0) (void)fail(info, status, "sparse", -1, 0);
  if (status == PERP_OK) keep_modes(&w, warm);
  if (info_ready(info)) info->iterations = w.iterations;
  return status;
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = PERP_ASSUMES_SEMIDEFINITE,
    .name = "interior-point",
    .defaults = &defaults,
    .check = check,
    .workspace = workspace,
    .warm_bytes = warm_bytes,
    .solve = solve};

const perp_solver *perp_solver_interior_point(void) { return &descriptor; }
