/* SPDX-License-Identifier: MIT */
/* First-order nonlinear relation:  y = h(t, x, λ, z),  r = g(t, x, λ, z), with
 *   C = ∂h/∂x,  D = ∂h/∂λ,  B = ∂g/∂λ,  K = ∂g/∂x. */
#include "perp/first_order_relation.h"

#include "base/info.h"
#include "model/check.h"
#include "model/head.h"
#include "model/relation_call.h"

static const perp_first_order_relation *self(const perp_relation *relation) {
  return (const perp_first_order_relation *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  const perp_first_order_relation *r = self(relation);
  uint32_t d = (r->reads & PERP_OUTPUT_READS_LAMBDA) != 0 ? PERP_RELATION_D : 0u;
  uint32_t k = r->g != NULL && (r->reads & PERP_REACTION_READS_X) != 0 ? PERP_RELATION_K : 0u;
  return d | k;
}

static size_t scratch_doubles(const perp_relation *relation) {
  const int32_t m = relation->m, n = relation->n;
  size_t by_x = perp_relation_call_doubles(m > n ? m : n, n);
  size_t by_lambda = perp_relation_call_doubles(m > n ? m : n, m);
  size_t values = by_x > by_lambda ? by_x : by_lambda, curve = (size_t)m + perp_curve_doubles(m);
  return values > curve ? values : curve;
}

/* J of a function: the user's, or by differences. */
static int32_t jacobian(const relation_call *f, perp_relation_fn given, int by_lambda, int32_t n,
                        const double *typical, double *J, double *scratch) {
  if (given == NULL) return perp_relation_call_forward(f, by_lambda, n, typical, J, scratch);
  return given(f->t, f->a, f->b, f->z, J, f->user);
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  const perp_first_order_relation *r = self(relation);
  const int32_t m = relation->m, n = relation->n;
  const relation_call h = {r->h, at->t, at->v, at->lambda, r->z, r->user, m};
  const relation_call g = {r->g, at->t, at->v, at->lambda, r->z, r->user, n};
  int go_on = 1;
  int32_t code = perp_relation_call_value(&h, out->y, &go_on);
  if (!go_on) return code;
  code = jacobian(&h, r->C, 0, n, r->typical_x, out->H, scratch);
  if (code == 0 && out->D != NULL && (r->reads & PERP_OUTPUT_READS_LAMBDA) != 0)
    code = jacobian(&h, r->D, 1, m, r->typical_lambda, out->D, scratch);
  if (code != 0 || r->g == NULL) return code;
  code = perp_relation_call_value(&g, out->r, &go_on);
  if (!go_on) return code;
  code = jacobian(&g, r->B, 1, m, r->typical_lambda, out->B, scratch);
  if (code == 0 && out->K != NULL && (r->reads & PERP_REACTION_READS_X) != 0)
    code = jacobian(&g, r->K, 0, n, r->typical_x, out->K, scratch);
  return code;
}

static int32_t at_time(double s, double *out, const void *context) {
  relation_call there = *(const relation_call *)context;
  there.t += s;
  return perp_relation_call(&there, out);
}

static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  const perp_first_order_relation *r = self(relation);
  const size_t m = (size_t)relation->m;
  double *zero = scratch;
  for (size_t i = 0; i < m; i++) zero[i] = 0;
  const relation_call h = {r->h, at->t, at->v, zero, r->z, r->user, relation->m};
  if (r->h_dt != NULL) return r->h_dt(at->t, at->v, zero, r->z, gamma, r->user);
  return perp_curve_derivative(relation->m, at_time, &h, CURVE_RATE, 1, NULL, gamma, scratch + m);
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_first_order_relation *r = self(relation);
  const uint32_t known = PERP_OUTPUT_READS_LAMBDA | PERP_REACTION_READS_X;
  perp_status status = perp_relation_check_sizes(relation, r->z, r->n_z, info);
  if (status != PERP_OK) return status;
  if ((r->reads & ~known) != 0) return fail(info, PERP_EINVAL, "reads", -1, r->reads);
  if (r->h == NULL) return fail_field(info, "h", -1);
  /* a Jacobian of what is said to be 0 */
  if (r->D != NULL && (r->reads & PERP_OUTPUT_READS_LAMBDA) == 0) return fail_field(info, "D", -1);
  if (r->B != NULL && r->g == NULL) return fail_field(info, "g", -1);
  if (r->K != NULL && (r->g == NULL || (r->reads & PERP_REACTION_READS_X) == 0))
    return fail_field(info, "K", -1);
  status = perp_check_typical(r->typical_x, relation->n, "typical_x", info);
  if (status != PERP_OK) return status;
  return perp_check_typical(r->typical_lambda, relation->m, "typical_lambda", info);
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  const perp_first_order_relation *r = self(relation);
  const int32_t m = relation->m, n = relation->n;
  const double *x = r->typical_x, *l = r->typical_lambda;
  const perp_jacobian all[] = {{"h", r->h, NULL, r->user, r->z, NULL, m, 1, PERP_BY_NONE, 0},
                               {"g", r->g, NULL, r->user, r->z, NULL, n, 1, PERP_BY_NONE, 0},
                               {"C", r->h, r->C, r->user, r->z, x, m, n, PERP_BY_A, 0},
                               {"D", r->h, r->D, r->user, r->z, l, m, m, PERP_BY_B, 0},
                               {"B", r->g, r->B, r->user, r->z, l, n, m, PERP_BY_B, 0},
                               {"K", r->g, r->K, r->user, r->z, x, n, n, PERP_BY_A, 0},
                               {"h_dt", r->h, r->h_dt, r->user, r->z, NULL, m, 1, PERP_BY_TIME, 0}};
  return jacobian_pick(all, 7, k, out);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_INTEGER(perp_first_order_relation, reads),
      FIELD_USER(perp_first_order_relation, user),
      FIELD_PARAMETERS(perp_first_order_relation, z, n_z),
      FIELD_VECTOR(perp_first_order_relation, typical_x, relation.n),
      FIELD_VECTOR(perp_first_order_relation, typical_lambda, relation.m),
      FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 1,
                                      .name = "first-order nonlinear",
                                      .bytes = sizeof(perp_first_order_relation),
                                      .features = features,
                                      .scratch_doubles = scratch_doubles,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .jacobian = given,
                                      .bias = bias,
                                      .fields = fields};

int32_t perp_relation_fine_C(const perp_relation *relation, const perp_relation_point *at,
                             double *H, double *scratch) {
  if (relation->ops != &ops || self(relation)->C != NULL) return 0;
  const perp_first_order_relation *r = self(relation);
  const relation_call h = {r->h, at->t, at->v, at->lambda, r->z, r->user, relation->m};
  return perp_relation_call_central(&h, 0, relation->n, r->typical_x, H, scratch);
}

static perp_status init(perp_first_order_relation *relation, size_t size, int32_t m, int32_t n,
                        uint32_t reads) {
  perp_status status = relation_init(relation, size, m, n, &ops);
  if (status == PERP_OK) relation->reads = reads;
  return status;
}

perp_status perp_first_order_relation_init(perp_first_order_relation *relation, size_t size,
                                           int32_t m, int32_t n) {
  return init(relation, size, m, n, PERP_OUTPUT_READS_LAMBDA | PERP_REACTION_READS_X);
}

perp_status perp_first_order_type1_init(perp_first_order_relation *relation, size_t size, int32_t m,
                                        int32_t n) {
  return init(relation, size, m, n, 0);
}

perp_status perp_first_order_type2_init(perp_first_order_relation *relation, size_t size, int32_t m,
                                        int32_t n) {
  return init(relation, size, m, n, PERP_OUTPUT_READS_LAMBDA);
}
