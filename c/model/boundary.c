/* SPDX-License-Identifier: MIT */
/* Prescribed velocity:  ẏ_i = v_{index(i)} − v̄_i(t),  v̄_i = constant_i + Σ a cos(ω t + φ) + F_i(t),
 * y = 0, H the rows of the identity at index. */
#include "perp/boundary.h"

#include "base/elementary.h"
#include "base/finite.h"
#include "base/info.h"
#include "model/check.h"
#include "model/curve.h"
#include "model/head.h"

static const perp_prescribed_velocity *self(const perp_relation *relation) {
  return (const perp_prescribed_velocity *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  (void)relation;
  return PERP_RELATION_ANY;
}

static size_t scratch_doubles(const perp_relation *relation) {
  return self(relation)->velocity == NULL ? 0 : perp_curve_doubles(relation->m);
}

/* Constant and harmonic part of condition i. */
static double known(const perp_prescribed_velocity *p, int32_t i, double t) {
  double sum = p->constant == NULL ? 0 : p->constant[i];
  const perp_harmonic *part =
      p->harmonics == NULL ? NULL : p->harmonics + (size_t)i * (size_t)p->n_harmonics;
  for (int32_t k = 0; part != NULL && k < p->n_harmonics; k++) {
    double sine, cosine;
    perp_sincos(part[k].omega * t + part[k].phase, &sine, &cosine);
    sum += part[k].amplitude * cosine;
  }
  return sum;
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  const perp_prescribed_velocity *p = self(relation);
  const size_t m = (size_t)relation->m;
  if (p->velocity != NULL) {
    memset(scratch, 0, m * sizeof *scratch);
    int32_t code = p->velocity(at->t, scratch, p->user);
    if (code != 0) return code;
  }
  for (size_t i = 0; i < m; i++) {
    double given = known(p, (int32_t)i, at->t);
    if (p->velocity != NULL) given += scratch[i];
    out->ydot[i] = at->v[p->index[i]] - given;
    out->H[i + m * (size_t)p->index[i]] = 1;
  }
  return 0;
}

/* F as a function of the time from now on. */
typedef struct drive {
  const perp_prescribed_velocity *relation;
  double t;
} drive;

static int32_t drive_at(double s, double *out, const void *context) {
  const drive *d = (const drive *)context;
  memset(out, 0, (size_t)d->relation->relation.m * sizeof *out);
  return d->relation->velocity(d->t + s, out, d->relation->user);
}

/* γ = Σ a ω sin(ω t + φ) − Ḟ. */
static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  const perp_prescribed_velocity *p = self(relation);
  if (p->velocity != NULL) {
    const drive moving = {p, at->t};
    const int32_t code =
        perp_curve_derivative(relation->m, drive_at, &moving, CURVE_RATE, 1, NULL, gamma, scratch);
    if (code != 0) return code;
  }
  for (int32_t i = 0; i < relation->m; i++) {
    const perp_harmonic *part =
        p->harmonics == NULL ? NULL : p->harmonics + (size_t)i * (size_t)p->n_harmonics;
    gamma[i] = -gamma[i];
    for (int32_t k = 0; part != NULL && k < p->n_harmonics; k++) {
      double sine, cosine;
      perp_sincos(part[k].omega * at->t + part[k].phase, &sine, &cosine);
      gamma[i] += part[k].amplitude * part[k].omega * sine;
    }
  }
  return 0;
}

static perp_status check_index(const perp_prescribed_velocity *p, perp_info *info) {
  const int32_t m = p->relation.m, n = p->relation.n;
  if (p->index == NULL) return fail_field(info, "index", -1);
  for (int32_t i = 0; i < m; i++) {
    if (p->index[i] < 0 || p->index[i] >= n)
      return fail(info, PERP_EINVAL, "index", -1, p->index[i]);
    for (int32_t k = 0; k < i; k++)
      if (p->index[k] == p->index[i]) return fail(info, PERP_EINVAL, "index", -1, p->index[i]);
  }
  return PERP_OK;
}

static perp_status check_harmonics(const perp_prescribed_velocity *p, perp_info *info) {
  if (p->n_harmonics < 0) return fail(info, PERP_EINVAL, "n_harmonics", -1, p->n_harmonics);
  if (p->n_harmonics > 0 && p->harmonics == NULL) return fail_field(info, "harmonics", -1);
  const size_t count = (size_t)p->relation.m * (size_t)p->n_harmonics;
  for (size_t k = 0; k < count; k++) {
    const double all[] = {p->harmonics[k].amplitude, p->harmonics[k].omega, p->harmonics[k].phase};
    const size_t bad = first_not_finite(3, all);
    if (bad < 3) return fail(info, PERP_ENOTFINITE, "harmonics", -1, all[bad]);
  }
  return PERP_OK;
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_prescribed_velocity *p = self(relation);
  perp_status status = check_index(p, info);
  if (status == PERP_OK) status = check_harmonics(p, info);
  if (status == PERP_OK)
    status = perp_check_array(p->constant, (size_t)relation->m, 1, "constant", -1, info);
  return status;
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  const perp_prescribed_velocity *r = self(relation);
  const perp_jacobian all[] = {{"velocity", callback_of_time(r->velocity), NULL, r->user, NULL,
                                NULL, relation->m, 1, PERP_BY_CLOCK, 0}};
  return jacobian_pick(all, 1, k, out);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_AT(perp_prescribed_velocity, index, PERP_HOLDS_INDICES,
               offsetof(perp_prescribed_velocity, relation.m), PERP_FIXED(1)),
      FIELD_VECTOR(perp_prescribed_velocity, constant, relation.m),
      FIELD_AT(perp_prescribed_velocity, harmonics, PERP_HOLDS_TRIPLES,
               offsetof(perp_prescribed_velocity, relation.m),
               offsetof(perp_prescribed_velocity, n_harmonics)),
      FIELD_USER(perp_prescribed_velocity, user), FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "prescribed velocity",
                                      .bytes = sizeof(perp_prescribed_velocity),
                                      .features = features,
                                      .scratch_doubles = scratch_doubles,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .bias = bias,
                                      .jacobian = given,
                                      .fields = fields};

perp_status perp_prescribed_velocity_init(perp_prescribed_velocity *relation, size_t size,
                                          int32_t m, int32_t n) {
  return relation_init(relation, size, m, n, &ops);
}
