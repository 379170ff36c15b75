# SPDX-License-Identifier: MIT
"""Finds and loads libperp, and makes its structs.

Looked for, in this order: the file that the environment variable PERP_LIBRARY names, and nothing
else if it is set; `lib/` beside this file, as in a wheel; where the system's loader looks.
"""
from __future__ import annotations

import ctypes
import os
import pathlib
import sys
from typing import Any, TypeVar

import numpy as np

from . import _c

Struct = TypeVar("Struct", bound=ctypes.Structure)

_MAJOR_MINOR = f"{_c.PERP_VERSION_MAJOR}.{_c.PERP_VERSION_MINOR}"
NAME = f"libperp.{_MAJOR_MINOR}.dylib" if sys.platform == "darwin" else f"libperp.so.{_MAJOR_MINOR}"


def _load() -> tuple[ctypes.CDLL, str]:
    named = os.environ.get("PERP_LIBRARY")
    own = pathlib.Path(__file__).resolve().parent / "lib" / NAME
    path = named if named else str(own) if own.exists() else NAME
    try:
        library = ctypes.CDLL(path)  # CDLL: a call gives the GIL away
    except OSError as error:
        raise ImportError(f"perp: {path} cannot be loaded ({error}); set PERP_LIBRARY to the file "
                          f"{NAME} of a build, or install the wheel") from None
    try:
        library.perp_version.restype = ctypes.c_int32
        version = library.perp_version()
    except AttributeError:
        raise ImportError(f"perp: {path} is not libperp") from None
    if version // 100 != _c.PERP_VERSION // 100:
        raise ImportError(f"perp: {path} has version {version}, this package needs {_MAJOR_MINOR}")
    _c.bind(library)
    return library, path


lib, path = _load()


def made(struct: type[Struct], **fields: Any) -> Struct:
    """A struct that begins with struct_size, as its macro PERP_..._INIT sets it, and fields."""
    new = struct()
    new.struct_size = ctypes.sizeof(struct)
    defaults: dict[str, Any] = _c.DEFAULTS.get(struct.__name__, {})  # type: ignore[assignment]
    for name, value in {**defaults, **fields}.items():
        setattr(new, name, value)
    return new


def text(value: bytes | None) -> str:
    """A static string of C."""
    return "" if value is None else value.decode()


def shown(kind: type[Any], c: Any, **known: Any) -> Any:
    """A dataclass of the fields of a struct that have its names, but for those that are known: numbers,
    counts of two halves, arrays, texts."""
    def value(name: str) -> Any:
        found = getattr(c, name.rstrip("_"))
        if isinstance(found, ctypes.Array):
            if found._type_ is ctypes.c_uint32:
                return found[0] + (found[1] << 32)
            return tuple(found) if found._type_ is ctypes.c_int32 else np.array(found)
        return text(found) if isinstance(found, bytes) else found
    return kind(**known, **{name: value(name) for name in kind.__dataclass_fields__ if name not in known})
