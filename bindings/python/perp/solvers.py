# SPDX-License-Identifier: MIT
"""Solvers of one-step problems  y = M λ + q,  (y_α, λ_α) ∈ law_α.

    perp.solve_lcp(M, q).lambda_
    perp.solve_friction(W, q, mu, dim=3, solver="nsgs", tol=1e-8)
    perp.solve(perp.Problem(M, q, [(perp.equality(), 2), (perp.box(-1, 1), 1)]))

M is n x n: dense (used where it is if it is float64 by columns, else copied), n diagonal entries, or
sparse (SciPy). A solver is named, with its options as keywords: `perp.solvers()` lists them. No
solution is an answer: look at `status`.
"""
from __future__ import annotations

import ctypes
import itertools
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Union

import numpy as np

from . import _c
from ._arrays import (Array, Matrix, choice, integer, matrix, numbers, owned_bytes, real, require_finite, several,
                      vector, words, written)
from ._callbacks import Alone, Guard, guarded, stops
from ._library import lib, made, shown, text
from ._records import Iterate
from .errors import ArgumentError, ArgumentTypeError, Status, check
from .laws import Law, LawForm, box_law, complementarity, contact_law, relay_limit

_SETS = ("equality", "complementarity", "box", "friction", "rolling", "polyhedron", "other")  # in C's order
_MATRICES = ("zero", "diagonal", "dense", "blocks")
_ASSUMES = ("symmetric", "definite", "semidefinite", "P-matrix", "copositive")


@dataclass(frozen=True)
class SolverInfo:
    """What a solver takes."""

    name: str
    laws: tuple[str, ...]
    matrices: tuple[str, ...]
    assumes: tuple[str, ...]
    max_n: int                    # most unknowns, 0: as memory allows
    options: tuple[str, ...]      # keywords


def _bits(bits: int, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for k, name in enumerate(names) if bits >> k & 1)


def solvers() -> dict[str, SolverInfo]:
    """The solvers of the library by name."""
    found = {}
    for i in range(lib.perp_solver_count()):
        s = lib.perp_solver_at(i).contents
        name = text(s.name)
        found[name] = SolverInfo(name, _bits(s.sets, _SETS), _bits(s.matrices, _MATRICES), _bits(s.assumes, _ASSUMES),
                                 s.max_n, _keywords(default_options(s)))
    return found


_HIDDEN = ("struct_size", "kind", "user", "reserved", "parallel", "parallel_user", "integrator", "integrators", "smooth",
           "solver", "solver_options", "global", "stepping", "lzb", "guards", "schedules", "n_guards", "n_schedules",
           "grid", "backend")


def _keywords(c: Any) -> tuple[str, ...]:
    """Options that a struct has."""
    return tuple(f for f, _ in c._fields_ if f not in _HIDDEN)


class _OwnOptions(ctypes.Structure):
    """How options that have more than the common fields begin."""

    _fields_ = [("common", _c.perp_solver_options), ("kind", ctypes.c_char_p)]


def made_options(kind: str) -> Any:
    """Options with their defaults."""
    c = getattr(_c, f"perp_{kind}_options")()
    getattr(lib, f"perp_{kind}_options_init")(c, ctypes.sizeof(c))
    return c


def default_options(descriptor: Any) -> Any:
    """A solver's options with their defaults, in a ctypes struct of their kind."""
    if not descriptor.defaults:
        return made_options("solver")
    kind = getattr(_c, text(_OwnOptions.from_address(descriptor.defaults).kind))
    return kind.from_buffer_copy((ctypes.c_char * ctypes.sizeof(kind)).from_address(descriptor.defaults))


def sparse_back_end(what: str, name: Any) -> Any:
    """"klu" or "ldl"."""
    if name not in ("klu", "ldl"):
        raise ArgumentError(f"{what}: sparse is {name!r}, 'klu' or 'ldl' is needed", "sparse")
    return getattr(lib, f"perp_sparse_{name}")()


def hold(c: Any, thing: Any) -> Any:
    """Keep what a struct points to as long as the struct."""
    vars(c).setdefault("held", []).append(thing)
    return thing


def hold_row(c: Any, what: str, field: str, value: Any, size: Optional[int] = None) -> Array:
    """A copy of a row of numbers, kept like that."""
    return hold(c, vector(what, field, value, size).copy())


def fill_options(c: Any, what: str, given: dict[str, Any], words: dict[str, dict[str, int]] = {},
                 sizes: dict[str, int] = {}, also: Iterable[str] = ()) -> None:
    """Fields of an options struct from keywords; a name that it does not have is refused. words: of
    options that are told in words; sizes: of arrays; also: options that are looked at elsewhere."""
    types = dict(c._fields_)
    for name, value in given.items():
        if name not in types or name in _HIDDEN:
            raise ArgumentTypeError(f"{what}: no option '{name}'; there are {', '.join([*_keywords(c), *also])}", name)
        if value is None and (name in ("observe", "sparse") or types[name] is _c.address):
            continue
        if name in words:
            value = choice(what, name, value, words[name])
        elif name == "observe":
            value = _observer(what, value)
        elif name == "sparse":
            value = sparse_back_end(what, value)
        elif name == "engine":
            value = _find(what, value)
        elif types[name] is _c.address:
            value = hold_row(c, what, name, value, sizes.get(name)).ctypes.data
        elif types[name] is ctypes.c_double:
            value = real(what, name, value)
        else:
            switch = "observe" in types and isinstance(value, (bool, np.bool_))  # solvers have such
            value = integer(what, name, int(value) if switch else value)
        setattr(c, name, value)


def _observer(what: str, function: Any) -> Any:
    if not callable(function):
        raise ArgumentTypeError(f"{what}: observe is no function", "observe")
    return guarded(_c.perp_observer, lambda iterate, user: int(stops(function(Iterate(
        *[getattr(iterate.contents, field) for field in Iterate.__dataclass_fields__])))), 1, f"{what}: observe")


def _find(what: str, name: Any) -> Any:
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{what}: solver is {name!r}, a name is needed", "solver")
    found = lib.perp_solver_find(name.replace("_", "-").encode())
    if not found:
        names = ", ".join(text(lib.perp_solver_at(i).contents.name) for i in range(lib.perp_solver_count()))
        raise ArgumentError(f"{what}: solver '{name}' is none of {names}", "solver")
    return found


@dataclass(frozen=True)
class Method:
    """A solver by name, with options; where a solver is asked for, a name alone will do."""

    name: str
    options: dict[str, Any]


def method(name: str, **options: Any) -> Method:
    """A solver with options: method("lemke", max_iter=100)."""
    MethodForm("method", Method(name, options))
    return Method(name, options)


class MethodForm:
    """The C descriptor and options of a method, for the call `what`."""

    def __init__(self, what: str, m: Union[str, Method], options: Optional[dict[str, Any]] = None):
        given = dict(m.options) if isinstance(m, Method) else {}
        given.update(options or {})
        self.solver = _find(what, m.name if isinstance(m, Method) else m)
        self.name = text(self.solver.contents.name)
        self.c = default_options(self.solver.contents)
        what = f"{what}: {self.name}"
        fill_options(self.c, what, given)
        info = made(_c.perp_info)
        check(lib.perp_solver_check(self.solver, ctypes.addressof(self.c), info), what, info)

    @property
    def options(self) -> int:
        return ctypes.addressof(self.c)


class Answer:
    """What answers have in common: no solution is one, too."""

    status: Status

    @property
    def solved(self) -> bool:
        return self.status == Status.OK

    @property
    def text(self) -> str:
        return self.status.text

    def __bool__(self) -> bool:
        return self.solved


@dataclass(frozen=True)
class Solution(Answer):
    """An answer. Solved only if `status` is Status.OK, which the residual confirms."""

    status: Status
    lambda_: Array             # n: multipliers; the last or best point where it is not solved
    y: Array                   # n: M λ + q
    iterations: int
    residual: float            # units of y
    relative_residual: float   # a backward error; what tol is compared with
    amplification: float       # how much larger the terms of y are than the data that λ answers to
    bound: float               # INFEASIBLE: every solution would have ‖λ‖₁ >= bound; inf: there is none
    solver: str                # who gave the answer
    worst: int                 # component with the largest residual, -1: none
    dissipates: Optional[bool]  # whether friction takes energy out at every contact; None: there is none
    ray: Optional[Array] = None  # a direction or a proof that there is no solution

    @property
    def z(self) -> Array:
        """λ, as complementarity problems call it."""
        return self.lambda_

    @property
    def w(self) -> Array:
        """y, as complementarity problems call it."""
        return self.y


class Problem:
    """y = M λ + q; laws: (law, copies) one after another, one law for all unknowns, or None: they come by
    add(). For rows of different units weight, > 0, by which each row is multiplied where it is judged;
    floor: what of y passes for 0, in its units. One number is that of all rows.

        perp.Problem(M, q).add(perp.equality(), 2).add(perp.box(-1, 1))
    """

    def __init__(self, M: Any, q: Any, laws: Union[None, Law, Iterable[Any]] = None, *, weight: Any = None,
                 floor: Any = None, _what: str = "Problem"):
        what = _what  # the call that refuses
        self.rows: Optional[Array] = None  # of a simulation's: n x 2, the interaction and the row in it
        self._plain: Any = None
        self._q = vector(what, "q", q, finite=True)
        n = self.q.size
        self.M = Matrix(what, "M", M, n)
        assert self.M.values is not None
        require_finite(what, "M", self.M.values)
        self.weight, self.floor = (None if value is None else _coefficients(what, name, value, n)
                                   for name, value in (("weight", weight), ("floor", floor)))
        self.laws: list[tuple[Law, int]] = []
        self._offset = [0]
        if laws is None:
            return
        for pair in [(laws, n // laws.size)] if isinstance(laws, Law) else several(what, "laws", laws):
            self._append(what, *_law_and_copies(what, pair))
        self._require_all(what)

    def add(self, law: Law, copies: int = 1) -> "Problem":
        """So many copies of a law on the unknowns that follow; gives the problem back."""
        self._append("add", *_law_and_copies("add", (law, copies)))
        return self

    def _append(self, what: str, law: Law, copies: int) -> None:
        covered = self._offset[-1] + copies * law.size
        if covered > self.n:
            raise ArgumentError(f"{what}: the laws cover {covered} of {self.n} unknowns", "laws", value=covered)
        if copies:
            self.laws.append((law, copies))
            self._offset.append(covered)
            self._plain = None

    def _require_all(self, what: str) -> None:
        if self._offset[-1] != self.n:
            raise ArgumentError(f"{what}: the laws cover {self._offset[-1]} of {self.n} unknowns", "laws",
                                value=self._offset[-1])

    def _described(self) -> Any:
        """The C problem, and what it points to."""
        if self._plain is None:
            forms = [LawForm(law) for law, _ in self.laws]
            heads = np.array([f.head for f in forms] or [0], dtype=np.uintp)
            weight, floor = (None if a is None else a.ctypes.data for a in (self.weight, self.floor))
            offset = np.array(self._offset, dtype=np.int32)
            c = made(_c.perp_problem, M=self.M.c, q=self.q.ctypes.data, n=self.n, n_blocks=len(forms),
                     laws=heads.ctypes.data, offset=offset.ctypes.data, weight=weight, floor=floor)
            hold(c, (forms, heads, offset))
            self._plain = c
        return self._plain

    def __reduce__(self) -> Any:
        """Its parts; what C sees of them is made anew."""
        return _rebuilt, (self.M.given(), self.q, self.laws, self.weight, self.floor, self.rows)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("M", "weight", "floor", "laws") and name in self.__dict__:
            raise AttributeError(f"Problem: {name} stays as it is, make another problem")
        super().__setattr__(name, value)

    @property
    def q(self) -> Array:
        """Another of the same size may be set between solves."""
        return self._q

    @q.setter
    def q(self, q: Any) -> None:
        new = vector("Problem", "q", q, finite=True)
        if new.size != self.n:
            raise ArgumentError(f"Problem: q has {new.size} entries in place of {self.n}", "q", value=new.size)
        self._q, self._plain = new, None

    @property
    def n(self) -> int:
        return self._q.size


def _rebuilt(M: Any, q: Any, laws: list[tuple[Law, int]], weight: Any, floor: Any,
             rows: Any = None) -> Problem:
    problem = Problem(M, q, weight=weight, floor=floor)
    for law, copies in laws:
        problem.add(law, copies)
    problem.rows = rows
    return problem


def _law_and_copies(what: str, pair: Any) -> tuple[Law, int]:
    """A law, or a pair of one and a number of copies."""
    found = (pair, 1) if isinstance(pair, Law) else several(what, "laws", pair)
    if len(found) != 2 or not isinstance(found[0], Law):
        raise ArgumentTypeError(f"{what}: laws are pairs of a law and a number of copies", "laws")
    if found[0].kind == "piecewise_linear":
        raise ArgumentError(f"{what}: a graph is for connect(), it has no set by itself", "laws")
    return found[0], integer(what, "copies", found[1], 0)


class Solver(Alone):
    """A solver with its memory, used again from solve to solve; for one thread at a time. With
    warm_start each solve begins from the modes of the last one."""

    _does = "the solver is at work, in another thread, or asks a function of the problem"

    def __init__(self, solver: Union[str, Method] = "auto", *, warm_start: bool = False,
                 _of: Optional[tuple[str, dict[str, Any]]] = None, **options: Any):
        super().__init__()
        what, options = _of or ("Solver", options)  # the call that refuses
        self._guard = Guard()
        self._method = MethodForm(what, solver, options)
        self._info = made(_c.perp_info)
        self._work = owned_bytes(what, 0)
        self._warm = owned_bytes(what, 0)
        self._warm_bytes = -1 if warm_start else None
        self.name = self._method.name

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise ArgumentTypeError("Solver: it cannot be copied or pickled; make another one")

    def solve(self, problem: Problem, lambda_: Any = None, y: Any = None) -> Solution:
        """Solve. lambda_, y: n entries each, written in place (float64, contiguous), lambda_ also
        the start; None: new ones, from zeros."""
        return self._solve("solve", problem, lambda_, y)

    def _solve(self, what: str, problem: Problem, lambda_: Any, y: Any) -> Solution:
        if not isinstance(problem, Problem):
            raise ArgumentTypeError(f"{what}: problem is {type(problem).__name__}, no Problem", "problem")
        problem._require_all(what)
        return self._alone(what, self._solve_alone, what, problem, lambda_, y)

    def _solve_alone(self, what: str, problem: Problem, lambda_: Any, y: Any) -> Solution:
        n, guard, m = problem.n, self._guard, self._method
        lambda_ = np.zeros(n) if lambda_ is None else written(what, "lambda_", lambda_, n)
        y = np.zeros(n) if y is None else written(what, "y", y, n)
        read = [a for a in (problem.q, problem.M.values, problem.weight, problem.floor) if a is not None]
        if np.may_share_memory(lambda_, y) or any(np.may_share_memory(a, b) for a in (lambda_, y) for b in read):
            raise ArgumentError(f"{what}: lambda_ or y share memory with each other or with the problem", "lambda_")
        c = problem._described()
        guard.used = bool(m.c.observe) or any(law.calls for law, _ in problem.laws)
        ray, info = np.zeros(n + 1), self._info
        info.ray, info.ray_size = ray.ctypes.data, n
        check(guard.call(lib.perp_problem_check, c, info), what, info)
        need = guard.call(lib.perp_solver_workspace, m.solver, c, m.options)
        if need > self._work.nbytes:  # 0: the solve will say why there is none
            self._work = owned_bytes(f"{what}: {m.name}", need)
        warm = self._warm_data(what, c)
        status = guard.call(lib.perp_solver_solve, m.solver, c, m.options, lambda_.ctypes.data, y.ctypes.data, warm,
                            self._work.ctypes.data, self._work.nbytes, info)
        return shown(Solution, info, status=check(status, f"{what}: {m.name}", info), lambda_=lambda_, y=y,
                     dissipates=None if info.dissipates < 0 else bool(info.dissipates),
                     ray=ray[:n] if info.ray_kind != _c.PERP_RAY_NONE else None)

    def _warm_data(self, what: str, c: Any) -> Any:
        if self._warm_bytes is None:
            return None
        need = lib.perp_solver_warm_bytes(self._method.solver, c)
        if need != self._warm_bytes:
            self._warm, self._warm_bytes = owned_bytes(what, need, "warm_bytes"), need
        return _c.perp_warm(self._warm.ctypes.data, need, 0, 0)

    def lcp(self, M: Any, q: Any, lambda_: Any = None, y: Any = None) -> Solution:
        """y = M λ + q,  0 ≤ λ ⟂ y ≥ 0."""
        return self._solve("lcp", Problem(M, q, complementarity(), _what="lcp"), lambda_, y)


def _solve(what: str, problem: Problem, solver: Union[str, Method], lambda_: Any, y: Any,
           options: dict[str, Any]) -> Solution:
    return Solver(solver, _of=(what, options))._solve(what, problem, lambda_, y)


def solve(problem: Problem, solver: Union[str, Method] = "auto", *, lambda_: Any = None, y: Any = None,
          **options: Any) -> Solution:
    """Solve a problem once; keep a `Solver` for many."""
    return _solve("solve", problem, solver, lambda_, y, options)


def solve_lcp(M: Any, q: Any, solver: Union[str, Method] = "auto", *, lambda_: Any = None, y: Any = None,
              **options: Any) -> Solution:
    """y = M λ + q,  0 ≤ λ ⟂ y ≥ 0.  M: n x n, q: n. Where λ and y are called z and w, so they may be in
    the result."""
    return _solve("solve_lcp", Problem(M, q, complementarity(), _what="solve_lcp"), solver, lambda_, y, options)


def solve_mlcp(M: Any, q: Any, lower: Any, upper: Any, solver: Union[str, Method] = "auto", *,
               lambda_: Any = None, y: Any = None, **options: Any) -> Solution:
    """−(M λ + q) ∈ N_[lower, upper](λ), the mixed problem in box form: λ_i = lower_i where y_i > 0,
    upper_i where y_i < 0. Equations have bounds −∞ and ∞; one number is a bound for all."""
    return _solve_box("solve_mlcp", M, q, lower, upper, solver, lambda_, y, options)


solve_box = solve_mlcp


def solve_relay(M: Any, q: Any, limit: float = 1.0, solver: Union[str, Method] = "auto", *,
                lambda_: Any = None, y: Any = None, **options: Any) -> Solution:
    """λ_i ∈ −limit Sgn(y_i)."""
    limit = relay_limit("solve_relay", limit)
    return _solve_box("solve_relay", M, q, -limit, limit, solver, lambda_, y, options)


def _solve_box(what: str, M: Any, q: Any, lower: Any, upper: Any, solver: Union[str, Method], lambda_: Any, y: Any,
               options: dict[str, Any]) -> Solution:
    n = numbers(what, "q", q).size
    low, up = (np.full(n, real(what, name, b)) if np.ndim(b) == 0 else b
               for name, b in (("lower", lower), ("upper", upper)))
    laws: list[Law] = [box_law(what, low, up, n)] if n else []
    return _solve(what, Problem(M, q, laws, _what=what), solver, lambda_, y, options)


def _coefficients(what: str, name: str, value: Any, count: int) -> Array:
    if np.ndim(value) == 0:
        value = np.full(count, real(what, name, value))
    return vector(what, name, value, count, finite=True)


def _contacts(what: str, M: Any, q: Any, dim: Any, kind: str, **coefficients: Any) -> Problem:
    """A problem of contacts with friction or rolling; coefficients of each, one number for all. Neighbours
    that are equal are copies of one law; the first coefficient that is negative is named."""
    sizes = {"friction": (2, 3), "rolling": (3, 5)}[kind]
    if integer(what, "dim", dim) not in sizes:
        raise ArgumentError(f"{what}: dim is {dim!r}, {sizes[0]} or {sizes[1]} is needed", "dim")
    q = vector(what, "q", q)
    if q.size % dim:
        raise ArgumentError(f"{what}: q has {q.size} entries, no multiple of dim = {dim}", "q", value=q.size)
    columns = [_coefficients(what, name, value, q.size // dim) for name, value in coefficients.items()]
    for name, found in zip(coefficients, columns):
        if np.ndim(coefficients[name]) and (found < 0).any():
            at = int(np.argmax(found < 0))
            raise ArgumentError(f"{what}: {name}[{at}] = {found[at]:.9g}: must be >= 0", name, at, float(found[at]))
    laws: dict[Any, Law] = {}
    runs = []
    for row, equal in itertools.groupby(zip(*[c.tolist() for c in columns])):
        if row not in laws:
            laws[row] = contact_law(what, kind, dim, **dict(zip(coefficients, row)))
        runs.append((laws[row], len(list(equal))))
    return Problem(M, q, runs, _what=what)


def friction_problem(M: Any, q: Any, mu: Any, dim: int = 3) -> Problem:
    """Contacts with Coulomb friction, components contact by contact, normal first."""
    return _contacts("friction_problem", M, q, dim, "friction", mu=mu)


def rolling_problem(M: Any, q: Any, mu: Any, mu_rolling: Any, dim: int = 5) -> Problem:
    """Contacts with friction and resistance to rolling (m); dim 3: plane, 5: space."""
    return _contacts("rolling_problem", M, q, dim, "rolling", mu=mu, mu_rolling=mu_rolling)


def solve_friction(W: Any, q: Any, mu: Any, dim: int = 3, solver: Union[str, Method] = "auto", *,
                   lambda_: Any = None, y: Any = None, **options: Any) -> Solution:
    """u = W r + q and Coulomb's law between u (`y`) and r (`lambda_`) at each contact. W: n x n, q: n =
    dim x contacts, mu: contacts, or one number for all."""
    what = "solve_friction"
    return _solve(what, _contacts(what, W, q, dim, "friction", mu=mu), solver, lambda_, y, options)


def solve_rolling(W: Any, q: Any, mu: Any, mu_rolling: Any, dim: int = 5, solver: Union[str, Method] = "auto", *,
                  lambda_: Any = None, y: Any = None, **options: Any) -> Solution:
    """u = W r + q and the law of friction and resistance to rolling (m); dim 3: plane, 5: space."""
    what = "solve_rolling"
    problem = _contacts(what, W, q, dim, "rolling", mu=mu, mu_rolling=mu_rolling)
    return _solve(what, problem, solver, lambda_, y, options)


def solve_contact(W: Any, q: Any, mu: float, mu_rolling: Optional[float] = None) -> Solution:
    """One contact, exactly; see docs/theory-friction.md. q has 2 or 3 entries, with mu_rolling 3 (plane)
    or 5 (space)."""
    what, given = "solve_contact", {"mu": mu} if mu_rolling is None else {"mu": mu, "mu_rolling": mu_rolling}
    q = vector(what, "q", q, finite=True)
    name = {(2, 1): "2d", (3, 1): "3d", (3, 2): "rolling_2d", (5, 2): "rolling_3d"}.get((q.size, len(given)))
    if name is None:
        raise ArgumentError(f"{what}: q has {q.size} entries", "q", value=q.size)
    W, r, u = matrix(what, "W", W, q.size, q.size), np.zeros(q.size), np.zeros(q.size)
    coefficients = [real(what, key, value) for key, value in given.items()]
    status = getattr(lib, f"perp_contact_{name}")(W.ctypes.data, q.ctypes.data, *coefficients, r.ctypes.data, u.ctypes.data)
    unknown = float("nan")
    return Solution(check(status, what), r, u, 0, unknown, unknown, unknown, unknown, "one contact", -1, None)
