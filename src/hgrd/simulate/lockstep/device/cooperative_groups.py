"""Cooperative groups: handles, ranks, barriers and exchanges of blocks, grids, tiles and coalesced groups.

A handle holds the lanes of the warp for a coalesced group, the size for a thread_group made by tiled_partition, and
for a tile of a tile the size of that; other groups follow from their types (CUDA Programming Guide, "Cooperative
Groups").
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.groups import FUNCTIONS, Group, GroupCall, group_type
from hgrd.cuda.limits import WARP_SIZE
from hgrd.cuda.memory_model import Scope
from hgrd.program import expressions as ir
from hgrd.program.types import PointerType, VoidType
from hgrd.simulate.lockstep.arithmetic import Value
from hgrd.simulate.lockstep.builder import CodeBuilder, arguments_of, fails, group_name, nothing
from hgrd.simulate.lockstep.device import warp_exchange as warps
from hgrd.simulate.lockstep.device.barriers_and_votes import meet
from hgrd.simulate.lockstep.device.integers import popcount
from hgrd.simulate.lockstep.instructions import ActiveThreads, Closure, Meet
from hgrd.simulate.lockstep.thread_numbers import (
    builtin,
    grid_ranks,
    lane_numbers,
    spread,
    threads_in_block,
    warp_numbers,
)

_HANDLES = ("this_thread_block", "this_grid")
_EXCHANGES = (GroupCall.SHUFFLE, GroupCall.VOTE, GroupCall.REDUCE, GroupCall.SCAN)
_FOLDING = (GroupCall.REDUCE, GroupCall.SCAN)
_NO_EXCHANGES = ("match_all",)
_FOLDS = {
    "plus": "add", "less": "min", "greater": "max", "bit_and": "and", "bit_or": "or", "bit_xor": "xor",
}  # fmt: skip


def group_call(b: CodeBuilder, e: ir.Call) -> Closure | None:
    """None for functions that are not about groups."""
    name = e.function.name
    if name in _HANDLES:
        return lambda here: np.int64(0)
    if name == "coalesced_threads":
        return b.spill(lambda here: warps.active_mask(here).astype(np.int64), e.type, e.span)
    if name in ("tiled_partition", "experimental_tiled_partition"):
        return _partition(b, e)
    text = group_name(e)
    if text is None:
        return None
    group = group_type(text)
    kind = text.partition("<")[0].rpartition("::")[2] if group is None else group.kind
    if kind == "thread_block":
        return _block(b, e)
    if kind == "grid_group":
        return _grid(b, e)
    if kind in ("thread_block_tile", "coalesced_group", "thread_group"):
        return _tile(b, e, Group("thread_group") if group is None else group)
    return fails(f"a call of {name} of {kind}", e.span)


def _partition(b: CodeBuilder, e: ir.Call) -> Closure:
    if len(e.arguments) < 2:
        divided = group_type(group_name(e) or "")
        if divided is None or (divided.size is None and divided.kind != "thread_block"):
            return fails("a tile of a group whose size is not known", e.span)
        size_of_parent = np.int64(divided.size or 0)
        return lambda here: size_of_parent
    if (group_name(e) or "").endswith("coalesced_group"):
        return fails("a partition of a coalesced group", e.span)
    size = b.lower(e.arguments[1])
    return lambda here: size(here).astype(np.int64)


def _block(b: CodeBuilder, e: ir.Call) -> Closure:
    name = e.function.name
    if FUNCTIONS.get(name) is GroupCall.BARRIER:
        b.emit(Meet(Scope.BLOCK, None, None, None, True, e.span, b.around))
        return nothing
    if name in _OF_BLOCK:
        return _number(b, e, _OF_BLOCK[name])
    if name in _VECTORS_OF_BLOCK:
        return _vector(_VECTORS_OF_BLOCK[name])
    return nothing if name == "thread_block" else fails(f"a call of {name} of a block", e.span)


def _grid(b: CodeBuilder, e: ir.Call) -> Closure:
    name = e.function.name
    if FUNCTIONS.get(name) is GroupCall.BARRIER:
        b.emit(Meet(Scope.DEVICE, None, None, None, True, e.span, b.around))
        b.code.waits = True
        return nothing
    if name in _OF_GRID:
        return _number(b, e, _OF_GRID[name])
    if name in _VECTORS_OF_GRID:
        return _vector(_VECTORS_OF_GRID[name])
    return fails(f"a call of {name} of a grid", e.span)


def _rank_in_grid(here: ActiveThreads) -> Value:
    return grid_ranks(here) * here.batch.block_threads + threads_in_block(here)


def _threads_of_block(here: ActiveThreads) -> Value:
    return np.int64(here.batch.block_threads)


def _threads_of_grid(here: ActiveThreads) -> Value:
    return np.int64(here.batch.launch.grid_blocks * here.batch.block_threads)


_OF_BLOCK: dict[str, Closure] = {
    "thread_rank": threads_in_block,
    "__leads": lambda here: threads_in_block(here) == 0,
    **dict.fromkeys(("size", "num_threads", "group_size"), _threads_of_block),
}
_VECTORS_OF_BLOCK = {
    "thread_index": "threadIdx", "group_index": "blockIdx", "group_dim": "blockDim", "dim_threads": "blockDim",
}  # fmt: skip
_OF_GRID: dict[str, Closure] = {
    "thread_rank": _rank_in_grid,
    **dict.fromkeys(("size", "num_threads"), _threads_of_grid),
    "block_rank": grid_ranks,
    "num_blocks": lambda here: np.int64(here.batch.launch.grid_blocks),
    "is_valid": lambda here: np.int64(1),
}
_VECTORS_OF_GRID = {"group_dim": "gridDim", "dim_blocks": "gridDim", "block_index": "blockIdx"}


def _number(b: CodeBuilder, e: ir.Call, value: Closure) -> Closure:
    dtype = b.unit.dtype(e.type)
    return fails(f"a call of {e.function.name}", e.span) if dtype is None else lambda here: value(here).astype(dtype)


def _vector(name: str) -> Closure:
    def run(here: ActiveThreads) -> Value:
        rows = np.zeros((here.count, 12), np.uint8)
        cells = rows.view(np.uint32)
        for i, axis in enumerate("xyz"):
            cells[:, i] = builtin(here, f"{name}.{axis}")
        return rows

    return run


# ---------------------------------------------------------------- parts of a warp


def _tile(b: CodeBuilder, e: ir.Call, group: Group) -> Closure:
    """A call of a tile, or of a group of no known size, whose handle says which lanes."""
    name, size = e.function.name, group.size
    if size is not None and size > WARP_SIZE:
        return fails("a tile of several warps", e.span)
    members = _members(b, e, size)
    if FUNCTIONS.get(name) is GroupCall.BARRIER:
        b.emit(Meet(Scope.WARP, members, None, None, True, e.span, b.around))
        return nothing
    if name in _OF_TILE:
        tell = _OF_TILE[name]
        return _number(b, e, lambda here: tell(here, members(here)))
    if size is not None and name in _AMONG_TILES:
        place, parent = _AMONG_TILES[name], _handle(b, e)
        return _number(b, e, lambda here: place(here, size, spread(here, parent(here)).astype(np.int64)))
    if FUNCTIONS.get(name) in _EXCHANGES and name not in _NO_EXCHANGES:
        values = arguments_of(b, e.arguments[1:2] if FUNCTIONS.get(name) in _FOLDING else e.arguments[1:3])
        exchange = _exchange(name, e, values, members)
        return meet(b, e, Scope.WARP, members, exchange) if exchange is not None else fails("a reduction", e.span)
    if FUNCTIONS.get(name) is GroupCall.PART and len(e.arguments) == 2:
        (label,) = arguments_of(b, e.arguments[1:])
        return meet(b, e, Scope.WARP, members, lambda here: _alike(here, label(here), members(here)))
    if isinstance(e.type, VoidType) and name not in FUNCTIONS:  # it constructs a handle
        return nothing
    return fails(f"a call of {name} of a tile", e.span)


def _alike(here: ActiveThreads, label: Value, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """The members that have the label of the thread: of binary_partition and labeled_partition."""
    return warps.matching(here, label).astype(np.int64) & members


def _exchange(name: str, e: ir.Call, values: tuple[Closure, ...], members: Closure) -> Closure | None:
    if FUNCTIONS.get(name) in _FOLDING:
        functor = str(e.arguments[2].type) if len(e.arguments) > 2 else "::plus"
        kind = next((fold for word, fold in _FOLDS.items() if f"::{word}" in functor), None)
        if name != "reduce":
            own = name == "inclusive_scan"
            scan = kind == "add" or (own and kind is not None)
            return (lambda here: _scanned(here, kind or "", values[0](here), members(here), own=own)) if scan else None
        return None if kind is None else (lambda here: _reduced(here, kind, values[0](here), members(here)))
    if name == "__of_leader":
        return lambda here: _shuffled(here, "", values[0](here), np.int64(0), members(here))
    if FUNCTIONS.get(name) is GroupCall.SHUFFLE:
        kind = name.removeprefix("shfl").removeprefix("_")
        return lambda here: _shuffled(here, kind, values[0](here), values[1](here), members(here))
    return lambda here: _voted(here, name, values[0](here), members(here))


def _members(b: CodeBuilder, e: ir.Call, size: int | None) -> Closure:
    """The lanes of the warp that are in the group, as bits."""
    if size is not None:
        ones = np.int64((1 << size) - 1)
        return lambda here: np.left_shift(ones, lane_numbers(here) & ~np.int64(size - 1))
    handle = _handle(b, e)
    if (group_name(e) or "").endswith("coalesced_group"):
        return lambda here: spread(here, handle(here)).astype(np.int64)

    def sized(here: ActiveThreads) -> Value:
        wide = np.maximum(spread(here, handle(here)).astype(np.int64), 1)
        return np.left_shift((np.int64(1) << wide) - 1, lane_numbers(here) & ~(wide - 1))

    return sized


def _handle(b: CodeBuilder, e: ir.Call) -> Closure:
    argument = e.arguments[0]
    if isinstance(argument.type, PointerType):
        argument = ir.Load(ir.Deref(argument, argument.type.to, e.span), argument.type.to, e.span)
    return b.lower(argument)


def _rank(here: ActiveThreads, members: NDArray[np.int64]) -> NDArray[np.int64]:
    below = np.left_shift(np.int64(1), lane_numbers(here)) - 1
    return popcount(members & below).astype(np.int64)


def _count(here: ActiveThreads, members: NDArray[np.int64]) -> Value:
    return popcount(members)


_OF_TILE: dict[str, Callable[[ActiveThreads, NDArray[np.int64]], Value]] = {
    "thread_rank": _rank,
    "__leads": lambda here, members: _rank(here, members) == 0,
    **dict.fromkeys(("size", "num_threads", "group_size"), _count),
}
_AMONG_TILES: dict[str, Callable[[ActiveThreads, int, NDArray[np.int64]], Value]] = {
    "meta_group_rank": lambda here, size, parent: threads_in_block(here) % _whole(here, parent) // size,
    "meta_group_size": lambda here, size, parent: -(-_whole(here, parent) // size),
}


def _whole(here: ActiveThreads, parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sizes of what tiles are parts of; 0: of the block."""
    return np.where(parent == 0, here.batch.block_threads, parent)


_CALLS = (*_EXCHANGES, GroupCall.BARRIER, GroupCall.PART)
MEANINGS: frozenset[str] = frozenset(
    {*_HANDLES, *_OF_BLOCK, *_VECTORS_OF_BLOCK, *_OF_GRID, *_VECTORS_OF_GRID, *_OF_TILE, *_AMONG_TILES}
    | {name for name, kind in FUNCTIONS.items() if kind in _CALLS}
).difference(_NO_EXCHANGES)
"""The functions of groups that have a meaning for groups of threads, of some type of group at least."""


def _lane_of(members: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lane of a rank in the group; 32 where there is none."""
    left, found = rank.copy(), np.full(rank.shape, WARP_SIZE)
    for lane in range(WARP_SIZE):
        there = (members >> lane) & 1 == 1
        found = np.where(there & (left == 0), lane, found)
        left = left - there
    return found


def _shuffled(here: ActiveThreads, kind: str, value: Value, operand: Value, members: NDArray[np.int64]) -> Value:
    rank, amount = _rank(here, members), spread(here, operand).astype(np.int64)
    size = popcount(members).astype(np.int64)
    to = {"up": rank - amount, "down": rank + amount, "xor": rank ^ amount}
    source = to[kind] if kind else amount % size
    inside = (source >= 0) & (source < size)
    lanes = _lane_of(members, np.where(inside, source, rank))
    return warps.from_lanes(here, value, lanes)


def _voted(here: ActiveThreads, kind: str, value: Value, members: NDArray[np.int64]) -> Value:
    if kind == "match_any":
        yes = warps.matching(here, value).astype(np.int64) & members
    else:
        yes = warps.bits_of(here, value) & members
    match kind:
        case "any":
            return (yes != 0).astype(np.int32)
        case "all":
            return (yes == members & warps.bits_of(here, np.bool_(True))).astype(np.int32)
        case _:
            return _compressed(members, yes).astype(np.uint32)


def _compressed(members: NDArray[np.int64], bits: NDArray[np.int64]) -> NDArray[np.int64]:
    """The bits of the members, by rank."""
    found, rank = np.zeros_like(bits), np.zeros_like(bits)
    for lane in range(WARP_SIZE):
        there = (members >> lane) & 1
        found |= ((bits >> lane) & there) << rank
        rank += there
    return found


def _reduced(here: ActiveThreads, kind: str, value: Value, members: NDArray[np.int64]) -> Value:
    values = spread(here, value)
    lowest = members & -members
    keys = warp_numbers(here) << 32 | lowest
    order = np.argsort(keys, kind="stable")
    _, index = np.unique(keys[order], return_inverse=True)
    starts: NDArray[np.intp] = np.searchsorted(index, np.arange(int(index.max()) + 1))
    found = np.empty_like(values)
    found[order] = warps.FOLDS[kind].reduceat(values[order], starts)[index]
    return found


def _scanned(here: ActiveThreads, kind: str, value: Value, members: NDArray[np.int64], *, own: bool) -> Value:
    """The values of the lower ranks, and the thread's `own`, folded; of no ranks: 0."""
    values, rank = spread(here, value), _rank(here, members)
    found = values.copy() if own else np.zeros_like(values)
    for lower in range(WARP_SIZE - 1):
        before = rank > lower
        given = warps.from_lanes(here, values, _lane_of(members, np.full(rank.shape, lower)))
        found[before] = warps.FOLDS[kind](given[before], found[before])
    return found
