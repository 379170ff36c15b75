/* SPDX-License-Identifier: MIT */
/* Systems in static memory, for tests in C that only want something to step: a ball on the ground,
 * a diode bridge, beads that fall on each other, and what live_systems.h has, by several schemes
 * and solvers. */
#ifndef PERP_TESTS_SYSTEMS_H
#define PERP_TESTS_SYSTEMS_H

#include "live_systems.h"
#include "perp/perp.h"

enum { BEADS = 40, TRIALS = 14 };

/* A model and how it is run. */
typedef struct trial {
  const char *name;
  const perp_model *model;
  perp_simulation_options options;
  int32_t steps;
} trial;

/* Ball of three degrees of freedom, 1 m above the ground, restitution 0.9. */
static const perp_model *ball(void) {
  static const double M[] = {1, 1, 0.004}, f[] = {-9.81, 0, 0}, H[] = {1, 0, 0}, q0[] = {1, 0, 0};
  static const int32_t systems[] = {0};
  static perp_lagrangian_linear body;
  static perp_lagrangian_linear_relation height;
  static perp_newton_impact law;
  static perp_interaction contact;
  static const perp_system *const bodies[] = {&body.system};
  static const perp_interaction *const contacts[] = {&contact};
  static perp_model model = PERP_MODEL_INIT;

  perp_lagrangian_linear_init(&body, sizeof body, 3);
  body.M = perp_diagonal(3, M);
  body.f = f;
  perp_lagrangian_linear_relation_init(&height, sizeof height, 1, 3);
  height.H = H;
  perp_newton_impact_init(&law, sizeof law);
  law.e = 0.9;
  contact.relation = &height.relation;
  contact.law = &law.law;
  contact.systems = systems;
  contact.n_systems = 1;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = bodies;
  model.interactions = contacts;
  model.q0 = q0;
  return &model;
}

/* Capacitor and coil, four diodes, load of 1 kOhm: x = (voltage, current). */
static const perp_model *bridge(void) {
  static const double A[] = {0, 100, -1e6, 0}; /* column-major */
  static const double B[] = {0, 0, 0, 0, -1e6, 0, 1e6, 0};
  static const double C[] = {0, 0, -1, 1, 0, 0, 0, 0};
  static const double D[] = {1e-3, 1e-3, 1, 0, 1e-3, 1e-3, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0};
  static const double x0[] = {10, 0};
  static const int32_t systems[] = {0};
  static perp_first_order_linear circuit;
  static perp_linear_relation diodes;
  static perp_complementarity law;
  static perp_interaction interaction;
  static const perp_system *const all[] = {&circuit.system};
  static const perp_interaction *const interactions[] = {&interaction};
  static perp_model model = PERP_MODEL_INIT;

  perp_first_order_linear_init(&circuit, sizeof circuit, 2);
  circuit.A = perp_dense(2, 2, A);
  perp_linear_relation_init(&diodes, sizeof diodes, 4, 2);
  diodes.C = C;
  diodes.D = D;
  diodes.B = B;
  perp_complementarity_init(&law, sizeof law);
  interaction.relation = &diodes.relation;
  interaction.law = &law.law;
  interaction.systems = systems;
  interaction.n_systems = 1;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = all;
  model.interactions = interactions;
  model.x0 = x0;
  return &model;
}

/* Beads of 1 kg and radius 0.1 m above each other, their gaps growing upwards. */
static const perp_model *beads(void) {
  static const double M[] = {1}, f[] = {-9.81}, H_ground[] = {1}, H_pair[] = {-1, 1};
  static const double b_ground[] = {-0.1}, b_pair[] = {-0.2};
  static perp_lagrangian_linear bead;
  static perp_lagrangian_linear_relation ground, pair;
  static perp_newton_impact law;
  static perp_interaction contact[BEADS];
  static int32_t touching[BEADS][2];
  static double q0[BEADS];
  static const perp_system *systems[BEADS];
  static const perp_interaction *contacts[BEADS];
  static perp_model model = PERP_MODEL_INIT;

  perp_lagrangian_linear_init(&bead, sizeof bead, 1);
  bead.M = perp_diagonal(1, M);
  bead.f = f;
  perp_lagrangian_linear_relation_init(&ground, sizeof ground, 1, 1);
  ground.H = H_ground;
  ground.b = b_ground;
  perp_lagrangian_linear_relation_init(&pair, sizeof pair, 1, 2);
  pair.H = H_pair;
  pair.b = b_pair;
  perp_newton_impact_init(&law, sizeof law);
  law.e = 0.9;
  for (int32_t i = 0; i < BEADS; i++) {
    systems[i] = &bead.system;
    contacts[i] = &contact[i];
    q0[i] = 0.11 + 0.2 * i + 0.0005 * i;
    touching[i][0] = i == 0 ? 0 : i - 1;
    touching[i][1] = i;
    contact[i].relation = i == 0 ? &ground.relation : &pair.relation;
    contact[i].law = &law.law;
    contact[i].systems = touching[i];
    contact[i].n_systems = i == 0 ? 1 : 2;
  }
  model.n_systems = BEADS;
  model.n_interactions = BEADS;
  model.systems = systems;
  model.interactions = contacts;
  model.q0 = q0;
  return &model;
}

static void trial_set(trial *t, const char *name, const perp_model *model,
                      const perp_integrator *integrator, const perp_solver *solver, double h,
                      int32_t steps) {
  t->name = name;
  t->model = model;
  t->options = perp_simulation_options_default();
  t->options.h = h;
  t->options.integrator = integrator;
  t->options.solver = solver;
  t->steps = steps;
}

/* All systems, ready for perp_simulation_init(). */
static void trials_init(trial trials[TRIALS]) {
  const perp_integrator *const moreau = perp_integrator_moreau_jean();
  const perp_integrator *const positions = perp_integrator_schatzman_paoli();
  const perp_solver *const lemke = perp_solver_lemke(), *const nsgs = perp_solver_nsgs();
  trial *t = trials;
  trial_set(t++, "ball", ball(), moreau, lemke, 0.005, 2000);
  trial_set(t++, "bridge", bridge(), perp_integrator_theta(), lemke, 1e-6, 5000);
  trial_set(t++, "beads-lemke", beads(), moreau, lemke, 5e-4, 1000);
  trial_set(t++, "beads-active-set", beads(), moreau, perp_solver_active_set(), 5e-4, 2000);
  trial_set(t++, "mechanism", mechanism(0), moreau, lemke, 2e-3, 1000);
  trial_set(t++, "mechanism-rough", mechanism(1), moreau, nsgs, 2e-3, 1000);
  trial_set(t, "mechanism-retry", mechanism(0), moreau, lemke, 2e-2, 200);
  t->options.on_failure = PERP_FAILURE_RETRY;
  t++->options.newton_max = 4; /* so that some steps are halved */
  trial_set(t, "mechanism-sp-half", mechanism(0), positions, lemke, 8e-2, 200);
  t->options.on_failure = PERP_FAILURE_RETRY;
  t++->options.newton_max = 6;
  trial_set(t++, "mechanism-sp", mechanism(0), positions, lemke, 2e-3, 1000);
  trial_set(t++, "beads-sp", beads(), positions, perp_solver_active_set(), 1e-3, 200);
  trial_set(t, "swing", swing(), moreau, nsgs, 5e-3, 400);
  t++->options.projection = PERP_PROJECT_COMBINED;
  trial_set(t++, "chain", chain(), perp_integrator_theta(), lemke, 1e-2, 1000);
  trial_set(t, "bridge-gamma", bridge(), perp_integrator_theta_gamma_full(), lemke, 1e-6, 1000);
  t++->options.reaction_gamma = 0.5;
  trial_set(t++, "grains", grains(), moreau, nsgs, 2e-3, 500);
}

#endif
