/* SPDX-License-Identifier: MIT */
/** @file admm.h
 * Alternating direction method of multipliers (Douglas–Rachford splitting) for friction: laws by
 * component, Coulomb friction and rolling, in the plane and in space, in one problem. One factor of
 * M + ρI serves many iterations, each a solution with it and a projection; Anderson's acceleration
 * makes them few. See docs/theory-qp.md; Lions and Mercier, SIAM J. Numer. Anal. 16 (1979) 964-979;
 * Acary, Brémond and Huber, in Advanced Topics in Nonsmooth Dynamics (2018), ch. 10. */
#ifndef PERP_ADMM_H
#define PERP_ADMM_H

#include "perp/global.h"
#include "perp/lcp.h"
#include "perp/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of ADMM. */
typedef struct perp_admm_options {
  uint32_t struct_size;  /**< set by perp_admm_options_init()                                   */
  int32_t max_iter;      /**< iterations allowed; 0 picks 2000                                  */
  double tol;            /**< accepted relative residual, >= 0                                  */
  perp_observer observe; /**< called once per iteration, NULL: nobody; merit: largest
                              (1 + ρ) ‖r − z‖ of a contact, in units of y                       */
  void *user;            /**< handed to observe                                                 */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                    */
  const char *kind;      /**< set by perp_admm_options_init(): whose options these are */
  double rho;            /**< first ρ, > 0, in units of the mean diagonal entry of each contact;
                              default 0.3                                                       */
  double relaxation;     /**< 0 < relaxation < 2; 1 (default): none                             */
  int32_t memory;        /**< steps that the acceleration remembers, 0 (none) ... 30; default 10 */
  int32_t updates; /**< times ρ may be changed and M + ρI factorised anew, >= 0; default 20 */
  int32_t outer;   /**< 0 (default): De Saxcé's term follows every iterate; 1: it is kept until the
                        convex problem that it makes is solved to a tenth, and so on               */
  int32_t reserved;          /**< 0 */
  const perp_sparse *sparse; /**< factorises block rows and compressed rows with a long envelope;
                                  NULL (default): nobody, these take memory and time         */
} perp_admm_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_admm_options_init(perp_admm_options *opts, size_t size);

/** Defaults by value. */
static inline perp_admm_options perp_admm_options_default(void) {
  perp_admm_options o;
  perp_admm_options_init(&o, sizeof o);
  return o;
}

/**
 * ADMM as a descriptor: equality, complementarity, box, friction and rolling laws, M in any kind of
 * storage. Starts from lambda. Sure to converge for symmetric positive semidefinite M with convex
 * laws (by component, or μ = 0); with friction it converges where that problem is not too far from
 * a convex one, which is nearly always. A dense M may be of any kind. Of a sparse one the
 * symmetric part is factorised and the rest of it is carried along, which suits matrices that are
 * symmetric up to a few digits; options.sparse may be a back end for any matrix.
 * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE (M + ρI cannot
 * be factorised for any ρ tried, or the iteration stands still without a solution),
 * PERP_EUNSUPPORTED (block rows or compressed rows that store entries on one side of the diagonal
 * only, without options.sparse), PERP_EBACKEND (options.sparse failed); unless solved or stopped,
 * lambda is the best point met. Since 0.1. */
PERP_API const perp_solver *perp_solver_admm(void);

/** Upper bound of its workspace for dense M with n unknowns and so many contacts (components, of
 * laws by component), with the default memory and without a sparse back end, as a constant
 * expression. */
#define PERP_ADMM_WORKSPACE(n, contacts) \
  (8 * (size_t)(n) * ((size_t)(n) + 39) + 48 * (size_t)(contacts) + 1792 + PERP_MARGIN(n))

/** Upper bound in a simulation with n rows. */
#define PERP_ADMM_BYTES(n) (14 * (size_t)(n) * ((size_t)(n) + 33) + 1792 + PERP_MARGIN(n))

/** Bytes perp_global_admm() needs; 0 if the problem is malformed or not accepted, the options are
 * wrong, or it overflows. Reads which entries of a dense H are 0. Since 0.1. */
PERP_API size_t perp_global_admm_workspace(const perp_global_problem *problem,
                                           const perp_admm_options *options);

/**
 * ADMM on a problem in global form, without condensation: M + HᵀH / ρ is factorised, W never
 * formed. For large sparse M and many reactions that all velocities share, as on deformable bodies.
 * @param problem  M symmetric positive definite in any storage; laws by component, friction,
 * rolling
 * @param options  NULL: defaults; options.sparse factorises whatever M is stored as, without it M
 * is taken as dense
 * @param[in,out] v  m: start; solution; on failure the best point
 * @param[in,out] r  n: start; solution; on failure the best point
 * @param[out] u   n: H v + b; v, r and u may not overlap
 * @param work     work_bytes bytes of any alignment, see perp_global_admm_workspace()
 * @param[out] info  may be NULL; residual is that of contact, relative_residual the larger one of
 * contact and equilibrium
 * @return PERP_OK only if perp_global_solved() says so; PERP_MAX_ITER, PERP_STOPPED,
 * PERP_INACCURATE, PERP_EINVAL (field "M": M + HᵀH / ρ is not positive definite), PERP_EUNSUPPORTED
 * (M is not symmetric; laws), PERP_ENOTFINITE, PERP_EWORKSPACE, PERP_EBACKEND
 * Allocates nothing without a sparse back end; parallel calls need distinct v, r, u, work, info.
 * Since 0.1. */
PERP_API perp_status perp_global_admm(const perp_global_problem *problem,
                                      const perp_admm_options *options, double *v, double *r,
                                      double *u, void *work, size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
