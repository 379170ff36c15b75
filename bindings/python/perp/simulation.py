# SPDX-License-Identifier: MIT
"""Simulations by time-stepping: Moreau–Jean, θ, θ–γ, Schatzman–Paoli.

    sim = perp.Simulation(m, h=1e-3)
    sim.run(until=2.0)
    sim.q(ball), sim.lambda_(floor)

State and work are blocks of memory of Python's own; q(), v(), x(), y(), ydot(), lambda_() are views
into them that cannot be written, show the present state, and keep the memory: a view of a simulation
that was closed still holds its last numbers. A simulation is for one thread at a time; two of them
run at the same time in two threads, for calls of C give the GIL away.
"""
from __future__ import annotations

import ctypes
import math
import time as clock
from typing import Any, Callable, Iterator, Optional, Union

import numpy as np

from . import _c
from ._arrays import Array, copied, integer, owned_bytes, real, view
from ._callbacks import stops
from ._library import lib, made, shown, text
from ._options import StepOptions
from ._records import Contact, Report
from .errors import ArgumentError, ArgumentTypeError, CallbackError, Retry, Status, check, error
from .model import Model
from .run import STATUS, Run, Work
from .solvers import Method

_CHUNK = 0.02  # seconds of C between two looks at the keyboard


class Handle(int):
    """The address of a simulation of C, in blocks of memory that stay as long as anybody looks at it."""

    def __new__(cls, address: int, state: Array, work: Array) -> "Handle":
        new = super().__new__(cls, address)
        new.blocks = (state, work)
        new.views = {}
        return new

    blocks: tuple[Array, Array]
    views: dict[Any, Array]  # what was looked at


class Simulation(Run):
    """A run of a model with steps of length h (s), 1e-3 where neither it nor a grid of times is given; steps 0:
    without end.

    solver: a name or method(); None: by the model. integrator: "moreau-jean", "schatzman-paoli",
    "theta", "theta-gamma", "theta-gamma-full", for the systems of its order; integrators: one for
    each system. Other options as in perp_simulation_options: t0, grid, theta, thetas, gamma,
    min_gap, gap_tol, equality_tol, on_failure ("stop", "retry", "accept", which is the default with
    a pool, see docs/running.md), max_halvings, accept_tol, newton_stop ("residual", "dynamics", "fixed"),
    newton_start ("current", "position"), newton_max, newton_halvings, newton_tol, reaction_gamma,
    projection ("none", "positions", "combined"),
    projection_max, projection_tol, projection_tol_unilateral, switchable, sparse ("ldl", "klu"),
    backend ("lapack"), formulation ("reduced", "global", "auto").
    """

    _name, _end = "simulation", "perp_simulation_release"

    def __init__(self, model: Model, h: Optional[float] = None, steps: int = 0, *,
                 solver: Union[None, str, Method] = None, integrator: Optional[str] = None, **options: Any):
        super().__init__(model)
        self._options = StepOptions(self._parts, self._model.c, h=h, steps=steps, solver=solver,
                                    integrator=integrator, **options)
        self._guard.used = self._guard.used or bool(self._options.method.c.observe)
        state_bytes, work_bytes = self._sizes()
        self._state, self._state_bytes = owned_bytes("Simulation", state_bytes, "state_bytes"), state_bytes
        self._begin(lib.perp_simulation_init, work_bytes)

    def _sizes(self) -> tuple[int, int]:
        call, m, o = self._guard.call, self._model.c, self._options.c
        return call(lib.perp_simulation_state_size, m, o), call(lib.perp_simulation_work_size, m, o)

    def _begin(self, init: Any, work_bytes: int) -> None:
        """Let init or resume take hold of the state and of a new work block."""
        out, info = ctypes.c_void_p(), made(_c.perp_info)
        while True:
            work = owned_bytes("Simulation", work_bytes)
            status = self._guard.call(init, ctypes.byref(out), self._model.c, self._options.c,
                                      self._state.ctypes.data, self._state_bytes, work.ctypes.data, work.nbytes, info)
            if status == 0 or not self._options.other_back_end(status):
                break
            self._state_bytes, work_bytes = self._sizes()
            self._state = owned_bytes("Simulation", self._state_bytes, "state_bytes")
        if status != 0:
            raise error(status, "Simulation", info) if status < 0 else \
                ArgumentError(f"Simulation: {Status(status).text}", status=Status(status))
        if self._handle is not None:
            lib.perp_simulation_release(self._handle)
        assert out.value is not None
        self._handle, self._info, self._status = Handle(out.value, self._state, work), info, Status.OK

    # Going on

    def step(self) -> Status:
        """Take the grid's next step: OK, END, or why it was not taken (the state is as it was)."""
        return self._ended(self._locked(lib.perp_simulation_step, self._info))

    def advance(self, h: float) -> Status:
        """Take a step of length h (s) that is not the grid's."""
        return self._ended(self._locked(lib.perp_simulation_advance, real("advance", "h", h), self._info), "advance")

    def run(self, until: float = math.inf, steps: int = 0,
            observe: Optional[Callable[["Simulation"], Any]] = None) -> Status:
        """Step until the time is not below `until`, so many steps were taken, or the grid ends.
        observe(sim) sees each step, may do anything with sim, and returns False to stop (STOPPED).
        Without it the loop is C's; the keyboard's interrupt ends it between two steps."""
        until, steps = real("run", "until", until), integer("run", "steps", steps, 0)
        if math.isnan(until):
            raise ArgumentError("run: until is NaN", "until", value=until)
        if steps == 0:
            self._require_end("run", until)
        if observe is not None:
            return self._observed(until, steps, observe)
        return self._ended(self._alone("run", self._run, until, steps), "run")

    def _run(self, until: float, steps: int) -> int:
        handle, taken, chunk = self._open(), 0, 64
        while lib.perp_simulation_time(handle) < until and not (steps and taken >= steps):
            count = min(chunk, steps - taken) if steps else chunk
            begin = clock.perf_counter()
            status = self._called(lib.perp_simulation_run, count, until, _NO_OBSERVER, None, self._info)
            if status != 0:
                return status
            taken += count
            spent = clock.perf_counter() - begin
            if spent < _CHUNK / 2:
                chunk = min(2 * chunk, 1 << 30)
            elif spent > 2 * _CHUNK:
                chunk = max(chunk // 2, 1)
        return 0

    def _require_end(self, what: str, until: float) -> None:
        """Refuse what would never end."""
        if until == math.inf and self._options.c.steps == 0:
            raise ArgumentError(f"{what}: until or steps is needed, for the grid has no end", "until", value=until)

    def _observed(self, until: float, steps: int, observe: Callable[["Simulation"], Any]) -> Status:
        if not callable(observe):
            raise ArgumentTypeError("run: observe is no function", "observe")
        taken = 0
        while not (self.time >= until or (steps and taken >= steps)):
            if self.step() != Status.OK:
                return self._status
            taken += 1
            try:
                stopped = stops(observe(self))
            except Retry:
                raise CallbackError("run: observe: it cannot ask for a smaller step, the step is taken") from None
            if stopped:
                self._status = Status.STOPPED
                return self._status
        return self._ended(0)

    def steps(self) -> Iterator["Simulation"]:
        """`for s in sim.steps()` sees the simulation after each step; afterwards `status` tells why it
        ended, END at the end of the grid."""
        while self.step() == Status.OK:
            yield self

    def _ended(self, status: int, who: str = "step") -> Status:
        if status < 0:
            self._status = Status(status)
            raise error(status, who, self._info)
        self._status = STATUS[status]
        return self._status

    # Looking

    @property
    def ending(self) -> str:
        """How it ended, in words: "finished: 1000 steps, t = 10", "not solved: iteration limit in step 280 at
        t = 2.79, contact 17 between bodies 4 and 9, residual 2.6e-9, asked 1e-10; try tol = 1e-8"."""
        said = ctypes.create_string_buffer(512)
        lib.perp_simulation_ending(self._open(), self._status, self._info, 0, said, len(said))
        return text(said.value)

    @property
    def time(self) -> float:
        """Time (s)."""
        return lib.perp_simulation_time(self._open())

    @property
    def step_index(self) -> int:
        """Steps of the grid taken."""
        return lib.perp_simulation_step_index(self._open())

    @property
    def iterations(self) -> int:
        """Iterations of the last step's solves."""
        return self._info.iterations

    @property
    def relative_residual(self) -> float:
        """Of the last step's one-step problem."""
        return self._info.relative_residual

    def _of_system(self, name: str, system: int) -> Array:
        handle, key = self._open(), (name, system.__class__, system)
        try:
            return handle.views[key]
        except (KeyError, TypeError):  # a list, say; refused below
            i = self._system(system, name)
        pointer = self._c(name)(handle, i)
        if pointer is None:
            raise ArgumentError(f"{name}: system {i} is not of its order", name, i)
        found = handle.views[key] = self._view(handle, pointer, self._parts._entries(name, i))
        return found

    def _of_interaction(self, name: str, interaction: int) -> Array:
        handle, key = self._open(), (name, interaction.__class__, interaction)
        try:
            return handle.views[key]
        except (KeyError, TypeError):
            i = self._interaction(interaction, name)
        pointer = self._c(name.rstrip("_"))(handle, i)
        if pointer is None:
            raise ArgumentError(f"{name}: interaction {i} has none, its order is 1", name, i)
        if self._model.is_graph(i):
            return self._look(lambda handle: self._model.whole(
                i, name, pointer, lib.perp_simulation_lambda(handle, i), lib.perp_simulation_ydot(handle, i) is not None))
        found = handle.views[key] = self._view(handle, pointer, self._model.size(i))
        return found

    @staticmethod
    def _view(handle: Handle, pointer: int, size: int) -> Array:
        return next(found for found in (view(block, pointer, size) for block in handle.blocks) if found is not None)

    def level(self, interaction: int) -> str:
        """What lambda_() is: "force", "impulse" (h times a force) or "position" (h² times a force)."""
        return _LEVELS[self._look(lib.perp_simulation_level, self._interaction(interaction, "level"))]

    def force(self, interaction: int) -> Array:
        """λ as a mean force over the last step (N): a copy."""
        i = self._interaction(interaction, "force")
        out = np.zeros(self._model.size(i))
        check(self._look(lib.perp_simulation_force, i, out.ctypes.data), "force")
        return self._model.whole(i, "lambda_", 0, out.ctypes.data, True) if self._model.is_graph(i) else out

    def law_state(self, interaction: int, copy: int = 0) -> Array:
        """What a copy of a law carries from step to step, as doubles: damage and slip of cohesive_3d().
        A copy."""
        i, size = self._interaction(interaction, "law_state"), ctypes.c_size_t()
        pointer = self._look(lib.perp_simulation_law_state, i, integer("law_state", "copy", copy), ctypes.byref(size))
        if pointer is None:
            raise ArgumentError("law_state: no such copy, or a law without state", "copy", value=copy)
        return copied(pointer, size.value // 8)

    def work(self, interaction: Optional[int] = None) -> Work:
        """Work of the reactions of an interaction over the last step; None: of all."""
        i = -1 if interaction is None else self._interaction(interaction, "work")
        return Work(*self._two_numbers("work", lib.perp_simulation_work_done, i))

    def contacts(self) -> list[Contact]:
        """Unilateral contacts of mechanics that acted in the last step."""
        def read(handle: int) -> list[Contact]:
            size, n = ctypes.sizeof(_c.perp_contact_view), ctypes.c_int32()
            check(lib.perp_simulation_contacts(handle, None, size, 0, ctypes.byref(n)), "contacts")
            found = (_c.perp_contact_view * max(n.value, 1))()
            check(lib.perp_simulation_contacts(handle, found, size, n.value, ctypes.byref(n)), "contacts")
            return [shown(Contact, c, located=bool(c.located), ydot=copied(c.ydot, c.rows),
                          lambda_=copied(getattr(c, "lambda"), c.rows),
                          frame=np.array(c.frame).reshape(3, 3, order="F")) for c in found[:n.value]]
        return self._look(read)

    def islands(self) -> int:
        """Independent one-step problems of the last step."""
        return lib.perp_simulation_islands(self._open())

    def set_active(self, system: int, active: bool) -> None:
        """Switch a system off or on from the next step on; the option switchable has to allow it."""
        check(self._locked(lib.perp_simulation_set_active, self._system(system, "set_active"), int(bool(active))),
              "set_active")

    def is_active(self, system: int) -> bool:
        """Whether it is on."""
        return bool(lib.perp_simulation_is_active(self._open(), self._system(system, "is_active")))

    def report(self) -> Report:
        """What happened since the start, or the last restore()."""
        r = made(_c.perp_report)
        check(lib.perp_simulation_report(self._open(), r), "report")
        return shown(Report, r)

    # Checkpoints

    def checkpoint(self) -> bytes:
        """The state as bytes; a run restored from it has the bits of the uninterrupted one. They tell how many
        systems and interactions of which sizes there are, and nothing else of the model."""
        return self._look(lambda handle: self._state.tobytes()[:self._state_bytes])

    def restore(self, checkpoint: bytes) -> None:
        """Go on from a checkpoint of the same model and options; refused, all stays as it was. Views show the
        restored state. One of a model with other sizes is refused; other constants, laws of the same size, h
        and other options are not seen here, but by restore_sealed()."""
        data = _data("restore", checkpoint)

        def copy() -> None:
            if len(data) != self._state_bytes:
                raise ArgumentError("restore: a checkpoint of another model", "checkpoint", value=len(data))
            ctypes.memmove(self._state.ctypes.data, data, len(data))
        self._adopt(copy)

    def sealed_checkpoint(self) -> bytes:
        """A sealed copy of the state, for files: with a checksum and a fingerprint of model and options,
        see docs/memory.md."""
        info = made(_c.perp_info)

        def seal(handle: int) -> bytes:
            sealed = ctypes.create_string_buffer(lib.perp_simulation_checkpoint_size(handle))
            check(lib.perp_simulation_checkpoint(handle, ctypes.addressof(sealed), len(sealed), info),
                  "sealed_checkpoint", info)
            return sealed.raw
        return self._look(seal)

    def restore_sealed(self, sealed: bytes, other_grid: bool = False) -> None:
        """Go on from a sealed checkpoint; one that is damaged, or of another model, other options or another
        grid, is refused, and all stays as it was. other_grid: h, t0 or grid may be others. Views show the
        restored state."""
        data = _data("restore_sealed", sealed)
        accept = _c.PERP_OTHER_GRID if other_grid else 0

        def unseal() -> None:
            info = made(_c.perp_info)
            check(lib.perp_simulation_unseal(self._model.c, self._options.c, data, len(data), accept,
                                             self._state.ctypes.data, self._state_bytes, info), "restore_sealed", info)
        self._adopt(unseal)

    def _adopt(self, fill: Callable[[], None]) -> None:
        """Go on from what fill() writes into the state."""
        def adopt() -> None:
            handle, before = self._open(), self._state.copy()
            try:
                fill()
                self._begin(lib.perp_simulation_resume, handle.blocks[1].nbytes)
            except BaseException:
                self._state[:] = before
                raise
            self._open().views.update({k: a for k, a in handle.views.items() if _root(a) is self._state})
        self._alone("restore", adopt)


def _data(what: str, checkpoint: Any) -> bytes:
    if not isinstance(checkpoint, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"{what}: bytes are needed", "checkpoint")
    return bytes(checkpoint)


def _root(array: Array) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


_LEVELS = ("force", "impulse", "position")
_NO_OBSERVER = _c.perp_step_fn(0)
