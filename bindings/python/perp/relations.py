# SPDX-License-Identifier: MIT
"""Relations between systems and laws, as values; see docs/relations.md for equations and sources.

m rows; n velocities (or states) and n_q positions of the systems joined, one after another; H of
shape (m, n). λ is an impulse (N s) under Moreau-Jean and at force level at order 1. Functions and
Jacobians as in perp.systems; what they may name is in the tables.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, ClassVar, Optional, Sequence

import numpy as np

from . import _c
from ._arrays import Matrix, integer, numbers, parameters
from ._callbacks import Callbacks, Guard
from ._description import Form, Joined
from ._library import lib
from .errors import ArgumentError, check
from .systems import TIME, Function, Jacobian

GAP = ("t", "q", "lambda_", "z", "out", "")     # perp_gap_fn
VELOCITY = ("t", "q", "v", "z", "out", "")      # perp_velocity_fn
RELATION = ("t", "x", "lambda_", "z", "out", "")  # perp_relation_fn


class Relation:
    """A kind of relation; `order` is that of the systems it joins."""

    order = 2

    def _form(self, at: Joined, guard: Guard) -> "RelationForm":
        raise NotImplementedError


class RelationForm(Form):
    """The C description of a relation of m rows."""

    def __init__(self, what: str, kind: Any, m: int, at: Joined, guard: Guard, init: str = "",
                 arguments: Sequence[Any] | None = None):
        self.m = m
        super().__init__(what, Callbacks(guard, {"q": at.n_q, "v": at.n, "x": at.n, "lambda_": m, "z": 0}))
        self.c = kind()
        function = getattr(lib, init or f"{kind.__name__}_init")
        check(function(self.c, ctypes.sizeof(kind), *((m, at.n) if arguments is None else arguments)), what)
        self.head = ctypes.addressof(self.c)

    def parameters(self, c: Any, z: Any) -> None:
        """Let z be read where it is."""
        if z is None:
            return
        array = self.keep(parameters(self.what, "z", z))
        self.callbacks.sizes["z"] = c.n_z = array.size
        c.z = array.ctypes.data if array.size else None

    def need(self, **given: Any) -> None:
        for name, value in given.items():
            if value is None:
                raise ArgumentError(f"{self.what}: {name} is needed", name)


def rows_of(what: str, name: str, H: Any, m: Any, n: int) -> int:
    """Rows of a relation: as said, or as its matrix tells."""
    if m is not None:
        return integer(what, "m", m, 1)
    if H is None:
        return 1
    shape = tuple(H.shape) if hasattr(H, "tocsr") else numbers(what, name, H).shape
    if len(shape) == 2:
        return max(int(shape[0]), 1)
    return shape[0] if len(shape) == 1 and n == 1 else 1


@dataclass
class LagrangianLinearRelation(Relation):
    """y = H q + F z + b,  ẏ = H v + D λ,  r = Hᵀ λ.  H: m x n (a row of n entries is one row), or
    sparse; D: m x m; F: m x n_z; b: m."""

    H: Any
    b: Any = None
    D: Any = None
    F: Any = None
    z: Any = None
    m: Optional[int] = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        what = "LagrangianLinearRelation"
        m = rows_of(what, "H", self.H, self.m, at.n)
        form = RelationForm(what, _c.perp_lagrangian_linear_relation, m, at, guard)
        c = form.c
        if hasattr(self.H, "tocsr"):
            c.H_rows = form.keep(Matrix(what, "H", self.H, m, at.n)).c
        else:
            form.need(H=self.H)
            c.H = form.matrix("H", self.H, m, at.n)
        c.D, c.b = form.matrix("D", self.D, m, m), form.vector("b", self.b, m)
        form.parameters(c, self.z)
        c.F = form.matrix("F", self.F, m, c.n_z)
        if c.n_z and self.F is None:
            raise ArgumentError(f"{what}: z without F", "F")
        return form


@dataclass
class LagrangianScleronomous(Relation):
    """y = h(q, z),  ẏ = H v,  r = Hᵀ λ,  H = ∂h/∂q.  h (m) and H (m x n) are functions of q, z; bias
    (m; of q, v, z) is γ in ÿ = H v̇ + γ, for event-driven integration. Of bodies q has 7 entries
    each, H 6 columns for each, and H is needed."""

    h: Function
    H: Jacobian = None
    m: int = 1
    z: Any = None
    typical_q: Any = None
    bias: Jacobian = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        return _positions(self, "scleronomous", at, guard, ("q", "z"))


@dataclass
class LagrangianRheonomous(Relation):
    """y = h(t, q, z),  ẏ = H v + ∂h/∂t,  r = Hᵀ λ.  h (m), H (m x n), h_t (m) are functions of t, q,
    z; otherwise as LagrangianScleronomous."""

    h: Function
    H: Jacobian = None
    h_t: Jacobian = None
    m: int = 1
    z: Any = None
    typical_q: Any = None
    bias: Jacobian = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        return _positions(self, "rheonomous", at, guard, ("t", "q", "z"))


@dataclass
class LagrangianCompliant(Relation):
    """y = h(q, λ, z),  ẏ = H v + (∂h/∂λ) λ̇,  r = Hᵀ λ, λ as a force.  h (m), H (m x n), D = ∂h/∂λ
    (m x m) are functions of q, lambda_, z."""

    h: Function
    H: Jacobian = None
    D: Jacobian = None
    m: int = 1
    z: Any = None
    typical_q: Any = None
    typical_lambda: Any = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        return _positions(self, "compliant", at, guard, ("q", "lambda_", "z"))


def _positions(r: Any, kind: str, at: Joined, guard: Guard, names: tuple[str, ...]) -> RelationForm:
    what = f"Lagrangian{kind.capitalize()}"
    m = integer(what, "m", r.m, 1)
    form = RelationForm(what, _c.perp_lagrangian_relation, m, at, guard, f"perp_lagrangian_{kind}_init")
    c = form.c
    form.parameters(c, r.z)
    form.need(h=r.h)
    form.function(c, "h", GAP, r.h, (m,), names)
    form.function(c, "H", GAP, r.H, (m, at.n), names)
    form.function(c, "h_t", GAP, getattr(r, "h_t", None), (m,), names)
    form.function(c, "D", GAP, getattr(r, "D", None), (m, m), names)
    form.function(c, "bias", VELOCITY, getattr(r, "bias", None), (m,), ("t", "q", "v", "z"))
    c.bodies = int(at.n_q != at.n)
    c.typical_q = form.vector("typical_q", r.typical_q, at.n)
    if kind == "compliant":
        c.typical_lambda = form.vector("typical_lambda", r.typical_lambda, m)
        form.symmetric = m == 1
    return form


@dataclass
class LagrangianVelocityRelation(Relation):
    """ẏ = g(t, q, v, z),  r = Hᵀ λ,  H = ∂g/∂v; without a position: skates, wheels, clutches.  g (m),
    H (m x n) and bias (m) are functions of t, q, v, z."""

    g: Function
    H: Jacobian = None
    m: int = 1
    z: Any = None
    typical_v: Any = None
    bias: Jacobian = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        what = "LagrangianVelocityRelation"
        m, names = integer(what, "m", self.m, 1), ("t", "q", "v", "z")
        form = RelationForm(what, _c.perp_lagrangian_velocity_relation, m, at, guard)
        c = form.c
        form.parameters(c, self.z)
        form.need(g=self.g)
        form.function(c, "g", VELOCITY, self.g, (m,), names)
        form.function(c, "H", VELOCITY, self.H, (m, at.n), names)
        form.function(c, "bias", VELOCITY, self.bias, (m,), names)
        c.bodies = int(at.n_q != at.n)
        c.typical_v = form.vector("typical_v", self.typical_v, at.n)
        return form


@dataclass
class LagrangianContactRelation(Relation):
    """Contacts with friction on mechanisms, as many rows each as the law has components, the first
    normal: ẏ_n = G v + ∂h/∂t, ẏ_t = T v + s.

    | field | shape | function of |
    |---|---|---|
    | h | gaps | t, q, z |
    | G | gaps x n, ∂h/∂q | t, q, z |
    | T | gaps (size − 1) x n: tangents of the first gap, of the second, ... | t, q, z |
    | h_t | gaps, None: 0 | t, q, z |
    | s | gaps (size − 1): velocity of what they touch, as in ẏ_t; None: 0 | t, q, z |
    | bias | all rows | t, q, v, z |
    """

    h: Function
    T: Any
    G: Jacobian = None
    h_t: Jacobian = None
    s: Jacobian = None
    gaps: int = 1
    z: Any = None
    typical_q: Any = None
    bias: Jacobian = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        what = "LagrangianContactRelation"
        gaps = integer(what, "gaps", self.gaps, 1)
        if at.law_size < 2:
            raise ArgumentError(f"{what}: the law needs tangential components", "size", value=at.law_size)
        m, tangents, names = gaps * at.law_size, gaps * (at.law_size - 1), ("t", "q", "z")
        form = RelationForm(what, _c.perp_lagrangian_contact_relation, m, at, guard,
                            arguments=(gaps, at.law_size, at.n))
        c = form.c
        form.parameters(c, self.z)
        form.need(h=self.h, T=self.T)
        form.function(c, "h", GAP, self.h, (gaps,), names)
        form.function(c, "G", GAP, self.G, (gaps, at.n), names)
        form.function(c, "T", GAP, self.T, (tangents, at.n), names)
        form.function(c, "h_t", GAP, self.h_t, (gaps,), names)
        form.function(c, "s", GAP, self.s, (tangents,), names)
        form.function(c, "bias", VELOCITY, self.bias, (m,), ("t", "q", "v", "z"))
        c.bodies = int(at.n_q != at.n)
        c.typical_q = form.vector("typical_q", self.typical_q, at.n)
        return form


@dataclass
class PrescribedVelocity(Relation):
    """ẏ_i = v_index(i) − v̄_i(t),  v̄_i = constant_i + Σ_k a_ik cos(ω_ik t + φ_ik) + velocity_i(t): for
    equality().  harmonics: m x k x 3 (amplitude m/s, omega rad/s, phase rad); velocity (m) of t."""

    index: Any = (0,)
    constant: Any = None
    harmonics: Any = None
    velocity: Optional[Function] = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        what = "PrescribedVelocity"
        given = [self.index] if np.ndim(self.index) == 0 else self.index
        index = np.array([integer(what, "index", i, 0, at.n - 1) for i in given], dtype=np.int32)
        if index.size == 0:
            raise ArgumentError(f"{what}: index is empty", "index")
        m = index.size
        form = RelationForm(what, _c.perp_prescribed_velocity, m, at, guard)
        c = form.c
        c.index = form.keep(index).ctypes.data
        c.constant = form.vector("constant", self.constant, m)
        if self.harmonics is not None:
            parts = form.keep(np.ascontiguousarray(numbers(what, "harmonics", self.harmonics)))
            if parts.ndim == 2 and m == 1:
                parts = parts[np.newaxis]
            if parts.ndim != 3 or parts.shape[0] != m or parts.shape[2] != 3:
                raise ArgumentError(f"{what}: harmonics has shape {parts.shape}, ({m}, any, 3) is needed",
                                    "harmonics", value=float(parts.size))
            c.harmonics = ctypes.cast(parts.ctypes.data, ctypes.POINTER(_c.perp_harmonic))
            c.n_harmonics = parts.shape[1]
        form.function(c, "velocity", TIME, self.velocity, (m,), ("t",))
        return form


@dataclass
class LinearRelation(Relation):
    """y = C x + D λ + F z + e,  r = B λ + a: first order, constant.  C: m x n, D: m x m, B: n x m, F:
    m x n_z, e: m, a: n; None: 0."""

    order = 1
    C: Any = None
    B: Any = None
    D: Any = None
    F: Any = None
    e: Any = None
    a: Any = None
    z: Any = None
    m: Optional[int] = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        m = rows_of("LinearRelation", "C", self.C, self.m, at.n)
        form = RelationForm("LinearRelation", _c.perp_linear_relation, m, at, guard)
        form.need(C=self.C)
        _constants(form, form.c, self, m, at.n)
        return form


@dataclass
class LinearVaryingRelation(Relation):
    """The same with coefficients that are functions of t, or constants: C(t) x + D(t) λ + F(t) z +
    e(t), B(t) λ + a(t). m rows are needed where C is a function."""

    order = 1
    C: Any = None
    B: Any = None
    D: Any = None
    F: Any = None
    e: Any = None
    a: Any = None
    z: Any = None
    m: Optional[int] = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        m = rows_of("LinearVaryingRelation", "C", None if callable(self.C) else self.C, self.m, at.n)
        form = RelationForm("LinearVaryingRelation", _c.perp_linear_varying_relation, m, at, guard)
        form.need(C=self.C)
        constant = LinearVaryingRelation(**{k: None if callable(v) else v for k, v in vars(self).items()})
        _constants(form, form.c.linear, constant, m, at.n)
        n_z = form.c.linear.n_z
        for name, shape in (("C", (m, at.n)), ("D", (m, m)), ("B", (at.n, m)), ("F", (m, n_z)), ("e", (m,)),
                            ("a", (at.n,))):
            if callable(getattr(self, name)):
                form.function(form.c, name, TIME, getattr(self, name), shape, ("t",))
        return form


def _constants(form: RelationForm, c: Any, r: Any, m: int, n: int) -> None:
    form.parameters(c, r.z)
    c.C, c.D, c.B = form.matrix("C", r.C, m, n), form.matrix("D", r.D, m, m), form.matrix("B", r.B, n, m)
    c.F = form.matrix("F", r.F, m, c.n_z) if c.n_z or r.F is not None else None
    c.e, c.a = form.vector("e", r.e, m), form.vector("a", r.a, n)


@dataclass
class FirstOrderRelation(Relation):
    """y = h(t, x, λ, z),  r = g(t, x, λ, z): functions of t, x, lambda_, z.  Jacobians C = ∂h/∂x
    (m x n), D = ∂h/∂λ (m x m), B = ∂g/∂λ (n x m), K = ∂g/∂x (n x n), h_t = ∂h/∂t (m)."""

    order = 1
    _kind: ClassVar[str] = "relation"
    _h: ClassVar[tuple[str, ...]] = ("t", "x", "lambda_", "z")
    _g: ClassVar[tuple[str, ...]] = ("t", "x", "lambda_", "z")
    h: Function
    g: Optional[Function] = None
    m: int = 1
    C: Jacobian = None
    D: Jacobian = None
    B: Jacobian = None
    K: Jacobian = None
    h_t: Jacobian = None
    z: Any = None
    typical_x: Any = None
    typical_lambda: Any = None

    def _form(self, at: Joined, guard: Guard) -> RelationForm:
        what, n = type(self).__name__, at.n
        m = integer(what, "m", self.m, 1)
        form = RelationForm(what, _c.perp_first_order_relation, m, at, guard,
                            f"perp_first_order_{self._kind}_init")
        c = form.c
        form.parameters(c, self.z)
        form.need(h=self.h)
        for name, shape, offered in (("h", (m,), self._h), ("g", (n,), self._g), ("C", (m, n), self._h),
                                     ("D", (m, m), self._h), ("B", (n, m), self._g), ("K", (n, n), self._g),
                                     ("h_t", (m,), self._h)):
            form.function(c, name, RELATION, getattr(self, name), shape, offered)
        c.typical_x = form.vector("typical_x", self.typical_x, n)
        c.typical_lambda = form.vector("typical_lambda", self.typical_lambda, m)
        return form


@dataclass
class FirstOrderType1(FirstOrderRelation):
    """y = h(t, x, z),  r = g(t, λ, z)."""

    _kind = "type1"
    _h = ("t", "x", "z")
    _g = ("t", "lambda_", "z")


@dataclass
class FirstOrderType2(FirstOrderRelation):
    """y = h(t, x, λ, z),  r = g(t, λ, z)."""

    _kind = "type2"
    _g = ("t", "lambda_", "z")
