/* SPDX-License-Identifier: MIT */
/** @file backend.h
 * Linear algebra back end: a table that a simulation takes in its options for large dense work.
 * NULL means perp's own kernels, so that linking a back end alone changes no bit. */
#ifndef PERP_BACKEND_H
#define PERP_BACKEND_H

#include "perp/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Dense matrices with at least this many rows are given to the back end, smaller ones never. */
#define PERP_BACKEND_MIN 32

/** Operations of a back end; all arrays column-major in the caller's memory. */
typedef struct perp_backend {
  uint32_t struct_size; /**< sizeof(perp_backend) */
  uint32_t reserved;    /**< 0 */
  const char *name;     /**< static */
  /** A (n x n, stride ld) := L U with row exchanges; pivots n. PERP_EINVAL if singular,
   * PERP_EBACKEND if the library fails. */
  perp_status (*lu_factor)(int32_t n, double *A, int32_t ld, int32_t *pivots);
  /** B (n x m, stride ldb) := A⁻¹ B with the factor of lu_factor. */
  perp_status (*lu_solve)(int32_t n, int32_t m, const double *LU, int32_t ld, const int32_t *pivots,
                          double *B, int32_t ldb);
  /** y (rows) += A x, A rows x cols with stride ld. */
  void (*multiply_add)(int32_t rows, int32_t cols, const double *A, int32_t ld, const double *x,
                       double *y);
} perp_backend;

/** LAPACKE and the CBLAS it stands on (OpenBLAS on most systems). In perp::perp only: linking it
 * from perp::core is a link error. Since 0.1. */
PERP_API const perp_backend *perp_backend_lapack(void);

#ifdef __cplusplus
}
#endif
#endif
