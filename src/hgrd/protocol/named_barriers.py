"""Barriers with a number: which threads of a block meet at one, where that is certain.

A barrier with a number and a count waits for as many threads, whoever these are (PTX ISA, "bar, barrier").  Where the
extents of a block are constant, the threads that perform each of them are enumerated.  If all barriers of a number
have the same threads, as many as they count and, but for those in memory, in whole warps, these threads meet at every
one, and no others do.  Otherwise the barrier is a gap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.limits import NAMED_BARRIERS, WARP_SIZE
from hgrd.protocol.barrier_names import NamedBarrier
from hgrd.protocol.configuration import index_terms
from hgrd.protocol.model import (
    Arrival,
    Barrier,
    Configuration,
    Gap,
    Item,
    ProtocolLoop,
)
from hgrd.protocol.ring_events import Lags
from hgrd.protocol.rings.own_numbers import by_number
from hgrd.protocol.rings.resolution import rings_of
from hgrd.protocol.rings.sites import common_terms, values_by_thread
from hgrd.symbolic.state import ConditionKind
from hgrd.terms import Op, Origin, Term, add, conj, const, ite, mul, symbols_of
from hgrd.terms.evaluate import EvaluationError

Uniform: TypeAlias = Callable[[Term], bool]
_OTHERS: Final = 1 << 32  # more than the numbers of barriers
_OTHER_CONDITION: Final = "a condition that is not known to be the same for its threads"
_Loops: TypeAlias = tuple[ProtocolLoop, ...]
_Meeting: TypeAlias = dict[int, frozenset[int]]
"""By number of a barrier: the threads that meet there."""


class _Site(Struct):
    """A place where threads perform a barrier; `loops` are those around it.

    `chosen`, `ours` and `mixed` are its conditions: those that are the same for the block, those of thread indexes
    alone, and the others.
    """

    barrier: Barrier
    loops: _Loops
    chosen: list[Term] = field(default_factory=list[Term])
    ours: list[Term] = field(default_factory=list[Term])
    mixed: list[Term] = field(default_factory=list[Term])
    meeting: _Meeting | None = None
    problem: str = ""


class NamedBarriers(Struct, frozen=True):
    """All barriers with numbers of a kernel; `uniform` tells whether a term is the same for all threads of a block."""

    configuration: Configuration
    uniform: Uniform

    def resolved(self, items: tuple[Item, ...]) -> tuple[tuple[Item, ...], tuple[Gap, ...], Lags]:
        """The items with every barrier of a number as one of certain threads, as part of a ring, or as one of the gaps.

        And how the rings are related.
        """
        parts = by_number(items, self.configuration)
        of_parts = self._resolved(parts, _waited_for(items))
        return of_parts if parts == items or not of_parts[1] else self._resolved(items, _waited_for(items))

    def _resolved(
        self, items: tuple[Item, ...], waited: frozenset[str]
    ) -> tuple[tuple[Item, ...], tuple[Gap, ...], Lags]:
        sites = [_Site(barrier, loops) for barrier, loops in _sites(items, ())]
        if not sites:
            return items, (), {}
        for site in sites:
            named = site.barrier.named
            assert named is not None
            known = not named.place or named.place in waited or named.turn is not None
            site.problem = self._problem(site) if known else "threads that arrive at it and do not wait at once"
        self._agree(sites)
        settled = {id(site.barrier) for site in sites if not site.problem}
        rings = rings_of(items, self.configuration, settled)
        made: dict[int, Item] = {id(s.barrier): self._made(s) for s in sites if id(s.barrier) not in rings.events}
        gaps = tuple(dict.fromkeys(g for g in made.values() if isinstance(g, Gap)))
        return _replaced(items, {**made, **rings.events}), gaps, rings.lags

    # ------------------------------------------------------------ one barrier

    def _problem(self, site: _Site) -> str:
        """Why it is not known which threads meet at a place; "" where it is."""
        named = site.barrier.named
        assert named is not None
        if named.turn is not None:
            return "stages of which it is not known whose turn it is"
        if named.arrives:
            return "threads that arrive at it and do not wait"
        if named.parity is not None:
            return "phases of which it is not known who ends them"
        if any(condition.lost for condition in site.barrier.path):
            return "a condition that is too long"
        for condition in _conditions(site.barrier):
            if self.uniform(condition):
                site.chosen.append(condition)
            elif self._of_thread(condition):
                site.ours.append(condition)
            else:
                site.mixed.append(condition)
        for loop in site.loops:
            entry = [t for t in loop.entry if not self._of_thread(t)]
            if not all(map(self.uniform, (*entry, *loop.tests, *loop.breaks))):
                return "a loop that its threads may leave at different times"
        whole = not named.place and named.count is not None and named.count.is_const
        if named.count is None or (whole and named.count.value == self._whole()):
            return self._of_all(site)
        return self._of_some(site)

    def _of_thread(self, term: Term) -> bool:
        return all(s.origin is Origin.THREAD for s in symbols_of(term))

    def _whole(self) -> int | None:
        """The number of threads of a block in whole warps; None: it is not constant."""
        total = mul(*self.configuration.block)
        return -(-total.value // WARP_SIZE) * WARP_SIZE if total.is_const else None

    def _of_all(self, site: _Site) -> str:
        """A barrier of all threads of the block, which need to give the same number."""
        named = site.barrier.named
        assert named is not None
        if site.mixed:
            return _OTHER_CONDITION
        if site.ours:
            return "a condition that not all threads of the block meet"
        return "" if self.uniform(named.number) else "a number that is not the same for all threads of the block"

    def _of_some(self, site: _Site) -> str:
        """A barrier of as many threads as it counts."""
        named = site.barrier.named
        assert named is not None
        assert named.count is not None
        if not self._of_thread(named.number) or not self._of_thread(named.count) or self._whole() is None:
            return "a number, a count or a block that is not known"
        try:
            met = list(values_by_thread((named.number, named.count, conj(*site.ours)), self.configuration))
        except EvaluationError:
            return "a number or a count without a value"
        meeting: dict[int, set[int]] = {}
        for thread, (number, _, performs) in enumerate(met):
            if performs:
                meeting.setdefault(number, set()).add(thread)
        for number, threads in meeting.items():
            if (not named.place and not 0 <= number < NAMED_BARRIERS) or any(
                met[t][1] != len(threads) for t in threads
            ):
                return f"{len(threads)} threads, which are not as many as it counts"
            if not named.place and any(
                t // WARP_SIZE * WARP_SIZE + lane not in threads for t in threads for lane in range(WARP_SIZE)
            ):
                return "threads that are no whole warps"
        if not all(self._agree_on(site.mixed, threads) for threads in meeting.values()):
            return _OTHER_CONDITION
        site.meeting = {number: frozenset(threads) for number, threads in meeting.items()}
        return ""

    def _agree_on(self, conditions: list[Term], threads: Set[int]) -> bool:
        """Whether all of these threads meet the conditions, or none of them does."""
        common = common_terms(tuple(conditions), threads, self.configuration)
        return common is not None and all(map(self.uniform, common))

    # ------------------------------------------------------------ all barriers

    def _agree(self, sites: list[_Site]) -> None:
        """Finds the places that share a number with others, but not its threads."""
        left = [site for site in sites if not site.problem]
        while True:
            for site in left:
                site.problem = _shared(site, sites)
            kept = [site for site in left if not site.problem]
            if len(kept) == len(left):
                return
            left = kept

    def _made(self, site: _Site) -> Item:
        barrier = replace(site.barrier, named=None)
        if site.problem:
            named = site.barrier.named
            reason = f"{_kind(named)}, with {site.problem}"
            return Gap(reason, barrier.guards, barrier.span)
        if site.meeting is None:
            return barrier
        named = site.barrier.named
        assert named is not None
        x, y, z = index_terms(self.configuration.thread)
        bx, by, _ = self.configuration.block
        alone = add(const(_OTHERS), x, mul(bx, add(y, mul(by, z))))
        own = (*site.ours, *site.mixed)
        tile = ite(conj(*own), named.number, alone)
        path = tuple(c for c in barrier.path if c.term not in own)
        return replace(barrier, guards=tuple(site.chosen), tile=tile, path=path)


def _kind(named: NamedBarrier | None) -> str:
    if named is None or not named.place:
        return "a barrier with a number"
    return "a barrier in memory" if named.turn is None else "a pipeline"


def _conditions(barrier: Barrier) -> Iterator[Term]:
    """The conditions under which a thread gets to a barrier, one by one, also those of threads that have ended."""
    for condition in barrier.path:
        if not condition.incidental and condition.kind is not ConditionKind.ASSERT:
            yield from condition.term.args if condition.term.op is Op.AND else (condition.term,)


def _sites(items: tuple[Item, ...], loops: _Loops) -> Iterator[tuple[Barrier, _Loops]]:
    for item in items:
        match item:
            case Barrier(named=named) if named is not None:
                yield item, loops
            case ProtocolLoop(items=inner):
                yield from _sites(inner, (*loops, item))
            case _:
                pass


def _waited_for(items: tuple[Item, ...]) -> frozenset[str]:
    """The places of barriers in memory at which all who arrive wait before anything else is done with them.

    Else threads may arrive again before others have arrived once, and are not waited for.
    """
    found, lost = _halves(items)
    return found - lost


def _halves(items: tuple[Item, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The places of barriers in memory among the items, and those of them where it is not certain that all wait."""
    found: set[str] = set()
    lost: set[str] = set()
    arrived: dict[str, tuple[Term, ...]] = {}
    for item in items:
        match item:
            case Arrival(name=place, guards=guards):
                found.add(place)
                lost |= {place} & arrived.keys()
                arrived[place] = guards
            case Barrier(named=NamedBarrier(place=place), arrival=first, guards=guards) if place:
                found.add(place)
                before = arrived.pop(place, None)
                if (before is None) != (first is None) or (before is not None and set(before) != set(guards)):
                    lost.add(place)
            case ProtocolLoop(items=inner):
                more, open_ = _halves(inner)
                found |= more
                lost |= open_ | (more & arrived.keys())
            case _:
                pass
    return frozenset(found), frozenset(lost | arrived.keys())


def _shared(site: _Site, sites: list[_Site]) -> str:
    """Why it is not known which threads meet at a place, for what other places do; "" where it is."""
    others = [o for o in sites if o is not site and _meet(site, o)]
    if any(o.barrier.named is not None and o.barrier.named.arrives for o in others):
        return "threads that arrive at it and do not wait"
    if any(not _same_threads(site, o) for o in others):
        return "other threads that use the same number elsewhere"
    return "the number of __syncthreads()" if site.meeting is not None and 0 in site.meeting else ""


def _meet(a: _Site, b: _Site) -> bool:
    """Whether two places may be of one barrier: unless their numbers are known to be different."""
    one, two = _numbers(a), _numbers(b)
    return one is None or two is None or bool(one & two)


def _numbers(site: _Site) -> frozenset[int] | None:
    named = site.barrier.named
    assert named is not None
    if site.meeting is not None:
        return frozenset(site.meeting)
    return frozenset((named.number.value,)) if named.number.is_const else None


def _same_threads(a: _Site, b: _Site) -> bool:
    if b.problem:
        return False
    if a.meeting is None or b.meeting is None:
        return a.meeting is b.meeting
    return all(a.meeting[n] == b.meeting[n] for n in a.meeting.keys() & b.meeting.keys())


def _replaced(items: tuple[Item, ...], made: dict[int, Item]) -> tuple[Item, ...]:
    found: list[Item] = []
    for item in items:
        if isinstance(item, ProtocolLoop):
            item = replace(item, items=_replaced(item.items, made))
        found.append(made.get(id(item), item))
    return tuple(found)
