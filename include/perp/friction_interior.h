/* SPDX-License-Identifier: MIT */
/** @file friction_interior.h
 * Interior-point method on second-order cones for contact with friction: Nesterov-Todd scaling,
 * predictor and corrector, with the sliding velocity of De Saxcé's change of variable linearised
 * inside the step. Takes rolling, and laws by component beside contacts. See
 * docs/friction-interior.md; Acary, Armand, Nguyen and Shpakovych, Optimization Methods and
 * Software (2024); Nesterov and Todd, SIAM J. Optimization 8 (1998) 324-364. */
#ifndef PERP_FRICTION_INTERIOR_H
#define PERP_FRICTION_INTERIOR_H

#include "perp/solver.h"
#include "perp/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

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
  (8 * (size_t)(n) * ((size_t)(n) + 33) + 544 * (size_t)(contacts) + 128)

/** Upper bound in a simulation with n rows. */
#define PERP_FRICTION_INTERIOR_BYTES(n) PERP_FRICTION_INTERIOR_WORKSPACE(n, n)

#ifdef __cplusplus
}
#endif
#endif
