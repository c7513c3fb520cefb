"""Integer tautologies about products, powers and functions, instantiated where a proof may need them.

A model of the linear abstraction gives monomials values that need not be products; a lemma rules such
values out.  The families: `radix` (delinearisation of the address), `pairs` (two cofactors of one
factor), `squares`, `powers` of two, `functions` (equal arguments, equal values), `counts` (of bits),
`divisors` (numbers that have none in common), `ends` (a factor at the end of its interval), `values` (a factor, or a
function of bits, at the values the model gives).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, permutations
from math import prod

from msgspec import Struct

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.bit_counts import count_lemmas, point_lemmas
from hgrd.solve.normal_form.bounds import Bounds
from hgrd.solve.normal_form.common_divisors import coprime_lemmas
from hgrd.solve.normal_form.formula import (
    AtMost,
    Claim,
    Differs,
    Equal,
    Formula,
    at_most,
    equal,
    less,
    negation,
    negative,
    positive,
    some,
)
from hgrd.solve.normal_form.poly import ONE, Mono, Poly, PolyKey
from hgrd.solve.normal_form.prepare import Normal


class Lemmas(Struct, frozen=True):
    """Families of lemmas: those that are used."""

    radix: bool = True
    pairs: bool = True
    squares: bool = True
    powers: bool = True
    functions: bool = True
    counts: bool = True
    divisors: bool = True
    ends: bool = True
    values: bool = True


def first_lemmas(normal: Normal, on: Lemmas) -> list[Claim]:
    """The lemmas that decide most queries."""
    comparisons = _comparisons(normal)
    bounds = normal.bounds
    products = _Products(bounds)
    if on.radix:
        _explore_address(normal, comparisons, products)
    if on.pairs:
        for factor, cofactors in _cofactors(normal, comparisons).items():
            for p, q in combinations(cofactors, 2):
                products.add(factor, poly.minus({p: 1}, {q: 1}))
    result = products.lemmas()
    if on.squares:
        result += _square_lemmas(normal, comparisons)
    if on.powers:
        result += _power_lemmas(normal)
    if on.functions:
        result += _function_lemmas(normal)
    if on.counts:
        result += count_lemmas(normal.applications)
    if on.divisors:
        result += coprime_lemmas(normal.applications, normal.remainders)
    return result


def last_lemmas(normal: Normal, on: Lemmas) -> list[Claim]:
    """Products with a factor at the end of its interval."""
    products = _Products(normal.bounds)
    if on.ends:
        for factor, cofactors in _cofactors(normal, _comparisons(normal)).items():
            for mono in cofactors:
                if len(mono) == 1:
                    low, high, _ = normal.bounds.of_atom(mono[0])
                    products.add(factor, poly.plus({mono: 1}, ONE, -low))
                    if high < (1 << 31) - 1:
                        products.add(factor, poly.plus({mono: 1}, ONE, -high))
    return products.lemmas()


def value_lemmas(normal: Normal, on: Lemmas, monos: Iterable[Mono], value: Callable[[Mono], int]) -> list[Claim]:
    """Lemmas for monomials that are not products under `value`: f == c -> f * m == c * m, for c the value of f.

    The factor f is the one with the fewest values, so that few lemmas are needed.
    """
    result: list[Claim] = []
    for mono in monos if on.values else ():
        if len(mono) > 1 and value(mono) != prod(value((a,)) for a in mono):
            factor = min(mono, key=lambda a: (_choices(normal, a), a))
            c = value((factor,))
            rest = poly.divided(mono, (factor,)) or ()
            fixed = Equal({(factor,): 1} if not c else {(factor,): 1, (): -c})
            result.append(Claim(_implies(fixed, Equal(poly.plus({mono: 1}, {rest: 1}, -c)))))
    return [*result, *point_lemmas(normal.applications, value)] if on.counts else result


def _choices(normal: Normal, a: int) -> int:
    """How many values the atom can have."""
    many = normal.bounds.high[a] - normal.bounds.low[a] + 1
    return many.bit_length() if a in normal.powers else many


def _comparisons(normal: Normal) -> list[Claim]:
    return [c for c in normal.claims if isinstance(c.formula, Equal | AtMost)]


def _poly(claim: Claim) -> Poly:
    assert isinstance(claim.formula, Equal | AtMost | Differs)
    return claim.formula.poly


# ---------------------------------------------------------------- products


class _Products:
    """Pairs (f, P) that get the product lemma for f * P."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._wanted: dict[tuple[Mono, PolyKey], tuple[Mono, Poly]] = {}

    def add(self, factor: Mono, p: Poly) -> None:
        if poly.as_constant(p) is None:
            p = poly.primitive(poly.positive_first(p))
            self._wanted.setdefault((factor, poly.key(p)), (factor, p))

    def lemmas(self) -> list[Claim]:
        return [lemma for factor, p in self._wanted.values() for lemma in product_lemma(factor, p, self._bounds)]


def product_lemma(factor: Mono, p: Poly, bounds: Bounds) -> list[Claim]:
    """Product lemma: f * P has the sign of P and is at least as large, for f >= 1 (guarded if f's sign is open)."""
    f: Poly = {factor: 1}
    product = poly.times(f, p)
    above, below = positive(p), negative(p)
    # With f >= c >= 1:  p >= 1 -> f * p >= f + c * p - c;  p <= -1 -> f * p <= c * p - f + c
    low, _, facts = bounds.of_mono(factor)
    facts = bounds.low_facts[factor[0]] if len(factor) == 1 else facts
    c = max(low, 1)
    large = at_most(poly.plus(poly.plus(f, p, c), ONE, -c), product)
    small = at_most(product, poly.plus(poly.minus(poly.scaled(p, c), f), ONE, c))
    if low >= 1:
        return [
            Claim(lemma, facts)
            for lemma in (_implies(above, large), _implies(below, small), _implies(Equal(p), Equal(product)))
        ]
    if low >= 0:
        return [
            Claim(lemma, facts)
            for lemma in (
                _implies(above, at_most(f, product)),
                _implies(below, at_most(product, poly.negated(f))),
                _implies(Equal(p), Equal(product)),
            )
        ]
    plus, minus = positive(f), negative(f)
    return [
        Claim(some((negation(plus), negation(above), large))),
        Claim(some((negation(plus), negation(below), small))),
        Claim(some((negation(minus), negation(above), at_most(product, f)))),
        Claim(some((negation(minus), negation(below), at_most(poly.negated(f), product)))),
        Claim(_implies(Equal(p), Equal(product))),
        Claim(_implies(Equal(f), Equal(product))),
    ]


def _implies(premise: Formula, conclusion: Formula) -> Formula:
    return some((negation(premise), conclusion))


def _cofactors(normal: Normal, comparisons: list[Claim]) -> dict[Mono, list[Mono]]:
    """Cofactors of each factor: the monomials that it is multiplied with anywhere."""
    found: dict[Mono, dict[Mono, None]] = {}
    for p in (*map(_poly, comparisons), normal.gap):
        for mono in p:
            if len(mono) > 1:
                for at, factor in enumerate(mono):
                    found.setdefault((factor,), {})[mono[:at] + mono[at + 1 :]] = None
    return {factor: list(monos) for factor, monos in found.items()}


# ---------------------------------------------------------------- radix

_DEPTH = 5
_MOST_EXPLORED = 60


def _explore_address(normal: Normal, comparisons: list[Claim], products: _Products) -> None:
    """f * P + R == 0 with |R| < f needs P == 0: for the gap, and again for P and R."""
    equations = [_poly(c) for c in comparisons if isinstance(c.formula, Equal)]
    seen: set[PolyKey] = set()
    stack = [(normal.gap, 0)]
    while stack and len(seen) <= _MOST_EXPLORED:
        p, depth = stack.pop()
        p = poly.primitive(poly.positive_first(p))
        identity = poly.key(p)
        if identity in seen or depth > _DEPTH:
            continue
        seen.add(identity)
        following: list[Poly] = []
        for factor in _factors(p):
            quotient, rest = poly.split_by(p, factor)
            if poly.as_constant(quotient) is None:
                products.add(factor, quotient)
                following += [quotient, rest]
        following += _unfolded(p, normal, equations)
        stack.extend((q, depth + 1) for q in reversed(following) if q)


def _factors(p: Poly) -> list[Mono]:
    """Atoms that something is multiplied with, and products of two of them."""
    singles = {(a,) for mono in p if len(mono) > 1 for a in mono}
    doubles = {two for mono in p if len(mono) > 2 for two in combinations(mono, 2)}
    return [*sorted(singles), *sorted(doubles)]


def _unfolded(p: Poly, normal: Normal, equations: list[Poly]) -> Iterator[Poly]:
    """`p` with names replaced by their definitions, and back; with t replaced where t == M is known."""
    singles = [mono[0] for mono in p if len(mono) == 1]
    factors = {a for mono in p if len(mono) > 1 for a in mono}
    shifted = {
        mono[0]: poly.constant(-offset) | poly.atom(name)
        for name in sorted(factors & normal.definitions.keys())
        for mono, offset in _shift(normal.definitions[name])
        if mono[0] in singles
    }
    if shifted:
        yield _replaced_singles(p, shifted)
    named = {a: normal.definitions[a] for a in singles if a in normal.definitions}
    if named:
        yield _replaced_singles(p, named)
    multiples: dict[int, Poly] = {}
    for t in singles:
        for equation in equations:
            c = equation.get((t,), 0)
            if abs(p[t,]) == 1 and abs(c) == 1 and len(equation) == 2 and any(len(mono) > 1 for mono in equation):
                multiples[t] = poly.minus(poly.atom(t), poly.scaled(equation, c))
                break
    if multiples:
        yield _replaced_singles(p, multiples)


def _shift(p: Poly) -> Iterator[tuple[Mono, int]]:
    """(x, c) where p is x + c."""
    rest = poly.proper(p)
    if len(rest) == 1 and len(p) == 2:
        ((mono, c),) = rest.items()
        if c == 1 and len(mono) == 1:
            yield mono, p[()]


def _replaced_singles(p: Poly, values: dict[int, Poly]) -> Poly:
    """Replace atoms where they stand alone, not inside products."""
    result = p
    for a, value in values.items():
        c = result.get((a,), 0)
        result = poly.plus(poly.plus(result, poly.atom(a), -c), value, c)
    return result


# ---------------------------------------------------------------- squares


def _square_lemmas(normal: Normal, comparisons: list[Claim]) -> list[Claim]:
    polys = [*map(_poly, comparisons), normal.gap]
    squared = sorted({mono[0] for p in polys for mono in p if len(mono) == 2 and mono[0] == mono[1]})
    result: list[Claim] = []
    for a in squared:
        x = poly.atom(a)
        square = poly.times(x, x)
        result += [Claim(at_most(x, square)), Claim(at_most(poly.negated(x), square))]
    for a, c in permutations(squared, 2):
        # a >= c + 1, c >= 0 -> a^2 >= c^2 + 2c + 1
        if normal.bounds.low[c] >= 0:
            x, y = poly.atom(a), poly.atom(c)
            least = poly.plus(poly.plus(poly.times(y, y), y, 2), ONE)
            result.append(Claim(_implies(less(y, x), at_most(least, poly.times(x, x))), normal.bounds.low_facts[c]))
    for a, c in combinations(squared, 2):
        x, y = poly.atom(a), poly.atom(c)
        result.append(Claim(_implies(equal(x, y), equal(poly.times(x, x), poly.times(y, y)))))
    equations = [p for c in comparisons if isinstance(c.formula, Equal) for p in (_poly(c),)]
    quadratic = [p for p in equations if any(len(mono) == 2 and mono[0] == mono[1] for mono in p)]
    for p in (normal.gap, *(poly.minus(p, q) for p, q in combinations(quadratic, 2))):
        for difference, cofactor in _twin_quadratics(p):
            result += _factored_lemma(difference, cofactor)
    return result


def _twin_quadratics(p: Poly) -> Iterator[tuple[Poly, Poly]]:
    """A u^2 + B u - A v^2 - B v  ==  (u - v) (A (u + v) + B), as the two factors."""
    squares = {mono[0]: c for mono, c in p.items() if len(mono) == 2 and mono[0] == mono[1]}
    for u, v in permutations(squares, 2):
        if squares[u] > 0 and squares[v] == -squares[u]:
            others = {mono: c for mono, c in p.items() if mono not in ((u, u), (v, v))}
            by_u, _ = poly.split_by(others, (u,))
            by_v, _ = poly.split_by(others, (v,))
            if not poly.plus(by_u, by_v) and not any(u in mono or v in mono for mono in by_u):
                total = {(u,): squares[u], (v,): squares[u]}
                yield {(u,): 1, (v,): -1}, poly.plus(total, by_u)


def _factored_lemma(p: Poly, q: Poly) -> list[Claim]:
    """|p * q| >= |p| + |q| - 1 where neither is 0, with the sign of the product."""
    result: list[Claim] = []
    for a in (p, poly.negated(p)):
        for b in (q, poly.negated(q)):
            large = at_most(poly.minus(poly.plus(a, b), ONE), poly.times(a, b))
            result.append(Claim(some((negation(positive(a)), negation(positive(b)), large))))
    product = Equal(poly.times(p, q))
    return [*result, Claim(_implies(Equal(p), product)), Claim(_implies(Equal(q), product))]


# ---------------------------------------------------------------- powers of two, functions


def _power_lemmas(normal: Normal) -> list[Claim]:
    """2**e >= e + 1; a smaller exponent gives at most half."""
    result: list[Claim] = []
    for a, exponent in normal.exponents.items():
        facts = normal.bounds.of_atom(a).facts
        result.append(Claim(less(exponent, poly.atom(a)), facts))
    for (a, e), (b, f) in permutations(normal.exponents.items(), 2):
        facts = normal.bounds.of_atom(a).facts | normal.bounds.of_atom(b).facts
        result.append(Claim(_implies(less(e, f), at_most(poly.scaled(poly.atom(a), 2), poly.atom(b))), facts))
        result.append(Claim(_implies(equal(e, f), equal(poly.atom(a), poly.atom(b))), facts))
    return result


def _function_lemmas(normal: Normal) -> list[Claim]:
    """Equal arguments, equal values."""
    result: list[Claim] = []
    for a, b in combinations(normal.applications, 2):
        if a.name == b.name and len(a.arguments) == len(b.arguments):
            apart: Iterable[Formula] = (negation(equal(x, y)) for x, y in zip(a.arguments, b.arguments, strict=True))
            same = equal(poly.atom(a.atom), poly.atom(b.atom))
            result.append(Claim(some((*apart, same)), a.facts | b.facts))
    return result
