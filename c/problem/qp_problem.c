/* SPDX-License-Identifier: MIT */
/* Quadratic programs: their check, and what a ray proves.
 *
 * r with  r'A x < sum r+ row_lower - r- row_upper  for all x within the bounds: no x is feasible.
 * d in the recession cones of the bounds: at an optimal x with multipliers nu
 * 0 <= d'(P x + c - A'nu), as zeta'd >= 0, so there is none if  d'([P -A'](x, nu) + c) < 0  for all
 * x and all nu of the signs that the rows allow. P d = 0 and A d in the recession cones of the rows
 * give that where c'd < 0. */
#include "problem/qp_problem.h"

#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/info.h"
#include "problem/farkas.h"

qp_interval perp_qp_row(const perp_qp *qp, int32_t k) {
  qp_interval b = {qp->row_lower == NULL ? -(double)INFINITY : qp->row_lower[k],
                   qp->row_upper == NULL ? (double)INFINITY : qp->row_upper[k]};
  return b;
}

qp_interval perp_qp_bound(const perp_qp *qp, int32_t i) {
  qp_interval b = {qp->lower == NULL ? -(double)INFINITY : qp->lower[i],
                   qp->upper == NULL ? (double)INFINITY : qp->upper[i]};
  return b;
}

/* ---- check ---- */

static perp_status check_interval(qp_interval b, const char *lower, const char *upper, int32_t i,
                                  perp_info *info) {
  if (!(b.lower <= DBL_MAX)) return fail(info, PERP_ENOTFINITE, lower, i, b.lower);
  if (!(b.upper >= -DBL_MAX)) return fail(info, PERP_ENOTFINITE, upper, i, b.upper);
  return b.lower <= b.upper ? PERP_OK : fail(info, PERP_EINVAL, lower, i, b.lower);
}

static perp_status check_matrix(const perp_matrix *M, int32_t rows, int32_t cols, const char *name,
                                perp_info *info) {
  if (perp_matrix_check(M, NULL) != PERP_OK || M->rows != rows || M->cols != cols)
    return fail_field(info, name, -1);
  return PERP_OK;
}

perp_status perp_qp_check(const perp_qp *qp, perp_info *info) {
  info_clear(info);
  if (qp == NULL) return fail_field(info, "qp", -1);
  if (qp->n < 0) return fail(info, PERP_EINVAL, "n", -1, qp->n);
  if (qp->m < 0 || qp->m > INT32_MAX / 2 - qp->n) return fail(info, PERP_EINVAL, "m", -1, qp->m);
  perp_status status = check_matrix(&qp->P, qp->n, qp->n, "P", info);
  if (status == PERP_OK && qp->m > 0) status = check_matrix(&qp->A, qp->m, qp->n, "A", info);
  if (status != PERP_OK) return status;
  if (qp->n > 0 && qp->c == NULL) return fail_field(info, "c", -1);
  for (int32_t k = 0; k < qp->m && status == PERP_OK; k++)
    status = check_interval(perp_qp_row(qp, k), "row_lower", "row_upper", k, info);
  for (int32_t i = 0; i < qp->n && status == PERP_OK; i++)
    status = check_interval(perp_qp_bound(qp, i), "lower", "upper", i, info);
  return status;
}

static perp_status name_entry(const char *name, const double *values, size_t at, perp_info *info) {
  return fail(info, PERP_ENOTFINITE, name, at > INT32_MAX ? -1 : (int32_t)at, values[at]);
}

static size_t stored_entries(const perp_matrix *M) {
  size_t entries = 0;
  if (M->kind == PERP_DIAGONAL) return (size_t)M->rows;
  if (M->kind != PERP_BLOCKS) return 0;
  if (M->offset == NULL) return (size_t)M->start[M->block_rows];
  for (int32_t r = 0; r < M->block_rows; r++)
    for (int32_t b = M->start[r]; b < M->start[r + 1]; b++)
      entries += (size_t)(M->offset[r + 1] - M->offset[r]) *
                 (size_t)(M->offset[M->index[b] + 1] - M->offset[M->index[b]]);
  return entries;
}

static perp_status check_entries(const perp_matrix *M, const char *name, perp_info *info) {
  const size_t entries = stored_entries(M), rows = (size_t)M->rows;
  size_t at = first_not_finite(entries, M->values);
  if (at < entries) return name_entry(name, M->values, at, info);
  for (size_t j = 0; M->kind == PERP_DENSE && j < (size_t)M->cols; j++) {
    const size_t begin = j * (size_t)M->ld;
    if (all_finite(rows, M->values + begin)) continue;
    return name_entry(name, M->values, begin + first_not_finite(rows, M->values + begin), info);
  }
  return PERP_OK;
}

perp_status perp_qp_check_finite(const perp_qp *qp, perp_info *info) {
  const size_t n = (size_t)qp->n, at = first_not_finite(n, qp->c);
  if (at < n) return name_entry("c", qp->c, at, info);
  perp_status status = check_entries(&qp->P, "P", info);
  return status == PERP_OK && qp->m > 0 ? check_entries(&qp->A, "A", info) : status;
}

/* ---- proofs ---- */

/* The inequality for r and its hat, that of A x and the sides; 0 if r uses a side that is infinite.
 * Rows without part in it have the side next to 0. scratch: 6 n + 2 m.
 */
static int infeasible_ready(farkas *s, const perp_qp *qp, const double *r, wide_number *hat,
                            double *scratch) {
  double *q = scratch, *size = scratch + qp->m + farkas_doubles(qp->n);
  perp_farkas_begin(s, qp->m, qp->n, r, q, scratch + qp->m);
  for (int32_t k = 0; k < qp->m; k++) {
    const qp_interval b = perp_qp_row(qp, k);
    q[k] = r[k] > 0 || (r[k] == 0 && b.lower > 0) ? -b.lower : -b.upper;
    if (r[k] == 0 && b.lower <= 0 && b.upper >= 0) q[k] = 0;
    if (!is_finite(q[k])) return 0;
  }
  for (int32_t i = 0; i < qp->n; i++) {
    const qp_interval b = perp_qp_bound(qp, i);
    s->lower[i] = b.lower;
    s->upper[i] = b.upper;
  }
  if (qp->m == 0) return 0;
  *hat = perp_farkas_hat(s, &qp->A, size);
  perp_farkas_add(s, &qp->A, 0);
  return 1;
}

/* The inequality for d and its hat; 0 if d leaves the bounds. The multipliers have none, as no side
 * bounds one on both ends. scratch: 6 (n + m). */
static int unbounded_ready(farkas *s, const perp_qp *qp, const double *d, wide_number *hat,
                           double *scratch) {
  const int32_t n = qp->n;
  if (n == 0) return 0;
  perp_farkas_begin(s, n, n + qp->m, d, qp->c, scratch);
  for (int32_t i = 0; i < n; i++) {
    const qp_interval b = perp_qp_bound(qp, i);
    if (!(d[i] == 0 || (d[i] > 0 && b.upper > DBL_MAX) || (d[i] < 0 && b.lower < -DBL_MAX)))
      return 0;
    s->lower[i] = b.lower;
    s->upper[i] = b.upper;
  }
  for (int32_t k = 0; k < qp->m; k++) {
    const qp_interval b = perp_qp_row(qp, k);
    s->lower[n + k] = b.upper <= DBL_MAX ? -(double)INFINITY : 0;
    s->upper[n + k] = b.lower >= -DBL_MAX ? (double)INFINITY : 0;
  }
  *hat = perp_farkas_hat(s, &qp->P, s->sum);
  perp_farkas_add(s, &qp->P, 0);
  if (qp->m > 0) perp_farkas_subtract_transpose(s, &qp->A, n);
  return 1;
}

double perp_qp_proves_infeasible(const perp_qp *qp, const double *r, double *scratch) {
  farkas s;
  wide_number hat;
  return infeasible_ready(&s, qp, r, &hat, scratch) ? perp_farkas_proof(&s, hat) : 0;
}

double perp_qp_proves_unbounded(const perp_qp *qp, const double *d, double *scratch) {
  farkas s;
  wide_number hat;
  return unbounded_ready(&s, qp, d, &hat, scratch) ? perp_farkas_proof(&s, hat) : 0;
}

static int all_zero(int32_t n, const double *x) {
  int32_t i = 0;
  while (i < n && x[i] == 0) i++;
  return i == n;
}

size_t perp_qp_judge_workspace(const perp_qp *qp) {
  if (perp_qp_check(qp, NULL) != PERP_OK) return 0;
  arena a = arena_measure();
  arena_take(&a, qp_scratch_doubles(qp->n, qp->m), sizeof(double));
  return arena_bytes(&a);
}

perp_status perp_qp_certificate(const perp_qp *qp, const double *ray, double *bound, void *work,
                                size_t work_bytes) {
  farkas s;
  wide_number hat;
  perp_status status = perp_qp_check(qp, NULL);
  if (status != PERP_OK) return status;
  if (bound == NULL) return PERP_EINVAL;
  *bound = 0;
  if (qp->n + qp->m == 0) return PERP_INACCURATE;
  if (ray == NULL || work == NULL) return PERP_EINVAL;
  arena a = arena_open(work, work_bytes);
  double *scratch = arena_take(&a, qp_scratch_doubles(qp->n, qp->m), sizeof *scratch);
  if (!arena_fits(&a)) return PERP_EWORKSPACE;
  status = PERP_INACCURATE;
  if (all_zero(qp->n, ray) && infeasible_ready(&s, qp, ray + qp->n, &hat, scratch))
    status = PERP_INFEASIBLE;
  else if (all_zero(qp->m, ray + qp->n) && unbounded_ready(&s, qp, ray, &hat, scratch))
    status = PERP_UNBOUNDED;
  if (status != PERP_INACCURATE) *bound = perp_farkas_bound(&s);
  return *bound > 0 ? status : PERP_INACCURATE;
}
