/* SPDX-License-Identifier: MIT */
/* Small dense kernels, column-major, unit stride inside, no dependency but sqrt. Sums run in a
 * fixed order, so results have the same bits on every IEEE platform. None allocates. */
#ifndef PERP_LINALG_DENSE_H
#define PERP_LINALG_DENSE_H

#include "perp/backend.h"

/* x . y of n entries, in four lanes: ((s0+s2)+(s1+s3)), lane k sums the indices k mod 4. */
double perp_dense_dot(int32_t n, const double *x, const double *y);

/* y += a x, n entries. */
void perp_dense_axpy(int32_t n, double a, const double *x, double *y);

/* y (rows) += A x, A rows x cols with column stride ld; y takes the columns in their order. */
void perp_dense_multiply_add(int32_t rows, int32_t cols, const double *A, int32_t ld,
                             const double *x, double *y);

/* C (m x n, stride ldc) -= A (m x p, stride lda) B with entry (k, j) of B at B[k*down + j*right],
 * so that B may be transposed. The kernel of the factorisations: every entry of C subtracts its p
 * products one after the other in the order of k, so blocking changes no bit. C overlaps neither
 * A nor B. */
void perp_dense_subtract_product(size_t m, size_t n, size_t p, const double *A, size_t lda,
                                 const double *B, size_t down, size_t right, double *C, size_t ldc);

/* A (n x n, stride ld) := L U with partial pivoting, row i exchanged with pivots[i] >= i (0-based).
 * PERP_EINVAL if a pivot is 0 or not finite. */
perp_status perp_dense_lu_factor(int32_t n, double *A, int32_t ld, int32_t *pivots);

/* B (n x m, stride ldb) := A^-1 B with the factor above. */
void perp_dense_lu_solve(int32_t n, int32_t m, const double *LU, int32_t ld, const int32_t *pivots,
                         double *B, int32_t ldb);

/* How far entries of A (n x n) are from the diagonal: 0 of a diagonal one. */
int32_t perp_dense_band(int32_t n, const double *A);

/* That of a factor which perp_dense_lu_solve_band() can use: small, without rows exchanged; else n.
 */
int32_t perp_dense_lu_band(int32_t n, const double *LU, const int32_t *pivots);

/* As perp_dense_lu_solve(), to the bit, with a factor of such a band < n, ld = n. */
void perp_dense_lu_solve_band(int32_t n, int32_t band, int32_t m, const double *LU, double *B,
                              int32_t ldb);

/* b := A^-T b with the factor above. */
void perp_dense_lu_solve_transposed(int32_t n, const double *LU, int32_t ld, const int32_t *pivots,
                                    double *b);

/* Lower triangle of A := L with A = L L^T. PERP_EINVAL unless every pivot > 0 (NaN fails). */
perp_status perp_dense_cholesky(int32_t n, double *A, int32_t ld);

/* b := A^-1 b with the factor above. */
void perp_dense_cholesky_solve(int32_t n, const double *L, int32_t ld, double *b);

#endif
