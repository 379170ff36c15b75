/* SPDX-License-Identifier: MIT */
/* Schatzman-Paoli scheme, unknown u = q_{k+1} − q_{k−1} in the place of a velocity:
 *   R = M(q*)(u − 2(q_k − q_{k−1})) − h²(θ f_{k+1} + (1−θ) f_k),
 *   W = M(q*) − h²θ(∂f/∂q + ∂f/∂v / (2h)),   W (u⁺ − u_free) = Hᵀλ,
 *   y(q_{k+1}) + e y(q_{k−1}) as the law wants it.
 * Every system of this scheme is live: live_system.c has R and W, and reads from the flag position
 * what stands in trial_v. */
#include "perp/experimental.h"

static void weights(double h, double theta, perp_weights *out) {
  const perp_weights none = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  *out = none; /* of constant operators: there are none */
  (void)theta;
  out->s = h * h;
  out->s_reaction = 1;
}

static const perp_integrator schatzman_paoli = {
    (uint32_t)sizeof(perp_integrator), 2, "Schatzman-Paoli", weights, PERP_REACTION_END, 1};

const perp_integrator *perp_integrator_schatzman_paoli(void) { return &schatzman_paoli; }
