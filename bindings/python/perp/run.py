# SPDX-License-Identifier: MIT
"""What simulations by time-stepping and by events have in common, and what they answer with."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, ClassVar, NamedTuple, Optional

from . import _c
from ._arrays import Array
from ._callbacks import Alone, Guard
from ._library import lib, made
from .errors import ArgumentTypeError, ClosedError, Status, check
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


class Run(Alone):
    """What simulations by time-stepping and by events have in common. Arrays of a Simulation are views,
    which show the present, of an EventDriven copies."""

    _name: ClassVar[str] = ""  # of its functions in C
    _end: ClassVar[str] = ""   # the one that ends it
    _does = "it runs, in another thread, or asks a function of the model"

    @property
    def _who(self) -> str:
        return type(self).__name__

    def __init__(self, model: Model):
        super().__init__()
        if not isinstance(model, Model):
            raise ArgumentTypeError(f"{self._who}: model is {type(model).__name__}, no Model", "model")
        self._model = TakenModel(self._who, model)
        self._model.builder.lent = True
        self._parts, self._guard = self._model.parts, Guard()
        self._guard.used = self._parts._calls()
        self._info = made(_c.perp_info)
        self._handle: Any = None
        self._status = Status.OK

    @property
    def status(self) -> Status:
        """Outcome of the last call that went on."""
        return self._status

    @property
    def closed(self) -> bool:
        return self._handle is None

    def close(self) -> None:
        """Give back what C has allocated; later calls raise ClosedError, views stay as they are."""
        self._alone("close", self._free)

    def _free(self) -> None:
        if getattr(self, "_handle", None) is not None and lib is not None:
            getattr(lib, self._end)(self._handle)
            self._handle = None
        if hasattr(self, "_model"):
            self._model.builder.end()

    __del__ = _free

    def _c(self, name: str) -> Any:
        return getattr(lib, f"perp_{self._name}_{name}")

    def _open(self) -> Any:
        handle = self._handle  # another thread may close
        if handle is None:
            raise ClosedError(f"{self._who}: it was closed")
        return handle

    def _locked(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call C with the handle, alone."""
        return self._alone(self._who, self._called, function, *arguments)

    def _called(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._guard.call(function, self._open(), *arguments)

    def _look(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call C with the handle to read: alone, too."""
        return self._locked(function, *arguments)

    def _system(self, value: Any, name: str) -> int:
        return place(self._who, name, value, InteractionId, self._parts.systems)

    def _interaction(self, value: Any, name: str) -> int:
        return place(self._who, name, value, SystemId, self._parts.interactions)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Two owners of one memory would free it twice."""
        raise ArgumentTypeError(f"{self._who}: it cannot be copied or pickled; its model can, and makes another")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # Looking

    def q(self, system: int) -> Array:
        """Positions (n, of a body 7)."""
        return self._of_system("q", system)

    def v(self, system: int) -> Array:
        """Velocities (n, of a body 6)."""
        return self._of_system("v", system)

    def x(self, system: int) -> Array:
        """State of a system of order 1."""
        return self._of_system("x", system)

    def y(self, interaction: int) -> Array:
        """Gaps or outputs (m); of a graph's pieces put together: a copy."""
        return self._of_interaction("y", interaction)

    def ydot(self, interaction: int) -> Array:
        """Relative velocities (m), of order 2."""
        return self._of_interaction("ydot", interaction)

    def lambda_(self, interaction: int) -> Array:
        """Multipliers (m). Of a Simulation: impulses over the last step (N s) at order 2, force level at
        order 1, see level(); of an EventDriven: forces (N)."""
        return self._of_interaction("lambda_", interaction)

    def _of_system(self, name: str, system: int) -> Array:
        raise NotImplementedError

    def _of_interaction(self, name: str, interaction: int) -> Array:
        raise NotImplementedError

    def energy(self) -> Energy:
        """Energy of the Lagrangian systems now."""
        return Energy(*self._two_numbers("energy", self._c("energy")))

    def _two_numbers(self, what: str, function: Any, *arguments: Any) -> tuple[float, float]:
        """What C writes to two places."""
        a, b = ctypes.c_double(), ctypes.c_double()
        check(self._look(function, *arguments, ctypes.byref(a), ctypes.byref(b)), what)
        return a.value, b.value


STATUS = {int(s): s for s in Status}
