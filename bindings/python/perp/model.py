# SPDX-License-Identifier: MIT
"""A model, built piece by piece: systems, and interactions that join them.

    m = perp.Model()
    ball = m.add(perp.LagrangianLinear(M=1.0, f=[-9.81]), q0=[1.0])
    floor = m.connect(perp.LagrangianLinearRelation(H=[1.0]), perp.newton_impact(0.9), ball)

Descriptions are copied when they are added; equal ones are stored once, so that a thousand equal
beads are one. A model may change or end while simulations made from it go on.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional, Union

import numpy as np

from . import _c
from ._arrays import Array, copied, integer, one_or_several, several, vector
from ._callbacks import Guard, guarded, undisturbed
from ._description import Form, Joined, content, frozen
from ._library import lib, made, text
from .bodies import ContactPlace
from .errors import ArgumentError, ArgumentTypeError, UnsupportedError, check
from .laws import Law, LawForm, box, graph
from .relations import Relation
from .systems import System


class SystemId(int):
    """A system of a model, by its place."""


class InteractionId(int):
    """An interaction of a model, by its place."""


GROUND = SystemId(_c.PERP_GROUND)
"""The other side of a contact with what does not move."""


def place(what: str, name: str, value: Any, other: type, count: int) -> int:
    """The index of a system or interaction, refused where it is one of the other kind."""
    if isinstance(value, other):
        raise ArgumentTypeError(f"{what}: {name} is a {other.__name__}", name)
    return integer(what, name, value, 0, count - 1)


@dataclass
class ContactPool:
    """Room for contacts that come and go between Lagrangian systems and bodies; see
    docs/running.md. find(search) adds all that may act in the step to come.

    laws: of size 1, 2, 3 or 5; plane: systems are (x, y, angle) or (x, y).
    """

    capacity: int
    laws: Union[Law, list[Law]]
    find: Callable[["ContactSearch"], Any]
    max_per_system: int = 0
    plane: bool = False


class ContactSearch:
    """What find looks at and writes to, while it is called."""

    def __init__(self, t: float, sim: int, out: int, parts: "Model"):
        self.t = t
        self.systems = parts.systems
        self._sim, self._out, self._parts = sim, out, parts

    def q(self, system: int) -> Array:
        """Positions at the begin of the step; a copy."""
        return self._read(lib.perp_simulation_q, system, "q")

    def v(self, system: int) -> Array:
        """Velocities at the begin of the step; a copy."""
        return self._read(lib.perp_simulation_v, system, "v")

    def is_asleep(self, system: int) -> bool:
        """Whether a system sleeps, so far in this step; contacts of two that do need not be added."""
        self._require("is_asleep")
        return bool(lib.perp_simulation_is_asleep(self._sim, place("find", "system", system, InteractionId, self.systems)))

    def awake(self) -> int:
        """How many systems are neither asleep nor off."""
        self._require("awake")
        return int(lib.perp_simulation_awake(self._sim))

    def _require(self, name: str) -> None:
        if not self._sim:
            raise ArgumentError("ContactSearch: used after find has returned", name)

    def _read(self, function: Any, system: int, name: str) -> Array:
        self._require(name)
        i = place("find", "system", system, InteractionId, self.systems)
        pointer = function(self._sim, i)
        if pointer is None:
            raise ArgumentError(f"find: system {i} is not of order 2", name, i)
        return copied(pointer, self._parts._entries(name, i))

    def add(self, a: int, b: int, at: ContactPlace, law: int = 0, identity: int = 0) -> bool:
        """A contact of a with b, or GROUND; the normal points to a. law: its place in the laws of the
        pool; identity tells it from others of the same pair. Whether it is kept so far."""
        self._require("add")
        c = _c.perp_pool_contact()
        c.systems[0] = integer("add", "a", a)
        c.systems[1] = integer("add", "b", b)
        c.law = integer("add", "law", law)
        identity = integer("add", "identity", identity, 0, 2**64 - 1)
        c.identity[0], c.identity[1] = identity & 0xffffffff, identity >> 32
        at.write(c.place, judged=True)
        kept = ctypes.c_int32()
        lib.perp_pool_add(self._out, c, ctypes.byref(kept))  # what is refused ends the step
        return bool(kept.value)


class Builder:
    """A builder of C, empty or a copy."""

    def __init__(self, of: Optional["Builder"] = None):
        self.c: Any = ctypes.c_void_p()
        self._info = made(_c.perp_info)
        self.lent = False  # to a run, which ends it after itself
        create, given = (lib.perp_builder_create, ()) if of is None else (lib.perp_builder_copy, (of.c,))
        check(create(ctypes.byref(self.c), *given, self._info), "Model", self._info)

    def end(self) -> None:
        """Free it."""
        if lib is not None:
            lib.perp_builder_destroy(self.c)
            self.c = None

    def __del__(self) -> None:
        if not self.lent:
            self.end()

    def do(self, what: str, function: Any, *arguments: Any) -> None:
        """A call that may be refused."""
        check(function(self.c, *arguments, self._info), what, self._info)


class Model:
    """See the module. Not safe for changes from two threads at a time."""

    def __init__(self) -> None:
        self._builder = Builder()
        self._forms: dict[Any, Any] = {}  # by content; a copy has its own
        self._added: list[tuple[Form, dict[str, Array]]] = []
        self._joined: list[tuple[Form, Law, int, tuple[int, ...]]] = []
        self._pool: Optional[ContactPool] = None

    @property
    def systems(self) -> int:
        """How many were added."""
        return len(self._added)

    @property
    def interactions(self) -> int:
        """How many were connected."""
        return len(self._joined)

    @property
    def descriptions(self) -> int:
        """Different descriptions of systems, relations and laws."""
        return lib.perp_builder_descriptions(self._builder.c)

    def add(self, system: System, q0: Any = None, v0: Any = None, *, x0: Any = None) -> SystemId:
        """Add a system of order 2 at position q0 and velocity v0, or one of order 1 in state x0 (the
        first array given, too). None: zeros, of a body without rotation."""
        if not isinstance(system, System):
            raise ArgumentTypeError(f"add: {type(system).__name__} is no system", "system")
        form = self._form(system, lambda s: s._form())
        if system.order == 1:
            if v0 is not None or (q0 is not None and x0 is not None):
                raise ArgumentError(f"add: a system of order 1 has x0 alone, not {'v0' if v0 is not None else 'q0'}",
                                    "v0" if v0 is not None else "q0")
            given = {"x": q0 if x0 is None else x0}
        elif x0 is not None:
            raise ArgumentError("add: a system of order 2 has q0 and v0, not x0", "x0")
        else:
            given = {"q": q0, "v": v0}
        start = {name: vector("add", f"{name}0", values, form.sizes[name], finite=True).copy()
                 for name, values in given.items() if values is not None}
        head = ctypes.cast(form.head, ctypes.POINTER(_c.perp_system))

        def keep() -> SystemId:
            self._builder.do(f"add: {form.what}", lib.perp_builder_add, head, None, None)
            for name, values in start.items():
                self._builder.do("add", getattr(lib, f"perp_builder_set_{name}"), self.systems, values.size,
                                 values.ctypes.data)
            self._added.append((form, start))
            return SystemId(self.systems - 1)
        return undisturbed(keep)

    def connect(self, relation: Relation, law: Law, systems: Union[int, Iterable[int]]) -> InteractionId:
        """Join systems by a relation and as many copies of a law as fill its rows."""
        if not isinstance(relation, Relation):
            raise ArgumentTypeError(f"connect: {type(relation).__name__} is no relation", "relation")
        if not isinstance(law, Law):
            raise ArgumentTypeError(f"connect: {type(law).__name__} is no law", "law")
        joined = tuple(place("connect", "systems", s, InteractionId, self.systems)
                       for s in one_or_several("connect", "systems", systems))
        kinds = [self._added[s][0] for s in joined]
        for i, kind in enumerate(kinds):
            if kind.value.order != relation.order:
                raise ArgumentError(f"connect: {type(relation).__name__} is for systems of order {relation.order}",
                                    "systems", i, joined[i])
        if not kinds or len(set(joined)) != len(joined):
            raise ArgumentError("connect: one or more different systems are needed", "systems")
        n, n_q = (sum(k.sizes.get(name, 0) for k in kinds) for name in ("n", "q"))
        at = Joined(n, n_q, len(kinds), law.size)
        form = self._form(relation, lambda r: r._form(at), at)
        indices = np.array(joined, dtype=np.int32)
        c = _c.perp_interaction(n_systems=indices.size, systems=indices.ctypes.data)
        c.relation = ctypes.cast(form.head, ctypes.POINTER(_c.perp_relation))
        m = c.relation.contents.m
        if m % law.size:
            raise ArgumentError(f"connect: {m} rows are no multiple of the law's {law.size}", "m", value=m)
        if law.kind == "piecewise_linear":
            call: Any = (lib.perp_builder_connect_graph, c, graph(law), None, None)
        else:
            c.law = self._form(law, LawForm).pointer
            call = (lib.perp_builder_connect, c, None, None, None)

        def keep() -> InteractionId:
            self._builder.do(f"connect: {form.what}", *call)
            self._joined.append((form, law, m, joined))
            return InteractionId(self.interactions - 1)
        return undisturbed(keep)

    def pool(self, pool: ContactPool) -> None:
        """Room for contacts that come and go; one in a model, in place of the one before."""
        if not isinstance(pool, ContactPool):
            raise ArgumentTypeError(f"pool: {type(pool).__name__} is no ContactPool", "pool")
        laws = [pool.laws] if isinstance(pool.laws, Law) else several("pool", "laws", pool.laws)
        for law in laws:
            if not isinstance(law, Law) or law.kind == "piecewise_linear":
                raise ArgumentTypeError("pool: laws of size 1, 2, 3 or 5 are needed", "laws")
        if not callable(pool.find):
            raise ArgumentTypeError("pool: find is no function", "find")
        self._pool = ContactPool(integer("pool", "capacity", pool.capacity, 1), laws, pool.find,
                                 integer("pool", "max_per_system", pool.max_per_system, 0), bool(pool.plane))

    def describe(self) -> str:
        """What the model is made of, as text: systems, interactions with relative degrees."""
        taken, guard = TakenModel("describe", self), Guard()
        guard.used = True
        room = guard.call(lib.perp_model_describe, taken.c, None, None, 0) + 1
        room_bytes = ctypes.create_string_buffer(room)
        guard.call(lib.perp_model_describe, taken.c, None, ctypes.addressof(room_bytes), room)
        return room_bytes.value.decode()

    def _form(self, value: Any, make: Callable[[Any], Any], *at: Any) -> Any:
        """What C has of a description, made once for equal ones."""
        key = (content(value), *at)
        found = self._forms.get(key)
        if found is None:
            found = self._forms[key] = make(frozen(value))
        return found

    def _entries(self, name: str, system: int) -> int:
        """Length of q, v or x of a system, and of a rate; 0 where it is of the other order."""
        return self._added[system][0].sizes.get("n" if name == "rate" else name, 0)

    def _laws(self) -> list[Law]:
        """All laws, those of the pool as well."""
        pool: Any = [] if self._pool is None else self._pool.laws
        return [*(law for _, law, _, _ in self._joined), *pool]

    def _symmetric(self) -> bool:
        """Whether one-step matrices are: mechanics without forces of velocity and control."""
        return all(form.value.order == 2 and form.symmetric for form, *_ in self._joined) and \
            all(form.value.order != 2 or form.symmetric for form, _ in self._added)

    def _calls(self) -> bool:
        """Whether C may call functions of Python."""
        return self._pool is not None or any(law.calls for law in self._laws()) or \
            any(callable(kept) for form in self._forms.values() for kept in form.kept)

    def __copy__(self) -> "Model":
        new = Model.__new__(Model)
        vars(new).update(vars(self), _builder=Builder(self._builder), _forms=self._forms.copy(), _added=self._added[:],
                         _joined=self._joined[:])
        return new

    def __reduce__(self) -> Any:
        """What was added and connected; the other model does it again."""
        return _again, ([(form.value, start) for form, start in self._added],
                        [(form.value, law, joined) for form, law, _, joined in self._joined], self._pool)


def _again(added: Any, joined: Any, pool: Any) -> Model:
    m = Model()
    for system, start in added:
        m.add(system, **{f"{name}0": values for name, values in start.items()})
    for relation, law, systems in joined:
        m.connect(relation, law, systems)
    if pool is not None:
        m.pool(pool)
    return m


class TakenModel:
    """The model of C for the call `what`, which no longer changes."""

    def __init__(self, what: str, model: Model):
        self.parts = model.__copy__()
        self._laws: dict[int, Law] = {}  # by address, once somebody asks
        self.builder = self.parts._builder
        self.rows = np.zeros(model.interactions + 1, dtype=int)
        for i, (_, _, m, _) in enumerate(self.parts._joined):
            self.rows[i + 1] = self.rows[i] + (self._pieces(i).relation.m if self.is_graph(i) else m)
        if model._pool is not None:
            self._describe_pool(what, model._pool)
        self.c = lib.perp_builder_model(self.builder.c)

    def size(self, interaction: int) -> int:
        """Rows that C has of an interaction."""
        return int(self.rows[interaction + 1] - self.rows[interaction])

    def law_at(self, pointer: int) -> Law:
        """The law that C has at an address; a piece of a graph is a box."""
        if not self._laws:
            c = self.c.contents
            at = ctypes.cast(c.interactions, ctypes.POINTER(ctypes.POINTER(_c.perp_interaction)))
            for i, (_, law, _, _) in enumerate(self.parts._joined):
                if not self.is_graph(i):
                    self._laws[ctypes.addressof(at[i].contents.law.contents)] = law
            if c.pool:
                self._laws.update(zip((ctypes.c_void_p * c.pool.contents.n_laws).from_address(c.pool.contents.laws),
                                      self.parts._pool.laws))  # type: ignore[union-attr, arg-type]
        found = self._laws.get(pointer)
        if found is None:
            name = text(_c.perp_law.from_address(pointer).ops.contents.name)
            if name != "piecewise_linear":
                raise UnsupportedError(f"problem: a law {name} that is not of the model", "laws")
            piece = _c.perp_pieces.from_address(pointer).box
            found = box(copied(piece.lower, piece.law.size), copied(piece.upper, piece.law.size))
        return found

    def is_graph(self, interaction: int) -> bool:
        """Whether the law of an interaction is one, that C has in pieces."""
        return self.parts._joined[interaction][1].kind == "piecewise_linear"

    def _pieces(self, interaction: int) -> Any:
        return lib.perp_builder_pieces(self.builder.c, interaction).contents

    def _describe_pool(self, what: str, pool: ContactPool) -> None:
        forms = [self.parts._form(law, LawForm) for law in pool.laws]  # type: ignore[union-attr]
        heads = np.array([form.head for form in forms], dtype=np.uintp)
        parts = self.parts

        def body(t: float, sim: int, out: int, user: Any) -> int:
            search = ContactSearch(t, sim, out, parts)
            try:
                pool.find(search)
            finally:
                search._sim = 0  # C's writer ends with this call
            return 0
        self.find = guarded(_c.perp_find_fn, body)
        c = made(_c.perp_contact_pool, capacity=pool.capacity, max_per_system=pool.max_per_system,
                 plane=int(pool.plane), n_laws=len(forms), laws=heads.ctypes.data, find=self.find)
        self.builder.do(what, lib.perp_builder_pool, c, None, None)

    def whole(self, interaction: int, name: str, data: int, pieces_lambda: int, mechanical: bool) -> Array:
        """y, ydot or lambda of an interaction with a graph, put together from its pieces; a copy."""
        pieces, m = self._pieces(interaction), self.parts._joined[interaction][2]
        if name == "y" and mechanical:
            return copied(data, pieces.relation.m)[::pieces.relation.m // m].copy()
        out = np.zeros(m)
        given = (None, pieces_lambda, None, out.ctypes.data) if name == "lambda_" else \
            (data, pieces_lambda, out.ctypes.data, None)
        check(lib.perp_piecewise_relation_values(pieces, *given), "piecewise_linear")
        return out
