/* SPDX-License-Identifier: MIT */
/* What the bench programs share: the cases, the clock, the command line and the output.
 *
 *   PROGRAM [--steps N] [--windows K] [--seconds S] [--once] [--state DIR] CASE...
 *
 * A program measures only the loop over the steps. Short runs are repeated, each from a fresh
 * start that is prepared outside of the clock, until a window of 2 ms is full; the figure is the
 * best window of at least K (3) and at least S (0.3) seconds of them; --once takes one run (for
 * counting instructions). One JSON line a case goes to stdout, the final state (all positions, then
 * all velocities, as native doubles) to DIR/CASE.PROGRAM if asked for.
 *
 * C99 and C++17. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One system to be simulated; what belongs to the set of values stands beside its name. */
typedef struct bench_case {
  const char *name;
  int steps;   /* of one run */
  int beads;   /* 0: not a column of beads */
  int resting; /* beads: 1 in contact and at rest, 0 falling */
} bench_case;

static const bench_case bench_cases[] = {
    {"ball", 2000, 0, 0},
    {"bridge", 5000, 0, 0},
    {"follower", 10000, 0, 0},
    {"follower-linear", 10000, 0, 0}, /* as follower; the peer with its cheaper linear relation */
    {"oscillator", 40000, 0, 0},      /* a mass on a spring that rubs on a table */
    {"woodpecker", 15000, 0, 0},      /* the toy: three contacts with friction */
    {"body", 2000, 0, 0},             /* a rigid body with quaternion on the ground, friction */
    {"body-projected", 2000, 0, 0},   /* the same, its position projected on the ground */
    {"beads-10", 4000, 10, 0},
    {"beads-100", 4000, 100, 0},
    {"beads-1000", 4000, 1000, 0},
    {"beads-100000", 4000, 100000, 0},
    {"beads-100-resting", 4000, 100, 1},
    {"beads-1000-resting", 1000, 1000, 1},
    {"beads-100000-resting", 200, 100000, 1},
    {"event-ball", 1700, 0, 0}, /* event-driven, a step is an output: event.h */
    {"event-resting", 1700, 0, 0},
    {"event-pendulum", 1000, 0, 0},
    {"event-balls-10", 128, 0, 0},
    {"event-balls-1000", 128, 0, 0},
};

/* Parameters of the models, in SI units. */
#define GRAVITY              9.81
#define BALL_H               5e-3
#define BALL_RESTITUTION     0.9
#define BALL_RADIUS          0.1
#define BRIDGE_H             1e-6
#define BRIDGE_L             1e-2
#define BRIDGE_C             1e-6
#define BRIDGE_R             1e3
#define FOLLOWER_H           1e-4
#define FOLLOWER_MASS        1.221
#define FOLLOWER_SPRING      1430.8
#define FOLLOWER_RESTITUTION 0.8
#define BEADS_H              5e-4
#define BEADS_RADIUS         0.1
#define BEADS_RESTITUTION    0.9
#define OSCILLATOR_H         1e-4
#define OSCILLATOR_MASS      1.0
#define OSCILLATOR_SPRING    100.0
#define OSCILLATOR_FRICTION  0.1
#define OSCILLATOR_START     0.2
#define OSCILLATOR_OVERLAP   1e-9
#define TOY_H                2e-5
#define TOY_FRICTION         0.3
#define TOY_BEAK             0.5 /* restitution there; 0 at the edges of the sleeve */

#define BODY_H           5e-3
#define BODY_RADIUS      0.1
#define BODY_START       2.0 /* speed upwards, from a height of 1 m */
#define BODY_RESTITUTION 0.9
#define BODY_FRICTION    0.6
#define BODY_TOLERANCE   1e-8 /* of the position after a projection */

/* The toy: mass and stiffness (symmetric), weight, the rows of each contact by rows (normal,
 * tangential; beak, lower, upper edge), their offsets, the start. */
#define TOY_M  4.5e-3 /* mass of the bird */
#define TOY_LM 0.010
#define TOY_LG 0.015
static const double toy_mass[9] = {TOY_M + 3e-4,
                                   TOY_M *TOY_LM,
                                   TOY_M *TOY_LG,
                                   TOY_M *TOY_LM,
                                   5e-9 + TOY_M *TOY_LM *TOY_LM,
                                   TOY_M *TOY_LM *TOY_LG,
                                   TOY_M *TOY_LG,
                                   TOY_M *TOY_LM *TOY_LG,
                                   7e-7 + TOY_M *TOY_LG *TOY_LG};
static const double toy_spring[9] = {0, 0, 0, 0, 0.0056, -0.0056, 0, -0.0056, 0.0056};
static const double toy_weight[3] = {-GRAVITY * (TOY_M + 3e-4), -GRAVITY *TOY_M *TOY_LM,
                                     -GRAVITY *TOY_M *TOY_LG};
static const double toy_rows[3][6] = {{0, 0, -0.02, 1, TOY_LM, TOY_LG - 0.0201},
                                      {0, 5.8e-3, 0, 1, 3.1e-3, 0},
                                      {0, -5.8e-3, 0, 1, 3.1e-3, 0}};
static const double toy_offset[3] = {TOY_LM + TOY_LG - 0.0201 - 2.5e-3, 3.1e-3 - 2.5e-3,
                                     3.1e-3 - 2.5e-3};
static const double toy_q0[3] = {0, -0.1036, -0.2788};
static const double toy_v0[3] = {-0.3411, 4.8572e-15, -7.4583};

/* Overlap of each contact of the resting column: no rounding of a position may open it. */
#define BEADS_OVERLAP 1e-9

/* Height of bead i at the start, and the offset of its gap g_i = z_i - z_{i-1} + offset. */
static inline double bead_height(const bench_case *c, int i) {
  return c->resting != 0 ? (2 * i + 1) * BEADS_RADIUS : 1.0 + 0.25 * i;
}
static inline double bead_offset(const bench_case *c, int i) {
  return (i == 0 ? -BEADS_RADIUS : -2 * BEADS_RADIUS) - (c->resting != 0 ? BEADS_OVERLAP : 0.0);
}

/* A program under measurement. */
typedef struct bench_program {
  const char *name;
  /* Make a simulation at its start, freeing the one made before; NULL: no such case here. */
  void *(*prepare)(const bench_case *c, void *previous);
  /* Take the steps; 0 if one fails. */
  int (*loop)(void *simulation, int steps);
  /* Number of entries of the state; written to out if that is not NULL. */
  size_t (*state)(void *simulation, double *out);
  /* Free it. */
  void (*release)(void *simulation);
} bench_program;

static double bench_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of a loop: of the thread where the system took the core away in between, else of the
 * wall, whose clock costs less. */
static double bench_time(const bench_program *program, void *simulation, int steps) {
  const double thread = bench_clock(CLOCK_THREAD_CPUTIME_ID);
  const double start = bench_clock(CLOCK_MONOTONIC);
  const int good = program->loop(simulation, steps);
  const double wall = bench_clock(CLOCK_MONOTONIC) - start;
  const double own = bench_clock(CLOCK_THREAD_CPUTIME_ID) - thread;
  return !good ? -1.0 : own < wall ? own : wall;
}

static int bench_write(const char *folder, const char *case_name, const char *program,
                       const double *state, size_t n) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", folder, case_name, program);
  FILE *file = fopen(path, "wb");
  if (file == NULL) return 0;
  const int good = fwrite(state, sizeof *state, n, file) == n;
  return fclose(file) == 0 && good;
}

/* What the command line asks for. */
typedef struct bench_request {
  int steps, windows;
  double window, seconds;
  const char *folder;
} bench_request;

/* Fill one window; returns its seconds, negative if a step failed. */
static double bench_window(const bench_program *program, const bench_case *c, int steps,
                           double least, void **simulation, double *runs) {
  double total = 0.0;
  *runs = 0.0;
  do {
    *simulation = program->prepare(c, *simulation);
    if (*simulation == NULL) return -1.0;
    const double seconds = bench_time(program, *simulation, steps);
    if (!(seconds >= 0.0)) return -1.0;
    total += seconds;
    *runs += 1.0;
  } while (total < least);
  return total;
}

static int bench_measure(const bench_program *program, const bench_case *c,
                         const bench_request *ask) {
  const int steps = ask->steps > 0 ? ask->steps : c->steps;
  double best = 0.0, spent = 0.0, runs;
  void *simulation = NULL;
  for (int k = 0; k < ask->windows || spent < ask->seconds; k++) {
    const double window = bench_window(program, c, steps, ask->window, &simulation, &runs);
    if (!(window >= 0.0)) return 0;
    spent += window;
    const double ns = 1e9 * window / (runs * steps);
    if (k == 0 || ns < best) best = ns;
  }
  const size_t n = program->state(simulation, NULL);
  double *state = (double *)malloc(n * sizeof *state);
  if (state == NULL) return 0;
  program->state(simulation, state);
  int good = 1;
  if (ask->folder != NULL) good = bench_write(ask->folder, c->name, program->name, state, n);
  printf(
      "{\"case\": \"%s\", \"program\": \"%s\", \"steps\": %d, \"ns\": %.6g, \"first\": %.17g, "
      "\"last\": %.17g}\n",
      c->name, program->name, steps, best, state[0], state[n - 1]);
  fflush(stdout);
  free(state);
  program->release(simulation);
  return good;
}

static int bench_main(int argc, char **argv, const bench_program *program) {
  bench_request ask = {0, 3, 2e-3, 0.3, NULL};
  for (int i = 1; i < argc; i++) {
    const bench_case *found = NULL;
    for (size_t k = 0; k < sizeof bench_cases / sizeof *bench_cases; k++)
      if (strcmp(argv[i], bench_cases[k].name) == 0) found = &bench_cases[k];
    if (found != NULL) {
      if (!bench_measure(program, found, &ask)) {
        fprintf(stderr, "%s: case %s failed\n", program->name, found->name);
        return 1;
      }
    } else if (strcmp(argv[i], "--once") == 0) {
      ask.windows = 1;
      ask.window = ask.seconds = 0.0;
    } else if (i + 1 < argc && strcmp(argv[i], "--steps") == 0) {
      ask.steps = atoi(argv[++i]);
    } else if (i + 1 < argc && strcmp(argv[i], "--windows") == 0) {
      ask.windows = atoi(argv[++i]);
    } else if (i + 1 < argc && strcmp(argv[i], "--seconds") == 0) {
      ask.seconds = atof(argv[++i]);
    } else if (i + 1 < argc && strcmp(argv[i], "--state") == 0) {
      ask.folder = argv[++i];
    } else {
      fprintf(stderr, "%s: what is \"%s\"?\n", program->name, argv[i]);
      return 2;
    }
  }
  return 0;
}

#endif
