"""Rings of barriers: barriers of a block that threads arrive at in turn, as producers and consumers do.

CUDA C++ Programming Guide, "Asynchronous Barrier" (spatial partitioning); PTX ISA, "bar, barrier" and "mbarrier".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from hgrd.program.span import Span
from hgrd.terms import Term


class RingEvent(Struct, frozen=True):
    """Event at a ring of barriers: an arrival, or a wait for others, or both, one after the other.

    The threads of a ring arrive 0, 1, 2, … times, each time at its next barrier.  `arrival` is the number of this
    arrival of the thread; behind it, all threads of the ring have made their arrivals up to the number `waits`.  None:
    it does not arrive, or not wait.  `guards` are those that tell threads and blocks apart, and of a pipeline also
    those of its first iterations.  `pipeline`: the one whose copies have ended when all have arrived so.
    """

    ring: str
    guards: tuple[Term, ...]
    span: Span
    arrival: Term | None = None
    waits: Term | None = None
    pipeline: str = ""


Lags: TypeAlias = Mapping[tuple[str, str], int]
"""By two rings, how many arrivals at the second one are known to have been made: where all arrivals at the first one up
to a number have, all those at the second one up to this number plus the lag, which is not positive."""
