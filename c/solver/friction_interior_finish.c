/* SPDX-License-Identifier: MIT */
/* The last digits of the interior-point method for friction, where its iterates are as near to the
 * boundary as rounding lets them: Newton on the natural map
 *
 *   r − P_K(r − û) = 0,   û = u + (μ‖u_t‖ + μ_r‖u_m‖) n,   u = A r + q,
 *
 * with a generalised Jacobian D of the projection and T = dû/du: (I − D + D T A) dr = −(r − P_K).
 */
#include <math.h>
#include <string.h>

#include "problem/bounds.h"
#include "problem/cone.h"
#include "solver/friction_interior.h"

static void project_contact(const contact *c, const double *x, double *p) {
  if (c->set == PERP_SET_ROLLING)
    perp_rolling_project(c->size, c->mu, c->mu_rolling, x, p);
  else
    cone_project(c->size, c->mu, x, p);
}

static double clipped(double l, double x, double h) { return x < l ? l : x > h ? h : x; }

/* û of the part of c that begins at tangent; T (row of the normal) gets its direction. */
static void shift_part(const contact *c, int32_t tangent, int32_t half, double mu, const double *u,
                       double *hat, double *T) {
  const double norm = cone_norm(half, u + tangent);
  hat[0] += mu * norm;
  for (int32_t k = tangent; k < tangent + half; k++)
    T[c->size * k] = norm > 0 ? mu * u[k] / norm : 0;
}

/* left := D T, block := I − D, rest := P_K(r − û) − r of a contact. */
static void linearise_contact(const friction_interior *w, const contact *c, double *left,
                              double *block, double *rest) {
  const int32_t size = c->size, half = c->set == PERP_SET_ROLLING ? (size - 1) / 2 : size - 1;
  const double *r = w->r + c->begin, *u = w->u + c->begin;
  double hat[5] = {0}, x[5] = {0}, D[25] = {0}, T[25] = {0};
  memcpy(hat, u, (size_t)size * sizeof *hat);
  for (int32_t k = 0; k < size; k++) T[k + size * k] = 1;
  shift_part(c, 1, half, c->mu, u, hat, T);
  if (c->set == PERP_SET_ROLLING) shift_part(c, 1 + half, half, c->mu_rolling, u, hat, T);
  for (int32_t k = 0; k < size; k++) x[k] = r[k] - hat[k];
  if (c->set == PERP_SET_ROLLING)
    perp_rolling_jacobian(size, c->mu, c->mu_rolling, x, D);
  else
    perp_cone_jacobian(size, c->mu, x, D);
  project_contact(c, x, rest);
  for (int32_t k = 0; k < size; k++) rest[k] -= r[k];
  for (int32_t j = 0; j < size; j++)
    for (int32_t i = 0; i < size; i++) {
      double sum = 0;
      for (int32_t k = 0; k < size; k++) sum += D[i + size * k] * T[k + size * j];
      left[i + size * j] = sum;
      block[i + size * j] = (i == j ? 1 : 0) - D[i + size * j];
    }
}

/* The same of a component with the bounds l and h. */
static void linearise_interval(double r, double u, double l, double h, double *left, double *block,
                               double *rest) {
  const double x = r - u;
  *left = x >= l && x <= h ? 1 : 0;
  *block = 1 - *left;
  *rest = clipped(l, x, h) - r;
}

static void linearise(friction_interior *w) {
  perp_friction_interior_product(w, w->r, w->u);
  for (int32_t i = 0; i < w->n; i++) w->u[i] += w->q[i];
  perp_problem_bounds(w->problem, w->a, w->b);
  for (int32_t k = 0; k < w->n_contacts; k++) {
    const contact *c = &w->contacts[k];
    const size_t i = (size_t)c->begin, at = 5 * i;
    const double unit = w->f * w->d[i];
    if (c->set <= PERP_SET_BOX)
      linearise_interval(w->r[i], w->u[i], w->a[i] / unit, w->b[i] / unit, w->left_blocks + at,
                         w->blocks + at, w->rhs + i);
    else
      linearise_contact(w, c, w->left_blocks + at, w->blocks + at, w->rhs + i);
  }
}

int perp_friction_interior_finish_step(friction_interior *w) {
  linearise(w);
  w->left = w->left_blocks;
  const int regular = perp_friction_interior_factor(w);
  if (regular) perp_friction_interior_solve(w, w->rhs, w->dr);
  w->left = NULL;
  if (!regular) return 0;
  for (int32_t i = 0; i < w->n; i++) w->r[i] += w->dr[i];
  return 1;
}

/* λ := P_K(λ − d² ŷ) of a contact. */
static void project_force(const friction_interior *w, const contact *c, const double *y,
                          double *lambda) {
  const int32_t half = c->set == PERP_SET_ROLLING ? (c->size - 1) / 2 : c->size - 1;
  const double weight = w->d[c->begin] * w->d[c->begin];
  double x[5] = {0}, slide = c->mu * cone_norm(half, y + c->begin + 1);
  if (c->set == PERP_SET_ROLLING) slide += c->mu_rolling * cone_norm(half, y + c->begin + 1 + half);
  for (int32_t k = 0; k < c->size; k++)
    x[k] = lambda[c->begin + k] - weight * (y[c->begin + k] + (k == 0 ? slide : 0));
  project_contact(c, x, lambda + c->begin);
}

void perp_friction_interior_project(friction_interior *w, const double *y, double *lambda) {
  perp_problem_bounds(w->problem, w->a, w->b);
  for (int32_t k = 0; k < w->n_contacts; k++) {
    const contact *c = &w->contacts[k];
    const int32_t i = c->begin;
    if (c->set > PERP_SET_BOX)
      project_force(w, c, y, lambda);
    else
      lambda[i] = clipped(w->a[i], lambda[i] - w->d[i] * w->d[i] * y[i], w->b[i]);
  }
}
