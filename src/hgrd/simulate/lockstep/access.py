"""Accesses of groups of threads: reads and writes of numbers and records, told to the observer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.program.span import NOWHERE, Span
from hgrd.simulate.lockstep.arithmetic import DType, Value, uniform
from hgrd.simulate.lockstep.instructions import ActiveThreads, Parameter, TrapError, UnsupportedError
from hgrd.simulate.lockstep.memory import (
    AccessError,
    Allocation,
    At,
    Home,
    Scattered,
    byte_indexes,
    decoded,
    element_indexes,
    numbers_of,
)
from hgrd.simulate.lockstep.thread_numbers import launch_threads, rows_of
from hgrd.simulate.trace import MemoryOrder, Touch

_BETWEEN, _MOST_OWN = 256, 1 << 32  # bytes between objects of the heap, and of all that threads get at once
SPACES = {Home.GLOBAL: Space.GLOBAL, Home.SHARED: Space.SHARED}


class BoundsError(TrapError):
    """An access outside of all objects."""


class SourceAccess:
    """A place in the source where memory is read or written; `number` is its site's."""

    __slots__ = ("dtype", "kind", "number", "order", "scope", "span")

    def __init__(
        self, number: int, dtype: DType, kind: AccessKind, span: Span, order: MemoryOrder, scope: Scope | None = None
    ) -> None:
        self.number = number
        self.dtype = dtype
        self.kind = kind
        self.span = span
        self.order = order
        self.scope = scope


def located(
    here: ActiveThreads, pointers: Value, run: Callable[[ActiveThreads, At, NDArray[np.bool_]], Value]
) -> Value:
    """Calls `run` for each object that the threads' pointers point into, with those threads.

    Its results are merged into one value of all threads.
    """
    numbers: NDArray[np.int64] = numbers_of(pointers)
    found: Value = None
    for number in np.unique(numbers):
        mask = numbers == number
        at = decoded(pointers[mask])
        assert isinstance(at, At)
        part = run(here.narrowed(mask), at, mask)
        if part is None:
            continue
        if found is None:
            found = np.zeros((here.count, *part.shape[1:]), part.dtype)
        found[mask] = part
    return found


def read(here: ActiveThreads, at: At | Scattered, access: SourceAccess) -> Value:
    """The values at a place."""
    return _values(here, at, access, told=True)


def peek(here: ActiveThreads, at: At | Scattered, access: SourceAccess) -> Value:
    """The values at a place, of which no observer is told."""
    return _values(here, at, access, told=False)


def _values(here: ActiveThreads, at: At | Scattered, access: SourceAccess, *, told: bool) -> Value:
    if isinstance(at, Scattered):
        return located(here, at.pointers, lambda part, where, _: _values(part, where, access, told=told))
    target, indexes, aligned = _resolve(here, at, access)
    if aligned:
        values: Value = target.view(access.dtype)[indexes]
    else:
        raw = np.ascontiguousarray(target.data[indexes])
        values = raw.view(access.dtype)[:, 0]
    if access.dtype.kind == "V":
        values = np.broadcast_to(np.asarray(values), (here.count,)).copy()
    if told and here.batch.observer is not None and target.home in SPACES:
        touch(here, target, at, access, values)
    if access.dtype.kind == "V":
        return values.view(np.uint8).reshape(here.count, -1)
    return values


def write(here: ActiveThreads, at: At | Scattered, access: SourceAccess, values: Value) -> None:
    """Stores values; if several threads store to one place, the value of the last stays."""
    if isinstance(at, Scattered):
        located(here, at.pointers, lambda part, where, mask: write(part, where, access, chosen(values, mask)))
        return
    target, indexes, aligned = _resolve(here, at, access)
    if target.home is Home.CONSTANT:
        raise BoundsError(f"a write to {target.name}, which is constant", access.span, int(launch_threads(here)[0]))
    if access.dtype.kind == "V":
        values = np.ascontiguousarray(values).view(access.dtype)[:, 0]
    if here.batch.observer is not None and target.home in SPACES:
        touch(here, target, at, access, values)
    if aligned:
        many_to_one = uniform(indexes) and not uniform(values)
        target.view(access.dtype)[indexes] = values[-1] if many_to_one else values
    else:
        spread_out = np.ascontiguousarray(np.broadcast_to(np.asarray(values, access.dtype), (here.count,)))
        target.data[indexes] = spread_out.view(np.uint8).reshape(here.count, -1)


def chosen(values: Value, mask: NDArray[np.bool_]) -> Value:
    """The values of some of the threads."""
    return values if uniform(values) else values[mask]


def _resolve(here: ActiveThreads, at: At, access: SourceAccess) -> tuple[Allocation, Value, bool]:
    """The object, and indexes into its elements (True) or, where they are not aligned, its bytes."""
    try:
        target = here.batch.memory.find(at)
        rows = rows_of(here, target.home)
        indexes = element_indexes(target, at, access.dtype, rows)
        if indexes is not None:
            return target, indexes, True
        return target, byte_indexes(target, at, access.dtype.itemsize, rows, here.count), False
    except AccessError as error:
        thread = int(launch_threads(here)[error.position])
        raise BoundsError(error.reason, access.span, thread) from None


def place(here: ActiveThreads, at: At, access: SourceAccess) -> tuple[Allocation, NDArray[np.int64]]:
    """The object and the indexes of its elements, one per thread (for atomics)."""
    target, indexes, aligned = _resolve(here, at, access)
    if not aligned:
        raise UnsupportedError("an atomic on an address that is not aligned", access.span)
    return target, np.ascontiguousarray(np.broadcast_to(np.asarray(indexes, np.int64), (here.count,)))


def touch(
    here: ActiveThreads, target: Allocation, at: At, access: SourceAccess, values: Value, before: Value = None
) -> None:
    """Reports an access to the observer, if there is one."""
    observer = here.batch.observer
    if observer is None or target.home not in SPACES:
        return
    count = here.count

    def each(value: Value) -> NDArray[Any]:
        return np.broadcast_to(np.asarray(value), (count,))

    offsets = each(np.asarray(at.offsets(), np.int64))
    observer.touch(
        Touch(
            access.number,
            target.number,
            SPACES[target.home],
            launch_threads(here),
            offsets,
            access.dtype.itemsize,
            access.kind,
            access.scope,
            access.order,
            None if access.dtype.kind == "V" else each(values),
            None if before is None else each(before),
        )
    )


def own_memory(here: ActiveThreads, sizes: Value) -> Value:
    """The addresses of new objects in global memory, one for each thread, of so many bytes: in rows of one object."""
    row = int(np.max(sizes)) + _BETWEEN
    if not 0 < row * here.count <= _MOST_OWN:
        raise UnsupportedError(f"{row} bytes of the heap for each of {here.count} threads", NOWHERE)
    start = here.batch.memory.allocate("new", row * here.count)
    return start + np.arange(here.count, dtype=np.int64) * row


def pass_argument(here: ActiveThreads, parameter: Parameter, value: Value) -> None:
    """Stores an argument in a new activation."""
    if parameter.size == 0:
        here.frame.slots[parameter.number].store(here.lanes, value)
        return
    access = SourceAccess(-1, parameter.dtype, AccessKind.WRITE, NOWHERE, MemoryOrder.PLAIN)
    if parameter.dtype.kind == "V" and len(value) != here.count:
        value = np.broadcast_to(value, (here.count, parameter.size))
    write(here, At(here.frame.objects[parameter.number], np.int64(0)), access, value)
