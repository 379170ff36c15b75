/* SPDX-License-Identifier: MIT */
/* Sine, cosine and arc tangent from basic operations alone, so that their bits are the same on
 * every platform and the core needs no mathematics library. */
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

#endif
