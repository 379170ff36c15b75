# SPDX-License-Identifier: MIT
"""Relations between systems and laws, as values; see docs/theory-model.md for equations and sources.

m rows; n velocities (or states) and n_q positions of the systems joined, one after another; H of
shape (m, n). λ is an impulse (N s) under Moreau-Jean and at force level at order 1. Functions and
Jacobians as in perp.systems; what they may name is in the tables.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, ClassVar, Optional

import numpy as np

from . import _c
from ._arrays import integer, numbers
from ._description import Form, Joined, part, parts
from .compiled import is_function
from .errors import ArgumentError
from .systems import Function, Jacobian


class Relation:
    """A kind of relation; `order` is that of the systems it joins."""

    order = 2
    _struct: ClassVar[str] = ""  # of C, without perp_
    _init: ClassVar[str] = ""    # its function, where it has another name

    def _rows(self, at: Joined) -> int:
        return integer(type(self).__name__, "m", self.m, 1)  # type: ignore[attr-defined]

    def _form(self, at: Joined) -> Form:
        m = self._rows(at)
        form = self._begun(at, m, (m, at.n))
        form.need()
        if hasattr(self, "z"):
            form.parameters(form.c)
        form.fill()
        return form

    def _begun(self, at: Joined, m: int, arguments: Any, **sizes: int) -> Form:
        """The description, initialised, of m rows."""
        form = Form(self, type(self).__name__, self._struct, self._init, arguments, n=at.n, q=at.n_q, v=at.n, x=at.n,
                    m=m, lambda_=m, **sizes)
        if hasattr(form.c, "bodies"):
            form.c.bodies = int(at.n_q != at.n)
        return form


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
    b: Any = part("m")
    D: Any = part("m m")
    F: Any = part("m z")
    z: Any = None
    m: Optional[int] = None
    _struct = "lagrangian_linear_relation"

    def _rows(self, at: Joined) -> int:
        return rows_of(type(self).__name__, "H", self.H, self.m, at.n)

    def _form(self, at: Joined) -> Form:
        form = super()._form(at)
        form.need("H")
        if form.c.n_z and self.F is None:
            raise ArgumentError(f"{form.what}: z without F", "F")
        form.put(form.c, "H", self.H, "m n", field="H_rows" if hasattr(self.H, "tocsr") else "H")
        return form


@dataclass
class LagrangianScleronomous(Relation):
    """y = h(q, z),  ẏ = H v,  r = Hᵀ λ,  H = ∂h/∂q.  h (m) and H (m x n) are functions of q, z; bias
    (m; of q, v, z) is γ in ÿ = H v̇ + γ, for event-driven integration. Of bodies q has 7 entries
    each, H 6 columns for each, and H is needed."""

    h: Function = part("m: . q . z", ...)
    H: Jacobian = part("m n: . q . z")
    m: int = 1
    z: Any = None
    typical_q: Any = part("n")
    bias: Jacobian = part("m: t q v z")
    _struct, _init = "lagrangian_relation", "lagrangian_scleronomous"


@dataclass
class LagrangianRheonomous(Relation):
    """y = h(t, q, z),  ẏ = H v + ∂h/∂t,  r = Hᵀ λ.  h (m), H (m x n), h_dt (m) are functions of t, q,
    z; otherwise as LagrangianScleronomous."""

    h: Function = part("m: t q . z", ...)
    H: Jacobian = part("m n: t q . z")
    h_dt: Jacobian = part("m: t q . z")
    m: int = 1
    z: Any = None
    typical_q: Any = part("n")
    bias: Jacobian = part("m: t q v z")
    _struct, _init = "lagrangian_relation", "lagrangian_rheonomous"


@dataclass
class LagrangianCompliant(Relation):
    """y = h(q, λ, z),  ẏ = H v + (∂h/∂λ) λ̇,  r = Hᵀ λ, λ as a force.  h (m), H (m x n), D = ∂h/∂λ
    (m x m) are functions of q, lambda_, z."""

    h: Function = part("m: . q lambda_ z", ...)
    H: Jacobian = part("m n: . q lambda_ z")
    D: Jacobian = part("m m: . q lambda_ z")
    m: int = 1
    z: Any = None
    typical_q: Any = part("n")
    typical_lambda: Any = part("m")
    _struct, _init = "lagrangian_relation", "lagrangian_compliant"

    def _form(self, at: Joined) -> Form:
        form = super()._form(at)
        form.symmetric = self.m == 1
        return form


@dataclass
class LagrangianVelocityRelation(Relation):
    """ẏ = g(t, q, v, z),  r = Hᵀ λ,  H = ∂g/∂v; without a position: skates, wheels, clutches.  g (m),
    H (m x n) and bias (m) are functions of t, q, v, z."""

    g: Function = part("m: t q v z", ...)
    H: Jacobian = part("m n: t q v z")
    m: int = 1
    z: Any = None
    typical_v: Any = part("n")
    bias: Jacobian = part("m: t q v z")
    _struct = "lagrangian_velocity_relation"


@dataclass
class LagrangianContactRelation(Relation):
    """Contacts with friction on mechanisms, as many rows each as the law has components, the first
    normal: ẏ_n = G v + ∂h/∂t, ẏ_t = T v + s.

    | field | shape | function of |
    |---|---|---|
    | h | gaps | t, q, z |
    | G | gaps x n, ∂h/∂q | t, q, z |
    | T | gaps (size − 1) x n: tangents of the first gap, of the second, ... | t, q, z |
    | h_dt | gaps, None: 0 | t, q, z |
    | s | gaps (size − 1): velocity of what they touch, as in ẏ_t; None: 0 | t, q, z |
    | bias | all rows | t, q, v, z |
    """

    h: Function = part("gaps: t q . z", ...)
    T: Any = part("tangents n: t q . z", ...)
    G: Jacobian = part("gaps n: t q . z")
    h_dt: Jacobian = part("gaps: t q . z")
    s: Jacobian = part("tangents: t q . z")
    gaps: int = 1
    z: Any = None
    typical_q: Any = part("n")
    bias: Jacobian = part("m: t q v z")
    _struct = "lagrangian_contact_relation"

    def _rows(self, at: Joined) -> int:
        if at.law_size < 2:
            raise ArgumentError("LagrangianContactRelation: the law needs tangential components", "size",
                                value=at.law_size)
        return at.law_size * integer("LagrangianContactRelation", "gaps", self.gaps, 1)

    def _begun(self, at: Joined, m: int, arguments: Any, **sizes: int) -> Form:
        return super()._begun(at, m, (self.gaps, at.law_size, at.n), gaps=self.gaps, tangents=m - self.gaps)


@dataclass
class PrescribedVelocity(Relation):
    """ẏ_i = v_index(i) − v̄_i(t),  v̄_i = constant_i + Σ_k a_ik cos(ω_ik t + φ_ik) + velocity_i(t): for
    equality().  harmonics: m x k x 3 (amplitude m/s, omega rad/s, phase rad); velocity (m) of t."""

    index: Any = (0,)
    constant: Any = part("m")
    harmonics: Any = None
    velocity: Optional[Function] = part("m: t")
    _struct = "prescribed_velocity"

    def _rows(self, at: Joined) -> int:
        if np.size(self.index) == 0:
            raise ArgumentError("PrescribedVelocity: index is empty", "index")
        return int(np.size(self.index))

    def _form(self, at: Joined) -> Form:
        what, m = "PrescribedVelocity", self._rows(at)
        given = [self.index] if np.ndim(self.index) == 0 else self.index
        index = np.array([integer(what, "index", i, 0, at.n - 1) for i in given], dtype=np.int32)
        form = super()._form(at)
        form.c.index = form.keep(index).ctypes.data
        if self.harmonics is not None:
            parts = form.keep(np.ascontiguousarray(numbers(what, "harmonics", self.harmonics)))
            if parts.ndim == 2 and m == 1:
                parts = parts[np.newaxis]
            if parts.ndim != 3 or parts.shape[0] != m or parts.shape[2] != 3:
                raise ArgumentError(f"{what}: harmonics has shape {parts.shape}, ({m}, any, 3) is needed",
                                    "harmonics", value=float(parts.size))
            form.c.harmonics = ctypes.cast(parts.ctypes.data, ctypes.POINTER(_c.perp_harmonic))
            form.c.n_harmonics = parts.shape[1]
        return form


@dataclass
class LinearRelation(Relation):
    """y = C x + D λ + F z + e,  r = B λ + a: first order, constant.  C: m x n, D: m x m, B: n x m, F:
    m x n_z, e: m, a: n; None: 0."""

    order = 1
    C: Any = part("m n", needed=True)
    B: Any = part("n m")
    D: Any = part("m m")
    F: Any = part("m z")
    e: Any = part("m")
    a: Any = part("n")
    z: Any = None
    m: Optional[int] = None
    _struct = "linear_relation"

    def _rows(self, at: Joined) -> int:
        return rows_of(type(self).__name__, "C", None if is_function(self.C) else self.C, self.m, at.n)


@dataclass
class LinearVaryingRelation(LinearRelation):
    """A linear relation with coefficients that are functions of t, or constants: C(t) x + D(t) λ + F(t) z +
    e(t), B(t) λ + a(t). m rows are needed where C is a function."""

    _struct = "linear_varying_relation"

    def _form(self, at: Joined) -> Form:
        m = self._rows(at)
        form = self._begun(at, m, (m, at.n))
        form.need()
        form.parameters(form.c.linear)
        for name, shape in parts(self).items():
            given = getattr(self, name)
            if is_function(given):
                form.put(form.c, name, given, f"{shape}: t")
            elif given is not None:
                form.put(form.c.linear, name, given, shape)
        return form


@dataclass
class FirstOrderRelation(Relation):
    """y = h(t, x, λ, z),  r = g(t, x, λ, z): functions of t, x, lambda_, z.  Jacobians C = ∂h/∂x
    (m x n), D = ∂h/∂λ (m x m), B = ∂g/∂λ (n x m), K = ∂g/∂x (n x n), h_dt = ∂h/∂t (m)."""

    order = 1
    h: Function = part("m: {of._h}", ...)
    g: Optional[Function] = part("n: {of._g}")
    m: int = 1
    C: Jacobian = part("m n: {of._h}")
    D: Jacobian = part("m m: {of._h}")
    B: Jacobian = part("n m: {of._g}")
    K: Jacobian = part("n n: {of._g}")
    h_dt: Jacobian = part("m: {of._h}")
    z: Any = None
    typical_x: Any = part("n")
    typical_lambda: Any = part("m")
    _struct, _init = "first_order_relation", "first_order_relation"
    _h: ClassVar[str] = "t x lambda_ z"  # what C hands to h and its Jacobians
    _g: ClassVar[str] = "t x lambda_ z"


@dataclass
class FirstOrderType1(FirstOrderRelation):
    """y = h(t, x, z),  r = g(t, λ, z)."""

    _init = "first_order_type1"
    _h, _g = "t x . z", "t . lambda_ z"


@dataclass
class FirstOrderType2(FirstOrderRelation):
    """y = h(t, x, λ, z),  r = g(t, λ, z)."""

    _init = "first_order_type2"
    _g = "t . lambda_ z"
