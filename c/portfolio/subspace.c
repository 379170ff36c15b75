/* SPDX-License-Identifier: MIT */
/* min ½ λᵀM λ + qᵀλ on [l, u] for symmetric positive definite M by the steps of the conjugate
 * gradient, and before them sweeps of projected Gauss–Seidel, λ_i := P(λ_i − g_i / M_ii) with
 * g = M λ + q, as long as these are fast; where M is not symmetric by sweeps alone. Four unknowns
 * at a time they change g of all by four columns.
 *
 * For dense M all that happens on a subset that is copied out of M: every unknown that is not at a
 * bound where y holds it. The subset is solved roughly, then y of all is looked at, and the subset
 * is made anew, until nothing outside of it moves. So most products touch a quarter of M. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "portfolio/portfolio.h"
#include "solver/sweeps.h"

/* As the conjugate gradient's own. */
#define PROPORTION 0.5

const perp_subspace_options perp_subspace_defaults = {
    {.struct_size = (uint32_t)sizeof(perp_subspace_options), .tol = PERP_DEFAULT_TOL},
    .kind = "subspace",
    .symmetric = 1};

typedef struct subspace {
  session *run;
  int32_t symmetric, slow; /* M is; sweeps were seen to be                                 */
  int32_t *list;           /* n: the subset                                                */
  double *block;           /* M of the subset, in n x n; NULL: M itself, the subset is all */
  double least;            /* accepted |y_i|                                               */
  double *diagonal;        /* n: M_ii                                                      */
  double *lower, *upper;   /* n: of the subset                                             */
  perp_matrix M;           /* of the subset                                                */
  box_descent on;          /* the subset                                                   */
} subspace;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  subspace *s = state;
  box_descent *d = &s->on;
  double **const vectors[] = {&d->lambda, &d->g,     &d->p,     &d->Mp,       &d->weight, &d->meets,
                              &d->since,  &s->lower, &s->upper, &s->diagonal, NULL};
  const size_t n = (size_t)shape->n;
  const int dense = shape->matrix == PERP_DENSE;
  s->symmetric = ((const perp_subspace_options *)options)->symmetric;
  s->block = arena_take(a, dense ? n * n : 0, sizeof(double));
  arena_take_doubles(a, n, vectors);
  s->list = arena_take(a, n, sizeof(int32_t));
  d->heap = arena_take(a, n, sizeof(int32_t));
  d->rows.value = arena_take(a, dense ? 0 : n, sizeof(double));
  row_reader_carve(&d->rows, a, dense ? 0 : n, shape->matrix == PERP_BLOCKS);
}

/* ---- on the subset ---- */

/* Whether y holds an unknown at its bound. */
static inline int held(double x, double y, double l, double u) {
  return (x <= l && y >= 0) || (x >= u && y <= 0);
}

/* Largest |y_i| that no bound answers for, NaN if there is one. */
static double largest_error(int32_t n, const double *x, const double *y, const double *l,
                            const double *u) {
  double worst = 0;
  for (int32_t i = 0; i < n; i++)
    if (!held(x[i], y[i], l[i], u[i])) worst = interval_raise(worst, y[i]);
  return worst;
}

/* GO_ON for one step more, PERP_OK at the target, or what ends the steps from outside. */
static perp_status look(const subspace *s, double target, double *error) {
  const box_descent *d = &s->on;
  *error = largest_error(d->n, d->lambda, d->g, d->lower, d->upper);
  if (*error <= target) return PERP_OK;
  if (perp_session_limits(s->run) != GO_ON) return PERP_MAX_ITER;
  return perp_session_step(s->run, -1, -1, *error) == PERP_STOPPED ? PERP_STOPPED : GO_ON;
}

/* To the target: PERP_OK, PERP_RAY (M is not definite), PERP_MAX_ITER, PERP_STOPPED. */
static perp_status minimise(subspace *s, double target) {
  double error;
  for (;;) {
    perp_status status = look(s, target, &error);
    if (status != GO_ON) return status;
    status = perp_box_descent_step(&s->on, PROPORTION);
    s->run->work += perp_matrix_work(&s->M) + 20.0 * s->on.n; /* as there */
    if (status != GO_ON) return status == PERP_RAY ? status : PERP_MAX_ITER;
  }
}

/* One sweep over the unknowns. */
static void relax(subspace *s) {
  const box_descent *d = &s->on;
  const int32_t k = d->n;
  for (int32_t b = 0; b < k; b += 4) {
    const int32_t count = k - b < 4 ? k - b : 4;
    const double *block = s->block + (size_t)k * (size_t)b;
    double change[4] = {0, 0, 0, 0}, any = 0;
    for (int32_t c = 0; c < count; c++) {
      const int32_t i = b + c;
      double g = d->g[i]; /* with the changes of this group */
      for (int32_t e = 0; e < c; e++) g += block[(size_t)i + (size_t)k * (size_t)e] * change[e];
      const double to = clip(d->lambda[i] - d->weight[i] * g, d->lower[i], d->upper[i]);
      change[c] = to - d->lambda[i];
      any += fabs(change[c]);
      d->lambda[i] = to;
    }
    if (any != 0) perp_dense_multiply_add(k, count, block, k, change, d->g);
  }
  s->run->work += (double)k * k;
}

/* Sweeps to the target, as long as so many of them reduce the error to a part. */
static perp_status sweep(subspace *s, double target, int32_t patience, double part) {
  double last = INFINITY, error;
  for (int32_t sweeps = 0;; sweeps++) {
    const perp_status status = look(s, target, &error);
    if (status != GO_ON) return status;
    if (sweeps % patience == 0) {
      if (!(error < part * last)) return PERP_MAX_ITER;
      last = error;
    }
    relax(s);
  }
}

/* To the target by whatever is fast: once conjugate gradients promise more, they do the rest. */
static perp_status solve_face(subspace *s, double target) {
  if (!s->symmetric) return sweep(s, target, 8, 0.5);
  if (s->block != NULL && !s->slow) {
    const perp_status status = sweep(s, target, 2, 0.2);
    if (status != PERP_MAX_ITER) return status;
    s->slow = 1;
  }
  return minimise(s, target);
}

/* ---- the subset ---- */

static int is_held(const session *r, int32_t i) {
  return held(r->lambda[i], r->y[i], r->lower[i], r->upper[i]);
}

/* Whether the subset still has every unknown that no bound holds, and few others. */
static int still_fits(const subspace *s) {
  int32_t at = 0, needed = 0;
  for (int32_t i = 0; i < s->run->n; i++) {
    const int inside = at < s->on.n && s->list[at] == i;
    at += inside;
    if (is_held(s->run, i)) continue;
    if (!inside) return 0;
    needed++;
  }
  return 8 * needed >= 7 * s->on.n;
}

/* The subset: everything for sparse M. */
static void choose(subspace *s) {
  const int all = s->block == NULL;
  s->on.n = 0;
  for (int32_t i = 0; i < s->run->n; i++)
    if (all || !is_held(s->run, i)) s->list[s->on.n++] = i;
}

/* Copy of M on the subset if it is not known, and its vectors at λ. 0 if a diagonal entry is not
 * positive. */
static int gather(subspace *s, int known) {
  const session *run = s->run;
  const perp_matrix *M = &run->problem->M;
  box_descent *d = &s->on;
  const int32_t k = d->n, *restrict list = s->list;
  d->conjugate = 0;
  for (int32_t a = 0; a < k; a++) {
    const int32_t i = list[a];
    if (!(s->diagonal[i] > 0 && s->diagonal[i] <= DBL_MAX)) return 0;
    d->weight[a] = 1 / s->diagonal[i];
    d->lambda[a] = run->lambda[i];
    d->g[a] = run->y[i];
    s->lower[a] = run->lower[i];
    s->upper[a] = run->upper[i];
  }
  if (s->block == NULL || known) return 1;
  s->M = perp_dense(k, k, s->block);
  for (int32_t b = 0; b < k; b++) {
    const double *restrict column = M->values + (size_t)M->ld * (size_t)list[b];
    double *restrict out = s->block + (size_t)k * (size_t)b;
    for (int32_t a = 0; a < k; a++) out[a] = column[list[a]];
  }
  return 1;
}

/* y := M λ + q of all, and how far that is from a solution. */
static double look_at_all(session *run) {
  const perp_matrix *M = &run->problem->M;
  memcpy(run->y, run->problem->q, (size_t)run->n * sizeof *run->y);
  run->work += (double)run->n * perp_multiply_add_sparsely(M, run->lambda, run->y);
  return largest_error(run->n, run->lambda, run->y, run->lower, run->upper);
}

static void open_problem(subspace *s, session *run) {
  box_descent *d = &s->on;
  s->run = run;
  s->M = run->problem->M;
  s->least = run->tol * largest_size(run->n, run->problem->q);
  perp_matrix_diagonal(&s->M, s->diagonal);
  d->M = &s->M;
  d->lower = s->lower;
  d->upper = s->upper;
  if (s->block == NULL) perp_row_reader_prepare(&d->rows, &s->M);
}

/* The whole method. */
static perp_status start(void *state, session *run) {
  subspace *s = state;
  open_problem(s, run);
  run->max_iter--; /* for who comes next, if it comes to that */
  double error = look_at_all(run);
  while (!(error <= s->least)) {
    if (!(error <= DBL_MAX)) return PERP_RAY;
    const int known = s->on.n > 0 && still_fits(s);
    if (!known) choose(s);
    if (!gather(s, known)) return PERP_RAY;
    const double target = 5e-3 * error, least = 0.5 * s->least;
    const perp_status status = solve_face(s, target > least ? target : least);
    for (int32_t a = 0; a < s->on.n; a++) run->lambda[s->list[a]] = s->on.lambda[a];
    error = look_at_all(run);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

const perp_solver *perp_solver_subspace(void) {
  static const perp_method method = {
      .state = METHOD_STATE(subspace), .needs = NEEDS_BOUNDS, .carve = carve, .start = start};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = INTERVAL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .name = "subspace",
                                     .defaults = &perp_subspace_defaults,
                                     .method = &method};
  return &solver;
}
