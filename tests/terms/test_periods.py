"""Periods: the values of symbols that stand for all, or None where that is not known."""

import pytest

from hgrd.terms import Origin, Symbol, Term, add, bit_and, const, div, eq, mod, mul, var, wrap
from hgrd.terms.evaluate import evaluate
from hgrd.terms.periods import always, cases

K = var(Symbol("k", 0, 1 << 40, Origin.LOOP))
N = var(Symbol("n", -5, 1 << 40, Origin.INPUT))
FEW = var(Symbol("few", 0, 3, Origin.LOOP))


def number(term: Term) -> int | None:
    found = cases((term,))
    return None if found is None else len(list(found))


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (const(7), 1),
        (mod(K, const(4)), 4),
        (mod(mul(K, const(6)), const(4)), 2),
        (bit_and(K, const(7)), 8),
        (bit_and(div(K, const(4)), const(1)), 8),
        (mod(add(div(K, const(3)), const(1)), const(2)), 6),
        (add(mod(K, const(4)), mod(K, const(6))), 12),
        (add(mod(K, const(4)), mul(FEW, const(8))), 16),
        (mod(wrap(add(K, const(1)), 32, True, soft=True), const(4)), 4),
        (mod(wrap(K, 32, False, soft=False), const(4)), 4),
        (K, None),
        (div(K, const(4)), None),
        (bit_and(K, const(5)), None),
        (mod(N, const(4)), None),
        (mod(wrap(K, 32, False, soft=False), const(3)), None),
        (mod(K, const(5000)), None),
    ],
    ids=str,
)
def test_number_of_cases(term: Term, expected: int | None):
    assert number(term) == expected


@pytest.mark.parametrize("term", [mod(mul(K, const(6)), const(4)), bit_and(div(add(K, const(3)), const(4)), const(1))])
def test_values_repeat(term: Term):
    period = number(term)
    assert period is not None
    values = [evaluate((term,), {K.symbol: k})[0] for k in range(5 * period)]
    assert values == values[:period] * 5


def test_conditions_that_always_hold():
    assert always(eq(mod(div(K, const(4)), const(2)), bit_and(div(K, const(4)), const(1))))
    assert not always(eq(mod(K, const(2)), const(0)))
    assert not always(eq(K, const(0)))
