/* SPDX-License-Identifier: MIT */
/** @file gauss_seidel.h
 * Projected Gauss–Seidel and successive over-relaxation for one-step problems with laws by
 * component, −(M λ + q) ∈ N_[l,u](λ), with and without a proximal regularisation.
 * See docs/gauss-seidel.md; Cryer, SIAM J. Control 9 (1971) 385-392; Mangasarian, J. Optim. Theory
 * Appl. 22 (1977) 465-485. */
#ifndef PERP_GAUSS_SEIDEL_H
#define PERP_GAUSS_SEIDEL_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of projected Gauss–Seidel. */
typedef struct perp_gauss_seidel_options {
  uint32_t struct_size;  /**< set by perp_gauss_seidel_options_init()                         */
  int32_t max_iter;      /**< sweeps allowed; 0 picks 2000 + 50 n                             */
  double tol;            /**< accepted relative residual, >= 0                                */
  perp_observer observe; /**< called once per sweep, NULL: nobody; merit: largest change of an
                              unknown times its diagonal entry, in units of y                 */
  void *user;            /**< handed to observe                                               */
  const char *kind;      /**< set by perp_gauss_seidel_options_init(): whose options these are */
  double omega;          /**< relaxation, 0 < omega < 2; 1 is Gauss–Seidel                    */
  double regularisation; /**< ρ / max |M_ii| of the proximal loop, >= 0; 0: no such loop      */
  int32_t symmetric;     /**< other than 0: every second sweep goes backward                  */
  int32_t check;         /**< sweeps between two looks at the residual, >= 1                  */
} perp_gauss_seidel_options;

/** Fill opts with the defaults (omega 1, no regularisation, forward sweeps, a look at the residual
 * every 5 of them); size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_gauss_seidel_options_init(perp_gauss_seidel_options *opts, size_t size);

/** Defaults by value. */
static inline perp_gauss_seidel_options perp_gauss_seidel_options_default(void) {
  perp_gauss_seidel_options o;
  perp_gauss_seidel_options_init(&o, sizeof o);
  return o;
}

/**
 * Projected Gauss–Seidel as a descriptor: equality, complementarity and box laws, M in any kind of
 * storage; a sweep reads M once, so it is linear in the stored entries. Starts from lambda. Sure to
 * converge for symmetric positive definite M, and for others that are diagonally dominant; where a
 * diagonal entry is not positive (ρ added) its unknown takes a step of another length. With
 * regularisation the answer is that of the given problem, not of M + ρI.
 * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INFEASIBLE (a row of M is
 * zero, and its unknown has no bound to rest at), PERP_INACCURATE (it diverges, or it stands still
 * without a solution); unless solved or stopped, lambda is the best point met. Since 0.1. */
PERP_API const perp_solver *perp_solver_gauss_seidel(void);

/** Upper bound of the workspace for n unknowns, as a constant expression. */
#define PERP_GAUSS_SEIDEL_WORKSPACE(n) (128 * (size_t)(n) + 128)

/** Upper bound in a simulation with n rows. */
#define PERP_GAUSS_SEIDEL_BYTES(n) PERP_GAUSS_SEIDEL_WORKSPACE(n)

#ifdef __cplusplus
}
#endif
#endif
