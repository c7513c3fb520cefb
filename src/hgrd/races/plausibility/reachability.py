"""Reachability: whether the two threads of a model reach their accesses, without leaving a loop before.

A thread may leave the kernel, or a loop, in an iteration that a query says nothing about.  The earlier iterations are
evaluated one by one with the values of the model; if one of them leaves, the query lacks a condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Exit, Item, Protocol, ProtocolLoop
from hgrd.protocol.phases.barrier_bypass import below
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import Path
from hgrd.races.encoding.loop_exits import LoopExits
from hgrd.races.encoding.pair_query import EncodedPair
from hgrd.races.encoding.query_assembly import cone
from hgrd.races.threads.two_threads import SUFFIX, ThreadPair
from hgrd.solve.query import Model
from hgrd.terms import EvaluationError, Origin, Symbol, Term, conj, const, evaluate, negate, substitute, symbols_of

_MOST_ITERATIONS = 256

Numbers: TypeAlias = Mapping[Symbol, Term]
"""Iterations, by the binders of loops."""


class Reachability(Struct, frozen=True):
    """Reachability of the accesses; `missing`: a condition that the model violates or leaves open; None: there is none.

    `data`: memory contents decide whether the threads reach their accesses; `unknown`: values that the analysis does
    not know decide it.
    """

    missing: Term | None = None
    data: bool = False
    unknown: tuple[str, ...] = ()


def reach(protocol: Protocol, paths: Mapping[int, Path], encoded: EncodedPair, model: Model) -> Reachability:
    """Reachability of the accesses of both threads of a model."""
    data, unknown = False, dict[str, None]()
    for party, access in ((Side.FIRST, encoded.first), (Side.SECOND, encoded.second)):
        thread = _Thread(protocol, encoded.threads, model, party)
        missing = thread.comes_to(access, paths[access.number])
        if missing is not None:
            return Reachability(missing)
        data = data or thread.data
        unknown.update(dict.fromkeys(sorted(thread.unknown)))
    return Reachability(None, data, tuple(unknown))


def with_condition(encoded: EncodedPair, term: Term, facts: tuple[Fact, ...]) -> EncodedPair:
    """The query with one more condition on its threads, and those of all `facts` that bear on this one.

    Where it is about counts of loops that the query does not mention yet, the exits of these loops hold, too.
    """
    query = encoded.query
    known = {*query.shared, *query.first.private, *query.second.private}
    if any(s.origin is Origin.COUNT for s in symbols_of(term) - known):
        term = conj(term, *chain(*LoopExits().needed(encoded.first, encoded.second, encoded.threads, (term,))))
    more = tuple(f for f in cone(facts, symbols_of(term)) if f.term not in query.facts)
    terms = tuple(f.term for f in more)
    new = sorted(symbols_of(term, *terms) - known, key=lambda s: s.name)

    def of(party: Side) -> tuple[Symbol, ...]:
        return tuple(s for s in new if s.name.endswith(SUFFIX[party]))

    first = replace(query.first, private=(*query.first.private, *of(Side.FIRST)))
    second = replace(query.second, private=(*query.second.private, *of(Side.SECOND)))
    shared = tuple(s for s in new if not s.name.endswith(tuple(SUFFIX.values())))
    query = replace(
        query,
        shared=(*query.shared, *shared),
        first=first,
        second=second,
        facts=(*query.facts, *terms),
        between=(*query.between, term),
    )
    return replace(encoded, query=query, facts=(*encoded.facts, *more))


class _LeavesError(Exception):
    """Exit of a thread where `term`, in its own symbols, holds, or where the model must decide whether it holds."""

    def __init__(self, term: Term) -> None:
        super().__init__()
        self.term = term


class _Thread(Struct):
    """One of the two threads; `data` and `unknown` say why its path to the access could not be evaluated."""

    protocol: Protocol
    threads: ThreadPair
    model: Model
    party: Side
    data: bool = False
    unknown: set[str] = field(default_factory=set[str])

    def comes_to(self, access: Access, path: Path) -> Term | None:
        """The missing condition; None: the thread reaches the access, as far as that is known."""
        around: dict[Symbol, Term] = {}
        try:
            for items, index in path:
                for item in items[:index]:
                    if isinstance(item, ProtocolLoop) and _leaves(item):
                        self._runs(item, around)
                loop = items[index]
                if isinstance(loop, ProtocolLoop):
                    number = self.model.values.get(self.threads.rename(loop.binder, self.party), 0)
                    if _leaves(loop) or loop.breaks:
                        self._goes_on(loop, around, number)
                    self.data = self.data or _goes_on_as_contents_say(loop, number)
                    around[loop.binder] = const(number)
        except _LeavesError as left:
            (seen,) = self.threads.of((left.term,), self.party)
            return negate(seen)
        return None

    def _goes_on(self, loop: ProtocolLoop, around: Numbers, number: int) -> None:
        """The iterations before `number`, none of which is the last one."""
        for iteration in range(min(number, _MOST_ITERATIONS)):
            here = {**around, loop.binder: const(iteration)}
            self._items(loop.items, here, loop.local)
            for way_out in loop.breaks:
                self._stays((way_out,), here, loop.local)

    def _runs(self, loop: ProtocolLoop, around: Numbers) -> None:
        """Run a loop from its first iteration until it ends."""
        if self._holds(loop.guards, around, frozenset()) is False:
            return
        for iteration in range(min(loop.binder.high + 1, _MOST_ITERATIONS)):
            here = {**around, loop.binder: const(iteration)}
            if self._holds(loop.tests, here, loop.local) is False:
                return
            self._items(loop.items, here, loop.local)
            if any(self._holds((b,), here, loop.local) for b in loop.breaks):
                return

    def _items(self, items: tuple[Item, ...], here: Numbers, local: frozenset[str]) -> None:
        for item in items:
            match item:
                case Exit(guards=guards):
                    self._stays(guards, here, local)
                case ProtocolLoop() if _leaves(item):
                    self._runs(item, here)
                case _:
                    pass

    def _stays(self, guards: tuple[Term, ...], here: Numbers, local: frozenset[str]) -> None:
        """Raise _LeavesError if all guards hold."""
        if self._holds(guards, here, local, deciding=True):
            raise _LeavesError(conj(*substitute(guards, dict(here))))

    def _holds(
        self, terms: tuple[Term, ...], here: Numbers, local: frozenset[str], *, deciding: bool = False
    ) -> bool | None:
        """Whether all terms hold; None: they depend on values of that iteration, or of memory, noted if `deciding`."""
        (term,) = substitute((conj(*terms),), dict(here))
        (seen,) = self.threads.of((term,), self.party)
        values = dict(self.model.values)
        values.update(self._others(symbols_of(seen) - values.keys()))
        lost = {s for s in symbols_of(term) if s.name in local and s not in here}
        unsaid = {s for s in symbols_of(seen) if s not in values}
        if deciding and not lost and unsaid and all(s.origin is Origin.INPUT for s in unsaid):
            raise _LeavesError(term)
        if lost or unsaid:
            if deciding:
                self._decides(lost | unsaid)
            return None
        try:
            return bool(evaluate((seen,), values, self.model.contents)[0])
        except EvaluationError:
            self.data = self.data or deciding
            return None

    def _others(self, symbols: frozenset[Symbol]) -> Iterator[tuple[Symbol, int]]:
        """Values of symbols without one in the model, as in a witness: the first thread, and extents of 1."""
        for s in symbols:
            if s.origin in (Origin.THREAD, Origin.BLOCK):
                yield s, 0
            elif s.origin is Origin.DIMENSION:
                yield s, max(s.low, min(s.high, 1))

    def _decides(self, symbols: set[Symbol]) -> None:
        memory = {s for s in symbols if s.origin in (Origin.DATA, Origin.COMPUTED)}
        self.data = self.data or bool(memory)
        if not memory:
            self.unknown |= {s.name for s in symbols if s.origin is not Origin.INPUT}


def _goes_on_as_contents_say(loop: ProtocolLoop, number: int) -> bool:
    """Whether contents of memory decide that the loop has not ended before the iteration of this number."""
    return loop.untold and number > 0


def _leaves(loop: ProtocolLoop) -> bool:
    """Whether a thread may leave the kernel in a loop."""
    return any(isinstance(i, Exit) for x in (loop, *below(loop.items)) for i in x.items)
