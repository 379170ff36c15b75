/* SPDX-License-Identifier: MIT */
/* Lagrangian linear relation:  y = H q + F z + b,  ẏ = H v + D λ,  r = Hᵀ λ. */
#include <string.h>

#include "model/head.h"

static void terms(const perp_relation *relation, perp_relation_terms *out) {
  const perp_lagrangian_linear_relation *r =
      (const perp_lagrangian_linear_relation *)(const void *)relation;
  memset(out, 0, sizeof *out);
  out->H = r->H;
  out->D = r->D;
  out->F = r->F;
  out->b = r->b;
  out->z = r->z;
  out->n_z = r->n_z;
  out->H_rows = r->H_rows;
}

static const perp_field *fields(const perp_relation *relation) {
  static const perp_field all[] = {
      FIELD_ARRAY(perp_lagrangian_linear_relation, H, relation.m, relation.n),
      FIELD_MATRIX(perp_lagrangian_linear_relation, H_rows),
      FIELD_ARRAY(perp_lagrangian_linear_relation, D, relation.m, relation.m),
      FIELD_ARRAY(perp_lagrangian_linear_relation, F, relation.m, n_z),
      FIELD_VECTOR(perp_lagrangian_linear_relation, b, relation.m),
      FIELD_PARAMETERS(perp_lagrangian_linear_relation, z, n_z),
      FIELD_END};
  (void)relation;
  return all;
}

static const perp_relation_ops ops = {.struct_size = (uint32_t)sizeof(perp_relation_ops),
                                      .order = 2,
                                      .name = "Lagrangian linear",
                                      .bytes = sizeof(perp_lagrangian_linear_relation),
                                      .terms = terms,
                                      .fields = fields};

perp_status perp_lagrangian_linear_relation_init(perp_lagrangian_linear_relation *relation,
                                                 size_t size, int32_t m, int32_t n) {
  return relation_init(relation, size, m, n, &ops);
}
