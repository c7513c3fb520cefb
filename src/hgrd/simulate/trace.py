"""Trace of a simulated launch: its accesses to memory that threads share, barriers and fences, as events.

Events come in the order of one execution.  Each is performed by many threads at once: its arrays
have one entry per thread.  Threads are numbered in the launch: block * threads per block + thread, both
linear with x running fastest (CUDA Programming Guide, "Thread Hierarchy").
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Protocol

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from hgrd.cuda.atomics import StdMemoryOrder
from hgrd.cuda.memory_model import AccessKind, Scope, Space
from hgrd.program.span import Span


class MemoryOrder(Enum):
    """Order of an access with the other accesses of its thread."""

    PLAIN = "plain"
    VOLATILE = "volatile"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acquire-release"


def one_sided(order: MemoryOrder, kind: AccessKind) -> MemoryOrder:
    """The part of a memory order that applies to a load (READ) or a store (WRITE) of an atomic object."""
    match order, kind:
        case (MemoryOrder.ACQ_REL, AccessKind.READ):
            return MemoryOrder.ACQUIRE
        case (MemoryOrder.ACQ_REL, AccessKind.WRITE):
            return MemoryOrder.RELEASE
        case (MemoryOrder.RELEASE, AccessKind.READ) | (MemoryOrder.ACQUIRE, AccessKind.WRITE):
            return MemoryOrder.RELAXED
        case _:
            return order


class TraceSite(Struct, frozen=True):
    """An access in the source; `text` is the place as a person would write it."""

    span: Span
    kind: AccessKind
    scope: Scope | None
    volatile: bool
    text: str


class Touch(Struct, frozen=True):
    """One access performed by many threads at once.

    `site` indexes `Sites.sites`.  `memory` is the number of the object; a shared variable is one object,
    of which every block has a copy.  `offsets` are the first bytes touched, in the object (in the block's
    copy of it), and `size` the number of bytes from there.  `scope` is that of an atomic.  `values` is
    what was read or written (the new value, for an atomic), and `before` the old value of an atomic:
    one entry per thread, None where it is not a number.
    """

    site: int
    memory: int
    space: Space
    threads: NDArray[np.int64]
    offsets: NDArray[np.int64]
    size: int
    kind: AccessKind
    scope: Scope | None
    order: MemoryOrder
    values: NDArray[Any] | None
    before: NDArray[Any] | None = None

    def taken(self, entries: NDArray[np.intp]) -> Touch:
        """The part of the event of some of its threads, by their positions in the arrays."""
        values = None if self.values is None else self.values[entries]
        before = None if self.before is None else self.before[entries]
        threads, offsets = self.threads[entries], self.offsets[entries]
        return replace(self, threads=threads, offsets=offsets, values=values, before=before)


class Arrive(Struct, frozen=True):
    """Threads have met at a barrier and pass it together: one block, one warp (`scope` says), or the grid."""

    scope: Scope
    threads: NDArray[np.int64]
    span: Span


class Fenced(Struct, frozen=True):
    """Threads have performed a fence of a memory order that is not relaxed: one of a relaxed order does nothing."""

    scope: Scope
    threads: NDArray[np.int64]
    span: Span
    order: StdMemoryOrder = StdMemoryOrder.SEQ_CST


class Observer(Protocol):
    """Observer of all events in shared and global memory; accesses to local memory are not reported."""

    def touch(self, event: Touch, /) -> None: ...
    def arrive(self, event: Arrive, /) -> None: ...
    def fenced(self, event: Fenced, /) -> None: ...


class Silent:
    """An observer that ignores all events."""

    def touch(self, event: Touch, /) -> None:
        pass

    def arrive(self, event: Arrive, /) -> None:
        pass

    def fenced(self, event: Fenced, /) -> None:
        pass


class Sites(Struct):
    """The accesses of a kernel's source, numbered as they are met."""

    sites: list[TraceSite] = field(default_factory=list[TraceSite])
    numbers: dict[TraceSite, int] = field(default_factory=dict[TraceSite, int])

    def number(self, site: TraceSite) -> int:
        known = self.numbers.get(site)
        if known is None:
            known = self.numbers[site] = len(self.sites)
            self.sites.append(site)
        return known


class Recorded(Struct):
    """An observer that keeps all events in order (for small launches and tests)."""

    events: list[Touch | Arrive | Fenced] = field(default_factory=list[Touch | Arrive | Fenced])

    def touch(self, event: Touch, /) -> None:
        self.events.append(event)

    def arrive(self, event: Arrive, /) -> None:
        self.events.append(event)

    def fenced(self, event: Fenced, /) -> None:
        self.events.append(event)

    def touches(self) -> list[Touch]:
        return [e for e in self.events if isinstance(e, Touch)]
