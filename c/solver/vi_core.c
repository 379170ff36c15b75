/* SPDX-License-Identifier: MIT */
/* The loop of the projection methods, with the self-adaptive step length: with
 *
 *   x̄ = P(x − ρ w F(x)),   r = ρ ‖F(x) − F(x̄)‖ / ‖x − x̄‖
 *
 * ρ shrinks, and x̄ is tried again, until r <= L; it grows after the step if r < L / 3. Norms are
 * weighted, ‖x‖² = Σ x²/w and ‖F‖² = Σ w F², which is the method in the unknowns x/√w; w is
 * constant on each set that is projected on, so P is the projection there too. A fixed point of P
 * is a solution for any ρ > 0. Sources: [Khobotov 1987], [He and Liao 2002]. */
#include "solver/vi_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "solver/options.h"

/* WINDOW: iterations over which a method that is shy compares the residual. */
enum { TRIALS = 100, DEFAULT_ITERATIONS = 5000, WINDOW = 16 };

/* Growth of the residual beyond its best value and the reference that counts as divergence. */
#define DIVERGED 1e8

/* A residual that has to fall below this part of what was asked for is rounding. */
#define LEAST_FACTOR 1e-6

const perp_vi_options perp_vi_defaults = {.struct_size = (uint32_t)sizeof(perp_vi_options),
                                          .tol = PERP_DEFAULT_TOL,
                                          .kind = "perp_vi_options",
                                          .ratio = 0.9,
                                          .shrink = 2.0 / 3,
                                          .grow = 1.5};

void perp_vi_options_init(perp_vi_options *opts, size_t size) {
  perp_options_fill(opts, size, &perp_vi_defaults, sizeof perp_vi_defaults);
}

perp_status perp_vi_check_options(const void *options, perp_info *info) {
  const perp_vi_options *out = options;
  if (!(out->step >= 0 && out->step <= DBL_MAX))
    return fail(info, PERP_EINVAL, "step", -1, out->step);
  if (!(out->ratio > 0 && out->ratio < 1)) return fail(info, PERP_EINVAL, "ratio", -1, out->ratio);
  if (!(out->shrink > 0 && out->shrink < 1))
    return fail(info, PERP_EINVAL, "shrink", -1, out->shrink);
  if (!(out->grow >= 1 && out->grow <= DBL_MAX))
    return fail(info, PERP_EINVAL, "grow", -1, out->grow);
  return PERP_OK;
}

void perp_vi_carve(vi_core *s, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  s->x = arena_take(a, n, sizeof(double));
  s->F = arena_take(a, n, sizeof(double));
  s->ahead = arena_take(a, n, sizeof(double));
  s->F_ahead = arena_take(a, n, sizeof(double));
  s->trial = arena_take(a, n, sizeof(double));
  s->best = arena_take(a, n, sizeof(double));
}

/* --- callbacks ------------------------------------------------------------------------------- */

static perp_status not_finite(const vi_core *s, const char *field, const double *x) {
  const size_t at = first_not_finite((size_t)s->n, x);
  if (s->not_finite != PERP_ENOTFINITE) return s->not_finite;
  return fail(s->info, PERP_ENOTFINITE, field, (int32_t)at, x[at]);
}

perp_status perp_vi_evaluate(vi_core *s, const double *x, double *F) {
  const int32_t answer = s->function(x, F, s->user);
  if (answer > 0) return VI_SHORTER;
  if (answer < 0) return fail(s->info, PERP_ECALLBACK, "function", -1, answer);
  return all_finite((size_t)s->n, F) ? VI_GO_ON : not_finite(s, "function", F);
}

perp_status perp_vi_project_step(vi_core *s, double rho, const double *F, double *p) {
  for (int32_t i = 0; i < s->n; i++) {
    const double w = s->weight == NULL ? rho : rho * s->weight[i];
    s->trial[i] = s->x[i] - w * F[i];
  }
  if (!all_finite((size_t)s->n, s->trial))
    return PERP_INACCURATE; /* run away: no callback's fault */
  const int32_t answer = s->project(s->trial, p, s->user);
  if (answer != 0) return fail(s->info, PERP_ECALLBACK, "project", -1, answer);
  return all_finite((size_t)s->n, p) ? VI_GO_ON : not_finite(s, "project", p);
}

/* --- norms ----------------------------------------------------------------------------------- */

/* √Σ c (a − b)² with c = 1, w, or 1/w, so that no square overflows. */
static double norm(const vi_core *s, const double *a, const double *b, int inverse) {
  double sum = 0, largest = 0;
  for (int32_t i = 0; i < s->n; i++) {
    double e = fabs(b == NULL ? a[i] : a[i] - b[i]);
    if (s->weight != NULL) e *= inverse ? 1 / sqrt(s->weight[i]) : sqrt(s->weight[i]);
    if (e > largest) {
      sum = largest > 0 ? sum * (largest / e) * (largest / e) + 1 : 1;
      largest = e;
    } else if (e > 0) {
      sum += (e / largest) * (e / largest);
    }
  }
  return largest * sqrt(sum);
}

double perp_vi_distance(const vi_core *s, const double *a, const double *b) {
  return norm(s, a, b, 1);
}

double perp_vi_difference(const vi_core *s, const double *a, const double *b) {
  return norm(s, a, b, 0);
}

/* --- the loop -------------------------------------------------------------------------------- */

/* Remember the best point; whether the method has left it behind for good. */
static int diverges(vi_core *s, double merit) {
  if (!(merit <= DIVERGED * (s->best_merit + s->reference))) return 1;
  if (merit < s->best_merit) {
    memcpy(s->best, s->x, (size_t)s->n * sizeof *s->best);
    s->best_merit = merit;
  }
  return 0;
}

/* Ask the judge where the own residual is small enough, or can become no smaller. */
static perp_status judge(vi_core *s, double merit) {
  double scale = perp_vi_difference(s, s->F, NULL) + s->lipschitz * perp_vi_distance(s, s->x, NULL);
  double miss = 0;
  if (s->reference > scale) scale = s->reference;
  if (!(merit <= s->factor * s->options.tol * scale)) return VI_GO_ON;
  const perp_status status = s->judge(s, &miss);
  if (status != VI_GO_ON) return status;
  s->factor *= miss > 0 && miss < 1 ? 0.5 * miss : 0.5;
  return merit == 0 || s->factor < LEAST_FACTOR ? PERP_INACCURATE : VI_GO_ON;
}

/* x̄ for another ρ; its distance from x. */
static perp_status look_again(vi_core *s, double rho, double *size) {
  s->rho = rho;
  const perp_status status = perp_vi_project_step(s, rho, s->F, s->ahead);
  *size = perp_vi_distance(s, s->x, s->ahead);
  if (status != VI_GO_ON) return status;
  return *size > 0 ? VI_GO_ON : PERP_INACCURATE;
}

/* F̄, and r = ρ ‖F − F̄‖ / size. */
static perp_status compare(vi_core *s, double size, double *r) {
  const perp_status status = perp_vi_evaluate(s, s->ahead, s->F_ahead);
  if (status != VI_GO_ON) return status;
  const double slope = perp_vi_difference(s, s->F, s->F_ahead) / size;
  if (slope > s->lipschitz) s->lipschitz = slope;
  if (slope > s->nearby) s->nearby = slope;
  *r = s->rho * slope;
  return VI_GO_ON;
}

/* One step from x with a ρ for which the rule holds and F has all the values that are asked for. x̄
 * for the present ρ, at this distance, is there. */
static perp_status move(vi_core *s, double ratio, double size) {
  perp_status status = VI_SHORTER;
  s->nearby /= 2;
  for (int k = 0; k < TRIALS; k++) {
    double r = 0, by = s->options.shrink;
    status = compare(s, size, &r);
    if (status == VI_GO_ON && r <= ratio) {
      status = s->method(s);
      if (status == VI_GO_ON && r < ratio / 3) s->rho *= s->options.grow;
      if (status != VI_SHORTER) return status;
    } else if (status == VI_GO_ON) {
      if (r <= DBL_MAX) by *= ratio / r;
    } else if (status != VI_SHORTER) {
      return status;
    }
    const perp_status again = look_again(s, by * s->rho, &size);
    if (again == PERP_INACCURATE && status == VI_SHORTER) break;
    if (again != VI_GO_ON) return again;
  }
  return status == VI_SHORTER ? PERP_RETRY : PERP_INACCURATE;
}

static perp_status iterate(vi_core *s) {
  const perp_vi_options *o = &s->options;
  const int32_t most = o->max_iter > 0 ? o->max_iter : DEFAULT_ITERATIONS;
  double ratio = o->ratio, last = INFINITY;
  for (;;) {
    perp_status status = perp_vi_project_step(s, s->rho, s->F, s->ahead);
    if (status != VI_GO_ON) return status;
    const double size = perp_vi_distance(s, s->x, s->ahead), merit = size / s->rho;
    if (diverges(s, merit)) return PERP_INACCURATE;
    status = judge(s, merit);
    if (status != VI_GO_ON) return status;
    if (s->iterations == most) return PERP_MAX_ITER;
    if (size == 0) return PERP_INACCURATE;
    if (s->shy && s->iterations % WINDOW == 0) {
      const double now = merit > last ? 0.7 * ratio : 1.05 * ratio;
      ratio = now < o->ratio ? now : o->ratio;
      last = merit;
    }
    status = move(s, ratio, size);
    if (status != VI_GO_ON) return status;
    const perp_iterate it = {s->iterations++, -1, -1, merit};
    if (o->observe != NULL && o->observe(&it, o->user) != 0) return PERP_STOPPED;
  }
}

perp_status perp_vi_run(vi_core *s) {
  s->best_merit = INFINITY;
  s->factor = 1;
  s->iterations = 0;
  const perp_status status = iterate(s);
  if (status != PERP_OK && status != PERP_STOPPED && s->best_merit <= DBL_MAX)
    memcpy(s->x, s->best, (size_t)s->n * sizeof *s->x);
  return status;
}
