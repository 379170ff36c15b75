# SPDX-License-Identifier: MIT
"""NumPy arrays as C wants them.

What is only read may be anything that NumPy turns into numbers: float64 in one piece is used where
it is, everything else is copied first. What is written must be float64 in one piece, and is refused
in words otherwise: a silent copy would lose the results.
"""
from __future__ import annotations

import copy
import ctypes
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _c
from .errors import ArgumentError, ArgumentTypeError, NotFiniteError, Status, WorkspaceError

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[np.float64]]
else:
    Array = np.ndarray
ROW_LIMIT = 2**31 - 1


def numbers(what: str, field: str, value: Any) -> Array:
    """value as an array of float64 (or what can become one without loss of its kind)."""
    refuse_masked(what, field, value)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as problem:
        raise ArgumentTypeError(f"{what}: {field} is no array of numbers ({problem})", field) from None
    if array.dtype.kind not in "fiu":
        raise ArgumentTypeError(f"{what}: {field} holds {array.dtype}, real numbers are needed", field)
    return array if array.dtype == np.float64 else array.astype(np.float64)


def refuse_masked(what: str, field: str, value: Any) -> None:
    """What is behind a mask is no number."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ArgumentTypeError(f"{what}: {field} has masked entries", field)


def several(what: str, field: str, value: Any) -> list[Any]:
    """Things one after another."""
    try:
        return list(value)
    except TypeError:
        raise ArgumentTypeError(f"{what}: {field} is {value!r}, several are needed", field) from None


def one_or_several(what: str, field: str, value: Any) -> list[Any]:
    """A whole number alone, or things one after another."""
    try:
        operator.index(value)
    except TypeError:
        return several(what, field, value)
    return [value]


def vector(what: str, field: str, value: Any, size: int | None = None, *, finite: bool = False) -> Array:
    """One row of numbers to be read, of `size` entries; a single number is one entry."""
    array = numbers(what, field, value)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1 or (size is not None and array.shape[0] != size):
        need = "one dimension is" if size is None else f"({size},) is"
        raise ArgumentError(f"{what}: {field} has shape {array.shape}, {need} needed", field,
                            value=float(array.size))
    if finite:
        require_finite(what, field, array)
    return np.ascontiguousarray(array)


def written(what: str, field: str, value: Any, size: int) -> Array:
    """An array of the caller's that C writes: never a copy."""
    if not isinstance(value, np.ndarray):
        raise ArgumentTypeError(f"{what}: {field} is written: a NumPy array is needed, not "
                                f"{type(value).__name__}", field)
    refuse_masked(what, field, value)
    if value.dtype != np.float64:
        raise ArgumentTypeError(f"{what}: {field} is written: float64 is needed, not {value.dtype}",
                                field)
    if value.shape != (size,):
        raise ArgumentError(f"{what}: {field} has shape {value.shape}, ({size},) is needed", field,
                            value=float(value.size))
    if not (value.flags.c_contiguous and value.flags.writeable and value.flags.aligned):
        raise ArgumentError(f"{what}: {field} is written: it must be contiguous and writable", field)
    return value


def parameters(what: str, field: str, value: Any) -> Array:
    """An array that C reads in every step, where it is: float64, contiguous."""
    if isinstance(value, np.ndarray):
        if value.dtype != np.float64 or value.ndim != 1 or not value.flags.c_contiguous:
            raise ArgumentTypeError(f"{what}: {field} is read in every step: a contiguous row of "
                                    f"float64 is needed, not {value.dtype} {value.shape}", field)
        return value
    return vector(what, field, value)


def matrix(what: str, field: str, value: Any, rows: int | None = None, cols: int | None = None) -> Array:
    """A matrix to be read, by columns: (rows, cols) in Fortran order; used where it is if it has
    that order, copied otherwise. A row of numbers is a matrix of one row if rows is 1."""
    array = numbers(what, field, value)
    if array.ndim < 2 and rows is not None and cols is not None and array.size == rows * cols \
            and (rows == 1 or cols == 1 or array.size == 1):
        array = array.reshape(rows, cols)
    if array.ndim != 2 or (rows is not None and array.shape[0] != rows) \
            or (cols is not None and array.shape[1] != cols):
        need = f"({'any' if rows is None else rows}, {'any' if cols is None else cols})"
        raise ArgumentError(f"{what}: {field} has shape {array.shape}, {need} is needed", field,
                            value=float(array.size))
    return np.asfortranarray(array)


def require_finite(what: str, field: str, array: Array) -> None:
    """No NaN, no infinity."""
    bad = ~np.isfinite(array)
    if bad.any():
        at = int(np.argmax(bad.ravel(order="K")))
        raise NotFiniteError(f"{what}: {field}[{at}] is {array.ravel(order='K')[at]}", field, at,
                             float(array.ravel(order="K")[at]))


def integer(what: str, field: str, value: Any, low: int | None = None, high: int = ROW_LIMIT) -> int:
    """A whole number within bounds."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"{what}: {field} is {value!r}, a whole number is needed", field)
    if number > high or number < (-high - 1 if low is None else low):
        least = -high - 1 if low is None else low
        allowed = f">= {least}" if number < least and high == ROW_LIMIT else f"{least} ... {high}"
        raise ArgumentError(f"{what}: {field} is {number}, must be {allowed}", field, value=float(number))
    return number


def real(what: str, field: str, value: Any) -> float:
    """One number, which may be infinite or NaN: C judges."""
    if isinstance(value, (str, bytes, complex, bool, np.bool_)):
        raise ArgumentTypeError(f"{what}: {field} is {value!r}, a number is needed", field)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{what}: {field} is {value!r}, a number is needed", field) from None


def words(prefix: str, *names: str) -> dict[str, int]:
    """The constants of C that begin with a prefix by words, of those names or all."""
    found = {name[len(prefix) + 6:].lower().replace("_", "-"): value for name, value in vars(_c).items()
             if name.startswith(f"PERP_{prefix}_")}
    return {name: found[name] for name in names or found}


def choice(what: str, name: str, value: Any, table: dict[str, Any]) -> Any:
    """What a word stands for."""
    if not isinstance(value, str) or value not in table:
        kind = ArgumentError if isinstance(value, str) else ArgumentTypeError
        raise kind(f"{what}: {name} is {value!r}, one of {', '.join(table)} is needed", name)
    return table[value]


def assign(what: str, c: Any, **given: Any) -> None:
    """Fields of a struct that hold their numbers themselves: one, or a row as long as the field."""
    for field, value in given.items():
        held: Any = getattr(c, field)
        if isinstance(held, ctypes.Array):
            held[:] = vector(what, field, value, len(held)).tolist()
        else:
            setattr(c, field, real(what, field, value) if isinstance(held, float) else integer(what, field, value))


def address(array: Array | None) -> int | None:
    """Where the numbers are; None for none."""
    return None if array is None or array.size == 0 else array.ctypes.data


def owned_bytes(what: str, size: int, field: str = "work_bytes") -> Array:
    """A block of memory for C, 8-byte aligned, zeroed; never empty."""
    try:
        return np.zeros(size // 8 + 1, dtype=np.uint64)
    except (MemoryError, ValueError, OverflowError):
        raise WorkspaceError(f"{what}: no memory: {field} = {size}: so many bytes are needed", field,
                             value=float(size)) from None


def view(block: Array, pointer: int, size: int) -> Array | None:
    """The `size` doubles at an address within a block, as a view that keeps the block alive and
    cannot be written; None if they are not in it."""
    offset = pointer - block.ctypes.data
    if offset < 0 or offset % 8 or offset + 8 * size > block.nbytes:
        return None
    whole = memoryview(block).toreadonly()  # type: ignore[arg-type]
    return np.frombuffer(whole, np.float64)[offset // 8:offset // 8 + size]


def copied(pointer: int, size: int) -> Array:
    """A copy of `size` doubles at an address."""
    new = np.empty(size)
    if size:
        ctypes.memmove(new.ctypes.data, pointer, 8 * size)
    return new


def places(what: str, field: str, value: Any) -> Array:
    """Whole numbers that C counts with, of 32 bits."""
    array = np.asarray(value)
    if (array.dtype.kind not in "iu" and array.size) or array.ndim != 1:
        raise ArgumentTypeError(f"{what}: {field} holds {array.dtype}, a row of whole numbers is needed", field)
    bad = (array > ROW_LIMIT) | (array < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise ArgumentError(f"{what}: {field}[{at}] is {array[at]}, must be 0 ... {ROW_LIMIT}", field, at,
                            float(array[at]))
    return np.ascontiguousarray(array, dtype=np.int32)


class Matrix:
    """A perp_matrix and the arrays it views: made of a number (times the identity), n entries (a
    diagonal), an array of two dimensions, or a sparse matrix of SciPy (anything with tocsr())."""

    def __init__(self, what: str, field: str, value: Any, rows: int | None, cols: int | None = None):
        self.c = _c.perp_matrix()
        self.values: Array | None = None
        self._rows: Any = None
        if hasattr(value, "tocsr"):
            self._sparse(what, field, value.tocsr(), rows, cols)
            return
        array = numbers(what, field, value)
        square = cols is None or cols == rows
        if array.ndim == 0 and rows is not None and square:
            array = np.full(rows, float(array))
        if array.ndim == 1 and square and (rows is None or array.shape[0] == rows):
            self.values = np.ascontiguousarray(array)
            n = self.values.shape[0]
            self._set(_c.PERP_DIAGONAL, n, n)
        else:
            if array.ndim == 1 and square:
                raise ArgumentError(f"{what}: {field} has {array.size} entries where n = {rows}",
                                    field, value=float(array.size))
            self.values = matrix(what, field, array, rows, rows if cols is None else cols)
            self._set(_c.PERP_DENSE, *self.values.shape)
            self.c.ld = max(self.values.shape[0], 1)

    def given(self) -> Any:
        """What makes an equal one."""
        return self.values if self._rows is None else self._rows

    def _set(self, kind: int, rows: int, cols: int) -> None:
        self.c.kind, self.c.rows, self.c.cols = kind, rows, cols
        self.c.values = address(self.values)

    def _sparse(self, what: str, field: str, csr: Any, rows: int | None, cols: int | None) -> None:
        need = (rows, rows if cols is None else cols)
        if rows is not None and tuple(csr.shape) != need:
            raise ArgumentError(f"{what}: {field} has shape {tuple(csr.shape)}, {need} is needed", field,
                                value=float(csr.shape[0]))
        if not getattr(csr, "has_canonical_format", False):
            csr = copy.deepcopy(csr)  # the caller's stays as it is
            csr.sum_duplicates()
        self._rows = csr
        self.values = np.ascontiguousarray(numbers(what, field, csr.data))
        self.start = places(what, f"{field}.indptr", csr.indptr)
        self.index = places(what, f"{field}.indices", csr.indices)
        stored = int(self.start[-1]) if self.start.size == csr.shape[0] + 1 else -1
        if not 0 <= stored <= min(self.values.size, self.index.size):
            raise ArgumentError(f"{what}: {field} has {self.values.size} entries, {self.index.size} indices and "
                                f"{self.start.size} beginnings of {csr.shape[0]} rows", field, value=float(stored))
        self._set(_c.PERP_BLOCKS, *csr.shape)
        self.c.block_rows = csr.shape[0]
        # C asks for arrays that are there, even where nothing is stored
        self.c.values = self.values.ctypes.data
        self.c.start, self.c.index = self.start.ctypes.data, self.index.ctypes.data

    @property
    def shape(self) -> tuple[int, int]:
        return self.c.rows, self.c.cols
