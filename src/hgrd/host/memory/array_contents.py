"""What the elements of arrays are known to hold, from the loop that fills one to the launch.

A fill stands in the region of its object, and whatever makes a new region of that forgets it.  Here is what reaches
memory by other ways: other names of it, copies, kernels, and code that is not seen.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from hgrd.host.linking.kernel_effects import ModSets
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

_HANDLES: Final = ("CU", "cu", "_IO_FILE", "FILE")
_DESCRIBE: Final = "Descr"  # ends the names of what cuSPARSE knows arrays by
ELEMENTS: Final = ".data"  # ends the key of the elements of a container; what is before it is the container's
SHARED_ELEMENTS: Final = ".elements"  # … of all the containers in an object, where there may be more than one


def fills_of(state: State, target: MemoryObject) -> tuple[ArrayPattern, ...]:
    """What is known of an object now."""
    fills = state.store.get(target.key, EMPTY).patterns
    return tuple(f for f in fills if f.owner is None or f.owner is _container(state, target))


def fill(state: State, target: MemoryObject, fills: tuple[ArrayPattern, ...]) -> None:
    """Takes down what a loop has filled an object with, if it is known by no other name."""
    if _has_other_names(target):
        return
    owner = _container(state, target)
    region = state.store.get(target.key, EMPTY)
    state.store[target.key] = replace(region, patterns=tuple(replace(f, owner=owner) for f in fills))


def _has_other_names(target: MemoryObject) -> bool:
    return target.external and not target.key.endswith(ELEMENTS)


def _is_handle(target: MemoryObject) -> bool:
    """A stream, an event, an open file: what is behind such a pointer is the library's own."""
    match target.element:
        case RecordType(key=name) | OpaqueType(name=name):
            plain = name.removeprefix("struct ")
            return plain.startswith(_HANDLES) and not plain.endswith(_DESCRIBE)
        case _:
            return False


def _container(state: State, target: MemoryObject) -> Region | None:
    if not target.key.endswith(ELEMENTS):
        return None
    return state.store.get(target.key.removesuffix(ELEMENTS), EMPTY)


def lose(state: State, target: MemoryObject) -> None:
    """Anything may have been written to an object (and to the elements of a container), as far as fills go."""
    for key in (target.key, f"{target.key}{ELEMENTS}"):
        region = state.store.get(key)
        if region is not None and (region.patterns or region.stores is not None):
            state.store[key] = replace(region, patterns=(), stores=None)


def lose_all(state: State, besides: str = "") -> None:
    """Anything may have been written anywhere."""
    for key, region in list(state.store.items()):
        if key != besides and (region.patterns or region.stores is not None):
            state.store[key] = replace(region, patterns=(), stores=None)


def lose_behind(state: State, values: tuple[Value, ...]) -> None:
    """Anything may have been written to what can be reached from the values."""
    found = reachable(state, values)
    if any(map(leads_anywhere, values)) or any(_has_other_names(t) and not _is_handle(t) for t in found):
        lose_all(state)
    for target in found:
        lose(state, target)


def leads_anywhere(value: Value) -> bool:
    """Whether nobody knows what can be reached from a value (a function may change anything when it is called)."""
    match value:
        case Pointer() | Term() | FloatValue() | NullValue():
            return False
        case Choice(then=a, otherwise=b):
            return leads_anywhere(a) or leads_anywhere(b)
        case Composite(cells=cells):
            return any(leads_anywhere(c.value) for c in cells.values())
        case _:
            return True


def stored_at(state: State, address: Value) -> None:
    """A store is about to be made: what it may reach by another name, or by one of several, is lost."""
    match address:
        case Pointer(target=target):
            if target.space in SHARED_SPACES:
                lose(state, target)
            elif _has_other_names(target):
                lose_all(state, besides=target.key)
        case NullValue() | FunctionValue():
            pass
        case _:
            lose_behind(state, (address,))


def copied_fills(state: State, to: Value, source: Value, size: Term | None) -> tuple[ArrayPattern, ...]:
    """What will be known of one object when `size` bytes of another one have been copied there."""
    match to, source:
        case Pointer(offset=there), Pointer(target=target, offset=here) if size is not None:
            return tuple(f.moved(sub(there, here), here, add(here, size)) for f in fills_of(state, target))
        case _:
            return ()


def keep(state: State, to: Value, fills: tuple[ArrayPattern, ...]) -> None:
    """Takes down what is known of an object that has just been written."""
    if isinstance(to, Pointer) and fills:
        fill(state, to.target, fills)


def after_kernel(writes: ModSets, kernel: str, state: State, arguments: tuple[Value, ...]) -> list[MemoryObject]:
    """A kernel has run: it may have written what it reaches through some of its parameters, or anything.

    The objects that it may have written, as far as its arguments lead to them.
    """
    through = writes.of(kernel)
    changed = arguments if through is None else tuple(a for i, a in enumerate(arguments) if i in through)
    if through is None:
        lose_all(state)
    written = reachable(state, changed)
    lose_behind(state, changed)
    left_alone = {t.key for t in reachable(state, arguments)} - {t.key for t in written}
    for target in reachable(state, arguments):
        if target.space not in SHARED_SPACES and not (target.key in left_alone and fills_of(state, target)):
            forget(state, target)
    return written
