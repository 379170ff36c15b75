/* SPDX-License-Identifier: MIT */
/* Profile of a cam of four arcs and the lift it gives (m, s, rad; speed in turns a minute):
 *   w = 2 pi rpm / 60,  beta = w t + pi/2, folded to [0, pi] (the profile is symmetric),
 *   c = C(beta) - 0.3,  c' = C'(beta) w,  c'' = C''(beta) w^2.
 * C and C' are continuous, C'' jumps where the arcs meet. Model of M. di Bernardo, G. Osorio and
 * S. Santini. */
#ifndef EXAMPLES_CAM_H
#define EXAMPLES_CAM_H

#include <math.h>

typedef struct cam {
  double position;     /* c   (m)     */
  double velocity;     /* c'  (m/s)   */
  double acceleration; /* c'' (m/s^2) */
} cam;

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

/* The lift at time t. Pi as published with the model: more digits would leave its data. */
static inline cam cam_at(double t, double rpm) {
  const double pi = 3.14159265, rise = 1.050328174371336, top = 1.22173047639603;
  const double k1 = 0.45, k2 = 0.40393320723821;
  double w = 2 * pi * rpm / 60, beta = fmod(w * t + pi / 2, 2 * pi);
  cam c = {0.40, 0, 0};
  if (beta > pi) {
    beta = 2 * pi - beta;
    w = -w;
  }
  if (beta > pi / 2 + top) {
    c.position = k2 + 0.15;
  } else if (beta > pi / 2 + rise) {
    c = cam_arc(k2, 0.15, sin(beta + pi / 9), cos(beta + pi / 9));
  } else if (beta > pi / 2) {
    c = cam_arc(k1, 0.85, -cos(beta), sin(beta));
  }
  c.position -= 0.3;
  c.velocity *= w;
  c.acceleration *= w * w;
  return c;
}

#endif
