/* SPDX-License-Identifier: MIT */
/* Scaling of the Newton methods: y' = R y, λ = C x with powers of two that bring the largest entry
 * of every row and column of R M C near 1 [Ruiz 2001], and the data R (M P(0) + q) to size 1. Boxes
 * and complementarity keep their meaning under any positive R and C, and a symmetric M stays so. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "solver/newton.h"

enum { RUIZ_PASSES = 4 };

/* row, col /= root of the largest entry of every row and column as scaled so far; t, d: maxima. */
static void ruiz_pass(newton *s) {
  const size_t n = (size_t)s->n;
  memset(s->t, 0, n * sizeof *s->t);
  memset(s->d, 0, n * sizeof *s->d);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) {
      const double v = fabs(s->A[i + n * j]) * s->row[i] * s->col[j];
      if (v > s->t[i]) s->t[i] = v;
      if (v > s->d[j]) s->d[j] = v;
    }
  for (size_t i = 0; i < n; i++) {
    if (s->t[i] >= DBL_MIN && s->t[i] <= DBL_MAX) s->row[i] /= sqrt(s->t[i]);
    if (s->d[i] >= DBL_MIN && s->d[i] <= DBL_MAX) s->col[i] /= sqrt(s->d[i]);
  }
}

/* The size of the data: R (M P(0) + q), C^-1 P(0). */
static double data_size(newton *s) {
  double size = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->t[i] = clip(0, s->l[i], s->u[i]);
    s->y[i] = s->problem->q[i];
  }
  perp_matrix_multiply_add(&s->problem->M, s->t, s->y);
  for (int32_t i = 0; i < s->n; i++) {
    double v = fabs(s->row[i] * s->y[i]), w = fabs(s->t[i] / s->col[i]);
    if (v > size) size = v;
    if (w > size) size = w;
  }
  return size;
}

int perp_newton_scale(newton *s) {
  const size_t n = (size_t)s->n;
  perp_problem_bounds(s->problem, s->l, s->u);
  perp_matrix_to_dense(&s->problem->M, s->A, s->n);
  for (size_t i = 0; i < n; i++) s->row[i] = s->col[i] = 1;
  for (int pass = 0; pass < RUIZ_PASSES; pass++) ruiz_pass(s);
  for (size_t i = 0; i < n; i++) {
    s->row[i] = power_of_two(s->row[i]);
    s->col[i] = power_of_two(s->col[i]);
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) s->A[i + n * j] *= s->row[i] * s->col[j];
  const double size = power_of_two(data_size(s));
  for (size_t i = 0; i < n; i++) {
    s->row[i] /= size;
    s->col[i] *= size;
    s->q[i] = s->row[i] * s->problem->q[i];
    s->l[i] /= s->col[i];
    s->u[i] /= s->col[i];
    s->t[i] = clip(0, s->l[i], s->u[i]);
  }
  return all_finite(n * n, s->A) && all_finite(n, s->q);
}
