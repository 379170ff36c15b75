/* SPDX-License-Identifier: MIT */
/* One unknown of the box form, −y ∈ N_[l,u](λ), as all methods look at it. */
#ifndef PERP_SOLVER_INTERVAL_H
#define PERP_SOLVER_INTERVAL_H

#include <math.h>

#include "base/finite.h"

/* x moved into [l, u]; NaN stays. */
static inline double clip(double x, double lower, double upper) {
  const double raised = lower > x ? lower : x; /* as the instructions for it take a NaN */
  return upper < raised ? upper : raised;
}

/* P_[l,u](0), the point of least magnitude. */
static inline double nearest_to_zero(double lower, double upper) {
  return lower > 0 ? lower : (upper < 0 ? upper : 0.0);
}

/* The residual c (x − P(x − y / c)) in a form that loses nothing where x is large; c > 0. */
static inline double interval_residual(double x, double lower, double upper, double c, double y) {
  return clip(y, c * (x - upper), c * (x - lower));
}

/* max |x_i|; a NaN is passed over. */
static inline double largest_size(int32_t n, const double *x) {
  double largest = 0;
  for (int32_t i = 0; i < n; i++) largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
  return largest;
}

/* max(m, |r|) that never loses a NaN. */
static inline double interval_raise(double m, double r) {
  double a = r < 0 ? -r : r;
  return a > m || a != a ? a : m;
}

/* The factor of an own estimate's target after the residual refused a point that met it. */
static inline double tightened(double factor, double tol, double relative) {
  const double miss = relative > 0 ? tol / relative : 0;
  return factor * (miss > 0 && miss < 1 ? 0.5 * miss : 0.5);
}

/* A start: what is no number becomes 0, all is moved into the box. */
static inline void interval_start(int32_t n, double *lambda, const double *lower,
                                  const double *upper) {
  for (int32_t i = 0; i < n; i++)
    lambda[i] = clip(is_finite(lambda[i]) ? lambda[i] : 0, lower[i], upper[i]);
}

#endif
