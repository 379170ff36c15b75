/* SPDX-License-Identifier: MIT */
/* A double pendulum whose tip hits a wall without loss (m, kg, s): M(q) dv + (N(q, v) + G(q)) dt =
 * impulses, angles q from the vertical, masses m at the ends of rods of length l:
 *     M = m l^2 [2, c; c, 1],  N = m l^2 s [v_2^2, -v_1^2],  G = m g l [2 sin q_1, sin q_2],
 * c, s of q_1 - q_2; gap of the tip y = d + l (sin q_1 + sin q_2), 0 <= y' + y'- _|_ impulse >= 0.
 * Exact: the energy stays what it was, through every impact, and the tip this side of the wall.
 * Newton's iteration is fed with the derivatives of all but N. All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

static const double m = 0.5, l = 0.4, g = 9.81, d = 0.15, h = 1e-4;

static double state[PERP_SIMULATION_STATE_BYTES(2, 2, 1) / sizeof(double)];
static unsigned char
    work[PERP_SIMULATION_VARYING_WORK_BYTES(1, 2, 1, 1, 1, 1, 0, PERP_LEMKE_BYTES(1))];

static int32_t mass(double t, const double *q, const double *v, const double *z, double *M,
                    void *user) {
  (void)t, (void)v, (void)z, (void)user;
  M[0] = 2 * m * l * l;
  M[1] = M[2] = m * l * l * cos(q[0] - q[1]);
  M[3] = m * l * l;
  return 0;
}

static int32_t gyroscopic(double t, const double *q, const double *v, const double *z, double *N,
                          void *user) {
  (void)t, (void)z, (void)user;
  const double s = m * l * l * sin(q[0] - q[1]);
  N[0] = s * v[1] * v[1];
  N[1] = -s * v[0] * v[0];
  return 0;
}

static int32_t gravity(double t, const double *q, const double *v, const double *z, double *G,
                       void *user) {
  (void)t, (void)v, (void)z, (void)user;
  G[0] = 2 * m * g * l * sin(q[0]);
  G[1] = m * g * l * sin(q[1]);
  return 0;
}

static int32_t gravity_dq(double t, const double *q, const double *v, const double *z, double *out,
                          void *user) {
  (void)t, (void)v, (void)z, (void)user;
  out[0] = 2 * m * g * l * cos(q[0]);
  out[3] = m * g * l * cos(q[1]);
  return 0;
}

static int32_t potential(double t, const double *q, const double *v, const double *z, double *V,
                         void *user) {
  (void)t, (void)v, (void)z, (void)user;
  V[0] = -m * g * l * (2 * cos(q[0]) + cos(q[1]));
  return 0;
}

static int32_t gap(double t, const double *q, const double *lambda, const double *z, double *y,
                   void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  y[0] = d + l * (sin(q[0]) + sin(q[1]));
  return 0;
}

static int32_t gap_dq(double t, const double *q, const double *lambda, const double *z, double *H,
                      void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  H[0] = l * cos(q[0]);
  H[1] = l * cos(q[1]);
  return 0;
}

int main(void) {
  const double start[] = {1.2, 0.9};
  perp_lagrangian pendulum;
  perp_lagrangian_init(&pendulum, sizeof pendulum, 2);
  pendulum.mass = mass;
  pendulum.gyroscopic = gyroscopic;
  pendulum.internal = gravity;
  pendulum.internal_dq = gravity_dq;
  pendulum.potential = potential;
  perp_lagrangian_relation wall;
  perp_lagrangian_scleronomous_init(&wall, sizeof wall, 1, 2);
  wall.h = gap;
  wall.H = gap_dq;
  perp_newton_impact elastic;
  perp_newton_impact_init(&elastic, sizeof elastic);
  elastic.e = 1;
  const int32_t first = 0;
  const perp_interaction stop = {&wall.relation, &elastic.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&stop};
  const perp_system *const systems[] = {&pendulum.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = start;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 50000;
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
  double T, V, worst = 0;
  perp_simulation_energy(sim, &T, &V);
  const double energy = T + V, scale = 6 * m * g * l; /* from hanging to upright */
  puts("  t (s)  q_1 (rad)  q_2 (rad)  wall (m)  energy (J)");
  while ((status = perp_simulation_step(sim, &info)) == PERP_OK) {
    const double *q = perp_simulation_q(sim, 0);
    perp_simulation_energy(sim, &T, &V);
    worst = fmax(worst, fabs(T + V - energy) / scale);
    if (perp_simulation_step_index(sim) % 5000 == 0)
      printf("%7.2f %10.5f %10.5f %9.5f %11.6f\n", perp_simulation_time(sim), q[0], q[1],
             *perp_simulation_y(sim, 0), T + V);
  }
  perp_report report = PERP_REPORT_INIT;
  perp_simulation_report(sim, &report);
  const double impacts = (double)report.impacts, steps = (double)report.steps;
  printf(
      "%.0f impacts, energy within %.1e of the range, wall passed by %.1e m, %.2f passes a step, "
      "%zu + %zu bytes; %s\n",
      impacts, worst, report.penetration, (double)report.newton / steps, sizeof state, sizeof work,
      perp_status_string(status));
  return status == PERP_END && impacts >= 5 && worst < 1e-3 && report.penetration < 10 * h ? 0 : 1;
}
