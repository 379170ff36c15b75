/* SPDX-License-Identifier: MIT */
/* The point of a basis of a box problem in dense storage. Modes split the unknowns into F (free)
 * and N (at a bound); with M for M + σI they determine
 *   M_FF λ_F = −(q_F + M_FN λ_N),   y = M λ + q,
 * by a factor of M_FF: Cholesky's where M is symmetric and M_FF definite, else LU. The point
 * depends on M, σ, q and the modes alone. */
#ifndef PERP_SOLVER_MODE_BASIS_H
#define PERP_SOLVER_MODE_BASIS_H

#include "base/arena.h"
#include "perp/solver.h"

typedef struct mode_basis {
  int32_t n;
  int32_t k;    /* size of F                                                    */
  int32_t ld;   /* column stride of M                                           */
  int32_t weak; /* whether the factor lost half of its digits somewhere         */
  int32_t symmetric;
  int32_t cholesky; /* whether the factor is L Lᵀ                                   */
  double shift;     /* σ of the factor                                              */
  const double *M;  /* n x n, column-major: the caller's, or the copy               */
  double *copy;     /* n x n; NULL if the caller's M is dense                       */
  double *factor;   /* n x n: k x k                                                 */
  double *x;        /* n                                                            */
  double *size;     /* n: largest |M_ij| of column j                                */
  int32_t *member;  /* n: F ascending                                               */
  int32_t *pivots;  /* n                                                            */
} mode_basis;

static inline const double *mode_column(const mode_basis *b, int32_t j) {
  return b->M + (size_t)b->ld * (size_t)j;
}

/* Measure or place for n unknowns and a kind of matrix. */
void perp_mode_basis_carve(mode_basis *b, arena *a, int32_t n, int32_t kind);

/* Take M; fills size and symmetric. */
void perp_mode_basis_open(mode_basis *b, const perp_matrix *M);

/* Factorise M_FF + σI for the modes. 0 if it is singular: some pivot is not above the rounding of
 * the terms that cancelled in it, in whatever units the unknowns are. Where small pivots before it
 * hide that, the factor is weak. */
int perp_mode_basis_factor(mode_basis *b, const unsigned char *mode, double shift);

/* x (k) := (M_FF + σI)^-1 x */
void perp_mode_basis_solve(const mode_basis *b, double *x);

/* x (k) := (M_FF + σI)^-T x */
void perp_mode_basis_solve_transposed(const mode_basis *b, double *x);

/* lambda, y (n each) := the point. A weak factor gets one step of refinement. */
void perp_mode_basis_point(const mode_basis *b, const unsigned char *mode, const double *lower,
                           const double *upper, const double *q, double *lambda, double *y);

/* By how much a component is infeasible, in units of y, and what it would change to; <= 0: it is
 * not. A free one that exceeds its bound moves y by up to that much times size. */
static inline double mode_excess(unsigned char mode, double l, double u, double v, double y,
                                 double size, unsigned char *to) {
  if (mode == PERP_MODE_FREE) {
    *to = v < l ? PERP_MODE_LOWER : PERP_MODE_UPPER;
    return (v < l ? l - v : v > u ? v - u : 0) * size;
  }
  *to = PERP_MODE_FREE;
  return !(l < u) ? 0 : mode == PERP_MODE_LOWER ? -y : y;
}

/* next := mode with all infeasible components exchanged: λ_i < l_i or λ_i > u_i (i in F), y_i < 0
 * at the lower or y_i > 0 at the upper bound, beyond the rounding of row i with slack for
 * MODE_ROUNDING. Returns how many they are, and the first of them (-1: none). */
int32_t perp_mode_basis_judge(const mode_basis *b, const unsigned char *mode, const double *lower,
                              const double *upper, const double *q, double slack,
                              const double *lambda, const double *y, unsigned char *next,
                              int32_t *first);

#endif
