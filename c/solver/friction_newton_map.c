/* SPDX-License-Identifier: MIT */
/* The equation of every contact, and its generalised Jacobian dΦ = A dλ + B du:
 *
 *   interval       Φ = λ − P(λ − ρ u)
 *   natural        Φ = λ − P_K(λ − ρ û),  û = u + Σ μ_k ‖u_k‖ n:   A = I − J,  B = ρ J dû/du
 *   Alart–Curnier  Φ_n = λ_n − (λ_n − ρ u_n)₊,  Φ_k = λ_k − P_R(λ_k − ρ u_k),
 *                  R = μ_k (λ_n − ρ u_n)₊, P_R the projection to the disk of radius R
 *   Jean–Moreau    the same with R = μ_k (λ_n)₊
 *
 * for the parts k of the contact: the tangential one, and rolling. The merit is Σ ‖Φ_α‖² / 2ρ_α, an
 * energy. */
#include <math.h>
#include <string.h>

#include "problem/cone.h"
#include "solver/friction_newton.h"

enum { MOST = FRICTION_NEWTON_MOST };

/* --- parts of a contact ---------------------------------------------------------------------- */

static int32_t part_count(const contact *c) { return c->set == PERP_SET_ROLLING ? 2 : 1; }
static int32_t part_size(const contact *c) { return (c->size - 1) / part_count(c); }
static double part_mu(const contact *c, int32_t part) { return part == 0 ? c->mu : c->mu_rolling; }

static void cone_of(const contact *c, const double *x, double *p) {
  if (c->set == PERP_SET_ROLLING)
    perp_rolling_project(c->size, c->mu, c->mu_rolling, x, p);
  else
    cone_project(c->size, c->mu, x, p);
}

static int is_interval(const contact *c) { return c->set <= PERP_SET_BOX; }

void perp_friction_newton_project(const friction_newton *s, int32_t k, double *x) {
  const contact *c = &s->contacts[k];
  if (is_interval(c))
    x[0] = clip(x[0], s->lower[c->begin], s->upper[c->begin]);
  else
    cone_of(c, x, x);
}

/* --- equations, with A and B unless A is NULL ------------------------------------------------ */

static void interval_equation(double rho, double l, double h, double x, double u, double *phi,
                              double *A, double *B) {
  const double z = x - rho * u;
  const int between = z > l && z < h;
  *phi = clip(rho * u, x - h, x - l);
  if (A == NULL) return;
  *A = between ? 0 : 1;
  *B = between ? rho : 0;
}

/* With J of the projection in A: B := ρ J S, A := I − J. The first row of S is s, the gradient of
 * û_n; the others are those of I. */
static void natural_jacobian(int32_t m, double rho, const double *s, double *A, double *B) {
  for (int32_t j = 0; j < m; j++)
    for (int32_t i = 0; i < m; i++)
      B[i + m * j] = rho * ((j == 0 ? 0 : A[i + m * j]) + A[i] * s[j]);
  for (int32_t i = 0; i < m * m; i++) A[i] = (i % (m + 1) == 0 ? 1 : 0) - A[i];
}

static void natural_equation(const contact *c, double rho, const double *x, const double *u,
                             double *phi, double *A, double *B) {
  const int32_t half = part_size(c), m = c->size;
  double z[MOST] = {0}, s[MOST] = {1}, normal = u[0];
  for (int32_t part = 0; part < part_count(c); part++) {
    const int32_t at = 1 + part * half;
    const double norm = cone_norm(half, u + at), mu = part_mu(c, part);
    normal += mu * norm;
    for (int32_t i = at; i < at + half && A != NULL; i++) s[i] = norm > 0 ? mu * u[i] / norm : 0;
  }
  z[0] = x[0] - rho * normal;
  for (int32_t i = 1; i < m; i++) z[i] = x[i] - rho * u[i];
  if (A != NULL) {
    if (c->set == PERP_SET_ROLLING)
      perp_rolling_jacobian(m, c->mu, c->mu_rolling, z, A);
    else
      perp_cone_jacobian(m, c->mu, z, A);
    natural_jacobian(m, rho, s, A, B);
  }
  cone_of(c, z, z);
  for (int32_t i = 0; i < m; i++) phi[i] = x[i] - z[i];
}

/* Rows of one part that sticks. */
static void stick_rows(int32_t m, int32_t at, int32_t half, double rho, double *A, double *B) {
  for (int32_t i = at; i < at + half; i++) {
    A[i + m * i] = 0;
    B[i + m * i] = rho;
  }
}

/* Rows of one part that slips: z = λ_k − ρ u_k beyond the disk of radius R = μ g. */
static void slip_rows(int32_t m, int32_t at, int32_t half, double mu, double g, int jean,
                      double rho, const double *z, double norm, double *A, double *B) {
  const double turn = mu * g / norm;
  for (int32_t i = 0; i < half; i++) {
    const double e = z[i] / norm;
    A[at + i] = -mu * e;
    B[at + i] = jean ? 0 : rho * mu * e;
    for (int32_t j = 0; j < half; j++) {
      const double p = turn * ((i == j ? 1 : 0) - e * (z[j] / norm));
      A[at + i + m * (at + j)] = (i == j ? 1 : 0) - p;
      B[at + i + m * (at + j)] = rho * p;
    }
  }
}

static void parts_equation(const contact *c, int jean, double rho, const double *x, const double *u,
                           double *phi, double *A, double *B) {
  const int32_t half = part_size(c), m = c->size;
  const double zn = x[0] - rho * u[0], g = jean ? x[0] : zn;
  phi[0] = zn > 0 ? rho * u[0] : x[0];
  if (zn != zn) phi[0] = zn;
  for (int32_t i = 0; i < m * m && A != NULL; i++) {
    A[i] = i % (m + 1) == 0 && !(i == 0 && zn > 0) ? 1 : 0;
    B[i] = i == 0 && zn > 0 ? rho : 0;
  }
  for (int32_t part = 0; part < part_count(c); part++) {
    const int32_t at = 1 + part * half;
    const double mu = part_mu(c, part), radius = g > 0 ? mu * g : 0;
    double z[2] = {0};
    for (int32_t i = 0; i < half; i++) z[i] = x[at + i] - rho * u[at + i];
    const double norm = cone_norm(half, z);
    for (int32_t i = 0; i < half; i++)
      phi[at + i] = norm <= radius ? rho * u[at + i] : x[at + i] - z[i] * (radius / norm);
    if (A == NULL || !(g > 0)) continue;
    if (norm <= radius)
      stick_rows(m, at, half, rho, A, B);
    else
      slip_rows(m, at, half, mu, g, jean, rho, z, norm, A, B);
  }
}

/* Φ of contact k, and its weighed square ‖Φ‖² / 2ρ. */
static double equation(const friction_newton *s, int32_t k, const double *x, const double *u,
                       double *phi, double *A, double *B) {
  const contact *c = &s->contacts[k];
  const int jean = s->o.function == PERP_FRICTION_JEAN_MOREAU;
  const double rho = s->rho[k];
  double sum = 0;
  if (is_interval(c))
    interval_equation(rho, s->lower[c->begin], s->upper[c->begin], x[0], u[0], phi, A, B);
  else if (s->o.function == PERP_FRICTION_NATURAL)
    natural_equation(c, rho, x, u, phi, A, B);
  else
    parts_equation(c, jean, rho, x, u, phi, A, B);
  for (int32_t i = 0; i < c->size; i++) sum += phi[i] * phi[i];
  return 0.5 * sum / rho;
}

double perp_friction_newton_merit(const friction_newton *s, const double *x, const double *u) {
  double phi[MOST] = {0}, sum = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->contacts[k].begin;
    sum += equation(s, k, x + i, u + i, phi, NULL, NULL);
  }
  return sum;
}

static int all_zero(int32_t count, const double *B) {
  for (int32_t i = 0; i < count; i++)
    if (B[i] != 0) return 0;
  return 1;
}

void perp_friction_newton_linearise(friction_newton *s) {
  s->theta = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->contacts[k].begin, m = s->contacts[k].size;
    double *A = s->A + (size_t)i * MOST, *B = s->B + (size_t)i * MOST;
    s->theta += equation(s, k, s->x + i, s->u + i, s->phi + i, A, B);
    s->off[k] = (unsigned char)all_zero(m * m, B);
  }
}
