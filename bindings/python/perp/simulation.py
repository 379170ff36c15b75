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
from ._arrays import Array, address, copied, integer, owned_bytes, real, vector, view
from ._callbacks import stops
from ._library import lib, made, shown, text
from ._options import StepOptions
from ._records import Contact, Report
from .errors import (ArgumentError, ArgumentTypeError, BusyError, CallbackError, Error, Retry, Status, UnsupportedError,
                     check, error)
from .model import InteractionId, Model, SystemId
from .run import STATUS, Run, Work
from .solvers import Method, Problem

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
    projection_max, projection_tol, projection_tol_unilateral, switchable,
    sleep_energy, sleep_time, sparse ("ldl", "klu"),
    backend ("lapack"), formulation ("reduced", "global", "auto"), speed_tol (with a pool: m/s, "pile", which is
    the default, or "stack").
    """

    _name, _end = "simulation", "perp_simulation_release"

    def __init__(self, model: Model, h: Optional[float] = None, steps: int = 0, *,
                 solver: Union[None, str, Method] = None, integrator: Optional[str] = None, **options: Any):
        super().__init__(model)
        self._options = StepOptions(self._parts, self._model.c, h=h, steps=steps, solver=solver,
                                    integrator=integrator, **options)
        self._guard.used = self._guard.used or bool(self._options.method.c.observe)
        self._z = Parameters(self._parts, self._turn)
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
        require_begun(status, "Simulation", info)
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
        until, steps = time_limit("run", until), integer("run", "steps", steps, 0)
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

    def steps(self, until: float = math.inf) -> Iterator["Simulation"]:
        """`for s in sim.steps()` sees the simulation after each step, until the time is not below `until`;
        afterwards `status` tells why it ended, END at the end of the grid."""
        limit = time_limit("steps", until)

        def each() -> Iterator["Simulation"]:
            while self.time < limit and self.step() == Status.OK:
                yield self
        return each()

    @property
    def z(self) -> "Parameters":
        """Parameters and inputs: sim.z[system], sim.z[interaction]; see `Parameters`."""
        return self._z

    def set_state(self, system: int, q: Any = None, v: Any = None, *, x: Any = None) -> None:
        """Put a system at a position and velocity, or in a state x, between two steps; None: as it is. It begins anew
        there, see perp_simulation_set_state(). Checked as initial values are, gaps against min_gap too, but for those
        of a pool; refused, all stays as it was."""
        what, i = "set_state", self._system(system, "set_state")
        rows = []
        for name, values in (("q", q), ("v", v), ("x", x)):
            size = self._parts._entries(name, i)
            if values is not None and not size:
                raise ArgumentError(f"{what}: system {i} has no {name}", name, i)
            rows.append(None if values is None else vector(what, name, values, size, finite=True))
        if all(row is None for row in rows):
            raise ArgumentError(f"{what}: q, v or x is needed", "q")
        info = made(_c.perp_info)
        require_begun(self._locked(lib.perp_simulation_set_state, i, 1, *[address(row) for row in rows], info), what, info)

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

    def problem(self, island: int = 0) -> Problem:
        """The one-step problem of an island, 0 ... islands() − 1, of the last step, also of one that was not solved:
        y = M λ + q and its laws, to solve, look at or keep; a copy. rows tells the interaction and the row in it
        of each unknown, −1 where the pool found the contact. Before the first step, and where nothing acted in
        the last, there is none."""
        island = integer("problem", "island", island, 0)
        return self._look(lambda handle: self._problem(handle, island))

    def _problem(self, handle: int, island: int) -> Problem:
        count, c, at = lib.perp_simulation_islands(handle), made(_c.perp_problem), ctypes.c_void_p()
        if island >= count:
            raise ArgumentError(f"problem: island {island}: the last step had {count}", "island", value=island)
        check(lib.perp_simulation_problem(handle, island, c, ctypes.byref(at)), "problem")
        n, blocks = c.n, c.n_blocks
        offset, rows = (np.array((ctypes.c_int32 * size).from_address(pointer)) for size, pointer in (
            (blocks + 1, c.offset), (n, at.value)))
        laws = []
        for k, pointer in enumerate((ctypes.c_void_p * blocks).from_address(c.laws)):
            law = self._model.law_at(pointer)
            if c.states and (ctypes.c_void_p * blocks).from_address(c.states)[k]:
                raise UnsupportedError(f"problem: {law.name} carries a state from step to step, a Problem does not", "laws")
            laws.append((law, int(offset[k + 1] - offset[k]) // law.size))
        weight, floor = (None if p is None else copied(p, n) for p in (c.weight, c.floor))
        found = Problem(dense(c.M), copied(c.q, n), laws, weight=weight, floor=floor, _what="problem")
        of = np.searchsorted(self._model.rows, rows, "right") - 1
        found.rows = np.column_stack([np.where(of < self._parts.interactions, of, -1), rows - self._model.rows[of]])
        return found

    def set_active(self, system: int, active: bool) -> None:
        """Switch a system off or on from the next step on; the option switchable has to allow it."""
        check(self._locked(lib.perp_simulation_set_active, self._system(system, "set_active"), int(bool(active))),
              "set_active")

    def is_active(self, system: int) -> bool:
        """Whether it is on."""
        return bool(lib.perp_simulation_is_active(self._open(), self._system(system, "is_active")))

    def is_asleep(self, system: int) -> bool:
        """Whether it sleeps, see the option sleep_energy; within a pool's function: as it is known so far."""
        return bool(lib.perp_simulation_is_asleep(self._open(), self._system(system, "is_asleep")))

    def awake(self) -> int:
        """How many systems are neither asleep nor off."""
        return int(lib.perp_simulation_awake(self._open()))

    def wake(self, system: int) -> None:
        """Wake a system with its island, for what the library cannot see: constants that were changed."""
        check(self._locked(lib.perp_simulation_wake, self._system(system, "wake")), "wake")

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

        def fill() -> None:
            if len(data) != self._state_bytes:
                raise ArgumentError("restore: a checkpoint of another model", "checkpoint", value=len(data))
            ctypes.memmove(self._state.ctypes.data, data, len(data))
        self._adopt(fill)

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


class Parameters:
    """The parameters z of descriptions, by system or interaction: `sim.z[ball]` is the NumPy array that was given
    as its z, which C reads in every step; `sim.z[ball] = values` writes to it, after a look at them, and
    refuses to within a step. An array that was given to several descriptions, or a description to several
    simulations, is one. What is written to the array itself is looked at by the next step."""

    def __init__(self, parts: Model, turn: list[bool]):
        self._turn = turn
        self._of = {SystemId: {i: form.value.z for i, (form, _) in enumerate(parts._added)},
                    InteractionId: {i: getattr(form.value, "z", None) for i, (form, *_) in enumerate(parts._joined)}}
        self._arrays = {kind: {i: z for i, z in of.items() if isinstance(z, np.ndarray)} for kind, of in self._of.items()}

    def __getitem__(self, of: Union[SystemId, InteractionId]) -> Array:
        try:
            return self._arrays[of.__class__][of]
        except (KeyError, TypeError):
            raise self._missing(of) from None

    def __setitem__(self, of: Union[SystemId, InteractionId], values: Any) -> None:
        try:
            array = self._arrays[of.__class__][of]
        except (KeyError, TypeError):
            raise self._missing(of) from None
        if not self._turn:
            raise BusyError("z: a simulation that is within a step, or in another thread, reads it")
        if isinstance(values, float) and values - values == 0 and array.size == 1:
            array[0] = values
        elif values.__class__ is np.ndarray and values.dtype is array.dtype and values.shape == array.shape \
                and math.isfinite(values.dot(values)):
            array[:] = values
        else:
            array[:] = vector("z", "z", values, array.size, finite=True)

    def _missing(self, of: Any) -> Error:
        """Why there is no array."""
        kind = of.__class__
        if kind not in self._of or of not in self._of[kind]:
            return ArgumentTypeError(f"z: {of!r} is no system or interaction of the model, as add() and connect() name them",
                                     "z")
        who = f"{'system' if kind is SystemId else 'interaction'} {int(of)}"
        return ArgumentError(f"z: {who} has no z" if self._of[kind][of] is None else
                             f"z: that of {who} stays as it is, for it was not given as a NumPy array", "z", int(of))


def dense(c: Any) -> Array:
    """A copy of a matrix that C shows, by columns."""
    if c.kind == _c.PERP_DENSE:
        return copied(c.values, c.ld * c.cols).reshape(c.ld, c.cols, order="F")[:c.rows]
    M, unit = np.empty((c.rows, c.cols), order="F"), np.eye(c.cols)
    for column, one in zip(M.T, unit):
        check(lib.perp_matrix_multiply(c, one.ctypes.data, column.ctypes.data), "problem")
    return M


def require_begun(status: int, what: str, info: Any) -> None:
    """Refuse what did not begin; no step could be smaller."""
    if status != 0:
        raise error(status, what, info) if status < 0 else \
            ArgumentError(f"{what}: {Status(status).text}", status=Status(status))


def time_limit(what: str, until: Any) -> float:
    """A time up to which, refused where it is none."""
    until = real(what, "until", until)
    if math.isnan(until):
        raise ArgumentError(f"{what}: until is NaN", "until", value=until)
    return until


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
