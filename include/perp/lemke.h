/* SPDX-License-Identifier: MIT */
/** @file lemke.h
 * Lemke's complementary pivoting for the linear complementarity problem
 * w = M z + q, 0 ≤ z ⟂ w ≥ 0. See docs/lemke.md; [CPS92] Cottle, Pang, Stone, The Linear
 * Complementarity Problem, 1992, section 4.4. */
#ifndef PERP_LEMKE_H
#define PERP_LEMKE_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of Lemke's method. */
typedef struct perp_lemke_options {
  uint32_t struct_size;   /**< set by perp_lemke_options_init()                   */
  int32_t max_iter;       /**< pivots allowed, those after a warm start, at most half of them,
                               included; 0 picks 1000 + 50 n for every beginning  */
  double tol;             /**< accepted relative residual, >= 0                   */
  perp_observer observe;  /**< called once per pivot, NULL: nobody; variables are numbered w_i: i,
                               z_i: n + i, z0: 2 n, and merit is z0               */
  void *user;             /**< handed to observe                                  */
  const char *kind;       /**< set by perp_lemke_options_init(): whose options these are */
  const double *covering; /**< covering vector d > 0, n entries; NULL: all ones   */
} perp_lemke_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_lemke_options_init(perp_lemke_options *opts, size_t size);

/** Defaults by value. */
static inline perp_lemke_options perp_lemke_options_default(void) {
  perp_lemke_options o;
  perp_lemke_options_init(&o, sizeof o);
  return o;
}

/**
 * Lemke's method as a descriptor: complementarity laws, M zero, diagonal, dense or blocks (taken
 * as dense). Lexicographic ratio test, so it cannot cycle; starts from the modes of a warm start
 * where their basis is regular, and from the beginning if that ends on a ray. Processes
 * copositive-plus M (positive semidefinite included). A ray goes to perp_info.ray; where it proves
 * that there is no solution, as for monotone problems, the status is PERP_INFEASIBLE, otherwise
 * PERP_RAY, which proves nothing.
 * Workspace 8 n (n + 8) bytes and little more. Since 0.1. */
PERP_API const perp_solver *perp_solver_lemke(void);

/** Upper bound of perp_lcp_lemke_workspace(n) as a constant expression for static arrays. */
#define PERP_LCP_LEMKE_WORKSPACE(n) (8 * (size_t)(n) * ((size_t)(n) + 8) + 512)

/** Upper bound of the workspace and warm bytes of Lemke's method in a simulation with n rows. */
#define PERP_LEMKE_BYTES(n) \
  (PERP_LCP_LEMKE_WORKSPACE(n) + 8 * (size_t)(n) * (size_t)(n) + 48 * (size_t)(n) + 256)

/** Bytes perp_lcp_lemke() needs for n unknowns; 0 if n < 0 or the answer overflows. Since 0.1. */
PERP_API size_t perp_lcp_lemke_workspace(int32_t n);

/**
 * Solve  w = M z + q,  0 <= z ⟂ w >= 0  by Lemke's method, for firmware: the same pivots as
 * perp_solver_lemke() in less code (under 8 KiB on Cortex-M7) but with n^2 operations each. Where
 * code size is no matter and n is not small, perp_lcp_solve(perp_solver_lemke(), ...) is faster.
 * @param problem  M and q, not modified
 * @param opts     NULL: defaults
 * @param[out] z,w n each, may not overlap; on failure the last basic point
 * @param work     work_bytes bytes of any alignment
 * @param[out] info  may be NULL
 * @return PERP_OK (verified), PERP_INFEASIBLE, PERP_RAY, PERP_MAX_ITER, PERP_STOPPED,
 * PERP_INACCURATE, or < 0
 * Allocates nothing, prints nothing; parallel calls need distinct z, w, work, info. Since 0.1. */
PERP_API perp_status perp_lcp_lemke(const perp_lcp *problem, const perp_lemke_options *opts,
                                    double *z, double *w, void *work, size_t work_bytes,
                                    perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
