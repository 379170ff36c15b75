/* SPDX-License-Identifier: MIT */
/* The interior-point method as a candidate: with KLU for what no envelope takes. The common fields
 * of the options are all that a candidate is given. */
#include "portfolio/sparse_interior.h"

#include "linalg/klu.h"
#include "perp/interior_point.h"

/* More do not help. */
enum { STEPS = 100 };

static perp_interior_point_options with_klu(const void *options) {
  perp_interior_point_options o = perp_interior_point_options_default();
  const perp_solver_options *given = options;
  o.max_iter = given->max_iter > 0 && given->max_iter < STEPS ? given->max_iter : STEPS;
  o.tol = given->tol;
  o.observe = given->observe;
  o.user = given->user;
  o.sparse = perp_klu_affordable();
  return o;
}

static size_t workspace(const perp_shape *shape, const void *options) {
  const perp_interior_point_options o = with_klu(options);
  return perp_solver_interior_point()->workspace(shape, &o);
}

static perp_status solve(const perp_problem *problem, const void *options, double *lambda,
                         double *y, perp_warm *warm, void *work, size_t work_bytes,
                         perp_info *info) {
  const perp_interior_point_options o = with_klu(options);
  return perp_solver_interior_point()->solve(problem, &o, lambda, y, warm, work, work_bytes, info);
}

const perp_solver *perp_solver_sparse_interior(void) {
  static const perp_solver solver = {
      .struct_size = sizeof(perp_solver),
      .sets = 1u << PERP_SET_FREE | 1u << PERP_SET_ORTHANT | 1u << PERP_SET_BOX,
      .matrices = 1u << PERP_ZERO | 1u << PERP_DIAGONAL | 1u << PERP_DENSE | 1u << PERP_BLOCKS,
      .assumes = PERP_ASSUMES_SEMIDEFINITE,
      .name = "interior-point",
      .workspace = workspace,
      .solve = solve};
  return &solver;
}
