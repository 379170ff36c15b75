/* SPDX-License-Identifier: MIT */
#include "events/rank.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"

void perp_rank_carve(arena *a, rank_factor *f, int32_t n) {
  const size_t size = (size_t)n;
  f->n = f->rank = 0;
  f->room = n;
  f->A = (double *)arena_take(a, size * size, sizeof(double));
  f->row_scale = (double *)arena_take(a, size, sizeof(double));
  f->column_scale = (double *)arena_take(a, size, sizeof(double));
  f->work = (double *)arena_take(a, 2 * size, sizeof(double));
  f->row = (int32_t *)arena_take(a, size, sizeof(int32_t));
  f->column = (int32_t *)arena_take(a, size, sizeof(int32_t));
}

static void swap(double *a, double *b) {
  const double c = *a;
  *a = *b;
  *b = c;
}

/* Bring the largest entry of the rest to (k, k). */
static double bring_pivot(rank_factor *f, size_t k) {
  const size_t n = (size_t)f->n;
  size_t row = k, column = k;
  double largest = -1;
  for (size_t j = k; j < n; j++)
    for (size_t i = k; i < n; i++)
      if (fabs(f->A[i + j * n]) > largest) {
        largest = fabs(f->A[i + j * n]);
        row = i, column = j;
      }
  f->row[k] = (int32_t)row, f->column[k] = (int32_t)column;
  for (size_t j = 0; row != k && j < n; j++) swap(&f->A[row + j * n], &f->A[k + j * n]);
  for (size_t i = 0; column != k && i < n; i++) swap(&f->A[i + column * n], &f->A[i + k * n]);
  return largest;
}

/* A power of two near 1/sqrt(x), so that scaling does not round; 1 for 0. */
static double inverse_root(double x) {
  int exponent = 0;
  (void)frexp(x, &exponent);
  return x > 0 ? ldexp(1, -exponent / 2) : 1;
}

/* Rows and columns alike, which keeps symmetry, until largest entries are near 1 (Ruiz, RAL-TR
 * 2001-034). */
static void equilibrate(rank_factor *f) {
  const size_t n = (size_t)f->n;
  double *row = f->row_scale, *column = f->column_scale;
  for (size_t i = 0; i < n; i++) row[i] = column[i] = 1;
  for (int pass = 0; n > 1 && pass < 3; pass++) { /* one entry depends on nothing */
    double *rows = f->work, *columns = f->work + n;
    memset(f->work, 0, 2 * n * sizeof *f->work);
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) {
        const double x = fabs(f->A[i + j * n]);
        rows[i] = fmax(rows[i], x);
        columns[j] = fmax(columns[j], x);
      }
    for (size_t i = 0; i < n; i++) {
      row[i] *= rows[i] = inverse_root(rows[i]);
      column[i] *= columns[i] = inverse_root(columns[i]);
    }
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) f->A[i + j * n] *= rows[i] * columns[j];
  }
}

int32_t perp_rank_factorise(rank_factor *f, double tolerance) {
  const size_t n = (size_t)f->n;
  double first = 0;
  f->rank = 0;
  if (!all_finite(n * n, f->A)) return -1;
  equilibrate(f);
  for (size_t k = 0; k < n; k++) {
    const double pivot = bring_pivot(f, k);
    if (k == 0) first = pivot;
    if (!(pivot > tolerance * first)) break;
    f->rank++;
    for (size_t i = k + 1; i < n; i++) f->A[i + k * n] /= f->A[k + k * n];
    for (size_t j = k + 1; j < n; j++) {
      const double x = f->A[k + j * n];
      for (size_t i = k + 1; x != 0 && i < n; i++) f->A[i + j * n] -= f->A[i + k * n] * x;
    }
  }
  for (size_t k = (size_t)f->rank; k < n; k++) f->row[k] = f->column[k] = (int32_t)k;
  return 0;
}

void perp_rank_solve(const rank_factor *f, double *b) {
  const size_t n = (size_t)f->n, rank = (size_t)f->rank;
  for (size_t k = 0; k < n; k++) b[k] *= f->row_scale[k];
  for (size_t k = 0; k < rank; k++) swap(&b[k], &b[f->row[k]]);
  for (size_t k = 0; k < rank; k++)
    for (size_t i = k + 1; i < rank; i++) b[i] -= f->A[i + k * n] * b[k];
  for (size_t k = rank; k < n; k++) b[k] = 0;
  for (size_t k = rank; k-- > 0;) {
    b[k] /= f->A[k + k * n];
    for (size_t i = 0; i < k; i++) b[i] -= f->A[i + k * n] * b[k];
  }
  for (size_t k = rank; k-- > 0;) swap(&b[k], &b[f->column[k]]);
  for (size_t k = 0; k < n; k++) b[k] *= f->column_scale[k];
}
