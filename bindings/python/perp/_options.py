# SPDX-License-Identifier: MIT
"""Options of time-stepping as C has them, and what is chosen where nothing is said."""
from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _c
from ._arrays import integer, real, several, vector
from ._callbacks import Guard
from ._library import lib
from .bodies import choice
from .errors import ArgumentError, ArgumentTypeError, Status
from .model import Model
from .solvers import Method, MethodForm, sparse_back_end

INTEGRATORS = {"moreau-jean": ("moreau_jean", 2), "schatzman-paoli": ("schatzman_paoli", 2), "theta": ("theta", 1),
               "theta-gamma": ("theta_gamma", 1), "theta-gamma-full": ("theta_gamma_full", 1)}
WORDS = {
    "on_failure": {"stop": _c.PERP_FAILURE_STOP, "retry": _c.PERP_FAILURE_RETRY, "accept": _c.PERP_FAILURE_ACCEPT},
    "newton_stop": {"residual": _c.PERP_NEWTON_RESIDUAL, "dynamics": _c.PERP_NEWTON_DYNAMICS,
                    "fixed": _c.PERP_NEWTON_FIXED},
    "newton_start": {"current": _c.PERP_NEWTON_FROM_CURRENT, "position": _c.PERP_NEWTON_FROM_POSITION},
    "projection": {"none": _c.PERP_PROJECT_NONE, "positions": _c.PERP_PROJECT_POSITIONS,
                   "combined": _c.PERP_PROJECT_COMBINED},
    "formulation": {"reduced": _c.PERP_FORMULATION_REDUCED, "global": _c.PERP_FORMULATION_GLOBAL,
                    "auto": _c.PERP_FORMULATION_AUTO},
}
NUMBERS = ("t0", "theta", "gamma", "min_gap", "newton_tol", "reaction_gamma", "projection_tol",
           "projection_tol_unilateral", "gap_tol", "equality_tol", "accept_tol")
COUNTS = ("max_halvings", "newton_max", "newton_halvings", "projection_max")


class StepOptions:
    """The C options of a simulation, and what they point to."""

    def __init__(self, parts: Model, model: Any, guard: Guard, h: Any, steps: Any, solver: Any, integrator: Any,
                 given: dict[str, Any]):
        what = "Simulation"
        given = dict(given)
        c = self.c = _c.perp_simulation_options()
        lib.perp_simulation_options_init(c, ctypes.sizeof(c))
        c.h, c.steps = real(what, "h", h), integer(what, "steps", steps, 0)
        self.kept: list[Any] = []
        if parts._pool is not None:  # docs/contact-pool.md
            c.on_failure = _c.PERP_FAILURE_ACCEPT
            c.gap_tol = lib.perp_pool_gap_tol(model)
        for name in NUMBERS:
            if name in given:
                setattr(c, name, real(what, name, given.pop(name)))
        for name in COUNTS:
            if name in given:
                setattr(c, name, integer(what, name, given.pop(name)))
        for name, words in WORDS.items():
            if name in given:
                setattr(c, name, choice(what, name, given.pop(name), words))
        switchable = given.pop("switchable", False)
        if not isinstance(switchable, (bool, np.bool_)):
            raise ArgumentTypeError(f"{what}: switchable is {switchable!r}, True or False is needed", "switchable")
        c.switchable = int(switchable)
        grid = given.pop("grid", None)
        if grid is not None:
            if steps or c.t0 != 0:
                raise ArgumentError(f"{what}: grid has its own begin and end, t0 and steps go without it", "grid")
            rows = self._keep(vector(what, "grid", grid))
            if rows.size < 2:
                raise ArgumentError(f"{what}: grid needs two times or more", "grid", value=rows.size)
            c.grid, c.steps = rows.ctypes.data, rows.size - 1
        thetas = given.pop("thetas", None)
        if thetas is not None:
            c.thetas = self._keep(vector(what, "thetas", thetas, parts.systems)).ctypes.data
        if c.formulation != _c.PERP_FORMULATION_REDUCED:
            setattr(c, "global", lib.perp_global_step())
        backend = given.pop("backend", None)
        if backend is not None:
            choice(what, "backend", backend, {"lapack": 0})
            c.backend = lib.perp_backend_lapack()
        self.sparse = given.pop("sparse", None)
        c.sparse = sparse_back_end(what, self.sparse or "ldl")
        self._integrators(parts, integrator, given.pop("integrators", None))
        self._solver(parts, guard, solver)
        if given:
            known = sorted([*NUMBERS, *COUNTS, *WORDS, "switchable", "grid", "thetas", "backend", "sparse",
                            "integrators", "integrator", "solver", "h", "steps"])
            raise ArgumentTypeError(f"{what}: no option '{next(iter(given))}'; there are {', '.join(known)}",
                                    next(iter(given)))

    def _keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def _integrators(self, parts: Model, integrator: Any, each: Optional[Sequence[Any]]) -> None:
        what = "Simulation"
        each = None if each is None else several(what, "integrators", [each] if isinstance(each, str) else each)
        if each is not None and len(each) != parts.systems:
            raise ArgumentError(f"{what}: integrators has {len(each)} entries, {parts.systems} are needed",
                                "integrators", value=len(each))
        orders = [parts._kind_of(i).order for i in range(parts.systems)]
        own, both = {1: "theta", 2: "moreau-jean"}, len(set(orders)) > 1
        names = []
        for i, order in enumerate(orders):
            name = each[i] if each is not None and each[i] is not None else integrator
            fits = name is None or choice(what, "integrator", name, INTEGRATORS)[1] == order
            mixed = both and (each is None or each[i] is None)
            names.append(own[order] if name is None or (not fits and mixed) else name)
        pointers = [getattr(lib, f"perp_integrator_{INTEGRATORS[n][0]}")() for n in names]
        if not pointers:
            pointers = [lib.perp_integrator_moreau_jean()]
        self.c.integrator = pointers[0]
        self.scheme = names[0] if names else "moreau-jean"
        if len(set(names)) > 1:
            self.c.integrators = self._keep(np.array(pointers, dtype=np.uintp)).ctypes.data

    def _solver(self, parts: Model, guard: Guard, solver: Union[None, str, Method]) -> None:
        if solver is None:
            mechanics = parts._intervals() and parts._symmetric()
            piles = {} if parts._pool is None else {"tol": 1e-8, "budget": 1e5 * max(parts._pool.capacity, 100)}
            solver = Method("active-set", {}) if mechanics else Method("auto", {"allocate": 0, **piles})
        self.method = MethodForm("Simulation", solver, guard)
        self.c.solver = self.method.solver
        self.c.solver_options = self.method.options

    def other_back_end(self, refusal: int) -> bool:
        """KLU in place of LDL after a refusal, unless one was named."""
        if self.sparse is not None or refusal not in (Status.EINVAL, Status.EUNSUPPORTED):
            return False
        self.sparse = "klu"
        self.c.sparse = lib.perp_sparse_klu()
        return True
