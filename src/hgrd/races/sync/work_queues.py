"""Work queues: one thread of a block draws a work item by a ticket, and shares it with the others in a variable.

    if (t == 0) task = queue[atomicAdd(&next, 1)];
    __syncthreads();
    … task …

The other threads then read the value that they would have found in the queue themselves, at a ticket of their block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Space
from hgrd.protocol.model import (
    Access,
    Arrival,
    Barrier,
    CopyStep,
    Exit,
    Fence,
    Gap,
    Item,
    Protocol,
    ProtocolLoop,
    accesses,
)
from hgrd.protocol.phases.phases import Phases, phases
from hgrd.protocol.ring_events import RingEvent
from hgrd.races.acquire_release.separate_words import separate_words
from hgrd.races.sync.tickets import Gives, Ticket, Tickets, elsewhere, handed_on, same_place, tickets
from hgrd.races.threads.uniformity import UniformSymbols
from hgrd.terms import Op, Symbol, Term, substitute, symbols_of, var

_END = ".ticket"  # ends the name of the ticket of a work item


class WorkItem(Struct, frozen=True):
    """Work item that a read gets: `value`, an element of a read-only queue, at a place with `ticket` in it."""

    read: Symbol
    value: Term
    ticket: Ticket


def inline_work_items(protocol: Protocol, gives: Gives) -> tuple[Protocol, Phases, Tickets]:
    """The protocol in terms of the elements of its work queues, with its phases and tickets."""
    relation = phases(protocol, UniformSymbols(protocol))
    drawn = tickets(separate_words(protocol).protocol, relation, gives)
    found = _work_items(protocol, drawn)
    if not found:
        return protocol, relation, drawn
    protocol = _with_items(protocol, found)
    relation = phases(protocol, UniformSymbols(protocol))
    return protocol, relation, tickets(separate_words(protocol).protocol, relation, gives, (d.ticket for d in found))


def _work_items(protocol: Protocol, drawn: Tickets) -> tuple[WorkItem, ...]:
    """The work items that threads get from others of their block, which have drawn tickets for them."""
    if not drawn.known:
        return ()
    shared = [a for a in accesses(protocol.items) if a.space is Space.SHARED]
    constrained = _constrained(protocol)
    return tuple(
        item
        for read in shared
        if read.kind is AccessKind.READ and read.result is not None and read.offset.is_const and not read.volatile
        if read.result not in constrained
        for item in _shared_items(read, read.result, shared, drawn)
    )


def _constrained(protocol: Protocol) -> frozenset[Symbol]:
    """The symbols that are used outside of the accesses, too."""
    across = [t for x in protocol.across for t in (x.condition, *x.guards, *(value for _, value in x.others))]
    alike = [
        t for x in protocol.uniform.groups.values() for t in (*x.agreed, *((x.source,) if x.source is not None else ()))
    ]
    return symbols_of(*across, *alike, *(o.offset for o in protocol.symbols.observed.values()))


def _shared_items(read: Access, got: Symbol, shared: list[Access], drawn: Tickets) -> Iterator[WorkItem]:
    """The work item of a read, if all values written there are looked up equally at tickets of one counter."""
    changes = [a for a in shared if a.changes and a.target.key == read.target.key and not elsewhere(a, [read])]
    found = [_looked_up(a.value, drawn) if same_place(a, read) else None for a in changes]
    own = Symbol(got.name + _END, 0, 0, got.origin)
    for ticket in handed_on(own, [None if x is None else x[1] for x in found]):
        bounds = [x[1].symbol for x in found if x is not None]
        own = replace(own, low=min(s.low for s in bounds), high=max(s.high for s in bounds))
        values = {substitute((x[0],), {x[1].symbol: var(own)})[0] for x in found if x is not None}
        if len(values) == 1:
            yield WorkItem(got, values.pop(), replace(ticket, symbol=own))


def _looked_up(value: Term | None, drawn: Tickets) -> tuple[Term, Ticket] | None:
    """A value that is an element of an array at a place which depends on one ticket alone, with the ticket.

    None for any other value.
    """
    if value is None or value.op is not Op.READ:
        return None
    symbols = symbols_of(value)
    if len(symbols) != 1:
        return None
    (symbol,) = symbols
    ticket = drawn.known.get(symbol.name)
    return None if ticket is None else (value, ticket)


def _with_items(protocol: Protocol, found: tuple[WorkItem, ...]) -> Protocol:
    """The protocol with work items in place of the reads that get them."""
    values = {d.read: d.value for d in found}
    names = {d.read.name: d.ticket.symbol.name for d in found}

    def seen(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return substitute(terms, values)

    def also(known: frozenset[str]) -> frozenset[str]:
        return known | {new for old, new in names.items() if old in known}

    def with_loops(known: Mapping[str, tuple[Symbol, ...]]) -> dict[str, tuple[Symbol, ...]]:
        return {**known, **{new: known[old] for old, new in names.items() if old in known}}

    return replace(
        protocol,
        items=_rewritten(protocol.items, seen, also),
        symbols=replace(protocol.symbols, private=also(protocol.symbols.private)),
        uniform=replace(
            protocol.uniform,
            broadcast=with_loops(protocol.uniform.broadcast),
            in_iteration=with_loops(protocol.uniform.in_iteration),
        ),
    )


def _rewritten(
    items: tuple[Item, ...],
    seen: Callable[[tuple[Term, ...]], tuple[Term, ...]],
    also: Callable[[frozenset[str]], frozenset[str]],
) -> tuple[Item, ...]:
    def one(term: Term | None) -> Term | None:
        return None if term is None else seen((term,))[0]

    found: list[Item] = []
    for item in items:
        match item:
            case Access():
                found.append(
                    replace(
                        item,
                        offset=seen((item.offset,))[0],
                        guards=seen(item.guards),
                        value=one(item.value),
                        compare=one(item.compare),
                        bounds=seen(item.bounds),
                        endings=seen(item.endings),
                        beginnings=seen(item.beginnings),
                    )
                )
            case Barrier():
                path = tuple(replace(c, term=seen((c.term,))[0]) for c in item.path)
                guards = seen(item.guards)
                found.append(replace(item, guards=guards, mask=one(item.mask), tile=one(item.tile), path=path))
            case RingEvent():
                found.append(replace(item, guards=seen(item.guards), arrival=one(item.arrival), waits=one(item.waits)))
            case Arrival() | CopyStep() | Exit() | Fence() | Gap():
                found.append(replace(item, guards=seen(item.guards)))
            case ProtocolLoop():
                found.append(
                    replace(
                        item,
                        guards=seen(item.guards),
                        entry=seen(item.entry),
                        tests=seen(item.tests),
                        breaks=seen(item.breaks),
                        local=also(item.local),
                        items=_rewritten(item.items, seen, also),
                    )
                )
    return tuple(found)
