"""Calls for which threads come together: barriers, votes, shuffles, cooperative groups.

CUDA Programming Guide, "Synchronization Functions", "Warp Vote Functions", "Warp Shuffle Functions",
"Cooperative Groups".
"""

from __future__ import annotations

import re

import numpy as np

from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program import expressions as ir
from hgrd.program.types import OpaqueType, PointerType, RecordType, Type
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, fails, is_group, kept, nothing
from hgrd.simulate.lockstep.device import warp_exchange as warps
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, Meet

_SHUFFLE = re.compile(r"^__shfl(_up|_down|_xor)?(_sync)?$")
_VOTE = re.compile(r"^__(ballot|any|all|uni)(_sync)?$")
_REDUCE = re.compile(r"^__reduce_(add|min|max|and|or|xor)_sync$")
_BLOCK_BARRIERS = {"__syncthreads", "__barrier_sync", "__builtin_amdgcn_s_barrier"}
_BLOCK_VOTES = {"__syncthreads_count": "count", "__syncthreads_and": "and", "__syncthreads_or": "or"}
_MAKERS = {
    "this_thread_block", "this_grid", "tiled_partition", "coalesced_threads", "experimental_tiled_partition",
}  # fmt: skip
_EXCHANGES = {"shfl": "", "shfl_up": "_up", "shfl_down": "_down", "shfl_xor": "_xor"}
_TILE = re.compile(r"thread_block_tile<(\d+)")


def meets(e: ir.Call) -> bool:
    """Whether threads may have to wait for each other at this call."""
    name = e.function.name
    if name in _BLOCK_BARRIERS or name in _BLOCK_VOTES or name == "__syncwarp":
        return True
    if _SHUFFLE.match(name) or _VOTE.match(name) or _REDUCE.match(name) or name in ("__match_any_sync", "__activemask"):
        return True
    if name in _MAKERS:
        return True
    return group_type(e) is not None


def meets_widely(e: ir.Call) -> bool:
    """Whether it is a barrier of more than a warp."""
    name = e.function.name
    if name in _BLOCK_BARRIERS or name in _BLOCK_VOTES:
        return True
    group = group_type(e)
    return group is not None and name in ("sync", "synchronize") and tile_size(group) is None


def meeting(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """None for other functions."""
    from hgrd.simulate.lockstep.calls import arguments_of
    from hgrd.simulate.lockstep.device.cooperative_groups import group_call

    name = e.function.name
    if name in _BLOCK_BARRIERS:
        if e.arguments and not _is_zero(e.arguments[0]):
            return fails("a barrier with a number", e.span)
        b.emit(Meet(Scope.BLOCK, None, None, None, True, e.span, b.around))
        return nothing
    if name in _BLOCK_VOTES:
        (predicate,) = arguments_of(b, e.arguments)
        kind = _BLOCK_VOTES[name]
        return meet(b, e, Scope.BLOCK, None, lambda here: warps.block_vote(here, predicate(here), kind), orders=True)
    if name == "__syncwarp":
        (mask,) = arguments_of(b, e.arguments) or (lambda here: np.uint32(0xFFFFFFFF),)
        b.emit(Meet(Scope.WARP, mask, None, None, True, e.span, b.around))
        return nothing
    if name == "__activemask":
        return b.spill(warps.active_mask, e.type, e.span)
    return _exchange(b, e) or group_call(b, e)


def _exchange(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """Shuffles, votes, matches and reductions of a warp; those without a mask do not wait."""
    from hgrd.simulate.lockstep.calls import arguments_of

    name = e.function.name
    shuffle, vote, reduce = _SHUFFLE.match(name), _VOTE.match(name), _REDUCE.match(name)
    if not (shuffle or vote or reduce or name == "__match_any_sync"):
        return None
    values = list(arguments_of(b, e.arguments))
    mask = values.pop(0) if name.endswith("_sync") else None
    if shuffle:
        kind = shuffle[1] or ""
        value, lane = values[:2]
        width: Closure = values[2] if len(values) > 2 else lambda here: np.int32(WARP_SIZE)
        return meet(
            b, e, Scope.WARP, mask, lambda here: warps.shuffle(here, kind, value(here), lane(here), width(here))
        )
    of = values[0]
    if vote:
        kind = vote[1]
        return meet(b, e, Scope.WARP, mask, lambda here: warps.vote(here, kind, of(here)))
    if reduce:
        kind = reduce[1]
        return meet(b, e, Scope.WARP, mask, lambda here: warps.reduction(here, kind, of(here)))
    return meet(b, e, Scope.WARP, mask, lambda here: warps.matching(here, of(here)))


def meet(
    b: CodeBuilder, e: ir.Call, scope: Scope, mask: Closure | None, exchange: Closure, *, orders: bool = False
) -> Closure:
    """Emits the meeting; its value is that of the exchange.  Without a mask a warp does not wait."""
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


def _is_zero(e: ir.Expression) -> bool:
    while isinstance(e, ir.Convert):
        e = e.operand
    return isinstance(e, ir.IntConst) and e.value == 0


def group_type(e: ir.Call) -> str | None:
    """The group that a function or method of cooperative_groups is about."""
    if e.arguments:
        type_: Type = e.arguments[0].type
        while isinstance(type_, PointerType):
            type_ = type_.to
        if is_group(type_):
            return type_.name if isinstance(type_, OpaqueType) else type_.key if isinstance(type_, RecordType) else None
    elif e.function.qualified.startswith("cooperative_groups::") and "::" in e.function.qualified[20:]:
        return e.function.qualified.rpartition("::")[0]
    return None


def tile_size(group: str) -> int | None:
    match = _TILE.search(group)
    return None if match is None else int(match[1])
