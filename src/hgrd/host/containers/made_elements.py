"""Elements that a default constructor of the program makes: `std::vector<T> v(n)`, `std::array<T, 8> a`.

Where the library makes objects of a class at places that are not known (`std::pair<T, T> p`, `optional.emplace()`), its
constructor runs as often as may be on objects of their own, which tell what those may lead to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from hgrd.host.containers.chosen_constructors import constructor_of
from hgrd.host.containers.elements import ADDRESS, BEGIN, CELL, elements_of, is_container, shifted
from hgrd.host.containers.kept_patterns import element_name
from hgrd.host.execution.library_call import LibraryCall
from hgrd.host.memory.array_contents import ELEMENTS
from hgrd.host.memory.pointer_origins import IN
from hgrd.host.memory.unknowns import between
from hgrd.program.expressions import Construct
from hgrd.program.types import POINTER_SIZE, OpaqueType, PointerType, RecordType
from hgrd.symbolic.execution.calls import may_enter
from hgrd.symbolic.execution.construction import construct_each
from hgrd.symbolic.execution.constructors import (
    construct_by,
    constructed_type,
    constructors_of,
    default_constructor,
    members_made,
)
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.names import hidden
from hgrd.symbolic.state import Generation, Region
from hgrd.symbolic.values import Cell, Composite, MemoryObject, MemorySpace, Pointer, pointed_to
from hgrd.terms import const
from hgrd.terms.term import Term

_MOST_KNOWN: Final = 16  # elements of which each is known
_MOST_MADE: Final = (1 << 31) - 1
_BY_PARTS: Final = ("std::pair", "std::tuple", "std::variant", "std::array", "std::optional", "std::any")
_SMART: Final = ("std::unique_ptr", "std::shared_ptr")  # whose objects are followed
_SIZED: Final = ("std::deque", "std::list", "std::forward_list")
_PARTS: Final = re.compile(r"[<>,]")


def made_inside(call: LibraryCall) -> set[str]:
    """Names for what objects hold that a library may make inside the object that it makes, or that it is called for."""
    types = (call.call.type, call.type_of(0) if call.arguments else None)
    holders = [t.to if isinstance(t, PointerType) else t for t in types]
    names = [t.name for t in holders if isinstance(t, OpaqueType) and _makes_inside(call, t.name)]
    parts = {part.strip() for name in names for part in _PARTS.split(name)}
    return {IN + key for name in sorted(parts) for key in _made_somewhere(call, RecordType(name))}


def _makes_inside(call: LibraryCall, holder: str) -> bool:
    """Whether a call may make objects of the program's classes inside an object of a class of the library."""
    owner, _, held = holder.partition("<")
    if members_made(call.machine, call.arguments):
        return False
    class_ = RecordType(element_name(holder))
    if owner == "std::array" and default_constructor(call.machine, class_) is not None:
        return False
    if owner == "std::vector" and call.name == "emplace_back" and constructor_of(call, class_, 1) is not None:
        return False
    if constructed_type(call.arguments) is not None:
        return owner in _BY_PARTS or (owner in _SIZED and len(call.arguments) == 2)
    if owner in _SMART:
        return call.name.startswith("make_") and held.removesuffix(">").removesuffix("[]") not in call.machine.records
    return call.name.startswith(("make_", "emplace"))


def _made_somewhere(call: LibraryCall, class_: RecordType) -> Iterator[str]:
    """The keys of new objects of a class, of unknown number, made by each constructor that may be meant."""
    given = len(call.arguments) - (0 if call.name.startswith("make_") else 1)
    source = [PointerType(class_, reference=True)]
    for constructor in constructors_of(call.machine, class_):
        takes = [p.type for p in constructor.parameters[1:]]
        if len(takes) - constructor.defaults > given or takes == source or not may_enter(call.machine, constructor, ()):
            continue
        key = call.machine.names.unique(hidden("made"))
        target = MemoryObject(key, "made", MemorySpace.HOST, class_, None, call.span, exact=True)
        call.state.store[key] = Region({}, Generation(), undefined=True)
        each = construct_by(constructor, class_, call.span)
        count = between(call.machine, "count", 0, _MOST_MADE)
        construct_each(call.machine, call.state, each, Pointer(target, const(0)), count)
        yield key


def made_elements(call: LibraryCall, here: MemoryObject, count: Term) -> Composite | None:
    """A new container of `count` elements that their constructor has made; None: the program has none for them."""
    match call.type_of(0):
        case PointerType(to=OpaqueType(name=name)) if "device_vector" not in name:
            type_ = RecordType(element_name(name))
        case _:
            return None
    constructor = default_constructor(call.machine, type_)
    if constructor is None or not may_enter(call.machine, constructor, ()):
        return None
    each = construct_by(constructor, type_, call.span)
    place = call.arguments[0]
    if isinstance(place, Pointer) and place.offset is const(0) and is_container(here.element):
        return _made_in_row(call, each, count)
    return _made_in_place(call, each, count)


def _made_in_place(call: LibraryCall, each: Construct, count: Term) -> Composite | None:
    """The container with elements that are where those of a member are; None: where that is is not known."""
    first = elements_of(replace(call, call=replace(call.call, type=PointerType(each.type))))
    if not isinstance(first, Pointer) or first.target.key not in call.run.origins.elements:
        return None
    call.state.store[first.target.key] = Region({}, Generation(), undefined=True)
    construct_each(call.machine, call.state, each, first, count)
    return Composite({0: Cell(count, CELL)}, CELL)


def _made_in_row(call: LibraryCall, each: Construct, count: Term) -> Composite:
    """The container with its elements if they are few, or with their address, which they may know."""
    key = f"{call.machine.names.unique(hidden('elements'))}{ELEMENTS}"
    elements = MemoryObject(key, "elements", MemorySpace.HOST, each.type, None, call.span, exact=True)
    call.state.store[key] = Region({}, Generation(), undefined=True)
    first = Pointer(elements, const(0))
    construct_each(call.machine, call.state, each, first, count)
    cells = _known(call, each, first, count)
    if cells is not None:
        del call.state.store[key]
        return Composite({0: Cell(count, CELL)} | shifted(cells, BEGIN), CELL)
    call.run.origins.elements.add(key)
    return Composite({0: Cell(count, CELL), ADDRESS: Cell(first, POINTER_SIZE)}, 2 * CELL)


def _known(call: LibraryCall, each: Construct, first: Pointer, count: Term) -> dict[int, Cell] | None:
    """What a few elements hold; None: they are many, or know where they are."""
    size = call.machine.size(each.type)
    if size is None or not count.is_const or count.value > _MOST_KNOWN:
        return None
    cells: dict[int, Cell] = {}
    for number in range(count.value):
        at = const(number * size)
        made = load(call.machine, call.state, replace(first, offset=at), each.type, call.span)
        if not isinstance(made, Composite) or first.target in pointed_to(made):
            return None
        cells |= shifted(made.cells, at.value)
    return cells
