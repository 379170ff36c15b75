/* SPDX-License-Identifier: MIT */
/* Steps of a package of SUNDIALS in one-step mode. A step that fails leaves (end, y1) as it was and
 * the package starts anew from there. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>

#include "base/finite.h"
#include "events/sundials.h"

static const double rounding = 2.220446049250313e-16;

static size_t bytes(const sundials *s) { return (size_t)s->problem->n * sizeof(double); }

static double *entries(N_Vector v) { return N_VGetArrayPointer(v); }

perp_status perp_sundials_restart(void *self, double t, const double *y, double h) {
  sundials *s = self;
  s->message[0] = 0;
  if (!is_finite(t) || !all_finite((size_t)s->problem->n, y)) {
    (void)snprintf(s->message, sizeof s->message, "the state at t = %.17g is not finite", t);
    return PERP_ENOTFINITE;
  }
  memcpy(s->y1, y, bytes(s));
  memcpy(s->y0, y, bytes(s));
  s->begin = s->end = s->full_end = t;
  s->h = h > 0 ? h : s->problem->h_first;
  s->uncut = 0;
  s->fresh = 1;
  return PERP_OK;
}

/* A first length for a method of that order, from the sizes of y, ẏ and, by a difference along a
 * step of Euler, ÿ (Hairer, Nørsett and Wanner 1993, II.4); at order 1 the error is h² ‖ÿ‖ / 2,
 * here below a hundredth of the tolerance, as every event adds one. The choice of SUNDIALS may lie
 * far below, where a component is 0. 0: not known. */
static double choose_first(sundials *s, double span) {
  double *y = entries(s->y), *f = entries(s->rate), *f0 = s->y0;
  if (perp_sundials_rhs(s->end, s->y, s->rate, s) != 0) return 0;
  memcpy(f0, f, bytes(s));
  double size = perp_smooth_norm(s->problem, s->y1, y),
         speed = perp_smooth_norm(s->problem, s->y1, f0);
  double trial = size > 1e-10 && speed > 1e-10 ? 0.01 * size / speed : 1e-6;
  if (trial > span) trial = span;
  for (int32_t i = 0; i < s->problem->n; i++) y[i] += trial * f0[i];
  int answer = perp_sundials_rhs(s->end + trial, s->y, s->rate, s);
  memcpy(y, s->y1, bytes(s));
  if (answer != 0) return 0;
  for (int32_t i = 0; i < s->problem->n; i++) f[i] = (f[i] - f0[i]) / trial;
  double curvature = perp_smooth_norm(s->problem, s->y1, f), longest = 100 * trial, h = longest;
  if (s->first_order == 1) {
    if (curvature > 0) h = 0.1 / sqrt(curvature);
  } else {
    double largest = curvature > speed ? curvature : speed;
    if (largest > 0) h = pow(0.01 / largest, 1.0 / (s->first_order + 1));
  }
  return h < longest ? h : longest;
}

/* The length of the first step from end, where y is y1. Methods of one step take the guess; those
 * of several begin at order 1, whose steps are far shorter. */
static double first_length(sundials *s, double span) {
  double h = s->h;
  if (!(h > 0) || s->first_order == 1) {
    double chosen = choose_first(s, span);
    h = h > 0 && h < chosen ? h : chosen;
    memcpy(s->y0, s->y1, bytes(s));
  }
  /* SUNDIALS does not choose within so little. */
  if (!(h > 0) && span <= 1e-12 * (fabs(s->end) + span)) return span;
  return h < span ? h : span;
}

/* Its counters begin anew at a restart. */
void perp_sundials_tally(sundials *s) {
  smooth_counts more = {0, 0, 0, 0};
  if (s->package != NULL) s->method->count(s->package, &more);
  s->counts.steps += more.steps;
  s->counts.rejected += more.rejected;
  s->counts.jacobians += more.jacobians;
}

static int begin_anew(sundials *s, double span) {
  perp_sundials_tally(s);
  memcpy(entries(s->y), s->y1, bytes(s));
  double h = first_length(s, span);
  if (s->answer > 0) s->answer = s->not_finite = 0;
  int flag = s->method->restart(s, s->end);
  return flag < 0 ? flag : s->method->set_first(s->package, h);
}

perp_status perp_sundials_refused(sundials *s, int flag) {
  perp_status status = flag < 0 ? s->method->status(flag) : PERP_MAX_ITER;
  const char *why = "";
  if (s->answer < 0) {
    status = PERP_ECALLBACK;
    why = "the right-hand side gave up";
  } else if (s->answer > 0 &&
             (status == PERP_RETRY || status == PERP_MAX_ITER || status == PERP_ECALLBACK)) {
    status = s->not_finite ? PERP_ENOTFINITE : PERP_RETRY;
    why = s->not_finite ? "a slope is not finite" : "the right-hand side asks for a smaller step";
  } else if (flag >= 0 && fabs(s->refused_at - s->end) <= 1e-9 * fabs(s->end)) {
    /* steps came ever nearer to where the right-hand side does not let them */
    status = s->refused_as_nan ? PERP_ENOTFINITE : PERP_RETRY;
    why =
        s->refused_as_nan ? "a slope is not finite" : "the right-hand side asks for a smaller step";
  } else if (flag >= 0) {
    why = "the step is below the spacing of the numbers";
  }
  size_t used = strlen(s->message);
  (void)snprintf(s->message + used, sizeof s->message - used, "%s%s%safter t = %.17g",
                 used > 0 ? " -- " : "", why, why[0] != 0 ? ", " : "", s->end);
  return status;
}

static int advance(sundials *s, double stop, double *t) {
  int flag = s->fresh ? begin_anew(s, stop - s->end) : 0;
  if (flag >= 0) flag = s->method->set_stop(s->package, stop);
  if (flag >= 0) flag = s->method->step(s, stop, t);
  return flag;
}

/* Whether a shorter step may succeed where a package has given up after some: ARKODE's explicit
 * methods do at once where a slope asks for one; all do after seven whose errors are too large, and
 * a force that jumps behind the begin of a step needs more. */
static int may_retry(const sundials *s, int flag) {
  if (flag >= 0 || s->answer < 0) return 0;
  const perp_status status = s->method->status(flag);
  return s->answer > 0 ? status == PERP_RETRY && s->first_order > 1 : status == PERP_MAX_ITER;
}

/* Halve the step until it succeeds. */
static int retry(sundials *s, double stop, double *t, int flag) {
  double h = s->h > 0 && s->h < stop - s->end ? s->h : stop - s->end;
  while (may_retry(s, flag) && 0.1 * h > rounding * fabs(s->end) && h > 1e-30) {
    s->h = h *= 0.5;
    s->fresh = 1;
    s->message[0] = 0;
    s->answer = s->not_finite = 0;
    flag = advance(s, stop, t);
  }
  return flag;
}

perp_status perp_sundials_step(void *self, double stop, double *begin, double *end, double *y) {
  sundials *s = self;
  s->message[0] = 0;
  if (!(stop > s->end) || !is_finite(stop)) return perp_smooth_stopped(s->message, stop, s->end);
  double t = s->end, planned = s->h, next = 0;
  s->answer = s->not_finite = 0;
  int flag = advance(s, stop, &t);
  flag = retry(s, stop, &t, flag);
  double *reached = entries(s->y);
  if (flag >= 0 && s->answer >= 0 && t > s->end && !all_finite((size_t)s->problem->n, reached)) {
    s->answer = s->not_finite = 1;
    flag = -1;
  }
  if (flag < 0 || s->answer < 0 || !(t > s->end)) {
    s->h = planned;
    s->fresh = 1;
    s->begin = s->full_end = s->end;
    memcpy(s->y0, s->y1, bytes(s));
    return perp_sundials_refused(s, flag);
  }
  s->fresh = 0;
  s->begin = s->end;
  s->end = s->full_end = t < stop ? t : stop;
  double *swap = s->y0;
  s->y0 = s->y1;
  s->y1 = swap;
  memcpy(s->y1, entries(s->y), bytes(s));
  (void)s->method->current(s->package, &next);
  s->h = next;
  if (t >= stop) { /* which cut this step short, and the plan for it after the one before */
    s->h = fmax(next, fmax(planned, s->uncut));
    s->fresh = s->first_order > 1 && s->end - s->begin < 0.1 * s->h; /* not to grow from there */
  } else {
    s->uncut = s->end - s->begin;
  }
  *begin = s->begin;
  *end = s->end;
  memcpy(y, s->y1, bytes(s));
  return PERP_OK;
}

/* What the right-hand side has answered, if it was not 0. */
static perp_status answered(const sundials *s) {
  if (s->answer <= 0) return s->answer < 0 ? PERP_ECALLBACK : PERP_OK;
  return s->not_finite ? PERP_ENOTFINITE : PERP_RETRY;
}

/* Derivative of the polynomial of the last step, the time within what the package allows. Some ask
 * for slopes within it. */
perp_status perp_sundials_read(sundials *s, double t, int order, double *out) {
  double now = t, length = 0;
  s->answer = s->not_finite = 0;
  (void)s->method->time(s->package, &now);
  (void)s->method->last(s->package, &length);
  double from = now - length, at = t < from ? from : t > now ? now : t;
  int flag = s->method->derivative(s->package, at, order, s->rate);
  if (flag < 0) return s->answer != 0 ? answered(s) : s->method->status(flag);
  memcpy(out, entries(s->rate), bytes(s));
  return PERP_OK;
}

perp_status perp_sundials_interpolate(void *self, double t, double *y) {
  sundials *s = self;
  if (!(t >= s->begin) || !(t <= s->end))
    return perp_smooth_outside(s->message, t, s->begin, s->end);
  if (t > s->begin && t < s->end) return perp_sundials_read(s, t, 0, y);
  memcpy(y, t >= s->end ? s->y1 : s->y0, bytes(s));
  return PERP_OK;
}

void perp_sundials_counts(const void *self, smooth_counts *counts) {
  const sundials *s = self;
  smooth_counts more = {0, 0, 0, 0};
  if (s->package != NULL) s->method->count(s->package, &more);
  *counts = s->counts;
  counts->steps += more.steps;
  counts->rejected += more.rejected;
  counts->jacobians += more.jacobians;
}

const char *perp_sundials_message(const void *self) { return ((const sundials *)self)->message; }
