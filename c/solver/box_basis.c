/* SPDX-License-Identifier: MIT */
/* For a basis with the free set F, by corrections until nothing is left of
 *   y_F = M_F. λ + q_F + σ P (λ − center)_F,
 * each from M and q themselves, so that errors of the path or the factor do not count. */
#include "solver/box_basis.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"

/* What counts as rounding in equilibrated units, and a remainder that one correction settles. */
static const double rounding = 0x1p-40, settled = 0x1p-30;

enum { ROUNDS = 4 };

/* y := M λ + q with the shift. */
static void image(const box_path *p, const double *lambda, double *y) {
  const box_data *data = p->data;
  const perp_matrix *M = data->M;
  const int32_t n = p->n;
  memcpy(y, data->q, (size_t)n * sizeof *y);
  if (M->kind == PERP_DENSE) { /* half of λ is 0 at a solution, of most circuits more */
    for (int32_t j = 0; j < n; j++) {
      const double x = lambda[j], *restrict a = M->values + (size_t)M->ld * (size_t)j;
      for (int32_t i = 0; i < n && x != 0; i++) y[i] += a[i] * x;
    }
  } else {
    perp_matrix_multiply_add(M, lambda, y);
  }
  for (int32_t i = 0; i < n && data->shift != 0; i++)
    y[i] += data->shift * p->f.R[i] / p->f.C[i] * (lambda[i] - data->center[i]);
}

/* Size of λ and q in equilibrated units. */
static double magnitude(const box_path *p, const double *lambda) {
  double largest = 0;
  for (int32_t i = 0; i < p->n; i++) {
    const double a = fabs(p->data->q[i] / p->f.R[i]), b = fabs(lambda[i] / p->f.C[i]);
    if (a > largest) largest = a;
    if (b > largest) largest = b;
  }
  return largest;
}

/* Largest y of the basis. NaN comes out. */
static double remainder_of(const box_path *p, const unsigned char *modes, const double *y) {
  double largest = 0;
  for (int32_t i = 0; i < p->n; i++) {
    if (modes[i] != PERP_MODE_FREE) continue;
    const double r = fabs(y[i]) / p->f.R[i];
    if (!(r <= largest)) largest = r;
    if (r != r) return r;
  }
  return largest;
}

typedef void correct_fn(box_path *p, const double *y, double *lambda);

static int refine(box_path *p, const unsigned char *modes, double *lambda, double *y, int32_t first,
                  correct_fn *correct) {
  for (int32_t round = first; round < ROUNDS; round++) {
    image(p, lambda, y);
    const double left = remainder_of(p, modes, y), size = magnitude(p, lambda);
    if (!(left <= 1.7976931348623157e308)) return 0;
    const int last = round > 0 && left <= settled * size;
    if (left > 0) correct(p, y, lambda);
    if (last || left == 0) return 1;
  }
  return 0;
}

int perp_box_basis_refine(box_path *p, const unsigned char *modes, double *lambda, double *y) {
  return refine(p, modes, lambda, y, 1, perp_box_path_correct);
}

/* With everything of the basis eliminated; chosen holds the basis. */
static void correct_factored(box_path *p, const double *y, double *lambda) {
  for (int32_t i = 0; i < p->n; i++) p->v[i] = p->chosen[i] ? y[i] / p->f.R[i] : 0;
  perp_box_factor_forward(&p->f, p->v);
  perp_box_factor_back(&p->f, p->v, p->x);
  for (int32_t i = 0; i < p->n; i++)
    if (p->chosen[i]) lambda[i] += p->f.C[i] * p->x[i];
}

int perp_box_basis_point(box_path *p, const box_data *data, const unsigned char *modes,
                         double *lambda, double *y) {
  const int32_t n = p->n;
  p->data = data;
  if (!perp_box_factor_load(&p->f, data->M, data->shift)) return 0;
  memset(box_column(&p->f, n), 0, 2 * (size_t)n * sizeof(double));
  for (int32_t i = 0; i < n; i++) {
    p->chosen[i] = modes[i] == PERP_MODE_FREE;
    lambda[i] = modes[i] == PERP_MODE_UPPER ? data->upper[i] : data->lower[i];
    if (p->chosen[i]) lambda[i] = 0;
    if (!is_finite(lambda[i])) return 0; /* a free unknown that the path found no place for */
  }
  if (perp_box_factor_eliminate(&p->f, p->chosen, 0) > 0) return 0;
  return refine(p, modes, lambda, y, 0, correct_factored);
}

int perp_box_basis_feasible(const box_path *p, const unsigned char *modes, double *lambda,
                            const double *y) {
  const box_data *data = p->data;
  const double slack = rounding * magnitude(p, lambda);
  for (int32_t i = 0; i < p->n; i++) {
    const double l = data->lower[i], u = data->upper[i], R = p->f.R[i], C = p->f.C[i];
    if (modes[i] == PERP_MODE_FREE) {
      if (!(lambda[i] >= l - slack * C && lambda[i] <= u + slack * C)) return 0;
      if (lambda[i] < l) lambda[i] = l;
      if (lambda[i] > u) lambda[i] = u;
    } else if (l < u) {
      const double inside = modes[i] == PERP_MODE_UPPER ? -y[i] : y[i];
      if (!(inside >= -slack * R)) return 0;
    }
  }
  return 1;
}
