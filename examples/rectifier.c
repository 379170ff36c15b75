/* SPDX-License-Identifier: MIT */
/* A power supply: mains transformer E sin(2 pi f t) with winding r and leakage L, a bridge of four
 * ideal diodes, a capacitor C that smooths, a load R (V, A, s), by three schemes.
 *   L i' = E sin(2 pi f t) - r i - l0 + l1,   C v' = l2 + l3 - v/R,   0 <= y _|_ l >= 0  with
 *   y0 = l2 - i,  y1 = l3 + i  (currents of the lower diodes),   y2 = v - l0,  y3 = v - l1.
 * The implicit scheme takes y and l at the end of a step, the theta-gamma scheme in full form at
 * t + gamma h. Checked: what is missing in the balance of energy is of order one, but nothing, to
 * rounding, with theta = gamma = 1/2. All memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

static const double E = 17, f = 50, r = 0.5, L = 5e-4, C = 1e-3, R = 100;
static double state[PERP_SIMULATION_STATE_BYTES(0, 2, 4) / sizeof(double)];
static unsigned char
    work[PERP_SIMULATION_WORK_BYTES(1, 2, 1, 1, 4, 1, 1, 16, PERP_LEMKE_BYTES(4)) + 4096];

static int32_t mains(double t, double *b, void *user) {
  (void)user;
  b[0] = E * sin(2 * 3.14159265358979323846 * f * t);
  b[1] = 0;
  return 0;
}

/* Run 0.1 s; what is missing in the balance of energy, relative. NaN if it fails. */
static double run(const perp_model *model, const char *name, const perp_integrator *scheme,
                  double gamma, int32_t steps) {
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 0.1 / steps;
  options.steps = steps;
  options.integrator = scheme;
  options.reaction_gamma = gamma;
  options.solver = perp_solver_lemke();
  perp_simulation *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status =
      perp_simulation_init(&sim, model, &options, state, sizeof state, work, sizeof work, &info);
  if (status != PERP_OK) {
    printf("%s: %s\n", info.field, perp_status_string(status));
    return NAN;
  }
  double in = 0, burnt = 0, i = 0, v = 0, least = E, most = 0, b[2], was[2] = {0, 0};
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double t = perp_simulation_time(sim), *x = perp_simulation_x(sim, 0);
    const double im = (i + x[0]) / 2, vm = (v + x[1]) / 2;
    (void)mains(t, b, NULL);
    in += options.h * (b[0] + was[0]) / 2 * im;
    burnt += options.h * (r * im * im + vm * vm / R);
    was[0] = b[0];
    i = x[0];
    v = x[1];
    if (t > 0.08) {
      least = fmin(least, v);
      most = fmax(most, v);
    }
  }
  const double missing = (in - burnt - (L * i * i + C * v * v) / 2) / in;
  printf("%-22s %6.1f %11.5f %10.5f %19.1e  %s\n", name, 1e6 * options.h, least, most, missing,
         perp_status_string(status));
  return status == PERP_END ? fabs(missing) : NAN;
}

int main(void) {
  const double M[] = {L, C}, A[] = {-r, -1 / R}; /* diagonals; the others by columns */
  const double rows[] = {-1, 1, 0, 0, 0, 0, 1, 1}, B[] = {-1, 0, 1, 0, 0, 1, 0, 1};
  const double D[] = {0, 0, -1, 0, 0, 0, 0, -1, 1, 0, 0, 0, 0, 1, 0, 0};
  perp_first_order_linear circuit;
  perp_first_order_linear_init(&circuit, sizeof circuit, 2);
  circuit.M = perp_diagonal(2, M);
  circuit.A = perp_diagonal(2, A);
  circuit.input = mains;
  perp_linear_relation bridge;
  perp_linear_relation_init(&bridge, sizeof bridge, 4, 2);
  bridge.C = rows;
  bridge.D = D;
  bridge.B = B;
  perp_complementarity diode;
  perp_complementarity_init(&diode, sizeof diode);
  const int32_t first = 0;
  const perp_interaction diodes = {&bridge.relation, &diode.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&diodes};
  const perp_system *const systems[] = {&circuit.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;

  int good = 1;
  puts("scheme                 h (us)  v from (V)     to (V)  energy missing (1)");
  for (int32_t steps = 1000; steps <= 10000; steps *= 10) {
    const double implicit = run(&model, "implicit", perp_integrator_theta(), 1, steps);
    const double two_thirds =
        run(&model, "full, gamma = 2/3", perp_integrator_theta_gamma_full(), 2.0 / 3, steps);
    const double middle =
        run(&model, "full, gamma = 1/2", perp_integrator_theta_gamma_full(), 0.5, steps);
    good = good && implicit < 30.0 / steps && two_thirds < implicit / 2 && middle < 1e-12;
  }
  return good ? 0 : 1;
}
