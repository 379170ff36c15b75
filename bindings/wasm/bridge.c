/* SPDX-License-Identifier: MIT */
/* An LC oscillator, driven by a current I cos(w t) at its resonance, feeds a resistor through a
 * bridge of four ideal diodes (V, A, s):
 *   C dv/dt = -i - l2 + l3 + I cos(w t),    L di/dt = v,    w = 1 / sqrt(L C),
 *   y0 = (l0 + l1)/R - l2,  y1 = (l0 + l1)/R - l3,  y2 = l0 - v,  y3 = l1 + v,  0 <= y _|_ l >= 0
 * l0, l1 voltages of two diodes, l2, l3 currents of the others. */
#include <math.h>

#include "scene.h"

enum { R, THETA, H, DRIVE };
static const double inductance = 1e-2, capacitance = 1e-6, omega = 1e4; /* H, F, rad/s */
static const double A[] = {0, 1 / 1e-2, -1 / 1e-6, 0};                  /* matrices by columns */
static const double B[] = {0, 0, 0, 0, -1 / 1e-6, 0, 1 / 1e-6, 0};
static const double C[] = {0, 0, -1, 1, 0, 0, 0, 0};
static double D[16], current;
static const int32_t first = 0;
static perp_first_order_linear oscillator;
static perp_linear_relation wires;
static perp_complementarity diode;
static const perp_interaction diodes = {&wires.relation, &diode.law, &first, 1, 0};
static const perp_interaction *const interactions[] = {&diodes};
static const perp_system *const systems[] = {&oscillator.system};

static int32_t drive(double t, double *out, void *user) {
  out[0] = *(const double *)user / capacitance * cos(omega * t);
  out[1] = 0;
  return 0;
}

static void place(const double *p, double *q, double *v, double *x) {
  (void)p;
  (void)q;
  (void)v;
  x[0] = 10;
  x[1] = 0;
}

static perp_status build(const double *p, perp_model *model, perp_simulation_options *options,
                         const char **field) {
  *field = "R";
  if (!(p[R] > 0)) return PERP_EINVAL;
  const double G = 1 / p[R], wiring[] = {G, G, 1, 0, G, G, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0};
  for (int32_t i = 0; i < 16; i++) D[i] = wiring[i];
  current = p[DRIVE];
  perp_first_order_linear_init(&oscillator, sizeof oscillator, 2);
  oscillator.A = perp_dense(2, 2, A);
  oscillator.input = drive;
  oscillator.user = &current;
  perp_linear_relation_init(&wires, sizeof wires, 4, 2);
  wires.C = C;
  wires.D = D;
  wires.B = B;
  perp_complementarity_init(&diode, sizeof diode);
  model->n_systems = 1;
  model->n_interactions = 1;
  model->systems = systems;
  model->interactions = interactions;
  options->h = p[H];
  options->theta = p[THETA];
  options->integrator = perp_integrator_theta();
  options->solver = perp_solver_lemke();
  return PERP_OK;
}

static double energy(const double *p, const perp_simulation *sim) {
  const double *x = perp_simulation_x(sim, 0);
  (void)p;
  return (capacitance * x[0] * x[0] + inductance * x[1] * x[1]) / 2;
}

static void push(double amount, double *v, double *x) {
  (void)v;
  x[0] += amount;
}

const scene perp_wasm_bridge = {
    "bridge", {{"R", 1000}, {"theta", 0.5}, {"h", 1e-6}, {"drive", 0.01}, {NULL, 0}},
    place,    build,
    energy,   push};
