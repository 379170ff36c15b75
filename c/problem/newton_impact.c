/* SPDX-License-Identifier: MIT */
/* Newton's impact law,  0 <= ẏ⁺ + e ẏ⁻ ⟂ λ >= 0  by component: restitution joins q of the one-step
 * problem, and what is left is complementarity. */
#include "base/field_table.h"
#include "problem/law_kinds.h"

static double restitution_of(const perp_law *law) {
  return ((const perp_newton_impact *)(const void *)law)->e;
}

static perp_status check(const perp_law *law, perp_info *info) {
  if (law->struct_size < sizeof(perp_newton_impact)) return fail_field(info, "struct_size", -1);
  return law_check_number("e", restitution_of(law), 0, 1, info);
}

/* q += e ẏ⁻ */
static void restitute(const perp_law *law, const void *state, const double *ydot, double *q) {
  const double e = restitution_of(law);
  (void)state;
  for (int32_t i = 0; i < law->size; i++) q[i] += e * ydot[i];
}

static const perp_field *fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_NUMBERS(perp_newton_impact, e, 1), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops ops = {.struct_size = sizeof(perp_law_ops),
                                 .set = PERP_SET_ORTHANT,
                                 .unilateral = 1,
                                 .name = "newton_impact",
                                 .check = check,
                                 .project = perp_orthant_project,
                                 .jacobian = perp_orthant_jacobian,
                                 .local = perp_orthant_local,
                                 .restitute = restitute,
                                 .fields = fields};

const double *perp_newton_impact_e(const perp_law *law) {
  return law->ops == &ops ? &((const perp_newton_impact *)(const void *)law)->e : NULL;
}

perp_status perp_newton_impact_init(perp_newton_impact *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &ops, sizeof *law, 1);
  return PERP_OK;
}
