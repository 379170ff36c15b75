/* SPDX-License-Identifier: MIT */
#include "solver/lcp_arrays.h"

#include "base/finite.h"
#include "base/info.h"

static perp_status check_entries(int32_t n, int32_t ld, const double *M, const double *q,
                                 perp_info *info) {
  size_t m = (size_t)n;
  if (!perp_all_finite(m, q)) {
    size_t at = first_not_finite(m, q);
    return fail(info, PERP_ENOTFINITE, "q", (int32_t)at, q[at]);
  }
  if (ld == n && perp_all_finite(m * m, M)) return PERP_OK;
  for (size_t j = 0; j < m; j++) {
    const double *column = M + (size_t)ld * j;
    if (perp_all_finite(m, column)) continue;
    size_t at = (size_t)ld * j + first_not_finite(m, column);
    return fail(info, PERP_ENOTFINITE, "M", at > INT32_MAX ? -1 : (int32_t)at, M[at]);
  }
  return PERP_OK;
}

perp_status perp_lcp_arrays_check(int32_t n, int32_t ld, const double *M, const double *q,
                                  const double *z, const double *w, perp_info *info) {
  if (n < 0) return fail(info, PERP_EINVAL, "n", -1, n);
  if (ld < n) return fail(info, PERP_EINVAL, "ld", -1, ld);
  if (n > 0 && M == NULL) return fail_field(info, "M", -1);
  if (n > 0 && q == NULL) return fail_field(info, "q", -1);
  if (n > 0 && z == NULL) return fail_field(info, "z", -1);
  if (n > 0 && w == NULL) return fail_field(info, "w", -1);
  return check_entries(n, ld, M, q, info);
}
