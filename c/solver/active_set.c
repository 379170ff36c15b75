/* SPDX-License-Identifier: MIT */
/* The active-set method as a solver: options, memory, start, warm data. The method itself stands
 * in exchange.c, its loop for semidefinite M in proximal.c.
 *
 * Start: modes that the warm data knows; any other unknown goes where a step of Jacobi's method
 * from P_[l,u](0) takes it: with r = M λ⁰ + q it is free unless r_i > (λ⁰_i − l_i) M_ii (lower) or
 * r_i < (λ⁰_i − u_i) M_ii (upper). For complementarity that is {q_i <= 0}. Ties are free: on a
 * resting column all but a few q_i are 0 and all contacts carry load, so ties at the bound would
 * free one contact after another.
 *
 * Cache behind the modes: first (int32, padded), inverse, lower of the envelope. The factor
 * depends on M and the free set only, so using it again changes no bit. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/info.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/exchange.h"
#include "solver/options.h"
#include "solver/proximal.h"
#include "solver/warm.h"

#define DEFAULT_PROXIMAL 1e-6

/* --- options --------------------------------------------------------------------------------- */

static const perp_active_set_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_active_set_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_active_set_options",
    .proximal = DEFAULT_PROXIMAL};

void perp_active_set_options_init(perp_active_set_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check_options(const void *options, perp_info *info) {
  const perp_active_set_options *out = options;
  if (!(out->proximal > 0 && out->proximal <= DBL_MAX))
    return fail(info, PERP_EINVAL, "proximal", -1, out->proximal);
  return PERP_OK;
}

/* --- memory ---------------------------------------------------------------------------------- */

/* Where everything but lower lies; lower takes what is left: the envelope of M is enough. */
typedef struct pieces {
  double *kept;         /* 4 n: lower, upper, previous, inverse                              */
  double *scratch;      /* of the residual; between residuals x, point, moved, value, n each */
  size_t *places;       /* n: start; and for blocks n more: at                               */
  int32_t *lists;       /* 4 n: member, position, first, column; and for blocks n more: block */
  unsigned char *modes; /* 4 n: mode, next, listed, anchor                              */
} pieces;

static pieces carve(arena *a, int32_t unknowns, int32_t kind) {
  const size_t n = (size_t)unknowns, extra = kind == PERP_BLOCKS, d = sizeof(double);
  const size_t scratch = residual_scratch_doubles(unknowns);
  pieces p;
  p.kept = arena_take(a, n, 4 * d);
  p.scratch = arena_take(a, scratch > 4 * n ? scratch : 4 * n, d);
  p.places = arena_take(a, n, (1 + extra) * sizeof(size_t));
  p.lists = arena_take(a, n, (4 + extra) * sizeof(int32_t));
  p.modes = arena_take(a, n, 4);
  return p;
}

static void place(exchange *s, const pieces *p) {
  const size_t n = (size_t)s->n;
  s->lower = p->kept;
  s->upper = p->kept + n;
  s->previous = p->kept + 2 * n;
  s->spare_inverse = p->kept + 3 * n;
  s->residual = p->scratch;
  s->x = p->scratch;
  s->point = p->scratch + n;
  s->moved = p->scratch + 2 * n;
  s->rows.value = p->scratch + 3 * n;
  s->factor.start = p->places;
  s->rows.at = p->places + n;
  s->factor.member = p->lists;
  s->factor.position = p->lists + n;
  s->factor.first = p->lists + 2 * n;
  s->rows.column = p->lists + 3 * n;
  s->rows.block = p->lists + 4 * n;
  s->mode = p->modes;
  s->next = p->modes + n;
  s->listed = p->modes + 2 * n;
  s->anchor = p->modes + 3 * n;
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  if (shape->n < 0) return 0;
  arena a = arena_measure();
  (void)carve(&a, shape->n, shape->matrix);
  (void)arena_take(&a, shape->envelope, sizeof(double));
  return arena_bytes(&a);
}

/* Doubles that hold n int32. */
static size_t first_doubles(int32_t n) { return ((size_t)n + 1) / 2; }

static size_t warm_bytes(const perp_shape *shape) {
  const size_t n = (size_t)shape->n, fixed = first_doubles(shape->n) + n;
  if (shape->n < 0 || shape->envelope > SIZE_MAX - fixed) return 0;
  return warm_full_bytes(shape->n, fixed + shape->envelope);
}

static perp_status open_workspace(exchange *s, const perp_problem *problem, double *lambda,
                                  double *y, void *work, size_t work_bytes) {
  arena a = arena_open(work, work_bytes);
  const pieces p = carve(&a, problem->n, problem->M.kind);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  memset(s, 0, sizeof *s);
  s->n = s->factor.n = problem->n;
  place(s, &p);
  s->spare_capacity = (a.size - a.used) / sizeof(double);
  s->spare_lower = arena_take(&a, s->spare_capacity, sizeof(double));
  s->problem = problem;
  s->q = problem->q;
  s->lambda = lambda;
  s->scratch = y;
  s->rows.M = &problem->M;
  s->factor.inverse = s->spare_inverse;
  s->factor.lower = s->spare_lower;
  s->factor.capacity = s->spare_capacity;
  return PERP_OK;
}

/* --- start ----------------------------------------------------------------------------------- */

/* modes := what is known and fits the bounds; returns how many are unknown. */
static int32_t adopt_modes(exchange *s, const unsigned char *known) {
  int32_t unknown = 0, misfits = known == NULL;
  for (int32_t i = 0; i < s->n && known != NULL; i++)
    misfits |= !mode_fits(known[i], s->lower[i], s->upper[i]);
  if (!misfits) {
    memcpy(s->mode, known, (size_t)s->n);
    return 0;
  }
  for (int32_t i = 0; i < s->n; i++) {
    unsigned char mode = known != NULL ? known[i] : PERP_MODE_UNKNOWN;
    if (!mode_fits(mode, s->lower[i], s->upper[i]))
      mode = s->lower[i] < s->upper[i] ? PERP_MODE_UNKNOWN : PERP_MODE_LOWER;
    s->mode[i] = mode;
    unknown += mode == PERP_MODE_UNKNOWN;
  }
  return unknown;
}

static unsigned char start_mode(const exchange *s, int32_t i, double r) {
  const double v = s->lambda[i], l = s->lower[i], u = s->upper[i];
  double diagonal = 0;
  if ((l < v && l >= -DBL_MAX) || (u > v && u <= DBL_MAX))
    diagonal = perp_row_diagonal(&s->rows, i);
  return jacobi_mode(v, l, u, diagonal, r);
}

static void choose_modes(exchange *s) {
  int nonzero = 0;
  for (int32_t i = 0; i < s->n; i++) {
    double v = nearest_to_zero(s->lower[i], s->upper[i]);
    if (s->mode[i] == PERP_MODE_LOWER) v = s->lower[i];
    if (s->mode[i] == PERP_MODE_UPPER) v = s->upper[i];
    s->lambda[i] = v;
    nonzero |= v != 0;
  }
  for (int32_t i = 0; i < s->n; i++) {
    if (s->mode[i] != PERP_MODE_UNKNOWN) continue;
    double r = s->q[i] + (nonzero ? row_dot(&s->rows, i, s->lambda) : 0);
    s->mode[i] = start_mode(s, i, r);
  }
}

/* --- warm data ------------------------------------------------------------------------------- */

/* Let the factor live in the warm data if they have a stamp and room, and use what they hold. known
 * are the modes it was made for. */
static void attach_cache(exchange *s, const perp_warm *warm, const unsigned char *known) {
  envelope *e = &s->factor;
  const size_t fixed = first_doubles(s->n) + (size_t)s->n;
  const size_t room = warm == NULL || warm->stamp == 0 ? 0 : warm_cache_doubles(warm, s->n);
  if (room <= fixed) return;
  double *cache = warm_cache(warm, s->n, room);
  e->inverse = cache + first_doubles(s->n);
  e->lower = cache + fixed;
  e->capacity = room - fixed;
  if (known == NULL || !warm_factor_valid(warm, s->n, WARM_ACTIVE_SET)) return;
  memcpy(e->first, cache, (size_t)s->n * sizeof *e->first);
  perp_exchange_list(s, known);
  (void)perp_envelope_adopt(e);
}

/* Keep the modes, and the factor if it is the plain one of M and lives in the warm data. */
static void keep_warm(const exchange *s, const perp_warm *warm) {
  const envelope *e = &s->factor;
  unsigned char *modes = warm_claim(warm, s->n);
  if (modes == NULL) return;
  memcpy(modes, s->mode, (size_t)s->n);
  if (s->shift != 0 || e->valid != e->rows || e->weak != e->rows || e->lower == s->spare_lower)
    return;
  double *cache = e->inverse - first_doubles(s->n);
  memcpy(cache, e->first, (size_t)s->n * sizeof *e->first);
  warm_factor_keep(warm, s->n, WARM_ACTIVE_SET);
}

/* --- the solver ------------------------------------------------------------------------------ */

/* Whether the factor lost so many digits that only the residual can tell a solution. */
static int doubtful(exchange *s) {
  if (s->factor.weak == s->factor.rows) return 0;
  perp_residual residual;
  perp_residual_compute(s->problem, s->lambda, s->scratch, &residual, s->residual);
  return !perp_residual_solved(&residual, s->options.tol);
}

static void clip_all(exchange *s) {
  for (int32_t i = 0; i < s->n; i++) s->lambda[i] = clip(s->lambda[i], s->lower[i], s->upper[i]);
}

static double largest_diagonal(const exchange *s) {
  double largest = 0;
  for (int32_t i = 0; i < s->n; i++) {
    double d = fabs(perp_row_diagonal(&s->rows, i));
    if (d > largest) largest = d;
  }
  return largest;
}

static perp_status solve_shifted(void *self, double shift, const double *q) {
  exchange *s = self;
  if (shift != s->shift) s->factor.valid = 0;
  s->shift = shift;
  s->q = q;
  perp_status status = perp_exchange_run(s);
  return status == EXCHANGE_NOT_DEFINITE ? (perp_status)PROXIMAL_RAISE : status;
}

static perp_status run_proximal(exchange *s, perp_info *info) {
  const double diagonal = largest_diagonal(s);
  proximal p = {.problem = s->problem,
                .self = s,
                .solve = solve_shifted,
                .max_iter = s->options.max_iter,
                .tol = s->options.tol,
                .shift = s->options.proximal,
                .unit = diagonal > 0 ? diagonal : 1,
                .lower = s->lower,
                .upper = s->upper,
                .lambda = s->lambda,
                .y = s->scratch,
                .previous = s->previous,
                .moved = s->moved,
                .residual = s->residual,
                .info = info};
  return perp_proximal_run(&p);
}

static perp_status run(exchange *s, perp_info *info) {
  perp_status status = perp_exchange_run(s);
  if (s->outside || status != PERP_OK) clip_all(s);
  if (status == EXCHANGE_NOT_DEFINITE || (status == PERP_OK && doubtful(s))) {
    status = run_proximal(s, info);
    clip_all(s);
  }
  return status;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  exchange s;
  perp_status status = open_workspace(&s, problem, lambda, y, work, work_bytes);
  if (status != PERP_OK) return fail(info, status, "work_bytes", -1, (double)work_bytes);
  s.options = *(const perp_active_set_options *)options;
  if (s.options.max_iter == 0) s.options.max_iter = s.n < 200000000 ? 100 + 10 * s.n : INT32_MAX;
  perp_problem_bounds(problem, s.lower, s.upper);
  perp_row_reader_prepare(&s.rows);
  memset(s.factor.position, 0xff, (size_t)s.n * sizeof *s.factor.position); /* all -1 */
  memset(s.listed, PERP_MODE_LOWER, (size_t)s.n);
  const unsigned char *known = warm_known(warm, s.n) ? warm_modes(warm, s.n) : NULL;
  if (adopt_modes(&s, known) > 0) choose_modes(&s);
  attach_cache(&s, warm, known);
  status = run(&s, info);
  if (status == PERP_OK)
    keep_warm(&s, warm);
  else
    warm_factor_drop(warm, s.n);
  if (info_ready(info)) info->iterations = s.iterations;
  return status;
}

const perp_solver *perp_solver_active_set(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
      .name = "active-set",
      .defaults = &defaults,
      .check = check_options,
      .workspace = workspace,
      .warm_bytes = warm_bytes,
      .solve = solve};
  return &solver;
}
