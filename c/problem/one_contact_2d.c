/* SPDX-License-Identifier: MIT */
/* One contact in the plane. With d = ±1 the direction of sliding there are four cases,
 *
 *   take-off  r = 0,                       q_n >= 0,
 *   stick     r = -W^-1 q,                 |r_t| <= mu r_n,
 *   slip      r = r_n (1, -mu d),          r_n = -q_n / (W_nn - mu d W_nt) > 0,
 *             d u_t >= 0,                  u_t = q_t + r_n (W_tn - mu d W_tt).
 *
 * A singular W needs no more: solutions that stick then are a line, and where that meets the cone
 * it meets its boundary. */
#include "problem/one_contact_exact.h"

static void slip(contact_block *b, double d) {
  const double turn = b->W[0] - b->mu[0] * d * b->W[2], n = -b->q[0] / turn;
  if (!(turn > 0)) return;
  const double r[2] = {n, -b->mu[0] * d * n};
  perp_contact_consider(b, r);
}

void perp_contact_2d_prepare(contact_2d *c, const double *W, int32_t ld, double mu) {
  for (int32_t j = 0; j < 2; j++)
    for (int32_t i = 0; i < 2; i++) c->W[i + 2 * j] = W[i + j * ld];
  const double *A = c->W, up = A[0] * A[3], down = A[1] * A[2], det = up - down;
  c->mu = mu;
  c->work = c->reserved = 0;
  c->inverse[0] = A[3] / det;
  c->inverse[1] = -A[1] / det;
  c->inverse[2] = -A[2] / det;
  c->inverse[3] = A[0] / det;
  const double size = fabs(up) + fabs(down);
  c->care = 2;
  if (mu * fabs(A[2]) < 100 * A[0] && size > 1e-250 && size < 1e250 &&
      fabs(det) > 1e-3 * (mu > 1 ? mu * size : size))
    c->care = 0;
}

/* ---- the usual case in doubles ---- */

/* Whether the error of one_contact_exact.h is below 4e-15, up to the rounding of this function. */
static inline int accurate(const contact_2d *c, const double *q, const double *r, int sticks) {
  const double *W = c->W;
  const double a = W[0] * r[0], b = W[2] * r[1], d = W[1] * r[0], e = W[3] * r[1];
  const double normal = fabs(a + b + q[0]), speed = fabs(d + e + q[1]);
  const double above = fabs(a) + fabs(b) + fabs(q[0]), along = fabs(d) + fabs(e) + fabs(q[1]);
  const double scale = above > along ? above : along, limit = 2e-15 * scale;
  if (!(scale <= 1e6 * (fabs(q[0]) + fabs(q[1])))) return 0;
  if (sticks) return (1 + c->mu) * (normal + speed) <= limit;
  /* 4e-16: how far rounding leaves r from the cone */
  const double norm = fabs(W[0]) + fabs(W[1]) + fabs(W[2]) + fabs(W[3]);
  return normal + 4e-16 * c->mu * r[0] * norm <= limit;
}

/* Against the force at which it would stick. */
int perp_contact_2d_usual(const double *W, int32_t ld, const double *q, double mu, double *r) {
  contact_2d c;
  const double size = fabs(q[0]) > fabs(q[1]) ? fabs(q[0]) : fabs(q[1]);
  if (!(q[0] < 0 && mu >= 0 && mu < 1e3 && size > 1e-100 && size < 1e100)) return 0;
  perp_contact_2d_prepare(&c, W, ld, mu);
  if (c.care != 0) return 0;
  const double *A = c.W, *B = c.inverse;
  double n = -(B[0] * q[0] + B[2] * q[1]), t = -(B[1] * q[0] + B[3] * q[1]);
  const double y = A[0] * n + A[2] * t + q[0], z = A[1] * n + A[3] * t + q[1];
  n -= B[0] * y + B[2] * z;
  t -= B[1] * y + B[3] * z;
  if (fabs(t) < mu * n) {
    r[0] = n;
    r[1] = t;
    return accurate(&c, q, r, 1);
  }
  const double d = t < 0 ? 1 : -1, turn = A[0] - mu * d * A[2];
  r[0] = -q[0] / turn;
  r[1] = 0 - mu * d * r[0];
  return turn > 1e-3 * A[0] && d * (A[1] * r[0] + A[3] * r[1] + q[1]) >= 0 && accurate(&c, q, r, 0);
}

/* ---- exact ---- */

perp_status perp_contact_2d_within(const double *W, int32_t ld, const double *q, double mu,
                                   double *r, double *left) {
  contact_block b;
  if (perp_contact_2d_usual(W, ld, q, mu, r)) return PERP_OK;
  r[0] = r[1] = 0;
  const perp_status status = perp_contact_block_open(&b, 2, 1, W, ld, q, &mu, left);
  if (status != PERP_OK || b.q[0] >= 0) return status;
  perp_contact_stick(&b, 0);
  slip(&b, -1);
  slip(&b, 1);
  perp_contact_settle(&b);
  const double none[2] = {0, 0}; /* q_n < 0 by rounding only */
  if (contact_unsure(&b, 1e-14)) perp_contact_consider(&b, none);
  return perp_contact_block_close(&b, r);
}

perp_status perp_contact_2d_solve(const double *W, int32_t ld, const double *q, double mu,
                                  double *r) {
  double left = CONTACT_WORK;
  return perp_contact_2d_within(W, ld, q, mu, r, &left);
}

int perp_contact_2d_slow(contact_2d *c, const double *q, double *r) {
  const double old[2] = {r[0], r[1]};
  double left = CONTACT_VISIT_WORK;
  const perp_status status = perp_contact_2d_within(c->W, 2, q, c->mu, r, &left);
  c->work += CONTACT_VISIT_WORK - left;
  if (status == PERP_OK || status == PERP_INACCURATE)
    return r[0] == 0                                 ? CONTACT_TAKE_OFF
           : fabs(r[1]) < c->mu * r[0] * (1 - 1e-15) ? CONTACT_STICK
                                                     : CONTACT_SLIP;
  if (status == PERP_ENOTFINITE) memcpy(r, old, sizeof old);
  return CONTACT_FAILED;
}
