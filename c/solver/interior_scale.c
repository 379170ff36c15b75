/* SPDX-License-Identifier: MIT */
/* Scaling of the interior-point method: d by powers of two so that the largest entry of every row
 * and column of d M d, taken together, is near 1 [Ruiz 2001]. As both sides have the same d, the
 * matrix stays monotone, and symmetric if it was. The origin is moved to P(0), which makes one of
 * two bounds 0 wherever 0 is outside, and the data are scaled to size 1. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "solver/interior.h"
#include "solver/interval.h"

enum { PASSES = 4 };

static void raise_to(double *m, double v) {
  if (v > *m) *m = v;
}

/* m_i := the largest of |d_i M_ij d_j| and |d_j M_ji d_i| over j. */
static void largest_entries(interior *w, double *m) {
  const perp_matrix *M = &w->problem->M;
  const int32_t n = w->n;
  memset(m, 0, (size_t)n * sizeof *m);
  if (M->kind == PERP_DENSE) {
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = 0; i < n; i++) {
        const double e = fabs(M->values[(size_t)i + (size_t)M->ld * (size_t)j]) * w->d[i] * w->d[j];
        raise_to(&m[i], e);
        raise_to(&m[j], e);
      }
    return;
  }
  for (int32_t i = 0; i < n; i++) {
    const matrix_row row = row_read(&w->rows, i);
    for (int32_t c = 0; c < row.count; c++) {
      const double e = fabs(row.value[c]) * w->d[i] * w->d[row.column[c]];
      raise_to(&m[i], e);
      raise_to(&m[row.column[c]], e);
    }
  }
}

static void equilibrate(interior *w) {
  for (int32_t i = 0; i < w->n; i++) w->d[i] = 1;
  for (int pass = 0; pass < PASSES; pass++) {
    largest_entries(w, w->a);
    for (int32_t i = 0; i < w->n; i++)
      if (w->a[i] >= DBL_MIN && w->a[i] <= DBL_MAX) w->d[i] /= sqrt(w->a[i]);
  }
  for (int32_t i = 0; i < w->n; i++) w->d[i] = power_of_two(w->d[i]);
}

int perp_interior_scale(interior *w) {
  const int32_t n = w->n;
  double size = 0;
  equilibrate(w);
  perp_problem_bounds(w->problem, w->l, w->u);
  for (int32_t i = 0; i < n; i++) {
    w->p[i] = nearest_to_zero(w->l[i], w->u[i]);
    w->q[i] = w->problem->q[i];
  }
  perp_matrix_multiply_add(&w->problem->M, w->p, w->q);
  for (int32_t i = 0; i < n; i++) {
    w->q[i] *= w->d[i];
    raise_to(&size, fabs(w->q[i]));
  }
  w->factor = power_of_two(size);
  for (int32_t i = 0; i < n; i++) {
    const int below = w->l[i] >= -DBL_MAX, above = w->u[i] <= DBL_MAX;
    const double unit = w->d[i] * w->factor;
    w->kind[i] = (unsigned char)(below && above && !(w->l[i] < w->u[i])
                                     ? INTERIOR_FIXED
                                     : INTERIOR_FREE | (below ? INTERIOR_BELOW : 0) |
                                           (above ? INTERIOR_ABOVE : 0));
    w->q[i] /= w->factor;
    w->l[i] = below ? (w->l[i] - w->p[i]) / unit : 0;
    w->u[i] = above ? (w->u[i] - w->p[i]) / unit : 0;
  }
  return all_finite((size_t)n, w->q) && all_finite((size_t)n, w->d) &&
         all_finite((size_t)n, w->l) && all_finite((size_t)n, w->u);
}

void perp_interior_product(interior *w, const double *x, double *out) {
  for (int32_t i = 0; i < w->n; i++) {
    w->b[i] = w->d[i] * x[i];
    out[i] = 0;
  }
  perp_matrix_multiply_add(&w->problem->M, w->b, out);
  for (int32_t i = 0; i < w->n; i++) out[i] *= w->d[i];
}
