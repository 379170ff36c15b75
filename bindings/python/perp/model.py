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
from ._arrays import Array, copied, integer, several, vector
from ._callbacks import Callbacks, Guard
from ._description import Joined, content, frozen
from ._library import lib, made
from .bodies import ContactPlace
from .errors import ArgumentError, ArgumentTypeError, check
from .laws import Law, LawForm, graph
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
    docs/contact-pool.md. find(search) adds all that may act in the step to come.

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
        self.systems = len(parts._systems)
        self._sim, self._out, self._parts = sim, out, parts

    def q(self, system: int) -> Array:
        """Positions at the begin of the step; a copy."""
        return self._read(lib.perp_simulation_q, system, "q")

    def v(self, system: int) -> Array:
        """Velocities at the begin of the step; a copy."""
        return self._read(lib.perp_simulation_v, system, "v")

    def _read(self, function: Any, system: int, name: str) -> Array:
        if not self._sim:
            raise ArgumentError("ContactSearch: used after find has returned", name)
        i = place("find", "system", system, InteractionId, self.systems)
        pointer = function(self._sim, i)
        if pointer is None:
            raise ArgumentError(f"find: system {i} is not of order 2", name, i)
        kind = self._parts._kind_of(i)
        return copied(pointer, kind.n_q if name == "q" else kind.n)

    def add(self, a: int, b: int, at: ContactPlace, law: int = 0, identity: int = 0) -> bool:
        """A contact of a with b, or GROUND; the normal points to a. law: its place in the laws of the
        pool; identity tells it from others of the same pair. Whether it is kept so far."""
        if not self._sim:
            raise ArgumentError("ContactSearch: used after find has returned", "add")
        c = _c.perp_pool_contact()
        c.systems[0] = integer("add", "a", a)
        c.systems[1] = integer("add", "b", b)
        c.law = integer("add", "law", law)
        identity = integer("add", "identity", identity, 0, 2**64 - 1)
        c.identity[0], c.identity[1] = identity & 0xffffffff, identity >> 32
        at.write(c.place)
        return lib.perp_pool_add(self._out, c) == 1


@dataclass
class _SystemKind:
    value: System
    order: int
    n: int
    n_q: int
    symmetric: bool


@dataclass
class _RelationKind:
    value: Relation
    at: Joined
    order: int
    m: int
    symmetric: bool


@dataclass
class _Interaction:
    relation: int
    law: int
    systems: tuple[int, ...]


class Model:
    """See the module. Not safe for changes from two threads at a time."""

    def __init__(self) -> None:
        self._system_kinds: list[_SystemKind] = []
        self._relation_kinds: list[_RelationKind] = []
        self._laws: list[Law] = []
        self._index: dict[Any, int] = {}
        self._systems: list[int] = []
        self._interactions: list[_Interaction] = []
        self._q0: list[Array] = []
        self._v0: list[Array] = []
        self._x0: list[Array] = []
        self._pool: Optional[ContactPool] = None

    @property
    def systems(self) -> int:
        """How many were added."""
        return len(self._systems)

    @property
    def interactions(self) -> int:
        """How many were connected."""
        return len(self._interactions)

    @property
    def descriptions(self) -> int:
        """Different descriptions of systems, relations and laws."""
        return len(self._index)

    def add(self, system: System, q0: Any = None, v0: Any = None, *, x0: Any = None) -> SystemId:
        """Add a system of order 2 at position q0 and velocity v0, or one of order 1 in state x0 (the
        first array given, too). None: zeros, of a body without rotation."""
        if not isinstance(system, System):
            raise ArgumentTypeError(f"add: {type(system).__name__} is no system", "system")
        key = content(system)
        index = self._index.get(key)
        if index is None:
            form = system._form(Guard())
            kind = _SystemKind(frozen(system), system.order, form.n, form.n_q, form.symmetric)
        else:
            kind = self._system_kinds[index]
        if kind.order == 1:
            if v0 is not None or (q0 is not None and x0 is not None):
                raise ArgumentError(f"add: a system of order 1 has x0 alone, not {'v0' if v0 is not None else 'q0'}",
                                    "v0" if v0 is not None else "q0")
            x0 = q0 if x0 is None else x0
            x = self._initial("x0", x0, kind.n)
            self._x0.append(x)
        else:
            if x0 is not None:
                raise ArgumentError("add: a system of order 2 has q0 and v0, not x0", "x0")
            q, v = self._initial("q0", q0, kind.n_q), self._initial("v0", v0, kind.n)
            if q0 is None and kind.n_q != kind.n:
                q[3] = 1.0  # the quaternion of no rotation
            self._q0.append(q)
            self._v0.append(v)
        if index is None:
            index = self._index[key] = len(self._system_kinds)
            self._system_kinds.append(kind)
        self._systems.append(index)
        return SystemId(len(self._systems) - 1)

    @staticmethod
    def _initial(name: str, value: Any, n: int) -> Array:
        if value is None:
            return np.zeros(n)
        return vector("add", name, value, n, finite=True).copy()

    def connect(self, relation: Relation, law: Law, systems: Union[int, Iterable[int]]) -> InteractionId:
        """Join systems by a relation and as many copies of a law as fill its rows."""
        if not isinstance(relation, Relation):
            raise ArgumentTypeError(f"connect: {type(relation).__name__} is no relation", "relation")
        if not isinstance(law, Law):
            raise ArgumentTypeError(f"connect: {type(law).__name__} is no law", "law")
        given = [systems] if hasattr(systems, "__index__") else several("connect", "systems", systems)
        joined = tuple(place("connect", "systems", s, InteractionId, len(self._systems)) for s in given)
        kinds = [self._kind_of(s) for s in joined]
        for i, kind in enumerate(kinds):
            if kind.order != relation.order:
                raise ArgumentError(f"connect: {type(relation).__name__} is for systems of order {relation.order}",
                                    "systems", i, joined[i])
        if not kinds or len(set(joined)) != len(joined):
            raise ArgumentError("connect: one or more different systems are needed", "systems")
        at = Joined(sum(k.n for k in kinds), sum(k.n_q for k in kinds), len(kinds), law.size)
        key = (content(relation), at.n, at.n_q, at.systems, at.law_size)
        index = self._index.get(key)
        if index is None:
            form = relation._form(at, Guard())
            found = _RelationKind(frozen(relation), at, relation.order, form.m, form.symmetric)
        else:
            found = self._relation_kinds[index]
        if found.m % law.size:
            raise ArgumentError(f"connect: {found.m} rows are no multiple of the law's {law.size}", "m",
                                value=found.m)
        if index is None:
            index = self._index[key] = len(self._relation_kinds)
            self._relation_kinds.append(found)
        law_key = content(law)
        if law_key not in self._index:
            self._index[law_key] = len(self._laws)
            self._laws.append(law)
        self._interactions.append(_Interaction(index, self._index[law_key], joined))
        return InteractionId(len(self._interactions) - 1)

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
        c = CModel("describe", self, Guard())
        room = c.guard.call(lib.perp_model_describe, c.c, None, None, 0) + 1
        room_bytes = ctypes.create_string_buffer(room)
        c.guard.call(lib.perp_model_describe, c.c, None, ctypes.addressof(room_bytes), room)
        return room_bytes.value.decode()

    def _kind_of(self, system: int) -> _SystemKind:
        return self._system_kinds[self._systems[system]]

    def _symmetric(self) -> bool:
        """Whether one-step matrices are: mechanics without forces of velocity and control."""
        return all(r.order == 2 and r.symmetric for r in self._relation_kinds) and \
            all(s.order != 2 or s.symmetric for s in self._system_kinds)

    def _intervals(self) -> bool:
        """Whether all laws hold component by component."""
        pool = [] if self._pool is None else list(self._pool.laws)  # type: ignore[arg-type]
        return all(law.by_component for law in [*self._laws, *pool])

    def __copy__(self) -> "Model":
        return self._copy()

    def _copy(self) -> "Model":
        """Shares the descriptions, which never change."""
        new = Model()
        for name, value in vars(self).items():
            setattr(new, name, value.copy() if isinstance(value, (list, dict)) else value)
        return new


class CModel:
    """A builder of C that has a model for the call `what`; made anew for each simulation, for its
    callbacks keep what they throw."""

    def __init__(self, what: str, parts: Model, guard: Guard):
        self.parts, self.guard, self._what = parts, guard, what
        self.builder, self._info = ctypes.c_void_p(), made(_c.perp_info)
        self._do(lib.perp_builder_create(ctypes.byref(self.builder), self._info))
        self.system_forms = [k.value._form(guard) for k in parts._system_kinds]
        self.relation_forms = [k.value._form(k.at, guard) for k in parts._relation_kinds]
        self.law_forms = [None if law.kind == "piecewise_linear" else LawForm(law, guard) for law in parts._laws]
        q, v, x = map(iter, (parts._q0, parts._v0, parts._x0))
        for i, k in enumerate(parts._systems):
            self._do(lib.perp_builder_add(self.builder, _c.perp_system.from_address(self.system_forms[k].head),
                                          None, None, self._info))
            if parts._system_kinds[k].order == 1:
                self._set(lib.perp_builder_set_x, i, next(x))
            else:
                self._set(lib.perp_builder_set_q, i, next(q))
                self._set(lib.perp_builder_set_v, i, next(v))
        self.rows = np.zeros(len(parts._interactions) + 1, dtype=int)
        for i, interaction in enumerate(parts._interactions):
            self._connect(interaction)
            pieces = self.pieces(i)
            m = parts._relation_kinds[interaction.relation].m if pieces is None else pieces.relation.m
            self.rows[i + 1] = self.rows[i] + m
        if parts._pool is not None:
            self._describe_pool(parts._pool)
        self.c = lib.perp_builder_model(self.builder)
        self._do(guard.call(lib.perp_model_check, self.c, self._info))

    def __del__(self) -> None:
        lib.perp_builder_destroy(self.builder)

    def _do(self, status: int) -> None:
        check(status, self._what, self._info)

    def _set(self, function: Any, system: int, values: Array) -> None:
        self._do(function(self.builder, system, values.size, values.ctypes.data, self._info))

    def _connect(self, i: _Interaction) -> None:
        systems, law = np.array(i.systems, dtype=np.int32), self.law_forms[i.law]
        c = _c.perp_interaction(systems=systems.ctypes.data, n_systems=systems.size)
        c.relation = ctypes.pointer(_c.perp_relation.from_address(self.relation_forms[i.relation].head))
        if law is None:
            self._do(lib.perp_builder_connect_graph(self.builder, c, graph(self.parts._laws[i.law]), None, None,
                                                    self._info))
        else:
            c.law = law.pointer
            self._do(lib.perp_builder_connect(self.builder, c, None, None, None, self._info))

    def pieces(self, interaction: int) -> Any:
        """Those of an interaction whose law is a graph."""
        pointer = lib.perp_builder_pieces(self.builder, interaction)
        return pointer.contents if pointer else None

    def _describe_pool(self, pool: ContactPool) -> None:
        self.pool_laws = [LawForm(law, self.guard) for law in pool.laws]  # type: ignore[union-attr]
        self.pool_heads = np.array([law.head for law in self.pool_laws], dtype=np.uintp)
        self.pool_callbacks = Callbacks(self.guard, {})
        parts, find = self.parts, pool.find

        def body(t: float, sim: int, out: int, user: Any) -> int:
            search = ContactSearch(t, sim, out, parts)
            try:
                find(search)
            finally:
                search._sim = 0  # C's writer ends with this call
            return 0
        self.pool = made(_c.perp_contact_pool, capacity=pool.capacity, max_per_system=pool.max_per_system,
                         plane=int(pool.plane), n_laws=len(self.pool_laws), laws=self.pool_heads.ctypes.data,
                         find=self.pool_callbacks.guarded(_c.perp_find_fn, body))
        self._do(lib.perp_builder_pool(self.builder, self.pool, None, None, self._info))

    def whole(self, interaction: int, name: str, data: int, pieces_lambda: int, mechanical: bool) -> Array:
        """y, ydot or lambda of an interaction with a graph, put together from its pieces; a copy."""
        pieces = self.pieces(interaction)
        m = self.parts._relation_kinds[self.parts._interactions[interaction].relation].m
        if name == "y" and mechanical:
            return copied(data, pieces.relation.m)[::pieces.relation.m // m].copy()
        out = np.zeros(m)
        reads = None if name == "lambda_" else data
        check(lib.perp_piecewise_relation_values(pieces, reads, pieces_lambda,
                                                 None if name == "lambda_" else out.ctypes.data,
                                                 out.ctypes.data if name == "lambda_" else None),
              "piecewise_linear")
        return out
