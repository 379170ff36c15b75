/* SPDX-License-Identifier: MIT */
/* What solvers do with one contact: its projection, De Saxcé's change of variable, and its natural
 * map with a generalised Jacobian. The parts of a contact are the tangential one and, where it
 * rolls, that of rolling. */
#ifndef PERP_SOLVER_CONTACT_MAP_H
#define PERP_SOLVER_CONTACT_MAP_H

#include <float.h>

#include "linalg/matrix.h"
#include "problem/cone.h"
#include "problem/contacts.h"
#include "solver/factor.h"
#include "solver/interval.h"

enum { CONTACT_MOST = 5 }; /* unknowns of a contact */

static inline int contact_is_interval(const contact *c) { return c->set <= PERP_SET_BOX; }
static inline int32_t contact_parts(const contact *c) { return c->set == PERP_SET_ROLLING ? 2 : 1; }
static inline int32_t contact_half(const contact *c) { return (c->size - 1) / contact_parts(c); }
static inline double contact_mu(const contact *c, int32_t part) {
  return part == 0 ? c->mu : c->mu_rolling;
}

/* 1 / √w of the first unknowns of a contact, w the mean of their diagonal entries, or where that is
 * 0 the largest sum of magnitudes of their rows. */
static inline double contact_scale(const contact *c, int32_t size, const double *diagonal,
                                   const double *rows) {
  double sum = 0, most = 0;
  for (int32_t i = c->begin; i < c->begin + size; i++) {
    sum += diagonal[i];
    most = rows[i] > most ? rows[i] : most;
  }
  const double mean = sum / size;
  if (mean > 1e-10 * most && mean >= DBL_MIN) return 1 / sqrt(mean);
  return most >= DBL_MIN && most <= DBL_MAX ? 1 / sqrt(most) : 1;
}

/* d := that of its contact for every unknown; whole: of all its unknowns, also of one that rolls,
 * whose last have other units. spare: 2 n, of which the rows' sums are the second half. */
static inline void contacts_scale(const perp_matrix *M, int32_t count, const contact *contacts,
                                  int whole, double *spare, double *d) {
  perp_matrix_diagonal(M, d);
  perp_factor_row_sums(M, spare, spare + M->rows);
  for (int32_t k = 0; k < count; k++) { /* contacts is NULL where there are none */
    const contact *c = contacts + k;
    const int32_t size = whole || c->set != PERP_SET_ROLLING ? c->size : 1;
    const double scale = contact_scale(c, size, d, spare + M->rows);
    for (int32_t i = c->begin; i < c->begin + c->size; i++) d[i] = scale;
  }
}

/* p := P_K(x), with the bounds of all unknowns; p may be x. */
static inline void contact_project(const contact *c, const double *lower, const double *upper,
                                   const double *x, double *p) {
  if (c->set == PERP_SET_CONE)
    cone_project(c->size, c->mu, x, p);
  else if (c->set == PERP_SET_ROLLING)
    perp_rolling_project(c->size, c->mu, c->mu_rolling, x, p);
  else
    p[0] = clip(x[0], lower[c->begin], upper[c->begin]);
}

/* All of them, from x to p, which may be x. */
static inline void contacts_project(int32_t count, const contact *contacts, const double *lower,
                                    const double *upper, const double *x, double *p) {
  for (int32_t k = 0; k < count; k++)
    contact_project(contacts + k, lower, upper, x + contacts[k].begin, p + contacts[k].begin);
}

/* Σ μ_k ‖u_k‖, by which û_n is more than u_n. */
static inline double contact_shift(const contact *c, const double *u) {
  if (contact_is_interval(c)) return 0;
  const int32_t half = contact_half(c);
  const double slide = c->mu * cone_norm(half, u + 1);
  return contact_parts(c) == 1 ? slide : slide + c->mu_rolling * cone_norm(half, u + 1 + half);
}

/* With J of the projection in A: B := ρ J S, A := I − J. The first row of S is s, the gradient of
 * û_n; the others are those of I. */
static inline void contact_natural_jacobian(int32_t m, double rho, const double *s, double *A,
                                            double *B) {
  for (int32_t j = 0; j < m; j++)
    for (int32_t i = 0; i < m; i++)
      B[i + m * j] = rho * ((j == 0 ? 0 : A[i + m * j]) + A[i] * s[j]);
  for (int32_t i = 0; i < m * m; i++) A[i] = (i % (m + 1) == 0 ? 1 : 0) - A[i];
}

/* Φ = x − P(x − ρ u) of an interval, and dΦ = A dx + B du unless A is NULL. */
static inline void interval_natural(double rho, double l, double h, double x, double u, double *phi,
                                    double *A, double *B) {
  const double z = x - rho * u;
  const int between = z > l && z < h;
  *phi = clip(rho * u, x - h, x - l);
  if (A == NULL) return;
  *A = between ? 0 : 1;
  *B = between ? rho : 0;
}

/* Φ = x − P_K(x − ρ û) of a contact that is no interval, and dΦ = A dx + B du unless A is NULL. */
static inline void contact_natural(const contact *c, double rho, const double *x, const double *u,
                                   double *phi, double *A, double *B) {
  const int32_t half = contact_half(c), m = c->size;
  double z[CONTACT_MOST] = {x[0] - rho * (u[0] + contact_shift(c, u))}, s[CONTACT_MOST] = {1};
  for (int32_t i = 1; i < m; i++) z[i] = x[i] - rho * u[i];
  for (int32_t part = 0; part < contact_parts(c) && A != NULL; part++) {
    const int32_t at = 1 + part * half;
    const double norm = cone_norm(half, u + at), mu = contact_mu(c, part);
    for (int32_t i = at; i < at + half; i++) s[i] = norm > 0 ? mu * u[i] / norm : 0;
  }
  if (A != NULL) {
    if (c->set == PERP_SET_ROLLING)
      perp_rolling_jacobian(m, c->mu, c->mu_rolling, z, A);
    else
      perp_cone_jacobian(m, c->mu, z, A);
    contact_natural_jacobian(m, rho, s, A, B);
  }
  contact_project(c, NULL, NULL, z, z);
  for (int32_t i = 0; i < m; i++) phi[i] = x[i] - z[i];
}

#endif
