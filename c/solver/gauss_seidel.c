/* SPDX-License-Identifier: MIT */
/* Projected Gauss–Seidel and successive over-relaxation. A sweep goes through the unknowns,
 *
 *   λ_i := P_[l,u]( λ_i − ω w_i / d_i ),   w = M λ + q + ρ (λ − c),   d_i = M_ii + ρ,
 *
 * each with the newest λ. ρ = 0 is the plain method; with ρ > 0 the sweeps approach the solution of
 * the proximal problem at the centre c, and c := λ as soon as they are closer to that than it is to
 * the solution of the given problem; at the end λ = c, and ρ has no part in the answer.
 * A fixed point of the sweep is a solution whatever d_i > 0 is. So where M_ii + ρ is not positive
 * d_i = Σ_j M_ij² / M_jj takes its place, over the positive M_jj: for M_ji = −M_ij it is the
 * diagonal of the Schur complement, what the equations of other unknowns make of the missing entry.
 *
 * Dense M is read by columns: w is kept, and a change of λ_j adds a multiple of column j to it,
 * four columns at a time. Sources: [Cryer 1971], [Mangasarian 1977], [Rockafellar 1976]. */
#include "perp/gauss_seidel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/envelope.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/interval.h"
#include "solver/options.h"

enum { DEFAULT_CHECK = 5, PANEL = 4 };

/* Growth of the residual beyond its best value and |q| that counts as divergence. */
#define DIVERGED 1e8

/* The centre moves where the inner residual is below this part of ρ |λ − c|. */
#define INNER 0.1

/* Diagonal entries below this are none: 1 / d would overflow. */
#define LEAST_DIAGONAL 1e-290

/* --- options --------------------------------------------------------------------------------- */

static const perp_gauss_seidel_options defaults = {(uint32_t)sizeof(perp_gauss_seidel_options),
                                                   0,
                                                   PERP_DEFAULT_TOL,
                                                   NULL,
                                                   NULL,
                                                   "perp_gauss_seidel_options",
                                                   1,
                                                   0,
                                                   0,
                                                   DEFAULT_CHECK};

void perp_gauss_seidel_options_init(perp_gauss_seidel_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static perp_status check_options(const void *options, perp_info *info) {
  const perp_gauss_seidel_options *out = options;
  if (!(out->omega > 0 && out->omega < 2)) return fail(info, PERP_EINVAL, "omega", -1, out->omega);
  if (!(out->regularisation >= 0 && out->regularisation <= DBL_MAX))
    return fail(info, PERP_EINVAL, "regularisation", -1, out->regularisation);
  if (out->check < 1) return fail(info, PERP_EINVAL, "check", -1, out->check);
  return PERP_OK;
}

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct sweeper {
  const perp_problem *problem;
  perp_gauss_seidel_options options;
  row_reader rows;
  int32_t n;
  double rho;       /* as it is added to M                                               */
  double largest_q; /* max |q_i|                                                         */
  double factor;    /* by how much the own residual must be below tol, learned           */
  double change;    /* max d_i |δλ_i| of this sweep                                      */
  double best_merit;
  double *lambda;
  double *w; /* dense: M λ + q + ρ (λ − c); blocks: that of the present block     */
  double *lower, *upper; /* n each                                                            */
  double *diagonal;      /* d                                                                 */
  double *centre, *best; /* n each                                                            */
  double *y;             /* M λ + q at a look at the residual: the caller's                   */
  double *scratch;       /* of the residual                                                   */
} sweeper;

static void carve(sweeper *s, arena *a, int32_t unknowns, int32_t kind) {
  const size_t n = (size_t)unknowns, d = sizeof(double), cut = kind == PERP_BLOCKS ? n : 0;
  s->w = arena_take(a, n, d);
  s->lower = arena_take(a, n, d);
  s->upper = arena_take(a, n, d);
  s->diagonal = arena_take(a, n, d);
  s->centre = arena_take(a, n, d);
  s->best = arena_take(a, n, d);
  s->scratch = arena_take(a, residual_scratch_doubles(unknowns), d);
  s->rows.value = s->scratch;
  s->rows.column = arena_take(a, n, sizeof(int32_t));
  s->rows.block = arena_take(a, cut, sizeof(int32_t));
  s->rows.at = arena_take(a, cut, sizeof(size_t));
}

static size_t workspace(const perp_shape *shape, const void *options) {
  (void)options;
  sweeper s;
  if (shape->n < 0) return 0;
  arena a = arena_measure();
  carve(&s, &a, shape->n, shape->matrix);
  return arena_bytes(&a);
}

static perp_status open_workspace(sweeper *s, const perp_problem *problem, double *lambda,
                                  double *y, void *work, size_t work_bytes) {
  arena a = arena_open(work, work_bytes);
  memset(s, 0, sizeof *s);
  carve(s, &a, problem->n, problem->M.kind);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  s->problem = problem;
  s->n = problem->n;
  s->lambda = lambda;
  s->y = y;
  s->rows.M = &problem->M;
  s->factor = 1;
  s->best_merit = INFINITY;
  return PERP_OK;
}

/* --- diagonal -------------------------------------------------------------------------------- */

/* max |M_ij| of row i, NaN if there is one. */
static double largest_in_row(const sweeper *s, int32_t i) {
  const matrix_row row = row_read(&s->rows, i);
  double largest = 0;
  for (int32_t c = 0; c < row.count; c++) largest = interval_raise(largest, row.value[c]);
  return largest;
}

/* What ρ and the diagonal of zeros are measured by. */
static double diagonal_scale(const sweeper *s) {
  double largest = 0;
  for (int32_t i = 0; i < s->n; i++) largest = interval_raise(largest, s->diagonal[i]);
  for (int32_t i = 0; i < s->n && largest == 0; i++) largest = largest_in_row(s, i);
  return largest > 0 ? largest : 1;
}

static double substitute(const sweeper *s, int32_t i) {
  const matrix_row row = row_read(&s->rows, i);
  double sum = 0, largest = 0;
  for (int32_t c = 0; c < row.count; c++) {
    const int32_t j = row.column[c];
    const double v = fabs(row.value[c]), d = s->diagonal[j];
    largest = interval_raise(largest, v);
    if (j != i && d >= LEAST_DIAGONAL) sum += v * (v / d);
  }
  if (sum >= LEAST_DIAGONAL && sum <= DBL_MAX) return sum;
  return largest >= LEAST_DIAGONAL ? largest : 1;
}

/* Unknowns whose row of M is zero go where q_i sends them. One that nothing stops proves that there
 * is no solution: y_i = q_i whatever λ is. Reads M_ii. */
static perp_status settle_zero_rows(sweeper *s, perp_info *info) {
  for (int32_t i = 0; i < s->n; i++) {
    const double q = s->problem->q[i];
    if (!(fabs(q) > 0) || s->diagonal[i] != 0 || largest_in_row(s, i) != 0) continue;
    const double end = q > 0 ? s->lower[i] : s->upper[i];
    if (fabs(end) <= DBL_MAX) {
      s->lambda[i] = end;
      continue;
    }
    for (int32_t j = 0; j < s->n; j++) s->w[j] = 0;
    s->w[i] = q > 0 ? -1 : 1;
    info_proof(info, (double)INFINITY, s->n, s->w);
    return PERP_INFEASIBLE;
  }
  return PERP_OK;
}

/* From M_ii to d, and ρ to units of M. The substitutes need M_jj of all others: they wait in w. */
static void prepare_diagonal(sweeper *s) {
  double *d = s->diagonal;
  if (s->options.regularisation > 0) s->rho = s->options.regularisation * diagonal_scale(s);
  for (int32_t i = 0; i < s->n; i++)
    s->w[i] = d[i] + s->rho >= LEAST_DIAGONAL ? d[i] + s->rho : substitute(s, i);
  memcpy(d, s->w, (size_t)s->n * sizeof *d);
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* Relax unknown i, of which w is known; the change of λ_i. */
static inline double relax(sweeper *s, int32_t i, double w) {
  const double before = s->lambda[i], d = s->diagonal[i];
  const double after = clip(before - s->options.omega * (w / d), s->lower[i], s->upper[i]);
  const double moved = after - before;
  s->lambda[i] = after;
  s->change = interval_raise(s->change, d * moved);
  return moved;
}

/* Relax rows unknowns from first on whose block of M is D (NULL: zero) and whose w is in w. */
static void relax_block(sweeper *s, int32_t first, int32_t rows, const double *D, size_t ld,
                        int backward, double *restrict w, double *restrict moved) {
  for (int32_t k = 0; k < rows; k++) {
    const int32_t a = backward ? rows - 1 - k : k;
    const double by = relax(s, first + a, w[a]);
    moved[a] = by;
    if (by == 0) continue;
    for (int32_t b = 0; b < rows && D != NULL; b++) w[b] += by * D[(size_t)b + ld * (size_t)a];
  }
}

static void sweep_dense(sweeper *s, int backward) {
  const perp_matrix *M = &s->problem->M;
  const size_t ld = (size_t)M->ld;
  const int32_t panels = (s->n - 1) / PANEL + 1;
  double w[PANEL], moved[PANEL];
  for (int32_t k = 0; k < panels; k++) {
    const int32_t first = (backward ? panels - 1 - k : k) * PANEL;
    const int32_t cols = s->n - first < PANEL ? s->n - first : PANEL;
    const double *columns = M->values + ld * (size_t)first;
    int any = 0;
    for (int32_t a = 0; a < cols; a++) w[a] = s->w[first + a];
    relax_block(s, first, cols, columns + first, ld, backward, w, moved);
    for (int32_t a = 0; a < cols; a++) any |= moved[a] != 0;
    if (!any) continue;
    perp_dense_multiply_add(s->n, cols, columns, M->ld, moved, s->w);
    for (int32_t a = 0; a < cols; a++) s->w[first + a] += s->rho * moved[a];
  }
}

/* The part of w_i that no entry of M has a part in. */
static inline double constant_part(const sweeper *s, int32_t i) {
  return s->problem->q[i] + s->rho * (s->lambda[i] - s->centre[i]);
}

static void sweep_blocks(sweeper *s, int backward) {
  const perp_matrix *M = &s->problem->M;
  for (int32_t k = 0; k < M->block_rows; k++) {
    const int32_t r = backward ? M->block_rows - 1 - k : k, first = M->offset[r];
    const int32_t rows = M->offset[r + 1] - first;
    const double *v = M->values + s->rows.at[r], *D = NULL;
    double *w = s->w + first;
    for (int32_t a = 0; a < rows; a++) w[a] = constant_part(s, first + a);
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      const int32_t c = M->index[b], from = M->offset[c], cols = M->offset[c + 1] - from;
      if (c == r) D = v;
      perp_dense_multiply_add(rows, cols, v, rows, s->lambda + from, w);
      v += (size_t)rows * (size_t)cols;
    }
    relax_block(s, first, rows, D, (size_t)rows, backward, w, s->scratch);
  }
}

static void sweep_rows(sweeper *s, int backward) {
  const perp_matrix *M = &s->problem->M;
  for (int32_t k = 0; k < s->n; k++) {
    const int32_t i = backward ? s->n - 1 - k : k;
    double w = constant_part(s, i);
    if (M->kind == PERP_BLOCKS) w += row_dot(&s->rows, i, s->lambda);
    if (M->kind == PERP_DIAGONAL) w += M->values[i] * s->lambda[i];
    (void)relax(s, i, w);
  }
}

static void sweep(sweeper *s, int backward) {
  const perp_matrix *M = &s->problem->M;
  s->change = 0;
  if (M->kind == PERP_DENSE)
    sweep_dense(s, backward);
  else if (M->kind == PERP_BLOCKS && M->offset != NULL)
    sweep_blocks(s, backward);
  else
    sweep_rows(s, backward);
}

/* --- looks at the residual ------------------------------------------------------------------- */

enum { GO_ON = 100 };

/* y := M λ + q of the present λ. */
static void refresh(sweeper *s) {
  memcpy(s->y, s->problem->q, (size_t)s->n * sizeof *s->y);
  perp_matrix_multiply_add(&s->problem->M, s->lambda, s->y);
}

/* The kept w follows y; any other is made anew where it is used. */
static void keep(sweeper *s) {
  for (int32_t i = 0; i < s->n; i++) s->w[i] = s->y[i] + s->rho * (s->lambda[i] - s->centre[i]);
}

static void look(sweeper *s) {
  if (s->problem->M.kind != PERP_DENSE) {
    refresh(s);
    return;
  }
  for (int32_t i = 0; i < s->n; i++) s->y[i] = s->w[i] - s->rho * (s->lambda[i] - s->centre[i]);
}

/* max |residual| with y moved by part ρ (λ − c); NaN if there is one. */
static double largest_residual(const sweeper *s, double part) {
  double merit = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double y = s->y[i] + part * s->rho * (s->lambda[i] - s->centre[i]);
    merit = interval_raise(
        merit, interval_residual(s->lambda[i], s->lower[i], s->upper[i], s->diagonal[i], y));
  }
  return merit;
}

/* A lower bound of the size of the terms of y. */
static double scale(const sweeper *s) {
  double largest = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double size = fabs(s->diagonal[i] * s->lambda[i]) + fabs(s->problem->q[i]);
    if (size > largest) largest = size;
  }
  return largest;
}

/* Let the centre follow where the inner problem is solved well enough. Returns whether it moved. */
static int follow(sweeper *s, double target) {
  double moved = 0;
  if (s->rho == 0) return 0;
  for (int32_t i = 0; i < s->n; i++)
    moved = interval_raise(moved, s->rho * (s->lambda[i] - s->centre[i]));
  const double inner = largest_residual(s, 1);
  if (!(moved > 0 && (inner <= INNER * moved || inner <= INNER * target))) return 0;
  memcpy(s->centre, s->lambda, (size_t)s->n * sizeof *s->centre);
  keep(s);
  return 1;
}

/* The judge's own residual at λ. If it says no, the own one must become smaller before it is asked
 * again: by as much as it was too small. */
static int confirmed(sweeper *s) {
  perp_residual r;
  perp_residual_compute(s->problem, s->lambda, s->y, &r, s->scratch);
  if (perp_residual_solved(&r, s->options.tol)) return 1;
  s->factor = tightened(s->factor, s->options.tol, r.relative);
  keep(s);
  return 0;
}

static perp_status look_and_judge(sweeper *s) {
  look(s);
  const double merit = largest_residual(s, 0);
  if (!(merit <= DBL_MAX)) return PERP_INACCURATE;
  if (merit > DIVERGED * (s->best_merit + s->largest_q)) return PERP_INACCURATE;
  if (merit < s->best_merit) {
    memcpy(s->best, s->lambda, (size_t)s->n * sizeof *s->best);
    s->best_merit = merit;
  }
  const double target = s->factor * s->options.tol * scale(s);
  const int still = s->change == 0;
  if ((merit <= target || still) && confirmed(s)) return PERP_OK;
  if (follow(s, target)) return GO_ON;
  return still ? PERP_INACCURATE : GO_ON;
}

/* --- the solver ------------------------------------------------------------------------------ */

static perp_status begin(sweeper *s) {
  refresh(s);
  memcpy(s->centre, s->lambda, (size_t)s->n * sizeof *s->centre);
  keep(s);
  s->change = INFINITY;
  return look_and_judge(s);
}

/* A start that is no use (an infinity comes of it) is replaced by the point of the box next to 0.
 */
static perp_status first_look(sweeper *s) {
  const perp_status status = begin(s);
  if (status != PERP_INACCURATE) return status;
  for (int32_t i = 0; i < s->n; i++) s->lambda[i] = clip(0, s->lower[i], s->upper[i]);
  return begin(s);
}

static perp_status run(sweeper *s, int32_t *iterations) {
  perp_status status = first_look(s);
  const perp_gauss_seidel_options *o = &s->options;
  for (int32_t k = 0; k < o->max_iter && status == GO_ON; k++) {
    sweep(s, o->symmetric != 0 && k % 2 == 1);
    *iterations = k + 1;
    const perp_iterate it = {k, -1, -1, s->change};
    if (o->observe != NULL && o->observe(&it, o->user) != 0) return PERP_STOPPED;
    if ((k + 1) % o->check == 0 || k + 1 == o->max_iter || s->change == 0)
      status = look_and_judge(s);
  }
  if (status != PERP_OK && s->best_merit <= DBL_MAX)
    memcpy(s->lambda, s->best, (size_t)s->n * sizeof *s->best);
  return status == GO_ON ? PERP_MAX_ITER : status;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  sweeper s;
  int32_t iterations = 0;
  (void)warm;
  perp_status status = open_workspace(&s, problem, lambda, y, work, work_bytes);
  if (status != PERP_OK) return fail(info, status, "work_bytes", -1, (double)work_bytes);
  s.options = *(const perp_gauss_seidel_options *)options;
  if (s.options.max_iter == 0) s.options.max_iter = s.n < 20000000 ? 2000 + 50 * s.n : INT32_MAX;
  perp_problem_bounds(problem, s.lower, s.upper);
  interval_start(s.n, lambda, s.lower, s.upper);
  perp_row_reader_prepare(&s.rows);
  for (int32_t i = 0; i < s.n; i++) s.largest_q = interval_raise(s.largest_q, problem->q[i]);
  perp_matrix_diagonal(&problem->M, s.diagonal);
  status = settle_zero_rows(&s, info);
  if (status == PERP_OK) {
    prepare_diagonal(&s);
    status = run(&s, &iterations);
  }
  if (info_ready(info)) info->iterations = iterations;
  return status;
}

const perp_solver *perp_solver_gauss_seidel(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
      .name = "pgs",
      .defaults = &defaults,
      .check = check_options,
      .workspace = workspace,
      .solve = solve};
  return &solver;
}
