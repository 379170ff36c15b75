/* SPDX-License-Identifier: MIT */
/* A ball of 1 kg on a floor (m, kg, s):  dv = -g dt + impulses,  q >= 0,  v+ = -e v- at an impact.
 */
#include "scene.h"

enum { E, THETA, H, HEIGHT };
static const double g = 9.81, mass = 1, weight = -9.81, one = 1;
static const int32_t first = 0;
static perp_lagrangian_linear ball;
static perp_lagrangian_linear_relation gap; /* y = q */
static perp_newton_impact impact;
static const perp_interaction floor_below = {&gap.relation, &impact.law, &first, 1, 0};
static const perp_interaction *const interactions[] = {&floor_below};
static const perp_system *const systems[] = {&ball.system};

static void place(const double *p, double *q, double *v, double *x) {
  (void)x;
  q[0] = p[HEIGHT];
  v[0] = 0;
}

static perp_status build(const double *p, perp_model *model, perp_simulation_options *options,
                         const char **field) {
  (void)field;
  perp_lagrangian_linear_init(&ball, sizeof ball, 1);
  ball.M = perp_diagonal(1, &mass);
  ball.f = &weight;
  perp_lagrangian_linear_relation_init(&gap, sizeof gap, 1, 1);
  gap.H = &one;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = p[E];
  model->n_systems = 1;
  model->n_interactions = 1;
  model->systems = systems;
  model->interactions = interactions;
  options->h = p[H];
  options->theta = p[THETA];
  options->integrator = perp_integrator_moreau_jean();
  options->solver = perp_solver_lemke();
  return PERP_OK;
}

static double energy(const double *p, const perp_simulation *sim) {
  const double q = *perp_simulation_q(sim, 0), v = *perp_simulation_v(sim, 0);
  (void)p;
  return mass * (v * v / 2 + g * q);
}

static void push(double amount, double *v, double *x) {
  (void)x;
  v[0] += amount;
}

const scene perp_wasm_ball = {
    "ball", {{"e", 0.8}, {"theta", 0.5}, {"h", 1e-3}, {"height", 1}, {NULL, 0}},
    place,  build,
    energy, push};
