/* SPDX-License-Identifier: MIT */
/* The zeros of A c² + B s² + C cs + D s + E c on the circle c² + s² = 1. With t = tan(θ/2), c =
 * (1 - t²)/(1 + t²), s = 2t/(1 + t²), it is the quartic
 *
 *   (A - E) t⁴ + 2(D - C) t³ + (4B - 2A) t² + 2(C + D) t + (A + E)
 *
 * over (1 + t²)²; the half circle c >= 0 is -1 <= t <= 1, and the other half is that of the
 * polynomial with -D and -E, turned by π: no t is infinite, and a lower degree is no special case.
 * All real zeros of a polynomial lie one each between neighbouring zeros of its derivative, so they
 * are found from the last derivative upwards. */
#include "problem/one_contact_exact.h"

enum { DEGREE = 4 };

static double value(const double *p, int n, double t) {
  double v = p[n];
  for (int i = n - 1; i >= 0; i--) v = v * t + p[i];
  return v;
}

/* The zero of p between a and b, where p has the signs of fa and -fa; slope: its derivative. */
static double between(const double *p, const double *slope, int n, double a, double b, double fa) {
  double t = 0.5 * (a + b);
  for (int i = 0; i < 80; i++) {
    const double f = value(p, n, t);
    if (f == 0) return t;
    if ((f > 0) == (fa > 0))
      a = t;
    else
      b = t;
    double next = t - f / value(slope, n - 1, t);
    if (!(next > a && next < b)) next = 0.5 * (a + b);
    if (fabs(next - t) <= 1e-16) return next;
    t = next;
  }
  return t;
}

/* Zeros of p (degree n) in [-1, 1] in rising order, from those of its derivative; at most n + 2,
 * as both ends may be among them. */
static int climb(const double *p, const double *slope, int n, const double *flat, int flats,
                 double *zeros) {
  int count = 0;
  double a = -1, fa = value(p, n, a);
  if (fa == 0) zeros[count++] = a;
  for (int i = 0; i <= flats; i++) {
    const double b = i < flats ? flat[i] : 1, fb = value(p, n, b);
    if (fb == 0)
      zeros[count++] = b;
    else if (fa != 0 && (fa > 0) != (fb > 0))
      zeros[count++] = between(p, slope, n, a, b, fa);
    a = b;
    fa = fb;
  }
  return count;
}

/* Zeros of the quartic p in [-1, 1], and where it comes close to 0 without crossing. */
static int quartic_zeros(const double *p, double *zeros) {
  double d[DEGREE][DEGREE + 1]; /* d[k]: the derivative of degree k + 1 */
  double flat[DEGREE + 2];
  int flats = 0;
  memcpy(d[DEGREE - 1], p, (DEGREE + 1) * sizeof *p);
  for (int k = DEGREE - 1; k > 0; k--)
    for (int i = 0; i <= k; i++) d[k - 1][i] = (i + 1) * d[k][i + 1];
  if (d[0][1] != 0) {
    const double t = -d[0][0] / d[0][1];
    if (t > -1 && t < 1) flat[flats++] = t;
  }
  int count = 0;
  for (int k = 1; k < DEGREE; k++) {
    count = climb(d[k], d[k - 1], k + 1, flat, flats, zeros);
    if (k == DEGREE - 1) break;
    flats = count > DEGREE ? DEGREE : count;
    memcpy(flat, zeros, (size_t)flats * sizeof *flat);
  }
  double size = 0;
  for (int i = 0; i <= DEGREE; i++) size += fabs(p[i]);
  const double ends[2] = {-1, 1};
  for (int i = 0; i < flats + 2 && count < 8; i++) {
    const double t = i < flats ? flat[i] : ends[i - flats];
    if (fabs(value(p, DEGREE, t)) <= 1e-7 * size) zeros[count++] = t;
  }
  return count;
}

int perp_contact_circle_zeros(const contact_circle *k, double d[16][2]) {
  int count = 0;
  for (int half = 0; half < 2; half++) {
    const double side = half == 0 ? 1 : -1, D = side * k->D, E = side * k->E;
    const double p[DEGREE + 1] = {k->A + E, 2 * (k->C + D), 4 * k->B - 2 * k->A, 2 * (D - k->C),
                                  k->A - E};
    double t[DEGREE + 8];
    const int zeros = quartic_zeros(p, t);
    for (int i = 0; i < zeros && i < 8; i++, count++) {
      const double scale = side / (1 + t[i] * t[i]);
      d[count][0] = (1 - t[i] * t[i]) * scale;
      d[count][1] = 2 * t[i] * scale;
    }
  }
  return count;
}
