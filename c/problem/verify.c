/* SPDX-License-Identifier: MIT */
/* Whether (y, λ) satisfies a law −ŷ ∈ N_K(λ), and by how much it does not: the distance of λ from
 * K, the part of y that no λ of K allows, what is missing of complementarity, and without units
 *
 *   ‖λ − P(λ − sŷ)‖ / ‖λ‖,   s = ‖λ‖/‖ŷ‖. */
#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "base/elementary.h"
#include "base/finite.h"
#include "base/info.h"
#include "perp/law.h"
#include "problem/cone.h"

/* λ within this part of the boundary of a cone lies on it. */
#define ON_BOUNDARY 1e-9

typedef struct pieces {
  double *lower, *upper, *yhat, *x, *p, *moved, *scratch;
} pieces;

static pieces carve(arena *a, const perp_law *law) {
  const size_t n = (size_t)law->size, d = sizeof(double);
  pieces t;
  t.lower = arena_take(a, n, d);
  t.upper = arena_take(a, n, d);
  t.yhat = arena_take(a, n, d);
  t.x = arena_take(a, n, d);
  t.p = arena_take(a, n, d);
  t.moved = arena_take(a, n, d);
  t.scratch = arena_take(a, law->ops->project_doubles != NULL ? law->ops->project_doubles(law) : 0,
                         sizeof(double));
  return t;
}

size_t perp_law_verify_workspace(const perp_law *law) {
  if (perp_law_check(law, NULL) != PERP_OK) return 0;
  arena a = arena_measure();
  (void)carve(&a, law);
  return arena_bytes(&a);
}

static int is_interval(const perp_law *law) { return law->ops->set <= PERP_SET_BOX; }

static void set_bounds(const perp_law *law, const pieces *t) {
  for (int32_t i = 0; i < law->size; i++) {
    t->lower[i] = law->ops->set == PERP_SET_ORTHANT ? 0 : -(double)INFINITY;
    t->upper[i] = (double)INFINITY;
  }
  if (law->ops->set == PERP_SET_BOX) law->ops->bounds(law, t->lower, t->upper);
}

/* p := P_K(x) */
static void project(const perp_law *law, const void *state, const pieces *t, const double *x,
                    double *p) {
  if (law->ops->project_with != NULL) {
    law->ops->project_with(law, state, x, p, t->scratch);
  } else if (!is_interval(law)) {
    law->ops->project(law, state, x, p);
  } else {
    for (int32_t i = 0; i < law->size; i++)
      p[i] = x[i] < t->lower[i] ? t->lower[i] : x[i] > t->upper[i] ? t->upper[i] : x[i];
  }
}

static double norm(int32_t n, const double *x) {
  double largest = 0, sum = 0;
  for (int32_t i = 0; i < n; i++) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
  if (largest == 0) return 0;
  for (int32_t i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(sum);
}

static double dot(int32_t n, const double *x, const double *y) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* ---- intervals ---- */

static const char *interval_state(int32_t set, double l, double u, double lambda) {
  if (!(l >= -DBL_MAX) && !(u <= DBL_MAX)) return "equality";
  if (set == PERP_SET_ORTHANT || !(u <= DBL_MAX)) return lambda > l ? "closed" : "open";
  return lambda <= l ? "lower" : lambda >= u ? "upper" : "between";
}

/* y > 0 needs a lower bound for λ to be at, y < 0 an upper one. */
static void judge_interval(const perp_law *law, const pieces *t, const double *y,
                           const double *lambda, perp_law_verdict *v) {
  for (int32_t i = 0; i < law->size; i++) {
    const double l = t->lower[i], u = t->upper[i];
    const double bound = y[i] > 0 ? l : u, size = fabs(y[i]);
    const double away = y[i] > 0 ? lambda[i] - l : u - lambda[i];
    if (fabs(bound) <= DBL_MAX)
      v->work += away > 0 ? size * away : 0;
    else if (size > v->y)
      v->y = size;
    const char *state = interval_state(law->ops->set, l, u, lambda[i]);
    if (v->state == NULL)
      v->state = state;
    else if (v->state != state)
      v->state = "various";
  }
}

/* ---- friction ---- */

/* One tangential part of a contact: work that is missing, angle, and whether it moves. */
static int judge_part(int32_t size, double c, double push, const double *y, const double *lambda,
                      perp_law_verdict *v) {
  const double speed = cone_norm(size, y), drag = cone_norm(size, lambda);
  const double along = dot(size, y, lambda), rest = c * push * speed + along;
  v->work += rest > 0 ? rest : 0;
  if (!(speed > 0)) return 0;
  if (drag > 0) { /* between the unit vectors of λ and −y: 2 atan(‖difference‖ / ‖sum‖) */
    double apart[2] = {0, 0}, together[2] = {0, 0};
    for (int32_t i = 0; i < size; i++) {
      apart[i] = lambda[i] / drag + y[i] / speed;
      together[i] = lambda[i] / drag - y[i] / speed;
    }
    const double angle = 2 * perp_atan2(cone_norm(2, apart), cone_norm(2, together));
    if (angle > v->angle) v->angle = angle;
  }
  return drag >= c * push * (1 - ON_BOUNDARY);
}

/* λ is in the cone here. */
static void judge_cone(const perp_law *law, const double *y, const double *lambda,
                       perp_law_verdict *v) {
  const int rolls = law->ops->set == PERP_SET_ROLLING;
  const int32_t half = rolls ? (law->size - 1) / 2 : law->size - 1;
  const perp_friction *f = (const perp_friction *)(const void *)law;
  const perp_rolling *r = (const perp_rolling *)(const void *)law;
  if (y[0] < 0)
    v->y = -y[0];
  else
    v->work = y[0] * lambda[0];
  const int slips = judge_part(half, rolls ? r->mu : f->mu, lambda[0], y + 1, lambda + 1, v);
  const int turns =
      rolls && judge_part(half, r->mu_rolling, lambda[0], y + 1 + half, lambda + 1 + half, v);
  if (!(lambda[0] > 0))
    v->state = "open";
  else if (slips)
    v->state = turns ? "slip and roll" : "slip";
  else
    v->state = turns ? "roll" : "stick";
}

/* ---- the whole ---- */

/* The distance of λ from K, and how far the map λ → P(λ − sŷ) moves it; t->p := P(λ). For sets that
 * only a projection knows, work and state too. 0 where a projection is not finite. */
static int judge_map(const perp_law *law, const void *state, const pieces *t, const double *lambda,
                     perp_law_verdict *v) {
  const int32_t n = law->size;
  const double size = norm(n, lambda), speed = norm(n, t->yhat);
  const double s = speed > 0 ? (size > 0 ? size : 1) / speed : 0;
  for (int32_t i = 0; i < n; i++) t->x[i] = lambda[i] - s * t->yhat[i];
  project(law, state, t, t->x, t->moved);
  project(law, state, t, lambda, t->p);
  if (!all_finite((size_t)n, t->p) || !all_finite((size_t)n, t->moved)) return 0;
  double largest = 0, work = 0;
  for (int32_t i = 0; i < n; i++) {
    work += (t->p[i] - t->moved[i]) * t->yhat[i];
    t->x[i] = lambda[i] - t->p[i];
    t->moved[i] = lambda[i] - t->moved[i];
    if (!(fabs(t->moved[i]) > largest)) continue;
    largest = fabs(t->moved[i]);
    v->worst = i;
  }
  v->lambda = norm(n, t->x);
  v->relative = norm(n, t->moved) / (size > 0 ? size : 1);
  if (law->ops->set > PERP_SET_ROLLING) {
    v->work = work > 0 ? work : 0;
    v->state = speed > 0 ? "boundary" : "inside";
  }
  return 1;
}

perp_status perp_law_verify(const perp_law *law, const void *state, const double *y,
                            const double *lambda, perp_law_verdict *verdict, void *work,
                            size_t work_bytes) {
  perp_status status = perp_law_check(law, NULL);
  if (status != PERP_OK) return status;
  if (y == NULL || lambda == NULL || verdict == NULL ||
      verdict->struct_size < PERP_THROUGH(perp_law_verdict, relative))
    return PERP_EINVAL;
  arena a = arena_open(work, work_bytes);
  const pieces t = carve(&a, law);
  if (work == NULL || !arena_fits(&a)) return PERP_EWORKSPACE;
  perp_law_verdict v = PERP_LAW_VERDICT_INIT;
  v.struct_size = verdict->struct_size;
  v.worst = -1;
  const size_t n = (size_t)law->size;
  if (!all_finite(n, y) || !all_finite(n, lambda)) return PERP_ENOTFINITE;
  set_bounds(law, &t);
  memcpy(t.yhat, y, n * sizeof *y);
  if (law->ops->shift != NULL) law->ops->shift(law, state, y, t.yhat);
  if (!judge_map(law, state, &t, lambda, &v)) return PERP_ENOTFINITE;
  if (is_interval(law))
    judge_interval(law, &t, y, t.p, &v);
  else if (law->ops->set == PERP_SET_CONE || law->ops->set == PERP_SET_ROLLING)
    judge_cone(law, y, t.p, &v);
  (void)perp_options_answer(verdict, &v, sizeof v, PERP_THROUGH(perp_law_verdict, relative));
  return PERP_OK;
}
