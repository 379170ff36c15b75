/* SPDX-License-Identifier: MIT */
/* auto for problems with friction, rolling, or laws known by their projection only. */
#ifndef PERP_PORTFOLIO_FRICTION_H
#define PERP_PORTFOLIO_FRICTION_H

#include "perp/auto.h"
#include "perp/solver.h"

/* Whether auto hands a problem with these laws over to here. */
static inline int frictional(uint32_t sets) {
  return (sets & (1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING | 1u << PERP_SET_OTHER)) != 0;
}

/* Whether the problem is so small that bytes are bounded by a formula: asking every method would
 * take longer than a solve. */
static inline int perp_friction_small(const perp_shape *shape) {
  const uint32_t known = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX |
                         1u << PERP_SET_CONE | 1u << PERP_SET_ROLLING;
  const size_t n = (size_t)shape->n;
  return shape->n <= 32 && (shape->sets & ~known) == 0 && shape->nonzeros <= n * n;
}

/* What any method needs for a small problem of n unknowns, by a bound. */
static inline size_t perp_friction_small_bytes(size_t n) { return 8192 + 1024 * n + 64 * n * n; }

size_t perp_friction_bytes(const perp_shape *shape, int allocate);

/* Solve a checked problem with n > 0; options have been read. */
perp_status perp_friction_solve(const perp_problem *problem, const perp_auto_options *options,
                                double *lambda, double *y, perp_warm *warm, void *work,
                                size_t work_bytes, perp_info *info);

#endif
