/* SPDX-License-Identifier: MIT */
/* Profile of a cam of four arcs and the lift it gives (m, s, rad; speed in turns a minute):
 *   w = 2 pi rpm / 60,  beta = w t + pi/2, folded to [0, pi] (the profile is symmetric),
 *   c = C(beta) - 0.3,  c' = C'(beta) w,  c'' = C''(beta) w^2.
 * C and C' are continuous, C'' jumps where the arcs meet: at six joints in a turn, which begins at
 * t = 0 at one of them. Model of M. di Bernardo, G. Osorio and S. Santini. */
#ifndef EXAMPLES_CAM_H
#define EXAMPLES_CAM_H

#include <math.h>

typedef struct cam {
  double position;     /* c   (m)     */
  double velocity;     /* c'  (m/s)   */
  double acceleration; /* c'' (m/s^2) */
} cam;

/* Joints in a turn. Piece k goes from joint k to the next: up on the flank and on the nose, a dwell
 * on top, down on both, a dwell on the base circle. */
enum { CAM_JOINTS = 6 };

static const double cam_pi = 3.14159265358979324;

/* An arc around a centre at distance k from the axis, C = -k cos(a) + sqrt(r^2 - k^2 sin^2 a), and
 * its first two derivatives; s, c are sine and cosine of a. */
static inline cam cam_arc(double k, double r, double s, double c) {
  const double S = sqrt(r * r - k * k * s * s);
  cam arc;
  arc.position = -k * c + S;
  arc.velocity = k * s - k * k * s * c / S;
  arc.acceleration = k * c - k * k / S * (c * c - s * s + k * k * s * s * c * c / (S * S));
  return arc;
}

/* Angle beta - pi/2 of joint k, 0 ... CAM_JOINTS. */
static inline double cam_joint(int k) {
  const double up[] = {0, 1.050328174371336, 1.22173047639603};
  return k < 3 ? up[k] : k < CAM_JOINTS ? cam_pi - up[5 - k] : 2 * cam_pi;
}

/* How far the cam has come in its turn at time t, in [0, 2 pi). */
static inline double cam_angle(double t, double rpm) {
  const double turns = t * (rpm / 60);
  return 2 * cam_pi * (turns - floor(turns));
}

/* The piece that follows time t. */
static inline int cam_piece(double t, double rpm) {
  const double angle = cam_angle(t, rpm);
  int piece = 0;
  while (piece < CAM_JOINTS - 1 && angle >= cam_joint(piece + 1)) piece++;
  return piece;
}

/* The lift that a piece gives at time t, beyond its ends too: smooth in t. */
static inline cam cam_on(int piece, double t, double rpm) {
  const double w = 2 * cam_pi * rpm / 60;
  const int down = piece == 3 || piece == 4;
  cam c = {0.40, 0, 0};
  if (piece == 2) {
    c.position = 0.55393320723821;
  } else if (piece != 5) {
    double a = cam_angle(t, rpm);
    if (down) a = cam_pi - a;
    c = piece == 0 || piece == 4
            ? cam_arc(0.45, 0.85, sin(a), cos(a))
            : cam_arc(0.40393320723821, 0.15, cos(a + cam_pi / 9), -sin(a + cam_pi / 9));
  }
  c.position -= 0.3;
  c.velocity *= down ? -w : w;
  c.acceleration *= w * w;
  return c;
}

/* The lift at time t. */
static inline cam cam_at(double t, double rpm) { return cam_on(cam_piece(t, rpm), t, rpm); }

#endif
