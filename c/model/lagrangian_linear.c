/* SPDX-License-Identifier: MIT */
/* Lagrangian linear time-invariant system:  M v̇ + C v + K q = f + F(t) + r. */
#include <string.h>

#include "model/head.h"

static void terms(const perp_system *system, perp_system_terms *out) {
  const perp_lagrangian_linear *s = (const perp_lagrangian_linear *)(const void *)system;
  memset(out, 0, sizeof *out);
  out->M = s->M;
  out->C = s->C;
  out->K = s->K;
  out->f = s->f;
  out->force = s->force;
  out->user = s->user;
}

static const perp_system_ops ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                    .order = 2,
                                    .name = "Lagrangian linear",
                                    .bytes = sizeof(perp_lagrangian_linear),
                                    .terms = terms};

perp_status perp_lagrangian_linear_init(perp_lagrangian_linear *system, size_t size, int32_t n) {
  return system_init(system, size, n, &ops);
}
