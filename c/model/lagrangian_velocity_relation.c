/* SPDX-License-Identifier: MIT */
/* Relation of velocities:  ẏ = g(t, q, v, z),  r = Hᵀ λ,  H = ∂g/∂v,  y = 0. */
#include "base/info.h"
#include "model/check.h"
#include "model/head.h"
#include "model/relation_call.h"
#include "perp/lagrangian_relation.h"

static const perp_lagrangian_velocity_relation *self(const perp_relation *relation) {
  return (const perp_lagrangian_velocity_relation *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  const perp_lagrangian_velocity_relation *r = self(relation);
  if (r->bodies == 0) return 0;
  return PERP_RELATION_BODIES | (r->bias == NULL ? (uint32_t)PERP_RELATION_NO_BIAS : 0u);
}

static size_t scratch_doubles(const perp_relation *relation) {
  const size_t values = perp_relation_call_doubles(relation->m, relation->n);
  const size_t curve = perp_relation_curve_doubles(relation->m, relation->n);
  return values > curve ? values : curve;
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  const perp_lagrangian_velocity_relation *r = self(relation);
  const relation_call g = {r->g, at->t, at->q, at->v, r->z, r->user, relation->m};
  int go_on = 1;
  const int32_t code = perp_relation_call_value(&g, out->ydot, &go_on);
  if (!go_on) return code;
  if (r->H != NULL) return r->H(at->t, at->q, at->v, r->z, out->H, r->user);
  return perp_relation_call_central(&g, 1, relation->n, r->typical_v, out->H, scratch);
}

/* γ = d/ds g(t + s, q + s v, v); where bodies turn, that is for others to differentiate. */
static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  const perp_lagrangian_velocity_relation *r = self(relation);
  if (r->bias != NULL) return r->bias(at->t, at->q, at->v, r->z, gamma, r->user);
  const relation_call g = {r->g, at->t, at->q, at->v, r->z, r->user, relation->m};
  const relation_motion motion = {g, at->v, relation->n, 1};
  return perp_relation_call_curve(&motion, CURVE_RATE, NULL, gamma, scratch);
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_lagrangian_velocity_relation *r = self(relation);
  perp_status status = perp_relation_check_sizes(relation, r->z, r->n_z, info);
  if (status != PERP_OK) return status;
  if (r->bodies != 0 && r->bodies != 1) return fail(info, PERP_EINVAL, "bodies", -1, r->bodies);
  if (r->g == NULL) return fail_field(info, "g", -1);
  return perp_check_typical(r->typical_v, relation->n, "typical_v", info);
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  const perp_lagrangian_velocity_relation *r = self(relation);
  const perp_jacobian all[] = {
      {"bias", r->bias, NULL, r->user, r->z, NULL, relation->m, 1, PERP_BY_NONE, 1},
      {"g", r->g, NULL, r->user, r->z, NULL, relation->m, 1, PERP_BY_NONE, 1},
      {"H", r->g, r->H, r->user, r->z, r->typical_v, relation->m, relation->n, PERP_BY_B, 1}};
  return jacobian_pick(all, 3, k, out);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_INTEGER(perp_lagrangian_velocity_relation, bodies),
      FIELD_USER(perp_lagrangian_velocity_relation, user),
      FIELD_PARAMETERS(perp_lagrangian_velocity_relation, z, n_z),
      FIELD_VECTOR(perp_lagrangian_velocity_relation, typical_v, relation.n), FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "velocities",
                                      .bytes = sizeof(perp_lagrangian_velocity_relation),
                                      .features = features,
                                      .scratch_doubles = scratch_doubles,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .jacobian = given,
                                      .bias = bias,
                                      .fields = fields};

perp_status perp_lagrangian_velocity_relation_init(perp_lagrangian_velocity_relation *relation,
                                                   size_t size, int32_t m, int32_t n) {
  return relation_init(relation, size, m, n, &ops);
}
