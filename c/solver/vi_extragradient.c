/* SPDX-License-Identifier: MIT */
/* Extragradient: x := P(x − ρ w F(x̄)) with x̄ = P(x − ρ w F(x)). With ρ ‖F(x) − F(x̄)‖ <= L ‖x − x̄‖,
 * L < 1, every step comes closer to every solution of a monotone problem:
 *
 *   ‖x⁺ − x*‖² <= ‖x − x*‖² − (1 − L²) ‖x − x̄‖² .
 *
 * Sources: [Korpelevich 1976], [Khobotov 1987]. */
#include <string.h>

#include "solver/vi_core.h"

perp_status perp_vi_extragradient_step(vi_core *s) {
  perp_status status = perp_vi_project_step(s, s->rho, s->F_ahead, s->ahead);
  if (status != VI_GO_ON) return status;
  status = perp_vi_evaluate(s, s->ahead, s->F_ahead);
  if (status != VI_GO_ON) return status;
  const size_t bytes = (size_t)s->n * sizeof(double);
  memcpy(s->x, s->ahead, bytes);
  memcpy(s->F, s->F_ahead, bytes);
  return VI_GO_ON;
}
