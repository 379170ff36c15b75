/* SPDX-License-Identifier: MIT */
/* A column of 1000 beads falls on the ground and piles up (m, kg, s):
 *     M dv_i = -M g dt + P_i - P_{i+1},  z_0 >= r,  z_i - z_{i-1} >= 2 r,  Newton impact, e = 0.9.
 * Checked: the ground's impulse and the weight alone change the momentum of the column, and the top
 * bead falls freely, z = z(0) - g t^2 / 2. Equal beads share one description, equal contacts
 * another. All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

enum { N = 1000 };
static const double M = 1, g = 9.81, r = 0.1, h = 5e-4;
static double state[PERP_SIMULATION_STATE_BYTES(N, N, N) / sizeof(double)], q0[N];
static unsigned char
    work[PERP_SIMULATION_WORK_BYTES(N, 1, 1, N, 1, 2, 2, 4 * N, PERP_ACTIVE_SET_BYTES(N, 2 * N))];
static const perp_system *systems[N];
static perp_interaction contacts[N];
static const perp_interaction *interactions[N];
static int32_t joined[2 * N];

int main(void) {
  const double weight = -M * g, ground_H[] = {1}, ground_b = -r, contact_H[] = {-1, 1};
  const double contact_b = -2 * r;
  perp_lagrangian_linear bead;
  perp_lagrangian_linear_init(&bead, sizeof bead, 1);
  bead.M = perp_diagonal(1, &M);
  bead.f = &weight;
  perp_lagrangian_linear_relation ground, contact;
  perp_lagrangian_linear_relation_init(&ground, sizeof ground, 1, 1);
  ground.H = ground_H;
  ground.b = &ground_b;
  perp_lagrangian_linear_relation_init(&contact, sizeof contact, 1, 2);
  contact.H = contact_H;
  contact.b = &contact_b;
  perp_newton_impact impact;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = 0.9;
  for (int32_t i = 0; i < N; i++) {
    const perp_interaction c = {i == 0 ? &ground.relation : &contact.relation, &impact.law,
                                joined + 2 * i + (i == 0), i == 0 ? 1 : 2, 0};
    systems[i] = &bead.system;
    q0[i] = 1 + 0.25 * i;
    joined[2 * i] = i - 1;
    joined[2 * i + 1] = i;
    contacts[i] = c;
    interactions[i] = &contacts[i];
  }
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = N;
  model.n_interactions = N;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = q0;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 4000;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_active_set();
  perp_simulation *sim;
  perp_status status =
      perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, NULL);
  if (status != PERP_OK) return puts(perp_status_string(status)), 1;
  double impulse = 0, momentum = 0, t = 0;
  puts("  t (s)  z_0 (m)  z_1 (m)  z_9 (m)  z_999 (m)");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    t = perp_simulation_time(sim);
    impulse += *perp_simulation_lambda(sim, 0);
    if (perp_simulation_step_index(sim) % 250 == 0)
      printf("%7.3f %8.4f %8.4f %8.4f %10.4f\n", t, *perp_simulation_q(sim, 0),
             *perp_simulation_q(sim, 1), *perp_simulation_q(sim, 9), *perp_simulation_q(sim, 999));
  }
  for (int32_t i = 0; i < N; i++) momentum += M * *perp_simulation_v(sim, i);
  const double balance = (momentum - impulse) / (N * M * g * t) + 1;
  const double top = *perp_simulation_q(sim, N - 1) - (q0[N - 1] - g * t * t / 2);
  printf("relative error of the momentum %.1e, free fall off by %.1e m\n", balance, top);
  puts(perp_status_string(status));
  return status == PERP_END && fabs(balance) < 1e-10 && fabs(top) < 1e-10 ? 0 : 1;
}
