/* SPDX-License-Identifier: MIT */
/* The rectifier of examples/rectifier.cpp for bench/ngspice.py:  rectifier_bench SCHEME H FILE
 * takes 0.2 s in steps of H (s), writes time (s), voltage (V) and current (A) of every 0.1 ms to
 * FILE, and prints its steps and the seconds of the fastest of several runs as JSON. SCHEME:
 * implicit (reactions of the end of the step) or middle (reactions and law in the middle of the
 * step). */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perp/perp.h"

static const double E = 17, f = 50, r = 0.5, L = 5e-4, C = 1e-3, R = 100, end = 0.2, every = 1e-4;
static double state[PERP_SIMULATION_STATE_BYTES(0, 2, 4) / sizeof(double)];
static unsigned char
    work[PERP_SIMULATION_WORK_BYTES(1, 2, 1, 1, 4, 1, 1, 16, PERP_LEMKE_BYTES(4)) + 4096];

static int32_t mains(double t, double *b, void *user) {
  (void)user;
  b[0] = E * sin(2 * 3.14159265358979323846 * f * t);
  b[1] = 0;
  return 0;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of the loop over the steps, negative if it fails. */
static double run(const perp_model *model, const perp_simulation_options *options, int32_t stride,
                  FILE *out) {
  perp_simulation *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status =
      perp_simulation_init(&sim, model, options, state, sizeof state, work, sizeof work, &info);
  if (status != PERP_OK) {
    fprintf(stderr, "%s: %s\n", info.field, perp_status_string(status));
    return -1;
  }
  const double start = now();
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK)
    if (out != NULL && perp_simulation_step_index(sim) % stride == 0) {
      const double *x = perp_simulation_x(sim, 0);
      fprintf(out, "%.12g %.12g %.12g\n", perp_simulation_time(sim), x[1], x[0]);
    }
  const double seconds = now() - start;
  if (status == PERP_END) return seconds;
  fprintf(stderr, "%s\n", perp_status_string(status));
  return -1;
}

int main(int argc, char **argv) {
  const double h = argc == 4 ? strtod(argv[2], NULL) : 0, parts = h > 0 ? every / h : 0;
  const int32_t stride = parts < 1e6 ? (int32_t)(parts + 0.5) : 0;
  if (stride < 1 || fabs(stride / parts - 1) > 1e-9) {
    fprintf(stderr, "rectifier_bench implicit|middle H FILE, H a part of 1e-4\n");
    return 2;
  }
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

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = (int32_t)(end / h + 0.5);
  options.solver = perp_solver_lemke();
  options.integrator = perp_integrator_theta();
  if (strcmp(argv[1], "middle") == 0) {
    options.integrator = perp_integrator_theta_gamma_full();
    options.reaction_gamma = 0.5;
  }
  double best = 0, spent = 0;
  while (spent < 0.3) {
    const double seconds = run(&model, &options, stride, NULL);
    if (!(seconds > 0)) return 1;
    if (spent == 0 || seconds < best) best = seconds;
    spent += seconds;
  }
  FILE *out = fopen(argv[3], "w");
  if (out == NULL || run(&model, &options, stride, out) < 0) return 1;
  printf("{\"steps\": %d, \"seconds\": %.6g}\n", (int)options.steps, best);
  return fclose(out) == 0 ? 0 : 1;
}
