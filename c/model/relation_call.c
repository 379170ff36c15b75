/* SPDX-License-Identifier: MIT */
/* Derivatives of f(t, a, b, z) by central differences of order four:
 *   ∂f/∂x_j ≈ (8 (f(x + δ) − f(x − δ)) − (f(x + 2δ) − f(x − 2δ))) / 12δ,
 *   δ = 2^-12 max(|x_j|, typical_j),
 * of error 1e-12, which H and ∂h/∂t need since ẏ and reactions are made of them: Newton's iteration
 * would not settle on what one-sided differences leave. Where f refuses or is not finite at some
 * point, the difference has order two with 2^-17, or one with that. */
#include "model/relation_call.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "model/check.h"
#include "model/difference.h"

size_t perp_relation_call_doubles(int32_t m, int32_t n) { return perp_difference_doubles(m, n); }

int32_t perp_relation_call(const relation_call *call, double *out) {
  memset(out, 0, (size_t)call->m * sizeof *out);
  return call->f(call->t, call->a, call->b, call->z, out, call->user);
}

int32_t perp_relation_call_value(const relation_call *call, double *out, int *go_on) {
  const int32_t code = perp_relation_call(call, out);
  *go_on = code == 0 && all_finite((size_t)call->m, out);
  return code;
}

/* f on one side; a result that is not finite counts as refused. */
static int32_t side(const relation_call *call, double *out) {
  int32_t code = perp_relation_call(call, out);
  return code == 0 && !all_finite((size_t)call->m, out) ? 1 : code;
}

/* column := (f(x + d) − f(x − d)) / 2d, where *x is an argument of the call; one-sided where one
 * side refuses. */
static int32_t order_two(const relation_call *call, double *x, double d, double *column,
                         double *low) {
  const double at = *x;
  double upper = at + d, lower = at - d;
  *x = upper;
  const int32_t above = side(call, column);
  *x = lower;
  const int32_t below = above < 0 ? above : side(call, low);
  *x = at;
  if (above < 0 || below < 0) return above < 0 ? above : below;
  if (above > 0 && below > 0) return above;
  int32_t code = 0;
  if (above > 0) code = perp_relation_call(call, column), upper = at;
  if (below > 0) code = perp_relation_call(call, low), lower = at;
  for (int32_t i = 0; i < call->m; i++) column[i] = (column[i] - low[i]) / (upper - lower);
  return code;
}

/* column := the difference of order four with steps of 2^-12 size. */
static int32_t central(const relation_call *call, double *x, double size, double *column,
                       double *scratch) {
  static const double weights[4] = {8, -8, -1, 1};
  const double at = *x, d = 0x1p-12 * size, places[4] = {at + d, at - d, at + 2 * d, at - 2 * d};
  /* what rounding has left of the places; exact to order two in their asymmetry */
  const double width = 8 * (places[0] - places[1]) - (places[2] - places[3]);
  memset(column, 0, (size_t)call->m * sizeof *column);
  for (int32_t k = 0; k < 4; k++) {
    *x = places[k];
    const int32_t code = side(call, scratch);
    *x = at;
    if (code < 0) return code;
    if (code > 0) return order_two(call, x, 0x1p-17 * size, column, scratch);
    for (int32_t i = 0; i < call->m; i++) column[i] += weights[k] * scratch[i];
  }
  for (int32_t i = 0; i < call->m; i++) column[i] /= width;
  return 0;
}

int32_t perp_relation_call_central(const relation_call *call, int by_b, int32_t n,
                                   const double *typical, double *J, double *scratch) {
  relation_call moved = *call;
  double *x = scratch;
  memcpy(x, by_b ? call->b : call->a, (size_t)n * sizeof *x);
  if (by_b)
    moved.b = x;
  else
    moved.a = x;
  int32_t code = 0;
  for (int32_t j = 0; j < n && code == 0; j++) {
    double size = typical == NULL ? 1 : typical[j];
    if (fabs(x[j]) > size) size = fabs(x[j]);
    code = central(&moved, &x[j], size, J + (size_t)call->m * (size_t)j, scratch + n);
  }
  return code;
}

/* A call as a function of one of its arguments. */
typedef struct partial {
  relation_call call;
  int by_b;
} partial;

static int32_t partial_call(const double *x, double *out, const void *context) {
  const partial *p = (const partial *)context;
  relation_call moved = p->call;
  if (p->by_b)
    moved.b = x;
  else
    moved.a = x;
  return perp_relation_call(&moved, out);
}

int32_t perp_relation_call_forward(const relation_call *call, int by_b, int32_t n,
                                   const double *typical, double *J, double *scratch) {
  const partial p = {*call, by_b};
  return perp_difference(call->m, n, partial_call, &p, by_b ? call->b : call->a, typical, 1, J,
                         scratch);
}

int32_t perp_relation_call_time(const relation_call *call, double *out, double *scratch) {
  relation_call moved = *call;
  double size = fabs(call->t) > 1 ? fabs(call->t) : 1;
  return central(&moved, &moved.t, size, out, scratch);
}

/* A motion, and a place for where it has come. */
typedef struct moving {
  const relation_motion *motion;
  double *a;
} moving;

static int32_t moving_call(double s, double *out, const void *context) {
  const moving *c = (const moving *)context;
  const relation_motion *motion = c->motion;
  relation_call there = motion->call;
  for (int32_t i = 0; i < motion->n; i++) c->a[i] = there.a[i] + s * motion->v[i];
  there.a = c->a;
  if (motion->time) there.t += s;
  return perp_relation_call(&there, out);
}

size_t perp_relation_curve_doubles(int32_t m, int32_t n) {
  return (size_t)n + perp_curve_doubles(m);
}

int32_t perp_relation_call_curve(const relation_motion *motion, int32_t which,
                                 const double *typical, double *out, double *scratch) {
  const moving c = {motion, scratch};
  const double scale = perp_curve_scale(motion->n, motion->call.a, motion->v, typical, 1);
  return perp_curve_derivative(motion->call.m, moving_call, &c, which, scale, NULL, out,
                               scratch + motion->n);
}

void perp_relation_product(int32_t m, int32_t n, const double *H, const double *v, double *y) {
  for (int32_t j = 0; j < n; j++) {
    const double *column = H + (size_t)m * (size_t)j;
    for (int32_t i = 0; i < m; i++) y[i] += column[i] * v[j];
  }
}

perp_status perp_relation_check_sizes(const perp_relation *r, const double *z, int32_t n_z,
                                      perp_info *info) {
  if (r->m > INT32_MAX / r->m) return fail(info, PERP_EUNSUPPORTED, "relation.m", -1, r->m);
  if (r->n > INT32_MAX / r->m || r->n > INT32_MAX / r->n)
    return fail(info, PERP_EUNSUPPORTED, "relation.n", -1, r->n);
  return perp_check_parameters(z, n_z, info);
}
