/* SPDX-License-Identifier: MIT */
/* The part of its own size by which a problem may be missed, whatever λ is: the second test of
 * problem.h and qp.h. */
#ifndef PERP_PROBLEM_ALLOWANCE_H
#define PERP_PROBLEM_ALLOWANCE_H

#include "perp/problem.h"

/* a(tol) = min(10⁻², max(10⁻⁶, 10 tol)) */
static inline double residual_allowance(double tol) {
  const double ten = 10 * tol, least = ten > 1e-6 ? ten : 1e-6;
  return least < 1e-2 ? least : 1e-2;
}

/* How far a point is from being solved, in units of the relative residual: what both tests ask, so
 * that of two points the one with less is the better one. The solution of q = 0 is 0, and beside it
 * points are measured by themselves. */
static inline double residual_merit(const perp_residual *r, double tol) {
  const double unit = tol > 0x1p-52 ? tol : 0x1p-52, size = r->hat > 0 ? r->hat : r->scale;
  const double most = residual_allowance(tol) * size;
  const double second = r->residual <= most ? 0 : unit * (r->residual / most);
  return r->relative <= second ? second : r->relative;
}

#endif
