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
 * Dense M is read by columns: M λ + q is kept, and a change of λ_j adds a multiple of column j to
 * it, four columns at a time. Sources: [Cryer 1971], [Mangasarian 1977], [Rockafellar 1976]. */
#include "perp/sweeps.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/residual.h"
#include "solver/sweeps.h"

enum { DEFAULT_CHECK = 5, PANEL = 4 };

/* --- options --------------------------------------------------------------------------------- */

static const perp_pgs_options defaults = {.struct_size = (uint32_t)sizeof(perp_pgs_options),
                                          .tol = PERP_DEFAULT_TOL,
                                          .kind = "perp_pgs_options",
                                          .omega = 1,
                                          .check = DEFAULT_CHECK};

void perp_pgs_options_init(perp_pgs_options *opts, size_t size) {
  perp_options_fill(opts, size, &defaults, sizeof defaults);
}

static const option_range ranges[] = {
    {FIELD(perp_pgs_options, omega), OPTION_OPEN, 0, 2},
    {FIELD(perp_pgs_options, regularisation), OPTION_CLOSED, 0, DBL_MAX},
    {FIELD(perp_pgs_options, symmetric), OPTION_INT, INT32_MIN, INT32_MAX},
    {FIELD(perp_pgs_options, check), OPTION_INT, 1, INT32_MAX},
    {0}};

/* --- memory ---------------------------------------------------------------------------------- */

typedef struct sweeper {
  session *run;
  const perp_pgs_options *options;
  row_reader rows;
  double rho;       /* as it is added to M                                               */
  double largest_q; /* max |q_i|                                                         */
  double *w;        /* n: scratch                                                  */
  double *diagonal; /* d                                                           */
  double *centre;   /* n                                                           */
} sweeper;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  sweeper *s = state;
  const size_t n = (size_t)shape->n, d = sizeof(double);
  (void)options;
  s->w = arena_take(a, n, d);
  s->diagonal = arena_take(a, n, d);
  s->centre = arena_take(a, n, d);
  row_reader_carve(&s->rows, a, n, shape->matrix == PERP_BLOCKS);
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
  double largest = perp_residual_weighted_largest(s->run->n, NULL, s->diagonal);
  for (int32_t i = 0; i < s->run->n && largest == 0; i++) largest = largest_in_row(s, i);
  return largest > 0 ? largest : 1;
}

/* Unknowns whose row of M is zero go where q_i sends them. One that nothing stops proves that there
 * is no solution: y_i = q_i whatever λ is. Reads M_ii. */
static perp_status settle_zero_rows(sweeper *s) {
  for (int32_t i = 0; i < s->run->n; i++) {
    const double q = s->run->problem->q[i];
    if (!(fabs(q) > 0) || s->diagonal[i] != 0 || largest_in_row(s, i) != 0) continue;
    const double end = q > 0 ? s->run->lower[i] : s->run->upper[i];
    if (fabs(end) <= DBL_MAX) {
      s->run->lambda[i] = end;
      continue;
    }
    for (int32_t j = 0; j < s->run->n; j++) s->w[j] = 0;
    s->w[i] = q > 0 ? -1 : 1;
    info_proof(s->run->info, (double)INFINITY, s->run->n, s->w);
    return PERP_INFEASIBLE;
  }
  return GO_ON;
}

/* From M_ii to d, and ρ to units of M. The substitutes need M_jj of all others: they wait in w. */
static void prepare_diagonal(sweeper *s) {
  double *d = s->diagonal;
  if (s->options->regularisation > 0) s->rho = s->options->regularisation * diagonal_scale(s);
  for (int32_t i = 0; i < s->run->n; i++) {
    s->w[i] = d[i] + s->rho;
    if (!(s->w[i] >= LEAST_DIAGONAL)) s->w[i] = perp_sweep_substitute(&s->rows, d, i);
    if (!(s->w[i] >= LEAST_DIAGONAL)) s->w[i] = 1;
  }
  memcpy(d, s->w, (size_t)s->run->n * sizeof *d);
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* ρ (λ − c)_i */
static inline double pull(const sweeper *s, int32_t i) {
  return s->rho * (s->run->lambda[i] - s->centre[i]);
}

/* Relax unknown i, of which w is known; the change of λ_i. */
static inline double relax(sweeper *s, int32_t i, double w) {
  const double before = s->run->lambda[i], d = s->diagonal[i];
  const double after =
      clip(before - s->options->omega * (w / d), s->run->lower[i], s->run->upper[i]);
  const double moved = after - before;
  s->run->lambda[i] = after;
  s->run->merit = interval_raise(s->run->merit, d * moved);
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
  const perp_matrix *M = &s->run->problem->M;
  const size_t ld = (size_t)M->ld;
  const int32_t panels = (s->run->n - 1) / PANEL + 1;
  double w[PANEL], moved[PANEL];
  for (int32_t k = 0; k < panels; k++) {
    const int32_t first = (backward ? panels - 1 - k : k) * PANEL;
    const int32_t cols = s->run->n - first < PANEL ? s->run->n - first : PANEL;
    const double *columns = M->values + ld * (size_t)first;
    int any = 0;
    for (int32_t a = 0; a < cols; a++) w[a] = s->run->y[first + a] + pull(s, first + a);
    relax_block(s, first, cols, columns + first, ld, backward, w, moved);
    for (int32_t a = 0; a < cols; a++) any |= moved[a] != 0;
    if (!any) continue;
    perp_dense_multiply_add(s->run->n, cols, columns, M->ld, moved, s->run->y);
  }
}

static void sweep_blocks(sweeper *s, int backward) {
  const perp_matrix *M = &s->run->problem->M;
  for (int32_t k = 0; k < M->block_rows; k++) {
    const int32_t r = backward ? M->block_rows - 1 - k : k, first = M->offset[r];
    const int32_t rows = M->offset[r + 1] - first;
    const double *v = M->values + s->rows.at[r], *D = NULL;
    double *w = s->w + first;
    for (int32_t a = 0; a < rows; a++) w[a] = s->run->problem->q[first + a] + pull(s, first + a);
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++) {
      const int32_t c = M->index[b], from = M->offset[c], cols = M->offset[c + 1] - from;
      if (c == r) D = v;
      perp_dense_multiply_add(rows, cols, v, rows, s->run->lambda + from, w);
      v += (size_t)rows * (size_t)cols;
    }
    relax_block(s, first, rows, D, (size_t)rows, backward, w, s->rows.value);
  }
}

static void sweep_rows(sweeper *s, int backward) {
  for (int32_t k = 0; k < s->run->n; k++) {
    const int32_t i = backward ? s->run->n - 1 - k : k;
    (void)relax(s, i, s->run->problem->q[i] + pull(s, i) + row_dot(&s->rows, i, s->run->lambda));
  }
}

static void sweep(sweeper *s, int backward) {
  const perp_matrix *M = &s->run->problem->M;
  s->run->merit = 0; /* max d_i |δλ_i| */
  if (M->kind == PERP_DENSE)
    sweep_dense(s, backward);
  else if (M->kind == PERP_BLOCKS && M->offset != NULL)
    sweep_blocks(s, backward);
  else
    sweep_rows(s, backward);
}

/* --- looks at the residual ------------------------------------------------------------------- */

/* y := M λ + q of the present λ. */
static void refresh(sweeper *s) {
  memcpy(s->run->y, s->run->problem->q, (size_t)s->run->n * sizeof *s->run->y);
  perp_matrix_multiply_add(&s->run->problem->M, s->run->lambda, s->run->y);
}

/* max |residual| with y moved by part ρ (λ − c), NaN if there is one; and a lower bound of the size
 * of the terms of y. */
static double measure(const sweeper *s, double part, double *size) {
  double merit = 0;
  *size = 0;
  for (int32_t i = 0; i < s->run->n; i++) {
    const double x = s->run->lambda[i], d = s->diagonal[i], y = s->run->y[i] + part * pull(s, i);
    const double terms = fabs(d * x) + fabs(s->run->problem->q[i]);
    merit = interval_raise(merit, interval_residual(x, s->run->lower[i], s->run->upper[i], d, y));
    if (terms > *size) *size = terms;
  }
  return merit;
}

/* Let the centre follow where the inner problem is solved well enough. Returns whether it moved. */
static int follow(sweeper *s, double target) {
  if (s->rho == 0) return 0;
  const double moved = distance_to_centre(s->run->n, s->rho, s->run->lambda, s->centre);
  double size;
  const double inner = measure(s, 1, &size);
  if (!(moved > 0 && (inner <= INNER * moved || inner <= INNER * target))) return 0;
  memcpy(s->centre, s->run->lambda, (size_t)s->run->n * sizeof *s->centre);
  return 1;
}

static perp_status look_and_judge(sweeper *s) {
  if (s->run->problem->M.kind != PERP_DENSE) refresh(s); /* which sweeps over dense M keep */
  double size;
  const double merit = measure(s, 0, &size);
  if (!(merit <= DBL_MAX)) return PERP_INACCURATE;
  if (merit > DIVERGED * (s->run->best_merit + s->largest_q)) return PERP_INACCURATE;
  (void)perp_session_keep(s->run, merit);
  const double target = s->run->factor * s->run->tol * size;
  const int still = s->run->merit == 0;
  if ((merit <= target || still) && perp_session_confirmed(s->run)) return PERP_OK;
  if (follow(s, target)) return GO_ON;
  return still ? PERP_INACCURATE : GO_ON;
}

/* --- the solver ------------------------------------------------------------------------------ */

static perp_status begin(sweeper *s) {
  refresh(s);
  memcpy(s->centre, s->run->lambda, (size_t)s->run->n * sizeof *s->centre);
  s->run->merit = INFINITY;
  return look_and_judge(s);
}

/* A start that is no use (an infinity comes of it) is replaced by the point of the box next to 0.
 */
static perp_status first_look(sweeper *s) {
  const perp_status status = begin(s);
  if (status != PERP_INACCURATE) return status;
  for (int32_t i = 0; i < s->run->n; i++)
    s->run->lambda[i] = clip(0, s->run->lower[i], s->run->upper[i]);
  return begin(s);
}

static perp_status start(void *state, session *run) {
  sweeper *s = state;
  s->run = run;
  s->options = run->options;
  s->rows.value = run->scratch;
  if (s->options->max_iter == 0) run->max_iter = run->n < 20000000 ? 2000 + 50 * run->n : INT32_MAX;
  run->price = perp_matrix_work(&run->problem->M) + 10.0 * run->n;
  perp_row_reader_prepare(&s->rows, &run->problem->M);
  s->largest_q = perp_residual_weighted_largest(run->n, NULL, run->problem->q);
  perp_matrix_diagonal(&run->problem->M, s->diagonal);
  const perp_status status = settle_zero_rows(s);
  if (status != GO_ON) return status;
  prepare_diagonal(s);
  return first_look(s);
}

static perp_status iterate(void *state, session *run) {
  sweeper *s = state;
  const int32_t k = run->iterations;
  sweep(s, s->options->symmetric != 0 && k % 2 == 1);
  if ((k + 1) % s->options->check == 0 || k + 1 == run->max_iter || run->merit == 0)
    return look_and_judge(s);
  return GO_ON;
}

const perp_solver *perp_solver_pgs(void) {
  static const perp_method method = {.state = METHOD_STATE(sweeper),
                                     .ranges = ranges,
                                     .needs = NEEDS_BOUNDS | NEEDS_BEST | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start,
                                     .iterate = iterate};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "pgs",
                                     .defaults = &defaults,
                                     .method = &method};
  return &solver;
}
