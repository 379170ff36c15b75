/* SPDX-License-Identifier: MIT */
/* Gaps of which nothing is known but values and rates: at the ends of an interval they give a cubic
 * (Hermite), and two points within tell how far the gap is from it. An interval is passed where the
 * cubic is positive by more than that, by its coefficients in Bernstein's basis; others are parted
 * at those points. No proof: what is narrow enough to lie between all points is not seen. */
#include <math.h>

#include "events/locate.h"

enum { INTERVALS = 16, MAX_DEPTH = 36, MAX_LOOKS = 10000 };
static const double kRate = 1.0 / 3; /* error of the cubic to that of its rate, times h, as of x⁴ */
static const double kSafety = 2;     /* of the error seen at two points           */
static const double kFirst = 0.29, kSecond = 0.62; /* parts of an interval: off its centre */

/* Times, gaps and rates of a point: rows 2i and 2i + 1 of e->g. */
typedef struct node {
  double t;
  const double *y, *ydot;
} node;

typedef struct finder {
  engine *e;
  search *s;
  int32_t refused; /* at the point evaluated last */
  int32_t looks;
} finder;

/* What the points of an interval say. */
enum { PASSED, CROSSED, UNKNOWN };

/* The point at t in row i; the model may refuse it. */
static int32_t look(finder *f, double t, int32_t i, node *at) {
  engine *e = f->e;
  double *y = guard_row(e, 1 + 2 * i), *ydot = guard_row(e, 2 + 2 * i);
  if (perp_guard_come(e, t) != 0) return -1;
  perp_plant_place(&e->p, t, e->trial);
  e->report.guards++;
  f->looks++;
  at->t = t, at->y = y, at->ydot = ydot;
  for (int32_t k = 0; k < e->n_guards; k++) {
    const element *x = &e->elements[k / GUARDS_PER_ELEMENT];
    if (e->way[k] != SEARCH_RATE) continue;
    const int32_t code = perp_plant_need(&e->p, x->interaction, PLANT_VALUES);
    if (code < 0) return code;
    if ((f->refused = code > 0) != 0) return 0;
    y[k] = perp_element_gap(e, x) + (x->state == PERP_CONTACT_TOUCH ? e->slack : 0);
    ydot[k] = perp_element_speed(e, x);
  }
  return 0;
}

/* Hermite's cubic between two nodes. */
typedef struct cubic {
  double h, b[4]; /* length; Bernstein's coefficients */
} cubic;

static double cubic_at(const cubic *c, double x, double *rate) {
  const double z = 1 - x, *b = c->b;
  *rate = 3 / c->h * (z * z * (b[1] - b[0]) + 2 * x * z * (b[2] - b[1]) + x * x * (b[3] - b[2]));
  return z * z * z * b[0] + 3 * x * z * (z * b[1] + x * b[2]) + x * x * x * b[3];
}

static double least(double a, double b, double c, double d) { return fmin(fmin(a, b), fmin(c, d)); }

/* Guard k between p[0] and p[3], with p[1] and p[2] within. */
static int judge(const engine *e, int32_t k, const node *p) {
  cubic c = {p[3].t - p[0].t, {0}};
  double v[4], off = 0, off_rate = 0;
  for (int i = 0; i < 4; i++) v[i] = perp_guard_value(e, k, p[i].y[k]);
  const double left = c.h / 3 * p[0].ydot[k], right = c.h / 3 * p[3].ydot[k];
  c.b[0] = v[0], c.b[1] = v[0] + left, c.b[2] = v[3] - right, c.b[3] = v[3];
  for (int i = 1; i < 3; i++) {
    double rate;
    off = fmax(off, fabs(cubic_at(&c, (p[i].t - p[0].t) / c.h, &rate) - v[i]));
    off_rate = fmax(off_rate, fabs(rate - p[i].ydot[k]));
  }
  off = fmax(off, kRate * c.h * off_rate); /* chance hides an error from the values, or the rates */
  const double floor = 2 * perp_guard_noise(e, k, 0), margin = kSafety * off_rate;
  const double d0 = p[0].ydot[k], d1 = 3 / c.h * (c.b[2] - c.b[1]), d2 = p[3].ydot[k];
  const int seen = v[1] > 0 && v[2] > 0 && v[3] > 0;
  const double low = least(c.b[0], c.b[1], c.b[2], c.b[3]) - kSafety * off;
  if (seen && low > -floor) return PASSED;
  if (seen && v[0] > 0 && fmin(fmin(d0, d1), d2) > margin) return PASSED;
  if (v[0] > 0 && v[3] <= 0 && fmax(fmax(d0, d1), d2) < -margin) return CROSSED;
  /* at rest at zero: it moves by less than rounding shows, and by less than counts */
  const double high = -least(-c.b[0], -c.b[1], -c.b[2], -c.b[3]) + kSafety * off;
  const double rest = 0.25 * e->options.contact_tol;
  if (e->fresh[k] && low > -rest && high < rest) return seen ? PASSED : CROSSED;
  return UNKNOWN;
}

/* All gaps between p[0] and p[3]. */
static int judge_all(const engine *e, const node *p) {
  int all = PASSED;
  for (int32_t k = 0; k < e->n_guards && all != UNKNOWN; k++) {
    if (e->way[k] != SEARCH_RATE) continue;
    const int one = judge(e, k, p);
    if (one != PASSED) all = one;
  }
  return all;
}

static int any_fired(const engine *e, const node *p) {
  for (int32_t k = 0; k < e->n_guards; k++)
    if (e->way[k] == SEARCH_RATE && perp_guard_has_fired(e, k, p->y[k])) return 1;
  return 0;
}

/* The first of the points at which one has fired: 1, or 0 if none has. */
static int32_t take_first(finder *f, const node *p) {
  for (int i = 1; i < 4; i++) {
    if (!any_fired(f->e, &p[i])) continue;
    search_take(f->s, p[i - 1].t, p[i].t);
    return 1;
  }
  return 0;
}

/* As narrow as it gets. */
static int32_t end_of_search(finder *f, const node *p) {
  const int32_t found = take_first(f, p);
  if (found == 0) f->e->report.unresolved++;
  return found;
}

static void leave(engine *e, const node *at) {
  for (int32_t k = 0; k < e->n_guards; k++)
    if (e->way[k] == SEARCH_RATE) perp_guard_leave(e, k, at->y[k]);
}

/* The first zero between two nodes: 1 if it is taken, 0 if there is none, < 0 as callbacks. Where
 * the model refuses a point, the search ends before it. */
static int32_t first_zero(finder *f, int32_t depth, const node *from, const node *to) {
  node p[4] = {*from, *from, *from, *to};
  const double width = to->t - from->t;
  if (f->s->found && from->t >= f->s->b) return 0;
  for (int i = 1; i < 3; i++) {
    const double t = from->t + (i == 1 ? kFirst : kSecond) * width;
    if (!(t > p[i - 1].t && t < to->t)) return end_of_search(f, p);
    const int32_t code = look(f, t, 2 + 2 * depth + i - 1, &p[i]);
    if (code < 0) return code;
    if (f->refused) return search_take(f->s, from->t, t), 1;
  }
  const int verdict = judge_all(f->e, p);
  if (verdict == PASSED) return leave(f->e, to), 0;
  if (verdict == CROSSED) return take_first(f, p);
  if (depth + 1 == MAX_DEPTH || f->looks > MAX_LOOKS) return end_of_search(f, p);
  for (int i = 0; i < 3; i++) {
    const int32_t found = first_zero(f, depth + 1, &p[i], &p[i + 1]);
    if (found != 0) return found;
  }
  return 0;
}

int32_t perp_locate_rate(engine *e, search *s) {
  finder f = {e, s, 0, 0};
  node from, to;
  if (e->ways[SEARCH_RATE] == 0) return 0;
  int32_t code = look(&f, s->begin, 0, &from);
  if (code < 0 || f.refused) return -1;
  for (int32_t i = 1; i <= INTERVALS && !(s->found && from.t >= s->b); i++) {
    const double t = i == INTERVALS ? s->end : s->begin + (s->end - s->begin) * i / INTERVALS;
    if (!(t > from.t)) continue;
    code = look(&f, t, i % 2, &to);
    if (code < 0) return code;
    if (f.refused) { /* what lies before it has still to be looked through */
      search_take(s, from.t, t);
      return 0;
    }
    code = first_zero(&f, 0, &from, &to);
    if (code < 0) return code;
    if (code > 0) return 0;
    from = to;
  }
  return 0;
}
