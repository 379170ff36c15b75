/* SPDX-License-Identifier: MIT */
/* The interior-point method as a solver: memory, start, and endings. A step stands in
 * interior_step.c.
 *
 * Start: x near 0, at least 1 or half the box away from its bounds, multipliers with all products
 * 1, tau = kappa = 1. Known modes of a warm start are tried first.
 *
 * Ends: the active set that the iterate suggests is solved once it came twice in a row, or mu is
 * small. Where tau falls behind kappa, a proof of infeasibility is looked for.
 *
 * Crossover: an unknown whose slack is below its multiplier is set to that bound, the others solve
 * A_FF x_F = −(q_F + A_FN x_N), in increments from the iterate: where A_FF is singular ρI is added
 * to it, and the increments lead to a solution nearby. The residual tells whether the set was
 * right.
 *
 * Proof: where there is no solution, x tends to a direction of the recession cone with A x = 0 on
 * its support F, qᵀx < 0 and Aᵀx <= 0 elsewhere; so does −W, the answer to −q, and it alone where
 * it is free unknowns that leave none. They are that only as far as the iteration came; inverse
 * iteration with A_FF + ρI sharpens it to rounding, as the null spaces of a monotone matrix
 * and of its transpose are the same. What comes out is judged by perp_direction_proves(). */
#include "perp/interior_point.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "problem/residual.h"
#include "solver/interior.h"
#include "solver/interval.h"
#include "solver/mode.h"
#include "solver/warm.h"

/* Up to so many unknowns any sparse matrix is factorised dense if it must be. */
enum { DENSE_MOST = 1000, CORRECTORS_MOST = 4 };
/* Envelopes up to so many times the entries and the diagonal are preferred to a back end. */
enum { ENVELOPE_MOST = 16 };
/* The steps allowed where the caller sets no limit. */
enum { STEPS = 100 };
/* Steps of the crossover and of inverse iteration, and ways to sharpen a direction. */
enum { INCREMENTS = 5, INVERSE_STEPS = 3, WAYS = 6 };

#define RHO 1e-10
/* mu / tau² from which every step is asked for a solution. */
#define MU_SMALL 1e-10
/* tau below this part of kappa, and from W of this size on it may belong to a problem without
 * solution. */
#define LEAVING 1e-2
#define FAR     1e5
/* A slack and a multiplier closer than this may both be on their way to 0. */
#define DEGENERATE 1e3
#define NEGLIGIBLE 1e-14

/* --- options --------------------------------------------------------------------------------- */

static const perp_interior_point_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_interior_point_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_interior_point_options",
    .correctors = 2,
    .crossover = 1};

void perp_interior_point_options_init(perp_interior_point_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_interior_point_options, correctors), OPTION_INT, 0, CORRECTORS_MOST},
    {FIELD(perp_interior_point_options, crossover), OPTION_INT, 0, 1},
    {FIELD(perp_interior_point_options, sparse), OPTION_SPARSE, 0, 0},
    {0}};

/* --- memory ---------------------------------------------------------------------------------- */

static void carve_vectors(interior *w, arena *a, size_t n) {
  double **one[] = {&w->d, &w->p,  &w->q, &w->x,  &w->Ax, &w->r1, &w->D,
                    &w->B, &w->AB, &w->W, &w->AW, &w->P,  &w->AP, NULL};
  arena_take_doubles(a, n, one);
  w->dx = arena_take(a, n, 3 * sizeof(double));
  w->saved = arena_take(a, n, 3 * sizeof(double));
  for (size_t k = 0; k < 2; k++) {
    interior_side *b = &w->side[k];
    double **own[] = {&b->bound, &b->slack, &b->dual, &b->reach, &b->target, NULL};
    arena_take_doubles(a, n, own);
    b->change = w->dx == NULL ? NULL : w->dx + (k + 1) * n;
  }
}

/* What the factors of a sparse matrix take. With a back end, memory stays linear in the entries: an
 * envelope that is much longer than M is not used, but its limit is charged, so that a larger shape
 * never takes less. */
static void carve_sparse(interior *w, arena *a, const perp_shape *shape,
                         const perp_sparse *sparse) {
  const size_t n = (size_t)shape->n, entries = shape->nonzeros + n;
  if (shape->nonzeros > INT32_MAX - n - 1) a->failed = 1;
  w->entries = entries;
  w->narrow = sparse == NULL || shape->envelope / ENVELOPE_MOST <= entries;
  factor_carve_rows(&w->K, a, n, entries);
  envelope_carve(&w->K.env, a, n, w->narrow ? shape->envelope : ENVELOPE_MOST * entries);
}

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  interior *w = state;
  const perp_sparse *sparse = ((const perp_interior_point_options *)options)->sparse;
  const size_t n = (size_t)shape->n;
  const int dense = shape->matrix == PERP_DENSE;
  const int square = dense || (sparse == NULL && shape->n <= DENSE_MOST);
  if (n > 0 && n > SIZE_MAX / sizeof(double) / n) a->failed = 1;
  w->K.table = sparse;
  w->K.dense = square ? arena_take(a, n, n * sizeof(double)) : NULL;
  carve_vectors(w, a, n);
  w->K.pivots = arena_take(a, n, sizeof(int32_t));
  row_reader_carve(&w->rows, a, n, !dense);
  w->kind = arena_take(a, n, 1);
  w->guess = arena_take(a, n, 1);
  w->tried = arena_take(a, n, 1);
  if (dense)
    w->K.env.member = arena_take(a, n, sizeof(int32_t));
  else
    carve_sparse(w, a, shape, sparse);
  w->member = w->K.env.member;
}

/* --- start ----------------------------------------------------------------------------------- */

static void begin_unknown(interior *w, int32_t i) {
  interior_side *L = &w->side[0], *U = &w->side[1];
  const int below = interior_has(w, 0, i), above = interior_has(w, 1, i);
  const double l = L->bound[i], u = U->bound[i];
  const double room = below && above && u - l < 2 ? 0.5 * (u - l) : 1;
  const double x = clip(0, below ? l + room : -DBL_MAX, above ? u - room : DBL_MAX);
  w->x[i] = x;
  L->slack[i] = below ? x - l : 0;
  U->slack[i] = above ? u - x : 0;
  for (int k = 0; k < 2; k++)
    w->side[k].dual[i] = interior_has(w, k, i) ? 1 / w->side[k].slack[i] : 0;
}

static void begin(interior *w, int plain) {
  for (int32_t i = 0; i < w->n; i++) begin_unknown(w, i);
  w->plain = plain;
  w->tau = 1;
  w->kappa = plain ? 0 : 1;
  w->mu = 1;
  w->earlier[0] = w->earlier[1] = DBL_MAX;
}

/* M is not monotone as it stands: nothing promises a definite K any more. */
static void begin_plain(interior *w) {
  begin(w, 1);
  if (w->K.dense != NULL)
    w->K.way = FACTOR_LU;
  else if (w->K.table != NULL)
    w->K.way = FACTOR_SPARSE;
}

/* --- crossover ------------------------------------------------------------------------------- */

/* What the iterate says about the active set, as PERP_MODE_... in guess: at a bound where the slack
 * is below the multiplier times a margin. */
static void guess(interior *w, double margin) {
  const interior_side *L = &w->side[0], *U = &w->side[1];
  for (int32_t i = 0; i < w->n; i++) {
    const int lower = interior_has(w, 0, i) && L->slack[i] < margin * L->dual[i];
    const int upper = interior_has(w, 1, i) && U->slack[i] < margin * U->dual[i];
    w->guess[i] = PERP_MODE_FREE;
    if (lower) w->guess[i] = PERP_MODE_LOWER;
    if (upper && !(lower && L->slack[i] < U->slack[i])) w->guess[i] = PERP_MODE_UPPER;
    if (w->kind[i] == INTERIOR_FIXED) w->guess[i] = PERP_MODE_LOWER;
  }
}

/* lambda := p + c d x / tau, moved into its box: bounds exactly. */
static void unscale(const interior *w, const double *x, double tau) {
  const session *s = w->session;
  for (int32_t i = 0; i < w->n; i++)
    s->lambda[i] = clip(w->p[i] + w->factor * w->d[i] * (x[i] / tau), s->lower[i], s->upper[i]);
}

/* x_N at their bounds, x_F where the iterate has them. */
static void start_of_basis(interior *w, double *x) {
  w->k = 0;
  for (int32_t i = 0; i < w->n; i++) {
    x[i] = w->x[i] / w->tau;
    if (w->guess[i] == PERP_MODE_LOWER) x[i] = w->side[0].bound[i];
    if (w->guess[i] == PERP_MODE_UPPER) x[i] = w->side[1].bound[i];
    if (w->guess[i] == PERP_MODE_FREE) w->member[w->k++] = i;
  }
}

static int solved_with(interior *w, double rho) {
  double *x = w->P, *step = w->AP;
  start_of_basis(w, x);
  if (!perp_interior_factor(w, NULL, rho)) return 0;
  for (int round = 0; round < INCREMENTS; round++) {
    perp_interior_product(w, x, step);
    for (int32_t i = 0; i < w->n; i++) step[i] = -(step[i] + w->q[i]);
    perp_interior_solve(w, step);
    if (!all_finite((size_t)w->n, step)) return 0;
    for (int32_t i = 0; i < w->n; i++) x[i] += step[i];
    if (round == 0) continue;
    unscale(w, x, 1);
    if (perp_session_confirmed(w->session)) return 1;
  }
  return 0;
}

/* Try the active set in guess, from x / tau: 1 if lambda now holds a solution. */
static int crossover(interior *w) {
  memcpy(w->tried, w->guess, (size_t)w->n);
  return solved_with(w, 0) || solved_with(w, w->rho);
}

/* Solve for the modes of a warm start. */
static int solved_by_modes(interior *w) {
  const unsigned char *known = warm_known_modes(w->session->warm, w->n);
  if (known == NULL) return 0;
  (void)adopt_modes(w->n, known, w->session->lower, w->session->upper, w->guess);
  for (int32_t i = 0; i < w->n; i++)
    if (w->guess[i] == PERP_MODE_UNKNOWN) w->guess[i] = PERP_MODE_FREE;
  return crossover(w);
}

/* Whether lambda is brought to a solution from the iterate; guess, z and tried carry over. */
static int finished(interior *w) {
  const double mu = w->mu / (w->tau * w->tau);
  const size_t n = (size_t)w->n;
  if (w->options->crossover) {
    unsigned char *before = (unsigned char *)w->saved;
    memcpy(before, w->guess, n);
    guess(w, 1);
    const int settled = memcmp(before, w->guess, n) == 0 || mu <= MU_SMALL;
    if (settled && memcmp(w->guess, w->tried, n) != 0 && crossover(w)) return 1;
  }
  if (!(mu <= MU_SMALL)) return 0;
  if (w->options->crossover) { /* what tends to 0 together with its y may make A_FF singular */
    guess(w, DEGENERATE);
    if (crossover(w)) return 1;
    guess(w, 1);
  }
  unscale(w, w->x, w->tau);
  return perp_session_confirmed(w->session);
}

/* --- proof ----------------------------------------------------------------------------------- */

/* 0: there is nothing to divide by. */
static int normalise(int32_t n, double *x) {
  const double largest = perp_residual_weighted_largest(n, NULL, x);
  if (!(largest > 0 && largest <= DBL_MAX)) return 0;
  for (int32_t i = 0; i < n; i++) x[i] /= largest;
  return 1;
}

/* Whether the direction of x proves it; it is in y and told, then. So below. */
static int proves(interior *w, const double *x) {
  session *s = w->session;
  for (int32_t i = 0; i < w->n; i++) s->y[i] = w->d[i] * x[i];
  return perp_direction_proves(s, s->y, s->scratch);
}

/* Inverse iteration on the unknowns of x (of size 1) above a threshold and, if asked, on the free
 * ones, whose (Aᵀu)_i has to be 0. What falls below rounding belongs to no direction. */
static int sharpened(interior *w, double *x, double threshold, int with_free) {
  w->k = 0;
  for (int32_t i = 0; i < w->n; i++)
    if (fabs(x[i]) > threshold || (with_free && w->kind[i] == INTERIOR_FREE)) w->member[w->k++] = i;
  if (!perp_interior_factor(w, NULL, w->rho)) return 0;
  for (int step = 0; step < INVERSE_STEPS; step++) {
    perp_interior_solve(w, x);
    if (!normalise(w->n, x)) return 0;
  }
  for (int32_t i = 0; i < w->n; i++)
    if (fabs(x[i]) < NEGLIGIBLE) x[i] = 0;
  return proves(w, x);
}

/* From one direction, times sign, sharpened in one way; -1: as it is, then in all ways. */
static int proves_from(interior *w, const double *from, double sign, int way) {
  static const double thresholds[] = {1e-2, 1e-5, 1e-8};
  double *x = w->P;
  for (int i = -1; i < WAYS; i++) {
    if (way >= 0 && i != way) continue;
    for (int32_t j = 0; j < w->n; j++) x[j] = sign * from[j];
    if (!normalise(w->n, x)) return 0;
    if (i < 0 ? proves(w, x) : sharpened(w, x, thresholds[i / 2], i % 2)) return 1;
  }
  return 0;
}

/* PERP_INFEASIBLE with the proof in info, found in the directions of x and −W, or GO_ON. way: one
 * of WAYS to sharpen a direction, at the cost of two factors; -1: all of them. */
static perp_status prove(interior *w, int way) {
  return proves_from(w, w->x, 1, way) || proves_from(w, w->W, -1, way) ? PERP_INFEASIBLE : GO_ON;
}

/* A proof is looked for where tau falls behind kappa, or a change of q by 1 moves the solution far
 * away: one way after the other and ever less often, as problems with solutions look so, too. */
static perp_status look_for_proof(interior *w) {
  const double largest = perp_residual_weighted_largest(w->n, NULL, w->W);
  if (!(w->tau < LEAVING * w->kappa || largest > FAR)) return GO_ON;
  if (w->session->iterations < w->next_proof) return GO_ON;
  const int way = w->proofs++ % WAYS;
  w->next_proof = w->session->iterations + 1 + w->proofs / 2;
  return prove(w, way);
}

/* --- the method ------------------------------------------------------------------------------ */

/* One step, GO_ON. Where the homogeneous model allows none, the plain method begins. */
static perp_status step(interior *w) {
  while (!perp_interior_step(w) || w->K.failure != PERP_OK) {
    if (w->K.failure != PERP_OK) return w->K.failure;
    if (w->plain) return PERP_INACCURATE;
    if (prove(w, -1) != GO_ON) return PERP_INFEASIBLE;
    begin_plain(w);
  }
  return GO_ON;
}

static perp_status run(interior *w) {
  session *s = w->session;
  for (;;) {
    perp_status status = step(w);
    if (status != GO_ON) return status;
    status = perp_session_step(s, -1, -1, w->mu / (w->tau * w->tau));
    if (status == PERP_STOPPED) return status;
    if (finished(w)) return PERP_OK;
    if (look_for_proof(w) != GO_ON) return PERP_INFEASIBLE;
    if (status == GO_ON) continue;
    return w->proofs > 0 && prove(w, -1) != GO_ON ? PERP_INFEASIBLE : status;
  }
}

/* Three factors, one of them of the step itself, and products. */
static double price(const interior *w) {
  const double n = w->n, entries = w->M->kind == PERP_DENSE ? n * n : (double)w->entries;
  const double length = w->K.way == FACTOR_ENVELOPE ? (double)w->K.env.capacity / n : entries / n;
  return (w->K.way <= FACTOR_LU ? n * n * n : 3 * n * length * length) + 16 * entries;
}

static void prepare(interior *w, session *s) {
  w->session = s;
  w->options = s->options;
  w->M = &s->problem->M;
  w->n = s->n;
  w->rows.value = s->scratch;
  w->a = s->scratch + s->n;
  w->b = s->scratch + 2 * (size_t)s->n;
  w->rho = 1e-15 * (16.0 + w->n) > RHO ? 1e-15 * (16.0 + w->n) : RHO;
  if (w->options->max_iter == 0) s->max_iter = STEPS;
  perp_row_reader_prepare(&w->rows, w->M);
}

static perp_status start(void *state, session *s) {
  interior *w = state;
  prepare(w, s);
  const int finite = perp_interior_scale(w);
  memcpy(s->lambda, w->p, (size_t)w->n * sizeof *w->p);
  if (!finite) return PERP_INACCURATE;
  if (!perp_interior_choose(w)) return fail(s->info, PERP_EUNSUPPORTED, "M", -1, 0);
  if (perp_session_confirmed(s)) return PERP_OK;
  begin(w, 0);
  s->price = price(w);
  memset(w->tried, PERP_MODE_UNKNOWN, (size_t)w->n);
  guess(w, 1);
  perp_status status = solved_by_modes(w) ? PERP_OK : run(w);
  if (status != PERP_OK) unscale(w, w->x, w->tau);
  perp_factor_release(&w->K);
  if (status < 0) (void)fail(s->info, status, "sparse", -1, 0);
  if (status == PERP_OK) warm_keep_modes(s->warm, w->n, w->guess);
  return status;
}

const perp_solver *perp_solver_interior_point(void) {
  static const perp_method method = {.state = METHOD_STATE(interior),
                                     .ranges = ranges,
                                     .needs = NEEDS_SHAPE | NEEDS_BOUNDS | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "interior-point",
                                     .defaults = &defaults,
                                     .warm_bytes = warm_shape_bytes,
                                     .method = &method};
  return &solver;
}
