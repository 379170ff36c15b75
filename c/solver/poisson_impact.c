/* SPDX-License-Identifier: MIT */
/* Poisson's restitution:  compression  y = W P_c + ẏ⁻,  then with P_e = e P_c + z  expansion
 * y = W z + (ẏ_c + W (e P_c)),  both 0 <= y ⟂ impulse >= 0. */
#include "perp/poisson_impact.h"

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"

typedef struct poisson {
  double *Pc, *given, *z, *y, *q;
  void *solver;
  size_t solver_bytes;
} poisson;

static poisson carve(arena *a, int32_t m, size_t solver_bytes) {
  const size_t n = (size_t)m;
  poisson s;
  s.Pc = arena_take(a, n, sizeof *s.Pc);
  s.given = arena_take(a, n, sizeof *s.given);
  s.z = arena_take(a, n, sizeof *s.z);
  s.y = arena_take(a, n, sizeof *s.y);
  s.q = arena_take(a, n, sizeof *s.q);
  s.solver = arena_take(a, solver_bytes, 1);
  s.solver_bytes = solver_bytes;
  return s;
}

size_t perp_poisson_impact_workspace(const perp_solver *solver, int32_t m, const void *options) {
  const size_t bytes = m < 0 ? 0 : perp_lcp_workspace(solver, m, options);
  if (bytes == 0) return 0;
  arena a = arena_measure();
  carve(&a, m, bytes);
  return arena_bytes(&a);
}

static perp_status check(int32_t m, const double *W, const double *ydot, const double *e,
                         const double *impulse, perp_info *info) {
  if (m < 0) return fail(info, PERP_EINVAL, "m", -1, m);
  if (m == 0) return PERP_OK;
  if (W == NULL) return fail_field(info, "W", -1);
  if (ydot == NULL) return fail_field(info, "ydot", -1);
  if (e == NULL) return fail_field(info, "e", -1);
  if (impulse == NULL) return fail_field(info, "impulse", -1);
  const size_t n = (size_t)m, at = first_not_finite(n * n, W), slow = first_not_finite(n, ydot);
  if (at < n * n) return fail(info, PERP_ENOTFINITE, "W", at > INT32_MAX ? -1 : (int32_t)at, W[at]);
  if (slow < n) return fail(info, PERP_ENOTFINITE, "ydot", (int32_t)slow, ydot[slow]);
  for (int32_t i = 0; i < m; i++) {
    if (!is_finite(e[i])) return fail(info, PERP_ENOTFINITE, "e", i, e[i]);
    if (!(e[i] >= 0 && e[i] <= 1)) return fail(info, PERP_EINVAL, "e", i, e[i]);
  }
  return PERP_OK;
}

perp_status perp_poisson_impact(const perp_solver *solver, int32_t m, const double *W,
                                const double *ydot, const double *e, const void *options,
                                double *impulse, double *compression, void *work, size_t work_bytes,
                                perp_info *info) {
  info_clear(info);
  if (solver == NULL) return fail_field(info, "solver", -1);
  perp_status status = check(m, W, ydot, e, impulse, info);
  if (status != PERP_OK) return status;
  const size_t solver_bytes = perp_lcp_workspace(solver, m, options);
  if (solver_bytes == 0) return fail_field(info, "solver", -1);
  arena a = arena_open(work, work_bytes);
  const poisson s = carve(&a, m, solver_bytes);
  if (!arena_fits(&a)) return fail(info, PERP_EWORKSPACE, "work_bytes", -1, (double)work_bytes);
  const size_t bytes = (size_t)m * sizeof(double);
  if (m > 0) memset(s.Pc, 0, bytes);
  const perp_lcp first = {m, m, W, ydot};
  status = perp_lcp_solve(solver, &first, options, s.Pc, s.y, s.solver, s.solver_bytes, info);
  if (status != PERP_OK) return status;
  const int32_t iterations = info_ready(info) ? info->iterations : 0;
  for (int32_t i = 0; i < m; i++) {
    if (s.Pc[i] < 0) s.Pc[i] = 0;
    s.given[i] = (1 + e[i]) * s.Pc[i];
    s.q[i] = ydot[i];
    s.z[i] = 0;
  }
  perp_dense_multiply_add(m, m, W, m, s.given, s.q);
  const perp_lcp second = {m, m, W, s.q};
  status = perp_lcp_solve(solver, &second, options, s.z, s.y, s.solver, s.solver_bytes, info);
  if (info_ready(info)) info->iterations += iterations;
  if (status != PERP_OK) return status;
  for (int32_t i = 0; i < m; i++) impulse[i] = s.given[i] + (s.z[i] > 0 ? s.z[i] : 0);
  if (compression != NULL && m > 0) memcpy(compression, s.Pc, bytes);
  return PERP_OK;
}
