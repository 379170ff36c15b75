/* SPDX-License-Identifier: MIT */
/* A woodpecker toy hammers its way down a pole (m, kg, s, rad). q = (height of the sleeve, angle of
 * the sleeve, angle of the bird), joined by a spring of stiffness c:  M dv + K q dt = f dt +
 * impulses, with Coulomb friction at the beak (e_n = 1/2) and at both edges of the sleeve (e_n =
 * 0). Model of Ch. Glocker. Checked: a limit cycle of 0.146 s, 1.947 cm down in each. All memory is
 * static. */
#include <math.h>
#include <stdio.h>

#include "perp/perp.h"

enum { CONTACTS = 3 };
static const double m_M = 3e-4, J_M = 5e-9, m_S = 4.5e-3, J_S = 7e-7, c = 0.0056, g = 9.81;
static const double r_O = 2.5e-3, r_M = 3.1e-3, h_M = 5.8e-3, l_M = 0.010, l_G = 0.015;
static const double h_S = 0.02, l_S = 0.0201;
static double state[PERP_SIMULATION_STATE_BYTES(3, 3, 6) / sizeof(double)];
static unsigned char work[PERP_SIMULATION_WORK_BYTES(1, 3, 1, CONTACTS, 2, 1, CONTACTS, 36,
                                                     PERP_NSGS_BYTES(2 * CONTACTS))];

int main(void) {
  const double a = m_S * l_M, d = m_S * l_G, e = m_S * l_M * l_G;
  const double M[] = {m_S + m_M, a, d, a, J_M + a * l_M, e, d, e, J_S + d * l_G};
  const double K[] = {0, 0, 0, 0, c, -c, 0, -c, c};
  const double weight[] = {-(m_S + m_M) * g, -a * g, -d * g};
  const double q0[] = {0, -0.1036, -0.2788}, v0[] = {-0.3411, 4.8572e-15, -7.4583};
  const double H[CONTACTS][6] = {{0, 1, 0, l_M, -h_S, l_G - l_S}, /* columns: normal, tangential */
                                 {0, 1, h_M, r_M, 0, 0},
                                 {0, 1, -h_M, r_M, 0, 0}};
  const double b[CONTACTS][2] = {{l_M + l_G - l_S - r_O, 0}, {r_M - r_O, 0}, {r_M - r_O, 0}};
  perp_lagrangian_linear toy;
  perp_lagrangian_linear_init(&toy, sizeof toy, 3);
  toy.M = perp_dense(3, 3, M);
  toy.K = perp_dense(3, 3, K);
  toy.f = weight;
  perp_lagrangian_linear_relation at[CONTACTS]; /* beak, lower edge, upper edge */
  perp_friction friction[CONTACTS];
  perp_interaction contact[CONTACTS];
  const int32_t first = 0;
  for (int i = 0; i < CONTACTS; i++) {
    perp_lagrangian_linear_relation_init(&at[i], sizeof at[i], 2, 3);
    at[i].H = H[i];
    at[i].b = b[i];
    perp_friction_init(&friction[i], sizeof friction[i]);
    friction[i].law.size = 2;
    friction[i].mu = 0.3;
    friction[i].e_n = i == 0 ? 0.5 : 0;
    contact[i] = (perp_interaction){&at[i].relation, &friction[i].law, &first, 1, 0};
  }
  const perp_interaction *const contacts[] = {&contact[0], &contact[1], &contact[2]};
  const perp_system *const systems[] = {&toy.system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = 1;
  model.n_interactions = CONTACTS;
  model.systems = systems;
  model.interactions = contacts;
  model.q0 = q0;
  model.v0 = v0;

  perp_simulation_options options = perp_simulation_options_default();
  options.h = 2e-5;
  options.steps = 100000;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_nsgs();
  perp_simulation *sim;
  perp_info info = PERP_INFO_INIT;
  perp_status status =
      perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work, &info);
  if (status != PERP_OK) {
    printf("%s: %s\n", info.field, perp_status_string(status));
    return 1;
  }
  double pecked = 0, first_time = 0, first_height = 0, height = 0;
  int pecks = 0;
  puts("peck  t (s)    height (cm)");
  while ((status = perp_simulation_step(sim, NULL)) == PERP_OK) {
    const double t = perp_simulation_time(sim);
    if (!(perp_simulation_lambda(sim, 0)[0] > 0) || t - pecked < 0.05) continue;
    pecked = t; /* the first contact of a cycle */
    height = *perp_simulation_q(sim, 0);
    if (++pecks == 2) { /* the cycle has set in */
      first_time = t;
      first_height = height;
    }
    printf("%4d %7.4f %12.3f\n", pecks, t, 100 * height);
  }
  const double period = (pecked - first_time) / (pecks - 2);
  const double descent = (first_height - height) / (pecks - 2);
  printf("mean of %d cycles: %.3f ms, %.4f cm\n", pecks - 2, 1e3 * period, 100 * descent);
  puts(perp_status_string(status));
  return status == PERP_END && pecks == 14 && fabs(period - 0.146) < 2e-4 &&
                 fabs(descent - 1.947e-2) < 2e-5
             ? 0
             : 1;
}
