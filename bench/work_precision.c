/* SPDX-License-Identifier: MIT */
/* Work and precision: error against evaluations of the right-hand side and time, over tolerances
 * for all integrators of event-driven simulation, and over h for the schemes of fixed step.
 *
 *   work_precision [--quick] FILE.csv
 *
 * Ball: dropped from 1 m, e = 0.9, to 4 s (6 impacts). Oscillator: 1 kg on 100 N/m with weight
 * along the spring, from 1 m against a wall, e = 0.9, to 1.5 s (5 impacts). Pendulum: 1 kg on a
 * string of 1 m from 60 degrees, to 10 s. The error is the largest one of the positions at 100
 * outputs. Fixed steps evaluate once in a step (pass of Newton's iteration). Times are the best of
 * some runs, create and destroy included. scripts/plots/work_precision.gp draws the table. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "perp/event_driven.h"
#include "perp/perp.h"

#define G 9.81L
enum { OUTPUTS = 100 };

/* A model, its end, and its exact positions at the outputs. */
typedef struct problem {
  const char *name;
  double end;
  int n;
  perp_model model;
  long double exact[OUTPUTS][2];
} problem;

/* What a run came to. */
typedef struct outcome {
  const problem *p;
  double error, evaluations, steps, seconds;
  int outputs;
} outcome;

static double M[2] = {1, 1}, spring[1] = {100}, weight[2] = {-9.81, 0}, down[2] = {0, 9.81};
static const double H[1] = {1};
static const int32_t first[1] = {0};
static perp_lagrangian_linear mass[3];
static perp_lagrangian_linear_relation height;
static perp_lagrangian_relation string;
static perp_newton_impact law;
static perp_interaction contact[3];
static const perp_system *systems[3];
static const perp_interaction *contacts[3];
static double start[3][2] = {{1, 0}, {1, 0}, {0, 0.5}};

static int32_t string_gap(double t, const double *q, const double *lambda, const double *z,
                          double *y, void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  *y = 1 - q[0] * q[0] - q[1] * q[1];
  return 0;
}
static int32_t string_gradient(double t, const double *q, const double *lambda, const double *z,
                               double *out, void *user) {
  (void)t, (void)lambda, (void)z, (void)user;
  out[0] = -2 * q[0];
  out[1] = -2 * q[1];
  return 0;
}

/* x'' = -w² x - g from x = 1 (w = 0: free fall), restitution 0.9. */
static void exact_bounces(problem *p, long double w) {
  const long double d = w > 0 ? G / (w * w) : 0, e = 0.9L;
  long double t = w > 0 ? acosl(d / (1 + d)) / w : sqrtl(2 / G), begin = -1;
  long double u = e * (w > 0 ? w * sqrtl((1 + d) * (1 + d) - d * d) : G * t);
  for (int k = 0; k < OUTPUTS; k++) {
    const long double now = (long double)p->end * (k + 1) / OUTPUTS;
    while (now >= t) {
      if (begin > 0) u *= e;
      begin = t;
      t += w > 0 ? 2 / w * atan2l(u / w, d) : 2 * u / G;
    }
    const long double s = now - begin, half = sinl(w * s / 2);
    if (begin < 0)
      p->exact[k][0] = w > 0 ? -d + (1 + d) * cosl(w * now) : 1 - G * now * now / 2;
    else
      p->exact[k][0] = w > 0 ? u / w * sinl(w * s) - 2 * d * half * half : u * s - G * s * s / 2;
  }
}

static void exact_pendulum(problem *p) {
  enum { STEPS = 4000 };
  const long double h = (long double)p->end / OUTPUTS / STEPS;
  long double a = acosl(0.5L), w = 0;
  for (int k = 0; k < OUTPUTS; k++) {
    for (int i = 0; i < STEPS; i++) {
      const long double w1 = w, b1 = -G * sinl(a);
      const long double w2 = w + h / 2 * b1, b2 = -G * sinl(a + h / 2 * w1);
      const long double w3 = w + h / 2 * b2, b3 = -G * sinl(a + h / 2 * w2);
      const long double w4 = w + h * b3, b4 = -G * sinl(a + h * w3);
      a += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
      w += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    p->exact[k][0] = sinl(a);
    p->exact[k][1] = cosl(a);
  }
}

static void make(problem p[3]) {
  const perp_model empty = PERP_MODEL_INIT;
  const char *const names[3] = {"ball", "oscillator", "pendulum"};
  const double ends[3] = {4, 1.5, 10};
  perp_newton_impact_init(&law, sizeof law);
  law.e = 0.9;
  perp_lagrangian_linear_relation_init(&height, sizeof height, 1, 1);
  height.H = H;
  perp_lagrangian_scleronomous_init(&string, sizeof string, 1, 2);
  string.h = string_gap;
  string.H = string_gradient;
  start[2][0] = sqrt(0.75);
  for (int i = 0; i < 3; i++) {
    const int n = i == 2 ? 2 : 1;
    perp_lagrangian_linear_init(&mass[i], sizeof mass[i], n);
    mass[i].M = perp_diagonal(n, M);
    mass[i].f = i == 2 ? down : weight;
    if (i == 1) mass[i].K = perp_diagonal(1, spring);
    contact[i].relation = i == 2 ? &string.relation : &height.relation;
    contact[i].law = &law.law;
    contact[i].systems = first;
    contact[i].n_systems = 1;
    systems[i] = &mass[i].system;
    contacts[i] = &contact[i];
    p[i].name = names[i];
    p[i].end = ends[i];
    p[i].n = n;
    p[i].model = empty;
    p[i].model.n_systems = p[i].model.n_interactions = 1;
    p[i].model.systems = &systems[i];
    p[i].model.interactions = &contacts[i];
    p[i].model.q0 = start[i];
  }
  exact_bounces(&p[0], 0);
  exact_bounces(&p[1], 10);
  exact_pendulum(&p[2]);
}

static void judge(outcome *o, const double *q) {
  for (int i = 0; i < o->p->n; i++) {
    const double e = (double)fabsl((long double)q[i] - o->p->exact[o->outputs][i]);
    if (!(e <= o->error)) o->error = e;
  }
  o->outputs++;
}

static int32_t on_output(perp_event_driven *sim, void *user) {
  judge((outcome *)user, perp_event_driven_q(sim, 0));
  return 0;
}

static perp_status run_events(outcome *o, const perp_smooth *smooth, int32_t order, double tol) {
  perp_event_driven *sim = NULL;
  perp_event_options options = perp_event_options_default();
  options.smooth = smooth;
  options.order = order;
  options.rtol = tol;
  options.atol = tol / 10;
  perp_event_observer observer = PERP_EVENT_OBSERVER_INIT;
  observer.first = observer.every = o->p->end / OUTPUTS;
  observer.output = on_output;
  observer.user = o;
  perp_status status = perp_event_driven_create(&sim, &o->p->model, &options, NULL);
  if (status == PERP_OK) status = perp_event_driven_run(sim, o->p->end, &observer, NULL);
  if (status == PERP_OK && o->outputs < OUTPUTS)
    judge(o, perp_event_driven_q(sim, 0)); /* rounding */
  perp_event_report report = PERP_EVENT_REPORT_INIT;
  if (status == PERP_OK) status = perp_event_driven_report(sim, &report);
  o->evaluations = (double)report.evaluations;
  o->steps = (double)report.steps;
  perp_event_driven_destroy(sim);
  return status;
}

static perp_status run_steps(outcome *o, const perp_integrator *integrator, int per_output) {
  perp_simulation *sim = NULL;
  perp_simulation_options options = perp_simulation_options_default();
  options.integrator = integrator;
  options.solver = perp_solver_active_set();
  options.h = o->p->end / OUTPUTS / per_output;
  perp_status status = perp_simulation_create(&sim, &o->p->model, &options, NULL);
  for (int k = 0; k < OUTPUTS && status == PERP_OK; k++) {
    for (int i = 0; i < per_output && status == PERP_OK; i++)
      status = perp_simulation_step(sim, NULL);
    if (status == PERP_OK) judge(o, perp_simulation_q(sim, 0));
  }
  perp_report report = PERP_REPORT_INIT;
  if (status == PERP_OK) status = perp_simulation_report(sim, &report);
  o->steps = (double)report.steps;
  o->evaluations = report.newton > 0 ? (double)report.newton : o->steps;
  perp_simulation_destroy(sim);
  return status;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A curve: one method over its settings. */
typedef struct curve {
  const char *name;
  const perp_smooth *(*smooth)(void);
  const perp_integrator *(*integrator)(void);
  int32_t order;
} curve;
static const curve curves[] = {
    {"Runge-Kutta 8", perp_smooth_runge_kutta, NULL, 0},
    {"Adams", perp_smooth_adams, NULL, 0},
    {"BDF", perp_smooth_bdf, NULL, 0},
    {"ARKODE 4", perp_smooth_arkode, NULL, 4},
    {"ARKODE 8", perp_smooth_arkode, NULL, 8},
    {"IDA", perp_smooth_ida, NULL, 0},
    {"Moreau-Jean", NULL, perp_integrator_moreau_jean, 0},
    {"Schatzman-Paoli", NULL, perp_integrator_schatzman_paoli, 0},
};

/* One point, best of some runs. */
static perp_status measure(const problem *p, const curve *c, int setting, outcome *best) {
  double spent = 0;
  for (int run = 0; run < 50 && (run < 3 || spent < 0.05); run++) {
    outcome o = {p, 0, 0, 0, 0, 0};
    const double begin = now();
    const perp_status status = c->integrator != NULL
                                   ? run_steps(&o, c->integrator(), 1 << setting)
                                   : run_events(&o, c->smooth(), c->order, pow(10, -setting));
    o.seconds = now() - begin;
    spent += o.seconds;
    if (status != PERP_OK) return status;
    if (run == 0 || o.seconds < best->seconds) *best = o;
  }
  return PERP_OK;
}

int main(int argc, char **argv) {
  const int quick = argc > 2 && strcmp(argv[1], "--quick") == 0;
  static problem problems[3];
  FILE *file = argc > 1 ? fopen(argv[argc - 1], "w") : NULL;
  if (file == NULL) {
    fprintf(stderr, "usage: work_precision [--quick] FILE.csv\n");
    return 2;
  }
  make(problems);
  fprintf(file, "problem,method,setting,evaluations,steps,time (s),error (m)\n");
  for (int i = 0; i < 3; i++)
    for (size_t k = 0; k < sizeof curves / sizeof *curves; k++) {
      const curve *c = &curves[k];
      for (int setting = 3; setting <= 13; setting += quick ? 5 : 1) {
        outcome o;
        const perp_status status = measure(&problems[i], c, setting, &o);
        if (status == PERP_OK)
          fprintf(file, "%s,%s,%g,%.0f,%.0f,%.4g,%.4g\n", problems[i].name, c->name,
                  c->integrator != NULL ? problems[i].end / OUTPUTS / (1 << setting)
                                        : pow(10, -setting),
                  o.evaluations, o.steps, o.seconds, o.error);
        else
          fprintf(stderr, "%s, %s, setting %d: %s\n", problems[i].name, c->name, setting,
                  perp_status_string(status));
      }
    }
  return fclose(file) == 0 ? 0 : 1;
}
