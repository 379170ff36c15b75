/* SPDX-License-Identifier: MIT */
/* A column of equal beads of 1 kg falls on the ground (m, kg, s), r = 5 cm:
 *   dv_i = -g dt + P_i - P_{i+1},  z_0 >= r,  z_i - z_{i-1} >= 2 r,  v+ = -e v- at an impact. */
#include "scene.h"

enum { E, THETA, H, COUNT };
static const double g = 9.81, mass = 1, weight = -9.81, r = 0.05;
static const double ground_H[] = {1}, ground_b = -0.05, contact_H[] = {-1, 1}, contact_b = -0.1;
static perp_lagrangian_linear bead;
static perp_lagrangian_linear_relation ground, contact;
static perp_newton_impact impact;
static perp_interaction contacts[SCENE_BEADS];
static const perp_interaction *interactions[SCENE_BEADS];
static const perp_system *systems[SCENE_BEADS];
static int32_t joined[2 * SCENE_BEADS];

static void place(const double *p, double *q, double *v, double *x) {
  (void)p;
  (void)x;
  for (int32_t i = 0; i < SCENE_BEADS; i++) {
    q[i] = 6 * r + 2.5 * r * i;
    v[i] = 0;
  }
}

static void describe(double e) {
  perp_lagrangian_linear_init(&bead, sizeof bead, 1);
  bead.M = perp_diagonal(1, &mass);
  bead.f = &weight;
  perp_lagrangian_linear_relation_init(&ground, sizeof ground, 1, 1);
  ground.H = ground_H;
  ground.b = &ground_b;
  perp_lagrangian_linear_relation_init(&contact, sizeof contact, 1, 2);
  contact.H = contact_H;
  contact.b = &contact_b;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = e;
}

static perp_status build(const double *p, perp_model *model, perp_simulation_options *options,
                         const char **field) {
  *field = "beads";
  if (!(p[COUNT] >= 1 && p[COUNT] <= SCENE_BEADS)) return PERP_EINVAL;
  const int32_t n = (int32_t)p[COUNT];
  if ((double)n != p[COUNT]) return PERP_EINVAL;
  describe(p[E]);
  for (int32_t i = 0; i < n; i++) {
    const perp_interaction c = {i == 0 ? &ground.relation : &contact.relation, &impact.law,
                                joined + 2 * i + (i == 0), i == 0 ? 1 : 2, 0};
    systems[i] = &bead.system;
    joined[2 * i] = i - 1;
    joined[2 * i + 1] = i;
    contacts[i] = c;
    interactions[i] = &contacts[i];
  }
  model->n_systems = n;
  model->n_interactions = n;
  model->systems = systems;
  model->interactions = interactions;
  options->h = p[H];
  options->theta = p[THETA];
  options->integrator = perp_integrator_moreau_jean();
  options->solver = perp_solver_active_set();
  return PERP_OK;
}

/* Zero where every bead lies on the one below. */
static double energy(const double *p, const perp_simulation *sim) {
  const double *q = perp_simulation_q(sim, 0), *v = perp_simulation_v(sim, 0);
  double sum = 0;
  for (int32_t i = 0; i < (int32_t)p[COUNT]; i++)
    sum += mass * (v[i] * v[i] / 2 + g * (q[i] - r - 2 * r * i));
  return sum;
}

static void push(double amount, double *v, double *x) {
  (void)x;
  v[0] += amount;
}

const scene perp_wasm_beads = {
    "beads", {{"e", 0.6}, {"theta", 0.5}, {"h", 1e-3}, {"beads", 12}, {NULL, 0}},
    place,   build,
    energy,  push};
