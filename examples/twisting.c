/* SPDX-License-Identifier: MIT */
/* The twisting controller: two relays bring a cart to rest at the origin, in finite time, against
 * a force that they do not know (m, s; unit mass), after [Acary and Brogliato 2010]:
 *   x1' = x2,  x2' = u + d(t),  u = k1 l1 + k2 l2,  -x_i in N_[-1,1](l_i)   (l_i = -sgn x_i),
 * discretised implicitly: both x are those of the end of the step. Checked: once there
 * |x1|, |x2| < 1e-14 for ever, and u = -d(t) to rounding, without chattering. As it would run in a
 * controller: all memory is static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

static const double k1 = 4, k2 = 2, h = 1e-3;
static double state[PERP_SIMULATION_STATE_BYTES(0, 2, 2) / sizeof(double)];
static unsigned char
    work[PERP_SIMULATION_WORK_BYTES(1, 2, 1, 1, 2, 1, 1, 4, PERP_BOX_PIVOTING_BYTES(2))];

static double disturbance(double t) { return 0.5 * sin(4 * t); }

static int32_t push(double t, double *f, void *user) {
  (void)user;
  f[0] = 0;
  f[1] = disturbance(t);
  return 0;
}

int main(void) {
  const double A[] = {0, 0, 1, 0}, C[] = {1, 0, 0, 1}, B[] = {0, k1, 0, k2}; /* by columns */
  const double lower[] = {-1, -1}, upper[] = {1, 1}, start[] = {1, 0};
  perp_first_order_linear cart;
  perp_first_order_linear_init(&cart, sizeof cart, 2);
  cart.A = perp_dense(2, 2, A);
  cart.input = push;
  perp_linear_relation relation;
  perp_linear_relation_init(&relation, sizeof relation, 2, 2);
  relation.C = C;
  relation.B = B;
  perp_box relays;
  perp_box_init(&relays, sizeof relays);
  relays.law.size = 2;
  relays.lower = lower;
  relays.upper = upper;
  const int32_t first = 0;
  const perp_interaction controller = {&relation.relation, &relays.law, &first, 1, 0};
  const perp_interaction *const interactions[] = {&controller};
  const perp_system *const systems[] = {&cart.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = 1;
  model.systems = systems;
  model.interactions = interactions;
  model.x0 = start;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = h;
  options.theta = 1;
  options.steps = 8000;
  options.integrator = perp_integrator_theta();
  options.solver = perp_solver_box_pivoting();
  perp_simulation *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status =
      perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, &info);
  if (status != PERP_OK) {
    printf("%s: %s\n", info.field, perp_status_string(status));
    return 1;
  }
  double reached = 0, off = 0, wrong = 0;
  puts("  t (s)         x1 (m)       x2 (m/s)     u (N)     d (N)");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double t = perp_simulation_time(sim), *x = perp_simulation_x(sim, 0);
    const double *l = perp_simulation_lambda(sim, 0), u = k1 * l[0] + k2 * l[1];
    const double away = fmax(fabs(x[0]), fabs(x[1]));
    if (reached > 0) {
      off = fmax(off, away);
      wrong = fmax(wrong, fabs(u + disturbance(t)));
    } else if (away < 1e-14) {
      reached = t;
    }
    if (perp_simulation_step_index(sim) % 400 == 0)
      printf("%7.2f %14.6g %14.6g %9.4f %9.4f\n", t, x[0], x[1], u, disturbance(t));
  }
  printf("there from %.3f s: |x1|, |x2| < %.0e, |u + d| < %.0e N; %s\n", reached, off, wrong,
         perp_status_string(status));
  return status == PERP_END && reached > 0 && off < 1e-14 && wrong < 1e-11 ? 0 : 1;
}
