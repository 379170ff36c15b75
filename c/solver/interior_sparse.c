/* SPDX-License-Identifier: MIT */
/* The factor of A_FF + diag(D) + ρI by a sparse back end. It is given all n unknowns, those outside
 * F with a unit row and column, so that the pattern is that of M and its diagonal at every step and
 * the back end analyses it once:
 *
 *   K_ij = A_ij for i, j in F,   K_ii += D_i + ρ for i in F,   K_ii = 1 outside F,   0 elsewhere.
 */
#include <string.h>

#include "solver/interior.h"

/* Row i into index and values from place at on, its diagonal first; returns the place behind it. */
static int32_t gather_row(interior *w, int32_t i, int32_t at, double diagonal) {
  const int32_t *position = w->env.position, pivot = at;
  const matrix_row row = row_read(&w->rows, i);
  w->index[at] = i;
  w->values[at++] = position[i] < 0 ? 1 : diagonal;
  for (int32_t c = 0; c < row.count; c++) {
    const int32_t j = row.column[c];
    const int inside = position[i] >= 0 && position[j] >= 0;
    const double v = inside ? row.value[c] * (w->d[i] * w->d[j]) : 0;
    if (j == i) {
      w->values[pivot] += v;
    } else {
      w->index[at] = j;
      w->values[at++] = v;
    }
  }
  return at;
}

int perp_interior_sparse_factor(interior *w, const double *D, double rho) {
  int32_t at = 0;
  memset(w->env.position, 0xff, (size_t)w->n * sizeof *w->env.position); /* all -1 */
  for (int32_t b = 0; b < w->k; b++) w->env.position[w->member[b]] = b;
  for (int32_t i = 0; i < w->n; i++) {
    w->start[i] = at;
    at = gather_row(w, i, at, rho + (D == NULL ? 0 : D[i]));
  }
  w->start[w->n] = at;
  const perp_status status =
      w->o.sparse->factor(w->n, w->start, w->index, w->values, &w->sparse_factor);
  if (status == PERP_EBACKEND) w->failure = status;
  return status == PERP_OK;
}

void perp_interior_sparse_solve(interior *w, double *x) {
  double *b = w->a;
  memset(b, 0, (size_t)w->n * sizeof *b);
  for (int32_t i = 0; i < w->k; i++) b[w->member[i]] = x[w->member[i]];
  const perp_status status = w->o.sparse->solve(w->sparse_factor, b);
  if (status != PERP_OK) w->failure = PERP_EBACKEND;
  memset(x, 0, (size_t)w->n * sizeof *x);
  for (int32_t i = 0; i < w->k; i++) x[w->member[i]] = b[w->member[i]];
}

void perp_interior_sparse_release(interior *w) {
  if (w->o.sparse != NULL) w->o.sparse->release(w->sparse_factor);
  w->sparse_factor = NULL;
}
