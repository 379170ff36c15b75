/* SPDX-License-Identifier: MIT */
/* One contact with friction and resistance to rolling: u = W r + q with parts k (sliding, rolling),
 * each of which sticks (u_k = 0, ||r_k|| <= mu_k r_n) or slips (r_k = -mu_k r_n u_k / ||u_k||).
 *
 * In the plane every part is one number, and the nine cases are linear systems. In space both
 * sticking is one linear system; one part that sticks is eliminated, which leaves a contact with
 * friction, whose exact solution is known; both slipping is Newton's method from those points. */
#include "problem/one_contact_exact.h"

/* ---- in the plane ---- */

/* Unknowns r_n and the parts that stick; case digits: 0 sticks, 1 and 2 slip to either side. */
static void plane_case(contact_block *b, const int *digit) {
  double A[9], r[3] = {0, 0, 0}, y[3];
  memcpy(A, b->W, sizeof A);
  for (int k = 0; k < 2; k++) {
    if (digit[k] == 0) continue;
    /* row: r_k + d mu_k r_n = 0 */
    A[1 + k] = (digit[k] == 1 ? 1 : -1) * b->mu[k];
    for (int j = 1; j < 3; j++) A[1 + k + 3 * j] = j == 1 + k ? 1 : 0;
  }
  for (int turn = 0; turn < 3; turn++) {
    perp_contact_velocity(b, r, y);
    for (int k = 0; k < 2; k++)
      if (digit[k] != 0) y[1 + k] = r[1 + k] + A[1 + k] * r[0];
    perp_contact_eliminate(3, A, y, r);
    for (int k = 0; k < 2; k++)
      if (digit[k] != 0) r[1 + k] = -A[1 + k] * r[0];
    if (r[0] > 0) perp_contact_consider(b, r);
  }
}

static void plane(contact_block *b) {
  for (int c = 0; c < 9 && b->error > 1e-15; c++) {
    const int digit[2] = {c % 3, c / 3};
    plane_case(b, digit);
  }
}

/* ---- in space ---- */

/* The contact with friction that is left when part 1 - k sticks. */
static void reduced(contact_block *b, int k) {
  const int32_t keep[3] = {0, 1 + 2 * k, 2 + 2 * k}, drop[2] = {3 - 2 * k, 4 - 2 * k};
  const double *W = b->W;
  double A[4], X[2][4]; /* X: -inverse of the part times its rows, columns keep and q */
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++) A[i + 2 * j] = W[drop[i] + 5 * drop[j]];
  for (int j = 0; j < 4; j++) {
    double x[2] = {0, 0}, y[2];
    for (int i = 0; i < 2; i++) y[i] = j < 3 ? W[drop[i] + 5 * keep[j]] : b->q[drop[i]];
    perp_contact_eliminate(2, A, y, x);
    X[0][j] = x[0];
    X[1][j] = x[1];
  }
  double V[9], p[3], s[3], r[5];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      V[i + 3 * j] = W[keep[i] + 5 * keep[j]] + W[keep[i] + 5 * drop[0]] * X[0][j] +
                     W[keep[i] + 5 * drop[1]] * X[1][j];
    p[i] = b->q[keep[i]] + W[keep[i] + 5 * drop[0]] * X[0][3] + W[keep[i] + 5 * drop[1]] * X[1][3];
  }
  if (perp_contact_3d_solve(V, 3, p, b->mu[k], s) < 0) return;
  for (int i = 0; i < 3; i++) r[keep[i]] = s[i];
  for (int i = 0; i < 2; i++)
    r[drop[i]] = X[i][3] + X[i][0] * s[0] + X[i][1] * s[1] + X[i][2] * s[2];
  perp_contact_consider(b, r);
  if (b->error > 1e-15) perp_contact_newton(b, r);
}

/* ---- both ---- */

static void search(contact_block *b) {
  const double n = b->W[0] > 0 ? -b->q[0] / b->W[0] : 1;
  double r[5] = {n, 0, 0, 0, 0};
  perp_contact_newton(b, r);
  memcpy(r, b->best, sizeof r);
  if (b->error > 1e-14) perp_contact_newton(b, r);
  for (int32_t i = 1; i < b->size && b->error > 1e-14; i++)
    for (int side = -1; side <= 1; side += 2) {
      for (int32_t j = 1; j < b->size; j++) r[j] = 0;
      r[0] = n;
      r[i] = side * b->mu[(i - 1) / b->half] * n;
      perp_contact_newton(b, r);
    }
  for (int turn = 0; turn < 4 && b->error > 1e-13; turn++) {
    memcpy(r, b->best, sizeof r);
    perp_contact_project(b, r);
    memcpy(r, b->best, sizeof r);
    perp_contact_newton(b, r);
  }
}

perp_status perp_contact_rolling_solve(int32_t size, const double *W, int32_t ld, const double *q,
                                       double mu, double mu_rolling, double *r) {
  contact_block b;
  const double coefficients[2] = {mu, mu_rolling};
  memset(r, 0, (size_t)size * sizeof *r);
  const perp_status status = perp_contact_block_open(&b, size, 2, W, ld, q, coefficients);
  if (status != PERP_OK || b.q[0] >= 0) return status;
  perp_contact_stick(&b, 0);
  if (size == 3) plane(&b);
  for (int k = 0; k < 2 && size == 5 && b.error > 1e-15; k++) reduced(&b, k);
  if (b.error > 1e-14) search(&b);
  perp_contact_settle(&b);
  return perp_contact_block_close(&b, r);
}

/* ---- sweeps ---- */

void perp_contact_rolling_prepare(contact_rolling *c, int32_t size, const double *W, int32_t ld,
                                  double mu, double mu_rolling) {
  c->mu = mu;
  c->mu_rolling = mu_rolling;
  c->size = size;
  for (int32_t j = 0; j < size; j++)
    memcpy(c->W + j * size, W + (size_t)j * (size_t)ld, (size_t)size * sizeof *W);
  c->care = 0;
}

int perp_contact_rolling_sweep(const contact_rolling *c, const double *q, double *r) {
  const int32_t n = c->size;
  contact_block b;
  double old[5];
  const double coefficients[2] = {c->mu, c->mu_rolling};
  memcpy(old, r, (size_t)n * sizeof *r);
  perp_status status = perp_contact_block_open(&b, n, 2, c->W, n, q, coefficients);
  if (status == PERP_OK && b.q[0] >= 0) {
    memset(r, 0, (size_t)n * sizeof *r);
    return CONTACT_TAKE_OFF;
  }
  if (status == PERP_OK) {
    double start[5];
    for (int32_t i = 0; i < n; i++) start[i] = r[i] / b.unit;
    perp_contact_newton(&b, start);
    status = b.error < 1e-13 ? perp_contact_block_close(&b, r)
                             : perp_contact_rolling_solve(n, c->W, n, q, c->mu, c->mu_rolling, r);
  }
  if (status == PERP_OK || status == PERP_INACCURATE)
    return r[0] == 0 ? CONTACT_TAKE_OFF : CONTACT_SLIP;
  if (status == PERP_ENOTFINITE) memcpy(r, old, (size_t)n * sizeof *r);
  return CONTACT_FAILED;
}
