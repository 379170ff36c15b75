/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/pair.h"
#include "base/twofold.h"
#include "problem/sums.h"

#ifndef __OPTIMIZE_SIZE__ /* the bits of one column after the other */
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
#endif

void perp_sums_dense(int32_t rows, int32_t cols, const double *restrict A, int32_t ld,
                     const double *restrict x, double *restrict y, double *restrict s,
                     double *restrict c) {
  int32_t j = 0;
#ifndef __OPTIMIZE_SIZE__
  for (; j + 2 <= cols; j += 2, A += 2 * (size_t)ld)
    two_columns(rows, A, A + ld, x + j, y, s, c + j);
#endif
  for (; j < cols; j++, A += ld) {
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

void perp_sums_twofold_dense(int32_t rows, int32_t cols, const double *A, int32_t ld,
                             const double *x, double *y, double *low) {
  for (int32_t j = 0; j < cols; j++, A += ld)
    for (int32_t i = 0; i < rows; i++) {
      const twofold p = twofold_product(A[i], x[j]), t = twofold_sum(y[i], p.hi);
      y[i] = t.hi;
      low[i] += t.lo + p.lo;
    }
}
