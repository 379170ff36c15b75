/* SPDX-License-Identifier: MIT */
/* Dense products. Everything rests on
 *     y := (((y + w0 a0) + w1 a1) + w2 a2) + w3 a3
 * on columns a0 ... a3, which moves y through the registers once for four columns. */
#include "linalg/dense.h"

double perp_dense_dot(int32_t n, const double *restrict x, const double *restrict y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int32_t i = 0;
  for (; i + 3 < n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  if (i < n) s0 += x[i] * y[i];
  if (i + 1 < n) s1 += x[i + 1] * y[i + 1];
  if (i + 2 < n) s2 += x[i + 2] * y[i + 2];
  return (s0 + s2) + (s1 + s3);
}

static void add_column(size_t m, double w, const double *restrict a, double *restrict y) {
  for (size_t i = 0; i < m; i++) y[i] += w * a[i];
}

#if !defined(__OPTIMIZE_SIZE__) /* the bits of one column after the other */
static void add_4_columns(size_t m, const double *restrict A, size_t lda, const double *w,
                          double *restrict y) {
  const double *a0 = A, *a1 = A + lda, *a2 = a1 + lda, *a3 = a2 + lda;
  const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  for (size_t i = 0; i < m; i++)
    y[i] = (((y[i] + w0 * a0[i]) + w1 * a1[i]) + w2 * a2[i]) + w3 * a3[i];
}

/* Two columns y and z at once, with weights w and v: four loads serve eight products. */
static void add_4_columns_twice(size_t m, const double *restrict A, size_t lda, const double *w,
                                const double *v, double *restrict y, double *restrict z) {
  const double *a0 = A, *a1 = A + lda, *a2 = a1 + lda, *a3 = a2 + lda;
  const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
  const double v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
  for (size_t i = 0; i < m; i++) {
    y[i] = (((y[i] + w0 * a0[i]) + w1 * a1[i]) + w2 * a2[i]) + w3 * a3[i];
    z[i] = (((z[i] + v0 * a0[i]) + v1 * a1[i]) + v2 * a2[i]) + v3 * a3[i];
  }
}

#endif

void perp_dense_axpy(int32_t n, double a, const double *x, double *y) {
  if (n > 0) add_column((size_t)n, a, x, y);
}

void perp_dense_multiply_add(int32_t rows, int32_t cols, const double *A, int32_t ld,
                             const double *x, double *y) {
  if (rows <= 0) return;
  const size_t m = (size_t)rows, lda = (size_t)ld;
  int32_t j = 0;
#if !defined(__OPTIMIZE_SIZE__)
  for (; j + 3 < cols; j += 4) add_4_columns(m, A + lda * (size_t)j, lda, x + j, y);
#endif
  for (; j < cols; j++) add_column(m, x[j], A + lda * (size_t)j, y);
}

#if defined(__OPTIMIZE_SIZE__)
void perp_dense_subtract_product(size_t m, size_t n, size_t p, const double *A, size_t lda,
                                 const double *B, size_t down, size_t right, double *C,
                                 size_t ldc) {
  for (size_t j = 0; j < n; j++)
    for (size_t k = 0; k < p; k++)
      add_column(m, -B[k * down + j * right], A + k * lda, C + j * ldc);
}
#else
/* w := -(4 entries of a column of B), since y - b a and y + (-b) a have the same bits. */
static void negated(const double *B, size_t down, double *w) {
  for (size_t k = 0; k < 4; k++) w[k] = -B[k * down];
}

void perp_dense_subtract_product(size_t m, size_t n, size_t p, const double *A, size_t lda,
                                 const double *B, size_t down, size_t right, double *C,
                                 size_t ldc) {
  if (m == 0) return;
  const size_t fours = p - p % 4;
  double w[4], v[4];
  for (size_t j = 0; j < n; j += 2) {
    const double *b = B + j * right;
    double *c = C + j * ldc;
    const int two = j + 1 < n;
    for (size_t k = 0; k < fours; k += 4) {
      negated(b + k * down, down, w);
      if (two) {
        negated(b + k * down + right, down, v);
        add_4_columns_twice(m, A + k * lda, lda, w, v, c, c + ldc);
      } else {
        add_4_columns(m, A + k * lda, lda, w, c);
      }
    }
    for (size_t k = fours; k < p; k++) {
      add_column(m, -b[k * down], A + k * lda, c);
      if (two) add_column(m, -b[k * down + right], A + k * lda, c + ldc);
    }
  }
}
#endif
