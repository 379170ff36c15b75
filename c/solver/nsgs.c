/* SPDX-License-Identifier: MIT */
/* Nonsmooth Gauss–Seidel: the contacts one after the other, each solved exactly with the others as
 * they are,
 *
 *   λ_a := solution of  y = M_aa λ_a + (q_a + Σ_{b≠a} M_ab λ_b),  (y, λ_a) ∈ law_a.
 *
 * How far a sweep moved is cheap to know and goes to 0 with the residual: when it is small enough,
 * the residual itself is looked at, and if it says no, what "small enough" means has been learned.
 * With ρ > 0 the sweeps solve the proximal problem M + ρ, q − ρ c, and the centre c follows λ as
 * soon as they are closer to its solution than that is to c; at the end λ = c.
 * Sources: [Jourdan, Alart and Jean 1998], [Jean 1999], [Rockafellar 1976]. */
#include "perp/sweeps.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/interval.h"
#include "solver/nsgs.h"
#include "solver/nsgs_accelerate.h"
#include "solver/nsgs_colour.h"
#include "solver/options.h"

enum { DEFAULT_SWEEPS = 10000, DEFAULT_CHECK = 10, DEFAULT_DEPTH = 5, IDLE = 50 };

/* Growth of the change beyond its best value and |q| that counts as divergence. */
#define DIVERGED 1e8

/* The centre moves where the change of a sweep is below this part of ρ |λ − c|. */
#define INNER 0.1

/* Part of the change that may be left at the end by which a contact has to move to stay awake. */
#define AT_REST 0.1

/* Part of what the last refused change allows to expect of the next one that is looked at. */
#define EAGER 0.8

/* --- options --------------------------------------------------------------------------------- */

static const perp_nsgs_options defaults = {.struct_size = (uint32_t)sizeof(perp_nsgs_options),
                                           .tol = PERP_DEFAULT_TOL,
                                           .kind = "perp_nsgs_options",
                                           .acceleration = PERP_NSGS_ANDERSON,
                                           .omega = 1,
                                           .depth = DEFAULT_DEPTH,
                                           .check = DEFAULT_CHECK};

void perp_nsgs_options_init(perp_nsgs_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status in_range(const char *name, int32_t x, int32_t least, int32_t most,
                            perp_info *info) {
  return x >= least && x <= most ? PERP_OK : fail(info, PERP_EINVAL, name, -1, x);
}

static perp_status check_options(const void *options, perp_info *info) {
  const perp_nsgs_options *out = options;
  if (!(out->omega > 0 && out->omega < 2)) return fail(info, PERP_EINVAL, "omega", -1, out->omega);
  if (!(out->regularisation >= 0 && out->regularisation <= DBL_MAX))
    return fail(info, PERP_EINVAL, "regularisation", -1, out->regularisation);
  perp_status status = in_range("order", out->order, PERP_NSGS_FORWARD, PERP_NSGS_SHUFFLED, info);
  if (status == PERP_OK)
    status = in_range("acceleration", out->acceleration, PERP_NSGS_PLAIN, PERP_NSGS_MOMENTUM, info);
  if (status == PERP_OK) status = in_range("depth", out->depth, 1, PERP_NSGS_MOST_DEPTH, info);
  if (status == PERP_OK) status = in_range("freeze", out->freeze, 0, INT32_MAX, info);
  return status == PERP_OK ? in_range("check", out->check, 1, INT32_MAX, info) : status;
}

/* Sweeps in another order are another map each time, which sweeps before say nothing of. */
static perp_nsgs_options options_of(const void *options) {
  perp_nsgs_options o = *(const perp_nsgs_options *)options;
  if (o.order == PERP_NSGS_SHUFFLED) o.acceleration = PERP_NSGS_PLAIN;
  return o;
}

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct session {
  nsgs s; /* what sweeps read                                              */
  accelerator boost;
  colouring colours;
  double *centre;   /* n                                                             */
  double *best;     /* n: the point of the least change                              */
  double *y;        /* n: the caller's                                               */
  double *diagonal; /* n: M_ii                                                       */
  double *scratch;  /* of the residual                                               */
  double factor;    /* by how much the change must be below tol, learned             */
  double scale;     /* lower bound of the size of the terms of y                     */
  double largest_q; /* max |q_i|                                                     */
  double best_change;
  int sleepers;  /* whether the last sweep left contacts out                      */
  int32_t idle;  /* sweeps since more than rounding moved                         */
  double change; /* of the last sweep                                             */
  uint64_t random;
} session;

static int coloured(const perp_nsgs_options *o) { return o->colours != 0 || o->parallel != NULL; }

static size_t plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

static size_t times(size_t a, size_t b) { return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

/* The columns of a row are at most half as much again as its entries, or it is packed by entries,
 * which may be one more in each row. */
static void carve(session *v, arena *a, const perp_shape *shape, const perp_nsgs_options *o) {
  nsgs *s = &v->s;
  const size_t n = (size_t)shape->n, count = (size_t)shape->contacts, d = sizeof(double);
  const size_t cut = shape->matrix == PERP_BLOCKS ? n : 0, i = sizeof(int32_t);
  const size_t large = shape->largest > 5 ? n : 0, nonzeros = shape->nonzeros;
  s->capacity = plus(plus(nonzeros, nonzeros / 2), plus(n, times(count, 18)));
  s->places = plus(nonzeros, plus(n, count));
  s->contacts = arena_take(a, count, sizeof *s->contacts);
  s->rows = arena_take(a, count, sizeof *s->rows);
  s->locals = arena_take(a, perp_nsgs_local_doubles(shape), d);
  s->q = arena_take(a, n, d);
  s->lower = arena_take(a, n, d);
  s->upper = arena_take(a, n, d);
  s->w = arena_take(a, large, d);
  s->r = arena_take(a, large, d);
  s->trial = arena_take(a, n, d);
  s->own = arena_take(a, times((size_t)shape->largest, (size_t)shape->largest), d);
  s->ends = arena_take(a, n, i);
  s->slot = arena_take(a, n, i);
  s->order = arena_take(a, o->order == PERP_NSGS_SHUFFLED ? count : 0, i);
  s->asleep = arena_take(a, o->freeze > 0 ? count : 0, i);
  perp_accelerator_carve(&v->boost, a, n, o);
  perp_colouring_carve(&v->colours, a, shape, coloured(o));
  v->centre = arena_take(a, n, d);
  v->best = arena_take(a, n, d);
  v->diagonal = arena_take(a, n, d);
  v->scratch = arena_take(a, residual_scratch_doubles(shape->n), d);
  s->spare = arena_take(a, shape->projection, d); /* right behind it */
  s->reader.value = v->scratch;
  s->reader.column = arena_take(a, n, i);
  s->reader.block = arena_take(a, cut, i);
  s->reader.at = arena_take(a, cut, sizeof(size_t));
  s->values = arena_take(a, s->capacity, d);
  s->index = arena_take(a, s->places, i);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  session v;
  if (shape->n < 0) return 0;
  arena a = arena_measure();
  const perp_nsgs_options o = options_of(options);
  carve(&v, &a, shape, &o);
  return arena_bytes(&a);
}

static perp_status open_workspace(session *v, const perp_problem *problem, void *work,
                                  size_t work_bytes) {
  perp_shape shape;
  perp_problem_shape(problem, &shape);
  arena a = arena_open(work, work_bytes);
  carve(v, &a, &shape, &v->s.options);
  v->s.n = shape.n;
  v->s.count = shape.contacts;
  v->s.problem = problem;
  v->s.reader.M = &problem->M;
  return arena_fits(&a) ? PERP_OK : PERP_EWORKSPACE;
}

/* --- the proximal loop ----------------------------------------------------------------------- */

static void move_centre(session *v) {
  const nsgs *s = &v->s;
  memcpy(v->centre, s->lambda, (size_t)s->n * sizeof *v->centre);
  for (int32_t i = 0; i < s->n; i++) s->q[i] = s->problem->q[i] - s->rho * v->centre[i];
}

/* max ρ |λ − c|, by which the proximal problem misses the given one. */
static double distance_to_centre(const session *v) {
  double most = 0;
  if (v->s.rho == 0) return 0;
  for (int32_t i = 0; i < v->s.n; i++)
    most = interval_raise(most, v->s.rho * (v->s.lambda[i] - v->centre[i]));
  return most;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* Marsaglia's xorshift; the seed is always the same. */
static uint64_t draw(session *v) {
  v->random ^= v->random << 13;
  v->random ^= v->random >> 7;
  v->random ^= v->random << 17;
  return v->random;
}

static void shuffle(session *v, int32_t count) {
  int32_t *order = v->s.order;
  for (int32_t k = count - 1; k > 0; k--) {
    const int32_t other = (int32_t)(draw(v) % (uint64_t)(k + 1)), at = order[k];
    order[k] = order[other];
    order[other] = at;
  }
}

static void wake(session *v) {
  nsgs *s = &v->s;
  if (s->options.freeze > 0) memset(s->asleep, 0, (size_t)s->count * sizeof *s->asleep);
}

static void sweep(session *v, int32_t k) {
  nsgs *s = &v->s;
  v->sleepers = 0;
  for (int32_t a = 0; a < s->count && s->options.freeze > 0; a++) v->sleepers |= s->asleep[a] > 0;
  const int backward = s->options.order == PERP_NSGS_SYMMETRIC && k % 2 == 1;
  const int32_t *order = s->options.order == PERP_NSGS_SHUFFLED ? s->order : NULL;
  const int by_colour = coloured(&s->options);
  if (order != NULL) shuffle(v, by_colour ? v->colours.colours : s->count);
  v->change = by_colour ? perp_colouring_sweep(&v->colours, s, backward, order)
                        : perp_nsgs_sweep(s, 0, s->count, backward, order);
}

/* --- looks at the residual ------------------------------------------------------------------- */

enum { GO_ON = 100 };

static void measure(session *v) {
  const nsgs *s = &v->s;
  double most = v->largest_q;
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = 0; i < s->contacts[k].size; i++) {
      const double size = fabs(s->rows[k].weight * s->lambda[s->rows[k].begin + i]);
      if (size > most) most = size;
    }
  v->scale = most;
}

static double target(const session *v) { return v->factor * v->s.options.tol * v->scale; }

/* The judge's own residual at λ. If it says no, the change must become smaller before it is asked
 * again: by as much as it was too small. */
static perp_status confirm(session *v) {
  perp_residual r;
  perp_residual_compute(v->s.problem, v->s.lambda, v->y, &r, v->scratch);
  if (perp_residual_solved(&r, v->s.options.tol)) return PERP_OK;
  if (r.relative > v->s.options.tol) { /* else the factor becomes smaller by a guess */
    const double ratio = v->change / (r.relative * v->scale);
    v->factor = ratio < v->factor ? EAGER * ratio : EAGER * v->factor;
  } else {
    v->factor *= 0.5;
  }
  return is_finite(r.residual) ? GO_ON : PERP_INACCURATE;
}

static void keep_best(session *v, double change) {
  if (!(change < v->best_change)) return;
  memcpy(v->best, v->s.lambda, (size_t)v->s.n * sizeof *v->best);
  v->best_change = change;
}

static perp_status look(session *v) {
  measure(v);
  v->s.rest = AT_REST * target(v);
  const double off = distance_to_centre(v), change = v->change > off ? v->change : off;
  if (change > DIVERGED * (v->best_change + v->largest_q)) return PERP_INACCURATE;
  keep_best(v, change);
  if (v->change <= target(v) && v->sleepers) {
    wake(v);
    return GO_ON;
  }
  perp_status status = change <= target(v) ? confirm(v) : GO_ON;
  if (status != GO_ON) return status;
  if (off > 0 && (v->change <= INNER * off || v->change <= INNER * target(v))) {
    move_centre(v);
    wake(v);
    perp_accelerator_reset(&v->boost);
    return GO_ON;
  }
  return v->change == 0 ? PERP_INACCURATE : GO_ON;
}

/* Begin from the point of the intervals next to 0, and 0 elsewhere. */
static void begin_anew(session *v) {
  nsgs *s = &v->s;
  for (int32_t i = 0; i < s->n; i++) s->lambda[i] = nearest_to_zero(s->lower[i], s->upper[i]);
  perp_accelerator_reset(&v->boost);
  perp_accelerator_begin(&v->boost, s->lambda);
  move_centre(v);
  wake(v);
}

/* Rounding is all that moves any more: the residual now, or never. */
static perp_status end_of_digits(session *v) {
  const int idle = v->s.rho == 0 && v->change <= 4 * DBL_EPSILON * v->scale;
  v->idle = idle ? v->idle + 1 : 0;
  if (v->idle < IDLE) return GO_ON;
  wake(v);
  return confirm(v) == PERP_OK ? PERP_OK : PERP_INACCURATE;
}

static perp_status run(session *v, int32_t *iterations) {
  const perp_nsgs_options *o = &v->s.options;
  const int32_t period = o->order == PERP_NSGS_SYMMETRIC ? 2 : 1; /* sweeps of one step */
  perp_status status = GO_ON;
  for (int32_t k = 0; k < o->max_iter && status == GO_ON; k++) {
    if (k % period == 0) perp_accelerator_begin(&v->boost, v->s.lambda);
    sweep(v, k);
    *iterations = k + 1;
    const perp_iterate it = {k, -1, -1, v->change};
    if (o->observe != NULL && o->observe(&it, o->user) != 0) return PERP_STOPPED;
    if (!(v->change <= DBL_MAX)) {
      if (k > 0) return PERP_INACCURATE;
      begin_anew(v); /* the start was too large */
      continue;
    }
    if (v->change <= target(v) || (k + 1) % o->check == 0 || k + 1 == o->max_iter) status = look(v);
    if (status == GO_ON) status = end_of_digits(v);
    if (status == GO_ON && k % period == period - 1 && k + 1 < o->max_iter)
      perp_accelerator_end(&v->boost, v->s.lambda);
  }
  return status == GO_ON ? PERP_MAX_ITER : status;
}

/* --- the solver ------------------------------------------------------------------------------ */

/* What ρ is measured by. */
static double diagonal_scale(const session *v) {
  double largest = 0;
  for (int32_t i = 0; i < v->s.n; i++) largest = interval_raise(largest, v->diagonal[i]);
  return largest > 0 ? largest : 1;
}

static void start(session *v, double *lambda) {
  nsgs *s = &v->s;
  s->lambda = lambda;
  v->factor = 1;
  v->best_change = INFINITY;
  v->random = UINT64_C(0x9e3779b97f4a7c15);
  perp_problem_bounds(s->problem, s->lower, s->upper);
  interval_start(s->n, lambda, s->lower, s->upper);
  for (int32_t i = 0; i < s->n; i++) v->largest_q = interval_raise(v->largest_q, s->problem->q[i]);
  for (int32_t k = 0; k < s->count && s->options.order == PERP_NSGS_SHUFFLED; k++) s->order[k] = k;
  wake(v);
  move_centre(v);
}

/* A row of zeros that nothing can make up for is a proof, and a ray where all laws are intervals.
 */
static void hand_ray(session *v, int32_t row, perp_info *info) {
  const nsgs *s = &v->s;
  if (info_ready(info)) info->bound = (double)INFINITY;
  if (perp_problem_sets(s->problem) >= 1u << PERP_SET_CONE) return;
  for (int32_t i = 0; i < s->n; i++) v->best[i] = 0;
  v->best[row] = s->problem->q[row] > 0 ? -1 : 1;
  info_proof(info, (double)INFINITY, s->n, v->best);
}

static perp_status pack_and_run(session *v, int32_t *iterations, perp_info *info) {
  nsgs *s = &v->s;
  int32_t row = -1;
  perp_problem_contacts(s->problem, s->contacts);
  perp_row_reader_prepare(&s->reader);
  perp_matrix_diagonal(&s->problem->M, v->diagonal);
  if (s->options.regularisation > 0) s->rho = s->options.regularisation * diagonal_scale(v);
  start(v, s->lambda);
  if (coloured(&s->options)) perp_colouring_make(&v->colours, s);
  perp_status status = perp_nsgs_pack(s, v->diagonal, &row);
  if (status == PERP_INFEASIBLE) hand_ray(v, row, info);
  if (status != PERP_OK) return status;
  measure(v);
  perp_accelerator_reset(&v->boost);
  for (int32_t k = 0; k < s->count && s->options.acceleration != PERP_NSGS_PLAIN; k++)
    for (int32_t i = 0; i < s->contacts[k].size; i++)
      v->boost.weight[s->contacts[k].begin + i] = s->rows[k].weight;
  status = run(v, iterations);
  if (status == PERP_OK || status == PERP_STOPPED) return status;
  if (v->best_change <= DBL_MAX)
    memcpy(s->lambda, v->best, (size_t)s->n * sizeof *v->best);
  else
    begin_anew(v);
  return status;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  session v;
  int32_t iterations = 0;
  (void)warm;
  memset(&v, 0, sizeof v);
  v.s.options = options_of(options);
  v.s.options.colours = coloured(&v.s.options);
  if (perp_problem_projection_doubles(problem) > 0) v.s.options.parallel = NULL; /* one scratch */
  perp_status status = open_workspace(&v, problem, work, work_bytes);
  if (status != PERP_OK) return fail(info, status, "work_bytes", -1, (double)work_bytes);
  if (v.s.options.max_iter == 0) v.s.options.max_iter = DEFAULT_SWEEPS;
  v.s.lambda = lambda;
  v.y = y;
  status = pack_and_run(&v, &iterations, info);
  if (info_ready(info)) info->iterations = iterations;
  return status;
}

#define ALL_SETS                                                                             \
  (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX | 1u << PERP_SET_CONE | \
   1u << PERP_SET_ROLLING | 1u << PERP_SET_POLYHEDRON | 1u << PERP_SET_OTHER)

const perp_solver *perp_solver_nsgs(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = ALL_SETS,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
      .name = "nsgs",
      .defaults = &defaults,
      .check = check_options,
      .workspace = workspace,
      .solve = solve};
  return &solver;
}
