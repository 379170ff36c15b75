/* SPDX-License-Identifier: MIT */
/* The back end on LAPACKE and CBLAS, column-major throughout. The _work forms neither allocate nor
 * look for NaN themselves; LAPACK leaves open what it does with one, so lu_factor looks first. */
#include <cblas.h>
#include <lapacke.h>

#include "base/finite.h"
#include "perp/backend.h"

/* The pivots of LAPACK are stored as they are (from 1): only lu_solve reads them. */
typedef char lapack_int_is_int32[sizeof(lapack_int) == sizeof(int32_t) ? 1 : -1];

static perp_status lu_factor(int32_t n, double *A, int32_t ld, int32_t *pivots) {
  if (n < 0 || ld < n) return PERP_EINVAL;
  if (n == 0) return PERP_OK;
  if (A == NULL || pivots == NULL) return PERP_EINVAL;
  const size_t stride = (size_t)ld;
  for (int32_t j = 0; j < n; j++)
    if (!all_finite((size_t)n, A + stride * (size_t)j)) return PERP_EINVAL;
  const lapack_int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, ld, pivots);
  if (info != 0) return info > 0 ? PERP_EINVAL : PERP_EBACKEND;
  for (int32_t j = 0; j < n; j++) /* finite entries can overflow */
    if (!is_finite(A[(size_t)j + stride * (size_t)j])) return PERP_EINVAL;
  return PERP_OK;
}

static perp_status lu_solve(int32_t n, int32_t m, const double *LU, int32_t ld,
                            const int32_t *pivots, double *B, int32_t ldb) {
  if (n < 0 || m < 0 || ld < n || ldb < n) return PERP_EINVAL;
  if (n == 0 || m == 0) return PERP_OK;
  if (LU == NULL || pivots == NULL || B == NULL) return PERP_EINVAL;
  const lapack_int info = LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, m, LU, ld, pivots, B, ldb);
  return info == 0 ? PERP_OK : PERP_EBACKEND;
}

/* Nothing to report an argument error with, so sizes that CBLAS would complain about end here. */
static void multiply_add(int32_t rows, int32_t cols, const double *A, int32_t ld, const double *x,
                         double *y) {
  if (rows <= 0 || cols <= 0 || ld < rows || A == NULL || x == NULL || y == NULL) return;
  cblas_dgemv(CblasColMajor, CblasNoTrans, rows, cols, 1.0, A, ld, x, 1, 1.0, y, 1);
}

const perp_backend *perp_backend_lapack(void) {
  static const perp_backend lapack = {sizeof(perp_backend), 0, "lapack", lu_factor, lu_solve,
                                      multiply_add};
  return &lapack;
}
