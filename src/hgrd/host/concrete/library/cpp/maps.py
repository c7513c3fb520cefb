"""Models of `std::map` and `std::unordered_map` in the concrete run, as far as keys are numbers or addresses.

A map is a container of pairs, in the order in which they came; where that matters, the run stops.  An iterator is the
address of its pair.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model, pointee_of
from hgrd.host.concrete.library.cpp.elements import keep, own_type
from hgrd.host.concrete.library.cpp.records import construct, constructor_of
from hgrd.host.concrete.library.cpp.smart_pointers import is_smart_pointer
from hgrd.host.concrete.library.cpp.texts import compared_texts
from hgrd.host.concrete.state.memory import copied, forget, own_copy
from hgrd.host.concrete.state.values import NULL, UNKNOWN, Container, Null, Object, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type, VoidType

_MAPS: Final = ("std::map", "std::unordered_map")
_ITERATOR: Final = re.compile(r"std::(__map|__hash_map|_Rb_tree|__detail::_Node)\w*iterator\b")
_PAIR: Final = 1 << 20
_VALUE: Final = 4096  # from the beginning of a pair, where its key stands
_END: Final = -_PAIR
_MEMBERS: Final = {"first": 0, "second": _VALUE}
_MOST: Final = 1 << 12  # pairs
_WITH_KEY: Final = 2
_WITH_VALUE: Final = 3


def map_model(function: FunctionRef) -> Model | None:
    """The model of a member of a map, or of its iterators; None: of another function."""
    owner, _, name = function.qualified.rpartition("::")
    if owner in _MAPS:
        return _constructed if name == owner.rpartition("::")[2] else _METHODS.get(name, _stops)
    if _ITERATOR.match(owner):
        return _pair if name in ("operator->", "operator*") else _stops
    return _compared if name in ("operator==", "operator!=") else None


def _map(call: LibraryCall) -> Container:
    place = call.pointer(0)
    cell = None if place.offset is None else place.target.cells.get(place.offset)
    if cell is None or not isinstance(cell.value, Container) or cell.value.count is None:
        raise StoppedError
    return cell.value


def _constructed(call: LibraryCall) -> Value | None:
    new = Container(Object(call.pointer(0).target.name), 0, _PAIR)
    if len(call.arguments) > 1:
        source = call.pointer(1)
        cell = None if source.offset is None else source.target.cells.get(source.offset)
        if cell is None or not isinstance(cell.value, Container) or "EOS" in call.function.key:
            raise StoppedError
        new = copied(cell.value)
    keep(call.pointer(0), new, own_type(call))
    return UNKNOWN


def _key(call: LibraryCall) -> Value:
    """The key that a call is given."""
    key = call.value(1)
    if isinstance(key, Pointer) and key.offset is not None:
        return key
    if isinstance(key, int | Null):
        return key
    raise StoppedError


def _found(container: Container, key: Value) -> Pointer | None:
    """The pair of a key."""
    for index in range(container.count or 0):
        cell = container.elements.cells.get(index * _PAIR)
        if cell is None:
            raise StoppedError
        if _are_equal(cell.value, key):
            return Pointer(container.elements, index * _PAIR)
    return None


def _are_equal(one: Value, other: Value) -> bool:
    if isinstance(one, Pointer) and isinstance(other, Pointer):
        return one.target is other.target and one.offset == other.offset
    return one == other


def _added(call: LibraryCall, container: Container, key: Value) -> Pointer:
    """A new pair for a key, whose value is not there yet."""
    index = container.count or 0
    if index >= _MOST:
        raise StoppedError
    here = Pointer(container.elements, index * _PAIR)
    call.store(here, key, call.pointee(1) or call.types[1])
    container.count = index + 1
    return here


def _value_of(pair: Pointer) -> Pointer:
    return Pointer(pair.target, (pair.offset or 0) + _VALUE)


def _element(call: LibraryCall) -> Value | None:
    """operator[](key)."""
    container, key = _map(call), _key(call)
    found = _found(container, key)
    if found is not None:
        return _value_of(found)
    place, type_ = _value_of(_added(call, container, key)), pointee_of(call.returns)
    if type_ is None:
        raise StoppedError
    _begin(call, place, type_)
    return place


def _begin(call: LibraryCall, place: Pointer, type_: Type) -> None:
    """Makes a value as it is without arguments."""
    match type_:
        case OpaqueType() if is_smart_pointer(type_):
            call.store(place, NULL, type_)
        case OpaqueType(name=name) if name.startswith("std::vector"):
            keep(place, Container(Object("elements"), 0), type_)
        case RecordType():
            constructor = constructor_of(call.machine, type_, 1)
            if constructor is None:
                raise StoppedError
            construct(call, constructor, place, len(call.arguments))
        case OpaqueType() | VoidType():
            raise StoppedError
        case PointerType():
            call.store(place, NULL, type_)
        case _:
            call.store(place, 0, type_)


def _at(call: LibraryCall) -> Value | None:
    found = _found(_map(call), _key(call))
    if found is None:
        raise StoppedError
    return _value_of(found)


def _find(call: LibraryCall) -> Value | None:
    container = _map(call)
    return _found(container, _key(call)) or Pointer(container.elements, _END)


def _end(call: LibraryCall) -> Value | None:
    return Pointer(_map(call).elements, _END)


def _put(call: LibraryCall) -> Value | None:
    """emplace(key, value), try_emplace(key, value), insert_or_assign(key, value)."""
    container, key = _map(call), _key(call)
    type_ = call.pointee(2) if len(call.arguments) == _WITH_VALUE else None
    if type_ is None or isinstance(type_, OpaqueType):
        raise StoppedError
    found = _found(container, key)
    if found is None or call.function.name == "insert_or_assign":
        call.store(_value_of(found or _added(call, container, key)), own_copy(call.value(2)), type_)
    return UNKNOWN


def _count(call: LibraryCall) -> Value | None:
    """count(key), contains(key)."""
    return int(_found(_map(call), _key(call)) is not None)


def _size(call: LibraryCall) -> Value | None:
    return _map(call).count


def _empty(call: LibraryCall) -> Value | None:
    return int(_map(call).count == 0)


def _clear(call: LibraryCall) -> Value | None:
    container = _map(call)
    forget(container.elements)
    container.count = 0
    return UNKNOWN


def _iterator(call: LibraryCall, index: int) -> Pointer:
    """The iterator that an argument is the address of."""
    place = call.pointer(index)
    cell = None if place.offset is None else place.target.cells.get(place.offset)
    if cell is None or not isinstance(cell.value, Pointer):
        raise StoppedError
    return cell.value


def _pair(call: LibraryCall) -> Value | None:
    """What an iterator leads to: a pair, the members of which stand where the program takes them to be."""
    found, type_ = _iterator(call, 0), pointee_of(call.returns)
    record = call.machine.records.get(type_.name) if isinstance(type_, OpaqueType) else None
    if found.offset is None or found.offset < 0 or record is None:
        raise StoppedError
    moved = {member.offset - _MEMBERS[member.name] for member in record.fields if member.name in _MEMBERS}
    if len(moved) != 1:
        raise StoppedError
    return Pointer(found.target, found.offset - moved.pop())


def _compared(call: LibraryCall) -> Value | None:
    """Whether two iterators, or texts, are equal, or differ; None: of other objects."""
    types = [call.pointee(0), call.pointee(1)] if len(call.arguments) == _WITH_KEY else []
    if not types or not all(isinstance(t, OpaqueType) and _ITERATOR.match(t.name) for t in types):
        return compared_texts(call)
    return int(_are_equal(_iterator(call, 0), _iterator(call, 1)) == (call.function.name == "operator=="))


def _stops(call: LibraryCall) -> Value | None:
    """Any other member."""
    raise StoppedError


_METHODS: Final[Mapping[str, Model]] = {
    "operator[]": _element,
    "at": _at,
    "find": _find,
    **dict.fromkeys(("end", "cend"), _end),
    **dict.fromkeys(("emplace", "try_emplace", "insert_or_assign"), _put),
    **dict.fromkeys(("count", "contains"), _count),
    "size": _size,
    "empty": _empty,
    "clear": _clear,
}
