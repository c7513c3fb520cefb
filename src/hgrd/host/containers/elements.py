"""Elements of containers: how many there are, and the object that they are in.

A container is opaque; from where it begins, its object has cells at offset 0, the number of elements, and at 8, their
address (if another container had them first), at BEGUN_WITH what all of them begin with, where that is known, and at
COPIED what leads to copies of them.  Those from offset BEGIN on are elements that it begins with.  These and the copies
go to the object with the elements when that is used first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeGuard

from msgspec.structs import replace

from hgrd.host.containers.kept_patterns import copied
from hgrd.host.execution.library_call import SIZE, LibraryCall
from hgrd.host.execution.run_state import HostRunState
from hgrd.host.linking.library_names import holds_numbers
from hgrd.host.memory.array_contents import ELEMENTS, SHARED_ELEMENTS, key_of_elements, record_patterns
from hgrd.host.memory.pointers_in_values import pointers_in
from hgrd.host.memory.unknowns import forget_given
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type
from hgrd.symbolic.memory.lvalues import forget, read_cells
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import EMPTY, INITIAL, ConditionKind, Generation, Region, State
from hgrd.symbolic.values import Cell, Composite, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Symbol, as_int, const, le, mul, var
from hgrd.terms.term import Term

OWNERS: Final = (  # other containers are views of elements that have other names
    "std::vector", "std::array", "std::basic_string<", "std::string::", "thrust::device_vector", "thrust::host_vector",
    "thrust::universal_vector",
)  # fmt: skip
_MOST = (1 << 40) - 1
CELL = 8
ADDRESS: Final = 8
BEGIN: Final = 1 << 20
_FIXED: Final = re.compile(r"std::array<.*, (\d+)>")


def is_container(type_: Type | None) -> bool:
    """Whether objects of a type are containers that own their elements."""
    return isinstance(type_, OpaqueType) and type_.name.startswith(OWNERS)


def fixed_count(type_: Type | None) -> int | None:
    """The number of elements of a `std::array<T, N>`; None: another type."""
    found = _FIXED.fullmatch(type_.name) if isinstance(type_, OpaqueType) else None
    return int(found[1]) if found is not None else None


def target_of(call: LibraryCall) -> MemoryObject | None:
    here = call.arguments[0] if call.arguments else None
    return here.target if isinstance(here, Pointer) else None


def from_argument(call: LibraryCall, index: int) -> LibraryCall:
    """The call of a method of what the argument with this index leads to."""
    expressions = call.call.arguments[index:]
    return replace(call, arguments=call.arguments[index:], call=replace(call.call, arguments=expressions))


def width_of(call: LibraryCall, index: int) -> int:
    """The size of an argument, or of what it is a reference to."""
    type_ = call.type_of(index)
    type_ = type_.to if isinstance(type_, PointerType) else type_
    return 1 if type_ is None else call.machine.size(type_) or 1


def begin_with(
    call: LibraryCall, elements: Value | None, value: Value | None, index: int, *, adds: bool = False
) -> None:
    """All elements of a container hold a value, the argument with this index; `adds`: or some of them."""
    if isinstance(elements, Pointer):
        width = width_of(call, index)
        call.run.provenance.beginnings.record_fill(call.state, elements, value, None, call.span, width, adds=adds)


def shifted(cells: Mapping[int, Cell], by: int) -> dict[int, Cell]:
    return {at + by: cell for at, cell in cells.items()}


def are_own(elements: Value | None) -> TypeGuard[Pointer]:
    return isinstance(elements, Pointer) and elements.target.key.endswith(ELEMENTS)


def size_of(call: LibraryCall) -> Value | None:
    here = call.arguments[0] if call.arguments else None
    if not isinstance(here, Pointer):
        return None
    target, at = here.target, here.offset
    if (count := fixed_count(target.element)) is not None:
        return const(count)
    if not at.is_const:
        return _size_at(call, here)
    region = call.state.store.get(target.key, EMPTY)
    cell = region.cells.get(at.value)
    if cell is not None and isinstance(cell.value, Term):
        call.state.assume(le(const(0), cell.value), ConditionKind.VALUE, call.span)
        return cell.value
    name = call.machine.names.of((target.key, region.generation, "size", at.value), f"{target.name}.size()")
    return var(Symbol(name, 0, _MOST, Origin.INPUT))


def _size_at(call: LibraryCall, here: Pointer) -> Term:
    """The number of elements of one of many containers in an object."""
    found = read_cells(call.machine, call.state, here, SIZE)
    if not isinstance(found, Term):
        return var(Symbol(call.machine.names.unique(f"{here.target.name}.size()"), 0, _MOST, Origin.INPUT))
    call.state.assume(le(const(0), as_int(found)), ConditionKind.VALUE, call.span)
    return as_int(found)


def elements_of(call: LibraryCall) -> Value | None:
    """The address of the elements (one object for all containers of an array of containers).

    A container that is a variable, or a member of one, has its own; others may share theirs.
    """
    here = call.arguments[0] if call.arguments else None
    if not isinstance(here, Pointer):
        return None
    target, at = here.target, here.offset
    moved = call.state.store.get(target.key, EMPTY).cells.get(at.value + ADDRESS) if at.is_const else None
    if moved is not None and isinstance(moved.value, Pointer):
        return moved.value
    owner = target.element.name if isinstance(target.element, OpaqueType) else call.call.function.qualified
    space = MemorySpace.GLOBAL if "device_vector" in owner else MemorySpace.HOST
    element: Type | None = call.call.type.to if isinstance(call.call.type, PointerType) else None
    alone = at is const(0) and is_container(target.element) and not target.external
    alone = alone and not _has_given_away(call, target)
    own = alone or (at.is_const and isinstance(target.element, RecordType) and not target.external)
    key = key_of_elements(here)
    key = key if own else f"{key.removesuffix(ELEMENTS)}{SHARED_ELEMENTS}"
    count, width = fixed_count(target.element), None if element is None else call.machine.size(element)
    size = const(count * width) if alone and count is not None and width is not None else None
    elements = MemoryObject(key, target.name, space, element, size, target.span, external=True)
    call.run.provenance.containers.setdefault(key, (elements, call.call.arguments[0]))
    call.state.elements.setdefault(target.key, {})[at.value if at.is_const else None] = elements
    if own:
        call.run.origins.elements.add(key)
    if not alone:
        call.run.origins.record_load(target, INITIAL, at, Pointer(elements, const(0)))
    begun = {o: c for o, c in call.state.store.get(target.key, EMPTY).cells.items() if o >= BEGIN} if alone else {}
    fills = copied(call.state, target) if alone else ()
    if (begun or fills) and key not in call.state.store:
        call.state.store[key] = Region(shifted(begun, -BEGIN), Generation())
        record_patterns(call.state, elements, fills)
    call.state.store.setdefault(key, EMPTY)  # so that it is seen when it changes
    return Pointer(elements, const(0))


def begin_container(state: State, address: Value, value: Value, type_: Type) -> None:
    """A container that is a variable or a member of one begins: with the elements that are known, and no older ones."""
    match address, value, type_:
        case Pointer(target=target, offset=at), Composite(cells=cells), OpaqueType(name=name) if (
            name.startswith(OWNERS) and at.is_const and (at is const(0) or isinstance(target.element, RecordType))
        ):
            key = key_of_elements(Pointer(target, at))
        case _:
            return
    begun = {} if target.external or "device_vector" in name else {o - BEGIN: c for o, c in cells.items() if o >= BEGIN}
    if begun:
        elements = MemoryObject(key, target.name, MemorySpace.HOST, None, None, target.span, external=True)
        state.elements.setdefault(target.key, {})[at.value] = elements
    if begun or key in state.store:
        state.store[key] = Region(begun, Generation())


def has_numbers(run: HostRunState, elements: MemoryObject) -> bool:
    """Whether an object has the elements of a container of numbers: no pointers stand there."""
    known = run.provenance.containers.get(elements.key)
    match None if known is None else known[1].type:
        case PointerType(to=OpaqueType(name=name)):
            return elements.key.endswith(ELEMENTS) and holds_numbers(name)
        case _:
            return False


def _has_given_away(call: LibraryCall, container: MemoryObject) -> bool:
    """Whether another container may have the elements that this one had first: it has others then, or the same."""
    return container.key in call.run.provenance.given_away


def end_of(call: LibraryCall) -> Value | None:
    """The address after the last element; unknown where the size of an element is."""
    start, count = elements_of(call), size_of(call)
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    if not isinstance(start, Pointer) or not isinstance(count, Term) or size is None:
        return call.unknown()
    return move(start, mul(count, const(size)))


def forget_elements(state: State, values: Iterable[Value]) -> None:
    """Code that is not followed may have changed the elements of containers."""
    for target in elements_in(state, values):
        forget(state, target)


def elements_in(state: State, values: Iterable[Value]) -> list[MemoryObject]:
    """The objects with the elements of the containers that values lead to, and of those in the objects that they do."""
    return [target for value in values for place in pointers_in(value) for target in _elements_at(state, place)]


def _elements_at(state: State, container: Pointer) -> list[MemoryObject]:
    """The objects with the elements of a container, or of all the containers in an object."""
    at, known = container.offset, state.elements.get(container.target.key, {})
    own = known.get(at.value) if at.is_const else None
    alone = at is not const(0) or is_container(container.target.element)  # at 0 an object begins, and its first member
    return [own] if own is not None and alone else list(known.values())


def become_unknown(call: LibraryCall, target: MemoryObject, elements: Value | None, cells: Mapping[int, Cell]) -> None:
    """A container, of which nothing else is known then than these cells, holds something else where it has held it."""
    here = call.arguments[0]
    if isinstance(here, Pointer) and not (here.offset is const(0) and is_container(target.element)):
        _part_becomes_unknown(call, here, cells)
    else:
        address = {o: c for o, c in call.state.store.get(target.key, EMPTY).cells.items() if o == ADDRESS}
        call.state.store[target.key] = Region({**cells, **address}, Generation())
    forget_elements(call.state, call.arguments[:1])
    if isinstance(elements, Pointer):
        forget(call.state, elements.target)


def _part_becomes_unknown(call: LibraryCall, here: Pointer, cells: Mapping[int, Cell]) -> None:
    """As `become_unknown`, of a container that is a member or an element of an object: what is beside it stays."""
    at = here.offset.value + ADDRESS if here.offset.is_const else None
    address = {o: c for o, c in call.state.store.get(here.target.key, EMPTY).cells.items() if o == at}
    forget_given(call.machine, call.state, ((here, call.call.arguments[0].type),))
    for offset, cell in cells.items():
        call.store_at(move(here, const(offset)), cell.value, SIZE)
    region = call.state.store.get(here.target.key, EMPTY)
    call.state.store[here.target.key] = replace(region, cells={**region.cells, **address})
