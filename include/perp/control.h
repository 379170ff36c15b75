/* SPDX-License-Identifier: MIT */
/** @file control.h
 * Callbacks of time and state, and control T u as a part of any kind of system. */
#ifndef PERP_CONTROL_H
#define PERP_CONTROL_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write a function of time and state into out. 0: done, > 0: ask for a smaller step, < 0: give up.
 * Called in every Newton iteration; pure. Matrices are column-major and set to 0 before the call,
 * so that only what is not 0 need be written.
 * @param t  time
 * @param q  n positions at order 2; NULL at order 1 and for functions that do not depend on them
 * @param v  n velocities at order 2, the n states x at order 1; NULL for functions that do not
 *           depend on them
 * @param z  the parameters of the description, as they are now; NULL if it has none
 * @param[out] out  what the field says
 * @param user  the pointer of the description
 */
typedef int32_t (*perp_state_fn)(double t, const double *q, const double *v, const double *z,
                                 double *out, void *user);

/**
 * Control added to the right-hand side of a system:  T(q) u(t, q, v) at order 2, T(x) u(t, x) at
 * order 1, where q is NULL and v is x. Zeroed: none. A derivative that is NULL is taken by
 * differences. An input that depends on time only, with constant T, is cheaper as F(t) or B(t).
 */
typedef struct perp_control {
  int32_t n_u;      /**< entries of u; 0: no control                              */
  int32_t reserved; /**< 0                                                        */
  const double *T;  /**< n x n_u, constant, column-major; NULL: effect gives T    */
  perp_state_fn
      effect;         /**< T(q) or T(x), n x n_u (at order 2 its v is NULL); NULL: T is constant */
  perp_state_fn u;    /**< n_u entries; needed if n_u > 0                       */
  perp_state_fn u_dq; /**< ∂u/∂q, n_u x n, order 2 only; NULL: by differences; of a body by
                           the increment d of perp/newton_euler.h               */
  perp_state_fn u_dv; /**< ∂u/∂v, at order 1 ∂u/∂x, n_u x n; NULL: by differences */
  void *user;         /**< handed to these callbacks                            */
} perp_control;

/**
 * A ::perp_state_fn for perp_control.u of an input that is sampled: u := z, the first parameters of
 * the description, which the caller changes between steps. It depends on no state, so that no
 * derivative is taken.
 * @param user  an int32_t, which perp_control.user points to: n_u, at most the n_z of the
 *              description
 * @return 0; -1 without z. Since 0.2.1. */
PERP_API int32_t perp_control_sampled(double t, const double *q, const double *v, const double *z,
                                      double *out, void *user);

#ifdef __cplusplus
}
#endif
#endif
