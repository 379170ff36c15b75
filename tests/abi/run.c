/* SPDX-License-Identifier: MIT */
/* A program of a user's, compiled with the headers of the last release: models by both strategies,
 * on the heap and in its own memory; a ball that falls from 1 m and bounces. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "perp/perp.h"

static int wrong;
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      (void)printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      wrong = 1;                                                           \
    }                                                                      \
  } while (0)

static const double mass[] = {1, 1, 1}, weight[] = {0, 0, -9.81}, q0[] = {0, 0, 1};
static const double H[] = {0, 0, 1};
static const int32_t first[] = {0};
static perp_lagrangian_linear ball;
static perp_lagrangian_linear_relation height;
static perp_newton_impact law;
static perp_interaction contact;
static const perp_system *const systems[] = {&ball.system};
static const perp_interaction *const contacts[] = {&contact};

static perp_model falling(void) {
  perp_model model = PERP_MODEL_INIT;
  CHECK(perp_lagrangian_linear_init(&ball, sizeof ball, 3) == PERP_OK);
  ball.M = perp_diagonal(3, mass);
  ball.f = weight;
  CHECK(perp_lagrangian_linear_relation_init(&height, sizeof height, 1, 3) == PERP_OK);
  height.H = H;
  CHECK(perp_newton_impact_init(&law, sizeof law) == PERP_OK);
  law.e = 0.5;
  contact.relation = &height.relation;
  contact.law = &law.law;
  contact.systems = first;
  contact.n_systems = 1;
  model.n_systems = model.n_interactions = 1;
  model.systems = systems;
  model.interactions = contacts;
  model.q0 = q0;
  return model;
}

static int32_t count_steps(perp_simulation *sim, void *user) {
  (void)sim;
  ++*(int *)user;
  return 0;
}

static void step(void) {
  static double state[1000], work[10000];
  const perp_model model = falling();
  perp_simulation_options options = perp_simulation_options_default();
  perp_info info = PERP_INFO_INIT;
  perp_report report = PERP_REPORT_INIT;
  perp_simulation *sim = NULL;
  perp_contact_view view;
  int steps = 0;
  double highest = 0, work_done = 0;
  CHECK(options.theta == 0.5 && options.newton_max == 50 && options.max_halvings == 4);
  options.h = 1e-4;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_lemke();
  CHECK(perp_simulation_state_size(&model, &options) <= sizeof state);
  CHECK(perp_simulation_work_size(&model, &options) <= sizeof work);
  CHECK(perp_simulation_init(&sim, &model, &options, state, sizeof state, work, sizeof work,
                             &info) == PERP_OK);
  CHECK(perp_simulation_run(sim, 5000, HUGE_VAL, count_steps, &steps, &info) == PERP_OK);
  CHECK(steps == 5000);
  for (int k = 0; k < 3000; k++) {
    CHECK(perp_simulation_step(sim, &info) == PERP_OK);
    int32_t acting = 0;
    CHECK(perp_simulation_contacts(sim, &view, sizeof view, 1, &acting) == PERP_OK);
    if (acting > 0) CHECK(view.lambda[0] > 0 && view.interaction == 0);
    CHECK(perp_simulation_work_done(sim, 0, &work_done, NULL) == PERP_OK);
    if (perp_simulation_q(sim, 0)[2] > highest && k > 500) highest = perp_simulation_q(sim, 0)[2];
  }
  CHECK(fabs(highest - 0.25) < 1e-3); /* e² of 1 m */
  CHECK(perp_simulation_report(sim, &report) == PERP_OK);
  CHECK((double)report.steps == 8000 && (double)report.impacts >= 1);
  CHECK(report.penetration < 1e-3 && report.residual <= 1e-10);
}

static void on_the_heap(void) {
  const perp_model model = falling();
  perp_simulation_options options = perp_simulation_options_default();
  perp_simulation *sim = NULL;
  size_t bytes = 0;
  options.h = 1e-3;
  options.integrator = perp_integrator_moreau_jean();
  options.solver = perp_solver_active_set();
  CHECK(perp_simulation_create(&sim, &model, &options, NULL) == PERP_OK);
  for (int k = 0; k < 1000; k++) CHECK(perp_simulation_step(sim, NULL) == PERP_OK);
  CHECK(perp_simulation_state(sim, &bytes) != NULL && bytes > 0);
  CHECK(perp_simulation_q(sim, 0)[2] > -1e-2);
  perp_simulation_destroy(sim);
}

static int32_t count_events(perp_event_driven *sim, const perp_event *event, void *user) {
  (void)sim;
  if ((event->kinds & PERP_EVENT_IMPACT) != 0 && ((double *)user)[0] == 0)
    ((double *)user)[0] = event->t;
  return 0;
}

static void by_events(void) {
  const perp_model model = falling();
  perp_event_options options = perp_event_options_default();
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  perp_event_report report = PERP_EVENT_REPORT_INIT;
  perp_event_driven *sim = NULL;
  double impact = 0;
  CHECK(options.rtol == 1e-10 && options.storm_events == 1000 && options.samples == 4);
  CHECK(perp_event_driven_create(&sim, &model, &options, NULL) == PERP_OK);
  observer.event = count_events;
  observer.user = &impact;
  CHECK(perp_event_driven_run(sim, 0.8, &observer, NULL) == PERP_OK);
  CHECK(fabs(impact - sqrt(2 / 9.81)) < 1e-9);
  CHECK(perp_event_driven_report(sim, &report) == PERP_OK);
  CHECK(report.impacts >= 1 && report.steps > 0);
  perp_event_driven_destroy(sim);
}

int main(void) {
  CHECK(perp_version() / 100 == PERP_VERSION / 100);
  step();
  on_the_heap();
  by_events();
  return wrong;
}
