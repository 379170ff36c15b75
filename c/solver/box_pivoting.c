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
#include "problem/bounds.h"
#include "problem/certificate.h"
#include "problem/residual.h"
#include "solver/box_basis.h"
#include "solver/options.h"
#include "solver/warm.h"

enum { PROXIMAL_STEPS = 100 };

/* Least σ, and how much the merit must fall in a step for σ to stay. */
#define SHIFT_LEAST 1e-10
#define FALL        0.2

typedef struct box_pivoting {
  box_path path;
  box_data data;
  perp_box_pivoting_options o;
  const perp_problem *problem;
  double *lower, *upper; /* n each                                     */
  double *center, *best; /* n each: of the proximal loop; a ray        */
  double *scratch;       /* of the residual                            */
  double *lambda, *y;    /* the caller's                               */
  unsigned char *modes;  /* n                                          */
  int32_t limit;         /* pivots of the whole solve                  */
} box_pivoting;

/* Beside the statuses: a point, but not one that was confirmed. */
enum { DOUBTFUL = 1000 };

/* ---- options and memory ---- */

static const perp_box_pivoting_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_box_pivoting_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_box_pivoting_options",
    .proximal = 1e-6};

void perp_box_pivoting_options_init(perp_box_pivoting_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check(const void *options, perp_info *info) {
  const perp_box_pivoting_options *o = options;
  if (!(o->proximal > 0 && o->proximal <= DBL_MAX))
    return fail(info, PERP_EINVAL, "proximal", -1, o->proximal);
  return PERP_OK;
}

static perp_status check_covering(const double *d, int32_t n, perp_info *info) {
  for (int32_t i = 0; d != NULL && i < n; i++) {
    if (!is_finite(d[i])) return fail(info, PERP_ENOTFINITE, "covering", i, d[i]);
    if (!(d[i] > 0)) return fail(info, PERP_EINVAL, "covering", i, d[i]);
  }
  return PERP_OK;
}

static void carve(box_pivoting *b, arena *a, int32_t n) {
  const size_t m = (size_t)n;
  perp_box_path_carve(&b->path, a, n);
  b->lower = arena_take(a, m, 4 * sizeof(double));
  b->scratch = arena_take(a, residual_scratch_doubles(n), sizeof(double));
  b->modes = arena_take(a, m, 1);
  if (b->lower == NULL) return;
  b->upper = b->lower + m;
  b->center = b->upper + m;
  b->best = b->center + m;
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  if (shape->n < 0) return 0;
  box_pivoting b;
  arena a = arena_measure();
  carve(&b, &a, shape->n);
  return arena_bytes(&a);
}

static size_t warm_bytes(const perp_shape *shape) {
  return shape->n < 0 ? 0 : warm_modes_bytes(shape->n);
}

/* ---- one problem ---- */

/* Whether λ solves the caller's problem. */
static int confirmed(box_pivoting *b, double *relative) {
  perp_residual r;
  perp_residual_compute(b->problem, b->lambda, b->y, &r, b->scratch);
  *relative = r.relative;
  return perp_residual_solved(&r, b->o.tol);
}

/* λ and the modes from the end of the path. */
static perp_status finish(box_pivoting *b) {
  box_path *p = &b->path;
  perp_box_path_point(p, b->lambda);
  perp_box_path_modes(p, b->modes);
  for (int32_t i = 0; i < p->n; i++)
    if (b->modes[i] == PERP_MODE_UNKNOWN) return DOUBTFUL;
  if (p->missing == 0 && perp_box_basis_refine(p, b->modes, b->lambda, b->y) &&
      perp_box_basis_feasible(p, b->modes, b->lambda, b->y))
    return PERP_OK;
  memcpy(b->best, b->lambda, (size_t)p->n * sizeof *b->best);
  if (perp_box_basis_point(p, &b->data, b->modes, b->lambda, b->y) &&
      perp_box_basis_feasible(p, b->modes, b->lambda, b->y))
    return PERP_OK;
  memcpy(b->lambda, b->best, (size_t)p->n * sizeof *b->best);
  return DOUBTFUL;
}

static void clip_all(box_pivoting *b) {
  for (int32_t i = 0; i < b->path.n; i++) {
    if (b->lambda[i] < b->lower[i]) b->lambda[i] = b->lower[i];
    if (b->lambda[i] > b->upper[i]) b->lambda[i] = b->upper[i];
  }
}

/* Follow the path from the modes (NULL: from the beginning), within so many pivots in all. */
static perp_status pivot_from(box_pivoting *b, const unsigned char *modes, int32_t limit) {
  box_path *p = &b->path;
  p->limit = limit;
  if (!perp_box_path_open(p, &b->data, modes, b->o.covering, NULL)) return PERP_INACCURATE;
  if (modes != NULL && p->missing > 0) return PERP_RAY;
  const int end = perp_box_path_follow(p);
  if (end == BOX_SOLVED) return finish(b);
  perp_box_path_point(p, b->lambda);
  clip_all(b);
  return end == BOX_RAY ? PERP_RAY : end == BOX_LIMIT ? PERP_MAX_ITER : PERP_STOPPED;
}

static int solves_basis(box_pivoting *b, const unsigned char *modes) {
  return perp_box_basis_point(&b->path, &b->data, modes, b->lambda, b->y) &&
         perp_box_basis_feasible(&b->path, modes, b->lambda, b->y);
}

/* modes := the warm ones where they fit the bounds; whether any unknown with bounds is basic. */
static int adopt_modes(box_pivoting *b, const unsigned char *known) {
  int any = 0;
  for (int32_t i = 0; i < b->path.n; i++) {
    const int wide = b->lower[i] < b->upper[i];
    const int below = b->lower[i] >= -DBL_MAX, above = b->upper[i] <= DBL_MAX;
    unsigned char mode = known[i];
    if (mode == PERP_MODE_UPPER && !(above && wide)) mode = PERP_MODE_LOWER;
    if (mode == PERP_MODE_FREE && !wide) mode = PERP_MODE_LOWER;
    if (mode != PERP_MODE_FREE && mode != PERP_MODE_UPPER) mode = PERP_MODE_LOWER;
    if (mode == PERP_MODE_LOWER && !below) mode = above ? PERP_MODE_UPPER : PERP_MODE_FREE;
    if (!below && !above) mode = PERP_MODE_FREE;
    b->modes[i] = mode;
    any |= (mode == PERP_MODE_FREE || mode == PERP_MODE_UPPER) && (below || above);
  }
  return any;
}

static perp_status solve_once(box_pivoting *b, const perp_warm *warm) {
  const int32_t n = b->path.n;
  if (warm_known(warm, n)) {
    const int any = adopt_modes(b, warm_modes(warm, n));
    if (solves_basis(b, b->modes)) return PERP_OK;
    if (any) { /* half of the pivots, so that enough are left for the beginning */
      const perp_status status = pivot_from(b, b->modes, b->limit / 2);
      if (status == PERP_OK || status == PERP_STOPPED) return status;
    }
  }
  return pivot_from(b, NULL, b->limit);
}

/* ---- where it fails ---- */

/* Whether the direction in best proves that there is no solution; it is handed over then. */
static int proves_infeasible(box_pivoting *b, perp_info *info) {
  perp_certificate_project(b->problem, b->best, b->scratch);
  const double bound = perp_certificate_proves(b->problem, b->best, b->scratch);
  if (!(bound > 0)) return 0;
  info_proof(info, bound, b->path.n, b->best);
  return 1;
}

/* Whether all principal minors of order one and two of M + Mᵀ may be >= 0. */
static int may_be_monotone(box_pivoting *b) {
  const box_factor *f = &b->path.f;
  const int32_t n = b->path.n;
  if (!perp_box_factor_load(&b->path.f, b->data.M, 0)) return 0;
  for (int32_t j = 0; j < n; j++) {
    const double *w = box_column(f, j), d = w[j] * f->R[j] / f->C[j];
    if (!(d >= 0)) return 0;
    for (int32_t i = 0; i < j; i++) {
      const double a = w[i] * f->R[i] / f->C[j], c = box_column(f, i)[j] * f->R[j] / f->C[i];
      const double e = box_column(f, i)[i] * f->R[i] / f->C[i], sum = fabs(a + c);
      const double rounding = 0x1p-44 * (fabs(a) + fabs(c));
      if (!(sum <= 2 * sqrt(d) * sqrt(e) * (1 + 0x1p-44) + rounding)) return 0;
    }
  }
  return 1;
}

/* Solve for the present σ and center from the modes or from the beginning. */
static perp_status proximal_step(box_pivoting *b, int known) {
  if (known && solves_basis(b, b->modes)) return PERP_OK;
  return pivot_from(b, NULL, b->limit);
}

static perp_status proximal(box_pivoting *b, perp_info *info) {
  const size_t bytes = (size_t)b->path.n * sizeof(double);
  double last = DBL_MAX, now;
  int solved = 0, known = 0;
  memset(b->lambda, 0, bytes);
  clip_all(b);
  memcpy(b->center, b->lambda, bytes);
  b->data.center = b->center;
  b->data.shift = b->o.proximal;
  for (int32_t k = 0; k < PROXIMAL_STEPS; k++) {
    const perp_status status = proximal_step(b, known);
    known = status == PERP_OK;
    if (status == PERP_STOPPED || status == PERP_MAX_ITER) {
      memcpy(b->lambda, b->center, bytes);
      return solved && status == PERP_MAX_ITER ? PERP_OK : status;
    }
    clip_all(b);
    const int now_solved = confirmed(b, &now);
    if (!(now <= DBL_MAX)) return PERP_INACCURATE;
    if (solved && !(now < last / 2)) { /* as far as rounding lets it */
      if (!now_solved || !(now < last)) memcpy(b->lambda, b->center, bytes);
      return PERP_OK;
    }
    solved = now_solved;
    if (solved && now <= 2 * DBL_EPSILON) return PERP_OK;
    for (int32_t i = 0; i < b->path.n && !solved; i++) b->best[i] = b->lambda[i] - b->center[i];
    if (!solved && proves_infeasible(b, info)) return PERP_INFEASIBLE;
    if (!(now < FALL * last) && b->data.shift > SHIFT_LEAST) {
      b->data.shift /= 10;
      known = 0;
    }
    last = now;
    memcpy(b->center, b->lambda, bytes);
  }
  return solved ? PERP_OK : PERP_INACCURATE;
}

/* What else can be done after a ray or a doubtful point. */
static perp_status rescue(box_pivoting *b, perp_status status, perp_info *info) {
  double relative;
  if (confirmed(b, &relative)) return PERP_OK;
  if (status == PERP_RAY) {
    perp_box_path_ray(&b->path, b->best);
    info_ray(info, PERP_RAY_SECONDARY, b->path.n, b->best);
    if (proves_infeasible(b, info)) return PERP_INFEASIBLE;
  }
  if (!may_be_monotone(b)) return status == PERP_RAY ? PERP_RAY : PERP_INACCURATE;
  const perp_status outcome = proximal(b, info);
  return outcome == PERP_INACCURATE && status == PERP_RAY ? PERP_RAY : outcome;
}

static perp_status run(box_pivoting *b, const perp_warm *warm, perp_info *info) {
  double relative;
  perp_status status = solve_once(b, warm);
  /* of a singular M a basis may be far out, where its point passes but for the amplification */
  if (status == PERP_OK && !confirmed(b, &relative)) status = DOUBTFUL;
  if (status == PERP_RAY || status == DOUBTFUL) status = rescue(b, status, info);
  return status;
}

/* ---- the solver ---- */

static void keep_modes(const box_pivoting *b, const perp_warm *warm) {
  unsigned char *kept = warm_claim(warm, b->path.n);
  if (kept != NULL) memcpy(kept, b->modes, (size_t)b->path.n);
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  const int32_t n = problem->n;
  box_pivoting b;
  arena a = arena_open(work, work_bytes);
  carve(&b, &a, n);
  b.o = *(const perp_box_pivoting_options *)options;
  perp_status status = check_covering(b.o.covering, n, info);
  if (status != PERP_OK) return status;
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  const box_data data = {&problem->M, problem->q, b.lower, b.upper, NULL, 0};
  b.data = data;
  b.problem = problem;
  b.lambda = lambda;
  b.y = y;
  b.limit = pivot_limit(b.o.max_iter, n);
  b.path.observe = b.o.observe;
  b.path.user = b.o.user;
  perp_problem_bounds(problem, b.lower, b.upper);
  memset(lambda, 0, (size_t)n * sizeof *lambda);
  clip_all(&b);
  status = run(&b, warm, info);
  if (status == PERP_OK) keep_modes(&b, warm);
  if (info_ready(info)) info->iterations = b.path.pivots;
  return status;
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = PERP_ASSUMES_SEMIDEFINITE,
    .name = "box-pivoting",
    .defaults = &defaults,
    .check = check,
    .workspace = workspace,
    .warm_bytes = warm_bytes,
    .solve = solve};

const perp_solver *perp_solver_box_pivoting(void) { return &descriptor; }
