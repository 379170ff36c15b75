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

/** Bytes perp_lcp_box_pivoting() needs for n unknowns; 0 if n < 0 or it overflows. Since 0.1. */
PERP_API size_t perp_lcp_box_pivoting_workspace(int32_t n);

/** As perp_lcp_solve() by this method. Since 0.1. */
PERP_API perp_status perp_lcp_box_pivoting(const perp_lcp *problem,
                                           const perp_box_pivoting_options *opts, double *z,
                                           double *w, void *work, size_t work_bytes,
                                           perp_info *info);

/** Bytes perp_mlcp_box_pivoting() needs for n unknowns; 0 if n < 0 or it overflows. Since 0.1. */
PERP_API size_t perp_mlcp_box_pivoting_workspace(int32_t n);

/**
 * Solve  −(M z + q) ∈ N_[l,u](z)  in dense arrays.
 * @param problem  M, q and bounds, not modified
 * @param opts     NULL: defaults
 * @param[out] z,w n each, may not overlap; on failure the last point
 * @param work     work_bytes bytes of any alignment
 * @param[out] info  may be NULL
 * @return see perp_solver_box_pivoting(), or < 0
 * Allocates nothing, prints nothing; parallel calls need distinct z, w, work, info. Since 0.1. */
PERP_API perp_status perp_mlcp_box_pivoting(const perp_mlcp *problem,
                                            const perp_box_pivoting_options *opts, double *z,
                                            double *w, void *work, size_t work_bytes,
                                            perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
