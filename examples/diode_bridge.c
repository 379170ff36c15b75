/* SPDX-License-Identifier: MIT */
/* An LC oscillator feeds a resistor through a bridge of four ideal diodes (V, A, s):
 *     C dv/dt = -i - l2 + l3,    L di/dt = v,
 *     y0 = (l0 + l1)/R - l2,  y1 = (l0 + l1)/R - l3,  y2 = l0 - v,  y3 = l1 + v,  0 <= y _|_ l >= 0
 * l0, l1 voltages of two diodes, l2, l3 currents of the others. With ideal diodes the oscillator
 * sees the resistor itself, C dv/dt = -i - v/R, which is what the numbers are compared with.
 * All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

enum { R = 1000 };                                         /* Ohm */
static const double inductance = 1e-2, capacitance = 1e-6; /* H, F */
static double state[PERP_SIMULATION_STATE_BYTES(0, 2, 4) / sizeof(double)];
static unsigned char work[PERP_SIMULATION_WORK_BYTES(1, 2, 1, 1, 4, 1, 1, 16, PERP_LEMKE_BYTES(4))];

static double exact_voltage(double t) {
  const double damping = 1 / (2 * R * capacitance);
  const double w = sqrt(1 / (inductance * capacitance) - damping * damping);
  return 10 * exp(-damping * t) * (cos(w * t) - damping / w * sin(w * t));
}

int main(void) {
  const double h = 1e-7, x0[] = {10, 0};                       /* v, i */
  const double A[] = {0, 1 / inductance, -1 / capacitance, 0}; /* all matrices by columns */
  const double B[] = {0, 0, 0, 0, -1 / capacitance, 0, 1 / capacitance, 0};
  const double Cy[] = {0, 0, -1, 1, 0, 0, 0, 0};
  const double D[] = {1.0 / R, 1.0 / R, 1, 0, 1.0 / R, 1.0 / R, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0};
  perp_first_order_linear oscillator;
  perp_first_order_linear_init(&oscillator, sizeof oscillator, 2);
  oscillator.A = perp_dense(2, 2, A);
  perp_linear_relation wires;
  perp_linear_relation_init(&wires, sizeof wires, 4, 2);
  wires.C = Cy;
  wires.D = D;
  wires.B = B;
  perp_complementarity diode;
  perp_complementarity_init(&diode, sizeof diode);
  const int32_t first = 0;
  const perp_interaction bridge = {&wires.relation, &diode.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&bridge};
  const perp_system *const systems[] = {&oscillator.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.x0 = x0;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 50000;
  options.integrator = perp_integrator_theta();
  options.solver = perp_solver_lemke();
  perp_simulation *sim;
  perp_status status =
      perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, NULL);
  if (status != PERP_OK) return puts(perp_status_string(status)), 1;
  double worst = 0, worst_load = 0;
  puts("  t (ms)    v (V)   exact (V)   i (mA)  resistor (mA)");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double t = perp_simulation_time(sim), *x = perp_simulation_x(sim, 0);
    const double *l = perp_simulation_lambda(sim, 0), load = (l[0] + l[1]) / R;
    worst = fmax(worst, fabs(x[0] - exact_voltage(t)));
    worst_load = fmax(worst_load, fabs(load - fabs(x[0]) / R));
    if (perp_simulation_step_index(sim) % 2500 == 0)
      printf("%8.2f %9.4f %10.4f %9.4f %11.4f\n", 1e3 * t, x[0], exact_voltage(t), 1e3 * x[1],
             1e3 * load);
  }
  printf("largest error %.1e V, of the rectified current %.1e A\n", worst, worst_load);
  puts(perp_status_string(status));
  return status == PERP_END && worst < 2e-2 && worst_load < 1e-12 ? 0 : 1;
}
