/* SPDX-License-Identifier: MIT */
/* First-order linear relation with coefficients that vary in time:
 *   y = C(t) x + D(t) λ + F(t) z + e(t),  r = B(t) λ + a(t). */
#include <string.h>

#include "base/info.h"
#include "model/check.h"
#include "model/head.h"
#include "model/relation_call.h"
#include "perp/first_order_relation.h"

static const perp_linear_varying_relation *self(const perp_relation *relation) {
  return (const perp_linear_varying_relation *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  const perp_linear_varying_relation *r = self(relation);
  return r->D != NULL || r->linear.D != NULL ? PERP_RELATION_D : 0u;
}

/* F, and what differences of C x + F z + e need. */
static size_t scratch_doubles(const perp_relation *relation) {
  const size_t m = (size_t)relation->m;
  return m * (size_t)self(relation)->linear.n_z + m * (size_t)relation->n +
         perp_curve_doubles(relation->m);
}

/* One coefficient of size entries, at out, which is 0. */
static int32_t coefficient(const perp_linear_varying_relation *r, perp_time_fn fn,
                           const double *constant, double t, size_t size, double *out) {
  if (fn != NULL) return fn(t, out, r->user);
  if (constant != NULL) memcpy(out, constant, size * sizeof *out);
  return 0;
}

/* y := C x + F z + e at a time; y and C are 0, F is not. */
static int32_t output(const perp_linear_varying_relation *r, double t, const double *x, double *y,
                      double *C, double *F) {
  const int32_t m = r->linear.relation.m, n = r->linear.relation.n, n_z = r->linear.n_z;
  const size_t mn = (size_t)m * (size_t)n, mz = (size_t)m * (size_t)n_z;
  int32_t code = coefficient(r, r->e, r->linear.e, t, (size_t)m, y);
  if (code == 0) code = coefficient(r, r->C, r->linear.C, t, mn, C);
  if (mz > 0) memset(F, 0, mz * sizeof *F);
  if (code == 0 && mz > 0) code = coefficient(r, r->F, r->linear.F, t, mz, F);
  if (code != 0) return code;
  perp_relation_product(m, n, C, x, y);
  if (mz > 0) perp_relation_product(m, n_z, F, r->linear.z, y);
  return 0;
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  const perp_linear_varying_relation *r = self(relation);
  const int32_t m = relation->m, n = relation->n;
  const size_t mm = (size_t)m * (size_t)m, mn = (size_t)m * (size_t)n;
  int32_t code = output(r, at->t, at->v, out->y, out->H, scratch);
  if (code == 0) code = coefficient(r, r->a, r->linear.a, at->t, (size_t)n, out->r);
  if (code == 0) code = coefficient(r, r->B, r->linear.B, at->t, mn, out->B);
  if (code == 0 && out->D != NULL) code = coefficient(r, r->D, r->linear.D, at->t, mm, out->D);
  if (code != 0) return code;
  perp_relation_product(n, m, out->B, at->lambda, out->r);
  if (out->D != NULL) perp_relation_product(m, m, out->D, at->lambda, out->y);
  return 0;
}

/* The output as a function of the time from now on. */
typedef struct moving {
  const perp_linear_varying_relation *relation;
  const perp_relation_point *at;
  double *C, *F;
} moving;

static int32_t output_at(double s, double *out, const void *context) {
  const moving *c = (const moving *)context;
  const perp_relation *head = &c->relation->linear.relation;
  memset(out, 0, (size_t)head->m * sizeof *out);
  memset(c->C, 0, (size_t)head->m * (size_t)head->n * sizeof *c->C);
  return output(c->relation, c->at->t + s, c->at->v, out, c->C, c->F);
}

/* γ = Ċ x + Ḟ z + ė. */
static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  const perp_linear_varying_relation *r = self(relation);
  const size_t m = (size_t)relation->m;
  const moving c = {r, at, scratch, scratch + m * (size_t)relation->n};
  double *curve = c.F + m * (size_t)r->linear.n_z;
  if (r->C == NULL && r->F == NULL && r->e == NULL) return 0;
  return perp_curve_derivative(relation->m, output_at, &c, CURVE_RATE, 1, NULL, gamma, curve);
}

/* A constant of size entries where no function takes its place. */
static perp_status check_constant(perp_time_fn fn, const double *x, size_t size, const char *field,
                                  perp_info *info) {
  return fn != NULL ? PERP_OK : perp_check_array(x, size, 1, field, -1, info);
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_linear_varying_relation *r = self(relation);
  const size_t m = (size_t)relation->m, n = (size_t)relation->n;
  perp_status status = perp_relation_check_sizes(relation, r->linear.z, r->linear.n_z, info);
  if (status != PERP_OK) return status;
  if (r->linear.n_z > INT32_MAX / relation->m)
    return fail(info, PERP_EUNSUPPORTED, "n_z", -1, r->linear.n_z);
  if (r->C == NULL && r->linear.C == NULL) return fail_field(info, "C", -1);
  if (r->F != NULL && r->linear.n_z == 0) return fail_field(info, "n_z", -1);
  status = check_constant(r->C, r->linear.C, m * n, "C", info);
  if (status == PERP_OK) status = check_constant(r->D, r->linear.D, m * m, "D", info);
  if (status == PERP_OK) status = check_constant(r->B, r->linear.B, m * n, "B", info);
  if (status == PERP_OK)
    status = check_constant(r->F, r->linear.F, m * (size_t)r->linear.n_z, "F", info);
  if (status == PERP_OK) status = check_constant(r->e, r->linear.e, m, "e", info);
  if (status == PERP_OK) status = check_constant(r->a, r->linear.a, n, "a", info);
  return status;
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  const perp_linear_varying_relation *r = self(relation);
  const int32_t m = relation->m, n = relation->n;
  const perp_jacobian all[] = {
      {"C", callback_of_time(r->C), NULL, r->user, NULL, NULL, m, n, PERP_BY_CLOCK, 0},
      {"D", callback_of_time(r->D), NULL, r->user, NULL, NULL, m, m, PERP_BY_CLOCK, 0},
      {"B", callback_of_time(r->B), NULL, r->user, NULL, NULL, n, m, PERP_BY_CLOCK, 0},
      {"F", callback_of_time(r->F), NULL, r->user, NULL, NULL, m, r->linear.n_z, PERP_BY_CLOCK, 0},
      {"e", callback_of_time(r->e), NULL, r->user, NULL, NULL, m, 1, PERP_BY_CLOCK, 0},
      {"a", callback_of_time(r->a), NULL, r->user, NULL, NULL, n, 1, PERP_BY_CLOCK, 0}};
  return jacobian_pick(all, 6, k, out);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_ARRAY(perp_linear_varying_relation, linear.C, linear.relation.m, linear.relation.n),
      FIELD_ARRAY(perp_linear_varying_relation, linear.D, linear.relation.m, linear.relation.m),
      FIELD_ARRAY(perp_linear_varying_relation, linear.B, linear.relation.n, linear.relation.m),
      FIELD_ARRAY(perp_linear_varying_relation, linear.F, linear.relation.m, linear.n_z),
      FIELD_VECTOR(perp_linear_varying_relation, linear.e, linear.relation.m),
      FIELD_VECTOR(perp_linear_varying_relation, linear.a, linear.relation.n),
      FIELD_PARAMETERS(perp_linear_varying_relation, linear.z, linear.n_z),
      FIELD_USER(perp_linear_varying_relation, user),
      FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 1,
                                      .name = "linear, varying in time",
                                      .bytes = sizeof(perp_linear_varying_relation),
                                      .features = features,
                                      .scratch_doubles = scratch_doubles,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .bias = bias,
                                      .jacobian = given,
                                      .fields = fields};

perp_status perp_linear_varying_relation_init(perp_linear_varying_relation *relation, size_t size,
                                              int32_t m, int32_t n) {
  return relation_init(relation, size, m, n, &ops);
}
