"""Sequences of a role, which is all threads that get to the same places: its arrivals and waits at a ring, in order.

The n-th arrival of each thread is at the barrier n % size of the ring, so it belongs to phase n / size of that.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from hgrd.protocol.model import Arrival, Barrier, ProtocolLoop
from hgrd.protocol.rings.sites import Site
from hgrd.terms import Term, add, as_int, const, div, eq, mod, mul, var
from hgrd.terms.evaluate import evaluate
from hgrd.terms.periods import always, cases


class Index(Struct, frozen=True):
    """Index in a sequence: `first` + `per` * the number of the iteration of a loop, or (`behind`) of all of them.

    `top`: where the loop stands among all items.
    """

    first: int
    per: int = 0
    loop: ProtocolLoop | None = None
    behind: bool = False
    top: int = -1

    @property
    def term(self) -> Term:
        if self.loop is None:
            return const(self.first)
        return add(mul(var(self.loop.count if self.behind else self.loop.binder), const(self.per)), const(self.first))

    @property
    def last(self) -> int:
        """The highest value that it may have."""
        return self.term.high

    def plus(self, number: int) -> Index:
        return replace(self, first=self.first + number)


class Step(Struct, frozen=True):
    """Step of a role at a ring; `waits` as in `RingEvent`."""

    site: Site
    arrival: Index | None
    waits: Index | None


class Ring(Struct, frozen=True):
    """Ring of barriers with these numbers, each for `count` threads.

    `stages`: those of a pipeline, at the `place` that it shares, which go by one number; 0: of others.
    """

    name: str
    numbers: frozenset[int]
    count: int
    stages: int = 0
    place: str = ""

    @property
    def size(self) -> int:
        return self.stages or len(self.numbers)


class _Open(Struct):
    """Where a sequence is: the next arrival, and the next wait for a phase; None: that is not known."""

    arrivals: Index | None
    phases: Index | None


def steps_of(ring: Ring, sites: Iterable[Site], order: dict[int, int]) -> tuple[Step, ...] | None:
    """The steps at a ring of those who get to these sites, in program order; None: their numbers are not known.

    `order`: by place in the ring, its number, as far as it is known so far.
    """
    now = _Open(Index(0), Index(0))
    found: list[Step] = []
    for _, group in groupby(sites, lambda s: s.top):
        part = _steps(ring, list(group), now, found)
        if part is None or not all(_in_turn(ring, step, order) for step in part):
            return None
        found += part
    return tuple(found)


def _steps(ring: Ring, sites: list[Site], now: _Open, before: list[Step]) -> list[Step] | None:
    """The steps at one site without a loop, or at those in one loop."""
    loop = sites[0].loop
    arriving = sum(s.arrives for s in sites)
    phases = sum(s.named.parity is not None for s in sites)
    top = sites[0].top
    ends = (behind_loop(loop, top, now.arrivals, arriving), behind_loop(loop, top, now.phases, phases))
    if loop is not None:
        now.arrivals, now.phases = (
            inside_loop(loop, top, now.arrivals, arriving),
            inside_loop(loop, top, now.phases, phases),
        )
    found: list[Step] = []
    for site in sites:
        step = _step(ring, site, now, [*before, *found])
        if step is None:
            return None
        found.append(step)
    if loop is not None:
        now.arrivals, now.phases = ends
    return found


def _step(ring: Ring, site: Site, now: _Open, before: list[Step]) -> Step | None:
    if site.named.parity is not None:
        if now.phases is None:
            return None
        at, now.phases = now.phases, now.phases.plus(1)
        return _of_phase(ring, site, at)
    if site.arrives:
        if now.arrivals is None:
            return None
        at, now.arrivals = now.arrivals, now.arrivals.plus(1)
        return Step(site, at, at if site.waits else None)
    name = site.item.arrival if isinstance(site.item, Barrier) else None
    arrived = [s.arrival for s in before if _is_half(s.site, name) and s.site.loop is site.loop]
    return Step(site, None, arrived[-1]) if arrived else None


def _is_half(site: Site, name: str | None) -> bool:
    return isinstance(site.item, Arrival) and site.item.name == name


def _of_phase(ring: Ring, site: Site, at: Index) -> Step | None:
    """A wait for a phase: the one at hand, or, as the first one returns at once, the one before."""
    assert site.named.parity is not None
    phase = div(at.term, const(ring.size))
    for back in (0, 1):
        if always(eq(mod(add(phase, const(back)), const(2)), as_int(site.named.parity))):
            return Step(site, None, at.plus(-back * ring.size))
    return None


def inside_loop(loop: ProtocolLoop, top: int, at: Index | None, number: int) -> Index | None:
    """The index in the iterations of a loop with so many steps; None: it follows a loop that ends at any time."""
    if number == 0 or at is None:
        return at
    return Index(at.first, number, loop, top=top) if at.loop is None else None


def behind_loop(loop: ProtocolLoop | None, top: int, at: Index | None, number: int) -> Index | None:
    if loop is None or at is None or number == 0:
        return at
    if loop.count.low == loop.count.high and not loop.breaks:
        return at.plus(number * loop.count.low)
    return Index(at.first, number, loop, behind=True, top=top) if at.loop is None and not loop.breaks else None


def _in_turn(ring: Ring, step: Step, order: dict[int, int]) -> bool:
    """Whether a step is at the barrier whose turn it is."""
    at = step.arrival or step.waits
    assert at is not None
    number, place = step.site.named.number, mod(add(at.term, const(2 * ring.size)), const(ring.size))
    values = cases((number, place))
    for value in values or ():
        found, turn = evaluate((number, place), value)
        if order.setdefault(turn, found) != found:
            return False
    return values is not None and len(set(order.values())) == len(order)
