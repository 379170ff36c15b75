/* SPDX-License-Identifier: MIT */
/* See residual.c for the formulas. Here r_i = |min(c_i lambda_i, y_i)|, and lambdahat = 0. */
#include "problem/residual_lcp.h"

#include <math.h>
#include <string.h>

#include "problem/residual.h"
#include "problem/sums.h"

/* Among the bits of doubles without sign NaN is largest. Two lanes. */
double perp_residual_largest(int32_t n, const double *x) {
  uint64_t m0 = 0, m1 = 0;
  for (int32_t i = 0; i < n; i += 2) {
    uint64_t a = bits_of(fabs(x[i])), b = i + 1 < n ? bits_of(fabs(x[i + 1])) : 0;
    m0 = a > m0 ? a : m0;
    m1 = b > m1 ? b : m1;
  }
  return double_of(m1 > m0 ? m1 : m0);
}

double perp_residual_weighted_largest(int32_t n, const double *weight, const double *x) {
  uint64_t most = 0;
  if (weight == NULL) return perp_residual_largest(n, x);
  for (int32_t i = 0; i < n; i++) {
    const uint64_t a = bits_of(fabs(weight[i] * x[i]));
    most = a > most ? a : most;
  }
  return double_of(most);
}

double perp_residual_begin(int32_t n, const double *q, double *y, double *rows, double *norm) {
  uint64_t largest = 0;
  for (int32_t i = 0; i < n; i++) {
    double size = fabs(q[i]);
    y[i] = q[i];
    rows[i] = size;
    norm[i] = 0;
    largest = bits_of(size) > largest ? bits_of(size) : largest;
  }
  return double_of(largest);
}

int perp_residual_norms(int32_t n, double *norm) {
  uint64_t outside = 0;
  for (int32_t i = 0; i < n; i++) {
    outside |= residual_out_of_range(norm[i]);
    norm[i] = sqrt(norm[i]);
  }
  return (outside >> 63) != 0;
}

/* Where the squares leave the range, of the parts of the largest entry. */
double perp_residual_norm(const double *x, int32_t size) {
  double sum = 0, parts = 0;
  for (int32_t k = 0; k < size; k++) sum += x[k] * x[k];
  if (residual_out_of_range(sum) >> 63 == 0) return sqrt(sum);
  const double largest = perp_residual_largest(size, x);
  if (largest == 0 || !is_finite(largest)) return largest;
  for (int32_t k = 0; k < size; k++) parts += (x[k] / largest) * (x[k] / largest);
  return largest * sqrt(parts);
}

void perp_residual_dense(int32_t n, const double *M, int32_t ld, const double *lambda, double *y,
                         double *rows, double *norm) {
  perp_sums_dense(n, n, M, ld, lambda, y, rows, norm);
  if (!perp_residual_norms(n, norm)) return;
  for (int32_t j = 0; j < n; j++) norm[j] = perp_residual_norm(M + (size_t)ld * (size_t)j, n);
}

void perp_residual_orthant(int32_t begin, int32_t end, const double *norm, const double *lambda,
                           const double *y, residual_maximum *m) {
  residual_maximum most = *m;
  for (int32_t i = begin; i < end; i++) {
    double scaled = residual_positive(norm[i]) * lambda[i];
    residual_raise(&most, i, fabs(scaled < y[i] ? scaled : y[i]));
  }
  *m = most;
}

/* y in twice the precision and what it says; 0 where a product has no parts. */
static int judge_finely(int32_t n, const double *M, int32_t ld, const double *q,
                        const double *lambda, double *y, const double *norm,
                        residual_maximum *most) {
  int fine = 1;
  for (int32_t i = 0; i < n; i++) {
    double sum = q[i], low = 0;
    perp_sums_twofold_dense(1, n, M + i, ld, lambda, &sum, &low);
    sum += low;
    if (is_finite(sum)) y[i] = sum;
    fine = fine && is_finite(sum);
  }
  most->r = 0;
  most->at = 0;
  perp_residual_orthant(0, n, norm, lambda, y, most);
  return fine;
}

void perp_residual_lcp(int32_t n, const double *M, int32_t ld, const double *q,
                       const double *lambda, double *y, perp_residual *residual, double *scratch) {
  double *rows = scratch, *norm = scratch + n;
  residual_maximum most = {0, n > 0 ? 0 : -1};
  const double size = perp_residual_begin(n, q, y, rows, norm);
  perp_residual_dense(n, M, ld, lambda, y, rows, norm);
  perp_residual_orthant(0, n, norm, lambda, y, &most);
  const double scale = perp_residual_largest(n, rows);
  memset(residual, 0, sizeof *residual);
  residual->struct_size = (uint32_t)sizeof *residual;
  residual->rounding = residual_rounding(n, scale);
  if (residual_is_coarse(n, scale, size) && judge_finely(n, M, ld, q, lambda, y, norm, &most))
    residual->rounding = residual_fine_rounding(n, scale);
  residual->residual = most.r;
  residual->relative = residual_ratio(most.r, scale);
  residual->hat = size;
  residual->worst = most.at;
  residual->worst_block = n > 0 ? 0 : -1;
  residual->violation[PERP_SET_ORTHANT] = most.r;
  residual->scale = scale;
  if (is_finite(scale) && is_finite(most.r) && perp_all_finite((size_t)n, lambda)) return;
  for (int32_t i = n; i-- > 0;)
    if (!is_finite(rows[i]) || !is_finite(lambda[i])) residual->worst = i;
  residual->residual = residual->relative = residual->hat = residual->rounding = (double)NAN;
}
