"""Known contents of arrays (array patterns), from the loop that fills an array to the launch.

A pattern stands in the region of its object, and a store to the object makes a region without it.  This module treats
other ways to change memory: other names of it, copies, kernels, and unknown code.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hgrd.host.linking.kernel_effects import ModSets
from hgrd.host.memory.pointer_tables import table_of
from hgrd.program.types import OpaqueType, RecordType
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.memory.lvalues import SHARED_SPACES, forget, reachable
from hgrd.symbolic.state import EMPTY, Region, State
from hgrd.symbolic.values import (
    Choice,
    Composite,
    FloatValue,
    FunctionValue,
    MemoryObject,
    NullValue,
    Pointer,
    Value,
)
from hgrd.terms import Term, add, sub

_MOST_PARTS: Final = 4  # array patterns that one object keeps when a part of it is overwritten
_HANDLES: Final = ("CU", "cu", "_IO_FILE", "FILE")
_DESCRIBE: Final = "Descr"  # ends the names of what cuSPARSE knows arrays by
ELEMENTS: Final = ".data"  # ends the key of the elements of a container; what is before it tells where that is
BEGUN_WITH: Final = 16  # a container has a cell at this offset with a number that all its elements begin with
SHARED_ELEMENTS: Final = ".elements"  # … of all the containers in an object, where there may be more than one


def key_of_elements(container: Pointer) -> str:
    """The key of the elements of a container, of which it is known where in an object it is."""
    at = container.offset
    member = f"+{at.value}" if at.is_const and at.value else ""
    return f"{container.target.key}{member}{ELEMENTS}"


def container_with(key: str) -> tuple[str, int]:
    """The key of the object with the container that has the elements with a key, and where in it that begins."""
    place = key.removesuffix(ELEMENTS).removesuffix(SHARED_ELEMENTS)
    owner, _, at = place.rpartition("+")
    return (owner, int(at)) if owner and at.isdigit() else (place, 0)


def patterns_of(state: State, target: MemoryObject) -> tuple[ArrayPattern, ...]:
    """The array patterns of an object that hold now."""
    fills = state.store.get(target.key, EMPTY).patterns
    return tuple(f for f in fills if f.owner is None or f.owner is _container(state, target))


def record_patterns(state: State, target: MemoryObject, fills: tuple[ArrayPattern, ...]) -> None:
    """Records what a loop filled an object with, unless the object may have other names."""
    if _has_other_names(target):
        return
    owner = _container(state, target)
    region = state.store.get(target.key, EMPTY)
    state.store[target.key] = replace(region, patterns=tuple(replace(f, owner=owner) for f in fills))


def _has_other_names(target: MemoryObject) -> bool:
    return target.external and not target.key.endswith(ELEMENTS)


def _is_linked(target: MemoryObject) -> bool:
    """Whether an object holds elements of containers, which are reached through the object with these."""
    return target.key.endswith(SHARED_ELEMENTS)


def _is_handle(target: MemoryObject) -> bool:
    """Whether an object is a stream, an event, an open file: its contents belong to the library."""
    match target.element:
        case RecordType(key=name) | OpaqueType(name=name):
            plain = name.removeprefix("struct ")
            return plain.startswith(_HANDLES) and not plain.endswith(_DESCRIBE)
        case _:
            return False


def _container(state: State, target: MemoryObject) -> Region | None:
    if not target.key.endswith(ELEMENTS):
        return None
    return state.store.get(container_with(target.key)[0], EMPTY)


def drop_patterns(state: State, target: MemoryObject) -> None:
    """Drops the array patterns of an object (and of the elements of containers): anything may have been written."""
    for key in (target.key, *(elements.key for elements in state.elements.get(target.key, {}).values())):
        region = state.store.get(key)
        if region is not None and (region.patterns or region.stores is not None):
            state.store[key] = replace(region, patterns=(), stores=None)


def drop_all_patterns(state: State, besides: str = "") -> None:
    """Drops all array patterns, but for those of the object with the key `besides` ("": none)."""
    for key, region in list(state.store.items()):
        if key != besides and (region.patterns or region.stores is not None):
            state.store[key] = replace(region, patterns=(), stores=None)


def drop_reachable_patterns(state: State, values: tuple[Value, ...]) -> None:
    """Drops the array patterns of all objects that can be reached from the values."""
    found = reachable(state, values)
    if any(map(leads_anywhere, values)) or any(
        _has_other_names(t) and not (_is_handle(t) or _is_linked(t)) for t in found
    ):
        drop_all_patterns(state)
    for target in found:
        drop_patterns(state, target)


def leads_anywhere(value: Value) -> bool:
    """Whether it is unknown what can be reached from a value (a function may change anything when called)."""
    match value:
        case Pointer() | Term() | FloatValue() | NullValue():
            return False
        case Choice(then=a, otherwise=b):
            return leads_anywhere(a) or leads_anywhere(b)
        case Composite(cells=cells):
            return any(leads_anywhere(c.value) for c in cells.values())
        case _:
            return True


def drop_aliased_patterns(state: State, address: Value) -> None:
    """Drops the array patterns that a store to this address may invalidate under other names."""
    match address:
        case Pointer(target=target):
            if target.space in SHARED_SPACES:
                drop_patterns(state, target)
            elif _has_other_names(target):
                drop_all_patterns(state, besides=target.key)
        case NullValue() | FunctionValue():
            pass
        case _:
            drop_reachable_patterns(state, (address,))


def copied_patterns(state: State, to: Value, source: Value, size: Term | None) -> tuple[ArrayPattern, ...]:
    """The array patterns of the target after a copy of `size` bytes."""
    match to, source:
        case Pointer(offset=there), Pointer(target=target, offset=here) if size is not None:
            fills = patterns_of(state, target)
            if not fills and here.is_const:
                table = table_of(target, state.store.get(target.key, EMPTY).cells, here.value)
                fills = () if table is None else (table,)
            return tuple(f.moved(sub(there, here), here, add(here, size)) for f in fills)
        case _:
            return ()


def patterns_beside(state: State, to: Value, size: Term | None) -> tuple[ArrayPattern, ...]:
    """The array patterns of an object that hold after `size` bytes of it have been overwritten."""
    if not isinstance(to, Pointer) or size is None:
        return ()
    left = (f.beside_bytes(to.offset, size) for f in patterns_of(state, to.target))
    return tuple(f for f in left if f is not None)[-_MOST_PARTS:]


def record_patterns_at(state: State, to: Value, fills: tuple[ArrayPattern, ...]) -> None:
    """Records array patterns of an object that has just been written."""
    if isinstance(to, Pointer) and fills:
        record_patterns(state, to.target, fills)


def after_kernel(writes: ModSets, kernel: str, state: State, arguments: tuple[Value, ...]) -> list[MemoryObject]:
    """Drops what a kernel may have changed: what it reaches through its mod set, or anything.

    The result are the objects that it may have written, as far as its arguments lead to them.
    """
    through = writes.of(kernel)
    changed = arguments if through is None else tuple(a for i, a in enumerate(arguments) if i in through)
    if through is None:
        drop_all_patterns(state)
    written = reachable(state, changed)
    drop_reachable_patterns(state, changed)
    left_alone = {t.key for t in reachable(state, arguments)} - {t.key for t in written}
    for target in reachable(state, arguments):
        if target.space not in SHARED_SPACES and not (target.key in left_alone and patterns_of(state, target)):
            forget(state, target)
    return written
