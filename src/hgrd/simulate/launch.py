"""Concrete launches, and how running them ends."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from hgrd.cuda.memory_model import Scope
from hgrd.program.span import Span

Extent3: TypeAlias = tuple[int, int, int]


class ConcreteLaunch(Struct, frozen=True):
    """`arguments`, one a parameter: a number, an address (`Memory.allocate`), or the bytes of a record.

    `chosen`: only these blocks of the grid run, by linear number.  Threads are then numbered in them alone.
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
        """How many blocks run."""
        return self.grid_blocks if self.chosen is None else len(self.chosen)


class Finished(Struct, frozen=True):
    """Every thread has come to its end.  `statements`: how many statements all threads together executed."""

    statements: int


class StuckAtBarrier(Struct, frozen=True):
    """Threads wait at a barrier that others of their block, warp or grid do not come to any more.

    `waiting` wait at `span`; `elsewhere` do not: at `other` (None: not at any barrier).  Numbers of threads
    in the launch, at most a few.
    """

    scope: Scope
    span: Span
    waiting: tuple[int, ...]
    elsewhere: tuple[int, ...]
    other: Span | None


class OutOfFuel(Struct, frozen=True):
    """The run was stopped where it had got to; `span` is the statement it was at."""

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
    """Something that the executor does not know was about to be executed."""

    span: Span
    reason: str


RunOutcome: TypeAlias = Finished | StuckAtBarrier | OutOfFuel | OutOfBounds | Trapped | NotSupported
