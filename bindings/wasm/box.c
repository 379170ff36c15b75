/* SPDX-License-Identifier: MIT */
/* A box of 2 kg, 0.4 m x 0.3 m, on two contacts with Coulomb friction slides down a slope (m, kg,
 * s); q = (along the slope, off it, angle), the angle small:
 *   M dv = M g (sin a, -cos a) dt + impulses,   |r_t| <= mu r_n at each contact. */
#include <math.h>

#include "scene.h"

enum { MU, SLOPE, SPEED, THETA, H };
static const double g = 9.81, m = 2, radian = 0.017453292519943295;
static const double mass[] = {2, 2, 2 * (0.2 * 0.2 + 0.15 * 0.15) / 3};
static const double edges_H[] = {0, 1, 0, 1, 1, 0, 1, 0, 0.2, 0.15, -0.2, 0.15}; /* front, rear */
static const int32_t first = 0;
static double weight[3];
static perp_lagrangian_linear box;
static perp_lagrangian_linear_relation edges;
static perp_friction friction;
static const perp_interaction slope = {&edges.relation, &friction.law, &first, 1, 0};
static const perp_interaction *const interactions[] = {&slope};
static const perp_system *const systems[] = {&box.system};

static void place(const double *p, double *q, double *v, double *x) {
  (void)x;
  for (int32_t i = 0; i < 3; i++) q[i] = v[i] = 0;
  v[0] = p[SPEED];
}

static perp_status build(const double *p, perp_model *model, perp_simulation_options *options,
                         const char **field) {
  *field = "slope";
  if (!(p[SLOPE] >= -60 && p[SLOPE] <= 60)) return PERP_EINVAL;
  weight[0] = m * g * sin(radian * p[SLOPE]);
  weight[1] = -m * g * cos(radian * p[SLOPE]);
  perp_lagrangian_linear_init(&box, sizeof box, 3);
  box.M = perp_diagonal(3, mass);
  box.f = weight;
  perp_lagrangian_linear_relation_init(&edges, sizeof edges, 4, 3);
  edges.H = edges_H;
  perp_friction_init(&friction, sizeof friction);
  friction.law.size = 2;
  friction.mu = p[MU];
  model->n_systems = 1;
  model->n_interactions = 1;
  model->systems = systems;
  model->interactions = interactions;
  options->h = p[H];
  options->theta = p[THETA];
  options->integrator = perp_integrator_moreau_jean();
  options->solver = perp_solver_friction_lemke();
  return PERP_OK;
}

static double energy(const double *p, const perp_simulation *sim) {
  const double *q = perp_simulation_q(sim, 0), *v = perp_simulation_v(sim, 0);
  double sum = 0;
  (void)p;
  for (int32_t i = 0; i < 3; i++) sum += mass[i] * v[i] * v[i] / 2 - weight[i] * q[i];
  return sum;
}

static void push(double amount, double *v, double *x) {
  (void)x;
  v[0] += amount;
}

const scene perp_wasm_box = {
    "box",  {{"mu", 0.4}, {"slope", 0}, {"speed", 3}, {"theta", 0.5}, {"h", 1e-3}},
    place,  build,
    energy, push};
