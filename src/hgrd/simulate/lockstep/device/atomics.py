"""Atomic functions: threads that meet at an address take turns in the order of their numbers.

CUDA Programming Guide, "Atomic Functions".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from hgrd.cuda.atomics import AtomicFunction, StdMemoryOrder, atomic_function, memory_order, nv_thread_scope
from hgrd.cuda.memory_model import AccessKind, Scope
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType, Type, VoidType
from hgrd.simulate.lockstep.access import SourceAccess, chosen, located, place, touch
from hgrd.simulate.lockstep.arithmetic import Value, conversion
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure
from hgrd.simulate.lockstep.lvalues import Locator, storer, target
from hgrd.simulate.lockstep.memory import At, Scattered, decoded
from hgrd.simulate.trace import MemoryOrder

Array = NDArray[Any]

_FOLDS: dict[str, np.ufunc] = {
    "add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
    "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


ORDERS = {
    StdMemoryOrder.RELAXED: MemoryOrder.RELAXED,
    StdMemoryOrder.CONSUME: MemoryOrder.ACQUIRE,
    StdMemoryOrder.ACQUIRE: MemoryOrder.ACQUIRE,
    StdMemoryOrder.RELEASE: MemoryOrder.RELEASE,
    StdMemoryOrder.ACQ_REL: MemoryOrder.ACQ_REL,
    StdMemoryOrder.SEQ_CST: MemoryOrder.ACQ_REL,
}


class AtomicOperation(Struct, frozen=True):
    """What is done to a number of `type`; `after`: the call gives what the operation leaves, not what it finds."""

    name: str
    type: Type
    scope: Scope
    order: MemoryOrder
    after: bool = False


def atomic_call(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """An atomic function of a pointer; None of other functions."""
    function = atomic_function(e.function.name)
    if function is None:
        return None
    operands = e.arguments[1 : 1 + function.operands]
    if function.scope is not None:
        operation = AtomicOperation(function.operation, _pointee(e), function.scope, MemoryOrder.RELAXED)
    else:
        return _with_order(b, e, function)
    return lowered(b, e, e.arguments[0], operation, operands)


def _pointee(e: ir.Call) -> Type:
    type_ = e.arguments[0].type
    return type_.to if isinstance(type_, PointerType) and not isinstance(type_.to, VoidType) else e.type


def _with_order(b: CodeBuilder, e: ir.Call, function: AtomicFunction) -> Closure:
    """An atomic function of a memory order and a scope."""
    said, type_ = e.arguments[function.orders_at :], _pointee(e)
    known = order_and_scope((said[0], *said[2:]) if function.exchanges else said)
    if known is None:
        return fails("an atomic whose memory order or scope is not constant", e.span)
    order, scope = known
    operation = AtomicOperation(function.operation, type_, scope, ORDERS[order])
    operands = e.arguments[1 : 1 + function.operands]
    if function.by_pointer and operands:
        operands = (*operands[:-1], ir.Load(ir.Deref(operands[-1], type_, e.span), type_, e.span))
    if function.exchanges:
        return compare_exchange(b, e, e.arguments[0], operation, operands)
    done = lowered(b, e, e.arguments[0], operation, operands)
    if not function.stores_result:
        return done
    put = storer(b, ir.Deref(e.arguments[1 + function.operands], type_, e.span), type_)

    def run(here: ActiveThreads) -> None:
        put(here, done(here))

    return run


def compare_exchange(
    b: CodeBuilder,
    e: ir.Call,
    address: ir.Expression,
    operation: AtomicOperation,
    operands: tuple[ir.Expression, ...],
) -> Closure:
    """Compare-and-swap with what the first operand points to, which becomes what was found."""
    type_ = operation.type
    dtype, place = b.unit.dtype(type_), ir.Deref(operands[0], type_, e.span)
    if dtype is None or dtype.kind == "V" or b.controls(operands[0]):
        return fails(f"{e.function.name} of such operands", e.span)
    new = ir.Convert(operands[1], type_, e.span)
    where, (desired,) = _where(b, address, (new,))
    expected, put = b.lower(ir.Load(place, type_, e.span)), storer(b, place, type_)
    access = b.unit.atomic_access(e.function.name, dtype, "cas", e.span, operation.order, operation.scope)

    def run(here: ActiveThreads) -> Value:
        hoped = expected(here)
        found = perform(here, where(here), access, "cas", [hoped, desired(here)])
        put(here, found)
        return np.equal(found, hoped)

    return run


def _where(
    b: CodeBuilder, address: ir.Expression, operands: tuple[ir.Expression, ...]
) -> tuple[Locator, list[Closure]]:
    """The place of an atomic operation and its operands, kept where code is run to find them."""
    if not any(map(b.controls, (address, *operands))):
        return target(b, address), list(arguments_of(b, operands))
    kept_address, *values = arguments_of(b, (address, *operands))
    return lambda here: decoded(kept_address(here)), values


def order_and_scope(arguments: tuple[ir.Expression, ...]) -> tuple[StdMemoryOrder, Scope] | None:
    """The last arguments of an `__nv_atomic_…` function; None: they are not constant.

    Without a scope argument it is that of the system.
    """
    order = memory_order(constant(arguments[0])) if arguments else StdMemoryOrder.SEQ_CST
    scope = nv_thread_scope(constant(arguments[1])) if len(arguments) > 1 else Scope.SYSTEM
    return None if order is None or scope is None else (order, scope)


def constant(e: ir.Expression | None) -> int | None:
    """The value of an integer constant; None for other expressions."""
    while isinstance(e, ir.Convert):
        e = e.operand
    return e.value if isinstance(e, ir.IntConst) else None


def lowered(
    b: CodeBuilder,
    e: ir.Call,
    address: ir.Expression,
    operation: AtomicOperation,
    operands: tuple[ir.Expression, ...],
) -> Closure:
    """The operation on the number at an address; its value is what was there before, or is `after`."""
    dtype = b.unit.dtype(operation.type)
    if dtype is None or dtype.kind == "V" or any(b.unit.dtype(x.type) is None for x in operands):
        return fails(f"{e.function.name} on a type that is no number", e.span)
    casts = [conversion(b.unit.dtype(x.type) or dtype, dtype) for x in operands]
    access = b.unit.atomic_access(e.function.name, dtype, operation.name, e.span, operation.order, operation.scope)
    where, values = _where(b, address, operands)

    def run(here: ActiveThreads) -> Value:
        at = where(here)
        amounts = [v(here) if c is None else c(v(here)) for v, c in zip(values, casts, strict=True)]
        return perform(here, at, access, operation.name, amounts, after=operation.after)

    return run


def perform(
    here: ActiveThreads,
    at: At | Scattered,
    access: SourceAccess,
    operation: str,
    operands: list[Value],
    *,
    after: bool = False,
) -> Value:
    """Does the operation for all threads and gives what each found before, or left `after`."""
    if isinstance(at, Scattered):
        return located(
            here,
            at.pointers,
            lambda part, where, mask: perform(
                part, where, access, operation, [chosen(v, mask) for v in operands], after=after
            ),
        )
    target, indexes = place(here, at, access)
    cells = target.view(access.dtype)
    order = np.argsort(indexes, kind="stable")
    inverse = np.empty_like(order)
    inverse[order] = np.arange(order.size)
    sorted_indexes = indexes[order]
    starts = np.flatnonzero(np.concatenate(([True], sorted_indexes[1:] != sorted_indexes[:-1])))
    turns = Turns(sorted_indexes, starts, cells)
    given = [np.broadcast_to(np.asarray(v, access.dtype), (here.count,))[order] for v in operands]
    found, left = (values[inverse] for values in turns.run(operation, given))
    cells[sorted_indexes[turns.ends]] = left[order][turns.ends]
    if here.batch.observer is not None:
        touch(here, target, at, access, left, found if access.kind is AccessKind.ATOMIC else None)
    return left if after else found


class Turns:
    """Threads sorted by address, those of one address in the order in which they come.

    `starts` are the positions where the addresses begin, `ends` where they end.
    """

    def __init__(self, indexes: Array, starts: Array, cells: Array) -> None:
        self.starts = starts
        self.lengths: Array = np.diff(np.append(starts, indexes.size))
        self.ends: Array = starts + self.lengths - 1
        self.group: Array = np.repeat(np.arange(starts.size), self.lengths)
        self.rank: Array = np.arange(indexes.size) - starts[self.group]
        self.first: Array = cells[indexes[starts]]  # what the addresses hold before anyone comes

    def run(self, operation: str, operands: list[Array]) -> tuple[Array, Array]:
        """What each finds, and what it leaves."""
        match operation:
            case "load":
                held = self.first[self.group]
                return held, held
            case "exch" | "store":
                return self._shifted(operands[0]), operands[0]
            case "cas":
                return self._compare_and_swap(*operands)
            case "inc" | "dec":
                return self._counted(operands[0], up=operation == "inc")
            case _:
                after = self._folded(_FOLDS[operation], operands[0])
                return self._shifted(after), after

    def _shifted(self, after: Array) -> Array:
        """What the one before in line has left."""
        before = np.empty_like(after)
        before[1:] = after[:-1]
        before[self.starts] = self.first
        return before

    def _folded(self, fold: np.ufunc, values: Array) -> Array:
        if values.dtype.kind in "iu" and fold in (np.add, np.subtract):
            total: Array = np.cumsum(values, dtype=values.dtype)
            ahead = total[self.starts] - values[self.starts]
            own: Array = total - ahead[self.group]
            held = self.first[self.group]
            return held + own if fold is np.add else held - own
        after = np.empty_like(values)
        longest = int(self.lengths.max())
        if self.starts.size <= longest:
            for start, end, held in zip(self.starts, self.ends, self.first, strict=True):
                line = np.concatenate(([held], values[start : end + 1]))
                after[start : end + 1] = fold.accumulate(line)[1:]
            return after
        held = self.first.copy()
        for turn in range(longest):
            there = self.lengths > turn
            at = self.starts[there] + turn
            held[there] = after[at] = fold(held[there], values[at])
        return after

    def _compare_and_swap(self, compare: Array, value: Array) -> tuple[Array, Array]:
        """Rounds: in each, the first in line that finds what it compares with stores."""
        held = self.first.copy()
        before, after = np.empty_like(value), np.empty_like(value)
        waiting = np.arange(value.size)
        while waiting.size:
            group = self.group[waiting]
            hits = waiting[compare[waiting] == held[group]]
            winner = np.full(self.starts.size, value.size)
            np.minimum.at(winner, self.group[hits], hits)
            done = waiting <= winner[group]
            now = waiting[done]
            before[now] = after[now] = held[self.group[now]]
            won = winner[winner < value.size]
            after[won] = held[self.group[won]] = value[won]
            waiting = waiting[~done]
        return before, after

    def _counted(self, limits: Array, *, up: bool) -> tuple[Array, Array]:
        """atomicInc and atomicDec wrap at a limit, which all at an address mostly share."""
        if np.all(limits == limits[self.starts][self.group]):
            return self._counted_evenly(limits.astype(np.int64), up)
        before, after = np.empty_like(limits), np.empty_like(limits)
        held = self.first.copy()
        for turn in range(int(self.lengths.max())):
            there = self.lengths > turn
            at = self.starts[there] + turn
            before[at] = held[there]
            after[at] = held[there] = _next(held[there], limits[at], up)
        return before, after

    def _counted_evenly(self, limit: Array, up: bool) -> tuple[Array, Array]:
        held = self.first.astype(np.int64)[self.group]
        cycle = limit + 1
        beyond = held > limit  # the first goes to the start of the cycle
        start = np.where(beyond, 0 if up else limit, held)
        steps = self.rank - beyond.astype(np.int64)
        before = np.where(beyond & (self.rank == 0), held, (start + (steps if up else -steps)) % cycle)
        last = (start + (steps + 1 if up else -(steps + 1))) % cycle
        return before.astype(self.first.dtype), last.astype(self.first.dtype)


def _next(held: Array, limit: Array, up: bool) -> Array:
    one = held.dtype.type(1)
    wraps = held >= limit if up else (held == 0) | (held > limit)
    found: Array = np.where(wraps, held.dtype.type(0) if up else limit, held + one if up else held - one)
    return found
