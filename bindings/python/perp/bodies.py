# SPDX-License-Identifier: MIT
"""Rigid bodies in space, their contacts, joints and gears; see docs/theory-rigid-bodies.md.

q = (x, Q): centre of mass (m) and unit quaternion, scalar part first: 7 entries. v = (ẋ, Ω):
velocity in the fixed frame (m/s), angular velocity in the frame of the body (rad/s): 6 entries.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import _c
from ._arrays import Array, address, assign, choice, copied, matrix, numbers, real, vector, words
from ._callbacks import deliver, guarded, named, result_of
from ._description import Form, Joined, part
from ._library import lib
from .errors import ArgumentError, check
from .relations import Relation
from .systems import Control, Function, System

KINDS = words("JOINT")
USES = words("COORDINATE", "rate", "effort", "stops", "lower", "upper")


def pose_at(x: Any, axis: Any = (1.0, 0.0, 0.0), angle: float = 0.0) -> Array:
    """Seven positions of a body whose centre of mass is at x (m), turned by angle (rad) about axis."""
    x, axis = vector("pose_at", "x", x, 3, finite=True), vector("pose_at", "axis", axis, 3, finite=True)
    if not axis.any():
        raise ArgumentError("pose_at: axis has no direction", "axis")
    pose = np.empty(7)
    pose[:3] = x
    lib.perp_rotation_quaternion(axis.ctypes.data, real("pose_at", "angle", angle), pose[3:].ctypes.data)
    return pose


def rotation_matrix(Q: Any) -> Array:
    """3 x 3 matrix that maps the frame of the body to the fixed frame, of a unit quaternion."""
    Q, R = vector("rotation_matrix", "Q", Q, 4), np.empty((3, 3), order="F")
    lib.perp_rotation_matrix(Q.ctypes.data, R.ctypes.data)
    return R


@dataclass
class Body(System):
    """A rigid body:  m ẍ = f + F(t, q, v) + r,  I Ω̇ + Ω × IΩ = T(t, q, v) + r.  control adds T(q) u(t,
    q, v): 6 rows, forces in the fixed frame and torques in the frame of the body; u_dq is n_u x 6.

    | field | shape, unit | function of |
    |---|---|---|
    | mass | kg | |
    | inertia | 3 principal moments or 3 x 3, frame of the body (kg m²) | |
    | f | 3 (N), fixed frame | |
    | force | 3 (N), fixed frame | t, q, v |
    | torque | 3 (N m), torque_frame "body" or "fixed" | t, q, v |
    | force_jacobian, torque_jacobian | (by_d, by_v), 3 x 6 each; None: differences | t, q, v |
    | gyroscopic | "implicit", "explicit", "none" | |
    """

    mass: float = 1.0
    inertia: Any = (1.0, 1.0, 1.0)
    f: Any = None
    force: Optional[Function] = part("3: t q v")
    torque: Optional[Function] = part("3: t q v")
    force_jacobian: Optional[Function] = None
    torque_jacobian: Optional[Function] = None
    torque_frame: str = "body"
    gyroscopic: str = "implicit"
    control: Optional[Control] = None
    z: Any = None
    _struct = "body"
    _moves = ("force", "torque")

    def _form(self) -> Form:
        form = self._filled(Form(self, "Body", self._struct, n=6, q=7, v=6))
        c, inertia = form.c, numbers("Body", "inertia", self.inertia)
        inertia = np.diag(inertia) if inertia.shape == (3,) else matrix("Body", "inertia", inertia, 3, 3)
        assign("Body", c, mass=self.mass, inertia=inertia.ravel(order="F"), f=np.zeros(3) if self.f is None else self.f)
        for name in ("force_jacobian", "torque_jacobian"):
            if getattr(self, name) is not None:
                setattr(c, name, form.keep(_derivatives(name, getattr(self, name))))
        c.torque_frame = choice("Body", "torque_frame", self.torque_frame, words("FRAME"))
        c.gyroscopic = choice("Body", "gyroscopic", self.gyroscopic, words("GYROSCOPIC"))
        form.symmetric = form.symmetric and self.gyroscopic != "implicit"
        return form


def _derivatives(name: str, function: Any) -> Any:
    """A function that returns two 3 x 6 arrays."""
    label = f"Body: {name}"
    function, names = named(function, ("t", "q", "v"), label)

    def body(t: float, q: int, v: int, by_d: int, by_v: int, user: Any) -> int:
        given = {"t": t, "q": copied(q, 7), "v": copied(v, 6)}
        pair = function(*[given[n] for n in names])
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"{label} returned {type(pair).__name__}, the pair (by_d, by_v) is needed")
        for to, part in zip((by_d, by_v), pair):
            deliver(to, result_of((3, 6), part, label))
        return 0
    return guarded(_c.perp_body_jacobian_fn, body)


def ball(mass: float, radius: float, f: Any = None) -> Body:
    """A homogeneous ball; kg, m, N."""
    moment = 0.4 * real("ball", "mass", mass) * real("ball", "radius", radius) ** 2
    return Body(mass, (moment, moment, moment), f, gyroscopic="none")


def brick(mass: float, sides: Any, f: Any = None) -> Body:
    """A homogeneous brick of three sides (m)."""
    a, b, c = vector("brick", "sides", sides, 3)
    k = real("brick", "mass", mass) / 12
    return Body(mass, (k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b)), f)


@dataclass
class ContactPlace:
    """Where and how two bodies, or a body and the ground, touch or would touch; fixed frame."""

    gap: float                                # along the normal, < 0: they overlap (m)
    normal: Any                               # length 1, from the second body or ground to the first
    a: Any                                    # point of the first body (m)
    b: Any = (0.0, 0.0, 0.0)                  # point of the second body (m)
    tangent: Any = (0.0, 0.0, 0.0)            # first tangential direction; 0: chosen
    velocity: Any = (0.0, 0.0, 0.0)           # of the ground at the contact (m/s)

    def write(self, c: Any, judged: bool = False) -> None:
        """Into a perp_contact_place. judged: C looks at the normal, and names the contact."""
        assign("ContactPlace", c, **vars(self))
        length = float(np.linalg.norm(c.normal))
        if not judged and abs(length - 1) > 1e-6:
            raise ArgumentError(f"ContactPlace: normal has length {length}, 1 is needed", "normal", value=length)


@dataclass
class SpherePlane:
    """A ball about the centre of mass on the half space normal·x <= offset (m)."""

    radius: float
    normal: Any = (0.0, 0.0, 1.0)
    offset: float = 0.0


@dataclass
class SphereSphere:
    """Two balls about the centres of mass, radii (m) of the first and the second."""

    radius: Any


@dataclass
class PointPlane:
    """A point of the body (m, its frame), such as a corner, on the half space normal·x <= offset."""

    point: Any
    normal: Any = (0.0, 0.0, 1.0)
    offset: float = 0.0


_GEOMETRY: dict[type, str] = {SpherePlane: "sphere_plane", SphereSphere: "sphere_sphere", PointPlane: "point_plane"}


def require_bodies(what: str, at: Joined, least: int, most: int) -> None:
    """Refuse to join anything but bodies, and not as many."""
    if not least <= at.systems <= most or at.n != 6 * at.systems or at.n_q != 7 * at.systems:
        raise ArgumentError(f"{what}: systems have to be {least} to {most} bodies", "systems", value=at.systems)


@dataclass
class BodyContact(Relation):
    """Contact of a body with the ground, or of two; rows as the law has components. locate: a
    SpherePlane, SphereSphere, PointPlane, or a function of t, q (7 for each body) that returns a
    ContactPlace."""

    locate: Union[SpherePlane, SphereSphere, PointPlane, Function]

    def _form(self, at: Joined) -> Form:
        require_bodies("BodyContact", at, 1, 2)
        form = Form(self, "BodyContact", "body_contact", arguments=(at.law_size, at.systems), m=at.law_size)
        if type(self.locate) in _GEOMETRY:
            name = _GEOMETRY[type(self.locate)]
            geometry = form.keep(getattr(_c, f"perp_{name}")())
            assign("BodyContact", geometry, **vars(self.locate))
            form.c.locate = ctypes.cast(getattr(lib, f"perp_locate_{name}"), _c.perp_locate_fn)
            form.c.user = ctypes.addressof(geometry)
        else:
            form.c.locate = form.keep(_locator(self.locate, at.n_q))
        return form


def _locator(locate: Any, n_q: int) -> Any:
    locate, names = named(locate, ("t", "q"), "BodyContact: locate")

    def body(t: float, q: int, place: Any, user: Any) -> int:
        given = {"t": t, "q": copied(q, n_q)}
        found = locate(*[given[n] for n in names])
        if not isinstance(found, ContactPlace):
            raise TypeError(f"BodyContact: locate returned {type(found).__name__}, a ContactPlace is needed")
        found.write(place.contents)
        return 0
    return guarded(_c.perp_locate_fn, body)


_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclass
class Joint(Relation):
    """A joint of two bodies, or of one with the ground; goes with equality(). Made by the functions
    below, or by its fields: points (3) and frames (9, by columns: axis and two directions across)."""

    kind: str = "spherical"
    point_a: Any = (0.0, 0.0, 0.0)
    point_b: Any = (0.0, 0.0, 0.0)
    frame_a: Any = _IDENTITY
    frame_b: Any = _IDENTITY
    lead: float = 0.0
    bodies: Optional[int] = None  # that it was placed for, 1 or 2; None: as many as it joins

    def _made(self, bodies: int) -> Form:
        form = Form(self, "Joint", "joint", arguments=(choice("Joint", "kind", self.kind, KINDS), bodies))
        assign("Joint", form.c, **{name: getattr(self, name) for name in ("point_a", "point_b", "frame_a", "frame_b", "lead")})
        return form

    def _form(self, at: Joined) -> Form:
        require_bodies("Joint", at, 1, 2)
        if self.bodies not in (None, at.systems):
            raise ArgumentError(f"Joint: it was placed for {self.bodies} bodies and joins {at.systems}", "systems")
        return self._made(at.systems)


def joint(kind: str, point: Any, axis: Any, qa: Any, qb: Any = None, lead: float = 0.0) -> Joint:
    """A joint at a point (m) with an axis, in the fixed frame, while the bodies are at qa and qb (None:
    the ground); this is where its angle and translation are 0."""
    c = Joint(kind)._made(1 if qb is None else 2).c
    point = vector("joint", "point", point, 3)
    axis = None if axis is None else vector("joint", "axis", axis, 3)
    qa = vector("joint", "qa", qa, 7)
    qb = None if qb is None else vector("joint", "qb", qb, 7)
    check(lib.perp_joint_place(c, *[address(row) for row in (point, axis, qa, qb)]), "joint: point, axis or pose")
    return Joint(kind, tuple(c.point_a), tuple(c.point_b), tuple(c.frame_a), tuple(c.frame_b),
                 real("joint", "lead", lead), 1 if qb is None else 2)


def spherical_joint(point: Any, qa: Any, qb: Any = None) -> Joint:
    """The points coincide: three rotations remain."""
    return joint("spherical", point, None, qa, qb)


def pivot_joint(point: Any, axis: Any, qa: Any, qb: Any = None) -> Joint:
    """Rotation about the axis remains."""
    return joint("pivot", point, axis, qa, qb)


def prismatic_joint(point: Any, axis: Any, qa: Any, qb: Any = None) -> Joint:
    """Translation along the axis remains."""
    return joint("prismatic", point, axis, qa, qb)


def cylindrical_joint(point: Any, axis: Any, qa: Any, qb: Any = None) -> Joint:
    """Rotation about and translation along the axis remain."""
    return joint("cylindrical", point, axis, qa, qb)


def fixed_joint(point: Any, qa: Any, qb: Any = None) -> Joint:
    """Nothing remains."""
    return joint("fixed", point, None, qa, qb)


def screw_joint(point: Any, axis: Any, lead: float, qa: Any, qb: Any = None) -> Joint:
    """Rotation with translation by lead (m) in a turn."""
    return joint("screw", point, axis, qa, qb, lead)


@dataclass
class JointCoordinate(Relation):
    """Angle (rad) or translation (m) of a joint: drives, friction and stops; joins the same bodies in
    the same order. use: "rate", "effort", "stops", "lower", "upper"; rate: one entry, of t."""

    of: Joint
    use: str = "rate"
    translation: bool = False
    lower: float = 0.0
    upper: float = 0.0
    centre: float = 0.0
    rate: Optional[Function] = part("1: t")

    def _form(self, at: Joined) -> Form:
        what = "JointCoordinate"
        require_bodies(what, at, 1, 2)
        held = self.of._made(at.systems).c
        form = Form(self, what, "joint_coordinate",
                    arguments=(ctypes.pointer(held), int(bool(self.translation)), choice(what, "use", self.use, USES)))
        form.keep(held)
        assign(what, form.c, lower=self.lower, upper=self.upper, centre=self.centre)
        form.fill()
        return form


def joint_stops(of: Joint, lower: float, upper: float, translation: bool = False) -> JointCoordinate:
    """Two stops: for a unilateral law of size 1, such as newton_impact(e)."""
    centre = 0.0 if translation else (lower + upper) / 2
    return JointCoordinate(of, "stops", translation, lower, upper, centre)


def joint_drive(of: Joint, rate: Function, translation: bool = False) -> JointCoordinate:
    """A drive of prescribed rate(t): for equality()."""
    return JointCoordinate(of, "rate", translation, rate=rate)


def joint_effort(of: Joint, rate: Optional[Function] = None, translation: bool = False) -> JointCoordinate:
    """A drive of limited effort, or with no rate dry friction: for box(-limit, limit), N m or N."""
    return JointCoordinate(of, "effort", translation, rate=rate)


def coordinate_value(of: Joint, q: Any, translation: bool = False) -> float:
    """Angle or translation of a joint while its bodies are at q, 7 entries each."""
    q = vector("coordinate_value", "q", q)
    if q.size not in (7, 14):
        raise ArgumentError(f"coordinate_value: q has {q.size} entries, 7 or 14 are needed", "q", value=q.size)
    value = ctypes.c_double()
    check(lib.perp_joint_coordinate_value(of._made(q.size // 7).c, int(bool(translation)), q.ctypes.data, None,
                                          ctypes.byref(value), None), "coordinate_value")
    return value.value


@dataclass
class Gear(Relation):
    """A pair of gears on two bodies, carried by the ground or a third: z_A ω_A + z_B ω_B = 0; goes with
    equality(). About axes of the fixed frame; the teeth mesh while the bodies are at qa, qb, and the
    carrier at qc. teeth_b < 0: internal."""

    teeth_a: int
    teeth_b: int
    axis_a: Any
    axis_b: Any
    qa: Any
    qb: Any
    qc: Any = None

    def _form(self, at: Joined) -> Form:
        require_bodies("Gear", at, 2, 3)
        form = Form(self, "Gear", "gear", arguments=(at.systems,))
        assign("Gear", form.c, teeth_a=self.teeth_a, teeth_b=self.teeth_b)
        if at.systems == 3 and self.qc is None:
            raise ArgumentError("Gear: qc is needed with a carrier", "qc")
        rows = [vector("Gear", name, getattr(self, name), size) for name, size in
                (("axis_a", 3), ("axis_b", 3), ("qa", 7), ("qb", 7), ("qc", 7))[:at.systems + 2]]
        check(lib.perp_gear_place(form.c, *[r.ctypes.data for r in rows], *[None] * (5 - len(rows))), "Gear: axis or pose")
        return form
