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

/**
 * Lemke's method for friction in the plane as a descriptor: friction with law.size 2, beside laws
 * by component (equality, complementarity, box); M zero, diagonal, dense or blocks (taken as
 * dense). Finite, and exact: the answer is the solution of linear equations. For M symmetric
 * positive semidefinite and q in its range (mechanics) it ends with a solution, whatever μ is.
 * Options: ::perp_solver_options, max_iter counts pivots in all, 0 picks 1000 + 50 N for each of
 * its two forms, N unknowns of the complementarity problem; the observer is called once per pivot,
 * merit is the artificial variable.
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
