/* SPDX-License-Identifier: MIT */
/* Local frame of a contact and the rows of H of a body at it.
 *
 * The frame is an orthonormal right-handed (n, t1, t2). A point at the lever arm r from the centre
 * of mass (all in the fixed frame) moves with v + ω × r, ω = R Ω, so along a direction d
 *   d·(v + ω × r) = dᵀ v + (Rᵀ(r × d))ᵀ Ω,
 * and the body turns about d with dᵀω = (Rᵀ d)ᵀ Ω. */
#ifndef PERP_MODEL_CONTACT_FRAME_H
#define PERP_MODEL_CONTACT_FRAME_H

#include "model/rotation.h"

/* frame := (n, t1, t2) for a unit normal n: the frame (e_z, e_x, e_y) turned on the shortest way
 * to n, or (−e_z, −e_x, e_y) where n looks down. Smooth in n but on a cone that no plane parallel
 * to an axis has as its normal; for n = e_x: t1 = −e_z, t2 = e_y. */
static inline void frame_of_normal(const double n[3], double frame[9]) {
  const double up = n[2] > -0.8765 ? 1 : -1, f = up / (1 + up * n[2]); /* NaN stays NaN */
  for (int32_t i = 0; i < 3; i++) frame[i] = n[i];
  /* t = b − (n·b)/(1 + n·a) (a + n) with a = ±e_z, b = ±e_x or e_y */
  frame[3] = up * (1 - up * f * n[0] * n[0]);
  frame[4] = -f * n[0] * n[1];
  frame[5] = -n[0];
  frame[6] = -up * f * n[0] * n[1];
  frame[7] = 1 - up * f * n[1] * n[1];
  frame[8] = -up * n[1];
}

/* turn := rate of frame_of_normal() at n where n changes at rate, across n. */
static inline void rate_of_frame(const double n[3], const double rate[3], double turn[9]) {
  const double up = n[2] > -0.8765 ? 1 : -1, f = up / (1 + up * n[2]), f1 = -f * f * rate[2];
  const double square = n[0] * n[0], product = n[0] * n[1], square1 = 2 * n[0] * rate[0];
  const double product1 = n[0] * rate[1] + n[1] * rate[0];
  for (int32_t i = 0; i < 3; i++) turn[i] = rate[i];
  turn[3] = -(f1 * square + f * square1);
  turn[4] = -(f1 * product + f * product1);
  turn[5] = -rate[0];
  turn[6] = -up * (f1 * product + f * product1);
  turn[7] = -up * (f1 * n[1] * n[1] + 2 * f * n[1] * rate[1]);
  turn[8] = -up * rate[1];
}

/* frame := (n, t1, t2) with t1 the direction of tangent without its part along n; as
 * frame_of_normal() where the tangent is 0 or parallel to n. */
static inline void frame_of_tangent(const double n[3], const double tangent[3], double frame[9]) {
  const double all = dot3(tangent, tangent), along = dot3(n, tangent);
  double t[3];
  for (int32_t i = 0; i < 3; i++) t[i] = tangent[i] - along * n[i];
  const double square = dot3(t, t);
  frame_of_normal(n, frame);
  if (square <= 1e-20 * all) return; /* NaN goes on, to be seen */
  const double scale = 1 / sqrt(square);
  for (int32_t i = 0; i < 3; i++) t[i] *= scale;
  const double rest = dot3(n, t); /* what cancellation left of the normal */
  for (int32_t i = 0; i < 3; i++) frame[3 + i] = t[i] - rest * n[i];
  cross3(n, &frame[3], &frame[6]);
}

/* Row of H for the velocity of the point at lever along direction, times sign; H is the first entry
 * of the row in the body's six columns, of stride ld. */
static inline void contact_row(const double direction[3], const double lever[3], const double R[9],
                               double sign, double *H, size_t ld) {
  double moment[3], turn[3];
  cross3(lever, direction, moment);
  multiply3_transposed(R, moment, turn);
  for (size_t i = 0; i < 3; i++) {
    H[i * ld] = sign * direction[i];
    H[(3 + i) * ld] = sign * turn[i];
  }
}

/* Row of H for the angular velocity about direction, times sign. */
static inline void turning_row(const double direction[3], const double R[9], double sign, double *H,
                               size_t ld) {
  double turn[3];
  multiply3_transposed(R, direction, turn);
  for (size_t i = 0; i < 3; i++) {
    H[i * ld] = 0;
    H[(3 + i) * ld] = sign * turn[i];
  }
}

/* The m rows of a contact in a body's six columns, m = 1: normal; 2, 3: and tangential; 5: and
 * the angular velocity about both tangents. sign is 1 for the body the normal points to, -1 for the
 * other. H has stride ld >= m. */
static inline void contact_rows(int32_t m, const double frame[9], const double lever[3],
                                const double R[9], double sign, double *H, size_t ld) {
  const int32_t points = m < 3 ? m : 3;
  for (int32_t i = 0; i < points; i++)
    contact_row(&frame[3 * (size_t)i], lever, R, sign, &H[i], ld);
  for (int32_t i = 3; i < m && i < 5; i++)
    turning_row(&frame[3 * (size_t)(i - 2)], R, sign, &H[i], ld);
}

#endif
