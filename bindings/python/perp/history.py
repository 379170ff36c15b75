# SPDX-License-Identifier: MIT
"""What a run went through, as arrays.

    h = perp.record(sim, until=2.0, q=[ball], lambda_=[floor], energy=True)
    h.t, h.q[ball], h.lambda_[floor], h.energy
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Optional, Union

import numpy as np

from ._arrays import Array, integer, one_or_several, real
from .errors import ArgumentError, ArgumentTypeError, Status
from .event_types import Event
from .events import EventDriven
from .simulation import Simulation, time_limit

QUANTITIES = ("q", "v", "x", "y", "ydot", "lambda_")


@dataclass
class History:
    """Rows of arrays are times. q, v, x by system, y, ydot, lambda_ by interaction."""

    t: Array
    status: Status
    q: dict[int, Array] = field(default_factory=dict)
    v: dict[int, Array] = field(default_factory=dict)
    x: dict[int, Array] = field(default_factory=dict)
    y: dict[int, Array] = field(default_factory=dict)
    ydot: dict[int, Array] = field(default_factory=dict)
    lambda_: dict[int, Array] = field(default_factory=dict)
    energy: Any = None                                   # times x 2: kinetic, potential (J)
    events: list[Event] = field(default_factory=list)    # of event-driven runs


def record(sim: Union[Simulation, EventDriven], until: float = math.inf, every: float = 1, *,
           energy: bool = False, observe: Optional[Callable[[Any], Any]] = None, **what: Iterable[int]) -> History:
    """Run until a time and keep what is named: q, v, x (systems), y, ydot, lambda_ (interactions),
    each a list of them or one. every: steps between two rows of a Simulation (whole number), seconds
    of an EventDriven. The first row is the present state, the last one of a Simulation that at its end.
    observe(sim) sees each step, of an EventDriven each row, and returns False to stop; between two steps it may
    set inputs."""
    if observe is not None and not callable(observe):
        raise ArgumentTypeError("record: observe is no function", "observe")
    columns: list[tuple[str, int]] = []
    for name, of in what.items():
        if name not in QUANTITIES:
            raise ArgumentTypeError(f"record: '{name}' is none of {', '.join(QUANTITIES)}", name)
        columns += [(name, i) for i in one_or_several("record", name, of)]
    times: list[float] = []
    rows: list[list[Array]] = [[] for _ in columns]
    energies: list[Any] = []
    events: list[Event] = []

    def look(s: Any) -> None:
        times.append(s.time)
        for row, (name, i) in zip(rows, columns):
            row.append(np.array(getattr(s, name)(i)))
        if energy:
            energies.append(s.energy())

    def row_and_more(s: Any) -> Any:
        look(s)
        return None if observe is None else observe(s)

    if isinstance(sim, EventDriven):
        step = real("record", "every", every)
        if not step > 0:
            raise ArgumentError(f"record: every is {every}", "every", value=step)
        status = sim.run(until, every=step, first=sim.time, on_output=row_and_more, on_event=events.append)
    elif isinstance(sim, Simulation):
        count = integer("record", "every", every, 1)
        until = time_limit("record", until)
        sim._require_end("record", until)
        look(sim)
        status = Status.OK
        while status == Status.OK and sim.time < until:
            status = sim.run(until, steps=count, observe=observe)
            if sim.time != times[-1]:
                look(sim)
    else:
        raise ArgumentTypeError(f"record: {type(sim).__name__} is no simulation", "sim")
    found = History(np.array(times), status, events=events)
    for row, (name, i) in zip(rows, columns):
        getattr(found, name)[i] = np.array(row)
    if energy:
        found.energy = np.array(energies)
    return found
