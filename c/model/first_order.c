/* SPDX-License-Identifier: MIT */
/* First-order nonlinear system:  M ẋ = f(t, x, z) + T(x) u(t, x) + r. */
#include "perp/first_order.h"

#include "base/info.h"
#include "model/check.h"
#include "model/control.h"
#include "model/difference.h"
#include "model/head.h"
#include "model/operator.h"

static const perp_first_order *self(const perp_system *system) {
  return (const perp_first_order *)(const void *)system;
}

/* One scratch serves f and control, one after the other. */
static size_t scratch_doubles(const perp_system *system) {
  size_t n = (size_t)system->n, own = n * n + perp_difference_doubles(system->n, system->n);
  size_t control = perp_control_doubles(&self(system)->control, system->n);
  return own > control ? own : control;
}

static int32_t mass(const perp_system *system, double t, const double *q, double *M,
                    double *scratch) {
  (void)t, (void)q, (void)scratch;
  operator_mass(&self(system)->M, system->n, M);
  return 0;
}

static control_point point(const perp_first_order *s, double t, const double *x) {
  control_point at = {s->system.n, t, NULL, x, s->z, NULL, s->typical, NULL};
  return at;
}

static int32_t force(const perp_system *system, double t, const double *q, const double *x,
                     double *f, double *scratch) {
  (void)q;
  const perp_first_order *s = self(system);
  const control_point at = point(s, t, x);
  int32_t code = s->f(t, x, s->z, f, s->user);
  return code == 0 ? perp_control_force(&s->control, &at, f, scratch) : code;
}

/* f at a probe. */
typedef struct probe {
  const perp_first_order *system;
  double t;
} probe;

static int32_t f_at(const double *x, double *out, const void *context) {
  const probe *p = (const probe *)context;
  return p->system->f(p->t, x, p->system->z, out, p->system->user);
}

static int32_t jacobians(const perp_system *system, double t, const double *q, const double *x,
                         double *df_dq, double *df_dx, double *scratch) {
  (void)q, (void)df_dq;
  const perp_first_order *s = self(system);
  const control_point at = point(s, t, x);
  const probe p = {s, t};
  int32_t code = s->f_dx != NULL ? s->f_dx(t, x, s->z, df_dx, s->user)
                                 : perp_difference(system->n, system->n, f_at, &p, x, s->typical, 1,
                                                   df_dx, scratch);
  return code == 0 ? perp_control_jacobians(&s->control, &at, NULL, df_dx, scratch) : code;
}

static perp_status check(const perp_system *system, const double *q0, const double *x0,
                         perp_info *info) {
  (void)q0, (void)x0;
  const perp_first_order *s = self(system);
  if (s->f == NULL) return fail_field(info, "f", -1);
  perp_status status = perp_check_operator(&s->M, system->n, perp_check_rows, "M", -1, info);
  if (status == PERP_OK) status = perp_check_parameters(s->z, s->n_z, info);
  if (status == PERP_OK) status = perp_check_typical(s->typical, system->n, "typical", info);
  if (status == PERP_OK) status = perp_control_check(&s->control, system->n, 1, info);
  return status;
}

/* f and its derivative in the form of other callbacks; user is the system. */
static int32_t f_call(double t, const double *q, const double *x, const double *z, double *out,
                      void *user) {
  const perp_first_order *s = (const perp_first_order *)user;
  (void)q;
  return s->f(t, x, z, out, s->user);
}

static int32_t f_dx_call(double t, const double *q, const double *x, const double *z, double *out,
                         void *user) {
  const perp_first_order *s = (const perp_first_order *)user;
  (void)q;
  return s->f_dx(t, x, z, out, s->user);
}

static int32_t given(const perp_system *system, int32_t k, perp_jacobian *out) {
  const perp_first_order *s = self(system);
  const perp_control *c = &s->control;
  const int32_t n = system->n;
  union { /* handed on as the user pointer of calls that only read it */
    const perp_first_order *read;
    void *user;
  } me = {s};
  const perp_jacobian all[] = {
      {"f", f_call, NULL, me.user, s->z, NULL, n, 1, PERP_BY_NONE, 1},
      {"control.u", c->u, NULL, c->user, s->z, NULL, c->n_u, 1, PERP_BY_NONE, 1},
      {"control.effect", c->effect, NULL, c->user, s->z, NULL, n, c->n_u, PERP_BY_NONE, 1},
      {"f_dx", f_call, s->f_dx != NULL ? f_dx_call : NULL, me.user, s->z, s->typical, n, n,
       PERP_BY_B, 1},
      {"control.u_dv", c->u, c->u_dv, c->user, s->z, s->typical, c->n_u, n, PERP_BY_B, 1}};
  return jacobian_pick(all, 5, k, out);
}

static const perp_field *fields(const perp_system *system) {
  static const perp_field all[] = {FIELD_MATRIX(perp_first_order, M),
                                   FIELD_USER(perp_first_order, user),
                                   FIELD_CONTROL(perp_first_order),
                                   FIELD_PARAMETERS(perp_first_order, z, n_z),
                                   FIELD_VECTOR(perp_first_order, typical, system.n),
                                   FIELD_END};
  (void)system;
  return all;
}

static const perp_system_ops ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                    .order = 1,
                                    .name = "first-order",
                                    .bytes = sizeof(perp_first_order),
                                    .constant_mass = 1,
                                    .scratch_doubles = scratch_doubles,
                                    .mass = mass,
                                    .force = force,
                                    .jacobians = jacobians,
                                    .check = check,
                                    .jacobian = given,
                                    .fields = fields};

perp_status perp_first_order_init(perp_first_order *system, size_t size, int32_t n) {
  return system_init(system, size, n, &ops);
}
