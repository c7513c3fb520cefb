"""Pointers that the program hands to objects that hold many: whether two of these may hold the same one.

m["a"] = p; m["b"] = q;                               // each element of the map has its own
for (auto &lane : lanes) lane->weights = w;           // all lanes have one
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from itertools import combinations
from typing import Final

from msgspec import Struct, field

from hgrd.host.linking.library_names import LOOKING
from hgrd.host.memory.array_contents import ELEMENTS
from hgrd.host.memory.pointer_origins import ANYTHING, IN, PointerOrigins
from hgrd.host.memory.pointers_in_values import pointers_at, pointers_in
from hgrd.host.memory.stored_twice import Part, part_at
from hgrd.program.expressions import Call
from hgrd.program.types import VOID, ArrayType, OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import EMPTY, State
from hgrd.symbolic.values import OPAQUE, Composite, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Op, Origin, Symbol, Term, add, const
from hgrd.terms.linear import linear

_MOST: Final = 200  # stores of pointers to one object
_ADDING: Final = (  # one element
    "insert", "emplace", "push_back", "push_front", "emplace_back", "emplace_front", "push", "try_emplace",
    "insert_or_assign", "emplace_hint",
)  # fmt: skip
_SPREADING: Final = ("operator=", "copy", "copy_n", "copy_if", "fill", "fill_n", "generate", "transform", "replace")
_CONTAINERS: Final = frozenset(
    (
        "map", "multimap", "unordered_map", "unordered_multimap", "set", "multiset", "unordered_set", "list",
        "forward_list", "deque", "queue", "priority_queue", "stack", "vector", "array", "unordered_multiset",
    )
)  # fmt: skip
_NOT_SPREADING: Final = (*_CONTAINERS, "unique_ptr")  # see record_call; what one leads to is in no other one


class Handed(Struct, frozen=True):
    """A pointer to the byte `at` (None: unknown) of an object `to`, handed on `by` a call or a store to a place.

    `again`: iterations of a loop do that with the same pointer.  `part` is that of an element of the type `into`.
    `local` is the variable that holds the pointer then, "": it is none.
    """

    to: str
    at: Term | None
    by: str
    again: bool
    part: Part = Part(0, 0)
    into: Type | None = None
    local: str = ""


class HandedPointers(Struct):
    """The pointers that the program hands on, by the names of what holds them.

    `spread`: names of what may have got pointers otherwise, from others that hold them.
    """

    handed: dict[str, dict[Handed, None]] = field(default_factory=dict[str, "dict[Handed, None]"])
    spread: set[str] = field(default_factory=set[str])
    calls: int = 0

    def record_store(
        self, origins: PointerOrigins, machine: Machine, address: Value, value: Value, loops: tuple[Symbol, ...]
    ) -> None:
        """A value is stored at an address, in the iterations of loops with these numbers."""
        if machine.speculative:
            return
        for place in pointers_in(address):
            target = place.target
            if target.space is MemorySpace.LOCAL and not isinstance(target.element, ArrayType | RecordType):
                continue  # a variable, which holds one pointer, or an object of the library, which is known by its name
            anyone = ANYTHING in origins.may_be.get(target.key, ())
            for at, given in _given_in(origins, machine, value, loops):
                where = add(place.offset, const(at))
                self._put(
                    origins,
                    target,
                    Handed(
                        given.to,
                        given.at,
                        f"{target.key} + {where}",
                        given.again or anyone,
                        part_at(machine.records, target, where),
                        target.element,
                        target.key if target.space is MemorySpace.LOCAL else "",
                    ),
                )

    def record_call(
        self,
        origins: PointerOrigins,
        machine: Machine,
        state: State,
        function: str,
        arguments: Iterable[tuple[Value, Type]],
        loops: tuple[Symbol, ...],
        made: Iterable[str] = (),
    ) -> None:
        """A member function of a container, by its qualified name, gets its object and what this is given.

        `made` are names for what a constructor makes of that.
        """
        owner, _, name = function.rpartition("::")
        here, *given = [*arguments][:4] or [(OPAQUE, VOID)]
        holds_one = _is_value_of_program(owner, given)
        adds = (holds_one or owner.removeprefix("std::") in _CONTAINERS) and name not in (*LOOKING, "remove")
        if machine.speculative or not adds or not isinstance(here[0], Pointer):
            return
        self.calls += 1
        many = not holds_one and (name not in _ADDING or len(given) > 2)
        elements = [e for value, type_ in given for e in _elements_in(machine, state, value, type_)]
        for number, (value, type_) in enumerate(elements):
            for at, one in _given_in(origins, machine, value, loops):
                again = one.again or (many and len(elements) == 1)
                part = Part(at, machine.size(type_) or 0) if isinstance(type_, RecordType) else Part(0, 0)
                put = Handed(one.to, one.at, f"call {self.calls}, {number}", again, part, type_)
                self._put(origins, here[0].target, put)
                for made_by in made if owner.endswith(f"::{name}") else ():
                    self.handed.setdefault(_plain(made_by), {})[put] = None

    def record_spread(self, origins: PointerOrigins, call: Call, targets: Iterable[MemoryObject]) -> None:
        """A function of the library that is not followed writes to objects, perhaps what others hold, too."""
        owner = call.function.qualified.rpartition("::")[0]
        of_program = _is_value_of_program(owner, [(OPAQUE, a.type) for a in call.arguments[1:]])
        known = owner.removeprefix("std::") in _NOT_SPREADING or of_program
        if call.function.name in _SPREADING and not known:
            for target in targets:
                self.spread |= {_plain(n) for n in (origins.closed({target.key}) if target.external else {target.key})}

    def _put(self, origins: PointerOrigins, target: MemoryObject, handed: Handed) -> None:
        names = origins.closed({target.key}) if target.external else (target.key,)
        for name in names:
            self.handed.setdefault(_plain(name), {})[handed] = None

    def same(
        self,
        names: Iterable[str],
        objects: Set[str],
        class_: Type | None,
        places: tuple[Term, Term],
        may_be: Callable[[str], Set[str]],
    ) -> bool | None:
        """Whether one of these objects may be found at two places, where objects of these names hold pointers.

        The places are in objects of a class, None: of any; `may_be` has what a pointer that was found in memory may be.
        None: it is not known how the objects have come there.
        """
        parts = class_ if isinstance(class_, RecordType) else None
        held = {*map(_plain, names)}
        there = {h for name in held for h in self.handed.get(name, ())}
        handed = {h.to for h in there}
        there = {h for h in there if not h.local or h.local in handed}
        fitting = [h for h in there if parts is None or (h.into == parts and all(map(h.part.has, places)))]
        members = {(h.into, h.part) for h in fitting if h.to in objects}
        found = (h.to for h in fitting if h.to not in objects and (h.into, h.part) in members)
        again = (
            *(not _is_alone([h for h in fitting if h.to == name]) for name in objects),
            *(not objects.isdisjoint(may_be(name)) for name in found),
            bool(objects) and not self.spread.isdisjoint(held),
        )
        if any(again):
            return True
        return False if objects and objects <= handed else None


def hands_on(calls: frozenset[str]) -> bool:
    """Whether functions that add an element to a container are among these."""
    return any(call.rpartition("::")[2] in _ADDING for call in calls)


def _plain(name: str) -> str:
    return name.removeprefix(IN).removesuffix(ELEMENTS)


def _is_alone(group: list[Handed]) -> bool:
    """Whether no two of the pointers to one object are the same, as far as it is known."""
    if len(group) > _MOST or any(one.again for one in group):
        return not group
    return all(_differ(a, b) for a, b in combinations(group, 2))


def _differ(one: Handed, other: Handed) -> bool:
    if one.at is None or other.at is None:
        return one.by == other.by
    return one.by == other.by or (one.at.is_const and other.at.is_const and one.at != other.at)


def _given_in(
    origins: PointerOrigins, machine: Machine, value: Value, loops: tuple[Symbol, ...]
) -> Iterator[tuple[int, Handed]]:
    """The pointers in a value, with their offsets there."""
    index = machine.names.index
    for at, pointer in pointers_at(value):
        told = _numbered(pointer.offset)
        again = not all(s in told or index.get(pointer.target.key, -1) > index.get(s.name, -1) for s in loops)
        yield at, Handed(pointer.target.key, pointer.offset, "", again)
    if isinstance(value, Composite) and value.origin is not None:
        for name in origins.inside((value,)):
            again = not all(index.get(name, -1) > index.get(s.name, -1) for s in loops)
            yield 0, Handed(name, None, "", again)


def _elements_in(machine: Machine, state: State, value: Value, type_: Type) -> Iterator[tuple[Value, Type]]:
    """What an argument of a container's function gives to it: itself, or what it refers to, each element of a list."""
    if isinstance(value, Pointer) and isinstance(array := value.target.element, ArrayType) and _is_list(type_):
        size = machine.size(array.of)
        if not size:
            yield from ((cell.value, array.of) for cell in state.store.get(value.target.key, EMPTY).cells.values())
        for at in range(0, size * (array.count or 0), size) if size else ():
            yield from _elements_in(machine, state, move(value, const(at)), PointerType(array.of, reference=True))
        return
    if not isinstance(type_, PointerType) or not type_.reference or not isinstance(value, Pointer):
        yield value, type_
        return
    if isinstance(type_.to, OpaqueType) and type_.to.name.removeprefix("std::").partition("<")[0] in _CONTAINERS:
        return  # what is in there is known by its name
    cells = state.store.get(value.target.key, EMPTY).cells
    size = machine.size(type_.to)
    first = value.offset.value if value.offset.is_const else 0
    inside = {at - first: cell for at, cell in cells.items() if size is None or first <= at < first + size}
    if isinstance(type_.to, RecordType) or not inside:
        origin = None if isinstance(type_.to, RecordType) else value.target.key
        yield Composite(inside, size or 0, origin), type_.to
    else:
        yield from ((cell.value, type_.to) for cell in inside.values())


def _is_value_of_program(owner: str, given: Iterable[tuple[Value, Type]]) -> bool:
    """Whether an object that may hold one value gets one of a type of the program's, no other such object."""
    types = (t.to if isinstance(t, PointerType) and t.reference else t for _, t in given)
    return owner == "std::optional" and not any(isinstance(t, OpaqueType) for t in types)


def _is_list(type_: Type) -> bool:
    """Whether a value of a type is the address of the elements of an initializer list."""
    return isinstance(type_, PointerType) and isinstance(type_.to, ArrayType)


def _numbered(at: Term) -> frozenset[Symbol]:
    """The numbers of iterations in all of which an address is another one."""
    _, atoms = linear(at)
    numbers = {a.symbol: abs(n) for a, n in atoms.items() if a.op is Op.VAR and a.symbol.origin is Origin.LOOP}
    if len(numbers) < len(atoms):
        return frozenset()
    reach = 0
    for symbol, factor in sorted(numbers.items(), key=lambda item: item[1]):
        if factor <= reach:
            return frozenset()
        reach += factor * symbol.high
    return frozenset(numbers)
