/* SPDX-License-Identifier: MIT */
/* The solver that chooses: what is solved without a method, and who plans for the rest:
 * intervals.c, or friction.c. Where all has failed a small problem of intervals is tried in other
 * units. With powers of two
 *
 *   M'_ij = 2^(r_i + c_j) M_ij,  q'_i = 2^(r_i + b) q_i,  λ'_j = 2^(b − c_j) λ_j,
 *
 * row i of M' λ' + q' is 2^(r_i + b) times that of M λ + q: signs and bounds stay what they are. It
 * is exact where numbers are denormal or huge, or rows and columns far apart, in which methods lose
 * their last bits or leave the range. */
#include "perp/auto.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/matrix.h"
#include "perp/pivoting.h"
#include "portfolio/portfolio.h"
#include "problem/bounds.h"
#include "solver/box_form.h"
#include "solver/interval.h"
#include "solver/mode.h"
#include "solver/small.h"
#include "solver/warm.h"

/* --- options --------------------------------------------------------------------------------- */

static const perp_auto_options defaults = {.struct_size = (uint32_t)sizeof(perp_auto_options),
                                           .tol = PERP_DEFAULT_TOL,
                                           .kind = "perp_auto_options",
                                           .allocate = 1};

void perp_auto_options_init(perp_auto_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check_options(const void *options, perp_info *info) {
  const perp_auto_options *out = options;
  if (out->allocate != 0 && out->allocate != 1)
    return fail(info, PERP_EINVAL, "allocate", -1, out->allocate);
  return PERP_OK;
}

/* --- memory ---------------------------------------------------------------------------------- */

static void carve(portfolio *s, arena *a, int32_t unknowns) {
  s->lower = arena_take(a, (size_t)unknowns, 4 * sizeof(double)); /* upper, best, ray behind */
  s->warm.bytes = warm_modes_bytes(unknowns);
  s->warm.data = arena_take(a, s->warm.bytes, 1);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  const perp_auto_options *o = options;
  portfolio s;
  if (shape->n < 0) return 0;
  perp_shape plain = *shape; /* within it may be a problem without friction */
  if (perp_friction_small(shape)) plain.sets &= INTERVAL_SETS;
  const size_t most = perp_candidates_bytes(&plain);
  arena a = arena_measure();
  carve(&s, &a, shape->n);
  (void)arena_take(&a, most, 1);
  if (most == 0) return 0;
  const size_t bytes = shape->n <= SMALL && interval_laws(&plain) ? most : arena_bytes(&a);
  const size_t friction = frictional(shape->sets) ? perp_friction_bytes(shape, o->allocate) : bytes;
  return friction == 0 || friction > bytes ? friction : bytes;
}

/* Who solves contacts with friction begins with points and keeps no factor. */
static size_t warm_bytes(const perp_shape *shape) {
  const size_t most = frictional(shape->sets) ? warm_modes_bytes(shape->n)
                                              : perp_solver_active_set()->warm_bytes(shape);
  return most > SIZE_MAX - sizeof(memo) || most == 0 ? 0 : most + sizeof(memo);
}

/* --- without a method ------------------------------------------------------------------------- */

/* A solution of −(m x + q) ∈ N_[l,u](x); 0 if there is none. */
static int solve_scalar(double m, double q, double l, double u, double *out) {
  const double root = -q / m;
  *out = nearest_to_zero(l, u);
  if (m * *out + q == 0) return 1;
  if (m != 0 && root >= l && root <= u && root >= -DBL_MAX && root <= DBL_MAX)
    return *out = root, 1;
  if (l >= -DBL_MAX && m * l + q >= 0) return *out = l, 1;
  if (u <= DBL_MAX && m * u + q <= 0) return *out = u, 1;
  return 0;
}

/* λ := solution component by component. 0 if M has other entries, or if there is none. */
static int solve_apart(const perp_matrix *M, const double *q, const double *lower,
                       const double *upper, double *lambda) {
  if (M->kind == PERP_BLOCKS || (M->kind == PERP_DENSE && M->rows > 1)) return 0;
  for (int32_t i = 0; i < M->rows; i++)
    if (!solve_scalar(M->kind == PERP_ZERO ? 0 : M->values[i], q[i], lower[i], upper[i],
                      &lambda[i]))
      return 0;
  return 1;
}

static int solve_tiny(portfolio *s) {
  const perp_matrix *M = &s->problem->M;
  if (M->kind != PERP_DENSE || M->rows > SMALL_MOST) return NOT_TRIED;
  const perp_solver_options o = perp_portfolio_limits(s);
  const int status =
      perp_tiny_solve(M, s->problem->q, s->lower, s->upper, s->lambda, &o, &s->iterations);
  if (status != PERP_OK) return status;
  perp_portfolio_multiply(s);
  return perp_plainly_solved(s) ? PERP_OK : NOT_TRIED;
}

/* λ := P(0), and whether that is the solution. */
static int start(portfolio *s) {
  int zero = 1;
  for (int32_t i = 0; i < s->shape.n; i++) {
    s->lambda[i] = nearest_to_zero(s->lower[i], s->upper[i]);
    zero &= s->lambda[i] == 0;
  }
  if (!zero) return 0;
  memcpy(s->y, s->problem->q, (size_t)s->shape.n * sizeof *s->y);
  return perp_plainly_solved(s);
}

/* --- other units ------------------------------------------------------------------------------ */

/* Exponents from here on are extreme, and so far apart rows and columns are so. */
enum { EXTREME = 500, APART = 32, ROUNDS = 20 };

typedef struct rescaled {
  perp_problem problem;
  block_law law;
  int32_t *row, *col, of_q; /* n, n: r, c, b */
  double *M;                /* n x n         */
  double *q, *lower, *upper, *lambda, *y;
} rescaled;

static void carve_rescaled(rescaled *s, arena *a, int32_t unknowns) {
  double **const vectors[] = {&s->q, &s->lower, &s->upper, &s->lambda, &s->y, NULL};
  const size_t n = (size_t)unknowns;
  s->M = arena_take(a, n * n, sizeof(double));
  arena_take_doubles(a, n, vectors);
  s->row = arena_take(a, n, sizeof(int32_t));
  s->col = arena_take(a, n, sizeof(int32_t));
}

typedef struct mean {
  double sum;
  int32_t count;
} mean;

static void count_entry(mean *m, double x, int32_t e) {
  int of_x;
  if (x == 0) return;
  (void)frexp(x, &of_x);
  m->sum += of_x - 1 + e;
  m->count++;
}

/* The exponent that makes the mean 0. */
static int32_t against(mean m) {
  const double e = m.count > 0 ? -m.sum / m.count : 0;
  return (int32_t)(e < 0 ? e - 0.5 : e + 0.5);
}

/* Whether units differ by that much, or numbers are so far from 1. */
static int is_needed(const rescaled *s, int32_t n) {
  int32_t low[2] = {s->row[0], s->col[0]}, high[2] = {s->row[0], s->col[0]}, extreme = 0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t unit[2] = {s->row[i], s->col[i]}, of_q = s->row[i] + s->of_q;
    for (int k = 0; k < 2; k++) {
      low[k] = unit[k] < low[k] ? unit[k] : low[k];
      high[k] = unit[k] > high[k] ? unit[k] : high[k];
    }
    extreme |= abs(unit[0] + unit[1]) >= EXTREME || abs(of_q) >= EXTREME;
  }
  return extreme || high[0] - low[0] >= APART || high[1] - low[1] >= APART;
}

/* The squares of the exponents of all entries of M' and q' other than 0 have the least sum, by
 * rows and columns in turn (Curtis and Reid 1972). */
static void choose_units(rescaled *s, int32_t n) {
  memset(s->col, 0, (size_t)n * sizeof *s->col);
  s->of_q = 0;
  for (int32_t round = 0; round < ROUNDS; round++) {
    mean load = {0, 0};
    for (int32_t i = 0; i < n; i++) {
      mean m = {0, 0};
      count_entry(&m, s->q[i], s->of_q);
      for (int32_t j = 0; j < n; j++) count_entry(&m, s->M[i + n * j], s->col[j]);
      s->row[i] = against(m);
      count_entry(&load, s->q[i], s->row[i]);
    }
    for (int32_t j = 0; j < n; j++) {
      mean m = {0, 0};
      for (int32_t i = 0; i < n; i++) count_entry(&m, s->M[i + n * j], s->row[i]);
      s->col[j] = against(m);
    }
    s->of_q = against(load);
  }
}

/* Returns whether the bounds stay bounds. */
static int shift_all(rescaled *s, int32_t n, const double *lower, const double *upper) {
  int stay = 1;
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i < n; i++) s->M[i + n * j] = ldexp(s->M[i + n * j], s->row[i] + s->col[j]);
    s->q[j] = ldexp(s->q[j], s->row[j] + s->of_q);
    s->lower[j] = ldexp(lower[j], s->of_q - s->col[j]);
    s->upper[j] = ldexp(upper[j], s->of_q - s->col[j]);
    stay &= s->lower[j] <= DBL_MAX && s->upper[j] >= -DBL_MAX;
  }
  return stay;
}

/* Whether numbers are so far from 1, or rows and columns so far apart, that it serves; the problem
 * then, from the bounds of every unknown. problem has neither weights nor floors. */
static int rescale(rescaled *s, const portfolio *of) {
  const perp_problem *p = of->problem;
  const size_t n = (size_t)p->n;
  int orthant = 1;
  perp_matrix_to_dense(&p->M, s->M, p->n);
  memcpy(s->q, p->q, n * sizeof *s->q);
  if (!all_finite(n * n, s->M) || !all_finite(n, s->q)) return 0;
  choose_units(s, p->n);
  if (!is_needed(s, p->n) || !shift_all(s, p->n, of->lower, of->upper)) return 0;
  for (size_t i = 0; i < n; i++) orthant &= s->lower[i] == 0 && !is_finite(s->upper[i]);
  s->problem = box_form_problem(&s->law, orthant ? PERP_SET_ORTHANT : PERP_SET_BOX,
                                perp_dense(p->n, p->n, s->M), s->q, s->lower, s->upper);
  return 1;
}

/* --- the solver ------------------------------------------------------------------------------- */

/* The caller's warm data up to the memo at its end, or the own modes without anything known. */
static void find_warm(portfolio *s, const perp_warm *warm) {
  const size_t own = s->warm.bytes;
  s->warm.stamp = 0;
  s->warm.reserved = 0;
  s->remembered = NULL;
  memset(s->warm.data, 0, sizeof(warm_head));
  if (warm_block(warm, s->shape.n) == NULL || warm->bytes < own + sizeof(memo)) return;
  s->warm = *warm;
  s->warm.bytes = (warm->bytes - sizeof(memo)) / 8 * 8;
  s->remembered = (memo *)(void *)((unsigned char *)warm->data + s->warm.bytes);
  if (!warm_known(&s->warm, s->shape.n)) memset(s->remembered, 0, sizeof *s->remembered);
}

/* What needs no method first. */
static perp_status solve_stages(portfolio *s, perp_info *info) {
  const int known = warm_known(&s->warm, s->shape.n) && all_finite((size_t)s->shape.n, s->lambda);
  if (!interval_laws(&s->shape)) {
    for (int32_t i = 0; i < s->shape.n && !known; i++) s->lambda[i] = 0;
    return perp_intervals_plan(s, info);
  }
  if (!known && start(s)) return PERP_OK;
  if (known) clip_all(s->shape.n, s->lambda, s->lower, s->upper);
  if (solve_apart(&s->problem->M, s->problem->q, s->lower, s->upper, s->lambda)) return PERP_OK;
  const int status = solve_tiny(s);
  return status == PERP_OK || status == PERP_STOPPED ? status : perp_intervals_plan(s, info);
}

static int is_failure(perp_status status) {
  return status == PERP_RAY || status == PERP_MAX_ITER || status == PERP_INACCURATE;
}

static void tell(perp_info *info, const char *name, int32_t iterations) {
  if (!info_ready(info)) return;
  info->iterations = iterations;
  info->solver = name;
}

/* A few unknowns, complementarity only, nobody to be told: without any memory. */
static int solve_at_once(const perp_problem *p, const perp_auto_options *o, double *lambda,
                         perp_info *info) {
  int32_t pivots = 0;
  if (p->n > SMALL_MOST || p->M.kind != PERP_DENSE || o->observe != NULL || o->max_iter > 0)
    return 0;
  if (p->weight != NULL) return 0;
  for (int32_t b = 0; b < p->n_blocks; b++)
    if (p->laws[b]->ops->set != PERP_SET_ORTHANT) return 0;
  const double tol = 0.5 * (o->tol < 1e-2 ? o->tol : 1e-2);
  if (perp_tiny_orthant(&p->M, p->q, tol, lambda, &pivots) != PERP_OK) return 0;
  tell(info, "auto", pivots);
  return 1;
}

static perp_status solve_intervals(const perp_problem *problem, const perp_auto_options *options,
                                   double *lambda, double *y, const perp_warm *warm, void *work,
                                   size_t work_bytes, double *left, perp_info *info);

/* Where all has failed, and numbers are denormal, huge, or far apart: the same in other units. */
static perp_status solve_rescaled(portfolio *s, perp_status status) {
  rescaled r;
  arena a = arena_open(s->room, s->room_bytes);
  const perp_solver_options rest = perp_portfolio_limits(s);
  perp_auto_options o = *s->options;
  perp_info said = PERP_INFO_INIT;
  if (s->problem->weight != NULL || s->problem->floor != NULL || s->hopeless) return status;
  carve_rescaled(&r, &a, s->shape.n);
  if (!arena_fits(&a) || !rescale(&r, s)) return status;
  const size_t bytes = (a.size - a.used) / ARENA_ALIGN * ARENA_ALIGN;
  o.max_iter = o.max_iter > 0 ? rest.max_iter : 0;
  o.observe = rest.observe;
  o.user = rest.user;
  const perp_status ended = solve_at_once(&r.problem, &o, r.lambda, &said)
                                ? PERP_OK
                                : solve_intervals(&r.problem, &o, r.lambda, r.y, NULL,
                                                  arena_take(&a, bytes, 1), bytes, &s->left, &said);
  s->iterations += said.iterations;
  if (ended == PERP_STOPPED) return ended;
  if (ended != PERP_OK) return status;
  for (int32_t i = 0; i < s->shape.n; i++)
    s->lambda[i] = clip(ldexp(r.lambda[i], r.col[i] - r.of_q), s->lower[i], s->upper[i]);
  s->name = said.solver;
  if (perp_intervals_judge(s, PERP_OK)) return PERP_OK;
  perp_portfolio_best(s);
  return status;
}

/* A proof by a hair stands where nothing else came out, and is taken back where a point did. */
static perp_status end_proof(perp_status status, perp_info *info) {
  if (is_failure(status) || status == PERP_INFEASIBLE) return PERP_INFEASIBLE;
  if (info_ready(info)) {
    info->ray_kind = PERP_RAY_NONE;
    info->bound = 0;
  }
  return status;
}

/* max |q|; what a part of it is in every row, whatever its weight, where there are weights. */
static double size_of(const perp_problem *p) {
  double most = 0;
  for (int32_t i = 0; p->weight != NULL && i < p->n; i++)
    most = p->weight[i] > most ? p->weight[i] : most;
  const double size = perp_residual_weighted_largest(p->n, p->weight, p->q);
  return p->weight == NULL ? size : size / most;
}

/* left: multiply-adds allowed, and left afterwards. */
static perp_status solve_intervals(const perp_problem *problem, const perp_auto_options *options,
                                   double *lambda, double *y, const perp_warm *warm, void *work,
                                   size_t work_bytes, double *left, perp_info *info) {
  portfolio s;
  perp_portfolio_open(&s, problem, options, lambda, y);
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, problem->n);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  s.upper = s.lower + problem->n;
  s.best = s.upper + problem->n;
  s.ray = s.best + problem->n;
  s.room_bytes = (a.size - a.used) / ARENA_ALIGN * ARENA_ALIGN;
  s.room = s.scratch = arena_take(&a, s.room_bytes, 1);
  const double size = size_of(problem);
  s.borne = tiny_borne(problem->n, size);
  s.accepted = tiny_is_denormal(size) ? -0x1p-1074 /* the residual has to say it */
                                      : 0.5 * (s.tol < 1e-2 ? s.tol : 1e-2) * size;
  perp_problem_bounds(problem, s.lower, s.upper);
  find_warm(&s, warm);
  s.symmetric = -1;
  s.proved = 0;
  s.work = budget_or(options->budget, perp_default_budget(&s.shape));
  s.left = *left;
  perp_status status = solve_stages(&s, info);
  if (is_failure(status) && s.shape.n <= SMALL && interval_laws(&s.shape))
    status = solve_rescaled(&s, status);
  if (s.proved) status = end_proof(status, info);
  *left = s.left;
  tell(info, s.name, s.iterations);
  return status;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  const perp_auto_options *o = options;
  if (warm == NULL && solve_at_once(problem, o, lambda, info)) return PERP_OK;
  if (frictional(perp_problem_sets(problem)))
    return perp_friction_solve(problem, o, lambda, y, warm, work, work_bytes, info);
  double left = budget_or(o->budget, perp_solver_budget(problem->n));
  return solve_intervals(problem, o, lambda, y, warm, work, work_bytes, &left, info);
}

const perp_solver *perp_solver_auto(void) {
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = ALL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .name = "auto",
                                     .defaults = &defaults,
                                     .check = check_options,
                                     .workspace = workspace,
                                     .warm_bytes = warm_bytes,
                                     .solve = solve};
  return &solver;
}
