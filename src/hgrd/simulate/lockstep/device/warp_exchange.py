"""What the threads of a warp, or of a block, that have come together find out from each other.

CUDA Programming Guide, "Warp Shuffle Functions", "Warp Vote Functions"; PTX ISA, "shfl.sync".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.simulate.lockstep.arithmetic import Value, uniform
from hgrd.simulate.lockstep.instructions import ActiveThreads
from hgrd.simulate.lockstep.thread_numbers import block_rows, lane_numbers, spread, warp_numbers

Numbers = NDArray[np.int64]
FOLDS: dict[str, np.ufunc] = {
    "add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}  # fmt: skip


def from_lanes(here: ActiveThreads, value: Value, lanes: Numbers) -> Value:
    """The value that the given lane of each thread's warp has; its own where that lane is not here."""
    if uniform(value):
        return value
    warp = warp_numbers(here) * WARP_SIZE
    present = warp + lane_numbers(here)
    wanted = warp + lanes
    at = np.minimum(np.searchsorted(present, wanted), present.size - 1)
    at = np.where(present[at] == wanted, at, np.arange(present.size))
    return value[at]


def shuffle(here: ActiveThreads, kind: str, value: Value, operand: Value, width: Value) -> Value:
    """__shfl and its kin."""
    lane = lane_numbers(here)
    amount = spread(here, operand).astype(np.int64)
    wide = spread(here, width).astype(np.int64)
    start = lane & ~(wide - 1)
    match kind:
        case "up":
            source = lane - amount
            inside = source >= start
        case "down":
            source = lane + amount
            inside = source < start + wide
        case "xor":
            source = lane ^ amount
            inside = source < start + wide
        case _:
            source = start | (amount & (wide - 1))
            inside = np.ones(lane.shape, np.bool_)
    return from_lanes(here, value, np.where(inside, source, lane))


def bits_of(here: ActiveThreads, predicate: Value) -> Numbers:
    """For each thread: the lanes of its warp that are here and where the predicate holds."""
    groups, index = np.unique(warp_numbers(here), return_inverse=True)
    weights = np.where(spread(here, predicate) != 0, np.left_shift(np.int64(1), lane_numbers(here)), 0)
    total = np.zeros(groups.size, np.int64)
    np.add.at(total, index, weights)
    return total[index]


def active_mask(here: ActiveThreads) -> Value:
    return bits_of(here, np.bool_(True)).astype(np.uint32)


def vote(here: ActiveThreads, kind: str, predicate: Value) -> Value:
    yes = bits_of(here, predicate)
    if kind == "ballot":
        return yes.astype(np.uint32)
    everyone = bits_of(here, np.bool_(True))
    match kind:
        case "any":
            return (yes != 0).astype(np.int32)
        case "all":
            return (yes == everyone).astype(np.int32)
        case _:
            return ((yes == 0) | (yes == everyone)).astype(np.int32)


def reduction(here: ActiveThreads, kind: str, value: Value) -> Value:
    groups, index = np.unique(warp_numbers(here), return_inverse=True)
    values = spread(here, value)
    starts = np.searchsorted(index, np.arange(groups.size))
    return FOLDS[kind].reduceat(values, starts)[index].astype(values.dtype)


def matching(here: ActiveThreads, value: Value) -> Value:
    """__match_any_sync: the lanes that have the same value."""
    values = spread(here, value)
    _, code = np.unique(values, return_inverse=True)
    _, index = np.unique(warp_numbers(here) * (code.max() + 1) + code, return_inverse=True)
    total = np.zeros(index.max() + 1, np.int64)
    np.add.at(total, index, np.left_shift(np.int64(1), lane_numbers(here)))
    return total[index].astype(np.uint32)


def matching_all(here: ActiveThreads, value: Value) -> Value:
    """__match_all_sync: the lanes, where all have the same value; else none."""
    alike, everyone = matching(here, value), active_mask(here)
    return np.where(alike == everyone, everyone, np.uint32(0))


def block_vote(here: ActiveThreads, predicate: Value, kind: str) -> Value:
    """__syncthreads_count, _and, _or."""
    index = block_rows(here)
    yes = np.bincount(index, weights=spread(here, predicate) != 0, minlength=here.batch.blocks)
    if kind == "count":
        return yes[index].astype(np.int32)
    if kind == "or":
        return (yes[index] > 0).astype(np.int32)
    everyone = np.bincount(index, minlength=here.batch.blocks)
    return (yes == everyone)[index].astype(np.int32)
