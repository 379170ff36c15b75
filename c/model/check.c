/* SPDX-License-Identifier: MIT */
#include "model/check.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/info.h"
#include "linalg/dense.h"

perp_status perp_check_array(const double *x, size_t n, int optional, const char *field,
                             int32_t index, perp_info *info) {
  if (x == NULL) return optional || n == 0 ? PERP_OK : fail_field(info, field, index);
  size_t bad = first_not_finite(n, x);
  return bad == n ? PERP_OK : fail(info, PERP_ENOTFINITE, field, index, x[bad]);
}

perp_status perp_check_rows(const perp_matrix *A, const char *field, int32_t index,
                            perp_info *info) {
  if (A->offset != NULL) return fail(info, PERP_EUNSUPPORTED, field, index, A->kind);
  if (perp_matrix_check(A, NULL) != PERP_OK) return fail(info, PERP_EINVAL, field, index, A->kind);
  return perp_check_array(A->values, (size_t)A->start[A->rows], 0, field, index, info);
}

perp_status perp_check_operator(const perp_matrix *A, int32_t n, rows_check *check_rows,
                                const char *field, int32_t index, perp_info *info) {
  const int rows = A->kind == PERP_BLOCKS;
  if (A->kind == PERP_ZERO) return PERP_OK;
  if (A->kind < PERP_ZERO || A->kind > PERP_BLOCKS || (rows && check_rows == NULL))
    return fail(info, PERP_EUNSUPPORTED, field, index, A->kind);
  if (A->rows != n) return fail(info, PERP_EINVAL, field, index, A->rows);
  if (A->cols != n) return fail(info, PERP_EINVAL, field, index, A->cols);
  if (A->kind == PERP_DENSE && A->ld < n) return fail(info, PERP_EINVAL, field, index, A->ld);
  if (rows) return check_rows(A, field, index, info);
  if (A->kind == PERP_DIAGONAL)
    return perp_check_array(A->values, (size_t)n, 0, field, index, info);
  for (int32_t j = 0; j < n; j++) {
    const double *column = A->values == NULL ? NULL : A->values + (size_t)A->ld * (size_t)j;
    perp_status status = perp_check_array(column, (size_t)n, 0, field, index, info);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
}

/* An entry of M, 0 where none is stored. */
static double entry(const perp_matrix *M, int32_t i, int32_t j) {
  if (M->kind == PERP_DIAGONAL) return i == j ? M->values[i] : 0;
  if (M->kind == PERP_DENSE) return M->values[(size_t)i + (size_t)M->ld * (size_t)j];
  for (int32_t k = M->start[i]; k < M->start[i + 1]; k++)
    if (M->index[k] == j) return M->values[k];
  return 0;
}

/* Whether one pair of unknowns shows that M is no mass. */
static int is_no_mass(const perp_matrix *M, int32_t i, int32_t j) {
  const double rounding = 0x1p-30, a = entry(M, i, j), b = entry(M, j, i);
  const double ii = entry(M, i, i), jj = entry(M, j, j);
  if (i == j) return !(a > 0);
  if (a == 0 && b == 0) return 0;
  const double size = sqrt(ii) * sqrt(jj); /* NaN where one is negative, which i == j tells */
  return fabs(a - b) > rounding * size || fabs(a) >= size;
}

perp_status perp_check_mass(const perp_matrix *M, int32_t n, int32_t index, perp_info *info) {
  for (int32_t i = 0; i < n; i++) {
    if (is_no_mass(M, i, i)) return fail(info, PERP_EINVAL, "M", index, entry(M, i, i));
    const int32_t first = M->kind == PERP_BLOCKS ? M->start[i] : 0;
    const int32_t end = M->kind == PERP_BLOCKS ? M->start[i + 1] : M->kind == PERP_DENSE ? n : 0;
    for (int32_t k = first; k < end; k++) {
      const int32_t j = M->kind == PERP_BLOCKS ? M->index[k] : k;
      if (is_no_mass(M, i, j)) return fail_field(info, "M", index);
    }
  }
  return PERP_OK;
}

perp_status perp_check_dense_mass(int32_t n, const double *M, double *L, int32_t index,
                                  perp_info *info) {
  const perp_matrix view = perp_dense(n, n, M);
  const perp_status status = perp_check_mass(&view, n, index, info);
  if (status != PERP_OK) return status;
  memcpy(L, M, (size_t)n * (size_t)n * sizeof *M);
  return perp_dense_cholesky(n, L, n) == PERP_OK ? PERP_OK : fail_field(info, "M", index);
}

perp_status perp_check_parameters(const double *z, int32_t n_z, perp_info *info) {
  if (n_z < 0) return fail(info, PERP_EINVAL, "n_z", -1, n_z);
  return perp_check_array(z, (size_t)n_z, 0, "z", -1, info);
}

perp_status perp_check_typical(const double *typical, int32_t n, const char *field,
                               perp_info *info) {
  perp_status status = perp_check_array(typical, (size_t)n, 1, field, -1, info);
  for (int32_t i = 0; status == PERP_OK && typical != NULL && i < n; i++)
    if (!(typical[i] > 0)) return fail(info, PERP_EINVAL, field, -1, typical[i]);
  return status;
}
