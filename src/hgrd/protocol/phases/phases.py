"""May-happen-in-parallel: which two accesses can run with no barrier between them, and in which iterations.

Faial's aligned form (CAV 2021, section 4) as a relation instead of a rewritten program.  All threads of a
block pass the same barriers, each in the same iterations of the loops around it: the accesses after the last
barrier of an iteration run together with those before the first one of a later iteration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level
from hgrd.protocol.model import Access, Gap, Item, Protocol, ProtocolLoop
from hgrd.protocol.phases.barrier_bypass import (
    ITERATIONS,
    SOME_THREADS,
    VALUES,
    BarrierBypass,
    Place,
    Shared,
    below,
    names_of,
    not_understood,
    separates_at,
)
from hgrd.protocol.phases.exited_threads import Departures, departures
from hgrd.protocol.phases.parallelism import (
    Ahead,
    Apart,
    At,
    Differ,
    Holds,
    Last,
    ParallelCase,
    ParallelCases,
    Relation,
    Same,
    Side,
    doubted,
    product,
    with_,
)
from hgrd.terms import Origin, Symbol, Term, add, const, le, symbols_of, var

Path: TypeAlias = tuple[tuple[tuple[Item, ...], int], ...]


class Phases(Struct, frozen=True):
    """May-happen-in-parallel relation of one kernel.

    `shared` tells whether a symbol is the same for all threads of a block (or, between blocks, of the grid).  `agreed`
    are symbols that are the same for all threads of a block in the same iterations of some loops, `everywhere` the
    names of those for all of the grid.  `lost` are gaps whose place is unknown.
    """

    paths: dict[int, Path]
    shared: Shared
    loops: Mapping[Level, Mapping[int, ProtocolLoop]]  # by identity, those with an item that may order threads
    departures: Departures
    lost: tuple[Gap, ...] = ()
    agreed: Mapping[str, tuple[Symbol, ...]] = field(default_factory=dict[str, "tuple[Symbol, ...]"])
    everywhere: frozenset[str] = frozenset()

    def may_happen_in_parallel(self, a: Access, b: Access, level: Level) -> tuple[ParallelCase, ...]:
        """Cases in which `a` (by the first thread) and `b` (by the second) run in parallel at `level`; () for none."""
        pa, pb = self.paths[a.number], self.paths[b.number]
        loops = self.loops[level]
        aligned = self._aligned(level)
        around = [x for x in (*_loops(pa), *_loops(pb)) if id(x) in loops]
        alike = frozenset(t for x in around for t in (*x.entry, *x.tests) if self._same_for_all(t, level, aligned))
        ways = _Walk(BarrierBypass(self.shared, loops, a, b, level, aligned, self.departures, alike)).meet(pa, pb)
        same_block = level is not Level.INTER_BLOCK
        if same_block and a.once is not None and b.once is not None and a.once.place == b.once.place:
            ways = with_(Differ(a.once.terms, b.once.terms), ways)
        supposed = a.supposed or b.supposed
        if supposed:
            ways = doubted(ways, supposed)
        lost = next((gap for gap in self.lost if separates_at(gap, level)), None)
        if lost is not None:
            ways = doubted(ways, not_understood(lost))
        return tuple(ways)

    def _aligned(self, level: Level) -> frozenset[str]:
        """Names of what threads that are at one barrier have in common.

        The iteration numbers of loops with barriers, what is the same in the same iterations of these, and the counts
        of those loops that all threads leave together.
        """
        binders = frozenset(x.binder.name for x in self.loops[level].values())
        agreed = (n for n, around in self.agreed.items() if binders.issuperset(x.name for x in around))
        alike = agreed if level is not Level.INTER_BLOCK else self.everywhere.intersection(agreed)
        numbers = binders.union(alike)
        together = list(self.loops[level].values())
        while True:
            aligned = numbers | {x.count.name for x in together}
            kept = [x for x in together if all(self._same_for_all(t, level, aligned) for t in (*x.entry, *x.tests))]
            if len(kept) == len(together):
                return aligned
            together = kept

    def _same_for_all(self, test: Term, level: Level, aligned: frozenset[str]) -> bool:
        """Whether the test of a loop comes out the same for all threads, in the same iterations."""
        agreed = self.agreed.keys() if level is not Level.INTER_BLOCK else self.agreed.keys() & self.everywhere
        return all(s.name in aligned or s.name in agreed or self.shared(s, level) for s in symbols_of(test))

    def repeated(self, a: Access) -> bool:
        """Whether a thread may perform the access more than once: it stands in a loop."""
        return len(self.paths[a.number]) > 1

    def ordered_alike(self, a: Access, b: Access) -> bool:
        """Whether barriers do not matter to the pair, at any level."""
        found = [self.may_happen_in_parallel(a, b, level) for level in Level]
        return all(len(ways) == 1 and not ways[0].relations for ways in found)


def phases(protocol: Protocol, shared: Shared) -> Phases:
    paths: dict[int, Path] = {}
    placed: set[tuple[object, str]] = set()

    def visit(items: tuple[Item, ...], prefix: Path) -> None:
        for index, item in enumerate(items):
            here = (*prefix, (items, index))
            match item:
                case Access():
                    paths[item.number] = here
                case ProtocolLoop():
                    visit(item.items, here)
                case Gap():
                    placed.add((item.span, item.reason))
                case _:
                    pass

    visit(protocol.items, ())
    loops = {level: {id(x): x for x in below(protocol.items) if separates_at(x, level)} for level in Level}
    lost = tuple(g for g in protocol.gaps if g.may_order and (g.span, g.reason) not in placed)
    leaving = departures(protocol.items)
    return Phases(paths, shared, loops, leaving, lost, protocol.uniform.in_iteration, protocol.uniform.of_grid)


def _made_together(pa: Path, pb: Path) -> bool:
    """Whether the two are one access that threads make together: only those of other iterations meet there."""
    (items, i), (others, j) = pa[-1], pb[-1]
    item = items[i]
    return items is others and i == j and isinstance(item, Access) and item.together is not None


def _loops(path: Path) -> list[ProtocolLoop]:
    found = (items[i] for items, i in path)
    return [item for item in found if isinstance(item, ProtocolLoop)]


class _Walk(Struct, frozen=True):
    """Walk over the items around two accesses; its methods give the cases in which the two are unordered."""

    past: BarrierBypass

    def meet(self, pa: Path, pb: Path) -> ParallelCases:
        """Cases for two accesses in the same sequence of items, pa[0][0]."""
        (items, i), (_, j) = pa[0], pb[0]
        if i == j:
            return self._same_item(items[i], pa, pb)
        (early, first), (late, last) = ((pa, Side.FIRST), (pb, Side.SECOND))
        if i > j:
            (early, first), (late, last) = (late, last), (early, first)
            i, j = j, i
        between = self.past.free(items[i + 1 : j], Place(last, together=True, behind=last))
        return product(self._out(early, Place(first), counted=True), between, self._in(late, Place(last)))

    def _same_item(self, item: Item, pa: Path, pb: Path) -> ParallelCases:
        if isinstance(item, Access):
            return [ParallelCase()] if item.together is None else [ParallelCase((Apart(item.together),))]
        if not isinstance(item, ProtocolLoop) or not (self.past.separates(item) or _made_together(pa, pb)):
            return [ParallelCase()]
        together = with_(Same(item.binder), self.meet(pa[1:], pb[1:]))
        forth = self._across(item, (pa[1:], Side.FIRST), (pb[1:], Side.SECOND))
        back = self._across(item, (pb[1:], Side.SECOND), (pa[1:], Side.FIRST))
        return [*together, *forth, *back]

    def _across(self, loop: ProtocolLoop, early: tuple[Path, Side], late: tuple[Path, Side]) -> ParallelCases:
        """Cases for `early` in an iteration of the loop and `late` in a later one."""
        made = frozenset((*loop.entry, *loop.tests))  # by both: the other one is in a later iteration
        here, there = Place(early[1], apart=names_of(loop), given=made), Place(late[1], apart=names_of(loop))
        rest = product(self._goes_on(loop, here), self._to_end(early[0], here))
        ends = product(rest, self._from_start(late[0], there))

        def ahead(by: int, *, or_more: bool = False) -> Relation:
            return Ahead(loop.binder, late[1], by, or_more)

        ways = with_(ahead(1, or_more=True), product(rest, self.past.leaves_alone(loop, here)))
        if not ends:
            return ways
        ways += with_(ahead(1), ends)
        inside = self.past.free(loop.items, here.among(loop))
        if not inside:
            return ways
        if self.past.steady(loop) and not loop.breaks:
            return [*ways, *with_(ahead(2, or_more=True), product(ends, inside))]
        next_one = here.iteration(loop, add(var(loop.binder), const(1)))
        last_one = there.iteration(loop, add(var(loop.binder), const(-1)))
        after, before = self.past.free(loop.items, next_one), self.past.free(loop.items, last_one)
        ways += with_(ahead(2), product(ends, self._goes_on(loop, next_one), after))
        return [*ways, *with_(ahead(3, or_more=True), doubted(product(ends, after, before), ITERATIONS))]

    def _goes_on(self, loop: ProtocolLoop, place: Place) -> ParallelCases:
        """Cases in which no break leaves the iteration, as another follows (for all threads, or for the other side)."""
        ways = [ParallelCase()]
        for condition in loop.breaks:
            who = place.owner if self.past.uniform(condition) else place.owner.other
            fails = self.past.fails([condition], who, place)
            ways = doubted(ways, VALUES) if fails is None else with_(fails, ways)
        return ways

    def _out(self, path: Path, place: Place, *, counted: bool) -> ParallelCases:
        """Cases from the access to the end of the item that contains it; the other access stands after that item.

        `counted`: the other side knows how many iterations there were.
        """
        loop = path[0][0][path[0][1]]
        if not isinstance(loop, ProtocolLoop) or not self.past.separates(loop):
            return [ParallelCase()]
        here = place if place.apart else replace(place, apart=names_of(loop))
        rest = self._to_end(path[1:], here)
        alone = self._out_alone(loop, here, rest)
        if not rest:
            return alone
        inside = self.past.free(loop.items, here.among(loop))
        last = self._is_last(loop, here, 1, counted=counted)
        if loop.breaks and not inside:
            last = self._ended_by_its_test(loop, here, last)
        ways = [*alone, *product(self._goes_on(loop, here), rest, last)]
        for condition in loop.breaks:
            left: list[Relation] = [Holds((condition,), here.owner)]
            if counted:
                left.append(Last(loop.binder, loop.count, here.owner, 0))
            ways += product([ParallelCase(tuple(left))], rest)
        if not inside:
            return ways
        further: ParallelCases = [
            ParallelCase((Last(loop.binder, loop.count, here.owner, 2, True),) if counted else ())
        ]
        if self.past.steady(loop) and not loop.breaks:
            return [*ways, *product(rest, inside, further)]
        next_one = here.iteration(loop, add(var(loop.binder), const(1)))
        after = product(rest, self.past.free(loop.items, next_one))
        if not loop.breaks:
            ways += product(after, self._is_last(loop, here, 2, counted=counted))
            more = further if counted else self._before_the_last(loop, here)
            return [*ways, *doubted(product(after, more), ITERATIONS)]
        return [*ways, *doubted(after, ITERATIONS)]

    def _before_the_last(self, loop: ProtocolLoop, place: Place) -> ParallelCases:
        """Cases with two more iterations at least, the last of which passes no barrier either; its number is common."""
        number = var(Symbol(f"{loop.binder.name}'last", 2, loop.binder.high, Origin.LOOP))
        last = place.iteration(loop, number)
        entered = (le(add(var(loop.binder), const(2)), number), *self.past.at_number(loop.tests, last))
        ended = product(self.past.no_more(loop, place, add(number, const(1))), self.past.free(loop.items, last))
        return with_(Holds(entered, place.owner), ended)

    def _out_alone(self, loop: ProtocolLoop, here: Place, rest: ParallelCases) -> ParallelCases:
        """Cases in which the other side left the loop earlier, or leaves it later; none if all leave it together."""
        if self.past.left_together(loop):
            return []
        last = product(rest, self.past.no_more(loop, here, add(var(loop.binder), const(1))))
        return [*self.past.missed_by_the_other(loop, here), *doubted(last, SOME_THREADS)]

    def _is_last(self, loop: ProtocolLoop, place: Place, by: int, *, counted: bool) -> ParallelCases:
        """Cases with `by` - 1 more iterations."""
        if counted:
            return [ParallelCase((Last(loop.binder, loop.count, place.owner, by),))]
        return self.past.no_more(loop, place, add(var(loop.binder), const(by)))

    def _ended_by_its_test(self, loop: ProtocolLoop, place: Place, last: ParallelCases) -> ParallelCases:
        """Cases in which the loop ends by its test: one that breaks out is not counted, but passes a barrier."""
        tested = self.past.no_more(loop, place, add(var(loop.binder), const(1)))
        return product(last, tested) if all(order.exact for order in tested) else last

    def _in(self, path: Path, place: Place) -> ParallelCases:
        """Cases from the start of the item that contains the access to it; the other access stands before that item."""
        loop = path[0][0][path[0][1]]
        if not isinstance(loop, ProtocolLoop) or not self.past.separates(loop):
            return [ParallelCase()]
        here = place if place.apart else replace(place, apart=names_of(loop))
        rest = self._from_start(path[1:], here)
        alone = self.past.missed_by_the_other(loop, here.iteration(loop, const(0)))
        if not rest:
            return alone
        ways = [*alone, *with_(At(loop.binder, here.owner), rest)]
        inside = self.past.free(loop.items, here.among(loop))
        if not inside:
            return ways
        if self.past.steady(loop) and not loop.breaks:
            return [*ways, *with_(At(loop.binder, here.owner, 1, True), product(rest, inside))]
        first, last = (here.iteration(loop, k) for k in (const(0), add(var(loop.binder), const(-1))))
        before = product(rest, self.past.free(loop.items, first))
        ways += with_(At(loop.binder, here.owner, 1), product(before, self._goes_on(loop, first)))
        more = product(before, self.past.free(loop.items, last))
        return [*ways, *with_(At(loop.binder, here.owner, 2, True), doubted(more, ITERATIONS))]

    def _to_end(self, path: Path, place: Place) -> ParallelCases:
        items, i = path[0]
        return product(
            self._out(path, place, counted=False), self.past.free(items[i + 1 :], replace(place, behind=None))
        )

    def _from_start(self, path: Path, place: Place) -> ParallelCases:
        items, i = path[0]
        return product(self.past.free(items[:i], replace(place, behind=place.owner)), self._in(path, place))
