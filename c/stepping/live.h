/* SPDX-License-Identifier: MIT */
/* What the parts of a live step share: live_system.c evaluates systems, live_relation.c relations,
 * live_defect.c judges the iterate, newton.c goes round. At an iterate (q, v, λ), order 2:
 *   R = M(q*)(v − v_k) − h(θ f(t_{k+1}, q, v) + (1−θ) f(t_k, q_k, v_k)),
 *   q = q_k ⊕ h(θ v + (1−θ) v_k),   q* = q_k ⊕ θ h(θ v + (1−θ) v_k),
 *   W = M(q*) − hθ ∂f/∂v − h²θ² ∂f/∂q,   v_free = v − W⁻¹R,   G = W⁻¹Hᵀ.
 * Order 1, x in the place of v, with the reaction r = g(t, x, λ) of weight h (gain):
 *   W = M − hθ ∂f/∂x − h ∂g/∂x,   x_free = x − W⁻¹(R − h(r − B λ)),   G = h W⁻¹B.
 * The relations give  ẏ(v⁺, λ⁺) ≈ ẏ + H (v⁺ − v) + D (λ⁺ − λ). */
#ifndef PERP_STEPPING_LIVE_H
#define PERP_STEPPING_LIVE_H

#include "base/finite.h"
#include "base/info.h"
#include "stepping/stages.h"

/* What a callback answered. */
static inline perp_status live_answer(int32_t code, const char *field, int32_t index,
                                      perp_info *info) {
  if (code == 0) return PERP_OK;
  return fail(info, code < 0 ? PERP_ECALLBACK : PERP_RETRY, field, index, code);
}

/* What a callback wrote. */
static inline perp_status live_finite(size_t n, const double *x, const char *field, int32_t index,
                                      perp_info *info) {
  if (all_finite(n, x)) return PERP_OK;
  return fail(info, PERP_ENOTFINITE, field, index, x[first_not_finite(n, x)]);
}

/* Whether some copy of interaction k acts. */
static inline int live_acts(const perp_simulation *sim, const interaction_run *run, size_t k) {
  const unsigned char *acting = sim->acting + (size_t)run->unit0 + k * (size_t)run->copies;
  for (int32_t copy = 0; copy < run->copies; copy++)
    if (acting[copy]) return 1;
  return 0;
}

/* Whether a system has a W of its own, not one with its component. */
static inline int live_is_alone(const perp_simulation *sim, int32_t system) {
  return sim->components.of == NULL || sim->components.of[system] < 0;
}

/* The larger of two defects; NaN is the worst and stays. */
static inline double live_worse(double worst, double defect) {
  return worst == worst && !(defect <= worst) ? defect : worst;
}

/* What the law of a run holds for: ẏ, the output of order 1, or y with a scheme on positions. */
static inline double *live_level(const interaction_run *run) {
  return run->position ? run->at.y : run->at.ydot;
}

/* W (without its factor) of a system run's member, and −R in free_v. */
perp_status perp_live_system_linearise(perp_simulation *sim, system_run *run, size_t s,
                                       double t_next, double h, perp_info *info);
/* Sizes of the terms that R of a member is made of, by component. */
void perp_live_system_sizes(const perp_simulation *sim, const system_run *run, size_t s, double h,
                            double *size);
/* Factor of W, and free_v := trial_v + W⁻¹ free_v. */
perp_status perp_live_system_solve(perp_simulation *sim, system_run *run, size_t s, double h,
                                   perp_info *info);
/* What interaction k of a run of order 1 adds to W and to −R: −h K, and h (r − B λ); and to the
 * free velocities of constant systems. */
perp_status perp_live_relation_load(perp_simulation *sim, const interaction_run *run, size_t k);
/* G of interaction k. */
perp_status perp_live_relation_gain(const perp_simulation *sim, const interaction_run *run,
                                    size_t k);
/* Masses of all live systems at positions q: PERP_EINVAL names a singular one. */
perp_status perp_live_masses(perp_simulation *sim, const double *q, double t, perp_info *info);

#endif
