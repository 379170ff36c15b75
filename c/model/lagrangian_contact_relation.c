/* SPDX-License-Identifier: MIT */
/* Contacts with tangential directions: with c copies of size rows, copy k has the rows
 *   k size:      y = h_k(t, q),  ẏ = G_k v + ∂h_k/∂t,  G = ∂h/∂q,
 *   the others:  y = 0,          ẏ = T v + s,          r = [G_k; T]ᵀ λ. */
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "model/check.h"
#include "model/head.h"
#include "model/relation_call.h"
#include "perp/lagrangian_relation.h"

static const perp_lagrangian_contact_relation *self(const perp_relation *relation) {
  return (const perp_lagrangian_contact_relation *)(const void *)relation;
}

static uint32_t features(const perp_relation *relation) {
  const perp_lagrangian_contact_relation *r = self(relation);
  const uint32_t open = r->bias == NULL && r->G != NULL ? PERP_RELATION_NO_BIAS : 0u;
  return PERP_RELATION_HOLONOMIC | (r->bodies != 0 ? PERP_RELATION_BODIES : 0u) | open;
}

/* What a callback writes, at most (m − 1) n entries, and what differences need; for γ of gaps and
 * tangential rows, too. */
static size_t scratch_doubles(const perp_relation *relation) {
  const size_t values = perp_relation_call_doubles(relation->m, relation->n);
  const size_t curve = (size_t)relation->m + perp_relation_curve_doubles(relation->m, relation->n);
  return (size_t)relation->m * (size_t)relation->n + (values > curve ? values : curve);
}

/* Rows of each copy: the normal one, or the tangential ones. */
typedef struct rows {
  int32_t first, count, size, copies;
} rows;

/* out (stride of columns m) += in, whose rows are those of all copies in turn. */
static void scatter(rows which, int32_t m, int32_t columns, const double *in, double *out) {
  for (int32_t j = 0; j < columns; j++)
    for (int32_t k = 0; k < which.copies; k++) {
      double *to = out + (size_t)m * (size_t)j + (size_t)k * (size_t)which.size + which.first;
      for (int32_t i = 0; i < which.count; i++) to[i] += *in++;
    }
}

/* out += what f writes for these rows and as many columns. */
static int32_t add(perp_gap_fn f, const relation_call *call, rows which, int32_t m, int32_t columns,
                   double *out, double *scratch) {
  if (f == NULL) return 0;
  size_t size = (size_t)which.copies * (size_t)which.count * (size_t)columns;
  memset(scratch, 0, size * sizeof *scratch);
  int32_t code = f(call->t, call->a, NULL, call->z, scratch, call->user);
  if (code == 0) scatter(which, m, columns, scratch, out);
  return code;
}

static int32_t evaluate(const perp_relation *relation, const perp_relation_point *at,
                        const perp_relation_values *out, double *scratch) {
  const perp_lagrangian_contact_relation *r = self(relation);
  const int32_t m = relation->m, n = relation->n, copies = m / r->size;
  const rows normal = {0, 1, r->size, copies}, tangential = {1, r->size - 1, r->size, copies};
  const relation_call h = {r->h, at->t, at->q, NULL, r->z, r->user, copies};
  int32_t code = add(r->h, &h, normal, m, 1, out->y, scratch);
  if (!all_finite((size_t)m, out->y)) return code; /* told by whoever evaluates the relation */
  if (code == 0 && r->G != NULL) code = add(r->G, &h, normal, m, n, out->H, scratch);
  if (code == 0 && r->G == NULL) {
    code = perp_relation_call_central(&h, 0, n, r->typical_q, scratch,
                                      scratch + (size_t)m * (size_t)n);
    if (code == 0) scatter(normal, m, n, scratch, out->H);
  }
  if (code == 0) code = add(r->T, &h, tangential, m, n, out->H, scratch);
  if (code == 0) code = add(r->h_dt, &h, normal, m, 1, out->ydot, scratch);
  if (code == 0) code = add(r->s, &h, tangential, m, 1, out->ydot, scratch);
  if (code == 0) perp_relation_product(m, n, out->H, at->v, out->ydot);
  return code;
}

/* The tangential part of a relation, (t, q, v): T v + s, with room for T. */
typedef struct tangents {
  const perp_lagrangian_contact_relation *relation;
  double *T;
} tangents;

static int32_t tangential_rate(double t, const double *q, const double *v, const double *z,
                               double *out, void *user) {
  const tangents *c = (const tangents *)user;
  const perp_lagrangian_contact_relation *r = c->relation;
  const int32_t n = r->relation.n, lines = r->relation.m - r->relation.m / r->size;
  memset(c->T, 0, (size_t)lines * (size_t)n * sizeof *c->T);
  int32_t code = r->T(t, q, NULL, z, c->T, r->user);
  if (code == 0 && r->s != NULL) code = r->s(t, q, NULL, z, out, r->user);
  if (code == 0) perp_relation_product(lines, n, c->T, v, out);
  return code;
}

/* Of gaps d²/ds² h(t + s, q + s v), of tangential rows d/ds (T v + s). Where G is given, it is for
 * others to differentiate. */
static int32_t bias(const perp_relation *relation, const perp_relation_point *at, double *gamma,
                    double *scratch) {
  const perp_lagrangian_contact_relation *r = self(relation);
  const int32_t m = relation->m, copies = m / r->size;
  const rows normal = {0, 1, r->size, copies}, tangential = {1, r->size - 1, r->size, copies};
  if (r->bias != NULL) return r->bias(at->t, at->q, at->v, r->z, gamma, r->user);
  double *part = scratch + (size_t)m * (size_t)relation->n, *curve = part + m;
  const relation_call h = {r->h, at->t, at->q, NULL, r->z, r->user, copies};
  const relation_motion gaps = {h, at->v, relation->n, r->h_dt != NULL};
  int32_t code = perp_relation_call_curve(&gaps, CURVE_ACCELERATION, r->typical_q, part, curve);
  if (code != 0) return code;
  scatter(normal, m, 1, part, gamma);
  tangents c = {r, scratch};
  const relation_call rate = {tangential_rate, at->t, at->q, at->v, r->z, &c, m - copies};
  const relation_motion sliding = {rate, at->v, relation->n, 1};
  code = perp_relation_call_curve(&sliding, CURVE_RATE, r->typical_q, part, curve);
  if (code == 0) scatter(tangential, m, 1, part, gamma);
  return code;
}

static perp_status check(const perp_relation *relation, perp_info *info) {
  const perp_lagrangian_contact_relation *r = self(relation);
  perp_status status = perp_relation_check_sizes(relation, r->z, r->n_z, info);
  if (status != PERP_OK) return status;
  if (r->size < 2 || relation->m % r->size != 0)
    return fail(info, PERP_EINVAL, "size", -1, r->size);
  if (r->bodies != 0 && r->bodies != 1) return fail(info, PERP_EINVAL, "bodies", -1, r->bodies);
  if (r->h == NULL) return fail_field(info, "h", -1);
  if (r->T == NULL) return fail_field(info, "T", -1);
  if (r->G == NULL && r->bodies != 0) return fail_field(info, "G", -1);
  return perp_check_typical(r->typical_q, relation->n, "typical_q", info);
}

static int32_t given(const perp_relation *relation, int32_t k, perp_jacobian *out) {
  const perp_lagrangian_contact_relation *r = self(relation);
  const int32_t gaps = relation->m / r->size, n = relation->n;
  const perp_jacobian all[] = {
      {"bias", r->bias, NULL, r->user, r->z, NULL, relation->m, 1, PERP_BY_NONE, 1},
      {"h", r->h, NULL, r->user, r->z, NULL, gaps, 1, PERP_BY_NONE, 0},
      {"T", r->T, NULL, r->user, r->z, NULL, relation->m - gaps, n, PERP_BY_NONE, 0},
      {"s", r->s, NULL, r->user, r->z, NULL, relation->m - gaps, 1, PERP_BY_NONE, 0},
      {"G", r->h, r->G, r->user, r->z, r->typical_q, gaps, n, PERP_BY_A, 0},
      {"h_dt", r->h, r->h_dt, r->user, r->z, NULL, gaps, 1, PERP_BY_TIME, 0}};
  return jacobian_pick(all, 6, k, out);
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_INTEGER(perp_lagrangian_contact_relation, size),
      FIELD_INTEGER(perp_lagrangian_contact_relation, bodies),
      FIELD_USER(perp_lagrangian_contact_relation, user),
      FIELD_PARAMETERS(perp_lagrangian_contact_relation, z, n_z),
      FIELD_VECTOR(perp_lagrangian_contact_relation, typical_q, relation.n),
      FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "Lagrangian contact",
                                      .bytes = sizeof(perp_lagrangian_contact_relation),
                                      .features = features,
                                      .scratch_doubles = scratch_doubles,
                                      .evaluate = evaluate,
                                      .check = check,
                                      .jacobian = given,
                                      .bias = bias,
                                      .fields = fields};

perp_status perp_lagrangian_contact_relation_init(perp_lagrangian_contact_relation *relation,
                                                  size_t size, int32_t gaps, int32_t rows_of_copy,
                                                  int32_t n) {
  if (gaps < 1 || rows_of_copy < 2 || gaps > INT32_MAX / rows_of_copy) return PERP_EINVAL;
  perp_status status = relation_init(relation, size, gaps * rows_of_copy, n, &ops);
  if (status == PERP_OK) relation->size = rows_of_copy;
  return status;
}
