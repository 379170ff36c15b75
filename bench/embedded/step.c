/* SPDX-License-Identifier: MIT */
/* What a controller with a model links: Moreau and Jean's scheme for constant models, the solver
 * SOLVER for its one-step problem, and, with LCP, Lemke's method for plain arrays. A puck of 2 kg
 * is dropped on a table and slides until friction stops it; one contact in space, or, without
 * FRICTION, one that only pushes. SMALL takes what the library has for firmware. Counts the
 * instructions of each step. */
#include "board.h"
#include "corpus.h"
#include "perp/perp.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

enum { STEPS = 1000, ROWS = FRICTION ? 3 : 1 };
static double state[PERP_SIMULATION_STATE_BYTES(3, 3, ROWS) / sizeof(double)];
static uint64_t work[1 << 13];
static corpus_costs costs;

int main(void) {
  const double mass[] = {2, 2, 2}, weight[] = {-2 * 9.81, 0, 0}; /* up, along, aside */
  const double start[] = {0.1, 0, 0}, moving[] = {0, 1, 0.5};
  const double H[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, up[] = {1, 0, 0};
  perp_lagrangian_linear puck;
  perp_lagrangian_linear_constant_init(&puck, sizeof puck, 3);
  puck.M = perp_diagonal(3, mass);
  puck.f = weight;
  perp_lagrangian_linear_relation gap;
  perp_lagrangian_linear_relation_init(&gap, sizeof gap, ROWS, 3);
  gap.H = FRICTION ? H : up;
#if FRICTION
  perp_friction law;
  (SMALL ? perp_friction_small_init : perp_friction_init)(&law, sizeof law);
  law.law.size = 3;
  law.mu = 0.4;
#else
  perp_newton_impact law;
  perp_newton_impact_init(&law, sizeof law);
  law.e = 0.5;
#endif
  const int32_t first = 0;
  const perp_interaction table = {&gap.relation, &law.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&table};
  const perp_system *const systems[] = {&puck.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = start;
  model.v0 = moving;
  perp_simulation_options options = perp_simulation_options_default();
  options.h = 1e-3;
  options.steps = STEPS;
  options.integrator = perp_integrator_moreau_jean_constant();
  options.solver = JOIN(perp_solver_, SOLVER)();
  const size_t size = sizeof state + perp_simulation_work_size(&model, &options);
  perp_simulation *sim;
  if (perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, 0) !=
      PERP_OK)
    return 1;
  board_stack_paint();
  costs.problems = STEPS;
  for (uint32_t k = 0; k < STEPS; k++) {
    const uint32_t begin = board_clock();
    const perp_status status = perp_simulation_step(sim, 0);
    costs.count[k] = board_instructions(begin);
    costs.solved += status == PERP_OK;
  }
  corpus_report(ROWS, &costs, board_stack_used(), size);
  const double *q = perp_simulation_q(sim, 0), *v = perp_simulation_v(sim, 0);
  const int slides = !FRICTION || (v[1] == 0 && v[2] == 0 && q[1] > 0.1 && q[1] < 0.4);
  if (!(slides && q[0] > -1e-2 && q[0] < 1e-2)) return 1;
#if LCP
  const double M[] = {2, 1, 1, 2}, b[] = {-5, -6};
  const perp_lcp problem = {2, 2, M, b};
  double z[2], y[2];
  if (perp_lcp_lemke(&problem, 0, z, y, work, sizeof work, 0) != PERP_OK) return 1;
#endif
  return 0;
}
