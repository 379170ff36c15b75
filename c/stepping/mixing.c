/* SPDX-License-Identifier: MIT */
/* x := f − Σ γ_j Δf_j, where γ makes ‖g − Σ γ_j Δg_j‖ smallest, by Gram and Schmidt from the newest
 * difference to the oldest; one that the others nearly span is left out. */
#include "stepping/mixing.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"

/* What is left of a difference, relative to it, that still tells a direction. */
#define NEW_PART 1e-6

void perp_mixing_carve(mixing *m, arena *a, size_t rows) {
  const size_t all = rows * MIXING_MOST;
  memset(m, 0, sizeof *m);
  m->f = arena_take(a, rows, sizeof *m->f);
  m->g = arena_take(a, rows, sizeof *m->g);
  m->df = arena_take(a, all, sizeof *m->df);
  m->dg = arena_take(a, all, sizeof *m->dg);
  m->q = arena_take(a, all, sizeof *m->q);
}

void perp_mixing_begin(mixing *m, int32_t n, int32_t most) {
  m->n = n;
  m->most = most;
  m->points = m->kept = 0;
}

static double dot(int32_t n, const double *a, const double *b) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Keep the point (x, f), and how it differs from the one before. */
static void keep(mixing *m, const double *weight, const double *f, const double *x) {
  const size_t n = (size_t)m->n, at = n * (size_t)(m->points % MIXING_MOST);
  for (size_t i = 0; i < n; i++) {
    const double g = (f[i] - x[i]) / weight[i];
    if (m->points > 0) {
      m->df[at + i] = f[i] - m->f[i];
      m->dg[at + i] = g - m->g[i];
    }
    m->f[i] = f[i];
    m->g[i] = g;
  }
  if (m->points > 0 && m->kept < m->most) m->kept++;
  m->points++;
}

void perp_mixing_next(mixing *m, const double *weight, const double *f, double *x) {
  const int32_t n = m->n;
  double R[MIXING_MOST * MIXING_MOST] = {0}, part[MIXING_MOST];
  int32_t of[MIXING_MOST], count = 0;
  keep(m, weight, f, x);
  memcpy(x, f, (size_t)n * sizeof *x);
  for (int32_t k = 0; k < m->kept; k++) { /* the newest is of point points - 1 */
    const int32_t column = (m->points - 1 - k) % MIXING_MOST;
    const double *dg = m->dg + (size_t)n * (size_t)column;
    double *q = m->q + (size_t)n * (size_t)count, *r = R + MIXING_MOST * count;
    const double size = sqrt(dot(n, dg, dg));
    memcpy(q, dg, (size_t)n * sizeof *q);
    for (int32_t j = 0; j < count; j++) {
      const double *other = m->q + (size_t)n * (size_t)j;
      r[j] = dot(n, other, q);
      for (int32_t i = 0; i < n; i++) q[i] -= r[j] * other[i];
    }
    r[count] = sqrt(dot(n, q, q));
    if (!(r[count] > NEW_PART * size)) continue;
    for (int32_t i = 0; i < n; i++) q[i] /= r[count];
    part[count] = dot(n, q, m->g);
    of[count++] = column;
  }
  for (int32_t k = count - 1; k >= 0; k--) {
    for (int32_t j = k + 1; j < count; j++) part[k] -= R[MIXING_MOST * j + k] * part[j];
    part[k] /= R[MIXING_MOST * k + k];
    const double *df = m->df + (size_t)n * (size_t)of[k];
    for (int32_t i = 0; i < n; i++) x[i] -= part[k] * df[i];
  }
  if (all_finite((size_t)n, x)) return;
  memcpy(x, f, (size_t)n * sizeof *x);
  perp_mixing_begin(m, n, m->most);
}
