/* SPDX-License-Identifier: MIT */
/* A start by projected Gauss–Seidel by block: one after the other,
 *
 *   λ_α := P_α( λ_α − ρ_α û_α ),   u_α = (M λ + q)_α  with the newest λ.
 */
#include <math.h>
#include <string.h>

#include "problem/cone.h"
#include "solver/friction_newton.h"

static void velocity(friction_newton *s, int32_t k, double *u) {
  const contact *c = &s->contacts[k];
  const panel p = perp_friction_newton_rows(s, k);
  memcpy(u, s->problem->q + c->begin, (size_t)c->size * sizeof *u);
  for (int32_t e = 0; e < p.count; e++) {
    const double xe = s->x[p.column[e]], *v = p.value + p.ld * (size_t)e;
    for (int32_t i = 0; i < c->size; i++) u[i] += v[i] * xe;
  }
}

void perp_friction_newton_sweep(friction_newton *s, int32_t sweeps) {
  for (int32_t r = 0; r < sweeps && s->work <= s->most_work; r++) {
    s->work += s->pass;
    for (int32_t k = 0; k < s->count; k++) {
      const contact *c = &s->contacts[k];
      double u[FRICTION_NEWTON_MOST], hat[FRICTION_NEWTON_MOST];
      velocity(s, k, u);
      if (c->law->ops->shift != NULL)
        c->law->ops->shift(c->law, c->state, u, hat);
      else
        memcpy(hat, u, (size_t)c->size * sizeof *u);
      for (int32_t i = 0; i < c->size; i++) s->x[c->begin + i] -= s->rho[k] * hat[i];
      perp_friction_newton_project(s, k, s->x + c->begin);
    }
  }
}
