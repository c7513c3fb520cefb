"""Tickets: results of atomics that are never the same, as in `slot = atomicAdd(&count, 1); out[slot] = …`."""

from __future__ import annotations

from collections import Counter as Occurrences
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from msgspec import Struct, field

from hgrd.cuda.memory_model import AccessKind, Level, Space
from hgrd.program.span import Span
from hgrd.protocol.alike import UniformGroup
from hgrd.protocol.model import Access, Protocol, ProtocolLoop, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import Path, Phases
from hgrd.races.acquire_release.accesses import modifies
from hgrd.races.atomic_updates.counter_ranges import Counter, Range
from hgrd.races.atomic_updates.laws import Law, Update, amount_of, law_of, unlike
from hgrd.races.sync.idiom import Idiom
from hgrd.races.threads.two_threads import ThreadPair
from hgrd.terms import FALSE, Op, Symbol, Term, conj, const, disj, eq, ne, negate, symbols_of, var
from hgrd.terms.linear import linear
from hgrd.terms.rewrite import bottom_up

Gives: TypeAlias = Callable[[UniformGroup, Access, tuple[Term, ...]], bool]
"""Whether the thread that gives the others of a group a value gives them what it has drawn by an access.

That is: those of them that meet the conditions.  They also know the place of the counter and the amount as it does.
"""
_BITS: Final = 32  # of a counter, at least
WHOLE_BLOCK: Final = UniformGroup((), ())


class Ticket(Struct, frozen=True):
    """Ticket that an atomic has drawn: what it found, where all updates of the place obey the `law`.

    Of a counter that counts up, its thread has [symbol, symbol + amount) for itself.
    `holders`: it has been handed on to all threads of its block with the same terms, which know it by `symbol`.
    None: the thread that has drawn it is its only holder.
    """

    symbol: Symbol
    drawn: Access
    law: Law
    amount: Term
    holders: UniformGroup | None = None

    @property
    def from_own_loops(self) -> bool:
        """Whether it was drawn in the iterations in which its holder is, of the loops around both."""
        return self.holders is None or self.holders.giver is not None


class Tickets(Struct, frozen=True):
    """Tickets of one protocol by the name of their symbol: results of atomics that obey one law.

    The object must be changed by such atomics alone, but for writes that barriers keep apart from all of them
    (`resets`), and writes to other places of it.  (Sums that wrap around are left out of account.)
    `totals`: the most that is counted between two resets, and `ranges`: the numbers that a ticket can have, if known.
    `chosen` are tickets that are drawn from one of several counters: `atomicAdd(i & 1 ? a : b, 1)`.
    """

    known: dict[str, Ticket]
    resets: dict[tuple[str, Law], tuple[Access, ...]]  # by the key of the object, and the law of its updates
    paths: dict[int, Path]
    totals: dict[tuple[str, Law], Term]
    ranges: dict[str, Range]
    chosen: dict[str, tuple[Ticket, ...]] = field(default_factory=dict[str, tuple[Ticket, ...]])

    def constraints(self, a: Access, b: Access, threads: ThreadPair) -> tuple[Term, ...]:
        """Conditions on the tickets that the two accesses depend on."""
        own = (*self._in_range(a, Side.FIRST, threads), *self._in_range(b, Side.SECOND, threads))
        return (*self._distinct(a, b, threads), *own)

    def _in_range(self, access: Access, side: Side, threads: ThreadPair) -> tuple[Term, ...]:
        """The numbers that the tickets of one thread can have, if it has drawn them."""
        known = [t for t in self._used(access) if t.symbol.name in self.ranges]
        said = (disj(*_not_drawn(t, access), self.ranges[t.symbol.name].of(var(t.symbol), t.amount)) for t in known)
        return threads.of(tuple(said), side)

    def _distinct(self, a: Access, b: Access, threads: ThreadPair) -> Iterator[Term]:
        """The tickets of the two threads are not the same."""
        return (
            disj(*map(threads.differs, loops), self._one_ticket(one, two, threads), _apart(one, two, threads, total))
            for one in self._used(a)
            for two in self._used(b)
            if (one.drawn.target.key, one.law) == (two.drawn.target.key, two.law) and one.drawn.size == two.drawn.size
            for loops in [self._between_resets(one, two, a, b)]
            if loops is not None
            for total in [self._total(one, a) if self._total(one, a) is self._total(two, b) else None]
        )

    def _total(self, ticket: Ticket, access: Access) -> Term | None:
        """The most that is counted in all, if the place of an access begins again after so many: `ring[at & 63]`."""
        rests = (t for t in bottom_up((access.offset,)) if _begins_again(t))
        if any(_not_drawn(ticket, access)) or not any(ticket.symbol in symbols_of(t) for t in rests):
            return None
        return self.totals.get((ticket.drawn.target.key, ticket.law))

    def choose(self, access: Access) -> bool:
        """Whether the place of an access is read from an array at a ticket, as from a queue of tasks."""
        reads = (t for t in bottom_up((access.offset,)) if t.op is Op.READ)
        return any(t.law.counts for t in self._tickets_in(*reads))

    def count(self, a: Access, b: Access) -> bool:
        """Whether both accesses depend on tickets of counters."""
        return all(any(t.law.counts for t in self._used(x)) for x in (a, b))

    def _used(self, access: Access) -> list[Ticket]:
        names = _names_in(access.offset, *access.guards)
        chosen = (t for n in names for t in _drawn_for(access, self.chosen.get(n, ())))
        return [*self._tickets_in(access.offset, *access.guards), *chosen]

    def _tickets_in(self, *terms: Term) -> list[Ticket]:
        return [self.known[n] for n in _names_in(*terms) if n in self.known]

    def _one_ticket(self, one: Ticket, two: Ticket, threads: ThreadPair) -> Term:
        """The two threads may hold one and the same ticket, as others have handed it on to them."""
        holders = one.holders or two.holders
        if holders is None:
            return FALSE
        if None not in (one.holders, two.holders) and one.holders != two.holders:
            holders = WHOLE_BLOCK
        drawn = [var(x.binder) for x in self._around(one.drawn) if x.binder in holders.loops]
        pairs = zip(*(threads.of((*holders.agreed, *drawn), party) for party in Side), strict=True)
        return conj(*map(negate, threads.distinct(Level.INTER_BLOCK)), *(eq(x, y) for x, y in pairs))

    def _between_resets(self, one: Ticket, two: Ticket, a: Access, b: Access) -> frozenset[Symbol] | None:
        """Numbers of iterations such that, where they are equal, no reset comes between the two additions.

        None if there are none, or if `a` and `b` do not tell in which iterations their tickets were drawn.
        """
        resets = self.resets.get((one.drawn.target.key, one.law), ())
        if resets and not (one.from_own_loops and two.from_own_loops):
            return None
        found: set[Symbol] = set()
        first, second = one.drawn, two.drawn
        for reset in resets:
            around = self._around(reset)
            mine, others = (_common(around, self._around(x)) for x in (first, second))
            if mine != others or (reset.number < first.number) != (reset.number < second.number):
                return None
            found.update(x.binder for x in mine)
        known = {x.binder for x in _common(self._around(a), self._around(first))}
        known &= {x.binder for x in _common(self._around(b), self._around(second))}
        return frozenset(found) if found <= known else None

    def _around(self, access: Access) -> list[ProtocolLoop]:
        return _loops_around(access, self.paths)


class DistinctTickets(Idiom):
    """Places that threads choose by tickets."""

    def __init__(self, tickets: Tickets) -> None:
        self._tickets = tickets

    def constraints(self, a: Access, b: Access, threads: ThreadPair, level: Level | None) -> tuple[Term, ...]:
        """Two threads have drawn different tickets."""
        return self._tickets.constraints(a, b, threads)

    def assumptions(self, a: Access, b: Access) -> Iterator[tuple[str, Span | None]]:
        """No counter wraps around."""
        if self._tickets.count(a, b):
            yield "atomic counters do not wrap around", None


def _names_in(*terms: Term) -> list[str]:
    return sorted({s.name for s in symbols_of(*terms)})


def _drawn_for(access: Access, tickets: Iterable[Ticket]) -> list[Ticket]:
    """The one ticket of several that the thread of an access has drawn, if the conditions of the access tell."""
    drawn = [t for t in tickets if not any(_not_drawn(t, access))]
    return drawn if len(drawn) == 1 else []


def _not_drawn(ticket: Ticket, access: Access) -> list[Term]:
    """Conditions under one of which the thread of an access has not drawn a ticket that the access mentions."""
    return [negate(g) for g in ticket.drawn.guards if g not in access.guards]


def _begins_again(term: Term) -> bool:
    """Whether a term is a remainder: of a division, of bits, or of a conversion to few bits."""
    return term.op in (Op.MOD, Op.AND_BITS) or (term.op is Op.WRAP and term.wrap_to[0] < _BITS)


def _loops_around(access: Access, paths: dict[int, Path]) -> list[ProtocolLoop]:
    """The loops around an access, outermost first."""
    found = (items[i] for items, i in paths[access.number])
    return [item for item in found if isinstance(item, ProtocolLoop)]


def _common(one: Iterable[ProtocolLoop], two: Iterable[ProtocolLoop]) -> list[ProtocolLoop]:
    """The loops around both."""
    return [x for x, y in zip(one, two, strict=False) if x is y]


def _within_grid(*tickets: Ticket) -> bool:
    """Whether all blocks count together: the scopes of the atomics cover threads of different blocks."""
    return all(t.drawn.scope is None or t.drawn.scope.covers(Level.INTER_BLOCK) for t in tickets)


def _apart(one: Ticket, two: Ticket, threads: ThreadPair, total: Term | None) -> Term:
    """Unless they are updates of different places: what holds of two updates of one place."""
    elsewhere = FALSE
    if not threads.same_block and (one.drawn.space is Space.SHARED or not _within_grid(one, two)):
        elsewhere = conj(*threads.distinct(Level.INTER_BLOCK))  # every block counts for itself
    place_1, found_1, operand_1 = threads.of(_parts(one), Side.FIRST)
    place_2, found_2, operand_2 = threads.of(_parts(two), Side.SECOND)
    apart = unlike(one.law, Update(found_1, operand_1), Update(found_2, operand_2), total)
    return disj(elsewhere, ne(place_1, place_2), apart)


def _parts(ticket: Ticket) -> tuple[Term, Term, Term]:
    return ticket.drawn.offset, var(ticket.symbol), ticket.amount


def tickets(protocol: Protocol, relation: Phases, gives: Gives, more: Iterable[Ticket] = ()) -> Tickets:
    """The tickets of a protocol, and `more` that have been handed on in ways of their own."""
    everything = accesses(protocol.items)
    updates = _updates(everything, protocol)
    resets = {by: _resets(by, these, everything) for by, these in updates.items()}
    sound = {
        by: these
        for by, these in updates.items()
        if len({(a.size, _type(a)) for a in these}) == 1  # otherwise they overlap, or see different numbers
        if all(_kept_apart(a, these, relation) for a in resets[by])
    }
    draws = Occurrences(
        a.result for a in everything if a.result is not None
    )  # several where a pointer may lead to several
    all_drawn: dict[str, tuple[Ticket, ...]] = {}
    for (_, law), these in sound.items():
        for a in these:
            if a.result is not None:
                ticket = Ticket(a.result, a, law, amount_of(a) if law.counts else a.value or const(0))
                all_drawn[a.result.name] = (*all_drawn.get(a.result.name, ()), ticket)
    drawn = {name: found[0] for name, found in all_drawn.items() if draws[found[0].symbol] == 1}
    chosen = {name: found for name, found in all_drawn.items() if draws[found[0].symbol] == len(found) > 1}
    counted = {name: t for name, t in drawn.items() if t.law.counts}
    handed = {
        t.symbol.name: t
        for t in (*_through_memory(everything, counted), *_by_shuffles(protocol, counted, everything, gives), *more)
    }
    counters = {
        by: Counter(protocol, by[1].kind == "up", these, resets[by], lambda a: _loops_around(a, relation.paths))
        for by, these in sound.items()
        if by[1].counts
    }
    totals = {by: total for by, counter in counters.items() if (total := counter.total()) is not None}
    ranges = {
        name: within
        for name, t in counted.items()
        if (within := counters[t.drawn.target.key, t.law].range_of(t.drawn)) is not None
    }
    return Tickets(drawn | handed, {by: tuple(resets[by]) for by in sound}, relation.paths, totals, ranges, chosen)


def _type(access: Access) -> tuple[int, int] | None:
    """The least and greatest number of the type of an atomic's result; None: not known."""
    return None if access.result is None else (access.result.low, access.result.high)


def _updates(everything: Iterable[Access], protocol: Protocol) -> dict[tuple[str, Law], list[Access]]:
    """The atomics that obey a law, by the key of their object and the law."""
    c = protocol.configuration
    own = protocol.symbols.private | {s.name for s in (*c.thread, *c.block_index) if s is not None}

    def same_for_all(term: Term) -> bool:
        return not any(s.name in own for s in symbols_of(term))

    found: dict[tuple[str, Law], list[Access]] = {}
    for access in everything:
        law = law_of(access, same_for_all)
        if law is not None:
            found.setdefault((access.target.key, law), []).append(access)
    return found


def _resets(by: tuple[str, Law], updates: list[Access], everything: Iterable[Access]) -> list[Access]:
    """What else changes the places that the updates change, perhaps."""
    mine = {a.number for a in updates}
    others = (a for a in everything if a.target.key == by[0] and modifies(a) and a.number not in mine)
    return [a for a in others if not elsewhere(a, updates)]


def _through_memory(everything: Iterable[Access], drawn: dict[str, Ticket]) -> Iterator[Ticket]:
    """Tickets that a block's threads read from shared variables in which they only store tickets of one counter."""
    shared = [a for a in everything if a.space is Space.SHARED]
    for read in shared:
        if read.kind is not AccessKind.READ or read.result is None:
            continue
        changes = [a for a in shared if a.changes and a.target.key == read.target.key and not elsewhere(a, [read])]
        stored = [_ticket_in(a.value, drawn) if same_place(a, read) or _words(a, read) else None for a in changes]
        yield from handed_on(read.result, stored)


def same_place(write: Access, read: Access) -> bool:
    """Whether `write` is a plain write of exactly the bytes that `read` reads."""
    return write.kind is AccessKind.WRITE and write.offset is read.offset and write.size == read.size


def _words(write: Access, read: Access) -> bool:
    """Whether `write` is a plain write, and the two touch words of equal size: the same one, or different ones."""
    sums = (linear(x.offset) for x in (write, read))
    aligned = all(n % read.size == 0 for start, factors in sums for n in (start, *factors.values()))
    return write.kind is AccessKind.WRITE and write.size == read.size and aligned


def _by_shuffles(
    protocol: Protocol, drawn: dict[str, Ticket], everything: Iterable[Access], gives: Gives
) -> Iterator[Ticket]:
    """Tickets that one lane has drawn, and the others of its warp or tile get from it, or those who use them."""
    for symbol, alike in protocol.uniform.groups.items():
        if alike.source is None:
            continue
        inside = [drawn[s.name] for s in symbols_of(alike.source) if s.name in drawn]
        if (
            alike.giver is not None
            and len(inside) == 1
            and gives(alike, inside[0].drawn, _wherever_used(symbol, everything))
        ):
            yield Ticket(symbol, inside[0].drawn, inside[0].law, inside[0].amount, alike)
        else:
            yield from handed_on(symbol, [_ticket_in(alike.source, drawn)], alike)


def _wherever_used(symbol: Symbol, everything: Iterable[Access]) -> tuple[Term, ...]:
    """The conditions under which alone accesses depend on a value, or store what does."""
    users = [a.guards for a in everything if symbol in symbols_of(*(t for t in _terms(a) if t is not None))]
    return tuple(g for g in users[0] if all(g in guards for guards in users)) if users else ()


def _terms(a: Access) -> tuple[Term | None, ...]:
    return (a.offset, a.value, a.compare, *a.guards)


def _ticket_in(value: Term | None, drawn: dict[str, Ticket]) -> Ticket | None:
    return drawn.get(value.symbol.name) if value is not None and value.op is Op.VAR else None


def handed_on(symbol: Symbol, tickets: list[Ticket | None], holders: UniformGroup = WHOLE_BLOCK) -> Iterator[Ticket]:
    """One of these tickets, if they all come from one place that is the same for all threads of the grid.

    A thread that has it from another one knows only the least amount that it can be for.
    """
    found = [t for t in tickets if t is not None]
    if not found or len(found) < len(tickets):
        return
    first = found[0].drawn
    if not found[0].law.counts:
        return
    counters = {(t.drawn.target.key, t.drawn.offset, t.drawn.size, t.law) for t in found}
    if len(counters) == 1 and first.space is Space.GLOBAL and first.offset.is_const:
        least = min(t.amount.low for t in found)
        yield Ticket(symbol, first, found[0].law, const(least), holders)


def elsewhere(write: Access, counting: list[Access]) -> bool:
    """Whether the write goes to one place, and all counters of the object are at other places."""
    counters = [a for a in counting if a.target.key == write.target.key]
    if not all(a.offset.is_const for a in (write, *counters)):
        return False
    first = write.offset.value
    return all(first + write.size <= a.offset.value or a.offset.value + a.size <= first for a in counters)


def _kept_apart(write: Access, counting: list[Access], relation: Phases) -> bool:
    """Whether barriers stand between the write and all additions, in whatever iterations they are made."""
    levels = (Level.INTRA_WARP, Level.INTRA_BLOCK) if write.space is Space.SHARED else tuple(Level)
    return not any(
        relation.may_happen_in_parallel(write, a, level)
        for a in counting
        if a.target.key == write.target.key
        for level in levels
    )
