/* SPDX-License-Identifier: MIT */
/* Moreau-Jean θ-scheme:  W = M + hθC + h²θ²K,
 * W (v_free − v) = −(hC + h²θK) v − hK q + h F_{k+θ},  W (v⁺ − v_free) = Hᵀλ. */
#include "stepping/stages.h"

static void weights(double h, double theta, perp_weights *out) {
  out->w_A = 0;
  out->w_C = h * theta;
  out->w_K = h * h * theta * theta;
  out->p_A = 0;
  out->p_C = -h;
  out->p_K = -h * h * theta;
  out->r_K = -h;
  out->s = h;
  out->s_reaction = 1;
}

static const perp_integrator moreau_jean = {(uint32_t)sizeof(perp_integrator),
                                            2,
                                            "Moreau-Jean",
                                            weights,
                                            PERP_REACTION_END,
                                            0,
                                            &perp_stages_every};
static const perp_integrator constant = {
    (uint32_t)sizeof(perp_integrator), 2, "Moreau-Jean", weights, PERP_REACTION_END, 0, NULL};

const perp_integrator *perp_integrator_moreau_jean(void) { return &moreau_jean; }

const perp_integrator *perp_integrator_moreau_jean_constant(void) { return &constant; }
