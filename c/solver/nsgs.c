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
#include "solver/sweeps.h"

enum { DEFAULT_SWEEPS = 10000, DEFAULT_CHECK = 10, DEFAULT_DEPTH = 5, IDLE = 50 };

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

static const option_range ranges[] = {
    {FIELD(perp_nsgs_options, omega), OPTION_OPEN, 0, 2},
    {FIELD(perp_nsgs_options, regularisation), OPTION_CLOSED, 0, DBL_MAX},
    {FIELD(perp_nsgs_options, order), OPTION_INT, PERP_NSGS_FORWARD, PERP_NSGS_SHUFFLED},
    {FIELD(perp_nsgs_options, acceleration), OPTION_INT, PERP_NSGS_PLAIN, PERP_NSGS_MOMENTUM},
    {FIELD(perp_nsgs_options, depth), OPTION_INT, 1, PERP_NSGS_MOST_DEPTH},
    {FIELD(perp_nsgs_options, freeze), OPTION_INT, 0, INT32_MAX},
    {FIELD(perp_nsgs_options, check), OPTION_INT, 1, INT32_MAX},
    {FIELD(perp_nsgs_options, colours), OPTION_INT, INT32_MIN, INT32_MAX},
    {0}};

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct relaxation {
  nsgs s; /* what sweeps read                                              */
  accelerator boost;
  colouring colours;
  int coloured;
  perp_parallel_for parallel;
  double *centre;   /* n                                                             */
  double *diagonal; /* n: M_ii                                                       */
  double scale;     /* lower bound of the size of the terms of y                     */
  double largest_q; /* max |q_i|                                                     */
  double change;    /* of the last sweep                                             */
  int32_t swept;    /* sweeps since the accelerator saw where they begin             */
  int32_t idle;     /* sweeps since more than rounding moved                         */
  int sleepers;     /* whether the last sweep left contacts out                      */
  uint64_t random;
} relaxation;

static size_t plus(size_t a, size_t b) { return a > SIZE_MAX - b ? SIZE_MAX : a + b; }

static size_t times(size_t a, size_t b) { return b > 0 && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

/* Sweeps in another order are another map each time, which sweeps before say nothing of. */
static int32_t acceleration(const perp_nsgs_options *o) {
  return o->order == PERP_NSGS_SHUFFLED ? PERP_NSGS_PLAIN : o->acceleration;
}

/* The columns of a row are at most half as much again as its entries, or rows are read in place.
 * Projections that need memory have one for all threads. */
static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  relaxation *v = state;
  nsgs *s = &v->s;
  const perp_nsgs_options *o = s->options = options;
  const size_t n = (size_t)shape->n, count = (size_t)shape->contacts, d = sizeof(double);
  const size_t i = sizeof(int32_t);
  const size_t large = shape->largest > 5 ? n : 0, nonzeros = shape->nonzeros;
  s->n = shape->n;
  s->count = shape->contacts;
  v->coloured = o->colours != 0 || o->parallel != NULL;
  v->parallel = shape->projection > 0 ? NULL : o->parallel;
  s->capacity = plus(plus(nonzeros, nonzeros / 2), plus(n, times(count, 18)));
  s->places = plus(nonzeros, plus(n, count));
  s->contacts = arena_take(a, count, sizeof *s->contacts);
  s->rows = arena_take(a, count, sizeof *s->rows);
  s->locals = arena_take(a, perp_nsgs_local_doubles(shape), d);
  s->q = arena_take(a, n, d);
  s->w = arena_take(a, large, d);
  s->r = arena_take(a, large, d);
  s->trial = arena_take(a, n, d);
  s->own = arena_take(a, times((size_t)shape->largest, (size_t)shape->largest), d);
  s->slot = arena_take(a, n, i);
  s->order = arena_take(a, o->order == PERP_NSGS_SHUFFLED ? count : 0, i);
  s->asleep = arena_take(a, o->freeze > 0 ? count : 0, i);
  perp_accelerator_carve(&v->boost, a, shape->n, acceleration(o), o->depth);
  perp_colouring_carve(&v->colours, a, shape, v->coloured);
  v->centre = arena_take(a, n, d);
  v->diagonal = arena_take(a, n, d);
  row_reader_carve(&s->reader, a, n, shape->matrix == PERP_BLOCKS);
  s->values = arena_take(a, s->capacity, d);
  s->index = arena_take(a, s->places, i);
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* c := λ */
static void move_centre(relaxation *v) {
  const nsgs *s = &v->s;
  memcpy(v->centre, s->run->lambda, (size_t)s->n * sizeof *v->centre);
  for (int32_t i = 0; i < s->n; i++) s->q[i] = s->run->problem->q[i] - s->rho * v->centre[i];
}

/* Marsaglia's xorshift; the seed is always the same. */
static uint64_t draw(relaxation *v) {
  v->random ^= v->random << 13;
  v->random ^= v->random >> 7;
  v->random ^= v->random << 17;
  return v->random;
}

static void shuffle(relaxation *v, int32_t count) {
  int32_t *order = v->s.order;
  for (int32_t k = count - 1; k > 0; k--) {
    const int32_t other = (int32_t)(draw(v) % (uint64_t)(k + 1)), at = order[k];
    order[k] = order[other];
    order[other] = at;
  }
}

static void wake(relaxation *v) {
  nsgs *s = &v->s;
  if (s->options->freeze > 0) memset(s->asleep, 0, (size_t)s->count * sizeof *s->asleep);
}

/* GO_ON, or what ended it amid the contacts. */
static perp_status sweep(relaxation *v, int32_t k) {
  nsgs *s = &v->s;
  nsgs_pass pass = {.run = v->s.run, .status = GO_ON};
  v->sleepers = 0;
  for (int32_t a = 0; a < s->count && s->options->freeze > 0; a++) v->sleepers |= s->asleep[a] > 0;
  const int backward = s->options->order == PERP_NSGS_SYMMETRIC && k % 2 == 1;
  const int32_t *order = s->options->order == PERP_NSGS_SHUFFLED ? s->order : NULL;
  if (order != NULL) shuffle(v, v->coloured ? v->colours.colours : s->count);
  perp_nsgs_sweep(s, v->coloured ? &v->colours : NULL, backward, order, v->parallel, &pass);
  v->s.run->merit = v->change = pass.change;
  v->swept++;
  return pass.status;
}

/* --- looks at the residual ------------------------------------------------------------------- */

static void measure(relaxation *v) {
  const nsgs *s = &v->s;
  double most = v->largest_q;
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = 0; i < s->contacts[k].size; i++) {
      const double size = fabs(s->rows[k].weight * s->run->lambda[s->rows[k].begin + i]);
      if (size > most) most = size;
    }
  v->scale = most;
}

static double target(const relaxation *v) { return v->s.run->factor * v->s.run->tol * v->scale; }

/* The judge's own residual at λ. If it says no, the change must become smaller before it is asked
 * again: by as much as it was too small. */
static perp_status confirm(relaxation *v) {
  session *run = v->s.run;
  perp_residual r;
  perp_residual_compute(run->problem, run->lambda, run->y, &r, run->scratch);
  if (perp_residual_solved(&r, run->tol)) return PERP_OK;
  if (r.relative > run->tol) { /* else the factor becomes smaller by a guess */
    const double ratio = v->change / (r.relative * v->scale);
    run->factor = EAGER * (ratio < run->factor ? ratio : run->factor);
  } else {
    run->factor *= 0.5;
  }
  return is_finite(r.residual) ? GO_ON : PERP_INACCURATE;
}

static perp_status look(relaxation *v) {
  measure(v);
  v->s.rest = AT_REST * target(v);
  const double off = distance_to_centre(v->s.n, v->s.rho, v->s.run->lambda, v->centre);
  const double change = v->change > off ? v->change : off;
  if (change > DIVERGED * (v->s.run->best_merit + v->largest_q)) return PERP_INACCURATE;
  (void)perp_session_keep(v->s.run, change);
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
static void begin_anew(relaxation *v) {
  nsgs *s = &v->s;
  for (int32_t i = 0; i < s->n; i++)
    s->run->lambda[i] = nearest_to_zero(s->run->lower[i], s->run->upper[i]);
  perp_accelerator_reset(&v->boost);
  perp_accelerator_begin(&v->boost, s->run->lambda);
  v->swept = 0;
  move_centre(v);
  wake(v);
}

/* Rounding is all that moves any more: the residual now, or never. */
static perp_status end_of_digits(relaxation *v) {
  const int idle = v->s.rho == 0 && v->change <= 4 * DBL_EPSILON * v->scale;
  v->idle = idle ? v->idle + 1 : 0;
  if (v->idle < IDLE) return GO_ON;
  wake(v);
  return confirm(v) == PERP_OK ? PERP_OK : PERP_INACCURATE;
}

/* --- the solver ------------------------------------------------------------------------------ */

/* A row of zeros that nothing can make up for is a proof, and a ray where all laws are intervals.
 */
static void hand_ray(relaxation *v, int32_t row) {
  const perp_problem *p = v->s.run->problem;
  double *ray = v->s.run->best;
  if (info_ready(v->s.run->info)) v->s.run->info->bound = (double)INFINITY;
  if (perp_problem_sets(p) >= 1u << PERP_SET_CONE) return;
  for (int32_t i = 0; i < p->n; i++) ray[i] = 0;
  ray[row] = p->q[row] > 0 ? -1 : 1;
  info_proof(v->s.run->info, (double)INFINITY, p->n, ray);
}

static void open_problem(relaxation *v, session *run) {
  nsgs *s = &v->s;
  s->run = run;
  v->random = UINT64_C(0x9e3779b97f4a7c15);
  s->spare = run->scratch + residual_scratch_doubles(s->n);
  s->reader.value = run->scratch;
  perp_problem_contacts(run->problem, s->contacts);
  perp_row_reader_prepare(&s->reader, &run->problem->M);
  perp_matrix_diagonal(&run->problem->M, v->diagonal);
  v->largest_q = perp_residual_weighted_largest(s->n, NULL, run->problem->q);
  const double part = s->options->regularisation;
  const double largest = perp_residual_weighted_largest(s->n, NULL, v->diagonal);
  if (part > 0) s->rho = part * (largest > 0 ? largest : 1);
  for (int32_t k = 0; k < s->count && s->options->order == PERP_NSGS_SHUFFLED; k++) s->order[k] = k;
}

static perp_status start(void *state, session *run) {
  relaxation *v = state;
  nsgs *s = &v->s;
  int32_t row = -1;
  if (s->options->max_iter == 0) run->max_iter = DEFAULT_SWEEPS;
  open_problem(v, run);
  wake(v);
  move_centre(v);
  if (v->coloured) perp_colouring_make(&v->colours, s);
  const perp_status status = perp_nsgs_pack(s, v->diagonal, &row);
  if (status == PERP_INFEASIBLE) hand_ray(v, row);
  if (status != PERP_OK) return status;
  if (s->pack == NSGS_IN_PLACE && run->problem->M.offset != NULL)
    v->parallel = NULL; /* the reader has room for one row */
  run->price = s->price;
  measure(v);
  perp_accelerator_reset(&v->boost);
  for (int32_t k = 0; k < s->count && v->boost.kind != PERP_NSGS_PLAIN; k++)
    for (int32_t i = 0; i < s->contacts[k].size; i++)
      v->boost.weight[s->contacts[k].begin + i] = s->rows[k].weight;
  return GO_ON;
}

static perp_status iterate(void *state, session *run) {
  relaxation *v = state;
  const perp_nsgs_options *o = v->s.options;
  const int32_t k = run->iterations, period = o->order == PERP_NSGS_SYMMETRIC ? 2 : 1;
  if (k % period == 0) { /* so many sweeps are one step */
    if (v->swept > 0) perp_accelerator_end(&v->boost, run->lambda);
    perp_accelerator_begin(&v->boost, run->lambda);
    v->swept = 0;
  }
  perp_status status = sweep(v, k);
  if (status != GO_ON) return status;
  if (!(v->change <= DBL_MAX)) {
    if (k > 0) return PERP_INACCURATE;
    begin_anew(v); /* the start was too large */
    return GO_ON;
  }
  if (v->change <= target(v) || (k + 1) % o->check == 0 || k + 1 == run->max_iter) status = look(v);
  return status == GO_ON ? end_of_digits(v) : status;
}

/* Who diverged before it was looked at has nothing to show. */
static perp_status finish(void *state, session *run, perp_status status) {
  relaxation *v = state;
  const int failed = status == PERP_INACCURATE || status == PERP_MAX_ITER;
  if (failed && !(run->best_merit <= DBL_MAX) && !(v->change <= DBL_MAX)) begin_anew(v);
  return status;
}

const perp_solver *perp_solver_nsgs(void) {
  static const perp_method method = {.state = METHOD_STATE(relaxation),
                                     .ranges = ranges,
                                     .needs = NEEDS_SHAPE | NEEDS_BOUNDS | NEEDS_BEST | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start,
                                     .iterate = iterate,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = ALL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "nsgs",
                                     .defaults = &defaults,
                                     .method = &method};
  return &solver;
}
