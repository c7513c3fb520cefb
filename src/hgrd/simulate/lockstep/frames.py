"""The state of a run: activations of functions, groups of threads, and what a batch of blocks shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from hgrd.cuda.limits import WARP_SIZE
from hgrd.program.span import Span
from hgrd.simulate.launch import ConcreteLaunch
from hgrd.simulate.lockstep.arithmetic import Value, uniform
from hgrd.simulate.lockstep.instructions import Code
from hgrd.simulate.lockstep.lanes import Lanes, Slot
from hgrd.simulate.lockstep.memory import Home, Memory
from hgrd.simulate.trace import Observer

if TYPE_CHECKING:
    from hgrd.simulate.lockstep.attendance import Attendance


class UnsupportedError(Exception):
    """Something that the executor does not know."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


class TrapError(Exception):
    """Threads stop the launch."""

    def __init__(self, reason: str, span: Span, thread: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span
        self.thread = thread


class Batch(Struct, eq=False):
    """Blocks `first_block` … `first_block + blocks - 1`, run together; threads are numbered from 0 in it."""

    launch: ConcreteLaunch
    memory: Memory
    observer: Observer | None
    first_block: int
    blocks: int
    live: NDArray[np.bool_]  # threads that have not ended
    shared: dict[str, int] = field(default_factory=dict[str, int])  # objects by the variable's key
    functions: tuple[Code | None, ...] = ()  # what pointers to functions mean; None: it has no body
    attendance: Attendance | None = None  # with it, threads that wait for ever are let go

    @property
    def block_threads(self) -> int:
        return self.launch.block_threads

    @property
    def threads(self) -> int:
        return self.blocks * self.launch.block_threads


class Frame(Struct, eq=False):
    """An activation of `code` by all threads of `lanes` (whose index is None).

    `place` orders activations as their calls lie in the code.  `left`: members that have not returned.
    """

    code: Code
    lanes: Lanes
    slots: list[Slot]
    objects: list[int]
    place: tuple[int, ...] = ()
    caller: Frame | None = None
    caller_lanes: Lanes | None = None
    return_to: int = 0
    result: int | None = None
    left: int = 0


class Here(Struct):
    """Threads at a point of the program: what closures are given."""

    batch: Batch
    frame: Frame
    lanes: Lanes

    def narrowed(self, mask: NDArray[np.bool_]) -> Here:
        return Here(self.batch, self.frame, self.lanes.where(mask))

    @property
    def count(self) -> int:
        return self.lanes.count


def spread(here: Here, value: Value) -> NDArray[Any]:
    """The value with one entry a thread."""
    return np.full(here.lanes.count, value) if uniform(value) else value


def rows_of(here: Here, home: Home) -> NDArray[np.int64] | None:
    """Which copy of an object of `home` each thread has; None where there is one for all."""
    if home is Home.LOCAL:
        return here.lanes.threads
    if home is Home.SHARED and here.batch.blocks > 1:
        return block_rows(here)
    return None


def block_rows(here: Here) -> NDArray[np.int64]:
    """The number of each thread's block in the batch."""
    known = here.lanes.derived.get("block")
    if known is None:
        known = here.lanes.derived["block"] = here.lanes.threads // here.batch.block_threads
    return known


def threads_in_block(here: Here) -> NDArray[np.int64]:
    """The linear number of each thread in its block (CUDA Programming Guide, "Thread Hierarchy")."""
    known = here.lanes.derived.get("thread")
    if known is None:
        known = here.lanes.derived["thread"] = here.lanes.threads % here.batch.block_threads
    return known


def lane_numbers(here: Here) -> NDArray[np.int64]:
    """The lane of each thread in its warp."""
    return threads_in_block(here) % WARP_SIZE


def warp_numbers(here: Here) -> NDArray[np.int64]:
    """Numbers of the threads' warps, in the batch."""
    known = here.lanes.derived.get("warp")
    if known is None:
        warps = -(-here.batch.block_threads // WARP_SIZE)
        known = here.lanes.derived["warp"] = block_rows(here) * warps + threads_in_block(here) // WARP_SIZE
    return known


def launch_threads(here: Here) -> NDArray[np.int64]:
    """The numbers of the threads in the launch, of the blocks that run."""
    known = here.lanes.derived.get("launch")
    if known is None:
        first = here.batch.first_block * here.batch.block_threads
        known = here.lanes.derived["launch"] = here.lanes.threads + first
    return known


def builtin(here: Here, name: str) -> Value:
    """`threadIdx.x` and the like, and `warpSize`."""
    known = here.lanes.derived.get(name)
    if known is None:
        known = here.lanes.derived[name] = _builtin(here, name)
    return known


def _builtin(here: Here, name: str) -> Value:
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


def grid_ranks(here: Here) -> NDArray[np.int64]:
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
