/* SPDX-License-Identifier: MIT */
/* Systems in time: what tests/systems.h has, and piles. */
#include "../systems.h"
#include "golden.h"
#include "perp/experimental.h"
#include "piles.h"

enum { PILES = 7, MOST_CONTACTS = 32 };

/* What a pool's contacts did. */
static void hash_contacts(uint64_t *hash, const perp_simulation *sim) {
  perp_contact_view list[MOST_CONTACTS];
  int32_t count;
  (void)perp_simulation_contacts(sim, list, sizeof *list, MOST_CONTACTS, &count);
  golden_hash_integer(hash, count);
  for (int32_t i = 0; i < count && i < MOST_CONTACTS; i++) {
    golden_hash_doubles(hash, list[i].impulse, 3);
    golden_hash_doubles(hash, list[i].couple, 3);
  }
}

static void hash_state(uint64_t *hash, const perp_simulation *sim, const perp_model *model) {
  for (int32_t i = 0; i < model->n_systems; i++) {
    const int32_t n_q = model->systems[i]->n + model->systems[i]->ops->extra_q;
    golden_hash_doubles(hash, perp_simulation_q(sim, i), n_q);
    golden_hash_doubles(hash, perp_simulation_v(sim, i), model->systems[i]->n);
    golden_hash_doubles(hash, perp_simulation_x(sim, i), model->systems[i]->n);
  }
  for (int32_t i = 0; i < model->n_interactions; i++)
    golden_hash_doubles(hash, perp_simulation_lambda(sim, i), model->interactions[i]->relation->m);
  if (model->pool != NULL) hash_contacts(hash, sim);
}

static int run(const trial *t) {
  const size_t state_bytes = perp_simulation_state_size(t->model, &t->options);
  const size_t work_bytes = perp_simulation_work_size(t->model, &t->options);
  unsigned char *const memory = golden_memory();
  uint64_t hash = golden_hash_start();
  perp_simulation *sim = NULL;
  perp_status status = PERP_EWORKSPACE;
  int32_t k = 0;
  if (state_bytes <= GOLDEN_MEMORY && work_bytes <= GOLDEN_MEMORY - state_bytes)
    status = perp_simulation_init(&sim, t->model, &t->options, memory, state_bytes,
                                  memory + state_bytes, work_bytes, NULL);
  while (status == PERP_OK && k < t->steps) {
    status = perp_simulation_step(sim, NULL);
    if (status != PERP_OK) break;
    hash_state(&hash, sim, t->model);
    k++;
  }
  golden_hash_integer(&hash, status);
  golden_line(t->name, NULL, hash, k, t->steps);
  return k == t->steps ? 0 : 1;
}

static void piles_init(trial piles[PILES]) {
  const perp_integrator *const moreau = perp_integrator_moreau_jean();
  trial *t = piles;
  trial_set(t++, "ball-constant", ball(), perp_integrator_moreau_jean_constant(),
            perp_solver_lemke(), 0.005, 2000); /* as "ball" */
  trial_set(t++, "bridge-constant", bridge(), perp_integrator_theta_constant(), perp_solver_lemke(),
            1e-6, 5000); /* as "bridge" */
  trial_set(t++, "hundred-lemke", golden_beads(), moreau, perp_solver_lemke(), 5e-4, 500);
  trial_set(t++, "hundred-active-set", golden_beads(), moreau, perp_solver_active_set(), 5e-4,
            1000);
  trial_set(t++, "spheres-nsgs", golden_spheres(0), moreau, perp_solver_nsgs(), 4e-3, 200);
  trial_set(t++, "spheres-newton", golden_spheres(0), moreau, perp_solver_friction_newton(), 4e-3,
            150);
  trial_set(t++, "spheres-rolling", golden_spheres(1), moreau, perp_solver_nsgs(), 4e-3, 150);
}

int golden_trajectories(void) {
  trial trials[TRIALS], piles[PILES];
  int wrong = 0;
  trials_init(trials);
  for (int i = 0; i < TRIALS; i++) wrong += run(&trials[i]);
  piles_init(piles);
  for (int i = 0; i < PILES; i++) wrong += run(&piles[i]);
  return wrong;
}
