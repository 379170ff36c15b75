/* SPDX-License-Identifier: MIT */
/* Acceleration of sweeps: Anderson's method, leaps along a drift, and momentum in turn. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/pair.h"
#include "solver/sweeps.h"

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

void perp_accelerator_carve(accelerator *s, arena *a, size_t n, int32_t kind, int32_t depth) {
  const size_t d = sizeof(double), some = kind == PERP_NSGS_PLAIN ? 0 : n;
  const size_t most = kind == PERP_NSGS_ANDERSON ? n : 0;
  s->n = n;
  s->kind = s->now = kind;
  s->stalled = 0;
  s->milestone = INFINITY;
  s->depth = depth;
  s->weight = arena_take(a, some, d);
  s->x = arena_take(a, some, d);
  s->g = arena_take(a, some, d);
  s->f = arena_take(a, most, d);
  for (int32_t j = 0; j < PERP_NSGS_MOST_DEPTH; j++) {
    s->df[j] = arena_take(a, j < depth ? most : 0, d);
    s->dg[j] = arena_take(a, j < depth ? most : 0, d);
  }
}

void perp_accelerator_reset(accelerator *s) {
  s->steps = s->bold = s->smooth = 0;
  s->newest = -1;
  s->t = 1;
  s->leap = 1;
  s->merit = INFINITY;
}

void perp_accelerator_begin(accelerator *s, const double *x) {
  if (s->kind != PERP_NSGS_PLAIN) memcpy(s->x, x, s->n * sizeof *x);
}

/* Σ w x y in four lanes. */
static double product(size_t n, const double *w, const double *x, const double *y) {
  pair a = pair_twice(0), b = a;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a = pair_add(
        a, pair_multiply(pair_multiply(pair_load(w + i), pair_load(x + i)), pair_load(y + i)));
    b = pair_add(b, pair_multiply(pair_multiply(pair_load(w + i + 2), pair_load(x + i + 2)),
                                  pair_load(y + i + 2)));
  }
  double sum = (pair_first(a) + pair_first(b)) + (pair_second(a) + pair_second(b));
  for (; i < n; i++) sum += w[i] * x[i] * y[i];
  return sum;
}

/* ---- Anderson ---- */

/* The newest differences join the memory; s->f and s->g become those of this step. f in s->x. */
static void remember(accelerator *s, const double *g) {
  const double *f = s->x;
  if (s->merit < INFINITY) {
    s->newest = s->newest + 1 < s->depth ? s->newest + 1 : 0;
    if (s->steps < s->depth) s->steps++;
    double *restrict df = s->df[s->newest], *restrict dg = s->dg[s->newest];
    for (size_t i = 0; i < s->n; i++) {
      df[i] = f[i] - s->f[i];
      dg[i] = g[i] - s->g[i];
    }
    for (int32_t j = 0; j < s->steps; j++)
      s->gram[j][s->newest] = s->gram[s->newest][j] = product(s->n, s->weight, s->df[j], df);
  }
  memcpy(s->f, f, s->n * sizeof *f);
  memcpy(s->g, g, s->n * sizeof *g);
}

/* γ := G⁻¹ b by Cholesky, the newest step first; those that depend on newer ones get 0. */
static void coefficients(const accelerator *s, const double *b, double *gamma) {
  double L[PERP_NSGS_MOST_DEPTH][PERP_NSGS_MOST_DEPTH], z[PERP_NSGS_MOST_DEPTH];
  int32_t at[PERP_NSGS_MOST_DEPTH], m = 0;
  for (int32_t k = 0; k < s->steps; k++) {
    const int32_t j = (s->newest - k + s->depth) % s->depth;
    double sum = b[j], pivot = s->gram[j][j];
    gamma[j] = 0;
    for (int32_t c = 0; c < m; c++) {
      double v = s->gram[j][at[c]];
      for (int32_t e = 0; e < c; e++) v -= L[m][e] * L[c][e];
      L[m][c] = v / L[c][c];
      pivot -= L[m][c] * L[m][c];
      sum -= L[m][c] * z[c];
    }
    if (!(pivot > DEPENDENT * s->gram[j][j])) continue;
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
  const double *restrict f = s->f, by = s->leap;
  for (size_t i = 0; i < s->n; i++) x[i] += by * f[i];
  s->smooth = 0;
  double l = by;
  while (l > 1) {
    s->smooth++;
    l *= 0.5;
  }
  if (s->leap < LONGEST) s->leap = 2 * by;
  s->bold = 1;
}

static void anderson(accelerator *s, double *x, double merit) {
  double b[PERP_NSGS_MOST_DEPTH], gamma[PERP_NSGS_MOST_DEPTH], largest = 0;
  remember(s, x);
  if (s->steps > 0 && s->gram[s->newest][s->newest] <= DRIFT * DRIFT * merit) {
    leap(s, x);
    return;
  }
  s->leap = 1;
  for (int32_t j = 0; j < s->steps; j++) b[j] = product(s->n, s->weight, s->df[j], s->f);
  coefficients(s, b, gamma);
  for (int32_t j = 0; j < s->steps; j++) {
    const double size = fabs(gamma[j]);
    if (!(size <= largest)) largest = size;
  }
  if (!(largest > 0 && largest < WILD)) return;
  for (int32_t j = 0; j < s->steps; j++) {
    const double *restrict dg = s->dg[j], c = gamma[j];
    for (size_t i = 0; i < s->n; i++) x[i] -= c * dg[i];
  }
  s->bold = 1;
}

/* ---- momentum ---- */

static void momentum(accelerator *s, double *restrict x) {
  const double next = 0.5 * (1 + sqrt(1 + 4 * s->t * s->t)), beta = (s->t - 1) / next;
  double *restrict g = s->g;
  const int any = s->merit < INFINITY && beta > 0;
  for (size_t i = 0; i < s->n; i++) {
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
  for (size_t i = 0; i < s->n; i++) f[i] = x[i] - f[i];
  const double merit = product(s->n, s->weight, f, f);
  if (s->smooth > 0 && merit <= DESPERATE * s->merit) {
    s->smooth--;
    return;
  }
  const double slack = s->now == PERP_NSGS_ANDERSON ? SLACK * SLACK : 1;
  take_turns(s, merit);
  if (s->bold && !(merit <= slack * s->merit)) {
    memcpy(x, s->g, s->n * sizeof *x);
    perp_accelerator_reset(s);
    return;
  }
  const double least = s->bold && s->merit < merit ? s->merit : merit;
  s->bold = 0;
  if (s->now == PERP_NSGS_ANDERSON)
    anderson(s, x, merit);
  else
    momentum(s, x);
  s->merit = merit <= DBL_MAX ? least : INFINITY;
}
