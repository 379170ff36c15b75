/* SPDX-License-Identifier: MIT */
/* Finiteness by the bits of an IEEE double: no libm, no compare that a fast-math flag could drop.
 */
#ifndef PERP_BASE_FINITE_H
#define PERP_BASE_FINITE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/pair.h"

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Bit 63 is set iff the exponent of x is all ones (NaN or infinity). */
static inline uint64_t not_finite_bits(double x) {
  return (bits_of(x) & UINT64_C(0x7fffffffffffffff)) + UINT64_C(0x0010000000000000);
}

static inline int is_finite(double x) { return (not_finite_bits(x) >> 63) == 0; }

/* The largest power of two that is no larger than x > 0; 1 for 0, denormals, infinity and NaN. */
static inline double power_of_two(double x) {
  uint64_t bits = bits_of(x) & UINT64_C(0x7ff0000000000000);
  return bits == 0 || bits == UINT64_C(0x7ff0000000000000) ? 1 : double_of(bits);
}

/* all_finite() as a function, with a lower price per entry. */
int perp_all_finite(size_t n, const double *x);

#if defined(__OPTIMIZE_SIZE__) /* one function for all */
size_t perp_first_not_finite(size_t n, const double *x);
#define all_finite       perp_all_finite
#define first_not_finite perp_first_not_finite
#else
/* Whether all n entries are finite: 0 times them adds up to 0, or to NaN. */
static inline int all_finite(size_t n, const double *x) {
  const pair zero = pair_twice(0);
  pair a = zero, b = zero;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a = pair_add(a, pair_multiply(pair_load(x + i), zero));
    b = pair_add(b, pair_multiply(pair_load(x + i + 2), zero));
  }
  if (i + 2 <= n) a = pair_add(a, pair_multiply(pair_load(x + i), zero));
  b = pair_add(a, b);
  return is_finite(pair_first(b) + pair_second(b) + (n % 2 == 1 ? 0 * x[n - 1] : 0));
}

/* Index of the first entry that is not finite, n if there is none. */
static inline size_t first_not_finite(size_t n, const double *x) {
  size_t i = 0;
  while (i < n && is_finite(x[i])) i++;
  return i;
}
#endif

/* Whether all n entries are below 2^900 in magnitude, at the price of all_finite(). */
static inline int all_moderate(size_t n, const double *x) {
  uint64_t any = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    any |= (bits & UINT64_C(0x7fffffffffffffff)) + UINT64_C(0x07d0000000000000);
  }
  return (any >> 63) == 0;
}

#endif
