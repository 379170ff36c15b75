/* SPDX-License-Identifier: MIT */
/* The first event within a step, on the interpolated motion. Guards are searched in the ways that
 * they allow (guard.h), each up to the first event that those before have found; what has been
 * found is narrowed to the first zero of any guard. Where the model refuses a point, as a gap may
 * that has no value within the obstacle, the step is looked through as far as it answers. */
#include "events/locate.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_REFINEMENTS = 400 }; /* see refine() */

static int any_fired(const engine *e, const double *g) {
  return perp_guard_any_fired(e, g, 0, e->n_guards);
}

/* A guard that left its zero later than at a is still as it was there, g. */
static void not_yet(engine *e, const unsigned char *fresh, const double *g) {
  for (int32_t k = 0; k < e->n_guards; k++)
    if (fresh[k] && !e->fresh[k] && !guard_is_user(e, k) && perp_guard_has_fired(e, k, g[k]))
      e->fresh[k] = 1;
}

/* The earliest zero within, by secants. */
static double by_secants(const engine *e, const search *s, const double *ga, const double *gb) {
  double first = s->b;
  for (int32_t k = 0; k < e->n_guards; k++) {
    if (!perp_guard_has_fired(e, k, gb[k])) continue;
    const double fa = perp_guard_value(e, k, ga[k]), fb = perp_guard_value(e, k, gb[k]);
    first = fmin(first, fa > 0 ? s->a + (s->b - s->a) * fa / (fa - fb) : s->a);
  }
  return first;
}

/* Narrow (a, b], at the end of which some guard has fired or the model refuses its point, and at
 * the begin of which neither is so, to the first such point: *refused says which. Guards at the
 * ends in ga, gb; scratch gc. Each fourth pass halves, and an interval is narrow at 2^-72 of its
 * first width: 4 · 72 passes always do. */
static int32_t refine(engine *e, search *s, int *refused, double *ga, double *gb, double *gc) {
  const size_t bytes = (size_t)e->n_guards * sizeof *ga;
  const double least = 0x1p-20 * (s->b - s->a); /* about t = 0, where numbers are ever closer */
  int side = 0;
  for (int32_t i = 0;; i++) {
    const double a = s->a, b = s->b, width = b - a;
    const double ulp = DBL_EPSILON * fmax(fmax(fabs(a), fabs(b)), least);
    if (width <= 2 * ulp) break;
    if (i == MAX_REFINEMENTS)
      return perp_plant_refuse(&e->p, PERP_OF_ENTRY, PERP_MAX_ITER, "root", -1, -1);
    const double first = *refused ? 0.5 * (a + b) : by_secants(e, s, ga, gb);
    /* a little to the other side of the end that stays, so that both come near; at times the middle
     */
    double c = first + (side > 0 ? -ulp : ulp) - 1e-3 * (side > 1 ? first - a : 0) +
               1e-3 * (side < -1 ? b - first : 0);
    if (i % 4 == 3) c = 0.5 * (a + b);
    if (!(c > a + ulp)) c = a + fmax(ulp, 1e-3 * width);
    if (!(c < b)) c = b - fmax(ulp, 1e-3 * width);
    if (!(c > a && c < b)) break;
    const int32_t code = perp_guard_at(e, c, gc);
    if (code < 0) return code;
    if (code > 0 || any_fired(e, gc)) {
      s->b = c;
      *refused = code > 0;
      if (code == 0) memcpy(gb, gc, bytes);
      side = side > 0 ? side + 1 : 1;
    } else {
      s->a = c;
      memcpy(ga, gc, bytes);
      side = side < 0 ? side - 1 : -1;
    }
  }
  return 0;
}

/* The event found at *t with guards gb: who fired, how fast, and their neighbours. */
static int32_t settle_event(engine *e, const search *s, double *t, const double *gb,
                            double *scratch) {
  const double b = *t = s->b;
  for (int32_t k = e->n_guards; k-- > 0;) {
    e->fired[k] = (unsigned char)perp_guard_has_fired(e, k, gb[k]);
    if (e->fired[k]) e->first_fired = k;
  }
  const int32_t first = e->first_fired;
  e->fired_at = perp_guard_zero(e, first);
  const double back = b - 1e-3 * (b - s->begin);
  if (perp_guard_at(e, back, scratch) != 0) return -1;
  e->fired_slope = (gb[first] - scratch[first]) / (b - back);
  if (e->fresh[first]) { /* back over what was taken for noise */
    const double at = b - (gb[first] - e->fired_at) / e->fired_slope;
    if (at > 0.5 * (s->begin + b) && at < b) *t = at;
  }
  /* neighbours within the resolution of a root belong to it */
  const double near = b + 100 * DBL_EPSILON * (fabs(b) + (s->end - s->begin));
  const int32_t code = near < s->end ? perp_guard_at(e, near, scratch) : 1;
  for (int32_t k = 0; k < e->n_guards && code == 0; k++)
    if (perp_guard_has_fired(e, k, scratch[k])) e->fired[k] = 1;
  return code < 0 ? code : LOCATE_EVENT;
}

/* The model refuses what follows *t = a, with guards ga there: an event if a gap is closed to the
 * tolerance there, and was not before. */
static int32_t settle_border(engine *e, const search *s, double *t, const double *ga,
                             double *scratch) {
  *t = s->a;
  const double back = s->a - 1e-3 * (s->a - s->begin);
  const perp_status status = e->p.status;
  const char *field = e->p.field;
  const int32_t index = e->p.index;
  const uint32_t of = e->p.of;
  int32_t found = LOCATE_SHORTEN;
  if (s->a > s->begin && perp_guard_at(e, back, scratch) != 0) return -1;
  for (int32_t k = e->n_guards; k-- > 0 && s->a > s->begin;) {
    const int gap = e->way[k] == SEARCH_RATE && guard_home(e, k)->holonomic;
    e->fired[k] = (unsigned char)(gap && ga[k] <= e->options.contact_tol && ga[k] < scratch[k]);
    if (!e->fired[k]) continue;
    found = LOCATE_EVENT;
    e->first_fired = k;
    e->fired_at = ga[k];
    e->fired_slope = (ga[k] - scratch[k]) / (s->a - back);
  }
  e->p.status = status, e->p.field = field, e->p.index = index, e->p.of = of;
  return found;
}

/* From what a search has taken to the event itself. */
static int32_t narrow(engine *e, search *s, const unsigned char *fresh, double *t) {
  double *ga = guard_row(e, e->max_points), *gb = guard_row(e, e->max_points + 1);
  double *gc = guard_row(e, 1);
  if (perp_guard_at(e, s->a, ga) != 0) return -1;
  not_yet(e, fresh, ga);
  const int32_t code = perp_guard_at(e, s->b, gb);
  if (code < 0) return code;
  int refused = code > 0;
  if (!refused && !any_fired(e, gb)) return LOCATE_NOTHING;
  if (refine(e, s, &refused, ga, gb, gc) != 0) return -1;
  return refused ? settle_border(e, s, t, ga, gc) : settle_event(e, s, t, gb, gc);
}

static void keep_last(engine *e, const double *g) {
  perp_guard_learn(e, g);
  for (int32_t k = 0; k < e->n_guards; k++) perp_guard_leave(e, k, g[k]);
  memcpy(guard_row(e, 0), g, (size_t)e->n_guards * sizeof *g);
}

int32_t perp_locate(engine *e, double begin, double end, const double *y_end, double *t) {
  search s = {begin, end, begin, end, 0, 0};
  memset(e->fired, 0, (size_t)e->n_guards);
  if (!e->watches) return LOCATE_NOTHING;
  memcpy(e->was_fresh, e->fresh, (size_t)e->n_guards);
  int32_t code = perp_locate_exact(e, &s);
  if (code == 0) code = perp_locate_rate(e, &s);
  if (code == 0) code = perp_locate_points(e, &s, SEARCH_FORCE);
  if (code == 0) code = perp_locate_points(e, &s, SEARCH_VALUE);
  if (code != 0) return -1;
  double *last = guard_row(e, e->max_points + 1);
  if (!s.found) {
    code = s.at_end ? 0 : perp_guard_of(e, end, y_end, last);
    if (code < 0) return code;
    if (code == 0) perp_guard_learn(e, last);
    if (code > 0 || any_fired(e, last)) search_take(&s, begin, end);
  }
  if (s.found) {
    const int32_t found = narrow(e, &s, e->was_fresh, t);
    if (found != LOCATE_NOTHING) return found;
    /* rounding: on from there */
    if (s.b - begin > 0x1p-40 * (end - begin)) return *t = s.b, LOCATE_SHORTEN;
    e->report.unresolved++;
    if (perp_guard_of(e, end, y_end, last) != 0) return -1;
  }
  keep_last(e, last);
  return LOCATE_NOTHING;
}

/* ------------------------------------------------------------------------- missed ---- */

/* Whether guard k is that of an open gap, and g deeper than any rounding. */
static int is_deep(const engine *e, int32_t k, double g) {
  const element *x = guard_home(e, k);
  return is_open(x) && x->holonomic && k % GUARDS_PER_ELEMENT == 0 &&
         g - fmin(e->g_start[k], 0) < -e->options.contact_tol - 2 * perp_guard_noise(e, k, g);
}

int32_t perp_locate_again(engine *e, double begin, double end, double seen, double *t) {
  double *g = guard_row(e, e->max_points);
  int deep = 0;
  if (e->ways[SEARCH_RATE] == 0) return LOCATE_NOTHING;
  const int32_t code = perp_guard_at(e, seen, g);
  if (code != 0) return code < 0 ? code : LOCATE_NOTHING;
  for (int32_t k = 0; k < GUARDS_PER_ELEMENT * e->n_elements; k++)
    deep = deep || is_deep(e, k, g[k]);
  if (!deep) return LOCATE_NOTHING;
  search s = {begin, end, begin, seen, 1, 0};
  e->report.missed++;
  return narrow(e, &s, e->was_fresh, t);
}

int32_t perp_locate_missed(engine *e) {
  int32_t missed = 0;
  for (int32_t k = 0; k < e->n_elements; k++) {
    const element *x = &e->elements[k];
    if (x->holonomic && is_open(x))
      missed += is_deep(e, GUARDS_PER_ELEMENT * k, perp_element_gap(e, x));
  }
  return missed;
}
