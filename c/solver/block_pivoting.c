/* SPDX-License-Identifier: MIT */
/* Block principal pivoting with bounds for P-matrices, not symmetric too (here M stands for M +
 * σI).
 *
 * Modes split the unknowns into F (free) and N (at a bound); they determine λ and y (mode_basis.h).
 * A component is infeasible if λ_i < l_i or λ_i > u_i (i in F), y_i < 0 at the lower or y_i > 0 at
 * the upper bound, beyond the rounding of its row. All infeasible ones are exchanged at once while
 * their number finds a new minimum within `patience` tries. Otherwise the infeasible one of least
 * index is exchanged alone, until the number is below its minimum.
 *
 * It ends: with the others solved for, y_n is a strictly increasing function of λ_n (M is a
 * P-matrix), so unknown n is freed at most once from each bound, and never goes back to where it
 * came from; between its exchanges the single exchanges solve the problem of the unknowns before
 * it, by induction in finitely many steps. The minimum falls at most n times. In floating point an
 * unknown that is exchanged twice in a row was rounding: the slack grows until it counts as none.
 *
 * Sources: Júdice and Pires, Computers & Operations Research 21 (1994) 587-596; Murty,
 * Opsearch 11 (1974) 123-130. */
#include "perp/pivoting.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/info.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/mode.h"
#include "solver/mode_basis.h"
#include "solver/options.h"
#include "solver/proximal.h"
#include "solver/warm.h"

typedef struct pivoting {
  const perp_problem *problem;
  perp_block_pivoting_options options; /* max_iter > 0                              */
  mode_basis basis;
  int32_t n;
  int32_t iterations;
  double slack;    /* rounding of one row sum, in parts of |M||λ| + |q|         */
  double shift;    /* σ                                                         */
  double unit;     /* largest |M_ij|, 1 if that is 0                            */
  const double *q; /* problem->q, or q − σ λ^k                                  */
  double *lower, *upper;
  double *lambda;      /* the caller's                                              */
  double *y;           /* the caller's                                              */
  double *previous;    /* n: λ^k of the proximal loop                               */
  double *moved;       /* n: q − σ λ^k                                              */
  double *residual;    /* residual_scratch_doubles(n)                               */
  unsigned char *mode; /* n: PERP_MODE_LOWER, FREE or UPPER, FREE only if lower < upper */
  unsigned char *next; /* n: the modes with all infeasible ones exchanged               */
} pivoting;

/* ---- options, memory ---- */

static const perp_block_pivoting_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_block_pivoting_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_block_pivoting_options",
    .proximal = 1e-6,
    .patience = 5};

void perp_block_pivoting_options_init(perp_block_pivoting_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check(const void *options, perp_info *info) {
  const perp_block_pivoting_options *o = options;
  if (!(o->proximal > 0 && o->proximal <= DBL_MAX))
    return fail(info, PERP_EINVAL, "proximal", -1, o->proximal);
  return o->patience < 0 ? fail(info, PERP_EINVAL, "patience", -1, o->patience) : PERP_OK;
}

static void carve(pivoting *s, arena *a, int32_t n, int32_t kind) {
  const size_t m = (size_t)n;
  perp_mode_basis_carve(&s->basis, a, n, kind);
  s->lower = arena_take(a, m, sizeof(double));
  s->upper = arena_take(a, m, sizeof(double));
  s->previous = arena_take(a, m, sizeof(double));
  s->moved = arena_take(a, m, sizeof(double));
  s->residual = arena_take(a, residual_scratch_doubles(n), sizeof(double));
  s->mode = arena_take(a, m, 1);
  s->next = arena_take(a, m, 1);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  if (shape->n < 0) return 0;
  pivoting s;
  arena a = arena_measure();
  carve(&s, &a, shape->n, shape->matrix);
  return arena_bytes(&a);
}

static size_t warm_bytes(const perp_shape *shape) {
  return shape->n < 0 ? 0 : warm_modes_bytes(shape->n);
}

/* ---- one basis ---- */

static perp_status report(const pivoting *s, int32_t entering, int32_t leaving, double merit) {
  if (s->options.observe == NULL) return PERP_OK;
  perp_iterate it = {s->iterations - 1, entering, leaving, merit};
  return s->options.observe(&it, s->options.user) == 0 ? PERP_OK : PERP_STOPPED;
}

/* ---- from basis to basis ---- */

/* From the modes to a basis without infeasible components, within the limit of iterations. */
static perp_status run(pivoting *s, int32_t limit) {
  int32_t best = INT32_MAX, tries = 0, entering = -1, leaving = -1, last = -1, first;
  for (;;) {
    if (s->iterations >= limit) return PERP_MAX_ITER;
    s->iterations++;
    if (!perp_mode_basis_factor(&s->basis, s->mode, s->shift))
      return report(s, entering, leaving, (double)INFINITY) == PERP_OK ? (perp_status)PROXIMAL_RAISE
                                                                       : PERP_STOPPED;
    perp_mode_basis_point(&s->basis, s->mode, s->lower, s->upper, s->q, s->lambda, s->y);
    int32_t count = perp_mode_basis_judge(&s->basis, s->mode, s->lower, s->upper, s->q, s->slack,
                                          s->lambda, s->y, s->next, &first);
    perp_status status = report(s, entering, leaving, count);
    if (count == 0 || status != PERP_OK) return status;
    entering = leaving = -1;
    if (count < best) {
      best = count;
      tries = 0;
    } else if (tries < s->options.patience) {
      tries++;
    } else { /* one alone */
      if (first == last && s->slack < MODE_COARSEST) s->slack *= 4;
      last = first;
      entering = s->next[first] == PERP_MODE_FREE ? first : -1;
      leaving = entering < 0 ? first : -1;
      s->mode[first] = s->next[first];
      continue;
    }
    last = -1;
    memcpy(s->mode, s->next, (size_t)s->n);
  }
}

/* Solve for M + shift I and q. */
static perp_status solve_shifted(pivoting *s, double shift, const double *q, int32_t limit) {
  s->shift = shift;
  s->q = q;
  s->slack = MODE_ROUNDING;
  return run(s, limit);
}

/* For the proximal loop: who takes long gets a larger σ. */
static perp_status solve_proximal(void *self, double shift, const double *q) {
  pivoting *s = self;
  const int32_t left = s->options.max_iter - s->iterations, share = 20 + s->n / 4;
  const int32_t limit = left < share ? s->options.max_iter : s->iterations + share;
  perp_status status = solve_shifted(s, shift, q, limit);
  if (status == PERP_MAX_ITER && limit < s->options.max_iter) return (perp_status)PROXIMAL_RAISE;
  return status;
}

static void clip_all(pivoting *s) {
  for (int32_t i = 0; i < s->n; i++) s->lambda[i] = clip(s->lambda[i], s->lower[i], s->upper[i]);
}

static perp_status run_proximal(pivoting *s, perp_info *info) {
  proximal p = {.problem = s->problem,
                .self = s,
                .solve = solve_proximal,
                .max_iter = s->options.max_iter,
                .tol = s->options.tol,
                .shift = s->options.proximal,
                .unit = s->unit,
                .lower = s->lower,
                .upper = s->upper,
                .lambda = s->lambda,
                .y = s->y,
                .previous = s->previous,
                .moved = s->moved,
                .residual = s->residual,
                .info = info};
  return perp_proximal_run(&p);
}

/* Whether the factor lost so many digits that only the residual can tell a solution. */
static int doubtful(pivoting *s) {
  if (!s->basis.weak) return 0;
  perp_residual residual;
  perp_residual_compute(s->problem, s->lambda, s->y, &residual, s->residual);
  return !perp_residual_solved(&residual, s->options.tol);
}

static perp_status pivot(pivoting *s, perp_info *info) {
  const int32_t half = s->options.max_iter / 2 + s->options.max_iter % 2;
  perp_status status = solve_shifted(s, 0, s->problem->q, half);
  clip_all(s);
  if (status == PERP_STOPPED || (status == PERP_OK && !doubtful(s))) return status;
  status = run_proximal(s, info);
  clip_all(s);
  return status;
}

/* ---- start ---- */

static double largest_entry(const mode_basis *b) {
  double largest = 0;
  for (int32_t j = 0; j < b->n; j++)
    if (b->size[j] > largest) largest = b->size[j];
  return largest > 0 ? largest : 1;
}

/* Modes that the warm data know and that fit; any other unknown goes where a step of Jacobi's
 * method from the point of the box nearest to 0 takes it. */
static void choose_modes(pivoting *s, const unsigned char *known) {
  double *r = s->moved;
  memcpy(r, s->problem->q, (size_t)s->n * sizeof *r);
  for (int32_t j = 0; j < s->n; j++) {
    s->lambda[j] = nearest_to_zero(s->lower[j], s->upper[j]);
    if (s->lambda[j] == 0) continue;
    const double *m = s->basis.M + (size_t)s->basis.ld * (size_t)j;
    for (int32_t i = 0; i < s->n; i++) r[i] += m[i] * s->lambda[j];
  }
  for (int32_t i = 0; i < s->n; i++) {
    const double l = s->lower[i], u = s->upper[i];
    if (known != NULL && mode_fits(known[i], l, u))
      s->mode[i] = known[i];
    else if (l < u)
      s->mode[i] = jacobi_mode(s->lambda[i], l, u,
                               s->basis.M[(size_t)i + (size_t)s->basis.ld * (size_t)i], r[i]);
    else
      s->mode[i] = PERP_MODE_LOWER;
  }
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  const int32_t n = problem->n;
  pivoting s;
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, n, problem->M.kind);
  s.options = *(const perp_block_pivoting_options *)options;
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  if (s.options.max_iter == 0) s.options.max_iter = n < 100000000 ? 200 + 20 * n : INT32_MAX;
  s.problem = problem;
  s.n = n;
  s.iterations = 0;
  s.lambda = lambda;
  s.y = y;
  perp_problem_bounds(problem, s.lower, s.upper);
  perp_mode_basis_open(&s.basis, &problem->M);
  s.unit = largest_entry(&s.basis);
  choose_modes(&s, warm_known(warm, n) ? warm_modes(warm, n) : NULL);
  perp_status status = pivot(&s, info);
  unsigned char *kept = status == PERP_OK ? warm_claim(warm, n) : NULL;
  if (kept != NULL) memcpy(kept, s.mode, (size_t)n);
  if (info_ready(info)) info->iterations = s.iterations;
  return status;
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = PERP_ASSUMES_P_MATRIX,
    .name = "block-pivoting",
    .defaults = &defaults,
    .check = check,
    .workspace = workspace,
    .warm_bytes = warm_bytes,
    .solve = solve};

const perp_solver *perp_solver_block_pivoting(void) { return &descriptor; }
