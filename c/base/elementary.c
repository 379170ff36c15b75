/* SPDX-License-Identifier: MIT */
/* Sine and cosine:  x = n π/2 + r with |r| <= π/4 and r as a sum of two doubles, then Taylor's
 * series of sin r and cos r, whose first neglected terms are below 2^-60.
 * For |x| <= 2^20 the multiple n π/2 is subtracted in pieces of 33 bits, exact products with n
 * (Cody and Waite 1980); beyond, x·2/π is multiplied out in integers, of which only the part
 * between 2 and 2^-140 is computed (Payne and Hanek, ACM SIGNUM Newsletter 18 (1983) 19-24).
 *
 * Arc tangent:  atan t = atan c + atan((t − c)/(1 + t c)) with c = k/8 nearest to t in [0, 1], then
 * Taylor's series at most 1/16 from 0. */
#include "base/elementary.h"

#include <stdint.h>

#include "base/finite.h"
#include "base/twofold.h"

static const double half_pi_hi = 1.5707963267948966, half_pi_lo = 6.123233995736766e-17;

/* r := x − n π/2; returns n mod 4. |x| <= 2^20, so n has at most 20 bits. */
static unsigned reduce_small(double x, twofold *r) {
  static const double part[4] = {1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21,
                                 8.4784276603689e-32};
  const double shift = 6755399441055744.0; /* 1.5·2^52: adding it rounds to an integer */
  const double n = (x * 0.6366197723675814 + shift) - shift;
  const twofold a = twofold_sum(x - n * part[0], -(n * part[1]));
  const twofold b = twofold_sum(a.hi, -(n * part[2]));
  *r = twofold_sum(b.hi, b.lo + (a.lo - n * part[3]));
  return (unsigned)(int32_t)n & 3U;
}

enum { WORDS = 38, USED = 8 };

/* The product of the 53 bits of x with those words of 2/π that reach below 4, shifted so that word
 * USED − 1 holds integers and the words below it the fraction. |x| > 2^20. */
static void two_over_pi_times(double x, uint32_t product[USED + 2]) {
  static const uint32_t two_over_pi[WORDS] = {
      0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
      0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
      0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
      0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
      0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
      0x1f8d5d08u, 0x56033046u, 0xfc7b6babu};
  const uint64_t bits = bits_of(x);
  const uint64_t mantissa = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
  const int32_t e = (int32_t)(bits >> 52 & 0x7ff) - 1075 + 64; /* x = mantissa 2^(e − 64) */
  const int32_t first = e / 32 - 3; /* words before it contribute multiples of 2^32 */
  const uint32_t shift = (uint32_t)(e % 32);
  const uint64_t low = (mantissa & 0xffffffffU) << shift;
  const uint64_t m[3] = {low & 0xffffffffU, ((mantissa >> 32 << shift) + (low >> 32)) & 0xffffffffU,
                         ((mantissa >> 32 << shift) + (low >> 32)) >> 32};
  memset(product, 0, (USED + 2) * sizeof *product);
  for (int32_t j = 0; j < USED; j++) {
    const int32_t word = first + USED - 1 - j;
    const uint64_t w = word < 0 || word >= WORDS ? 0 : two_over_pi[word];
    uint64_t carry = 0;
    for (int32_t i = 0; i < 3 && i + j < USED + 2; i++) {
      const uint64_t t = m[i] * w + product[i + j] + carry;
      product[i + j] = (uint32_t)(t & 0xffffffffU);
      carry = t >> 32;
    }
    if (j + 3 < USED + 2) product[j + 3] = (uint32_t)carry;
  }
}

/* r := x − n π/2 for finite |x| > 2^20; returns n mod 4. */
static unsigned reduce_large(double x, twofold *r) {
  uint32_t product[USED + 2];
  two_over_pi_times(x, product);
  unsigned n = product[USED - 1] & 3U;
  const int up = product[USED - 2] >> 31 != 0; /* fraction >= 1/2: take the next multiple */
  if (up) {
    n++;
    uint64_t carry = 1;
    for (int32_t i = 0; i < USED - 1; i++) {
      carry += (uint32_t)~product[i];
      product[i] = (uint32_t)(carry & 0xffffffffU);
      carry >>= 32;
    }
  }
  twofold f = twofold_of(0);
  double unit = 1;
  for (int32_t i = USED - 2; i >= 0; i--) {
    unit *= 0x1p-32;
    f = twofold_add(f, twofold_of(unit * (double)product[i]));
  }
  const twofold half_pi = {half_pi_hi, half_pi_lo};
  f = twofold_multiply(f, half_pi);
  *r = up != (x < 0) ? twofold_negative(f) : f;
  return (x < 0 ? 4U - n : n) & 3U;
}

void perp_sincos(double x, double *s, double *c) {
  static const double sine[8] = {
      -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
      -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
  static const double cosine[7] = {
      1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
      1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  if (!is_finite(x)) {
    *s = *c = x - x;
    return;
  }
  twofold r = twofold_of(x);
  unsigned n = 0;
  if (fabs(x) > 1048576.0) {
    n = reduce_large(x, &r);
  } else if (fabs(x) > 0.7853981633974483) {
    n = reduce_small(x, &r);
  }
  const double z = r.hi * r.hi;
  double p = sine[7], q = cosine[6];
  for (int32_t i = 6; i >= 0; i--) p = sine[i] + z * p;
  for (int32_t i = 5; i >= 0; i--) q = cosine[i] + z * q;
  /* sin(a + b) = sin a + b cos a, cos(a + b) = cos a − b sin a, b the low part. */
  const double half = 0.5 * z, w = 1 - half;
  const double sn = r.hi + (r.lo * w + r.hi * z * p);
  const double cs = w + (((1 - w) - half) + (z * z * q - r.hi * r.lo));
  const double sign_s = n >= 2 ? -1 : 1, sign_c = n == 1 || n == 2 ? -1 : 1;
  *s = sign_s * ((n & 1U) != 0 ? cs : sn);
  *c = sign_c * ((n & 1U) != 0 ? sn : cs);
}

/* atan(y/x) for 0 <= y <= x, x > 0, both far from overflow and underflow. */
static twofold atan_octant(double y, double x) {
  static const twofold angle[9] = {{0, 0},
                                   {0.12435499454676144, -3.1253241424539383e-18},
                                   {0.24497866312686414, 1.0698755618734451e-17},
                                   {0.35877067027057225, -2.4623815582638635e-17},
                                   {0.4636476090008061, 2.2698777452961687e-17},
                                   {0.5585993153435624, -5.4556305485916264e-18},
                                   {0.6435011087932844, 1.5834785051444286e-17},
                                   {0.7188299996216245, -2.1478388444456983e-17},
                                   {0.7853981633974483, 3.061616997868383e-17}};
  static const double series[7] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7, 1.0 / 9,
                                   -1.0 / 11, 1.0 / 13, -1.0 / 15};
  const int32_t k = (int32_t)(8 * (y / x) + 0.5);
  const double c = 0.125 * k, cx = c * x;
  const double t = k == 0 ? y / x : ((y - cx) - twofold_product(c, x).lo) / (x + c * y);
  const double z = t * t;
  double p = series[6];
  for (int32_t i = 5; i >= 0; i--) p = series[i] + z * p;
  const twofold sum = twofold_sum(angle[k].hi, t);
  return twofold_sum(sum.hi, sum.lo + (angle[k].lo + t * z * p));
}

double perp_atan2(double y, double x) {
  if (x != x || y != y) return x + y;
  double a = fabs(y), b = fabs(x);
  if (!is_finite(a) || !is_finite(b)) { /* the directions of infinity: multiples of π/4 */
    const double inf_a = is_finite(a) ? 0 : 1, inf_b = is_finite(b) ? 0 : 1;
    a = inf_a;
    b = inf_b;
  }
  const int steep = a > b;
  double big = steep ? a : b, small = steep ? b : a;
  if (big > 0x1p+900) {
    big *= 0x1p-200;
    small *= 0x1p-200;
  } else if (big < 0x1p-800) {
    big *= 0x1p+200;
    small *= 0x1p+200;
  }
  twofold angle = twofold_of(0);
  if (big > 0) angle = atan_octant(small, big);
  const twofold half_pi = {half_pi_hi, half_pi_lo}, pi = {2 * half_pi_hi, 2 * half_pi_lo};
  if (steep) angle = twofold_subtract(half_pi, angle);
  if (bits_of(x) >> 63 != 0) angle = twofold_subtract(pi, angle);
  const double value = twofold_value(angle);
  return bits_of(y) >> 63 != 0 ? -value : value;
}
