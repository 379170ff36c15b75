# SPDX-License-Identifier: MIT
"""Functions of C, from ctypes, cffi, Numba or by their address, in the place of Python's.

    @numba.cfunc(perp.callback_type(perp.LagrangianLinear, "force").numba)
    def push(t, out, user):
        out[0] = math.sin(t)
        return 0

    perp.LagrangianLinear(M=1.0, force=perp.compiled(push))

C calls them without Python and its lock in between, from the thread of the call. They answer 0, > 0 to
ask for a smaller step, < 0 to give up; what `out` they write is by columns, and all 0 before.
"""
from __future__ import annotations

import ctypes
import sys
from typing import Any, NamedTuple

import numpy as np

from . import _c
from .errors import ArgumentError, ArgumentTypeError

_NUMBA = {"d": "float64", "p": "CPointer(float64)", "i4": "int32"}


class CallbackType(NamedTuple):
    """The C type of a field that holds a function."""

    ctypes: Any  # the prototype: a decorator of Python functions, and what casts addresses
    c: str       # "int32_t f(double t, double *out, void *user)"
    numba: str   # "int32(float64, CPointer(float64), voidptr)", for numba.cfunc


class Compiled:
    """A function of C; made by compiled()."""

    def __init__(self, function: Any, user: Any = None):
        self.function, self.user = function, user  # they stay as long as this
        kind, self._signature, source = type(function), "", function
        if kind.__module__.startswith("numba") and hasattr(function, "ctypes"):
            source = function.ctypes
        if isinstance(source, ctypes._CFuncPtr):  # type: ignore[attr-defined]
            self.address = ctypes.cast(source, ctypes.c_void_p).value or 0
            if source.argtypes is not None:  # else nobody has said
                self._signature = _signature(source.restype, source.argtypes)
        elif kind.__module__ == "_cffi_backend" and "CData" in kind.__name__:
            self.address, self._signature = _of_cffi(function)
        elif isinstance(function, int) and not isinstance(function, bool):
            self.address = function
        else:
            raise ArgumentTypeError(f"compiled: function is {kind.__name__}; a function of ctypes, cffi or "
                                    "numba.cfunc, or an address is needed", "function")
        if not 4096 <= self.address < 2 ** (8 * ctypes.sizeof(ctypes.c_void_p)):  # the first page is nobody's
            raise ArgumentError(f"compiled: function is at {self.address}, where there is none", "function")
        self.data = _data(user)

    def of(self, kind: Any, label: str) -> Any:
        """It, as C's field of this type holds it."""
        needed = _signature(kind._restype_, kind._argtypes_)
        if self._signature not in ("", needed):
            raise ArgumentTypeError(f"{label}: the compiled function is {self._signature}, {needed} is needed "
                                    "(d: double, p: pointer, i4: int32_t)", label)
        return kind(self.address)

    def __reduce__(self) -> Any:
        raise ArgumentTypeError("compiled: a function of C cannot be pickled: it is an address of this process")


def compiled(function: Any, user: Any = None) -> Compiled:
    """A function of C for a field that takes a function: of ctypes, of cffi (ffi.addressof(lib, "f"),
    ffi.callback), of numba.cfunc, or its address. user: what it is handed last, an array, an object of
    ctypes or an address; the same for all functions of a description. Function and user are kept alive, what
    is behind an address is not. Types are compared where it tells them; see callback_type()."""
    return Compiled(function, user)


def is_function(given: Any) -> bool:
    """Of Python or of C."""
    return callable(given) or isinstance(given, Compiled)


def _letter(of: Any) -> str:
    if of is None:
        return "void"
    if of is ctypes.c_double:
        return "d"
    pointer = (ctypes.c_void_p, ctypes.c_char_p, ctypes._Pointer, ctypes._CFuncPtr)  # type: ignore[attr-defined]
    return "p" if issubclass(of, pointer) else f"i{ctypes.sizeof(of)}"


def _signature(result: Any, arguments: Any) -> str:
    return f"{_letter(result)}({' '.join(map(_letter, arguments))})"


def _of_cffi(function: Any) -> tuple[int, str]:
    """Address and signature of a function pointer."""
    cffi = sys.modules["_cffi_backend"]
    of = cffi.typeof(function)
    if of.kind != "function":
        raise ArgumentTypeError(f"compiled: function is <cdata {of.cname}>, no pointer to a function", "function")

    def letter(one: Any) -> str:
        if one.kind in ("pointer", "function", "array"):
            return "p"
        return "d" if one.cname == "double" else "void" if one.kind == "void" else f"i{cffi.sizeof(one)}"
    return (int(cffi.cast(cffi.new_primitive_type("uintptr_t"), function)),
            f"{letter(of.result)}({' '.join(map(letter, of.args))})")


def _data(user: Any) -> int | None:
    """The address of what a function is handed."""
    if user is None:
        return None
    if isinstance(user, np.ndarray) and user.flags.c_contiguous and not user.dtype.hasobject:
        return user.ctypes.data
    if isinstance(user, int) and not isinstance(user, bool) and 0 <= user < 2 ** 64:
        return user
    try:
        return ctypes.addressof(user)
    except TypeError:
        raise ArgumentTypeError(f"compiled: user is {type(user).__name__}; a contiguous array of numbers, an object of "
                                "ctypes or an address is needed", "user") from None


def callback_type(description: type, field: str) -> CallbackType:
    """The C type of a field of a description that holds a function: callback_type(perp.FirstOrder, "f")."""
    from ._description import parts
    from .systems import CONTROL, Control
    what = f"callback_type: {getattr(description, '__name__', description)}"
    if description is Control:
        says, struct = {**CONTROL[1], **CONTROL[2]}, "control"
    else:
        says, struct = parts(description) if hasattr(description, "_struct") else {}, getattr(description, "_struct", "")
    kind = dict(getattr(_c, f"perp_{struct}")._fields_).get(field) if field in says else None
    if kind is None or not issubclass(kind, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        raise ArgumentError(f"{what}: {field} is no field that holds a function", "field")
    names = [n if n != "." else f"unused{i}" for i, n in enumerate((says[field].partition(":")[2] or "t").split())]
    letters = [_letter(of) for of in kind._argtypes_]
    assert len(letters) == len(names) + 2 and _letter(kind._restype_) == "i4"
    return CallbackType(
        kind, f"int32_t f({', '.join(f'double {n}' if n == 't' else f'const double *{n}' for n in names)}, "
        "double *out, void *user)",
        f"int32({', '.join(_NUMBA[c] for c in letters[:-1])}, voidptr)")
