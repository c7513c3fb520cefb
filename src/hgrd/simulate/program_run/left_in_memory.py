"""What a kernel leaves in memory, taken over into the objects of the concrete run of the host code.

Numbers are known by the kind of number that was stored, members of records and of vectors (`float4`) by what stood
there before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hgrd.host.concrete.state.machine import Machine
from hgrd.host.concrete.state.memory import forget, store, within
from hgrd.host.concrete.state.numbers import KNOWN, LOST, numbers_of
from hgrd.host.concrete.state.values import UNKNOWN, Cell, Object, Pointer
from hgrd.program.span import Span
from hgrd.program.types import CHAR, BoolType, FloatType, IntType, Type
from hgrd.simulate.lockstep.memory import SHIFT, Memory
from hgrd.simulate.program_run.launch_memory import LaunchMemory
from hgrd.simulate.trace import Touch

_MOST: Final = 1 << 23  # elements that a kernel leaves in an object, and that are taken over
_ONE_BY_ONE: Final = 1 << 17


class _Stored(Struct, frozen=True):
    """An element that a kernel has stored: its place, type and value (None: perhaps another address)."""

    at: int
    type: Type
    value: int | float | Pointer | None


def take_over(
    machine: Machine,
    objects: Sequence[Object],
    found: LaunchMemory,
    stores: Mapping[int, Sequence[Touch]],
    span: Span,
    sure: tuple[bool, bool],
) -> None:
    """Gives objects what a kernel has left in memory; `sure`: whether numbers, and floating-point ones, are known."""
    addresses = {id(target): address for target, address in zip(objects, found.addresses, strict=True)}
    for target in objects:
        number = addresses[id(target)] >> SHIFT
        events = stores.get(number, ())
        many = sum(len(e.threads) for e in events)
        if many <= _MOST and _left_numbers(target, found.memory, number, events, sure):
            target.written = span if events else target.written
            continue
        stored = None if many > _ONE_BY_ONE else _stored(target, found.memory, number, events, addresses)
        if stored is None:
            forget(target)
            continue
        for one in stored:
            known = one.value if sure[isinstance(one.type, FloatType)] and one.value is not None else UNKNOWN
            store(Pointer(target, one.at), known, one.type, machine.records, span)


def _left_numbers(
    target: Object, memory: Memory, number: int, events: Sequence[Touch], sure: tuple[bool, bool]
) -> bool:
    """Takes over numbers of one type that stand where an array has them; whether these are all."""
    dtypes = {e.values.dtype if e.values is not None and e.values.ndim == 1 else None for e in events}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if dtype is None or any(e.size != dtype.itemsize for e in events):
        return not events
    type_, size = _type_of(dtype), dtype.itemsize
    numbers = target.numbers if target.numbers is not None or target.held else numbers_of(type_, size)
    offsets = np.unique(np.concatenate([e.offsets for e in events]))
    if numbers is None or numbers.type != type_ or not len(offsets) or (offsets % size).any():
        return False
    values = memory.objects[number].data[offsets[:, None] + np.arange(size)].view(dtype)[:, 0]
    if dtype.kind in "iu" and not np.isin(values.astype(np.int64) >> SHIFT, list(memory.objects), invert=True).all():
        return False  # perhaps another address
    if not numbers.reach(int(offsets[-1]) // size + 1):
        return False
    np.frombuffer(numbers.values, dtype)[offsets // size] = values
    np.frombuffer(numbers.states, np.uint8)[offsets // size] = KNOWN if sure[dtype.kind == "f"] else LOST
    target.numbers = numbers
    return True


def _stored(
    target: Object, memory: Memory, number: int, events: Sequence[Touch], addresses: Mapping[int, int]
) -> list[_Stored] | None:
    """The elements that a kernel has stored into an object; None where it is not known what some of them are."""
    places: dict[np.dtype[Any], list[NDArray[np.int64]]] = defaultdict(list)
    found: list[_Stored] = []
    for event in events:
        values = event.values
        if values is None:
            found += _members(target, memory.objects[number].data, event, addresses)
        elif values.ndim != 1 or values.dtype.itemsize != event.size or values.dtype.kind not in "iufb":
            return None
        else:
            places[values.dtype].append(event.offsets)
    return [*found, *(one for dtype, offsets in places.items() for one in _elements(memory, number, dtype, offsets))]


def _elements(memory: Memory, number: int, dtype: np.dtype[Any], offsets: list[NDArray[np.int64]]) -> Iterator[_Stored]:
    unique = np.unique(np.concatenate(offsets))
    rows = memory.objects[number].data[unique[:, None] + np.arange(dtype.itemsize)]
    for at, value in zip(unique.tolist(), rows.copy().view(dtype)[:, 0].tolist(), strict=True):
        leads = isinstance(value, int) and value >> SHIFT in memory.objects
        yield _Stored(at, _type_of(dtype), None if leads else value)


def _members(target: Object, data: NDArray[np.uint8], event: Touch, addresses: Mapping[int, int]) -> Iterator[_Stored]:
    """The members of records that an event stores; of bytes that were no member's nothing is known afterwards."""
    for offset in event.offsets.tolist():
        cells = within(target, offset, offset + event.size)
        for at, cell in cells.items():
            held = data[offset + at : offset + at + cell.size].tobytes()
            yield _Stored(offset + at, cell.type, _value(cell, held, addresses))
        if target.zero:
            covered = {at + byte for at, cell in cells.items() for byte in range(cell.size)}
            yield from (_Stored(offset + byte, CHAR, None) for byte in range(event.size) if byte not in covered)


def _value(cell: Cell, held: bytes, addresses: Mapping[int, int]) -> int | float | Pointer | None:
    """What bytes are, which stand where a value stood: a number, or the same address."""
    match cell.type, cell.value:
        case (BoolType() | IntType()) as type_, _:
            return int.from_bytes(held, "little", signed=isinstance(type_, IntType) and type_.signed)
        case FloatType(bits=32 | 64 as bits), _:
            return float(np.frombuffer(held, f"<f{bits // 8}")[0])
        case _, Pointer(target=target, offset=int(offset)) as pointer if id(target) in addresses:
            return pointer if int.from_bytes(held, "little") == addresses[id(target)] + offset else None
        case _:
            return None


def _type_of(dtype: np.dtype[Any]) -> Type:
    bits = 8 * dtype.itemsize
    match dtype.kind:
        case "b":
            return BoolType()
        case "f":
            return FloatType(bits)
        case kind:
            return IntType(bits, kind == "i")
