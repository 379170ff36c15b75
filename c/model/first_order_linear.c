/* SPDX-License-Identifier: MIT */
/* First-order linear system:  M ẋ = (A + A(t)) x + b + B(t) + T(x) u(t, x) + r. Compiled by its
 * terms unless it has A(t) or control. */
#include <string.h>

#include "model/check.h"
#include "model/control.h"
#include "model/head.h"
#include "model/operator.h"

static const perp_first_order_linear *self(const perp_system *system) {
  return (const perp_first_order_linear *)(const void *)system;
}

static void terms(const perp_system *system, perp_system_terms *out) {
  const perp_first_order_linear *s = self(system);
  memset(out, 0, sizeof *out);
  out->M = s->M;
  out->A = s->A;
  out->f = s->b;
  out->force = s->input;
  out->user = s->user;
}

static int32_t varying(const perp_system *system) {
  const perp_first_order_linear *s = self(system);
  return s->state_matrix != NULL || s->control.n_u != 0;
}

/* One scratch serves a product, then A(t), then control. */
static size_t scratch_doubles(const perp_system *system) {
  const perp_first_order_linear *s = self(system);
  size_t n = (size_t)system->n, own = s->state_matrix != NULL ? n * n : n;
  size_t control = perp_control_doubles(&s->control, system->n);
  return own > control ? own : control;
}

static int32_t mass(const perp_system *system, double t, const double *q, double *M,
                    double *scratch) {
  (void)t, (void)q, (void)scratch;
  operator_mass(&self(system)->M, system->n, M);
  return 0;
}

static control_point point(const perp_first_order_linear *s, double t, const double *x) {
  control_point at = {s->system.n, t, NULL, x, s->z, NULL, s->typical, NULL};
  return at;
}

/* out (n x n) := A(t), where there is one. */
static int32_t matrix_at(const perp_first_order_linear *s, double t, double *out) {
  memset(out, 0, (size_t)s->system.n * (size_t)s->system.n * sizeof *out);
  return s->state_matrix(t, out, s->user);
}

static int32_t force(const perp_system *system, double t, const double *q, const double *x,
                     double *f, double *scratch) {
  (void)q;
  const perp_first_order_linear *s = self(system);
  const int32_t n = system->n;
  const control_point at = point(s, t, x);
  int32_t code = operator_input(s->b, s->input, s->user, n, t, f, scratch);
  if (code != 0) return code;
  operator_add(&s->A, n, 1, x, f, scratch);
  if (s->state_matrix != NULL) {
    code = matrix_at(s, t, scratch);
    if (code != 0) return code;
    perp_dense_multiply_add(n, n, scratch, n, x, f);
  }
  return perp_control_force(&s->control, &at, f, scratch);
}

static int32_t jacobians(const perp_system *system, double t, const double *q, const double *x,
                         double *df_dq, double *df_dx, double *scratch) {
  (void)q, (void)df_dq;
  const perp_first_order_linear *s = self(system);
  const control_point at = point(s, t, x);
  int32_t code = s->state_matrix == NULL ? 0 : matrix_at(s, t, df_dx);
  if (code != 0) return code;
  perp_matrix_add_to_dense(&s->A, 1, df_dx, system->n);
  return perp_control_jacobians(&s->control, &at, NULL, df_dx, scratch);
}

/* The terms are checked as those of every linear system. */
static perp_status check(const perp_system *system, const double *q0, const double *x0,
                         perp_info *info) {
  (void)q0, (void)x0;
  const perp_first_order_linear *s = self(system);
  perp_status status = perp_check_parameters(s->z, s->n_z, info);
  if (status == PERP_OK) status = perp_check_typical(s->typical, system->n, "typical", info);
  if (status == PERP_OK) status = perp_control_check(&s->control, system->n, 1, info);
  return status;
}

static int32_t given(const perp_system *system, int32_t k, perp_jacobian *out) {
  const perp_first_order_linear *s = self(system);
  const perp_control *c = &s->control;
  const int32_t n = system->n;
  const perp_jacobian all[] = {
      {"input", callback_of_time(s->input), NULL, s->user, NULL, NULL, n, 1, PERP_BY_CLOCK, 1},
      {"state_matrix", callback_of_time(s->state_matrix), NULL, s->user, NULL, NULL, n, n,
       PERP_BY_CLOCK, 1},
      {"control.u", c->u, NULL, c->user, s->z, NULL, c->n_u, 1, PERP_BY_NONE, 1},
      {"control.effect", c->effect, NULL, c->user, s->z, NULL, n, c->n_u, PERP_BY_NONE, 1},
      {"control.u_dv", c->u, c->u_dv, c->user, s->z, s->typical, c->n_u, n, PERP_BY_B, 1}};
  return jacobian_pick(all, 5, k, out);
}

static const perp_field *fields(const perp_system *system) {
  static const perp_field all[] = {FIELD_MATRIX(perp_first_order_linear, M),
                                   FIELD_MATRIX(perp_first_order_linear, A),
                                   FIELD_VECTOR(perp_first_order_linear, b, system.n),
                                   FIELD_USER(perp_first_order_linear, user),
                                   FIELD_CONTROL(perp_first_order_linear),
                                   FIELD_PARAMETERS(perp_first_order_linear, z, n_z),
                                   FIELD_VECTOR(perp_first_order_linear, typical, system.n),
                                   FIELD_END};
  (void)system;
  return all;
}

static const perp_system_ops ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                    .order = 1,
                                    .name = "first-order linear",
                                    .bytes = sizeof(perp_first_order_linear),
                                    .terms = terms,
                                    .varying = varying,
                                    .constant_mass = 1,
                                    .scratch_doubles = scratch_doubles,
                                    .mass = mass,
                                    .force = force,
                                    .jacobians = jacobians,
                                    .check = check,
                                    .jacobian = given,
                                    .fields = fields};

perp_status perp_first_order_linear_init(perp_first_order_linear *system, size_t size, int32_t n) {
  return system_init(system, size, n, &ops);
}
