/* SPDX-License-Identifier: MIT */
/** @file global.h
 * Problems in global form: the equations of motion stand beside the laws,
 *
 *   M v = q + Hᵀ r,   u = H v + b,   (u_α, r_α) ∈ law_α,
 *
 * v (m) velocities, r (n) reactions, u (n) relative velocities. With v eliminated it is the
 * one-step problem  u = W r + (H M⁻¹ q + b),  W = H M⁻¹ Hᵀ,  of which r is λ and u is y. See
 * docs/theory-one-step.md.
 *
 * Residual. Let s = |M||v| + |q| + |Hᵀ||r|, and D the diagonal matrix of |M_jj| (where that is 0
 * the sum of |M_jk| over k, where that is 0 too 1).
 *
 * Equilibrium:  e = ‖M v − q − Hᵀ r‖∞, in units of q; relative to ‖s‖∞.
 *
 * Contact:  c = the residual of problem.h, in units of u, with c_α = ‖H_α D⁻¹ H_αᵀ‖_F (1 if that
 * is 0); relative to ‖ |H| D⁻¹ s + |b| ‖∞. Laws and weights as there.
 *
 * D⁻¹ s is what the terms of the equations amount to as velocities, so the second scale is the size
 * of the terms that u is the sum of, also where v = 0 is what is left of them. For M = D it is that
 * of problem.h but for |H| D⁻¹ |Hᵀ| in place of |W|. Solved means: both relative residuals ≤ tol,
 * and against an r that runs away e ≤ a ‖k‖∞ and c ≤ a hat, hat = ‖ |H| D⁻¹ k + |b| ‖∞, with
 * k = |M||v| + |q| + |Hᵀ| r̂, where r̂ = |r| on bounded sets and |P(0)| elsewhere, and
 * a = min(10⁻², max(10⁻⁶, 10 tol)). */
#ifndef PERP_GLOBAL_H
#define PERP_GLOBAL_H

#include "perp/solver.h"
#include "perp/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A problem in global form, a const view of the caller's arrays. Laws as in ::perp_problem. */
typedef struct perp_global_problem {
  uint32_t struct_size;        /**< sizeof(perp_global_problem), see #PERP_GLOBAL_PROBLEM_INIT */
  int32_t m;                   /**< velocities, >= 0                                    */
  int32_t n;                   /**< reactions, >= 0                                     */
  int32_t n_blocks;            /**< law blocks, >= 0                                    */
  perp_matrix M;               /**< m x m, regular: diagonal, dense or blocks           */
  perp_matrix H;               /**< n x m: zero, dense or compressed rows               */
  const double *q;             /**< m                                                   */
  const double *b;             /**< n                                                   */
  const perp_law *const *laws; /**< n_blocks pointers                                   */
  const int32_t *offset;       /**< n_blocks + 1, from 0 to n; NULL: every block is one copy */
  const void *const *states;   /**< n_blocks law states; NULL: none                     */
  const double *weight;        /**< n, of the rows of u, as in ::perp_problem; NULL: all 1 */
  const double *floor;         /**< n, in units of u, as in ::perp_problem; NULL: all 0 */
} perp_global_problem;

/** Initialiser of an empty problem: `perp_global_problem g = PERP_GLOBAL_PROBLEM_INIT;` */
#define PERP_GLOBAL_PROBLEM_INIT                                                                \
  {                                                                                             \
    (uint32_t)sizeof(perp_global_problem), 0, 0, 0,                                             \
        {PERP_ZERO, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL},                                     \
        {PERP_ZERO, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL}, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL                                                                                    \
  }

/** How far (v, r) is from a solution. NaN in the problem or in the point shows as NaN here. */
typedef struct perp_global_parts {
  uint32_t struct_size; /**< sizeof(perp_global_parts) of the caller, see #PERP_GLOBAL_PARTS_INIT */
  int32_t worst_row;    /**< row of M with the largest e, -1: m = 0                      */
  double equilibrium;   /**< e, units of q                                               */
  double equilibrium_relative; /**< e / ‖s‖∞ (0/0 = 0)                                           */
  double equilibrium_hat;      /**< ‖k‖∞                                                   */
  double relative;             /**< the larger one of both relative residuals: a backward error */
  perp_residual contact; /**< c and what belongs to it; its natural_error is that of the literature,
                              in 2-norms
                              sqrt(‖M v − q − Hᵀ r‖² + ‖r − P(r − û)‖²) / sqrt(‖q‖² + ‖b‖²) */
} perp_global_parts;

/** Initialiser: `perp_global_parts p = PERP_GLOBAL_PARTS_INIT;` */
#define PERP_GLOBAL_PARTS_INIT \
  { (uint32_t)sizeof(perp_global_parts), -1, 0.0, 0.0, 0.0, 0.0, PERP_RESIDUAL_INIT }

/**
 * Check the shape of a problem: M square m x m, H n x m, both well formed, q and b present, laws as
 * perp_problem_check() wants them. Entries are not read.
 * @return PERP_OK, PERP_EINVAL or what perp_law_check() says
 * Since 0.1. */
PERP_API perp_status perp_global_check(const perp_global_problem *problem, perp_info *info);

/** Bytes perp_global_residual() needs; 0 if the problem is malformed or the size overflows.
 * Since 0.1. */
PERP_API size_t perp_global_residual_workspace(const perp_global_problem *problem);

/**
 * u := H v + b and the residual of (v, r), from the caller's data alone; no factor of M is needed.
 * @param problem  the problem
 * @param v        m
 * @param r        n
 * @param[out] u   n, may not overlap v or r
 * @param[out] parts  see ::perp_global_parts
 * @param work     work_bytes bytes of any alignment, see perp_global_residual_workspace()
 * @return PERP_OK (whatever the residual is), PERP_EINVAL, PERP_EWORKSPACE
 * Allocates nothing; parallel calls need distinct u, parts, work. Since 0.1. */
PERP_API perp_status perp_global_residual(const perp_global_problem *problem, const double *v,
                                          const double *r, double *u, perp_global_parts *parts,
                                          void *work, size_t work_bytes);

/** 1 if the parts mean "solved" at tolerance tol, else 0; NaN is never solved. Since 0.1. */
PERP_API int32_t perp_global_solved(const perp_global_parts *parts, double tol);

/** Options of perp_global_solve(). */
typedef struct perp_global_options {
  uint32_t struct_size;       /**< set by perp_global_options_init()                            */
  int32_t max_iter;           /**< iterations of the solver; 0: its own rule                    */
  double tol;                 /**< accepted relative residual, of the condensed problem too     */
  perp_observer observe;      /**< called once per iteration of the solver, NULL: nobody        */
  void *user;                 /**< handed to observe                                            */
  double budget;              /**< multiply-adds allowed, 0: perp_solver_budget()               */
  const perp_solver *solver;  /**< of the condensed problem; it has to be named             */
  const void *solver_options; /**< its own struct, whose max_iter, tol, observe and user are used in
                                   place of those above; NULL: its defaults with those above */
  const perp_sparse *sparse;  /**< for large components of M, which have to be symmetric positive
                                   definite if it says so; NULL: own kernels, which allocate
                                   nothing and take them as dense                            */
} perp_global_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_global_options_init(perp_global_options *opts, size_t size);

/** Defaults by value. */
static inline perp_global_options perp_global_options_default(void) {
  perp_global_options o;
  perp_global_options_init(&o, sizeof o);
  return o;
}

/** The two ways to solve a problem in global form, see perp_global_form(). */
enum {
  PERP_GLOBAL_CONDENSED = 1, /**< v is eliminated: perp_global_solve()                     */
  PERP_GLOBAL_FULL =
      2 /**< M is kept: perp_global_admm(), of admm.h, for symmetric positive definite M */
};

/** Bytes of scratch that perp_global_workspace() needs to count what the problem couples; 0 if the
 * problem is malformed or the size overflows. Since 0.1. */
PERP_API size_t perp_global_scratch(const perp_global_problem *problem);

/**
 * Bytes perp_global_solve() needs: a symbolic pass over M and H counts the blocks of W.
 * @param problem  the problem; entries are read only for whether they are 0
 * @param options  as for the solve
 * @param scratch  scratch_bytes bytes of any alignment, see perp_global_scratch()
 * @return bytes; 0 if the solver does not accept the problem, the options are wrong, the scratch is
 * too small, or the size overflows
 * Since 0.1. */
PERP_API size_t perp_global_workspace(const perp_global_problem *problem,
                                      const perp_global_options *options, void *scratch,
                                      size_t scratch_bytes);

/**
 * Which way suits a problem, by a count of multiplications: to form W takes a solve with M for
 * every row of H, and a solver passes over W some hundred times; without W every iteration is a
 * solve with M + Hᵀ H. Factors are counted as those of a sparse matrix that is dissected
 * well. Condensed where no component of M has 100 velocities.
 * @param problem  the problem; entries are read only for whether they are 0
 * @param scratch  scratch_bytes bytes of any alignment, see perp_global_scratch()
 * @return PERP_GLOBAL_CONDENSED or PERP_GLOBAL_FULL; 0 if the problem is malformed or the scratch
 * too small
 * Since 0.1. */
PERP_API int32_t perp_global_form(const perp_global_problem *problem, void *scratch,
                                  size_t scratch_bytes);

/**
 * Solve a problem in global form by condensation and verify the answer: the connected components of
 * M (bodies) are factorised one by one, W gets one block for each pair of law copies that share a
 * component, the named solver solves the condensed problem, v follows from r.
 * @param problem  checked first, not modified; M regular, not necessarily symmetric or definite
 * @param options  NULL is refused, as a solver has to be named
 * @param[out] v   m
 * @param[in,out] r  n: start where the solver takes one; solution; on failure the last or best
 * point
 * @param[out] u   n: H v + b; v, r and u may not overlap
 * @param warm     of the solver, may be NULL; see perp_solver_warm_bytes() of the condensed problem
 * @param work     work_bytes bytes of any alignment, see perp_global_workspace()
 * @param[out] info  may be NULL: of the solver; residual is that of contact, relative_residual the
 *                 larger one of contact, equilibrium and the condensed problem
 * @return PERP_OK only if perp_global_solved() of the recomputed residual says so, and the solver's
 * own verdict on the condensed problem does; PERP_EINVAL with field "M" and the first row of a
 * component that is singular; otherwise as perp_solver_solve()
 * Allocates nothing without a sparse back end, prints nothing; parallel calls need distinct v, r,
 * u, warm, work, info. Since 0.1. */
PERP_API perp_status perp_global_solve(const perp_global_problem *problem,
                                       const perp_global_options *options, double *v, double *r,
                                       double *u, perp_warm *warm, void *work, size_t work_bytes,
                                       perp_info *info);

/**
 * Bytes perp_global_condense() needs, after a symbolic pass as in perp_global_workspace(); 0 if the
 * problem is malformed, the scratch too small or the size overflows. Since 0.1. */
PERP_API size_t perp_global_condense_workspace(const perp_global_problem *problem,
                                               const perp_sparse *sparse, void *scratch,
                                               size_t scratch_bytes);

/**
 * Eliminate v: the one-step problem u = W r + (H M⁻¹ q + b), for whoever wants to solve it as one.
 * @param problem  as for perp_global_solve()
 * @param sparse   back end for large components of M, NULL: none
 * @param[in,out] condensed  struct_size set by the caller: #PERP_PROBLEM_INIT; a view of work and
 * of the problem's laws: both have to stay
 * @param work     work_bytes bytes of any alignment, see perp_global_condense_workspace()
 * @param[out] info  may be NULL
 * @return PERP_OK, PERP_EINVAL (of a singular M too, see there), PERP_ENOTFINITE, PERP_EWORKSPACE,
 * PERP_EUNSUPPORTED (W cannot be stored; a back end for symmetric matrices and a component of M
 * that is not), PERP_EBACKEND Since 0.1. */
PERP_API perp_status perp_global_condense(const perp_global_problem *problem,
                                          const perp_sparse *sparse, perp_problem *condensed,
                                          void *work, size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
