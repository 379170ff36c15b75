/* SPDX-License-Identifier: MIT */
/* First-order linear time-invariant relation:  y = C x + D λ + F z + e,  r = B λ + a. */
#include <string.h>

#include "model/head.h"

static void terms(const perp_relation *relation, perp_relation_terms *out) {
  const perp_linear_relation *r = (const perp_linear_relation *)(const void *)relation;
  memset(out, 0, sizeof *out);
  out->H = r->C;
  out->B = r->B;
  out->D = r->D;
  out->F = r->F;
  out->b = r->e;
  out->a = r->a;
  out->z = r->z;
  out->n_z = r->n_z;
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {FIELD_ARRAY(perp_linear_relation, C, relation.m, relation.n),
                                   FIELD_ARRAY(perp_linear_relation, D, relation.m, relation.m),
                                   FIELD_ARRAY(perp_linear_relation, B, relation.n, relation.m),
                                   FIELD_ARRAY(perp_linear_relation, F, relation.m, n_z),
                                   FIELD_VECTOR(perp_linear_relation, e, relation.m),
                                   FIELD_VECTOR(perp_linear_relation, a, relation.n),
                                   FIELD_PARAMETERS(perp_linear_relation, z, n_z),
                                   FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 1,
                                      .name = "linear",
                                      .bytes = sizeof(perp_linear_relation),
                                      .terms = terms,
                                      .fields = fields};

perp_status perp_linear_relation_init(perp_linear_relation *relation, size_t size, int32_t m,
                                      int32_t n) {
  return relation_init(relation, size, m, n, &ops);
}
