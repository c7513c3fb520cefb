"""Decides the pairs of a protocol and says what the answers mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from time import perf_counter
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level, Space
from hgrd.findings.model import Confidence, FactUse, Finding, OpenPair, Outcome, Proof
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.rules import DATA_RACE
from hgrd.host.model import Fact, FactKind
from hgrd.program.span import Span
from hgrd.protocol.model import Access, Protocol, accesses
from hgrd.protocol.phases.barrier_bypass import VALUES
from hgrd.protocol.phases.phases import Phases
from hgrd.races.acquire_release.agreement import without_agreement_across_sync
from hgrd.races.encoding.pair_query import EncodedPair, Pair, PairEncoder, certain
from hgrd.races.encoding.read_consistency import ReadConsistency, read_consistency
from hgrd.races.encoding.value_equality import Values
from hgrd.races.pairs.candidates import candidates, level_pairs, levels_of, posed_pairs
from hgrd.races.pairs.same_value import StoredValues
from hgrd.races.pairs.synchronization_proofs import infer_synchronization
from hgrd.races.pairs.third_party_waits import needs_third_party
from hgrd.races.plausibility.computed_values import ComputedValues, computed_values
from hgrd.races.plausibility.launch_consistency import consistent_launch
from hgrd.races.plausibility.negative_sizes import negative, sizes, with_natural
from hgrd.races.plausibility.program_made_arrays import ProgramMadeArrays, program_made_arrays
from hgrd.races.plausibility.reachability import reach, with_condition
from hgrd.races.plausibility.wrapping_sums import overflowing, within_types
from hgrd.races.preconditions.across_findings import preconditions_of
from hgrd.races.preconditions.search import RacyPair, not_negative, scatters
from hgrd.races.results.evidence import Evidence
from hgrd.races.results.sites import SiteKey, key_of, listed, outermost, said, site_of, use_of
from hgrd.races.results.witness import witness_of
from hgrd.races.sync.work_queues import inline_work_items
from hgrd.solve.query import Answer, Conflict, Model, Proved, Query, Undecided
from hgrd.terms import TRUE, Symbol

_ATTEMPTS = 8  # to find iterations that both threads come to
_CONDITIONS_SHARE = 4  # this part of a kernel's time is left for conditions, at least
_SECONDS_A_RACE = 0.1

Decide: TypeAlias = Callable[[Query], Answer]
Meeting: TypeAlias = tuple[EncodedPair, Model]


class PairVerdicts(Struct, frozen=True):
    """What came of the pairs of one protocol; `evidence` has one entry a finding."""

    outcome: Outcome
    findings: tuple[Finding, ...]
    open_pairs: tuple[OpenPair, ...]
    assumptions: tuple[FactUse, ...]
    accesses: int
    pairs: int
    discharged: int
    proofs: tuple[Proof, ...] = ()
    evidence: tuple[Evidence, ...] = ()


class PairChecker(Struct):
    """Decides pairs until `pairs_until`, then looks for conditions until `deadline`: values of perf_counter().

    `doubtful`: findings that need what there may never be (negative sizes, particular contents), and what that is.
    """

    protocol: Protocol
    facts: tuple[Fact, ...]
    options: AnalysisOptions
    decide: Decide
    pairs_until: float
    deadline: float
    phases: Phases
    encoder: PairEncoder
    consistency: ReadConsistency
    stored: StoredValues
    computed: ComputedValues
    made: ProgramMadeArrays
    hosted: bool
    sizes: frozenset[Symbol]
    elsewhere: Set[str]
    findings: dict[SiteKey, Finding] = field(default_factory=dict[SiteKey, Finding])
    evidence: dict[SiteKey, Evidence] = field(default_factory=dict[SiteKey, Evidence])  # of the findings
    open_pairs: dict[SiteKey, OpenPair] = field(default_factory=dict[SiteKey, OpenPair])
    open_sites: set[SiteKey] = field(default_factory=set[SiteKey])  # of open_pairs, without the reasons
    used: dict[FactUse, None] = field(default_factory=dict[FactUse, None])
    proofs: dict[SiteKey, Proof] = field(default_factory=dict[SiteKey, Proof])
    conflicts: dict[SiteKey, list[Meeting]] = field(default_factory=dict[SiteKey, "list[Meeting]"])
    doubtful: dict[SiteKey, str] = field(default_factory=dict[SiteKey, str])
    pairs: int = 0
    discharged: int = 0

    def run(self) -> PairVerdicts:
        self._assume_apart()
        for a, b in candidates(self.protocol):
            levels = levels_of(a, b, self.protocol.configuration, self.options)
            if not levels:
                continue
            self.pairs += 1
            if self.encoder.synchronization.signals(a, b):
                self.discharged += 1
            elif perf_counter() > self._pairs_end():
                self._leave_open(a, b, levels, "the time limit was reached")
            else:
                self._pair(a, b, levels)
        self._look_for_conditions()
        self._leave_doubtful_open()
        return self._verdicts()

    def _pairs_end(self) -> float:
        """Until when pairs are decided: each race found leaves some time more to its condition, up to half of all."""
        share = self.deadline - self.pairs_until
        return self.pairs_until - min(share, _SECONDS_A_RACE * len(self.conflicts))

    def _assume_apart(self) -> None:
        """Memory behind pointers that nobody is seen to allocate differs, from all other, too, where it matters."""
        used = {a.target.key: a.target for a in accesses(self.protocol.items) if a.space is Space.GLOBAL}
        changed = used.keys() & self.protocol.memory.written
        outside = {key for key, target in used.items() if target.external}
        apart = used if outside & changed else outside | changed
        if outside and changed and len(apart) > 1:
            names = ", ".join(t.name for key, t in used.items() if key in apart)
            self._assume(f"the memory behind {names} does not overlap", self.protocol.span)

    def _verdicts(self) -> PairVerdicts:
        gaps = tuple(
            OpenPair(None, None, None, (), g.reason, g.span)
            for g in sorted(self.protocol.gaps, key=lambda g: (g.span, g.reason))
        )
        undecided = (*self.open_pairs.values(), *gaps)
        racy = any(self.options.strict or not f.same_value for f in self.findings.values())
        outcome = Outcome.RACE if racy else Outcome.UNKNOWN if undecided else Outcome.SAFE
        return PairVerdicts(
            outcome,
            tuple(self.findings.values()),
            undecided,
            (*self.used, *self._given(), *map(use_of, self.protocol.assumed)),
            len(accesses(self.protocol.items)),
            self.pairs,
            self.discharged,
            tuple(p for key, p in self.proofs.items() if key not in self.findings and key not in self.open_sites),
            tuple(self.evidence[key] for key in self.findings),
        )

    def _given(self) -> list[FactUse]:
        """Facts whose truth stands in the launch itself: constants, and arguments computed from others."""
        return [use_of(f) for f in self.facts if f.term is TRUE]

    # ------------------------------------------------------------ one pair

    def _pair(self, a: Access, b: Access, levels: tuple[Level, ...]) -> None:
        key = key_of(a, b)
        known = self.findings.get(key)
        if known is not None and not known.same_value and key not in self.doubtful and set(levels) <= set(known.levels):
            return None
        for pair in posed_pairs(a, b, levels, self.phases):
            if not self._settle(pair):
                return self._by_level(pair, levels)
        if key not in self.open_sites and key not in self.findings:
            self.discharged += 1
        return None

    def _by_level(self, pair: Pair, levels: tuple[Level, ...]) -> None:
        """A pair that was asked about for all levels at once and can meet: at which ones?"""
        clear = True
        for single in level_pairs(pair.first, pair.second, levels, self.phases):
            if perf_counter() > self._pairs_end() and single.level is not None:
                self._leave_open(pair.first, pair.second, (single.level,), "the time limit was reached")
                clear = False
            else:
                clear = self._settle(single) and clear
        if clear:
            self.discharged += 1

    def _settle(self, pair: Pair) -> bool:
        """Decides one query; True if the two cannot meet."""
        posed, answer = self._ask(pair)
        match answer:
            case Proved():
                self._note_proof(posed, answer)
                return True
            case Conflict():
                if pair.level is not None:
                    self._meet(pair, posed, answer)
                return False
            case Undecided(reason=reason):
                if pair.level is not None:
                    self._leave_open(pair.first, pair.second, (pair.level,), reason)
                return False

    def _meet(self, pair: Pair, posed: EncodedPair, answer: Conflict) -> None:
        """They meet in one of the orders; do they in one that is certain?"""
        sure = certain(pair)
        if len(sure.orders) == len(pair.orders):
            return self._found(pair, posed, answer)
        if sure.orders:
            posed, again = self._ask(sure)
            if isinstance(again, Conflict):
                return self._found(sure, posed, again)
        assert pair.level is not None
        doubt = next((o.doubt for o in pair.orders if o.doubt), VALUES)
        return self._leave_open(pair.first, pair.second, (pair.level,), doubt)

    def _ask(self, pair: Pair) -> tuple[EncodedPair, Answer]:
        """First without what is only needed to rule a conflict out: extents of allocations, reads that agree."""
        posed, answer = self._decided(self.encoder.encode(pair, bounded=False))
        if isinstance(answer, Proved):
            return posed, answer
        if self._knows_more(pair):
            posed, answer = self._decided(self._in_full(pair, filled=False))
        full = posed if isinstance(answer, Proved) else self._in_full(pair)
        if full.contents:
            lean, known = self._decided(self.encoder.encode(pair, bounded=False, filled=True))
            if isinstance(known, Proved):
                return lean, known
            posed, answer = self._decided(full) if self._knows_more(pair) else (lean, known)
        if isinstance(answer, Proved) and pair.sized:
            for target in {a.target.key: a.target for a in (pair.first, pair.second)}.values():
                self._assume(f"accesses to {target.name}, and subscripts before, stay within arrays", target.span)
        return posed, answer

    def _decided(self, posed: EncodedPair) -> tuple[EncodedPair, Answer]:
        answer = self.decide(posed.query)
        for _ in range(_ATTEMPTS):
            if isinstance(answer, Conflict):
                posed, answer = consistent_launch(posed, answer, self.facts, self.decide)
            if not isinstance(answer, Conflict):
                return posed, answer
            found = reach(self.protocol, self.phases.paths, posed, answer.model)
            if found.missing is None:
                unknown = tuple(dict.fromkeys((*posed.unknown, *found.unknown)))
                return replace(posed, data=posed.data or found.data, unknown=unknown), answer
            posed = with_condition(posed, found.missing, self.facts)
            answer = self.decide(posed.query)
            if isinstance(answer, Proved):
                break
        return posed, Undecided("in no iteration found do both threads come so far")

    def _knows_more(self, pair: Pair) -> bool:
        return pair.sized or self.consistency.bear_on(pair.first, pair.second)

    def _in_full(self, pair: Pair, *, filled: bool = True, values: Values = ()) -> EncodedPair:
        sized = pair.sized
        return self.encoder.encode(pair, self.consistency, bounded=sized, filled=filled, values=values)

    def _assume(self, text: str, span: Span) -> None:
        self.used[FactUse(text, FactKind.ASSUMPTION.value, span)] = None

    def _note_proof(self, posed: EncodedPair, answer: Proved) -> None:
        facts = (*(posed.facts[index] for index in sorted(answer.used)), *posed.contents)
        uses = dict.fromkeys(map(use_of, facts))
        self.used |= uses
        key = key_of(posed.first, posed.second)
        known = self.proofs.get(key) or Proof(site_of(posed.first), site_of(posed.second), ())
        self.proofs[key] = replace(known, facts=tuple(dict.fromkeys((*known.facts, *uses))))
        for term in outermost(answer.no_wrap):
            bits, signed, _ = term.wrap_to
            self._assume(
                f"{said(term)} does not leave {bits} bits {'signed' if signed else 'unsigned'}", self.protocol.span
            )
        for text, span in self.encoder.synchronization.assumptions(posed.first, posed.second):
            self._assume(text, span or self.protocol.span)

    def _found(self, pair: Pair, posed: EncodedPair, answer: Conflict) -> None:
        a, b = pair.first, pair.second
        assert pair.level is not None
        undecided = self._doubt(pair, posed)
        if undecided is not None:
            self._leave_open(a, b, (pair.level,), undecided)
            return
        shown = self._with_two_values(pair, posed, answer)
        same_value = shown is None
        posed, answer = shown or (posed, answer)
        posed, answer, negative_ones = self._with_natural_sizes(posed, answer)
        key = key_of(a, b)
        if not same_value:
            self.conflicts.setdefault(key, []).append((posed, answer.model))
        known = self.findings.get(key)
        levels = {pair.level, *(known.levels if known is not None else ())}
        ordered = tuple(level for level in Level if level in levels)
        odd = f"it is found only where a size is negative: {listed(negative_ones)}" if negative_ones else ""
        odd = odd or self._too_large(posed, answer)
        doubt = "" if same_value else odd or self.made.of(posed, self.decide)
        better = not doubt and not same_value and self.doubtful.pop(key, None) is not None
        if known is not None and (same_value or not known.same_value) and not better:
            self.findings[key] = replace(known, levels=ordered)
            return
        if doubt:
            self.doubtful[key] = doubt
        supposed = self.computed.never_given(posed)
        self.evidence[key] = Evidence(posed, answer.model, pair.level, self.protocol, self.facts, supposed)
        confidence = Confidence.DATA_DEPENDENT if posed.data else Confidence.DEFINITE
        rule, cause = self._cause(pair)
        self.findings[key] = Finding(
            site_of(a), site_of(b), a.space, ordered, confidence,
            witness_of(posed, a, b, answer.model), tuple(use_of(f) for f in posed.facts),
            same_value=same_value, method=answer.method, rule=rule, cause=cause,
            awaits=self.encoder.synchronization.awaited(a, b),
        )  # fmt: skip

    def _cause(self, pair: Pair) -> tuple[str, str]:
        """The rule, and what keeps synchronisation that is there from ordering the two, if anything does."""
        assert pair.level is not None
        found = self.encoder.synchronization.find_flaw(pair.first, pair.second, pair.level)
        return (DATA_RACE.code, "") if found is None else (found.rule.code, found.text)

    def _doubt(self, pair: Pair, posed: EncodedPair) -> str | None:
        """Why a conflict in the query may be none in the program."""
        if posed.unknown:
            return f"it depends on values that are not known: {listed(posed.unknown)}"
        functions = self.computed.functions_in(posed.query)
        if functions:
            return f"it depends on values that are not known: {listed(functions)}"
        doubt = self.computed.doubt(posed, self.decide) or self.encoder.synchronization.unclear(pair.first, pair.second)
        return doubt or needs_third_party(self.encoder, pair, self.decide)

    def _with_two_values(self, pair: Pair, posed: EncodedPair, answer: Conflict) -> tuple[EncodedPair, Conflict] | None:
        """The conflict; between two writes one of different values, None if these are always the same.

        So too between a write and a read of what the reading thread has just written itself.
        """
        for values, assumed in self.stored.told(pair):
            match self._decided(self._in_full(pair, values=values)):
                case narrower, Conflict() as different:
                    posed, answer = narrower, different
                case _, Proved():
                    if assumed:
                        self._assume(assumed, self.protocol.span)
                    return None
                case _:
                    pass
        return posed, answer

    def _too_large(self, posed: EncodedPair, answer: Conflict) -> str:
        """Which sums of contents wrap in the conflict, if there is none in which they do not."""
        large = overflowing(posed, answer.model)
        if not large or isinstance(self.decide(within_types(posed).query), Conflict):
            return ""
        return f"it is found only where sums of contents wrap around: {listed(large)}"

    def _with_natural_sizes(
        self, posed: EncodedPair, answer: Conflict
    ) -> tuple[EncodedPair, Conflict, tuple[str, ...]]:
        """The conflict in a launch without negative sizes; if none is known, this one, and which sizes are."""
        odd = negative(self.sizes, answer.model)
        if odd:
            narrower, natural = self._decided(with_natural(self.sizes, posed))
            if isinstance(natural, Conflict):
                return narrower, natural, negative(self.sizes, natural.model)
        return posed, answer, odd

    def _look_for_conditions(self) -> None:
        """Races that one precondition on parameters excludes are conditional, where a host could establish it."""
        racy = [key for key in self.conflicts if not self.findings[key].same_value]
        racy.sort(key=lambda key: key in self.doubtful)
        found = preconditions_of(racy, self._racy_pair, self.decide, self.deadline, self.elsewhere)
        for key, condition in found.items():
            self._lean(key, condition)
        for key in self.doubtful:
            if not self.findings[key].condition and perf_counter() < self.deadline:
                self._lean(key, not_negative(self._racy_pair(key), self.sizes, self.decide))

    def _lean(self, key: SiteKey, condition: str) -> None:
        finding = self.findings[key]
        confidence = Confidence.CONDITIONAL if self.hosted and condition else finding.confidence
        self.findings[key] = replace(finding, confidence=confidence, condition=condition)

    def _racy_pair(self, key: SiteKey) -> RacyPair:
        conflicts = self.conflicts[key]
        first = conflicts[0][0]
        scattered = scatters(first.first, first.second, self.protocol) or all(
            map(self.encoder.synchronization.tickets.choose, (first.first, first.second))
        )
        target = first.first.target.key
        starts = tuple((name, p.offset) for name, p in self.protocol.launch.pointers if p.target.key == target)
        return RacyPair(tuple(self._queries_of(key)), tuple(conflicts), scattered, self.protocol.launch.numbers, starts)

    def _queries_of(self, key: SiteKey) -> Iterator[EncodedPair]:
        """Everything that the finding's two sites can do to each other (the same value twice is a note)."""
        for a, b in candidates(self.protocol):
            if key_of(a, b) == key:
                levels = levels_of(a, b, self.protocol.configuration, self.options)
                for pair in posed_pairs(a, b, levels, self.phases):
                    yield self._in_full(pair, values=() if self.options.strict else self.stored.all(pair))

    def _leave_doubtful_open(self) -> None:
        """What there may never be, and what no precondition excludes, is not decided."""
        for key, why in self.doubtful.items():
            if not self.findings[key].condition:
                levels = self.findings.pop(key).levels
                posed = self.evidence.pop(key).posed
                self._leave_open(posed.first, posed.second, levels, why)

    def _leave_open(self, a: Access, b: Access, levels: tuple[Level, ...], reason: str) -> None:
        self.open_sites.add(key_of(a, b))
        key = (*key_of(a, b), reason)
        known = self.open_pairs.get(key)
        together = {*levels, *(known.levels if known is not None else ())}
        ordered = tuple(level for level in Level if level in together)
        self.open_pairs[key] = OpenPair(site_of(a), site_of(b), a.space, ordered, reason, a.span)


def check_pairs(
    protocol: Protocol,
    facts: tuple[Fact, ...],
    options: AnalysisOptions,
    decide: Decide,
    deadline: float,
    *,
    hosted: bool = True,
    elsewhere: Set[str] = frozenset(),
) -> PairVerdicts:
    """Decides every pair of the protocol under the facts.

    `hosted`: host code was seen that launches kernels.  `elsewhere`: preconditions of races at other launches.
    """
    begin = perf_counter()
    everything = (*facts, *protocol.configuration.facts)
    read = protocol
    protocol = without_agreement_across_sync(protocol)
    protocol, relation, tickets = inline_work_items(protocol)
    read_alike = read_consistency(protocol, relation, options.levels, lockstep=options.warp_lockstep)
    return PairChecker(
        protocol,
        everything,
        options,
        decide,
        deadline - (deadline - begin) / _CONDITIONS_SHARE,
        deadline,
        relation,
        PairEncoder(protocol, everything, infer_synchronization(protocol, everything, relation, decide, tickets)),
        read_alike,
        StoredValues(protocol, relation, read_alike, not options.warp_lockstep and set(options.levels) == set(Level)),
        computed_values(read, relation),
        program_made_arrays(read, relation),
        hosted,
        sizes(protocol, facts),
        elsewhere,
    ).run()
