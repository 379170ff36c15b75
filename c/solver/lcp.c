/* SPDX-License-Identifier: MIT */
/* Linear complementarity problems in plain arrays, as one-step problems with one law. */
#include "perp/lcp.h"

#include "base/info.h"
#include "solver/box_form.h"
#include "solver/lemke.h"
#include "solver/run.h"

/* One law for all n unknowns. */
static perp_status solve(const perp_solver *solver, int32_t set, const perp_mlcp *m,
                         const void *options, double *z, double *w, void *work, size_t work_bytes,
                         perp_info *info) {
  block_law law;
  perp_status status = perp_lcp_arrays_check(m->n, m->ld, m->M, m->q, z, w, info);
  if (status != PERP_OK) return status;
  perp_problem p =
      box_form_problem(&law, set, perp_dense(m->n, m->n, m->M), m->q, m->lower, m->upper);
  p.M.ld = m->ld;
  if (set == PERP_SET_ORTHANT) /* nothing in it is left to check */
    return perp_solver_solve_known(solver, &p, options, z, w, work, work_bytes, info);
  return perp_solver_solve(solver, &p, options, z, w, NULL, work, work_bytes, info);
}

size_t perp_lcp_workspace(const perp_solver *solver, int32_t n, const void *options) {
  return perp_box_form_bytes(solver, n, PERP_SET_ORTHANT, options);
}

perp_status perp_lcp_solve(const perp_solver *solver, const perp_lcp *problem, const void *options,
                           double *z, double *w, void *work, size_t work_bytes, perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  const perp_mlcp m = {problem->n, problem->ld, problem->M, problem->q, NULL, NULL};
  return solve(solver, PERP_SET_ORTHANT, &m, options, z, w, work, work_bytes, info);
}

size_t perp_mlcp_workspace(const perp_solver *solver, int32_t n, const void *options) {
  return perp_box_form_bytes(solver, n, PERP_SET_BOX, options);
}

perp_status perp_mlcp_solve(const perp_solver *solver, const perp_mlcp *problem,
                            const void *options, double *z, double *w, void *work,
                            size_t work_bytes, perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  return solve(solver, PERP_SET_BOX, problem, options, z, w, work, work_bytes, info);
}
