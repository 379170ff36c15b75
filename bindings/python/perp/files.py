# SPDX-License-Identifier: MIT
"""Problems from files: text of docs/command.md, and .npz of NumPy with the arrays

    M, q                          LCP
    M, q, lower, upper            box form (one number each, or n)
    M, q, mu [, dim]              friction; dim 2 or 3, default 3
    M, q, mu, mu_rolling [, dim]  rolling; dim 3 or 5, default 5
"""
from __future__ import annotations

import pathlib
from typing import Any, Callable, Optional, TypeVar, Union

import numpy as np

from ._arrays import Array
from .errors import ArgumentError
from .laws import box, complementarity, equality, friction_2d, friction_3d
from .solvers import Problem, friction_problem, rolling_problem

SIZE_LIMIT = 20000  # unknowns of a dense problem


class FileError(ArgumentError):
    """A file that is no problem; what and where."""


def load(path: Union[str, pathlib.Path], kind: Optional[str] = None) -> tuple[str, Problem]:
    """Class and problem of a file. kind: "lcp", "mlcp", "relay", "fc2d", "fc3d", "gfc2d", "gfc3d" (condensed
    to r), "rolling", "mixed"; None: by the content."""
    path = pathlib.Path(path)
    if kind is not None and kind not in CLASSES:
        raise FileError(f"class '{kind}' is none of {', '.join(CLASSES)}", "class")
    try:
        data = path.read_bytes()
        if data[:4] == b"\x89HDF":
            raise FileError("FCLIB files are read by the command perp, not by this package", "file")
        return _npz(path) if data[:2] == b"PK" else _text(data.decode("utf-8", "replace"), kind)
    except OSError as problem:
        raise FileError(f"{path}: {problem.strerror}", "file") from None
    except (ArgumentError, ValueError, TypeError) as problem:
        raise FileError(f"{path}: {problem}", getattr(problem, "field", "file")) from None


def _npz(path: pathlib.Path) -> tuple[str, Problem]:
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as held:
            arrays = {name: held[name] for name in held.files}
    except Exception as problem:  # zipfile and NumPy raise many kinds
        raise FileError(f"no .npz file ({problem})", "file") from None
    known, needed = {"M", "q", "lower", "upper", "mu", "mu_rolling", "dim"}, {"M", "q"}
    if not needed <= set(arrays) or set(arrays) - known:
        raise FileError(f"holds {', '.join(sorted(arrays)) or 'nothing'}; M and q are needed, and of "
                        f"{', '.join(sorted(known - needed))} what the class has", "file")
    M, q, mu, rolling = (arrays.get(name) for name in ("M", "q", "mu", "mu_rolling"))
    given = np.asarray(arrays.get("dim", 3 if rolling is None else 5))
    if given.size != 1 or given.dtype.kind not in "iu":
        raise FileError("dim is no whole number", "dim")
    dim = int(given.reshape(()))
    if rolling is not None and mu is None:
        raise FileError("mu_rolling without mu", "mu")
    if mu is not None:
        return (f"fc{dim}d", friction_problem(M, q, mu, dim)) if rolling is None else \
            ("rolling", rolling_problem(M, q, mu, rolling, dim))
    if "lower" in arrays or "upper" in arrays:
        low, up = (np.broadcast_to(arrays.get(name, side), np.shape(arrays["q"])) for name, side in
                   (("lower", -np.inf), ("upper", np.inf)))
        return "mlcp", Problem(M, q, box(low, up))
    return "lcp", Problem(M, q, complementarity())


_Number = TypeVar("_Number", int, float)


class _Tokens:
    """Numbers between white space."""

    def __init__(self, text: str):
        self.lines = text.splitlines()
        self.words = [(word, line) for line, of in enumerate(self.lines) for word in of.split()]
        self.at = 0

    def fail(self, what: str) -> FileError:
        line = self.words[min(self.at, len(self.words) - 1)][1] + 1 if self.words else 1
        return FileError(f"line {line}: {what}", "file")

    def word(self) -> str:
        if self.at >= len(self.words):
            raise self.fail("ends too early")
        self.at += 1
        return self.words[self.at - 1][0]

    def _next(self, convert: Callable[[str], _Number], kind: str, refusal: Callable[[_Number], str]) -> _Number:
        word = self.word()
        try:
            value = convert(word)
            problem = refusal(value)
        except ValueError:
            problem = f"'{word}' is no {kind}"
        if problem:
            self.at -= 1
            raise self.fail(problem)
        return value

    def number(self, infinite: bool = False) -> float:
        return self._next(float, "number", lambda x: f"{x} is not finite" if np.isnan(x) or (
            np.isinf(x) and not infinite) else "")

    def whole(self, low: int = 0, high: int = 2**31 - 1) -> int:
        return self._next(int, "whole number", lambda x: "" if low <= x <= high else f"{x} is out of range")

    def several(self, count: int, read: Callable[[], Any]) -> list[Any]:
        if count > len(self.words) - self.at:
            raise self.fail(f"{count} numbers are needed, the file ends before")
        return [read() for _ in range(count)]

    def numbers(self, count: int, infinite: bool = False) -> Array:
        return np.array(self.several(count, lambda: self.number(infinite)), dtype=float)

    def wholes(self, count: int) -> list[int]:
        return self.several(count, self.whole)


def _matrix(t: _Tokens, ends: Optional[list[int]] = None) -> Array:
    storage, rows, cols = t.whole(0, 2), t.whole(), t.whole()
    if max(rows, cols) > SIZE_LIMIT:
        raise t.fail(f"a matrix of {rows} x {cols} is too large here: use the command perp")
    if storage == 0:
        if (t.whole(), t.whole()) != (rows, cols):
            raise t.fail("sizes differ")
        return t.numbers(rows * cols).reshape(rows, cols, order="F")
    M = np.zeros((rows, cols), order="F")
    if storage == 1:
        _blocks(t, M, ends)
    else:
        _sparse(t, M)
    return M


def _blocks(t: _Tokens, M: Array, ends: Optional[list[int]]) -> None:
    count, brows, bcols = t.whole(), t.whole(), t.whole()
    if count == 0:
        return
    row_ends, col_ends = t.wholes(brows), t.wholes(bcols)
    for found, total in ((row_ends, M.shape[0]), (col_ends, M.shape[1])):
        if not found or found[-1] != total or any(a >= b for a, b in zip([0, *found], found)):
            raise t.fail("ends of blocks do not increase to the size of the matrix")
    if t.whole() != brows + 1 or t.whole() != count:
        raise t.fail("numbers of blocks differ")
    start, column = t.wholes(brows + 1), t.wholes(count)
    if start[0] != 0 or start[-1] != count or any(a > b for a, b in zip(start, start[1:])):
        raise t.fail("starts of block rows do not increase to the number of blocks")
    if ends is not None:
        ends.extend(row_ends)
    for r in range(brows):
        seen: set[int] = set()
        for b in range(start[r], start[r + 1]):
            if column[b] >= bcols or column[b] in seen:
                raise t.fail("a block column is out of range or twice in a row")
            seen.add(column[b])
            i0, i1 = ([0, *row_ends])[r], row_ends[r]
            j0, j1 = ([0, *col_ends])[column[b]], col_ends[column[b]]
            if t.whole() != b:
                raise t.fail(f"block {b} has another number")
            M[i0:i1, j0:j1] = t.numbers((i1 - i0) * (j1 - j0)).reshape(i1 - i0, j1 - j0, order="F")


def _sparse(t: _Tokens, M: Array) -> None:
    order = t.whole(1, 4)
    line = t.words[t.at][1] if t.at < len(t.words) else len(t.lines)
    if line + 1 >= len(t.lines) or not t.lines[line].startswith("CSparse"):
        raise t.fail("a line that begins with CSparse is needed")
    head = t.lines[line + 1].replace(",", " ").replace(":", " ").split()
    try:
        nnz = int(head[head.index("nnz") + 1])
    except (ValueError, IndexError):
        raise t.fail("the line behind CSparse lacks nnz") from None
    while t.at < len(t.words) and t.words[t.at][1] <= line + 1:
        t.at += 1

    def put(major: int) -> None:
        """i j : value, or i : value of a column or row."""
        i = t.whole()
        j = major if major >= 0 else t.whole()
        if t.word() != ":":
            raise t.fail("':' is needed")
        value = t.number()
        if order == 3:
            i, j = j, i
        if i >= M.shape[0] or j >= M.shape[1]:
            raise t.fail(f"entry ({i}, {j}) is outside")
        M[i, j] += value
        if order == 4 and i != j:
            M[j, i] += value
    if order in (1, 4):
        for _ in range(nnz):
            put(-1)
        return
    for k in range(M.shape[1] if order == 2 else M.shape[0]):
        words = [t.word() for _ in range(7)]  # col j : locations p0 to p1
        try:
            if words[0] not in ("col", "row") or int(words[1]) != k:
                raise ValueError
            count = int(words[6]) - int(words[4]) + 1
        except ValueError:
            raise t.fail(f"'{'col' if order == 2 else 'row'} {k} : locations p0 to p1' is needed") from None
        for _ in range(count):
            put(k)


def _square(t: _Tokens, M: Array, n: int) -> Array:
    if M.shape != (n, n):
        raise t.fail(f"the matrix has {M.shape[0]} x {M.shape[1]}, {n} x {n} is needed")
    return M


def _lcp(t: _Tokens) -> Problem:
    n = t.whole()
    M = _square(t, _matrix(t), n)
    return Problem(M, t.numbers(n), complementarity())


def _relay(t: _Tokens) -> Problem:
    n = t.whole()
    M = _square(t, _matrix(t), n)
    q, lower, upper = t.numbers(n), t.numbers(n, True), t.numbers(n, True)
    return Problem(M, q, box(lower, upper) if n else [])


def _mlcp(t: _Tokens) -> Problem:
    first, second, n, m = t.whole(0, 1), t.whole(0, 1), t.whole(), t.whole()
    total = n + m
    if first:
        ends = [t.whole()]
        if ends[0] != 0:
            raise t.fail("ends of blocks begin with 0")
        while ends[-1] < total:
            ends.append(t.whole(ends[-1] + 1, total))
        kinds = [t.whole(0, 1) for _ in range(len(ends) - 1)]
        M = _square(t, _matrix(t), total)
        q = t.numbers(total)
        laws = [(complementarity() if k else equality(), b - a) for k, a, b in zip(kinds, ends, ends[1:])]
        return Problem(M, q, laws)
    if not second:
        raise t.fail("neither form is there")
    A, B, C, D = (t.numbers(r * c).reshape(r, c) for r, c in ((n, n), (m, m), (n, m), (m, n)))
    a, b = t.numbers(n), t.numbers(m)
    return Problem(np.block([[A, C], [D, B]]), np.concatenate([a, b]), [(equality(), n), (complementarity(), m)])


def _contacts(dims: tuple[int, ...]) -> Callable[[_Tokens], Any]:
    def read(t: _Tokens) -> Any:
        dim, contacts = t.whole(), t.whole()
        if dim not in dims:
            t.at -= 2
            raise t.fail(f"dimension {dim} is none of {', '.join(map(str, dims))}")
        n = dim * contacts
        M = _square(t, _matrix(t), n)
        q, mu = t.numbers(n), t.numbers(contacts)
        if dims == (3, 5):
            return rolling_problem(M, q, mu, t.numbers(contacts), dim)
        return friction_problem(M, q, mu, dim)
    return read


def _global(dim: int) -> Callable[[_Tokens], Any]:
    """M v = q + H r, u = Hᵀ v + b: v is eliminated, u = Hᵀ M⁻¹ H r + Hᵀ M⁻¹ q + b."""
    def read(t: _Tokens) -> Any:
        if t.whole() != dim:
            t.at -= 1
            raise t.fail(f"the dimension is not {dim}")
        contacts = t.whole()
        M = _matrix(t)
        M = _square(t, M, M.shape[0])
        H = _matrix(t)
        if H.shape != (M.shape[0], dim * contacts):
            raise t.fail(f"H has {H.shape[0]} x {H.shape[1]}, {M.shape[0]} x {dim * contacts} is needed")
        q, b, mu = t.numbers(M.shape[0]), t.numbers(dim * contacts), t.numbers(contacts)
        try:
            solved = np.linalg.solve(M, np.column_stack([H, q]))
        except np.linalg.LinAlgError:
            raise t.fail("M is singular") from None
        return friction_problem(H.T @ solved[:, :-1], H.T @ solved[:, -1] + b, mu, dim)
    return read


def _mixed(t: _Tokens) -> Problem:
    ends: list[int] = []
    M = _matrix(t, ends)
    if not ends or M.shape[0] != M.shape[1]:
        raise t.fail("a square matrix of blocks is needed")
    q = t.numbers(M.shape[0])
    laws = []
    for size in np.diff([0, *ends]).tolist():
        kind = t.whole(0, 9)
        if kind in (0, 2):
            laws.append((complementarity() if kind == 0 else equality(), size))
        elif kind in (3, 4):
            law = friction_2d(t.number()) if kind == 3 else friction_3d(t.number())
            if size != law.size:
                raise t.fail(f"a block of {size} is no contact with friction of type {kind}")
            laws.append((law, 1))
        else:
            raise t.fail(f"type {kind} has no data")
    return Problem(M, q, laws)


CLASSES: dict[str, Callable[[_Tokens], Any]] = {
    "relay": _relay, "mlcp": _mlcp, "rolling": _contacts((3, 5)), "fc3d": _contacts((3,)), "fc2d": _contacts((2,)),
    "mixed": _mixed, "lcp": _lcp, "gfc3d": _global(3), "gfc2d": _global(2)}


def _text(text: str, kind: Optional[str]) -> tuple[str, Problem]:
    """As the class that is said, or the reading that gets furthest; where that fails, its error."""
    best: Any = None
    for name, read in ({kind: CLASSES[kind]} if kind else CLASSES).items():
        t = _Tokens(text)
        try:
            answer: Any = read(t)
        except ArgumentError as problem:
            answer = problem
        if name == "rolling" and not kind and not isinstance(answer, Exception) and answer.laws \
                and sum(c for _, c in answer.laws) == 1 and answer.laws[0][0].data["mu_rolling"] in (0, 1):
            continue  # friction files often end with one token more
        solved = not isinstance(answer, Exception)
        if best is None or (t.at, solved) > best[0]:
            best = (t.at, solved), name, answer
    (_, solved), name, answer = best
    if not solved:
        raise answer
    return name, answer
