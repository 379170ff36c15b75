/* SPDX-License-Identifier: MIT */
/* Φ of Fischer and Burmeister for boxes, and what derives from it. With
 *   φ(a, b) = a + b − sqrt(a² + b²),   φ = 0  ⟺  a >= 0, b >= 0, a b = 0,
 *   Φ_i = y_i                                 for a free unknown,
 *         φ(x_i − l_i, y_i)                   with a lower bound,
 *         −φ(u_i − x_i, −y_i)                 with an upper bound,
 *         φ(x_i − l_i, −φ(u_i − x_i, −y_i))   with both [Billups 1995],
 *         x_i − l_i                           where l_i = u_i.
 * Every Φ_i does not decrease in x_i and y_i: da, db >= 0. The merit is ½ ‖Φ‖². */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "linalg/dense.h"
#include "solver/newton.h"

typedef struct slope {
  double value, a, b; /* φ and its derivatives */
} slope;

static double hypotenuse(double a, double b) {
  const double x = fabs(a), y = fabs(b), m = x > y ? x : y, r = x > y ? y : x;
  if (!(m > 0)) return x + y; /* 0, or NaN */
  const double t = r / m;
  return m * sqrt(1 + t * t);
}

/* For a + b > 0 in the form without cancellation. At the corner the derivative in the direction
 * (1, 1). */
static slope fischer(double a, double b) {
  const double r = hypotenuse(a, b), sum = a + b;
  slope s = {sum - r, 1 - 0.70710678118654752, 1 - 0.70710678118654752};
  if (sum > 0) s.value = a > b ? 2 * (a / (sum + r)) * b : 2 * (b / (sum + r)) * a;
  if (r > 0) {
    s.a = 1 - a / r;
    s.b = 1 - b / r;
  }
  return s;
}

static slope component(const newton *s, int32_t i, double x, double y) {
  const double l = s->l[i], u = s->u[i];
  const int below = l >= -DBL_MAX, above = u <= DBL_MAX;
  slope outer = {y, 0, 1};
  if (below && above && !(l < u)) {
    outer.value = x - l;
    outer.a = 1;
    outer.b = 0;
  } else if (above) {
    outer = fischer(u - x, -y);
    outer.value = -outer.value;
    if (below) {
      const slope inner = outer;
      outer = fischer(x - l, inner.value);
      outer.a += outer.b * inner.a;
      outer.b *= inner.b;
    }
  } else if (below) {
    outer = fischer(x - l, y);
  }
  return outer;
}

void perp_newton_map(const newton *s, const double *x, double *y) {
  memcpy(y, s->q, (size_t)s->n * sizeof *y);
  if (s->sigma != 0)
    for (int32_t i = 0; i < s->n; i++) y[i] += s->sigma * (x[i] - s->anchor[i]);
  perp_dense_multiply_add(s->n, s->n, s->A, s->n, x, y);
}

static double finite_or_infinity(double theta) {
  return theta <= DBL_MAX ? theta : (double)INFINITY;
}

double perp_newton_merit(const newton *s, const double *x, const double *y) {
  double sum = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double v = component(s, i, x[i], y[i]).value;
    sum += v * v;
  }
  return finite_or_infinity(0.5 * sum);
}

void perp_newton_linearise(newton *s) {
  double sum = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const slope c = component(s, i, s->x[i], s->y[i]);
    s->phi[i] = c.value;
    s->da[i] = c.a;
    s->db[i] = c.b;
    sum += c.value * c.value;
  }
  s->theta = finite_or_infinity(0.5 * sum);
}

double perp_newton_natural(const newton *s) {
  double worst = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const double x = s->x[i], back = x - s->y[i];
    const double p = back < s->l[i] ? s->l[i] : back > s->u[i] ? s->u[i] : back;
    const double e = fabs(x - p);
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

void perp_newton_modes(const newton *s, unsigned char *mode) {
  for (int32_t i = 0; i < s->n; i++) {
    const double v = s->x[i] - s->y[i];
    mode[i] = v <= s->l[i] ? PERP_MODE_LOWER : v >= s->u[i] ? PERP_MODE_UPPER : PERP_MODE_FREE;
    if (!(s->l[i] < s->u[i])) mode[i] = PERP_MODE_LOWER;
  }
}
