/* SPDX-License-Identifier: MIT */
/* Command line and clock of the programs with many contacts, perp's and the peers':
 *
 *   PROGRAM SCENE SIZE [--steps N] [--cold N] [--cold-tol X] [--every N] [--json]
 *           [--h H] [--margin M] [--speed-tol X] [--tol X] [--sweeps N]
 *           [--gap-tol X] [--solver NAME] [--correct PASSES] [--sleep E] [--sleep-time T]
 * [--threads N]
 *
 * SCENE SIZE: pyramid ROWS, spheres NUMBER, lattice EDGE (contacts.h). First --cold steps are taken
 * at --cold-tol, in units of g h, if the engine has tolerances; the figures are of the --steps
 * after them, of which the last and each N-th (--every) give a line. --speed-tol is in units of g
 * h, --sleep in J/kg, --tol relative and used with --speed-tol 0; peers read --sweeps only, as
 * their number of iterations. --correct: perp takes overlaps out, by ten sweeps a pass at most.
 * --json: what it came to, as one line more. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contacts.h"

typedef struct command {
  const char *scene;
  int32_t size;
  long steps, cold, every;
  int json;
  double margin, cold_tol;
  contacts_request ask;
} command;

typedef struct run {
  const contacts_engine *engine;
  const contacts_scene *scene;
  void *self;
  contacts_grid grid;
  double *q, *v, *start;
  contacts_force *forces;
  /* over the steps */
  double seconds, worst, find, weight, cone, lowest, rise, kinetic;
  int64_t sweeps, accepted;
  contacts_verdict last;
} run;

static double clock_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of a step: of the thread where the system took the core away in between, else of the
 * wall; negative if it failed. */
static double timed(run *r, const command *c, contacts_step *told) {
  const double thread = clock_now(CLOCK_THREAD_CPUTIME_ID), begin = clock_now(CLOCK_MONOTONIC);
  const int good = r->engine->step(r->self, told);
  const double wall = clock_now(CLOCK_MONOTONIC) - begin;
  if (good && told->seconds >= 0) return told->seconds;
  if (good && c->ask.threads > 1) return wall;
  return !good ? -1 : fmin(wall, clock_now(CLOCK_THREAD_CPUTIME_ID) - thread);
}

static int usage(const char *what) {
  fprintf(stderr, "contacts: what is \"%s\"? SCENE SIZE [OPTION...], see bench/contacts_main.c\n",
          what);
  return 0;
}

static int read_number(command *c, const char *name, const char *text) {
  char *end;
  const double x = strtod(text, &end);
  if (end == text || *end != 0 || !(x >= 0) || !(x <= 1e15)) return usage(text);
  if (strcmp(name, "--steps") == 0)
    c->steps = (long)x;
  else if (strcmp(name, "--cold") == 0)
    c->cold = (long)x;
  else if (strcmp(name, "--cold-tol") == 0)
    c->cold_tol = x;
  else if (strcmp(name, "--every") == 0)
    c->every = (long)x;
  else if (strcmp(name, "--h") == 0)
    c->ask.h = x;
  else if (strcmp(name, "--margin") == 0)
    c->margin = x;
  else if (strcmp(name, "--speed-tol") == 0)
    c->ask.speed_tol = x;
  else if (strcmp(name, "--tol") == 0)
    c->ask.tol = x;
  else if (strcmp(name, "--sweeps") == 0)
    c->ask.max_sweeps = (int32_t)fmin(x, 1e9);
  else if (strcmp(name, "--gap-tol") == 0)
    c->ask.gap_tol = x;
  else if (strcmp(name, "--sleep") == 0)
    c->ask.sleep = x;
  else if (strcmp(name, "--sleep-time") == 0)
    c->ask.sleep_time = x;
  else if (strcmp(name, "--correct") == 0)
    c->ask.correct = (int32_t)fmin(x, 1e6);
  else if (strcmp(name, "--threads") == 0)
    c->ask.threads = (int32_t)fmin(x, 1024);
  else
    return usage(name);
  return 1;
}

static int read_command(int argc, char **argv, command *c) {
  const contacts_request ask = {5e-3, 0.01, 1e-3, 1000, -1, "", 0, 0, 0.5, 1};
  memset(c, 0, sizeof *c);
  c->ask = ask;
  c->steps = 100;
  c->cold = -1;
  c->cold_tol = 1e-4;
  c->margin = 0.02;
  if (argc < 3) return usage("");
  c->scene = argv[1];
  c->size = (int32_t)strtol(argv[2], NULL, 10);
  for (int i = 3; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0)
      c->json = 1;
    else if (strcmp(argv[i], "--solver") == 0 && i + 1 < argc)
      c->ask.solver = argv[++i];
    else if (i + 1 >= argc || !read_number(c, argv[i], argv[i + 1]))
      return usage(argv[i]);
    else
      i++;
  }
  if (c->cold < 0) c->cold = strcmp(c->scene, "pyramid") == 0 ? 20 : 0;
  if (c->every == 0) c->every = c->steps < 10 ? 1 : c->steps / 10;
  /* A body at rest falls by g h² before it is seen to have lost its ground. */
  if (c->ask.gap_tol < 0) c->ask.gap_tol = CONTACTS_GRAVITY * c->ask.h * c->ask.h;
  return c->steps > 0 && c->ask.h > 0 && c->ask.max_sweeps > 0 ? 1 : usage("a number of 0");
}

static int cold(run *r, const command *c) {
  contacts_request tight = c->ask;
  contacts_step told;
  tight.speed_tol = c->cold_tol;
  tight.tol = fmin(tight.tol, 1e-8);
  tight.max_sweeps = 100000;
  if (c->cold == 0) return 1;
  if (r->engine->retune != NULL && !r->engine->retune(r->self, &tight)) return 0;
  for (long k = 1; k <= c->cold; k++) {
    const double seconds = timed(r, c, &told);
    if (seconds < 0) return 0;
    if (c->json) continue;
    printf("cold %ld: %.3f ms, sweeps %ld, residual %.2g gh\n", k, 1e3 * seconds, (long)told.sweeps,
           told.residual);
    fflush(stdout);
  }
  return r->engine->retune == NULL || r->engine->retune(r->self, &c->ask);
}

static double momentum(const run *r) {
  double up = 0;
  for (size_t i = 0; i < (size_t)r->scene->n; i++) up += r->v[6 * i + 2];
  return up;
}

/* gained: upwards in the step, what the ground gave beyond the weight. */
static void judge(run *r, const command *c, double gained) {
  const int64_t n = r->forces != NULL ? r->engine->forces(r->self, r->forces) : 0;
  contacts_judge(r->scene, &r->grid, c->ask.h, r->start, r->q, r->forces, n, &r->last);
  if (r->forces == NULL)
    r->last.weight = fabs(gained) / (c->ask.h * CONTACTS_GRAVITY * r->scene->n);
  r->weight = r->last.weight;
  r->cone = fmax(r->cone, r->last.cone);
}

/* In units of half M (g h)²: what the bodies have after they lost the ground for a step. */
static double free_energy(const run *r, const command *c) {
  const double v = CONTACTS_GRAVITY * c->ask.h;
  return 0.5 * r->scene->n * v * v;
}

static int one(run *r, const command *c, long k) {
  contacts_step told;
  double energy;
  const double seconds = timed(r, c, &told);
  if (seconds < 0) return 0;
  r->seconds += seconds;
  r->worst = fmax(r->worst, seconds);
  r->find = told.find < 0 ? -1 : r->find + told.find;
  r->sweeps = told.sweeps < 0 ? -1 : r->sweeps + told.sweeps;
  r->accepted += told.accepted;
  const double before = momentum(r);
  r->engine->state(r->self, r->q, r->v);
  contacts_energy(r->scene, r->q, r->v, &r->kinetic, &energy);
  r->lowest = fmin(r->lowest, energy);
  r->rise = fmax(r->rise, energy - r->lowest);
  if (k % c->every != 0 && k != c->steps) return 1;
  judge(r, c, momentum(r) - before);
  printf(
      "step %ld: %.3f ms, find %.3f, rest %.3f; contacts %ld, sweeps %ld, residual %.2g gh; "
      "penetration %.2g mm, drift %.3g mm, weight %.1e, cone %.1e, kinetic %.1e, rise %.1e m\n",
      k, 1e3 * seconds, 1e3 * fmax(0, told.find), 1e3 * (seconds - fmax(0, told.find)),
      (long)r->last.touching, (long)told.sweeps, told.residual, 1e3 * r->last.penetration,
      1e3 * r->last.drift, r->last.weight, r->last.cone, r->kinetic / free_energy(r, c),
      r->rise / (CONTACTS_GRAVITY * r->scene->n));
  fflush(stdout);
  return 1;
}

static void number(const char *name, double x, int known) {
  if (known && isfinite(x))
    printf(", \"%s\": %.6g", name, x);
  else
    printf(", \"%s\": null", name);
}

static void tell(const run *r, const command *c) {
  const double steps = (double)c->steps;
  size_t state = 0, work = 0;
  if (r->engine->bytes != NULL) r->engine->bytes(r->self, &state, &work);
  if (!c->json) {
    printf(
        "mean %.3f ms, worst %.3f, find %.3f; sweeps %.1f; missed %ld; state %.2f MB, work %.2f "
        "MB\n",
        1e3 * r->seconds / steps, 1e3 * r->worst, 1e3 * fmax(0, r->find) / steps,
        (double)r->sweeps / steps, (long)r->accepted, 1e-6 * (double)state, 1e-6 * (double)work);
    return;
  }
  printf(
      "{\"program\": \"%s\", \"scene\": \"%s\", \"size\": %d, \"bodies\": %d, \"contacts\": %ld, "
      "\"steps\": %ld",
      r->engine->name, c->scene, (int)c->size, (int)r->scene->n, (long)r->last.touching, c->steps);
  number("ns", 1e9 * r->seconds / steps, 1);
  number("worst_ns", 1e9 * r->worst, 1);
  number("find_ns", 1e9 * r->find / steps, r->find >= 0);
  number("sweeps", (double)r->sweeps / steps, r->sweeps >= 0);
  number("missed", (double)r->accepted, r->engine->retune != NULL);
  number("bytes", (double)(state + work), state + work > 0);
  number("penetration", r->last.penetration, 1);
  number("drift", r->last.drift, r->scene->shape == CONTACTS_BOXES);
  number("weight", r->weight, 1);
  number("cone", r->cone, r->forces != NULL);
  number("kinetic", r->kinetic / free_energy(r, c), 1);
  number("rise", r->rise / (CONTACTS_GRAVITY * r->scene->n), 1);
  printf("}\n");
}

static int measure(run *r, const command *c) {
  double kinetic;
  if (!cold(r, c)) return 0;
  memcpy(r->start, r->scene->q0, 7 * (size_t)r->scene->n * sizeof *r->start);
  memset(r->v, 0, 6 * (size_t)r->scene->n * sizeof *r->v);
  if (c->cold > 0) r->engine->state(r->self, r->start, r->v);
  contacts_energy(r->scene, r->start, r->v, &kinetic, &r->lowest);
  for (long k = 1; k <= c->steps; k++)
    if (!one(r, c, k)) return 0;
  tell(r, c);
  return 1;
}

int contacts_main(int argc, char **argv, const contacts_engine *engine) {
  command c;
  contacts_scene scene;
  run r;
  if (!read_command(argc, argv, &c)) return 2;
  if (!contacts_make(&scene, c.scene, c.size, c.margin)) return 2;
  memset(&r, 0, sizeof r);
  r.engine = engine;
  r.scene = &scene;
  const size_t n = (size_t)scene.n;
  r.q = (double *)malloc(7 * n * sizeof(double));
  r.v = (double *)malloc(6 * n * sizeof(double));
  r.start = (double *)malloc(7 * n * sizeof(double));
  if (engine->forces != NULL)
    r.forces = (contacts_force *)malloc((size_t)scene.places * sizeof(contacts_force));
  int good = contacts_grid_make(&r.grid, scene.n) && r.q && r.v && r.start &&
             (engine->forces == NULL || r.forces != NULL);
  if (good) r.self = engine->make(&scene, &c.ask);
  good = r.self != NULL && measure(&r, &c);
  if (r.self != NULL) engine->release(r.self);
  contacts_grid_free(&r.grid);
  free(r.q);
  free(r.v);
  free(r.start);
  free(r.forces);
  contacts_free(&scene);
  if (!good) fprintf(stderr, "%s: %s %s failed\n", engine->name, argv[1], argv[2]);
  return good ? 0 : 1;
}
