// SPDX-License-Identifier: MIT
/** @file body.hpp
 * Rigid bodies in space, their contacts, joints and gears as values; see perp/newton_euler.h and
 * perp/joint.h. q has seven entries, centre of mass and unit quaternion, v has six. */
#ifndef PERP_CXX_BODY_HPP
#define PERP_CXX_BODY_HPP

#include <array>
#include <cstdint>
#include <cstring>

#include "perp/joint.h"
#include "perp/relation.hpp"
#include "perp/system.hpp"

namespace perp {

/** Three numbers: a point, a direction, a force. */
using vector3 = std::array<double, 3>;
/** Three directions by columns. */
using frame3 = std::array<double, 9>;
/** Seven positions of a body. */
using pose = std::array<double, 7>;

namespace detail {

template <std::size_t n>
void copy(const double (&from)[n], std::array<double, n> &to) {
  std::memcpy(to.data(), from, sizeof from);
}
template <std::size_t n>
void copy(const std::array<double, n> &from, double (&to)[n]) {
  std::memcpy(to, from.data(), sizeof to);
}

}  // namespace detail

/** The pose of a body whose centre of mass is at x, turned by angle (rad) about axis. */
inline pose pose_at(const vector3 &x, const vector3 &axis = {1, 0, 0}, double angle = 0) {
  double Q[4];
  if (axis == vector3{})
    detail::refuse(PERP_EINVAL, "pose_at: axis must be a direction, not 0", "axis");
  perp_rotation_quaternion(axis.data(), angle, Q);
  return {x[0], x[1], x[2], Q[0], Q[1], Q[2], Q[3]};
}

/** A rigid body: m ẍ = f + F(t, q, v) + r_x, I Ω̇ + Ω × IΩ = T(t, q, v) + r_Ω. The rows of control
 * are three forces in the fixed frame and three torques in the frame of the body. */
struct body {
  /** Writes three entries. */
  using function = callable<double, positions, velocities, span>;
  /** Writes the derivatives of that by an increment of q and by v, 3 x 6 each by columns. */
  using derivative = callable<double, positions, velocities, span, second_span>;

  double mass = 1;           /**< kg                                                       */
  array inertia{1, 1, 1};    /**< about the centre of mass, in the frame of the body (kg m²): three
                                  principal moments, or nine entries                       */
  array f;                   /**< three entries: constant force (N) in the fixed frame     */
  function force;            /**< F in the fixed frame                                     */
  function torque;           /**< T in torque_frame                                        */
  derivative force_jacobian; /**< of F; none: differences                                  */
  derivative torque_jacobian; /**< of T in its own frame; none: differences                 */
  std::int32_t torque_frame = PERP_FRAME_BODY;        /**< or PERP_FRAME_FIXED          */
  std::int32_t gyroscopic = PERP_GYROSCOPIC_IMPLICIT; /**< PERP_GYROSCOPIC_EXPLICIT, ..._NONE */
  perp::control control; /**< T is 6 x n_u, u_dq by an increment of q    */
  array z;               /**< parameters of control: borrow() to change  */

  /** The most common fields; the others are set by name. */
  explicit body(double kilograms = 1, array moments = {1, 1, 1}, array constant_force = {})
      : mass(kilograms), inertia(std::move(moments)), f(std::move(constant_force)) {}
};

/** A homogeneous ball. */
inline body ball(double kilograms, double radius, array constant_force = {}) {
  const double I = 0.4 * kilograms * radius * radius;
  return body(kilograms, {I, I, I}, std::move(constant_force));
}

/** A homogeneous box with edges a, b, c. */
inline body brick(double kilograms, double a, double b, double c, array constant_force = {}) {
  const double k = kilograms / 12;
  return body(kilograms, {k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)},
              std::move(constant_force));
}

/** A ball on the half space normal·x <= offset. */
using sphere_plane = perp_sphere_plane;
/** Two balls. */
using sphere_sphere = perp_sphere_sphere;
/** A point of a body, a corner, on a half space. */
using point_plane = perp_point_plane;

/** Contact of one body with the ground, or of two; as many rows as the law has components. */
struct body_contact {
  /** Writes place: gap, normal, points; q has seven entries for each body. */
  using function = callable<double, positions, contact_place &>;
  /** What tells where they touch. */
  enum class kinds { own, ball_on_plane, balls, corner };
  kinds kind;                   /**< which of those that follow         */
  function locate;              /**< a callable, or a ready geometry    */
  sphere_plane ball_on_plane{}; /**< of kinds::ball_on_plane */
  sphere_sphere balls{};        /**< of kinds::balls         */
  point_plane corner{};         /**< of kinds::corner        */

  /** Of a geometry. */
  /**@{*/
  explicit body_contact(const sphere_plane &g) : kind(kinds::ball_on_plane), ball_on_plane(g) {}
  explicit body_contact(const sphere_sphere &g) : kind(kinds::balls), balls(g) {}
  explicit body_contact(const point_plane &g) : kind(kinds::corner), corner(g) {}
  explicit body_contact(function f) : kind(kinds::own), locate(std::move(f)) {}
  /**@}*/
};

/** Kinds of joints, see perp/joint.h. */
enum class joint_kind : std::int32_t {
  spherical = PERP_JOINT_SPHERICAL,
  pivot = PERP_JOINT_PIVOT,
  prismatic = PERP_JOINT_PRISMATIC,
  cylindrical = PERP_JOINT_CYLINDRICAL,
  fixed = PERP_JOINT_FIXED,
  screw = PERP_JOINT_SCREW
};

/** A joint of two bodies, or of one with the ground; goes with equality(). */
struct joint {
  joint_kind kind = joint_kind::spherical;   /**< what remains free                     */
  vector3 point_a{};                         /**< in the frame of the first body (m)    */
  vector3 point_b{};                         /**< of the second, or the fixed frame (m) */
  frame3 frame_a{1, 0, 0, 0, 1, 0, 0, 0, 1}; /**< axis and two directions across        */
  frame3 frame_b{1, 0, 0, 0, 1, 0, 0, 0, 1}; /**< of the other side, as frame_a         */
  double lead = 0;                           /**< of a screw: m in one turn             */
  std::int32_t bodies = 0;                   /**< placed for so many; 0: any            */

  /** With points and frames still to be set. */
  explicit joint(joint_kind k = joint_kind::spherical) : kind(k) {}
  /** At a point with an axis, in the fixed frame, while the bodies are at qa and qb (none: the
   * ground); this is where its angle and translation are 0. */
  joint(joint_kind k, const vector3 &point, const vector3 &axis, view qa, view qb = {}) : kind(k) {
    perp_joint c;
    if (qa.size() != 7) detail::wrong_size("joint", "qa", qa.size(), 7);
    if (!qb.empty() && qb.size() != 7) detail::wrong_size("joint", "qb", qb.size(), 7);
    check(perp_joint_init(&c, sizeof c, static_cast<std::int32_t>(k), qb.empty() ? 1 : 2), "joint");
    bodies = qb.empty() ? 1 : 2;
    check(perp_joint_place(&c, point.data(), axis.data(), qa.data(),
                           qb.empty() ? nullptr : qb.data()),
          "joint: point, axis or pose");
    detail::copy(c.point_a, point_a);
    detail::copy(c.point_b, point_b);
    detail::copy(c.frame_a, frame_a);
    detail::copy(c.frame_b, frame_b);
  }
};

/** Joints at a point and about an axis of the fixed frame while the bodies are at qa and qb (none:
 * the ground). */
/**@{*/
inline joint spherical_joint(const vector3 &point, view qa, view qb = {}) {
  return {joint_kind::spherical, point, {1, 0, 0}, qa, qb};
}
inline joint pivot_joint(const vector3 &point, const vector3 &axis, view qa, view qb = {}) {
  return {joint_kind::pivot, point, axis, qa, qb};
}
inline joint prismatic_joint(const vector3 &point, const vector3 &axis, view qa, view qb = {}) {
  return {joint_kind::prismatic, point, axis, qa, qb};
}
inline joint cylindrical_joint(const vector3 &point, const vector3 &axis, view qa, view qb = {}) {
  return {joint_kind::cylindrical, point, axis, qa, qb};
}
inline joint fixed_joint(const vector3 &point, view qa, view qb = {}) {
  return {joint_kind::fixed, point, {1, 0, 0}, qa, qb};
}
inline joint screw_joint(const vector3 &point, const vector3 &axis, double lead, view qa,
                         view qb = {}) {
  joint j(joint_kind::screw, point, axis, qa, qb);
  j.lead = lead;
  return j;
}
/**@}*/

/** What a coordinate of a joint is used for, see perp/joint.h. */
enum class coordinate_use : std::int32_t {
  rate = PERP_COORDINATE_RATE,
  effort = PERP_COORDINATE_EFFORT,
  stops = PERP_COORDINATE_STOPS,
  lower = PERP_COORDINATE_LOWER,
  upper = PERP_COORDINATE_UPPER
};

/** Angle or translation of a joint, for drives, friction and stops; joins the same bodies in the
 * same order. */
struct joint_coordinate {
  perp::joint of;                            /**< points and frames               */
  bool translation = false;                  /**< along the axis; false: about it */
  coordinate_use use = coordinate_use::rate; /**< what for                        */
  double lower = 0;                          /**< stop (rad or m)                 */
  double upper = 0;                          /**< stop (rad or m)                 */
  double centre = 0;                         /**< angles within π of it (rad)     */
  time_function rate;                        /**< prescribed, one entry           */

  /** Of the angle of a joint, still without stops and rate. */
  explicit joint_coordinate(const perp::joint &j, coordinate_use what = coordinate_use::rate,
                            bool is_translation = false)
      : of(j), translation(is_translation), use(what) {}
};

/** Coordinates by what they are for: the angle of a joint, or its translation. */
/**@{*/
/** Two stops: for a unilateral law of size 1, such as newton_impact(e). */
inline joint_coordinate joint_stops(const joint &j, double lower, double upper,
                                    bool translation = false) {
  joint_coordinate c(j, coordinate_use::stops, translation);
  c.lower = lower;
  c.upper = upper;
  c.centre = translation ? 0 : (lower + upper) / 2;
  return c;
}
/** A drive of prescribed rate: for equality(). */
inline joint_coordinate joint_drive(const joint &j, time_function rate, bool translation = false) {
  joint_coordinate c(j, coordinate_use::rate, translation);
  c.rate = std::move(rate);
  return c;
}
/** A drive of limited effort, or with no rate dry friction: for box(-limit, limit), N m or N. */
inline joint_coordinate joint_effort(const joint &j, time_function rate = {},
                                     bool translation = false) {
  joint_coordinate c(j, coordinate_use::effort, translation);
  c.rate = std::move(rate);
  return c;
}
/**@}*/

/** A pair of gears on two bodies, carried by the ground or a third body; goes with equality(). */
struct gear {
  std::int32_t teeth_a = 1;                    /**< > 0                                        */
  std::int32_t teeth_b = 1;                    /**< not 0; < 0: internal                       */
  frame3 frame_a{1, 0, 0, 0, 1, 0, 0, 0, 1};   /**< axis and two directions of the first       */
  frame3 frame_b{1, 0, 0, 0, 1, 0, 0, 0, 1};   /**< of the second                              */
  frame3 carrier_a{1, 0, 0, 0, 1, 0, 0, 0, 1}; /**< where frame_a is in the carrier            */
  frame3 carrier_b{1, 0, 0, 0, 1, 0, 0, 0, 1}; /**< where frame_b is in the carrier            */

  /** With frames still to be set. */
  gear(std::int32_t a, std::int32_t b) : teeth_a(a), teeth_b(b) {}
  /** About axes given in the fixed frame; the teeth mesh while the bodies are at qa, qb and the
   * carrier at qc (none: the ground). */
  gear(std::int32_t a, std::int32_t b, const vector3 &axis_a, const vector3 &axis_b, view qa,
       view qb, view qc = {})
      : gear(a, b) {
    perp_gear c;
    if (qa.size() != 7) detail::wrong_size("gear", "qa", qa.size(), 7);
    if (qb.size() != 7) detail::wrong_size("gear", "qb", qb.size(), 7);
    if (!qc.empty() && qc.size() != 7) detail::wrong_size("gear", "qc", qc.size(), 7);
    check(perp_gear_init(&c, sizeof c, qc.empty() ? 2 : 3), "gear");
    check(perp_gear_place(&c, axis_a.data(), axis_b.data(), qa.data(), qb.data(),
                          qc.empty() ? nullptr : qc.data()),
          "gear: axis or pose");
    detail::copy(c.frame_a, frame_a);
    detail::copy(c.frame_b, frame_b);
    detail::copy(c.carrier_a, carrier_a);
    detail::copy(c.carrier_b, carrier_b);
  }
};

namespace detail {

template <>
struct form<body> : system_form {
  perp_body c;
  template <class S>
  void fill(const S &b) {
    what = "body";
    check(perp_body_init(&c, sizeof c), what);
    head = &c.system;
    n_q = 7;
    back->of = {7, 6, b.z.size()};
    c.mass = b.mass;
    set_inertia(b.inertia);
    require_size(what, "f", b.f, 3);
    for (std::size_t i = 0; i < b.f.size(); i++) c.f[i] = b.f[i];
    back->bind<0>(c.force, b.force, 3);
    back->bind<1>(c.torque, b.torque, 3);
    back->bind<2>(c.force_jacobian, b.force_jacobian, 18);
    back->bind<3>(c.torque_jacobian, b.torque_jacobian, 18);
    c.user = back.get();
    c.torque_frame = b.torque_frame;
    c.gyroscopic = b.gyroscopic;
    symmetric = !b.force && !b.torque && b.gyroscopic != PERP_GYROSCOPIC_IMPLICIT;
    set_control(c.control, b.control);
    c.z = parameters(b.z);
    c.n_z = static_cast<std::int32_t>(b.z.size());
  }

 private:
  void set_inertia(const array &I) {
    if (I.size() != 3 && I.size() != 9) wrong_size(what, "inertia", I.size(), I.size() < 3 ? 3 : 9);
    std::memset(c.inertia, 0, sizeof c.inertia);
    const std::size_t step = I.size() == 3 ? 4 : 1;
    for (std::size_t i = 0; i < I.size(); i++) c.inertia[step * i] = I[i];
  }
};

/** Refuse to join anything but bodies, as many as from ... to. */
inline void require_bodies(const char *what, const joined_shape &at, std::int32_t from,
                           std::int32_t to) {
  if (at.systems < from || at.systems > to || at.n != 6 * at.systems || at.n_q != 7 * at.systems) {
    char text[128];
    const auto low = static_cast<long>(from), high = static_cast<long>(to);
    (void)(low < high
               ? std::snprintf(text, sizeof text, "%s: joins %ld to %ld bodies", what, low, high)
               : std::snprintf(text, sizeof text, "%s: joins %ld bodies", what, low));
    detail::refuse(PERP_EINVAL, text, "systems", -1, at.systems);
  }
}

template <>
struct form<body_contact> : relation_form {
  perp_body_contact c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    contact_ = r;
    what = "body_contact";
    require_bodies(what, at, 1, 2);
    check(perp_body_contact_init(&c, sizeof c, at.law_size, at.systems),
          "body_contact: components of the law");
    head = &c.relation;
    back->of.a = static_cast<std::size_t>(at.n_q);
    switch (contact_.kind) {
      case body_contact::kinds::own:
        back->bind<0>(c.locate, contact_.locate, 0);
        c.user = back.get();
        break;
      case body_contact::kinds::ball_on_plane:
        c.locate = perp_locate_sphere_plane, c.user = &contact_.ball_on_plane;
        break;
      case body_contact::kinds::balls:
        c.locate = perp_locate_sphere_sphere, c.user = &contact_.balls;
        break;
      case body_contact::kinds::corner:
        c.locate = perp_locate_point_plane, c.user = &contact_.corner;
        break;
    }
  }

 private:
  body_contact contact_{sphere_plane{}};
};

inline void copy_joint(const joint &j, std::int32_t bodies, perp_joint &c) {
  check(perp_joint_init(&c, sizeof c, static_cast<std::int32_t>(j.kind), bodies), "joint");
  copy(j.point_a, c.point_a);
  copy(j.point_b, c.point_b);
  copy(j.frame_a, c.frame_a);
  copy(j.frame_b, c.frame_b);
  c.lead = j.lead;
}

template <>
struct form<joint> : relation_form {
  perp_joint c;
  template <class R>
  void fill(const R &j, const joined_shape &at) {
    what = "joint";
    require_bodies(what, at, j.bodies == 0 ? 1 : j.bodies, j.bodies == 0 ? 2 : j.bodies);
    copy_joint(j, at.systems, c);
    head = &c.relation;
  }
};

template <>
struct form<joint_coordinate> : relation_form {
  perp_joint_coordinate c;
  template <class R>
  void fill(const R &r, const joined_shape &at) {
    what = "joint_coordinate";
    require_bodies(what, at, 1, 2);
    copy_joint(r.of, at.systems, joint_);
    check(perp_joint_coordinate_init(
              &c, sizeof c, &joint_,
              r.translation ? PERP_COORDINATE_TRANSLATION : PERP_COORDINATE_ANGLE,
              static_cast<std::int32_t>(r.use)),
          what);
    head = &c.relation;
    c.lower = r.lower;
    c.upper = r.upper;
    c.centre = r.centre;
    back->bind<0>(c.rate, r.rate, 1);
    c.user = back.get();
  }

 private:
  perp_joint joint_;
};

template <>
struct form<gear> : relation_form {
  perp_gear c;
  template <class R>
  void fill(const R &g, const joined_shape &at) {
    what = "gear";
    require_bodies(what, at, 2, 3);
    check(perp_gear_init(&c, sizeof c, at.systems), what);
    head = &c.relation;
    c.teeth_a = g.teeth_a;
    c.teeth_b = g.teeth_b;
    copy(g.frame_a, c.frame_a);
    copy(g.frame_b, c.frame_b);
    copy(g.carrier_a, c.carrier_a);
    copy(g.carrier_b, c.carrier_b);
  }
};

}  // namespace detail

/** Angle or translation of a joint while its bodies are at q (seven entries each). */
inline double coordinate_value(const joint &j, view q, bool translation = false) {
  if (q.size() != 7 && q.size() != 14) detail::wrong_size("coordinate_value", "q", q.size(), 7);
  perp_joint c;
  detail::copy_joint(j, static_cast<std::int32_t>(q.size() / 7), c);
  double value = 0;
  check(perp_joint_coordinate_value(
            &c, translation ? PERP_COORDINATE_TRANSLATION : PERP_COORDINATE_ANGLE, q.data(),
            nullptr, &value, nullptr),
        "coordinate_value");
  return value;
}

}  // namespace perp

#endif
