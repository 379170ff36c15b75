/* SPDX-License-Identifier: MIT */
/** @file fc.h
 * Contacts with Coulomb friction in the caller's dense arrays, by any solver that accepts them, for
 * those who have no laws and no blocks. One contact alone: contact.h. */
#ifndef PERP_FC_H
#define PERP_FC_H

#include "perp/sweeps.h"

#ifdef __cplusplus
extern "C" {
#endif

/** u = W r + q, and Coulomb's law between u and r at each contact; a const view. Components contact
 * by contact, normal first. u: relative velocities, r: forces or impulses that fit W. */
typedef struct perp_fc {
  int32_t contacts; /**< contacts, >= 0                                          */
  int32_t dim;      /**< components of each: 2 (plane) or 3 (space)              */
  int32_t ld;       /**< column stride of W in doubles, >= n = dim contacts      */
  int32_t reserved; /**< 0                                                       */
  const double *W;  /**< n x n, column-major, W[i + ld*j]                        */
  const double *q;  /**< n                                                       */
  const double *mu; /**< contacts: coefficients of friction, >= 0                */
} perp_fc;

/** Bytes perp_fc_solve() needs for so many contacts with this solver and these options (may be
 * NULL); 0 if contacts < 0, dim is neither 2 nor 3, the solver does not accept such a problem, or
 * the answer overflows. Since 0.1. */
PERP_API size_t perp_fc_workspace(const perp_solver *solver, int32_t contacts, int32_t dim,
                                  const void *options);

/**
 * Solve contacts with friction by any solver that accepts them and dense M.
 * @param solver   a descriptor, for example perp_solver_nsgs()
 * @param problem  not modified; entries must be finite
 * @param options  the solver's own struct, NULL: defaults
 * @param[in,out] r  n: start where the method takes one; solution; on failure the last or best
 * point
 * @param[out] u   n: W r + q, may not overlap r
 * @param work     work_bytes bytes of any alignment, see perp_fc_workspace()
 * @param[out] info  may be NULL
 * @return as perp_solver_solve(); PERP_EINVAL and PERP_ENOTFINITE name the entry
 * Allocates nothing; parallel calls need distinct r, u, work, info. Since 0.1. */
PERP_API perp_status perp_fc_solve(const perp_solver *solver, const perp_fc *problem,
                                   const void *options, double *r, double *u, void *work,
                                   size_t work_bytes, perp_info *info);

/** Upper bound of it as a constant expression; solver: the bound of the solver's workspace, for
 * example PERP_FRICTION_NEWTON_WORKSPACE(dim * contacts, contacts). */
#define PERP_FC_WORKSPACE(contacts, solver) \
  ((size_t)(solver) + 64 * (size_t)(contacts) + 64 + PERP_MARGIN(contacts))

/** Bytes perp_fc_nsgs() needs; 0 as for perp_fc_workspace(). Since 0.1. */
PERP_API size_t perp_fc_nsgs_workspace(int32_t contacts, int32_t dim,
                                       const perp_nsgs_options *opts);

/** As perp_fc_solve() by nonsmooth Gauss–Seidel; r is the start. Since 0.1. */
PERP_API perp_status perp_fc_nsgs(const perp_fc *problem, const perp_nsgs_options *opts, double *r,
                                  double *u, void *work, size_t work_bytes, perp_info *info);

#ifdef __cplusplus
}
#endif
#endif
