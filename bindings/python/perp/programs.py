# SPDX-License-Identifier: MIT
"""Quadratic programs, nonlinear complementarity, variational inequalities; see docs/theory-qp.md
and docs/theory-mcp.md."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _c
from ._arrays import Array, Matrix, choice, numbers, owned_bytes, real, require_finite, vector, words
from ._callbacks import Guard, numeric
from ._library import lib, made
from .errors import ArgumentTypeError, Status, check
from .solvers import Answer, Method, MethodForm, fill_options, made_options


@dataclass(frozen=True)
class ProgramSolution(Answer):
    """Minimum of a program, P x + c = Aᵀν + ζ; or, INFEASIBLE and UNBOUNDED, the proof in `ray`."""

    status: Status
    x: Array          # n
    nu: Array         # m: multipliers of the rows
    zeta: Array       # n: of the bounds
    objective: float
    iterations: int
    primal: float     # largest violation
    dual: float       # ‖P x + c − Aᵀν − ζ‖∞
    gap: float
    ray: Optional[Array]  # n + m entries
    bound: float      # of that proof, see perp_qp_certificate(); inf: there is no solution for certain


def solve_qp(P: Any, c: Any, A: Any = None, row_lower: Any = None, row_upper: Any = None, lower: Any = None,
             upper: Any = None, solver: Union[str, Method] = "auto", *, x0: Any = None, **options: Any) -> ProgramSolution:
    """min ½ xᵀP x + cᵀx,  row_lower <= A x <= row_upper,  lower <= x <= upper; None: no bound.  P: n x n
    symmetric positive semidefinite (dense, diagonal or sparse), A: m x n dense. solver "dual": the
    dual active-set method, for positive definite P."""
    what = "solve_qp"
    c = vector(what, "c", c, finite=True)
    n = c.size
    held_P = Matrix(what, "P", P, n)
    held_A = None if A is None else Matrix(what, "A", np.atleast_2d(numbers(what, "A", A)), None, n)
    m = 0 if held_A is None else held_A.shape[0]
    qp = _c.perp_qp(n=n, m=m, P=held_P.c, c=c.ctypes.data)
    for name, held in (("P", held_P), ("A", held_A)):
        if held is not None and held.values is not None:
            require_finite(what, name, held.values)
    if held_A is not None:
        qp.A = held_A.c
    kept = []
    for name, value, size in (("row_lower", row_lower, m), ("row_upper", row_upper, m), ("lower", lower, n),
                              ("upper", upper, n)):
        if value is not None:
            row = _side(what, name, value, size)
            kept.append(row)
            setattr(qp, name, row.ctypes.data)
    guard = Guard()
    guard.used = True
    ray = np.zeros(n + m + 1)
    info = made(_c.perp_info, ray=ray.ctypes.data, ray_size=n + m)
    check(lib.perp_qp_check(qp, info), what, info)
    x = np.zeros(n) if x0 is None else vector(what, "x0", x0, n, finite=True).copy()
    nu, zeta = np.zeros(m), np.zeros(n)
    outputs = x.ctypes.data, nu.ctypes.data, zeta.ctypes.data
    if solver == "dual" or (isinstance(solver, Method) and solver.name == "dual"):
        o = made_options("solver")
        fill_options(o, f"{what}: dual", {**(solver.options if isinstance(solver, Method) else {}), **options})
        work = owned_bytes(what, lib.perp_qp_dual_workspace(n, m))
        status = guard.call(lib.perp_qp_dual, qp, o, *outputs, work.ctypes.data, work.nbytes, info)
    else:
        form = MethodForm(what, solver, options)
        need = guard.call(lib.perp_qp_workspace, form.solver, qp, form.options)
        work = owned_bytes(what, need)
        status = guard.call(lib.perp_qp_solve, form.solver, qp, form.options, *outputs, work.ctypes.data,
                            work.nbytes, info)
    check(status, what, info)
    judge = owned_bytes(what, lib.perp_qp_judge_workspace(qp))
    r = made(_c.perp_qp_residual)
    judged = lib.perp_qp_judge(qp, *outputs, r, judge.ctypes.data, judge.nbytes)
    if judged != 0:
        r.primal = r.dual = r.gap = r.objective = float("nan")
    return ProgramSolution(Status(status), x, nu, zeta, r.objective, info.iterations, r.primal, r.dual, r.gap,
                           ray[:n + m] if info.ray_kind else None, info.bound)


@dataclass(frozen=True)
class RootSolution(Answer):
    """Solution of a nonlinear problem. Solved only if `status` is Status.OK."""

    status: Status
    x: Array
    F: Array
    iterations: int
    residual: float
    relative_residual: float


def _root(what: str, start: Any, c: Any, options: Any, given: dict[str, Any], functions: dict[str, Any],
          solve: Any, workspace: Any) -> RootSolution:
    """Solve a problem of C from start; functions of the point, with the shape of what they give."""
    x = vector(what, "start", start, finite=True).copy()
    types = dict(c._fields_)
    for name, (function, shape) in functions.items():
        if not callable(function):
            raise ArgumentTypeError(f"{what}: {name} is {type(function).__name__}, a function is needed", name)
        field = "function" if name == "F" else name
        setattr(c, field, numeric(types[field], "x", lambda x, function=function: function(x), f"{what}: {name}", shape,
                                  {"x": x.size}, steady=f"{what}: {name}" if name == "project" else ""))
    fill_options(options, what, given, {"mode": words("MCP")})
    work = owned_bytes(what, workspace(c, options))
    guard, info, F = Guard(), made(_c.perp_info), np.zeros(x.size)
    guard.used = True
    status = guard.call(solve, c, options, x.ctypes.data, F.ctypes.data, work.ctypes.data, work.nbytes, info)
    check(status, what, info)
    return RootSolution(Status(status), x, F, info.iterations, info.residual, info.relative_residual)


def solve_mcp(start: Any, lower: Any, upper: Any, F: Callable[..., Any], jacobian: Any = None,
              **options: Any) -> RootSolution:
    """Find z in [lower, upper] with −F(z) ∈ N_[lower, upper](z).  F(x) returns n entries, jacobian(x)
    n x n (None: by differences). Options: mode ("path", "lemke", "josephy-newton"), tol, max_iter,
    ... of perp_mcp_options. `Retry` raised in F: it cannot be evaluated there."""
    n = vector("solve_mcp", "start", start, finite=True).size
    low, up = [_side("solve_mcp", name, b, n) for name, b in (("lower", lower), ("upper", upper))]
    c = _c.perp_mcp(n=n, lower=low.ctypes.data, upper=up.ctypes.data)
    functions: dict[str, Any] = {"F": (F, (n,))}
    if jacobian is not None:
        functions["jacobian"] = (jacobian, (n, n))
        c.layout = _c.perp_matrix(kind=_c.PERP_DENSE, rows=n, cols=n, ld=max(n, 1))
    return _root("solve_mcp", start, c, made_options("mcp"), options, functions, lib.perp_mcp_solve,
                 lib.perp_mcp_workspace)


def _side(what: str, name: str, value: Any, n: int) -> Array:
    """A bound for each of n; one number is that of all."""
    return np.full(n, real(what, name, value)) if np.ndim(value) == 0 else vector(what, name, value, n)


def solve_vi(start: Any, F: Callable[..., Any], project: Callable[..., Any], method: str = "extragradient",
             **options: Any) -> RootSolution:
    """−F(x) ∈ N_K(x) with the projection on K: project(x) returns the point of K next to x. method:
    "extragradient" for monotone F, "fixed-point" for strongly monotone F. Options of
    perp_vi_options."""
    n = vector("solve_vi", "start", start, finite=True).size
    solve = choice("solve_vi", "method", method, {"extragradient": lib.perp_vi_extragradient,
                                                  "fixed-point": lib.perp_vi_fixed_point})
    return _root("solve_vi", start, _c.perp_vi(n=n), made_options("vi"), options,
                 {"F": (F, (n,)), "project": (project, (n,))}, solve, lambda c, o: lib.perp_vi_workspace(n))
