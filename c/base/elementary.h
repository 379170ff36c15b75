/* SPDX-License-Identifier: MIT */
/* Sine, cosine, arc tangent, exponential, logarithm and power from basic operations alone, so that
 * their bits are the same on every platform and the core needs no mathematics library. */
#ifndef PERP_BASE_ELEMENTARY_H
#define PERP_BASE_ELEMENTARY_H

#include <math.h>

/* *s := sin x, *c := cos x, each within one unit in the last place for every finite x (its argument
 * is reduced exactly, however large); both NaN if x is NaN or infinite. */
void perp_sincos(double x, double *s, double *c);

/* The angle of (x, y) in [-π, π], within two units in the last place; signed zeros and infinities
 * as C99 defines them, NaN if x or y is NaN. */
double perp_atan2(double y, double x);

/* The angle in [0, π] whose cosine is x; NaN unless -1 <= x <= 1. */
static inline double perp_acos(double x) {
  if (!(x >= -1 && x <= 1)) return (x - x) / (x - x);
  return 2 * perp_atan2(sqrt(1 - x), sqrt(1 + x));
}

/* e^x within one unit in the last place where it is a normal number; NaN if x is NaN. */
double perp_exp(double x);

/* log x within one unit in the last place; -infinity for 0, NaN for x < 0 and NaN. */
double perp_log(double x);

/* x^y for x >= 0 and finite y, within one unit in the last place while the result is within
 * 2^-100 ... 2^100, four where it is a normal number; 0^y as C99 defines it; NaN for other x and y.
 */
double perp_power(double x, double y);

#endif
