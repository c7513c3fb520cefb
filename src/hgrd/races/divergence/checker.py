"""Barrier divergence: barriers that some threads of a team perform and others do not.

CUDA Programming Guide, "Synchronization Functions": `__syncthreads()` in conditional code needs a condition
that is the same for the whole block; "Warp Synchronization": the caller of `__syncwarp(mask)` is named in the
mask, and all non-exited threads named in it call it with the same mask.  Uniformity by what conditions are
made of comes first, the solver decides the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.findings.model import Confidence, Divergence, DivergenceRule, FactUse, OpenBarrier
from hgrd.host.model import Fact, FactKind
from hgrd.program.span import Span
from hgrd.protocol.model import Barrier, Protocol, Scope
from hgrd.protocol.phases.parallelism import Party as Side
from hgrd.protocol.phases.phases import phases
from hgrd.races.barriers.paths import Miss, Way, Ways, choices, places
from hgrd.races.barriers.warp_masks import mask_ways, unknown_mask
from hgrd.races.divergence.earlier_iterations import Past, first_false, past_of
from hgrd.races.encoding.path_query import PosedWay, pose_way
from hgrd.races.plausibility.computed_values import Contents, contents
from hgrd.races.results.evidence import BarrierEvidence
from hgrd.races.results.witness import barrier_witness
from hgrd.races.sync.acquire_release import steady
from hgrd.races.threads.uniformity import UniformSymbols
from hgrd.solve.query import Answer, Conflict, Model, Query, Undecided
from hgrd.terms import Term, const, le, var

Decide: TypeAlias = Callable[[Query], Answer]
_SCOPES = {Scope.WARP: "warp", Scope.BLOCK: "block", Scope.DEVICE: "grid", Scope.SYSTEM: "grid"}
_FEW_ITERATIONS = 16
_ATTEMPTS = 4


class Synchronisation(Struct, frozen=True):
    """What came of the barriers of one protocol; `evidence` is that of the divergences, one by one."""

    divergences: tuple[Divergence, ...]
    open_barriers: tuple[OpenBarrier, ...]
    evidence: tuple[BarrierEvidence, ...] = ()

    def assumptions(self) -> Iterator[FactUse]:
        """What a verdict of `safe` takes for granted of these barriers."""
        for d in self.divergences:
            if d.rule is DivergenceRule.EXITED:
                text = "threads that have left the kernel count as arrived at this barrier"
                yield FactUse(text, FactKind.ASSUMPTION.value, d.span)
        divergent = [(d.span, d.scope) for d in self.divergences if d.rule is DivergenceRule.DIVERGENT]
        for span, scope in (*divergent, *((o.span, o.scope) for o in self.open_barriers)):
            text = f"all threads of a {scope} perform this barrier together"
            yield FactUse(text, FactKind.ASSUMPTION.value, span)


class _Found(Struct, frozen=True):
    posed: PosedWay
    model: Model
    method: str
    sure: bool


class _Barriers(Struct):
    protocol: Protocol
    facts: tuple[Fact, ...]
    decide: Decide
    deadline: float
    contents: Contents
    found: dict[tuple[DivergenceRule, Span], Divergence] = field(
        default_factory=dict[tuple[DivergenceRule, Span], Divergence]
    )
    evidence: list[BarrierEvidence] = field(default_factory=list[BarrierEvidence])
    open: dict[Span, OpenBarrier] = field(default_factory=dict[Span, OpenBarrier])

    def run(self) -> Synchronisation:
        everything = places(self.protocol)
        for place in everything:
            if isinstance(place.item, Barrier):
                self._barrier(Ways(self.protocol, place, place.item, everything))
        divergent = {span for _, span in self.found}
        still_open = tuple(o for span, o in self.open.items() if span not in divergent)
        return Synchronisation(tuple(self.found.values()), still_open, tuple(self.evidence))

    def _barrier(self, ways: Ways) -> None:
        for way in mask_ways(ways):
            self._settle(ways, way, DivergenceRule.MASK)
        for way in ways.all():
            rule = _rule(ways.barrier, way)
            if rule is None or (DivergenceRule.DIVERGENT, ways.barrier.span) in self.found:
                continue
            self._settle(ways, way, rule)

    def _settle(self, ways: Ways, way: Way, rule: DivergenceRule) -> None:
        """Decides one way and keeps what came of it."""
        barrier = ways.barrier
        if (rule, barrier.span) in self.found:
            return
        if perf_counter() > self.deadline:
            self._leave_open(barrier, "the time limit was reached")
            return
        if unknown_mask(ways):
            self._leave_open(barrier, "the threads that its mask names are not known")
            return
        match self._search(ways, way):
            case str() as reason:
                self._leave_open(barrier, reason)
            case _Found() as found:
                if found.posed.unknown:
                    names = ", ".join(n.split("@")[0] for n in found.posed.unknown[:3])
                    self._leave_open(barrier, f"it depends on values that are not known: {names}")
                elif computed := self.contents.computed_in(*way.second):
                    self._leave_open(barrier, f"it depends on values that the kernel computes: {computed[0]}")
                elif way.unsure is not None:
                    self._leave_open(barrier, f"threads may have left the kernel in line {way.unsure.line}")
                else:
                    self.found[(rule, barrier.span)] = self._divergence(ways, way, rule, found)
                    binders = ways.place.binders
                    self.evidence.append(
                        BarrierEvidence(found.posed, found.model, binders, way.alone, self.protocol, self.facts)
                    )
            case None:
                pass

    def _leave_open(self, barrier: Barrier, reason: str) -> None:
        self.open.setdefault(barrier.span, OpenBarrier(barrier.span, _SCOPES[barrier.scope], reason))

    # ------------------------------------------------------------ the search for a witness

    def _search(self, ways: Ways, way: Way) -> _Found | str | None:
        """The first iteration first, then few, then any; None if there is no such pair of threads."""
        two, few = (tuple(le(var(b), const(n)) for b in ways.place.binders) for n in (1, _FEW_ITERATIONS))
        for narrower in (way.earliest, two, few):
            found = self._ask(ways, way, narrower) if narrower else None
            if isinstance(found, _Found):
                return found
        return self._ask(ways, way, ())

    def _ask(self, ways: Ways, way: Way, extra: tuple[Term, ...]) -> _Found | str | None:
        for attempt in range(_ATTEMPTS):
            posed = pose_way(self.protocol, self.facts, way, extra)
            answer = self.decide(posed.query)
            match answer:
                case Conflict(model=model, method=method):
                    pass
                case Undecided(reason=reason):
                    return reason
                case _:
                    return None if attempt == 0 else "in no iteration found do the threads part"
            mine, theirs = (past_of(ways, way.team.naming, model, side) for side in Side)
            if mine.left is None and not (_exited(theirs) and way.miss is not Miss.EXIT):
                return self._earliest(ways, way, _Found(posed, model, method, mine.sure), theirs)
            left = mine.left or theirs.left
            assert left is not None
            extra = (*extra, le(var(ways.place.binders[left.depth]), const(left.iteration)))
        return "in no iteration found do the threads part"

    def _earliest(self, ways: Ways, way: Way, found: _Found, theirs: Past) -> _Found:
        """The same in the iteration where the second thread leaves, if it has left before."""
        if theirs.left is None or way.miss is Miss.LOOP:
            return found
        binders, depth = ways.place.binders, theirs.left.depth
        numbers = [found.model.values.get(b, 0) for b in binders[:depth]] + [theirs.left.iteration]
        pins = tuple(le(var(b), const(n)) for b, n in zip(binders, numbers, strict=False))
        posed = pose_way(self.protocol, self.facts, way, pins)
        match self.decide(posed.query):
            case Conflict(model=model, method=method):
                past = past_of(ways, way.team.naming, model, Side.FIRST)
                return _Found(posed, model, method, past.sure) if past.left is None else found
            case _:
                return found

    # ------------------------------------------------------------ findings

    def _divergence(self, ways: Ways, way: Way, rule: DivergenceRule, found: _Found) -> Divergence:
        certain = found.sure and not found.posed.data
        uses = tuple(FactUse(f.text, f.kind.value, f.span) for f in found.posed.facts)
        return Divergence(
            rule,
            ways.barrier.span,
            _SCOPES[ways.barrier.scope],
            way.miss.value,
            way.leaves or self._parted(ways, way, found.model),
            Confidence.DEFINITE if certain else Confidence.DATA_DEPENDENT,
            barrier_witness(found.posed, ways.place.binders, found.model, alone=way.alone),
            uses,
            found.method,
        )

    def _parted(self, ways: Ways, way: Way, model: Model) -> Span | None:
        """The first condition on the way to the barrier that the second thread does not meet."""
        if way.miss is not Miss.BRANCH:
            return None
        conditions = choices(ways.barrier.path)
        index = first_false(tuple(c.term for c in conditions), way.team.naming, model, Side.SECOND)
        return None if index is None else conditions[index].span


def _exited(past: Past) -> bool:
    return past.left is not None and past.left.exits


def _rule(barrier: Barrier, way: Way) -> DivergenceRule | None:
    """Threads that have returned count as arrived at a barrier of their block, and need not be at one of their
    warp; a barrier of the grid waits for every block, and so for them.
    """
    if way.miss is not Miss.EXIT or barrier.scope in (Scope.DEVICE, Scope.SYSTEM):
        return DivergenceRule.DIVERGENT
    return None if barrier.scope is Scope.WARP else DivergenceRule.EXITED


def synchronisation(protocol: Protocol, facts: tuple[Fact, ...], decide: Decide, deadline: float) -> Synchronisation:
    """Decides every barrier of the protocol under the facts.  `deadline` is a value of perf_counter()."""
    known = contents(protocol, phases(protocol, UniformSymbols(protocol)))
    alike = steady(protocol)
    protocol = replace(protocol, broadcast=alike.broadcast, agreed=alike.agreed)
    return _Barriers(protocol, (*facts, *protocol.configuration.facts), decide, deadline, known).run()
