/* SPDX-License-Identifier: MIT */
/* Murty's least-index principal pivoting for P-matrices, with bounds.
 *
 * Modes split the unknowns into F (free) and N (at a bound). The tableau T is the principal pivot
 * transform of M on F,
 *   T_FF = M_FF^-1,  T_FN = -M_FF^-1 M_FN,  T_NF = M_NF M_FF^-1,  T_NN = M_NN - M_NF M_FF^-1 M_FN,
 * the derivative of (λ_F, y_N) by (y_F, λ_N); v holds the values of (λ_F, y_N). Of all components
 * with λ_i outside its bounds (F) or y_i of the wrong sign (N) the one of least index changes
 * sides, which updates T and v in n^2 operations. That it ends is shown in block_pivoting.c.
 *
 * Rounding: T and v are made anew from M every now and then, and when v shows no infeasible
 * component; the point is judged only as computed from M and q.
 *
 * Source: Murty, Opsearch 11 (1974) 123-130. */
#include "perp/pivoting.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "problem/bounds.h"
#include "solver/mode.h"
#include "solver/mode_basis.h"
#include "solver/options.h"
#include "solver/warm.h"

/* Values below this part of the problem's size are left to the point as computed from M and q. */
static const double doubt = 0x1p-40;
/* A pivot below this part of its unknown's size is taken for 0. */
static const double pivot_floor = 0x1p-48;

typedef struct murty {
  const perp_problem *problem;
  perp_solver_options options; /* max_iter > 0                                   */
  mode_basis basis;
  int32_t n;
  int32_t pivots;
  double noise; /* of y                                              */
  double *T;    /* n x n, column-major                               */
  double *v;    /* n                                                 */
  double *lower, *upper;
  double *lambda, *y;  /* the caller's                                      */
  unsigned char *mode; /* n: PERP_MODE_LOWER, FREE or UPPER, FREE only if lower < upper */
  unsigned char *next; /* n                                                 */
} murty;

/* ---- options, memory ---- */

static void carve(murty *s, arena *a, int32_t n, int32_t kind) {
  const size_t m = (size_t)n;
  perp_mode_basis_carve(&s->basis, a, n, kind);
  s->T = arena_take(a, m, m * sizeof(double));
  s->v = arena_take(a, m, sizeof(double));
  s->lower = arena_take(a, m, sizeof(double));
  s->upper = arena_take(a, m, sizeof(double));
  s->mode = arena_take(a, m, 1);
  s->next = arena_take(a, m, 1);
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  if (shape->n < 0) return 0;
  murty s;
  arena a = arena_measure();
  carve(&s, &a, shape->n, shape->matrix);
  return arena_bytes(&a);
}

static size_t warm_bytes(const perp_shape *shape) {
  return shape->n < 0 ? 0 : warm_modes_bytes(shape->n);
}

/* ---- the tableau, anew ---- */

/* λ and y of the modes from M and q. 0 if M_FF is singular. */
static int compute_point(murty *s) {
  if (!perp_mode_basis_factor(&s->basis, s->mode, 0)) return 0;
  perp_mode_basis_point(&s->basis, s->mode, s->lower, s->upper, s->problem->q, s->lambda, s->y);
  return 1;
}

static const double *column(const murty *s, int32_t j) {
  return s->basis.M + (size_t)s->basis.ld * (size_t)j;
}

/* Column j of T with the factor of the modes. */
static void transform_column(murty *s, int32_t j) {
  const mode_basis *b = &s->basis;
  const int is_free = s->mode[j] == PERP_MODE_FREE;
  double *t = s->T + (size_t)s->n * (size_t)j, *x = b->x;
  for (int32_t a = 0; a < b->k; a++)
    x[a] = is_free ? (b->member[a] == j ? 1 : 0) : -column(s, j)[b->member[a]];
  perp_mode_basis_solve(b, x);
  for (int32_t i = 0; i < s->n; i++) t[i] = is_free ? 0 : column(s, j)[i];
  for (int32_t a = 0; a < b->k; a++) perp_dense_axpy(s->n, x[a], column(s, b->member[a]), t);
  for (int32_t a = 0; a < b->k; a++) t[b->member[a]] = x[a];
}

/* T and v of the modes, after compute_point(). */
static void transform(murty *s) {
  for (int32_t j = 0; j < s->n; j++) transform_column(s, j);
  for (int32_t i = 0; i < s->n; i++)
    s->v[i] = s->mode[i] == PERP_MODE_FREE ? s->lambda[i] : s->y[i];
}

/* ---- pivots ---- */

/* The mode to which component i shall change by the values of the tableau; its own: none. */
static unsigned char next_mode(const murty *s, int32_t i) {
  const double v = s->v[i], l = s->lower[i], u = s->upper[i], size = s->basis.size[i];
  switch (s->mode[i]) {
    case PERP_MODE_FREE:
      if ((l - v) * size > s->noise) return PERP_MODE_LOWER;
      return (v - u) * size > s->noise ? PERP_MODE_UPPER : PERP_MODE_FREE;
    case PERP_MODE_LOWER:
      return l < u && v < -s->noise ? PERP_MODE_FREE : PERP_MODE_LOWER;
    default:
      return v > s->noise ? PERP_MODE_FREE : PERP_MODE_UPPER;
  }
}

static int32_t least_infeasible(murty *s) {
  for (int32_t i = 0; i < s->n; i++) {
    s->next[i] = next_mode(s, i);
    if (s->next[i] != s->mode[i]) return i;
  }
  return -1;
}

/* Whether T_rr can be divided by: freed, unknown r must move y_r; fixed, y_r must move it. */
static int regular_pivot(const murty *s, int32_t r) {
  const double a = fabs(s->T[(size_t)r + (size_t)s->n * (size_t)r]), size = s->basis.size[r];
  if (s->mode[r] == PERP_MODE_FREE) return a * size > pivot_floor && a <= DBL_MAX;
  return a > pivot_floor * size && a <= DBL_MAX;
}

static double bound(const murty *s, int32_t i, unsigned char mode) {
  return mode == PERP_MODE_LOWER ? s->lower[i] : s->upper[i];
}

/* Component r to mode next[r]. */
static void pivot(murty *s, int32_t r) {
  const size_t n = (size_t)s->n, row = (size_t)r;
  double *restrict entering = s->T + n * row, *restrict v = s->v;
  const double inverse = 1 / entering[row];
  const int freed = s->next[r] == PERP_MODE_FREE;
  /* what is solved for r goes to the value it has on the other side */
  const double from = freed ? bound(s, r, s->mode[r]) : 0;
  const double to = freed ? 0 : bound(s, r, s->next[r]);
  const double step = (to - v[r]) * inverse;
  for (size_t i = 0; i < n; i++) v[i] += entering[i] * step;
  v[r] = from + step;
  for (size_t j = 0; j < n; j++) {
    double *restrict a = s->T + n * j;
    const double t = -a[row] * inverse;
    if (j == row || t == 0) continue;
    for (size_t i = 0; i < n; i++) a[i] += entering[i] * t;
    a[row] = t;
  }
  for (size_t i = 0; i < n; i++) entering[i] *= inverse;
  entering[row] = inverse;
  s->mode[r] = s->next[r];
}

/* Tell the observer of the pivot on r that was just done. */
static int observed_stop(murty *s, int32_t r) {
  const int32_t iteration = s->pivots++;
  if (s->options.observe == NULL) return 0;
  int32_t count = 0;
  for (int32_t i = 0; i < s->n; i++) count += next_mode(s, i) != s->mode[i];
  const int freed = s->mode[r] == PERP_MODE_FREE;
  perp_iterate it = {iteration, freed ? r : -1, freed ? -1 : r, count};
  return s->options.observe(&it, s->options.user) != 0;
}

/* As often as the tableau is made anew, at a cost of about n pivots. */
static int due(const murty *s) { return s->pivots % (s->n < 32 ? 64 : 2 * s->n) == 0; }

/* Pivot until the tableau shows no infeasible component. At least one pivot is done if first, the
 * component to begin with, is >= 0. */
static perp_status pivot_on(murty *s, int32_t first) {
  for (int32_t r = first >= 0 ? first : least_infeasible(s); r >= 0; r = least_infeasible(s)) {
    if (s->pivots >= s->options.max_iter) return PERP_MAX_ITER;
    if (!regular_pivot(s, r)) return PERP_RAY;
    pivot(s, r);
    if (observed_stop(s, r)) return PERP_STOPPED;
    if (!due(s)) continue;
    if (!compute_point(s)) return PERP_RAY;
    transform(s);
  }
  return PERP_OK;
}

/* A component that the point as computed from M and q shows infeasible, and the tableau again does
 * not, is rounding: the slack grows. */
static perp_status run(murty *s) {
  double slack = MODE_ROUNDING;
  int32_t first = -1, last = -1;
  if (!compute_point(s)) return PERP_RAY;
  for (;;) {
    transform(s);
    perp_status status = pivot_on(s, first);
    if (status != PERP_OK) return status;
    if (!compute_point(s)) return PERP_RAY;
    perp_mode_basis_judge(&s->basis, s->mode, s->lower, s->upper, s->problem->q, slack, s->lambda,
                          s->y, s->next, &first);
    if (first < 0) return PERP_OK;
    if (first == last && slack < MODE_COARSEST) slack *= 4;
    last = first;
  }
}

/* ---- solve ---- */

static void choose_modes(murty *s, const unsigned char *known) {
  double largest = 0, far = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double l = s->lower[i], u = s->upper[i], q = fabs(s->problem->q[i]);
    unsigned char mode = PERP_MODE_FREE;
    if (l >= -DBL_MAX && (u > DBL_MAX || fabs(l) <= fabs(u) || !(l < u)))
      mode = PERP_MODE_LOWER;
    else if (u <= DBL_MAX)
      mode = PERP_MODE_UPPER;
    if (known != NULL && mode_fits(known[i], l, u)) mode = known[i];
    s->mode[i] = mode;
    if (q > largest) largest = q;
    if (mode != PERP_MODE_FREE) far += s->basis.size[i] * fabs(bound(s, i, mode));
  }
  s->noise = doubt * (largest + far);
}

/* λ := the last basic point moved into the box. */
static void last_point(murty *s) {
  for (int32_t i = 0; i < s->n; i++) {
    double v = s->mode[i] == PERP_MODE_FREE ? s->v[i] : bound(s, i, s->mode[i]);
    s->lambda[i] = clip(v, s->lower[i], s->upper[i]);
  }
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  const int32_t n = problem->n;
  murty s;
  arena a = arena_open(work, work_bytes);
  carve(&s, &a, n, problem->M.kind);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  s.options = *(const perp_solver_options *)options;
  s.options.max_iter = pivot_limit(s.options.max_iter, n);
  s.problem = problem;
  s.n = n;
  s.pivots = 0;
  s.lambda = lambda;
  s.y = y;
  memset(s.v, 0, (size_t)n * sizeof *s.v);
  perp_problem_bounds(problem, s.lower, s.upper);
  perp_mode_basis_open(&s.basis, &problem->M);
  choose_modes(&s, warm_known(warm, n) ? warm_modes(warm, n) : NULL);
  perp_status status = run(&s);
  if (status == PERP_OK)
    for (int32_t i = 0; i < n; i++) lambda[i] = clip(lambda[i], s.lower[i], s.upper[i]);
  else
    last_point(&s);
  unsigned char *kept = status == PERP_OK ? warm_claim(warm, n) : NULL;
  if (kept != NULL) memcpy(kept, s.mode, (size_t)n);
  if (info_ready(info)) info->iterations = s.pivots;
  return status;
}

static const perp_solver descriptor = {
    .struct_size = sizeof(perp_solver),
    .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
    .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
    .assumes = PERP_ASSUMES_P_MATRIX,
    .name = "murty",
    .workspace = workspace,
    .warm_bytes = warm_bytes,
    .solve = solve};

const perp_solver *perp_solver_murty(void) { return &descriptor; }
