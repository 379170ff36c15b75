/* SPDX-License-Identifier: MIT */
/* Friction between surfaces that a cohesive zone holds together. With N = σ_c A and the damage
 * state β of the begin of the step, λ = λ' − h N β n, where λ' and
 *
 *   ẏ⁺ + max(y_k, 0)/h n    (the gap at the end of the step over its length)
 *
 * obey Coulomb's law. At the end of a step that was accepted
 *
 *   s += h ẏ_t⁺,  δ = ‖(max(y_n, 0), w s)‖,  β := min(β, max(0, 1 − δ/δ_c)),  δ_c = 2 G_c/σ_c.
 *
 * An open bond stores N β y, so opening it to δ dissipates G_c A (1 − β)², in the whole G_c A.
 * Sources: Talon and Curnier, Eur. J. Mech. A/Solids 22 (2003) 545-565; Collins-Craft, Bourrier and
 * Acary, Comput. Methods Appl. Mech. Eng. 400 (2022) 115545. */
#include "problem/cone.h"
#include "problem/law_kinds.h"

static const perp_cohesive *cohesive(const perp_law *law) {
  return (const perp_cohesive *)(const void *)law;
}

static double beta_of(const void *state) { return ((const perp_cohesive_state *)state)->beta; }

static perp_status check(const perp_law *law, perp_info *info) {
  const perp_cohesive *p = cohesive(law);
  if (law->struct_size < sizeof *p) return fail_field(info, "struct_size", -1);
  perp_status status = law_check_number("mu", p->friction.mu, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("e_n", p->friction.e_n, 0, 1, info);
  if (status == PERP_OK) status = law_check_number("e_t", p->friction.e_t, -1, 1, info);
  if (status == PERP_OK) status = law_check_number("sigma_c", p->sigma_c, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("G_c", p->G_c, DBL_MIN, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("area", p->area, DBL_MIN, DBL_MAX, info);
  return status == PERP_OK ? law_check_number("slip_weight", p->slip_weight, 0, DBL_MAX, info)
                           : status;
}

static size_t state_bytes(const perp_law *law) {
  (void)law;
  return sizeof(perp_cohesive_state);
}

static void state_init(const perp_law *law, void *state) {
  const perp_cohesive_state intact = {cohesive(law)->sigma_c > 0 ? 1 : 0, {0, 0}};
  memcpy(state, &intact, sizeof intact);
}

static int32_t acts(const perp_law *law, const void *state) {
  (void)law;
  return beta_of(state) > 0;
}

static void preload(const perp_law *law, const void *state, const perp_law_step *step, double *s) {
  s[0] = -step->h * cohesive(law)->sigma_c * cohesive(law)->area * beta_of(state);
}

static int32_t restitute_step(const perp_law *law, const void *state, const perp_law_step *step,
                              double *q) {
  const perp_friction *f = &cohesive(law)->friction;
  if (beta_of(state) > 0) {
    if (!(step->y[0] <= 0)) q[0] += step->y[0] / step->h;
    return 0;
  }
  q[0] += f->e_n * step->ydot[0];
  for (int32_t i = 1; i < law->size; i++) q[i] += f->e_t * step->ydot[i];
  return 0;
}

static void commit_step(const perp_law *law, void *state, const perp_law_step *step) {
  const perp_cohesive *p = cohesive(law);
  perp_cohesive_state *at = (perp_cohesive_state *)state;
  if (!(at->beta > 0)) return;
  for (int32_t i = 1; i < law->size; i++) at->slip[i - 1] += step->h * step->ydot[i];
  const double part[2] = {step->y[0] > 0 ? step->y[0] : 0, p->slip_weight * cone_norm(2, at->slip)};
  const double left = 1 - cone_norm(2, part) * p->sigma_c / (2 * p->G_c);
  if (left < at->beta) at->beta = left > 0 ? left : 0;
}

static const perp_field *fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_NUMBERS(perp_cohesive, friction.mu, 3),
                                   FIELD_NUMBERS(perp_cohesive, sigma_c, 4), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops ops = {.struct_size = sizeof(perp_law_ops),
                                 .set = PERP_SET_CONE,
                                 .unilateral = 1,
                                 .name = "cohesive",
                                 .check = check,
                                 .project = perp_friction_project,
                                 .jacobian = perp_friction_jacobian,
                                 .shift = perp_friction_shift,
                                 .local = perp_friction_local,
                                 .state_bytes = state_bytes,
                                 .state_init = state_init,
                                 .restitute_step = restitute_step,
                                 .preload = preload,
                                 .acts = acts,
                                 .commit_step = commit_step,
                                 .local_within = perp_friction_within,
                                 .fields = fields};

perp_status perp_cohesive_init(perp_cohesive *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->friction.law, &ops, sizeof *law, 3);
  law->area = 1;
  law->slip_weight = 1;
  return PERP_OK;
}
