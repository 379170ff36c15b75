/* SPDX-License-Identifier: MIT */
/* Guards that are linear in the state: polynomials over the step as the state is. In Bernstein's
 * basis a polynomial with positive coefficients is positive, and halves of an interval have
 * coefficients of their own (de Casteljau), which come to the polynomial quadratically: nothing is
 * sampled, and what has no zero is proved to have none, but for rounding. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "events/locate.h"

enum { MAX_HALVES = 2000 };            /* of one guard in one step */
static const double kNarrow = 0x1p-48; /* of a step: coefficients are the polynomial */
static const double kFlight = 0x1p-6;  /* of a step: rises and comes back within it */

typedef struct finder {
  engine *e;
  search *s;
  int32_t guard, degree;
  double shift; /* what the state of the guard adds to g */
  int32_t halves;
  double *looked; /* the time at which all guards were evaluated last */
} finder;

/* Entry j of Y that a guard reads, row r of its H. */
static double row_of(const engine *e, const plant_interaction *at, int32_t r, int of_q,
                     const double *Y) {
  if (!of_q) return perp_plant_row(at, r, Y + e->p.n_q);
  double sum = 0;
  const double *H = at->H + r;
  for (int32_t s = 0; s < at->n_systems; s++) {
    const plant_system *system = &e->p.systems[at->systems[s]];
    for (int32_t i = 0; i < system->n; i++, H += at->m) sum += *H * Y[system->q0 + (size_t)i];
  }
  return sum;
}

/* Guard k of a state, but for what is constant. */
static double linear_part(const engine *e, int32_t k, const double *Y) {
  const element *x = guard_home(e, k);
  const plant_interaction *at = &e->p.interactions[x->interaction];
  const int of_q = x->holonomic && x->state != PERP_CONTACT_LOWER &&
                   x->state != PERP_CONTACT_UPPER && x->state != PERP_CONTACT_SLIP;
  if (x->state != PERP_CONTACT_SLIP) {
    const double y = row_of(e, at, x->row, of_q, Y);
    return x->state == PERP_CONTACT_UPPER ? -y : y;
  }
  double along = x->d[0] * row_of(e, at, x->row + 1, 0, Y);
  if (x->size == 3) along += x->d[1] * row_of(e, at, x->row + 2, 0, Y);
  return along;
}

static void set_shift(finder *f) {
  f->shift = -perp_guard_zero(f->e, f->guard);
  if (f->e->fresh[f->guard])
    f->shift += perp_guard_noise(f->e, f->guard, 0) + f->e->g_loose[f->guard];
}

static int is_above(const finder *f, const double *c, const double *rounding) {
  for (int32_t j = 0; j <= f->degree; j++)
    if (!(c[j] + f->shift > -rounding[j])) return 0;
  return 1;
}

static int falls(const finder *f, const double *c) {
  for (int32_t j = 0; j < f->degree; j++)
    if (!(c[j + 1] <= c[j])) return 0;
  return 1;
}

/* A fresh guard leaves its zero at the end of a part without one; 1: it comes back within it, so
 * that the part must be halved to see where it had left. */
static int comes_back(finder *f, double width, const double *c) {
  engine *e = f->e;
  const int32_t k = f->guard;
  if (!e->fresh[k]) return 0;
  perp_guard_leave(e, k, c[f->degree]);
  if (!e->fresh[k]) return set_shift(f), 0;
  const double tolerance = perp_guard_tolerance(e, k);
  for (int32_t j = 0; j < f->degree; j++)
    if (c[j] + f->shift > tolerance && width > kFlight) return 1;
  return 0;
}

static void halve(int32_t degree, const double *c, double *left, double *right) {
  memcpy(right, c, ((size_t)degree + 1) * sizeof *right);
  for (int32_t i = 0; i <= degree; i++) {
    left[i] = right[0];
    for (int32_t j = 0; j < degree - i; j++) right[j] = 0.5 * (right[j] + right[j + 1]);
  }
}

static double time_at(const finder *f, double x) {
  return x < 1 ? f->s->begin + x * (f->s->end - f->s->begin) : f->s->end;
}

static double *looked(engine *e) { return guard_row(e, e->max_points); }

/* All guards at t, once for those that come to their zeros in the same part. */
static int32_t look(finder *f, double t) {
  if (*f->looked == t) return 0;
  const int32_t code = perp_guard_at(f->e, t, looked(f->e));
  *f->looked = code == 0 ? t : NAN;
  return code;
}

/* The first zero between a and b, parts of the step, where g has the coefficients c, and what c are
 * off by at most the coefficients rounding: 1 if it is taken, 0 if there is none, < 0 as callbacks.
 */
static int32_t first_zero(finder *f, double a, double b, const double *c, const double *rounding) {
  engine *e = f->e;
  if (f->s->found && time_at(f, a) >= f->s->b) return 0;
  const int above = is_above(f, c, rounding), narrow = b - a <= kNarrow || f->halves >= MAX_HALVES;
  if (above && !comes_back(f, b - a, c)) return 0;
  if (narrow && f->halves >= MAX_HALVES && f->halves++ == MAX_HALVES) e->report.unresolved++;
  if (!above && c[f->degree] + f->shift <= 0 && (narrow || falls(f, c))) {
    const int32_t code = look(f, time_at(f, b));
    if (code < 0) return code;
    if (code == 0 && !perp_guard_has_fired(e, f->guard, looked(e)[f->guard])) return 0;
    if (!(time_at(f, b) > f->s->begin)) return 0; /* where it comes from */
    search_take(f->s, time_at(f, a), time_at(f, b));
    return 1;
  }
  if (narrow) return 0;
  double left[SMOOTH_DEGREE + 1], right[SMOOTH_DEGREE + 1];
  double left_off[SMOOTH_DEGREE + 1], right_off[SMOOTH_DEGREE + 1];
  const double middle = 0.5 * (a + b);
  f->halves++;
  halve(f->degree, c, left, right);
  halve(f->degree, rounding, left_off, right_off);
  const int32_t found = first_zero(f, a, middle, left, left_off);
  return found != 0 ? found : first_zero(f, middle, b, right, right_off);
}

/* What the coefficients of guard k are off by: the rounding of the largest; of a method of one
 * step, the first is that of the state itself, so that a flight that is short and low against the
 * step is still seen close to its begin. */
static void find_rounding(const engine *e, int32_t k, int32_t degree, const double *c,
                          double *rounding) {
  const double noise = 2 * perp_guard_noise(e, k, 0), size = largest_of((size_t)degree + 1, c);
  for (int32_t j = 0; j <= degree; j++) {
    const double of = j == 0 && e->smooth->one_step ? fabs(c[0]) : size;
    rounding[j] = fmax(noise, 16 * DBL_EPSILON * of);
  }
}

int32_t perp_locate_exact(engine *e, search *s) {
  int32_t degree = 0;
  double looked_at = NAN;
  if (e->ways[SEARCH_EXACT] == 0) return 0;
  const perp_status status = e->smooth->bezier(e->integrator, &degree, e->bezier);
  if (status != PERP_OK)
    return perp_plant_refuse(&e->p, PERP_OF_ENTRY, status, "interpolation", -1, -1);
  for (int32_t k = 0; k < e->n_guards; k++) {
    double c[SMOOTH_DEGREE + 1], rounding[SMOOTH_DEGREE + 1];
    if (e->way[k] != SEARCH_EXACT) continue;
    const double constant = guard_row(e, 0)[k] - linear_part(e, k, e->save);
    for (int32_t j = 0; j <= degree; j++)
      c[j] = linear_part(e, k, e->bezier + (size_t)j * e->p.n) + constant;
    find_rounding(e, k, degree, c, rounding);
    finder f = {e, s, k, degree, 0, 0, &looked_at};
    set_shift(&f);
    if (first_zero(&f, 0, 1, c, rounding) < 0) return -1;
  }
  return 0;
}
