/* SPDX-License-Identifier: MIT */
/* Control T u with feedback. Order 2:
 *   ∂(T u)/∂q = T ∂u/∂q + ∂(T(q) w)/∂q at w = u,   ∂(T u)/∂v = T ∂u/∂v,
 * order 1 the same with x in the place of q. The derivative of T is always by differences, those
 * of u are where the caller gives none. Where q moves by q ⊕ d, by q is by d at d = 0. */
#include "model/control.h"

#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/dense.h"
#include "model/check.h"
#include "model/difference.h"

/* Parts of the scratch. */
typedef struct control_scratch {
  double *T;    /* n x n_u: T at the point; what T is not constant */
  double *T_at; /* n x n_u: T at a probe of the differences       */
  double *u;    /* n_u                                            */
  double *du;   /* n_u x n                                        */
  double *rest; /* of the differences                             */
} control_scratch;

static control_scratch carve(const perp_control *c, int32_t n, double *scratch) {
  size_t size = (size_t)n * (size_t)c->n_u;
  control_scratch s = {.T = scratch, .T_at = scratch + size, .du = scratch + 2 * size};
  s.u = s.du + size;
  s.rest = s.u + c->n_u;
  return s;
}

size_t perp_control_doubles(const perp_control *control, int32_t n) {
  if (control->n_u == 0) return 0;
  int32_t most = control->n_u > n ? control->n_u : n;
  return 3 * (size_t)n * (size_t)control->n_u + (size_t)control->n_u +
         perp_difference_doubles(most, n);
}

/* *T := T, which is in memory where it is not constant. */
static int32_t effect(const perp_control *c, const control_point *at, double *memory,
                      const double **T) {
  *T = c->T;
  if (c->effect == NULL) return 0;
  memset(memory, 0, (size_t)at->n * (size_t)c->n_u * sizeof *memory);
  *T = memory;
  return c->effect(at->t, at->q, at->q == NULL ? at->v : NULL, at->z, memory, c->user);
}

int32_t perp_control_sampled(double t, const double *q, const double *v, const double *z,
                             double *out, void *user) {
  (void)t, (void)q, (void)v;
  if (z == NULL || user == NULL) return -1;
  memcpy(out, z, (size_t) * (const int32_t *)user * sizeof *out);
  return 0;
}

static int32_t input(const perp_control *c, const control_point *at, double *u) {
  memset(u, 0, (size_t)c->n_u * sizeof *u);
  return c->u(at->t, at->q, at->v, at->z, u, c->user);
}

int32_t perp_control_force(const perp_control *control, const control_point *at, double *f,
                           double *scratch) {
  if (control->n_u == 0) return 0;
  control_scratch s = carve(control, at->n, scratch);
  const double *T;
  int32_t code = effect(control, at, s.T, &T);
  if (code == 0) code = input(control, at, s.u);
  if (code == 0) perp_dense_multiply_add(at->n, control->n_u, T, at->n, s.u, f);
  return code;
}

/* What a difference is taken of, and by which unknowns. */
typedef struct probe {
  const perp_control *control;
  const control_point *at;
  int by_q;
  double *T_at;
  const double *u;
} probe;

/* The point of a probe at x, which is q, v, or, where q moves, an increment of it that is taken
 * into memory. */
static control_point moved(const probe *p, const double *x, double *memory) {
  control_point at = *p->at;
  if (p->by_q && at.move != NULL) {
    at.move(p->at->q, x, memory);
    at.q = memory;
  } else if (p->by_q) {
    at.q = x;
  } else {
    at.v = x;
  }
  return at;
}

/* J (m x n) += ∂f/∂(q or v), or ∂f(q ⊕ d)/∂d; a place far from 0 has larger increments. */
static int32_t differentiate(const probe *p, int32_t m, perp_difference_fn f, double *J,
                             double *rest) {
  const control_point *at = p->at;
  if (!p->by_q) return perp_difference(m, at->n, f, p, at->v, at->typical_v, 1, J, rest);
  if (at->move == NULL) return perp_difference(m, at->n, f, p, at->q, at->typical_q, 1, J, rest);
  const double none[CONTROL_INCREMENTS] = {0};
  double typical[CONTROL_INCREMENTS];
  for (int32_t j = 0; j < CONTROL_INCREMENTS; j++)
    typical[j] = j < 3 && fabs(at->q[j]) > 1 ? fabs(at->q[j]) : 1;
  return perp_difference(m, at->n, f, p, none, typical, 1, J, rest);
}

static int32_t input_at(const double *x, double *out, const void *context) {
  const probe *p = (const probe *)context;
  double memory[CONTROL_POSITIONS];
  control_point at = moved(p, x, memory);
  return input(p->control, &at, out);
}

/* T(x) u with u frozen. */
static int32_t effect_at(const double *x, double *out, const void *context) {
  const probe *p = (const probe *)context;
  double memory[CONTROL_POSITIONS];
  control_point at = moved(p, x, memory);
  const double *T;
  int32_t code = effect(p->control, &at, p->T_at, &T);
  memset(out, 0, (size_t)at.n * sizeof *out);
  if (code == 0) perp_dense_multiply_add(at.n, p->control->n_u, T, at.n, p->u, out);
  return code;
}

/* out += T ∂u/∂(q or v). */
static int32_t add_feedback(const probe *p, const double *T, double *out,
                            const control_scratch *s) {
  const perp_control *c = p->control;
  const control_point *at = p->at;
  perp_state_fn given = p->by_q ? c->u_dq : c->u_dv;
  if (given == NULL && c->u == perp_control_sampled) return 0;
  memset(s->du, 0, (size_t)at->n * (size_t)c->n_u * sizeof *s->du);
  int32_t code = given != NULL ? given(at->t, at->q, at->v, at->z, s->du, c->user)
                               : differentiate(p, c->n_u, input_at, s->du, s->rest);
  for (int32_t j = 0; j < at->n && code == 0; j++)
    perp_dense_multiply_add(at->n, c->n_u, T, at->n, s->du + (size_t)j * (size_t)c->n_u,
                            out + (size_t)j * (size_t)at->n);
  return code;
}

int32_t perp_control_jacobians(const perp_control *control, const control_point *at, double *df_dq,
                               double *df_dv, double *scratch) {
  if (control->n_u == 0) return 0;
  control_scratch s = carve(control, at->n, scratch);
  const double *T;
  probe p = {control, at, 0, s.T_at, s.u};
  int32_t code = effect(control, at, s.T, &T);
  if (code == 0) code = add_feedback(&p, T, df_dv, &s);
  p.by_q = at->q != NULL;
  if (code == 0 && p.by_q) code = add_feedback(&p, T, df_dq, &s);
  if (code != 0 || control->effect == NULL) return code;
  code = input(control, at, s.u);
  if (code != 0) return code;
  return differentiate(&p, at->n, effect_at, p.by_q ? df_dq : df_dv, s.rest);
}

perp_status perp_control_check(const perp_control *control, int32_t n, int32_t order,
                               perp_info *info) {
  const perp_control *c = control;
  if (c->n_u < 0 || c->n_u > INT32_MAX / n)
    return fail(info, PERP_EINVAL, "control.n_u", -1, c->n_u);
  if (c->n_u == 0)
    return c->T == NULL && c->effect == NULL && c->u == NULL && c->u_dq == NULL && c->u_dv == NULL
               ? PERP_OK
               : fail(info, PERP_EINVAL, "control.n_u", -1, 0);
  if (c->u == NULL) return fail_field(info, "control.u", -1);
  if (order == 1 && c->u_dq != NULL) return fail_field(info, "control.u_dq", -1);
  if (c->T != NULL && c->effect != NULL) return fail_field(info, "control.effect", -1);
  return perp_check_array(c->T, (size_t)n * (size_t)c->n_u, c->effect != NULL, "control.T", -1,
                          info);
}
