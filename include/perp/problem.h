/* SPDX-License-Identifier: MIT */
/** @file problem.h
 * The one-step problem  y = M λ + q,  (y_α, λ_α) ∈ law_α,  and the residual that judges it.
 *
 * **Residual**, block by block, in units of y. With the norms of the block's columns of M
 * c_α = ‖M_·α‖_F (1 if that is 0) a component with the interval [l, u] has
 *
 *     r = |median(c (λ − u), y, c (λ − l))|,      for 0 ≤ y ⟂ λ ≥ 0:   r = |min(y, c λ)|,
 *
 * a contact with friction has a normal part and one for each of its tangential groups (sliding,
 * rolling), judged apart, so that a large μ cannot hide a penetration,
 *
 *     r_n = |min(y_n, c λ_n)|,   r_t = ‖c λ_t − P_B(c λ_t − y_t)‖,   B the ball of radius μ c λ_n⁺,
 *
 * and every other law r = c ‖λ − P(λ − ŷ / c)‖ with ŷ = shift(y). The residual r is the largest of
 * these; changing q by at most 2 Σ r makes a projected λ exact. It is held against two sizes:
 *
 *     scale = ‖ |M||λ| + |q| ‖∞,   hat = ‖ |M| λ̂ + |q| ‖∞,
 *
 * λ̂ = |λ| on bounded sets and |P(0)| elsewhere, 0 at contacts. The relative residual r / scale (0/0
 * = 0) is a backward error; hat is the size of the problem itself, which no λ can raise by running
 * away, and A = scale / hat, the **amplification**, tells how far λ did.
 *
 * **Solved** means  r ≤ tol · scale  **and**  r ≤ a(tol) · hat,  a = min(10⁻², max(10⁻⁶, 10 tol)).
 * y is computed in twice the precision where its rounding, (n + 1) ε scale, would matter beside the
 * second bound; what rounding is left counts as a part of r in that test, so that y = 0 is never
 * just q lost in rounding.
 *
 * **Rows of different units**: all of the above is meant of the problem in the variables
 * weight[i] y_i and λ_i / weight[i], whose M has the entries weight[i] M_ij weight[j]. A law's
 * parts count with the weight of their first row. floor[i] is an absolute tolerance in units of
 * y_i, below which the part that begins at row i passes; it then counts as 0. Time-stepping weighs
 * the rows of symmetric positive semidefinite M by the power of two next to 1/√M_ii, and
 * projections set floor to half of their tolerance. */
#ifndef PERP_PROBLEM_H
#define PERP_PROBLEM_H

#include "perp/law.h"
#include "perp/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One-step problem, a const view of the caller's arrays.
 * Law block β covers the unknowns offset[β] ... offset[β+1]-1, as many copies of laws[β] as fit;
 * its length is a multiple of laws[β]->size. Blocks of laws are independent of the blocks in
 * which M is stored.
 */
typedef struct perp_problem {
  uint32_t struct_size;        /**< sizeof(perp_problem), see #PERP_PROBLEM_INIT     */
  int32_t n;                   /**< unknowns, >= 0                                   */
  int32_t n_blocks;            /**< law blocks, >= 0                                 */
  int32_t reserved;            /**< 0                                                */
  perp_matrix M;               /**< n x n: zero, diagonal, dense or blocks           */
  const double *q;             /**< n                                                */
  const perp_law *const *laws; /**< n_blocks pointers                                */
  const int32_t *offset;       /**< n_blocks + 1, from 0 to n; NULL: every block is one copy */
  const void *const *states;   /**< n_blocks law states (copies one after another); NULL: none */
  const double *weight;        /**< n, > 0 and finite; NULL: all 1                   */
  const double *floor;         /**< n, >= 0, in units of y; NULL: all 0              */
} perp_problem;

/** Initialiser of an empty problem: `perp_problem p = PERP_PROBLEM_INIT;` */
#define PERP_PROBLEM_INIT                                                                        \
  {                                                                                              \
    (uint32_t)sizeof(perp_problem), 0, 0, 0, {PERP_ZERO, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL}, \
        NULL, NULL, NULL, NULL, NULL, NULL                                                       \
  }

/** The problem of M, q and n_blocks laws, without states, weights and floors. */
static inline perp_problem perp_problem_of(perp_matrix M, const double *q, int32_t n_blocks,
                                           const perp_law *const *laws, const int32_t *offset) {
  perp_problem p = PERP_PROBLEM_INIT;
  p.n = M.rows;
  p.n_blocks = n_blocks;
  p.M = M;
  p.q = q;
  p.laws = laws;
  p.offset = offset;
  return p;
}

/** Result of perp_problem_residual(). NaN in the problem or in λ shows as NaN here. */
typedef struct perp_residual {
  uint32_t struct_size; /**< sizeof(perp_residual) of the caller, see #PERP_RESIDUAL_INIT */
  int32_t worst;        /**< first unknown of the part with the largest r, -1: n = 0 */
  int32_t worst_block;  /**< its law block, -1: n = 0                                 */
  int32_t reserved;     /**< 0                                                        */
  double residual;      /**< r, units of y                                            */
  double relative;      /**< r / scale                                                */
  double scale;         /**< ‖ |M||λ| + |q| ‖∞                                        */
  double hat;           /**< ‖ |M| λ̂ + |q| ‖∞                                         */
  double rounding;      /**< what rounding may have done to r and was not made up for  */
  double natural_error; /**< ‖λ − P(λ − ŷ)‖₂ / ‖q‖₂, for comparison with the literature */
  double componentwise; /**< max r / (|M||λ| + |q|)_i over the parts, i their first row, 0/0 = 0:
                             the componentwise backward error; reported, not required  */
  double creep; /**< largest y_tᵀλ_t / ‖λ_t‖ of a contact with friction, of y_m and λ_m
                     too: how fast it slides along its own friction force, units of y;
                     <= 0 where all dissipate                                   */
  double violation[PERP_SETS]; /**< largest r of the laws of each PERP_SET_..., 0: there are none */
} perp_residual;

/** Initialiser: `perp_residual r = PERP_RESIDUAL_INIT;` */
#define PERP_RESIDUAL_INIT                                                                      \
  {                                                                                             \
    (uint32_t)sizeof(perp_residual), -1, -1, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, { 0.0 } \
  }

/**
 * Check the shape of a problem: M square n x n and well formed, q present, law blocks that cover
 * 0 ... n, laws valid, weights > 0 and floors >= 0. Entries of M and q are not read (NaN shows in
 * the residual).
 * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE (a weight, a floor) or what perp_law_check() says
 * Since 0.1. */
PERP_API perp_status perp_problem_check(const perp_problem *problem, perp_info *info);

/** Bytes perp_problem_residual() needs; 0 if the problem is malformed or the size overflows.
 * Since 0.1. */
PERP_API size_t perp_problem_residual_workspace(const perp_problem *problem);

/**
 * y := M λ + q and the residual of (y, λ), from the caller's data alone.
 * @param problem  the problem
 * @param lambda   n
 * @param[out] y   n, may not overlap lambda
 * @param[in,out] residual  struct_size set by the caller; see ::perp_residual
 * @param work     work_bytes bytes of any alignment, see perp_problem_residual_workspace()
 * @return PERP_OK (whatever the residual is), PERP_EINVAL, PERP_EWORKSPACE
 * Allocates nothing; parallel calls need distinct y, residual, work. Since 0.1. */
PERP_API perp_status perp_problem_residual(const perp_problem *problem, const double *lambda,
                                           double *y, perp_residual *residual, void *work,
                                           size_t work_bytes);

/**
 * Whether u proves that a problem has no solution (Farkas). With C the recession cone of
 * K (u_i = 0 where both bounds are finite, >= 0 where only the lower one is, <= 0 where only the
 * upper one is): u ∈ C gives uᵀ y >= 0 at a solution, so there is none if uᵀ(M λ + q) < 0 for every
 * λ ∈ K. Where λ_i may grow without bound that needs a sign of (Mᵀu)_i, 0 if λ_i is free; what
 * rounding, here or in u, leaves of the wrong sign, w_i, is turned into a bound: every solution
 * would have Σ w_i |λ_i| >= c for the c > 0 by which the rest is negative, so ‖λ‖₁ >= c / max w_i.
 * At contacts with friction or rolling u_n >= 0 and the rest of u is 0, as y_n >= 0 at a solution;
 * with s = Mᵀu, s_n + μ ‖s_t‖ + μ_r ‖s_m‖ <= 0 is the sign that is needed.
 * All sums carry a bound of their rounding error, which is counted against the proof; numbers of
 * any size count, and the answer does not depend on how M is stored. A finite bound alone is less
 * than what PERP_INFEASIBLE says, which asks for an amplification of 2³⁰ besides.
 * @param problem  laws FREE, ORTHANT, BOX, CONE, ROLLING; M of any kind
 * @param u        n entries in C exactly, for example perp_info.ray
 * @param[out] bound  least ‖λ‖₁ a solution could have, infinity if there is none for certain; 0 if
 * u proves nothing
 * @param work     work_bytes bytes of any alignment, see perp_problem_residual_workspace()
 * @return PERP_OK (u is a proof; believe it if *bound is beyond what the problem may mean),
 * PERP_INACCURATE (it is none; NaN and infinity prove nothing), PERP_EINVAL, PERP_EUNSUPPORTED,
 * PERP_EWORKSPACE, or what perp_problem_check() says
 * Allocates nothing; parallel calls need distinct work. Since 0.1. */
PERP_API perp_status perp_problem_certificate(const perp_problem *problem, const double *u,
                                              double *bound, void *work, size_t work_bytes);

/** 1 if the residual means "solved" at tolerance tol, else 0; NaN is never solved. Since 0.1. */
PERP_API int32_t perp_residual_solved(const perp_residual *residual, double tol);

#ifdef __cplusplus
}
#endif
#endif
