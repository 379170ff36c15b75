/* SPDX-License-Identifier: MIT */
#include "piles.h"

#include <math.h>

enum { BEADS = 100, SPHERES = 10, CONTACTS = 32 };

const perp_model *golden_beads(void) {
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

  (void)perp_lagrangian_linear_init(&bead, sizeof bead, 1);
  bead.M = perp_diagonal(1, M);
  bead.f = f;
  (void)perp_lagrangian_linear_relation_init(&ground, sizeof ground, 1, 1);
  ground.H = H_ground;
  ground.b = b_ground;
  (void)perp_lagrangian_linear_relation_init(&pair, sizeof pair, 1, 2);
  pair.H = H_pair;
  pair.b = b_pair;
  (void)perp_newton_impact_init(&law, sizeof law);
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
  model.n_systems = model.n_interactions = BEADS;
  model.systems = systems;
  model.interactions = contacts;
  model.q0 = q0;
  return &model;
}

/* The place where sphere i touches the floor (j = PERP_GROUND) or sphere j. */
static void place_spheres(const perp_simulation *sim, int32_t i, int32_t j,
                          perp_contact_place *place) {
  const double radius = 0.1, *const a = perp_simulation_q(sim, i);
  if (j == PERP_GROUND) {
    place->gap = a[2] - radius;
    place->normal[2] = 1;
    for (int k = 0; k < 3; k++) place->a[k] = a[k] - radius * place->normal[k];
    return;
  }
  const double *const b = perp_simulation_q(sim, j);
  const double d[] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  place->gap = distance - 2 * radius;
  for (int k = 0; k < 3; k++) {
    place->normal[k] = d[k] / distance;
    place->a[k] = a[k] - radius * place->normal[k];
    place->b[k] = b[k] + radius * place->normal[k];
  }
}

static int32_t find_spheres(double t, const perp_simulation *sim, perp_pool_writer *out,
                            void *user) {
  (void)t, (void)user;
  for (int32_t i = 0; i < SPHERES; i++)
    for (int32_t j = PERP_GROUND; j < i; j++) {
      perp_pool_contact c = {{i, j}, 0, 0, {0, 0}, {0, {0}, {0}, {0}, {0}, {0}}};
      place_spheres(sim, i, j, &c.place);
      if (c.place.gap >= 0.05) continue;
      const perp_status answer = perp_pool_add(out, &c, NULL);
      if (answer != PERP_OK) return answer;
    }
  return 0;
}

const perp_model *golden_spheres(int rolling) {
  /* six, three and one */
  static const double centre[SPHERES][3] = {
      {0, 0, 0.11},         {0.21, 0, 0.115},     {0.42, 0, 0.12},       {0.105, 0.182, 0.11},
      {0.315, 0.182, 0.12}, {0.21, 0.364, 0.115}, {0.105, 0.0607, 0.29}, {0.315, 0.0607, 0.295},
      {0.21, 0.243, 0.29},  {0.21, 0.12, 0.48}};
  static double q0[7 * SPHERES], v0[6 * SPHERES];
  static perp_body sphere;
  static perp_friction friction;
  static perp_rolling resisted;
  static const perp_law *const laws[2] = {&friction.law, &resisted.law};
  static const perp_system *all[SPHERES];
  static perp_contact_pool pools[2] = {PERP_CONTACT_POOL_INIT, PERP_CONTACT_POOL_INIT};
  static perp_model models[2] = {PERP_MODEL_INIT, PERP_MODEL_INIT};

  (void)perp_body_init(&sphere, sizeof sphere);
  sphere.inertia[0] = sphere.inertia[4] = sphere.inertia[8] = 0.004;
  sphere.f[2] = -9.81;
  (void)perp_friction_init(&friction, sizeof friction);
  friction.mu = 0.4;
  friction.e_n = 0.1;
  (void)perp_rolling_init(&resisted, sizeof resisted);
  resisted.mu = 0.4;
  resisted.mu_rolling = 0.002;
  for (int32_t i = 0; i < SPHERES; i++) {
    all[i] = &sphere.system;
    for (int k = 0; k < 3; k++) q0[7 * i + k] = centre[i][k];
    q0[7 * i + 3] = 1;
    v0[6 * i] = 0.25 * (i % 3 - 1);
    v0[6 * i + 3] = i % 4 - 1;
    v0[6 * i + 5] = 2 - i % 5;
  }
  pools[rolling].capacity = CONTACTS;
  pools[rolling].n_laws = 1;
  pools[rolling].laws = &laws[rolling];
  pools[rolling].find = find_spheres;
  models[rolling].n_systems = SPHERES;
  models[rolling].systems = all;
  models[rolling].q0 = q0;
  models[rolling].v0 = v0;
  models[rolling].pool = &pools[rolling];
  return &models[rolling];
}
