/* SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"
#include "portfolio/portfolio.h"

/* Exponents from here on are extreme, and so far apart rows and columns are so. */
enum { EXTREME = 500, APART = 32, CHUNK = 1000, ROUNDS = 20 };

void perp_rescale_carve(rescaled *s, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  s->M = arena_take(a, n * n, sizeof(double));
  s->q = arena_take(a, n, sizeof(double));
  s->lower = arena_take(a, n, sizeof(double));
  s->upper = arena_take(a, n, sizeof(double));
  s->lambda = arena_take(a, n, sizeof(double));
  s->y = arena_take(a, n, sizeof(double));
  s->row = arena_take(a, n, sizeof(int32_t));
  s->col = arena_take(a, n, sizeof(int32_t));
}

static int is_plain(int32_t e) { return e > -EXTREME && e < EXTREME; }

/* 2^e x, rounded only where that is a denormal number. */
static double shifted(double x, int32_t e) {
  for (; e > CHUNK; e -= CHUNK) x *= 0x1p1000;
  for (; e < -CHUNK; e += CHUNK) x *= 0x1p-1000;
  return x * double_of((uint64_t)(e + 1023) << 52);
}

/* e of the largest |x_i| in [2^e, 2^(e+1)), 0 where all are 0; they are finite. */
static int32_t exponent_of(size_t n, const double *x) {
  double most = 0;
  int32_t up = 0;
  for (size_t i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  if (most == 0) return 0;
  if (most < 0x1p-1000) {
    most *= 0x1p1000;
    up = CHUNK;
  }
  return (int32_t)(bits_of(most) >> 52 & 2047) - 1023 - up;
}

static void copy_matrix(rescaled *s, const perp_matrix *M) {
  const size_t n = (size_t)M->rows;
  memset(s->M, 0, n * n * sizeof *s->M);
  memset(s->lambda, 0, n * sizeof *s->lambda);
  for (size_t j = 0; j < n; j++) {
    s->lambda[j] = 1;
    perp_matrix_multiply_add(M, s->lambda, s->M + n * j);
    s->lambda[j] = 0;
  }
}

/* ---- units ---- */

static int choose_whole(rescaled *s, int32_t n) {
  const size_t m = (size_t)n;
  const int32_t of_M = -exponent_of(m * m, s->M);
  s->of_q = -exponent_of(m, s->q) - of_M;
  for (int32_t i = 0; i < n; i++) {
    s->row[i] = of_M;
    s->col[i] = 0;
  }
  return !is_plain(of_M) || !is_plain(s->of_q + of_M);
}

typedef struct mean {
  double sum;
  int32_t count;
} mean;

static void count_entry(mean *m, double x, int32_t e) {
  if (x == 0) return;
  m->sum += exponent_of(1, &x) + e;
  m->count++;
}

/* The exponent that makes the mean 0. */
static int32_t against(mean m) {
  const double e = m.count > 0 ? -m.sum / m.count : 0;
  return (int32_t)(e < 0 ? e - 0.5 : e + 0.5);
}

static int32_t spread(int32_t n, const int32_t *e) {
  int32_t least = e[0], most = e[0];
  for (int32_t i = 1; i < n; i++) {
    least = e[i] < least ? e[i] : least;
    most = e[i] > most ? e[i] : most;
  }
  return most - least;
}

/* The squares of the exponents of all entries of M' and q' other than 0 have the least sum, by
 * rows and columns in turn (Curtis and Reid 1972). */
static int choose_rows(rescaled *s, int32_t n) {
  memset(s->col, 0, (size_t)n * sizeof *s->col);
  s->of_q = 0;
  for (int32_t round = 0; round < ROUNDS; round++) {
    mean load = {0, 0};
    for (int32_t i = 0; i < n; i++) {
      mean m = {0, 0};
      count_entry(&m, s->q[i], s->of_q);
      for (int32_t j = 0; j < n; j++) count_entry(&m, s->M[i + n * j], s->col[j]);
      s->row[i] = against(m);
      count_entry(&load, s->q[i], s->row[i]);
    }
    for (int32_t j = 0; j < n; j++) {
      mean m = {0, 0};
      for (int32_t i = 0; i < n; i++) count_entry(&m, s->M[i + n * j], s->row[i]);
      s->col[j] = against(m);
    }
    s->of_q = against(load);
  }
  return spread(n, s->row) >= APART || spread(n, s->col) >= APART;
}

/* ---- the problem ---- */

/* Returns whether the bounds stay bounds. */
static int shift_all(rescaled *s, int32_t n, const double *lower, const double *upper) {
  int stay = 1;
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i < n; i++)
      s->M[i + n * j] = shifted(s->M[i + n * j], s->row[i] + s->col[j]);
    s->q[j] = shifted(s->q[j], s->row[j] + s->of_q);
    s->lower[j] = shifted(lower[j], s->of_q - s->col[j]);
    s->upper[j] = shifted(upper[j], s->of_q - s->col[j]);
    stay &= s->lower[j] <= DBL_MAX && s->upper[j] >= -DBL_MAX;
  }
  return stay;
}

/* One law for all unknowns. */
static void open_problem(rescaled *s, int32_t n) {
  int orthant = 1;
  for (int32_t i = 0; i < n; i++) orthant &= s->lower[i] == 0 && !is_finite(s->upper[i]);
  (void)perp_box_init(&s->box, sizeof s->box);
  (void)perp_complementarity_init(&s->orthant, sizeof s->orthant);
  s->box.law.size = s->orthant.law.size = n;
  s->box.lower = s->lower;
  s->box.upper = s->upper;
  s->law = orthant ? &s->orthant.law : &s->box.law;
  s->problem = perp_problem_of(perp_dense(n, n, s->M), s->q, 1, &s->law, NULL);
}

int perp_rescale(rescaled *s, const perp_problem *problem, const double *lower, const double *upper,
                 int how) {
  const int32_t n = problem->n;
  const size_t m = (size_t)n;
  copy_matrix(s, &problem->M);
  memcpy(s->q, problem->q, m * sizeof *s->q);
  if (!all_finite(m * m, s->M) || !all_finite(m, s->q)) return 0;
  const int serves = how == RESCALE_WHOLE ? choose_whole(s, n) : choose_rows(s, n);
  if (!serves || !shift_all(s, n, lower, upper)) return 0;
  open_problem(s, n);
  return 1;
}

void perp_rescale_back(const rescaled *s, const double *lower, const double *upper,
                       double *lambda) {
  for (int32_t i = 0; i < s->problem.n; i++) {
    const double x = shifted(s->lambda[i], s->col[i] - s->of_q);
    lambda[i] = x < lower[i] ? lower[i] : x > upper[i] ? upper[i] : x;
  }
}
