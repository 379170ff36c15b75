/* SPDX-License-Identifier: MIT */
/* A follower of mass m pressed on a cam by a spring k, u its height (m, kg, s, N):
 *   m u'' + k u = r,   0 <= u - c(t),   r >= 0,   (u - c)'+ = -0.8 (u - c)'-,
 * as two models of the same motion:
 *   relative: q = u - c,  m q'' + k q = -(m c'' + k c) + r,  y = q;
 *   absolute: q = u,      m q'' + k q = r,                   y = q - c(t),  y'' = q'' - c''.
 * c'' jumps at the joints of the profile. By events they are scheduled: each sets the piece of the
 * profile that follows, so that the motion is smooth up to and at both ends of every step. In
 * time-stepping the piece is found from the time. */
#ifndef EXAMPLES_CAM_MODEL_H
#define EXAMPLES_CAM_MODEL_H

#include "cam.h"
#include "perp/event_driven.h"
#include "perp/perp.h"

static const double cam_mass = 1.221, cam_stiffness = 1430.8, cam_restitution = 0.8;

/* The cam that the follower sees. */
typedef struct cam_drive {
  double rpm;
  int piece; /* -1: by the time */
} cam_drive;

/* What the schedule of one joint sets. */
typedef struct cam_switch {
  cam_drive *drive;
  int piece;
} cam_switch;

typedef struct cam_follower {
  cam_drive drive;
  cam_switch switches[CAM_JOINTS];
  perp_schedule joints[CAM_JOINTS];
  double q, v; /* initial values */
  perp_matrix M, K;
  double H;
  perp_lagrangian_linear follower;
  perp_lagrangian_linear_relation relative;
  perp_lagrangian_relation absolute;
  perp_newton_impact impact;
  int32_t joined;
  perp_interaction contact;
  const perp_system *systems[1];
  const perp_interaction *interactions[1];
  perp_model model;
} cam_follower;

static inline cam cam_drive_at(const void *drive, double t) {
  const cam_drive *d = (const cam_drive *)drive;
  return d->piece < 0 ? cam_at(t, d->rpm) : cam_on(d->piece, t, d->rpm);
}

static inline int32_t cam_force(double t, double *f, void *drive) {
  const cam c = cam_drive_at(drive, t);
  f[0] = -(cam_mass * c.acceleration + cam_stiffness * c.position);
  return 0;
}

static inline int32_t cam_gap(double t, const double *q, const double *lambda, const double *z,
                              double *y, void *drive) {
  (void)lambda, (void)z;
  y[0] = q[0] - cam_drive_at(drive, t).position;
  return 0;
}

static inline int32_t cam_gap_q(double t, const double *q, const double *lambda, const double *z,
                                double *H, void *drive) {
  (void)t, (void)q, (void)lambda, (void)z, (void)drive;
  H[0] = 1;
  return 0;
}

static inline int32_t cam_gap_t(double t, const double *q, const double *lambda, const double *z,
                                double *rate, void *drive) {
  (void)q, (void)lambda, (void)z;
  rate[0] = -cam_drive_at(drive, t).velocity;
  return 0;
}

static inline int32_t cam_gap_bias(double t, const double *q, const double *v, const double *z,
                                   double *bias, void *drive) {
  (void)q, (void)v, (void)z;
  bias[0] = -cam_drive_at(drive, t).acceleration;
  return 0;
}

static inline int32_t cam_at_joint(perp_event_state *at, void *set) {
  const cam_switch *s = (const cam_switch *)set;
  (void)at;
  s->drive->piece = s->piece;
  return 0;
}

/* Set up a follower at time 0, at height and speed over the cam; is_absolute: which model. It must
 * not be moved afterwards. */
static inline void cam_follower_init(cam_follower *f, double rpm, double height, double speed,
                                     int is_absolute) {
  const cam start = cam_at(0, rpm);
  f->drive.rpm = rpm;
  f->drive.piece = -1;
  f->q = height + (is_absolute ? start.position : 0);
  f->v = speed + (is_absolute ? start.velocity : 0);
  perp_lagrangian_linear_init(&f->follower, sizeof f->follower, 1);
  f->follower.M = perp_diagonal(1, &cam_mass);
  f->follower.K = perp_diagonal(1, &cam_stiffness);
  f->follower.force = is_absolute ? NULL : cam_force;
  f->follower.user = &f->drive;
  perp_lagrangian_linear_relation_init(&f->relative, sizeof f->relative, 1, 1);
  f->H = 1;
  f->relative.H = &f->H;
  perp_lagrangian_rheonomous_init(&f->absolute, sizeof f->absolute, 1, 1);
  f->absolute.h = cam_gap;
  f->absolute.H = cam_gap_q;
  f->absolute.h_dt = cam_gap_t;
  f->absolute.bias = cam_gap_bias;
  f->absolute.user = &f->drive;
  perp_newton_impact_init(&f->impact, sizeof f->impact);
  f->impact.e = cam_restitution;
  f->joined = 0;
  const perp_relation *relation = is_absolute ? &f->absolute.relation : &f->relative.relation;
  const perp_interaction contact = {relation, &f->impact.law, &f->joined, 1, 0};
  f->contact = contact;
  f->systems[0] = &f->follower.system;
  f->interactions[0] = &f->contact;
  const perp_model model = PERP_MODEL_INIT;
  f->model = model;
  f->model.n_systems = f->model.n_interactions = 1;
  f->model.systems = f->systems;
  f->model.interactions = f->interactions;
  f->model.q0 = &f->q;
  f->model.v0 = &f->v;
  for (int k = 0; k < CAM_JOINTS; k++) {
    const perp_schedule joint = {
        NULL,           0, 0, cam_joint(k) / (2 * cam_pi) * 60 / rpm, 60 / rpm, cam_at_joint,
        &f->switches[k]};
    f->switches[k].drive = &f->drive;
    f->switches[k].piece = k;
    f->joints[k] = joint;
  }
}

/* What an event-driven simulation of the follower needs besides its own choices; it starts with the
 * cam as it follows t0. */
static inline perp_event_options cam_follower_options(cam_follower *f, double t0) {
  perp_event_options options = perp_event_options_default();
  options.t0 = t0;
  options.schedules = f->joints;
  options.n_schedules = CAM_JOINTS;
  f->drive.piece = cam_piece(t0, f->drive.rpm);
  return options;
}

#endif
