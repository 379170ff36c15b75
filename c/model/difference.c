/* SPDX-License-Identifier: MIT */
/* Derivatives by differences, one-sided and scaled:
 *   ∂f/∂x_j ≈ (f(x + h_j e_j) − f(x)) / h_j,   |h_j| = √ε max(|x_j|, typical_j),  √ε = 2^-26,
 * away from 0, and on the other side if f refuses or is not finite there. The h_j that is divided
 * by is the one by which x_j changed after rounding. With f of size typical_f that is known to
 * rounding, the error is of order √ε typical_f / typical_x.
 * Source: Dennis and Schnabel, Numerical Methods for Unconstrained Optimization, 1983, sec. 5.4. */
#include "model/difference.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"

size_t perp_difference_doubles(int32_t m, int32_t n) { return (size_t)n + 2 * (size_t)m; }

/* f at the probe, refused if it is not finite: answers > 0 as for a smaller step. */
static int32_t evaluate(int32_t m, perp_difference_fn f, const void *context, const double *probe,
                        double *out) {
  int32_t code = f(probe, out, context);
  return code == 0 && !all_finite((size_t)m, out) ? 1 : code;
}

int32_t perp_difference(int32_t m, int32_t n, perp_difference_fn f, const void *context,
                        const double *x, const double *typical, double w, double *J,
                        double *scratch) {
  double *probe = scratch, *f0 = probe + n, *f1 = f0 + m;
  memcpy(probe, x, (size_t)n * sizeof *x);
  int32_t code = f(probe, f0, context);
  for (int32_t j = 0; j < n && code == 0; j++) {
    double *column = J + (size_t)m * (size_t)j;
    double size = typical == NULL ? 1 : typical[j];
    if (fabs(x[j]) > size) size = fabs(x[j]);
    const double h = 0x1p-26 * (x[j] < 0 ? -size : size);
    probe[j] = x[j] + h;
    code = evaluate(m, f, context, probe, f1);
    if (code > 0) {
      probe[j] = x[j] - h;
      code = evaluate(m, f, context, probe, f1);
    }
    const double exact = probe[j] - x[j];
    for (int32_t i = 0; i < m && code == 0; i++) column[i] += w * ((f1[i] - f0[i]) / exact);
    probe[j] = x[j];
  }
  return code;
}
