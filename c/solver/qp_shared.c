/* SPDX-License-Identifier: MIT */
/* Border checks, verification and rays of quadratic programs. */
#include "solver/qp_shared.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/info.h"
#include "linalg/matrix.h"

/* A violation smaller than this part of its terms may be one of dependent rows. */
#define HAIR 1e-8

/* What is smaller than this part of the largest is noise. */
#define NOISE 0x1p-40

perp_status perp_qp_open(const perp_qp *qp, const double *x, const double *nu, const double *zeta,
                         perp_info *info) {
  perp_status status = perp_qp_check(qp, info);
  if (status != PERP_OK) return status;
  if (qp->n > 0 && x == NULL) return fail_field(info, "x", -1);
  if (qp->m > 0 && nu == NULL) return fail_field(info, "nu", -1);
  if (qp->n > 0 && zeta == NULL) return fail_field(info, "zeta", -1);
  return perp_qp_check_finite(qp, info);
}

perp_status perp_qp_check_symmetric(const perp_qp *qp, double *scratch, perp_info *info) {
  const size_t n = (size_t)qp->n;
  if (n == 0) return PERP_OK; /* scratch may be NULL */
  double *w = scratch, *rows = w + n, *cols = rows + n, *size = cols + n;
  uint32_t state = 1;
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    w[i] = 1 + (double)(state >> 8) * 0x1p-24;
  }
  memset(rows, 0, 3 * n * sizeof *rows);
  perp_matrix_multiply_add(&qp->P, w, rows);
  perp_matrix_transpose_multiply_add(&qp->P, 1, w, cols, size);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(rows[i] - cols[i]) <= 1e-10 * size[i])) return fail_field(info, "P", (int32_t)i);
  return PERP_OK;
}

perp_status perp_qp_confirm(const perp_qp *qp, double tol, perp_status status, const double *x,
                            const double *nu, const double *zeta, double *scratch,
                            double *amplification, perp_info *info) {
  perp_qp_residual r;
  perp_qp_residual_compute(qp, x, nu, zeta, &r, scratch);
  const double unit = ((double)qp->n + qp->m + 1) * DBL_EPSILON;
  const double x_terms = r.primal_rounding / r.primal_hat, terms = r.dual_rounding / r.dual_hat;
  *amplification = (x_terms > terms ? x_terms : terms) / unit;
  const int solved = perp_qp_residual_solved(&r, tol);
  const int dual = r.relative_dual > r.relative_primal && r.relative_dual > r.relative_gap;
  const int gap = !dual && r.relative_gap > r.relative_primal;
  if (info_ready(info)) {
    info->residual = dual ? r.dual : gap ? r.gap : r.primal;
    info->relative_residual = dual ? r.relative_dual : gap ? r.relative_gap : r.relative_primal;
    info->amplification = *amplification > 0 ? *amplification : 1;
    info->worst = r.worst;
  }
  if (status == PERP_OK && !solved) return PERP_INACCURATE;
  return qp_is_refused(status) && solved ? PERP_OK : status;
}

/* w, the multiplier of an interval in which the value is 0. */
static double at_zero(qp_interval b, double w) { return (w > 0 ? b.lower : b.upper) == 0 ? w : 0; }

static void drop_noise(const perp_qp *qp, double *nu, double *zeta) {
  double most = 0;
  for (int32_t i = 0; i < qp->n; i++)
    if (fabs(qp->c[i]) > most) most = fabs(qp->c[i]);
  for (int32_t i = 0; i < qp->n; i++)
    if (fabs(zeta[i]) <= NOISE * most) zeta[i] = 0;
  for (int32_t k = 0; k < qp->m; k++)
    if (fabs(nu[k]) * perp_qp_row_weight(&qp->A, k) <= NOISE * most) nu[k] = 0;
}

void perp_qp_put_zeros(const perp_qp *qp, int32_t zeros, double *x, double *nu, double *zeta) {
  const int none = (zeros & QP_ZERO_MULTIPLIERS) != 0;
  for (int32_t i = 0; i < qp->n && (zeros & QP_ZERO_X) != 0; i++) {
    x[i] = 0;
    zeta[i] = at_zero(perp_qp_bound(qp, i), zeta[i]);
  }
  for (int32_t k = 0; k < qp->m && (zeros & QP_ZERO_X) != 0; k++)
    nu[k] = at_zero(perp_qp_row(qp, k), nu[k]);
  if ((zeros & QP_ZERO_NOISE) != 0) drop_noise(qp, nu, zeta);
  for (int32_t i = 0; i < qp->n && none; i++) zeta[i] = 0;
  for (int32_t k = 0; k < qp->m && none; k++) nu[k] = 0;
}

perp_status perp_qp_dual_settle(dual_set *s, double hair) {
  perp_status status = perp_dual_set_run(s);
  while (status == PERP_INFEASIBLE && dual_set_missed_by(s, hair)) {
    s->side[s->entering] = DUAL_IGNORED;
    status = perp_dual_set_run(s);
  }
  return status;
}

perp_status perp_qp_dual_run(dual_set *s, const perp_qp *constraints, double tol, double *ray,
                             double *scratch) {
  for (;;) {
    perp_status status = perp_qp_dual_settle(s, tol);
    if (status != PERP_INFEASIBLE) return status;
    perp_dual_set_ray(s, ray);
    if (perp_qp_proves_infeasible(constraints, ray, scratch) > 0) return PERP_INFEASIBLE;
    if (perp_qp_drop_noise(s->m, ray) && perp_qp_proves_infeasible(constraints, ray, scratch) > 0)
      return PERP_INFEASIBLE;
    if (!dual_set_missed_by(s, HAIR)) return PERP_RAY;
    s->side[s->entering] = DUAL_IGNORED;
  }
}

int perp_qp_drop_noise(int32_t n, double *ray) {
  double largest = 0;
  int any = 0;
  for (int32_t i = 0; i < n; i++)
    if (fabs(ray[i]) > largest) largest = fabs(ray[i]);
  for (int32_t i = 0; i < n; i++) {
    if (ray[i] == 0 || fabs(ray[i]) > NOISE * largest) continue;
    ray[i] = 0;
    any = 1;
  }
  return any;
}

void perp_qp_hand_ray(const perp_qp *qp, const double *d, const double *r, double *scratch,
                      perp_info *info) {
  const size_t n = (size_t)qp->n, m = (size_t)qp->m;
  const double bound = d == NULL ? perp_qp_proves_infeasible(qp, r, scratch)
                                 : perp_qp_proves_unbounded(qp, d, scratch);
  for (size_t i = 0; i < n; i++) scratch[i] = d == NULL ? 0 : d[i];
  for (size_t k = 0; k < m; k++) scratch[n + k] = r == NULL ? 0 : r[k];
  info_proof(info, bound, qp->n + qp->m, scratch);
}
