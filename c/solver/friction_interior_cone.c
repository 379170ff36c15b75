/* SPDX-License-Identifier: MIT */
/* The algebra of one Lorentz cone of dimension 1, 2 or 3, J = diag(1, −1, −1):
 *
 *   x ∘ z = (xᵀz, x_1 z_t + z_1 x_t),   det x = x_1² − ‖x_t‖²,
 *   eta = (det z / det x)^¼,   w = (z/√det z + J x/√det x) / √(2 + 2 xᵀz/√(det x det z)),
 *   H = eta (2 h hᵀ − J),  h = (w + e) / √(2 (w_1 + 1)),   H² = eta² (2 w wᵀ − J),  H x = H⁻¹ z.
 *
 * Source: Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010, sections 4, 5.
 */
#include <math.h>

#include "problem/cone.h"
#include "solver/friction_interior.h"

double perp_soc_det(int32_t size, const double *x) {
  if (size == 1) return x[0] * x[0];
  const double t = cone_norm(size - 1, x + 1);
  return (x[0] - t) * (x[0] + t);
}

static double dot(int32_t size, const double *x, const double *z) {
  double sum = 0;
  for (int32_t k = 0; k < size; k++) sum += x[k] * z[k];
  return sum;
}

int perp_soc_scale(int32_t size, const double *x, const double *z, soc_scaling *s) {
  const double dx = sqrt(perp_soc_det(size, x)), dz = sqrt(perp_soc_det(size, z));
  if (!(x[0] > 0 && z[0] > 0 && dx > 0 && dz > 0)) return 0;
  const double gamma = sqrt(2 + 2 * dot(size, x, z) / dx / dz);
  s->eta = sqrt(dz / dx);
  for (int32_t k = 0; k < size; k++) s->w[k] = (z[k] / dz + (k == 0 ? x[k] : -x[k]) / dx) / gamma;
  const double tail = size == 1 ? 0 : dot(size - 1, s->w + 1, s->w + 1);
  s->w[0] = sqrt(1 + tail); /* det w = 1 */
  const double root = sqrt(2 * (s->w[0] + 1));
  for (int32_t k = 0; k < size; k++) s->half[k] = (s->w[k] + (k == 0 ? 1 : 0)) / root;
  perp_soc_apply(size, s, x, s->v);
  return 1;
}

/* out := scale (2 (h·x) h − J x) */
static void reflect(int32_t size, double scale, const double *h, const double *x, double *out) {
  const double c = 2 * dot(size, h, x);
  for (int32_t k = 0; k < size; k++) out[k] = scale * (c * h[k] - (k == 0 ? x[k] : -x[k]));
}

void perp_soc_apply(int32_t size, const soc_scaling *s, const double *x, double *out) {
  reflect(size, s->eta, s->half, x, out);
}

void perp_soc_apply_inverse(int32_t size, const soc_scaling *s, const double *x, double *out) {
  double h[3] = {s->half[0], 0, 0};
  for (int32_t k = 1; k < size; k++) h[k] = -s->half[k];
  reflect(size, 1 / s->eta, h, x, out);
}

void perp_soc_square(int32_t size, const soc_scaling *s, const double *x, double *out) {
  reflect(size, s->eta * s->eta, s->w, x, out);
}

void perp_soc_divide(int32_t size, const double *v, const double *b, double *out) {
  double c = v[0] * b[0];
  for (int32_t k = 1; k < size; k++) c -= v[k] * b[k];
  out[0] = c / perp_soc_det(size, v);
  if (size == 1) out[0] = b[0] / v[0];
  for (int32_t k = 1; k < size; k++) out[k] = (b[k] - out[0] * v[k]) / v[0];
}

/* The first zero of det(x + α dx) = a α² + 2 b α + c. */
double perp_soc_step(int32_t size, const double *x, const double *dx) {
  if (size == 1) return dx[0] < 0 ? -x[0] / dx[0] : (double)INFINITY;
  const double c = perp_soc_det(size, x), a = perp_soc_det(size, dx);
  double b = x[0] * dx[0];
  for (int32_t k = 1; k < size; k++) b -= x[k] * dx[k];
  const double square = b * b - a * c;
  if (!(square >= 0)) return (double)INFINITY;
  const double bottom = -b + sqrt(square);
  return bottom > 0 ? c / bottom : (double)INFINITY;
}

double perp_soc_shift(int32_t size, int32_t shift, const double *z, double *grad) {
  double t = 0;
  if (shift == SOC_NORM) {
    t = cone_norm(size - 1, z + 1);
    grad[0] = 0;
    for (int32_t k = 1; k < size; k++) grad[k] = t > 0 ? z[k] / t : 0;
    return t;
  }
  for (int32_t k = 1; k < size; k++) {
    grad[k] = z[k] / z[0];
    t += grad[k] * grad[k];
    grad[k] *= 2;
  }
  grad[0] = -t;
  return t * z[0];
}
