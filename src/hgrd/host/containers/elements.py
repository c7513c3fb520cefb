"""Elements of containers: how many there are, and the object that they are in.

A container is opaque; its object has cells at offset 0, the number of elements, and at 8, their address (if another
container had them first), at BEGUN_WITH what all of them begin with, where that is known, and at COPIED what leads to
copies of them.  Those from offset BEGIN on are elements that it begins with.  These and the copies go to the object
with the elements when that is used first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeGuard

from msgspec.structs import replace

from hgrd.host.containers.kept_patterns import copied
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.memory.array_contents import ELEMENTS, SHARED_ELEMENTS, record_patterns
from hgrd.host.memory.unknowns import direct_targets
from hgrd.program.types import OpaqueType, PointerType, Type
from hgrd.symbolic.pointers import move
from hgrd.symbolic.state import EMPTY, INITIAL, ConditionKind, Generation, Region, State
from hgrd.symbolic.values import Cell, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Symbol, const, le, mul, var
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
    target = target_of(call)
    if target is None:
        return None
    if (count := fixed_count(target.element)) is not None:
        return const(count)
    region = call.state.store.get(target.key, EMPTY)
    cell = region.cells.get(0)
    if cell is not None and isinstance(cell.value, Term):
        call.state.assume(le(const(0), cell.value), ConditionKind.VALUE, call.span)
        return cell.value
    name = call.machine.names.of((target.key, region.generation, "size"), f"{target.name}.size()")
    return var(Symbol(name, 0, _MOST, Origin.INPUT))


def elements_of(call: LibraryCall) -> Value | None:
    """The address of the elements (one object for all containers of an array of containers)."""
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
    member = f"+{at.value}" if at.is_const and at.value else ""
    key = f"{target.key}{ELEMENTS}" if alone else f"{target.key}{member}{SHARED_ELEMENTS}"
    count, width = fixed_count(target.element), None if element is None else call.machine.size(element)
    size = const(count * width) if alone and count is not None and width is not None else None
    elements = MemoryObject(key, target.name, space, element, size, target.span, external=True)
    call.run.provenance.containers.setdefault(key, (elements, call.call.arguments[0]))
    if not alone:
        call.run.origins.record_load(target, INITIAL, at, Pointer(elements, const(0)))
    begun = {o: c for o, c in call.state.store.get(target.key, EMPTY).cells.items() if o >= BEGIN} if alone else {}
    fills = copied(call.state, target) if alone else ()
    if (begun or fills) and key not in call.state.store:
        call.state.store[key] = Region(shifted(begun, -BEGIN), Generation())
        record_patterns(call.state, elements, fills)
    return Pointer(elements, const(0))


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
    for target in direct_targets(tuple(values)):
        for suffix in (ELEMENTS, SHARED_ELEMENTS):
            if f"{target.key}{suffix}" in state.store:
                state.store[f"{target.key}{suffix}"] = Region({}, Generation())


def become_unknown(call: LibraryCall, target: MemoryObject, elements: Value | None, cells: Mapping[int, Cell]) -> None:
    """A container, of which nothing else is known then than these cells, holds something else where it has held it."""
    address = {o: c for o, c in call.state.store.get(target.key, EMPTY).cells.items() if o == ADDRESS}
    call.state.store[target.key] = Region({**cells, **address}, Generation())
    forget_elements(call.state, call.arguments[:1])
    if isinstance(elements, Pointer):
        call.state.store[elements.target.key] = Region({}, Generation())
