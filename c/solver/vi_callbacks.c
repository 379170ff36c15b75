/* SPDX-License-Identifier: MIT */
/* Variational inequalities −F(x) ∈ N_K(x) in the user's callbacks: arguments, the point of
 * reference, and the verification of every claim. With Λ the largest ‖F(a) − F(b)‖ / ‖a − b‖ met,
 * Λ' the largest of late, Λ₀ the one at the start,
 *
 *   r = Λ ‖x − P(x − F(x) / Λ)‖,   relative = r / max(‖F(x)‖ + Λ'‖x‖, ‖F(x₀)‖ + Λ₀‖x₀‖),
 *   solved: relative <= tol and r <= a(tol) (‖F(x₀)‖ + Λ₀‖x₀‖),   x₀ = P(0).
 *
 * For F = M x + q on the orthant that is the residual of problem.h up to the choice of norms: F(x₀)
 * is q, and without the second test a huge x of a problem without a solution would pass. Λ' and not
 * Λ: where F flattens out towards infinity, Λ‖x‖ would excuse anything. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "base/overlap.h"
#include "problem/allowance.h"
#include "solver/interval.h"
#include "solver/vi.h"

/* A call as the shell sees it: its options, and what they are for. */
typedef struct call {
  perp_vi_options options;
  const perp_vi *problem;
  int extra;
} call;

typedef struct judged {
  vi core; /* first, so that one is the other's address */
  double residual, relative;
  int32_t worst;
} judged;

static void carve(void *state, arena *a, const perp_shape *shape, const void *options) {
  judged *v = state;
  (void)options;
  perp_vi_carve(&v->core, a, shape->n);
  v->core.price = shape->n; /* what the callbacks cost nobody knows */
  v->worst = -1;
}

/* --- the judge ------------------------------------------------------------------------------- */

/* Λ, or what stands for it where F was the same wherever it was asked. */
static double slope(const vi *s) { return s->lipschitz > 0 ? s->lipschitz : 1 / s->rho; }

/* r at x and where its largest part stands; F anew. Overwrites ahead. */
static perp_status measure(judged *v) {
  vi *s = &v->core;
  const double lambda = slope(s);
  perp_status status = perp_vi_evaluate(s, s->x, s->F);
  if (status != GO_ON) return status;
  status = perp_vi_project_step(s, 1 / lambda, s->F, s->ahead);
  if (status != GO_ON) return status;
  const double size =
      perp_vi_difference(s, s->F, NULL) + s->nearby * perp_vi_distance(s, s->x, NULL);
  const double scale = size > s->reference ? size : s->reference;
  double largest = -1;
  for (int32_t i = 0; i < s->n; i++) {
    const double part = fabs(s->x[i] - s->ahead[i]);
    if (part > largest) {
      largest = part;
      v->worst = i;
    }
  }
  v->residual = lambda * perp_vi_distance(s, s->x, s->ahead);
  v->relative = v->residual == 0 ? 0 : v->residual / scale;
  return GO_ON;
}

/* Before two points were compared only F with no residual at all solves: Λ is not known, and 1 / ρ
 * of a long first step would hide any residual on a bounded set. */
static int solved(const judged *v) {
  if (v->core.lipschitz == 0 && v->core.run->iterations == 0 && v->residual != 0) return 0;
  const double tol = v->core.run->tol;
  return v->relative <= tol && v->residual <= residual_allowance(tol) * v->core.reference;
}

/* The loop goes on with ahead for its own ρ. */
static perp_status judge(vi *s) {
  judged *v = (judged *)s;
  const perp_status status = measure(v);
  if (status != GO_ON) return status == SHORTER ? PERP_RETRY : status;
  if (solved(v)) return PERP_OK;
  s->run->factor = tightened(s->run->factor, s->run->tol, v->relative);
  return perp_vi_project_step(s, s->rho, s->F, s->ahead);
}

/* --- the start ------------------------------------------------------------------------------- */

/* Start from P(x): F there. */
static perp_status begin(vi *s) {
  perp_status status = perp_vi_onto(s, s->x, s->ahead);
  if (status != GO_ON) return status;
  status = perp_vi_evaluate(s, s->ahead, s->F);
  if (status == GO_ON) memcpy(s->x, s->ahead, (size_t)s->n * sizeof *s->x);
  return status == SHORTER ? PERP_RETRY : status;
}

/* The first estimate of Λ, and the reference ‖F(x₀)‖ + Λ‖x₀‖, with x₀ in ahead. F need not have a
 * value at P(0); then the start serves. */
static perp_status refer(vi *s) {
  const size_t n = (size_t)s->n;
  memset(s->trial, 0, n * sizeof *s->trial);
  const perp_status status = perp_vi_onto(s, s->trial, s->ahead);
  if (status != GO_ON) return status;
  const int32_t value = s->function(s->ahead, s->F_ahead, s->user);
  if (value < 0) return fail(s->run->info, PERP_ECALLBACK, "function", -1, value);
  const int there = value == 0 && all_finite(n, s->F_ahead);
  const double far = perp_vi_distance(s, s->x, s->ahead);
  if (there && far > 0) s->lipschitz = perp_vi_difference(s, s->F, s->F_ahead) / far;
  if (s->options->step == 0 && s->lipschitz > 0) s->rho = s->options->ratio / s->lipschitz;
  const double lambda = slope(s);
  s->reference = 0;
  if (there)
    s->reference =
        perp_vi_difference(s, s->F_ahead, NULL) + lambda * perp_vi_distance(s, s->ahead, NULL);
  if (s->reference == 0)
    s->reference = perp_vi_difference(s, s->F, NULL) + lambda * perp_vi_distance(s, s->x, NULL);
  return GO_ON;
}

/* --- the solve ------------------------------------------------------------------------------- */

static perp_status start(void *state, session *run) {
  judged *v = state;
  vi *s = &v->core;
  const call *c = run->options;
  perp_vi_open(s, run);
  s->function = c->problem->function;
  s->project = c->problem->project;
  s->user = c->problem->user;
  s->extra = c->extra;
  s->judge = judge;
  s->not_finite = PERP_ENOTFINITE;
  perp_status status = begin(s);
  if (status == GO_ON) status = refer(s);
  if (status != GO_ON) return status;
  v->residual = v->relative = (double)NAN; /* until it is known */
  status = perp_vi_run(s);
  if (status != PERP_OK && status != PERP_STOPPED) perp_session_take_best(run);
  if (status > 0) { /* what the point handed out is like */
    const perp_status last = measure(v);
    if (last < 0) status = last;
    if (last == GO_ON && status == PERP_MAX_ITER && solved(v)) status = PERP_OK;
  }
  memcpy(run->y, s->F, (size_t)s->n * sizeof *s->F);
  return status;
}

static perp_status finish(void *state, session *run, perp_status status) {
  const judged *v = state;
  if (info_ready(run->info)) {
    run->info->residual = v->residual;
    run->info->relative_residual = v->relative;
    run->info->worst = v->worst;
  }
  return status;
}

static const perp_method method = {.state = METHOD_STATE(judged),
                                   .needs = NEEDS_BEST,
                                   .carve = carve,
                                   .start = start,
                                   .finish = finish};

size_t perp_vi_workspace(int32_t n) {
  const perp_shape shape = {.n = n};
  return perp_method_workspace(&method, &shape, NULL);
}

static perp_status check(const perp_vi *problem, const double *x, const double *F, const void *work,
                         perp_info *info) {
  if (problem == NULL) return fail_field(info, "problem", -1);
  if (problem->n < 0) return fail(info, PERP_EINVAL, "n", -1, problem->n);
  if (problem->function == NULL) return fail_field(info, "function", -1);
  if (problem->project == NULL) return fail_field(info, "project", -1);
  if (problem->n > 0 && x == NULL) return fail_field(info, "x", -1);
  if (problem->n > 0 && (F == NULL || overlap(x, F, problem->n))) return fail_field(info, "F", -1);
  if (problem->n > 0 && work == NULL) return fail_field(info, "work", -1);
  const size_t at = first_not_finite((size_t)problem->n, x);
  if (at < (size_t)problem->n) return fail(info, PERP_ENOTFINITE, "x", (int32_t)at, x[at]);
  return PERP_OK;
}

static perp_status solve(const perp_vi *problem, const perp_vi_options *options, int extra,
                         double *x, double *F, void *work, size_t work_bytes, perp_info *info) {
  call c = {.problem = problem, .extra = extra};
  info_clear(info);
  perp_status status = check(problem, x, F, work, info);
  if (status == PERP_OK)
    status = perp_solver_options_read(&perp_vi_defaults, options, &c.options, info);
  if (status == PERP_OK) status = perp_options_in_range(perp_vi_ranges, &c.options, info);
  if (info_ready(info)) info->solver = extra ? "extragradient" : "fixed-point";
  if (status != PERP_OK || problem->n == 0) return status;
  perp_problem sized = PERP_PROBLEM_INIT; /* all that the shell looks at */
  sized.n = problem->n;
  return perp_method_run(&method, &sized, &c, x, F, NULL, work, work_bytes, NULL, info);
}

perp_status perp_vi_fixed_point(const perp_vi *problem, const perp_vi_options *options, double *x,
                                double *F, void *work, size_t work_bytes, perp_info *info) {
  return solve(problem, options, 0, x, F, work, work_bytes, info);
}

perp_status perp_vi_extragradient(const perp_vi *problem, const perp_vi_options *options, double *x,
                                  double *F, void *work, size_t work_bytes, perp_info *info) {
  return solve(problem, options, 1, x, F, work, work_bytes, info);
}
