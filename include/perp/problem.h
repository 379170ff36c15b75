/* SPDX-License-Identifier: MIT */
/** @file problem.h
 * The one-step problem  y = M λ + q,  (y_α, λ_α) ∈ law_α,  and the residual that judges it.
 *
 * Residual, block by block:  r_α = ‖λ_α − P_α(λ_α − ρ_α ŷ_α)‖ / ρ_α,  ρ_α = 1 / ‖M_·α‖_F
 * (1 if that column is 0), ŷ = shift(y); laws by component count each component as a block.
 * The residual is the largest r_α, in units of y: changing q by at most 2 Σ r_α makes the
 * projected λ exact. The relative residual divides it by ‖ |M||λ| + |q| ‖∞ (0/0 = 0), so it is a
 * backward error. Solved means: relative residual ≤ tol, and residual ≤ 10⁻² ‖ |M| λ̂ + |q| ‖∞
 * with λ̂ = |λ| on bounded sets and |P(0)| elsewhere; without the second test a huge λ of an
 * infeasible problem would pass; for the same reason that bound must not be below the rounding of
 * y, ε ‖ |M||λ| + |q| ‖∞, and of λ_α / ρ_α where the law is no interval. The cone of a large
 * coefficient of friction is nearly a half-space, from which a velocity y_n < 0 differs by y_n / μ
 * only; so 0 ≤ y_n ⟂ λ_n ≥ 0 must hold there to 10 tol ‖ |M||λ| + |q| ‖∞ besides. */
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
  perp_matrix M;               /**< n x n: zero, diagonal, dense or blocks           */
  const double *q;             /**< n                                                */
  int32_t n;                   /**< unknowns, >= 0                                   */
  int32_t n_blocks;            /**< law blocks, >= 0                                 */
  const perp_law *const *laws; /**< n_blocks pointers                                */
  const int32_t *offset;       /**< n_blocks + 1, from 0 to n; NULL: every block is one copy */
  const void *const *states;   /**< n_blocks law states (copies one after another); NULL: none */
} perp_problem;

/** Result of perp_problem_residual(). NaN in the problem or in λ shows as NaN here. */
typedef struct perp_residual {
  double residual; /**< max r_α, units of y                                  */
  double relative; /**< residual / ‖ |M||λ| + |q| ‖∞                         */
  double ceiling; /**< 10⁻² ‖ |M| λ̂ + |q| ‖∞, what residual may not exceed; -1 where that
                       is below the rounding of y, so that nothing passes */
  double natural_error; /**< ‖λ − P(λ − ŷ)‖₂ / ‖q‖₂, for comparison with the literature */
  int32_t worst;       /**< first unknown of the block with the largest r_α, -1: n = 0 */
  int32_t worst_block; /**< its law block, -1: n = 0                                 */
  double
      violation[PERP_SETS]; /**< largest r_α of the laws of each PERP_SET_..., 0: there are none */
  double
      creep; /**< largest y_tᵀλ_t / ‖λ_t‖ of a contact with friction, of y_m and λ_m too: how fast
                  it slides along its own friction force, units of y; <= 0 where all dissipate */
  double scale; /**< ‖ |M||λ| + |q| ‖∞                                               */
  double normal; /**< largest |min(y_n, λ_n / ρ_α)| of a contact with friction, units of y: what r_α
                      shows divided by μ where μ is large                            */
} perp_residual;

/**
 * Check the shape of a problem: M square n x n and well formed, q present, law blocks that cover
 * 0 ... n, laws valid. Entries of M and q are not read (NaN shows in the residual).
 * @return PERP_OK, PERP_EINVAL or what perp_law_check() says
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
 * @param[out] residual  see ::perp_residual
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
 * All sums carry a bound of their rounding error, which is counted against the proof.
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
