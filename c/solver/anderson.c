/* SPDX-License-Identifier: MIT */
/* With g_k = T(w_k), f_k = g_k − w_k and the differences ΔF, ΔG of the last steps,
 *
 *   w_{k+1} = g_k − ΔG γ,   γ = argmin ‖f_k − ΔF γ‖²,
 *
 * by the normal equations, whose matrix is kept and gets one row a step. A little is added to its
 * diagonal, which bounds γ where steps are parallel. Sources: Anderson, J. ACM 12 (1965); Walker
 * and Ni, SIAM J. Numer. Anal. 49 (2011). */
#include "solver/anderson.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Part of the trace that is added. */
#define RIDGE 1e-12
/* Larger weights come from steps that do not get shorter: there is no fixed point near. */
#define MOST_WEIGHT 1e4

void perp_anderson_carve(anderson *a, arena *memory, int32_t n, int32_t differences) {
  const size_t d = sizeof(double), rows = (size_t)n, m = (size_t)differences;
  a->n = n;
  a->memory = differences;
  a->f = arena_take(memory, m > 0 ? rows : 0, d);
  a->g = arena_take(memory, m > 0 ? rows : 0, d);
  a->df = arena_take(memory, rows, m * d);
  a->dg = arena_take(memory, rows, m * d);
  a->gram = arena_take(memory, m * m, d);
  a->chol = arena_take(memory, m * m, d);
  a->right = arena_take(memory, m, d);
  anderson_reset(a);
}

/* Take in the difference to the step before. */
static void add_difference(anderson *a, const double *f, const double *w) {
  const size_t n = (size_t)a->n;
  const int32_t m = a->memory, j = a->count < m ? a->count++ : a->oldest;
  double *df = a->df + n * (size_t)j, *dg = a->dg + n * (size_t)j;
  a->oldest = (j + 1) % m;
  for (size_t i = 0; i < n; i++) {
    df[i] = f[i] - a->f[i];
    dg[i] = (w[i] + f[i]) - a->g[i];
  }
  for (int32_t k = 0; k < a->count; k++)
    a->gram[j + m * k] = a->gram[k + m * j] = perp_dense_dot(a->n, df, a->df + n * (size_t)k);
}

/* right := γ. 0 if there is none. */
static int weights(anderson *a, const double *f) {
  const int32_t m = a->memory, count = a->count;
  double trace = 0;
  for (int32_t k = 0; k < count; k++) trace += a->gram[k + m * k];
  for (int32_t k = 0; k < count; k++) {
    memcpy(a->chol + m * k, a->gram + m * k, (size_t)count * sizeof *a->chol);
    a->chol[k + m * k] += RIDGE * trace;
    a->right[k] = perp_dense_dot(a->n, f, a->df + (size_t)a->n * (size_t)k);
  }
  if (perp_dense_cholesky(count, a->chol, m) != PERP_OK) return 0;
  perp_dense_cholesky_solve(count, a->chol, m, a->right);
  for (int32_t k = 0; k < count; k++) {
    if (!(fabs(a->right[k]) <= MOST_WEIGHT)) return 0;
    a->right[k] = -a->right[k];
  }
  return 1;
}

int perp_anderson_step(anderson *a, const double *f, double *w) {
  if (a->memory > 0 && a->known) add_difference(a, f, w);
  for (int32_t i = 0; i < a->n; i++) w[i] += f[i];
  if (a->memory == 0) return 0;
  memcpy(a->f, f, (size_t)a->n * sizeof *f);
  memcpy(a->g, w, (size_t)a->n * sizeof *w);
  a->known = 1;
  if (a->count == 0 || !weights(a, f)) return 0;
  perp_dense_multiply_add(a->n, a->count, a->dg, a->n, a->right, w);
  return 1;
}
