/* SPDX-License-Identifier: MIT */
/* The first event within a step, on the interpolated motion. Guards are looked at in several points
 * of the step, and where one comes near zero between them (a parabola through three points says so)
 * also there, so that a guard that goes through zero and back is seen. A guard that is zero at a
 * restart (a contact that has just been left) is *fresh*: it counts from where it was, if that is
 * beyond zero, and by more than rounding, so that what was handled is not found again. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "events/engine.h"

enum { MAX_REFINEMENTS = 400 }; /* see refine() */

static double *row(engine *e, int32_t i) { return e->g + (size_t)i * (size_t)e->n_guards; }

/* Guards at time t of the last step, state from the interpolation into trial. */
static int32_t guards_at(engine *e, double t, double *g) {
  const perp_status status = e->smooth->interpolate(e->integrator, t, e->trial, NULL);
  if (status != PERP_OK) return e->p.status = status, e->p.field = "interpolation", -1;
  const int32_t code = perp_plant_at(&e->p, t, e->trial);
  return code != 0 ? code : perp_element_guards(e, g);
}

/* Below what the change of a guard since the restart is rounding. */
static double noise(const engine *e, int32_t k, double g) {
  return 8 * DBL_EPSILON * fmax(fabs(g), e->g_size[k]);
}

/* Where guard k has its zero: a fresh one that was beyond it at the restart has it there. */
static double zero_of(const engine *e, int32_t k) {
  return e->fresh[k] ? e->sign[k] * fmin(e->sign[k] * e->g_start[k], 0) : 0;
}

/* Guard k as positive until it fires: by sign for the user's, beyond rounding if it is fresh. */
static double value(const engine *e, int32_t k, double g) {
  const double v = e->sign[k] * (g - zero_of(e, k));
  return e->fresh[k] ? v + noise(e, k, g) : v;
}

static int is_user(const engine *e, int32_t k) { return k >= GUARDS_PER_ELEMENT * e->n_elements; }

/* Whether a crossing of guard k counts. */
static int counts(const engine *e, int32_t k) {
  if (e->sign[k] == 0) return 0;
  if (!is_user(e, k)) return 1;
  const int32_t direction = e->options.guards[k - GUARDS_PER_ELEMENT * e->n_elements].direction;
  return direction == 0 || direction == -e->sign[k];
}

/* Whether guard k has fired at g. */
static int has_fired(const engine *e, int32_t k, double g) {
  return counts(e, k) && value(e, k, g) <= 0;
}

static int any_fired(const engine *e, const double *g) {
  for (int32_t k = 0; k < e->n_guards; k++)
    if (has_fired(e, k, g[k])) return 1;
  return 0;
}

/* Signs of the user's guards that were zero at the restart, as soon as they have one; a sign that
 * changed without counting. */
static void learn_signs(engine *e, const double *g) {
  for (int32_t k = GUARDS_PER_ELEMENT * e->n_elements; k < e->n_guards; k++) {
    if (e->sign[k] == 0 && fabs(g[k] - e->g_start[k]) > noise(e, k, g[k])) {
      e->sign[k] = g[k] > e->g_start[k] ? 1 : -1;
    } else if (e->sign[k] != 0 && !counts(e, k) && value(e, k, g[k]) < 0) {
      e->sign[k] = (signed char)-e->sign[k];
      e->fresh[k] = 0;
    }
  }
}

/* The size of what guard k is made of, at the plant's point. */
static double guard_size(const engine *e, int32_t k) {
  if (is_user(e, k)) return fmax(e->guard_scale, 1);
  const element *x = &e->elements[k / GUARDS_PER_ELEMENT];
  const plant_interaction *at = &e->p.interactions[x->interaction];
  switch (x->state) {
    case PERP_CONTACT_OPEN:
    case PERP_CONTACT_TOUCH:
      if (x->holonomic) return perp_element_size(e, x);
      break;
    case PERP_CONTACT_LOWER:
    case PERP_CONTACT_UPPER:
    case PERP_CONTACT_SLIP:
      break;
    default:
      return e->force_scale;
  }
  if (k % GUARDS_PER_ELEMENT == 0 && x->state == PERP_CONTACT_SLIP) return e->force_scale;
  double size = 0;
  for (int32_t r = x->row; r < x->row + x->size; r++)
    for (int32_t j = 0; j < at->n; j++)
      size = fmax(size, fabs(at->H[r + at->m * j] * e->p.w[at->column[j]]));
  return size;
}

/* Up to what a guard counts as zero at a restart. */
static double tolerance(const engine *e, int32_t k) {
  const double size = fmax(e->guard_scale, 1);
  if (is_user(e, k))
    return size * (e->fired[k] ? fmax(1e-8, 100 * e->options.rtol) : 16 * DBL_EPSILON);
  const element *x = &e->elements[k / GUARDS_PER_ELEMENT];
  const int of_gap = x->state == PERP_CONTACT_OPEN || x->state == PERP_CONTACT_TOUCH ||
                     x->state == PERP_CONTACT_LOWER || x->state == PERP_CONTACT_UPPER;
  if (x->state == PERP_CONTACT_SLIP && k % GUARDS_PER_ELEMENT == 1) return e->options.velocity_tol;
  return of_gap ? e->options.contact_tol : 1e-9 * e->force_scale;
}

int32_t perp_locate_start(engine *e) {
  double size = 0;
  for (size_t k = 0; k < e->p.n; k++) size = fmax(size, fabs(e->Y[k]));
  int32_t code = perp_plant_at(&e->p, e->t, e->Y);
  if (code == 0) code = perp_element_guards(e, e->g_start);
  if (code != 0) return code;
  e->guard_scale = size;
  for (int32_t k = 0; k < e->n_guards; k++) {
    const double g = e->g_start[k];
    const int user = is_user(e, k);
    e->g_size[k] = guard_size(e, k);
    const double tol = tolerance(e, k);
    const int zero = fabs(g) <= tol;
    /* one of the user's that has come to zero and has not fired keeps its side: it is about to */
    const int waits = user && zero && !e->fired[k] && e->sign[k] != 0;
    e->fresh[k] = (unsigned char)(!waits && (zero || (!user && g <= 0)));
    if (!waits) e->sign[k] = user ? (signed char)(zero ? 0 : g > 0 ? 1 : -1) : 1;
  }
  memcpy(row(e, 0), e->g_start, (size_t)e->n_guards * sizeof *e->g);
  return 0;
}

/* A time between three samples at which some guard may dip to zero; NAN: none. */
static double dip(const engine *e, const double *t, const double *a, const double *b,
                  const double *c) {
  double best = NAN, depth = 0;
  for (int32_t k = 0; k < e->n_guards; k++) {
    if (!counts(e, k)) continue;
    const double fa = value(e, k, a[k]), fb = value(e, k, b[k]), fc = value(e, k, c[k]);
    if (!(fa > 0 && fb > 0 && fc > 0)) continue; /* its sign was another there */
    const double s1 = (fb - fa) / (t[1] - t[0]), s2 = (fc - fb) / (t[2] - t[1]);
    const double bend = (s2 - s1) / (t[2] - t[0]);
    if (!(s1 < 0 && s2 > 0 && bend > 0)) continue;
    const double at = 0.5 * (t[0] + t[1]) - 0.5 * s1 / bend;
    const double low = fb - bend * (at - t[1]) * (at - t[1]);
    if (at > t[0] && at < t[2] && low < 0.25 * fb && (isnan(best) || low < depth))
      best = at, depth = low;
  }
  return best;
}

/* Narrow (a, b], at the end of which some guard has fired and at the begin of which none has, to
 * the first zero. Guards at the ends in ga, gb; scratch gc. Each fourth pass halves, and an
 * interval is narrow at 2^-72 of its first width: 4 · 72 passes always do. */
static int32_t refine(engine *e, double *a, double *b, double *ga, double *gb, double *gc) {
  const double least = 0x1p-20 * (*b - *a); /* about t = 0, where numbers are ever closer */
  int side = 0;
  for (int32_t i = 0;; i++) {
    const double ulp = DBL_EPSILON * fmax(fmax(fabs(*a), fabs(*b)), least), width = *b - *a;
    if (width <= 2 * ulp) break;
    if (i == MAX_REFINEMENTS) {
      e->p.field = "root", e->p.index = -1, e->p.status = PERP_MAX_ITER;
      return -1;
    }
    double first = *b; /* the earliest zero, by secants */
    for (int32_t k = 0; k < e->n_guards; k++) {
      if (!has_fired(e, k, gb[k])) continue;
      const double fa = value(e, k, ga[k]), fb = value(e, k, gb[k]);
      const double at = fa > 0 ? *a + width * fa / (fa - fb) : *a;
      first = fmin(first, at);
    }
    /* a little to the other side of the end that stays, so that both come near; at times the middle
     */
    double c = first + (side > 0 ? -ulp : ulp) - 1e-3 * (side > 1 ? first - *a : 0) +
               1e-3 * (side < -1 ? *b - first : 0);
    if (i % 4 == 3) c = 0.5 * (*a + *b);
    if (!(c > *a + ulp)) c = *a + fmax(ulp, 1e-3 * width);
    if (!(c < *b)) c = *b - fmax(ulp, 1e-3 * width);
    if (!(c > *a && c < *b)) break;
    const int32_t code = guards_at(e, c, gc);
    if (code != 0) return code;
    if (any_fired(e, gc)) {
      *b = c;
      memcpy(gb, gc, (size_t)e->n_guards * sizeof *gb);
      side = side > 0 ? side + 1 : 1;
    } else {
      *a = c;
      memcpy(ga, gc, (size_t)e->n_guards * sizeof *ga);
      side = side < 0 ? side - 1 : -1;
    }
  }
  return 0;
}

static void keep_last(engine *e, const double *g) {
  learn_signs(e, g);
  for (int32_t k = 0; k < e->n_guards; k++)
    if (e->fresh[k] && e->sign[k] != 0 && value(e, k, g[k]) > tolerance(e, k)) e->fresh[k] = 0;
  memcpy(row(e, 0), g, (size_t)e->n_guards * sizeof *g);
}

/* Guards at points of the step, until one has fired: their number, the last with a fired guard or
 * at the end; < 0 as callbacks. */
static int32_t look(engine *e, double end, const double *y_end, int32_t points) {
  double *at = e->g_times;
  const double begin = at[0];
  for (int32_t i = 1; i < points; i++) {
    int32_t code;
    at[i] = i == points - 1 ? end : begin + (end - begin) * i / (points - 1);
    if (i == points - 1) {
      code = perp_plant_at(&e->p, end, y_end);
      if (code == 0) code = perp_element_guards(e, row(e, i));
    } else {
      code = guards_at(e, at[i], row(e, i));
    }
    if (code != 0) return -1;
    learn_signs(e, row(e, i));
    if (any_fired(e, row(e, i))) return i + 1;
  }
  return points;
}

/* Whether the points tell where guards go between them: the bend from one to the next is small
 * against the distance from zero. */
static int is_resolved(const engine *e, int32_t points) {
  const size_t n = (size_t)e->n_guards;
  for (int32_t k = 0; k < e->n_guards; k++) {
    if (!counts(e, k)) continue;
    for (int32_t i = e->fresh[k] ? 2 : 1; i + 1 < points; i++) {
      const double *g = e->g + (size_t)i * n + (size_t)k;
      const double a = value(e, k, *(g - n)), b = value(e, k, *g), c = value(e, k, *(g + n));
      if (!(a > 0 && b > 0)) continue; /* its sign was another there */
      const double low = fmin(fmin(a, b), c > 0 ? c : b);
      if (low < 0.5 * fabs(a - 2 * b + c) && fabs(a - 2 * b + c) > noise(e, k, *g)) return 0;
    }
  }
  return 1;
}

/* The event found at *t with guards gb: who fired, how fast, and their neighbours. */
static int32_t settle_event(engine *e, double begin, double end, double *t, const double *gb,
                            double *scratch) {
  const double b = *t;
  for (int32_t k = e->n_guards; k-- > 0;) {
    e->fired[k] = (unsigned char)has_fired(e, k, gb[k]);
    if (e->fired[k]) e->first_fired = k;
  }
  e->fired_at = zero_of(e, e->first_fired);
  const double back = b - 1e-3 * (b - begin);
  if (guards_at(e, back, scratch) != 0) return -1;
  e->fired_slope = (gb[e->first_fired] - scratch[e->first_fired]) / (b - back);
  if (e->fresh[e->first_fired]) { /* back over what was taken for noise */
    const double at = b - (gb[e->first_fired] - e->fired_at) / e->fired_slope;
    if (at > 0.5 * (begin + b) && at < b) *t = at;
  }
  /* neighbours within the resolution of a root belong to it */
  const double near = b + 100 * DBL_EPSILON * (fabs(b) + (end - begin));
  if (near < end && guards_at(e, near, scratch) == 0)
    for (int32_t k = 0; k < e->n_guards; k++)
      if (has_fired(e, k, scratch[k])) e->fired[k] = 1;
  return 1;
}

int32_t perp_locate(engine *e, double begin, double end, const double *y_end, double *t) {
  int32_t points = e->options.samples + 2, seen;
  double *at = e->g_times;
  double *spare = row(e, e->max_points), *work = row(e, e->max_points + 1);
  memset(e->fired, 0, (size_t)e->n_guards);
  if (!e->watches) return 0;
  at[0] = begin;
  const size_t n = (size_t)e->n_guards;
  memcpy(e->known, e->fresh, n);
  memcpy(e->known + n, e->sign, n);
  for (;;) {
    memcpy(e->fresh, e->known, n);
    memcpy(e->sign, e->known + n, n);
    seen = look(e, end, y_end, points);
    if (seen < 0) return -1;
    if (points == 2 || is_resolved(e, seen)) break;
    if (2 * points - 1 > e->max_points) {
      e->report.unresolved++;
      break;
    }
    points = 2 * points - 1;
  }
  const int fired = any_fired(e, row(e, seen - 1));
  for (int32_t i = 1; i < seen; i++) {
    double a = at[i - 1], b = at[i];
    double *ga = row(e, i - 1), *gb = row(e, i);
    int found = fired && i == seen - 1;
    const double low = found || i < 2 ? NAN : dip(e, &at[i - 2], row(e, i - 2), ga, gb);
    if (!isnan(low)) {
      if (guards_at(e, low, spare) != 0) return -1;
      if (any_fired(e, spare)) {
        found = 1;
        if (low < a) a = at[i - 2], ga = row(e, i - 2);
        b = low, gb = spare;
      }
    }
    if (!found) continue;
    if (refine(e, &a, &b, ga, gb, work) != 0) return -1;
    *t = b;
    return settle_event(e, begin, end, t, gb, work);
  }
  keep_last(e, row(e, seen - 1));
  return 0;
}
