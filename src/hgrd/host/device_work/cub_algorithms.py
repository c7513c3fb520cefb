"""Algorithms of CUB for the whole device: they run in a stream, while the host goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from hgrd.host.concurrency.trace import Touch, pointers_of
from hgrd.host.device_work.library_extents import Extent, elements, with_extent
from hgrd.host.device_work.work import (
    Role,
    add_work,
    held_touches,
    touches_in_role,
    without_reference,
)
from hgrd.host.execution.library_call import LibraryCall
from hgrd.program.types import VOID, IntType, OpaqueType, PointerType
from hgrd.symbolic.values import Composite, NullValue
from hgrd.terms import Term, const

_ROLES: Final = {"r": Role.READ, "w": Role.WRITTEN, "b": Role.UPDATED, "1": Role.WRITTEN}
_DEVICE_WIDE: Final[Mapping[str, str]] = {  # of the pointers behind the temporary storage, in each form; see `_touches`
    **dict.fromkeys(("Sum", "Min", "Max", "ArgMin", "ArgMax", "Reduce"), "R1 rwrr"),  # also of segments
    "TransformReduce": "rw",
    "ReduceByKey": "rwrww",
    **dict.fromkeys(("ExclusiveSum", "InclusiveSum"), "B RW"),
    **dict.fromkeys(("ExclusiveScan", "InclusiveScan"), "b rw"),
    **dict.fromkeys(
        ("ExclusiveSumByKey", "InclusiveSumByKey", "ExclusiveScanByKey", "InclusiveScanByKey"), "rrw"
    ),
    "Flagged": "BR1 RRw1",
    "If": "B1 Rw1 rwwww",
    "Unique": "B1 Rw1",
    "UniqueByKey": "rrwww",
    **dict.fromkeys(("SortKeys", "SortKeysDescending", "StableSortKeys", "StableSortKeysDescending"), "B RW rwrr"),
    **dict.fromkeys(("SortPairs", "SortPairsDescending", "StableSortPairs", "StableSortPairsDescending"),
                    "BB RWRW rwrwrr"),
    "SortKeysCopy": "rw",
    "SortPairsCopy": "rrww",
    **dict.fromkeys(("HistogramEven", "HistogramRange"), "rw rwr"),
    "MultiHistogramEven": "r",
    **dict.fromkeys(("Encode", "NonTrivialRuns"), "rwww"),
    "CsrMV": "rrrrw",
    "SubtractLeft": "b",
    "SubtractLeftCopy": "rw",
    "SubtractRight": "b",
    "SubtractRightCopy": "rw",
}  # fmt: skip
_STREAMS: Final = (PointerType(OpaqueType("CUstream_st")), PointerType(VOID))
_LOOPS: Final = ("Bulk", "ForEach", "ForEachN", "ForEachCopy", "ForEachCopyN")  # of cub::DeviceFor, without storage
_HOLDING: Final = ("Iterator", "_iterator", "DoubleBuffer", "device_ptr")
_GENERATED: Final = (
    "CountingInputIterator", "ConstantInputIterator", "DiscardOutputIterator", "counting_iterator",
    "constant_iterator", "discard_iterator",
)  # fmt: skip


def is_device_wide(call: LibraryCall) -> bool:
    """Whether a call is one of an algorithm of CUB for the whole device: these return before they are done.

    The first two arguments of most are the temporary storage and its size (CUB, "Device-wide primitives").
    """
    if call.call.function.user_code:
        return False
    size = call.type_of(1)
    stored = isinstance(size, PointerType) and size.reference and isinstance(size.to, IntType)
    return (call.name in _DEVICE_WIDE and stored) or (call.name in _LOOPS and _stream_at(call) is not None)


def add_device_wide(call: LibraryCall) -> None:
    """Adds an algorithm of CUB as work; without storage it only says how much of that it needs."""
    at, first = _stream_at(call), call.argument(0)
    stream = None if at is None else call.stream(at)
    if call.name in _LOOPS:
        indexes = (index for index in range(len(call.arguments)) if index != at)
        touches = [t for index in indexes for t in _touches_at(call, index, Role.UPDATED)]
        add_work(call, call.name, stream, touches)
    elif first is not None and not isinstance(first, NullValue):
        storage = touches_in_role(call, first, Role.UPDATED)
        add_work(call, call.name, stream, [*storage, *_touches(call, at)])


def _touches(call: LibraryCall, stream: int | None) -> Iterator[Touch]:
    """What an algorithm uses besides its storage: by the form that has as many pointers, else it may use all of it.

    A form has a letter for each pointer: a capital one for as many elements as the number behind the pointers says, a 1
    for one that is written.
    """
    indexes = [index for index in range(2, len(call.arguments)) if index != stream and _leads(call, index)]
    forms = _DEVICE_WIDE[call.name].split()
    form = next((form for form in forms if len(form) == len(indexes)), "?" * len(indexes))
    count = call.number(indexes[-1] + 1) if indexes else None
    for index, letter in zip(indexes, form, strict=True):
        role = _ROLES.get(letter.lower(), Role.UNKNOWN)
        amount = count if letter.isupper() else const(1) if letter == "1" else None
        extent, touches = _extent(call, index, amount), _touches_at(call, index, role)
        yield from touches if extent is None else (with_extent(touch, extent) for touch in touches)


def _extent(call: LibraryCall, index: int, count: Term | None) -> Extent | None:
    """So many elements behind a pointer; None: they are not known, or the argument is no pointer."""
    type_ = without_reference(call.type_of(index))
    size = call.machine.size(type_.to) if isinstance(type_, PointerType) else None
    return None if count is None or not size else elements(count, size)


def _leads(call: LibraryCall, index: int) -> bool:
    """Whether an argument is a pointer, or an iterator or pair of buffers, which has pointers."""
    value = call.argument(index)
    return _class_of(call, index).endswith(_HOLDING) or (value is not None and bool(pointers_of(value)))


def _touches_at(call: LibraryCall, index: int, role: Role) -> Iterator[Touch]:
    """What an algorithm uses by an argument; where its pointers are not seen, that may be any memory."""
    value, class_ = call.argument(index), _class_of(call, index)
    if value is None or class_.endswith(_GENERATED):
        return
    if pointers_of(value) or not isinstance(value, Composite):
        yield from touches_in_role(call, value, role)
    elif class_.endswith(_HOLDING):
        yield from held_touches(call, value, role)


def _class_of(call: LibraryCall, index: int) -> str:
    """The class of an argument, without its own arguments; "" where it is none of a library's."""
    type_ = without_reference(call.type_of(index))
    return type_.name.partition("<")[0].rpartition("::")[2] if isinstance(type_, OpaqueType) else ""


def _stream_at(call: LibraryCall) -> int | None:
    """The index of the argument that is a stream: the last one of its type, or of that of any handle."""
    types = {index: without_reference(call.type_of(index)) for index in range(1, len(call.arguments))}
    streams = ([index for index, type_ in types.items() if type_ == kind] for kind in _STREAMS)
    return next((found[-1] for found in streams if found), None)
