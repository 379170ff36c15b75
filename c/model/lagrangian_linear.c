/* SPDX-License-Identifier: MIT */
/* Lagrangian linear system:  M v̇ + C v + K q = f + F(t) + T(q) u(t, q, v) + r. Compiled by its
 * terms unless it has control. */
#include <string.h>

#include "base/info.h"
#include "model/check.h"
#include "model/control.h"
#include "model/head.h"
#include "model/operator.h"

static const perp_lagrangian_linear *self(const perp_system *system) {
  return (const perp_lagrangian_linear *)(const void *)system;
}

static void terms(const perp_system *system, perp_system_terms *out) {
  const perp_lagrangian_linear *s = self(system);
  memset(out, 0, sizeof *out);
  out->M = s->M;
  out->C = s->C;
  out->K = s->K;
  out->f = s->f;
  out->force = s->force;
  out->user = s->user;
}

static int32_t varying(const perp_system *system) { return self(system)->control.n_u != 0; }

/* One scratch serves a product, then control. */
static size_t scratch_doubles(const perp_system *system) {
  size_t n = (size_t)system->n, control = perp_control_doubles(&self(system)->control, system->n);
  return n > control ? n : control;
}

static int32_t mass(const perp_system *system, double t, const double *q, double *M,
                    double *scratch) {
  (void)t, (void)q, (void)scratch;
  operator_mass(&self(system)->M, system->n, M);
  return 0;
}

static control_point point(const perp_lagrangian_linear *s, double t, const double *q,
                           const double *v) {
  control_point at = {s->system.n, t, q, v, s->z, s->typical_q, s->typical_v, NULL};
  return at;
}

static int32_t force(const perp_system *system, double t, const double *q, const double *v,
                     double *f, double *scratch) {
  const perp_lagrangian_linear *s = self(system);
  const control_point at = point(s, t, q, v);
  int32_t code = operator_input(s->f, s->force, s->user, system->n, t, f, scratch);
  if (code != 0) return code;
  operator_add(&s->C, system->n, -1, v, f, scratch);
  operator_add(&s->K, system->n, -1, q, f, scratch);
  return perp_control_force(&s->control, &at, f, scratch);
}

static int32_t jacobians(const perp_system *system, double t, const double *q, const double *v,
                         double *df_dq, double *df_dv, double *scratch) {
  const perp_lagrangian_linear *s = self(system);
  const control_point at = point(s, t, q, v);
  perp_matrix_add_to_dense(&s->K, -1, df_dq, system->n);
  perp_matrix_add_to_dense(&s->C, -1, df_dv, system->n);
  return perp_control_jacobians(&s->control, &at, df_dq, df_dv, scratch);
}

static void energy(const perp_system *system, double t, const double *q, const double *v,
                   double *kinetic, double *potential, double *scratch) {
  (void)t;
  const perp_lagrangian_linear *s = self(system);
  *kinetic = 0.5 * operator_square(&s->M, system->n, v, scratch);
  *potential = 0.5 * operator_square(&s->K, system->n, q, scratch);
  if (s->f != NULL) *potential -= perp_dense_dot(system->n, s->f, q);
}

/* The terms are checked as those of every linear system. */
static perp_status check(const perp_system *system, const double *q0, const double *v0,
                         perp_info *info) {
  (void)q0, (void)v0;
  const perp_lagrangian_linear *s = self(system);
  perp_status status = perp_check_parameters(s->z, s->n_z, info);
  if (status == PERP_OK) status = perp_check_typical(s->typical_q, system->n, "typical_q", info);
  if (status == PERP_OK) status = perp_check_typical(s->typical_v, system->n, "typical_v", info);
  if (status == PERP_OK) status = perp_control_check(&s->control, system->n, 2, info);
  return status;
}

static int32_t given(const perp_system *system, int32_t k, perp_jacobian *out) {
  const perp_lagrangian_linear *s = self(system);
  const perp_control *c = &s->control;
  const int32_t n = system->n;
  const perp_jacobian all[] = {
      {"force", callback_of_time(s->force), NULL, s->user, NULL, NULL, n, 1, PERP_BY_CLOCK, 1},
      {"control.u", c->u, NULL, c->user, s->z, NULL, c->n_u, 1, PERP_BY_NONE, 1},
      {"control.effect", c->effect, NULL, c->user, s->z, NULL, n, c->n_u, PERP_BY_NONE, 1},
      {"control.u_dq", c->u, c->u_dq, c->user, s->z, s->typical_q, c->n_u, n, PERP_BY_A, 1},
      {"control.u_dv", c->u, c->u_dv, c->user, s->z, s->typical_v, c->n_u, n, PERP_BY_B, 1}};
  return jacobian_pick(all, 5, k, out);
}

static const perp_field *fields(const perp_system *system) {
  static const perp_field all[] = {FIELD_MATRIX(perp_lagrangian_linear, M),
                                   FIELD_MATRIX(perp_lagrangian_linear, C),
                                   FIELD_MATRIX(perp_lagrangian_linear, K),
                                   FIELD_VECTOR(perp_lagrangian_linear, f, system.n),
                                   FIELD_USER(perp_lagrangian_linear, user),
                                   FIELD_CONTROL(perp_lagrangian_linear),
                                   FIELD_PARAMETERS(perp_lagrangian_linear, z, n_z),
                                   FIELD_VECTOR(perp_lagrangian_linear, typical_q, system.n),
                                   FIELD_VECTOR(perp_lagrangian_linear, typical_v, system.n),
                                   FIELD_END};
  (void)system;
  return all;
}

static const perp_system_ops ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                    .order = 2,
                                    .name = "Lagrangian linear",
                                    .bytes = sizeof(perp_lagrangian_linear),
                                    .terms = terms,
                                    .varying = varying,
                                    .constant_mass = 1,
                                    .scratch_doubles = scratch_doubles,
                                    .mass = mass,
                                    .force = force,
                                    .jacobians = jacobians,
                                    .energy = energy,
                                    .check = check,
                                    .jacobian = given,
                                    .fields = fields};

/* Feedback would need what this table has not. */
static perp_status check_constant(const perp_system *system, const double *q0, const double *v0,
                                  perp_info *info) {
  (void)q0, (void)v0;
  const int32_t n_u = self(system)->control.n_u;
  return n_u == 0 ? PERP_OK : fail(info, PERP_EUNSUPPORTED, "control.n_u", -1, n_u);
}

static const perp_system_ops constant_ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                             .order = 2,
                                             .name = "Lagrangian linear",
                                             .bytes = sizeof(perp_lagrangian_linear),
                                             .terms = terms,
                                             .check = check_constant,
                                             .fields = fields};

perp_status perp_lagrangian_linear_constant_init(perp_lagrangian_linear *system, size_t size,
                                                 int32_t n) {
  return system_init(system, size, n, &constant_ops);
}

perp_status perp_lagrangian_linear_init(perp_lagrangian_linear *system, size_t size, int32_t n) {
  return system_init(system, size, n, &ops);
}
