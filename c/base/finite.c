/* SPDX-License-Identifier: MIT */
#include "base/finite.h"

#if defined(__OPTIMIZE_SIZE__)
size_t perp_first_not_finite(size_t n, const double *x) {
  size_t i = 0;
  while (i < n && is_finite(x[i])) i++;
  return i;
}

int perp_all_finite(size_t n, const double *x) { return perp_first_not_finite(n, x) == n; }
#else
/* 0 times them adds up to 0, or to NaN. Four lanes. */
int perp_all_finite(size_t n, const double *x) {
  if (n == 0) return 1; /* x may be NULL */
  double a = 0, b = 0, c = 0, d = 0;
  const double *end = x + n % 4;
  for (; x < end; x++) a += 0 * *x;
  for (end = x + (n - n % 4); x < end; x += 4) {
    a += 0 * x[0];
    b += 0 * x[1];
    c += 0 * x[2];
    d += 0 * x[3];
  }
  return is_finite((a + b) + (c + d));
}
#endif
