/* SPDX-License-Identifier: MIT */
/* A box slides on a plane until friction stops it (m, kg, s), on two contacts at its lower edges:
 *     M dv = -M g dt + impulses,   Coulomb friction at each contact.
 * Exact: it slides v0^2 / (2 mu g) in v0 / (mu g) while the front contact carries the part
 * (1 + mu b/a) / 2 of the weight; a, b half length and half height. All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

enum { ROWS = 4 };
static const double M = 2, a = 0.2, b = 0.15, g = 9.81, mu = 0.4, v0 = 3, h = 1e-4;
static double state[PERP_SIMULATION_STATE_BYTES(3, 3, ROWS) / sizeof(double)];
static unsigned char
    work[PERP_SIMULATION_WORK_BYTES(1, 3, 1, 1, ROWS, 1, ROWS, 16, PERP_NSGS_BYTES(ROWS))];

int main(void) {
  const double mass[] = {M, M, M * (a * a + b * b) / 3}, weight[] = {0, -M * g, 0};
  const double start[] = {0, 0, 0}, moving[] = {v0, 0, 0};  /* along, up, angle */
  const double H[] = {0, 1, 0, 1, 1, 0, 1, 0, a, b, -a, b}; /* normal first, front then rear */
  perp_lagrangian_linear box;
  perp_lagrangian_linear_init(&box, sizeof box, 3);
  box.M = perp_diagonal(3, mass);
  box.f = weight;
  perp_lagrangian_linear_relation edges;
  perp_lagrangian_linear_relation_init(&edges, sizeof edges, ROWS, 3);
  edges.H = H;
  perp_friction friction;
  perp_friction_init(&friction, sizeof friction);
  friction.law.size = 2;
  friction.mu = mu;
  const int32_t first = 0;
  const perp_interaction floor = {&edges.relation, &friction.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&floor};
  const perp_system *const systems[] = {&box.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = start;
  model.v0 = moving;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 10000;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_nsgs();
  perp_simulation *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status =
      perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, &info);
  if (status != PERP_OK) {
    printf("%s: %s\n", info.field, perp_status_string(status));
    return 1;
  }
  const double stop = v0 / (mu * g), distance = v0 * v0 / (2 * mu * g);
  double worst = 0, carried = 0;
  puts("  t (s)    x (m)  v (m/s)   front    rear (of the weight)");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double t = perp_simulation_time(sim), x = *perp_simulation_q(sim, 0);
    const double *r = perp_simulation_lambda(sim, 0), unit = M * g * h;
    worst = fmax(worst, fabs(x - (t < stop ? v0 * t - mu * g * t * t / 2 : distance)));
    if (t < stop) carried += r[0];
    if (perp_simulation_step_index(sim) % 1000 == 0)
      printf("%7.2f %8.5f %8.5f %7.4f %7.4f\n", t, x, *perp_simulation_v(sim, 0), r[0] / unit,
             r[2] / unit);
  }
  const double front = carried / (M * g * stop), exact = (1 + mu * b / a) / 2;
  printf("largest error %.1e m; the front carried %.5f of the weight, exact %.5f; %s\n", worst,
         front, exact, perp_status_string(status));
  return status == PERP_END && worst < v0 * h && fabs(front - exact) < 1e-3 ? 0 : 1;
}
