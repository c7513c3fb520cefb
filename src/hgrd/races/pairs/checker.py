"""The pair checker: decides the pairs of accesses of a protocol and turns the answers into verdicts."""

from __future__ import annotations

from collections.abc import Set
from time import perf_counter

from msgspec import Struct
from msgspec.structs import replace

from hgrd.cuda.memory_model import Level
from hgrd.findings.model import Confidence, Finding
from hgrd.findings.options import AnalysisOptions
from hgrd.findings.rules import DATA_RACE
from hgrd.host.model import Fact
from hgrd.protocol.model import Access, Protocol
from hgrd.protocol.phases.barrier_bypass import VALUES
from hgrd.races.acquire_release.agreement import without_agreement_across_sync
from hgrd.races.encoding.handed_on import gives_tickets
from hgrd.races.encoding.pair_query import EncodedPair, Pair, PairEncoder, certain, exact
from hgrd.races.encoding.read_consistency import read_consistency
from hgrd.races.pairs.precondition_search import PreconditionSearch
from hgrd.races.pairs.queries import PairQueries
from hgrd.races.pairs.queue import PairQueue
from hgrd.races.pairs.same_value import StoredValues
from hgrd.races.pairs.synchronization_proofs import infer_synchronization
from hgrd.races.pairs.triage import ConflictTriage, TriagedConflict
from hgrd.races.pairs.verdicts import PairVerdicts, VerdictBuilder, in_order
from hgrd.races.plausibility.computed_values import computed_values
from hgrd.races.plausibility.counts_and_strides import counts_and_strides
from hgrd.races.plausibility.expected_launch import expected_launch
from hgrd.races.plausibility.negative_sizes import sizes
from hgrd.races.plausibility.program_made_arrays import program_made_arrays
from hgrd.races.results.evidence import Evidence
from hgrd.races.results.sites import SiteKey, key_of, listed, site_of, use_of
from hgrd.races.results.witness import witness_of
from hgrd.races.sync.collective_mistakes import exchange_between
from hgrd.races.sync.work_queues import inline_work_items
from hgrd.solve.decide import Decider
from hgrd.solve.query import Conflict, Proved, Undecided
from hgrd.symbolic.limits import OUT_OF_TIME, TimeLimitError, until
from hgrd.terms import Symbol

_CONDITIONS_SHARE = 4  # this part of a kernel's time is left for conditions, at least
_SECONDS_A_RACE = 0.1
_MOST_OPEN = 400  # pairs that are listed when the time is over; the rest is one gap


class PairChecker(Struct):
    """Checker of pairs until `pairs_until`, then of preconditions until `deadline`: values of perf_counter()."""

    queue: PairQueue
    queries: PairQueries
    triage: ConflictTriage
    preconditions: PreconditionSearch
    verdicts: VerdictBuilder
    pairs_until: float
    deadline: float

    def run(self) -> PairVerdicts:
        self.verdicts.assume_no_aliases()
        for a, b, levels in self.queue:
            self.verdicts.pairs += 1
            if self.queries.encoder.synchronization.signals(a, b):
                self.verdicts.discharged += 1
            elif perf_counter() <= self._pairs_end():
                self._check_in_time(a, b, levels)
            elif len(self.verdicts.open_pairs) < _MOST_OPEN:
                self.verdicts.leave_open(a, b, levels, OUT_OF_TIME)
            else:
                self.verdicts.leave_rest_open(OUT_OF_TIME)
                break
        self.preconditions.run()
        return self.verdicts.finish(strict=self.queue.options.strict)

    def _check_in_time(self, a: Access, b: Access, levels: tuple[Level, ...]) -> None:
        """Decide a pair, which is open if that takes all time that is left."""
        try:
            with until(self.deadline):
                self._check(a, b, levels)
        except TimeLimitError:
            self.verdicts.leave_open(a, b, levels, OUT_OF_TIME)

    def _pairs_end(self) -> float:
        """The time at which pairs stop: each race found reserves more time for its condition, up to half of all."""
        share = self.deadline - self.pairs_until
        return self.pairs_until - min(share, _SECONDS_A_RACE * len(self.preconditions.conflicts))

    def _check(self, a: Access, b: Access, levels: tuple[Level, ...]) -> None:
        key = key_of(a, b)
        if self._sure(key, levels):
            return None
        for pair in self.queue.pairs(a, b, levels):
            if not self._settle(pair):
                return self._by_level(pair, levels)
        if self.verdicts.settled(key):
            self.verdicts.discharged += 1
        return None

    def _sure(self, key: SiteKey, levels: tuple[Level, ...]) -> bool:
        """Whether a race between two sites is known at these levels, without any doubt about it."""
        known = self.verdicts.findings.get(key)
        if known is None or known.same_value or key in self.preconditions.doubtful:
            return False
        return set(levels) <= set(known.levels)

    def _by_level(self, pair: Pair, levels: tuple[Level, ...]) -> None:
        """Decide each level of a pair that was asked about for all levels at once and can meet."""
        clear = True
        for single in self.queue.by_level(pair, levels):
            if perf_counter() > self._pairs_end() and single.level is not None:
                self.verdicts.leave_open(pair.first, pair.second, (single.level,), OUT_OF_TIME)
                clear = False
            else:
                clear = self._settle(single) and clear
        if clear:
            self.verdicts.discharged += 1

    def _settle(self, pair: Pair) -> bool:
        """Decides one query; True if the two cannot meet."""
        encoded, answer = self.queries.ask(pair)
        match answer:
            case Proved():
                self._prove(encoded, answer)
                return True
            case Conflict():
                if pair.level is not None:
                    self._meet(pair, encoded, answer)
                return False
            case Undecided(reason=reason):
                if pair.level is not None:
                    self.verdicts.leave_open(pair.first, pair.second, (pair.level,), reason)
                return False

    def _prove(self, encoded: EncodedPair, answer: Proved) -> None:
        self.verdicts.add_proof(encoded, answer)
        for text, span in self.queries.encoder.synchronization.assumptions(encoded.first, encoded.second):
            self.verdicts.assume(text, span or self.verdicts.protocol.span)

    def _meet(self, pair: Pair, encoded: EncodedPair, answer: Conflict) -> None:
        """The two meet in one of the parallel cases: check whether they meet in one that is certain."""
        sure = certain(pair)
        if len(sure.orders) == len(pair.orders):
            return self._found(pair, encoded, answer)
        if sure.orders:
            encoded, again = self.queries.ask(sure)
            if isinstance(again, Conflict):
                return self._found(sure, encoded, again)
        likely = exact(pair)
        if len(likely.orders) > len(sure.orders):
            encoded, again = self.queries.ask(likely)
            if isinstance(again, Conflict) and self.queries.needs_no_unknown(encoded, again.model):
                return self._found(likely, encoded, again)
        assert pair.level is not None
        doubt = next((o.doubt for o in pair.orders if o.doubt), VALUES)
        return self.verdicts.leave_open(pair.first, pair.second, (pair.level,), doubt)

    def _found(self, pair: Pair, encoded: EncodedPair, answer: Conflict) -> None:
        assert pair.level is not None
        conflict = self._triaged(pair, encoded, answer)
        if isinstance(conflict, str):
            self.verdicts.leave_open(pair.first, pair.second, (pair.level,), conflict)
            return
        key, doubtful = key_of(pair.first, pair.second), self.preconditions.doubtful
        known = self.verdicts.findings.get(key)
        levels = in_order((pair.level, *(known.levels if known is not None else ())))
        better = not conflict.doubt and not conflict.same_value and key in doubtful
        if known is not None and (conflict.same_value or not known.same_value) and not better:
            evidence, finding, doubt = self.verdicts.evidence[key], replace(known, levels=levels), ""
        else:
            supposed = self.triage.computed.never_given(conflict.encoded)
            protocol, facts = self.verdicts.protocol, self.verdicts.facts
            evidence = Evidence(conflict.encoded, conflict.model, pair.level, protocol, facts, supposed)
            finding, doubt = self._finding(pair, conflict, levels), conflict.doubt
        # the time may be over between any two of these: a finding is never without its doubt
        if not conflict.same_value:
            self.preconditions.conflicts.setdefault(key, []).append((conflict.encoded, conflict.model))
        if doubt:
            doubtful[key] = doubt
        self.verdicts.evidence[key] = evidence
        self.verdicts.findings[key] = finding
        if better:
            del doubtful[key]

    def _triaged(self, pair: Pair, encoded: EncodedPair, answer: Conflict) -> TriagedConflict | str:
        """The conflict as it is shown; a text says why it may be none of the program."""
        encoded, answer, known = self.queries.of_known_values(encoded, answer)
        if not known:
            return f"it depends on values that are not known: {listed(encoded.unknown)}"
        unclear = self.triage.unclear(pair, encoded)
        if unclear is not None:
            return unclear
        shown = self.triage.triaged(pair, encoded, answer)
        if not encoded.unknown:
            return shown
        answer = Conflict(shown.model, shown.method)
        encoded, answer, known = self.queries.of_known_values(shown.encoded, answer)
        if not known:
            return f"it depends on values that are not known: {listed(encoded.unknown)}"
        return replace(shown, encoded=encoded, model=answer.model, method=answer.method)

    def _finding(self, pair: Pair, conflict: TriagedConflict, levels: tuple[Level, ...]) -> Finding:
        a, b, encoded = pair.first, pair.second, conflict.encoded
        rule, cause = self._cause(pair)
        return Finding(
            site_of(a),
            site_of(b),
            a.space,
            levels,
            Confidence.DATA_DEPENDENT if encoded.data else Confidence.DEFINITE,
            witness_of(encoded, a, b, conflict.model),
            tuple(use_of(f) for f in encoded.facts),
            same_value=conflict.same_value,
            method=conflict.method,
            rule=rule,
            cause=cause,
            awaits=self.queries.encoder.synchronization.awaited(a, b, pair.level),
            first_calls=a.stack,
            second_calls=b.stack,
        )

    def _cause(self, pair: Pair) -> tuple[str, str]:
        """The rule, and the flaw for which existing synchronisation does not order the two; "" if there is none."""
        assert pair.level is not None
        found = self.queries.encoder.synchronization.find_flaw(pair.first, pair.second, pair.level)
        found = found or exchange_between(self.verdicts.protocol, pair.first, pair.second, pair.level)
        return (DATA_RACE.code, "") if found is None else (found.rule.code, found.text)


def check_pairs(
    protocol: Protocol,
    facts: tuple[Fact, ...],
    options: AnalysisOptions,
    decide: Decider,
    deadline: float,
    *,
    contracts: bool = True,
    hosted: bool = False,
    elsewhere: Set[str] = frozenset(),
) -> PairVerdicts:
    """Decides every pair of the protocol under the facts.

    `contracts`: callers respect what a kernel plainly needs.  `hosted`: host code launches kernels.  `elsewhere`:
    preconditions of races at other launches.
    """
    begin = perf_counter()
    everything = (*facts, *protocol.configuration.facts)
    inferred = protocol
    protocol = without_agreement_across_sync(protocol)
    protocol, phases, tickets = inline_work_items(protocol, gives_tickets(protocol, everything, decide))
    consistency = read_consistency(protocol, phases, options.levels, lockstep=options.warp_lockstep)
    every_race = not options.warp_lockstep and set(options.levels) == set(Level)
    stored = StoredValues(protocol, phases, consistency, every_race)
    encoder = PairEncoder(protocol, everything, infer_synchronization(protocol, everything, phases, decide, tickets))
    queue = PairQueue(protocol, options, phases)
    verdicts = VerdictBuilder(protocol, everything)
    queries = PairQueries(everything, decide, phases, encoder, consistency, verdicts)
    sized = sizes(protocol, facts) | (counts_and_strides(protocol) if contracts else frozenset[Symbol]())
    said = bool(options.params) or (options.grid_dim, options.block_dim) != (None, None)
    launch = expected_launch(protocol, facts, said=said, hosted=hosted) if contracts else ()
    computed, made = computed_values(inferred, phases), program_made_arrays(inferred, phases)
    return PairChecker(
        queue,
        queries,
        ConflictTriage(queries, stored, computed, made, sized, launch),
        PreconditionSearch(queue, queries, stored, verdicts, sized, launch, deadline, contracts, elsewhere),
        verdicts,
        deadline - (deadline - begin) / _CONDITIONS_SHARE,
        deadline,
    ).run()
