/* SPDX-License-Identifier: MIT */
/* A ball dropped on a floor (m, kg, s, N), stepped by Moreau and Jean's scheme in static blocks:
 *     M dv = -M g dt + impulses,   dq = v dt,   q >= 0,   v+ = -e v- at an impact.
 * Prints the bits of height and speed every tenth of a second; ends with 0 if the ball rests on the
 * floor after its last impact, at t1 (1 + e) / (1 - e) with t1 = sqrt(2 H / g). */
#include "board/board.h"
#include "perp/perp.h"

static const double M = 1, g = 9.81, e = 0.5, H = 1, h = 1e-3;
static double state[PERP_SIMULATION_STATE_BYTES(1, 1, 1) / sizeof(double)]; /* 8-byte aligned */
static unsigned char work[PERP_SIMULATION_WORK_BYTES(1, 1, 1, 1, 1, 1, 1, 1, PERP_LEMKE_BYTES(1))];

int main(void) {
  const double weight = -M * g, one = 1;
  perp_lagrangian_linear ball;
  perp_lagrangian_linear_init(&ball, sizeof ball, 1);
  ball.M = perp_diagonal(1, &M);
  ball.f = &weight;
  perp_lagrangian_linear_relation gap; /* y = q */
  perp_lagrangian_linear_relation_init(&gap, sizeof gap, 1, 1);
  gap.H = &one;
  perp_newton_impact impact;
  perp_newton_impact_init(&impact, sizeof impact);
  impact.e = e;
  const int32_t first = 0;
  const perp_interaction floor = {&gap.relation, &impact.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&floor};
  const perp_system *const systems[] = {&ball.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.q0 = &H;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.steps = 2000;
  options.integrator = perp_integrator_moreau_jean_constant();
  options.solver = perp_solver_lemke();
  perp_simulation *sim;
  if (perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, 0) !=
      PERP_OK)
    return 1;

  perp_status status;
  double lowest = 0;
  uint32_t worst = 0;
  board_stack_paint();
  for (;;) {
    const uint32_t begin = board_clock();
    status = perp_simulation_step(sim, 0);
    const uint32_t spent = board_instructions(begin);
    if (status != PERP_OK) break;
    if (spent > worst) worst = spent;
    const double *q = perp_simulation_q(sim, 0), *v = perp_simulation_v(sim, 0);
    if (*q < lowest) lowest = *q;
    if (perp_simulation_step_index(sim) % 100 == 0) {
      const double row[] = {perp_simulation_time(sim), *q, *v};
      board_bits("t q v", row, 3);
    }
  }
  const double q = *perp_simulation_q(sim, 0), v = *perp_simulation_v(sim, 0);
  board_note("instructions of the worst step", worst);
  board_note("stack of a step", board_stack_used());
  board_note("static memory", (uint32_t)(sizeof state + sizeof work));
  /* at rest, and never below the floor by more than the fall of one step */
  return status == PERP_END && v == 0 && q < 5e-3 && lowest > -5e-3 ? 0 : 1;
}
