/* SPDX-License-Identifier: MIT */
/* Semismooth Newton method for friction. */
#include "perp/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/sparse_table.h"
#include "problem/bounds.h"
#include "problem/definite.h"
#include "problem/residual.h"
#include "solver/friction_newton.h"
#include "solver/options.h"

enum { STEPS = 500, SWEEPS = 10, LOOK_BACK = 6, DENSE_LIMIT = 2500 };
/* Multiply-adds of a component of a contact in a pass over M. */
enum { COMPONENT = 30 };
enum { RESTARTS = 5, RESTART_SWEEPS = 20, FUNCTIONS = 3 };

static const perp_friction_newton_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_friction_newton_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_friction_newton_options",
    .function = PERP_FRICTION_ALART_CURNIER,
    .search = PERP_SEARCH_WATCHDOG,
    .history = LOOK_BACK,
    .sweeps = SWEEPS,
    .proximal = 1};

void perp_friction_newton_options_init(perp_friction_newton_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check(const void *options, perp_info *info) {
  const perp_friction_newton_options *o = options;
  if (o->function < PERP_FRICTION_NATURAL || o->function > PERP_FRICTION_JEAN_MOREAU)
    return fail(info, PERP_EINVAL, "function", -1, o->function);
  if (o->search < PERP_SEARCH_WATCHDOG || o->search > PERP_SEARCH_NONE)
    return fail(info, PERP_EINVAL, "search", -1, o->search);
  if (o->history < 1 || o->history > FRICTION_NEWTON_HISTORY)
    return fail(info, PERP_EINVAL, "history", -1, o->history);
  if (o->sweeps < 0) return fail(info, PERP_EINVAL, "sweeps", -1, o->sweeps);
  if (!(o->proximal >= 0 && o->proximal <= DBL_MAX))
    return fail(info, PERP_EINVAL, "proximal", -1, o->proximal);
  if (!sparse_table_ok(o->sparse, 0)) return fail_field(info, "sparse", -1);
  return PERP_OK;
}

/* ---- memory ---- */

/* Entries of the largest system: dense, or as compressed rows in which the rows of a contact share
 * their columns. */
static int entries(const perp_shape *shape, const perp_sparse *sparse, size_t *most) {
  const size_t n = (size_t)shape->n, square = n > 0 && n > SIZE_MAX / n ? SIZE_MAX : n * n;
  const size_t small = FRICTION_NEWTON_DENSE * FRICTION_NEWTON_DENSE;
  if (sparse == NULL || shape->matrix == PERP_DENSE) {
    *most = square;
    return shape->matrix == PERP_DENSE || n <= DENSE_LIMIT;
  }
  const size_t height = shape->largest > 1 ? (size_t)shape->largest : 1;
  const size_t stored = shape->nonzeros > SIZE_MAX / 32 ? SIZE_MAX / 4 : shape->nonzeros;
  *most = height * (stored + n);
  if (*most < small) *most = small;
  if (*most > square) *most = square;
  return 1;
}

static void carve(friction_newton *s, arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n, count = (size_t)shape->contacts, d = sizeof(double);
  const size_t cut = shape->matrix == PERP_BLOCKS ? n : 0;
  double **vectors[] = {&s->lower, &s->upper, &s->x,  &s->u,    &s->phi, &s->d,
                        &s->v,     &s->tx,    &s->tu, &s->best, &s->rhs, &s->centre};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = arena_take(a, n, d);
  s->contacts = arena_take(a, count, sizeof *s->contacts);
  s->size = arena_take(a, count, d);
  s->rho = arena_take(a, count, d);
  s->A = arena_take(a, n, FRICTION_NEWTON_MOST * d);
  s->B = arena_take(a, n, FRICTION_NEWTON_MOST * d);
  s->scratch = arena_take(a, residual_scratch_doubles(shape->n), d);
  s->value = arena_take(a, n, FRICTION_NEWTON_MOST * d);
  s->rows.value = arena_take(a, n, d);
  s->rows.at = arena_take(a, cut, sizeof(size_t));
  s->K = arena_take(a, s->capacity, d);
  s->index = arena_take(a, s->o.sparse == NULL ? 0 : s->capacity, sizeof(int32_t));
  s->start = arena_take(a, n + 1, sizeof(int32_t));
  s->pivots = arena_take(a, n, sizeof(int32_t));
  s->rows.column = arena_take(a, n, sizeof(int32_t));
  s->rows.block = arena_take(a, cut, sizeof(int32_t));
  s->match = arena_take(a, count, sizeof(int32_t));
  s->column = arena_take(a, n, sizeof(int32_t));
  s->seen = arena_take(a, n, sizeof(int32_t));
  s->place = arena_take(a, n, sizeof(int32_t));
  s->off = arena_take(a, count, 1);
  s->inside = arena_take(a, count, 1);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  friction_newton s;
  s.o = *(const perp_friction_newton_options *)options;
  if (shape->n < 0) return 0;
  if (!entries(shape, s.o.sparse, &s.capacity) || s.capacity > (size_t)INT32_MAX) return 0;
  arena a = arena_measure();
  carve(&s, &a, shape);
  return arena_bytes(&a);
}

/* ---- start ---- */

/* size := Frobenius norm of the diagonal block, 1 where it is 0. */
static void measure(friction_newton *s) {
  block_reader reader = block_reader_open(&s->problem->M);
  double B[FRICTION_NEWTON_MOST * FRICTION_NEWTON_MOST];
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    double sum = 0;
    perp_block_read(&s->problem->M, &reader, c->begin, c->size, B);
    for (int32_t i = 0; i < c->size * c->size; i++) sum += B[i] * B[i];
    s->size[k] = sqrt(sum);
    if (!(s->size[k] > 1e-150 && s->size[k] < 1e150)) s->size[k] = 1;
  }
}

void perp_friction_newton_weigh(friction_newton *s, double factor) {
  for (int32_t k = 0; k < s->count; k++) s->rho[k] = factor / s->size[k];
}

static void begin(friction_newton *s, const double *lambda) {
  for (int32_t i = 0; i < s->n; i++) s->x[i] = is_finite(lambda[i]) ? lambda[i] : 0;
  for (int32_t k = 0; k < s->count; k++) {
    perp_friction_newton_project(s, k, s->x + s->contacts[k].begin);
    s->inside[k] = 0;
  }
  for (int32_t i = 0; i < s->n; i++) s->place[i] = -1;
  s->members = 0;
  perp_friction_newton_rows_open(s);
  measure(s);
  perp_friction_newton_weigh(s, 1);
  perp_friction_newton_sweep(s, s->o.sweeps);
}

/* ---- one start after the other ---- */

/* The point of K next to 0: what there is where the start leads beyond all numbers. */
static void begin_at_zero(friction_newton *s) {
  memset(s->x, 0, (size_t)s->n * sizeof *s->x);
  for (int32_t k = 0; k < s->count; k++)
    perp_friction_newton_project(s, k, s->x + s->contacts[k].begin);
  if (!(s->least <= DBL_MAX)) memcpy(s->best, s->x, (size_t)s->n * sizeof *s->x);
}

static void at_best(friction_newton *s) { memcpy(s->x, s->best, (size_t)s->n * sizeof *s->x); }

/* Steps whose centre goes along, and where these stall, around centres that stay. */
static int run_from(friction_newton *s) {
  s->weight = s->o.proximal;
  const int end = perp_friction_newton_fast(s);
  if (end != FRICTION_NEWTON_STUCK || s->failure != PERP_OK) return end;
  if (!(s->least <= DBL_MAX) || s->o.proximal == 0) return end;
  at_best(s);
  return perp_friction_newton_proximal(s);
}

/* Where one function has no way on, sweeps and another one often have: from the best point, and in
 * every second attempt from that next to 0. */
static int run(friction_newton *s) {
  perp_residual r;
  perp_friction_newton_look(s, &r);
  if (!(s->least <= DBL_MAX)) begin_at_zero(s);
  int end = run_from(s);
  for (int32_t i = 0; i < RESTARTS && end == FRICTION_NEWTON_STUCK && s->failure == PERP_OK; i++) {
    if (!(s->least <= DBL_MAX)) return end; /* a number of the problem is none */
    s->o.function = (s->o.function + 1) % FUNCTIONS;
    if (i % 2 == 1)
      begin_at_zero(s);
    else
      at_best(s);
    perp_friction_newton_sweep(s, RESTART_SWEEPS);
    end = run_from(s);
  }
  return end;
}

/* Multiply-adds where the caller sets no limit: some 50 ms for up to FEW unknowns. With n² this is
 * for all steps up to some hundreds of unknowns, and for fewer beyond, as a factor grows with n³.
 */
static double default_work(int32_t n) {
  enum { FEW = 20 };
  const double few = 3e7, ratio = n > FEW ? (double)n / FEW : 1;
  return few * ratio * ratio;
}

static perp_status open_session(friction_newton *s, const perp_problem *problem, void *work,
                                size_t work_bytes, perp_info *info) {
  perp_shape shape;
  perp_problem_shape(problem, &shape);
  s->problem = problem;
  s->n = problem->n;
  s->count = shape.contacts;
  s->pass = (double)shape.nonzeros + COMPONENT * (double)s->n;
  s->work = 0;
  s->most_work = s->o.max_iter > 0 ? (double)INFINITY : default_work(s->n);
  (void)entries(&shape, s->o.sparse, &s->capacity);
  arena a = arena_open(work, work_bytes);
  carve(s, &a, &shape);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  perp_problem_contacts(problem, s->contacts);
  perp_problem_bounds(problem, s->lower, s->upper);
  return PERP_OK;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  friction_newton s = {.factor = NULL, .failure = PERP_OK};
  (void)warm;
  (void)y;
  s.o = *(const perp_friction_newton_options *)options;
  perp_status status = open_session(&s, problem, work, work_bytes, info);
  if (status != PERP_OK) return status;
  if (s.o.max_iter == 0) s.o.max_iter = STEPS;
  begin(&s, lambda);
  s.least = (double)INFINITY;
  const int end = run(&s);
  if (s.o.sparse != NULL) s.o.sparse->release(s.factor);
  memcpy(lambda, end == FRICTION_NEWTON_SOLVED ? s.x : s.best, (size_t)s.n * sizeof *lambda);
  if (info_ready(info)) info->iterations = s.iterations;
  if (s.failure != PERP_OK) return s.failure;
  return end == FRICTION_NEWTON_SOLVED    ? PERP_OK
         : end == FRICTION_NEWTON_STOPPED ? PERP_STOPPED
         : end == FRICTION_NEWTON_LIMIT   ? PERP_MAX_ITER
                                          : PERP_INACCURATE;
}

#define SETS                                                                                 \
  (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX | 1u << PERP_SET_CONE | \
   1u << PERP_SET_ROLLING)
#define MATRICES (1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS)

const perp_solver *perp_solver_friction_newton(void) {
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = SETS,
                                     .matrices = MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "friction-newton",
                                     .defaults = &defaults,
                                     .check = check,
                                     .workspace = workspace,
                                     .solve = solve};
  return &solver;
}
