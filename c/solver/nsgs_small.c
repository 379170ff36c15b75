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

#include "linalg/matrix.h"
#include "problem/residual.h"
#include "solver/sweeps.h"

/* Sweeps in which nothing but rounding moves, after which there is no more to come. */
enum { DEFAULT_SWEEPS = 10000, IDLE = 50 };

/* Attempts at exact solutions that may be in vain, a contact, and the part of the budget that they
 * may take. */
enum { VAIN = 8 };
#define VAIN_PART 0.5

typedef struct small_nsgs {
  session *run;
  contact *contacts;
  int32_t count;
  row_reader rows;
  double *D;                  /* block of one contact, column-major                     */
  double *w, *before, *trial; /* of one contact                                         */
  double *spare;              /* of projections                                         */
  vain_attempts vain;
  double size;  /* largest |q_i| and D_ii |λ_i| that the last sweep saw   */
  int32_t idle; /* sweeps since more than rounding moved                  */
} small_nsgs;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  small_nsgs *v = state;
  const size_t n = (size_t)shape->n, d = sizeof(double);
  const size_t most = (size_t)shape->largest;
  (void)options;
  v->count = shape->contacts;
  v->contacts = arena_take(a, (size_t)shape->contacts, sizeof *v->contacts);
  v->D = arena_take(a, most > 0 && most > SIZE_MAX / most ? SIZE_MAX : most * most, d);
  v->w = arena_take(a, most, d);
  v->before = arena_take(a, most, d);
  v->trial = arena_take(a, most, d);
  v->rows.value = arena_take(a, n, d);
  row_reader_carve(&v->rows, a, n, shape->matrix == PERP_BLOCKS);
}

/* D and w := q_a + Σ_{b≠a} M_ab λ_b of a contact. The mean diagonal entry of D. */
static double read_contact(small_nsgs *v, const contact *c) {
  const size_t size = (size_t)c->size;
  double trace = 0;
  memset(v->D, 0, size * size * sizeof *v->D);
  for (size_t i = 0; i < size; i++) {
    const matrix_row row = row_read(&v->rows, c->begin + (int32_t)i);
    double sum = v->run->problem->q[(size_t)c->begin + i];
    for (int32_t e = 0; e < row.count; e++) {
      const int32_t j = row.column[e] - c->begin;
      if (j >= 0 && j < c->size)
        v->D[i + size * (size_t)j] += row.value[e];
      else
        sum += row.value[e] * v->run->lambda[row.column[e]];
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

/* Solve one contact, and take note of its change in units of y. */
static perp_status visit(small_nsgs *v, const contact *c) {
  session *run = v->run;
  double *lambda = run->lambda + c->begin, moved = 0, work = 0;
  const double weight = read_contact(v, c);
  memcpy(v->before, lambda, (size_t)c->size * sizeof *lambda);
  if (c->set <= PERP_SET_BOX)
    *lambda = solve_interval(v->D[0], v->w[0], run->lower[c->begin], run->upper[c->begin], *lambda);
  else
    work = perp_local_law_solve(c, v->D, v->w, lambda, v->trial, v->spare, &v->vain);
  for (int32_t i = 0; i < c->size; i++) {
    moved += fabs(lambda[i] - v->before[i]);
    v->size = interval_raise(v->size, weight * lambda[i]);
  }
  run->merit = interval_raise(run->merit, weight * moved);
  return work > 0 ? perp_session_spend(run, work) : GO_ON;
}

static perp_status sweep(small_nsgs *v) {
  perp_status status = GO_ON;
  v->run->merit = 0;
  v->size = perp_residual_weighted_largest(v->run->n, NULL, v->run->problem->q);
  for (int32_t k = 0; k < v->count && status == GO_ON; k++) status = visit(v, &v->contacts[k]);
  return status;
}

static perp_status start(void *state, session *run) {
  small_nsgs *v = state;
  v->run = run;
  v->spare = run->scratch + residual_scratch_doubles(run->n);
  v->vain.left = VAIN_PART * run->budget;
  v->vain.least = v->vain.left / (VAIN * (double)v->count);
  run->price = perp_matrix_work(&run->problem->M) + 20.0 * run->n;
  if (run->common->max_iter == 0) run->max_iter = DEFAULT_SWEEPS;
  perp_problem_contacts(run->problem, v->contacts);
  perp_row_reader_prepare(&v->rows, &run->problem->M);
  return GO_ON;
}

static perp_status iterate(void *state, session *run) {
  small_nsgs *v = state;
  const perp_status status = sweep(v);
  if (status != GO_ON) return status;
  if (!(run->merit <= DBL_MAX)) return PERP_INACCURATE;
  v->idle = run->merit <= 4 * DBL_EPSILON * v->size ? v->idle + 1 : 0;
  if (!(run->merit <= run->factor * run->tol * v->size) && v->idle < IDLE) return GO_ON;
  if (perp_session_confirmed(run)) return PERP_OK;
  return run->merit == 0 || v->idle == IDLE ? PERP_INACCURATE : GO_ON;
}

/* Who diverged ends at the point of the intervals next to 0, and at 0 elsewhere. */
static perp_status finish(void *state, session *run, perp_status status) {
  (void)state;
  if (status == PERP_INACCURATE && !(run->merit <= DBL_MAX))
    for (int32_t i = 0; i < run->n; i++)
      run->lambda[i] = nearest_to_zero(run->lower[i], run->upper[i]);
  return status;
}

const perp_solver *perp_solver_nsgs_small(void) {
  static const perp_method method = {.state = METHOD_STATE(small_nsgs),
                                     .needs = NEEDS_SHAPE | NEEDS_BOUNDS | NEEDS_JUDGE,
                                     .carve = carve,
                                     .start = start,
                                     .iterate = iterate,
                                     .finish = finish};
  static const perp_solver solver = {.struct_size = sizeof(perp_solver),
                                     .sets = ALL_SETS,
                                     .matrices = ALL_MATRICES,
                                     .assumes = PERP_ASSUMES_SYMMETRIC | PERP_ASSUMES_SEMIDEFINITE,
                                     .name = "nsgs-small",
                                     .method = &method};
  return &solver;
}
