/* SPDX-License-Identifier: MIT */
/* ADMM on  −(W r + q + s) ∈ N_K(r),  s = (μ‖u_t‖ + μ_r‖u_m‖) n,  as a fixed point of one variable
 * w = z + ξ (Douglas and Rachford's splitting), in coordinates scaled by contact:
 *
 *   z = P_K(w),   ξ = w − z,                 so that u = −ρ ξ (tangentially) and −û = ρ ξ ∈ N_K(z)
 *   (W + ρI) r = ρ (z − ξ) − q − s(ρ ξ)
 *   w := w + α (r − z),                      accelerated by the steps before [Anderson 1965]
 *
 * z and ξ satisfy the laws exactly at every iteration; what is missing is the equation,
 * W z + q + s + ρ ξ = −(W + ρI)(r − z). A step that the acceleration made and that doubles ‖r − z‖
 * is taken back.
 *
 * ρ. Projected once more, the step r − z splits into Δz + Δξ. A large ρ makes directions slow in
 * which only z moves (contacts that stick), a small one those in which only ξ moves (contacts that
 * are open or slip): over a window of iterations the mean of ‖Δξ‖ / ‖Δz‖ tells which, and ρ is
 * multiplied by it where it is above 2 or below 1/2. */
#include "solver/admm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "problem/bounds.h"
#include "solver/contact_map.h"
#include "solver/interval.h"

enum { DEFAULT_ITERATIONS = 2000 };

/* An accelerated step may enlarge ‖r − z‖ by so much. */
#define TAKEN_BACK 2.0
/* The residual is asked for the first time where the own merit, which is a bound of it and not a
 * close one where W is singular, is above tol by so much. */
#define HOPEFUL 30.0
/* After a refusal the own merit must fall by what was missing, and by this. */
#define AGAIN 0.8
/* Iterations over which the balance is taken: powers of two; long where a factor costs many. */
enum { SHORT_WINDOW = 8, LONG_WINDOW = 16, LONGEST_WINDOW = 32 };
/* Iterations without progress after which the acceleration rests, and for how many. */
enum { PATIENCE = 40, SHORT_REST = 50, LONGEST_REST = 1600 };
/* Relaxation of the plain steps meanwhile. */
#define RELAXED 1.5
/* ρ is changed beyond this mean ratio, by at most MOST_CHANGE. */
#define UNBALANCED  2.0
#define MOST_CHANGE 10.0
/* Beyond the eigenvalues of a matrix whose diagonal is 1 no ρ is any good. */
#define LEAST_RHO 1e-4
#define MOST_RHO  10.0
/* A ratio of one iteration counts at most as much, squared. */
#define MOST_RATIO 1e6
/* De Saxcé's term of the outer fixed point is made anew when the merit has fallen to this part. */
#define INNER 0.1
/* ρ that was too small for a factor is multiplied by this, so many times. */
#define RAISE 4.0
enum { RAISES = 30 };

/* --- options --------------------------------------------------------------------------------- */

const perp_admm_options perp_admm_defaults = {.struct_size = (uint32_t)sizeof(perp_admm_options),
                                              .tol = PERP_DEFAULT_TOL,
                                              .kind = "perp_admm_options",
                                              .rho = 0.3,
                                              .relaxation = 1,
                                              .memory = 10,
                                              .updates = 20};

void perp_admm_options_init(perp_admm_options *opts, size_t size) {
  perp_options_fill(opts, size, &perp_admm_defaults, sizeof perp_admm_defaults);
}

const option_range perp_admm_ranges[] = {
    {FIELD(perp_admm_options, rho), OPTION_OPEN, 0, (double)INFINITY},
    {FIELD(perp_admm_options, relaxation), OPTION_OPEN, 0, 2},
    {FIELD(perp_admm_options, memory), OPTION_INT, 0, ANDERSON_MOST},
    {FIELD(perp_admm_options, updates), OPTION_INT, 0, INT32_MAX},
    {FIELD(perp_admm_options, outer), OPTION_INT, 0, 1},
    {FIELD(perp_admm_options, reserved), OPTION_INT, 0, 0},
    {FIELD(perp_admm_options, sparse), OPTION_SYMMETRIC, 0, 0},
    {0}};

/* --- contacts -------------------------------------------------------------------------------- */

static int32_t place_of(const admm *s, int32_t i) { return s->place == NULL ? i : s->place[i]; }

/* The point to the caller. */
static void hand_out(const admm *s) {
  for (int32_t i = 0; i < s->n; i++)
    s->run->lambda[i] = s->unit[place_of(s, i)] * s->z[place_of(s, i)];
}

/* z, and the right side of the linear system. */
static void split(admm *s) {
  const double rho = s->rho;
  double xi[5] = {0};
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    const double *w = s->w + c->begin, *q = s->q + c->begin;
    double *z = s->z + c->begin, *b = s->step + c->begin;
    contact_project(c, s->lower, s->upper, w, z);
    for (int32_t i = 0; i < c->size; i++) {
      xi[i] = w[i] - z[i];
      b[i] = rho * (z[i] - xi[i]) - q[i];
    }
    if (s->options->outer == 0) s->shift[c->begin] = rho * contact_shift(c, xi);
    if (c->set > PERP_SET_BOX) b[0] -= s->shift[c->begin];
  }
}

/* step := r − z from r, its norm, the merit, and one more factor of the balance. */
static double measure(admm *s) {
  double total = 0, merit = 0, moved_z = 0, moved_xi = 0, x[5] = {0};
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    const double *w = s->w + c->begin, *z = s->z + c->begin;
    double *f = s->step + c->begin, sum = 0;
    for (int32_t i = 0; i < c->size; i++) {
      f[i] -= z[i];
      x[i] = w[i] + f[i];
      sum += f[i] * f[i];
    }
    contact_project(c, s->lower, s->upper, x, x);
    for (int32_t i = 0; i < c->size; i++) {
      const double dz = x[i] - z[i], dxi = f[i] - dz;
      moved_z += dz * dz;
      moved_xi += dxi * dxi;
    }
    total += sum;
    const double size = sqrt(sum) / s->unit[c->begin];
    merit = interval_raise(merit, size);
  }
  s->run->merit = (1 + s->rho) * merit;
  const double ratio = moved_xi / moved_z;
  s->balance *= ratio < MOST_RATIO ? (ratio > 1 / MOST_RATIO ? ratio : 1 / MOST_RATIO) : MOST_RATIO;
  s->seen++;
  return sqrt(total);
}

/* --- ρ --------------------------------------------------------------------------------------- */

/* Factorise for this ρ, or a larger one. */
static perp_status factorise(admm *s) {
  for (int32_t k = 0; k < RAISES; k++) {
    const perp_status status = s->form->factorise(s);
    s->run->work += s->price;
    if (status == PERP_OK) return GO_ON;
    if (status == PERP_ENOTFINITE) return PERP_INACCURATE; /* the residual tells where */
    if (status != PERP_EINVAL) return status;
    s->rho *= RAISE;
    s->least_rho = s->rho;
  }
  return PERP_INACCURATE;
}

/* Another ρ for the same z and u = −ρ ξ. */
static perp_status change_rho(admm *s, double rho) {
  const double before = s->rho;
  rho = clip(rho, LEAST_RHO, MOST_RHO);
  if (!(rho > s->least_rho)) rho = s->least_rho;
  s->balance = 1;
  s->seen = 0;
  if (rho == before) return GO_ON;
  s->rho = rho;
  s->updates++;
  if (s->updates % 4 == 0 && s->window < LONGEST_WINDOW) s->window *= 2;
  const perp_status status = factorise(s);
  if (status != GO_ON) return status;
  contacts_project(s->count, s->contacts, s->lower, s->upper, s->w, s->z);
  for (int32_t i = 0; i < s->n; i++) s->w[i] = s->z[i] + (before / s->rho) * (s->w[i] - s->z[i]);
  anderson_reset(&s->past);
  s->accelerated = 0;
  s->before = INFINITY;
  return GO_ON;
}

/* The window is full: the mean of ‖Δξ‖ / ‖Δz‖ over it, whose length is a power of two. */
static perp_status rebalance(admm *s) {
  double mean = s->balance;
  for (int32_t k = s->window; k > 0; k /= 2) mean = sqrt(mean);
  s->balance = 1;
  s->seen = 0;
  if (mean <= UNBALANCED && mean * UNBALANCED >= 1) return GO_ON;
  mean = mean < MOST_CHANGE ? mean : MOST_CHANGE;
  return change_rho(s, s->rho * (mean * MOST_CHANGE > 1 ? mean : 1 / MOST_CHANGE));
}

/* --- the merit ------------------------------------------------------------------------------- */

/* Ask the judge. If it says no, the own merit must become smaller before it is asked again. */
static int confirmed(admm *s) {
  session *run = s->run;
  double relative = 0, scale = 0;
  hand_out(s);
  if (s->form->judge(s, &relative, &scale)) return 1;
  if (scale > s->scale) s->scale = scale;
  const double miss = relative > run->tol ? run->tol / relative : 1;
  run->factor = AGAIN * miss * (run->merit / (run->tol * s->scale));
  return 0;
}

static perp_status look(admm *s) {
  const session *run = s->run;
  if (!(run->merit <= DBL_MAX)) return PERP_INACCURATE;
  if (run->merit < run->best_merit) {
    hand_out(s);
    s->form->keep(s);
  }
  if (run->merit <= run->factor * run->tol * s->scale || run->merit == 0 || s->scale == 0) {
    if (confirmed(s)) return PERP_OK;
    if (run->merit == 0) return PERP_INACCURATE;
  }
  return GO_ON;
}

/* --- iteration ------------------------------------------------------------------------------- */

/* De Saxcé's term of the outer fixed point follows. */
static void follow(admm *s) {
  double u[5] = {0};
  if (s->inner_merit > 0 && !(s->run->merit <= INNER * s->inner_merit)) return;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    for (int32_t i = 0; i < c->size; i++) u[i] = s->rho * (s->w[c->begin + i] - s->z[c->begin + i]);
    s->shift[c->begin] = contact_shift(c, u);
  }
  s->inner_merit = 0; /* of the next iteration */
  anderson_reset(&s->past);
  s->accelerated = 0;
}

/* Whether this step is a plain one: where acceleration has not halved the merit for PATIENCE
 * iterations it rests, each time twice as long as before. */
static int rests(admm *s) {
  if (s->options->memory == 0) return 0;
  if (s->rest > 0) {
    if (--s->rest == 0) s->halved = s->run->merit, s->patience = PATIENCE;
    return 1;
  }
  if (s->run->merit <= 0.5 * s->halved) s->halved = s->run->merit, s->patience = PATIENCE;
  if (s->patience-- > 0) return 0;
  s->rest = s->resting;
  if (s->resting < LONGEST_REST) s->resting *= 2;
  anderson_reset(&s->past);
  return 1;
}

/* w := the next one. */
static void advance(admm *s, double norm) {
  if (s->accelerated && !(norm <= TAKEN_BACK * s->before)) {
    memcpy(s->w, s->past.g, (size_t)s->n * sizeof *s->w);
    anderson_reset(&s->past);
    s->accelerated = 0;
    s->before = INFINITY;
    return;
  }
  const int plain = rests(s);
  const double alpha = plain ? RELAXED : s->options->relaxation;
  if (alpha != 1)
    for (int32_t i = 0; i < s->n; i++) s->step[i] *= alpha;
  s->before = norm;
  s->accelerated = 0;
  if (!plain)
    s->accelerated = perp_anderson_step(&s->past, s->step, s->w);
  else
    for (int32_t i = 0; i < s->n; i++) s->w[i] += s->step[i];
}

perp_status perp_admm_iterate(void *state, session *run) {
  admm *s = state;
  split(s);
  perp_status status = s->form->solve(s);
  if (status != PERP_OK) return status;
  const double norm = measure(s);
  status = look(s);
  if (status != GO_ON) return status;
  if (s->options->outer != 0) {
    if (s->inner_merit == 0)
      s->inner_merit = run->merit;
    else
      follow(s);
  }
  advance(s, norm);
  return s->seen >= s->window && s->updates < s->options->updates ? rebalance(s) : GO_ON;
}

/* --- start ----------------------------------------------------------------------------------- */

void perp_admm_carve(admm *s, arena *a, const perp_shape *shape, const perp_admm_options *o) {
  double **const taken[] = {&s->unit,  &s->w,     &s->z,     &s->q, &s->step,
                            &s->shift, &s->lower, &s->upper, NULL};
  s->n = shape->n;
  s->count = shape->contacts;
  s->contacts = arena_take(a, (size_t)s->count, sizeof *s->contacts);
  arena_take_doubles(a, (size_t)s->n, taken);
  perp_anderson_carve(&s->past, a, s->n, o->memory);
}

void perp_admm_reset(admm *s, session *run, const admm_form *form) {
  s->form = form;
  s->run = run;
  s->options = run->options;
  s->rho = s->options->rho;
  s->window = SHORT_WINDOW;
  s->balance = 1;
  s->before = s->halved = INFINITY;
  s->patience = PATIENCE;
  s->resting = SHORT_REST;
  run->merit = INFINITY;
  run->factor = HOPEFUL;
}

void perp_admm_open(admm *s, session *run, const admm_form *form) {
  perp_admm_reset(s, run, form);
  if (s->options->max_iter == 0) run->max_iter = DEFAULT_ITERATIONS;
  perp_problem_contacts(run->problem, s->contacts);
}

void perp_admm_fill(admm *s, const double *d) {
  const perp_problem *laws = s->run->problem;
  double *lower = s->w, *upper = s->step;
  perp_problem_bounds(laws, lower, upper);
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t k = place_of(s, i);
    s->unit[k] = d[i];
    s->q[k] = d[i] * laws->q[i];
    s->lower[k] = lower[i] / d[i];
    s->upper[k] = upper[i] / d[i];
    if (fabs(laws->q[i]) > s->scale) s->scale = fabs(laws->q[i]);
  }
  for (int32_t c = 0; c < s->count; c++) s->contacts[c].begin = place_of(s, s->contacts[c].begin);
}

int perp_admm_begin(admm *s) {
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t k = place_of(s, i);
    s->z[k] = s->run->lambda[i] / s->unit[k];
  }
  contacts_project(s->count, s->contacts, s->lower, s->upper, s->z, s->z);
  hand_out(s);
  s->form->velocity(s);
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    double *u = s->w + c->begin;
    s->shift[c->begin] = contact_shift(c, u);
    u[0] += c->set > PERP_SET_BOX ? s->shift[c->begin] : 0;
  }
  for (int32_t i = 0; i < s->n; i++) s->w[i] = s->z[i] - s->w[i] / s->rho;
  return all_finite((size_t)s->n, s->w);
}

perp_status perp_admm_first_factor(admm *s) {
  const perp_status status = factorise(s);
  if (s->dear) s->window = LONG_WINDOW;
  return status;
}
