/* SPDX-License-Identifier: MIT */
/* Schatzman-Paoli scheme, unknown u = q_{k+1} − q_{k−1} in the place of a velocity:
 *   R = M(q*)(u − 2(q_k − q_{k−1})) − h²(θ f_{k+1} + (1−θ) f_k),
 *   W = M(q*) − h²θ(∂f/∂q + ∂f/∂v / (2h)),   W (u⁺ − u_free) = Hᵀλ,
 *   y(q_{k+1}) + e y(q_{k−1}) as the law wants it.
 * Every system of this scheme is live: live_system.c has R and W, and reads from the flag position
 * what stands in trial_v. */
#include "stepping/live.h"

/* What a scheme on positions cannot do for an interaction: laws that know velocities only, rows
 * without a position or with a compliance, quaternions. */
perp_status perp_live_check_positions(const perp_model *model, int32_t i, perp_info *info) {
  const perp_interaction *inter = model->interactions[i];
  const perp_law_ops *law = inter->law->ops;
  const perp_relation_ops *relation = inter->relation->ops;
  if (law->set > PERP_SET_BOX || law->restitute_step != NULL || law->preload != NULL ||
      law->compliance != NULL || law->acts != NULL)
    return fail_interaction(info, PERP_EUNSUPPORTED, "law", i, LAW_OF_VELOCITIES);
  const uint32_t features = relation->features != NULL ? relation->features(inter->relation) : 0u;
  perp_relation_terms terms = {0};
  if (relation->terms != NULL) relation->terms(inter->relation, &terms);
  if (terms.D != NULL || (features & PERP_RELATION_D) != 0) /* of ẏ, not of y */
    return fail_interaction(info, PERP_EUNSUPPORTED, "relation", i, RELATION_COMPLIANT);
  if (relation->terms == NULL && (features & PERP_RELATION_HOLONOMIC) == 0)
    return fail_interaction(info, PERP_EUNSUPPORTED, "relation", i, RELATION_OF_VELOCITIES);
  for (int32_t s = 0; s < inter->n_systems; s++)
    if (model->systems[inter->systems[s]]->ops->extra_q != 0)
      return fail_of(info, PERP_OF_BODY, PERP_EUNSUPPORTED, "body", inter->systems[s], i);
  return PERP_OK;
}

static void weights(double h, double theta, perp_weights *out) {
  const perp_weights none = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  *out = none; /* of constant operators: there are none */
  (void)theta;
  out->s = h * h;
  out->s_reaction = 1;
}

static const perp_integrator schatzman_paoli = {(uint32_t)sizeof(perp_integrator),
                                                2,
                                                "Schatzman-Paoli",
                                                weights,
                                                PERP_REACTION_END,
                                                1,
                                                &perp_stages_every};

const perp_integrator *perp_integrator_schatzman_paoli(void) { return &schatzman_paoli; }
