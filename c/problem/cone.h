/* SPDX-License-Identifier: MIT */
/* The cones of friction and of rolling friction: projection, its generalised Jacobian, and De
 * Saxcé's change of variable. Comparisons are written so that NaN comes out as NaN. */
#ifndef PERP_PROBLEM_CONE_H
#define PERP_PROBLEM_CONE_H

#include <math.h>

#include "perp/law.h"

/* ||x|| of one or two entries, without overflow. */
static inline double cone_norm_inline(int32_t size, const double *x) {
  if (size == 1) return fabs(x[0]);
  const double a = fabs(x[0]), b = fabs(x[1]), m = a > b ? a : b;
  if (!(m > 1e-150 && m < 1e150) && m > 0 && m <= 1.7976931348623157e308)
    return m * sqrt((a / m) * (a / m) + (b / m) * (b / m));
  return sqrt(a * a + b * b);
}

#if defined(__OPTIMIZE_SIZE__) /* contact_parts.c: one function for all */
double perp_cone_norm(int32_t size, const double *x);
#define cone_norm perp_cone_norm
#else
#define cone_norm cone_norm_inline
#endif

/* p := the point of {||x_t|| <= mu x_n} next to x; size 2 or 3, p may be x. */
static inline void cone_project(int32_t size, double mu, const double *x, double *p) {
  const double n = x[0], s = cone_norm(size - 1, x + 1);
  double tangential = 1, normal = n;
  if (mu * s <= -n) {
    tangential = normal = 0;
  } else if (!(s <= mu * n)) {
    normal = (n + mu * s) / (1 + mu * mu);
    tangential = s > 0 ? mu * normal / s : 0;
  }
  if (n != n || s != s) tangential = normal = n + s;
  p[0] = normal;
  for (int32_t k = 1; k < size; k++) p[k] = tangential == 0 ? 0 : tangential * x[k];
}

/* J (size x size, column-major) := an element of the generalised Jacobian of the projection at x.
 */
void perp_cone_jacobian(int32_t size, double mu, const double *x, double *J);

/* On {||x_t|| <= mu x_n, ||x_m|| <= mu_rolling x_n}; size 3 or 5. */
void perp_rolling_project(int32_t size, double mu, double mu_rolling, const double *x, double *p);
void perp_rolling_jacobian(int32_t size, double mu, double mu_rolling, const double *x, double *J);

#endif
