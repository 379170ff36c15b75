/* SPDX-License-Identifier: MIT */
/* Unknowns that do not meet: zero, diagonal and 1 x 1 M, in closed form. */
#ifndef PERP_PORTFOLIO_APART_H
#define PERP_PORTFOLIO_APART_H

#include <float.h>

#include "perp/matrix.h"

/* A solution of −(m x + q) ∈ N_[l,u](x); 0 if there is none. */
static inline int solve_scalar(double m, double q, double l, double u, double *out) {
  const double root = -q / m;
  *out = l > 0 ? l : u < 0 ? u : 0;
  if (m * *out + q == 0) return 1;
  if (m != 0 && root >= l && root <= u && root >= -DBL_MAX && root <= DBL_MAX)
    return *out = root, 1;
  if (l >= -DBL_MAX && m * l + q >= 0) return *out = l, 1;
  if (u <= DBL_MAX && m * u + q <= 0) return *out = u, 1;
  return 0;
}

/* λ := solution component by component. 0 if M has other entries, or if there is none. */
static inline int solve_apart(const perp_matrix *M, const double *q, const double *lower,
                              const double *upper, double *lambda) {
  if (M->kind == PERP_BLOCKS || (M->kind == PERP_DENSE && M->rows > 1)) return 0;
  for (int32_t i = 0; i < M->rows; i++)
    if (!solve_scalar(M->kind == PERP_ZERO ? 0 : M->values[i], q[i], lower[i], upper[i],
                      &lambda[i]))
      return 0;
  return 1;
}

#endif
