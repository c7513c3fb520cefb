"""Greatest common divisors in a normal form, and what they say of remainders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bounds import Span
from hgrd.solve.normal_form.builder import Application, Builder, Remainder, Value
from hgrd.solve.normal_form.formula import Claim, Equal, at_most, equal, every, negation, positive, some
from hgrd.solve.normal_form.poly import ONE, Poly
from hgrd.terms import Op

_MOST_REMAINDERS = 12


def common_divisor(a: Value, b: Value, span: Span, builder: Builder) -> Value:
    """The greatest common divisor: a function of two numbers, in whatever order."""
    first, second = sorted((a, b), key=lambda v: poly.key(v.poly))
    result = builder.function(Op.GCD.value, [first, second], span)
    if poly.atoms_of(a.poly) | poly.atoms_of(b.poly) <= builder.uniform:
        builder.uniform |= poly.atoms_of(result)
    for x in (a, b):  # a divisor of a number is not above it
        within = (Equal(x.poly), at_most(result, x.poly), at_most(result, poly.negated(x.poly)))
        builder.claim(some(within), x.facts)
    builder.claim(some((positive(result), every((Equal(a.poly), Equal(b.poly))))), a.facts | b.facts)
    return Value(result, a.facts | b.facts)


def coprime_lemmas(applications: Iterable[Application], remainders: Iterable[Remainder]) -> Iterator[Claim]:
    """Gauss's lemma: if c and f have no common divisor, (x * f + k) % c == (y * f + k) % c only where c divides x - y.

    So x and y are equal, or at least c apart.
    """
    divided = tuple(remainders)
    for found in (a for a in applications if a.name == Op.GCD.value):
        for c, f in (found.arguments, found.arguments[::-1]):
            alike = [r for r in divided if r.divisor == c][:_MOST_REMAINDERS]
            for one, two in combinations(alike, 2):
                apart = _quotient(poly.minus(one.dividend, two.dividend), f)
                if apart is not None:
                    common = negation(equal(poly.atom(found.atom), ONE))
                    unequal = negation(equal(one.remainder, two.remainder))
                    far = (at_most(c, apart), at_most(c, poly.negated(apart)))
                    yield Claim(some((common, unequal, Equal(apart), *far)), found.facts | one.facts | two.facts)


def _quotient(p: Poly, f: Poly) -> Poly | None:
    """p / f, where f is one monomial that divides p."""
    if len(f) != 1:
        return None
    ((mono, factor),) = f.items()
    quotient, rest = poly.split_by(p, mono)
    if rest or any(c % factor for c in quotient.values()):
        return None
    return {m: c // factor for m, c in quotient.items()}
