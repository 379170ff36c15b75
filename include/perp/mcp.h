/* SPDX-License-Identifier: MIT */
/** @file mcp.h
 * Nonlinear mixed complementarity: find z in [l, u] with −F(z) ∈ N_[l,u](z), that is
 *   F_i(z) >= 0 where z_i = l_i,   F_i(z) = 0 where l_i < z_i < u_i,   F_i(z) <= 0 where z_i = u_i,
 * by Newton's method on the normal map with a path search. Equations have l = −∞, u = ∞.
 * See docs/theory-mcp.md; Dirkse and Ferris, Optimization Methods and Software 5 (1995) 123-156. */
#ifndef PERP_MCP_H
#define PERP_MCP_H

#include "perp/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Write F(z), n entries. Returns 0; > 0: cannot be evaluated here, take a shorter step; < 0: give
 * up. A NaN or infinity in F counts as > 0. Pure: equal z give equal F. */
typedef int32_t (*perp_mcp_function)(const double *z, double *F, void *user);

/** Write the Jacobian of F at z into values, in the layout of perp_mcp.layout. Returns as
 * ::perp_mcp_function. */
typedef int32_t (*perp_mcp_jacobian)(const double *z, double *values, void *user);

/** A mixed complementarity problem; a const view. */
typedef struct perp_mcp {
  int32_t n;                  /**< unknowns, >= 0                                        */
  int32_t reserved;           /**< 0                                                     */
  perp_mcp_function function; /**< F                                                     */
  perp_mcp_jacobian jacobian; /**< NULL: one-sided differences, n evaluations of F each  */
  perp_matrix layout;         /**< n x n, dense or compressed rows (blocks without cuts), values
                                   NULL: where jacobian puts its entries, dense column-major with
                                   stride ld; not read without jacobian                  */
  const double *lower;        /**< n, may hold -infinity, <= upper                       */
  const double *upper;        /**< n, may hold +infinity                                 */
  void *user;                 /**< handed to the callbacks                               */
} perp_mcp;

/** What perp_mcp_options.mode means. */
enum {
  PERP_MCP_PATH = 0,          /**< path from the iterate, path search, crash, restarts       */
  PERP_MCP_LEMKE = 1,         /**< every linearisation from a ray, full steps: for problems that
                                   are affine, or nearly                                     */
  PERP_MCP_JOSEPHY_NEWTON = 2 /**< path from the iterate, full steps: near a solution       */
};

/** Options of perp_mcp_solve(). */
typedef struct perp_mcp_options {
  uint32_t struct_size;  /**< set by perp_mcp_options_init()                                 */
  int32_t max_iter;      /**< major iterations (linearisations) in all; 0 picks 500          */
  double tol;            /**< accepted relative residual of the linearisation, >= 0          */
  perp_observer observe; /**< called once per major iteration, NULL: nobody; merit: norm of the
                              Fischer-Burmeister function, scaled, at the new point; entering and
                              leaving are -1                                                 */
  void *user;            /**< handed to observe                                              */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                 */
  int32_t mode;          /**< PERP_MCP_...; PATH                                             */
  int32_t max_pivots;    /**< of one path, >= 0; 0 picks 1000 + 50 n                         */
  int32_t crash;         /**< most steps of the projected Newton method before, >= 0; 10     */
  int32_t restarts;      /**< most starts after the first, 0 ... 5; 5                        */
  int32_t memory;        /**< merits a new one is compared with, 1 ... 16; 8                 */
  int32_t watchdog;      /**< Newton steps in a row that need not descend, >= 0; 3           */
  double decrease;       /**< part of a predicted descent that must come true, 0 < d < 1; 1e-4 */
} perp_mcp_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_mcp_options_init(perp_mcp_options *opts, size_t size);

/** Defaults by value. */
static inline perp_mcp_options perp_mcp_options_default(void) {
  perp_mcp_options o;
  perp_mcp_options_init(&o, sizeof o);
  return o;
}

/** Bytes perp_mcp_solve() needs, 8 n (2 n + 25) and what the entries of the Jacobian take, about; 0
 * if the problem or the options are malformed or the size overflows. Since 0.1. */
PERP_API size_t perp_mcp_workspace(const perp_mcp *problem, const perp_mcp_options *opts);

/** Upper bound of it for n unknowns and a Jacobian that is dense or taken by differences, as a
 * constant expression. */
#define PERP_MCP_WORKSPACE(n)                           \
  (24 * (size_t)(n) * (size_t)(n) + 316 * (size_t)(n) + \
   8 * (2 * (size_t)(n) + 3) * (((size_t)(n) + 63) / 64) + 128 + PERP_MARGIN(n))

/**
 * Solve a mixed complementarity problem.
 *
 * Solved means: z solves its own linearisation −(M z + q) ∈ N_[l,u](z), M = J(z), q = F(z) − M z,
 * by the residual of problem.h, relative to ‖ |M||z| + |q| ‖∞; that is the same z as for F. The
 * residuals of info are those.
 * @param problem  not modified
 * @param opts     NULL: defaults
 * @param[in,out] z  n: start (moved into [l, u]), solution; on failure the best point
 * @param[out] F   n: F(z), may not overlap z
 * @param work     work_bytes bytes of any alignment
 * @param[out] info  may be NULL; iterations counts major iterations
 * @return PERP_OK; PERP_MAX_ITER; PERP_STOPPED; PERP_RAY: no start led to a solution, which proves
 * nothing; PERP_RETRY: F or J cannot be evaluated at the start; PERP_ENOTFINITE: nor are finite
 * there, or z is not; PERP_ECALLBACK: a callback gave up; PERP_EINVAL, PERP_EWORKSPACE
 * Allocates nothing; parallel calls need distinct z, F, work, info. Since 0.1. */
PERP_API perp_status perp_mcp_solve(const perp_mcp *problem, const perp_mcp_options *opts,
                                    double *z, double *F, void *work, size_t work_bytes,
                                    perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
