/* SPDX-License-Identifier: MIT */
/* w = M z + q,  0 <= z _|_ w >= 0, from plain arrays to a one-step problem with one law. */
#include "solver/lcp.h"

#include "base/finite.h"
#include "base/info.h"

static perp_status check_entries(const perp_lcp *p, perp_info *info) {
  size_t n = (size_t)p->n, ld = (size_t)p->ld, at = first_not_finite(n, p->q);
  if (at < n) return fail(info, PERP_ENOTFINITE, "q", (int32_t)at, p->q[at]);
  for (size_t j = 0; j < n; j++) {
    const double *column = p->M + ld * j;
    if (all_finite(n, column)) continue;
    at = ld * j + first_not_finite(n, column);
    return fail(info, PERP_ENOTFINITE, "M", at > INT32_MAX ? -1 : (int32_t)at, p->M[at]);
  }
  return PERP_OK;
}

static perp_status check_lcp(const perp_lcp *p, perp_info *info) {
  if (p == NULL) return fail_field(info, "problem", -1);
  if (p->n < 0) return fail(info, PERP_EINVAL, "n", -1, p->n);
  if (p->ld < p->n) return fail(info, PERP_EINVAL, "ld", -1, p->ld);
  if (p->n > 0 && p->M == NULL) return fail_field(info, "M", -1);
  if (p->n > 0 && p->q == NULL) return fail_field(info, "q", -1);
  return check_entries(p, info);
}

perp_status perp_lcp_solve(const perp_solver *solver, const perp_lcp *problem, const void *options,
                           double *z, double *w, void *work, size_t work_bytes, perp_info *info) {
  perp_complementarity law;
  const perp_law *laws[1] = {&law.law};
  int32_t offset[2] = {0, 0};
  info_clear(info);
  perp_status status = check_lcp(problem, info);
  if (status != PERP_OK) return status;
  if (problem->n > 0 && z == NULL) return fail_field(info, "z", -1);
  if (problem->n > 0 && w == NULL) return fail_field(info, "w", -1);
  perp_complementarity_init(&law, sizeof law);
  offset[1] = problem->n;
  perp_problem p = {perp_dense(problem->n, problem->n, problem->M),
                    problem->q,
                    problem->n,
                    1,
                    laws,
                    offset,
                    NULL};
  p.M.ld = problem->ld;
  return perp_solver_solve(solver, &p, options, z, w, NULL, work, work_bytes, info);
}
