/* SPDX-License-Identifier: MIT */
/* The pivotal method for  −(M λ + q) ∈ N_[l,u](λ)  as a solver: options, memory, warm start, what
 * is done with the end of a path, and the proximal loop.
 *
 * Order: the basis of the warm modes, the path from it, the path from the beginning. Where that
 * ends on a ray or a basis without sense, the ray may be a certificate; otherwise, if M may be
 * monotone (M_ii >= 0 and (M_ij + M_ji)² <= 4 M_ii M_jj for all i, j), λ^{k+1} solves the problem
 * of M + σ P, q − σ P λ^k,    P = R C^-1 from the equilibration, which has no singular basis,
 * converges where there is a solution and goes along a certificate where there is none. Source of
 * the loop: Rockafellar, SIAM J. Control Optim. 14 (1976) 877-898. */
#include "perp/pivoting.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "solver/box_path.h"
#include "solver/lemke.h"
#include "solver/mode.h"
#include "solver/sweeps.h"
#include "solver/warm.h"

/* ---- the point of a basis ---- */

/* For a basis with the free set F, by corrections until nothing is left of
 *   y_F = M_F. λ + q_F + σ P (λ − center)_F,
 * each from M and q themselves, so that errors of the path or the factor do not count. */

/* What counts as rounding in equilibrated units, and a remainder that one correction settles. */
static const double rounding = 0x1p-40, settled = 0x1p-30;

enum { ROUNDS = 4, PROXIMAL_STEPS = 100 };

/* y := M λ + q with the shift. */
static void image(const box_path *p, const double *lambda, double *y) {
  const box_data *data = p->data;
  const int32_t n = p->n;
  memcpy(y, data->q, (size_t)n * sizeof *y);
  /* half of λ is 0 at a solution, of most circuits more */
  (void)perp_multiply_add_sparsely(data->M, lambda, y);
  for (int32_t i = 0; i < n && data->shift != 0; i++)
    y[i] += data->shift * p->f.R[i] / p->f.C[i] * (lambda[i] - data->center[i]);
}

/* Size of λ and q in equilibrated units. */
static double magnitude(const box_path *p, const double *lambda) {
  double largest = 0;
  for (int32_t i = 0; i < p->n; i++) {
    const double a = fabs(p->data->q[i] / p->f.R[i]), b = fabs(lambda[i] / p->f.C[i]);
    if (a > largest) largest = a;
    if (b > largest) largest = b;
  }
  return largest;
}

/* Largest y of the basis. NaN comes out. */
static double remainder_of(const box_path *p, const unsigned char *modes, const double *y) {
  double largest = 0;
  for (int32_t i = 0; i < p->n; i++) {
    if (modes[i] != PERP_MODE_FREE) continue;
    const double r = fabs(y[i]) / p->f.R[i];
    if (!(r <= largest)) largest = r;
    if (r != r) return r;
  }
  return largest;
}

typedef void correct_fn(box_path *p, const double *y, double *lambda);

static int refine(box_path *p, const unsigned char *modes, double *lambda, double *y, int32_t first,
                  correct_fn *correct) {
  for (int32_t round = first; round < ROUNDS; round++) {
    image(p, lambda, y);
    const double left = remainder_of(p, modes, y), size = magnitude(p, lambda);
    if (!(left <= DBL_MAX)) return 0;
    const int last = round > 0 && left <= settled * size;
    if (left > 0) correct(p, y, lambda);
    if (last || left == 0) return 1;
  }
  return 0;
}

int perp_box_basis_refine(box_path *p, const unsigned char *modes, double *lambda, double *y) {
  return refine(p, modes, lambda, y, 1, perp_box_path_correct);
}

int perp_box_basis_factor(box_path *p, const perp_matrix *M, double shift,
                          const unsigned char *modes) {
  if (!perp_box_factor_load(&p->f, M, shift)) return 0;
  memset(box_column(&p->f, p->n), 0, 2 * (size_t)p->n * sizeof(double));
  for (int32_t i = 0; i < p->n; i++) p->chosen[i] = modes[i] == PERP_MODE_FREE;
  return perp_box_factor_eliminate(&p->f, p->chosen, 0) == 0;
}

void perp_box_basis_correct(box_path *p, const double *y, double *x) {
  for (int32_t i = 0; i < p->n; i++) p->v[i] = p->chosen[i] ? y[i] / p->f.R[i] : 0;
  perp_box_factor_forward(&p->f, p->v);
  perp_box_factor_back(&p->f, p->v, p->x);
  for (int32_t i = 0; i < p->n; i++)
    if (p->chosen[i]) x[i] += p->f.C[i] * p->x[i];
}

int perp_box_basis_point(box_path *p, const box_data *data, const unsigned char *modes,
                         double *lambda, double *y) {
  p->data = data;
  if (!perp_box_basis_factor(p, data->M, data->shift, modes)) return 0;
  for (int32_t i = 0; i < p->n; i++) {
    lambda[i] = p->chosen[i] ? 0 : mode_bound(modes[i], data->lower[i], data->upper[i]);
    if (!is_finite(lambda[i])) return 0; /* a free unknown that the path found no place for */
  }
  return refine(p, modes, lambda, y, 0, perp_box_basis_correct);
}

/* Whether λ and y (from one of the above) violate no bound beyond rounding; λ is moved into its
 * bounds. */
static int feasible(const box_path *p, const unsigned char *modes, double *lambda,
                    const double *y) {
  const box_data *data = p->data;
  const double slack = rounding * magnitude(p, lambda);
  for (int32_t i = 0; i < p->n; i++) {
    const double l = data->lower[i], u = data->upper[i], R = p->f.R[i], C = p->f.C[i];
    if (modes[i] == PERP_MODE_FREE) {
      if (!(lambda[i] >= l - slack * C && lambda[i] <= u + slack * C)) return 0;
      if (lambda[i] < l) lambda[i] = l;
      if (lambda[i] > u) lambda[i] = u;
    } else if (l < u) {
      const double inside = modes[i] == PERP_MODE_UPPER ? -y[i] : y[i];
      if (!(inside >= -slack * R)) return 0;
    }
  }
  return 1;
}

/* ---- options, state ---- */

static const perp_box_pivoting_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_box_pivoting_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_box_pivoting_options",
    .proximal = 1e-6};

void perp_box_pivoting_options_init(perp_box_pivoting_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_box_pivoting_options, proximal), OPTION_OPEN, 0, (double)INFINITY}, {0}};

typedef struct box_pivoting {
  box_path path;
  box_data data;
  session *run;
  double *center, *best; /* n each: of the proximal loop; a ray        */
  unsigned char *mode;   /* n                                          */
  int32_t known;         /* whether they are of the last proximal step */
} box_pivoting;

/* Beside the statuses: a point, but not one that was confirmed. */
enum { DOUBTFUL = 1000 };

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  box_pivoting *b = state;
  const size_t n = (size_t)shape->n;
  (void)options;
  perp_box_path_carve(&b->path, a, shape->n);
  b->center = arena_take(a, n, 2 * sizeof(double)); /* best behind */
  b->mode = arena_take(a, n, 1);
}

/* ---- one problem ---- */

static int solves_basis(box_pivoting *b) {
  const session *r = b->run;
  return perp_box_basis_point(&b->path, &b->data, b->mode, r->lambda, r->y) &&
         feasible(&b->path, b->mode, r->lambda, r->y);
}

/* λ and the modes from the end of the path. */
static perp_status take_end(box_pivoting *b) {
  box_path *p = &b->path;
  const session *r = b->run;
  const size_t bytes = (size_t)p->n * sizeof *b->best;
  perp_box_path_point(p, r->lambda);
  perp_box_path_modes(p, b->mode);
  for (int32_t i = 0; i < p->n; i++)
    if (b->mode[i] == PERP_MODE_UNKNOWN) return DOUBTFUL;
  if (p->missing == 0 && perp_box_basis_refine(p, b->mode, r->lambda, r->y) &&
      feasible(p, b->mode, r->lambda, r->y))
    return PERP_OK;
  memcpy(b->best, r->lambda, bytes);
  if (solves_basis(b)) return PERP_OK;
  memcpy(r->lambda, b->best, bytes);
  return DOUBTFUL;
}

/* Multiply-adds of an elimination. */
static perp_status spend_factor(const box_pivoting *b) {
  const double n = b->path.n;
  return perp_session_spend(b->run, n * n * n / 3);
}

/* Follow the path from the modes (NULL: from the beginning), within so many pivots in all. */
static perp_status pivot_from(box_pivoting *b, const unsigned char *modes, int32_t limit) {
  const perp_box_pivoting_options *o = b->run->options;
  const session *r = b->run;
  box_path *p = &b->path;
  p->limit = limit;
  if (!perp_box_path_open(p, &b->data, modes, o->covering, NULL)) return PERP_INACCURATE;
  if (modes != NULL && p->missing > 0) return PERP_RAY;
  const perp_status status = spend_factor(b);
  if (status != GO_ON) return status;
  const int end = perp_box_path_follow(p);
  if (end == BOX_SOLVED) return take_end(b);
  perp_box_path_point(p, r->lambda);
  clip_all(r->n, r->lambda, r->lower, r->upper);
  return end == BOX_RAY ? PERP_RAY : end == BOX_LIMIT ? PERP_MAX_ITER : PERP_STOPPED;
}

static perp_status solve_once(box_pivoting *b) {
  const session *r = b->run;
  if (warm_known(r->warm, r->n)) {
    int any = 0; /* unknown with bounds that is basic */
    perp_modes_at_bounds(r, b->mode);
    for (int32_t i = 0; i < r->n; i++)
      any |= b->mode[i] != PERP_MODE_LOWER && (r->lower[i] >= -DBL_MAX || r->upper[i] <= DBL_MAX);
    if (solves_basis(b)) return PERP_OK;
    if (any) { /* half of the pivots, so that enough are left for the beginning */
      const perp_status status = pivot_from(b, b->mode, r->max_iter / 2);
      if (status == PERP_OK || status == PERP_STOPPED) return status;
    }
  }
  return pivot_from(b, NULL, r->max_iter);
}

/* ---- where it fails ---- */

/* Whether all principal minors of order one and two of M + Mᵀ may be >= 0. */
static int may_be_monotone(const perp_matrix *M) {
  for (int32_t j = 0; j < M->rows; j++) {
    const double d = perp_matrix_entry(M, j, j);
    if (!(d >= 0)) return 0;
    for (int32_t i = 0; i < j; i++) {
      const double a = perp_matrix_entry(M, i, j), c = perp_matrix_entry(M, j, i);
      const double e = perp_matrix_entry(M, i, i), slack = 0x1p-44 * (fabs(a) + fabs(c));
      if (!(fabs(a + c) <= 2 * sqrt(d) * sqrt(e) * (1 + 0x1p-44) + slack)) return 0;
    }
  }
  return 1;
}

/* A step of the proximal loop: from the modes of the last one, if σ is the same, or from the
 * beginning. Whatever point it comes to will do. */
static perp_status proximal_step(void *self, double shift, const double *q) {
  box_pivoting *b = self;
  const int known = b->known && shift == b->data.shift;
  (void)q; /* the data have their own way to say it */
  b->data.shift = shift;
  perp_status status = spend_factor(b);
  if (status == GO_ON)
    status = known && solves_basis(b) ? PERP_OK : pivot_from(b, NULL, b->run->max_iter);
  b->known = status == PERP_OK;
  if (status != PERP_STOPPED && status != PERP_MAX_ITER) return PERP_OK;
  memcpy(b->run->lambda, b->center, (size_t)b->path.n * sizeof *b->center);
  return status;
}

static perp_status run_proximal(box_pivoting *b) {
  const perp_box_pivoting_options *o = b->run->options;
  b->data.center = b->center;
  const proximal p = {b->run,         b,         proximal_step, o->proximal, 1e-10,
                      PROXIMAL_STEPS, b->center, NULL};
  const perp_status status = perp_proximal_run(&p);
  const int steps_alone = status == PERP_MAX_ITER && perp_session_limits(b->run) == GO_ON;
  return steps_alone ? PERP_INACCURATE : status;
}

/* What else can be done after a ray or a doubtful point. */
static perp_status rescue(box_pivoting *b, perp_status status) {
  if (perp_session_confirmed(b->run)) return PERP_OK;
  if (status == PERP_RAY) {
    perp_box_path_ray(&b->path, b->best);
    info_ray(b->run->info, PERP_RAY_SECONDARY, b->path.n, b->best);
    if (perp_direction_proves(b->run, b->best, b->run->scratch)) return PERP_INFEASIBLE;
  }
  if (!may_be_monotone(b->data.M)) return status == PERP_RAY ? PERP_RAY : PERP_INACCURATE;
  const perp_status outcome = run_proximal(b);
  return outcome == PERP_INACCURATE && status == PERP_RAY ? PERP_RAY : outcome;
}

/* ---- the solver ---- */

static perp_status start(void *state, session *run) {
  box_pivoting *b = state;
  const perp_problem *problem = run->problem;
  const box_data data = {&problem->M, problem->q, run->lower, run->upper, NULL, 0};
  perp_status status = perp_lemke_check_covering(
      ((const perp_box_pivoting_options *)run->options)->covering, run->n, run->info);
  if (status != PERP_OK) return status;
  run->max_iter = pivot_limit(run->common->max_iter, run->n);
  b->run = b->path.run = run;
  b->best = b->center + run->n;
  b->data = data;
  memset(run->lambda, 0, (size_t)run->n * sizeof *run->lambda);
  clip_all(run->n, run->lambda, run->lower, run->upper);
  status = solve_once(b);
  /* of a singular M a basis may be far out, where its point passes but for the amplification */
  if (status == PERP_OK && !perp_session_confirmed(run)) status = DOUBTFUL;
  return status == PERP_RAY || status == DOUBTFUL ? rescue(b, status) : status;
}

static perp_status finish(void *state, session *run, perp_status status) {
  const box_pivoting *b = state;
  if (status == PERP_OK) warm_keep_modes(run->warm, run->n, b->mode);
  return status;
}

const perp_solver *perp_solver_box_pivoting(void) {
  static const perp_method method = {.state = METHOD_STATE(box_pivoting),
                                     .ranges = ranges,
                                     .needs = NEEDS_BOUNDS | NEEDS_JUDGE | NO_START,
                                     .carve = carve,
                                     .start = start,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "box-pivoting",
                                     .defaults = &defaults,
                                     .warm_bytes = warm_shape_bytes,
                                     .method = &method};
  return &solver;
}
