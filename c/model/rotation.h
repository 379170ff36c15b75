/* SPDX-License-Identifier: MIT */
/* Vectors in space, rotation matrices and unit quaternions (scalar part first). Matrices are 3 x 3,
 * column-major; results may not overlap arguments. R(Q) maps the frame of the body to the fixed
 * frame, so R(Q * P) = R(Q) R(P). */
#ifndef PERP_MODEL_ROTATION_H
#define PERP_MODEL_ROTATION_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elementary.h"

static inline double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c := a × b. */
static inline void cross3(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

/* y := A x. */
static inline void multiply3(const double *A, const double *x, double *y) {
  for (int32_t i = 0; i < 3; i++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* y := Aᵀ x: for a rotation, from the fixed frame to that of the body. */
static inline void multiply3_transposed(const double *A, const double *x, double *y) {
  for (int32_t i = 0; i < 3; i++) y[i] = dot3(&A[3 * (size_t)i], x);
}

/* C := A B. */
static inline void product3(const double *A, const double *B, double *C) {
  for (size_t j = 0; j < 3; j++) multiply3(A, &B[3 * j], &C[3 * j]);
}

/* C := Aᵀ B. */
static inline void product3_transposed(const double *A, const double *B, double *C) {
  for (size_t j = 0; j < 3; j++) multiply3_transposed(A, &B[3 * j], &C[3 * j]);
}

/* A := [a]×, so that A x = a × x. */
static inline void skew3(const double *a, double *A) {
  A[0] = A[4] = A[8] = 0;
  A[5] = a[0];
  A[7] = -a[0];
  A[6] = a[1];
  A[2] = -a[1];
  A[1] = a[2];
  A[3] = -a[2];
}

/* R := R(Q) of a unit quaternion. */
static inline void rotation_of(const double *Q, double *R) {
  const double w = Q[0], x = Q[1], y = Q[2], z = Q[3];
  R[0] = 1 - 2 * (y * y + z * z);
  R[1] = 2 * (x * y + w * z);
  R[2] = 2 * (x * z - w * y);
  R[3] = 2 * (x * y - w * z);
  R[4] = 1 - 2 * (x * x + z * z);
  R[5] = 2 * (y * z + w * x);
  R[6] = 2 * (x * z + w * y);
  R[7] = 2 * (y * z - w * x);
  R[8] = 1 - 2 * (x * x + y * y);
}

/* C := A * B, quaternions. */
static inline void quaternion_product(const double *A, const double *B, double *C) {
  C[0] = A[0] * B[0] - A[1] * B[1] - A[2] * B[2] - A[3] * B[3];
  C[1] = A[0] * B[1] + A[1] * B[0] + A[2] * B[3] - A[3] * B[2];
  C[2] = A[0] * B[2] - A[1] * B[3] + A[2] * B[0] + A[3] * B[1];
  C[3] = A[0] * B[3] + A[1] * B[2] - A[2] * B[1] + A[3] * B[0];
}

/* Q := exp(d/2) = (cos(a/2), sin(a/2) d/a), a = |d|: the rotation by a about d. */
static inline void quaternion_exp(const double *d, double *Q) {
  const double a = sqrt(dot3(d, d));
  double s, c = 1, f = 0.5;
  if (!(a < 1e-100)) { /* below, squares underflow; NaN passes and stays NaN */
    perp_sincos(0.5 * a, &s, &c);
    f = s / a;
  }
  Q[0] = c;
  for (int32_t i = 0; i < 3; i++) Q[1 + i] = f * d[i];
}

#endif
