/* SPDX-License-Identifier: MIT */
/* Logarithm:  x = 2^k m with m in [√½, √2), log m = 2 artanh f, f = (m − 1)/(m + 1), by the series
 * of artanh at most 0.172 from 0; the result is a sum of two doubles. Exponential:  v = n log 2 + r
 * with |r| <= log 2 / 2, then Taylor's series, whose first neglected term is below 2^-62. Power:
 * exp(y log x), the product kept as a sum of two doubles. */
#include <float.h>
#include <stdint.h>

#include "base/elementary.h"
#include "base/finite.h"
#include "base/twofold.h"

/* log 2 = part[0] + part[1] + part[2], of which the first has 32 bits: its products with k and n
 * are exact. */
static const double log2_part[3] = {0x1.62e42feep-1, 0x1.a39ef35793c76p-33, 0x1.cc01f97b57a08p-87};

/* log x for finite x > 0. */
static twofold log_of(double x) {
  int32_t k = 0;
  if (x < DBL_MIN) {
    x *= 0x1p54;
    k = -54;
  }
  const uint64_t fraction = bits_of(x) & UINT64_C(0x000fffffffffffff);
  k += (int32_t)(bits_of(x) >> 52) - 1023;
  double m = double_of(fraction | UINT64_C(0x3ff0000000000000));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    k++;
  }
  const twofold f = twofold_divide(twofold_of(m - 1), twofold_sum(m, 1)); /* m − 1 is exact */
  const double z = f.hi * f.hi;
  double p = 1.0 / 27;
  for (int32_t n = 25; n >= 5; n -= 2) p = 1.0 / n + z * p;
  /* 2f + 2f³/3 + 2f⁵ p: the cube needs its low part, what follows does not. */
  const twofold cube = twofold_multiply(twofold_multiply(f, f), f);
  const twofold third = twofold_divide(cube, twofold_of(3));
  const twofold tail = twofold_sum(third.hi, third.lo + cube.hi * z * p);
  const twofold half = twofold_add(f, tail);
  const twofold log_m = {2 * half.hi, 2 * half.lo};
  const twofold a = twofold_sum(k * log2_part[0], k * log2_part[1]);
  return twofold_add(a, twofold_sum(log_m.hi, log_m.lo + k * log2_part[2]));
}

/* exp v; v.hi is not NaN. */
static double exp_of(twofold v) {
  if (v.hi > 710) return INFINITY;
  if (v.hi < -746) return 0;
  const double shift = 6755399441055744.0; /* 1.5·2^52: adding it rounds to an integer */
  const double n = (v.hi * 1.4426950408889634 + shift) - shift;
  const twofold a = twofold_sum(v.hi - n * log2_part[0], -(n * log2_part[1]));
  const twofold r = twofold_sum(a.hi, a.lo + (v.lo - n * log2_part[2]));
  double p = 1;
  for (int32_t i = 15; i >= 3; i--) p = 1 + r.hi * p / i;
  const double square = r.hi * r.hi;
  const twofold e = twofold_sum(1, r.hi); /* + r.lo (1 + r) + r²/2 (1 + r/3 + ...) */
  const double value = e.hi + (e.lo + (r.lo * e.hi + 0.5 * square * p));
  const int32_t power = (int32_t)n;
  /* Two factors: 2^n may leave the range though the product does not. */
  const int32_t first = power / 2;
  const double scale = double_of((uint64_t)(1023 + first) << 52);
  return value * scale * double_of((uint64_t)(1023 + power - first) << 52);
}

double perp_exp(double x) { return x != x ? x : exp_of(twofold_of(x)); }

double perp_log(double x) {
  if (!(x > 0)) return x == 0 ? -INFINITY : (x - x) / (x - x);
  return is_finite(x) ? twofold_value(log_of(x)) : x;
}

double perp_power(double x, double y) {
  if (x != x || y != y || x < 0 || !is_finite(y)) return (x - x) / (x - x) + (y - y);
  if (y == 0 || x == 1) return 1;
  if (x == 0 || !is_finite(x)) return (x == 0) == (y > 0) ? 0 : INFINITY;
  const twofold log_x = log_of(x);
  if (fabs(log_x.hi) > 750 / fabs(y)) return (log_x.hi > 0) == (y > 0) ? INFINITY : 0;
  return exp_of(twofold_multiply(log_x, twofold_of(y)));
}
