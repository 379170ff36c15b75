/* SPDX-License-Identifier: MIT */
#include "solver/sweeps.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/matrix.h"
#include "problem/bounds.h"
#include "problem/one_contact.h"
#include "problem/residual.h"

/* Projected steps, and the change relative to λ at which they end. */
enum { STEPS = 20 };
#define AT_REST 1e-15

/* ---- M ---- */

double perp_sweep_substitute(const row_reader *rows, const double *diagonal, int32_t i) {
  const matrix_row row = row_read(rows, i);
  double sum = 0, largest = 0;
  for (int32_t k = 0; k < row.count; k++) {
    const double v = fabs(row.value[k]), d = diagonal[row.column[k]];
    if (v > largest) largest = v;
    if (row.column[k] != i && d >= LEAST_DIAGONAL) sum += v * (v / d);
  }
  return sum >= LEAST_DIAGONAL && sum < 1e300 ? sum : largest;
}

/* Four columns at a time: y moves through the registers once. */
static void add_columns(int32_t n, const double *const *column, const double *part,
                        double *restrict y) {
  const double *a = column[0], *b = column[1], *c = column[2], *d = column[3];
  const double pa = part[0], pb = part[1], pc = part[2], pd = part[3];
  for (int32_t i = 0; i < n; i++) y[i] = (((y[i] + pa * a[i]) + pb * b[i]) + pc * c[i]) + pd * d[i];
}

int32_t perp_multiply_add_sparsely(const perp_matrix *M, const double *x, double *y) {
  const int32_t n = M->rows;
  const double *column[4];
  double part[4];
  int32_t waiting = 0, count = 0;
  if (M->kind != PERP_DENSE) {
    perp_matrix_multiply_add(M, x, y);
    return n;
  }
  for (int32_t j = 0; j < n; j++) {
    if (x[j] == 0) continue;
    column[waiting] = M->values + (size_t)M->ld * (size_t)j;
    part[waiting++] = x[j];
    count++;
    if (waiting < 4) continue;
    add_columns(n, column, part, y);
    waiting = 0;
  }
  for (int32_t k = 0; k < waiting; k++) perp_dense_axpy(n, part[k], column[k], y);
  return count;
}

/* ---- one contact of any law ---- */

static void projected_steps(const contact *c, const double *D, const double *q, double *lambda,
                            double *trial, double *spare) {
  const int32_t count = c->size;
  double norm = perp_residual_norm(D, c->size * c->size);
  if (!(norm > 0)) norm = 1;
  for (int32_t k = 0; k < STEPS; k++) {
    double moved = 0, size = 0;
    memcpy(trial, q, (size_t)count * sizeof *q);
    perp_dense_multiply_add(count, count, D, count, lambda, trial);
    if (c->law->ops->shift != NULL) c->law->ops->shift(c->law, c->state, trial, trial);
    for (int32_t i = 0; i < count; i++) trial[i] = lambda[i] - trial[i] / norm;
    law_project(c->law, c->state, trial, trial, spare);
    for (int32_t i = 0; i < c->size; i++) {
      moved = interval_raise(moved, trial[i] - lambda[i]);
      size = interval_raise(size, trial[i]);
    }
    memcpy(lambda, trial, (size_t)c->size * sizeof *lambda);
    if (!(moved > AT_REST * size)) return;
  }
}

double perp_local_law_solve(const contact *c, const double *D, const double *q, double *lambda,
                            double *trial, double *spare, vain_attempts *vain) {
  double left = CONTACT_VISIT_WORK;
  if (c->law->ops->local != NULL && (vain == NULL || vain->left > 0)) {
    memcpy(trial, lambda, (size_t)c->size * sizeof *lambda);
    if (law_local(c->law, c->state, D, c->size, q, trial, &left) == PERP_OK) {
      memcpy(lambda, trial, (size_t)c->size * sizeof *lambda);
      return CONTACT_VISIT_WORK - left;
    }
    const double work = CONTACT_VISIT_WORK - left;
    if (vain != NULL) vain->left -= work > vain->least ? work : vain->least;
  }
  projected_steps(c, D, q, lambda, trial, spare);
  return CONTACT_VISIT_WORK - left;
}
