/* SPDX-License-Identifier: MIT */
/** @file interior_point.h
 * Interior-point methods: for laws by component, and for contacts with friction. */
#ifndef PERP_INTERIOR_POINT_H
#define PERP_INTERIOR_POINT_H

#include "perp/lcp.h"
#include "perp/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- interior point -------------------------------------------------------------------------- */

/* Interior-point method for monotone one-step problems with laws by component,
 * −(M λ + q) ∈ N_[l,u](λ), xᵀM x >= 0: predictor and corrector on the homogeneous model, finished
 * by the exact solution of the active set that was found. See docs/theory-qp.md; Andersen and
 * Ye, Mathematical Programming 84 (1999) 375-399; Mehrotra, SIAM J. Optimization 2 (1992) 575-601;
 * Gondzio, Computational Optimization and Applications 6 (1996) 137-156. */

/** Options of the interior-point method. */
typedef struct perp_interior_point_options {
  uint32_t struct_size;  /**< set by perp_interior_point_options_init()                     */
  int32_t max_iter;      /**< steps allowed; 0 picks 100                                    */
  double tol;            /**< accepted relative residual, >= 0                              */
  perp_observer observe; /**< called once per step, NULL: nobody; merit is the mean μ of the
                              complementary products, divided by τ²; entering, leaving: -1  */
  void *user;            /**< handed to observe                                             */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                */
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
#define PERP_INTERIOR_POINT_WORKSPACE(n) \
  (8 * (size_t)(n) * ((size_t)(n) + 48) + 512 + PERP_MARGIN(n))

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_INTERIOR_POINT_BYTES(n) (24 * (size_t)(n) * ((size_t)(n) + 18) + 128 + PERP_MARGIN(n))

/* --- friction interior ----------------------------------------------------------------------- */

/* Interior-point method on second-order cones for contact with friction: Nesterov-Todd scaling,
 * predictor and corrector, with the sliding velocity of De Saxcé's change of variable linearised
 * inside the step. Takes rolling, and laws by component beside contacts. See
 * docs/theory-friction-methods.md; Acary, Armand, Nguyen and Shpakovych, Optimization Methods and
 * Software (2024); Nesterov and Todd, SIAM J. Optimization 8 (1998) 324-364. */

/** How the step treats the sliding velocity that makes friction nonassociated. */
enum {
  PERP_FRICTION_INTERIOR_NEWTON = 0, /**< linearised with the rest: one unsymmetric system */
  PERP_FRICTION_INTERIOR_LAGGED = 1  /**< kept for the step, then computed anew: a fixed point of
                                          associated problems that moves with the iterates */
};

/** Options of the interior-point method for friction. */
typedef struct perp_friction_interior_options {
  uint32_t struct_size;  /**< set by perp_friction_interior_options_init()                  */
  int32_t max_iter;      /**< steps allowed, of the finish too; 0 picks 600, with dense
                              factors at most 225 000 / n, but 40                           */
  double tol;            /**< accepted relative residual, >= 0                              */
  perp_observer observe; /**< called once per step, NULL: nobody; merit is the relative
                              residual of the point before it; entering, leaving: -1        */
  void *user;            /**< handed to observe                                             */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                */
  const char *kind;  /**< set by perp_friction_interior_options_init(): whose options these are */
  int32_t coupling;  /**< PERP_FRICTION_INTERIOR_NEWTON (default) or ..._LAGGED         */
  int32_t crossover; /**< 1 (default): finish by steps of the nonsmooth Newton method;
                          0: interior points only                                       */
  const perp_sparse *sparse; /**< factorises block rows and compressed rows, for example
                                  perp_sparse_klu() of perp::perp, not one for symmetric matrices
                                  alone; NULL (default): they are factorised dense              */
} perp_friction_interior_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_friction_interior_options_init(perp_friction_interior_options *opts,
                                                  size_t size);

/** Defaults by value. */
static inline perp_friction_interior_options perp_friction_interior_options_default(void) {
  perp_friction_interior_options o;
  perp_friction_interior_options_init(&o, sizeof o);
  return o;
}

/**
 * The method as a descriptor, name "friction-interior". M of any kind, semidefinite and usually
 * symmetric; a sparse M without options.sparse is accepted up to n = 2000 and factorised dense.
 * lambda is no start: the method begins well inside the cones.
 * @return in solve: PERP_OK (verified), PERP_RAY (λ grows without bound along a direction on which
 * M vanishes: as a rule there is no solution; info->ray holds it, which proves nothing),
 * PERP_MAX_ITER, PERP_INACCURATE (no further step can be computed), PERP_STOPPED, PERP_EBACKEND.
 * Since 0.1. */
PERP_API const perp_solver *perp_solver_friction_interior(void);

/** Upper bound of its workspace for n unknowns and so many contacts (components, of laws by
 * component), without a sparse back end, as a constant expression. */
#define PERP_FRICTION_INTERIOR_WORKSPACE(n, contacts) \
  (8 * (size_t)(n) * ((size_t)(n) + 33) + 544 * (size_t)(contacts) + 128 + PERP_MARGIN(n))

/** Upper bound in a simulation with n rows. */
#define PERP_FRICTION_INTERIOR_BYTES(n) PERP_FRICTION_INTERIOR_WORKSPACE(n, n)

#ifdef __cplusplus
}
#endif
#endif
