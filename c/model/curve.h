/* SPDX-License-Identifier: MIT */
/* Derivatives along a curve f(s) of m functions at s = 0, by central differences of order eight
 * with a step that adapts itself. Where f is smooth over the time scale (its Taylor series
 * converges over some scale/18 or more) errors are about 1e-13 of |f|/scale for the first
 * derivative, and about 1e-12 of |f|/scale² for the second. */
#ifndef PERP_MODEL_CURVE_H
#define PERP_MODEL_CURVE_H

#include <stddef.h>
#include <stdint.h>

/* Write f(s), m entries, all of them; answers as callbacks do. */
typedef int32_t (*perp_curve_fn)(double s, double *out, const void *context);

enum { CURVE_RATE = 1, CURVE_ACCELERATION = 2 };

/* Doubles of scratch for m functions. */
size_t perp_curve_doubles(int32_t m);

/* out := f' (CURVE_RATE) or f'' (CURVE_ACCELERATION) at 0. scale: the time over which f changes as
 * much as it has, > 0. terms: for each entry the size of the terms that f is a sum of, which tells
 * what rounding leaves of it; NULL: that of f. Where f refuses, or is not finite, at every distance
 * on one side, that side is left out. Answers 0, a negative number at once if f gave up, or > 0 if
 * it refused. */
int32_t perp_curve_derivative(int32_t m, perp_curve_fn f, const void *context, int32_t which,
                              double scale, const double *terms, double *out, double *scratch);

/* Such a time of a motion: that in which an entry of q (n of them; sizes typical, NULL: 1, at
 * least) changes by its size at the rate v, at most scale. q NULL: sizes alone. */
double perp_curve_scale(int32_t n, const double *q, const double *v, const double *typical,
                        double scale);

#endif
