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

/** Options of Murty's method. */
typedef struct perp_murty_options {
  uint32_t struct_size;  /**< set by perp_murty_options_init()                             */
  int32_t max_iter;      /**< pivots allowed; 0 picks 1000 + 50 n                          */
  double tol;            /**< accepted relative residual, >= 0                             */
  perp_observer observe; /**< called once per pivot, NULL: nobody; merit: infeasible unknowns
                              after it, up to rounding                                     */
  void *user;            /**< handed to observe                                            */
} perp_murty_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_murty_options_init(perp_murty_options *opts, size_t size);

/** Defaults by value. */
static inline perp_murty_options perp_murty_options_default(void) {
  perp_murty_options o;
  perp_murty_options_init(&o, sizeof o);
  return o;
}

/**
 * Murty's method as a descriptor. M in any kind of storage (taken as dense). Finite for
 * P-matrices: never more than 2^n - 1 pivots for complementarity, a bound that is reached. Starts
 * from the modes of a warm start, and keeps them; else all bounded unknowns are at the bound
 * nearest to 0. For other M it may end in PERP_RAY (a pivot is 0), which proves nothing.
 * @return in solve: PERP_OK (verified), PERP_RAY, PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE.
 * Since 0.1. */
PERP_API const perp_solver *perp_solver_murty(void);

/** Upper bound of its workspace for dense M with n unknowns, as a constant expression. */
#define PERP_MURTY_WORKSPACE(n) (16 * (size_t)(n) * (size_t)(n) + 50 * (size_t)(n) + 64)

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_MURTY_BYTES(n) (24 * (size_t)(n) * (size_t)(n) + 84 * (size_t)(n) + 128)

/** Bytes perp_lcp_murty() needs for n unknowns; 0 if n < 0 or it overflows. Since 0.1. */
PERP_API size_t perp_lcp_murty_workspace(int32_t n);

/** perp_lcp_solve() by this method. Since 0.1. */
PERP_API perp_status perp_lcp_murty(const perp_lcp *problem, const perp_murty_options *opts,
                                    double *z, double *w, void *work, size_t work_bytes,
                                    perp_info *info);

/** Bytes perp_mlcp_murty() needs for n unknowns; 0 if n < 0 or it overflows. Since 0.1. */
PERP_API size_t perp_mlcp_murty_workspace(int32_t n);

/** perp_mlcp_solve() by this method. Since 0.1. */
PERP_API perp_status perp_mlcp_murty(const perp_mlcp *problem, const perp_murty_options *opts,
                                     double *z, double *w, void *work, size_t work_bytes,
                                     perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
