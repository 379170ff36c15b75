/* SPDX-License-Identifier: MIT */
/* One contact at the velocities of its bodies. It mostly sticks: λ − W_αα⁻¹ u is tried first; where
 * that leaves the cone, the direction of sliding is found by Newton's method, but where spheres
 * touch, which slide along the force that would have held them. W_αα is only a means
 * here: u is that of the bodies, so at a fixed point (u, λ) is in the law for any W_αα. */
#ifndef PERP_CONTACTS_SWEPT_VISIT_H
#define PERP_CONTACTS_SWEPT_VISIT_H

#include <math.h>
#include <string.h>

#include "contacts/swept_body.h"
#include "problem/one_contact.h"

/* Multiply-adds that one visit may spend on a case without a usual answer. */
#define SWEPT_DOUBTFUL 2e4

/* W: (0,0) (1,0) (2,0) (1,1) (2,1) (2,2) as it is kept. */
static inline void swept_factor(const double *W, double *F) {
  const double least = 1e-6; /* of a determinant, relative to its diagonal */
  const double size = W[0] * W[3] * W[5];
  const double l1 = W[1] / W[0], l2 = W[2] / W[0];
  const double d1 = W[3] - l1 * W[1], w21 = W[4] - l2 * W[1], l21 = w21 / d1;
  const double d2 = W[5] - l2 * W[2] - l21 * w21;
  if (!(W[0] > 0)) {
    memset(F, 0, 6 * sizeof *F);
  } else if (size > 1e-250 && size < 1e250 && d1 > 0 && d2 > 0 && W[0] * d1 * d2 > least * size) {
    const double kept[6] = {l1, l2, l21, 1 / W[0], 1 / d1, 1 / d2};
    memcpy(F, kept, sizeof kept);
  } else {
    const double kept[6] = {W[1], W[2], W[4], -1 / W[0], W[3], W[5]};
    memcpy(F, kept, sizeof kept);
  }
}

/* And back, as a whole matrix. */
static inline void swept_matrix(const double *F, double *W) {
  double w1 = F[0], w2 = F[1], w21 = F[2], w11 = F[4], w22 = F[5];
  const double w0 = F[3] == 0 ? 0 : 1 / fabs(F[3]);
  if (F[3] > 0) {
    const double d1 = 1 / F[4];
    w1 = F[0] * w0;
    w2 = F[1] * w0;
    w11 = d1 + F[0] * w1;
    w21 = F[2] * d1 + F[1] * w1;
    w22 = 1 / F[5] + F[1] * w2 + F[2] * F[2] * d1;
  }
  const double whole[9] = {w0, w1, w2, w1, w11, w21, w2, w21, w22};
  memcpy(W, whole, sizeof whole);
}

/* ‖W_αα‖_F */
static inline double swept_norm(const swept_contact *c) {
  double W[9], sum = 0;
  swept_matrix(c->factor, W);
  for (int i = 0; i < 9; i++) sum += W[i] * W[i];
  return sqrt(sum);
}

/* u of a contact. */
static inline void swept_relative(const swept_set *s, const swept_contact *c, const double *second,
                                  double *u) {
  double d[3] = {0};
  swept_add_velocity(s->bodies[c->body[0]].v, c->arm[0], 1, d);
  if (c->body[1] >= 0) swept_add_velocity(s->bodies[c->body[1]].v, c->arm[1], -1, d);
  swept_in_frame(c, second, d, u);
  for (int i = 0; i < 3; i++) u[i] += c->c[i];
}

/* r: in λ, out the answer to y = W (r − λ) + u where it neither takes off nor sticks. */
static void swept_slide(const swept_contact *c, const double *u, const double *stick, double *r) {
  contact_3d block;
  double W[9], q[3];
  swept_matrix(c->factor, W);
  for (int i = 0; i < 3; i++) q[i] = u[i] - (W[i] * r[0] + W[3 + i] * r[1] + W[6 + i] * r[2]);
  const double mu = c->mu, old = -1 / (mu * r[0]);
  double d[2] = {old * r[1], old * r[2]};
  if (c->factor[3] > 0) {
    const contact_circle circle = contact_circle_of(W, mu, q);
    if (fabs(d[0] * d[0] + d[1] * d[1] - 1) < 1e-9 && contact_circle_newton(&circle, d) &&
        contact_3d_slides(W, mu, q, d, r))
      return;
    const double force = sqrt(stick[1] * stick[1] + stick[2] * stick[2]);
    d[0] = -stick[1] / force;
    d[1] = -stick[2] / force;
    if (force > 0 && contact_circle_newton(&circle, d) && contact_3d_slides(W, mu, q, d, r)) return;
  }
  perp_contact_3d_prepare(&block, W, 3, mu);
  block.work = CONTACT_SWEEPS_WORK - SWEPT_DOUBTFUL;
  const double before[3] = {r[0], r[1], r[2]};
  if (perp_contact_3d_slow(&block, q, r) == CONTACT_FAILED) memcpy(r, before, sizeof before);
}

/* Whether W_αα is diagonal and alike along the tangents, as it is where spheres touch. */
static inline int swept_round(const double *F) {
  const double least = 1e-9;
  return fabs(F[0]) + fabs(F[1]) + fabs(F[2]) < least && fabs(F[4] - F[5]) < least * F[4];
}

/* λ of a contact at u, the others as they are. */
static inline void swept_law(const swept_contact *c, const double *u, double *r) {
  const double *F = c->factor, over = fabs(F[3]);
  const int good = F[3] > 0;
  const double coupled = good ? F[0] * r[1] + F[1] * r[2] : over * (F[0] * r[1] + F[1] * r[2]);
  const double push = r[0] + coupled - over * u[0]; /* without a force along the tangents */
  if (push <= 0) {
    r[0] = r[1] = r[2] = 0;
    return;
  }
  if (c->mu == 0) {
    r[0] = push;
    r[1] = r[2] = 0;
    return;
  }
  double stick[3] = {0};
  if (good) {
    const double z1 = u[1] - F[0] * u[0], z2 = u[2] - F[1] * u[0] - F[2] * z1;
    const double x2 = z2 * F[5], x1 = z1 * F[4] - F[2] * x2,
                 x0 = u[0] * over - F[0] * x1 - F[1] * x2;
    const double most = c->mu * (r[0] - x0);
    stick[0] = r[0] - x0;
    stick[1] = r[1] - x1;
    stick[2] = r[2] - x2;
    const double force = stick[1] * stick[1] + stick[2] * stick[2];
    if (most > 0 && (force <= most * most || swept_round(F))) {
      const double part = force <= most * most ? 1 : most / sqrt(force);
      r[0] = stick[0];
      r[1] = part * stick[1];
      r[2] = part * stick[2];
      return;
    }
  }
  swept_slide(c, u, stick, r);
}

/* The force of a contact, as an impulse on its bodies. */
static inline void swept_apply_force(const swept_set *s, const swept_contact *c,
                                     const double *second, const double *lambda) {
  double force[3], torque[3];
  swept_from_frame(c, second, lambda, force);
  swept_cross(c->arm[0], force, torque);
  swept_push(s, c->body[0], force, torque, s->bodies[c->body[0]].v);
  if (c->body[1] < 0) return;
  swept_cross(c->arm[1], force, torque);
  for (int i = 0; i < 3; i++) {
    force[i] = -force[i];
    torque[i] = -torque[i];
  }
  swept_push(s, c->body[1], force, torque, s->bodies[c->body[1]].v);
}

#endif
