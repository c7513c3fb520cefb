"""Model values of a query: for the inputs of the launch, and for terms of its two threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from hgrd.protocol.phases.phases import Side
from hgrd.races.results.evidence import BarrierEvidence, Evidence
from hgrd.solve.query import Answer, Conflict, Model, Party, Query
from hgrd.terms import EvaluationError, Symbol, Term, const, eq, evaluate, symbols_of, var


class ValuationError(Exception):
    """The model lacks a value that a launch needs; the message is for the user."""


class Valuation(Struct, frozen=True):
    """Values for symbols and, at some indexes, for arrays."""

    evidence: Evidence | BarrierEvidence
    model: Model

    def of(self, term: Term) -> int:
        """The value of a term over symbols that all threads share.  Raises ValuationError."""
        try:
            return evaluate((term,), _defaults(symbols_of(term)) | dict(self.model.values), self._read)[0]
        except EvaluationError as error:
            raise ValuationError(str(error)) from None

    def at(self, term: Term, side: Side) -> int | None:
        """The value of a term of one of the two threads; None if the model does not determine it.

        Irrelevant indexes are 0, as in the witness.
        """
        threads = self.evidence.encoded.threads
        c = threads.configuration
        indexes = {threads.rename(s, side): 0 for s in (*c.thread, *c.block_index) if s is not None}
        try:
            return evaluate(threads.of((term,), side), indexes | dict(self.model.values), self._read)[0]
        except EvaluationError:
            return None

    def _read(self, array: str, index: tuple[int, ...]) -> int:
        return self.model.reads.get((array, index), 0)


def complete(
    evidence: Evidence | BarrierEvidence, needed: Iterable[Term], decide: Callable[[Query], Answer]
) -> Valuation:
    """The model, with values for the other symbols of the terms, in accordance with all facts.

    Symbols that the query did not contain share no fact with those that it did: small values suffice if the facts
    allow them, else the solver is asked for some.  Raises ValuationError if it finds none.
    """
    model = evidence.model
    terms = tuple(f.term for f in evidence.facts)
    missing = symbols_of(*needed, *terms) - model.values.keys()
    small = Valuation(evidence, Model({**_defaults(missing), **model.values}, model.reads))
    if all(_holds(small, t) for t in terms):
        return small
    pinned = tuple(eq(var(s), const(v)) for s, v in model.values.items())
    nobody = Party((), (), (), const(0), 1)
    symbols = symbols_of(*terms, *pinned, *needed)
    answer = decide(Query(tuple(sorted(symbols, key=lambda s: s.name)), (), (*terms, *pinned), nobody, nobody, ()))
    if not isinstance(answer, Conflict):
        raise ValuationError("no values were found for what the race does not depend on")
    more = {s: v for s, v in answer.model.values.items() if s in missing}
    return Valuation(evidence, Model({**_defaults(missing), **more, **model.values}, model.reads))


def _holds(valuation: Valuation, fact: Term) -> bool:
    try:
        return bool(valuation.of(fact))
    except ValuationError:
        return False


def _defaults(symbols: Iterable[Symbol]) -> dict[Symbol, int]:
    return {s: max(s.low, min(s.high, 1)) for s in symbols}
