/* SPDX-License-Identifier: MIT */
#include "model/check.h"

#include "base/finite.h"
#include "base/info.h"

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

perp_status perp_check_operator(const perp_matrix *A, int32_t n, const char *field, int32_t index,
                                perp_info *info) {
  if (A->kind == PERP_ZERO) return PERP_OK;
  if (A->kind < PERP_ZERO || A->kind > PERP_BLOCKS)
    return fail(info, PERP_EUNSUPPORTED, field, index, A->kind);
  if (A->rows != n) return fail(info, PERP_EINVAL, field, index, A->rows);
  if (A->cols != n) return fail(info, PERP_EINVAL, field, index, A->cols);
  if (A->kind == PERP_DENSE && A->ld < n) return fail(info, PERP_EINVAL, field, index, A->ld);
  if (A->kind == PERP_BLOCKS) return perp_check_rows(A, field, index, info);
  if (A->kind == PERP_DIAGONAL)
    return perp_check_array(A->values, (size_t)n, 0, field, index, info);
  for (int32_t j = 0; j < n; j++) {
    const double *column = A->values == NULL ? NULL : A->values + (size_t)A->ld * (size_t)j;
    perp_status status = perp_check_array(column, (size_t)n, 0, field, index, info);
    if (status != PERP_OK) return status;
  }
  return PERP_OK;
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
