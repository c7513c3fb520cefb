"""Barrier divergence: barriers that some of their participants perform and others do not.

CUDA Programming Guide, "Synchronization Functions": `__syncthreads()` in conditional code needs a condition
that is the same for the whole block; "Warp Synchronization": the caller of `__syncwarp(mask)` is named in the
mask, and all non-exited threads named in it call it with the same mask.  Conditions whose symbols are
all uniform are dismissed first, the solver decides the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import AccessKind, Level, Scope, Space
from hgrd.findings.model import Confidence, Divergence, DivergenceRule, FactUse, OpenBarrier
from hgrd.host.model import Fact, FactKind
from hgrd.program.span import Span
from hgrd.protocol.model import Barrier, Protocol, accesses
from hgrd.protocol.phases.parallelism import Side
from hgrd.protocol.phases.phases import phases
from hgrd.races.acquire_release.agreement import without_agreement_across_sync
from hgrd.races.barriers.paths import DivergencePath, DivergencePaths, MissKind, choices, control_points
from hgrd.races.barriers.warp_masks import mask_paths, unknown_mask
from hgrd.races.divergence.earlier_iterations import History, first_false, history_of
from hgrd.races.encoding.path_query import EncodedPath, encode_path
from hgrd.races.plausibility.computed_values import ComputedValues, computed_values
from hgrd.races.plausibility.counts_and_strides import counts_and_strides, counts_at_barriers
from hgrd.races.plausibility.negative_sizes import inputs, natural, needs_negative, negative, sizes
from hgrd.races.results.evidence import BarrierEvidence
from hgrd.races.results.witness import barrier_witness
from hgrd.races.threads.two_threads import plain_name
from hgrd.races.threads.uniformity import UniformSymbols
from hgrd.solve.query import Answer, Conflict, Model, Query, Undecided
from hgrd.symbolic.limits import OUT_OF_TIME, TimeLimitError, until
from hgrd.terms import Symbol, Term, const, le, var

Decide: TypeAlias = Callable[[Query], Answer]
_SCOPES = {
    Scope.WARP: "warp", Scope.BLOCK: "block", Scope.CLUSTER: "cluster", Scope.DEVICE: "grid", Scope.SYSTEM: "grid",
}  # fmt: skip
_FEW_ITERATIONS = 16
_ATTEMPTS = 4


_ORDERED = "threads may differ in what they read after one of them has acquired a lock or flag"


class BarrierVerdicts(Struct, frozen=True):
    """Verdicts on the barriers of one protocol; `evidence` has one entry a divergence, in the same order."""

    divergences: tuple[Divergence, ...]
    open_barriers: tuple[OpenBarrier, ...]
    evidence: tuple[BarrierEvidence, ...] = ()

    def assumptions(self) -> Iterator[FactUse]:
        """The assumptions about these barriers on which a verdict of `safe` rests."""
        for d in self.divergences:
            if d.rule is DivergenceRule.EXITED:
                text = "threads that have left the kernel count as arrived at this barrier"
                yield FactUse(text, FactKind.ASSUMPTION.value, d.span)
        divergent = [(d.span, d.scope) for d in self.divergences if d.rule is DivergenceRule.DIVERGENT]
        for span, scope in (*divergent, *((o.span, o.scope) for o in self.open_barriers)):
            text = f"all threads of a {scope} perform this barrier together"
            yield FactUse(text, FactKind.ASSUMPTION.value, span)


class _Found(Struct, frozen=True):
    """Two threads of which the second one misses a barrier; `sure`: they get there in the iterations of the model."""

    encoded: EncodedPath
    model: Model
    method: str
    sure: bool


class _BarrierChecker(Struct):
    """Checker of all barriers of one protocol; `common`: shared variables that all threads read at one place."""

    protocol: Protocol
    facts: tuple[Fact, ...]
    decide: Decide
    deadline: float
    contents: ComputedValues
    sizes: frozenset[Symbol]
    common: frozenset[str]
    found: dict[tuple[DivergenceRule, Span], Divergence] = field(
        default_factory=dict[tuple[DivergenceRule, Span], Divergence]
    )
    evidence: list[BarrierEvidence] = field(default_factory=list[BarrierEvidence])
    open: dict[Span, OpenBarrier] = field(default_factory=dict[Span, OpenBarrier])

    def run(self) -> BarrierVerdicts:
        """Decides all barriers of the protocol."""
        everything = control_points(self.protocol)
        for point in everything:
            if isinstance(point.item, Barrier):
                self._barrier(DivergencePaths(self.protocol, point, point.item, everything))
        divergent = {span for _, span in self.found}
        still_open = tuple(o for span, o in self.open.items() if span not in divergent)
        return BarrierVerdicts(tuple(self.found.values()), still_open, tuple(self.evidence))

    def _barrier(self, paths: DivergencePaths) -> None:
        for path in mask_paths(paths):
            self._settle(paths, path, DivergenceRule.MASK)
        for path in paths.all():
            rule = _rule(paths.barrier, path)
            if rule is None or (DivergenceRule.DIVERGENT, paths.barrier.span) in self.found:
                continue
            self._settle(paths, path, rule)

    def _settle(self, paths: DivergencePaths, path: DivergencePath, rule: DivergenceRule) -> None:
        """Decides one path, and keeps the divergence or why it is undecided."""
        barrier = paths.barrier
        if (rule, barrier.span) in self.found:
            return
        if perf_counter() > self.deadline:
            self._leave_open(barrier, OUT_OF_TIME)
            return
        if unknown_mask(paths):
            self._leave_open(barrier, "the threads that its mask names are not known")
            return
        try:
            with until(self.deadline):
                searched = self._search(paths, path)
        except TimeLimitError as limit:
            searched = str(limit)
        match searched:
            case str() as reason:
                self._leave_open(barrier, reason)
            case _Found() as found:
                if found.encoded.unknown:
                    names = ", ".join(n.split("@")[0] for n in found.encoded.unknown[:3])
                    self._leave_open(barrier, f"it depends on values that are not known: {names}")
                elif computed := self.contents.computed_in(*path.second):
                    self._leave_open(barrier, f"it depends on values that the kernel computes: {computed[0]}")
                elif path.unsure is not None:
                    self._leave_open(barrier, f"threads may have left the kernel in line {path.unsure.line}")
                else:
                    self.found[(rule, barrier.span)] = self._divergence(paths, path, rule, found)
                    binders = paths.point.binders
                    evidence = BarrierEvidence(
                        found.encoded,
                        found.model,
                        binders,
                        path.alone,
                        self.protocol,
                        self.facts,
                        self._supposed(found),
                    )
                    self.evidence.append(evidence)
            case None:
                pass

    def _supposed(self, found: _Found) -> tuple[str, ...]:
        """The shared variables that the two threads read at one place, and find different values in."""
        seen: dict[str, set[int]] = {}
        for symbol, value in found.model.values.items():
            seen.setdefault(plain_name(symbol), set()).add(value)
        differing = (name.partition("[]")[0] for name, values in seen.items() if "[]" in name and len(values) > 1)
        return tuple(sorted(self.common.intersection(differing)))

    def _leave_open(self, barrier: Barrier, reason: str) -> None:
        self.open.setdefault(barrier.span, OpenBarrier(barrier.span, _SCOPES[barrier.scope], reason))

    # ------------------------------------------------------------ the search for a witness

    def _search(self, paths: DivergencePaths, path: DivergencePath) -> _Found | str | None:
        """Two threads of a path: in the first iteration, else in one of few, else in any.

        None if there are no such threads; a string says why it is undecided.
        """
        two, few = (tuple(le(var(b), const(n)) for b in paths.point.binders) for n in (1, _FEW_ITERATIONS))
        for narrower in (path.earliest, two, few):
            found = self._ask(paths, path, narrower) if narrower else None
            if isinstance(found, _Found):
                return found
        return self._ask(paths, path, ())

    def _ask(self, paths: DivergencePaths, path: DivergencePath, extra: tuple[Term, ...]) -> _Found | str | None:
        """As `_search`, of the iterations that `extra` leaves, and without negative inputs where that is possible."""
        found = self._ask_of_any(paths, path, extra)
        if not isinstance(found, _Found):
            return found
        for few in (inputs(found.encoded.query), self.sizes):
            if negative(few, found.model):
                other = self._ask_of_any(paths, path, (*extra, *natural(few, found.encoded.query)))
                if isinstance(other, _Found):
                    return other
        sizes_below = negative(self.sizes, found.model)
        return needs_negative(sizes_below) if sizes_below else found

    def _ask_of_any(self, paths: DivergencePaths, path: DivergencePath, extra: tuple[Term, ...]) -> _Found | str | None:
        for attempt in range(_ATTEMPTS):
            encoded = encode_path(self.protocol, self.facts, path, extra)
            answer = self.decide(encoded.query)
            match answer:
                case Conflict(model=model, method=method):
                    pass
                case Undecided(reason=reason):
                    return reason
                case _:
                    return None if attempt == 0 else "in no iteration found do the threads part"
            mine, theirs = (history_of(paths, path.participants.threads, model, side) for side in Side)
            if mine.left is None and not (_exited(theirs) and path.miss is not MissKind.EXIT):
                return self._earliest(paths, path, _Found(encoded, model, method, mine.sure), theirs)
            left = mine.left or theirs.left
            assert left is not None
            extra = (*extra, le(var(paths.point.binders[left.depth]), const(left.iteration)))
        return "in no iteration found do the threads part"

    def _earliest(self, paths: DivergencePaths, path: DivergencePath, found: _Found, theirs: History) -> _Found:
        """The same two threads in the iteration in which the second one leaves, if it has left before."""
        if theirs.left is None or path.miss is MissKind.LOOP:
            return found
        binders, depth = paths.point.binders, theirs.left.depth
        numbers = [found.model.values.get(b, 0) for b in binders[:depth]] + [theirs.left.iteration]
        pins = tuple(le(var(b), const(n)) for b, n in zip(binders, numbers, strict=False))
        encoded = encode_path(self.protocol, self.facts, path, pins)
        match self.decide(encoded.query):
            case Conflict(model=model, method=method):
                history = history_of(paths, path.participants.threads, model, Side.FIRST)
                return _Found(encoded, model, method, history.sure) if history.left is None else found
            case _:
                return found

    # ------------------------------------------------------------ findings

    def _divergence(
        self, paths: DivergencePaths, path: DivergencePath, rule: DivergenceRule, found: _Found
    ) -> Divergence:
        certain = found.sure and not found.encoded.data
        uses = tuple(FactUse(f.text, f.kind.value, f.span) for f in found.encoded.facts)
        return Divergence(
            rule,
            paths.barrier.span,
            _SCOPES[paths.barrier.scope],
            path.miss.value,
            path.leaves or self._parted(paths, path, found.model),
            Confidence.DEFINITE if certain else Confidence.DATA_DEPENDENT,
            barrier_witness(found.encoded, paths.point.binders, found.model, alone=path.alone),
            uses,
            found.method,
        )

    def _parted(self, paths: DivergencePaths, path: DivergencePath, model: Model) -> Span | None:
        """The first condition on the way to the barrier that the second thread does not meet; None: it is unknown."""
        if path.miss is not MissKind.BRANCH:
            return None
        conditions = choices(paths.barrier.path)
        index = first_false(tuple(c.term for c in conditions), path.participants.threads, model, Side.SECOND)
        return None if index is None else conditions[index].span


def _exited(history: History) -> bool:
    return history.left is not None and history.left.exits


def _rule(barrier: Barrier, path: DivergencePath) -> DivergenceRule | None:
    """The rule that a path breaks; None: none.

    Threads that have returned count as arrived at a barrier of their block, and need not be at one of their
    warp; a barrier of the grid waits for every block, and so for them.
    """
    if path.miss is not MissKind.EXIT or barrier.scope.covers(Level.INTER_BLOCK):
        return DivergenceRule.DIVERGENT
    return None if barrier.scope is Scope.WARP else DivergenceRule.EXITED


def check_barriers(protocol: Protocol, facts: tuple[Fact, ...], decide: Decide, deadline: float) -> BarrierVerdicts:
    """Decides every barrier of the protocol under the facts.  `deadline` is a value of perf_counter()."""
    known = computed_values(protocol, phases(protocol, UniformSymbols(protocol)))
    everything = (*facts, *protocol.configuration.facts)
    alone = replace(protocol, uniform=without_agreement_across_sync(protocol).uniform)
    sized = sizes(protocol, facts) | counts_and_strides(protocol) | counts_at_barriers(protocol)
    common = _read_at_one_place(protocol)
    found = _BarrierChecker(alone, everything, decide, deadline, known, sized, common).run()
    by_barriers = replace(protocol, uniform=without_agreement_across_sync(protocol, delegated=False).uniform)
    if not found.divergences or alone.uniform == by_barriers.uniform:
        return found
    agreed = _BarrierChecker(by_barriers, everything, decide, deadline, known, sized, common).run()
    return _where_threads_agree(found, agreed)


def _read_at_one_place(protocol: Protocol) -> frozenset[str]:
    """The variables in shared memory that all threads read at one place."""
    places: dict[str, set[Term]] = {}
    for a in accesses(protocol.items):
        if a.kind is AccessKind.READ and a.space is Space.SHARED:
            places.setdefault(a.target.name, set()).add(a.offset)
    return frozenset(name for name, offsets in places.items() if len(offsets) == 1 and all(o.is_const for o in offsets))


def _where_threads_agree(found: BarrierVerdicts, agreed: BarrierVerdicts) -> BarrierVerdicts:
    """What was found, but for divergences that need threads to read different values in spite of barriers.

    Such values are possible only where a delegate of the block has acquired something between a write and a barrier;
    whether that orders the two is not decided here.
    """
    sure = {(d.rule, d.span) for d in agreed.divergences}
    kept = [(d, e) for d, e in zip(found.divergences, found.evidence, strict=True) if (d.rule, d.span) in sure]
    left = [d for d in found.divergences if (d.rule, d.span) not in sure]
    still_open = (*found.open_barriers, *(OpenBarrier(d.span, d.scope, _ORDERED) for d in left))
    return BarrierVerdicts(tuple(d for d, _ in kept), still_open, tuple(e for _, e in kept))
