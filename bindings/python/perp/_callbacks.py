# SPDX-License-Identifier: MIT
"""Python functions that C calls.

A function names what it wants: each of its parameters is one of the names that the field offers (t,
q, v, x, lambda_, z, out), or has a default value and is left alone. It returns the values, or takes
`out` and writes them there. Arrays that it gets are copies, new ones in every call, so that one may
be kept, and that calls from several threads do not meet. An exception is kept, C is told to give up,
and the call of that thread that began it all raises it with its own traceback; `Retry` asks for a
smaller step.
"""
from __future__ import annotations

import ctypes
import inspect
import math
import signal
import threading
from typing import Any, Callable, Optional, Sequence

import numpy as np

from ._arrays import refuse_masked
from .errors import ArgumentTypeError, Error, Retry

_DEFAULT = signal.default_int_handler


class _Thread(threading.local):
    guard: Optional["Guard"] = None  # of the innermost call of C


_thread = _Thread()


def _interrupt(number: int, frame: Any) -> None:
    """Between a call of C and the user's function nothing may be raised: it would be lost."""
    guard = _thread.guard
    if guard is None or guard.inside:
        raise KeyboardInterrupt
    guard.interrupted = True


class Guard:
    """What callbacks threw during a call of one simulation or solve, and the keyboard's interrupt among them."""

    def __init__(self) -> None:
        self.thrown: BaseException | None = None
        self.interrupted = False
        self.inside = False  # a function of the user's is running: it may be interrupted
        self.used = False    # there are callbacks

    def keep(self, thrown: BaseException) -> None:
        self.inside = False
        if self.thrown is None:
            self.thrown = thrown

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Call C, or what calls it, and give back the answer; raise what a callback threw, or the interrupt."""
        if not self.used:
            return function(*arguments)
        self.thrown, self.interrupted = None, False
        alone = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is _DEFAULT
        outer, _thread.guard = _thread.guard, self
        try:
            if alone:
                signal.signal(signal.SIGINT, _interrupt)
            status = function(*arguments)
        except Error:
            if self.thrown is None and not self.interrupted:  # what was made of C's refusal says less than its cause
                raise
        finally:
            if alone:
                signal.signal(signal.SIGINT, _DEFAULT)
            _thread.guard = outer
        if self.thrown is not None:
            thrown, self.thrown = self.thrown, None
            try:
                raise thrown
            finally:
                del thrown  # no cycle through this frame
        if self.interrupted:
            raise KeyboardInterrupt
        return status


def wanted(function: Any, offered: Sequence[str], label: str) -> list[str]:
    """Names of what is handed to function, in its order."""
    if not callable(function):
        raise ArgumentTypeError(f"{label} is {type(function).__name__}, a function is needed", label)
    plain = [name for name in offered if name not in ("out", "z")]
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin
        return plain
    names: list[str] = []
    for p in given:
        if p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY):  # math.cos: names say nothing
            return plain
        if p.name in offered and p.kind is not p.KEYWORD_ONLY:
            names.append(p.name)
        elif p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            raise ArgumentTypeError(f"{label}: the parameter '{p.name}' of the function is none of "
                                    f"{', '.join(offered)}", label)
        elif p.kind is p.POSITIONAL_OR_KEYWORD:
            break  # parameters behind one with a default of its own are left alone, too
    return names


def result_of(shape: tuple[int, ...], result: Any, label: str) -> np.ndarray:
    """What a function returned, as numbers of this shape."""
    if result is None:
        raise TypeError(f"{label} returned nothing: return the values, or take a parameter 'out'")
    refuse_masked(label, "the result", result)
    array = np.asarray(result)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{label} returned {array.dtype}, real numbers are needed")
    if array.shape != shape:
        if array.size != 1 or math.prod(shape) != 1:
            raise ValueError(f"{label} returned shape {array.shape}, {shape} is needed")
        array = array.reshape(shape)
    return array.astype(np.float64, copy=False)


def deliver(pointer: int, array: np.ndarray) -> None:
    """Hand numbers to C, by columns."""
    ctypes.memmove(pointer, array.tobytes("F"), array.nbytes)


def guarded(kind: Any, body: Callable[..., Any], failed: Any = -1) -> Any:
    """The C function of `body`, which is given C's arguments and answers as C wants; failed: the
    answer, or what makes it, where it has thrown."""

    def call(*arguments: Any) -> Any:
        guard = _thread.guard
        try:
            if guard is None or guard.interrupted or guard.thrown is not None:
                return failed(*arguments) if callable(failed) else failed
            guard.inside = True
            answer = body(*arguments)
            guard.inside = False
            return answer
        except Retry:
            guard.inside = False  # type: ignore[union-attr]
            return 1
        except BaseException as thrown:
            guard.keep(thrown)  # type: ignore[union-attr]
            return failed(*arguments) if callable(failed) else failed

    return kind(call)


def numeric(kind: Any, passes: str, function: Any, label: str, shape: tuple[int, ...], sizes: dict[str, int]) -> Any:
    """The C function of a function that gives numbers of a shape. passes: names of what C hands over
    before the result, "." for what is not offered; sizes: entries of each, zeros where C has none."""
    order = passes.split() + ["out"]
    names = wanted(function, [n for n in order if n != "."], label)
    out_at, size, writes, double = len(order) - 1, 8 * math.prod(shape), "out" in names, np.dtype(np.float64)
    takes = [(order.index(n), -1 if n in ("t", "out") else 8 * sizes[n]) for n in names]
    frombuffer, string_at, memmove = np.frombuffer, ctypes.string_at, ctypes.memmove

    def body(*arguments: Any) -> int:
        values = [arguments[at] if n < 0 else frombuffer(string_at(arguments[at], n)) if n and arguments[at]
                  else np.zeros(n // 8) for at, n in takes]
        out = None
        if writes:
            out = values[names.index("out")] = np.zeros(shape, order="F")
        result = function(*values)
        if type(result) is float and size == 8:
            ctypes.c_double.from_address(arguments[out_at]).value = result
            return 0
        if writes and result is None:
            result = out
        if type(result) is not np.ndarray or result.dtype is not double or result.shape != shape:
            result = result_of(shape, result, label)
        memmove(arguments[out_at], result.tobytes("F"), size)
        return 0
    return guarded(kind, body)


def constant(kind: Any, out_at: int, value: np.ndarray) -> Any:
    """A C function that gives the same numbers in every call."""
    data = value.tobytes("F")

    def call(*arguments: Any) -> int:
        ctypes.memmove(arguments[out_at], data, len(data))
        return 0
    return kind(call)
