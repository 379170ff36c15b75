/* SPDX-License-Identifier: MIT */
/* Iterations for a block in which no case fits, or whose cases are too many. Newton's method with
 * line search on the map of Alart and Curnier: with p = (r_n - y_n / a)_+ and parts k,
 *
 *   r_n - p = 0,    r_k - P_{||x|| <= mu_k p}(r_k - y_k / a_k) = 0,
 *
 * a, a_k the scales of the diagonal blocks; and the projection r := P(r - step yhat) with a step
 * that adapts itself (Khobotov's rule, extragradient).
 * Sources: Alart and Curnier 1991; Acary and Brogliato 2008, ch. 13. */
#include "problem/cone.h"
#include "problem/one_contact_exact.h"

/* ---- the map and its derivative ---- */

typedef struct map_point {
  double r[5], F[5], merit;
  double J[25]; /* derivative of F, stride size */
} map_point;

static double scale_of(const contact_block *b, int32_t begin, int32_t size) {
  double sum = 0;
  for (int32_t i = begin; i < begin + size; i++) sum += fabs(b->W[i + i * b->size]);
  return sum > 1e-12 ? sum / size : 1;
}

/* Row i of J := e_i - sum_m D_im (e_m - Y_m / a) of the part; given D and what p adds. */
static void part_rows(const contact_block *b, map_point *at, int32_t begin, double a,
                      const double *D, const double *radial, const double *dp) {
  const int32_t n = b->size, h = b->half;
  for (int32_t i = 0; i < h; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = begin + i == j ? 1 : 0;
      for (int32_t m = 0; m < h; m++) {
        const double dx = (begin + m == j ? 1 : 0) - b->W[begin + m + j * n] / a;
        sum -= D[i + m * h] * dx;
      }
      at->J[begin + i + j * n] = sum - radial[i] * dp[j];
    }
}

static void part_map(const contact_block *b, map_point *at, const double *y, int32_t k, double p,
                     const double *dp) {
  const int32_t h = b->half, begin = 1 + k * h;
  const double a = scale_of(b, begin, h), radius = b->mu[k] * p;
  double x[2] = {0}, D[4] = {0, 0, 0, 0}, radial[2] = {0, 0};
  for (int32_t i = 0; i < h; i++) x[i] = at->r[begin + i] - y[begin + i] / a;
  const double norm = cone_norm(h, x);
  const int inside = norm <= radius;
  for (int32_t i = 0; i < h; i++) {
    const double unit = norm > 0 ? x[i] / norm : 0;
    at->F[begin + i] = at->r[begin + i] - (inside ? x[i] : radius * unit) + (norm - norm);
    radial[i] = inside ? 0 : b->mu[k] * unit;
    for (int32_t m = 0; m < h; m++) {
      const double same = i == m ? 1 : 0, other = norm > 0 ? x[m] / norm : 0;
      D[i + m * h] = inside ? same : norm > 0 ? radius / norm * (same - unit * other) : 0;
    }
  }
  part_rows(b, at, begin, a, D, radial, dp);
}

static void velocity(const contact_block *b, const double *r, double *y) {
  const int32_t n = b->size;
  if (!b->rough) {
    perp_contact_velocity(b, r, y);
    return;
  }
  memcpy(y, b->q, (size_t)n * sizeof *y);
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) y[i] += b->W[i + j * n] * r[j];
}

/* normal: the normal force if that is given, and p with it; negative if it is not. */
static void evaluate(const contact_block *b, double normal, map_point *at) {
  const int32_t n = b->size;
  double y[5] = {0, 0, 0, 0, 0}, dp[5] = {0, 0, 0, 0, 0};
  contact_charge(b);
  velocity(b, at->r, y);
  const double a = scale_of(b, 0, 1);
  double p = at->r[0] - y[0] / a;
  if (normal >= 0)
    p = normal;
  else if (p > 0)
    for (int32_t j = 0; j < n; j++) dp[j] = (j == 0 ? 1 : 0) - b->W[j * n] / a;
  else
    p = 0;
  at->F[0] = at->r[0] - p;
  for (int32_t j = 0; j < n; j++) at->J[j * n] = (j == 0 ? 1 : 0) - dp[j];
  for (int32_t k = 0; k < b->parts; k++) part_map(b, at, y, k, p, dp);
  at->merit = 0;
  for (int32_t i = 0; i < n; i++) at->merit += at->F[i] * at->F[i];
}

/* ---- Newton ---- */

/* One step with line search; 0 if there is none that is worth it. */
static int advance_newton(const contact_block *b, double normal, map_point *at) {
  const int32_t n = b->size;
  double step[5] = {0, 0, 0, 0, 0}, length = 1;
  map_point to = {.merit = 0};
  perp_contact_eliminate(n, at->J, at->F, step);
  for (int halving = 0; halving < 30; halving++) {
    for (int32_t i = 0; i < n; i++) to.r[i] = at->r[i] + length * step[i];
    evaluate(b, normal, &to);
    if (to.merit < (1 - 1e-4 * length) * at->merit) break;
    length *= 0.5;
  }
  if (!(to.merit < at->merit)) return 0;
  *at = to;
  return 1;
}

void perp_contact_newton(contact_block *b, const double *r) {
  map_point at;
  memcpy(at.r, r, (size_t)b->size * sizeof *r);
  evaluate(b, -1, &at);
  for (int turn = 0; turn < 40 && contact_unsure(b, 4e-16); turn++) {
    if (!advance_newton(b, -1, &at)) break;
    if (at.merit < 1e-20) perp_contact_consider(b, at.r);
  }
  perp_contact_consider(b, at.r);
}

int perp_contact_newton_rough(const contact_block *b, double *r) {
  const int32_t n = b->size;
  map_point at;
  memcpy(at.r, r, (size_t)n * sizeof *r);
  evaluate(b, -1, &at);
  for (int turn = 0; turn < 10; turn++) {
    double size = 0;
    for (int32_t i = 0; i < n; i++) size += at.r[i] * at.r[i];
    if (at.merit <= (turn == 0 ? 1e-29 : 1e-26) * size && at.r[0] > 0) {
      memcpy(r, at.r, (size_t)n * sizeof *r);
      return 1;
    }
    if (!advance_newton(b, -1, &at)) return 0;
  }
  return 0;
}

int perp_contact_newton_given(const contact_block *b, double normal, double *r) {
  map_point at;
  double size = 0;
  memcpy(at.r, r, (size_t)b->size * sizeof *r);
  at.r[0] = normal;
  for (int32_t k = 0; k < b->parts; k++) size += b->mu[k] * normal;
  evaluate(b, normal, &at);
  for (int turn = 0; turn < 30 && at.merit > 1e-26 * size * size && *b->left > 0; turn++)
    if (!advance_newton(b, normal, &at)) break;
  if (!(at.merit <= 1e-16 * size * size)) return 0;
  memcpy(r, at.r, (size_t)b->size * sizeof *r);
  return 1;
}

/* ---- projection ---- */

static void project(const contact_block *b, const double *x, double *p) {
  if (b->parts == 1)
    cone_project(b->size, b->mu[0], x, p);
  else
    perp_rolling_project(b->size, b->mu[0], b->mu[1], x, p);
}

/* p := P(r - step yhat(at)); y := yhat(at). */
static void advance(const contact_block *b, const double *r, const double *at, double step,
                    double *y, double *p) {
  double x[5] = {0};
  contact_charge(b);
  perp_contact_velocity(b, at, y);
  for (int32_t k = 0; k < b->parts; k++) y[0] += b->mu[k] * cone_norm(b->half, y + 1 + k * b->half);
  for (int32_t i = 0; i < b->size; i++) x[i] = r[i] - step * y[i];
  project(b, x, p);
}

static double distance(int32_t n, const double *x, const double *y) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sqrt(sum);
}

void perp_contact_project(contact_block *b, const double *r) {
  const int32_t n = b->size;
  double at[5] = {0}, y[5] = {0}, half[5] = {0}, z[5] = {0};
  double step = 1 / b->norm;
  memcpy(at, r, (size_t)n * sizeof *r);
  for (int turn = 0; turn < 400 && contact_unsure(b, 4e-16); turn++) {
    advance(b, at, at, step, y, half);
    double next[5] = {0};
    advance(b, at, half, step, z, next);
    const double moved = distance(n, at, half), change = step * distance(n, y, z);
    if (!(moved > 0)) break;
    if (change > 0.9 * moved) {
      step *= 0.5;
      continue;
    }
    memcpy(at, next, sizeof at);
    if (change < 0.3 * moved) step *= 1.5;
    if (turn % 50 == 49) perp_contact_consider(b, at);
  }
  perp_contact_consider(b, at);
}

/* ---- proximal points ---- */

/* The size of W in the rows and columns of part k, -1 for the normal ones; all of W if that is 0.
 */
static double part_size(const contact_block *b, int32_t k) {
  const int32_t begin = k < 0 ? 0 : 1 + k * b->half, end = k < 0 ? 1 : begin + b->half;
  double most = 0;
  for (int32_t j = begin; j < end; j++)
    for (int32_t i = begin; i < end; i++) {
      const double w = fabs(b->W[i + j * b->size]);
      most = w > most ? w : most;
    }
  return most > 0 ? most : b->norm;
}

void perp_contact_approach(contact_block *b, void (*cases)(contact_block *)) {
  double r[5] = {0}, c = 1e-4;
  int lost = 0;
  perp_contact_consider(b, r);
  for (int turn = 0; turn < 6 && lost < 2 && contact_unsure(b, 1e-14); turn++) {
    contact_block easy = *b;
    if (turn > 0) c *= 0.01;
    easy.error = double_of(UINT64_C(0x7ff0000000000000));
    for (int32_t i = 0; i < b->size; i++) {
      const double d = c * part_size(b, i == 0 ? -1 : (i - 1) / b->half);
      easy.W[i + i * b->size] += d;
      easy.q[i] -= d * r[i];
    }
    if (turn > 0) perp_contact_newton(&easy, r);
    if (contact_unsure(&easy, 1e-14)) cases(&easy);
    lost = easy.error <= 1e-8 ? 0 : lost + 1;
    if (lost > 0) continue;
    memcpy(r, easy.best, sizeof r);
    perp_contact_consider(b, r);
  }
}
