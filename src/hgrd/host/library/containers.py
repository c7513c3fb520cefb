"""Models of containers of the C++ library and of Thrust: their size, and the object with their elements.

A container is opaque; its object has cells at offset 0, the number of elements, and at 8, their address (if another
container had them first), and at BEGUN_WITH what all of them begin with, where that is known.  Those from offset _BEGIN
on are elements that it begins with; they go to the object with the elements when that is used first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from hgrd.host.execution.library_call import LibraryCall, LibraryModel
from hgrd.host.library.lists import holds_numbers, listed
from hgrd.host.library.pointer_holders import is_moved
from hgrd.host.linking.library_names import of_container
from hgrd.host.memory.array_contents import BEGUN_WITH, ELEMENTS, SHARED_ELEMENTS, patterns_of, record_patterns
from hgrd.host.memory.unknowns import direct_targets
from hgrd.program.expressions import Call
from hgrd.program.types import POINTER_SIZE, ArrayType, IntType, OpaqueType, PointerType, Type
from hgrd.symbolic.names import hidden
from hgrd.symbolic.pointers import move
from hgrd.symbolic.polynomials import constant_difference, divided
from hgrd.symbolic.state import EMPTY, INITIAL, ConditionKind, Generation, Region, State
from hgrd.symbolic.values import OPAQUE, Cell, Composite, MemoryObject, MemorySpace, Pointer, PointerValue, Value
from hgrd.terms import Origin, Symbol, add, as_int, const, le, mul, var
from hgrd.terms.term import Term

_OWNERS: Final = (  # other containers are views of elements that have other names
    "std::vector", "std::array", "std::basic_string<", "std::string::", "thrust::device_vector", "thrust::host_vector",
    "thrust::universal_vector",
)  # fmt: skip
_REMOVING: Final = ("erase", "pop_back", "pop_front", "clear", "reserve", "shrink_to_fit")
_ADDING: Final = ("push_back", "emplace_back", "insert", "emplace")
_MOST = (1 << 40) - 1
_CELL = 8
_ADDRESS: Final = 8
_BEGIN: Final = 1 << 20
_FIXED: Final = re.compile(r"std::array<.*, (\d+)>")


def adds_element(call: LibraryCall) -> bool:
    """Whether a call is `push_back` or its like; if so, the provenance of the new element is recorded."""
    if call.name not in _ADDING or not of_container(call.call.function.qualified):
        return False
    elements, value = _data(call), call.argument(len(call.arguments) - 1)
    call.run.provenance.objects.record_store(call.machine, call.state, elements or OPAQUE, value or OPAQUE, call.span)
    _begin_with(call, elements, value, len(call.arguments) - 1, adds=True)
    return True


def removes_elements(call: Call) -> bool:
    """Whether a call is `erase` or its like, which stores nothing new: what is left was there before."""
    return call.function.name in _REMOVING and of_container(call.function.qualified)


def container_model(qualified: str) -> LibraryModel | None:
    """The model of a member function of a container; None: it has no model."""
    owner, _, name = qualified.rpartition("::")
    if owner.startswith("std::initializer_list"):
        return listed
    if not of_container(qualified):
        return None
    if owner.rpartition("::")[2].partition("<")[0] == name:
        return _construct
    return _METHODS.get(name)


def copies_numbers(call: Call) -> bool:
    """Whether a call is of a member function of a container of numbers that changes only its own elements."""
    match call.arguments[0].type if call.arguments else None:
        case PointerType(to=OpaqueType(name=name)):
            own = name.startswith(_OWNERS) and holds_numbers(name)
        case _:
            return False
    return own and call.function.name != "swap" and not any(map(is_moved, call.arguments))


def is_container(type_: Type | None) -> bool:
    """Whether objects of a type are containers that own their elements."""
    return isinstance(type_, OpaqueType) and type_.name.startswith(_OWNERS)


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
            return Composite({0: Cell(as_int(source), _CELL)} | _all_alike(call), _CELL)
        case Pointer(target=target) if target.element == here.element and is_moved(call.call.arguments[-1]):
            return _taken(call, target)
        case Pointer(target=target) if target.element == here.element and len(call.arguments) == 2:
            known = call.state.store.get(target.key, EMPTY).cells
            count = {o: c for o, c in known.items() if o == 0}
            return Composite(count | _elements_of(call, target) | _as_in(call, f"{target.key}{ELEMENTS}"), _CELL)
        case Pointer(target=MemoryObject(element=ArrayType(count=int() as count)) as array):
            listed = call.state.store.get(array.key, EMPTY).cells
            return Composite({0: Cell(const(count), _CELL)} | _moved(listed, _BEGIN), _CELL)
        case Pointer(target=target) if len(call.arguments) >= 3:
            return Composite(_as_in(call, target.key), _CELL)
        case None if len(call.arguments) == 1:
            return Composite({0: Cell(const(0), _CELL)}, _CELL)
        case _:
            return Composite({}, _CELL)


def _all_alike(call: LibraryCall) -> dict[int, Cell]:
    """What all elements of a new container begin with: a value that is given, or 0."""
    value = call.argument(2) if len(call.arguments) > 2 else const(0)
    return {BEGUN_WITH: Cell(as_int(value), _width(call, 2))} if isinstance(value, Term) else {}


def _as_in(call: LibraryCall, key: str) -> dict[int, Cell]:
    """What all elements of a new container begin with that is made of what an object holds."""
    found = call.run.provenance.beginnings.common(key, call.state.path)
    return {} if found is None else {BEGUN_WITH: Cell(*found)}


def _width(call: LibraryCall, index: int) -> int:
    """The size of an argument, or of what it is a reference to."""
    type_ = call.type_of(index)
    type_ = type_.to if isinstance(type_, PointerType) else type_
    return 1 if type_ is None else call.machine.size(type_) or 1


def _begin_with(
    call: LibraryCall, elements: Value | None, value: Value | None, index: int, *, adds: bool = False
) -> None:
    """All elements of a container hold a value, the argument with this index; `adds`: or some of them."""
    if isinstance(elements, Pointer):
        width = _width(call, index)
        call.run.provenance.beginnings.record_fill(call.state, elements, value, None, call.span, width, adds=adds)


def _elements_of(call: LibraryCall, container: MemoryObject) -> dict[int, Cell]:
    """The known elements of a container that are pointers, for one that begins as its copy."""
    elements = call.state.store.get(f"{container.key}{ELEMENTS}")
    if elements is None:
        return {o: c for o, c in call.state.store.get(container.key, EMPTY).cells.items() if o >= _BEGIN}
    return _moved({o: c for o, c in elements.cells.items() if isinstance(c.value, PointerValue)}, _BEGIN)


def _moved(cells: Mapping[int, Cell], by: int) -> dict[int, Cell]:
    return {at + by: cell for at, cell in cells.items()}


def _push_back(call: LibraryCall) -> Value | None:
    """A value becomes the last element of a container."""
    start, value, count = _data(call), call.argument(1), _size(call)
    type_ = call.type_of(1)
    type_ = type_.to if isinstance(type_, PointerType) and type_.reference else type_
    width = None if type_ is None else call.machine.size(type_)
    if not isinstance(start, Pointer) or value is None or type_ is None or width is None:
        return None
    if not isinstance(count, Term) or not start.target.key.endswith(ELEMENTS):
        return None
    call.store_at(Pointer(start.target, mul(count, const(width))), value, type_)
    kept = patterns_of(call.state, start.target)
    call.store_at(call.arguments[0], add(count, const(1)), IntType(64, False))
    record_patterns(call.state, start.target, kept)
    return OPAQUE


def _emplace_back(call: LibraryCall) -> Value | None:
    """As `push_back`, of a number that needs no conversion (C++ [vector.modifiers]: the new element is returned)."""
    match call.call.type, call.type_of(1):
        case PointerType(to=IntType() as element), PointerType(to=given) if (
            element == given and len(call.arguments) == 2
        ):
            return None if _push_back(call) is None else _back(call)
        case _:
            return None


def _clear(call: LibraryCall) -> Value | None:
    """No elements are left."""
    elements, target = _data(call), _target(call)
    if target is None or not isinstance(elements, Pointer) or not elements.target.key.endswith(ELEMENTS):
        return None
    forget_elements(call.state, call.arguments[:1])
    call.store_at(call.arguments[0], const(0), IntType(64, False))
    return OPAQUE


def _erase(call: LibraryCall) -> Value | None:
    """`erase(first, end())`: what is before stays, and nothing is left behind."""
    if len(call.arguments) != 3:
        return None
    elements, first, last, end = _data(call), *call.arguments[1:], _end(call)
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
    end = _end(call)
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    return move(end, const(-size)) if isinstance(end, Pointer) and size is not None else call.unknown()


def forget_elements(state: State, values: Iterable[Value]) -> None:
    """Code that is not followed may have changed the elements of containers."""
    for target in direct_targets(tuple(values)):
        for suffix in (ELEMENTS, SHARED_ELEMENTS):
            if f"{target.key}{suffix}" in state.store:
                state.store[f"{target.key}{suffix}"] = Region({}, Generation())


def _resize(call: LibraryCall) -> Value | None:
    target, count = _target(call), call.number(1)
    if target is None or count is None:
        return None
    value = call.argument(2) if len(call.arguments) > 2 else const(0)
    adds = call.name == "resize" and _size(call) is not const(0)
    _begin_with(call, _data(call), value, 2, adds=adds)
    call.state.store[target.key] = Region({0: Cell(count, _CELL)}, Generation())
    forget_elements(call.state, call.arguments[:1])
    return call.unknown()


def _fill(call: LibraryCall) -> Value | None:
    """`fill(value)` of a `std::array`."""
    elements, value = _data(call), call.argument(1)
    if not isinstance(elements, Pointer) or value is None:
        return None
    _begin_with(call, elements, value, 1)
    call.run.provenance.objects.record_remade((elements.target,), call.span)
    forget_elements(call.state, call.arguments[:1])
    return OPAQUE


def _size(call: LibraryCall) -> Value | None:
    target = _target(call)
    if target is None:
        return None
    if (count := fixed_count(target.element)) is not None:
        return const(count)
    region = call.state.store.get(target.key, EMPTY)
    cell = region.cells.get(0)
    if cell is not None and isinstance(cell.value, Term):
        call.state.assume(le(const(0), cell.value), ConditionKind.VALUE, call.span)
        return cell.value
    name = call.machine.names.of((target.key, region.generation, "size"), f"{target.name}.size()")
    return var(Symbol(name, 0, _MOST, Origin.INPUT))


def fixed_count(type_: Type | None) -> int | None:
    """The number of elements of a `std::array<T, N>`; None: another type."""
    found = _FIXED.fullmatch(type_.name) if isinstance(type_, OpaqueType) else None
    return int(found[1]) if found is not None else None


def _data(call: LibraryCall) -> Value | None:
    """The address of the elements (one object for all containers of an array of containers)."""
    here = call.arguments[0] if call.arguments else None
    if not isinstance(here, Pointer):
        return None
    target, at = here.target, here.offset
    moved = call.state.store.get(target.key, EMPTY).cells.get(at.value + _ADDRESS) if at.is_const else None
    if moved is not None and isinstance(moved.value, Pointer):
        return moved.value
    owner = target.element.name if isinstance(target.element, OpaqueType) else call.call.function.qualified
    space = MemorySpace.GLOBAL if "device_vector" in owner else MemorySpace.HOST
    element: Type | None = call.call.type.to if isinstance(call.call.type, PointerType) else None
    alone = at is const(0) and is_container(target.element) and not target.external
    member = f"+{at.value}" if at.is_const and at.value else ""
    key = f"{target.key}{ELEMENTS}" if alone else f"{target.key}{member}{SHARED_ELEMENTS}"
    count, width = fixed_count(target.element), None if element is None else call.machine.size(element)
    size = const(count * width) if alone and count is not None and width is not None else None
    elements = MemoryObject(key, target.name, space, element, size, target.span, external=True)
    call.run.provenance.containers.setdefault(key, (elements, call.call.arguments[0]))
    if not alone:
        call.run.origins.record_load(target, INITIAL, at, Pointer(elements, const(0)))
    begun = {o: c for o, c in call.state.store.get(target.key, EMPTY).cells.items() if o >= _BEGIN} if alone else {}
    if begun and key not in call.state.store:
        call.state.store[key] = Region(_moved(begun, -_BEGIN), Generation())
    return Pointer(elements, const(0))


def _end(call: LibraryCall) -> Value | None:
    """The address after the last element; unknown where the size of an element is."""
    start, count = _data(call), _size(call)
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    if not isinstance(start, Pointer) or not isinstance(count, Term) or size is None:
        return call.unknown()
    return move(start, mul(count, const(size)))


def _element(call: LibraryCall) -> Value | None:
    start, index = _data(call), call.number(1)
    if index is const(0):
        return start
    size = call.machine.size(call.call.type.to) if isinstance(call.call.type, PointerType) else None
    if not isinstance(start, Pointer) or index is None or size is None:
        return None
    return Pointer(start.target, mul(index, const(size)))


def swap_containers(call: LibraryCall) -> Value | None:
    """`u.swap(v)` and `std::swap(u, v)`: each has the elements of the other one."""
    one, other = _target(call), _target(replace(call, arguments=call.arguments[1:]))
    a, b = _data(call), _data(replace(call, arguments=call.arguments[1:]))
    if one is None or other is None or not isinstance(a, Pointer) or not isinstance(b, Pointer):
        return None
    if not (a.target.key.endswith(ELEMENTS) and b.target.key.endswith(ELEMENTS)):
        return None
    regions = [call.state.store.get(t.key, EMPTY) for t in (one, other)]
    for target, region, address in ((one, regions[1], b), (other, regions[0], a)):
        count = {o: c for o, c in region.cells.items() if o == 0}
        call.state.store[target.key] = Region({**count, _ADDRESS: Cell(address, POINTER_SIZE)}, Generation())
    return OPAQUE


def _taken(call: LibraryCall, source: MemoryObject) -> Composite | None:
    """The value of a container that takes over the elements of another one, which has new ones then; None: unknown."""
    elements = _data(replace(call, arguments=call.arguments[1:]))
    if not isinstance(elements, Pointer) or not elements.target.key.endswith(ELEMENTS):
        return None
    count = {o: c for o, c in call.state.store.get(source.key, EMPTY).cells.items() if o == 0}
    key = f"{call.machine.names.unique(hidden(source.name))}{ELEMENTS}"
    left = Pointer(replace(elements.target, key=key), const(0))
    call.state.store[source.key] = Region({_ADDRESS: Cell(left, POINTER_SIZE)}, Generation())
    return Composite({**count, _ADDRESS: Cell(elements, POINTER_SIZE)}, 2 * _CELL)


def _same(call: LibraryCall) -> Value | None:
    """raw_pointer_cast, device_pointer_cast."""
    value = call.argument(0)
    return value if isinstance(value, Pointer) else None


def _look(call: LibraryCall) -> Value | None:
    """A method that changes nothing: its result is unknown."""
    return call.unknown()


_METHODS: Final[Mapping[str, LibraryModel]] = {
    "swap": swap_containers,
    "size": _size,
    "length": _size,
    "push_back": _push_back,
    "emplace_back": _emplace_back,
    "fill": _fill,
    "resize": _resize,
    "assign": _resize,
    "data": _data,
    "front": _data,
    "begin": _data,
    "cbegin": _data,
    "end": _end,
    "cend": _end,
    "operator[]": _element,
    "at": _element,
    "raw_pointer_cast": _same,
    "device_pointer_cast": _same,
    "empty": _look,
    "capacity": _look,
    "reserve": _look,
    "c_str": _look,
    "back": _back,
    "clear": _clear,
    "erase": _erase,
}
