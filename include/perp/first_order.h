/* SPDX-License-Identifier: MIT */
/** @file first_order.h
 * First-order nonlinear systems. */
#ifndef PERP_FIRST_ORDER_H
#define PERP_FIRST_ORDER_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write f(t, x, z) (n entries), or its derivative (n x n, column-major, set to 0 before the call),
 * into out. 0: done, > 0: ask for a smaller step, < 0: give up. Called in every Newton iteration;
 * pure. z is NULL if the system has no parameters.
 */
typedef int32_t (*perp_first_order_fn)(double t, const double *x, const double *z, double *out,
                                       void *user);

/**
 * First-order nonlinear system:  M ẋ = f(t, x, z) + T(x) u(t, x) + r.
 */
typedef struct perp_first_order {
  perp_system system;       /**< head                                               */
  perp_matrix M;            /**< n x n, constant, regular; zeroed: identity         */
  perp_first_order_fn f;    /**< needed                                             */
  perp_first_order_fn f_dx; /**< ∂f/∂x; NULL: by differences                        */
  void *user;               /**< handed to f and f_dx                               */
  perp_control control;     /**< T(x) u(t, x); zeroed: none                         */
  const double *z;          /**< n_z parameters, read in every evaluation           */
  const double *typical;    /**< n typical sizes of x, > 0, for differences; NULL: 1 */
  int32_t n_z;              /**< length of z                                        */
  int32_t reserved;         /**< 0                                                  */
} perp_first_order;

/** Set the head and zero the rest; n is the number of states, size is sizeof of the caller's
 * struct. @return PERP_OK, or PERP_EINVAL if system is NULL, n < 1 or size is not one this library
 * knows. Since 0.1. */
PERP_API perp_status perp_first_order_init(perp_first_order *system, size_t size, int32_t n);

#ifdef __cplusplus
}
#endif
#endif
