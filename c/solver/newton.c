/* SPDX-License-Identifier: MIT */
/* Semismooth Newton as two solvers: options, memory, starts and endings. Scaling, functions and
 * steps stand in newton_scale.c, newton_merit.c and newton_step.c.
 *
 * A start that leads nowhere (a point from which no direction goes down, or the merit hardly
 * falls) is followed by another one; every second goes through a proximal continuation: the
 * problem of A + σI, q − σ a is solved for σ = 1, 1/10, ..., each from the solution a of the one
 * before. For large σ the matrix is a P-matrix, and the merit has no stationary points but the
 * solution. */
#include "perp/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "problem/residual.h"
#include "solver/newton.h"
#include "solver/options.h"
#include "solver/warm.h"

enum { STEPS = 60, STEPS_STAGE = 15, STEPS_WATCHED = 10 };

/* The merit has to fall below this part of itself within STEPS_WATCHED steps. */
#define PROGRESS 0.7
/* From this natural residual of the scaled problem on the true residual is asked. */
#define NEAR         1e-5
#define SIGMA_LEAST  1e-7
#define FACTOR_LEAST 0.1
#define FACTOR_MOST  0.9

/* ---- options ---- */

static const perp_newton_options defaults = {.struct_size = (uint32_t)sizeof(perp_newton_options),
                                             .tol = PERP_DEFAULT_TOL,
                                             .kind = "perp_newton_options",
                                             .history = 5,
                                             .restarts = 30};

void perp_newton_options_init(perp_newton_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check(const void *options, perp_info *info) {
  const perp_newton_options *o = options;
  if (o->history < 1 || o->history > NEWTON_HISTORY)
    return fail(info, PERP_EINVAL, "history", -1, o->history);
  return o->restarts < 0 ? fail(info, PERP_EINVAL, "restarts", -1, o->restarts) : PERP_OK;
}

/* ---- memory ---- */

enum { VECTORS = 17 };

static void carve(newton *s, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  double **vectors[VECTORS] = {&s->q, &s->l,  &s->u,  &s->row,    &s->col, &s->x,
                               &s->y, &s->tx, &s->ty, &s->phi,    &s->da,  &s->db,
                               &s->d, &s->g,  &s->t,  &s->anchor, &s->best};
  s->A = arena_take(a, n, n * sizeof(double));
  s->F = arena_take(a, n, n * sizeof(double));
  for (int i = 0; i < VECTORS; i++) *vectors[i] = arena_take(a, n, sizeof(double));
  s->scratch = arena_take(a, residual_scratch_doubles(unknowns), sizeof(double));
  s->pivots = arena_take(a, n, sizeof(int32_t));
  s->member = arena_take(a, n, sizeof(int32_t));
  s->mode = arena_take(a, n, 1);
  s->factored = arena_take(a, n, 1);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  const size_t n = shape->n > 0 ? (size_t)shape->n : 0;
  if (shape->n < 0 || (n > 0 && n > SIZE_MAX / sizeof(double) / n)) return 0;
  newton s;
  arena a = arena_measure();
  carve(&s, &a, shape->n);
  return arena_bytes(&a);
}

static size_t warm_bytes(const perp_shape *shape) {
  return shape->n < 0 ? 0 : warm_modes_bytes(shape->n);
}

/* ---- one start ---- */

/* λ of x, in its box. */
static void unscale(const newton *s, const double *x, double *lambda) {
  for (int32_t i = 0; i < s->n; i++) lambda[i] = s->col[i] * clip(x[i], s->l[i], s->u[i]);
}

enum { SOLVED, STALLED, LIMIT, STOPPED };

/* Linearise at x, and remember its projection to the box if it is the best so far. */
static void settle(newton *s) {
  int outside = 0;
  perp_newton_linearise(s);
  if (s->sigma != 0) return;
  for (int32_t i = 0; i < s->n; i++) {
    s->tx[i] = clip(s->x[i], s->l[i], s->u[i]);
    outside |= s->tx[i] != s->x[i];
  }
  if (outside) perp_newton_map(s, s->tx, s->ty);
  const double theta = outside ? perp_newton_merit(s, s->tx, s->ty) : s->theta;
  if (!(theta < s->best_theta)) return;
  s->best_theta = theta;
  memcpy(s->best, s->tx, (size_t)s->n * sizeof *s->x);
}

static int judged(const newton *s, const double *x, double *lambda) {
  perp_residual r;
  unscale(s, x, lambda);
  perp_residual_compute(s->problem, lambda, s->ty, &r, s->scratch);
  return perp_residual_solved(&r, s->o.tol);
}

/* Whether x, or the point of the basis it suggests, is a solution; lambda then holds it. */
static int confirmed(newton *s, double *lambda) {
  double largest = 1;
  for (int32_t i = 0; i < s->n; i++)
    if (fabs(s->x[i]) > largest) largest = fabs(s->x[i]);
  if (!(perp_newton_natural(s) <= NEAR * largest)) return 0;
  if (judged(s, s->x, lambda)) return 1;
  if (s->natural) return 0; /* the next step goes there anyway */
  s->k = -1;
  perp_newton_modes(s, s->mode);
  if (!perp_newton_basis_step(s)) return 0;
  for (int32_t i = 0; i < s->n; i++) s->tx[i] = s->x[i] + s->d[i];
  return judged(s, s->tx, lambda);
}

static int observed_stop(newton *s) {
  const perp_iterate it = {s->iterations, -1, -1, sqrt(2 * s->theta)};
  s->iterations++;
  return s->o.observe != NULL && s->o.observe(&it, s->o.user) != 0;
}

/* From s->x with s->sigma. SOLVED for sigma = 0: lambda holds the solution. */
static int run_from(newton *s, int32_t steps, double *lambda) {
  double lowest, mark;
  s->remembered = 0;
  s->k = -1;
  perp_newton_map(s, s->x, s->y);
  settle(s);
  lowest = mark = s->theta;
  for (int32_t i = 0;; i++) {
    if (s->sigma == 0 ? confirmed(s, lambda) : s->theta <= 1e-8 * s->sigma * s->sigma)
      return SOLVED;
    if (s->iterations >= s->o.max_iter) return LIMIT;
    if (i > 0 && i % STEPS_WATCHED == 0) {
      if (!(lowest < PROGRESS * mark)) return STALLED;
      mark = lowest;
    }
    if (i >= steps || !perp_newton_advance(s)) return STALLED;
    settle(s);
    if (s->theta < lowest) lowest = s->theta;
    if (observed_stop(s)) return STOPPED;
  }
}

/* σ falls tenfold a stage; by less for a while after a stage that was not solved. */
static int continuation(newton *s, double *lambda) {
  const size_t bytes = (size_t)s->n * sizeof *s->x;
  double last = 10, factor = FACTOR_LEAST;
  while (factor <= FACTOR_MOST && last * factor >= SIGMA_LEAST) {
    s->sigma = last * factor;
    memcpy(s->anchor, s->x, bytes);
    const int end = run_from(s, STEPS_STAGE, lambda);
    if (end == LIMIT || end == STOPPED) return end;
    if (end == STALLED) {
      memcpy(s->x, s->anchor, bytes);
      factor = sqrt(factor);
    } else {
      last = s->sigma;
      factor = factor * factor > FACTOR_LEAST ? factor * factor : FACTOR_LEAST;
    }
  }
  s->sigma = 0;
  return run_from(s, STEPS, lambda);
}

/* ---- starts ---- */

/* [0, 1) from a linear congruence: other starts are the same ones every time. */
static double next_number(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

static double other_start(double l, double u, double size, uint64_t *state) {
  const double a = next_number(state), b = next_number(state);
  const int below = l >= -DBL_MAX, above = u <= DBL_MAX;
  if (below && above) return a < 0.3 ? l : a < 0.6 ? u : l + b * (u - l);
  if (below) return a < 0.4 ? l : l + size * b;
  if (above) return a < 0.4 ? u : u - size * b;
  return size * (2 * b - 1);
}

/* The first of the other starts is P(0), the rest are spread over sizes. */
static void choose_start(newton *s, int32_t number, uint64_t *state) {
  static const double sizes[] = {1, 4, 16, 0.25, 64};
  for (int32_t i = 0; i < s->n; i++)
    s->x[i] = number == 1 ? clip(0, s->l[i], s->u[i])
                          : other_start(s->l[i], s->u[i], sizes[number / 2 % 5], state);
}

/* The caller's λ, and the basis of the warm modes where they are known. */
static void first_start(newton *s, const double *lambda, const perp_warm *warm) {
  const unsigned char *known = warm_known(warm, s->n) ? warm_modes(warm, s->n) : NULL;
  for (int32_t i = 0; i < s->n; i++) {
    const double v = lambda[i] / s->col[i];
    s->x[i] = clip(is_finite(v) ? v : 0, s->l[i], s->u[i]);
  }
  if (known == NULL) return;
  perp_newton_map(s, s->x, s->y);
  perp_newton_modes(s, s->mode);
  for (int32_t i = 0; i < s->n; i++) {
    if (known[i] == PERP_MODE_FREE && s->l[i] < s->u[i]) s->mode[i] = PERP_MODE_FREE;
    if (known[i] == PERP_MODE_LOWER && s->l[i] >= -DBL_MAX) s->mode[i] = PERP_MODE_LOWER;
    if (known[i] == PERP_MODE_UPPER && s->u[i] <= DBL_MAX) s->mode[i] = PERP_MODE_UPPER;
  }
  if (!perp_newton_basis_step(s)) return;
  for (int32_t i = 0; i < s->n; i++) s->x[i] += s->d[i];
}

static void keep_modes(newton *s, const double *lambda, const perp_warm *warm) {
  unsigned char *modes = warm_claim(warm, s->n);
  if (modes == NULL) return;
  for (int32_t i = 0; i < s->n; i++) s->x[i] = lambda[i] / s->col[i];
  perp_newton_map(s, s->x, s->y);
  perp_newton_modes(s, modes);
}

/* ---- the solvers ---- */

/* Where one kind of direction fails, the other may not: it has a share in the other starts. */
static int run(newton *s, double *lambda) {
  const int kind = s->natural;
  uint64_t state = 1;
  int end = run_from(s, STEPS, lambda);
  for (int32_t r = 1; end == STALLED && r <= s->o.restarts; r++) {
    s->natural = r % 4 < 2 ? kind : !kind;
    choose_start(s, r, &state);
    end = r % 2 == 1 ? continuation(s, lambda) : run_from(s, STEPS, lambda);
  }
  return end;
}

static perp_status solve(int natural, const perp_problem *problem, const void *options,
                         double *lambda, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  newton s = {.problem = problem, .n = problem->n, .natural = natural, .k = -1};
  s.o = *(const perp_newton_options *)options;
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, problem->n);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  if (s.o.max_iter == 0) s.o.max_iter = 500;
  if (!perp_newton_scale(&s)) {
    unscale(&s, s.t, lambda);
    return PERP_INACCURATE;
  }
  s.best_theta = (double)INFINITY;
  memcpy(s.best, s.t, (size_t)s.n * sizeof *s.best);
  first_start(&s, lambda, warm);
  const int end = run(&s, lambda);
  if (end == SOLVED) {
    keep_modes(&s, lambda, warm);
  } else {
    unscale(&s, s.best, lambda);
  }
  if (info_ready(info)) info->iterations = s.iterations;
  return end == SOLVED ? PERP_OK : end == STOPPED ? PERP_STOPPED : PERP_MAX_ITER;
}

static perp_status solve_min(const perp_problem *problem, const void *options, double *lambda,
                             double *y, perp_warm *warm, void *work, size_t work_bytes,
                             perp_info *info) {
  (void)y;
  return solve(1, problem, options, lambda, warm, work, work_bytes, info);
}

static perp_status solve_fb(const perp_problem *problem, const void *options, double *lambda,
                            double *y, perp_warm *warm, void *work, size_t work_bytes,
                            perp_info *info) {
  (void)y;
  return solve(0, problem, options, lambda, warm, work, work_bytes, info);
}

#define INTERVALS (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX)
#define MATRICES  (1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS)

static const perp_solver descriptor_min = {.struct_size = sizeof(perp_solver),
                                           .sets = INTERVALS,
                                           .matrices = MATRICES,
                                           .assumes = PERP_ASSUMES_P_MATRIX,
                                           .name = "newton-min",
                                           .defaults = &defaults,
                                           .check = check,
                                           .workspace = workspace,
                                           .warm_bytes = warm_bytes,
                                           .solve = solve_min};

static const perp_solver descriptor_fb = {.struct_size = sizeof(perp_solver),
                                          .sets = INTERVALS,
                                          .matrices = MATRICES,
                                          .assumes = PERP_ASSUMES_P_MATRIX,
                                          .name = "newton-fb",
                                          .defaults = &defaults,
                                          .check = check,
                                          .workspace = workspace,
                                          .warm_bytes = warm_bytes,
                                          .solve = solve_fb};

const perp_solver *perp_solver_newton_min(void) { return &descriptor_min; }

const perp_solver *perp_solver_newton_fb(void) { return &descriptor_fb; }
