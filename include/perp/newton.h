/* SPDX-License-Identifier: MIT */
/** @file newton.h
 * Semismooth Newton methods for one-step problems with laws by component and any matrix,
 * −(M λ + q) ∈ N_[l,u](λ): on the natural (min) function, and on the function of Fischer and
 * Burmeister. See docs/newton.md; De Luca, Facchinei and Kanzow, Computational Optimization and
 * Applications 16 (2000) 173-205; Billups, PhD thesis, University of Wisconsin, 1995. */
#ifndef PERP_NEWTON_H
#define PERP_NEWTON_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of both Newton methods. */
typedef struct perp_newton_options {
  uint32_t struct_size;  /**< set by perp_newton_options_init()                             */
  int32_t max_iter;      /**< Newton steps allowed, all starts together; 0 picks 500        */
  double tol;            /**< accepted relative residual, >= 0                              */
  perp_observer observe; /**< called once per step, NULL: nobody; merit is ‖Φ‖₂ of the scaled
                              problem at the new point; entering, leaving are -1            */
  void *user;            /**< handed to observe                                             */
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

/** The same on the function of Fischer and Burmeister: n x n factors, fewer trials on problems
 * far from a P-matrix. Since 0.1. */
PERP_API const perp_solver *perp_solver_newton_fb(void);

/** Upper bound of the workspace of both for n unknowns, as a constant expression. */
#define PERP_NEWTON_WORKSPACE(n) (16 * (size_t)(n) * ((size_t)(n) + 16) + 512)

/** Upper bound of its workspace and warm bytes in a simulation with n rows. */
#define PERP_NEWTON_BYTES(n) PERP_NEWTON_WORKSPACE(n)

#ifdef __cplusplus
}
#endif
#endif
