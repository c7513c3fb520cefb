"""Agreement of threads on what they read, taken back where locks or flags order the read."""

from __future__ import annotations

from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind
from hgrd.protocol.model import Access, Item, Protocol, ProtocolLoop, accesses
from hgrd.races.acquire_release.events import Acquire, acquire_release


def without_agreement_across_sync(protocol: Protocol, *, delegated: bool = True) -> Protocol:
    """The protocol without the statement that threads agree on values of reads which locks or flags order.

    `delegated`: of those, too, before which only a delegate of the block has acquired something, and all have waited
    for it at a barrier.

    That threads agree on what they have read since the last barrier is argued from there being no race.  Where
    something else than barriers orders a read and a write, there is no race, and the values still differ.
    """
    if not protocol.symbols.observed:
        return protocol
    events = acquire_release(protocol)
    everything = accesses(protocol.items)
    ordered = {a.number for a in everything if events.acquires(a) and (delegated or _by_each(events.acquires(a)))}
    if not ordered:
        return protocol
    reads = {a.result.name: a for a in everything if a.kind is AccessKind.READ and a.result is not None}
    known = protocol.uniform
    broadcast = {n: loops for n, loops in known.broadcast.items() if n in reads and reads[n].number not in ordered}
    in_iteration = known.in_iteration
    if any(n in in_iteration and read.number in ordered for n, read in reads.items()):
        in_iteration = {}  # others may be made of them
    uniform = replace(known, broadcast=broadcast, in_iteration=in_iteration)
    return replace(protocol, items=_without_results(protocol.items, ordered), uniform=uniform)


def _by_each(acquires: tuple[Acquire, ...]) -> bool:
    """Whether one of them is by the thread itself, and not one that it makes as the delegate of its block."""
    of_delegates = {(q.seen.span, q.seen.stack) for q in acquires if q.delegated}
    return any(not q.delegated and (q.seen.span, q.seen.stack) not in of_delegates for q in acquires)


def _without_results(items: tuple[Item, ...], numbers: set[int]) -> tuple[Item, ...]:
    """The items, the reads of these numbers without the symbol of their result."""
    found: list[Item] = []
    for item in items:
        match item:
            case Access(kind=AccessKind.READ, number=number) if number in numbers:
                found.append(replace(item, result=None))
            case ProtocolLoop(items=inner):
                found.append(replace(item, items=_without_results(inner, numbers)))
            case _:
                found.append(item)
    return tuple(found)
