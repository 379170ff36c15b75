/* SPDX-License-Identifier: MIT */
/* A follower pressed on a cam by a spring (m, kg, s, N), q its height above the cam:
 *     m q'' + k q = F(t) + contact force,   F = -(m c'' + k c),   q >= 0,   q'+ = -0.8 q'-.
 * While it stays in contact, the contact carries -F; it stays for ever up to 114.98 turns a minute,
 * and jumps, perhaps chaotically, above. All memory is static. */
#include "cam.h"

#include <stdio.h>

#include "perp/perp.h"

static const double mass = 1.221, stiffness = 1430.8, h = 1e-4;
static double state[PERP_SIMULATION_STATE_BYTES(1, 1, 1) / sizeof(double)];
static unsigned char work[PERP_SIMULATION_WORK_BYTES(1, 1, 1, 1, 1, 1, 1, 1, PERP_LEMKE_BYTES(1))];

static int32_t cam_force(double t, double *f, void *rpm) {
  const cam c = cam_at(t, *(const double *)rpm);
  f[0] = -(mass * c.acceleration + stiffness * c.position);
  return 0;
}

int main(void) {
  const double one = 1;
  double rpm = 0, held = 0, error = 0;
  perp_lagrangian_linear follower;
  perp_lagrangian_linear_init(&follower, sizeof follower, 1);
  follower.M = perp_diagonal(1, &mass);
  follower.K = perp_diagonal(1, &stiffness);
  follower.force = cam_force;
  follower.user = &rpm;
  perp_lagrangian_linear_relation gap; /* y = q */
  perp_lagrangian_linear_relation_init(&gap, sizeof gap, 1, 1);
  gap.H = &one;
  perp_newton_impact impact;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = 0.8;
  const int32_t first = 0;
  const perp_interaction contact = {&gap.relation, &impact.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&contact};
  const perp_system *const systems[] = {&follower.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 20000;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_lemke();
  puts("turns/min   in contact (%)   greatest jump (mm)   impacts");
  for (int run = 0; run < 5; run++) {
    rpm = (const double[]){100, 150, 358, 660, 700}[run];
    perp_simulation *sim;
    perp_status status =
        perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, NULL);
    if (status != PERP_OK) return puts(perp_status_string(status)), 1;
    double jump = 0, contacts = 0, before, after;
    cam_force(0, &before, &rpm);
    while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
      const double P = *perp_simulation_lambda(sim, 0);
      cam_force(perp_simulation_time(sim), &after, &rpm);
      contacts += P > 0;
      jump = fmax(jump, *perp_simulation_q(sim, 0));
      if (run == 0) error = fmax(error, fabs(P / h + (before + after) / 2));
      before = after;
    }
    if (status != PERP_END) return puts(perp_status_string(status)), 1;
    if (run == 0) held = contacts;
    perp_report report = PERP_REPORT_INIT;
    perp_simulation_report(sim, &report);
    printf("%9.0f %16.2f %20.3f %9.0f\n", rpm, contacts / options.steps * 100, 1e3 * jump,
           (double)report.impacts);
  }
  printf("at 100 turns a minute: largest error of the contact force %.1e N\n", error);
  return held == options.steps && error < 1e-8 ? 0 : 1;
}
