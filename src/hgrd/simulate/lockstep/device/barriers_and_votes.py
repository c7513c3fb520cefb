"""Calls for which threads come together: barriers, votes, shuffles, cooperative groups.

CUDA Programming Guide, "Synchronization Functions", "Warp Vote Functions", "Warp Shuffle Functions",
"Cooperative Groups".
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hgrd.cuda.barrier_objects import BarrierCall
from hgrd.cuda.builtins import Builtin, Kind, builtin
from hgrd.cuda.limits import ALL_LANES, WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType
from hgrd.simulate.lockstep.access import peek
from hgrd.simulate.lockstep.arithmetic import U64, Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails, kept, nothing
from hgrd.simulate.lockstep.device import warp_exchange as warps
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, Meet
from hgrd.simulate.lockstep.lvalues import storer, target
from hgrd.simulate.lockstep.waits import LOOK, arrival, barrier_kind
from hgrd.simulate.trace import MemoryOrder


def meeting(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """A call for which threads come together, without a group; None of other functions."""
    row = builtin(e.function.name)
    meaning = None if row is None else MEANINGS.get(row.kind)
    return None if row is None or meaning is None else meaning(b, e, row)


def half_of_barrier(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """An arrival at a barrier in memory, or a look at one, of which no observer is told; None of other calls."""
    if e.function.name == LOOK:
        access = b.unit.atomic_access(LOOK, U64, "load", e.span, MemoryOrder.RELAXED, Scope.BLOCK)
        where = target(b, e.arguments[0])
        return lambda here: peek(here, where(here), access)
    return b.lower(arrival(e)) if barrier_kind(e) is BarrierCall.ARRIVE else None


def _block_barrier(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    if row.operation:
        (predicate,) = arguments_of(b, e.arguments)
        kind = row.operation
        return meet(b, e, Scope.BLOCK, None, lambda here: warps.block_vote(here, predicate(here), kind), orders=True)
    b.emit(Meet(Scope.BLOCK, None, None, None, True, e.span, b.around))
    return nothing


def _named_barrier(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    """A barrier with a constant number, of all threads of the block."""
    if row.operation or not _is_constant(e.arguments[0]):
        return fails("a barrier with a number", e.span)
    return _block_barrier(b, e, row)


def _warp_barrier(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    (mask,) = arguments_of(b, e.arguments) or (lambda here: np.uint32(ALL_LANES),)
    b.emit(Meet(Scope.WARP, mask, None, None, True, e.span, b.around))
    return nothing


def _active_mask(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure:
    return b.spill(warps.active_mask, e.type, e.span)


def _exchange(b: CodeBuilder, e: ir.Call, row: Builtin) -> Closure | None:
    """Shuffles, votes, matches and reductions of a warp; those without a mask do not wait."""
    if row.writes:
        return _match_of_all(b, e)
    values = list(arguments_of(b, e.arguments))
    mask, kind = values.pop(0) if row.masked else None, row.operation
    of = values[0]
    match row.kind:
        case Kind.SHUFFLE:
            lane = values[1]
            width: Closure = values[2] if len(values) > 2 else lambda here: np.int32(WARP_SIZE)
            exchange: Closure = lambda here: warps.shuffle(here, kind, of(here), lane(here), width(here))  # noqa: E731
        case Kind.VOTE:
            exchange = lambda here: warps.vote(here, kind, of(here))  # noqa: E731
        case Kind.REDUCE:
            exchange = lambda here: warps.reduction(here, kind, of(here))  # noqa: E731
        case _:
            exchange = lambda here: warps.matching(here, of(here))  # noqa: E731
    return meet(b, e, Scope.WARP, mask, exchange)


def _match_of_all(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """__match_all_sync: lanes where all have one value, else none; whether they have is stored."""
    pointer = e.arguments[2]
    if not isinstance(pointer.type, PointerType) or b.controls(pointer):
        return fails(f"{e.function.name} of such operands", e.span)
    mask, value = arguments_of(b, e.arguments[:2])
    put = storer(b, ir.Deref(pointer, pointer.type.to, e.span), pointer.type.to)
    lanes = meet(b, e, Scope.WARP, mask, lambda here: warps.matching_all(here, value(here)))

    def run(here: ActiveThreads) -> Value:
        found = lanes(here)
        put(here, (found != 0).astype(np.int32))
        return found

    return run


def meet(
    b: CodeBuilder, e: ir.Call, scope: Scope, mask: Closure | None, exchange: Closure, *, orders: bool = False
) -> Closure:
    """Threads come together; the value is that of the exchange.  Without a mask a warp does not wait."""
    dtype = b.unit.dtype(e.type)
    if dtype is None:
        return fails(f"{e.function.name} with a type of unknown size", e.span)

    def converted(here: ActiveThreads) -> Value:
        value = exchange(here)
        return value if dtype.kind == "V" or value.dtype == dtype else value.astype(dtype)

    if scope is Scope.WARP and mask is None:
        return b.spill(converted, e.type, e.span)
    number = b.slot(dtype)
    b.emit(Meet(scope, mask, converted, number, orders, e.span, b.around))
    return kept(number)


def _is_constant(e: ir.Expression) -> bool:
    while isinstance(e, ir.Convert):
        e = e.operand
    return isinstance(e, ir.IntConst)


MEANINGS: dict[Kind, Callable[[CodeBuilder, ir.Call, Builtin], Closure | None]] = {
    Kind.BLOCK_BARRIER: _block_barrier,
    Kind.NAMED_BARRIER: _named_barrier,
    Kind.WARP_BARRIER: _warp_barrier,
    Kind.ACTIVE_MASK: _active_mask,
    **dict.fromkeys((Kind.SHUFFLE, Kind.VOTE, Kind.MATCH, Kind.REDUCE), _exchange),
}
"""The meaning of each kind of device function for which threads come together."""
