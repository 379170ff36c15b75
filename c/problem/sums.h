/* SPDX-License-Identifier: MIT */
/* The residual's pass over M where it is large or cut into blocks. */
#ifndef PERP_PROBLEM_SUMS_H
#define PERP_PROBLEM_SUMS_H

#include "perp/matrix.h"

/* y += M x, rows += |M||x|, squares += the squares of each column; M dense or in blocks. */
void perp_sums_blocks(const perp_matrix *M, const double *x, double *y, double *rows,
                      double *squares);

/* norm := ||M_.j||_F of every column of any M, also where the squares leave the range of a double;
 * scratch is as long. */
void perp_sums_scaled_norms(const perp_matrix *M, double *norm, double *scratch);

#endif
