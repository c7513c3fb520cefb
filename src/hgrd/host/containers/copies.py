"""Containers that begin as copies of others, are assigned to, and take over the elements of others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from msgspec.structs import replace

from hgrd.host.containers.elements import (
    ADDRESS,
    BEGIN,
    CELL,
    are_own,
    become_unknown,
    begin_with,
    elements_of,
    fixed_count,
    from_argument,
    is_container,
    shifted,
    size_of,
    target_of,
    width_of,
)
from hgrd.host.containers.kept_patterns import (
    COPIED,
    copied,
    element_name,
    elements_between,
    holds_integers,
    keep_patterns,
    kept_copy,
    patterns_between,
)
from hgrd.host.containers.made_elements import made_elements
from hgrd.host.containers.moves import is_moved
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.linking.library_names import holds_numbers
from hgrd.host.memory.array_contents import BEGUN_WITH, ELEMENTS, patterns_of, record_patterns
from hgrd.host.memory.given_pointers import held_in, sources_of
from hgrd.host.memory.pointer_origins import IN
from hgrd.program.types import POINTER_SIZE, ArrayType, IntType, OpaqueType, PointerType, Type
from hgrd.symbolic.names import hidden
from hgrd.symbolic.state import EMPTY, Generation, Region
from hgrd.symbolic.values import (
    OPAQUE,
    Cell,
    Composite,
    MemoryObject,
    NullValue,
    Pointer,
    PointerValue,
    Value,
)
from hgrd.terms import as_int, const
from hgrd.terms.term import Term

_LIST: Final = "std::initializer_list"


def construct(call: LibraryCall) -> Value | None:
    """`vector(n)`, `vector(n, value)`, and copies."""
    here, source = target_of(call), _listed(call, call.arguments[1]) if len(call.arguments) > 1 else None
    match source:
        case _ if here is None:
            return None
        case Term() if len(call.arguments) == 2 and (made := made_elements(call, here, as_int(source))) is not None:
            return made
        case Term() if len(call.arguments) <= 3:
            return Composite({0: Cell(as_int(source), CELL)} | _all_alike(call), CELL, _holding(call, _in_fill(call)))
        case Pointer(target=target) if target.element == here.element and is_moved(call.call.arguments[-1]):
            return _taken(call, target)
        case Pointer(target=target) if _are_alike(target.element, here.element) and len(call.arguments) == 2:
            return Composite(_copy_of(call, target), CELL, _holding(call, {IN + target.key}))
        case Pointer(target=MemoryObject(element=ArrayType(count=int() as count)) as array):
            listed = call.state.store.get(array.key, EMPTY).cells
            return Composite({0: Cell(const(count), CELL)} | shifted(listed, BEGIN), CELL)
        case Pointer() as first if len(call.arguments) >= 3:
            cells = _range_of(call, here, first) | _as_in(call, first.target.key)
            return Composite(cells, CELL, _holding(call, {IN + first.target.key}))
        case NullValue() if source is not call.argument(1):  # an empty list
            return Composite({0: Cell(const(0), CELL)}, CELL)
        case None if len(call.arguments) == 1 and (count := _fixed(call)) is not None:
            return made_elements(call, here, const(count)) or Composite({}, CELL)
        case None if len(call.arguments) == 1:
            return Composite({0: Cell(const(0), CELL)}, CELL)
        case _:
            return Composite({}, CELL)


def _fixed(call: LibraryCall) -> int | None:
    """The number of elements of a new `std::array`; None: of another container."""
    type_ = call.type_of(0)
    return fixed_count(type_.to) if isinstance(type_, PointerType) else None


def _listed(call: LibraryCall, source: Value) -> Value:
    """The array behind a `std::initializer_list`, or what else a container is made of."""
    match source:
        case Pointer(target=MemoryObject(element=OpaqueType(name=name)) as target) if name.startswith(_LIST):
            cell = call.state.store.get(target.key, EMPTY).cells.get(0)
            return source if cell is None else cell.value
        case Composite(cells=cells) if 0 in cells and getattr(call.type_of(1), "name", "").startswith(_LIST):
            return cells[0].value
        case _:
            return source


def _are_alike(one: Type | None, other: Type | None) -> bool:
    """Whether two containers have elements of one type."""
    match one, other:
        case OpaqueType(name=a), OpaqueType(name=b):
            return one == other or (
                is_container(one) and is_container(other) and element_name(a) == element_name(b) != ""
            )
        case _:
            return one == other


def _copy_of(call: LibraryCall, source: MemoryObject) -> dict[int, Cell]:
    """The cells of a new container that begins as a copy of another one, the argument 1."""
    state, known = call.state, call.state.store.get(source.key, EMPTY).cells
    count = {o: c for o, c in known.items() if o == 0}
    elements = elements_of(from_argument(call, 1))
    fills = patterns_of(state, elements.target) if isinstance(elements, Pointer) else ()
    copy = kept_copy(state, call.machine.names, source.name, fills, call.span)
    return count | _pointers_of(call, source) | _as_in(call, f"{source.key}{ELEMENTS}") | copy


def _range_of(call: LibraryCall, here: MemoryObject, first: Pointer) -> dict[int, Cell]:
    """The cells of a new container that begins as a copy of the elements from `first` to the argument 2."""
    last, type_ = call.arguments[2], call.type_of(1)
    element = type_.to if isinstance(type_, PointerType) else None
    size = None if element is None else call.machine.size(element)
    if not isinstance(last, Pointer) or size is None or call.type_of(2) != type_:
        return {}
    count = elements_between(first, last, size)
    if count is None:
        return {}
    owner = here.element.name if isinstance(here.element, OpaqueType) else ""
    alike = isinstance(element, IntType) and holds_integers(owner, element)
    fills = patterns_between(call.state, first, last) if alike else ()
    return {0: Cell(count, CELL)} | kept_copy(call.state, call.machine.names, first.target.name, fills, call.span)


def _all_alike(call: LibraryCall) -> dict[int, Cell]:
    """What all elements of a new container begin with: a value that is given, or 0."""
    value = call.argument(2) if len(call.arguments) > 2 else const(0)
    return {BEGUN_WITH: Cell(as_int(value), width_of(call, 2))} if isinstance(value, Term) else {}


def _in_fill(call: LibraryCall) -> set[str]:
    """Names for the pointers in a value that all elements of a new container get."""
    value, type_ = call.argument(2), call.type_of(2)
    given = () if value is None else ((value, type_),)
    inside = held_in(call.arguments[2:3]) if isinstance(type_, PointerType) and type_.reference else set[str]()
    return sources_of(call.state, given, call.run.text.of_callbacks) | inside


def _holding(call: LibraryCall, names: set[str]) -> str | None:
    """The name of an object that holds pointers, as a new container does; None: it holds none."""
    here = target_of(call)
    numbers = here is not None and isinstance(here.element, OpaqueType) and holds_numbers(here.element.name)
    if not names or numbers:
        return None
    return call.run.origins.record_object(call.machine.names.unique(hidden("vector")), names).origin


def _as_in(call: LibraryCall, key: str) -> dict[int, Cell]:
    """What all elements of a new container begin with that is made of what an object holds."""
    found = call.run.provenance.beginnings.common(key, call.state.path)
    return {} if found is None else {BEGUN_WITH: Cell(*found)}


def _pointers_of(call: LibraryCall, container: MemoryObject) -> dict[int, Cell]:
    """The known elements of a container that are pointers, for one that begins as its copy."""
    elements = elements_of(from_argument(call, 1))
    known = call.state.store.get(elements.target.key) if isinstance(elements, Pointer) else None
    if known is None:
        return {o: c for o, c in call.state.store.get(container.key, EMPTY).cells.items() if o >= BEGIN}
    return shifted({o: c for o, c in known.cells.items() if isinstance(c.value, PointerValue)}, BEGIN)


def resize(call: LibraryCall) -> Value | None:
    target, count = target_of(call), call.number(1)
    if target is None or count is None:
        return None
    value = call.argument(2) if len(call.arguments) > 2 else const(0)
    adds, elements = call.name == "resize" and size_of(call) is not const(0), elements_of(call)
    begin_with(call, elements, value, 2, adds=adds)
    become_unknown(call, target, elements, {0: Cell(count, CELL)})
    return call.unknown()


def assign(call: LibraryCall) -> Value | None:
    """`assign(first, last)`: what the container has held is replaced by a copy; and `assign(n, value)`."""
    here, elements = target_of(call), elements_of(call)
    first = call.arguments[1] if len(call.arguments) == 3 else None
    if not isinstance(first, Pointer):
        return resize(call)
    if (
        here is None
        or not is_container(here.element)
        or not are_own(elements)
        or not isinstance(call.type_of(1), PointerType)
    ):
        return None
    return _becomes(call, here, elements, _range_of(call, here, first), first)


def assigned(call: LibraryCall) -> Value | None:
    """`operator=`: the container holds a copy of what another one holds, or takes that over."""
    here, elements = target_of(call), elements_of(call)
    source = call.arguments[1] if len(call.arguments) == 2 else None
    if here is None or not isinstance(source, Pointer) or not are_own(elements):
        return None
    if not is_container(here.element) or not _are_alike(source.target.element, here.element):
        return None
    if is_moved(call.call.arguments[1]):
        taken = _taken(call, source.target) if source.target.element == here.element else None
        if taken is not None:
            call.state.store[here.key] = Region(taken.cells, Generation())
        return None if taken is None else call.arguments[0]
    others = elements_of(from_argument(call, 1))
    return None if not are_own(others) else _becomes(call, here, elements, _copy_of(call, source.target), others)


def _becomes(
    call: LibraryCall, here: MemoryObject, elements: Pointer, cells: Mapping[int, Cell], source: Pointer
) -> Value:
    """The elements of a container are replaced by what a new one with these cells, a copy of `source`, begins with."""
    by_name = partial(call.run.provenance.names.program_made, call.call.arguments[1])
    call.run.provenance.objects.record_copy(elements, source, by_name)
    begun, beginnings = cells.get(BEGUN_WITH), call.run.provenance.beginnings
    if begun is None:
        beginnings.record_copy(call.state, elements, source, None, call.span)
    else:
        beginnings.record_fill(call.state, elements, begun.value, None, call.span, begun.size)
    become_unknown(call, here, elements, {o: c for o, c in cells.items() if o in (0, COPIED)})
    fills = copied(call.state, here)
    begins = shifted({o: c for o, c in cells.items() if o >= BEGIN}, -BEGIN)
    call.state.store[elements.target.key] = Region(begins, Generation())
    record_patterns(call.state, elements.target, fills)
    return call.arguments[0]


def swap_containers(call: LibraryCall) -> Value | None:
    """`u.swap(v)` and `std::swap(u, v)`: each has the elements of the other one."""
    one, other = target_of(call), target_of(from_argument(call, 1))
    a, b = elements_of(call), elements_of(from_argument(call, 1))
    if one is None or other is None or not isinstance(a, Pointer) or not isinstance(b, Pointer):
        return None
    if not (is_container(one.element) and is_container(other.element)):
        return None
    if not (a.target.key.endswith(ELEMENTS) and b.target.key.endswith(ELEMENTS)):
        return None
    for elements in (a, b):
        keep_patterns(call.state, elements.target)
    regions = [call.state.store.get(t.key, EMPTY) for t in (one, other)]
    for target, region, address in ((one, regions[1], b), (other, regions[0], a)):
        count = {o: c for o, c in region.cells.items() if o == 0}
        call.state.store[target.key] = Region({**count, ADDRESS: Cell(address, POINTER_SIZE)}, Generation())
        call.run.provenance.given_away.add(target.key)
    return OPAQUE


def _taken(call: LibraryCall, source: MemoryObject) -> Composite | None:
    """The value of a container that takes over the elements of another one, which has new ones then; None: unknown."""
    elements = elements_of(from_argument(call, 1))
    if not isinstance(elements, Pointer) or not elements.target.key.endswith(ELEMENTS):
        return None
    call.run.provenance.given_away.add(source.key)
    count = {o: c for o, c in call.state.store.get(source.key, EMPTY).cells.items() if o == 0}
    keep_patterns(call.state, elements.target)
    key = f"{call.machine.names.unique(hidden(source.name))}{ELEMENTS}"
    left = Pointer(replace(elements.target, key=key), const(0))
    call.state.store[source.key] = Region({ADDRESS: Cell(left, POINTER_SIZE)}, Generation())
    return Composite({**count, ADDRESS: Cell(elements, POINTER_SIZE)}, 2 * CELL)
