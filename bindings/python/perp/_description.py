# SPDX-License-Identifier: MIT
"""What systems, relations and laws have in common: values that are copied into a model, and told
apart by content, so that a thousand equal ones are one."""
from __future__ import annotations

import copy
import dataclasses
from typing import Any, Hashable

import numpy as np

from . import _c
from ._arrays import Array, Matrix, matrix, vector
from ._callbacks import Callbacks

CONSTANTS = {"gyroscopic_dq", "gyroscopic_dv", "internal_dq", "internal_dv", "f_dx", "u_dq", "u_dv", "H", "G", "T",
             "h_t", "s", "C", "D", "B", "K", "bias"}  # Jacobians and the like, which may be constant arrays
LIVE = ("z",)  # fields that are read where they are


def content(value: Any, name: str = "") -> Hashable:
    """Equal for equal contents; of functions and of what is read in place, the identity."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return (type(value), *(content(getattr(value, f.name), f.name) for f in dataclasses.fields(value)))
    if isinstance(value, np.ndarray):
        if name in LIVE:
            return "at", id(value)
        return value.dtype.str, value.shape, value.tobytes()
    if hasattr(value, "tocsr"):
        csr = value.tocsr()
        return csr.shape, csr.data.tobytes(), csr.indices.tobytes(), csr.indptr.tobytes()
    if isinstance(value, (list, tuple)):
        return tuple(content(v) for v in value)
    if isinstance(value, dict):
        return tuple((k, content(v)) for k, v in value.items())
    try:
        hash(value)
        return type(value), value
    except TypeError:
        return "at", id(value)


def frozen(value: Any, name: str = "") -> Any:
    """A copy that later changes of value do not reach; z stays where it is."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        new = copy.copy(value)
        for f in dataclasses.fields(value):
            object.__setattr__(new, f.name, frozen(getattr(value, f.name), f.name))
        return new
    if isinstance(value, (np.ndarray, list)) and name not in LIVE:
        return copy.deepcopy(value)
    if hasattr(value, "tocsr"):
        return value.tocsr().copy()
    return value


@dataclasses.dataclass
class Joined:
    """What a relation meets where it is connected."""

    n: int          # velocities or states of the systems joined
    n_q: int        # their positions
    systems: int    # how many
    law_size: int   # components of a copy of the law


class Form:
    """A C description and all that it points to; of one simulation."""

    head: int              # address of the description
    symmetric = True       # what it adds to a one-step matrix of order 2 is
    n_q = 0

    def __init__(self, what: str, callbacks: Callbacks):
        self.what, self.callbacks, self.kept = what, callbacks, callbacks.kept

    def vector(self, field: str, value: Any, size: int) -> int | None:
        """The address of `size` entries, None for None."""
        if value is None:
            return None
        return self.keep(vector(self.what, field, value, size)).ctypes.data

    def matrix(self, field: str, value: Any, rows: int, cols: int) -> int | None:
        """The address of a dense matrix by columns, None for None."""
        if value is None:
            return None
        return self.keep(matrix(self.what, field, value, rows, cols)).ctypes.data

    def square(self, field: str, value: Any, n: int) -> Any:
        """A perp_matrix n x n, zeroed for None."""
        if value is None:
            return _c.perp_matrix()
        return self.keep(Matrix(self.what, field, value, n)).c

    def keep(self, thing: Any) -> Any:
        self.kept.append(thing)
        return thing

    def function(self, c: Any, field: str, layout: tuple[str, ...], function: Any,
                 shape: tuple[int, ...], offered: tuple[str, ...], label: str = "") -> None:
        """Let a field of c call a Python function, or hold a constant Jacobian; None: nothing."""
        if function is None:
            return
        label = f"{self.what}: {label or field}"
        kind = dict(type(c)._fields_)[field]
        if not callable(function) and field in CONSTANTS:
            constant: Array = matrix(self.what, field, function, *shape) if len(shape) == 2 \
                else vector(self.what, field, function, shape[0])
            function = _constant(constant)
        setattr(c, field, self.callbacks.bind(kind, layout, function, label, shape, offered))


def _constant(value: Array) -> Any:
    def constant(out: Array) -> None:
        out[...] = value
    return constant
