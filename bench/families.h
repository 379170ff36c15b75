/* SPDX-License-Identifier: MIT */
/* Generated problems, the same bits on every machine: uniform numbers u in (-1, 1) from the
 * generator  x := 6364136223846793005 x + 1442695040888963407 (mod 2^64), x = N at the start, of
 * which the highest 53 bits count. q = u. All are complementarity problems with positive definite
 * M, symmetric but for tilted and skew:
 *
 *   spd      M = 3 A Aᵀ / N + I,        A dense N x N of u (so that 3 A Aᵀ has mean N I)
 *   stiff    M = 3 A Aᵀ / N + 1e-3 I
 *   tilted   as spd, plus u / √N above the diagonal and minus that below
 *   banded   five diagonals: M_ij = u / 4 beside the diagonal, 1 + Σ_j |M_ij| on it
 *   blocks   3 x 3 blocks, tridiagonal: M_IJ = u / 4 beside the diagonal, B Bᵀ + 6 I on it
 *   skew     five diagonals: M_ij = u, M_ji = -u beside the diagonal, 1/10 on it */
#ifndef BENCH_FAMILIES_H
#define BENCH_FAMILIES_H

#include "solve.h"

/* 0: no such family, or no memory for M. */
int make_problem(bench_problem *p, const char *family, int n);

void free_problem(bench_problem *p);

#endif
