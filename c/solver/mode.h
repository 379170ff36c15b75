/* SPDX-License-Identifier: MIT */
/* For the methods that go from basis to basis: one unknown, its interval [l, u] and its mode; and
 * the proximal loop, for M with singular bases. */
#ifndef PERP_SOLVER_MODE_H
#define PERP_SOLVER_MODE_H

#include <float.h>
#include <string.h>

#include "solver/interval.h"
#include "solver/shell.h"

/* Whether an unknown can be in this mode. A point (l = u) is always at its lower bound. */
static inline int mode_fits(unsigned char mode, double lower, double upper) {
  const int wide = lower < upper;
  if (mode == PERP_MODE_FREE) return wide;
  return ((mode == PERP_MODE_FREE) & wide) | ((mode == PERP_MODE_LOWER) & (lower >= -DBL_MAX)) |
         ((mode == PERP_MODE_UPPER) & (upper <= DBL_MAX) & wide);
}

/* Where an unknown with this mode, not FREE, is. */
static inline double mode_bound(unsigned char mode, double lower, double upper) {
  return mode == PERP_MODE_LOWER ? lower : upper;
}

/* λ moved into its bounds; NaN stays. */
static inline void clip_all(int32_t n, double *lambda, const double *lower, const double *upper) {
  for (int32_t i = 0; i < n; i++) lambda[i] = clip(lambda[i], lower[i], upper[i]);
}

/* mode := what is known (NULL: nothing) and fits; a point is at its lower bound, any other unknown
 * UNKNOWN. Returns how many those are. */
static inline int32_t adopt_modes(int32_t n, const unsigned char *known, const double *lower,
                                  const double *upper, unsigned char *mode) {
  int32_t unknown = 0, fitting = 0;
  while (known != NULL && fitting < n && mode_fits(known[fitting], lower[fitting], upper[fitting]))
    fitting++;
  if (fitting > 0) memcpy(mode, known, (size_t)fitting);
  for (int32_t i = fitting; i < n; i++) {
    mode[i] = lower[i] < upper[i] ? PERP_MODE_UNKNOWN : PERP_MODE_LOWER;
    if (known != NULL && mode_fits(known[i], lower[i], upper[i])) mode[i] = known[i];
    unknown += mode[i] == PERP_MODE_UNKNOWN;
  }
  return unknown;
}

/* y += t x, four entries a turn: most of what a pivot costs a small processor is counting. */
static inline void add_multiple(size_t n, double t, const double *restrict x, double *restrict y) {
  const double *fours = x + n / 4 * 4, *end = x + n;
  for (; x < fours; x += 4, y += 4) {
    y[0] += x[0] * t;
    y[1] += x[1] * t;
    y[2] += x[2] * t;
    y[3] += x[3] * t;
  }
  while (x < end) *y++ += *x++ * t;
}

/* In a tableau, the basic variables (n) as functions of the nonbasic ones (cols), column-major: row
 * r, solved for the variable of its column c, put into all others. */
static inline void exchange_variables(size_t n, size_t cols, double *D, size_t r, size_t c) {
  double *restrict entering = D + n * c;
  const double inverse = 1 / entering[r];
  for (size_t j = 0; j < cols; j++) {
    double *restrict a = D + n * j;
    const double t = -a[r] * inverse;
    if (j == c || t == 0) continue;
    add_multiple(n, t, entering, a);
    a[r] = t;
  }
  for (size_t i = 0; i < n; i++) entering[i] *= inverse;
  entering[r] = inverse;
}

/* What rounding may leave of y_i, in parts of (|M||λ| + |q|)_i, and of max |q| because a basis is
 * solved to that; and the most to which a method may let such parts grow. */
#define MODE_ROUNDING (16 * DBL_EPSILON)
#define MODE_COARSEST 1e-10

/* The mode that a step of Jacobi's method from v takes an unknown to, with r = (M λ + q)_i. Ties
 * are free. */
static inline unsigned char jacobi_mode(double v, double lower, double upper, double diagonal,
                                        double r) {
  if (lower >= -DBL_MAX && r > (v - lower) * diagonal) return PERP_MODE_LOWER;
  if (upper <= DBL_MAX && r < (v - upper) * diagonal) return PERP_MODE_UPPER;
  return PERP_MODE_FREE;
}

/* mode := what the warm data know and fits; of the others where a step of Jacobi's method from the
 * point of the box nearest to 0 takes them. lambda and y are written. */
void perp_modes_start(const session *s, unsigned char *mode);

/* mode := what the warm data know and fits; others at the bound next to 0, or free where there is
 * none. */
void perp_modes_at_bounds(const session *s, unsigned char *mode);

/* Whether u (n), projected and brought to size one first, proves that there is no solution; it is
 * handed over then. scratch: of the certificate. */
int perp_direction_proves(const session *s, double *u, double *scratch);

/* --- the proximal loop -------------------------------------------------------------------------
 */

/* Beside the statuses, from an inner method: it cannot solve for this σ, a larger one may help. */
enum { PROXIMAL_RAISE = 1000 };

typedef struct proximal {
  session *run; /* sets FREE, ORTHANT, BOX; with bounds and the judge's room                   */
  void *self;   /* handed to solve                                                             */
  /* λ := solution of M + shift I, q, started from where the last call ended. PERP_OK,
   * PROXIMAL_RAISE, or what ends the loop. */
  perp_status (*solve)(void *self, double shift, const double *q);
  double shift;     /* first σ                                                              */
  double least;     /* least σ                                                              */
  int32_t steps;    /* most steps of the loop                                               */
  double *previous; /* n: λ^k                                                               */
  double *moved;    /* n: q − σ λ^k; NULL: not wanted. It may lie in run->scratch, as it is
                       made for each solve                                                  */
} proximal;

/* PERP_OK, PERP_INFEASIBLE, PERP_INACCURATE (no σ helps: M is not monotone), PERP_MAX_ITER (of
 * steps), or what solve ended with; λ is the last point, the best if there was one within the
 * tolerance. */
perp_status perp_proximal_run(const proximal *p);

#endif
