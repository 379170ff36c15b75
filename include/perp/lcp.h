/* SPDX-License-Identifier: MIT */
/** @file lcp.h
 * Linear complementarity problems, plain and mixed, in the caller's dense arrays, for those who
 * have no laws and no blocks. Methods for laws by component also have an entry point under their
 * own name, perp_lcp_<method>() or perp_mlcp_<method>(), which is one of the calls below; but
 * perp_lcp_lemke() of perp::core is code of its own, for firmware. */
#ifndef PERP_LCP_H
#define PERP_LCP_H

#include "perp/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** w = M z + q, 0 <= z ⟂ w >= 0 in dense arrays; a const view. */
typedef struct perp_lcp {
  int32_t n;       /**< unknowns, n >= 0                    */
  int32_t ld;      /**< column stride of M in doubles, >= n */
  const double *M; /**< n x n, column-major, M[i + ld*j]    */
  const double *q; /**< n                                   */
} perp_lcp;

/** −(M z + q) ∈ N_[l,u](z) in dense arrays, the mixed problem in box form: w = M z + q, and
 * z_i = l_i where w_i > 0, z_i = u_i where w_i < 0, between them w_i = 0; a const view.
 * Equations: l = −∞, u = ∞. Relays: both finite. */
typedef struct perp_mlcp {
  int32_t n;           /**< unknowns, n >= 0                              */
  int32_t ld;          /**< column stride of M in doubles, >= n           */
  const double *M;     /**< n x n, column-major, M[i + ld*j]              */
  const double *q;     /**< n                                             */
  const double *lower; /**< n, may hold -infinity, <= upper               */
  const double *upper; /**< n, may hold +infinity                         */
} perp_mlcp;

/** Bytes perp_lcp_solve() needs for n unknowns with this solver and these options (may be NULL);
 * 0 if n < 0, the solver does not accept an LCP of that size, or the answer overflows. Since 0.1.
 */
PERP_API size_t perp_lcp_workspace(const perp_solver *solver, int32_t n, const void *options);

/**
 * Solve an LCP by any solver that accepts complementarity and dense M.
 * @param solver   a descriptor, for example perp_solver_lemke()
 * @param problem  M and q, not modified; entries must be finite
 * @param options  the solver's own struct, NULL: defaults
 * @param[in,out] z  n: start where the method takes one; solution; on failure the last or best
 * point
 * @param[out] w   n: M z + q, may not overlap z
 * @param work     work_bytes bytes of any alignment, see perp_lcp_workspace()
 * @param[out] info  may be NULL
 * @return as perp_solver_solve(); PERP_ENOTFINITE names the entry
 * Allocates nothing; parallel calls need distinct z, w, work, info. Since 0.1. */
PERP_API perp_status perp_lcp_solve(const perp_solver *solver, const perp_lcp *problem,
                                    const void *options, double *z, double *w, void *work,
                                    size_t work_bytes, perp_info *info);

/** As perp_lcp_workspace(), for perp_mlcp_solve(). Since 0.1. */
PERP_API size_t perp_mlcp_workspace(const perp_solver *solver, int32_t n, const void *options);

/** As perp_lcp_solve(), for the box form and solvers that accept boxes.
 * @return also PERP_EINVAL for bounds with lower > upper, PERP_ENOTFINITE for bounds that are NaN
 * or have no real number between them. Since 0.1. */
PERP_API perp_status perp_mlcp_solve(const perp_solver *solver, const perp_mlcp *problem,
                                     const void *options, double *z, double *w, void *work,
                                     size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
