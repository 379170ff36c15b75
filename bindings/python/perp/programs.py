# SPDX-License-Identifier: MIT
"""Quadratic programs, nonlinear complementarity, variational inequalities; see docs/qp.md, mcp.md,
vi.md."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _c
from ._arrays import Array, Matrix, numbers, owned_bytes, real, require_finite, vector
from ._callbacks import Callbacks, Guard
from ._library import lib, made
from .bodies import choice
from .errors import ArgumentTypeError, Status, check
from .solvers import Method, MethodForm, common_options, fill_options


@dataclass(frozen=True)
class ProgramSolution:
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

    @property
    def solved(self) -> bool:
        return self.status == Status.OK

    def __bool__(self) -> bool:
        return self.solved


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
            row = np.full(size, real(what, name, value)) if np.ndim(value) == 0 else vector(what, name, value, size)
            kept.append(row)
            setattr(qp, name, row.ctypes.data)
    guard = Guard()
    ray = np.zeros(n + m + 1)
    info = made(_c.perp_info, ray=ray.ctypes.data, ray_size=n + m)
    check(lib.perp_qp_check(qp, info), what, info)
    x = np.zeros(n) if x0 is None else vector(what, "x0", x0, n, finite=True).copy()
    nu, zeta = np.zeros(m), np.zeros(n)
    outputs = x.ctypes.data, nu.ctypes.data, zeta.ctypes.data
    if solver == "dual" or (isinstance(solver, Method) and solver.name == "dual"):
        o = common_options()
        given = {**(solver.options if isinstance(solver, Method) else {}), **options}
        fill_options(o, f"{what}: dual", given, Callbacks(guard, {}))
        work = owned_bytes(what, lib.perp_qp_dual_workspace(n, m))
        status = guard.call(lib.perp_qp_dual, qp, o, *outputs, work.ctypes.data, work.nbytes, info)
    else:
        form = MethodForm(what, solver, guard, options)
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
class RootSolution:
    """Solution of a nonlinear problem. Solved only if `status` is Status.OK."""

    status: Status
    x: Array
    F: Array
    iterations: int
    residual: float
    relative_residual: float

    @property
    def solved(self) -> bool:
        return self.status == Status.OK

    def __bool__(self) -> bool:
        return self.solved


_MODES = {"path": _c.PERP_MCP_PATH, "lemke": _c.PERP_MCP_LEMKE, "josephy-newton": _c.PERP_MCP_JOSEPHY_NEWTON}


def solve_mcp(start: Any, lower: Any, upper: Any, F: Callable[..., Any], jacobian: Any = None,
              **options: Any) -> RootSolution:
    """Find z in [lower, upper] with −F(z) ∈ N_[lower, upper](z).  F(x) returns n entries, jacobian(x)
    n x n (None: by differences). Options: mode ("path", "lemke", "josephy-newton"), tol, max_iter,
    ... of perp_mcp_options. `Retry` raised in F: it cannot be evaluated there."""
    what = "solve_mcp"
    x = vector(what, "start", start, finite=True).copy()
    n = x.size
    low, up = (np.full(n, real(what, name, b)) if np.ndim(b) == 0 else vector(what, name, b, n)
               for name, b in (("lower", lower), ("upper", upper)))
    guard = Guard()
    callbacks = Callbacks(guard, {"x": n})
    c = _c.perp_mcp(n=n, lower=low.ctypes.data, upper=up.ctypes.data)
    c.function = callbacks.bind(_c.perp_mcp_function, ("x", "out", ""), _any_name(F, what, "F"), "solve_mcp: F", (n,))
    if jacobian is not None:
        c.jacobian = callbacks.bind(_c.perp_mcp_jacobian, ("x", "out", ""), _any_name(jacobian, what, "jacobian"),
                                    "solve_mcp: jacobian", (n, n))
        c.layout = _c.perp_matrix(kind=_c.PERP_DENSE, rows=n, cols=n, ld=max(n, 1))
    o = _c.perp_mcp_options()
    lib.perp_mcp_options_init(o, ctypes.sizeof(o))
    if "mode" in options:
        options = {**options, "mode": choice(what, "mode", options["mode"], _MODES)}
    fill_options(o, what, options, callbacks)
    work = owned_bytes(what, lib.perp_mcp_workspace(c, o))
    info, F_out = made(_c.perp_info), np.zeros(n)
    status = guard.call(lib.perp_mcp_solve, c, o, x.ctypes.data, F_out.ctypes.data, work.ctypes.data, work.nbytes, info)
    check(status, what, info)
    return RootSolution(Status(status), x, F_out, info.iterations, info.residual, info.relative_residual)


def solve_vi(start: Any, F: Callable[..., Any], project: Callable[..., Any], method: str = "extragradient",
             **options: Any) -> RootSolution:
    """−F(x) ∈ N_K(x) with the projection on K: project(x) returns the point of K next to x. method:
    "extragradient" for monotone F, "fixed-point" for strongly monotone F. Options of
    perp_vi_options."""
    what = "solve_vi"
    x = vector(what, "start", start, finite=True).copy()
    n = x.size
    functions = {"extragradient": lib.perp_vi_extragradient, "fixed-point": lib.perp_vi_fixed_point}
    solve = choice(what, "method", method, functions)
    guard = Guard()
    callbacks = Callbacks(guard, {"x": n})
    c = _c.perp_vi(n=n)
    c.function = callbacks.bind(_c.perp_vi_function, ("x", "out", ""), _any_name(F, what, "F"), "solve_vi: F", (n,))
    c.project = callbacks.bind(_c.perp_vi_project, ("x", "out", ""), _any_name(project, what, "project"),
                               "solve_vi: project", (n,))
    o = _c.perp_vi_options()
    lib.perp_vi_options_init(o, ctypes.sizeof(o))
    fill_options(o, what, options, callbacks)
    work = owned_bytes(what, lib.perp_vi_workspace(n))
    info, F_out = made(_c.perp_info), np.zeros(n)
    status = guard.call(solve, c, o, x.ctypes.data, F_out.ctypes.data, work.ctypes.data, work.nbytes, info)
    check(status, what, info)
    return RootSolution(Status(status), x, F_out, info.iterations, info.residual, info.relative_residual)


def _any_name(function: Any, what: str, field: str) -> Callable[..., Any]:
    """A function of the point alone, whatever it calls it."""
    if not callable(function):
        raise ArgumentTypeError(f"{what}: {field} is {type(function).__name__}, a function is needed", field)
    return lambda x: function(x)
