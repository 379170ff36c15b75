/* SPDX-License-Identifier: MIT */
/* Whether steps are short for stability, not for accuracy: h ρ, with the spectral radius ρ of ∂Ẏ/∂Y
 * by power iteration on differences of the right-hand side (Sommeijer, Shampine and Verwer, J.
 * Comput. Appl. Math. 88 (1998) 315-326). It is asked once, where a run ends for its many steps. */
#include <math.h>
#include <string.h>

#include "events/engine.h"

enum { PASSES = 40, COUNTED = 20 }; /* those counted give the mean of complex pairs */

double perp_stiffness(engine *e, double h) {
  const size_t n = e->p.n;
  double *f0 = e->bezier, *y = f0 + n, *f = y + n; /* free between steps */
  const smooth_problem *s = &e->equations;
  const double distance = 1e-8 / e->options.rtol;
  double logs = 0;
  if (s->rhs(s->context, e->t, e->Y, f0) != 0) return 0;
  memcpy(f, f0, n * sizeof *f);
  for (size_t k = 0; k < n; k++) f[k] += (k % 2 == 0 ? 1 : -0.7) * e->atol[k]; /* no eigenvector */
  for (int pass = 0; pass < PASSES; pass++) {
    const double size = perp_smooth_norm(s, e->Y, f);
    if (!(size > 0)) return 0;
    for (size_t k = 0; k < n; k++) y[k] = e->Y[k] + distance / size * f[k];
    if (s->rhs(s->context, e->t, y, f) != 0) return 0;
    for (size_t k = 0; k < n; k++) f[k] -= f0[k];
    const double ratio = perp_smooth_norm(s, e->Y, f) / distance;
    if (!(ratio > 0)) return 0;
    if (pass >= PASSES - COUNTED) logs += log(ratio);
  }
  return h * exp(logs / COUNTED);
}
