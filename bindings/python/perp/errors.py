# SPDX-License-Identifier: MIT
"""Statuses and exceptions. Only negative statuses are raised: "no solution" is an answer."""
from __future__ import annotations

import ctypes
import enum
from typing import Any

from . import _c
from ._library import lib, text


class Status(enum.IntEnum):
    """Outcome of a call, see docs/errors.md. 0: solved; positive: an honest ending without a
    solution; negative: raised as an `Error`."""

    OK = _c.PERP_OK
    MAX_ITER = _c.PERP_MAX_ITER
    RAY = _c.PERP_RAY
    INACCURATE = _c.PERP_INACCURATE
    INFEASIBLE = _c.PERP_INFEASIBLE
    STOPPED = _c.PERP_STOPPED
    END = _c.PERP_END
    RETRY = _c.PERP_RETRY
    UNBOUNDED = _c.PERP_UNBOUNDED
    STORM = _c.PERP_STORM
    EINVAL = _c.PERP_EINVAL
    EWORKSPACE = _c.PERP_EWORKSPACE
    ECALLBACK = _c.PERP_ECALLBACK
    EUNSUPPORTED = _c.PERP_EUNSUPPORTED
    EBACKEND = _c.PERP_EBACKEND
    ENOTFINITE = _c.PERP_ENOTFINITE

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)

    @property
    def text(self) -> str:
        """One line of English, from perp_status_string()."""
        return text(lib.perp_status_string(int(self)))


class Error(Exception):
    """A call that was wrong, or an environment that failed.

    status: negative, a `Status`; field: the offending argument, "" if none; index: which system,
    interaction or entry, -1: none or the only one; value: the offending number, 0 if it is none.
    """

    status: Status = Status.EINVAL

    def __init__(self, what: str, field: str = "", index: int = -1, value: float = 0.0,
                 status: Status | None = None):
        self.what, self.field, self.index, self.value = what, field, index, value
        if status is not None:
            self.status = status
        super().__init__(what)

    def __reduce__(self) -> Any:
        return type(self), (self.what, self.field, self.index, self.value, self.status)


class ArgumentError(Error, ValueError):
    """An argument is negative, out of range, of a wrong shape, or does not fit another one."""


class ArgumentTypeError(Error, TypeError):
    """An argument is of a wrong type: no number, another dtype, an array that cannot be written."""


class NotFiniteError(Error, ValueError):
    """NaN or infinity in an input or from a callback."""

    status = Status.ENOTFINITE


class UnsupportedError(Error, NotImplementedError):
    """Not in this build, or the solver does not take this kind of problem."""

    status = Status.EUNSUPPORTED


class WorkspaceError(Error, MemoryError):
    """A block of memory is too small."""

    status = Status.EWORKSPACE


class CallbackError(Error, RuntimeError):
    """A callback gave up without an exception of its own."""

    status = Status.ECALLBACK


class BackendError(Error, RuntimeError):
    """A back end failed: LAPACK, SuiteSparse, SUNDIALS, memory."""

    status = Status.EBACKEND


class ClosedError(Error, ValueError):
    """A simulation was used after close()."""


class BusyError(Error, RuntimeError):
    """A simulation was used while it runs: by one of its own callbacks, or by another thread."""


class Retry(Exception):
    """Raised by a callback to ask for a smaller step."""


_CLASSES = {Status.EINVAL: ArgumentError, Status.EWORKSPACE: WorkspaceError,
            Status.ECALLBACK: CallbackError, Status.EUNSUPPORTED: UnsupportedError,
            Status.EBACKEND: BackendError, Status.ENOTFINITE: NotFiniteError}


def sentence(status: int, who: str, info: Any = None) -> str:
    """What a status and a perp_info tell, in words."""
    said = ctypes.create_string_buffer(512)
    lib.perp_explain(status, info, 0, said, len(said))
    return f"{who}: {text(said.value)}"


def error(status: int, who: str, info: Any = None) -> Error:
    """The exception of a negative status, with what a perp_info tells."""
    field, index, value = "", -1, 0.0
    if info is not None and info.field is not None:
        field, index, value = text(info.field), info.index, info.value
    known = Status(status)
    return _CLASSES[known](sentence(status, who, info), field, index, value, known)


def check(status: int, who: str, info: Any = None) -> Status:
    """The status, if it is not negative."""
    if status < 0:
        raise error(status, who, info)
    return Status(status)
