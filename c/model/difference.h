/* SPDX-License-Identifier: MIT */
/* Derivatives by differences, for every kind of system and relation. */
#ifndef PERP_MODEL_DIFFERENCE_H
#define PERP_MODEL_DIFFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* Write f(x), m entries, all of them; answers as callbacks do. */
typedef int32_t (*perp_difference_fn)(const double *x, double *out, const void *context);

/* Doubles of scratch for m functions of n unknowns. */
size_t perp_difference_doubles(int32_t m, int32_t n);

/* J (m x n, stride m) += w ∂f/∂x at x, one-sided. typical: sizes > 0 of the x_j, NULL: 1. x may
 * not lie in scratch. Answers 0, or what f answered at x, or in direction j on both sides. */
int32_t perp_difference(int32_t m, int32_t n, perp_difference_fn f, const void *context,
                        const double *x, const double *typical, double w, double *J,
                        double *scratch);

#endif
