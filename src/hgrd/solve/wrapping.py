"""What a proof on mathematical integers is worth when arithmetic wraps: the second query.

A wrap that needs huge sizes is a note; one at sizes people use is a race.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from hgrd.solve.bounds import Infeasible, Span
from hgrd.solve.lemmas import Lemmas
from hgrd.solve.prepare import Known, Normal, normal_form
from hgrd.solve.problem import Condition, Problem, access_bit
from hgrd.solve.query import Model
from hgrd.solve.refute import Found, Refuted, search
from hgrd.solve.repl import Solver
from hgrd.terms import Origin, Term, const, ge, le
from hgrd.terms.rewrite import bottom_up, rebuild

_LARGEST_SYMBOL: Final = 1 << 20
_LARGEST_ADDRESS: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class Harmless:
    """No valuation wraps into a conflict, given `facts`."""

    facts: int


@dataclass(frozen=True, slots=True)
class Wraps:
    """`model` wraps into a conflict, at sizes people use if `realistic`."""

    model: Model
    realistic: bool


@dataclass(frozen=True, slots=True)
class Open:
    """Not decided within the budget."""


Verdict: TypeAlias = Harmless | Wraps | Open


def check_wraps(problem: Problem, known: Known, solver: Solver, lemmas: Lemmas, rounds: int, effort: int) -> Verdict:
    """Decide the problem with exact wraps."""
    small = _realistic(problem, known)
    if small is not None:
        outcome = search(small[0], small[1], solver, lemmas, rounds, effort)
        if isinstance(outcome, Found):
            return Wraps(outcome.model, realistic=True)
    try:
        normal = normal_form(problem, known, wrapping=True)
    except Infeasible as contradiction:
        return Harmless(contradiction.facts)
    match search(problem, normal, solver, lemmas, rounds, effort):
        case Refuted(facts):
            return Harmless(facts)
        case Found(model):
            return Wraps(model, realistic=False)
        case _:
            return Open()


def _realistic(problem: Problem, known: Known) -> tuple[Problem, Normal] | None:
    """The problem at moderate sizes, the addresses moderate even without wraps; None where nothing is left.

    So a hash that wraps by design counts, a product of sizes beyond 2**31 does not.
    """
    spans = {
        s: Span(max(span.low, -_LARGEST_SYMBOL), min(span.high, _LARGEST_SYMBOL))
        if s.origin in (Origin.INPUT, Origin.DIMENSION)
        else span
        for s, span in known.spans.items()
    }
    if any(span.low > span.high for span in spans.values()):
        return None
    reach: list[Condition] = []
    for address in _without_wraps(problem.addresses, known.loose):
        low, high = ge(address, const(-_LARGEST_ADDRESS)), le(address, const(_LARGEST_ADDRESS))
        reach += [Condition(t, access_bit(problem.query)) for t in (low, high)]
    smaller = replace(problem, conditions=(*problem.conditions, *reach))
    try:
        return smaller, normal_form(smaller, replace(known, spans=spans), wrapping=True)
    except Infeasible:
        return None


def _without_wraps(roots: tuple[Term, ...], plain: frozenset[Term]) -> tuple[Term, ...]:
    done: dict[Term, Term] = {}
    for t in bottom_up(roots):
        args = tuple(done[a] for a in t.args)
        done[t] = args[0] if t in plain else rebuild(t, args) if args else t
    return tuple(done[r] for r in roots)
