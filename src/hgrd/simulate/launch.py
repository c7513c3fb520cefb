"""Concrete launches, and the outcomes of their runs."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from hgrd.cuda.memory_model import Scope
from hgrd.program.span import Span

Extent3: TypeAlias = tuple[int, int, int]


class ConcreteLaunch(Struct, frozen=True):
    """A launch with values.  `arguments`, one per parameter: a number, an address (`Memory.allocate`), or the bytes of
    a record.

    `chosen`: only these blocks of the grid run, by linear number (None: all).  Threads are then numbered in them alone.
    """

    grid: Extent3
    block: Extent3
    arguments: tuple[int | float | bool | bytes, ...] = ()
    shared_bytes: int = 0
    chosen: tuple[int, ...] | None = None

    @property
    def block_threads(self) -> int:
        x, y, z = self.block
        return x * y * z

    @property
    def grid_blocks(self) -> int:
        x, y, z = self.grid
        return x * y * z

    @property
    def blocks(self) -> int:
        """The number of blocks that run."""
        return self.grid_blocks if self.chosen is None else len(self.chosen)


class Finished(Struct, frozen=True):
    """Every thread has ended.  `statements`: how many statements all threads together executed."""

    statements: int


class StuckAtBarrier(Struct, frozen=True):
    """Threads wait at a barrier that others of their block, warp or grid will not reach.

    `waiting` wait at `span`; `elsewhere` are those that do not: they are at `other` (None: not at any barrier).  Both
    are numbers of threads in the launch, at most a few.
    """

    scope: Scope
    span: Span
    waiting: tuple[int, ...]
    elsewhere: tuple[int, ...]
    other: Span | None


class OutOfFuel(Struct, frozen=True):
    """The run was stopped for its length; `span` is the statement that it had reached."""

    span: Span


class OutOfBounds(Struct, frozen=True):
    """An access outside of all objects, by `thread` of the launch."""

    span: Span
    thread: int
    reason: str


class Trapped(Struct, frozen=True):
    """A thread has stopped the launch: __trap, a failed assertion."""

    span: Span
    thread: int
    reason: str


class NotSupported(Struct, frozen=True):
    """The next statement has a part that the executor does not support."""

    span: Span
    reason: str


RunOutcome: TypeAlias = Finished | StuckAtBarrier | OutOfFuel | OutOfBounds | Trapped | NotSupported
