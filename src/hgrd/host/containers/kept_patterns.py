"""Elements of containers of the C++ library and of Thrust: what they are by the name of a class, and copies of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from hgrd.host.memory.array_contents import copied_patterns, patterns_of
from hgrd.program.span import Span
from hgrd.program.types import IntType
from hgrd.symbolic.array_patterns import ArrayPattern
from hgrd.symbolic.names import Names, hidden
from hgrd.symbolic.polynomials import as_term, difference, divided
from hgrd.symbolic.state import EMPTY, Generation, Region, State
from hgrd.symbolic.values import Cell, MemoryObject, MemorySpace, Pointer
from hgrd.terms import Term, const, sub

COPIED: Final = 24  # a container has a cell at this offset that leads to what all its elements are copies of
_ARGUMENT: Final = re.compile(r"[\w:]+<(?:const )?([\w: ]+?)[,>]")
_INTEGERS: Final = {
    "char": IntType(8, True), "signed char": IntType(8, True), "unsigned char": IntType(8, False),
    "short": IntType(16, True), "unsigned short": IntType(16, False), "int": IntType(32, True),
    "unsigned int": IntType(32, False), "long": IntType(64, True), "unsigned long": IntType(64, False),
    "long long": IntType(64, True), "unsigned long long": IntType(64, False),
}  # fmt: skip


def element_name(container: str) -> str:
    """The type of the elements of a container, as the name of its class says it; "" if it is no plain name."""
    found = _ARGUMENT.match(container)
    return "" if found is None else found[1]


def holds_integers(container: str, type_: IntType) -> bool:
    """Whether the elements of a container are certainly integers of a type, going by the name of its class."""
    return _INTEGERS.get(element_name(container)) == type_


def kept_copy(state: State, names: Names, name: str, fills: Iterable[ArrayPattern], span: Span) -> dict[int, Cell]:
    """The cell of a new container whose elements are filled as these patterns say; {} if there are none."""
    known = tuple(replace(fill, owner=None) for fill in fills)
    if not known:
        return {}
    copy = MemoryObject(names.unique(hidden(name)), name, MemorySpace.HOST, None, None, span)
    state.store[copy.key] = Region({}, Generation(), patterns=known)
    return {COPIED: Cell(Pointer(copy, const(0)), 8)}


def keep_patterns(state: State, elements: MemoryObject) -> None:
    """Elements go to another container: what is known of them does not depend on the one that they come from."""
    known = tuple(replace(fill, owner=None) for fill in patterns_of(state, elements))
    state.store[elements.key] = replace(state.store.get(elements.key, EMPTY), patterns=known)


def copied(state: State, container: MemoryObject) -> tuple[ArrayPattern, ...]:
    """What a container that has not been used since it was made says of its elements."""
    cell = state.store.get(container.key, EMPTY).cells.get(COPIED)
    return patterns_of(state, cell.value.target) if cell is not None and isinstance(cell.value, Pointer) else ()


def elements_between(first: Pointer, last: Pointer, size: int) -> Term | None:
    """The number of elements in [first, last); None: they are not of one object, or no whole number."""
    if first.target != last.target:
        return None
    return divided(as_term(difference(last.offset, first.offset)), size)


def patterns_between(state: State, first: Pointer, last: Pointer) -> tuple[ArrayPattern, ...]:
    """The patterns of a copy of the elements in [first, last)."""
    size = sub(last.offset, first.offset)
    return copied_patterns(state, Pointer(first.target, const(0)), first, size)
