/* SPDX-License-Identifier: MIT */
/** @file qp.h
 * Convex quadratic programs
 *
 *     min ½ xᵀP x + cᵀx   subject to   row_lower <= A x <= row_upper,   lower <= x <= upper,
 *
 * by any solver of mixed complementarity problems in box form, or, where P is positive definite, by
 * the dual active-set method. See docs/theory-qp.md.
 *
 * Multipliers ν of the rows and ζ of the bounds have the sign of the side on which they act:
 * P x + c = Aᵀν + ζ, with ν_k >= 0 where (A x)_k stands at its lower bound, ν_k <= 0 at the upper
 * one, 0 between; ζ likewise for x. */
#ifndef PERP_QP_H
#define PERP_QP_H

#include "perp/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A quadratic program in the caller's arrays; a const view. Equations: equal bounds. */
typedef struct perp_qp {
  int32_t n;               /**< unknowns x, >= 0                                           */
  int32_t m;               /**< rows of A, >= 0                                            */
  perp_matrix P;           /**< n x n, symmetric positive semidefinite, of any kind        */
  perp_matrix A;           /**< m x n: dense or zero; any kind where m = n; ignored if m = 0 */
  const double *c;         /**< n                                                          */
  const double *row_lower; /**< m, may hold -infinity, <= row_upper; NULL: all -infinity   */
  const double *row_upper; /**< m, may hold +infinity; NULL: all +infinity                 */
  const double *lower;     /**< n, may hold -infinity, <= upper; NULL: all -infinity       */
  const double *upper;     /**< n, may hold +infinity; NULL: all +infinity                 */
} perp_qp;

/** How far (x, ν, ζ) is from optimal, from the caller's data. NaN shows as NaN. */
typedef struct perp_qp_residual {
  uint32_t struct_size; /**< sizeof(perp_qp_residual): PERP_QP_RESIDUAL_INIT                */
  int32_t worst;        /**< row k, or m + i for x_i, of the largest relative part; -1: none */
  double primal; /**< largest violation of a row or a bound                                  */
  double dual; /**< ‖P x + c − Aᵀν − ζ‖∞, and multipliers of a side that is infinite       */
  double gap; /**< Σ |multiplier| · |distance from the side on which it acts|             */
  double relative_primal; /**< / ‖ |A||x| + |b| ‖∞ over rows and bounds, b the side on or beyond
                               which the value is, 0 between                                 */
  double relative_dual; /**< / ‖ |P||x| + |c| + |A|ᵀ|ν| + |ζ| ‖∞                           */
  double relative_gap; /**< / (|x|ᵀ|P||x| + |c|ᵀ|x| + |ν|ᵀ(|A||x| + |b|) + |ζ|ᵀ(|x| + |b|)) */
  double primal_hat; /**< ‖ |A||x̂| + |b̂| ‖∞ over rows and bounds, x̂ and b̂ the points of their
                          intervals nearest to 0; infinity if that is 0: 0 is feasible        */
  double dual_hat; /**< ‖ |P||x̂| + |c| ‖∞; if that is 0, with |x_i| for the x̂_i of bounded
                      intervals; infinity if it still is */
  double primal_rounding; /**< what the rounding of A x and the bounds may hide, for the n + m + 1
                               terms of a sum                                                */
  double dual_rounding;   /**< what it may hide of the gradient                             */
  double objective;       /**< ½ xᵀP x + cᵀx                                              */
} perp_qp_residual;

/** Initialiser: `perp_qp_residual residual = PERP_QP_RESIDUAL_INIT;` */
#define PERP_QP_RESIDUAL_INIT \
  { (uint32_t)sizeof(perp_qp_residual), -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Check a program: shapes, bounds (lower <= upper, a real number between them). Entries of P, A, c
 * are not read.
 * @return PERP_OK, PERP_EINVAL, PERP_ENOTFINITE; info (may be NULL) names the field
 * Since 0.1. */
PERP_API perp_status perp_qp_check(const perp_qp *qp, perp_info *info);

/** Bytes of perp_qp_judge() and perp_qp_certificate(); 0 if the program is malformed or the size
 * overflows. Since 0.1. */
PERP_API size_t perp_qp_judge_workspace(const perp_qp *qp);

/**
 * Judge a point and its multipliers from the caller's data, by code that no solver shares.
 * @param qp    the program
 * @param x,nu,zeta  n, m, n entries
 * @param[out] residual  see ::perp_qp_residual; its struct_size is set by the caller
 * @param work  work_bytes bytes of any alignment, see perp_qp_judge_workspace()
 * @return PERP_OK (whatever the residual is), PERP_EINVAL, PERP_ENOTFINITE, PERP_EWORKSPACE
 * Allocates nothing; parallel calls need distinct residual and work. Since 0.1. */
PERP_API perp_status perp_qp_judge(const perp_qp *qp, const double *x, const double *nu,
                                   const double *zeta, perp_qp_residual *residual, void *work,
                                   size_t work_bytes);

/** 1 if the residual means "solved" at tolerance tol: all three relative parts <= tol, and primal
 * and dual <= min(10⁻², max(10⁻⁶, 10 tol)) of their hats, which do not depend on the point, so that
 * no huge x passes for a solution of a program that has none; what rounding may hide counts as a
 * part of primal and dual there. Else 0. NaN is never solved. Since 0.1. */
PERP_API int32_t perp_qp_residual_solved(const perp_qp_residual *residual, double tol);

/**
 * What a ray of n + m entries (d, r), for example perp_info.ray, proves (Farkas):
 * r with d = 0: no x satisfies the constraints, as rᵀA x >= Σ r_k⁺ row_lower_k − r_k⁻ row_upper_k
 * is impossible within the bounds; d with r = 0: P d = 0, cᵀd < 0, and x + t d stays feasible, so
 * the objective has no least value. What rounding leaves of a wrong sign is turned into *bound:
 * any feasible x would have ‖x‖₁ >= *bound, or any optimal x and its ν ‖x‖₁ + ‖ν‖₁ >= *bound;
 * infinity if there is none for certain. Rounding errors of the sums count against the proof.
 * @return PERP_INFEASIBLE, PERP_UNBOUNDED, PERP_INACCURATE (no proof, *bound = 0), PERP_EINVAL,
 * PERP_ENOTFINITE, PERP_EWORKSPACE
 * Allocates nothing; parallel calls need distinct work. Since 0.1. */
PERP_API perp_status perp_qp_certificate(const perp_qp *qp, const double *ray, double *bound,
                                         void *work, size_t work_bytes);

/** Bytes perp_qp_solve() needs; 0 if the program is malformed, the solver does not take its
 * optimality conditions, or the size overflows. Since 0.1. */
PERP_API size_t perp_qp_workspace(const perp_solver *solver, const perp_qp *qp,
                                  const void *options);

/**
 * Solve a convex program through its optimality conditions, a mixed complementarity problem in box
 * form with the matrix [P −Aᵀ; A 0]: not symmetric, positive semidefinite. Rows with two different
 * finite bounds take one unknown more. Without rows the matrix is P itself, in the caller's
 * storage.
 * @param solver   takes dense M (without rows: the kind of P) and boxes; complementarity is enough
 *                 where x >= 0 is the only bound and no row has two
 * @param qp       not modified
 * @param options  the solver's own, NULL: defaults; tol means every relative part of
 *                 ::perp_qp_residual
 * @param[in,out] x  n: start where the solver takes one; solution; on failure its last point
 * @param[out] nu,zeta  m, n: multipliers
 * @param work     work_bytes bytes of any alignment, see perp_qp_workspace()
 * @param[out] info  may be NULL; ray, if there is room for n + m entries, as in
 *                 perp_qp_certificate()
 * @return PERP_OK (verified by perp_qp_judge(), see perp_qp_residual_solved(): never where no x is
 * feasible or the objective falls without end, by more than its tolerances), PERP_INFEASIBLE,
 * PERP_UNBOUNDED (both with a certificate that was checked; it is looked for by a method of its
 * own, whatever the solver is and however it ended), PERP_EUNSUPPORTED (P is not positive
 * semidefinite, or the solver does not take the problem), PERP_EINVAL (also: P is not symmetric),
 * PERP_ENOTFINITE, or the solver's own ending
 * Allocates nothing; parallel calls need distinct outputs and work. Since 0.1. */
PERP_API perp_status perp_qp_solve(const perp_solver *solver, const perp_qp *qp,
                                   const void *options, double *x, double *nu, double *zeta,
                                   void *work, size_t work_bytes, perp_info *info);

/** Upper bound of perp_qp_dual_workspace(n, m) as a constant expression for static arrays. */
#define PERP_QP_DUAL_WORKSPACE(n, m)                                                   \
  (8 * (3 * (size_t)(n) * (size_t)(n) + (size_t)(n) * (size_t)(m) + 16 * (size_t)(n) + \
        14 * (size_t)(m)) +                                                            \
   256 + PERP_MARGIN((size_t)(n) + (size_t)(m)))

/** Bytes perp_qp_dual() needs for n unknowns and m rows; 0 if negative or the answer overflows.
 * About 24 n² + 8 n m. Since 0.1. */
PERP_API size_t perp_qp_dual_workspace(int32_t n, int32_t m);

/**
 * Solve a program with positive definite P by the dual active-set method of Goldfarb and Idnani:
 * from the minimum without constraints, one violated constraint after the other, O(n (n + m)) a
 * step. Needs no start, knows infeasible programs by a certificate. Best for small n, or few
 * active constraints.
 * @param qp    not modified
 * @param opts  NULL: defaults; max_iter counts constraints entered or left, 0 picks
 *              100 + 10 (n + m); budget counts n (3 n + m) for each, 0 picks that of n + m
 *              unknowns; the observer is called as often, constraints are numbered as rows
 *              0 ... m-1, bounds of x_i m + i, merit is the violation of the entering one
 * @param[out] x,nu,zeta  n, m, n: minimum and multipliers; on failure the last point
 * @param work  work_bytes bytes of any alignment, see perp_qp_dual_workspace()
 * @param[out] info  may be NULL; ray as for perp_qp_solve()
 * @return PERP_OK (verified), PERP_INFEASIBLE (with a certificate that was checked),
 * PERP_INACCURATE, PERP_MAX_ITER, PERP_STOPPED, PERP_EUNSUPPORTED (P is not positive definite),
 * PERP_EINVAL (also: P is not symmetric), PERP_ENOTFINITE, PERP_EWORKSPACE
 * Allocates nothing; parallel calls need distinct outputs and work. Since 0.1. */
PERP_API perp_status perp_qp_dual(const perp_qp *qp, const perp_solver_options *opts, double *x,
                                  double *nu, double *zeta, void *work, size_t work_bytes,
                                  perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
