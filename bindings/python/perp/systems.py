# SPDX-License-Identifier: MIT
"""Systems of order 1 and 2, as values; see docs/systems.md for equations and sources.

Square matrices are a number (times the identity), n entries (a diagonal), n x n, or sparse
(SciPy). Functions name what they want among the names in the tables (see perp._callbacks), and
return the values or write to `out`. A Jacobian is a function, a constant array, or None: by
differences. z: parameters; a NumPy array is read where it is, in every evaluation.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

from . import _c
from ._arrays import integer, numbers, parameters
from ._callbacks import Callbacks, Guard
from ._description import Form
from ._library import lib
from .errors import ArgumentError, check

Function = Callable[..., Any]
Jacobian = Union[Function, Any, None]

STATE = ("t", "q", "v", "z", "out", "")   # perp_state_fn at order 2
STATE1 = ("t", "", "x", "z", "out", "")   # and at order 1
TIME = ("t", "out", "")                   # perp_time_fn
FIRST = ("t", "x", "z", "out", "")        # perp_first_order_fn


@dataclass
class Control:
    """T(q) u(t, q, v) at order 2, T(x) u(t, x) at order 1, added to the right-hand side.

    | field | shape | function of |
    |---|---|---|
    | T | n x n_u, constant (of a body n = 6) | |
    | effect | n x n_u, in place of T | q or x, z |
    | u | n_u | t, q, v or x, z |
    | u_dq, u_dv (order 1: u_dx) | n_u x n | t, q, v or x, z |
    """

    n_u: int
    u: Function
    T: Any = None
    effect: Optional[Function] = None
    u_dq: Jacobian = None
    u_dv: Jacobian = None
    u_dx: Jacobian = None


class System:
    """A kind of system; `order` is 1 or 2."""

    order = 2

    def _form(self, guard: Guard) -> "SystemForm":
        raise NotImplementedError


@dataclass
class LagrangianLinear(System):
    """M v̇ + C v + K q = f + F(t) + T(q) u(t, q, v) + r,  q̇ = v.

    | field | shape, unit | function of |
    |---|---|---|
    | M, C, K | n x n: kg, N s/m, N/m | |
    | f | n (N), constant | |
    | force | n (N), added to f | t |
    """

    M: Any
    C: Any = None
    K: Any = None
    f: Any = None
    force: Optional[Function] = None
    control: Optional[Control] = None
    z: Any = None
    typical_q: Any = None
    typical_v: Any = None
    n: Optional[int] = None  # degrees of freedom; None: from M

    def _form(self, guard: Guard) -> "SystemForm":
        n = size_of("LagrangianLinear", self.n, M=self.M, C=self.C, K=self.K)
        form = SystemForm("LagrangianLinear", _c.perp_lagrangian_linear, n, guard)
        c = form.c
        form.parameters(self.z)
        c.M, c.C, c.K = form.square("M", self.M, n), form.square("C", self.C, n), form.square("K", self.K, n)
        c.f = form.vector("f", self.f, n)
        form.function(c, "force", TIME, self.force, (n,), ("t",))
        form.control(self.control, 2)
        form.differences(self, "typical_q", "typical_v")
        return form


@dataclass
class Lagrangian(System):
    """M(q, z) v̇ + N(q, v, z) + F_int(t, q, v, z) = f + F_ext(t, z) + T(q) u(t, q, v) + r,  q̇ = v.

    | field | shape, unit | function of |
    |---|---|---|
    | n | degrees of freedom | |
    | M | n x n (kg), constant; or | |
    | mass | n x n (kg) | q, z |
    | gyroscopic | n (N) | q, v, z |
    | internal | n (N), on the left-hand side | t, q, v, z |
    | external | n (N) | t, z |
    | potential | one entry (J) | q, z |
    | gyroscopic_dq, ..._dv, internal_dq, ..._dv | n x n | as the function |
    | f | n (N), constant | |
    """

    n: int
    M: Any = None
    mass: Optional[Function] = None
    gyroscopic: Optional[Function] = None
    gyroscopic_dq: Jacobian = None
    gyroscopic_dv: Jacobian = None
    internal: Optional[Function] = None
    internal_dq: Jacobian = None
    internal_dv: Jacobian = None
    external: Optional[Function] = None
    potential: Optional[Function] = None
    f: Any = None
    control: Optional[Control] = None
    z: Any = None
    typical_q: Any = None
    typical_v: Any = None

    def _form(self, guard: Guard) -> "SystemForm":
        n = size_of("Lagrangian", self.n)
        form = SystemForm("Lagrangian", _c.perp_lagrangian, n, guard)
        c = form.c
        form.parameters(self.z)
        if self.M is None and self.mass is None:
            raise ArgumentError("Lagrangian: M or mass is needed", "M")
        c.M = form.square("M", self.M, n)
        form.function(c, "mass", STATE, self.mass, (n, n), ("q", "z"))
        form.function(c, "gyroscopic", STATE, self.gyroscopic, (n,), ("q", "v", "z"))
        form.function(c, "gyroscopic_dq", STATE, self.gyroscopic_dq, (n, n), ("q", "v", "z"))
        form.function(c, "gyroscopic_dv", STATE, self.gyroscopic_dv, (n, n), ("q", "v", "z"))
        form.function(c, "internal", STATE, self.internal, (n,), ("t", "q", "v", "z"))
        form.function(c, "internal_dq", STATE, self.internal_dq, (n, n), ("t", "q", "v", "z"))
        form.function(c, "internal_dv", STATE, self.internal_dv, (n, n), ("t", "q", "v", "z"))
        form.function(c, "external", STATE, self.external, (n,), ("t", "z"))
        form.function(c, "potential", STATE, self.potential, (1,), ("q", "z"))
        c.f = form.vector("f", self.f, n)
        form.control(self.control, 2)
        form.differences(self, "typical_q", "typical_v")
        form.symmetric = form.symmetric and self.gyroscopic is None and self.internal is None
        return form


@dataclass
class FirstOrderLinear(System):
    """M ẋ = (A + A(t)) x + b + B(t) + T(x) u(t, x) + r.

    | field | shape | function of |
    |---|---|---|
    | A | n x n | |
    | b | n, constant | |
    | input | n, added to b | t |
    | state_matrix | n x n, added to A | t |
    | M | n x n, regular; None: identity | |
    """

    order = 1
    A: Any = None
    b: Any = None
    M: Any = None
    input: Optional[Function] = None
    state_matrix: Optional[Function] = None
    control: Optional[Control] = None
    z: Any = None
    typical: Any = None
    n: Optional[int] = None  # size of x; None: from A, M or b

    def _form(self, guard: Guard) -> "SystemForm":
        n = size_of("FirstOrderLinear", self.n, A=self.A, M=self.M, b=self.b)
        form = SystemForm("FirstOrderLinear", _c.perp_first_order_linear, n, guard)
        c = form.c
        form.parameters(self.z)
        c.M, c.A = form.square("M", self.M, n), form.square("A", self.A, n)
        c.b = form.vector("b", self.b, n)
        form.function(c, "input", TIME, self.input, (n,), ("t",))
        form.function(c, "state_matrix", TIME, self.state_matrix, (n, n), ("t",))
        form.control(self.control, 1)
        form.differences(self, "typical")
        return form


@dataclass
class FirstOrder(System):
    """M ẋ = f(t, x, z) + T(x) u(t, x) + r.  f (n) and f_dx (n x n) are functions of t, x, z."""

    order = 1
    n: int
    f: Function
    f_dx: Jacobian = None
    M: Any = None
    control: Optional[Control] = None
    z: Any = None
    typical: Any = None

    def _form(self, guard: Guard) -> "SystemForm":
        n = size_of("FirstOrder", self.n)
        form = SystemForm("FirstOrder", _c.perp_first_order, n, guard)
        c = form.c
        form.parameters(self.z)
        if self.f is None:
            raise ArgumentError("FirstOrder: f is needed", "f")
        c.M = form.square("M", self.M, n)
        form.function(c, "f", FIRST, self.f, (n,), ("t", "x", "z"))
        form.function(c, "f_dx", FIRST, self.f_dx, (n, n), ("t", "x", "z"))
        form.control(self.control, 1)
        form.differences(self, "typical")
        return form


def size_of(what: str, n: Any, **given: Any) -> int:
    """Degrees of freedom: as said, or as the first array tells; a number alone is one."""
    if n is not None:
        return integer(what, "n", n, 1)
    scalar = False
    for name, value in given.items():
        if value is None:
            continue
        shape = tuple(value.shape) if hasattr(value, "tocsr") else numbers(what, name, value).shape
        if len(shape) == 0:
            scalar = True
        elif shape[0] >= 1:
            return int(shape[0])
        else:
            raise ArgumentError(f"{what}: {name} is empty", name)
    if scalar:
        return 1
    raise ArgumentError(f"{what}: n is needed, or {' or '.join(given)}", "n")


class SystemForm(Form):
    """The C description of a system."""

    def __init__(self, what: str, kind: Any, n: int, guard: Guard, n_q: int | None = None):
        self.n, self.n_q = n, n if n_q is None else n_q
        super().__init__(what, Callbacks(guard, {"q": self.n_q, "v": n, "x": n, "z": 0}))
        self.c = kind()
        arguments = (n,) if kind is not _c.perp_body else ()
        check(getattr(lib, f"{kind.__name__}_init")(self.c, ctypes.sizeof(kind), *arguments), what)
        self.head = ctypes.addressof(self.c)

    def parameters(self, z: Any) -> None:
        """Let z be read where it is. Before the functions, which are told its length."""
        if z is None:
            return
        array = self.keep(parameters(self.what, "z", z))
        self.callbacks.sizes["z"] = self.c.n_z = array.size
        self.c.z = array.ctypes.data if array.size else None

    def differences(self, system: Any, *names: str) -> None:
        """Typical sizes for differences."""
        for name in names:
            setattr(self.c, name, self.vector(name, getattr(system, name), self.n))

    def control(self, control: Control | None, order: int) -> None:
        """T u."""
        if control is None:
            return
        n, n_u, c = self.n, integer(self.what, "control.n_u", control.n_u, 1), self.c.control
        names, layout = (("q",), STATE) if order == 2 else (("x",), STATE1)
        effect_layout = STATE if order == 2 else STATE1
        all_names = ("t", "q", "v", "z") if order == 2 else ("t", "x", "z")
        self.symmetric = False
        c.n_u = n_u
        c.T = self.matrix("control.T", control.T, n, n_u)
        self.function(c, "effect", effect_layout, control.effect, (n, n_u), (*names, "z"), "control.effect")
        if control.u is None:
            raise ArgumentError(f"{self.what}: control.u is needed", "control.u")
        self.function(c, "u", layout, control.u, (n_u,), all_names, "control.u")
        derivatives = {"u_dq": control.u_dq, "u_dv": control.u_dv} if order == 2 else {"u_dv": control.u_dx}
        for name, derivative in derivatives.items():
            self.function(c, name, layout, derivative, (n_u, n), all_names, f"control.{name}")
