/* SPDX-License-Identifier: MIT */
/* Lagrangian nonlinear system:
 *   M(q, z) v̇ + N(q, v, z) + F_int(t, q, v, z) = f + F_ext(t, z) + T(q) u(t, q, v) + p,
 *   right-hand side of the operations  f + F_ext + T u − N − F_int,
 *   energies ½vᵀM(q, z) v and V(q, z) − fᵀq. */
#include "perp/lagrangian.h"

#include "base/finite.h"
#include "base/info.h"
#include "model/check.h"
#include "model/control.h"
#include "model/difference.h"
#include "model/head.h"
#include "model/operator.h"

static const perp_lagrangian *self(const perp_system *system) {
  return (const perp_lagrangian *)(const void *)system;
}

/* A matrix and a difference beside it; control is evaluated before or after, in the same place. */
static size_t scratch_doubles(const perp_system *system) {
  size_t n = (size_t)system->n, own = n * n + perp_difference_doubles(system->n, system->n);
  size_t control = perp_control_doubles(&self(system)->control, system->n);
  return own > control ? own : control;
}

static int32_t mass(const perp_system *system, double t, const double *q, double *M,
                    double *scratch) {
  (void)t, (void)scratch;
  const perp_lagrangian *s = self(system);
  if (s->mass != NULL) return s->mass(0, q, NULL, s->z, M, s->user);
  operator_mass(&s->M, system->n, M);
  return 0;
}

static control_point point(const perp_lagrangian *s, double t, const double *q, const double *v) {
  control_point at = {s->system.n, t, q, v, s->z, s->typical_q, s->typical_v, NULL};
  return at;
}

/* f += w times what a callback gives; scratch: n. */
static int32_t add_term(const perp_lagrangian *s, perp_state_fn term, double w, double t,
                        const double *q, const double *v, double *f, double *scratch) {
  if (term == NULL) return 0;
  memset(scratch, 0, (size_t)s->system.n * sizeof *scratch);
  int32_t code = term(t, q, v, s->z, scratch, s->user);
  if (code == 0) perp_dense_axpy(s->system.n, w, scratch, f);
  return code;
}

static int32_t force(const perp_system *system, double t, const double *q, const double *v,
                     double *f, double *scratch) {
  const perp_lagrangian *s = self(system);
  const control_point at = point(s, t, q, v);
  int32_t code = operator_input(s->f, NULL, NULL, system->n, t, f, scratch);
  if (code == 0) code = add_term(s, s->external, 1, t, NULL, NULL, f, scratch);
  if (code == 0) code = add_term(s, s->gyroscopic, -1, 0, q, v, f, scratch);
  if (code == 0) code = add_term(s, s->internal, -1, t, q, v, f, scratch);
  return code == 0 ? perp_control_force(&s->control, &at, f, scratch) : code;
}

/* One term on the left-hand side, at a point of which q or v is probed. */
typedef struct probe {
  const perp_lagrangian *system;
  perp_state_fn term;
  double t;
  const double *q, *v;
  int by_q;
} probe;

static int32_t term_at(const double *x, double *out, const void *context) {
  const probe *p = (const probe *)context;
  memset(out, 0, (size_t)p->system->system.n * sizeof *out);
  return p->term(p->t, p->by_q ? x : p->q, p->by_q ? p->v : x, p->system->z, out, p->system->user);
}

/* out -= derivative of the term by q or v; given: the callback for it, or NULL. */
static int32_t subtract_derivative(const probe *p, perp_state_fn given, double *out,
                                   double *scratch) {
  const perp_lagrangian *s = p->system;
  const int32_t n = s->system.n;
  const size_t entries = (size_t)n * (size_t)n;
  if (p->term == NULL) return 0;
  if (given == NULL)
    return perp_difference(n, n, term_at, p, p->by_q ? p->q : p->v,
                           p->by_q ? s->typical_q : s->typical_v, -1, out, scratch);
  memset(scratch, 0, entries * sizeof *scratch);
  int32_t code = given(p->t, p->q, p->v, s->z, scratch, s->user);
  for (size_t e = 0; e < entries && code == 0; e++) out[e] -= scratch[e];
  return code;
}

static int32_t jacobians(const perp_system *system, double t, const double *q, const double *v,
                         double *df_dq, double *df_dv, double *scratch) {
  const perp_lagrangian *s = self(system);
  const control_point at = point(s, t, q, v);
  probe N = {s, s->gyroscopic, 0, q, v, 1}, F = {s, s->internal, t, q, v, 1};
  int32_t code = subtract_derivative(&N, s->gyroscopic_dq, df_dq, scratch);
  if (code == 0) code = subtract_derivative(&F, s->internal_dq, df_dq, scratch);
  N.by_q = F.by_q = 0;
  if (code == 0) code = subtract_derivative(&N, s->gyroscopic_dv, df_dv, scratch);
  if (code == 0) code = subtract_derivative(&F, s->internal_dv, df_dv, scratch);
  return code == 0 ? perp_control_jacobians(&s->control, &at, df_dq, df_dv, scratch) : code;
}

/* NaN where a callback answers other than 0. */
static void energy(const perp_system *system, double t, const double *q, const double *v,
                   double *kinetic, double *potential, double *scratch) {
  const perp_lagrangian *s = self(system);
  const size_t n = (size_t)system->n;
  const double nan = double_of(UINT64_C(0x7ff8000000000000));
  double *M = scratch, *Mv = scratch + n * n;
  memset(scratch, 0, (n * n + n) * sizeof *scratch);
  *kinetic = *potential = nan;
  if (mass(system, t, q, M, NULL) == 0) {
    perp_dense_multiply_add(system->n, system->n, M, system->n, v, Mv);
    *kinetic = 0.5 * perp_dense_dot(system->n, v, Mv);
  }
  double V = 0;
  if (s->potential != NULL && s->potential(0, q, NULL, s->z, &V, s->user) != 0) return;
  *potential = s->f == NULL ? V : V - perp_dense_dot(system->n, s->f, q);
}

static perp_status check_derivatives(const perp_lagrangian *s, perp_info *info) {
  if (s->gyroscopic == NULL && (s->gyroscopic_dq != NULL || s->gyroscopic_dv != NULL))
    return fail_field(info, "gyroscopic", -1);
  if (s->internal == NULL && (s->internal_dq != NULL || s->internal_dv != NULL))
    return fail_field(info, "internal", -1);
  return PERP_OK;
}

static perp_status check(const perp_system *system, const double *q0, const double *v0,
                         perp_info *info) {
  (void)q0, (void)v0;
  const perp_lagrangian *s = self(system);
  const int32_t n = system->n;
  if (s->M.kind == PERP_ZERO && s->mass == NULL) return fail_field(info, "M", -1);
  if (s->M.kind != PERP_ZERO && s->mass != NULL) return fail_field(info, "mass", -1);
  perp_status status = perp_check_operator(&s->M, n, perp_check_rows, "M", -1, info);
  if (status == PERP_OK && s->mass == NULL) status = perp_check_mass(&s->M, n, -1, info);
  if (status == PERP_OK) status = check_derivatives(s, info);
  if (status == PERP_OK) status = perp_check_array(s->f, (size_t)n, 1, "f", -1, info);
  if (status == PERP_OK) status = perp_check_parameters(s->z, s->n_z, info);
  if (status == PERP_OK) status = perp_check_typical(s->typical_q, n, "typical_q", info);
  if (status == PERP_OK) status = perp_check_typical(s->typical_v, n, "typical_v", info);
  if (status == PERP_OK) status = perp_control_check(&s->control, n, 2, info);
  return status;
}

static int32_t given(const perp_system *system, int32_t k, perp_jacobian *out) {
  const perp_lagrangian *s = self(system);
  const perp_control *c = &s->control;
  const int32_t n = system->n;
  const double *q = s->typical_q, *v = s->typical_v;
  const perp_jacobian all[] = {
      {"mass", s->mass, NULL, s->user, s->z, NULL, n, n, PERP_BY_NONE, 1},
      {"gyroscopic", s->gyroscopic, NULL, s->user, s->z, NULL, n, 1, PERP_BY_NONE, 1},
      {"internal", s->internal, NULL, s->user, s->z, NULL, n, 1, PERP_BY_NONE, 1},
      {"external", s->external, NULL, s->user, s->z, NULL, n, 1, PERP_BY_NONE, 1},
      {"potential", s->potential, NULL, s->user, s->z, NULL, 1, 1, PERP_BY_NONE, 1},
      {"control.u", c->u, NULL, c->user, s->z, NULL, c->n_u, 1, PERP_BY_NONE, 1},
      {"control.effect", c->effect, NULL, c->user, s->z, NULL, n, c->n_u, PERP_BY_NONE, 1},
      {"gyroscopic_dq", s->gyroscopic, s->gyroscopic_dq, s->user, s->z, q, n, n, PERP_BY_A, 1},
      {"gyroscopic_dv", s->gyroscopic, s->gyroscopic_dv, s->user, s->z, v, n, n, PERP_BY_B, 1},
      {"internal_dq", s->internal, s->internal_dq, s->user, s->z, q, n, n, PERP_BY_A, 1},
      {"internal_dv", s->internal, s->internal_dv, s->user, s->z, v, n, n, PERP_BY_B, 1},
      {"control.u_dq", c->u, c->u_dq, c->user, s->z, q, c->n_u, n, PERP_BY_A, 1},
      {"control.u_dv", c->u, c->u_dv, c->user, s->z, v, c->n_u, n, PERP_BY_B, 1}};
  return jacobian_pick(all, 13, k, out);
}

static const perp_field *fields(const perp_system *system) {
  static const perp_field all[] = {FIELD_MATRIX(perp_lagrangian, M),
                                   FIELD_USER(perp_lagrangian, user),
                                   FIELD_VECTOR(perp_lagrangian, f, system.n),
                                   FIELD_CONTROL(perp_lagrangian),
                                   FIELD_PARAMETERS(perp_lagrangian, z, n_z),
                                   FIELD_VECTOR(perp_lagrangian, typical_q, system.n),
                                   FIELD_VECTOR(perp_lagrangian, typical_v, system.n),
                                   FIELD_END};
  (void)system;
  return all;
}

static const perp_system_ops ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                    .order = 2,
                                    .name = "Lagrangian",
                                    .bytes = sizeof(perp_lagrangian),
                                    .scratch_doubles = scratch_doubles,
                                    .mass = mass,
                                    .force = force,
                                    .jacobians = jacobians,
                                    .energy = energy,
                                    .check = check,
                                    .jacobian = given,
                                    .fields = fields};

perp_status perp_lagrangian_init(perp_lagrangian *system, size_t size, int32_t n) {
  return system_init(system, size, n, &ops);
}
