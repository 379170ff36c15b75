/* SPDX-License-Identifier: MIT */
/* The judge of quadratic programs, from the caller's data and by code that no solver shares. With
 * multipliers of the sign of their side, a = A x, g = P x + c - A'nu - zeta:
 *
 *   primal  max of row_lower - a, a - row_upper, lower - x, x - upper,
 *   dual    max |g_i|, and for a multiplier whose side is infinite what it adds to g,
 *   gap     sum of |multiplier| |distance from its side|.
 *
 * All are 0 at the solutions, and only there. The relative parts divide by the sums of the
 * magnitudes of the terms. A maximum is taken by the bits of doubles without sign, where NaN is
 * largest. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/finite.h"
#include "base/options.h"
#include "linalg/matrix.h"
#include "problem/allowance.h"
#include "problem/qp_problem.h"

/* What every caller knows of a residual. */
#define KNOWN PERP_THROUGH(perp_qp_residual, objective)

typedef struct judge {
  const perp_qp *qp;
  double *a, *a_size; /* m: A x, |A||x|                                   */
  double *g, *g_size; /* n: gradient of the Lagrangian, its terms         */
  double *p, *p_size; /* n: P x, |P||x|                                   */
  double *magnitude;  /* n: |x|, then |x hat|                              */
} judge;

static void larger(double *max, double x) {
  if (bits_of(fabs(x)) > bits_of(*max)) *max = fabs(x);
}

static double nearest_to_zero(qp_interval b) {
  return b.lower > 0 ? b.lower : b.upper < 0 ? b.upper : 0;
}

static void zero(int32_t n, double *x) {
  for (int32_t i = 0; i < n; i++) x[i] = 0;
}

/* The scales that the parts are divided by. */
typedef struct scales {
  double primal, dual, gap;
} scales;

/* A constraint with value v, the terms of which it is the sum, interval b, multiplier w; weight:
 * what w would add to the gradient. A bound far from v says nothing about the size of the terms. */
static void judge_constraint(perp_qp_residual *out, scales *scale, qp_interval b, double v,
                             double terms, double w, double weight) {
  double outside = v - v, size = terms, side = w > 0 ? b.lower : b.upper;
  if (v <= b.lower || v >= b.upper) {
    outside = v <= b.lower ? b.lower - v : v - b.upper;
    size += v <= b.lower ? fabs(b.lower) : fabs(b.upper);
  }
  larger(&out->primal, outside);
  larger(&scale->primal, size);
  if (w == 0) return;
  if (!is_finite(side)) {
    larger(&out->dual, w * weight);
    return;
  }
  out->gap += fabs(w) * fabs(v - side);
  scale->gap += fabs(w) * (terms + fabs(side));
}

double perp_qp_row_weight(const perp_matrix *A, int32_t k) {
  double weight = 0;
  for (int32_t j = 0; j < A->cols; j++) larger(&weight, perp_matrix_entry(A, k, j));
  return weight;
}

static int wrong_side(qp_interval b, double w) {
  return (w > 0 && b.lower < -DBL_MAX) || (w < 0 && b.upper > DBL_MAX);
}

static double ratio(double a, double b) { return a == 0 && b == 0 ? 0 : a / b; }

/* Infinity where 0 is a solution of that part. */
static double hat_of(double size) { return size == 0 ? (double)INFINITY : size; }

/* Largest row of |P||x hat| + |c|. */
static double dual_size(const judge *j, const double *hat) {
  const perp_qp *qp = j->qp;
  double most = 0;
  for (int32_t i = 0; i < qp->n; i++) j->g_size[i] = fabs(qp->c[i]);
  perp_matrix_absolute_multiply_add(&qp->P, hat, j->g_size);
  for (int32_t i = 0; i < qp->n; i++) larger(&most, j->g_size[i]);
  return most;
}

static int is_bounded(qp_interval b) { return b.lower >= -DBL_MAX && b.upper <= DBL_MAX; }

/* x hat: what does not depend on the point, but for bounded x_i where nothing else has a size. */
static void judge_hats(const judge *j, const double *x, const scales *scale,
                       perp_qp_residual *out) {
  const perp_qp *qp = j->qp;
  const double rounding = ((double)qp->n + qp->m + 1) * DBL_EPSILON;
  double primal = 0, *hat = j->magnitude;
  for (int32_t i = 0; i < qp->n; i++) {
    hat[i] = fabs(nearest_to_zero(perp_qp_bound(qp, i)));
    larger(&primal, hat[i]);
  }
  for (int32_t k = 0; k < qp->m; k++) j->a_size[k] = fabs(nearest_to_zero(perp_qp_row(qp, k)));
  if (qp->m > 0) perp_matrix_absolute_multiply_add(&qp->A, hat, j->a_size);
  double dual = dual_size(j, hat);
  for (int32_t i = 0; dual == 0 && i < qp->n; i++)
    hat[i] = is_bounded(perp_qp_bound(qp, i)) ? fabs(x[i]) : 0;
  if (dual == 0) dual = dual_size(j, hat);
  for (int32_t k = 0; k < qp->m; k++) larger(&primal, j->a_size[k]);
  out->primal_hat = hat_of(primal);
  out->dual_hat = hat_of(dual);
  out->primal_rounding = rounding * scale->primal;
  out->dual_rounding = rounding * scale->dual;
}

static void multiply(const judge *j, const double *x, const double *nu, const double *zeta) {
  const perp_qp *qp = j->qp;
  zero(qp->m, j->a);
  zero(qp->m, j->a_size);
  zero(qp->n, j->p);
  zero(qp->n, j->p_size);
  for (int32_t i = 0; i < qp->n; i++) j->magnitude[i] = fabs(x[i]);
  perp_matrix_multiply_add(&qp->P, x, j->p);
  perp_matrix_absolute_multiply_add(&qp->P, j->magnitude, j->p_size);
  for (int32_t i = 0; i < qp->n; i++) {
    j->g[i] = j->p[i] + qp->c[i] - zeta[i];
    j->g_size[i] = j->p_size[i] + fabs(qp->c[i]) + fabs(zeta[i]);
  }
  if (qp->m == 0) return;
  perp_matrix_multiply_add(&qp->A, x, j->a);
  perp_matrix_absolute_multiply_add(&qp->A, j->magnitude, j->a_size);
  perp_matrix_transpose_multiply_add(&qp->A, -1, nu, j->g, j->g_size);
}

static void find_worst(const judge *j, const double *x, const double *nu, const double *zeta,
                       perp_qp_residual *out) {
  const perp_qp *qp = j->qp;
  const int dual =
      out->relative_dual > out->relative_primal && out->relative_dual > out->relative_gap;
  const int gap = !dual && out->relative_gap > out->relative_primal;
  double most = -1;
  out->worst = -1;
  for (int32_t k = 0; k < qp->m + qp->n; k++) {
    const qp_interval b = k < qp->m ? perp_qp_row(qp, k) : perp_qp_bound(qp, k - qp->m);
    const double v = k < qp->m ? j->a[k] : x[k - qp->m], w = k < qp->m ? nu[k] : zeta[k - qp->m];
    double size = v < b.lower ? b.lower - v : v > b.upper ? v - b.upper : 0;
    if (gap) size = w == 0 ? 0 : fabs(w * (v - (w > 0 ? b.lower : b.upper)));
    if (dual) size = k < qp->m ? 0 : fabs(j->g[k - qp->m]);
    if (size > most || size != size) {
      most = size != size ? (double)INFINITY : size;
      out->worst = k;
    }
  }
}

void perp_qp_residual_compute(const perp_qp *qp, const double *x, const double *nu,
                              const double *zeta, perp_qp_residual *out, double *scratch) {
  const size_t n = (size_t)qp->n, m = (size_t)qp->m;
  judge j = {.qp = qp};
  scales scale = {0, 0, 0};
  memset(out, 0, sizeof *out);
  out->struct_size = (uint32_t)sizeof *out;
  out->worst = -1;
  if (n + m > 0) { /* scratch may be NULL */
    j.a = scratch;
    j.a_size = j.a + m;
    j.g = j.a_size + m;
    j.g_size = j.g + n;
    j.p = j.g_size + n;
    j.p_size = j.p + n;
    j.magnitude = j.p_size + n;
  }
  multiply(&j, x, nu, zeta);
  for (int32_t k = 0; k < qp->m; k++) {
    const qp_interval b = perp_qp_row(qp, k);
    const double weight = wrong_side(b, nu[k]) ? perp_qp_row_weight(&qp->A, k) : 1;
    judge_constraint(out, &scale, b, j.a[k], j.a_size[k], nu[k], weight);
  }
  for (int32_t i = 0; i < qp->n; i++) {
    judge_constraint(out, &scale, perp_qp_bound(qp, i), x[i], fabs(x[i]), zeta[i], 1);
    larger(&out->dual, j.g[i]);
    larger(&scale.dual, j.g_size[i]);
    scale.gap += fabs(x[i]) * (j.p_size[i] + fabs(qp->c[i]));
    out->objective += x[i] * (0.5 * j.p[i] + qp->c[i]);
  }
  out->relative_primal = ratio(out->primal, scale.primal);
  out->relative_dual = ratio(out->dual, scale.dual);
  out->relative_gap = ratio(out->gap, scale.gap);
  find_worst(&j, x, nu, zeta, out);
  judge_hats(&j, x, &scale, out);
}

perp_status perp_qp_judge(const perp_qp *qp, const double *x, const double *nu, const double *zeta,
                          perp_qp_residual *residual, void *work, size_t work_bytes) {
  perp_status status = perp_qp_check(qp, NULL);
  if (status != PERP_OK) return status;
  if (residual == NULL || residual->struct_size < KNOWN) return PERP_EINVAL;
  if (qp->n > 0 && (x == NULL || zeta == NULL)) return PERP_EINVAL;
  if (qp->m > 0 && nu == NULL) return PERP_EINVAL;
  if (qp->n + qp->m > 0 && work == NULL) return PERP_EINVAL;
  arena a = arena_open(work, work_bytes);
  double *scratch = arena_take(&a, qp_scratch_doubles(qp->n, qp->m), sizeof *scratch);
  if (qp->n + qp->m > 0 && !arena_fits(&a)) return PERP_EWORKSPACE;
  perp_qp_residual own;
  perp_qp_residual_compute(qp, x, nu, zeta, &own, scratch);
  return perp_options_answer(residual, &own, sizeof own, KNOWN);
}

static int passes(double r, double relative, double hat, double rounding, double tol) {
  const double most = residual_allowance(tol) * hat;
  return relative <= tol && r + rounding <= most;
}

int32_t perp_qp_residual_solved(const perp_qp_residual *r, double tol) {
  if (r == NULL || r->struct_size < KNOWN) return 0;
  if (!is_finite(r->primal) || !is_finite(r->dual) || !is_finite(r->gap)) return 0;
  return passes(r->primal, r->relative_primal, r->primal_hat, r->primal_rounding, tol) &&
         passes(r->dual, r->relative_dual, r->dual_hat, r->dual_rounding, tol) &&
         r->relative_gap <= tol;
}
