"""Exited threads: returns between an access of a thread and a barrier of its warp.

A warp barrier orders the memory accesses of the threads that take part in it, and waits only for threads that have
not exited (CUDA Programming Guide, "Warp Synchronization").  A barrier of the block counts threads that have exited
as arrived (docs/rules/HGRD003.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from hgrd.protocol.model import Access, Barrier, Exit, Item, ProtocolLoop
from hgrd.protocol.phases.parallelism import Holds, ParallelCase, ParallelCases, Side

RETURNED = "a thread may have returned before a warp barrier between them"


class Spot(Struct, frozen=True):
    """Position of an item: its number in program order, and the identities of the loops around it."""

    number: int
    loops: frozenset[int]

    def precedes(self, other: Spot) -> bool:
        """Whether a thread may run this item and then the other one, in the same iterations or later ones."""
        return self.number < other.number or bool(self.loops & other.loops)


class Departures(Struct, frozen=True):
    """Returns of the threads of a kernel, with the spots of its accesses (by number) and barriers (by identity)."""

    exits: tuple[tuple[Exit, Spot], ...]
    accesses: Mapping[int, Spot]
    barriers: Mapping[int, Spot]

    def between(self, access: Access, party: Side, barrier: Barrier) -> ParallelCases:
        """Cases in which `party` returns after its access and so does not reach the barrier."""
        here, there = self.accesses[access.number], self.barriers[id(barrier)]
        ways: ParallelCases = []
        for leaving, spot in self.exits:
            if here.precedes(spot) and spot.precedes(there):
                ways.append(
                    ParallelCase(doubt=RETURNED) if spot.loops else ParallelCase((Holds(leaving.guards, party),))
                )
        return list(dict.fromkeys(ways))


def departures(items: tuple[Item, ...]) -> Departures:
    """Departures of a whole protocol; aborts are not among them, since they end the launch."""
    placed = [(item, Spot(number, loops)) for number, (item, loops) in enumerate(_below(items, frozenset()))]
    return Departures(
        tuple((item, spot) for item, spot in placed if isinstance(item, Exit) and not item.aborts),
        {item.number: spot for item, spot in placed if isinstance(item, Access)},
        {id(item): spot for item, spot in placed if isinstance(item, Barrier)},
    )


def _below(items: tuple[Item, ...], loops: frozenset[int]) -> Iterator[tuple[Item, frozenset[int]]]:
    for item in items:
        yield item, loops
        if isinstance(item, ProtocolLoop):
            yield from _below(item.items, loops | {id(item)})
