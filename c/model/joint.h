/* SPDX-License-Identifier: MIT */
/* Both sides of a joint in the fixed frame, and the rows that joints are made of. With p points, r
 * lever arms, e1 e2 e3 directions of side A or B, d = p_A − p_B and ω = ω_A − ω_B:
 *   along a fixed direction w:     y = w·d,  ẏ = w·(v_A + ω_A × r_A − v_B − ω_B × r_B);
 *   along a direction w of B:      y = w·d,  ẏ = w·(v_A + ω_A × r_A − v_B − ω_B × (p_A − x_B));
 *   directions u of A and w of B:  y = u·w,  ẏ = (u × w)·ω.
 * γ of a row is ÿ while v̇ = 0, where d̈ = ω_A × (ω_A × r_A) − ω_B × (ω_B × r_B), ü = ω_A × (ω_A ×
 * u) and ẅ = ω_B × (ω_B × w). */
#ifndef PERP_MODEL_JOINT_H
#define PERP_MODEL_JOINT_H

#include "model/contact_frame.h"
#include "perp/joint.h"

typedef struct joint_side {
  double x[3];     /* centre of mass, 0 for the ground */
  double R[9];     /* rotation, the identity for the ground */
  double point[3]; /* p */
  double frame[9]; /* e1 e2 e3 */
} joint_side;

typedef struct joint_view {
  joint_side a, b;
  double d[3];
  int32_t bodies; /* 1 or 2 */
} joint_view;

/* How both sides move: ω, ḋ, and d̈ while v̇ = 0. */
typedef struct joint_motion {
  double spin_a[3], spin_b[3], rate[3], turn[3];
} joint_motion;

/* y and H of m rows, columns of A, then of B; or, with a motion, only γ. */
typedef struct joint_rows {
  double *y, *H;
  size_t m;
  const joint_motion *motion; /* NULL: y and H */
  double *gamma;
} joint_rows;

/* q: 7 positions for each of 1 or 2 bodies. */
void perp_joint_see(const perp_joint *joint, const double *q, joint_view *view);

/* v: 6 velocities for each of its bodies. */
void perp_joint_move(const joint_view *view, const double *v, joint_motion *motion);

/* The rows above; w_of_b tells the second from the first. */
void perp_joint_along(const joint_view *view, const double w[3], int w_of_b, size_t row,
                      const joint_rows *out);

/* γ of the rows above, of sign 1. */
double perp_joint_along_bias(const joint_view *view, const joint_motion *motion, const double w[3],
                             int w_of_b);
double perp_joint_across_bias(const joint_motion *motion, const double u[3], const double w[3]);

/* The angle about the axis, and the direction g with φ̇ = g·ω: e1 where the axes coincide. */
double perp_joint_angle(const double *frame_a, const double *frame_b, double g[3]);

/* φ̈ while v̇ = 0, with ω of both sides. */
double perp_joint_angle_bias(const double *frame_a, const double *frame_b, const double spin_a[3],
                             const double spin_b[3]);

/* x less the nearest multiple of period; x itself for period 0. */
double perp_joint_wrap(double x, double period);

/* A frame about an axis of any length but 0; NULL: the identity. */
perp_status perp_joint_frame(const double *axis, double frame[9]);

/* Whether the columns are orthonormal and right-handed to 1e-9. */
int perp_joint_is_frame(const double *frame);

#endif
