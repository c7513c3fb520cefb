"""Models of containers of the C++ library and of Thrust: their methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.containers.chosen_constructors import constructor_of
from hgrd.host.containers.copies import assign, assigned, construct, resize, swap_containers
from hgrd.host.containers.elements import (
    OWNERS,
    begin_with,
    elements_of,
    end_of,
    forget_elements,
    is_container,
    size_of,
    target_of,
)
from hgrd.host.containers.kept_patterns import element_name
from hgrd.host.containers.moves import is_moved
from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.library.lists import listed
from hgrd.host.linking.library_names import adds_elements, holds_numbers, is_range_access, of_container
from hgrd.host.memory.array_contents import ELEMENTS, patterns_of, record_patterns
from hgrd.host.memory.pointer_origins import named_in
from hgrd.host.memory.unknowns import direct_targets
from hgrd.program.expressions import Call
from hgrd.program.layout import are_numbers
from hgrd.program.types import ArrayType, IntType, OpaqueType, PointerType, Record, RecordType, Type
from hgrd.symbolic.execution.calls import may_enter, run
from hgrd.symbolic.execution.constructors import copying_constructor
from hgrd.symbolic.memory.lvalues import load
from hgrd.symbolic.pointers import move
from hgrd.symbolic.polynomials import constant_difference, divided
from hgrd.symbolic.state import Generation, Region
from hgrd.symbolic.values import OPAQUE, Pointer, Value, pointed_to
from hgrd.terms import add, const, eq, mul
from hgrd.terms.term import Term

_SIZES: Final = ("size", "ssize")
_REMOVING: Final = ("erase", "pop_back", "pop_front", "clear", "reserve", "shrink_to_fit")


def adds_element(call: LibraryCall) -> bool:
    """Whether a call is `push_back` or its like; if so, the provenance of the new element is recorded."""
    if not adds_elements(call.call.function):
        return False
    elements, value = elements_of(call), call.argument(len(call.arguments) - 1)
    call.run.provenance.objects.record_store(call.machine, call.state, elements or OPAQUE, value or OPAQUE, call.span)
    begin_with(call, elements, value, len(call.arguments) - 1, adds=True)
    if isinstance(elements, Pointer) and value is not None:
        loops = call.run.trace.inside
        binder = loops[-1].binder if loops else None
        which = str(call.span) if loops else call.machine.names.unique(call.name)
        call.run.origins.record_added(call.machine, elements.target, value, binder, which)
    return True


def removes_elements(call: Call) -> bool:
    """Whether a call is `erase` or its like, which stores nothing new: what is left was there before."""
    return call.function.name in _REMOVING and of_container(call.function.qualified)


def container_model(qualified: str) -> LibraryModel | None:
    """The model of a member function of a container; None: it has no model."""
    owner, _, name = qualified.rpartition("::")
    if owner.startswith("std::initializer_list"):
        return listed
    if is_range_access(qualified):
        return _accessed
    if not of_container(qualified):
        return None
    if owner.rpartition("::")[2].partition("<")[0] == name:
        return construct
    return _METHODS.get(name)


def copies_numbers(call: Call, records: Mapping[str, Record]) -> bool:
    """Whether a call is of a member function that changes only the elements of its container.

    That has numbers as elements, or records of numbers alone.
    """
    match call.arguments[0].type if call.arguments else None:
        case PointerType(to=OpaqueType(name=name)):
            numbers = holds_numbers(name) or are_numbers(RecordType(element_name(name)), records)
            own = name.startswith(OWNERS) and numbers
        case _:
            return False
    return own and call.function.name != "swap" and not any(map(is_moved, call.arguments))


def _accessed(call: LibraryCall) -> Value | None:
    """`std::begin(c)` and its like: what the method of that name gives (C++ [iterator.range])."""
    name = call.name
    match call.arguments, call.type_of(0):
        case (Pointer() as first,), PointerType(to=ArrayType(count=int() as count) as array):
            if name in _SIZES:
                return const(count)
            size = call.machine.size(array)
            return (None if size is None else move(first, const(size))) if name in ("end", "cend") else first
        case (Pointer(),), PointerType(to=container) if is_container(container):
            return _METHODS["size" if name in _SIZES else name](call)
        case _:
            return None


def _push_back(call: LibraryCall) -> Value | None:
    """A value becomes the last element of a container."""
    value, type_ = call.argument(1), call.type_of(1)
    type_ = type_.to if isinstance(type_, PointerType) and type_.reference else type_
    place = None if type_ is None else _place_at_end(call, type_)
    if place is None or value is None or type_ is None:
        return None
    moves = is_moved(call.call.arguments[1])
    made = copying_constructor(call.machine, type_, moves=moves) if isinstance(type_, RecordType) else None
    if made is None:
        call.store_at(place, value, type_)
    elif may_enter(call.machine, made, (place, call.arguments[1])):
        run(call.machine, call.state, made, (place, call.arguments[1]), call.span)
    else:
        return None
    return _one_more(call, place, value)


def _place_at_end(call: LibraryCall, type_: Type) -> Pointer | None:
    """Where the next element of a container comes; None: it is not known."""
    start, count, width = elements_of(call), size_of(call), call.machine.size(type_)
    if not isinstance(start, Pointer) or width is None or not isinstance(count, Term):
        return None
    return Pointer(start.target, mul(count, const(width))) if start.target.key.endswith(ELEMENTS) else None


def _one_more(call: LibraryCall, place: Pointer, value: Value) -> Value:
    """Counts the element that has been made at a place."""
    count = size_of(call)
    assert isinstance(count, Term)
    call.run.origins.record_written(direct_targets(call.arguments[:1]), named_in(value), adds=True)
    kept = patterns_of(call.state, place.target)
    call.store_at(call.arguments[0], add(count, const(1)), IntType(64, False))
    record_patterns(call.state, place.target, kept)
    return OPAQUE


def _emplace_back(call: LibraryCall) -> Value | None:
    """As `push_back`, of what needs no conversion (C++ [vector.modifiers]: the new element is returned); or of a class,
    by its constructor.
    """
    match call.call.type, call.type_of(1):
        case PointerType(to=element), PointerType(to=given) if len(call.arguments) == 2 and _is_made_of(element, given):
            return None if _push_back(call) is None else _back(call)
        case PointerType(to=RecordType() as element), _:
            return _made_at_end(call, element)
        case _:
            return None


def _made_at_end(call: LibraryCall, class_: RecordType) -> Value | None:
    """The new last element, after its constructor ran; None: it knows where it is."""
    machine, state = call.machine, call.state
    here = Pointer(machine.temporary("element", class_, call.span), const(0))
    place, constructor = _place_at_end(call, class_), constructor_of(call, class_, 1)
    if place is None or constructor is None or not may_enter(machine, constructor[0], (here, *constructor[1])):
        return None
    run(machine, state, constructor[0], (here, *constructor[1]), call.span)
    made = load(machine, state, here, class_, call.span)
    if here.target in pointed_to(made):
        return None
    call.store_at(place, made, class_)
    _one_more(call, place, made)
    return place


def _is_made_of(element: Type, given: Type) -> bool:
    """Whether an element is the number or pointer that it is made of, or a smart pointer to what that leads to."""
    smart = isinstance(element, OpaqueType) and element.name.startswith(("std::unique_ptr<", "std::shared_ptr<"))
    same = isinstance(element, IntType | PointerType) and element == given
    return same or (smart and isinstance(given, PointerType))


def _clear(call: LibraryCall) -> Value | None:
    """No elements are left."""
    elements, target = elements_of(call), target_of(call)
    if target is None or not isinstance(elements, Pointer) or not elements.target.key.endswith(ELEMENTS):
        return None
    call.state.store[elements.target.key] = Region({}, Generation())
    call.store_at(call.arguments[0], const(0), IntType(64, False))
    return OPAQUE


def _erase(call: LibraryCall) -> Value | None:
    """`erase(first, end())`: what is before stays, and nothing is left behind."""
    if len(call.arguments) != 3:
        return None
    elements, first, last, end = elements_of(call), *call.arguments[1:], end_of(call)
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    match elements, first, last, end:
        case Pointer(target=own), Pointer(offset=at), Pointer(offset=to), Pointer(offset=all_) if size is not None:
            left = divided(at, size) if constant_difference(to, all_) == 0 and own.key.endswith(ELEMENTS) else None
        case _:
            return None
    if left is None or first.target != own:
        return None
    kept = patterns_of(call.state, own)
    call.store_at(call.arguments[0], left, IntType(64, False))
    record_patterns(call.state, own, kept)
    return first


def _back(call: LibraryCall) -> Value | None:
    """The last element."""
    end = end_of(call)
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    return move(end, const(-size)) if isinstance(end, Pointer) and size is not None else call.unknown()


def _fill(call: LibraryCall) -> Value | None:
    """`fill(value)` of a `std::array`."""
    elements, value = elements_of(call), call.argument(1)
    if not isinstance(elements, Pointer) or value is None:
        return None
    begin_with(call, elements, value, 1)
    call.run.provenance.objects.record_remade((elements.target,), call.span)
    forget_elements(call.state, call.arguments[:1])
    return OPAQUE


def _element(call: LibraryCall) -> Value | None:
    start, index = elements_of(call), call.number(1)
    if index is const(0):
        return start
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    if not isinstance(start, Pointer) or index is None or size is None:
        return None
    return Pointer(start.target, mul(index, const(size)))


def _same(call: LibraryCall) -> Value | None:
    """raw_pointer_cast, device_pointer_cast."""
    value = call.argument(0)
    return value if isinstance(value, Pointer) else None


def _empty(call: LibraryCall) -> Value | None:
    """Whether there are no elements."""
    count = size_of(call)
    return eq(count, const(0)) if isinstance(count, Term) else call.unknown()


def _look(call: LibraryCall) -> Value | None:
    """A method that changes nothing: its result is unknown."""
    return call.unknown()


_METHODS: Final[Mapping[str, LibraryModel]] = {
    "swap": swap_containers,
    "size": size_of,
    "length": size_of,
    "push_back": _push_back,
    "emplace_back": _emplace_back,
    "fill": _fill,
    "resize": resize,
    "assign": assign,
    "operator=": assigned,
    "data": elements_of,
    "front": elements_of,
    "begin": elements_of,
    "cbegin": elements_of,
    "end": end_of,
    "cend": end_of,
    "operator[]": _element,
    "at": _element,
    "raw_pointer_cast": _same,
    "device_pointer_cast": _same,
    "empty": _empty,
    "capacity": _look,
    "reserve": _look,
    "c_str": _look,
    "back": _back,
    "clear": _clear,
    "erase": _erase,
}
