/* SPDX-License-Identifier: MIT */
/* The exact solutions of one contact for callers with nothing but arrays: their arguments are
 * checked here, and u = W r + q is written beside r. */
#include "perp/contact.h"

#include <string.h>

#include "problem/one_contact.h"

static void velocity(int32_t size, const double *W, const double *q, const double *r, double *u) {
  for (int32_t i = 0; i < size; i++) {
    double sum = q[i];
    for (int32_t j = 0; j < size; j++) sum += W[i + size * j] * r[j];
    u[i] = sum;
  }
}

/* What a solve leaves to its caller; NaN in q would come out of the product. */
static perp_status finish(perp_status status, int32_t size, const double *W, const double *q,
                          const double *r, double *u) {
  if (u == NULL) return status;
  if (status == PERP_ENOTFINITE)
    memset(u, 0, (size_t)size * sizeof *u);
  else
    velocity(size, W, q, r, u);
  return status;
}

perp_status perp_contact_2d(const double *W, const double *q, double mu, double *r, double *u) {
  if (W == NULL || q == NULL || r == NULL || mu < 0) return PERP_EINVAL;
  return finish(perp_contact_2d_solve(W, 2, q, mu, r), 2, W, q, r, u);
}

perp_status perp_contact_3d(const double *W, const double *q, double mu, double *r, double *u) {
  if (W == NULL || q == NULL || r == NULL || mu < 0) return PERP_EINVAL;
  return finish(perp_contact_3d_solve(W, 3, q, mu, r), 3, W, q, r, u);
}

static perp_status rolling(int32_t size, const double *W, const double *q, double mu,
                           double mu_rolling, double *r, double *u) {
  if (W == NULL || q == NULL || r == NULL || mu < 0 || mu_rolling < 0) return PERP_EINVAL;
  return finish(perp_contact_rolling_solve(size, W, size, q, mu, mu_rolling, r), size, W, q, r, u);
}

perp_status perp_contact_rolling_2d(const double *W, const double *q, double mu, double mu_rolling,
                                    double *r, double *u) {
  return rolling(3, W, q, mu, mu_rolling, r, u);
}

perp_status perp_contact_rolling_3d(const double *W, const double *q, double mu, double mu_rolling,
                                    double *r, double *u) {
  return rolling(5, W, q, mu, mu_rolling, r, u);
}
