/* SPDX-License-Identifier: MIT */
/* Newton's method on the function of Fischer and Burmeister as a candidate that is patient: what
 * one start of it leads to is a matter of luck where M is no P-matrix, and luck can be had by the
 * number of starts. Its own limit of iterations is the only one. */
#include "portfolio/many_starts.h"

#include "perp/newton.h"

/* A start takes some tens of steps: the limit of iterations comes first. */
enum { MOST_UNKNOWNS = 200, STARTS = 10000 };

static size_t workspace(const perp_shape *shape, const void *options) {
  const perp_newton_options newton = perp_newton_options_default();
  (void)options;
  return shape->n > MOST_UNKNOWNS ? 0 : perp_solver_newton_fb()->workspace(shape, &newton);
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  const perp_solver_options *given = options;
  perp_newton_options o = perp_newton_options_default();
  o.max_iter = given->max_iter;
  o.tol = given->tol;
  o.observe = given->observe;
  o.user = given->user;
  o.restarts = STARTS;
  return perp_solver_newton_fb()->solve(problem, &o, lambda, y, warm, work, work_bytes, info);
}

const perp_solver *perp_solver_many_starts(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .name = "newton-fb",
      .workspace = workspace,
      .solve = solve};
  return &solver;
}
