/* SPDX-License-Identifier: MIT */
/* A ball of 1 kg dropped from 1 m on a floor (e = 0.9), on the builder; bouncing_ball.c is for
 * firmware. At 1 s, after one impact at t = sqrt(2 / g), it is 0.9 g t (1 - t) - g / 2 (1 - t)^2.
 */
#include "perp/perp.h"

#include <stdio.h>

int main(void) {
  const double one = 1, weight = -9.81, exact = 0.710949;
  perp_lagrangian_linear ball;
  perp_lagrangian_linear_init(&ball, sizeof ball, 1);
  ball.M = perp_diagonal(1, &one), ball.f = &weight;
  perp_lagrangian_linear_relation height; /* y = q */
  perp_lagrangian_linear_relation_init(&height, sizeof height, 1, 1);
  height.H = &one;
  perp_newton_impact impact;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = 0.9;

  perp_builder *b;
  perp_simulation *sim;
  int32_t id;
  const perp_interaction floor = {&height.relation, &impact.law, &id, 1, 0};
  perp_info info = PERP_INFO_INIT;
  if (perp_builder_create(&b, &info) || perp_builder_add(b, &ball.system, NULL, &id, &info) ||
      perp_builder_set_q(b, id, 1, &one, &info) || perp_builder_set(b, "h", 1e-4, &info) ||
      perp_builder_connect(b, &floor, NULL, NULL, NULL, &info) ||
      perp_builder_simulate(b, &sim, &info))
    return puts(info.field), 1;
  while (perp_simulation_time(sim) < 1 && perp_simulation_step(sim, &info) == PERP_OK) continue;
  const double q = *perp_simulation_q(sim, 0);
  printf("q(%g s) = %.4f m, exact %.4f m\n", perp_simulation_time(sim), q, exact);
  perp_simulation_destroy(sim), perp_builder_destroy(b);
  return q > exact - 1e-3 && q < exact + 1e-3 ? 0 : 1;
}
