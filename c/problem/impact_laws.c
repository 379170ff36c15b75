/* SPDX-License-Identifier: MIT */
/* Impact laws beside Newton's, told by what joins q:
 *
 *   Frémond   q_n += e_n ẏ_n⁻,  q_t += ẏ_t⁻:  friction on the mean of both velocities. The work
 *             λ·(ẏ⁺ + ẏ⁻)/2 = λ_n (1 − e_n) ẏ_n⁻/2 − μ λ_n ‖ẏ_t⁺ + ẏ_t⁻‖/2  is never positive;
 *   user's    q += what a callback adds.
 *
 * Sources: Frémond, Physics Letters A 204 (1995) 33-41, and Non-Smooth Thermomechanics, 2002. */
#include "problem/law_kinds.h"

/* ---- Frémond ---- */

/* μ, and restitutions that have to be 0. */
static perp_status check_friction(const perp_friction *f, double largest_e, perp_info *info) {
  perp_status status = law_check_number("mu", f->mu, 0, DBL_MAX, info);
  if (status == PERP_OK) status = law_check_number("e_n", f->e_n, 0, largest_e, info);
  return status == PERP_OK ? law_check_number("e_t", f->e_t, 0, 0, info) : status;
}

static perp_status fremond_check(const perp_law *law, perp_info *info) {
  if (law->struct_size < sizeof(perp_fremond)) return fail_field(info, "struct_size", -1);
  return check_friction((const perp_friction *)(const void *)law, 1, info);
}

static void fremond_restitute(const perp_law *law, const void *state, const double *ydot,
                              double *q) {
  (void)state;
  q[0] += ((const perp_friction *)(const void *)law)->e_n * ydot[0];
  for (int32_t i = 1; i < law->size; i++) q[i] += ydot[i];
}

static const perp_law_ops fremond_ops = {.struct_size = sizeof(perp_law_ops),
                                         .set = PERP_SET_CONE,
                                         .unilateral = 1,
                                         .name = "fremond",
                                         .check = fremond_check,
                                         .project = perp_friction_project,
                                         .jacobian = perp_friction_jacobian,
                                         .shift = perp_friction_shift,
                                         .local = perp_friction_local,
                                         .restitute = fremond_restitute,
                                         .local_within = perp_friction_within,
                                         .fields = perp_friction_fields};

perp_status perp_fremond_init(perp_fremond *law, size_t size) {
  if (law == NULL || size != sizeof *law) return PERP_EINVAL;
  law_set_head(&law->friction.law, &fremond_ops, sizeof *law, 3);
  return PERP_OK;
}

/* ---- the user's ---- */

static const perp_user_impact *user_impact(const perp_law *law) {
  return (const perp_user_impact *)(const void *)law;
}

static perp_status user_check(const perp_law *law, perp_info *info) {
  if (law->struct_size < sizeof(perp_user_impact)) return fail_field(info, "struct_size", -1);
  if (user_impact(law)->restitute == NULL) return fail_field(info, "restitute", -1);
  return check_friction(&user_impact(law)->friction, 0, info);
}

static int32_t user_restitute(const perp_law *law, const void *state, const perp_law_step *step,
                              double *q) {
  (void)state;
  return user_impact(law)->restitute(law->size, step, q, user_impact(law)->user);
}

static const perp_field *user_fields(const perp_law *law) {
  static const perp_field all[] = {FIELD_NUMBERS(perp_user_impact, friction.mu, 3),
                                   FIELD_USER(perp_user_impact, user), FIELD_END};
  (void)law;
  return all;
}

static const perp_law_ops user_normal_ops = {.struct_size = sizeof(perp_law_ops),
                                             .set = PERP_SET_ORTHANT,
                                             .unilateral = 1,
                                             .name = "user_impact",
                                             .check = user_check,
                                             .project = perp_orthant_project,
                                             .jacobian = perp_orthant_jacobian,
                                             .local = perp_orthant_local,
                                             .restitute_step = user_restitute,
                                             .fields = user_fields};

static const perp_law_ops user_friction_ops = {.struct_size = sizeof(perp_law_ops),
                                               .set = PERP_SET_CONE,
                                               .unilateral = 1,
                                               .name = "user_impact",
                                               .check = user_check,
                                               .project = perp_friction_project,
                                               .jacobian = perp_friction_jacobian,
                                               .shift = perp_friction_shift,
                                               .local = perp_friction_local,
                                               .restitute_step = user_restitute,
                                               .local_within = perp_friction_within,
                                               .fields = user_fields};

perp_status perp_user_impact_init(perp_user_impact *law, size_t size, int32_t components) {
  if (law == NULL || size != sizeof *law || components < 1 || components > 3) return PERP_EINVAL;
  law_set_head(&law->friction.law, components == 1 ? &user_normal_ops : &user_friction_ops,
               sizeof *law, components);
  return PERP_OK;
}
