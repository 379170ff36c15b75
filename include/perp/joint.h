/* SPDX-License-Identifier: MIT */
/** @file joint.h
 * Joints of rigid bodies (newton_euler.h): between two bodies, or a body and the ground; their
 * stops, friction and drives; gears.
 *
 * A joint has a point and a frame (three directions, the axis first) on each side. Side A is the
 * first body of the interaction, side B the second body or, with one body, the ground, whose frame
 * is the fixed one. All joints go with the equality law; their λ are impulses (N s, N m s).
 * See docs/theory-rigid-bodies.md. */
#ifndef PERP_JOINT_H
#define PERP_JOINT_H

#include "perp/newton_euler.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of joints, and what remains free. Rows in this order: translation, then rotation. */
enum {
  PERP_JOINT_SPHERICAL = 0,   /**< 3 rows, the points coincide: three rotations             */
  PERP_JOINT_PIVOT = 1,       /**< 5 rows: rotation about the axis through the point        */
  PERP_JOINT_PRISMATIC = 2,   /**< 5 rows: translation along the axis                       */
  PERP_JOINT_CYLINDRICAL = 3, /**< 4 rows: rotation about and translation along the axis    */
  PERP_JOINT_FIXED = 4,       /**< 6 rows: nothing                                          */
  PERP_JOINT_SCREW = 5        /**< 5 rows: rotation with translation in proportion          */
};

/** A joint. Set by perp_joint_init() and perp_joint_place(), or the fields by hand. */
typedef struct perp_joint {
  perp_relation relation; /**< head; n = 6 (ground) or 12                                   */
  int32_t kind;           /**< PERP_JOINT_SPHERICAL ...                                     */
  int32_t reserved;       /**< 0                                                            */
  double point_a[3];      /**< point of A from its centre of mass, in its frame (m)         */
  double point_b[3];      /**< the same of B; of the ground: in the fixed frame             */
  double frame_a[9];      /**< columns: axis and two directions across, orthonormal and
                               right-handed, in the frame of A                              */
  double frame_b[9];      /**< the same in the frame of B; angle and translation are 0 where
                               both frames and points coincide                             */
  double lead;            /**< screw: translation of A along the axis in one turn about it (m),
                               > 0 for a right-handed thread                               */
} perp_joint;

/** Set the head, points 0 and frames the identity; bodies = 1 (with the ground) or 2. size is
 * sizeof of the caller's struct. @return PERP_OK, or PERP_EINVAL for a kind, number of bodies or
 * size that is not known. Since 0.1. */
PERP_API perp_status perp_joint_init(perp_joint *joint, size_t size, int32_t kind, int32_t bodies);

/**
 * Set points and frames from where the joint is in the fixed frame while the bodies are at qa and
 * qb; this is where its angle and translation are 0.
 * @param joint  initialised
 * @param point  of the joint (m)
 * @param axis   its direction, any length but 0; NULL: e_x (spherical and fixed joints need none)
 * @param qa     7 positions of A
 * @param qb     7 positions of B; not read with the ground
 * @return PERP_OK; PERP_EINVAL for a NULL or an axis without direction; PERP_ENOTFINITE
 * Since 0.1. */
PERP_API perp_status perp_joint_place(perp_joint *joint, const double point[3],
                                      const double axis[3], const double *qa, const double *qb);

/** Coordinates of a joint: A relative to B. */
enum {
  PERP_COORDINATE_ANGLE = 0,      /**< rotation about the axis (rad)      */
  PERP_COORDINATE_TRANSLATION = 1 /**< translation along the axis (m)     */
};

/** What a coordinate c is used for. */
enum {
  PERP_COORDINATE_RATE = 0, /**< 1 row: y = c, ẏ = ċ − rate(t). With the equality law a drive of
                                 prescribed velocity; λ is an impulse                       */
  PERP_COORDINATE_EFFORT = 1, /**< 1 row: y = c, ẏ = h(ċ − rate(t)), so that λ is a torque (N m) or
                                   force (N), whatever the length h of the step. With a box law:
                                   dry friction, or a drive of limited effort                */
  PERP_COORDINATE_STOPS = 2, /**< 2 rows: y = (c − lower, upper − c), for two copies of a
                                  unilateral law of size 1                                  */
  PERP_COORDINATE_LOWER = 3, /**< 1 row: y = c − lower                                      */
  PERP_COORDINATE_UPPER = 4  /**< 1 row: y = upper − c                                      */
};

/** A relation on a coordinate of a joint; joins the same bodies in the same order. */
typedef struct perp_joint_coordinate {
  perp_relation relation;  /**< head                                                        */
  const perp_joint *joint; /**< points and frames; its kind is not read                     */
  int32_t coordinate;      /**< PERP_COORDINATE_ANGLE or PERP_COORDINATE_TRANSLATION        */
  int32_t use;             /**< PERP_COORDINATE_RATE ...                                    */
  double lower;            /**< stop (rad or m)                                             */
  double upper;            /**< stop (rad or m), > lower                                    */
  double centre;           /**< angles are taken in (centre − π, centre + π]; rad           */
  perp_time_fn rate;       /**< prescribed rate, one entry (rad/s or m/s); NULL: 0          */
  void *user;              /**< handed to rate                                              */
} perp_joint_coordinate;

/** Set the head and zero the rest; bodies as of the joint. @return PERP_OK or PERP_EINVAL. Since
 * 0.1. */
PERP_API perp_status perp_joint_coordinate_init(perp_joint_coordinate *relation, size_t size,
                                                const perp_joint *joint, int32_t coordinate,
                                                int32_t use);

/**
 * The coordinate and its rate at positions q and velocities v of the bodies (7 and 6 each).
 * @param[out] value  c, an angle in (−π, π]; may be NULL
 * @param[out] rate   ċ; may be NULL, as may v
 * @return PERP_OK or PERP_EINVAL. Since 0.1. */
PERP_API perp_status perp_joint_coordinate_value(const perp_joint *joint, int32_t coordinate,
                                                 const double *q, const double *v, double *value,
                                                 double *rate);

/**
 * A pair of gears, on bodies A and B, carried by the ground (n = 12) or by a third body C (n = 18):
 *   z_A ω_A + z_B ω_B = 0,
 * ω the angular velocities about each one's axis relative to the carrier. One row, equality law; y
 * is the mismatch of the teeth, an angle of A within half a tooth.
 */
typedef struct perp_gear {
  perp_relation relation; /**< head; n = 12 or 18                                           */
  int32_t teeth_a;        /**< z_A > 0                                                      */
  int32_t teeth_b;        /**< z_B, not 0; < 0: internal gear, both turn the same way       */
  double frame_a[9];      /**< axis and two directions, in the frame of A                   */
  double frame_b[9];      /**< axis and two directions, in the frame of B                   */
  double carrier_a[9];    /**< where frame_a is in the carrier when the teeth mesh          */
  double carrier_b[9];    /**< where frame_b is in the carrier when the teeth mesh          */
} perp_gear;

/** Set the head, teeth 1 and 1, frames the identity; bodies = 2 (carried by the ground) or 3.
 * @return PERP_OK or PERP_EINVAL. Since 0.1. */
PERP_API perp_status perp_gear_init(perp_gear *gear, size_t size, int32_t bodies);

/** Set the frames: the teeth mesh while the bodies are at qa, qb and the carrier at qc (not read
 * with the ground), about axes given in the fixed frame. @return as perp_joint_place(). Since 0.1.
 */
PERP_API perp_status perp_gear_place(perp_gear *gear, const double axis_a[3],
                                     const double axis_b[3], const double *qa, const double *qb,
                                     const double *qc);

#ifdef __cplusplus
}
#endif
#endif
