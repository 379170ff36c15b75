/* SPDX-License-Identifier: MIT */
/** @file murty.h
 * Murty's least-index principal pivoting for problems with laws by component (equality,
 * complementarity, box) and a P-matrix. See docs/murty.md; Murty, Opsearch 11 (1974)
 * 123-130; [CPS92] section 4.7. */
#ifndef PERP_MURTY_H
#define PERP_MURTY_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Murty's method as a descriptor. M in any kind of storage (taken as dense). Finite for
 * P-matrices: never more than 2^n - 1 pivots for complementarity, a bound that is reached. Starts
 * from the modes of a warm start, and keeps them; else all bounded unknowns are at the bound
 * nearest to 0. For other M it may end in PERP_RAY (a pivot is 0), which proves nothing.
 * Options: ::perp_solver_options, max_iter counts pivots, 0 picks 1000 + 50 n; the observer is
 * called once per pivot, merit: infeasible unknowns after it, up to rounding.
 * @return in solve: PERP_OK (verified), PERP_RAY, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
 * Since 0.1. */
PERP_API const perp_solver *perp_solver_murty(void);

/** Upper bound of its workspace for dense M with n unknowns, as a constant expression. */
#define PERP_MURTY_WORKSPACE(n) (16 * (size_t)(n) * (size_t)(n) + 50 * (size_t)(n) + 64)

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_MURTY_BYTES(n) (24 * (size_t)(n) * (size_t)(n) + 84 * (size_t)(n) + 128)

#ifdef __cplusplus
}
#endif
#endif
