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
from dataclasses import dataclass, field
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


@dataclass
class _Expansion:
    """A graph over a relation, taken apart."""

    relation: Any
    graph: Any
    memory: Array
    inner_m: int = 0
    kept: list[Any] = field(default_factory=list)


class CModel:
    """The C description of a model for the call `what`, made anew for each simulation, for it keeps
    what callbacks throw."""

    def __init__(self, what: str, parts: Model, guard: Guard):
        self.parts, self.guard = parts, guard
        self.system_forms = [k.value._form(guard) for k in parts._system_kinds]
        self.relation_forms = [k.value._form(k.at, guard) for k in parts._relation_kinds]
        self.law_forms = [None if law.kind == "piecewise_linear" else LawForm(law, guard) for law in parts._laws]
        self.expansions: dict[tuple[int, int], _Expansion] = {}
        self.systems = np.array([self.system_forms[k].head for k in parts._systems] or [0], dtype=np.uintp)
        joined = np.array([s for i in parts._interactions for s in i.systems] or [0], dtype=np.int32)
        count = len(parts._interactions)
        self.interactions = (_c.perp_interaction * max(count, 1))()
        base, at = ctypes.addressof(self.interactions), 0
        self.rows = np.zeros(count + 1, dtype=int)
        for k, i in enumerate(parts._interactions):
            c = self.interactions[k]
            relation, law = self._relation_and_law(i)
            c.relation = ctypes.cast(relation, ctypes.POINTER(_c.perp_relation))
            c.law = ctypes.cast(law, ctypes.POINTER(_c.perp_law))
            c.systems = joined.ctypes.data + 4 * at
            c.n_systems = len(i.systems)
            at += len(i.systems)
            self.rows[k + 1] = self.rows[k] + c.relation.contents.m
        self.pointers = np.array([base + k * ctypes.sizeof(_c.perp_interaction) for k in range(count)] or [0],
                                 dtype=np.uintp)
        self.joined = joined
        self.q0, self.v0, self.x0 = (np.concatenate(a) if a else np.zeros(1) for a in
                                     (parts._q0, parts._v0, parts._x0))
        self.sizes = [sum(map(len, a)) for a in (parts._q0, parts._v0, parts._x0)]
        self.c = made(_c.perp_model, n_systems=len(parts._systems), n_interactions=count,
                      systems=self.systems.ctypes.data, interactions=self.pointers.ctypes.data,
                      q0=self.q0.ctypes.data, v0=self.v0.ctypes.data, x0=self.x0.ctypes.data)
        if parts._pool is not None:
            self._describe_pool(parts._pool)
        info = made(_c.perp_info)
        check(guard.call(lib.perp_model_check, self.c, info), what, info)

    def _relation_and_law(self, i: _Interaction) -> tuple[int, int]:
        law = self.law_forms[i.law]
        if law is not None:
            return self.relation_forms[i.relation].head, law.head
        apart = self._take_apart(i)
        return ctypes.addressof(apart.relation), \
            ctypes.addressof(apart.relation) + _c.perp_piecewise_relation.pieces.offset

    def _take_apart(self, i: _Interaction) -> _Expansion:
        found = self.expansions.get((i.relation, i.law))
        if found is not None:
            return found
        inner = ctypes.cast(self.relation_forms[i.relation].head, ctypes.POINTER(_c.perp_relation))
        c_graph = graph(self.parts._laws[i.law])
        memory = np.zeros(lib.perp_piecewise_relation_memory(inner, c_graph) // 8 + 1)
        relation = _c.perp_piecewise_relation()
        info = made(_c.perp_info)
        check(lib.perp_piecewise_relation_init(relation, ctypes.sizeof(relation), inner, c_graph,
                                               memory.ctypes.data, memory.nbytes, info), "piecewise_linear", info)
        found = _Expansion(relation, c_graph, memory, inner.contents.m)
        self.expansions[(i.relation, i.law)] = found
        return found

    def expansion(self, interaction: int) -> Optional[_Expansion]:
        """The pieces of an interaction whose law is a graph."""
        if not self.expansions:
            return None
        i = self.parts._interactions[interaction]
        return self.expansions.get((i.relation, i.law))

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
        self.c.pool = ctypes.pointer(self.pool)

    def whole(self, interaction: int, name: str, data: int, pieces_lambda: int, mechanical: bool) -> Array:
        """y, ydot or lambda of an interaction with a graph, put together from its pieces; a copy."""
        apart = self.expansion(interaction)
        assert apart is not None
        m, total = apart.inner_m, apart.relation.relation.m
        if name == "y" and mechanical:
            return copied(data, total)[::total // m].copy()
        out = np.zeros(m)
        reads = None if name == "lambda_" else data
        check(lib.perp_piecewise_relation_values(apart.relation, reads, pieces_lambda,
                                                 None if name == "lambda_" else out.ctypes.data,
                                                 out.ctypes.data if name == "lambda_" else None),
              "piecewise_linear")
        return out
