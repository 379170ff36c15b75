/* SPDX-License-Identifier: MIT */
/* A ball dropped on a floor (m, kg, s, N):
 *     M dv = -M g dt + impulses,   dq = v dt,   q >= 0,   v+ = -e v- at an impact.
 * Exact: impacts at t1 = sqrt(2 H / g) and then 2 e^n t1 apart, and rest from t1 (1 + e) / (1 - e),
 * where every step carries the impulse M g h. All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

static const double M = 1, g = 9.81, e = 0.9, H = 1, h = 1e-4;
static double state[PERP_SIMULATION_STATE_BYTES(1, 1, 1) / sizeof(double)]; /* 8-byte aligned */
static unsigned char work[PERP_SIMULATION_WORK_BYTES(1, 1, 1, 1, 1, 1, 1, 1, PERP_LEMKE_BYTES(1))];

static double exact_height(double t) {
  double t1 = sqrt(2 * H / g), rise = g * t1;
  if (t < t1) return H - g * t * t / 2;
  t -= t1;
  while ((rise *= e) > 1e-6) {
    if (t < 2 * rise / g) return t * (rise - g * t / 2);
    t -= 2 * rise / g;
  }
  return 0;
}

int main(void) {
  const double weight = -M * g, one = 1;
  perp_lagrangian_linear ball;
  perp_lagrangian_linear_init(&ball, sizeof ball, 1);
  ball.M = perp_diagonal(1, &M);
  ball.f = &weight;
  perp_lagrangian_linear_relation gap; /* y = q */
  perp_lagrangian_linear_relation_init(&gap, sizeof gap, 1, 1);
  gap.H = &one;
  perp_newton_impact impact;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = e;
  const int32_t first = 0;
  const perp_interaction floor = {&gap.relation, &impact.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&floor};
  const perp_system *const systems[] = {&ball.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = &H;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 100000;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_lemke();
  perp_simulation *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status =
      perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, &info);
  if (status != PERP_OK) {
    printf("%s: %s\n", info.field, perp_status_string(status));
    return 1;
  }
  double worst = 0;
  puts("  t (s)     q (m)   exact (m)   v (m/s)");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double t = perp_simulation_time(sim), q = *perp_simulation_q(sim, 0);
    worst = fmax(worst, fabs(q - exact_height(t)));
    if (perp_simulation_step_index(sim) % 5000 == 0)
      printf("%7.2f %9.5f %11.5f %9.5f\n", t, q, exact_height(t), *perp_simulation_v(sim, 0));
  }
  const double rest = *perp_simulation_lambda(sim, 0) / (M * g * h);
  printf("largest error %.1e m, impulse at rest %.15f M g h\n", worst, rest);
  puts(perp_status_string(status));
  return status == PERP_END && worst < 5e-3 && fabs(rest - 1) < 1e-9 ? 0 : 1;
}
