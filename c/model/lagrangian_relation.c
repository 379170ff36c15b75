/* SPDX-License-Identifier: MIT */
/* Relation of positions:  y = h(t, q, λ, z),  r = Hᵀ P,  H = ∂h/∂q,
 *   ẏ = H v + ∂h/∂t + (h(t, q, λ) − h(t, q, λ⁻))/τ.
 *
 * P is the impulse of a step of length τ, so λ = P/τ is the force in it, and λ⁻ = P⁻/τ⁻ that of the
 * step before. The last term stands for (∂h/∂λ) λ̇: with it y follows λ without drift, whatever
 * curve h is, and its derivative by the unknown P is exactly D = (∂h/∂λ)(t, q, λ)/τ². */
#include "perp/lagrangian_relation.h"

#include "base/info.h"
#include "model/check.h"
#include "model/head.h"
#include "model/relation_call.h"

static const perp_lagrangian_relation *self(const perp_relation *relation) {
  return (const perp_lagrangian_relation *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  const perp_lagrangian_relation *r = self(relation);
  uint32_t d = (r->reads & PERP_GAP_READS_LAMBDA) != 0 ? PERP_RELATION_D : 0u;
  uint32_t bodies = r->bodies != 0 ? PERP_RELATION_BODIES : 0u;
  uint32_t open = r->bias == NULL && r->H != NULL ? PERP_RELATION_NO_BIAS : 0u;
  return PERP_RELATION_HOLONOMIC | d | bodies | open;
}

/* The forces now and before, h at one of them, and what differences need; or what γ does. */
static size_t scratch_doubles(const perp_relation *relation) {
  const size_t m = (size_t)relation->m;
  const size_t by_q = perp_relation_call_doubles(relation->m, relation->n);
  const size_t by_lambda = perp_relation_call_doubles(relation->m, relation->m);
  const size_t values = 3 * m + (by_q > by_lambda ? by_q : by_lambda);
  const size_t curve = m + perp_relation_curve_doubles(relation->m, relation->n);
  return values > curve ? values : curve;
}

/* Forces of impulses over a time; none without a step. */
static void forces(int32_t m, const double *impulse, double time, double *force) {
  for (int32_t i = 0; i < m; i++) force[i] = impulse != NULL && time > 0 ? impulse[i] / time : 0;
}

/* ẏ += (h(λ) − h(λ⁻))/τ,  D := ∂h/∂λ / τ². */
static int32_t comply(const perp_lagrangian_relation *r, const relation_call *h,
                      const perp_relation_point *at, const perp_relation_values *out,
                      const double *before, double *scratch) {
  const int32_t m = h->m;
  double *past = scratch;
  if (!(at->h > 0)) return 0;
  relation_call then = *h;
  then.b = before;
  int32_t code = perp_relation_call(&then, past);
  if (code == 0)
    code = r->D != NULL
               ? r->D(h->t, h->a, h->b, h->z, out->D, h->user)
               : perp_relation_call_forward(h, 1, m, r->typical_lambda, out->D, scratch + m);
  if (code != 0) return code;
  for (int32_t i = 0; i < m; i++) out->ydot[i] += (out->y[i] - past[i]) / at->h;
  for (size_t i = 0; i < (size_t)m * (size_t)m; i++) out->D[i] /= at->h * at->h;
  return 0;
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  const perp_lagrangian_relation *r = self(relation);
  const int32_t m = relation->m, n = relation->n;
  double *force = scratch, *before = force + m, *rest = before + m;
  forces(m, at->lambda, at->h, force);
  forces(m, at->lambda_before, at->h_before > 0 ? at->h_before : at->h, before);
  const relation_call h = {r->h, at->t, at->q, force, r->z, r->user, m};
  int go_on = 1;
  int32_t code = perp_relation_call_value(&h, out->y, &go_on);
  if (!go_on) return code;
  code = r->H != NULL ? r->H(at->t, at->q, force, r->z, out->H, r->user)
                      : perp_relation_call_central(&h, 0, n, r->typical_q, out->H, rest);
  if (code == 0 && (r->reads & PERP_GAP_READS_TIME) != 0)
    code = r->h_dt != NULL ? r->h_dt(at->t, at->q, force, r->z, out->ydot, r->user)
                           : perp_relation_call_time(&h, out->ydot, rest);
  if (code != 0) return code;
  perp_relation_product(m, n, out->H, at->v, out->ydot);
  return (r->reads & PERP_GAP_READS_LAMBDA) != 0 ? comply(r, &h, at, out, before, rest) : 0;
}

/* γ = d²/ds² h(t + s, q + s v): from h itself, since derivatives of H by differences are worth
 * little. Positions that are not numbered as velocities have H, and another way. */
static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  const perp_lagrangian_relation *r = self(relation);
  const size_t m = (size_t)relation->m;
  if (r->bias != NULL) return r->bias(at->t, at->q, at->v, r->z, gamma, r->user);
  double *zero = scratch;
  for (size_t i = 0; i < m; i++) zero[i] = 0;
  const relation_call h = {r->h, at->t, at->q, zero, r->z, r->user, relation->m};
  const relation_motion motion = {h, at->v, relation->n, (r->reads & PERP_GAP_READS_TIME) != 0};
  return perp_relation_call_curve(&motion, CURVE_ACCELERATION, r->typical_q, gamma, scratch + m);
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_lagrangian_relation *r = self(relation);
  const uint32_t known = PERP_GAP_READS_TIME | PERP_GAP_READS_LAMBDA;
  perp_status status = perp_relation_check_sizes(relation, r->z, r->n_z, info);
  if (status != PERP_OK) return status;
  if ((r->reads & ~known) != 0) return fail(info, PERP_EINVAL, "reads", -1, r->reads);
  if (r->bodies != 0 && r->bodies != 1) return fail(info, PERP_EINVAL, "bodies", -1, r->bodies);
  if (r->h == NULL) return fail_field(info, "h", -1);
  if (r->H == NULL && r->bodies != 0) return fail_field(info, "H", -1);
  if (r->h_dt != NULL && (r->reads & PERP_GAP_READS_TIME) == 0) return fail_field(info, "h_dt", -1);
  if (r->D != NULL && (r->reads & PERP_GAP_READS_LAMBDA) == 0) return fail_field(info, "D", -1);
  if (r->bias != NULL && (r->reads & PERP_GAP_READS_LAMBDA) != 0)
    return fail_field(info, "bias", -1);
  status = perp_check_typical(r->typical_q, relation->n, "typical_q", info);
  if (status != PERP_OK) return status;
  return perp_check_typical(r->typical_lambda, relation->m, "typical_lambda", info);
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  const perp_lagrangian_relation *r = self(relation);
  const int32_t m = relation->m, n = relation->n;
  const double *q = r->typical_q, *l = r->typical_lambda;
  const perp_jacobian all[] = {
      {"bias", r->bias, NULL, r->user, r->z, NULL, relation->m, 1, PERP_BY_NONE, 1},
      {"h", r->h, NULL, r->user, r->z, NULL, m, 1, PERP_BY_NONE, 0},
      {"H", r->h, r->H, r->user, r->z, q, m, n, PERP_BY_A, 0},
      {"h_dt", r->h, r->h_dt, r->user, r->z, NULL, m, 1, PERP_BY_TIME, 0},
      {"D", r->h, r->D, r->user, r->z, l, m, m, PERP_BY_B, 0}};
  return jacobian_pick(all, 5, k, out);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_INTEGER(perp_lagrangian_relation, reads),
      FIELD_INTEGER(perp_lagrangian_relation, bodies),
      FIELD_USER(perp_lagrangian_relation, user),
      FIELD_PARAMETERS(perp_lagrangian_relation, z, n_z),
      FIELD_VECTOR(perp_lagrangian_relation, typical_q, relation.n),
      FIELD_VECTOR(perp_lagrangian_relation, typical_lambda, relation.m),
      FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "Lagrangian",
                                      .bytes = sizeof(perp_lagrangian_relation),
                                      .features = features,
                                      .scratch_doubles = scratch_doubles,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .jacobian = given,
                                      .bias = bias,
                                      .fields = fields};

static perp_status init(perp_lagrangian_relation *relation, size_t size, int32_t m, int32_t n,
                        uint32_t reads) {
  perp_status status = relation_init(relation, size, m, n, &ops);
  if (status == PERP_OK) relation->reads = reads;
  return status;
}

perp_status perp_lagrangian_scleronomous_init(perp_lagrangian_relation *relation, size_t size,
                                              int32_t m, int32_t n) {
  return init(relation, size, m, n, 0);
}

perp_status perp_lagrangian_rheonomous_init(perp_lagrangian_relation *relation, size_t size,
                                            int32_t m, int32_t n) {
  return init(relation, size, m, n, PERP_GAP_READS_TIME);
}

perp_status perp_lagrangian_compliant_init(perp_lagrangian_relation *relation, size_t size,
                                           int32_t m, int32_t n) {
  return init(relation, size, m, n, PERP_GAP_READS_LAMBDA);
}
