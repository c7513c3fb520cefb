"""Iterations of loops one by one: what the trace says of one iteration is said of several, in their order.

The iterations of a short loop are all there are.  Of a longer one there are the first ones, and two of which nothing
but their order is known; where loops in loops make too much of that, these two alone, which may be any.  A loop that
puts no work on the device stands for all of its iterations at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.concurrency.addresses import GOT, UNKNOWN, Address, Either, Given, Lookup, Place, Result
from hgrd.host.concurrency.contradictions import exclusive
from hgrd.host.concurrency.found_places import APART, TWO
from hgrd.host.concurrency.host_uses import in_all, is_all
from hgrd.host.concurrency.keyed_pointers import Held
from hgrd.host.concurrency.rows import Rectangle
from hgrd.host.concurrency.trace import (
    Begin,
    End,
    Event,
    Follow,
    Grid,
    Join,
    Loop,
    Mark,
    Replay,
    Step,
    Touch,
    Use,
    Wait,
    Work,
)
from hgrd.host.memory.loaded_pointers import Loaded
from hgrd.host.memory.pointer_origins import IN
from hgrd.host.memory.stored_twice import Part
from hgrd.program.types import RecordType, Type
from hgrd.symbolic.names import Names
from hgrd.symbolic.state import Generation
from hgrd.terms import FALSE, TRUE, Symbol, Term, add, const, mul, substitute, var

_SHORT: Final = 24  # iterations that are all gone through
_FIRST: Final = 6  # of a longer loop
_DEPTH: Final = 4  # pointers found by pointers
_MOST: Final = 300  # pieces of work; then loops have two iterations, and two more
_MANY: Final = 2_000  # pieces of work that there would be even so; then loops have two iterations in all


class Iteration(Struct, frozen=True):
    """The iteration of a loop that something is done in: its number, and a label for what is made in it.

    `every`: it stands for all of them.  `place`: its own among the iterations that are looked at, and their number.
    `terms` are those of the trace that this iteration is the innermost one to matter for, as they are in it.
    """

    loop: Loop
    number: Term
    label: str
    every: bool = False
    place: tuple[int, int] = (0, 1)
    terms: dict[Term, Term] = field(default_factory=dict[Term, Term])


class Iterations(Struct):
    """The events of a trace, iteration by iteration.

    `found` says where pointers were found, by the keys of what they lead to; `holders` has the key of the object that
    holds it for each key of an address here, and `origins` the key that it had in the trace.  `offsets` says where
    they were found in the holder, and a number for what that held then; `types` are those of holders. `born` says
    after how many names handles were made, by what their holder holds since then, `lookups` how pointers were got,
    `results` and `given` what calls were given for them, in the trace and here, `latest` where the newest symbol of a
    term stands in the order of names. `may_be` has the keys of objects that what was found in memory may be, as far as
    the program shows, `stored_at_both` whether one pointer may be stored at two places of an object; `keyed` says what
    a map holds, by an element, `stored_twice` of which parts two elements of an object may hold one pointer, and `same`
    whether one of these objects may be found at two places, in objects of a class that one pointer leads to (None: that
    is not known).
    """

    names: Names
    found: Mapping[str, Loaded]
    born: Mapping[Generation, int] = field(default_factory=dict[Generation, int])
    lookups: Mapping[str, Lookup] = field(default_factory=dict[str, Lookup])
    results: Mapping[str, Result] = field(default_factory=dict[str, Result])
    may_be: Callable[[str], Set[str]] = lambda _: frozenset[str]()
    keyed: Callable[[str], Held | None] = lambda _: None
    stored_twice: Callable[[str], frozenset[Part]] = lambda _: frozenset[Part]()
    same: Callable[[str, Set[str], Type | None, tuple[Term, Term]], bool | None] = lambda _, __, ___, ____: None
    stored_at_both: Callable[[str, Term, Term], bool] = lambda _, __, ___: False
    given: dict[str, Given] = field(default_factory=dict[str, Given])
    holders: dict[str, str] = field(default_factory=dict[str, str])
    origins: dict[str, str] = field(default_factory=dict[str, str])
    offsets: dict[str, tuple[Term, int]] = field(default_factory=dict[str, tuple[Term, int]])
    types: dict[str, Type | None] = field(default_factory=dict[str, "Type | None"])
    generations: dict[tuple[Generation, str], int] = field(default_factory=dict[tuple[Generation, str], int])
    latest: dict[Term, int] = field(default_factory=dict[Term, int])
    contradictions: dict[tuple[frozenset[Term], frozenset[Term]], bool] = field(
        default_factory=dict[tuple[frozenset[Term], frozenset[Term]], bool]
    )
    work: int = 0
    large: bool = False

    def all(self, events: Sequence[Event]) -> Iterator[Event]:
        """The events of a whole trace."""
        self.large = _work_in(events) > _MANY
        return self.of(events)

    def of(
        self, events: Iterable[Event], within: tuple[Iteration, ...] = (), *, every: bool = False
    ) -> Iterator[Event]:
        """The events, in iterations of the loops around them; `every`: in all of those of the innermost one."""
        for event in events:
            if not isinstance(event, Loop):
                yield from self._at(event, within, every=every)
            elif not has_work(event.body) and (event.binder.high >= _SHORT or _only_uses(event.body)):
                inner = (*within, Iteration(event, var(event.binder), " of each", every=True))
                yield from self.of(event.body, inner, every=True)
            else:
                numbers = list(self._numbers(event))
                for place, (number, label) in enumerate(numbers):
                    if _does(event, within, place):
                        inner = Iteration(event, number, label, place=(place, len(numbers)))
                        yield from self.of(event.body, (*within, inner))

    def _numbers(self, loop: Loop) -> Iterator[tuple[Term, str]]:
        high = loop.binder.high
        first = _FIRST if high >= _SHORT else high + 1
        if self.work > _MOST or self.large:
            first = 0 if self.large and high > 1 else min(first, 2)
        for number in range(first):
            yield const(number), f" of iteration {number}"
        if high >= _SHORT or self.work > _MOST or (self.large and high > 1):
            for step, name in enumerate(TWO):
                symbol = Symbol(f"{loop.binder.name} {name}", min(first + step, high), high, loop.binder.origin)
                yield var(symbol), f" of {name} iteration"

    def _at(self, event: Event, within: tuple[Iteration, ...], *, every: bool) -> Iterator[Event]:
        assert not isinstance(event, Loop)
        if isinstance(event, Begin | End | Join):
            yield replace(event, thread=self._key(event.thread, within) if event.thread else "")
            return
        choices = frozenset(self._term(c, within) for c in event.choices) - {TRUE}
        if FALSE in choices:
            return
        if isinstance(event, Use):
            told, sure = frozenset(self._term(c, within) for c in event.told), event.sure and self._all(event, within)
            yield replace(
                event, touch=self._used(event, within), choices=choices, told=told, sure=sure, within=_steps(within)
            )
            return
        device = self._term(event.device, within)
        match event:
            case Work(stream=stream, touches=touches, numbers=numbers, grid=grid):
                self.work += 1
                yield replace(
                    event,
                    stream=self.handle(stream, within),
                    device=device,
                    touches=tuple(self._touch(t, within) for t in touches),
                    numbers=tuple(None if n is None else self._term(n, within) for n in numbers),
                    choices=choices,
                    told=frozenset(self._term(c, within) for c in event.told),
                    grid=None if grid is None else self._grid(grid, within),
                    within=_steps(within),
                )
            case Wait(stream=stream, event=marked):
                one = None if stream is None else self.handle(stream, within)
                other = None if marked is None else self.handle(marked, within)
                given = tuple(a for a in (stream, marked) if a is not None)
                changed = (one, other, device) != (stream, marked, event.device)
                changed = changed or self._varies(given, event.device, within)
                yield replace(event, stream=one, event=other, device=device, choices=choices, every=every and changed)
            case Mark(stream=stream, event=marked) | Follow(stream=stream, event=marked):
                yield replace(
                    event,
                    stream=self.handle(stream, within),
                    event=self.handle(marked, within),
                    device=device,
                    choices=choices,
                    every=every and self._varies((marked,), event.device, within),
                    every_stream=every and self._varies((stream,), event.device, within),
                )
            case Replay(stream=stream):
                yield replace(event, stream=self.handle(stream, within), device=device, choices=choices)

    def _varies(self, addresses: tuple[Address, ...], device: Term, within: tuple[Iteration, ...]) -> bool:
        """Whether the iterations of the innermost loop have streams or events, or a device, of their own."""
        numbered = tuple(replace(i, number=const(-1), terms={}) for i in within[-1:])
        told = any(self.handle(a, numbered) != self.handle(a, ()) for a in addresses)
        return told or self._term(device, numbered) != self._term(device, ())

    def _used(self, use: Use, within: tuple[Iteration, ...]) -> Touch:
        """What the host touches in these iterations, in all of those that one stands for."""
        touch = self._touch(use.touch, within)
        bounds = tuple(self._term(bound, within) for bound in use.bounds)
        for iteration in reversed(within):
            touch = in_all(touch, iteration.loop.binder, bounds) if iteration.every else touch
        return touch

    def _all(self, use: Use, within: tuple[Iteration, ...]) -> bool:
        """Whether a use is made in all iterations that one stands for."""
        bounds = [self._term(bound, within) for bound in use.bounds]
        return all(is_all(i.loop.binder, bounds) for i in within if i.every)

    def _touch(self, touch: Touch, within: tuple[Iteration, ...]) -> Touch:
        rows = tuple(row.with_terms(*(self._term(t, within) for t in row.terms())) for row in touch.rows)
        extent = None if touch.extent is None else self._term(touch.extent, within)
        r = touch.rectangle
        rectangle = None if r is None else Rectangle(*(self._term(t, within) for t in (r.pitch, r.width, r.height)))
        return replace(touch, at=self.address(touch.at, within), rows=rows, extent=extent, rectangle=rectangle)

    def _grid(self, grid: Grid, within: tuple[Iteration, ...]) -> Grid:
        gx, gy, gz, bx, by, bz = (self._term(extent, within) for extent in (*grid.grid, *grid.block))
        given = (
            (number, at, self._term(value, within) if isinstance(value, Term) else self.address(value, within))
            for number, at, value in grid.given
        )
        return Grid((gx, gy, gz), (bx, by, bz), tuple(given))

    def handle(self, address: Address, within: tuple[Iteration, ...]) -> Address:
        """The stream or event at an address in these iterations; what is got in one way is one."""
        got = self._lookup(address.key) if isinstance(address, Place) else None
        if got is None:
            return self.address(address, within)
        name = f"{got.name} since {self._since(got.since, within)}" if got.sure else f"{GOT}{got.name}"
        return Place(name, self._term(got.index, within))

    def _lookup(self, key: str) -> Lookup | None:
        """How a handle was got, or surely the place that it was found at, a member of what was got there."""
        found = self.found.get(key)
        place = None if found is None else self.lookups.get(found.holder)
        if found is None or place is None or not place.sure:
            return self.lookups.get(key)
        member = "" if found.offset == const(0) else f" + {found.offset}"
        return replace(place, name=f"{place.name}{member}")

    def address(self, address: Address, within: tuple[Iteration, ...]) -> Address:
        """The address in these iterations."""
        match address:
            case Place(key=key, offset=offset):
                return Place(self._key(key, within), self._term(offset, within))
            case Either(test=test, then=a, otherwise=b):
                known = self._term(test, within)
                if known in (TRUE, FALSE):
                    return self.address(a if known is TRUE else b, within)
                one, other = self.address(a, within), self.address(b, within)
                return one if one == other else Either(known, one, other)

    def _key(self, key: str, within: tuple[Iteration, ...], depth: int = 0) -> str:
        found = self.found.get(key)
        if found is not None and depth < _DEPTH:
            got = self.lookups.get(found.holder)
            holder = got.name if got is not None and got.sure else self._key(found.holder, within, depth + 1)
            index = mul(got.index, const(APART)) if got is not None and got.sure else const(0)
            offset = self._term(add(found.offset, index), within)
            since = self._since(got.since if got is not None and got.sure else found.generation, within)
            new = f"{holder} at {offset} since {since}"
            self.holders[new] = holder
            self.offsets[new] = offset, since
            self.types[new] = found.type
        else:
            made = self.names.index.get(key, -1)
            unknown = key.startswith(UNKNOWN)
            labels = [i.label for i in within if unknown or i.loop.makes(key, made)]
            new = key + "".join(labels)
            if key in self.results:
                self.given[new] = self._given(self.results[key], labels, within)
        self.origins[new] = key
        return new

    def _given(self, result: Result, labels: list[str], within: tuple[Iteration, ...]) -> Given:
        values = (self._term(v, within) if isinstance(v, Term) else self.address(v, within) for v in result.given)
        return Given(tuple(values), "".join(labels[:-1]) if result.stepped else None)

    def repeats(self, one: str, other: str) -> bool:
        """Whether a call that is not followed may have given two pointers, or what leads to them, again."""
        while one in self.holders and other in self.holders and self.offsets[one][0] == self.offsets[other][0]:
            one, other = self.holders[one], self.holders[other]
        a, b = self.given.get(one), self.given.get(other)
        if one == other or a is None or b is None or self.origins[one] != self.origins[other]:
            return False
        return a.values == b.values and (a.around is None or a.around != b.around)

    def objects(self, place: Place) -> Set[str]:
        """The keys in the trace of the objects that a place may be in, for all that is known of its pointer."""
        return self.may_be(self.origins.get(place.key, place.key))

    def may_be_one(self, one: str, other: str) -> bool:
        """Whether two objects, by their keys in the trace, may be one, for all that is known of pointers to them."""
        a, b = (self.origins.get(key, key) for key in (one, other))
        return a == b or not {a, *self.may_be(a)}.isdisjoint({b, *self.may_be(b)})

    def may_be_shared(self, one: str, other: str, depth: int = 0) -> bool:
        """Whether two pointers, by the keys of what they lead to, were found at different places that may hold one."""
        a, b = self.holders.get(one), self.holders.get(other)
        if a is None or b is None or depth > _DEPTH:
            return False
        x, y = self.offsets[one][0], self.offsets[other][0]
        found, alike = self.found[self.origins[one]], self.origins.get(a) == self.origins.get(b)
        if a == b or self.may_be_shared(a, b, depth + 1):
            parts = self.stored_twice(found.holder)
            again = a != b or (self.offsets[one] != self.offsets[other] and not found.copied)
            return (x == y and again) or any(part.has(x) and part.has(y) for part in parts)
        return alike and isinstance(self.types[one], RecordType) and bool(self.may_be_same(one, other))

    def may_be_same(self, one: str, other: str) -> bool | None:
        """Whether two pointers that were found in what one pointer led to may be one; None: that is not known.

        It is by what the program has put there.
        """
        a, b = self.holders.get(one), self.holders.get(other)
        if a is None or b is None or self.origins.get(a, a) != self.origins.get(b, b):
            return None
        found = self.may_be(self.origins[one]) & self.may_be(self.origins[other])
        places = self.offsets[one][0], self.offsets[other][0]
        return self.same(self.found[self.origins[one]].holder, found, self.types[one], places)

    def held_in(self, place: Place) -> Set[str]:
        """The keys in the trace of the objects that pointers lead to which the object of a place may hold."""
        return self.may_be(IN + self.origins.get(place.key, place.key))

    def exclusive(self, one: frozenset[Term], other: frozenset[Term]) -> bool:
        """Whether two sets of choices contradict each other; there are few, for all the work that there is."""
        if (one, other) not in self.contradictions:
            self.contradictions[one, other] = exclusive(one, other)
        return self.contradictions[one, other]

    def _since(self, generation: Generation, within: tuple[Iteration, ...]) -> int:
        """A number for what an object holds after it was overwritten; loops may do that in each iteration."""
        born = self.born.get(generation, -1)
        labels = "".join(i.label for i in within if generation in i.loop.overwritten or born > i.loop.mark)
        return self.generations.setdefault((generation, labels), len(self.generations))

    def _term(self, term: Term, within: tuple[Iteration, ...]) -> Term:
        within = within[: self._depth(term, within)]
        if not within:
            return term
        known = within[-1].terms
        if term not in known:
            known[term] = self._in(term, within)
        return known[term]

    def _depth(self, term: Term, within: tuple[Iteration, ...]) -> int:
        """How many of the loops around it, from the outermost one on, matter for a term: those inside these do not."""
        depth, symbols = len(within), term.symbols
        if not symbols:
            return 0
        if depth and term not in self.latest:
            self.latest[term] = max(self.names.index.get(s.name, -1) for s in symbols)
        while (
            depth and within[depth - 1].loop.mark >= self.latest[term] and within[depth - 1].loop.binder not in symbols
        ):
            depth -= 1
        return depth

    def _in(self, term: Term, within: tuple[Iteration, ...]) -> Term:
        values: dict[Symbol, Term] = {}
        for symbol in term.symbols:
            made = self.names.index.get(symbol.name, -1)
            label = "".join(i.label for i in within if made > i.loop.mark)
            if label:
                values[symbol] = var(symbol.renamed(label))
        values |= {i.loop.binder: i.number for i in within if i.loop.binder in term.symbols}
        return substitute((term,), values)[0]


def _steps(within: tuple[Iteration, ...]) -> tuple[Step, ...]:
    return tuple(Step(i.loop.binder, i.number, i.loop.whole) for i in within if not i.every)


def _does(loop: Loop, within: tuple[Iteration, ...], place: int) -> bool:
    """Whether a thread does an iteration of a loop that threads share: each iteration is done by another one."""
    threads = next((i for i in reversed(within) if i.loop.threads), None)
    shared = any(isinstance(e, Begin) and e.shared for e in loop.body)
    return not shared or threads is None or place % threads.place[1] == threads.place[0]


def _only_uses(events: Iterable[Event]) -> bool:
    return all(isinstance(e, Use) or (isinstance(e, Loop) and _only_uses(e.body)) for e in events)


def has_work(events: Iterable[Event]) -> bool:
    """Whether there is any work for the device among the events."""
    return any(isinstance(e, Work | Replay) or (isinstance(e, Loop) and has_work(e.body)) for e in events)


def _work_in(events: Iterable[Event]) -> int:
    """The pieces of work among the events, where loops have four iterations."""
    return sum(
        min(e.binder.high + 1, 4) * _work_in(e.body) if isinstance(e, Loop) else isinstance(e, Work | Replay)
        for e in events
    )
