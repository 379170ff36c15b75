/* SPDX-License-Identifier: MIT */
/* The exact results of the cases of event.h, in long double: parabolas for the ball; for the
 * pendulum θ'' = -(g/L) sin θ by the classical Runge-Kutta method, 400 steps between two outputs
 * (halving them changes nothing above 1e-17). It has no business with the clock. */
#define _POSIX_C_SOURCE 199309L
#include "event.h"

typedef struct run {
  const bench_case *c;
  double *out;
} run;

static void ball(double *out, int outputs) {
  const long double g = 9.81L, e = 0.9L, first = sqrtl(2 / g);
  long double t = first, u = e * g * first; /* of the last impact, speed after it */
  int n = 0;
  for (int k = 1; k <= outputs; k++) {
    const long double now = EVENT_H * k;
    if (n == 0 && now >= first) out[n++] = (double)first;
    while (n > 0 && now >= t + 2 * u / g && n < EVENT_IMPACTS) {
      t += 2 * u / g;
      u *= e;
      out[n++] = (double)t;
    }
    const long double s = now - t;
    double *row = out + EVENT_IMPACTS + 2 * (k - 1);
    row[0] = (double)(n == 0 ? 1 - g * now * now / 2 : u * s - g * s * s / 2);
    row[1] = (double)(n == 0 ? -g * now : u - g * s);
  }
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void balls(double *out, int n, int outputs) {
  const long double g = 9.81L, h = event_height(0), hit = sqrtl(2 * h / g);
  for (int k = 0; k < n; k++) out[k] = (double)sqrtl(2 * (long double)event_height(k) / g);
  qsort(out, (size_t)n, sizeof *out, compare);
  for (int k = 1; k <= outputs; k++) {
    const long double t = EVENT_H * k, u = 0.9L * g * hit, s = t - hit;
    out[n + 2 * (k - 1)] = (double)(s < 0 ? h - g * t * t / 2 : u * s - g * s * s / 2);
    out[n + 2 * (k - 1) + 1] = (double)(s < 0 ? -g * t : u - g * s);
  }
}

static void resting(double *out, int outputs) {
  for (int k = 0; k < outputs; k++) {
    out[2 * k] = 0;
    out[2 * k + 1] = GRAVITY;
  }
}

static void pendulum(double *out, int outputs) {
  enum { STEPS = 400 };
  const long double g = 9.81L, h = (long double)EVENT_PENDULUM_H / STEPS;
  long double a = acosl(0.5L), w = 0;
  for (int k = 0; k < outputs; k++) {
    for (int i = 0; i < STEPS; i++) {
      const long double w1 = w, b1 = -g * sinl(a);
      const long double w2 = w + h / 2 * b1, b2 = -g * sinl(a + h / 2 * w1);
      const long double w3 = w + h / 2 * b2, b3 = -g * sinl(a + h / 2 * w2);
      const long double w4 = w + h * b3, b4 = -g * sinl(a + h * w3);
      a += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
      w += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
    double *row = out + EVENT_COLUMNS * k;
    row[0] = (double)sinl(a);
    row[1] = (double)cosl(a);
    row[2] = (double)(w * cosl(a));
    row[3] = (double)(-w * sinl(a));
    row[4] = (double)((g * cosl(a) + w * w) / 2);
  }
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
  const run *r = (const run *)simulation;
  if (steps != r->c->steps) return 0;
  if (event_balls(r->c) > 0)
    balls(r->out, event_balls(r->c), steps);
  else if (strcmp(r->c->name, "event-pendulum") == 0)
    pendulum(r->out, steps);
  else if (strcmp(r->c->name, "event-resting") == 0)
    resting(r->out, steps);
  else
    ball(r->out, steps);
  return 1;
}

static size_t state(void *simulation, double *out) {
  const run *r = (const run *)simulation;
  const size_t n = event_entries(r->c, r->c->steps);
  if (out != NULL) memcpy(out, r->out, n * sizeof *out);
  return n;
}

int main(int argc, char **argv) {
  const bench_program program = {"exact", prepare, loop, state, release};
  return bench_main(argc, argv, &program);
}
