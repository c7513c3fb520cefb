"""Lemmas about functions of bits: counts of ones below a position, and the positions of the highest and lowest one.

What is a function of bits to linear arithmetic is opaque; a lemma says what its values have to do with each other
(`count_lemmas`), or what its value is at the arguments that a model gives it (`point_lemmas`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Final

from hgrd.solve.normal_form import poly
from hgrd.solve.normal_form.builder import Application, Builder, Value
from hgrd.solve.normal_form.formula import Claim, Formula, at_most, equal, every, less, negation, some
from hgrd.solve.normal_form.poly import ONE, ZERO, Mono, Poly
from hgrd.terms import EvaluationError, Op, Origin, Symbol, evaluate, var
from hgrd.terms.interval import ANY
from hgrd.terms.term import intern

_FUNCTIONS: Final = {op.value: op for op in (
    Op.ONES_BELOW, Op.BIT_LENGTH, Op.LOWEST_ONE, Op.AND_BITS, Op.OR_BITS, Op.XOR_BITS, Op.SHR, Op.GCD,
)}  # fmt: skip
_ARGUMENTS: Final = tuple(Symbol(f"argument {i}", *ANY, Origin.UNKNOWN) for i in range(2))
_MOST_COUNTS: Final = 24
_WIDEST: Final = 64


def bound_position(op: Op, x: Value, result: Value, builder: Builder) -> None:
    """What 2 ** result has to do with x >= 0, for the position `result` of its highest or lowest one."""
    size = builder.span(x.poly)
    facts = x.facts | result.facts | size.facts
    if size.low < 0 or size.high >= 1 << _WIDEST:
        return
    power = builder.power(result.poly, builder.span(result.poly), _WIDEST, saturate=False)
    twice = poly.scaled(x.poly, 2)
    some_bit = less(ZERO, x.poly)
    builder.claim(some((negation(some_bit), at_most(power, twice))), facts)
    if op is Op.BIT_LENGTH:
        builder.claim(less(x.poly, power), facts)


def count_lemmas(applications: tuple[Application, ...]) -> list[Claim]:
    """Counts below two positions of one word: the lower one counts no more, and lacks at most what is between them."""
    counts = [a for a in applications if a.name == Op.ONES_BELOW.value][:_MOST_COUNTS]
    lowest = [a for a in applications if a.name == Op.LOWEST_ONE.value]
    result = [Claim(at_most(poly.atom(a.atom), a.arguments[1]), a.facts) for a in counts]
    for a, b in permutations(counts, 2):
        (x, n), (y, m) = a.arguments, b.arguments
        few, many = poly.atom(a.atom), poly.atom(b.atom)
        ordered = every((at_most(few, many), at_most(poly.minus(many, few), poly.minus(m, n))))
        result.append(_for_one_word(x, y, (less(m, n), ordered), a.facts | b.facts))
    for a, b in product(lowest, counts):
        (x,), (y, n) = a.arguments, b.arguments
        first, count = poly.atom(a.atom), poly.atom(b.atom)
        none = equal(count, ZERO)
        result.append(_for_one_word(x, y, (every((less(ZERO, first), at_most(first, n))), none), a.facts | b.facts))
        result.append(_for_one_word(x, y, (less(first, ONE), less(n, first), less(ZERO, count)), a.facts | b.facts))
    return result


def _for_one_word(x: Poly, y: Poly, alternatives: tuple[Formula, ...], facts: int) -> Claim:
    return Claim(some((negation(equal(x, y)), *alternatives)), facts)


def point_lemmas(applications: tuple[Application, ...], value: Callable[[Mono], int]) -> Iterator[Claim]:
    """f(x) == c where the arguments have the values of a model, which gives f(x) another value than c."""
    for a in applications:
        op = _FUNCTIONS.get(a.name)
        if op is None:
            continue
        at = [poly.value_of(p, value) for p in a.arguments]
        symbols = _ARGUMENTS[: len(at)]
        term = intern(op, None, tuple(map(var, symbols)), *ANY)
        try:
            (exact,) = evaluate((term,), dict(zip(symbols, at, strict=True)))
        except EvaluationError:
            continue
        if value((a.atom,)) != exact:
            apart = (negation(equal(p, poly.constant(c))) for p, c in zip(a.arguments, at, strict=True))
            yield Claim(some((*apart, equal(poly.atom(a.atom), poly.constant(exact)))), a.facts)
