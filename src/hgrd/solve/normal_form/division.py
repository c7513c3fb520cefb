"""Quotients and remainders as atoms; division by a product is a chain of divisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct, field

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.normal_form.builder import Builder, Remainder, Value
from hgrd.solve.normal_form.formula import Equal, at_most, equal, every, less, negative, positive, some
from hgrd.solve.normal_form.poly import ONE, ZERO, Poly, PolyKey

_MOST_REPLACED: Final = 3

Factors: TypeAlias = tuple[int, ...]  # a positive constant (if not 1, negated: -c), then atoms


class Division(NamedTuple):
    """dividend == divisor * quotient + remainder, given `facts`."""

    quotient: Poly
    remainder: Poly
    facts: int


class Divider(Struct):
    """Divides in a builder; a repeated division gives the same result.

    `floor` rounds toward minus infinity (shifts, masks), else toward zero as C does.
    """

    builder: Builder
    _done: dict[tuple[PolyKey, PolyKey, bool], Division] = field(
        default_factory=dict[tuple[PolyKey, PolyKey, bool], Division]
    )
    _remainders: dict[int, Value] = field(default_factory=dict[int, Value])

    def divide(self, a: Value, c: Value, *, floor: bool, others: Sequence[Poly] = ()) -> Division:
        """The division of a by c; `others` are further divisors of a, to share partial quotients with.

        a / (f * g) is (a / f) / g for a >= 0 and f, g >= 1.
        """
        exact = self._exact(a, c)
        if exact is not None:
            return exact
        done = self._divided(a, c, floor, others)
        positive = self.builder.span(c.poly)
        if positive.low >= 1:
            known = Remainder(a.poly, c.poly, done.remainder, done.facts | positive.facts)
            self.builder.remainders.append(known)
        return done

    def _divided(self, a: Value, c: Value, floor: bool, others: Sequence[Poly]) -> Division:
        factors = self._factors(c.poly)
        if factors is None or len(factors) < 2 or self.builder.span(a.poly).low < 0:
            return self._primitive(a, c, floor)
        rivals = [f for f in map(self._factors, others) if f is not None]
        return self._chain(a, factors, rivals, c.facts)

    def _exact(self, a: Value, c: Value) -> Division | None:
        """The quotient of a multiple of c, also of one like x - x % c; None if a is not known to be one."""
        if len(c.poly) != 1:
            return None
        ((unit, k),) = c.poly.items()
        p, facts = a.poly, a.facts | c.facts
        for _ in range(_MOST_REPLACED):
            cofactors = [(poly.divided(mono, unit), n) for mono, n in p.items()]
            quotient = {mono: n // k for mono, n in cofactors if mono is not None and n % k == 0}
            if len(quotient) == len(p):
                return Division(quotient, ZERO, facts)
            known = {r: self._remainders[r] for r in sorted(poly.atoms_of(p) & self._remainders.keys())}
            if not known:
                return None
            p = poly.replaced(p, {r: value.poly for r, value in known.items()})
            for value in known.values():
                facts |= value.facts
        return None

    def _factors(self, c: Poly) -> Factors | None:
        """The factors of a monomial with positive factors only; None for other polynomials."""
        if len(c) != 1:
            return None
        ((mono, k),) = c.items()
        if k < 1 or any(self.builder.bounds.low[a] < 1 for a in mono):
            return None
        return (*((-k,) if k > 1 else ()), *mono)

    def _chain(self, a: Value, factors: Factors, rivals: list[Factors], facts: int) -> Division:
        whole = Value(_product(factors), facts)
        exact = self._exact(a, whole)
        if exact is not None or len(factors) == 1:
            return exact or self._primitive(a, whole, floor=False)
        prefix, rest = _best_prefix(factors, rivals)
        shorter = [r for r in rivals if len(r) < len(prefix)]
        outer = self._chain(a, prefix, shorter, facts)
        inner = self._chain(Value(outer.quotient, outer.facts), rest, [], facts)
        remainder = poly.plus(poly.times(inner.remainder, _product(prefix)), outer.remainder)
        return Division(inner.quotient, remainder, inner.facts | outer.facts)

    def _primitive(self, a: Value, c: Value, floor: bool) -> Division:
        ra, rc = self.builder.span(a.poly), self.builder.span(c.poly)
        floor = floor or ra.low >= 0
        known = self._done.get((poly.key(a.poly), poly.key(c.poly), floor))
        if known is None:
            facts = a.facts | c.facts | ra.facts | rc.facts
            if rc.low >= 1:
                known = (
                    self._rounded_down(a.poly, c.poly, ra, rc, facts)
                    if floor
                    else self._truncated(a.poly, c.poly, ra, rc, facts)
                )
            elif rc.high <= -1:
                flipped = self._primitive(a, Value(poly.negated(c.poly), c.facts), floor)
                known = flipped._replace(quotient=poly.negated(flipped.quotient))
            else:
                known = self._any_sign(a.poly, c.poly, ra, rc, facts)
            self._done[poly.key(a.poly), poly.key(c.poly), floor] = known
        return known

    def _rounded_down(self, a: Poly, c: Poly, ra: Span, rc: Span, facts: int) -> Division:
        least = ra.low // (rc.low if ra.low < 0 else rc.high)
        most = ra.high // (rc.low if ra.high >= 0 else rc.high)
        highest = min(rc.high - 1, ra.high) if ra.low >= 0 else rc.high - 1
        b = self.builder
        q, r = poly.atom(b.fresh(Span(least, most, facts))), poly.atom(b.fresh(Span(0, highest, facts)))
        b.claim(less(r, c), facts)
        b.claim(equal(poly.plus(poly.times(c, q), r), a), facts)
        self._remainders[next(iter(r))[0]] = Value(poly.minus(a, poly.times(c, q)), facts)
        self._mark_uniform(a, c, q, r)
        return Division(q, r, facts)

    def _truncated(self, a: Poly, c: Poly, ra: Span, rc: Span, facts: int) -> Division:
        """Truncating division with a dividend of unknown sign: the remainder has that sign."""
        b = self.builder
        b.inexact = True
        reach, most = rc.high - 1, max(-ra.low, ra.high) // rc.low
        q, r = poly.atom(b.fresh(Span(-most, most, facts))), poly.atom(b.fresh(Span(-reach, reach, facts)))
        below = every((negative(a), at_most(r, ZERO), less(poly.negated(r), c)))
        above = every((at_most(ZERO, a), at_most(ZERO, r), less(r, c)))
        b.claim(some((below, above)), facts)
        b.claim(equal(poly.plus(poly.times(c, q), r), a), facts)
        self._remainders[next(iter(r))[0]] = Value(poly.minus(a, poly.times(c, q)), facts)
        self._mark_uniform(a, c, q, r)
        return Division(q, r, facts)

    def _any_sign(self, a: Poly, c: Poly, ra: Span, rc: Span, facts: int) -> Division:
        """Division by a divisor of any sign; unconstrained where it is 0, since the quotient has no value there."""
        b = self.builder
        b.inexact = True
        most, reach = max(-ra.low, ra.high), max(-rc.low, rc.high)
        q, r = poly.atom(b.fresh(Span(-most, most, facts))), poly.atom(b.fresh(Span(-reach, reach, facts)))
        sized = some(
            (
                every((positive(c), less(r, c), less(poly.negated(r), c))),
                every((negative(c), less(r, poly.negated(c)), less(c, r))),
                Equal(c),
            )
        )
        signed = some((every((at_most(ZERO, a), at_most(ZERO, r))), every((negative(a), at_most(r, ZERO))), Equal(c)))
        b.claim(sized, facts)
        b.claim(signed, facts)
        b.claim(some((Equal(c), equal(poly.plus(poly.times(c, q), r), a))), facts)
        return Division(q, r, facts)

    def _mark_uniform(self, a: Poly, c: Poly, *results: Poly) -> None:
        if poly.atoms_of(a) | poly.atoms_of(c) <= self.builder.uniform:
            for p in results:
                self.builder.uniform |= poly.atoms_of(p)


def _product(factors: Factors) -> Poly:
    result: Poly = ONE
    for f in factors:
        result = poly.times(result, poly.constant(-f) if f < 0 else poly.atom(f))
    return result


def _best_prefix(factors: Factors, rivals: list[Factors]) -> tuple[Factors, Factors]:
    """The longest proper part of `factors` that is a divisor elsewhere (else the first factor), and the rest."""
    best: tuple[Factors, Factors] = (factors[:1], factors[1:])
    for rival in sorted(rivals, key=len, reverse=True):
        if 0 < len(rival) < len(factors):
            rest = list(factors)
            if all(f in rest and (rest.remove(f) or True) for f in rival):
                return rival, tuple(rest)
    return best
