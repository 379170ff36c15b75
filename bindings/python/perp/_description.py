# SPDX-License-Identifier: MIT
"""What systems, relations and laws have in common: values that are copied into a model, and told
apart by content; each becomes a struct of C by what its fields say.

A field that C has, a part(), says its shape, in sizes that have names, and of a function what C hands it
behind a colon, "." for what it is not offered: "n", "m n", "m n: t q . z".
"""
from __future__ import annotations

import copy
import ctypes
import dataclasses
from typing import Any, Hashable

import numpy as np

from . import _c
from ._arrays import Array, Matrix, matrix, parameters, vector
from ._callbacks import constant, numeric
from ._library import lib
from .compiled import Compiled
from .errors import ArgumentError, check

JACOBIANS = {"gyroscopic_dq", "gyroscopic_dv", "internal_dq", "internal_dv", "f_dx", "u_dq", "u_dv", "u_dx", "H", "G",
             "T", "h_dt", "s", "C", "D", "B", "K", "bias"}  # and the like, which may be constant arrays
LIVE = ("z",)  # fields that are read where they are


def content(value: Any, name: str = "") -> Hashable:
    """Equal for equal contents; of functions and of what is read in place, the identity."""
    if callable(value) or (name in LIVE and isinstance(value, np.ndarray)):
        return "at", id(value)
    if value is None or isinstance(value, (str, int, float)):
        return type(value), value
    if dataclasses.is_dataclass(value):
        return (type(value), *(content(getattr(value, f.name), f.name) for f in dataclasses.fields(value)))
    if hasattr(value, "tocsr"):
        csr = value.tocsr()
        return csr.shape, csr.data.tobytes(), csr.indices.tobytes(), csr.indptr.tobytes()
    if isinstance(value, (list, tuple)):
        return tuple(content(v) for v in value)
    if isinstance(value, dict):
        return tuple((k, content(v)) for k, v in value.items())
    array = np.asarray(value)
    return ("at", id(value)) if array.dtype.hasobject else (array.dtype.str, array.shape, array.tobytes())


def frozen(value: Any, name: str = "") -> Any:
    """A copy that later changes of value do not reach; functions, and z as an array, stay where they are."""
    if callable(value) or value is None or isinstance(value, (str, int, float)):
        return value
    if dataclasses.is_dataclass(value):
        new = copy.copy(value)
        for f in dataclasses.fields(value):
            object.__setattr__(new, f.name, frozen(getattr(value, f.name), f.name))
        return new
    if hasattr(value, "tocsr"):
        return value.tocsr().copy()
    if isinstance(value, np.ndarray):
        return value if name in LIVE else value.copy()
    if isinstance(value, (list, tuple)):
        return [frozen(v) for v in value]
    if isinstance(value, dict):
        return {k: frozen(v) for k, v in value.items()}
    array = np.array(value)
    return value if array.dtype.hasobject else array


def part(says: str, default: Any = None, needed: bool = False) -> Any:
    """A field of a description that C has under the same name; ... : none is given by itself, and it is needed."""
    known: Any = {} if default is ... else {"default": default}
    return dataclasses.field(metadata={"says": says, "needed": needed or default is ...}, **known)


def parts(value: Any) -> dict[str, str]:
    """What the fields of a description say, "{of._h}" being an attribute of its class."""
    return {f.name: f.metadata["says"].format(of=value) for f in dataclasses.fields(value) if f.metadata}


@dataclasses.dataclass(frozen=True)
class Joined:
    """What a relation meets where it is connected."""

    n: int          # velocities or states of the systems joined
    n_q: int        # their positions
    systems: int    # how many
    law_size: int   # components of a copy of the law


class Form:
    """A C description, all that it points to, and the functions that it calls."""

    symmetric = True  # what it adds to a one-step matrix of order 2 is

    def __init__(self, value: Any, what: str, struct: str, init: str = "", arguments: Any = (), **sizes: int):
        self.value, self.what, self.kept = value, what, []  # type: ignore[var-annotated]
        self.sizes = {"1": 1, "3": 3, "z": 0, **sizes}
        self.c = getattr(_c, f"perp_{struct}")()
        check(getattr(lib, f"perp_{init or struct}_init")(self.c, ctypes.sizeof(self.c), *arguments), what)

    @property
    def head(self) -> int:
        """Its address."""
        return ctypes.addressof(self.c)

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def need(self, *names: str) -> None:
        """Refuse a value without what it needs, and these fields."""
        for f in dataclasses.fields(self.value):
            if (f.metadata.get("needed") or f.name in names) and getattr(self.value, f.name) is None:
                raise ArgumentError(f"{self.what}: {f.name} is needed", f.name)

    def parameters(self, c: Any) -> None:
        """Let z be read where it is. Before all that has its length."""
        if self.value.z is not None:
            array = self.keep(parameters(self.what, "z", self.value.z))
            self.sizes["z"] = c.n_z = array.size
            c.z = array.ctypes.data if array.size else None

    def fill(self, table: dict[str, str] | None = None, c: Any = None, of: Any = None, prefix: str = "") -> None:
        """Fields of c (None: all of it) from those of a value (None: the description), by a table or what they say."""
        for name, says in (parts(self.value) if table is None else table).items():
            given = getattr(self.value if of is None else of, name, None)
            if given is not None:
                self.put(self.c if c is None else c, name, given, says, prefix)

    def put(self, c: Any, name: str, given: Any, says: str, prefix: str = "", field: str = "") -> None:
        """One field, under another name in C if there is one."""
        sizes, calls, passes = says.partition(":")
        shape, label, field = tuple(self.sizes[s] for s in sizes.split()), prefix + name, field or name
        if calls:
            kind = dict(type(c)._fields_)[field]
            if isinstance(given, Compiled):
                made = given.of(kind, f"{self.what}: {label}")
                self.keep(given)  # and nothing that Python has to be asked for
                self.user(c, given.data, label)
                setattr(c, field, made)
                return
            if callable(given) or name not in JACOBIANS:
                made = numeric(kind, passes, given, f"{self.what}: {label}", shape, self.sizes)
            else:
                made = constant(kind, len(passes.split()), self._array(label, given, shape))
            setattr(c, field, self.keep(made))
        elif isinstance(getattr(c, field), _c.perp_matrix):
            setattr(c, field, self.keep(Matrix(self.what, label, given, *shape)).c)
        else:
            setattr(c, field, self.keep(self._array(label, given, shape)).ctypes.data)

    def user(self, c: Any, data: int | None, label: str) -> None:
        """What C hands to the functions of c."""
        if data is not None and c.user not in (None, data):
            raise ArgumentError(f"{self.what}: {label}: the functions of a description have one user", label)
        c.user = data or c.user

    def _array(self, label: str, given: Any, shape: tuple[int, ...]) -> Array:
        return matrix(self.what, label, given, *shape) if len(shape) == 2 else vector(self.what, label, given, shape[0])
