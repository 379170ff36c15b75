# SPDX-License-Identifier: MIT
"""What event-driven simulations take and answer with: states, guards, schedules, events."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np

from ._arrays import Array, copied, words
from .errors import ArgumentError
from .model import InteractionId, Model, place

MODES = {value: name for name, value in words("CONTACT").items()}
KINDS = {value: name for name, value in words("EVENT").items()}


class EventState:
    """The state that guards read and resets may change: q(system), v(system), x(system). Its arrays
    are those of the call, and what is written to them counts in a reset."""

    def __init__(self, t: float, layout: "Layout", q: Array, v: Array, x: Array):
        self.t, self._layout, self._q, self._v, self._x = t, layout, q, v, x

    def q(self, system: int) -> Array:
        """Positions of a system."""
        return self._layout.part(self._q, "q", system)

    def v(self, system: int) -> Array:
        """Velocities of a system."""
        return self._layout.part(self._v, "v", system)

    def x(self, system: int) -> Array:
        """State of a system of order 1."""
        return self._layout.part(self._x, "x", system)


class Layout:
    """Where each system is in the arrays of all."""

    def __init__(self, parts: Model):
        self.systems = parts.systems
        self.sizes = [0, 0, 0]
        self.at: dict[str, dict[int, slice]] = {name: {} for name in "qvx"}
        for i in range(parts.systems):
            for k, name in enumerate("qvx"):
                entries = parts._entries(name, i)
                if entries:
                    self.at[name][i] = slice(self.sizes[k], self.sizes[k] + entries)
                    self.sizes[k] += entries

    def state(self, at: Any) -> EventState:
        """What C hands over, as copies."""
        s = at.contents
        return EventState(s.t, self, *[np.empty(0) if n == 0 else copied(p, n)
                                       for p, n in zip((s.q, s.v, s.x), self.sizes)])

    def part(self, of: Array, name: str, system: int) -> Array:
        i = place("state", name, system, InteractionId, self.systems)
        if i not in self.at[name]:
            raise ArgumentError(f"{name}: system {i} is not of its order", name, i)
        return of[self.at[name][i]]


@dataclass
class Guard:
    """value(state) whose zeros are events; direction -1: it falls through 0, 1: it rises, 0: both;
    reset(state) changes the state there and returns False to end the run after the event."""

    value: Callable[[EventState], float]
    direction: int = 0
    reset: Optional[Callable[[EventState], Any]] = None


@dataclass
class Schedule:
    """Times known beforehand: `times`, or first + k period (period 0: once)."""

    times: Any = None
    first: float = 0.0
    period: float = 0.0
    reset: Optional[Callable[[EventState], Any]] = None


@dataclass(frozen=True)
class Change:
    """What changed at an event."""

    kind: str    # "impact", "close", ...
    index: int   # interaction, guard or schedule
    copy: int    # of the law, -1: none
    before: str  # mode: "open", "slip", ...; "" none
    after: str


@dataclass(frozen=True)
class Event:
    """All that happened at one time; copies. The state after it is that of the simulation."""

    t: float
    number: int
    kinds: tuple[str, ...]
    changes: tuple[Change, ...]
    error: float      # of an accumulation: bound of what the jump neglects
    until: float      # of an accumulation: its time; else t
    q: Array          # all positions before
    v: Array
    x: Array
    impulse: Array    # of all rows of all interactions

    def is_(self, kind: str) -> bool:
        """Whether that happened, to anything."""
        return kind in self.kinds
