/* SPDX-License-Identifier: MIT */
/* Reading the options of a solver: the fields that all have in common. */
#ifndef PERP_SOLVER_OPTIONS_H
#define PERP_SOLVER_OPTIONS_H

#include "base/info.h"
#include "base/options.h"
#include "perp/solver.h"

/* out (size bytes, an options struct that holds the defaults) := what the caller set in options
 * (NULL: nothing). The common fields are enough: who knows solvers by their descriptor alone hands
 * over a perp_solver_options. */
static inline perp_status solver_options_read(void *out, size_t size, const void *options,
                                              perp_info *info) {
  if (options == NULL) return PERP_OK;
  if (perp_options_read(out, size, options, sizeof(perp_solver_options)) != PERP_OK)
    return fail_field(info, "struct_size", -1);
  const perp_solver_options *o = out;
  if (!(o->tol >= 0)) return fail(info, PERP_EINVAL, "tol", -1, o->tol);
  return o->max_iter < 0 ? fail(info, PERP_EINVAL, "max_iter", -1, o->max_iter) : PERP_OK;
}

/* Pivots that a method of n unknowns may take; max_iter 0 picks 1000 + 50 n. */
static inline int32_t pivot_limit(int32_t max_iter, int32_t n) {
  const int64_t rule = 1000 + 50 * (int64_t)n;
  if (max_iter > 0) return max_iter;
  return rule < INT32_MAX ? (int32_t)rule : INT32_MAX;
}

#endif
