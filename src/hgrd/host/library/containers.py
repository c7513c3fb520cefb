"""Models of containers of the C++ library and of Thrust: their size, and the object with their elements.

A container is opaque; only one cell of its object is used, at offset 0: the number of elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.linking.library_names import of_container
from hgrd.host.memory.array_contents import ELEMENTS, SHARED_ELEMENTS
from hgrd.program.types import ArrayType, OpaqueType, PointerType, Type
from hgrd.symbolic.state import EMPTY, Generation, Region
from hgrd.symbolic.values import OPAQUE, Cell, Composite, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Origin, Symbol, as_int, const, mul, var
from hgrd.terms.term import Term

_OWNERS: Final = (  # other containers are views of elements that have other names
    "std::vector", "std::array", "std::basic_string<", "std::string::", "thrust::device_vector", "thrust::host_vector",
)  # fmt: skip
_ADDING: Final = ("push_back", "emplace_back", "insert", "emplace")
_MOST = (1 << 40) - 1
_CELL = 8


def adds_element(call: LibraryCall) -> bool:
    """Whether a call is `push_back` or its like; if so, the provenance of the new element is recorded."""
    if call.name not in _ADDING or not of_container(call.call.function.qualified):
        return False
    elements, value = _data(call), call.argument(len(call.arguments) - 1)
    call.run.provenance.objects.record_store(call.machine, elements or OPAQUE, value or OPAQUE, call.span)
    return True


def container_model(qualified: str) -> LibraryModel | None:
    """The model of a member function of a container; None: it has no model."""
    owner, _, name = qualified.rpartition("::")
    if owner.startswith("std::initializer_list"):
        return _listed
    if not of_container(qualified):
        return None
    if owner.rpartition("::")[2].partition("<")[0] == name:
        return _construct
    return _METHODS.get(name)


def _listed(call: LibraryCall) -> Value | None:
    """`begin`, `end` and `size` of a `std::initializer_list`, whose value is the address of its array."""
    here = _target(call)
    cell = None if here is None else call.state.store.get(here.key, EMPTY).cells.get(0)
    match call.name, None if cell is None else cell.value:
        case "begin", Pointer() as array:
            return array
        case "end", Pointer(target=MemoryObject(element=ArrayType() as type_) as array):
            size = call.machine.size(type_)
            return None if size is None else Pointer(array, const(size))
        case "size", Pointer(target=MemoryObject(element=ArrayType(count=int() as count))):
            return const(count)
        case _:
            return None


def _target(call: LibraryCall) -> MemoryObject | None:
    here = call.arguments[0] if call.arguments else None
    return here.target if isinstance(here, Pointer) else None


def _construct(call: LibraryCall) -> Value | None:
    """`vector(n)`, `vector(n, value)`, and copies."""
    here, source = _target(call), call.arguments[1] if len(call.arguments) > 1 else None
    match source:
        case _ if here is None:
            return None
        case Term() if len(call.arguments) <= 3:
            return Composite({0: Cell(as_int(source), _CELL)}, _CELL)
        case Pointer(target=target) if target.element == here.element and len(call.arguments) == 2:
            known = call.state.store.get(target.key, EMPTY).cells.get(0)
            return Composite({} if known is None else {0: known}, _CELL)
        case _:
            return Composite({}, _CELL)


def _resize(call: LibraryCall) -> Value | None:
    target, count = _target(call), call.number(1)
    if target is None or count is None:
        return None
    call.state.store[target.key] = Region({0: Cell(count, _CELL)}, Generation())
    return call.unknown()


def _size(call: LibraryCall) -> Value | None:
    target = _target(call)
    if target is None:
        return None
    region = call.state.store.get(target.key, EMPTY)
    cell = region.cells.get(0)
    if cell is not None and isinstance(cell.value, Term):
        return cell.value
    name = call.machine.names.of((target.key, region.generation, "size"), f"{target.name}.size()")
    return var(Symbol(name, 0, _MOST, Origin.INPUT))


def _data(call: LibraryCall) -> Value | None:
    """The address of the elements (one object for all containers of an array of containers)."""
    here = call.arguments[0] if call.arguments else None
    if not isinstance(here, Pointer):
        return None
    target = here.target
    space = MemorySpace.GLOBAL if "device_vector" in call.call.function.qualified else MemorySpace.HOST
    element: Type | None = call.call.type.to if isinstance(call.call.type, PointerType) else None
    alone = (
        call.call.function.qualified.startswith(_OWNERS)
        and here.offset is const(0)
        and isinstance(target.element, OpaqueType)
        and not target.external
    )
    key = f"{target.key}{ELEMENTS if alone else SHARED_ELEMENTS}"
    elements = MemoryObject(key, target.name, space, element, None, target.span, external=True)
    return Pointer(elements, const(0))


def _element(call: LibraryCall) -> Value | None:
    start, index = _data(call), call.number(1)
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    if not isinstance(start, Pointer) or index is None or size is None:
        return None
    return Pointer(start.target, mul(index, const(size)))


def _same(call: LibraryCall) -> Value | None:
    """raw_pointer_cast, device_pointer_cast."""
    value = call.argument(0)
    return value if isinstance(value, Pointer) else None


def _look(call: LibraryCall) -> Value | None:
    """A method that changes nothing: its result is unknown."""
    return call.unknown()


_METHODS: Final[Mapping[str, LibraryModel]] = {
    "size": _size,
    "length": _size,
    "resize": _resize,
    "assign": _resize,
    "data": _data,
    "front": _data,
    "begin": _data,
    "operator[]": _element,
    "at": _element,
    "raw_pointer_cast": _same,
    "device_pointer_cast": _same,
    "empty": _look,
    "end": _look,
    "capacity": _look,
    "reserve": _look,
    "c_str": _look,
    "back": _look,
}
