/* SPDX-License-Identifier: MIT */
#include "solver/local_law.h"

#include <math.h>
#include <string.h>

#include "problem/bounds.h"
#include "solver/interval.h"

/* Projected steps, and the change relative to λ at which they end. */
enum { STEPS = 20 };
#define AT_REST 1e-15

static double norm_of(size_t count, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* trial := P(λ − ŷ / norm). */
static void projected_step(const contact *c, const double *D, double norm, const double *q,
                           const double *lambda, double *trial, double *spare) {
  const int32_t size = c->size;
  memcpy(trial, q, (size_t)size * sizeof *q);
  for (int32_t j = 0; j < size; j++)
    for (int32_t i = 0; i < size; i++)
      trial[i] += D[(size_t)i + (size_t)size * (size_t)j] * lambda[j];
  if (c->law->ops->shift != NULL) c->law->ops->shift(c->law, c->state, trial, trial);
  for (int32_t i = 0; i < size; i++) trial[i] = lambda[i] - trial[i] / norm;
  law_project(c->law, c->state, trial, trial, spare);
}

void perp_local_law_solve(const contact *c, const double *D, const double *q, double *lambda,
                          double *trial, double *spare, int32_t *vain) {
  const size_t bytes = (size_t)c->size * sizeof *lambda;
  if (c->law->ops->local != NULL && (vain == NULL || *vain > 0)) {
    memcpy(trial, lambda, bytes);
    if (c->law->ops->local(c->law, c->state, D, c->size, q, trial) == PERP_OK) {
      memcpy(lambda, trial, bytes);
      return;
    }
    if (vain != NULL) --*vain;
  }
  double norm = norm_of((size_t)c->size * (size_t)c->size, D);
  if (!(norm > 0)) norm = 1;
  for (int32_t k = 0; k < STEPS; k++) {
    double moved = 0, size = 0;
    projected_step(c, D, norm, q, lambda, trial, spare);
    for (int32_t i = 0; i < c->size; i++) {
      moved = interval_raise(moved, trial[i] - lambda[i]);
      size = interval_raise(size, trial[i]);
    }
    memcpy(lambda, trial, bytes);
    if (!(moved > AT_REST * size)) return;
  }
}
