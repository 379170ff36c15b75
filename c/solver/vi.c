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
#include "perp/vi.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "problem/allowance.h"
#include "solver/options.h"
#include "solver/vi_core.h"

typedef struct session {
  vi_core core; /* first, so that one is the other's address */
  double residual, relative;
  int32_t worst;
} session;

/* Λ, or what stands for it where F was the same wherever it was asked. */
static double slope(const vi_core *s) { return s->lipschitz > 0 ? s->lipschitz : 1 / s->rho; }

/* r at x and where its largest part stands; F anew. Overwrites ahead. */
static perp_status measure(session *v) {
  vi_core *s = &v->core;
  const double lambda = slope(s);
  perp_status status = perp_vi_evaluate(s, s->x, s->F);
  if (status != VI_GO_ON) return status;
  status = perp_vi_project_step(s, 1 / lambda, s->F, s->ahead);
  if (status != VI_GO_ON) return status;
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
  return VI_GO_ON;
}

/* Before two points were compared only F with no residual at all solves: Λ is not known, and 1 / ρ
 * of a long first step would hide any residual on a bounded set. */
static int solved(const session *v) {
  if (v->core.lipschitz == 0 && v->core.iterations == 0 && v->residual != 0) return 0;
  const double tol = v->core.options.tol;
  return v->relative <= tol && v->residual <= residual_allowance(tol) * v->core.reference;
}

/* The loop goes on with ahead for its own ρ. */
static perp_status judge(vi_core *s, double *miss) {
  session *v = (session *)s;
  const perp_status status = measure(v);
  if (status != VI_GO_ON) return status == VI_SHORTER ? PERP_RETRY : status;
  if (solved(v)) return PERP_OK;
  *miss = v->relative > 0 ? s->options.tol / v->relative : 0;
  return perp_vi_project_step(s, s->rho, s->F, s->ahead);
}

/* Start from P(x): F there. */
static perp_status begin(vi_core *s, const double *start) {
  const int32_t answer = s->project(start, s->x, s->user);
  if (answer != 0) return fail(s->info, PERP_ECALLBACK, "project", -1, answer);
  const size_t at = first_not_finite((size_t)s->n, s->x);
  if (at < (size_t)s->n) return fail(s->info, PERP_ENOTFINITE, "project", (int32_t)at, s->x[at]);
  const perp_status status = perp_vi_evaluate(s, s->x, s->F);
  return status == VI_SHORTER ? PERP_RETRY : status;
}

/* The first estimate of Λ, and the reference ‖F(x₀)‖ + Λ‖x₀‖, with x₀ in ahead. F need not have a
 * value at P(0); then the start serves. */
static perp_status refer(vi_core *s) {
  const size_t n = (size_t)s->n;
  memset(s->trial, 0, n * sizeof *s->trial);
  const int32_t answer = s->project(s->trial, s->ahead, s->user);
  if (answer != 0) return fail(s->info, PERP_ECALLBACK, "project", -1, answer);
  if (!all_finite(n, s->ahead))
    return fail(s->info, PERP_ENOTFINITE, "project", (int32_t)first_not_finite(n, s->ahead), 0);
  const int32_t value = s->function(s->ahead, s->F_ahead, s->user);
  if (value < 0) return fail(s->info, PERP_ECALLBACK, "function", -1, value);
  const int there = value == 0 && all_finite(n, s->F_ahead);
  const double far = perp_vi_distance(s, s->x, s->ahead);
  if (there && far > 0) s->lipschitz = perp_vi_difference(s, s->F, s->F_ahead) / far;
  if (s->options.step > 0)
    s->rho = s->options.step;
  else if (s->lipschitz > 0)
    s->rho = s->options.ratio / s->lipschitz;
  const double lambda = slope(s);
  s->reference = 0;
  if (there)
    s->reference =
        perp_vi_difference(s, s->F_ahead, NULL) + lambda * perp_vi_distance(s, s->ahead, NULL);
  if (s->reference == 0)
    s->reference = perp_vi_difference(s, s->F, NULL) + lambda * perp_vi_distance(s, s->x, NULL);
  return VI_GO_ON;
}

static perp_status check(const perp_vi *problem, const double *x, const double *F, const void *work,
                         perp_info *info) {
  if (problem == NULL) return fail_field(info, "problem", -1);
  if (problem->n < 0) return fail(info, PERP_EINVAL, "n", -1, problem->n);
  if (problem->function == NULL) return fail_field(info, "function", -1);
  if (problem->project == NULL) return fail_field(info, "project", -1);
  const uintptr_t a = (uintptr_t)x, b = (uintptr_t)F, bytes = (uintptr_t)problem->n * sizeof *x;
  if (problem->n > 0 && x == NULL) return fail_field(info, "x", -1);
  if (problem->n > 0 && (F == NULL || (a < b ? b - a : a - b) < bytes))
    return fail_field(info, "F", -1);
  if (problem->n > 0 && work == NULL) return fail_field(info, "work", -1);
  const size_t at = first_not_finite((size_t)problem->n, x);
  if (at < (size_t)problem->n) return fail(info, PERP_ENOTFINITE, "x", (int32_t)at, x[at]);
  return PERP_OK;
}

size_t perp_vi_workspace(int32_t n) {
  vi_core s;
  if (n < 0) return 0;
  arena a = arena_measure();
  perp_vi_carve(&s, &a, n);
  return arena_bytes(&a);
}

static perp_status run(session *v, double *x, double *F) {
  vi_core *s = &v->core;
  const size_t bytes = (size_t)s->n * sizeof *x;
  perp_status status = begin(s, x);
  if (status == VI_GO_ON) status = refer(s);
  if (status != VI_GO_ON) return status;
  v->residual = v->relative = (double)NAN; /* until it is known */
  status = perp_vi_run(s);
  if (status > 0) { /* what the point handed out is like */
    const perp_status last = measure(v);
    if (last < 0) status = last;
    if (last == VI_GO_ON && status == PERP_MAX_ITER && solved(v)) status = PERP_OK;
  }
  memcpy(x, s->x, bytes);
  memcpy(F, s->F, bytes);
  return status;
}

static perp_status solve(const perp_vi *problem, const perp_vi_options *options, double *x,
                         double *F, void *work, size_t work_bytes, perp_info *info, session *v) {
  info_clear(info);
  perp_status status = check(problem, x, F, work, info);
  if (status == PERP_OK)
    status = perp_solver_options_read(&perp_vi_defaults, options, &v->core.options, info);
  if (status == PERP_OK) status = perp_vi_check_options(&v->core.options, info);
  if (status != PERP_OK || problem->n == 0) return status;
  vi_core *s = &v->core;
  arena a = arena_open(work, work_bytes);
  perp_vi_carve(s, &a, problem->n);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  s->n = problem->n;
  s->function = problem->function;
  s->project = problem->project;
  s->user = problem->user;
  s->judge = judge;
  s->not_finite = PERP_ENOTFINITE;
  s->info = info;
  s->rho = 1;
  status = run(v, x, F);
  if (info_ready(info)) {
    info->iterations = s->iterations;
    info->residual = v->residual;
    info->relative_residual = v->relative;
    info->worst = v->worst;
  }
  return status;
}

perp_status perp_vi_fixed_point(const perp_vi *problem, const perp_vi_options *options, double *x,
                                double *F, void *work, size_t work_bytes, perp_info *info) {
  session v = {.core = {.method = perp_vi_fixed_point_step, .shy = 1}, .worst = -1};
  const perp_status status = solve(problem, options, x, F, work, work_bytes, info, &v);
  if (info_ready(info)) info->solver = "fixed-point";
  return status;
}

perp_status perp_vi_extragradient(const perp_vi *problem, const perp_vi_options *options, double *x,
                                  double *F, void *work, size_t work_bytes, perp_info *info) {
  session v = {.core = {.method = perp_vi_extragradient_step}, .worst = -1};
  const perp_status status = solve(problem, options, x, F, work, work_bytes, info, &v);
  if (info_ready(info)) info->solver = "extragradient";
  return status;
}
