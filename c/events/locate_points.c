/* SPDX-License-Identifier: MIT */
/* Guards that are looked at in points of the step, and where a parabola through three of them dips
 * below zero, so that one that goes through zero and back is seen. Those made of forces and
 * velocities have been in the error test of the step: a few points, and twice as many as long as a
 * guard bends too much between them. Of those of the user's nothing is known: many at once. */
#include <math.h>
#include <string.h>

#include "events/locate.h"

typedef struct finder {
  engine *e;
  search *s;
  int32_t way, first, last; /* guards of the elements, or the user's */
  double end;               /* of what is looked through             */
  int32_t refused;          /* the last point                        */
} finder;

static int is_asked(const finder *f, int32_t k) {
  return f->e->way[k] == f->way && perp_guard_counts(f->e, k);
}

/* A time between three samples at which some guard may dip to zero; NAN: none. */
static double dip(const finder *f, const double *t, const double *a, const double *b,
                  const double *c) {
  const engine *e = f->e;
  double best = NAN, depth = 0;
  for (int32_t k = f->first; k < f->last; k++) {
    if (!is_asked(f, k)) continue;
    const double fa = perp_guard_value(e, k, a[k]), fb = perp_guard_value(e, k, b[k]),
                 fc = perp_guard_value(e, k, c[k]);
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

/* Guards at points of the step, until one has fired or the model refuses one: their number; < 0 as
 * callbacks. */
static int32_t look(finder *f, int32_t points) {
  engine *e = f->e;
  double *at = e->g_times;
  const double begin = f->s->begin;
  f->refused = 0;
  at[0] = begin;
  for (int32_t i = 1; i < points; i++) {
    at[i] = i == points - 1 ? f->end : begin + (f->end - begin) * i / (points - 1);
    const int32_t code = f->way == SEARCH_VALUE ? perp_guard_users(e, at[i], guard_row(e, i))
                                                : perp_guard_at(e, at[i], guard_row(e, i));
    if (code < 0) return -1;
    if ((f->refused = code > 0) != 0) return i + 1;
    if (f->way == SEARCH_VALUE) perp_guard_learn(e, guard_row(e, i));
    if (perp_guard_any_fired(e, guard_row(e, i), f->first, f->last)) return i + 1;
  }
  return points;
}

/* Whether the points tell where guards go between them: the bend from one to the next is small
 * against the distance from zero. */
static int is_resolved(const finder *f, int32_t points) {
  const engine *e = f->e;
  const size_t n = (size_t)e->n_guards;
  for (int32_t k = f->first; k < f->last; k++) {
    if (!is_asked(f, k)) continue;
    for (int32_t i = e->fresh[k] ? 2 : 1; i + 1 < points; i++) {
      const double *g = e->g + (size_t)i * n + (size_t)k;
      const double a = perp_guard_value(e, k, *(g - n)), b = perp_guard_value(e, k, *g),
                   c = perp_guard_value(e, k, *(g + n));
      if (!(a > 0 && b > 0)) continue; /* its sign was another there */
      const double low = fmin(fmin(a, b), c > 0 ? c : b), bend = fabs(a - 2 * b + c);
      if (low < 0.5 * bend && bend > perp_guard_noise(e, k, *g)) return 0;
    }
  }
  return 1;
}

/* What the points have shown: the first of them at which a guard has fired, or a dip before. */
static int32_t take_first(finder *f, int32_t seen) {
  engine *e = f->e;
  const double *at = e->g_times;
  double *g = guard_row(e, e->max_points);
  const int fired =
      f->refused || perp_guard_any_fired(e, guard_row(e, seen - 1), f->first, f->last);
  const int32_t answered = f->refused ? seen - 1 : seen;
  for (int32_t i = 2; i < answered; i++) {
    if (fired && i == seen - 1) break;
    const double low =
        dip(f, &at[i - 2], guard_row(e, i - 2), guard_row(e, i - 1), guard_row(e, i));
    if (isnan(low)) continue;
    const int32_t code =
        f->way == SEARCH_VALUE ? perp_guard_users(e, low, g) : perp_guard_at(e, low, g);
    if (code < 0) return -1;
    if (code == 0 && !perp_guard_any_fired(e, g, f->first, f->last)) continue;
    return search_take(f->s, low < at[i - 1] ? at[i - 2] : at[i - 1], low), 0;
  }
  if (fired) search_take(f->s, at[seen - 2], at[seen - 1]);
  return 0;
}

int32_t perp_locate_points(engine *e, search *s, int32_t way) {
  const int users = way == SEARCH_VALUE;
  const int32_t elements = GUARDS_PER_ELEMENT * e->n_elements;
  finder f = {e, s, way, users ? elements : 0, users ? e->n_guards : elements, s->b, 0};
  int32_t points = users ? e->max_points : e->options.samples + 2, seen;
  const size_t n = (size_t)e->n_guards;
  if (e->ways[way] == 0) return 0;
  memcpy(e->known, e->fresh, n);
  memcpy(e->known + n, e->sign, n);
  for (;;) {
    memcpy(e->fresh, e->known, n);
    memcpy(e->sign, e->known + n, n);
    seen = look(&f, points);
    if (seen < 0) return -1;
    if (points == 2 || is_resolved(&f, seen)) break;
    if (2 * points - 1 > e->max_points) {
      e->report.unresolved++;
      break;
    }
    points = 2 * points - 1;
  }
  if (!users && seen == points && !f.refused && f.end == s->end) {
    memcpy(guard_row(e, e->max_points + 1), guard_row(e, points - 1), n * sizeof *e->g);
    s->at_end = 1;
  }
  return take_first(&f, seen);
}
