/* SPDX-License-Identifier: MIT */
/* With g_k = T(w_k), f_k = g_k − w_k and the differences ΔF, ΔG of the last steps,
 *
 *   w_{k+1} = g_k − ΔG γ,   γ = argmin ‖f_k − ΔF γ‖²,
 *
 * by the normal equations, whose matrix is kept and gets one row a step. A little is added to its
 * diagonal, which bounds γ where steps are parallel. Sources: Anderson, J. ACM 12 (1965); Walker
 * and Ni, SIAM J. Numer. Anal. 49 (2011). */
#include "solver/anderson.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* Part of the trace that is added. */
#define RIDGE 1e-12
/* Larger weights come from steps that do not get shorter: there is no fixed point near. */
#define MOST_WEIGHT 1e4

/* The steps alone, without gram, chol and right. */
static void carve_steps(anderson *a, arena *memory, int32_t n, int32_t differences) {
  const size_t d = sizeof(double), rows = (size_t)n, m = (size_t)differences;
  a->n = n;
  a->memory = differences;
  a->weight = NULL;
  a->f = arena_take(memory, m > 0 ? rows : 0, d);
  a->g = arena_take(memory, m > 0 ? rows : 0, d);
  a->df = arena_take(memory, rows, m * d);
  a->dg = arena_take(memory, rows, m * d);
  anderson_reset(a);
}

void perp_anderson_carve(anderson *a, arena *memory, int32_t n, int32_t differences) {
  const size_t d = sizeof(double), m = (size_t)differences;
  carve_steps(a, memory, n, differences);
  a->gram = arena_take(memory, m * m, d);
  a->chol = arena_take(memory, m * m, d);
  a->right = arena_take(memory, m, d);
}

/* In four lanes, as perp_dense_dot(). */
static double product(const anderson *s, const double *x, const double *y) {
  const double *w = s->weight;
  const int32_t n = s->n;
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int32_t i = 0;
  if (w == NULL) return perp_dense_dot(n, x, y);
  for (; i + 4 <= n; i += 4) {
    s0 += w[i] * x[i] * y[i];
    s1 += w[i + 1] * x[i + 1] * y[i + 1];
    s2 += w[i + 2] * x[i + 2] * y[i + 2];
    s3 += w[i + 3] * x[i + 3] * y[i + 3];
  }
  double sum = (s0 + s2) + (s1 + s3);
  for (; i < n; i++) sum += w[i] * x[i] * y[i];
  return sum;
}

/* The step with f = T(w) − w and g = T(w) joins the memory. */
static void remember(anderson *a, const double *f, const double *g) {
  const size_t n = (size_t)a->n;
  const int32_t m = a->memory;
  if (a->known) { /* the difference to the step before */
    const int32_t j = a->count < m ? a->count++ : a->oldest;
    double *restrict df = a->df + n * (size_t)j, *restrict dg = a->dg + n * (size_t)j;
    a->oldest = (j + 1) % m;
    for (size_t i = 0; i < n; i++) {
      df[i] = f[i] - a->f[i];
      dg[i] = g[i] - a->g[i];
    }
    for (int32_t k = 0; k < a->count; k++)
      a->gram[j + m * k] = a->gram[k + m * j] = product(a, a->df + n * (size_t)k, df);
  }
  memcpy(a->f, f, n * sizeof *f);
  memcpy(a->g, g, n * sizeof *g);
  a->known = 1;
}

/* right := γ. 0 if there is none. */
static int weights(anderson *a, const double *f) {
  const int32_t m = a->memory, count = a->count;
  double trace = 0;
  for (int32_t k = 0; k < count; k++) trace += a->gram[k + m * k];
  for (int32_t k = 0; k < count; k++) {
    memcpy(a->chol + m * k, a->gram + m * k, (size_t)count * sizeof *a->chol);
    a->chol[k + m * k] += RIDGE * trace;
    a->right[k] = perp_dense_dot(a->n, f, a->df + (size_t)a->n * (size_t)k);
  }
  if (perp_dense_cholesky(count, a->chol, m) != PERP_OK) return 0;
  perp_dense_cholesky_solve(count, a->chol, m, a->right);
  for (int32_t k = 0; k < count; k++) {
    if (!(fabs(a->right[k]) <= MOST_WEIGHT)) return 0;
    a->right[k] = -a->right[k];
  }
  return 1;
}

int perp_anderson_step(anderson *a, const double *f, double *w) {
  for (int32_t i = 0; i < a->n; i++) w[i] += f[i];
  if (a->memory == 0) return 0;
  remember(a, f, w);
  if (a->count == 0 || !weights(a, f)) return 0;
  perp_dense_multiply_add(a->n, a->count, a->dg, a->n, a->right, w);
  return 1;
}

/* --- in sweeps ------------------------------------------------------------------------------- */

/* A pivot of the normal equations below this part of its diagonal entry tells nothing new. */
#define DEPENDENT 1e-10

/* Coefficients beyond this come from steps that hardly differ. */
#define WILD 1e6

/* Where f differs from the last one by less than this part, λ drifts along a straight line. */
#define DRIFT 0.2

/* Steps of drift that are taken at once at most. */
#define LONGEST 1e6

/* Growth of ‖f‖² after which no sweep is given to calm it down. */
#define DESPERATE 1e4

/* Steps that Anderson's method, or momentum in its place, may take to bring ‖f‖² down to this part;
 * then it is the other's turn. */
enum { PATIENCE = 100 };
#define PROGRESS 0.1

/* By how much a point may be worse than the best one since the last that was a g. */
#define SLACK 2.0

void perp_accelerator_carve(accelerator *s, arena *a, int32_t n, int32_t kind, int32_t depth) {
  const size_t d = sizeof(double), some = kind == PERP_NSGS_PLAIN ? 0 : (size_t)n;
  const int any = kind == PERP_NSGS_ANDERSON;
  s->kind = s->now = kind;
  s->stalled = 0;
  s->milestone = INFINITY;
  s->weight = arena_take(a, some, d);
  s->x = arena_take(a, some, d);
  carve_steps(&s->past, a, n, any ? depth : 0);
  s->g = any ? s->past.g : arena_take(a, some, d);
  s->past.weight = s->weight;
  s->past.gram = s->gram;
}

void perp_accelerator_reset(accelerator *s) {
  anderson_reset(&s->past);
  s->bold = s->smooth = 0;
  s->t = 1;
  s->leap = 1;
  s->merit = INFINITY;
}

void perp_accelerator_begin(accelerator *s, const double *x) {
  if (s->kind != PERP_NSGS_PLAIN) memcpy(s->x, x, (size_t)s->past.n * sizeof *x);
}

/* ---- Anderson ---- */

/* γ := G⁻¹ b by Cholesky, the newest step first; those that depend on newer ones get 0. */
static void coefficients(const anderson *s, const double *b, double *gamma) {
  double L[PERP_NSGS_MOST_DEPTH][PERP_NSGS_MOST_DEPTH], z[PERP_NSGS_MOST_DEPTH];
  int32_t at[PERP_NSGS_MOST_DEPTH], m = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t j = (s->oldest - 1 - k + 2 * s->memory) % s->memory;
    const double *row = s->gram + j * s->memory;
    double sum = b[j], pivot = row[j];
    gamma[j] = 0;
    for (int32_t c = 0; c < m; c++) {
      double v = row[at[c]];
      for (int32_t e = 0; e < c; e++) v -= L[m][e] * L[c][e];
      L[m][c] = v / L[c][c];
      pivot -= L[m][c] * L[m][c];
      sum -= L[m][c] * z[c];
    }
    if (!(pivot > DEPENDENT * row[j])) continue;
    L[m][m] = sqrt(pivot);
    z[m] = sum / L[m][m];
    at[m++] = j;
  }
  for (int32_t k = m - 1; k >= 0; k--) {
    double v = z[k];
    for (int32_t c = k + 1; c < m; c++) v -= L[c][k] * gamma[at[c]];
    gamma[at[k]] = v / L[k][k];
  }
}

/* Follow the drift by s->leap steps at once. What is not drift in f grows by as much, so a sweep
 * for each doubling calms that down before the point is judged. */
static void leap(accelerator *s, double *restrict x) {
  const double *restrict f = s->past.f, by = s->leap;
  for (int32_t i = 0; i < s->past.n; i++) x[i] += by * f[i];
  s->smooth = 0;
  double l = by;
  while (l > 1) {
    s->smooth++;
    l *= 0.5;
  }
  if (s->leap < LONGEST) s->leap = 2 * by;
  s->bold = 1;
}

/* x holds g, s->x f. */
static void combine(accelerator *s, double *x, double merit) {
  anderson *past = &s->past;
  double b[PERP_NSGS_MOST_DEPTH], gamma[PERP_NSGS_MOST_DEPTH], largest = 0;
  remember(past, s->x, x);
  const int32_t m = past->memory, newest = (past->oldest - 1 + m) % m;
  if (past->count > 0 && past->gram[newest * (m + 1)] <= DRIFT * DRIFT * merit) {
    leap(s, x);
    return;
  }
  s->leap = 1;
  for (int32_t j = 0; j < past->count; j++)
    b[j] = product(past, past->df + (size_t)past->n * (size_t)j, past->f);
  coefficients(past, b, gamma);
  for (int32_t j = 0; j < past->count; j++) {
    const double size = fabs(gamma[j]);
    if (!(size <= largest)) largest = size;
    gamma[j] = -gamma[j];
  }
  if (!(largest > 0 && largest < WILD)) return;
  perp_dense_multiply_add(past->n, past->count, past->dg, past->n, gamma, x);
  s->bold = 1;
}

/* ---- momentum ---- */

static void momentum(accelerator *s, double *restrict x) {
  const double next = 0.5 * (1 + sqrt(1 + 4 * s->t * s->t)), beta = (s->t - 1) / next;
  double *restrict g = s->g;
  const int any = s->merit < INFINITY && beta > 0;
  for (int32_t i = 0; i < s->past.n; i++) {
    const double now = x[i], step = any ? beta * (now - g[i]) : 0;
    g[i] = now;
    x[i] = now + step;
  }
  s->t = next;
  s->bold = any;
}

static void take_turns(accelerator *s, double merit) {
  if (!(merit >= PROGRESS * s->milestone)) {
    s->milestone = merit;
    s->stalled = 0;
  } else if (s->kind == PERP_NSGS_ANDERSON && ++s->stalled >= PATIENCE) {
    s->now = s->now == PERP_NSGS_ANDERSON ? PERP_NSGS_MOMENTUM : PERP_NSGS_ANDERSON;
    s->stalled = 0;
    perp_accelerator_reset(s);
  }
}

void perp_accelerator_end(accelerator *s, double *x) {
  if (s->kind == PERP_NSGS_PLAIN) return;
  double *restrict f = s->x;
  for (int32_t i = 0; i < s->past.n; i++) f[i] = x[i] - f[i];
  const double merit = product(&s->past, f, f);
  if (s->smooth > 0 && merit <= DESPERATE * s->merit) {
    s->smooth--;
    return;
  }
  const double slack = s->now == PERP_NSGS_ANDERSON ? SLACK * SLACK : 1;
  take_turns(s, merit);
  if (s->bold && !(merit <= slack * s->merit)) {
    memcpy(x, s->g, (size_t)s->past.n * sizeof *x);
    perp_accelerator_reset(s);
    return;
  }
  const double least = s->bold && s->merit < merit ? s->merit : merit;
  s->bold = 0;
  if (s->now == PERP_NSGS_ANDERSON)
    combine(s, x, merit);
  else
    momentum(s, x);
  s->merit = merit <= DBL_MAX ? least : INFINITY;
  if (!(merit <= DBL_MAX)) s->past.known = 0;
}
