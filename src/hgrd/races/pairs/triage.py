"""Triage of conflicts: whether a conflict of a query is one of the program, and which model shows it best."""

from __future__ import annotations

from msgspec import Struct

from hgrd.races.encoding.pair_query import EncodedPair, Pair
from hgrd.races.pairs.queries import PairQueries
from hgrd.races.pairs.same_value import StoredValues
from hgrd.races.pairs.third_party_waits import needs_third_party
from hgrd.races.plausibility.computed_values import ComputedValues
from hgrd.races.plausibility.expected_launch import Expected, in_expected, is_expected, said
from hgrd.races.plausibility.lost_extents import lost_extents
from hgrd.races.plausibility.negative_sizes import inputs, needs_negative, negative, with_natural
from hgrd.races.plausibility.outside_objects import inside, is_before
from hgrd.races.plausibility.program_made_arrays import ProgramMadeArrays
from hgrd.races.plausibility.wrapping_sums import overflowing, within_types
from hgrd.races.results.sites import listed
from hgrd.solve.query import Conflict, Model, Proved
from hgrd.solve.steps.wrapping import takes_effect
from hgrd.terms import Symbol

_BEFORE = "it is found only before the beginning of the object"
_HIGH = "it is found only where an extent is above 1 along an axis that the kernel does not look at"


class TriagedConflict(Struct, frozen=True):
    """A conflict, with the query and the model that show it best.

    `same_value`: the two accesses always leave the same bytes.  `doubt`: conditions of the conflict that may never hold
    (negative sizes, addresses outside, particular contents of memory); "" if there are none.
    """

    encoded: EncodedPair
    model: Model
    method: str
    same_value: bool
    doubt: str


class ConflictTriage(Struct, frozen=True):
    """Conditions that conflicts need; `sizes` are inputs that the host uses as sizes.

    `launch`: what the kernel expects of extents that are not known.
    """

    queries: PairQueries
    stored: StoredValues
    computed: ComputedValues
    made: ProgramMadeArrays
    sizes: frozenset[Symbol]
    launch: tuple[Expected, ...]

    def unclear(self, pair: Pair, encoded: EncodedPair) -> str | None:
        """The reason why a conflict of the query may be none of the program; None if there is no reason."""
        functions = self.computed.functions_in(encoded.query)
        if functions:
            return f"it depends on values that are not known: {listed(functions)}"
        decide, encoder = self.queries.decide, self.queries.encoder
        if lost := lost_extents(encoded, decide):
            return f"it depends on values that are not known: {listed(lost)}"
        doubt = self.computed.doubt(encoded, decide) or encoder.synchronization.unclear(pair.first, pair.second)
        return doubt or needs_third_party(encoder, pair, decide)

    def triaged(self, pair: Pair, encoded: EncodedPair, answer: Conflict) -> TriagedConflict:
        """The conflict with different values and with sizes that are not negative, if there is such a conflict."""
        shown = self._with_two_values(pair, encoded, answer)
        same_value = shown is None
        encoded, answer = shown or (encoded, answer)
        encoded, answer, other = self._in_expected_launch(encoded, answer)
        encoded, answer, negative_ones = self._with_natural_sizes(encoded, answer)
        encoded, answer, before = self._inside(encoded, answer)
        doubt = needs_negative(negative_ones) if negative_ones else ""
        doubt = doubt or (_BEFORE if before else "") or (self._of_other_launches() if other else "")
        doubt = doubt or self._too_large(encoded, answer)
        doubt = "" if same_value else doubt or self.made.of(encoded, self.queries.decide)
        return TriagedConflict(encoded, answer.model, answer.method, same_value, doubt)

    def _with_two_values(
        self, pair: Pair, encoded: EncodedPair, answer: Conflict
    ) -> tuple[EncodedPair, Conflict] | None:
        """The conflict; of two writes, one with different values, or None if the values are always equal.

        The same holds for a write and a read of what the reading thread has just written itself.  A conflict by a wrap
        that a proof of equal values takes not to happen is one of different values.
        """
        for values, assumed in self.stored.told(pair):
            match self.queries.decided(self.queries.in_full(pair, values=values)):
                case narrower, Conflict() as different:
                    encoded, answer = narrower, different
                case _, Proved(no_wrap=wraps) if any(takes_effect(t, answer.model) for t in wraps):
                    pass
                case _, Proved():
                    if assumed:
                        self.queries.verdicts.assume(assumed, self.queries.verdicts.protocol.span)
                    return None
                case _:
                    pass
        return encoded, answer

    def _in_expected_launch(self, encoded: EncodedPair, answer: Conflict) -> tuple[EncodedPair, Conflict, bool]:
        """The conflict in an expected launch, or, if none is known, `answer` and that it needs another."""
        if is_expected(self.launch, answer.model):
            return encoded, answer, False
        narrower, found = self.queries.decided(in_expected(self.launch, encoded))
        return (narrower, found, False) if isinstance(found, Conflict) else (encoded, answer, True)

    def _of_other_launches(self) -> str:
        return _HIGH if all(x.idle for x in self.launch) else f"it is found only without {said(self.launch)}"

    def _with_natural_sizes(
        self, encoded: EncodedPair, answer: Conflict
    ) -> tuple[EncodedPair, Conflict, tuple[str, ...]]:
        """The conflict without negative inputs, or without negative sizes.

        If none is known, `answer` and the sizes that are negative in it.
        """
        for few in (inputs(encoded.query), self.sizes):
            if negative(few, answer.model):
                narrower, natural = self.queries.decided(with_natural(few, encoded))
                if isinstance(natural, Conflict):
                    return narrower, natural, negative(self.sizes, natural.model)
        return encoded, answer, negative(self.sizes, answer.model)

    def _inside(self, encoded: EncodedPair, answer: Conflict) -> tuple[EncodedPair, Conflict, bool]:
        """The conflict inside of the object, or, if none is known, `answer` and that it is before its beginning."""
        if not is_before(encoded, answer.model):
            return encoded, answer, False
        narrower, within = self.queries.decided(inside(encoded))
        return (narrower, within, False) if isinstance(within, Conflict) else (encoded, answer, True)

    def _too_large(self, encoded: EncodedPair, answer: Conflict) -> str:
        """The sums of contents that wrap in the conflict, in words; "" if there is a conflict in which none wraps."""
        large = overflowing(encoded, answer.model)
        if not large or isinstance(self.queries.decide(within_types(encoded).query), Conflict):
            return ""
        return f"it is found only where sums of contents wrap around: {listed(large)}"
