/* SPDX-License-Identifier: MIT */
/* Prints one hash (FNV-1a, 64 bits) a system over the bits of all positions, velocities, states
 * and multipliers of all steps. Builds of any compiler and optimisation print the same lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "systems.h"

static void hash_doubles(uint64_t *hash, const double *x, int32_t n) {
  for (int32_t i = 0; x != NULL && i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    for (int byte = 0; byte < 8; byte++) {
      *hash ^= bits >> (8 * byte) & 0xff;
      *hash *= UINT64_C(1099511628211);
    }
  }
}

static void hash_state(uint64_t *hash, const perp_simulation *sim, const perp_model *model) {
  for (int32_t i = 0; i < model->n_systems; i++) {
    hash_doubles(hash, perp_simulation_q(sim, i), model->systems[i]->n);
    hash_doubles(hash, perp_simulation_v(sim, i), model->systems[i]->n);
    hash_doubles(hash, perp_simulation_x(sim, i), model->systems[i]->n);
  }
  for (int32_t i = 0; i < model->n_interactions; i++)
    hash_doubles(hash, perp_simulation_lambda(sim, i), model->interactions[i]->relation->m);
}

static perp_status run(const trial *t, uint64_t *hash) {
  size_t state_bytes = perp_simulation_state_size(t->model, &t->options);
  size_t work_bytes = perp_simulation_work_size(t->model, &t->options);
  void *state = malloc(state_bytes), *work = malloc(work_bytes);
  perp_simulation *sim = NULL;
  perp_status status = state == NULL || work == NULL
                           ? PERP_EWORKSPACE
                           : perp_simulation_init(&sim, t->model, &t->options, state, state_bytes,
                                                  work, work_bytes, NULL);
  for (int32_t k = 0; k < t->steps && status == PERP_OK; k++) {
    status = perp_simulation_step(sim, NULL);
    hash_state(hash, sim, t->model);
  }
  free(work);
  free(state);
  return status;
}

int main(void) {
  trial trials[TRIALS];
  trials_init(trials);
  for (int i = 0; i < TRIALS; i++) {
    uint64_t hash = UINT64_C(14695981039346656037);
    perp_status status = run(&trials[i], &hash);
    printf("%-17s %016" PRIx64 "  %s\n", trials[i].name, hash, perp_status_string(status));
    if (status != PERP_OK) return 1;
  }
  return 0;
}
