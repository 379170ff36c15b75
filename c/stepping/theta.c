/* SPDX-License-Identifier: MIT */
/* θ-scheme of first order:  W = M − hθA,
 * W (x_free − x) = hA x + h b_{k+θ},  W (x⁺ − x_free) = h (B λ + a). */
#include "stepping/stages.h"

static void weights(double h, double theta, perp_weights *out) {
  out->w_A = -h * theta;
  out->w_C = 0;
  out->w_K = 0;
  out->p_A = h;
  out->p_C = 0;
  out->p_K = 0;
  out->r_K = 0;
  out->s = h;
  out->s_reaction = h;
}

/* What tells these schemes apart is where the reaction is taken: discretise.c, motion.c and
 * reaction.c for constant models, live_relation.c for others. */
static const perp_integrator theta_scheme = {(uint32_t)sizeof(perp_integrator),
                                             1,
                                             "theta",
                                             weights,
                                             PERP_REACTION_END,
                                             0,
                                             &perp_stages_every};
static const perp_integrator constant = {
    (uint32_t)sizeof(perp_integrator), 1, "theta", weights, PERP_REACTION_END, 0, NULL};
static const perp_integrator theta_gamma = {(uint32_t)sizeof(perp_integrator),
                                            1,
                                            "theta-gamma",
                                            weights,
                                            PERP_REACTION_WEIGHTED,
                                            0,
                                            &perp_stages_every};
static const perp_integrator theta_gamma_full = {(uint32_t)sizeof(perp_integrator),
                                                 1,
                                                 "theta-gamma full",
                                                 weights,
                                                 PERP_REACTION_MIDDLE,
                                                 0,
                                                 &perp_stages_every};

const perp_integrator *perp_integrator_theta(void) { return &theta_scheme; }

const perp_integrator *perp_integrator_theta_constant(void) { return &constant; }

const perp_integrator *perp_integrator_theta_gamma(void) { return &theta_gamma; }

const perp_integrator *perp_integrator_theta_gamma_full(void) { return &theta_gamma_full; }
