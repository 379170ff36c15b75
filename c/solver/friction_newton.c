/* SPDX-License-Identifier: MIT */
/* Semismooth Newton method for friction: starts, steps, and the proximal point method around them.
 *
 * A step solves (A + B (M + σ D)) d = −Φ, D the norms of the diagonal blocks. At first the centre
 * of the proximal term is the present point, and σ = w ε with the relative residual ε, so that the
 * last steps are those of Newton; the merit is searched along d, or watched. Where that stalls, the
 * proximal point method takes over: around a centre c, Newton's steps on the problem with M + σ D
 * and q − σ D c, until Φ is small against σ (x − c); then c := x. σ falls as long as that is easy.
 * ρ = 1 / (√σ ‖M_αα‖) lets the search see how stiff the contact is beside the proximal term. A few
 * sweeps of Gauss–Seidel between two centres carry news through the pile that no system holds.
 *
 * Sources: [Alart and Curnier 1991], [Acary, Brémond and Huber 2018], [Rockafellar 1976]. */
#include "perp/newton.h"

#include <string.h>

#include "base/info.h"
#include "problem/definite.h"
#include "problem/residual.h"
#include "solver/friction_newton.h"

enum { STEPS = 500, SWEEPS = 10, LOOK_BACK = 6, DENSE_LIMIT = 2500 };
enum { RESTARTS = 5, RESTART_SWEEPS = 20, FUNCTIONS = 3 };
enum { HALVINGS = 10, TRIES = 6 };
enum { INNER_STEPS = 30, SWEEPS_ON = 30, SWEEPS_BACK = 100 };

/* What a residual costs in passes over M; multiply-adds of a component of a contact in a pass, and
 * in a trial along d. */
enum { JUDGE = 4, COMPONENT = 30, TRIAL = 20 };

/* The proximal parameter where the residual is near 0: enough to keep a singular system in bounds,
 * too little to be seen in the convergence. */
#define LEAST_SIGMA 1e-10

/* σ is at least this part of the residual. Less makes steps so long that contacts change at random
 * where M is singular. */
#define LEAST_WEIGHT 0.3

/* The watchdog marks a point where the merit is below this part of the last one marked, and does
 * not let it grow beyond WILD times that. */
#define MARKED 0.9
#define WILD   1e6

/* Along Newton's direction the merit has the slope −2θ. */
#define LEAST_DESCENT 1e-4
#define MOST_DESCENT  0.99

/* Of the proximal point method; INNER is a part of the energy of the proximal term. */
#define FIRST_SIGMA 1.0
#define MOST_SIGMA  1e6
#define INNER       0.25

/* --- options --------------------------------------------------------------------------------- */

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

static const option_range ranges[] = {
    {FIELD(perp_friction_newton_options, function), OPTION_INT, 0, PERP_FRICTION_JEAN_MOREAU},
    {FIELD(perp_friction_newton_options, search), OPTION_INT, 0, PERP_SEARCH_NONE},
    {FIELD(perp_friction_newton_options, history), OPTION_INT, 1, MERITS_MOST},
    {FIELD(perp_friction_newton_options, sweeps), OPTION_INT, 0, INT32_MAX},
    {FIELD(perp_friction_newton_options, proximal), OPTION_CLOSED, 0, DBL_MAX},
    {FIELD(perp_friction_newton_options, sparse), OPTION_SPARSE, 0, 0},
    {0}};

/* --- memory ---------------------------------------------------------------------------------- */

/* Entries of the largest system: dense, or as compressed rows in which the rows of a contact share
 * their columns. SIZE_MAX: it is too large. */
static size_t entries(const perp_shape *shape, const perp_sparse *sparse) {
  const size_t n = (size_t)shape->n, square = n > 0 && n > SIZE_MAX / n ? SIZE_MAX : n * n;
  const size_t small = FRICTION_NEWTON_DENSE * FRICTION_NEWTON_DENSE;
  const size_t height = shape->largest > 1 ? (size_t)shape->largest : 1;
  const size_t stored = shape->nonzeros > SIZE_MAX / 32 ? SIZE_MAX / 4 : shape->nonzeros;
  size_t most = height * (stored + n);
  if (most < small) most = small;
  if (most > square || sparse == NULL || shape->matrix == PERP_DENSE) most = square;
  if (sparse == NULL && shape->matrix != PERP_DENSE && n > DENSE_LIMIT) return SIZE_MAX;
  return most > (size_t)INT32_MAX ? SIZE_MAX : most;
}

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  friction_newton *s = state;
  const size_t n = (size_t)shape->n, count = (size_t)shape->contacts, d = sizeof(double);
  double **const vectors[] = {&s->phi, &s->d,      &s->v,          &s->tx, &s->tu,
                              &s->rhs, &s->centre, &s->rows.value, NULL};
  int32_t **indices[] = {&s->K.pivots, &s->column, &s->seen, &s->place};
  s->o = *(const perp_friction_newton_options *)options;
  s->count = shape->contacts;
  s->pass = (double)shape->nonzeros + COMPONENT * (double)shape->n;
  const size_t capacity = entries(shape, s->o.sparse);
  arena_take_doubles(a, n, vectors);
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
    *indices[i] = arena_take(a, n, sizeof(int32_t));
  s->A = arena_take(a, n, CONTACT_MOST * d);
  s->B = arena_take(a, n, CONTACT_MOST * d);
  s->value = arena_take(a, n, CONTACT_MOST * d);
  s->contacts = arena_take(a, count, sizeof *s->contacts);
  s->size = arena_take(a, count, d);
  s->rho = arena_take(a, count, d);
  s->off = arena_take(a, count, 1);
  s->inside = arena_take(a, count, 1);
  row_reader_carve(&s->rows, a, n, shape->matrix == PERP_BLOCKS);
  s->K.table = s->o.sparse;
  s->K.dense = s->K.values = arena_take(a, capacity, d);
  s->K.index = arena_take(a, s->o.sparse == NULL ? 0 : capacity, sizeof(int32_t));
  s->K.start = arena_take(a, n + 1, sizeof(int32_t));
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* What the session answered; the observer's word is the last one. */
static void heed(friction_newton *s, perp_status limit) {
  if (limit != GO_ON && s->limit != PERP_STOPPED) s->limit = limit;
}

void perp_friction_newton_spend(friction_newton *s, double multiply_adds) {
  heed(s, perp_session_spend(s->run, multiply_adds));
}

static void velocity(friction_newton *s, int32_t k, double *u) {
  const contact *c = &s->contacts[k];
  const panel p = perp_friction_newton_rows(s, k);
  memcpy(u, s->run->problem->q + c->begin, (size_t)c->size * sizeof *u);
  for (int32_t e = 0; e < p.count; e++) {
    const double xe = s->x[p.column[e]], *v = p.value + p.ld * (size_t)e;
    for (int32_t i = 0; i < c->size; i++) u[i] += v[i] * xe;
  }
}

/* Projected Gauss–Seidel by block on x: one after the other,
 *
 *   λ_α := P_α( λ_α − ρ_α û_α ),   u_α = (M λ + q)_α  with the newest λ. */
static void sweep(friction_newton *s, int32_t sweeps) {
  for (int32_t r = 0; r < sweeps && s->limit == GO_ON; r++) {
    perp_friction_newton_spend(s, s->pass);
    for (int32_t k = 0; k < s->count; k++) {
      const contact *c = &s->contacts[k];
      double u[CONTACT_MOST];
      velocity(s, k, u);
      u[0] += contact_shift(c, u);
      for (int32_t i = 0; i < c->size; i++) s->x[c->begin + i] -= s->rho[k] * u[i];
      contact_project(c, s->run->lower, s->run->upper, s->x + c->begin, s->x + c->begin);
    }
  }
}

/* --- steps ----------------------------------------------------------------------------------- */

/* rho := factor / size. */
static void weigh(friction_newton *s, double factor) {
  for (int32_t k = 0; k < s->count; k++) s->rho[k] = factor / s->size[k];
}

/* Look at x: u, the residual, and whether it is the best point so far. PERP_OK: it solves the
 * problem; PERP_INACCURATE: it is no number; a limit; or GO_ON. */
static perp_status look(friction_newton *s) {
  perp_residual r;
  const int solves = perp_session_judge(s->run, &r);
  perp_friction_newton_spend(s, JUDGE * s->pass);
  s->relative = r.relative;
  if (!(r.relative <= DBL_MAX)) return PERP_INACCURATE;
  return solves ? PERP_OK : s->limit;
}

/* x += t d; the iteration is done. PERP_STOPPED by the observer; other limits are seen after the
 * next look. */
static perp_status move(friction_newton *s, double t) {
  for (int32_t i = 0; i < s->n; i++) s->x[i] += t * s->d[i];
  heed(s, perp_session_step(s->run, -1, -1, s->relative));
  return s->limit == PERP_STOPPED ? PERP_STOPPED : GO_ON;
}

static double trial(friction_newton *s, double t) {
  perp_friction_newton_spend(s, TRIAL * (double)s->n);
  for (int32_t i = 0; i < s->n; i++) {
    s->tx[i] = s->x[i] + t * s->d[i];
    s->tu[i] = s->u[i] + t * s->v[i];
  }
  return perp_friction_newton_merit(s, s->tx, s->tu);
}

/* The longest of 1, 1/2, 1/4, ... that brings the merit below the reference; 0: none does.
 * [Goldstein and Price]: nor so short that the merit falls by nearly all, the part most, that the
 * slope promises; between the two by bisection. most DBL_MAX: that does not matter. tx, tu are
 * those of the last trial. */
static double halve(friction_newton *s, double reference, double most) {
  double t = 1, low = 0, high = 0;
  for (int32_t i = 0; i < HALVINGS; i++) {
    const double theta = trial(s, t);
    if (!(theta <= reference - 2 * LEAST_DESCENT * t * s->theta)) {
      high = t;
    } else if (t < 1 && theta < s->theta * (1 - 2 * most * t)) {
      low = t;
    } else {
      return t;
    }
    t = 0.5 * (low + high);
  }
  return low;
}

static double search(friction_newton *s, double reference) {
  if (s->o.search == PERP_SEARCH_NONMONOTONE) return halve(s, reference, DBL_MAX);
  if (s->o.search == PERP_SEARCH_GOLDSTEIN_PRICE) return halve(s, reference, MOST_DESCENT);
  return trial(s, 1) <= reference ? 1 : 0;
}

/* The watchdog lets whole steps pass as long as within `history` of them the merit falls below that
 * of the marked point. Returns what the merit must not exceed; 0: its patience is at an end. */
static double watchdog(friction_newton *s) {
  if (s->theta < MARKED * s->mark_theta) {
    s->mark_theta = s->theta;
    s->since = 0;
  }
  return s->since++ > s->o.history ? 0 : WILD * s->mark_theta;
}

static double limit_of_merit(friction_newton *s) {
  if (s->o.search == PERP_SEARCH_WATCHDOG) return watchdog(s);
  if (s->o.search == PERP_SEARCH_NONE) return DBL_MAX;
  merits_remember(&s->merits, s->o.history, s->theta);
  return merits_largest(&s->merits, s->o.history);
}

/* After a whole step: less of the proximal term where the merit falls, most of all to a new low. */
static double weight_factor(const friction_newton *s) {
  const double theta = perp_friction_newton_merit(s, s->tx, s->tu);
  if (theta > s->theta) return 10;
  return theta <= s->mark_theta ? 0.1 : 0.3;
}

/* One step from the linearised point, of which the centre is that point. The proximal parameter
 * follows the residual; weight grows where a step does not serve. PERP_INACCURATE: no step. */
static perp_status step(friction_newton *s) {
  const double limit = limit_of_merit(s), relative = s->relative < 1 ? s->relative : 1;
  const int shifted = s->o.proximal > 0;
  perp_status status = GO_ON;
  double t = 0;
  for (int32_t tries = 0; tries < TRIES && t == 0 && limit > 0; tries++) {
    s->sigma = s->weight * relative;
    if (shifted && s->sigma < LEAST_SIGMA) s->sigma = LEAST_SIGMA;
    status = perp_friction_newton_direction(s);
    if (status == GO_ON) t = search(s, limit);
    if (status == PERP_EBACKEND) return status;
    if (!shifted) break;
    if (t == 0) s->weight = 10 * s->sigma / relative;
  }
  if (t == 1) s->weight *= weight_factor(s);
  if (shifted && s->weight < LEAST_WEIGHT) s->weight = LEAST_WEIGHT;
  return t > 0 ? move(s, t) : PERP_INACCURATE;
}

/* Newton's steps from x whose proximal centre goes along. PERP_INACCURATE: no further one. */
static perp_status fast(friction_newton *s) {
  s->merits.count = s->since = 0;
  s->mark_theta = (double)INFINITY;
  weigh(s, 1);
  for (;;) {
    perp_status status = look(s);
    if (status != GO_ON) return status;
    perp_friction_newton_linearise(s);
    status = step(s);
    if (status != GO_ON) return status;
  }
}

/* --- the proximal point method --------------------------------------------------------------- */

/* out += σ D away, what a way from the centre changes in u. Returns ½ ‖away‖² in the norm of D. */
static double pull(const friction_newton *s, const double *away, double *out) {
  double energy = 0;
  for (int32_t k = 0; k < s->count; k++)
    for (int32_t i = s->contacts[k].begin; i < s->contacts[k].begin + s->contacts[k].size; i++) {
      out[i] += s->sigma * s->size[k] * away[i];
      energy += 0.5 * s->size[k] * away[i] * away[i];
    }
  return energy;
}

/* GO_ON: solved as well as its centre deserves, in *steps. */
static perp_status approach(friction_newton *s, int32_t *steps) {
  for (*steps = 0;; ++*steps) {
    perp_status status = look(s);
    if (status != GO_ON) return status;
    for (int32_t i = 0; i < s->n; i++) s->tx[i] = s->x[i] - s->centre[i];
    const double energy = pull(s, s->tx, s->u);
    perp_friction_newton_linearise(s);
    if (*steps > 0 && s->theta <= INNER * s->sigma * s->sigma * energy) return GO_ON;
    if (*steps >= INNER_STEPS) return PERP_INACCURATE;
    status = perp_friction_newton_direction(s);
    if (status != GO_ON) return status;
    (void)pull(s, s->d, s->v);
    const double t = halve(s, s->theta, DBL_MAX);
    if (t == 0) return PERP_INACCURATE;
    if (move(s, t) != GO_ON) return PERP_STOPPED;
  }
}

/* By the steps that the last problem took. */
static double sigma_factor(int32_t steps) {
  return steps <= 3 ? 0.1 : steps <= 6 ? 0.3 : steps <= 10 ? 1 : 3;
}

static perp_status proximal_points(friction_newton *s) {
  double sigma = FIRST_SIGMA;
  while (sigma <= MOST_SIGMA) {
    int32_t steps;
    s->sigma = sigma;
    memcpy(s->centre, s->x, (size_t)s->n * sizeof *s->x);
    weigh(s, sigma < 1 ? 1 / sqrt(sigma) : 1 / sigma);
    const perp_status end = approach(s, &steps);
    weigh(s, 1);
    if (end == GO_ON) {
      sigma *= sigma_factor(steps);
      if (sigma < LEAST_SIGMA) sigma = LEAST_SIGMA;
      sweep(s, SWEEPS_ON);
    } else if (end == PERP_INACCURATE) {
      memcpy(s->x, s->centre, (size_t)s->n * sizeof *s->x);
      sigma *= 3;
      sweep(s, SWEEPS_BACK);
    } else {
      return end;
    }
  }
  return PERP_INACCURATE;
}

/* --- one start after the other --------------------------------------------------------------- */

/* size := Frobenius norm of the diagonal block, 1 where it is 0. */
static void measure(friction_newton *s) {
  block_reader reader = block_reader_open(&s->run->problem->M);
  double B[CONTACT_MOST * CONTACT_MOST];
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = &s->contacts[k];
    double sum = 0;
    perp_block_read(&s->run->problem->M, &reader, c->begin, c->size, B);
    for (int32_t i = 0; i < c->size * c->size; i++) sum += B[i] * B[i];
    s->size[k] = sqrt(sum);
    if (!(s->size[k] > 1e-150 && s->size[k] < 1e150)) s->size[k] = 1;
  }
}

static void project(friction_newton *s) {
  contacts_project(s->count, s->contacts, s->run->lower, s->run->upper, s->x, s->x);
}

/* The point of K next to 0: what there is where the start leads beyond all numbers. */
static void begin_at_zero(friction_newton *s) {
  memset(s->x, 0, (size_t)s->n * sizeof *s->x);
  project(s);
}

static int has_best(const friction_newton *s) { return s->run->best_merit <= DBL_MAX; }

/* Steps whose centre goes along, and where these stall, around centres that stay. */
static perp_status run_from(friction_newton *s) {
  s->weight = s->o.proximal;
  const perp_status end = fast(s);
  if (end != PERP_INACCURATE || !has_best(s) || s->o.proximal == 0) return end;
  perp_session_take_best(s->run);
  return proximal_points(s);
}

/* Where one function has no way on, sweeps and another one often have: from the best point, and in
 * every second attempt from that next to 0. */
static perp_status run_starts(friction_newton *s) {
  (void)look(s);
  if (!has_best(s)) begin_at_zero(s);
  perp_status end = run_from(s);
  /* without a best point a number of the problem is none */
  for (int32_t i = 0; i < RESTARTS && end == PERP_INACCURATE && has_best(s); i++) {
    s->o.function = (s->o.function + 1) % FUNCTIONS;
    if (i % 2 == 1)
      begin_at_zero(s);
    else
      perp_session_take_best(s->run);
    sweep(s, RESTART_SWEEPS);
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

static void begin(friction_newton *s) {
  perp_problem_contacts(s->run->problem, s->contacts);
  memset(s->inside, 0, (size_t)s->count);
  for (int32_t i = 0; i < s->n; i++) s->place[i] = -1;
  project(s);
  perp_friction_newton_rows_open(s);
  measure(s);
  weigh(s, 1);
  sweep(s, s->o.sweeps);
}

static perp_status start(void *state, session *run) {
  friction_newton *s = state;
  s->run = run;
  s->limit = GO_ON;
  s->n = run->n;
  s->x = run->lambda;
  s->u = run->y;
  if (s->o.max_iter == 0 && s->o.budget == 0) run->budget = default_work(s->n);
  if (s->o.max_iter == 0) run->max_iter = STEPS;
  begin(s);
  const perp_status end = run_starts(s);
  perp_factor_release(&s->K);
  if (end == PERP_STOPPED) perp_session_take_best(s->run);
  return end;
}

const perp_solver *perp_solver_friction_newton(void) {
  static const perp_method method = {.state = METHOD_STATE(friction_newton),
                                     .ranges = ranges,
                                     .needs = NEEDS_SHAPE | NEEDS_BOUNDS | NEEDS_BEST | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = CONTACT_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "friction-newton",
                                     .defaults = &defaults,
                                     .method = &method};
  return &solver;
}
