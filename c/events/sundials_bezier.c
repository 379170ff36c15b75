/* SPDX-License-Identifier: MIT */
/* The interpolation of a package of SUNDIALS in Bernstein's basis over the last step. Methods of
 * several steps: from the Taylor series at the end. Methods of one step: from values, slopes and
 * second derivatives at both ends, which are all of a polynomial of degree 5. */
#include "events/sundials.h"

enum { FROM_ENDS = 5 };

/* b_j of Σ a_k u^k backwards in time: u = 1 is the begin. */
static void from_series(int degree, const double *a, double *b) {
  for (int j = 0; j <= degree; j++) {
    double sum = 0, ratio = 1; /* C(j, k) / C(degree, k) */
    for (int k = 0; k <= j; k++) {
      sum += ratio * a[k];
      ratio *= (double)(j - k) / (degree - k);
    }
    b[degree - j] = sum;
  }
}

/* a: value and derivatives at the begin, then at the end, for a step of length h. */
static void from_ends(double h, const double *a, double *b) {
  for (int end = 0; end < 2; end++) {
    const double *at = a + 3 * end, slope = (end == 0 ? h : -h) * at[1] / 5;
    const double bend = h * h * at[2] / 20;
    b[end == 0 ? 0 : 5] = at[0];
    b[end == 0 ? 1 : 4] = at[0] + slope;
    b[end == 0 ? 2 : 3] = at[0] + 2 * slope + bend;
  }
}

perp_status perp_sundials_bezier(void *self, int32_t *degree, double *out) {
  sundials *s = self;
  const size_t n = (size_t)s->problem->n;
  const int two_ends = s->first_order > 1;
  const double h = s->end - s->begin;
  int order = FROM_ENDS;
  if (!two_ends) {
    int flag = s->method->order(s->package, &order);
    if (flag < 0) return s->method->status(flag);
  }
  for (int k = 0; k <= order; k++) {
    const double t = two_ends && k < 3 ? s->begin : s->end;
    perp_status status = perp_sundials_read(s, t, two_ends ? k % 3 : k, out + (size_t)k * n);
    if (status != PERP_OK) return status;
  }
  for (size_t i = 0; i < n; i++) {
    double a[SMOOTH_DEGREE + 1], b[SMOOTH_DEGREE + 1], scale = 1;
    for (int k = 0; k <= order; k++) {
      a[k] = scale * out[(size_t)k * n + i];
      if (!two_ends) scale *= -h / (k + 1);
    }
    if (two_ends)
      from_ends(h, a, b);
    else
      from_series(order, a, b);
    for (int k = 0; k <= order; k++) out[(size_t)k * n + i] = b[k];
  }
  *degree = order;
  return PERP_OK;
}
