/* SPDX-License-Identifier: MIT */
/** @file auto.h
 * The solver that chooses among the others, in perp::perp only (from perp::core: a link error).
 * See docs/choose-a-solver.md. */
#ifndef PERP_AUTO_H
#define PERP_AUTO_H

#include "perp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of auto. */
typedef struct perp_auto_options {
  uint32_t struct_size;  /**< set by perp_auto_options_init()                             */
  int32_t max_iter;      /**< iterations of all candidates together; 0: only the budget ends */
  double tol;            /**< accepted relative residual, >= 0                            */
  perp_observer observe; /**< called once per iteration of whatever candidate runs, NULL:
                              nobody; iterations are counted on, the rest is the candidate's */
  void *user;            /**< handed to observe                                           */
  double budget;    /**< multiply-adds that all candidates together may take, >= 0; 0: limits of
                         iterations by a model of 100 n³ for dense M, 2000 sweeps and 50
                         factorisations for block rows, and 10⁷ in any case; with friction 10⁸
                         and 300 000 passes over M, twice that with rolling; only by default
                         the last of the list for M of no class, up to 200 unknowns, has 16
                         times that; and perp_solver_budget() for what they count in all */
  const char *kind; /**< set by perp_auto_options_init(): whose options these are */
  int32_t allocate; /**< 1 (default): KLU may be called for block rows of 200 unknowns or more
                         with few entries, and allocates and frees before the solve ends;
                         0: nothing allocates. With friction KLU and LDL, of any size */
  int32_t reserved; /**< 0                                                           */
} perp_auto_options;

/** Fill opts with the defaults; size is sizeof of the caller's struct. Since 0.1. */
PERP_API void perp_auto_options_init(perp_auto_options *opts, size_t size);

/** Defaults by value. */
static inline perp_auto_options perp_auto_options_default(void) {
  perp_auto_options o;
  perp_auto_options_init(&o, sizeof o);
  return o;
}

/**
 * The choice as a descriptor: every law and M of any kind. Looks at the laws, the size, the density
 * and the symmetry of M, tries the method that is fastest for such problems, and goes on to the
 * next when one fails, with its modes and its point. Choices and limits are counted in work, never
 * in seconds: results repeat. info->solver tells who solved it, info->iterations counts those of
 * all.
 *
 * With friction, rolling or a law known by its projection it solves each connected part of the
 * problem apart, by sweeps of Gauss–Seidel, ADMM, Newton's method and an interior point, and goes
 * on to the next where the present one promises more work than another.
 *
 * lambda is a start only with a warm start that knows modes; otherwise auto begins with what is
 * nearest to 0 in the bounds. With an unchanged stamp of M the method that solved the last
 * problem comes first, without another look at M.
 * @return in solve: PERP_OK (verified); PERP_INFEASIBLE (a certificate was found, or enumeration
 * proved it, and no point that passes as a solution came up where the proof leaves room for one);
 * otherwise lambda is the best point of all candidates, and the status is that of the one that
 * found it. Since 0.1. */
PERP_API const perp_solver *perp_solver_auto(void);

#ifdef __cplusplus
}
#endif
#endif
