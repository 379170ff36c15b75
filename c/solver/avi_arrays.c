/* SPDX-License-Identifier: MIT */
/* Affine variational inequalities in plain arrays, as problems of one law. */
#include "base/finite.h"
#include "base/info.h"
#include "perp/vi.h"
#include "problem/bounds.h"

/* The law of the view; m = 0 leaves H empty. */
static void set_law(perp_polyhedron *law, const perp_avi *p) {
  perp_polyhedron_init(law, sizeof *law);
  law->law.size = p->n;
  law->K = p->K;
  if (p->m == 0) return;
  law->H = perp_dense(p->m, p->n, p->H);
  law->H.ld = p->ldH;
}

size_t perp_avi_pivoting_workspace(int32_t n, int32_t m, const perp_avi_pivoting_options *opts) {
  const size_t size = n > 0 ? (size_t)n : 0;
  perp_polyhedron law;
  perp_shape shape;
  if (n < 0 || m < 0 || m > INT32_MAX / 4 || n > INT32_MAX / 4) return 0;
  if (size > 0 && size > SIZE_MAX / size) return 0;
  const perp_avi view = {n, n, NULL, NULL, m, m, NULL, NULL};
  memset(&shape, 0, sizeof shape);
  shape.n = n;
  shape.n_blocks = n > 0;
  shape.sets = n > 0 ? 1u << PERP_SET_POLYHEDRON : 0;
  shape.matrix = PERP_DENSE;
  shape.nonzeros = size * size;
  shape.envelope = size * size / 2 + size;
  if (n > 0) {
    set_law(&law, &view);
    shape.constraints = (size_t)m;
    shape.projection = law_projection_doubles(&law.law);
  }
  return perp_solver_shape_workspace(perp_solver_avi_pivoting(), &shape, opts);
}

static perp_status check_finite(const perp_avi *p, perp_info *info) {
  const size_t n = (size_t)p->n, at = first_not_finite(n, p->q);
  if (at < n) return fail(info, PERP_ENOTFINITE, "q", (int32_t)at, p->q[at]);
  for (size_t j = 0; j < n; j++) {
    const double *column = p->M + (size_t)p->ldM * j;
    const size_t i = first_not_finite(n, column), place = (size_t)p->ldM * j + i;
    if (i < n)
      return fail(info, PERP_ENOTFINITE, "M", place > INT32_MAX ? -1 : (int32_t)place, column[i]);
  }
  return PERP_OK;
}

perp_status perp_avi_pivoting(const perp_avi *problem, const perp_avi_pivoting_options *opts,
                              double *z, double *w, void *work, size_t work_bytes,
                              perp_info *info) {
  info_clear(info);
  if (problem == NULL) return fail_field(info, "problem", -1);
  const int32_t n = problem->n, m = problem->m;
  if (n < 0) return fail(info, PERP_EINVAL, "n", -1, n);
  if (m < 0 || m > INT32_MAX / 4) return fail(info, PERP_EINVAL, "m", -1, m);
  if (problem->ldM < n) return fail(info, PERP_EINVAL, "ldM", -1, problem->ldM);
  if (problem->ldH < m) return fail(info, PERP_EINVAL, "ldH", -1, problem->ldH);
  if (n > 0 && problem->M == NULL) return fail_field(info, "M", -1);
  if (n > 0 && problem->q == NULL) return fail_field(info, "q", -1);
  if (n > 0 && m > 0 && problem->H == NULL) return fail_field(info, "H", -1);
  if (m > 0 && problem->K == NULL) return fail_field(info, "K", -1);
  perp_status status = check_finite(problem, info);
  if (status != PERP_OK) return status;
  for (int32_t k = 0; n == 0 && k < m; k++) { /* 0 >= K_k */
    if (!is_finite(problem->K[k])) return fail(info, PERP_ENOTFINITE, "K", k, problem->K[k]);
    if (problem->K[k] > 0) return PERP_INFEASIBLE;
  }
  perp_polyhedron law;
  const perp_law *laws = &law.law;
  set_law(&law, problem);
  perp_problem p = perp_problem_of(perp_dense(n, n, problem->M), problem->q, n > 0, &laws, NULL);
  p.M.ld = problem->ldM;
  return perp_solver_solve(perp_solver_avi_pivoting(), &p, opts, z, w, NULL, work, work_bytes,
                           info);
}
