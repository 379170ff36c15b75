/* SPDX-License-Identifier: MIT */
/* Fixed point of the projection: x := x̄ = P(x − ρ w F(x)). The step is a contraction for small ρ if
 * F is strongly monotone, and averaged for ρ < 2 / L if F is the gradient of a convex function with
 * Lipschitz constant L. Then ‖x − x̄‖ / ρ does not grow; where it does, the loop takes shorter
 * steps. For F that is only monotone, a rotation, it leads away from the solution. */
#include "solver/vi_core.h"

static void swap(double **a, double **b) {
  double *c = *a;
  *a = *b;
  *b = c;
}

perp_status perp_vi_fixed_point_step(vi_core *s) {
  swap(&s->x, &s->ahead);
  swap(&s->F, &s->F_ahead);
  return VI_GO_ON;
}
