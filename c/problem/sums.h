/* SPDX-License-Identifier: MIT */
/* The residual's pass over M where it is large or cut into blocks. */
#ifndef PERP_PROBLEM_SUMS_H
#define PERP_PROBLEM_SUMS_H

#include "perp/matrix.h"

/* y += A x, rows += |A||x|, squares += the squares of each column of a dense matrix. */
void perp_sums_dense(int32_t rows, int32_t cols, const double *A, int32_t ld, const double *x,
                     double *y, double *row_sums, double *squares);

/* For M in blocks. */
void perp_sums_blocks(const perp_matrix *M, const double *x, double *y, double *rows,
                      double *squares);

/* norm := ||diag(weight) M_.j||_F of every column, also where the squares leave the range of a
 * double; weight NULL: all 1. scratch is as long. */
void perp_sums_norms(const perp_matrix *M, const double *weight, double *norm, double *scratch);

/* y + low += A x of a dense matrix: y the sums, low what they lost. Source: Ogita, Rump, Oishi,
 * SIAM J. Sci. Comput. 26 (2005) 1955-1988, Dot2. */
void perp_sums_twofold_dense(int32_t rows, int32_t cols, const double *A, int32_t ld,
                             const double *x, double *y, double *low);

/* y := M x + q in twice the precision, rounded once; low is as long as y. Not finite where a
 * product overflows on the way. */
void perp_sums_twofold(const perp_matrix *M, const double *x, const double *q, double *y,
                       double *low);

#endif
