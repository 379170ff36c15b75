/* SPDX-License-Identifier: MIT */
/** @file active_set.h
 * Active-set method for one-step problems with symmetric positive definite M and laws by
 * component (equality, complementarity, box): block principal pivoting with a finite safeguard,
 * on an envelope factorisation. Semidefinite M is handled by a proximal outer loop.
 * See docs/active-set.md; Júdice and Pires, Computers & Operations Research 21 (1994) 587-596;
 * Kostreva, Linear Algebra Appl. 21 (1978) 207-215. */
#ifndef PERP_ACTIVE_SET_H
#define PERP_ACTIVE_SET_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the active-set method. */
typedef struct perp_active_set_options {
  uint32_t struct_size;  /**< set by perp_active_set_options_init()                     */
  int32_t max_iter;      /**< factorisations allowed; 0 picks 100 + 10 n                */
  double tol;            /**< accepted relative residual, >= 0                          */
  perp_observer observe; /**< called once per factorisation (one used again counts too), NULL:
                              nobody; merit: infeasible unknowns, infinity if M_FF is not
                              positive definite; entering, leaving: only in the safeguard */
  void *user;            /**< handed to observe                                         */
  const char *kind;      /**< set by perp_active_set_options_init(): whose options these are */
  double proximal;       /**< σ / (largest diagonal entry of M) of the proximal loop, > 0; it
                              runs only where M is found not to be positive definite;
                              default 1e-6                                              */
} perp_active_set_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_active_set_options_init(perp_active_set_options *opts, size_t size);

/** Defaults by value. */
static inline perp_active_set_options perp_active_set_options_default(void) {
  perp_active_set_options o;
  perp_active_set_options_init(&o, sizeof o);
  return o;
}

/**
 * The active-set method as a descriptor. M symmetric positive (semi)definite in any kind of
 * storage; only the entries on and below the diagonal enter the factor (all enter the
 * verification). Work and memory are linear in n for a banded M: number neighbours closely.
 * With a warm start whose stamp and modes agree with the last solve the factor is used again.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (semidefinite M, with a certificate found),
 * PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE. Since 0.1. */
PERP_API const perp_solver *perp_solver_active_set(void);

/** Upper bound of the solver's workspace for n unknowns, as a constant expression; envelope as
 * in ::perp_shape (2 n for a tridiagonal matrix, n (n + 1) / 2 for a dense one). */
#define PERP_ACTIVE_SET_WORKSPACE(n, envelope) (8 * (size_t)(envelope) + 128 * (size_t)(n) + 64)

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_ACTIVE_SET_BYTES(n, envelope) \
  (PERP_ACTIVE_SET_WORKSPACE(n, envelope) + 8 * (size_t)(envelope) + 56 * (size_t)(n) + 64)

#ifdef __cplusplus
}
#endif
#endif
