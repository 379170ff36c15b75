/* SPDX-License-Identifier: MIT */
/* Sums of products with a bound of their error that holds for every finite double.
 *
 * A sum is taken in its own unit 2^unit, that of its largest product, from significands, so that
 * nothing over- or underflows; what is 2^-900 times smaller than the unit is left out. It is a pair
 * sum + rest: products and sums without error (Dekker 1971, Knuth), their low parts added up in
 * rest. What is rounded there is known too, and its magnitudes make the error, which is 0 for a sum
 * that is exact (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005) 1955-1988). */
#ifndef PERP_PROBLEM_TOTAL_H
#define PERP_PROBLEM_TOTAL_H

#include <stdint.h>

/* x 2^unit with x = 0 or in [1, 2) */
typedef struct wide_number {
  double x;
  int32_t unit;
} wide_number;

typedef struct total {
  double sum, rest; /* (sum + rest - value) 2^-unit is 2 error at most */
  double error;
  int32_t unit;
  int32_t open; /* the unit is being looked for yet, and nothing added */
} total;

/* For a first pass over the products, which finds the unit, and with open = 0 a second. */
static inline total total_open(void) {
  const total t = {0, 0, 0, INT32_MIN / 2, 1};
  return t;
}

/* The significand of x != 0, in [1, 2) but for its sign; its exponent is added to *e. NaN unless x
 * is finite. */
double perp_wide_split(double x, int32_t *e);

/* x 2^e for x >= 0, from below: at most DBL_MAX, and 0 where it is small. */
double perp_wide_scaled(double x, int32_t e);

/* w := max(w, x 2^unit) for x >= 0 */
void perp_wide_raise(wide_number *w, double x, int32_t unit);

/* t += a b 2^shift */
void perp_total_add(total *t, double a, double b, int32_t shift);

/* sum of a_i b_i of n entries; b = NULL: ones. For floor >= 0, of |a_i| max(|b_i|, floor). */
total perp_total_dot(int32_t n, const double *a, const double *b, double floor);

/* sign (1 or -1) times the value, from above. */
double perp_total_top(const total *t, double sign);

#endif
