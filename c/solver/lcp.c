/* SPDX-License-Identifier: MIT */
/* Linear complementarity problems in plain arrays, as one-step problems with one law. */
#include "perp/lcp.h"

#include "base/info.h"
#include "solver/lemke.h"
#include "solver/run.h"

/* One law for all n unknowns. */
static perp_status solve(const perp_solver *solver, const perp_law *law, int32_t n, int32_t ld,
                         const double *M, const double *q, const void *options, double *z,
                         double *w, void *work, size_t work_bytes, perp_info *info) {
  perp_status status = perp_lcp_arrays_check(n, ld, M, q, z, w, info);
  if (status != PERP_OK) return status;
  int32_t offset[2] = {0, 0};
  offset[1] = n;
  perp_problem p = perp_problem_of(perp_dense(n, n, M), q, n > 0, &law, offset);
  p.M.ld = ld;
  if (law->ops->set == PERP_SET_ORTHANT) /* nothing in it is left to check */
    return perp_solver_solve_known(solver, &p, options, z, w, work, work_bytes, info);
  return perp_solver_solve(solver, &p, options, z, w, NULL, work, work_bytes, info);
}

static size_t workspace(const perp_solver *solver, int32_t n, uint32_t set, const void *options) {
  size_t size = n > 0 ? (size_t)n : 0;
  if (size > 0 && size > SIZE_MAX / size) return 0;
  perp_shape shape = {.n = n,
                      .n_blocks = n > 0,
                      .sets = n > 0 ? 1u << set : 0,
                      .matrix = PERP_DENSE,
                      .nonzeros = size * size,
                      .contacts = n,
                      .largest = 1,
                      .envelope = size % 2 == 0 ? size / 2 * (size + 1) : (size + 1) / 2 * size};
  return perp_solver_shape_workspace(solver, &shape, options);
}

size_t perp_lcp_workspace(const perp_solver *solver, int32_t n, const void *options) {
  return workspace(solver, n, PERP_SET_ORTHANT, options);
}

perp_status perp_lcp_solve(const perp_solver *solver, const perp_lcp *problem, const void *options,
                           double *z, double *w, void *work, size_t work_bytes, perp_info *info) {
  perp_complementarity law;
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  perp_complementarity_init(&law, sizeof law);
  return solve(solver, &law.law, problem->n, problem->ld, problem->M, problem->q, options, z, w,
               work, work_bytes, info);
}

size_t perp_mlcp_workspace(const perp_solver *solver, int32_t n, const void *options) {
  return workspace(solver, n, PERP_SET_BOX, options);
}

perp_status perp_mlcp_solve(const perp_solver *solver, const perp_mlcp *problem,
                            const void *options, double *z, double *w, void *work,
                            size_t work_bytes, perp_info *info) {
  perp_box law;
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  perp_box_init(&law, sizeof law);
  law.law.size = problem->n;
  law.lower = problem->lower;
  law.upper = problem->upper;
  return solve(solver, &law.law, problem->n, problem->ld, problem->M, problem->q, options, z, w,
               work, work_bytes, info);
}
