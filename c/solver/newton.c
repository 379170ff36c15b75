/* SPDX-License-Identifier: MIT */
/* Semismooth Newton as two solvers: options, memory, starts and endings. Scaling, functions and
 * steps stand in newton_step.c.
 *
 * A start that leads nowhere (a point from which no direction goes down, or the merit hardly
 * falls) is followed by another one; every second goes through a proximal continuation: the
 * problem of A + σI, q − σ a is solved for σ = 1, 1/10, ..., each from the solution a of the one
 * before. For large σ the matrix is a P-matrix, and the merit has no stationary points but the
 * solution.
 *
 * Sources: [De Luca, Facchinei and Kanzow 2000], [Billups 1995], [Fischer 1992]. */
#include "perp/newton.h"

#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "solver/mode.h"
#include "solver/newton.h"
#include "solver/warm.h"

enum { MAX_ITER = 500, STEPS = 60, STEPS_STAGE = 15, STEPS_WATCHED = 10 };

/* The merit has to fall below this part of itself within STEPS_WATCHED steps. */
#define PROGRESS 0.7
/* From this ‖Φ‖ / √2 on, in parts of x, the true residual is asked. */
#define NEAR         1e-5
#define SIGMA_LEAST  1e-7
#define FACTOR_LEAST 0.1
#define FACTOR_MOST  0.9

/* --- options --------------------------------------------------------------------------------- */

static const perp_newton_options defaults = {.struct_size = (uint32_t)sizeof(perp_newton_options),
                                             .tol = PERP_DEFAULT_TOL,
                                             .kind = "perp_newton_options",
                                             .history = 5,
                                             .restarts = 30};

void perp_newton_options_init(perp_newton_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_newton_options, history), OPTION_INT, 1, MERITS_MOST},
    {FIELD(perp_newton_options, restarts), OPTION_INT, 0, INT32_MAX},
    {0}};

/* --- memory ---------------------------------------------------------------------------------- */

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  newton *s = state;
  const size_t n = (size_t)shape->n;
  double **vectors[] = {&s->q,  &s->row, &s->col, &s->x, &s->y, &s->tx,     &s->ty, &s->phi,
                        &s->da, &s->db,  &s->d,   &s->g, &s->t, &s->anchor, NULL};
  (void)options;
  s->A = arena_take(a, n, n * sizeof(double));
  perp_mode_basis_carve(&s->basis, a, shape->n, PERP_DENSE);
  arena_take_doubles(a, n, vectors);
  s->mode = arena_take(a, n, 1);
  s->factored = arena_take(a, n, 1);
}

/* --- one start ------------------------------------------------------------------------------- */

/* tx := x moved into its box. Whether it has moved. */
static int project(newton *s, const double *x) {
  int moved = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double v = x[i];
    s->tx[i] = clip(v, s->l[i], s->u[i]);
    moved |= s->tx[i] != v;
  }
  return moved;
}

/* The session's λ := that of tx. */
static void unscale(const newton *s) {
  for (int32_t i = 0; i < s->n; i++) s->run->lambda[i] = s->col[i] * s->tx[i];
}

/* Linearise at x, and remember its projection to the box if it is the best so far. */
static void settle(newton *s) {
  perp_newton_linearise(s);
  if (s->sigma != 0) return;
  const int outside = project(s, s->x);
  if (outside) perp_newton_map(s, s->tx, s->ty);
  const double theta = outside ? perp_newton_merit(s, s->tx, s->ty) : s->theta;
  if (!(theta < s->run->best_merit)) return;
  unscale(s);
  (void)perp_session_keep(s->run, theta);
}

/* Whether Φ, which is of the size of |x − P(x − y)|, is small. */
static int near_solution(const newton *s) {
  const double largest = largest_size(s->n, s->x);
  return sqrt(s->theta) <= NEAR * (largest > 1 ? largest : 1);
}

static int judged(newton *s, const double *x) {
  (void)project(s, x);
  unscale(s);
  return perp_session_confirmed(s->run);
}

/* Whether x, with all that is at a bound there exactly, or the point of the basis that it suggests,
 * is a solution; the session has it, then. */
static int confirmed(newton *s) {
  if (!near_solution(s)) return 0;
  perp_newton_modes(s, s->mode);
  memset(s->d, 0, (size_t)s->n * sizeof *s->d);
  perp_newton_move(s, 1);
  if (judged(s, s->tx)) return 1;
  if (s->natural) return 0; /* the next step goes there anyway */
  s->basis.k = -1;
  if (!perp_newton_basis_step(s)) return 0;
  perp_newton_move(s, 1);
  return judged(s, s->tx);
}

/* The work of a start, and of what led nowhere before it. */
static void pay(newton *s) {
  const perp_status limit = perp_session_spend(s->run, s->work + (double)s->n * s->n);
  if (limit != GO_ON) s->limit = limit;
  s->work = 0;
}

/* From s->x with s->sigma. PERP_OK: solved; GO_ON: another start may lead on. */
static perp_status run_from(newton *s, int32_t steps) {
  double lowest, mark;
  pay(s);
  s->merits.count = 0;
  s->basis.k = -1;
  perp_newton_map(s, s->x, s->y);
  settle(s);
  lowest = mark = s->theta;
  for (int32_t i = 0;; i++) {
    if (s->sigma == 0 ? confirmed(s) : s->theta <= 1e-8 * s->sigma * s->sigma) return PERP_OK;
    if (s->limit != GO_ON) return s->limit;
    if (i > 0 && i % STEPS_WATCHED == 0) {
      if (!(lowest < PROGRESS * mark)) return GO_ON;
      mark = lowest;
    }
    if (i >= steps || !perp_newton_advance(s)) return GO_ON;
    settle(s);
    if (s->theta < lowest) lowest = s->theta;
    s->run->price = s->work;
    s->work = 0;
    s->limit = perp_session_step(s->run, -1, -1, sqrt(2 * s->theta));
    if (s->limit == PERP_STOPPED) return PERP_STOPPED;
  }
}

/* σ falls tenfold a stage; by less for a while after a stage that was not solved. */
static perp_status continuation(newton *s) {
  const size_t bytes = (size_t)s->n * sizeof *s->x;
  double last = 10, factor = FACTOR_LEAST;
  while (factor <= FACTOR_MOST && last * factor >= SIGMA_LEAST) {
    s->sigma = last * factor;
    memcpy(s->anchor, s->x, bytes);
    const perp_status end = run_from(s, STEPS_STAGE);
    if (end == GO_ON) {
      memcpy(s->x, s->anchor, bytes);
      factor = sqrt(factor);
    } else if (end == PERP_OK) {
      last = s->sigma;
      factor = factor * factor > FACTOR_LEAST ? factor * factor : FACTOR_LEAST;
    } else {
      return end;
    }
  }
  s->sigma = 0;
  return run_from(s, STEPS);
}

/* --- starts ---------------------------------------------------------------------------------- */

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

/* The session's λ, and the basis of the warm modes where they are known. */
static void first_start(newton *s) {
  const unsigned char *known = warm_known_modes(s->run->warm, s->n);
  for (int32_t i = 0; i < s->n; i++) {
    const double v = s->run->lambda[i] / s->col[i];
    s->x[i] = clip(is_finite(v) ? v : 0, s->l[i], s->u[i]);
  }
  if (known == NULL) return;
  perp_newton_map(s, s->x, s->y);
  perp_newton_modes(s, s->mode);
  for (int32_t i = 0; i < s->n; i++)
    if (mode_fits(known[i], s->l[i], s->u[i])) s->mode[i] = known[i];
  if (!perp_newton_basis_step(s)) return;
  perp_newton_move(s, 1);
  memcpy(s->x, s->tx, (size_t)s->n * sizeof *s->x);
}

static void keep_modes(newton *s) {
  unsigned char *modes = warm_claim(s->run->warm, s->n);
  if (modes == NULL) return;
  for (int32_t i = 0; i < s->n; i++) s->x[i] = s->run->lambda[i] / s->col[i];
  perp_newton_map(s, s->x, s->y);
  perp_newton_modes(s, modes);
}

/* --- the solvers ----------------------------------------------------------------------------- */

/* Where one kind of direction fails, the other may not: it has a share in the other starts. */
static perp_status run_starts(newton *s, int32_t restarts) {
  const int kind = s->natural;
  uint64_t state = 1;
  perp_status end = run_from(s, STEPS);
  for (int32_t r = 1; end == GO_ON && r <= restarts; r++) {
    s->natural = r % 4 < 2 ? kind : !kind;
    choose_start(s, r, &state);
    end = r % 2 == 1 ? continuation(s) : run_from(s, STEPS);
  }
  return end == GO_ON ? PERP_MAX_ITER : end;
}

static perp_status start(void *state, session *run) {
  newton *s = state;
  const perp_newton_options *o = run->options;
  s->run = run;
  s->n = run->n;
  s->history = o->history;
  s->natural = run->variant;
  s->basis.k = -1;
  s->limit = GO_ON;
  s->l = run->lower;
  s->u = run->upper;
  if (o->max_iter == 0) run->max_iter = MAX_ITER;
  for (int32_t i = 0; i < s->n; i++) run->best[i] = nearest_to_zero(s->l[i], s->u[i]);
  run->best_merit = DBL_MAX;
  if (!perp_newton_scale(s)) return PERP_INACCURATE;
  first_start(s);
  const perp_status end = run_starts(s, o->restarts);
  if (end == PERP_OK) keep_modes(s);
  if (end == PERP_STOPPED) perp_session_take_best(run);
  return end;
}

enum { NEEDS = NEEDS_BOUNDS | NEEDS_BEST | NEEDS_JUDGE };

const perp_solver *perp_solver_newton_min(void) {
  static const perp_method method = {.state = METHOD_STATE(newton),
                                     .ranges = ranges,
                                     .needs = NEEDS,
                                     .carve = carve,
                                     .variant = 1, /* on the min function */
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_P_MATRIX,
                                     .name = "newton-min",
                                     .defaults = &defaults,
                                     .warm_bytes = warm_shape_bytes,
                                     .method = &method};
  return &solver;
}

const perp_solver *perp_solver_newton_fb(void) {
  static const perp_method method = {.state = METHOD_STATE(newton),
                                     .ranges = ranges,
                                     .needs = NEEDS,
                                     .carve = carve,
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_P_MATRIX,
                                     .name = "newton-fb",
                                     .defaults = &defaults,
                                     .warm_bytes = warm_shape_bytes,
                                     .method = &method};
  return &solver;
}
