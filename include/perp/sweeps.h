/* SPDX-License-Identifier: MIT */
/** @file sweeps.h
 * Solvers that need products with M or its rows alone: projected and nonsmooth Gauss–Seidel, and
 * the conjugate projected gradient. */
#ifndef PERP_SWEEPS_H
#define PERP_SWEEPS_H

#include "perp/lcp.h"
#include "perp/parallel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- gauss seidel ---------------------------------------------------------------------------- */

/* Projected Gauss–Seidel and successive over-relaxation for one-step problems with laws by
 * component, −(M λ + q) ∈ N_[l,u](λ), with and without a proximal regularisation.
 * See docs/theory-lcp.md; Cryer, SIAM J. Control 9 (1971) 385-392; Mangasarian, J. Optim. Theory
 * Appl. 22 (1977) 465-485. */

/** Options of projected Gauss–Seidel. */
typedef struct perp_pgs_options {
  uint32_t struct_size;  /**< set by perp_pgs_options_init()                         */
  int32_t max_iter;      /**< sweeps allowed; 0 picks 2000 + 50 n                             */
  double tol;            /**< accepted relative residual, >= 0                                */
  perp_observer observe; /**< called once per sweep, NULL: nobody; merit: largest change of an
                              unknown times its diagonal entry, in units of y                 */
  void *user;            /**< handed to observe                                               */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                  */
  const char *kind;      /**< set by perp_pgs_options_init(): whose options these are */
  double omega;          /**< relaxation, 0 < omega < 2; 1 is Gauss–Seidel                    */
  double regularisation; /**< ρ / max |M_ii| of the proximal loop, >= 0; 0: no such loop      */
  int32_t symmetric;     /**< other than 0: every second sweep goes backward                  */
  int32_t check;         /**< sweeps between two looks at the residual, >= 1                  */
} perp_pgs_options;

/** Fill opts with the defaults (omega 1, no regularisation, forward sweeps, a look at the residual
 * every 5 of them); size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_pgs_options_init(perp_pgs_options *opts, size_t size);

/** Defaults by value. */
static inline perp_pgs_options perp_pgs_options_default(void) {
  perp_pgs_options o;
  perp_pgs_options_init(&o, sizeof o);
  return o;
}

/**
 * Projected Gauss–Seidel as a descriptor: equality, complementarity and box laws, M in any kind of
 * storage; a sweep reads M once, so it is linear in the stored entries. Starts from lambda. Sure to
 * converge for symmetric positive definite M, and for others that are diagonally dominant; where a
 * diagonal entry is not positive (ρ added) its unknown takes a step of another length. With
 * regularisation the answer is that of the given problem, not of M + ρI.
 * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INFEASIBLE (a row of M is
 * zero, and its unknown has no bound to rest at), PERP_INACCURATE (it diverges, or it stands still
 * without a solution); unless solved or stopped, lambda is the best point met. Since 0.1. */
PERP_API const perp_solver *perp_solver_pgs(void);

/** Upper bound of the workspace for n unknowns, as a constant expression. */
#define PERP_PGS_WORKSPACE(n) (128 * (size_t)(n) + 128 + PERP_MARGIN(n))

/** Upper bound in a simulation with n rows. */
#define PERP_PGS_BYTES(n) PERP_PGS_WORKSPACE(n)

/* --- nsgs ------------------------------------------------------------------------------------ */

/* Nonsmooth Gauss–Seidel for one-step problems with contacts: one contact after the other is solved
 * exactly, with the others as they are. Friction and rolling friction in the plane and in space,
 * laws by component, and any law with a projection, all in one problem.
 * See docs/theory-friction.md; Jourdan, Alart and Jean, Comput. Methods Appl. Mech. Eng. 155 (1998)
 * 31-47; Jean, ibid. 177 (1999) 235-257. */

/** In which order a sweep goes through the contacts: perp_nsgs_options.order. */
enum {
  PERP_NSGS_FORWARD = 0,   /**< as they stand in the problem                              */
  PERP_NSGS_SYMMETRIC = 1, /**< forward and backward in turn                              */
  PERP_NSGS_SHUFFLED = 2   /**< another order every sweep, the same ones in every solve   */
};

/** What is made of the last sweeps: perp_nsgs_options.acceleration. A point that it gives and from
 * which the next sweep moves more than twice as far as the best one since the last plain sweep is
 * thrown away (momentum: farther at all). */
enum {
  PERP_NSGS_PLAIN = 0,    /**< nothing                                          */
  PERP_NSGS_ANDERSON = 1, /**< the least change among combinations of the last depth + 1 sweeps */
  PERP_NSGS_MOMENTUM = 2  /**< Nesterov's step along the last change, restarted */
};

/** Most sweeps that Anderson's acceleration combines: perp_nsgs_options.depth. */
#define PERP_NSGS_MOST_DEPTH 5

/** Options of nonsmooth Gauss–Seidel. */
typedef struct perp_nsgs_options {
  uint32_t struct_size;  /**< set by perp_nsgs_options_init()                                 */
  int32_t max_iter;      /**< sweeps allowed; 0 picks 10000                                   */
  double tol;            /**< accepted relative residual, >= 0                                */
  perp_observer observe; /**< called once per sweep, NULL: nobody; merit: largest change of a
                              contact times the mean diagonal entry of its block, units of y  */
  void *user;            /**< handed to observe                                               */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                  */
  const char *kind;      /**< set by perp_nsgs_options_init(): whose options these are */
  double omega;          /**< relaxation, 0 < omega < 2; 1 is Gauss–Seidel                    */
  double regularisation; /**< ρ / max |M_ii| of the proximal loop, >= 0; 0: no such loop      */
  int32_t order;         /**< PERP_NSGS_FORWARD, ..._SYMMETRIC, ..._SHUFFLED                  */
  int32_t acceleration;  /**< PERP_NSGS_PLAIN, ..._ANDERSON, ..._MOMENTUM; shuffled sweeps
                              are plain ones                                                  */
  int32_t depth;         /**< of Anderson's acceleration, 1 ... PERP_NSGS_MOST_DEPTH          */
  int32_t freeze;        /**< sweeps for which a contact that has come to rest is left out, >= 0;
                              0: none is. All take part before the end is claimed             */
  int32_t check;         /**< sweeps between two looks at the sizes of λ and of the change, >= 1 */
  int32_t colours;       /**< other than 0: contacts ordered by colours, of which none has two
                              that meet, as it always is with parallel; 0 without it: the order
                              of the problem. The order decides about the bits                */
  perp_parallel_for parallel; /**< how the contacts of a colour are worked on at once, NULL: one
                                   after the other, with the same bits                        */
  void *parallel_user;        /**< handed to parallel; a law of the user's own is then called from
                                   several threads at once                                    */
} perp_nsgs_options;

/** Fill opts with the defaults (omega 1, no regularisation, forward sweeps, Anderson's acceleration
 * of depth 5, nothing frozen, a look every 10 sweeps, no colours); size is sizeof of the caller's
 * struct. Since 0.1. */
PERP_API void perp_nsgs_options_init(perp_nsgs_options *opts, size_t size);

/** Defaults by value. */
static inline perp_nsgs_options perp_nsgs_options_default(void) {
  perp_nsgs_options o;
  perp_nsgs_options_init(&o, sizeof o);
  return o;
}

/**
 * Nonsmooth Gauss–Seidel as a descriptor: every law, M in any kind of storage. M is copied once
 * into the order in which sweeps read it; a sweep costs as much as one pass over that. Starts from
 * lambda. Robust and fast to a few digits; the more contacts a body has in excess of what holds it
 * (hyperstatic problems), the slower the last digits come.
 * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INFEASIBLE (a row of M is
 * zero, and nothing can keep its y where the law wants it), PERP_INACCURATE (it diverges, or stands
 * still without a solution); unless solved or stopped, lambda is the best point met. Since 0.1. */
PERP_API const perp_solver *perp_solver_nsgs(void);

/** Upper bound of its workspace for dense M with n unknowns and so many contacts (components, of
 * laws by component), with the default options and without polyhedra, as a constant expression. */
#define PERP_NSGS_WORKSPACE(n, contacts) \
  (16 * (size_t)(n) * ((size_t)(n) + 20) + 236 * (size_t)(contacts) + 256 + PERP_MARGIN(n))

/** Upper bound in a simulation with n rows. */
#define PERP_NSGS_BYTES(n) (16 * (size_t)(n) * ((size_t)(n) + 36) + 256 + PERP_MARGIN(n))

/**
 * Nonsmooth Gauss–Seidel for firmware, as a descriptor with ::perp_solver_options (max_iter 0 picks
 * 10000): plain forward sweeps that read M where it is, without a copy of it, acceleration, colours
 * and the like; a few kB of code, memory of the order of n. Contacts are solved by what their law's
 * table has (perp_law_ops.local), or else by projected steps, so that only laws which the program
 * names are linked. Needs more sweeps than perp_solver_nsgs(), as a rule.
 * @return in solve: PERP_OK (verified), PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE
 * Since 0.1. See docs/theory-friction.md. */
PERP_API const perp_solver *perp_solver_nsgs_small(void);

/** Upper bound of its workspace for dense M with n unknowns and so many contacts of at most five
 * components, without polyhedra, as a constant expression. */
#define PERP_NSGS_SMALL_WORKSPACE(n, contacts) \
  (76 * (size_t)(n) + 48 * (size_t)(contacts) + 384 + PERP_MARGIN(n))

/** Upper bound in a simulation with n rows. */
#define PERP_NSGS_SMALL_BYTES(n) (136 * (size_t)(n) + 384 + PERP_MARGIN(n))

/* --- conjugate gradient ---------------------------------------------------------------------- */

/* Conjugate projected gradient for one-step problems with symmetric positive semidefinite M and
 * laws by component: the minimum of ½ λᵀM λ + qᵀλ over a box. See docs/theory-qp.md;
 * Dostál and Schöberl, Comput. Optim. Appl. 30 (2005) 23-43; Moré and Toraldo, SIAM J. Optim. 1
 * (1991) 93-113. */

/** Options of the conjugate projected gradient. */
typedef struct perp_cpg_options {
  uint32_t struct_size;  /**< set by perp_cpg_options_init()                   */
  int32_t max_iter;      /**< iterations allowed, each one product with M; 0 picks 1000 + 20 n */
  double tol;            /**< accepted relative residual, >= 0                                */
  perp_observer observe; /**< called once per iteration, NULL: nobody; merit: own residual before
                              it, in units of y                                               */
  void *user;            /**< handed to observe                                               */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                  */
  const char *kind;      /**< set by perp_cpg_options_init(): whose options these are */
  double proportion;     /**< Γ > 0: bounds are released when what they hold back exceeds Γ times
                              what is left to gain on the face                                */
} perp_cpg_options;

/** Fill opts with the defaults (proportion 0.5); size is sizeof of the caller's struct. Since 0.1.
 */
PERP_API void perp_cpg_options_init(perp_cpg_options *opts, size_t size);

/** Defaults by value. */
static inline perp_cpg_options perp_cpg_options_default(void) {
  perp_cpg_options o;
  perp_cpg_options_init(&o, sizeof o);
  return o;
}

/**
 * The conjugate projected gradient as a descriptor: equality, complementarity and box laws, M
 * symmetric positive semidefinite in any kind of storage. One product with M an iteration, linear
 * in the stored entries; scaled by the diagonal. Starts from lambda; the energy never grows.
 * @return in solve: PERP_OK (verified), PERP_INFEASIBLE (with a certificate as ray),
 * PERP_RAY (the energy falls without end: M is not semidefinite, or the problem has no solution
 * and rounding keeps that from being proved), PERP_MAX_ITER, PERP_STOPPED, PERP_INACCURATE (no
 * further progress). Since 0.1. */
PERP_API const perp_solver *perp_solver_cpg(void);

/** Upper bound of the workspace for n unknowns, as a constant expression. */
#define PERP_CPG_WORKSPACE(n) (120 * (size_t)(n) + 64 + PERP_MARGIN(n))

/** Upper bound in a simulation with n rows. */
#define PERP_CPG_BYTES(n) PERP_CPG_WORKSPACE(n)

#ifdef __cplusplus
}
#endif
#endif
