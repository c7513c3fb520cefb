"""Atoms under construction: their bounds, what defines them, and the claims that say so."""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct, field

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bounds import Bounds, Span
from hgrd.solve.normal_form.formula import Claim, Formula, at_most, equal, every, less, negative, some
from hgrd.solve.normal_form.poly import Poly, PolyKey


class Value(NamedTuple):
    """A polynomial that equals a term, given the facts in `facts` (a bit set)."""

    poly: Poly
    facts: int = 0


class Application(NamedTuple):
    """`atom` is the value of the function `name` at `arguments`, given `facts`."""

    name: str
    arguments: tuple[Poly, ...]
    atom: int
    facts: int


class Remainder(NamedTuple):
    """`remainder` is that of `dividend` by `divisor`, which is positive, given `facts`."""

    dividend: Poly
    divisor: Poly
    remainder: Poly
    facts: int


class Power(NamedTuple):
    """`atom` is 2 ** `exponent`, for exponents from 0 to below `cap`; for larger ones it is not below 2 ** `cap`."""

    atom: int
    exponent: Poly
    cap: int
    facts: int


class Builder(Struct):
    """Normal form under construction.

    Every claim about a fresh atom can be met whatever the values of older atoms are, as long as the
    claim's facts hold: adding definitions never makes a satisfiable problem unsatisfiable.
    """

    bounds: Bounds = field(default_factory=Bounds)
    claims: list[Claim] = field(default_factory=list[Claim])
    definitions: dict[int, Poly] = field(default_factory=dict[int, Poly])  # names of sums
    uniform: set[int] = field(default_factory=set[int])  # atoms with one value for both parties
    powers: dict[int, int] = field(default_factory=dict[int, int])  # powers of two -> facts
    exponents: dict[int, Poly] = field(default_factory=dict[int, Poly])  # 2**poly -> poly
    logarithms: list[Power] = field(default_factory=list["Power"])  # below their caps
    applications: list[Application] = field(default_factory=list[Application])
    remainders: list[Remainder] = field(default_factory=list[Remainder])
    inexact: bool = False  # met a choice that tighter bounds might decide
    opaque_bits: bool = False  # met a bit operation that has no arithmetic reading
    _names: dict[PolyKey, int] = field(default_factory=dict[PolyKey, int])
    _powers: dict[PolyKey, int] = field(default_factory=dict[PolyKey, int])

    def claim(self, formula: Formula, facts: int = 0) -> None:
        self.claims.append(Claim(formula, facts))

    def fresh(self, span: Span) -> int:
        return self.bounds.new(span)

    def span(self, p: Poly) -> Span:
        return self.bounds.of_poly(p)

    def named(self, p: Poly, facts: int) -> Poly:
        """A single atom that equals `p`."""
        known = self._names.get(poly.key(p))
        if known is None:
            span = self.span(p)
            known = self.fresh(span._replace(facts=span.facts | facts))
            self._names[poly.key(p)] = known
            self.definitions[known] = p
            self.claim(equal(p, poly.atom(known)))
            if poly.atoms_of(p) <= self.uniform:
                self.uniform.add(known)
        return poly.atom(known)

    # ------------------------------------------------------------ products

    def product(self, a: Value, b: Value) -> Value:
        """The product a * b; sums that are multiplied with more than a constant get a name first.

        So `y * w + x` stays one monomial and a rest, whatever sums y and w are.
        """
        p, q, facts = a.poly, b.poly, a.facts | b.facts
        if poly.as_constant(p) is None and poly.as_constant(q) is None:
            p = self._factor(p, q, facts)
            q = self._factor(q, p, facts)
        return Value(poly.times(p, q), facts)

    def _factor(self, p: Poly, other: Poly, facts: int) -> Poly:
        if len(p) <= 1:
            return p
        single = poly.proper(other)
        if len(other) <= 2 and len(single) == 1:
            (mono,) = single
            p = self._folded(p, mono[0]) if len(mono) == 1 else p
            if any(mono[0] in m for m in p):
                return p  # u * (2n - u - 1): the square stays visible
        stride = poly.atoms_of(p) <= self.uniform and not poly.atoms_of(other) <= self.uniform
        if stride and not self._is_scaled_product(p):
            return self._named_multiple(p, facts)
        return self._split_name(p, facts)

    def _folded(self, p: Poly, name: int) -> Poly:
        """`p` with the definition of `name` replaced by the name, where `p` contains it."""
        definition = self.definitions.get(name)
        if not definition or not all(mono in p for mono in definition):
            return p
        first = next(iter(definition))
        factor = p[first] // definition[first]
        if factor and all(p[mono] == factor * c for mono, c in definition.items()):
            return poly.plus(poly.plus(p, definition, -factor), poly.atom(name), factor)
        return p

    @staticmethod
    def _is_scaled_product(p: Poly) -> bool:
        rest = poly.proper(p)
        if len(rest) != 1:
            return False
        ((mono, c),) = rest.items()
        return len(mono) > 1 and abs(c) == 1

    def _split_name(self, p: Poly, facts: int) -> Poly:
        """Name the sum without its constant."""
        rest = poly.proper(p)
        if len(rest) <= 1:
            return p
        return poly.plus(self._named_multiple(rest, facts), poly.constant(p.get((), 0)))

    def _named_multiple(self, p: Poly, facts: int) -> Poly:
        """A multiple of the name of p's primitive part."""
        base = poly.primitive(poly.positive_first(p))
        mono = next(iter(base))
        return poly.scaled(self.named(base, facts), p[mono] // base[mono])

    # ------------------------------------------------------------ choices

    def choice(self, cases: list[tuple[Formula, Poly]], span: Span) -> Poly:
        """An atom that equals the polynomial of a case with a true condition."""
        self.inexact = True
        result = poly.atom(self.fresh(span))
        self.claim(some(every((condition, equal(result, p))) for condition, p in cases), span.facts)
        return result

    def extreme(self, p: Poly, q: Poly, span: Span, *, least: bool) -> Poly:
        """min(p, q) or max(p, q)."""
        self.inexact = True
        result = poly.atom(self.fresh(span))
        for side in (p, q):
            self.claim(at_most(result, side) if least else at_most(side, result), span.facts)
        self.claim(some((equal(result, p), equal(result, q))), span.facts)
        return result

    def function(self, name: str, arguments: list[Value], span: Span) -> Poly:
        """The value of an uninterpreted function: equal arguments, equal values."""
        facts = span.facts
        for argument in arguments:
            facts |= argument.facts
        result = self.fresh(span)
        self.applications.append(Application(name, tuple(a.poly for a in arguments), result, facts))
        return poly.atom(result)

    def power(self, exponent: Poly, span: Span, cap: int, *, saturate: bool) -> Poly:
        """The power 2 ** exponent (`span` is the exponent's range); any value for a negative exponent.

        From `cap` on it is 2 ** cap if `saturate`, else any value that is at least as large.
        """
        known = self._powers.get((*poly.key(exponent), ((-1,), cap * 2 + saturate)))
        if known is not None:
            return poly.atom(known)
        self.inexact = True
        low, high = min(max(span.low, 0), cap), min(span.high, cap - 1)
        most = 1 << (max(high, 0) if span.high < cap else cap if saturate else 4096)
        index = self.fresh(Span(1 << low, most, span.facts))
        result = poly.atom(index)
        cases = [
            every((equal(exponent, poly.constant(j)), equal(result, poly.constant(1 << j))))
            for j in range(low, high + 1)
        ]
        if span.high >= cap:
            limit = poly.constant(1 << cap)
            beyond = equal(result, limit) if saturate else at_most(limit, result)
            cases.append(every((less(poly.constant(cap - 1), exponent), beyond)))
        if span.low < 0:
            cases.append(negative(exponent))
        else:
            self.powers[index] = span.facts
            if not (saturate and span.high >= cap):
                self.exponents[index] = exponent
            self.logarithms.append(Power(index, exponent, cap, span.facts))
        self.claim(some(cases), span.facts)
        self._powers[(*poly.key(exponent), ((-1,), cap * 2 + saturate))] = index
        return result
