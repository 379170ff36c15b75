/* SPDX-License-Identifier: MIT */
#include "portfolio/rescale.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/matrix.h"

/* Exponents from here on are extreme. */
enum { EXTREME = 500, CHUNK = 1000 };

void perp_rescale_carve(rescaled *s, arena *a, int32_t unknowns) {
  const size_t n = (size_t)unknowns;
  s->M = arena_take(a, n * n, sizeof(double));
  s->q = arena_take(a, n, sizeof(double));
  s->lower = arena_take(a, n, sizeof(double));
  s->upper = arena_take(a, n, sizeof(double));
  s->lambda = arena_take(a, n, sizeof(double));
  s->y = arena_take(a, n, sizeof(double));
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

static void shift_all(size_t n, double *x, int32_t e) {
  for (size_t i = 0; i < n; i++) x[i] = shifted(x[i], e);
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

int perp_rescale(rescaled *s, const perp_problem *problem, const double *lower,
                 const double *upper) {
  const size_t n = (size_t)problem->n;
  copy_matrix(s, &problem->M);
  memcpy(s->q, problem->q, n * sizeof *s->q);
  if (!all_finite(n * n, s->M) || !all_finite(n, s->q)) return 0;
  s->of_M = -exponent_of(n * n, s->M);
  s->of_q = -exponent_of(n, s->q);
  if (is_plain(s->of_M) && is_plain(s->of_q)) return 0;
  memcpy(s->lower, lower, n * sizeof *lower);
  memcpy(s->upper, upper, n * sizeof *upper);
  shift_all(n * n, s->M, s->of_M);
  shift_all(n, s->q, s->of_q);
  shift_all(n, s->lower, s->of_q - s->of_M);
  shift_all(n, s->upper, s->of_q - s->of_M);
  open_problem(s, problem->n);
  return 1;
}

void perp_rescale_back(const rescaled *s, const double *lower, const double *upper,
                       double *lambda) {
  for (int32_t i = 0; i < s->problem.n; i++) {
    const double x = shifted(s->lambda[i], s->of_M - s->of_q);
    lambda[i] = x < lower[i] ? lower[i] : x > upper[i] ? upper[i] : x;
  }
}
