"""Barriers that go by numbers: those of a block, those in memory, and those of pipelines."""

from __future__ import annotations

from msgspec import Struct

from hgrd.terms import Term


class Turn(Struct, frozen=True):
    """Turn of a thread at a pipeline, which has as many barriers as `stages`: the next one's after each arrival.

    `counter` names the arrivals that are counted.  A wait is for the arrival that is `back` arrivals before the next.
    """

    counter: str
    stages: int
    back: int = 0


class NamedBarrier(Struct, frozen=True):
    """Number of a barrier, and how many threads meet at it (None: all of the block); PTX ISA, "bar, barrier".

    `arrives`: a thread that gets there does not wait for the others.  `place`: that of a barrier in memory, which goes
    by a number, too; "" of others.  `parity`: it waits for a phase with this number modulo 2, and does not arrive.
    `turn`: it is one of those of a pipeline, of which the number is the first one's; who waits there does not arrive.
    """

    number: Term
    count: Term | None = None
    arrives: bool = False
    place: str = ""
    parity: Term | None = None
    turn: Turn | None = None
