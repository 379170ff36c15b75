# SPDX-License-Identifier: MIT
"""Python functions that C calls.

A function names what it wants: each of its parameters is one of the names that the field offers (t,
q, v, x, lambda_, z, out), or has a default value and is left alone. It returns the values, or takes
`out` and writes them there. Arrays that it gets are copies in memory of Python's own, the same ones
in every call, so that one that is kept never dangles. An exception is kept, C is told to give up,
and the call that began it all raises it with its own traceback; `Retry` asks for a smaller step.
"""
from __future__ import annotations

import ctypes
import inspect
import math
import signal
import threading
from typing import Any, Callable, Sequence

import numpy as np

from ._arrays import refuse_masked
from .errors import ArgumentTypeError, Retry, WorkspaceError

_DEFAULT = signal.default_int_handler


class Guard:
    """What callbacks of one simulation or solve threw, and the keyboard's interrupt among them."""

    def __init__(self) -> None:
        self.thrown: BaseException | None = None
        self.interrupted = False
        self.inside = False  # a function of the user's is running: it may be interrupted
        self.used = False    # there are callbacks

    def keep(self, thrown: BaseException) -> None:
        self.inside = False
        if self.thrown is None:
            self.thrown = thrown

    def _interrupt(self, number: int, frame: Any) -> None:
        """Between a call of C and the user's function nothing may be raised: it would be lost."""
        if self.inside:
            raise KeyboardInterrupt
        self.interrupted = True

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Call C and give back its status; raise what a callback threw, or the interrupt."""
        if not self.used:
            return function(*arguments)
        self.thrown, self.interrupted = None, False
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is _DEFAULT:
            signal.signal(signal.SIGINT, self._interrupt)
            try:
                status = function(*arguments)
            finally:
                signal.signal(signal.SIGINT, _DEFAULT)
        else:
            status = function(*arguments)
        if self.thrown is not None:
            thrown, self.thrown = self.thrown, None
            try:
                raise thrown
            finally:
                del thrown  # no cycle through this frame
        if self.interrupted:
            raise KeyboardInterrupt
        return status


def wanted(function: Any, offered: Sequence[str], label: str) -> tuple[list[str], bool]:
    """Names of what is handed to function, in its order, and whether it writes to out."""
    if not callable(function):
        raise ArgumentTypeError(f"{label} is {type(function).__name__}, a function is needed", label)
    plain = [name for name in offered if name not in ("out", "z")]
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin
        return plain, False
    names: list[str] = []
    for p in given:
        if p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY):  # math.cos: names say nothing
            return plain, False
        if p.name in offered and p.kind is not p.KEYWORD_ONLY:
            names.append(p.name)
        elif p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            raise ArgumentTypeError(f"{label}: the parameter '{p.name}' of the function is none of "
                                    f"{', '.join(offered)}", label)
        elif p.kind is p.POSITIONAL_OR_KEYWORD:
            break  # parameters behind one with a default of its own are left alone, too
    return names, "out" in names


def store(out: np.ndarray, result: Any, label: str) -> None:
    """Put what a function returned into out, whose shape it must have."""
    if result is None:
        raise TypeError(f"{label} returned nothing: return the values, or take a parameter 'out'")
    if type(result) is float and out.size == 1:
        out.flat[0] = result
        return
    refuse_masked(label, "the result", result)
    array = np.asarray(result)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{label} returned {array.dtype}, real numbers are needed")
    if array.shape != out.shape:
        if array.size == 1 and out.size == 1:
            array = array.reshape(out.shape)
        else:
            raise ValueError(f"{label} returned shape {array.shape}, {out.shape} is needed")
    out[...] = array


def buffer(label: str, shape: tuple[int, ...]) -> np.ndarray:
    """An array by columns in memory of Python's own."""
    try:
        return np.zeros(shape, order="F")
    except (MemoryError, ValueError):
        size = 8 * math.prod(shape)
        raise WorkspaceError(f"{label}: no memory: {size} bytes", label, value=float(size)) from None


class Callbacks:
    """The functions of one C description; keeps alive what C calls."""

    def __init__(self, guard: Guard, sizes: dict[str, int]):
        self.guard = guard
        self.sizes = sizes          # entries of q, v, x, lambda_, z
        self.kept: list[Any] = []

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def bind(self, kind: Any, layout: Sequence[str], function: Any, label: str,
             out_shape: tuple[int, ...], offered: Sequence[str] | None = None) -> Any:
        """The C function of a function that writes numbers. layout: names of C's arguments, "" for
        those that are not looked at; offered: those of them that Python sees, all if None."""
        names = [n for n in layout if n] if offered is None else [*offered, "out"]
        names, writes = wanted(function, names, label)
        out = buffer(label, out_shape)
        out_at, out_from, out_bytes = layout.index("out"), out.ctypes.data, out.nbytes
        moves: list[tuple[int, int, int]] = []
        values: list[Any] = []
        for name in names:
            if name == "out":
                values.append(out)
            elif name == "t":
                values.append(None)
            else:
                held = np.zeros(self.sizes.get(name, 0))
                shown = held.view()
                shown.flags.writeable = False
                values.append(shown)
                self.kept.append(held)
                if held.size:
                    moves.append((held.ctypes.data, layout.index(name), held.nbytes))
        time_at = names.index("t") if "t" in names else -1
        time_from = layout.index("t") if time_at >= 0 else -1
        guard, memmove = self.guard, ctypes.memmove

        def call(*arguments: Any) -> int:
            try:
                if guard.interrupted or guard.thrown is not None:
                    return -1
                for to, at, size in moves:
                    if arguments[at] is not None:
                        memmove(to, arguments[at], size)
                given = values
                if time_at >= 0:
                    given = values.copy()
                    given[time_at] = arguments[time_from]
                out.fill(0.0)
                guard.inside = True
                result = function(*given)
                guard.inside = False
                if not (writes and (result is None or result is out)):
                    store(out, result, label)
                memmove(arguments[out_at], out_from, out_bytes)
                return 0
            except Retry:
                guard.inside = False
                return 1
            except BaseException as thrown:
                guard.keep(thrown)
                return -1

        return self.made(kind, call)

    def guarded(self, kind: Any, body: Callable[..., Any], failed: Any = -1) -> Any:
        """The C function of `body`, which is given C's arguments and answers as C wants."""
        guard = self.guard

        def call(*arguments: Any) -> Any:
            try:
                if guard.interrupted or guard.thrown is not None:
                    return failed(*arguments) if callable(failed) else failed
                guard.inside = True
                answer = body(*arguments)
                guard.inside = False
                return answer
            except Retry:
                guard.inside = False
                return 1
            except BaseException as thrown:
                guard.keep(thrown)
                return failed(*arguments) if callable(failed) else failed

        return self.made(kind, call)

    def made(self, kind: Any, call: Callable[..., Any]) -> Any:
        self.guard.used = True
        function = kind(call)
        self.kept.append(function)
        return function
