# SPDX-License-Identifier: MIT
"""Options of time-stepping as C has them, and what is chosen where nothing is said."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from . import _c
from ._arrays import choice, integer, real, several, words
from ._library import lib
from .errors import ArgumentError, ArgumentTypeError, Status
from .model import Model
from .solvers import Method, MethodForm, fill_options, hold, hold_row, made_options, sparse_back_end

INTEGRATORS = {"moreau-jean": ("moreau_jean", 2), "schatzman-paoli": ("schatzman_paoli", 2), "theta": ("theta", 1),
               "theta-gamma": ("theta_gamma", 1), "theta-gamma-full": ("theta_gamma_full", 1)}
WORDS = {"on_failure": words("FAILURE"), "newton_stop": words("NEWTON", "residual", "dynamics", "fixed"),
         "newton_start": words("NEWTON_FROM"), "projection": words("PROJECT"), "formulation": words("FORMULATION")}
SPEEDS = words("SPEED")


class StepOptions:
    """The C options of a simulation, and what they point to."""

    def __init__(self, parts: Model, model: Any, /, *, h: Any = None, steps: Any = 0, solver: Any = None,
                 integrator: Any = None, integrators: Any = None, grid: Any = None, backend: Any = None,
                 sparse: Any = None, switchable: Any = False, **given: Any):
        what, c = "Simulation", made_options("simulation")
        self.c, self.sparse = c, sparse
        c.h, c.steps = 1e-3 if h is None else real(what, "h", h), integer(what, "steps", steps, 0)
        if grid is not None:
            if steps or h is not None:
                raise ArgumentError(f"{what}: grid says all times: h, t0 and steps go without it", "grid")
            rows = hold_row(c, what, "grid", grid)
            if rows.size < 2:
                raise ArgumentError(f"{what}: grid needs two times or more", "grid", value=rows.size)
            c.grid, c.steps = rows.ctypes.data, rows.size - 1
        first = c.h if grid is None else float(rows[1] - rows[0])
        lib.perp_pool_defaults(model, first, int(solver is not None), c)  # docs/running.md
        if isinstance(given.get("speed_tol"), str):
            given["speed_tol"] = choice(what, "speed_tol", given["speed_tol"], SPEEDS)
        fill_options(c, what, given, WORDS, {"thetas": parts.systems},
                     ("grid", "integrator", "integrators", "solver", "backend"))
        if grid is not None and c.t0 != 0:
            raise ArgumentError(f"{what}: grid says all times: h, t0 and steps go without it", "grid")
        if not isinstance(switchable, (bool, np.bool_)):
            raise ArgumentTypeError(f"{what}: switchable is {switchable!r}, True or False is needed", "switchable")
        c.switchable = int(switchable)
        if c.formulation != _c.PERP_FORMULATION_REDUCED:
            setattr(c, "global", lib.perp_global_step())
        if backend is not None:
            c.backend = getattr(lib, f"perp_backend_{choice(what, 'backend', backend, {'lapack': 'lapack'})}")()
        c.sparse = sparse_back_end(what, sparse or "ldl")
        self._integrators(what, parts, integrator, integrators)
        if solver is None:
            mechanics = all(law.by_component for law in parts._laws()) and parts._symmetric()
            piles = {} if parts._pool is None else {"tol": 1e-8, "budget": 1e5 * max(parts._pool.capacity, 100)}
            solver = Method("active-set", {}) if mechanics else Method("auto", {"allocate": 0, **piles})
        self.method = hold(c, MethodForm(what, solver))
        c.solver, c.solver_options = self.method.solver, self.method.options

    def _integrators(self, what: str, parts: Model, integrator: Any, each: Optional[Sequence[Any]]) -> None:
        each = None if each is None else several(what, "integrators", [each] if isinstance(each, str) else each)
        if each is not None and len(each) != parts.systems:
            raise ArgumentError(f"{what}: integrators has {len(each)} entries, {parts.systems} are needed",
                                "integrators", value=len(each))
        orders = [form.value.order for form, _ in parts._added]
        own, both = {1: "theta", 2: "moreau-jean"}, len(set(orders)) > 1
        names = []
        for i, order in enumerate(orders):
            name = each[i] if each is not None and each[i] is not None else integrator
            fits = name is None or choice(what, "integrator", name, INTEGRATORS)[1] == order
            mixed = both and (each is None or each[i] is None)
            names.append(own[order] if name is None or (not fits and mixed) else name)
        self.names = names
        pointers = [getattr(lib, f"perp_integrator_{INTEGRATORS[n][0]}")() for n in names or ["moreau-jean"]]
        self.c.integrator = pointers[0]
        if len(set(names)) > 1:
            self.c.integrators = hold(self.c, np.array(pointers, dtype=np.uintp)).ctypes.data

    def other_back_end(self, refusal: int) -> bool:
        """KLU in place of LDL after a refusal, unless one was named."""
        if self.sparse is not None or refusal not in (Status.EINVAL, Status.EUNSUPPORTED):
            return False
        self.sparse = "klu"
        self.c.sparse = lib.perp_sparse_klu()
        return True
