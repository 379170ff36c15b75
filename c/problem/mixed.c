/* SPDX-License-Identifier: MIT */
/* Equalities and complementarities in one copy: −y ∈ N_K(λ), K = Rᵏ × R₊^(size−k). */
#include <math.h>

#include "problem/law_kinds.h"

static const perp_mixed *mixed(const perp_law *law) {
  return (const perp_mixed *)(const void *)law;
}

static perp_status check(const perp_law *law, perp_info *info) {
  if (law->struct_size < sizeof(perp_mixed)) return fail_field(info, "struct_size", -1);
  const int32_t k = mixed(law)->equalities;
  return k >= 0 && k <= law->size ? PERP_OK : fail(info, PERP_EINVAL, "equalities", -1, k);
}

static void bounds(const perp_law *law, double *lower, double *upper) {
  for (int32_t i = 0; i < law->size; i++) {
    lower[i] = i < mixed(law)->equalities ? -(double)INFINITY : 0;
    upper[i] = (double)INFINITY;
  }
}

static void project(const perp_law *law, const void *state, const double *x, double *p) {
  (void)state;
  for (int32_t i = 0; i < law->size; i++) p[i] = i >= mixed(law)->equalities && x[i] < 0 ? 0 : x[i];
}

static void jacobian(const perp_law *law, const void *state, const double *x, double *J) {
  const size_t n = (size_t)law->size;
  (void)state;
  memset(J, 0, n * n * sizeof *J);
  for (int32_t i = 0; i < law->size; i++)
    J[(size_t)i * (n + 1)] = i < mixed(law)->equalities || x[i] > 0 ? 1 : 0;
}

static const perp_field *fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_INTEGER(perp_mixed, equalities), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops ops = {.struct_size = sizeof(perp_law_ops),
                                 .set = PERP_SET_BOX,
                                 .name = "mixed",
                                 .check = check,
                                 .bounds = bounds,
                                 .project = project,
                                 .jacobian = jacobian,
                                 .fields = fields};

perp_status perp_mixed_init(perp_mixed *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &ops, sizeof *law, 1);
  return PERP_OK;
}
