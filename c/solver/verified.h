/* SPDX-License-Identifier: MIT */
/* Solve and verify a problem whose arguments were checked before: what perp_solver_solve() does
 * after its checks, but for what info tells of the laws, and what a time step calls. */
#ifndef PERP_SOLVER_VERIFIED_H
#define PERP_SOLVER_VERIFIED_H

#include "perp/solver.h"

/* problem has passed perp_problem_check() and the solver accepts it; options are the caller's, read
 * here; work holds perp_solver_shape_workspace() bytes of a shape that covers the problem. Writes
 * lambda and y, and the residual (may be NULL) as it was judged, on every ending but
 * PERP_EWORKSPACE, by which a method says that it had no room to begin. PERP_OK only if the
 * residual confirms it. */
perp_status perp_solver_run(const perp_solver *solver, const perp_problem *problem,
                            const void *options, double *lambda, double *y, perp_warm *warm,
                            void *work, size_t work_bytes, perp_residual *residual,
                            perp_info *info);

/* The shape of a problem that has passed perp_problem_check(). */
void perp_problem_shape_known(const perp_problem *problem, perp_shape *shape);

/* The shape of one block of this set by component with a dense M. */
static inline perp_shape dense_shape(int32_t n, int32_t set) {
  const size_t m = (size_t)n;
  const int32_t one = n > 0;
  const perp_shape shape = {n, one, one ? 1u << set : 0, PERP_DENSE, m * m, m * (m + 1) / 2, 0, 0,
                            n, one};
  return shape;
}

/* The method alone, nothing verified: for a solver that is made of others. Arguments as above;
 * spent := the multiply-adds that it took, 0 where the method does not count them. */
perp_status perp_solver_apply(const perp_solver *solver, const perp_problem *problem,
                              const void *options, double *lambda, double *y, perp_warm *warm,
                              void *work, size_t work_bytes, double *spent, perp_info *info);

/* perp_solver_solve() without warm data for the problem of one block of complementarity and a dense
 * M that passes perp_problem_check(). */
perp_status perp_solver_solve_known(const perp_solver *solver, const perp_problem *problem,
                                    const void *options, double *lambda, double *y, void *work,
                                    size_t work_bytes, perp_info *info);

#endif
