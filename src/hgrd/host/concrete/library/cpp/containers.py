"""Models of containers of the C++ library and of Thrust in the concrete run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model
from hgrd.host.concrete.library.cpp.elements import (
    FIXED,
    OWNERS,
    container_at,
    element_at,
    element_type,
    extend,
    forget_elements,
    inner_container,
    keep,
    of_range,
    own_type,
    prepare,
)
from hgrd.host.concrete.library.cpp.records import construct, constructor_of
from hgrd.host.concrete.library.cpp.smart_pointers import is_smart_pointer
from hgrd.host.concrete.library.cpp.threads import added_thread, is_thread
from hgrd.host.concrete.state.memory import clear, copied, copy_bytes, forget, load, own_copy, stored_type
from hgrd.host.concrete.state.values import UNKNOWN, Container, Object, Parts, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import ArrayType, OpaqueType, PointerType, RecordType, Type

LOOKING: Final = ("operator[]", "at", "size", "data", "begin", "end", "front", "back", "empty", "get")
"""Members that do not change how many elements there are."""
_HANDLE: Final = 1  # bytes that a smart pointer, or a thread, counts as
_COPY: Final = 2
_RANGE: Final = 3
_OF_RECORDS: Final = re.compile(r"std::(?:vector|array)<(.+?)(?:, \d+)?>$")
_MOST_MADE: Final = 256


def container_model(function: FunctionRef) -> Model | None:
    """The model of a member of a container; None: of another class.  Members without a model may change all."""
    owner, _, name = function.qualified.rpartition("::")
    if owner not in OWNERS:
        return None
    if owner.rpartition("::")[2] == name:
        return _construct
    return _METHODS.get(name, forget_elements)


def _construct(call: LibraryCall) -> Value | None:
    place, type_ = call.pointer(0), own_type(call)
    elements = Object(place.target.name)
    new = Container(elements, 0)
    source = call.arguments[1] if len(call.arguments) > 1 else None
    fixed = FIXED.match(type_.name) if isinstance(type_, OpaqueType) else None
    if source is None:
        new.count = 0 if fixed is None else int(fixed[1])
    elif isinstance(source, int) and len(call.arguments) <= _RANGE:
        new.count, new.fill = source, 0
        if len(call.arguments) == _RANGE:
            new.fill, new.fill_type = call.value(2), call.pointee(2) or call.types[2]
    elif isinstance(source, Pointer) and len(call.arguments) == _COPY:
        new = _made_of(call, source)
    elif isinstance(source, Pointer) and len(call.arguments) == _RANGE:
        new = of_range(call)
    else:
        new.count = None
    keep(place, new, type_)
    if source is None or (isinstance(source, int) and len(call.arguments) == _COPY):
        _make_elements(call, new, type_)
    return UNKNOWN


def _make_elements(call: LibraryCall, container: Container, type_: Type) -> None:
    """Has a constructor of the program make each element."""
    match = _OF_RECORDS.match(type_.name) if isinstance(type_, OpaqueType) else None
    records, count = call.machine.records, container.count
    key = None if match is None else next((k for k, r in records.items() if r.name == match[1]), None)
    if key is None or not count:
        return
    constructor, width = constructor_of(call.machine, RecordType(key), 1), call.width(RecordType(key))
    if constructor is None or width is None:
        return
    if count > _MOST_MADE:
        raise StoppedError
    container.width = width
    for index in range(count):
        construct(call, constructor, Pointer(container.elements, index * width), 0)


def _made_of(call: LibraryCall, source: Pointer) -> Container:
    """A copy of a container, or the elements of a list; what is moved from leaves nothing behind."""
    type_ = call.pointee(1)
    if isinstance(type_, ArrayType):
        width = call.width(type_.of)
        opaque = isinstance(type_.of, OpaqueType)
        found = Parts(dict(source.target.cells)) if opaque else load(source, type_, call.machine.records)
        if not isinstance(found, Parts) or width is None or type_.count is None:
            return Container(Object("elements"), None)
        cells = dict(found.cells)
        if opaque and len(cells) == type_.count:  # in the list they are as far apart as their layout says
            cells = {index: cells[at] for index, at in enumerate(sorted(cells))}
        elements = Object("elements", None, cells, found.zero, written=call.span)
        return Container(elements, type_.count, width)
    if not isinstance(type_, OpaqueType) or not type_.name.startswith(OWNERS):
        return Container(Object("elements"), None)
    other = container_at(call, 1)
    if type_.name.startswith(OWNERS[1]):
        return copied(other)
    if _is_moved(call.function):
        taken = Container(other.elements, other.count, other.width, other.fill, other.fill_type)
        _emptied(other)
        return taken
    return copied(other)


def _is_moved(function: FunctionRef) -> bool:
    """Whether a constructor or an assignment takes over the elements of its argument (its mangled name tells)."""
    return "EOS" in function.key or "&&" in function.key


def _emptied(container: Container) -> None:
    container.elements, container.count = Object("elements"), None
    container.width, container.fill, container.fill_type = None, UNKNOWN, None


def _assigned(call: LibraryCall) -> Value | None:
    """operator=: a copy, or a move."""
    place, source = call.pointer(0), call.pointer(1)
    old = container_at(call)
    new = _made_of(call, source)
    if _is_moved(call.function):
        keep(place, new, own_type(call))
    else:
        old.elements.take_over(new.elements)
        old.elements.written = new.elements.written
        old.count, old.width, old.fill, old.fill_type = new.count, new.width, new.fill, new.fill_type
    return place


def _size(call: LibraryCall) -> Value | None:
    count = container_at(call).count
    return UNKNOWN if count is None else count


def _empty(call: LibraryCall) -> Value | None:
    count = container_at(call).count
    return UNKNOWN if count is None else int(count == 0)


def _data(call: LibraryCall) -> Value | None:
    container, type_ = container_at(call), element_type(call)
    if isinstance(type_, OpaqueType):
        for index in range(container.count or 0):
            inner_container(container, index, type_)
        return Pointer(container.elements, 0)
    known = prepare(call, container, type_) is not None
    return Pointer(container.elements, 0 if known or not container.elements.cells else None)


def element_model(call: LibraryCall) -> Value | None:
    """operator[](index), at(index)."""
    return element_at(call, container_at(call), call.number(1))


def _end(call: LibraryCall) -> Value | None:
    container = container_at(call)
    return element_at(call, container, container.count)


def _back(call: LibraryCall) -> Value | None:
    container = container_at(call)
    return element_at(call, container, None if container.count is None else container.count - 1)


def _emplaced(call: LibraryCall) -> Value | None:
    """emplace_back(…) of a record with a constructor for that."""
    type_, container = element_type(call), container_at(call)
    made = constructor_of(call.machine, type_, len(call.arguments)) if isinstance(type_, RecordType) else None
    if made is None or type_ is None:
        return None
    width = prepare(call, container, type_)
    if width is None or container.count is None:
        return None
    place = Pointer(container.elements, container.count * width)
    construct(call, made, place, 1)
    container.count += 1
    return place


def _push_back(call: LibraryCall) -> Value | None:
    container = container_at(call)
    if call.function.name == "emplace_back":
        place = added_thread(call) if is_thread(element_type(call)) else _emplaced(call)
        if place is not None:
            return place
    type_ = call.pointee(1) if isinstance(call.types[1], PointerType) and call.types[1].reference else call.types[1]
    name = call.function.name
    if len(call.arguments) != _COPY or (name == "emplace_back" and element_type(call) != type_):
        return forget_elements(call)
    is_handle = type_ is not None and (is_smart_pointer(type_) or is_thread(type_))
    if type_ is None or (isinstance(type_, OpaqueType) and not is_handle):
        return forget_elements(call)
    value = own_copy(call.value(1))
    width = _HANDLE if is_handle else prepare(call, container, type_)
    if width is None or container.count is None:
        return forget_elements(call)
    place = Pointer(container.elements, container.count * width)
    call.store(place, value, type_)
    container.count += 1
    return place


def _pop_back(call: LibraryCall) -> Value | None:
    container = container_at(call)
    container.count = None if not container.count else container.count - 1
    if container.count is not None and container.width is not None:
        clear(container.elements, container.count * container.width, (container.count + 1) * container.width)
    return UNKNOWN


def _clear(call: LibraryCall) -> Value | None:
    container = container_at(call)
    forget(container.elements)
    container.count, container.fill = 0, UNKNOWN
    return UNKNOWN


def _erase(call: LibraryCall) -> Value | None:
    """erase(first, last), erase(place)."""
    container = container_at(call)
    width, count = container.width, container.count
    match call.arguments[1:]:
        case (Pointer(target=s, offset=int(a)), Pointer(target=t, offset=int(b))) if s is t is container.elements:
            if width is not None and count is not None and b == count * width:
                clear(container.elements, a, b)
                container.count = a // width
                return call.arguments[1]
        case (Pointer(target=s, offset=int(a)),) if s is container.elements and width and count and not s.zero:
            without(call, container, a // width)
            return Pointer(container.elements, a)
        case _:
            pass
    return forget_elements(call)


def without(call: LibraryCall, container: Container, index: int) -> None:
    """Removes an element: those behind it move up, and pointers to where the elements were are not followed."""
    width, count, old = container.width, container.count, container.elements
    if width is None or not count or index >= count:
        raise StoppedError
    elements = Object(old.name, written=call.span, zero=old.zero)
    copy_bytes(Pointer(elements, 0), Pointer(old, 0), index * width, call.span)
    behind = Pointer(old, (index + 1) * width)
    copy_bytes(Pointer(elements, index * width), behind, (count - index - 1) * width, call.span)
    container.elements, container.count, old.moved = elements, count - 1, True


def _insert(call: LibraryCall) -> Value | None:
    """insert(end(), first, last)."""
    container, before = container_at(call), container_at(call).count
    made = of_range(call, 2) if len(call.arguments) > _RANGE else Container(Object("elements"), None)
    if made.count is None or made.width is None or before is None or made.elements.zero:
        return forget_elements(call)
    if before == 0:
        container.width = made.width
    end = Pointer(container.elements, before * made.width)
    if call.arguments[1] != end or container.width != made.width:
        return forget_elements(call)
    copy_bytes(end, Pointer(made.elements, 0), made.count * made.width, call.span)
    container.count = before + made.count
    return end


def _resize(call: LibraryCall) -> Value | None:
    container, count = container_at(call), call.number(1)
    before = container.count
    if count is None or before is None or call.function.name == "assign":
        return forget_elements(call) if call.function.name != "assign" else _assign(call)
    value, type_ = (call.value(2), call.pointee(2)) if len(call.arguments) > _COPY else (0, None)
    if container.width is None and before == 0:
        container.count, container.fill, container.fill_type = count, value, type_
    elif count > before and container.width is None and value == container.fill == 0 and container.fill_type is None:
        container.count = count
    elif count <= before:
        if container.width is None:
            return forget_elements(call)
        clear(container.elements, count * container.width, before * container.width)
        container.count = count
    else:
        known = stored_type(container.elements)
        type_ = type_ or (None if known is None else known[0])
        if container.width is None or type_ is None or (known is not None and known[1] != container.width):
            return forget_elements(call)
        container.count = count
        if not (container.elements.zero and value == 0):
            extend(call, container, before, value, type_)
    return UNKNOWN


def _assign(call: LibraryCall) -> Value | None:
    """assign(count, value)."""
    container, count = container_at(call), call.number(1)
    if count is None or not isinstance(call.arguments[1], int):
        return forget_elements(call)
    forget(container.elements)
    container.count, container.width = count, None
    container.fill, container.fill_type = call.value(2), call.pointee(2)
    return UNKNOWN


def _filled(call: LibraryCall) -> Value | None:
    """fill(value) of std::array."""
    container, type_ = container_at(call), call.pointee(1)
    if prepare(call, container, type_) is None or type_ is None:
        return forget_elements(call)
    container.elements.zero = False
    extend(call, container, 0, call.value(1), type_)
    return UNKNOWN


def _swap(call: LibraryCall) -> Value | None:
    a, b = container_at(call), container_at(call, 1)
    keep(call.pointer(0), b, own_type(call))
    keep(call.pointer(1), a, own_type(call))
    return UNKNOWN


def _look(call: LibraryCall) -> Value | None:
    return UNKNOWN


_METHODS: Final[Mapping[str, Model]] = {
    "operator=": _assigned,
    **dict.fromkeys(("size", "length"), _size),
    "empty": _empty,
    **dict.fromkeys(("data", "front", "begin", "cbegin"), _data),
    **dict.fromkeys(("end", "cend"), _end),
    **dict.fromkeys(("operator[]", "at"), element_model),
    "back": _back,
    **dict.fromkeys(("push_back", "emplace_back"), _push_back),
    "pop_back": _pop_back,
    "clear": _clear,
    "erase": _erase,
    "insert": _insert,
    **dict.fromkeys(("resize", "assign"), _resize),
    "fill": _filled,
    "swap": _swap,
    **dict.fromkeys(("reserve", "capacity", "shrink_to_fit", "max_size"), _look),
}
