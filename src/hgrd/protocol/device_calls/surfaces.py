"""Surfaces and textures: memory of one, two or three dimensions, and memory that is never written.

CUDA Programming Guide, "Texture and Surface Memory", "Surface Functions": x counts bytes, y and z (a layer, a
face) count elements.
"""

from __future__ import annotations

from collections.abc import Iterator

from hgrd.cuda.builtins import builtin
from hgrd.cuda.memory_model import AccessKind
from hgrd.program.expressions import Call
from hgrd.program.span import Span
from hgrd.program.types import LONG, PointerType, Type, VoidType
from hgrd.protocol.inference.events import AccessEvent
from hgrd.protocol.inference.semantics import DeviceSemantics
from hgrd.protocol.inference.stored_pointers import ANYTHING_FOUND
from hgrd.protocol.inference.value_names import identity_of
from hgrd.symbolic.machine import Machine
from hgrd.symbolic.memory.lvalues import store
from hgrd.symbolic.state import ConditionKind, State
from hgrd.symbolic.values import OPAQUE, MemoryObject, MemorySpace, Pointer, Value
from hgrd.terms import Op, Origin, Term, add, as_int, conj, const, le, lt, mul, negate, show

_COORDINATES = {"1D": 1, "2D": 2, "1DLayered": 2}  # three for all others
# Sizes that no surface has more of (CUDA Programming Guide, "Technical Specifications per Compute Capability"):
# 131072 elements of 16 bytes in a row, 65536 rows, a depth of 16384.
_ROW = 131072 * 16
_ROWS = 1 << 17
_DEPTH = 1 << 14
_ZERO, _TRAP = 0, 2  # of cudaSurfaceBoundaryMode


def texture_fetch(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value:
    """Texture fetch of an unknown value, as it is filtered and converted; no thread is assumed to write the texture.

    A fetch of an element of an array of the device reads it there.
    """
    first, *rest = arguments
    returns = not isinstance(call.type, VoidType)
    texture, coordinates = (first, rest) if returns else (rest[0], rest[1:])
    found = [
        _fetch(device, machine, branch, call, handle, coordinates)
        for branch, handle in _alternatives(state, texture, call.span)
    ]
    return _deliver(device, machine, state, call, first, found[0])


def _fetch(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, texture: Value, coordinates: list[Value]
) -> MemoryObject:
    """The object that a texture fetches from, whose handle is no choice."""
    source = _handle(device, texture, call.span)
    name = "textures" if source is None else source.name
    behind = device.memory.bound_to(texture)
    known = () if device.memory.is_unknown(texture) else behind
    element = _fetched_element(device, machine, call, known, coordinates)
    if element is not None and isinstance(coordinates[0], Term):
        text = f"{call.function.name}({name}, {show(as_int(coordinates[0]))})"
        size = machine.size(_element(call, writes=False)) or 1
        device.access(machine, state, AccessEvent(AccessKind.READ, element, size, call.span, text=text))
        return element.target
    if not machine.speculative and state.alive:
        device.memory.fetched |= {place.target.key: name for place in behind}
        device.memory.fetched |= {ANYTHING_FOUND: name} if device.memory.is_unknown(texture) else {}
    span = call.span if source is None else source.span
    _assume(device, machine, f"no thread writes what {name} fetches from", span)
    return source or MemoryObject("textures", name, MemorySpace.CONSTANT, None, None, call.span)


def _alternatives(state: State, handle: Value, span: Span) -> Iterator[tuple[State, Value]]:
    """What a handle may be that is a choice, each with the state in which it is that."""
    if not isinstance(handle, Term) or handle.op is not Op.ITE:
        yield state, handle
        return
    test, *arms = handle.args
    for condition, arm in zip((test, negate(test)), arms, strict=True):
        branch = state.copy()
        branch.assume(condition, ConditionKind.BRANCH, span)
        yield from _alternatives(branch, arm, span)


def surface_access(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, arguments: tuple[Value, ...]
) -> Value:
    """Surface access: `surf2Dread(surface, x, y, mode)`, `surf2Dread(&value, …)`,
    `surf2Dwrite(value, surface, x, y, mode)`.
    """
    name = call.function.name
    row = builtin(name)
    assert row is not None
    writes = row.operation == "write"
    at = 0 if not writes and not isinstance(call.type, VoidType) else 1
    surface, *rest = arguments[at:]
    found = [
        _access(device, machine, branch, call, handle, [arguments[0], *rest], writes=writes)
        for branch, handle in _alternatives(state, surface, call.span)
    ]
    return OPAQUE if writes else _deliver(device, machine, state, call, arguments[0], found[0])


def _access(
    device: DeviceSemantics,
    machine: Machine,
    state: State,
    call: Call,
    surface: Value,
    given: list[Value],
    *,
    writes: bool,
) -> MemoryObject:
    """The object that a surface is of, whose handle is no choice, after its access; `given` are what is written (of a
    read: the first argument), the coordinates and the mode.
    """
    name, (first, *rest) = call.function.name, given
    target, size = _memory(device, surface, call.span), machine.size(_element(call, writes=writes))
    if target is None or size is None:
        what = "a surface that is not known" if target is None else "a surface of unknown elements"
        device.unsupported(machine, state, f"{name}() on {what}", call.span)
        return target or MemoryObject("surfaces", "surface", MemorySpace.GLOBAL, None, None, call.span)
    count = _COORDINATES.get(name.removeprefix("surf").removesuffix("write" if writes else "read"), 3)
    coordinates = [as_int(v) if isinstance(v, Term) else _unknown(machine) for v in rest[:count]]
    mode = rest[count] if len(rest) > count else const(_TRAP)
    offset, here = _place(machine, state, coordinates, size, mode, call.span)
    text = f"{target.name}({', '.join(map(show, coordinates))})"
    kind = AccessKind.WRITE if writes else AccessKind.READ
    value = identity_of(first) if writes else None
    event = AccessEvent(kind, Pointer(target, offset), size, call.span, value=value, text=text)
    device.access(machine, here, event)
    return target


def _place(
    machine: Machine, state: State, coordinates: list[Term], size: int, mode: Value, span: Span
) -> tuple[Term, State]:
    """Offset of an element, different for different coordinates, and the state in which it is accessed."""
    x, y, z = (*coordinates, *[const(0)] * (3 - len(coordinates)))
    inside = conj(_between(x, _ROW - size + 1), _between(y, _ROWS), _between(z, _DEPTH))
    offset = add(x, mul(const(_ROW), add(y, mul(const(_ROWS), z))))
    if mode is const(_TRAP):  # outside, the kernel fails
        state.assume(inside, ConditionKind.BOUNDS, span)
        return offset, state
    if mode is const(_ZERO):  # outside, nothing is written, and zeros are read
        branch = state.copy()
        branch.assume(inside, ConditionKind.BRANCH, span)
        return offset, branch
    return _unknown(machine), state  # outside, the element at the border is accessed


def _unknown(machine: Machine) -> Term:
    value = machine.unknown("coordinate", LONG, Origin.UNKNOWN)
    assert isinstance(value, Term)
    return value


def _between(coordinate: Term, end: int) -> Term:
    return conj(le(const(0), coordinate), lt(coordinate, const(end)))


def _fetched_element(
    device: DeviceSemantics, machine: Machine, call: Call, behind: tuple[Pointer, ...], coordinates: list[Value]
) -> Pointer | None:
    """The element that `tex1Dfetch` reads of an array with elements of the fetched type; None: it is not known."""
    if call.function.name != "tex1Dfetch" or len(behind) != 1 or not coordinates:
        return None
    (place,), index = behind, coordinates[0]
    type_ = _element(call, writes=False)
    size = machine.size(type_)
    if size is None or place.target.element != type_ or not isinstance(index, Term):
        return None
    return Pointer(place.target, add(place.offset, mul(as_int(index), const(size))))


def _memory(device: DeviceSemantics, value: Value, span: Span) -> MemoryObject | None:
    """Memory that a surface stands for: the array that it is bound to, if that is known, or one of its own.

    None for a handle of an unknown surface.
    """
    if device.memory.is_unknown(value):
        return None
    arrays = {place.target.key: place.target for place in device.memory.bound_to(value)}
    if not arrays:
        return _handle(device, value, span)
    (array, *others) = arrays.values()
    return None if others else MemoryObject(array.key, array.name, MemorySpace.GLOBAL, None, None, array.span, True)


def _handle(device: DeviceSemantics, value: Value, span: Span) -> MemoryObject | None:
    """Memory of its own of a reference (a global variable) or the handle of an object."""
    match value:
        case Pointer(target=variable):
            return MemoryObject(variable.key, variable.name, MemorySpace.GLOBAL, None, None, variable.span, True)
        case Term() if _names_one(device, value):
            name = show(value)
            return MemoryObject(f"surface {name}", name, MemorySpace.GLOBAL, None, None, span, True)
        case _:
            return None


def _names_one(device: DeviceSemantics, handle: Term) -> bool:
    """Whether a handle is that of one surface: an argument, a constant, or an element of memory that does not change.

    A choice among several handles, and an element at an unknown index, are not.
    """
    match handle.op:
        case Op.CONST:
            return True
        case Op.VAR:
            return handle in device.number_arguments
        case Op.READ:
            return handle in device.number_arguments or all(index.is_const for index in handle.args)
        case _:
            return False


def _element(call: Call, *, writes: bool) -> Type:
    """Type of the value that is read or written."""
    first = call.arguments[0].type
    if writes:
        return first
    return first.to if isinstance(call.type, VoidType) and isinstance(first, PointerType) else call.type


def _deliver(
    device: DeviceSemantics, machine: Machine, state: State, call: Call, first: Value, target: MemoryObject
) -> Value:
    """Delivers an unknown value, as the result or to the place that the first argument points to."""
    value = device.fresh(machine, target, _element(call, writes=False))
    if not isinstance(call.type, VoidType):
        return value
    store(machine, state, first, value, _element(call, writes=False), call.span)
    return OPAQUE


def _assume(device: DeviceSemantics, machine: Machine, text: str, span: Span) -> None:
    if not machine.speculative:
        device.assumptions.assume(text, span)
