/* SPDX-License-Identifier: MIT */
/* γ of the rows of joint.h. Of a product of directions u of A and w of B, which turn with ω_A and
 * ω_B,  (u·w)¨ = ü·w + 2 u̇·ẇ + u·ẅ;  of the angle φ = atan2(s, c), ρ = s² + c²,
 *   φ̈ = (c s̈ − s c̈)/ρ − 2 (s ṡ + c ċ)(c ṡ − s ċ)/ρ². */
#include "model/joint.h"

/* once := ω × x, twice := ω × (ω × x). */
static void turn3(const double spin[3], const double *x, double once[3], double twice[3]) {
  cross3(spin, x, once);
  cross3(spin, once, twice);
}

/* Spin, velocity and centripetal acceleration of the point of one side, times sign. */
static void move_side(const joint_side *side, const double *v, double sign, double spin[3],
                      joint_motion *motion) {
  double lever[3], once[3], twice[3];
  multiply3(side->R, v + 3, spin);
  for (int32_t i = 0; i < 3; i++) lever[i] = side->point[i] - side->x[i];
  turn3(spin, lever, once, twice);
  for (int32_t i = 0; i < 3; i++) {
    motion->rate[i] += sign * (v[i] + once[i]);
    motion->turn[i] += sign * twice[i];
  }
}

void perp_joint_move(const joint_view *view, const double *v, joint_motion *motion) {
  const joint_motion rest = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  *motion = rest;
  move_side(&view->a, v, 1, motion->spin_a, motion);
  if (view->bodies == 2) move_side(&view->b, v + 6, -1, motion->spin_b, motion);
}

double perp_joint_along_bias(const joint_view *view, const joint_motion *motion, const double w[3],
                             int w_of_b) {
  double once[3], twice[3];
  if (!w_of_b) return dot3(w, motion->turn);
  turn3(motion->spin_b, w, once, twice);
  return dot3(w, motion->turn) + 2 * dot3(once, motion->rate) + dot3(twice, view->d);
}

/* (u·w)¨ and, where asked for, (u·w)˙. */
static double product_bias(const double spin_a[3], const double spin_b[3], const double *u,
                           const double *w, double *rate) {
  double u1[3], u2[3], w1[3], w2[3];
  turn3(spin_a, u, u1, u2);
  turn3(spin_b, w, w1, w2);
  if (rate != NULL) *rate = dot3(u1, w) + dot3(u, w1);
  return dot3(u2, w) + 2 * dot3(u1, w1) + dot3(u, w2);
}

double perp_joint_across_bias(const joint_motion *motion, const double u[3], const double w[3]) {
  return product_bias(motion->spin_a, motion->spin_b, u, w, NULL);
}

double perp_joint_angle_bias(const double *frame_a, const double *frame_b, const double spin_a[3],
                             const double spin_b[3]) {
  const double *u = &frame_a[3];
  const double s = dot3(u, &frame_b[6]), c = dot3(u, &frame_b[3]), square = s * s + c * c;
  double s1, c1;
  const double s2 = product_bias(spin_a, spin_b, u, &frame_b[6], &s1);
  const double c2 = product_bias(spin_a, spin_b, u, &frame_b[3], &c1);
  const double rate = (c * s1 - s * c1) / square;
  return (c * s2 - s * c2) / square - 2 * rate * ((s * s1 + c * c1) / square);
}
