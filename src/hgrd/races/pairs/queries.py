"""Pair queries, short ones first; in models that count, both threads reach their accesses in a possible launch."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from hgrd.host.model import Fact
from hgrd.protocol.phases.phases import Phases
from hgrd.races.encoding.alignment import both_aligned, inputs_that_align
from hgrd.races.encoding.pair_query import EncodedPair, Pair, PairEncoder
from hgrd.races.encoding.read_consistency import ReadConsistency
from hgrd.races.encoding.value_equality import Values
from hgrd.races.pairs.verdicts import VerdictBuilder
from hgrd.races.plausibility.first_iterations import in_first_iterations, with_first_values
from hgrd.races.plausibility.launch_consistency import consistent_launch
from hgrd.races.plausibility.reachability import reach, with_condition
from hgrd.races.plausibility.unneeded_values import meets_without, values_told
from hgrd.solve.decide import Decider
from hgrd.solve.query import Answer, Conflict, Model, Proved, Undecided
from hgrd.terms import TRUE, Origin, conj

_ATTEMPTS = 8  # to find iterations that both threads reach


class PairQueries(Struct, frozen=True):
    """Queries about pairs; what the answers assume is noted in `verdicts`."""

    facts: tuple[Fact, ...]
    decide: Decider
    phases: Phases
    encoder: PairEncoder
    consistency: ReadConsistency
    verdicts: VerdictBuilder

    def ask(self, pair: Pair) -> tuple[EncodedPair, Answer]:
        """The answer; where addresses are aligned if the inputs are as they must be, these are supposed to be so."""
        encoded, answer = self._asked(pair)
        aligned = both_aligned(pair.first, pair.second, encoded.addresses)
        if aligned is TRUE or not isinstance(answer, Conflict):
            return encoded, answer
        between = (*encoded.query.between, aligned)
        narrow, found = self.decided(replace(encoded, query=replace(encoded.query, between=between), aligned=True))
        if isinstance(found, Conflict):
            return encoded, found
        if isinstance(found, Proved) and self._may_be_aligned(encoded):
            return narrow, found
        return encoded, answer

    def _may_be_aligned(self, encoded: EncodedPair) -> bool:
        """Whether the host may give the kernel inputs with which the addresses of the two are aligned."""
        needed = inputs_that_align(encoded.first, encoded.second, encoded.addresses)
        return not isinstance(self.decide(self.encoder.made_under(encoded.first, needed)), Proved)

    def _asked(self, pair: Pair) -> tuple[EncodedPair, Answer]:
        """The answer, first without what can only exclude conflicts: extents of allocations, reads that agree."""
        encoded, answer = self.decided(self.encoder.encode(pair, bounded=False))
        if isinstance(answer, Proved):
            return encoded, answer
        if self._knows_more(pair):
            encoded, answer = self.decided(self.in_full(pair, filled=False))
        full = encoded if isinstance(answer, Proved) else self.in_full(pair)
        if full.contents:
            lean, known = self.decided(self.encoder.encode(pair, bounded=False, filled=True))
            if isinstance(known, Proved):
                return lean, known
            encoded, answer = self.decided(full) if self._knows_more(pair) else (lean, known)
        if isinstance(answer, Proved) and pair.sized:
            return self._within_arrays(pair, encoded, answer)
        return encoded, answer

    def _within_arrays(self, pair: Pair, encoded: EncodedPair, proof: Proved) -> tuple[EncodedPair, Answer]:
        """A proof that assumes accesses to stay within arrays, which says nothing where all threads leave them.

        If they do so later on, in the last iteration of a loop, then the two meet before.
        """
        for access in (pair.first, pair.second):
            if isinstance(self.decide(self.encoder.inside(access)), Proved):
                if self.encoder.only_alone(access):
                    return self.ask(pair)
                return encoded, Undecided(f"no thread stays within {access.target.name} here")
        for target in {a.target.key: a.target for a in (pair.first, pair.second)}.values():
            text = f"accesses to {target.name}, and subscripts before, stay within arrays"
            self.verdicts.assume(text, target.span)
        return encoded, proof

    def decided(self, encoded: EncodedPair) -> tuple[EncodedPair, Answer]:
        """The answer to a query; both threads of a conflict reach it in a launch that the host can make."""
        answer, limited = self.decide(encoded.query), False
        for _ in range(_ATTEMPTS):
            if isinstance(answer, Conflict):
                encoded, answer = consistent_launch(encoded, answer, self.facts, self.decide)
            if isinstance(answer, Proved) and limited:
                break
            if not isinstance(answer, Conflict):
                return encoded, answer
            if narrower := with_first_values(encoded, answer.model, self.facts):
                encoded, answer = narrower, self.decide(narrower.query)
                continue
            found = reach(self.encoder.protocol, self.phases.paths, encoded, answer.model)
            if found.missing is None:
                unknown = tuple(dict.fromkeys((*encoded.unknown, *found.unknown)))
                return replace(encoded, data=encoded.data or found.data, unknown=unknown), answer
            encoded, limited = with_condition(encoded, found.missing, self.facts), True
            answer = self.decide(encoded.query)
        return encoded, Undecided("in no iteration found do both threads come so far")

    def needs_no_unknown(self, encoded: EncodedPair, model: Model) -> bool:
        """Whether the two threads of a conflict come to their accesses and meet whatever the unknown values are."""
        unknown = {s for s in model.values if s.origin is Origin.UNKNOWN}
        bounds = self.encoder.bounds(encoded)
        if not {s.name for s in unknown}.issuperset(encoded.unknown):
            return False
        if not meets_without(encoded.query, model, unknown, bounds, encoded.told):
            return False
        rest = replace(model, values={s: v for s, v in model.values.items() if s not in unknown})
        reached = reach(self.encoder.protocol, self.phases.paths, encoded, rest)
        return reached.missing is None and not reached.unknown

    def of_known_values(self, encoded: EncodedPair, answer: Conflict) -> tuple[EncodedPair, Conflict, bool]:
        """The conflict, perhaps where facts or first iterations give unknown values; whether it needs none of them."""
        if not encoded.unknown or self.needs_no_unknown(encoded, answer.model):
            return encoded, answer, True
        told = values_told(encoded.query)
        by_facts = (with_condition(encoded, conj(*told), self.facts),) if told else ()
        for limited in (*by_facts, *in_first_iterations(encoded, self.facts)):
            narrower, found = self.decided(limited)
            if isinstance(found, Conflict) and self.needs_no_unknown(narrower, found.model):
                return narrower, found, True
        return encoded, answer, False

    def in_full(self, pair: Pair, *, filled: bool = True, values: Values = ()) -> EncodedPair:
        """The query with all that is known; `filled` and `values` as for `PairEncoder.encode`."""
        return self.encoder.encode(pair, self.consistency, bounded=pair.sized, filled=filled, values=values)

    def _knows_more(self, pair: Pair) -> bool:
        return pair.sized or self.consistency.bear_on(pair.first, pair.second)
