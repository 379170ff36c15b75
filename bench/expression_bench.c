/* SPDX-License-Identifier: MIT */
/* Expressions of model files against the same in C, as a person writes it, with its derivatives:
 *   expression_bench [--once] [CASE...]
 * prints for each case the time of a value and of a value with all derivatives, and compares them:
 * values by their bits, derivatives to 1e-14. Sources: force, the format of model files; the others
 * are of the benchmark of ExprTk (Partow), two with and two without functions. */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "expression/expression.h"

enum { POINTS = 256, SEEDS = 3 };

static const double pi = 3.14159265358979323846;
static volatile double parameters[6] = {2, 9.81, 1.5, 3, 40, 0.25}; /* not known to the compiler */
static double m, g, A, w, k, c;

static void force(const double *x, double *y) {
  y[0] = -m * g + A * sin(w * x[0]) - k * x[1] - c * x[2];
}
static void force_all(const double *x, double *y, double *J) {
  force(x, y);
  J[0] = A * cos(w * x[0]) * w, J[1] = -k, J[2] = -c;
}

static void rational(const double *x, double *y) {
  y[0] = (x[1] + x[0] / x[1]) * (x[0] - x[1] / x[0]);
}
static void rational_all(const double *x, double *y, double *J) {
  const double a = x[1] + x[0] / x[1], b = x[0] - x[1] / x[0];
  y[0] = a * b;
  J[0] = 1 / x[1] * b + a * (1 + x[1] / (x[0] * x[0]));
  J[1] = (1 - x[0] / (x[1] * x[1])) * b - a / x[0];
}

static void product(const double *x, double *y) {
  y[0] = (5.5 + x[0]) + (2 * x[0] - 2.0 / 3 * x[1]) * (x[0] / 3 + x[1] / 4) + (x[1] + 7.7);
}
static void product_all(const double *x, double *y, double *J) {
  const double a = 2 * x[0] - 2.0 / 3 * x[1], b = x[0] / 3 + x[1] / 4;
  y[0] = (5.5 + x[0]) + a * b + (x[1] + 7.7);
  J[0] = 1 + 2 * b + a / 3;
  J[1] = 1 - 2.0 / 3 * b + a / 4;
}

static void waves(const double *x, double *y) { y[0] = 1 - sin(2 * x[0]) + cos(pi / x[1]); }
static void waves_all(const double *x, double *y, double *J) {
  waves(x, y);
  J[0] = -2 * cos(2 * x[0]), J[1] = sin(pi / x[1]) * pi / (x[1] * x[1]);
}

static void quotient(const double *x, double *y) {
  y[0] = x[0] * x[0] / sin(2 * pi / x[1]) - x[0] / 2;
}
static void quotient_all(const double *x, double *y, double *J) {
  const double a = 2 * pi / x[1], s = sin(a);
  y[0] = x[0] * x[0] / s - x[0] / 2;
  J[0] = 2 * x[0] / s - 0.5;
  J[1] = x[0] * x[0] / (s * s) * cos(a) * a / x[1];
}

typedef struct bench_case {
  const char *name, *text;
  void (*value)(const double *x, double *y);
  void (*all)(const double *x, double *y, double *J);
  int32_t seeds;
} bench_case;

static const bench_case cases[] = {
    {"expression-force", "-m*g + A*sin(w*x) - k*y - c*z", force, force_all, 3},
    {"expression-rational", "(y + x / y) * (x - y / x)", rational, rational_all, 2},
    {"expression-product", "(5.5 + x) + (2 * x - 2 / 3 * y) * (x / 3 + y / 4) + (y + 7.7)", product,
     product_all, 2},
    {"expression-waves", "1 - sin(2 * x) + cos(pi / y)", waves, waves_all, 2},
    {"expression-quotient", "(x^2 / sin(2 * pi / y)) - x / 2", quotient, quotient_all, 2},
};

static double inputs[POINTS][SEEDS];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double sink;

/* All points once: C or the program, values or all. */
static void pass(const bench_case *b, const perp_expression *p, int all) {
  double y, J[SEEDS];
  for (int i = 0; i < POINTS; i++) {
    if (p == NULL && !all) b->value(inputs[i], &y);
    if (p == NULL && all) b->all(inputs[i], &y, J);
    if (p != NULL && !all) perp_expression_evaluate(p, inputs[i], &y);
    if (p != NULL && all) perp_expression_derive(p, inputs[i], &y, J);
    sink += all ? y + J[0] : y;
  }
}

/* Nanoseconds of one evaluation: the best of many windows. */
static double measure(const bench_case *b, const perp_expression *p, int all, int windows) {
  double best = 1e300;
  for (int window = 0; window < windows; window++) {
    const double start = now();
    for (int i = 0; i < 100; i++) pass(b, p, all);
    const double t = (now() - start) / (100.0 * POINTS);
    if (t < best) best = t;
  }
  return best;
}

static int agree(const bench_case *b, const perp_expression *p) {
  for (int i = 0; i < POINTS; i++) {
    double y, J[SEEDS], mine, mine_J[SEEDS];
    b->all(inputs[i], &y, J);
    perp_expression_derive(p, inputs[i], &mine, mine_J);
    if (memcmp(&y, &mine, sizeof y) != 0) return 0;
    for (int32_t s = 0; s < b->seeds; s++)
      if (!(fabs(mine_J[s] - J[s]) <= 1e-14 * (1 + fabs(J[s])))) return 0;
  }
  return 1;
}

static int run(const bench_case *b, int windows) {
  const perp_expression_symbol symbols[] = {
      {"x", 0, 0, NULL, NULL, NULL, NULL}, {"y", 0, 1, NULL, NULL, NULL, NULL},
      {"z", 0, 2, NULL, NULL, NULL, NULL}, {"m", 0, 0, &m, NULL, NULL, NULL},
      {"g", 0, 0, &g, NULL, NULL, NULL},   {"A", 0, 0, &A, NULL, NULL, NULL},
      {"w", 0, 0, &w, NULL, NULL, NULL},   {"k", 0, 0, &k, NULL, NULL, NULL},
      {"c", 0, 0, &c, NULL, NULL, NULL}};
  const int32_t seeds[SEEDS] = {0, 1, 2};
  const perp_expression_text text = {b->text, strlen(b->text)};
  perp_expression_error error;
  perp_expression *p = perp_expression_compile(1, &text, 9, symbols, b->seeds, seeds, &error);
  if (p == NULL || !agree(b, p)) {
    (void)fprintf(stderr, "%s: %s\n", b->name, p == NULL ? error.message : "other results than C");
    perp_expression_free(p);
    return 1;
  }
  const double value = measure(b, NULL, 0, windows), mine = measure(b, p, 0, windows);
  const double all = measure(b, NULL, 1, windows), mine_all = measure(b, p, 1, windows);
  printf(
      "{\"case\": \"%s\", \"limit_ns\": %.2f, \"ns\": %.2f, \"limit_all_ns\": %.2f, "
      "\"all_ns\": %.2f}\n",
      b->name, value, mine, all, mine_all);
  perp_expression_free(p);
  return 0;
}

int main(int argc, char **argv) {
  int windows = 200, first = 1, failed = 0, found = 0;
  if (argc > 1 && strcmp(argv[1], "--once") == 0) windows = 1, first = 2;
  m = parameters[0], g = parameters[1], A = parameters[2];
  w = parameters[3], k = parameters[4], c = parameters[5];
  for (int i = 0; i < POINTS; i++) {
    inputs[i][0] = 0.3 + 0.01 * i;
    inputs[i][1] = 1.7 - 0.003 * i;
    inputs[i][2] = 0.5 * i;
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int asked = first >= argc;
    for (int a = first; a < argc; a++) asked |= strcmp(argv[a], cases[i].name) == 0;
    if (asked) failed |= run(&cases[i], windows);
    found |= asked;
  }
  return failed || !found || sink != sink;
}
