"""Numbers of threads: in their blocks, warps and the launch, and the built-in variables made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.simulate.lockstep.arithmetic import Value, uniform
from hgrd.simulate.lockstep.instructions import ActiveThreads
from hgrd.simulate.lockstep.memory import Home


def spread(here: ActiveThreads, value: Value) -> NDArray[Any]:
    """The value with one entry per thread."""
    return np.full(here.lanes.count, value) if uniform(value) else value


def rows_of(here: ActiveThreads, home: Home) -> NDArray[np.int64] | None:
    """The copy of an object of `home` that each thread has; None if there is one for all."""
    if home is Home.LOCAL:
        return here.lanes.threads
    if home is Home.SHARED and here.batch.blocks > 1:
        return block_rows(here)
    return None


def block_rows(here: ActiveThreads) -> NDArray[np.int64]:
    """The number of each thread's block in the batch."""
    known = here.lanes.derived.get("block")
    if known is None:
        known = here.lanes.derived["block"] = here.lanes.threads // here.batch.block_threads
    return known


def threads_in_block(here: ActiveThreads) -> NDArray[np.int64]:
    """The linear number of each thread in its block (CUDA Programming Guide, "Thread Hierarchy")."""
    known = here.lanes.derived.get("thread")
    if known is None:
        known = here.lanes.derived["thread"] = here.lanes.threads % here.batch.block_threads
    return known


def lane_numbers(here: ActiveThreads) -> NDArray[np.int64]:
    """The lane of each thread in its warp."""
    return threads_in_block(here) % WARP_SIZE


def warp_numbers(here: ActiveThreads) -> NDArray[np.int64]:
    """Numbers of the threads' warps, in the batch."""
    known = here.lanes.derived.get("warp")
    if known is None:
        warps = -(-here.batch.block_threads // WARP_SIZE)
        known = here.lanes.derived["warp"] = block_rows(here) * warps + threads_in_block(here) // WARP_SIZE
    return known


def launch_threads(here: ActiveThreads) -> NDArray[np.int64]:
    """The numbers of the threads in the launch, of the blocks that run."""
    known = here.lanes.derived.get("launch")
    if known is None:
        first = here.batch.first_block * here.batch.block_threads
        known = here.lanes.derived["launch"] = here.lanes.threads + first
    return known


def builtin(here: ActiveThreads, name: str) -> Value:
    """`threadIdx.x` and the like, and `warpSize`."""
    known = here.lanes.derived.get(name)
    if known is None:
        known = here.lanes.derived[name] = _builtin(here, name)
    return known


def _builtin(here: ActiveThreads, name: str) -> Value:
    if name == "warpSize":
        return np.int32(WARP_SIZE)
    variable, _, axis = name.partition(".")
    launch, at = here.batch.launch, "xyz".index(axis)
    if variable == "blockDim":
        return np.uint32(launch.block[at])
    if variable == "gridDim":
        return np.uint32(launch.grid[at])
    if variable == "threadIdx":
        return _axis(launch.block, at, threads_in_block(here))
    if here.batch.blocks == 1:
        x, y, _ = launch.grid
        block = here.batch.first_block if launch.chosen is None else launch.chosen[here.batch.first_block]
        return np.uint32((block % x, block // x % y, block // (x * y))[at])
    return _axis(launch.grid, at, grid_ranks(here))


def grid_ranks(here: ActiveThreads) -> NDArray[np.int64]:
    """The linear number of each thread's block in the grid."""
    numbers = block_rows(here) + here.batch.first_block
    chosen = here.batch.launch.chosen
    return numbers if chosen is None else np.array(chosen, np.int64)[numbers]


def _axis(extents: tuple[int, int, int], at: int, linear: NDArray[np.int64]) -> Value:
    x, y, _ = extents
    if extents[at] == 1:
        return np.uint32(0)
    inner = (1, x, x * y)[at]
    return (linear // inner % extents[at]).astype(np.uint32)
