/* SPDX-License-Identifier: MIT */
/* Linear complementarity problems in plain arrays, as one-step problems with one law. */
#include "perp/lcp.h"

#include "base/finite.h"
#include "base/info.h"
#include "solver/run.h"

/* A residual that is finite has met every entry, so only what failed is looked at. */
static perp_status blame_entry(int32_t n, int32_t ld, const double *M, const double *q,
                               perp_status status, perp_info *info) {
  size_t m = (size_t)n, at = first_not_finite(m, q);
  if (at < m) return fail(info, PERP_ENOTFINITE, "q", (int32_t)at, q[at]);
  for (size_t j = 0; j < m; j++) {
    at = first_not_finite(m, M + (size_t)ld * j);
    if (at == m) continue;
    at += (size_t)ld * j;
    return fail(info, PERP_ENOTFINITE, "M", at > INT32_MAX ? -1 : (int32_t)at, M[at]);
  }
  return status;
}

static perp_status check_arrays(int32_t n, int32_t ld, const double *M, const double *q,
                                const double *z, const double *w, perp_info *info) {
  if (n < 0) return fail(info, PERP_EINVAL, "n", -1, n);
  if (ld < n) return fail(info, PERP_EINVAL, "ld", -1, ld);
  if (n > 0 && M == NULL) return fail_field(info, "M", -1);
  if (n > 0 && q == NULL) return fail_field(info, "q", -1);
  if (n > 0 && z == NULL) return fail_field(info, "z", -1);
  if (n > 0 && w == NULL) return fail_field(info, "w", -1);
  return PERP_OK;
}

/* One law for all n unknowns. */
static perp_status solve(const perp_solver *solver, const perp_law *law, int32_t n, int32_t ld,
                         const double *M, const double *q, const void *options, double *z,
                         double *w, void *work, size_t work_bytes, perp_info *info) {
  perp_status status = check_arrays(n, ld, M, q, z, w, info);
  if (status != PERP_OK) return status;
  int32_t offset[2] = {0, 0};
  offset[1] = n;
  perp_problem p = {perp_dense(n, n, M), q, n, n > 0, &law, offset, NULL};
  p.M.ld = ld;
  if (law->ops->set == PERP_SET_ORTHANT) /* nothing in it is left to check */
    status = perp_solver_solve_known(solver, &p, options, z, w, work, work_bytes, info);
  else
    status = perp_solver_solve(solver, &p, options, z, w, NULL, work, work_bytes, info);
  return status == PERP_OK ? status : blame_entry(n, ld, M, q, status, info);
}

static size_t workspace(const perp_solver *solver, int32_t n, uint32_t set, const void *options) {
  size_t size = n > 0 ? (size_t)n : 0;
  if (size > 0 && size > SIZE_MAX / size) return 0;
  perp_shape shape = {.n = n,
                      .n_blocks = n > 0,
                      .sets = n > 0 ? 1u << set : 0,
                      .matrix = PERP_DENSE,
                      .nonzeros = size * size,
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
