# SPDX-License-Identifier: MIT
"""Event-driven simulation of the models that perp.Simulation steps, with the same names for the same
things; see docs/theory-event-driven.md.

    sim = perp.EventDriven(m)
    sim.run(until=2.0)
    for event in sim.events(until=4.0): print(event.t, event.kinds)

Between events the motion is smooth, λ is a force (N). Arrays that it hands out are copies, for those
of C end when it goes on.
"""
from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np

from . import _c
from ._arrays import Array, address, assign, choice, copied, integer, real, several, vector, words
from ._callbacks import guarded, stops
from ._library import lib, made, shown, text
from ._options import StepOptions
from ._records import EventReport
from .errors import ArgumentError, ArgumentTypeError, Status, check, error
from .event_types import KINDS, MODES, Change, Event, Guard, Layout, Schedule
from .model import Model
from .run import STATUS, Run
from .solvers import Method, MethodForm, fill_options, hold, hold_row, made_options

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


def _each(what: str, c: Any, name: str, struct: Any, kind: type, given: Any) -> Iterator[tuple[Any, Any, str]]:
    """Structs of C for things of a kind, with what each is made of and called."""
    given = several(what, name, given)
    made_of = (struct * max(len(given), 1))()
    for k, one in enumerate(given):
        if not isinstance(one, kind):
            raise ArgumentTypeError(f"{what}: {name}[{k}] is no {kind.__name__}", name, k)
        yield made_of[k], one, f"{name}[{k}]"
    setattr(c, name, hold(c, made_of))
    setattr(c, f"n_{name}", len(given))


class EventDriven(Run):
    """An event-driven run of a model.

    smooth: "runge-kutta", "adams", "bdf", "arkode", "ida". Other options as in perp_event_options: t0,
    rtol, atol, atols, order, linear ("auto", "dense", "banded", "sparse"), max_steps, h_first, h_max,
    samples, contact_tol, min_gap, velocity_tol, impact ("law", "poisson", "lzb"), lzb (a dict of
    perp_multiple_impact_options), zeno ("jump", "step", "stop"), zeno_tol, storm_events, storm_time;
    stepping: a dict of h and options of Simulation, for zeno="step".
    """

    _name, _end = "event_driven", "perp_event_driven_destroy"

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
        for at, g, name in _each(what, c, "guards", _c.perp_guard, Guard, guards):
            at.value, at.reset = self._value(g.value, f"{name}.value"), self._reset(g.reset, f"{name}.reset")
            assign(what, at, direction=g.direction)
        for at, s, name in _each(what, c, "schedules", _c.perp_schedule, Schedule, schedules):
            if s.times is not None:
                times = hold_row(c, what, "times", s.times)
                at.times, at.n_times = times.ctypes.data, times.size
            assign(what, at, first=s.first, period=s.period)
            at.reset = self._reset(s.reset, f"{name}.reset")
        return c

    def _value(self, function: Any, name: str) -> Any:
        if not callable(function):
            raise ArgumentTypeError(f"EventDriven: {name} is no function", name)
        layout = self._layout

        def body(at: Any, g: int, user: Any) -> int:
            ctypes.c_double.from_address(g).value = float(function(layout.state(at)))
            return 0
        return guarded(_c.perp_guard_fn, body, steady=f"EventDriven: {name}")

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
            return int(stops(answer))
        return guarded(_c.perp_reset_fn, body, steady=f"EventDriven: {name}")

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
                observer.output = guarded(types["output"], lambda sim, user: self._seen(on_output, self), steady="run: on_output")
            if on_event is not None:
                observer.event = guarded(
                    types["event"], lambda sim, e, user: self._seen(on_event, self._event_of(e.contents)),
                    steady="run: on_event")
        return self._ended(self._alone("run", self._run, until, observer), "run")

    def _run(self, until: float, observer: Any) -> int:
        try:
            return self._called(lib.perp_event_driven_run, until, observer, self._info)
        except BaseException:
            self._status = Status.ECALLBACK
            raise

    def _seen(self, function: Any, *arguments: Any) -> int:
        self._observer = threading.get_ident()
        try:
            return int(stops(function(*arguments)))
        finally:
            self._observer = 0

    def next(self, until: float) -> Status:
        """Go on to the next event, which has happened then: OK; END at `until` without one."""
        return self._ended(self._locked(lib.perp_event_driven_next, real("next", "until", until), self._info), "next")

    def events(self, until: float) -> Iterator[Event]:
        """Each event once it has happened; afterwards `status` tells why it ended, END at `until`."""
        while self.next(until) == Status.OK:
            yield self.event()

    def event(self) -> Event:
        """What happened last; that of the start at first."""
        return self._look(lambda handle: self._event_of(lib.perp_event_driven_event(handle).contents))

    def restart(self, t: float, q: Any = None, v: Any = None, x: Any = None) -> None:
        """Set the state (all positions, velocities, states; None: as they are) and start anew from it.
        Refused, all stays as it was."""
        t = real("restart", "t", t)
        rows = [None if a is None else vector("restart", name, a, n)
                for name, a, n in zip("qvx", (q, v, x), self._layout.sizes)]
        status = self._locked(lib.perp_event_driven_restart, t, *[address(r) for r in rows], self._info)
        if status > 0:
            raise ArgumentError(f"restart: {Status(status).text}", status=Status(status))
        self._ended(status, "restart")

    def _ended(self, status: int, who: str) -> Status:
        self._status = STATUS[status]
        if status < 0:
            more = self.message
            if more and self._info.field:
                more = f"failed at t = {self.time:.9g}"
            raise error(status, f"{who}: {more}" if more else who, self._info)
        return self._status

    @property
    def ending(self) -> str:
        """How it ended, in words: "finished: 12 events, t = 10", "not solved: mode was not found at t = 0.2,
        contact 17 between bodies 4 and 9, residual 2.6e-9, asked 1e-10; try tol = 1e-8"."""
        said = ctypes.create_string_buffer(512)
        self._look(lib.perp_event_driven_ending, self._status, self._info, 0, said, len(said))
        return text(said.value)

    @property
    def message(self) -> str:
        """What went wrong last, in the integrator's words; empty if nothing did."""
        return self._look(lambda handle: text(lib.perp_event_driven_message(handle)))

    # Looking

    def _look(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Reading is for between calls, when nobody else goes on or closes, and for observers, where what
        functions of the model throw comes out of the run; not for functions of the model."""
        if self._observer == threading.get_ident():
            return function(self._open(), *arguments)
        return self._locked(function, *arguments)

    @property
    def time(self) -> float:
        """Time (s); within on_output that of the output."""
        return self._look(lib.perp_event_driven_time)

    def _read(self, name: str, i: int, size: int, what: str, handle: int) -> Array:
        pointer = self._c(name.rstrip("_"))(handle, i)
        if pointer is None:
            raise ArgumentError(f"{name}: {what} {i} has none", name, i)
        return copied(pointer, size)

    def _of_system(self, name: str, system: int) -> Array:
        i = self._system(system, name)
        return self._look(lambda handle: self._read(name, i, self._parts._entries(name, i), "system", handle))

    def rate(self, system: int) -> Array:
        """Accelerations v̇, or ẋ."""
        return self._of_system("rate", system)

    def _of_interaction(self, name: str, interaction: int) -> Array:
        i = self._interaction(interaction, name)

        def read(handle: int) -> Array:
            data = self._read(name, i, self._model.size(i), "interaction", handle)
            if not self._model.is_graph(i):
                return data
            pieces = self._read("lambda", i, data.size, "interaction", handle)
            mechanical = lib.perp_event_driven_ydot(handle, i) is not None
            return self._model.whole(i, name, data.ctypes.data, pieces.ctypes.data, mechanical)
        return self._look(read)

    force = Run.lambda_

    def mode(self, interaction: int, copy: int = 0) -> str:
        """What a copy of a law does: "open", "touch", "closed", "stick", "slip", "lower", "between",
        "upper"."""
        i = self._interaction(interaction, "mode")
        found = self._look(lib.perp_event_driven_mode, i, integer("mode", "copy", copy))
        if found < 0:
            raise ArgumentError("mode: no such copy", "copy", value=copy)
        return MODES[found]

    def components(self) -> int:
        """Parts of the model that nothing joins, each with an integrator of its own."""
        return self._look(lib.perp_event_driven_components)

    def report(self) -> EventReport:
        """What it cost since the start."""
        r = made(_c.perp_event_report)
        check(self._look(lib.perp_event_driven_report, r), "report")
        return shown(EventReport, r)

    def _event_of(self, e: Any) -> Event:
        changes = tuple(Change(KINDS.get(c.kind, ""), c.index, c.copy, MODES.get(c.before, ""), MODES.get(c.after, ""))
                        for c in e.changes[:e.n_changes])
        arrays = {name: copied(getattr(e, name), n) if n else np.empty(0)
                  for name, n in zip((*"qvx", "impulse"), (*self._layout.sizes, int(self._model.rows[-1])))}
        return shown(Event, e, kinds=tuple(name for bit, name in KINDS.items() if e.kinds & bit), changes=changes, **arrays)
