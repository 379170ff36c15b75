/* SPDX-License-Identifier: MIT */
/* Prints one hash (FNV-1a, 64 bits) a system over the bits of all positions, velocities, states
 * and multipliers of all steps, and one a solver of friction over its forces in a pile. Builds of
 * any compiler and optimisation print the same lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perp/experimental.h"
#include "systems.h"

enum { MOST_CONTACTS = 32 };

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

/* What a pool's contacts did. */
static void hash_contacts(uint64_t *hash, const perp_simulation *sim) {
  perp_contact_view list[MOST_CONTACTS];
  const int32_t count = perp_simulation_contacts(sim, list, sizeof *list, MOST_CONTACTS);
  for (int32_t i = 0; i < count && i < MOST_CONTACTS; i++) hash_doubles(hash, list[i].impulse, 3);
}

static void hash_state(uint64_t *hash, const perp_simulation *sim, const perp_model *model) {
  for (int32_t i = 0; i < model->n_systems; i++) {
    const int32_t n_q = model->systems[i]->n + model->systems[i]->ops->extra_q;
    hash_doubles(hash, perp_simulation_q(sim, i), n_q);
    hash_doubles(hash, perp_simulation_v(sim, i), model->systems[i]->n);
    hash_doubles(hash, perp_simulation_x(sim, i), model->systems[i]->n);
  }
  for (int32_t i = 0; i < model->n_interactions; i++)
    hash_doubles(hash, perp_simulation_lambda(sim, i), model->interactions[i]->relation->m);
  if (model->pool != NULL) hash_contacts(hash, sim);
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

/* A pile: contacts one on the other, W = H Hᵀ with rows of H that are no round numbers. */
enum { CONTACTS = 12, MOST = 3 * CONTACTS };

typedef struct pile {
  double W[MOST * MOST], q[MOST];
  perp_friction law;
  const perp_law *laws[CONTACTS];
  perp_problem problem;
} pile;

static double entry(int32_t i, int32_t k) { return (double)((7 * i + 5 * k + i * k) % 11 - 5) / 3; }

static void pile_init(pile *p, int32_t size) {
  const int32_t n = CONTACTS * size;
  (void)perp_friction_init(&p->law, sizeof p->law);
  p->law.law.size = size;
  p->law.mu = 0.3;
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i < n; i++) {
      double *w = &p->W[i + n * j];
      *w = i == j ? 2 : 0;
      for (int32_t k = 0; k < n && abs(i - j) < 2 * size; k++) *w += entry(i, k) * entry(j, k) / n;
    }
    p->q[j] = j % size == 0 ? -1 - 0.125 * j : 0.5 + (double)(j % 7) / 3;
  }
  for (int32_t c = 0; c < CONTACTS; c++) p->laws[c] = &p->law.law;
  const perp_problem problem = {perp_dense(n, n, p->W), p->q, n, CONTACTS, p->laws, NULL, NULL};
  p->problem = problem;
}

static perp_status solve_pile(const perp_solver *solver, int32_t size, uint64_t *hash) {
  static pile p;
  double lambda[MOST] = {0}, y[MOST];
  pile_init(&p, size);
  const size_t bytes = perp_solver_workspace(solver, &p.problem, NULL);
  void *work = malloc(bytes);
  perp_status status = PERP_EWORKSPACE;
  if (work != NULL)
    status = perp_solver_solve(solver, &p.problem, NULL, lambda, y, NULL, work, bytes, NULL);
  hash_doubles(hash, lambda, p.problem.n);
  free(work);
  return status;
}

static int print_piles(void) {
  const perp_solver *const solvers[] = {perp_solver_nsgs(), perp_solver_friction_newton(),
                                        perp_solver_friction_interior(), perp_solver_admm(),
                                        perp_solver_friction_lemke()};
  int good = 1;
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    uint64_t hash = UINT64_C(14695981039346656037);
    perp_status status = solve_pile(solvers[i], 2, &hash);
    if (solvers[i] != perp_solver_friction_lemke() && status == PERP_OK)
      status = solve_pile(solvers[i], 3, &hash);
    printf("%-17s %016" PRIx64 "  %s\n", solvers[i]->name, hash, perp_status_string(status));
    good &= status == PERP_OK;
  }
  return good;
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
  return print_piles() ? 0 : 1;
}
