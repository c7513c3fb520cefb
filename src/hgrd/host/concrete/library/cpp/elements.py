"""Elements of containers in the concrete run: where they stand, and what is known of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from hgrd.host.concrete.library.call import LibraryCall, pointee_of
from hgrd.host.concrete.library.cpp.smart_pointers import is_smart_pointer
from hgrd.host.concrete.state.memory import copy_bytes, fill, forget, own_copy
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Container, Object, Pointer, StoppedError, Value
from hgrd.program.types import BoolType, OpaqueType, RecordType, Type

OWNERS: Final = (
    "std::vector",
    "std::array",
    "thrust::device_vector",
    "thrust::host_vector",
    "thrust::universal_vector",
)
_ONE_BY_ONE: Final = 1 << 18  # copies of a record that are made
FIXED: Final = re.compile(r"std::array<.*, (\d+)>$")


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
    fixed = FIXED.match(type_.name) if isinstance(type_, OpaqueType) else None
    made = Container(Object(place.target.name), None if fixed is None else int(fixed[1]))
    keep(place, made, type_ or OpaqueType(""))
    return made


def keep(place: Pointer, value: Value, type_: Type) -> None:
    """Makes a value that of the object at a place."""
    if place.offset is None:
        raise StoppedError
    place.target.cells[place.offset] = Cell(value, type_, 1)


def own_type(call: LibraryCall) -> Type:
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
        extend(call, container, 0, container.fill, type_)
    return width


def extend(call: LibraryCall, container: Container, since: int, value: Value, type_: Type) -> None:
    """All elements from one on are copies of a value."""
    if container.count is None or container.width is None:
        forget(container.elements)
        return
    first, count = Pointer(container.elements, since * container.width), container.count - since
    many = count > call.machine.most_elements
    if not many and isinstance(value, int | float) and fill(first, value, type_, container.width, count, call.span):
        return
    if many or count > _ONE_BY_ONE:
        forget(container.elements)
        return
    for k in range(since, container.count):
        call.store(Pointer(container.elements, k * container.width), own_copy(value), type_)


def of_range(call: LibraryCall, first: int = 1) -> Container:
    """The elements from one address, an argument, to before another one, the next argument."""
    element = call.pointee(first)
    width = call.width(element)
    match call.arguments[first : first + 2]:
        case (Pointer(target=s, offset=int(a)), Pointer(target=t, offset=int(b))) if (
            s is t and width and b - a <= call.machine.most_elements * width
        ):
            elements = Object("elements", None, zero=s.zero, written=s.written)
            copy_bytes(Pointer(elements, 0), Pointer(s, a), b - a, call.span)
            return Container(elements, (b - a) // width, width)
        case _:
            return Container(Object("elements"), None)


def element_type(call: LibraryCall) -> Type | None:
    return pointee_of(call.returns)


def element_at(call: LibraryCall, container: Container, index: int | None) -> Value:
    type_ = element_type(call)
    if isinstance(call.returns, OpaqueType) and call.function.qualified.startswith("std::vector"):
        type_ = BoolType()
    width = prepare(call, container, type_)
    if isinstance(type_, OpaqueType) and index is not None:
        return inner_container(container, index, type_)
    offset = None if width is None or index is None else index * width
    return Pointer(container.elements, offset)


def inner_container(container: Container, index: int, type_: Type) -> Pointer:
    """An element that is a container itself; those that a container begins with are empty."""
    if is_smart_pointer(type_):
        return Pointer(container.elements, index)
    if index not in container.elements.cells and container.count is not None and index < container.count:
        empty = container.fill == 0 and container.fill_type is None
        container.elements.cells[index] = Cell(Container(Object("elements"), 0 if empty else None), type_, 1)
    return Pointer(container.elements, index)


def forget_elements(call: LibraryCall) -> Value | None:
    """Any other member: it may have changed all elements, and their number."""
    container = container_at(call)
    forget(container.elements)
    container.count, container.fill = None, UNKNOWN
    return UNKNOWN


def looked_up(otherwise: Callable[[tuple[Value, ...]], Value]) -> Callable[[tuple[Value, ...]], Value]:
    """The code of `v[i]`: at once where it is known how large elements are; loops do little else."""

    def look_up(arguments: tuple[Value, ...]) -> Value:
        place, index = arguments
        if isinstance(place, Pointer) and place.offset is not None and isinstance(index, int):
            cell = place.target.cells.get(place.offset)
            container = None if cell is None else cell.value
            if isinstance(container, Container) and container.width is not None:
                return Pointer(container.elements, index * container.width)
        return otherwise(arguments)

    return look_up
