"""Models of containers of the C++ library and of Thrust in the concrete run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, Model, pointee_of
from hgrd.host.concrete.library.records import construct, constructor_of
from hgrd.host.concrete.library.smart_pointers import is_smart_pointer
from hgrd.host.concrete.state.memory import clear, copied, forget, load, own_copy
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Container, Object, Parts, Pointer, StoppedError, Value
from hgrd.program.expressions import FunctionRef
from hgrd.program.types import ArrayType, BoolType, OpaqueType, PointerType, RecordType, Type

_OWNERS: Final = (
    "std::vector",
    "std::array",
    "thrust::device_vector",
    "thrust::host_vector",
    "thrust::universal_vector",
)
_FIXED: Final = re.compile(r"std::array<.*, (\d+)>$")
LOOKING: Final = ("operator[]", "at", "size", "data", "begin", "end", "front", "back", "empty", "get")
"""Members that do not change how many elements there are."""
_SMART: Final = 1  # bytes that a smart pointer counts as
_COPY: Final = 2
_RANGE: Final = 3


def container_model(function: FunctionRef) -> Model | None:
    """The model of a member of a container; None: of another class.  Members without a model may change all."""
    owner, _, name = function.qualified.rpartition("::")
    if owner not in _OWNERS:
        return None
    if owner.rpartition("::")[2] == name:
        return _construct
    return _METHODS.get(name, _other)


def container_at(call: LibraryCall, index: int = 0) -> Container:
    """The container that an argument is the address of."""
    place = call.pointer(index)
    cell = None if place.offset is None else place.target.cells.get(place.offset)
    if cell is None or not isinstance(cell.value, Container):
        return _fresh(call, place, index)
    return cell.value


def _fresh(call: LibraryCall, place: Pointer, index: int) -> Container:
    """A container of which nothing is known; of an array its length is."""
    if place.offset is None:
        raise StoppedError
    type_ = call.pointee(index)
    fixed = _FIXED.match(type_.name) if isinstance(type_, OpaqueType) else None
    made = Container(Object(place.target.name), None if fixed is None else int(fixed[1]))
    _keep(place, made, type_ or OpaqueType(""))
    return made


def _keep(place: Pointer, container: Container, type_: Type) -> None:
    if place.offset is None:
        raise StoppedError
    place.target.cells[place.offset] = Cell(container, type_, 1)


def _own_type(call: LibraryCall) -> Type:
    return call.pointee(0) or OpaqueType("")


def prepare(call: LibraryCall, container: Container, type_: Type | None) -> int | None:
    """The size of an element, once the elements stand in memory; None: it is not known."""
    if container.width is not None:
        return container.width
    width = call.width(type_)
    if width is None or type_ is None or isinstance(type_, OpaqueType):
        return None
    container.width = width
    if container.fill == 0 and container.fill_type is None:
        container.elements.zero = not isinstance(type_, RecordType)  # which may have a constructor
    elif container.fill is not UNKNOWN:
        _extend(call, container, 0, container.fill, type_)
    return width


def _extend(call: LibraryCall, container: Container, since: int, value: Value, type_: Type) -> None:
    """All elements from one on are copies of a value."""
    if container.count is None or container.width is None or container.count - since > call.machine.most_elements:
        forget(container.elements)
        return
    for k in range(since, container.count):
        call.store(Pointer(container.elements, k * container.width), own_copy(value), type_)


def _construct(call: LibraryCall) -> Value | None:
    place, type_ = call.pointer(0), _own_type(call)
    elements = Object(place.target.name)
    new = Container(elements, 0)
    source = call.arguments[1] if len(call.arguments) > 1 else None
    fixed = _FIXED.match(type_.name) if isinstance(type_, OpaqueType) else None
    if source is None:
        new.count = 0 if fixed is None else int(fixed[1])
    elif isinstance(source, int) and len(call.arguments) <= _RANGE:
        new.count, new.fill = source, 0
        if len(call.arguments) == _RANGE:
            new.fill, new.fill_type = call.value(2), call.pointee(2) or call.types[2]
    elif isinstance(source, Pointer) and len(call.arguments) == _COPY:
        new = _made_of(call, source)
    elif isinstance(source, Pointer) and len(call.arguments) == _RANGE:
        new = _of_range(call)
    else:
        new.count = None
    _keep(place, new, type_)
    return UNKNOWN


def _made_of(call: LibraryCall, source: Pointer) -> Container:
    """A copy of a container, or the elements of a list; what is moved from leaves nothing behind."""
    type_ = call.pointee(1)
    if isinstance(type_, ArrayType):
        width = call.width(type_.of)
        found = load(source, type_, call.machine.records)
        if not isinstance(found, Parts) or width is None or type_.count is None:
            return Container(Object("elements"), None)
        elements = Object("elements", None, dict(found.cells), found.zero, written=call.span)
        return Container(elements, type_.count, width)
    if not isinstance(type_, OpaqueType) or not type_.name.startswith(_OWNERS):
        return Container(Object("elements"), None)
    other = container_at(call, 1)
    if type_.name.startswith(_OWNERS[1]):
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


def _of_range(call: LibraryCall) -> Container:
    """The elements from one address to before another one."""
    element = call.pointee(1)
    width = call.width(element)
    match call.arguments[1:3]:
        case (Pointer(target=s, offset=int(a)), Pointer(target=t, offset=int(b))) if (
            s is t and width and b - a <= call.machine.most_elements * width
        ):
            cells = {at - a: own for at, own in s.cells.items() if a <= at < b}
            return Container(Object("elements", None, cells, s.zero, written=s.written), (b - a) // width, width)
        case _:
            return Container(Object("elements"), None)


def _assigned(call: LibraryCall) -> Value | None:
    """operator=: a copy, or a move."""
    place, source = call.pointer(0), call.pointer(1)
    old = container_at(call)
    new = _made_of(call, source)
    if _is_moved(call.function):
        _keep(place, new, _own_type(call))
    else:
        old.elements.cells, old.elements.zero = new.elements.cells, new.elements.zero
        old.elements.written = new.elements.written
        old.count, old.width, old.fill, old.fill_type = new.count, new.width, new.fill, new.fill_type
    return place


def _size(call: LibraryCall) -> Value | None:
    count = container_at(call).count
    return UNKNOWN if count is None else count


def _empty(call: LibraryCall) -> Value | None:
    count = container_at(call).count
    return UNKNOWN if count is None else int(count == 0)


def _element_type(call: LibraryCall) -> Type | None:
    return pointee_of(call.returns)


def _data(call: LibraryCall) -> Value | None:
    container = container_at(call)
    known = prepare(call, container, _element_type(call)) is not None
    return Pointer(container.elements, 0 if known or not container.elements.cells else None)


def _at(call: LibraryCall, container: Container, index: int | None) -> Value:
    type_ = _element_type(call)
    if isinstance(call.returns, OpaqueType) and call.function.qualified.startswith("std::vector"):
        type_ = BoolType()
    width = prepare(call, container, type_)
    if isinstance(type_, OpaqueType) and index is not None:
        return _inner(container, index, type_)
    offset = None if width is None or index is None else index * width
    return Pointer(container.elements, offset)


def _inner(container: Container, index: int, type_: Type) -> Pointer:
    """An element that is a container itself; those that a container begins with are empty."""
    if is_smart_pointer(type_):
        return Pointer(container.elements, index)
    if index not in container.elements.cells and container.count is not None and index < container.count:
        empty = container.fill == 0 and container.fill_type is None
        container.elements.cells[index] = Cell(Container(Object("elements"), 0 if empty else None), type_, 1)
    return Pointer(container.elements, index)


def _element(call: LibraryCall) -> Value | None:
    return _at(call, container_at(call), call.number(1))


def _end(call: LibraryCall) -> Value | None:
    container = container_at(call)
    return _at(call, container, container.count)


def _back(call: LibraryCall) -> Value | None:
    container = container_at(call)
    return _at(call, container, None if container.count is None else container.count - 1)


def _emplaced(call: LibraryCall) -> Value | None:
    """emplace_back(…) of a record with a constructor for that."""
    type_, container = _element_type(call), container_at(call)
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
        place = _emplaced(call)
        if place is not None:
            return place
    type_ = call.pointee(1) if isinstance(call.types[1], PointerType) and call.types[1].reference else call.types[1]
    name = call.function.name
    if len(call.arguments) != _COPY or (name == "emplace_back" and _element_type(call) != type_):
        return _other(call)
    if type_ is None or (isinstance(type_, OpaqueType) and not is_smart_pointer(type_)):
        return _other(call)
    value = own_copy(call.value(1))
    width = _SMART if is_smart_pointer(type_) else prepare(call, container, type_)
    if width is None or container.count is None:
        return _other(call)
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
    """erase(first, end())."""
    container = container_at(call)
    width, count = container.width, container.count
    match call.arguments[1:]:
        case (Pointer(target=s, offset=int(a)), Pointer(target=t, offset=int(b))) if s is t is container.elements:
            if width is not None and count is not None and b == count * width:
                clear(container.elements, a, b)
                container.count = a // width
                return call.arguments[1]
        case _:
            pass
    return _other(call)


def _resize(call: LibraryCall) -> Value | None:
    container, count = container_at(call), call.number(1)
    before = container.count
    if count is None or before is None or call.function.name == "assign":
        return _other(call) if call.function.name != "assign" else _assign(call)
    value, type_ = (call.value(2), call.pointee(2)) if len(call.arguments) > _COPY else (0, None)
    if container.width is None and before == 0:
        container.count, container.fill, container.fill_type = count, value, type_
    elif count <= before:
        if container.width is None:
            return _other(call)
        clear(container.elements, count * container.width, before * container.width)
        container.count = count
    else:
        cell = next(iter(container.elements.cells.values()), None)
        type_ = type_ or (None if cell is None else cell.type)
        if container.width is None or type_ is None or (cell is not None and cell.size != container.width):
            return _other(call)
        container.count = count
        if not (container.elements.zero and value == 0):
            _extend(call, container, before, value, type_)
    return UNKNOWN


def _assign(call: LibraryCall) -> Value | None:
    """assign(count, value)."""
    container, count = container_at(call), call.number(1)
    if count is None or not isinstance(call.arguments[1], int):
        return _other(call)
    forget(container.elements)
    container.count, container.width = count, None
    container.fill, container.fill_type = call.value(2), call.pointee(2)
    return UNKNOWN


def _filled(call: LibraryCall) -> Value | None:
    """fill(value) of std::array."""
    container, type_ = container_at(call), call.pointee(1)
    if prepare(call, container, type_) is None or type_ is None:
        return _other(call)
    container.elements.zero = False
    _extend(call, container, 0, call.value(1), type_)
    return UNKNOWN


def _swap(call: LibraryCall) -> Value | None:
    a, b = container_at(call), container_at(call, 1)
    _keep(call.pointer(0), b, _own_type(call))
    _keep(call.pointer(1), a, _own_type(call))
    return UNKNOWN


def _look(call: LibraryCall) -> Value | None:
    return UNKNOWN


def _other(call: LibraryCall) -> Value | None:
    """Any other member: it may have changed all elements, and their number."""
    container = container_at(call)
    forget(container.elements)
    container.count, container.fill = None, UNKNOWN
    return UNKNOWN


_METHODS: Final[Mapping[str, Model]] = {
    "operator=": _assigned,
    **dict.fromkeys(("size", "length"), _size),
    "empty": _empty,
    **dict.fromkeys(("data", "front", "begin", "cbegin"), _data),
    **dict.fromkeys(("end", "cend"), _end),
    **dict.fromkeys(("operator[]", "at"), _element),
    "back": _back,
    **dict.fromkeys(("push_back", "emplace_back"), _push_back),
    "pop_back": _pop_back,
    "clear": _clear,
    "erase": _erase,
    **dict.fromkeys(("resize", "assign"), _resize),
    "fill": _filled,
    "swap": _swap,
    **dict.fromkeys(("reserve", "capacity", "shrink_to_fit", "max_size"), _look),
}
