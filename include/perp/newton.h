/* SPDX-License-Identifier: MIT */
/** @file newton.h
 * Semismooth Newton methods: for laws by component, and for contacts with friction. */
#ifndef PERP_NEWTON_H
#define PERP_NEWTON_H

#include "perp/lcp.h"
#include "perp/sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- newton ---------------------------------------------------------------------------------- */

/* Semismooth Newton methods for one-step problems with laws by component and any matrix,
 * −(M λ + q) ∈ N_[l,u](λ): on the natural (min) function, and on the function of Fischer and
 * Burmeister. See docs/theory-mcp.md; De Luca, Facchinei and Kanzow, Computational Optimization and
 * Applications 16 (2000) 173-205; Billups, PhD thesis, University of Wisconsin, 1995. */

/** Options of both Newton methods. */
typedef struct perp_newton_options {
  uint32_t struct_size;  /**< set by perp_newton_options_init()                             */
  int32_t max_iter;      /**< Newton steps allowed, all starts together; 0 picks 500        */
  double tol;            /**< accepted relative residual, >= 0                              */
  perp_observer observe; /**< called once per step, NULL: nobody; merit is ‖Φ‖₂ of the scaled
                              problem at the new point; entering, leaving are -1            */
  void *user;            /**< handed to observe                                             */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                */
  const char *kind;      /**< set by perp_newton_options_init(): whose options these are */
  int32_t history;       /**< a step may raise the merit up to the largest of so many last
                              ones; 1 (monotone) ... 16, default 5                          */
  int32_t restarts;      /**< starts tried after one from which no step leads on, >= 0;
                              default 30                                                    */
} perp_newton_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_newton_options_init(perp_newton_options *opts, size_t size);

/** Defaults by value. */
static inline perp_newton_options perp_newton_options_default(void) {
  perp_newton_options o;
  perp_newton_options_init(&o, sizeof o);
  return o;
}

/**
 * Newton's method on min(λ, y) (for boxes: on λ − P_[l,u](λ − y)) as a descriptor: a step
 * factorises M_FF of the unknowns that are taken for free, and lands on a solution as soon as
 * their set is right. Starts from lambda (any finite numbers), or from the modes of a warm start.
 * Any M, taken as dense; sure to end on a solution only for P-matrices.
 * @return in solve: PERP_OK (verified), PERP_MAX_ITER (also when no start is left), PERP_STOPPED;
 * on failure the point of least merit. Since 0.1. */
PERP_API const perp_solver *perp_solver_newton_min(void);

/** Newton's method on the function of Fischer and Burmeister: n x n factors, fewer trials on
 * problems far from a P-matrix. Since 0.1. */
PERP_API const perp_solver *perp_solver_newton_fb(void);

/** Upper bound of the workspace of both for n unknowns, as a constant expression. */
#define PERP_NEWTON_WORKSPACE(n) (16 * (size_t)(n) * ((size_t)(n) + 16) + 512 + PERP_MARGIN(n))

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_NEWTON_BYTES(n) PERP_NEWTON_WORKSPACE(n)

/* --- friction newton ------------------------------------------------------------------------- */

/* Semismooth Newton method by block for friction: one step-problem equation for every contact,
 * Φ_α(λ_α, y_α) = 0, its generalised Jacobian, a sparse or dense factor of the contacts that touch,
 * a line search, and proximal regularisation where M is singular. See
 * docs/theory-friction-methods.md; Alart and Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991)
 * 353-375; De Saxcé and Feng, Math. Comput. Model. 28 (1998) 225-245; Acary, Brémond and Huber, in
 * Advanced Topics in Nonsmooth Dynamics (2018) 375-457. */

/** The equation that the method solves at each contact with friction. */
enum {
  PERP_FRICTION_NATURAL = 0, /**< λ − P_K(λ − ρ ŷ), ŷ De Saxcé's change of variable      */
  PERP_FRICTION_ALART_CURNIER = 1, /**< by parts; the disk has the radius μ (λ_n − ρ y_n)₊     */
  PERP_FRICTION_JEAN_MOREAU = 2 /**< by parts; the disk has the radius μ (λ_n)₊             */
};

/** How long a step along Newton's direction may be. */
enum {
  PERP_SEARCH_WATCHDOG = 0,        /**< whole steps, as long as the merit comes to a new low within
                                        history of them; else the proximal point method */
  PERP_SEARCH_NONMONOTONE = 1,     /**< halved until the merit is below the largest of the last */
  PERP_SEARCH_GOLDSTEIN_PRICE = 2, /**< the same, and not much shorter than that demands        */
  PERP_SEARCH_NONE = 3             /**< the whole step, always                                  */
};

/** Options of the semismooth Newton method for friction. */
typedef struct perp_friction_newton_options {
  uint32_t struct_size;  /**< set by perp_friction_newton_options_init()                      */
  int32_t max_iter;      /**< Newton steps allowed; 0 picks 500 and, all told, the work of
                              75 000 n² multiply-adds (n >= 20)                               */
  double tol;            /**< accepted relative residual, >= 0                                */
  perp_observer observe; /**< called once per step, NULL: nobody; merit is the relative residual
                              as the method estimates it; entering, leaving: -1               */
  void *user;            /**< handed to observe                                               */
  double budget;         /**< multiply-adds allowed, 0: perp_solver_budget()                  */
  const char *kind;      /**< set by perp_friction_newton_options_init(): whose options these are */
  int32_t function;      /**< PERP_FRICTION_NATURAL ... PERP_FRICTION_JEAN_MOREAU; default
                              PERP_FRICTION_ALART_CURNIER                                     */
  int32_t search;        /**< PERP_SEARCH_WATCHDOG (default) ... PERP_SEARCH_NONE */
  int32_t history;       /**< steps the watchdog waits, merits the line search looks back on,
                              1 ... 16; default 6                                                     */
  int32_t sweeps;        /**< projected Gauss–Seidel sweeps before the first step, >= 0;
                              default 10                                                      */
  double proximal;       /**< largest proximal parameter, relative to the diagonal blocks of
                              M, >= 0; default 1; 0: M as it is                          */
  const perp_sparse *sparse; /**< factorises the systems of more than 60 unknowns, where M is
                                  stored in blocks or compressed rows: perp_sparse_klu(), or
                                  another for matrices that are not symmetric; NULL (default):
                                  dense, up to 2500 unknowns */
} perp_friction_newton_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_friction_newton_options_init(perp_friction_newton_options *opts, size_t size);

/** Defaults by value. */
static inline perp_friction_newton_options perp_friction_newton_options_default(void) {
  perp_friction_newton_options o;
  perp_friction_newton_options_init(&o, sizeof o);
  return o;
}

/**
 * The method as a descriptor, "friction-newton". Laws FREE, ORTHANT, BOX, CONE, ROLLING in one
 * problem, M of any kind. It converges fast from a start of modest quality, as a few sweeps of
 * Gauss–Seidel give it, and to the last digits; from far away it may fail.
 * @return in solve: PERP_OK (verified), PERP_MAX_ITER (lambda is the best point), PERP_INACCURATE
 * (no further step can be computed; lambda is the best point), PERP_STOPPED, PERP_EBACKEND
 * (options.sparse had no memory or failed). Since 0.1. */
PERP_API const perp_solver *perp_solver_friction_newton(void);

/** Upper bound of its workspace for dense M with n unknowns and so many contacts (components, of
 * laws by component), without a sparse back end, as a constant expression. */
#define PERP_FRICTION_NEWTON_WORKSPACE(n, contacts) \
  (8 * (size_t)(n) * ((size_t)(n) + 37) + 70 * (size_t)(contacts) + 128 + PERP_MARGIN(n))

/** Upper bound in a simulation with n rows. */
#define PERP_FRICTION_NEWTON_BYTES(n) (8 * (size_t)(n) * ((size_t)(n) + 48) + 128 + PERP_MARGIN(n))

#ifdef __cplusplus
}
#endif
#endif
