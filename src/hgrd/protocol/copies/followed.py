"""Asynchronous copies followed to where they are waited for, also over the borders of loops.

A thread ends its copies in the batches in which it has committed them, the oldest first (CUDA C++ Programming Guide,
"Pipeline Primitives Interface"; PTX ISA, "cp.async.wait_group").  The accesses of a copy may be made at any time from
where it begins to where it is waited for.  So they stand where it begins, behind each barrier that is passed meanwhile,
and where it ends.  In a loop, those are copies of the iterations before, too, and in its first iterations of what was
begun before the loop: each of them is followed through the iterations until it has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind
from hgrd.protocol.copies.backlog import Backlog
from hgrd.protocol.copies.flight import NOT_SURE, Flight, Values
from hgrd.protocol.model import Access, Arrival, Barrier, CopyStep, Exchange, Fence, Gap, Item, ProtocolLoop
from hgrd.symbolic.names import Names
from hgrd.terms import Origin, Symbol, Term, add, conj, const, eq, le, neg, negate, substitute, symbols_of, var

OWN_COPY = "the thread uses what its own asynchronous copy may not have brought yet"
THROUGH_LOOP = "an asynchronous copy that goes on at the border of a loop"
PAST_ATOMIC = "an asynchronous copy of a pipeline that goes on past an atomic or a fence"
TOO_MANY = "asynchronous copies of which too many may go on at once to be followed"
_MOST = 8  # iterations that a copy is followed through
_MOST_FLIGHTS = 16  # copies that are followed at a time
_CHOSEN = (Origin.THREAD, Origin.LOOP)  # of symbols that may have any of their values again in another iteration


class FollowedCopies(Struct, frozen=True):
    """A protocol's items with each access that a copy may make, its exchanges, and what is not known of its copies."""

    items: tuple[Item, ...]
    exchanges: tuple[Exchange, ...]
    gaps: tuple[Gap, ...] = ()


def copies_followed(items: tuple[Item, ...], exchanges: Sequence[Exchange], names: Names) -> FollowedCopies:
    """The items without steps of copies, and with the accesses of these wherever they may be made."""
    if not _has_steps(items):
        return FollowedCopies(items, tuple(exchanges))
    first = next(at for at, item in enumerate(items) if _has_steps((item,)))
    walk = _Walk(names, only_pipelines=not _orders_otherwise(items[first:]))
    try:
        end = walk.through(items, _Aloft((), Backlog()), frozenset())
    except _TooManyError:
        at = next(_steps(items)).span
        return FollowedCopies(_without_steps(items), tuple(exchanges), (Gap(TOO_MANY, (), at, may_order=False),))
    numbers: dict[int, int] = {}
    made = (*end.items, *(a for f in end.aloft.flights if not f.shared for a in f.made()))
    numbered, count = _numbered(made, 0, numbers)
    moved = (
        replace(e, before=min((n for old, n in numbers.items() if old >= e.before), default=count)) for e in exchanges
    )
    return FollowedCopies(numbered, tuple(moved), tuple(dict.fromkeys(walk.gaps)))


class _TooManyError(Exception):
    """More copies may go on at once than are followed."""


class _Aloft(Struct, frozen=True):
    """What goes on at a place: the copies, and how many batches of each pipeline."""

    flights: tuple[Flight, ...]
    backlog: Backlog


class _Passed(Struct, frozen=True):
    """Items that are passed, with the accesses of copies, and what goes on behind them."""

    items: tuple[Item, ...]
    aloft: _Aloft


class _Walk(Struct):
    """A walk through a protocol; `others` are names for values of other iterations.

    `only_pipelines`: nothing but pipelines orders threads there, so what a pipeline counts need not be followed.
    """

    names: Names
    only_pipelines: bool = False
    gaps: list[Gap] = field(default_factory=list[Gap])
    others: dict[tuple[Symbol, str], Symbol] = field(default_factory=dict[tuple[Symbol, str], Symbol])

    def through(self, items: Sequence[Item], aloft: _Aloft, around: frozenset[Term]) -> _Passed:
        """The items as they are passed while copies go on; `around` holds there."""
        made: list[Item] = []
        if len(aloft.flights) > _MOST_FLIGHTS:
            raise _TooManyError
        for item in items:
            match item:
                case CopyStep(begun=begun) if begun:
                    copied = tuple(a for a in items if isinstance(a, Access) and a.number in begun)
                    if self.only_pipelines and all(a.pipeline and a.once is not None for a in copied):
                        continue
                    aloft = replace(aloft, flights=(*aloft.flights, Flight(copied, item.queue)))
                    continue
                case CopyStep():
                    aloft = self._step(item, aloft, around, made)
                    continue
                case ProtocolLoop():
                    passed = self._loop(item, aloft, around)
                    made += passed.items
                    aloft = passed.aloft
                    continue
                case Access():
                    self._used(item, aloft.flights)
                case _:
                    pass
            made.append(item)
            if isinstance(item, Barrier):
                here = _of_pipeline(item)
                made += [a for flight in aloft.flights if not (here and flight.shared) for a in flight.made()]
            elif _hands_on(item) and any(flight.shared for flight in aloft.flights):
                self.gaps.append(Gap(PAST_ATOMIC, item.guards, item.span, may_order=False))
        return _Passed(tuple(made), aloft)

    def _used(self, access: Access, flights: Iterable[Flight]) -> None:
        if any(f.meets(access) for f in flights):
            self.gaps.append(Gap(OWN_COPY, access.guards, access.span, may_order=False))

    # ------------------------------------------------------------ steps

    def _step(self, step: CopyStep, aloft: _Aloft, around: frozenset[Term], made: list[Item]) -> _Aloft:
        if step.commits:
            flights = [f for flight in aloft.flights for f in _committed(flight, step, aloft.backlog, around)]
            return _Aloft(tuple(flights), aloft.backlog.committed(step, around))
        left: list[Flight] = []
        for flight in aloft.flights:
            ended, going = _awaited(flight, step, around)
            made += [a for f in ended if not f.shared for a in f.made(step.guards)]
            left += going
        return _Aloft(tuple(left), aloft.backlog.awaited(step, around))

    # ------------------------------------------------------------ loops

    def _loop(self, loop: ProtocolLoop, aloft: _Aloft, around: frozenset[Term]) -> _Passed:
        inside = around | {*loop.entry, *loop.tests}
        if not _has_steps(loop.items):
            passed = self.through(loop.items, aloft, inside)
            return _Passed((replace(loop, items=passed.items),), aloft)
        quiet = _Walk(self.names, self.only_pipelines, others=self.others)
        if _only_begins(loop.items):
            return self._beginning(quiet, loop, aloft, inside)
        backlog = self._steady_backlog(quiet, loop, aloft.backlog, inside)
        again, last = self._of_earlier_iterations(quiet, loop, backlog, inside)
        entered, outside = _entering(aloft.flights, loop, around)
        first = self._in_first_iterations(quiet, loop, entered, backlog, inside)
        head = (*again, *(f for number in first for f in number))
        if head and (loop.breaks or loop.untold):
            self.gaps.append(Gap(THROUGH_LOOP, (), loop.span, may_order=False))
        passed = self.through(loop.items, _Aloft(head, backlog), inside)
        behind = list(self._behind(last, loop))
        for j, flights in enumerate(first):
            there = (eq(_end(loop), const(j)), *_over(loop))
            left = (replace(f, at=f.at[:-1], guards=(*f.guards, *there)) for f in flights)
            behind += [f for f in left if f.possible()]
        ended = backlog.at(loop.binder, _end(loop))
        return _Passed((replace(loop, items=passed.items),), _Aloft((*outside, *behind), ended))

    def _beginning(self, quiet: _Walk, loop: ProtocolLoop, aloft: _Aloft, inside: frozenset[Term]) -> _Passed:
        """A loop in which copies only begin: one copy stands for those of all earlier iterations."""
        begun = quiet.through(loop.items, _Aloft((), aloft.backlog), inside).aloft.flights
        earlier = tuple(self._of_some_earlier(f, loop, 1) for f in begun)
        passed = self.through(loop.items, replace(aloft, flights=(*aloft.flights, *earlier)), inside)
        flights = (*aloft.flights, *self._behind((self._of_some_earlier(f, loop, 0) for f in begun), loop))
        return _Passed((replace(loop, items=passed.items),), replace(aloft, flights=flights))

    def _steady_backlog(self, quiet: _Walk, loop: ProtocolLoop, backlog: Backlog, inside: frozenset[Term]) -> Backlog:
        """How many batches go on at the beginning of each iteration, by its number."""
        for _ in range(2):
            end = quiet.through(loop.items, _Aloft((), backlog), inside).aloft.backlog
            ahead = end.at(loop.binder, add(var(loop.binder), const(-1)), inside)
            if ahead == backlog:
                return backlog
            backlog = backlog.growing(ahead, loop.binder)
        return backlog.unknown()

    def _of_earlier_iterations(
        self, quiet: _Walk, loop: ProtocolLoop, backlog: Backlog, inside: frozenset[Term]
    ) -> tuple[tuple[Flight, ...], tuple[Flight, ...]]:
        """The copies of the loop that go on at the beginning of an iteration, and at its end."""
        flights: tuple[Flight, ...] = ()
        left: tuple[Flight, ...] = ()
        for _ in range(min(_MOST, loop.binder.high) + 1):
            left = quiet.through(loop.items, _Aloft(flights, backlog), inside).aloft.flights
            following = (self._in_next(f, loop, inside) for f in left)
            found = tuple(dict.fromkeys(f for f in following if f.among(inside)))
            if found == flights:
                return flights, left
            flights = found
        if loop.binder.high > _MOST:
            self.gaps.append(Gap(THROUGH_LOOP, (), loop.span, may_order=False))
        return flights, left

    def _in_first_iterations(
        self, quiet: _Walk, loop: ProtocolLoop, flights: tuple[Flight, ...], backlog: Backlog, inside: frozenset[Term]
    ) -> list[tuple[Flight, ...]]:
        """By number of an iteration: the copies from before the loop that go on at its beginning."""
        found: list[tuple[Flight, ...]] = []
        for number in range(min(_MOST, loop.binder.high) + 2):
            placed = (replace(f, at=(*f.at, (loop.binder, number))) for f in flights)
            flights = tuple(f for f in placed if f.among(inside))
            found.append(flights)
            left = quiet.through(loop.items, _Aloft(flights, backlog), inside).aloft.flights
            flights = tuple(replace(f, at=f.at[:-1]) for f in left if f.at and f.at[-1][0] == loop.binder)
            if not flights:
                return found
        if loop.binder.high > _MOST:
            self.gaps.append(Gap(THROUGH_LOOP, (), loop.span, may_order=False))
        return found

    def _in_next(self, flight: Flight, loop: ProtocolLoop, inside: frozenset[Term]) -> Flight:
        """A copy as the next iteration sees it."""
        binder = loop.binder
        values, doubt = self._elsewhere(flight, loop, "before")
        seen = flight.of({**values, binder: add(var(binder), const(-1))}, (le(const(1), var(binder)),), doubt)
        return seen.told(inside)

    def _of_some_earlier(self, flight: Flight, loop: ProtocolLoop, least: int) -> Flight:
        """A copy as an iteration sees it that is some iterations later, `least` or more."""
        values, doubt = self._elsewhere(flight, loop, "before")
        by = var(self._named(replace(loop.binder, low=least, high=max(1, loop.binder.high)), "ago"))
        return flight.of({**values, loop.binder: add(var(loop.binder), neg(by))}, (le(by, var(loop.binder)),), doubt)

    def _behind(self, flights: Iterable[Flight], loop: ProtocolLoop) -> Iterator[Flight]:
        """The copies that go on at the end of an iteration, as they are seen behind the loop if it was the last one."""
        last, over = add(_end(loop), const(-1)), (le(const(1), _end(loop)), *_over(loop))
        for flight in flights:
            values, doubt = self._elsewhere(flight, loop, "last")
            seen = flight.of({**values, loop.binder: last}, over, doubt)
            if seen.possible(frozenset(over)):
                yield seen

    def _elsewhere(self, flight: Flight, loop: ProtocolLoop, which: str) -> tuple[Values, str]:
        """Names of an iteration's own values for others, and the doubt where their values are of memory."""
        own = [s for s in flight.symbols if s.name in loop.local and s != loop.binder]
        values: Values = {s: var(self._named(s, which)) for s in own}
        return values, NOT_SURE if any(s.origin not in _CHOSEN for s in own) else ""

    def _named(self, symbol: Symbol, which: str) -> Symbol:
        """A name for the value of a symbol elsewhere, always the same."""
        other = self.others.get((symbol, which))
        if other is None:
            other = self.names.fresh(f"{symbol.name} {which}", symbol.low, symbol.high, symbol.origin)
            self.others[symbol, which] = other
        return other


def _committed(flight: Flight, step: CopyStep, backlog: Backlog, around: frozenset[Term]) -> Iterator[Flight]:
    """A copy behind a step that makes a batch: in the batch, or in one before."""
    if flight.queue != step.queue:
        yield flight
        return
    now, not_now = flight.split(step.guards, around)
    if not_now is not None:
        yield not_now
    if now is None:
        return
    if now.committed:
        yield replace(now, later=now.later + 1)
    else:
        yield from backlog.behind(replace(now, committed=True), step.queue, around)


def _awaited(flight: Flight, step: CopyStep, around: frozenset[Term]) -> tuple[list[Flight], list[Flight]]:
    """A copy that ends where it is waited for, and what goes on behind."""
    if flight.queue != step.queue or not flight.committed:
        return [], [flight]
    first = step.oldest and flight.ahead is not None and flight.ahead.is_const and flight.ahead.value <= 0
    last = step.prior is not None and flight.later >= step.prior
    if not step.oldest and not last:
        return [], [flight]
    now, not_now = flight.split(step.guards, around)
    going = [] if not_now is None else [not_now]
    if now is None or first or last:
        return [] if now is None else [now], going
    if now.ahead is None or not now.ahead.is_const:
        return [], [replace(now, doubt=now.doubt or NOT_SURE), *going]
    return [], [replace(now, ahead=add(now.ahead, const(-1))), *going]


def _entering(
    flights: Iterable[Flight], loop: ProtocolLoop, around: frozenset[Term]
) -> tuple[tuple[Flight, ...], tuple[Flight, ...]]:
    """The copies that go on where the loop begins, and where it is not entered."""
    both = [f.split(loop.entry, around) for f in flights]
    return tuple(f for f, _ in both if f is not None), tuple(f for _, f in both if f is not None)


def _over(loop: ProtocolLoop) -> tuple[Term, ...]:
    """What holds behind a loop that only its tests end."""
    if loop.breaks or loop.untold or not loop.tests or any(s.name in loop.local for s in symbols_of(*loop.tests)):
        return ()
    return substitute((negate(conj(*loop.tests)),), {loop.binder: _end(loop)})


def _end(loop: ProtocolLoop) -> Term:
    """The number of iterations of a loop, a constant where it is one."""
    fixed = not loop.tests and not loop.breaks and not loop.untold
    tested = any(loop.binder in g.symbols for g in loop.guards)
    return const(loop.binder.high + 1) if fixed and not tested else var(loop.count)


def _orders_otherwise(items: Iterable[Item]) -> bool:
    """Whether threads are, or may be, ordered by anything but pipelines."""
    return any(
        _orders_otherwise(i.items)
        if isinstance(i, ProtocolLoop)
        else _hands_on(i) or (isinstance(i, Arrival | Barrier) and not _of_pipeline(i))
        for i in items
    )


def _of_pipeline(item: Arrival | Barrier) -> bool:
    return item.named is not None and item.named.turn is not None


def _hands_on(item: Item) -> bool:
    """Whether a thread may let others know there, other than by a barrier, how far it is."""
    return isinstance(item, Fence) or (isinstance(item, Access) and (item.kind is AccessKind.ATOMIC or item.volatile))


def _only_begins(items: Iterable[Item]) -> bool:
    """Whether copies begin there, and nothing else happens that matters to them."""
    return all(
        _only_begins(i.items) if isinstance(i, ProtocolLoop) else not isinstance(i, Barrier) and not _ends(i)
        for i in items
    )


def _ends(item: Item) -> bool:
    return isinstance(item, CopyStep) and not item.begun


def _steps(items: Iterable[Item]) -> Iterator[CopyStep]:
    for item in items:
        if isinstance(item, CopyStep):
            yield item
        elif isinstance(item, ProtocolLoop):
            yield from _steps(item.items)


def _without_steps(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(
        replace(i, items=_without_steps(i.items)) if isinstance(i, ProtocolLoop) else i
        for i in items
        if not isinstance(i, CopyStep)
    )


def _has_steps(items: Iterable[Item]) -> bool:
    return next(_steps(items), None) is not None


def _numbered(items: Iterable[Item], count: int, numbers: dict[int, int]) -> tuple[tuple[Item, ...], int]:
    """Items with their accesses numbered in program order; `numbers` gets the new number of each that was there."""
    found: list[Item] = []
    for item in items:
        match item:
            case Access(number=old):
                numbers.setdefault(old, count)
                found.append(replace(item, number=count))
                count += 1
            case ProtocolLoop(items=inner):
                numbered, count = _numbered(inner, count, numbers)
                found.append(replace(item, items=numbered))
            case _:
                found.append(item)
    return tuple(found), count
