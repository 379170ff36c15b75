/* SPDX-License-Identifier: MIT */
/** @file conjugate_gradient.h
 * Conjugate projected gradient for one-step problems with symmetric positive semidefinite M and
 * laws by component: the minimum of ½ λᵀM λ + qᵀλ over a box. See docs/conjugate-gradient.md;
 * Dostál and Schöberl, Comput. Optim. Appl. 30 (2005) 23-43; Moré and Toraldo, SIAM J. Optim. 1
 * (1991) 93-113. */
#ifndef PERP_CONJUGATE_GRADIENT_H
#define PERP_CONJUGATE_GRADIENT_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the conjugate projected gradient. */
typedef struct perp_conjugate_gradient_options {
  uint32_t struct_size;  /**< set by perp_conjugate_gradient_options_init()                   */
  int32_t max_iter;      /**< iterations allowed, each one product with M; 0 picks 1000 + 20 n */
  double tol;            /**< accepted relative residual, >= 0                                */
  perp_observer observe; /**< called once per iteration, NULL: nobody; merit: own residual before
                              it, in units of y                                               */
  void *user;            /**< handed to observe                                               */
  const char *kind;  /**< set by perp_conjugate_gradient_options_init(): whose options these are */
  double proportion; /**< Γ > 0: bounds are released when what they hold back exceeds Γ times
                          what is left to gain on the face                                */
} perp_conjugate_gradient_options;

/** Fill opts with the defaults (proportion 0.5); size is sizeof of the caller's struct. Since 0.1.
 */
PERP_API void perp_conjugate_gradient_options_init(perp_conjugate_gradient_options *opts,
                                                   size_t size);

/** Defaults by value. */
static inline perp_conjugate_gradient_options perp_conjugate_gradient_options_default(void) {
  perp_conjugate_gradient_options o;
  perp_conjugate_gradient_options_init(&o, sizeof o);
  return o;
}

/**
 * The conjugate projected gradient as a descriptor: equality, complementarity and box laws, M
 * symmetric positive semidefinite in any kind of storage. One product with M an iteration, linear
 * in the stored entries; scaled by the diagonal. Starts from lambda; the energy never grows.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (with a certificate as ray),
 * PERP_RAY (the energy falls without end: M is not semidefinite, or the problem has no solution
 * and rounding keeps that from being proved), PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE (no
 * further progress). Since 0.1. */
PERP_API const perp_solver *perp_solver_conjugate_gradient(void);

/** Upper bound of the workspace for n unknowns, as a constant expression. */
#define PERP_CONJUGATE_GRADIENT_WORKSPACE(n) (120 * (size_t)(n) + 64)

/** Upper bound in a simulation with n rows. */
#define PERP_CONJUGATE_GRADIENT_BYTES(n) PERP_CONJUGATE_GRADIENT_WORKSPACE(n)

#ifdef __cplusplus
}
#endif
#endif
