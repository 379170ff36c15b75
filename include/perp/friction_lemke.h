/* SPDX-License-Identifier: MIT */
/** @file friction_lemke.h
 * Friction in the plane as a linear complementarity problem, solved by Lemke's pivoting. See
 * docs/friction-lemke.md. Sources: Klarbring, Comput. Methods Appl. Mech. Eng. 58 (1986) 175-200;
 * Stewart and Trinkle, Int. J. Numer. Meth. Eng. 39 (1996) 2673-2691. */
#ifndef PERP_FRICTION_LEMKE_H
#define PERP_FRICTION_LEMKE_H

#include "perp/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of Lemke's method for friction in the plane. */
typedef struct perp_friction_lemke_options {
  uint32_t struct_size;  /**< set by perp_friction_lemke_options_init()                          */
  int32_t max_iter;      /**< pivots allowed in all; 0 picks 1000 + 50 N, N unknowns of the
                              complementarity problem, for each of its two forms                 */
  double tol;            /**< accepted relative residual, >= 0                                   */
  perp_observer observe; /**< called once per pivot, NULL: nobody; entering and leaving are -1,
                            merit is the artificial variable */
  void *user;            /**< handed to observe                                                  */
} perp_friction_lemke_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_friction_lemke_options_init(perp_friction_lemke_options *opts, size_t size);

/** Defaults by value. */
static inline perp_friction_lemke_options perp_friction_lemke_options_default(void) {
  perp_friction_lemke_options o;
  perp_friction_lemke_options_init(&o, sizeof o);
  return o;
}

/**
 * Lemke's method for friction in the plane as a descriptor: friction with law.size 2, beside laws
 * by component (equality, complementarity, box); M zero, diagonal, dense or blocks (taken as
 * dense). Finite, and exact: the answer is the solution of linear equations. For M symmetric
 * positive semidefinite and q in its range (mechanics) it ends with a solution, whatever μ is.
 * @return in solve: PERP_OK (verified), PERP_RAY (proves nothing here), PERP_MAX_ITER,
 * PERP_STOPPED, PERP_INACCURATE; a problem with friction in space is PERP_EUNSUPPORTED. Workspace
 * about 100 n² bytes: 2000 unknowns at most. The start lambda is not used. Since 0.1. */
PERP_API const perp_solver *perp_solver_friction_lemke(void);

/** Upper bound of its workspace for n unknowns of friction and complementarity laws, as a constant
 * expression; in a simulation with n rows, too. */
#define PERP_FRICTION_LEMKE_WORKSPACE(n)                \
  (32 * (size_t)(n) * (size_t)(n) + 224 * (size_t)(n) + \
   PERP_LCP_LEMKE_WORKSPACE(2 * (size_t)(n)) + 128)

#ifdef __cplusplus
}
#endif
#endif
