/* SPDX-License-Identifier: MIT */
/* With x = c λ, v = w y, R = c μ λ_n and the unit vector e along x − v the part of a contact that
 * slides is
 *
 *   x − R e = v + (‖x − v‖ − R) e,   ‖x − v‖ − R = (‖x‖ − R) + (‖v‖² − 2 xᵀv) / (‖x − v‖ + ‖x‖),
 *
 * where all that cancels is ‖x‖ − R: that is taken in twice the precision. */
#include "problem/contact_parts.h"

#include "base/finite.h"
#include "base/twofold.h"

#if defined(__OPTIMIZE_SIZE__)
double perp_cone_norm(int32_t size, const double *x) { return cone_norm_inline(size, x); }
#endif

/* ‖λ_t‖ − μ λ_n, in units of the power of two next to the larger one. */
static double beyond_cone(int32_t size, double mu, double push, const double *lambda,
                          double *unit) {
  const double force = cone_norm(size, lambda), most = mu * push;
  const double large = force > most ? force : most;
  *unit = large > 0x1p-900 && large < 0x1p900 ? power_of_two(large) : 1;
  const double up = mu > 0 && mu < 0x1p900 ? power_of_two(mu) : 1;
  twofold square = twofold_of(0);
  for (int32_t k = 0; k < size; k++) {
    const double x = lambda[k] / *unit;
    square = twofold_add(square, twofold_product(x, x));
  }
  const twofold radius = twofold_product(mu / up, push / *unit * up);
  return twofold_value(twofold_subtract(twofold_sqrt(square), radius));
}

double perp_contact_ball_fine(int32_t size, double c, double w, double mu, double push,
                              const double *lambda, const double *y) {
  double unit, v[2] = {0, 0}, x[2] = {0, 0}, e[2] = {0, 0}, along = 0;
  const double speed = w * cone_norm(size, y);
  for (int32_t k = 0; k < size; k++) {
    v[k] = w * y[k];
    x[k] = c * lambda[k];
    e[k] = x[k] - v[k];
  }
  const double length = cone_norm(size, e), sum = length + cone_norm(size, x);
  if (sum == 0) return speed;
  for (int32_t k = 0; k < size; k++) along += (v[k] / sum) * (v[k] - 2 * x[k]);
  const double over = beyond_cone(size, mu, push, lambda, &unit) * unit * c + along;
  if (over <= 0) return speed;
  for (int32_t k = 0; k < size; k++) v[k] += over * (length > 0 ? e[k] / length : 0);
  return cone_norm(size, v);
}
