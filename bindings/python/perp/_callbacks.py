# SPDX-License-Identifier: MIT
"""Python functions that C calls.

A function names what it wants: each of its parameters is one of the names that the field offers (t,
q, v, x, lambda_, z, out), and is handed that, or has a default value and is left alone; **rest is
handed the others. Parameters without a name (*rest, math.cos) do where one thing is offered, and are
refused where several are. It returns the values, or takes `out` and writes them there. Arrays that it
gets are copies, new ones in every call, so that one may be kept, and that calls from several threads
do not meet. An exception is kept, C is told to give up, and the call of that thread that began it all
raises it with its own traceback; `Retry` asks for a smaller step, where C can be asked for one. What
handlers of signals throw is kept like this, too.
"""
from __future__ import annotations

import _signal  # type: ignore[import]  # the functions of signal without their enums, which cost more than a step
import ctypes
import inspect
import math
import signal
import threading
from typing import Any, Callable, ClassVar, Optional, Sequence

import numpy as np

from ._arrays import Array, refuse_masked
from .errors import ArgumentTypeError, BusyError, CallbackError, Error, Retry

_SIGNALS = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE,
                                            signal.SIGILL})
_handlers: dict[int, Any] = {}            # those that _later stands in for
_pending: list[tuple[int, Any]] = []      # signals that they have not seen yet


class _Thread(threading.local):
    guard: Optional["Guard"] = None  # of the innermost call of C


_thread = _Thread()


def _later(number: int, frame: Any) -> None:
    """Between a call of C and the user's function nothing may be raised: it would be lost."""
    guard = _thread.guard
    if guard is None or guard.inside:
        _handlers[number](number, frame)
    else:
        _pending.append((number, frame))


def _stand_in() -> None:
    """Take the place of all handlers that are functions."""
    for number in _SIGNALS:
        handler = _signal.getsignal(number)
        if handler is not _later and callable(handler):
            _handlers[number] = handler
            _signal.signal(number, _later)


def _step_back() -> None:
    """Give all handlers their place again, also where one that has it throws meanwhile."""
    try:
        for number, handler in _handlers.items():
            if _signal.getsignal(number) is _later:  # else the user has set another one since
                _signal.signal(number, handler)
    except BaseException:
        _step_back()
        raise


def _deliver() -> None:
    """Let handlers see the signals that came meanwhile; what they raise is raised."""
    while _pending:
        number, frame = _pending.pop(0)
        _handlers[number](number, frame)


class Guard:
    """What callbacks threw during a call of one simulation or solve, and handlers of signals among them."""

    def __init__(self) -> None:
        self.thrown: BaseException | None = None
        self.inside = False  # a function of the user's is running: it may be interrupted
        self.main = False    # in the main thread, which signals belong to
        self.used = False    # there are callbacks

    def keep(self, thrown: BaseException) -> None:
        self.inside = False
        if self.thrown is None:
            self.thrown = thrown

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Call C, or what calls it, and give back the answer; raise what a callback or a handler threw."""
        if not self.used:
            return function(*arguments)
        self.thrown, outer = None, _thread.guard
        self.main = threading.current_thread() is threading.main_thread()
        try:
            _thread.guard = self
            if self.main and outer is None:
                _stand_in()
            status = function(*arguments)
        except Error:
            if self.thrown is None:  # what was made of C's refusal says less than its cause
                raise
        finally:
            try:
                if self.main and outer is None:
                    _step_back()
            finally:
                _thread.guard = outer
                if self.main:
                    _deliver()
        if self.thrown is not None:
            thrown, self.thrown = self.thrown, None
            try:
                raise thrown
            finally:
                del thrown  # no cycle through this frame
        return status


def undisturbed(function: Callable[[], Any]) -> Any:
    """Call what no handler of a signal may break off: they see their signals behind it."""
    guard = Guard()
    guard.used = True
    return guard.call(function)


class Alone:
    """What is for one at a time; whoever comes meanwhile is told what it does."""

    _does: ClassVar[str] = ""

    def __init__(self) -> None:
        self._turn = [True]

    def _alone(self, who: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function while nobody else does."""
        try:
            del self._turn[0]  # no call, after which a handler of a signal might throw
        except IndexError:
            raise BusyError(f"{who}: {self._does}") from None
        try:
            return function(*arguments)
        finally:
            self._turn[:] = (True,)


def stops(answer: Any) -> bool:
    """Whether an observer has returned False, Python's or NumPy's."""
    return isinstance(answer, (bool, np.bool_)) and not answer


def named(function: Any, offered: Sequence[str], label: str) -> tuple[Callable[..., Any], list[str]]:
    """The function, to be called with values one after another, and the names of these."""
    if not callable(function):
        raise ArgumentTypeError(f"{label} is {type(function).__name__}, a function is needed", label)
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        raise ArgumentTypeError(f"{label} is a function of C, which goes in as perp.compiled(...)", label)
    plain = [name for name in offered if name not in ("out", "z")]
    names: list[str] = []     # handed one after another
    keywords: list[str] = []  # handed by name
    left, blind = False, ""
    try:
        given = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a builtin
        given, blind = [], "its parameters have no names"
    for p in given:
        if p.kind is p.VAR_KEYWORD:
            keywords += [name for name in offered if name not in (*names, *keywords, "out")]
        elif p.kind is p.VAR_POSITIONAL or (p.kind is p.POSITIONAL_ONLY and p.default is p.empty and p.name not in offered):
            blind = f"its parameter '{p}' has no name"
            break
        elif p.name in offered and not (left and p.kind is p.POSITIONAL_ONLY):
            (keywords if left or p.kind is p.KEYWORD_ONLY else names).append(p.name)
        elif p.default is p.empty:
            raise ArgumentTypeError(f"{label}: the parameter '{p.name}' of the function is none of "
                                    f"{', '.join(offered)}", label)
        else:
            left = left or p.kind is not p.KEYWORD_ONLY
    if blind and len(plain) > 1:
        raise ArgumentTypeError(f"{label}: the function is handed {', '.join(offered)} by name, and {blind}", label)
    if blind:
        return function, names or plain
    if not keywords:
        return function, names
    first = len(names)
    return lambda *values: function(*values[:first], **dict(zip(keywords, values[first:]))), names + keywords


def result_of(shape: tuple[int, ...], result: Any, label: str) -> Array:
    """What a function returned, as numbers of this shape."""
    if result is None:
        raise TypeError(f"{label} returned nothing: return the values, or take a parameter 'out'")
    refuse_masked(label, "the result", result)
    array = np.asarray(result)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{label} returned {array.dtype}, real numbers are needed")
    if array.shape != shape:
        if array.size != 1 or math.prod(shape) != 1:
            raise ValueError(f"{label} returned shape {array.shape}, {shape} is needed")
        array = array.reshape(shape)
    return array.astype(np.float64, copy=False)


def deliver(pointer: int, array: Array) -> int:
    """Hand numbers to C, by columns; 0: done."""
    ctypes.memmove(pointer, array.tobytes("F"), array.nbytes)
    return 0


def guarded(kind: Any, body: Callable[..., Any], failed: Any = -1, steady: str = "") -> Any:
    """The C function of `body`, which is given C's arguments and answers as C wants; failed: the
    answer, or what makes it, where it has thrown; steady: its name, where C cannot be asked for a smaller step."""

    def call(*arguments: Any) -> Any:
        guard = _thread.guard
        try:
            if guard is not None and guard.thrown is None:
                guard.inside = True
                if _pending and guard.main:
                    _deliver()
                answer = body(*arguments)
                guard.inside = False
                return answer
        except BaseException as thrown:
            if isinstance(thrown, Retry):
                if not steady:
                    guard.inside = False  # type: ignore[union-attr]
                    return 1
                thrown = _no_retry(steady, thrown)
            guard.keep(thrown)  # type: ignore[union-attr]
        return failed(*arguments) if callable(failed) else failed

    return kind(call)


def _no_retry(who: str, wish: Retry) -> CallbackError:
    error = CallbackError(f"{who}: it cannot ask for a smaller step, Retry is for forces, gaps and their like")
    error.__cause__ = wish
    return error.with_traceback(wish.__traceback__)


class _Seen(dict[int, Array]):
    """What lies at an address that C hands over, again and again the same few, as an array of a shape."""

    def __init__(self, shape: tuple[int, ...]):
        super().__init__()
        self.shape = shape

    def __missing__(self, address: int) -> Array:
        if len(self) >= 64:
            self.clear()
        numbers = (ctypes.c_double * math.prod(self.shape)).from_address(address)
        new = self[address] = np.frombuffer(numbers).reshape(self.shape, order="F")  # type: ignore[call-overload]
        return new


def numeric(kind: Any, passes: str, function: Any, label: str, shape: tuple[int, ...], sizes: dict[str, int],
            steady: str = "") -> Any:
    """The C function of a function that gives numbers of a shape. passes: names of what C hands over
    before the result, "." for what is not offered; sizes: entries of each, zeros where C has none."""
    order = passes.split()
    function, names = named(function, [n for n in order if n != "."] + ["out"], label)
    to, numbers, double = _Seen((1,) if math.prod(shape) == 1 else shape), (float, np.float64, int), np.dtype(np.float64)

    def put(at: int, result: Any, out: Any = None) -> int:
        if type(result) in numbers and to.shape == (1,):
            to[at][0] = result
            return 0
        if result is None:
            result = out
        if type(result) is not np.ndarray or result.dtype is not double or result.shape != shape:
            result = result_of(shape, result, label)
        to[at][...] = result if to.shape == shape else result.ravel()
        return 0

    rows = {n: _Seen((sizes[n],)) for n in names if n not in ("t", "out")}
    scope = {"function": function, "put": put, "new": np.frombuffer, "none": np.zeros,
             "zeros": lambda: np.zeros(shape, order="F"), **{f"rows_{n}": of for n, of in rows.items()}}
    given = ", ".join("out := zeros()" if n == "out" else "t" if n == "t" else
                      f"new(rows_{n}[{n}].tobytes()) if {n} else none(rows_{n}.shape)" for n in names)
    head = ", ".join(n if n != "." else f"_{i}" for i, n in enumerate(order))
    # text, so that there is no loop in a call; its names are the package's own
    return guarded(kind, eval(f"lambda {head}, to, user: put(to, function({given}){', out' * ('out' in names)})", scope),
                   steady=steady)


def constant(kind: Any, out_at: int, value: Array) -> Any:
    """A C function that gives the same numbers in every call."""
    data = value.tobytes("F")

    def call(*arguments: Any) -> int:
        ctypes.memmove(arguments[out_at], data, len(data))
        return 0
    return kind(call)
