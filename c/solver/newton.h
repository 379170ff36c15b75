/* SPDX-License-Identifier: MIT */
/* What the Newton methods share, and the pieces of the one for intervals, on scaled unknowns x and
 * scaled y = A x + q + σ (x − a): newton_step.c scales, evaluates Φ and its merit, and finds a step
 * that lowers it; newton.c is the solver that callers see: starts and ends. */
#ifndef PERP_SOLVER_NEWTON_H
#define PERP_SOLVER_NEWTON_H

#include <float.h>
#include <math.h>

#include "perp/newton.h"
#include "solver/interval.h"
#include "solver/mode_basis.h"
#include "solver/shell.h"

/* --- what they share ------------------------------------------------------------------------- */

enum { MERITS_MOST = 16 };

/* The last merits, a ring. A step may raise the merit up to the largest of them, so that Newton
 * can pass a ridge; as that has to fall again and again, nothing goes round in circles [Grippo,
 * Lampariello and Lucidi 1986]. */
typedef struct merit_history {
  double last[MERITS_MOST];
  int32_t count; /* how many there ever were */
} merit_history;

static inline void merits_remember(merit_history *m, int32_t most, double merit) {
  m->last[m->count++ % most] = merit;
}

static inline double merits_largest(const merit_history *m, int32_t most) {
  double largest = m->last[0];
  for (int32_t i = 1; i < most && i < m->count; i++)
    if (m->last[i] > largest) largest = m->last[i];
  return largest;
}

/* Φ of Fischer and Burmeister for an interval. With
 *   φ(a, b) = a + b − sqrt(a² + b²),   φ = 0  ⟺  a >= 0, b >= 0, a b = 0,
 *   Φ = y                             for a free unknown,
 *       φ(x − l, y)                   with a lower bound,
 *       −φ(u − x, −y)                 with an upper bound,
 *       φ(x − l, −φ(u − x, −y))       with both [Billups 1995],
 *       x − l                         where l = u.
 * Φ does not decrease in x and y: a, b >= 0. */
typedef struct fischer_slope {
  double value, a, b; /* and its derivatives */
} fischer_slope;

/* φ in units of the larger argument, for a + b > 0 in the form without cancellation. At the corner
 * the derivative in the direction (1, 1). */
static inline fischer_slope fischer(double a, double b) {
  const double x = fabs(a), y = fabs(b), big = x > y ? x : y;
  fischer_slope f = {0, 1 - 0.70710678118654752, 1 - 0.70710678118654752};
  if (big == 0) return f;
  const double s = a / big, t = b / big, r = sqrt(s * s + t * t);
  f.value = s + t > 0 ? 2 * (x > y ? s : t) / (r + s + t) * (x > y ? b : a) : (s + t - r) * big;
  f.a = 1 - s / r;
  f.b = 1 - t / r;
  return f;
}

static inline fischer_slope fischer_interval(double x, double y, double l, double u) {
  const int below = l >= -DBL_MAX, above = u <= DBL_MAX;
  fischer_slope outer = {y, 0, 1};
  if (below && above && !(l < u)) {
    const fischer_slope fixed = {x - l, 1, 0};
    return fixed;
  }
  if (above) {
    outer = fischer(u - x, -y);
    outer.value = -outer.value;
  }
  if (below) {
    const fischer_slope inner = outer;
    outer = fischer(x - l, inner.value);
    outer.a += outer.b * inner.a;
    outer.b *= inner.b;
  }
  return outer;
}

/* [0, 1) from a linear congruence: the same numbers everywhere and every time. */
static inline double next_number(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11) * 0x1p-53;
}

/* --- the method for intervals ---------------------------------------------------------------- */

typedef struct newton {
  session *run;
  int32_t n, history;
  int natural;             /* direction: 1 of the min function, 0 of Fischer and Burmeister      */
  double *A;               /* n x n: M with scaled rows and columns                    */
  mode_basis basis;        /* of A; its factor's room is that of every step, k = -1: of another */
  double *q, *l, *u;       /* scaled; l and u are the session's                        */
  double *row, *col;       /* y_i = scaled y_i / row_i, λ_j = col_j x_j: powers of two */
  double *x, *y;           /* the iterate                                              */
  double *tx, *ty;         /* the trial                                                */
  double *phi, *da, *db;   /* Φ(x), and V = diag(da) + diag(db) (A + σI) ∈ ∂Φ(x)       */
  double *d, *g;           /* step, gradient of the merit                              */
  double *anchor;          /* a                                                        */
  double *t;               /* scratch                                                  */
  unsigned char *mode;     /* of the last step on the min function                   */
  unsigned char *factored; /* modes for which basis holds the factor of A_FF + σI    */
  double sigma;
  double theta;      /* ½ ‖Φ(x)‖²                                                    */
  double work;       /* multiply-adds that the session has not been told of          */
  perp_status limit; /* GO_ON while the session says so                              */
  merit_history merits;
} newton;

/* Set A, q, l, u, row, col from the problem and its bounds. 0: they are not finite. */
int perp_newton_scale(newton *s);

/* y := A x + q + σ (x − a). */
void perp_newton_map(const newton *s, const double *x, double *y);

/* ½ ‖Φ‖² at (x, y); infinity where it is not finite. */
double perp_newton_merit(const newton *s, const double *x, const double *y);

/* phi, da, db, theta at (x, y) of s. */
void perp_newton_linearise(newton *s);

/* The modes that (x, y) suggest: free where l < x − y < u. */
void perp_newton_modes(const newton *s, unsigned char *mode);

/* d := x_basis − x for the modes in s->mode, factorising A_FF + σI if need be. 0: it has no use. */
int perp_newton_basis_step(newton *s);

/* tx := x + d; a step to a basis ends on its bounds exactly. */
void perp_newton_move(newton *s, int basis);

/* Move x, y to a better point. 0: there is none to be found. */
int perp_newton_advance(newton *s);

#endif
