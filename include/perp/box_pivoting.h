/* SPDX-License-Identifier: MIT */
/** @file box_pivoting.h
 * Complementary pivoting with bounded variables for −(M λ + q) ∈ N_[l,u](λ): linear complementarity
 * problems, mixed ones with free unknowns, relays. M may be any matrix. See docs/box-pivoting.md;
 * Cao and Ferris, Mathematics of Operations Research 21 (1996) 44-64. */
#ifndef PERP_BOX_PIVOTING_H
#define PERP_BOX_PIVOTING_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the pivotal method for boxes. */
typedef struct perp_box_pivoting_options {
  uint32_t struct_size;   /**< set by perp_box_pivoting_options_init()                  */
  int32_t max_iter;       /**< pivots allowed in all; 0 picks 1000 + 50 n               */
  double tol;             /**< accepted relative residual, >= 0                         */
  perp_observer observe;  /**< called once per pivot, NULL: nobody; variables are numbered y_i: i,
                               λ_i: n + i, t: 2 n (entering = leaving: λ_i went from one bound to
                               the other), and merit is t                               */
  void *user;             /**< handed to observe                                        */
  const char *kind;       /**< set by perp_box_pivoting_options_init(): whose options these are */
  const double *covering; /**< covering vector d > 0, n entries; NULL: all ones         */
  double proximal;        /**< first σ of the proximal loop, in equilibrated units, > 0; it runs
                               only where pivoting fails and M may be monotone; default
                               1e-6                                                     */
} perp_box_pivoting_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_box_pivoting_options_init(perp_box_pivoting_options *opts, size_t size);

/** Defaults by value. */
static inline perp_box_pivoting_options perp_box_pivoting_options_default(void) {
  perp_box_pivoting_options o;
  perp_box_pivoting_options_init(&o, sizeof o);
  return o;
}

/**
 * The pivotal method for boxes as a descriptor: laws by component (equality, complementarity, box),
 * M zero, diagonal, dense or blocks (taken as dense, zeros skipped where free unknowns are
 * eliminated). Lexicographic, so it cannot cycle; starts from the modes of a warm start where their
 * basis is regular, and from the beginning if that fails. Sure for monotone problems; otherwise
 * PERP_RAY proves nothing. Two-sided bounds cost nothing beyond one-sided ones.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (proved, with the certificate as ray),
 * PERP_RAY, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
 * Workspace about 16 n² bytes. Since 0.1. */
PERP_API const perp_solver *perp_solver_box_pivoting(void);

/** Upper bound of its workspace for n unknowns, as a constant expression. */
#define PERP_BOX_PIVOTING_WORKSPACE(n)                  \
  (16 * (size_t)(n) * (size_t)(n) + 229 * (size_t)(n) + \
   8 * (2 * (size_t)(n) + 3) * (((size_t)(n) + 63) / 64) + 64)

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_BOX_PIVOTING_BYTES(n) (PERP_BOX_PIVOTING_WORKSPACE(n) + 34 * (size_t)(n) + 64)

#ifdef __cplusplus
}
#endif
#endif
