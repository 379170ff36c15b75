/* SPDX-License-Identifier: MIT */
/* The explicit pair of Dormand and Prince of order 8(5, 3):
 *   k_s = f(t + c_s h, y + h Σ a_sj k_j),  y⁺ = y + h Σ b_j k_j,
 *   err = h ‖e5‖² / sqrt(‖e5‖² + ‖e3‖² / 100),  ‖e‖² = 1/n Σ (e_i / (atol_i + rtol |y_i|))²,
 * and the step's length by proportional and integral control of err = 1 (Gustafsson 1991). The
 * slope at the end is the first one of the next step; three more, for the interpolation of order 7,
 * are computed when they are asked for. Source: Hairer, Nørsett and Wanner 1993, II.4 to II.6. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "events/runge_kutta_table.h"
#include "events/smooth.h"

enum { LANES = 4, MOST_TRIALS = 200 };

static const double safety = 0.9, least_factor = 1.0 / 3, largest_factor = 6;
static const double rounding = 2.220446049250313e-16;

/* What is known of the last step, [begin, end]. */
enum { KNOW_BEGIN = 1, KNOW_END = 2, KNOW_DENSE = 4 };

typedef struct runge_kutta {
  const smooth_problem *problem;
  size_t n, width;             /* components, and the same filled up to lanes with zeros */
  double begin, end, full_end; /* full_end: before shorten() */
  double length;               /* end - begin, as it was stepped */
  double h;                    /* length that it would take next, 0: not known */
  double old_error;
  int32_t known;
  double *y0, *y1, *point, *zero; /* width each: at begin, at end, of a stage */
  double *slope[RK_SLOPES];       /* width each */
  double *dense[RK_DENSE];        /* width each */
  smooth_counts counts;
  char message[SMOOTH_MESSAGE];
} runge_kutta;

/* out := base + h Σ a_k slope_k */
static void combine(const runge_kutta *k, const rk_row *row, double h, const double *base,
                    double *out) {
  for (size_t i = 0; i < k->width; i += LANES) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int j = 0; j < row->count; j++) {
      const double *f = k->slope[row->stage[j]] + i, a = row->a[j];
      s0 += a * f[0];
      s1 += a * f[1];
      s2 += a * f[2];
      s3 += a * f[3];
    }
    out[i] = base[i] + h * s0;
    out[i + 1] = base[i + 1] + h * s1;
    out[i + 2] = base[i + 2] + h * s2;
    out[i + 3] = base[i + 3] + h * s3;
  }
}

static perp_status evaluate(runge_kutta *k, double t, const double *y, double *slope) {
  k->counts.evaluations++;
  int32_t answer = k->problem->rhs(k->problem->context, t, y, slope);
  if (answer != 0) return answer > 0 ? PERP_RETRY : PERP_ECALLBACK;
  return all_finite(k->n, slope) ? PERP_OK : PERP_ENOTFINITE;
}

/* Points and slopes of the stages first ... last, of a step of length h from begin. */
static perp_status run_stages(runge_kutta *k, int first, int last, double h) {
  for (int s = first; s <= last; s++) {
    combine(k, &rk_stage[s], h, k->y0, k->point);
    perp_status status = evaluate(k, k->begin + rk_time[s] * h, k->point, k->slope[s]);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

/* The step of length h from begin, into y1; the slope at begin must be known. */
static perp_status try_step(runge_kutta *k, double h) {
  perp_status status = run_stages(k, 1, RK_STAGES - 1, h);
  if (status != PERP_OK) return status;
  combine(k, &rk_stage[RK_STAGES], h, k->y0, k->y1);
  return all_finite(k->n, k->y1) ? PERP_OK : PERP_ENOTFINITE;
}

static double weight(const runge_kutta *k, size_t i) {
  double a = fabs(k->y0[i]), b = fabs(k->y1[i]);
  return 1 / (k->problem->atol[i] + k->problem->rtol * (a > b ? a : b));
}

/* Error of the step in y1 in units of the tolerance. */
static double step_error(const runge_kutta *k, double h) {
  double e3 = 0, e5 = 0;
  combine(k, &rk_error_3, 1, k->zero, k->dense[0]);
  combine(k, &rk_error_5, 1, k->zero, k->dense[1]);
  for (size_t i = 0; i < k->n; i++) {
    double w = weight(k, i), a = k->dense[0][i] * w, b = k->dense[1][i] * w;
    e3 += a * a;
    e5 += b * b;
  }
  double both = (e5 + 0.01 * e3) * (double)k->n;
  return both > 0 ? h * e5 / sqrt(both) : both; /* a NaN stays one */
}

static double root8(double x) { return sqrt(sqrt(sqrt(x))); }

/* A first length: that of an explicit step of Euler whose error would be 1, after one trial of it
 * (Hairer, Nørsett and Wanner 1993, II.4); -1: the right-hand side gave up. */
static double first_length(runge_kutta *k, double span) {
  double size = perp_smooth_norm(k->problem, k->y0, k->y0),
         speed = perp_smooth_norm(k->problem, k->y0, k->slope[0]);
  double h0 = size < 1e-10 || speed < 1e-10 ? 1e-6 : 0.01 * size / speed;
  if (h0 > span) h0 = span;
  for (size_t i = 0; i < k->n; i++) k->point[i] = k->y0[i] + h0 * k->slope[0][i];
  perp_status status = evaluate(k, k->begin + h0, k->point, k->slope[1]);
  if (status != PERP_OK) return status == PERP_ECALLBACK ? -1 : h0;
  for (size_t i = 0; i < k->n; i++) k->point[i] = k->slope[1][i] - k->slope[0][i];
  double curvature = perp_smooth_norm(k->problem, k->y0, k->point) / h0;
  double largest = speed > curvature ? speed : curvature;
  double h1 = largest > 1e-15 ? root8(0.01 / largest) : (h0 > 1e-3 ? h0 * 1e-3 : 1e-6);
  return h1 < 100 * h0 ? h1 : 100 * h0;
}

/* Factor of the length after an error: 0.9 old^(1/32) / error^(3/32), by square roots alone. */
static double growth(const runge_kutta *k, double error) {
  if (!(error > 1e-12)) return largest_factor;
  double e16 = sqrt(root8(error)), old = sqrt(sqrt(root8(k->old_error)));
  double factor = safety * old / (e16 * sqrt(e16));
  return factor < least_factor ? least_factor : factor > largest_factor ? largest_factor : factor;
}

static perp_status refuse(runge_kutta *k, perp_status status, double h) {
  const char *why = status == PERP_RETRY        ? "the right-hand side asks for a smaller step"
                    : status == PERP_ECALLBACK  ? "the right-hand side gave up"
                    : status == PERP_ENOTFINITE ? "a slope or the state is not finite"
                                                : "the tolerance cannot be met, not even by a step";
  (void)snprintf(k->message, sizeof k->message, "%s at t = %.17g, h = %.3g", why, k->begin, h);
  return status;
}

/* The end of the last step becomes the begin of the next. */
static perp_status begin_step(runge_kutta *k) {
  if (k->end > k->begin) {
    double *swap = k->y0;
    k->y0 = k->y1;
    k->y1 = swap;
    swap = k->slope[0];
    k->slope[0] = k->slope[RK_STAGES];
    k->slope[RK_STAGES] = swap;
    k->known = (k->known & KNOW_END) != 0 ? KNOW_BEGIN : 0;
    k->begin = k->full_end = k->end;
  }
  if ((k->known & KNOW_BEGIN) != 0) return PERP_OK;
  perp_status status = evaluate(k, k->begin, k->y0, k->slope[0]);
  if (status == PERP_OK) k->known |= KNOW_BEGIN;
  return status;
}

/* The length to try: not beyond stop, and not so long that a crumb is left over; a little more than
 * planned is less than what safety left aside. */
static double length_within(double h, double longest, double span) {
  if (h >= span || (1.05 * h >= span && longest >= span)) return span;
  return 2 * h > span ? 0.5 * span : h;
}

/* Accept the step in y1; its slope there is known. planned: the length before stop cut it. */
static void accept(runge_kutta *k, double h, double end, double error, double planned,
                   int rejected) {
  double next = h * (rejected ? fmin(growth(k, error), 1) : growth(k, error));
  k->h = planned > next && !rejected ? planned : next;
  k->old_error = error > 1e-4 ? error : 1e-4;
  k->end = k->full_end = end;
  k->length = h;
  k->known = KNOW_BEGIN | KNOW_END;
  k->counts.steps++;
}

static perp_status step(void *self, double stop, double *begin, double *end, double *y) {
  runge_kutta *k = self;
  const smooth_problem *p = k->problem;
  if (!(stop > k->end) || !is_finite(stop)) return perp_smooth_stopped(k->message, stop, k->end);
  k->message[0] = 0;
  perp_status status = begin_step(k);
  if (status != PERP_OK) return refuse(k, status, 0);
  double span = stop - k->begin, longest = p->h_max > 0 ? p->h_max : INFINITY;
  double planned = fmin(k->h > 0 ? k->h : first_length(k, fmin(span, longest)), longest);
  if (planned < 0) return refuse(k, PERP_ECALLBACK, 0);
  planned = fmax(planned, 16 * rounding * fabs(k->begin));
  double h = length_within(planned, longest, span);
  int most = p->max_steps > 0 && p->max_steps < MOST_TRIALS ? p->max_steps : MOST_TRIALS;
  for (int trial = 0; trial < most; trial++) {
    double at = h >= span ? stop : k->begin + h, error = 0;
    if (trial > 0 && 0.1 * h <= rounding * fabs(k->begin)) break;
    status = try_step(k, h);
    if (status == PERP_OK) {
      error = step_error(k, h);
      status = error <= 1 ? evaluate(k, at, k->y1, k->slope[RK_STAGES])
                          : (is_finite(error) ? PERP_MAX_ITER : PERP_ENOTFINITE);
    }
    if (status == PERP_OK) {
      accept(k, h, at, error, planned, trial > 0);
      *begin = k->begin;
      *end = k->end;
      memcpy(y, k->y1, k->n * sizeof *y);
      return PERP_OK;
    }
    k->counts.rejected++;
    if (status == PERP_ECALLBACK) break;
    h *= status == PERP_MAX_ITER ? fmax(safety / root8(error), least_factor) : 0.5;
  }
  return refuse(k, status, h);
}

/* The slope at the end of a step that was shortened. */
static perp_status know_end(runge_kutta *k) {
  if ((k->known & KNOW_END) != 0) return PERP_OK;
  perp_status status = evaluate(k, k->end, k->y1, k->slope[RK_STAGES]);
  if (status == PERP_OK) k->known |= KNOW_END;
  return status;
}

static perp_status know_dense(runge_kutta *k) {
  if ((k->known & KNOW_DENSE) != 0) return PERP_OK;
  perp_status status = know_end(k);
  if (status == PERP_OK) status = run_stages(k, RK_STAGES + 1, RK_SLOPES - 1, k->length);
  if (status != PERP_OK) return status;
  for (int d = 0; d < RK_DENSE; d++) combine(k, &rk_dense[d], k->length, k->zero, k->dense[d]);
  k->known |= KNOW_DENSE;
  return PERP_OK;
}

/* With x = (t - begin)/h and z = 1 - x:
 *   y = y0 + x (c1 + z (c2 + x (c3 + z (d0 + x (d1 + z (d2 + x d3)))))). */
static void evaluate_dense(const runge_kutta *k, double t, double *y) {
  double h = k->length, x = (t - k->begin) / h, z = 1 - x;
  for (size_t i = 0; i < k->n; i++) {
    double c1 = k->y1[i] - k->y0[i], c2 = h * k->slope[0][i] - c1;
    double c3 = c1 - h * k->slope[RK_STAGES][i] - c2;
    double c[] = {k->dense[3][i], k->dense[2][i], k->dense[1][i], k->dense[0][i], c3, c2, c1};
    double value = c[0];
    for (int d = 1; d < 7; d++) value = c[d] + (d % 2 ? x : z) * value; /* x, z, x, z, x, z */
    y[i] = k->y0[i] + x * value;
  }
}

static perp_status interpolate(void *self, double t, double *y) {
  runge_kutta *k = self;
  if (!(t >= k->begin) || !(t <= k->end))
    return perp_smooth_outside(k->message, t, k->begin, k->end);
  const int at_end = k->end > k->begin && !(t < k->end);
  if (at_end || !(t > k->begin)) {
    memcpy(y, at_end ? k->y1 : k->y0, k->n * sizeof *y);
    return PERP_OK;
  }
  perp_status status = know_dense(k);
  if (status != PERP_OK) return refuse(k, status, k->end - k->begin);
  evaluate_dense(k, t, y);
  return PERP_OK;
}

/* What is added to component i after d factors: see evaluate_dense(). */
static double dense_term(const runge_kutta *k, int d, size_t i) {
  double c1 = k->y1[i] - k->y0[i], c2 = k->length * k->slope[0][i] - c1;
  if (d < RK_DENSE) return k->dense[RK_DENSE - 1 - d][i];
  if (d == RK_DENSE) return c1 - k->length * k->slope[RK_STAGES][i] - c2;
  return d == RK_DENSE + 1 ? c2 : d == RK_DENSE + 2 ? c1 : k->y0[i];
}

/* evaluate_dense() in Bernstein's basis, from its innermost term: each factor raises the degree. */
static perp_status bezier(void *self, int32_t *degree, double *out) {
  runge_kutta *k = self;
  const size_t n = k->n;
  perp_status status = know_dense(k);
  if (status != PERP_OK) return refuse(k, status, k->end - k->begin);
  memcpy(out, k->dense[RK_DENSE - 1], n * sizeof *out);
  for (int d = 1; d <= RK_DEGREE; d++) {
    const int rising = d % 2; /* factors x, z, x, z, x, z, x */
    for (int j = d; j >= 0; j--) {
      const int from = rising ? j - 1 : j;
      const double part = (double)(rising ? j : d - j) / d;
      for (size_t i = 0; i < n; i++) {
        const double b = part > 0 ? part * out[(size_t)from * n + i] : 0;
        out[(size_t)j * n + i] = b + dense_term(k, d, i);
      }
    }
  }
  memcpy(out + RK_DEGREE * n, k->y1, n * sizeof *out);
  *degree = RK_DEGREE;
  return PERP_OK;
}

static perp_status shorten(void *self, double t, double *y) {
  runge_kutta *k = self;
  if (!(t > k->begin) || !(t <= k->full_end))
    return perp_smooth_outside(k->message, t, k->begin, k->full_end);
  if (t != k->end) {
    double h = t - k->begin;
    perp_status status = try_step(k, h);
    if (status != PERP_OK) {
      (void)try_step(k, k->length); /* the step as it was: its stages gave no trouble before */
      k->known &= ~KNOW_DENSE;
      return refuse(k, status, h);
    }
    k->end = t;
    k->length = h;
    k->known = KNOW_BEGIN;
  }
  memcpy(y, k->y1, k->n * sizeof *y);
  return PERP_OK;
}

static perp_status restart(void *self, double t, const double *y, double h) {
  runge_kutta *k = self;
  k->message[0] = 0;
  if (!is_finite(t) || !all_finite(k->n, y)) {
    (void)snprintf(k->message, sizeof k->message, "the state at t = %.17g is not finite", t);
    return PERP_ENOTFINITE;
  }
  memcpy(k->y0, y, k->n * sizeof *y);
  k->begin = k->end = k->full_end = t;
  k->known = 0;
  k->length = 0;
  k->h = h > 0 ? h : k->problem->h_first;
  k->old_error = 1e-4;
  return PERP_OK;
}

static perp_status create(void **self, const smooth_problem *problem, perp_info *info) {
  *self = NULL;
  if (problem->n < 1) return fail(info, PERP_EINVAL, "n", -1, problem->n);
  if (problem->order != 0 && problem->order != 8)
    return fail(info, PERP_EINVAL, "order", -1, problem->order);
  size_t n = (size_t)problem->n, width = (n + LANES - 1) / LANES * LANES;
  size_t arrays = 4 + RK_SLOPES + RK_DENSE;
  runge_kutta *k = calloc(1, sizeof *k);
  double *memory = k != NULL ? calloc(arrays * width, sizeof *memory) : NULL;
  if (memory == NULL) {
    free(k);
    return fail(info, PERP_EBACKEND, "smooth", -1, 0);
  }
  k->problem = problem;
  k->n = n;
  k->width = width;
  k->zero = memory;
  k->y0 = memory += width;
  k->y1 = memory += width;
  k->point = memory += width;
  for (int s = 0; s < RK_SLOPES; s++) k->slope[s] = memory += width;
  for (int d = 0; d < RK_DENSE; d++) k->dense[d] = memory += width;
  k->old_error = 1e-4;
  *self = k;
  return PERP_OK;
}

static void destroy(void *self) {
  runge_kutta *k = self;
  if (k == NULL) return;
  free(k->zero);
  free(k);
}

static void counts(const void *self, smooth_counts *counts) {
  *counts = ((const runge_kutta *)self)->counts;
}

static const char *message(const void *self) { return ((const runge_kutta *)self)->message; }

const perp_smooth *perp_smooth_runge_kutta(void) {
  static const perp_smooth runge_kutta_8 = {
      sizeof(perp_smooth), 0,      "runge-kutta", 1,      6,      create, destroy, restart, step,
      interpolate,         bezier, shorten,       counts, message};
  return &runge_kutta_8;
}
