# SPDX-License-Identifier: MIT
"""What simulations by time-stepping and by events have in common, and what they answer with."""
from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from . import _c
from ._arrays import Array
from ._callbacks import Guard
from ._library import made
from .errors import ArgumentTypeError, BusyError, ClosedError, Status
from .model import InteractionId, Model, SystemId, TakenModel, place


class Energy(NamedTuple):
    """Energy of the Lagrangian systems in J."""

    kinetic: float    # ½ vᵀM v
    potential: float  # ½ qᵀK q − fᵀq

    @property
    def total(self) -> float:
        return self.kinetic + self.potential


class Work(NamedTuple):
    """Work of reactions over a step in J; < 0: taken from the systems."""

    all: float
    tangential: float  # of the rows along which friction and rolling act


@dataclass(frozen=True)
class Report:
    """What happened since the start, or the last restore()."""

    steps: int               # accepted ones
    active: int              # unknowns of one-step problems, summed
    impacts: int             # unilateral copies whose λ became positive
    solver_iterations: int
    newton: int              # passes of Newton's iteration
    dropped: int             # contacts beyond the room of the pool
    left_out: int            # geometric stiffness that W does not have
    max_active: int
    failures: int            # one-step problems not solved
    retries: int
    accepted: int            # unsolved problems whose best point was taken
    relaxed: int
    penetration: float       # largest −y of a unilateral copy
    residual: float          # worst relative residual of an accepted step


@dataclass(frozen=True)
class Contact:
    """A contact that acted in the last step; see perp_contact_view. Copies."""

    interaction: int
    copy: int
    systems: tuple[int, int]
    identity: int
    law: int
    gap: float
    ydot: Array
    lambda_: Array
    located: bool
    point: Array
    frame: Array   # 3 x 3, columns: normal, tangents
    impulse: Array
    force: Array
    couple: Array


class Run:
    """What simulations by time-stepping and by events have in common."""

    def __init__(self, model: Model):
        if not isinstance(model, Model):
            raise ArgumentTypeError(f"{type(self).__name__}: model is {type(model).__name__}, no Model", "model")
        self._model = TakenModel(type(self).__name__, model)
        self._parts, self._guard = self._model.parts, Guard()
        self._guard.used = self._parts._calls()
        self._info = made(_c.perp_info)
        self._lock = threading.Lock()
        self._handle: Optional[int] = None
        self._status = Status.OK

    @property
    def status(self) -> Status:
        """Outcome of the last call that went on."""
        return self._status

    @property
    def closed(self) -> bool:
        return self._handle is None

    def _open(self) -> int:
        if self._handle is None:
            raise ClosedError(f"{type(self).__name__}: it was closed")
        return self._handle

    def _enter(self) -> int:
        """Begin a call that goes on; the lock is taken."""
        if not self._lock.acquire(False):
            raise BusyError(f"{type(self).__name__}: it runs, in another thread, or asks a function of the model")
        if self._handle is None:
            self._lock.release()
            raise ClosedError(f"{type(self).__name__}: it was closed")
        return self._handle

    def _system(self, value: Any, name: str) -> int:
        return place(type(self).__name__, name, value, InteractionId, self._parts.systems)

    def _interaction(self, value: Any, name: str) -> int:
        return place(type(self).__name__, name, value, SystemId, self._parts.interactions)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Two owners of one memory would free it twice."""
        raise ArgumentTypeError(f"{type(self).__name__}: it cannot be copied or pickled; its model can, and makes another")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        raise NotImplementedError


STATUS = {int(s): s for s in Status}
