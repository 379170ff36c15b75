/* SPDX-License-Identifier: MIT */
/* Contact of a spring and a damper side by side,  λ = h max(0, −k y_{k+θ} − c ẏ_{k+θ}).
 *
 * With g = hθk + c the argument is −k y_k − (1−θ) g ẏ_k − θ g ẏ⁺, so the law is
 *   0 ≤ ẏ⁺ + D λ + q ⟂ λ ≥ 0,   D = 1/(hθg),   q = k y_k / (θg) + (1−θ)/θ ẏ_k. */
#include "problem/law_kinds.h"

static const perp_compliant *compliant(const perp_law *law) {
  return (const perp_compliant *)(const void *)law;
}

static perp_status check(const perp_law *law, perp_info *info) {
  const perp_compliant *p = compliant(law);
  if (law->struct_size < sizeof *p) return fail_field(info, "struct_size", -1);
  perp_status status = law_check_number("k", p->k, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("c", p->c, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("theta", p->theta, 0, 1, info);
  if (status == PERP_OK && !(p->theta > 0)) status = fail(info, PERP_EINVAL, "theta", -1, p->theta);
  if (status == PERP_OK && !(p->k + p->c > 0)) status = fail(info, PERP_EINVAL, "k", -1, p->k);
  return status;
}

/* g: by how much the force falls with the mean velocity. */
static double slope(const perp_compliant *p, double h) { return h * p->theta * p->k + p->c; }

static void compliance(const perp_law *law, double h, double *D) {
  const perp_compliant *p = compliant(law);
  for (int32_t i = 0; i < law->size; i++)
    D[(size_t)i * ((size_t)law->size + 1)] = 1 / (h * p->theta * slope(p, h));
}

static int32_t restitute_step(const perp_law *law, const void *state, const perp_law_step *step,
                              double *q) {
  const perp_compliant *p = compliant(law);
  const double a = p->k / (p->theta * slope(p, step->h)), b = (1 - p->theta) / p->theta;
  (void)state;
  for (int32_t i = 0; i < law->size; i++) q[i] += a * step->y[i] + b * step->ydot[i];
  return 0;
}

static const perp_field *fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_NUMBERS(perp_compliant, k, 3), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops ops = {.struct_size = sizeof(perp_law_ops),
                                 .set = PERP_SET_ORTHANT,
                                 .unilateral = 1,
                                 .name = "compliant",
                                 .check = check,
                                 .project = perp_orthant_project,
                                 .jacobian = perp_orthant_jacobian,
                                 .local = perp_orthant_local,
                                 .restitute_step = restitute_step,
                                 .compliance = compliance,
                                 .fields = fields};

perp_status perp_compliant_init(perp_compliant *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->law, &ops, sizeof *law, 1);
  law->theta = 0.5;
  return PERP_OK;
}
