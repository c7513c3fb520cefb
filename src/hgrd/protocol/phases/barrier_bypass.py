"""Bypassed barriers: the conditions under which two threads pass barriers without being ordered by them.

A barrier that both threads reach is assumed to be reached by all threads or none, and orders the two.  If only
one of them reaches it, they count as unordered, with a doubt; if neither does, they count as unordered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level, Scope
from hgrd.protocol.model import Access, Arrival, Barrier, Gap, Item, ProtocolLoop
from hgrd.protocol.phases.exited_threads import Departures
from hgrd.protocol.phases.parallelism import (
    Apart,
    Count,
    Fails,
    ParallelCase,
    ParallelCases,
    Side,
    Unnamed,
    doubted,
    product,
    with_,
)
from hgrd.terms import TRUE, Origin, Symbol, Term, add, const, le, substitute, symbols_of, var

Shared: TypeAlias = Callable[[Symbol, Level], bool]

SOME_THREADS = "a barrier that some threads do not reach may order the two accesses"
ITERATIONS = "a barrier in iterations between them may order the two accesses"
VALUES = "a barrier under a condition may order the two accesses"
MASK = "a warp barrier whose mask is not known may order the two accesses"

_UNBOUNDED = (1 << 31) - 2  # the highest iteration number of a loop with no bound but that of its counter


def orders(scope: Scope, level: Level) -> bool:
    """Whether a barrier of this scope may order threads at this level: that of a cluster orders some of two blocks."""
    return scope.covers(level) or scope is Scope.CLUSTER


def separates_at(item: Item, level: Level) -> bool:
    """Whether the item may order threads at this level, or contains an item that may."""
    match item:
        case Barrier(scope=scope):
            return orders(scope, level)
        case Gap(reach=reach):
            return orders(reach, level)
        case ProtocolLoop(items=items):
            return any(separates_at(i, level) for i in items)
        case _:
            return False


def of_earlier_arrival(item: Item, arrived: set[str]) -> bool:
    """Whether it waits for threads that have not arrived at one of these barriers, but before."""
    return isinstance(item, Barrier) and item.arrival is not None and item.arrival not in arrived


def not_understood(gap: Gap) -> str:
    return f"what was not understood in line {gap.span.line} may order the two accesses"


def names_of(loop: ProtocolLoop) -> frozenset[str]:
    return loop.local | {loop.binder.name}


def _any_number(binder: Symbol) -> Symbol:
    """Binder without its highest value: tests that constants decide are not kept as tests, but as its bound."""
    return Symbol(binder.name, 0, 1 << 40, binder.origin)


def below(items: tuple[Item, ...]) -> list[ProtocolLoop]:
    """All loops below the items."""
    loops = [i for i in items if isinstance(i, ProtocolLoop)]
    return [x for loop in loops for x in (loop, *below(loop.items))]


class Place(Struct, frozen=True):
    """Iterations in which barriers are examined: those that `owner` is in.

    `together`: the other side is in the same iterations.  If not, `apart` are the symbols that it has for other
    iterations.  `moved` are symbols of the owner that `values` replaces, or that are of other iterations than the
    examined ones (`stale`).  `given` holds there in addition.  `behind`: the side that comes after these iterations,
    and so knows the counts of loops; None: neither.
    """

    owner: Side
    together: bool = False
    apart: frozenset[str] = frozenset()
    values: tuple[tuple[Symbol, Term], ...] = ()
    stale: frozenset[str] = frozenset()
    given: frozenset[Term] = frozenset()
    behind: Side | None = None
    moved: frozenset[str] = field(default=frozenset())

    def among(self, loop: ProtocolLoop) -> Place:
        """Place in some iteration of a loop here."""
        return replace(self, given=self.given | {*loop.entry, *loop.tests}, behind=None)

    def iteration(self, loop: ProtocolLoop, number: Term, *, first: bool = False) -> Place:
        """Place in iteration `number` of a loop here; `first`: no other one is examined, nor is the owner in one."""
        stale = self.stale if first else self.stale | loop.local
        moved = self.moved | stale | {loop.binder.name}
        values = (*self.values, (loop.binder, number), (_any_number(loop.binder), number))
        return replace(self.among(loop), values=values, stale=stale, moved=moved)


class BarrierBypass(Struct, frozen=True):
    """Ways in which accesses `a` and `b` bypass the barriers between them at a level.

    `alike`: tests of loops with barriers around an access that come out the same for all threads.  `aligned`: names of
    numbers and counts of iterations, and of what goes with them, that are the same for all threads.
    """

    shared: Shared
    loops: Mapping[int, ProtocolLoop]  # by identity, those with an item that may order threads at the level
    a: Access
    b: Access
    level: Level
    aligned: frozenset[str]
    departures: Departures
    alike: frozenset[Term] = frozenset()

    def separates(self, item: Item) -> bool:
        """Whether the item may order threads at this level, or contains an item that may."""
        if isinstance(item, ProtocolLoop):
            return id(item) in self.loops
        return separates_at(item, self.level)

    # ------------------------------------------------------------ conditions

    def _access(self, party: Side) -> Access:
        return self.a if party is Side.FIRST else self.b

    def uniform(self, guard: Term) -> bool:
        """Whether a guard is the same for all threads (all enter and leave loops with barriers together)."""
        return all(s.name in self.aligned or self.shared(s, self.level) for s in symbols_of(guard))

    def _known(self, guard: Term, party: Side, place: Place) -> bool:
        """Whether a condition is known to hold for a party, from the guards of its access."""
        if guard in place.given:
            return True
        names = {s.name for s in symbols_of(guard)}
        if names & place.moved:
            return False
        if guard in self.alike:
            return True
        same = party is place.owner or place.together or not names & place.apart
        return same and guard in self._access(party).guards

    def _left(self, guards: tuple[Term, ...], place: Place) -> tuple[list[Term], list[Term]]:
        """Conditions that may fail for the owner, and those that may fail for the other side."""
        mine = [g for g in guards if not self._known(g, place.owner, place)]
        others = [g for g in guards if not self._known(g, place.owner.other, place)]
        uniform = {g for g in mine if self.uniform(g)}
        agreed = uniform - set(others) | ({g for g in others if self.uniform(g)} - set(mine))
        return [g for g in mine if g not in agreed], [g for g in others if g not in agreed]

    def fails(self, guards: list[Term], party: Side, place: Place) -> Fails | None:
        """Relation that not all of the conditions hold; None if it cannot be expressed for these iterations."""
        names = {s.name for s in symbols_of(*guards)}
        elsewhere = party is not place.owner and not place.together
        binders = {s.name for s in symbols_of(*guards) if s.origin is Origin.LOOP}
        if names & place.stale or (elsewhere and (names - binders) & place.apart):
            return None
        terms = substitute(guards, dict(place.values))
        at = party if place.together else place.owner
        return Fails(tuple(dict.fromkeys(t for t in terms if t is not TRUE)), party, at)

    def at_number(self, tests: tuple[Term, ...], place: Place) -> tuple[Term, ...]:
        """The tests of a loop in the iterations of a place, but for those that cannot be expressed for these."""
        told = [t for t in tests if not {s.name for s in symbols_of(t)} & place.stale]
        return tuple(t for t in substitute(told, dict(place.values)) if t is not TRUE)

    def _unless(self, guards: tuple[Term, ...], place: Place) -> ParallelCases:
        """Cases in which not both parties meet conditions that all threads or none are expected to meet."""
        mine, others = self._left(guards, place)
        me, other = place.owner, place.owner.other
        if not mine and not others:
            return []
        if all(map(self.uniform, (*mine, *others))):
            one = self.fails(mine, me, place)
            if one is None:
                return [ParallelCase(doubt=VALUES)]
            return [ParallelCase((one,))] if one.guards else []
        doubts = [(self.fails(mine, me, place), bool(mine)), (self.fails(others, other, place), bool(others))]
        ways = [ParallelCase((f,) if f is not None else (), SOME_THREADS) for f, may in doubts if may]
        both = [f for f, _ in doubts if f is not None]
        if mine and others and len(both) == 2:
            ways.insert(0, ParallelCase(tuple(both)))
        return [o for o in ways if all(not isinstance(r, Fails) or r.guards for r in o.relations)]

    # ------------------------------------------------------------ passing by without being ordered

    def free(self, items: tuple[Item, ...], place: Place) -> ParallelCases:
        """Cases in which the parties pass all of `items`, or one of them skips these, with no order between the two."""
        ways: list[ParallelCases] = []
        arrived: set[str] = set()
        for item in items:
            if isinstance(item, Arrival):
                arrived.add(item.name)
            elif self.separates(item) and not of_earlier_arrival(item, arrived):
                past = self._past(item, place)
                if not past:
                    return []
                ways.append(past)
        return product(*ways)

    def _past(self, item: Item, place: Place) -> ParallelCases:
        match item:
            case Barrier():
                return self._past_barrier(item, place)
            case Gap(guards=guards):
                return [*self._unless(guards, place), ParallelCase(doubt=not_understood(item))]
            case ProtocolLoop():
                return self._past_loop(item, place)
            case _:
                return [ParallelCase()]

    def _past_barrier(self, barrier: Barrier, place: Place) -> ParallelCases:
        ways = self._unless(barrier.guards, place)
        if barrier.tile is not None:
            ways.append(ParallelCase((Apart(barrier.tile),)))
        if barrier.mask is not None:
            ways += self._outside(barrier.mask)
        if barrier.scope is Scope.WARP:
            ways += self.departures.between(self.a, Side.FIRST, barrier)
            ways += self.departures.between(self.b, Side.SECOND, barrier)
        return ways

    def _outside(self, mask: Term) -> ParallelCases:
        """Cases in which one of the two is not among the lanes of the mask that the other one waits for."""
        threads = (Origin.THREAD, Origin.BLOCK)
        if any(s.origin not in threads and not self.shared(s, self.level) for s in symbols_of(mask)):
            return [ParallelCase(doubt=MASK)]
        return [ParallelCase((Unnamed(mask, party),)) for party in Side]

    def _past_loop(self, loop: ProtocolLoop, place: Place) -> ParallelCases:
        """Cases without an iteration of the loop, or with iterations that pass no barrier."""
        inside = self.free(loop.items, place.among(loop))
        none = self._no_iteration(loop, place)
        if not inside or self.steady(loop):
            return [*none, *inside]
        first = self.free(loop.items, place.iteration(loop, const(0), first=True))
        ways = [*none, *doubted(first, ITERATIONS)]
        if not loop.breaks:
            if place.behind is not None:
                ways += with_(Count(loop.count, place.behind, 1), first)
            else:
                ways += product(first, self.no_more(loop, place, const(1)))
        return ways

    def _no_iteration(self, loop: ProtocolLoop, place: Place) -> ParallelCases:
        """Cases in which the loop is not entered, or its first test fails."""
        first = replace(place.iteration(loop, const(0), first=True), given=place.given)
        if place.behind is None or not {s.name for s in symbols_of(*loop.tests)} & loop.local:
            return self._unless((*loop.entry, *loop.tests), first)
        return [*self._unless(loop.entry, first), ParallelCase((Count(loop.count, place.behind),))]

    def no_more(self, loop: ProtocolLoop, place: Place, number: Term) -> ParallelCases:
        """Cases in which the test for iteration `number` fails, after all earlier ones held."""
        later = place.iteration(loop, number)
        bounded = loop.binder.high < _UNBOUNDED
        bound = (le(var(_any_number(loop.binder)), const(loop.binder.high)),) if bounded else ()
        return self._unless((*loop.tests, *bound), replace(later, given=place.given | {*loop.entry}))

    # ------------------------------------------------------------ loops that threads leave in different iterations

    def left_together(self, loop: ProtocolLoop) -> bool:
        """Whether all threads or none enter the loop, and its tests come out the same for all."""
        return all(t in self.alike or self.uniform(t) for t in (*loop.entry, *loop.tests))

    def missed_by_the_other(self, loop: ProtocolLoop, place: Place) -> ParallelCases:
        """Cases in which the other side does not reach this iteration: it has not entered the loop, or has left it."""
        other = place.owner.other
        entry = [g for g in loop.entry if not self._known(g, other, place)]
        return [] if self.left_together(loop) else self._not_met([*entry, *loop.tests], other, place)

    def leaves_alone(self, loop: ProtocolLoop, place: Place) -> ParallelCases:
        """Cases in which the owner leaves the loop after its iteration, and the other side does not."""
        if self.left_together(loop):
            return []
        following = place.iteration(loop, add(var(loop.binder), const(1)))
        return self._not_met(list(loop.tests), place.owner, following)

    def _not_met(self, conditions: list[Term], party: Side, place: Place) -> ParallelCases:
        if not conditions:
            return []
        fails = self.fails(conditions, party, place)
        return [ParallelCase(() if fails is None else (fails,), SOME_THREADS)]

    def steady(self, loop: ProtocolLoop) -> bool:
        """Whether the barriers in the loop are passed under the same conditions in every iteration."""
        binders = {x.binder.name for x in below(loop.items)}
        changing = names_of(loop) - binders
        given = {*loop.entry, *loop.tests}
        conditions = [g for g in self._conditions(loop.items) if g not in given]
        return all(s.name not in changing for s in symbols_of(*conditions))

    def _conditions(self, items: tuple[Item, ...]) -> list[Term]:
        found: list[Term] = []
        for item in items:
            if not self.separates(item):
                continue
            match item:
                case Barrier(guards=guards, mask=mask):
                    found += [*guards, *([mask] if mask is not None else [])]
                case Gap(guards=guards):
                    found += guards
                case ProtocolLoop():
                    found += [*item.entry, *item.tests, *item.breaks, *self._conditions(item.items)]
                case _:
                    pass
        return found
