/* SPDX-License-Identifier: MIT */
#include "solver/shell.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "problem/allowance.h"
#include "problem/bounds.h"
#include "problem/residual.h"
#include "solver/interval.h"
#include "solver/verified.h"

/* The observer may interrupt an iteration that takes as long as this, in multiply-adds. */
#define PATIENCE 1e7

/* The state of any method. */
typedef union state_room {
  double number;
  void *pointer;
  unsigned char bytes[METHOD_STATE_MOST];
} state_room;

/* --- memory ---------------------------------------------------------------------------------- */

/* The method's memory, then what it asks the shell for: in as few pieces as can be, since small
 * problems feel each of them, and where it is measured, too. */
static void carve(const perp_method *m, void *state, session *s, arena *a, const perp_shape *shape,
                  const void *options) {
  const size_t d = sizeof(double), n = (size_t)shape->n;
  memset(state, 0, m->state);
  m->carve(state, a, shape, options);
  if (m->needs == 0) return;
  if ((m->needs & NEEDS_BOUNDS) != 0) s->lower = arena_take(a, n, 2 * d);
  if ((m->needs & NEEDS_BEST) != 0) s->best = arena_take(a, n, d);
  if ((m->needs & NEEDS_JUDGE) != 0) {
    s->scratch = arena_take(a, residual_scratch_doubles(shape->n), d);
    if (shape->projection > 0) (void)arena_take(a, shape->projection, d);
  }
  if ((m->needs & NEEDS_REST) == 0) return;
  s->rest_doubles = a->base == NULL ? shape->envelope : (a->size - a->used) / d;
  s->rest = arena_take(a, s->rest_doubles, d);
}

size_t perp_method_workspace(const perp_method *m, const perp_shape *shape, const void *options) {
  state_room state;
  session s;
  if (shape->n < 0) return 0;
  arena a = arena_measure();
  carve(m, &state, &s, &a, shape, options);
  return arena_bytes(&a);
}

/* --- limits ---------------------------------------------------------------------------------- */

static int observed_stop(const session *s, int32_t iteration, int32_t entering, int32_t leaving) {
  const perp_iterate it = {iteration, entering, leaving, s->merit};
  return s->common->observe != NULL && s->common->observe(&it, s->common->user) != 0;
}

perp_status perp_session_limits(const session *s) {
  return s->iterations >= s->max_iter || s->work > s->budget ? PERP_MAX_ITER : GO_ON;
}

perp_status perp_session_step(session *s, int32_t entering, int32_t leaving, double merit) {
  s->merit = merit;
  const int stop = observed_stop(s, s->iterations, entering, leaving);
  s->iterations++;
  s->work += s->price;
  s->next_call = s->work + PATIENCE;
  return stop ? PERP_STOPPED : perp_session_limits(s);
}

perp_status perp_session_spend(session *s, double multiply_adds) {
  s->work += multiply_adds;
  if (s->work > s->budget) return PERP_MAX_ITER;
  if (s->work < s->next_call) return GO_ON;
  s->next_call = s->work + PATIENCE;
  return observed_stop(s, s->iterations - 1, -1, -1) ? PERP_STOPPED : GO_ON;
}

double perp_session_budget_left(const session *s) {
  const double left = s->budget - s->work;
  return s->common->budget > 0 ? (left > 0 ? left : DBL_MIN) : 0;
}

/* --- judging --------------------------------------------------------------------------------- */

int perp_session_keep(session *s, double merit) {
  if (!(merit < s->best_merit)) return 0;
  memcpy(s->best, s->lambda, (size_t)s->n * sizeof *s->best);
  s->best_merit = merit;
  return 1;
}

void perp_session_take_best(session *s) {
  if (s->best != NULL && s->best_merit <= DBL_MAX)
    memcpy(s->lambda, s->best, (size_t)s->n * sizeof *s->lambda);
}

int perp_session_judge(session *s, perp_residual *r) {
  perp_residual_compute(s->problem, s->lambda, s->y, r, s->scratch);
  (void)perp_session_keep(s, residual_merit(r, s->tol));
  return perp_residual_solved(r, s->tol);
}

int perp_session_confirmed(session *s) {
  perp_residual r;
  perp_residual_compute(s->problem, s->lambda, s->y, &r, s->scratch);
  if (perp_residual_solved(&r, s->tol)) return 1;
  s->factor = tightened(s->factor, s->tol, r.relative);
  return 0;
}

/* --- the loop -------------------------------------------------------------------------------- */

static perp_status loop(const perp_method *m, void *state, session *s) {
  perp_status status = m->start(state, s);
  if (m->iterate == NULL) return status;
  if (status == GO_ON) status = perp_session_limits(s);
  while (status == GO_ON) {
    status = m->iterate(state, s);
    if (status == PERP_STOPPED) return status; /* by the observer, amid the iteration */
    const perp_status limit = perp_session_step(s, -1, -1, s->merit);
    if (status == GO_ON || limit == PERP_STOPPED) status = limit;
  }
  return status;
}

static perp_status run(const perp_method *m, void *state, session *s) {
  if (s->lower != NULL) {
    s->upper = s->lower + s->n;
    perp_problem_bounds(s->problem, s->lower, s->upper);
    if ((m->needs & NO_START) == 0) interval_start(s->n, s->lambda, s->lower, s->upper);
  }
  perp_status status = loop(m, state, s);
  if (m->finish != NULL) status = m->finish(state, s, status);
  /* who failed hands out its best point; who was stopped the one that the observer saw */
  if (status != PERP_OK && status != PERP_STOPPED && status != PERP_INFEASIBLE)
    perp_session_take_best(s);
  if (info_ready(s->info)) s->info->iterations = s->iterations;
  return status;
}

/* Field by field: to clear all of it first costs as much as a pivot of a small problem. */
static void open_session(session *s, const perp_problem *problem, const void *options,
                         double *lambda, double *y, perp_warm *warm, perp_info *info) {
  const perp_solver_options *o = options;
  s->problem = problem;
  s->options = options;
  s->common = o;
  s->n = problem->n;
  s->max_iter = o->max_iter > 0 ? o->max_iter : INT32_MAX;
  s->iterations = 0;
  s->tol = o->tol;
  s->lambda = lambda;
  s->y = y;
  s->lower = s->upper = s->best = s->scratch = s->rest = NULL;
  s->rest_doubles = 0;
  s->merit = s->price = s->work = 0;
  s->best_merit = INFINITY;
  s->factor = 1;
  s->budget = o->budget > 0 ? o->budget : perp_solver_budget(problem->n);
  s->next_call = PATIENCE;
  s->warm = warm;
  s->info = info;
}

perp_status perp_method_run(const perp_method *m, const perp_problem *problem, const void *options,
                            double *lambda, double *y, perp_warm *warm, void *work,
                            size_t work_bytes, double *spent, perp_info *info) {
  state_room state;
  session s;
  perp_shape shape;
  if ((m->needs & NEEDS_SHAPE) != 0)
    perp_problem_shape_known(problem, &shape);
  else
    shape = (perp_shape){.n = problem->n, .matrix = problem->M.kind};
  open_session(&s, problem, options, lambda, y, warm, info);
  s.variant = m->variant;
  arena a = arena_open(work, work_bytes);
  carve(m, &state, &s, &a, &shape, options);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  const perp_status status = run(m, &state, &s);
  if (spent != NULL) *spent = s.work;
  return status;
}
