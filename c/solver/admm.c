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
#include "perp/admm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "problem/cone.h"
#include "problem/residual.h"
#include "solver/admm_system.h"
#include "solver/anderson.h"
#include "solver/interval.h"
#include "solver/options.h"

enum { DEFAULT_ITERATIONS = 2000, GO_ON = 100 };

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

static const perp_admm_options defaults = {(uint32_t)sizeof(perp_admm_options),
                                           0,
                                           PERP_DEFAULT_TOL,
                                           NULL,
                                           NULL,
                                           0.3,
                                           1,
                                           10,
                                           20,
                                           0,
                                           0,
                                           NULL};

void perp_admm_options_init(perp_admm_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check_table(const perp_sparse *table, perp_info *info) {
  if (table == NULL) return PERP_OK;
  const int whole = table->struct_size >= sizeof *table && table->factor != NULL &&
                    table->solve != NULL && table->release != NULL;
  return whole ? PERP_OK : fail_field(info, "sparse", -1);
}

static perp_status read_options(perp_admm_options *out, const void *in, perp_info *info) {
  *out = defaults;
  perp_status status = solver_options_read(out, sizeof *out, in, info);
  if (status != PERP_OK) return status;
  if (!(out->rho > 0 && out->rho <= DBL_MAX)) return fail(info, PERP_EINVAL, "rho", -1, out->rho);
  if (!(out->relaxation > 0 && out->relaxation < 2))
    return fail(info, PERP_EINVAL, "relaxation", -1, out->relaxation);
  if (out->memory < 0 || out->memory > ANDERSON_MOST)
    return fail(info, PERP_EINVAL, "memory", -1, out->memory);
  if (out->updates < 0) return fail(info, PERP_EINVAL, "updates", -1, out->updates);
  if (out->outer != 0 && out->outer != 1) return fail(info, PERP_EINVAL, "outer", -1, out->outer);
  if (out->reserved != 0) return fail(info, PERP_EINVAL, "reserved", -1, out->reserved);
  return check_table(out->sparse, info);
}

static perp_status check_options(const void *options, perp_info *info) {
  perp_admm_options o;
  return read_options(&o, options, info);
}

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct admm {
  const perp_problem *problem;
  perp_admm_options options;
  admm_system system;
  anderson past;
  contact *contacts; /* begin is where they stand in the order of the system             */
  int32_t n, count;
  double rho, least_rho; /* below the second there is no factor                              */
  int32_t updates;       /* done                                                             */
  int32_t window, seen;  /* iterations over which the balance is taken, and that are in it   */
  double balance; /* product of ‖Δξ‖² / ‖Δz‖² over them                               */
  int accelerated; /* the present w was                                                */
  double before;   /* ‖r − z‖ of the step before, infinity if there is none            */
  double merit, best_merit, inner_merit;
  double halved;         /* merit from which the next half counts as progress                */
  int32_t patience;      /* iterations left for that                                         */
  int32_t rest, resting; /* plain ones left, and how many the next time                      */
  double scale;  /* of y, as far as it is known                                            */
  double factor; /* by how much the own merit must be below tol, learned                   */
  double *w, *z, *q, *step, *shift; /* n each; step: right side, r, r − z                      */
  double *lower, *upper;            /* n each                                                  */
  double *best;                     /* n: z                                                    */
  double *lambda, *y;               /* the caller's                                            */
  double *scratch;                  /* of the residual; 2 n free between two of these          */
} admm;

static void carve(admm *s, arena *a, const perp_shape *shape, const perp_admm_options *o) {
  const size_t n = (size_t)shape->n, d = sizeof(double);
  s->contacts = arena_take(a, (size_t)shape->contacts, sizeof *s->contacts);
  s->w = arena_take(a, n, d);
  s->z = arena_take(a, n, d);
  s->q = arena_take(a, n, d);
  s->step = arena_take(a, n, d);
  s->shift = arena_take(a, n, d);
  s->lower = arena_take(a, n, d);
  s->upper = arena_take(a, n, d);
  s->best = arena_take(a, n, d);
  s->scratch = arena_take(a, residual_scratch_doubles(shape->n), d);
  perp_anderson_carve(&s->past, a, shape->n, o->memory);
  perp_admm_carve(&s->system, a, shape, o->sparse);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  admm s;
  perp_admm_options o;
  if (shape->n < 0 || read_options(&o, options, NULL) != PERP_OK) return 0;
  arena a = arena_measure();
  carve(&s, &a, shape, &o);
  return arena_bytes(&a);
}

/* --- contacts -------------------------------------------------------------------------------- */

/* p := P_K(x) of one contact. */
static inline void project(const admm *s, const contact *c, const double *x, double *p) {
  if (c->set == PERP_SET_CONE) {
    cone_project(c->size, c->mu, x, p);
  } else if (c->set == PERP_SET_ROLLING) {
    perp_rolling_project(c->size, c->mu, c->mu_rolling, x, p);
  } else {
    p[0] = clip(x[0], s->lower[c->begin], s->upper[c->begin]);
  }
}

/* De Saxcé's term of one contact whose velocity is u. */
static inline double desaxce(const contact *c, const double *u) {
  if (c->set == PERP_SET_CONE) return c->mu * cone_norm(c->size - 1, u + 1);
  if (c->set != PERP_SET_ROLLING) return 0;
  const int32_t half = (c->size - 1) / 2;
  return c->mu * cone_norm(half, u + 1) + c->mu_rolling * cone_norm(half, u + 1 + half);
}

/* z, and the right side of the linear system but for the part of M that is not symmetric. */
static void split(admm *s) {
  const double rho = s->rho;
  double xi[5];
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    const double *w = s->w + c->begin, *q = s->q + c->begin;
    double *z = s->z + c->begin, *b = s->step + c->begin;
    project(s, c, w, z);
    for (int32_t i = 0; i < c->size; i++) {
      xi[i] = w[i] - z[i];
      b[i] = rho * (z[i] - xi[i]) - q[i];
    }
    if (s->options.outer == 0) s->shift[c->begin] = rho * desaxce(c, xi);
    if (c->set > PERP_SET_BOX) b[0] -= s->shift[c->begin];
  }
}

/* step := r − z from r, its norm, the merit, and one more factor of the balance. */
static double measure(admm *s) {
  double total = 0, merit = 0, moved_z = 0, moved_xi = 0, x[5];
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    const double *w = s->w + c->begin, *z = s->z + c->begin;
    double *f = s->step + c->begin, sum = 0;
    for (int32_t i = 0; i < c->size; i++) {
      f[i] -= z[i];
      x[i] = w[i] + f[i];
      sum += f[i] * f[i];
    }
    project(s, c, x, x);
    for (int32_t i = 0; i < c->size; i++) {
      const double dz = x[i] - z[i], dxi = f[i] - dz;
      moved_z += dz * dz;
      moved_xi += dxi * dxi;
    }
    total += sum;
    const double size = sqrt(sum) / s->system.d[c->block]; /* block: see bring_to_order() */
    merit = interval_raise(merit, size);
  }
  s->merit = (1 + s->rho) * merit;
  const double ratio = moved_xi / moved_z;
  s->balance *= ratio < MOST_RATIO ? (ratio > 1 / MOST_RATIO ? ratio : 1 / MOST_RATIO) : MOST_RATIO;
  s->seen++;
  return sqrt(total);
}

/* --- the linear system ----------------------------------------------------------------------- */

/* Factorise for this ρ, or a larger one. */
static perp_status factorise(admm *s) {
  for (int32_t k = 0; k < RAISES; k++) {
    const perp_status status = perp_admm_factor(&s->system, s->rho);
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
  if (status != PERP_OK) return status;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    project(s, c, s->w + c->begin, s->z + c->begin);
  }
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

/* --- looks at the residual ------------------------------------------------------------------- */

static void hand_out(const admm *s, const double *z) {
  for (int32_t i = 0; i < s->n; i++) s->lambda[i] = s->system.d[i] * z[s->system.place[i]];
}

/* The judge's residual at z. If it says no, the own merit must become smaller before it is asked
 * again. */
static int confirmed(admm *s) {
  perp_residual r;
  hand_out(s, s->z);
  perp_residual_compute(s->problem, s->lambda, s->y, &r, s->scratch);
  if (perp_residual_solved(&r, s->options.tol)) return 1;
  if (r.scale > s->scale) s->scale = r.scale;
  const double miss = r.relative > s->options.tol ? s->options.tol / r.relative : 1;
  s->factor = AGAIN * miss * (s->merit / (s->options.tol * s->scale));
  return 0;
}

static perp_status look(admm *s) {
  if (!(s->merit <= DBL_MAX)) return PERP_INACCURATE;
  if (s->merit < s->best_merit) {
    memcpy(s->best, s->z, (size_t)s->n * sizeof *s->best);
    s->best_merit = s->merit;
  }
  if (s->merit <= s->factor * s->options.tol * s->scale || s->merit == 0) {
    if (confirmed(s)) return PERP_OK;
    if (s->merit == 0) return PERP_INACCURATE;
  }
  return GO_ON;
}

/* --- iteration ------------------------------------------------------------------------------- */

/* De Saxcé's term of the outer fixed point follows. */
static void follow(admm *s) {
  double u[5];
  if (s->inner_merit > 0 && !(s->merit <= INNER * s->inner_merit)) return;
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    for (int32_t i = 0; i < c->size; i++) u[i] = s->rho * (s->w[c->begin + i] - s->z[c->begin + i]);
    s->shift[c->begin] = desaxce(c, u);
  }
  s->inner_merit = 0; /* of the next iteration */
  anderson_reset(&s->past);
  s->accelerated = 0;
}

/* Whether this step is a plain one: where acceleration has not halved the merit for PATIENCE
 * iterations it rests, each time twice as long as before. */
static int rests(admm *s) {
  if (s->options.memory == 0) return 0;
  if (s->rest > 0) {
    if (--s->rest == 0) s->halved = s->merit, s->patience = PATIENCE;
    return 1;
  }
  if (s->merit <= 0.5 * s->halved) s->halved = s->merit, s->patience = PATIENCE;
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
  const double alpha = plain ? RELAXED : s->options.relaxation;
  if (alpha != 1)
    for (int32_t i = 0; i < s->n; i++) s->step[i] *= alpha;
  s->before = norm;
  s->accelerated = 0;
  if (!plain)
    s->accelerated = perp_anderson_step(&s->past, s->step, s->w);
  else
    for (int32_t i = 0; i < s->n; i++) s->w[i] += s->step[i];
}

static perp_status iterate(admm *s) {
  split(s);
  perp_admm_subtract_skew(&s->system, s->z, s->step);
  perp_status status = perp_admm_solve(&s->system, s->step);
  if (status != PERP_OK) return status;
  const double norm = measure(s);
  status = look(s);
  if (status != GO_ON) return status;
  if (s->options.outer != 0) {
    if (s->inner_merit == 0)
      s->inner_merit = s->merit;
    else
      follow(s);
  }
  advance(s, norm);
  return s->seen >= s->window && s->updates < s->options.updates ? rebalance(s) : GO_ON;
}

static perp_status run(admm *s, perp_info *info) {
  int32_t done = 0;
  perp_status status = factorise(s);
  if (status == PERP_OK) status = GO_ON;
  if (perp_admm_dear(&s->system)) s->window = LONG_WINDOW;
  for (int32_t k = 0; k < s->options.max_iter && status == GO_ON; k++) {
    status = iterate(s);
    done = k + 1;
    const perp_iterate it = {k, -1, -1, s->merit};
    if (s->options.observe != NULL && s->options.observe(&it, s->options.user) != 0)
      status = PERP_STOPPED;
  }
  if (status == GO_ON) status = PERP_MAX_ITER;
  if (status != PERP_OK && s->best_merit <= DBL_MAX) hand_out(s, s->best);
  if (info_ready(info)) info->iterations = done;
  return status;
}

/* --- the solver ------------------------------------------------------------------------------ */

/* Contacts, q and bounds to the order and scale of the system. Of a contact, block is where its
 * number of D stands from now on. */
static void bring_to_order(admm *s) {
  const admm_system *m = &s->system;
  double *lower = s->scratch, *upper = s->scratch + s->n;
  perp_problem_bounds(s->problem, lower, upper);
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t k = m->place[i];
    s->q[k] = m->d[i] * s->problem->q[i];
    s->lower[k] = lower[i] / m->d[i];
    s->upper[k] = upper[i] / m->d[i];
    if (fabs(s->problem->q[i]) > s->scale) s->scale = fabs(s->problem->q[i]);
  }
  for (int32_t c = 0; c < s->count; c++) {
    s->contacts[c].block = s->contacts[c].begin;
    s->contacts[c].begin = m->place[s->contacts[c].begin];
  }
}

/* w = z − û / ρ at z = P(λ). 0 if that is no number. */
static int start(admm *s, const double *lambda) {
  const admm_system *m = &s->system;
  double x[5];
  for (int32_t i = 0; i < s->n; i++) s->z[m->place[i]] = lambda[i] / m->d[i];
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    project(s, c, s->z + c->begin, x);
    memcpy(s->z + c->begin, x, (size_t)c->size * sizeof *x);
  }
  hand_out(s, s->z);
  memcpy(s->y, s->problem->q, (size_t)s->n * sizeof *s->y);
  perp_matrix_multiply_add(&s->problem->M, s->lambda, s->y);
  for (int32_t i = 0; i < s->n; i++) s->w[m->place[i]] = m->d[i] * s->y[i];
  for (int32_t k = 0; k < s->count; k++) {
    const contact *c = s->contacts + k;
    double *u = s->w + c->begin;
    s->shift[c->begin] = desaxce(c, u);
    u[0] += c->set > PERP_SET_BOX ? s->shift[c->begin] : 0;
  }
  for (int32_t i = 0; i < s->n; i++) s->w[i] = s->z[i] - s->w[i] / s->rho;
  return all_finite((size_t)s->n, s->w);
}

static perp_status open_workspace(admm *s, const perp_problem *problem, double *lambda, double *y,
                                  void *work, size_t work_bytes) {
  perp_shape shape;
  const perp_admm_options o = s->options;
  perp_problem_shape(problem, &shape);
  arena a = arena_open(work, work_bytes);
  memset(s, 0, sizeof *s);
  carve(s, &a, &shape, &o);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  s->options = o;
  s->problem = problem;
  s->n = problem->n;
  s->count = shape.contacts;
  s->lambda = lambda;
  s->y = y;
  s->system.M = &problem->M;
  s->system.table = o.sparse;
  s->system.n = problem->n;
  s->rho = o.rho;
  s->window = SHORT_WINDOW;
  s->balance = 1;
  s->before = s->best_merit = s->halved = INFINITY;
  s->patience = PATIENCE;
  s->resting = SHORT_REST;
  s->factor = HOPEFUL;
  if (o.max_iter == 0) s->options.max_iter = DEFAULT_ITERATIONS;
  return PERP_OK;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  admm s;
  (void)warm;
  perp_status status = read_options(&s.options, options, info);
  if (status != PERP_OK || problem->n == 0) return status;
  status = open_workspace(&s, problem, lambda, y, work, work_bytes);
  if (status != PERP_OK) return fail(info, status, "work_bytes", -1, (double)work_bytes);
  perp_problem_contacts(problem, s.contacts);
  perp_admm_prepare(&s.system, s.contacts, s.count, s.scratch);
  bring_to_order(&s);
  if (!start(&s, lambda)) { /* of no use: an infinity comes of it */
    memset(lambda, 0, (size_t)s.n * sizeof *lambda);
    (void)start(&s, lambda);
  }
  status = run(&s, info);
  perp_admm_release(&s.system);
  if (status == PERP_EUNSUPPORTED) return fail(info, status, "M", -1, 0);
  if (status == PERP_EBACKEND) return fail(info, status, "sparse", -1, 0);
  return status;
}

const perp_solver *perp_solver_admm(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX |
              1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
      .name = "admm",
      .check = check_options,
      .workspace = workspace,
      .solve = solve};
  return &solver;
}

/* --- plain arrays ---------------------------------------------------------------------------- */

size_t perp_lcp_admm_workspace(int32_t n) {
  return perp_lcp_workspace(perp_solver_admm(), n, NULL);
}

perp_status perp_lcp_admm(const perp_lcp *problem, const perp_admm_options *opts, double *z,
                          double *w, void *work, size_t work_bytes, perp_info *info) {
  return perp_lcp_solve(perp_solver_admm(), problem, opts, z, w, work, work_bytes, info);
}

size_t perp_mlcp_admm_workspace(int32_t n) {
  return perp_mlcp_workspace(perp_solver_admm(), n, NULL);
}

perp_status perp_mlcp_admm(const perp_mlcp *problem, const perp_admm_options *opts, double *z,
                           double *w, void *work, size_t work_bytes, perp_info *info) {
  return perp_mlcp_solve(perp_solver_admm(), problem, opts, z, w, work, work_bytes, info);
}
