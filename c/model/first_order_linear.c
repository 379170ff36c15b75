/* SPDX-License-Identifier: MIT */
/* First-order linear time-invariant system:  M ẋ = A x + b + B(t) + r. */
#include <string.h>

#include "model/head.h"

static void terms(const perp_system *system, perp_system_terms *out) {
  const perp_first_order_linear *s = (const perp_first_order_linear *)(const void *)system;
  memset(out, 0, sizeof *out);
  out->M = s->M;
  out->A = s->A;
  out->f = s->b;
  out->force = s->input;
  out->user = s->user;
}

static const perp_system_ops ops = {.struct_size = (uint32_t)sizeof(perp_system_ops),
                                    .order = 1,
                                    .name = "first-order linear",
                                    .bytes = sizeof(perp_first_order_linear),
                                    .terms = terms};

perp_status perp_first_order_linear_init(perp_first_order_linear *system, size_t size, int32_t n) {
  return system_init(system, size, n, &ops);
}
