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
#include "solver/interval.h"

enum { MOST = FRICTION_NEWTON_MOST };

/* ---- parts of a contact ---- */

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

/* ---- values ---- */

static void natural_value(const contact *c, double rho, const double *x, const double *u,
                          double *phi) {
  const int32_t half = part_size(c);
  double z[MOST] = {0}, normal = u[0];
  for (int32_t part = 0; part < part_count(c); part++)
    normal += part_mu(c, part) * cone_norm(half, u + 1 + part * half);
  z[0] = x[0] - rho * normal;
  for (int32_t i = 1; i < c->size; i++) z[i] = x[i] - rho * u[i];
  cone_of(c, z, z);
  for (int32_t i = 0; i < c->size; i++) phi[i] = x[i] - z[i];
}

static void parts_value(const contact *c, int jean, double rho, const double *x, const double *u,
                        double *phi) {
  const int32_t half = part_size(c);
  const double zn = x[0] - rho * u[0], g = jean ? x[0] : zn;
  phi[0] = zn > 0 ? rho * u[0] : x[0];
  if (zn != zn) phi[0] = zn;
  for (int32_t part = 0; part < part_count(c); part++) {
    const int32_t at = 1 + part * half;
    const double radius = g > 0 ? part_mu(c, part) * g : 0;
    double z[2] = {0};
    for (int32_t i = 0; i < half; i++) z[i] = x[at + i] - rho * u[at + i];
    const double norm = cone_norm(half, z);
    for (int32_t i = 0; i < half; i++)
      phi[at + i] = norm <= radius ? rho * u[at + i] : x[at + i] - z[i] * (radius / norm);
  }
}

static void value(const friction_newton *s, int32_t k, const double *x, const double *u,
                  double *phi) {
  const contact *c = &s->contacts[k];
  if (is_interval(c)) {
    const double l = s->lower[c->begin], h = s->upper[c->begin];
    phi[0] = clip(s->rho[k] * u[0], x[0] - h, x[0] - l);
  } else if (s->o.function == PERP_FRICTION_NATURAL) {
    natural_value(c, s->rho[k], x, u, phi);
  } else {
    parts_value(c, s->o.function == PERP_FRICTION_JEAN_MOREAU, s->rho[k], x, u, phi);
  }
}

static double weighed_square(const friction_newton *s, int32_t k, const double *phi) {
  double sum = 0;
  for (int32_t i = 0; i < s->contacts[k].size; i++) sum += phi[i] * phi[i];
  return 0.5 * sum / s->rho[k];
}

double perp_friction_newton_merit(const friction_newton *s, const double *x, const double *u) {
  double phi[MOST] = {0}, sum = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->contacts[k].begin;
    value(s, k, x + i, u + i, phi);
    sum += weighed_square(s, k, phi);
  }
  return sum;
}

/* ---- Jacobians ---- */

static void set_scaled(int32_t size, double a, double *J) {
  for (int32_t i = 0; i < size * size; i++) J[i] = i % (size + 1) == 0 ? a : 0;
}

/* B := ρ J S, with the first row of S the gradient of û_n; A := I − J. */
static void natural_jacobian(const contact *c, double rho, const double *x, const double *u,
                             double *A, double *B) {
  const int32_t half = part_size(c), m = c->size;
  double z[MOST] = {0}, S[MOST] = {1}, normal = u[0];
  for (int32_t part = 0; part < part_count(c); part++) {
    const int32_t at = 1 + part * half;
    const double norm = cone_norm(half, u + at), mu = part_mu(c, part);
    normal += mu * norm;
    for (int32_t i = 0; i < half; i++) S[at + i] = norm > 0 ? mu * u[at + i] / norm : 0;
  }
  z[0] = x[0] - rho * normal;
  for (int32_t i = 1; i < m; i++) z[i] = x[i] - rho * u[i];
  if (c->set == PERP_SET_ROLLING)
    perp_rolling_jacobian(m, c->mu, c->mu_rolling, z, A);
  else
    perp_cone_jacobian(m, c->mu, z, A);
  for (int32_t j = 0; j < m; j++)
    for (int32_t i = 0; i < m; i++)
      B[i + m * j] = rho * ((j == 0 ? 0 : A[i + m * j]) + A[i] * S[j]);
  for (int32_t i = 0; i < m * m; i++) A[i] = (i % (m + 1) == 0 ? 1 : 0) - A[i];
}

/* Rows of one part that slips: z = λ_k − ρ u_k beyond the disk of radius R = μ g. */
static void slip_rows(const contact *c, int32_t at, int32_t half, double mu, double g, int jean,
                      double rho, const double *z, double norm, double *A, double *B) {
  const int32_t m = c->size;
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

static void parts_jacobian(const contact *c, int jean, double rho, const double *x, const double *u,
                           double *A, double *B) {
  const int32_t half = part_size(c), m = c->size;
  const double zn = x[0] - rho * u[0], g = jean ? x[0] : zn;
  set_scaled(m, 1, A);
  set_scaled(m, 0, B);
  if (zn > 0) {
    A[0] = 0;
    B[0] = rho;
  }
  for (int32_t part = 0; part < part_count(c) && g > 0; part++) {
    const int32_t at = 1 + part * half;
    double z[2] = {0};
    for (int32_t i = 0; i < half; i++) z[i] = x[at + i] - rho * u[at + i];
    const double norm = cone_norm(half, z), mu = part_mu(c, part);
    if (norm <= mu * g) {
      for (int32_t i = at; i < at + half; i++) {
        A[i + m * i] = 0;
        B[i + m * i] = rho;
      }
    } else {
      slip_rows(c, at, half, mu, g, jean, rho, z, norm, A, B);
    }
  }
}

static int jacobian(const friction_newton *s, int32_t k, const double *x, const double *u,
                    double *A, double *B) {
  const contact *c = &s->contacts[k];
  if (is_interval(c)) {
    const double z = x[0] - s->rho[k] * u[0];
    const int between = z > s->lower[c->begin] && z < s->upper[c->begin];
    A[0] = between ? 0 : 1;
    B[0] = between ? s->rho[k] : 0;
  } else if (s->o.function == PERP_FRICTION_NATURAL) {
    natural_jacobian(c, s->rho[k], x, u, A, B);
  } else {
    parts_jacobian(c, s->o.function == PERP_FRICTION_JEAN_MOREAU, s->rho[k], x, u, A, B);
  }
  for (int32_t i = 0; i < c->size * c->size; i++)
    if (B[i] != 0) return 0;
  return 1;
}

void perp_friction_newton_linearise(friction_newton *s) {
  double sum = 0;
  for (int32_t k = 0; k < s->count; k++) {
    const int32_t i = s->contacts[k].begin;
    const size_t at = (size_t)i * MOST;
    value(s, k, s->x + i, s->u + i, s->phi + i);
    s->off[k] = (unsigned char)jacobian(s, k, s->x + i, s->u + i, s->A + at, s->B + at);
    sum += weighed_square(s, k, s->phi + i);
  }
  s->theta = sum;
}
