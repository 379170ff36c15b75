/* SPDX-License-Identifier: MIT */
/* Derivatives along a curve by differences of the orders p = 8, 6 and 4,
 *   f' ≈ D_p = Σ c_k (f(kδ) − f(−kδ))/δ,    f'' ≈ D_p = Σ c_k (f(kδ) + f(−kδ) − 2 f(0))/δ²,
 * from the same 4 pairs of places. With D_p = f' + O((δ/L)^p) the error of D_8 is about e_6²/e_4,
 * e_p = |D_8 − D_p|: 1/653 against 1/630 for f', 1/3484 against 1/3150 for f''. Entries where that
 * is more than rounding are taken again with δ/4. δ is a power of two, so that the places s = kδ
 * are exact. Source of the coefficients: Fornberg, Generation of finite difference formulas on
 * arbitrarily spaced grids, Math. Comp. 51, 1988. */
#include "model/curve.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"

enum { PAIRS = 4, SWEEPS = 8 };

static const double weights[2][3][PAIRS] = {{{4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280},
                                             {3.0 / 4, -3.0 / 20, 1.0 / 60, 0},
                                             {2.0 / 3, -1.0 / 12, 0, 0}},
                                            {{8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560},
                                             {3.0 / 2, -3.0 / 20, 1.0 / 90, 0},
                                             {4.0 / 3, -1.0 / 12, 0, 0}}};

/* f' from f(0), f(δ) ... f(8δ), order 8. */
static const double one_sided[9] = {-761.0 / 280, 8,         -14,     56.0 / 3, -35.0 / 2,
                                    56.0 / 5,     -14.0 / 3, 8.0 / 7, -1.0 / 8};
/* f'' from the same, order 7. */
static const double one_sided_twice[9] = {29531.0 / 5040, -962.0 / 35, 621.0 / 10,
                                          -4006.0 / 45,   691.0 / 8,   -282.0 / 5,
                                          2143.0 / 90,    -206.0 / 35, 363.0 / 560};

size_t perp_curve_doubles(int32_t m) { return 8 * (size_t)m; }

double perp_curve_scale(int32_t n, const double *q, const double *v, const double *typical,
                        double scale) {
  for (int32_t i = 0; i < n; i++) {
    double size = typical == NULL ? 1 : typical[i];
    if (q != NULL && fabs(q[i]) > size) size = fabs(q[i]);
    if (fabs(v[i]) * scale > size) scale = size / fabs(v[i]);
  }
  return scale;
}

typedef struct curve {
  int32_t m, which;
  perp_curve_fn f;
  const void *context;
  double *here, *up, *down; /* f(0), f(kδ), f(−kδ)              */
  double *sum[3];           /* D_8, D_6, D_4                    */
  double *size;             /* the largest |f| that went in     */
  const double *terms;      /* sizes of what f is a sum of      */
  double *error;            /* of what out has                  */
} curve;

/* f(s); a result that is not finite counts as refused. */
static int32_t place(const curve *c, double s, double *out) {
  const int32_t code = c->f(s, out, c->context);
  return code == 0 && !all_finite((size_t)c->m, out) ? 1 : code;
}

/* The three sums for one δ. */
static int32_t sweep(const curve *c, double step) {
  const double divisor = c->which == CURVE_RATE ? step : step * step;
  const size_t m = (size_t)c->m;
  for (int32_t p = 0; p < 3; p++) memset(c->sum[p], 0, m * sizeof(double));
  for (size_t i = 0; i < m; i++) c->size[i] = c->terms != NULL ? c->terms[i] : 0;
  for (int32_t k = 0; k < PAIRS; k++) {
    int32_t code = place(c, (k + 1) * step, c->up);
    if (code == 0) code = place(c, -(k + 1) * step, c->down);
    if (code != 0) return code;
    for (size_t i = 0; i < m; i++) {
      const double two = c->which == CURVE_RATE
                             ? c->up[i] - c->down[i]
                             : (c->up[i] - c->here[i]) + (c->down[i] - c->here[i]);
      for (int32_t p = 0; p < 3; p++) c->sum[p][i] += weights[c->which - 1][p][k] * two;
      if (fabs(c->up[i]) > c->size[i]) c->size[i] = fabs(c->up[i]);
      if (fabs(c->down[i]) > c->size[i]) c->size[i] = fabs(c->down[i]);
    }
  }
  for (size_t i = 0; i < m; i++) {
    for (int32_t p = 0; p < 3; p++) c->sum[p][i] /= divisor;
    c->size[i] /= divisor;
  }
  return 0;
}

/* Take the entries that have become better by more than chance; answers whether one of them is to
 * become better still: not where a smaller step only makes more of rounding. */
static int judge(const curve *c, int first, double *out) {
  int open = 0;
  for (int32_t i = 0; i < c->m; i++) {
    const double value = c->sum[0][i], e6 = fabs(value - c->sum[1][i]);
    const double e4 = fabs(value - c->sum[2][i]);
    const double error = (e6 < e4 ? e6 * (e6 / e4) : e6) + 0x1p-52 * c->size[i];
    const int better = first || 4 * error < c->error[i];
    if (better) {
      out[i] = value;
      c->error[i] = error <= 0x1p-42 * fabs(value) + 0x1p-49 * c->size[i] ? 0 : error;
    }
    open |= better ? c->error[i] > 0 : c->error[i] > 0x1p-20 * fabs(out[i]);
  }
  return open;
}

/* From one side, with steps of sign and size; out has all entries. */
static int32_t from_one_side(const curve *c, double step, double *out) {
  const double *w = c->which == CURVE_RATE ? one_sided : one_sided_twice;
  const double divisor = c->which == CURVE_RATE ? step : step * step;
  memset(c->sum[0], 0, (size_t)c->m * sizeof(double));
  for (int32_t k = 1; k < 9; k++) {
    const int32_t code = place(c, k * step, c->up);
    if (code != 0) return code;
    for (int32_t i = 0; i < c->m; i++) c->sum[0][i] += w[k] * (c->up[i] - c->here[i]);
  }
  for (int32_t i = 0; i < c->m; i++) out[i] = c->sum[0][i] / divisor;
  return 0;
}

int32_t perp_curve_derivative(int32_t m, perp_curve_fn f, const void *context, int32_t which,
                              double scale, const double *terms, double *out, double *scratch) {
  const size_t rows = (size_t)m;
  curve c = {.m = m, .which = which, .f = f, .context = context, .terms = terms};
  c.here = scratch;
  c.up = scratch + rows;
  c.down = scratch + 2 * rows;
  for (size_t p = 0; p < 3; p++) c.sum[p] = scratch + (3 + p) * rows;
  c.size = scratch + 6 * rows;
  c.error = scratch + 7 * rows;
  const double first = (which == CURVE_RATE ? 0x1p-8 : 0x1p-5) * power_of_two(scale);
  double step = first;
  int32_t code = which == CURVE_RATE ? 0 : place(&c, 0, c.here), there = 0;
  for (int32_t k = 0; k < SWEEPS && code == 0; k++) {
    const int32_t answer = sweep(&c, step);
    step *= 0.25;
    if (answer < 0) return answer;
    if (answer > 0) continue;
    const int open = judge(&c, !there, out);
    there = 1;
    if (!open) return 0;
  }
  if (code != 0 || there) return code;
  if (which == CURVE_RATE) code = place(&c, 0, c.here);
  if (code != 0) return code;
  code = from_one_side(&c, 0.25 * first, out);
  return code > 0 ? from_one_side(&c, -0.25 * first, out) : code;
}
