# SPDX-License-Identifier: MIT
"""Systems of order 1 and 2, as values; see docs/theory-model.md for equations and sources.

Square matrices are a number (times the identity), n entries (a diagonal), n x n, or sparse
(SciPy). Functions name what they want among the names in the tables (see perp._callbacks), and
return the values or write to `out`; perp.compiled() stands for one of C. A Jacobian is a function, a
constant array, or None: by differences. z: parameters; a NumPy array is read where it is, in every evaluation.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Optional, Union

import numpy as np

from . import _c
from ._arrays import integer, numbers
from ._callbacks import named
from ._description import Form, part
from ._library import lib
from .compiled import Compiled
from .errors import ArgumentError

Function = Union[Callable[..., Any], Compiled]
Jacobian = Union[Function, Any, None]


@dataclass
class Control:
    """T(q) u(t, q, v) at order 2, T(x) u(t, x) at order 1, added to the right-hand side.

    | field | shape | function of |
    |---|---|---|
    | T | n x n_u, constant (of a body n = 6) | |
    | effect | n x n_u, in place of T | q or x, z |
    | u | n_u, None: sampled, the first n_u parameters z | t, q, v or x, z |
    | u_dq, u_dv (order 1: u_dx) | n_u x n | t, q, v or x, z |
    """

    n_u: int
    u: Optional[Function] = None
    T: Any = None
    effect: Optional[Function] = None
    u_dq: Jacobian = None
    u_dv: Jacobian = None
    u_dx: Jacobian = None


class System:
    """A kind of system; `order` is 1 or 2."""

    order = 2
    _struct: ClassVar[str] = ""               # of C, without perp_
    _size_of: ClassVar[tuple[str, ...]] = ()  # what tells n where it is not said
    _moves: ClassVar[tuple[str, ...]] = ()    # what makes one-step matrices unsymmetric

    def _form(self) -> Form:
        what = type(self).__name__
        n = size_of(what, self.n, **{name: getattr(self, name) for name in self._size_of})  # type: ignore[attr-defined]
        sizes: dict[str, Any] = {"x": n} if self.order == 1 else {"q": n, "v": n}
        return self._filled(Form(self, what, self._struct, arguments=(n,), n=n, **sizes))

    def _filled(self, form: Form) -> Form:
        form.need()
        form.parameters(form.c)
        form.fill()
        control = self.control  # type: ignore[attr-defined]
        if control is not None:
            form.sizes["u"] = form.c.control.n_u = integer(form.what, "control.n_u", control.n_u, 1)
            form.fill(CONTROL[self.order], form.c.control, control, "control.")
            if self.order == 1 and control.u_dx is not None:
                form.put(form.c.control, "u_dx", control.u_dx, "u n: t . x z", "control.", "u_dv")
            self._feed(form, control)
        form.symmetric = (control is None or (control.u is None and control.effect is None)) and \
            all(getattr(self, name) is None for name in self._moves)
        return form

    def _feed(self, form: Form, control: Control) -> None:
        """What an input depends on."""
        c = form.c.control
        if control.u is None:
            if form.sizes["z"] < c.n_u or c.u_dq or c.u_dv:
                raise ArgumentError(f"{form.what}: control.u: without it the input is z: {c.n_u} entries or more are "
                                    f"needed, and no derivatives; z has {form.sizes['z']}", "control.u", value=form.sizes["z"])
            c.u = ctypes.cast(lib.perp_control_sampled, _c.perp_state_fn)
            form.user(c, ctypes.addressof(form.keep(ctypes.c_int32(c.n_u))), "control.u")
        elif not isinstance(control.u, Compiled):
            names = named(control.u, CONTROL[self.order]["u"].replace(".", "").split()[1:] + ["out"], "control.u")[1]
            for field, name in (("u_dv", "x"),) if self.order == 1 else (("u_dq", "q"), ("u_dv", "v")):
                if name not in names and not getattr(c, field):  # no need to try
                    form.put(c, field, np.zeros((c.n_u, form.sizes["n"])), f"u n: {CONTROL[self.order]['u'][3:]}")


CONTROL = {2: {"T": "n u", "effect": "n u: . q . z", "u": "u: t q v z", "u_dq": "u n: t q v z", "u_dv": "u n: t q v z"},
            1: {"T": "n u", "effect": "n u: . . x z", "u": "u: t . x z"}}


@dataclass
class LagrangianLinear(System):
    """M v̇ + C v + K q = f + F(t) + T(q) u(t, q, v) + r,  q̇ = v.

    | field | shape, unit | function of |
    |---|---|---|
    | M, C, K | n x n: kg, N s/m, N/m | |
    | f | n (N), constant | |
    | force | n (N), added to f | t |
    """

    M: Any = part("n", ...)
    C: Any = part("n")
    K: Any = part("n")
    f: Any = part("n")
    force: Optional[Function] = part("n: t")
    control: Optional[Control] = None
    z: Any = None
    typical_q: Any = part("n")
    typical_v: Any = part("n")
    n: Optional[int] = None  # degrees of freedom; None: from M
    _struct = "lagrangian_linear"
    _size_of = ("M", "C", "K")


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
    M: Any = part("n")
    mass: Optional[Function] = part("n n: . q . z")
    gyroscopic: Optional[Function] = part("n: . q v z")
    gyroscopic_dq: Jacobian = part("n n: . q v z")
    gyroscopic_dv: Jacobian = part("n n: . q v z")
    internal: Optional[Function] = part("n: t q v z")
    internal_dq: Jacobian = part("n n: t q v z")
    internal_dv: Jacobian = part("n n: t q v z")
    external: Optional[Function] = part("n: t . . z")
    potential: Optional[Function] = part("1: . q . z")
    f: Any = part("n")
    control: Optional[Control] = None
    z: Any = None
    typical_q: Any = part("n")
    typical_v: Any = part("n")
    _struct = "lagrangian"
    _moves = ("gyroscopic", "internal")

    def _form(self) -> Form:
        if self.M is None and self.mass is None:
            raise ArgumentError("Lagrangian: M or mass is needed", "M")
        return super()._form()


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
    A: Any = part("n")
    b: Any = part("n")
    M: Any = part("n")
    input: Optional[Function] = part("n: t")
    state_matrix: Optional[Function] = part("n n: t")
    control: Optional[Control] = None
    z: Any = None
    typical: Any = part("n")
    n: Optional[int] = None  # size of x; None: from A, M or b
    _struct = "first_order_linear"
    _size_of = ("A", "M", "b")


@dataclass
class FirstOrder(System):
    """M ẋ = f(t, x, z) + T(x) u(t, x) + r.  f (n) and f_dx (n x n) are functions of t, x, z."""

    order = 1
    n: int
    f: Function = part("n: t x z", ...)
    f_dx: Jacobian = part("n n: t x z")
    M: Any = part("n")
    control: Optional[Control] = None
    z: Any = None
    typical: Any = part("n")
    _struct = "first_order"


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
