/* SPDX-License-Identifier: MIT */
/* A mass on a spring rubs on a table (m, kg, s, N):  M dv + K x dt = impulses, weight M g, Coulomb
 * friction mu. Exact: between two turning points the amplitude falls by 2 mu M g / K, thus by
 * 4 mu M g / K a cycle, and the mass stays for good at the first turning point with
 * |x| <= mu M g / K, the band in which friction holds the spring. All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

static const double M = 1, K = 100, g = 9.81, mu = 0.1, x0 = 0.2, h = 1e-4;
static double state[PERP_SIMULATION_STATE_BYTES(2, 2, 2) / sizeof(double)];
static unsigned char work[PERP_SIMULATION_WORK_BYTES(1, 2, 1, 1, 2, 1, 1, 4, PERP_NSGS_BYTES(2))];

int main(void) {
  const double mass[] = {M, M}, spring[] = {K, 0}, weight[] = {0, -M * g}; /* along, up */
  const double start[] = {x0, -1e-9}; /* it lies on the table, whatever rounds */
  const double H[] = {0, 1, 1, 0};    /* normal first */
  perp_lagrangian_linear body;
  perp_lagrangian_linear_init(&body, sizeof body, 2);
  body.M = perp_diagonal(2, mass);
  body.K = perp_diagonal(2, spring);
  body.f = weight;
  perp_lagrangian_linear_relation under;
  perp_lagrangian_linear_relation_init(&under, sizeof under, 2, 2);
  under.H = H;
  perp_friction friction;
  perp_friction_init(&friction, sizeof friction);
  friction.law.size = 2;
  friction.mu = mu;
  const int32_t first = 0;
  const perp_interaction table = {&under.relation, &friction.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&table};
  const perp_system *const systems[] = {&body.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = start;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 40000;
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
  double amplitude = x0, before = 0, worst = 0;
  int turns = 0;
  puts("turn   t (s)  amplitude (m)  exact (m)");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double x = *perp_simulation_q(sim, 0), v = *perp_simulation_v(sim, 0);
    if (v * before < 0 || (v == 0 && before != 0)) {
      amplitude -= 2 * mu * M * g / K;
      turns++;
      worst = fmax(worst, fabs(fabs(x) - amplitude));
      printf("%4d %7.4f %14.7f %10.7f\n", turns, perp_simulation_time(sim), fabs(x), amplitude);
    }
    before = v;
  }
  const double held = perp_simulation_lambda(sim, 0)[1] / h - K * *perp_simulation_q(sim, 0);
  printf("at rest: friction less spring %.0e N; %s\n", held, perp_status_string(status));
  return status == PERP_END && turns == 10 && worst < 1e-7 && before == 0 && fabs(held) < 1e-12 ? 0
                                                                                                : 1;
}
