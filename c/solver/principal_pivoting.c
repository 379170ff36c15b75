/* SPDX-License-Identifier: MIT */
/* Principal pivoting with bounds for P-matrices, not symmetric too: blocks, and Murty's method.
 *
 * Modes split the unknowns into F (free) and N (at a bound); they determine λ and y (mode_basis.h).
 * A component is infeasible if λ_i < l_i or λ_i > u_i (i in F), y_i < 0 at the lower or y_i > 0 at
 * the upper bound, beyond the rounding of its row. Murty exchanges the infeasible one of least
 * index. Block pivoting exchanges all at once while their number finds a new minimum within
 * `patience` tries. Otherwise the infeasible one of least index is exchanged alone, until the
 * number is below its minimum.
 *
 * Both end: with the others solved for, y_n is a strictly increasing function of λ_n (M is a
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

#include "base/info.h"
#include "linalg/dense.h"
#include "solver/mode.h"
#include "solver/mode_basis.h"
#include "solver/warm.h"

typedef struct pivoting {
  session *run;
  mode_basis basis;
  int32_t n;
  double slack;        /* rounding of one row sum, in parts of |M||λ| + |q|             */
  const double *q;     /* problem->q, or q − σ λ^k                                      */
  unsigned char *mode; /* n: PERP_MODE_LOWER, FREE or UPPER, FREE only if lower < upper */
  unsigned char *next; /* n: the modes with all infeasible ones exchanged               */
  /* block pivoting */
  double *previous; /* n: λ^k of the proximal loop                                   */
  double *moved;    /* n: q − σ λ^k                                                   */
  /* Murty */
  double noise; /* of y                                                          */
  double *T;    /* n x n, column-major                                           */
  double *v;    /* n                                                             */
} pivoting;

/* --- both ------------------------------------------------------------------------------------ */

static void carve_modes(pivoting *s, arena *a, const perp_shape *shape) {
  perp_mode_basis_carve(&s->basis, a, shape->n, shape->matrix);
  s->mode = arena_take(a, (size_t)shape->n, 2); /* next behind */
}

static void open(pivoting *s, session *run) {
  s->run = run;
  s->n = run->n;
  s->next = s->mode + run->n;
  s->q = run->problem->q;
  s->slack = MODE_ROUNDING;
  perp_mode_basis_open(&s->basis, &run->problem->M);
}

static double bound(const pivoting *s, int32_t i, unsigned char mode) {
  return mode_bound(mode, s->run->lower[i], s->run->upper[i]);
}

/* λ and y of the modes from M + shift I and q. 0 if M_FF is singular. */
static int compute_point(pivoting *s, double shift) {
  const session *r = s->run;
  if (!perp_mode_basis_factor(&s->basis, s->mode, shift)) return 0;
  perp_mode_basis_point(&s->basis, s->mode, r->lower, r->upper, s->q, r->lambda, r->y);
  return 1;
}

/* How many components of that point are infeasible; the first of them, -1: none. */
static int32_t judge(pivoting *s, int32_t *first) {
  const session *r = s->run;
  return perp_mode_basis_judge(&s->basis, s->mode, r->lower, r->upper, s->q, s->slack, r->lambda,
                               r->y, s->next, first);
}

static void coarsen(pivoting *s) {
  if (s->slack < MODE_COARSEST) s->slack *= 4;
}

static perp_status finish(void *state, session *run, perp_status status) {
  const pivoting *s = state;
  clip_all(run->n, run->lambda, run->lower, run->upper);
  if (status == PERP_OK) warm_keep_modes(run->warm, run->n, s->mode);
  return status;
}

/* --- blocks: options and memory -------------------------------------------------------------- */

static const perp_block_pivoting_options defaults = {
    .struct_size = (uint32_t)sizeof(perp_block_pivoting_options),
    .tol = PERP_DEFAULT_TOL,
    .kind = "perp_block_pivoting_options",
    .proximal = 1e-6,
    .patience = 5};

void perp_block_pivoting_options_init(perp_block_pivoting_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_block_pivoting_options, proximal), OPTION_OPEN, 0, (double)INFINITY},
    {FIELD(perp_block_pivoting_options, patience), OPTION_INT, 0, INT32_MAX},
    {0}};

static void carve_blocks(void *state, arena *a, const perp_shape *shape, const void *options) {
  pivoting *s = state;
  (void)options;
  carve_modes(s, a, shape);
  s->previous = arena_take(a, (size_t)shape->n, 2 * sizeof(double)); /* moved behind */
}

/* --- blocks: from basis to basis ------------------------------------------------------------- */

/* Multiply-adds of a basis. */
static double price(const pivoting *s) {
  const double k = s->basis.k, n = s->n;
  return k * k * k / (s->basis.cholesky ? 6 : 3) + n * n;
}

/* Solve for M + shift I and q from the present modes, up to so many iterations in all: PERP_OK
 * without infeasible components. */
static perp_status solve_shifted(pivoting *s, double shift, const double *q, int32_t limit) {
  const perp_block_pivoting_options *o = s->run->options;
  int32_t best = INT32_MAX, tries = 0, entering = -1, leaving = -1, last = -1, first;
  s->q = q;
  s->slack = MODE_ROUNDING;
  for (;;) {
    if (s->run->iterations >= limit || perp_session_limits(s->run) != GO_ON) return PERP_MAX_ITER;
    const int regular = compute_point(s, shift);
    const int32_t count = regular ? judge(s, &first) : 0;
    s->run->price = price(s);
    const perp_status status =
        perp_session_step(s->run, entering, leaving, regular ? count : (double)INFINITY);
    if (status == PERP_STOPPED) return status;
    if (!regular) return (perp_status)PROXIMAL_RAISE;
    if (count == 0) return PERP_OK;
    entering = leaving = -1;
    if (count < best) {
      best = count;
      tries = 0;
    } else if (tries < o->patience) {
      tries++;
    } else { /* one alone */
      if (first == last) coarsen(s);
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

/* For the proximal loop: who takes long gets a larger σ. */
static perp_status solve_proximal(void *self, double shift, const double *q) {
  pivoting *s = self;
  const session *r = s->run;
  const int32_t left = r->max_iter - r->iterations, share = 20 + s->n / 4;
  const int32_t limit = left < share ? r->max_iter : r->iterations + share;
  const perp_status status = solve_shifted(s, shift, q, limit);
  const int slow = status == PERP_MAX_ITER && perp_session_limits(r) == GO_ON;
  return slow ? (perp_status)PROXIMAL_RAISE : status;
}

static perp_status run_proximal(pivoting *s) {
  const perp_block_pivoting_options *o = s->run->options;
  const double largest = largest_size(s->n, s->basis.size), unit = largest > 0 ? largest : 1;
  const proximal p = {
      s->run,           s,           solve_proximal, o->proximal * unit, 1e-9 * unit,
      s->run->max_iter, s->previous, s->moved};
  return perp_proximal_run(&p);
}

static perp_status start_blocks(void *state, session *run) {
  pivoting *s = state;
  if (run->common->max_iter == 0)
    run->max_iter = run->n < 100000000 ? 200 + 20 * run->n : INT32_MAX;
  open(s, run);
  s->moved = s->previous + run->n;
  perp_modes_start(run, s->mode);
  const perp_status status =
      solve_shifted(s, 0, run->problem->q, run->max_iter / 2 + run->max_iter % 2);
  clip_all(s->n, run->lambda, run->lower, run->upper);
  /* a weak factor lost so many digits that only the residual can tell a solution */
  const int doubtful = status == PERP_OK && s->basis.weak && !perp_session_confirmed(run);
  return status == PERP_STOPPED || (status == PERP_OK && !doubtful) ? status : run_proximal(s);
}

/* --- Murty: the tableau ---------------------------------------------------------------------- */

/* The tableau T is the principal pivot transform of M on F,
 *   T_FF = M_FF^-1,  T_FN = -M_FF^-1 M_FN,  T_NF = M_NF M_FF^-1,  T_NN = M_NN - M_NF M_FF^-1 M_FN,
 * the derivative of (λ_F, y_N) by (y_F, λ_N); v holds the values of (λ_F, y_N). A component with
 * λ_i outside its bounds (F) or y_i of the wrong sign (N) that changes sides updates T and v in n^2
 * operations.
 *
 * Rounding: T and v are made anew from M every now and then, and when v shows no infeasible
 * component; the point is judged only as computed from M and q. */

/* Values below this part of the problem's size are left to the point as computed from M and q. */
static const double doubt = 0x1p-40;
/* A pivot below this part of its unknown's size is taken for 0. */
static const double pivot_floor = 0x1p-48;

static void carve_murty(void *state, arena *a, const perp_shape *shape, const void *options) {
  pivoting *s = state;
  const size_t n = (size_t)shape->n;
  (void)options;
  carve_modes(s, a, shape);
  s->T = arena_take(a, n, (n + 1) * sizeof(double)); /* v behind */
}

/* Column j of T with the factor of the modes. */
static void transform_column(pivoting *s, int32_t j) {
  const mode_basis *b = &s->basis;
  const int is_free = s->mode[j] == PERP_MODE_FREE;
  double *t = s->T + (size_t)s->n * (size_t)j, *x = b->x;
  for (int32_t a = 0; a < b->k; a++)
    x[a] = is_free ? (b->member[a] == j ? 1 : 0) : -mode_column(&s->basis, j)[b->member[a]];
  perp_mode_basis_solve(b, x);
  for (int32_t i = 0; i < s->n; i++) t[i] = is_free ? 0 : mode_column(&s->basis, j)[i];
  for (int32_t a = 0; a < b->k; a++)
    perp_dense_axpy(s->n, x[a], mode_column(&s->basis, b->member[a]), t);
  for (int32_t a = 0; a < b->k; a++) t[b->member[a]] = x[a];
}

/* T and v of the modes, after compute_point(). */
static perp_status transform(pivoting *s) {
  const double n = s->n, k = s->basis.k;
  for (int32_t j = 0; j < s->n; j++) transform_column(s, j);
  for (int32_t i = 0; i < s->n; i++)
    s->v[i] = s->mode[i] == PERP_MODE_FREE ? s->run->lambda[i] : s->run->y[i];
  return perp_session_spend(s->run, n * k * (n + k));
}

/* --- Murty: pivots --------------------------------------------------------------------------- */

/* The mode to which component i shall change by the values of the tableau; its own: none. */
static unsigned char next_mode(const pivoting *s, int32_t i) {
  const session *r = s->run;
  const double v = s->v[i];
  unsigned char to;
  const double e = mode_excess(s->mode[i], r->lower[i], r->upper[i], v, v, s->basis.size[i], &to);
  return e > s->noise ? to : s->mode[i];
}

static int32_t least_infeasible(pivoting *s) {
  for (int32_t i = 0; i < s->n; i++) {
    s->next[i] = next_mode(s, i);
    if (s->next[i] != s->mode[i]) return i;
  }
  return -1;
}

/* Whether T_rr can be divided by: freed, unknown r must move y_r; fixed, y_r must move it. */
static int regular_pivot(const pivoting *s, int32_t r) {
  const double a = fabs(s->T[(size_t)r + (size_t)s->n * (size_t)r]), size = s->basis.size[r];
  if (s->mode[r] == PERP_MODE_FREE) return a * size > pivot_floor && a <= DBL_MAX;
  return a > pivot_floor * size && a <= DBL_MAX;
}

/* Component r to mode next[r]. */
static void pivot(pivoting *s, int32_t r) {
  const size_t n = (size_t)s->n, row = (size_t)r;
  const double *restrict entering = s->T + n * row;
  double *restrict v = s->v;
  const int freed = s->next[r] == PERP_MODE_FREE;
  /* what is solved for r goes to the value it has on the other side */
  const double from = freed ? bound(s, r, s->mode[r]) : 0;
  const double to = freed ? 0 : bound(s, r, s->next[r]);
  const double step = (to - v[r]) * (1 / entering[row]);
  for (size_t i = 0; i < n; i++) v[i] += entering[i] * step;
  v[r] = from + step;
  exchange_variables(n, n, s->T, row, row);
  s->mode[r] = s->next[r];
}

/* The pivot on r was done. */
static perp_status count_pivot(pivoting *s, int32_t r) {
  const int freed = s->mode[r] == PERP_MODE_FREE;
  int32_t infeasible = 0;
  for (int32_t i = 0; i < s->n && s->run->common->observe != NULL; i++)
    infeasible += next_mode(s, i) != s->mode[i];
  return perp_session_step(s->run, freed ? r : -1, freed ? -1 : r, infeasible);
}

/* As often as the tableau is made anew, at a cost of about n pivots. */
static int due(const pivoting *s) { return s->run->iterations % (s->n < 32 ? 64 : 2 * s->n) == 0; }

/* Pivot until the tableau shows no infeasible component, then GO_ON. At least one pivot is done if
 * first, the component to begin with, is >= 0. */
static perp_status pivot_on(pivoting *s, int32_t first) {
  for (int32_t r = first >= 0 ? first : least_infeasible(s); r >= 0; r = least_infeasible(s)) {
    if (perp_session_limits(s->run) != GO_ON) return PERP_MAX_ITER;
    if (!regular_pivot(s, r)) return PERP_RAY;
    pivot(s, r);
    if (count_pivot(s, r) == PERP_STOPPED) return PERP_STOPPED;
    if (!due(s)) continue;
    if (!compute_point(s, 0)) return PERP_RAY;
    const perp_status status = transform(s);
    if (status != GO_ON) return status;
  }
  return GO_ON;
}

/* A component that the point as computed from M and q shows infeasible, and the tableau again does
 * not, is rounding: the slack grows. */
static perp_status run_murty(pivoting *s) {
  int32_t first = -1, last = -1;
  if (!compute_point(s, 0)) return PERP_RAY;
  for (;;) {
    perp_status status = transform(s);
    if (status == GO_ON) status = pivot_on(s, first);
    if (status != GO_ON) return status;
    if (!compute_point(s, 0)) return PERP_RAY;
    if (judge(s, &first) == 0) return PERP_OK;
    if (first == last) coarsen(s);
    last = first;
  }
}

static double noise_of(const pivoting *s) {
  double far = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (s->mode[i] != PERP_MODE_FREE) far += s->basis.size[i] * fabs(bound(s, i, s->mode[i]));
  return doubt * (largest_size(s->n, s->q) + far);
}

static perp_status start_murty(void *state, session *run) {
  pivoting *s = state;
  run->max_iter = pivot_limit(run->common->max_iter, run->n);
  run->price = (double)run->n * run->n;
  open(s, run);
  s->v = s->T + (size_t)run->n * (size_t)run->n;
  perp_modes_at_bounds(run, s->mode);
  s->noise = noise_of(s);
  memset(s->v, 0, (size_t)s->n * sizeof *s->v);
  const perp_status status = run_murty(s);
  for (int32_t i = 0; i < s->n && status != PERP_OK; i++) /* the last basic point */
    run->lambda[i] = s->mode[i] == PERP_MODE_FREE ? s->v[i] : bound(s, i, s->mode[i]);
  return status;
}

/* --- the solvers ----------------------------------------------------------------------------- */

const perp_solver *perp_solver_block_pivoting(void) {
  static const perp_method method = {.state = METHOD_STATE(pivoting),
                                     .needs = NEEDS_BOUNDS | NEEDS_JUDGE | NO_START,
                                     .carve = carve_blocks,
                                     .ranges = ranges,
                                     .start = start_blocks,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_P_MATRIX,
                                     .name = "block-pivoting",
                                     .defaults = &defaults,
                                     .warm_bytes = warm_shape_bytes,
                                     .method = &method};
  return &solver;
}

const perp_solver *perp_solver_murty(void) {
  static const perp_method method = {.state = METHOD_STATE(pivoting),
                                     .needs = NEEDS_BOUNDS | NO_START,
                                     .carve = carve_murty,
                                     .start = start_murty,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_P_MATRIX,
                                     .name = "murty",
                                     .warm_bytes = warm_shape_bytes,
                                     .method = &method};
  return &solver;
}
