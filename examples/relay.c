/* SPDX-License-Identifier: MIT */
/* The smallest sliding mode:  dx/dt = l,  -x in N_[-1,1](l), that is l = -sgn x with every value
 * between at x = 0. Exact: x = x0 - t until t = |x0|, and 0 for ever after. A step that would
 * cross 0 ends on it, and there l = 0: no chattering, whatever the step. All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

static const double x0 = 1, h = 0.03; /* h does not divide x0: the last step is a part of one */
static double state[PERP_SIMULATION_STATE_BYTES(0, 1, 1) / sizeof(double)];
static unsigned char
    work[PERP_SIMULATION_WORK_BYTES(1, 1, 1, 1, 1, 1, 1, 1, PERP_BOX_PIVOTING_BYTES(1))];

int main(void) {
  const double one = 1, minus_one = -1;
  perp_first_order_linear system;
  perp_first_order_linear_init(&system, sizeof system, 1);
  perp_linear_relation relation; /* y = x, r = l */
  perp_linear_relation_init(&relation, sizeof relation, 1, 1);
  relation.C = relation.B = &one;
  perp_box relay;
  perp_box_init(&relay, sizeof relay);
  relay.lower = &minus_one;
  relay.upper = &one;
  const int32_t first = 0;
  const perp_interaction interaction = {&relation.relation, &relay.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&interaction};
  const perp_system *const systems[] = {&system.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.x0 = &x0;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 50;
  options.integrator = perp_integrator_theta();
  options.solver = perp_solver_box_pivoting();
  perp_simulation *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status =
      perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, &info);
  if (status != PERP_OK) {
    printf("%s: %s\n", info.field, perp_status_string(status));
    return 1;
  }
  double worst = 0, chatter = 0;
  puts("  t (s)        x   lambda");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double t = perp_simulation_time(sim), x = *perp_simulation_x(sim, 0);
    const double lambda = *perp_simulation_lambda(sim, 0);
    worst = fmax(worst, fabs(x - fmax(0, x0 - t)));
    if (t > x0 + h) chatter = fmax(chatter, fabs(lambda));
    if (perp_simulation_step_index(sim) % 5 == 0) printf("%7.2f %8.5f %8.5f\n", t, x, lambda);
  }
  printf("largest error %.0e, largest lambda on the surface %.0e; %s\n", worst, chatter,
         perp_status_string(status));
  return status == PERP_END && worst < 1e-14 && chatter < 1e-13 ? 0 : 1;
}
