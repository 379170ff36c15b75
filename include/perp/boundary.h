/* SPDX-License-Identifier: MIT */
/** @file boundary.h
 * Boundary conditions: velocities that are prescribed, and the reactions that this takes. */
#ifndef PERP_BOUNDARY_H
#define PERP_BOUNDARY_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One part a cos(ω t + φ) of a velocity. */
typedef struct perp_harmonic {
  double amplitude; /**< a, m/s for a translation */
  double omega;     /**< ω, rad/s                 */
  double phase;     /**< φ, rad                   */
} perp_harmonic;

/**
 * Prescribed velocity of chosen degrees of freedom, for interactions with an equality law:
 *
 *   ẏ_i = v_{index(i)} − v̄_i(t),   v̄_i(t) = constant_i + Σ_k a_ik cos(ω_ik t + φ_ik) + F_i(t),
 *
 * so that v_{index(i)} = v̄_i(t) at the end of each step. λ_i is the impulse (N s) that this takes:
 * that of the motor on the system. The condition is one on velocities: y is 0 always, and positions
 * follow by the scheme, of second order with θ = 1/2. Zeroed data: the velocity is held at 0.
 * It joins systems of order 2 of any kind; of a body, the velocities are those of its n = 6.
 */
typedef struct perp_prescribed_velocity {
  perp_relation relation; /**< head: m conditions on n velocities                            */
  const int32_t *index;   /**< m different velocities, 0 <= index < n, of the systems joined */
  const double *constant; /**< m, NULL: 0                                                    */
  const perp_harmonic *harmonics; /**< n_harmonics for condition 0, then for 1, ...; NULL: 0 */
  perp_time_fn velocity;          /**< F(t), m entries, set to 0 before the call; NULL: none */
  void *user;                     /**< handed to velocity                                    */
  int32_t n_harmonics;            /**< of each condition, >= 0                               */
  int32_t reserved;               /**< 0                                                     */
} perp_prescribed_velocity;

/** Set the head and zero the rest; m conditions, n velocities of the systems joined, size is sizeof
 * of the caller's struct. @return PERP_OK, or PERP_EINVAL if relation is NULL, m < 1, n < 1 or size
 * is not one this library knows. Since 0.1. */
PERP_API perp_status perp_prescribed_velocity_init(perp_prescribed_velocity *relation, size_t size,
                                                   int32_t m, int32_t n);

#ifdef __cplusplus
}
#endif
#endif
