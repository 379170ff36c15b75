/* SPDX-License-Identifier: MIT */
/* Nonsmooth Gauss–Seidel with little memory and little code: plain sweeps that read M where it is,
 *
 *   λ_a := solution of  y = M_aa λ_a + (q_a + Σ_{b≠a} M_ab λ_b),  (y, λ_a) ∈ law_a,
 *
 * intervals exactly, other laws by what their tables have, so that nothing is linked that the
 * problem's laws do not bring. The residual is looked at when a sweep hardly moved.
 * Sources: as nsgs.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/envelope.h"
#include "perp/sweeps.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/interval.h"
#include "solver/local_law.h"
#include "solver/options.h"

/* Sweeps in which nothing but rounding moves, after which there is no more to come. */
enum { DEFAULT_SWEEPS = 10000, IDLE = 50 };

/* Attempts at exact solutions that may be in vain, a contact: each may cost milliseconds. */
enum { VAIN = 8 };

typedef struct session {
  const perp_problem *problem;
  perp_solver_options options;
  contact *contacts;
  int32_t count;
  row_reader rows;
  double *lower, *upper;      /* n                                                    */
  double *D;                  /* block of one contact, column-major                   */
  double *w, *before, *trial; /* of one contact                                       */
  double *scratch, *spare;    /* of the residual, of projections                      */
  double *lambda, *y;         /* the caller's                                         */
  int32_t vain;               /* attempts at exact solutions that may yet be in vain  */
  double size;                /* largest |q_i| and D_ii |λ_i| that the last sweep saw */
} session;

static void carve(session *v, arena *a, const perp_shape *shape) {
  const size_t n = (size_t)shape->n, d = sizeof(double), i = sizeof(int32_t);
  const size_t most = (size_t)shape->largest, cut = shape->matrix == PERP_BLOCKS ? n : 0;
  v->contacts = arena_take(a, (size_t)shape->contacts, sizeof *v->contacts);
  v->lower = arena_take(a, n, d);
  v->upper = arena_take(a, n, d);
  v->D = arena_take(a, most > 0 && most > SIZE_MAX / most ? SIZE_MAX : most * most, d);
  v->w = arena_take(a, most, d);
  v->before = arena_take(a, most, d);
  v->trial = arena_take(a, most, d);
  v->rows.column = arena_take(a, n, i);
  v->rows.value = arena_take(a, n, d);
  v->rows.block = arena_take(a, cut, i);
  v->rows.at = arena_take(a, cut, sizeof(size_t));
  v->scratch = arena_take(a, residual_scratch_doubles(shape->n), d);
  v->spare = arena_take(a, shape->projection, d); /* right behind it */
}

static size_t workspace(const perp_shape *shape, const void *options) {
  session v;
  (void)options;
  if (shape->n < 0) return 0;
  arena a = arena_measure();
  carve(&v, &a, shape);
  return arena_bytes(&a);
}

/* D and w := q_a + Σ_{b≠a} M_ab λ_b of a contact. The mean diagonal entry of D. */
static double read_contact(session *v, const contact *c) {
  const size_t size = (size_t)c->size;
  double trace = 0;
  memset(v->D, 0, size * size * sizeof *v->D);
  for (size_t i = 0; i < size; i++) {
    const matrix_row row = row_read(&v->rows, c->begin + (int32_t)i);
    double sum = v->problem->q[(size_t)c->begin + i];
    for (int32_t e = 0; e < row.count; e++) {
      const int32_t j = row.column[e] - c->begin;
      if (j >= 0 && j < c->size)
        v->D[i + size * (size_t)j] += row.value[e];
      else
        sum += row.value[e] * v->lambda[row.column[e]];
    }
    v->w[i] = sum;
    trace += fabs(v->D[i * (size + 1)]);
  }
  return trace / c->size;
}

/* Without a diagonal entry y is what it is, and λ goes to the bound that allows it. */
static double solve_interval(double D, double w, double lower, double upper, double lambda) {
  if (D > 0) return clip(-(w / D), lower, upper);
  const double bound = w > 0 ? lower : upper;
  return w != 0 && fabs(bound) <= DBL_MAX ? bound : lambda;
}

/* The change of one contact in units of y. */
static double visit(session *v, const contact *c) {
  double *lambda = v->lambda + c->begin, moved = 0;
  const double weight = read_contact(v, c);
  memcpy(v->before, lambda, (size_t)c->size * sizeof *lambda);
  if (c->set <= PERP_SET_BOX)
    *lambda = solve_interval(v->D[0], v->w[0], v->lower[c->begin], v->upper[c->begin], *lambda);
  else
    perp_local_law_solve(c, v->D, v->w, lambda, v->trial, v->spare, &v->vain);
  for (int32_t i = 0; i < c->size; i++) {
    moved += fabs(lambda[i] - v->before[i]);
    v->size = interval_raise(v->size, weight * lambda[i]);
  }
  return weight * moved;
}

static double sweep(session *v) {
  double change = 0;
  v->size = 0;
  for (int32_t i = 0; i < v->problem->n; i++) v->size = interval_raise(v->size, v->problem->q[i]);
  for (int32_t k = 0; k < v->count; k++) {
    const double moved = visit(v, &v->contacts[k]);
    change = interval_raise(change, moved);
  }
  return change;
}

static void start(session *v) {
  perp_problem_bounds(v->problem, v->lower, v->upper);
  interval_start(v->problem->n, v->lambda, v->lower, v->upper);
}

static perp_status run(session *v, int32_t *iterations) {
  const perp_solver_options *o = &v->options;
  double factor = 1; /* by how much a change must be below tol, learned */
  for (int32_t k = 0, idle = 0; k < o->max_iter; k++) {
    const double change = sweep(v);
    const perp_iterate it = {k, -1, -1, change};
    *iterations = k + 1;
    if (o->observe != NULL && o->observe(&it, o->user) != 0) return PERP_STOPPED;
    if (!(change <= DBL_MAX)) {
      memset(v->lambda, 0, (size_t)v->problem->n * sizeof *v->lambda);
      start(v);
      return PERP_INACCURATE;
    }
    idle = change <= 4 * DBL_EPSILON * v->size ? idle + 1 : 0;
    if (!(change <= factor * o->tol * v->size) && idle < IDLE) continue;
    perp_residual r;
    perp_residual_compute(v->problem, v->lambda, v->y, &r, v->scratch);
    if (perp_residual_solved(&r, o->tol)) return PERP_OK;
    if (change == 0 || idle == IDLE) return PERP_INACCURATE;
    factor = tightened(factor, o->tol, r.relative);
  }
  return PERP_MAX_ITER;
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  session v;
  perp_shape shape;
  int32_t iterations = 0;
  (void)warm;
  memset(&v, 0, sizeof v);
  v.options = *(const perp_solver_options *)options;
  if (v.options.max_iter == 0) v.options.max_iter = DEFAULT_SWEEPS;
  perp_problem_shape(problem, &shape);
  arena a = arena_open(work, work_bytes);
  carve(&v, &a, &shape);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  v.problem = problem;
  v.count = shape.contacts;
  v.vain = shape.contacts < INT32_MAX / VAIN ? VAIN * shape.contacts : INT32_MAX;
  v.rows.M = &problem->M;
  v.lambda = lambda;
  v.y = y;
  perp_problem_contacts(problem, v.contacts);
  perp_row_reader_prepare(&v.rows);
  start(&v);
  const perp_status status = run(&v, &iterations);
  if (info_ready(info)) info->iterations = iterations;
  return status;
}

#define ALL_SETS                                                                             \
  (1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX | 1u << PERP_SET_CONE | \
   1u << PERP_SET_ROLLING | 1u << PERP_SET_POLYHEDRON | 1u << PERP_SET_OTHER)

const perp_solver *perp_solver_nsgs_small(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = ALL_SETS,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
      .name = "nsgs-small",
      .workspace = workspace,
      .solve = solve};
  return &solver;
}
