"""Exact wraps (the second query): whether a proof on mathematical integers holds when arithmetic wraps.

A wrap that needs huge sizes is a note; one at realistic sizes is a race.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from hgrd.solve.normal_form.bounds import Infeasible, Span
from hgrd.solve.normal_form.lemmas import Lemmas
from hgrd.solve.normal_form.prepare import Known, normal_form
from hgrd.solve.problem import Condition, Problem, access_bit
from hgrd.solve.query import Model
from hgrd.solve.steps.refute import Found, Refuted, SearchLimit, search
from hgrd.solve.z3_process import Solver
from hgrd.terms import (
    TRUE,
    EvaluationError,
    Op,
    Origin,
    Symbol,
    Term,
    conj,
    const,
    disj,
    evaluate,
    ge,
    le,
    negate,
    symbols_of,
    var,
)
from hgrd.terms.interval import of_type
from hgrd.terms.rewrite import bottom_up, rebuild

_INDEXES: Final = (Origin.THREAD, Origin.BLOCK)
_SIZES: Final = (Origin.INPUT, Origin.DIMENSION, Origin.LOOP, Origin.COUNT)
_EXTENTS: Final = (Origin.INPUT, Origin.DIMENSION)
_LARGEST_SYMBOL: Final = 1 << 20
_LARGEST_ADDRESS: Final = 1 << 31
_NO_OVERFLOW: Final = 1 << 30  # of an address: signed arithmetic of 32 bits is far from its ends


class Harmless(Struct, frozen=True):
    """No valuation wraps into a conflict, given `facts`."""

    facts: int


class Wraps(Struct, frozen=True):
    """A wrap leads to a conflict in `model`, at realistic sizes if `realistic`."""

    model: Model
    realistic: bool


class Open(Struct, frozen=True):
    """Not decided within the budget."""


class UnusualWrap(Struct, frozen=True):
    """A soft wrap, what holds where it is evaluated, and the sizes in it (with numbers of blocks of open extents)."""

    wrap: Term
    path: Term
    sizes: tuple[Symbol, ...]

    @property
    def avoided(self) -> Term:
        """The condition that it does not take effect."""
        return disj(negate(self.path), in_range(self.wrap))

    @property
    def usual(self) -> Term:
        """The condition that its sizes and iterations are not larger than anybody uses."""
        both = (
            c for s in self.sizes for c in (le(const(-_LARGEST_SYMBOL), var(s)), le(var(s), const(_LARGEST_SYMBOL)))
        )
        return conj(*both)


Verdict: TypeAlias = Harmless | Wraps | Open


def check_wraps(
    problem: Problem, known: Known, solver: Solver, lemmas: Lemmas, effort: SearchLimit, *, full: bool = True
) -> Verdict:
    """Decide the problem with exact wraps, given a proof without them; at unrealistic sizes only if `full`."""
    model = _realistic(problem, known, solver, lemmas, effort)
    if model is not None:
        return Wraps(model, realistic=True)
    if not full:
        return Open()
    try:
        normal = normal_form(problem, known)
    except Infeasible as contradiction:
        return Harmless(contradiction.facts)
    match search(problem, normal, solver, lemmas, effort):
        case Refuted(facts):
            return Harmless(facts)
        case Found(model):
            return Wraps(model, realistic=False)
        case _:
            return Open()


def leans_on_wraps(known: Known, model: Model) -> bool:
    """Whether a soft wrap takes effect in the model, at unrealistic sizes."""
    sizes = [v for s, v in model.values.items() if s.origin in _EXTENTS]
    return any(abs(v) > _LARGEST_SYMBOL for v in sizes) and any(takes_effect(t, model) for t in known.loose)


def unusual_wraps(problem: Problem, model: Model) -> tuple[UnusualWrap, ...]:
    """Soft wraps that take effect in the model at sizes or iterations that nobody uses.

    Bounds may leave such a wrap no choice: an address that meets another one only when it has wrapped has wrapped.
    """
    open_ = any(s.origin in _EXTENTS and abs(v) > _LARGEST_SYMBOL for s, v in model.values.items())
    kinds = (*_SIZES, Origin.BLOCK) if open_ else _SIZES
    wraps = tuple(dict.fromkeys(w for root in problem.roots for w in _evaluated(root, TRUE, kinds)))
    found = (w for w in wraps if _large(w, model) and _holds(w.path, model) and takes_effect(w.wrap, model))
    return tuple(found)


def _evaluated(t: Term, path: Term, kinds: Container[Origin]) -> Iterator[UnusualWrap]:
    """The soft wraps in a term, and what holds where they are evaluated; of alternatives (OR) none."""
    stack, seen = [(t, path)], set[tuple[Term, Term]]()
    while stack:
        t, path = at = stack.pop()
        if at in seen or t.op is Op.OR:
            continue
        seen.add(at)
        if t.op is Op.WRAP and t.wrap_to[2]:
            yield UnusualWrap(t, path, tuple(s for s in symbols_of(t) if s.origin in kinds))
        if t.op is Op.ITE:
            test, then, otherwise = t.args
            stack += [(test, path), (then, conj(path, test)), (otherwise, conj(path, negate(test)))]
        else:
            stack += [(a, path) for a in t.args]


def _large(wrap: UnusualWrap, model: Model) -> bool:
    return any(abs(model.values.get(s, 0)) > _LARGEST_SYMBOL for s in wrap.sizes)


def _holds(condition: Term, model: Model) -> bool:
    try:
        return bool(evaluate((condition,), model.values, lambda array, index: model.reads.get((array, index), 0))[0])
    except EvaluationError:
        return False


def forced_by_constants(problem: Problem, known: Known, model: Model) -> bool:
    """Whether the wraps that take effect in the model are unsigned, of indexes of threads in a launch of fixed extents.

    No choice of a size avoids them then, and unsigned arithmetic is defined to wrap around (C++, [basic.fundamental]).
    """
    wrapping = [t for t in known.loose if takes_effect(t, model)]
    fixed = not any(s.origin is Origin.DIMENSION for s in symbols_of(*problem.roots))
    return fixed and all(_is_of_indexes(t) for t in wrapping)


def _is_of_indexes(wrap: Term) -> bool:
    _, signed, _ = wrap.wrap_to
    return not signed and not wrap.arrays and all(s.origin in _INDEXES for s in symbols_of(wrap))


def takes_effect(wrap: Term, model: Model) -> bool:
    """Whether the WRAP term changes its argument in the model (False where the model leaves that open)."""

    def contents(array: str, index: tuple[int, ...]) -> int:
        return model.reads.get((array, index), 0)

    try:
        after, before = evaluate((wrap, wrap.args[0]), model.values, contents)
    except EvaluationError:
        return False
    return after != before


def in_range(wrap: Term) -> Term:
    """The condition that the WRAP term does not change its argument."""
    low, high = of_type(*wrap.wrap_to[:2])
    return conj(le(const(low), wrap.args[0]), le(wrap.args[0], const(high)))


def _realistic(problem: Problem, known: Known, solver: Solver, lemmas: Lemmas, effort: SearchLimit) -> Model | None:
    """A wrap at moderate sizes, with addresses that are moderate even without wraps; None if none is found.

    So a hash that wraps by design counts, a product of sizes beyond 2**31 does not.  The sums and products
    that the addresses consist of then do not wrap, unless a negative number becomes unsigned in them; where no other
    term could, there is nothing to search for.
    """
    outermost = frozenset(_outermost(problem.addresses))
    plain = outermost & known.loose
    exact = any(_may_turn_unsigned(t, known) for t in bottom_up(tuple(plain)) if t.op is Op.WRAP)
    if plain == known.loose and not exact:
        return None
    spans = {
        s: Span(max(span.low, -_LARGEST_SYMBOL), min(span.high, _LARGEST_SYMBOL)) if s.origin in _EXTENTS else span
        for s, span in known.spans.items()
    }
    if any(span.low > span.high for span in spans.values()):
        return None
    reach: list[Condition] = []
    most = _NO_OVERFLOW if exact else _LARGEST_ADDRESS
    for address in _without_wraps(problem.addresses, outermost if exact else plain):
        low, high = ge(address, const(-most)), le(address, const(most))
        reach += [Condition(t, access_bit(problem.query)) for t in (low, high)]
    smaller = replace(problem, conditions=(*problem.conditions, *reach))
    try:
        normal = normal_form(smaller, replace(known, spans=spans), frozenset() if exact else plain)
    except Infeasible:
        return None
    outcome = search(problem, normal, solver, lemmas, effort)
    return outcome.model if isinstance(outcome, Found) else None


def _may_turn_unsigned(wrap: Term, known: Known) -> bool:
    """Whether a wrap makes an unsigned number of one that is negative where a value or memory is: at any size, then."""
    inner = wrap.args[0]
    if wrap.wrap_to[1] or inner.low >= 0:
        return False
    return bool(inner.arrays) or any(known.spans[s].low < 0 for s in symbols_of(inner) if s in known.spans)


def _outermost(addresses: tuple[Term, ...]) -> Iterator[Term]:
    """The wraps that an address reaches through sums, products and other wraps."""
    stack = list(addresses)
    while stack:
        t = stack.pop()
        if t.op is Op.WRAP:
            yield t
        if t.op in (Op.ADD, Op.SUB, Op.MUL, Op.WRAP):
            stack.extend(t.args)


def _without_wraps(roots: tuple[Term, ...], plain: frozenset[Term]) -> tuple[Term, ...]:
    done: dict[Term, Term] = {}
    for t in bottom_up(roots):
        args = tuple(done[a] for a in t.args)
        done[t] = args[0] if t in plain else rebuild(t, args) if args else t
    return tuple(done[r] for r in roots)
