/* SPDX-License-Identifier: MIT */
/* What solvers of interval problems read of a checked problem's laws: the sets, and the bounds of
 * each unknown. */
#ifndef PERP_PROBLEM_BOUNDS_H
#define PERP_PROBLEM_BOUNDS_H

#include "base/options.h"
#include "perp/problem.h"

/* Bits 1u << PERP_SET_... that occur. */
uint32_t perp_problem_sets(const perp_problem *problem);

/* lower, upper (n each) := the interval of each unknown: (-inf, inf) for free, [0, inf) for the
 * orthant, the law's own for a box; (-inf, inf) too where the set is no interval. */
void perp_problem_bounds(const perp_problem *problem, double *lower, double *upper);

/* Where a law block that begins at unknown begin ends. */
static inline int32_t problem_block_end(const perp_problem *p, int32_t block, int32_t begin) {
  return p->offset == NULL ? begin + p->laws[block]->size : p->offset[block + 1];
}

/* Doubles that the projection of a law needs beside its arguments. */
static inline size_t law_projection_doubles(const perp_law *law) {
  return law->ops->project_with == NULL ? 0 : law->ops->project_doubles(law);
}

/* The most doubles that one of the problem's laws needs. */
size_t perp_problem_projection_doubles(const perp_problem *problem);

/* p := P_K(x) of a law that is no interval; scratch: law_projection_doubles(). */
static inline void law_project(const perp_law *law, const void *state, const double *x, double *p,
                               double *scratch) {
  if (law->ops->project_with != NULL)
    law->ops->project_with(law, state, x, p, scratch);
  else
    law->ops->project(law, state, x, p);
}

/* Whether the set of a law that is no interval is bounded; scratch: law_projection_doubles(). */
static inline int law_is_bounded(const perp_law *law, double *scratch) {
  const perp_law_ops *ops = law->ops;
  if (ops->bounded == 1) return 1;
  return ops->struct_size >= PERP_THROUGH(perp_law_ops, is_bounded) && ops->is_bounded != NULL &&
         ops->is_bounded(law, scratch) == 1;
}

/* Solve one copy, y = M λ + q, by what the law has for that (ops->local, not NULL), for at most
 * *work multiply-adds, which are counted down; a law that does not count is taken at its word. */
static inline perp_status law_local(const perp_law *law, const void *state, const double *M,
                                    int32_t ld, const double *q, double *lambda, double *work) {
  const perp_law_ops *ops = law->ops;
  if (ops->struct_size >= PERP_THROUGH(perp_law_ops, local_within) && ops->local_within != NULL)
    return ops->local_within(law, state, M, ld, q, lambda, work);
  *work -= (double)law->size * law->size * law->size;
  return ops->local(law, state, M, ld, q, lambda);
}

/* Rows of H of one copy of a polyhedron, 0 for other sets. */
static inline int32_t law_constraints(const perp_law *law) {
  if (law->ops->set != PERP_SET_POLYHEDRON) return 0;
  return ((const perp_polyhedron *)(const void *)law)->H.rows;
}

#endif
