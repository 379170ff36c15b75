/* SPDX-License-Identifier: MIT */
/** @file interior_point.h
 * Interior-point method for monotone one-step problems with laws by component,
 * −(M λ + q) ∈ N_[l,u](λ), xᵀM x >= 0: predictor and corrector on the homogeneous model, finished
 * by the exact solution of the active set that was found. See docs/interior-point.md; Andersen and
 * Ye, Mathematical Programming 84 (1999) 375-399; Mehrotra, SIAM J. Optimization 2 (1992) 575-601;
 * Gondzio, Computational Optimization and Applications 6 (1996) 137-156. */
#ifndef PERP_INTERIOR_POINT_H
#define PERP_INTERIOR_POINT_H

#include "perp/lcp.h"
#include "perp/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the interior-point method. */
typedef struct perp_interior_point_options {
  uint32_t struct_size;  /**< set by perp_interior_point_options_init()                     */
  int32_t max_iter;      /**< steps allowed; 0 picks 100                                    */
  double tol;            /**< accepted relative residual, >= 0                              */
  perp_observer observe; /**< called once per step, NULL: nobody; merit is the mean μ of the
                              complementary products, divided by τ²; entering, leaving: -1  */
  void *user;            /**< handed to observe                                             */
  const char *kind;      /**< set by perp_interior_point_options_init(): whose options these are */
  int32_t correctors;    /**< Gondzio's centrality correctors a step may try, 0 ... 4;
                              default 2                                                     */
  int32_t crossover;     /**< 1 (default): finish by solving the active set exactly;
                              0: iterate only                                               */
  const perp_sparse *sparse; /**< factorises block rows and compressed rows that are not
                              symmetric, and symmetric ones whose envelope (perp_shape) is longer
                              than 16 times their entries and n; for any matrix, not for symmetric
                              ones alone; NULL (default): nobody does */
} perp_interior_point_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_interior_point_options_init(perp_interior_point_options *opts, size_t size);

/** Defaults by value. */
static inline perp_interior_point_options perp_interior_point_options_default(void) {
  perp_interior_point_options o;
  perp_interior_point_options_init(&o, sizeof o);
  return o;
}

/**
 * The interior-point method as a descriptor. M monotone, symmetric or not, in any storage; the
 * number of steps hardly depends on n. Symmetric M in blocks, compressed rows or diagonal form is
 * factorised within its envelope, so that a step on a banded M costs time and memory linear in n;
 * other M are factorised dense. A sparse M that is not symmetric is factorised by options.sparse
 * (for example perp_sparse_klu() of perp::perp), in memory linear in its entries but for what the
 * back end allocates and frees before the solve ends; without it, dense up to n = 1000, and not
 * accepted beyond. An M that is not monotone as it stands, as circuits have whose
 * equations are in any order, is tried by the plain method, which proves nothing.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (proved; info->ray holds the certificate),
 * PERP_MAX_ITER, PERP_INACCURATE (no further step can be computed), PERP_STOPPED,
 * PERP_EUNSUPPORTED, PERP_EBACKEND (options.sparse had no memory or failed). Since 0.1. */
PERP_API const perp_solver *perp_solver_interior_point(void);

/** Upper bound of the workspace for n unknowns and dense M, as a constant expression. */
#define PERP_INTERIOR_POINT_WORKSPACE(n) (8 * (size_t)(n) * ((size_t)(n) + 48) + 512)

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_INTERIOR_POINT_BYTES(n) (24 * (size_t)(n) * ((size_t)(n) + 18) + 128)

#ifdef __cplusplus
}
#endif
#endif
