/* SPDX-License-Identifier: MIT */
/* The cases of event.h with perp: a whole run is timed, create and destroy included; outputs are
 * interpolated. */
#define _POSIX_C_SOURCE 199309L
#include "event.h"
#include "perp/event_driven.h"
#include "perp/perp.h"

/* What a run has to show, and how far it is. */
typedef struct run {
  const bench_case *c;
  double *out;
  int impacts, outputs;
} run;

static int32_t on_output(perp_event_driven *sim, void *user) {
  run *r = (run *)user;
  const int columns = event_columns(r->c);
  if (r->outputs < 0) return r->outputs++, 0;
  double *row = r->out + event_impacts(r->c) + columns * r->outputs++;
  const double *q = perp_event_driven_q(sim, 0), *v = perp_event_driven_v(sim, 0);
  if (columns == EVENT_COLUMNS) {
    row[0] = q[0];
    row[1] = q[1];
    row[2] = v[0];
    row[3] = v[1];
    row[4] = *perp_event_driven_lambda(sim, 0);
  } else {
    row[0] = q[0];
    row[1] = event_impacts(r->c) > 0 ? v[0] : *perp_event_driven_lambda(sim, 0);
  }
  return 0;
}

static int32_t on_event(perp_event_driven *sim, const perp_event *event, void *user) {
  run *r = (run *)user;
  (void)sim;
  if ((event->kinds & PERP_EVENT_IMPACT) == 0) return 0;
  if (r->impacts < event_impacts(r->c)) r->out[r->impacts] = event->t;
  r->impacts++;
  return 0;
}

static int go(run *r, const perp_model *model, double end, int steps) {
  perp_event_driven *sim = NULL;
  perp_event_options options = perp_event_options_default();
  /* such that no error is larger than the peer's */
  options.rtol = event_columns(r->c) == EVENT_COLUMNS ? 1e-12 : 1e-14;
  options.atol = options.rtol / 10;
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  observer.every = event_h(r->c); /* from 0 on, which is not kept */
  observer.output = on_output;
  observer.event = on_event;
  observer.user = r;
  r->impacts = 0;
  r->outputs = -1;
  perp_status status = perp_event_driven_create(&sim, model, &options, NULL);
  if (status == PERP_OK) status = perp_event_driven_run(sim, end, &observer, NULL);
  if (status != PERP_OK)
    fprintf(stderr, "%s: %s\n", perp_status_string(status), perp_event_driven_message(sim));
  perp_event_driven_destroy(sim);
  if (r->outputs != steps || r->impacts != event_impacts(r->c))
    fprintf(stderr, "%d outputs, %d impacts\n", r->outputs, r->impacts);
  return status == PERP_OK && r->outputs == steps && r->impacts == event_impacts(r->c);
}

/* One system, one contact. */
static int run_model(run *r, const perp_system *system, const perp_relation *relation,
                     const double *q0, double end, int steps) {
  static const int32_t first[1] = {0};
  perp_newton_impact law;
  perp_newton_impact_init(&law, sizeof law);
  law.e = EVENT_RESTITUTION;
  const perp_interaction contact = {relation, &law.law, first, 1, 0};
  const perp_interaction *const contacts[1] = {&contact};
  const perp_system *const systems[1] = {system};
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = model.n_interactions = 1;
  model.systems = systems;
  model.interactions = contacts;
  model.q0 = q0;
  return go(r, &model, end, steps);
}

static int run_ball(run *r, int steps) {
  static const double M[3] = {1, 1, 0.004}, f[3] = {-GRAVITY, 0, 0}, H[3] = {1, 0, 0};
  const double q0[3] = {event_impacts(r->c) > 0 ? 1 : 0, 0, 0};
  perp_lagrangian_linear ball;
  perp_lagrangian_linear_init(&ball, sizeof ball, 3);
  ball.M = perp_diagonal(3, M);
  ball.f = f;
  perp_lagrangian_linear_relation height;
  perp_lagrangian_linear_relation_init(&height, sizeof height, 1, 3);
  height.H = H;
  return run_model(r, &ball.system, &height.relation, q0, EVENT_H * steps, steps);
}

static int32_t string_gap(double t, const double *q, const double *lambda, const double *z,
                          double *y, void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  *y = 1 - q[0] * q[0] - q[1] * q[1];
  return 0;
}
static int32_t string_gradient(double t, const double *q, const double *lambda, const double *z,
                               double *H, void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  H[0] = -2 * q[0];
  H[1] = -2 * q[1];
  return 0;
}

static int run_pendulum(run *r, int steps) {
  static const double M[2] = {1, 1}, f[2] = {0, GRAVITY};
  const double q0[2] = {sqrt(0.75), 0.5};
  perp_lagrangian_linear mass;
  perp_lagrangian_linear_init(&mass, sizeof mass, 2);
  mass.M = perp_diagonal(2, M);
  mass.f = f;
  perp_lagrangian_relation string;
  perp_lagrangian_scleronomous_init(&string, sizeof string, 1, 2);
  string.h = string_gap;
  string.H = string_gradient;
  return run_model(r, &mass.system, &string.relation, q0, EVENT_PENDULUM_H * steps, steps);
}

/* Each ball is a system with a contact of its own. */
static int run_balls(run *r, int steps) {
  static const double M[1] = {1}, f[1] = {-GRAVITY}, H[1] = {1};
  const int32_t n = event_balls(r->c);
  const size_t count = (size_t)n;
  perp_lagrangian_linear *balls = (perp_lagrangian_linear *)calloc(count, sizeof *balls);
  perp_interaction *contacts = (perp_interaction *)calloc(count, sizeof *contacts);
  const perp_system **systems = (const perp_system **)calloc(count, sizeof *systems);
  const perp_interaction **joined = (const perp_interaction **)calloc(count, sizeof *joined);
  int32_t *numbers = (int32_t *)calloc(count, sizeof *numbers);
  double *q0 = (double *)calloc(count, sizeof *q0);
  perp_lagrangian_linear_relation height;
  perp_newton_impact law;
  perp_lagrangian_linear_relation_init(&height, sizeof height, 1, 1);
  height.H = H;
  perp_newton_impact_init(&law, sizeof law);
  law.e = EVENT_RESTITUTION;
  int done = balls && contacts && systems && joined && numbers && q0;
  for (int32_t k = 0; k < n && done; k++) {
    perp_lagrangian_linear_init(&balls[k], sizeof *balls, 1);
    balls[k].M = perp_diagonal(1, M);
    balls[k].f = f;
    systems[k] = &balls[k].system;
    numbers[k] = k;
    const perp_interaction contact = {&height.relation, &law.law, &numbers[k], 1, 0};
    contacts[k] = contact;
    joined[k] = &contacts[k];
    q0[k] = event_height(k);
  }
  perp_model model = PERP_MODEL_INIT;
  model.n_systems = model.n_interactions = n;
  model.systems = systems;
  model.interactions = joined;
  model.q0 = q0;
  done = done && go(r, &model, EVENT_H * steps, steps);
  free(q0), free(numbers), free(joined), free(systems), free(contacts), free(balls);
  return done;
}

static void release(void *simulation) {
  run *r = (run *)simulation;
  if (r == NULL) return;
  free(r->out);
  free(r);
}

static void *prepare(const bench_case *c, void *previous) {
  release(previous);
  run *r = (run *)calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->c = c;
  r->out = (double *)calloc(event_entries(c, c->steps), sizeof *r->out);
  return r->out == NULL ? NULL : r;
}

static int loop(void *simulation, int steps) {
  run *r = (run *)simulation;
  if (steps != r->c->steps) return 0;
  if (event_balls(r->c) > 0) return run_balls(r, steps);
  return strcmp(r->c->name, "event-pendulum") == 0 ? run_pendulum(r, steps) : run_ball(r, steps);
}

static size_t state(void *simulation, double *out) {
  const run *r = (const run *)simulation;
  const size_t n = event_entries(r->c, r->c->steps);
  if (out != NULL) memcpy(out, r->out, n * sizeof *out);
  return n;
}

int main(int argc, char **argv) {
  const bench_program program = {"perp", prepare, loop, state, release};
  return bench_main(argc, argv, &program);
}
