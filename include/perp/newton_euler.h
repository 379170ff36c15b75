/* SPDX-License-Identifier: MIT */
/** @file newton_euler.h
 * Rigid bodies in space by the Newton-Euler equations, and their contacts.
 *
 * q = (x, Q): position of the centre of mass in the fixed frame (m) and a unit quaternion, scalar
 * part first, whose rotation R(Q) maps the frame of the body to the fixed frame: 7 entries.
 * v = (ẋ, Ω): velocity in the fixed frame (m/s) and angular velocity in the frame of the body
 * (rad/s): 6 entries. An increment d of q has 6 entries as v has:  q ⊕ d = (x + d_x, Q *
 * exp(d_r/2)). See docs/theory-rigid-bodies.md. */
#ifndef PERP_NEWTON_EULER_H
#define PERP_NEWTON_EULER_H

#include "perp/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Write a force or torque (3 entries) at (t, q, v). 0: done, > 0: ask for a smaller step, < 0:
 * give up. Pure. */
typedef int32_t (*perp_body_fn)(double t, const double *q, const double *v, double *out,
                                void *user);

/** Write the derivatives of a force or torque at (t, q, v): by_d by the increment d of q at d = 0,
 * by_v by v; 3 x 6 each, column-major, set to 0 by the caller. Answers as perp_body_fn(). */
typedef int32_t (*perp_body_jacobian_fn)(double t, const double *q, const double *v, double *by_d,
                                         double *by_v, void *user);

/** How the gyroscopic torque −Ω × IΩ enters a step. */
enum {
  PERP_GYROSCOPIC_IMPLICIT = 0, /**< with its Jacobian in the iteration matrix: Newton's method  */
  PERP_GYROSCOPIC_EXPLICIT = 1, /**< its Jacobian is left out, so the matrix is constant and
                                     symmetric: the same solution by more iterations, or, stopped
                                     after one iteration (PERP_NEWTON_FIXED), the torque at the
                                     beginning of the step                                  */
  PERP_GYROSCOPIC_NONE = 2 /**< left out of the equations; exact where the inertia is a multiple
                                of the identity                                        */
};

/** Frame in which a body's torque callback answers. */
enum {
  PERP_FRAME_BODY = 0, /**< frame of the body           */
  PERP_FRAME_FIXED = 1 /**< fixed frame                 */
};

/**
 * A rigid body:  m ẍ = f + F(t, q, v) + r_x,   I Ω̇ + Ω × IΩ = T(t, q, v) + r_Ω,   with T in the
 * frame of the body (or Rᵀ T, T in the fixed frame),   Q̇ = Q * (0, Ω)/2. Control adds B(q) u(t, q,
 * v) to the right-hand sides: 3 rows of forces in the fixed frame, then 3 of torques in the frame
 * of the body; control.T and control.effect hold B, 6 x n_u, and control.u_dq is by the increment
 * d.
 * Derivatives that are NULL are taken by one-sided differences, 12 calls of the callback; a force
 * of time alone is cheaper with a Jacobian that writes nothing.
 */
typedef struct perp_body {
  perp_system system;                    /**< head; n = 6, seven positions                    */
  double mass;                           /**< m > 0 (kg); default 1                           */
  double inertia[9];                     /**< I about the centre of mass, in the frame of the body
                                              (kg m²), symmetric positive definite; default 1 */
  double f[3];                           /**< constant force (N) in the fixed frame           */
  perp_body_fn force;                    /**< F in the fixed frame, NULL: 0                   */
  perp_body_fn torque;                   /**< T in the frame torque_frame, NULL: 0            */
  perp_body_jacobian_fn force_jacobian;  /**< of F; NULL: differences                         */
  perp_body_jacobian_fn torque_jacobian; /**< of T in its own frame; NULL: differences        */
  void *user;                            /**< handed to the callbacks                         */
  int32_t torque_frame;                  /**< PERP_FRAME_BODY or PERP_FRAME_FIXED             */
  int32_t gyroscopic;                    /**< PERP_GYROSCOPIC_IMPLICIT ...                    */
  perp_control control;                  /**< B(q) u(t, q, v); zeroed: none                   */
  const double *z;                       /**< n_z parameters of control, read in every
                                              evaluation                                      */
  int32_t n_z;                           /**< length of z                                     */
  int32_t reserved;                      /**< 0                                               */
} perp_body;

/** Set the head and the defaults: mass 1, inertia the identity, no force. size is sizeof of the
 * caller's struct. @return PERP_OK, or PERP_EINVAL if body is NULL or size is not one this library
 * knows. Since 0.1. */
PERP_API perp_status perp_body_init(perp_body *body, size_t size);

/** R := rotation matrix (3 x 3, column-major) of a unit quaternion Q. Here and in the next two
 * nothing happens where a pointer is NULL. Since 0.1. */
PERP_API void perp_rotation_matrix(const double Q[4], double R[9]);

/** Q := unit quaternion of the rotation by angle (rad) about axis (any length but 0: NaN). Since
 * 0.1. */
PERP_API void perp_rotation_quaternion(const double axis[3], double angle, double Q[4]);

/** out := q ⊕ d, 7 entries; out may be q. Since 0.1. */
PERP_API void perp_body_move(const double q[7], const double d[6], double out[7]);

/** Where and how two bodies, or a body and the ground, touch or would touch; fixed frame. */
typedef struct perp_contact_place {
  double gap;         /**< distance along the normal, < 0: they overlap (m)                   */
  double normal[3];   /**< of length 1, from the second body or the ground to the first body  */
  double tangent[3];  /**< first tangential direction, its part along the normal is dropped; 0, or
                           nothing across the normal: chosen by the library, smooth in it    */
  double a[3];        /**< point of the first body (m)                                       */
  double b[3];        /**< point of the second body (m); not read with the ground            */
  double velocity[3]; /**< of the ground at the contact (m/s): belts; not read with two bodies */
} perp_contact_place;

/** Write the place of a contact at (t, q); q holds 7 positions for each body. All of place is 0
 * before. 0: done, > 0: ask for a smaller step, < 0: give up. Pure. */
typedef int32_t (*perp_locate_fn)(double t, const double *q, perp_contact_place *place, void *user);

/**
 * Contact of a body with the ground (n = 6) or of two bodies (n = 12), in the local frame of its
 * normal. Rows, all of velocity of the first relative to the second:
 *   m = 1: normal;  m = 2: and along the first tangent;  m = 3: and along the second;
 *   m = 5: and the angular velocities about both tangents, as perp_rolling wants them.
 * y is the gap in the first row and 0 in the others.
 */
typedef struct perp_body_contact {
  perp_relation relation; /**< head: m is 1, 2, 3 or 5                       */
  perp_locate_fn locate;  /**< geometry                                      */
  void *user;             /**< handed to locate: often one of the structs below */
} perp_body_contact;

/** Set the head and zero the rest; m = 1, 2, 3 or 5 rows, bodies = 1 (with the ground) or 2. size
 * is sizeof of the caller's struct. @return PERP_OK or PERP_EINVAL. Since 0.1. */
PERP_API perp_status perp_body_contact_init(perp_body_contact *contact, size_t size, int32_t m,
                                            int32_t bodies);

/** Geometry of a sphere about the centre of mass and the half space normal·x <= offset. */
typedef struct perp_sphere_plane {
  double radius;    /**< of the sphere (m)                  */
  double normal[3]; /**< of the plane, length 1             */
  double offset;    /**< of the plane from the origin (m)   */
} perp_sphere_plane;

/** Geometry of two spheres about the centres of mass. */
typedef struct perp_sphere_sphere {
  double radius[2]; /**< of the first and the second body (m) */
} perp_sphere_sphere;

/** Geometry of a point of a body, as a corner of a box, and the half space normal·x <= offset. */
typedef struct perp_point_plane {
  double point[3];  /**< in the frame of the body (m)       */
  double normal[3]; /**< of the plane, length 1             */
  double offset;    /**< of the plane from the origin (m)   */
} perp_point_plane;

/** A perp_locate_fn() for a perp_sphere_plane as user; here and in the next two a NULL pointer
 * gives up. Since 0.1. */
PERP_API int32_t perp_locate_sphere_plane(double t, const double *q, perp_contact_place *place,
                                          void *user);
/** A perp_locate_fn() for a perp_sphere_sphere as user; spheres with one centre ask for a smaller
 * step. Since 0.1. */
PERP_API int32_t perp_locate_sphere_sphere(double t, const double *q, perp_contact_place *place,
                                           void *user);
/** A perp_locate_fn() for a perp_point_plane as user. Since 0.1. */
PERP_API int32_t perp_locate_point_plane(double t, const double *q, perp_contact_place *place,
                                         void *user);

#ifdef __cplusplus
}
#endif
#endif
