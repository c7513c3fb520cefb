"""Models of C++ algorithms that put the pointers of an array in another order: buffers that take turns.

    std::rotate(field.begin(), field.begin() + 1, field.end());   // three fields: next, now, before

The elements are pointers or smart pointers, and the places are known (C++ [alg.rotate], [alg.reverse], [alg.swap]).
"""

from __future__ import annotations

from typing import Final

from hgrd.host.execution.library_call import LibraryCall
from hgrd.program.types import POINTER_SIZE, PointerType, Type
from hgrd.symbolic.memory.lvalues import load, store
from hgrd.symbolic.pointers import move
from hgrd.symbolic.values import OPAQUE, Pointer, PointerValue, Value
from hgrd.terms import const

REORDERING: Final = ("swap", "rotate", "reverse", "iter_swap")
_MOST: Final = 64  # elements


def rotated(call: LibraryCall) -> Value | None:
    """`std::rotate(first, middle, last)`: what stands at `middle` comes first."""
    first, middle = _place(call, 0), _place(call, 1)
    if first is None or middle is None or len(call.arguments) != 3:
        return None
    values, ahead = _pointers(call, first, _place(call, 2)), (middle - first) // POINTER_SIZE
    if values is None or not 0 <= ahead <= len(values):
        return None
    _put(call, [*values[ahead:], *values[:ahead]])
    return move(call.arguments[0], const((len(values) - ahead) * POINTER_SIZE))


def reversed_pointers(call: LibraryCall) -> Value | None:
    """`std::reverse(first, last)`."""
    first = _place(call, 0)
    values = None if first is None or len(call.arguments) != 2 else _pointers(call, first, _place(call, 1))
    if values is None:
        return None
    _put(call, values[::-1])
    return OPAQUE


def swapped(call: LibraryCall) -> Value | None:
    """`std::iter_swap(a, b)`: two places change what they hold."""
    type_ = _element(call)
    if type_ is None or len(call.arguments) != 2 or call.type_of(0) != call.type_of(1):
        return None
    one, other = (load(call.machine, call.state, place, type_, call.span) for place in call.arguments)
    if not isinstance(one, PointerValue) or not isinstance(other, PointerValue):
        return None
    store(call.machine, call.state, call.arguments[0], other, type_, call.span)
    store(call.machine, call.state, call.arguments[1], one, type_, call.span)
    return OPAQUE


def _place(call: LibraryCall, index: int) -> int | None:
    """Where in the array of the first argument another one points to, in bytes; None: it is not known."""
    match call.arguments[0], call.arguments[index] if index < len(call.arguments) else None:
        case Pointer(target=array), Pointer(target=target, offset=at) if at.is_const and array.key == target.key:
            return at.value
        case _:
            return None


def _element(call: LibraryCall) -> Type | None:
    """The type of the elements, which are as big as pointers; None: they are something else."""
    type_ = call.type_of(0)
    to = type_.to if isinstance(type_, PointerType) else None
    return to if to is not None and call.machine.size(to) == POINTER_SIZE else None


def _pointers(call: LibraryCall, first: int, last: int | None) -> list[Value] | None:
    """The pointers in [first, last) of the array that the first argument leads to; None: they are not known."""
    type_ = _element(call)
    if type_ is None or last is None or not 0 <= last - first <= _MOST * POINTER_SIZE:
        return None
    values = [load(call.machine, call.state, place, type_, call.span) for place in _places(call, last - first)]
    return values if all(isinstance(value, PointerValue) for value in values) else None


def _put(call: LibraryCall, values: list[Value]) -> None:
    type_ = _element(call)
    assert type_ is not None
    for place, value in zip(_places(call, len(values) * POINTER_SIZE), values, strict=True):
        store(call.machine, call.state, place, value, type_, call.span)


def _places(call: LibraryCall, size: int) -> list[Value]:
    return [move(call.arguments[0], const(at)) for at in range(0, size, POINTER_SIZE)]
