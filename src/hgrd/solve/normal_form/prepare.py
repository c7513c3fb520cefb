"""Normal forms of a problem (step 0): bounds propagated, equalities solved, the overlap as one equation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import gcd

from msgspec import Struct

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bounds import Bounds, Infeasible, Span, propagate
from hgrd.solve.normal_form.builder import Application, Builder, Remainder, Value
from hgrd.solve.normal_form.divisors import check_divisors
from hgrd.solve.normal_form.formula import (
    FALSE,
    TRUE,
    AtMost,
    Claim,
    Differs,
    Equal,
    Every,
    Formula,
    Some,
    at_most,
    conjuncts,
    map_polys,
)
from hgrd.solve.normal_form.normal import Normaliser
from hgrd.solve.normal_form.poly import Poly
from hgrd.solve.problem import Problem, access_bit
from hgrd.terms import Op, Symbol, Term
from hgrd.terms import interval as intervals

_PASSES = 3


class Normal(Struct, frozen=True):
    """A problem over integer atoms: the claims (the overlap among them), and the data that lemmas need.

    `gap` is the polynomial that is 0 where the accesses meet.  `in_range` are the assumptions that
    soft wraps read as identity do not wrap; they are left out of the claims until they are needed.
    """

    claims: tuple[Claim, ...]
    bounds: Bounds
    gap: Poly
    symbols: Mapping[Symbol, int]
    definitions: Mapping[int, Poly]
    applications: tuple[Application, ...]
    remainders: tuple[Remainder, ...]
    powers: frozenset[int]  # atoms that are powers of two
    exponents: Mapping[int, Poly]
    in_range: tuple[Claim, ...]
    assumed: tuple[Term, ...]
    opaque_bits: bool


class Known(Struct, frozen=True):
    """Bounds of symbols under exact semantics, and the soft wraps they do not exclude."""

    spans: Mapping[Symbol, Span]
    loose: frozenset[Term]


def survey(problem: Problem) -> Known:
    """Propagate bounds under exact semantics until they settle.  Raises Infeasible."""
    known = Known({}, frozenset())
    for _ in range(_PASSES):
        normaliser, _ = _normalise(problem, known.spans, frozenset())
        bounds = normaliser.builder.bounds
        spans = {s: _span(s, bounds.of_atom(a), problem) for s, a in normaliser.symbols.items()}
        news = any(spans[s][:2] != known.spans.get(s, (s.low, s.high))[:2] for s in spans)
        known = Known(spans, frozenset(normaliser.loose))
        if not (news and normaliser.builder.inexact):
            break
    return known


def _span(symbol: Symbol, span: Span, problem: Problem) -> Span:
    same = problem.same.get(symbol)
    return span if same is None else span._replace(facts=span.facts | same.facts)


def normal_form(problem: Problem, known: Known, plain: frozenset[Term] = frozenset()) -> Normal:
    """The problem with exact wraps, except the soft ones in `plain`: their arguments are assumed to be in range.

    Raises Infeasible.
    """
    normaliser, gap = _normalise(problem, known.spans, plain)
    in_range = tuple(_in_range(normaliser.assumed))
    builder = normaliser.builder
    claims, values = _solved(builder.claims, builder.bounds)
    check_divisors(claims)

    def change(p: Poly) -> Poly:
        return poly.replaced(p, values)

    return Normal(
        claims=claims,
        bounds=builder.bounds,
        gap=change(gap),
        symbols=normaliser.symbols,
        definitions={name: change(p) for name, p in builder.definitions.items()},
        applications=tuple(builder.applications),
        remainders=tuple(builder.remainders),
        powers=frozenset(builder.powers),
        exponents=builder.exponents,
        in_range=in_range,
        assumed=tuple(normaliser.assumed),
        opaque_bits=builder.opaque_bits,
    )


def _normalise(problem: Problem, spans: Mapping[Symbol, Span], plain: frozenset[Term]) -> tuple[Normaliser, Poly]:
    normaliser = Normaliser(problem, spans, plain)
    builder = normaliser.builder
    for condition in problem.conditions:
        _note_power_of_two(normaliser, condition.term, condition.facts)
    normaliser.load(problem.roots)
    for condition in problem.conditions:
        formula, facts = normaliser.formula(condition.term)
        builder.claim(formula, facts | condition.facts)
    gap = _overlap(problem, normaliser)
    builder.claims[:] = conjuncts(builder.claims)
    for claim in builder.claims:
        if claim.formula == FALSE:
            raise Infeasible(claim.facts)
    builder.claims[:] = [c for c in builder.claims if c.formula != TRUE]
    propagate(builder.claims, builder.bounds)
    logarithms = tuple(_logarithms(builder))
    if logarithms:
        builder.claims += logarithms
        propagate(builder.claims, builder.bounds)
    return normaliser, gap


def _logarithms(builder: Builder) -> Iterator[Claim]:
    """Bounds of exponents from the bounds of powers: 2**e <= c -> e <= log2(c)."""
    for atom, exponent, cap, facts in builder.logarithms:
        low, high, why = builder.bounds.of_atom(atom)
        if high < 1 << cap and high.bit_length() - 1 < builder.span(exponent).high:
            yield Claim(at_most(exponent, poly.constant(high.bit_length() - 1)), facts | why)
        if low > 1 and (least := (low - 1).bit_length()) > builder.span(exponent).low:
            yield Claim(at_most(poly.constant(least), exponent), facts | why)


def _note_power_of_two(normaliser: Normaliser, t: Term, facts: int) -> None:
    """Record that x is a power of two, where `t` is x == 1 || x == 2 || x == 4 ..."""
    if t.op is not Op.OR or any(a.op is not Op.EQ for a in t.args):
        return
    variables = {a.args[0] for a in t.args}
    numbers = [a.args[1] for a in t.args]
    if len(variables) == 1 and all(n.is_const and n.value > 0 and n.value & (n.value - 1) == 0 for n in numbers):
        (x,) = variables
        if x.op is Op.VAR:
            facts |= normaliser.value(x).facts
            index = normaliser.symbols[x.symbol]
            normaliser.builder.powers[index] = facts
            normaliser.builder.bounds.upper(index, max(n.value for n in numbers), facts)
            normaliser.builder.bounds.lower(index, min(n.value for n in numbers), facts)


def _overlap(problem: Problem, normaliser: Normaliser) -> Poly:
    """Claim that the bytes overlap: -size1 < address1 - address2 < size2, divided by a divisor of all terms."""
    first, second = (normaliser.value(a) for a in problem.addresses)
    builder = normaliser.builder
    gap = poly.minus(first.poly, second.poly)
    low, high = 1 - problem.query.first.size, problem.query.second.size - 1
    offset = gap.get((), 0)
    gap = poly.proper(gap)
    unit = gcd(*gap.values()) or 1
    gap = {mono: c // unit for mono, c in gap.items()}
    least, most = -((offset - low) // unit), (high - offset) // unit
    facts = first.facts | second.facts | access_bit(problem.query)
    if least > most:
        raise Infeasible(facts)
    if least == most:
        gap = poly.plus(gap, poly.constant(-least))
    else:
        gap = poly.plus(gap, poly.atom(builder.fresh(Span(least, most))), -1)
    builder.claim(Equal(gap), facts)
    return gap


def _in_range(assumed: Mapping[Term, Value | None]) -> Iterator[Claim]:
    for t, inner in assumed.items():
        if inner is not None:
            bits, signed, _ = t.wrap_to
            low, high = intervals.of_type(bits, signed)
            yield Claim(AtMost(poly.plus(inner.poly, poly.constant(-high))), inner.facts)
            yield Claim(AtMost(poly.plus(poly.negated(inner.poly), poly.constant(low))), inner.facts)


# ---------------------------------------------------------------- equalities


def _solved(claims: list[Claim], bounds: Bounds) -> tuple[tuple[Claim, ...], dict[int, Poly]]:
    """Replace atoms that are constant or equal to another one; keep claims that say so."""
    values: dict[int, Poly] = {}
    reasons: dict[int, int] = {}
    for claim in claims:
        if isinstance(claim.formula, Equal):
            pair = _twins(claim.formula.poly)
            if pair is not None and pair[0] not in values and pair[1] not in values:
                values[pair[1]] = poly.atom(pair[0])
                reasons[pair[1]] = claim.facts
    chained = {poly_atom for p in values.values() for poly_atom in poly.atoms_of(p)}
    values = {a: p for a, p in values.items() if a not in chained}
    for a in range(len(bounds.low)):
        if bounds.low[a] == bounds.high[a] and a not in values:
            values[a] = poly.constant(bounds.low[a])
            reasons[a] = bounds.of_atom(a).facts
    for a, p in list(values.items()):
        (kept,) = poly.atoms_of(p) or {-1}
        if kept in values:
            values[a] = values[kept]
            reasons[a] |= reasons[kept]
    if not values:
        return tuple(claims), values
    result = [Claim(Equal(poly.minus(poly.atom(a), p)), reasons[a]) for a, p in values.items()]
    for claim in claims:
        formula = map_polys(claim.formula, lambda p: poly.replaced(p, values))
        touched = formula != claim.formula
        facts = claim.facts
        if touched:
            for a in _atoms(claim.formula):
                facts |= reasons.get(a, 0) if a in values else 0
        if formula == FALSE:
            raise Infeasible(facts)
        if formula != TRUE:
            result.extend(conjuncts((Claim(formula, facts),)))
    return tuple(result), values


def _twins(p: Poly) -> tuple[int, int] | None:
    """(x, y), x the older atom, for a polynomial that says x == y; None for others."""
    if len(p) != 2 or any(len(mono) != 1 for mono in p) or sorted(p.values()) != [-1, 1]:
        return None
    x, y = sorted(mono[0] for mono in p)
    return x, y


def _atoms(formula: Formula) -> set[int]:
    match formula:
        case Equal(p) | Differs(p) | AtMost(p):
            return poly.atoms_of(p)
        case Every(parts) | Some(parts):
            return {a for part in parts for a in _atoms(part)}
