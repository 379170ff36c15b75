/* SPDX-License-Identifier: MIT */
/** @file lagrangian.h
 * Lagrangian nonlinear systems. */
#ifndef PERP_LAGRANGIAN_H
#define PERP_LAGRANGIAN_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Lagrangian nonlinear system, q̇ = v:
 *
 *   M(q, z) v̇ + N(q, v, z) + F_int(t, q, v, z) = f + F_ext(t, z) + T(q) u(t, q, v) + p.
 *
 * N holds what the variation of M brings (Coriolis, gyroscopic and centrifugal terms); F_int is
 * any other force, springs and dampers, on the left-hand side. Every callback but the mass may be
 * NULL: the term is absent. A derivative that is NULL is taken by differences.
 */
typedef struct perp_lagrangian {
  perp_system system;          /**< head                                                     */
  perp_matrix M;               /**< constant mass (kg for translations); zeroed: mass gives it */
  perp_state_fn mass;          /**< M(q, z), n x n, both triangles; t is 0 and v NULL        */
  perp_state_fn gyroscopic;    /**< N(q, v, z), n entries; t is 0                            */
  perp_state_fn gyroscopic_dq; /**< ∂N/∂q, n x n                                             */
  perp_state_fn gyroscopic_dv; /**< ∂N/∂v, n x n                                             */
  perp_state_fn internal;      /**< F_int(t, q, v, z), n entries                             */
  perp_state_fn internal_dq;   /**< ∂F_int/∂q, n x n                                         */
  perp_state_fn internal_dv;   /**< ∂F_int/∂v, n x n                                         */
  perp_state_fn external;      /**< F_ext(t, z), n entries; q and v are NULL                 */
  perp_state_fn potential;     /**< V(q, z), one entry (J): what N and F_int derive from; t is 0 and
                                    v NULL. Energies are ½vᵀM v and V − fᵀq              */
  void *user;                  /**< handed to these callbacks                                */
  const double *f;             /**< n: constant force (N), NULL: 0                           */
  perp_control control;        /**< T(q) u(t, q, v); zeroed: none                            */
  const double *z;             /**< n_z parameters, read in every evaluation                 */
  const double *typical_q;     /**< n typical sizes of q, > 0, for differences; NULL: 1      */
  const double *typical_v;     /**< n typical sizes of v, > 0, for differences; NULL: 1      */
  int32_t n_z;                 /**< length of z                                              */
  int32_t reserved;            /**< 0                                                        */
} perp_lagrangian;

/** Set the head and zero the rest; n is the number of degrees of freedom, size is sizeof of the
 * caller's struct. @return PERP_OK, or PERP_EINVAL if system is NULL, n < 1 or size is not one
 * this library knows. Since 0.1. */
PERP_API perp_status perp_lagrangian_init(perp_lagrangian *system, size_t size, int32_t n);

#ifdef __cplusplus
}
#endif
#endif
