/* SPDX-License-Identifier: MIT */
/* The residual's pass over M where it is large or cut into blocks. */
#ifndef PERP_PROBLEM_SUMS_H
#define PERP_PROBLEM_SUMS_H

#include "perp/matrix.h"

/* y += A x, rows += |A||x|, squares += the squares of each column of a dense matrix. */
void perp_sums_dense(int32_t rows, int32_t cols, const double *A, int32_t ld, const double *x,
                     double *y, double *row_sums, double *squares);

/* The same for M in blocks. */
void perp_sums_blocks(const perp_matrix *M, const double *x, double *y, double *rows,
                      double *squares);

/* norm := ||M_.j||_F of every column of an M that is not dense, also where the squares leave the
 * range of a double; scratch is as long. */
void perp_sums_scaled_norms(const perp_matrix *M, double *norm, double *scratch);

#endif
