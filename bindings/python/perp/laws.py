# SPDX-License-Identifier: MIT
"""Nonsmooth laws (y, λ) ∈ law, as values; see docs/theory-laws.md for their equations and sources.

    perp.newton_impact(0.9), perp.friction_3d(mu=0.4), perp.relay(), perp.user_law(project=...)

One copy of a law has `size` components; a relation of m rows takes m / size copies.
"""
from __future__ import annotations

import ctypes
import dataclasses
import math
from typing import Any, Callable

import numpy as np

from . import _c
from ._arrays import ROW_LIMIT, Array, Matrix, choice, copied, integer, matrix, owned_bytes, real, vector, words
from ._callbacks import Guard, deliver, guarded, result_of
from ._library import lib, made, shown
from ._records import Verdict
from .errors import ArgumentError, ArgumentTypeError, NotFiniteError, check

VERTICAL = math.inf
"""The slope of a graph that goes on upright."""


@dataclasses.dataclass(frozen=True)
class Law:
    """A law; made by the functions below, `name` being which. `kind` is its C name without perp_,
    `data` its fields."""

    name: str
    kind: str
    size: int
    by_component: bool
    data: dict[str, Any]

    @property
    def calls(self) -> bool:
        """Whether it calls functions of Python."""
        return self.kind in ("functions", "user_impact")


@dataclasses.dataclass(frozen=True)
class LawStep:
    """What a law's function may know of a step. Vectors have one entry per component."""

    t: float        # time (s)
    h: float        # length of the step (s)
    y: Array        # gap: position level
    ydot: Array     # relative velocity; empty at order 1
    lambda_: Array  # impulse of the last step (N s); of this one in commit


def _law(name: str, kind: str, size: int, numbers: dict[str, Any] = {}, by_component: bool = True, **data: Any) -> Law:
    """A law by numbers, still to be converted, and other data, after a look at them."""
    law = Law(name, kind, size, by_component, {**data, **{key: real(name, key, n) for key, n in numbers.items()}})
    if kind != "piecewise_linear":
        LawForm(law)  # what is wrong is said here
    return law


def equality(size: int = 1) -> Law:
    """y = 0, λ free; of so many components in a copy."""
    return _law("equality", "equality", integer("equality", "size", size, 1))


def complementarity(size: int = 1) -> Law:
    """0 ≤ y ⟂ λ ≥ 0; of so many components in a copy."""
    return _law("complementarity", "complementarity", integer("complementarity", "size", size, 1))


def newton_impact(e: float) -> Law:
    """Unilateral contact; 0 ≤ ẏ⁺ + e ẏ⁻ ⟂ λ ≥ 0 while it is closed. e: restitution, 0 ... 1."""
    return _law("newton_impact", "newton_impact", 1, {"e": e})


def box_law(what: str, lower: Any, upper: Any, size: int | None = None) -> Law:
    """A box, refused in the name of `what`."""
    low = vector(what, "lower", lower, size).copy()
    return _law(what, "box", low.size, lower=low, upper=vector(what, "upper", upper, low.size).copy())


def box(lower: Any, upper: Any) -> Law:
    """λ = lower where y > 0, λ = upper where y < 0, between them y = 0; bounds may be infinite."""
    return box_law("box", lower, upper)


def relay_limit(what: str, limit: Any) -> float:
    """The bound of a relay, 0 or more."""
    value = real(what, "limit", limit)
    if not value >= 0:
        kind = NotFiniteError if math.isnan(value) else ArgumentError
        raise kind(f"{what}: limit is {value}, 0 or more is needed", "limit", value=value)
    return value


def relay(limit: float = 1.0) -> Law:
    """λ = −limit where y > 0, limit where y < 0, between where y = 0."""
    limit = relay_limit("relay", limit)
    return box_law("relay", -limit, limit)


def mixed(equalities: int, complementarities: int) -> Law:
    """y = 0 and λ free in the first components, 0 ≤ y ⟂ λ ≥ 0 in the others, in one copy."""
    first = integer("mixed", "equalities", equalities, 0)
    others = integer("mixed", "complementarities", complementarities, 0 if first else 1, ROW_LIMIT - first)
    return _law("mixed", "mixed", first + others, equalities=first)


def polyhedron(H: Any, K: Any) -> Law:
    """−y ∈ N_P(λ), P = {λ : Hλ >= K}; H rows x size, K one entry per row."""
    H = matrix("polyhedron", "H", H).copy(order="F")
    return _law("polyhedron", "polyhedron", H.shape[1], by_component=False, H=H, K=vector("polyhedron", "K", K, H.shape[0]).copy())


def compliant(k: float, c: float = 0.0, theta: float = 0.5) -> Law:
    """Contact of a spring k (N/m) and a damper c (N s/m) side by side; theta that of the scheme."""
    return _law("compliant", "compliant", 1, {"k": k, "c": c, "theta": theta})


def contact_law(what: str, kind: str, size: int, **values: Any) -> Law:
    """Friction, rolling and their kin, refused in the name of `what`."""
    return _law(what, kind, size, values, False)


def friction_2d(mu: float, e_n: float = 0.0, e_t: float = 0.0) -> Law:
    """Coulomb friction in the plane, y = (normal, tangential); e_n, e_t: restitution."""
    return contact_law("friction_2d", "friction", 2, mu=mu, e_n=e_n, e_t=e_t)


def friction_3d(mu: float, e_n: float = 0.0, e_t: float = 0.0) -> Law:
    """Coulomb friction in space, y = (normal, two tangential)."""
    return contact_law("friction_3d", "friction", 3, mu=mu, e_n=e_n, e_t=e_t)


def rolling_2d(mu: float, mu_rolling: float, e_n: float = 0.0, e_t: float = 0.0) -> Law:
    """Friction and resistance to rolling (m) in the plane, y = (normal, tangential, rolling)."""
    return contact_law("rolling_2d", "rolling", 3, mu=mu, mu_rolling=mu_rolling, e_n=e_n, e_t=e_t)


def rolling_3d(mu: float, mu_rolling: float, e_n: float = 0.0, e_t: float = 0.0) -> Law:
    """Friction and resistance to rolling (m) in space, y = (normal, two tangential, two rolling)."""
    return contact_law("rolling_3d", "rolling", 5, mu=mu, mu_rolling=mu_rolling, e_n=e_n, e_t=e_t)


def fremond_2d(mu: float, e_n: float = 0.0) -> Law:
    """Friction in the plane with Frémond's impact law: on the mean velocity."""
    return contact_law("fremond_2d", "fremond", 2, mu=mu, e_n=e_n)


def fremond_3d(mu: float, e_n: float = 0.0) -> Law:
    """Friction in space with Frémond's impact law: on the mean velocity."""
    return contact_law("fremond_3d", "fremond", 3, mu=mu, e_n=e_n)


def cohesive_2d(mu: float, sigma_c: float, G_c: float, area: float = 1.0, slip_weight: float = 1.0) -> Law:
    """Friction and a cohesive zone: strength sigma_c (Pa), fracture energy G_c (J/m²), area (m²)."""
    return contact_law("cohesive_2d", "cohesive", 2, mu=mu, sigma_c=sigma_c, G_c=G_c, area=area, slip_weight=slip_weight)


def cohesive_3d(mu: float, sigma_c: float, G_c: float, area: float = 1.0, slip_weight: float = 1.0) -> Law:
    """Friction in space and a cohesive zone: arguments as in the plane."""
    return contact_law("cohesive_3d", "cohesive", 3, mu=mu, sigma_c=sigma_c, G_c=G_c, area=area, slip_weight=slip_weight)


def impact(restitute: Callable[..., Any], mu: float = 0.0, size: int = 1) -> Law:
    """Unilateral contact with an impact law of one's own, without friction (size 1), with it in the
    plane (2) or in space (3): restitute(begin) returns what ẏ⁺ gains before it is complementary, `size`
    entries; `lambda begin: 0.8 * begin.ydot` is Newton's. begin is a `LawStep`."""
    if not callable(restitute):
        raise ArgumentTypeError("impact: restitute is no function", "restitute")
    size = integer("impact", "size", size, 1, 3)
    return _law("impact", "user_impact", size, {"mu": mu}, size == 1, restitute=restitute)


def piecewise_linear(y: Any, lambda_: Any, slope_before: float = 0.0, slope_after: float = 0.0) -> Law:
    """A graph λ(y) through points, y not decreasing and λ not increasing, with slopes −dλ/dy before
    and after them: 0 goes on level, VERTICAL upright. For connect(), not for problems."""
    return _graph("piecewise_linear", y, lambda_, slope_before, slope_after)


def _graph(what: str, y: Any, lambda_: Any, slope_before: float, slope_after: float) -> Law:
    y = vector(what, "y", y).copy()
    law = _law(what, "piecewise_linear", 1, {"slope_before": slope_before, "slope_after": slope_after}, y=y, lambda_=vector(what, "lambda_", lambda_, y.size).copy())
    info = made(_c.perp_info)
    check(lib.perp_piecewise_linear_check(graph(law), info), what, info)
    return law


def relay_dead_zone(width: float, limit: float = 1.0) -> Law:
    """λ = limit where y < −width, 0 where |y| < width, −limit where y > width."""
    w, top = real("relay_dead_zone", "width", width), relay_limit("relay_dead_zone", limit)
    return _graph("relay_dead_zone", [-w, -w, w, w], [top, 0, 0, -top], 0.0, 0.0)


def user_law(size: int = 1, *, set: str = "other", unilateral: bool = False, bounded: bool = False, state: int = 0,
             project: Callable[..., Any] | None = None, jacobian: Callable[..., Any] | None = None,
             shift: Callable[..., Any] | None = None, bounds: Callable[..., Any] | None = None,
             restitute: Callable[..., Any] | None = None, preload: Callable[..., Any] | None = None,
             compliance: Callable[..., Any] | None = None, acts: Callable[..., Any] | None = None,
             begin: Callable[..., Any] | None = None, commit: Callable[..., Any] | None = None) -> Law:
    """A law by functions; see perp_law_ops. Those that are None are absent. Each gets the state of
    the copy first (`state` doubles) and returns what it is asked for:

    project(state, x): P(x);  jacobian(state, x): of P, size x size;  shift(state, y): ŷ;
    bounds(): (lower, upper) of a box;  restitute(state, begin): what is added to q;
    preload(state, begin): the known impulse;  compliance(h): D, size x size;
    acts(state): whether it acts across an open gap;  begin(): the first state, none: zeros;
    commit(state, end): the state after an accepted step.

    set: "free", "orthant", "box" or "other"; bounded: "other" is, so that λ itself is what an error
    may be measured by. begin and end of a step are `LawStep`s.
    """
    kind = choice("user_law", "set", set, words("SET", "free", "orthant", "box", "other"))
    functions = {"project": project, "jacobian": jacobian, "shift": shift, "bounds": bounds, "restitute": restitute,
                 "preload": preload, "compliance": compliance, "acts": acts, "begin": begin,
                 "commit": commit}
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise ArgumentTypeError(f"user_law: {name} is no function", name)
    return _law("user_law", "functions", integer("user_law", "size", size, 1, 1000), by_component=set != "other", set=kind,
                unilateral=bool(unilateral), bounded=bool(bounded), state=integer("user_law", "state", state, 0, 10**6),
                functions=functions)


def graph(law: Law) -> Any:
    """The C graph of a piecewise_linear law; views its arrays."""
    d = law.data
    return made(_c.perp_piecewise_linear, points=d["y"].size, y=d["y"].ctypes.data,
                **{"lambda": d["lambda_"].ctypes.data},
                slope_before=d["slope_before"], slope_after=d["slope_after"])


def verify(law: Law, y: Any, lambda_: Any) -> Verdict:
    """Judge one copy of a law from its definition. y, lambda_: `size` entries."""
    if not isinstance(law, Law):
        raise ArgumentTypeError(f"verify: law is {type(law).__name__}, no Law", "law")
    if law.kind == "piecewise_linear":
        raise ArgumentError("verify: a graph is judged by distance()", "law")
    form = LawForm(law)
    y, lambda_ = vector("verify", "y", y, law.size), vector("verify", "lambda_", lambda_, law.size)
    state = owned_bytes("verify", 8 * law.data.get("state", 3))
    work = owned_bytes("verify", lib.perp_law_verify_workspace(form.pointer))
    verdict, guard, init = made(_c.perp_law_verdict), Guard(), form.pointer.contents.ops.contents.state_init
    guard.used = law.calls

    def judge() -> int:
        if init:
            init(form.pointer, state.ctypes.data)
        return lib.perp_law_verify(form.pointer, state.ctypes.data if init else None, y.ctypes.data, lambda_.ctypes.data,
                                   verdict, work.ctypes.data, work.nbytes)
    check(guard.call(judge), "verify")
    return shown(Verdict, verdict)


def distance(law: Law, y: float, lambda_: float) -> float:
    """How far (y, λ) is from the graph of a piecewise_linear law, in the maximum norm."""
    if not isinstance(law, Law) or law.kind != "piecewise_linear":
        raise ArgumentError("distance: a law that is no graph is judged by verify()", "law")
    return lib.perp_piecewise_linear_distance(graph(law), real("distance", "y", y),
                                              real("distance", "lambda_", lambda_))


class LawForm:
    """The C description of a law, and what it points to; graphs have none, for connect() takes them apart."""

    def __init__(self, law: Law):
        self.value, self.kept = law, []  # type: ignore[var-annotated]
        if law.kind == "functions":
            self.c: Any = _FunctionLaw()
            self.c.law.ops = ctypes.pointer(self.keep(_table(law)))
            self.c.law.struct_size = ctypes.sizeof(self.c)
            self.c.law.size = law.size
        else:
            self.c = getattr(_c, f"perp_{law.kind}")()
            more = (law.size,) if law.kind == "user_impact" else ()
            check(getattr(lib, f"perp_{law.kind}_init")(self.c, ctypes.sizeof(self.c), *more), law.name)
            inner = self.c.friction if hasattr(self.c, "friction") else self.c
            inner.law.size = law.size
            for name, value in law.data.items():
                self._set(inner if hasattr(inner, name) else self.c, name, value)
        self.head = ctypes.addressof(self.c)
        self.pointer = ctypes.cast(self.head, ctypes.POINTER(_c.perp_law))
        info = made(_c.perp_info)
        check(lib.perp_law_check(self.pointer, info), law.name, info)

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def _set(self, c: Any, name: str, value: Any) -> None:
        if name == "H":
            c.H = self.keep(Matrix(self.value.name, "H", value, *value.shape)).c
        elif name == "restitute":
            c.restitute = self.keep(_impact(self.value.size, value))
        else:
            setattr(c, name, self.keep(value).ctypes.data if isinstance(value, np.ndarray) else value)


def _row(pointer: int | None, size: int) -> Array:
    return np.empty(0) if pointer is None else copied(pointer, size)


def _step(size: int, at: Any) -> LawStep:
    s = at.contents
    return LawStep(s.t, s.h, *[_row(p, size) for p in (s.y, s.ydot, getattr(s, "lambda"))])


def _add(pointer: int, added: Array) -> int:
    """pointer[i] += added[i]."""
    return deliver(pointer, copied(pointer, added.size) + added)


def _impact(size: int, restitute_: Any) -> Any:
    return guarded(_c.perp_impact_fn, lambda n, begin, q, user: _add(
        q, result_of((size,), restitute_(_step(size, begin)), "impact: restitute")))


class _FunctionLaw(ctypes.Structure):
    """A law of a table of its own."""
    _fields_ = [("law", _c.perp_law)]


def _table(law: Law) -> Any:
    """The table of a law by functions. C cannot be told of a failure where a function gives nothing
    back: it is handed NaN, which stops the solver."""
    n, states, f = law.size, law.data["state"], law.data["functions"]
    types: dict[str, Any] = dict(_c.perp_law_ops._fields_)  # type: ignore[arg-type]
    ops = made(_c.perp_law_ops, set=law.data["set"], unilateral=int(law.data["unilateral"]),
               bounded=int(law.data["bounded"]), name=b"functions")

    def put(name: str, body: Any, failed: Any = -1, steady: str = "") -> None:
        setattr(ops, name, guarded(types[name], body, failed, steady))

    def writes(name: str, shape: tuple[int, ...], given: Any, at: int = -1, of: str = "") -> None:
        """ops.name writes what the function returns for given(C's arguments) at one of these; a commit
        that has thrown leaves the state."""
        function, label = f[of or name], f"user_law: {of or name}"
        if function is not None:
            put(name, lambda *a: deliver(a[at], result_of(shape, function(*given(*a)), label)),
                None if function is f["commit"] else lambda *a: deliver(a[at], np.full(shape, math.nan)), label)

    writes("project", (n,), lambda law, s, x, p: (_row(s, states), _row(x, n)))
    writes("jacobian", (n, n), lambda law, s, x, J: (_row(s, states), _row(x, n)))
    writes("shift", (n,), lambda law, s, y, yhat: (_row(s, states), _row(y, n)))
    writes("preload", (n,), lambda law, s, step, out: (_row(s, states), _step(n, step)))
    writes("compliance", (n, n), lambda law, h, D: (h,))
    if f["bounds"] is not None:
        def bounds(law: Any, lower: int, upper: int) -> None:
            pair = f["bounds"]()
            if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
                raise TypeError(f"user_law: bounds returned {pair!r}, the pair (lower, upper) is needed")
            for side, to, values in zip(("lower", "upper"), (lower, upper), pair):
                deliver(to, result_of((n,), values, f"user_law: {side} bounds"))
        put("bounds", bounds, lambda law, *sides: [deliver(to, np.full(n, math.nan)) for to in sides], "user_law: bounds")
    if f["restitute"] is not None:
        put("restitute_step", lambda law, s, begin, q: _add(
            q, result_of((n,), f["restitute"](_row(s, states), _step(n, begin)), "user_law: restitute")))
    if f["acts"] is not None:
        put("acts", lambda law, s: int(bool(f["acts"](_row(s, states)))), 1, "user_law: acts")
    if states:
        ops.state_bytes = types["state_bytes"](lambda law: 8 * states)
        if f["begin"] is None:
            ops.state_init = types["state_init"](lambda law, s: deliver(s, np.zeros(states)))
        writes("state_init", (states,), lambda law, s: (), of="begin")
    if f["commit"] is not None:
        if not states:
            raise ArgumentError("user_law: commit without state", "commit")
        writes("commit_step", (states,), lambda law, s, end: (_row(s, states), _step(n, end)), 1, "commit")
        writes("commit", (states,), lambda law, s, y, lambda_: (
            _row(s, states), LawStep(0.0, 0.0, _row(y, n), np.empty(0), _row(lambda_, n))), 1)
    return ops
