/* SPDX-License-Identifier: MIT */
#include "events/guard.h"

#include <float.h>
#include <math.h>
#include <string.h>

int32_t perp_guard_of(engine *e, double t, const double *Y, double *g) {
  int32_t code = 0;
  if (perp_element_needs_force(e))
    code = perp_plant_at(&e->p, t, Y);
  else
    perp_plant_place(&e->p, t, Y);
  return code != 0 ? code : perp_element_guards(e, g);
}

int32_t perp_guard_come(engine *e, double t) {
  const perp_status status = e->smooth->interpolate(e->integrator, t, e->trial);
  return status == PERP_OK
             ? 0
             : perp_plant_refuse(&e->p, PERP_OF_ENTRY, status, "interpolation", -1, -1);
}

int32_t perp_guard_at(engine *e, double t, double *g) {
  return perp_guard_come(e, t) != 0 ? -1 : perp_guard_of(e, t, e->trial, g);
}

int32_t perp_guard_users(engine *e, double t, double *g) {
  if (perp_guard_come(e, t) != 0) return -1;
  perp_plant_place(&e->p, t, e->trial);
  return perp_element_user_guards(e, g + GUARDS_PER_ELEMENT * e->n_elements);
}

double perp_guard_noise(const engine *e, int32_t k, double g) {
  return 8 * DBL_EPSILON * fmax(fabs(g), e->g_size[k]);
}

double perp_guard_zero(const engine *e, int32_t k) {
  return e->fresh[k] ? e->sign[k] * fmin(e->sign[k] * e->g_start[k], 0) : 0;
}

double perp_guard_value(const engine *e, int32_t k, double g) {
  const double v = e->sign[k] * (g - perp_guard_zero(e, k));
  return e->fresh[k] ? v + perp_guard_noise(e, k, g) + e->g_loose[k] : v;
}

int perp_guard_counts(const engine *e, int32_t k) {
  if (e->sign[k] == 0) return 0;
  if (!guard_is_user(e, k)) return 1;
  const int32_t direction = e->options.guards[k - GUARDS_PER_ELEMENT * e->n_elements].direction;
  return direction == 0 || direction == -e->sign[k];
}

int perp_guard_has_fired(const engine *e, int32_t k, double g) {
  return perp_guard_counts(e, k) && perp_guard_value(e, k, g) <= 0;
}

int perp_guard_any_fired(const engine *e, const double *g, int32_t first, int32_t last) {
  for (int32_t k = first; k < last; k++)
    if (perp_guard_has_fired(e, k, g[k])) return 1;
  return 0;
}

/* Signs of the user's guards that were zero at the restart, as soon as they have one; a sign that
 * changed without counting. */
void perp_guard_learn(engine *e, const double *g) {
  for (int32_t k = GUARDS_PER_ELEMENT * e->n_elements; k < e->n_guards; k++) {
    if (e->sign[k] == 0 && fabs(g[k] - e->g_start[k]) > perp_guard_noise(e, k, g[k])) {
      e->sign[k] = g[k] > e->g_start[k] ? 1 : -1;
    } else if (e->sign[k] != 0 && !perp_guard_counts(e, k) && perp_guard_value(e, k, g[k]) < 0) {
      e->sign[k] = (signed char)-e->sign[k];
      e->fresh[k] = 0;
    }
  }
}

void perp_guard_leave(engine *e, int32_t k, double g) {
  const double gone = e->sign[k] * (g - perp_guard_zero(e, k));
  if (e->fresh[k] && gone > perp_guard_tolerance(e, k)) e->fresh[k] = 0;
}

/* The size of what guard k is made of, at the plant's point. */
static double guard_size(const engine *e, int32_t k) {
  if (guard_is_user(e, k)) return fmax(e->guard_scale, 1);
  const element *x = guard_home(e, k);
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

double perp_guard_tolerance(const engine *e, int32_t k) {
  const double size = fmax(e->guard_scale, 1);
  if (guard_is_user(e, k))
    return size * (e->fired[k] ? fmax(1e-8, 100 * e->options.rtol) : 16 * DBL_EPSILON);
  const element *x = guard_home(e, k);
  const int of_gap = is_open(x) || x->state == PERP_CONTACT_LOWER || x->state == PERP_CONTACT_UPPER;
  if (x->state == PERP_CONTACT_SLIP && k % GUARDS_PER_ELEMENT == 1) return e->options.velocity_tol;
  return of_gap ? e->options.contact_tol : 1e-9 * e->force_scale;
}

/* How to search for zeros of guard k in the present mode. */
static unsigned char way_of(const engine *e, int32_t k) {
  if (guard_is_user(e, k)) return SEARCH_VALUE;
  const element *x = guard_home(e, k);
  const plant_interaction *at = &e->p.interactions[x->interaction];
  const int second = k % GUARDS_PER_ELEMENT != 0;
  if (x->kind == ELEMENT_EQUALITY) return SEARCH_NOT;
  switch (x->state) {
    case PERP_CONTACT_OPEN:
    case PERP_CONTACT_TOUCH:
      if (second) return SEARCH_NOT;
      return !at->varying ? SEARCH_EXACT : x->holonomic ? SEARCH_RATE : SEARCH_FORCE;
    case PERP_CONTACT_LOWER:
    case PERP_CONTACT_UPPER:
      if (second) return SEARCH_NOT;
      return !at->varying && !at->compliant ? SEARCH_EXACT : SEARCH_FORCE;
    case PERP_CONTACT_SLIP:
      return second && !at->varying ? SEARCH_EXACT : SEARCH_FORCE;
    case PERP_CONTACT_CLOSED:
      return second ? SEARCH_NOT : SEARCH_FORCE;
    case PERP_CONTACT_STICK:
      return SEARCH_FORCE;
    default:
      return isinf(second ? x->upper : x->lower) ? SEARCH_NOT : SEARCH_FORCE;
  }
}

int32_t perp_guard_again(engine *e, int *any) {
  const int32_t code = perp_guard_of(e, e->t, e->Y, e->g);
  *any = 0;
  for (int32_t k = 0; k < e->n_guards && code == 0; k++) {
    const double off = fabs(e->g[k] - perp_guard_zero(e, k));
    e->fired[k] = e->fired[k] && off <= perp_guard_tolerance(e, k);
    *any = *any || e->fired[k];
  }
  return code;
}

/* How far behind its zero a gap may be that opens, and fell behind by the error of the motion: the
 * first steps of an integrator of several are of low order, and their interpolation has another
 * slope than what they come to. */
static double loose(const engine *e, int32_t k) {
  if (guard_is_user(e, k) || k % GUARDS_PER_ELEMENT != 0) return 0;
  const element *x = guard_home(e, k);
  return x->idle && is_open(x) && x->holonomic
             ? fmin(perp_element_error(e, x), 0.5 * e->options.contact_tol)
             : 0;
}

int32_t perp_locate_start(engine *e) {
  int32_t code = perp_plant_at(&e->p, e->t, e->Y);
  if (code == 0) code = perp_element_guards(e, e->g_start);
  if (code != 0) return code;
  e->guard_scale = largest_of(e->p.n, e->Y);
  memset(e->ways, 0, sizeof e->ways);
  for (int32_t k = 0; k < e->n_guards; k++) {
    const double g = e->g_start[k];
    const int user = guard_is_user(e, k);
    e->way[k] = way_of(e, k);
    e->ways[e->way[k]]++;
    e->g_size[k] = guard_size(e, k);
    e->g_loose[k] = loose(e, k);
    const double tol = perp_guard_tolerance(e, k);
    const int zero = fabs(g) <= tol;
    /* one of the user's that has come to zero and has not fired keeps its side: it is about to */
    const int waits = user && zero && !e->fired[k] && e->sign[k] != 0;
    e->fresh[k] = (unsigned char)(!waits && (zero || (!user && g <= 0)));
    if (!waits) e->sign[k] = user ? (signed char)(zero ? 0 : g > 0 ? 1 : -1) : 1;
  }
  memcpy(guard_row(e, 0), e->g_start, (size_t)e->n_guards * sizeof *e->g);
  return 0;
}
