/* SPDX-License-Identifier: MIT */
/** @file sensitivity.h
 * How the solution of a problem with laws by component (equality, complementarity, box) moves when
 * M and q do:  M dλ + dM λ + dq = dy,  dλ = 0 or dy = 0 for each unknown. See
 * docs/running.md; Robinson, Math. Oper. Res. 5 (1980) 43-62; [CPS92] section 7.3. */
#ifndef PERP_SENSITIVITY_H
#define PERP_SENSITIVITY_H

#include "perp/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How an unknown stands at a solution. */
enum {
  PERP_SENSITIVITY_FIXED = 0, /**< at a bound with y ≠ 0, or l = u: dλ = 0                    */
  PERP_SENSITIVITY_FREE = 1,  /**< between its bounds: dy = 0                                 */
  PERP_SENSITIVITY_LOWER = 2, /**< degenerate, at l with y = 0: 0 <= dλ ⟂ dy >= 0, one-sided  */
  PERP_SENSITIVITY_UPPER = 3  /**< degenerate, at u with y = 0: 0 >= dλ ⟂ dy <= 0, one-sided  */
};

/** Options of perp_sensitivity_prepare(). */
typedef struct perp_sensitivity_options {
  uint32_t struct_size; /**< set by perp_sensitivity_options_init()                        */
  int32_t reserved;     /**< 0                                                             */
  double tol; /**< in parts of ‖ |M||λ| + |q| ‖∞: y below it is 0, λ is at a bound if
                   the difference moves y by less, and what λ may miss a solution by;
                   > 0, default 1e-8                                             */
} perp_sensitivity_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_sensitivity_options_init(perp_sensitivity_options *opts, size_t size);

/** Defaults by value. */
static inline perp_sensitivity_options perp_sensitivity_options_default(void) {
  perp_sensitivity_options o;
  perp_sensitivity_options_init(&o, sizeof o);
  return o;
}

/** A solution that is ready to be differentiated: filled by perp_sensitivity_prepare(), lives in
 * the work block given there, and reads the problem's M if that is dense. */
typedef struct perp_sensitivity {
  int32_t n;                  /**< unknowns                                               */
  int32_t n_free;             /**< PERP_SENSITIVITY_FREE ones                             */
  int32_t n_degenerate;       /**< LOWER and UPPER ones; 0: λ is differentiable here      */
  int32_t reserved;           /**< 0                                                      */
  const unsigned char *state; /**< n, PERP_SENSITIVITY_...                                */
  void *data;                 /**< the library's                                          */
} perp_sensitivity;

/** Bytes perp_sensitivity_prepare() needs for any solution of this problem; 0 if it is malformed,
 * has other laws, or the size overflows. Since 0.1. */
PERP_API size_t perp_sensitivity_workspace(const perp_problem *problem);

/** Upper bound of it for dense M with n unknowns, as a constant expression. */
#define PERP_SENSITIVITY_WORKSPACE(n) \
  (26 * (size_t)(n) * (size_t)(n) + 184 * (size_t)(n) + 640 + PERP_MARGIN(n))

/**
 * Classify the unknowns of a solution, and factorise M_FF once.
 * @param[out] s   n_free, n_degenerate and state are there to be read
 * @param problem  laws FREE, ORTHANT, BOX; M of any kind
 * @param lambda   n: a solution
 * @param opts     NULL: defaults
 * @param work     work_bytes bytes of any alignment; s needs them and, if it is dense, M
 * @param[out] info  may be NULL
 * @return PERP_OK, PERP_INACCURATE (lambda is no solution within tol), PERP_RAY (M_FF is singular:
 * the solution is not alone, or moves infinitely fast), PERP_EINVAL, PERP_EUNSUPPORTED,
 * PERP_EWORKSPACE, PERP_ENOTFINITE
 * Allocates nothing; parallel calls need distinct s and work. Since 0.1. */
PERP_API perp_status perp_sensitivity_prepare(perp_sensitivity *s, const perp_problem *problem,
                                              const double *lambda,
                                              const perp_sensitivity_options *opts, void *work,
                                              size_t work_bytes, perp_info *info);

/** load (n) := dM λ + dq, what a change of M and q does to y at a fixed λ; dM, dq: NULL for none.
 * @return PERP_OK, PERP_EINVAL. Since 0.1. */
PERP_API perp_status perp_sensitivity_load(int32_t n, const perp_matrix *dM, const double *dq,
                                           const double *lambda, double *load);

/**
 * Derivatives of λ in m directions, each given by its load dM λ + dq.
 * @param s        prepared; its scratch is used: one call at a time
 * @param m        directions, >= 0
 * @param load     n x m, column-major
 * @param[out] dlambda    n x m; may be load
 * @param[out] one_sided  m, may be NULL: 1 where the derivative holds for a step forward in this
 *                 direction only, 0 where it is linear
 * @return PERP_OK; with degenerate unknowns also what solving for them ended with (PERP_RAY,
 * PERP_MAX_ITER, PERP_INFEASIBLE, PERP_INACCURATE: no derivative was found, dlambda of this and all
 * further directions is NaN); PERP_EINVAL
 * O(k^2) for each direction, k = n_free; allocates nothing. Since 0.1. */
PERP_API perp_status perp_sensitivity_apply(const perp_sensitivity *s, int32_t m,
                                            const double *load, double *dlambda,
                                            int32_t *one_sided);

/**
 * The transposed map: load^T (result) = gradient^T dλ for every load, so that the gradient of a
 * function of λ with respect to q (and to M, as result λ^T) costs one call. Degenerate unknowns
 * are taken as fixed: then this is one element of the generalised Jacobian.
 * @param m        gradients, >= 0
 * @param gradient n x m, column-major
 * @param[out] result  n x m; may be gradient
 * @return PERP_OK, PERP_EINVAL. Since 0.1. */
PERP_API perp_status perp_sensitivity_adjoint(const perp_sensitivity *s, int32_t m,
                                              const double *gradient, double *result);

#ifdef __cplusplus
}
#endif
#endif
