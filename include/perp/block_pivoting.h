/* SPDX-License-Identifier: MIT */
/** @file block_pivoting.h
 * Block principal pivoting for problems with laws by component (equality, complementarity, box) and
 * a P-matrix that need not be symmetric, with a finite safeguard; a proximal outer loop where M is
 * monotone but singular. Dense inside. See docs/block-pivoting.md; Júdice and Pires, Computers &
 * Operations Research 21 (1994) 587-596. */
#ifndef PERP_BLOCK_PIVOTING_H
#define PERP_BLOCK_PIVOTING_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of block pivoting. */
typedef struct perp_block_pivoting_options {
  uint32_t struct_size;  /**< set by perp_block_pivoting_options_init()                 */
  int32_t max_iter;      /**< bases allowed; 0 picks 200 + 20 n                         */
  double tol;            /**< accepted relative residual, >= 0                          */
  perp_observer observe; /**< called once per basis, NULL: nobody; merit: infeasible
                              unknowns, infinity if M_FF is singular; entering, leaving: only
                              after a single exchange                                   */
  void *user;            /**< handed to observe                                         */
  const char *kind;      /**< set by perp_block_pivoting_options_init(): whose options these are */
  double proximal;       /**< σ / (largest entry of M) of the proximal loop, > 0; it runs only
                              where a singular M_FF or no end is met; default 1e-6      */
  int32_t patience;      /**< block exchanges without a new least number of infeasible unknowns
                              before single ones take over, >= 0; default 5             */
  int32_t reserved;      /**< 0                                                         */
} perp_block_pivoting_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_block_pivoting_options_init(perp_block_pivoting_options *opts, size_t size);

/** Defaults by value. */
static inline perp_block_pivoting_options perp_block_pivoting_options_default(void) {
  perp_block_pivoting_options o;
  perp_block_pivoting_options_init(&o, sizeof o);
  return o;
}

/**
 * Block pivoting as a descriptor. M in any kind of storage (a dense one is used in place, others
 * are copied), symmetric or not. Starts from the modes of a warm start, and keeps them.
 * Finite for P-matrices; solves monotone problems, singular ones included, by the proximal loop.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (a certificate was found, info.ray),
 * PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE. Since 0.1. */
PERP_API const perp_solver *perp_solver_block_pivoting(void);

/** Upper bound of its workspace for dense M with n unknowns, as a constant expression. */
#define PERP_BLOCK_PIVOTING_WORKSPACE(n) (8 * (size_t)(n) * (size_t)(n) + 106 * (size_t)(n) + 64)

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_BLOCK_PIVOTING_BYTES(n) (16 * (size_t)(n) * (size_t)(n) + 140 * (size_t)(n) + 128)

#ifdef __cplusplus
}
#endif
#endif
