/* SPDX-License-Identifier: MIT */
#include "problem/sums.h"

#include <math.h>
#include <string.h>

#include "base/pair.h"

/* What a walk over blocks works on. */
typedef struct sums {
  const perp_matrix *M;
  const double *x;
  double *y, *rows, *norm;
  double *largest; /* entry of each column */
} sums;

/* y += A x, s += |A||x| of two columns, and their squares: each entry of y takes the columns in
 * their order, each column adds its even and its odd squares apart. */
static void two_columns(int32_t rows, const double *restrict A, const double *restrict B,
                        const double *x, double *restrict y, double *restrict s, double *c) {
  pair u = pair_twice(x[0]), v = pair_twice(x[1]), a2 = pair_twice(0), b2 = a2;
  int32_t i = 0;
  for (; i + 2 <= rows; i += 2) {
    pair a = pair_load(A + i), b = pair_load(B + i);
    pair au = pair_multiply(a, u), bv = pair_multiply(b, v);
    a2 = pair_add(a2, pair_multiply(a, a));
    b2 = pair_add(b2, pair_multiply(b, b));
    pair_store(y + i, pair_add(pair_add(pair_load(y + i), au), bv));
    pair_store(s + i, pair_add(pair_add(pair_load(s + i), pair_absolute(au)), pair_absolute(bv)));
  }
  if (i < rows) {
    double au = A[i] * x[0], bv = B[i] * x[1];
    a2 = pair_add(a2, pair_of(A[i] * A[i], 0));
    b2 = pair_add(b2, pair_of(B[i] * B[i], 0));
    y[i] = (y[i] + au) + bv;
    s[i] = (s[i] + fabs(au)) + fabs(bv);
  }
  c[0] += pair_first(a2) + pair_second(a2);
  c[1] += pair_first(b2) + pair_second(b2);
}

/* y += A x, s += |A||x|, c += squares of the columns. */
static void dense_pass(int32_t rows, int32_t cols, const double *restrict A, int32_t ld,
                       const double *restrict x, double *restrict y, double *restrict s,
                       double *restrict c) {
  int32_t j = 0;
  for (; j + 2 <= cols; j += 2, A += 2 * (size_t)ld)
    two_columns(rows, A, A + ld, x + j, y, s, c + j);
  for (; j < cols; j++) {
    double c0 = 0, c1 = 0, xj = x[j];
    for (int32_t i = 0; i < rows; i++) {
      double u = A[i] * xj;
      y[i] += u;
      s[i] += fabs(u);
      if (i % 2 == 0)
        c0 += A[i] * A[i];
      else
        c1 += A[i] * A[i];
    }
    c[j] += c0 + c1;
  }
}

typedef void (*block_visit)(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                            int32_t row, int32_t col);

/* Every stored block of M, at (row, col). */
static void visit_blocks(sums *s, block_visit visit) {
  const perp_matrix *M = s->M;
  const double *v = M->values;
  if (M->kind == PERP_DENSE) visit(s, M->rows, M->cols, v, M->ld, 0, 0);
  if (M->kind == PERP_DIAGONAL)
    for (int32_t i = 0; i < M->rows; i++) visit(s, 1, 1, v + i, 1, i, i);
  if (M->kind != PERP_BLOCKS) return;
  for (int32_t r = 0; r < M->block_rows; r++)
    for (int32_t k = M->start[r]; k < M->start[r + 1]; k++) {
      int32_t c = M->index[k], row = r, col = c, rows = 1, cols = 1;
      if (M->offset != NULL) {
        row = M->offset[r];
        col = M->offset[c];
        rows = M->offset[r + 1] - row;
        cols = M->offset[c + 1] - col;
      }
      visit(s, rows, cols, v, rows, row, col);
      v += (size_t)rows * (size_t)cols;
    }
}

static void visit_pass(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                       int32_t row, int32_t col) {
  dense_pass(rows, cols, A, ld, s->x + col, s->y + row, s->rows + row, s->norm + col);
}

/* ---- norms of columns whose squares leave the range of a double ---- */

static void visit_largest(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                          int32_t row, int32_t col) {
  (void)row;
  for (int32_t c = 0; c < cols; c++, A += ld)
    for (int32_t i = 0; i < rows; i++)
      if (fabs(A[i]) > s->largest[col + c]) s->largest[col + c] = fabs(A[i]);
}

static void visit_scaled_squares(sums *s, int32_t rows, int32_t cols, const double *A, int32_t ld,
                                 int32_t row, int32_t col) {
  (void)row;
  for (int32_t c = 0; c < cols; c++, A += ld)
    for (int32_t i = 0; i < rows; i++) {
      double v = s->largest[col + c] > 0 ? A[i] / s->largest[col + c] : A[i];
      s->norm[col + c] += v * v;
    }
}

void perp_sums_scaled_norms(const perp_matrix *M, double *norm, double *scratch) {
  sums s = {M, NULL, NULL, NULL, norm, scratch};
  size_t n = (size_t)M->cols;
  memset(scratch, 0, n * sizeof *scratch);
  memset(norm, 0, n * sizeof *norm);
  visit_blocks(&s, visit_largest);
  visit_blocks(&s, visit_scaled_squares);
  for (size_t i = 0; i < n; i++) norm[i] = sqrt(norm[i]) * scratch[i];
}

void perp_sums_blocks(const perp_matrix *M, const double *x, double *y, double *rows,
                      double *norm) {
  sums s = {M, x, y, rows, norm, NULL};
  visit_blocks(&s, visit_pass);
}
