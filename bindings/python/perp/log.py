# SPDX-License-Identifier: MIT
"""Logs of runs, as arrays.

    log = perp.open("ball.log")
    log.t, log["ball"].q               # samples; samples x components
    log["bead"].v                      # samples x members x components
    log["bead[17]"].v, log["contact"].lambda_
"""
from __future__ import annotations

import ctypes
import importlib
import os
import weakref
from dataclasses import dataclass
from typing import Any, Iterator, Union

import numpy as np

from . import _c
from ._arrays import Array
from ._library import lib, made
from .errors import ArgumentError, ClosedError, Status, check


@dataclass(frozen=True)
class LogQuantity:
    """What is logged of one kind of systems or interactions."""

    kind: str
    name: str
    unit: str                      # of all components; "" where they differ
    description: str
    members: tuple[str, ...]       # their names
    components: tuple[str, ...]    # their names, "" where they have none
    units: tuple[str, ...]         # of the components where they differ
    objects: tuple[int, ...]       # which systems or interactions the members are


@dataclass(frozen=True)
class LogEvent:
    """Something that happened; as perp_log_event of log.h."""

    t: float
    kind: int                      # one bit of PERP_EVENT_...
    index: int                     # interaction, guard or schedule, -1: none
    copy: int
    before: int
    after: int
    error: float
    until: float
    impulse: tuple[float, ...]     # of the rows of the interaction


@dataclass(frozen=True)
class LogEnd:
    """How a run ended."""

    t: float
    status: int                    # a `Status`, or a number that only a newer version knows
    reason: str
    report: str                    # JSON


@dataclass(frozen=True)
class LogContacts:
    """The contacts of a pool, of all samples one after another: those of sample k are rows
    start[k]:start[k + 1] of each array."""

    start: Array                   # samples + 1
    systems: Array                 # n x 2: which; -1: the ground
    identity: Array                # n x 2, as the pool's callback gives it
    law: Array                     # n: of the laws of the pool
    rows: Array                    # n: of lambda_, the rest is 0
    gap: Array                     # n (m)
    point: Array                   # n x 3, where the reaction acts (m)
    normal: Array                  # n x 3, to the first system
    tangent: Array                 # n x 3, the first; the second is normal x tangent
    lambda_: Array                 # n x 5: reaction along normal and tangents, about axes

    def __len__(self) -> int:
        return len(self.gap)


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "replace")


def _texts(at: int | None, n: int) -> tuple[str, ...]:
    return tuple(map(_text, (ctypes.c_char_p * n).from_address(at))) if at else ("",) * n


class Log:
    """A log that is read; perp.open() makes it. A kind or a member by its name: log["ball"].q."""

    def __init__(self, path: Union[str, os.PathLike[str]]):
        handle, info = ctypes.c_void_p(), made(_c.perp_info)
        who = os.fspath(path)
        check(lib.perp_log_reader_open(ctypes.byref(handle), os.fsencode(path), info), who, info)
        self._handle: Any = handle
        self._who = who
        self._close = weakref.finalize(self, lib.perp_log_reader_close, handle)
        summary = made(_c.perp_log_summary)
        check(lib.perp_log_reader_summary(handle, summary), who)
        schema = lib.perp_log_reader_schema(handle).contents
        self.program, self.model_name = _text(schema.program), _text(schema.model_name)
        self.model, self.options = _text(schema.model), _text(schema.options)
        self.samples: int = summary.samples
        self.every: int = summary.every
        self.complete: bool = summary.ended != 0
        """Whether it has an end: a run that was interrupted leaves none."""
        self._contact_lists: int = summary.contact_lists
        self.bytes: int = summary.bytes
        self.whole: int = summary.whole
        """Less than bytes: the file is damaged or cut there, and what lies behind was not read."""
        self.quantities = tuple(self._quantity(i, schema.quantities[i]) for i in range(schema.n_quantities))

    def _quantity(self, i: int, q: Any) -> LogQuantity:
        def member(k: int) -> str:
            name = ctypes.create_string_buffer(lib.perp_log_reader_member(self._handle, i, k, None, 0) + 1)
            lib.perp_log_reader_member(self._handle, i, k, name, len(name))
            return _text(name.value)
        objects = range(q.members) if not q.objects else (ctypes.c_int32 * q.members).from_address(q.objects)
        return LogQuantity(_text(q.kind), _text(q.name), _text(q.unit), _text(q.description),
                           tuple(map(member, range(q.members))), _texts(q.component_names, q.components),
                           _texts(q.component_units, q.components), tuple(objects))

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; arrays that were read stay."""
        self._close()

    def _open(self) -> Any:
        if not self._close.alive:
            raise ClosedError(f"{self._who}: the log was closed", "log")
        return self._handle

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds, each once."""
        return tuple(dict.fromkeys(q.kind for q in self.quantities))

    @property
    def t(self) -> Array:
        """The times of the samples (s)."""
        times = np.empty(self.samples)
        info = made(_c.perp_info)
        check(lib.perp_log_reader_read(self._open(), -1, 0, self.samples, 1, times.ctypes.data, None, info),
              self._who, info)
        return times

    def read(self, name: str, first: int = 0, count: int | None = None, stride: int = 1) -> Array:
        """The values of "kind.name", samples x members x components; a stretch of them, each stride-th."""
        index = lib.perp_log_reader_find(self._open(), name.encode())
        if index < 0:
            all_of_them = ", ".join(f"{q.kind}.{q.name}" for q in self.quantities)
            raise ArgumentError(f"{self._who}: there is no {name}; there are {all_of_them}", "name")
        if count is None:
            count = max(0, -(-(self.samples - first) // stride)) if stride > 0 else 0
        q, info = self.quantities[index], made(_c.perp_info)
        check(lib.perp_log_reader_read(self._handle, index, first, 0, stride, None, None, info), self._who, info)
        if not 0 <= count <= self.samples:
            raise ArgumentError(f"{self._who}: count = {count}: there are {self.samples} samples", "count")
        values = np.empty((count, len(q.members), len(q.components)))
        check(lib.perp_log_reader_read(self._handle, index, first, count, stride, None, values.ctypes.data, info),
              self._who, info)
        return values

    def __getitem__(self, name: str) -> LogGroup:
        of: list[tuple[LogQuantity, int | None]] = [(q, q.members.index(name)) for q in self.quantities if name in q.members] or \
            [(q, None) for q in self.quantities if q.kind == name]
        if not of:
            raise KeyError(f"{self._who}: there is no {name}; there are {', '.join(self.kinds)}")
        return LogGroup(self, name, {q.name: (q, k) for q, k in of})

    def _records(self, kind: int) -> Iterator[Any]:
        handle, record, info = self._open(), made(_c.perp_log_record), made(_c.perp_info)
        lib.perp_log_reader_rewind(handle)
        while check(lib.perp_log_reader_next(handle, 1 << kind, record, info), self._who, info) != Status.END:
            yield record

    @property
    def events(self) -> list[LogEvent]:
        """What happened."""
        def event(e: Any) -> LogEvent:
            impulse = (ctypes.c_double * e.n_impulse).from_address(e.impulse) if e.impulse else ()
            return LogEvent(e.t, e.kind, e.index, e.copy, e.before, e.after, e.error, e.until, tuple(impulse))
        return [event(r.event) for r in self._records(_c.PERP_LOG_EVENTS)]

    @property
    def contacts(self) -> LogContacts | None:
        """The contacts of the pool; None: the log was written without them."""
        start, lists = np.zeros(self.samples + 1, np.int64), []
        for r in self._records(_c.PERP_LOG_CONTACT_LIST):
            if r.first < 0 or r.count == 0:
                continue
            start[r.first + 1] += r.count
            lists.append(np.ctypeslib.as_array(r.contacts, (r.count,)).copy())
        if self._contact_lists == 0:
            return None
        all_of_them = np.concatenate(lists) if lists else np.empty(0, np.dtype(_c.perp_log_contact))
        return LogContacts(np.cumsum(start), *(np.ascontiguousarray(all_of_them[name]) for name in (
            "systems", "identity", "law", "rows", "gap", "point", "normal", "tangent", "lambda")))

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Names and texts."""
        return [(_text(r.name), _text(r.text)) for r in self._records(_c.PERP_LOG_NOTE)]

    @property
    def end(self) -> LogEnd | None:
        """How the run ended; None: it was interrupted."""
        ends = [LogEnd(r.t, r.status, _text(r.text), _text(r.report)) for r in self._records(_c.PERP_LOG_END)]
        return ends[-1] if ends else None

    def _columns(self, q: LogQuantity) -> list[str]:
        each = [c or str(i) for i, c in enumerate(q.components)]
        return [f"{m}.{q.name}" + (f".{c}" if len(each) > 1 else "") for m in q.members for c in each]

    def pandas(self) -> Any:
        """A DataFrame of all samples: the index is the time, columns are "ball.q", "body[3].v.x"."""
        pandas = importlib.import_module("pandas")
        parts = [self.read(f"{q.kind}.{q.name}").reshape(self.samples, -1) for q in self.quantities]
        values = np.hstack(parts) if parts else np.empty((self.samples, 0))
        names = [name for q in self.quantities for name in self._columns(q)]
        return pandas.DataFrame(values, index=pandas.Index(self.t, name="t"), columns=names)

    def xarray(self) -> Any:
        """A Dataset of all samples: "ball.q" by time, member and component, with units."""
        xarray = importlib.import_module("xarray")
        variables = {}
        for q in self.quantities:
            name = f"{q.kind}.{q.name}"
            member, component = f"{name} member", f"{name} component"
            coords = {"t": self.t, member: list(q.members),
                      component: [c or str(i) for i, c in enumerate(q.components)]}
            variables[name] = xarray.DataArray(
                self.read(name), coords, ("t", member, component),
                attrs={"units": q.unit or ", ".join(filter(None, q.units)), "long_name": q.description})
        return xarray.Dataset(variables, attrs={"model": self.model, "program": self.program})


class LogGroup:
    """A kind, or a member of one; its quantities are attributes, read when they are asked for: samples x
    components of a member, samples x members x components of a kind. `lambda` is `lambda_`."""

    def __init__(self, log: Log, name: str, quantities: dict[str, tuple[LogQuantity, int | None]]):
        self._log, self._name, self._quantities = log, name, quantities

    def __getattr__(self, name: str) -> Array:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            q, member = self._quantities[name if name in self._quantities else name.rstrip("_")]
        except KeyError:
            raise AttributeError(f"{self._name} has no {name}; it has {', '.join(self._quantities)}") from None
        values = self._log.read(f"{q.kind}.{q.name}")
        return values if member is None else values[:, member, :]

    def __dir__(self) -> list[str]:
        return [name + "_" if name == "lambda" else name for name in self._quantities]


def open(path: Union[str, os.PathLike[str]]) -> Log:  # pylint: disable=redefined-builtin
    """Open a log, as `perp run` and perp_log_create() write it; a run may still be writing it."""
    return Log(path)
