/* SPDX-License-Identifier: MIT */
/* Linear complementarity problems in plain arrays, as one-step problems with one law. */
#include "perp/lcp.h"

#include "base/finite.h"
#include "base/info.h"
#include "base/pair.h"
#include "solver/run.h"

/* Whether all n entries are finite: 0 times them adds up to 0, or to NaN. */
static int numbers(size_t n, const double *x) {
  pair a = pair_twice(0), b = a, zero = a;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a = pair_add(a, pair_multiply(pair_load(x + i), zero));
    b = pair_add(b, pair_multiply(pair_load(x + i + 2), zero));
  }
  for (; i < n; i++) a = pair_add(a, pair_of(x[i] * 0, 0));
  a = pair_add(a, b);
  return is_finite(pair_first(a) + pair_second(a));
}

static perp_status blame_entry(int32_t n, int32_t ld, const double *M, perp_info *info) {
  size_t at = 0;
  for (size_t j = 0; j < (size_t)n; j++) {
    size_t i = first_not_finite((size_t)n, M + (size_t)ld * j);
    at = (size_t)ld * j + i;
    if (i < (size_t)n) break;
  }
  return fail(info, PERP_ENOTFINITE, "M", at > INT32_MAX ? -1 : (int32_t)at, M[at]);
}

static perp_status check_entries(int32_t n, int32_t ld, const double *M, const double *q,
                                 perp_info *info) {
  size_t m = (size_t)n;
  if (!numbers(m, q)) {
    size_t at = first_not_finite(m, q);
    return fail(info, PERP_ENOTFINITE, "q", (int32_t)at, q[at]);
  }
  if (ld == n) return numbers(m * m, M) ? PERP_OK : blame_entry(n, ld, M, info);
  for (size_t j = 0; j < m; j++)
    if (!numbers(m, M + (size_t)ld * j)) return blame_entry(n, ld, M, info);
  return PERP_OK;
}

static perp_status check_arrays(int32_t n, int32_t ld, const double *M, const double *q,
                                const double *z, const double *w, perp_info *info) {
  if (n < 0) return fail(info, PERP_EINVAL, "n", -1, n);
  if (ld < n) return fail(info, PERP_EINVAL, "ld", -1, ld);
  if (n > 0 && M == NULL) return fail_field(info, "M", -1);
  if (n > 0 && q == NULL) return fail_field(info, "q", -1);
  if (n > 0 && z == NULL) return fail_field(info, "z", -1);
  if (n > 0 && w == NULL) return fail_field(info, "w", -1);
  return check_entries(n, ld, M, q, info);
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
