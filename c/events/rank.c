/* SPDX-License-Identifier: MIT */
#include "events/rank.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"

void perp_rank_carve(arena *a, rank_factor *f, int32_t n) {
  const size_t size = (size_t)n;
  f->n = f->rank = f->parts = 0;
  f->A = room_doubles(a, size * size);
  f->row_scale = room_doubles(a, size);
  f->column_scale = room_doubles(a, size);
  f->work = room_doubles(a, 2 * size);
  f->row = room_ints(a, size);
  f->column = room_ints(a, size);
  f->order = room_ints(a, size);
  f->first = room_ints(a, size + 1);
  f->ranks = room_ints(a, size);
}

void perp_rank_whole(rank_factor *f, int32_t n) {
  f->n = n;
  f->parts = n > 0;
  for (int32_t k = 0; k < n; k++) f->order[k] = k;
  f->first[0] = 0;
  f->first[f->parts] = n;
}

/* One part of a factor. */
typedef struct part {
  size_t n, rank;
  double *A, *row_scale, *column_scale, *work;
  int32_t *row, *column;
} part;

/* Part p, behind those whose entries end at *A, which moves on. */
static part part_of(const rank_factor *f, int32_t p, double **A) {
  const int32_t at = f->first[p];
  const size_t n = (size_t)(f->first[p + 1] - at);
  const part x = {
      n,           (size_t)f->ranks[p], *A, f->row_scale + at, f->column_scale + at, f->work,
      f->row + at, f->column + at};
  *A += n * n;
  return x;
}

static void swap(double *a, double *b) {
  const double c = *a;
  *a = *b;
  *b = c;
}

/* Bring the largest entry of the rest to (k, k). */
static double bring_pivot(part *f, size_t k) {
  const size_t n = f->n;
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
static void equilibrate(part *f) {
  const size_t n = f->n;
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

static int32_t factorise(part *f, double tolerance) {
  const size_t n = f->n;
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
  for (size_t k = f->rank; k < n; k++) f->row[k] = f->column[k] = (int32_t)k;
  return 0;
}

int32_t perp_rank_factorise(rank_factor *f, double tolerance) {
  double *A = f->A;
  f->rank = 0;
  for (int32_t p = 0; p < f->parts; p++) {
    part x = part_of(f, p, &A);
    if (factorise(&x, tolerance) != 0) return -1;
    f->ranks[p] = (int32_t)x.rank;
    f->rank += f->ranks[p];
  }
  return 0;
}

static void solve(const part *f, double *b) {
  const size_t n = f->n, rank = f->rank;
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

void perp_rank_solve(const rank_factor *f, double *b) {
  double *A = f->A, *x = f->work;
  for (int32_t p = 0; p < f->parts; p++) {
    const int32_t *order = f->order + f->first[p];
    const part at = part_of(f, p, &A);
    for (size_t k = 0; k < at.n; k++) x[k] = b[order[k]];
    solve(&at, x);
    for (size_t k = 0; k < at.n; k++) b[order[k]] = x[k];
  }
}

/* The first entries of order (n) after the swaps. */
static void put_in_order(const part *x, const int32_t *order, const int32_t *swaps, int32_t *out) {
  double *all = x->work; /* numbers below 2^53 */
  for (size_t k = 0; k < x->n; k++) all[k] = order[k];
  for (size_t k = 0; k < x->rank; k++) {
    swap(&all[k], &all[swaps[k]]);
    out[k] = (int32_t)all[k];
  }
}

void perp_rank_pivots(const rank_factor *f, int32_t *rows, int32_t *columns) {
  double *A = f->A;
  for (int32_t p = 0; p < f->parts; p++) {
    const part x = part_of(f, p, &A);
    put_in_order(&x, f->order + f->first[p], x.row, rows);
    put_in_order(&x, f->order + f->first[p], x.column, columns);
    rows += x.rank;
    columns += x.rank;
  }
}
