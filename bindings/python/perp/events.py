# SPDX-License-Identifier: MIT
"""Event-driven simulation of the models that perp.Simulation steps, with the same names for the same
things; see docs/event-driven.md.

    sim = perp.EventDriven(m)
    sim.run(until=2.0)
    for event in sim.events(until=4.0): print(event.t, event.kinds)

Between events the motion is smooth, λ is a force (N). Arrays that it hands out are copies, for those
of C end when it goes on.
"""
from __future__ import annotations

import contextlib
import ctypes
import threading
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np

from . import _c
from ._arrays import Array, address, choice, copied, integer, real, several, vector, words
from ._callbacks import guarded
from ._library import lib, made, text
from ._options import StepOptions
from .errors import ArgumentError, ArgumentTypeError, BusyError, Status, check, error
from .event_types import KINDS, MODES, Change, Event, EventReport, Guard, Layout, Schedule
from .model import Model
from .run import STATUS, Energy, Run
from .solvers import Method, MethodForm, fill_options, hold, made_options

SMOOTH = {"runge-kutta": "runge_kutta", "adams": "adams", "bdf": "bdf", "arkode": "arkode", "ida": "ida"}
WORDS = {name: words(name.upper()) for name in ("linear", "impact", "zeno")}
ALSO = ("lzb", "stepping", "smooth", "solver", "guards", "schedules")


def _own_options(what: str, name: str, value: Any, used: bool, word: str) -> dict[str, Any]:
    """Options of a part, a dict, refused where that part does not act."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ArgumentTypeError(f"{what}: {name} is {value!r}, a dict of options is needed", name)
    if not used:
        raise ArgumentError(f"{what}: {name} goes with {word}", name)
    return value


class EventDriven(Run):
    """An event-driven run of a model.

    smooth: "runge-kutta", "adams", "bdf", "arkode", "ida". Other options as in perp_event_options: t0,
    rtol, atol, atols, order, linear ("auto", "dense", "banded", "sparse"), max_steps, h_first, h_max,
    samples, contact_tol, min_gap, velocity_tol, impact ("law", "poisson", "lzb"), lzb (a dict of
    perp_multiple_impact_options), zeno ("jump", "step", "stop"), zeno_tol, storm_events, storm_time;
    stepping: a dict of h and options of Simulation, for zeno="step".
    """

    def __init__(self, model: Model, *, smooth: Optional[str] = None, solver: Union[None, str, Method] = None,
                 guards: Sequence[Guard] = (), schedules: Sequence[Schedule] = (), **options: Any):
        super().__init__(model)
        self._layout = Layout(self._parts)
        self._guard.used = True  # an observer looks at the keyboard
        self._observer = 0  # the thread whose observer runs
        self._options = self._fill(smooth, solver, guards, schedules, dict(options))
        out = ctypes.c_void_p()
        status = self._guard.call(lib.perp_event_driven_create, ctypes.byref(out), self._model.c, self._options,
                                  self._info)
        if status != 0:
            if status > 0:
                raise ArgumentError(f"EventDriven: {Status(status).text}", status=Status(status))
            raise error(status, "EventDriven", self._info)
        self._handle = out.value

    def _fill(self, smooth: Any, solver: Any, guards: Any, schedules: Any, given: dict[str, Any]) -> Any:
        what, c = "EventDriven", made_options("event")
        lzb, stepping = given.pop("lzb", None), given.pop("stepping", None)
        fill_options(c, what, given, WORDS, {"atols": sum(self._layout.sizes)}, ALSO)
        if smooth is not None:
            c.smooth = getattr(lib, f"perp_smooth_{choice(what, 'smooth', smooth, SMOOTH)}")()
        if solver is not None:
            form = hold(c, MethodForm(what, solver))
            c.solver, c.solver_options = form.solver, form.options
        lzb, stepping = (_own_options(what, name, value, used, word) for name, value, used, word in (
            ("lzb", lzb, c.impact == _c.PERP_IMPACT_LZB, 'impact="lzb"'),
            ("stepping", stepping, c.zeno == _c.PERP_ZENO_STEP, 'zeno="step"')))
        if c.impact == _c.PERP_IMPACT_LZB:
            own = made_options("multiple_impact")
            fill_options(own, f"{what}: lzb", lzb, {"compliance": words("STIFFNESS")},
                         {"stiffness": int(self._model.rows[-1])})
            c.lzb = ctypes.pointer(hold(c, own))
        if c.zeno == _c.PERP_ZENO_STEP:
            c.stepping = ctypes.pointer(hold(c, StepOptions(self._parts, None, **stepping)).c)
        guards, schedules = several(what, "guards", guards), several(what, "schedules", schedules)
        c_guards = hold(c, (_c.perp_guard * max(len(guards), 1))())
        for k, g in enumerate(guards):
            if not isinstance(g, Guard):
                raise ArgumentTypeError(f"{what}: guards[{k}] is no Guard", "guards", k)
            c_guards[k].value = self._value(g.value, f"guards[{k}].value")
            c_guards[k].reset = self._reset(g.reset, f"guards[{k}].reset")
            c_guards[k].direction = integer(what, "direction", g.direction)
        c_schedules = hold(c, (_c.perp_schedule * max(len(schedules), 1))())
        for k, s in enumerate(schedules):
            if not isinstance(s, Schedule):
                raise ArgumentTypeError(f"{what}: schedules[{k}] is no Schedule", "schedules", k)
            at = c_schedules[k]
            if s.times is not None:
                times = hold(c, vector(what, "times", s.times))
                at.times, at.n_times = times.ctypes.data, times.size
            at.first, at.period = real(what, "first", s.first), real(what, "period", s.period)
            at.reset = self._reset(s.reset, f"schedules[{k}].reset")
        c.guards, c.n_guards = c_guards, len(guards)
        c.schedules, c.n_schedules = c_schedules, len(schedules)
        return c

    def _value(self, function: Any, name: str) -> Any:
        if not callable(function):
            raise ArgumentTypeError(f"EventDriven: {name} is no function", name)
        layout = self._layout

        def body(at: Any, g: int, user: Any) -> int:
            ctypes.c_double.from_address(g).value = float(function(layout.state(at)))
            return 0
        return guarded(_c.perp_guard_fn, body)

    def _reset(self, function: Any, name: str) -> Any:
        if function is None:
            return _c.perp_reset_fn(0)
        if not callable(function):
            raise ArgumentTypeError(f"EventDriven: {name} is no function", name)
        layout = self._layout

        def body(at: Any, user: Any) -> int:
            state = layout.state(at)
            answer = function(state)
            for pointer, row in zip((at.contents.q, at.contents.v, at.contents.x), (state._q, state._v, state._x)):
                if row.size:
                    ctypes.memmove(pointer, row.ctypes.data, row.nbytes)
            return int(answer is False)
        return guarded(_c.perp_reset_fn, body)

    def close(self) -> None:
        """Free it; later calls raise ClosedError."""
        if not self._lock.acquire(False):
            raise BusyError("EventDriven: close() while it runs")
        try:
            if self._handle is not None:
                lib.perp_event_driven_destroy(self._handle)
                self._handle = None
        finally:
            self._lock.release()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and lib is not None:
            lib.perp_event_driven_destroy(self._handle)
            self._handle = None

    # Going on

    def run(self, until: float, every: float = 0.0, on_output: Optional[Callable[["EventDriven"], Any]] = None,
            on_event: Optional[Callable[[Event], Any]] = None, *, first: float = 0.0, times: Any = None) -> Status:
        """Go on until a time (s): OK there, or why it ended before; the state is then the last good one.
        on_output(sim) at first + k every, or at times: sim shows the state then; on_event(event) after
        each event. Either returns False to stop (STOPPED)."""
        until = real("run", "until", until)
        types: dict[str, Any] = dict(_c.perp_event_observer._fields_)  # type: ignore[arg-type]
        # a look at the keyboard after each step of the integrator
        observer = made(_c.perp_event_observer, step=guarded(types["step"], lambda sim, user: 0))
        for name, function in (("on_output", on_output), ("on_event", on_event)):
            if function is not None and not callable(function):
                raise ArgumentTypeError(f"run: {name} is no function", name)
        if on_output is None and (times is not None or every != 0):
            raise ArgumentError("run: every and times are for on_output, and there is none", "on_output")
        if on_output is not None or on_event is not None:
            observer.first, observer.every = real("run", "first", first), real("run", "every", every)
            if times is not None:
                rows = vector("run", "times", times, finite=True)
                observer.times, observer.n_times = rows.ctypes.data, rows.size
            if on_output is not None:
                if times is None and not observer.every > 0:
                    raise ArgumentError("run: on_output needs every > 0 or times", "every", value=observer.every)
                observer.output = guarded(types["output"], lambda sim, user: self._seen(on_output, self))
            if on_event is not None:
                observer.event = guarded(
                    types["event"], lambda sim, e, user: self._seen(on_event, self._event_of(e.contents)))
        handle = self._enter()
        try:
            status = self._guard.call(lib.perp_event_driven_run, handle, until, observer, self._info)
        except BaseException:
            self._status = Status.ECALLBACK
            raise
        finally:
            self._lock.release()
        return self._ended(status, "run")

    def _seen(self, function: Any, *arguments: Any) -> int:
        self._observer = threading.get_ident()
        try:
            return int(function(*arguments) is False)
        finally:
            self._observer = 0

    def next(self, until: float) -> Status:
        """Go on to the next event, which has happened then: OK; END at `until` without one."""
        until = real("next", "until", until)
        handle = self._enter()
        try:
            status = self._guard.call(lib.perp_event_driven_next, handle, until, self._info)
        finally:
            self._lock.release()
        return self._ended(status, "next")

    def events(self, until: float) -> Iterator[Event]:
        """Each event once it has happened; afterwards `status` tells why it ended, END at `until`."""
        while self.next(until) == Status.OK:
            yield self.event()

    def event(self) -> Event:
        """What happened last; that of the start at first."""
        with self._reading() as handle:
            return self._event_of(lib.perp_event_driven_event(handle).contents)

    def restart(self, t: float, q: Any = None, v: Any = None, x: Any = None) -> None:
        """Set the state (all positions, velocities, states; None: as they are) and start anew from it.
        Refused, all stays as it was."""
        t = real("restart", "t", t)
        rows = [None if a is None else vector("restart", name, a, n)
                for name, a, n in zip("qvx", (q, v, x), self._layout.sizes)]
        handle = self._enter()
        try:
            status = self._guard.call(lib.perp_event_driven_restart, handle, t, *[address(r) for r in rows], self._info)
        finally:
            self._lock.release()
        if status > 0:
            raise ArgumentError(f"restart: {Status(status).text}", status=Status(status))
        self._ended(status, "restart")

    def _ended(self, status: int, who: str) -> Status:
        self._status = STATUS[status]
        if status < 0:
            more = self.message
            raise error(status, f"{who}: {more}" if more else who, self._info)
        return self._status

    @property
    def message(self) -> str:
        """What went wrong last, in words; empty if nothing did."""
        with self._reading() as handle:
            return text(lib.perp_event_driven_message(handle))

    # Looking

    @contextlib.contextmanager
    def _reading(self) -> Iterator[int]:
        """Reading is for between calls, when nobody else goes on or closes, and for observers; not for
        functions of the model."""
        if self._observer == threading.get_ident():
            yield self._open()
            return
        handle = self._enter()
        try:
            yield handle
        finally:
            self._lock.release()

    def _ask(self, function: Any, *arguments: Any) -> Any:
        """A call that may ask the model's functions; what they throw within an observer comes out of
        the run."""
        return function(*arguments) if self._observer else self._guard.call(function, *arguments)

    @property
    def time(self) -> float:
        """Time (s); within on_output that of the output."""
        with self._reading() as handle:
            return lib.perp_event_driven_time(handle)

    def _of_system(self, name: str, read: Any, system: int) -> Array:
        i = self._system(system, name)
        with self._reading() as handle:
            pointer = self._ask(read, handle, i)
            if pointer is None:
                raise ArgumentError(f"{name}: system {i} has none", name, i)
            return copied(pointer, self._parts._entries(name, i))

    def q(self, system: int) -> Array:
        """Positions (n, of a body 7)."""
        return self._of_system("q", lib.perp_event_driven_q, system)

    def v(self, system: int) -> Array:
        """Velocities (n, of a body 6)."""
        return self._of_system("v", lib.perp_event_driven_v, system)

    def x(self, system: int) -> Array:
        """State of a system of order 1."""
        return self._of_system("x", lib.perp_event_driven_x, system)

    def rate(self, system: int) -> Array:
        """Accelerations v̇, or ẋ."""
        return self._of_system("rate", lib.perp_event_driven_rate, system)

    def _of_interaction(self, name: str, read: Any, interaction: int) -> Array:
        i = self._interaction(interaction, name)
        with self._reading() as handle:
            pointer = self._ask(read, handle, i)
            if pointer is None:
                raise ArgumentError(f"{name}: interaction {i} has none", name, i)
            rows = self._model.rows
            data = copied(pointer, int(rows[i + 1] - rows[i]))
            if self._model.pieces(i) is None:
                return data
            pieces = copied(self._ask(lib.perp_event_driven_lambda, handle, i), data.size)
            mechanical = self._ask(lib.perp_event_driven_ydot, handle, i) is not None
            return self._model.whole(i, name, data.ctypes.data, pieces.ctypes.data, mechanical)

    def y(self, interaction: int) -> Array:
        """Gaps or outputs (m)."""
        return self._of_interaction("y", lib.perp_event_driven_y, interaction)

    def ydot(self, interaction: int) -> Array:
        """Relative velocities (m), of order 2."""
        return self._of_interaction("ydot", lib.perp_event_driven_ydot, interaction)

    def lambda_(self, interaction: int) -> Array:
        """Multipliers as forces (m; N)."""
        return self._of_interaction("lambda_", lib.perp_event_driven_lambda, interaction)

    force = lambda_

    def mode(self, interaction: int, copy: int = 0) -> str:
        """What a copy of a law does: "open", "touch", "closed", "stick", "slip", "lower", "between",
        "upper"."""
        i = self._interaction(interaction, "mode")
        with self._reading() as handle:
            found = lib.perp_event_driven_mode(handle, i, integer("mode", "copy", copy))
        if found < 0:
            raise ArgumentError("mode: no such copy", "copy", value=copy)
        return MODES[found]

    def energy(self) -> Energy:
        """Energy of the Lagrangian systems now."""
        kinetic, potential = ctypes.c_double(), ctypes.c_double()
        with self._reading() as handle:
            check(self._ask(lib.perp_event_driven_energy, handle, ctypes.byref(kinetic), ctypes.byref(potential)),
                  "energy")
        return Energy(kinetic.value, potential.value)

    def report(self) -> EventReport:
        """What it cost since the start."""
        r = made(_c.perp_event_report)
        with self._reading() as handle:
            check(lib.perp_event_driven_report(handle, r), "report")
        return EventReport(**{name: getattr(r, name) for name in EventReport.__dataclass_fields__})

    def _event_of(self, e: Any) -> Event:
        kinds = tuple(name for bit, name in KINDS.items() if e.kinds & bit)
        changes = tuple(Change(KINDS.get(c.kind, ""), c.index, c.copy, MODES.get(c.before, ""), MODES.get(c.after, ""))
                        for c in (e.changes[k] for k in range(e.n_changes)))
        nothing = np.empty(0)
        rows = [nothing if p is None or n == 0 else copied(p, n)
                for p, n in zip((e.q, e.v, e.x), self._layout.sizes)]
        total = int(self._model.rows[-1])
        impulse = nothing if e.impulse is None or total == 0 else copied(e.impulse, total)
        return Event(e.t, e.number, kinds, changes, e.error, e.until, rows[0], rows[1], rows[2], impulse)
