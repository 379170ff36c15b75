/* SPDX-License-Identifier: MIT */
/** @file avi.h
 * Affine variational inequalities over polyhedra: λ in P = {Hλ >= K} with (Mλ + q)ᵀ(λ' − λ) >= 0
 * for every λ' in P, alone or in one problem with laws by component. See docs/avi.md. */
#ifndef PERP_AVI_H
#define PERP_AVI_H

#include "perp/box_pivoting.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of the method for polyhedra. */
typedef struct perp_avi_pivoting_options {
  uint32_t struct_size;  /**< set by perp_avi_pivoting_options_init()                  */
  int32_t max_iter;      /**< iterations of the engine; 0: its own rule                */
  double tol;            /**< accepted relative residual, >= 0                         */
  perp_observer observe; /**< called by the engine, NULL: nobody; its unknowns are λ, then
                              the multipliers of the rows                              */
  void *user;            /**< handed to observe                                        */
  const char *kind;      /**< set by perp_avi_pivoting_options_init(): whose options these are */
  const perp_solver *engine; /**< solver of the box form: any that takes boxes and dense M that
                                  is not symmetric; NULL: perp_solver_box_pivoting()       */
} perp_avi_pivoting_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_avi_pivoting_options_init(perp_avi_pivoting_options *opts, size_t size);

/** Defaults by value. */
static inline perp_avi_pivoting_options perp_avi_pivoting_options_default(void) {
  perp_avi_pivoting_options o;
  perp_avi_pivoting_options_init(&o, sizeof o);
  return o;
}

/**
 * Pivoting over polyhedra as a descriptor: laws of polyhedra, mixed with equality, complementarity
 * and boxes; M zero, diagonal, dense or blocks (taken as dense). Every row of H becomes an unknown
 * μ >= 0 (two opposite rows one without sign), every λ of a polyhedron free; that problem in box
 * form goes to the engine. Sure for monotone problems, singular M included, but for those whose
 * solutions are all so large that no residual can tell (problem.h). Judged by the projection on the
 * polyhedra. λ = 0 is the answer where it solves.
 * @return in solve: PERP_OK (verified); PERP_INFEASIBLE: the engine proved that there is no
 * solution; where info has room for n + constraints entries (perp_shape), the ray holds the proof:
 * a direction in λ, then in μ row by row, and info.bound and the amplification are those of λ and μ
 * together; else the engine's ending.
 * Workspace 8 N² bytes and the engine's for N = n + rows. Since 0.1. */
PERP_API const perp_solver *perp_solver_avi_pivoting(void);

/** Upper bound of its workspace for n unknowns and m rows of polyhedra, with the default engine, as
 * a constant expression; in a simulation with n rows, too. */
#define PERP_AVI_PIVOTING_WORKSPACE(n, m)                              \
  (8 * ((size_t)(n) + (size_t)(m)) * ((size_t)(n) + (size_t)(m) + 8) + \
   PERP_BOX_PIVOTING_WORKSPACE((size_t)(n) + (size_t)(m)) + 128)

/** An affine variational inequality in dense arrays; a const view. */
typedef struct perp_avi {
  int32_t n;       /**< unknowns, n >= 0                    */
  int32_t ldM;     /**< column stride of M in doubles, >= n */
  const double *M; /**< n x n, column-major, M[i + ldM*j]   */
  const double *q; /**< n                                   */
  int32_t m;       /**< rows of H, m >= 0                   */
  int32_t ldH;     /**< column stride of H in doubles, >= m */
  const double *H; /**< m x n, column-major, H[k + ldH*j]   */
  const double *K; /**< m                                   */
} perp_avi;

/** Bytes perp_avi_pivoting() needs for n unknowns and m rows with these options (may be NULL); 0 if
 * n or m < 0 or the answer overflows. Since 0.1. */
PERP_API size_t perp_avi_pivoting_workspace(int32_t n, int32_t m,
                                            const perp_avi_pivoting_options *opts);

/**
 * Solve  −(M z + q) ∈ N_P(z),  P = {Hz >= K}.
 * @param problem  not modified; entries must be finite
 * @param opts     NULL: defaults
 * @param[in,out] z  n: start where the engine takes one; solution; on failure the last point
 * @param[out] w   n: M z + q, may not overlap z
 * @param work     work_bytes bytes of any alignment
 * @param[out] info  may be NULL
 * @return see perp_solver_avi_pivoting(), or < 0
 * Allocates nothing, prints nothing; parallel calls need distinct z, w, work, info. Since 0.1. */
PERP_API perp_status perp_avi_pivoting(const perp_avi *problem,
                                       const perp_avi_pivoting_options *opts, double *z, double *w,
                                       void *work, size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
